//! The duel: players push a ball. A ball at the wall behind a side scores for the other side.

use isostep::{
    BodyDef, BodyId, Inputs, Material, PlayerId, Real, Shape, ShapeDef, Simulation, State, Stick,
    Tick, Transform, Vec3, World, WorldDef, real,
};

/// Half extents of the field, metres.
pub const HALF_X: Real = real!(16);
pub const HALF_Z: Real = real!(6);
const WALL: Real = Real::ONE;
const BALL_RADIUS: Real = real!(0.5);
const PLAYER_RADIUS: Real = real!(0.75);
/// Player speed, m/s, and its maximum change in a tick.
const SPEED: Real = real!(8);
const GRIP: Real = real!(0.375);
/// Position beyond which the ball touches an end wall.
const LINE: Real = real!(15.375);

/// A match. It holds everything that the next tick depends on; the session saves, hashes and
/// restores it.
#[derive(State)]
pub struct Duel {
    world: World,
    /// Goals of the even seats, which play to the right, and of the odd ones.
    score: [u32; 2],
    #[state(fixed)]
    cast: Cast,
}

/// Body ids; constant.
#[derive(serde::Serialize)]
struct Cast {
    ball: BodyId,
    players: Vec<BodyId>,
}

impl Duel {
    /// Creates a match before the kick-off.
    pub fn new(players: usize) -> Self {
        let mut world = World::new(WorldDef::default()).expect("the default is fine");
        let mut put = |body: BodyDef| world.spawn(body).expect("the field is well-formed");
        put(BodyDef::fixed().shape(ShapeDef::from(Shape::HALF_SPACE)));
        for (x, z) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let at = Vec3::new((HALF_X + WALL) * x, WALL, (HALF_Z + WALL) * z);
            let half = if x == 0 {
                Vec3::new(HALF_X, WALL, WALL)
            } else {
                Vec3::new(WALL, WALL, HALF_Z + WALL * 2)
            };
            let shape = Shape::cuboid(half).expect("a size within the limits");
            put(BodyDef::fixed().at(at).shape(ShapeDef::from(shape)));
        }
        let bouncy = Material { restitution: real!(0.75), ..Material::default() };
        let sphere = |radius| Shape::sphere(radius).expect("a size within the limits");
        let ball = ShapeDef::from(sphere(BALL_RADIUS)).density(real!(0.25)).material(bouncy);
        // Slow enough to stay below the walls.
        let ball = BodyDef::dynamic().shape(ball).damping(real!(0.25), real!(0.5));
        let ball = put(ball.at(Vec3::Y * BALL_RADIUS).speed_cap(real!(12)));
        let slippery = Material { friction: Real::ZERO, ..Material::default() };
        let shape = ShapeDef::from(sphere(PLAYER_RADIUS)).material(slippery);
        let player = |seat| BodyDef::dynamic().at(start(seat)).shape(shape.clone()).lock_rotation();
        let players = (0..players).map(|seat| put(player(seat))).collect();
        world.commit();
        Self { world, score: [0; 2], cast: Cast { ball, players } }
    }

    /// Goals of the side that plays to the right, and of the other one.
    pub const fn score(&self) -> [u32; 2] {
        self.score
    }

    /// Position of the ball.
    pub fn ball(&self) -> Vec3 {
        self.place(self.cast.ball)
    }

    /// Positions of the players, by seat.
    pub fn players(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.cast.players.iter().map(|&body| self.place(body))
    }

    /// Scripted input for a seat without a keyboard: moves behind the ball and pushes, or rests at
    /// home.
    pub fn script(&self, tick: Tick, player: PlayerId) -> Stick {
        let seat = usize::from(player.0);
        let me = self.place(self.cast.players[seat]);
        let ahead = if player.0.is_multiple_of(2) { Vec3::X } else { -Vec3::X };
        let behind = self.ball() - ahead;
        let turn = tick.0 / 120 + u32::from(player.0);
        let target = if turn.is_multiple_of(3) {
            start(seat) + Vec3::Z * if turn.is_multiple_of(2) { 4 } else { -4 }
        } else if (me - behind).dot(ahead) > Real::HALF {
            // Goes around the ball.
            behind + Vec3::Z * if me.z > behind.z { 2 } else { -2 }
        } else {
            behind
        };
        let offset = (target - me).normalize_or(ahead) * 127;
        let steps = |along: Real| along.floor_to_int().clamp(-127, 127) as i8;
        Stick::from_steps(steps(offset.x), steps(offset.z)).unwrap_or_default()
    }

    fn place(&self, body: BodyId) -> Vec3 {
        self.world.body(body).expect("nothing is ever taken away").position()
    }

    fn put_back(&mut self, body: BodyId, place: Vec3) {
        let known = "nothing is ever taken away";
        self.world.teleport(body, Transform::at(place)).expect(known);
        self.world.set_velocity(body, Vec3::ZERO).expect(known);
    }
}

/// Start of a seat: even ones on the left.
fn start(seat: usize) -> Vec3 {
    let (side, row) = (if seat.is_multiple_of(2) { -1 } else { 1 }, seat as i32 / 2);
    let z = real!(1.75) * ((row + 1) / 2) * if row % 2 == 0 { 1 } else { -1 };
    Vec3::new(HALF_X / 2 * side, PLAYER_RADIUS, z)
}

impl Simulation for Duel {
    type Input = Stick;

    fn step(&mut self, _tick: Tick, inputs: &Inputs<Stick>) {
        let along = self.ball().x;
        if along.abs() > LINE {
            self.score[usize::from(along.is_negative())] += 1;
            self.put_back(self.cast.ball, Vec3::Y * BALL_RADIUS);
            for seat in 0..self.cast.players.len() {
                self.put_back(self.cast.players[seat], start(seat));
            }
        }
        for (player, input) in inputs.iter() {
            let id = self.cast.players[usize::from(player.0)];
            let body = self.world.body(id).expect("nothing is ever taken away");
            let wanted = Vec3::new(input.value.x(), Real::ZERO, input.value.y()) * SPEED;
            let mut missing = wanted - body.velocity();
            missing.y = Real::ZERO;
            if missing.length() > GRIP {
                missing = missing.normalize_or(Vec3::ZERO) * GRIP;
            }
            // Fails if the player is at the speed limit; then no push is needed.
            let _ = self.world.apply_impulse(id, missing * body.mass());
        }
        self.world.step();
    }
}
