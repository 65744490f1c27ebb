//! Roster: signed list of the machines of a match and their keys.
//!
//! ```text
//! 0  header (see `spec`; magic "ISOR", number: machine count) | 56  (machine id 1, key 32) each, ascending | signature 64
//! ```

use super::ids::{MAX_MACHINES, MachineId};
use super::keys::{MatchmakerKey, MatchmakerPublic, PublicKey};
use super::spec::{HEADER_BYTES, MatchSpec, SpecError, TokenExpectation, take};

const MAGIC: [u8; 4] = *b"ISOR";
/// Domain separation: a signature is valid for one kind of document.
const CONTEXT: &[u8] = b"isostep roster v1";
const ENTRY_BYTES: usize = 33;

/// Signed list of the machines of a match: two to eight, each with its own key.
///
/// [`decode`](Self::decode) checks only the layout. Trust the contents only after [`verify`](Self::verify) succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    spec: MatchSpec,
    /// Sorted by machine id.
    entries: Vec<(MachineId, PublicKey)>,
    signature: [u8; 64],
}

/// Reasons why a roster is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RosterError {
    /// The roster is too short.
    #[error("a roster of {bytes} bytes is truncated; copy it again")]
    Truncated {
        /// Length in bytes.
        bytes: usize,
    },
    /// The roster is too long.
    #[error("a roster has {bytes} bytes after its end; copy it again without them")]
    Trailing {
        /// Number of excess bytes.
        bytes: usize,
    },
    /// The magic bytes are not those of a roster.
    #[error("not a roster; use the file that the matchmaker issued")]
    WrongMagic,
    /// The layout version is not supported.
    #[error(
        "a roster of version {version}, but this program reads version 1; update the older program"
    )]
    Version {
        /// Version of the roster.
        version: u8,
    },
    /// The number of machines is not 2 to 8.
    #[error(
        "a roster of {count} machines, but a match has 2 to 8; request a new roster from the matchmaker"
    )]
    Count {
        /// Number of machines.
        count: u8,
    },
    /// A machine id is out of range, duplicated or out of order.
    #[error(
        "{machine} in a roster is out of range, duplicated or out of order; request a new roster from the matchmaker"
    )]
    InvalidMachine {
        /// Machine id.
        machine: MachineId,
    },
    /// Two machines have the same key.
    #[error(
        "{machine} in a roster has the key of another machine; request a new roster from the matchmaker"
    )]
    DuplicateKey {
        /// Second machine with the key.
        machine: MachineId,
    },
    /// The signature is invalid.
    #[error(
        "the roster is not signed by this matchmaker; check that matchmaker.pub is the right file"
    )]
    Signature,
    /// The roster is for another game.
    #[error("the roster is for another game; start the game and version that it was issued for")]
    Game,
    /// The roster is for another match.
    #[error("the roster is for another match; use the one that was issued for this match")]
    Match,
    /// The roster is for another protocol version.
    #[error(
        "the roster is for protocol {protocol}, which this program does not support; update the older program"
    )]
    Protocol {
        /// Protocol version of the roster.
        protocol: u16,
    },
    /// The roster has expired.
    #[error("the roster expired {since} s ago; request a new match, or set this machine's clock")]
    Expired {
        /// Seconds since expiry.
        since: u64,
    },
    /// The roster was issued in the future.
    #[error(
        "the roster was issued {ahead} s in the future; set the clock of this machine or of the matchmaker"
    )]
    IssuedInFuture {
        /// Seconds until its issue time.
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
    /// Length of the longest roster.
    #[doc(hidden)]
    pub const MAX_BYTES: usize = HEADER_BYTES + MAX_MACHINES * ENTRY_BYTES + 64;

    /// Decodes a roster without verifying it.
    ///
    /// # Errors
    /// The bytes are not a roster.
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

    /// Encodes the roster.
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

    /// Checks signature, game, match, protocol version and time.
    ///
    /// # Errors
    /// The first failed check; the signature is checked first.
    #[doc(hidden)]
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

    /// Signs a roster. The caller has validated and sorted the entries.
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

    /// Match, protocol version and validity period.
    #[doc(hidden)]
    pub const fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Returns the key of a machine.
    #[doc(hidden)]
    pub fn key_of(&self, machine: MachineId) -> Option<PublicKey> {
        self.entries.iter().find(|entry| entry.0 == machine).map(|entry| entry.1)
    }

    /// Ids of all machines, ascending.
    pub fn machines(&self) -> impl ExactSizeIterator<Item = MachineId> + '_ {
        self.entries.iter().map(|entry| entry.0)
    }

    /// Returns the machine that has a key.
    #[doc(hidden)]
    pub fn machine_of(&self, key: &PublicKey) -> Option<MachineId> {
        self.entries.iter().find(|entry| entry.1 == *key).map(|entry| entry.0)
    }
}
