//! Runs the events of a script. Links, clocks and compute settings are changed here; seats in
//! `seating`, machines in `membership`.

use super::checker::Failure;
use super::game::{Fault, Skirmish, random_order};
use super::machine::Machine;
use super::play::{Match, TICK};
use super::rng::Rng;
use super::script::{Glitch, Knob, ScriptEvent, To};
use super::seat_history::Holder;
use isostep_core::internals::Lanes;
use isostep_rollback::PlayerId;

impl Match {
    pub(super) fn happen(&mut self, happening: ScriptEvent) -> Result<(), Failure> {
        match happening {
            ScriptEvent::Link { from, to, profile } => {
                if let Some((from, to)) = self.two(from, to) {
                    let nodes = (self.nodes[from], self.nodes[to]);
                    self.network
                        .set_link(nodes.0, nodes.1, profile.config())
                        .expect("a sound link");
                }
            }
            ScriptEvent::Cut { from, to, ticks, both } => {
                if let Some((from, to)) = self.two(from, to) {
                    let window = self.now..self.now + TICK * ticks;
                    let (from, to) = (self.nodes[from], self.nodes[to]);
                    let network = &mut self.network;
                    let cut = if both {
                        network.partition_both(from, to, window)
                    } else {
                        network.partition(from, to, window)
                    };
                    cut.expect("a window of some length");
                }
            }
            ScriptEvent::Sleep { machine, ticks } => {
                let machine = self.nth(machine, |_| true).unwrap_or(0);
                self.machines[machine].wakes = self.wall + ticks;
            }
            ScriptEvent::Delay { seat, ticks } => self.set_delay(seat, ticks),
            ScriptEvent::Seat { seat, to, ahead, sent, late } => {
                let (seat, who) = (self.seat(seat), self.holder(to));
                self.reseat(seat, who, ahead, sent, late)?;
            }
            ScriptEvent::Order { seat, bits } => self.order(seat, bits),
            ScriptEvent::Tune { machine, knob } => {
                let machine = self.nth(machine, |_| true).unwrap_or(0);
                tune(&mut self.machines[machine].game, knob);
            }
            ScriptEvent::Record { machine, tape } => {
                // A recording that starts with a corrupted state has no correct state to continue
                // from; see REPLAY.md.
                let machine = self.nth(machine, |it| it.recordings.len() < 3 && !it.glitched);
                if let Some(machine) = machine {
                    self.machines[machine].record(tape);
                }
            }
            ScriptEvent::Glitch { machine, glitch, after } => self.glitch(machine, glitch, after),
            ScriptEvent::Crash { machine, to } => self.crash(machine, to)?,
            ScriptEvent::Join { donor, seat, setup } => self.join(donor, seat, setup)?,
            ScriptEvent::Progress { host, buffer, setup } => {
                self.watch_late(host, buffer, setup)?;
            }
            ScriptEvent::Rehost { spectator, host } => {
                let spectator = self.nth(spectator, |machine| machine.host.is_some());
                if let Some(spectator) = spectator {
                    self.rehost(spectator, host);
                }
            }
        }
        Ok(())
    }

    /// Returns one of the live machines of a kind.
    pub(super) fn nth(&self, number: u8, kind: impl Fn(&Machine) -> bool) -> Option<usize> {
        let alive = |index: &usize| self.machines[*index].alive && kind(&self.machines[*index]);
        let found: Vec<usize> = (0..self.machines.len()).filter(alive).collect();
        found.get(usize::from(number) % found.len().max(1)).copied()
    }

    pub(super) fn player(&self, number: u8) -> Option<usize> {
        self.nth(number, |machine| machine.host.is_none())
    }

    fn two(&self, from: u8, to: u8) -> Option<(usize, usize)> {
        let (from, to) = (self.nth(from, |_| true)?, self.nth(to, |_| true)?);
        (from != to).then_some((from, to))
    }

    pub(super) fn seat(&self, number: u8) -> u8 {
        number % self.seats.len() as u8
    }

    pub(super) fn holder(&self, to: To) -> Holder {
        match to {
            To::Machine(number) => self.player(number).map_or(Holder::Bot, Holder::Machine),
            To::Bot => Holder::Bot,
            To::Empty => Holder::Empty,
        }
    }

    /// Returns the machine that holds a seat and knows it, if the last change has taken effect
    /// there.
    fn speaker(&self, seat: u8) -> Option<usize> {
        let (since, who) = self.seats[usize::from(seat)].last();
        let Holder::Machine(machine) = who else { return None };
        let waits =
            self.notices.iter().any(|notice| notice.seat == seat && notice.machine == machine);
        let holder = &self.machines[machine];
        (holder.alive && !waits && holder.making() >= since).then_some(machine)
    }

    fn set_delay(&mut self, seat: u8, ticks: u32) {
        let seat = self.seat(seat);
        let Some(machine) = self.speaker(seat) else { return };
        let session = &mut self.machines[machine].session;
        session.set_delay(PlayerId(seat), ticks).expect("the player sits here");
        self.seats[usize::from(seat)].set_delay(machine, ticks);
    }

    fn order(&mut self, seat: u8, bits: u64) {
        let seat = self.seat(seat);
        let Some(machine) = self.speaker(seat) else { return };
        let order = random_order(&mut Rng::keyed(&[bits]));
        // Refused only if too many commands are queued.
        let _ = self.machines[machine].session.command(PlayerId(seat), &order);
    }

    fn glitch(&mut self, machine: u8, glitch: Glitch, after: u32) {
        let Some(index) = self.nth(machine, |machine| !machine.links.is_empty()) else { return };
        let machine = &mut self.machines[index];
        if machine.glitched {
            return;
        }
        let call = machine.game.local.calls + after;
        machine.game.local.fault = Some(match glitch {
            Glitch::Score => Fault::Score { call },
            Glitch::Push => Fault::Push { call },
            Glitch::Spawn => Fault::Spawn { call },
        });
        machine.glitched = true;
        machine.was_glitched = true;
        self.glitches += 1;
    }
}

fn tune(game: &mut Skirmish, knob: Knob) {
    match knob {
        Knob::DropScratch => game.world.drop_scratch(),
        Knob::DropRecords => game.world.drop_step_records(),
        Knob::Lanes(lanes) => {
            // Unsupported lane widths change nothing.
            game.world.set_lanes(Lanes::ALL[usize::from(lanes) % Lanes::ALL.len()]);
        }
        Knob::Resim(mode) => game.world.set_resim_mode(mode),
        // Never shorter than the session's request.
        Knob::History(more) => {
            let (oldest, now) = game.world.history().into_inner();
            let held = now.since(oldest) as usize + 1;
            game.world.set_history(held.max(40) + usize::from(more));
        }
    }
}
