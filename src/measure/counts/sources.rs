//! Which sources a count belongs to.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// Where the code lies that is counted: the decoders, the paths around them, and what is counted of them.
const COUNTED: [&str; 3] = ["variants", "src/cloud", "src/measure/counts"];

/// A fingerprint of the counted code below the project's folder; the decoders' own tests and examples are no part of it.
///
/// # Errors
/// If the sources are not there.
pub fn fingerprint(project: &Path) -> Result<String> {
    let mut files = Vec::new();
    for folder in COUNTED {
        let folder = project.join(folder);
        collect(&folder, &mut files).map_err(|error| Error::unreadable(&folder, &error))?;
    }
    let mut names: Vec<(String, &PathBuf)> = files
        .iter()
        .map(|file| {
            let name = file.strip_prefix(project).unwrap_or(file);
            (
                name.components()
                    .map(|part| part.as_os_str().to_string_lossy())
                    .collect::<Vec<_>>()
                    .join("/"),
                file,
            )
        })
        .collect();
    names.sort();
    let mut digest = Sha256::new();
    for (name, file) in names {
        let bytes = fs::read(file).map_err(|error| Error::unreadable(file, &error))?;
        // Lengths keep a name from running into its text.
        for part in [name.as_bytes(), &bytes] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    Ok(digest.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "tests" && name != "examples") {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_counted_code_changes_it_and_one_of_tests_does_not() {
        let project = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = project.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            fingerprint(project.path())
        };
        assert!(write("variants/a.rs", "1").is_err(), "folders are missing");
        write("src/cloud/b.rs", "1").unwrap_err();
        let first = write("src/measure/counts/c.rs", "1").unwrap();
        assert_eq!(write("variants/tests/t.rs", "1").unwrap(), first);
        assert_eq!(write("src/report/r.rs", "1").unwrap(), first);
        let second = write("variants/a.rs", "2").unwrap();
        assert_ne!(second, first);
        assert_ne!(write("variants/layout/d.rs", "").unwrap(), second);
        assert_eq!(first.len(), 16);
    }
}
