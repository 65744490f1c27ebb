//! Independent implementation of the protocol from `WIRE.md`, for packets that an endpoint never sends.

use super::harness::Match;
use isostep_netcode::crypto::StaticKey;
use isostep_netcode::{Address, Endpoint, Entropy, SeededEntropy};
use isostep_rollback::Time;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use snow::{Builder, HandshakeState, StatelessTransportState};

pub(crate) const ATTEMPT: [u8; 8] = *b"hostile!";
const PATTERN: &str = "Noise_IK_25519_ChaChaPoly_BLAKE2s";

pub(crate) fn hello(version: u16, attempt: [u8; 8]) -> Vec<u8> {
    let mut packet = vec![0x80, b'I', b'S', b'O', b'S'];
    packet.extend_from_slice(&version.to_le_bytes());
    packet.extend_from_slice(&attempt);
    packet.resize(64, 0);
    packet
}

pub(crate) fn init(attempt: [u8; 8], cookie: &[u8], message: &[u8]) -> Vec<u8> {
    [&[0x83, 1, 0], &attempt[..], cookie, message].concat()
}

/// Obtains a cookie of an endpoint for an address.
pub(crate) fn cookie(now: Time, end: &mut Endpoint, from: Address, attempt: [u8; 8]) -> Vec<u8> {
    end.handle_datagram(now, from, &hello(1, attempt));
    answer(now, end, from)[11..].to_vec()
}

/// Last datagram to an address.
pub(crate) fn answer(now: Time, end: &mut Endpoint, to: Address) -> Vec<u8> {
    let (mut bytes, mut found) = (Vec::new(), Vec::new());
    while let Some(address) = end.poll_transmit(now, &mut bytes) {
        if address == to {
            found.clone_from(&bytes);
        }
    }
    found
}

/// Payload of INIT after the token.
pub(crate) fn offer(played: &Match) -> Vec<u8> {
    let mut offer = 1u16.to_le_bytes().to_vec();
    offer.extend_from_slice(&played.spec.game.0);
    offer.extend_from_slice(&4u16.to_le_bytes());
    offer.extend_from_slice(&[7; 8]);
    offer.extend_from_slice(&11u32.to_le_bytes());
    offer.extend_from_slice(&[0, 0, 1, 0x55, 0, 0, 0]);
    offer.extend_from_slice(&1452u16.to_le_bytes());
    offer
}

/// Noise message 1 with any key, token and offer.
pub(crate) fn shake(
    key: &StaticKey,
    with: &StaticKey,
    attempt: [u8; 8],
    payload: &[u8],
) -> (HandshakeState, Vec<u8>) {
    let prologue = [&b"isostep wire\x01\x00"[..], &attempt].concat();
    let (secret, public) = (key.to_bytes(), with.public());
    let mut state =
        Builder::with_resolver(PATTERN.parse().expect("a pattern"), Box::new(Primitives))
            .local_private_key(&secret)
            .and_then(|builder| builder.remote_public_key(&public.0))
            .and_then(|builder| builder.prologue(&prologue))
            .and_then(Builder::build_initiator)
            .expect("all is set");
    let mut message = vec![0; 1000];
    let length = state.write_message(payload, &mut message).expect("it fits");
    message.truncate(length);
    (state, message)
}

/// snow's default resolver with a fixed random generator.
struct Primitives;

impl CryptoResolver for Primitives {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(Chance(SeededEntropy::new(666))))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        DefaultResolver.resolve_cipher(choice)
    }
}

struct Chance(SeededEntropy);

impl Random for Chance {
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), snow::Error> {
        self.0.fill(out);
        Ok(())
    }
}

/// Authenticated machine 0 that can violate the protocol.
pub(crate) struct Insider {
    channel: StatelessTransportState,
    id: u8,
    number: u64,
    pub(crate) address: Address,
}

impl Insider {
    /// Connects to an endpoint of machine 1.
    pub(crate) fn join(now: Time, played: &Match, end: &mut Endpoint, address: Address) -> Self {
        let cookie = cookie(now, end, address, ATTEMPT);
        let token = played.credentials(0).token().encode();
        let payload = [&token[..], &offer(played)].concat();
        let (mut state, message) = shake(&played.keys[0], &played.keys[1], ATTEMPT, &payload);
        end.handle_datagram(now, address, &init(ATTEMPT, &cookie, &message));
        let accept = answer(now, end, address);
        let mut payload = vec![0; 100];
        state.read_message(&accept[9..], &mut payload).expect("welcome");
        assert_eq!(payload[0], 0, "refused");
        let channel = state.into_stateless_transport_mode().expect("done");
        let mut insider = Self { channel, id: payload[36], number: 0, address };
        insider.say(now, end, &[0x01, 0, 0]);
        insider
    }

    /// Packet with the given frames.
    pub(crate) fn packet(&mut self, frames: &[u8]) -> Vec<u8> {
        let mut packet = vec![0x40, self.id, self.number as u8, (self.number >> 8) as u8];
        let mut sealed = vec![0; frames.len() + 16];
        self.channel.write_message(self.number, frames, &mut sealed).expect("it fits");
        self.number += 1;
        packet.extend_from_slice(&sealed);
        packet
    }

    pub(crate) fn say(&mut self, now: Time, end: &mut Endpoint, frames: &[u8]) {
        let packet = self.packet(frames);
        end.handle_datagram(now, self.address, &packet);
    }
}
