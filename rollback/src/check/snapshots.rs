//! Paths through bytes: a snapshot restored into a new game, and a recording that is played.

use super::paths::{TickPath, draw};
use super::report::CheckError;
use super::runner::{Instance, Runner, Stop, refused};
use crate::input::{CommandConfig, Commands};
use crate::player::{Occupant, PlayerId};
use crate::replay::{Player, Recorder, RecorderConfig, Replay, ReplayError};
use crate::session::{Session, SessionConfig};
use crate::simulation::Simulation;
use crate::time::Time;
use crate::{GameId, Tick};
use isostep_core::Rng;
use isostep_core::state::{RestoreError, Snapshot, StateError};

/// Game id of the recordings.
const GAME: GameId = GameId(*b"isostep check 01");
/// Ticks between keyframes: short, so that many are tested.
const KEYFRAME_EVERY: u32 = 16;
/// Mean number of ticks between restored snapshots.
const ENCODE_EVERY: u32 = 6;
/// Ticks stepped by a restored game.
const FRESH: u32 = 4;
/// Maximum overhead of a command in a tick, in bytes.
const COMMAND_HEAD: usize = 4;

/// Runs a path through bytes.
pub(super) fn through_bytes<S: Simulation + Snapshot>(
    runner: Runner<'_, S>,
    path: TickPath,
) -> Result<(), Stop> {
    match path {
        TickPath::Recorded => runner.recorded(),
        _ => runner.encoded(),
    }
}

impl<S: Simulation + Snapshot> Runner<'_, S> {
    fn encoded(self) -> Result<(), Stop> {
        let mut rng = Rng::keyed(self.seed, 0, 0, 0x6368_6563_6b02);
        let mut instance = Instance::new((self.make)(), self.script, 2)?;
        let mut bytes = Vec::new();
        for tick in (0..=self.script.len()).map(Tick) {
            if tick.0 > 0 {
                instance.step(None)?;
            }
            // The first states are often special, and the last one is compared.
            let wanted = tick.0 < 2 || tick.0 == self.script.len();
            if wanted || draw(&mut rng, ENCODE_EVERY) == 0 {
                bytes.clear();
                let written = instance.game.snapshot(&instance.slots, tick, &mut bytes);
                written.map_err(refused::<StateError>(tick))?;
                let mut fresh = (self.make)();
                fresh.restore(&bytes).map_err(refused::<RestoreError>(tick))?;
                instance.replace(fresh)?;
            }
            instance.show([tick], self.observer)?;
        }
        Ok(())
    }

    /// Plays the recording tick by tick, by seeks that land after keyframes, and by a seek in a new game without
    /// earlier state.
    fn recorded(self) -> Result<(), Stop> {
        let file = self.record()?;
        let open = || {
            let player = Player::new(Replay::open(&file[..])?, GAME, (self.make)())?;
            Ok::<_, ReplayError>(player)
        };
        let mut rng = Rng::keyed(self.seed, 0, 0, 0x6368_6563_6b03);
        let end = Tick(self.script.len());
        for leaps in [false, true] {
            let mut player = open().map_err(refused::<ReplayError>(Tick(0)))?;
            loop {
                let tick = player.tick();
                player.digest().map_err(refused::<ReplayError>(tick))?;
                let (game, slots) = player.state();
                self.observer.observe(tick, game, slots)?;
                if tick >= end {
                    break;
                }
                let leap = if leaps { 1 + draw(&mut rng, 3 * KEYFRAME_EVERY) } else { 1 };
                let target = (tick + leap).min(end);
                player.seek(target).map_err(refused::<ReplayError>(target))?;
            }
        }
        let fresh = (0..FRESH).map(|_| Tick(draw(&mut rng, end.0))).chain([end]);
        for tick in fresh {
            let mut player = open().map_err(refused::<ReplayError>(Tick(0)))?;
            player.seek(tick).map_err(refused::<ReplayError>(tick))?;
            player.digest().map_err(refused::<ReplayError>(tick))?;
            let (game, slots) = player.state();
            self.observer.observe(tick, game, slots)?;
        }
        Ok(())
    }

    /// Records the match from a session without a network.
    fn record(&self) -> Result<Vec<u8>, Stop> {
        let start = refused::<ReplayError>(Tick(0));
        let mut game = (self.make)();
        let mut config = SessionConfig::new().commands(wide_commands());
        for seat in 0..self.script.players {
            let bot = self.script.bots.iter().any(|bot| bot.index() == seat);
            config = config.seat(if bot { Occupant::Bot } else { Occupant::Local });
        }
        let session = Session::start(config, &mut game);
        let mut session = session.map_err(|error| start(error.into()))?;
        let config = RecorderConfig { keyframe_every: KEYFRAME_EVERY, ..RecorderConfig::new(GAME) };
        let mut recorder = Recorder::start(config, &session, &game).map_err(&start)?;
        let mut file = Vec::new();
        for tick in (0..self.script.len()).map(Tick) {
            self.feed(tick, &mut session)?;
            let now = Time::from_millis(u64::from(tick.0) * 1000 / 60);
            let ran = session.advance(now).run(&mut game);
            ran.map_err(|error| Stop::Refused { tick: error.tick, error: error.error.into() })?;
            recorder.record(&session, &game);
            file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
        }
        recorder.finish(&session, &game);
        file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
        Ok(file)
    }

    fn feed(&self, tick: Tick, session: &mut Session<S>) -> Result<(), Stop> {
        let Some(inputs) = self.script.at(tick) else { return Ok(()) };
        for (seat, input) in inputs.players.iter().enumerate() {
            let player = PlayerId(seat as u8);
            if self.script.bots.contains(&player) {
                continue;
            }
            let fed = session.local_input(player, input.value);
            fed.map_err(|error| Stop::Refused {
                tick,
                error: CheckError::Session(error.to_string()),
            })?;
            let commands = || inputs.commands.get(seat).into_iter().flat_map(Commands::iter);
            let bytes: usize = commands().map(|command| command.len() + COMMAND_HEAD).sum();
            if bytes > CommandConfig::MAX_BUDGET {
                return Err(Stop::Refused { tick, error: CheckError::Commands { player, bytes } });
            }
            for command in commands() {
                let fed = session.command(player, command);
                fed.map_err(|error| Stop::Refused {
                    tick,
                    error: CheckError::Session(error.to_string()),
                })?;
            }
        }
        Ok(())
    }
}

/// Limits that carry all commands of a tick in that tick.
fn wide_commands() -> CommandConfig {
    let budget = CommandConfig::MAX_BUDGET;
    CommandConfig::new(budget, budget, 4 * budget).unwrap_or(CommandConfig::DEFAULT)
}
