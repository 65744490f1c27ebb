//! Every integration test of the crate in one binary, so that it is linked once.

mod exactness;
#[cfg(feature = "faults")]
mod faults;
mod regressions;
