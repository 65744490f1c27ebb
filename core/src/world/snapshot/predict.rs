//! Prediction of rows from the rows before them. Writer and reader make the same predictions in the same order.
//!
//! Some predictions depend on fields of the row itself: a centre on the velocity, contact points on the poses at their creation.
//! The writer has those fields. The reader reads the row once without them, keeps the fields that were predicted right, and
//! reads the row again.

use crate::Tick;
use crate::data::FixedVec;
use crate::math::{Real, Vec3};
use crate::world::events::EventKind;
use crate::world::fields::{IdRow, Keyed, OverrideRow, Row, WorldRow};
use crate::world::frame::{Frame, Place, Store};
use crate::world::manifold::ShapePair;
use crate::world::page_bytes::State;
use crate::world::registry::Listed;
use crate::world::registry::joints::JointKey;
use crate::world::rows::{
    ASLEEP, BodyIndex, ColdRow, ContactPoint, ContactRow, HotRow, PairKey, ShapeKey, ShapeRow,
    body_of,
};
use crate::world::{EventRow, WorldDef, real_vector};

/// Predicts rows of a state whose earlier tables are known.
#[derive(Clone, Copy)]
pub(crate) struct Predict<'a> {
    pub(super) state: State<'a>,
    pub(super) base: Option<State<'a>>,
}

/// The shape with a key, if it exists.
pub(super) fn shape_at<'a>(frame: &Frame, store: &'a Store, key: ShapeKey) -> Option<&'a ShapeRow> {
    let body = body_of(key);
    frame.id_at(body)?;
    let page = frame.cold_page(store, body);
    page.shape(Place::of(body).row, key.ordinal())
}

pub(super) fn world(base: Option<State<'_>>) -> WorldRow {
    base.map_or_else(WorldRow::blank, |base| base.world_rows().0)
}

pub(super) fn material(base: Option<State<'_>>, tags: [u16; 2]) -> OverrideRow {
    let same = |row: &OverrideRow| row.tags == tags;
    let known = base.and_then(|base| base.world_rows().1.find(same));
    known.unwrap_or_else(OverrideRow::blank)
}

pub(super) fn id(base: Option<State<'_>>, index: BodyIndex) -> IdRow {
    let Place { stream, page, row } = Place::of(index);
    let at = page * crate::world::rows::PAGE_ROWS + row;
    let stream = base.and_then(|base| base.frame.streams.get(stream));
    let known = stream.and_then(|stream| stream.ids.generations().get(at));
    // The first generation is the most common one.
    IdRow { index, generation: known.copied().unwrap_or(1) }
}

