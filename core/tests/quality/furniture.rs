//! Furniture, bricks and pencils as in games: when they rest, how fast they still are, how far they drifted and how deep
//! they overlap. Overlaps are found here in floats (separating axes, samples along capsules), by nothing that the engine has.

use super::common::{ground, length, world};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, BodyKind, ShapeDef, World};
use isostep_core::{Quat, Real, Rng, Vec3};
use isostep_scenes::floats::{V, cross, dot, sub};
use isostep_scenes::scenes::rest::{self, RestScene};

/// A box, or a capsule along its second axis.
#[derive(Clone, Copy)]
enum Solid {
    Box(V),
    Capsule { half: f64, radius: f64 },
}

/// A solid where it is: its centre and its axes.
#[derive(Clone, Copy)]
struct Posed {
    solid: Solid,
    center: V,
    axes: [V; 3],
}

impl Posed {
    fn reach(&self, along: V) -> f64 {
        match self.solid {
            Solid::Box(half) => (0..3).map(|i| half[i] * dot(self.axes[i], along).abs()).sum(),
            Solid::Capsule { half, radius } => half * dot(self.axes[1], along).abs() + radius,
        }
    }

    /// Points along the core of a capsule.
    fn core(&self) -> impl Iterator<Item = V> + '_ {
        let Solid::Capsule { half, .. } = self.solid else { panic!("a box has no core") };
        (-32..=32).map(move |i| {
            let along = half * f64::from(i) / 32.0;
            [0, 1, 2].map(|k| self.center[k] + along * self.axes[1][k])
        })
    }

    /// Distance of a point from a box, negative inside.
    fn distance(&self, point: V) -> f64 {
        let Solid::Box(half) = self.solid else { panic!("only boxes") };
        let off = sub(point, self.center);
        let beyond = [0, 1, 2].map(|i: usize| dot(off, self.axes[i]).abs() - half[i]);
        let outside = beyond.map(|c| c.max(0.0));
        dot(outside, outside).sqrt() + beyond.into_iter().fold(f64::MIN, f64::max).min(0.0)
    }
}

/// Depth by which two solids overlap; negative or zero if they don't.
fn depth(a: &Posed, b: &Posed) -> f64 {
    match (a.solid, b.solid) {
        (Solid::Box(_), Solid::Box(_)) => {
            let mut directions: Vec<V> = a.axes.into_iter().chain(b.axes).collect();
            for first in a.axes {
                directions.extend(b.axes.map(|second| cross(first, second)));
            }
            let overlap = |axis: V| {
                let size = dot(axis, axis).sqrt();
                let axis = axis.map(|c| c / size);
                let apart = dot(sub(b.center, a.center), axis).abs();
                (size > 1e-6).then(|| a.reach(axis) + b.reach(axis) - apart)
            };
            directions.into_iter().filter_map(overlap).fold(f64::MAX, f64::min)
        }
        (Solid::Box(_), Solid::Capsule { radius, .. }) => {
            b.core().map(|point| radius - a.distance(point)).fold(f64::MIN, f64::max)
        }
        (Solid::Capsule { .. }, Solid::Box(_)) => depth(b, a),
        (Solid::Capsule { radius: first, .. }, Solid::Capsule { radius: second, .. }) => {
            let mut least = f64::MAX;
            for p in a.core() {
                for q in b.core() {
                    least = least.min(dot(sub(p, q), sub(p, q)));
                }
            }
            first + second - least.sqrt()
        }
    }
}

/// A part of an object: a solid and where its middle is.
type Part = (Solid, V);

fn real(c: f64) -> Real {
    Real::from_f64(c).unwrap()
}

fn vector(v: V) -> Vec3 {
    let [x, y, z] = v.map(real);
    Vec3::new(x, y, z)
}

/// A world with its objects and their parts.
struct Room {
    world: World,
    objects: Vec<(BodyId, Vec<Part>)>,
}

impl Room {
    fn new() -> Self {
        let mut world = world();
        let id = world.spawn(ground()).unwrap();
        Self { world, objects: vec![(id, vec![(Solid::Box([100.0, 1.0, 100.0]), [0.0; 3])])] }
    }

