//! Ticks that a world holds: they depend on the path to a tick, so a step must not read them.

use super::{assert_shown, report};
use isostep::world::QueryFilter;
use isostep::{
    BodyDef, BodyId, Inputs, NewestWins, Shape, Simulation, Snapshot, State, Tick, Vec3, World,
    WorldDef, real,
};

/// A ball that flies through the line of fire.
fn world() -> (World, BodyId) {
    let mut world = World::new(WorldDef { gravity: Vec3::ZERO, ..WorldDef::default() }).unwrap();
    let ball = BodyDef::dynamic().shape(Shape::sphere(real!(1)).unwrap());
    let ball = ball.at(Vec3::X * 5 - Vec3::Z * real!(1)).velocity(Vec3::Z);
    let target = world.spawn(ball).unwrap();
    world.commit();
    (world, target)
}

#[derive(State, Snapshot)]
struct Range {
    world: World,
    hits: u32,
}

impl Simulation for Range {
    type Input = NewestWins<i8>;
    fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
        let everything = QueryFilter::default();
        let seen = Tick(tick.0.saturating_sub(6)); // what the shooter saw
        let past = self.world.past(seen).ok();
        let hit = past.and_then(|past| past.cast_ray(Vec3::ZERO, Vec3::X * 9, &everything));
        self.hits += u32::from(hit.is_some());
        self.world.step();
    }
}

mod right {
    use super::*;

    #[derive(State, Snapshot)]
    pub(super) struct Range {
        pub(super) world: World,
        pub(super) target: BodyId,
        pub(super) poses: Vec<Vec3>,
        pub(super) hits: u32,
    }

    impl Simulation for Range {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
            let target = self.world.body(self.target).map(|body| body.position());
            self.poses.extend(target);
            let seen = self.poses[self.poses.len().saturating_sub(7)]; // what the shooter saw
            self.hits += u32::from(seen.distance(Vec3::X * 5) < real!(1));
            self.poses.drain(..self.poses.len().saturating_sub(6));
            self.world.step();
        }
    }
}

#[test]
fn reading_a_past_tick_in_step_is_located() {
    let wrong = report(|| Range { world: world().0, hits: 0 });
    let right = report(|| {
        let (world, target) = world();
        right::Range { world, target, poses: Vec::new(), hits: 0 }
    });
    assert_shown("Past ticks", &wrong, &right);
}
