//! Defects that were found from outside, one test for each. The judge is a fresh world that is given the commands that took
//! effect and keeps nothing between calls.

use isostep_core::Tick;
use isostep_core::shape::Shape;
use isostep_core::state::State;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Combine, Command, Event, Locks, Material, ResimMode, ShapeDef,
    WORLD_LIMIT, World, WorldDef,
};
use isostep_core::{Real, Transform, Vec3, real};
use isostep_exactness::{differences, straight};

/// A world under test that notes its commands by tick, and drops them when it goes back.
struct Logged {
    world: World,
    /// Commands of each tick so far, those of the present one last.
    ticks: Vec<Vec<Command>>,
}

impl Logged {
    fn new() -> Self {
        let world = World::new(WorldDef::default()).expect("the default is legal");
        Self { world, ticks: vec![Vec::new()] }
    }

    fn give(&mut self, command: Command) -> Option<BodyId> {
        let result = self.world.command(command.clone()).expect("the command is legal");
        self.ticks.last_mut().expect("one is open").push(command);
        result
    }

    fn spawn(&mut self, def: BodyDef) -> BodyId {
        self.spawn_in(0, def)
    }

    fn spawn_in(&mut self, stream: u8, def: BodyDef) -> BodyId {
        self.give(Command::Spawn(stream, Box::new(def))).expect("a spawn gives an id")
    }

    fn step(&mut self, times: u32) {
        for _ in 0..times {
            self.world.step();
            self.ticks.push(Vec::new());
        }
    }

    fn rewind(&mut self, tick: Tick) {
        self.world.rewind(tick).expect("the tick is held");
        self.drop_from(tick);
    }

    /// Drops commands from a tick on.
    fn drop_from(&mut self, tick: Tick) {
        self.ticks.truncate(tick.0 as usize);
        self.ticks.push(Vec::new());
    }

    /// Fails unless a straight replay of the commands gives the same state.
    fn check(&self, case: &str) {
        let (last, ticks) = self.ticks.split_last().expect("one is open");
        assert!(last.is_empty(), "{case}: no step has seen the last commands");
        let judge = straight(WorldDef::default(), ticks);
        let found = differences(&self.world, &judge);
        assert!(found.is_empty(), "{case}, tick {}:\n{}", judge.tick(), found.join("\n"));
        assert_eq!(self.world.digest(), judge.digest(), "{case}");
        let events = |world: &World| world.events().collect::<Vec<Event>>();
        assert_eq!(events(&self.world), events(&judge), "{case}");
    }

    /// Steps and checks every tick.
    fn step_checked(&mut self, times: u32, case: &str) {
        for _ in 0..times {
            self.step(1);
            self.check(case);
        }
    }
}

fn brick() -> Shape {
    Shape::cuboid(Vec3::splat(Real::HALF)).expect("within limits")
}

fn ball() -> Shape {
    Shape::sphere(Real::HALF).expect("within limits")
}

fn at(x: i32, y: Real) -> Vec3 {
    Vec3::new(Real::from_int(x), y, Real::ZERO)
}

/// A box that rests on a fixed box, and the two ids.
fn supported() -> (Logged, BodyId, BodyId) {
    let mut logged = Logged::new();
    let support = logged.spawn(BodyDef::fixed().at(at(0, -Real::HALF)).shape(brick()));
    let sleeper = logged.spawn(BodyDef::dynamic().at(at(0, Real::HALF)).shape(brick()));
    (logged, support, sleeper)
}

/// A box slept on a fixed box. A mispredicted kick, a call that dropped scratch, a step, and the rewind to the tick before
/// the kick: then the support was teleported away, and the box stayed asleep in mid-air. The list of bodies that bear sleepers
/// had been rebuilt for the tick of the kick, on which the box was awake, and was still used after the rewind.
#[test]
fn moving_a_support_wakes_its_sleepers_after_a_rewind() {
    type Drop = fn(&mut Logged);
    type Change = fn(BodyId) -> Command;
    let drops: [(&str, Drop); 5] = [
        ("set_history", |logged| logged.world.set_history(40)),
        ("drop_scratch", |logged| logged.world.drop_scratch()),
        ("slots", |logged| drop(logged.world.slots(60))),
        ("discard_commands", |logged| {
            logged.world.discard_commands();
            logged.ticks.last_mut().expect("one is open").clear();
        }),
        ("drop_scratch twice", |logged| {
            logged.world.drop_scratch();
            logged.step(1);
            logged.world.drop_scratch();
        }),
    ];
    let changes: [(&str, Change); 3] = [
        ("teleport", |support| Command::Teleport(support, Transform::at(Vec3::from_ints(9, 0, 0)))),
        ("despawn", Command::Despawn),
        ("disable", |support| Command::SetEnabled(support, false)),
    ];
    for (drop_name, drop) in drops {
        for (change_name, change) in changes {
            let case = format!("{drop_name}, {change_name}");
            let (mut logged, support, sleeper) = supported();
            logged.step(40);
            assert!(logged.world.body(sleeper).expect("it lives").is_asleep());
            logged.give(Command::Impulse(sleeper, Vec3::from_ints(0, 3000, 0)));
            logged.step(1);
            drop(&mut logged);
            logged.step(1);
            logged.rewind(Tick(40));
            logged.give(change(support));
            logged.step_checked(5, &case);
        }
    }
}

