//! Materials and collision filters through the public API.

use super::common::{crate_at, cube, ground};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, Combine, Command, Filter, Layers, Material, MaterialTable, NoSuchLayer,
    ShapeDef, World, WorldDef,
};
use isostep_core::{Real, Vec3, real};

fn rough(friction: Real, tag: u16) -> Material {
    Material { friction, tag, ..Material::default() }
}

/// Sliding distance of a box of one material from 4 m/s on a ground of another.
fn slide(def: WorldDef, own: Material, floor: Material) -> f64 {
    let mut world = World::new(def).unwrap();
    let mut below = ground();
    below.shapes[0].material = floor;
    world.spawn(below).unwrap();
    let flat = Shape::cuboid(Vec3::new(Real::HALF, real!(0.125), Real::HALF));
    let flat = ShapeDef::from(flat.unwrap()).material(own);
    let body = BodyDef::dynamic().at(Vec3::Y * real!(0.125)).shape(flat);
    let id = world.spawn(body.velocity(Vec3::X * 4)).unwrap();
    for _ in 0..300 {
        world.step();
    }
    world.body(id).unwrap().position().x.to_f64()
}

/// Stopping distance from 4 m/s: v²/(2·μ·g).
fn way(friction: f64) -> f64 {
    16.0 / (2.0 * friction * 9.81)
}

fn assert_way(measured: f64, friction: f64) {
    let expected = way(friction);
    assert!((measured / expected - 1.0).abs() < 0.02, "{measured} m, not {expected} m");
}

/// Angle by which a flat box, 0.6 m wide, turns on the ground until it stops.
fn spin_down(spin: i32) -> f64 {
    let mut world = World::new(WorldDef::default()).unwrap();
    world.spawn(ground()).unwrap();
    let half = Vec3::new(Real::ratio(3, 10), Real::ratio(2, 100), Real::ratio(3, 10));
    let flat = Shape::cuboid(half).unwrap();
    let body = BodyDef::dynamic().at(Vec3::Y * half.y).shape(flat);
    let id = world.spawn(body.angular_velocity(Vec3::Y * spin)).unwrap();
    let (mut last, mut sum) = (0.0f64, 0.0f64);
    for _ in 0..120 {
        world.step();
        let [x, _, z] = world.body(id).unwrap().rotation().rotate(Vec3::X).to_array();
        let angle = (-z.to_f64()).atan2(x.to_f64());
        // Less than half a turn in a tick.
        let turned = angle - last;
        sum += turned - (turned / std::f64::consts::TAU).round() * std::f64::consts::TAU;
        last = angle;
    }
    sum
}

/// A box that spun on its place counted as standing, since its mean point does not slide, and lost an eighth of its spin
/// in each tick: from 10 rad/s it turned by 0.5 rad.
#[test]
fn a_box_that_spins_on_the_ground_stops_by_friction_alone() {
    for spin in [5, 10, 20] {
        // A quarter of the weight on each corner, r from the centre: the torque is μ·m·g·r, the inertia m·(a² + b²)/3.
        let r = 0.3 * 2f64.sqrt();
        let deceleration = 0.6 * 9.81 * r / ((0.3 * 0.3 + 0.3 * 0.3) / 3.0);
        let expected = f64::from(spin).powi(2) / (2.0 * deceleration);
        let turned = spin_down(spin);
        println!("{spin} rad/s: {turned} rad, expected {expected} rad");
        assert!(
            (turned / expected - 1.0).abs() < 0.1,
            "{spin} rad/s: {turned}, not {expected} rad"
        );
    }
}

#[test]
fn two_surfaces_combine_by_the_later_rule() {
    let (low, high) = (Real::ratio(2, 10), Real::ratio(8, 10));
    let of = |friction, rule| rough(friction, 0).friction_combine(rule);
    for (a, b, expected) in [
        (Combine::Average, Combine::Average, 0.5),
        (Combine::Average, Combine::Min, 0.2),
        (Combine::Multiply, Combine::Min, 0.16),
        (Combine::Multiply, Combine::Max, 0.8),
    ] {
        assert_way(slide(WorldDef::default(), of(low, a), of(high, b)), expected);
        assert_way(slide(WorldDef::default(), of(low, b), of(high, a)), expected);
    }
}

