//! Keys of machines (X25519, for the handshake) and of matchmakers (Ed25519, for signatures).
//!
//! Secrets are zeroized on drop and never printed.

use super::ids::{read_hex, write_hex};
use crate::entropy::Entropy;
use core::fmt;
use core::str::FromStr;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use x25519_dalek::StaticSecret;
use zeroize::Zeroizing;

/// Public half of a [`StaticKey`]; identifies a machine to its peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// Returns false for points of small order: a key exchange with them yields the same secret for every peer.
    pub(super) fn is_contributory(&self) -> bool {
        let any = StaticSecret::from([1; 32]);
        any.diffie_hellman(&x25519_dalek::PublicKey::from(self.0)).was_contributory()
    }
}

/// Static secret key of a machine.
#[derive(Clone)]
pub struct StaticKey(StaticSecret);

impl StaticKey {
    /// Generates a key.
    pub fn generate(entropy: &mut (impl Entropy + ?Sized)) -> Self {
        Self::from_bytes(*random_secret(entropy))
    }

    /// Creates the key from 32 secret random bytes.
    #[doc(hidden)]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(StaticSecret::from(bytes))
    }

    /// Returns the secret bytes. Zeroize them after use.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Returns the public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(x25519_dalek::PublicKey::from(&self.0).to_bytes())
    }
}

/// Public half of a [`MatchmakerKey`]; peers verify documents with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchmakerPublic(pub [u8; 32]);

impl MatchmakerPublic {
    /// Verifies a signature strictly: canonical scalars, no points of small order.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok())
    }
}

/// Secret key of a matchmaker. It can admit any key to any match.
#[derive(Clone)]
pub struct MatchmakerKey(SigningKey);

impl MatchmakerKey {
    /// Generates a key.
    pub fn generate(entropy: &mut (impl Entropy + ?Sized)) -> Self {
        Self::from_bytes(*random_secret(entropy))
    }

    /// Creates the key from 32 secret random bytes.
    #[doc(hidden)]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&bytes))
    }

    /// Returns the secret bytes. Zeroize them after use.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Returns the public half.
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

/// The text is not a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a public key; expected 64 hex digits")]
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
