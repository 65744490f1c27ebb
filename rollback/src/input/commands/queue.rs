//! The sender's side: commands wait, go out in pieces, and are kept until their ticks are confirmed.
//!
//! The pieces of a command lie in consecutive ticks, so a range of ticks says which payloads carry it, and an overridden
//! tick within that range breaks it. Entries stay in push order; those without ticks wait.

use super::CommandConfig;
use super::piece::Piece;
use crate::Tick;
use std::collections::VecDeque;

/// What a command counts in a queue beside its bytes: the least that a payload needs for it. It also bounds how many empty
/// ones there are.
pub(super) const COMMAND_OVERHEAD: usize = 2;

/// Buffers of finished commands kept for new ones.
const SPARE_BUFFERS: usize = 16;

/// What went wrong with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The command is longer than the match allows.
    #[error(
        "a command of {len} bytes, with a limit of {max}; split it or raise the limit on all machines"
    )]
    TooLong {
        /// How long it is.
        len: usize,
        /// How long it may be.
        max: usize,
    },
    /// Too much waits already.
    #[error(
        "{queued} bytes of commands wait, and {needed} more exceed the limit of {max}; try again after some ticks"
    )]
    QueueFull {
        /// What waits, or is not confirmed yet.
        queued: usize,
        /// What the command needs.
        needed: usize,
        /// The limit.
        max: usize,
    },
    /// The payload of this tick is settled.
    #[error(
        "tick {tick} is settled, and so are all up to {settled}; fill ticks in ascending order, each once"
    )]
    TickSettled {
        /// The tick that was asked for.
        tick: Tick,
        /// The last tick that was filled, overridden or confirmed.
        settled: Tick,
    },
    /// A tick was said to be confirmed before.
    #[error(
        "tick {tick} is overridden but was confirmed (through {confirmed}); report overrides first"
    )]
    Confirmed {
        /// The tick that was reported.
        tick: Tick,
        /// The last confirmed tick.
        confirmed: Tick,
    },
}

/// The commands that one player sends: each is delivered exactly once.
///
/// - [`push`](Self::push) whenever the player decides something;
/// - [`fill`](Self::fill) once for each tick's input, in ascending order; a tick left out carries nothing;
/// - [`overridden`](Self::overridden) when a tick was settled without its payload, then
///   [`confirmed_through`](Self::confirmed_through) as ticks are confirmed, in any amount at a time.
///
/// **Order.** Commands complete in push order, and each as early as the budget allows, while no tick is overridden or left
/// out. A command that had a piece in an overridden tick goes again from its start, in push order among those that wait:
/// before all that had not begun when the override was reported, after any that had. So only commands that had begun by
/// then can overtake it.
///
/// ```
/// use isostep_rollback::{CommandAssembler, CommandConfig, CommandQueue, Commands, Tick};
///
/// let config = CommandConfig::new(16, 4096, 8192).unwrap();
/// let mut queue = CommandQueue::new(config);
/// queue.push(b"a loadout of more than a tick").unwrap();
///
/// let mut assembler = CommandAssembler::new(config);
/// let (mut payload, mut commands) = (Vec::new(), Commands::default());
/// let mut tick = Tick(0);
/// while commands.is_empty() {
///     queue.fill(tick, &mut payload).unwrap();
///     if tick == Tick(1) {
///         queue.overridden(tick).unwrap();
///         payload.clear();
///     }
///     assembler.tick(&payload, &mut commands).unwrap();
///     tick = tick.next();
/// }
/// assert_eq!(commands.iter().next(), Some(&b"a loadout of more than a tick"[..]));
/// assert_eq!(tick, Tick(5));
/// ```
#[derive(Clone, Debug)]
pub struct CommandQueue {
    config: CommandConfig,
    /// In push order; done ones are gone.
    entries: VecDeque<Entry>,
    /// Bytes of all entries, overhead included.
    queued: usize,
    /// The last tick that was filled, overridden or confirmed.
    settled: Option<Tick>,
    confirmed: Option<Tick>,
    spare: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Entry {
    bytes: Vec<u8>,
    /// The first and last tick that carry pieces of it so far.
    ticks: Option<(Tick, Tick)>,
    /// How many of its bytes those carry.
    sent: usize,
    /// Whether those are all.
    whole: bool,
}

impl Entry {
    fn cost(&self) -> usize {
        self.bytes.len() + COMMAND_OVERHEAD
    }

    fn restart(&mut self) {
        (self.ticks, self.sent, self.whole) = (None, 0, false);
    }

