//! Sixth and seventh phase: blocks from contacts, then the substeps, cluster by cluster.
//!
//! One warm pass a tick; after that each body carries what contacts did to it in a substep into the next, so one
//! pass a substep is enough. The last substep ends with a relax pass.

use super::Scratch;
use super::block::{Block, Motion, V};
use super::bodies::StepBody;
use super::fence::{Column, NONE};
use super::impact;
use super::kernel::{self, Pass, SPEED_CAP};
use super::prepare::{self, Common, Softness};
use crate::math::{Q20, Q30, Real};
use crate::world::{World, real_vector};

/// Columns that live within a tick.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Sum of the velocities of the substeps so far, cut where contacts need no more.
    moved: Column<Motion>,
    /// The same in full.
    pub(super) way: Column<[i64; 6]>,
    /// What contacts did to each body in the last substep.
    carried: Column<Motion>,
    start: Column<Motion>,
    /// Kinematic bodies that the cluster touches.
    visited: Vec<u32>,
    impacts: impact::Buffers,
}

/// What all clusters share.
#[derive(Clone, Copy)]
struct Shared {
    /// How fast overlaps are pushed apart.
    push: Q20,
    /// What meets slower does not bounce.
    threshold: Q20,
    substeps: u32,
}

/// What bodies move in a tick for the purpose of separations is cut here, half a metre at 480 substeps a second.
pub(super) const MOVED_LIMIT: Q20 = Q20::from_bits(1 << 28);

/// Damping ratio of contacts: over-damped, so that they don't bounce.
const DAMPING_RATIO: Real = Real::from_int(2);

pub(super) fn prepare(world: &World, scratch: &mut Scratch) {
    let common = common(world);
    let threshold = Q20::from_real_saturating(world.def.impact_speed);
    let bodies = &scratch.bodies.list;
    scratch.blocks.resize(scratch.clusters.contacts.len(), Block::default());
    for (block, &place) in scratch.blocks.iter_mut().zip(&scratch.clusters.contacts) {
        let contact = &mut scratch.contacts[place as usize];
        let sides = contact.bodies.map(|body| &bodies[body as usize]);
        let motions = contact.bodies.map(|body| &scratch.bodies.motions[body as usize]);
        prepare::prepare(block, contact, contact.bodies, sides, motions, &common);
        block.order = scratch.clusters.ranks[place as usize];
        if block.approach >= threshold {
            let gap = contact.separations[..contact.row.points.len()].iter().min();
            let gap = Real::from_bits(gap.copied().unwrap_or(0).max(0));
            let time = (gap / block.approach.to_real()).min(scratch.shared.tick);
            contact.lead = real_vector(motions[0].linear) * time;
        }
    }
}

fn common(world: &World) -> Common {
    let rate = Real::from_int((world.def.tick_rate * world.def.substeps) as i32);
    // An eighth of the substep rate is as stiff as contacts can be and stay still.
    let frequency = rate / Real::from_int(8);
    Common {
        dynamic: softness(frequency, rate),
        rigid: softness(frequency + frequency, rate),
        rate: i64::from(world.def.tick_rate * world.def.substeps),
    }
}

/// A spring of this frequency, implicit in a substep.
fn softness(frequency: Real, rate: Real) -> Softness {
    let turn = Real::TAU * frequency / rate;
    let damped = DAMPING_RATIO + DAMPING_RATIO + turn;
    let stiff = turn * damped;
    Softness {
        softness: Q30::from_real_saturating(stiff / (Real::ONE + stiff)).odd(),
        bias_rate: Q30::from_real_saturating(turn / damped).odd(),
    }
}

pub(super) fn run(world: &World, scratch: &mut Scratch) {
    let Scratch { bodies, blocks, solver, clusters, .. } = scratch;
    let (list, motions) = (&bodies.list[..], &mut bodies.motions);
    let shared = Shared {
        push: Q20::from_real_saturating(world.def.push_speed),
        threshold: Q20::from_real_saturating(world.def.impact_speed),
        substeps: world.def.substeps,
    };
    solver.reset(list.len());
    motions.fence(&clusters.labels);
    solver.fence(&clusters.labels);
    for cluster in &clusters.list {
        motions.open(cluster.label);
        solver.open(cluster.label);
        let members = &clusters.members[cluster.members.clone()];
        let blocks = &mut blocks[cluster.contacts.clone()];
        #[cfg(feature = "test-internals")]
        let shared = plant(shared, clusters, motions);
        solver.visit(list, blocks);
        run_cluster(list, members, blocks, motions, solver, shared);
    }
    motions.open(NONE);
    solver.open(NONE);
}

/// The same with a planted fault.
#[cfg(feature = "test-internals")]
fn plant(shared: Shared, clusters: &super::clusters::Clusters, motions: &Column<Motion>) -> Shared {
    let more = match clusters.plant {
        Some(super::Plant::GlobalCounter) => {
            Q20::from_bits((clusters.contacts.len() as i32 % 64) << 10)
        }
        Some(super::Plant::ReadOutside) => motions[clusters.members[0] as usize].linear[0],
        _ => return shared,
    };
    Shared { push: shared.push + more, ..shared }
}

