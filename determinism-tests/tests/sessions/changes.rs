//! Carries out the happenings of a script. Links, clocks and computing are changed here; seats in `seating`, machines in
//! `comings`.

use super::dice::Dice;
use super::game::{Fault, Skirmish, random_order};
use super::judge::Failure;
use super::machine::Machine;
use super::play::{Match, TICK};
use super::script::{Glitch, Happening, Knob, To};
use super::truth::Who;
use isostep_core::Lanes;
use isostep_rollback::PlayerId;

impl Match {
    pub(super) fn happen(&mut self, happening: Happening) -> Result<(), Failure> {
        match happening {
            Happening::Link { from, to, profile } => {
                if let Some((from, to)) = self.two(from, to) {
                    let nodes = (self.nodes[from], self.nodes[to]);
                    self.network
                        .set_link(nodes.0, nodes.1, profile.config())
                        .expect("a sound link");
                }
            }
            Happening::Cut { from, to, ticks, both } => {
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
            Happening::Sleep { machine, ticks } => {
                let machine = self.nth(machine, |_| true).unwrap_or(0);
                self.machines[machine].wakes = self.wall + ticks;
            }
            Happening::Delay { seat, ticks } => self.set_delay(seat, ticks),
            Happening::Seat { seat, to, ahead, sent, late } => {
                let (seat, who) = (self.seat(seat), self.holder(to));
                self.reseat(seat, who, ahead, sent, late)?;
            }
            Happening::Order { seat, bits } => self.order(seat, bits),
            Happening::Tune { machine, knob } => {
                let machine = self.nth(machine, |_| true).unwrap_or(0);
                tune(&mut self.machines[machine].game, knob);
            }
            Happening::Record { machine, tape } => {
                // One that begins with a corrupted state has nothing sound to go on from; REPLAY.md says so.
                let machine = self.nth(machine, |it| it.reels.len() < 3 && !it.glitched);
                if let Some(machine) = machine {
                    self.machines[machine].record(tape);
                }
            }
            Happening::Glitch { machine, glitch, after } => self.glitch(machine, glitch, after),
            Happening::Crash { machine, to } => self.crash(machine, to)?,
            Happening::Join { donor, seat, rig } => self.join(donor, seat, rig)?,
            Happening::Watch { host, buffer, rig } => self.watch_late(host, buffer, rig)?,
            Happening::Rehost { spectator, host } => {
                let spectator = self.nth(spectator, |machine| machine.host.is_some());
                if let Some(spectator) = spectator {
                    self.rehost(spectator, host);
                }
            }
        }
        Ok(())
    }

    /// Returns a machine of those that are alive and of a kind.
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

    pub(super) fn holder(&self, to: To) -> Who {
        match to {
            To::Machine(number) => self.player(number).map_or(Who::Bot, Who::Machine),
            To::Bot => Who::Bot,
            To::Nobody => Who::Nobody,
        }
    }

    /// Returns the machine that holds a seat and knows of it, if the last change has taken effect there.
    fn speaker(&self, seat: u8) -> Option<usize> {
        let (since, who) = self.seats[usize::from(seat)].last();
        let Who::Machine(machine) = who else { return None };
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
        let order = random_order(&mut Dice::keyed(&[bits]));
        // Refused only when too much waits.
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
            // A width that this processor lacks changes nothing.
            game.world.set_lanes(Lanes::ALL[usize::from(lanes) % Lanes::ALL.len()]);
        }
        Knob::Resim(mode) => game.world.set_resim_mode(mode),
        // Never shorter than the session has asked for.
        Knob::History(more) => {
            let held = game.world.history().count();
            game.world.set_history(held.max(40) + usize::from(more));
        }
    }
}
