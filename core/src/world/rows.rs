//! The rows of a world's state: plain data, no pointers, no `usize`. A page holds the rows of 32 bodies.

use super::material::{Filter, Material, Mixed};
use super::pages::Page;
use crate::collide::Point;
use crate::data::FixedVec;
use crate::math::{Q20, Quat, Real, Transform, Vec3};
use crate::shape::Shape;

/// Bodies to a page.
pub(crate) const PAGE_ROWS: usize = 32;

/// How a body moves.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum BodyKind {
    /// It stays where it is put.
    #[default]
    Static,
    /// It moves as it is told and nothing stops it.
    Kinematic,
    /// It is moved by forces and by what it touches.
    Dynamic,
}

/// What changes while a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct HotRow {
    /// The centre of mass.
    pub(crate) center: Vec3,
    pub(crate) rotation: Quat,
    /// m/s.
    pub(crate) velocity: [Q20; 3],
    /// rad/s times 2^exponent m: the speed of a point that far out.
    pub(crate) spin: [Q20; 3],
    /// For how many ticks it has been slow, no more than it takes to fall asleep; then [`ASLEEP`].
    pub(crate) still: u16,
    /// Of a sleeper: the next body of those it fell asleep with, ascending and round, itself if it was alone. Else 0.
    pub(crate) next: u32,
}

/// What [`HotRow::still`] says of a sleeping body.
pub(crate) const ASLEEP: u16 = u16::MAX;

impl HotRow {
    #[inline]
    pub(crate) const fn is_asleep(&self) -> bool {
        self.still == ASLEEP
    }

    /// Whether it has any velocity or spin.
    #[inline]
    pub(crate) fn moves(&self) -> bool {
        self.velocity != [Q20::ZERO; 3] || self.spin != [Q20::ZERO; 3]
    }
}

/// What changes by command only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ColdRow {
    pub(crate) kind: BodyKind,
    pub(crate) enabled: bool,
    /// [`STAYS_AWAKE`], [`TELLS_PERSIST`], [`TELLS_STAY`].
    pub(crate) flags: u8,
    /// Bit i locks translation along axis i, bit 3 + i rotation about it.
    pub(crate) locks: u8,
    pub(crate) shapes: u8,
    /// The least exponent with 2^exponent m at least the radius about the centre of mass.
    pub(crate) exponent: i8,
    /// Kilograms; zero for bodies that nothing moves.
    pub(crate) mass: Real,
    /// The centre of mass in the body's own frame.
    pub(crate) local_center: Vec3,
    /// From the principal axes of inertia to the body's frame.
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

/// Largest m·4^exponent/I, 2¹⁸: a rod of 1:200 has it. Thinner ones have the inertia of that one about their long axis.
pub(crate) const MAX_INVERSE_INERTIA: Real = Real::from_int(1 << 18);

/// It never falls asleep, nor does what it touches.
pub(crate) const STAYS_AWAKE: u8 = 1;
/// Its contacts are told of on every tick that they last.
pub(crate) const TELLS_PERSIST: u8 = 2;
/// What is inside its sensors, or has it inside, is told of on every tick.
pub(crate) const TELLS_STAY: u8 = 4;

/// One shape of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShapeRow {
    /// The body's index in its page.
    pub(crate) row: u8,
    pub(crate) ordinal: u8,
    pub(crate) shape: Shape,
    /// Its pose in the body's frame.
    pub(crate) pose: Transform,
    pub(crate) material: Material,
    pub(crate) filter: Filter,
}

/// A contact between two shapes: the frozen geometry and the impulses that start the next tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ContactRow {
    /// Keys of the two shapes, lower first.
    pub(crate) key: PairKey,
    pub(crate) mixed: Mixed,
    /// From the first to the second, raw Q1.30.
    pub(crate) normal: [i32; 3],
    pub(crate) points: FixedVec<ContactPoint, 4>,
    /// Where the bodies were when the geometry was made: the second centre from the first, and rotations.
    pub(crate) reference: Vec3,
    pub(crate) rotations: [Quat; 2],
    /// Friction impulse in world directions, reduced-mass units.
    pub(crate) friction: [Q20; 3],
    /// Angular friction about the normal and, as a world vector, across it.
    pub(crate) twist: Q20,
    pub(crate) rolling: [Q20; 3],
    /// Whether the shapes overlapped or pushed each other in the tick; if not, they were only near.
    pub(crate) touching: bool,
}

