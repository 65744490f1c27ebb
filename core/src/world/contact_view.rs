//! Read access to contacts after a step: points in world space, and the impulses that act there.
//!
//! A contact row has the manifold as it was computed, at reference poses; while the contact is recycled or its bodies sleep, that was
//! many ticks ago. Here the manifold is computed again from the poses after the step, so that its points lie on the surfaces. The
//! impulses of the row go to the points that took the place of those at which they act.

use super::frame::{Frame, Place};
use super::manifold::ShapePair;
use super::rows::{
    BodyIndex, BodyKind, ColdRow, ContactRow, HotRow, PairKey, ShapeKey, body_of, shape_key,
};
use super::{BodyId, Pair, Pending, World, real_vector};
use crate::collide::Manifold;
use crate::data::FixedVec;
use crate::math::{Real, Vec3, round_shift, saturate};

/// A point of a contact after the last step.
///
/// ```
/// use isostep_core::world::{BodyDef, World, WorldDef};
/// use isostep_core::{real, shape::Shape, Vec3};
/// let mut world = World::new(WorldDef::default())?;
/// world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
/// let cube = Shape::cuboid(Vec3::splat(real!(0.5)))?;
/// let cube = world.spawn(BodyDef::dynamic().at(Vec3::Y * real!(0.5)).mass(real!(60)).shape(cube))?;
/// for _ in 0..60 {
///     world.step();
/// }
/// // The ground carries 60 kg · 9.81 m/s², for a sixtieth of a second each tick.
/// let contact = world.contacts_of(cube).next().expect("it rests on the ground");
/// let carried = contact.points().map(|point| point.normal_impulse).sum::<isostep_core::Real>();
/// assert!((carried - real!(9.8125)).abs() < real!(0.125), "{carried}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("ManifoldPoint", "TrackedContact"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactPoint {
    /// Position in world space after the step, midway between the two surfaces.
    pub position: Vec3,
    /// Unit normal from the first body to the second, along which the impulse acts. All points of a contact share it. It is that of the
    /// step, and may differ from the normal of the surfaces after it by the angle that the bodies turned since.
    pub normal: Vec3,
    /// Distance of the surfaces after the step, metres; negative for an overlap.
    pub separation: Real,
    /// Normal impulse, N·s: the force at the end of the step over the time of a tick. It pushes the second body along the normal and
    /// the first against it. The sum over the points is that of the contact: impulses of points that no longer exist
    /// are added to the nearest point. The impulse of an impact within the tick is in [`Event::Impact`](super::Event::Impact).
    pub normal_impulse: Real,
    /// Friction impulse on the second body, N·s, likewise; the first body gets the opposite. Friction is computed for the whole
    /// contact; each point has a share in proportion to its normal impulse. It is perpendicular to [`normal`](Self::normal) and at most
    /// the normal impulse times the coefficient of friction, so it is zero at a point without a normal impulse: the solver limits
    /// friction by the normal impulse of an earlier iteration, and what exceeds the limit in the last one is not in this field.
    pub friction_impulse: Vec3,
}

/// A contact between two shapes after the last step.
#[doc(alias("ContactManifold", "ContactPair"))]
#[derive(Clone, Copy, Debug)]
pub struct ContactView<'a> {
    bodies: [BodyId; 2],
    row: &'a ContactRow,
    rows: [&'a HotRow; 2],
    shapes: ShapePair<'a>,
    tick_rate: i32,
    /// Raw kilograms; zero for fixed and kinematic bodies.
    masses: [i64; 2],
    substeps: i64,
}

