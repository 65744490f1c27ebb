//! Decodes a capture to the text format of `tests/wire/README.md`: the Rust side of the comparison with `decode.py`.
//!
//! Its input is that of any decoder: packets in order of arrival, and keys. Both sides of each handshake are repeated from their
//! seeds, so the text shows how this crate decodes. `connection` has the state of connections, `session` that of sessions.

mod connection;
mod session;

use super::net::{Capture, Packet};
use crate::crypto::internals::TokenExpectation;
use crate::crypto::noise::{Channel, Initiator, Responder, ephemeral};
use crate::crypto::{MachineId, StaticKey, Token};
use crate::entropy::Entropy;
use crate::wire::{Accept, Attempt, Cookie, Hello, Init, Offer, Versions, is_knock, packet_type};
use connection::Connection;
use session::Sessions;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Hex text of bytes.
pub(super) fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "-".to_owned();
    }
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("strings take all");
        text
    })
}

/// Entropy that returns a recorded seed.
struct FixedEntropy([u8; 32]);

impl Entropy for FixedEntropy {
    fn fill(&mut self, out: &mut [u8]) {
        out.copy_from_slice(&self.0);
    }
}

/// Seeds of handshakes by their ephemeral public keys.
pub(super) struct Seeds {
    by_public: BTreeMap<[u8; 32], [u8; 32]>,
    /// Ephemeral secrets in order of appearance.
    seen: Vec<[u8; 32]>,
}

impl Seeds {
    fn new(seeds: &[[u8; 32]]) -> Self {
        let public = |seed: &[u8; 32]| StaticKey::from_bytes(ephemeral(*seed)).public().0;
        Self {
            by_public: seeds.iter().map(|seed| (public(seed), *seed)).collect(),
            seen: Vec::new(),
        }
    }

    /// Entropy of the side that wrote a message.
    fn of(&mut self, message: &[u8]) -> FixedEntropy {
        let public: [u8; 32] = message[..32].try_into().expect("so long");
        let seed = *self.by_public.get(&public).expect("every handshake was noted");
        let secret = ephemeral(seed);
        if !self.seen.contains(&secret) {
            self.seen.push(secret);
        }
        FixedEntropy(seed)
    }

    /// Repeats a handshake; returns the payload of message 2, and the channels of both sides.
    fn handshake(
        &mut self,
        [initiator, responder]: [&StaticKey; 2],
        prologue: &[u8],
        payload: &[u8],
        messages: [&[u8]; 2],
    ) -> Option<(Vec<u8>, [Channel; 2])> {
        let (mut first, mut second, mut answer) = (Vec::new(), Vec::new(), Vec::new());
        let remote = responder.public();
        let mut entropy = self.of(messages[0]);
        let initiator =
            Initiator::start(initiator, &remote, prologue, payload, &mut entropy, &mut first)
                .ok()?;
        assert_eq!(first, messages[0], "the same seed gives the same message");
        let ours = initiator.finish(messages[1], &mut answer).ok()?;
        let mut entropy = self.of(messages[1]);
        let responder =
            Responder::read(responder, prologue, &first, &mut Vec::new(), &mut entropy).ok()?;
        let theirs = responder.finish(&answer, &mut second).ok()?;
        assert_eq!(second, messages[1], "the same seed gives the same message");
        Some((answer, [ours, theirs]))
    }
}

/// Decrypted INIT.
struct Opened {
    message: Vec<u8>,
    payload: Vec<u8>,
    id: Vec<u8>,
    finished: bool,
}

struct Dump<'a> {
    capture: &'a Capture,
    seeds: Seeds,
    opened: BTreeMap<Attempt, Opened>,
    connections: Vec<Connection>,
    sessions: Sessions,
    out: String,
}

/// Decodes a capture; returns its ephemeral secrets in order of appearance, and the text.
pub(super) fn dump(capture: &Capture) -> (Vec<[u8; 32]>, String) {
    let mut dump = Dump {
        capture,
        seeds: Seeds::new(&capture.seeds),
        opened: BTreeMap::new(),
        connections: Vec::new(),
        sessions: Sessions::new(capture),
        out: String::new(),
    };
    for packet in &capture.packets {
        let Packet { micros, from, to, .. } = packet;
        write!(dump.out, "{micros} {from}>{to} ").expect("strings take all");
        let start = dump.out.len();
        if dump.packet(packet).is_none() {
            dump.out.truncate(start);
            dump.out.push_str("DROPPED\n");
        }
    }
    (dump.seeds.seen, dump.out)
}

macro_rules! say {
    ($self:ident, $($what:tt)*) => { writeln!($self.out, $($what)*).ok() };
}

