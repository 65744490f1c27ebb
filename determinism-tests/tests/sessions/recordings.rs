//! Checks recordings: every state that a recording leads to, on every path, equals the reference's.
//! They are verified, sought in both directions, played backwards, truncated anywhere, and
//! continued as live sessions from the middle.

use super::checker::Failure;
use super::game::{GAME, Skirmish};
use super::machine::{Machine, config};
use super::play::Match;
use super::script::MachineSetup;
use super::seat_history::Holder;
use isostep_core::state::State;
use isostep_rollback::replay::{
    Playback, PlaybackConfig, Player, Replay, ReplayError, Stream, verify,
};
use isostep_rollback::{Occupant, PeerId, PlayerId, Session, SessionConfig, Tick, Time};
use std::io::Cursor;

type File = Stream<Cursor<Vec<u8>>>;

impl Match {
    /// Finishes all recordings and checks them.
    pub(super) fn check_recordings(&mut self) -> Result<(), Failure> {
        for index in 0..self.machines.len() {
            for mut recording in core::mem::take(&mut self.machines[index].recordings) {
                let Machine { session, game, alive, glitched, .. } = &self.machines[index];
                if *glitched && !*alive {
                    // The machine crashed before it could repair the recording.
                    continue;
                }
                // A crashed machine has not finished its file.
                if *alive && !self.rng.one_in(4) {
                    recording.recorder.finish(session, game);
                }
                recording.take_blocks();
                self.stats.recordings += 1;
                self.check_file(index, recording.file)?;
            }
        }
        Ok(())
    }

    fn check_file(&mut self, index: usize, file: Vec<u8>) -> Result<(), Failure> {
        let wrong = |what: &str, error: ReplayError| {
            Failure::new(index, Tick(0), format!("recording, {what}: {error}"))
        };
        let mut player = self.open(&file).map_err(|error| wrong("opening", error))?;
        let (first, last) = (player.replay().first(), player.replay().last());
        let verified = verify(self.open(&file).map_err(|error| wrong("opening", error))?);
        let verified = verified.map_err(|error| wrong("verifying", error))?;
        if let Some(mismatch) = verified.mismatch {
            return Err(Failure::new(index, mismatch.tick, format!("recording: {mismatch}")));
        }
        for _ in 0..8 {
            let tick = Tick(self.rng.between(first.0, last.0));
            match player.seek(tick) {
                Ok(()) => self.check_player(index, &mut player)?,
                // In a gap of the recording.
                Err(ReplayError::Gap { .. }) => continue,
                Err(error) => return Err(wrong("seeking", error)),
            }
            for _ in 0..self.rng.below(4) {
                match player.step() {
                    Ok(true) => self.check_player(index, &mut player)?,
                    Ok(false) | Err(ReplayError::Gap { .. }) => break,
                    Err(error) => return Err(wrong("stepping", error)),
                }
            }
        }
        let middle = Tick(self.rng.between(first.0, last.0));
        if middle > first && player.seek(middle).is_ok() {
            self.check_branch(index, player)?;
        }
        self.check_playback(index, &file).map_err(|error| match error {
            Ok(failure) => failure,
            Err(error) => wrong("playing", error),
        })?;
        // Truncated before a repair record, the file has the wrong states.
        if self.machines[index].was_glitched { Ok(()) } else { self.check_cut(index, file) }
    }

    fn open(&self, file: &[u8]) -> Result<Player<Skirmish, File>, ReplayError> {
        let replay = Replay::open(Stream(Cursor::new(file.to_vec())))?;
        Player::new(replay, GAME, Skirmish::new(self.script.settings))
    }

    fn check_player(
        &mut self,
        index: usize,
        player: &mut Player<Skirmish, File>,
    ) -> Result<(), Failure> {
        let tick = player.tick();
        let digest = player.digest().map_err(|error| {
            Failure::new(index, tick, format!("recording, digest of a state: {error}"))
        })?;
        self.check_digest(index, tick, digest, "recording, sought")
    }

    fn check_digest(
        &mut self,
        index: usize,
        tick: Tick,
        digest: isostep_core::digest::Digest,
        what: &str,
    ) -> Result<(), Failure> {
        self.stats.sought += 1;
        if digest == self.reference.seen(tick).digest {
            return Ok(());
        }
        Err(Failure::new(index, tick, format!("{what}: its state is not what the inputs lead to")))
    }