/// As before, with the ring of a session that grows: the world made its history longer in a step, which dropped scratch while
/// the box was in the air.
#[test]
fn moving_a_support_wakes_its_sleepers_after_a_load() {
    let (mut logged, support, sleeper) = supported();
    logged.world.set_history(2);
    let mut slots = logged.world.slots(2);
    logged.step(40);
    logged.world.save(&mut slots, Tick(40)).expect("nothing is unfinished");
    logged.give(Command::Impulse(sleeper, Vec3::from_ints(0, 3000, 0)));
    // Several steps in a tick of the session: the ring must grow to keep tick 40.
    logged.step(8);
    logged.world.load(&mut slots, Tick(40)).expect("it was saved");
    logged.drop_from(Tick(40));
    logged.give(Command::Teleport(support, Transform::at(Vec3::from_ints(9, 0, 0))));
    logged.step_checked(5, "load");
}

/// The supports of sleepers were collected from a step whose commands had replaced a fixed support by a dynamic body at the same
/// index, and the page of contacts that both states share was looked at once, with the new kind. After a rewind, taking the support
/// away woke nothing.
#[test]
fn a_support_that_was_dynamic_in_another_timeline_wakes_its_sleepers() {
    type Guess = fn(&mut Logged, BodyId);
    let guesses: [Guess; 2] = [
        |logged, support| {
            logged.give(Command::SetKind(support, BodyKind::Dynamic));
        },
        |logged, support| {
            logged.give(Command::Despawn(support));
            let other = logged.spawn(BodyDef::dynamic().at(at(9, real!(9))).shape(ball()));
            assert_eq!(other.to_bits() as u32, support.to_bits() as u32, "the index is used again");
        },
    ];
    for guess in guesses {
        let (mut logged, support, sleeper) = supported();
        // Until all ticks that are held share the page of contacts.
        logged.step(80);
        logged.world.drop_scratch();
        guess(&mut logged, support);
        logged.step(1);
        logged.rewind(Tick(80));
        assert!(logged.world.body(sleeper).is_some_and(|body| body.is_asleep()));
        logged.step(3);
        logged.give(Command::Despawn(support));
        logged.step_checked(3, "despawned after a wrong guess");
    }
}

/// A sensor was despawned at tick 5 and an identical one spawned after 0, 1 or 3 ticks. That was mispredicted: after
/// `rewind(5)` the first one stays. A later event of the old timeline was taken over as it was, and named the second.
#[test]
fn an_event_that_is_taken_over_names_the_body_of_this_timeline() {
    for wait in [0, 1, 3] {
        for true_second in [false, true] {
            let case = format!("respawn after {wait} ticks, true: {true_second}");
            let mut logged = Logged::new();
            logged.world.set_history(64);
            let goal = BodyDef::fixed().stay_events().shape(ShapeDef::from(brick()).sensor());
            let sensor = logged.spawn(goal.clone());
            // It falls through the sensor between ticks 15 and 35.
            logged.spawn(BodyDef::dynamic().at(at(0, real!(1.75))).shape(ball()));
            logged.step(5);
            let respawn = |logged: &mut Logged| {
                logged.give(Command::Despawn(sensor));
                logged.step(wait);
                logged.spawn(goal.clone());
            };
            if !true_second {
                respawn(&mut logged);
            }
            logged.step(30);
            let now = logged.world.tick();
            logged.rewind(Tick(5));
            if true_second {
                respawn(&mut logged);
            }
            logged.step_checked((now + 3).since(logged.world.tick()), &case);
        }
    }
}

/// As before, of one body: it was replaced by an identical one in one of the timelines, and fell asleep in both. The event of the old
/// timeline was taken over with its generation.
#[test]
fn an_event_of_one_body_names_the_body_of_this_timeline() {
    for replaced in [[true, false], [false, true]] {
        let mut logged = Logged::new();
        logged.world.set_history(64);
        for (round, replaced) in replaced.into_iter().enumerate() {
            logged.spawn(BodyDef::fixed().at(at(0, -Real::HALF)).shape(brick()));
            let def = BodyDef::dynamic().at(at(0, Real::HALF)).shape(brick());
            let sleeper = logged.spawn(def.clone());
            if replaced {
                logged.give(Command::Despawn(sleeper));
                logged.spawn(def);
            }
            logged.step_checked(45, &format!("round {round}, replaced: {replaced}"));
            if round == 0 {
                logged.rewind(Tick(0));
            }
        }
    }
}

