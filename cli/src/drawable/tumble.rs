//! Tumble, the game of the lab: every player for themselves, and crates.

use super::{Drawable, DrawableGame, Kind};
use isostep_core::digest::{Digest, GameId};
use isostep_core::shape::Shape;
use isostep_core::world::World;
use isostep_core::{Real, Vec3};
use isostep_rollback::{PlayerId, Stick};
use isostep_scenes::games::tumble::bodies::{CRATES, PLATFORM, PLAYER};
use isostep_scenes::games::tumble::rules::{JUMP, Move, SHOVE, Settings, Tumble};

const SIZES: &str = "the game has bodies of these sizes";

/// Initial settings as an asset of the recording.
pub(crate) fn asset(settings: Settings) -> (String, Digest) {
    let Settings { players, crates, seed, round_ticks, points } = settings;
    let name = format!(
        "tumble players={players} crates={crates} seed={seed} round={round_ticks} points={points}"
    );
    let digest = Digest::of(name.as_bytes());
    (name, digest)
}

fn settings(assets: &[(String, Digest)]) -> Option<Settings> {
    let named = assets.first()?;
    let mut words = named.0.strip_prefix("tumble ")?.split(' ');
    let mut number = |name| words.next()?.strip_prefix(name)?.strip_prefix('=');
    let settings = Settings {
        players: number("players")?.parse().ok()?,
        crates: number("crates")?.parse().ok()?,
        seed: number("seed")?.parse().ok()?,
        round_ticks: number("round")?.parse().ok()?,
        points: number("points")?.parse().ok()?,
    };
    let known = (2..=8).contains(&settings.players) && asset(settings) == *named;
    known.then_some(settings)
}

impl DrawableGame for Tumble {
    const GAME: GameId = GameId(*b"isostep tumble 1");
    const SIDES: &[&str] = &[];
    const BUTTONS: [&str; 2] = ["jump", "shove"];

    fn read(assets: &[(String, Digest)]) -> Option<Self> {
        Some(Self::new(settings(assets)?))
    }

    fn world(&self) -> &World {
        &self.world
    }

    fn drawables(&self) -> impl Iterator<Item = Drawable> + '_ {
        let capsule = Shape::capsule(PLAYER[0], PLAYER[1]).expect(SIZES);
        let crates = CRATES.map(|half| Shape::cuboid(Vec3::splat(half)).expect(SIZES));
        let slab = Vec3::new(self.cast.half, PLATFORM, self.cast.half);
        let slab = Shape::cuboid(slab).expect(SIZES);
        let seats = (0..self.cast.settings.players)
            .map(move |seat| (Kind::Player(PlayerId(seat)), Some(seat), capsule));
        let crates = crates.into_iter().cycle().map(|shape| (Kind::Crate, None, shape));
        let moving = self.cast.bodies.iter().copied().zip(seats.chain(crates));
        let platform = (self.cast.platform, (Kind::Platform, None, slab));
        moving.chain([platform]).filter_map(|(body, (kind, side, shape))| {
            let view = self.world.body(body)?;
            Some(Drawable { body, kind, side, shape, pose: view.pose(), asleep: view.is_asleep() })
        })
    }

    fn score(&self) -> Vec<i32> {
        self.players.iter().map(|player| player.points).collect()
    }

    fn pad(Move { stick, buttons }: Move) -> (Stick, [bool; 2]) {
        (stick, [buttons.held(JUMP), buttons.held(SHOVE)])
    }

    fn half_sides(&self) -> [Real; 2] {
        [self.cast.half; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_rebuilt_from_its_asset_name_only() {
        let usual = Settings { players: 4, crates: 60, seed: 7, round_ticks: 4500, points: 5 };
        let name = asset(usual);
        assert_eq!(name.0, "tumble players=4 crates=60 seed=7 round=4500 points=5");
        assert_eq!(settings(&[name]), Some(usual));
        for players in [0, 1, 9] {
            assert_eq!(settings(&[asset(Settings { players, ..usual })]), None);
        }
        for text in ["", "tumble", "tumble players=4", "arena players=2 props=6 seed=1"] {
            assert_eq!(settings(&[(text.to_owned(), Digest::of(text.as_bytes()))]), None);
        }
        let (name, _) = asset(usual);
        assert_eq!(settings(&[(name, Digest::of(b"another"))]), None);
    }

    #[test]
    fn moving_drawables_come_first_with_their_body_pose() {
        let game =
            Tumble::new(Settings { players: 3, crates: 5, seed: 1, round_ticks: 9, points: 1 });
        let things: Vec<_> = game.drawables().collect();
        assert_eq!(things.len(), 9);
        assert!(things[..8].iter().all(|thing| thing.kind.moves()) && !things[8].kind.moves());
        assert!(things.iter().take(8).enumerate().all(|(number, thing)| {
            thing.pose.translation == game.place(number) && thing.body == game.cast.bodies[number]
        }));
    }
}
