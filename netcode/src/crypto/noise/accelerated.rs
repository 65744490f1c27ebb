//! ChaCha20-Poly1305 of ring as a cipher for snow. Snow has such an adapter, but its feature can't depend on the target, and ring
//! needs a C compiler for WebAssembly.

use super::TAG_BYTES;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use snow::types::Cipher;

/// A cipher and its key, all zeros until [`set`](Cipher::set).
pub(super) struct ChaChaPoly(LessSafeKey);

impl ChaChaPoly {
    pub(super) fn new() -> Self {
        Self(key(&[0; 32]))
    }
}

fn key(bytes: &[u8; 32]) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, bytes).expect("a key has 32 bytes"))
}

/// The nonce of a message by the Noise specification: four zeros, then the counter, little-endian. Snow never repeats a counter for
/// a key, or leaves the nonce to the caller of a stateless transport.
fn nonce(counter: u64) -> Nonce {
    let mut bytes = [0; NONCE_LEN];
    bytes[NONCE_LEN - 8..].copy_from_slice(&counter.to_le_bytes());
    Nonce::assume_unique_for_key(bytes)
}

impl Cipher for ChaChaPoly {
    fn name(&self) -> &'static str {
        "ChaChaPoly"
    }

    fn set(&mut self, bytes: &[u8; 32]) {
        self.0 = key(bytes);
    }

    fn encrypt(&self, counter: u64, authtext: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        let (text, rest) = out.split_at_mut(plaintext.len());
        text.copy_from_slice(plaintext);
        let tag = self.0.seal_in_place_separate_tag(nonce(counter), Aad::from(authtext), text);
        let tag = tag.expect("snow checks the length of a message");
        rest[..TAG_BYTES].copy_from_slice(tag.as_ref());
        plaintext.len() + TAG_BYTES
    }

    fn decrypt(
        &self,
        counter: u64,
        authtext: &[u8],
        ciphertext: &[u8],
        out: &mut [u8],
    ) -> Result<usize, snow::Error> {
        // The tag is in the way: `out` may have room for the plaintext alone.
        let mut spacious = Vec::new();
        let buffer = if let Some(buffer) = out.get_mut(..ciphertext.len()) {
            buffer
        } else {
            spacious.resize(ciphertext.len(), 0);
            &mut spacious[..]
        };
        buffer.copy_from_slice(ciphertext);
        let opened = self.0.open_in_place(nonce(counter), Aad::from(authtext), buffer);
        let length = opened.map_err(|_| snow::Error::Decrypt)?.len();
        if !spacious.is_empty() {
            out[..length].copy_from_slice(&spacious[..length]);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::{Entropy, SeededEntropy};
    use snow::params::CipherChoice;
    use snow::resolvers::{CryptoResolver, DefaultResolver};

    /// The oracle is the pure Rust cipher of snow's default resolver.
    #[test]
    fn it_agrees_with_the_cipher_in_rust() {
        let mut entropy = SeededEntropy::new(11);
        let mut ours = ChaChaPoly::new();
        let mut theirs = DefaultResolver.resolve_cipher(&CipherChoice::ChaChaPoly).unwrap();
        for (length, counter) in (0..120).zip([0, 1, 255, 1 << 33, u64::MAX].into_iter().cycle()) {
            let key = entropy.array::<32>();
            ours.set(&key);
            theirs.set(&key);
            let mut plain = vec![0; length * 11];
            entropy.fill(&mut plain);
            let authtext = &key[..length % 32];
            let mut sealed = [vec![0; plain.len() + TAG_BYTES], vec![0; plain.len() + TAG_BYTES]];
            ours.encrypt(counter, authtext, &plain, &mut sealed[0]);
            theirs.encrypt(counter, authtext, &plain, &mut sealed[1]);
            assert_eq!(sealed[0], sealed[1]);
            // With room for the tag, and without.
            for room in [plain.len() + TAG_BYTES, plain.len()] {
                let mut opened = vec![0; room];
                let read = ours.decrypt(counter, authtext, &sealed[0], &mut opened);
                assert_eq!(read.map(|length| &opened[..length]).ok(), Some(&plain[..]));
                let last = sealed[0].len() - 1;
                sealed[0][last] ^= 1;
                assert!(ours.decrypt(counter, authtext, &sealed[0], &mut opened).is_err());
                sealed[0][last] ^= 1;
            }
            let mut opened = sealed[0].clone();
            assert!(ours.decrypt(counter ^ 1, authtext, &sealed[0], &mut opened).is_err());
            assert!(ours.decrypt(counter, b"other", &sealed[0], &mut opened).is_err());
            assert!(
                ours.decrypt(counter, authtext, &sealed[0][..TAG_BYTES - 1], &mut opened).is_err()
            );
        }
    }
}
