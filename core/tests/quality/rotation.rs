//! Free rotation beside Euler's equations: flips about the intermediate axis, energy and angular momentum.

use super::common::{box_of, floats};
use isostep_core::internals::MassProperties;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, World, WorldDef};
use isostep_core::{Real, Transform, Vec3, real};

/// Spin about the principal axes, energy per mass and angular momentum per mass of a free body.
fn rotation_of(
    world: &World,
    id: isostep_core::world::BodyId,
    inertia: [f64; 3],
) -> ([f64; 3], f64, [f64; 3]) {
    let body = world.body(id).unwrap();
    let spin = floats(body.rotation().rotate_inverse(body.angular_velocity()));
    let local: [f64; 3] = core::array::from_fn(|i| inertia[i] * spin[i]);
    let energy = (0..3).map(|i| 0.5 * spin[i] * local[i]).sum();
    let vector = local.map(|c| Real::from_f64(c).unwrap());
    let momentum = floats(body.rotation().rotate(Vec3::new(vector[0], vector[1], vector[2])));
    (spin, energy, momentum)
}

/// Times within a minute at which the spin about y changes its sign, by Euler's equations in floats (Runge–Kutta).
fn flips_of_theory(start: [f64; 3], i: [f64; 3]) -> Vec<f64> {
    let slope = |w: [f64; 3]| {
        [
            (i[1] - i[2]) / i[0] * w[1] * w[2],
            (i[2] - i[0]) / i[1] * w[2] * w[0],
            (i[0] - i[1]) / i[2] * w[0] * w[1],
        ]
    };
    let plus = |w: [f64; 3], k: [f64; 3], h: f64| core::array::from_fn(|a| w[a] + k[a] * h);
    let (mut w, mut flips, h) = (start, Vec::new(), 1.0 / 6000.0);
    for step in 0..360_000 {
        let k1 = slope(w);
        let k2 = slope(plus(w, k1, h / 2.0));
        let k3 = slope(plus(w, k2, h / 2.0));
        let k4 = slope(plus(w, k3, h));
        let next: [f64; 3] =
            core::array::from_fn(|a| w[a] + h / 6.0 * (k1[a] + 2.0 * k2[a] + 2.0 * k3[a] + k4[a]));
        if next[1] * w[1] < 0.0 {
            flips.push(f64::from(step) * h);
        }
        w = next;
    }
    flips
}

/// A box spun about its intermediate axis never flipped, and the angular momentum of a wobbling rod drifted: the gyroscopic term
/// was missing.
#[test]
fn free_bodies_rotate_by_eulers_equations() {
    let third = Real::ratio(1, 10);
    for (what, shape, spin) in [
        ("box", box_of(real!(1), real!(2), real!(3)), Vec3::new(third, real!(10), Real::ZERO)),
        (
            "fast box",
            box_of(real!(1), real!(2), real!(3)),
            Vec3::new(third + third, real!(20), Real::ZERO),
        ),
        (
            "book",
            box_of(Real::ratio(3, 10), real!(2), real!(1)),
            Vec3::new(third, real!(1), real!(5)),
        ),
        ("rod", box_of(third, third, real!(2)), Vec3::new(real!(1), real!(2), real!(10))),
        (
            "needle",
            Shape::capsule(real!(1), Real::ratio(2, 100)).unwrap(),
            Vec3::new(real!(3), real!(15), real!(1)),
        ),
    ] {
        let mut world =
            World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
        let body = BodyDef::dynamic().shape(shape).angular_velocity(spin).stay_awake();
        let id = world.spawn(body).unwrap();
        let properties =
            MassProperties::of_shape(&shape, &Transform::IDENTITY, real!(1000)).unwrap();
        let inertia = floats(properties.inertia_per_mass.diagonal);
        let (start, energy, momentum) = rotation_of(&world, id, inertia);
        let size = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let expected = flips_of_theory(start, inertia);
        let (mut flips, mut last, mut worst) = (Vec::new(), start[1], [0.0f64; 3]);
        for tick in 0..3600 {
            world.step();
            let (spin, e, l) = rotation_of(&world, id, inertia);
            let cosine = (0..3).map(|i| l[i] * momentum[i]).sum::<f64>() / size(l) / size(momentum);
            worst[0] = worst[0].max((e / energy - 1.0).abs());
            worst[1] = worst[1].max((size(l) / size(momentum) - 1.0).abs());
            worst[2] = worst[2].max(cosine.clamp(-1.0, 1.0).acos().to_degrees());
            if spin[1] * last < 0.0 {
                flips.push(f64::from(tick) / 60.0);
            }
            last = spin[1];
        }
        println!("{what}: energy, momentum, direction {worst:?}, {} flips", flips.len());
        assert!(worst[0] < 0.005 && worst[1] < 0.005 && worst[2] < 1.0, "{what}: {worst:?}");
        assert!(
            flips.len().abs_diff(expected.len()) <= 1 + expected.len() / 50,
            "{what}: {} flips, not {}",
            flips.len(),
            expected.len()
        );
    }
}

/// A slender body that tumbles turns faster when it turns about another axis. Its spin left the range of rows, and the world refused the
/// snapshot of its own state.
#[test]
fn snapshots_of_fast_slender_bodies_are_restored() {
    let milli = |v: [i32; 3]| {
        Vec3::new(Real::ratio(v[0], 1000), Real::ratio(v[1], 1000), Real::ratio(v[2], 1000))
    };
    for (tick_rate, half, turn, spin) in [
        (60, [5, 2034, 64], [-182, -528, -696, 451], [18_970, -58_400, -1_730]),
        (120, [10, 983, 146], [-929, -39, 212, 302], [-186_510, 35_270, -118_550]),
        (60, [13, 1495, 49], [639, 352, -590, 374], [35_500, 96_960, -25_540]),
    ] {
        let mut world =
            World::new(WorldDef { tick_rate, gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
        let [x, y, z, w] = turn.map(|c| Real::ratio(c, 1000));
        let body = BodyDef::dynamic().shape(Shape::cuboid(milli(half)).unwrap());
        let body = body.rotated(isostep_core::Quat::from_xyzw(x, y, z, w).unwrap());
        world.spawn(body.angular_velocity(milli(spin)).stay_awake()).unwrap();
        for _ in 0..60 {
            world.step();
            let bytes = world.snapshot(world.tick(), None).unwrap();
            let mut other = World::new(WorldDef::default()).unwrap();
            other.restore(&bytes).unwrap();
            assert_eq!(other.digest(), world.digest());
        }
    }
}
