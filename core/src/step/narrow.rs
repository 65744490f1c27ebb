//! Third phase: contacts of the pairs, kept or made anew, with the last tick's impulses. Pairs with a sensor are put
//! aside for the phase that tells of them.

use super::block::Motion;
use super::bodies::{Bodies, StepBody};
use super::broad::MARGIN;
use super::contacts::Contact;
use super::crowd::{Crowd, Edge};
use super::gather::place_of;
use super::keep::Keeping;
use super::shapes::{Shapes, StepShape};
use super::sweep::{self, Found, Sweeper};
use super::{Scratch, StepReport};
use crate::collide::{collide, collide_on_the_way, out_of_reach};
use crate::math::{Real, Turn, Vec3};
use crate::world::rows::{ContactRow, PairKey, body_of};
use crate::world::slot::Place;
use crate::world::{Material, Mixed, World};
use core::iter::once_with;

/// How far two bodies may move against each other while their contact is kept: at most 5 cm, and a twentieth of
/// the thinner one.
const KEEP_LIMIT: Real = Real::ratio(5, 100);
const KEEP_SHARE: Real = Real::ratio(5, 100);

pub(super) fn run(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    scratch.contacts.clear();
    scratch.ends.clear();
    scratch.crowd.clear();
    scratch.sensing.clear();
    add(world, scratch, report);
}

/// Adds the contacts of the pairs that the broad phase has now.
pub(super) fn add(world: &World, scratch: &mut Scratch, report: &mut StepReport) {
    let mut met = core::mem::take(&mut scratch.met);
    met.clear();
    for i in 0..scratch.broad.pairs.len() {
        let (a, b) = scratch.broad.pairs[i];
        match meet(world, scratch, [a, b]) {
            Some(places) => {
                scratch.crowd.count(places, &scratch.bodies.list);
                met.push((PairKey::new(a, b), places));
            }
            None => scratch.sensing.push((a, b)),
        }
    }
    let from = scratch.contacts.len();
    let edges = scratch.crowd.edges.len();
    report.kept += find(world, scratch, &met, Finding::Edges);
    scratch.met = met;
    let Scratch { bodies, contacts, ends, crowd, .. } = scratch;
    ends.extend(contacts[from..].iter().map(|contact| (contact.row.key, contact.bodies)));
    let mut deepest = report.deepest.to_bits();
    deepest = crowd.edges[edges..].iter().fold(deepest, |least, edge| least.min(edge.separation));
    for Contact { row, bodies: places, separations, .. } in &contacts[from..] {
        let count = row.points.len();
        report.points += count as u32;
        deepest = separations[..count].iter().fold(deepest, |least, s| least.min(*s));
        let bodies = &mut bodies.list;
        for [this, other] in [[0, 1], [1, 0]].map(|sides| sides.map(|side| places[side] as usize)) {
            bodies[this].restless |= bodies[other].awake && !bodies[other].dynamic;
        }
    }
    report.contacts = contacts.len() as u32;
    report.deepest = Real::from_bits(deepest);
}

/// What becomes of pairs in a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Only their separation is kept.
    Edges,
    /// They are contacts, as all are.
    Contacts,
}

/// Finds the contacts of all pairs, in pieces if there are threads for it, and says how many were kept.
pub(super) fn find(world: &World, scratch: &mut Scratch, met: &[Met], finding: Finding) -> u32 {
    let keeps = scratch.keeps();
    let Scratch { bodies, shapes, contacts, pieces, threads, crowd, .. } = scratch;
    let crowded = (finding == Finding::Edges && crowd.is_there()).then_some(&*crowd);
    let sweeper = Sweeper::new(world);
    let finder = Finder { world, bodies, shapes, sweeper, keeps, crowded };
    let cut = threads.count() > 1 && met.len() > PIECE;
    let count = if cut { met.len().div_ceil(PIECE) } else { 1 };
    if pieces.len() < count {
        pieces.resize_with(count, Piece::default);
    }
    if !cut {
        // Straight to where they belong.
        let piece = &mut pieces[0];
        core::mem::swap(&mut piece.contacts, contacts);
        finder.run(met, piece);
        core::mem::swap(&mut piece.contacts, contacts);
        crowd.edges.append(&mut piece.edges);
        return core::mem::take(&mut piece.kept);
    }
    let pieces = &mut pieces[..count];
    threads.share(pieces.iter_mut().zip(met.chunks(PIECE)), |(piece, met)| {
        piece.contacts.clear();
        finder.run(met, piece);
    });
    let mut kept = 0;
    for piece in pieces {
        contacts.extend_from_slice(&piece.contacts);
        crowd.edges.append(&mut piece.edges);
        kept += core::mem::take(&mut piece.kept);
    }
    kept
}

