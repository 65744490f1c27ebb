//! Third phase: contacts of the pairs, recycled or from a new manifold, with the last tick's impulses for warm starting.

use super::StepReport;
use super::bodies::{Bodies, StepBody};
use super::bounds::MARGIN;
use super::constraint::Motion;
use super::contacts::{Contact, ContactColumn};
use super::crowd::{Crowd, Edge};
use super::gather::Columns;
use super::index::{BodyPlace, ContactIndex};
use super::recycle::Recycling;
use super::scratch::Split;
use super::shapes::{Shapes, StepShape};
use super::sweep::{self, Found, Sweeper};
use crate::collide::{Flat, collide, collide_moving, flat, out_of_reach};
use crate::data::index::index_types;
use crate::data::{Column, Optional, TypedIndex};
use crate::math::{Real, Turn, Vec3};
use crate::parallel::Threads;
use crate::world::frame::Place;
use crate::world::rows::{BodyIndex, ContactRow, PairKey, ShapeKey, body_of};
use crate::world::{Material, Mixed, World};
use core::iter::once_with;

/// Relative motion up to which a contact is recycled: at most 5 cm, and a twentieth of the thinner shape.
const RECYCLE_LIMIT: Real = Real::ratio(5, 100);
const RECYCLE_FRACTION: Real = Real::ratio(5, 100);

/// Pair keys and body places of the contacts.
pub(crate) type Ends = Column<ContactIndex, PairCandidate>;

/// Buffers of the narrow phase.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    candidates: Vec<PairCandidate>,
    pieces: Vec<Piece>,
}

/// Parts of the scratch memory that the narrow phase reads and writes.
pub(super) struct Narrow<'a> {
    pub(super) columns: Columns<'a>,
    /// Contacts found.
    pub(super) contacts: &'a mut ContactColumn,
    /// For phases that need no more of the contacts.
    pub(super) ends: &'a mut Ends,
    pub(super) crowd: &'a mut Crowd,
    pub(super) buffers: &'a mut Buffers,
    pub(super) threads: &'a Threads,
    pub(super) recycles: bool,
}

pub(super) fn run(world: &World, mut parts: Split<'_>, report: &mut StepReport) {
    let Narrow { contacts, ends, crowd, .. } = &mut parts.narrow;
    contacts.clear();
    ends.clear();
    crowd.clear();
    add(world, parts, report);
}

/// Adds the contacts of the pairs that the broad phase has found last.
pub(super) fn add(world: &World, parts: Split<'_>, report: &mut StepReport) {
    let Split { mut narrow, pairs, .. } = parts;
    narrow.add(world, pairs, report);
}

