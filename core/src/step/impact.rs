//! Impacts, at the start of a substep: in an island where something bouncy meets fast enough, the fastest contact
//! gets its impulse, then the fastest of what is left, so that a shock travels along a cradle or through a rack.
//! Gravity and the soft contacts come after, and find everything parting.
//!
//! What meets within the substep is hit at the moment it meets: bodies get the speed at once, and a step back
//! for the part of the substep that was over by then. So nothing depends on where in a substep a fall ends.
//! An island's result depends on that island alone.

use super::constraint::{Motion, NormalRow, SPEED_CAP, ScalarContact, dot, sub, times};
use super::islands::Islands;
use super::lanes::Batch;
use super::lanes::pack::Pack;
use super::rows::{MOVED_LIMIT, RowsMut, lock};
use super::scalar_contact;
use crate::data::{Tournament, sort_by_key};
use crate::math::{Q20, Q30, Wide};
use core::ops::Range;

/// Islands of a batch in which something bounces. Their contacts are taken out of the lanes when the first impact of the
/// tick comes; until then those that bounce are enough to see whether it does.
#[derive(Debug, Default)]
pub(crate) struct Bouncing {
    groups: Vec<Group>,
    /// The island, pack and lane of each contact of the groups, by island.
    at: Vec<At>,
    sort: Vec<At>,
    /// Where the points of each pack begin.
    starts: Vec<usize>,
    /// Those with restitution, by island.
    bouncy: Vec<ScalarContact>,
    /// All contacts of the groups that were hit.
    constraints: Vec<ScalarContact>,
    buffers: Buffers,
}

/// An island in which something bounces, as ranges of the columns above.
#[derive(Debug)]
struct Group {
    at: Range<usize>,
    bouncy: Range<usize>,
    /// Where its blocks begin, if something was hit.
    constraints: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct At {
    island: u32,
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
                let rows = packed.bodies.map(|rows| &batch.rows.traits[rows[lane] as usize]);
                let own = rows.into_iter().find(|traits| traits.dynamic);
                let island = own.map_or(u32::MAX, |own| islands.numbers[own.place as usize]);
                at.push(At { island, pack, lane: lane as u32 });
            }
        }
        sort_by_key(at, sort, |at| u64::from(at.island));
        // Rows of a pack's points begin where those of the packs before it end.
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
        // In any tick all of them may be hit.
        constraints.reserve(groups.iter().map(|group| group.at.len()).sum());
    }

    /// Has everything bounce that meets fast enough in this substep.
    pub(super) fn run(&mut self, batch: &mut Batch<'_>, islands: &Islands, threshold: Q20) {
        let Self { groups, at, starts, bouncy, constraints, buffers, .. } = self;
        let least = i64::from(threshold.to_bits());
        for group in groups {
            // What may start it never changes but for how often it was hit, which does not matter here.
            let starting = |constraint: &ScalarContact| speed(constraint, &batch.rows, least) > 0;
            if !bouncy[group.bouncy.clone()].iter().any(starting) {
                continue;
            }
            let from = *group.constraints.get_or_insert_with(|| {
                let from = constraints.len();
                constraints.extend(at[group.at.clone()].iter().map(|at| {
                    let contact = batch.packs[at.pack as usize].contacts[at.lane as usize];
                    let order = islands.ranks[contact as usize];
                    ScalarContact { order, ..at.scalar_contact(batch, starts) }
                }));
                from
            });
            run(&mut constraints[from..from + group.at.len()], &mut batch.rows, least, buffers);
        }
    }

    /// Tells the lanes how their contacts were hit.
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
    /// The contact out of its lane; `starts` says where the points of each pack begin.
    fn scalar_contact(&self, batch: &Batch<'_>, starts: &[usize]) -> ScalarContact {
        let (pack, from) = (&batch.packs[self.pack as usize], starts[self.pack as usize]);
        pack.scalar_contact(self.lane as usize, &batch.points[from..from + pack.points as usize])
    }
}