/// Pairs of a piece.
const PIECE: usize = 64;

/// A pair that might touch, and the places of its bodies.
pub(crate) type Met = (PairKey, [u32; 2]);

/// Consecutive pairs, and what was found of them.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    contacts: Vec<Contact>,
    edges: Vec<Edge>,
    kept: u32,
    last: Last,
    mixture: Option<Mixture>,
}

/// Two surfaces and how they go together: the pair before often had the same.
#[derive(Debug)]
struct Mixture {
    of: [Material; 2],
    mixed: Mixed,
}

impl Piece {
    /// How the surfaces of two shapes go together.
    #[inline(always)]
    fn mix(&mut self, world: &World, [a, b]: [&StepShape; 2]) -> Mixed {
        match &self.mixture {
            Some(Mixture { of, mixed }) if of[0] == a.material && of[1] == b.material => *mixed,
            _ => {
                let (of, mixed) =
                    ([a.material, b.material], world.def.materials.mix(&a.material, &b.material));
                self.mixture = Some(Mixture { of, mixed });
                mixed
            }
        }
    }
}

/// What finding a contact reads; it depends on nothing but its pair.
struct Finder<'a> {
    world: &'a World,
    bodies: &'a Bodies,
    shapes: &'a Shapes,
    sweeper: Sweeper,
    keeps: bool,
    /// Where only edges are wanted.
    crowded: Option<&'a Crowd>,
}

impl Finder<'_> {
    fn run(&self, met: &[Met], piece: &mut Piece) {
        piece.last.clear();
        piece.mixture = None;
        for &(key, places) in met {
            if self.crowded.is_some_and(|crowd| crowd.has(places, &self.bodies.list)) {
                self.edge(key, places, piece);
            } else {
                self.pair(key, places, piece);
            }
        }
    }

    /// Finds the contact of a pair and keeps no more than its separation.
    #[inline(never)]
    fn edge(&self, key: PairKey, places: [u32; 2], piece: &mut Piece) {
        let pair = Pair::new(self.bodies, self.shapes, key, places);
        if !pair.is_flat() {
            let Some(reach) = pair.reach(&self.sweeper) else { return };
            if let Some(separation) = pair.separation(&reach) {
                piece.edges.push(Edge { met: (key, places), separation });
                return;
            }
        }
        let (count, kept) = (piece.contacts.len(), piece.kept);
        self.pair(key, places, piece);
        piece.edges.extend(piece.contacts[count..].iter().map(Edge::of));
        piece.contacts.truncate(count);
        piece.kept = kept;
    }

    #[inline(always)]
    fn pair(&self, key: PairKey, places: [u32; 2], piece: &mut Piece) {
        let pair = Pair::new(self.bodies, self.shapes, key, places);
        let flat = pair.is_flat();
        // Most pairs of a crowd end here. Flat ones may be kept whatever their reach.
        let reach = if flat { None } else { pair.reach(&self.sweeper) };
        if !flat && reach.is_none() {
            return;
        }
        let owner = key.shapes()[usize::from(!pair.bodies[0].dynamic)];
        let old = piece.last.find(self.world, body_of(owner), key);
        let old = old.filter(|_| !self.world.pending.is_void(key));
        let kept = old.filter(|_| flat && self.keeps).and_then(|old| pair.keep(old));
        if let (Some(old), Some(separations)) = (old, kept) {
            piece.kept += 1;
            let (size, known, lead, stands) = (pair.size(), u32::MAX, Vec3::ZERO, false);
            // Made where it belongs: `push` would take it there from the stack.
            piece.contacts.extend(once_with(|| {
                let row = *old;
                Contact { row, bodies: places, separations, size, known, lead, stands }
            }));
        } else if let Some(reach) = reach.or_else(|| pair.reach(&self.sweeper)) {
            pair.make(self.world, &self.sweeper, &reach, old, piece);
        }
    }
}

/// The places of the bodies of two shapes, which are known then; `None` if one is a sensor's.
#[inline]
fn meet(world: &World, scratch: &mut Scratch, keys: [u32; 2]) -> Option<[u32; 2]> {
    let [a, b] = keys;
    let Scratch { places, shapes, bodies, .. } = scratch;
    let (Some(first), Some(second)) = (places.get(body_of(a)), places.get(body_of(b))) else {
        return meet_first(world, scratch, keys);
    };
    let senses = shapes.find(world, bodies, first, a).material.sensor;
    let senses = shapes.find(world, bodies, second, b).material.sensor || senses;
    (!senses).then_some([first, second])
}

