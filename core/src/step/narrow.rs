//! Third phase: contacts of the pairs, kept or made anew, with the last tick's impulses. Pairs with a sensor are put
//! aside for the phase that tells of them.

use super::block::Motion;
use super::bodies::StepBody;
use super::broad::MARGIN;
use super::contacts::Contact;
use super::gather::place_of;
use super::keep::Keeping;
use super::shapes::StepShape;
use super::sweep::{self, Found, Sweeper};
use super::{Scratch, StepReport};
use crate::collide::{collide, out_of_reach};
use crate::math::{Real, Turn, Vec3};
use crate::world::World;
use crate::world::rows::{ContactRow, PairKey, body_of};
use crate::world::slot::Place;

/// How far two bodies may move against each other while their contact is kept: at most 5 cm, and a twentieth of
/// the thinner one.
const KEEP_LIMIT: Real = Real::ratio(5, 100);
const KEEP_SHARE: Real = Real::ratio(5, 100);

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    scratch.contacts.clear();
    scratch.sensing.clear();
    add(world, scratch, report);
}

/// Adds the contacts of the pairs that the broad phase has now.
pub(super) fn add(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    scratch.last.clear();
    let mut deepest = report.deepest.to_bits();
    let sweeper = Sweeper::new(world);
    for i in 0..scratch.broad.pairs.len() {
        let (a, b) = scratch.broad.pairs[i];
        if senses(world, scratch, a) || senses(world, scratch, b) {
            scratch.sensing.push((a, b));
            continue;
        }
        let places = [meet(world, scratch, a), meet(world, scratch, b)];
        let [first, second] = places.map(|place| &scratch.bodies.list[place as usize]);
        // One that moves as it is told keeps awake what it touches.
        let restless = [second, first].map(|other| other.awake && !other.dynamic);
        let owner = if first.dynamic { a } else { b };
        let key = PairKey::new(a, b);
        let old = scratch.last.find(world, body_of(owner), key);
        let old = old.filter(|_| !world.pending.is_void(key));
        let pair = Pair::new(scratch, key, places);
        let kept = old.filter(|_| scratch.keeps()).and_then(|old| pair.keep(old));
        if let (Some(old), Some(separations)) = (old, kept) {
            report.kept += 1;
            let (size, lead) = (pair.size(), Vec3::ZERO);
            let contact = Contact { row: *old, bodies: places, separations, size, lead };
            scratch.contacts.push(contact);
        } else if let Some(contact) = pair.make(world, &sweeper, old) {
            scratch.contacts.push(contact);
        } else {
            continue;
        }
        let [.., contact] = &scratch.contacts[..] else { continue };
        let count = contact.row.points.len();
        report.points += count as u32;
        deepest = contact.separations[..count].iter().fold(deepest, |least, s| least.min(*s));
        for (place, restless) in places.into_iter().zip(restless) {
            scratch.bodies.list[place as usize].restless |= restless;
        }
    }
    report.contacts = scratch.contacts.len() as u32;
    report.deepest = Real::from_bits(deepest);
}

/// Whether a shape is a sensor's. Its body gets no place because of the question.
#[inline]
fn senses(world: &World, scratch: &mut Scratch, key: u32) -> bool {
    let Scratch { places, shapes, bodies, .. } = scratch;
    match places.get(body_of(key)) {
        Some(place) => shapes.find(world, bodies, place, key).sensor,
        None => shape_row(world, key).material.sensor,
    }
}

/// The place of a shape's body; the shape is known then.
#[inline]
fn meet(world: &World, scratch: &mut Scratch, key: u32) -> u32 {
    let place = place_of(world, scratch, body_of(key));
    scratch.shapes.find(world, &scratch.bodies, place, key);
    place
}

