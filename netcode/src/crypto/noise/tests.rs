//! Noise handshakes with honest and malicious peers.

use super::*;
use crate::entropy::SeededEntropy;

struct Pair {
    alice: StaticKey,
    bob: StaticKey,
    entropy: SeededEntropy,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut entropy = SeededEntropy::new(seed);
        let (alice, bob) = (StaticKey::generate(&mut entropy), StaticKey::generate(&mut entropy));
        Self { alice, bob, entropy }
    }

    /// Alice's handshake state and message 1 to Bob.
    fn call(&mut self) -> (Initiator, Vec<u8>) {
        let mut message = Vec::new();
        let to = self.bob.public();
        let entropy = &mut self.entropy;
        let made = Initiator::start(&self.alice, &to, b"tanks", b"hello", entropy, &mut message);
        (made.unwrap(), message)
    }

    /// Bob reads message 1.
    fn hear(&mut self, message: &[u8], payload: &mut Vec<u8>) -> Result<Responder, NoiseError> {
        Responder::read(&self.bob, b"tanks", message, payload, &mut self.entropy)
    }

    /// Channels of both, and both messages.
    fn channels(&mut self) -> (Channel, Channel, Vec<u8>) {
        let (initiator, mut messages) = self.call();
        let length = messages.len();
        let mut payload = Vec::new();
        let responder = self.hear(&messages, &mut payload).unwrap();
        let bob = responder.finish(b"come in", &mut messages).unwrap();
        let alice = initiator.finish(&messages[length..], &mut payload).unwrap();
        (alice, bob, messages)
    }
}

#[test]
fn a_handshake_exchanges_payloads_and_static_keys() {
    let mut pair = Pair::new(1);
    // Messages are appended, payloads replaced.
    let mut payload = b"old".to_vec();
    let (initiator, message_1) = pair.call();
    assert_eq!(message_1.len(), MESSAGE_1_BYTES + 5);
    let responder = pair.hear(&message_1, &mut payload).unwrap();
    assert_eq!((payload.as_slice(), responder.remote()), (&b"hello"[..], pair.alice.public()));
    let mut message_2 = b"before".to_vec();
    let bob = responder.finish(b"come in", &mut message_2).unwrap();
    assert_eq!(message_2.len(), 6 + MESSAGE_2_BYTES + 7);
    let alice = initiator.finish(&message_2[6..], &mut payload).unwrap();
    assert_eq!(payload, b"come in");
    assert_eq!(alice.hash(), bob.hash());

    let mut sealed = b"before".to_vec();
    alice.seal(7, b"forward", &mut sealed).unwrap();
    assert_eq!(sealed.len(), 6 + 7 + TAG_BYTES);
    bob.open(7, &sealed[6..], &mut payload).unwrap();
    assert_eq!(payload, b"forward");
    sealed.clear();
    bob.seal(u64::MAX - 1, b"", &mut sealed).unwrap();
    alice.open(u64::MAX - 1, &sealed, &mut payload).unwrap();
    assert_eq!(payload, b"");
}

#[test]
fn no_bit_of_a_sealed_packet_can_be_changed() {
    let (alice, bob, _) = Pair::new(2).channels();
    let mut sealed = Vec::new();
    alice.seal(3, b"forward", &mut sealed).unwrap();
    let mut out = Vec::new();
    for bit in 0..sealed.len() * 8 {
        sealed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(bob.open(3, &sealed, &mut out), Err(NoiseError::Invalid));
        assert!(out.is_empty());
        sealed[bit / 8] ^= 1 << (bit % 8);
    }
    // Another nonce, a reflected packet, truncation.
    assert_eq!(bob.open(4, &sealed, &mut out), Err(NoiseError::Invalid));
    assert_eq!(alice.open(3, &sealed, &mut out), Err(NoiseError::Invalid));
    for length in 0..sealed.len() {
        assert_eq!(bob.open(3, &sealed[..length], &mut out), Err(NoiseError::Invalid));
    }
    assert_eq!(bob.open(3, &sealed, &mut out), Ok(()));
}

#[test]
fn no_bit_of_message_1_can_be_changed() {
    let mut pair = Pair::new(3);
    let (_, mut message) = pair.call();
    let mut payload = Vec::new();
    for bit in 0..message.len() * 8 {
        // X25519 ignores the highest bit of a key, but the handshake hash covers it.
        message[bit / 8] ^= 1 << (bit % 8);
        assert!(pair.hear(&message, &mut payload).is_err(), "bit {bit}");
        assert!(payload.is_empty());
        message[bit / 8] ^= 1 << (bit % 8);
    }
    for length in 0..message.len() {
        assert!(pair.hear(&message[..length], &mut payload).is_err(), "{length} bytes");
    }
    assert!(pair.hear(&message, &mut payload).is_ok());
}

