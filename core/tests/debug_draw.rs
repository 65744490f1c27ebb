//! Debug draw: where its lines are, by closed forms in floats, and that they are a function of the state.
#![allow(clippy::disallowed_types, reason = "an oracle in floats")]

use crate::world_state::rich;
use isostep_core::internals::Lanes;
use isostep_core::parallel::Threads;
use isostep_core::shape::{Geometry, Shape};
use isostep_core::world::{
    Body, BodyDef, BodyId, BodyKind, DebugDraw, DebugLine, DebugTopic, Event, Joint, JointDef,
    ShapeDef, World, WorldDef,
};
use isostep_core::{Quat, Real, Tick, Transform, Vec3, real};
use std::collections::{BTreeMap, BTreeSet};

type V = [f64; 3];

fn all() -> DebugDraw {
    DebugDraw::new(DebugTopic::ALL)
}

fn lines(world: &World, draw: &DebugDraw) -> Vec<DebugLine> {
    let mut lines = Vec::new();
    world.debug_lines(draw, |line| lines.push(line));
    lines
}

fn past_lines(world: &World, tick: Tick, draw: &DebugDraw) -> Vec<DebugLine> {
    let mut lines = Vec::new();
    world.past(tick).expect("it is held").debug_lines(draw, |line| lines.push(line));
    lines
}

fn of_topic(world: &World, topic: DebugTopic) -> Vec<DebugLine> {
    let lines = lines(world, &DebugDraw::new([topic]));
    assert!(lines.iter().all(|line| line.topic == topic));
    lines
}

fn floats(v: Vec3) -> V {
    v.to_array().map(Real::to_f64)
}

fn rotate(rotation: Quat, v: V) -> V {
    let [x, y, z, w] = rotation.to_xyzw().map(Real::to_f64);
    let cross = |a: V, b: V| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let inner = cross([x, y, z], v);
    let inner: V = std::array::from_fn(|k| inner[k] + w * v[k]);
    let outer = cross([x, y, z], inner);
    std::array::from_fn(|k| v[k] + 2.0 * outer[k])
}

fn length(v: V) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// Origin of a shape, and a vector from there in its frame.
fn local(body: Transform, shape: Transform, point: V) -> V {
    let offset = rotate(body.rotation, floats(shape.translation));
    let from: V = std::array::from_fn(|k| point[k] - floats(body.translation)[k] - offset[k]);
    rotate(shape.rotation.inverse(), rotate(body.rotation.inverse(), from))
}

/// Signed distance from the surface.
fn distance(shape: &Shape, [x, y, z]: V) -> f64 {
    match *shape.geometry() {
        Geometry::Sphere { radius } => length([x, y, z]) - radius.to_f64(),
        Geometry::Capsule { half_length, radius } => {
            let half = half_length.to_f64();
            length([x, y - y.clamp(-half, half), z]) - radius.to_f64()
        }
        Geometry::Cuboid { half } => {
            let half = floats(half);
            let beyond: V = std::array::from_fn(|k| [x, y, z][k].abs() - half[k]);
            let outside = length(beyond.map(|c| c.max(0.0)));
            outside + beyond.into_iter().fold(f64::MIN, f64::max).min(0.0)
        }
        Geometry::HalfSpace => y,
        _ => panic!("a closed form of {shape:?} is missing here"),
    }
}

/// A world with every kind of shape and body, played for some ticks.
fn played(ticks: u32) -> World {
    let mut world = rich::world();
    rich::play(&mut world, ticks);
    world
}

