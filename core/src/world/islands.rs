//! Islands after a step, as its contacts define them.

use super::rows::{BodyIndex, BodyKind, body_of};
use super::{BodyId, Contacts, World};
use crate::data::UnionFind;

/// The islands of a world after a step: sets of dynamic bodies connected by contacts. The next state of a body depends on its
/// island and on the fixed and kinematic bodies in contact with it, and on nothing else.
///
/// Created by [`World::islands`], which visits every body and contact: for debugging and infrequent use.
///
/// ```
/// use isostep_core::{real, shape::Shape, world::{BodyDef, World, WorldDef}, Real, Vec3};
/// let mut world = World::new(WorldDef::default())?;
/// let ground = world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
/// let brick = Shape::cuboid(Vec3::splat(Real::HALF))?;
/// let mut put = |x: i32, y: Real| {
///     world.spawn(BodyDef::dynamic().at(Vec3::new(Real::from_int(x), y, Real::ZERO)).shape(brick))
/// };
/// let (lower, upper, alone) = (put(0, real!(0.5))?, put(0, real!(1.5))?, put(9, real!(0.5))?);
/// world.step();
/// let islands = world.islands();
/// assert_eq!(islands.of(upper), Some(lower));
/// assert_eq!(islands.members(lower), [lower, upper]);
/// assert_eq!(islands.reach(alone), [ground, alone]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Islands {
    /// All bodies in the order of ids.
    bodies: Vec<BodyId>,
    /// For each body, the position of the least member of its island; `None` if it is not dynamic.
    labels: Vec<Option<u32>>,
    /// Dynamic bodies by island, then by id.
    members: Vec<BodyId>,
    /// For each island, its least member and the position of its first member; ascending.
    starts: Vec<(BodyId, usize)>,
    /// Pairs in contact or with a joint, by position, in both directions; sorted.
    edges: Vec<(u32, u32)>,
}

impl Islands {
    /// Returns the island of a dynamic body, named after its least member; `None` for other bodies.
    pub fn of(&self, body: BodyId) -> Option<BodyId> {
        self.labels[self.place(body)?].map(|label| self.bodies[label as usize])
    }

    /// Returns the bodies of an island in the order of their ids; empty if the island does not exist.
    pub fn members(&self, island: BodyId) -> &[BodyId] {
        let Ok(at) = self.starts.binary_search_by_key(&island, |start| start.0) else {
            return &[];
        };
        let end = self.starts.get(at + 1).map_or(self.members.len(), |start| start.1);
        &self.members[self.starts[at].1..end]
    }

    /// Iterates over all islands: name and members, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &[BodyId])> + '_ {
        self.starts.iter().map(|(island, _)| (*island, self.members(*island)))
    }

    /// Iterates over the bodies that touch a body or are less than 2 cm away, or that a joint connects to it, in the order of ids.
    pub fn neighbours(&self, body: BodyId) -> impl Iterator<Item = BodyId> + '_ {
        let place = self.place(body).map(|place| place as u32);
        let edges = place.into_iter().flat_map(|place| {
            let start = self.edges.partition_point(|edge| edge.0 < place);
            self.edges[start..].iter().take_while(move |edge| edge.0 == place)
        });
        edges.map(|edge| self.bodies[edge.1 as usize])
    }

    /// Returns all bodies that a dynamic body's next state depends on: its island, and the fixed and kinematic bodies in contact
    /// with it. For other bodies, the body and its neighbours; for a stale id, nothing. In the order of ids.
    pub fn reach(&self, body: BodyId) -> Vec<BodyId> {
        if self.place(body).is_none() {
            return Vec::new();
        }
        let from = self.of(body).map_or(core::slice::from_ref(&body), |label| self.members(label));
        let mut reach: Vec<_> = from.to_vec();
        reach.extend(from.iter().flat_map(|member| self.neighbours(*member)));
        reach.sort();
        reach.dedup();
        reach
    }

    /// Returns the number of islands.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there are no islands.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    fn place(&self, body: BodyId) -> Option<usize> {
        // Live ids have distinct indices, so their order is the order of indices.
        let place = self.bodies.binary_search_by_key(&body.index(), |id| id.index()).ok()?;
        (self.bodies[place] == body).then_some(place)
    }
}

impl World {
    /// Iterates over the dynamic bodies that the last step simulated, each with the least member of its island: all awake bodies, or
    /// after a [`rewind`](Self::rewind) those that may differ from before. By island, then by id. For tools that show the cost of
    /// a step; it visits no other body.
    ///
    /// ```
    /// use isostep_core::{real, shape::Shape, world::{BodyDef, World, WorldDef}, Tick, Vec3};
    /// let mut world = World::new(WorldDef::default())?;
    /// let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?);
    /// let (left, right) = (world.spawn(ball.clone())?, world.spawn(ball.at(Vec3::X * 9))?);
    /// world.commit();
    /// world.step();
    /// assert!(world.computed().eq([(left, left), (right, right)]));
    /// world.rewind(Tick(0))?;
    /// world.set_velocity(right, Vec3::X)?;
    /// world.step();
    /// assert!(world.computed().eq([(right, right)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(hidden)]
    pub fn computed(&self) -> impl Iterator<Item = (BodyId, BodyId)> + '_ {
        let id = |index| self.work.id_at(index).map(BodyId);
        self.scratch
            .computed()
            .filter_map(move |(body, label)| Some((id(body)?, id(label.body())?)))
    }

    /// Computes the islands of the last step.
    #[doc(hidden)]
    pub fn islands(&self) -> Islands {
        self.contact_table().islands()
    }
}

impl Contacts<'_> {
    /// Computes the islands of the tick.
    pub(crate) fn islands(self) -> Islands {
        let Self { world, frame, .. } = self;
        let ids = frame.streams.iter().flat_map(|stream| stream.ids.iter());
        let bodies: Vec<_> = ids.map(BodyId).collect();
        let kind = |id: &BodyId| frame.cold(&world.store, id.index()).kind;
        let dynamic: Vec<_> = bodies.iter().map(|id| kind(id) == BodyKind::Dynamic).collect();
        let place = |index: BodyIndex| bodies.binary_search_by_key(&index, |id| id.index());
        let mut groups = UnionFind::new();
        groups.reset(bodies.len() as u32);
        let mut edges = Vec::new();
        let contacts = self.keys().map(|key| key.shapes().map(body_of));
        for pair in contacts.chain(frame.joint_edges(&world.store)) {
            let [Ok(a), Ok(b)] = pair.map(place) else { continue };
            edges.extend([(a as u32, b as u32), (b as u32, a as u32)]);
            if dynamic[a] && dynamic[b] {
                groups.union(a as u32, b as u32);
            }
        }
        edges.sort();
        edges.dedup();
        let labels: Vec<_> =
            (0..bodies.len()).map(|at| dynamic[at].then(|| groups.find(at as u32))).collect();
        let mut order: Vec<_> = labels
            .iter()
            .zip(&bodies)
            .filter_map(|(label, id)| Some((label.as_ref()?, *id)))
            .collect();
        order.sort();
        let mut starts: Vec<(BodyId, usize)> = Vec::new();
        for (at, (label, _)) in order.iter().enumerate() {
            let name = bodies[**label as usize];
            if starts.last().is_none_or(|last| last.0 != name) {
                starts.push((name, at));
            }
        }
        let members = order.into_iter().map(|(_, id)| id).collect();
        Islands { bodies, labels, members, starts, edges }
    }
}
