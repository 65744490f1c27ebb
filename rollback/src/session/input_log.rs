//! One seat's inputs by tick: what is known, what was used, and up to where nothing is missing.
//!
//! Inputs arrive in any order, several times, or never. A log takes each once, finds conflicts, and says from which tick
//! on a simulation used something else. It knows nothing of other seats.

use crate::input::{CommandAssembler, CommandConfig, Commands, Input};
use crate::tick::Tick;

/// What is known of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Known {
    #[default]
    Missing,
    /// Its player said so; whose word confirms has not spoken.
    Proposed,
    Confirmed,
}

/// A tick of a seat.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry<I> {
    tick: Tick,
    pub(super) known: Known,
    pub(super) value: I,
    /// Pieces of commands, as they travel.
    pub(super) payload: Vec<u8>,
    /// Both as they travel, if they came or went that way.
    pub(super) bytes: Vec<u8>,
    /// Commands that take effect on this tick.
    pub(super) commands: Commands,
    /// What the simulation was given last time it made this step.
    pub(super) used: I,
    used_commands: Commands,
}

/// What became of an input that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Insertion {
    /// It was not known before. `wrong` if a simulation that has made that step used something else.
    New { wrong: bool },
    /// It was known, and is the same.
    Duplicate,
    /// It was confirmed otherwise; nothing changed.
    Conflict,
}

/// The inputs of a seat, in a ring over ticks.
#[derive(Clone, Debug)]
pub(super) struct InputLog<I> {
    /// That of tick t at t modulo the length, which is a power of two.
    entries: Vec<Entry<I>>,
    /// The first tick that is not confirmed; all before it are.
    pub(super) frontier: Tick,
    /// The newest tick of which something is known.
    newest: Option<Tick>,
    commands: CommandConfig,
    assembler: CommandAssembler,
    /// What of a command is half received before the oldest tick that is kept, and that tick: somebody who begins to record
    /// in the middle of a match puts the rest together from there.
    retired: (Tick, CommandAssembler),
    /// Commands of a tick before they are compared with those that were used.
    assembled: Commands,
}

impl<I: Input> InputLog<I> {
    pub(super) fn new(length: u32, start: Tick, commands: CommandConfig) -> Self {
        // A tick that no entry has, so that none is mistaken for a tick's.
        let never = Entry { tick: Tick(u32::MAX), ..Entry::default() };
        Self {
            entries: vec![never; length as usize],
            frontier: start,
            newest: None,
            commands,
            assembler: CommandAssembler::new(commands),
            retired: (start, CommandAssembler::new(commands)),
            assembled: Commands::default(),
        }
    }

    /// Goes on where somebody else has come to: what the step before the start was given, whether that is the same player's,
    /// and what of a command is half received.
    pub(super) fn resume(&mut self, before: Tick, used: I, stays: bool, pending: Option<&[u8]>) {
        let entry = self.entry_mut(before);
        entry.used = used;
        if !stays {
            return;
        }
        // Not confirmed: nobody may ask for it or contradict it, and it is what guesses start from.
        entry.known = Known::Proposed;
        entry.value = used;
        self.newest = self.newest.max(Some(before));
        // One that is longer than commands may be here would be given up in any case.
        let _ = self.assembler.resume(pending);
        self.retired.1.clone_from(&self.assembler);
    }

    /// The commands that are half received before a tick, put together by what is kept. `since` is when the player came.
    pub(super) fn assembled_to(&self, since: Tick, tick: Tick) -> CommandAssembler {
        let (mut at, mut assembler) = (self.retired.0, self.retired.1.clone());
        if since > at {
            (at, assembler) = (since, CommandAssembler::new(self.commands));
        }
        let mut ignored = Commands::default();
        for tick in (at.0..tick.0).map(Tick) {
            let payload = self.confirmed(tick).map_or(&[][..], |entry| &entry.payload);
            // Payloads are checked before they are offered.
            let _ = assembler.tick(payload, &mut ignored);
        }
        assembler
    }

    /// The next tick that is about to be forgotten, if it lies before this one.
    pub(super) fn next_to_retire(&self, floor: Tick) -> Option<Tick> {
        Some(self.retired.0).filter(|&tick| tick < floor)
    }

    /// Lets go of that tick; `begins` if its player came with it.
    pub(super) fn retire(&mut self, begins: bool) {
        let tick = self.retired.0;
        if begins {
            self.retired.1 = CommandAssembler::new(self.commands);
        }
        let at = self.at(tick);
        let entry = &self.entries[at];
        let there = entry.tick == tick && entry.known == Known::Confirmed;
        let payload = if there { &entry.payload[..] } else { &[] };
        let _ = self.retired.1.tick(payload, &mut self.assembled);
        self.retired.0 = tick.next();
    }

    const fn at(&self, tick: Tick) -> usize {
        tick.0 as usize & (self.entries.len() - 1)
    }

    pub(super) fn entry(&self, tick: Tick) -> Option<&Entry<I>> {
        let entry = &self.entries[self.at(tick)];
        (entry.tick == tick).then_some(entry)
    }

    /// The entry of a tick; that of a tick long past makes room.
    fn entry_mut(&mut self, tick: Tick) -> &mut Entry<I> {
        let at = self.at(tick);
        let entry = &mut self.entries[at];
        if entry.tick != tick {
            entry.tick = tick;
            entry.known = Known::Missing;
            entry.payload.clear();
            entry.bytes.clear();
            entry.commands.clear();
            entry.used_commands.clear();
        }
        entry
    }

