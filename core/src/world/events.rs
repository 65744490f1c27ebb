//! What a step has to tell: contacts that began or ended, impacts, sensors, sleep. Rows of the slot, sorted by kind and
//! key, so a tick that is rewound to shows its own.

use super::rows::PairKey;
use super::{BodyId, World};
use crate::data::Id;
use crate::math::{Q20, Real, Vec3};

/// Something that happened in the step to this tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Two shapes began to touch: to overlap or to push each other.
    ContactBegan(Pair),
    /// Two shapes touch as they did on the tick before; told if one of the bodies has
    /// [`persist_events`](super::BodyDef::persist_events) and is awake.
    ContactPersisted(Pair),
    /// Two shapes touch no more, or one of them is gone.
    ContactEnded(Pair),
    /// Two shapes met at a speed of at least [`restitution_threshold`](super::WorldDef::restitution_threshold). One that begins late in a tick
    /// is told again on the next if they still approach so fast; add up the impulses, or wait for [`Self::ContactBegan`].
    Impact(Impact),
    /// A shape is inside a sensor and was not before. The sensor is the pair's first.
    SensorEntered(Pair),
    /// A shape is inside a sensor as before; told if one of the bodies has
    /// [`stay_events`](super::BodyDef::stay_events) and one is awake.
    SensorStayed(Pair),
    /// A shape is no more inside a sensor, or one of them is gone.
    SensorLeft(Pair),
    /// A body fell asleep.
    FellAsleep(BodyId),
    /// A body that slept was woken, by what touches it, what held it, or a command.
    Woke(BodyId),
    /// A body is held at the end of the world.
    LeftWorld(BodyId),
    /// A body's speed or spin is held at the most that numbers allow.
    Saturated(BodyId),
}

/// Two shapes. Of contacts the lower body comes first, of sensors the sensor. A body may be gone by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// Which of each body's shapes.
    pub shapes: [u8; 2],
}

/// How two shapes met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impact {
    /// Which shapes.
    pub pair: Pair,
    /// How fast they approached each other along the normal, m/s.
    pub speed: Real,
    /// What the contact pushed along its normal in this tick, N·s.
    pub impulse: Real,
    /// Where, in the world.
    pub point: Vec3,
    /// Unit vector from the first body to the second.
    pub normal: Vec3,
}

/// Kinds in the order in which they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum EventKind {
    ContactBegan,
    ContactPersisted,
    ContactEnded,
    Impact,
    SensorEntered,
    SensorStayed,
    SensorLeft,
    FellAsleep,
    Woke,
    LeftWorld,
    Saturated,
}

impl EventKind {
    /// All kinds in order.
    pub(crate) const ALL: [Self; 11] = [
        Self::ContactBegan,
        Self::ContactPersisted,
        Self::ContactEnded,
        Self::Impact,
        Self::SensorEntered,
        Self::SensorStayed,
        Self::SensorLeft,
        Self::FellAsleep,
        Self::Woke,
        Self::LeftWorld,
        Self::Saturated,
    ];

    /// What they are called, in the same order.
    pub(crate) const NAMES: [&str; 11] = [
        "contact began",
        "contact persisted",
        "contact ended",
        "impact",
        "sensor entered",
        "sensor stayed",
        "sensor left",
        "fell asleep",
        "woke",
        "left world",
        "saturated",
    ];

    /// Whether it is about one body and not about two shapes.
    pub(crate) const fn is_of_body(self) -> bool {
        matches!(self, Self::FellAsleep | Self::Woke | Self::LeftWorld | Self::Saturated)
    }
}

/// An event as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventRow {
    pub(crate) kind: EventKind,
    /// The shapes of the pair, or the index of the body.
    pub(crate) key: PairKey,
    /// The pair, or the body twice.
    pub(crate) bodies: [Id; 2],
    /// All zero but for impacts.
    pub(crate) impact: ImpactData,
}

/// What an impact is like.
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

    /// An event of one body.
    pub(crate) fn body(kind: EventKind, body: Id) -> Self {
        Self::pair(kind, PairKey(u64::from(body.index())), [body; 2])
    }

    pub(super) fn event(&self) -> Event {
        let pair = Pair {
            bodies: self.bodies.map(BodyId),
            shapes: self.key.shapes().map(|shape| (shape & 0xff) as u8),
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
        }
    }
}

impl World {
    /// What happened in the last step: each an [`Event`], sorted by kind in the order of that list, then by shapes or body.
    ///
    /// They are part of the state: saved, restored, in snapshots and in the digest. So there are two right times to read them.
    /// After [`step`](Self::step), to change values of the game's own. And at the start of the next step, to answer with
    /// commands (despawn what was hit, push what touched): commands come before `step`, and a session refuses those that come
    /// after it. After a rollback the events are those of the tick that was gone back to. Before the first step there are none.
    ///
    /// ```
    /// use isostep_core::world::{BodyDef, Event, ShapeDef, World, WorldDef};
    /// use isostep_core::{real, shape::Shape, Vec3};
    /// let mut world = World::new(WorldDef::default())?;
    /// let goal = ShapeDef::from(Shape::cuboid(Vec3::splat(real!(1)))?).sensor();
    /// world.spawn(BodyDef::fixed().shape(goal))?;
    /// let ball = world.spawn(BodyDef::dynamic().at(Vec3::Y * 2).shape(Shape::sphere(real!(0.5))?))?;
    /// for _tick in 0..60 {
    ///     // First what the last step told, then this step.
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
