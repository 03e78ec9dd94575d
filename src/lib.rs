//! The lab: captures, clouds, measuring and reports. See `README.md`.
#![forbid(unsafe_code)]

pub mod capture;
pub mod cli;
pub mod cloud;
pub mod error;
pub mod fnv;
pub mod measure;
pub mod report;
