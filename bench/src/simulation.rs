//! Measures a game's own simulation as `isostep bench` measures our worlds, with the calls of a
//! session.

use crate::interleave::micros;
use crate::report::{Row, Section, Unit};
use crate::stats::Spread;
use isostep_core::state::{Snapshot, StateError};
use isostep_rollback::{Inputs, PlayerId, Simulation, Tick};

/// Rollback depths, ticks.
pub(crate) const DEPTHS: [u32; 4] = [1, 4, 8, 15];
/// Held ticks: the deepest rollback and one more.
const HELD: usize = 17;

/// Measures a simulation. Pass it in its state before the first tick, with the number of players and their inputs by tick.
///
/// A rollback is that of a session after a misprediction: ticks ran with a player's last input repeated, the real inputs
/// arrive, the old state is loaded, and the ticks are stepped and saved again. So inputs should change about as often as in
/// a match.
///
/// ```
/// use isostep_rollback::{Inputs, NewestWins, Simulation, Tick};
/// #[derive(Clone, serde::Serialize, serde::Deserialize)]
/// struct Game { sum: u64 }
/// impl Simulation for Game {
///     type Input = NewestWins<u8>;
///     fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
///         self.sum += inputs.iter().map(|(_, input)| u64::from(input.value.0)).sum::<u64>();
///     }
/// }
/// let bench = isostep_bench::simulation(Game { sum: 0 }, 2, |player, tick| NewestWins(player.0 ^ tick.0 as u8));
/// let section = bench.rounds(5).warm_up(10).run_with_snapshots()?;
/// assert!(section.rows.iter().any(|row| row.key == "simulation/rollback/8/one"));
/// # Ok::<(), isostep_core::state::StateError>(())
/// ```
pub fn simulation<S, F>(game: S, players: u8, input: F) -> SimulationBench<S, F>
where
    S: Simulation,
    F: FnMut(PlayerId, Tick) -> S::Input,
{
    let name = "A simulation".to_owned();
    SimulationBench { game, players, input, name, rounds: 61, warm_up: 120, memory: None }
}

/// Builder of a measurement; [`run`](Self::run) starts it.
pub struct SimulationBench<S, F> {
    game: S,
    players: u8,
    input: F,
    name: String,
    rounds: usize,
    warm_up: u32,
    memory: Option<fn(&S) -> u64>,
}

impl<S: Simulation, F: FnMut(PlayerId, Tick) -> S::Input> SimulationBench<S, F> {
    /// Sets the name in the report.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Sets the number of samples of each measure; 61 by default.
    #[must_use]
    pub const fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds;
        self
    }

    /// Sets the number of ticks before the first sample; 120 by default.
    #[must_use]
    pub const fn warm_up(mut self, ticks: u32) -> Self {
        self.warm_up = ticks;
        self
    }

    /// Sets a function that returns the bytes of one more tick of history; for a world that is
    /// `history_report().newest_bytes`.
    #[must_use]
    pub const fn memory(mut self, memory: fn(&S) -> u64) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Measures step, save, restore, rollbacks and digest.
    ///
    /// # Errors
    /// The state can't be saved or hashed; the error has the reason.
    pub fn run(self) -> Result<Section, StateError> {
        self.measure(|_, _| Ok(()))
    }

    /// Measures the same, and snapshots.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_with_snapshots(self) -> Result<Section, StateError>
    where
        S: Snapshot,
    {
        self.measure(snapshots)
    }

    fn measure(
        self,
        more: impl FnOnce(&mut Match<S, F>, &mut Vec<Row>) -> Result<(), StateError>,
    ) -> Result<Section, StateError> {
        let Self { mut game, players, input, name, rounds, warm_up, memory } = self;
        let slots = game.slots(HELD);
        let inputs = Inputs::new(usize::from(players));
        let rounds = rounds.max(1);
        let mut game = Match { game, slots, input, inputs, tick: Tick(0), rounds };
        game.game.save(&mut game.slots, Tick(0))?;
        for _ in 0..warm_up.max(DEPTHS[3] + 1) {
            game.play(None)?;
        }
        let mut rows = Vec::new();
        game.steps(&mut rows)?;
        for depth in DEPTHS {
            for (key, guess, words) in [
                ("one", Guess::One, "one player mispredicted"),
                ("all", Guess::All, "all players mispredicted"),
            ] {
                let samples: Result<Vec<_>, _> =
                    (0..rounds).map(|_| game.rollback(depth, guess)).collect();
                let key = format!("simulation/rollback/{depth}/{key}");
                push(&mut rows, &key, &format!("rollback by {depth}, {words}"), &samples?);
            }
        }
        more(&mut game, &mut rows)?;
        if let Some(memory) = memory {
            let bytes = Spread::exact(memory(&game.game) as f64);
            rows.push(Row::new("simulation/memory", "memory of one more tick", Unit::Bytes, bytes));
        }
        let note = format!(
            "{players} players; a rollback plays ticks with inputs repeated, then goes back and plays them as they were, saves included."
        );
        Ok(Section { title: name, note, rows })
    }
}

