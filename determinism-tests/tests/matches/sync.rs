//! The sync test on a whole game: every tick resimulated on every path; and its reports on faulty
//! games.

use isostep_core::Rng;
use isostep_core::world::ResimMode;
use isostep_derive::State;
use isostep_rollback::{
    InputStatus, Inputs, PlayerId, Simulation, SyncDifference, SyncError, SyncPath, SyncTest, Tick,
};
use isostep_scenes::games::{Arena, ArenaInput, ArenaSize, arena_input, choose_loadout};

const SIZE: ArenaSize = ArenaSize { players: 3, props: 8 };

fn script(seed: u64) -> impl FnMut(Tick, &mut Inputs<ArenaInput>) {
    move |tick, inputs| {
        let player = |player| arena_input(seed, PlayerId(player), tick);
        inputs.set_next(&[player(0), player(1), ArenaInput::default()]);
        if tick.0 % 17 == 5 {
            inputs.push_command(PlayerId(1), &choose_loadout((tick.0 % 4) as u8));
        }
    }
}

#[test]
fn an_arena_passes_the_sync_test() {
    for (seed, mode) in [(1, ResimMode::Incremental), (2, ResimMode::Full)] {
        let mut arena = Arena::new(SIZE, seed);
        arena.world_mut().set_resim_mode(mode);
        let test = SyncTest::new(3).depth(5).bot(PlayerId(2));
        let report =
            test.run(&mut arena, 120, script(seed)).unwrap_or_else(|error| panic!("{error}"));
        // One step, and from 1 to 5 ticks back a right prediction, a wrong one and the final
        // inputs.
        assert_eq!(report.ticks, 120);
        assert!(report.steps > 115 * (1 + 3 * 15), "{report:?}");
    }
}

/// Fault of a game.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
enum Fault {
    /// Scratch that affects results.
    Scratch,
    /// The input's status affects results.
    Status,
    /// An RNG that is not keyed by the tick.
    Chance,
}

#[derive(State)]
#[state(crate = isostep_core::state)]
struct Leaky {
    arena: Arena,
    bonus: [u32; 3],
    #[state(scratch)]
    calls: u32,
    #[state(scratch)]
    rng: Option<Rng>,
    #[state(fixed)]
    fault: Fault,
}

impl Simulation for Leaky {
    type Input = ArenaInput;

    fn step(&mut self, tick: Tick, inputs: &Inputs<ArenaInput>) {
        self.calls += 1;
        match self.fault {
            Fault::Scratch => self.bonus[1] = self.calls / 40,
            Fault::Status => {
                let guessed = inputs.get(PlayerId(0)).status == InputStatus::Predicted;
                self.bonus[2] += u32::from(guessed);
            }
            Fault::Chance => {
                let rng = self.rng.get_or_insert_with(|| Rng::new(1));
                self.bonus[0] = rng.next_u64() as u32 % 2;
            }
        }
        self.arena.step(tick, inputs);
    }
}

fn found(fault: Fault) -> SyncDifference {
    let arena = Arena::new(SIZE, 3);
    let mut leaky = Leaky { arena, bonus: [0; 3], calls: 0, rng: None, fault };
    match SyncTest::new(3).depth(3).run(&mut leaky, 200, script(3)) {
        Err(SyncError::Differs(difference)) => *difference,
        other => panic!("{fault:?}: {other:?}"),
    }
}

#[test]
fn scratch_that_affects_results_is_located() {
    let difference = found(Fault::Scratch);
    let field = &difference.fields[0];
    assert_eq!((field.entity.as_str(), field.field.as_str()), ("bonus", "[1]"), "{difference}");
    assert!(
        matches!(difference.path, SyncPath::Resimulated | SyncPath::Mispredicted),
        "{difference}"
    );
}

#[test]
fn reading_the_input_status_is_located() {
    let difference = found(Fault::Status);
    let field = &difference.fields[0];
    assert_eq!((field.entity.as_str(), field.field.as_str()), ("bonus", "[2]"), "{difference}");
}

#[test]
fn an_rng_not_keyed_by_tick_is_located() {
    let difference = found(Fault::Chance);
    let field = &difference.fields[0];
    assert_eq!((field.entity.as_str(), field.field.as_str()), ("bonus", "[0]"), "{difference}");
    assert_ne!(field.local, field.remote);
}
