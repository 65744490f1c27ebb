//! The ring of a session: `State` of a world, which makes its history longer when a session needs it.

use super::{Driver, Outcome, ensure};
use isostep_core::Tick;
use isostep_core::internals::WorldSlots;
use isostep_core::state::State;

/// Most steps of the world in a tick of the session, on average, before it may let go of old ticks.
const STEPS_IN_A_TICK: u32 = 16;

/// A session's ring.
pub(crate) struct Session {
    slots: WorldSlots,
    capacity: usize,
    /// Ticks of the session that were saved, with the world's own tick, ascending.
    saved: Vec<(Tick, Tick)>,
    /// Pinned ticks of the session.
    pins: Vec<Tick>,
    next: Tick,
    /// Nothing was done to the world that a session forbids.
    pub(super) reliable: bool,
}

impl Driver<'_> {
    pub(super) fn slots(&mut self, argument: u8) -> Outcome {
        let capacity = [2, 1, 4, 8, 3, 12][usize::from(argument) % 6];
        self.note(|| format!("slots({capacity})"));
        let slots = self.actor.world.slots(capacity);
        let saved = Vec::new();
        let session =
            Session { slots, capacity, saved, pins: Vec::new(), next: Tick(1), reliable: true };
        self.actor.session = Some(session);
        self.actor.length = self.actor.length.max(capacity + 1);
        self.count(true);
        self.actor.matches(&self.log, "slots")
    }

    /// Saves the present state as that of the next tick of the session, or of an earlier one. The first save makes the ring.
    pub(super) fn save(&mut self, argument: u8) -> Outcome {
        if self.actor.session.is_none() {
            self.slots(argument)?;
        }
        let Some(session) = &mut self.actor.session else { return Ok(()) };
        let back = if argument < 200 { 0 } else { u32::from(argument) % 4 };
        let tick = session.next - back;
        let now = self.actor.world.tick();
        let unfinished = !self.actor.world.commands().is_empty();
        let result = self.actor.world.save(&mut session.slots, tick);
        if result.is_ok() {
            session.saved.retain(|saved| saved.0 < tick);
            session.pins.retain(|pin| *pin <= tick);
            session.saved.push((tick, now));
            session.next = tick + 1;
        }
        let reliable = session.reliable;
        self.note(|| format!("save({tick}) -> {result:?}"));
        self.count(result.is_ok());
        let refuses = unfinished || !reliable;
        ensure(result.is_ok() || refuses, || format!("save({tick}) is refused: {result:?}"))?;
        self.actor.matches(&self.log, "save")
    }

    pub(super) fn load(&mut self, argument: u8) -> Outcome {
        let Some(session) = &mut self.actor.session else { return Ok(()) };
        if session.saved.is_empty() {
            return Ok(());
        }
        let back = usize::from(argument) % session.saved.len();
        let (tick, world_tick) = session.saved[session.saved.len() - 1 - back];
        let in_ring = self.actor.world.history().contains(&world_tick);
        let now = self.actor.world.tick();
        // Ticks of the last saves must be held, unless the world took very many steps in them.
        let steps = now.since(session.saved[0].1) + 2;
        let promised = session.reliable
            && (back < session.capacity || session.pins.contains(&tick))
            && steps <= (session.capacity as u32 + 1) * STEPS_IN_A_TICK;
        let result = self.actor.world.load(&mut session.slots, tick);
        if result.is_ok() {
            session.saved.retain(|saved| saved.0 <= tick);
            session.pins.retain(|pin| *pin <= tick);
            session.next = tick + 1;
        }
        self.note(|| format!("load({tick}), the world's {world_tick} -> {result:?}"));
        self.count(result.is_ok());
        ensure(result.is_ok() || !promised, || format!("load({tick}) is refused: {result:?}"))?;
        if result.is_ok() {
            return self.went_back(world_tick, in_ring, "load");
        }
        self.actor.matches(&self.log, "a refused load")
    }

    pub(super) fn slot_pin(&mut self, argument: u8) -> Outcome {
        let Some(session) = &mut self.actor.session else { return Ok(()) };
        if session.saved.is_empty() {
            return Ok(());
        }
        let at = usize::from(argument) % session.saved.len();
        let (tick, _) = session.saved[session.saved.len() - 1 - at];
        let result = State::pin(&mut self.actor.world, &mut session.slots, tick);
        if result.is_ok() {
            session.pins.push(tick);
        }
        self.note(|| format!("State::pin({tick}) -> {result:?}"));
        self.count(result.is_ok());
        self.actor.matches(&self.log, "State::pin")
    }

    pub(super) fn slot_unpin(&mut self, argument: u8) -> Outcome {
        let Some(session) = &mut self.actor.session else { return Ok(()) };
        if session.pins.is_empty() {
            return Ok(());
        }
        let at = usize::from(argument) % session.pins.len();
        let tick = session.pins.remove(at);
        let result = State::unpin(&mut self.actor.world, &mut session.slots, tick);
        self.note(|| format!("State::unpin({tick}) -> {result}"));
        self.count(result);
        self.actor.matches(&self.log, "State::unpin")
    }

    pub(super) fn drop_caches(&mut self) -> Outcome {
        let Some(session) = &mut self.actor.session else { return Ok(()) };
        self.actor.world.drop_caches(&mut session.slots);
        self.note(|| "drop_caches".to_owned());
        self.count(true);
        self.actor.matches(&self.log, "drop_caches")
    }

    /// Digests of saved ticks are those that were seen.
    pub(super) fn look_at_session(&self) -> Outcome {
        let Some(session) = &self.actor.session else { return Ok(()) };
        for &(tick, world_tick) in &session.saved {
            let Ok(digest) = State::digest(&self.actor.world, &session.slots, tick) else {
                continue;
            };
            let node = self.log.at(self.actor.node, world_tick);
            let same = node.is_some_and(|node| self.log.nodes[node].digest == digest);
            ensure(same, || format!("State::digest({tick}) is not that of tick {world_tick}"))?;
        }
        Ok(())
    }
}
