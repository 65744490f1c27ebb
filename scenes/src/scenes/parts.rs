//! Pieces that several scenes use.

use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Material, ShapeDef, World, WorldDef};
use isostep_core::{Real, Vec3, real};

/// Default density of the scenes, kg/m³.
const DENSITY: Real = real!(1);

pub(super) fn empty() -> World {
    World::new(WorldDef::default()).expect("the default is fine")
}

pub(super) fn cuboid(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z)).expect("sizes within the limits")
}

pub(super) fn put(world: &mut World, body: BodyDef) -> BodyId {
    world.spawn(body).expect("scenes are well-formed")
}

pub(super) fn solid(shape: Shape) -> ShapeDef {
    ShapeDef::from(shape).density(DENSITY).material(Material::default())
}

/// A ground box of 200 m, its top at height 0.
pub(super) fn ground(world: &mut World) {
    let shape = solid(cuboid(real!(100), real!(1), real!(100)));
    put(world, BodyDef::fixed().at(Vec3::from_ints(0, -1, 0)).shape(shape));
}

/// Four walls of 2 m around a square, at this distance from the middle.
pub(super) fn walls(world: &mut World, distance: Real, half_height: Real) {
    let (middle, half_length) = (distance + real!(1), distance + real!(2));
    for (x, z, half_x, half_z) in [
        (middle, Real::ZERO, real!(1), half_length),
        (-middle, Real::ZERO, real!(1), half_length),
        (Real::ZERO, middle, half_length, real!(1)),
        (Real::ZERO, -middle, half_length, real!(1)),
    ] {
        let shape = solid(cuboid(half_x, half_height, half_z));
        put(world, BodyDef::fixed().at(Vec3::new(x, half_height, z)).shape(shape));
    }
}

pub(super) fn unit_box() -> ShapeDef {
    solid(cuboid(Real::HALF, Real::HALF, Real::HALF))
}

/// A small ball, box or capsule by number, for drums and storms. None extends further than 0.6 m
/// from its centre.
pub(super) fn small_shape(number: u32) -> ShapeDef {
    let shape = match number % 3 {
        0 => Shape::sphere(Real::ratio(3, 10)),
        1 => Shape::cuboid(Vec3::new(Real::ratio(25, 100), Real::ratio(2, 10), Real::ratio(3, 10))),
        _ => Shape::capsule(Real::ratio(25, 100), Real::ratio(2, 10)),
    };
    solid(shape.expect("sizes within the limits"))
}
