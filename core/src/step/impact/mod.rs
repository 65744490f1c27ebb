//! Impacts, at the start of a substep. In an island where a contact with restitution approaches fast enough, the fastest
//! contact gets its impulse, then the fastest of the remaining ones, so that a shock propagates along a Newton's cradle
//! or through a rack. Gravity and the soft contacts follow, and find all points separating.
//!
//! An impact within the substep acts at its time of impact: bodies get the new velocity at once, and a displacement back
//! for the part of the substep before the impact. So the result does not depend on the position of the impact within a
//! substep. An island's result depends on that island only.
//!
//! This file finds the islands with restitution. `order.rs` takes an island's contacts by approach speed, `points.rs`
//! has the speeds and impact times of points, `hits.rs` applies the impulses.

mod hits;
mod order;
mod points;

use super::constraint::ScalarContact;
use super::index::IslandIndex;
use super::islands::Islands;
use super::lanes::Batch;
use super::lanes::pack::Pack;
use crate::data::{Optional, sort_by_key};
use crate::math::{Q20, Q30};
use core::ops::Range;
use order::{Buffers, run};
use points::speed;

/// Islands of a batch with restitution. Their contacts are extracted from the lanes at the first impact of the tick;
/// until then only those with restitution are extracted, to detect it.
#[derive(Debug, Default)]
pub(crate) struct Bouncing {
    groups: Vec<Group>,
    /// Island, pack and lane of each contact of the groups, sorted by island.
    at: Vec<At>,
    sort: Vec<At>,
    /// First point row of each pack.
    starts: Vec<usize>,
    /// Contacts with restitution, sorted by island.
    bouncy: Vec<ScalarContact>,
    /// All contacts of the groups that had an impact.
    constraints: Vec<ScalarContact>,
    buffers: Buffers,
}

/// Island with restitution, as ranges of the columns above.
#[derive(Debug)]
struct Group {
    at: Range<usize>,
    bouncy: Range<usize>,
    /// Start of its constraints, if there was an impact.
    constraints: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct At {
    island: Optional<IslandIndex>,
    pack: u32,
    lane: u32,
}

impl Bouncing {
    /// Finds the islands in which a contact has restitution.
    pub(super) fn take(&mut self, batch: &Batch<'_>, islands: &Islands) {
        let Self { groups, at, sort, starts, bouncy, constraints, .. } = self;
        groups.clear();
        at.clear();
        bouncy.clear();
        constraints.clear();
        for (pack, packed) in (0..).zip(&*batch.packs) {
            for (lane, _) in packed.lanes() {
                let rows = packed.bodies.map(|rows| &batch.rows.traits[rows[lane]]);
                let own = rows.into_iter().find(|traits| traits.dynamic);
                let island = own.map_or_else(Optional::none, |own| islands.numbers[own.place]);
                at.push(At { island, pack, lane: lane as u32 });
            }
        }
        sort_by_key(at, sort, |at| at.island.order());
        // Point rows of a pack begin where those of the packs before it end.
        let mut first = 0;
        starts.clear();
        for pack in &*batch.packs {
            starts.push(first);
            first += pack.points as usize;
        }
        let bounces =
            |at: &&At| batch.packs[at.pack as usize].restitution.get(at.lane as usize) > Q30::ZERO;
        let mut from = 0;
        for island in at.chunk_by(|a, b| a.island == b.island) {
            let first = bouncy.len();
            bouncy.extend(island.iter().filter(bounces).map(|at| at.scalar_contact(batch, starts)));
            if bouncy.len() > first {
                let at = from..from + island.len();
                groups.push(Group { at, bouncy: first..bouncy.len(), constraints: None });
            }
            from += island.len();
        }
        // All contacts of the groups may have an impact in any tick.
        constraints.reserve(groups.iter().map(|group| group.at.len()).sum());
    }

    /// Resolves all impacts of this substep.
    pub(super) fn run(&mut self, batch: &mut Batch<'_>, islands: &Islands, threshold: Q20) {
        let Self { groups, at, starts, bouncy, constraints, buffers, .. } = self;
        let least = i64::from(threshold.to_bits());
        for group in groups {
            // Only the impact count of these contacts changes, and it has no effect here.
            let starting = |constraint: &ScalarContact| speed(constraint, &batch.rows, least) > 0;
            if !bouncy[group.bouncy.clone()].iter().any(starting) {
                continue;
            }
            let from = *group.constraints.get_or_insert_with(|| {
                let from = constraints.len();
                constraints.extend(at[group.at.clone()].iter().map(|at| {
                    let contact = batch.packs[at.pack as usize].contacts[at.lane as usize].get();
                    let order = islands.ranks[contact.expect("the lane has a contact")];
                    ScalarContact { order, ..at.scalar_contact(batch, starts) }
                }));
                from
            });
            run(&mut constraints[from..from + group.at.len()], &mut batch.rows, least, buffers);
        }
    }

    /// Writes approach speeds and impact impulses back to the lanes.
    pub(super) fn put(&self, packs: &mut [Pack]) {
        for group in &self.groups {
            let Some(from) = group.constraints else { continue };
            for (at, constraint) in self.at[group.at.clone()].iter().zip(&self.constraints[from..])
            {
                let pack = &mut packs[at.pack as usize];
                pack.approach.set(at.lane as usize, constraint.approach);
                pack.impact_impulse.set(at.lane as usize, constraint.impact_impulse);
            }
        }
    }
}

impl At {
    /// Extracts the contact from its lane; `starts` has the first point row of each pack.
    fn scalar_contact(&self, batch: &Batch<'_>, starts: &[usize]) -> ScalarContact {
        let (pack, from) = (&batch.packs[self.pack as usize], starts[self.pack as usize]);
        pack.scalar_contact(self.lane as usize, &batch.points[from..from + pack.points as usize])
    }
}
