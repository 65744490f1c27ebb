//! Players who come and go while a match is played, on all machines alike.

use super::game::{Game, Pad, pad};
use super::model::mixed;
use isostep_rollback::internals::Exchange;
use isostep_rollback::sim_match::Machine;
use isostep_rollback::{
    LinkConfig, Mode, Occupant, PeerId, PlayerId, Session, SessionConfig, SessionEvent, SimMatch,
    Tick, Time,
};

fn inputs(_: usize, player: PlayerId, tick: Tick) -> Pad {
    pad(mixed(&[u64::from(player.0), u64::from(tick.0) / 4]))
}

fn mesh(seed: u64, players: u8, link: LinkConfig) -> SimMatch<Game> {
    let config = SessionConfig::new().delay(2).mode(Mode::Rollback { max: 12 });
    SimMatch::mesh(seed, players, &config, link, |_| Game::default()).expect("a sound setup")
}

/// Changes the occupant of a seat on every machine; `machine` holds it then.
fn change_seat(sim: &mut SimMatch<Game>, tick: u32, player: PlayerId, to: Result<usize, Occupant>) {
    for (index, machine) in sim.machines_mut().iter_mut().enumerate() {
        let occupant = match to {
            Ok(at) if at == index => Occupant::Local,
            Ok(at) => Occupant::Remote(PeerId(at as u8)),
            Err(other) => other,
        };
        machine.session.seat(Tick(tick), player, occupant).expect("not confirmed yet");
    }
}

fn assert_agree(mut sim: SimMatch<Game>, least: u32) {
    sim.settle().expect("it runs");
    let (tick, _) = sim.agree().expect("all agree");
    assert!(tick > Tick(least), "tick {tick} of at least {least}");
    for machine in sim.machines() {
        let bad = |event: &&SessionEvent| {
            matches!(event, SessionEvent::Desync(_) | SessionEvent::Conflict { .. })
        };
        assert_eq!(machine.events.iter().find(bad), None);
        assert_eq!(machine.refused, []);
    }
}

#[test]
fn a_player_leaves_is_replaced_by_a_bot_and_comes_back() {
    for seed in 0..10 {
        let mut sim = mesh(seed, 3, LinkConfig::mobile());
        sim.run(150, inputs).expect("it runs");
        change_seat(&mut sim, 200, PlayerId(1), Err(Occupant::Empty));
        sim.run(100, inputs).expect("it runs");
        change_seat(&mut sim, 300, PlayerId(1), Err(Occupant::Bot));
        sim.run(100, inputs).expect("it runs");
        change_seat(&mut sim, 420, PlayerId(1), Ok(1));
        sim.run(300, inputs).expect("it runs");
        assert_eq!(sim.machines()[1].session.occupant(PlayerId(1)), Some(Occupant::Local));
        assert_agree(sim, 600);
    }
}

/// A leave and a rejoin announced at once: the second announcement dropped the present occupant, and all machines waited
/// for ever for the ticks between.
#[test]
fn a_break_that_is_announced_beforehand_ends_as_planned() {
    for seed in 0..10 {
        let mut sim = mesh(seed, 2, LinkConfig::mobile());
        sim.run(100, inputs).expect("it runs");
        change_seat(&mut sim, 150, PlayerId(1), Err(Occupant::Bot));
        change_seat(&mut sim, 210, PlayerId(1), Ok(1));
        change_seat(&mut sim, 180, PlayerId(0), Ok(0));
        sim.run(400, inputs).expect("it runs");
        assert_agree(sim, 400);
    }
}

/// The machine that had the seat before got no more acknowledgements for its inputs, sent them for ever, and fell
/// silent with `InputsDiscarded` once its log had lost them, though it had other players.
#[test]
fn a_seat_goes_from_machine_to_machine() {
    for seed in 0..10 {
        let mut sim = mesh(seed, 3, LinkConfig::mobile());
        sim.run(100, inputs).expect("it runs");
        change_seat(&mut sim, 150, PlayerId(0), Ok(1));
        sim.run(300, inputs).expect("it runs");
        change_seat(&mut sim, 500, PlayerId(0), Ok(2));
        change_seat(&mut sim, 480, PlayerId(2), Ok(0));
        sim.run(600, inputs).expect("it runs");
        assert_agree(sim, 950);
    }
}

