//! Which arena a recording is of: its settings are the name of an asset.

use super::{Arena, ArenaSize};
use isostep_core::digest::Digest;

/// The arena in recordings.
pub const ARENA_GAME: [u8; 16] = *b"isostep arena 01";

/// More things than any recording has; who reads a file from elsewhere builds no more.
const MAX_PROPS: u16 = 500;

/// All that decides how an arena begins.
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
    /// How much there is in it.
    pub size: ArenaSize,
    /// Where things lie, and what bots do.
    pub seed: u64,
}

impl ArenaName {
    /// The arena before the kick-off.
    pub fn arena(self) -> Arena {
        Arena::new(self.size, self.seed)
    }

    /// As an asset.
    pub fn asset(self) -> (String, Digest) {
        let Self { size: ArenaSize { players, props }, seed } = self;
        let name = format!("arena players={players} props={props} seed={seed}");
        let digest = Digest::of(name.as_bytes());
        (name, digest)
    }

    /// From the assets of a recording, if they are an arena's.
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
