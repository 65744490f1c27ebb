//! Tenth phase: contacts with their impulses into pages of the next slot, and what began and ended with them, and what
//! hit how hard. Rows of sleepers stay as they are.

use super::batches::Batches;
use super::bodies::StepBody;
use super::contacts::Contact;
use super::lanes::pack::get3;
use super::prepare::across;
use super::resim::Diff;
use super::{Scratch, StepReport};
use crate::data::{Id, sort_by_key};
use crate::math::{Q20, Real, Vec3, round_shift, saturate};
use crate::world::pages::{PageRef, Pages};
use crate::world::rows::{
    BodyKind, ColdPage, ContactRow, PAGE_ROWS, PairKey, TELLS_PERSIST, body_of,
};
use crate::world::slot::{Place, STREAM_BODIES, Slot, Store};
use crate::world::{EventKind, EventRow, Pending, Strike, World};

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

pub(super) fn run(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Slot,
    report: &mut StepReport,
) {
    find_pages(world, scratch);
    let buffers = core::mem::take(&mut scratch.record);
    let mut told = Told {
        same_ids: world.work.has_same_ids(world.base()),
        events: core::mem::take(&mut scratch.events),
        diff: core::mem::take(&mut scratch.diff),
    };
    let mut start = 0;
    for &number in &buffers.pages {
        let owners = &buffers.owners[start..];
        let owners = &owners[..owners.iter().take_while(|(page, _)| *page == number).count()];
        write_page(world, scratch, next, number, owners, &mut told);
        start += owners.len();
    }
    tell_impacts(world, scratch, &mut told.events);
    (scratch.events, scratch.diff) = (told.events, told.diff);
    scratch.record = buffers;
    report.touching = scratch.contacts.iter().filter(|contact| contact.row.touching).count() as u32;
}

/// Copies from the solved packs what starts the next tick, and which contacts touched.
pub(super) fn take_impulses(scratch: &mut Scratch) {
    let Batches { packs, points, angular, .. } = &scratch.batches;
    let (mut points, mut angular) = (&points[..], &angular[..]);
    for pack in packs {
        let (rows, rest) = points.split_at(pack.points as usize);
        points = rest;
        let (turns, rest) = angular.split_at(pack.angular as usize);
        angular = rest;
        for (lane, place) in pack.lanes() {
            let contact = &mut scratch.contacts[place];
            let (row, separations) = (&mut contact.row, &contact.separations);
            row.touching = pack.struck.get(lane) > Q20::ZERO;
            let mut pushed = 0;
            for ((point, solved), separation) in row.points.iter_mut().zip(rows).zip(separations) {
                point.impulse = solved.impulse.get(lane);
                row.touching |= solved.total.get(lane) > Q20::ZERO || *separation < 0;
                pushed += u32::from(solved.total.get(lane) > Q20::ZERO);
            }
            let tangents = [get3(&pack.tangents[0], lane), get3(&pack.tangents[1], lane)];
            let turn = |row: usize| turns.get(row).map_or(Q20::ZERO, |row| row.impulse.get(lane));
            row.friction = across(&tangents, pack.sliding_impulse.map(|slid| slid.get(lane)));
            row.twist = turn(0);
            row.rolling = across(&tangents, [turn(1), turn(2)]);
            contact.stands = pushed >= 3 && sticks(row);
            if row.touching {
                for body in contact.bodies {
                    scratch.bodies.list[body as usize].touches = true;
                }
            }
        }
    }
}

/// Whether friction holds a contact with room to spare: with less than three quarters of what it can.
fn sticks(row: &ContactRow) -> bool {
    let push: i64 = row.points.iter().map(|point| i64::from(point.impulse.to_bits())).sum();
    let limit = (i128::from(push) * i128::from(row.mixed.friction.to_bits())) >> 30;
    let square: i128 = row.friction.iter().map(|c| i128::from(c.to_bits()).pow(2)).sum();
    16 * square < 9 * limit * limit
}

/// Tells of each contact that touches now and whose shapes met fast in this tick.
fn tell_impacts(world: &World, scratch: &Scratch, events: &mut Vec<EventRow>) {
    let threshold = Q20::from_real_saturating(world.def.impact_speed);
    let Batches { packs, points, .. } = &scratch.batches;
    let mut points = &points[..];
    for pack in packs {
        let (rows, rest) = points.split_at(pack.points as usize);
        points = rest;
        for (lane, place) in pack.lanes() {
            let contact = &scratch.contacts[place];
            let approach = pack.approach.get(lane);
            if approach < threshold || !contact.row.touching {
                continue;
            }
            if let [Some(a), Some(b)] = ids(&world.work, contact.row.key) {
                let soft: i64 = rows.iter().map(|point| i64::from(point.total.0[lane])).sum();
                let pushed = soft + i64::from(pack.struck.0[lane]);
                let strike = strike(approach, pushed, contact, &scratch.bodies.list);
                let row = EventRow::pair(EventKind::Impact, contact.row.key, [a, b]);
                events.push(EventRow { strike, ..row });
            }
        }
    }
}

