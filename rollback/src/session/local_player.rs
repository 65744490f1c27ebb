//! A local player's side: samples become ticks. What was sent of a tick never changes.

use crate::input::{CommandAssembler, CommandConfig, CommandQueue, Commands, Input};
use crate::tick::Tick;
use std::collections::VecDeque;

/// Ticks that presses may be put off by. Nobody presses a button more often in the time that a session waits.
const MAX_CARRIED: usize = 64;

/// What a local player has said that is not yet a tick, and which tick comes next.
#[derive(Debug)]
pub(super) struct LocalPlayer<I> {
    /// How many ticks later than the present a sample takes effect.
    pub(super) delay: u32,
    /// The next tick that has no input yet.
    pub(super) next: Tick,
    /// The newest input that became a tick.
    pub(super) last: I,
    /// Samples that have no tick yet, folded into one.
    pub(super) pending: Option<I>,
    /// What did not fit into ticks that two samples shared, for the ticks after.
    carried: VecDeque<I>,
    pub(super) queue: CommandQueue,
    /// Assembles what is proposed, where somebody else confirms.
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

    /// Takes a sample; one that is still waiting is folded in, so that no press is lost.
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

    /// What a relay decided otherwise goes into the next tick that was not sent.
    pub(super) fn overridden(&mut self, proposal: I) {
        let newer = self.pending.unwrap_or_else(|| I::hold(self.last));
        self.pending = Some(I::merge(proposal, newer));
        if let Some(rest) = I::carry(proposal, newer) {
            self.carry_over(rest);
        }
    }

    /// Keeps what did not fit for the ticks after, each taking as much as it can.
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

    /// A tick's input, with what earlier ones had no room for.
    fn with_carried(&mut self, value: I) -> I {
        let Some(older) = self.carried.pop_front() else { return value };
        if let Some(rest) = I::carry(older, value) {
            self.carry_over(rest);
        }
        I::merge(older, value)
    }

    /// Leaves out the next tick, which a relay decided without us, if the present has come near enough; what was to go into
    /// it goes into the next one.
    pub(super) fn skip(&mut self, present: Tick) -> bool {
        let due = self.next <= present + self.delay;
        if due {
            // Refused only for ticks that are behind us.
            let _ = self.queue.overridden(self.next);
            self.next = self.next.next();
        }
        due
    }

    /// The input of the next tick, if the present has come near enough; ticks that a longer delay opened are held ones.
    pub(super) fn emit(&mut self, present: Tick) -> Option<(Tick, I)> {
        let due = present + self.delay;
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
