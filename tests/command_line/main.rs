//! The command as users meet it: what it prints, and its exit code.

mod basics;
mod recordings;
mod refusals;

use std::{
    fs,
    io::Cursor,
    path::Path,
    process::{Command, Output},
};

use variants::NAMES;
use varint_lab::capture;

fn lab(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command starts")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varint-lab"));
    command.args(arguments);
    command
}

/// Exit code 2 and one line that has every one of `words`; nothing panicked.
fn assert_refused(output: &Output, words: &[&str]) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "one clear line, not: {error}");
    assert!(!error.contains("panicked"), "{error}");
    for word in words {
        assert!(error.contains(word), "{word} is not in: {error}");
    }
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A binary PCD of `points` points x y z whose header promises `promised`.
fn pcd(points: usize, promised: usize) -> Vec<u8> {
    let mut file = format!(
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {promised}\nHEIGHT 1\n\
         VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {promised}\nDATA binary\n"
    )
    .into_bytes();
    for point in 0..points {
        for axis in 0..3 {
            file.extend_from_slice(&((point * (axis + 1)) as f32 * 0.01).to_le_bytes());
        }
    }
    file
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("the folder takes a file");
    path.to_str().expect("a plain path").to_owned()
}