    /// A scene that `isostep bench` measures beside other engines.
    fn of(scene: &str) -> Self {
        let mut room = Self::new();
        // The first is the ground.
        for piece in &RestScene::by_name(scene).unwrap().pieces()[1..] {
            let solid = match piece.solid {
                rest::Solid::Cuboid(half) => Solid::Box(half.to_array().map(Real::to_f64)),
                other => panic!("only boxes, not {other:?}"),
            };
            let kind = if piece.fixed { BodyDef::fixed() } else { BodyDef::dynamic() };
            room.put(kind.at(piece.place).rotated(piece.rotation), &[(solid, [0.0; 3])]);
        }
        room
    }

    fn put(&mut self, body: BodyDef, parts: &[Part]) -> BodyId {
        let body = parts.iter().fold(body, |body, &(solid, at)| {
            let shape = match solid {
                Solid::Box(half) => Shape::cuboid(vector(half)),
                Solid::Capsule { half: 0.0, radius } => Shape::sphere(real(radius)),
                Solid::Capsule { half, radius } => Shape::capsule(real(half), real(radius)),
            };
            body.shape(ShapeDef::from(shape.unwrap()).at(vector(at)))
        });
        let id = self.world.spawn(body).unwrap();
        self.objects.push((id, parts.to_vec()));
        id
    }

    fn put_at(&mut self, place: V, parts: &[Part]) -> BodyId {
        self.put(BodyDef::dynamic().at(vector(place)), parts)
    }

    fn put_box(&mut self, place: V, half: V) -> BodyId {
        self.put_at(place, &[(Solid::Box(half), [0.0; 3])])
    }

    /// The deepest overlap of any two objects.
    fn deepest(&self) -> f64 {
        let floats = |v: Vec3| v.to_array().map(Real::to_f64);
        let posed: Vec<Vec<Posed>> = self
            .objects
            .iter()
            .map(|(id, parts)| {
                let body = self.world.body(*id).unwrap();
                let turn = body.rotation();
                let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| floats(turn.rotate(axis)));
                let center = |at: V| floats(body.position() + turn.rotate(vector(at)));
                parts.iter().map(|&(solid, at)| Posed { solid, center: center(at), axes }).collect()
            })
            .collect();
        let mut deepest = 0.0f64;
        for (i, first) in posed.iter().enumerate() {
            for second in &posed[i + 1..] {
                for a in first {
                    for b in second {
                        deepest = deepest.max(depth(a, b));
                    }
                }
            }
        }
        deepest
    }

    /// Steps until all sleep; within `ticks`, without anything having moved by more than `drift` metres, and with no overlap deeper than
    /// `overlap` metres.
    #[track_caller]
    fn assert_rests(mut self, what: &str, ticks: u32, drift: f64, overlap: f64) {
        let place = |world: &World, id: BodyId| world.body(id).unwrap().position();
        let ids: Vec<_> = self.objects.iter().map(|(id, _)| *id).collect();
        let start: Vec<_> = ids.iter().map(|id| place(&self.world, *id)).collect();
        let slept = (1..=ticks).find(|_| {
            self.world.step();
            let mut bodies = self.world.bodies().filter(|(_, b)| b.kind() == BodyKind::Dynamic);
            bodies.all(|(_, body)| body.is_asleep())
        });
        let speed = ids.iter().map(|id| length(self.world.body(*id).unwrap().velocity()));
        let speed = speed.fold(0.0, f64::max);
        let moved = ids.iter().zip(start).map(|(id, from)| length(place(&self.world, *id) - from));
        let (moved, deep) = (moved.fold(0.0, f64::max), self.deepest());
        println!("{what}: asleep {slept:?}, {speed:.4} m/s, moved {moved:.4} m, {deep:.4} m deep");
        assert!(slept.is_some(), "{what}: {speed} m/s after {ticks} ticks");
        assert!(moved <= drift, "{what}: moved by {moved} m");
        assert!(deep <= overlap, "{what}: {deep} m deep");
    }
}

#[test]
fn a_table_and_chairs_stand() {
    let mut room = Room::new();
    let legs = |x: f64, z: f64, half: f64| {
        [[x, z], [-x, z], [x, -z], [-x, -z]]
            .map(|[x, z]| (Solid::Box([0.03, half, 0.03]), [x, 0.0, z]))
    };
    let mut table = legs(0.75, 0.4, 0.36).to_vec();
    table.push((Solid::Box([0.8, 0.02, 0.45]), [0.0, 0.38, 0.0]));
    room.put_at([0.0, 0.361, 0.0], &table);
    for x in [-1.2, 1.2] {
        let mut chair = legs(0.2, 0.2, 0.22).to_vec();
        chair.push((Solid::Box([0.23, 0.02, 0.23]), [0.0, 0.24, 0.0]));
        chair.push((
            Solid::Box([0.02, 0.25, 0.23]),
            [if x < 0.0 { -0.21 } else { 0.21 }, 0.51, 0.0],
        ));
        room.put_at([x, 0.221, 0.0], &chair);
    }
    for (x, z) in [(-0.5, 0.2), (0.1, -0.1), (0.6, 0.3)] {
        room.put_box([x, 0.81, z], [0.04, 0.05, 0.04]);
    }
    room.assert_rests("table", 120, 0.01, 0.002);
}

