//! The check on games that are right, which all come out the same, and on planted faults, each of which is caught and named.

mod arena;
#[cfg(feature = "faults")]
mod lanes;
mod plants;
