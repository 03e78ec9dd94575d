//! The command `varint-lab`.
#![forbid(unsafe_code)]

fn main() {}
