//! Games with deliberate faults. Each fault must be found and located by entity and field; states
//! that can't be deterministic are refused before the match begins.

use super::common::{bad_link, config};
use isostep_core::world::Command;
use isostep_core::{Real, Vec3};
use isostep_derive::State;
use isostep_rollback::{
    Blame, DesyncReport, Inputs, PeerId, PlayerId, Session, SessionConfig, SessionError,
    SessionEvent, SimMatch, Simulation, Tick,
};
use isostep_scenes::games::{Arena, ArenaInput, ArenaSize, arena_input};
use serde::{Serialize, Serializer};
use std::hash::{BuildHasher, Hasher};

const SIZE: ArenaSize = ArenaSize { players: 3, props: 6 };

/// Fault of the program on a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Fault {
    #[default]
    None,
    /// Floats, rounded twice.
    Rounded,
    /// Floats, rounded once, as with fused multiply-add.
    Fused,
    /// Iteration over a hash table with this seed.
    Walked(u64),
    /// One body falls more slowly from this tick on.
    Floats(u32),
    /// After this many steps, resimulated ones included, the result changes.
    Leak(u32),
}

/// The fault is part of the program and not of its state: every machine digests the same bytes of
/// it.
#[derive(Clone, Copy, Debug, Default)]
struct Program(Fault);

impl Serialize for Program {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

#[derive(State)]
#[state(crate = isostep_core::state)]
struct Faulty {
    arena: Arena,
    #[state(fixed)]
    program: Program,
    #[state(scratch)]
    calls: u32,
}

impl Simulation for Faulty {
    type Input = ArenaInput;

    fn step(&mut self, tick: Tick, inputs: &Inputs<ArenaInput>) {
        self.calls += 1;
        match self.program.0 {
            Fault::None => (),
            Fault::Rounded => self.brake(|speed| speed * FACTOR + DRIFT),
            Fault::Fused => self.brake(|speed| speed.mul_add(FACTOR, DRIFT)),
            Fault::Walked(seed) => self.reward(tick, seed),
            Fault::Floats(from) => {
                if tick.0 == from {
                    let ball = self.arena.ball();
                    let command = Command::SetGravityScale(ball, Real::HALF);
                    self.arena.world_mut().command(command).unwrap();
                }
            }
            Fault::Leak(calls) => {
                if self.calls > calls {
                    self.arena.players_mut()[1].kicks += 1;
                }
            }
        }
        self.arena.step(tick, inputs);
    }
}

#[allow(clippy::disallowed_types, reason = "the injected fault")]
const FACTOR: f32 = 0.97;
#[allow(clippy::disallowed_types, reason = "the injected fault")]
const DRIFT: f32 = 0.01;

impl Faulty {
    fn new(seed: u64, fault: Fault) -> Self {
        Self { arena: Arena::new(SIZE, seed), program: Program(fault), calls: 0 }
    }

    /// Brakes a player, in floats.
    #[allow(clippy::disallowed_types, reason = "the injected fault")]
    fn brake(&mut self, drag: fn(f32) -> f32) {
        let player = self.arena.body_of(PlayerId(2)).unwrap();
        let Some(body) = self.arena.world().body(player) else { return };
        let slow = |speed: Real| Real::from_f32(drag(speed.to_f32())).unwrap();
        let velocity = body.velocity();
        let velocity = Vec3::new(slow(velocity.x), velocity.y, slow(velocity.z));
        self.arena.world_mut().set_velocity(player, velocity).unwrap();
    }

