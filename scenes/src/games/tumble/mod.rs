//! Two to eight players shove each other and crates off a platform. Start with `rules`, then
//! `bodies` and `bot`. The program in examples/tumble/ plays it over a network, the lab plays it on
//! several machines at once.

#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    reason = "the rules of a game, read as an example"
)]

pub mod bodies;
pub mod bot;
pub mod rules;