impl<'a> ContactView<'a> {
    /// Returns the two bodies, lower index first.
    pub const fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }

    /// Returns the two shapes, as events name them.
    pub fn pair(&self) -> Pair {
        Pair { bodies: self.bodies, shapes: self.row.key.shapes().map(ShapeKey::ordinal) }
    }

    /// Returns the unit normal from the first body to the second.
    pub fn normal(&self) -> Vec3 {
        Vec3::from_bits(self.row.normal.map(|c| i64::from(c) << 2))
    }

    /// Returns whether the shapes overlapped or had an impulse in the last step. If not, the contact is speculative.
    pub const fn is_touching(&self) -> bool {
        self.row.touching
    }

    /// Returns the number of contact points, 1 to 4.
    #[doc(hidden)]
    pub fn point_count(&self) -> u32 {
        self.spots().len() as u32
    }

    /// Returns the separation of the deepest point after the step, metres; negative for an overlap.
    pub fn separation(&self) -> Real {
        self.spots().iter().map(|spot| spot.separation).min().unwrap_or_default()
    }

    /// Iterates over the points, at most four. They are computed from the poses after the step, also for bodies at rest: call it once and
    /// keep the points if you need them several times.
    pub fn points(&self) -> impl ExactSizeIterator<Item = ContactPoint> + use<'a> {
        let mut points = FixedVec::<ContactPoint, 4>::new();
        let (spots, normal) = (self.spots(), self.normal());
        let pushed: i64 = spots.iter().map(|spot| spot.impulse).sum();
        let friction = self.friction(pushed);
        for &Spot { position, separation, impulse } in &spots {
            let share = |c: Real| {
                let product = i128::from(c.to_bits()) * i128::from(impulse);
                // Without normal impulses there is no friction.
                Real::from_bits(saturate(product / i128::from(pushed.max(1))))
            };
            let [x, y, z] = friction.map(share);
            let made = ContactPoint {
                position,
                normal,
                separation,
                normal_impulse: self.newton_seconds(impulse),
                friction_impulse: Vec3::new(x, y, z),
            };
            // There are no more spots than this list has room for.
            let _ = points.push(made);
        }
        let count = points.len();
        (0..count).map(move |i| points[i])
    }

    /// Friction impulse of the contact, perpendicular to its normal and within the friction cone of the sum of its normal impulses
    /// (in the solver's units, raw).
    fn friction(&self, pushed: i64) -> [Real; 3] {
        let sum = self.row.friction.map(|c| self.newton_seconds(i64::from(c.to_bits())).to_bits());
        let unit = self.row.normal.map(i128::from);
        // Below 2⁶³ times 2³¹, three times.
        let along: i128 = sum.iter().zip(unit).map(|(c, unit)| i128::from(*c) * unit).sum();
        let along = round_shift(along, 30);
        let across: [i64; 3] = std::array::from_fn(|i| {
            saturate(i128::from(sum[i]) - round_shift(along * unit[i], 30))
        });
        let limit = i128::from(self.newton_seconds(pushed).to_bits())
            * i128::from(self.row.mixed.friction.to_bits());
        let limit = limit.unsigned_abs() >> 30;
        // Three squares of at most 2¹²⁶.
        let square: u128 = across.iter().map(|c| u128::from(c.unsigned_abs()).pow(2)).sum();
        if limit.checked_pow(2).is_none_or(|limit| square <= limit) {
            return across.map(Real::from_bits);
        }
        // Positive, because the square is. Rounded up, so that the quotient stays within the limit.
        let length = square.isqrt() + 1;
        across.map(|c| {
            // The limit is below the length here, so the quotient is below the component.
            let scaled = u128::from(c.unsigned_abs()) * limit / length;
            Real::from_bits(saturate(scaled as i128 * i128::from(c.signum())))
        })
    }

    /// The points at the poses after the step, with the impulses of the step.
    fn spots(&self) -> FixedVec<Spot, 4> {
        let mut carried = FixedVec::<Spot, 4>::new();
        for point in &self.row.points {
            let arm = Vec3::from_bits(point.at);
            let of_first = self.carried(0, arm);
            // Both sides of the point coincided when the manifold was computed.
            let apart = self.carried(1, arm - self.row.reference) - of_first;
            let _ = carried.push(Spot {
                position: of_first + apart * Real::HALF,
                separation: Real::from_bits(point.separation) + self.normal().dot(apart),
                impulse: i64::from(point.impulse.to_bits()),
            });
        }
        // No manifold: the shapes have parted since. Another normal: other faces, with no relation to the impulses.
        let manifold = self.manifold();
        let normal = Vec3::from_bits(manifold.normal.map(|c| i64::from(c) << 2));
        if manifold.points.is_empty() || normal.dot(self.normal()) < Real::ratio(9, 10) {
            return carried;
        }
        let mut spots = FixedVec::<Spot, 4>::new();
        for point in &manifold.points {
            let position = self.rows[0].center + Vec3::from_bits(point.at);
            let separation = Real::from_bits(point.separation);
            let _ = spots.push(Spot { position, separation, impulse: 0 });
        }
        for (old, known) in carried.iter().zip(&self.row.points) {
            let same = manifold.points.iter().position(|point| point.feature == known.feature);
            let distance = |i: &usize| spots[*i].position.distance(old.position);
            let nearest = || (0..spots.len()).min_by_key(distance);
            if let Some(at) = same.or_else(nearest) {
                spots[at].impulse += old.impulse;
            }
        }
        spots
    }

    /// The manifold at the poses after the step.
    fn manifold(&self) -> Manifold {
        let [a, b] = self.rows;
        let motion = real_vector(b.velocity) - real_vector(a.velocity);
        let displacement = motion / Real::from_int(self.tick_rate);
        self.shapes.manifold(b.center - a.center, [a.rotation, b.rotation], displacement)
    }

    /// Position of a point that moved with a body since the manifold was computed; `arm` is from its centre of mass then.
    fn carried(&self, side: usize, arm: Vec3) -> Vec3 {
        let (hot, then) = (self.rows[side], self.row.rotations[side]);
        if hot.rotation == then {
            return hot.center + arm;
        }
        hot.center + hot.rotation.rotate(then.rotate_inverse(arm))
    }

    /// Impulse of a tick whose substeps all have this one, in the solver's units.
    fn newton_seconds(&self, substep: i64) -> Real {
        newton_seconds(substep * self.substeps, self.masses)
    }
}