/// Restitution of a ball that falls by 2 m, from the height of its first bounce: e² of the fall.
fn bounce(ball: Material, floor: Material) -> f64 {
    let mut world = World::new(WorldDef::default()).unwrap();
    let floor = ShapeDef::from(Shape::HALF_SPACE).material(floor);
    world.spawn(BodyDef::fixed().shape(floor)).unwrap();
    let ball = ShapeDef::from(Shape::sphere(Real::HALF).unwrap()).material(ball);
    let ball = world.spawn(BodyDef::dynamic().at(Vec3::Y * real!(2.5)).shape(ball)).unwrap();
    let (mut fell, mut highest) = (false, 0.0f64);
    for _ in 0..120 {
        world.step();
        let body = world.body(ball).unwrap();
        let rises = body.velocity().y > real!(0.0625);
        fell |= rises;
        if fell && !rises && highest > 0.0 {
            break;
        }
        if fell {
            highest = highest.max(body.position().y.to_f64() - 0.5);
        }
    }
    (highest / 2.0).sqrt()
}

#[test]
fn friction_and_restitution_have_rules_of_their_own() {
    let [low, high] = [Real::ratio(2, 10), Real::ratio(8, 10)];
    let of = |value, friction, restitution| {
        let material = Material { friction: value, restitution: value, ..Material::default() };
        material.friction_combine(friction).restitution_combine(restitution)
    };
    let (average, max, min) = (Combine::Average, Combine::Max, Combine::Min);
    for (friction, restitution, slides_at, bounces_by) in
        [(max, min, 0.8, 0.2), (min, max, 0.2, 0.8), (average, max, 0.5, 0.8)]
    {
        // One of the two has the rules, the other those by default.
        let (a, b) = (of(low, friction, restitution), of(high, average, average));
        assert_way(slide(WorldDef::default(), a, b), slides_at);
        assert_way(slide(WorldDef::default(), b, a), slides_at);
        for bounced in [bounce(a, b), bounce(b, a)] {
            assert!((bounced - bounces_by).abs() < 0.05, "{bounced}, not {bounces_by}");
        }
    }
}

#[test]
fn overrides_by_tag_apply_to_their_pair_only() {
    let mut materials = MaterialTable::default();
    materials.set(7, 3, rough(Real::ratio(1, 4), 0)).unwrap();
    let def = WorldDef { materials, ..WorldDef::default() };
    let tagged = |tag| rough(Real::ratio(8, 10), tag);
    assert_way(slide(def.clone(), tagged(3), tagged(7)), 0.25);
    assert_way(slide(def.clone(), tagged(7), tagged(3)), 0.25);
    assert_way(slide(def.clone(), tagged(3), tagged(3)), 0.8);
    assert_way(slide(def, tagged(0), tagged(7)), 0.8);
}

#[test]
fn a_surface_changes_under_a_resting_box() {
    // Tilted gravity instead of a slope: 3 m/s² sideways is held with friction 0.6 and not with 0.2.
    let gravity = Vec3::new(real!(3), Real::ratio(-981, 100), Real::ZERO);
    let mut world = World::new(WorldDef { gravity, ..WorldDef::default() }).unwrap();
    world.spawn(ground()).unwrap();
    let flat = Shape::cuboid(Vec3::new(Real::HALF, real!(0.125), Real::HALF));
    let body = BodyDef::dynamic().at(Vec3::Y * real!(0.125)).shape(flat.unwrap());
    let id = world.spawn(body).unwrap();
    for _ in 0..120 {
        world.step();
    }
    let held = world.body(id).unwrap();
    assert!(held.position().x < Real::ratio(1, 1000), "{}", held.position());
    // The mean of 0 and 0.6 is 0.3, and 0.3·9.81 < 3.
    let ice = rough(Real::ZERO, 0);
    world.command(Command::SetMaterial(id, 0, ice.friction_combine(Combine::Min))).unwrap();
    for _ in 0..60 {
        world.step();
    }
    let slid = world.body(id).unwrap().position().x.to_f64();
    assert!((slid - 1.5).abs() < 0.02, "half of 3 m/s² for a second: {slid} m");
}

/// A world with a box above a ground, with these filters.
fn above(layers: Layers, own: Filter, floor: Filter) -> (World, BodyId) {
    let mut world = World::new(WorldDef { layers, ..WorldDef::default() }).unwrap();
    let mut below = ground();
    below.shapes[0].filter = floor;
    world.spawn(below).unwrap();
    let mut body = crate_at(Vec3::Y);
    body.shapes[0].filter = own;
    let id = world.spawn(body).unwrap();
    (world, id)
}

