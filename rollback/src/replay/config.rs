//! How a match is recorded, and what a recorder tells and counts.

use super::error::ReplayError;
use super::format::MAX_BLOCK_TICKS;
use super::info::MAX_HEADER;
use crate::tick::Tick;
use isostep_core::digest::Digest;

const MAX_ASSETS: usize = 4096;
/// What assets may take of a header: the rest of it is shorter than what is left.
const MAX_ASSET_BYTES: usize = MAX_HEADER as usize - 256;

/// How a match is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderConfig {
    /// Which game, by sixteen bytes that its author chose.
    pub game: [u8; 16],
    /// What else the match is played with (levels, rules), by name (at most 255 bytes) and digest. At most 4096 of them.
    pub assets: Vec<(String, Digest)>,
    /// Ticks between two keyframes: what a seek computes at most. 0 writes the first only.
    ///
    /// A keyframe is packed on the thread that records. For an arena of 64 bodies that took 1.1 ms (the median in a release
    /// build on a busy machine), 1.0 ms of it to make 6.5 KB of the state; a tick without one takes a microsecond.
    pub keyframe_every: u32,
    /// Ticks between two blocks of inputs, 1 to 1024: what a crash loses at most.
    pub flush_every: u32,
    /// Most bytes that wait to be taken.
    pub queue_bytes: usize,
}

impl RecorderConfig {
    /// Keyframes every 150 ticks, blocks of 120, at most 4 MB waiting: at 60 ticks a second 2.5 s, 2 s, and minutes. An
    /// arena of 64 bodies seeks within about 50 ms (measured once, on a busy machine) with that.
    pub const fn new(game: [u8; 16]) -> Self {
        let assets = Vec::new();
        Self { game, assets, keyframe_every: 150, flush_every: 120, queue_bytes: 4 << 20 }
    }

    /// Whether a file can be made with them.
    pub(super) fn check(&self) -> Result<(), ReplayError> {
        let wrong = |name, found: String, bounds| Err(ReplayError::Setting { name, found, bounds });
        if !(1..=MAX_BLOCK_TICKS).contains(&self.flush_every) {
            return wrong("flush_every", self.flush_every.to_string(), "1 to 1024 ticks");
        }
        if self.assets.len() > MAX_ASSETS {
            return wrong("number of assets", self.assets.len().to_string(), "at most 4096");
        }
        let long = self.assets.iter().map(|(name, _)| name.len()).find(|&length| length > 255);
        if let Some(length) = long {
            return wrong("name of an asset", format!("{length} bytes long"), "at most 255 bytes");
        }
        let bytes: usize = self.assets.iter().map(|(name, _)| name.len() + 33).sum();
        if bytes > MAX_ASSET_BYTES {
            let bounds = "shorter names: 33 bytes and a name each, at most 1048320 bytes";
            return wrong("list of assets", format!("{bytes} bytes long"), bounds);
        }
        Ok(())
    }
}

/// What a recorder has to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecorderEvent {
    /// Ticks from this one on are missing: nobody took the blocks, or [`record`](super::Recorder::record) was not called for longer
    /// than half of the session's [log](crate::SessionConfig::log) (128 ticks by default). What was taken before is in the file.
    Lost {
        /// The first that is missing.
        from: Tick,
    },
    /// It goes on from a new keyframe.
    Resumed {
        /// Its tick.
        at: Tick,
    },
}

/// What a recorder has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecorderStats {
    /// Ticks whose inputs were put into blocks, or wait to be. Those that were given up are not counted.
    pub ticks: u64,
    /// Bytes of blocks that were made, the header included.
    pub bytes: u64,
    /// Of these, bytes of keyframes.
    pub keyframe_bytes: u64,
    /// Keyframes.
    pub keyframes: u64,
    /// Stretches that are missing, as often as [`RecorderEvent::Lost`] was told.
    pub gaps: u64,
}
