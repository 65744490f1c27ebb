//! Rows of joints: a row for each joint, in the page of its first body; an end, so that the second body finds it too; and for each body
//! that ever had a joint, how many. Commands add and remove rows; the step writes impulses.

use super::list::ListRow;
use crate::math::{Q20, Real, Vec3};
use crate::world::WORLD_LIMIT;
use crate::world::fields::{Parts, Row, RowText, Unit, Visitor};
use crate::world::frame::{Frame, Store};
use crate::world::joint::{ANCHOR_LIMIT, JointKind, MAX_LENGTH, MIN_LENGTH};
use crate::world::page_bytes::State;
use crate::world::rows::{BodyIndex, BodyKind};

/// Largest impulse of a row, raw Q20.
pub(crate) const IMPULSE_LIMIT: i32 = 1 << 28;

/// A joint among all joints of the world: index of the first body, and its number among the joints of that body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct JointKey(pub(crate) u64);

impl JointKey {
    pub(crate) const fn new(owner: BodyIndex, number: u32) -> Self {
        Self((owner.get() as u64) << 32 | number as u64)
    }

    pub(crate) const fn owner(self) -> BodyIndex {
        BodyIndex::new((self.0 >> 32) as u32)
    }

    pub(crate) const fn number(self) -> u32 {
        self.0 as u32
    }
}

/// A joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointRow {
    /// The first body, which owns the row.
    pub(crate) body: BodyIndex,
    /// Number among the joints that the body ever had.
    pub(crate) number: u32,
    /// The second body; the first again for a joint to the world.
    pub(crate) other: BodyIndex,
    pub(crate) kind: JointKind,
    pub(crate) enabled: bool,
    /// The two bodies collide with each other.
    pub(crate) collides: bool,
    /// Anchors in the frames of the bodies, or in the world.
    pub(crate) anchors: [Vec3; 2],
    /// Metres.
    pub(crate) length: Real,
    /// Impulse of the last substep in reduced-mass units, positive if it pushes the anchors apart.
    pub(crate) impulse: Q20,
}

impl JointRow {
    pub(crate) const fn joint(&self) -> JointKey {
        JointKey::new(self.body, self.number)
    }

    /// Returns whether the joint connects its body to the world.
    pub(crate) fn is_to_world(&self) -> bool {
        self.body == self.other
    }

    /// The body at its other end; the body itself for a joint to the world.
    pub(crate) fn partner(&self, body: BodyIndex) -> BodyIndex {
        if self.body == body { self.other } else { self.body }
    }
}

impl Row for JointRow {
    const KEY: usize = 8;

    fn blank() -> Self {
        Self {
            body: BodyIndex::default(),
            number: 0,
            other: BodyIndex::default(),
            kind: JointKind::Rod,
            enabled: true,
            collides: false,
            anchors: [Vec3::ZERO; 2],
            length: Real::ONE,
            impulse: Q20::ZERO,
        }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { body, number, other, kind, enabled, collides, anchors, length, impulse } = self;
        v.body_index("body", Unit::Body, body);
        v.u32("number", Unit::Count, number);
        v.body_index("other", Unit::Body, other);
        v.choice("kind", &["rod"], &[JointKind::Rod], kind);
        v.flag("enabled", enabled);
        v.flag("collides", collides);
        for (name, anchor) in ["anchor", "other_anchor"].into_iter().zip(anchors) {
            v.vec3(name, Unit::Real("m"), anchor);
        }
        v.real("length", Unit::Real("m"), length);
        v.lane("impulse", Unit::Lane(20, "m/s"), impulse);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("joint {}/{}", row.body(0), row.number(1))
    }
}

impl ListRow for JointRow {
    type Key = u32;

    const BY_COMMAND: bool = false;

    fn owner(&self) -> BodyIndex {
        self.body
    }

    fn key(&self) -> u32 {
        self.number
    }

    fn partner(&self) -> Option<BodyIndex> {
        Some(self.other)
    }

    fn check(&self, state: State<'_>) -> Result<(), &'static str> {
        let State { frame, store, .. } = state;
        let ensure = |holds: bool, what| if holds { Ok(()) } else { Err(what) };
        let within =
            |v: &Vec3, limit: Real| v.to_array().iter().all(|c| (-limit..=limit).contains(c));
        let count = frame.list_row::<JointCountRow>(store, self.body, ());
        ensure(count.is_some_and(|row| self.number < row.count), "its number was never used")?;
        ensure(frame.id_at(self.other).is_some(), "its second body does not exist")?;
        let [first, second] = &self.anchors;
        let limit = if self.is_to_world() { WORLD_LIMIT } else { ANCHOR_LIMIT };
        ensure(within(first, ANCHOR_LIMIT) && within(second, limit), "its anchors")?;
        ensure((MIN_LENGTH..=MAX_LENGTH).contains(&self.length), "its length")?;
        let impulse = self.impulse.to_bits();
        ensure((-IMPULSE_LIMIT..=IMPULSE_LIMIT).contains(&impulse), "its impulse")
    }
}

/// The second end of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointEndRow {
    /// The second body.
    pub(crate) body: BodyIndex,
    /// The first body, and the number of the joint among those of that body.
    pub(crate) first: BodyIndex,
    pub(crate) number: u32,
}

