//! Marbles: two to eight players roll a big ball each and knock each other's marbles out of the ring.
//! A marble that leaves the ring returns to its place. The player who loses the fewest wins.
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
/// Marbles of each player.
pub const MARBLES: usize = 3;
/// Speed that a ball gains in one tick, and by a dash, m/s.
const PUSH: Real = real!(0.25);
const DASH_SPEED: Real = real!(6);
/// Ticks from one dash to the next.
const DASH_COOLDOWN: u32 = 60;
const KNOWN: &str = "bodies are never despawned";

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
    pub world: World,
    /// Marbles that each player has lost.
    lost: Vec<u32>,
    /// Ticks until each player may dash again.
    cooldown: Vec<u32>,
    /// `fixed` fields never change: they are compared, but not saved.
    #[state(fixed)]
    balls: Vec<Piece>,
    /// `MARBLES` of the first player, then of the second, and so on.
    #[state(fixed)]
    marbles: Vec<Piece>,
}

#[derive(Clone, Copy, Serialize)]
struct Piece {
    body: BodyId,
    home: Vec3,
}

impl Marbles {
    /// Match before its first tick.
    pub fn new(players: usize) -> Self {
        let mut world = World::new(WorldDef::default()).expect("the default is fine");
        world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).expect("a floor fits");
        let bouncy = Material { restitution: real!(0.5), ..Material::default() };
        let mut put = |radius: Real, home: Vec3| {
            let home = home + Vec3::Y * radius;
            let shape = Shape::sphere(radius).expect("a size within the limits");
            let body = BodyDef::dynamic().at(home).shape(ShapeDef::from(shape).material(bouncy));
            // Damping halves a rolling body's speed in about a second.
            let body = body.damping(real!(0.75), real!(0.75)).speed_cap(real!(12));
            Piece { body: world.spawn(body).expect("it fits into the world"), home }
        };
        // Places on a circle around the middle, in `of` equal parts.
        let circle = |part: usize, of: usize, radius: i32| {
            let angle = Real::TAU * part as i32 / of as i32;
            Vec3::new(angle.cos(), Real::ZERO, angle.sin()) * radius
        };
        let all = players * MARBLES;
        let balls = (0..players).map(|player| put(BALL, circle(player, players, 6))).collect();
        let marbles = (0..all).map(|marble| put(MARBLE, circle(marble, all, 4))).collect();
        // Makes these bodies part of the initial state.
        world.commit();
        Self { world, lost: vec![0; players], cooldown: vec![0; players], balls, marbles }
    }

    /// Marbles that each player has lost.
    pub fn lost(&self) -> &[u32] {
        &self.lost
    }

    /// Positions of the balls, by player.
    pub fn balls(&self) -> impl Iterator<Item = Vec3> {
        self.balls.iter().map(|&ball| self.place(ball))
    }

    /// Positions of the marbles, with their players.
    pub fn marbles(&self) -> impl Iterator<Item = (usize, Vec3)> {
        let all = self.marbles.iter().enumerate();
        all.map(|(index, &marble)| (index / MARBLES, self.place(marble)))
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
        for index in 0..self.marbles.len() {
            self.lost[index / MARBLES] += u32::from(self.put_back(self.marbles[index]));
        }
        for (player, input) in inputs.iter() {
            let (pad, seat) = (input.value, usize::from(player.0));
            let ball = self.balls[seat];
            self.put_back(ball);
            self.cooldown[seat] = self.cooldown[seat].saturating_sub(1);
            let mut speed = PUSH;
            if pad.buttons.held(DASH) && self.cooldown[seat] == 0 {
                self.cooldown[seat] = DASH_COOLDOWN;
                speed += DASH_SPEED;
            }
            let mass = self.world.body(ball.body).expect(KNOWN).mass();
            let direction = Vec3::new(pad.roll.x(), Real::ZERO, pad.roll.y());
            self.world.apply_impulse(ball.body, direction * speed * mass).expect(KNOWN);
        }
        self.world.step();
    }

    /// Bot for a seat without a player: moves between the middle and a marble of another player, then
    /// dashes outwards.
    ///
    /// Other machines predict that inputs stay the same until they arrive. So it leans in few directions,
    /// and holds the dash [down](Buttons::down) instead of pressing it anew on each tick.
    fn bot(&self, tick: Tick, player: PlayerId) -> Pad {
        let (seat, plan) = (usize::from(player.0), tick.0 as usize / 150);
        let other = (seat + 1 + plan % (self.balls.len() - 1)) % self.balls.len();
        let (me, marble) = (self.place(self.balls[seat]), other * MARBLES + plan % MARBLES);
        let marble = self.place(self.marbles[marble]);
        let outwards = marble.normalize_or(Vec3::X);
        let ready = (marble - me).normalize_or(outwards).dot(outwards) > real!(0.75);
        let target = if ready { marble } else { marble - outwards * real!(1.5) };
        let direction = (target - me).normalize_or(Vec3::ZERO) * 3 + Vec3::splat(real!(0.5));
        let lean = |part: Real| 42 * part.floor_to_int() as i8;
        let roll = Stick::from_steps(lean(direction.x), lean(direction.z)).unwrap_or_default();
        let buttons = if ready { Buttons::none().down(DASH) } else { Buttons::none() };
        Pad { roll, buttons }
    }

    /// Names of bodies in reports: `body 3v1 (a marble of player 1)`.
    fn body_name(&self, body: BodyId) -> Option<String> {
        let place = |pieces: &[Piece]| pieces.iter().position(|piece| piece.body == body);
        let ball = place(&self.balls).map(|seat| format!("the ball of player {seat}"));
        let owner = |marble| format!("a marble of player {}", marble / MARBLES);
        ball.or_else(|| place(&self.marbles).map(owner))
    }
}
