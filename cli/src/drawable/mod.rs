//! Games that the command can show: what there is to see of them, whoever plays and whoever draws.
//!
//! - `tumble`: what the lab and `isostep demo` play.
//! - `arena`: the game of the tests, which `isostep replay record` plays.

mod arena;
mod tumble;

pub(crate) use tumble::asset;

use isostep_core::digest::Digest;
use isostep_core::shape::{Geometry, Shape};
use isostep_core::state::Snapshot;
use isostep_core::world::BodyId;
use isostep_core::{Real, Transform};
use isostep_rollback::{PlayerId, Simulation, Stick};
use serde_json::{Value, json};

/// What a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Player(PlayerId),
    Ball,
    /// Something to kick.
    Prop,
    Crate,
    /// Nothing solid.
    Goal,
    Wall,
    /// What everything stands on, where there is something beside it.
    Platform,
}

/// Something to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawable {
    pub(crate) body: BodyId,
    pub(crate) kind: Kind,
    /// Whose it is, by the number in the score.
    pub(crate) side: Option<u8>,
    pub(crate) shape: Shape,
    pub(crate) pose: Transform,
    pub(crate) asleep: bool,
}

/// A game that can be shown, and played from its recordings.
pub(crate) trait DrawableGame: Simulation + Snapshot {
    /// In recordings.
    const GAME: [u8; 16];
    /// What the sides are called; empty where each player is one.
    const SIDES: &[&str];
    /// What the buttons do, in the order of [`pad`](Self::pad).
    const BUTTONS: [&str; 2];

    /// The game before its first tick, by the assets of a recording; `None` if they are another's.
    fn read(assets: &[(String, Digest)]) -> Option<Self>
    where
        Self: Sized;

    /// Everything that is drawn, in the same order each time; what moves comes first.
    fn drawables(&self) -> impl Iterator<Item = Drawable> + '_;

    /// By side.
    fn score(&self) -> Vec<i32>;

    /// What an input is on a pad: where the stick leans, and which buttons are down.
    fn pad(input: Self::Input) -> (Stick, [bool; 2]);

    /// Half the sides of the field along x and z, metres. Its height is 0.
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
    /// In a table; `sides` are those of its game.
    pub(crate) fn description(&self, sides: &[&str]) -> String {
        let Kind::Player(player) = self.kind else { return self.kind.name().to_owned() };
        match self.side.and_then(|side| sides.get(usize::from(side))) {
            Some(side) => format!("{player}, {side}"),
            None => player.to_string(),
        }
    }

    /// To somebody who watches.
    pub(crate) fn label(&self) -> String {
        match self.kind {
            Kind::Player(player) => format!("player {}", player.0 + 1),
            Kind::Prop => "a thing to kick".to_owned(),
            Kind::Crate => "a crate".to_owned(),
            kind => format!("the {}", kind.name()),
        }
    }
}

/// The score as it is said: 2:1, or −1:3:0:0.
pub(crate) fn score_text(score: &[i32]) -> String {
    let numbers: Vec<_> = score.iter().map(|points| points.to_string().replace('-', "−")).collect();
    numbers.join(":")
}

/// What a page has to know of a game once, to draw it.
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
