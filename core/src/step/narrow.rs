//! Third phase: contacts of the pairs, kept or made anew, with the last tick's impulses. Pairs with a sensor are put
//! aside for the phase that tells of them.

use super::bodies::StepBody;
use super::broad::MARGIN;
use super::contacts::{Contact, Keeping};
use super::gather::place_of;
use super::sweep::{self, Found, Sweeper};
use super::{Scratch, StepReport};
use crate::collide::{Posed, collide, out_of_reach};
use crate::math::{Q30, Real, Vec3};
use crate::world::World;
use crate::world::rows::{ContactRow, PairKey, ShapeRow, body_of};
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
        if shape_row(world, a).material.sensor || shape_row(world, b).material.sensor {
            scratch.sensing.push((a, b));
            continue;
        }
        let places = [a, b].map(|shape| place_of(world, scratch, body_of(shape)));
        let owner = if scratch.bodies.list[places[0] as usize].dynamic { a } else { b };
        let key = PairKey::new(a, b);
        let old = scratch.last.find(world, body_of(owner), key);
        let old = old.filter(|_| !world.pending.is_void(key));
        let Some(contact) = touch(world, scratch, &sweeper, [a, b], places, old, report) else {
            continue;
        };
        let count = contact.row.points.len();
        report.points += count as u32;
        deepest = contact.separations[..count].iter().fold(deepest, |least, s| least.min(*s));
        scratch.contacts.push(contact);
        let bodies = &mut scratch.bodies.list;
        for [this, other] in [[0, 1], [1, 0]].map(|sides| sides.map(|side| places[side] as usize)) {
            bodies[this].restless |= bodies[other].awake && !bodies[other].dynamic;
        }
    }
    report.contacts = scratch.contacts.len() as u32;
    report.deepest = Real::from_bits(deepest);
}

fn touch(
    world: &World,
    scratch: &Scratch,
    sweeper: &Sweeper,
    keys: [u32; 2],
    places: [u32; 2],
    old: Option<&ContactRow>,
    report: &mut StepReport,
) -> Option<Contact> {
    let bodies = places.map(|place| &scratch.bodies.list[place as usize]);
    let shapes = keys.map(|key| shape_row(world, key));
    let thickness = shapes[0].shape.thickness().min(shapes[1].shape.thickness());
    let size = thickness.to_bits() / 2;
    let key = PairKey::new(keys[0], keys[1]);
    if let Some(old) = old
        && scratch.keeps()
        && shapes.iter().all(|shape| shape.shape.is_flat())
    {
        let extent = bodies
            .iter()
            .zip(&shapes)
            .filter(|(body, _)| body.dynamic)
            .filter_map(|(_, shape)| shape.shape.bounding_radius())
            .max()
            .unwrap_or(Real::ZERO);
        let tolerance = KEEP_LIMIT.min(thickness * KEEP_SHARE);
        let keeping = Keeping { tolerance, extent, margin: MARGIN.to_bits() };
        if let Some(contact) = Contact::keep(old, places, bodies, &keeping, size) {
            report.kept += 1;
            return Some(contact);
        }
    }
    let margin = MARGIN.to_bits();
    let offsets = [offset(world, bodies[0], shapes[0]), offset(world, bodies[1], shapes[1])];
    let delta = (bodies[1].center + offsets[1]) - (bodies[0].center + offsets[0]);
    let motions = places.map(|place| &scratch.bodies.motions[place as usize]);
    let reach = sweeper.reach(motions, shapes.map(|shape| &shape.shape));
    // What moves less than the margin in a tick can wait until it is within it.
    let far = reach.filter(|reach| *reach > 2 * margin);
    // Many pairs of a crowd end here; turning them would have been in vain.
    if out_of_reach(&shapes[0].shape, &shapes[1].shape, delta.to_bits(), far.unwrap_or(margin)) {
        return None;
    }
    let way = if reach.is_some() { sweeper.way(motions) } else { Vec3::ZERO };
    if far.is_some() && sweep::misses(&shapes[0].shape, &shapes[1].shape, delta, way) {
        return None;
    }
    let [a, b] = [posed(bodies[0], shapes[0], offsets[0]), posed(bodies[1], shapes[1], offsets[1])];
    let mut found = Found { manifold: collide(&a, &b, margin), time: Real::ZERO };
    if let Some(reach) = reach {
        let points = &found.manifold.points;
        let least = points.iter().map(|point| point.separation).min();
        // Of what is within the margin only round shapes that don't touch yet are better looked at along their way;
        // the faces of boxes tell more where they are than where they will be.
        let round = || shapes.iter().any(|shape| !shape.shape.is_flat());
        if least.map_or(far.is_some(), |least| least > 0 && round()) {
            let first = least.map(|least| (found.manifold.normal, least));
            found = sweep::run(&a, &b, way, reach, first)?;
        }
    }
    if found.manifold.points.is_empty() {
        return None;
    }
    let mixed = world.def.materials.mix(&shapes[0].material, &shapes[1].material);
    let row = ContactRow { key, mixed, ..ContactRow::default() };
    let mut contact =
        Contact::from_manifold(&found.manifold, row, places, bodies, offsets[0].to_bits(), size);
    if found.time > Real::ZERO {
        sweeper.rewind(&mut contact, way, found.time)?;
    }
    if let Some(old) = old {
        contact.inherit(old, thickness);
    }
    Some(contact)
}

/// The way from a body's centre of mass to its shape's origin.
#[inline(always)]
pub(super) fn offset(world: &World, body: &StepBody, shape: &ShapeRow) -> Vec3 {
    let local = shape.pose.translation - world.work.cold(&world.store, body.index).local_center;
    // Nearly always the shape is the body: spare turning nothing.
    if local == Vec3::ZERO { local } else { body.rotation.rotate(local) }
}

/// A body's shape where it is.
#[inline(always)]
pub(super) fn posed<'a>(body: &StepBody, shape: &'a ShapeRow, offset: Vec3) -> Posed<'a> {
    let [x, y, z] = (body.rotation * shape.pose.rotation).to_lanes();
    let bits = |row: [Q30; 3]| [row[0].to_bits(), row[1].to_bits(), row[2].to_bits()];
    Posed {
        shape: &shape.shape,
        center: (body.center + offset).to_bits(),
        rotation: [bits(x), bits(y), bits(z)],
    }
}

pub(super) fn shape_row(world: &World, key: u32) -> &ShapeRow {
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