/// Scratch was dropped while a box slept, so that the broad phase had no leaf for it. After a rewind to a tick on which it was
/// awake, a full step missed its pair with the floor: the contact ended, and the box fell through.
#[test]
fn a_full_step_after_a_rewind_finds_every_pair() {
    for back in [1, 5, 12, 25] {
        for full in [true, false] {
            let case = format!("back by {back}, full: {full}");
            let mut logged = Logged::new();
            logged.world.set_history(64);
            logged.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE));
            logged.spawn(BodyDef::dynamic().at(at(0, Real::HALF)).shape(brick()));
            logged.step(31);
            while logged.world.bodies().all(|(_, body)| !body.is_asleep()) {
                logged.step(1);
            }
            let asleep = logged.world.tick();
            logged.world.drop_scratch();
            logged.step(1);
            if full {
                logged.world.set_resim_mode(ResimMode::Full);
            }
            logged.rewind(asleep - back);
            if !full {
                logged.world.drop_step_records();
            }
            logged.step_checked(back + 3, &case);
        }
    }
}

/// Body 33, the first of a page of 32, was spawned at tick 9. After a rewind it was spawned at tick 7, and a wall at tick 8. The old
/// future had a page for them from tick 10 on, without the wall: at tick 10 the wall was at the origin, and the world refused its own
/// snapshot.
#[test]
fn a_page_of_the_old_future_hides_no_body() {
    let mut logged = Logged::new();
    for n in 0..32 {
        logged.spawn(BodyDef::fixed().at(at(2 * n, Real::ZERO)).shape(ball()));
    }
    logged.step(9);
    logged.spawn(BodyDef::dynamic().at(at(0, real!(5))).shape(ball()));
    logged.step(3);
    logged.rewind(Tick(7));
    logged.spawn(BodyDef::dynamic().at(at(0, real!(5))).shape(ball()));
    logged.step_checked(1, "body 33");
    logged.spawn(BodyDef::fixed().at(at(5, real!(7))).shape(brick()));
    for _ in 0..6 {
        logged.step_checked(1, "a wall");
        let tick = logged.world.tick();
        let snapshot = logged.world.snapshot(tick, None).expect("the present tick is held");
        let mut other = World::new(WorldDef::default()).expect("the default is legal");
        other.restore(&snapshot).expect("it is a snapshot of this build");
        assert_eq!(other.digest(), logged.world.digest());
    }
}

/// As before, with a stream of its own: its first body is on a new page, too. The old future had none of its bodies, or one at
/// another tick.
#[test]
fn a_page_of_the_old_future_hides_no_body_of_a_stream() {
    for old in [None, Some(1), Some(2), Some(3)] {
        for new in 0..4 {
            let case = format!("spawned at {old:?}, then at {new}");
            let mut logged = Logged::new();
            for tick in 0..6 {
                if old == Some(tick) {
                    logged.spawn_in(1, BodyDef::dynamic().shape(ball()));
                }
                logged.step(1);
            }
            logged.rewind(Tick(0));
            logged.step(new);
            logged.spawn_in(1, BodyDef::dynamic().shape(ball()));
            logged.spawn_in(1, BodyDef::fixed().at(at(5, real!(7))).shape(brick()));
            logged.step_checked(8 - new, &case);
        }
    }
}

/// A kinematic body pushed against the end of the world reports it on every tick. Spawned after a rewind, on a page that the old
/// future lacked, it reported it once: its row did not change, so it was taken for clean, and there was no old event to keep.
#[test]
fn a_body_at_the_end_of_the_world_reports_it_after_a_rewind() {
    let mut logged = Logged::new();
    logged.step(4);
    logged.rewind(Tick(0));
    let def = BodyDef::kinematic().at(Vec3::Y * WORLD_LIMIT).velocity(Vec3::Y * 3);
    logged.spawn(def.shape(ball()));
    logged.step_checked(6, "held");
    assert!(matches!(logged.world.events().next(), Some(Event::LeftWorld(_))));
}

fn restores(logged: &Logged, case: &str) {
    let tick = logged.world.tick();
    let snapshot = logged.world.snapshot(tick, None).expect("the present tick is held");
    let mut other = World::new(WorldDef::default()).expect("the default is legal");
    if let Err(error) = other.restore(&snapshot) {
        panic!("{case}, tick {tick}: a world refuses its own snapshot: {error}");
    }
    assert_eq!(other.digest(), logged.world.digest(), "{case}");
    assert!(other.events().eq(logged.world.events()), "{case}");
}

