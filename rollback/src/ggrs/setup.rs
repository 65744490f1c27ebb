//! Settings shared by a game, a guard and a ggrs session.

use crate::Tick;
use crate::input::Input;
use crate::session::MAX_PLAYERS;
use crate::simulation::Simulation;
use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;
use ggrs::{DesyncDetection, InputPredictor, SessionBuilder};

/// Types of a ggrs session that runs `S` with addresses `A`.
///
/// States stay in the simulation's own slots; ggrs's cells hold only their tick.
pub struct GgrsConfig<S, A>(PhantomData<fn() -> (S, A)>);

// Implemented by hand, without bounds on `S` and `A`: ggrs's events and requests need it for this type.
impl<S, A> Debug for GgrsConfig<S, A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("GgrsConfig")
    }
}

impl<S, A> Clone for GgrsConfig<S, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, A> Copy for GgrsConfig<S, A> {}

impl<S, A> PartialEq for GgrsConfig<S, A> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<S, A> Eq for GgrsConfig<S, A> {}

impl<S, A> Hash for GgrsConfig<S, A> {
    fn hash<H: core::hash::Hasher>(&self, _: &mut H) {}
}

/// `Send + Sync` is always required, because ggrs's feature `sync-send` requires it and any crate may enable it.
impl<S, A> ggrs::Config for GgrsConfig<S, A>
where
    S: Simulation<Input: Send + Sync> + 'static,
    A: Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    type Input = S::Input;
    type InputPredictor = PredictHold;
    type State = Tick;
    type Address = A;
}

/// Predicts like our own sessions by default: [`Input::hold`] of the last input.
#[derive(Clone, Copy, Debug)]
pub struct PredictHold;

impl<I: Input> InputPredictor<I> for PredictHold {
    fn predict(previous: I) -> I {
        I::hold(previous)
    }
}

/// Error of a setup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GgrsSetupError {
    /// The number of players is out of range.
    #[error("{players} players; use 1 to {MAX_PLAYERS}")]
    Players {
        /// Number of players.
        players: usize,
    },
    /// ggrs keeps 128 inputs of a player; prediction window and input delay must fit twice.
    #[error(
        "prediction window and input delay are {frames} frames together; use at most {MAX_REACH}"
    )]
    Reach {
        /// Sum of window and delay.
        frames: usize,
    },
    /// ggrs refused the setup.
    #[error(transparent)]
    Ggrs(#[from] ggrs::GgrsError),
    /// An input can't be encoded.
    #[error("the input type has no size in ggrs's encoding: {reason}")]
    Input {
        /// The error.
        reason: String,
    },
}

/// Maximum sum of prediction window and input delay, in frames. A peer may be as far ahead of this machine as this
/// machine is of the confirmed frame, and ggrs panics when it has to keep more than 128 inputs of a player.
const MAX_REACH: usize = 60;

/// Settings of the game, the guard and the session builder. All machines of a match use the same, except for `local`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgrsSetup {
    /// Number of players, without spectators.
    pub players: usize,
    /// Handles of the local players; empty for a spectator.
    pub local: Vec<usize>,
    /// Prediction window, in frames; 0 is lockstep.
    pub max_prediction: usize,
    /// Input delay, in frames.
    pub input_delay: usize,
    /// Interval of digests in frames, passed to ggrs as checksums; 0 disables desync detection. A digest costs about as
    /// much as several saves of the state.
    pub checksum_every: u32,
}

/// Two players, the first one local, a prediction window of 8 frames, no delay, a digest every 16 frames.
impl Default for GgrsSetup {
    fn default() -> Self {
        Self { players: 2, local: vec![0], max_prediction: 8, input_delay: 0, checksum_every: 16 }
    }
}

impl GgrsSetup {
    /// Creates a session builder with these settings.
    ///
    /// # Errors
    /// If the setup is invalid.
    pub fn builder<S, A>(&self) -> Result<SessionBuilder<GgrsConfig<S, A>>, GgrsSetupError>
    where
        S: Simulation<Input: Send + Sync> + 'static,
        A: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        self.check()?;
        let detection = match self.checksum_every {
            0 => DesyncDetection::Off,
            interval => DesyncDetection::On { interval },
        };
        let builder = SessionBuilder::new()
            .with_num_players(self.players)?
            .with_max_prediction_window(self.max_prediction)
            .with_input_delay(self.input_delay)
            .with_desync_detection_mode(detection);
        Ok(builder)
    }

    pub(super) const fn check(&self) -> Result<(), GgrsSetupError> {
        if self.players == 0 || self.players > MAX_PLAYERS {
            return Err(GgrsSetupError::Players { players: self.players });
        }
        let frames = self.max_prediction.saturating_add(self.input_delay);
        if frames > MAX_REACH {
            return Err(GgrsSetupError::Reach { frames });
        }
        Ok(())
    }
}
