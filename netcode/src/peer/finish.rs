//! End of a match: agreement on the last tick, delivery of all inputs up to it, comparison of its digest.
//!
//! Each machine declares a tick, and the largest one is the last. A machine that learns of a declaration before its own
//! declares too, at least the newest tick that it has computed, so no machine is past the end. Sessions stop there. A
//! machine that has confirmed the last tick sends its digest. A departed machine is not waited for: without its inputs,
//! the others are done at the newest tick that they have confirmed.

use super::notes::Note;
use super::{Peer, PeerEvent};
use crate::crypto::{MAX_MACHINES, MachineId};
use crate::transport::Transport;
use core::fmt;
use core::time::Duration;
use isostep_core::digest::Digest;
use isostep_rollback::{PeerId, SessionEvent, Simulation, Tick, Time};

/// After digests differ: time limit for the explanation.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// After the explanation: time to answer the other machine's questions for its own.
const EXPLAIN_LINGER: Duration = Duration::from_secs(1);

/// Result of [`Peer::finish_at`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finish {
    /// Last tick. It is confirmed on all machines that are still connected.
    pub tick: Tick,
    /// Digest of the state at that tick; `None` if machines that lack inputs of a departed one ended so much earlier that
    /// the state is no longer held.
    pub digest: Option<Digest>,
    /// Machines with another digest.
    pub differing: Vec<MachineId>,
    /// Machines whose digest could not be compared: they left before the end.
    pub unchecked: Vec<MachineId>,
}

impl Finish {
    /// Returns true if all machines have computed the same state.
    pub fn is_agreed(&self) -> bool {
        self.differing.is_empty() && self.unchecked.is_empty()
    }
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the match ends with tick {}", self.tick)?;
        let list = |f: &mut fmt::Formatter<'_>, what: &str, machines: &[MachineId]| {
            let names: Vec<_> = machines.iter().map(MachineId::to_string).collect();
            if names.is_empty() { Ok(()) } else { write!(f, "{what}{}", names.join(", ")) }
        };
        if self.is_agreed() {
            return f.write_str("; all machines agree");
        }
        list(f, "; another digest on ", &self.differing)?;
        list(f, "; not compared with ", &self.unchecked)
    }
}

/// State of one other machine.
#[derive(Clone, Copy, Debug, Default)]
struct Other {
    declared: Option<Tick>,
    done: Option<(Tick, Digest)>,
    /// Own declaration and own end that were sent over its current connection.
    sent: (Option<Tick>, Option<Tick>),
}

/// State of the end of a match.
#[derive(Debug, Default)]
pub(super) struct Finishing {
    /// Own declaration.
    declared: Option<Tick>,
    others: [Other; MAX_MACHINES],
    own: Option<(Tick, Digest)>,
    /// Not before this time, because a desync is being explained.
    hold: Option<Time>,
    /// The result, and whether it was reported.
    result: Option<Finish>,
    reported: bool,
}

impl Finishing {
    /// The last tick, as far as it is known.
    fn last(&self) -> Option<Tick> {
        let others = self.others.iter().filter_map(|other| other.declared);
        others.chain(self.declared).max()
    }

    /// Messages on the new connection start from nothing.
    pub(super) fn reconnected(&mut self, machine: MachineId) {
        self.others[usize::from(machine.0)].sent = Default::default();
    }

    /// Returns true if a machine may leave without disturbing the match.
    pub(super) fn may_leave(&self, machine: MachineId) -> bool {
        let done = self.others[usize::from(machine.0)].done;
        self.reported || done.is_some_and(|done| Some(done.0) == self.last())
    }

    pub(super) fn note_last(&mut self, machine: MachineId, tick: Tick) {
        let declared = &mut self.others[usize::from(machine.0)].declared;
        *declared = Some(declared.map_or(tick, |before| before.max(tick)));
    }

    pub(super) fn note_done(&mut self, machine: MachineId, tick: Tick, digest: Digest) {
        self.others[usize::from(machine.0)].done = Some((tick, digest));
    }

    /// Waits for the explanation of a desync.
    pub(super) fn note_session(&mut self, now: Time, event: &SessionEvent) {
        match event {
            SessionEvent::DigestsDiffer { .. } => {
                self.hold.get_or_insert(now + EXPLAIN_TIMEOUT);
            }
            SessionEvent::Desync(_) => self.hold = Some(now + EXPLAIN_LINGER),
            _ => (),
        }
    }
}

impl<S: Simulation, T: Transport> Peer<S, T> {
    /// Ends the match with a tick: the last one is the largest that any machine asks for, and at least the newest one that
    /// any machine has computed. One call on one machine suffices; calls on several machines, or again, are harmless.
    ///
    /// Continue to call frames as before. All sessions stop at the last tick, and all inputs before it arrive everywhere.
    /// [`PeerEvent::Finished`] follows once the digest of that tick was compared among all machines and every machine
    /// knows it; then call [`leave`](Self::leave). A machine that leaves earlier does not block the others: without its
    /// inputs, the match ends at the newest tick that is confirmed on all remaining machines. If a desync is being
    /// explained, the event waits for the report, at most five seconds.
    pub fn finish_at(&mut self, tick: Tick) {
        let finishing = &mut self.finishing;
        if finishing.own.is_none() {
            let newest = tick.max(self.session.current_tick());
            finishing.declared = finishing.declared.max(Some(newest));
        }
    }

