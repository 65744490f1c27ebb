//! The handshake and the encrypted channel behind it: Noise IK, through snow.
//!
//! ```text
//! initiator                                   responder
//! Initiator::start   ── message 1 ──▶   Responder::read      (remote: who asks)
//! Initiator::finish  ◀── message 2 ──   Responder::finish
//! Channel             ◀──── sealed ───▶   Channel
//! ```
//!
//! IK: the initiator knows whom it calls, and shows itself in message 1. A message 1 can be sent again by whoever
//! recorded it, so nothing in it may be acted upon before the first packet of the channel came. Randomness comes
//! from [`Entropy`], so the same entropy gives the same bytes.

use super::keys::{PublicKey, StaticKey};
use crate::entropy::Entropy;
use snow::error::StateProblem;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use snow::{Builder, HandshakeState, StatelessTransportState};
use zeroize::Zeroizing;

#[cfg(test)]
mod tests;

const PATTERN: &str = "Noise_IK_25519_ChaChaPoly_BLAKE2s";

/// How much longer a sealed packet is than what is in it.
pub(crate) const TAG_BYTES: usize = 16;
/// How much longer message 1 is than its payload: a fresh key, the sealed static key, the payload's seal.
pub(crate) const MESSAGE_1_BYTES: usize = 32 + 32 + TAG_BYTES + TAG_BYTES;
/// How much longer message 2 is than its payload: a fresh key, the payload's seal.
pub(crate) const MESSAGE_2_BYTES: usize = 32 + TAG_BYTES;

/// Why a message is not written or not believed. It says no more: details help those who forge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoiseError {
    #[error("a message is forged, damaged, or meant for somebody else: drop it")]
    Invalid,
    #[error("a message is longer than 65535 bytes: send less at once")]
    TooLong,
    #[error("a channel has no numbers left: make a new handshake")]
    Exhausted,
}

impl From<snow::Error> for NoiseError {
    fn from(error: snow::Error) -> Self {
        match error {
            snow::Error::State(StateProblem::Exhausted) => Self::Exhausted,
            _ => Self::Invalid,
        }
    }
}

/// A handshake after message 1 was written. Message 1 may be sent again until message 2 comes.
#[derive(Debug)]
pub(crate) struct Initiator(Box<HandshakeState>);

impl Initiator {
    /// Calls whoever has the key `remote`; message 1 is appended to `out`. Both sides must give the same prologue.
    pub(crate) fn start(
        local: &StaticKey,
        remote: &PublicKey,
        prologue: &[u8],
        payload: &[u8],
        entropy: &mut dyn Entropy,
        out: &mut Vec<u8>,
    ) -> Result<Self, NoiseError> {
        let mut state = Box::new(handshake(local, Some(remote), prologue, entropy));
        append(out, MESSAGE_1_BYTES, payload, |into| state.write_message(payload, into))?;
        Ok(Self(state))
    }

    /// Reads message 2; `payload` is replaced. One that is refused spoils nothing: the true one may still come.
    pub(crate) fn finish(
        mut self,
        message: &[u8],
        payload: &mut Vec<u8>,
    ) -> Result<Channel, (Self, NoiseError)> {
        match replace(payload, message, |into| self.0.read_message(message, into)) {
            Ok(()) => Ok(Channel::new(*self.0)),
            Err(error) => Err((self, error)),
        }
    }
}

/// A handshake after message 1 was read.
#[derive(Debug)]
pub(crate) struct Responder(Box<HandshakeState>);

impl Responder {
    /// Reads message 1; `payload` is replaced.
    pub(crate) fn read(
        local: &StaticKey,
        prologue: &[u8],
        message: &[u8],
        payload: &mut Vec<u8>,
        entropy: &mut dyn Entropy,
    ) -> Result<Self, NoiseError> {
        let mut state = Box::new(handshake(local, None, prologue, entropy));
        replace(payload, message, |into| state.read_message(message, into))?;
        Ok(Self(state))
    }

    /// Who asks: whoever wrote message 1 has the secret half of this.
    pub(crate) fn remote(&self) -> PublicKey {
        let key = self.0.get_remote_static().expect("message 1 has it");
        PublicKey(key.try_into().expect("it has 32 bytes"))
    }

