//! facade
pub use isostep_core::*;
