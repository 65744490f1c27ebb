//! Local player: assigns samples to ticks. An input that was sent never changes.

use crate::Tick;
use crate::input::{CommandAssembler, CommandConfig, CommandQueue, Commands, Input};
use std::collections::VecDeque;

/// Maximum number of ticks over which presses are carried. More presses of one button than this can't occur within a
/// prediction window.
const MAX_CARRIED: usize = 64;

/// Pending samples of a local player, and the next tick.
#[derive(Debug)]
pub(super) struct LocalPlayer<I> {
    /// Input delay, in ticks.
    pub(super) delay: u32,
    /// Next tick without an input.
    pub(super) next: Tick,
    /// Newest input that was assigned a tick.
    pub(super) last: I,
    /// Merged samples without a tick.
    pub(super) pending: Option<I>,
    /// Presses that did not fit into a merged tick, for the following ticks.
    carried: VecDeque<I>,
    pub(super) queue: CommandQueue,
    /// Assembles proposed commands, where a relay confirms.
    pub(super) proposed: CommandAssembler,
    pub(super) commands: Commands,
    pub(super) payload: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

impl<I: Input> LocalPlayer<I> {
    pub(super) fn new(delay: u32, next: Tick, config: CommandConfig) -> Self {
        Self {
            delay,
            next,
            last: I::default(),
            pending: None,
            carried: VecDeque::new(),
            queue: CommandQueue::new(config),
            proposed: CommandAssembler::new(config),
            commands: Commands::default(),
            payload: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Adds a sample. A pending one is merged with it, so that no press is lost.
    pub(super) fn sample(&mut self, sample: I) {
        let Some(older) = self.pending else {
            self.pending = Some(sample);
            return;
        };
        self.pending = Some(I::merge(older, sample));
        if let Some(rest) = I::carry(older, sample) {
            self.carry_over(rest);
        }
    }

    /// Carries a proposal that a relay has overridden into the next unsent tick.
    pub(super) fn overridden(&mut self, proposal: I) {
        let newer = self.pending.unwrap_or_else(|| I::hold(self.last));
        self.pending = Some(I::merge(proposal, newer));
        if let Some(rest) = I::carry(proposal, newer) {
            self.carry_over(rest);
        }
    }

    /// Queues presses that did not fit, as many in each following tick as possible.
    fn carry_over(&mut self, mut rest: I) {
        for later in &mut self.carried {
            let more = I::carry(*later, rest);
            *later = I::merge(*later, rest);
            match more {
                Some(more) => rest = more,
                None => return,
            }
        }
        if self.carried.len() < MAX_CARRIED {
            self.carried.push_back(rest);
        }
    }

    /// Merges an input with the presses carried from earlier ticks.
    fn with_carried(&mut self, value: I) -> I {
        let Some(older) = self.carried.pop_front() else { return value };
        if let Some(rest) = I::carry(older, value) {
            self.carry_over(rest);
        }
        I::merge(older, value)
    }

    /// Skips the next tick, which a relay has confirmed already, if it is due. Its commands are sent with a later tick.
    pub(super) fn skip(&mut self, current: Tick) -> bool {
        let due = self.next <= current + self.delay;
        if due {
            // Fails only for ticks that are confirmed.
            let _ = self.queue.overridden(self.next);
            self.next = self.next.next();
        }
        due
    }

    /// Returns the input of the next tick, if it is due. Ticks added by a longer delay hold the last input.
    pub(super) fn emit(&mut self, current: Tick) -> Option<(Tick, I)> {
        let due = current + self.delay;
        if self.next > due {
            return None;
        }
        let tick = self.next;
        let value = match self.pending {
            Some(sample) if tick == due => {
                self.pending = None;
                sample
            }
            _ => I::hold(self.last),
        };
        let value = self.with_carried(value);
        self.next = tick.next();
        self.last = value;
        Some((tick, value))
    }
}