/// Columns that are kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Last contact of each body, by place: 2·contact + side. All are `NONE` between islands.
    last: Vec<u32>,
    /// The one before it of the same body, by 2·contact + side.
    before: Vec<u32>,
    /// Contacts that meet, by speed and then by order.
    fastest: Tournament,
    group: Vec<u32>,
    hits: Vec<Hit>,
    /// The refresh that last saw each contact, and how many there were: a contact is looked at once in each.
    seen: Vec<u32>,
    refreshes: u32,
}

const NONE: u32 = u32::MAX;

/// An island gets this many impulses for each of its contacts, then the rest is left to soft contacts. A shock
/// passes a contact a few times: as often as balls fly into a cradle, and once for each echo. Where echoes never
/// end (a bouncy ball caught under a lid), this ends them.
const HITS_PER_CONTACT: usize = 8;

/// Contacts within 1/64 of the fastest one's speed are hit together. One after the other, the first of two that
/// should be equal would take more, and a rack that is symmetric would burst to one side.
const TOGETHER_SHIFT: u32 = 6;

/// Passes over the points that are hit together, at most; one or two do for a single point.
const PASSES: u32 = 24;

/// A point that is being hit.
#[derive(Clone, Copy, Debug)]
struct Hit {
    contact: u32,
    point: u32,
    /// Relative speed along the normal that the hit must reach, and the speed it meets, raw Q20.
    goal: i64,
    impact: i64,
    /// When in the substep it is.
    time: Q30,
    impulse: Q20,
}

/// How a point meets in this substep; speeds are raw Q20 and positive.
struct Meeting {
    /// How fast the surfaces approach now.
    approach: i64,
    /// How fast an impact has to take them to be, counting what gravity does before and after it.
    impact: i64,
    time: Q30,
}

/// Impacts of one island, in which one that bounces meets at `least` or faster; `blocks` are its contacts in any order.
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
    /// Strings the contacts of each dynamic body together.
    fn link(&mut self, constraints: &[ScalarContact], bodies: usize) {
        self.last.resize(bodies.max(self.last.len()), NONE);
        self.before.clear();
        self.seen.clear();
        self.seen.resize(constraints.len(), 0);
        self.refreshes = 0;
        for (contact, constraint) in constraints.iter().enumerate() {
            for (side, body) in constraint.bodies.into_iter().enumerate() {
                let last = &mut self.last[body as usize];
                self.before.push(core::mem::replace(last, (2 * contact + side) as u32));
            }
        }
    }

    fn unlink(&mut self, constraints: &[ScalarContact]) {
        for body in constraints.iter().flat_map(|constraint| constraint.bodies) {
            self.last[body as usize] = NONE;
        }
    }

    /// Takes the fastest contacts out, with their points that meet; `false` if none is left.
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
            self.group.push(contact);
            self.aim(contact, &constraints[contact as usize], bodies);
        }
        !self.group.is_empty()
    }

    /// What the points of a contact that meet must come to: all of them with its restitution, also those slower than
    /// the fastest, or a box that falls flat would turn.
    fn aim(&mut self, contact: u32, constraint: &ScalarContact, bodies: &RowsMut<'_>) {
        let along = along(constraint, bodies.motions);
        for (point, row) in constraint.points.iter().enumerate() {
            if let Some(Meeting { approach, impact, time }) =
                meeting(constraint, row, along, bodies, 1)
            {
                let back = i64::from(times(constraint.restitution, lane(impact)).to_bits());
                let (point, goal, impulse) = (point as u32, impact - approach + back, Q20::ZERO);
                self.hits.push(Hit { contact, point, goal, impact, time, impulse });
            }
        }
    }

    /// Puts contacts back whose bodies were hit.
    fn refresh(&mut self, constraints: &[ScalarContact], bodies: &RowsMut<'_>, least: i64) {
        self.refreshes += 1;
        for &contact in &self.group {
            for body in constraints[contact as usize].bodies {
                if !bodies.traits[body as usize].dynamic {
                    continue;
                }
                let mut link = self.last[body as usize];
                while link != NONE {
                    let other = link / 2;
                    let seen = &mut self.seen[other as usize];
                    if core::mem::replace(seen, self.refreshes) != self.refreshes {
                        self.fastest.set(other, key(&constraints[other as usize], bodies, least));
                    }
                    link = self.before[link as usize];
                }
            }
        }
    }
}

