//! Worlds and measurements shared by several modules.

use isostep_core::internals::MassProperties;
use isostep_core::shape::Shape;
use isostep_core::world::{Body, BodyDef, BodyId, BodyKind, ShapeDef, World, WorldDef};
use isostep_core::{Quat, Real, Rng, StepReport, Transform, Vec3, real};
pub(crate) use isostep_scenes::floats::dot;

/// Gravity of the default world, m/s².
pub(crate) const GRAVITY: f64 = 9.81;

pub(crate) fn world() -> World {
    World::new(WorldDef::default()).unwrap()
}

pub(crate) fn world_with_substeps(substeps: u32) -> World {
    World::new(WorldDef { substeps, ..WorldDef::default() }).unwrap()
}

pub(crate) fn weightless() -> World {
    World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap()
}

/// A box with edges of these lengths.
pub(crate) fn box_of(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z) * Real::HALF).unwrap()
}

pub(crate) fn cube(half: Real) -> Shape {
    Shape::cuboid(Vec3::splat(half)).unwrap()
}

/// A fixed box of 200 m, its top at height 0.
pub(crate) fn ground() -> BodyDef {
    let shape = Shape::cuboid(Vec3::new(real!(100), real!(1), real!(100))).unwrap();
    BodyDef::fixed().at(Vec3::from_ints(0, -1, 0)).shape(shape)
}

pub(crate) fn crate_at(place: Vec3) -> BodyDef {
    BodyDef::dynamic().at(place).shape(cube(Real::HALF))
}

pub(crate) fn spawn_all(world: &mut World, bodies: &[BodyDef]) -> Vec<BodyId> {
    bodies.iter().map(|body| world.spawn(body.clone()).unwrap()).collect()
}

/// A pyramid of unit boxes on a ground.
pub(crate) fn pyramid(base: i32) -> Vec<BodyDef> {
    let mut bodies = vec![ground()];
    for row in 0..base {
        for column in 0..base - row {
            let x = (Real::from_int(column) - Real::from_int(base - 1 - row) * Real::HALF)
                * Real::ratio(11, 10);
            bodies.push(crate_at(Vec3::new(x, Real::HALF + Real::from_int(row), Real::ZERO)));
        }
    }
    bodies
}

pub(crate) fn mixed_shape(i: u32) -> Shape {
    match i % 3 {
        0 => Shape::sphere(Real::HALF),
        1 => Shape::cuboid(Vec3::new(Real::ratio(4, 10), Real::ratio(3, 10), Real::HALF)),
        _ => Shape::capsule(Real::ratio(3, 10), Real::ratio(35, 100)),
    }
    .unwrap()
}

/// Balls, boxes and capsules above a ground, with random rotations and velocities, without overlaps.
pub(crate) fn tumbling(side: u32, seed: u64) -> Vec<BodyDef> {
    let mut bodies = vec![ground()];
    let mut rng = Rng::new(seed);
    for i in 0..side * side * side {
        let cell = [i % side, i / (side * side), i / side % side];
        let mut jitter = |size: Real| rng.between(-size, size).unwrap();
        // The largest radius is 0.71 m, so a pitch of 1.6 m avoids overlaps.
        let [x, y, z] = cell.map(|c| Real::from_int(c as i32) * Real::ratio(16, 10));
        let place = Vec3::new(x, y + Real::ONE, z) + Vec3::splat(jitter(Real::ratio(5, 100)));
        let turn = Vec3::new(jitter(real!(3)), jitter(real!(3)), jitter(real!(3)));
        let spin = Vec3::new(jitter(real!(4)), jitter(real!(4)), jitter(real!(4)));
        let speed = Vec3::new(jitter(real!(2)), jitter(real!(2)), jitter(real!(2)));
        bodies.push(
            BodyDef::dynamic()
                .at(place)
                .rotated(Quat::from_rotation_vector(turn))
                .shape(mixed_shape(i))
                .velocity(speed)
                .angular_velocity(spin),
        );
    }
    bodies
}

/// Raw bits of a body's motion: position, rotation, velocity, angular velocity.
pub(crate) type Bits = ([i64; 3], [i32; 4], [i64; 3], [i64; 3]);