#[test]
fn a_forged_message_2_does_not_fail_the_handshake() {
    let mut pair = Pair::new(4);
    let (mut initiator, message_1) = pair.call();
    let (mut payload, mut message_2) = (Vec::new(), Vec::new());
    let responder = pair.hear(&message_1, &mut payload).unwrap();
    let bob = responder.finish(b"come in", &mut message_2).unwrap();
    // Bit flips, truncation, an extension, the message of another handshake, and garbage.
    let mut forged: Vec<Vec<u8>> = (0..message_2.len() * 8)
        .map(|bit| {
            let mut forged = message_2.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            forged
        })
        .collect();
    forged.extend((0..message_2.len()).map(|length| message_2[..length].to_vec()));
    forged.push(message_2.iter().chain(b"more").copied().collect());
    forged.push(Pair::new(5).channels().2);
    forged.push(vec![0; 70_000]);
    for forged in forged {
        let (again, error) = initiator.finish(&forged, &mut payload).unwrap_err();
        assert_eq!(error, NoiseError::Invalid);
        assert!(payload.is_empty());
        initiator = again;
    }
    let alice = initiator.finish(&message_2, &mut payload).unwrap();
    assert_eq!((payload.as_slice(), alice.hash()), (&b"come in"[..], bob.hash()));
}

#[test]
fn another_prologue_or_key_is_refused() {
    let mut pair = Pair::new(6);
    let (_, message) = pair.call();
    let mut payload = Vec::new();
    let mut entropy = SeededEntropy::new(7);
    let mut read = |key, prologue| {
        Responder::read(key, prologue, &message, &mut payload, &mut entropy).map(|it| it.remote())
    };
    assert_eq!(read(&pair.bob, &b"planes"[..]), Err(NoiseError::Invalid));
    assert_eq!(read(&pair.alice, b"tanks"), Err(NoiseError::Invalid));
    assert_eq!(read(&pair.bob, b"tanks"), Ok(pair.alice.public()));
}

/// Holds with and without ring, on every machine.
#[test]
fn the_same_entropy_gives_the_same_bytes() {
    let record = |seed| {
        let (alice, _, mut bytes) = Pair::new(seed).channels();
        alice.seal(1, b"forward", &mut bytes).unwrap();
        bytes
    };
    assert_eq!(record(8), record(8));
    assert_ne!(record(8)[..32], record(9)[..32]);
    let digest = blake3::hash(&record(8)).to_hex();
    assert_eq!(digest.as_str(), "c9d5dfd03ff37a1e51f32188d66f18a59020e2fee1710aad397480701b11f3fc");
}

#[test]
fn each_handshake_has_distinct_keys() {
    let mut pair = Pair::new(10);
    let (first, second) = (pair.channels().0, pair.channels().0);
    assert_ne!(first.hash(), second.hash());
    let mut sealed = Vec::new();
    first.seal(0, b"forward", &mut sealed).unwrap();
    assert_eq!(second.open(0, &sealed, &mut Vec::new()), Err(NoiseError::Invalid));
}

#[test]
fn limit_errors_leave_the_output_unchanged() {
    let (alice, bob, _) = Pair::new(11).channels();
    let mut out = b"before".to_vec();
    assert_eq!(alice.seal(0, &vec![0; 65_520], &mut out), Err(NoiseError::TooLong));
    assert_eq!(alice.seal(u64::MAX, b"forward", &mut out), Err(NoiseError::Exhausted));
    assert_eq!(out, b"before");
    alice.seal(0, &vec![0; 65_519], &mut out).unwrap();
    assert_eq!(bob.open(0, &out[6..], &mut Vec::new()), Ok(()));
}

#[test]
fn open_reuses_the_buffer() {
    let (alice, bob, _) = Pair::new(12).channels();
    let (mut sealed, mut out) = (Vec::new(), Vec::with_capacity(200));
    let (place, room) = (out.as_ptr(), out.capacity());
    for nonce in 0..100 {
        sealed.clear();
        alice.seal(nonce, &vec![1; nonce as usize], &mut sealed).unwrap();
        bob.open(nonce, &sealed, &mut out).unwrap();
    }
    assert_eq!((out.as_ptr(), out.capacity()), (place, room));
}
