//! The derives from outside. They are tested here and not in `rollback/derive`: the tests of a procedural macro are built for
//! the host, with a second copy of every crate that they use.

mod input;
/// Public: one of its structs is, and has parts that are not.
pub mod state;
