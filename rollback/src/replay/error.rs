//! Errors of recordings, each with a remedy.

use crate::Tick;
use crate::input::InputCodecError;
use crate::player::PlayerId;
use crate::session::SessionError;
use isostep_core::state::{RestoreError, StateError};

/// Error of opening or playing a recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The bytes are not a recording.
    #[error(
        "not a recording of Isostep: the file does not begin with ISOREPLY; choose another file"
    )]
    NotARecording,
    /// The format is newer than this build.
    #[error(
        "the recording has format version {found}, this build reads {known}; update the program"
    )]
    Version {
        /// Version found.
        found: u16,
        /// Version of this build.
        known: u16,
    },
    /// The recording is of another game.
    #[error("the recording is of another game; open it with the program that made it")]
    OtherGame,
    /// The input layout differs.
    #[error(
        "the recording's inputs have another layout than this build's; use the build that made it"
    )]
    OtherInputs,
    /// An asset differs from the recorded one.
    #[error("the recording was made with another version of {name:?}; install that one")]
    OtherAsset {
        /// Its name.
        name: String,
    },
    /// A recorded asset is missing.
    #[error("the recording was made with {name:?}, which is missing; install it")]
    MissingAsset {
        /// Its name.
        name: String,
    },
    /// The first state is intact, but restores to another state in this game.
    #[error(
        "the recording was made with other settings than those of this game, or by another build; \
         create the game with the settings of the match{}",
        recorded_with(assets)
    )]
    OtherSettings {
        /// Names of the recorded assets.
        assets: Vec<String>,
    },
    /// The header is inconsistent or fails its checksum.
    #[error("the header is damaged; use another copy of the file")]
    Header,
    /// A setting of the recorder is out of range.
    #[error("the recorder's {name} is {found}; set it to {bounds}")]
    Setting {
        /// Field of [`RecorderConfig`](super::RecorderConfig).
        name: &'static str,
        /// Its value.
        found: String,
        /// Its range.
        bounds: &'static str,
    },
    /// The file ends before the first state.
    #[error("the recording ends before its first state; nothing can be played")]
    Empty,
    /// A block fails its checksum.
    #[error(
        "the block at byte {offset} is damaged (from tick {tick} on); use another copy, or play up to there"
    )]
    Damaged {
        /// Offset of the block.
        offset: u64,
        /// First tick of the block.
        tick: Tick,
    },
    /// A later keyframe does not restore to the state of its digest, though the first one did.
    #[error(
        "the keyframe of tick {tick} does not restore to the state of its digest: either the file is damaged (use another copy, or play from an \
         earlier tick), or a part of the game that changes is not in its snapshot (`Check::run_with_snapshots` names it)"
    )]
    Keyframe {
        /// Tick of the keyframe.
        tick: Tick,
    },
    /// The tick is not in the recording.
    #[error("tick {tick} is not in the recording; choose {first} to {last}")]
    NoSuchTick {
        /// Requested tick.
        tick: Tick,
        /// Tick of the first state.
        first: Tick,
        /// Tick of the last state.
        last: Tick,
    },
    /// Inputs are missing: the recorder could not write fast enough.
    #[error("the inputs from tick {tick} on were not recorded; seek to the next keyframe")]
    Gap {
        /// First missing tick.
        tick: Tick,
        /// Next state to continue from, if there is one.
        next: Option<Tick>,
    },
    /// An intact block has an input that is invalid in this game: no recorder wrote it.
    #[error(
        "the input of {player} on tick {tick} is invalid in this game; use another copy of the file"
    )]
    Input {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// The bytes can't be read.
    #[error("the recording can't be read: {0}")]
    Read(String),
    /// The input type can't be an input.
    #[error(transparent)]
    Codec(#[from] InputCodecError),
    /// The game's state can't be saved or digested.
    #[error(transparent)]
    State(#[from] StateError),
    /// The state of a keyframe is invalid in this game.
    #[error(
        "the recorded state is invalid in this game ({0}); open the recording with the build that made it"
    )]
    Restore(#[from] RestoreError),
    /// A session can't start from here.
    #[error(transparent)]
    Session(#[from] SessionError),
}

fn recorded_with(assets: &[String]) -> String {
    if assets.is_empty() { String::new() } else { format!(" (with {})", assets.join(", ")) }
}

impl ReplayError {
    /// Returns true if the bytes are damaged, and the caller is not at fault.
    #[doc(hidden)]
    pub const fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Header
                | Self::Empty
                | Self::Damaged { .. }
                | Self::Keyframe { .. }
                | Self::Input { .. }
        )
    }
}