    /// Plays back and forth: backwards through held states, forwards by resimulation.
    fn check_playback(
        &mut self,
        index: usize,
        file: &[u8],
    ) -> Result<(), Result<Failure, ReplayError>> {
        let replay = Replay::open(Stream(Cursor::new(file.to_vec()))).map_err(Err)?;
        let last = replay.last();
        let games = (Skirmish::new(self.script.settings), Skirmish::new(self.script.settings));
        let held_ticks = self.rng.between(2, 30);
        let limits = PlaybackConfig { max_steps: 32, held_ticks };
        let mut playback = Playback::with(replay, GAME, games, limits).map_err(Err)?;
        let start = Tick(self.rng.between(playback.tick().0, last.0));
        match playback.seek(start) {
            Ok(()) => (),
            Err(ReplayError::Gap { .. }) => return Ok(()),
            Err(error) => return Err(Err(error)),
        }
        for _ in 0..6 {
            let (forwards, steps) = (self.rng.one_in(2), self.rng.between(1, 12));
            for _ in 0..steps {
                let moved = if forwards { playback.step() } else { playback.step_back() };
                match moved {
                    Ok(true) => (),
                    Ok(false) | Err(ReplayError::Gap { .. }) => break,
                    Err(error) => return Err(Err(error)),
                }
                let digest = playback.digest().map_err(Err)?;
                let tick = playback.tick();
                self.check_digest(index, tick, digest, "recording, played").map_err(Ok)?;
            }
        }
        Ok(())
    }

    /// Opens a recording truncated at a random point.
    fn check_cut(&mut self, index: usize, mut file: Vec<u8>) -> Result<(), Failure> {
        file.truncate(self.rng.below(file.len() as u32 + 1) as usize);
        let Ok(mut player) = self.open(&file) else { return Ok(()) };
        let last = player.replay().last();
        match player.seek(last) {
            Ok(()) => self.check_player(index, &mut player),
            Err(ReplayError::Gap { .. }) => Ok(()),
            Err(error) => Err(Failure::new(index, last, format!("recording, cut off: {error}"))),
        }
    }

    /// Continues from the middle of a recording with a live session that receives the final inputs
    /// late and out of order.
    fn check_branch(
        &mut self,
        index: usize,
        player: Player<Skirmish, File>,
    ) -> Result<(), Failure> {
        let (from, end) = (player.tick(), self.reference.tick());
        let to = end.min(from + 60);
        let setup = MachineSetup { delay: 0, ..self.machines[index].setup };
        let config = config(&setup, self.script.digest_every, self.script.budget);
        let occupants = self.seats.iter().map(|seat| remote(seat.who(from - 1)));
        let config = occupants.fold(config, SessionConfig::seat);
        let (session, game) = player.branch(config).expect("sound settings");
        self.stats.branches += 1;
        // The same machine as any other, with a different input source.
        let mut machine = Machine::new(setup, session, game, self.nodes[index]);
        let failed =
            |tick, error: String| Failure::new(index, tick, format!("branch at {from}: {error}"));
        for (seat, truth) in (0..).map(PlayerId).zip(&self.seats) {
            for &(tick, who) in truth.spans.iter().filter(|span| span.0 >= from) {
                let result = machine.session.seat(tick, seat, remote(who));
                result.map_err(|error| failed(tick, error.to_string()))?;
            }
        }
        let mut arrives: Vec<Arrival> = Vec::new();
        for (seat, truth) in (0..).map(PlayerId).zip(&self.seats) {
            for tick in (from.0..to.0).map(Tick) {
                if let Some((value, pieces)) = truth.said(tick) {
                    let at = tick.since(from) + self.rng.below(8);
                    arrives.push(Arrival { at, seat, tick, value, pieces: pieces.to_vec() });
                }
            }
        }
        let mut checked = from;
        for now in 0..400u32 {
            for arrival in
                arrives.iter().filter(|arrival| arrival.at <= now && now < arrival.at + 3)
            {
                arrival.feed(&mut machine.session).map_err(|error| failed(arrival.tick, error))?;
            }
            let plan = machine.session.advance(Time::from_millis(u64::from(now) * 17));
            plan.run(&mut machine.game).map_err(|error| failed(error.tick, error.to_string()))?;
            let settled = machine.settled().min(to);
            while checked <= settled {
                let digest = machine.game.digest(machine.session.slots(), checked);
                if let Ok(digest) = digest {
                    self.check_digest(index, checked, digest, &format!("branch at {from}"))?;
                }
                checked = checked.next();
            }
            if checked > to {
                return Ok(());
            }
        }
        Err(failed(checked, "it does not go on".to_owned()))
    }
}

/// An input for a branch.
struct Arrival {
    at: u32,
    seat: PlayerId,
    tick: Tick,
    value: super::pad::Pad,
    pieces: Vec<u8>,
}

impl Arrival {
    fn feed(&self, session: &mut Session<Skirmish>) -> Result<(), String> {
        let taken =
            session.remote_ticks(self.seat, self.tick, [(self.value, self.pieces.as_slice())]);
        taken.map(drop).map_err(|error| error.to_string())
    }
}

/// Holder of a seat, to a session without local players.
fn remote(who: Holder) -> Occupant {
    match who {
        Holder::Machine(machine) => Occupant::Remote(PeerId(machine as u8)),
        Holder::Bot => Occupant::Bot,
        Holder::Empty => Occupant::Empty,
    }
}