/// A sensor and what is inside it. Both bodies' pages have it, each from its own side, so that it is found from either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Overlap {
    /// Key of the shape whose body is in this page.
    pub(crate) own: u32,
    pub(crate) other: u32,
    /// Whether the shape of this page is the sensor.
    pub(crate) senses: bool,
}

/// A point of a contact: arm, separation and feature as they were when the geometry was made, and the impulse. In one
/// struct, because a [`Point`] in it would leave gaps, and rows of contacts are most of what a tick keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ContactPoint {
    /// From the first body's centre of mass.
    pub(crate) at: [i64; 3],
    pub(crate) separation: i64,
    pub(crate) feature: u32,
    /// Normal impulse in reduced-mass units.
    pub(crate) impulse: Q20,
}

impl ContactPoint {
    pub(crate) const fn new(made: Point, impulse: Q20) -> Self {
        let Point { at, separation, feature } = made;
        Self { at, separation, feature, impulse }
    }
}

/// Two shape keys, lower first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PairKey(pub(crate) u64);

impl PairKey {
    pub(crate) const fn new(a: u32, b: u32) -> Self {
        Self((a as u64) << 32 | b as u64)
    }

    /// The keys of the two shapes.
    pub(crate) const fn shapes(self) -> [u32; 2] {
        [(self.0 >> 32) as u32, self.0 as u32]
    }
}

/// The key of a shape: its body's index and its place among the body's shapes.
pub(crate) const fn shape_key(body: u32, ordinal: u8) -> u32 {
    body << 8 | ordinal as u32
}

/// The body of a shape key.
pub(crate) const fn body_of(shape: u32) -> u32 {
    shape >> 8
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HotPage {
    pub(crate) rows: [HotRow; PAGE_ROWS],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ColdPage {
    /// Bit i: row i is a live body.
    pub(crate) live: u32,
    pub(crate) rows: [ColdRow; PAGE_ROWS],
    /// Sorted by row, then ordinal.
    pub(crate) shapes: Vec<ShapeRow>,
}

/// The contacts whose first dynamic body lies in the page, sorted by key, and the overlaps with sensors of all bodies
/// in it, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContactPage {
    pub(crate) rows: Vec<ContactRow>,
    pub(crate) overlaps: Vec<Overlap>,
}

impl Page for HotPage {
    fn copy_from(&mut self, other: &Self) {
        *self = other.clone();
    }
}

impl Page for ColdPage {
    fn copy_from(&mut self, other: &Self) {
        self.live = other.live;
        self.rows = other.rows;
        self.shapes.clone_from(&other.shapes);
    }
}

impl Page for ContactPage {
    fn copy_from(&mut self, other: &Self) {
        self.rows.clone_from(&other.rows);
        self.overlaps.clone_from(&other.overlaps);
    }
}

impl ContactPage {
    /// The overlaps of one body.
    pub(crate) fn overlaps_of(&self, body: u32) -> &[Overlap] {
        let start = self.overlaps.partition_point(|overlap| body_of(overlap.own) < body);
        let end = self.overlaps.partition_point(|overlap| body_of(overlap.own) <= body);
        &self.overlaps[start..end]
    }
}

impl ColdPage {
    /// Whether a row and its shapes are the same in another page; dead ones are.
    pub(crate) fn has_same(&self, other: &Self, row: usize) -> bool {
        let live = |page: &Self| page.live >> row & 1 == 1;
        live(self) == live(other)
            && (!live(self)
                || self.rows[row] == other.rows[row] && self.shapes_of(row) == other.shapes_of(row))
    }

    /// Takes a row and its shapes over from another page.
    pub(crate) fn take_row(&mut self, other: &Self, row: usize) {
        self.live = self.live & !(1 << row) | other.live & 1 << row;
        self.rows[row] = other.rows[row];
        self.shapes.retain(|shape| usize::from(shape.row) != row);
        if other.live >> row & 1 == 1 {
            let start = self.shapes.partition_point(|shape| usize::from(shape.row) < row);
            self.shapes.splice(start..start, other.shapes_of(row).iter().copied());
        }
    }

    /// The shapes of one row.
    #[inline]
    pub(crate) fn shapes_of(&self, row: usize) -> &[ShapeRow] {
        // As long as every body of the page has one shape, it stands at the body's own row.
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
