//! What can be wrong with a recording, and what to do about it.

use crate::input::InputCodecError;
use crate::player::PlayerId;
use crate::session::SessionError;
use crate::tick::Tick;
use isostep_core::state::{RestoreError, StateError};

/// Why a recording can't be opened or played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// It does not begin like a recording.
    #[error(
        "this is no recording of Isostep: it does not begin with ISOREPLY; choose another file"
    )]
    Foreign,
    /// A later format.
    #[error(
        "the recording has format version {found}, this build reads {known}; update the program"
    )]
    Version {
        /// Version found.
        found: u16,
        /// Version of this build.
        known: u16,
    },
    /// Another game's.
    #[error("the recording is of another game; open it with the program that made it")]
    OtherGame,
    /// The game reads inputs of another kind.
    #[error(
        "the recording's inputs have another layout than this build's; use the build that made it"
    )]
    OtherInputs,
    /// An asset has other bytes than when it was recorded.
    #[error("the recording was made with another version of {name:?}; install that one")]
    OtherAsset {
        /// Its name.
        name: String,
    },
    /// An asset that it was recorded with is not there.
    #[error("the recording was made with {name:?}, which is not here; install it")]
    MissingAsset {
        /// Its name.
        name: String,
    },
    /// The first state is whole, and this game makes another one of it.
    #[error(
        "the recording was made with other settings than this game has, or by another build; \
         make the game as it was made for the match{}",
        recorded_with(assets)
    )]
    OtherSettings {
        /// The names of what it was recorded with.
        assets: Vec<String>,
    },
    /// The header contradicts itself or its check.
    #[error("the header is damaged; take another copy of the file")]
    Header,
    /// A recorder can't start with a setting.
    #[error("the recorder's {name} is {found}; set it to {bounds}")]
    Setting {
        /// Which one of [`RecorderConfig`](super::RecorderConfig).
        name: &'static str,
        /// What it is.
        found: String,
        /// What it may be.
        bounds: &'static str,
    },
    /// It ends before anything can be played.
    #[error("the recording ends before its first state: nothing in it can be played")]
    Empty,
    /// A block is not what was written.
    #[error(
        "the block at byte {offset} is damaged, which is of tick {tick} on; take another copy, or play up to there"
    )]
    Damaged {
        /// Where it begins.
        offset: u64,
        /// Its first tick.
        tick: Tick,
    },
    /// The state of a later keyframe is not the one that it names, though the first one was.
    #[error(
        "the keyframe of tick {tick} does not give the state that it names: either the file is damaged (take another copy, or play from an \
         earlier tick), or the game has something that changes and is not in its snapshot (`Check::run_with_snapshots` names it)"
    )]
    Keyframe {
        /// Its tick.
        tick: Tick,
    },
    /// The tick is not in the recording.
    #[error("tick {tick} is not in the recording, which has {first} to {last}")]
    NoSuchTick {
        /// Asked for.
        tick: Tick,
        /// The first state there is.
        first: Tick,
        /// The last one.
        last: Tick,
    },
    /// Inputs are missing: whoever recorded could not write fast enough.
    #[error("the inputs from tick {tick} on were not recorded; go on from the next keyframe")]
    Gap {
        /// The first that is missing.
        tick: Tick,
        /// The next state to go on from, if there is one.
        next: Option<Tick>,
    },
    /// A sound block holds what no player of this game can have done: no recorder wrote it.
    #[error(
        "the input of {player} on tick {tick} is none of this game's; take another copy of the file"
    )]
    Input {
        /// Whose.
        player: PlayerId,
        /// When.
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
    /// The bytes of a keyframe are no state of this game.
    #[error(
        "the recorded state is none of this game's ({0}); open the recording with the build that made it"
    )]
    Restore(#[from] RestoreError),
    /// A live session can't start from here.
    #[error(transparent)]
    Session(#[from] SessionError),
}

fn recorded_with(assets: &[String]) -> String {
    if assets.is_empty() { String::new() } else { format!(" (with {})", assets.join(", ")) }
}

impl ReplayError {
    /// Whether the bytes are at fault, and not who asked.
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