    /// Result of [`finish_at`](Self::finish_at), once [`PeerEvent::Finished`] was reported.
    pub fn finished(&self) -> Option<&Finish> {
        self.finishing.result.as_ref().filter(|_| self.finishing.reported)
    }

    fn is_connected(&self, machine: MachineId) -> bool {
        self.endpoint.last_received(machine).is_some()
    }

    fn is_someone_gone(&self) -> bool {
        !self.endpoint.peers().all(|machine| self.is_connected(machine))
    }

    /// Declares the last tick and stops the session there. Called before each advance.
    pub(super) fn stop_session(&mut self) {
        let Some(last) = self.finishing.last() else { return };
        // A later declaration crossed this machine's digest.
        let is_early = self.finishing.own.is_some_and(|own| own.0 < last);
        if is_early && self.finishing.result.is_none() && !self.is_someone_gone() {
            self.finishing.own = None;
        }
        if self.finishing.own.is_none() {
            let newest = last.max(self.session.current_tick());
            self.finishing.declared = self.finishing.declared.max(Some(newest));
        }
        let end = self.finishing.own.map(|own| own.0);
        self.session.stop_at(end.or(self.finishing.last()));
    }

    /// Compares and completes. Called after each advance, when the game is at the current tick.
    pub(super) fn finish(&mut self, now: Time, game: &S) {
        let Some(last) = self.finishing.last() else { return };
        if self.finishing.own.is_none()
            && let Some(tick) = self.final_tick(last)
            && let Ok(digest) = game.digest(self.session.slots(), tick)
        {
            self.finishing.own = Some((tick, digest));
        }
        self.send_notes();
        if self.finishing.result.is_none() {
            self.finishing.result = self.compare(game);
        }
        let delivered =
            |machine: MachineId| !self.is_connected(machine) || self.endpoint.is_delivered(machine);
        if self.finishing.reported
            || !self.endpoint.peers().all(delivered)
            || self.finishing.hold.is_some_and(|hold| now < hold)
        {
            return;
        }
        if let Some(result) = self.finishing.result.clone() {
            self.finishing.reported = true;
            self.push_event(PeerEvent::Finished(result));
        }
    }

    /// Returns the tick at which this machine is done: the last one, or an earlier one if a departed machine's inputs are
    /// missing.
    fn final_tick(&self, last: Tick) -> Option<Tick> {
        let certain = self.session.current_tick().min(self.session.confirmed_tick());
        let declared =
            |machine: &MachineId| self.finishing.others[usize::from(machine.0)].declared.is_some();
        let mut connected = self.endpoint.peers().filter(|machine| self.is_connected(*machine));
        if certain >= last {
            return connected.all(|machine| declared(&machine)).then_some(last);
        }
        let mut gone = self.endpoint.peers().filter(|machine| !self.is_connected(*machine));
        let stuck = gone.any(|machine| self.session.is_held_up_by(PeerId(machine.0)));
        let caught_up = self.session.confirmed_tick() <= self.session.current_tick();
        (stuck && caught_up).then_some(certain)
    }

    /// Sends what a machine does not know yet. A full send queue is tried again.
    fn send_notes(&mut self) {
        let (declared, own) = (self.finishing.declared, self.finishing.own);
        for machine in (0..MAX_MACHINES).map(|machine| MachineId(machine as u8)) {
            let (last, done) = self.finishing.others[usize::from(machine.0)].sent;
            let mut send =
                |note: Note| self.endpoint.send_peer_message(machine, &note.write()).is_ok();
            let sent = &mut self.finishing.others[usize::from(machine.0)].sent;
            if let Some(tick) = declared.filter(|_| last != declared)
                && send(Note::Last(tick))
            {
                sent.0 = declared;
            }
            if let Some((tick, digest)) = own
                && sent.0 == declared
                && done != Some(tick)
                && send(Note::Done(tick, digest))
            {
                sent.1 = Some(tick);
            }
        }
    }

    /// Compares the digests, once every connected machine has sent its own.
    fn compare(&self, game: &S) -> Option<Finish> {
        let (own_tick, own) = self.finishing.own?;
        // Without a departed machine, an earlier tick is from before a later declaration.
        let least = if self.is_someone_gone() { Tick(0) } else { self.finishing.last()? };
        let done = |machine: MachineId| {
            let done = self.finishing.others[usize::from(machine.0)].done;
            done.filter(|done| done.0 >= least)
        };
        let mut connected = self.endpoint.peers().filter(|machine| self.is_connected(*machine));
        if !connected.all(|machine| done(machine).is_some()) {
            return None;
        }
        let digest_of = |tick: Tick| {
            let certain = tick <= own_tick;
            let held = || game.digest(self.session.slots(), tick).ok().filter(|_| certain);
            if tick == own_tick { Some(own) } else { held() }
        };
        let tick = self.endpoint.peers().filter_map(|machine| Some(done(machine)?.0)).min();
        let tick = tick.map_or(own_tick, |tick| tick.min(own_tick));
        let (mut differing, mut unchecked) = (Vec::new(), Vec::new());
        for machine in self.endpoint.peers() {
            let pair = done(machine).and_then(|(tick, theirs)| Some((digest_of(tick)?, theirs)));
            match pair {
                Some((ours, theirs)) if ours != theirs => differing.push(machine),
                Some(_) => (),
                None => unchecked.push(machine),
            }
        }
        Some(Finish { tick, digest: digest_of(tick), differing, unchecked })
    }
}
