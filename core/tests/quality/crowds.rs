//! Many bodies in one place: the work is bounded, and the choice of solved contacts depends on the island alone.

use super::common::{bits, crate_at, cube, ground, pyramid, spawn_all, world};
use isostep_core::Tick;
use isostep_core::parallel::Threads;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, World};
use isostep_core::{Real, Rng, Vec3, real};

/// Balls with centres within a cube of this size.
fn spot(count: usize, size: Real, at: Vec3, seed: u64) -> Vec<BodyDef> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|_| {
            let mut some = || rng.between(-size, size).unwrap_or(Real::ZERO);
            let place = at + Vec3::new(some(), some(), some());
            BodyDef::dynamic().at(place).shape(Shape::sphere(Real::HALF).unwrap())
        })
        .collect()
}

/// Any two of 600 balls have a contact. Solving all 179,700 took seconds per tick, and 40 s with 2,000 balls.
#[test]
fn a_crowd_takes_bounded_work() {
    for size in [Real::ZERO, Real::ratio(1, 100)] {
        let mut world = world();
        spawn_all(&mut world, &spot(600, size, Vec3::Y * 5, 1));
        for _ in 0..4 {
            let report = world.step();
            println!(
                "{} pairs, {} contacts, {} colours",
                report.pairs, report.contacts, report.colours
            );
            assert!(report.contacts <= 600 * 32, "{} contacts", report.contacts);
            assert_eq!(report.islands, 1, "islands form of all contacts");
        }
        for _ in 0..56 {
            world.step();
        }
        let deepest = world.step().deepest.to_f64();
        // Centres that coincide exactly push each other along one axis only, and some stay together.
        assert!(deepest > -0.01 || size == Real::ZERO, "{deepest} m deep after a second");
    }
}

/// Two plates, one on the other, each with a hundred crates. Bodies with few contacts keep all of them, so the plates keep theirs.
#[test]
fn a_plate_with_many_contacts_keeps_them() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let plate = Shape::cuboid(Vec3::new(real!(12), Real::HALF, real!(6))).unwrap();
    for y in [Real::HALF, real!(1.5)] {
        // The lower plate extends beyond the upper one.
        let x = if y > Real::ONE { real!(6) } else { Real::ZERO };
        world.spawn(BodyDef::dynamic().at(Vec3::new(x, y, Real::ZERO)).shape(plate)).unwrap();
    }
    let mut crates = Vec::new();
    for i in 0..5 {
        for j in 0..10 {
            for (x, y, gap) in [(-11, real!(1.25), 1), (-4, real!(2.25), 2), (6, real!(2.25), 2)] {
                let place = Vec3::new(Real::from_int(x + gap * i), y, Real::from_int(j - 5));
                let shape = cube(real!(0.25));
                crates.push((world.spawn(BodyDef::dynamic().at(place).shape(shape)).unwrap(), y));
            }
        }
    }
    for _ in 0..300 {
        world.step();
    }
    for (id, y) in crates {
        let fallen = (y - world.body(id).unwrap().position().y).to_f64();
        assert!(fallen < 0.03, "{fallen} m");
    }
}

fn states(world: &World, ids: &[BodyId]) -> Vec<super::common::Bits> {
    ids.iter().map(|id| bits(&world.body(*id).unwrap(), Vec3::ZERO)).collect()
}

/// The motion of a crowd does not depend on other bodies, their ids, threads, dropped scratch or rollbacks.
#[test]
fn a_crowd_evolves_as_it_does_alone() {
    // In one point all contacts have the same depth, so that the order of bodies decides.
    for size in [Real::ZERO, Real::ratio(1, 10)] {
        let crowd = spot(90, size, Vec3::new(real!(500), real!(2), Real::ZERO), 3);
        let mut alone = world();
        let ids = spawn_all(&mut alone, &crowd);
        let mut among = world();
        let others: Vec<_> =
            [pyramid(12), vec![crate_at(Vec3::new(real!(3), real!(15), Real::ZERO))]].concat();
        let other_ids = spawn_all(&mut among, &others);
        let among_ids = spawn_all(&mut among, &crowd);
        among.set_threads(Threads::new(3).expect("threads").eager());
        let mut straight = Vec::new();
        for tick in 0..12 {
            if tick % 4 == 1 {
                among.drop_scratch();
            }
            if tick == 3 {
                among.apply_impulse(among_ids[7], Vec3::X * 2000).unwrap();
                alone.apply_impulse(ids[7], Vec3::X * 2000).unwrap();
            }
            among.step();
            alone.step();
            assert!(states(&among, &among_ids) == states(&alone, &ids), "size {size}, tick {tick}");
            straight.push(among.digest());
        }
        // Mispredicted from tick 3 on: the push on the crowd was missing, and the top of the pyramid was hit.
        among.rewind(Tick(3)).unwrap();
        among.apply_impulse(*other_ids.last().unwrap(), Vec3::Y * -3000).unwrap();
        for _ in 3..12 {
            among.step();
        }
        among.rewind(Tick(3)).unwrap();
        among.apply_impulse(among_ids[7], Vec3::X * 2000).unwrap();
        for tick in 3..12 {
            let report = among.step();
            assert_eq!(among.digest(), straight[tick], "size {size}, tick {tick}, {report:?}");
        }
    }
}

/// Grains are within the margin of many others, so they count as a crowd even in a regular heap. They sleep, wake and sleep again.
#[test]
fn small_grains_rest_and_wake_as_a_crowd() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let half = Real::ratio(1, 100);
    for i in 0..5 {
        for j in 0..5 {
            for k in 0..5 {
                let place = Vec3::new(half * (2 * i), half * (2 * j + 1), half * (2 * k));
                world.spawn(BodyDef::dynamic().at(place).shape(cube(half))).unwrap();
            }
        }
    }
    let all_sleep = |world: &World| world.bodies().skip(1).all(|(_, body)| body.is_asleep());
    let slept = (1..=120).find(|_| {
        world.step();
        all_sleep(&world)
    });
    println!("asleep on tick {slept:?}");
    assert!(slept.is_some());
    let ball = Shape::sphere(Real::ratio(2, 100)).unwrap();
    let place = Vec3::new(half * 4, half * 13, half * 4);
    let ball = world.spawn(BodyDef::dynamic().at(place).shape(ball)).unwrap();
    world.step();
    assert!(world.bodies().skip(1).all(|(_, body)| !body.is_asleep()), "all wake at once");
    world.despawn(ball).unwrap();
    let slept = (1..=120).find(|_| {
        world.step();
        all_sleep(&world)
    });
    assert!(slept.is_some());
    let highest = world.bodies().map(|(_, body)| body.position().y.to_f64()).fold(0.0, f64::max);
    assert!((highest - 0.09).abs() < 0.003, "{highest} m");
}
