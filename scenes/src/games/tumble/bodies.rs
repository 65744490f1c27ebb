//! Bodies of Tumble: the platform, players and crates. `rules` moves them.

use super::rules::{Board, Phase, Player, Settings, Tumble};
use isostep::{
    BodyDef, BodyId, Material, Real, Shape, ShapeDef, Tick, Transform, Vec3, World, WorldDef, real,
};

/// A player's capsule: half length of the straight part, and radius, metres.
pub const PLAYER: [Real; 2] = [real!(0.375), real!(0.4375)];
/// Half extents of crates, metres: two sizes in turn.
pub const CRATES: [Real; 2] = [real!(0.5), real!(0.625)];
/// Half the height of the platform; its top is at 0.
pub const PLATFORM: Real = real!(0.75);
/// Densities, kg/m³: a player weighs about 270 kg, a crate 150 or 290.
const PLAYER_DENSITY: Real = real!(300);
const CRATE_DENSITY: Real = real!(150);
/// Minimum area of the platform for each player and crate, m².
const ROOM: i32 = 6;

pub const KNOWN: &str = "nothing is ever taken away";

/// Constant data: settings, the platform, and the bodies of players by seat, then of crates.
#[derive(Debug, serde::Serialize)]
pub struct Cast {
    pub settings: Settings,
    pub platform: BodyId,
    pub bodies: Vec<BodyId>,
    /// Half a side of the platform, metres.
    pub half: Real,
}

impl Tumble {
    /// Creates a match before its first tick.
    pub fn new(settings: Settings) -> Self {
        let settings = Settings { players: settings.players.clamp(2, 8), ..settings };
        let mut world = World::new(WorldDef::default()).expect("the default is fine");
        let mut put = |body: BodyDef| world.spawn(body).expect("all is well-formed");
        let cuboid = |half| ShapeDef::from(Shape::cuboid(half).expect("within the limits"));
        let all = i32::from(settings.players) + i32::from(settings.crates);
        let wide = Real::from_int(all * ROOM).sqrt().expect("not below zero") / 2;
        let half = wide.max(real!(4) + Real::from_int(settings.players.into()) / 2);
        let slab = cuboid(Vec3::new(half, PLATFORM, half));
        let platform = put(BodyDef::fixed().at(Vec3::Y * -PLATFORM).shape(slab));
        // Low friction: the controller brakes the players, not the ground.
        let material = |friction| Material { friction, ..Material::default() };
        let capsule = Shape::capsule(PLAYER[0], PLAYER[1]).expect("within the limits");
        let capsule = ShapeDef::from(capsule).density(PLAYER_DENSITY);
        let capsule = capsule.material(material(Real::ZERO));
        let player = BodyDef::dynamic().shape(capsule).lock_rotation().stay_awake();
        let wood = material(Real::ratio(4, 10));
        let crates = CRATES.map(|half| {
            let shape = cuboid(Vec3::splat(half)).density(CRATE_DENSITY).material(wood);
            BodyDef::dynamic().shape(shape)
        });
        let seats = usize::from(settings.players);
        let crates = crates.iter().cycle().take(settings.crates.into());
        let all = std::iter::repeat_n(&player, seats).chain(crates);
        let bodies: Vec<BodyId> = all.map(|body| put(body.clone())).collect();
        let mut game = Self {
            world,
            players: vec![Player::default(); seats],
            pushed: vec![None; bodies.len()],
            board: Board { round: 0, phase: Phase::Ready, since: Tick(0) },
            cast: Cast { settings, platform, bodies, half },
        };
        game.begin_round(Tick(0));
        game.world.commit();
        game
    }

    /// Places a body at rest and clears its last push.
    pub fn put(&mut self, number: usize, pose: Transform) {
        let body = self.cast.bodies[number];
        self.world.teleport(body, pose).expect(KNOWN);
        self.world.set_velocity(body, Vec3::ZERO).expect(KNOWN);
        self.world.set_angular_velocity(body, Vec3::ZERO).expect(KNOWN);
        self.pushed[number] = None;
    }

    /// Position of a player or crate.
    pub fn place(&self, number: usize) -> Vec3 {
        self.world.body(self.cast.bodies[number]).expect(KNOWN).position()
    }
}