    /// Appends message 2 to `out`.
    pub(crate) fn finish(
        mut self,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Channel, NoiseError> {
        append(out, MESSAGE_2_BYTES, payload, |into| self.0.write_message(payload, into))?;
        Ok(Channel::new(*self.0))
    }
}

/// What only the two of a handshake can write and read. It keeps no numbers: the caller uses each nonce once.
#[derive(Debug)]
pub(crate) struct Channel {
    state: StatelessTransportState,
    hash: [u8; 32],
}

impl Channel {
    fn new(state: HandshakeState) -> Self {
        let hash = state.get_handshake_hash().try_into().expect("BLAKE2s has 32 bytes");
        let state = state.into_stateless_transport_mode().expect("both messages are done");
        Self { state, hash }
    }

    /// Appends the sealed payload to `out`: [`TAG_BYTES`] more than it has. Never use a nonce twice.
    pub(crate) fn seal(
        &self,
        nonce: u64,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NoiseError> {
        append(out, TAG_BYTES, payload, |into| self.state.write_message(nonce, payload, into))
    }

    /// Replaces `out` by what was sealed; it is empty when the packet is refused. No allocation once `out` has
    /// room for the sealed packet.
    pub(crate) fn open(
        &self,
        nonce: u64,
        sealed: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NoiseError> {
        replace(out, sealed, |into| self.state.read_message(nonce, sealed, into))
    }

    /// The same on both sides of one handshake, and nowhere else.
    pub(crate) const fn hash(&self) -> [u8; 32] {
        self.hash
    }
}

/// Makes room behind `out` for a message, has it written, and takes the room back if it wasn't.
fn append(
    out: &mut Vec<u8>,
    overhead: usize,
    payload: &[u8],
    write: impl FnOnce(&mut [u8]) -> Result<usize, snow::Error>,
) -> Result<(), NoiseError> {
    let start = out.len();
    let bytes = overhead + payload.len();
    if bytes > usize::from(u16::MAX) {
        return Err(NoiseError::TooLong);
    }
    out.resize(start + bytes, 0);
    let written = write(&mut out[start..]);
    out.truncate(start + *written.as_ref().unwrap_or(&0));
    Ok(written.map(drop)?)
}

/// Makes room in `out` for what is in a message, with the seal, which ring wants to have beside it.
fn replace(
    out: &mut Vec<u8>,
    message: &[u8],
    read: impl FnOnce(&mut [u8]) -> Result<usize, snow::Error>,
) -> Result<(), NoiseError> {
    out.clear();
    out.resize(message.len(), 0);
    let read = read(out);
    out.truncate(*read.as_ref().unwrap_or(&0));
    Ok(read.map(drop)?)
}

/// Who knows whom it calls is the initiator.
fn handshake(
    local: &StaticKey,
    remote: Option<&PublicKey>,
    prologue: &[u8],
    entropy: &mut dyn Entropy,
) -> HandshakeState {
    let mut seed = Zeroizing::new([0; 32]);
    entropy.fill(&mut *seed);
    let secret = Zeroizing::new(local.to_bytes());
    let pattern = PATTERN.parse().expect("snow has this pattern");
    let builder = Builder::with_resolver(pattern, Box::new(Resolver { seed }))
        .local_private_key(&*secret)
        .and_then(|builder| builder.prologue(prologue));
    match remote {
        Some(remote) => builder
            .and_then(|builder| builder.remote_public_key(&remote.0))
            .and_then(Builder::build_initiator),
        None => builder.and_then(Builder::build_responder),
    }
    .expect("everything that the pattern needs is set once, and the primitives are there")
}

/// Where snow gets its primitives: randomness from us, ChaCha20-Poly1305 from ring if it may, the rest in Rust.
struct Resolver {
    seed: Zeroizing<[u8; 32]>,
}

impl CryptoResolver for Resolver {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        let mut hasher = blake3::Hasher::new_derive_key("isostep 2026 noise handshake randomness");
        hasher.update(&*self.seed);
        Some(Box::new(SeededRng(hasher.finalize_xof())))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice)
    }

    #[cfg(feature = "accelerated")]
    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        snow::resolvers::RingResolver.resolve_cipher(choice)
    }

    #[cfg(not(feature = "accelerated"))]
    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        DefaultResolver.resolve_cipher(choice)
    }
}

/// The ephemeral secret of a handshake that drew this seed.
#[cfg(test)]
pub(crate) fn ephemeral(seed: [u8; 32]) -> [u8; 32] {
    let mut secret = [0; 32];
    let random = Resolver { seed: Zeroizing::new(seed) }.resolve_rng();
    random.expect("it has one").try_fill_bytes(&mut secret).expect("there is no end to it");
    secret
}

struct SeededRng(blake3::OutputReader);

impl Random for SeededRng {
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), snow::Error> {
        self.0.fill(out);
        Ok(())
    }
}
