//! Several players at one machine, and machines that only watch.

use super::game::{Game, pad};
use super::model::mixed;
use core::time::Duration;
use isostep_core::state::State;
use isostep_rollback::{
    Authority, Inputs, LinkConfig, Mode, NewestWins, Occupant, PeerId, PlayerId, Session,
    SessionConfig, SessionError, SimMatch, Simulation, Tick, Time, sim_match::Machine,
};

fn inputs(_: usize, player: PlayerId, tick: Tick) -> super::game::Pad {
    pad(mixed(&[u64::from(player.0), u64::from(tick.0) / 4]))
}

/// Machines with this many seats each, all connected.
fn machines(seed: u64, machines: u8, seats_each: u8, link: LinkConfig) -> SimMatch<Game> {
    let mut sim = SimMatch::new(seed);
    for own in 0..machines {
        let mut config = SessionConfig::new().delay(2).mode(Mode::Rollback { max: 12 });
        for seat in 0..machines * seats_each {
            let machine = seat / seats_each;
            config = config.seat(if machine == own {
                Occupant::Local
            } else {
                Occupant::Remote(PeerId(machine))
            });
        }
        sim.add(config.bot(), Game::default()).expect("a sound setup");
    }
    for a in 0..usize::from(machines) {
        (0..a).for_each(|b| sim.connect(a, b));
    }
    sim.network().set_all_links(link).expect("a sound link");
    sim
}

fn watcher(seats: u8, host: u8, buffer: u32) -> SessionConfig {
    let config = SessionConfig::new().authority(Authority::Bundle).spectate(buffer);
    (0..seats).fold(config, |config, _| config.remote(PeerId(host))).bot()
}

#[test]
fn machines_with_several_players_agree() {
    for seed in 0..10 {
        let mut sim = machines(seed, 3, 2, LinkConfig::wifi());
        for machine in 0..3u8 {
            let session = &mut sim.machines_mut()[usize::from(machine)].session;
            for seat in 0..2 {
                let command = [b"loadout ".as_slice(), &[seat; 200]].concat();
                session.command(PlayerId(machine * 2 + seat), &command).expect("few wait");
            }
        }
        sim.run(600, inputs).expect("it runs");
        sim.settle().expect("it runs");
        let (tick, _) = sim.agree().expect("all agree");
        assert!(tick > Tick(600), "tick {tick}");
        let game = &sim.machines()[0].game;
        assert!(game.players[..6].iter().all(|player| player.commands == 1), "{game:?}");
    }
}

/// Many seats with long commands at one machine: a datagram outgrew what the link takes, was repeated for ever, and both
/// sides waited.
#[test]
fn many_players_with_much_to_say_fit_the_link() {
    for seats in [4, 8, 15] {
        let mut sim = machines(2, 2, seats, LinkConfig::mobile());
        for machine in 0..2u8 {
            let session = &mut sim.machines_mut()[usize::from(machine)].session;
            for seat in 0..seats {
                session.command(PlayerId(machine * seats + seat), &[seat; 500]).expect("few wait");
            }
        }
        sim.run(1500, inputs).expect("it runs");
        let sent = sim.machines()[0].session.confirmed_tick();
        assert!(sent > Tick(600), "{seats} seats each: tick {sent}");
        sim.settle().expect("it runs");
        sim.agree().expect("all agree");
    }
}

#[test]
fn a_match_may_start_at_any_tick() {
    let mut sim = SimMatch::new(5);
    for own in 0..2u8 {
        let config = SessionConfig::new().delay(2).start(Tick(70_001));
        let config = match own {
            0 => config.local().remote(PeerId(1)),
            _ => config.remote(PeerId(0)).local(),
        };
        sim.add(config.bot(), Game::default()).expect("a sound setup");
    }
    sim.connect(0, 1);
    let config = watcher(2, 0, 10).start(Tick(70_001));
    let spectator = sim.add(config, Game::default()).expect("a sound setup");
    sim.connect_spectator(0, spectator);
    sim.network().set_all_links(LinkConfig::wifi()).expect("a sound link");
    sim.run(600, inputs).expect("it runs");
    assert!(sim.machines()[spectator].session.current_tick() > Tick(70_500));
    sim.settle().expect("it runs");
    for machine in sim.machines() {
        assert_eq!(machine.events.iter().find(|event| is_desync(event)), None);
        assert!(machine.session.stats().compared > 20);
    }
}

#[test]
fn all_players_at_one_machine_never_wait() {
    let mut sim = machines(1, 1, 4, LinkConfig::severe());
    sim.run(300, inputs).expect("it runs");
    let stats = sim.machines()[0].session.stats();
    assert_eq!((stats.stalls, stats.rollbacks, stats.predicted), (0, 0, 0));
}

