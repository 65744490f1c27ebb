//! The lines of a tick: bodies in the order of their ids, then contacts in the order of [`World::contacts`].

use super::{DebugDraw, DebugLine, DebugTopic, colors, island_color};
use crate::math::{Real, Vec3};
use crate::shape::outline::box_edges;
use crate::step::{At, Placed, bounds_in};
use crate::world::frame::Place;
use crate::world::rows::{BodyIndex, ColdRow, HotRow, PairKey, ShapeRow, body_of, shape_key};
use crate::world::{BodyId, BodyKind, Contacts, Islands, Past, Pending, World};

/// Length of the longest line of an impulse, metres.
const LONGEST: Real = Real::from_int(10);

impl World {
    /// Passes the lines that show the world to `sink`, with this tick's commands applied: bodies in the order of their ids, then
    /// contacts in the order of [`contacts`](Self::contacts). Contacts are those of the last step, as there.
    ///
    /// The list is a function of state and options, the same on every machine and after a rewind or a restore.
    /// [`Past::debug_lines`] has that of any held tick, such as the one that a rollback started from. It visits every body, and every
    /// contact if a topic needs them.
    ///
    /// ```
    /// use isostep_core::{Real, Tick, real, shape::Shape, Vec3};
    /// use isostep_core::world::{BodyDef, DebugDraw, DebugTopic, World, WorldDef};
    /// let mut world = World::new(WorldDef::default())?;
    /// world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
    /// world.step();
    /// world.step();
    /// let draw = DebugDraw::new([DebugTopic::Centers]).mark(real!(0.25));
    /// let (mut now, mut before) = (Vec::new(), Vec::new());
    /// world.debug_lines(&draw, |line| now.push(line.start));
    /// world.past(Tick(1))?.debug_lines(&draw, |line| before.push(line.start));
    /// assert_eq!((now.len(), before.len()), (3, 3));
    /// assert!(now[0].y < before[0].y);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("debug_render", "DrawBodies", "b2World_Draw"))]
    pub fn debug_lines(&self, draw: &DebugDraw, sink: impl FnMut(DebugLine)) {
        Pen::new(draw, self.contact_table(), sink).draw_all();
    }
}

impl Past<'_> {
    /// Passes the lines that show the world at this tick to `sink`, as [`World::debug_lines`] does.
    pub fn debug_lines(&self, draw: &DebugDraw, sink: impl FnMut(DebugLine)) {
        Pen::new(draw, self.contact_table(), sink).draw_all();
    }
}

struct Pen<'a, F> {
    draw: &'a DebugDraw,
    /// The tick: its frame, and the contacts of its step.
    tick: Contacts<'a>,
    /// If they are drawn.
    islands: Option<Islands>,
    sink: F,
}

/// A body of the frame.
struct Drawn<'a> {
    id: BodyId,
    hot: &'a HotRow,
    cold: &'a ColdRow,
    at: At,
}

impl<'a, F: FnMut(DebugLine)> Pen<'a, F> {
    fn new(draw: &'a DebugDraw, tick: Contacts<'a>, sink: F) -> Self {
        let islands = draw.has(DebugTopic::Islands).then(|| tick.islands());
        Self { draw, tick, islands, sink }
    }

    fn draw_all(&mut self) {
        if self.draw.topics == 0 {
            return;
        }
        let Contacts { world, frame, .. } = self.tick;
        for id in frame.streams.iter().flat_map(|stream| stream.ids.iter()) {
            let index = BodyIndex::of(id);
            let (page, row) = (frame.cold_page(&world.store, index), Place::of(index).row);
            let hot = frame.hot(&world.store, index);
            let body = Drawn { id: BodyId(id), hot, cold: &page.rows[row], at: At::of(hot) };
            for shape in page.shapes_of(row) {
                self.shape(&body, shape);
            }
            if self.draw.has(DebugTopic::Centers) {
                self.center(&body);
            }
        }
        self.contacts();
        self.joints();
    }

