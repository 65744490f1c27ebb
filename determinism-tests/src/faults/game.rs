//! Game with injected faults: two players push boxes, and a few numbers follow.
#![allow(
    clippy::missing_panics_doc,
    reason = "the game is built of constants: what it expects holds or a test fails"
)]

use super::Fault;
use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, World, WorldDef};
use isostep_core::{Real, Vec3, real};
use isostep_derive::{Snapshot, State};
use isostep_rollback::{InputStatus, Inputs, NewestWins, PlayerId, Simulation, Tick};
use serde::{Deserialize, Serialize, Serializer};
#[cfg(not(target_family = "wasm"))]
use std::sync::mpsc;

/// Machine properties that a faulty game exposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of a `usize`.
    pub usize_bytes: u8,
    /// True if the machine is big-endian.
    pub big_endian: bool,
    /// Bits flipped in floats, for a simulated machine.
    pub flipped: u64,
}

impl Machine {
    /// This machine.
    pub const HERE: Self = Self {
        usize_bytes: size_of::<usize>() as u8,
        big_endian: cfg!(target_endian = "big"),
        flipped: 0,
    };

    /// A simulated machine that differs in every property.
    pub const ELSEWHERE: Self = Self {
        usize_bytes: 12 - Self::HERE.usize_bytes,
        big_endian: !Self::HERE.big_endian,
        flipped: 1 << 63,
    };
}

#[allow(clippy::disallowed_types, reason = "the injected fault")]
type Float = f32;

/// State beside the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Numbers {
    /// Sum of all pushes.
    pushed: i64,
    /// Value that faults write into the state.
    fault: u64,
    bytes: Vec<u8>,
    float: Option<Float>,
    /// Affects results, but is in no snapshot or digest.
    #[serde(skip)]
    missing: u64,
}

/// A game with a fault.
#[derive(State, Snapshot)]
#[state(crate = isostep_core::state)]
pub struct FaultyGame {
    world: World,
    numbers: Numbers,
    #[state(fixed)]
    boxes: Vec<BodyId>,
    #[state(fixed)]
    fault: Fault,
    /// Steps since the last load.
    #[state(scratch)]
    steps: u64,
    #[state(fixed)]
    program: Program,
}

/// Program and machine. Not part of the state: every machine digests the same bytes of it.
#[derive(Clone, Copy, Debug)]
struct Program {
    threads: u32,
    machine: Machine,
}

impl Serialize for Program {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// Shared by all games of the process.
static SHARED: AtomicU32 = AtomicU32::new(0);

impl FaultyGame {
    /// Creates the game before its first tick.
    pub fn new(fault: Fault) -> Self {
        let mut world = World::new(WorldDef::default()).expect("the default is a world");
        world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).expect("there is room");
        let shape = Shape::cuboid(Vec3::splat(real!(0.5))).expect("a size within limits");
        let place = |i: i32| {
            Vec3::new(Real::from_int(i / 3 * 2), real!(0.5) + Real::from_int(i % 3), Real::ZERO)
        };
        let boxes = (0..9)
            .map(|i| {
                world.spawn(BodyDef::dynamic().at(place(i)).shape(shape)).expect("there is room")
            })
            .collect();
        world.commit();
        let mut numbers = Numbers::default();
        if fault == Fault::FloatInState {
            numbers.float = Some(0.5);
        }
        let program = Program { threads: 1, machine: Machine::HERE };
        Self { world, numbers, boxes, fault, steps: 0, program }
    }

    /// The game computed by this many threads.
    #[must_use]
    pub const fn threads(mut self, threads: u32) -> Self {
        self.program.threads = threads;
        self
    }

    /// The game on a simulated machine.
    #[must_use]
    pub const fn on(mut self, machine: Machine) -> Self {
        self.program.machine = machine;
        self
    }

