//! Worlds as states: world ticks behind session ticks, with any number of steps per tick.

use super::differences;
use super::schedule::{self, Game, acts};
use isostep_core::Tick;
use isostep_core::shape::Shape;
use isostep_core::state::{State, StateError};
use isostep_core::world::{BodyDef, BodyId, Command, Event, World, WorldDef};
use isostep_core::{HistoryError, Vec3, real};
use proptest::prelude::*;

fn balls() -> (World, Vec<BodyId>) {
    let mut world = World::with_history(WorldDef::default(), 2).unwrap();
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5)).unwrap());
    let balls = (0..6).map(|i| world.spawn(ball.clone().at(Vec3::from_ints(i, 1, 0))).unwrap());
    let balls = balls.collect();
    world.commit();
    (world, balls)
}

impl Game for World {
    fn fresh() -> Self {
        balls().0
    }

    /// Up to three steps, or none. Without a step there are no commands either.
    fn step(&mut self, input: u8) {
        let balls: Vec<BodyId> = self.bodies().map(|(id, _)| id).skip(1).collect();
        for _ in 0..input % 4 {
            let ball = balls[usize::from(input / 4) % balls.len()];
            if input >= 64 {
                self.set_velocity(ball, Vec3::from_ints(i32::from(input % 5), 2, 0)).unwrap();
            }
            World::step(self);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_rolled_back_world_equals_one_without_rollback(acts in acts(), capacity in 1usize..9) {
        schedule::play::<World>(capacity, &acts);
    }
}

#[test]
fn commands_after_the_last_step_are_refused() {
    let (mut world, balls) = balls();
    let mut slots = world.slots(4);
    world.save(&mut slots, Tick(0)).unwrap();
    world.step();
    world.set_velocity(balls[0], Vec3::X).unwrap();
    let error = world.save(&mut slots, Tick(1)).unwrap_err();
    assert_eq!(error, StateError::UnfinishedCommands { count: 1 });
    let said = error.to_string();
    assert!(said.starts_with("the world has 1 command that") && said.contains("world.step()"));
    assert!(said.contains("world.events()") && said.contains("before the first tick"), "{said}");
    let said = StateError::UnfinishedCommands { count: 2 }.to_string();
    assert!(said.starts_with("the world has 2 commands that"), "{said}");
    assert!(world.holds(&slots, Tick(0)).is_ok() && world.holds(&slots, Tick(1)).is_err());
    world.step();
    world.save(&mut slots, Tick(1)).unwrap();
}

/// A step that reads the events of the last step and answers with commands: every body with a new
/// contact gets an upward velocity.
fn answer_events(world: &mut World) {
    let touched: Vec<BodyId> = world
        .events()
        .filter_map(|event| match event {
            Event::ContactBegan(pair) => Some(pair.bodies[1]),
            _ => None,
        })
        .collect();
    for body in touched {
        world.set_velocity(body, Vec3::Y * 3).unwrap();
    }
    world.step();
}

/// The documented use of events. If events were not part of the state, a step after a rollback
/// would answer those of the old timeline, or none.
#[test]
fn events_at_the_start_of_a_step_match_the_tick_rolled_back_to() {
    let (mut world, _) = balls();
    let mut slots = world.slots(128);
    world.save(&mut slots, Tick(0)).unwrap();
    let mut straight = vec![(world.events().collect::<Vec<_>>(), world.digest())];
    for tick in 1..120 {
        answer_events(&mut world);
        world.save(&mut slots, Tick(tick)).unwrap();
        straight.push((world.events().collect(), world.digest()));
    }
    let began = |event: &Event| matches!(event, Event::ContactBegan(_));
    let reports = (0u32..).zip(&straight).filter(|(_, (events, _))| events.iter().any(began));
    let reports: Vec<u32> = reports.map(|(tick, _)| tick).collect();
    assert!(reports.len() > 2, "the balls come down more than once: {reports:?}");
    for back in reports {
        world.load(&mut slots, Tick(back)).unwrap();
        assert_eq!(world.events().collect::<Vec<_>>(), straight[back as usize].0, "tick {back}");
        // Also through a snapshot.
        let (mut copy, bytes) = (balls().0, world.snapshot(world.tick(), None).unwrap());
        copy.restore(&bytes).unwrap();
        assert_eq!(copy.events().collect::<Vec<_>>(), straight[back as usize].0, "tick {back}");
        answer_events(&mut copy);
        assert_eq!(copy.digest(), straight[back as usize + 1].1, "tick {back}");
        for tick in back + 1..120 {
            answer_events(&mut world);
            world.save(&mut slots, Tick(tick)).unwrap();
            assert_eq!(world.digest(), straight[tick as usize].1, "tick {tick} from {back}");
        }
    }
}

#[test]
fn a_burst_of_steps_loses_no_tick() {
    let (mut world, _) = balls();
    let mut slots = world.slots(4);
    let mut digests = Vec::new();
    for tick in 0..4 {
        for _ in 0..[0, 1, 1, 11][tick as usize] {
            world.step();
        }
        world.save(&mut slots, Tick(tick)).unwrap();
        digests.push(world.digest());
    }
    for tick in 0..4 {
        assert_eq!(State::digest(&world, &slots, Tick(tick)), Ok(digests[tick as usize]));
    }
    world.load(&mut slots, Tick(1)).unwrap();
    assert_eq!((world.tick(), world.digest()), (Tick(1), digests[1]));
}

#[test]
fn a_world_does_not_hold_ticks_for_a_session_that_is_gone() {
    let (mut world, _) = balls();
    let mut slots = world.slots(2);
    world.save(&mut slots, Tick(0)).unwrap();
    drop(slots);
    for _ in 0..500 {
        world.step();
    }
    assert!(world.history_report().ticks < 60, "{:?}", world.history_report());
}

#[test]
fn ticks_that_share_a_world_tick_have_pins_of_their_own() {
    let (mut world, _) = balls();
    let mut slots = world.slots(2);
    for tick in 0..3 {
        world.save(&mut slots, Tick(tick)).unwrap();
        if tick == 1 {
            State::pin(&mut world, &mut slots, Tick(0)).unwrap();
            State::pin(&mut world, &mut slots, Tick(1)).unwrap();
        }
    }
    for tick in 3..60 {
        world.step();
        world.save(&mut slots, Tick(tick)).unwrap();
    }
    assert!(State::unpin(&mut world, &mut slots, Tick(1)));
    assert!(!State::unpin(&mut world, &mut slots, Tick(1)));
    assert!(world.holds(&slots, Tick(1)).is_err());
    world.load(&mut slots, Tick(0)).unwrap();
    assert_eq!(world.tick(), Tick(0));
    assert!(State::unpin(&mut world, &mut slots, Tick(0)));
    // No pin is left in the world.
    assert!(!World::unpin(&mut world, Tick(0)));
}

#[test]
fn rolling_back_before_a_pin_drops_it() {
    let (mut world, _) = balls();
    let mut slots = world.slots(8);
    world.save(&mut slots, Tick(0)).unwrap();
    // No step: ticks 0 and 1 share a world tick.
    world.save(&mut slots, Tick(1)).unwrap();
    State::pin(&mut world, &mut slots, Tick(1)).unwrap();
    world.load(&mut slots, Tick(0)).unwrap();
    assert!(!World::unpin(&mut world, Tick(0)));
    assert_eq!(
        world.load(&mut slots, Tick(1)),
        Err(StateError::History(HistoryError::NotYet { newest: Tick(0) }))
    );
}

#[test]
fn a_world_changed_outside_of_the_session_is_an_error() {
    let (mut world, _) = balls();
    let mut slots = world.slots(8);
    for tick in 0..5 {
        world.save(&mut slots, Tick(tick)).unwrap();
        world.step();
    }
    world.rewind(Tick(2)).unwrap();
    let error = world.save(&mut slots, Tick(5)).unwrap_err();
    assert_eq!(error, StateError::WentBack { tick: Tick(4), before: Tick(4), now: Tick(2) });
    world.commit();
    let error = world.load(&mut slots, Tick(1)).unwrap_err();
    assert_eq!(error, StateError::Discarded { tick: Tick(1), world_tick: Tick(1) });
    world.load(&mut slots, Tick(2)).unwrap();
}

#[test]
fn a_longer_history_allows_deeper_rollback() {
    let (mut world, balls) = balls();
    for _ in 0..9 {
        world.step();
    }
    assert_eq!(world.history(), Tick(8)..=Tick(9));
    let at_8 = world.digest_at(Tick(8)).unwrap();
    world.rewind(Tick(8)).unwrap();
    world.set_history(40);
    assert_eq!(world.digest(), at_8);
    let straight: Vec<_> = (0..35)
        .map(|_| {
            world.step();
            world.digest()
        })
        .collect();
    for back in [30, 5, 20] {
        world.rewind(Tick(43 - back)).unwrap();
        world.set_velocity(balls[0], Vec3::X).unwrap();
        world.step();
        world.rewind(Tick(43 - back)).unwrap();
        for digest in &straight[35 - back as usize..] {
            world.step();
            assert_eq!(world.digest(), *digest);
        }
    }
    assert_eq!(world.history(), Tick(8)..=Tick(43));
    // Shrinking with an old timeline drops that first, then the oldest ticks.
    World::pin(&mut world, Tick(10)).unwrap();
    world.rewind(Tick(30)).unwrap();
    world.set_history(5);
    assert_eq!(world.history(), Tick(26)..=Tick(30));
    assert_eq!(world.digest(), straight[30 - 9]);
    world.step();
    assert_eq!(world.digest(), straight[31 - 9]);
    world.rewind(Tick(10)).unwrap();
    assert_eq!(world.digest(), straight[10 - 9]);
}

#[test]
fn a_shorter_history_frees_memory() {
    let (mut world, _) = balls();
    world.set_history(64);
    for _ in 0..64 {
        world.step();
    }
    let long = world.history_report();
    world.set_history(4);
    let short = world.history_report();
    assert_eq!((long.ticks, short.ticks), (64, 4));
    assert!(short.bytes * 4 < long.bytes, "{short:?} of {long:?}");
}

#[test]
fn drop_caches_makes_the_next_steps_full() {
    let (mut world, _) = balls();
    let mut slots = world.slots(16);
    for tick in 0..10 {
        world.save(&mut slots, Tick(tick)).unwrap();
        world.step();
    }
    let digest = world.digest();
    world.load(&mut slots, Tick(4)).unwrap();
    assert!(world.step().incremental);
    world.load(&mut slots, Tick(4)).unwrap();
    world.drop_caches(&mut slots);
    for _ in 4..10 {
        assert!(!world.step().incremental);
    }
    assert_eq!(world.digest(), digest);
}

/// The differences of two machines, of which one performed an additional action in the tick, as
/// lines.
fn reports(set_up: impl FnOnce(&mut World, &[BodyId])) -> Vec<String> {
    let (mut ours, balls) = balls();
    let mut theirs = ours.clone();
    set_up(&mut theirs, &balls);
    ours.step();
    theirs.step();
    let (mut a, mut b) = (ours.slots(4), theirs.slots(4));
    ours.save(&mut a, Tick(77)).unwrap();
    theirs.save(&mut b, Tick(77)).unwrap();
    assert_ne!(State::digest(&ours, &a, Tick(77)), State::digest(&theirs, &b, Tick(77)));
    differences((&ours, &a), (&theirs, &b), 77).iter().map(ToString::to_string).collect()
}

fn has(lines: &[String], start: &str) {
    assert!(lines.iter().any(|line| line.starts_with(start)), "no {start} in {lines:#?}");
}

#[test]
fn a_difference_in_every_section_is_named() {
    let kicked = reports(|world, balls| {
        world.set_velocity(balls[2], Vec3::from_ints(0, 3, 0)).unwrap();
    });
    has(&kicked, "body 3v1, velocity.y: ");
    let marked = reports(|world, balls| {
        world.command(Command::SetUserData(balls[1], 9)).unwrap();
    });
    assert_eq!(marked.len(), 1);
    has(&marked, "body 2v1, user_data: 0 here, 9 there");
    let gone = reports(|world, balls| world.despawn(balls[5]).unwrap());
    has(&gone, "id 6, generation: ");
    has(&gone, "body 6v1, exists: yes here, no there");
    let touching = reports(|world, balls| {
        let at = isostep_core::Transform::at(Vec3::new(real!(0), real!(0.5), real!(0)));
        world.teleport(balls[0], at).unwrap();
    });
    has(&touching, "contact ");
    has(&touching, "event ");
    let later = reports(|world, _| {
        world.step();
    });
    has(&later, "world, tick: 1 here, 2 there");
}

#[test]
fn a_worlds_name_goes_in_front() {
    let (mut world, balls) = balls();
    let mut slots = world.slots(4);
    world.save(&mut slots, Tick(0)).unwrap();
    let mut other = world.clone();
    other.set_velocity(balls[0], Vec3::from_ints(0, 2, 0)).unwrap();
    other.commit();
    let mut theirs = other.slots(4);
    other.save(&mut theirs, Tick(0)).unwrap();
    let mut tree = isostep_core::internals::DigestTree::new();
    world.tree(&slots, Tick(0), "arena", &mut tree).unwrap();
    assert!(tree.sections().all(|(name, _)| name.starts_with("arena.")));
    let (mut bytes, mut found) = (Vec::new(), Vec::new());
    assert!(!other.page(&theirs, Tick(0), "arena", "bodies", 0, &mut bytes).unwrap());
    assert!(other.page(&theirs, Tick(0), "arena", "arena.bodies", 0, &mut bytes).unwrap());
    let explain = |section: &str, found: &mut Vec<_>| {
        State::explain(&world, &slots, Tick(0), "arena", section, 0, &bytes, 5, found).unwrap()
    };
    assert!(!explain("arena2.bodies", &mut found) && !explain("bodies", &mut found));
    assert!(explain("arena.bodies", &mut found));
    assert_eq!(found[0].to_string(), "arena body 1v1, velocity.y: 0 m/s here, 2 m/s there");
}
