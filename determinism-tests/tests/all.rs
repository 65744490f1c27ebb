//! All integration tests of the crate in one binary, so that the crates are linked once.

mod check;
mod matches;
mod recording;
mod replay;
mod scenes;
mod scenes_command;
mod sessions;
mod smoothness;
