//! Rows of a world's state: plain data without pointers or `usize`. A page holds the rows of 32 bodies.

use super::material::{Filter, Material, Mixed};
use super::pages::Page;
use crate::collide::Point;
use crate::data::index::index_types;
use crate::data::{FixedVec, Id};
use crate::math::{Q20, Quat, Real, Transform, Vec3};
use crate::shape::Shape;

/// Bodies per page.
pub(crate) const PAGE_ROWS: usize = 32;

/// Kind of a body: which influences move it.
#[doc(alias("RigidBodyType", "MotionType"))]
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum BodyKind {
    /// Never moves, except by teleport. `Box2D` and Jolt call it static.
    #[default]
    #[doc(alias("static", "Static"))]
    Fixed,
    /// Moves with the velocity that the game sets. Contacts do not affect it.
    Kinematic,
    /// Moves by gravity, impulses and contacts.
    Dynamic,
}

/// Fields that change while a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct HotRow {
    /// The centre of mass.
    pub(crate) center: Vec3,
    pub(crate) rotation: Quat,
    /// m/s.
    pub(crate) velocity: [Q20; 3],
    /// Scaled spin: rad/s times 2^exponent m, the speed of a point at that distance.
    pub(crate) spin: [Q20; 3],
    /// Ticks for which the body has been slow, up to the time to sleep; then [`ASLEEP`].
    pub(crate) still: u16,
    /// Displacement and rotation about the principal axes since `still` was last zero, in hundredths of the motion at the sleep threshold
    /// during all of the time to sleep. Zero for sleeping bodies.
    pub(crate) drift: [i8; 6],
    /// Of a sleeping body: the next body of its sleeping island, in an ascending ring; itself if it is alone. Of others: 0.
    pub(crate) next: BodyIndex,
}

/// Value of [`HotRow::still`] for a sleeping body.
pub(crate) const ASLEEP: u16 = u16::MAX;

impl HotRow {
    #[inline]
    pub(crate) const fn is_asleep(&self) -> bool {
        self.still == ASLEEP
    }

    /// Returns whether the velocity or the spin is nonzero.
    #[inline]
    pub(crate) fn moves(&self) -> bool {
        self.velocity != [Q20::ZERO; 3] || self.spin != [Q20::ZERO; 3]
    }
}

/// Fields that only commands change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ColdRow {
    pub(crate) kind: BodyKind,
    pub(crate) enabled: bool,
    /// [`STAYS_AWAKE`], [`PERSIST_EVENTS`], [`STAY_EVENTS`], [`MASS_SET`], [`INERTIA_SET`].
    pub(crate) flags: u8,
    /// Bit i locks translation along axis i, bit 3 + i rotation about it.
    pub(crate) locks: u8,
    pub(crate) shapes: u8,
    /// One more than the greatest ordinal of its shapes. Derived from them.
    pub(crate) span: u8,
    /// The least exponent with 2^exponent m at least the radius about the centre of mass.
    pub(crate) exponent: i8,
    /// Kilograms; zero for fixed and kinematic bodies without a valid mass.
    pub(crate) mass: Real,
    /// The centre of mass in the body's own frame.
    pub(crate) local_center: Vec3,
    /// Rotation from the principal axes of inertia to the body's frame.
    pub(crate) principal: Quat,
    /// m·4^exponent/I about each principal axis, at most [`MAX_INVERSE_INERTIA`]; zero for bodies without a mass.
    pub(crate) inverse_inertia: Vec3,
    pub(crate) gravity_scale: Real,
    pub(crate) linear_damping: Real,
    pub(crate) angular_damping: Real,
    /// Largest speed, m/s.
    pub(crate) speed_cap: Real,
    pub(crate) user_data: u64,
}

/// Largest m·4^exponent/I, 2¹⁸: that of a rod of 1:200. A thinner rod gets the same value about its long axis.
pub(crate) const MAX_INVERSE_INERTIA: Real = Real::from_int(1 << 18);

