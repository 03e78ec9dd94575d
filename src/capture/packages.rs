//! Where Cargo keeps the packages that the bundled captures ship in, and their files, checked.
//!
//! `benches/captures/` is a manifest that is never built; `cargo metadata` on it downloads the packages, each
//! checked against the checksum in its lockfile, and says where they are. Files are checked once more: a
//! package's folder can be changed after Cargo unpacked it.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// A file of a package, known to the byte.
#[derive(Debug)]
pub(super) struct PinnedFile {
    pub(super) package: &'static str,
    pub(super) version: &'static str,
    /// From the package's folder.
    pub(super) path: &'static str,
    /// In lower-case hexadecimal.
    pub(super) sha256: &'static str,
}

/// What brings the packages here.
const FETCH: &str = "cargo fetch --locked --manifest-path benches/captures/Cargo.toml";

impl PinnedFile {
    /// The file's bytes.
    ///
    /// # Errors
    /// If the package cannot be had, or the file is missing or not the pinned one.
    pub(super) fn read(&self) -> Result<Vec<u8>> {
        static FOLDERS: OnceLock<Result<Folders>> = OnceLock::new();
        let folders = FOLDERS.get_or_init(|| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            // Set under `cargo run`, `bench` and `test`: the Cargo that built this.
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            Folders::locate(&cargo, root, &[])
        });
        folders.as_ref().map_err(Clone::clone)?.read(self)
    }

    /// As provenance shows it.
    pub(super) fn describe(&self) -> String {
        format!("Cargo package {} {}, {}", self.package, self.version, self.path)
    }
}

/// The packages' folders, by name and version.
#[derive(Debug)]
struct Folders(HashMap<(String, String), PathBuf>);

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
}

impl Folders {
    /// Asks Cargo, which downloads what is not there yet.
    fn locate(cargo: &OsStr, root: &Path, environment: &[(&str, &OsStr)]) -> Result<Self> {
        let manifest = root.join("benches").join("captures").join("Cargo.toml");
        if !manifest.is_file() {
            return Err(Error::input(format!(
                "the bundled captures need {}, which is not there: run varint-lab from a clone, or give it \
                 your own recording with --data",
                manifest.display()
            )));
        }
        let output = Command::new(cargo)
            // Without a network the default three retries take eleven seconds.
            .env("CARGO_NET_RETRY", "0")
            .envs(environment.iter().copied())
            .args(["metadata", "--format-version=1", "--locked", "--manifest-path"])
            .arg(&manifest)
            .output()
            .map_err(|error| {
                Error::input(format!(
                    "the bundled captures need Cargo, but {} does not start: {error}",
                    Path::new(cargo).display()
                ))
            })?;
        if !output.status.success() {
            return Err(Error::input(format!(
                "the bundled captures are not here and cannot be fetched: run `{FETCH}` in {} once with a \
                 network (cargo says: {})",
                root.display(),
                one_line(&String::from_utf8_lossy(&output.stderr))
            )));
        }
        let metadata: Metadata = serde_json::from_slice(&output.stdout)
            .map_err(|error| Error::input(format!("cargo metadata is not understood: {error}")))?;
        let folder = |package: Package| {
            let folder = package.manifest_path.parent()?.to_owned();
            Some(((package.name, package.version), folder))
        };
        Ok(Self(metadata.packages.into_iter().filter_map(folder).collect()))
    }

    fn read(&self, file: &PinnedFile) -> Result<Vec<u8>> {
        let key = (file.package.to_owned(), file.version.to_owned());
        let folder = self.0.get(&key).ok_or_else(|| {
            Error::input(format!(
                "benches/captures/Cargo.lock does not hold {} {}: restore it from the repository",
                file.package, file.version
            ))
        })?;
        let path = folder.join(file.path);
        let restore = || format!("delete {} and run `{FETCH}`", folder.display());
        let bytes = fs::read(&path).map_err(|error| {
            Error::input(format!("{}: cannot be read ({error}): {}", path.display(), restore()))
        })?;
        let found = hexadecimal(&Sha256::digest(&bytes));
        if found != file.sha256 {
            return Err(Error::input(format!(
                "{}: is not the pinned file: expected SHA-256 {}, found {found}: {}",
                path.display(),
                file.sha256,
                restore()
            )));
        }
        Ok(bytes)
    }
}

/// Cargo's error and its causes, without warnings and progress.
fn one_line(stderr: &str) -> String {
    let from = stderr.find("error:").unwrap_or(0);
    let words: Vec<&str> = stderr[from..].split_whitespace().collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(" ") }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: PinnedFile = PinnedFile {
        package: "some",
        version: "1.0.0",
        path: "data.bin",
        // Of the three bytes `abc`: the example of FIPS 180-2.
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };

    fn folders(root: &Path) -> Folders {
        Folders(HashMap::from([(("some".to_owned(), "1.0.0".to_owned()), root.to_owned())]))
    }

    fn refusal<T>(result: Result<T>) -> String {
        let error = result.err().expect("refused");
        assert_eq!(error.exit_code(), 2);
        let message = error.to_string();
        assert!(!message.contains('\n'), "{message:?}");
        message
    }

    #[test]
    fn a_changed_or_missing_file_is_one_line_with_both_sums_and_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE.path);
        fs::write(&path, b"abc").unwrap();
        assert_eq!(folders(folder.path()).read(&FILE).unwrap(), b"abc");

        fs::write(&path, b"abb").unwrap();
        let message = refusal(folders(folder.path()).read(&FILE));
        let found = hexadecimal(&Sha256::digest(b"abb"));
        let place = folder.path().display().to_string();
        for words in [&path.display().to_string(), FILE.sha256, &found, FETCH, &format!("delete {place} ")] {
            assert!(message.contains(words), "{words} is not in {message}");
        }

        fs::remove_file(&path).unwrap();
        let message = refusal(folders(folder.path()).read(&FILE));
        assert!(message.contains(FETCH) && message.contains("cannot be read"), "{message}");
    }

    #[test]
    fn a_package_that_is_not_locked_is_named() {
        let message = refusal(Folders(HashMap::new()).read(&FILE));
        assert!(message.contains("some 1.0.0") && message.contains("Cargo.lock"), "{message}");
    }

    #[test]
    fn without_a_network_and_a_cache_the_command_to_run_is_named() {
        let home = tempfile::tempdir().unwrap();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let environment =
            [("CARGO_HOME", home.path().as_os_str()), ("CARGO_NET_OFFLINE", OsStr::new("true"))];
        let message = refusal(Folders::locate(&cargo, root, &environment));
        assert!(message.contains(FETCH), "{message}");
        assert!(message.contains("cargo says: error:"), "{message}");
    }

    #[test]
    fn away_from_the_clone_the_way_out_is_named() {
        let elsewhere = tempfile::tempdir().unwrap();
        let message = refusal(Folders::locate(OsStr::new("cargo"), elsewhere.path(), &[]));
        assert!(message.contains("--data"), "{message}");
    }

    #[test]
    fn without_cargo_its_absence_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let message = refusal(Folders::locate(OsStr::new("no-such-cargo"), root, &[]));
        assert!(message.contains("no-such-cargo does not start"), "{message}");
    }

    #[test]
    fn cargo_s_own_words_are_one_line_without_what_comes_before() {
        assert_eq!(
            one_line("    Updating index\nerror: no\n\nCaused by:\n  why\n"),
            "error: no Caused by: why"
        );
        assert_eq!(one_line(""), "nothing");
    }
}
