//! What the fuzz targets check, as plain functions: files for each crate, which the tests of that crate include.

pub mod handshakes;
pub mod reuse;
pub mod links;
pub mod peers;
pub mod replays;
pub mod seeds;
pub mod sessions;
pub mod worlds;

pub use handshakes::handshake;
pub use links::{document, frame, window};
pub use peers::{packet, payload, sealed};
pub use replays::replay;
pub use sessions::{datagram, explain};
pub use worlds::{restore, unpack};
