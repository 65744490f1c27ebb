//! Tenth phase: writes contacts with their impulses into pages of the next frame, and the events of contacts that began,
//! ended or had an impact. Rows of sleeping bodies are not changed.

use super::batches::Batches;
use super::bodies::{BodyColumn, StepBody};
use super::contacts::Contact;
use super::index::ContactIndex;
use super::lanes::pack::get3;
use super::prepare::across;
use super::resim::{Diff, make_room};
use super::solve::Solving;
use super::{Scratch, StepReport};
use crate::data::{Id, sort_by_key};
use crate::math::{Q20, Real, Vec3};
use crate::world::frame::{Frame, Place, STREAM_BODIES, Store, page_number};
use crate::world::pages::{PageRef, Pages};
use crate::world::rows::{
    BodyIndex, BodyKind, ColdPage, ContactRow, PAGE_ROWS, PERSIST_EVENTS, PairKey, body_of,
};
use crate::world::{EventKind, EventRow, ImpactData, Pending, World, newton_seconds};

/// Buffers, reused to avoid allocation.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Sorted by page and key.
    owners: Vec<Owned>,
    sort: Vec<Owned>,
    /// Pages with a body whose contacts may have changed.
    pages: Vec<u32>,
    sort_pages: Vec<u32>,
}

impl Buffers {
    /// Reserves the initial capacity.
    pub(super) fn reserve(&mut self) {
        make_room(&mut self.pages, 0);
        make_room(&mut self.sort_pages, 0);
    }
}

/// Page of the owner of a contact, and the contact.
type Owned = (u32, ContactIndex);

/// Initial capacity of a page with contacts: two for each of its bodies.
const MIN_ROOM: usize = 64;

/// Pages of a stream.
const STREAM_PAGES: u32 = STREAM_BODIES / PAGE_ROWS as u32;

pub(super) fn run(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Frame,
    report: &mut StepReport,
) {
    find_pages(world, scratch);
    let buffers = core::mem::take(&mut scratch.record);
    let mut output = Output {
        same_ids: world.work.has_same_ids(world.base()),
        events: core::mem::take(&mut scratch.events),
        diff: core::mem::take(&mut scratch.diff),
    };
    let mut start = 0;
    for &number in &buffers.pages {
        let owners = &buffers.owners[start..];
        let owners = &owners[..owners.iter().take_while(|(page, _)| *page == number).count()];
        write_page(world, scratch, next, number, owners, &mut output);
        start += owners.len();
    }
    push_impact_events(world, scratch, &mut output.events);
    (scratch.events, scratch.diff) = (output.events, output.diff);
    scratch.record = buffers;
    report.touching = scratch.contacts.iter().filter(|contact| contact.row.touching).count() as u32;
}

/// Copies impulses for warm starting, and the touching flags, from the solved packs.
pub(super) fn take_impulses(parts: &mut Solving<'_>) {
    let Solving { batches, contacts, bodies, .. } = parts;
    let (contacts, bodies) = (&mut **contacts, &mut **bodies);
    let Batches { packs, points, angular, .. } = &**batches;
    let (mut points, mut angular) = (&points[..], &angular[..]);
    for pack in packs {
        let (rows, rest) = points.split_at(pack.points as usize);
        points = rest;
        let (turns, rest) = angular.split_at(pack.angular as usize);
        angular = rest;
        for (lane, contact) in pack.lanes() {
            let contact = &mut contacts[contact];
            let (row, separations) = (&mut contact.row, &contact.separations);
            row.touching = pack.impact_impulse.get(lane) > Q20::ZERO;
            contact.pushed = 0;
            let solved = row.points.iter_mut().zip(rows).zip(separations).enumerate();
            for (i, ((point, solved), separation)) in solved {
                let pushed = solved.total.get(lane) > Q20::ZERO;
                point.impulse = solved.impulse.get(lane);
                point.preload = solved.preload.get(lane).min(point.impulse);
                row.touching |= pushed || *separation < 0;
                contact.pushed |= u8::from(pushed) << i;
            }
            let tangents = [get3(&pack.tangents[0], lane), get3(&pack.tangents[1], lane)];
            let turn = |row: usize| turns.get(row).map_or(Q20::ZERO, |row| row.impulse.get(lane));
            row.friction = across(&tangents, pack.sliding_impulse.map(|slid| slid.get(lane)));
            row.twist = turn(0);
            row.rolling = across(&tangents, [turn(1), turn(2)]);
            contact.sticks = contact.pushed != 0 && sticks(row);
            if row.touching {
                for body in contact.bodies {
                    bodies.list[body].touches = true;
                }
            }
        }
    }
}

/// Returns whether friction holds a contact with less than three quarters of its limit, against sliding and against
/// twisting: a box that spins in place slides at every corner, and its mean point does not.
fn sticks(row: &ContactRow) -> bool {
    let push: i64 = row.points.iter().map(|point| i64::from(point.impulse.to_bits())).sum();
    let limit = (i128::from(push) * i128::from(row.mixed.friction.to_bits())) >> 30;
    let square: i128 = row.friction.iter().map(|c| i128::from(c.to_bits()).pow(2)).sum();
    let twist = i128::from(row.twist.to_bits()).pow(2);
    16 * square.max(twist) < 9 * limit * limit
}

