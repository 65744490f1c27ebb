//! What the fuzz targets check, as plain functions: a file for each crate, which the tests of that crate include.

mod worlds;

pub use worlds::{restore, unpack};