#[test]
fn outlines_lie_on_the_shapes_of_their_bodies() {
    let world = played(30);
    let lines = of_topic(&world, DebugTopic::Shapes);
    let mut drawn = BTreeSet::new();
    for line in &lines {
        let body = world.body(line.body).expect("it exists");
        for end in [line.start, line.end].map(floats) {
            let off =
                |def: &ShapeDef| distance(&def.shape, local(body.pose(), def.pose, end)).abs();
            let nearest = body.shapes().map(|(_, def)| off(&def)).fold(f64::MAX, f64::min);
            assert!(nearest < 1e-6, "{end:?} is {nearest} m from {}", line.body);
        }
        drawn.insert(line.body);
    }
    let wanted: BTreeSet<_> = world.bodies().map(|(id, _)| id).collect();
    assert_eq!(drawn, wanted);
    assert!(lines.is_sorted_by_key(|line| line.body), "in the order of ids");
}

/// Box around a shape: the largest extent along each axis, by support functions.
fn half_extents(rotation: impl Fn(V) -> V, shape: &Shape) -> V {
    let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(rotation);
    std::array::from_fn(|k| match *shape.geometry() {
        Geometry::Sphere { radius } => radius.to_f64(),
        Geometry::Capsule { half_length, radius } => {
            columns[1][k].abs() * half_length.to_f64() + radius.to_f64()
        }
        Geometry::Cuboid { half } => {
            (0..3).map(|axis| columns[axis][k].abs() * floats(half)[axis]).sum()
        }
        _ => panic!("a half space has no bounds"),
    })
}

#[test]
fn bounds_have_a_margin_and_the_motion_of_a_tick() {
    let world = played(30);
    let mut found: BTreeMap<BodyId, Vec<DebugLine>> = BTreeMap::new();
    for line in of_topic(&world, DebugTopic::Bounds) {
        found.entry(line.body).or_default().push(line);
    }
    let mut moving = 0;
    for (id, body) in world.bodies().filter(|(_, body)| body.is_enabled()) {
        let finite = |def: &ShapeDef| !matches!(def.shape.geometry(), Geometry::HalfSpace);
        let shapes: Vec<_> = body.shapes().map(|(_, def)| def).filter(|def| finite(def)).collect();
        let boxes = found.remove(&id).unwrap_or_default();
        assert_eq!(boxes.len(), 12 * shapes.len(), "edges of {id}");
        for (edges, def) in boxes.chunks(12).zip(shapes) {
            let turn = |v| rotate(body.rotation(), rotate(def.pose.rotation, v));
            let (half, offset) = (half_extents(turn, &def.shape), floats(def.pose.translation));
            let offset = rotate(body.rotation(), offset);
            for k in 0..3 {
                let ends = edges.iter().flat_map(|edge| [edge.start, edge.end]);
                let values: Vec<_> = ends.map(|end| floats(end)[k]).collect();
                let at = floats(body.position())[k] + offset[k];
                let motion = floats(body.velocity())[k] / 60.0;
                let low = at - half[k] - 0.01 + motion.min(0.0);
                let high = at + half[k] + 0.01 + motion.max(0.0);
                let near = |value: f64| (value - low).abs() < 1e-6 || (value - high).abs() < 1e-6;
                assert!(
                    values.iter().copied().all(near),
                    "{id} axis {k}: {low}, {high}, {values:?}"
                );
                let lows = values.iter().filter(|value| (**value - low).abs() < 1e-6).count();
                assert_eq!(lows, 12, "half of the ends are low");
                moving += u32::from(motion != 0.0);
            }
        }
    }
    assert!(found.is_empty(), "disabled bodies have no bounds");
    assert!(moving > 20, "{moving}");
}