#[test]
fn a_ladder_leans() {
    let mut room = Room::new();
    room.put(
        BodyDef::fixed().at(vector([-0.5, 3.0, 0.0])),
        &[(Solid::Box([0.5, 3.0, 2.0]), [0.0; 3])],
    );
    let mut ladder: Vec<Part> =
        [-0.2, 0.2].map(|z| (Solid::Box([0.03, 2.0, 0.03]), [0.0, 0.0, z])).to_vec();
    ladder.extend(
        (-5..=5).map(|i| (Solid::Box([0.02, 0.02, 0.17]), [0.0, 0.35 * f64::from(i), 0.0])),
    );
    // Less than 15° from upright: friction holds it.
    let angle: f64 = 0.25;
    let place = [2.0 * angle.sin() + 0.04, 2.0 * angle.cos() + 0.01, 0.0];
    let turn = Quat::from_rotation_vector(Vec3::Z * real(angle));
    room.put(BodyDef::dynamic().at(vector(place)).rotated(turn), &ladder);
    room.assert_rests("ladder", 400, 0.1, 0.003);
}

#[test]
fn a_bookshelf_with_books_stands() {
    let mut room = Room::new();
    let mut shelf: Vec<Part> =
        [-0.5, 0.5].map(|x| (Solid::Box([0.015, 0.9, 0.15]), [x, 0.0, 0.0])).to_vec();
    shelf.extend(
        [-0.885, -0.3, 0.3, 0.885].map(|y| (Solid::Box([0.485, 0.015, 0.15]), [0.0, y, 0.0])),
    );
    room.put_at([0.0, 0.901, 0.0], &shelf);
    let mut rng = Rng::new(4);
    for y in [-0.87, -0.285, 0.315] {
        let mut x = -0.48;
        while x < 0.4 {
            let mut some = |from: i32, to: i32| {
                rng.between(Real::from_int(from), Real::from_int(to)).unwrap().to_f64() / 1000.0
            };
            let half = [some(10, 25), some(90, 130), some(60, 90)];
            room.put_box([x + half[0], 0.902 + y + half[1], 0.0], half);
            x += 2.0 * half[0] + 0.001;
        }
    }
    room.assert_rests("bookshelf", 600, 0.2, 0.004);
}

#[test]
fn bricks_on_a_pallet_stay() {
    let mut room = Room::new();
    let mut pallet: Vec<Part> = Vec::new();
    pallet.extend([-0.55, 0.0, 0.55].map(|z| (Solid::Box([0.4, 0.05, 0.05]), [0.0, -0.012, z])));
    pallet.extend(
        (-2..=2).map(|i| (Solid::Box([0.06, 0.012, 0.6]), [0.17 * f64::from(i), 0.05, 0.0])),
    );
    room.put_at([0.0, 0.063, 0.0], &pallet);
    for layer in 0..8 {
        for i in 0..3 {
            for j in 0..4 {
                let turned = layer % 2 == 1;
                let [u, v] = [f64::from(i) - 1.0, f64::from(j) - 1.5];
                // Every other layer is turned, so that joints are covered.
                let place = if turned { [v * 0.2, u * 0.26] } else { [u * 0.26, v * 0.2] };
                let half = if turned { [0.095, 0.04, 0.125] } else { [0.125, 0.04, 0.095] };
                room.put_box([place[0], 0.166 + 0.0805 * f64::from(layer), place[1]], half);
            }
        }
    }
    room.assert_rests("pallet", 300, 0.02, 0.004);
}

#[test]
fn a_jenga_tower_stands() {
    let room = Room::of("jenga");
    // Sag does not depend on size: the top sinks by two thirds of a block, since the tower sleeps before preloads have lifted it.
    room.assert_rests("jenga", 120, 0.012, 0.003);
}

