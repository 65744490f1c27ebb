//! The check on games that are right, which all come out the same, and on planted faults, each of which is caught and named.

mod arena;
mod faults;
#[cfg(feature = "faults")]
mod lanes;