    /// Outline and bounds of a shape, and the overlaps of a sensor.
    fn shape(&mut self, body: &Drawn<'a>, shape: &ShapeRow) {
        let placed = Placed::new(&body.at, body.cold.local_center, shape);
        let overlaps = self.overlaps(body, shape, &placed);
        if let Some((topic, color)) = self.outline(body, shape, overlaps) {
            let (pose, patch) = (placed.pose(), self.draw.patch);
            shape.shape.outline(patch, &mut |start, end| {
                let [start, end] = [start, end].map(|point| pose.point(point));
                self.line(topic, color, body.id, None, [start, end]);
            });
        }
        if self.draw.has(DebugTopic::Bounds) && body.cold.enabled && !shape.shape.is_unbounded() {
            let Contacts { world, frame, .. } = self.tick;
            let bounds = bounds_in(world, frame, body.id.index(), shape);
            box_edges(bounds.min(), bounds.max(), &mut |start, end| {
                self.line(DebugTopic::Bounds, colors::BOUNDS, body.id, None, [start, end]);
            });
        }
    }

    /// Topic and colour of a shape's outline, if it is drawn.
    fn outline(
        &self,
        body: &Drawn<'_>,
        shape: &ShapeRow,
        overlaps: usize,
    ) -> Option<(DebugTopic, [u8; 4])> {
        let by_shape =
            |color| self.draw.has(DebugTopic::Shapes).then_some((DebugTopic::Shapes, color));
        if !body.cold.enabled {
            return by_shape(colors::DISABLED);
        }
        if shape.sensor {
            let occupied = if overlaps > 0 { colors::OCCUPIED } else { colors::SENSOR };
            let sensors = self.draw.has(DebugTopic::Sensors);
            return if sensors {
                Some((DebugTopic::Sensors, occupied))
            } else {
                by_shape(colors::SENSOR)
            };
        }
        if self.draw.has(DebugTopic::Sleep) && body.hot.is_asleep() {
            return Some((DebugTopic::Sleep, colors::ASLEEP));
        }
        if let Some(island) = self.islands.as_ref().and_then(|islands| islands.of(body.id)) {
            return Some((DebugTopic::Islands, island_color(island)));
        }
        by_shape(match body.cold.kind {
            BodyKind::Fixed => colors::FIXED,
            BodyKind::Kinematic => colors::KINEMATIC,
            BodyKind::Dynamic => colors::DYNAMIC,
        })
    }

    /// Lines from a sensor to the shapes inside; returns their number.
    fn overlaps(&mut self, body: &Drawn<'a>, shape: &ShapeRow, placed: &Placed) -> usize {
        if !shape.sensor || !self.draw.has(DebugTopic::Sensors) {
            return 0;
        }
        let Contacts { world, frame, pending, .. } = self.tick;
        let own = shape_key(body.id.index(), shape.ordinal);
        let Some(page) = frame.contact_page(&world.store, body.id.index()) else { return 0 };
        let mut count = 0;
        for overlap in page.overlaps_of(body.id.index()) {
            let key = PairKey::new(own, overlap.other);
            let gone = |pending: &Pending| pending.is_void(key) || pending.is_removed(key);
            if overlap.own != own || !overlap.senses || pending.is_some_and(gone) {
                continue;
            }
            let index = body_of(overlap.other);
            let Some(id) = frame.id_at(index) else { continue };
            let (page, row) = (frame.cold_page(&world.store, index), Place::of(index).row);
            let Some(inside) = page.shape(row, overlap.other.ordinal()) else { continue };
            count += 1;
            if inside.shape.is_unbounded() {
                continue;
            }
            let at = At::of(frame.hot(&world.store, index));
            let end = Placed::new(&at, page.rows[row].local_center, inside).pose().translation;
            let ends = [placed.pose().translation, end];
            self.line(DebugTopic::Sensors, colors::OCCUPIED, body.id, Some(BodyId(id)), ends);
        }
        count
    }

