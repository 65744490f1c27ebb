//! Fast bodies: they hit what is in their path and nothing else.

use super::common::{cube, floats, ground, length, weightless, world};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Material, ShapeDef, World};
use isostep_core::{Quat, Real, Vec3, real};

fn ball_at(place: Vec3, velocity: Vec3, radius: Real) -> BodyDef {
    BodyDef::dynamic().at(place).velocity(velocity).shape(Shape::sphere(radius).unwrap())
}

fn run(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        world.step();
    }
}

fn place(world: &World, id: BodyId) -> [f64; 3] {
    floats(world.body(id).unwrap().position())
}

#[test]
fn nothing_goes_through_a_thin_wall() {
    let shapes = [
        Shape::sphere(real!(0.25)).unwrap(),
        cube(real!(0.25)),
        Shape::capsule(real!(0.25), Real::ratio(1, 10)).unwrap(),
    ];
    let turn = Quat::from_rotation_vector(Vec3::new(real!(0.5), real!(0.25), real!(1)));
    for (i, shape) in shapes.into_iter().enumerate() {
        for turned in [Quat::IDENTITY, turn] {
            for speed in [5, 10, 20, 30] {
                for phase in 0..16 {
                    let mut world = weightless();
                    let half = Vec3::new(Real::ratio(5, 100), real!(4), real!(4));
                    world.spawn(BodyDef::fixed().shape(Shape::cuboid(half).unwrap())).unwrap();
                    let x = real!(-2) - Real::ratio(phase * 37, 1000);
                    let body = BodyDef::dynamic().at(Vec3::X * x).rotated(turned);
                    let body = body.velocity(Vec3::X * speed).shape(shape);
                    let id = world.spawn(body).unwrap();
                    let mut deepest = 0.0f64;
                    for _ in 0..60 {
                        deepest = deepest.max(-world.step().deepest.to_f64());
                    }
                    let x = place(&world, id)[0];
                    let case = format!("shape {i} at {speed} m/s, phase {phase}");
                    assert!(x < 0.0, "{case}: at {x} m");
                    // A body that hits with a tip rotates about it so fast that the other end penetrates within the tick.
                    let round = i == 0 || turned == Quat::IDENTITY;
                    assert!(!round || deepest < 0.03, "{case}: {deepest} m deep");
                }
            }
        }
    }
}

#[test]
fn two_fast_balls_meet() {
    for speed in [5, 10, 14] {
        for phase in 0..16 {
            let mut world = weightless();
            let x = real!(2) + Real::ratio(phase * 23, 1000);
            let velocity = Vec3::X * speed;
            let radius = Real::ratio(1, 10);
            let a = world.spawn(ball_at(Vec3::X * -x, velocity, radius)).unwrap();
            let b = world.spawn(ball_at(Vec3::X * x, -velocity, radius)).unwrap();
            run(&mut world, 60);
            let (a, b) = (place(&world, a)[0], place(&world, b)[0]);
            assert!(a < b, "{speed} m/s each, phase {phase}: {a} m and {b} m");
        }
    }
}

/// Deviation of a body from its straight path past a box after half a second.
fn deflection(shape: Shape, start: Vec3, velocity: Vec3) -> f64 {
    let mut world = weightless();
    world.spawn(BodyDef::fixed().shape(cube(Real::HALF))).unwrap();
    let body = BodyDef::dynamic().at(start).velocity(velocity).shape(shape);
    let id = world.spawn(body).unwrap();
    run(&mut world, 30);
    let expected = start + velocity * Real::HALF;
    length(world.body(id).unwrap().position() - expected)
}

#[test]
fn what_passes_by_is_not_deflected() {
    // A 0.25 m ball past a half-metre box: horizontally over its top, and diagonally past an edge and a corner. And a box
    // horizontally over the top and diagonally past an edge.
    let (slant, third) = (Real::ratio(7071, 10_000), Real::ratio(5774, 10_000));
    let along = Vec3::new(slant, slant, Real::ZERO);
    let across = Vec3::new(slant, -slant, Real::ZERO);
    let aside = Vec3::new(third, -third, third);
    let edge = Vec3::new(Real::HALF, -Real::HALF, Real::ZERO);
    let corner = edge + Vec3::Z * Real::HALF;
    let (ball, block) = (Shape::sphere(real!(0.25)).unwrap(), cube(real!(0.25)));
    for (centimetres, speed, phase) in [1, 2, 5, 10].into_iter().flat_map(|c| {
        [5, 10, 20, 30].into_iter().flat_map(move |s| (0..12).map(move |p| (c, s, p)))
    }) {
        let gap = Real::ratio(centimetres, 100);
        let back = real!(-3) - Real::ratio(phase * 41, 1000);
        let level = Vec3::new(back, Real::HALF + real!(0.25) + gap, Real::ZERO);
        let off = real!(0.25) + gap;
        // Half the diagonal of the block's face, √2/4, from the path of its centre to that of its edge.
        let block_off = Real::ratio(35_356, 100_000) + gap;
        let ways = [
            ("a ball, level", ball, level, Vec3::X),
            ("a ball past an edge", ball, edge + across * off + along * back, along),
            ("a ball past a corner", ball, corner + aside * off + along * back, along),
            ("a box, level", block, level, Vec3::X),
            ("a box past an edge", block, edge + across * block_off + along * back, along),
        ];
        for (what, shape, start, direction) in ways {
            let off = deflection(shape, start, direction * speed);
            assert!(off < 1e-5, "{what}, {gap} m at {speed} m/s, phase {phase}: {off} m");
        }
    }
}

