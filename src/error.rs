//! What can go wrong for a user of the command, and the exit code that tells which.

use std::{fmt, path::Path};

/// The lab's result.
pub type Result<T> = std::result::Result<T, Error>;

/// One clear line: what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Missing or unusable input: exit code 2.
    Input(String),
    /// A check failed or figures could not be written: exit code 1.
    Check(String),
}

impl Error {
    /// Missing or unusable input.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// A failed check.
    pub fn check(message: impl Into<String>) -> Self {
        Self::Check(message.into())
    }

    /// A file that cannot be read.
    #[must_use]
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::Input(format!("{}: cannot be read: {error}", path.display()))
    }

    /// The same error with the place it happened in before it.
    #[must_use]
    pub fn within(self, place: impl fmt::Display) -> Self {
        match self {
            Self::Input(message) => Self::Input(format!("{place}: {message}")),
            Self::Check(message) => Self::Check(format!("{place}: {message}")),
        }
    }

    /// 1 for a failed check, 2 for unusable input.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Check(_) => 1,
            Self::Input(_) => 2,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Input(message) | Self::Check(message)) = self;
        f.write_str(message)
    }
}

impl std::error::Error for Error {}