impl Row for JointEndRow {
    const KEY: usize = 12;

    fn blank() -> Self {
        Self { body: BodyIndex::default(), first: BodyIndex::default(), number: 0 }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { body, first, number } = self;
        v.body_index("body", Unit::Body, body);
        v.body_index("owner", Unit::Body, first);
        v.u32("number", Unit::Count, number);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("end of joint {}/{} at {}", row.body(1), row.number(2), row.body(0))
    }
}

impl ListRow for JointEndRow {
    type Key = JointKey;

    fn owner(&self) -> BodyIndex {
        self.body
    }

    fn key(&self) -> JointKey {
        JointKey::new(self.first, self.number)
    }

    fn partner(&self) -> Option<BodyIndex> {
        Some(self.first)
    }

    fn check(&self, state: State<'_>) -> Result<(), &'static str> {
        let joint = state.frame.joint(state.store, self.key());
        let is_its = joint.is_some_and(|row| row.other == self.body && !row.is_to_world());
        if is_its { Ok(()) } else { Err("it is no end of a joint") }
    }
}

/// The number of joints that a body ever had as their first body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointCountRow {
    pub(crate) body: BodyIndex,
    /// Not zero.
    pub(crate) count: u32,
}

impl Row for JointCountRow {
    const KEY: usize = 4;

    fn blank() -> Self {
        Self { body: BodyIndex::default(), count: 1 }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { body, count } = self;
        v.body_index("body", Unit::Body, body);
        v.u32("count", Unit::Count, count);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("number of joints of body {}", row.body(0))
    }
}

impl ListRow for JointCountRow {
    type Key = ();

    fn owner(&self) -> BodyIndex {
        self.body
    }

    fn key(&self) {}

    fn check(&self, _: State<'_>) -> Result<(), &'static str> {
        if self.count == 0 { Err("it is zero") } else { Ok(()) }
    }
}

/// Returns whether each joint of two bodies has an end. The rows themselves are valid.
pub(crate) fn all_have_ends(frame: &Frame, store: &Store) -> bool {
    // Each end is that of another joint, so equal numbers suffice.
    let (mut joints, mut ends) = (0, 0);
    for stream in &frame.streams {
        for page in stream.joints.iter().flatten() {
            let rows = store.joints.get(*page).rows();
            joints += rows.iter().filter(|row| !row.is_to_world()).count();
        }
        for page in stream.joint_ends.iter().flatten() {
            ends += store.joint_ends.get(*page).rows().len();
        }
    }
    joints == ends
}

/// Joints.
impl Frame {
    /// The row of a joint, if its first body has pages.
    pub(crate) fn joint<'a>(&self, store: &'a Store, joint: JointKey) -> Option<&'a JointRow> {
        self.list_row::<JointRow>(store, joint.owner(), joint.number())
    }

    /// The joints of a body, whichever of their ends it is.
    pub(crate) fn joints_of<'a>(
        &'a self,
        store: &'a Store,
        body: BodyIndex,
    ) -> impl Iterator<Item = &'a JointRow> {
        let ends = self.rows_of::<JointEndRow>(store, body).iter();
        let by_end = ends.filter_map(|end| self.joint(store, end.key()));
        self.rows_of::<JointRow>(store, body).iter().chain(by_end)
    }

    /// Returns whether a joint has an effect: it and its bodies are enabled, and one of them is dynamic.
    pub(crate) fn is_effective(&self, store: &Store, row: &JointRow) -> bool {
        let [a, b] = [row.body, row.other].map(|body| self.cold(store, body));
        let dynamic = a.kind == BodyKind::Dynamic || b.kind == BodyKind::Dynamic;
        row.enabled && a.enabled && b.enabled && dynamic
    }

    /// Returns whether a joint keeps two bodies from colliding with each other.
    #[inline]
    pub(crate) fn are_joined(&self, store: &Store, a: BodyIndex, b: BodyIndex) -> bool {
        let parts = |owner: BodyIndex, other: BodyIndex| {
            let rows = self.rows_of::<JointRow>(store, owner);
            rows.iter().any(|row| row.other == other && row.enabled && !row.collides)
        };
        parts(a, b) || parts(b, a)
    }

    /// Adds or replaces a joint.
    pub(crate) fn set_joint(&mut self, store: &mut Store, row: JointRow) {
        self.set_list_row(store, row);
        if !row.is_to_world() {
            let end = JointEndRow { body: row.other, first: row.body, number: row.number };
            if self.list_row::<JointEndRow>(store, row.other, end.key()).is_none() {
                self.set_list_row(store, end);
            }
        }
    }

    /// Removes a joint.
    pub(crate) fn remove_joint(&mut self, store: &mut Store, row: &JointRow) {
        self.remove_list_row::<JointRow>(store, row.body, row.number);
        self.remove_list_row::<JointEndRow>(store, row.other, row.joint());
    }
}
