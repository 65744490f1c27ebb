//! Impacts: a cradle, a rack of billiard balls, dominoes.

use super::parts::{cuboid, empty, ground, put, solid};
use super::{Scene, Script};
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, Combine, Command, Material, ShapeDef, World, WorldDef};
use isostep_core::{Quat, Real, Vec3, real};

/// Scene f: Newton's cradles without gravity or friction, 4 m apart in z. Each has five balls of
/// radius ½ m along x. The last ones rest and touch; the first `incoming` ones touch, start 3 m
/// behind and move at 2 m/s.
pub fn cradle(incoming: &[i32]) -> Scene {
    let mut world = World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() })
        .expect("the rest is the default");
    let steel = Material { friction: Real::ZERO, restitution: Real::ONE, ..Material::default() };
    let ball = solid(Shape::sphere(Real::HALF).expect("within the limits")).material(steel);
    for (row, &moving) in incoming.iter().enumerate() {
        for i in 0..5 {
            let coming = i < moving;
            let x = if coming { i - 3 } else { i };
            let ball = BodyDef::dynamic()
                .at(Vec3::from_ints(x, 0, 4 * row as i32))
                .velocity(if coming { Vec3::X * 2 } else { Vec3::ZERO })
                .shape(ball.clone());
            put(&mut world, ball);
        }
    }
    Scene::new(world)
}

/// Radius of a pool ball, metres.
const BALL: Real = Real::ratio(28_575, 1_000_000);
/// Half the length and width of a nine-foot table between its cushions, metres.
const TABLE: (Real, Real) = (real!(1.25), real!(0.625));

/// Scene g: a billiard break. The cue ball moves along the table's middle at `speed` m/s and hits a
/// triangle of fifteen, racked with 20 µm between neighbours so that rounding doesn't move them.
pub fn rack(speed: Real) -> Scene {
    rack_of(5, speed)
}

/// Scene g with a triangle of any number of rows.
pub fn rack_of(rows: i32, speed: Real) -> Scene {
    let mut world = empty();
    let ivory = Material {
        friction: Real::ratio(2, 10),
        restitution: Real::ratio(9, 10),
        rolling: Real::ratio(1, 100),
        spinning: Real::ratio(5, 100),
        ..Material::default()
    };
    // The lower restitution counts: none on the cloth, slightly less than a ball's on the rubber.
    let cloth = Material { restitution: Real::ZERO, ..ivory };
    let cloth = cloth.friction_combine(Combine::Min).restitution_combine(Combine::Min);
    let rubber = Material { restitution: Real::ratio(7, 10), ..cloth };
    table(&mut world, cloth, rubber);
    let ball = Shape::sphere(BALL).expect("within the limits");
    let ball = ShapeDef::from(ball).density(real!(1700)).material(ivory);
    let cue = BodyDef::dynamic().at(Vec3::new(real!(-0.625), BALL, Real::ZERO));
    put(&mut world, cue.velocity(Vec3::X * speed).shape(ball.clone()));
    let apart = BALL + BALL + Real::ratio(20, 1_000_000);
    // √¾: rows of an equilateral triangle.
    let row_apart = apart * Real::ratio(866_025, 1_000_000);
    for row in 0..rows {
        for place in 0..=row {
            let x = real!(0.625) + row_apart * row;
            let z = apart * (2 * place - row) * Real::HALF;
            put(&mut world, BodyDef::dynamic().at(Vec3::new(x, BALL, z)).shape(ball.clone()));
        }
    }
    Scene::new(world)
}

/// A bed, its top at height 0, and four cushions.
fn table(world: &mut World, cloth: Material, rubber: Material) {
    let (half_x, half_z) = TABLE;
    let (rim, height) = (real!(0.25), real!(0.0625));
    let bed = solid(cuboid(half_x + rim * 2, rim, half_z + rim * 2)).material(cloth);
    put(world, BodyDef::fixed().at(Vec3::Y * -rim).shape(bed));
    for (x, z, along_x, along_z) in [
        (half_x + rim, Real::ZERO, rim, half_z + rim * 2),
        (-half_x - rim, Real::ZERO, rim, half_z + rim * 2),
        (Real::ZERO, half_z + rim, half_x, rim),
        (Real::ZERO, -half_z - rim, half_x, rim),
    ] {
        let cushion = solid(cuboid(along_x, height, along_z)).material(rubber);
        put(world, BodyDef::fixed().at(Vec3::new(x, height, z)).shape(cushion));
    }
}

/// Half the thickness, height and width of a domino, metres.
const DOMINO: Vec3 = Vec3::new(real!(0.0625), real!(0.5), real!(0.25));
/// Tick on which the first domino is pushed; the row is asleep by then.
pub(super) const PUSH_TICK: u32 = 90;

/// Scene h: dominoes 0.4 m apart on a winding line. The first one is pushed at its top on tick 90,
/// by 1.5 m/s times its mass.
pub fn dominoes(count: i32) -> Scene {
    let mut world = empty();
    ground(&mut world);
    let (step, bend) = (Real::ratio(4, 10), Real::ratio(6, 100));
    let shape = solid(cuboid(DOMINO.x, DOMINO.y, DOMINO.z));
    let (mut place, mut heading) = (Vec3::new(real!(-8), DOMINO.y, Real::ZERO), Real::ZERO);
    let mut first = None;
    for i in 0..count {
        let turn = Quat::from_axis_angle(Vec3::Y, heading).expect("an axis");
        let domino = BodyDef::dynamic().at(place).rotated(turn).shape(shape.clone());
        let id = put(&mut world, domino);
        first.get_or_insert(id);
        place += turn.rotate(Vec3::X) * step;
        // Twenty to the left, twenty to the right.
        heading += if i / 20 % 2 == 0 { bend } else { -bend };
    }
    let first = first.expect("a row of at least one");
    let body = world.body(first).expect("just spawned");
    let top = body.position() + Vec3::Y * DOMINO.y;
    let command = Command::ImpulseAt(first, Vec3::X * (body.mass() * real!(1.5)), top);
    Scene { world, script: Script::Once { tick: PUSH_TICK, command } }
}
