//! Scenes that must come to rest, as lists of solids: `isostep bench` measures them beside other engines, and tests of the core use them.

use super::Scene;
use super::parts::{empty, put};
use isostep_core::shape::Shape;
use isostep_core::world::BodyDef;
use isostep_core::{Quat, Real, Rng, Vec3, real};

/// A body of one shape, with the default material and density 1000 kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// True if it never moves.
    pub fixed: bool,
    /// Its centre, metres.
    pub place: Vec3,
    /// Its rotation.
    pub rotation: Quat,
    /// Its shape.
    pub solid: Solid,
}

/// Shape of a [`Piece`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solid {
    /// Radius.
    Ball(Real),
    /// Half extents.
    Cuboid(Vec3),
    /// Half length of the straight part along y, and radius.
    Capsule(Real, Real),
}

/// A scene that must come to rest.
#[derive(Clone, Copy, Debug)]
pub struct RestScene {
    /// Key, as in `rest/rod`.
    pub name: &'static str,
    /// Name for readers.
    pub title: &'static str,
    /// True if the bodies should stay where they are placed; else they are dropped.
    pub keeps_place: bool,
    build: fn() -> Vec<Piece>,
}

impl RestScene {
    /// Scene by name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        REST_SCENES.iter().find(|scene| scene.name == name)
    }

    /// Its bodies. The first is the ground: a box of 200 m, its top at height 0.
    pub fn pieces(&self) -> Vec<Piece> {
        let ground = cuboid(Vec3::from_ints(0, -1, 0), [real!(200), real!(2), real!(200)]);
        let mut pieces = vec![Piece { fixed: true, ..ground }];
        pieces.extend((self.build)());
        pieces
    }

    /// A default world with these bodies, without a script.
    pub fn scene(&self) -> Scene {
        let mut world = empty();
        for piece in self.pieces() {
            put(&mut world, piece.body());
        }
        Scene::new(world)
    }
}

/// All of them.
pub const REST_SCENES: [RestScene; 13] = [
    RestScene { name: "rod", title: "rod 1:50 on two supports", keeps_place: true, build: rod },
    RestScene { name: "cabin", title: "log cabin of 4 rods 1:20", keeps_place: true, build: cabin },
    RestScene { name: "planks", title: "12 planks dropped", keeps_place: false, build: planks },
    RestScene { name: "rods", title: "40 rods of 3 m dropped", keeps_place: false, build: rods },
    RestScene { name: "stack", title: "stack of 20", keeps_place: true, build: stack },
    RestScene {
        name: "column",
        title: "26 boxes dropped with gaps of 3 cm",
        keeps_place: false,
        build: column,
    },
    RestScene {
        name: "square-pyramid",
        title: "square pyramid of 15 storeys",
        keeps_place: true,
        build: square_pyramid,
    },
    RestScene { name: "jenga", title: "Jenga tower", keeps_place: true, build: jenga },
    RestScene { name: "cards", title: "house of 7 cards", keeps_place: true, build: cards },
    RestScene {
        name: "coin-stack",
        title: "stack of 20 coins",
        keeps_place: true,
        build: coin_stack,
    },
    RestScene { name: "coins", title: "20 coins dropped", keeps_place: false, build: coins },
    RestScene { name: "pile", title: "200 mixed bodies in a bin", keeps_place: false, build: pile },
    RestScene {
        name: "overlaps",
        title: "boxes that start 0.5 m inside each other",
        keeps_place: false,
        build: overlaps,
    },
];

impl Piece {
    fn at(place: Vec3, solid: Solid) -> Self {
        Self { fixed: false, place, rotation: Quat::IDENTITY, solid }
    }

    /// Definition of the body.
    pub fn body(&self) -> BodyDef {
        let shape = match self.solid {
            Solid::Ball(radius) => Shape::sphere(radius),
            Solid::Cuboid(half) => Shape::cuboid(half),
            Solid::Capsule(half, radius) => Shape::capsule(half, radius),
        };
        let body = if self.fixed { BodyDef::fixed() } else { BodyDef::dynamic() };
        body.at(self.place).rotated(self.rotation).shape(shape.expect("sizes within the limits"))
    }
}

/// A box by its edges.
fn cuboid(place: Vec3, [x, y, z]: [Real; 3]) -> Piece {
    Piece::at(place, Solid::Cuboid(Vec3::new(x, y, z) * Real::HALF))
}

fn millimetres(count: i32) -> Real {
    Real::ratio(count, 1000)
}

