//! Games that the command can draw.
//!
//! - `tumble`: the game of the lab and of `isostep demo`.
//! - `arena`: the game of the tests and of `isostep replay record`.

mod arena;
mod tumble;

pub(crate) use tumble::asset;

use isostep_core::digest::{Digest, GameId};
use isostep_core::shape::{Geometry, Shape};
use isostep_core::state::Snapshot;
use isostep_core::world::BodyId;
use isostep_core::{Real, Transform};
use isostep_rollback::{PlayerId, Simulation, Stick};
use serde_json::{Value, json};

/// Kind of a drawable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Player(PlayerId),
    Ball,
    /// A body to kick.
    Prop,
    Crate,
    /// A sensor.
    Goal,
    Wall,
    /// The ground, where a game has edges.
    Platform,
}

/// An object to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawable {
    pub(crate) body: BodyId,
    pub(crate) kind: Kind,
    /// Owner, as an index into the score.
    pub(crate) side: Option<u8>,
    pub(crate) shape: Shape,
    pub(crate) pose: Transform,
    pub(crate) asleep: bool,
}

/// A game that the command can draw and replay.
pub(crate) trait DrawableGame: Simulation + Snapshot {
    /// Game id in recordings.
    const GAME: GameId;
    /// Names of the sides; empty if each player is one.
    const SIDES: &[&str];
    /// Names of the buttons, in the order of [`pad`](Self::pad).
    const BUTTONS: [&str; 2];

    /// Builds the game before its first tick from a recording's assets; `None` if they belong to
    /// another game.
    fn read(assets: &[(String, Digest)]) -> Option<Self>
    where
        Self: Sized;

    /// All drawables in a constant order, moving ones first.
    fn drawables(&self) -> impl Iterator<Item = Drawable> + '_;

    /// Points by side.
    fn score(&self) -> Vec<i32>;

    /// An input as stick and buttons.
    fn pad(input: Self::Input) -> (Stick, [bool; 2]);

    /// Half extents of the field along x and z, metres. Its surface is at height 0.
    fn half_sides(&self) -> [Real; 2];
}

impl Kind {
    pub(crate) const fn moves(self) -> bool {
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
        }
    }
}

impl Drawable {
    /// Description for a table; `sides` are those of the game.
    pub(crate) fn description(&self, sides: &[&str]) -> String {
        let Kind::Player(player) = self.kind else { return self.kind.name().to_owned() };
        match self.side.and_then(|side| sides.get(usize::from(side))) {
            Some(side) => format!("{player}, {side}"),
            None => player.to_string(),
        }
    }

    /// Label for the user.
    pub(crate) fn label(&self) -> String {
        match self.kind {
            Kind::Player(player) => format!("player {}", player.0 + 1),
            Kind::Prop => "a prop".to_owned(),
            Kind::Crate => "a crate".to_owned(),
            kind => format!("the {}", kind.name()),
        }
    }
}

/// Formats a score: 2:1, or −1:3:0:0.
pub(crate) fn score_text(score: &[i32]) -> String {
    let numbers: Vec<_> = score.iter().map(|points| points.to_string().replace('-', "−")).collect();
    numbers.join(":")
}

/// Constant data that a page needs to draw a game.
pub(crate) fn scene<G: DrawableGame>(game: &G) -> Value {
    let things: Vec<_> = game.drawables().map(|thing| drawable_json(&thing)).collect();
    json!({
        "half": game.half_sides().map(Real::to_f32),
        "sides": game.score().len(),
        "buttons": G::BUTTONS,
        "things": things,
    })
}

fn drawable_json(thing: &Drawable) -> Value {
    let (shape, size) = match *thing.shape.geometry() {
        Geometry::Sphere { radius } => ("round", [radius, Real::ZERO, radius]),
        Geometry::Capsule { half_length, radius } => ("round", [radius, half_length, radius]),
        Geometry::Cuboid { half } => ("box", [half.x, half.y, half.z]),
        _ => ("box", [Real::ZERO; 3]),
    };
    let at = thing.pose.translation.to_array().map(Real::to_f32);
    json!({
        "kind": thing.kind.name(), "side": thing.side,
        "shape": shape, "size": size.map(Real::to_f32),
        "moves": thing.kind.moves(), "at": at,
    })
}
