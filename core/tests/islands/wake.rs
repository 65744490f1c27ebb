//! Waking: by commands, by contacts, and by bodies that move or appear next to a sleeping one. One test per rule.

use super::common::{
    asleep_world, awake, ball_at, bits, crate_at, cube, encoded, ground, height, is_asleep, meet,
    pose, run, slab, spot, steps_to_sleep, woke, world,
};
use isostep_core::world::{BodyDef, BodyId, BodyKind, Command, Filter, Material, World};
use isostep_core::{Real, Vec3, real};

/// A ground, a stack of two, and a distant box, all asleep.
fn stack_and_distant_box() -> (World, [BodyId; 4]) {
    let (world, ids) = asleep_world(&[
        ground(),
        crate_at(spot(0, 500, 0)),
        crate_at(spot(0, 1500, 0)),
        crate_at(spot(9, 500, 0)),
    ]);
    (world, ids.try_into().unwrap())
}

/// Commands that change a body.
fn changes(id: BodyId) -> Vec<Command> {
    let smooth = Material { friction: Real::ratio(1, 10), ..Material::default() };
    vec![
        Command::Wake(id),
        Command::SetVelocity(id, Vec3::X),
        Command::SetAngularVelocity(id, Vec3::Y),
        Command::Impulse(id, Vec3::X * 100),
        Command::ImpulseAt(id, Vec3::X * 100, Vec3::ZERO),
        Command::AngularImpulse(id, Vec3::Y * 100),
        Command::Teleport(id, pose(spot(0, 5000, 0))),
        Command::SetKind(id, BodyKind::Fixed),
        Command::SetKind(id, BodyKind::Kinematic),
        Command::SetEnabled(id, false),
        Command::SetMaterial(id, 0, smooth),
        Command::SetSensor(id, 0, true),
        Command::SetFilter(id, 0, Filter { layer: 3, group: 0 }),
        Command::SetGravityScale(id, Real::HALF),
        Command::SetDamping(id, Real::ONE, Real::ONE),
        Command::SetCanSleep(id, false),
    ]
}

#[test]
fn a_command_wakes_the_island_of_its_body_at_once() {
    for which in [1, 2] {
        let count = changes(stack_and_distant_box().1[which]).len();
        for number in 0..count {
            let (mut world, ids) = stack_and_distant_box();
            let command = changes(ids[which]).swap_remove(number);
            world.command(command.clone()).unwrap();
            for id in &ids[1..3] {
                assert!(!is_asleep(&world, *id), "{command:?}: {id} sleeps on before the step");
            }
            assert!(is_asleep(&world, ids[3]), "{command:?} woke the distant box");
            world.step();
            let reported = woke(&world);
            assert!(reported == ids[1..3], "{command:?} reported {reported:?}");
            assert!(is_asleep(&world, ids[3]), "{command:?} woke the distant box in the step");
        }
    }
}

#[test]
fn despawning_a_sleeping_body_wakes_its_island() {
    for which in [1, 2] {
        let (mut world, ids) = stack_and_distant_box();
        let other = ids[3 - which];
        world.despawn(ids[which]).unwrap();
        assert!(!is_asleep(&world, other), "at once");
        world.step();
        assert_eq!(woke(&world), [other], "the despawned body has no event");
        assert!(is_asleep(&world, ids[3]));
    }
}

#[test]
fn a_rejected_command_wakes_no_body() {
    let (mut world, ids) = stack_and_distant_box();
    let before = encoded(&world);
    let too_fast = Vec3::X * 1000;
    world.command(Command::SetVelocity(ids[1], too_fast)).unwrap_err();
    world.command(Command::Impulse(ids[1], Vec3::X * 100_000_000)).unwrap_err();
    world.command(Command::MoveTo(ids[1], pose(Vec3::ZERO))).unwrap_err();
    world.command(Command::SetGravityScale(ids[1], real!(1000))).unwrap_err();
    world.command(Command::SetMaterial(ids[1], 9, Material::default())).unwrap_err();
    world.command(Command::SetFilter(ids[1], 0, Filter { layer: 40, group: 0 })).unwrap_err();
    assert_eq!(awake(&world), []);
    assert!(encoded(&world) == before);
    world.step();
    assert_eq!(awake(&world), []);
    assert_eq!(woke(&world), []);
}

