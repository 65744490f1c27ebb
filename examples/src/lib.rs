//! The examples are programs; see the folders beside this one. What the lab plays too is here: Tumble without its page and
//! its wires.

#[path = "../tumble/mod.rs"]
pub mod tumble;
