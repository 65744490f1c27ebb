//! Posed shapes of the step's bodies, for broad phase, narrow phase and sensors. Each is computed once a tick.
//!
//! A column beside the bodies, filled on demand: a body that is only named by a pair may need few of many shapes.

use super::bodies::{Bodies, StepBody};
use super::index::BodyPlace;
use crate::collide::Posed;
use crate::data::Column;
use crate::math::{Aabb, Q30, Quat, Real, Transform, Turn, Vec3};
use crate::shape::{Extent, Kind, Shape};
use crate::world::frame::Place;
use crate::world::rows::{HotRow, ShapeKey, ShapeRow};
use crate::world::{Combine, Material, World};

/// Shape during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepShape {
    pub(crate) shape: Shape,
    pub(crate) extent: Extent,
    pub(crate) thickness: Real,
    /// Vector from the body's centre of mass to the shape's origin.
    pub(crate) offset: Vec3,
    /// Position of the shape's origin.
    pub(crate) center: Vec3,
    /// Rows of its rotation matrix, raw Q1.30.
    rotation: [[i32; 3]; 3],
    pub(crate) material: Material,
    /// Value of [`Shapes::round`] when it was computed.
    round: u64,
}

impl StepShape {
    const BLANK: Self = Self {
        shape: Shape::HALF_SPACE,
        extent: Extent::Unbounded,
        thickness: Real::ZERO,
        offset: Vec3::ZERO,
        center: Vec3::ZERO,
        rotation: [[0; 3]; 3],
        material: NOTHING,
        round: 0,
    };

    #[inline(always)]
    pub(crate) const fn posed(&self) -> Posed<'_> {
        Posed {
            shape: &self.shape,
            extent: self.extent,
            center: self.center.to_bits(),
            rotation: self.rotation,
        }
    }
}

/// Material of a shape that is not computed yet.
const NOTHING: Material = Material {
    friction: Real::ZERO,
    restitution: Real::ZERO,
    rolling: Real::ZERO,
    spinning: Real::ZERO,
    friction_combine: Combine::Average,
    restitution_combine: Combine::Average,
    tag: 0,
};

/// Columns of the step's shapes.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    /// First shape of each body, by place.
    starts: Column<BodyPlace, u32>,
    /// Rotation matrix of each body, by place.
    pub(crate) turns: Column<BodyPlace, Turn>,
    list: Vec<StepShape>,
    /// Number of entries of this step. Entries beyond it, and those with an older `round`, are stale.
    count: usize,
    /// Counts the clears.
    round: u64,
    /// Last box and its extent: a radius needs a square root, and consecutive bodies often have equal boxes.
    measured: Option<(Shape, Extent)>,
}

impl Shapes {
    pub(super) fn clear(&mut self) {
        self.starts.clear();
        self.turns.clear();
        self.count = 0;
        self.round += 1;
    }

    /// Reserves entries for the ordinals of the next body's shapes.
    pub(super) fn push(&mut self, turn: Turn, span: u8) {
        self.starts.push(self.count as u32);
        self.turns.push(turn);
        self.count += usize::from(span);
        if self.list.len() < self.count {
            self.list.resize(self.count, StepShape::BLANK);
        }
    }

    /// Returns a shape that is already computed.
    #[inline]
    pub(crate) fn get(&self, place: BodyPlace, key: ShapeKey) -> &StepShape {
        &self.list[(self.starts[place] + u32::from(key.ordinal())) as usize]
    }

    /// Returns a shape, computed if it is stale.
    #[inline]
    pub(crate) fn find(
        &mut self,
        world: &World,
        bodies: &Bodies,
        place: BodyPlace,
        key: ShapeKey,
    ) -> &StepShape {
        let at = (self.starts[place] + u32::from(key.ordinal())) as usize;
        if self.list[at].round != self.round {
            self.pose(world, &bodies.list[place], place, key.ordinal());
        }
        &self.list[at]
    }

