//! Settings, events and statistics of a recorder.

use super::error::ReplayError;
use super::format::MAX_BLOCK_TICKS;
use super::info::MAX_HEADER;
use crate::{GameId, Tick};
use isostep_core::digest::Digest;

const MAX_ASSETS: usize = 4096;
/// Maximum bytes of assets in a header; the rest of it fits into the remainder.
const MAX_ASSET_BYTES: usize = MAX_HEADER as usize - 256;

/// Settings of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderConfig {
    /// Game id, the same as in the tokens of the match.
    pub game: GameId,
    /// Assets of the match (levels, rules), by name (at most 255 bytes) and digest. At most 4096.
    pub assets: Vec<(String, Digest)>,
    /// Ticks between two keyframes: the maximum number of steps of a seek. 0 writes the first only.
    ///
    /// A keyframe is packed on the recording thread. For an arena of 64 bodies that took 1.1 ms (the median in a
    /// release build on a busy machine), 1.0 ms of it to make 6.5 KB of the state; a tick without one takes a
    /// microsecond.
    pub keyframe_every: u32,
    /// Ticks between two blocks of inputs, 1 to 1024: the maximum loss in a crash.
    pub flush_every: u32,
    /// Maximum number of queued bytes.
    pub queue_bytes: usize,
}

impl RecorderConfig {
    /// Creates settings: keyframes every 150 ticks, blocks of 120 ticks, at most 4 MB queued: at 60 ticks a second 2.5
    /// s, 2 s, and minutes. An arena of 64 bodies seeks within about 50 ms (measured once, on a busy machine) with
    /// that.
    pub const fn new(game: GameId) -> Self {
        let assets = Vec::new();
        Self { game, assets, keyframe_every: 150, flush_every: 120, queue_bytes: 4 << 20 }
    }

    /// Validates the settings.
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

/// An event of a recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecorderEvent {
    /// Ticks from this one on are missing: the blocks were not polled, or [`record`](super::Recorder::record) was not
    /// called for longer than half of the session's [log](crate::SessionConfig::log) (128 ticks by default). Ticks
    /// captured before are in the file.
    Lost {
        /// First missing tick.
        from: Tick,
    },
    /// Recording continues from a new keyframe.
    Resumed {
        /// Tick of the keyframe.
        at: Tick,
    },
}

/// Counters of a recorder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecorderStats {
    /// Ticks captured, without dropped ones.
    pub ticks: u64,
    /// Bytes of all blocks, with the header.
    pub bytes: u64,
    /// Bytes of keyframes among these.
    pub keyframe_bytes: u64,
    /// Keyframes.
    pub keyframes: u64,
    /// Gaps: the number of [`RecorderEvent::Lost`] events.
    pub gaps: u64,
}
