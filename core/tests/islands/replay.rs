//! Repeatability: two runs, a run without scratch and a run with discarded commands have the same digests and events.

use super::common::{
    all_bits, asleep_world, awake, crate_at, encoded, ground, pose, run, spot, steps_to_sleep,
};
use isostep_core::world::{BodyDef, BodyId, BodyKind, Command, Event, Filter, Material, World};
use isostep_core::{Real, Rng, Vec3, real};
use isostep_scenes::scenes::{self, Scene};

/// Applies one of twelve random commands to a body. Fixed bodies reject some of them.
pub(crate) fn meddle(world: &mut World, id: BodyId, rng: &mut Rng) {
    let mut within = |size: Real| rng.between(-size, size).unwrap();
    let (push, aside) =
        (Vec3::new(within(real!(2)), within(real!(2)), within(real!(2))), within(real!(1)));
    let place = world.body(id).unwrap().position() + Vec3::X * aside;
    let kinds = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic, BodyKind::Dynamic];
    let kind = kinds[rng.below(4).unwrap() as usize];
    let command = match rng.below(14).unwrap() {
        0 => Command::SetVelocity(id, push),
        1 => Command::SetAngularVelocity(id, push),
        2 => Command::Teleport(id, pose(place)),
        3 => Command::SetKind(id, kind),
        4 => Command::SetEnabled(id, false),
        5 | 6 => Command::SetEnabled(id, true),
        7 => Command::SetMaterial(
            id,
            0,
            Material { friction: Real::ratio(3, 10), ..Material::default() },
        ),
        8 => Command::SetFilter(id, 0, Filter { layer: 0, group: rng.below(3).unwrap() }),
        9 => Command::SetGravityScale(id, Real::HALF),
        10 => Command::Wake(id),
        11 => Command::SetCanSleep(id, rng.chance(1, 2).unwrap()),
        12 => Command::SetSensor(id, 0, true),
        _ => Command::Despawn(id),
    };
    // The ground stays, or the test would be void.
    let ground = world.bodies().next().is_some_and(|(first, _)| first == id);
    if !ground || matches!(command, Command::Wake(_) | Command::SetFilter(..)) {
        let _ = world.command(command);
    }
}

fn events(world: &World) -> Vec<Event> {
    world.events().collect()
}

/// All scenes in a small size.
fn all(seed: u64) -> Vec<(&'static str, Scene)> {
    vec![
        ("pyramid", scenes::pyramid(6)),
        ("stacks", scenes::stacks(2, 5)),
        ("bin", scenes::bin(4, seed)),
        ("arena", scenes::arena(seed)),
        ("cradle", scenes::cradle(&[1, 2, 3])),
        ("rack", scenes::rack(real!(6))),
        ("dominoes", scenes::dominoes(20)),
        ("tumbler", scenes::tumbler(seed)),
        ("storm", scenes::storm(seed)),
        ("sleepers", scenes::sleepers(60, seed)),
    ]
}