    /// Computes a shape of a body.
    #[inline(never)]
    fn pose(&mut self, world: &World, body: &StepBody, place: BodyPlace, ordinal: u8) {
        let page = world.work.cold_page(&world.store, body.index);
        let row = Place::of(body.index).row;
        let at = At { center: body.center, rotation: body.rotation, turn: self.turns[place] };
        let shape = page.shape(row, ordinal).expect("pairs name shapes that exist");
        self.set(place, ordinal, shape, &Placed::new(&at, page.rows[row].local_center, shape), &at);
    }

    /// Stores a shape.
    #[inline]
    pub(super) fn set(
        &mut self,
        place: BodyPlace,
        ordinal: u8,
        row: &ShapeRow,
        placed: &Placed,
        at: &At,
    ) {
        let extent = self.extent(&row.shape);
        self.list[(self.starts[place] + u32::from(ordinal)) as usize] = StepShape {
            shape: row.shape,
            extent,
            thickness: row.shape.thickness(),
            offset: placed.offset,
            center: at.center + placed.offset,
            rotation: placed.rotation_bits(),
            material: row.material,
            round: self.round,
        };
    }
}

impl Shapes {
    /// Returns a shape with a pose of its own, not one of the columns.
    pub(super) fn posed_at<'a>(
        &mut self,
        row: &'a ShapeRow,
        at: &At,
        local_center: Vec3,
    ) -> (Posed<'a>, Aabb) {
        let placed = Placed::new(at, local_center, row);
        let posed = Posed {
            shape: &row.shape,
            extent: self.extent(&row.shape),
            center: (at.center + placed.offset).to_bits(),
            rotation: placed.rotation_bits(),
        };
        (posed, placed.bounds(&row.shape))
    }

    /// Returns a shape's extent.
    #[inline]
    fn extent(&mut self, shape: &Shape) -> Extent {
        if shape.kind() != Kind::Cuboid {
            return shape.extent();
        }
        match self.measured {
            Some((measured, extent)) if measured == *shape => extent,
            _ => {
                let extent = shape.extent();
                self.measured = Some((*shape, extent));
                extent
            }
        }
    }
}

/// Pose of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(super) center: Vec3,
    pub(super) rotation: Quat,
    pub(super) turn: Turn,
}

impl At {
    /// The pose of a row.
    pub(crate) fn of(hot: &HotRow) -> Self {
        Self { center: hot.center, rotation: hot.rotation, turn: hot.rotation.turn() }
    }
}

/// Pose of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Vector from the body's centre of mass to the shape's origin.
    offset: Vec3,
    /// Pose computed by way of the body's origin. Its last bits may differ from centre plus offset; bounds use this one.
    pose: Transform,
    /// Rotation matrix of the pose.
    turn: Turn,
}

impl Placed {
    #[inline]
    pub(crate) fn new(body: &At, local_center: Vec3, shape: &ShapeRow) -> Self {
        let At { center, rotation: own, turn } = *body;
        // Most shapes coincide with their body: skip the rotation of zero vectors.
        let turned = |v: Vec3| if v == Vec3::ZERO { v } else { turn.rotate(v) };
        let rotation = if shape.pose.rotation == Quat::IDENTITY {
            own.times_identity()
        } else {
            own * shape.pose.rotation
        };
        let origin = center - turned(local_center);
        Self {
            offset: turned(shape.pose.translation - local_center),
            pose: Transform::new(turned(shape.pose.translation) + origin, rotation),
            turn: if rotation == own { turn } else { rotation.turn() },
        }
    }

    /// Rows of the rotation matrix, raw Q1.30.
    #[inline]
    fn rotation_bits(&self) -> [[i32; 3]; 3] {
        let bits = |row: [Q30; 3]| [row[0].to_bits(), row[1].to_bits(), row[2].to_bits()];
        self.turn.to_lanes().map(bits)
    }

    /// Pose of the shape, computed by way of the body's origin.
    pub(crate) const fn pose(&self) -> &Transform {
        &self.pose
    }

    /// Bounding box of the shape.
    #[inline]
    pub(crate) fn bounds(&self, shape: &Shape) -> Aabb {
        shape.bounds_turned(&self.pose, &self.turn)
    }
}