/// Two shapes that might touch.
struct Pair<'a> {
    key: PairKey,
    places: [u32; 2],
    bodies: [&'a StepBody; 2],
    shapes: [&'a StepShape; 2],
    turns: [&'a Turn; 2],
    motions: [&'a Motion; 2],
}

impl<'a> Pair<'a> {
    #[inline(always)]
    fn new(scratch: &'a Scratch, key: PairKey, places: [u32; 2]) -> Self {
        let [a, b] = key.shapes();
        let at = places.map(|place| place as usize);
        Self {
            key,
            places,
            bodies: [&scratch.bodies.list[at[0]], &scratch.bodies.list[at[1]]],
            shapes: [scratch.shapes.get(places[0], a), scratch.shapes.get(places[1], b)],
            turns: [&scratch.shapes.turns[at[0]], &scratch.shapes.turns[at[1]]],
            motions: [&scratch.bodies.motions[at[0]], &scratch.bodies.motions[at[1]]],
        }
    }

    /// The thickness of the thinner shape.
    fn thickness(&self) -> Real {
        self.shapes[0].thickness.min(self.shapes[1].thickness)
    }

    /// Half of it, raw metres.
    fn size(&self) -> i64 {
        self.thickness().to_bits() / 2
    }

    fn is_flat(&self) -> bool {
        self.shapes[0].flat && self.shapes[1].flat
    }

    /// The separations of the old contact, if it is kept.
    #[inline]
    fn keep(&self, old: &ContactRow) -> Option<[i64; 4]> {
        if !self.is_flat() {
            return None;
        }
        let radius = |i: usize| {
            if self.bodies[i].dynamic { self.shapes[i].radius.unwrap_or(0) } else { 0 }
        };
        let keeping = Keeping {
            tolerance: KEEP_LIMIT.min(self.thickness() * KEEP_SHARE),
            extent: Real::from_bits(radius(0).max(radius(1))),
            margin: MARGIN.to_bits(),
        };
        keeping.separations(old, self.bodies, self.turns)
    }

    /// A contact from where the shapes are now.
    #[inline(never)]
    fn make(&self, world: &World, sweeper: &Sweeper, old: Option<&ContactRow>) -> Option<Contact> {
        let Self { bodies, shapes, motions, .. } = *self;
        let margin = MARGIN.to_bits();
        let delta = shapes[1].center - shapes[0].center;
        let reach = sweeper.reach(motions, self.is_flat());
        // What moves less than the margin in a tick can wait until it is within it.
        let far = reach.filter(|reach| *reach > 2 * margin);
        // Many pairs of a crowd end here.
        let radii = shapes.map(|shape| shape.radius);
        if out_of_reach(radii, delta.to_bits(), far.unwrap_or(margin)) {
            return None;
        }
        let way = if reach.is_some() { sweeper.way(motions) } else { Vec3::ZERO };
        if far.is_some() && sweep::misses(radii, delta, way) {
            return None;
        }
        let [a, b] = [shapes[0].posed(), shapes[1].posed()];
        let mut found = Found { manifold: collide(&a, &b, margin), time: Real::ZERO };
        if let Some(reach) = reach {
            let points = &found.manifold.points;
            let least = points.iter().map(|point| point.separation).min();
            // Of what is within the margin only round shapes that don't touch yet are better looked at along their way;
            // the faces of boxes tell more where they are than where they will be.
            if least.map_or(far.is_some(), |least| least > 0 && !self.is_flat()) {
                let first = least.map(|least| (found.manifold.normal, least));
                found = sweep::run(&a, &b, way, reach, first)?;
            }
        }
        if found.manifold.points.is_empty() {
            return None;
        }
        let [first, second] = self.key.shapes().map(|key| &shape_row(world, key).material);
        let mixed = world.def.materials.mix(first, second);
        let row = ContactRow { key: self.key, mixed, ..ContactRow::default() };
        let offset = shapes[0].offset.to_bits();
        let (manifold, size) = (&found.manifold, self.size());
        let mut contact = Contact::from_manifold(manifold, row, self.places, bodies, offset, size);
        if found.time > Real::ZERO {
            sweeper.rewind(&mut contact, way, found.time)?;
        }
        if let Some(old) = old {
            contact.inherit(old, self.thickness());
        }
        Some(contact)
    }
}

fn shape_row(world: &World, key: u32) -> &crate::world::rows::ShapeRow {
    let body = body_of(key);
    let shapes = world.work.cold_page(&world.store, body).shapes_of(Place::of(body).row);
    &shapes[(key & 0xff) as usize]
}

/// The last tick's contacts, asked for in the order of their keys. Each page has them in that order too, so its cursor
/// only moves on; a search would go through memory that is not at hand.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// Contacts with lower keys than what was last asked for, by stream and page.
    cursors: Vec<Vec<u32>>,
}

impl Last {
    fn clear(&mut self) {
        self.cursors.iter_mut().for_each(Vec::clear);
    }

    /// The contact of a pair in the page of its owner; keys ascend from call to call.
    fn find<'a>(&mut self, world: &'a World, owner: u32, key: PairKey) -> Option<&'a ContactRow> {
        let Place { stream, page, .. } = Place::of(owner);
        let pages = &world.work.streams[stream].contacts;
        if self.cursors.len() <= stream {
            self.cursors.resize(stream + 1, Vec::new());
        }
        let cursors = &mut self.cursors[stream];
        if cursors.len() < pages.len() {
            cursors.resize(pages.len(), 0);
        }
        let rows = &world.store.contacts.get(pages[page]).rows;
        let mut cursor = cursors[page] as usize;
        while rows.get(cursor).is_some_and(|row| row.key < key) {
            cursor += 1;
        }
        cursors[page] = cursor as u32;
        rows.get(cursor).filter(|row| row.key == key)
    }
}