/// The lines of each body's contacts, from [`World::contacts_of`].
#[test]
fn contact_lines_are_those_of_the_contacts() {
    let world = played(30);
    let mark = 0.25;
    let draw = DebugDraw::new([DebugTopic::Contacts, DebugTopic::Normals, DebugTopic::Impulses]);
    let draw = draw.mark(real!(0.25)).impulse_scale(Real::ratio(1, 50));
    let lines = lines(&world, &draw);
    let mut friction = 0;
    for (id, _) in world.bodies() {
        let drawn: Vec<_> =
            lines.iter().filter(|line| line.body == id || line.other == Some(id)).collect();
        let mut drawn = drawn.into_iter();
        for contact in world.contacts_of(id) {
            let bodies = contact.bodies();
            for point in contact.points() {
                let at = floats(point.position);
                let mut next = |topic, vector: V, middle: bool| {
                    let line = drawn.next().expect("a line");
                    assert_eq!(
                        (line.topic, [Some(line.body), line.other]),
                        (topic, bodies.map(Some))
                    );
                    for k in 0..3 {
                        let start = at[k] - if middle { vector[k] / 2.0 } else { 0.0 };
                        let ends = [
                            floats(line.start)[k] - start,
                            floats(line.end)[k] - start - vector[k],
                        ];
                        assert!(ends.iter().all(|off| off.abs() < 1e-6), "{line:?}: {ends:?}");
                    }
                };
                for axis in [[mark, 0.0, 0.0], [0.0, mark, 0.0], [0.0, 0.0, mark]] {
                    next(DebugTopic::Contacts, axis, true);
                }
                let normal = floats(point.normal);
                let push = point.normal_impulse.to_f64() / 50.0;
                if push > 0.0 {
                    next(DebugTopic::Impulses, normal.map(|c| c * push.min(10.0)), false);
                }
                if !point.friction_impulse.is_zero() {
                    let slide = floats(point.friction_impulse).map(|c| c / 50.0);
                    // Long impulses are cut to ten metres.
                    let slide = slide.map(|c| c * (10.0 / length(slide)).min(1.0));
                    next(DebugTopic::Impulses, slide, false);
                    friction += 1;
                }
                next(DebugTopic::Normals, normal.map(|c| c * mark), false);
            }
        }
        assert_eq!(drawn.next(), None, "{id} has no other contact");
    }
    assert!(friction > 20, "{friction}");
}

#[test]
fn contacts_that_do_not_touch_are_dim() {
    let mut world = World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
    let ball = Shape::sphere(Real::HALF).unwrap();
    let mut pair = |x: i32, gap: Real| {
        let at = Vec3::from_ints(x, 0, 0);
        world.spawn(BodyDef::dynamic().at(at).shape(ball)).unwrap();
        world.spawn(BodyDef::dynamic().at(at + Vec3::Y * (gap + 1)).shape(ball)).unwrap()
    };
    let (near, far) = (pair(0, real!(0.015625)), pair(9, real!(-0.125)));
    world.step();
    let color = |other: BodyId| {
        let lines = of_topic(&world, DebugTopic::Contacts).into_iter();
        let colors: BTreeSet<_> =
            lines.filter(|line| line.other == Some(other)).map(|line| line.color).collect();
        assert_eq!(colors.len(), 1);
        colors.into_iter().next()
    };
    assert_ne!(color(near), color(far));
}

#[test]
fn long_impulses_are_cut_to_ten_metres() {
    let world = played(30);
    let draw = DebugDraw::new([DebugTopic::Impulses]).impulse_scale(Real::MAX);
    let long = lines(&world, &draw);
    assert!(long.len() > 20);
    for line in long {
        let v: V = std::array::from_fn(|k| floats(line.end)[k] - floats(line.start)[k]);
        assert!(length(v) < 10.0 + 1e-6, "{line:?}");
    }
}

#[test]
fn sleeping_bodies_are_marked() {
    let mut world = rich::world();
    let (mut asleep, mut awake) = (0, 0);
    for _ in 0..12 {
        rich::play(&mut world, 10);
        let marked: BTreeSet<_> =
            of_topic(&world, DebugTopic::Sleep).into_iter().map(|line| line.body).collect();
        let solid = |body: &Body<'_>| body.shapes().any(|(_, shape)| !shape.sensor);
        let wanted =
            world.bodies().filter(|(_, body)| body.is_asleep() && body.is_enabled() && solid(body));
        let wanted: BTreeSet<_> = wanted.map(|(id, _)| id).collect();
        assert_eq!(marked, wanted, "tick {}", world.tick());
        asleep += marked.len();
        awake += world.bodies().count() - marked.len();
    }
    assert!(asleep > 10 && awake > 20, "{asleep} asleep, {awake} awake");
}

