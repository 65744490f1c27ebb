//! Common header of tokens and rosters: 56 bytes, and their checks.
//!
//! ```text
//! 0  magic 4 | version 1 | machine id or count 1 | protocol 2 | game 16 | match 16 | issued 8 | expires 8   56
//! ```
//!
//! Numbers are little-endian.

use super::ids::{GameId, MatchId};

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 56;

/// Layout version of tokens and rosters.
const VERSION: u8 = 1;

/// Tolerated lead of the matchmaker's clock over a peer's. Synchronized clocks differ by less than a second, others by
/// minutes.
const MAX_CLOCK_SKEW_SECONDS: u64 = 60;

/// Contents of the header: the match and its validity period. Times are in seconds since 1970 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchSpec {
    /// Game.
    pub game: GameId,
    /// Match.
    pub match_id: MatchId,
    /// Protocol version of the match: [`PROTOCOL_VERSION`](crate::wire::PROTOCOL_VERSION).
    pub protocol: u16,
    /// Issue time.
    pub issued: u64,
    /// Expiry: the first second in which the documents are rejected.
    pub expires: u64,
}

/// Expected contents of a token or roster, and the current time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenExpectation {
    /// Expected game.
    pub game: GameId,
    /// Expected match.
    pub match_id: MatchId,
    /// Protocol version of this machine.
    pub protocol: u16,
    /// Current time, in seconds since 1970 UTC.
    pub unix_now: u64,
}

/// Errors common to tokens and rosters.
pub(super) enum SpecError {
    WrongMagic,
    Version(u8),
    Game,
    Match,
    Protocol(u16),
    Expired(u64),
    IssuedInFuture(u64),
}

impl MatchSpec {
    /// Encodes the header.
    pub(super) fn header(&self, magic: [u8; 4], number: u8) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&magic);
        bytes[4] = VERSION;
        bytes[5] = number;
        bytes[6..8].copy_from_slice(&self.protocol.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.game.0);
        bytes[24..40].copy_from_slice(&self.match_id.0);
        bytes[40..48].copy_from_slice(&self.issued.to_le_bytes());
        bytes[48..].copy_from_slice(&self.expires.to_le_bytes());
        bytes
    }

    /// Decodes the header; returns the machine id or count, and the match.
    pub(super) fn read(
        bytes: &[u8; HEADER_BYTES],
        magic: [u8; 4],
    ) -> Result<(u8, Self), SpecError> {
        let rest = &mut &bytes[..];
        if take(rest) != magic {
            return Err(SpecError::WrongMagic);
        }
        let [version, number] = take(rest);
        if version != VERSION {
            return Err(SpecError::Version(version));
        }
        let protocol = u16::from_le_bytes(take(rest));
        let (game, match_id) = (GameId(take(rest)), MatchId(take(rest)));
        let (issued, expires) = (u64::from_le_bytes(take(rest)), u64::from_le_bytes(take(rest)));
        Ok((number, Self { game, match_id, protocol, issued, expires }))
    }

    /// Checks the contents and the time.
    pub(super) fn check(&self, expected: &TokenExpectation) -> Result<(), SpecError> {
        let now = expected.unix_now;
        if self.game != expected.game {
            Err(SpecError::Game)
        } else if self.match_id != expected.match_id {
            Err(SpecError::Match)
        } else if self.protocol != expected.protocol {
            Err(SpecError::Protocol(self.protocol))
        } else if self.issued > now.saturating_add(MAX_CLOCK_SKEW_SECONDS) {
            Err(SpecError::IssuedInFuture(self.issued - now))
        } else if now >= self.expires {
            Err(SpecError::Expired(now - self.expires))
        } else {
            Ok(())
        }
    }
}

/// Takes the next bytes of a document whose length was checked.
pub(super) fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (bytes, behind) = rest.split_first_chunk().expect("the length was checked before");
    *rest = behind;
    *bytes
}
