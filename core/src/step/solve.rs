//! Fifth and sixth phase: blocks from contacts, then the substeps.
//!
//! One warm pass a tick; after that each body carries what contacts did to it in a substep into the next, so one
//! pass a substep is enough. The last substep ends with a relax pass.

use super::Scratch;
use super::block::{Block, Motion, V};
use super::bodies::StepBody;
use super::kernel::{self, Pass, SPEED_CAP};
use super::prepare::{self, Common, Softness};
use crate::math::{Q20, Q30, Real};
use crate::world::World;

/// Columns that live within a tick.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Sum of the velocities of the substeps so far, cut where contacts need no more.
    moved: Vec<Motion>,
    /// The same in full.
    pub(super) way: Vec<[i64; 6]>,
    /// What contacts did to each body in the last substep.
    carried: Vec<Motion>,
    start: Vec<Motion>,
}

/// What bodies move in a tick for the purpose of separations is cut here, half a metre at 480 substeps a second.
const MOVED_LIMIT: Q20 = Q20::from_bits(1 << 28);

/// Damping ratio of contacts: over-damped, so that they don't bounce.
const DAMPING_RATIO: Real = Real::from_int(2);

pub(super) fn prepare(world: &World, scratch: &mut Scratch) {
    let common = common(world);
    let bodies = &scratch.bodies.list;
    scratch.blocks.resize(scratch.order.contacts.len(), Block::default());
    for (block, &place) in scratch.blocks.iter_mut().zip(&scratch.order.contacts) {
        let contact = &scratch.contacts[place as usize];
        let sides = contact.bodies.map(|body| &bodies[body as usize]);
        let motions = contact.bodies.map(|body| &scratch.bodies.motions[body as usize]);
        prepare::prepare(block, contact, contact.bodies, sides, motions, &common);
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
    let Scratch { bodies, blocks, solver, .. } = scratch;
    let count = bodies.list.len();
    let (list, motions) = (&bodies.list[..], &mut bodies.motions);
    let push = Q20::from_real_saturating(world.def.push_speed);
    solver.reset(count);
    for (body, motion) in list.iter().zip(motions.iter_mut()) {
        damp(body, motion);
        accelerate(body, motion, &Motion::default());
    }
    solver.start.copy_from_slice(motions);
    for block in blocks.iter() {
        kernel::warm_start(block, motions);
    }
    for ((carried, start), motion) in
        solver.carried.iter_mut().zip(&solver.start).zip(motions.iter())
    {
        *carried = combine(motion, start, |m, s| m - s);
    }
    for substep in 0..world.def.substeps {
        if substep > 0 {
            for ((body, motion), carried) in
                list.iter().zip(motions.iter_mut()).zip(&solver.carried)
            {
                accelerate(body, motion, carried);
            }
        }
        solver.start.copy_from_slice(motions);
        for block in blocks.iter_mut() {
            kernel::solve(block, motions, &solver.moved, push, Pass::Biased);
        }
        solver.advance(list, motions);
        if substep + 1 == world.def.substeps {
            for block in blocks.iter_mut() {
                kernel::solve(block, motions, &solver.moved, push, Pass::Relax);
            }
        }
        for ((carried, start), motion) in
            solver.carried.iter_mut().zip(&solver.start).zip(motions.iter())
        {
            let change = combine(motion, start, |m, s| m - s);
            *carried = combine(carried, &change, |c, d| (c + d).clamp_abs(SPEED_CAP));
        }
    }
    // The relax pass knows no locks, and gravity no caps.
    for (body, motion) in list.iter().zip(motions.iter_mut()).filter(|(body, _)| body.dynamic) {
        lock(body, motion);
        motion.linear = motion.linear.map(|c| c.clamp_abs(body.speed_cap));
    }
}

impl Buffers {
    fn reset(&mut self, count: usize) {
        for column in [&mut self.moved, &mut self.carried, &mut self.start] {
            column.clear();
            column.resize(count, Motion::default());
        }
        self.way.clear();
        self.way.resize(count, [0; 6]);
    }

    /// Moves the bodies on by one substep.
    fn advance(&mut self, list: &[StepBody], motions: &mut [Motion]) {
        for (((moved, way), motion), body) in
            self.moved.iter_mut().zip(&mut self.way).zip(motions).zip(list)
        {
            lock(body, motion);
            *moved = combine(moved, motion, |a, b| limited_sum(a, b, MOVED_LIMIT));
            let lanes = motion.linear.iter().chain(&motion.angular);
            way.iter_mut().zip(lanes).for_each(|(way, v)| *way += i64::from(v.to_bits()));
        }
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
fn lock(body: &StepBody, motion: &mut Motion) {
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

fn limited_sum(a: Q20, b: Q20, limit: Q20) -> Q20 {
    let sum = i64::from(a.to_bits()) + i64::from(b.to_bits());
    let limit = i64::from(limit.to_bits());
    Q20::from_bits(sum.clamp(-limit, limit) as i32)
}

fn combine(a: &Motion, b: &Motion, f: impl Fn(Q20, Q20) -> Q20) -> Motion {
    let zip = |a: &V<20>, b: &V<20>| [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])];
    Motion { linear: zip(&a.linear, &b.linear), angular: zip(&a.angular, &b.angular) }
}