#[test]
fn fast_boxes_hit_corner_to_corner() {
    // Along a diagonal onto a corner: face and edge axes alone give a contact that is too early or too late.
    for speed in [5, 15, 30] {
        for phase in 0..12 {
            let mut world = weightless();
            world.spawn(BodyDef::fixed().shape(cube(Real::HALF))).unwrap();
            let along = Vec3::splat(Real::ratio(5774, 10_000));
            let start = along * (real!(-3) - Real::ratio(phase * 41, 1000));
            let body = BodyDef::dynamic().at(start).velocity(along * speed);
            let id = world.spawn(body.shape(cube(real!(0.25))).lock_rotation()).unwrap();
            run(&mut world, 40);
            // Stopped at the corner or beside it, never inside.
            let inside = place(&world, id).iter().all(|c| c.abs() < 0.73);
            assert!(!inside, "{speed} m/s, phase {phase}: {:?}", place(&world, id));
            assert!(place(&world, id)[0] < 0.5, "went through: {:?}", place(&world, id));
        }
    }
}

#[test]
fn a_ball_that_grazes_an_edge_is_deflected_as_if_slow() {
    // Half the radius above the edge: the normal of the hit is 30° above the path, at any speed.
    for speed in [1, 5, 20, 30] {
        for phase in 0..8 {
            let mut world = weightless();
            let material =
                Material { restitution: Real::ONE, friction: Real::ZERO, ..Material::default() };
            let wall = ShapeDef::from(cube(Real::HALF)).material(material);
            world.spawn(BodyDef::fixed().shape(wall)).unwrap();
            let start =
                Vec3::new(real!(-1.5) - Real::ratio(phase * 41, 1000), real!(0.625), Real::ZERO);
            let shape = ShapeDef::from(Shape::sphere(real!(0.25)).unwrap()).material(material);
            let body = BodyDef::dynamic().at(start).velocity(Vec3::X * speed).shape(shape);
            let id = world.spawn(body).unwrap();
            run(&mut world, 90);
            let v = floats(world.body(id).unwrap().velocity()).map(|c| c / f64::from(speed));
            // The normal is (−√3/2, ½): reflected, (1, 0) becomes (−½, √3/2).
            let off = (v[0] + 0.5).hypot(v[1] - 0.75f64.sqrt());
            assert!(off < 0.02, "{speed} m/s, phase {phase}: {v:?}");
        }
    }
}

/// Highest and lowest position of a rolling ball's centre, relative to its radius in metres, while it crosses from one ground to
/// the next.
fn rolling_over(grounds: &[BodyDef], speed: Real, radius: Real) -> (f64, f64) {
    let mut world = world();
    for ground in grounds {
        world.spawn(ground.clone()).unwrap();
    }
    let start = Vec3::new(real!(-3), radius, Real::ZERO);
    let body = ball_at(start, Vec3::X * speed, radius);
    let id = world.spawn(body.angular_velocity(Vec3::Z * -(speed / radius))).unwrap();
    let (mut high, mut low) = (f64::MIN, f64::MAX);
    while place(&world, id)[0] < 3.0 {
        world.step();
        let y = place(&world, id)[1] - radius.to_f64();
        (high, low) = (high.max(y), low.min(y));
    }
    (high, low)
}

#[test]
fn a_rolling_ball_passes_level_seams_without_a_hop() {
    let half = |x: i32| {
        let shape = Shape::cuboid(Vec3::new(real!(5), real!(1), real!(5))).unwrap();
        BodyDef::fixed().at(Vec3::from_ints(x, -1, 0)).shape(shape)
    };
    let plane = BodyDef::fixed().shape(Shape::HALF_SPACE);
    for radius in [real!(0.125), real!(0.5)] {
        for speed in [real!(0.5), real!(2), real!(5), real!(10)] {
            for (what, grounds) in [
                ("two boxes", vec![half(-5), half(5)]),
                ("plane and box", vec![plane.clone(), half(5)]),
                ("box and ground", vec![half(-5), ground()]),
            ] {
                let (high, low) = rolling_over(&grounds, speed, radius);
                println!(
                    "{what}, {radius} m at {speed} m/s: {:.1} to {:.1} µm",
                    low * 1e6,
                    high * 1e6
                );
                assert!(
                    high < 400e-6 && low > -300e-6,
                    "{what}, {radius} m at {speed} m/s: {low} to {high}"
                );
            }
        }
    }
}
