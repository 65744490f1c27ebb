//! A simulation with its slots, which fulfils the requests of ggrs: save, load, step, each validated.

use super::setup::{GgrsConfig, GgrsSetup, GgrsSetupError};
use crate::Tick;
use crate::inputs::{InputStatus, Inputs};
use crate::simulation::Simulation;
use core::fmt::Debug;
use core::hash::Hash;
use ggrs::GgrsRequest;
use isostep_core::digest::Digest;
use isostep_core::state::StateError;

/// Report of fulfilled requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fulfilled {
    /// Steps made.
    pub steps: u32,
    /// Rollback depth in frames, if there was one.
    pub depth: Option<u32>,
    /// Digests computed.
    pub digests: u32,
}

/// Error of a game under ggrs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GgrsGameError {
    /// The setup is invalid.
    #[error(transparent)]
    Setup(#[from] GgrsSetupError),
    /// An error of ggrs. After `NotSynchronized`, try again.
    #[error(transparent)]
    Ggrs(#[from] ggrs::GgrsError),
    /// A state can't be saved, loaded or digested.
    #[error("on tick {tick}: {error}")]
    State {
        /// The tick.
        tick: Tick,
        /// The error.
        error: StateError,
    },
    /// A request for another frame than the current one: a request list was skipped, repeated or not completed.
    #[error(
        "a request for frame {frame}, but the game is at {current}; fulfil every request list once, in order"
    )]
    OutOfOrder {
        /// Requested frame.
        frame: i32,
        /// Current tick.
        current: Tick,
    },
    /// The session and the game differ in their number of players.
    #[error("inputs of {found} players for a game of {expected}; use one setup for both")]
    Players {
        /// Players of the session.
        found: usize,
        /// Players of the game.
        expected: usize,
    },
    /// The session's prediction window exceeds the game's slots.
    #[error(
        "the prediction window is {session} frames, but the game has slots for {game}; use one setup for both"
    )]
    Window {
        /// Window of the session.
        session: usize,
        /// Slots of the game.
        game: usize,
    },
    /// The session has no local player; ggrs panics when such a session has lost all peers.
    #[error("a P2P session without a local player; use a spectator session")]
    NoLocalPlayer,
    /// A local player has no input. ggrs was not called.
    #[error("local player {player} has no input; pass one for each local player")]
    MissingInput {
        /// Its handle.
        player: usize,
    },
    /// ggrs panicked. Drop the session.
    #[error("ggrs panicked: {0}; drop the session")]
    Panicked(String),
    /// An earlier call failed half way; the state is not the one that ggrs expects.
    #[error("an earlier call failed half way; restart the session and the game")]
    Broken,
}

/// A simulation under a ggrs session.
///
/// *Advance* with [`advance_p2p`](Self::advance_p2p), [`advance_sync_test`](Self::advance_sync_test) or
/// [`advance_spectator`](Self::advance_spectator), once a tick; or call ggrs yourself and pass its requests to
/// [`fulfil`](Self::fulfil). *Observe* with [`game`](Self::game), [`current_tick`](Self::current_tick),
/// [`digest`](Self::digest).
pub struct GgrsGame<S: Simulation> {
    game: S,
    slots: S::Slots,
    inputs: Inputs<S::Input>,
    /// Inputs used for the last frames, so that a step after a rollback has its previous inputs: those of tick t in row
    /// t modulo the length.
    used: Vec<S::Input>,
    /// Rows of `used`.
    rows: usize,
    current: Tick,
    pub(super) window: usize,
    checksum_every: u32,
    pub(super) broken: bool,
}

impl<S: Simulation> GgrsGame<S> {
    /// Creates a game in the state of frame 0.
    ///
    /// # Errors
    /// If the setup is invalid, or the state can't be saved or digested.
    pub fn new(mut game: S, setup: &GgrsSetup) -> Result<Self, GgrsGameError> {
        setup.check()?;
        // The prediction window, the current frame, and one for a digest of the current frame that ggrs did not
        // request.
        let rows = setup.max_prediction + 2;
        let mut slots = game.slots(rows);
        let at = |error| GgrsGameError::State { tick: Tick(0), error };
        game.save(&mut slots, Tick(0)).map_err(at)?;
        if setup.checksum_every > 0 {
            game.digest(&slots, Tick(0)).map_err(at)?;
        }
        Ok(Self {
            game,
            slots,
            inputs: Inputs::new(setup.players),
            used: vec![S::Input::default(); rows * setup.players],
            rows,
            current: Tick(0),
            window: setup.max_prediction,
            checksum_every: setup.checksum_every,
            broken: false,
        })
    }

