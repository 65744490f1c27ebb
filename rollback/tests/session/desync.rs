//! Machines that compute something else: found on the tick, the entity and the field, on both sides, and never without
//! cause.

use super::game::{Game, Pad, pad};
use super::model::mixed;
use isostep_core::digest::ShortDigest;
use isostep_rollback::{
    Blame, DesyncReport, Inputs, LinkConfig, Mode, NewestWins, PeerId, PlayerId, Session,
    SessionConfig, SessionEvent, SimMatch, Simulation, Tick, Time,
};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

fn inputs(_: usize, player: PlayerId, tick: Tick) -> Pad {
    pad(mixed(&[u64::from(player.0), u64::from(tick.0) / 4]))
}

fn mesh(seed: u64, players: u8, link: LinkConfig) -> SimMatch<Game> {
    let config = SessionConfig::new().delay(2).mode(Mode::Rollback { max: 12 });
    SimMatch::mesh(seed, players, &config, link, |_| Game::default()).expect("a sound setup")
}

/// Reports of a machine, by peer.
fn reports(sim: &SimMatch<Game>, machine: usize) -> Vec<&DesyncReport> {
    let events = sim.machines()[machine].events.iter();
    let report = events.filter_map(|event| match event {
        SessionEvent::Desync(report) => Some(&**report),
        _ => None,
    });
    report.collect()
}

/// During the first digest interval the session thought that its log no longer reached back to the start, and took the
/// tick in dispute itself for the last common one: the innocent side blamed itself, and no field was named.
#[test]
fn a_difference_on_the_first_ticks_is_traced_from_the_start() {
    let mut sim = mesh(1, 2, LinkConfig::perfect());
    sim.machines()[1].game.fault.on(Tick(0));
    sim.run(60, inputs).expect("it runs");
    for machine in 0..2 {
        let found = reports(&sim, machine);
        let [report] = found[..] else { panic!("machine {machine}: {found:?}") };
        assert_eq!((report.tick, &report.blame), (Tick(1), &Blame::Unknown), "{report}");
    }
}

#[test]
fn both_sides_name_the_first_tick_the_entity_the_field_and_both_values() {
    for (seed, link) in [
        (1, LinkConfig::perfect()),
        (2, LinkConfig::lan()),
        (3, LinkConfig::wifi()),
        (4, LinkConfig::mobile()),
        (5, LinkConfig::severe()),
    ] {
        for fault in [0, 15, 16, 100, 113, 127, 128, 129, 255] {
            let mut sim = mesh(seed, 2, link);
            sim.machines()[1].game.fault.on(Tick(fault));
            sim.run(fault + 500, inputs).expect("it runs");
            let (ours, theirs) = (reports(&sim, 0), reports(&sim, 1));
            let [ours] = ours[..] else { panic!("seed {seed}, tick {fault}: {ours:?}") };
            let [theirs] = theirs[..] else { panic!("seed {seed}, tick {fault}: {theirs:?}") };
            assert_eq!((ours.peer, theirs.peer), (PeerId(1), PeerId(0)));
            for report in [ours, theirs] {
                assert_eq!(report.tick, Tick(fault + 1), "the state after the step: {report}");
                let name = (report.entity.as_str(), report.field.as_str());
                assert_eq!(name, ("treasure", "[1]"), "{report}");
                assert_eq!((&report.blame, report.more.len()), (&Blame::Unknown, 0), "{report}");
            }
            assert_eq!((&ours.local, &ours.remote), (&theirs.remote, &theirs.local));
            let value = |text: &str| text.parse::<u32>().expect("a number");
            assert_eq!(value(&ours.local) ^ value(&ours.remote), 1 << 7, "{ours}");
        }
    }
}

#[test]
fn of_three_machines_all_name_the_one_that_differs() {
    for (seed, link) in [(1, LinkConfig::perfect()), (2, LinkConfig::mobile())] {
        for players in [3, 5] {
            let mut sim = mesh(seed, players, link);
            sim.machines()[1].game.fault.on(Tick(140));
            sim.run(900, inputs).expect("it runs");
            for machine in 0..usize::from(players) {
                let found = reports(&sim, machine);
                assert!(!found.is_empty(), "machine {machine} says nothing");
                let us = machine == 1;
                let peers = if us { vec![] } else { vec![PeerId(1)] };
                let blame = Blame::Minority { peers, local: us };
                for report in found {
                    assert_eq!((report.tick, &report.blame), (Tick(141), &blame), "{report}");
                }
            }
        }
    }
}

