//! Reports for a game with a world: names of bodies, fixed fields that change, and variants of the world.

use isostep::check::{Check, Outcome};
use isostep::rollback::{LinkConfig, SessionEvent, SimMatch, SyncTest};
use isostep::{
    BodyDef, BodyId, Inputs, NewestWins, SessionConfig, Shape, Simulation, Snapshot, State, Tick,
    Vec3, World, WorldDef, real,
};
use std::cell::Cell;

thread_local! {
    /// Games made so far, beside their state.
    static MADE: Cell<u32> = const { Cell::new(0) };
}

/// A crate and a floor.
#[derive(State, Snapshot)]
struct Game {
    world: World,
    #[state(fixed)]
    crates: [BodyId; 1],
    #[state(fixed)]
    round: u32,
    #[state(fixed)]
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq, serde::Serialize)]
enum Fault {
    None,
    /// The fixed field is the tick, which is right again after every resimulated step.
    Fixed,
    /// Every second step of the process is another one.
    Random,
}

fn game(fault: Fault) -> Game {
    let mut world = World::new(WorldDef::default()).expect("the default is valid");
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).expect("a floor fits");
    let block = Shape::cuboid(Vec3::splat(real!(0.5))).expect("a valid size");
    let body = BodyDef::dynamic().at(Vec3::Y * 3).shape(block);
    let crates = [world.spawn(body).expect("it fits")];
    world.commit();
    Game { world, crates, round: 0, fault }
}

impl Simulation for Game {
    type Input = NewestWins<u8>;

    fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
        match self.fault {
            Fault::None => (),
            Fault::Fixed => self.round = tick.0 + 1,
            Fault::Random => {
                let made = MADE.get();
                MADE.set(made + 1);
                let push = Vec3::X * i32::from(made.is_multiple_of(7));
                self.world.apply_impulse(self.crates[0], push).expect("a dynamic body");
            }
        }
        self.world.step();
    }

    fn body_name(&self, body: BodyId) -> Option<String> {
        (body == self.crates[0]).then(|| "a crate".to_owned())
    }
}

#[test]
fn differences_have_the_names_of_bodies() {
    let found = SyncTest::new(1).run(&mut game(Fault::Random), 30, |_, _| ());
    let text = found.expect_err("random steps").to_string();
    assert!(text.contains("world body 1v1 (a crate), "), "{text}");
    let report = Check::new(1, || game(Fault::Random)).ticks(30).run();
    assert!(report.to_string().contains("world body 1v1 (a crate), "), "{report}");
}

#[test]
fn a_desync_has_the_name_of_the_body() {
    let config = &SessionConfig::new();
    let made = |_| game(Fault::Random);
    let mut sim = SimMatch::mesh(1, 2, config, LinkConfig::wifi(), made).expect("a match");
    let mut found = None;
    for _ in 0..300 {
        sim.run(1, |_, _, _| NewestWins(0)).expect("it runs");
        for event in &sim.machines()[0].events {
            if let SessionEvent::Desync(report) = event {
                found.get_or_insert(report.to_string());
            }
        }
    }
    let text = found.expect("a desync");
    assert!(text.contains("world body 1v1 (a crate), "), "{text}");
}

/// Regression: a fixed field whose value follows the tick is right again after each resimulated step, and only the state right
/// after a load has the value of a later tick. Sessions take digests of such states, so machines differed.
#[test]
fn the_sync_test_names_a_fixed_field_that_changes() {
    let found = SyncTest::new(1).run(&mut game(Fault::Fixed), 30, |_, _| ());
    let text = found.expect_err("the field changes").to_string();
    let expected = "tick 0, loaded 1 ticks later, differs: state, round: 0 at first, 1 then; a field that changes must not be `#[state(fixed)]`";
    assert_eq!(text, expected);
}

/// Something beside the world that depends on the variant.
fn changed(game: &mut Game) -> &mut World {
    game.round = 1;
    &mut game.world
}

#[test]
fn worlds_are_checked_at_every_width_and_on_threads() {
    let report = Check::new(1, || game(Fault::None)).worlds(|game| &mut game.world).ticks(60).run();
    assert!(report.is_equal(), "{report}");
    let mut variants: Vec<_> = report.rows.iter().map(|row| row.variant.as_str()).collect();
    variants.dedup();
    assert_eq!(&variants[..2], ["as made", "scalar lanes"], "{report}");
    assert!(variants.ends_with(&["2 threads", "8 threads"]), "{report}");

    let report = Check::new(1, || game(Fault::None)).worlds(changed).ticks(4).run();
    let differs = |variant: &str| {
        let mut rows = report.rows.iter().filter(|row| row.variant == variant);
        rows.all(|row| matches!(row.outcome, Outcome::Differs(_)))
    };
    assert!(differs("scalar lanes") && differs("8 threads"), "{report}");
    assert!(report.to_string().contains("state, round: 1, and 0 in the reference"), "{report}");
}