/// Adds an event for each touching contact whose approach speed in this tick was above the restitution threshold.
fn push_impact_events(world: &World, scratch: &Scratch, events: &mut Vec<EventRow>) {
    let threshold = Q20::from_real_saturating(world.def.restitution_threshold);
    let Batches { packs, points, .. } = &scratch.batches;
    let mut points = &points[..];
    for pack in packs {
        let (rows, rest) = points.split_at(pack.points as usize);
        points = rest;
        for (lane, contact) in pack.lanes() {
            let contact = &scratch.contacts[contact];
            let approach = pack.approach.get(lane);
            if approach < threshold || !contact.row.touching {
                continue;
            }
            if let [Some(a), Some(b)] = ids(&world.work, contact.row.key) {
                let soft: i64 = rows.iter().map(|point| i64::from(point.total.0[lane])).sum();
                let pushed = soft + i64::from(pack.impact_impulse.0[lane]);
                let impact = impact(approach, pushed, contact, &scratch.bodies.list);
                let row = EventRow::pair(EventKind::Impact, contact.row.key, [a, b]);
                events.push(EventRow { impact, ..row });
            }
        }
    }
}

/// Impact data of a contact; `pushed` is the sum of its normal impulses in the solver's units.
fn impact(approach: Q20, pushed: i64, contact: &Contact, bodies: &BodyColumn) -> ImpactData {
    let [a, b] = contact.bodies.map(|body| &bodies[body]);
    ImpactData {
        speed: approach,
        impulse: newton_seconds(pushed, [a.mass, b.mass]).max(Real::ZERO),
        point: a.center + contact.lead + Vec3::from_bits(contact.arms().center()[0]),
        normal: contact.row.normal,
    }
}

/// Sorts contacts by the page of their owner, and lists the pages in which contacts may change or end.
fn find_pages(world: &World, scratch: &mut Scratch) {
    let Scratch { record, ends, bodies, copied, neighbours, .. } = scratch;
    let Buffers { owners, sort, pages, sort_pages } = record;
    let bodies = &bodies.list;
    owners.clear();
    owners.extend(ends.entries().map(|(contact, (_, places))| {
        let [a, b] = places.map(|body| &bodies[body]);
        (page_number(if a.dynamic { a.index } else { b.index }), contact)
    }));
    // Contacts are in the order in which they were found: by key, unless a body woke.
    sort_by_key(owners, sort, |(_, contact)| ends[*contact].0.0);
    sort_by_key(owners, sort, |(page, _)| u64::from(*page));
    pages.clear();
    let moved = bodies.iter().filter(|body| body.is_moved());
    pages.extend(moved.map(|body| page_number(body.index)));
    pages.extend(world.pending.void.iter().map(page_number));
    pages.extend(copied.iter().chain(neighbours.iter()).map(page_number));
    sort_by_key(pages, sort_pages, |page| u64::from(*page));
    pages.dedup();
}

/// Results of writing pages.
struct Output {
    /// True if the frames before and after commands have the same ids.
    same_ids: bool,
    events: Vec<EventRow>,
    diff: Diff,
}

/// Writes the contacts of one page: those that this step decides, merged with the others of the next frame.
fn write_page(
    world: &mut World,
    scratch: &Scratch,
    next: &mut Frame,
    number: u32,
    owners: &[Owned],
    output: &mut Output,
) {
    let (s, p) = ((number / STREAM_PAGES) as usize, (number % STREAM_PAGES) as usize);
    let World { timeline, tick, work, store, pending, .. } = world;
    let base = &timeline.entry(*tick).frame;
    let before = base.streams.get(s).and_then(|stream| stream.contacts.get(p)).copied();
    let Some(page) = next.streams.get_mut(s).and_then(|stream| stream.contacts.get_mut(p)) else {
        return;
    };
    let old = *page;
    let is_empty = |page: PageRef| store.contacts.get(page).rows.is_empty();
    if owners.is_empty() && before.is_none_or(is_empty) && is_empty(old) {
        return;
    }
    // Pages move between frames. A page that had as many rows is taken, or each would grow to its peak separately. A few more,
    // because contacts of both frames may remain.
    let rows = |page: PageRef| store.contacts.get(page).rows.len();
    let most = rows(old).max(before.map_or(0, rows)).max(owners.len());
    let room = (most + most / 8).next_power_of_two().max(MIN_ROOM);
    let mut new = store.contacts.take_for_writing(page, room);
    {
        let (was, old) = (before.map(|page| store.contacts.get(page)), store.contacts.get(old));
        new.overlaps.clear();
        new.overlaps.extend_from_slice(&old.overlaps);
        new.rows.clear();
        new.rows.reserve(room);
        let side = Side { scratch, work, store, pending };
        let (cold, events, same_ids) = (&store.cold, &mut output.events, output.same_ids);
        let writer = EventWriter { base, work, pending, same_ids, cold, events };
        merge(was.map_or(&[], |page| &page.rows), owners, &old.rows, &mut new.rows, &side, writer);
        if output.diff.on {
            compare(&old.rows, &new.rows, &mut output.diff);
        }
    }
    store.contacts.put(*page, new, old);
}

