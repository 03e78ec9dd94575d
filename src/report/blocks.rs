//! Generated parts inside files that people write in.

use crate::error::{Error, Result};

/// A part of a file that is written anew each time, between two marker lines.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The first line's comment, without what is noted about its origin.
    pub(crate) open: String,
    /// The last line.
    pub(crate) close: String,
    /// What stands between them, without a newline at either end.
    pub(crate) body: String,
}

impl Block {
    /// A part of `results.md`.
    pub(crate) fn generated(name: &str, body: String) -> Self {
        Self { open: format!("<!-- generated: {name} -->"), close: format!("<!-- end: {name} -->"), body }
    }

    /// The whole block.
    pub(crate) fn text(&self) -> String {
        format!("{}\n{}\n{}", self.open, self.body, self.close)
    }

    /// `text` with the block's body replaced, or `None` if it is not there.
    ///
    /// # Errors
    /// If the block is opened twice, or opened and not closed: nothing is known then of whose the text is.
    pub(crate) fn put_into(&self, text: &str) -> Result<Option<String>> {
        let Some(start) = text.find(&self.open) else { return Ok(None) };
        let after = start + self.open.len();
        let Some(length) = text[after..].find(&self.close) else {
            return Err(Error::check(format!("{} is not followed by {}", self.open, self.close)));
        };
        if text[after..].contains(&self.open) {
            return Err(Error::check(format!("{} is there twice", self.open)));
        }
        let rest = &text[after + length + self.close.len()..];
        Ok(Some(format!("{}{}{rest}", &text[..start], self.text())))
    }
}
