//! One tick of each kind of ggrs session. Conditions on which ggrs panics are checked first.

use super::game::{Fulfilled, GgrsGame, GgrsGameError};
use super::setup::GgrsConfig;
use crate::simulation::Simulation;
use core::fmt::Debug;
use core::hash::Hash;
use ggrs::{GgrsError, GgrsRequest, P2PSession, SpectatorSession, SyncTestSession};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Requests of a session.
type Requests<S, A> = Vec<GgrsRequest<GgrsConfig<S, A>>>;

impl<S: Simulation<Input: Send + Sync> + 'static> GgrsGame<S> {
    /// Advances a P2P session: polls the network, adds the local inputs, and fulfils the requests of ggrs. No step is
    /// made while ggrs waits for remote inputs.
    ///
    /// # Errors
    /// `NotSynchronized` of ggrs until all peers are synchronised: try again. All other errors are final, except a
    /// [missing input](GgrsGameError::MissingInput), which is not passed on to ggrs.
    pub fn advance_p2p<A>(
        &mut self,
        session: &mut P2PSession<GgrsConfig<S, A>>,
        local: &[(usize, S::Input)],
    ) -> Result<Fulfilled, GgrsGameError>
    where
        A: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        self.check(session.max_prediction(), session.num_players(), session.current_frame())?;
        let handles = session.local_player_handles();
        if handles.is_empty() {
            return Err(GgrsGameError::NoLocalPlayer);
        }
        let missing = |player: &&usize| !local.iter().any(|(given, _)| given == *player);
        if let Some(&player) = handles.iter().find(missing) {
            return Err(GgrsGameError::MissingInput { player });
        }
        for &(player, input) in local {
            session.add_local_input(player, input)?;
        }
        let requests = self.guarded(|| session.advance_frame())?;
        self.fulfil(requests)
    }

    /// Advances a sync test session, with the inputs of all players.
    ///
    /// # Errors
    /// `MismatchedChecksum` of ggrs when a resimulated frame differs. It compares digests, so the setup must enable
    /// them.
    pub fn advance_sync_test<A>(
        &mut self,
        session: &mut SyncTestSession<GgrsConfig<S, A>>,
        inputs: &[S::Input],
    ) -> Result<Fulfilled, GgrsGameError>
    where
        A: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        self.check(session.max_prediction(), session.num_players(), session.current_frame())?;
        if inputs.len() < self.players() {
            return Err(GgrsGameError::MissingInput { player: inputs.len() });
        }
        for (player, &input) in inputs.iter().enumerate() {
            session.add_local_input(player, input)?;
        }
        let requests = self.guarded(|| session.advance_frame())?;
        self.fulfil(requests)
    }

    /// Advances a spectator session: one step, several to catch up, or none while it waits for its host.
    ///
    /// # Errors
    /// `NotSynchronized` of ggrs until the host answers: try again. `SpectatorTooFarBehind` is final.
    pub fn advance_spectator<A>(
        &mut self,
        session: &mut SpectatorSession<GgrsConfig<S, A>>,
    ) -> Result<Fulfilled, GgrsGameError>
    where
        A: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        // ggrs counts the last shown frame, from -1.
        self.check(0, session.num_players(), session.current_frame().saturating_add(1))?;
        match self.guarded(|| session.advance_frame()) {
            Ok(requests) => self.fulfil(requests),
            // Only one step was due, and its inputs have not arrived: nothing is lost.
            Err(GgrsGameError::Ggrs(GgrsError::PredictionThreshold)) => Ok(Fulfilled::default()),
            Err(error) => Err(error),
        }
    }

    fn check(&self, window: usize, players: usize, frame: i32) -> Result<(), GgrsGameError> {
        if self.broken {
            return Err(GgrsGameError::Broken);
        }
        if window > self.window {
            return Err(GgrsGameError::Window { session: window, game: self.window });
        }
        if players != self.players() {
            return Err(GgrsGameError::Players { found: players, expected: self.players() });
        }
        let current = self.current_tick();
        if u32::try_from(frame) != Ok(current.0) {
            return Err(GgrsGameError::OutOfOrder { frame, current });
        }
        Ok(())
    }

    /// Calls ggrs. If it panics, the game is marked as broken and the caller gets an error.
    fn guarded<A>(
        &mut self,
        ask: impl FnOnce() -> Result<Requests<S, A>, GgrsError>,
    ) -> Result<Requests<S, A>, GgrsGameError>
    where
        A: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        // A session that panicked is never called again through a broken game.
        match catch_unwind(AssertUnwindSafe(ask)) {
            Ok(answer) => Ok(answer?),
            Err(panic) => {
                self.broken = true;
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(GgrsGameError::Panicked(text.unwrap_or_else(|| "no message".to_owned())))
            }
        }
    }
}
