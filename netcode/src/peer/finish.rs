//! End of a match: agreement on the last tick, delivery of all inputs up to it, comparison of its digest.
//!
//! Each machine declares a tick, and the largest one is the last. A machine that learns of a declaration before its own
//! declares too, at least the newest tick that it has computed, so no machine is past the end. Sessions stop there. A
//! machine that has confirmed the last tick sends its digest. A departed machine is not waited for: the others exchange
//! the inputs of it that any of them has (`departed`), and end at the first tick that none has an input for.
//! If it departs before the match has started everywhere, the match is abandoned: the others end in the same way.

use super::departed::Held;
use super::notes::Note;
use super::{Peer, PeerEvent};
use crate::crypto::{MAX_MACHINES, MachineId};
use crate::transport::Transport;
use core::fmt;
use core::time::Duration;
use isostep_core::digest::Digest;
use isostep_rollback::{MAX_PLAYERS, PlayerId, SessionEvent, Simulation, Tick, Time};

/// After digests differ: time limit for the explanation.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// After the explanation: time to answer the other machine's questions for its own.
const EXPLAIN_LINGER: Duration = Duration::from_secs(1);

/// Result of [`Peer::finish_at`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finish {
    /// Last tick, the same on all machines that are still connected. They have computed and confirmed it.
    pub tick: Tick,
    /// Digest of the state at that tick.
    pub digest: Digest,
    /// Machines with another digest.
    pub differing: Vec<MachineId>,
    /// Machines that left before the end or were not connected: this machine has no digest of theirs.
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
pub(super) struct Other {
    declared: Option<Tick>,
    done: Option<(Tick, Digest)>,
    /// It was connected, and is not any more.
    left: bool,
    /// Own declaration and own end that were sent over its current connection.
    sent: (Option<Tick>, Option<Tick>),
    /// Its announcements, and the own ones that were sent over its current connection.
    pub(super) held: Held,
    pub(super) sent_held: Held,
    /// By seat: the tick up to which inputs of a departed machine were forwarded to it.
    pub(super) forwarded: [Tick; MAX_PLAYERS],
}

