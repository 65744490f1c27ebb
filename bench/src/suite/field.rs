//! Cost of a misprediction: 1,000 bricks in 200 stacks, rolled back by several depths with one,
//! ten, a hundred or all of them mispredicted; and the cost of a digest.

use super::{Options, count};
use crate::interleave::{Contender, in_turn, micros};
use crate::report::{Axis, Line, Plot, Point, Report, Row, Section, Unit};
use crate::simulation::DEPTHS;
use crate::stats::Spread;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, ResimMode, World, WorldDef};
use isostep_core::{Real, Vec3, real};

const BRICKS: usize = 1000;
/// Number of mispredicted bricks.
const WRONG: [usize; 4] = [1, 10, 100, 1000];
/// Ticks after which bodies rest and every frame of the history was used once.
pub(super) const SETTLE: u32 = 60;

/// Bricks in stacks of five, 4 m apart, with sleeping disabled.
pub(super) fn stacks(bricks: usize) -> (World, Vec<BodyId>) {
    let side = (bricks / 5).isqrt().max(1) as i32;
    laid(bricks, |i| {
        let (stack, y) = (i / 5, i % 5);
        let at = |number: i32| Real::from_int(number * 4);
        Vec3::new(at(stack % side), Real::HALF + Real::from_int(y), at(stack / side))
    })
}

/// Unit bricks on a floor at given positions.
#[allow(clippy::missing_panics_doc, reason = "bricks and places are constants within the limits")]
pub(super) fn laid(bricks: usize, place: impl Fn(i32) -> Vec3) -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldDef::default()).expect("the default is fine");
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).expect("a floor");
    let brick = Shape::cuboid(Vec3::splat(Real::HALF)).expect("a brick");
    let body = |i: i32| BodyDef::dynamic().at(place(i)).shape(brick).stay_awake();
    let ids = (0..bricks as i32).map(|i| world.spawn(body(i)).expect("a brick")).collect();
    world.commit();
    (world, ids)
}

fn settled(mode: ResimMode) -> (World, Vec<BodyId>) {
    let (mut world, ids) = stacks(BRICKS);
    world.set_resim_mode(mode);
    for _ in 0..SETTLE {
        world.step();
    }
    (world, ids)
}

/// Steps with some bricks pushed along +X, rewinds, and steps the same ticks with the same bricks
/// pushed along -X.
fn rollback(world: &mut World, ids: &[BodyId], wrong: usize, depth: u32) -> f64 {
    let pushed: Vec<BodyId> = ids.iter().copied().step_by(ids.len() / wrong).collect();
    let play = |world: &mut World, speed: Real| {
        for _ in 0..depth {
            for id in &pushed {
                // The bricks exist and are slow.
                let _ = world.set_velocity(*id, Vec3::X * speed);
            }
            world.step();
        }
    };
    let now = world.tick();
    play(world, real!(0.0625));
    micros(|| {
        // The tick is still held.
        let _ = world.rewind(now);
        play(world, real!(-0.0625));
    })
}

pub(super) fn measure(options: &Options, report: &mut Report, progress: &mut dyn FnMut(&str)) {
    let mut rows = Vec::new();
    progress("rollback: settling 1,000 bricks");
    // Full resimulation first, then incremental.
    let mut worlds: Vec<_> = [(ResimMode::Full, 1)]
        .into_iter()
        .chain(WRONG.map(|wrong| (ResimMode::Incremental, wrong)))
        .map(|(mode, wrong)| (settled(mode), wrong))
        .collect();
    for depth in DEPTHS {
        progress(&format!("rollback by {depth}"));
        let mut contenders: Vec<Contender<'_>> = worlds
            .iter_mut()
            .map(|((world, ids), wrong)| {
                Box::new(|| rollback(world, ids, *wrong, depth)) as Contender<'_>
            })
            .collect();
        let samples = in_turn(options.rounds(21, 5), &mut contenders);
        for (place, samples) in samples.iter().enumerate() {
            let (key, what) = match place.checked_sub(1).map(|place| WRONG[place]) {
                None => ("full".to_owned(), "full resimulation".to_owned()),
                Some(wrong) => (wrong.to_string(), share(wrong)),
            };
            let name = format!("by {depth}: {what}");
            let row =
                |ours| Row::new(format!("rollback/{depth}/{key}"), name, Unit::Microseconds, ours);
            rows.extend(Spread::of(samples).map(row));
        }
    }
    report.plots.extend(plots(&rows));
    let note = "1,000 bricks awake in 200 stacks of five; the mispredicted bricks are far apart, so that 100 of them \
                are in 100 stacks. The result is bit for bit that of full resimulation."
        .to_owned();
    report.sections.push(Section {
        title: "Rollback by depth and by share of mispredicted bodies".to_owned(),
        note,
        rows,
    });
    progress("digest");
    report.sections.push(digest(options));
}

