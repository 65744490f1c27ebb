//! Encoding of packets and frames. Independent of connections, keys and time.
//!
//! `WIRE.md` is the specification; each file implements one section.

mod frame;
mod game;
mod handshake;
mod header;

pub(crate) use frame::{Frame, Frames, MAX_CLOSE_TEXT_BYTES, frame_type};
pub(crate) use game::{ArrivalStats, Game, Pace, Stamp};
pub use handshake::MatchParameters;
pub(crate) use handshake::{
    Accept, Attempt, COOKIE_BYTES, Cookie, Hello, Init, Offer, Refusal, Versions, is_knock,
};
pub(crate) use header::{ConnectionId, Header, PACKET_NUMBER_LIMIT, decode_packet_number};
pub(crate) use isostep_rollback::internals::window;

/// Protocol version of this crate.
pub const PROTOCOL_VERSION: u16 = 1;
/// Bytes of UDP payload that every path must carry.
pub const MIN_MTU: usize = 1200;
/// Maximum bytes of UDP payload.
pub const MAX_MTU: usize = 1452;
/// Bytes of the authentication tag.
pub(crate) const TAG_BYTES: usize = 16;

/// Packet type: the first byte of handshake packets.
pub(crate) mod packet_type {
    pub(crate) const HELLO: u8 = 0x80;
    pub(crate) const COOKIE: u8 = 0x81;
    pub(crate) const VERSIONS: u8 = 0x82;
    pub(crate) const INIT: u8 = 0x83;
    pub(crate) const ACCEPT: u8 = 0x84;
    pub(crate) const KNOCK: u8 = 0x85;
}