    /// Gives points to all players on the field, most to the first in iteration order.
    #[allow(clippy::disallowed_types, reason = "the injected fault")]
    fn reward(&mut self, tick: Tick, seed: u64) {
        if tick.0 % 50 != 49 {
            return;
        }
        let mut present = std::collections::HashSet::with_hasher(Seeded(seed));
        for player in 0..SIZE.players {
            present.insert(player);
        }
        for (points, &player) in (0..).zip(&present) {
            self.arena.players_mut()[usize::from(player)].goals += 3 - points;
        }
    }
}

/// Replaces `RandomState` of two processes, with fixed seeds.
#[derive(Clone)]
struct Seeded(u64);

impl BuildHasher for Seeded {
    type Hasher = Seeded;
    fn build_hasher(&self) -> Seeded {
        self.clone()
    }
}

impl Hasher for Seeded {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Plays a match with a fault of its own, or none, on each machine.
fn play(seed: u64, faults: [Fault; 3], ticks: u32) -> SimMatch<Faulty> {
    let make = |own| Faulty::new(seed, faults[usize::from(own)]);
    let mut fleet = SimMatch::mesh(seed, 3, &config(), bad_link(), make).unwrap();
    fleet.run(ticks, |_, player, tick| arena_input(seed, player, tick)).unwrap();
    fleet
}

fn reports(fleet: &SimMatch<Faulty>, machine: usize) -> Vec<&DesyncReport> {
    let events = fleet.machines()[machine].events.iter();
    let reports = events.filter_map(|event| match event {
        SessionEvent::Desync(report) => Some(report.as_ref()),
        _ => None,
    });
    reports.collect()
}

#[test]
fn a_fused_float_operation_is_located() {
    let fleet = play(1, [Fault::Rounded, Fault::Fused, Fault::Rounded], 240);
    let body = format!("body {}", fleet.machines()[0].game.arena.body_of(PlayerId(2)).unwrap());
    for machine in 0..3 {
        let reports = reports(&fleet, machine);
        let first = reports.first().expect("no machine noticed");
        println!("machine {machine}: {first}");
        assert!(first.entity.ends_with(&body), "{first}");
        // The position that the velocity caused comes first in a row.
        let mut fields = first.more.iter().map(|more| &more.field).chain([&first.field]);
        assert!(fields.any(|field| field.starts_with("velocity.")), "{first}");
        assert_ne!(first.local, first.remote);
        let (peers, us) = if machine == 1 { (vec![], true) } else { (vec![PeerId(1)], false) };
        assert_eq!(first.blame, Blame::Minority { peers, local: us });
    }
}

/// Regression: a ball with halved gravity rolled elsewhere, and the report named its position but
/// not the cause.
#[test]
fn the_cause_is_reported_before_its_effects() {
    let fleet = play(1, [Fault::None, Fault::Floats(100), Fault::None], 420);
    for machine in 0..3 {
        let reports = reports(&fleet, machine);
        let first = reports.first().expect("no machine noticed");
        println!("machine {machine}: {first}");
        assert_eq!((first.tick, first.field.as_str()), (Tick(101), "gravity_scale"), "{first}");
        assert!(!first.more.is_empty(), "consequences are reported too");
    }
}

#[test]
fn a_hash_table_iteration_is_located() {
    // The second seed is the first one with another iteration order of the players.
    let order = |seed| {
        let mut faulty = Faulty::new(1, Fault::None);
        faulty.reward(Tick(49), seed);
        faulty.arena.players().iter().map(|player| player.goals).collect::<Vec<_>>()
    };
    let other = (1..100).find(|&seed| order(seed) != order(0)).expect("all walk alike");
    let fleet = play(2, [Fault::Walked(0), Fault::Walked(0), Fault::Walked(other)], 240);
    let differs = order(0).iter().zip(order(other)).position(|(a, b)| *a != b).unwrap();
    for machine in 0..3 {
        let reports = reports(&fleet, machine);
        let first = reports.first().expect("no machine noticed");
        println!("machine {machine}: {first}");
        assert_eq!(first.entity, format!("arena.players[{differs}]"));
        assert_eq!(first.field, "goals");
        assert_eq!(first.tick, Tick(50));
    }
}

#[test]
fn a_scratch_leak_is_found_and_repaired_locally() {
    for seed in 0..5 {
        let mut fleet = play(seed, [Fault::None, Fault::Leak(250), Fault::None], 400);
        let own = reports(&fleet, 1);
        let first = own.first().expect("the machine that was wrong did not notice");
        println!("seed {seed}: {first}");
        assert_eq!((first.entity.as_str(), first.field.as_str()), ("arena.players[1]", "kicks"));
        assert_eq!(first.blame, Blame::Local);
        let repaired = |event: &SessionEvent| matches!(event, SessionEvent::Repaired { .. });
        assert!(fleet.machines()[1].events.iter().any(repaired));
        for machine in [0, 2] {
            let events = &fleet.machines()[machine].events;
            let expected = SessionEvent::PeerRepaired { peer: PeerId(1) };
            assert!(events.contains(&expected), "machine {machine}: {events:?}");
            assert!(!events.iter().any(repaired));
        }
        fleet.settle().unwrap();
        fleet.agree().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// Error of a game with a non-deterministic state.
fn refusal<S: Simulation>(mut game: S) -> String {
    let config = SessionConfig::new().local();
    match Session::start(config, &mut game) {
        Err(SessionError::State(error)) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("nothing was refused"),
    }
}

#[test]
#[allow(clippy::disallowed_types, reason = "the injected fault")]
fn a_float_in_the_state_is_refused_with_its_path() {
    #[derive(Clone, Serialize)]
    struct Wind {
        strength: f32,
    }
    #[derive(State)]
    #[state(crate = isostep_core::state)]
    struct Game {
        arena: Arena,
        weather: Vec<Wind>,
    }
    impl Simulation for Game {
        type Input = ArenaInput;
        fn step(&mut self, tick: Tick, inputs: &Inputs<ArenaInput>) {
            self.arena.step(tick, inputs);
        }
    }
    let arena = Arena::new(SIZE, 1);
    let error = refusal(Game { arena, weather: vec![Wind { strength: 1.5 }] });
    assert!(error.contains("weather[0].strength"), "{error}");
}

#[test]
#[allow(clippy::disallowed_types, reason = "the injected fault")]
fn a_hash_table_in_the_state_is_refused_with_its_path() {
    #[derive(Clone, Serialize)]
    struct Bets {
        stakes: std::collections::HashMap<PlayerId, u32>,
    }
    #[derive(State)]
    #[state(crate = isostep_core::state)]
    struct Game {
        arena: Arena,
        bets: Bets,
    }
    impl Simulation for Game {
        type Input = ArenaInput;
        fn step(&mut self, tick: Tick, inputs: &Inputs<ArenaInput>) {
            self.arena.step(tick, inputs);
        }
    }
    let bets = Bets { stakes: [(PlayerId(0), 5), (PlayerId(1), 7)].into_iter().collect() };
    let error = refusal(Game { arena: Arena::new(SIZE, 1), bets });
    assert!(error.contains("bets.stakes"), "{error}");
}

#[test]
fn different_settings_are_reported_at_once() {
    let make = |own| Arena::new(SIZE, if own == 1 { 8 } else { 7 });
    let mut fleet = SimMatch::mesh(3, 3, &config(), bad_link(), make).unwrap();
    fleet.run(120, |_, player, tick| arena_input(3, player, tick)).unwrap();
    for (index, machine) in fleet.machines().iter().enumerate() {
        let report = machine.events.iter().find_map(|event| match event {
            SessionEvent::Desync(report) => Some(report),
            _ => None,
        });
        let report = report.expect("no machine noticed");
        println!("machine {index}: {report}");
        assert_eq!((report.entity.as_str(), report.field.as_str()), ("settings", "seed"));
        assert!(!machine.events.iter().any(|event| matches!(event, SessionEvent::Repaired { .. })));
    }
}