    /// Writes as much of it as fits.
    fn send(&mut self, tick: Tick, budget: usize, out: &mut Vec<u8>) {
        let Some(room) = Piece::room(budget.saturating_sub(out.len())) else { return };
        let rest = &self.bytes[self.sent..];
        let bytes = &rest[..rest.len().min(room)];
        if bytes.is_empty() && !rest.is_empty() {
            return;
        }
        let (first, last) = (self.ticks.is_none(), bytes.len() == rest.len());
        Piece { first, last, bytes }.put(out);
        self.sent += bytes.len();
        self.whole = last;
        self.ticks = Some((self.ticks.map_or(tick, |(begin, _)| begin), tick));
    }
}

impl CommandQueue {
    /// An empty queue.
    pub fn new(config: CommandConfig) -> Self {
        let entries = VecDeque::new();
        Self { config, entries, queued: 0, settled: None, confirmed: None, spare: Vec::new() }
    }

    /// Takes a command to send.
    ///
    /// # Errors
    /// When it is too long, or too much waits already; nothing is taken then.
    pub fn push(&mut self, command: &[u8]) -> Result<(), CommandError> {
        let (len, max) = (command.len(), self.config.max_len);
        if len > max {
            return Err(CommandError::TooLong { len, max });
        }
        let (queued, needed, max) = (self.queued, len + COMMAND_OVERHEAD, self.config.max_queued);
        if queued + needed > max {
            return Err(CommandError::QueueFull { queued, needed, max });
        }
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(command);
        self.entries.push_back(Entry { bytes, ticks: None, sent: 0, whole: false });
        self.queued += needed;
        Ok(())
    }

    /// Makes `out` the payload of a tick; empty if nothing waits. A command that is half sent and does not go on in this very
    /// tick, because ticks were left out, goes again from its start.
    ///
    /// # Errors
    /// When this tick or a later one was filled, overridden or confirmed; `out` is left alone then.
    pub fn fill(&mut self, tick: Tick, out: &mut Vec<u8>) -> Result<(), CommandError> {
        if let Some(settled) = self.settled.filter(|&settled| tick <= settled) {
            return Err(CommandError::TickSettled { tick, settled });
        }
        self.settled = Some(tick);
        out.clear();
        let budget = self.config.budget;
        // A half sent command goes on first: receivers drop one that pauses. There is at most one, since it filled its tick.
        let half = self.entries.iter_mut().find(|entry| entry.ticks.is_some() && !entry.whole);
        if let Some(half) = half {
            if half.ticks.is_some_and(|(_, last)| last.next() == tick) {
                half.send(tick, budget, out);
                if !half.whole {
                    return Ok(());
                }
            } else {
                half.restart();
            }
        }
        for entry in self.entries.iter_mut().filter(|entry| entry.ticks.is_none()) {
            entry.send(tick, budget, out);
            if !entry.whole {
                break;
            }
        }
        Ok(())
    }

    /// A tick was settled without its payload. Commands that had a piece in it go again from their start; one that is half
    /// sent is given up there, since receivers ignore its other pieces.
    ///
    /// It may be a tick that is not filled yet; it can't be filled any more then.
    ///
    /// # Errors
    /// When the tick was said to be confirmed; nothing changes then.
    pub fn overridden(&mut self, tick: Tick) -> Result<(), CommandError> {
        if let Some(confirmed) = self.confirmed.filter(|&confirmed| tick <= confirmed) {
            return Err(CommandError::Confirmed { tick, confirmed });
        }
        self.settled = self.settled.max(Some(tick));
        let broken = |entry: &&mut Entry| {
            entry.ticks.is_some_and(|(first, last)| (first..=last).contains(&tick))
        };
        self.entries.iter_mut().filter(broken).for_each(Entry::restart);
        Ok(())
    }

    /// All ticks up to this one are confirmed, with the payloads that they were filled with, or reported as overridden before.
    /// Commands that they carried are done and forgotten. An older tick than the last time changes nothing.
    pub fn confirmed_through(&mut self, tick: Tick) {
        self.settled = self.settled.max(Some(tick));
        self.confirmed = self.confirmed.max(Some(tick));
        let (spare, queued) = (&mut self.spare, &mut self.queued);
        self.entries.retain_mut(|entry| {
            let done = entry.whole && entry.ticks.is_some_and(|(_, last)| last <= tick);
            if done {
                *queued -= entry.cost();
                if spare.len() < SPARE_BUFFERS {
                    spare.push(core::mem::take(&mut entry.bytes));
                }
            }
            !done
        });
    }

    /// Whether every command was delivered.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether there is something that the next [`fill`](Self::fill) would send.
    pub fn has_unsent(&self) -> bool {
        self.entries.iter().any(|entry| !entry.whole)
    }

    /// Bytes that wait or are not confirmed yet; each command counts two more than its length.
    pub fn queued(&self) -> usize {
        self.queued
    }
}
