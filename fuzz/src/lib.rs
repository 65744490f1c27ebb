//! What the fuzz targets check, as plain functions: a file for each crate, which the tests of that crate include.

mod sessions;
mod worlds;

pub use sessions::{datagram, explain};
pub use worlds::{restore, unpack};