/// Returns whether the box is supported after two seconds.
fn is_held(world: &mut World, id: BodyId) -> bool {
    for _ in 0..120 {
        world.step();
    }
    let held = world.body(id).unwrap().position().y > Real::ZERO;
    assert_eq!(held, world.contacts().count() == 1);
    held
}

#[test]
fn layers_keep_bodies_apart() {
    let on = |layer| Filter { layer, group: 0 };
    let mut layers = Layers::default();
    layers.set(1, 2, false).unwrap();
    for (own, floor, held) in
        [(1, 2, false), (2, 1, false), (1, 1, true), (0, 2, true), (31, 1, true)]
    {
        assert_eq!(layers.collide(own, floor), Ok(held), "layers {own} and {floor}");
        let (mut world, id) = above(layers.clone(), on(own), on(floor));
        assert_eq!(is_held(&mut world, id), held, "layers {own} and {floor}");
    }
    assert_eq!(layers.collide(0, 32), Err(NoSuchLayer(32)));
    assert_eq!(layers.collide(32, 0), Err(NoSuchLayer(32)));
    layers.set(2, 1, true).unwrap();
    let (mut world, id) = above(layers, on(1), on(2));
    assert!(is_held(&mut world, id));
}

#[test]
fn a_group_keeps_its_members_apart() {
    let of = |group| Filter { layer: 0, group };
    for (own, floor, held) in [(5, 5, false), (5, 6, true), (0, 0, true), (5, 0, true)] {
        let (mut world, id) = above(Layers::default(), of(own), of(floor));
        assert_eq!(is_held(&mut world, id), held, "groups {own} and {floor}");
    }
}

#[test]
fn a_filter_that_changes_takes_effect_at_once() {
    let (mut world, id) = above(Layers::default(), Filter::default(), Filter::default());
    assert!(is_held(&mut world, id));
    let floor = world.bodies().next().unwrap().0;
    for body in [id, floor] {
        world.command(Command::SetFilter(body, 0, Filter { layer: 0, group: 9 })).unwrap();
    }
    assert!(!is_held(&mut world, id));
}

#[test]
fn shapes_of_one_body_never_collide_and_each_has_its_filter() {
    // A body of two overlapping boxes, of which only the lower one collides with the ground.
    let mut layers = Layers::default();
    layers.set(4, 0, false).unwrap();
    let mut world = World::new(WorldDef { layers, ..WorldDef::default() }).unwrap();
    world.spawn(ground()).unwrap();
    let part = |y: Real, layer| ShapeDef::from(cube(Real::HALF)).at(Vec3::Y * y).layer(layer);
    let body = BodyDef::dynamic().at(Vec3::Y * 2);
    let body = body.shape(part(Real::ZERO, 0)).shape(part(real!(-0.75), 4));
    let id = world.spawn(body).unwrap();
    assert!(is_held(&mut world, id));
    // The box of layer 4 extends 0.75 m into the ground.
    let place = world.body(id).unwrap().position();
    assert!((place.y - Real::HALF).abs() < Real::ratio(1, 100), "{place}");
}

/// A ball of half a metre on the ground, both of this material, that rolls at 4 m/s and spins at 10 rad/s about the vertical.
fn rolling_ball(surface: Material) -> (World, BodyId) {
    let mut world = World::new(WorldDef::default()).unwrap();
    let mut below = ground();
    below.shapes[0].material = surface;
    world.spawn(below).unwrap();
    let ball = ShapeDef::from(Shape::sphere(Real::HALF).unwrap()).material(surface);
    let body = BodyDef::dynamic().at(Vec3::Y * Real::HALF).shape(ball).velocity(Vec3::X * 4);
    let id = world.spawn(body.angular_velocity(Vec3::from_ints(0, 10, -8))).unwrap();
    (world, id)
}

fn run(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        world.step();
    }
}

#[test]
fn a_ball_rolls_and_spins_on_where_nothing_resists() {
    let (mut world, ball) = rolling_ball(Material::default());
    run(&mut world, 300);
    let body = world.body(ball).unwrap();
    let (speed, spin) = (body.velocity().x.to_f64(), body.angular_velocity().y.to_f64());
    assert!((speed - 4.0).abs() < 0.05 && (spin - 10.0).abs() < 0.1, "{speed} m/s, {spin} rad/s");
}

