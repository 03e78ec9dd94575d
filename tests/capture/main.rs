//! Readers and bundled captures against figures that were computed apart from them, and against the failures
//! that users of other readers reported. A test of such a report starts with the report's id in this project.

mod bundled;
mod las;
mod load;
mod mcap;
mod packets;
mod pcd;
mod pointcloud2;
mod real_files;
mod recordings;
mod support;
mod synthetic;
