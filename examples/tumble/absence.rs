//! Departed players: a bot takes the seat, on every machine from the same tick on.
//!
//! Machines may have received different amounts of a departed player's inputs. Each reports its
//! last tick, the longest history counts, and its holder forwards the rest. These messages travel
//! beside the match; the seat changes only when all inputs are known.

use crate::messages::Message;
use crate::rules::Tumble;
use isostep::netcode::crypto::MachineId;
use isostep::netcode::{Peer, Transport};
use isostep::rollback::Occupant;
use isostep::{PeerId, PlayerId, Tick};

/// One departed player.
struct Absence {
    machine: MachineId,
    /// First missing tick of each remaining machine, as reported; this machine included.
    heard: Vec<(MachineId, Tick)>,
    /// True if this machine lost the connection as well. Until then it may still receive inputs.
    left: bool,
    seated: bool,
}

/// All departed players.
#[derive(Default)]
pub struct Absences(Vec<Absence>);

impl Absences {
    /// Returns true if a bot has taken, or will take, this machine's seat.
    pub fn has(&self, machine: MachineId) -> bool {
        self.0.iter().any(|absence| absence.machine == machine && absence.left)
    }

    /// Records that this machine lost a player.
    pub fn left<T: Transport>(&mut self, peer: &mut Peer<Tumble, T>, machine: MachineId) {
        let mine = (peer.endpoint().machine(), received(peer, machine));
        let absence = self.of(machine);
        if !std::mem::replace(&mut absence.left, true) {
            absence.heard.push(mine);
            broadcast(peer, &Message::Gone { machine: machine.0, heard: mine.1.0 });
        }
    }

    /// Records that another machine lost a player, with its first missing tick.
    pub fn heard(&mut self, from: MachineId, machine: MachineId, heard: Tick) {
        let absence = self.of(machine);
        absence.heard.retain(|it| it.0 != from);
        absence.heard.push((from, heard));
    }

    /// Seats bots once all remaining machines have reported and this machine has every input.
    pub fn settle<T: Transport>(&mut self, peer: &mut Peer<Tumble, T>) {
        let here = peer.endpoint().machine();
        let gone: Vec<MachineId> =
            self.0.iter().filter(|it| it.left).map(|it| it.machine).collect();
        for absence in self.0.iter_mut().filter(|it| it.left && !it.seated) {
            let stays = |machine: &MachineId| !gone.contains(machine);
            let said = |machine: MachineId| absence.heard.iter().any(|it| it.0 == machine);
            if !peer.endpoint().peers().filter(stays).all(said) {
                continue;
            }
            let heard = absence.heard.iter().filter(|it| stays(&it.0));
            let Some(until) = heard.clone().map(|it| it.1).max() else { continue };
            let player = PlayerId(absence.machine.0);
            let first = heard.clone().find(|it| it.1 == until).map(|it| it.0);
            if first == Some(here) {
                heard.for_each(|&(machine, from)| {
                    forward_inputs(peer, machine, player, from..until);
                });
            }
            // A machine that lacks inputs gets them from the holder of the longest history, and
            // retries.
            if received(peer, absence.machine) >= until {
                // Can't be too late: confirming that tick needs an input that no machine has.
                absence.seated = peer.session_mut().seat(until, player, Occupant::Bot).is_ok();
            }
        }
    }

    /// Takes an input of a departed player that another machine forwarded.
    pub fn take<T: Transport>(
        &self,
        peer: &mut Peer<Tumble, T>,
        machine: MachineId,
        tick: Tick,
        record: &[Vec<u8>; 2],
    ) {
        if self.has(machine) {
            let [input, pieces] = record;
            // Malformed messages are ignored.
            let _ = peer.session_mut().remote_record(
                PeerId(machine.0),
                PlayerId(machine.0),
                tick,
                input,
                pieces,
            );
        }
    }

    fn of(&mut self, machine: MachineId) -> &mut Absence {
        let at = self.0.iter().position(|it| it.machine == machine).unwrap_or_else(|| {
            self.0.push(Absence { machine, heard: Vec::new(), left: false, seated: false });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

/// First missing tick of a machine's player.
fn received<T: Transport>(peer: &Peer<Tumble, T>, machine: MachineId) -> Tick {
    peer.session().received(PlayerId(machine.0)).unwrap_or_default()
}

/// Sends a machine the inputs that it lacks.
fn forward_inputs<T: Transport>(
    peer: &mut Peer<Tumble, T>,
    to: MachineId,
    player: PlayerId,
    ticks: std::ops::Range<Tick>,
) {
    for tick in (ticks.start.0..ticks.end.0).map(Tick) {
        let Some((input, pieces)) = peer.session().record(player, tick) else { continue };
        let record = [input.to_vec(), pieces.to_vec()];
        let word = Message::Past { machine: player.0, tick: tick.0, record };
        let _ = peer.send_message(to, &word.to_bytes());
    }
}

/// Sends a message to all connected machines.
pub fn broadcast<T: Transport>(peer: &mut Peer<Tumble, T>, word: &Message) {
    let bytes = word.to_bytes();
    for machine in peer.endpoint().connected().collect::<Vec<_>>() {
        // If a machine has just left, an event reports it.
        let _ = peer.send_message(machine, &bytes);
    }
}
