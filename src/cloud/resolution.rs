//! The grids of float fields, as users give them.

use std::fs;

use super::{Cloud, FieldType};
use crate::error::{Error, Result};

/// The grid of FLOAT32 fields, in their own unit; upstream's default.
pub const DEFAULT_RESOLUTION: f32 = 0.001;

/// Which float field gets which grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolutions {
    all: Option<f32>,
    named: Vec<(String, f32)>,
}

impl Resolutions {
    /// One grid for all FLOAT32 fields.
    #[must_use]
    pub fn all(resolution: f32) -> Self {
        Self { all: Some(resolution), named: Vec::new() }
    }

    /// Reads `0.001` (all FLOAT32 fields), `intensity=1` (one field) and `@FILE` (a profile: one of these a line,
    /// `#` begins a comment); later ones have precedence.
    ///
    /// # Errors
    /// If one is none of these, is no number above 0, or a profile cannot be read.
    pub fn parse<S: AsRef<str>>(items: &[S]) -> Result<Self> {
        let mut resolutions = Self::default();
        for item in items {
            let item = item.as_ref();
            let Some(path) = item.strip_prefix('@') else {
                resolutions.add(item)?;
                continue;
            };
            let text = fs::read_to_string(path)
                .map_err(|error| Error::input(format!("--resolution: {path}: cannot be read: {error}")))?;
            for (line, number) in text.lines().zip(1..) {
                let item = line.split('#').next().unwrap_or_default().trim();
                if !item.is_empty() {
                    resolutions.add(item).map_err(|error| error.within(format!("{path}, line {number}")))?;
                }
            }
        }
        Ok(resolutions)
    }

    fn add(&mut self, item: &str) -> Result<()> {
        let (name, step) = match item.rsplit_once('=') {
            Some((name, step)) => (Some(name.trim()), step.trim()),
            None => (None, item),
        };
        let step =
            step.parse().ok().filter(|step: &f32| step.is_finite() && *step > 0.0).ok_or_else(|| {
                Error::input(format!(
                    "--resolution {item}: a grid's step is a number above 0, such as 0.001 or intensity=1"
                ))
            })?;
        match name {
            Some(name) => self.named.push((name.to_owned(), step)),
            None => self.all = Some(step),
        }
        Ok(())
    }

    /// The cloud with its fields' resolutions set.
    ///
    /// FLOAT32 fields get the grid for all, [`DEFAULT_RESOLUTION`] if none was given; FLOAT64 fields and colours
    /// packed into a FLOAT32 stay exact. A field that is named gets its own. A cloud that was decoded from
    /// cloudini's bytes keeps the grid that it is on unless another one is asked for.
    #[must_use]
    pub fn apply(&self, mut cloud: Cloud) -> Cloud {
        let on_grid = cloud.fields.iter().any(|field| field.resolution.is_some());
        if self.all.is_some() || !on_grid {
            cloud = cloud.with_resolution(self.all.unwrap_or(DEFAULT_RESOLUTION));
        }
        for field in cloud.fields.iter_mut().filter(|field| is_float(field.kind)) {
            if let Some((_, step)) = self.named.iter().rev().find(|(name, _)| *name == field.name) {
                field.resolution = Some(*step);
            }
        }
        cloud
    }

    /// Names that no float field of these clouds bears: most likely slips of the pen.
    pub fn unused<'a>(&self, fields: impl Iterator<Item = &'a super::Field> + Clone) -> Vec<&str> {
        let is_there = |name: &str| fields.clone().any(|field| field.name == name && is_float(field.kind));
        self.named.iter().map(|(name, _)| name.as_str()).filter(|name| !is_there(name)).collect()
    }
}

fn is_float(kind: FieldType) -> bool {
    matches!(kind, FieldType::Float32 | FieldType::Float64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::Field;

    fn cloud() -> Cloud {
        let fields = vec![
            Field::new("x", 0, FieldType::Float32),
            Field::new("intensity", 4, FieldType::Float32),
            Field::new("rgb", 8, FieldType::Float32),
            Field::new("t", 12, FieldType::Float64),
            Field::new("ring", 20, FieldType::Uint16),
        ];
        Cloud::new(fields, 0, 1, 22, Vec::new()).unwrap()
    }

    fn of(items: &[&str], cloud: Cloud) -> Vec<Option<f32>> {
        let cloud = Resolutions::parse(items).unwrap().apply(cloud);
        cloud.fields.iter().map(|field| field.resolution).collect()
    }

    #[test]
    fn fields_get_their_own_grid_or_the_one_for_all() {
        assert_eq!(of(&[], cloud()), [Some(0.001), Some(0.001), None, None, None]);
        assert_eq!(of(&["0.01"], cloud()), [Some(0.01), Some(0.01), None, None, None]);
        assert_eq!(
            of(&["intensity=1", "t=1e-6", "ring=3", "x=2", "x=4"], cloud()),
            [Some(4.0), Some(1.0), None, Some(1e-6), None]
        );
    }

    #[test]
    fn a_grid_that_a_cloud_is_on_stays_unless_another_is_asked_for() {
        let mut decoded = cloud();
        decoded.fields[0].resolution = Some(0.5);
        assert_eq!(of(&[], decoded.clone()), [Some(0.5), None, None, None, None]);
        assert_eq!(of(&["intensity=1"], decoded.clone()), [Some(0.5), Some(1.0), None, None, None]);
        assert_eq!(of(&["0.01"], decoded), [Some(0.01), Some(0.01), None, None, None]);
    }

    #[test]
    fn a_profile_is_read_line_by_line_and_its_errors_name_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profile");
        fs::write(&path, "# grids\n0.01\n\nintensity = 1  # counts\n").unwrap();
        let profile = format!("@{}", path.display());
        assert_eq!(of(&[&profile], cloud()), [Some(0.01), Some(1.0), None, None, None]);
        fs::write(&path, "0.01\nx=-1\n").unwrap();
        let error = Resolutions::parse(&[profile]).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("x=-1"), "{error}");
    }

    #[test]
    fn what_is_no_grid_is_refused_and_unknown_names_are_told() {
        for item in ["", "0", "-1", "nan", "inf", "x=", "x=y", "1e-60"] {
            let error = Resolutions::parse(&[item]).unwrap_err().to_string();
            assert!(error.contains(item) && error.contains("above 0"), "{error}");
        }
        assert!(Resolutions::parse(&["@/no/such/profile"]).is_err());
        let given = Resolutions::parse(&["x=1", "ring=1", "intensty=1"]).unwrap();
        assert_eq!(given.unused(cloud().fields.iter()), ["ring", "intensty"]);
    }
}