/// Two surfaces with a friction of 1.5 and [`Combine::Multiply`] have 2.25 together, beyond the 1.9 that one surface may have and
/// that a restore demanded: "its friction".
#[test]
fn frictions_that_multiply_can_be_restored() {
    for friction in [real!(0.5), real!(1), real!(1.5), Real::ratio(19, 10)] {
        for combine in [Combine::Average, Combine::Min, Combine::Multiply, Combine::Max] {
            let case = format!("{combine:?} of {friction}");
            let mut logged = Logged::new();
            let rough = Material { friction, ..Material::default() }.friction_combine(combine);
            let rough = |shape: Shape| ShapeDef::from(shape).material(rough);
            logged.spawn(BodyDef::fixed().shape(rough(Shape::HALF_SPACE)));
            let sliding = BodyDef::dynamic().at(at(0, Real::HALF)).velocity(Vec3::X * 2);
            logged.spawn(sliding.shape(rough(brick())));
            for _ in 0..20 {
                logged.step_checked(1, &case);
                restores(&logged, &case);
            }
        }
    }
}

/// A box on a half space whose origin is 3·10⁸ m away: contact points are stored from the first body, the half space, and a
/// restore refused them: "its points are too far away".
#[test]
fn a_box_far_from_the_origin_of_its_half_space_can_be_restored() {
    let far = Real::from_int(300_000_000);
    let corner = Real::from_int(1 << 30);
    for (floor, place) in [(Real::ZERO, far), (-far, far), (-corner, corner), (corner, -corner)] {
        for both in [false, true] {
            let case = format!("floor at {floor}, box at {place}, in z too: {both}");
            let side = |x: Real| Vec3::new(x, Real::ZERO, if both { x } else { Real::ZERO });
            let mut logged = Logged::new();
            logged.spawn(BodyDef::fixed().at(side(floor)).shape(Shape::HALF_SPACE));
            let def = BodyDef::dynamic().at(side(place) + Vec3::Y * Real::HALF);
            logged.spawn(def.shape(brick()));
            for _ in 0..5 {
                logged.step_checked(1, &case);
                restores(&logged, &case);
            }
        }
    }
}

/// Bits of locks beyond the six axes were accepted by a spawn and refused by a restore: "its locks".
#[test]
fn locks_that_a_spawn_accepts_can_be_restored() {
    for bits in 0..=255u8 {
        let Ok(locks) = Locks::try_from(bits) else {
            assert!(bits >= 64, "locks {bits:#x} are legal");
            continue;
        };
        let mut world = World::new(WorldDef::default()).expect("the default is legal");
        world.spawn(BodyDef { locks, ..BodyDef::dynamic().shape(ball()) }).expect("a legal body");
        world.step();
        let snapshot = world.snapshot(Tick(1), None).expect("the present tick is held");
        if let Err(error) = world.restore(&snapshot) {
            panic!("locks {bits:#x}: a world refuses its own snapshot: {error}");
        }
    }
}

/// Two boxes fell asleep as one island while they drifted apart, on the tick on which their distance passed the contact margin. A
/// mispredicted ball hit one of them in the old timeline and woke both, though no contact joined them any more. After the
/// rewind the ball missed. The box that was hit slept again; the other one kept its awake row of the old timeline.
#[test]
fn a_sleeping_island_without_contacts_is_resimulated_as_a_whole() {
    let smooth = Material { friction: Real::ZERO, ..Material::default() };
    let floor = Shape::cuboid(Vec3::from_ints(50, 1, 50)).expect("within limits");
    for case in 0..160 {
        // 12 to 20 mm apart at first; about 5 mm more when they sleep.
        let gap = Real::ratio(12_000 + 50 * case, 1_000_000);
        let mut logged = Logged::new();
        logged.spawn(
            BodyDef::fixed().at(at(0, -Real::ONE)).shape(ShapeDef::from(floor).material(smooth)),
        );
        let slider = ShapeDef::from(brick()).material(smooth);
        logged.spawn(BodyDef::dynamic().at(at(0, Real::HALF)).shape(slider.clone()));
        let drifting = BodyDef::dynamic().at(Vec3::new(Real::ONE + gap, Real::HALF, Real::ZERO));
        let drifting = logged.spawn(drifting.shape(slider));
        logged.give(Command::SetVelocity(drifting, Vec3::X * Real::ratio(1, 100)));
        let ball = logged.spawn(BodyDef::dynamic().at(at(4, Real::HALF)).shape(ball()));
        logged.step(60);
        let start = logged.world.tick();
        logged.give(Command::SetVelocity(ball, Vec3::from_ints(-8, 0, 0)));
        logged.step(30);
        logged.rewind(start);
        for _ in 0..6 {
            logged.step(5);
            logged.check(&format!("case {case}"));
        }
    }
}
