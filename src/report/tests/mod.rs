mod charts;
mod ranking;
mod sentences;
mod terminal;
mod writing;
