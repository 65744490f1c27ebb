//! Events of a step: contacts that begin or end, impacts, sensor overlaps, sleep. They are rows of the frame, sorted by kind and
//! key, so a rewound tick has its own.

use super::registry::joints::JointKey;
use super::rows::{BodyIndex, PairKey, ShapeKey};
use super::{BodyId, JointId, World};
use crate::data::Id;
use crate::math::{Q20, Real, Vec3};

/// An event of the last step.
#[doc(alias("CollisionEvent", "ContactListener"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Two shapes stop touching, or one of them is removed.
    #[doc(alias("Stopped", "end_contact", "OnContactRemoved"))]
    ContactEnded(Pair),
    /// Two shapes begin to touch: they overlap or have a contact impulse.
    #[doc(alias("Started", "begin_contact", "OnContactAdded"))]
    ContactBegan(Pair),
    /// Two shapes still touch. Reported if one of the bodies has [`persist_events`](super::BodyDef::persist_events), on every tick on which one of
    /// the two, that body or the other, is awake.
    #[doc(alias("OnContactPersisted", "on_contact_stay"))]
    ContactPersisted(Pair),
    /// Two shapes approach at [`restitution_threshold`](super::WorldDef::restitution_threshold) or faster. An impact late in a tick
    /// is reported again on the next tick if the shapes still approach that fast. Add up the impulses, or wait for
    /// [`Self::ContactBegan`].
    #[doc(alias("hit_event", "ContactForceEvent"))]
    Impact(Impact),
    /// A shape leaves a sensor, or one of the two is removed.
    SensorLeft(Pair),
    /// A shape enters a sensor. The sensor is the first of the pair.
    #[doc(alias("trigger", "intersection"))]
    SensorEntered(Pair),
    /// A shape is still inside a sensor. Reported if one of the bodies has [`stay_events`](super::BodyDef::stay_events) and one is
    /// awake.
    SensorStayed(Pair),
    /// A body falls asleep.
    FellAsleep(BodyId),
    /// A sleeping body is woken by a contact, by a change of its support, or by a command.
    Woke(BodyId),
    /// A body is clamped to the limits of the world.
    LeftWorld(BodyId),
    /// A body's velocity or spin is clamped to the range of its number format.
    Saturated(BodyId),
    /// A joint is removed because one of its bodies is despawned.
    JointRemoved(JointId),
}

/// The two shapes of an event. Contacts name the body with the lower index first, sensor events the sensor. A body may have
/// been despawned since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// Number of the shape in each body.
    pub shapes: [u8; 2],
}

/// Data of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impact {
    /// The two shapes.
    pub pair: Pair,
    /// Approach speed along the normal, m/s.
    pub speed: Real,
    /// Normal impulse of the contact in this tick, N·s.
    pub impulse: Real,
    /// Point in world space.
    pub point: Vec3,
    /// Unit vector from the first body to the second.
    pub normal: Vec3,
}

/// Kinds in the order in which events are sorted. Ends precede begins: a shape that is removed and added again in a tick gets both for
/// the same pair, and code that tracks pairs by events must end up with a touching one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum EventKind {
    ContactEnded,
    ContactBegan,
    ContactPersisted,
    Impact,
    SensorLeft,
    SensorEntered,
    SensorStayed,
    FellAsleep,
    Woke,
    LeftWorld,
    Saturated,
    JointRemoved,
}

impl EventKind {
    /// The number of kinds in the layout hash of the state. Later ones are added at the end, so that states without them stay valid.
    pub(crate) const IN_LAYOUT: usize = 11;

    /// All kinds in order.
    pub(crate) const ALL: [Self; 12] = [
        Self::ContactEnded,
        Self::ContactBegan,
        Self::ContactPersisted,
        Self::Impact,
        Self::SensorLeft,
        Self::SensorEntered,
        Self::SensorStayed,
        Self::FellAsleep,
        Self::Woke,
        Self::LeftWorld,
        Self::Saturated,
        Self::JointRemoved,
    ];

    /// Names of the kinds, in the same order.
    pub(crate) const NAMES: [&str; 12] = [
        "contact ended",
        "contact began",
        "contact persisted",
        "impact",
        "sensor left",
        "sensor entered",
        "sensor stayed",
        "fell asleep",
        "woke",
        "left world",
        "saturated",
        "joint removed",
    ];

