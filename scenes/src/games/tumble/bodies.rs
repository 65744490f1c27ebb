//! What Tumble is played on: the platform, and the bodies of players and crates. `rules` moves them.

use super::rules::{Board, Phase, Player, Settings, Tumble};
use isostep::{
    BodyDef, BodyId, Material, Real, Shape, ShapeDef, Tick, Transform, Vec3, World, WorldDef, real,
};

/// A player is a capsule: half of its straight part, and its radius, metres.
pub const PLAYER: [Real; 2] = [real!(0.375), real!(0.4375)];
/// Half the edges of crates, metres: two sizes in turn.
pub const CRATES: [Real; 2] = [real!(0.5), real!(0.625)];
/// Half the height of the platform; its top is at 0.
pub const PLATFORM: Real = real!(0.75);
/// kg/m³: a player weighs about 270 kg, and a crate 150 or 290.
const PLAYER_DENSITY: Real = real!(300);
const CRATE_DENSITY: Real = real!(150);
/// Where more crates are, there is more room: m² for each player and crate, at least.
const ROOM: i32 = 6;

pub const KNOWN: &str = "nothing is ever taken away";

/// What never changes: settings, the platform, and the bodies of players by seat and then of crates.
#[derive(Debug, serde::Serialize)]
pub struct Cast {
    pub settings: Settings,
    pub platform: BodyId,
    pub bodies: Vec<BodyId>,
    /// Half a side of the platform, metres.
    pub half: Real,
}

impl Tumble {
    /// Before the first tick.
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
        // What they stand on must not hold players back: legs do that.
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

    /// A body to a place, where it rests and nobody has pushed it.
    pub fn put(&mut self, number: usize, pose: Transform) {
        let body = self.cast.bodies[number];
        self.world.teleport(body, pose).expect(KNOWN);
        self.world.set_velocity(body, Vec3::ZERO).expect(KNOWN);
        self.world.set_angular_velocity(body, Vec3::ZERO).expect(KNOWN);
        self.pushed[number] = None;
    }

    /// Where a player or a crate is.
    pub fn place(&self, number: usize) -> Vec3 {
        self.world.body(self.cast.bodies[number]).expect(KNOWN).position()
    }
}
