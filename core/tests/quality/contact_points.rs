//! Contact points as games see them: positions, separations and impulses after a step, against closed forms.

use super::common::{GRAVITY, box_of, crate_at, ground, world};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, ContactPoint, ContactView, Event, Material, ShapeDef, World,
};
use isostep_core::{Quat, Real, Vec3, real};

const TICK: f64 = 1.0 / 60.0;

fn float(v: Vec3) -> [f64; 3] {
    v.to_array().map(Real::to_f64)
}

fn dot(a: Vec3, b: [f64; 3]) -> f64 {
    let a = float(a);
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn only_contact(world: &World, body: BodyId) -> ContactView<'_> {
    let contacts: Vec<_> = world.contacts_of(body).collect();
    assert_eq!(contacts.len(), 1);
    contacts[0]
}

fn points(world: &World, body: BodyId) -> Vec<ContactPoint> {
    only_contact(world, body).points().collect()
}

fn mass(world: &World, body: BodyId) -> f64 {
    world.body(body).unwrap().mass().to_f64()
}

/// Sum of the normal impulses, and of the friction impulses on the second body.
fn impulses(points: &[ContactPoint]) -> (f64, [f64; 3]) {
    let normal = points.iter().map(|point| point.normal_impulse.to_f64()).sum();
    let friction = points.iter().map(|point| float(point.friction_impulse));
    (normal, friction.fold([0.0; 3], |sum, f| [sum[0] + f[0], sum[1] + f[1], sum[2] + f[2]]))
}

fn assert_near(is: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((is - expected).abs() <= tolerance, "{what}: {is}, expected {expected}");
}

/// Checks that the points of a unit box are the corners of its lower face.
fn assert_corners(world: &World, body: BodyId, ground: f64, what: &str) {
    let points = points(world, body);
    assert_eq!(points.len(), 4, "{what}");
    let center = float(world.body(body).unwrap().position());
    let mut corners: Vec<_> = points
        .iter()
        .map(|point| {
            let [x, y, z] = float(point.position);
            assert_near((x - center[0]).abs(), 0.5, 2e-3, what);
            assert_near((z - center[2]).abs(), 0.5, 2e-3, what);
            // Midway between the face of the box and the ground.
            let face = center[1] - 0.5;
            assert_near(y, f64::midpoint(face, ground), 1e-3, what);
            assert_near(point.separation.to_f64(), face - ground, 1e-3, what);
            (x > center[0], z > center[2])
        })
        .collect();
    corners.sort();
    assert_eq!(corners, [(false, false), (false, true), (true, false), (true, true)], "{what}");
}

#[test]
fn a_resting_box_is_carried_at_its_corners() {
    for heavy in [real!(0.25), real!(60), real!(20_000)] {
        let mut world = world();
        world.spawn(ground()).unwrap();
        let id = world.spawn(crate_at(Vec3::Y * Real::HALF).mass(heavy).stay_awake()).unwrap();
        for tick in 0..200 {
            let report = world.step();
            if tick < 60 {
                continue;
            }
            assert_eq!(report.recycled, 1, "tick {tick}");
            let what = format!("{heavy} kg, tick {tick}");
            assert_corners(&world, id, 0.0, &what);
            let (normal, friction) = impulses(&points(&world, id));
            let expected = mass(&world, id) * GRAVITY * TICK;
            assert_near(normal, expected, 0.01 * expected, &what);
            assert!(friction.iter().all(|f| f.abs() < 0.01 * expected), "{what}: {friction:?}");
            // The ground is the first body: the normal points up.
            assert_eq!(only_contact(&world, id).normal(), Vec3::Y);
        }
    }
}

#[test]
fn a_sleeping_box_keeps_its_points() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let id = world.spawn(crate_at(Vec3::Y * Real::HALF)).unwrap();
    for _ in 0..240 {
        world.step();
    }
    assert!(world.body(id).unwrap().is_asleep());
    let expected = mass(&world, id) * GRAVITY * TICK;
    assert_near(impulses(&points(&world, id)).0, expected, 0.01 * expected, "asleep");
    assert_corners(&world, id, 0.0, "asleep");
}

