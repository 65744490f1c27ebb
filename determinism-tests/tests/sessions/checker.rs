//! The checker: compares every machine's final ticks with the reference and reports differences.

use super::game::reading;
use super::play::Match;
use super::reference::see_snapshot;
use core::fmt::{self, Write};
use isostep_core::state::{Snapshot, State};
use isostep_rollback::{PlayerId, SessionEvent, Tick};

/// A defect found by the checker.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) machine: usize,
    pub(super) tick: Tick,
    pub(super) what: String,
}

impl Failure {
    pub(super) fn new(machine: usize, tick: Tick, what: impl Into<String>) -> Self {
        Self { machine, tick, what: what.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine {}, tick {}: {}", self.machine, self.tick, self.what)
    }
}

impl Match {
    /// Checks a machine after an advance: events, final inputs, final states.
    pub(super) fn check(&mut self, index: usize) -> Result<(), Failure> {
        self.hear(index)?;
        self.collect(index)?;
        let settled = self.machines[index].settled();
        if !self.reference.play(&self.seats, settled) {
            let what = "confirmed a tick before all inputs of it were known";
            return Err(Failure::new(index, settled, what));
        }
        while self.machines[index].checked <= settled {
            let tick = self.machines[index].checked;
            self.machines[index].checked = tick.next();
            self.compare(index, tick)?;
        }
        // Final states must not change: check an older tick again.
        let older = settled - self.rng.below(12);
        if older >= self.machines[index].start {
            self.compare(index, older)?;
        }
        if let Some(difference) = self.machines[index].game.world.resim_difference() {
            let what = format!("the world's own check of its resimulation: {difference}");
            return Err(Failure::new(index, settled, what));
        }
        Ok(())
    }

    fn hear(&mut self, index: usize) -> Result<(), Failure> {
        while let Some(event) = self.machines[index].session.poll_event() {
            let glitches = self.glitches;
            let machine = &mut self.machines[index];
            let fail =
                |tick, event: &SessionEvent| Err(Failure::new(index, tick, event.to_string()));
            match &event {
                SessionEvent::Repaired { from } if machine.glitched => {
                    machine.glitched = false;
                    machine.wrong.clear();
                    // Check everything that is still held again.
                    machine.checked = machine.checked.min(from.next());
                    self.stats.repairs += 1;
                }
                SessionEvent::Repaired { from } => return fail(*from, &event),
                SessionEvent::Conflict { tick, .. } => return fail(*tick, &event),
                SessionEvent::Desync(report) if glitches == 0 => return fail(report.tick, &event),
                _ => (),
            }
            machine.events.push(event);
        }
        Ok(())
    }

    /// Collects final inputs as a machine reports them.
    fn collect(&mut self, index: usize) -> Result<(), Failure> {
        let machine = &mut self.machines[index];
        let settled = machine.settled();
        while machine.reported < settled {
            let tick = machine.reported;
            machine.reported = tick.next();
            for (seat, truth) in (0..).zip(&mut self.seats) {
                let reported = machine.session.confirmed_input(PlayerId(seat), tick);
                let result = truth.report(index, tick, reported);
                result.map_err(|what| Failure::new(index, tick, format!("seat {seat}: {what}")))?;
            }
        }
        Ok(())
    }

    /// Compares the state of a final tick with the reference's.
    fn compare(&mut self, index: usize, tick: Tick) -> Result<(), Failure> {
        let machine = &self.machines[index];
        let slots = machine.session.slots();
        let Ok(digest) = machine.game.digest(slots, tick) else {
            self.stats.missed += 1;
            return Ok(());
        };
        self.stats.checked += 1;
        let seen = self.reference.seen(tick);
        let past = machine.game.world.past(seen.world_tick);
        let same_reading = past.is_ok_and(|past| reading(&past) == seen.reading);
        if digest == seen.digest && same_reading {
            return if self.rng.one_in(16) { self.compare_snapshot(index, tick) } else { Ok(()) };
        }
        if machine.glitched {
            self.machines[index].wrong.push(tick);
            return Ok(());
        }
        let mut what = format!("its state is not what the inputs lead to; {}", machine.plan);
        if digest == seen.digest {
            what += "\n  the digest is right, but bodies or events that can be read are not";
        }
        for difference in self.reference.explain(&self.seats, tick, &machine.game, slots) {
            let _ = write!(what, "\n  {difference}");
        }
        Err(Failure::new(index, tick, what))
    }

    /// Restores a snapshot of a final tick into a new game.
    fn compare_snapshot(&mut self, index: usize, tick: Tick) -> Result<(), Failure> {
        let machine = &self.machines[index];
        let mut bytes = Vec::new();
        let written = machine.game.snapshot(machine.session.slots(), tick, &mut bytes);
        written.map_err(|error| Failure::new(index, tick, format!("no snapshot: {error}")))?;
        self.stats.snapshots += 1;
        let seen = see_snapshot(self.script.settings, &bytes);
        let seen = seen.map_err(|error| {
            Failure::new(index, tick, format!("its snapshot is refused: {error}"))
        })?;
        if seen == self.reference.seen(tick) {
            return Ok(());
        }
        Err(Failure::new(index, tick, "its snapshot restores to another state"))
    }

    /// Checks at the end of a match: corruptions must be repaired.
    pub(super) fn close(&mut self) -> Result<(), Failure> {
        for (index, machine) in self.machines.iter().enumerate() {
            let stats = machine.session.stats();
            self.stats.machines += 1;
            self.stats.spectators += u64::from(machine.host.is_some());
            self.stats.rollbacks += stats.rollbacks;
            self.stats.resimulated_ticks += stats.resimulated_ticks;
            self.stats.grown_rings += u64::from(
                machine.ring[1] > machine.ring[0].max(usize::from(self.script.settings.history)),
            );
            if let (true, Some(&first)) = (machine.alive, machine.wrong.first()) {
                let what = format!(
                    "a planted corruption was never repaired; events: {:?}",
                    machine.events
                );
                return Err(Failure::new(index, first, what));
            }
            let differs =
                |event: &&SessionEvent| matches!(event, SessionEvent::DigestsDiffer { .. });
            if let (0, Some(event)) = (self.glitches, machine.events.iter().find(differs)) {
                let what = format!("{event}, though every machine is right");
                return Err(Failure::new(index, machine.settled(), what));
            }
        }
        self.stats.matches += 1;
        self.stats.ticks += u64::from(self.reference.tick().0);
        Ok(())
    }
}