#[test]
fn a_house_of_cards_stands() {
    Room::of("cards").assert_rests("cards", 72, 0.002, 0.001);
}

/// Boxes of 24 × 24 × 2 mm. Sag does not depend on size, so they sink by more than half a coin; Rapier 0.36 by 1.9 mm, and its stack by 31 mm.
#[test]
fn coins_come_to_rest() {
    Room::of("coin-stack").assert_rests("stack of coins", 108, 0.029, 0.0018);
    Room::of("coins").assert_rests("pile of coins", 200, 0.2, 0.0019);
}

#[test]
fn a_seesaw_comes_to_rest() {
    let mut room = Room::new();
    let post = BodyDef::fixed().at(vector([0.0, 0.2, 0.0]));
    room.put(post, &[(Solid::Box([0.05, 0.2, 0.3]), [0.0; 3])]);
    room.put_box([0.0, 0.426, 0.0], [1.5, 0.025, 0.2]);
    room.put_box([-1.3, 0.6, 0.0], [0.12, 0.12, 0.12]);
    room.put_box([1.0, 0.56, 0.0], [0.1, 0.1, 0.1]);
    room.assert_rests("see-saw", 900, 1.0, 0.005);
}

#[test]
fn a_heap_of_pencils_comes_to_rest() {
    let mut room = Room::new();
    // A tray, since round pencils roll where it is flat.
    for (place, half) in [
        ([0.15, 0.02, 0.0], [0.01, 0.02, 0.16]),
        ([-0.15, 0.02, 0.0], [0.01, 0.02, 0.16]),
        ([0.0, 0.02, 0.15], [0.14, 0.02, 0.01]),
        ([0.0, 0.02, -0.15], [0.14, 0.02, 0.01]),
    ] {
        room.put(BodyDef::fixed().at(vector(place)), &[(Solid::Box(half), [0.0; 3])]);
    }
    let mut rng = Rng::new(2);
    for i in 0..16 {
        let mut some = |size: f64| rng.between(real(-size), real(size)).unwrap();
        let flat = Quat::from_rotation_vector(Vec3::Z * (Real::PI * Real::HALF));
        let turn = Quat::from_rotation_vector(Vec3::Y * some(3.0)) * flat;
        let place = Vec3::new(some(0.02), real(0.02 + 0.015 * f64::from(i)), some(0.02));
        let body = BodyDef::dynamic().at(place).rotated(turn);
        room.put(body, &[(Solid::Capsule { half: 0.085, radius: 0.004 }, [0.0; 3])]);
    }
    room.assert_rests("pencils", 3000, 0.5, 0.004);
}

/// Ten pins stand until the ball hits them; then some have fallen, and nothing overlaps.
#[test]
fn pins_stand_until_they_are_hit() {
    let mut room = Room::new();
    let mut pins = Vec::new();
    for row in 0..4 {
        for i in 0..=row {
            let z = 0.3 * (f64::from(i) - 0.5 * f64::from(row));
            pins.push(room.put_box([0.26 * f64::from(row), 0.191, z], [0.04, 0.19, 0.04]));
        }
    }
    for _ in 0..60 {
        room.world.step();
    }
    assert!(pins.iter().all(|pin| room.world.body(*pin).unwrap().is_asleep()), "pins sleep");
    let ball = BodyDef::dynamic().at(vector([-3.0, 0.109, 0.02])).velocity(vector([7.0, 0.0, 0.0]));
    let ball = ball.angular_velocity(vector([0.0, 0.0, -7.0 / 0.108]));
    let ball = room.put(ball, &[(Solid::Capsule { half: 0.0, radius: 0.108 }, [0.0; 3])]);
    let mut farthest = 0.0f64;
    for _ in 0..240 {
        room.world.step();
        farthest = farthest.max(room.world.body(ball).unwrap().position().x.to_f64());
    }
    let upright = |pin: &&BodyId| room.world.body(**pin).unwrap().position().y > real(0.18);
    let standing = pins.iter().filter(upright).count();
    // Where the ball ends is chance: on lines 3 mm apart it comes to rest between -1 and 6 m.
    let deep = room.deepest();
    println!("bowling: {standing} stand, {deep:.4} m deep, ball as far as {farthest:.2} m");
    let hit = standing <= 6 && farthest > 0.5;
    assert!(hit && deep < 0.005, "{standing} stand, {deep} m deep, ball as far as {farthest} m");
}
