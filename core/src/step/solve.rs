//! Sixth and seventh phase: fills the packs from contacts, then runs the substeps of each batch.
//!
//! One warm start a tick. After that the velocity change from contacts in one substep is applied again at the start of
//! the next (the carried impulse), so one Gauss-Seidel pass a substep is enough. The last substep ends with a relaxation
//! pass.

use super::arms::ArmCache;
use super::batches::{Batches, Found, Parts, Span};
use super::bodies::Bodies;
use super::contacts::ContactColumn;
use super::impact::Bouncing;
use super::index::BodyPlace;
use super::islands::Islands;
use super::joints::Joints;
use super::lanes::{Batch, Chosen};
use super::load_limit;
use super::prepare::{Common, Prepare, Softness, Unfilled};
use super::rod::{self, Rod};
use crate::data::Column;
use crate::math::{Q20, Q30, Real};
use crate::parallel::Threads;
use crate::world::{World, real_vector};

/// Columns that are valid within a tick.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Sum of the substep velocities, by place.
    pub(super) displacement: Column<BodyPlace, [i64; 6]>,
}

/// Parts of the scratch memory that the solver reads and writes.
pub(super) struct Solving<'a> {
    pub(super) bodies: &'a mut Bodies,
    pub(super) contacts: &'a mut ContactColumn,
    pub(super) joints: &'a mut Joints,
    pub(super) islands: &'a mut Islands,
    pub(super) batches: &'a mut Batches,
    pub(super) arms: &'a mut ArmCache,
    pub(super) buffers: &'a mut Buffers,
    pub(super) threads: &'a Threads,
    /// Seconds in a tick.
    pub(super) tick: Real,
    pub(super) lanes: Chosen,
}

/// Parameters that all batches share.
#[derive(Clone, Copy)]
struct Shared {
    lanes: Chosen,
    /// Maximum push-out speed.
    push: Q20,
    /// Restitution threshold: slower approaches do not bounce.
    threshold: Q20,
    substeps: u32,
    rods: rod::Shared,
}

impl Shared {
    fn new(world: &World, parts: &Solving<'_>) -> Self {
        let push = Q20::from_real_saturating(world.def.max_push_out_speed);
        #[cfg(feature = "test-internals")]
        let push = match parts.islands.fault {
            Some(super::Fault::GlobalCounter) => {
                push + Q20::from_bits((parts.islands.contacts.len() as i32 % 64) << 10)
            }
            _ => push,
        };
        Self {
            lanes: parts.lanes,
            push,
            threshold: Q20::from_real_saturating(world.def.restitution_threshold),
            substeps: world.def.substeps,
            rods: rod::Shared::new(common(world).softness, common(world).rate),
        }
    }
}

/// Damping ratio of contacts: overdamped, so that soft contacts do not bounce. The stiffness at rest and its limit do not depend on it; a
/// column of contacts in series has a fraction of it, and with 2 a stack that landed bounced.
const DAMPING_RATIO: Real = Real::from_int(4);

pub(super) fn prepare(world: &World, parts: &mut Solving<'_>) {
    let common = common(world);
    let shared = Shared::new(world, parts);
    let Solving { bodies, contacts, joints, islands, batches, arms, threads, tick, .. } = parts;
    let (bodies, contacts, batches) = (&mut **bodies, &mut **contacts, &mut **batches);
    arms.find(contacts);
    load_limit::find(world, islands, bodies);
    let found = Found { bodies: &bodies.list, motions: &bodies.motions, contacts, joints, islands };
    batches.build(&found);
    let Batches { packs, points, angular, .. } = &mut *batches;
    let (last, known) = arms.turn(contacts, packs);
    let (lanes, push) = (shared.lanes, shared.push);
    let prepare = Prepare { found: &found, common, lanes, push, last };
    let all = Unfilled { packs, points, angular, known };
    threads.share(all, |some| prepare.fill_all(some));
    batches.rods.iter_mut().for_each(|rod| rod.start(&shared.rods));
    #[cfg(feature = "test-internals")]
    batches.disturb(islands);
    for pack in &batches.packs {
        for (lane, contact) in pack.lanes() {
            let contact = &mut contacts[contact];
            let approach = pack.approach.get(lane);
            if approach >= shared.threshold {
                let gap = contact.separations[..contact.row.points.len()].iter().min();
                let gap = Real::from_bits(gap.copied().unwrap_or(0).max(0));
                let time = (gap / approach.to_real()).min(*tick);
                let velocity = bodies.motions[contact.bodies[0]].linear;
                contact.lead = real_vector(velocity) * time;
            }
        }
    }
}

