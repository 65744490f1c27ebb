//! The check on correct games, which are all equal, and on injected faults, each of which is found
//! and located.

mod arena;
mod faults;
#[cfg(feature = "faults")]
mod lanes;
