//! The scene library: every scene in every size, as a world and as a game; and independence of the
//! distance from the origin.

use isostep_core::state::State;
use isostep_core::world::{BodyKind, Event, World};
use isostep_core::{Real, Vec3};
use isostep_rollback::{Inputs, PlayerId, Simulation, SyncTest, Tick};
use isostep_scenes::scenes::{self, Scene, Size, Spec};
use std::collections::BTreeSet;

#[test]
fn every_scene_has_a_small_size_that_is_small() {
    for small in Spec::all(Size::Small, 1) {
        let full = Spec::named(small.name(), Size::Full, 1).expect("it has every size");
        let [small, full] = [small, full].map(|spec| {
            let mut scene = spec.build();
            let most = (0..100).map(|_| scene.step().bodies).max();
            (spec, most.unwrap_or_default())
        });
        assert!(small.1 <= 70, "{} has {} bodies", small.0, small.1);
        assert!(small.1 < full.1, "{} has {} bodies, {} {}", small.0, small.1, full.0, full.1);
    }
}

/// Without nudges, a scene as a game equals the scene as a world.
#[test]
fn a_scene_as_a_game_is_the_same_scene() {
    for spec in Spec::all(Size::Small, 3) {
        let (mut built, mut played) = (spec.build(), spec.play());
        for tick in 0..200 {
            built.step();
            Simulation::step(&mut played, Tick(tick), &Inputs::new(1));
            assert_eq!(built.world.digest(), played.world.digest(), "{spec}, tick {}", tick + 1);
        }
    }
}

#[test]
fn every_scene_passes_the_sync_test() {
    for spec in Spec::all(Size::Small, 1) {
        let mut nudges = 0;
        let script = |tick, inputs: &mut Inputs<scenes::Nudge>| {
            let nudge = |player| scenes::nudge(spec.seed(), PlayerId(player), tick);
            nudges += usize::from(nudge(0).0 != 0);
            inputs.set_next(&[nudge(0), nudge(1)]);
        };
        let report = SyncTest::new(2).depth(4).run(&mut spec.play(), 120, script);
        let report = report.unwrap_or_else(|error| panic!("{spec}: {error}"));
        assert_eq!(report.ticks, 120, "{spec}");
        assert!(nudges > 10, "{nudges}");
    }
}

/// A script's memory is part of the saved state: without it a storm would despawn missing bodies
/// after a rollback.
#[test]
fn a_storm_repeats_its_spawns_after_a_rollback() {
    let spec = Spec::named("storm", Size::Small, 5).expect("a scene of the list");
    let mut storm = spec.play();
    let mut slots = State::slots(&mut storm, 64);
    let step = |storm: &mut Scene, tick| Simulation::step(storm, Tick(tick), &Inputs::new(0));
    let mut digests = Vec::new();
    for tick in 0..60 {
        State::save(&mut storm, &mut slots, Tick(tick)).unwrap();
        digests.push(storm.world.digest());
        step(&mut storm, tick);
    }
    State::load(&mut storm, &mut slots, Tick(20)).unwrap();
    for tick in 20..60 {
        assert_eq!(storm.world.digest(), digests[tick as usize], "tick {tick}");
        step(&mut storm, tick);
    }
}

/// Positions and velocities of all bodies, relative to a position.
fn seen_from(world: &World, place: Vec3) -> Vec<[[i64; 3]; 3]> {
    let bits = |v: Vec3| v.to_array().map(Real::to_bits);
    let bodies = world.bodies().map(|(_, body)| {
        let (center, velocity) = (body.center_of_mass() - place, body.velocity());
        [center, velocity, body.angular_velocity()].map(bits)
    });
    bodies.collect()
}

/// Positions are fixed point and all arithmetic uses differences: at a hundred thousand kilometres
/// not one bit is lost.
#[test]
fn a_far_scene_matches_the_same_scene_at_the_origin() {
    let place = scenes::far_place();
    assert!(place.length() > Real::from_int(100_000_000));
    for size in Size::ALL {
        let mut far = scenes::far(size, 4);
        let mut near = scenes::far_at(Vec3::ZERO, size, 4);
        for tick in 1..=400 {
            let reports = (far.step(), near.step());
            assert_eq!(reports.0, reports.1, "tick {tick}");
            let [far, near] = [(&far, place), (&near, Vec3::ZERO)]
                .map(|(scene, place)| seen_from(&scene.world, place));
            assert!(far == near, "{} differs on tick {tick}", size.name());
        }
    }
}

/// The extreme scene stays stable: one body is held at the edge of the world, and no other is
/// pressed into the ground or shot through it.
#[test]
fn the_extremes_scene_stays_in_bounds() {
    for size in Size::ALL {
        let mut scene = scenes::extremes(size, 1);
        let mut left = BTreeSet::new();
        for _ in 0..600 {
            scene.step();
            left.extend(scene.world.events().filter_map(|event| match event {
                Event::LeftWorld(body) => Some(body),
                _ => None,
            }));
        }
        assert_eq!(left.len(), 1, "{left:?}");
        let dynamic = scene.world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic);
        for (id, body) in dynamic {
            // Pressed bodies sink slightly into the ground.
            let lowest = -Real::ratio(2, 1000);
            assert!(body.position().y > lowest, "{id} is at {}", body.position());
        }
    }
}