    /// Returns whether the event concerns one body instead of two shapes.
    pub(crate) const fn is_of_body(self) -> bool {
        matches!(self, Self::FellAsleep | Self::Woke | Self::LeftWorld | Self::Saturated)
    }
}

/// An event as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventRow {
    pub(crate) kind: EventKind,
    /// The shapes of the pair, the index of the body, or the joint.
    pub(crate) key: PairKey,
    /// The pair, or the body twice.
    pub(crate) bodies: [Id; 2],
    /// Zero except for impacts.
    pub(crate) impact: ImpactData,
}

/// Stored data of an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImpactData {
    pub(crate) speed: Q20,
    pub(crate) impulse: Real,
    pub(crate) point: Vec3,
    pub(crate) normal: [i32; 3],
}

impl EventRow {
    /// An event of two shapes.
    pub(crate) fn pair(kind: EventKind, key: PairKey, bodies: [Id; 2]) -> Self {
        Self { kind, key, bodies, impact: ImpactData::default() }
    }

    /// The removal of a joint with these two bodies, the first twice for a joint to the world.
    pub(crate) fn joint_removed(joint: JointKey, bodies: [Id; 2]) -> Self {
        Self::pair(EventKind::JointRemoved, PairKey(joint.0), bodies)
    }

    /// An event of one body.
    pub(crate) fn body(kind: EventKind, body: Id) -> Self {
        Self::pair(kind, PairKey::of_body(BodyIndex::of(body)), [body; 2])
    }

    pub(super) fn event(&self) -> Event {
        let pair = Pair {
            bodies: self.bodies.map(BodyId),
            shapes: self.key.shapes().map(ShapeKey::ordinal),
        };
        let body = pair.bodies[0];
        match self.kind {
            EventKind::ContactBegan => Event::ContactBegan(pair),
            EventKind::ContactPersisted => Event::ContactPersisted(pair),
            EventKind::ContactEnded => Event::ContactEnded(pair),
            EventKind::Impact => Event::Impact(Impact {
                pair,
                speed: self.impact.speed.to_real(),
                impulse: self.impact.impulse,
                point: self.impact.point,
                normal: Vec3::from_bits(self.impact.normal.map(|c| i64::from(c) << 2)),
            }),
            EventKind::SensorEntered => Event::SensorEntered(pair),
            EventKind::SensorStayed => Event::SensorStayed(pair),
            EventKind::SensorLeft => Event::SensorLeft(pair),
            EventKind::FellAsleep => Event::FellAsleep(body),
            EventKind::Woke => Event::Woke(body),
            EventKind::LeftWorld => Event::LeftWorld(body),
            EventKind::Saturated => Event::Saturated(body),
            EventKind::JointRemoved => {
                Event::JointRemoved(JointId::new(body, JointKey(self.key.0).number()))
            }
        }
    }
}

impl World {
    /// Iterates over the events of the last step, sorted by kind in the order of [`Event`], then by shapes or body. Ends precede begins, so code
    /// that follows pairs by events ends up with the right set, also if a shape is removed and added again on one tick.
    ///
    /// Events are part of the state: they are saved, restored, and included in snapshots and the digest. There are two valid times
    /// to read them:
    ///
    /// - After [`step`](Self::step), to update the game's own values.
    /// - At the start of the next step, to react with commands (despawn a body that was hit). Commands precede `step`, and a session
    ///   rejects commands that follow it.
    ///
    /// After a rollback the events are those of the restored tick. Before the first step there are none.
    ///
    /// ```
    /// use isostep_core::world::{BodyDef, Event, ShapeDef, World, WorldDef};
    /// use isostep_core::{real, shape::Shape, Vec3};
    /// let mut world = World::new(WorldDef::default())?;
    /// let goal = ShapeDef::from(Shape::cuboid(Vec3::splat(real!(1)))?).sensor();
    /// world.spawn(BodyDef::fixed().shape(goal))?;
    /// let ball = world.spawn(BodyDef::dynamic().at(Vec3::Y * 2).shape(Shape::sphere(real!(0.5))?))?;
    /// for _tick in 0..60 {
    ///     // React to the events of the last step, then step.
    ///     let scored: Vec<_> = world.events().collect();
    ///     for event in scored {
    ///         if let Event::SensorEntered(pair) = event {
    ///             world.despawn(pair.bodies[1])?;
    ///         }
    ///     }
    ///     world.step();
    /// }
    /// assert!(world.body(ball).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event> + '_ {
        self.work.events.iter().map(EventRow::event)
    }
}