#[test]
fn a_difference_is_found_in_every_mode() {
    for mode in [Mode::Lockstep, Mode::Rollback { max: 1 }, Mode::Unbounded { steps: 90 }] {
        let config = SessionConfig::new().delay(2).mode(mode);
        let mut sim = SimMatch::mesh(6, 2, &config, LinkConfig::wifi(), |_| Game::default())
            .expect("a sound setup");
        sim.machines()[0].game.fault.on(Tick(133));
        sim.run(900, inputs).expect("it runs");
        for machine in 0..2 {
            let found = reports(&sim, machine);
            let [report] = found[..] else { panic!("{mode:?}, machine {machine}: {found:?}") };
            assert_eq!(report.tick, Tick(134), "{mode:?}: {report}");
        }
    }
}

#[test]
fn a_second_difference_long_after_the_first_does_not_stop_the_match() {
    let mut sim = mesh(7, 2, LinkConfig::wifi());
    sim.machines()[1].game.fault.on(Tick(100));
    sim.run(500, inputs).expect("it runs");
    sim.machines()[1].game.fault.on(Tick(600));
    sim.run(500, inputs).expect("it runs");
    assert!(sim.machines().iter().all(|machine| machine.session.confirmed_tick() > Tick(950)));
}

/// Something outside of the state that steps read: a counter that rollbacks don't take back.
#[test]
fn what_leaks_from_outside_of_the_state_is_named() {
    let mut named = 0;
    for seed in 0..8 {
        let mut sim = mesh(seed, 2, LinkConfig::mobile());
        sim.machines_mut()[1].game.scratch = Some(Arc::default());
        sim.run(900, inputs).expect("it runs");
        for machine in 0..2 {
            for report in reports(&sim, machine) {
                let name = (report.entity.as_str(), report.field.as_str());
                // It leaks on while both look for it, so they may lose the thread.
                let lost = name == ("state", "digest") && report.blame != Blame::Local;
                assert!(lost || name == ("treasure", "[2]"), "seed {seed}: {report}");
                named += u32::from(!lost);
            }
        }
        // A machine that computes another result from the same state is at fault.
        let blamed = reports(&sim, 1).iter().any(|report| report.blame == Blame::Local);
        assert!(blamed, "seed {seed}: {:?}", reports(&sim, 1));
    }
    assert!(named >= 8);
}

/// A recheck resimulates also the ticks after the one in doubt. A fault there was repaired
/// silently, and recordings kept the wrong states.
#[test]
fn a_fault_after_the_tick_in_doubt_is_reported() {
    let config = SessionConfig::new().local().remote(PeerId(0)).digest_every(8);
    let [mut game, mut right] = [Game::default(), Game::default()];
    // Its sixty-fourth step is wrong, once.
    game.scratch = Some(Arc::default());
    let mut session = Session::start(config.clone(), &mut game).expect("a sound setup");
    let mut other = Session::start(config, &mut right).expect("a sound setup");
    let play = |session: &mut Session<Game>, game: &mut Game, tick: u32| {
        session.remote_inputs(PlayerId(1), Tick(tick), &[pad(0)]).expect("in order");
        session.advance(Time::ZERO).run(game).expect("it runs");
    };
    for tick in 0..66 {
        play(&mut session, &mut game, tick);
        play(&mut other, &mut right, tick);
        if let Some((tick, digest)) = other.digest().filter(|(tick, _)| *tick < Tick(56)) {
            session.remote_digest(PeerId(0), tick, digest).expect("a known peer");
        }
    }
    assert_ne!(game, right, "nothing went wrong");
    // A peer has something else on a tick that is right here.
    let wrong = ShortDigest::from_bytes([7; 16]);
    session.remote_digest(PeerId(0), Tick(56), wrong).expect("a known peer");
    play(&mut session, &mut game, 66);
    play(&mut other, &mut right, 66);
    assert_eq!(game, right, "computed anew, it is right");
    let events: Vec<_> = core::iter::from_fn(|| session.poll_event()).collect();
    assert!(events.contains(&SessionEvent::Repaired { from: Tick(48) }), "{events:?}");
}

/// Going back to a keyframe dropped the states that were kept for comparing digests. A difference that was found later was
/// to be traced from one of them, and the session could not go on.
#[test]
fn a_difference_after_a_deep_rollback_is_traced() {
    for awake in 64..96 {
        let config = SessionConfig::new().digest_every(8).mode(Mode::Unbounded { steps: 90 });
        let mut sim = SimMatch::mesh(9, 2, &config, LinkConfig::lan(), |_| Game::default())
            .expect("a sound setup");
        sim.run(awake, inputs).expect("it runs");
        sim.machines_mut()[1].suspended = true;
        sim.run(50, inputs).expect("it runs");
        let machine = &mut sim.machines_mut()[1];
        machine.suspended = false;
        machine.game.fault.on(machine.session.current_tick() + 1);
        sim.run(200, inputs).expect("it runs");
        for machine in 0..2 {
            assert_eq!(reports(&sim, machine).len(), 1, "awake for {awake} ticks");
        }
    }
}