/// A contact point after the step.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    position: Vec3,
    separation: Real,
    /// In the solver's units, raw.
    impulse: i64,
}

/// Converts an impulse from the solver's units, speeds of the reduced mass (raw Q20), to newton-seconds. Masses are raw
/// kilograms, zero for immovable bodies.
pub(crate) fn newton_seconds(speed: i64, [a, b]: [i64; 2]) -> Real {
    let [a, b] = [a, b].map(i128::from);
    let mass = if a == 0 || b == 0 { a + b } else { a * b / (a + b) };
    // The product is below 2³⁷ times 2⁶³.
    Real::from_bits(saturate(round_shift(i128::from(speed) * mass, 20)))
}

/// The contacts of the step to a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contacts<'a> {
    pub(crate) world: &'a World,
    /// State that has the contacts, at the current tick with its commands.
    pub(crate) frame: &'a Frame,
    /// The state before the commands: these don't move contacts.
    stepped: &'a Frame,
    /// Effects of the commands; `None` for a held tick.
    pub(crate) pending: Option<&'a Pending>,
}

impl<'a> Contacts<'a> {
    /// The contacts of a held tick.
    pub(super) const fn held(world: &'a World, frame: &'a Frame) -> Self {
        Self { world, frame, stepped: frame, pending: None }
    }