#[test]
fn the_stopping_distance_under_rolling_friction_follows_its_torque() {
    let (mut world, ball) =
        rolling_ball(Material { rolling: Real::ratio(1, 10), ..Material::default() });
    run(&mut world, 600);
    let body = world.body(ball).unwrap();
    // A torque of c·m·g·R against m·R² + 2/5·m·R² brakes by 5/7·c·g.
    let expected = 16.0 / (2.0 * 5.0 / 7.0 * 0.1 * 9.81);
    let (way, speed) = (body.position().x.to_f64(), body.velocity().length().to_f64());
    assert!(
        (way / expected - 1.0).abs() < 0.03 && speed < 0.01,
        "{way} m, not {expected}; {speed} m/s"
    );
}

/// Both axes of rolling friction were bounded one by one, so a ball on an oblique course was braked along a diagonal and turned.
#[test]
fn a_ball_under_rolling_friction_rolls_straight_on_in_every_direction() {
    let surface = Material { rolling: Real::ratio(1, 10), ..Material::default() };
    for i in 0..8 {
        let (sin, cos) = (f64::from(i) * 0.8 + 0.3).sin_cos();
        let mut world = World::new(WorldDef::default()).unwrap();
        let mut below = ground();
        below.shapes[0].material = surface;
        world.spawn(below).unwrap();
        let real = |x: f64| Real::from_f64(x).unwrap();
        let ball = ShapeDef::from(Shape::sphere(Real::HALF).unwrap()).material(surface);
        let body = BodyDef::dynamic().at(Vec3::Y * Real::HALF).shape(ball);
        let body = body.velocity(Vec3::new(real(4.0 * cos), Real::ZERO, real(4.0 * sin)));
        let spin = Vec3::new(real(8.0 * sin), Real::ZERO, real(-8.0 * cos));
        let ball = world.spawn(body.angular_velocity(spin)).unwrap();
        run(&mut world, 600);
        let place = world.body(ball).unwrap().position();
        let [x, z] = [place.x.to_f64(), place.z.to_f64()];
        let (along, aside) = (x * cos + z * sin, z * cos - x * sin);
        let expected = 16.0 / (2.0 * 5.0 / 7.0 * 0.1 * 9.81);
        println!("{i}: {} of the distance, {aside} m aside", along / expected);
        assert!(
            (along / expected - 1.0).abs() < 0.03 && aside.abs() < 0.01 * along,
            "{along} {aside}"
        );
    }
}

#[test]
fn the_stopping_time_under_spinning_friction_follows_its_torque() {
    let (mut world, ball) =
        rolling_ball(Material { spinning: Real::ratio(1, 10), ..Material::default() });
    // A torque of c·m·g·R against 2/5·m·R² reduces the spin by 5/2·c·g/R per second: 2.04 s for 10 rad/s.
    let spin = |world: &World| world.body(ball).unwrap().angular_velocity().y.to_f64();
    run(&mut world, 60);
    let after_one = spin(&world);
    run(&mut world, 90);
    assert!((after_one - (10.0 - 4.905)).abs() < 0.15, "{after_one} rad/s after a second");
    assert!(spin(&world).abs() < 0.01, "{} rad/s", spin(&world));
}

#[test]
fn the_world_definition_is_part_of_the_encoded_state() {
    let bytes = |def: WorldDef| super::common::encoded(&World::new(def).unwrap());
    let plain = bytes(WorldDef::default());
    let mut layers = Layers::default();
    layers.set(3, 4, false).unwrap();
    let mut materials = MaterialTable::default();
    materials.set(1, 2, Material::default()).unwrap();
    for def in [
        WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() },
        WorldDef { tick_rate: 30, ..WorldDef::default() },
        WorldDef { substeps: 16, ..WorldDef::default() },
        WorldDef { max_push_out_speed: real!(1), ..WorldDef::default() },
        WorldDef { restitution_threshold: real!(1), ..WorldDef::default() },
        WorldDef { layers, ..WorldDef::default() },
        WorldDef { materials, ..WorldDef::default() },
    ] {
        assert!(bytes(def.clone()) != plain, "{def:?} is not distinguished from the default");
    }
}
