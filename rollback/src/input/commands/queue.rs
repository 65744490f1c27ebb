//! Sender's queue: commands are sent in pieces, and kept until their ticks are confirmed.
//!
//! The pieces of a command are in consecutive ticks, so a range of ticks identifies its payloads, and an overridden
//! tick within the range breaks it. Entries stay in push order; those without ticks are unsent.

use super::CommandConfig;
use super::piece::Piece;
use crate::Tick;
use std::collections::VecDeque;

/// Queue bytes of a command beside its own: the minimum overhead in a payload. It also bounds the number of empty
/// commands.
pub(super) const COMMAND_OVERHEAD: usize = 2;

/// Buffers of completed commands kept for reuse.
const SPARE_BUFFERS: usize = 16;

/// Error of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandQueueError {
    /// The command exceeds the limit of the match.
    #[error(
        "a command of {len} bytes exceeds the limit of {max}; split it or raise the limit on all machines"
    )]
    TooLong {
        /// Its length.
        len: usize,
        /// The limit.
        max: usize,
    },
    /// The queue is full.
    #[error(
        "{queued} bytes of commands are queued, and {needed} more exceed the limit of {max}; try again after some ticks"
    )]
    QueueFull {
        /// Queued and unconfirmed bytes.
        queued: usize,
        /// Bytes that the command needs.
        needed: usize,
        /// The limit.
        max: usize,
    },
    /// The payload of this tick is fixed already.
    #[error(
        "tick {tick} is not after the last filled or confirmed tick {settled}; fill ticks in ascending order, each once"
    )]
    TickSettled {
        /// The requested tick.
        tick: Tick,
        /// The last tick that was filled, overridden or confirmed.
        settled: Tick,
    },
    /// The overridden tick was reported as confirmed before.
    #[error(
        "tick {tick} is overridden but was confirmed (through {confirmed}); report overrides first"
    )]
    Confirmed {
        /// The reported tick.
        tick: Tick,
        /// The last confirmed tick.
        confirmed: Tick,
    },
}

/// Commands sent by one player; each is delivered exactly once.
///
/// - [`push`](Self::push) at any time;
/// - [`fill`](Self::fill) once for each tick's input, in ascending order; a skipped tick carries nothing;
/// - [`overridden`](Self::overridden) when a tick was confirmed without its payload, then
///   [`confirmed_through`](Self::confirmed_through) as ticks are confirmed, any number at a time.
///
/// **Order.** Commands complete in push order, each as early as the budget allows, while no tick is overridden or
/// skipped. A command with a piece in an overridden tick is sent again from its start, in push order among the unsent
/// ones: before all that had not begun when the override was reported, after any that had. So only commands that had
/// begun by then can overtake it.
///
/// ```
/// use isostep_rollback::{CommandConfig, Commands, Tick};
/// use isostep_rollback::internals::{CommandAssembler, CommandQueue};
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
    /// In push order, without completed ones.
    entries: VecDeque<Entry>,
    /// Bytes of all entries, with overhead.
    queued: usize,
    /// The last tick that was filled, overridden or confirmed.
    settled: Option<Tick>,
    confirmed: Option<Tick>,
    spare: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Entry {
    bytes: Vec<u8>,
    /// The first and last tick with pieces of it so far.
    ticks: Option<(Tick, Tick)>,
    /// Bytes sent in those ticks.
    sent: usize,
    /// All pieces are sent.
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
    /// Creates an empty queue.
    pub fn new(config: CommandConfig) -> Self {
        let entries = VecDeque::new();
        Self { config, entries, queued: 0, settled: None, confirmed: None, spare: Vec::new() }
    }

    /// Queues a command.
    ///
    /// # Errors
    /// If it is too long, or the queue is full; it is not queued then.
    pub fn push(&mut self, command: &[u8]) -> Result<(), CommandQueueError> {
        let (len, max) = (command.len(), self.config.max_len);
        if len > max {
            return Err(CommandQueueError::TooLong { len, max });
        }
        let (queued, needed, max) = (self.queued, len + COMMAND_OVERHEAD, self.config.max_queued);
        if queued + needed > max {
            return Err(CommandQueueError::QueueFull { queued, needed, max });
        }
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(command);
        self.entries.push_back(Entry { bytes, ticks: None, sent: 0, whole: false });
        self.queued += needed;
        Ok(())
    }

    /// Writes the payload of a tick to `out`; empty if nothing is queued. A partially sent command that is not
    /// continued in this tick, because ticks were skipped, is sent again from its start.
    ///
    /// # Errors
    /// If this tick or a later one was filled, overridden or confirmed; `out` is unchanged then.
    pub fn fill(&mut self, tick: Tick, out: &mut Vec<u8>) -> Result<(), CommandQueueError> {
        if let Some(settled) = self.settled.filter(|&settled| tick <= settled) {
            return Err(CommandQueueError::TickSettled { tick, settled });
        }
        self.settled = Some(tick);
        out.clear();
        let budget = self.config.budget;
        // A partially sent command continues first: receivers drop one that pauses. There is at most one, since it
        // filled its tick.
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

    /// Reports a tick that was confirmed without its payload. Commands with a piece in it are sent again from their
    /// start; a partially sent one stops there, since receivers ignore its other pieces.
    ///
    /// The tick may be one that is not filled yet; it can't be filled afterwards.
    ///
    /// # Errors
    /// If the tick was reported as confirmed; nothing changes then.
    pub fn overridden(&mut self, tick: Tick) -> Result<(), CommandQueueError> {
        if let Some(confirmed) = self.confirmed.filter(|&confirmed| tick <= confirmed) {
            return Err(CommandQueueError::Confirmed { tick, confirmed });
        }
        self.settled = self.settled.max(Some(tick));
        let broken = |entry: &&mut Entry| {
            entry.ticks.is_some_and(|(first, last)| (first..=last).contains(&tick))
        };
        self.entries.iter_mut().filter(broken).for_each(Entry::restart);
        Ok(())
    }

    /// Reports that all ticks up to this one are confirmed with the payloads that they were filled with, or were
    /// reported as overridden before. Their commands are complete and dropped. A tick older than the last one has no
    /// effect.
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

    /// Returns true if every command was delivered.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns true if the next [`fill`](Self::fill) would send something.
    pub fn has_unsent(&self) -> bool {
        self.entries.iter().any(|entry| !entry.whole)
    }

    /// Returns the queued and unconfirmed bytes, with an overhead of two for each command.
    pub fn queued(&self) -> usize {
        self.queued
    }
}