    /// What is known of a tick.
    pub(super) fn known(&self, tick: Tick) -> Option<&Entry<I>> {
        self.entry(tick).filter(|entry| entry.known != Known::Missing)
    }

    pub(super) fn confirmed(&self, tick: Tick) -> Option<&Entry<I>> {
        self.entry(tick).filter(|entry| entry.known == Known::Confirmed)
    }

    /// Notes how a tick that is known travels.
    pub(super) fn note_bytes(&mut self, tick: Tick, bytes: &[u8]) {
        let at = self.at(tick);
        let entry = &mut self.entries[at];
        if entry.tick == tick && entry.known != Known::Missing && entry.bytes.is_empty() {
            entry.bytes.extend_from_slice(bytes);
        }
    }

    /// What the simulation was given for a tick.
    pub(super) fn used(&self, tick: Tick) -> Option<I> {
        self.entry(tick).map(|entry| entry.used)
    }

    /// Takes a value for a tick that the ring has room for. `present` is the first tick that no simulation has stepped.
    pub(super) fn insert(
        &mut self,
        tick: Tick,
        value: I,
        payload: &[u8],
        known: Known,
        present: Tick,
    ) -> Insertion {
        let behind = tick < self.frontier;
        let entry = self.entry_mut(tick);
        if entry.known == Known::Confirmed {
            let same = entry.value == value && entry.payload == payload;
            return match known {
                _ if same => Insertion::Duplicate,
                Known::Confirmed => Insertion::Conflict,
                // What was proposed and then decided otherwise.
                _ => Insertion::Duplicate,
            };
        }
        if behind || entry.known == known && entry.value == value && entry.payload == payload {
            return Insertion::Duplicate;
        }
        entry.known = known;
        entry.value = value;
        entry.payload.clear();
        entry.payload.extend_from_slice(payload);
        entry.bytes.clear();
        let wrong = tick < present && entry.used != value;
        self.newest = self.newest.max(Some(tick));
        Insertion::New { wrong }
    }

    /// Moves the frontier over the next tick if it is confirmed; its commands are known then. Returns the tick, and
    /// whether a simulation that has made that step used other commands.
    pub(super) fn confirm_next(&mut self, present: Tick) -> Option<(Tick, bool)> {
        let tick = self.frontier;
        let at = self.at(tick);
        let entry = &mut self.entries[at];
        if entry.tick != tick || entry.known != Known::Confirmed {
            return None;
        }
        self.assembled.clear();
        // Payloads are checked before they are offered.
        let _ = self.assembler.tick(&entry.payload, &mut self.assembled);
        if entry.commands != self.assembled {
            entry.commands.clone_from(&self.assembled);
        }
        let wrong = tick < present && entry.used_commands != entry.commands;
        self.frontier = tick.next();
        Some((tick, wrong))
    }

    /// Commands that a local player proposed for a tick, before they are confirmed.
    pub(super) fn propose_commands(&mut self, tick: Tick, commands: &Commands) {
        let entry = self.entry_mut(tick);
        if entry.known == Known::Proposed {
            entry.commands.clone_from(commands);
        }
    }

    /// Another player starts at the frontier: a command that is half there will not be finished.
    pub(super) fn reset_commands(&mut self) {
        self.assembler = CommandAssembler::new(self.commands);
    }

    /// Forgets what is known of a tick and later ones.
    pub(super) fn forget_from(&mut self, tick: Tick) {
        self.frontier = self.frontier.min(tick);
        for entry in &mut self.entries {
            if entry.tick >= tick && entry.tick != Tick(u32::MAX) {
                entry.known = Known::Missing;
                entry.payload.clear();
                entry.bytes.clear();
                entry.commands.clear();
            }
        }
        self.newest = self.newest.filter(|&newest| newest < tick);
    }

    /// The newest tick before this one, and not before `since`, of which something is known.
    pub(super) fn last_known(&self, before: Tick, since: Tick) -> Option<(Tick, I)> {
        let newest = self.newest?;
        let mut tick = if newest < before { newest } else { before - 1 };
        // Only a gap between the frontier and the newest makes this more than one round.
        while tick >= since && tick < before {
            if let Some(entry) = self.known(tick) {
                return Some((tick, entry.value));
            }
            if tick < self.frontier || tick == Tick(0) {
                return None;
            }
            tick = tick - 1;
        }
        None
    }

    /// Notes what the simulation gets for a tick, and hands out the commands that go with it.
    pub(super) fn record_used(&mut self, tick: Tick, value: I, with_commands: bool) -> &Commands {
        let entry = self.entry_mut(tick);
        entry.used = value;
        if with_commands && !entry.commands.is_empty() {
            entry.used_commands.clone_from(&entry.commands);
        } else if !entry.used_commands.is_empty() {
            entry.used_commands.clear();
        }
        &entry.used_commands
    }
}

/// What a predictor may look at: everything that is known of a seat before a tick.
#[derive(Clone, Copy, Debug)]
pub struct InputHistory<'a, I> {
    log: &'a InputLog<I>,
    before: Tick,
    since: Tick,
}

impl<'a, I: Input> InputHistory<'a, I> {
    pub(super) const fn new(log: &'a InputLog<I>, before: Tick, since: Tick) -> Self {
        Self { log, before, since }
    }

    /// The newest input that is known, and its tick.
    pub fn last(&self) -> Option<(Tick, I)> {
        self.log.last_known(self.before, self.since)
    }

    /// The input of a tick, if it is known and still kept.
    pub fn get(&self, tick: Tick) -> Option<I> {
        let within = tick >= self.since && tick < self.before;
        self.log.known(tick).filter(|_| within).map(|entry| entry.value)
    }
}