#[test]
fn waking_an_awake_or_static_body_changes_nothing() {
    let (mut world, ids) = stack_and_distant_box();
    world.wake(ids[0]).unwrap();
    assert_eq!(awake(&world), [], "waking the ground wakes no body");
    world.step();
    assert_eq!(woke(&world), []);
    world.wake(ids[1]).unwrap();
    world.wake(ids[1]).unwrap();
    world.wake(ids[2]).unwrap();
    world.step();
    assert_eq!(woke(&world), ids[1..3], "each once");
    world.despawn(ids[3]).unwrap();
    world.wake(ids[3]).unwrap_err();
}

#[test]
fn setting_user_data_wakes_no_body() {
    let (mut world, ids) = stack_and_distant_box();
    world.command(Command::SetUserData(ids[1], 7)).unwrap();
    world.step();
    assert_eq!(awake(&world), []);
    assert_eq!(world.body(ids[1]).unwrap().user_data(), 7);
}

#[test]
fn an_undisturbed_woken_body_falls_asleep_in_place() {
    let (mut world, ids) = stack_and_distant_box();
    let before = bits(&world.body(ids[2]).unwrap());
    world.wake(ids[2]).unwrap();
    let ticks = steps_to_sleep(&mut world, 60).expect("it rests");
    assert!(ticks >= 29, "after half a second again, not after {ticks} ticks");
    let after = bits(&world.body(ids[2]).unwrap());
    let moved = before.0.iter().zip(after.0).map(|(a, b)| (a - b).abs()).max().unwrap();
    assert!(moved < 1 << 22, "by less than a millimetre, not by {moved} ulps");
}

/// Steps until a body reaches a sleeping one, and checks that this one and all of `with` wake on the same tick.
fn assert_wakes_on_meeting(world: &mut World, visitor: BodyId, sleeper: BodyId, with: &[BodyId]) {
    for tick in 0..300 {
        world.step();
        if meet(world, visitor, sleeper) {
            let reported = woke(world);
            assert_eq!(reported, with, "tick {tick}");
            assert!(with.iter().all(|id| !is_asleep(world, *id)));
            return;
        }
        assert_eq!(woke(world), [], "tick {tick}: they have not met yet");
        assert!(is_asleep(world, sleeper), "tick {tick}");
    }
    panic!("they never met");
}

#[test]
fn a_falling_body_wakes_the_stack_on_the_tick_of_their_first_point() {
    let (mut world, ids) = stack_and_distant_box();
    let visitor = world.spawn(ball_at(spot(0, 4000, 0))).unwrap();
    assert_wakes_on_meeting(&mut world, visitor, ids[2], &ids[1..3]);
}

#[test]
fn a_rolling_ball_wakes_the_body_that_it_touches() {
    let (mut world, ids) = stack_and_distant_box();
    let visitor = world.spawn(ball_at(spot(-4, 500, 0)).velocity(Vec3::X * 3)).unwrap();
    assert_wakes_on_meeting(&mut world, visitor, ids[1], &ids[1..3]);
}

#[test]
fn a_fast_body_wakes_the_body_that_it_hits() {
    let (mut world, ids) = stack_and_distant_box();
    let visitor = ball_at(spot(-20, 1500, 0)).gravity_scale(Real::ZERO).velocity(Vec3::X * 20);
    world.spawn(visitor).unwrap();
    run(&mut world, 120);
    let place = world.body(ids[2]).unwrap().position();
    assert!(place.x > real!(0.25), "the upper box was hit and is at {place}");
}

