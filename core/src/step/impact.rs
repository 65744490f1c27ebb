//! Impacts, at the start of a substep. In an island where a contact with restitution approaches fast enough, the fastest
//! contact gets its impulse, then the fastest of the remaining ones, so that a shock propagates along a Newton's cradle
//! or through a rack. Gravity and the soft contacts follow, and find all points separating.
//!
//! An impact within the substep acts at its time of impact: bodies get the new velocity at once, and a displacement back
//! for the part of the substep before the impact. So the result does not depend on the position of the impact within a
//! substep. An island's result depends on that island only.

use super::constraint::{Motion, NormalRow, SPEED_CAP, ScalarContact, dot, sub, times};
use super::index::{BatchRow, IslandIndex};
use super::islands::Islands;
use super::lanes::Batch;
use super::lanes::pack::Pack;
use super::rows::{MOVED_LIMIT, RowsMut, lock};
use super::scalar_contact;
use crate::data::index::{index_slices, index_types};
use crate::data::{Column, Optional, Tournament, sort_by_key};
use crate::math::{Q20, Q30, Wide};
use core::ops::Range;

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

/// Buffers, reused to avoid allocation.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Last contact of each body. There is none between islands.
    last: Column<BatchRow, Optional<ContactEnd>>,
    /// Previous contact of the same body.
    before: Column<ContactEnd, Optional<ContactEnd>>,
    /// Approaching contacts, by speed and then by order.
    fastest: Tournament,
    group: Vec<Constraint>,
    hits: Vec<Hit>,
    /// Refresh that last updated each contact, and the number of refreshes: each refresh updates a contact once.
    seen: Column<Constraint, u32>,
    refreshes: u32,
}

index_types! {
    /// Index of a contact among those of its island that impacts work on.
    Constraint;
    /// One body's side of such a contact: 2·contact + side.
    ContactEnd;
}

index_slices!(Constraint: ScalarContact);

impl ContactEnd {
    const fn contact(self) -> Constraint {
        Constraint::new(self.get() / 2)
    }
}

/// Limit of impulses per contact of an island; beyond it the rest is left to soft contacts. A shock passes a contact a
/// few times: as often as balls fly into a cradle, and once for each echo. Where echoes never end (a bouncy ball caught
/// under a lid), this limit ends them.
const HITS_PER_CONTACT: usize = 8;

/// Contacts within 1/64 of the fastest approach speed are resolved together. In sequence, the first of two equal
/// contacts would take more, and a symmetric rack would burst to one side.
const TOGETHER_SHIFT: u32 = 6;

/// Maximum number of Gauss-Seidel passes over the points of a group; a single point needs one or two.
const PASSES: u32 = 24;

/// Point of an impact.
#[derive(Clone, Copy, Debug)]
struct Hit {
    contact: Constraint,
    point: u32,
    /// Target of the relative normal velocity, and the impact speed, raw Q20.
    goal: i64,
    impact: i64,
    /// Time of impact as a fraction of the substep.
    time: Q30,
    impulse: Q20,
}

/// Impact of a point in this substep; speeds are raw Q20 and positive.
struct PointImpact {
    /// Current approach speed.
    approach: i64,
    /// Speed that restitution acts on: includes gravity before and after the impact.
    impact: i64,
    time: Q30,
}

/// Resolves the impacts of one island in which a contact with restitution approaches at `least` or faster. The contacts
/// may be in any order.
fn run(
    constraints: &mut [ScalarContact],
    bodies: &mut RowsMut<'_>,
    least: i64,
    buffers: &mut Buffers,
) {
    buffers.link(constraints, bodies.traits.len());
    buffers.fastest.reset(constraints.iter().map(|constraint| key(constraint, bodies, least)));
    let mut left = HITS_PER_CONTACT * constraints.len();
    while left > 0 && buffers.take_group(constraints, bodies) {
        left = left.saturating_sub(buffers.group.len());
        hit(&mut buffers.hits, constraints, bodies);
        buffers.refresh(constraints, bodies, least);
    }
    buffers.unlink(constraints);
}