    /// The keys of all contacts that commands did not invalidate.
    pub(super) fn keys(self) -> impl Iterator<Item = PairKey> + use<'a> {
        self.rows().map(|row| row.key)
    }

    fn rows(self) -> impl Iterator<Item = &'a ContactRow> + use<'a> {
        let void = move |row: &ContactRow| self.pending.is_some_and(|it| it.is_void(row.key));
        self.all_rows().filter(move |row| !void(row))
    }

    fn all_rows(self) -> impl Iterator<Item = &'a ContactRow> + use<'a> {
        let pages = self.frame.streams.iter().flat_map(|stream| &stream.contacts);
        pages.flat_map(move |page| &self.world.store.contacts.get(*page).rows)
    }

    /// The contacts, in the order of [`World::contacts`].
    pub(crate) fn views(self) -> impl Iterator<Item = ContactView<'a>> + use<'a> {
        self.rows().filter_map(move |row| self.view(row))
    }

    fn view(self, row: &'a ContactRow) -> Option<ContactView<'a>> {
        let Self { world: World { store, def, .. }, stepped, .. } = self;
        let bodies = row.key.shapes().map(body_of);
        let [a, b] = bodies.map(|body| self.frame.id_at(body).map(BodyId));
        // The shapes of the step: commands of this tick that change them void its contacts.
        let [first, second] = row.key.shapes().map(|key| {
            let page = stepped.cold_page(store, body_of(key));
            page.shape(Place::of(body_of(key)).row, key.ordinal())
        });
        let centers = bodies.map(|body| stepped.cold(store, body).local_center);
        let mass = |cold: &ColdRow| {
            if cold.kind == BodyKind::Dynamic { cold.mass.to_bits() } else { 0 }
        };
        Some(ContactView {
            bodies: [a?, b?],
            row,
            // The poses after the step: commands of this tick don't move its contacts.
            rows: bodies.map(|body| stepped.hot(store, body)),
            shapes: ShapePair { shapes: [first?, second?], centers },
            tick_rate: def.tick_rate as i32,
            masses: bodies.map(|body| mass(stepped.cold(store, body))),
            substeps: i64::from(def.substeps),
        })
    }
}

impl World {
    /// The contacts of the last step, as commands of this tick leave them.
    pub(crate) fn contact_table(&self) -> Contacts<'_> {
        let (frame, stepped) = (&self.work, self.base());
        Contacts { world: self, frame, stepped, pending: Some(&self.pending) }
    }

    /// The contacts after the last step, with those that commands invalidated.
    pub(super) fn all_contact_rows(&self) -> impl Iterator<Item = &ContactRow> + '_ {
        self.contact_table().all_rows()
    }

    /// Iterates over the contacts after the last step: pairs of shapes that touched in it, were less than 2 cm apart at its start, or
    /// had paths that meet in it. [`ContactPoint::separation`] is that after the step, so after a tick of fast motion it can be a metre.
    /// [`is_touching`](ContactView::is_touching) is false for pairs that are only close. The order is the same on every machine.
    #[doc(alias("contact_pairs", "narrow_phase"))]
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'_>> + '_ {
        self.contact_table().views()
    }

    /// Iterates over the contacts of a body. Looks at all contacts of the world: for many bodies, go through
    /// [`contacts`](Self::contacts) once.
    #[doc(alias = "contact_pairs_with")]
    pub fn contacts_of(&self, body: BodyId) -> impl Iterator<Item = ContactView<'_>> + '_ {
        let index = body.index();
        let has = move |row: &&ContactRow| row.key.shapes().map(body_of).contains(&index);
        let table = self.contact_table();
        let views = table.rows().filter(has).filter_map(move |row| table.view(row));
        views.filter(move |view| view.bodies.contains(&body))
    }

    /// Returns the contact of an event: [`ContactBegan`](super::Event::ContactBegan),
    /// [`ContactPersisted`](super::Event::ContactPersisted) or [`Impact`](super::Event::Impact). `None` if there is none any more,
    /// because a command of this tick removed or changed one of the shapes.
    #[doc(alias = "contact_pair")]
    pub fn contact(&self, pair: &Pair) -> Option<ContactView<'_>> {
        let [a, b] = [0, 1].map(|i| shape_key(pair.bodies[i].index(), pair.shapes[i]));
        let key = PairKey::new(a.min(b), a.max(b));
        let base = self.base();
        if self.pending.is_void(key) || !pair.bodies.iter().all(|id| base.is_live(id.0)) {
            return None;
        }
        // A contact is in the page of its first dynamic body.
        let dynamic = |body: &BodyIndex| base.cold(&self.store, *body).kind == BodyKind::Dynamic;
        let owner = key.shapes().map(body_of).into_iter().find(dynamic)?;
        let rows = &base.contact_page(&self.store, owner)?.rows;
        let at = rows.binary_search_by_key(&key, |row| row.key).ok()?;
        self.contact_table().view(&rows[at])
    }
}