#[test]
fn a_moving_kinematic_body_wakes_the_body_that_it_reaches() {
    for speed in [Real::ratio(1, 10), real!(4)] {
        let (mut world, ids) = stack_and_distant_box();
        let start = Vec3::new(-speed - real!(1.5), Real::HALF, Real::ZERO);
        let pusher = slab(BodyDef::kinematic(), start).velocity(Vec3::X * speed);
        let pusher = world.spawn(pusher).unwrap();
        assert_wakes_on_meeting(&mut world, pusher, ids[1], &ids[1..3]);
        run(&mut world, 60);
        let place = world.body(ids[1]).unwrap().position();
        assert!(place.x > speed * real!(0.5), "it was pushed, and is at {place}");
    }
}

#[test]
fn move_to_wakes_the_body_that_it_reaches() {
    let (mut world, ids) = stack_and_distant_box();
    let pusher = world.spawn(slab(BodyDef::kinematic(), spot(-3, 500, 0))).unwrap();
    run(&mut world, 30);
    assert_eq!(awake(&world), []);
    let mut x = real!(-3);
    for _ in 0..120 {
        x += Real::ratio(2, 100);
        world.move_to(pusher, pose(Vec3::new(x, Real::HALF, Real::ZERO))).unwrap();
        world.step();
        if meet(&world, pusher, ids[1]) {
            assert_eq!(woke(&world), ids[1..3]);
            return;
        }
        assert_eq!(woke(&world), []);
    }
    panic!("they never met");
}

/// Spawns a body next to the stack. Returns the bodies that woke in the next step.
fn woken_by_neighbour(kind: fn() -> BodyDef, x_mm: i32) -> (Vec<BodyId>, Vec<BodyId>) {
    let (mut world, ids) = stack_and_distant_box();
    let place = Vec3::new(Real::ratio(x_mm, 1000), Real::HALF, Real::ZERO);
    world.spawn(slab(kind(), place)).unwrap();
    world.step();
    (woke(&world), ids[1..3].to_vec())
}

#[test]
fn a_spawned_static_or_kinematic_body_wakes_bodies_within_reach_only() {
    for kind in [BodyDef::fixed, BodyDef::kinematic] {
        // The face of the box is at ½ m, and that of the slab 1 m from its centre.
        for near in [1400, 1510] {
            let (reported, expected) = woken_by_neighbour(kind, near);
            assert_eq!(reported, expected, "at {near} mm");
        }
        for far in [1550, 3000] {
            assert_eq!(woken_by_neighbour(kind, far).0, [], "at {far} mm");
        }
    }
}

#[test]
fn a_teleported_static_or_kinematic_body_wakes_bodies_within_reach_once() {
    for kind in [BodyDef::fixed, BodyDef::kinematic] {
        let (mut world, ids) = stack_and_distant_box();
        let wall = world.spawn(slab(kind(), spot(-9, 500, 0))).unwrap();
        run(&mut world, 2);
        assert_eq!(awake(&world), []);
        let beside = Vec3::new(Real::ratio(-1505, 1000), Real::HALF, Real::ZERO);
        world.teleport(wall, pose(beside)).unwrap();
        world.step();
        assert_eq!(woke(&world), ids[1..3]);
        assert!(steps_to_sleep(&mut world, 60).is_some());
        run(&mut world, 60);
        assert_eq!(awake(&world), [], "a resting neighbour does not wake a sleeping body again");
    }
}

#[test]
fn a_kinematic_body_that_starts_to_move_wakes_bodies_in_contact() {
    let (mut world, ids) =
        asleep_world(&[slab(BodyDef::kinematic(), spot(0, -250, 0)), crate_at(spot(0, 500, 0))]);
    run(&mut world, 30);
    assert!(is_asleep(&world, ids[1]), "a resting platform does not wake bodies");
    world.set_velocity(ids[0], Vec3::Y).unwrap();
    world.step();
    assert_eq!(woke(&world), [ids[1]]);
    run(&mut world, 59);
    let y = height(&world, ids[1]);
    assert!((y - 1.5).abs() < 0.05, "it rides up to {y}");
}

#[test]
fn a_kinematic_body_that_turns_wakes_bodies_in_contact() {
    let (mut world, ids) =
        asleep_world(&[slab(BodyDef::kinematic(), spot(0, -250, 0)), crate_at(spot(0, 500, 0))]);
    world.set_angular_velocity(ids[0], Vec3::Y).unwrap();
    world.step();
    assert_eq!(woke(&world), [ids[1]]);
    run(&mut world, 30);
    assert!(!world.body(ids[1]).unwrap().angular_velocity().is_zero(), "it turns with it");
}

