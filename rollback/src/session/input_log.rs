//! Input log of one seat: known inputs, inputs used by the simulation, and the confirmed frontier.
//!
//! Inputs arrive in any order, several times, or never. The log stores each once, finds conflicts, and reports ticks
//! that the simulation stepped with another input. It is independent of other seats.

use crate::Tick;
use crate::input::{CommandAssembler, CommandConfig, Commands, Input};

/// Status of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Known {
    #[default]
    Missing,
    /// Sent by its player, and not yet confirmed by the authority.
    Proposed,
    Confirmed,
}

/// A tick of a seat.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry<I> {
    tick: Tick,
    pub(super) known: Known,
    pub(super) value: I,
    /// Command pieces, as encoded.
    pub(super) payload: Vec<u8>,
    /// Input and pieces as encoded, if they were sent or received.
    pub(super) bytes: Vec<u8>,
    /// Commands that take effect on this tick.
    pub(super) commands: Commands,
    /// Input that the simulation last stepped this tick with.
    pub(super) used: I,
    used_commands: Commands,
}

/// Result of inserting an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Insertion {
    /// Not known before. `wrong` if the simulation stepped the tick with another input.
    New { wrong: bool },
    /// Known with the same input.
    Duplicate,
    /// Confirmed with another input; nothing changed.
    Conflict,
}

/// Inputs of a seat, in a ring over ticks.
#[derive(Clone, Debug)]
pub(super) struct InputLog<I> {
    /// Entry of tick t at t modulo the length, a power of two.
    entries: Vec<Entry<I>>,
    /// First unconfirmed tick; all earlier ones are confirmed.
    pub(super) frontier: Tick,
    /// Newest known tick.
    newest: Option<Tick>,
    commands: CommandConfig,
    assembler: CommandAssembler,
    /// Oldest kept tick, and the partial command before it. A recorder that starts during a match assembles the command
    /// from there.
    kept_from: (Tick, CommandAssembler),
    /// Scratch: commands of a tick, before they are compared with the used ones.
    assembled: Commands,
}

impl<I: Input> InputLog<I> {
    pub(super) fn new(length: u32, start: Tick, commands: CommandConfig) -> Self {
        // A tick that no entry has marks entries as unused.
        let never = Entry { tick: Tick(u32::MAX), ..Entry::default() };
        Self {
            entries: vec![never; length as usize],
            frontier: start,
            newest: None,
            commands,
            assembler: CommandAssembler::new(commands),
            kept_from: (start, CommandAssembler::new(commands)),
            assembled: Commands::default(),
        }
    }

    /// Continues a recorded match: the input used by the step before the start, whether the same player keeps the seat,
    /// and the partial command.
    pub(super) fn resume(&mut self, before: Tick, used: I, stays: bool, pending: Option<&[u8]>) {
        let entry = self.entry_mut(before);
        entry.used = used;
        if !stays {
            return;
        }
        // Proposed, not confirmed: it is neither sent nor in conflict with another input, and predictions start from
        // it.
        entry.known = Known::Proposed;
        entry.value = used;
        self.newest = self.newest.max(Some(before));
        // A partial command beyond the local limit would be dropped anyway.
        let _ = self.assembler.resume(pending);
        self.kept_from.1.clone_from(&self.assembler);
    }

    /// Assembles the partial command before a tick from the log. `since` is the tick on which the player took the seat.
    pub(super) fn assembled_to(&self, since: Tick, tick: Tick) -> CommandAssembler {
        let (mut at, mut assembler) = (self.kept_from.0, self.kept_from.1.clone());
        if since > at {
            (at, assembler) = (since, CommandAssembler::new(self.commands));
        }
        let mut ignored = Commands::default();
        for tick in (at.0..tick.0).map(Tick) {
            let payload = self.confirmed(tick).map_or(&[][..], |entry| &entry.payload);
            // Payloads are validated before they are inserted.
            let _ = assembler.tick(payload, &mut ignored);
        }
        assembler
    }

    /// Returns the next tick to drop, if it is before `floor`.
    pub(super) fn next_to_drop(&self, floor: Tick) -> Option<Tick> {
        Some(self.kept_from.0).filter(|&tick| tick < floor)
    }

    /// Drops that tick; `begins` if its player took the seat on it.
    pub(super) fn drop_oldest(&mut self, begins: bool) {
        let tick = self.kept_from.0;
        if begins {
            self.kept_from.1 = CommandAssembler::new(self.commands);
        }
        let at = self.at(tick);
        let entry = &self.entries[at];
        let there = entry.tick == tick && entry.known == Known::Confirmed;
        let payload = if there { &entry.payload[..] } else { &[] };
        let _ = self.kept_from.1.tick(payload, &mut self.assembled);
        self.kept_from.0 = tick.next();
    }