    fn center(&mut self, body: &Drawn<'_>) {
        if body.cold.kind != BodyKind::Dynamic || !body.cold.enabled {
            return;
        }
        let axes = body.hot.rotation * body.cold.principal;
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axes.rotate(axis));
        let bodies = [body.id, body.id];
        self.cross(DebugTopic::Centers, colors::CENTER, bodies, body.hot.center, axes);
    }

    /// Lines of the contacts.
    fn contacts(&mut self) {
        use DebugTopic::{Contacts, Impulses, Islands, Normals};
        let draw = self.draw;
        if ![Contacts, Impulses, Islands, Normals].into_iter().any(|topic| draw.has(topic)) {
            return;
        }
        for contact in self.tick.views() {
            let bodies @ [a, b] = contact.bodies();
            if let Some(island) = self.islands.as_ref().and_then(|islands| islands.of(a)) {
                let (world, frame) = (self.tick.world, self.tick.frame);
                if frame.cold(&world.store, b.index()).kind == BodyKind::Dynamic {
                    let ends = bodies.map(|body| frame.hot(&world.store, body.index()).center);
                    self.line(Islands, island_color(island), a, Some(b), ends);
                }
            }
            if ![Contacts, Impulses, Normals].into_iter().any(|topic| draw.has(topic)) {
                continue;
            }
            let touching = contact.is_touching();
            let color = if touching { colors::TOUCHING } else { colors::SPECULATIVE };
            for point in contact.points() {
                let at = point.position;
                if draw.has(Contacts) {
                    self.cross(Contacts, [color; 3], bodies, at, [Vec3::X, Vec3::Y, Vec3::Z]);
                }
                let mut arrow = |topic, color, vector: Vec3| {
                    if draw.has(topic) && !vector.is_zero() {
                        self.line(topic, color, a, Some(b), [at, at + vector]);
                    }
                };
                let push = (point.normal_impulse * draw.impulse).min(LONGEST);
                arrow(Impulses, colors::IMPULSE, point.normal * push);
                let friction = point.friction_impulse * draw.impulse;
                let friction = if friction.length() > LONGEST {
                    friction.normalize_or(Vec3::ZERO) * LONGEST
                } else {
                    friction
                };
                arrow(Impulses, colors::FRICTION, friction);
                // Last, so that it is above the impulse.
                arrow(Normals, colors::NORMAL, point.normal * draw.mark);
            }
        }
    }

    /// A line between the anchors of each joint, and between the bodies that it connects in an island.
    fn joints(&mut self) {
        let (joints, islands) =
            (self.draw.has(DebugTopic::Joints), self.draw.has(DebugTopic::Islands));
        if !joints && !islands {
            return;
        }
        let Contacts { world, frame, .. } = self.tick;
        let store = &world.store;
        for row in frame.joints(store) {
            let Some(body) = frame.id_at(row.body).map(BodyId) else { continue };
            let other = if row.is_to_world() { None } else { frame.id_at(row.other).map(BodyId) };
            let island = self.islands.as_ref().and_then(|islands| islands.of(body));
            let dynamic =
                |other: &BodyId| frame.cold(store, other.index()).kind == BodyKind::Dynamic;
            if let (Some(island), Some(second)) = (island, other.filter(dynamic))
                && row.enabled
            {
                let ends = [body, second].map(|body| frame.hot(store, body.index()).center);
                self.line(DebugTopic::Islands, island_color(island), body, other, ends);
            }
            if joints {
                let color = if row.enabled { colors::JOINT } else { colors::DISABLED };
                self.line(DebugTopic::Joints, color, body, other, frame.anchors(store, row));
            }
        }
    }

    /// Three crossed lines. `bodies` are those of a contact, or the same one twice.
    fn cross(
        &mut self,
        topic: DebugTopic,
        colors: [[u8; 4]; 3],
        [body, other]: [BodyId; 2],
        center: Vec3,
        axes: [Vec3; 3],
    ) {
        let other = (other != body).then_some(other);
        for (axis, color) in axes.into_iter().zip(colors) {
            let half = axis * (self.draw.mark * Real::HALF);
            self.line(topic, color, body, other, [center - half, center + half]);
        }
    }

    fn line(
        &mut self,
        topic: DebugTopic,
        color: [u8; 4],
        body: BodyId,
        other: Option<BodyId>,
        [start, end]: [Vec3; 2],
    ) {
        (self.sink)(DebugLine { start, end, color, topic, body, other });
    }
}
