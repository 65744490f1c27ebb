//! Player process: plays the arena with scripted inputs until all machines have confirmed a tick. It reports on
//! standard error.

use core::fmt;
use core::str::FromStr;
use isostep_core::State;
use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::transport::UdpTransport;
use isostep_netcode::{
    CloseReason, EndpointConfig, Event, OsEntropy, Peer, PeerConfig, PeerEvent, WallClock,
    close_code,
};
use isostep_rollback::{AdaptiveDelay, Mode, PlayerId, SessionConfig, SessionEvent, Tick};
use isostep_scenes::games::{Arena, ArenaSize, arena_input};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The variable with the order in it.
pub(crate) const ORDER: &str = "ISOSTEP_TEST_PLAYER";
/// Bodies that move.
const BODIES: u16 = 64;
const SEED: u64 = 2026;
/// Message that reports the confirmed last tick.
const DONE: &[u8] = b"done";
/// Interval of progress reports, in ticks.
const TELL_EVERY: u32 = 60;
/// Duration of CLOSE retransmission.
const GOODBYE: Duration = Duration::from_millis(500);

/// Arguments of a player process.
#[derive(Clone)]
pub(crate) struct Order {
    pub(crate) machine: u8,
    pub(crate) players: u8,
    /// The tick that it plays to.
    pub(crate) ticks: u32,
    pub(crate) idle: Duration,
    /// The address that it has.
    pub(crate) host: Ipv4Addr,
}

impl Default for Order {
    fn default() -> Self {
        let (machine, players, ticks, idle) = (0, 0, 0, Duration::ZERO);
        Self { machine, players, ticks, idle, host: Ipv4Addr::LOCALHOST }
    }
}

impl Order {
    /// The order of this process, if it has one.
    pub(crate) fn given() -> Option<Self> {
        let text = std::env::var(ORDER).ok()?;
        let mut numbers = text.split(' ').map(|word| u64::from_str(word).expect("a number"));
        let mut next = || numbers.next().expect("five numbers");
        let (machine, players, ticks) = (next() as u8, next() as u8, next() as u32);
        let idle = Duration::from_millis(next());
        Some(Self { machine, players, ticks, idle, host: Ipv4Addr::from_bits(next() as u32) })
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, players, ticks, idle, host } = self;
        write!(f, "{machine} {players} {ticks} {} {}", idle.as_millis(), host.to_bits())
    }
}

/// Peer, game, and machines that are not known to be done.
struct Player {
    peer: Peer<Arena, UdpTransport>,
    game: Arena,
    me: PlayerId,
    unfinished: Vec<MachineId>,
    clock: WallClock,
    reports: u32,
    certain: bool,
}

