//! Supports of sleepers: the fixed and kinematic bodies that a sleeping body may have a contact with. A command that
//! changes any other body wakes nothing and needs no walk over all contacts. Scratch, and conservative: the set may also contain
//! other bodies, such as dynamic ones, but misses none.

use super::rules::{Rule, Rules};
use crate::Tick;
use crate::data::IndexSet;
use crate::world::World;
use crate::world::frame::Frame;
use crate::world::rows::{BodyIndex, body_of};

/// A set of supports, if it is known.
#[derive(Debug, Default)]
pub(crate) struct Supports {
    known: Option<Known>,
}

#[derive(Debug)]
struct Known {
    bodies: IndexSet<BodyIndex>,
    /// First tick that the set is valid for: it holds the supports of that tick's sleepers and of all later ones.
    since: Tick,
}

impl Supports {
    /// Returns whether a sleeping body may have a contact with this body; true while the set is unknown.
    pub(super) fn may_have(&self, index: BodyIndex) -> bool {
        self.known.as_ref().is_none_or(|known| known.bodies.contains(index))
    }

    /// Adds a body that has a contact with one that falls asleep.
    pub(super) fn add(&mut self, index: BodyIndex) {
        if let Some(known) = &mut self.known {
            known.bodies.insert(index);
        }
    }

    /// Drops the set if `to` is before its first valid tick.
    pub(super) fn rewind(&mut self, to: Tick) {
        if self.known.as_ref().is_some_and(|known| to < known.since) {
            self.known = None;
        }
    }

    /// Collects the supports of every tick that is held, if they are unknown. Not during resimulation: the step has
    /// taken the next tick's old frame out of the timeline, so its sleeping bodies would be missed.
    pub(super) fn find(&mut self, world: &World, rules: &mut Rules) {
        if self.known.is_some() {
            return;
        }
        let mut bodies = IndexSet::new();
        add_all(world, &world.work, None, &mut bodies);
        if !rules.holds(Rule::SupportTicks) {
            self.known = Some(Known { bodies, since: Tick(0) });
            return;
        }
        let mut last = &world.work;
        for tick in world.timeline.ticks().rev() {
            let frame = &world.timeline.entry(tick).frame;
            add_all(world, frame, Some(last), &mut bodies);
            last = frame;
        }
        self.known = Some(Known { bodies, since: *world.timeline.held().start() });
    }
}

/// Adds the bodies of a frame that have a contact; skips pages that `other` shares, which were visited already. Dynamic bodies
/// are included: a command may have changed a body's kind while its contact page stayed the same.
fn add_all(world: &World, frame: &Frame, other: Option<&Frame>, bodies: &mut IndexSet<BodyIndex>) {
    for (s, stream) in frame.streams.iter().enumerate() {
        let known = other.and_then(|other| other.streams.get(s));
        for (p, &page) in stream.contacts.iter().enumerate() {
            if known.and_then(|stream| stream.contacts.get(p)) == Some(&page) {
                continue;
            }
            for row in &world.store.contacts.get(page).rows {
                for body in row.key.shapes().map(body_of) {
                    bodies.insert(body);
                }
            }
        }
    }
}