#[test]
fn a_seat_may_change_hands_on_every_tick() {
    let mut sim = mesh(3, 2, LinkConfig::wifi());
    sim.run(60, inputs).expect("it runs");
    for tick in 100..200 {
        let to = match tick % 5 {
            0 => Err(Occupant::Bot),
            1 => Err(Occupant::Empty),
            2 => Ok(1),
            _ => Ok(0),
        };
        change_seat(&mut sim, tick, PlayerId(0), to);
    }
    sim.run(400, inputs).expect("it runs");
    assert_agree(sim, 400);
}

#[test]
fn a_change_is_told_as_an_event() {
    let mut sim = mesh(1, 2, LinkConfig::perfect());
    change_seat(&mut sim, 50, PlayerId(1), Err(Occupant::Bot));
    sim.run(5, inputs).expect("it runs");
    let seated =
        SessionEvent::Seated { player: PlayerId(1), tick: Tick(50), occupant: Occupant::Bot };
    assert!(sim.machines().iter().all(|machine| machine.events.contains(&seated)));
}

/// A local player who had left was still listened to: samples and commands were taken and never used.
#[test]
fn who_has_left_is_no_longer_listened_to() {
    let mut game = Game::default();
    let config = SessionConfig::new().local().local();
    let mut session = Session::start(config, &mut game).expect("a sound setup");
    session.seat(Tick(5), PlayerId(0), Occupant::Bot).expect("not confirmed yet");
    for tick in 0..10 {
        let sits = session.occupant(PlayerId(0)) == Some(Occupant::Local);
        assert_eq!(sits, tick < 5);
        assert_eq!(session.local_input(PlayerId(0), pad(tick)).is_ok(), sits, "tick {tick}");
        assert_eq!(session.command(PlayerId(0), b"buy").is_ok(), sits, "tick {tick}");
        session.advance(Time::ZERO).run(&mut game).expect("it runs");
    }
}

/// A player that had left, with sent ticks that the change made void, waited for their acknowledgement for ever, and fell silent with
/// `InputsDiscarded`.
#[test]
fn changes_told_at_random_moments_before_they_are_confirmed_keep_all_together() {
    for seed in 0..20 {
        let mut sim = mesh(seed, 3, LinkConfig::wifi());
        for round in 0..12u64 {
            sim.run(40, inputs).expect("it runs");
            let chance = mixed(&[seed, round]);
            let player = PlayerId((chance >> 16) as u8 % 3);
            // One that no machine has confirmed, and for which the occupant has sent nothing.
            let free = sim.machines().iter().map(|Machine { session, .. }| {
                session.confirmed_tick().max(session.local_next(player).unwrap_or_default())
            });
            let tick = free.max().expect("three machines").0 + (chance >> 8) as u32 % 30;
            let to = match chance % 5 {
                0 => Err(Occupant::Bot),
                1 => Err(Occupant::Empty),
                _ => Ok((chance >> 24) as usize % 3),
            };
            change_seat(&mut sim, tick, player, to);
        }
        assert_agree(sim, 400);
    }
}

/// One end of a match of two; player 1 joins and leaves.
struct End {
    session: Session<Game>,
    game: Game,
    exchange: Exchange,
    own: u8,
}

impl End {
    fn new(own: u8, start: Tick, seats: [Occupant; 3]) -> Self {
        let config = seats.into_iter().fold(SessionConfig::new().start(start), SessionConfig::seat);
        let mut game = Game::default();
        let mut session = Session::start(config, &mut game).expect("a sound setup");
        session.add_peer(PeerId(1 - own)).expect("a small number");
        Self { session, game, exchange: Exchange::new(PeerId(1 - own)), own }
    }