fn share(wrong: usize) -> String {
    format!("{} % mispredicted", wrong as f64 * 100.0 / BRICKS as f64)
}

fn plots(rows: &[Row]) -> [Plot; 2] {
    let spread = |depth: u32, key: &str| {
        let key = format!("rollback/{depth}/{key}");
        rows.iter().find(|row| row.key == key).map(|row| row.ours)
    };
    let by_share = |depth: u32| {
        let points = WRONG.iter().filter_map(|wrong| {
            let x = *wrong as f64 * 100.0 / BRICKS as f64;
            Some(Point::of(x, spread(depth, &wrong.to_string())?))
        });
        let plural = if depth == 1 { "" } else { "s" };
        Line { name: format!("{depth} tick{plural}"), points: points.collect() }
    };
    let by_depth = |key: &str, name: String| {
        let point = |depth: &u32| Some(Point::of(f64::from(*depth), spread(*depth, key)?));
        Line { name, points: DEPTHS.iter().filter_map(point).collect() }
    };
    let mut depths = vec![by_depth("full", "full resimulation".to_owned())];
    depths.extend(WRONG.iter().rev().map(|wrong| by_depth(&wrong.to_string(), share(*wrong))));
    [
        Plot {
            title: "Rollback against the share of mispredicted bodies".to_owned(),
            note: "A line per depth in ticks; 1,000 bricks awake in 200 stacks.".to_owned(),
            x: Axis::log("share of mispredicted bodies, %"),
            y: Axis::log("µs a rollback"),
            lines: DEPTHS.iter().rev().map(|depth| by_share(*depth)).collect(),
        },
        Plot {
            title: "Rollback against depth".to_owned(),
            note: "A line per share of mispredicted bodies.".to_owned(),
            x: Axis::linear("depth, ticks"),
            y: Axis::log("µs a rollback"),
            lines: depths,
        },
    ]
}

/// Measures a digest after each eighth step, beside the step.
fn digest(options: &Options) -> Section {
    let (mut world, _) = settled(ResimMode::Incremental);
    let (mut digests, mut steps, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds(61, 15) {
        let eight: Vec<f64> = (0..8).map(|_| micros(|| world.step())).collect();
        let digest = micros(|| world.digest());
        shares.push(digest / eight.iter().sum::<f64>());
        digests.push(digest);
        steps.extend(eight);
    }
    let mut rows = Vec::new();
    for (key, name, unit, samples) in [
        ("digest/step", "a step", Unit::Microseconds, &steps),
        ("digest/time", "a digest of a tick in which all moved", Unit::Microseconds, &digests),
        ("digest/share", "a digest every 8 ticks, of the steps", Unit::Share, &shares),
    ] {
        rows.extend(Spread::of(samples).map(|ours| Row::new(key, name, unit, ours)));
    }
    let note = format!("{} bricks awake in 200 stacks of five.", count(BRICKS));
    Section { title: "Digest".to_owned(), note, rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::Tick;

    #[test]
    fn a_small_misprediction_resimulates_few_bodies() {
        let (mut world, ids) = stacks(100);
        for _ in 0..10 {
            world.step();
        }
        rollback(&mut world, &ids, 1, 3);
        assert_eq!(world.tick(), Tick(13));
        world.rewind(Tick(12)).unwrap();
        let _ = world.set_velocity(ids[0], Vec3::X);
        assert_eq!(world.step().bodies, 5, "one stack of five");
    }
}
