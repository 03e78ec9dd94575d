//! A user's own recordings as whole captures.

use std::path::Path;

use super::{Capture, Options, Provenance, messages_of, recordings};
use crate::error::{Error, Result};

/// Loads a file, a folder of files or what matches a pattern (see [`recordings`]): a capture for each message,
/// named by the file and, where there are several, the topic and the message's index.
///
/// Everything is in memory at once; [`messages_of`] is for what is too long for that.
///
/// # Errors
/// If there is no such file, or anything in it is lost.
pub fn load_path(path: &Path) -> Result<Vec<Capture>> {
    let mut captures = Vec::new();
    for recording in recordings(path)? {
        let mut messages = messages_of(&recording.parts, &Options::default())?;
        let before = captures.len();
        while let Some(message) = messages.next() {
            let message = message?;
            let facts = Provenance::given(
                messages.sensor(),
                &message.cloud,
                message.remark.as_deref(),
                recording.source(),
            );
            let name = format!("{}{}#{}", recording.name, message.topic, message.index);
            captures.push(Capture { name, facts, cloud: message.cloud });
        }
        match &mut captures[before..] {
            [] => return Err(Error::input(format!("{}: has no clouds", path.display()))),
            [only] => only.name = only.name.strip_suffix("#0").unwrap_or(&only.name).to_owned(),
            _ => {}
        }
    }
    Ok(captures)
}
