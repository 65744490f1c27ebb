//! A token: a matchmaker's word that the holder of a key sits in a machine of a match.
//!
//! ```text
//! 0  header (see `spec`; magic "ISOT", number: the machine) | 56  holder 32 | 88  signature 64   152
//! ```
//!
//! It is no secret: without the holder's secret key nobody can do anything with it.

use super::ids::{MAX_MACHINES, MachineId};
use super::keys::{MatchmakerKey, MatchmakerPublic, PublicKey};
use super::spec::{HEADER_BYTES, MatchSpec, SpecError, TokenExpectation, take};

const MAGIC: [u8; 4] = *b"ISOT";
/// What is signed begins with this, so that no signature counts for another kind of document.
const CONTEXT: &[u8] = b"isostep token v1";
const SIGNED_BYTES: usize = HEADER_BYTES + 32;

/// A matchmaker's word that the holder of a key sits in a machine of a match.
///
/// [`decode`](Self::decode) reads whatever arrived; believe nothing in it before [`verify`](Self::verify) said yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    machine: MachineId,
    spec: MatchSpec,
    holder: PublicKey,
    signature: [u8; 64],
}

/// Why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Too few bytes.
    #[error("a token of {bytes} bytes; it has 152: copy it again, whole")]
    Truncated {
        /// How many there are.
        bytes: usize,
    },
    /// Too many bytes.
    #[error("a token of {bytes} bytes; it has 152: copy it again, without what follows")]
    Trailing {
        /// How many there are.
        bytes: usize,
    },
    /// Something else than a token.
    #[error("this is no token; give the file that the matchmaker made")]
    WrongMagic,
    /// A token of another version.
    #[error(
        "a token of version {version}, and this program reads version 1: update the older side"
    )]
    Version {
        /// Its version.
        version: u8,
    },
    /// There is no such machine.
    #[error(
        "a token for machine {machine}; a match has the machines 0 to 7: ask the matchmaker for another"
    )]
    MachineOutOfRange {
        /// The machine.
        machine: u8,
    },
    /// The handshake was made with another key.
    #[error("the token is another machine's: its holder has another key")]
    HolderMismatch,
    /// Of two machines the other one begins.
    #[error("machine {machine} is not the caller's, or not the one that begins")]
    NotInitiator {
        /// The token's machine.
        machine: MachineId,
    },
    /// The matchmaker didn't sign this.
    #[error(
        "the token is not signed by this matchmaker: look whether matchmaker.pub is the right one"
    )]
    Signature,
    /// For another game.
    #[error("the token is for another game: start the game that it is for, in the same version")]
    Game,
    /// For another match.
    #[error("the token is for another match: use the one that came with this match")]
    Match,
    /// For machines that speak otherwise.
    #[error(
        "the token is for protocol {protocol}, which this program doesn't speak: update the older side"
    )]
    Protocol {
        /// What they speak.
        protocol: u16,
    },
    /// Too late.
    #[error(
        "the token expired {since} s ago: ask the matchmaker for a new match, or set this clock"
    )]
    Expired {
        /// For how many seconds.
        since: u64,
    },
    /// Made in the future.
    #[error(
        "the token was made {ahead} s in the future: set the clock of this machine or the matchmaker"
    )]
    IssuedInFuture {
        /// In how many seconds.
        ahead: u64,
    },
}

impl From<SpecError> for TokenError {
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

impl Token {
    /// How many bytes a token has.
    pub const BYTES: usize = SIGNED_BYTES + 64;

    /// Reads a token. It says nothing about who made it.
    ///
    /// # Errors
    /// When the bytes are no token.
    pub fn decode(bytes: &[u8]) -> Result<Self, TokenError> {
        if bytes.len() > Self::BYTES {
            return Err(TokenError::Trailing { bytes: bytes.len() });
        }
        if bytes.len() < Self::BYTES {
            return Err(TokenError::Truncated { bytes: bytes.len() });
        }
        let rest = &mut &*bytes;
        let (machine, spec) = MatchSpec::read(&take(rest), MAGIC)?;
        if usize::from(machine) >= MAX_MACHINES {
            return Err(TokenError::MachineOutOfRange { machine });
        }
        Ok(Self {
            machine: MachineId(machine),
            spec,
            holder: PublicKey(take(rest)),
            signature: take(rest),
        })
    }

    /// The token as bytes.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..HEADER_BYTES].copy_from_slice(&self.spec.header(MAGIC, self.machine.0));
        bytes[HEADER_BYTES..SIGNED_BYTES].copy_from_slice(&self.holder.0);
        bytes[SIGNED_BYTES..].copy_from_slice(&self.signature);
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
    ) -> Result<(), TokenError> {
        self.verify_signature(matchmaker)?;
        Ok(self.spec.check(expected)?)
    }

    pub(super) fn verify_signature(&self, matchmaker: &MatchmakerPublic) -> Result<(), TokenError> {
        let signed = matchmaker.verifies(&self.signed_message(), &self.signature);
        if signed { Ok(()) } else { Err(TokenError::Signature) }
    }

    /// Makes a token; the caller looked whether it makes sense.
    pub(super) fn sign(
        key: &MatchmakerKey,
        spec: &MatchSpec,
        machine: MachineId,
        holder: PublicKey,
    ) -> Self {
        let mut token = Self { machine, spec: *spec, holder, signature: [0; 64] };
        token.signature = key.sign(&token.signed_message());
        token
    }

    fn signed_message(&self) -> Vec<u8> {
        [CONTEXT, &self.encode()[..SIGNED_BYTES]].concat()
    }

    /// Where the holder sits.
    pub const fn machine(&self) -> MachineId {
        self.machine
    }

    /// Which match it is for, and when.
    pub const fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Whose token it is.
    pub const fn holder(&self) -> PublicKey {
        self.holder
    }
}
