//! A small random game with mispredictions: its world, its players and its script.

use isostep_core::Tick;
use isostep_core::digest::Digest;
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Command, Filter, JointDef, Material, ResimMode, ShapeDef, World,
    WorldDef,
};
use isostep_core::{Quat, Real, Rng, Transform, Vec3, real};

/// Parameters of a case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) bodies: u8,
    pub(crate) players: u8,
    /// Feature bits of the world and its script.
    pub(crate) features: u16,
    /// Rollbacks: tick, depth, kind of misprediction, additional operations.
    pub(crate) rollbacks: Vec<(u8, u8, u8, u8)>,
}

impl Case {
    const fn has(&self, bit: u16) -> bool {
        self.features >> bit & 1 == 1
    }
}

pub(crate) struct Game {
    pub(crate) world: World,
    players: Vec<BodyId>,
    props: Vec<BodyId>,
    platforms: Vec<BodyId>,
}

fn brick(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z)).unwrap()
}

impl Game {
    pub(crate) fn new(case: &Case) -> Self {
        let def = WorldDef {
            time_to_sleep: if case.has(0) { Real::ratio(1, 10) } else { Real::HALF },
            ..WorldDef::default()
        };
        let mut world = World::with_history(def, 16).unwrap();
        let mut rng = Rng::keyed(case.seed, 0, 0, 1);
        let mut within = |limit: Real| rng.between(-limit, limit).unwrap();
        let floor =
            if case.has(1) { Shape::HALF_SPACE } else { brick(real!(40), real!(1), real!(40)) };
        let floor_y = if case.has(1) { Real::ZERO } else { real!(-1) };
        let floor = BodyDef::fixed().at(Vec3::Y * floor_y).shape(floor);
        let floor_body = world.spawn(floor).unwrap();
        let spread = if case.has(2) { real!(4) } else { real!(12) };
        let mut props = Vec::new();
        let mut platforms = Vec::new();
        for i in 0..case.bodies {
            let (x, z) = (within(spread), within(spread));
            let y = real!(0.5) + Real::from_int(i32::from(i % 4));
            let shape = match i % 4 {
                0 | 3 => brick(Real::HALF, Real::HALF, Real::HALF),
                1 => Shape::sphere(Real::HALF).unwrap(),
                _ => Shape::capsule(Real::ratio(3, 10), Real::ratio(35, 100)).unwrap(),
            };
            // In every third game bodies bounce.
            let restitution = if case.seed.is_multiple_of(3) { real!(0.75) } else { Real::ZERO };
            let material = Material { restitution, ..Material::default() };
            let solid = ShapeDef::from(shape).material(material);
            let mut body = BodyDef::dynamic().at(Vec3::new(x, y, z)).shape(solid);
            if case.has(3) && i % 5 == 0 {
                let beside = Vec3::X;
                body = body.shape(ShapeDef::from(shape).at(beside));
            }
            if case.has(4) && i % 6 == 1 {
                let eye = Shape::sphere(real!(1.5)).unwrap();
                body = body.shape(ShapeDef::from(eye).sensor()).stay_events();
            }
            if i % 7 == 2 {
                body = body.persist_events();
            }
            props.push(world.spawn_in(i % 2, body).unwrap());
        }
        // In every fourth game props hang on each other, on the world and on the floor.
        if case.seed.is_multiple_of(4) {
            for (i, pair) in props.windows(2).enumerate() {
                let def = match i % 4 {
                    0 => JointDef::rod(pair[0], pair[1], real!(1.5)),
                    1 => JointDef::rod_to_world(pair[0], Vec3::from_ints(0, 6, i as i32), real!(4)),
                    2 => JointDef::rod(floor_body, pair[1], real!(3)).anchors(Vec3::Y, Vec3::X),
                    _ => continue,
                };
                world.add_joint(if i % 3 == 0 { def.collide() } else { def }).unwrap();
            }
        }
        if case.has(5) {
            let zone = ShapeDef::from(brick(real!(2), real!(2), real!(2))).sensor();
            world.spawn(BodyDef::fixed().at(Vec3::from_ints(1, 1, 1)).shape(zone)).unwrap();
        }
        if case.has(6) {
            let slab = brick(real!(2), real!(0.25), real!(2));
            let place = Vec3::new(within(spread), real!(0.5), within(spread));
            platforms.push(world.spawn(BodyDef::kinematic().at(place).shape(slab)).unwrap());
        }
        if case.has(7) {
            let gate = ShapeDef::from(brick(real!(1), real!(1), real!(1))).sensor();
            let place = Vec3::new(within(spread), real!(1), within(spread));
            platforms.push(world.spawn(BodyDef::kinematic().at(place).shape(gate)).unwrap());
        }
        let mut players = Vec::new();
        for player in 0..case.players {
            let place = Vec3::new(within(spread), real!(1), within(spread));
            let shape = brick(Real::ratio(4, 10), real!(0.875), Real::ratio(4, 10));
            let body = BodyDef::dynamic().at(place).shape(shape).lock_rotation();
            players.push(world.spawn_in(2 + player, body).unwrap());
        }
        world.commit();
        Self { world, players, props, platforms }
    }

