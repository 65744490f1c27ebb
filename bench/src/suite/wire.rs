//! Network cost of a match: bytes including IP, UDP and encryption, and time including
//! cryptography.

use super::session::{Nothing, Pad, times};
use super::{Match, Options, Peers, Sent, row};
use crate::report::{Report, Section, Unit};
use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Address, Peer, PeerConfig, SeededEntropy};
use isostep_rollback::internals::InputCodec;
use isostep_rollback::{
    LinkConfig, Mode, NewestWins, PlayerId, SessionConfig, SimNetwork, Tick, Time,
};
use isostep_scenes::games::arena_input;
use std::time::Duration;

/// Bytes of the IPv4 and UDP headers.
pub const HEADERS: u64 = 28;
/// A tick.
pub const TICK: Duration = Duration::from_nanos(16_666_667);
/// Input delay of the matches.
pub const DELAY: u32 = 4;
/// Prediction window as ggrs counts it.
pub const WINDOW: u32 = 12;
/// Half the round trip for counting bytes.
const ONE_WAY: Duration = Duration::from_millis(50);
/// Ticks between two digests.
const DIGEST_EVERY: u32 = 16;

/// Kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Script of the arena: a stick that holds its direction, tapped buttons.
    Pad,
    /// Two angles of 16 bits as from a mouse: varying speeds with pauses.
    Mouse,
    /// Random and incompressible input on every tick.
    Noise,
}

#[allow(
    clippy::missing_panics_doc,
    reason = "traces and matches are built of constants: what they expect holds or a bench fails"
)]
impl Trace {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pad, Self::Mouse, Self::Noise];

    /// Input of a player on a tick.
    pub fn input(self, player: usize, tick: u32) -> Pad {
        NewestWins(match self {
            Self::Pad => pad(player, tick),
            Self::Mouse => mouse(player, tick),
            Self::Noise => {
                tick.wrapping_mul(0x9E37_79B9).rotate_left(player as u32)
                    ^ tick.wrapping_mul(0x85EB_CA6B)
            }
        })
    }
}

/// The four bytes of the arena's input.
fn pad(player: usize, tick: u32) -> u32 {
    let codec = InputCodec::new().expect("a fixed width");
    let mut bytes = Vec::new();
    let input = arena_input(1, PlayerId(player as u8), Tick(tick));
    codec.append(input, &mut bytes).expect("its own input");
    bytes.resize(4, 0);
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// Angles as sums of slow waves: sweeping motion with small steps.
fn mouse(player: usize, tick: u32) -> u32 {
    let wave = |length: u32, height: i64, shift: u32| {
        // A parabola each way: smooth, without floats.
        let length = i64::from(length);
        let at = i64::from(tick + shift * player as u32) % (2 * length);
        let (at, sign) = if at < length { (at, 1) } else { (at - length, -1) };
        sign * height * at * (length - at) * 4 / (length * length)
    };
    let turn = wave(90, 6000, 7) + wave(41, 900, 3);
    let lift = wave(130, 2500, 5) + wave(53, 300, 11);
    (turn as u16 as u32) | (lift as u16 as u32) << 16
}

/// A match of ours: encrypted peers over a network in memory.
pub struct Ours {
    peers: Vec<Peer<Nothing, SimTransport>>,
    game: Nothing,
    now: Time,
    trace: Trace,
}

#[allow(
    clippy::missing_panics_doc,
    reason = "matches are built of constants: what they expect holds or a bench fails"
)]
impl Ours {
    /// Starts a match.
    pub fn new(players: usize, digest_every: u32, one_way: Duration, trace: Trace) -> Self {
        let transports = SimTransport::nodes(SimNetwork::new(1), players);
        let link = LinkConfig { latency: one_way, ..LinkConfig::perfect() };
        transports[0].network().borrow_mut().set_all_links(link).expect("a latency");
        let session = SessionConfig::new()
            .delay(DELAY)
            .digest_every(digest_every)
            .tick_length(TICK)
            .mode(Mode::Rollback { max: WINDOW - 1 });
        let mut game = Nothing;
        let peer = |(own, transport): (usize, SimTransport)| {
            let credentials =
                Credentials::insecure(MachineId(own as u8), players as u8, GameId::named("bench"));
            let config = PeerConfig::new(credentials.expect("a slot"), 0).session(session.clone());
            let others = (0..players).filter(|&other| other != own);
            let config = others.fold(config, |config, other| {
                config.address(MachineId(other as u8), Address::Node(other as u64))
            });
            let entropy = Box::new(SeededEntropy::new(own as u64));
            Peer::new(config, &mut game, transport, entropy).expect("sound")
        };
        let peers = transports.into_iter().enumerate().map(peer).collect();
        let mut all = Self { peers, game, now: Time::ZERO, trace };
        while !all.peers.iter().all(Peer::has_started) {
            all.tick();
        }
        all
    }
}