impl<'a> Predict<'a> {
    /// The baseline, if it has the same body at an index.
    fn base_of(&self, index: BodyIndex) -> Option<State<'a>> {
        let id = self.state.frame.id_at(index)?;
        self.base.filter(|base| base.frame.id_at(index) == Some(id))
    }

    pub(super) fn body(&self, key: BodyIndex, known: &HotRow) -> Keyed<HotRow> {
        let mut row = HotRow::default();
        if let Some(base) = self.base_of(key) {
            row = *base.frame.hot(base.store, key);
            let ticks = self.state.tick.0.wrapping_sub(base.tick.0);
            let displacement = real_vector(row.velocity) + real_vector(known.velocity);
            // The mean of the two velocities times the time between the ticks.
            let time = Real::ratio(1, 2 * self.state.def.tick_rate as i32);
            let displacement = displacement * (time * ticks.min(16) as i32);
            row.center = Vec3::from_bits(core::array::from_fn(|i| {
                row.center.to_bits()[i].wrapping_add(displacement.to_bits()[i])
            }));
        } else if known.still == ASLEEP {
            // Bodies of one sleeping island mostly have adjacent indices.
            row.next = key.plus(1);
        }
        Keyed { key, row }
    }

    pub(super) fn traits(&self, key: BodyIndex) -> Keyed<ColdRow> {
        let base = self.base_of(key);
        let row = base.map_or_else(ColdRow::default, |base| *base.frame.cold(base.store, key));
        Keyed { key, row }
    }

    pub(super) fn shape(&self, key: ShapeKey) -> Keyed<ShapeRow> {
        let base = self.base_of(body_of(key));
        let row = base.and_then(|base| shape_at(base.frame, base.store, key));
        row.map_or_else(Keyed::<ShapeRow>::blank, |row| Keyed { key, row: *row })
    }

    pub(super) fn event(&self, known: &EventRow) -> EventRow {
        let mut row = EventRow::blank();
        let bodies = if known.kind.is_of_body() {
            [known.key.body(); 2]
        } else if known.kind == EventKind::JointRemoved {
            [JointKey(known.key.0).owner(); 2]
        } else {
            known.key.shapes().map(body_of)
        };
        for (id, index) in row.bodies.iter_mut().zip(bodies) {
            *id = self.state.frame.id_at(index).unwrap_or(*id);
        }
        row
    }

    /// Predicts a row of a list: the row of the baseline with the same owner and key.
    pub(super) fn list_row<R: Listed>(&self, known: &R) -> R {
        let owner = known.owner();
        let base = self.base_of(owner);
        let row = base.and_then(|base| base.frame.list_row::<R>(base.store, owner, known.key()));
        row.map_or_else(R::blank, |row| *row)
    }

    /// The contact row of the same pair in the baseline.
    pub(super) fn old_contact(&self, key: PairKey) -> Option<&'a ContactRow> {
        let [a, b] = key.shapes().map(body_of);
        let base = self.base_of(a)?;
        self.base_of(b)?;
        [a, b].into_iter().find_map(|owner| {
            let rows = &base.frame.contact_page(base.store, owner)?.rows;
            let at = rows.binary_search_by_key(&key, |row| row.key).ok()?;
            Some(&rows[at])
        })
    }

    /// Predicts a contact between two live bodies, without its manifold: the baseline's row, with the current poses of the bodies as
    /// reference or, if it is `recycled`, the reference poses of the baseline.
    pub(super) fn contact(&self, key: PairKey, recycled: bool) -> ContactRow {
        let State { frame, store, def, .. } = self.state;
        let old = self.old_contact(key);
        let mut row =
            old.copied().unwrap_or(ContactRow { key, touching: true, ..ContactRow::default() });
        let [a, b] = key.shapes();
        if let (Some(a), Some(b)) = (shape_at(frame, store, a), shape_at(frame, store, b)) {
            row.mixed = def.materials.mix(&a.material, &b.material);
        }
        if old.is_none() || !recycled {
            // The manifold is computed from the poses at the start of a tick: those of the baseline, if that is the tick before.
            let [a, b] = [a, b].map(|shape| {
                let index = body_of(shape);
                let before = self
                    .base_of(index)
                    .filter(|base| base.tick.0.wrapping_add(1) == self.state.tick.0);
                let from = before.unwrap_or(self.state);
                from.frame.hot(from.store, index)
            });
            row.reference = b.center - a.center;
            row.rotations = [a.rotation, b.rotation];
        }
        row
    }

    /// Sets the manifold of a predicted contact to the one that the reference poses in `known` give.
    pub(super) fn geometry(&self, row: &mut ContactRow, known: &ContactRow) {
        let State { frame, store, .. } = self.state;
        let [a, b] = known.key.shapes();
        let (Some(first), Some(second)) = (shape_at(frame, store, a), shape_at(frame, store, b))
        else {
            return;
        };
        let centers = [a, b].map(|shape| frame.cold(store, body_of(shape)).local_center);
        let pair = ShapePair { shapes: [first, second], centers };
        let manifold = pair.manifold(known.reference, known.rotations, Vec3::ZERO);
        let old = row.points;
        row.normal = manifold.normal;
        row.points = FixedVec::new();
        for (i, &made) in manifold.points.iter().enumerate() {
            let same = old.iter().find(|old| old.feature == made.feature).or(old.get(i));
            let (impulse, preload) =
                same.map_or_else(Default::default, |old| (old.impulse, old.preload));
            _ = row.points.push(ContactPoint::new(made, impulse, preload));
        }
    }
}

/// The state for reading: definition and tick, which precede all other tables.
pub(super) fn state<'a>(
    def: &'a WorldDef,
    tick: Tick,
    frame: &'a Frame,
    store: &'a Store,
) -> State<'a> {
    State { def, tick, frame, store }
}
