//! Connect token: signed statement that the holder of a key is a machine of a match.
//!
//! ```text
//! 0  header (see `spec`; magic "ISOT", number: machine id) | 56  holder 32 | 88  signature 64   152
//! ```
//!
//! A token is not secret: it is useless without the holder's secret key.

use super::ids::{MAX_MACHINES, MachineId};
use super::keys::{MatchmakerKey, MatchmakerPublic, PublicKey};
use super::spec::{HEADER_BYTES, MatchSpec, SpecError, TokenExpectation, take};

const MAGIC: [u8; 4] = *b"ISOT";
/// Domain separation: a signature is valid for one kind of document.
const CONTEXT: &[u8] = b"isostep token v1";
const SIGNED_BYTES: usize = HEADER_BYTES + 32;

/// Connect token: signed statement that the holder of a key is a machine of a match.
///
/// [`decode`](Self::decode) checks only the layout. Trust the contents only after [`verify`](Self::verify) succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    machine: MachineId,
    spec: MatchSpec,
    holder: PublicKey,
    signature: [u8; 64],
}

/// Reasons why a token is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is too short.
    #[error("a token of {bytes} bytes is truncated, a token has 152; copy it again")]
    Truncated {
        /// Length in bytes.
        bytes: usize,
    },
    /// The token is too long.
    #[error(
        "a token of {bytes} bytes is too long, a token has 152; copy it again without the rest"
    )]
    Trailing {
        /// Length in bytes.
        bytes: usize,
    },
    /// The magic bytes are not those of a token.
    #[error("not a token; use the file that the matchmaker issued")]
    WrongMagic,
    /// The layout version is not supported.
    #[error(
        "a token of version {version}, but this program reads version 1; update the older program"
    )]
    Version {
        /// Version of the token.
        version: u8,
    },
    /// The machine id is 8 or more.
    #[error(
        "a token for machine {machine}, but machine ids are 0 to 7; request a new token from the matchmaker"
    )]
    MachineOutOfRange {
        /// Machine id.
        machine: u8,
    },
    /// The handshake used another key than the token's holder.
    #[error("the token belongs to another key; use the token that was issued for this key")]
    HolderMismatch,
    /// The machine id is not the initiator's, or it is the responder's own.
    #[error(
        "the token of {machine} does not belong to the initiator; give every machine a token of its own"
    )]
    NotInitiator {
        /// Machine id of the token.
        machine: MachineId,
    },
    /// The signature is invalid.
    #[error(
        "the token is not signed by this matchmaker; check that matchmaker.pub is the right file"
    )]
    Signature,
    /// The token is for another game.
    #[error("the token is for another game; start the game and version that it was issued for")]
    Game,
    /// The token is for another match.
    #[error("the token is for another match; use the one that was issued for this match")]
    Match,
    /// The token is for another protocol version.
    #[error(
        "the token is for protocol {protocol}, which this program does not support; update the older program"
    )]
    Protocol {
        /// Protocol version of the token.
        protocol: u16,
    },
    /// The token has expired.
    #[error("the token expired {since} s ago; request a new match, or set this machine's clock")]
    Expired {
        /// Seconds since expiry.
        since: u64,
    },
    /// The token was issued in the future.
    #[error(
        "the token was issued {ahead} s in the future; set the clock of this machine or of the matchmaker"
    )]
    IssuedInFuture {
        /// Seconds until its issue time.
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
    /// Length of a token.
    #[doc(hidden)]
    pub const BYTES: usize = SIGNED_BYTES + 64;

    /// Decodes a token without verifying it.
    ///
    /// # Errors
    /// The bytes are not a token.
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

    /// Encodes the token.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..HEADER_BYTES].copy_from_slice(&self.spec.header(MAGIC, self.machine.0));
        bytes[HEADER_BYTES..SIGNED_BYTES].copy_from_slice(&self.holder.0);
        bytes[SIGNED_BYTES..].copy_from_slice(&self.signature);
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
    ) -> Result<(), TokenError> {
        self.verify_signature(matchmaker)?;
        Ok(self.spec.check(expected)?)
    }

    pub(super) fn verify_signature(&self, matchmaker: &MatchmakerPublic) -> Result<(), TokenError> {
        let signed = matchmaker.verifies(&self.signed_message(), &self.signature);
        if signed { Ok(()) } else { Err(TokenError::Signature) }
    }

    /// Signs a token. The caller has validated its contents.
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

    /// Machine id of the holder.
    #[doc(hidden)]
    pub const fn machine(&self) -> MachineId {
        self.machine
    }

    /// Match, protocol version and validity period.
    #[doc(hidden)]
    pub const fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Static public key of the holder.
    #[doc(hidden)]
    pub const fn holder(&self) -> PublicKey {
        self.holder
    }
}
