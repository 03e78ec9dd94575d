//! Files that appear whole or not at all.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;

use crate::error::{Error, Result};

/// Files that are written beside their target and moved into place together.
#[derive(Debug)]
pub(crate) struct Staging {
    /// Dropping it removes what was not moved.
    folder: TempDir,
    moves: Vec<(PathBuf, PathBuf)>,
}

fn failed(what: &Path, error: &io::Error) -> Error {
    Error::check(format!("{}: cannot be written: {error}", what.display()))
}

impl Staging {
    /// A staging folder in `beside`, which is made if it is not there. It has to be on the targets' file
    /// system, or nothing can be moved.
    pub(crate) fn new(beside: &Path) -> Result<Self> {
        fs::create_dir_all(beside).map_err(|error| failed(beside, &error))?;
        let folder = staging_folder(beside).map_err(|error| failed(beside, &error))?;
        Ok(Self { folder, moves: Vec::new() })
    }

    /// Writes a file that [`Self::commit`] will move to `target`.
    pub(crate) fn file(&mut self, target: PathBuf, bytes: &[u8]) -> Result<()> {
        let staged = self.folder.path().join(format!("new-{}", self.moves.len()));
        write_synced(&staged, bytes).map_err(|error| failed(&target, &error))?;
        self.moves.push((staged, target));
        Ok(())
    }

    /// Moves every file into place, in the order they were added. Each move is atomic, and if one fails those before
    /// it are taken back.
    pub(crate) fn commit(self) -> Result<()> {
        self.prepare()?;
        for at in 0..self.moves.len() {
            if let Err(error) = self.move_one(at) {
                self.take_back(at);
                return Err(failed(&self.moves[at].1, &error));
            }
        }
        Ok(())
    }

    /// What takes time, before anything is moved: folders, and copies of what the targets hold.
    pub(crate) fn prepare(&self) -> Result<()> {
        for (at, (_, target)) in self.moves.iter().enumerate() {
            let folder = target.parent().map_or(Ok(()), fs::create_dir_all);
            folder.and_then(|()| self.keep_old(at)).map_err(|error| failed(target, &error))?;
        }
        Ok(())
    }

    /// How many files there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Moves one of the files.
    pub(crate) fn move_one(&self, at: usize) -> io::Result<()> {
        let (staged, target) = &self.moves[at];
        fs::rename(staged, target)
    }

    fn old(&self, at: usize) -> PathBuf {
        self.folder.path().join(format!("old-{at}"))
    }

    /// Copies what a target holds, so that it can come back.
    fn keep_old(&self, at: usize) -> io::Result<()> {
        match fs::copy(&self.moves[at].1, self.old(at)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Undoes the moves before `end`. A failure here leaves a whole new file, and the error that is reported
    /// is the one that led here.
    fn take_back(&self, end: usize) {
        for (at, (_, target)) in self.moves[..end].iter().enumerate().rev() {
            let old = self.old(at);
            let _ = if old.exists() { fs::rename(old, target) } else { fs::remove_file(target) };
        }
    }
}

const PREFIX: &str = ".staging-";

/// What lies about for longer was left behind by a program that was killed: staging takes seconds.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// A folder in `beside` that goes when it is dropped. Those that were left behind go now.
pub(crate) fn staging_folder(beside: &Path) -> io::Result<TempDir> {
    for entry in fs::read_dir(beside)?.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
        if ours && matches!(age, Ok(Ok(age)) if age > LEFT_BEHIND) {
            // Who cannot remove it can still write a report.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    tempfile::Builder::new().prefix(PREFIX).tempdir_in(beside)
}

/// Writes a file so that it is on the disk, not only in the system's memory, before it is moved.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    io::Write::write_all(&mut file, bytes)?;
    file.sync_all()
}
