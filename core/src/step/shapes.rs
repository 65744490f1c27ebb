//! Shapes of the step's bodies where they are: what broad and narrow phase and sensors ask of them, found once a tick.
//!
//! A column beside the bodies, filled as shapes are asked for: of a body that is only met, few of many shapes may be.

use super::bodies::{Bodies, StepBody};
use crate::collide::Posed;
use crate::math::{Aabb, Quat, Real, Transform, Turn, Vec3};
use crate::shape::{Geometry, Shape};
use crate::world::frame::Place;
use crate::world::rows::ShapeRow;
use crate::world::{Combine, Material, World};

/// A shape during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepShape {
    pub(crate) shape: Shape,
    /// Its bounding radius, raw metres; none for a half space.
    pub(crate) radius: Option<i64>,
    pub(crate) thickness: Real,
    /// From the body's centre of mass to the shape's origin.
    pub(crate) offset: Vec3,
    /// Where the shape's origin is.
    pub(crate) center: Vec3,
    /// Rows of its rotation, raw Q1.30.
    rotation: [[i32; 3]; 3],
    pub(crate) flat: bool,
    pub(crate) material: Material,
    /// The round in which all this became known.
    round: u64,
}

impl StepShape {
    const BLANK: Self = Self {
        shape: Shape::HALF_SPACE,
        radius: None,
        thickness: Real::ZERO,
        offset: Vec3::ZERO,
        center: Vec3::ZERO,
        rotation: [[0; 3]; 3],
        flat: false,
        material: NOTHING,
        round: 0,
    };

    #[inline(always)]
    pub(crate) const fn posed(&self) -> Posed<'_> {
        Posed {
            shape: &self.shape,
            radius: self.radius,
            center: self.center.to_bits(),
            rotation: self.rotation,
        }
    }
}

/// The surface of a shape that is not known yet.
const NOTHING: Material = Material {
    friction: Real::ZERO,
    restitution: Real::ZERO,
    rolling: Real::ZERO,
    spinning: Real::ZERO,
    combine: Combine::Average,
    tag: 0,
    sensor: false,
};

/// The columns.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    /// By place of the body: where its shapes begin.
    starts: Vec<u32>,
    /// By place of the body: its rotation, multiplied out.
    pub(crate) turns: Vec<Turn>,
    list: Vec<StepShape>,
    /// How many of them are this step's; what is behind them, and what was not set since, is of earlier ones.
    count: usize,
    /// Counts how often the columns were cleared.
    round: u64,
    /// The box that was last asked for its radius, and that: it takes a root to find, and bodies are often alike.
    measured: Option<(Shape, Option<i64>)>,
}

impl Shapes {
    pub(super) fn clear(&mut self) {
        self.starts.clear();
        self.turns.clear();
        self.count = 0;
        self.round += 1;
    }

    /// Makes room for the shapes of the body that comes next.
    pub(super) fn push(&mut self, turn: Turn, shapes: u8) {
        self.starts.push(self.count as u32);
        self.turns.push(turn);
        self.count += usize::from(shapes);
        if self.list.len() < self.count {
            self.list.resize(self.count, StepShape::BLANK);
        }
    }

    /// A shape that is known.
    #[inline]
    pub(crate) fn get(&self, place: u32, key: u32) -> &StepShape {
        &self.list[(self.starts[place as usize] + (key & 0xff)) as usize]
    }

    /// A shape, made known if it is not.
    #[inline]
    pub(crate) fn find(
        &mut self,
        world: &World,
        bodies: &Bodies,
        place: u32,
        key: u32,
    ) -> &StepShape {
        let at = (self.starts[place as usize] + (key & 0xff)) as usize;
        if self.list[at].round != self.round {
            self.meet(world, &bodies.list[place as usize], place, key & 0xff);
        }
        &self.list[at]
    }

    /// Finds a shape of a body that is met.
    #[inline(never)]
    fn meet(&mut self, world: &World, body: &StepBody, place: u32, ordinal: u32) {
        let page = world.work.cold_page(&world.store, body.index);
        let row = Place::of(body.index).row;
        let at =
            At { center: body.center, rotation: body.rotation, turn: self.turns[place as usize] };
        let shape = &page.shapes_of(row)[ordinal as usize];
        self.set(place, ordinal, shape, &Placed::new(&at, page.rows[row].local_center, shape), &at);
    }

    /// Notes a shape.
    #[inline]
    pub(super) fn set(
        &mut self,
        place: u32,
        ordinal: u32,
        row: &ShapeRow,
        placed: &Placed,
        at: &At,
    ) {
        let bits =
            |row: [crate::math::Q30; 3]| [row[0].to_bits(), row[1].to_bits(), row[2].to_bits()];
        let [x, y, z] = placed.turn.to_lanes();
        let radius = self.radius(&row.shape);
        self.list[(self.starts[place as usize] + ordinal) as usize] = StepShape {
            shape: row.shape,
            radius,
            thickness: row.shape.thickness(),
            offset: placed.offset,
            center: at.center + placed.offset,
            rotation: [bits(x), bits(y), bits(z)],
            flat: row.shape.is_flat(),
            material: row.material,
            round: self.round,
        };
    }
}

impl Shapes {
    /// A shape's bounding radius.
    #[inline]
    fn radius(&mut self, shape: &Shape) -> Option<i64> {
        let find = || shape.bounding_radius().map(Real::to_bits);
        if !matches!(shape.geometry(), Geometry::Cuboid { .. }) {
            return find();
        }
        match self.measured {
            Some((measured, radius)) if measured == *shape => radius,
            _ => {
                let radius = find();
                self.measured = Some((*shape, radius));
                radius
            }
        }
    }
}

/// Where a body is.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) center: Vec3,
    pub(super) rotation: Quat,
    pub(super) turn: Turn,
}

/// Where a shape is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// From the body's centre of mass to the shape's origin.
    offset: Vec3,
    /// The same place, found by way of the body's origin: the last bits may differ from the centre and the offset, and
    /// bounds are made of this.
    pose: Transform,
    /// The pose's rotation.
    turn: Turn,
}

impl Placed {
    #[inline]
    pub(super) fn new(body: &At, local_center: Vec3, shape: &ShapeRow) -> Self {
        let At { center, rotation: own, turn } = *body;
        // Nearly always the shape is the body: spare turning nothing.
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

    /// A box around the shape.
    #[inline]
    pub(super) fn bounds(&self, shape: &Shape) -> Aabb {
        shape.bounds_turned(&self.pose, &self.turn)
    }
}
