//! Who moves with whom: the islands of the last step, as its contacts show them.

use super::rows::{BodyKind, body_of};
use super::{BodyId, World};
use crate::data::UnionFind;

/// The islands of a world after a step: dynamic bodies that are joined by contacts, directly or through others. What a
/// body does in a step depends on its island and on the static and kinematic bodies that this touches, and on nothing
/// else.
///
/// Made by [`World::islands`], which looks at every body and contact: for debugging and for rare questions.
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
    /// For each of them the place of the least member of its island; `None` if it is not dynamic.
    labels: Vec<Option<u32>>,
    /// Dynamic bodies by island, then by id.
    members: Vec<BodyId>,
    /// For each island the least member, and where its members start; ascending.
    starts: Vec<(BodyId, usize)>,
    /// Touching pairs, by place, each from both sides; sorted.
    edges: Vec<(u32, u32)>,
}

impl Islands {
    /// The island of a dynamic body, named after its least member; `None` for others.
    pub fn of(&self, body: BodyId) -> Option<BodyId> {
        self.labels[self.place(body)?].map(|label| self.bodies[label as usize])
    }

    /// The bodies of an island in the order of their ids; none if no island has this name.
    pub fn members(&self, island: BodyId) -> &[BodyId] {
        let Ok(at) = self.starts.binary_search_by_key(&island, |start| start.0) else {
            return &[];
        };
        let end = self.starts.get(at + 1).map_or(self.members.len(), |start| start.1);
        &self.members[self.starts[at].1..end]
    }

    /// All islands: name and members, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &[BodyId])> + '_ {
        self.starts.iter().map(|(island, _)| (*island, self.members(*island)))
    }

    /// What touches a body, or is within 2 cm of it, in the order of ids.
    pub fn neighbours(&self, body: BodyId) -> impl Iterator<Item = BodyId> + '_ {
        let place = self.place(body).map_or(u32::MAX, |place| place as u32);
        let start = self.edges.partition_point(|edge| edge.0 < place);
        let edges = self.edges[start..].iter().take_while(move |edge| edge.0 == place);
        edges.map(|edge| self.bodies[edge.1 as usize])
    }

    /// Everything that a dynamic body's next state depends on: its island, and the static and kinematic bodies that
    /// this touches. Of another body itself and its neighbours, of one that is gone nothing. In the order of ids.
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

    /// How many islands there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether no body is dynamic.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    fn place(&self, body: BodyId) -> Option<usize> {
        // Ids of one index differ by generation only, so the order of indices is that of ids.
        let place = self.bodies.binary_search_by_key(&body.0.index(), |id| id.0.index()).ok()?;
        (self.bodies[place] == body).then_some(place)
    }
}

impl World {
    /// The dynamic bodies that the last step computed, each with the least of its island: all that are awake, or after a
    /// [`rewind`](Self::rewind) those that might come out otherwise than before. By island, then by id. For tools that show
    /// what a step cost; it looks at nothing else.
    ///
    /// ```
    /// use isostep_core::{real, shape::Shape, world::{BodyDef, World, WorldDef}, Vec3};
    /// let mut world = World::new(WorldDef::default())?;
    /// let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?);
    /// let (left, right) = (world.spawn(ball.clone())?, world.spawn(ball.at(Vec3::X * 9))?);
    /// world.commit();
    /// world.step();
    /// assert!(world.computed().eq([(left, left), (right, right)]));
    /// world.rewind(0)?;
    /// world.set_velocity(right, Vec3::X)?;
    /// world.step();
    /// assert!(world.computed().eq([(right, right)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn computed(&self) -> impl Iterator<Item = (BodyId, BodyId)> + '_ {
        let id = |index| self.work.id_at(index).map(BodyId);
        self.scratch.computed().filter_map(move |(body, label)| Some((id(body)?, id(label)?)))
    }

    /// The islands of the last step.
    pub fn islands(&self) -> Islands {
        let bodies: Vec<_> = self.bodies().map(|(id, _)| id).collect();
        let dynamic: Vec<_> =
            self.bodies().map(|(_, body)| body.kind() == BodyKind::Dynamic).collect();
        let place = |index: u32| bodies.binary_search_by_key(&index, |id| id.0.index());
        let mut groups = UnionFind::new();
        groups.reset(bodies.len() as u32);
        let mut edges = Vec::new();
        for key in self.contact_keys() {
            let [Ok(a), Ok(b)] = key.shapes().map(|shape| place(body_of(shape))) else { continue };
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
