//! What comes in: samples and commands of local players, inputs of others, a relay's bundles.

use super::input_log::{Insertion, Known};
use super::seat::Seat;
use super::{Authority, FeedError, Session, SessionEvent};
use crate::input::{CommandError, Input, InputReadError, put_record};
use crate::player::{Occupant, PeerId, PlayerId};
use crate::simulation::Simulation;
use crate::tick::Tick;

/// What became of inputs that were fed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Ticks that were not known before.
    pub new: u32,
    /// Ticks that were known, the same.
    pub duplicate: u32,
    /// Ticks that the log no longer has; they were confirmed long ago.
    pub stale: u32,
    /// Ticks too far ahead for the log; they have to come again.
    pub too_far: u32,
}

impl<S: Simulation> Session<S> {
    /// A sample of what a local player does now. It takes effect `delay` ticks after the tick that the next
    /// [`advance`](Self::advance) makes; a second sample before that is merged with the first. Without a sample the last
    /// input is held.
    ///
    /// # Errors
    /// When no local player sits there.
    pub fn local_input(&mut self, player: PlayerId, input: S::Input) -> Result<(), FeedError> {
        self.local_mut(player)?.sample(input);
        Ok(())
    }

    /// A command of a local player: a choice that is rarer and longer than an input. It travels with the player's inputs
    /// and takes effect with one of the next ticks, on every machine with the same one.
    ///
    /// # Errors
    /// When no local player sits there, or the command is too long or too many wait.
    pub fn command(&mut self, player: PlayerId, command: &[u8]) -> Result<(), CommandFeedError> {
        self.local_mut(player)?.queue.push(command)?;
        Ok(())
    }

    /// Changes how many ticks later a local player's inputs take effect. Raised, the last input is held for the ticks
    /// between; lowered, samples are merged until the present has caught up. Nothing that was sent changes.
    ///
    /// # Errors
    /// When no local player sits there, or the delay is longer than [`MAX_DELAY`](super::MAX_DELAY).
    pub fn set_delay(&mut self, player: PlayerId, ticks: u32) -> Result<(), FeedError> {
        if ticks > super::MAX_DELAY {
            return Err(FeedError::Delay { ticks });
        }
        self.local_mut(player)?.delay = ticks;
        Ok(())
    }

    /// How many ticks later a local player's inputs take effect.
    pub fn delay(&self, player: PlayerId) -> Option<u32> {
        Some(self.seats.get(player.index())?.local.as_ref()?.delay)
    }

    /// Inputs of a player elsewhere, for consecutive ticks, without commands. With [`Authority::Owner`] they are confirmed
    /// by this, else proposed. They may come late, early, again and in any order.
    ///
    /// # Errors
    /// When the seat is not one of another machine, all ticks lie too far ahead, or one of them is confirmed with another
    /// value; ticks before the one that was refused are taken.
    pub fn remote_inputs(
        &mut self,
        player: PlayerId,
        first: Tick,
        inputs: &[S::Input],
    ) -> Result<Accepted, FeedError> {
        self.remote_ticks(player, first, inputs.iter().map(|&input| (input, &[][..])))
    }

    /// Like [`remote_inputs`](Self::remote_inputs), with the pieces of commands that each tick carries.
    ///
    /// # Errors
    /// As there, and when pieces can't be read.
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
        let (floor, limit) = (self.floor(), self.ceiling());
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
        result?;
        if accepted.too_far > 0 && accepted.new + accepted.duplicate + accepted.stale == 0 {
            return Err(FeedError::FarFuture { tick: first, limit });
        }
        Ok(accepted)
    }

    /// One tick of a player elsewhere as the bytes of its input and its pieces of commands, from the machine that sent it. What
    /// was there before costs little; what is somebody else's by now is passed over.
    ///
    /// # Errors
    /// As [`remote_inputs`](Self::remote_inputs), and when the input can't be read or the seat was never that peer's.
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

    /// A record, and all of it as it travels.
    pub(crate) fn take_record(
        &mut self,
        peer: PeerId,
        player: PlayerId,
        tick: Tick,
        (input, pieces): (&[u8], &[u8]),
        whole: &[u8],
    ) -> Result<(), RecordError> {
        // Most of what comes was there before.
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

    /// What a relay decided for a tick: one input for each seat, and the pieces of commands that go with it. Only this
    /// confirms with [`Authority::Bundle`]. Of seats that nobody outside plays, the input is ignored.
    ///
    /// Where it differs from what a local player proposed, the state rolls back, and what was pressed goes into that
    /// player's next tick that was not sent.
    ///
    /// # Errors
    /// When owners confirm, the bundle has not as many inputs as the match has seats, the tick lies too far ahead, pieces
    /// can't be read, or a seat was confirmed otherwise; then nothing of the bundle is taken.
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
            return Err(FeedError::FarFuture { tick, limit: self.ceiling() });
        }
        if tick < self.floor() {
            self.stats.stale += 1;
            return Ok(Accepted { stale: 1, ..Accepted::default() });
        }
        // First look at all of it, so that a bundle is taken whole or not at all.
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

    /// Notes that a tick has a bundle; they come in any order.
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

    /// Takes one input for a tick within the log; whether it was new.
    fn take(
        &mut self,
        player: PlayerId,
        tick: Tick,
        value: S::Input,
        payload: &[u8],
        known: Known,
    ) -> Result<bool, FeedError> {
        self.check_payload(player, tick, payload)?;
        let present = self.present;
        let insertion = self.seats[player.index()].log.insert(tick, value, payload, known, present);
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

    /// Where a relay decides otherwise than a local player proposed, nothing that was pressed is lost.
    fn note_override(&mut self, player: PlayerId, tick: Tick, value: S::Input, payload: &[u8]) {
        let Seat { log, local, .. } = &mut self.seats[player.index()];
        let Some(local) = local else { return };
        let Some(entry) = log.entry(tick).filter(|entry| entry.known == Known::Proposed) else {
            return;
        };
        let (proposal, lost) = (entry.value, entry.payload != payload);
        if lost {
            // Refused only for ticks that were confirmed, which this one was not.
            let _ = local.queue.overridden(tick);
        }
        // What was decided may have the presses and differ in what is held.
        if S::Input::merge(proposal, value) != value {
            local.overridden(proposal);
        }
        if lost || proposal != value {
            self.events.push(SessionEvent::Overridden { player, tick });
        }
    }

    /// Moves a seat's frontier as far as it goes.
    pub(super) fn advance_seat_frontier(&mut self, player: PlayerId) {
        let present = self.present;
        let seat = &mut self.seats[player.index()];
        let wrong = seat.advance_frontier(present);
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

/// Why a tick that came as bytes was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The input can't be read.
    #[error(transparent)]
    Input(#[from] InputReadError),
    /// The session does not take it.
    #[error(transparent)]
    Feed(#[from] FeedError),
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandFeedError {
    /// Nobody sits there.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// It is too long, or too many wait.
    #[error(transparent)]
    Command(#[from] CommandError),
}
