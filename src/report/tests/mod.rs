mod again;
mod charts;
mod claims;
mod ranking;
mod sentences;
mod terminal;
mod writing;