/// Steps two equal sets of scenes, disturbs one of them, and compares them after every tick. With `meddled`, both get the same
/// random commands.
fn compare(seed: u64, ticks: u32, meddled: bool, disturb: impl Fn(&mut Scene, &mut Rng, Moment)) {
    for ((name, mut left), (_, mut right)) in all(seed).into_iter().zip(all(seed)) {
        for tick in 0..ticks {
            let mut rng = Rng::keyed(seed, u64::from(tick), 1, 8);
            disturb(&mut right, &mut rng, Moment::BeforeCommands);
            for scene in [&mut left, &mut right] {
                scene.act();
                let mut rng = Rng::keyed(seed, u64::from(tick), 2, 8);
                // Scripts rely on their players being alive and movable.
                if meddled
                    && rng.chance(1, 8).unwrap()
                    && !matches!(name, "storm" | "sleepers" | "arena" | "dominoes")
                {
                    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
                    let id = ids[rng.below(ids.len() as u32).unwrap() as usize];
                    meddle(&mut scene.world, id, &mut rng);
                }
            }
            disturb(&mut right, &mut rng, Moment::BeforeStep);
            left.world.step();
            right.world.step();
            assert!(
                encoded(&left.world) == encoded(&right.world),
                "{name}, seed {seed}, tick {tick}"
            );
            assert_eq!(
                events(&left.world),
                events(&right.world),
                "{name}, seed {seed}, tick {tick}"
            );
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Moment {
    BeforeCommands,
    BeforeStep,
}

#[test]
fn two_runs_are_the_same() {
    compare(3, 300, true, |_, _, _| ());
}

#[test]
fn dropping_scratch_before_commands_changes_nothing_in_any_scene() {
    for seed in [1, 2] {
        compare(seed, 300, seed == 2, |scene, rng, moment| {
            if moment == Moment::BeforeCommands && rng.chance(1, 5).unwrap() {
                scene.world.drop_scratch();
            }
        });
    }
}

#[test]
fn dropping_scratch_between_commands_and_step_changes_nothing_in_any_scene() {
    for seed in [1, 2] {
        compare(seed, 300, seed == 2, |scene, rng, moment| {
            if moment == Moment::BeforeStep && rng.chance(1, 5).unwrap() {
                scene.world.drop_scratch();
            }
        });
    }
}

#[test]
fn a_world_without_any_scratch_is_the_same() {
    compare(4, 150, true, |scene, _, _| scene.world.drop_scratch());
}

#[test]
fn discarded_commands_change_nothing_in_any_scene() {
    for seed in [1, 2] {
        compare(seed, 300, seed == 2, |scene, rng, moment| {
            if moment == Moment::BeforeCommands && rng.chance(1, 5).unwrap() {
                for _ in 0..4 {
                    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
                    let id = ids[rng.below(ids.len() as u32).unwrap() as usize];
                    meddle(&mut scene.world, id, rng);
                }
                scene.world.discard_commands();
            }
        });
    }
}

/// A change to a world in which all bodies sleep.
type Deed = fn(&mut World, &[BodyId]);

#[test]
fn discarding_commands_restores_sleep() {
    let deeds: [(&str, Deed); 7] = [
        ("wake", |world, ids| world.wake(ids[1]).unwrap()),
        ("despawn a sleeping body", |world, ids| world.despawn(ids[1]).unwrap()),
        ("despawn the ground", |world, ids| world.despawn(ids[0]).unwrap()),
        ("push", |world, ids| world.apply_impulse(ids[2], Vec3::X * 1000).unwrap()),
        ("teleport the ground", |world, ids| {
            world.teleport(ids[0], pose(spot(0, -9000, 0))).unwrap();
        }),
        ("put something on it", |world, _| {
            world.spawn(crate_at(spot(0, 2500, 0))).unwrap();
        }),
        ("change its kind", |world, ids| {
            world.command(Command::SetKind(ids[2], BodyKind::Fixed)).unwrap();
        }),
    ];
    for (what, deed) in deeds {
        let build = || {
            let stack = [ground(), crate_at(spot(0, 500, 0)), crate_at(spot(0, 1500, 0))];
            let (mut world, ids) = asleep_world(&stack);
            world.step();
            (world, ids)
        };
        let (mut touched, ids) = build();
        let (mut untouched, _) = build();
        let before = encoded(&touched);
        deed(&mut touched, &ids);
        touched.discard_commands();
        assert!(encoded(&touched) == before, "{what}: the state is not what it was");
        assert_eq!(awake(&touched), [], "{what}");
        for tick in 0..40 {
            touched.step();
            untouched.step();
            assert!(encoded(&touched) == encoded(&untouched), "{what}, tick {tick}");
            assert_eq!(touched.events().count(), 0, "{what}, tick {tick}");
        }
        // Waking still works as before.
        for world in [&mut touched, &mut untouched] {
            world.despawn(ids[0]).unwrap();
            run(world, 30);
        }
        assert!(encoded(&touched) == encoded(&untouched), "{what}: falling");
        assert_eq!(awake(&touched), ids[1..], "{what}: both fall");
    }
}

#[test]
fn a_sleeping_world_changes_only_its_tick() {
    // A state in which all bodies sleep differs from the next one only in its tick.
    let mut scene = scenes::stacks(2, 3);
    assert!(steps_to_sleep(&mut scene.world, 300).is_some());
    scene.step();
    let before = encoded(&scene.world);
    scene.step();
    let after = encoded(&scene.world);
    assert_eq!(before.len(), after.len());
    let differing = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert!(differing <= 4, "{differing} bytes differ");
}

#[test]
fn sleeping_bodies_change_no_bit_of_awake_ones() {
    let [mut alone, mut beside] = [0, 200].map(|count| scenes::sleepers_apart(count, 16, 1));
    for tick in 0..200 {
        alone.step();
        beside.step();
        let (alone, beside) = (all_bits(&alone.world), all_bits(&beside.world));
        assert!(beside.starts_with(&alone), "tick {tick}");
    }
    assert_eq!(awake(&beside.world), awake(&alone.world), "the field sleeps");
}

#[test]
fn a_body_that_replaces_a_sleeping_one_has_new_contacts() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    world.despawn(ids[1]).unwrap();
    let new = world.spawn(crate_at(spot(0, 500, 0))).unwrap();
    assert_ne!(new, ids[1]);
    assert!(!world.body(new).unwrap().is_asleep(), "the newcomer is awake");
    world.step();
    let reported = events(&world);
    let names = |event: &Event, id: BodyId| match event {
        Event::ContactBegan(pair) | Event::ContactEnded(pair) => pair.bodies.contains(&id),
        Event::Woke(body) | Event::FellAsleep(body) => *body == id,
        _ => false,
    };
    assert!(
        reported.iter().any(|e| matches!(e, Event::ContactEnded(_)) && names(e, ids[1])),
        "{reported:?}"
    );
    assert!(
        reported.iter().any(|e| matches!(e, Event::ContactBegan(_)) && names(e, new)),
        "{reported:?}"
    );
    assert!(!reported.iter().any(|e| matches!(e, Event::Woke(_))), "{reported:?}");
    assert!(steps_to_sleep(&mut world, 60).is_some());
    assert!(world.body(ids[1]).is_none());
}

#[test]
fn spawning_and_despawning_in_one_tick_wakes_no_body() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let brief = world.spawn(crate_at(spot(0, 1500, 0))).unwrap();
    world.despawn(brief).unwrap();
    let brief =
        world.spawn(BodyDef::fixed().at(spot(0, 1500, 0)).shape(super::common::cube(Real::HALF)));
    world.despawn(brief.unwrap()).unwrap();
    world.step();
    assert_eq!(events(&world), []);
    assert!(world.body(ids[1]).unwrap().is_asleep());
}