impl Buffers {
    /// Links the contacts of each body into a list.
    fn link(&mut self, constraints: &[ScalarContact], bodies: usize) {
        self.last.resize(bodies.max(self.last.len()), Optional::none());
        self.before.clear();
        self.seen.reset(constraints.len(), 0);
        self.refreshes = 0;
        for body in constraints.iter().flat_map(|constraint| constraint.bodies) {
            // Two for each contact, so it is the end of this contact at this body.
            let end = Optional::some(self.before.end());
            self.before.push(core::mem::replace(&mut self.last[body], end));
        }
    }

    fn unlink(&mut self, constraints: &[ScalarContact]) {
        for body in constraints.iter().flat_map(|constraint| constraint.bodies) {
            self.last[body] = Optional::none();
        }
    }

    /// Removes the fastest contacts and adds their approaching points to `hits`. Returns `false` if none is left.
    fn take_group(&mut self, constraints: &[ScalarContact], bodies: &RowsMut<'_>) -> bool {
        self.group.clear();
        self.hits.clear();
        let mut floor = 1;
        while let Some((contact, key)) = self.fastest.largest()
            && key >> 32 >= floor
        {
            if self.group.is_empty() {
                let fastest = key >> 32;
                floor = (fastest - (fastest >> TOGETHER_SHIFT)).max(1);
            }
            self.fastest.set(contact, 0);
            let contact = Constraint::new(contact);
            self.group.push(contact);
            self.add_hits(contact, &constraints[contact], bodies);
        }
        !self.group.is_empty()
    }

    /// Adds the approaching points of a contact with their target velocities. All points use its restitution, also those
    /// slower than the fastest, or a box that falls flat would turn.
    fn add_hits(&mut self, contact: Constraint, constraint: &ScalarContact, bodies: &RowsMut<'_>) {
        let along = along(constraint, bodies.motions);
        for (point, row) in constraint.points.iter().enumerate() {
            if let Some(PointImpact { approach, impact, time }) =
                point_impact(constraint, row, along, bodies, 1)
            {
                let back = i64::from(times(constraint.restitution, lane(impact)).to_bits());
                let (point, goal, impulse) = (point as u32, impact - approach + back, Q20::ZERO);
                self.hits.push(Hit { contact, point, goal, impact, time, impulse });
            }
        }
    }

    /// Updates the keys of all contacts of the dynamic bodies in the group.
    fn refresh(&mut self, constraints: &[ScalarContact], bodies: &RowsMut<'_>, least: i64) {
        self.refreshes += 1;
        for &contact in &self.group {
            for body in constraints[contact].bodies {
                if !bodies.traits[body].dynamic {
                    continue;
                }
                let mut link = self.last[body];
                while let Some(end) = link.get() {
                    let other = end.contact();
                    let seen = &mut self.seen[other];
                    if core::mem::replace(seen, self.refreshes) != self.refreshes {
                        self.fastest.set(other.get(), key(&constraints[other], bodies, least));
                    }
                    link = self.before[end];
                }
            }
        }
    }
}

/// Sort key of a contact: by speed, then the lowest order first; zero if it does not approach.
fn key(constraint: &ScalarContact, bodies: &RowsMut<'_>, least: i64) -> u64 {
    match speed(constraint, bodies, least) {
        0 => 0,
        speed => speed << 32 | u64::from(u32::MAX - constraint.order),
    }
}

/// Largest approach speed of the contact's points in this substep, if it is at least `least`, else zero.
fn speed(constraint: &ScalarContact, bodies: &RowsMut<'_>, least: i64) -> u64 {
    let along = along(constraint, bodies.motions);
    let point_impact = |row| point_impact(constraint, row, along, bodies, least);
    constraint.points.iter().filter_map(point_impact).fold(0, |most, m| most.max(m.approach as u64))
}

/// Returns the impact of a point in this substep, if it approaches at `least` or faster; `along` is the linear part of
/// its speed.
#[inline(always)]
fn point_impact(
    constraint: &ScalarContact,
    row: &NormalRow,
    along: i64,
    bodies: &RowsMut<'_>,
    least: i64,
) -> Option<PointImpact> {
    let approach = -(along + turning(constraint, row, bodies.motions));
    if approach < least {
        return None;
    }
    let separation = i64::from(row.separation.to_bits()) + seen(constraint, row, bodies.moved);
    let faster = -acceleration(constraint, row, bodies);
    // Separating accelerations are left to soft contacts, and so are those that exceed the approach speed within a
    // substep.
    let faster = faster.clamp(0, approach);
    if separation > approach + faster {
        return None;
    }
    let time = (separation.max(0) << 30) / (approach + faster);
    let time = Q30::from_bits(time as i32);
    // A falling body is half a substep's gravity faster than its stored velocity, and faster still the later the impact
    // is in the substep. It also gets the full gravity of this substep, including the part before the impact. Without
    // this correction, long bounces lose or gain a few per mille of their height each time.
    let impact = approach + faster / 2 + i64::from(times(time, lane(faster)).to_bits());
    Some(PointImpact { approach, impact, time })
}

