//! Checks of the fuzz targets for sessions. Tests of rollback include this file, so it uses only rollback and core.

use super::reuse::{Reused, TargetSpec};
use isostep_core::state::State;
use isostep_rollback::internals::Exchange;
use isostep_rollback::{
    Inputs, NewestWins, PeerId, PlayerId, Session, SessionConfig, Simulation, Tick, Time,
};
use std::cell::RefCell;

/// A game with a value of every kind that pages have.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Game {
    rounds: u64,
    scores: Vec<i32>,
    names: Vec<Option<String>>,
}

impl Simulation for Game {
    type Input = NewestWins<u16>;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Self::Input>) {
        self.rounds += 1;
        self.scores.resize(inputs.len(), 0);
        for (player, input) in inputs.iter() {
            self.scores[usize::from(player.0)] += i32::from(input.value.0) ^ tick.0 as i32;
            self.names
                .extend(inputs.commands(player).map(|name| String::from_utf8(name.to_vec()).ok()));
        }
        self.names.truncate(8);
    }
}

/// A session with a player here and one elsewhere, some ticks into the match.
///
/// # Panics
/// Never: its settings are sound.
pub fn session() -> (Session<Game>, Game) {
    let mut game = Game::default();
    let config = SessionConfig::new().local().remote(PeerId(0)).digest_every(4);
    let mut session = Session::start(config, &mut game).expect("sound settings");
    for tick in 0..12 {
        session.remote_inputs(PlayerId(1), Tick(tick), &[NewestWins(7)]).expect("in order");
        session.advance(Time::from_millis(u64::from(tick) * 17)).run(&mut game).expect("it runs");
    }
    (session, game)
}

/// Session, the exchange with its peer, and the ticks that they have played.
struct Match {
    session: Session<Game>,
    game: Game,
    exchange: Exchange,
    tick: u32,
    out: Vec<u8>,
}

/// Ticks that a match has in the beginning and in the end.
const PLAYED: [u32; 2] = [12, 40];

impl Match {
    fn new() -> Self {
        let (session, game) = session();
        let exchange = Exchange::new(PeerId(0));
        Self { session, game, exchange, tick: PLAYED[0], out: Vec::new() }
    }

    fn now() -> Time {
        Time::from_millis(300)
    }

    /// Feeds bytes as a datagram, unchanged and with a valid checksum, and as a message; returns true if ticks are
    /// left.
    fn feed(&mut self, data: &[u8]) -> bool {
        let mut sealed = data.to_vec();
        seal_datagram(&mut sealed);
        for bytes in [data, &sealed] {
            _ = self.exchange.read(Self::now(), &mut self.session, bytes);
        }
        _ = self.session.message(PeerId(0), data);
        self.play();
        self.tick < PLAYED[1]
    }

    fn play(&mut self) {
        // Inputs that were taken from the bytes stay; others are new.
        _ = self.session.remote_inputs(PlayerId(1), Tick(self.tick), &[NewestWins(7)]);
        self.session.advance(Self::now()).run(&mut self.game).expect("it runs");
        self.exchange.write(&mut self.session, &mut self.out).expect("nothing is lost so soon");
        assert!(self.out.len() <= 1200, "a datagram of {} bytes", self.out.len());
        self.tick += 1;
    }

    fn finish(mut self) {
        while self.tick < PLAYED[1] {
            self.play();
        }
        assert!(self.session.current_tick() > Tick(PLAYED[0]), "it goes on");
    }
}

thread_local! {
    static MATCH: RefCell<Reused<Match>> = RefCell::default();
    static SESSION: (Session<Game>, Game) = session();
}

/// Feeds bytes as a datagram and as a message of a session; then it goes on.
///
/// # Panics
/// When a session breaks a promise.
pub fn datagram(data: &[u8]) {
    let spec = TargetSpec {
        name: "datagram",
        max_inputs: usize::MAX,
        make: Match::new,
        feed: Match::feed,
        finish: Match::finish,
    };
    MATCH.with_borrow_mut(|reused| reused.run(&spec, data));
}

/// Feeds bytes as a page of another machine.
///
/// # Panics
/// When explaining breaks a promise.
pub fn explain(data: &[u8]) {
    SESSION.with(|(session, game)| {
        let (tick, slots) = (session.current_tick(), session.slots());
        for page in 0..4 {
            let mut found = Vec::new();
            _ = game.explain(slots, tick, "", "state", page, data, 8, &mut found);
            assert!(found.len() <= 8, "more than asked for");
        }
    });
}

/// Inputs that mutation starts from: a datagram, pages, a message, nothing.
///
/// # Panics
/// Never: all of them can be made.
pub fn seeds() -> Vec<Vec<u8>> {
    let (mut session, game) = session();
    let mut datagram = Vec::new();
    Exchange::new(PeerId(0)).write(&mut session, &mut datagram).expect("nothing is lost");
    let mut page = Vec::new();
    let (tick, slots) = (session.current_tick(), session.slots());
    game.page(slots, tick, "", "state", 1, &mut page).expect("held");
    // A recheck: kind, case, from, fault, count, one digest.
    let mut message = vec![0, 8, 0, 0, 0, 4, 0, 0, 0, 1, 4, 0];
    message.extend([9; 64]);
    vec![datagram, page, message, Vec::new()]
}

/// Writes a valid checksum into a datagram, if it is long enough: CRC-32 of the rest, bit by bit.
pub fn seal_datagram(datagram: &mut [u8]) {
    let Some((head, rest)) = datagram.split_at_mut_checked(5) else { return };
    let mut sum = u32::MAX;
    for &byte in &*rest {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    head[0] = 0x15;
    head[1..].copy_from_slice(&(!sum).to_le_bytes());
}
