//! A roster: a matchmaker's word who sits in which machine of a match.
//!
//! ```text
//! 0  header (see `spec`; magic "ISOR", number: how many) | 56  (machine 1, key 32) for each, ascending | signature 64
//! ```

use super::ids::{MAX_MACHINES, MachineId};
use super::keys::{MatchmakerKey, MatchmakerPublic, PublicKey};
use super::spec::{HEADER_BYTES, MatchSpec, SpecError, TokenExpectation, take};

const MAGIC: [u8; 4] = *b"ISOR";
/// What is signed begins with this, so that no signature counts for another kind of document.
const CONTEXT: &[u8] = b"isostep roster v1";
const ENTRY_BYTES: usize = 33;

/// A matchmaker's word who sits in which machine of a match: two to eight players, each with a key of its own.
///
/// [`decode`](Self::decode) reads whatever arrived; believe nothing in it before [`verify`](Self::verify) said yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    spec: MatchSpec,
    /// In ascending order of machines.
    entries: Vec<(MachineId, PublicKey)>,
    signature: [u8; 64],
}

/// Why a roster is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RosterError {
    /// Too few bytes.
    #[error("a roster of {bytes} bytes is cut off: copy it again, whole")]
    Truncated {
        /// How many there are.
        bytes: usize,
    },
    /// Too many bytes.
    #[error("a roster with {bytes} bytes behind its end: copy it again, without what follows")]
    Trailing {
        /// How many there are behind the end.
        bytes: usize,
    },
    /// Something else than a roster.
    #[error("this is no roster; give the file that the matchmaker made")]
    WrongMagic,
    /// A roster of another version.
    #[error(
        "a roster of version {version}, and this program reads version 1: update the older side"
    )]
    Version {
        /// Its version.
        version: u8,
    },
    /// Too few players, or too many.
    #[error("a roster of {count} players; a match has 2 to 8: ask the matchmaker for another")]
    Count {
        /// How many it has.
        count: u8,
    },
    /// There is no such machine, or it is there twice, or out of order.
    #[error("a roster with {machine} in the wrong place: ask the matchmaker for another")]
    InvalidMachine {
        /// The machine.
        machine: MachineId,
    },
    /// Two machines have one key.
    #[error(
        "a roster that gives {machine} the key of another machine: ask the matchmaker for another"
    )]
    DuplicateKey {
        /// The second of them.
        machine: MachineId,
    },
    /// The matchmaker didn't sign this.
    #[error(
        "the roster is not signed by this matchmaker: look whether matchmaker.pub is the right one"
    )]
    Signature,
    /// For another game.
    #[error("the roster is for another game: start the game that it is for, in the same version")]
    Game,
    /// For another match.
    #[error("the roster is for another match: use the one that came with this match")]
    Match,
    /// For machines that speak otherwise.
    #[error(
        "the roster is for protocol {protocol}, which this program doesn't speak: update the older side"
    )]
    Protocol {
        /// What they speak.
        protocol: u16,
    },
    /// Too late.
    #[error(
        "the roster expired {since} s ago: ask the matchmaker for a new match, or set this clock"
    )]
    Expired {
        /// For how many seconds.
        since: u64,
    },
    /// Made in the future.
    #[error(
        "the roster was made {ahead} s in the future: set the clock of this machine or the matchmaker"
    )]
    IssuedInFuture {
        /// In how many seconds.
        ahead: u64,
    },
}

impl From<SpecError> for RosterError {
    fn from(error: SpecError) -> Self {
        match error {
            SpecError::WrongMagic => Self::WrongMagic,
            SpecError::Version(version) => Self::Version { version },
            SpecError::Game => Self::Game,
            SpecError::Match => Self::Match,
            SpecError::Protocol(protocol) => Self::Protocol { protocol },
            SpecError::Expired(since) => Self::Expired { since },
            SpecError::IssuedInFuture(ahead) => Self::IssuedInFuture { ahead },
        }
    }
}