/// The body, and the bodies of its island, never fall asleep.
pub(crate) const STAYS_AWAKE: u8 = 1;
/// Contacts of the body are reported on every tick.
pub(crate) const PERSIST_EVENTS: u8 = 2;
/// Sensor overlaps of the body are reported on every tick.
pub(crate) const STAY_EVENTS: u8 = 4;
/// The game has set the mass: it does not follow from the shapes.
pub(crate) const MASS_SET: u8 = 8;
/// The game has set the moments of inertia: they do not follow from the shapes.
pub(crate) const INERTIA_SET: u8 = 16;

/// One shape of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShapeRow {
    /// The body's index in its page.
    pub(crate) row: u8,
    pub(crate) ordinal: u8,
    pub(crate) shape: Shape,
    /// Its pose in the body's frame.
    pub(crate) pose: Transform,
    /// kg/m³.
    pub(crate) density: Real,
    pub(crate) material: Material,
    /// The shape reports overlaps instead of having contacts.
    pub(crate) sensor: bool,
    pub(crate) filter: Filter,
}

/// A contact between two shapes: the manifold and the impulses for warm starting the next tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ContactRow {
    /// Keys of the two shapes, lower first.
    pub(crate) key: PairKey,
    pub(crate) mixed: Mixed,
    /// Unit normal from the first body to the second, raw Q1.30.
    pub(crate) normal: [i32; 3],
    pub(crate) points: FixedVec<ContactPoint, 4>,
    /// Relative pose of the bodies when the manifold was computed: vector from the first centre to the second, and rotations.
    pub(crate) reference: Vec3,
    pub(crate) rotations: [Quat; 2],
    /// Friction impulse in world directions, reduced-mass units.
    pub(crate) friction: [Q20; 3],
    /// Angular friction impulse about the normal and, as a world vector, across it.
    pub(crate) twist: Q20,
    pub(crate) rolling: [Q20; 3],
    /// The shapes overlapped or had an impulse in the tick. If false, the contact is speculative.
    pub(crate) touching: bool,
}

/// Overlap of a sensor and a shape. Stored in the pages of both bodies, each from its own side, so that either body finds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Overlap {
    /// Key of the shape that belongs to this page.
    pub(crate) own: ShapeKey,
    pub(crate) other: ShapeKey,
    /// The shape of this page is the sensor.
    pub(crate) senses: bool,
}

/// A contact point: arm, separation and feature at the time the manifold was computed, and the impulse. Flat, because a nested
/// [`Point`] would add padding, and contact rows dominate the memory of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ContactPoint {
    /// Position relative to the first body's centre of mass.
    pub(crate) at: [i64; 3],
    pub(crate) separation: i64,
    pub(crate) feature: u32,
    /// Normal impulse in reduced-mass units.
    pub(crate) impulse: Q20,
    /// Part of the impulse that needs no overlap, in reduced-mass units.
    pub(crate) preload: Q20,
}

impl ContactPoint {
    pub(crate) const fn new(made: Point, impulse: Q20, preload: Q20) -> Self {
        let Point { at, separation, feature } = made;
        Self { at, separation, feature, impulse, preload }
    }
}

/// Two shape keys, lower first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PairKey(pub(crate) u64);

impl PairKey {
    pub(crate) const fn new(a: ShapeKey, b: ShapeKey) -> Self {
        Self((a.get() as u64) << 32 | b.get() as u64)
    }

    /// Key of an event that concerns one body.
    pub(crate) const fn of_body(body: BodyIndex) -> Self {
        Self(body.get() as u64)
    }

    /// The body of such an event.
    pub(crate) const fn body(self) -> BodyIndex {
        BodyIndex::new(self.0 as u32)
    }

    /// The keys of the two shapes.
    pub(crate) const fn shapes(self) -> [ShapeKey; 2] {
        [ShapeKey::new((self.0 >> 32) as u32), ShapeKey::new(self.0 as u32)]
    }
}

index_types! {
    /// Index of a body among all bodies of the world: the index half of a [`BodyId`](super::BodyId), below 2²⁴.
    BodyIndex;
    /// Key of a shape: index of its body, 24 bits, and position among the body's shapes, 8 bits.
    ShapeKey;
}

impl BodyIndex {
    pub(crate) const fn of(id: Id) -> Self {
        Self::new(id.index())
    }

