//! The registry names every file, and the names are fit for folders and charts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use variants::{Decoder, Layout, NAMES, Standing, Visitor, visit_all};

/// What in `variants/` is no variant.
const NOT_VARIANTS: [&str; 5] = ["lib", "contract", "cpu", "best", "ends"];

#[test]
fn every_file_is_registered() {
    let files: BTreeSet<String> = fs::read_dir(env!("CARGO_MANIFEST_DIR"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| !NOT_VARIANTS.contains(&name.as_str()))
        .collect();
    let registered: BTreeSet<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(files, registered, "variants/*.rs on the left, the registry in variants/lib.rs on the right");
    assert_eq!(NAMES.len(), registered.len(), "a variant is registered twice");
}

/// B02: criterion cuts names at about 64 bytes.
#[test]
fn names_are_safe_and_differ_early() {
    for name in NAMES {
        let safe = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        assert!(name.bytes().all(safe), "{name} has other characters than a-z, 0-9 and _");
    }
    let heads: BTreeSet<&[u8]> = NAMES.iter().map(|name| &name.as_bytes()[..name.len().min(60)]).collect();
    assert_eq!(heads.len(), NAMES.len(), "two names have the same first 60 bytes");
}

struct Descriptions;

impl Visitor for Descriptions {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        let layout = D::Layout::NAME;
        assert!(name.starts_with(layout), "{name} does not start with its layout's name, {layout}");
        for line in [D::INFO.idea, D::INFO.origin, D::INFO.loses_when] {
            assert!(!line.is_empty() && !line.contains('\n'), "{name}: {line:?} is not one line");
        }
        let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports");
        // The crate as a package comes without the reports.
        if let Standing::Rejected(number) = D::INFO.standing
            && reports.exists()
        {
            let notes = reports.join("notes");
            let note = fs::read_dir(notes)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .find(|path| {
                    path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{number:04}-"))
                })
                .unwrap_or_else(|| panic!("{name} is rejected by note {number}, which is not there"));
            assert!(fs::read_to_string(note).unwrap().contains(name), "note {number} does not name {name}");
        }
    }
}

#[test]
fn every_variant_describes_itself() {
    visit_all(&mut Descriptions);
}
