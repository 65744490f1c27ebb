//! A small game with one fault at a time, planted on purpose: each must be caught and named, by a check on one machine or by
//! comparing two.
//!
//! - `game.rs`: the game, and what each fault does to it.
//! - `elsewhere.rs`: which faults this target must see beside x86-64, and whether it does.
//!
//! [`check`] is for faults that one machine can see. [`digests`] are those of this machine, for faults that only show beside
//! another one: [`Plant::needs_another_machine`] says which.

pub mod elsewhere;
mod game;

pub use game::{Machine, Planted};

use isostep_rollback::check::{Check, Digests, TickPath};
use isostep_rollback::{Inputs, NewestWins, Tick};
use serde::Serialize;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Plant {
    /// None: a game that is right.
    Nothing,
    /// A float in the state.
    FloatInState,
    /// What floats came to, kept as an integer: the bits of a NaN, of a sine and of a power. The bits of a NaN differ between x86 and
    /// most others; sines and powers come from each platform's library and need not differ. Between x86-64 and i686 nothing
    /// may show.
    FloatResult,
    /// A hash map that is walked.
    HashMapOrder,
    /// Results of threads, put together in the order in which they arrive.
    ThreadMerge,
    /// Scratch that decides.
    ScratchLeak,
    /// A field that is in no snapshot and no digest, and decides.
    MissingField,
    /// A counter that all games of the process share.
    Static,
    /// It matters whether an input was a guess.
    Guess,
    /// Where something lies in memory decides.
    Address,
    /// How long a `usize` is gets into the state.
    UsizeEncoding,
    /// The machine's order of bytes gets into the state.
    NativeEndian,
}

impl Plant {
    /// All faults.
    pub const ALL: [Self; 11] = [
        Self::FloatInState,
        Self::FloatResult,
        Self::HashMapOrder,
        Self::ThreadMerge,
        Self::ScratchLeak,
        Self::MissingField,
        Self::Static,
        Self::Guess,
        Self::Address,
        Self::UsizeEncoding,
        Self::NativeEndian,
    ];

    /// Whether one machine alone sees nothing wrong.
    pub const fn needs_another_machine(self) -> bool {
        matches!(self, Self::FloatResult | Self::UsizeEncoding | Self::NativeEndian)
    }

    /// A word for tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::FloatInState => "float-in-state",
            Self::FloatResult => "float-result",
            Self::HashMapOrder => "hash-map-order",
            Self::ThreadMerge => "thread-merge",
            Self::ScratchLeak => "scratch-leak",
            Self::MissingField => "missing-field",
            Self::Static => "static",
            Self::Guess => "guess",
            Self::Address => "address",
            Self::UsizeEncoding => "usize-encoding",
            Self::NativeEndian => "native-endian",
        }
    }
}

/// How many play.
pub const PLAYERS: usize = 2;
/// How long: each fault shows well before the end.
pub const TICKS: u32 = 120;

/// What the players do.
pub fn script(tick: Tick, inputs: &mut Inputs<NewestWins<i8>>) {
    let change = |every: u32, step: u32| NewestWins((tick.0 / every * step % 7) as i8 - 3);
    inputs.follow(&[change(4, 3), change(9, 5)]);
}

/// A check of the game with a fault: with one thread, and with four.
pub fn check(plant: Plant) -> Check<'static, Planted> {
    Check::new(PLAYERS, move || Planted::new(plant))
        .first_variant("1 thread")
        .variant("4 threads", move || Planted::new(plant).threads(4))
        .game(&format!("planted {}", plant.name()))
        .script(script)
        .script_name("pushes")
        .ticks(TICKS)
}

/// What the game with a fault comes to on this machine.
pub fn digests(plant: Plant) -> Digests {
    digests_on(plant, Machine::HERE)
}

/// What it would come to on a machine of another kind.
pub fn digests_on(plant: Plant, machine: Machine) -> Digests {
    let report = Check::new(PLAYERS, move || Planted::new(plant).on(machine))
        .game(&format!("planted {}", plant.name()))
        .script(script)
        .script_name("pushes")
        .ticks(TICKS)
        .paths(&[TickPath::Straight])
        .run();
    report.digests().clone()
}
