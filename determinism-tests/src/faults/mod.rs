//! A small game with one injected fault at a time. Each must be found and located, by a check on one machine or by
//! comparing two.
//!
//! - `game.rs`: the game, and the effect of each fault.
//! - `cross_target.rs`: faults that this target must find against x86-64's digests.
//!
//! [`check`] finds faults that show on one machine. [`digests`] are those of this machine, for faults that only show on
//! another one: see [`Fault::needs_another_machine`].

pub mod cross_target;
mod game;

pub use game::{FaultyGame, Machine};

use isostep_rollback::check::{Check, Digests, TickPath};
use isostep_rollback::{Inputs, NewestWins, Tick};
use serde::Serialize;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Fault {
    /// None: a correct game.
    Nothing,
    /// A float in the state.
    FloatInState,
    /// A float result kept as an integer: the bits of a NaN, of a sine and of a power. The bits of
    /// a NaN differ between x86 and most others; sines and powers come from each platform's library
    /// and may be equal. Between x86-64 and i686 nothing may differ.
    FloatResult,
    /// Iteration over a hash map.
    HashMapOrder,
    /// Results of threads, merged in arrival order.
    ThreadMerge,
    /// Scratch that affects results.
    ScratchLeak,
    /// A field that affects results and is in no snapshot or digest.
    MissingField,
    /// A counter shared by all games of the process.
    Static,
    /// The input's status (predicted or confirmed) affects results.
    Guess,
    /// A memory address affects results.
    Address,
    /// The size of `usize` enters the state.
    UsizeEncoding,
    /// The machine's byte order enters the state.
    NativeEndian,
}

impl Fault {
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

    /// Returns true if the fault does not show on one machine.
    pub const fn needs_another_machine(self) -> bool {
        matches!(self, Self::FloatResult | Self::UsizeEncoding | Self::NativeEndian)
    }

    /// Name for tables and files.
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

/// Number of players.
pub const PLAYERS: usize = 2;
/// Ticks of a run; each fault shows well before the end.
pub const TICKS: u32 = 120;

/// Scripted inputs.
pub fn script(tick: Tick, inputs: &mut Inputs<NewestWins<i8>>) {
    let change = |every: u32, step: u32| NewestWins((tick.0 / every * step % 7) as i8 - 3);
    inputs.set_next(&[change(4, 3), change(9, 5)]);
}

/// Check of the game with a fault: with one thread, and with four.
pub fn check(fault: Fault) -> Check<'static, FaultyGame> {
    Check::new(PLAYERS, move || FaultyGame::new(fault))
        .first_variant("1 thread")
        .variant("4 threads", move || FaultyGame::new(fault).threads(4))
        .game(&format!("fault {}", fault.name()))
        .script(script)
        .script_name("pushes")
        .ticks(TICKS)
}

/// Digests of the game with a fault on this machine.
pub fn digests(fault: Fault) -> Digests {
    digests_on(fault, Machine::HERE)
}

/// Digests of the game with a fault on another kind of machine.
pub fn digests_on(fault: Fault, machine: Machine) -> Digests {
    let report = Check::new(PLAYERS, move || FaultyGame::new(fault).on(machine))
        .game(&format!("fault {}", fault.name()))
        .script(script)
        .script_name("pushes")
        .ticks(TICKS)
        .paths(&[TickPath::Straight])
        .run();
    report.digests().clone()
}