#[test]
fn a_spectator_sees_the_match_from_behind_its_buffer() {
    let mut sim = machines(3, 2, 1, LinkConfig::wifi());
    let spectator = sim.add(watcher(2, 0, 20), Game::default()).expect("a sound setup");
    sim.connect_spectator(0, spectator);
    sim.run(600, inputs).expect("it runs");
    let session = &sim.machines()[spectator].session;
    let host = &sim.machines()[0].session;
    let behind = host.confirmed_tick().since(session.current_tick());
    assert!((10..80).contains(&behind), "{behind} ticks behind");
    assert_eq!(session.stats().predicted, 0);
    assert!(session.stats().stalls < 60, "{:?}", session.stats());
    sim.settle().expect("it runs");
    sim.agree_after_watching(spectator);
}

#[test]
fn a_spectator_that_comes_late_catches_up_by_two_ticks_a_time() {
    let mut sim = machines(4, 2, 1, LinkConfig::lan());
    let spectator = sim.add(watcher(2, 0, 6), Game::default()).expect("a sound setup");
    sim.run(100, inputs).expect("it runs");
    assert_eq!(sim.machines()[spectator].session.current_tick(), Tick(0));
    sim.connect_spectator(0, spectator);
    sim.run(40, inputs).expect("it runs");
    let present = sim.machines()[spectator].session.current_tick();
    assert!(present > Tick(60), "more than a tick for each of the clock: {present}");
    sim.run(200, inputs).expect("it runs");
    let behind = {
        let [host, _, watcher] = sim.machines() else { panic!("three machines") };
        host.session.confirmed_tick().since(watcher.session.current_tick())
    };
    assert!(behind < 30, "{behind} ticks behind");
    sim.settle().expect("it runs");
    sim.agree_after_watching(spectator);
}

#[test]
fn a_spectator_with_a_bad_link_still_sees_the_same() {
    for seed in 0..5 {
        let mut sim = machines(seed, 2, 1, LinkConfig::wifi());
        let spectator = sim.add(watcher(2, 0, 30), Game::default()).expect("a sound setup");
        sim.connect_spectator(0, spectator);
        let bad = LinkConfig {
            latency: Duration::from_millis(150),
            loss_ppm: 300_000,
            ..LinkConfig::perfect()
        };
        let nodes: Vec<_> = sim.network().nodes().collect();
        sim.network().set_both_ways(nodes[0], nodes[spectator], bad).expect("a sound link");
        sim.run(600, inputs).expect("it runs");
        sim.settle().expect("it runs");
        sim.agree_after_watching(spectator);
    }
}

/// Once only bots played, a spectator knew of one tick ahead and waited for ever for its buffer to fill; where a human was to
/// come later, it ran ahead of its host up to that tick.
#[test]
fn a_spectator_watches_bots_at_the_pace_of_its_host() {
    let mut sim = machines(6, 2, 1, LinkConfig::wifi());
    let spectator = sim.add(watcher(2, 0, 20), Game::default()).expect("a sound setup");
    sim.connect_spectator(0, spectator);
    sim.run(100, inputs).expect("it runs");
    let seat_all = |sim: &mut SimMatch<Game>, tick, occupants: [Occupant; 3]| {
        for (machine, occupant) in sim.machines_mut().iter_mut().zip(occupants) {
            for player in [PlayerId(0), PlayerId(1)] {
                machine.session.seat(Tick(tick), player, occupant).expect("not confirmed yet");
            }
        }
    };
    seat_all(&mut sim, 150, [Occupant::Bot; 3]);
    // It runs dry just before, with fewer ticks to come than it buffers.
    sim.run(40, inputs).expect("it runs");
    let nodes: Vec<_> = sim.network().nodes().collect();
    let (from, to) = (sim.now(), sim.now() + Duration::from_millis(900));
    sim.network().partition(nodes[0], nodes[spectator], from..to).expect("a window");
    let watch = |sim: &mut SimMatch<Game>, ticks| {
        for _ in 0..ticks {
            sim.run(1, inputs).expect("it runs");
            let [host, _, watcher] = sim.machines() else { panic!("three machines") };
            let (ahead, behind) = (watcher.session.current_tick(), host.session.current_tick());
            assert!(ahead <= behind, "tick {ahead} before its host, at {behind}");
        }
        let [host, _, watcher] = sim.machines() else { panic!("three machines") };
        let behind = host.session.current_tick().since(watcher.session.current_tick());
        assert!(behind < 80, "{behind} ticks behind");
    };
    watch(&mut sim, 300);
    let back = [Occupant::Local, Occupant::Remote(PeerId(0)), Occupant::Remote(PeerId(0))];
    seat_all(&mut sim, 500, back);
    watch(&mut sim, 200);
    sim.settle().expect("it runs");
    sim.agree_after_watching(spectator);
}

trait Watched {
    fn agree_after_watching(&self, spectator: usize);
}

impl Watched for SimMatch<Game> {
    /// The spectator's state is one that its host digested too, or it said nothing of a difference all along.
    fn agree_after_watching(&self, spectator: usize) {
        let watcher = &self.machines()[spectator];
        let compared = watcher.session.stats().compared;
        assert!(compared > 5, "{compared} digests were compared");
        for machine in self.machines() {
            assert_eq!(machine.events.iter().filter(|event| is_desync(event)).count(), 0);
            assert_eq!(machine.refused, [], "nothing was refused");
        }
        assert!(watcher.session.current_tick() > Tick(300), "it goes on");
    }
}

