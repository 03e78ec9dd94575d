//! A user's own files and folders.

use std::fs;

use varint_lab::capture::load_path;

use crate::support::assert_refused;

const SMALL: &str = "FIELDS x\nSIZE 4\nTYPE F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n2.5\n";

#[test]
fn a_file_is_named_by_its_stem_and_claims_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my scan.v2.pcd");
    fs::write(&path, SMALL).unwrap();
    let captures = load_path(&path).unwrap();
    assert_eq!(captures.len(), 1);
    assert_eq!((captures[0].name.as_str(), captures[0].cloud.points()), ("my scan.v2", 1));
    let facts = &captures[0].facts;
    for fact in [&facts.sensor, &facts.scene, &facts.licence] {
        assert_eq!(fact, "given by the user, not known");
    }
    assert_eq!(facts.fields, "x FLOAT32");
}

#[test]
fn a_survey_file_tells_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tile.las");
    fs::write(&path, crate::las::file((1, 2), 0, false, 2)).unwrap();
    let facts = load_path(&path).unwrap().remove(0).facts;
    assert!(facts.fields.starts_with("x y z INT32, intensity UINT16"), "{}", facts.fields);
    assert!(facts.fields.ends_with("x y z in steps of 0.01, 0.01, 0.01"), "{}", facts.fields);
}

#[test]
fn a_folder_gives_its_files_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b.pcd", "a.pcd", "c.PCD", "notes.txt"] {
        fs::write(folder.path().join(name), SMALL).unwrap();
    }
    let names: Vec<String> =
        load_path(folder.path()).unwrap().into_iter().map(|capture| capture.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn a_folder_without_a_known_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().display().to_string();
    assert_refused(load_path(folder.path()), &[&name, "no .bin", ".pcd file"]);
    fs::create_dir(folder.path().join("folder.pcd")).unwrap();
    assert_refused(load_path(folder.path()), &["folder.pcd", "is a folder, not a file"]);
}

#[test]
fn missing_empty_and_other_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scan.pcd");
    let name = path.display().to_string();
    assert_refused(load_path(&path), &[&name, "cannot be read"]);
    for (content, words) in [
        (&b""[..], "is empty"),
        (b"{}\n", "is JSON"),
        (b"\0\x01\0\0", "header.stamp"),
        (b"LASF", "no LAS"),
        (&SMALL.as_bytes()[..SMALL.len() - 5], "1 points"),
    ] {
        fs::write(&path, content).unwrap();
        assert_refused(load_path(&path), &[&name, words]);
    }
}