    /// The game's step: commands from inputs, tick and state.
    #[allow(clippy::too_many_lines, reason = "an arm for each thing that a player can do")]
    pub(crate) fn act(&mut self, case: &Case, tick: u32, input: impl Fn(u8, u32) -> u8) {
        for player in 0..case.players {
            let input = input(player, tick);
            let id = self.players[usize::from(player)];
            let Some(body) = self.world.body(id) else { continue };
            let (place, velocity) = (body.position(), body.velocity());
            let axis = |bits: u8| Real::from_int(i32::from(bits & 3) - 1) * real!(3);
            if input & 0b1111 != 0b0101 {
                let wanted = Vec3::new(axis(input), velocity.y, axis(input >> 2));
                self.world.set_velocity(id, wanted).unwrap();
            }
            // Rare actions.
            match input >> 4 {
                0 if case.has(8) => {
                    let ball = Shape::sphere(Real::ratio(2, 10)).unwrap();
                    let bullet = BodyDef::dynamic()
                        .at(place + Vec3::new(axis(input), real!(1), real!(1)))
                        .velocity(Vec3::new(axis(input) * real!(3), Real::ZERO, real!(4)))
                        .shape(ball);
                    // Sometimes the first body of a stream without pages.
                    let stream = if tick.is_multiple_of(2) { 2 + player } else { 6 + player };
                    self.world.spawn_in(stream, bullet).unwrap();
                }
                1 if case.has(9) => {
                    // The first body from a number on: a prop, a bullet, a wall.
                    let victim = self.prop(tick, input);
                    let _ = victim.map(|victim| self.world.despawn(victim));
                }
                2 if case.has(10) => {
                    let to = Transform::at(place + Vec3::Y * real!(2));
                    let moved = self.prop(tick, input);
                    let _ = moved.map(|moved| self.world.teleport(moved, to));
                }
                3 if case.has(11) => {
                    if let Some(prop) = self.prop(tick, input) {
                        let on = tick.is_multiple_of(2);
                        let _ = self.world.command(Command::SetEnabled(prop, on));
                    }
                }
                4 if case.has(12) => {
                    let wall = brick(Real::HALF, Real::HALF, real!(0.125));
                    let at = place + Vec3::new(axis(input), Real::ZERO, axis(input >> 2));
                    let _ = self.world.spawn_in(2 + player, BodyDef::fixed().at(at).shape(wall));
                }
                5 if case.has(13) => {
                    if let Some(prop) = self.prop(tick, input) {
                        let kind = [BodyKind::Fixed, BodyKind::Dynamic, BodyKind::Kinematic]
                            [(tick % 3) as usize];
                        let _ = self.world.command(Command::SetKind(prop, kind));
                    }
                }
                6 => {
                    if let Some(prop) = self.prop(tick, input) {
                        let push = Vec3::new(axis(input), real!(1), axis(input >> 2)) * real!(300);
                        let _ = self.world.apply_impulse(prop, push);
                    }
                }
                7 if case.has(14) => {
                    if let Some(prop) = self.prop(tick, input) {
                        let slick = Material { friction: Real::ZERO, ..Material::default() };
                        let _ = self.world.command(Command::SetMaterial(prop, 0, slick));
                    }
                }
                8 | 9 => {
                    // A platform called by a player.
                    for &platform in &self.platforms {
                        let to = place + Vec3::new(axis(input), Real::ZERO, axis(input >> 2));
                        let Some(body) = self.world.body(platform) else { continue };
                        let at = body.position();
                        let step = (to - at).map(|c| c.clamp(real!(-0.0625), real!(0.0625)));
                        let _ = self.world.move_to(platform, Transform::at(at + step));
                    }
                }
                10 => {
                    for &platform in &self.platforms {
                        let _ = self.world.set_velocity(platform, Vec3::ZERO);
                    }
                }
                11 if case.has(15) => {
                    if let Some(prop) = self.prop(tick, input) {
                        let turn = Quat::from_axis_angle(Vec3::Y, axis(input)).unwrap();
                        let at = self.world.body(prop).unwrap().position();
                        let _ = self.world.teleport(prop, Transform::new(at, turn));
                    }
                }
                12 | 13 => {
                    if let Some(prop) = self.prop(tick, input) {
                        let filter = Filter { layer: 0, group: u32::from(input & 1) * 5 };
                        let change = match tick % 4 {
                            0 => Command::SetFilter(prop, 0, filter),
                            1 => Command::SetCanSleep(prop, input & 1 == 0),
                            2 => Command::SetGravityScale(prop, axis(input)),
                            _ => Command::SetDamping(prop, Real::HALF, Real::HALF),
                        };
                        let _ = self.world.command(change);
                    }
                }
                15 if case.seed.is_multiple_of(4) => self.tie(tick, input, id),
                14 => {
                    if let Some(prop) = self.prop(tick, input) {
                        let spin = Vec3::new(axis(input), real!(2), axis(input >> 2));
                        let _ = self.world.set_angular_velocity(prop, spin);
                        let _ = self.world.wake(prop);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds, changes or removes a joint.
    fn tie(&mut self, tick: u32, input: u8, player: BodyId) {
        let joint = self.world.joints().nth(usize::from(input & 7)).map(|joint| joint.id());
        let length = Real::HALF + Real::from_int(i32::from(input & 3));
        match (tick / 5 % 5, joint) {
            (0, Some(joint)) => self.world.remove_joint(joint).unwrap(),
            (1, Some(joint)) => self.world.set_joint_length(joint, length).unwrap(),
            (2, Some(joint)) => self.world.set_joint_enabled(joint, input & 1 == 0).unwrap(),
            _ => {
                let Some(prop) = self.prop(tick, input) else { return };
                let other = self.prop(tick + 1, input >> 1).filter(|other| *other != prop);
                let def = match other {
                    Some(other) => JointDef::rod(prop, other, length),
                    None => JointDef::rod(player, prop, length),
                };
                let _ = self.world.add_joint(def);
            }
        }
    }

    fn prop(&self, tick: u32, input: u8) -> Option<BodyId> {
        let all: Vec<_> = self.world.bodies().map(|(id, _)| id).collect();
        let alive = |id: &BodyId| self.world.body(*id).is_some();
        let from_props = self.props.iter().copied().filter(alive).nth(usize::from(input & 7));
        let at = (tick as usize * 7 + usize::from(input)) % all.len();
        // Never the floor, which is the first body.
        from_props.or_else(|| all.get(at.max(1)).copied()).filter(|id| !self.players.contains(id))
    }
}

/// The true input of a player.
pub(crate) fn input(case: &Case, player: u8, tick: u32) -> u8 {
    // Held for a few ticks, as players do.
    Rng::keyed(case.seed, u64::from(tick / 5), u64::from(player), 7).next_u32() as u8
}

/// The state as bytes, and its digest.
fn state(world: &World) -> (Vec<u8>, Digest) {
    let mut bytes = Vec::new();
    world.encode(&mut bytes);
    (bytes, world.digest())
}

/// The first row that differs, as text.
fn first_row(full: &World, fast: &World) -> String {
    let rows = |world: &World| {
        let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
        world.rows_among(&ids)
    };
    let (full, fast) = (rows(full), rows(fast));
    let only = |a: &[(String, String)], b: &[(String, String)]| {
        a.iter().find(|row| !b.contains(row)).map(|(name, text)| format!("{name} {text}"))
    };
    format!("full {:?}\nfast {:?}", only(&full, &fast), only(&fast, &full))
}

/// Plays a case in three ways and compares them: never mispredicted, rolled back in full, rolled back incrementally. Returns the
/// first difference and the incremental world. `change` is applied to that world at the start.
pub(crate) fn run(case: &Case, change: impl Fn(&mut World)) -> (Option<String>, World) {
    const TICKS: u32 = 64;
    let truth = |player: u8, tick: u32| input(case, player, tick);
    let mut straight = Game::new(case);
    let mut expected = vec![state(&straight.world)];
    for tick in 0..TICKS {
        straight.act(case, tick, truth);
        straight.world.step();
        expected.push(state(&straight.world));
    }
    let (mut full, mut fast) = (Game::new(case), Game::new(case));
    full.world.set_resim_mode(ResimMode::Full);
    change(&mut fast.world);
    let mut difference = None;
    // First tick with a predicted input of player 0, and the prediction.
    let mut guess = (u32::MAX, 0u8);
    let mut rollbacks = case.rollbacks.clone();
    rollbacks.sort();
    let mut rollbacks = rollbacks.into_iter().peekable();
    let mut step = |full: &mut Game, fast: &mut Game, guess: (u32, u8)| {
        let tick = full.world.tick().0;
        let inputs = |player: u8, tick: u32| {
            if player == 0 && tick >= guess.0 { guess.1 } else { truth(player, tick) }
        };
        full.act(case, tick, inputs);
        fast.act(case, tick, inputs);
        full.world.step();
        fast.world.step();
        let (a, b) = (state(&full.world), state(&fast.world));
        #[cfg(feature = "test-internals")]
        if fast.world.digest_tree_anew(Tick(tick + 1)).unwrap().root() != b.1
            && difference.is_none()
        {
            difference = Some(format!("tick {}: a page remembers an old digest", tick + 1));
        }
        if a != b && difference.is_none() {
            let rows = first_row(&full.world, &fast.world);
            difference = Some(format!("tick {}: incremental differs from full: {rows}", tick + 1));
        }
        if tick < guess.0 && b != expected[tick as usize + 1] && difference.is_none() {
            difference = Some(format!("tick {}: differs from never mispredicted", tick + 1));
        }
    };
    while full.world.tick().0 < TICKS {
        let tick = full.world.tick().0;
        while let Some((_, depth, wrong, extra)) = rollbacks.next_if(|r| u32::from(r.0) <= tick) {
            let now = tick;
            let to = tick.saturating_sub(u32::from(depth)).max(fast.world.history().start().0);
            let half = to + (now - to).div_ceil(2);
            // First the misprediction: rewind and resimulate with a wrong input; then the true input. The misprediction may get only
            // halfway before the next rewind, or continue from slightly before.
            let until = if extra & 4 == 4 { half } else { now };
            let mut rounds = vec![(to, until, (to, wrong))];
            if extra & 8 == 8 {
                rounds.push((half.max(to + 1) - 1, now, (to, wrong)));
            }
            rounds.push((to, now, (u32::MAX, 0)));
            for (round, (back, until, guessed)) in rounds.into_iter().enumerate() {
                guess = guessed;
                if extra & 1 == 1 && round > 0 {
                    fast.world.drop_step_records();
                }
                full.world.rewind(Tick(back)).unwrap();
                fast.world.rewind(Tick(back)).unwrap();
                if extra & 2 == 2 {
                    fast.world.drop_scratch();
                }
                while full.world.tick().0 < until {
                    step(&mut full, &mut fast, guess);
                    // A state transfer during the resimulation: no older tick is held after it.
                    if extra & 16 == 16 && guess.0 == u32::MAX && full.world.tick().0 == half {
                        let base = *fast.world.history().start();
                        let base = (extra & 32 == 32).then_some(base);
                        let snapshot = fast.world.snapshot(Tick(half), base).unwrap();
                        fast.world.restore(&snapshot).unwrap();
                    }
                }
            }
        }
        step(&mut full, &mut fast, guess);
    }
    (difference, fast.world)
}