/// A contact's place among those that meet: by speed, then the lowest order first; zero if it does not meet.
fn key(constraint: &ScalarContact, bodies: &RowsMut<'_>, least: i64) -> u64 {
    match speed(constraint, bodies, least) {
        0 => 0,
        speed => speed << 32 | u64::from(u32::MAX - constraint.order),
    }
}

/// The fastest that a point of the contact meets in this substep, if it is at least `least`, else zero.
fn speed(constraint: &ScalarContact, bodies: &RowsMut<'_>, least: i64) -> u64 {
    let along = along(constraint, bodies.motions);
    let meeting = |row| meeting(constraint, row, along, bodies, least);
    constraint.points.iter().filter_map(meeting).fold(0, |most, m| most.max(m.approach as u64))
}

/// How a point meets in this substep, if it does, and at `least` or faster; `along` is the bodies' part of its speed.
#[inline(always)]
fn meeting(
    constraint: &ScalarContact,
    row: &NormalRow,
    along: i64,
    bodies: &RowsMut<'_>,
    least: i64,
) -> Option<Meeting> {
    let approach = -(along + turning(constraint, row, bodies.motions));
    if approach < least {
        return None;
    }
    let separation = i64::from(row.separation.to_bits()) + seen(constraint, row, bodies.moved);
    let faster = -acceleration(constraint, row, bodies);
    // What pushes them apart is left to soft contacts, and so is what would change everything within a substep.
    let faster = faster.clamp(0, approach);
    if separation > approach + faster {
        return None;
    }
    let time = (separation.max(0) << 30) / (approach + faster);
    let time = Q30::from_bits(time as i32);
    // On the way down, bodies that fall are half a substep's gravity faster than their velocity says, and the more
    // the later they meet. And they will get all of this substep's gravity, also of the part before they met. Without
    // this, what bounces for long loses or gains a few per mille of its height each time.
    let impact = approach + faster / 2 + i64::from(times(time, lane(faster)).to_bits());
    Some(Meeting { approach, impact, time })
}

/// What a row sees of a column, raw Q20.
#[inline(always)]
fn seen(constraint: &ScalarContact, row: &NormalRow, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body as usize]);
    seen_by(constraint, row, a, b)
}

/// The same of two bodies.
#[inline(always)]
fn seen_by(constraint: &ScalarContact, row: &NormalRow, a: &Motion, b: &Motion) -> i64 {
    let along = dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>();
    let turning = scalar_contact::relative_spin(&row.row, &a.angular, &b.angular);
    i64::from(along.to_bits()) + i64::from(turning.to_bits())
}

/// The bodies' part of it, which all points of a contact share.
#[inline(always)]
fn along(constraint: &ScalarContact, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body as usize]);
    i64::from(dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>().to_bits())
}

/// The part of their spin.
#[inline(always)]
fn turning(constraint: &ScalarContact, row: &NormalRow, column: &[Motion]) -> i64 {
    let [a, b] = constraint.bodies.map(|body| &column[body as usize]);
    i64::from(scalar_contact::relative_spin(&row.row, &a.angular, &b.angular).to_bits())
}