#[test]
fn bodies_of_an_island_share_a_colour() {
    let world = played(20);
    let (outlines, links): (Vec<_>, Vec<_>) =
        of_topic(&world, DebugTopic::Islands).into_iter().partition(|line| line.other.is_none());
    let mut colors = BTreeMap::new();
    for line in &outlines {
        assert_eq!(*colors.entry(line.body).or_insert(line.color), line.color, "{}", line.body);
    }
    let islands = world.islands();
    for (id, body) in world.bodies() {
        let wanted = islands.of(id).filter(|_| body.is_enabled());
        assert_eq!(colors.get(&id).copied(), wanted.map(|least| colors[&least]), "{id}");
    }
    assert!(colors.values().collect::<BTreeSet<_>>().len() > 3);
    let kind = |id: BodyId| world.body(id).unwrap().kind();
    // The edges of the islands: contacts, then joints.
    let contacts = world.contacts().map(|contact| contact.bodies());
    let joints = world.joints().filter(Joint::is_enabled);
    let joints = joints.filter_map(|joint| Some([joint.id().body(), joint.other()?]));
    let pairs = contacts.chain(joints);
    let wanted: Vec<_> =
        pairs.filter(|pair| pair.iter().all(|id| kind(*id) == BodyKind::Dynamic)).collect();
    assert!(!wanted.is_empty());
    assert!(links.iter().map(|line| [line.body, line.other.unwrap()]).eq(wanted));
    for line in links {
        let ends =
            [line.body, line.other.unwrap()].map(|id| world.body(id).unwrap().center_of_mass());
        assert_eq!([line.start, line.end], ends);
        assert_eq!(line.color, colors[&line.body]);
    }
}

#[test]
fn centres_of_mass_have_the_principal_axes() {
    let world = played(20);
    let draw = DebugDraw::new([DebugTopic::Centers]).mark(real!(0.5));
    let lines = lines(&world, &draw);
    let dynamic = |body: &Body<'_>| body.kind() == BodyKind::Dynamic && body.is_enabled();
    let bodies: Vec<_> = world.bodies().filter(|(_, body)| dynamic(body)).collect();
    assert_eq!(lines.len(), 3 * bodies.len());
    for (cross, (id, body)) in lines.chunks(3).zip(bodies) {
        // The axes are distinguishable.
        assert!((0..3).all(|i| cross[i].color != cross[(i + 1) % 3].color));
        for (axis, line) in cross.iter().enumerate() {
            assert_eq!(line.body, id);
            let mut half = [0.0; 3];
            half[axis] = 0.25;
            let half = rotate(body.rotation(), rotate(body.inertia_axes(), half));
            for k in 0..3 {
                let center = floats(body.center_of_mass())[k];
                assert!((floats(line.start)[k] - center + half[k]).abs() < 1e-6, "{id}");
                assert!((floats(line.end)[k] - center - half[k]).abs() < 1e-6, "{id}");
            }
        }
    }
}