#[test]
fn a_peer_that_says_no_more_is_given_up_with_a_report() {
    let mut game = Game::default();
    let config = SessionConfig::new().local().remote(PeerId(0));
    let mut session = Session::start(config, &mut game).expect("a sound setup");
    let mut found = Vec::new();
    for tick in 0..1000u32 {
        session.remote_inputs(PlayerId(1), Tick(tick), &[pad(0)]).expect("in order");
        if tick == 40 {
            let other = ShortDigest::from_bytes([7; 16]);
            session.remote_digest(PeerId(0), Tick(32), other).expect("a known peer");
        }
        session.advance(Time::ZERO).run(&mut game).expect("it runs");
        let _ = session.poll_message(PeerId(0));
        found.extend(core::iter::from_fn(|| session.poll_event()));
    }
    let differ = SessionEvent::DigestsDiffer { peer: PeerId(0), tick: Tick(32) };
    assert_eq!(found.iter().filter(|event| **event == differ).count(), 1);
    let reports = found.iter().filter(|event| matches!(event, SessionEvent::Desync(_))).count();
    assert_eq!(reports, 1, "{found:?}");
    assert_eq!(session.confirmed_tick(), Tick(1000), "the match goes on");
}

#[test]
fn clean_matches_raise_no_alarm() {
    for seed in 0..200 {
        let chance = mixed(&[seed]);
        let links = [LinkConfig::lan(), LinkConfig::wifi(), LinkConfig::mobile()];
        let mode = match chance % 3 {
            0 => Mode::Lockstep,
            1 => Mode::Rollback { max: 1 + (chance >> 8) as u32 % 20 },
            _ => Mode::Unbounded { steps: 2 + (chance >> 8) as u32 % 60 },
        };
        let config = SessionConfig::new()
            .mode(mode)
            .delay((chance >> 16) as u32 % 6)
            .digest_every(1 + (chance >> 24) as u32 % 20)
            .always_roll_back(chance >> 32 & 1 == 1);
        let link = links[(chance >> 40) as usize % 3];
        let players = 2 + (chance >> 48) as u8 % 3;
        let mut sim = SimMatch::mesh(seed, players, &config, link, |_| Game::default())
            .expect("a sound setup");
        sim.run(150, inputs).expect("it runs");
        sim.settle().expect("it runs");
        for machine in sim.machines() {
            let alarm = |event: &&SessionEvent| {
                !matches!(
                    event,
                    SessionEvent::Stalled { .. }
                        | SessionEvent::StallEnded { .. }
                        | SessionEvent::CatchingUp { .. }
                )
            };
            assert_eq!(machine.events.iter().find(alarm), None, "seed {seed}");
            assert!(machine.session.stats().compared > 0, "seed {seed}");
        }
    }
}

/// A game that keeps a counter of its steps outside of its state.
#[derive(Clone, Debug, Default, serde::Serialize)]
struct Leaky {
    score: u32,
    #[serde(skip)]
    steps: Arc<AtomicU32>,
}

impl Simulation for Leaky {
    type Input = NewestWins<u8>;

    fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
        let levels = inputs.iter().map(|(_, input)| u32::from(input.value.0)).sum();
        self.score = self.score.wrapping_mul(31).wrapping_add(levels);
        if self.steps.fetch_add(1, Relaxed) % 97 == 96 {
            self.score += 1;
        }
    }
}

/// Resimulation of such a game changes states after their digests were compared. Its reports once had no local value
/// ("state, digest:  here, its digests differ"), or accused a healthy machine of invalid messages.
#[test]
fn reports_of_a_game_that_is_not_deterministic_are_true_sentences() {
    let mut unexplained = 0;
    for seed in 0..12 {
        let players = 2 + seed as u8 % 3;
        let config = SessionConfig::new().delay(2).digest_every(8);
        let link = LinkConfig::wifi();
        let mut sim = SimMatch::mesh(seed, players, &config, link, |_| Leaky::default())
            .expect("a sound setup");
        let inputs = |_: usize, player: PlayerId, tick: Tick| {
            NewestWins(mixed(&[u64::from(player.0), u64::from(tick.0) / 5]) as u8)
        };
        sim.run(600, inputs).expect("it runs");
        for machine in sim.machines() {
            assert!(machine.refused.is_empty(), "{:?}", machine.refused.first());
            for event in &machine.events {
                let SessionEvent::Desync(report) = event else { continue };
                let text = report.to_string();
                let parts = [&report.entity, &report.field, &report.local, &report.remote];
                assert!(parts.iter().all(|part| !part.is_empty()), "{report:?}");
                assert!(!text.contains("  ") && !text.contains("invalid"), "{text}");
                let named = text.contains(&format!("{}, {}", report.entity, report.field));
                assert_ne!(named, report.unexplained.is_some(), "{text}");
                let known = report.local != "unknown" && report.remote != "unknown";
                assert!(!known || report.local != report.remote, "{text}");
                unexplained += u32::from(report.unexplained.is_some());
            }
        }
    }
    assert!(unexplained > 0);
}
