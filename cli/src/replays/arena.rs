//! Which arena a recording is of: its settings are the name of an asset.

use isostep_core::digest::Digest;
use isostep_determinism_tests::games::{Arena, ArenaSize};

/// The arena in recordings.
pub(super) const GAME: [u8; 16] = *b"isostep arena 01";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) size: ArenaSize,
    pub(super) seed: u64,
}

impl Settings {
    pub(super) fn arena(self) -> Arena {
        Arena::new(self.size, self.seed)
    }

    /// As an asset.
    pub(super) fn asset(self) -> (String, Digest) {
        let Self { size: ArenaSize { players, props }, seed } = self;
        let name = format!("arena players={players} props={props} seed={seed}");
        let digest = Digest::of(name.as_bytes());
        (name, digest)
    }

    /// From the assets of a recording, if they are an arena's.
    pub(super) fn read(assets: &[(String, Digest)]) -> Option<Self> {
        let mut words = assets.first()?.0.strip_prefix("arena ")?.split(' ');
        let mut number = |name| words.next()?.strip_prefix(name)?.strip_prefix('=');
        let (players, props, seed) = (number("players")?, number("props")?, number("seed")?);
        let size = ArenaSize { players: players.parse().ok()?, props: props.parse().ok()? };
        Some(Self { size, seed: seed.parse().ok()? })
    }
}
