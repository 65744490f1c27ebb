//! Before the match: the machines that are awaited, and introductions. Where only the host's address is known, the other
//! machines connect to it, and it sends each of them the addresses of the others.

use super::notes::Note;
use super::{Peer, PeerEvent};
use crate::address::Address;
use crate::crypto::MachineId;
use crate::transport::Transport;
use isostep_rollback::{Simulation, Time};

impl<S: Simulation, T: Transport> Peer<S, T> {
    /// Introduces a connected machine to the other ones. They may lack each other's address also if this machine was
    /// configured with both; a machine that needs none ignores it.
    pub(super) fn introduce(&mut self, machine: MachineId) {
        if self.started {
            return;
        }
        let others: Vec<_> = self.endpoint.connected().filter(|other| *other != machine).collect();
        for other in others {
            for (to, of) in [(machine, other), (other, machine)] {
                if let Some(address) = self.endpoint.remote_address(of) {
                    // A new connection's queue is empty, and lost ones introduce again.
                    let _ =
                        self.endpoint.send_peer_message(to, &Note::Address(of, address).write());
                }
            }
        }
    }

    /// Takes the address of a machine from another machine, if there is none or it does not reply.
    pub(super) fn meet(&mut self, now: Time, machine: MachineId, address: Address) {
        let Some(known) = self.addresses.get_mut(usize::from(machine.0)) else { return };
        let connected = self.endpoint.last_received(machine).is_some();
        let failed = self.reported[usize::from(machine.0)].is_some();
        if self.started
            || connected
            || known.is_some() && !failed
            || self.configured[usize::from(machine.0)]
            || self.endpoint.check_connect(machine, address).is_err()
        {
            return;
        }
        *known = Some(address);
        self.reconnect_at[usize::from(machine.0)] = Some(now);
    }

    /// Reports the machines that the match waits for, when they change.
    pub(super) fn report_awaited(&mut self, now: Time) {
        let awaited: Vec<_> = self.missing(now).collect();
        if awaited == self.awaited {
            return;
        }
        self.awaited.clone_from(&awaited);
        if !awaited.is_empty() {
            let with = |machine: MachineId| (machine, self.addresses[usize::from(machine.0)]);
            let machines = awaited.into_iter().map(with).collect();
            self.push_event(PeerEvent::Waiting { machines });
        }
    }
}