/// Merges three lists by key: decided contacts of the last tick and of this one, and the undecided contacts of the next
/// frame.
fn merge(
    was: &[ContactRow],
    is: &[Owned],
    others: &[ContactRow],
    out: &mut Vec<ContactRow>,
    side: &Side<'_>,
    mut writer: EventWriter<'_>,
) {
    let contact = |(_, contact): &Owned| &side.scratch.contacts[*contact].row;
    if core::ptr::eq(was, others) {
        merge_shared(was, is.iter().map(contact), out, side, &mut writer);
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
                writer.compare_contact(key, was, is);
            }
        }
    }
}

/// Merges the contacts of a page that the next frame still shares with the last one, as in every full step: each of its
/// contacts is either decided by this step or not.
fn merge_shared<'a>(
    was: &[ContactRow],
    is: impl Iterator<Item = &'a ContactRow>,
    out: &mut Vec<ContactRow>,
    side: &Side<'_>,
    writer: &mut EventWriter<'_>,
) {
    let mut is = is.peekable();
    for row in was {
        while let Some(new) = is.next_if(|is| is.key < row.key) {
            add(out, new);
            writer.compare_contact(new.key, None, Some(new));
        }
        if let Some(new) = is.next_if(|is| is.key == row.key) {
            add(out, new);
            writer.compare_contact(row.key, Some(row), Some(new));
        } else if !side.decides(row.key) || side.rests(row.key) {
            add(out, row);
        } else {
            writer.compare_contact(row.key, Some(row), None);
        }
    }
    for new in is {
        add(out, new);
        writer.compare_contact(new.key, None, Some(new));
    }
}

/// Adds a row. `push` would copy it to the stack first.
#[inline(always)]
fn add(out: &mut Vec<ContactRow>, row: &ContactRow) {
    out.extend_from_slice(core::slice::from_ref(row));
}

/// Decides which contacts this step writes.
struct Side<'a> {
    scratch: &'a Scratch,
    work: &'a Frame,
    store: &'a Store,
    pending: &'a Pending,
}

impl Side<'_> {
    fn body(&self, index: BodyIndex) -> Option<&StepBody> {
        self.scratch.places.get(index).map(|place| &self.scratch.bodies.list[place])
    }

    /// Returns whether the step decides a contact: one of its bodies moves, is dirty, or was changed by a command.
    fn decides(&self, key: PairKey) -> bool {
        let mut bodies = key.shapes().map(body_of).into_iter();
        let moves = |body: BodyIndex| self.body(body).is_some_and(StepBody::is_moved);
        bodies.any(|body| moves(body) || self.scratch.copied.contains(body))
            || self.pending.is_void(key)
    }

    /// Returns whether all bodies of a contact rest, so that its row stays unchanged.
    fn rests(&self, key: PairKey) -> bool {
        let awake = |body: BodyIndex| {
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

/// Adds the events of contacts.
struct EventWriter<'a> {
    base: &'a Frame,
    work: &'a Frame,
    pending: &'a Pending,
    /// True if both have the same ids.
    same_ids: bool,
    cold: &'a Pages<ColdPage>,
    events: &'a mut Vec<EventRow>,
}

impl EventWriter<'_> {
    fn compare_contact(&mut self, key: PairKey, was: Option<&ContactRow>, is: Option<&ContactRow>) {
        let same_shapes = !self.pending.is_removed(key);
        let touches = |row: Option<&ContactRow>| row.is_some_and(|row| row.touching);
        let goes_on = same_shapes && touches(was) && touches(is);
        // Equal ids: the bodies of the pair are the same.
        if goes_on && self.same_ids {
            if key.shapes().iter().any(|shape| self.reports_persist(body_of(*shape))) {
                self.push(EventKind::ContactPersisted, key, ids(self.work, key));
            }
            return;
        }
        let touched = was.filter(|row| row.touching).map(|_| ids(self.base, key));
        let touches = is.filter(|row| row.touching).map(|_| ids(self.work, key));
        if let (Some(touched), Some(touches)) = (touched, touches)
            && touched == touches
            && same_shapes
        {
            if key.shapes().iter().any(|shape| self.reports_persist(body_of(*shape))) {
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

    fn reports_persist(&self, body: BodyIndex) -> bool {
        let Place { stream, page, row } = Place::of(body);
        let page = self.cold.get(self.work.streams[stream].cold[page]);
        page.rows[row].flags & PERSIST_EVENTS != 0
    }
}

/// Returns the ids of a pair's bodies in a frame.
pub(super) fn ids(frame: &Frame, key: PairKey) -> [Option<Id>; 2] {
    key.shapes().map(|shape| frame.id_at(body_of(shape)))
}
