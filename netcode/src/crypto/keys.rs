//! The keys of players (X25519, for the handshake) and of matchmakers (Ed25519, for signatures).
//!
//! A secret is wiped from memory when it is dropped, and is never printed.

use super::ids::{read_hex, write_hex};
use crate::entropy::Entropy;
use core::fmt;
use core::str::FromStr;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use x25519_dalek::StaticSecret;
use zeroize::Zeroizing;

/// What the others know a player by: the public half of a [`StaticKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// Whether a handshake with it is secret. A few points of the curve give everybody the same result; no honest
    /// key is one of them.
    pub(super) fn is_contributory(&self) -> bool {
        let any = StaticSecret::from([1; 32]);
        any.diffie_hellman(&x25519_dalek::PublicKey::from(self.0)).was_contributory()
    }
}

/// A player's secret key.
#[derive(Clone)]
pub struct StaticKey(StaticSecret);

impl StaticKey {
    /// A new key.
    pub fn generate(entropy: &mut (impl Entropy + ?Sized)) -> Self {
        Self::from_bytes(*random_secret(entropy))
    }

    /// The key of these bytes. Any will do if nobody can guess them.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(StaticSecret::from(bytes))
    }

    /// The secret. Wipe it after use.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// The half that others may know.
    pub fn public(&self) -> PublicKey {
        PublicKey(x25519_dalek::PublicKey::from(&self.0).to_bytes())
    }
}

/// What the players know a matchmaker by: the public half of a [`MatchmakerKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchmakerPublic(pub [u8; 32]);

impl MatchmakerPublic {
    /// Whether the matchmaker signed this. Strict: one signature for a text and a key, and no weak keys.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok())
    }
}

/// A matchmaker's secret key. Whoever has it can seat anybody in any match.
#[derive(Clone)]
pub struct MatchmakerKey(SigningKey);

impl MatchmakerKey {
    /// A new key.
    pub fn generate(entropy: &mut (impl Entropy + ?Sized)) -> Self {
        Self::from_bytes(*random_secret(entropy))
    }

    /// The key of these bytes. Any will do if nobody can guess them.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&bytes))
    }

    /// The secret. Wipe it after use.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// The half that others may know.
    pub fn public(&self) -> MatchmakerPublic {
        MatchmakerPublic(self.0.verifying_key().to_bytes())
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

fn random_secret(entropy: &mut (impl Entropy + ?Sized)) -> Zeroizing<[u8; 32]> {
    let mut bytes = Zeroizing::new([0; 32]);
    entropy.fill(&mut *bytes);
    bytes
}

/// The text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no public key; one has 64 letters from 0 to 9 and a to f")]
pub struct KeyTextError;

impl FromStr for PublicKey {
    type Err = KeyTextError;

    fn from_str(text: &str) -> Result<Self, KeyTextError> {
        let mut bytes = [0; 32];
        if read_hex(text.as_bytes(), &mut bytes) { Ok(Self(bytes)) } else { Err(KeyTextError) }
    }
}

impl FromStr for MatchmakerPublic {
    type Err = KeyTextError;

    fn from_str(text: &str) -> Result<Self, KeyTextError> {
        text.parse().map(|PublicKey(bytes)| Self(bytes))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Display for MatchmakerPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Debug for StaticKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StaticKey(public {})", self.public())
    }
}

impl fmt::Debug for MatchmakerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatchmakerKey(public {})", self.public())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    #[test]
    fn small_order_keys_are_not_contributory() {
        let mut one = [0; 32];
        one[0] = 1;
        assert!(!PublicKey([0; 32]).is_contributory());
        assert!(!PublicKey(one).is_contributory());
        assert!(StaticKey::generate(&mut SeededEntropy::new(1)).public().is_contributory());
    }

    #[test]
    fn keys_round_trip_through_bytes_and_text() {
        let mut entropy = SeededEntropy::new(2);
        let player = StaticKey::generate(&mut entropy);
        assert_eq!(StaticKey::from_bytes(player.to_bytes()).public(), player.public());
        assert_eq!(player.public().to_string().parse(), Ok(player.public()));
        let matchmaker = MatchmakerKey::generate(&mut entropy);
        assert_eq!(MatchmakerKey::from_bytes(matchmaker.to_bytes()).public(), matchmaker.public());
        assert_eq!(matchmaker.public().to_string().parse(), Ok(matchmaker.public()));
        assert_eq!("00".parse::<PublicKey>(), Err(KeyTextError));
    }
}