#[test]
fn a_body_enabled_within_reach_wakes_a_sleeping_body() {
    for kind in [BodyDef::fixed, BodyDef::kinematic, BodyDef::dynamic] {
        let mut world = world();
        let ground = world.spawn(ground()).unwrap();
        let sleeper = world.spawn(crate_at(spot(0, 500, 0))).unwrap();
        let hidden = world.spawn(slab(kind(), spot(0, 1250, 0))).unwrap();
        world.command(Command::SetEnabled(hidden, false)).unwrap();
        for _ in 0..60 {
            world.step();
        }
        assert!(is_asleep(&world, sleeper) && meet(&world, ground, sleeper));
        world.command(Command::SetEnabled(hidden, true)).unwrap();
        world.step();
        assert!(woke(&world).contains(&sleeper), "{:?}", woke(&world));
    }
}

#[test]
fn a_body_spawned_within_reach_wakes_a_sleeping_body_in_the_next_step() {
    let (mut world, ids) = stack_and_distant_box();
    world.spawn(crate_at(spot(0, 2510, 0))).unwrap();
    assert!(is_asleep(&world, ids[2]), "spawning alone wakes no body");
    world.step();
    assert_eq!(woke(&world), ids[1..3]);
}

/// A contact was found twice, from the moving body and from the woken one. It was stored, solved and reported twice.
#[test]
fn a_pair_that_wakes_by_contact_has_one_contact() {
    let beside = Vec3::new(Real::ratio(1505, 1000), Real::HALF, Real::ZERO);
    let far = spot(-9, 500, 0);
    let cases: [(&str, BodyDef, bool); 7] = [
        ("a fixed body appears", slab(BodyDef::fixed(), beside), false),
        ("a standing kinematic body appears", slab(BodyDef::kinematic(), beside), false),
        (
            "a moving kinematic body appears",
            slab(BodyDef::kinematic(), beside).velocity(-Vec3::X),
            false,
        ),
        ("a dynamic body appears", slab(BodyDef::dynamic(), beside), false),
        ("a fixed body is put there", slab(BodyDef::fixed(), far), true),
        ("a standing kinematic body is put there", slab(BodyDef::kinematic(), far), true),
        ("a dynamic body is put there", slab(BodyDef::dynamic(), far).stay_awake(), true),
    ];
    for (what, def, put) in cases {
        let (mut world, ids) = stack_and_distant_box();
        let visitor = world.spawn(def).unwrap();
        if put {
            world.step();
            world.teleport(visitor, pose(beside)).unwrap();
        }
        world.step();
        assert_eq!(woke(&world), ids[1..3], "{what}");
        let mut pairs: Vec<_> = world.contacts().map(|contact| contact.bodies()).collect();
        assert!(pairs.contains(&[ids[1].min(visitor), ids[1].max(visitor)]), "{what}: {pairs:?}");
        let all = pairs.len();
        pairs.sort();
        pairs.dedup();
        assert_eq!(pairs.len(), all, "{what}: a contact is stored twice");
    }
}

/// A pair of a changed fixed body and a sleeping one was found twice, once for the change and once for the waking, and the
/// contact was solved twice per substep.
#[test]
fn a_wall_spawned_in_a_sleeping_body_has_one_contact_with_it() {
    let (mut world, ids) = asleep_world(&[ground(), crate_at(spot(0, 500, 0))]);
    let wall = world.spawn(BodyDef::fixed().at(spot(1, 500, 0)).shape(cube(real!(0.625)))).unwrap();
    let report = world.step();
    assert_eq!(woke(&world), [ids[1]]);
    let pairs: Vec<_> = world.contacts().map(|contact| contact.bodies()).collect();
    assert_eq!(pairs, [[ids[0], ids[1]], [ids[1], wall]]);
    assert_eq!(report.contacts, 2);
}
