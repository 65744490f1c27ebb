//! Marbles: each player rolls a big ball and knocks the other player's marbles out of the ring. A
//! marble that leaves the ring scores a point and returns to its place.
//!
//! This file is the whole game. `Marbles` holds everything that the next tick depends on, and only
//! `step` advances it: no clock, no floats, no unseeded randomness. So every machine computes the
//! same bits and can roll back to any tick.

use isostep::{
    BodyDef, BodyId, Button, Buttons, Input, Inputs, Material, PlayerId, Real, Shape, ShapeDef,
    Simulation, Snapshot, State, Stick, Tick, Transform, Vec3, World, WorldDef, real,
};
use serde::{Deserialize, Serialize};

/// The game under a fixed name for the other files.
pub type Game = Marbles;
/// Name that machines compare when they connect. Rules are not compared: count the number up when
/// you change them, and machines with the old rules are refused.
pub const NAME: &str = concat!(env!("CARGO_PKG_NAME"), "-1");

/// Radius of the ring, metres.
pub const RING: Real = real!(8);
const BALL: Real = real!(0.75);
const MARBLE: Real = real!(0.375);
/// Speed that a ball gains in one tick, and by a dash, m/s.
const PUSH: Real = real!(0.25);
const LEAP: Real = real!(6);
/// Ticks from one dash to the next.
const BREATH: u32 = 60;
const KNOWN: &str = "nothing is ever taken away";

/// Input of one player for one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Input)]
pub struct Pad {
    pub roll: Stick,
    pub buttons: Buttons<1>,
}

/// The dash button.
pub const DASH: Button<1> = Button::at::<0>();

/// State of a match. `State` lets a session save, hash and restore it; `Snapshot` turns it into
/// bytes for recordings.
#[derive(State, Snapshot)]
pub struct Marbles {
    world: World,
    score: [u32; 2],
    /// Ticks until each player may dash again.
    breath: [u32; 2],
    /// `fixed` fields never change: they are compared, but not saved.
    #[state(fixed)]
    balls: [Piece; 2],
    /// Marbles of the first and the second player, alternating.
    #[state(fixed)]
    marbles: [Piece; 6],
}

#[derive(Clone, Copy, Serialize)]
struct Piece {
    body: BodyId,
    home: Vec3,
}

impl Default for Marbles {
    /// Match before its first tick.
    fn default() -> Self {
        let mut world = World::new(WorldDef::default()).expect("the default is fine");
        world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).expect("a floor fits");
        let bouncy = Material { restitution: real!(0.5), ..Material::default() };
        let mut put = |radius: Real, x: i32, z: i32| {
            let home = Vec3::new(Real::from_int(x), radius, Real::from_int(z));
            let shape = Shape::sphere(radius).expect("a size within the limits");
            let body = BodyDef::dynamic().at(home).shape(ShapeDef::from(shape).material(bouncy));
            // Damping halves a rolling body's speed in about a second.
            let body = body.damping(real!(0.75), real!(0.75)).speed_cap(real!(12));
            Piece { body: world.spawn(body).expect("it fits into the world"), home }
        };
        let balls = [put(BALL, -6, 0), put(BALL, 6, 0)];
        let marbles = [(-2, -2), (2, -2), (-2, 0), (2, 0), (-2, 2), (2, 2)];
        let marbles = marbles.map(|(x, z)| put(MARBLE, x, z));
        // Makes these bodies part of the initial state.
        world.commit();
        Self { world, score: [0; 2], breath: [0; 2], balls, marbles }
    }
}

impl Marbles {
    /// Marbles that each player has knocked out.
    pub const fn score(&self) -> [u32; 2] {
        self.score
    }

    /// Positions of the balls, by player.
    pub fn balls(&self) -> [Vec3; 2] {
        self.balls.map(|ball| self.place(ball))
    }

    /// Positions of the marbles, alternating between the players.
    pub fn marbles(&self) -> [Vec3; 6] {
        self.marbles.map(|marble| self.place(marble))
    }

    fn place(&self, piece: Piece) -> Vec3 {
        self.world.body(piece.body).expect(KNOWN).position()
    }

    /// Returns a piece that left the ring to its place. Returns true if it had left.
    fn put_back(&mut self, piece: Piece) -> bool {
        let is_out = self.place(piece).scale(Vec3::X + Vec3::Z).length() > RING;
        if is_out {
            self.world.teleport(piece.body, Transform::at(piece.home)).expect(KNOWN);
            self.world.set_velocity(piece.body, Vec3::ZERO).expect(KNOWN);
            self.world.set_angular_velocity(piece.body, Vec3::ZERO).expect(KNOWN);
        }
        is_out
    }
}

impl Simulation for Marbles {
    type Input = Pad;

    fn step(&mut self, _tick: Tick, inputs: &Inputs<Pad>) {
        for (index, marble) in self.marbles.into_iter().enumerate() {
            self.score[1 - index % 2] += u32::from(self.put_back(marble));
        }
        for (player, input) in inputs.iter() {
            let (pad, seat) = (input.value, usize::from(player.0));
            let ball = self.balls[seat];
            self.put_back(ball);
            self.breath[seat] = self.breath[seat].saturating_sub(1);
            let mut speed = PUSH;
            if pad.buttons.pressed(DASH) && self.breath[seat] == 0 {
                self.breath[seat] = BREATH;
                speed += LEAP;
            }
            let mass = self.world.body(ball.body).expect(KNOWN).mass();
            let way = Vec3::new(pad.roll.x(), Real::ZERO, pad.roll.y());
            self.world.apply_impulse(ball.body, way * speed * mass).expect(KNOWN);
        }
        self.world.step();
    }

    /// Bot for a seat without a player: moves between the middle and a marble of the other player,
    /// then dashes outwards.
    fn bot(&self, tick: Tick, player: PlayerId) -> Pad {
        let seat = usize::from(player.0);
        let me = self.balls()[seat];
        let marble = self.marbles()[1 - seat + tick.0 as usize / 150 % 3 * 2];
        let outwards = marble.normalize_or(Vec3::X);
        let ready = (marble - me).normalize_or(outwards).dot(outwards) > real!(0.75);
        let target = if ready { marble } else { marble - outwards * real!(1.5) };
        let way = (target - me).normalize_or(Vec3::ZERO) * 126;
        let roll = Stick::from_steps(way.x.floor_to_int() as i8, way.z.floor_to_int() as i8);
        let dash = ready && tick.0.is_multiple_of(20);
        let buttons = if dash { Buttons::none().press(DASH) } else { Buttons::none() };
        Pad { roll: roll.unwrap_or_default(), buttons }
    }
}
