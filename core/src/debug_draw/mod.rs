//! Debug draw: a tick of the world as a list of lines, for any renderer.
//!
//! - This file: the options and the lines, both plain data.
//! - `lines.rs`: the lines of a tick.
//!
//! Outlines of shapes are in the files of their kinds (`shape/`). **The list is a pure function of state and options**: it reads rows
//! of one tick, and no cache of a step.

mod lines;

use crate::math::{Real, Vec3};
use crate::shape::{MAX_SIZE, MIN_SIZE};
use crate::world::BodyId;

/// Lines to draw, and their sizes. Nothing is drawn by default.
///
/// ```
/// use isostep_core::{Real, Vec3, real, shape::Shape};
/// use isostep_core::world::{BodyDef, DebugDraw, DebugTopic, World, WorldDef};
/// let mut world = World::new(WorldDef::default())?;
/// world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
/// let cube = Shape::cuboid(Vec3::splat(Real::HALF))?;
/// let cube = world.spawn(BodyDef::dynamic().at(Vec3::Y * Real::HALF).shape(cube))?;
/// world.step();
/// // Edges of the cube, and the normals of its contact points.
/// let draw = DebugDraw::new([DebugTopic::Shapes, DebugTopic::Normals]).patch(real!(2));
/// let mut edges = 0;
/// world.debug_lines(&draw, |line| {
///     let [from, to] = [line.start, line.end].map(<[f32; 3]>::from);
///     println!("{from:?} to {to:?} in {:?}", line.color);
///     edges += u32::from(line.topic == DebugTopic::Shapes && line.body == cube);
/// });
/// assert_eq!(edges, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias(
    "DebugRenderPipeline",
    "DebugRenderMode",
    "b2DebugDraw",
    "DebugRenderer",
    "BodyManager::DrawSettings"
))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct DebugDraw {
    /// Bit i: topic i.
    topics: u16,
    mark: Real,
    impulse: Real,
    patch: Real,
}

impl Default for DebugDraw {
    fn default() -> Self {
        Self {
            topics: 0,
            mark: Real::ratio(1, 10),
            impulse: Real::ratio(1, 100),
            patch: Real::from_int(8),
        }
    }
}

impl DebugDraw {
    /// Returns options with these topics and default sizes.
    pub fn new(topics: impl IntoIterator<Item = DebugTopic>) -> Self {
        let topics = topics.into_iter().fold(0, |bits, topic| bits | 1 << topic as u16);
        Self { topics, ..Self::default() }
    }

    /// Sets the length of normals and the size of the crosses at contact points and centres of mass, metres; 0.1 by default.
    pub fn mark(mut self, length: Real) -> Self {
        self.mark = length.clamp(MIN_SIZE, MAX_SIZE);
        self
    }

    /// Sets the length of the line for an impulse of 1 N·s, metres; 0.01 by default. No impulse gets a line of more than 10 m.
    pub fn impulse_scale(mut self, length: Real) -> Self {
        self.impulse = length.clamp(Real::ZERO, MAX_SIZE);
        self
    }

    /// Sets how far from its origin a half space is drawn, metres; 8 by default.
    pub fn patch(mut self, half_edge: Real) -> Self {
        self.patch = half_edge.clamp(MIN_SIZE, MAX_SIZE);
        self
    }

    const fn has(&self, topic: DebugTopic) -> bool {
        self.topics >> topic as u16 & 1 == 1
    }
}

/// A subject of debug lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DebugTopic {
    /// Outlines of all shapes: fixed bodies grey, kinematic ones blue, dynamic ones white, disabled ones dim, sensors yellow.
    Shapes,
    /// Boxes by which the broad phase finds pairs: around each finite shape, with a margin of 1 cm and the motion of the next tick.
    #[doc(alias("aabb", "COLLIDER_AABBS"))]
    Bounds,
    /// A cross at the centre of mass of each dynamic body, along its principal axes of inertia: x red, y green, z blue.
    #[doc(alias("CENTER_OF_MASS", "mass"))]
    Centers,
    /// Outlines of sensors, orange if something is inside, and a line from a sensor to the origin of each finite shape inside.
    #[doc(alias("trigger", "intersection"))]
    Sensors,
    /// Outlines of dynamic bodies in the colour of their island, and a line between the centres of two of them in contact or with a joint. The colour
    /// follows from the id of the least body of the island; two islands may have the same one.
    Islands,
    /// Outlines of sleeping bodies in violet.
    Sleep,
    /// A cross at each contact point, red if the shapes touch, else dim.
    #[doc(alias("CONTACTS", "manifold"))]
    Contacts,
    /// The normal at each contact point, towards the second body.
    Normals,
    /// The normal impulse of the last tick on the second body at each contact point, and the friction impulse.
    #[doc(alias("force"))]
    Impulses,
    /// A line between the anchors of each joint, dim if the joint is disabled.
    #[doc(alias("IMPULSE_JOINTS", "constraints"))]
    Joints,
}

