//! Every integration test of the derives in one binary.

mod input;
/// Public: one of its structs is, and has parts that are not.
pub mod state;