/// Plays.
pub(crate) fn run(order: &Order) {
    let transport = UdpTransport::bind((order.host, 0)).expect("there is a free port");
    eprintln!("listens {}", transport.local_addr());
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("the addresses of the others on stdin");
    // End with the parent process.
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(1);
    });
    let mut player = Player::new(order, transport, &line);
    while player.frame(order) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Player {
    fn new(order: &Order, transport: UdpTransport, others: &str) -> Self {
        let (clock, me) = (WallClock::start(), MachineId(order.machine));
        let credentials = Credentials::insecure(me, order.players, GameId::named("arena"));
        let delay = AdaptiveDelay::new(1, 8, 4).expect("bounds in order");
        let session = SessionConfig::new().mode(Mode::Rollback { max: 12 }).adaptive_delay(delay);
        let credentials = credentials.expect("a machine of the match");
        let mut config = PeerConfig::new(credentials, clock.unix_at_zero())
            .session(session)
            .idle_timeout(order.idle);
        if !order.host.is_loopback() {
            config = config.endpoint(EndpointConfig::insecure_beyond_loopback);
        }
        for other in others.split_whitespace() {
            let (machine, address) = other.split_once('=').expect("MACHINE=ADDRESS");
            let machine = MachineId(machine.parse().expect("a machine"));
            config = config.address(machine, address.parse::<SocketAddr>().expect("an address"));
        }
        let size =
            ArenaSize { players: order.players, props: BODIES - 1 - u16::from(order.players) };
        let mut game = Arena::new(size, SEED);
        let peer = Peer::new(config, &mut game, transport, Box::new(OsEntropy));
        Self {
            peer: peer.expect("a good set-up"),
            game,
            me: PlayerId(me.0),
            unfinished: (0..order.players)
                .map(MachineId)
                .filter(|machine| *machine != me)
                .collect(),
            clock,
            reports: 0,
            certain: false,
        }
    }

    /// Plays a frame; returns false after the last one.
    fn frame(&mut self, order: &Order) -> bool {
        let now = self.clock.now();
        for _ in 0..self.peer.begin_frame(now).ticks {
            let input = arena_input(SEED, self.me, self.peer.session().current_tick());
            self.peer.local_input(self.me, input).expect("a seat of this machine");
            self.peer.tick(now, &mut self.game).expect("states that can be saved");
            self.look_for(Tick(order.ticks));
        }
        self.peer.end_frame(now);
        let over = self.listen() || (self.certain && self.unfinished.is_empty());
        if over && self.certain {
            self.say_goodbye();
            eprintln!("over");
        }
        !over
    }

    /// Reports progress, and the digest of the last tick once it is final.
    fn look_for(&mut self, last: Tick) {
        let session = self.peer.session();
        let certain = session.current_tick().min(session.confirmed_tick());
        if certain.0 / TELL_EVERY > self.reports {
            self.reports += 1;
            eprintln!("confirmed {}", self.reports * TELL_EVERY);
        }
        if self.certain || certain < last {
            return;
        }
        self.certain = true;
        let digest = self.game.digest(session.slots(), last).expect("the ring has it");
        eprintln!("certain tick {last} digest {digest}");
        let (stats, counters) = (session.stats(), self.peer.counters());
        eprintln!(
            "stats rollbacks {} (95 of 100 by at most {}), again {}, stalls {}, delay {}, compared {}, \
             packets {} out {} in, bytes {} out {} in",
            stats.rollbacks,
            stats.depth_percentile(95),
            stats.resimulated_ticks,
            stats.stalls,
            session.delay(self.me).unwrap_or_default(),
            stats.compared,
            counters.sent,
            counters.received,
            counters.sent_bytes,
            counters.received_bytes
        );
        for &machine in &self.unfinished {
            // A machine that has just left needs no message; the events show it.
            let _ = self.peer.send_message(machine, DONE);
        }
    }

    /// Handles messages and events; returns the result at the end.
    fn listen(&mut self) -> bool {
        while let Some((machine, message)) = self.peer.poll_message() {
            if message == DONE {
                self.unfinished.retain(|&other| other != machine);
            }
        }
        while let Some(event) = self.peer.poll_event() {
            match event {
                PeerEvent::Left { machine, reason: CloseReason::IdleTimeout { after } } => {
                    eprintln!("left {} silence {}", machine.0, after.as_millis());
                    return true;
                }
                // Machines leave only after all are done, so its DONE message was lost.
                PeerEvent::Left { machine, reason: CloseReason::ClosedByPeer { code, .. } }
                    if self.certain && code == close_code::SHUTDOWN =>
                {
                    self.unfinished.retain(|&other| other != machine);
                }
                PeerEvent::Left { .. }
                | PeerEvent::LinkError { .. }
                | PeerEvent::Transport { .. }
                | PeerEvent::Session(SessionEvent::Desync(_) | SessionEvent::Conflict { .. }) => {
                    eprintln!("wrong: {event}");
                }
                PeerEvent::Connection(Event::MtuRaised { .. })
                | PeerEvent::Session(
                    SessionEvent::Stalled { .. } | SessionEvent::StallEnded { .. },
                ) => {}
                event => eprintln!("event {event}"),
            }
        }
        false
    }

    fn say_goodbye(&mut self) {
        let until = self.clock.now() + GOODBYE;
        self.peer.leave(self.clock.now());
        while self.clock.now() < until {
            self.peer.begin_frame(self.clock.now());
            self.peer.end_frame(self.clock.now());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
