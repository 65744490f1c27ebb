//! What the fuzz targets of sessions check. Tests of rollback include this file, so that it uses nothing but rollback and
//! core.

use isostep_core::state::State;
use isostep_rollback::{
    Exchange, Inputs, NewestWins, PeerId, PlayerId, Session, SessionConfig, Simulation, Tick, Time,
};

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

/// Feeds bytes as a datagram, as they are and with the checksum made right, and as a message; then goes on.
///
/// # Panics
/// When a session breaks a promise.
pub fn datagram(data: &[u8]) {
    let (mut session, mut game) = session();
    let mut exchange = Exchange::new(PeerId(0));
    let mut sealed = data.to_vec();
    seal_datagram(&mut sealed);
    let now = Time::from_millis(300);
    for bytes in [data, &sealed] {
        _ = exchange.read(now, &mut session, bytes);
    }
    _ = session.message(PeerId(0), data);
    let mut out = Vec::new();
    for tick in 12..40 {
        // Inputs that were taken from the bytes stay; others are new.
        _ = session.remote_inputs(PlayerId(1), Tick(tick), &[NewestWins(7)]);
        session.advance(now).run(&mut game).expect("it runs");
        exchange.write(&mut session, &mut out).expect("nothing is lost so soon");
        assert!(out.len() <= 1200, "a datagram of {} bytes", out.len());
    }
    assert!(session.present() > Tick(12), "it goes on");
}

/// Feeds bytes as a page of another machine.
///
/// # Panics
/// When explaining breaks a promise.
pub fn explain(data: &[u8]) {
    let (session, game) = session();
    let (tick, slots) = (session.present().0, session.slots());
    for page in 0..4 {
        let mut found = Vec::new();
        _ = game.explain(slots, tick, "", "state", page, data, 8, &mut found);
        assert!(found.len() <= 8, "more than asked for");
    }
}

/// Makes the checksum of a datagram right, if it has the length of one: CRC-32 of what follows it, bit by bit.
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
