//! The world before the first tick, and definitions of bodies that are spawned later. Lengths in
//! metres.

use super::{
    BULLETS, Board, Fighter, PLAYERS, Pickup, Platform, SCENERY, Settings, Support, THINGS,
};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Material, ShapeDef, World, WorldDef};
use isostep_core::{Real, Vec3, real};

/// Steps of the platform's path to each side of its middle.
pub(super) const PATH: i32 = 60;
/// Half the edge of a crate on a support.
const CRATE: Real = Real::ratio(4, 10);
const SUPPORT_HALF: Vec3 = Vec3::new(Real::ratio(6, 10), Real::HALF, Real::ratio(6, 10));

pub(super) fn build(settings: &Settings) -> (World, Board) {
    let def = WorldDef {
        substeps: 4,
        sleep_threshold: Real::ratio(1, 10),
        time_to_sleep: Real::ratio(i32::from(settings.drowsy_ticks), 60),
        ..WorldDef::default()
    };
    let mut world = World::with_history(def, usize::from(settings.history)).expect("a sound world");
    let mut put = |stream, body| world.spawn_in(stream, body).expect("a sound body");
    put(SCENERY, floor(settings.endless));
    for post in 1..i32::from(settings.posts) {
        put(SCENERY, slab(Vec3::from_ints(post - 16, 0, 16), real!(0.125)));
    }
    let fighter = |body| Fighter { body, score: 0, aim: 1, enabled: true };
    let fighters = (0..settings.seats).map(|seat| fighter(put(PLAYERS, fighter_def(seat))));
    let fighters = fighters.collect();
    let supports = (0..usize::from(settings.supports)).map(|number| {
        let body = put(THINGS, support_def(number));
        let load = put(THINGS, crate_def(load_place(number)));
        Support { body, away: false, load }
    });
    let supports = supports.collect();
    let pickup = |body| Pickup { body: Some(body), ticks_left: 0, taken: 0 };
    let pickups =
        (0..usize::from(settings.pickups)).map(|number| pickup(put(THINGS, pickup_def(number))));
    let pickups = pickups.collect();
    let platform = BodyDef::kinematic().at(platform_place(0));
    let platform =
        put(THINGS, platform.shape(cuboid(Vec3::new(Real::ONE, real!(0.25), Real::ONE))));
    let rider = put(THINGS, crate_def(rider_place()));
    let roller = put(THINGS, roller_def());
    world.commit();
    let platform = Platform { body: platform, rider, at: 0, direction: 1 };
    let board = Board {
        fighters,
        bullets: Vec::new(),
        pickups,
        supports,
        platform,
        roller,
        walls: Vec::new(),
        built: 0,
        blocks: Vec::new(),
        hurry: (1, 0),
        refused: 0,
        chronicle: 0,
    };
    (world, board)
}

fn floor(endless: bool) -> BodyDef {
    if endless {
        return BodyDef::fixed().shape(Shape::HALF_SPACE);
    }
    let half = Vec3::new(real!(7), Real::ONE, real!(7));
    BodyDef::fixed().at(Vec3::new(Real::ZERO, -Real::ONE, Real::ZERO)).shape(cuboid(half))
}

fn cuboid(half: Vec3) -> Shape {
    Shape::cuboid(half).expect("within the limits")
}

fn slab(place: Vec3, half: Real) -> BodyDef {
    BodyDef::fixed().at(place).shape(cuboid(Vec3::splat(half)))
}

/// Start of a player, on a ring around the middle.
pub(super) fn fighter_place(seat: u8) -> Vec3 {
    let x = i32::from(seat % 4) * 2 - 3;
    let z = if seat.is_multiple_of(2) { 2 } else { -2 };
    Vec3::new(Real::from_int(x), real!(0.75), Real::from_int(z))
}

