//! With a relay each player keeps a lead over the relay's closing time, and nothing else: the relay's clock follows no player.

use super::play::Presses;
use super::{SECOND, SEEDS};
use core::time::Duration;
use isostep_core::Rng;
use isostep_core::state::State;
use isostep_rollback::internals::{ArrivalStats, MarginReport};
use isostep_rollback::{
    AdaptiveDelay, Authority, Buttons, Mode, PeerId, PlayerId, Session, SessionConfig, Tick, Time,
};
use std::collections::{BTreeMap, VecDeque};

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 60);
const RELAY: PeerId = PeerId(0);
type Pad = Buttons<3>;

enum Post {
    /// A client's report, and its newest inputs.
    Up(usize, MarginReport, Vec<(Tick, Pad)>),
    /// Closed ticks of the relay, for a client.
    Down(usize, MarginReport, Vec<(Tick, Vec<Pad>)>),
    Tick(usize),
    Close,
}

struct Client {
    session: Session<Presses>,
    game: Presses,
    latency: [u64; 2],
    held: Pad,
    given: [u32; 3],
    /// Measurements of the relay: latencies in microseconds, and tick advantages in thousandths of a tick.
    seen: VecDeque<(u32, i32)>,
    inputs: BTreeMap<Tick, Pad>,
    due: Time,
}

struct Match {
    clients: Vec<Client>,
    posts: BTreeMap<(Time, u64), Post>,
    posted: u64,
    closed: VecDeque<(Tick, Vec<Pad>)>,
    next: Tick,
    rng: Rng,
    now: Time,
    /// Ticks that closed without a client's input.
    missed: Vec<u32>,
}

impl Match {
    fn new(seed: u64, players: usize) -> Self {
        let mut rng = Rng::new(seed);
        let clients = (0..players).map(|own| {
            let config = (0..players).fold(SessionConfig::new(), |config, player| {
                if player == own { config.local() } else { config.remote(RELAY) }
            });
            let config = config
                .authority(Authority::Bundle)
                .mode(Mode::Rollback { max: 40 })
                .adaptive_delay(AdaptiveDelay::new(0, 12, 4).expect("bounds"));
            let mut game = Presses::default();
            let session = Session::start(config, &mut game).expect("sound settings");
            let latency = [0, 1].map(|_| 5 + u64::from(rng.below(110).expect("not empty")));
            let due = Time::from_millis(u64::from(rng.below(200).expect("not empty")));
            Client {
                session,
                game,
                latency,
                held: Pad::none(),
                given: [0; 3],
                seen: VecDeque::new(),
                inputs: BTreeMap::new(),
                due,
            }
        });
        let clients: Vec<Client> = clients.collect();
        let mut play = Self {
            posts: BTreeMap::new(),
            posted: 0,
            closed: VecDeque::new(),
            next: Tick(0),
            rng: Rng::new(seed ^ 0x63),
            now: Time::ZERO,
            missed: vec![0; players],
            clients,
        };
        // The first tick closes when every player may have sent.
        play.post(Time::from_millis(500), Post::Close);
        for client in 0..players {
            play.post(play.clients[client].due, Post::Tick(client));
        }
        play
    }

    fn post(&mut self, at: Time, post: Post) {
        self.posted += 1;
        self.posts.insert((at, self.posted), post);
    }

    fn travel(&mut self, client: usize, direction: usize, post: Post) {
        let jitter = u64::from(self.rng.below(10_000).expect("not empty"));
        let lost = self.rng.chance(1, 50).expect("odds");
        let latency = self.clients[client].latency[direction] * 1000 + jitter;
        let latency = Duration::from_micros(latency);
        if !lost {
            self.post(self.now + latency, post);
        }
    }

    fn run(&mut self, seconds: u32, pressing: bool) {
        let end = self.now + Duration::from_secs(u64::from(seconds));
        while let Some(entry) = self.posts.first_entry().filter(|entry| entry.key().0 < end) {
            self.now = entry.key().0;
            match entry.remove() {
                Post::Tick(client) => self.tick(client, pressing),
                Post::Up(client, report, inputs) => self.arrive(client, report, inputs),
                Post::Down(client, report, ticks) => {
                    let Client { session, .. } = &mut self.clients[client];
                    session.margins(self.now, RELAY, report).expect("a known peer");
                    for (tick, inputs) in ticks {
                        let inputs: Vec<_> = inputs.iter().map(|&input| (input, &[][..])).collect();
                        session.confirmed_bundle(tick, &inputs).expect("bundles are sound");
                    }
                }
                Post::Close => self.close(),
            }
        }
        self.now = end;
    }

