//! Feeding: local samples and commands, remote inputs, a relay's bundles.

use super::input_log::{Insertion, Known};
use super::seat::Seat;
use super::{Authority, FeedError, Session, SessionEvent};
use crate::Tick;
use crate::input::{CommandQueueError, Input, InputReadError, put_record};
use crate::player::{Occupant, PeerId, PlayerId};
use crate::simulation::Simulation;

/// Number of ticks by result of feeding inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// New ticks.
    pub new: u32,
    /// Ticks that were known with the same input.
    pub duplicate: u32,
    /// Ticks older than the log, which were confirmed long ago, or before the start of the session.
    pub stale: u32,
    /// Ticks beyond the log; the sender has to repeat them.
    pub too_far: u32,
}

impl<S: Simulation> Session<S> {
    /// Feeds a sample of a local player. It takes effect `delay` ticks after the tick of the next
    /// [`advance`](Self::advance); a second sample before that is merged with the first. Without a sample the last
    /// input is held.
    ///
    /// # Errors
    /// If no local player holds the seat.
    #[doc(alias = "add_local_input")]
    pub fn local_input(&mut self, player: PlayerId, input: S::Input) -> Result<(), FeedError> {
        self.local_mut(player)?.sample(input);
        Ok(())
    }

    /// Queues a command of a local player: a byte string, rarer and longer than an input. It is sent with the player's
    /// inputs and takes effect on the same tick on every machine.
    ///
    /// # Errors
    /// If no local player holds the seat, the command is too long, or the queue is full.
    pub fn command(&mut self, player: PlayerId, command: &[u8]) -> Result<(), CommandFeedError> {
        self.local_mut(player)?.queue.push(command)?;
        Ok(())
    }

    /// Sets the input delay of a local player, in ticks. After a raise the last input is held for the additional ticks;
    /// after a lowering samples are merged until the current tick has caught up. Inputs that were sent never change.
    ///
    /// # Errors
    /// If no local player holds the seat, or the delay is longer than [`MAX_DELAY`](super::MAX_DELAY).
    pub fn set_delay(&mut self, player: PlayerId, ticks: u32) -> Result<(), FeedError> {
        if ticks > super::MAX_DELAY {
            return Err(FeedError::Delay { ticks });
        }
        self.local_mut(player)?.delay = ticks;
        Ok(())
    }

    /// Returns the input delay of a local player, in ticks.
    pub fn delay(&self, player: PlayerId) -> Option<u32> {
        Some(self.seats.get(player.index())?.local.as_ref()?.delay)
    }

    /// Feeds inputs of a remote player for consecutive ticks, without commands. They are confirmed with
    /// [`Authority::Owner`] and proposed otherwise. They may be late, early, repeated or out of order.
    ///
    /// # Errors
    /// If no remote player holds the seat, all ticks are beyond the log, or a tick is confirmed with another value.
    /// Ticks before the refused one are accepted.
    pub fn remote_inputs(
        &mut self,
        player: PlayerId,
        first: Tick,
        inputs: &[S::Input],
    ) -> Result<Accepted, FeedError> {
        self.remote_ticks(player, first, inputs.iter().map(|&input| (input, &[][..])))
    }

