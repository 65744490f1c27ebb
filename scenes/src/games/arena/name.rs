//! Settings of an arena as the name of a recording's asset.

use super::{Arena, ArenaSize};
use isostep_core::digest::{Digest, GameId};

/// Game id of the arena in recordings.
pub const ARENA_GAME: GameId = GameId(*b"isostep arena 01");

/// Limit on props when reading untrusted recordings.
const MAX_PROPS: u16 = 500;

/// All settings that determine the initial state of an arena.
///
/// ```
/// use isostep_scenes::games::{ArenaName, ArenaSize};
///
/// let name = ArenaName { size: ArenaSize { players: 2, props: 6 }, seed: 1 };
/// assert_eq!(name.asset().0, "arena players=2 props=6 seed=1");
/// assert_eq!(ArenaName::read(&[name.asset()]), Some(name));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaName {
    /// Number of players and props.
    pub size: ArenaSize,
    /// Seed of the positions of props and of the bots.
    pub seed: u64,
}

impl ArenaName {
    /// Builds the arena before the kick-off.
    pub fn arena(self) -> Arena {
        Arena::new(self.size, self.seed)
    }

    /// Converts the settings to an asset.
    pub fn asset(self) -> (String, Digest) {
        let Self { size: ArenaSize { players, props }, seed } = self;
        let name = format!("arena players={players} props={props} seed={seed}");
        let digest = Digest::of(name.as_bytes());
        (name, digest)
    }

    /// Reads the settings from a recording's assets; `None` if they belong to another game.
    pub fn read(assets: &[(String, Digest)]) -> Option<Self> {
        let asset = assets.first()?;
        let mut words = asset.0.strip_prefix("arena ")?.split(' ');
        let mut number = |name| words.next()?.strip_prefix(name)?.strip_prefix('=');
        let (players, props, seed) = (number("players")?, number("props")?, number("seed")?);
        let size = ArenaSize { players: players.parse().ok()?, props: props.parse().ok()? };
        let name = Self { size, seed: seed.parse().ok()? };
        let known = (1..=32).contains(&size.players) && size.props <= MAX_PROPS;
        (known && name.asset() == *asset).then_some(name)
    }
}
