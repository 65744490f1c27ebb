//! Machines that join and leave: crashes, late players and spectators, changes of host.

use super::checker::Failure;
use super::game::{GAME, Skirmish};
use super::machine::config;
use super::play::Match;
use super::script::{MachineSetup, RecordingSetup, To};
use super::seat_history::Holder;
use isostep_rollback::replay::{Player, Replay, Stream};
use isostep_rollback::{PlayerId, Tick};
use std::io::Cursor;

/// A recording in memory.
type File = Stream<Cursor<Vec<u8>>>;

/// Limit on machines of a match, departed ones included.
const MAX_MACHINES: usize = 8;

impl Match {
    pub(super) fn crash(&mut self, number: u8, to: To) -> Result<(), Failure> {
        let players = self.machines.iter().filter(|it| it.alive && it.host.is_none()).count();
        let Some(gone) = self.player(number).filter(|_| players > 2) else { return Ok(()) };
        self.announce(|_| true)?;
        let machine = &mut self.machines[gone];
        machine.alive = false;
        for recording in &mut machine.recordings {
            // Written blocks survive; the recording has no end marker.
            recording.take_blocks();
        }
        for seat in 0..self.seats.len() as u8 {
            let truth = &self.seats[usize::from(seat)];
            let (now, last) = (truth.who(self.open_tick()), truth.last().1);
            if [now, last].contains(&Holder::Machine(gone)) {
                let who = if last == Holder::Machine(gone) { self.holder(to) } else { last };
                let ahead = self.rng.below(4);
                self.reseat(seat, who, ahead, true, 0)?;
            }
        }
        for other in 0..self.machines.len() {
            if self.machines[other].host == Some(gone) && self.machines[other].alive {
                self.rehost(other, number);
            } else if other != gone {
                self.unlink(gone, other);
            }
        }
        self.stats.crashes += 1;
        Ok(())
    }

    pub(super) fn rehost(&mut self, spectator: usize, host: u8) {
        let (Some(old), Some(new)) = (self.machines[spectator].host, self.player(host)) else {
            return;
        };
        if old != new {
            self.unlink(old, spectator);
            self.watch(new, spectator);
        }
    }

    /// Opens a machine's recording so far, at its end.
    fn open_recording(&mut self, donor: usize) -> Option<Player<Skirmish, File>> {
        let settings = self.script.settings;
        let tape = RecordingSetup {
            keyframe_every: 0,
            flush_every: 120,
            taken_every: 1,
            queue_bytes: 1 << 22,
        };
        let machine = &mut self.machines[donor];
        let running = machine.recordings.iter().position(|recording| {
            recording.tape.taken_every == 1 && recording.tape.queue_bytes > 1 << 20
        });
        let recording = match running {
            Some(recording) => recording,
            None if machine.record(tape) => machine.recordings.len() - 1,
            None => return None,
        };
        let recording = &mut machine.recordings[recording];
        recording.recorder.flush();
        recording.take_blocks();
        let replay = Replay::open(Stream(Cursor::new(recording.file.clone())))
            .expect("a recording in progress opens");
        let last = replay.last();
        let mut player =
            Player::new(replay, GAME, Skirmish::new(settings)).expect("it is of this game");
        player.seek(last).expect("the last tick is there");
        Some(player)
    }

    /// Adds a late machine from another's recording, optionally with a seat.
    pub(super) fn join(
        &mut self,
        donor: u8,
        seat: Option<u8>,
        setup: MachineSetup,
    ) -> Result<(), Failure> {
        let Some(donor) = self.player(donor).filter(|_| self.machines.len() < MAX_MACHINES) else {
            return Ok(());
        };
        if self.machines[donor].glitched {
            return Ok(());
        }
        let Some(player) = self.open_recording(donor) else { return Ok(()) };
        let (tick, index) = (player.tick(), self.machines.len());
        // Holders as of the last recorded tick; later changes follow.
        let config = config(&setup, self.script.digest_every, self.script.budget);
        let config = self.seated(config, index, tick - 1);
        let (session, game) = player.branch(config).expect("sound settings");
        self.add(setup, session, game);
        for other in 0..index {
            if self.machines[other].alive && self.machines[other].host.is_none() {
                self.connect(index, other);
            }
        }
        self.brief(index, donor, tick)?;
        self.stats.joins += 1;
        match seat {
            Some(seat) => self.reseat(self.seat(seat), Holder::Machine(index), 10, false, 0),
            None => Ok(()),
        }
    }

    pub(super) fn watch_late(
        &mut self,
        host: u8,
        buffer: u32,
        setup: MachineSetup,
    ) -> Result<(), Failure> {
        let Some(host) = self.player(host).filter(|_| self.machines.len() < MAX_MACHINES) else {
            return Ok(());
        };
        if self.machines[host].glitched {
            return Ok(());
        }
        let Some(player) = self.open_recording(host) else { return Ok(()) };
        let tick = player.tick();
        let config = self.watching(&setup, buffer, tick - 1);
        let (session, game) = player.branch(config).expect("sound settings");
        let index = self.add(setup, session, game);
        self.watch(host, index);
        self.brief(index, host, tick)?;
        self.stats.joins += 1;
        Ok(())
    }

    /// Informs a late machine of all seat changes, and passes it the inputs of its donor.
    fn brief(&mut self, index: usize, donor: usize, from: Tick) -> Result<(), Failure> {
        let spectator = self.machines[index].host.is_some();
        let name = if spectator { usize::MAX } else { index };
        for seat in 0..self.seats.len() {
            let player = PlayerId(seat as u8);
            for &(tick, who) in self.seats[seat].spans.iter().filter(|span| span.0 >= from) {
                let result = self.machines[index].session.seat(tick, player, who.seen_by(name));
                result
                    .map_err(|error| Failure::new(index, tick, format!("on joining: {error}")))?;
            }
            if spectator {
                // A spectator gets all inputs from its host.
                continue;
            }
            let to = self.machines[donor].settled();
            for tick in (from.0..to.0).map(Tick) {
                let said = self.machines[donor].session.confirmed_input(player, tick);
                let Some((value, pieces)) = said.map(|(value, pieces)| (value, pieces.to_vec()))
                else {
                    continue;
                };
                let session = &mut self.machines[index].session;
                let taken = session.remote_ticks(player, tick, [(value, pieces.as_slice())]);
                taken.map_err(|error| Failure::new(index, tick, format!("on joining: {error}")))?;
            }
        }
        // Departed machines do not resend.
        for gone in (0..index).filter(|_| !spectator) {
            for seat in 0..self.seats.len() as u8 {
                let said = self.machines[gone].session.local_next(PlayerId(seat));
                if let (false, Some(said)) = (self.machines[gone].alive, said) {
                    self.forward(gone, seat, said)?;
                }
            }
        }
        Ok(())
    }
}
