//! Joints: definition, id, and read access. Commands are in `command/joints.rs`, the rows in `registry/joints.rs`, the constraint in
//! `step/rod.rs`.

use super::command::origin;
use super::contact_view::newton_seconds;
use super::def::{check_between, check_place};
use super::errors::CommandError;
use super::frame::{Frame, Store};
use super::registry::joints::JointRow;
use super::rows::{BodyIndex, BodyKind};
use super::{BodyId, World};
use crate::math::{Real, Vec3};
use serde::{Deserialize, Serialize};

/// Largest coordinate of an anchor in the frame of its body, metres.
pub(crate) const ANCHOR_LIMIT: Real = Real::from_int(4096);

/// Limits of the length of a rod, metres. A direction between anchors that coincide would be undefined.
pub(crate) const MIN_LENGTH: Real = Real::ratio(1, 1000);
pub(crate) const MAX_LENGTH: Real = Real::from_int(4096);

/// Kind of a joint.
#[doc(alias("JointType", "constraint"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum JointKind {
    /// Keeps two anchors at a distance.
    #[doc(alias("DistanceJoint", "DistanceConstraint", "RopeJoint"))]
    Rod,
}

/// Definition of a joint between two bodies, or between a body and the world.
///
/// ```
/// use isostep_core::{real, shape::Shape, Real, Vec3};
/// use isostep_core::world::{BodyDef, JointDef, World, WorldDef};
/// let mut world = World::new(WorldDef::default())?;
/// let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.125))?);
/// let (top, bottom) = (world.spawn(ball.clone())?, world.spawn(ball.at(Vec3::X * 2))?);
/// let nail = Vec3::X * -1;
/// world.add_joint(JointDef::rod_to_world(top, nail, real!(1)))?;
/// let rod = world.add_joint(JointDef::rod(top, bottom, real!(2)))?;
/// for _ in 0..30 {
///     world.step();
/// }
/// let joint = world.joint(rod).unwrap();
/// assert!((joint.distance() - joint.length()).abs() < Real::ratio(1, 100));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("JointBuilder", "DistanceConstraintSettings", "b2DistanceJointDef"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JointDef {
    /// Kind.
    pub kind: JointKind,
    /// The first body. Its id is part of the joint's. If only one body is dynamic, make it the first: adding the joint on one timeline only
    /// then does not make a rollback compute everything in contact with the other body.
    pub body: BodyId,
    /// The second body; `None` for the world.
    pub other: Option<BodyId>,
    /// Anchors: of the first body in its frame; of the second one in its frame, or in world space.
    pub anchors: [Vec3; 2],
    /// Distance of the anchors, metres: 0.001 to 4096.
    pub length: Real,
    /// Whether the two bodies collide with each other. By default they do not.
    pub collides: bool,
    /// Whether the joint has an effect. A disabled joint does not keep its bodies from colliding either.
    pub enabled: bool,
}

impl JointDef {
    /// Returns a rod of a length between the origins of two bodies.
    pub const fn rod(body: BodyId, other: BodyId, length: Real) -> Self {
        Self {
            kind: JointKind::Rod,
            body,
            other: Some(other),
            anchors: [Vec3::ZERO; 2],
            length,
            collides: false,
            enabled: true,
        }
    }

    /// Returns a rod of a length between the origin of a body and a point in world space.
    pub const fn rod_to_world(body: BodyId, point: Vec3, length: Real) -> Self {
        let anchors = [Vec3::ZERO, point];
        Self { other: None, anchors, ..Self::rod(body, body, length) }
    }

    /// Sets both anchors: of the first body in its frame; of the second one in its frame, or in world space.
    #[must_use]
    pub const fn anchors(mut self, first: Vec3, second: Vec3) -> Self {
        self.anchors = [first, second];
        self
    }

    /// Lets the two bodies collide with each other.
    #[must_use]
    pub const fn collide(mut self) -> Self {
        self.collides = true;
        self
    }

    /// Makes the joint disabled.
    #[must_use]
    pub const fn disabled(mut self) -> Self {
        self.enabled = false;
        self
    }

    /// Checks all values.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        let [first, second] = self.anchors;
        check_anchor(first)?;
        match self.other {
            Some(_) => check_anchor(second)?,
            None => check_place(second)?,
        }
        check_length(self.length)
    }
}

pub(super) fn check_length(length: Real) -> Result<(), CommandError> {
    check_between("the length of the rod (m)", length, MIN_LENGTH, MAX_LENGTH)
}

fn check_anchor(anchor: Vec3) -> Result<(), CommandError> {
    let check =
        |c: Real| check_between("a coordinate of an anchor (m)", c, -ANCHOR_LIMIT, ANCHOR_LIMIT);
    anchor.to_array().into_iter().try_for_each(check)
}

/// Id of a joint: its first body, and a number that counts the joints which that body ever had. The id of a removed joint never names another
/// joint. Ids are the same on every machine, and a joint more on one body changes no id of another one.
///
/// It prints as the body and the number, like `7v1/0`.
#[doc(alias("JointHandle", "ImpulseJointHandle", "b2JointId"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JointId {
    body: BodyId,
    number: u32,
}