fn fighter_def(seat: u8) -> BodyDef {
    let slippery = Material { friction: Real::ratio(2, 10), ..Material::default() };
    let shape = match seat % 3 {
        0 => cuboid(Vec3::new(Real::ratio(35, 100), real!(0.75), Real::ratio(35, 100))),
        1 => Shape::capsule(Real::ratio(4, 10), Real::ratio(35, 100)).expect("within the limits"),
        _ => Shape::sphere(Real::HALF).expect("within the limits"),
    };
    let shape = ShapeDef::from(shape).material(slippery).density(real!(100));
    let body = BodyDef::dynamic().at(fighter_place(seat)).shape(shape);
    body.lock_rotation().damping(Real::ONE, Real::ONE).user_data(u64::from(seat))
}

pub(super) fn support_place(number: usize) -> Vec3 {
    Vec3::new(Real::from_int(number as i32 * 3 - 4), Real::HALF, real!(-5))
}

/// Place of a support that was pulled away: behind the others, outside of the floor.
pub(super) fn pulled_place(number: usize) -> Vec3 {
    support_place(number) + Vec3::from_ints(0, 0, -8)
}

fn support_def(number: usize) -> BodyDef {
    BodyDef::fixed().at(support_place(number)).shape(cuboid(SUPPORT_HALF))
}

/// Place of a crate on its support.
pub(super) fn load_place(number: usize) -> Vec3 {
    support_place(number) + Vec3::new(Real::ZERO, SUPPORT_HALF.y + CRATE, Real::ZERO)
}

pub(super) fn crate_def(place: Vec3) -> BodyDef {
    let shape = ShapeDef::from(cuboid(Vec3::splat(CRATE))).density(real!(100));
    BodyDef::dynamic().at(place).shape(shape)
}

/// Sensor of a pickup. Every spawn at a place is identical.
pub(super) fn pickup_def(number: usize) -> BodyDef {
    let place = Vec3::new(Real::from_int(number as i32 * 3 - 3), Real::HALF, Real::ZERO);
    let half = Vec3::new(Real::HALF, Real::HALF, Real::HALF);
    let body = BodyDef::fixed().at(place).shape(ShapeDef::from(cuboid(half)).sensor());
    if number.is_multiple_of(2) { body } else { body.stay_events() }
}

pub(super) fn platform_place(at: i32) -> Vec3 {
    Vec3::new(Real::ratio(at, 30), real!(0.25), real!(5))
}

pub(super) fn rider_place() -> Vec3 {
    platform_place(0) + Vec3::new(Real::ZERO, real!(0.25) + CRATE, Real::ZERO)
}

pub(super) fn roller_place() -> Vec3 {
    Vec3::new(real!(-6), Real::ratio(3, 10), Real::ZERO)
}

fn roller_def() -> BodyDef {
    let shape = Shape::sphere(Real::ratio(3, 10)).expect("within the limits");
    let shape = ShapeDef::from(shape).density(real!(100));
    BodyDef::dynamic().at(roller_place()).velocity(roller_speed()).shape(shape)
}

pub(super) fn roller_speed() -> Vec3 {
    Vec3::from_ints(3, 0, 0)
}

/// Wall by number; positions repeat, so that walls are built where others were.
pub(super) fn wall_def(number: u32) -> BodyDef {
    let (x, z) = (number as i32 % 5 * 2 - 4, if number.is_multiple_of(2) { 3 } else { -3 });
    slab(Vec3::new(Real::from_int(x), Real::ratio(3, 10), Real::from_int(z)), Real::ratio(3, 10))
}

/// Block beside the floor, without contacts.
pub(super) fn block_def(number: u8) -> BodyDef {
    slab(Vec3::from_ints(i32::from(number % 16), 0, -16), Real::HALF)
}

/// Spawns a bullet in front of a player.
pub(super) fn spawn_bullet(
    world: &mut World,
    seat: u8,
    from: Vec3,
    direction: Vec3,
) -> Option<BodyId> {
    let shape = Shape::sphere(Real::ratio(15, 100)).expect("within the limits");
    let shape = ShapeDef::from(shape).density(real!(500));
    let body = BodyDef::dynamic().at(from + direction * real!(0.75)).shape(shape);
    let body = body.velocity(direction * real!(9)).gravity_scale(real!(0.25));
    world.spawn_in(BULLETS + seat, body).ok()
}