impl Narrow<'_> {
    /// Adds the contacts of pairs of shapes.
    fn add(&mut self, world: &World, pairs: &[(ShapeKey, ShapeKey)], report: &mut StepReport) {
        let mut candidates = core::mem::take(&mut self.buffers.candidates);
        candidates.clear();
        for &(a, b) in pairs {
            let places = resolve(world, &mut self.columns, [a, b]);
            self.crowd.count(places, &self.columns.bodies.list);
            candidates.push((PairKey::new(a, b), places));
        }
        let from = self.contacts.len();
        let edges = self.crowd.edges.len();
        report.recycled += self.find(world, &candidates, Finding::Edges);
        self.buffers.candidates = candidates;
        let Self { columns: Columns { bodies, .. }, contacts, ends, crowd, .. } = self;
        let contacts = contacts.as_slice();
        ends.extend(contacts[from..].iter().map(|contact| (contact.row.key, contact.bodies)));
        let mut deepest = report.deepest.to_bits();
        deepest =
            crowd.edges[edges..].iter().fold(deepest, |least, edge| least.min(edge.separation));
        for Contact { row, bodies: places, separations, .. } in &contacts[from..] {
            let count = row.points.len();
            report.points += count as u32;
            deepest = separations[..count].iter().fold(deepest, |least, s| least.min(*s));
            let bodies = &mut bodies.list;
            for [this, other] in [[0, 1], [1, 0]].map(|sides| sides.map(|side| places[side])) {
                bodies[this].touches_moving |= bodies[other].awake && !bodies[other].dynamic;
            }
        }
        report.contacts = contacts.len() as u32;
        report.deepest = Real::from_bits(deepest);
    }

    /// Finds the contacts of all pairs, split among threads if there are several, and returns the number of recycled ones.
    pub(super) fn find(
        &mut self,
        world: &World,
        candidates: &[PairCandidate],
        finding: Finding,
    ) -> u32 {
        let Self {
            columns: Columns { bodies, shapes, .. },
            contacts,
            crowd,
            buffers,
            threads,
            recycles,
            ..
        } = self;
        let (pieces, contacts) = (&mut buffers.pieces, contacts.as_mut_vec());
        let crowded = (finding == Finding::Edges && crowd.may_drop_contacts()).then_some(&**crowd);
        let recycles = *recycles;
        let sweeper = Sweeper::new(world);
        let finder = Finder { world, bodies, shapes, sweeper, recycles, crowded };
        let cut = threads.count() > 1 && candidates.len() > PIECE;
        let count = if cut { candidates.len().div_ceil(PIECE) } else { 1 };
        if pieces.len() < count {
            pieces.resize_with(count, Piece::default);
        }
        if !cut {
            // Without a split, contacts go directly into the result.
            let piece = &mut pieces[0];
            core::mem::swap(&mut piece.contacts, contacts);
            finder.run(candidates, piece);
            core::mem::swap(&mut piece.contacts, contacts);
            crowd.edges.append(&mut piece.edges);
            return core::mem::take(&mut piece.recycled);
        }
        let pieces = &mut pieces[..count];
        threads.share(pieces.iter_mut().zip(candidates.chunks(PIECE)), |(piece, candidates)| {
            piece.contacts.clear();
            finder.run(candidates, piece);
        });
        let mut recycled = 0;
        for piece in pieces {
            contacts.extend_from_slice(&piece.contacts);
            crowd.edges.append(&mut piece.edges);
            recycled += core::mem::take(&mut piece.recycled);
        }
        recycled
    }
}

/// Result of [`Narrow::find`] for pairs in a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Only the separation is stored.
    Edges,
    /// Full contacts, as outside a crowd.
    Contacts,
}

/// Pairs in one unit of work of a thread.
const PIECE: usize = 64;

/// Pair of shapes with overlapping bounds, and the places of its bodies.
pub(crate) type PairCandidate = (PairKey, [BodyPlace; 2]);

/// Results of one unit of work: consecutive pairs.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    contacts: Vec<Contact>,
    edges: Vec<Edge>,
    recycled: u32,
    last: Last,
    mixture: Option<Mixture>,
}

/// Mixed material of two surfaces, cached because consecutive pairs often have the same two materials.
#[derive(Debug)]
struct Mixture {
    of: [Material; 2],
    mixed: Mixed,
}

impl Piece {
    /// Mixes the materials of two shapes.
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

/// Inputs of the narrow phase. A contact depends on its pair only.
struct Finder<'a> {
    world: &'a World,
    bodies: &'a Bodies,
    shapes: &'a Shapes,
    sweeper: Sweeper,
    recycles: bool,
    /// Crowd whose pairs give edges only.
    crowded: Option<&'a Crowd>,
}

impl Finder<'_> {
    fn run(&self, candidates: &[PairCandidate], piece: &mut Piece) {
        piece.last.clear();
        piece.mixture = None;
        for &(key, places) in candidates {
            if self.crowded.is_some_and(|crowd| crowd.may_drop(places, &self.bodies.list)) {
                self.edge(key, places, piece);
            } else {
                self.pair(key, places, piece);
            }
        }
    }

    /// Finds the contact of a pair but stores only its separation.
    #[inline(never)]
    fn edge(&self, key: PairKey, places: [BodyPlace; 2], piece: &mut Piece) {
        let pair = Pair::new(self.bodies, self.shapes, key, places);
        if pair.is_round() {
            let Some(reach) = pair.reach(&self.sweeper) else { return };
            if let Some(separation) = pair.separation(&reach) {
                piece.edges.push(Edge { pair: (key, places), separation });
                return;
            }
        }
        let (count, recycled) = (piece.contacts.len(), piece.recycled);
        self.pair(key, places, piece);
        piece.edges.extend(piece.contacts[count..].iter().map(Edge::of));
        piece.contacts.truncate(count);
        piece.recycled = recycled;
    }

    #[inline(always)]
    fn pair(&self, key: PairKey, places: [BodyPlace; 2], piece: &mut Piece) {
        let pair = Pair::new(self.bodies, self.shapes, key, places);
        let round = pair.is_round();
        // Most pairs of a crowd end here. Flat contacts may be recycled whatever their reach.
        let reach = if round { pair.reach(&self.sweeper) } else { None };
        if round && reach.is_none() {
            return;
        }
        let owner = key.shapes()[usize::from(!pair.bodies[0].dynamic)];
        let old = piece.last.find(self.world, body_of(owner), key);
        let old = old.filter(|_| !self.world.pending.is_void(key));
        let recycled = old.filter(|_| !round && self.recycles).and_then(|old| pair.recycle(old));
        if let (Some(old), Some(separations)) = (old, recycled) {
            piece.recycled += 1;
            let (size, known, lead) = (pair.size(), Optional::none(), Vec3::ZERO);
            let (pushed, sticks) = (0, false);
            // Constructed in place: `push` would copy it from the stack.
            piece.contacts.extend(once_with(|| {
                let row = *old;
                Contact { row, bodies: places, separations, size, known, lead, pushed, sticks }
            }));
        } else if let Some(reach) = reach.or_else(|| pair.reach(&self.sweeper)) {
            pair.make(self.world, &self.sweeper, &reach, old, piece);
        }
    }
}