/// The same, where one has no place yet. It gets none because of a sensor.
#[inline(never)]
fn meet_first(world: &World, scratch: &mut Scratch, keys: [u32; 2]) -> Option<[u32; 2]> {
    if keys.iter().any(|key| shape_row(world, *key).material.sensor) {
        return None;
    }
    Some(keys.map(|key| {
        let place = place_of(world, scratch, body_of(key));
        scratch.shapes.find(world, &scratch.bodies, place, key);
        place
    }))
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

/// What is known of two shapes that are not out of each other's reach.
struct Reach {
    /// How far apart they may be and touch within the tick; none for slow ones.
    within: Option<i64>,
    /// The same, if it is so far that they are looked at along their way.
    far: Option<i64>,
    /// What the second moves against the first in the tick, if there is a reach.
    way: Vec3,
}

impl<'a> Pair<'a> {
    #[inline(always)]
    fn new(bodies: &'a Bodies, shapes: &'a Shapes, key: PairKey, places: [u32; 2]) -> Self {
        let ([a, b], at) = (key.shapes(), [places[0] as usize, places[1] as usize]);
        Self {
            key,
            places,
            bodies: [&bodies.list[at[0]], &bodies.list[at[1]]],
            shapes: [shapes.get(places[0], a), shapes.get(places[1], b)],
            turns: [&shapes.turns[at[0]], &shapes.turns[at[1]]],
            motions: [&bodies.motions[at[0]], &bodies.motions[at[1]]],
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

    /// How far the shapes reach, or `None` if they are out of it, as balls around them show.
    #[inline(always)]
    fn reach(&self, sweeper: &Sweeper) -> Option<Reach> {
        let Self { shapes, motions, .. } = *self;
        let delta = shapes[1].center - shapes[0].center;
        let margin = MARGIN.to_bits();
        let reach = sweeper.reach(motions, self.is_flat());
        // What moves less than the margin in a tick can wait until it is within it.
        let far = reach.filter(|reach| *reach > 2 * margin);
        let radii = [shapes[0].radius, shapes[1].radius];
        if out_of_reach(radii, delta.to_bits(), far.unwrap_or(margin)) {
            return None;
        }
        let way = if reach.is_some() { sweeper.way(motions) } else { Vec3::ZERO };
        if far.is_some() && sweep::misses(radii, delta, way) {
            return None;
        }
        Some(Reach { within: reach, far, way })
    }

    /// The least separation of the contact that [`make`](Self::make) would add, if that takes no more than where round shapes are.
    fn separation(&self, reach: &Reach) -> Option<i64> {
        let [a, b] = self.shapes.map(StepShape::posed);
        let points = collide(&a, &b, MARGIN.to_bits()).points;
        let least = points.iter().map(|point| point.separation).min();
        least.filter(|least| *least <= 0 || reach.within.is_none())
    }

    /// Adds a contact from where the shapes are now, if they touch.
    #[inline(never)]
    fn make(
        &self,
        world: &World,
        sweeper: &Sweeper,
        &Reach { within, far, way }: &Reach,
        old: Option<&ContactRow>,
        piece: &mut Piece,
    ) -> Option<()> {
        let Self { bodies, shapes, .. } = *self;
        let margin = MARGIN.to_bits();
        let [a, b] = [shapes[0].posed(), shapes[1].posed()];
        let way = if self.is_flat() && within.is_none() { sweeper.way(self.motions) } else { way };
        let manifold = collide_on_the_way(&a, &b, margin, way.to_bits());
        let mut found = Found { manifold, time: Real::ZERO };
        if let Some(reach) = within {
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
        let (mixed, contacts) = (piece.mix(world, shapes), &mut piece.contacts);
        let row = ContactRow { key: self.key, mixed, ..ContactRow::default() };
        let offset = shapes[0].offset.to_bits();
        let (manifold, size) = (&found.manifold, self.size());
        contacts.push(Contact::from_manifold(manifold, row, self.places, bodies, offset, size));
        let contact = contacts.last_mut()?;
        if found.time > Real::ZERO && sweeper.rewind(contact, way, found.time).is_none() {
            contacts.pop();
            return None;
        }
        if let Some(old) = old {
            contact.inherit(old, self.thickness());
        }
        Some(())
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

/// Nothing of a page was asked for.
const UNKNOWN: u32 = u32::MAX;

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
            cursors.resize(pages.len(), UNKNOWN);
        }
        let rows = &world.store.contacts.get(pages[page]).rows;
        let mut cursor = cursors[page] as usize;
        if cursors[page] == UNKNOWN {
            cursor = rows.partition_point(|row| row.key < key);
        }
        while rows.get(cursor).is_some_and(|row| row.key < key) {
            cursor += 1;
        }
        cursors[page] = cursor as u32;
        rows.get(cursor).filter(|row| row.key == key)
    }
}