    fn tick(&mut self) {
        for player in [PlayerId(0), PlayerId(1), PlayerId(2)] {
            if self.session.occupant(player) == Some(Occupant::Local) {
                let sample = inputs(0, player, self.session.current_tick());
                self.session.local_input(player, sample).expect("it sits here");
            }
        }
        self.session.advance(Time::ZERO).run(&mut self.game).expect("it runs");
    }

    fn write(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.exchange.write(&mut self.session, &mut bytes).expect("not out of touch");
        bytes
    }

    fn read(&mut self, bytes: &[u8]) {
        self.exchange.read(Time::ZERO, &mut self.session, bytes).expect("a sound datagram");
    }

    /// Changes the occupant of a seat: `machine` holds it, or a bot.
    fn seat(&mut self, tick: u32, player: u8, machine: Option<u8>) {
        let occupant = match machine {
            Some(machine) if machine == self.own => Occupant::Local,
            Some(machine) => Occupant::Remote(PeerId(machine)),
            None => Occupant::Bot,
        };
        self.session.seat(Tick(tick), PlayerId(player), occupant).expect("not confirmed yet");
    }
}

fn exchange(a: &mut End, b: &mut End) {
    a.tick();
    b.tick();
    let (from_a, from_b) = (a.write(), b.write());
    a.read(&from_b);
    b.read(&from_a);
}

/// While a bot played, its ticks were acknowledged to the player who had left, up to the next planned change. The plan
/// changed, the player came back on an earlier tick, and an old acknowledgement that came late made it leave out its first
/// ticks for ever: all machines waited.
#[test]
fn an_acknowledgement_of_a_bots_ticks_does_not_stand_for_a_players() {
    const SEATS: [Occupant; 3] = [Occupant::Local, Occupant::Remote(PeerId(1)), Occupant::Bot];
    let mut a = End::new(0, Tick(0), SEATS);
    let mut b = End::new(1, Tick(0), [Occupant::Remote(PeerId(0)), Occupant::Local, Occupant::Bot]);
    let both = |a: &mut End, b: &mut End, tick, player, machine| {
        a.seat(tick, player, machine);
        b.seat(tick, player, machine);
    };
    (0..5).for_each(|_| exchange(&mut a, &mut b));
    both(&mut a, &mut b, 10, 1, None);
    (0..10).for_each(|_| exchange(&mut a, &mut b));
    both(&mut a, &mut b, 40, 1, None);
    exchange(&mut a, &mut b);
    let late = a.write();
    // Instead, the player is back before.
    both(&mut a, &mut b, 25, 1, Some(1));
    for _ in 0..30 {
        // All that b says is lost.
        a.tick();
        b.tick();
        let said = a.write();
        b.read(&said);
    }
    b.read(&late);
    (0..60).for_each(|_| exchange(&mut a, &mut b));
    assert!(a.session.confirmed_tick() > Tick(60), "{:?}", a.session);
}

/// A machine that came late never acknowledged inputs of a player who had left before. They were still to be sent, but no
/// longer kept: nothing at all was sent to it, and all machines waited for the seat that it had been given.
#[test]
fn a_machine_that_comes_late_needs_nothing_of_who_has_left_before() {
    const LOCAL: [Occupant; 3] = [Occupant::Local, Occupant::Local, Occupant::Bot];
    let mut a = End::new(0, Tick(0), LOCAL);
    (0..40).for_each(|_| a.tick());
    a.seat(50, 1, None);
    (0..120).for_each(|_| a.tick());
    let mut b = End::new(1, Tick(158), [Occupant::Remote(PeerId(0)), Occupant::Bot, Occupant::Bot]);
    for end in [&mut a, &mut b] {
        end.seat(170, 1, Some(1));
    }
    b.tick();
    let said = b.write();
    a.read(&said);
    for _ in 0..60 {
        a.tick();
        b.tick();
        let said = a.write();
        b.read(&said);
        let said = b.write();
        a.read(&said);
    }
    for end in [&a, &b] {
        assert!(end.session.confirmed_tick() > Tick(200), "{:?}", end.session);
    }
}
