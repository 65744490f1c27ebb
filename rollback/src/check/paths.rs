//! The ways to a tick that every simulation can go. Those that need bytes are in `snapshots.rs`.

use super::course::{Course, Desk, Stop};
use super::tape::{Guess, Kind};
use crate::simulation::Simulation;
use crate::tick::Tick;
use core::fmt;
use isostep_core::Rng;

/// How a tick is come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TickPath {
    /// Step by step, from the first tick to the last.
    Straight,
    /// Two games at once, in turn: each must be as if it were alone.
    Interleaved,
    /// As in a match over a network: ahead by guesses, back when they were wrong, and again. What is remembered may be used.
    RolledBack,
    /// The same, with everything forgotten that is not state whenever it was gone back.
    FullResim,
    /// Everything forgotten that is not state, and the state loaded from its own save, before each tick.
    Reloaded,
    /// Written as bytes and read into a fresh game, now and then. Needs [`Snapshot`](isostep_core::state::Snapshot).
    Encoded,
    /// Recorded from a session, and played from the file, also from its keyframes. Needs
    /// [`Snapshot`](isostep_core::state::Snapshot).
    Recorded,
}

impl TickPath {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 7] = [
        Self::Straight,
        Self::Interleaved,
        Self::RolledBack,
        Self::FullResim,
        Self::Reloaded,
        Self::Encoded,
        Self::Recorded,
    ];

    /// As the report has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Interleaved => "interleaved",
            Self::RolledBack => "rolled back",
            Self::FullResim => "full resim",
            Self::Reloaded => "reloaded",
            Self::Encoded => "encoded",
            Self::Recorded => "recorded",
        }
    }

    /// Whether the game has to be written as bytes for it.
    pub const fn needs_snapshots(self) -> bool {
        matches!(self, Self::Encoded | Self::Recorded)
    }

    /// What it mostly is if this way differs, and none before it in [`ALL`](Self::ALL).
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Straight => {
                "how the game was made shows: threads that are put together as they arrive, vector instructions that round \
                 otherwise; or chance, a clock or an address decides"
            }
            Self::Interleaved => {
                "something besides state and inputs decides: a static, a hash map's order, an address, a clock, random \
                 numbers without a seed"
            }
            Self::RolledBack | Self::FullResim => {
                "something decides that is not saved and loaded (scratch, a `#[state(fixed)]` field that changes, what is \
                 outside of the state), or whether an input was a guess"
            }
            Self::Reloaded => {
                "scratch decides: what is marked as scratch must follow from the state alone"
            }
            Self::Encoded | Self::Recorded => {
                "a field is not in the snapshot (`#[serde(skip)]`, a `#[state(fixed)]` field that changes), or does not come \
                 back as it was written"
            }
        }
    }
}

impl fmt::Display for TickPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

pub(super) fn draw(rng: &mut Rng, bound: u32) -> u32 {
    rng.below(bound.max(1)).unwrap_or(0)
}

impl<S: Simulation> Course<'_, S> {
    pub(super) fn straight(self) -> Result<(), Stop> {
        let mut desk = Desk::new((self.make)(), self.tape, 2)?;
        desk.show([Tick(0)], self.watch)?;
        while desk.tick.0 < self.tape.len() {
            desk.step(None)?;
            desk.show([desk.tick], self.watch)?;
        }
        Ok(())
    }

    pub(super) fn interleaved(self) -> Result<(), Stop> {
        let (first, second) = ((self.make)(), (self.make)());
        let mut desks = [Desk::new(first, self.tape, 2)?, Desk::new(second, self.tape, 2)?];
        for tick in (0..=self.tape.len()).map(Tick) {
            for desk in &mut desks {
                if tick.0 > 0 {
                    desk.step(None)?;
                }
                desk.show([tick], self.watch)?;
            }
        }
        Ok(())
    }

    pub(super) fn reloaded(self) -> Result<(), Stop> {
        let mut desk = Desk::new((self.make)(), self.tape, 2)?;
        for tick in (0..=self.tape.len()).map(Tick) {
            if tick.0 > 0 {
                desk.step(None)?;
            }
            desk.load(tick)?;
            desk.drop_caches();
            desk.show([tick], self.watch)?;
        }
        Ok(())
    }

    /// A session's life: the present runs ahead of what is known, and some ticks become known at a time.
    pub(super) fn rolled_back(self, distrust: bool) -> Result<(), Stop> {
        let Self { tape, depth, .. } = self;
        let depth = depth.max(1);
        let mut rng = Rng::keyed(self.seed, 0, 0, 0x6368_6563_6b01);
        let mut desk = Desk::new((self.make)(), tape, depth as usize + 2)?;
        desk.show([Tick(0)], self.watch)?;
        let mut known = Tick(0);
        while known.0 < tape.len() {
            let lead = (1 + draw(&mut rng, depth)).min(tape.len() - known.0);
            let was = known;
            if desk.tick == known && draw(&mut rng, 4) == 0 {
                // Guesses that turn out to be right are not gone back for.
                let right = Guess { since: known, seats: u32::MAX, kind: Kind::Right };
                ahead(&mut desk, known + lead, &right)?;
                known = desk.tick;
            } else {
                let wrong = guess(&mut rng, known, tape);
                ahead(&mut desk, known + lead, &wrong)?;
                let present = desk.tick;
                let all = present.since(known);
                let come = if draw(&mut rng, 3) == 0 { all } else { 1 + draw(&mut rng, all) };
                desk.load(known)?;
                if distrust {
                    desk.drop_caches();
                }
                known += come;
                while desk.tick < known {
                    desk.step(None)?;
                }
                ahead(&mut desk, present, &guess(&mut rng, known, tape))?;
            }
            desk.show((was.0 + 1..=known.0).map(Tick), self.watch)?;
        }
        Ok(())
    }
}

/// Steps by guesses.
fn ahead<S: Simulation>(desk: &mut Desk<'_, S>, to: Tick, guess: &Guess) -> Result<(), Stop> {
    while desk.tick < to {
        desk.step(Some(guess))?;
    }
    Ok(())
}

/// A guess of somebody's inputs, likely a wrong one.
fn guess<I: crate::input::Input>(rng: &mut Rng, since: Tick, tape: &super::tape::Tape<I>) -> Guess {
    let everybody = u32::MAX.checked_shl(tape.players as u32).map_or(u32::MAX, |none| !none);
    let seats = match rng.next_u32() & everybody {
        0 => everybody,
        some => some,
    };
    let kind = match draw(rng, 2) {
        0 => Kind::Held,
        _ => Kind::Later(1 + draw(rng, tape.len())),
    };
    Guess { since, seats, kind }
}