/// The pairs inside, from the events alone.
#[test]
fn overlap_lines_follow_the_events_of_sensors() {
    let mut world = rich::world();
    let mut inside = BTreeSet::new();
    let mut most = 0;
    for _ in 0..80 {
        rich::act(&mut world);
        world.step();
        for event in world.events() {
            match event {
                Event::SensorEntered(pair) => _ = inside.insert((pair.bodies, pair.shapes)),
                Event::SensorLeft(pair) => _ = inside.remove(&(pair.bodies, pair.shapes)),
                _ => {}
            }
        }
        let finite = |id: BodyId, shape: u8| {
            let shapes = world.body(id).expect("it exists").shapes();
            let mut shapes = shapes.filter(|(number, _)| *number == shape);
            !matches!(shapes.next().unwrap().1.shape.geometry(), Geometry::HalfSpace)
        };
        let wanted = inside.iter().filter(|(bodies, shapes)| finite(bodies[1], shapes[1]));
        let mut wanted: Vec<_> = wanted.map(|(bodies, _)| *bodies).collect();
        let lines = of_topic(&world, DebugTopic::Sensors);
        let links = lines.iter().filter_map(|line| Some([line.body, line.other?]));
        let mut found: Vec<_> = links.collect();
        wanted.sort();
        found.sort();
        assert_eq!(found, wanted, "tick {}", world.tick());
        most = most.max(found.len());
    }
    assert!(most > 8, "{most}");
}

#[test]
fn the_colour_of_a_sensor_shows_if_something_is_inside() {
    let mut world = World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
    let ball = Shape::sphere(Real::HALF).unwrap();
    let zone = ShapeDef::from(Shape::cuboid(Vec3::ONE).unwrap()).sensor();
    let zone = world.spawn(BodyDef::fixed().shape(zone)).unwrap();
    let ball = BodyDef::dynamic().at(Vec3::X * 4).velocity(-Vec3::X * 6).shape(ball);
    let ball = world.spawn(ball).unwrap();
    let mut colors = Vec::new();
    for _ in 0..80 {
        world.step();
        let lines = of_topic(&world, DebugTopic::Sensors);
        assert!(lines.iter().all(|line| line.body == zone && line.color == lines[0].color));
        let inside = (floats(world.body(ball).unwrap().position())[0].abs() - 1.5) < 0.0;
        let link = lines.iter().any(|line| line.other == Some(ball));
        assert_eq!((lines.len(), link), (12 + usize::from(inside), inside));
        if colors.last() != Some(&lines[0].color) {
            colors.push(lines[0].color);
        }
    }
    assert!(matches!(colors[..], [a, b, c] if a == c && a != b), "{colors:?}");
}

/// After each tick of a straight run: the lines of the current tick.
fn straight(ticks: u32) -> Vec<Vec<DebugLine>> {
    let mut world = rich::world();
    let mut lists = vec![lines(&world, &all())];
    for _ in 0..ticks {
        rich::play(&mut world, 1);
        lists.push(lines(&world, &all()));
    }
    lists
}

#[test]
fn lines_are_the_same_on_every_path() {
    const TICKS: u32 = 60;
    let lists = straight(TICKS);
    assert!(lists.iter().all(|list| list.len() > 1000));
    let same = |world: &World, what: &str| {
        let tick = world.tick();
        assert!(lines(world, &all()) == lists[tick.0 as usize], "{what}, tick {tick}");
    };
    // Rolled back again and again, and at each held tick.
    let mut world = rich::world();
    while world.tick() < Tick(TICKS) {
        rich::play(&mut world, 1);
        if world.tick().0.is_multiple_of(12) {
            let now = world.tick();
            world.rewind(now - 9).unwrap();
            same(&world, "rewound");
            while world.tick() < now {
                rich::play(&mut world, 1);
                same(&world, "computed again");
            }
            let (oldest, _) = world.history().into_inner();
            for tick in oldest.0..=now.0 {
                let held = past_lines(&world, Tick(tick), &all());
                assert!(held == lists[tick as usize], "tick {tick} held at {now}");
            }
        }
    }
    // Restored, with nothing but the state.
    let mut other = rich::world();
    other.restore(&world.snapshot(Tick(TICKS - 5), None).unwrap()).unwrap();
    same(&other, "restored");
    rich::play(&mut other, 5);
    same(&other, "restored and played on");
    same(&other.clone(), "cloned");
    other.drop_scratch();
    same(&other, "without scratch");
    // On other threads and lanes.
    for lanes in Lanes::available() {
        let mut world = rich::world();
        assert!(world.set_lanes(lanes));
        world.set_threads(Threads::new(3).unwrap().eager());
        while world.tick() < Tick(TICKS) {
            rich::play(&mut world, 1);
            same(&world, lanes.name());
        }
    }
}