/// Relative value of a column along a row, raw Q20.
#[inline(always)]
fn seen(constraint: &ScalarContact, row: &NormalRow, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body]);
    seen_by(constraint, row, a, b)
}

/// Relative value of two motions along a row, raw Q20.
#[inline(always)]
fn seen_by(constraint: &ScalarContact, row: &NormalRow, a: &Motion, b: &Motion) -> i64 {
    let along = dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>();
    let turning = scalar_contact::relative_spin(&row.row, &a.angular, &b.angular);
    i64::from(along.to_bits()) + i64::from(turning.to_bits())
}

/// Linear part of the relative value, which all points of a contact share.
#[inline(always)]
fn along(constraint: &ScalarContact, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body]);
    i64::from(dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>().to_bits())
}

/// Angular part of the relative value.
#[inline(always)]
fn turning(constraint: &ScalarContact, row: &NormalRow, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body]);
    i64::from(scalar_contact::relative_spin(&row.row, &a.angular, &b.angular).to_bits())
}

/// Change of a point's relative normal velocity by gravity and carried impulses in this substep.
fn acceleration(constraint: &ScalarContact, row: &NormalRow, bodies: &RowsMut<'_>) -> i64 {
    let [a, b] = constraint.bodies.map(|body| {
        let (body, carried_impulse) = (&bodies.traits[body], &bodies.carried_impulse[body]);
        let linear =
            [0, 1, 2].map(|i| limited_sum(carried_impulse.linear[i], body.gravity[i], SPEED_CAP));
        Motion { linear, angular: carried_impulse.angular }
    });
    let linear = dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>();
    let turning = scalar_contact::relative_spin(&row.row, &a.angular, &b.angular);
    i64::from(linear.to_bits()) + i64::from(turning.to_bits())
}

/// Applies normal impulses until all points have reached their target or separate faster, then applies friction from
/// these impulses.
fn hit(hits: &mut [Hit], constraints: &mut [ScalarContact], bodies: &mut RowsMut<'_>) {
    // Rounding changes speeds by one; a smaller change is no progress.
    const ENOUGH: i32 = 2;
    for pass in 0..PASSES {
        let mut most = 0;
        for hits in hits.chunk_by_mut(|a, b| a.contact == b.contact) {
            let constraint = &constraints[hits[0].contact];
            let [mut a, mut b] = constraint.bodies.map(|body| bodies.motions[body]);
            let bound = bodies.are_locked(constraint);
            for hit in hits {
                let row = &constraint.points[hit.point as usize];
                let missing = lane(hit.goal - seen_by(constraint, row, &a, &b));
                let wanted = hit.impulse + times(row.effective_mass, missing);
                let impulse = wanted.max(Q20::ZERO).min(constraint.impulse_cap);
                let change = impulse - hit.impulse;
                // No change: after the first pass, locks and caps hold already.
                if pass > 0 && change == Q20::ZERO {
                    continue;
                }
                hit.impulse = impulse;
                most = most.max(change.to_bits().abs());
                push(constraint, row, change, &mut a, &mut b);
                if bound {
                    bodies.lock(constraint, [&mut a, &mut b]);
                }
                (a, b) = (scalar_contact::capped(a), scalar_contact::capped(b));
            }
            bodies.store(constraint, [a, b]);
        }
        if most <= ENOUGH {
            break;
        }
    }
    for hits in hits.chunk_by(|a, b| a.contact == b.contact) {
        finish(hits, &mut constraints[hits[0].contact], bodies);
    }
}

