//! World of the arena: floor, walls, goals, ball, players and props, with their ids.

use super::{ArenaSize, Team};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Material, ShapeDef, World, WorldDef};
use isostep_core::{Real, Rng, Vec3, real};
use isostep_rollback::PlayerId;
use serde::Serialize;

/// Purpose of the random numbers.
const PLACE: u64 = 1;
/// Half extents of a player, metres.
pub(super) const PLAYER_HALF: Vec3 =
    Vec3::new(Real::ratio(4, 10), real!(0.875), Real::ratio(4, 10));
pub(super) const BALL_RADIUS: Real = real!(0.5);
/// Half the height of the walls; players can't jump over them.
const WALL_HALF_HEIGHT: Real = real!(3);
/// Half depth and half height of a goal. It lies before its wall, which extends this far past it on
/// both sides.
const GOAL_DEPTH: Real = Real::HALF;
const GOAL_HEIGHT: Real = real!(1.25);
const GOAL_FREE: Real = real!(1.5);
/// Start of the ball: slightly above the middle, so that it falls.
pub(super) const KICK_OFF: Vec3 = Vec3::new(Real::ZERO, real!(1.5), Real::ZERO);

/// Body ids; constant after the start.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cast {
    pub(super) ball: BodyId,
    pub(super) players: Vec<BodyId>,
    pub(super) props: Vec<(BodyId, Shape)>,
    /// Goals of blue and red.
    pub(super) goals: [BodyId; 2],
    pub(super) walls: Vec<(BodyId, Shape)>,
    /// Half extents of the field along x and z.
    pub(super) half: [Real; 2],
}

pub(super) fn build(size: ArenaSize, seed: u64) -> (World, Cast) {
    let mut world = World::new(WorldDef::default()).expect("the default is fine");
    // 1.5 m² for each body, and a minimum size of the field.
    let things = i32::from(size.players) * 4 + i32::from(size.props);
    let grown = Real::from_int(things).sqrt().unwrap_or_default() / 2;
    let half = [real!(7) + grown, real!(5) + grown];
    let floor = ShapeDef::from(Shape::HALF_SPACE);
    put(&mut world, BodyDef::fixed().shape(floor));
    let walls = walls(&mut world, half);
    let goals = [Team::Blue, Team::Red].map(|team| {
        let along = (half[0] - GOAL_DEPTH) * team.side();
        let body = BodyDef::fixed().at(Vec3::new(along, GOAL_HEIGHT, Real::ZERO));
        put(&mut world, body.shape(ShapeDef::from(goal_shape(half)).sensor()))
    });
    let bouncy = Material { restitution: real!(0.75), ..Material::default() };
    let ball = ShapeDef::from(sphere(BALL_RADIUS)).density(real!(0.25)).material(bouncy);
    let ball = BodyDef::dynamic().at(KICK_OFF).shape(ball);
    // Damping: a ball squeezed between two players would otherwise fly for seconds.
    let ball = ball.damping(real!(0.25), real!(0.25)).speed_cap(real!(12));
    let ball = put(&mut world, ball);
    let players = (0..size.players).map(PlayerId);
    let players = players.map(|player| put(&mut world, player_body(player, size, half))).collect();
    let props = (0..size.props).map(|number| prop(&mut world, number, half, seed)).collect();
    world.commit();
    (world, Cast { ball, players, props, goals, walls, half })
}

fn walls(world: &mut World, [half_x, half_z]: [Real; 2]) -> Vec<(BodyId, Shape)> {
    let thick = Real::ONE;
    let sides = [
        (half_x + thick, Real::ZERO, thick, half_z + thick * 2),
        (-half_x - thick, Real::ZERO, thick, half_z + thick * 2),
        (Real::ZERO, half_z + thick, half_x + thick * 2, thick),
        (Real::ZERO, -half_z - thick, half_x + thick * 2, thick),
    ];
    let wall = |(x, z, wide, deep)| {
        let shape = cuboid(Vec3::new(wide, WALL_HALF_HEIGHT, deep));
        (put(world, BodyDef::fixed().at(Vec3::new(x, WALL_HALF_HEIGHT, z)).shape(shape)), shape)
    };
    sides.map(wall).to_vec()
}

/// Start of a player: on their own half, in rows.
pub(super) fn start(player: PlayerId, players: u8, [half_x, half_z]: [Real; 2]) -> Vec3 {
    let seats = i32::from(players.div_ceil(2));
    let seat = i32::from(player.0 / 2);
    let z = half_z * (2 * seat + 1 - seats) / seats;
    Vec3::new(half_x * Team::of(player).side() / 2, PLAYER_HALF.y, z)
}

fn player_body(player: PlayerId, size: ArenaSize, half: [Real; 2]) -> BodyDef {
    // Low friction: the controller brakes the players, not the ground.
    let slippery = Material { friction: Real::ratio(1, 10), ..Material::default() };
    let shape = ShapeDef::from(cuboid(PLAYER_HALF)).material(slippery);
    BodyDef::dynamic()
        .at(start(player, size.players, half))
        .shape(shape)
        .lock_rotation()
        .user_data(u64::from(player.0))
}

fn prop(world: &mut World, number: u16, half: [Real; 2], seed: u64) -> (BodyId, Shape) {
    let shape = match number % 3 {
        0 => Shape::sphere(Real::ratio(4, 10)),
        1 => Shape::cuboid(Vec3::splat(Real::ratio(45, 100))),
        _ => Shape::capsule(Real::ratio(3, 10), Real::ratio(35, 100)),
    };
    let shape = shape.expect("sizes within the limits");
    let mut rng = Rng::keyed(seed, 0, u64::from(number), PLACE);
    let mut along = |limit: Real| {
        let limit = limit - real!(2);
        rng.between(-limit, limit).expect("the field is wider than that")
    };
    let (x, z) = (along(half[0]), along(half[1]));
    // Layered, so that no two props start with a long overlap.
    let y = real!(3) + Real::from_int(i32::from(number)) / 4;
    let material = Material { rolling: Real::ratio(2, 100), ..Material::default() };
    let shape_def = ShapeDef::from(shape).density(real!(0.5)).material(material);
    let body = BodyDef::dynamic().at(Vec3::new(x, y, z)).shape(shape_def);
    (put(world, body.damping(real!(0.125), real!(0.5))), shape)
}

pub(super) fn goal_shape(half: [Real; 2]) -> Shape {
    cuboid(Vec3::new(GOAL_DEPTH, GOAL_HEIGHT, half[1] - GOAL_FREE))
}

pub(super) fn sphere(radius: Real) -> Shape {
    Shape::sphere(radius).expect("sizes within the limits")
}

pub(super) fn cuboid(half: Vec3) -> Shape {
    Shape::cuboid(half).expect("sizes within the limits")
}

fn put(world: &mut World, body: BodyDef) -> BodyId {
    world.spawn(body).expect("the arena is well-formed")
}