#[test]
fn drawing_changes_nothing() {
    let [mut drawn, mut plain] = [(); 2].map(|()| rich::world());
    for _ in 0..40 {
        rich::act(&mut drawn);
        rich::act(&mut plain);
        let before = drawn.digest();
        assert!(lines(&drawn, &all()).len() > 1000);
        assert_eq!(drawn.digest(), before);
        drawn.step();
        plain.step();
        assert_eq!(drawn.digest(), plain.digest());
    }
}

#[test]
fn nothing_is_drawn_without_topics() {
    assert_eq!(lines(&played(5), &DebugDraw::default()), []);
}

/// Sizes beyond their limits, and bodies at the end of the world.
#[test]
fn any_options_and_places_are_drawn() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let edge = Vec3::splat(real!(1073741823));
    for at in [edge, -edge] {
        world.spawn(BodyDef::fixed().at(at).shape(Shape::HALF_SPACE)).unwrap();
        let ball = Shape::sphere(real!(4096)).unwrap();
        world.spawn(BodyDef::dynamic().at(at).mass(real!(1000)).shape(ball)).unwrap();
    }
    for _ in 0..2 {
        for size in [Real::MIN, Real::ZERO, Real::EPSILON, Real::MAX] {
            let draw = all().mark(size).impulse_scale(size).patch(size);
            for line in lines(&world, &draw) {
                let v: V = std::array::from_fn(|k| floats(line.end)[k] - floats(line.start)[k]);
                // No line wraps around the range of numbers.
                assert!(length(v) < 30_000.0, "{line:?}");
            }
        }
        world.step();
    }
}

#[test]
fn joints_have_a_line_between_their_anchors_and_connect_islands() {
    let mut world = World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
    let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.25)).unwrap());
    let turned =
        Transform::new(Vec3::X * 3, Quat::from_axis_angle(Vec3::Y, Real::TAU / 4).unwrap());
    let first = world.spawn(ball.clone()).unwrap();
    let second = world.spawn(BodyDef { pose: turned, ..ball }).unwrap();
    // The second anchor is half a metre along the axis that the rotation turns from z to x.
    let rod = JointDef::rod(first, second, real!(3.5)).anchors(Vec3::ZERO, Vec3::Z * Real::HALF);
    let rod = world.add_joint(rod).unwrap();
    world.add_joint(JointDef::rod_to_world(second, Vec3::Y * 4, real!(5))).unwrap();
    world.step();
    let lines = of_topic(&world, DebugTopic::Joints);
    let near = |a: Vec3, b: V| (0..3).all(|k| (floats(a)[k] - b[k]).abs() < 1e-6);
    assert_eq!(lines.len(), 2);
    assert!(near(lines[0].start, [0.0; 3]) && near(lines[0].end, [3.5, 0.0, 0.0]), "{lines:?}");
    assert!(near(lines[1].start, [3.0, 0.0, 0.0]) && near(lines[1].end, [0.0, 4.0, 0.0]));
    assert_eq!([lines[0].other, lines[1].other], [Some(second), None]);
    let between = |world: &World| {
        let islands = of_topic(world, DebugTopic::Islands);
        islands.iter().filter(|line| (line.body, line.other) == (first, Some(second))).count()
    };
    assert_eq!(between(&world), 1);
    world.set_joint_enabled(rod, false).unwrap();
    assert_eq!(between(&world), 0, "a disabled joint connects no island");
    let dim = of_topic(&world, DebugTopic::Joints)[0];
    assert!(dim.color != lines[0].color && dim.start == lines[0].start);
}