/// Returns the places of the bodies of two shapes and poses the shapes.
#[inline]
fn resolve(world: &World, columns: &mut Columns<'_>, keys: [ShapeKey; 2]) -> [BodyPlace; 2] {
    keys.map(|key| {
        let place = columns.place_of(world, body_of(key));
        columns.shapes.find(world, columns.bodies, place, key);
        place
    })
}

/// Pair of shapes with the columns of their bodies.
struct Pair<'a> {
    key: PairKey,
    places: [BodyPlace; 2],
    bodies: [&'a StepBody; 2],
    shapes: [&'a StepShape; 2],
    turns: [&'a Turn; 2],
    motions: [&'a Motion; 2],
    flat: Flat,
}

/// Motion bounds of two shapes within each other's reach.
struct Reach {
    /// Largest distance at which they can touch within the tick; `None` for slow pairs.
    within: Option<i64>,
    /// The reach, if it is large enough for a sweep.
    far: Option<i64>,
    /// Displacement of the second shape relative to the first in the tick, if there is a reach.
    displacement: Vec3,
}

impl<'a> Pair<'a> {
    #[inline(always)]
    fn new(bodies: &'a Bodies, shapes: &'a Shapes, key: PairKey, places: [BodyPlace; 2]) -> Self {
        let ([a, b], [first, second]) = (key.shapes(), places);
        let (a, b) = (shapes.get(first, a), shapes.get(second, b));
        Self {
            key,
            places,
            bodies: [&bodies.list[first], &bodies.list[second]],
            shapes: [a, b],
            flat: flat(&a.shape, &b.shape),
            turns: [&shapes.turns[first], &shapes.turns[second]],
            motions: [&bodies.motions[first], &bodies.motions[second]],
        }
    }

    /// Thickness of the thinner shape.
    fn thickness(&self) -> Real {
        self.shapes[0].thickness.min(self.shapes[1].thickness)
    }

    /// Half of the thickness, raw metres.
    fn size(&self) -> i64 {
        self.thickness().to_bits() / 2
    }

    /// Returns whether all contacts of the pair are flat.
    #[inline(always)]
    const fn is_flat(&self) -> bool {
        matches!(self.flat, Flat::Always)
    }

    /// Returns whether no contact of the pair is flat.
    #[inline(always)]
    const fn is_round(&self) -> bool {
        matches!(self.flat, Flat::Never)
    }

    /// Returns the new separations of the old contact, if it is recycled.
    #[inline]
    fn recycle(&self, old: &ContactRow) -> Option<[i64; 4]> {
        if !self.flat.has_all(old.points.iter().map(|point| point.feature)) {
            return None;
        }
        let radius = |i: usize| {
            if self.bodies[i].dynamic {
                self.shapes[i].extent.radius().unwrap_or(Real::ZERO)
            } else {
                Real::ZERO
            }
        };
        let recycling = Recycling {
            tolerance: RECYCLE_LIMIT.min(self.thickness() * RECYCLE_FRACTION),
            extent: radius(0).max(radius(1)),
            margin: MARGIN.to_bits(),
        };
        recycling.separations(old, self.bodies, self.turns)
    }

    /// Returns the reach of the pair, or `None` if the bounding spheres are out of reach.
    #[inline(always)]
    fn reach(&self, sweeper: &Sweeper) -> Option<Reach> {
        let Self { shapes, motions, .. } = *self;
        let delta = shapes[1].center - shapes[0].center;
        let margin = MARGIN.to_bits();
        let reach = sweeper.reach(motions, self.is_flat());
        // A pair that moves less than the margin in a tick is found in time when it is within the margin.
        let far = reach.filter(|reach| *reach > 2 * margin);
        let extents = [shapes[0].extent, shapes[1].extent];
        if out_of_reach(extents, delta.to_bits(), far.unwrap_or(margin)) {
            return None;
        }
        let displacement = if reach.is_some() { sweeper.displacement(motions) } else { Vec3::ZERO };
        if far.is_some() && sweep::misses(extents, delta, displacement) {
            return None;
        }
        Some(Reach { within: reach, far, displacement })
    }

    /// Least separation of the contact that [`make`](Self::make) would add, if the poses at the start of the tick
    /// suffice to compute it.
    fn separation(&self, reach: &Reach) -> Option<i64> {
        let [a, b] = self.shapes.map(StepShape::posed);
        let points = collide(&a, &b, MARGIN.to_bits()).points;
        let least = points.iter().map(|point| point.separation).min();
        least.filter(|least| *least <= 0 || reach.within.is_none())
    }

    /// Adds a contact with a new manifold, if the shapes touch.
    #[inline(never)]
    fn make(
        &self,
        world: &World,
        sweeper: &Sweeper,
        &Reach { within, far, displacement }: &Reach,
        old: Option<&ContactRow>,
        piece: &mut Piece,
    ) -> Option<()> {
        let Self { bodies, shapes, .. } = *self;
        let margin = MARGIN.to_bits();
        let [a, b] = [shapes[0].posed(), shapes[1].posed()];
        let motion = match within {
            None if self.is_flat() => sweeper.displacement(self.motions),
            _ => displacement,
        };
        let manifold = collide_moving(&a, &b, margin, motion.to_bits());
        let mut found = Found { manifold, time: Real::ZERO };
        if let Some(reach) = within {
            let points = &found.manifold.points;
            let least = points.iter().map(|point| point.separation).min();
            // Within the margin, only round shapes that do not touch yet are swept. For boxes the faces at the start of
            // the tick are the better manifold.
            if least.map_or(far.is_some(), |least| least > 0 && !self.is_flat()) {
                let first = least.map(|least| (found.manifold.normal, least));
                found = sweep::run(&a, &b, displacement, reach, first)?;
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
        if found.time > Real::ZERO && sweeper.rewind(contact, displacement, found.time).is_none() {
            contacts.pop();
            return None;
        }
        if let Some(old) = old {
            contact.inherit(old, self.thickness());
        }
        Some(())
    }
}

/// Lookup of the last tick's contacts, with keys in ascending order. Each page is sorted by key too, so its cursor only
/// moves forward; a binary search would touch more cold memory.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// First contact that does not have a lower key than the last query, by stream and page; none before the first query.
    cursors: Vec<Vec<Optional<PageContact>>>,
}

index_types! {
    /// Index of a contact in its page.
    PageContact;
}

impl Last {
    fn clear(&mut self) {
        self.cursors.iter_mut().for_each(Vec::clear);
    }

    /// Returns the contact of a pair in the page of its owner. Keys must ascend from call to call.
    fn find<'a>(
        &mut self,
        world: &'a World,
        owner: BodyIndex,
        key: PairKey,
    ) -> Option<&'a ContactRow> {
        let Place { stream, page, .. } = Place::of(owner);
        let pages = &world.work.streams[stream].contacts;
        if self.cursors.len() <= stream {
            self.cursors.resize(stream + 1, Vec::new());
        }
        let cursors = &mut self.cursors[stream];
        if cursors.len() < pages.len() {
            cursors.resize(pages.len(), Optional::none());
        }
        let rows = &world.store.contacts.get(pages[page]).rows;
        let mut cursor = cursors[page]
            .get()
            .map_or_else(|| rows.partition_point(|row| row.key < key), PageContact::position);
        while rows.get(cursor).is_some_and(|row| row.key < key) {
            cursor += 1;
        }
        cursors[page] = Optional::some(PageContact::from_position(cursor));
        rows.get(cursor).filter(|row| row.key == key)
    }
}