fn rod() -> Vec<Piece> {
    let support = |x: Real| {
        let post = [real!(0.25), real!(0.5), real!(0.5)];
        Piece { fixed: true, ..cuboid(Vec3::new(x, real!(0.25), Real::ZERO), post) }
    };
    let thin = millimetres(40);
    let rod = cuboid(Vec3::Y * millimetres(520), [real!(2), thin, thin]);
    vec![support(real!(-0.75)), support(real!(0.75)), rod]
}

fn cabin() -> Vec<Piece> {
    let (long, thin) = (real!(2), millimetres(100));
    let side = millimetres(700);
    let [low, high] = [thin * Real::HALF, thin * Real::HALF + thin];
    let along = |z: Real| cuboid(Vec3::new(Real::ZERO, low, z), [long, thin, thin]);
    let across = |x: Real| cuboid(Vec3::new(x, high, Real::ZERO), [thin, thin, long]);
    vec![along(-side), along(side), across(-side), across(side)]
}

/// Flat boxes dropped crosswise, the next one `step` higher, within `spread` of the middle.
fn heap(count: i32, edges: [Real; 3], step: Real, spread: Real) -> Vec<Piece> {
    let mut rng = Rng::new(0);
    let one = |i: i32| {
        let mut some = |size: Real| rng.between(-size, size).expect("not empty");
        let place = Vec3::new(some(spread), step * (i + 1), some(spread));
        let turn = Quat::from_rotation_vector(Vec3::Y * some(real!(3)));
        let tilt = Quat::from_rotation_vector(Vec3::X * some(Real::ratio(1, 10)));
        Piece { rotation: turn * tilt, ..cuboid(place, edges) }
    };
    (0..count).map(one).collect()
}

fn planks() -> Vec<Piece> {
    heap(12, [real!(2), millimetres(60), millimetres(300)], real!(0.25), real!(0.25))
}

fn rods() -> Vec<Piece> {
    heap(40, [real!(3), millimetres(80), millimetres(80)], real!(0.25), real!(0.25))
}

fn stack() -> Vec<Piece> {
    (0..20).map(|i| cuboid(Vec3::Y * (Real::HALF + i), [Real::ONE; 3])).collect()
}

fn column() -> Vec<Piece> {
    let gap = millimetres(30);
    let place = |i: i32| Vec3::Y * (Real::HALF + gap + (Real::ONE + gap) * i);
    (0..26).map(|i| cuboid(place(i), [Real::ONE; 3])).collect()
}

/// Cubes of 2 m, each on four.
fn square_pyramid() -> Vec<Piece> {
    let height = 15;
    let mut pieces = Vec::new();
    for i in 0..height {
        let odd = Real::from_int(i & 1);
        let row = i / 2..height - (i + 1) / 2;
        for (j, k) in row.clone().flat_map(|j| row.clone().map(move |k| (j, k))) {
            let [x, z] = [j, k].map(|n| Real::from_int(2 * n - height) + odd);
            pieces.push(cuboid(Vec3::new(x, Real::from_int(2 * i + 1), z), [real!(2); 3]));
        }
    }
    pieces
}

/// 18 layers of three blocks of 75 × 25 × 15 mm, some pulled out.
fn jenga() -> Vec<Piece> {
    let blocks = (0..18).flat_map(|layer: i32| (-1..=1).map(move |i: i32| (layer, i)));
    let left = blocks.filter(|&(layer, i)| !(layer % 5 == 2 && i != 0 || layer % 5 == 4 && i == 0));
    let one = |(layer, i): (i32, i32)| {
        let (off, y) = (Real::ratio(255 * i, 10_000), Real::ratio(76 + 151 * layer, 10_000));
        let [long, thick, wide] = [75, 15, 25].map(millimetres);
        if layer % 2 == 0 {
            cuboid(Vec3::new(Real::ZERO, y, off), [long, thick, wide])
        } else {
            cuboid(Vec3::new(off, y, Real::ZERO), [wide, thick, long])
        }
    };
    left.map(one).collect()
}

/// Two pairs of leaning cards of 88 × 63 × 2 mm, 0.3 rad from upright, a lying card on them, and a pair on top.
fn cards() -> Vec<Piece> {
    let [long, wide, thick] = [88, 63, 2].map(millimetres);
    let lean = |side: i32| Quat::from_rotation_vector(Vec3::Z * (Real::ratio(3, 10) * side));
    let (edge, face) = (lean(1).rotate(Vec3::Y * long), lean(1).rotate(Vec3::X * thick));
    let height = edge.y + face.y;
    // Distance of a card's centre from the middle of its pair, with the inner upper edges touching.
    let half = (face.x - edge.x) * Real::HALF;
    let pair = |x: Real, base: Real| {
        [-1, 1].map(|side| {
            let place = Vec3::new(x + half * side, base + height * Real::HALF, Real::ZERO);
            Piece { rotation: lean(side), ..cuboid(place, [thick, long, wide]) }
        })
    };
    let side = half * 2 + millimetres(1);
    let mut pieces = [pair(-side, Real::ZERO), pair(side, Real::ZERO)].concat();
    pieces.push(cuboid(Vec3::Y * (height + thick * Real::HALF), [long, thick, wide]));
    pieces.extend(pair(Real::ZERO, height + thick));
    pieces
}