/// Applies the friction of an impact, and the displacement back of both bodies.
fn finish(hits: &[Hit], constraint: &mut ScalarContact, bodies: &mut RowsMut<'_>) {
    let load =
        hits.iter().fold(Q20::ZERO, |sum, hit| scalar_contact::saturating_add(sum, hit.impulse));
    constraint.impact_impulse = scalar_contact::saturating_add(constraint.impact_impulse, load);
    constraint.approach =
        hits.iter().fold(constraint.approach, |most, hit| most.max(lane(hit.impact)));
    let [mut a, mut b] = constraint.bodies.map(|body| bodies.motions[body]);
    let kept = core::mem::replace(&mut constraint.sliding_impulse, [Q20::ZERO; 2]);
    let bound = times(constraint.friction, load.min(constraint.impulse_cap));
    scalar_contact::slide(constraint, bound, &mut a, &mut b);
    let slid = core::mem::replace(&mut constraint.sliding_impulse, kept);
    bodies.lock(constraint, [&mut a, &mut b]);
    bodies.store(constraint, [scalar_contact::capped(a), scalar_contact::capped(b)]);

    let [mut a, mut b] = [Motion::default(); 2];
    for hit in hits {
        let row = &constraint.points[hit.point as usize];
        push(constraint, row, -times(hit.time, hit.impulse), &mut a, &mut b);
    }
    scalar_contact::apply_sliding(
        constraint,
        slid.map(|d| -times(hits[0].time, d)),
        &mut a,
        &mut b,
    );
    for (body, back) in constraint.bodies.into_iter().zip([a, b]) {
        bodies.step_back(body, back);
    }
}

impl RowsMut<'_> {
    /// Returns whether a body of a contact has locked axes.
    #[inline(always)]
    fn are_locked(&self, constraint: &ScalarContact) -> bool {
        constraint.bodies.iter().any(|body| self.traits[*body].locks != 0)
    }

    #[inline(always)]
    fn lock(&self, constraint: &ScalarContact, [a, b]: [&mut Motion; 2]) {
        let [list_a, list_b] = constraint.bodies.map(|body| &self.traits[body]);
        lock(list_a, a);
        lock(list_b, b);
    }

    #[inline(always)]
    fn store(&mut self, constraint: &ScalarContact, motions: [Motion; 2]) {
        for (row, motion) in constraint.bodies.into_iter().zip(motions) {
            self.motions[row] = motion;
        }
    }

    fn step_back(&mut self, body: BatchRow, mut back: Motion) {
        // 64 substeps at full speed sum up to 2³⁴. With this limit the displacement stays below 2³⁷ for any number of
        // impacts.
        const DISPLACEMENT_LIMIT: i64 = 1 << 36;
        lock(&self.traits[body], &mut back);
        let (moved, displacement) = (&mut self.moved[body], &mut self.displacement[body]);
        let add = |displacement: &mut i64, back: Q20| {
            *displacement = (*displacement + i64::from(back.to_bits()))
                .clamp(-DISPLACEMENT_LIMIT, DISPLACEMENT_LIMIT);
        };
        for i in 0..3 {
            moved.linear[i] = limited_sum(moved.linear[i], back.linear[i], MOVED_LIMIT);
            moved.angular[i] = limited_sum(moved.angular[i], back.angular[i], MOVED_LIMIT);
            add(&mut displacement[i], back.linear[i]);
            add(&mut displacement[3 + i], back.angular[i]);
        }
    }
}

/// Applies a normal impulse at one point.
#[inline(always)]
fn push(constraint: &ScalarContact, row: &NormalRow, impulse: Q20, a: &mut Motion, b: &mut Motion) {
    let linear = constraint.normal.map(|n| times(n, impulse));
    scalar_contact::apply_linear(constraint.mass_fraction, &linear, a, b);
    let turn = |side: usize, i: usize| {
        Wide::ZERO.plus(row.row.response[side][i], impulse).round::<22, 20>()
    };
    for i in 0..3 {
        a.angular[i] = a.angular[i] - turn(0, i);
        b.angular[i] = b.angular[i] + turn(1, i);
    }
}

/// Clamps a speed to ±512 m/s, so that no product with an effective mass overflows.
fn lane(speed: i64) -> Q20 {
    const LIMIT: i64 = 1 << 29;
    Q20::from_bits(speed.clamp(-LIMIT, LIMIT) as i32)
}

fn limited_sum(a: Q20, b: Q20, limit: Q20) -> Q20 {
    let sum = i64::from(a.to_bits()) + i64::from(b.to_bits());
    let limit = i64::from(limit.to_bits());
    Q20::from_bits(sum.clamp(-limit, limit) as i32)
}
