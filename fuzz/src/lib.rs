//! What the fuzz targets check, as plain functions: files for each crate, which the tests of that crate include.

pub mod links;
pub mod peers;
mod replays;
mod sessions;
mod worlds;

pub use links::{document, frame, window};
pub use peers::{handshake, packet, payload, sealed};
pub use replays::replay;
pub use sessions::{datagram, explain};
pub use worlds::{restore, unpack};