    /// Feeds inputs like [`remote_inputs`](Self::remote_inputs), with the command pieces of each tick.
    ///
    /// # Errors
    /// As [`remote_inputs`](Self::remote_inputs), and when pieces are malformed.
    #[doc(hidden)]
    pub fn remote_ticks<'a>(
        &mut self,
        player: PlayerId,
        first: Tick,
        ticks: impl IntoIterator<Item = (S::Input, &'a [u8])>,
    ) -> Result<Accepted, FeedError> {
        self.seat_of(player)?;
        let known = match self.config.authority {
            Authority::Owner => Known::Confirmed,
            Authority::Bundle => Known::Proposed,
        };
        let (floor, limit) = (self.log_from(), self.ceiling());
        let mut accepted = Accepted::default();
        let mut result = Ok(());
        for (ahead, (value, payload)) in (0..).zip(ticks) {
            let tick = first + ahead;
            if tick >= limit {
                accepted.too_far += 1;
                continue;
            }
            if tick < floor {
                accepted.stale += 1;
                continue;
            }
            if !matches!(self.seats[player.index()].occupant(tick), Occupant::Remote(_)) {
                result = Err(FeedError::NotRemote { player, tick });
                break;
            }
            match self.take(player, tick, value, payload, known) {
                Ok(true) => {
                    accepted.new += 1;
                }
                Ok(false) => accepted.duplicate += 1,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.advance_seat_frontier(player);
        self.stats.duplicates += u64::from(accepted.duplicate);
        self.stats.stale += u64::from(accepted.stale);
        self.stats.too_far += u64::from(accepted.too_far);
        result?;
        if accepted.too_far > 0 && accepted.new + accepted.duplicate + accepted.stale == 0 {
            return Err(FeedError::FarFuture { tick: first, limit });
        }
        Ok(accepted)
    }

    /// Feeds one tick of a remote player as encoded bytes: its input and command pieces. Known bytes are skipped
    /// cheaply; ticks that another peer holds by now are ignored.
    ///
    /// # Errors
    /// As [`remote_inputs`](Self::remote_inputs), and when the input is malformed or the seat does not exist.
    pub fn remote_record(
        &mut self,
        peer: PeerId,
        player: PlayerId,
        tick: Tick,
        input: &[u8],
        pieces: &[u8],
    ) -> Result<(), RecordError> {
        let mut whole = core::mem::take(&mut self.record);
        put_record(input, pieces, &mut whole);
        let result = self.take_record(peer, player, tick, (input, pieces), &whole);
        self.record = whole;
        result
    }

    /// Feeds a record; `whole` is its complete encoding.
    pub(crate) fn take_record(
        &mut self,
        peer: PeerId,
        player: PlayerId,
        tick: Tick,
        (input, pieces): (&[u8], &[u8]),
        whole: &[u8],
    ) -> Result<(), RecordError> {
        // Most records are duplicates.
        if self.knows_bytes(player, tick, whole) {
            return Ok(());
        }
        let value = self.codec.read(input)?;
        match self.occupant_on(player, tick) {
            None => return Err(FeedError::NotTheirs { player, peer }.into()),
            Some(occupant) if occupant != Occupant::Remote(peer) => return Ok(()),
            Some(_) => (),
        }
        self.remote_ticks(player, tick, [(value, pieces)])?;
        self.note_bytes(player, tick, whole);
        Ok(())
    }

    /// Feeds a relay's bundle: the confirmed input of every seat for a tick, with command pieces. It is the only
    /// confirmation with [`Authority::Bundle`]. Inputs of bots and empty seats are ignored.
    ///
    /// If the bundle differs from the input that a local player proposed, the session rolls back, and the presses are
    /// carried into that player's next unsent tick.
    ///
    /// # Errors
    /// If owners confirm inputs, the number of inputs is wrong, the tick is beyond the log, pieces are malformed, or
    /// a seat is confirmed with another input. The bundle is refused as a whole.
    #[doc(hidden)]
    pub fn confirmed_bundle(
        &mut self,
        tick: Tick,
        inputs: &[(S::Input, &[u8])],
    ) -> Result<Accepted, FeedError> {
        let seats = self.seats.len();
        if self.config.authority != Authority::Bundle {
            return Err(FeedError::NoBundles);
        }
        if inputs.len() != seats {
            return Err(FeedError::BundleSize { inputs: inputs.len(), seats });
        }
        if tick >= self.ceiling() {
            self.stats.too_far += 1;
            return Err(FeedError::FarFuture { tick, limit: self.ceiling() });
        }
        if tick < self.log_from() {
            self.stats.stale += 1;
            return Ok(Accepted { stale: 1, ..Accepted::default() });
        }
        // Validates all inputs first, so that a bundle is accepted or refused as a whole.
        for (player, &(value, payload)) in (0..).map(PlayerId).zip(inputs) {
            if !self.seats[player.index()].occupant(tick).is_human() {
                continue;
            }
            self.check_payload(player, tick, payload)?;
            let held = self.seats[player.index()].log.confirmed(tick);
            if held.is_some_and(|held| held.value != value || held.payload != payload) {
                return Err(self.conflict(player, tick));
            }
        }
        let mut accepted = Accepted::default();
        for (player, &(value, payload)) in (0..).map(PlayerId).zip(inputs) {
            if !self.seats[player.index()].occupant(tick).is_human() {
                continue;
            }
            self.note_override(player, tick, value, payload);
            if self.take(player, tick, value, payload, Known::Confirmed)? {
                accepted.new += 1;
            } else {
                accepted.duplicate += 1;
            }
            self.advance_seat_frontier(player);
        }
        self.note_bundle(tick);
        self.stats.duplicates += u64::from(accepted.duplicate);
        Ok(accepted)
    }

    /// Records that a tick has a bundle. Bundles arrive in any order.
    fn note_bundle(&mut self, tick: Tick) {
        let (next, later) = &mut self.bundled;
        if tick >= *next {
            later.insert(tick);
        }
        while later.remove(next) {
            *next = next.next();
        }
    }

    pub(super) fn local_mut(
        &mut self,
        player: PlayerId,
    ) -> Result<&mut super::local_player::LocalPlayer<S::Input>, FeedError> {
        let target = self.target;
        let seat = self.seat_mut(player)?;
        let next = seat.local.as_ref().map_or(target, |local| local.next);
        let here = [target, next].iter().any(|&tick| seat.next_local(tick).is_some());
        seat.local.as_mut().filter(|_| here).ok_or(FeedError::NotLocal { player })
    }

    fn check_payload(&self, player: PlayerId, tick: Tick, payload: &[u8]) -> Result<(), FeedError> {
        if payload.is_empty() {
            return Ok(());
        }
        crate::input::check_payload(payload, self.config.commands.budget())
            .map_err(|error| FeedError::Payload { player, tick, error })
    }

    /// Inserts one input for a tick within the log. Returns true if it was new.
    fn take(
        &mut self,
        player: PlayerId,
        tick: Tick,
        value: S::Input,
        payload: &[u8],
        known: Known,
    ) -> Result<bool, FeedError> {
        self.check_payload(player, tick, payload)?;
        let current = self.current;
        let insertion = self.seats[player.index()].log.insert(tick, value, payload, known, current);
        match insertion {
            Insertion::New { wrong } => {
                if wrong || self.config.always && known == Known::Confirmed {
                    self.mark_mispredicted(tick);
                }
                Ok(true)
            }
            Insertion::Duplicate => Ok(false),
            Insertion::Conflict => Err(self.conflict(player, tick)),
        }
    }

    fn conflict(&mut self, player: PlayerId, tick: Tick) -> FeedError {
        self.stats.conflicts += 1;
        self.events.push(SessionEvent::Conflict { player, tick });
        FeedError::Conflict { player, tick }
    }

    /// Carries the presses of a local proposal that a relay overrides into a later tick.
    fn note_override(&mut self, player: PlayerId, tick: Tick, value: S::Input, payload: &[u8]) {
        let Seat { log, local, .. } = &mut self.seats[player.index()];
        let Some(local) = local else { return };
        let Some(entry) = log.entry(tick).filter(|entry| entry.known == Known::Proposed) else {
            return;
        };
        let (proposal, lost) = (entry.value, entry.payload != payload);
        if lost {
            // Fails only for confirmed ticks, and this one was not.
            let _ = local.queue.overridden(tick);
        }
        // The confirmed input may contain the presses and differ only in its levels.
        if S::Input::merge(proposal, value) != value {
            local.overridden(proposal);
        }
        if lost || proposal != value {
            self.events.push(SessionEvent::Overridden { player, tick });
        }
    }

    /// Advances a seat's frontier over all confirmed ticks.
    pub(super) fn advance_seat_frontier(&mut self, player: PlayerId) {
        let current = self.current;
        let seat = &mut self.seats[player.index()];
        let wrong = seat.advance_frontier(current);
        if let Some(local) = &mut seat.local
            && let Some(last) = seat.log.frontier.0.checked_sub(1)
        {
            local.queue.confirmed_through(Tick(last));
        }
        if let Some(tick) = wrong {
            self.mark_mispredicted(tick);
        }
    }
}

/// Error of feeding a tick as bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The input is malformed.
    #[error(transparent)]
    Input(#[from] InputReadError),
    /// The session refuses the tick.
    #[error(transparent)]
    Feed(#[from] FeedError),
}

/// Error of queueing a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandFeedError {
    /// No local player holds the seat.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// The command is too long, or the queue is full.
    #[error(transparent)]
    Command(#[from] CommandQueueError),
}
