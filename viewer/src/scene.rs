//! Things to draw, and how a game is shown: its bodies, score and inputs.

use isostep_core::shape::{Geometry, Shape};
use isostep_core::world::{BodyId, World};
use isostep_core::{Quat, Real, Transform};
use isostep_rollback::{PlayerId, Simulation, Stick};
use serde_json::{Value, json};

/// Kind of a drawable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A player's body.
    Player(PlayerId),
    /// The ball of a game.
    Ball,
    /// Any other body that moves.
    Prop,
    /// A wooden crate.
    Crate,
    /// A sensor.
    Goal,
    /// A wall beside the field.
    Wall,
    /// The ground, where a game has edges.
    Platform,
    /// A body that never moves.
    Block,
}

/// An object to draw.
#[derive(Clone, Copy, Debug)]
pub struct Drawable {
    /// Its body.
    pub body: BodyId,
    /// Kind of the body.
    pub kind: Kind,
    /// Owner, as an index into the score.
    pub side: Option<u8>,
    /// Shape to draw.
    pub shape: Shape,
    /// Pose of the shape in the world.
    pub pose: Transform,
    /// True if the body sleeps.
    pub asleep: bool,
}

/// A player's input to show.
#[derive(Clone, Debug, Default)]
pub struct InputText {
    /// The stick, if there is one.
    pub stick: Option<Stick>,
    /// Held buttons, in the order of [`View::buttons`].
    pub held: Vec<bool>,
    /// Text of everything else.
    pub text: String,
}

/// Way to show a game.
pub trait View<S: Simulation>: Send + Sync + 'static {
    /// All drawables, moving ones first. The list may change from tick to tick.
    fn drawables(&self, game: &S) -> Vec<Drawable>;

    /// The game's world, for debug lines.
    fn world<'a>(&self, game: &'a S) -> &'a World;

    /// Points by side; empty if there is no score.
    fn score(&self, game: &S) -> Vec<i32>;

    /// Number of sides, for colours.
    fn sides(&self, game: &S) -> usize;

    /// Names of the buttons.
    fn buttons(&self) -> &'static [&'static str];

    /// An input as stick, buttons and text.
    fn input(&self, input: S::Input) -> InputText;

    /// Half extents of the field along x and z, metres. Its surface is at height 0.
    fn half_sides(&self, game: &S) -> [Real; 2];

    /// True if the command `isostep replay` knows the game.
    fn has_command(&self) -> bool;

    /// True if the ground is drawn.
    fn has_ground(&self, game: &S) -> bool;
}

impl Kind {
    /// Returns true if such a body moves.
    pub const fn moves(self) -> bool {
        matches!(self, Self::Player(_) | Self::Ball | Self::Prop | Self::Crate)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Player(_) => "player",
            Self::Ball => "ball",
            Self::Prop => "prop",
            Self::Crate => "crate",
            Self::Goal => "goal",
            Self::Wall => "wall",
            Self::Platform => "platform",
            Self::Block => "block",
        }
    }
}

impl Drawable {
    /// Description for a table; `sides` are those of the game.
    pub fn description(&self, sides: &[&str]) -> String {
        let Kind::Player(player) = self.kind else { return self.kind.name().to_owned() };
        match self.side.and_then(|side| sides.get(usize::from(side))) {
            Some(side) => format!("{player}, {side}"),
            None => player.to_string(),
        }
    }

    /// Name in reports.
    pub fn label(&self) -> String {
        match self.kind {
            Kind::Player(player) => format!("player {}", player.0 + 1),
            Kind::Prop => "a prop".to_owned(),
            Kind::Crate => "a crate".to_owned(),
            kind => format!("the {}", kind.name()),
        }
    }
}

/// Data that a page needs to draw a game.
pub fn scene<S: Simulation>(view: &impl View<S>, game: &S) -> Value {
    let drawables = view.drawables(game);
    json!({
        "half": view.half_sides(game).map(Real::to_f32),
        "sides": view.sides(game),
        "buttons": view.buttons(),
        "ground": view.has_ground(game),
        "things": things(&drawables),
    })
}

/// Constant data of drawables. Moving ones have their poses in frames.
pub(crate) fn things(drawables: &[Drawable]) -> Value {
    drawables.iter().map(thing).collect()
}

fn thing(thing: &Drawable) -> Value {
    let (shape, size) = match *thing.shape.geometry() {
        Geometry::Sphere { radius } => ("round", [radius, Real::ZERO, radius]),
        Geometry::Capsule { half_length, radius } => ("round", [radius, half_length, radius]),
        Geometry::Cuboid { half } => ("box", [half.x, half.y, half.z]),
        _ => ("box", [Real::ZERO; 3]),
    };
    let moves = thing.kind.moves();
    let pose = if moves { Transform::IDENTITY } else { thing.pose };
    json!({
        "kind": thing.kind.name(), "side": thing.side,
        "shape": shape, "size": size.map(Real::to_f32), "moves": moves,
        "at": pose.translation.to_array().map(Real::to_f32), "turn": rotation(pose.rotation),
    })
}

/// Eight numbers for each moving drawable: position, rotation, asleep.
pub(crate) fn poses(drawables: &[Drawable]) -> Vec<f32> {
    let moving = drawables.iter().filter(|thing| thing.kind.moves());
    let numbers = moving.flat_map(|thing| {
        let [x, y, z] = thing.pose.translation.to_array().map(Real::to_f32);
        let [i, j, k, w] = rotation(thing.pose.rotation);
        [x, y, z, i, j, k, w, f32::from(u8::from(thing.asleep))]
    });
    numbers.collect()
}

/// A quaternion component has 30 fractional bits.
fn rotation(rotation: Quat) -> [f32; 4] {
    rotation.to_bits().map(|part| part as f32 / (1u32 << 30) as f32)
}