/// Edges of a coin: a flat box of 24 × 24 × 2 mm.
fn coin() -> [Real; 3] {
    [24, 2, 24].map(millimetres)
}

fn coin_stack() -> Vec<Piece> {
    (0..20).map(|i| cuboid(Vec3::Y * millimetres(2 * i + 1), coin())).collect()
}

fn coins() -> Vec<Piece> {
    heap(20, coin(), millimetres(8), millimetres(10))
}

/// Balls, boxes and capsules above each other in a bin of 5 m.
fn pile() -> Vec<Piece> {
    let wall = |x: i32, z: i32, edges: [i32; 3]| {
        let place = Vec3::from_ints(x, 10, z);
        Piece { fixed: true, ..cuboid(place, edges.map(Real::from_int)) }
    };
    let mut pieces = vec![
        wall(4, 0, [2, 20, 10]),
        wall(-4, 0, [2, 20, 10]),
        wall(0, 4, [6, 20, 2]),
        wall(0, -4, [6, 20, 2]),
    ];
    let mut rng = Rng::new(1);
    for i in 0..200 {
        let mut some = |size: Real| rng.between(-size, size).expect("not empty");
        let [x, y, z] = [i % 4, i / 16, i / 4 % 4].map(Real::from_int);
        let pitch = real!(1.375);
        let place = Vec3::new(x - real!(1.5), y, z - real!(1.5)) * pitch + Vec3::Y;
        let place = place + Vec3::new(some(real!(0.0625)), Real::ZERO, some(real!(0.0625)));
        let turn = Vec3::new(some(real!(3)), some(real!(3)), some(real!(3)));
        let solid = match i % 3 {
            0 => Solid::Ball(Real::HALF),
            1 => Solid::Cuboid(Vec3::new(Real::ratio(4, 10), Real::ratio(3, 10), Real::HALF)),
            _ => Solid::Capsule(Real::ratio(3, 10), Real::ratio(35, 100)),
        };
        let rotation = Quat::from_rotation_vector(turn);
        pieces.push(Piece { rotation, ..Piece::at(place, solid) });
    }
    pieces
}

/// Columns of unit boxes, each half inside the one below and the lowest in the ground.
fn overlaps() -> Vec<Piece> {
    let columns = (0..3).flat_map(|column| (0..5).map(move |i| (column, i)));
    let place =
        |(column, i): (i32, i32)| Vec3::new(Real::from_int(4 * column), Real::HALF * i, Real::ZERO);
    columns.map(|at| cuboid(place(at), [Real::ONE; 3])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_has_its_bodies() {
        for (name, dynamic) in [
            ("rod", 1),
            ("cabin", 4),
            ("planks", 12),
            ("rods", 40),
            ("stack", 20),
            ("column", 26),
            ("square-pyramid", 1240),
            ("jenga", 54 - 2 * 4 - 3),
            ("cards", 7),
            ("coin-stack", 20),
            ("coins", 20),
            ("pile", 200),
            ("overlaps", 15),
        ] {
            let scene = RestScene::by_name(name).unwrap();
            let pieces = scene.pieces();
            assert_eq!(scene.scene().world.bodies().count(), pieces.len());
            assert_eq!(pieces.iter().filter(|piece| !piece.fixed).count(), dynamic, "{name}");
        }
        assert_eq!(REST_SCENES.len(), 13);
        assert!(RestScene::by_name("bin").is_none());
    }

    /// The cards touch the ground and each other, and none is deep in another: gravity and friction hold them, not contacts that push.
    #[test]
    fn leaning_cards_stand_on_the_ground() {
        let cards = RestScene::by_name("cards").unwrap().pieces();
        let Solid::Cuboid(half) = cards[1].solid else { panic!("cards are boxes") };
        let lowest = |card: &Piece| {
            let corners = [half, Vec3::new(-half.x, half.y, half.z)];
            let reach = corners.map(|corner| card.rotation.rotate(corner).y.abs());
            card.place.y - reach[0].max(reach[1])
        };
        for card in &cards[1..5] {
            assert!(lowest(card).abs() < millimetres(1) * Real::ratio(1, 100), "{}", lowest(card));
        }
    }
}
