//! Noise IK handshake and its transport channel, built on snow.
//!
//! ```text
//! initiator                                   responder
//! Initiator::start   ── message 1 ──▶   Responder::read      (remote: initiator's static key)
//! Initiator::finish  ◀── message 2 ──   Responder::finish
//! Channel            ◀─── sealed ───▶   Channel
//! ```
//!
//! IK: the initiator knows the responder's static key, and sends its own in message 1. Message 1 can be replayed, so
//! nothing in it takes effect before the first packet of the channel is opened. [`Entropy`] supplies randomness: equal
//! entropy gives equal bytes.

use super::keys::{PublicKey, StaticKey};
use crate::entropy::Entropy;
use snow::error::StateProblem;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use snow::{Builder, HandshakeState, StatelessTransportState};
use zeroize::Zeroizing;

#[cfg(all(feature = "accelerated", not(target_family = "wasm")))]
mod accelerated;
#[cfg(test)]
mod tests;

const PATTERN: &str = "Noise_IK_25519_ChaChaPoly_BLAKE2s";

/// Bytes of the authentication tag.
pub(crate) const TAG_BYTES: usize = 16;
/// Overhead of message 1: ephemeral key, sealed static key, tag of the payload.
pub(crate) const MESSAGE_1_BYTES: usize = 32 + 32 + TAG_BYTES + TAG_BYTES;
/// Overhead of message 2: ephemeral key, tag of the payload.
pub(crate) const MESSAGE_2_BYTES: usize = 32 + TAG_BYTES;

/// Errors of the handshake and the channel. They give no details, which would help an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoiseError {
    #[error("a message fails authentication; drop it")]
    Invalid,
    #[error("a message is longer than 65535 bytes; send less at once")]
    TooLong,
    #[error("the nonces of a channel are exhausted; start a new handshake")]
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

/// Initiator after message 1 was written. Message 1 may be retransmitted until message 2 arrives.
#[derive(Debug)]
pub(crate) struct Initiator(Box<HandshakeState>);

impl Initiator {
    /// Starts a handshake with the holder of `remote`; appends message 1 to `out`. Both sides must use the same
    /// prologue.
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

    /// Reads message 2; `payload` is replaced. On failure the state is returned unchanged, since the genuine message
    /// may follow.
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

/// Responder after message 1 was read.
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

    /// Static key of the initiator, authenticated by message 1.
    pub(crate) fn remote(&self) -> PublicKey {
        let key = self.0.get_remote_static().expect("message 1 contains the static key");
        PublicKey(key.try_into().expect("X25519 keys have 32 bytes"))
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

/// Transport keys of both directions. It does not count nonces: the caller must use each nonce once.
#[derive(Debug)]
pub(crate) struct Channel {
    state: StatelessTransportState,
    hash: [u8; 32],
}

impl Channel {
    fn new(state: HandshakeState) -> Self {
        let hash = state.get_handshake_hash().try_into().expect("BLAKE2s has 32 bytes");
        let state = state.into_stateless_transport_mode().expect("both messages were processed");
        Self { state, hash }
    }

    /// Seals `payload` and appends it to `out` with a tag of [`TAG_BYTES`]. Never reuse a nonce.
    pub(crate) fn seal(
        &self,
        nonce: u64,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NoiseError> {
        append(out, TAG_BYTES, payload, |into| self.state.write_message(nonce, payload, into))
    }

    /// Opens a sealed packet into `out`, which is empty on failure. Does not allocate if `out` has capacity for the
    /// sealed packet.
    pub(crate) fn open(
        &self,
        nonce: u64,
        sealed: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NoiseError> {
        replace(out, sealed, |into| self.state.read_message(nonce, sealed, into))
    }

    /// Handshake hash: equal on both sides, unique to the handshake.
    pub(crate) const fn hash(&self) -> [u8; 32] {
        self.hash
    }
}

/// Appends a message to `out`; `out` is unchanged on failure.
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

/// Replaces `out` with the payload of a message. The buffer includes the tag, which ring writes next to the payload.
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

/// Builds a handshake state. The side with a `remote` key is the initiator.
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
    .expect("the pattern's keys are set once, and its primitives exist")
}

/// Primitives for snow: seeded randomness, ChaCha20-Poly1305 of ring if enabled, pure Rust otherwise.
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

    #[cfg(all(feature = "accelerated", not(target_family = "wasm")))]
    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        match choice {
            CipherChoice::ChaChaPoly => Some(Box::new(accelerated::ChaChaPoly::new())),
            CipherChoice::AESGCM => DefaultResolver.resolve_cipher(choice),
        }
    }

    #[cfg(any(not(feature = "accelerated"), target_family = "wasm"))]
    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        DefaultResolver.resolve_cipher(choice)
    }
}

/// Ephemeral secret of a handshake with this seed.
#[cfg(test)]
pub(crate) fn ephemeral(seed: [u8; 32]) -> [u8; 32] {
    let mut secret = [0; 32];
    let random = Resolver { seed: Zeroizing::new(seed) }.resolve_rng();
    random
        .expect("the resolver has a random generator")
        .try_fill_bytes(&mut secret)
        .expect("the output of BLAKE3 is unbounded");
    secret
}

struct SeededRng(blake3::OutputReader);

impl Random for SeededRng {
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), snow::Error> {
        self.0.fill(out);
        Ok(())
    }
}
