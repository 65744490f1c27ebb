//! What a game, a guard and a session of ggrs must agree on, said once.

use crate::input::Input;
use crate::session::MAX_PLAYERS;
use crate::simulation::Simulation;
use crate::tick::Tick;
use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;
use ggrs::{DesyncDetection, InputPredictor, SessionBuilder};

/// The types of a ggrs session that runs `S` and reaches others at addresses `A`.
///
/// States stay in the simulation's own slots; ggrs's cells hold only the tick that they stand for.
pub struct GgrsConfig<S, A>(PhantomData<fn() -> (S, A)>);

// By hand, without asking the same of `S` and `A`: ggrs's events and requests ask it of this type.
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

/// `Send + Sync` is asked for always, because ggrs's feature `sync-send` asks for it and any crate may switch it on.
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

/// Guesses as our own sessions do by default: [`Input::hold`] of the last input.
#[derive(Clone, Copy, Debug)]
pub struct PredictHold;

impl<I: Input> InputPredictor<I> for PredictHold {
    fn predict(previous: I) -> I {
        I::hold(previous)
    }
}

/// Why a setup can't be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GgrsSetupError {
    /// None, or too many.
    #[error("{players} players: a match has 1 to {MAX_PLAYERS}")]
    Players {
        /// How many.
        players: usize,
    },
    /// ggrs keeps 128 inputs of a player, and both ends of a window need room in that.
    #[error(
        "a prediction window and an input delay of {frames} frames together: at most {MAX_REACH}"
    )]
    Reach {
        /// Their sum.
        frames: usize,
    },
    /// ggrs refused it.
    #[error(transparent)]
    Ggrs(#[from] ggrs::GgrsError),
    /// An input can't be encoded.
    #[error("the input type has no size in ggrs's encoding: {reason}")]
    Input {
        /// Why.
        reason: String,
    },
}

/// Longest prediction window and input delay together, in frames: a peer may be as far ahead of us as we are of what is
/// confirmed, and ggrs panics when it has to keep more than 128 inputs of a player.
const MAX_REACH: usize = 60;

/// What the game, the guard and the session builder must agree on. All machines of a match set it alike, but for `local`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgrsSetup {
    /// How many play, spectators not counted.
    pub players: usize,
    /// The handles of those at this machine; none in a spectator's setup.
    pub local: Vec<usize>,
    /// How many frames ggrs may guess; with 0 it waits for everybody.
    pub max_prediction: usize,
    /// By how many frames local inputs take effect later.
    pub input_delay: usize,
    /// Digests are taken of frames that this divides, and handed to ggrs as checksums; 0 takes none and switches ggrs's desync
    /// detection off. A digest costs about as much as saving the state several times.
    pub checksum_every: u32,
}

/// Two players, the first one here, 8 frames of prediction, no delay, a digest every 16 frames.
impl Default for GgrsSetup {
    fn default() -> Self {
        Self { players: 2, local: vec![0], max_prediction: 8, input_delay: 0, checksum_every: 16 }
    }
}

impl GgrsSetup {
    /// A builder with these settings, to add players to and start.
    ///
    /// # Errors
    /// When the setup can't be.
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
