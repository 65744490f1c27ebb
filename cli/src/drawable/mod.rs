//! Games that the command can draw.
//!
//! - `tumble`: the game of the lab and of `isostep demo`.
//! - `arena`: the game of the tests and of `isostep replay record`.

mod arena;
mod tumble;

pub(crate) use tumble::asset;

use isostep_core::Real;
use isostep_core::digest::{Digest, GameId};
use isostep_core::state::Snapshot;
use isostep_core::world::World;
use isostep_rollback::{Simulation, Stick};
pub(crate) use isostep_viewer::internals::{Drawable, Kind};
use isostep_viewer::internals::{InputText, View};

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

    /// Its world.
    fn world(&self) -> &World;

    /// All drawables in a constant order, moving ones first.
    fn drawables(&self) -> impl Iterator<Item = Drawable> + '_;

    /// Points by side.
    fn score(&self) -> Vec<i32>;

    /// An input as stick and buttons.
    fn pad(input: Self::Input) -> (Stick, [bool; 2]);

    /// Half extents of the field along x and z, metres. Its surface is at height 0.
    fn half_sides(&self) -> [Real; 2];
}

/// The view of these games.
pub(crate) struct Known;

impl<G: DrawableGame> View<G> for Known {
    fn drawables(&self, game: &G) -> Vec<Drawable> {
        game.drawables().collect()
    }

    fn world<'a>(&self, game: &'a G) -> &'a World {
        game.world()
    }

    fn score(&self, game: &G) -> Vec<i32> {
        game.score()
    }

    fn sides(&self, game: &G) -> usize {
        game.score().len()
    }

    fn buttons(&self) -> &'static [&'static str] {
        const { &G::BUTTONS }
    }

    fn input(&self, input: G::Input) -> InputText {
        let (stick, held) = G::pad(input);
        InputText { stick: Some(stick), held: held.to_vec(), text: String::new() }
    }

    fn half_sides(&self, game: &G) -> [Real; 2] {
        game.half_sides()
    }

    fn has_command(&self) -> bool {
        true
    }

    fn has_ground(&self, _: &G) -> bool {
        true
    }
}

/// Formats a score: 2:1, or −1:3:0:0.
pub(crate) fn score_text(score: &[i32]) -> String {
    let numbers: Vec<_> = score.iter().map(|points| points.to_string().replace('-', "−")).collect();
    numbers.join(":")
}