/// How a contact was hit; `pushed` is the sum of its normal impulses in the solver's units.
fn strike(approach: Q20, pushed: i64, contact: &Contact, bodies: &[StepBody]) -> Strike {
    let [a, b] = contact.bodies.map(|body| &bodies[body as usize]);
    Strike {
        speed: approach,
        impulse: impulse(pushed, [a.mass, b.mass]),
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
    let Scratch { record, ends, bodies, copied, neighbours, .. } = scratch;
    let Buffers { owners, sort, pages, sort_pages } = record;
    let bodies = &bodies.list;
    owners.clear();
    owners.extend(ends.iter().zip(0..).map(|((_, places), place)| {
        let [a, b] = places.map(|body| &bodies[body as usize]);
        (page_number(if a.dynamic { a.index } else { b.index }), place)
    }));
    // Contacts stand in the order in which they were found: by key, unless something woke.
    sort_by_key(owners, sort, |(_, place)| ends[*place as usize].0.0);
    sort_by_key(owners, sort, |(page, _)| u64::from(*page));
    pages.clear();
    let moved = bodies.iter().filter(|body| body.is_moved());
    pages.extend(moved.map(|body| page_number(body.index)));
    pages.extend(world.pending.void.iter().map(page_number));
    pages.extend(copied.iter().chain(neighbours.iter()).map(page_number));
    sort_by_key(pages, sort_pages, |page| u64::from(*page));
    pages.dedup();
}

/// What writing pages has to tell.
struct Told {
    /// Whether the slots before and after commands have the same ids.
    same_ids: bool,
    events: Vec<EventRow>,
    diff: Diff,
}

/// Writes the contacts of one page: those that this step decides, and between them the others as they are in the next
/// slot.
fn write_page(
    world: &mut World,
    scratch: &Scratch,
    next: &mut Slot,
    number: u32,
    owners: &[(u32, u32)],
    told: &mut Told,
) {
    let (s, p) = ((number / STREAM_PAGES) as usize, (number % STREAM_PAGES) as usize);
    let World { timeline, tick, work, store, pending, .. } = world;
    let base = &timeline.entry(*tick).slot;
    let before = base.streams.get(s).and_then(|stream| stream.contacts.get(p)).copied();
    let Some(page) = next.streams.get_mut(s).and_then(|stream| stream.contacts.get_mut(p)) else {
        return;
    };
    let old = *page;
    let is_empty = |page: PageRef| store.contacts.get(page).rows.is_empty();
    if owners.is_empty() && before.is_none_or(is_empty) && is_empty(old) {
        return;
    }
    let mut new = store.contacts.take_for_writing(page);
    {
        let (was, old) = (before.map(|page| store.contacts.get(page)), store.contacts.get(old));
        new.overlaps.clear();
        new.overlaps.extend_from_slice(&old.overlaps);
        new.rows.clear();
        // Pages change hands between slots: generous room, or each of them would have to grow to its peak.
        let most = old.rows.len().max(owners.len());
        if new.rows.capacity() < most {
            new.rows.reserve(most.next_power_of_two().max(MIN_ROOM));
        }
        let side = Side { scratch, work, store, pending };
        let (cold, events, same_ids) = (&store.cold, &mut told.events, told.same_ids);
        let teller = Teller { base, work, same_ids, cold, events };
        merge(was.map_or(&[], |page| &page.rows), owners, &old.rows, &mut new.rows, &side, teller);
        if told.diff.on {
            compare(&old.rows, &new.rows, &mut told.diff);
        }
    }
    store.contacts.put(*page, new, old);
}

/// Merges three lists by key: contacts of the last tick and of this one, which this step decides, and others of the
/// next slot.
fn merge(
    was: &[ContactRow],
    is: &[(u32, u32)],
    others: &[ContactRow],
    out: &mut Vec<ContactRow>,
    side: &Side<'_>,
    mut teller: Teller<'_>,
) {
    let contact = |(_, place): &(u32, u32)| &side.scratch.contacts[*place as usize].row;
    if core::ptr::eq(was, others) {
        merge_shared(was, is.iter().map(contact), out, side, &mut teller);
        return;
    }
    let mut was = was.iter().filter(|row| side.decides(row.key)).peekable();
    let mut is = is.iter().map(contact).peekable();
    let mut others = others.iter().filter(|row| !side.decides(row.key)).peekable();
    loop {
        let keys = [was.peek(), is.peek(), others.peek()].map(|row| row.map(|row| row.key));
        let Some(key) = keys.into_iter().flatten().min() else { break };
        if let Some(row) = others.next_if(|row| row.key == key) {
            add(out, row);
            continue;
        }
        let (was, is) = (was.next_if(|row| row.key == key), is.next_if(|row| row.key == key));
        match (was, is) {
            (Some(row), None) if side.rests(key) => add(out, row),
            _ => {
                out.extend_from_slice(is.map_or(&[], core::slice::from_ref));
                teller.tell(key, was, is);
            }
        }
    }
}

/// The same where the next slot still shares the page with the last one, as it does unless a tick is computed again: each
/// of its contacts is either this step's or another's.
fn merge_shared<'a>(
    was: &[ContactRow],
    is: impl Iterator<Item = &'a ContactRow>,
    out: &mut Vec<ContactRow>,
    side: &Side<'_>,
    teller: &mut Teller<'_>,
) {
    let mut is = is.peekable();
    for row in was {
        while let Some(new) = is.next_if(|is| is.key < row.key) {
            add(out, new);
            teller.tell(new.key, None, Some(new));
        }
        if let Some(new) = is.next_if(|is| is.key == row.key) {
            add(out, new);
            teller.tell(row.key, Some(row), Some(new));
        } else if !side.decides(row.key) || side.rests(row.key) {
            add(out, row);
        } else {
            teller.tell(row.key, Some(row), None);
        }
    }
    for new in is {
        add(out, new);
        teller.tell(new.key, None, Some(new));
    }
}