pub(crate) fn bits(body: &Body<'_>, offset: Vec3) -> Bits {
    (
        (body.center_of_mass() - offset).to_bits(),
        body.rotation().to_bits(),
        body.velocity().to_bits(),
        body.angular_velocity().to_bits(),
    )
}

pub(crate) fn encoded(world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.encode(&mut bytes);
    bytes
}

pub(crate) fn floats(v: Vec3) -> [f64; 3] {
    v.to_array().map(Real::to_f64)
}

pub(crate) fn length(v: Vec3) -> f64 {
    dot(floats(v), floats(v)).sqrt()
}

pub(crate) fn at(x: Real, y: Real, z: Real) -> Transform {
    Transform::at(Vec3::new(x, y, z))
}

/// Result of a run. Lengths in metres, speeds in m/s.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Deepest overlap in the last 120 ticks.
    pub(crate) penetration: f64,
    /// Horizontal displacement of the highest dynamic body.
    pub(crate) top_drift: f64,
    /// Largest horizontal displacement of a dynamic body.
    pub(crate) drift: f64,
    /// Largest downward displacement.
    pub(crate) sag: f64,
    pub(crate) mean_speed: f64,
    pub(crate) max_speed: f64,
}

/// Steps a world and measures the displacements of its dynamic bodies.
pub(crate) fn settle(world: &mut World, ticks: u32) -> Rest {
    settle_with(world, ticks, World::step)
}

fn settle_with(
    world: &mut World,
    ticks: u32,
    mut step: impl FnMut(&mut World) -> StepReport,
) -> Rest {
    let start: Vec<_> = world
        .bodies()
        .filter(|(_, body)| body.kind() == BodyKind::Dynamic)
        .map(|(id, body)| (id, body.position()))
        .collect();
    let top = start.iter().max_by_key(|(_, place)| place.y).unwrap().0;
    let mut rest = Rest {
        penetration: 0.0,
        top_drift: 0.0,
        drift: 0.0,
        sag: 0.0,
        mean_speed: 0.0,
        max_speed: 0.0,
    };
    for tick in 0..ticks {
        let report = step(world);
        if tick + 120 >= ticks {
            rest.penetration = rest.penetration.max(-report.deepest.to_f64());
        }
    }
    for (id, from) in &start {
        let body = world.body(*id).unwrap();
        let displacement = floats(body.position() - *from);
        let drift = displacement[0].hypot(displacement[2]);
        let speed = length(body.velocity());
        rest.drift = rest.drift.max(drift);
        rest.sag = rest.sag.max(-displacement[1]);
        rest.max_speed = rest.max_speed.max(speed);
        rest.mean_speed += speed / start.len() as f64;
        if *id == top {
            rest.top_drift = drift;
        }
    }
    rest
}

/// A stack of cubes on the ground, upright and without gaps; the last may have another density.
pub(crate) fn stack(world: &mut World, count: i32, half: Real, last: Real) -> Vec<BodyId> {
    world.spawn(ground()).unwrap();
    (0..count)
        .map(|i| {
            let density = if i + 1 == count { last } else { real!(1000) };
            let shape = ShapeDef::from(cube(half)).density(density);
            let place = Vec3::new(Real::ZERO, half + half * (2 * i), Real::ZERO);
            world.spawn(BodyDef::dynamic().at(place).shape(shape)).unwrap()
        })
        .collect()
}

/// Kinetic and potential energy of bodies that were spawned from these definitions, joules.
pub(crate) fn energy(world: &World, bodies: &[(BodyId, MassProperties)]) -> f64 {
    bodies
        .iter()
        .map(|(id, properties)| {
            let body = world.body(*id).unwrap();
            let mass = properties.mass.to_f64();
            let spin = floats(body.rotation().rotate_inverse(body.angular_velocity()));
            let [d, o] =
                [properties.inertia_per_mass.diagonal, properties.inertia_per_mass.off].map(floats);
            let momentum = [
                d[0] * spin[0] + o[2] * spin[1] + o[1] * spin[2],
                o[2] * spin[0] + d[1] * spin[1] + o[0] * spin[2],
                o[1] * spin[0] + o[0] * spin[1] + d[2] * spin[2],
            ];
            let velocity = floats(body.velocity());
            let height = body.center_of_mass().y.to_f64();
            mass * (0.5 * dot(velocity, velocity) + 0.5 * dot(spin, momentum) + GRAVITY * height)
        })
        .sum()
}
