//! The arena, the game of the tests: two sides, a ball, goals.

use super::{Drawable, DrawableGame, Kind};
use isostep_core::Real;
use isostep_core::digest::{Digest, GameId};
use isostep_core::world::World;
use isostep_rollback::Stick;
use isostep_scenes::games::{self, ARENA_GAME, Arena, ArenaInput, ArenaName, JUMP, KICK, Team};

impl DrawableGame for Arena {
    const GAME: GameId = ARENA_GAME;
    const SIDES: &[&str] = &["blue", "red"];
    const BUTTONS: [&str; 2] = ["jump", "kick"];

    fn read(assets: &[(String, Digest)]) -> Option<Self> {
        Some(ArenaName::read(assets)?.arena())
    }

    fn world(&self) -> &World {
        self.world()
    }

    fn drawables(&self) -> impl Iterator<Item = Drawable> + '_ {
        self.drawables().map(|games::Drawable { body, kind, shape, pose, asleep }| {
            let number = |team| u8::from(team == Team::Red);
            let (kind, side) = match kind {
                games::Kind::Player(player) => {
                    (Kind::Player(player), Some(number(Team::of(player))))
                }
                games::Kind::Ball => (Kind::Ball, None),
                games::Kind::Prop => (Kind::Prop, None),
                games::Kind::Goal(team) => (Kind::Goal, Some(number(team))),
                games::Kind::Wall => (Kind::Wall, None),
            };
            Drawable { body, kind, side, shape, pose, asleep }
        })
    }

    fn score(&self) -> Vec<i32> {
        self.goals().map(|goals| i32::try_from(goals).unwrap_or(i32::MAX)).to_vec()
    }

    fn pad(ArenaInput { stick, buttons }: ArenaInput) -> (Stick, [bool; 2]) {
        (stick, [buttons.held(JUMP), buttons.held(KICK)])
    }

    fn half_sides(&self) -> [Real; 2] {
        self.half_sides()
    }
}
