//! Recordings: what was played comes back, bit for bit, from a file in any condition.

mod bad;
mod branch;
mod differences;
mod document;
mod forge;
mod game;
mod gaps;
mod play;
mod playback;
mod repair;
mod settings;
mod started_late;