impl JointId {
    pub(super) const fn new(body: BodyId, number: u32) -> Self {
        Self { body, number }
    }

    /// Returns the first body of the joint.
    pub const fn body(self) -> BodyId {
        self.body
    }

    /// Returns the number: 0 for the first joint of the body, and one more for each later one.
    pub const fn number(self) -> u32 {
        self.number
    }
}

impl core::fmt::Display for JointId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}/{}", self.body, self.number)
    }
}

/// Read access to a joint, with this tick's commands applied.
#[derive(Clone, Copy, Debug)]
pub struct Joint<'a> {
    id: JointId,
    row: &'a JointRow,
    world: &'a World,
}

impl Joint<'_> {
    /// Returns the id.
    pub const fn id(&self) -> JointId {
        self.id
    }

    /// Returns the kind.
    pub const fn kind(&self) -> JointKind {
        self.row.kind
    }

    /// Returns the second body; `None` for a joint to the world.
    pub fn other(&self) -> Option<BodyId> {
        if self.row.is_to_world() {
            None
        } else {
            self.world.work.id_at(self.row.other).map(BodyId)
        }
    }

    /// Returns the definition that makes an equal joint, without its impulse.
    pub fn def(&self) -> JointDef {
        JointDef {
            kind: self.row.kind,
            body: self.id.body,
            other: self.other(),
            anchors: self.row.anchors,
            length: self.row.length,
            collides: self.row.collides,
            enabled: self.row.enabled,
        }
    }

    /// Returns the length that the rod keeps, metres.
    pub const fn length(&self) -> Real {
        self.row.length
    }

    /// Returns the positions of both anchors in world space.
    pub fn positions(&self) -> [Vec3; 2] {
        self.world.work.anchors(&self.world.store, self.row)
    }

    /// Returns the present distance of the anchors, metres.
    pub fn distance(&self) -> Real {
        let [a, b] = self.positions();
        (b - a).length()
    }

    /// Returns the impulse of the last step, N·s: positive if the rod pushed its anchors apart, negative if it pulled them together.
    /// The force is the impulse times the tick rate.
    pub fn impulse(&self) -> Real {
        let World { work, store, def, .. } = self.world;
        let mass = |body: BodyIndex| {
            let cold = work.cold(store, body);
            if cold.kind == BodyKind::Dynamic { cold.mass.to_bits() } else { 0 }
        };
        let other = if self.row.is_to_world() { 0 } else { mass(self.row.other) };
        let substeps = i64::from(self.row.impulse.to_bits()) * i64::from(def.substeps);
        newton_seconds(substeps, [mass(self.row.body), other])
    }

    /// Returns whether the joint is enabled.
    pub const fn is_enabled(&self) -> bool {
        self.row.enabled
    }
}

impl World {
    /// Returns a joint; `None` if it was removed or never added.
    pub fn joint(&self, id: JointId) -> Option<Joint<'_>> {
        let live = self.work.is_live(id.body.0);
        let row =
            live.then(|| self.work.list_row::<JointRow>(&self.store, id.body.index(), id.number))??;
        Some(Joint { id, row, world: self })
    }

    /// The two bodies of each joint that has an effect; not those to the world.
    pub(super) fn joint_edges(&self) -> impl Iterator<Item = [BodyIndex; 2]> + '_ {
        self.work.joint_edges(&self.store)
    }

    /// Iterates over all joints, in the order of their ids.
    pub fn joints(&self) -> impl Iterator<Item = Joint<'_>> + '_ {
        self.work.joints(&self.store).filter_map(|row| {
            let body = self.work.id_at(row.body).map(BodyId)?;
            Some(Joint { id: JointId::new(body, row.number), row, world: self })
        })
    }
}

/// Joints of a tick.
impl Frame {
    /// All joints, in the order of their ids.
    pub(crate) fn joints<'a>(&'a self, store: &'a Store) -> impl Iterator<Item = &'a JointRow> {
        let pages = self.streams.iter().flat_map(|stream| stream.joints.iter().flatten());
        pages.flat_map(|page| store.joints.get(*page).rows())
    }

    /// The two bodies of each joint that has an effect; not those to the world.
    pub(super) fn joint_edges<'a>(
        &'a self,
        store: &'a Store,
    ) -> impl Iterator<Item = [BodyIndex; 2]> {
        self.joints(store)
            .filter(|row| !row.is_to_world() && self.is_effective(store, row))
            .map(|row| [row.body, row.other])
    }

    /// Positions of both anchors in world space.
    pub(crate) fn anchors(&self, store: &Store, row: &JointRow) -> [Vec3; 2] {
        let place = |body: BodyIndex, anchor: Vec3| {
            origin(self.hot(store, body), self.cold(store, body)).point(anchor)
        };
        let [first, second] = row.anchors;
        [place(row.body, first), if row.is_to_world() { second } else { place(row.other, second) }]
    }
}