impl DebugTopic {
    /// All topics, in order.
    pub const ALL: [Self; 10] = [
        Self::Shapes,
        Self::Bounds,
        Self::Centers,
        Self::Sensors,
        Self::Islands,
        Self::Sleep,
        Self::Contacts,
        Self::Normals,
        Self::Impulses,
        Self::Joints,
    ];
}

/// A line of [`World::debug_lines`](crate::world::World::debug_lines), in world space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DebugLine {
    /// One end: for normals and impulses the contact point.
    pub start: Vec3,
    /// The other end.
    pub end: Vec3,
    /// Red, green, blue and opacity, for a dark background.
    pub color: [u8; 4],
    /// Its subject. An outline is drawn once: for [`Sleep`](DebugTopic::Sleep) if the body is asleep and that topic is drawn, else for
    /// [`Islands`](DebugTopic::Islands) if that is drawn and has the body, else for [`Shapes`](DebugTopic::Shapes). Sensors are
    /// outlined for [`Sensors`](DebugTopic::Sensors) or [`Shapes`](DebugTopic::Shapes).
    pub topic: DebugTopic,
    /// The body that it belongs to; of a contact or a joint the first one, of an overlap the sensor.
    pub body: BodyId,
    /// The second body of a contact, an overlap or a joint.
    pub other: Option<BodyId>,
}

mod colors {
    //! Colours: red, green, blue, opacity.

    pub(super) const FIXED: [u8; 4] = [150, 160, 170, 255];
    pub(super) const KINEMATIC: [u8; 4] = [90, 170, 255, 255];
    pub(super) const DYNAMIC: [u8; 4] = [240, 240, 240, 255];
    pub(super) const DISABLED: [u8; 4] = [110, 110, 110, 160];
    pub(super) const SENSOR: [u8; 4] = [250, 220, 70, 255];
    pub(super) const OCCUPIED: [u8; 4] = [255, 140, 40, 255];
    pub(super) const ASLEEP: [u8; 4] = [160, 120, 255, 255];
    pub(super) const BOUNDS: [u8; 4] = [60, 200, 220, 160];
    /// Of the three axes.
    pub(super) const CENTER: [[u8; 4]; 3] =
        [[255, 90, 90, 255], [90, 240, 90, 255], [110, 150, 255, 255]];
    pub(super) const TOUCHING: [u8; 4] = [255, 60, 60, 255];
    pub(super) const SPECULATIVE: [u8; 4] = [180, 130, 130, 255];
    pub(super) const NORMAL: [u8; 4] = [90, 230, 120, 255];
    pub(super) const IMPULSE: [u8; 4] = [255, 80, 200, 255];
    pub(super) const FRICTION: [u8; 4] = [255, 160, 60, 255];
    pub(super) const JOINT: [u8; 4] = [255, 210, 120, 255];

    /// Colours of islands.
    pub(super) const ISLANDS: [[u8; 4]; 8] = [
        [250, 222, 64, 255],
        [90, 200, 242, 255],
        [230, 122, 178, 255],
        [64, 204, 158, 255],
        [235, 107, 51, 255],
        [110, 150, 255, 255],
        [160, 220, 80, 255],
        [255, 160, 140, 255],
    ];
}

/// Colour of an island, by its least body. Consecutive ids have different colours.
fn island_color(island: BodyId) -> [u8; 4] {
    // Golden ratio, the upper three bits.
    let hue = island.index().get().wrapping_mul(0x9E37_79B9) >> 29;
    colors::ISLANDS[hue as usize]
}