fn is_desync(event: &isostep_rollback::SessionEvent) -> bool {
    use isostep_rollback::SessionEvent::{Desync, DigestsDiffer};
    matches!(event, Desync(_) | DigestsDiffer { .. })
}

/// Counts presses by the edge between two inputs, and commands, which arrive in pieces over several ticks.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
struct Doors {
    pressed: u32,
    orders: u32,
}

impl Simulation for Doors {
    type Input = NewestWins<u8>;
    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        for (player, input) in inputs.iter() {
            self.pressed += u32::from(input.value.0 == 1 && input.previous.0 == 0);
            self.orders += inputs.commands(player).count() as u32;
        }
    }
}

/// Returns whether a spectator that starts after so many ticks agrees with its host, and whether a command was on its way then.
fn late_spectator(wait: u32, with_inputs: bool) -> (bool, bool) {
    let mut sim = SimMatch::new(u64::from(wait));
    let config = SessionConfig::new().digest_every(4);
    sim.add(config.clone().local(), Doors::default()).expect("a sound setup");
    // Held for long: nearly every start is within a press.
    let held = |_: usize, _: PlayerId, tick: Tick| NewestWins(u8::from(!tick.0.is_multiple_of(40)));
    for tick in 0..wait {
        if tick.is_multiple_of(16) {
            let session = &mut sim.machines_mut()[0].session;
            session.command(PlayerId(0), &[7; 200]).expect("few wait");
        }
        sim.run(1, held).expect("it runs");
    }
    let host = &sim.machines()[0];
    let tick = host.session.confirmed_tick().min(host.session.current_tick());
    let inputs = host.session.start_inputs(tick).expect("the tick is final");
    assert_eq!((inputs.tick(), host.session.current_tick()), (tick, tick));
    assert_eq!(host.session.start_inputs(tick.next()), None);
    let sent = serde_json::to_string(&inputs).expect("it is plain data");
    let inputs = serde_json::from_str(&sent).expect("it is unchanged");
    let mut game = host.game.clone();
    let wrong = Session::start_with(config.clone().spectate(2), &mut game, &inputs).err();
    assert_eq!(wrong, Some(SessionError::StartInputs { inputs: 1, seats: 0 }));
    let config = config.authority(Authority::Bundle).spectate(2).remote(PeerId(0));
    let session = if with_inputs {
        Session::start_with(config, &mut game, &inputs)
    } else {
        Session::start(config.start(tick), &mut game)
    };
    let spectator = sim.add_session(session.expect("a sound setup"), game);
    sim.connect_spectator(0, spectator);
    sim.run(60, held).expect("it runs");
    sim.settle().expect("it runs");
    assert!(sim.machines()[spectator].session.stats().compared > 5);
    let differs = |machine: &Machine<Doors>| machine.events.iter().any(is_desync);
    (!sim.machines().iter().any(differs), sent.contains("\"pending\":["))
}

/// The first step of a session that starts during a match sees the inputs of the tick before, and completes a command that has
/// begun. Without them a held button counts as pressed once more, and the command is lost.
#[test]
fn a_late_spectator_sees_the_inputs_before_its_start() {
    let late: Vec<_> = (20..60).map(|wait| late_spectator(wait, true)).collect();
    assert!(late.iter().all(|(agrees, _)| *agrees), "{late:?}");
    assert!(late.iter().filter(|(_, begun)| *begun).count() > 5, "{late:?}");
    assert!(!late_spectator(30, false).0, "nothing depends on these inputs");
}

/// The state of the confirmed tick is final, also right after a change of seats.
#[test]
fn a_change_of_seats_confirms_no_state_that_is_still_wrong() {
    let mut game = Doors::default();
    let config = SessionConfig::new().local().remote(PeerId(0)).seat(Occupant::Empty);
    let mut session = Session::start(config, &mut game).expect("a sound setup");
    for tick in 0..3 {
        session.local_input(PlayerId(0), NewestWins(0)).expect("the seat is local");
        session.advance(Time::from_millis(tick * 17)).run(&mut game).expect("it runs");
    }
    let inputs = [NewestWins(0), NewestWins(1), NewestWins(0)];
    session.remote_inputs(PlayerId(1), Tick(0), &inputs).expect("they are in time");
    session.seat(Tick(50), PlayerId(2), Occupant::Bot).expect("it is in time");
    let tick = session.confirmed_tick();
    let before = State::digest(&game, session.slots(), tick).expect("it is held");
    assert_eq!(tick, Tick(1));
    session.advance(Time::from_millis(51)).run(&mut game).expect("it runs");
    let after = State::digest(&game, session.slots(), tick).expect("it is held");
    assert_eq!((session.confirmed_tick(), before), (Tick(3), after));
}
