//! Checks of the fuzz targets as plain functions, one file per crate; the tests of that crate include it.

pub mod handshakes;
pub mod links;
pub mod peers;
pub mod replays;
pub mod reuse;
pub mod seeds;
pub mod sessions;
pub mod worlds;

pub use handshakes::handshake;
pub use links::{document, frame, window};
pub use peers::{packet, payload, sealed};
pub use replays::replay;
pub use sessions::{datagram, explain};
pub use worlds::{restore, unpack};