/// State of the end of a match.
#[derive(Debug, Default)]
pub(super) struct Finishing {
    /// Own declaration.
    declared: Option<Tick>,
    pub(super) others: [Other; MAX_MACHINES],
    /// Last tick and its digest, once this machine has confirmed it.
    pub(super) own: Option<(Tick, Digest)>,
    /// Own announcements.
    pub(super) held: Held,
    /// A machine left before the match had started everywhere, so it never will: this machine plays only to end it.
    abandoned: bool,
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
        let other = &mut self.others[usize::from(machine.0)];
        *other = Other { declared: other.declared, done: other.done, ..Other::default() };
    }

    /// Returns true if a machine may leave without disturbing the match.
    pub(super) fn may_leave(&self, machine: MachineId) -> bool {
        let done = self.others[usize::from(machine.0)].done.map(|done| done.0);
        self.reported || done.is_some() && done == self.own.map(|own| own.0)
    }

    pub(super) fn note_left(&mut self, machine: MachineId) {
        self.others[usize::from(machine.0)].left = true;
    }

    pub(super) fn note_last(&mut self, machine: MachineId, tick: Tick) {
        let declared = &mut self.others[usize::from(machine.0)].declared;
        *declared = Some(declared.map_or(tick, |before| before.max(tick)));
    }

    pub(super) fn note_done(&mut self, machine: MachineId, tick: Tick, digest: Digest) {
        self.others[usize::from(machine.0)].done = Some((tick, digest));
    }

    pub(super) fn note_held(&mut self, machine: MachineId, player: PlayerId, tick: Tick) {
        // Announced only once the match ends without some machine.
        self.abandoned = true;
        let held = &mut self.others[usize::from(machine.0)].held;
        if let Some(held) = held.get_mut(usize::from(player.0)) {
            *held = Some(held.map_or(tick, |before| before.max(tick)));
        }
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
    /// knows it; then call [`leave`](Self::leave). A machine that leaves earlier does not block the others: they send each
    /// other the inputs of it that some of them lack, and the match ends at the last tick that these inputs suffice for.
    /// Machines that have predicted later ticks return to it.
    ///
    /// Before [`PeerEvent::Started`], the match still starts first. If a machine has left by then, call this after
    /// [`PeerEvent::Left`], on any machine that has seen it: the match is abandoned and ends for all that are connected, at tick
    /// 0 or as far as they have all inputs, and [`PeerEvent::Finished`] may come without `Started`. Without a call they wait for
    /// the machine to return.
    ///
    /// If a desync is being explained, the event waits for the
    /// report, at most five seconds.
    pub fn finish_at(&mut self, tick: Tick) {
        let finishing = &mut self.finishing;
        if finishing.own.is_none() {
            let newest = tick.max(self.session.current_tick());
            finishing.declared = finishing.declared.max(Some(newest));
        }
        finishing.abandoned |= !self.started && finishing.others.iter().any(|other| other.left);
    }

    /// Returns true if ticks are due: the match has started, or it never will and ends.
    pub(super) const fn is_ticking(&self) -> bool {
        self.started || self.finishing.abandoned
    }

    /// Returns the result of [`finish_at`](Self::finish_at), once [`PeerEvent::Finished`] was reported.
    pub fn finished(&self) -> Option<&Finish> {
        self.finishing.result.as_ref().filter(|_| self.finishing.reported)
    }

    pub(super) fn is_connected(&self, machine: MachineId) -> bool {
        self.endpoint.last_received(machine).is_some()
    }

    /// Declares the last tick and stops the session there. Called before each advance.
    pub(super) fn stop_session(&mut self) {
        let Some(last) = self.finishing.last() else { return };
        let end = self.end(last);
        // A later declaration, or an input of a departed machine, crossed this machine's digest.
        let is_early = self.finishing.own.is_some_and(|own| end.is_some_and(|end| own.0 < end));
        if is_early && self.finishing.result.is_none() {
            self.finishing.own = None;
        }
        if self.finishing.own.is_none() {
            let newest = last.max(self.session.current_tick());
            self.finishing.declared = self.finishing.declared.max(Some(newest));
        }
        let own = self.finishing.own.map(|own| own.0);
        self.session.stop_at(own.or(end).or(self.finishing.last()));
    }

    /// Compares and completes. Called after each advance, when the game is at the current tick.
    pub(super) fn finish(&mut self, now: Time, game: &S) {
        let Some(last) = self.finishing.last() else { return };
        self.update_held();
        if self.finishing.own.is_none()
            && let Some(tick) = self.final_tick(last)
            && let Ok(digest) = game.digest(self.session.slots(), tick)
        {
            self.finishing.own = Some((tick, digest));
        }
        self.send_notes();
        if self.finishing.result.is_none() {
            self.finishing.result = self.compare();
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

    /// Returns the last tick once this machine has computed and confirmed it.
    fn final_tick(&self, last: Tick) -> Option<Tick> {
        let declared =
            |machine: &MachineId| self.finishing.others[usize::from(machine.0)].declared.is_some();
        let mut connected = self.endpoint.peers().filter(|machine| self.is_connected(*machine));
        let end = self.end(last).filter(|_| connected.all(|machine| declared(&machine)))?;
        // A session that has predicted later ticks returns with its next advance.
        let (current, confirmed) = (self.session.current_tick(), self.session.confirmed_tick());
        (current == end && confirmed >= end).then_some(end)
    }

    /// Sends what a machine does not know yet. A full send queue is tried again.
    fn send_notes(&mut self) {
        let (declared, own) = (self.finishing.declared, self.finishing.own);
        for machine in (0..MAX_MACHINES).map(|machine| MachineId(machine as u8)) {
            let (last, done) = self.finishing.others[usize::from(machine.0)].sent;
            let mut send =
                |note: Note<'_>| self.endpoint.send_peer_message(machine, &note.write()).is_ok();
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
            if self.is_connected(machine) {
                self.send_held(machine);
            }
        }
    }

    /// Compares the digests, once every connected machine has sent its own of the same tick.
    fn compare(&self) -> Option<Finish> {
        let (tick, digest) = self.finishing.own?;
        let digest_of = |machine: MachineId| {
            let done = self.finishing.others[usize::from(machine.0)].done;
            done.filter(|done| done.0 == tick).map(|done| done.1)
        };
        let (mut differing, mut unchecked) = (Vec::new(), Vec::new());
        for machine in self.endpoint.peers() {
            match digest_of(machine) {
                Some(theirs) if theirs != digest => differing.push(machine),
                Some(_) => (),
                None if self.is_connected(machine) => return None,
                None => unchecked.push(machine),
            }
        }
        Some(Finish { tick, digest, differing, unchecked })
    }
}