#[test]
fn friction_holds_a_box_on_a_slope() {
    for (degrees, first) in [(10, true), (20, true), (20, false)] {
        let angle = f64::from(degrees).to_radians();
        let turn = Real::ratio(degrees, 1) * Real::ratio(314_159_265, 180 * 1_000_000) / 100;
        let tilt = Quat::from_axis_angle(Vec3::Z, turn).unwrap();
        let mut world = world();
        let ramp = BodyDef::fixed().rotated(tilt).shape(box_of(real!(20), real!(1), real!(20)));
        let up = tilt.rotate(Vec3::Y);
        let cube = crate_at(up).rotated(tilt).stay_awake();
        // Either of the two may be the first body of the contact.
        let defs = if first { [ramp, cube] } else { [cube, ramp] };
        let ids = defs.map(|def| world.spawn(def).unwrap());
        let id = if first { ids[1] } else { ids[0] };
        for _ in 0..180 {
            world.step();
        }
        let what = format!("{degrees}°, ramp first: {first}");
        let weight = mass(&world, id) * GRAVITY * TICK;
        let points = points(&world, id);
        let (normal, friction) = impulses(&points);
        assert_near(normal, weight * angle.cos(), 0.01 * weight, &what);
        let length = friction.iter().map(|f| f * f).sum::<f64>().sqrt();
        assert_near(length, weight * angle.sin(), 0.01 * weight, &what);
        // Friction acts on the second body: up the slope, which is along its x axis, if that is the box.
        let side = if first { 1.0 } else { -1.0 };
        let along = dot(tilt.rotate(Vec3::X), friction);
        assert_near(along, side * weight * angle.sin(), 0.01 * weight, &what);
        for point in &points {
            assert_near(dot(point.normal, float(up)), side, 1e-3, &what);
            // On the upper face of the ramp, half a metre from its centre.
            assert_near(dot(point.position, float(up)), 0.5, 2e-3, &what);
        }
    }
}

#[test]
fn points_follow_a_platform_while_their_contact_is_recycled() {
    let mut world = world();
    let speed = Vec3::new(real!(1), real!(0.25), real!(-0.5));
    let slab = box_of(real!(4), Real::HALF, real!(4));
    let platform = BodyDef::kinematic().at(Vec3::Y * real!(-0.25)).velocity(speed).shape(slab);
    let platform = world.spawn(platform).unwrap();
    let id = world.spawn(crate_at(Vec3::Y * Real::HALF).velocity(speed)).unwrap();
    for tick in 0..160 {
        let report = world.step();
        if tick < 60 {
            continue;
        }
        assert_eq!(report.recycled, 1, "tick {tick}: the manifold is not computed anew");
        let top = world.body(platform).unwrap().position().y.to_f64() + 0.25;
        assert_corners(&world, id, top, &format!("tick {tick}"));
    }
    let moved = world.body(id).unwrap().position();
    assert!(moved.x > real!(2.5), "the platform has moved: {moved}");
    let expected = mass(&world, id) * GRAVITY * TICK;
    assert_near(impulses(&points(&world, id)).0, expected, 0.01 * expected, "no acceleration");
}

/// While a contact is recycled, its points used to be midway between two points of the surfaces that had coincided when the manifold was
/// made. A box that slid to a halt had them up to 2.3 cm beside its corners for as long as it stood there.
#[test]
fn points_stay_at_the_corners_of_a_box_that_slid_to_a_halt() {
    for speed in [real!(0.5), real!(1), real!(2), real!(4)] {
        let mut world = world();
        world.spawn(ground()).unwrap();
        let body = crate_at(Vec3::Y * Real::HALF).velocity(Vec3::X * speed).stay_awake();
        let id = world.spawn(body).unwrap();
        for tick in 0..120 {
            world.step();
            if tick % 10 == 9 {
                assert_corners(&world, id, 0.0, &format!("{speed} m/s, tick {tick}"));
            }
        }
        let expected = mass(&world, id) * GRAVITY * TICK;
        assert_near(impulses(&points(&world, id)).0, expected, 0.01 * expected, "at rest");
    }
}

