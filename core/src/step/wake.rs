//! Fourth phase: wakes sleeping bodies. A sleeping body in contact with an awake, moving or changed body wakes together
//! with its whole sleeping island. The pairs of woken bodies may have contacts with further sleepers; the phase repeats
//! until no body wakes. This is a least fixpoint, so the order of waking has no effect.

use super::edges::EdgeCursor;
use super::gather::Columns;
use super::{Scratch, StepReport, broad, joints, narrow};
use crate::world::World;
use crate::world::rows::BodyIndex;

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    let mut woken = core::mem::take(&mut scratch.woken);
    woken.clear();
    let (mut edges, mut searched) = (EdgeCursor::default(), 0);
    loop {
        while let Some(edge) = edges.next(scratch.edges()) {
            for place in edge.bodies {
                let body = &scratch.bodies.list[place];
                if body.dynamic && !body.awake {
                    let index = body.index;
                    wake(world, &mut scratch.columns(), index, &mut woken);
                }
            }
        }
        if searched == woken.len() {
            break;
        }
        broad::wake(world, scratch, &woken[searched..], report);
        joints::wake(world, scratch, &woken[searched..]);
        searched = woken.len();
        narrow::add(world, scratch.split(), report);
    }
    report.woken = woken.len() as u32;
    scratch.woken = woken;
}

/// Wakes a body and its whole sleeping island.
pub(super) fn wake(
    world: &World,
    columns: &mut Columns<'_>,
    index: BodyIndex,
    woken: &mut Vec<BodyIndex>,
) {
    let mut at = index;
    loop {
        let place = columns.place_of(world, at);
        let body = &mut columns.bodies.list[place];
        if body.awake {
            return;
        }
        let next = body.next;
        (body.awake, body.read_only, body.woken) = (true, false, true);
        (body.still, body.drift, body.next) = (0, [0; 6], BodyIndex::default());
        woken.push(at);
        at = next;
    }
}