/// Adds a row. `push` would copy it to the stack first.
#[inline(always)]
fn add(out: &mut Vec<ContactRow>, row: &ContactRow) {
    out.extend_from_slice(core::slice::from_ref(row));
}

/// What it takes to know whose contacts a step decides.
struct Side<'a> {
    scratch: &'a Scratch,
    work: &'a Slot,
    store: &'a Store,
    pending: &'a Pending,
}

impl Side<'_> {
    fn body(&self, index: u32) -> Option<&StepBody> {
        self.scratch.places.get(index).map(|place| &self.scratch.bodies.list[place as usize])
    }

    /// A contact with a body that the step moves, or with one that is not what it was.
    fn decides(&self, key: PairKey) -> bool {
        let mut bodies = key.shapes().map(body_of).into_iter();
        let moves = |body: u32| self.body(body).is_some_and(StepBody::is_moved);
        bodies.any(|body| moves(body) || self.scratch.copied.contains(body))
            || self.pending.is_void(key)
    }

    /// A contact whose bodies all rest: it stays as it was.
    fn rests(&self, key: PairKey) -> bool {
        let awake = |body: u32| {
            let active = || {
                let dynamic = self.work.cold(self.store, body).kind == BodyKind::Dynamic;
                self.work.is_active(body) && dynamic
            };
            self.body(body).map_or_else(active, |body| body.awake && body.dynamic)
        };
        !self.pending.is_void(key) && !key.shapes().map(body_of).into_iter().any(awake)
    }
}

/// Marks the bodies of contacts that differ between two lists.
fn compare(old: &[ContactRow], new: &[ContactRow], diff: &mut Diff) {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let keys = [old.peek(), new.peek()].map(|row| row.map(|row| row.key));
        let Some(key) = keys.into_iter().flatten().min() else { break };
        if old.next_if(|row| row.key == key) != new.next_if(|row| row.key == key) {
            diff.mark_pair(key.shapes().map(body_of));
        }
    }
}

/// Tells how a contact went on.
struct Teller<'a> {
    base: &'a Slot,
    work: &'a Slot,
    /// Whether both have the same ids.
    same_ids: bool,
    cold: &'a Pages<ColdPage>,
    events: &'a mut Vec<EventRow>,
}

impl Teller<'_> {
    fn tell(&mut self, key: PairKey, was: Option<&ContactRow>, is: Option<&ContactRow>) {
        let goes_on = was.is_some_and(|row| row.touching) && is.is_some_and(|row| row.touching);
        // Nobody came or went: the bodies are who they were.
        if goes_on && self.same_ids {
            if key.shapes().iter().any(|shape| self.tells_persist(body_of(*shape))) {
                self.push(EventKind::ContactPersisted, key, ids(self.work, key));
            }
            return;
        }
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
        let page = self.cold.get(self.work.streams[stream].cold[page]);
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