    const fn at(&self, tick: Tick) -> usize {
        tick.0 as usize & (self.entries.len() - 1)
    }

    pub(super) fn entry(&self, tick: Tick) -> Option<&Entry<I>> {
        let entry = &self.entries[self.at(tick)];
        (entry.tick == tick).then_some(entry)
    }

    /// Returns the entry of a tick, and replaces that of an older tick.
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

    /// Returns the entry of a known tick.
    pub(super) fn known(&self, tick: Tick) -> Option<&Entry<I>> {
        self.entry(tick).filter(|entry| entry.known != Known::Missing)
    }

    pub(super) fn confirmed(&self, tick: Tick) -> Option<&Entry<I>> {
        self.entry(tick).filter(|entry| entry.known == Known::Confirmed)
    }

    /// Records the encoding of a known tick.
    pub(super) fn note_bytes(&mut self, tick: Tick, bytes: &[u8]) {
        let at = self.at(tick);
        let entry = &mut self.entries[at];
        if entry.tick == tick && entry.known != Known::Missing && entry.bytes.is_empty() {
            entry.bytes.extend_from_slice(bytes);
        }
    }

    /// Returns the input that the simulation used for a tick.
    pub(super) fn used(&self, tick: Tick) -> Option<I> {
        self.entry(tick).map(|entry| entry.used)
    }

    /// Inserts a value for a tick within the ring. `current` is the first tick that is not stepped.
    pub(super) fn insert(
        &mut self,
        tick: Tick,
        value: I,
        payload: &[u8],
        known: Known,
        current: Tick,
    ) -> Insertion {
        let behind = tick < self.frontier;
        let entry = self.entry_mut(tick);
        if entry.known == Known::Confirmed {
            let same = entry.value == value && entry.payload == payload;
            return match known {
                _ if same => Insertion::Duplicate,
                Known::Confirmed => Insertion::Conflict,
                // A proposal that the authority has overridden.
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
        let wrong = tick < current && entry.used != value;
        self.newest = self.newest.max(Some(tick));
        Insertion::New { wrong }
    }

    /// Advances the frontier over the next tick if it is confirmed, and assembles its commands. Returns the tick, and
    /// true if the simulation stepped it with other commands.
    pub(super) fn confirm_next(&mut self, current: Tick) -> Option<(Tick, bool)> {
        let tick = self.frontier;
        let at = self.at(tick);
        let entry = &mut self.entries[at];
        if entry.tick != tick || entry.known != Known::Confirmed {
            return None;
        }
        self.assembled.clear();
        // Payloads are validated before they are inserted.
        let _ = self.assembler.tick(&entry.payload, &mut self.assembled);
        if entry.commands != self.assembled {
            entry.commands.clone_from(&self.assembled);
        }
        let wrong = tick < current && entry.used_commands != entry.commands;
        self.frontier = tick.next();
        Some((tick, wrong))
    }

    /// Records the commands that a local player proposes for a tick.
    pub(super) fn propose_commands(&mut self, tick: Tick, commands: &Commands) {
        let entry = self.entry_mut(tick);
        if entry.known == Known::Proposed {
            entry.commands.clone_from(commands);
        }
    }

    /// Drops the partial command: another player takes the seat at the frontier.
    pub(super) fn reset_commands(&mut self) {
        self.assembler = CommandAssembler::new(self.commands);
    }

    /// Drops all knowledge of a tick and later ones.
    pub(super) fn discard_from(&mut self, tick: Tick) {
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

    /// Returns the newest known tick before `before` and not before `since`.
    pub(super) fn last_known(&self, before: Tick, since: Tick) -> Option<(Tick, I)> {
        let newest = self.newest?;
        let mut tick = if newest < before { newest } else { before - 1 };
        // Only a gap between the frontier and the newest tick needs more than one iteration.
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

    /// Records the input that the simulation uses for a tick, and returns its commands.
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

/// Known inputs of a seat before a tick, for a predictor.
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

    /// Returns the newest known input and its tick.
    pub fn last(&self) -> Option<(Tick, I)> {
        self.log.last_known(self.before, self.since)
    }

    /// Returns the input of a tick, if it is known and still in the log.
    pub fn get(&self, tick: Tick) -> Option<I> {
        let within = tick >= self.since && tick < self.before;
        self.log.known(tick).filter(|_| within).map(|entry| entry.value)
    }
}