/// All substeps of one cluster: its bodies and contacts stay at hand until it is done.
fn run_cluster(
    list: &[StepBody],
    members: &[u32],
    blocks: &mut [Block],
    motions: &mut Column<Motion>,
    solver: &mut Buffers,
    Shared { push, threshold, substeps }: Shared,
) {
    let members = || members.iter().map(|place| *place as usize);
    let bounces = blocks.iter().any(|block| block.restitution > Q30::ZERO);
    members().for_each(|place| damp(&list[place], &mut motions[place]));
    if bounces {
        solver.impacts(list, blocks, motions, threshold);
    }
    for place in members() {
        accelerate(&list[place], &mut motions[place], &Motion::default());
        solver.start[place] = motions[place];
    }
    for block in blocks.iter() {
        kernel::warm_start(block, motions);
    }
    for place in members() {
        solver.carried[place] = combine(&motions[place], &solver.start[place], |m, s| m - s);
    }
    for substep in 0..substeps {
        if bounces && substep > 0 {
            solver.impacts(list, blocks, motions, threshold);
        }
        for place in members() {
            if substep > 0 {
                accelerate(&list[place], &mut motions[place], &solver.carried[place]);
            }
            solver.start[place] = motions[place];
        }
        for block in blocks.iter_mut() {
            kernel::solve(block, motions, &solver.moved, push, Pass::Biased);
        }
        for place in members() {
            lock(&list[place], &mut motions[place]);
            solver.advance(place, &motions[place]);
        }
        for i in 0..solver.visited.len() {
            let place = solver.visited[i] as usize;
            solver.advance(place, &motions[place]);
        }
        if substep + 1 == substeps {
            for block in blocks.iter_mut() {
                kernel::solve(block, motions, &solver.moved, push, Pass::Relax);
            }
        }
        for place in members() {
            let change = combine(&motions[place], &solver.start[place], |m, s| m - s);
            let carried = &mut solver.carried[place];
            *carried = combine(carried, &change, |c, d| (c + d).clamp_abs(SPEED_CAP));
        }
    }
    // The relax pass knows no locks, and gravity no caps.
    for place in members() {
        let (body, motion) = (&list[place], &mut motions[place]);
        lock(body, motion);
        motion.linear = motion.linear.map(|c| c.clamp_abs(body.speed_cap));
    }
}

impl Buffers {
    fn reset(&mut self, count: usize) {
        for column in [&mut self.moved, &mut self.carried, &mut self.start] {
            column.reset(count);
        }
        self.way.reset(count);
    }

    fn fence(&mut self, labels: &[u32]) {
        for column in [&mut self.moved, &mut self.carried, &mut self.start] {
            column.fence(labels);
        }
        self.way.fence(labels);
    }

    fn open(&mut self, label: u32) {
        for column in [&mut self.moved, &mut self.carried, &mut self.start] {
            column.open(label);
        }
        self.way.open(label);
    }

    /// Finds the moving bodies that do not belong to the cluster; several clusters may touch one, and each sees it move
    /// from the start.
    fn visit(&mut self, list: &[StepBody], blocks: &[Block]) {
        self.visited.clear();
        for block in blocks {
            for place in block.bodies {
                let body = &list[place as usize];
                if body.awake && !body.dynamic && !self.visited.contains(&place) {
                    self.visited.push(place);
                    self.moved[place as usize] = Motion::default();
                    self.way[place as usize] = [0; 6];
                }
            }
        }
    }

    /// Has everything in the cluster bounce that meets fast enough in this substep.
    fn impacts(
        &mut self,
        list: &[StepBody],
        blocks: &mut [Block],
        motions: &mut Column<Motion>,
        threshold: Q20,
    ) {
        let Self { moved, way, carried, impacts, .. } = self;
        let mut bodies = impact::Bodies { list, motions, moved, way, carried };
        impact::run(blocks, &mut bodies, threshold, impacts);
    }

    /// Moves a body on by one substep.
    #[inline(always)]
    fn advance(&mut self, place: usize, motion: &Motion) {
        let moved = &mut self.moved[place];
        *moved = combine(moved, motion, |a, b| limited_sum(a, b, MOVED_LIMIT));
        let lanes = motion.linear.iter().chain(&motion.angular);
        let way = &mut self.way[place];
        way.iter_mut().zip(lanes).for_each(|(way, v)| *way += i64::from(v.to_bits()));
    }
}

/// Adds gravity and what contacts did in the last substep.
fn accelerate(body: &StepBody, motion: &mut Motion, carried: &Motion) {
    if !body.dynamic {
        return;
    }
    let cap = SPEED_CAP;
    for i in 0..3 {
        let pushed = limited_sum(motion.linear[i], carried.linear[i], cap);
        motion.linear[i] = limited_sum(pushed, body.gravity[i], cap);
        motion.angular[i] = limited_sum(motion.angular[i], carried.angular[i], cap);
    }
}

fn damp(body: &StepBody, motion: &mut Motion) {
    if body.dynamic {
        let scale = |v: V<20>, keep: Q30| v.map(|c| super::block::times(keep, c));
        motion.linear = scale(motion.linear, body.keep[0]).map(|c| c.clamp_abs(body.speed_cap));
        motion.angular = scale(motion.angular, body.keep[1]);
    }
}

/// Takes motion along locked axes away.
pub(super) fn lock(body: &StepBody, motion: &mut Motion) {
    if body.locks != 0 && body.dynamic {
        for i in 0..3 {
            if body.locks >> i & 1 == 1 {
                motion.linear[i] = Q20::ZERO;
            }
            if body.locks >> (3 + i) & 1 == 1 {
                motion.angular[i] = Q20::ZERO;
            }
        }
    }
}

pub(super) fn limited_sum(a: Q20, b: Q20, limit: Q20) -> Q20 {
    let sum = i64::from(a.to_bits()) + i64::from(b.to_bits());
    let limit = i64::from(limit.to_bits());
    Q20::from_bits(sum.clamp(-limit, limit) as i32)
}

fn combine(a: &Motion, b: &Motion, f: impl Fn(Q20, Q20) -> Q20) -> Motion {
    let zip = |a: &V<20>, b: &V<20>| [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])];
    Motion { linear: zip(&a.linear, &b.linear), angular: zip(&a.angular, &b.angular) }
}
