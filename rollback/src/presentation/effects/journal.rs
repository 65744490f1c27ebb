//! Entries of an effect journal and their states: reported, started, missing, ended.

use super::event::{Cancel, EffectConfig, EffectEvent, EffectId, Late};
use crate::Tick;

/// State of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// In the last step of its tick; or the tick is not yet resimulated in this pass.
    Alive,
    /// Its tick was resimulated without it.
    Missing,
    Confirmed,
    Cancelled,
}

#[derive(Clone, Debug)]
struct Entry<C, E> {
    tick: Tick,
    cause: C,
    id: EffectId,
    /// Present until the start is polled.
    payload: Option<E>,
    late: u32,
    life: Life,
    /// Dropped, but kept so that it does not start when it is reported again.
    silent: bool,
    /// Reported since its tick was begun.
    seen: bool,
}

/// Tracks effects across rollbacks: which to start, and how each one ended.
///
/// An effect is identified by its tick and its *cause*: a key that is unique within a tick (player 3's gun, contact of
/// bodies 4 and 9). The tick is that of the step that caused it.
///
/// # The calls, in order
/// 1. *Feed*, for each stepped tick, new or resimulated, in order: [`tick`](Self::tick), or
///    [`begin_tick`](Self::begin_tick), [`effect`](Self::effect) for each one, [`end_tick`](Self::end_tick). Feed ticks
///    without effects too: a removed effect is detected by them.
/// 2. [`confirm`](Self::confirm) with [`Session::confirmed_tick`](crate::Session::confirmed_tick), after the plan was run.
/// 3. *Present*: [`poll`](Self::poll) until it is `None`, once a frame.
///
/// Each effect is reported as started at most once, then once as confirmed or as cancelled. One that was cancelled
/// before it was polled is not reported. If a resimulation moves a cause by at most
/// [`tolerance`](EffectConfig::tolerance) ticks, it is the same effect and nothing is reported; a cause that occurs
/// twice within the tolerance keeps its count, but the pairing is arbitrary. A payload that changes after the start is
/// not reported.
///
/// With a `World`, the effects of the stepped ticks are in its history:
///
/// ```
/// use isostep_core::{shape::Shape, Vec3, world::{BodyDef, Event, World, WorldDef}};
/// use isostep_rollback::Tick;
/// use isostep_rollback::presentation::{EffectConfig, EffectEvent, EffectJournal};
///
/// let mut world = World::new(WorldDef::default())?;
/// world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
/// world.spawn(BodyDef::dynamic().at(Vec3::from_ints(0, 3, 0)).shape(Shape::sphere(1.into())?))?;
/// let mut journal = EffectJournal::new(EffectConfig::default());
/// let mut thuds = 0;
/// for tick in 0..90 {
///     world.step();
///     // Here one new tick; after a rollback, all that `RunReport` counts.
///     for step in [Tick(tick)] {
///         let past = world.past(step.next())?;
///         journal.tick(step, past.events().filter_map(|event| match event {
///             Event::ContactBegan(pair) => Some((pair.bodies, "thud")),
///             _ => None,
///         }));
///     }
///     while let Some(event) = journal.poll() {
///         thuds += u32::from(matches!(event, EffectEvent::Started { payload: "thud", .. }));
///     }
/// }
/// assert_eq!(thuds, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EffectJournal<C, E> {
    config: EffectConfig,
    /// Sorted by tick and cause.
    entries: Vec<Entry<C, E>>,
    /// Tick being reported.
    open: Option<Tick>,
    /// One after the last reported tick: later entries are of an older pass.
    computed: Tick,
    /// One after the newest tick ever reported.
    newest: Tick,
    confirmed: Tick,
    next: u64,
    /// Entries before it have nothing to report.
    cursor: usize,
    lost: u64,
}

impl<C: Ord + Copy, E> EffectJournal<C, E> {
    /// Creates an empty journal. It allocates here and never again.
    pub fn new(config: EffectConfig) -> Self {
        Self {
            entries: Vec::with_capacity(config.capacity),
            config,
            open: None,
            computed: Tick(0),
            newest: Tick(0),
            confirmed: Tick(0),
            next: 0,
            cursor: 0,
            lost: 0,
        }
    }

    /// Reports all effects of a stepped tick.
    pub fn tick(&mut self, tick: Tick, effects: impl IntoIterator<Item = (C, E)>) {
        self.begin_tick(tick);
        for (cause, payload) in effects {
            self.effect(cause, payload);
        }
        self.end_tick();
    }

    /// Begins a stepped tick; its effects follow. An open tick is ended.
    pub fn begin_tick(&mut self, tick: Tick) {
        self.end_tick();
        self.open = Some(tick);
        self.newest = self.newest.max(tick.next());
        for entry in &mut self.entries {
            entry.seen &= entry.tick != tick;
        }
    }

