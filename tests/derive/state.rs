//! `derive(State)` from outside of the crate that has `World`: a struct of parts is saved, loaded, named and compared.

#[path = "../../core/tests/state/schedule.rs"]
mod schedule;

use isostep::state::{StateDifference, StateError};
use isostep::{BodyDef, BodyId, Shape, State, Vec3, World, WorldDef, real};
use isostep_core::Tick;
use isostep_core::internals::DigestTree;
use proptest::prelude::*;
use schedule::{Game as _, acts};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Hud {
    score: u32,
    log: Vec<u8>,
}

#[derive(State)]
struct Level(World, #[state(fixed)] BodyId);

/// Public, with parts that are not.
#[derive(State)]
pub struct Match {
    level: Level,
    r#type: u8,
    hud: Hud,
    #[state(fixed)]
    rules: (u8, &'static str),
    #[state(scratch)]
    buffer: Vec<u8>,
}

#[derive(State)]
struct Both<T, U: Copy, const N: usize>
where
    T: Clone,
{
    first: T,
    second: [u8; 2],
    #[state(scratch)]
    cache: Option<U>,
    #[state(fixed)]
    third: Vec<T>,
}

#[derive(State)]
#[state(crate = isostep_core::state)]
struct Elsewhere {
    world: World,
}

#[derive(State)]
struct Nothing;

impl schedule::Game for Match {
    fn fresh() -> Self {
        let mut world = World::with_history(WorldDef::default(), 2).unwrap();
        world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
        let ball = BodyDef::dynamic().at(Vec3::from_ints(0, 2, 0));
        let ball = world.spawn(ball.shape(Shape::sphere(real!(0.5)).unwrap())).unwrap();
        world.commit();
        let hud = Hud { score: 0, log: Vec::new() };
        Self { level: Level(world, ball), r#type: 1, hud, rules: (3, "fair"), buffer: Vec::new() }
    }

    fn step(&mut self, input: u8) {
        self.buffer.clear();
        self.buffer.extend([input; 3]);
        self.hud.score += self.buffer.iter().map(|byte| u32::from(*byte)).sum::<u32>();
        self.hud.log.clone_from(&self.buffer);
        self.r#type ^= input;
        if input > 100 {
            self.level.0.set_velocity(self.level.1, Vec3::from_ints(1, 3, 0)).unwrap();
        }
        for _ in 0..=input % 3 {
            self.level.0.step();
        }
    }
}

/// A match that was saved as tick 5.
fn saved(change: impl FnOnce(&mut Match)) -> (Match, <Match as State>::Slots) {
    let mut game = Match::fresh();
    change(&mut game);
    let mut slots = game.slots(4);
    game.save(&mut slots, Tick(5)).unwrap();
    (game, slots)
}

/// Differences of the other state from ours.
fn differences(change: impl FnOnce(&mut Match)) -> Vec<String> {
    let ((ours, a), (theirs, b)) = (saved(|_| {}), saved(change));
    let (mut left, mut right) = (DigestTree::new(), DigestTree::new());
    ours.tree(&a, Tick(5), "", &mut left).unwrap();
    theirs.tree(&b, Tick(5), "", &mut right).unwrap();
    assert_eq!(left == right, ours.digest(&a, Tick(5)) == theirs.digest(&b, Tick(5)));
    let mut found: Vec<StateDifference> = Vec::new();
    for at in left.diff(&right) {
        let mut bytes = Vec::new();
        assert!(theirs.page(&b, Tick(5), "", at.section, at.page, &mut bytes).unwrap());
        assert!(ours.explain(&a, Tick(5), "", at.section, at.page, &bytes, 9, &mut found).unwrap());
    }
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_difference_in_every_part_is_named() {
    assert_eq!(differences(|_| {}), [""; 0]);
    assert_eq!(differences(|game| game.r#type = 2), ["state, type: 1 here, 2 there"]);
    assert_eq!(differences(|game| game.hud.score = 7), ["hud, score: 0 here, 7 there"]);
    assert_eq!(
        differences(|game| game.hud.log.push(9)),
        ["hud, log: (empty) here, (nothing) there", "hud.log, [0]: (nothing) here, 9 there"]
    );
    assert_eq!(differences(|game| game.rules.0 = 4), ["rules, 0: 3 here, 4 there"]);
    let kicked = differences(|game| {
        game.level.0.set_velocity(game.level.1, Vec3::from_ints(0, 2, 0)).unwrap();
        game.level.0.commit();
    });
    assert_eq!(kicked, ["level.0 body 1v1, velocity.y: 0 m/s here, 2 m/s there"]);
}

#[test]
fn scratch_is_no_part_of_the_state() {
    assert_eq!(differences(|game| game.buffer.push(1)), [""; 0]);
}

#[test]
fn scratch_is_reset_when_it_is_distrusted_and_only_then() {
    let (mut game, mut slots) = saved(|game| game.buffer.push(7));
    game.load(&mut slots, Tick(5)).unwrap();
    assert_eq!(game.buffer, [7]);
    game.drop_caches(&mut slots);
    assert_eq!(game.buffer, [0u8; 0]);
}

#[test]
fn a_part_that_cannot_be_saved_stops_all_of_them() {
    let (mut game, mut slots) = saved(|_| {});
    // The world is after `hud` in no order: it is asked before anything is saved.
    game.hud.score = 50;
    game.level.0.set_velocity(game.level.1, Vec3::X).unwrap();
    let error = game.save(&mut slots, Tick(5)).unwrap_err();
    assert_eq!(error, StateError::UnfinishedCommands { count: 1 });
    game.load(&mut slots, Tick(5)).unwrap();
    assert_eq!(game.hud.score, 0);
}

#[test]
fn a_part_that_lost_a_tick_stops_all_of_them() {
    let (mut game, mut slots) = saved(|_| {});
    for tick in 6..9 {
        game.level.0.step();
        game.hud.score += 1;
        game.save(&mut slots, Tick(tick)).unwrap();
    }
    game.level.0.commit();
    assert!(matches!(
        game.load(&mut slots, Tick(6)),
        Err(StateError::Discarded { tick: Tick(6), .. })
    ));
    assert!(game.pin(&mut slots, Tick(6)).is_err());
    assert_eq!(game.hud.score, 3);
    assert!(!game.unpin(&mut slots, Tick(6)));
}

#[test]
fn a_field_that_cannot_be_hashed_is_named() {
    #[derive(State)]
    struct Outer {
        inner: Inner,
    }
    #[derive(State)]
    #[allow(clippy::disallowed_types, reason = "what must be noticed")]
    struct Inner {
        speeds: Vec<f32>,
    }
    let mut game = Outer { inner: Inner { speeds: vec![0.5] } };
    let mut slots = game.slots(1);
    game.save(&mut slots, Tick(0)).unwrap();
    let error = game.digest(&slots, Tick(0)).unwrap_err().to_string();
    assert!(error.starts_with("`inner.speeds[0]` is a float"), "{error}");
    let error = game.tree(&slots, Tick(0), "", &mut DigestTree::new()).unwrap_err().to_string();
    assert!(error.starts_with("`inner.speeds[0]` is a float"), "{error}");
}

#[test]
fn generic_and_empty_structs_are_states() {
    let mut both = Both::<u64, u8, 3> { first: 1, second: [2; 2], cache: Some(3), third: vec![4] };
    let mut slots = both.slots(2);
    both.save(&mut slots, Tick(0)).unwrap();
    let before = both.digest(&slots, Tick(0)).unwrap();
    both.first = 9;
    both.save(&mut slots, Tick(1)).unwrap();
    assert_ne!(both.digest(&slots, Tick(1)), Ok(before));
    both.load(&mut slots, Tick(0)).unwrap();
    both.drop_caches(&mut slots);
    assert_eq!((both.first, both.cache, both.second, both.third), (1, None, [2; 2], vec![4]));

    let mut nothing = Nothing;
    let mut slots = nothing.slots(1);
    nothing.save(&mut slots, Tick(0)).unwrap();
    assert!(!nothing.unpin(&mut slots, Tick(0)) && nothing.digest(&slots, Tick(0)).is_ok());

    let mut other = Elsewhere { world: World::new(WorldDef::default()).unwrap() };
    let mut slots = other.slots(1);
    other.save(&mut slots, Tick(0)).unwrap();
    other.load(&mut slots, Tick(0)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_match_rolled_back_is_the_same_as_one_that_went_straight(acts in acts(), capacity in 1usize..6) {
        schedule::play::<Match>(capacity, &acts);
    }
}
