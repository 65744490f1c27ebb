//! Tenth phase: contacts with their impulses into pages of the next slot, and what began and ended with them, and what
//! hit how hard. Rows of sleepers stay as they are.

use super::block::Block;
use super::bodies::StepBody;
use super::contacts::Contact;
use super::prepare::{world_friction, world_rolling};
use super::{Scratch, StepReport};
use crate::data::{Id, sort_by_key};
use crate::math::{Q20, Real, Vec3, round_shift, saturate};
use crate::world::rows::{ContactPage, ContactRow, PAGE_ROWS, PairKey, TELLS_PERSIST, body_of};
use crate::world::slot::{Place, STREAM_BODIES, Slot};
use crate::world::{EventKind, EventRow, Strike, World};

/// Columns that are kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Page that owns each contact, and the contact's place; by page and key.
    owners: Vec<(u32, u32)>,
    sort: Vec<(u32, u32)>,
    /// Pages with a body whose contacts may have changed.
    pages: Vec<u32>,
    sort_pages: Vec<u32>,
}

/// Contacts that a page has room for once it has any: two for each of its bodies.
const MIN_ROOM: usize = 64;

/// Pages of a stream.
const STREAM_PAGES: u32 = STREAM_BODIES / PAGE_ROWS as u32;

pub(super) fn run(world: &mut World, scratch: &mut Scratch, report: &mut StepReport) {
    take_impulses(scratch);
    find_pages(world, scratch);
    let buffers = core::mem::take(&mut scratch.record);
    let mut events = core::mem::take(&mut scratch.events);
    let mut next = 0;
    for &number in &buffers.pages {
        let end =
            next + buffers.owners[next..].iter().take_while(|(page, _)| *page == number).count();
        write_page(world, scratch, number, &buffers.owners[next..end], &mut events);
        next = end;
    }
    tell_impacts(world, scratch, &mut events);
    scratch.events = events;
    scratch.record = buffers;
    report.touching = scratch.contacts.iter().filter(|contact| contact.row.touching).count() as u32;
}

/// Copies from the solved blocks what starts the next tick.
fn take_impulses(scratch: &mut Scratch) {
    for (block, &place) in scratch.blocks.iter().zip(&scratch.clusters.contacts) {
        let contact = &mut scratch.contacts[place as usize];
        let (row, separations) = (&mut contact.row, &contact.separations);
        row.touching = block.struck > Q20::ZERO;
        for ((point, solved), separation) in
            row.points.iter_mut().zip(&block.points).zip(separations)
        {
            point.impulse = solved.impulse;
            row.touching |= solved.total > Q20::ZERO || *separation < 0;
        }
        row.friction = world_friction(block);
        row.twist = block.twist.impulse;
        row.rolling = world_rolling(block);
    }
}

/// Tells of each contact that touches now and whose shapes met fast in this tick.
fn tell_impacts(world: &World, scratch: &Scratch, events: &mut Vec<EventRow>) {
    let threshold = Q20::from_real_saturating(world.def.impact_speed);
    for (block, &place) in scratch.blocks.iter().zip(&scratch.clusters.contacts) {
        let contact = &scratch.contacts[place as usize];
        if block.approach < threshold || !contact.row.touching {
            continue;
        }
        if let [Some(a), Some(b)] = ids(&world.work, contact.row.key) {
            let strike = strike(block, contact, &scratch.bodies.list);
            let row = EventRow::pair(EventKind::Impact, contact.row.key, [a, b]);
            events.push(EventRow { strike, ..row });
        }
    }
}

fn strike(block: &Block, contact: &Contact, bodies: &[StepBody]) -> Strike {
    let [a, b] = contact.bodies.map(|body| &bodies[body as usize]);
    let soft: i64 = block.points.iter().map(|point| i64::from(point.total.to_bits())).sum();
    let speed = soft + i64::from(block.struck.to_bits());
    Strike {
        speed: block.approach,
        impulse: impulse(speed, [a.mass, b.mass]),
        point: a.center + contact.lead + Vec3::from_bits(contact.arms().center()[0]),
        normal: contact.row.normal,
    }
}

/// Newton-seconds from the solver's units, which are speeds of the reduced mass (raw Q20); masses are raw kilograms,
/// zero for what nothing moves.
fn impulse(speed: i64, [a, b]: [i64; 2]) -> Real {
    let [a, b] = [a, b].map(i128::from);
    let mass = if a == 0 || b == 0 { a + b } else { a * b / (a + b) };
    // Below 2³⁴ times 2⁶³.
    Real::from_bits(saturate(round_shift(i128::from(speed) * mass, 20)).max(0))
}