fn common(world: &World) -> Common {
    let rate = Real::from_int((world.def.tick_rate * world.def.substeps) as i32);
    Common {
        softness: softness(rate / SUBSTEPS_PER_PERIOD, rate),
        tick_rate: i64::from(world.def.tick_rate),
        rate: i64::from(world.def.tick_rate * world.def.substeps),
    }
}

/// Substeps per period of a contact's spring. With one pass a substep the impulse lags behind the motion. A mode that
/// few rows see (a rod rolling on its supports) grows unless softness·(1 + `bias_rate`) < 1, which requires more than 2π
/// substeps per period (docs/solver.md). Towers of crossed rods need 9. Contacts with fixed bodies use the same value:
/// twice the stiffness is unstable.
const SUBSTEPS_PER_PERIOD: Real = Real::from_int(9);

/// Coefficients of a soft constraint of this frequency, implicit in a substep.
fn softness(frequency: Real, rate: Real) -> Softness {
    let turn = Real::TAU * frequency / rate;
    let damped = DAMPING_RATIO + DAMPING_RATIO + turn;
    let stiff = turn * damped;
    Softness {
        softness: Q30::from_real_saturating(stiff / (Real::ONE + stiff)).odd(),
        bias_rate: Q30::from_real_saturating(turn / damped).odd(),
    }
}

pub(super) fn run(world: &World, parts: &mut Solving<'_>) {
    let shared = Shared::new(world, parts);
    let Solving { bodies, batches, buffers, islands, threads, .. } = parts;
    let (bodies, buffers) = (&mut **bodies, &mut **buffers);
    let Batches { list, packs, points, angular, rods, rows, bouncing, .. } = &mut **batches;
    let parts = Parts { spans: list, packs, points, angular, rods, rows: rows.all(), bouncing };
    threads.share(parts, |(span, mut batch, rods, bouncing)| {
        if span.bounces {
            bouncing.take(&batch, islands);
        }
        solve((&mut batch, rods), span, bouncing, islands, shared);
    });
    buffers.displacement.reset(bodies.list.len(), [0; 6]);
    for row in list.iter().flat_map(|span| span.rows.start + 2..span.rows.end) {
        let place = rows.traits[row].place;
        bodies.motions[place] = rows.motions[row];
        buffers.displacement[place] = rows.displacement[row];
    }
}

/// Runs all substeps of one batch, so that its bodies and constraints stay in the cache.
fn solve(
    (batch, rods): (&mut Batch<'_>, &mut [Rod]),
    span: &Span,
    bouncing: &mut Bouncing,
    islands: &Islands,
    shared: Shared,
) {
    let Shared { lanes, threshold, substeps, rods: ref common, .. } = shared;
    let members = 2..2 + span.members;
    batch.rows.damp(members.clone());
    if span.bounces {
        bouncing.run(batch, islands, threshold);
    }
    batch.rows.cap_read_only(members.end);
    batch.rows.accelerate(members.clone(), lanes);
    rod::warm_start(rods, &mut batch.rows);
    batch.warm_start(lanes);
    batch.rows.carry(members.clone(), lanes);
    for substep in 0..substeps {
        if substep > 0 {
            if span.bounces {
                bouncing.run(batch, islands, threshold);
            }
            batch.rows.accelerate(members.clone(), lanes);
            rod::turn(rods, &mut batch.rows, common);
        } else {
            batch.rows.restart(members.clone());
        }
        // Contacts are last: if both can't hold, a rod stretches and nothing overlaps.
        rod::biased(rods, &mut batch.rows, common);
        batch.biased(lanes);
        batch.rows.advance(members.clone(), lanes);
        if substep + 1 == substeps {
            rod::relax(rods, &mut batch.rows);
            batch.relax(lanes);
        }
        batch.rows.carry_on(members.clone(), lanes);
    }
    batch.rows.end(members);
    if span.bounces {
        bouncing.put(batch.packs);
    }
}

/// Copies the impulses of joints for warm starting.
pub(super) fn take_impulses(parts: &mut Solving<'_>) {
    let Solving { batches, joints, .. } = parts;
    for Rod { joint, impulse, .. } in &batches.rods {
        joints.list[*joint].row.impulse = Q20::from_bits(*impulse as i32);
    }
}