impl Dump<'_> {
    fn packet(&mut self, packet: &Packet) -> Option<()> {
        let bytes = &packet.bytes;
        match *bytes.first()? {
            0..0x80 => self.data(packet),
            packet_type::HELLO => {
                let Hello { version, attempt } = Hello::read(bytes)?;
                say!(self, "HELLO version={version} attempt={}", hex(&attempt))
            }
            packet_type::COOKIE => {
                let Cookie { attempt, cookie } = Cookie::read(bytes)?;
                say!(self, "COOKIE attempt={} cookie={}", hex(&attempt), hex(&cookie))
            }
            packet_type::VERSIONS => {
                let Versions { attempt, versions } = Versions::read(bytes)?;
                let versions: Vec<_> = versions.iter().map(u16::to_string).collect();
                say!(self, "VERSIONS attempt={} versions={}", hex(&attempt), versions.join(","))
            }
            packet_type::INIT => self.init(packet),
            packet_type::ACCEPT => self.accept(packet),
            packet_type::KNOCK => is_knock(bytes).then(|| self.out.push_str("KNOCK\n")),
            _ => None,
        }
    }

    fn key(&self, machine: u8) -> &StaticKey {
        &self.capture.keys[usize::from(machine)]
    }

    fn init(&mut self, packet: &Packet) -> Option<()> {
        let Init { attempt, cookie, message } = Init::read(&packet.bytes)?;
        let (mut payload, mut unused) = (Vec::new(), FixedEntropy([0; 32]));
        let local = self.key(packet.to);
        let responder =
            Responder::read(local, &prologue(attempt), message, &mut payload, &mut unused).ok()?;
        assert_eq!(responder.remote(), self.key(packet.from).public());
        let (token, offer) = Offer::read_init(&payload)?;
        let token = Token::decode(token).expect("whole");
        let spec = *token.spec();
        let (game, match_id, protocol) = (spec.game, spec.match_id, spec.protocol);
        let expected = TokenExpectation { game, match_id, protocol, unix_now: spec.issued };
        token.verify(&self.capture.matchmaker, &expected).expect("signed");
        let MachineId(machine) = token.machine();
        let (attempt_text, cookie) = (hex(&attempt), hex(&cookie));
        let (expires, offered) = (spec.expires, parameters(&offer));
        let id = offer.id.as_slice().to_vec();
        say!(
            self,
            "INIT attempt={attempt_text} cookie={cookie} slot={machine} expires={expires} {offered}"
        );
        let message = message.to_vec();
        let opened = Opened { message, payload, id, finished: false };
        self.opened.entry(attempt).or_insert(opened);
        Some(())
    }

    fn accept(&mut self, packet: &Packet) -> Option<()> {
        let Accept { attempt, message } = Accept::read(&packet.bytes)?;
        let opened = self.opened.get_mut(&attempt)?;
        // Corrupted packets may have unknown ephemeral keys.
        let keys = &self.capture.keys;
        let ends = [&keys[usize::from(packet.to)], &keys[usize::from(packet.from)]];
        self.seeds.by_public.get(&message[..32])?;
        let messages = [&opened.message[..], message];
        let (answer, channels) =
            self.seeds.handshake(ends, &prologue(attempt), &opened.payload, messages)?;
        let (_, offer) = Offer::read_accept(&answer)?;
        let (status, attempt) = (answer[0], hex(&attempt));
        say!(self, "ACCEPT attempt={attempt} status={status} {}", parameters(&offer));
        if status == 0 && !opened.finished {
            opened.finished = true;
            let ids = [offer.id.as_slice().to_vec(), opened.id.clone()];
            self.connections.push(Connection::new([packet.to, packet.from], ids, channels));
        }
        Some(())
    }

    fn data(&mut self, packet: &Packet) -> Option<()> {
        // The newest connection with the id.
        let connections = self.connections.iter_mut().rev();
        let (connection, number, epoch, payload) =
            connections.into_iter().find_map(|connection| {
                let (number, epoch, payload) = connection.open(packet)?;
                Some((connection, number, epoch, payload))
            })?;
        say!(self, "DATA number={number} epoch={epoch}");
        let direction = (packet.from, packet.to);
        connection.frames(
            direction,
            &payload,
            &mut self.seeds,
            self.capture,
            &mut self.sessions,
            &mut self.out,
        );
        Some(())
    }
}

/// Prologue of the first Noise handshake.
fn prologue(attempt: Attempt) -> Vec<u8> {
    [&b"isostep wire"[..], &1u16.to_le_bytes(), &attempt].concat()
}

fn parameters(offer: &Offer) -> String {
    let Offer { parameters, view, id, max_mtu } = offer;
    format!(
        "game={} width={} schema={} settings={} view={view} id={} longest={max_mtu}",
        parameters.game,
        parameters.input_width,
        hex(&parameters.input_schema),
        parameters.settings,
        hex(id.as_slice()),
    )
}