/// Sorts contacts by the page of their owner and finds the pages that they, or those that they end, may be in.
fn find_pages(world: &World, scratch: &mut Scratch) {
    let Scratch { record, contacts, bodies, clusters, .. } = scratch;
    let Buffers { owners, sort, pages, sort_pages } = record;
    let bodies = &bodies.list;
    owners.clear();
    owners.extend(clusters.contacts.iter().map(|&place| {
        let [a, b] = contacts[place as usize].bodies.map(|body| &bodies[body as usize]);
        (page_number(if a.dynamic { a.index } else { b.index }), place)
    }));
    // Contacts stand in the order in which they were found: by key, unless something woke.
    sort_by_key(owners, sort, |(_, place)| contacts[*place as usize].row.key.0);
    sort_by_key(owners, sort, |(page, _)| u64::from(*page));
    pages.clear();
    pages.extend(
        bodies.iter().filter(|body| body.awake && body.dynamic).map(|body| page_number(body.index)),
    );
    pages.extend(world.pending.void.iter().map(page_number));
    sort_by_key(pages, sort_pages, |page| u64::from(*page));
    pages.dedup();
}

/// Writes the contacts of one page: those of sleepers as they were, those of this step in place of the others.
fn write_page(
    world: &mut World,
    scratch: &Scratch,
    number: u32,
    owners: &[(u32, u32)],
    events: &mut Vec<EventRow>,
) {
    let (s, p) = ((number / STREAM_PAGES) as usize, (number % STREAM_PAGES) as usize);
    let World { base, work, store, pending, .. } = world;
    let before = base.streams.get(s).and_then(|stream| stream.contacts.get(p)).copied();
    let Some(page) = work.streams.get_mut(s).and_then(|stream| stream.contacts.get_mut(p)) else {
        return;
    };
    let is_empty = |page: &ContactPage| page.rows.is_empty();
    if owners.is_empty() && before.is_none_or(|before| is_empty(store.contacts.get(before))) {
        return;
    }
    // A body whose contacts this step decides.
    let decided = |shape: &u32| {
        let body = body_of(*shape);
        let place = scratch.places.get(body).map(|place| &scratch.bodies.list[place as usize]);
        pending.void.contains(body) || place.is_some_and(|body| body.awake && body.dynamic)
    };
    let (old, new) = store.contacts.overwrite_beside(page, before);
    let (old_rows, overlaps) =
        old.map_or((&[][..], &[][..]), |old| (&old.rows[..], &old.overlaps[..]));
    new.overlaps.clear();
    new.overlaps.extend_from_slice(overlaps);
    new.rows.clear();
    // Pages change hands between slots: generous room, or each of them would have to grow to its peak.
    let most = old_rows.len().max(owners.len());
    if new.rows.capacity() < most {
        new.rows.reserve(most.next_power_of_two().max(MIN_ROOM));
    }
    let mut old_rows = old_rows.iter().peekable();
    let mut contacts =
        owners.iter().map(|(_, place)| &scratch.contacts[*place as usize]).peekable();
    let mut teller = Teller { base, work, pages: &store.cold, events };
    loop {
        let (was, is) = (old_rows.peek().map(|row| row.key), contacts.peek().map(|c| c.row.key));
        let Some(key) = [was, is].into_iter().flatten().min() else { break };
        let was = if was == Some(key) { old_rows.next() } else { None };
        let is = if is == Some(key) { contacts.next() } else { None };
        match (was, is) {
            (Some(row), None) if !key.shapes().iter().any(decided) => new.rows.push(*row),
            _ => {
                if let Some(contact) = is {
                    new.rows.push(contact.row);
                }
                teller.tell(key, was, is.map(|contact| &contact.row));
            }
        }
    }
}

/// Tells how a contact went on.
struct Teller<'a> {
    base: &'a Slot,
    work: &'a Slot,
    pages: &'a crate::world::pages::Pages<crate::world::rows::ColdPage>,
    events: &'a mut Vec<EventRow>,
}

impl Teller<'_> {
    fn tell(&mut self, key: PairKey, was: Option<&ContactRow>, is: Option<&ContactRow>) {
        let touched = was.filter(|row| row.touching).map(|_| ids(self.base, key));
        let touches = is.filter(|row| row.touching).map(|_| ids(self.work, key));
        if let (Some(touched), Some(touches)) = (touched, touches)
            && touched == touches
        {
            if key.shapes().iter().any(|shape| self.tells_persist(body_of(*shape))) {
                self.push(EventKind::ContactPersisted, key, touches);
            }
            return;
        }
        if let Some(touched) = touched {
            self.push(EventKind::ContactEnded, key, touched);
        }
        if let Some(touches) = touches {
            self.push(EventKind::ContactBegan, key, touches);
        }
    }

    fn push(&mut self, kind: EventKind, key: PairKey, bodies: [Option<Id>; 2]) {
        if let [Some(a), Some(b)] = bodies {
            self.events.push(EventRow::pair(kind, key, [a, b]));
        }
    }

    fn tells_persist(&self, body: u32) -> bool {
        let Place { stream, page, row } = Place::of(body);
        let page = self.pages.get(self.work.streams[stream].cold[page]);
        page.rows[row].flags & TELLS_PERSIST != 0
    }
}

/// The bodies of a pair in a slot.
pub(super) fn ids(slot: &Slot, key: PairKey) -> [Option<Id>; 2] {
    key.shapes().map(|shape| slot.id_at(body_of(shape)))
}

/// A number for each page of the world, ascending with the indices of its bodies.
fn page_number(index: u32) -> u32 {
    let Place { stream, page, .. } = Place::of(index);
    stream as u32 * STREAM_PAGES + page as u32
}