impl Roster {
    /// How many bytes the longest roster has.
    pub const MAX_BYTES: usize = HEADER_BYTES + MAX_MACHINES * ENTRY_BYTES + 64;

    /// Reads a roster. It says nothing about who made it.
    ///
    /// # Errors
    /// When the bytes are no roster.
    pub fn decode(bytes: &[u8]) -> Result<Self, RosterError> {
        let truncated = RosterError::Truncated { bytes: bytes.len() };
        let (header, mut rest) = bytes.split_first_chunk().ok_or(truncated)?;
        let (count, spec) = MatchSpec::read(header, MAGIC)?;
        if !(2..=MAX_MACHINES).contains(&usize::from(count)) {
            return Err(RosterError::Count { count });
        }
        let needed = usize::from(count) * ENTRY_BYTES + 64;
        match rest.len().checked_sub(needed) {
            None => return Err(truncated),
            Some(0) => {}
            Some(bytes) => return Err(RosterError::Trailing { bytes }),
        }
        let rest = &mut rest;
        let mut entries: Vec<(MachineId, PublicKey)> = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let ([machine], key) = (take(rest), PublicKey(take(rest)));
            let machine = MachineId(machine);
            if usize::from(machine.0) >= MAX_MACHINES
                || entries.last().is_some_and(|last| last.0 >= machine)
            {
                return Err(RosterError::InvalidMachine { machine });
            }
            if entries.iter().any(|entry| entry.1 == key) {
                return Err(RosterError::DuplicateKey { machine });
            }
            entries.push((machine, key));
        }
        Ok(Self { spec, entries, signature: take(rest) })
    }

    /// The roster as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.signed_part();
        bytes.extend_from_slice(&self.signature);
        bytes
    }

    fn signed_part(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::MAX_BYTES);
        bytes.extend_from_slice(&self.spec.header(MAGIC, self.entries.len() as u8));
        for (machine, key) in &self.entries {
            bytes.push(machine.0);
            bytes.extend_from_slice(&key.0);
        }
        bytes
    }

    /// Whether the matchmaker made this, for this match, and it is the time.
    ///
    /// # Errors
    /// What is wrong; the signature comes first.
    pub fn verify(
        &self,
        matchmaker: &MatchmakerPublic,
        expected: &TokenExpectation,
    ) -> Result<(), RosterError> {
        self.verify_signature(matchmaker)?;
        Ok(self.spec.check(expected)?)
    }

    pub(super) fn verify_signature(
        &self,
        matchmaker: &MatchmakerPublic,
    ) -> Result<(), RosterError> {
        let signed = matchmaker.verifies(&self.signed_message(), &self.signature);
        if signed { Ok(()) } else { Err(RosterError::Signature) }
    }

    /// Makes a roster; the caller looked whether it makes sense, and sorted it.
    pub(super) fn sign(
        key: &MatchmakerKey,
        spec: &MatchSpec,
        entries: Vec<(MachineId, PublicKey)>,
    ) -> Self {
        let mut roster = Self { spec: *spec, entries, signature: [0; 64] };
        roster.signature = key.sign(&roster.signed_message());
        roster
    }

    fn signed_message(&self) -> Vec<u8> {
        [CONTEXT, &self.signed_part()].concat()
    }

    /// Which match it is for, and when.
    pub const fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Who sits there.
    pub fn key_of(&self, machine: MachineId) -> Option<PublicKey> {
        self.entries.iter().find(|entry| entry.0 == machine).map(|entry| entry.1)
    }

    /// The machines in which somebody sits, ascending.
    pub fn machines(&self) -> impl ExactSizeIterator<Item = MachineId> + '_ {
        self.entries.iter().map(|entry| entry.0)
    }

    /// Where the holder of a key sits.
    pub fn machine_of(&self, key: &PublicKey) -> Option<MachineId> {
        self.entries.iter().find(|entry| entry.1 == *key).map(|entry| entry.0)
    }
}