impl Match for Ours {
    fn name(&self) -> String {
        "Isostep".to_owned()
    }

    fn tick(&mut self) {
        self.now += TICK;
        for (own, peer) in self.peers.iter_mut().enumerate() {
            for _ in 0..peer.begin_frame(self.now).ticks {
                let tick = peer.session().current_tick().0;
                let input = self.trace.input(own, tick);
                peer.local_input(PlayerId(own as u8), input).expect("sits here");
                peer.tick(self.now, &mut self.game).expect("nothing can't go wrong");
            }
            peer.end_frame(self.now);
            while peer.poll_event().is_some() {}
        }
    }

    fn sent(&self) -> Sent {
        let counters = self.peers.iter().map(Peer::counters);
        counters.fold(Sent::default(), |sent, counters| Sent {
            packets: sent.packets + counters.sent,
            bytes: sent.bytes + counters.sent_bytes,
        })
    }
}

/// Bytes and packets that a machine sends to each other one in a tick, with IP and UDP headers.
pub fn traffic(one: &mut dyn Match, players: usize, warm_up: u32, ticks: u32) -> (f64, f64) {
    (0..warm_up).for_each(|_| one.tick());
    let before = one.sent();
    (0..ticks).for_each(|_| one.tick());
    let after = one.sent();
    let per = (players * (players - 1)) as f64 * f64::from(ticks);
    let packets = after.packets - before.packets;
    let bytes = after.bytes - before.bytes + packets * HEADERS;
    (bytes as f64 / per, packets as f64 / per)
}

pub(super) fn measure(
    options: &Options,
    peers: &mut dyn Peers,
    report: &mut Report,
    progress: &mut dyn FnMut(&str),
) {
    let mut rows = Vec::new();
    let ours = |players, one_way, trace| -> Box<dyn Match> {
        Box::new(Ours::new(players, DIGEST_EVERY, one_way, trace))
    };
    let (warm_up, ticks) = if options.quick { (300, 600) } else { (600, 3000) };
    for trace in Trace::ALL {
        for players in [2, 4, 8] {
            progress(&format!("wire: bytes, {trace:?}, {players} players"));
            let all = [ours(players, ONE_WAY, trace)].into_iter();
            let bytes = all
                .chain(peers.wires(players, ONE_WAY, trace))
                .map(|mut one| (one.name(), vec![traffic(&mut *one, players, warm_up, ticks).0]));
            let title = format!("{trace:?}, {players} players: to each other one");
            let key = format!("wire/bytes/{trace:?}/{players}");
            rows.extend(row(&key, &title, Unit::Bytes, &bytes.collect::<Vec<_>>()));
        }
    }
    for players in [2, 4, 8] {
        progress(&format!("wire: time, {players} players"));
        let all = [ours(players, Duration::ZERO, Trace::Pad)].into_iter();
        let all = all.chain(peers.wires(players, Duration::ZERO, Trace::Pad)).collect();
        let samples = times(options.rounds(41, 9), players, all);
        let title = format!("Pad, {players} players: a machine and tick");
        rows.extend(row(&format!("wire/time/{players}"), &title, Unit::Nanoseconds, &samples));
    }
    let note = "Bytes a tick with the 28 of IP and UDP, ours encrypted and authenticated, ggrs unencrypted; a round trip of \
                100 ms, delay 4, digests every 16 ticks. Times in memory, without latency."
        .to_owned();
    report.sections.push(Section { title: "On the wire".to_owned(), note, rows });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_sends_each_machine_one_packet_a_tick() {
        let mut one = Ours::new(3, 16, Duration::ZERO, Trace::Pad);
        let (bytes, packets) = traffic(&mut one, 3, 60, 120);
        assert!((0.9..1.2).contains(&packets), "{packets}");
        assert!((40.0..120.0).contains(&bytes), "{bytes}");
    }
}