/// The contact of a body that was put to sleep in motion kept the points of the step before, and reported a gap of 0.3 mm where a corner
/// was 2.6 cm deep in the floor.
#[test]
fn the_separation_of_a_sleeping_body_is_that_of_its_pose() {
    let mut checked = 0;
    for case in 0..40 {
        let mut world = world();
        world.spawn(ground()).unwrap();
        let tilt = Quat::from_axis_angle(
            Vec3::new(Real::ONE, Real::HALF, Real::ONE),
            Real::ratio(case, 20),
        );
        let body = crate_at(Vec3::Y).rotated(tilt.unwrap());
        let id = world.spawn(body.velocity(Vec3::Y * -3).angular_velocity(Vec3::Z * 4)).unwrap();
        while world.contacts_of(id).next().is_none() {
            world.step();
        }
        for _ in 0..case % 5 {
            world.step();
        }
        world.put_to_sleep(id).unwrap();
        for _ in 0..30 {
            world.step();
        }
        assert!(world.body(id).unwrap().is_asleep());
        let pose = world.body(id).unwrap().pose();
        let corner = |i: i32| {
            let sign = |bit: i32| if i >> bit & 1 == 0 { Real::HALF } else { -Real::HALF };
            pose.point(Vec3::new(sign(0), sign(1), sign(2))).y.to_f64()
        };
        let lowest = (0..8).map(corner).fold(f64::MAX, f64::min);
        // A corner that rebounded may be above the reach of a contact.
        if let Some(contact) = world.contacts_of(id).next().filter(|_| lowest < 0.019) {
            let what = format!("case {case}");
            assert_near(contact.separation().to_f64(), lowest, 1e-3, &what);
            assert!(contact.points().len() == contact.point_count() as usize, "{what}");
            checked += 1;
        }
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn events_lead_to_the_points_of_their_contact() {
    let mut world = world();
    world.spawn(ground()).unwrap();
    let ball = Shape::sphere(Real::HALF).unwrap();
    let bouncy = Material { restitution: Real::HALF, ..Material::default() };
    let ball = ShapeDef::from(ball).material(bouncy);
    let def = BodyDef::dynamic().at(Vec3::Y * real!(1.5)).shape(ball.clone());
    let id = world.spawn(def.persist_events()).unwrap();
    let [mut began, mut persisted, mut impacts] = [0; 3];
    for tick in 0..240 {
        world.step();
        let events: Vec<_> = world.events().collect();
        for event in events {
            let (pair, count) = match event {
                Event::ContactBegan(pair) => (pair, &mut began),
                Event::ContactPersisted(pair) => (pair, &mut persisted),
                Event::Impact(impact) => (impact.pair, &mut impacts),
                _ => continue,
            };
            *count += 1;
            let contact = world.contact(&pair).unwrap_or_else(|| panic!("tick {tick}: {pair:?}"));
            assert_eq!((contact.pair(), contact.bodies()), (pair, pair.bodies));
            let points: Vec<_> = contact.points().collect();
            assert_eq!(points.len(), 1);
            let [place, center] = [points[0].position, world.body(id).unwrap().position()];
            let below = float(place - center);
            assert_near(below[0].hypot(below[2]), 0.0, 1e-3, "below the centre");
            // The surfaces are half of the separation away on either side.
            let separation = points[0].separation.to_f64();
            assert_near(below[1], -0.5 - separation / 2.0, 2e-3, "on the ball");
        }
    }
    assert!(began > 1 && persisted > 0 && impacts > 1, "{began} {persisted} {impacts}");
    // Without the body there is no contact, in this tick already.
    let pair = only_contact(&world, id).pair();
    world.despawn(id).unwrap();
    assert!(world.contact(&pair).is_none());
    assert_eq!(world.contacts_of(id).count(), 0);
    let again = world.spawn(BodyDef::dynamic().at(Vec3::Y * Real::HALF).shape(ball)).unwrap();
    assert_ne!(again, id);
    world.step();
    assert!(world.contact(&pair).is_none(), "another body has the index now");
    assert_eq!(world.contacts_of(id).count(), 0);
}

/// Points of heaps had friction up to thousands of times the normal impulse, and friction without a normal impulse, because the solver
/// limits friction by the normal impulse of an earlier iteration; and friction had a part along the normal.
#[test]
fn friction_of_a_heap_lies_in_the_friction_cone() {
    const FRICTION: f64 = 0.75;
    let rough = Material { friction: real!(0.75), rolling: real!(0.0625), ..Material::default() };
    let (mut rubbed, mut at_the_limit) = (0, 0);
    for seed in 0..6 {
        let mut rng = isostep_core::Rng::new(seed);
        let mut world = world();
        let floor = ShapeDef::from(Shape::HALF_SPACE).material(rough);
        world.spawn(BodyDef::fixed().shape(floor)).unwrap();
        let mut between = |a: i32, b: i32| {
            let part = Real::from_bits(i64::from(rng.next_u32()));
            Real::from_int(a) + Real::from_int(b - a) * part
        };
        for i in 0..14 {
            let size = between(0, 1) * Real::HALF + real!(0.125);
            let shape = match i % 3 {
                0 => Shape::cuboid(Vec3::new(size, real!(0.1875), real!(0.375))),
                1 => Shape::capsule(real!(0.5), size),
                _ => Shape::sphere(size),
            };
            let turn = Quat::from_axis_angle(Vec3::X, between(-3, 3)).unwrap()
                * Quat::from_axis_angle(Vec3::Y, between(-3, 3)).unwrap();
            let place = Vec3::new(between(-1, 1), between(1, 4), between(-1, 1));
            let shape = ShapeDef::from(shape.unwrap()).material(rough);
            world.spawn(BodyDef::dynamic().at(place).rotated(turn).shape(shape)).unwrap();
        }
        for tick in 0..200 {
            world.step();
            for point in world.contacts().flat_map(|contact| contact.points()) {
                let [normal, friction] = [point.normal, point.friction_impulse].map(float);
                let length = dot(point.friction_impulse, friction).sqrt();
                let limit = FRICTION * point.normal_impulse.to_f64();
                let what = format!("seed {seed}, tick {tick}: {point:?}");
                // A millionth of the impulse, and the last bits.
                let room = 1e-6 * length + 1e-8;
                assert!(length <= limit + room, "{what}");
                assert!(dot(point.friction_impulse, normal).abs() <= room, "{what}");
                rubbed += u32::from(length > 0.5 * limit && limit > 1e-3);
                at_the_limit += u32::from(length > 0.999 * limit && limit > 1e-3);
            }
        }
    }
    assert!(rubbed > 1_000 && at_the_limit > 1_000, "{rubbed} points, {at_the_limit} at the limit");
}