fn push(rows: &mut Vec<Row>, key: &str, name: &str, samples: &[f64]) {
    rows.extend(Spread::of(samples).map(|ours| Row::new(key, name, Unit::Microseconds, ours)));
}

/// Players whose inputs are predicted by repetition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    /// The last player.
    One,
    /// All players.
    All,
}

/// A match that continues while it is measured.
struct Match<S: Simulation, F> {
    game: S,
    slots: S::Slots,
    input: F,
    inputs: Inputs<S::Input>,
    tick: Tick,
    rounds: usize,
}

impl<S: Simulation, F: FnMut(PlayerId, Tick) -> S::Input> Match<S, F> {
    /// Inputs of a tick; predicted players repeat their input of tick `tick`.
    fn values(&mut self, tick: Tick, guessed: Option<(Guess, Tick)>) -> Vec<S::Input> {
        let players = self.inputs.len() as u8;
        let at = |player: u8| match guessed {
            Some((Guess::All, before)) => before,
            Some((Guess::One, before)) if player + 1 == players => before,
            _ => tick,
        };
        (0..players).map(|player| (self.input)(PlayerId(player), at(player))).collect()
    }

    fn play(&mut self, guessed: Option<(Guess, Tick)>) -> Result<(), StateError> {
        let values = self.values(self.tick, guessed);
        self.inputs.set_next(&values);
        self.game.step(self.tick, &self.inputs);
        self.tick += 1;
        self.game.save(&mut self.slots, self.tick)
    }

    /// Measures step, save, restore and digest.
    fn steps(&mut self, rows: &mut Vec<Row>) -> Result<(), StateError> {
        let (mut steps, mut saves, mut loads, mut digests) = (vec![], vec![], vec![], vec![]);
        for _ in 0..self.rounds {
            let values = self.values(self.tick, None);
            self.inputs.set_next(&values);
            let before = self.inputs.clone();
            steps.push(micros(|| self.game.step(self.tick, &self.inputs)));
            self.tick += 1;
            let mut saved = Ok(());
            saves.push(micros(|| saved = self.game.save(&mut self.slots, self.tick)));
            saved?;
            let mut digest = Ok(());
            digests.push(micros(|| digest = self.game.digest(&self.slots, self.tick).map(drop)));
            digest?;
            let mut loaded = Ok(());
            loads.push(micros(|| loaded = self.game.load(&mut self.slots, self.tick - 1)));
            loaded?;
            // Continues from there, so that the next step is an ordinary one.
            self.game.step(self.tick - 1, &before);
            self.game.save(&mut self.slots, self.tick)?;
            self.play(None)?;
        }
        push(rows, "simulation/step", "step", &steps);
        push(rows, "simulation/save", "save, after the step", &saves);
        push(rows, "simulation/restore", "restore", &loads);
        push(rows, "simulation/digest", "digest of a new tick", &digests);
        Ok(())
    }

    fn rollback(&mut self, depth: u32, guess: Guess) -> Result<f64, StateError> {
        let (start, before) = (self.tick, self.inputs.clone());
        for _ in 0..depth {
            self.play(Some((guess, start - 1)))?;
        }
        let real: Vec<_> = (0..depth).map(|n| self.values(start + n, None)).collect();
        self.inputs = before;
        let mut result = Ok(());
        let time = micros(|| result = self.again(start, &real));
        result.map(|()| time)
    }

    fn again(&mut self, start: Tick, real: &[Vec<S::Input>]) -> Result<(), StateError> {
        self.game.load(&mut self.slots, start)?;
        self.tick = start;
        for values in real {
            self.inputs.set_next(values);
            self.game.step(self.tick, &self.inputs);
            self.tick += 1;
            self.game.save(&mut self.slots, self.tick)?;
        }
        Ok(())
    }
}

/// Measures encoding and decoding of the state. Must be last: it discards the held history.
fn snapshots<S, F>(game: &mut Match<S, F>, rows: &mut Vec<Row>) -> Result<(), StateError>
where
    S: Simulation + Snapshot,
    F: FnMut(PlayerId, Tick) -> S::Input,
{
    let (mut writes, mut reads, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..game.rounds {
        game.play(None)?;
        bytes.clear();
        let mut written = Ok(());
        writes.push(micros(|| written = game.game.snapshot(&game.slots, game.tick, &mut bytes)));
        written?;
    }
    for _ in 0..game.rounds {
        let mut read = Ok(());
        reads.push(micros(|| read = game.game.restore(&bytes)));
        if let Err(error) = read {
            return Err(StateError::Unwritable(error.to_string()));
        }
    }
    game.slots = game.game.slots(HELD);
    push(rows, "simulation/encode", "encode", &writes);
    push(rows, "simulation/decode", "decode", &reads);
    let size = Spread::exact(bytes.len() as f64);
    rows.push(Row::new("simulation/bytes", "encoded", Unit::Bytes, size));
    Ok(())
}