/// What gravity and the forces of contacts will do to the relative speed of a point in this substep.
fn acceleration(constraint: &ScalarContact, row: &NormalRow, bodies: &RowsMut<'_>) -> i64 {
    let [a, b] = constraint.bodies.map(|body| {
        let (body, carried_impulse) =
            (&bodies.traits[body as usize], &bodies.carried_impulse[body as usize]);
        let linear =
            [0, 1, 2].map(|i| limited_sum(carried_impulse.linear[i], body.gravity[i], SPEED_CAP));
        Motion { linear, angular: carried_impulse.angular }
    });
    let linear = dot(&constraint.normal, &sub(&b.linear, &a.linear)).round::<30, 20>();
    let turning = scalar_contact::relative_spin(&row.row, &a.angular, &b.angular);
    i64::from(linear.to_bits()) + i64::from(turning.to_bits())
}

/// Pushes until all points have reached their goals or part faster, then lets friction act on what that took.
fn hit(hits: &mut [Hit], constraints: &mut [ScalarContact], bodies: &mut RowsMut<'_>) {
    // Rounding moves speeds by one; less than that is no progress.
    const ENOUGH: i32 = 2;
    for pass in 0..PASSES {
        let mut most = 0;
        for hits in hits.chunk_by_mut(|a, b| a.contact == b.contact) {
            let constraint = &constraints[hits[0].contact as usize];
            let [mut a, mut b] = constraint.bodies.map(|body| bodies.motions[body as usize]);
            let bound = bodies.are_locked(constraint);
            for hit in hits {
                let row = &constraint.points[hit.point as usize];
                let missing = lane(hit.goal - seen_by(constraint, row, &a, &b));
                let wanted = hit.impulse + times(row.effective_mass, missing);
                let impulse = wanted.max(Q20::ZERO).min(constraint.impulse_cap);
                let change = impulse - hit.impulse;
                // Nothing moves, and after the first pass there is nothing to lock or to cap either.
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
        finish(hits, &mut constraints[hits[0].contact as usize], bodies);
    }
}

/// Friction of a contact that was hit, and the step back for both.
fn finish(hits: &[Hit], constraint: &mut ScalarContact, bodies: &mut RowsMut<'_>) {
    let load =
        hits.iter().fold(Q20::ZERO, |sum, hit| scalar_contact::saturating_add(sum, hit.impulse));
    constraint.impact_impulse = scalar_contact::saturating_add(constraint.impact_impulse, load);
    constraint.approach =
        hits.iter().fold(constraint.approach, |most, hit| most.max(lane(hit.impact)));
    let [mut a, mut b] = constraint.bodies.map(|body| bodies.motions[body as usize]);
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
        bodies.step_back(body as usize, back);
    }
}

impl RowsMut<'_> {
    /// Whether a body of a contact has locked axes.
    #[inline(always)]
    fn are_locked(&self, constraint: &ScalarContact) -> bool {
        constraint.bodies.iter().any(|body| self.traits[*body as usize].locks != 0)
    }

    #[inline(always)]
    fn lock(&self, constraint: &ScalarContact, [a, b]: [&mut Motion; 2]) {
        let [list_a, list_b] = constraint.bodies.map(|body| &self.traits[body as usize]);
        lock(list_a, a);
        lock(list_b, b);
    }

    #[inline(always)]
    fn store(&mut self, constraint: &ScalarContact, motions: [Motion; 2]) {
        for (row, motion) in constraint.bodies.into_iter().zip(motions) {
            self.motions[row as usize] = motion;
        }
    }

    fn step_back(&mut self, body: usize, mut back: Motion) {
        // What 64 substeps can make at full speed is 2³⁴; however often a body is hit, the way stays below 2³⁷.
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

/// An impulse along the normal at one point.
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

/// A speed within ±512 m/s, so that no product with a row's factor overflows.
fn lane(speed: i64) -> Q20 {
    const LIMIT: i64 = 1 << 29;
    Q20::from_bits(speed.clamp(-LIMIT, LIMIT) as i32)
}

fn limited_sum(a: Q20, b: Q20, limit: Q20) -> Q20 {
    let sum = i64::from(a.to_bits()) + i64::from(b.to_bits());
    let limit = i64::from(limit.to_bits());
    Q20::from_bits(sum.clamp(-limit, limit) as i32)
}
