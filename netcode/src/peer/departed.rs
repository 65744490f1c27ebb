//! Inputs of departed machines at the end of a match: the remaining machines announce the inputs that they hold, and one that
//! holds the most forwards them to the others, so that all can confirm the same last tick.

use super::notes::{NONE_MISSING, Note};
use super::{Peer, PeerEvent};
use crate::crypto::MachineId;
use crate::link::LinkError;
use crate::transport::Transport;
use isostep_rollback::{MAX_PLAYERS, Occupant, PeerId, PlayerId, Simulation, Tick};

/// First missing tick of each seat of a departed machine.
pub(super) type Held = [Option<Tick>; MAX_PLAYERS];

impl<S: Simulation, T: Transport> Peer<S, T> {
    fn players(&self) -> impl Iterator<Item = PlayerId> + use<S, T> {
        (0..self.session.players()).map(|player| PlayerId(player as u8))
    }

    /// Returns the machine of a seat on a tick, if it has departed.
    fn departed_owner(&self, player: PlayerId, tick: Tick) -> Option<MachineId> {
        match self.session.occupant_on(player, tick)? {
            Occupant::Remote(PeerId(machine)) => {
                Some(MachineId(machine)).filter(|machine| !self.is_connected(*machine))
            }
            _ => None,
        }
    }

    /// Updates the announcements of this machine. Once it is done they are only completed, so that the end stays.
    pub(super) fn update_held(&mut self) {
        for player in self.players() {
            let place = usize::from(player.0);
            if self.finishing.own.is_some() && self.finishing.held[place].is_some() {
                continue;
            }
            let Some(missing) = self.session.received(player) else { continue };
            let occupant = self.session.occupant_on(player, missing);
            let asked = || self.finishing.others.iter().any(|other| other.held[place].is_some());
            self.finishing.held[place] = match occupant {
                Some(Occupant::Bot | Occupant::Empty) => asked().then_some(NONE_MISSING),
                _ => self.departed_owner(player, missing).map(|_| missing),
            };
        }
    }

    /// Returns the first tick of a departed seat whose input no remaining machine has. `None` until all have announced
    /// theirs, or if the seat is not one of a departed machine.
    fn held_to(&self, player: PlayerId) -> Option<Tick> {
        let place = usize::from(player.0);
        let mut connected = self.endpoint.peers().filter(|machine| self.is_connected(*machine));
        let own = self.finishing.held[place]?;
        connected.try_fold(own, |most, machine| {
            Some(most.max(self.finishing.others[usize::from(machine.0)].held[place]?))
        })
    }

    /// Returns the tick that all remaining machines can confirm, at most `last`. `None` while announcements are missing.
    pub(super) fn end(&self, last: Tick) -> Option<Tick> {
        let own = |player: &PlayerId| self.finishing.held[usize::from(player.0)];
        let mut departed = self.players().filter(|player| own(player).is_some_and(|to| to < last));
        departed.try_fold(last, |end, player| Some(end.min(self.held_to(player)?)))
    }

    /// Sends announcements to a machine, and the inputs that it lacks. A full send queue is tried again.
    pub(super) fn send_held(&mut self, machine: MachineId) {
        let to = usize::from(machine.0);
        for player in self.players() {
            let place = usize::from(player.0);
            let Some(own) = self.finishing.held[place] else { continue };
            if self.finishing.others[to].sent_held[place] != Some(own) {
                let note = Note::Held(player, own).write();
                if self.endpoint.send_peer_message(machine, &note).is_err() {
                    return;
                }
                self.finishing.others[to].sent_held[place] = Some(own);
            }
            let Some(most) = self.held_to(player).filter(|most| *most == own) else { continue };
            // One machine with all of them suffices: that of the lowest id.
            let lower = (0..self.endpoint.machine().0).map(MachineId);
            let held = |machine: MachineId| self.finishing.others[usize::from(machine.0)].held;
            if lower.into_iter().any(|it| self.is_connected(it) && held(it)[place] == Some(most)) {
                continue;
            }
            let Some(theirs) = self.finishing.others[to].held[place] else { continue };
            let mut next = theirs.max(self.finishing.others[to].forwarded[place]);
            while next < most {
                let Some((input, pieces)) = self.session.record(player, next) else { break };
                let record = [input, pieces].concat();
                let note = Note::Input(player, next, &record).write();
                if self.endpoint.send_peer_message(machine, &note).is_err() {
                    return;
                }
                next = next.next();
                self.finishing.others[to].forwarded[place] = next;
            }
        }
    }

    /// Takes a forwarded input. Only seats of departed machines are announced, so no other input can be replaced.
    pub(super) fn take_forwarded(
        &mut self,
        from: MachineId,
        player: PlayerId,
        tick: Tick,
        record: &[u8],
    ) {
        let is_announced =
            self.finishing.held.get(usize::from(player.0)).is_some_and(Option::is_some);
        let Some(machine) = self.departed_owner(player, tick) else { return };
        if !is_announced || self.finishing.own.is_some() {
            return;
        }
        let result = match record.split_at_checked(self.session.codec().width()) {
            None => Err(LinkError::Malformed),
            Some((input, pieces)) => self
                .session
                .remote_record(PeerId(machine.0), player, tick, input, pieces)
                .map_err(LinkError::from),
        };
        if let Err(error) = result {
            self.push_event(PeerEvent::LinkError { machine: from, error });
        }
    }
}