    /// Returns the simulation.
    pub const fn game(&self) -> &S {
        &self.game
    }

    /// Returns the slots of past states, for the methods of [`State`](isostep_core::state::State).
    pub const fn slots(&self) -> &S::Slots {
        &self.slots
    }

    /// Returns the current tick: the frame that ggrs advances next.
    pub const fn current_tick(&self) -> Tick {
        self.current
    }

    /// Returns the number of players.
    pub const fn players(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the digest of the current state, which may be predicted.
    ///
    /// # Errors
    /// If the state can't be saved or digested.
    pub fn digest(&mut self) -> Result<Digest, StateError> {
        self.game.save(&mut self.slots, self.current)?;
        self.game.digest(&self.slots, self.current)
    }

    /// Fulfils the requests of a session, in order.
    ///
    /// # Errors
    /// If a request does not fit the game, or a state can't be saved, loaded or digested. The session then expects
    /// another state, and both must be dropped.
    pub fn fulfil<A>(
        &mut self,
        requests: Vec<GgrsRequest<GgrsConfig<S, A>>>,
    ) -> Result<Fulfilled, GgrsGameError>
    where
        S: Simulation<Input: Send + Sync> + 'static,
        A: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        if self.broken {
            return Err(GgrsGameError::Broken);
        }
        let mut done = Fulfilled::default();
        for request in requests {
            let result = match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    self.save(frame, &mut done).map(|sum| cell.save(frame, Some(self.current), sum))
                }
                GgrsRequest::LoadGameState { cell, frame } => {
                    self.load(frame, cell.load(), &mut done)
                }
                GgrsRequest::AdvanceFrame { inputs } => self.step(&inputs, &mut done),
            };
            if let Err(error) = result {
                self.broken = true;
                return Err(error);
            }
        }
        Ok(done)
    }

    fn at(&self) -> impl FnOnce(StateError) -> GgrsGameError + use<S> {
        let tick = self.current;
        move |error| GgrsGameError::State { tick, error }
    }

    fn save(&mut self, frame: i32, done: &mut Fulfilled) -> Result<Option<u128>, GgrsGameError> {
        let current = self.current;
        if u32::try_from(frame) != Ok(current.0) {
            return Err(GgrsGameError::OutOfOrder { frame, current });
        }
        self.game.save(&mut self.slots, current).map_err(self.at())?;
        if self.checksum_every == 0 || !current.0.is_multiple_of(self.checksum_every) {
            return Ok(None);
        }
        done.digests += 1;
        let digest = self.game.digest(&self.slots, current).map_err(self.at())?;
        Ok(Some(u128::from_le_bytes(digest.short().to_bytes())))
    }

    fn load(
        &mut self,
        frame: i32,
        token: Option<Tick>,
        done: &mut Fulfilled,
    ) -> Result<(), GgrsGameError> {
        let current = self.current;
        let tick = u32::try_from(frame).ok().map(Tick).filter(|&tick| tick <= current);
        let Some(tick) = tick.filter(|&tick| token == Some(tick)) else {
            return Err(GgrsGameError::OutOfOrder { frame, current });
        };
        self.game.load(&mut self.slots, tick).map_err(self.at())?;
        self.current = tick;
        done.depth = Some(done.depth.unwrap_or(0).max(current.since(tick)));
        Ok(())
    }

    fn step(
        &mut self,
        inputs: &[(S::Input, ggrs::InputStatus)],
        done: &mut Fulfilled,
    ) -> Result<(), GgrsGameError> {
        let (found, expected) = (inputs.len(), self.inputs.len());
        if found != expected {
            return Err(GgrsGameError::Players { found, expected });
        }
        let tick = self.current;
        let row = |tick: Tick| tick.0 as usize % self.rows * expected;
        let (now, before) = (row(tick), tick.previous().map(row));
        for (player, &(value, status)) in inputs.iter().enumerate() {
            let place = &mut self.inputs.players[player];
            place.previous = before.map_or_else(Default::default, |row| self.used[row + player]);
            place.value = value;
            place.status = match status {
                ggrs::InputStatus::Confirmed => InputStatus::Confirmed,
                ggrs::InputStatus::Predicted => InputStatus::Predicted,
                ggrs::InputStatus::Disconnected => InputStatus::Disconnected,
            };
            self.used[now + player] = value;
        }
        self.game.step(tick, &self.inputs);
        self.current = tick.next();
        done.steps += 1;
        Ok(())
    }
}

impl<S: Simulation> Debug for GgrsGame<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("GgrsGame")
            .field("current", &self.current)
            .field("players", &self.players())
            .field("broken", &self.broken)
            .finish_non_exhaustive()
    }
}
