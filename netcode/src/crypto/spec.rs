//! What tokens and rosters have in common: the first 56 bytes, and the checks of them.
//!
//! ```text
//! 0  magic 4 | version 1 | machine or count 1 | protocol 2 | game 16 | match 16 | issued 8 | expires 8   56
//! ```
//!
//! Numbers are little-endian.

use super::ids::{GameId, MatchId};

/// How many bytes tokens and rosters begin with in the same way.
pub(super) const HEADER_BYTES: usize = 56;

/// The only version of tokens and rosters so far.
const VERSION: u8 = 1;

/// How far the clock of a matchmaker may be ahead of a player's. Clocks of machines that ask for the time differ by
/// less than a second, those of others by minutes; a minute is late enough to notice and early enough to play.
const MAX_CLOCK_SKEW_SECONDS: u64 = 60;

/// What a match is: the part that is the same in all its documents. Times are seconds since 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchSpec {
    /// The game that is played.
    pub game: GameId,
    /// The match.
    pub match_id: MatchId,
    /// What its machines speak: [`PROTOCOL_VERSION`](crate::wire::PROTOCOL_VERSION).
    pub protocol: u16,
    /// When the documents were made.
    pub issued: u64,
    /// When they end: the first second in which nobody is let in any more.
    pub expires: u64,
}

/// What a token or roster should say, and what time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenExpectation {
    /// The game that is played.
    pub game: GameId,
    /// The match.
    pub match_id: MatchId,
    /// What this machine speaks.
    pub protocol: u16,
    /// The present, in seconds since 1970.
    pub unix_now: u64,
}

/// What can be wrong with both kinds of document.
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
    /// The first bytes of a document.
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

    /// The machine or count in the first bytes of a document, and the match.
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

    /// Whether this is the match that is expected, and the time for it.
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

/// The next bytes of a document whose length was checked.
pub(super) fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (bytes, behind) = rest.split_first_chunk().expect("the length was checked before");
    *rest = behind;
    *bytes
}
