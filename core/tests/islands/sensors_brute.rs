//! Ball sensors against distances: after every tick the reported overlaps are exactly the geometric ones.

use super::common::sphere;
use super::ledger::Ledger;
use isostep_core::world::{BodyDef, BodyId, BodyKind, ShapeDef, World, WorldDef};
use isostep_core::{Real, Rng, Vec3, real};
use std::collections::BTreeSet;

/// A ball of the test: id, radius, sensor flag.
struct Ball {
    id: BodyId,
    radius: Real,
    sensor: bool,
}

/// Pairs that overlap by more than `slack`. With a negative slack, nearly overlapping ones are included.
fn overlapping(world: &World, balls: &[Ball], slack: f64) -> BTreeSet<[BodyId; 2]> {
    let fixed = |ball: &Ball| world.body(ball.id).unwrap().kind() == BodyKind::Fixed;
    let mut found = BTreeSet::new();
    for sensor in balls.iter().filter(|ball| ball.sensor) {
        for other in balls.iter().filter(|ball| !ball.sensor && ball.id != sensor.id) {
            let [a, b] = [sensor, other].map(|ball| world.body(ball.id).unwrap().position());
            let reach = (sensor.radius + other.radius).to_f64();
            if a.distance(b).to_f64() < reach - slack && !(fixed(sensor) && fixed(other)) {
                found.insert([sensor.id, other.id]);
            }
        }
    }
    found
}

fn check(seed: u64, gravity: Vec3, ticks: u32) {
    let mut world = World::new(WorldDef { gravity, ..WorldDef::default() }).unwrap();
    let mut rng = Rng::new(seed);
    let mut balls = Vec::new();
    for i in 0..40 {
        let mut within = |size: Real| rng.between(-size, size).unwrap();
        let place = Vec3::new(within(real!(3)), within(real!(3)), within(real!(3)));
        let velocity = Vec3::new(within(real!(2)), within(real!(2)), within(real!(2)));
        let (sensor, radius) = (
            i % 2 == 0,
            real!(0.5) + within(real!(0.25)) + if i % 2 == 0 { Real::HALF } else { Real::ZERO },
        );
        let def = match i / 2 % 4 {
            0 => BodyDef::fixed(),
            1 => BodyDef::kinematic().velocity(velocity),
            // Some drift so slowly that they fall asleep.
            2 => BodyDef::dynamic().velocity(velocity * Real::ratio(1, 150)),
            _ => BodyDef::dynamic().velocity(velocity),
        };
        let shape = ShapeDef::from(sphere(radius));
        let def = def.at(place).mass(real!(1)).shape(if sensor { shape.sensor() } else { shape });
        balls.push(Ball { id: world.spawn(def).unwrap(), radius, sensor });
    }
    let mut ledger = Ledger::default();
    let (mut most, mut asleep) = (0, 0);
    for tick in 0..ticks {
        if tick % 20 == 19 {
            // Teleport a random ball.
            let ball = &balls[rng.below(40).unwrap() as usize];
            let place = rng.direction() * real!(2);
            world.teleport(ball.id, isostep_core::Transform::at(place)).unwrap();
        }
        world.step();
        // Overlaps are those of the positions after the step. The slack covers rounding.
        let (surely, perhaps) =
            (overlapping(&world, &balls, 1e-6), overlapping(&world, &balls, -1e-6));
        ledger.listen(&world, &format!("seed {seed}, tick {tick}"));
        let reported: BTreeSet<_> = ledger.sensed.iter().map(|key| [key.0, key.2]).collect();
        assert!(
            surely.is_subset(&reported),
            "seed {seed}, tick {tick}: not reported {:?}",
            &surely - &reported
        );
        assert!(
            reported.is_subset(&perhaps),
            "seed {seed}, tick {tick}: reported {:?}",
            &reported - &perhaps
        );
        most = most.max(reported.len());
        asleep = asleep.max(world.bodies().filter(|(_, body)| body.is_asleep()).count());
    }
    assert!(most > 10 && asleep > 0, "seed {seed}: {most} inside, {asleep} asleep");
}

#[test]
fn overlaps_of_ball_sensors_match_distances() {
    for seed in 0..8 {
        check(seed, Vec3::ZERO, 240);
    }
}