    fn tick(&mut self, index: usize, pressing: bool) {
        let flips = (0..3).filter(|_| self.rng.chance(1, 12).expect("odds")).count();
        let client = &mut self.clients[index];
        let bits = if pressing && flips > 0 {
            client.held.bits() ^ 1 << (flips - 1)
        } else {
            client.held.bits()
        };
        client.held = client.held.next(bits).expect("three buttons");
        for place in 0..3 {
            client.given[place] += (client.held.pressed_bits() >> place & 1) as u32;
        }
        client.session.local_input(PlayerId(index as u8), client.held).expect("it sits here");
        client.session.advance(self.now).run(&mut client.game).expect("it runs");
        let rate = 1_000_000 + i128::from(client.session.rate_ppm());
        client.due += Duration::from_nanos((TICK.as_nanos() as i128 * 1_000_000 / rate) as u64);
        let due = client.due;
        let from = client.session.received(PlayerId(index as u8)).expect("a seat");
        let window = client.session.local_window(PlayerId(index as u8), from);
        let inputs = window.map(|(tick, input, _)| (tick, input)).collect();
        let report = client.session.margin_report(RELAY).expect("it has advanced");
        self.travel(index, 0, Post::Up(index, report, inputs));
        self.post(due, Post::Tick(index));
    }

    /// Current tick of the relay, in thousandths: it closes one a tick, whatever the clients do.
    fn position(&self) -> i64 {
        (self.now.signed_since(Time::from_millis(500)) as i128 * 1000 / TICK.as_nanos() as i128)
            as i64
    }

    fn arrive(&mut self, index: usize, report: MarginReport, inputs: Vec<(Tick, Pad)>) {
        let behind = self.position() - i64::from(report.made.0) * 1000;
        let client = &mut self.clients[index];
        let transit = ((self.now.nanos() / 1000) as u32).wrapping_sub(report.sent);
        client.seen.push_back((transit, behind as i32));
        if client.seen.len() > 300 {
            client.seen.pop_front();
        }
        client.inputs.extend(inputs);
    }

    fn close(&mut self) {
        let tick = self.next;
        self.next = tick.next();
        let mut bundle = Vec::new();
        for (index, client) in self.clients.iter_mut().enumerate() {
            // A late player holds its last input.
            let input = client.inputs.get(&tick).copied();
            self.missed[index] += u32::from(input.is_none());
            let last = self.closed.back().map_or(Pad::none(), |(_, inputs)| inputs[index]);
            bundle.push(input.unwrap_or_else(|| isostep_rollback::Input::hold(last)));
        }
        self.closed.push_back((tick, bundle));
        if self.closed.len() > 120 {
            self.closed.pop_front();
        }
        for index in 0..self.clients.len() {
            let known = self.clients[index].session.confirmed_tick();
            let ticks = self.closed.iter().filter(|closed| closed.0 >= known).cloned().collect();
            let measured = self.measured(index);
            let sent = (self.now.nanos() / 1000) as u32;
            let report = MarginReport { sent, made: tick, measured, ..MarginReport::default() };
            self.travel(index, 1, Post::Down(index, report, ticks));
        }
        self.post(self.now + TICK, Post::Close);
    }

    fn measured(&self, index: usize) -> Option<ArrivalStats> {
        let seen = &self.clients[index].seen;
        if seen.len() < 20 {
            return None;
        }
        let mut transits: Vec<u32> = seen.iter().map(|seen| seen.0).collect();
        transits.sort();
        let mut behind: Vec<i32> = seen.iter().rev().take(15).map(|seen| seen.1).collect();
        behind.sort();
        let (late, middle) = (transits[transits.len() * 95 / 100], transits[transits.len() / 2]);
        Some(ArrivalStats { p95: late, median: middle, tick_advantage: behind[behind.len() / 2] })
    }
}

#[test]
fn players_keep_a_lead_over_the_relay_and_the_relay_keeps_its_clock() {
    for seed in 0..SEEDS {
        let mut play = Match::new(seed, 3);
        play.run(12, true);
        let before: Vec<u32> = play.missed.clone();
        let stalls: Vec<u64> =
            play.clients.iter().map(|client| client.session.stats().stalls).collect();
        play.run(30, true);
        for (index, client) in play.clients.iter().enumerate() {
            let missed = play.missed[index] - before[index];
            assert!(
                missed <= 30 * SECOND as u32 * 8 / 100,
                "seed {seed}, {index}: {missed} missed"
            );
            assert_eq!(client.session.stats().stalls, stalls[index], "seed {seed}, {index}");
            // No further ahead than the latency, its jitter and two ticks.
            let latency = i64::try_from(client.latency[0]).expect("small") * 60 / 1000;
            let delay = i64::from(client.session.delay(PlayerId(index as u8)).expect("local"));
            let ahead = i64::from(client.session.current_tick().0) + delay - i64::from(play.next.0);
            assert!(
                ahead <= latency + 4,
                "seed {seed}, {index}: {ahead} ticks ahead, latency of {latency} ticks"
            );
        }
        assert_eq!(play.next, Tick(1 + (41_500 * 60 / 1000)), "the relay's clock is its own");
        play.run(2, false);
        let tick =
            play.clients.iter().map(|client| client.session.confirmed_tick()).min().expect("some");
        let digests: Vec<_> = play
            .clients
            .iter()
            .map(|client| client.game.digest(client.session.slots(), tick).expect("held"))
            .collect();
        assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "seed {seed}");
        let given: Vec<[u32; 3]> = play.clients.iter().map(|client| client.given).collect();
        assert_eq!(play.clients[0].game.counts, given, "seed {seed}: presses lost or doubled");
    }
}
