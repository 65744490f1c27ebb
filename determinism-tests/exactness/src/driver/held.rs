//! Calls that change which ticks are held and how ticks are computed, and views of what is held.

use super::{Driver, Outcome, ensure};
use crate::log::{Edge, accepted};
use crate::rays;
use crate::script::history_length;
use isostep_core::Tick;
use isostep_core::internals::Lanes;
use isostep_core::parallel::Threads;
use isostep_core::world::{ContactView, ResimMode};

thread_local! {
    /// Pools of two and three threads that share even small steps.
    static POOLS: [Threads; 2] = [2, 3].map(|count| {
        Threads::new(count).expect("this machine has threads").eager()
    });
}

impl Driver<'_> {
    pub(super) fn set_history(&mut self, argument: u8) -> Outcome {
        let length = history_length(argument);
        self.note(|| format!("set_history({length})"));
        let actor = &mut self.actor;
        actor.world.set_history(length);
        actor.length = length;
        let held = actor.world.tick().next() - length as u32;
        actor.floor = actor.floor.max(held);
        if let Some(session) = &mut actor.session {
            session.reliable = false;
        }
        let oldest = *actor.world.history().start();
        ensure(oldest <= actor.floor, || {
            format!("set_history: tick {} must be held", actor.floor)
        })?;
        self.count(true);
        self.actor.matches(&self.log, "set_history")
    }

    pub(super) fn pin(&mut self, argument: u8) -> Outcome {
        let (oldest, now) = self.actor.world.history().into_inner();
        let tick = now - u32::from(argument) % (now.since(oldest) + 2);
        let known =
            self.actor.world.history().contains(&tick) || self.actor.pins.contains_key(&tick);
        let result = self.actor.world.pin(tick);
        self.note(|| format!("pin({tick}) -> {result:?}"));
        self.count(result.is_ok());
        if result.is_ok() {
            *self.actor.pins.entry(tick).or_default() += 1;
        }
        ensure(result.is_ok() || !known, || format!("pin({tick}) is refused: {result:?}"))?;
        self.actor.matches(&self.log, "pin")
    }

    pub(super) fn unpin(&mut self, argument: u8) -> Outcome {
        let Some(tick) = self.pinned(argument) else { return Ok(()) };
        let result = self.actor.world.unpin(tick);
        self.note(|| format!("unpin({tick}) -> {result}"));
        self.count(result);
        ensure(result, || format!("unpin({tick}) knows no pin"))?;
        let pins = &mut self.actor.pins;
        if let Some(count) = pins.get_mut(&tick) {
            *count -= 1;
        }
        pins.retain(|_, count| *count > 0);
        self.actor.matches(&self.log, "unpin")
    }

    pub(super) fn rewind_to_pin(&mut self, argument: u8) -> Outcome {
        self.pinned(argument).map_or(Ok(()), |tick| self.rewind(tick))
    }

    fn pinned(&self, argument: u8) -> Option<Tick> {
        let pins = &self.actor.pins;
        pins.keys().copied().nth(usize::from(argument) % pins.len().max(1))
    }

    pub(super) fn drop_scratch(&mut self) -> Outcome {
        self.note(|| "drop_scratch".to_owned());
        self.actor.world.drop_scratch();
        self.count(true);
        self.actor.matches(&self.log, "drop_scratch")
    }

    pub(super) fn drop_step_records(&mut self) -> Outcome {
        self.note(|| "drop_step_records".to_owned());
        self.actor.world.drop_step_records();
        self.count(true);
        self.actor.matches(&self.log, "drop_step_records")
    }

    pub(super) fn set_mode(&mut self, argument: u8) {
        let modes =
            [ResimMode::Incremental, ResimMode::Full, ResimMode::Verify, ResimMode::Incremental];
        let mode = modes[usize::from(argument & 3)];
        self.note(|| format!("set_resim_mode({mode:?})"));
        self.actor.world.set_resim_mode(mode);
        self.count(true);
    }

    pub(super) fn set_lanes(&mut self, argument: u8) {
        let lanes = Lanes::ALL[(usize::from(argument) + 4) % 5];
        let can = self.actor.world.set_lanes(lanes);
        self.note(|| format!("set_lanes({lanes:?}) -> {can}"));
        self.count(can);
    }

    pub(super) fn set_threads(&mut self, argument: u8) {
        let count = [1, 1, 2, 3][usize::from(argument & 3)];
        self.note(|| format!("set_threads({count})"));
        let pool = |n: usize| POOLS.with(|pools| pools[n].clone());
        let threads = if count == 1 { Threads::ONE } else { pool(count - 2) };
        self.actor.world.set_threads(threads);
        self.count(true);
    }

    /// Reads every tick that is held.
    pub(super) fn look(&mut self) -> Outcome {
        self.count(true);
        let actor = &self.actor;
        let (oldest, now) = actor.world.history().into_inner();
        let held = (oldest.0..=now.0).map(Tick);
        for tick in held.chain(actor.pins.keys().copied()) {
            let Some(node) = self.log.at(actor.node, tick) else { continue };
            let node = &self.log.nodes[node];
            let digest = actor.world.digest_at(tick);
            ensure(digest == Ok(node.digest), || format!("digest_at({tick}) gives {digest:?}"))?;
            let past = actor.world.past(tick);
            let same = past.is_ok_and(|past| past.events().eq(node.events.iter().copied()));
            ensure(same, || format!("past({tick}) has other events than were seen"))?;
            let same = past.is_ok_and(|past| rays::then(past) == node.hits);
            ensure(same, || format!("rays of past({tick}) do not hit what they hit before"))?;
            // Commands of a tick may be unknown, never wrong.
            let known = past.map_or(&[][..], |past| past.commands());
            let given =
                if let Edge::Step(calls) = &node.edge { accepted(calls) } else { Vec::new() };
            ensure(known.is_empty() || known == given, || {
                format!("past({tick}) has the commands {known:?} instead of {given:?}")
            })?;
        }
        let given = accepted(&actor.calls);
        ensure(actor.world.commands() == given, || {
            format!("the commands are {:?} instead of {given:?}", actor.world.commands())
        })?;
        // Views must not fail, whatever the state.
        let (world, report) = (&actor.world, actor.world.history_report());
        let pairs = world.contacts().filter(ContactView::is_touching).count();
        let islands = world.islands().iter().count();
        let enough = report.ticks > now.since(oldest);
        ensure(enough, || format!("history_report: {report:?}, {pairs} pairs, {islands} islands"))?;
        self.look_at_session()
    }
}