    /// The index this many rows further.
    pub(crate) const fn plus(self, rows: usize) -> Self {
        Self::new(self.get() + rows as u32)
    }
}

impl ShapeKey {
    /// The number of the shape in its body.
    #[inline]
    pub(crate) const fn ordinal(self) -> u8 {
        self.get() as u8
    }
}

#[inline]
pub(crate) const fn shape_key(body: BodyIndex, ordinal: u8) -> ShapeKey {
    ShapeKey::new(body.get() << 8 | ordinal as u32)
}

/// The body of a shape key.
#[inline]
pub(crate) const fn body_of(shape: ShapeKey) -> BodyIndex {
    BodyIndex::new(shape.get() >> 8)
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HotPage {
    pub(crate) rows: [HotRow; PAGE_ROWS],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ColdPage {
    /// Bit i is set if row i is a live body.
    pub(crate) live: u32,
    pub(crate) rows: [ColdRow; PAGE_ROWS],
    /// Sorted by row, then ordinal.
    pub(crate) shapes: Vec<ShapeRow>,
}

/// Contacts whose first dynamic body is in the page, and sensor overlaps of all its bodies. Both sorted by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContactPage {
    pub(crate) rows: Vec<ContactRow>,
    pub(crate) overlaps: Vec<Overlap>,
}

impl Page for HotPage {
    fn copy_from(&mut self, other: &Self) {
        *self = other.clone();
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

impl Page for ColdPage {
    fn copy_from(&mut self, other: &Self) {
        self.live = other.live;
        self.rows = other.rows;
        self.shapes.clone_from(&other.shapes);
    }

    /// Rows of dead bodies keep their values, which are not read.
    fn clear(&mut self) {
        self.live = 0;
        self.shapes.clear();
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.shapes)
    }
}

impl Page for ContactPage {
    fn copy_from(&mut self, other: &Self) {
        self.rows.clone_from(&other.rows);
        self.overlaps.clone_from(&other.overlaps);
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.overlaps.clear();
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.rows) + size_of_val(&*self.overlaps)
    }

    fn capacity(&self) -> usize {
        self.rows.capacity()
    }
}

impl ContactPage {
    /// The overlaps of one body.
    pub(crate) fn overlaps_of(&self, body: BodyIndex) -> &[Overlap] {
        let start = self.overlaps.partition_point(|overlap| body_of(overlap.own) < body);
        let end = self.overlaps.partition_point(|overlap| body_of(overlap.own) <= body);
        &self.overlaps[start..end]
    }
}

impl ColdPage {
    /// The shape of a row with this ordinal.
    #[inline]
    pub(crate) fn shape(&self, row: usize, ordinal: u8) -> Option<&ShapeRow> {
        let shapes = self.shapes_of(row);
        // Without gaps the position is the ordinal.
        let at = shapes.get(usize::from(ordinal)).filter(|shape| shape.ordinal == ordinal);
        at.or_else(|| shapes.iter().find(|shape| shape.ordinal == ordinal))
    }

    /// Replaces the shapes of one row.
    pub(crate) fn set_shapes(&mut self, row: usize, shapes: &[ShapeRow]) {
        self.shapes.retain(|shape| usize::from(shape.row) != row);
        let start = self.shapes.partition_point(|shape| usize::from(shape.row) < row);
        self.shapes.splice(start..start, shapes.iter().copied());
        self.rows[row].shapes = shapes.len() as u8;
        self.rows[row].span = shapes.last().map_or(0, |shape| shape.ordinal + 1);
    }

    /// The shapes of one row.
    #[inline]
    pub(crate) fn shapes_of(&self, row: usize) -> &[ShapeRow] {
        // If every body of the page has one shape, the shape's position equals the row.
        let at_row = |shape: &ShapeRow| usize::from(shape.row) == row && shape.ordinal == 0;
        let start = if self.shapes.get(row).is_some_and(at_row) {
            row
        } else {
            self.shapes.partition_point(|shape| usize::from(shape.row) < row)
        };
        let count = usize::from(self.rows[row].shapes);
        &self.shapes[start..start + count]
    }
}