    /// The world, for selecting its compute path or injecting more faults.
    pub const fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Injects the fault.
    fn inject(&mut self, tick: Tick, inputs: &Inputs<NewestWins<i8>>) {
        let Program { threads, machine } = self.program;
        let numbers = &mut self.numbers;
        match self.fault {
            Fault::Nothing | Fault::FloatInState => (),
            Fault::FloatResult => numbers.fault = float_bits(tick) ^ machine.flipped,
            Fault::HashMapOrder => numbers.fault = walked(tick),
            Fault::ThreadMerge => numbers.fault = merged(tick, threads),
            Fault::ScratchLeak => numbers.fault = self.steps / 40,
            Fault::MissingField => {
                numbers.missing += inputs.value(PlayerId(0)).0.unsigned_abs() as u64;
                numbers.fault = numbers.missing / 8;
            }
            Fault::Static => {
                numbers.fault = u64::from(SHARED.fetch_add(1, Ordering::Relaxed) / 50);
            }
            Fault::Guess => {
                let is_guess = |player| inputs.get(player).status == InputStatus::Predicted;
                numbers.fault += u64::from(is_guess(PlayerId(0)) || is_guess(PlayerId(1)));
            }
            Fault::Address => numbers.fault = address(tick),
            Fault::UsizeEncoding => {
                let bytes = u64::from(tick.0).to_le_bytes();
                numbers.bytes = bytes[..usize::from(machine.usize_bytes)].to_vec();
            }
            Fault::NativeEndian => {
                let bytes =
                    if machine.big_endian { tick.0.to_be_bytes() } else { tick.0.to_le_bytes() };
                numbers.bytes = bytes.to_vec();
            }
        }
    }
}

impl Simulation for FaultyGame {
    type Input = NewestWins<i8>;

    fn step(&mut self, tick: Tick, inputs: &Inputs<NewestWins<i8>>) {
        self.steps += 1;
        self.inject(tick, inputs);
        for (player, input) in inputs.iter() {
            let force = i32::from(input.value.0);
            self.numbers.pushed += i64::from(force);
            let pushed = self.boxes[usize::from(player.0) * 3 + 2];
            if force != 0 && input.value != input.previous {
                let velocity = Vec3::new(Real::ratio(force, 2), Real::ZERO, Real::ZERO);
                self.world.set_velocity(pushed, velocity).expect("the box is there");
            }
        }
        self.world.step();
    }
}

/// Float results in one number: 0 by 0, a sine and a power.
#[allow(clippy::disallowed_types, reason = "the injected fault")]
fn float_bits(tick: Tick) -> u64 {
    let (zero, another) = black_box((0.0_f64, 0.0));
    let number = black_box(f64::from(tick.0) * 0.37 + 0.1);
    let results = [zero / another, number.sin(), number.powf(1.7)];
    results.iter().fold(0, |sum: u64, result| sum.rotate_left(1) ^ result.to_bits())
}

/// Keys of a hash map in iteration order.
#[allow(clippy::disallowed_types, reason = "the injected fault")]
fn walked(tick: Tick) -> u64 {
    let map: std::collections::HashMap<u64, u32> = (1..=8).map(|key| (key, tick.0)).collect();
    map.keys().fold(0, |sum, key| sum << 4 | key)
}

/// Address of a new box.
fn address(tick: Tick) -> u64 {
    // Both boxes are alive at once, so that they have different addresses.
    let boxes = [Box::new(tick), Box::new(tick)];
    let other = &raw const SHARED;
    boxes.iter().map(|it| (&raw const **it).addr() as u64).sum::<u64>() ^ other.addr() as u64
}

/// Results of several threads, merged in arrival order. The late thread changes from call to call,
/// as on a busy machine, but by a rule, so that no test is flaky.
#[cfg(not(target_family = "wasm"))]
fn merged(tick: Tick, threads: u32) -> u64 {
    let find = |thread: u64| (u64::from(tick.0) + 1) * (thread + 3);
    let put = |sum: u64, found: u64| sum.wrapping_mul(31) ^ found;
    if threads <= 1 {
        return (0..4).map(find).fold(0, put);
    }
    let late = u64::from(SHARED.fetch_add(1, Ordering::Relaxed)) % 4;
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut finished = Vec::new();
        for thread in (0..4).filter(|thread| *thread != late) {
            let send = send.clone();
            finished.push(scope.spawn(move || send.send(find(thread))));
        }
        for thread in finished {
            let sent = thread.join().expect("it does not panic");
            sent.expect("a receiver exists");
        }
        scope.spawn(move || send.send(find(late)));
    });
    receive.into_iter().fold(0, put)
}

/// Without threads.
#[cfg(target_family = "wasm")]
fn merged(tick: Tick, _: u32) -> u64 {
    u64::from(tick.0)
}