    /// Reports an effect of the begun tick. Effects of confirmed ticks are final, so reports for one that is
    /// resimulated (by a recheck, for example) are ignored; so are reports between ticks.
    pub fn effect(&mut self, cause: C, payload: E) {
        let Some(tick) = self.open.filter(|&tick| tick >= self.confirmed) else { return };
        self.cursor = 0;
        if let Ok(at) = self.find(tick, cause) {
            self.entries[at].report(payload);
            return;
        }
        if let Some(at) = self.find_moved(tick, cause) {
            let mut entry = self.entries.remove(at);
            (entry.tick, entry.seen) = (tick, false);
            entry.report(payload);
            let at = self.find(tick, cause).unwrap_or_else(|at| at);
            self.entries.insert(at, entry);
            return;
        }
        if self.entries.len() >= self.config.capacity {
            self.lost += 1;
            return;
        }
        let late = (self.newest - 1).since(tick);
        let silent = matches!(self.config.late, Late::DropAfter(most) if late > most);
        let id = EffectId(self.next);
        self.next += 1;
        let payload = (!silent).then_some(payload);
        let (life, seen) = (Life::Alive, true);
        let entry = Entry { tick, cause, id, payload, late, life, silent, seen };
        let at = self.find(tick, cause).unwrap_or_else(|at| at);
        self.entries.insert(at, entry);
    }

    /// Ends a tick: effects that it had before and has no more are missing.
    pub fn end_tick(&mut self) {
        let Some(tick) = self.open.take() else { return };
        self.cursor = 0;
        self.computed = tick.next();
        for entry in &mut self.entries {
            if entry.tick == tick && !entry.seen && entry.life == Life::Alive {
                entry.life = Life::Missing;
            }
        }
        if self.config.cancel == Cancel::AtOnce {
            self.cancel_before(self.computed);
        }
    }

    /// Marks all ticks before this one as final: their effects are confirmed, missing ones cancelled. Ticks that were
    /// not reported since the last rollback wait.
    pub fn confirm(&mut self, tick: Tick) {
        self.end_tick();
        let tick = tick.min(self.computed);
        self.confirmed = self.confirmed.max(tick);
        self.cursor = 0;
        for entry in &mut self.entries {
            if entry.tick < tick && entry.life == Life::Alive {
                entry.life = Life::Confirmed;
            }
        }
        self.entries.retain(|entry| !(entry.silent && entry.life == Life::Confirmed));
        self.cancel_before(tick);
    }

    /// Returns the next event, by tick.
    pub fn poll(&mut self) -> Option<EffectEvent<C, E>> {
        while let Some(entry) = self.entries.get_mut(self.cursor) {
            let Entry { tick, cause, id, late, life, .. } = *entry;
            // A missing effect may be cancelled before it starts.
            if life != Life::Missing
                && let Some(payload) = entry.payload.take()
            {
                return Some(EffectEvent::Started { id, tick, cause, payload, late });
            }
            match life {
                Life::Alive | Life::Missing => self.cursor += 1,
                Life::Confirmed => {
                    self.entries.remove(self.cursor);
                    return Some(EffectEvent::Confirmed { id, tick, cause });
                }
                Life::Cancelled => {
                    self.entries.remove(self.cursor);
                    return Some(EffectEvent::Cancelled { id, tick, cause });
                }
            }
        }
        None
    }

    /// Returns the number of effects that are unresolved, or whose end was not polled.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are none.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of reports dropped because the journal was full.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Cancels missing effects of all ticks before this one that they could have moved to.
    fn cancel_before(&mut self, tick: Tick) {
        let tolerance = self.config.tolerance;
        let is_over =
            |entry: &Entry<C, E>| entry.life == Life::Missing && entry.tick + tolerance < tick;
        // An effect that never started needs no end.
        self.entries.retain(|entry| !(is_over(entry) && (entry.silent || entry.payload.is_some())));
        for entry in &mut self.entries {
            if is_over(entry) {
                entry.life = Life::Cancelled;
            }
        }
    }

    fn find(&self, tick: Tick, cause: C) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| (entry.tick, entry.cause).cmp(&(tick, cause)))
    }

    /// Finds an effect of another tick that this one may have moved from: a missing one, else one whose tick is still
    /// to be resimulated; the nearest.
    fn find_moved(&self, tick: Tick, cause: C) -> Option<usize> {
        let first = self.entries.partition_point(|entry| entry.tick < tick - self.config.tolerance);
        let within = self.entries[first..].iter().enumerate();
        let within = within.take_while(|(_, entry)| entry.tick <= tick + self.config.tolerance);
        let candidates = within.filter_map(|(at, entry)| {
            let rank = match entry.life {
                Life::Missing | Life::Cancelled => 0,
                Life::Alive if entry.tick > tick => 1,
                _ => return None,
            };
            let apart = entry.tick.0.abs_diff(tick.0);
            (entry.cause == cause).then_some((rank, apart, first + at))
        });
        candidates.min().map(|(.., at)| at)
    }
}

impl<C, E> Entry<C, E> {
    /// Reports the effect as present.
    fn report(&mut self, payload: E) {
        if self.life == Life::Confirmed || self.seen {
            return;
        }
        self.life = Life::Alive;
        self.seen = true;
        if self.payload.is_some() {
            self.payload = Some(payload);
        }
    }
}
