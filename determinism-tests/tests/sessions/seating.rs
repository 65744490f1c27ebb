//! Seat changes. Sessions leave their agreement to the application; the tests agree here, within
//! the documented contract of `Session::seat`: every machine gets the same tick, one that none has
//! confirmed.

use super::checker::Failure;
use super::play::{Match, Notice};
use super::seat_history::Holder;
use isostep_rollback::internals::FeedError;
use isostep_rollback::{PeerId, PlayerId, Tick};

impl Match {
    /// Returns a tick that no machine has confirmed, or could with what has arrived.
    pub(super) fn open_tick(&self) -> Tick {
        let alive = self.machines.iter().filter(|machine| machine.alive);
        let open = alive.map(|machine| {
            let session = &machine.session;
            let known = (0..).zip(&self.seats).filter_map(|(seat, truth)| {
                let mut tick = session.received(PlayerId(seat))?;
                while !matches!(truth.who(tick), Holder::Machine(_)) {
                    tick = truth.spans.iter().map(|span| span.0).find(|from| *from > tick)?;
                }
                Some(tick)
            });
            let known = known.min().unwrap_or_else(|| machine.making().next());
            known.max(session.confirmed_tick())
        });
        open.max().unwrap_or_default().max(self.reference.tick())
    }

    /// Gives a seat to another holder.
    pub(super) fn reseat(
        &mut self,
        seat: u8,
        who: Holder,
        ahead: u32,
        sent: bool,
        late: u32,
    ) -> Result<(), Failure> {
        let (place, player) = (usize::from(seat), PlayerId(seat));
        self.announce(|notice| notice.seat == seat)?;
        let open = self.open_tick();
        let (since, last) = self.seats[place].last();
        let old = self.seats[place].who(open);
        let mut tick = (open + ahead).max(Tick(1));
        // Later only if no tick confirmed until then could change.
        let speaks = |machine: usize| {
            self.machines[machine].alive && self.machines[machine].wakes <= self.wall
        };
        let said =
            |machine: usize| self.machines[machine].session.local_next(player).unwrap_or_default();
        let late = match old {
            Holder::Machine(old) if speaks(old) && since <= open && who != last => late,
            _ => 0,
        };
        if let (Holder::Machine(old), true) = (old, !sent || late > 0) {
            tick = tick.max(said(old));
        }
        let mut who = who;
        if let Holder::Machine(new) = who {
            // Inputs that it sent for the seat before could not be distinguished from those that it
            // sends now.
            tick = tick.max(said(new));
        }
        if let Holder::Machine(silent) = old
            && !speaks(silent)
        {
            // The departed machine sends nothing more; its inputs so far reach all machines.
            let last = said(silent).max(open);
            if tick > last && matches!(who, Holder::Machine(new) if said(new) > last) {
                who = Holder::Bot;
            }
            tick = tick.min(last);
            self.forward(silent, seat, tick)?;
        }
        if let Holder::Machine(gone) = last
            && !self.machines[gone].alive
            && since > open
        {
            // It would have taken the seat, and never will.
            tick = tick.min(since);
            let said = |new: usize| self.machines[new].session.local_next(player);
            if matches!(who, Holder::Machine(new) if said(new) > Some(tick)) {
                who = Holder::Bot;
            }
        }
        let delay = if let Holder::Machine(new) = who { self.machines[new].setup.delay } else { 0 };
        self.seats[place].change(tick, who, delay);
        self.stats.seat_changes += 1;
        for machine in 0..self.machines.len() {
            if !self.machines[machine].alive {
                continue;
            }
            // The old holder must know at once, or it would continue; so must a spectator, or it
            // would take its host's input for a human's.
            let at_once = old == Holder::Machine(machine) || self.machines[machine].host.is_some();
            let at = if at_once { self.wall } else { self.wall + self.rng.below(late + 1) };
            self.notices.push(Notice { at, machine, seat, tick, who });
        }
        self.tell_due()
    }

    /// Forwards a machine's inputs for a seat, up to a tick, to all players' machines.
    pub(super) fn forward(&mut self, from: usize, seat: u8, to: Tick) -> Result<(), Failure> {
        let player = PlayerId(seat);
        for other in 0..self.machines.len() {
            if other == from || !self.machines[other].alive || self.machines[other].host.is_some() {
                continue;
            }
            let received = self.machines[other].session.received(player).unwrap_or_default();
            for tick in (received.0..to.0).map(Tick) {
                if self.seats[usize::from(seat)].who(tick) != Holder::Machine(from) {
                    continue;
                }
                let record = self.machines[from].session.record(player, tick);
                let record = record.map(|(input, pieces)| (input.to_vec(), pieces.to_vec()));
                let Some((input, pieces)) = record else { continue };
                let session = &mut self.machines[other].session;
                let done = session.remote_record(PeerId(from as u8), player, tick, &input, &pieces);
                done.map_err(|error| {
                    Failure::new(other, tick, format!("refuses a forwarded input: {error}"))
                })?;
            }
        }
        Ok(())
    }

    pub(super) fn tell_due(&mut self) -> Result<(), Failure> {
        let wall = self.wall;
        self.announce(|notice| notice.at <= wall)
    }

    /// Informs machines of seat changes, in order.
    pub(super) fn announce(&mut self, which: impl Fn(&Notice) -> bool) -> Result<(), Failure> {
        let (due, later) = self.notices.drain(..).partition(|notice| which(notice));
        self.notices = later;
        let due: Vec<Notice> = due;
        for Notice { machine, seat, tick, who, .. } in due {
            if !self.machines[machine].alive {
                continue;
            }
            let name = if self.machines[machine].host.is_some() { usize::MAX } else { machine };
            let occupant = who.seen_by(name);
            match self.machines[machine].session.seat(tick, PlayerId(seat), occupant) {
                Ok(()) => self.seats[usize::from(seat)].announce(machine),
                Err(error @ FeedError::TooLate { .. }) => {
                    let what = format!("can't give seat {seat} to {who:?}: {error}");
                    return Err(Failure::new(machine, tick, what));
                }
                Err(error) => panic!("{error}"),
            }
        }
        Ok(())
    }
}
