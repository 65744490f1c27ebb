//! Preparation of the old frame of the next tick, which an incremental resimulation writes into.

use super::joints;
use crate::data::IndexSet;
use crate::step::Scratch;
use crate::step::rules::Rule;
use crate::world::World;
use crate::world::frame::{Frame, Store, index_at};
use crate::world::rows::{BodyIndex, Overlap, PAGE_ROWS, body_of};

/// Gives the old frame of the next tick the ids, pages and commanded changes of this timeline.
pub(in crate::step) fn begin_next(world: &mut World, scratch: &mut Scratch, next: &mut Frame) {
    joints::forget(world, scratch, next);
    let World { work, store, dirty, .. } = &mut *world;
    mark_replaced(work, store, dirty, scratch, next);
    forget_pages(work, store, scratch, next);
    next.match_pages(work, store);
    for index in dirty.iter() {
        if !work.has_page(index) {
            // Only the old timeline has this page, and its next frame has it too.
            scratch.diff.mark(index);
            continue;
        }
        if next.take_commanded_rows(work, store, index) {
            scratch.diff.mark(index);
        }
        next.mark_active(store, index);
    }
    joints::take(world, scratch, next);
    let World { work, store, .. } = world;
    // The step writes the bodies that it moves; the others keep their rows.
    let Scratch { copied, diff, .. } = scratch;
    for index in copied.iter().filter(|index| work.has_page(*index)) {
        let row = *work.hot(store, index);
        if *next.hot(store, index) != row {
            *next.hot_mut(store, index) = row;
            next.mark_active(store, index);
            diff.mark(index);
        }
    }
}

/// Marks bodies whose generation or page the old frame lacks. A comparison of rows does not show either.
fn mark_replaced(
    work: &Frame,
    store: &Store,
    dirty: &IndexSet<BodyIndex>,
    scratch: &mut Scratch,
    next: &Frame,
) {
    let Scratch { diff, rules, .. } = scratch;
    for index in dirty.iter() {
        let ids = (work.id_at(index), next.id_at(index));
        if let (Some(new), Some(old)) = ids
            && new != old
            && rules.holds(Rule::Generations)
        {
            diff.mark(index);
        }
    }
    // Pages that the old frame lacks are about to be shared with it, so a comparison would find equal rows.
    for (s, stream) in work.streams.iter().enumerate() {
        let known = next.streams.get(s).map_or(0, |stream| stream.cold.len());
        for (p, &page) in stream.cold.iter().enumerate().skip(known) {
            let live = store.cold.get(page).live;
            if live != 0 && rules.holds(Rule::NewPages) {
                (0..PAGE_ROWS).filter(|row| live >> row & 1 == 1).for_each(|row| {
                    diff.mark(index_at(s, p, row));
                });
            }
        }
    }
}

/// Removes bodies whose pages only the old timeline has from the sensors that overlap them, before the pages are
/// dropped.
fn forget_pages(work: &Frame, store: &mut Store, scratch: &mut Scratch, next: &mut Frame) {
    for index in scratch.copied.iter().filter(|index| !work.has_page(*index)) {
        let mut at = 0;
        while let Some(seen) = next.contact_page(store, index)
            && let Some(&Overlap { own, other, senses }) = seen.overlaps_of(index).get(at)
        {
            let mirrored = Overlap { own: other, other: own, senses: !senses };
            let page = next.contact_page_mut(store, body_of(other));
            if let Ok(place) = page.overlaps.binary_search(&mirrored) {
                page.overlaps.remove(place);
                scratch.diff.mark_pair([body_of(own), body_of(other)]);
            }
            at += 1;
        }
    }
}
