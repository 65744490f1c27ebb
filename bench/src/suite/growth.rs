//! Scaling with the number of bodies: large worlds interleaved with small ones; and sleeping
//! bodies, which should be free.

use super::field::{SETTLE, laid, stacks};
use super::staging::SEED;
use super::{Options, count, row};
use crate::interleave::{Contender, in_turn, micros};
use crate::report::{Axis, Line, Plot, Point, Report, Row, Section, Unit};
use crate::stats::Spread;
use isostep_core::world::World;
use isostep_core::{Real, Vec3};
use isostep_scenes::scenes;

const SMALL: usize = 1000;
const SIZES: [usize; 4] = [2000, 5000, 10_000, 20_000];
const VISITORS: u32 = 100;
/// Ticks of one sample beside sleeping bodies.
const TURN: u32 = 10;

pub(super) fn measure(options: &Options, report: &mut Report, progress: &mut dyn FnMut(&str)) {
    let sizes = if options.quick { &SIZES[..1] } else { &SIZES[..] };
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for (key, name, build) in [
        ("islands", "many islands", (|n| stacks(n).0) as fn(usize) -> World),
        ("pile", "one pile", pile),
    ] {
        let mut points = Vec::new();
        for &size in sizes {
            progress(&format!("growth, {name}: {} bodies", count(size)));
            let mut worlds = [SMALL, size].map(|size| settled(build(size)));
            let mut contenders: Vec<Contender<'_>> = worlds
                .iter_mut()
                .map(|world| Box::new(|| micros(|| world.step())) as Contender<'_>)
                .collect();
            let samples = in_turn(options.rounds(21, 9), &mut contenders);
            let step = |size: usize, samples: &[f64]| {
                let key = format!("growth/{key}/{size}");
                let title = format!("{name}, {} bodies", count(size));
                Some(Row::new(key, title, Unit::Microseconds, Spread::of(samples)?))
            };
            if points.is_empty() {
                rows.extend(step(SMALL, &samples[0]));
                points
                    .extend(Spread::of(&samples[0]).map(|spread| Point::of(SMALL as f64, spread)));
            }
            points.extend(Spread::of(&samples[1]).map(|spread| Point::of(size as f64, spread)));
            rows.extend(step(size, &samples[1]));
            let factor = size as f64 / SMALL as f64;
            let times: Vec<f64> = samples[1]
                .iter()
                .zip(&samples[0])
                .map(|(large, small)| large / small / factor)
                .collect();
            let whole = size == SIZES[SIZES.len() - 1];
            let key =
                if whole { format!("growth/{key}") } else { format!("growth/{key}/{size}/linear") };
            let title = format!("{name}, {} bodies, of linear", count(size));
            rows.extend(Spread::of(&times).map(|ours| Row::new(key, title, Unit::Times, ours)));
        }
        lines.push(Line { name: name.to_owned(), points });
    }
    rows.extend(asleep(options, progress));
    report.plots.insert(
        0,
        Plot {
            title: "Step against bodies".to_owned(),
            note: "All awake: stacks of five, and one pile ten bricks high.".to_owned(),
            x: Axis::log("bodies awake"),
            y: Axis::log("µs a step"),
            lines,
        },
    );
    let note = "Each size takes turns with 1,000 bodies; \"of linear\" is its time for a body divided by theirs.".to_owned();
    report.sections.push(Section { title: "Growth".to_owned(), note, rows });
}

fn settled(mut world: World) -> World {
    for _ in 0..SETTLE {
        world.step();
    }
    world
}

/// Bricks in ten overlapping layers, which form one island.
fn pile(bricks: usize) -> World {
    let side = (bricks / 10).isqrt() as i32;
    // Layers of two widths in turn: every upper brick rests on four.
    laid(bricks, |i| {
        let (layer, in_layer) = (i / (side * side), i % (side * side));
        let shift = if layer % 2 == 0 { Real::ZERO } else { Real::HALF };
        let along = |number: i32| Real::from_int(number) + shift;
        Vec3::new(
            along(in_layer % side),
            Real::HALF + Real::from_int(layer),
            along(in_layer / side),
        )
    })
    .0
}

/// A hundred steered balls in a yard, alone and beside a sleeping field. The yard is bit-identical
/// in both.
fn asleep(options: &Options, progress: &mut dyn FnMut(&str)) -> Vec<Row> {
    let sleepers = if options.quick { 5000 } else { 20_000 };
    progress(&format!("{} asleep beside {VISITORS} awake", count(sleepers)));
    let mut worlds =
        [0, sleepers as u32].map(|sleepers| scenes::sleepers_apart(sleepers, VISITORS, SEED));
    for scene in &mut worlds {
        for _ in 0..2 * SETTLE {
            scene.step();
        }
    }
    let mut contenders: Vec<Contender<'_>> = worlds
        .iter_mut()
        .map(|scene| {
            let mut turn = || {
                scene.act();
                micros(|| scene.world.step())
            };
            Box::new(move || (0..TURN).map(|_| turn()).sum::<f64>() / f64::from(TURN))
                as Contender<'_>
        })
        .collect();
    let samples = in_turn(options.rounds(101, 25), &mut contenders);
    let times: Vec<f64> =
        samples[1].iter().zip(&samples[0]).map(|(with, alone)| with / alone).collect();
    let mut rows = Vec::new();
    let add = |key: &str, title: String, unit, samples: &[f64]| {
        row(key, &title, unit, &[(String::new(), samples.to_vec())])
    };
    rows.extend(add(
        "growth/awake",
        format!("{VISITORS} awake, alone"),
        Unit::Microseconds,
        &samples[0],
    ));
    let beside = format!("{VISITORS} awake beside {} asleep", count(sleepers));
    rows.extend(add("growth/beside", beside.clone(), Unit::Microseconds, &samples[1]));
    let key = if options.quick { "growth/asleep/quick" } else { "growth/asleep" };
    rows.extend(add(key, format!("{beside}, of alone"), Unit::Times, &times));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pile_is_one_island_and_stacks_are_many() {
        let mut pile = pile(90);
        let mut stacks = stacks(90).0;
        let islands = |world: &mut World| (0..3).map(|_| world.step().islands).last();
        assert_eq!(islands(&mut pile), Some(1));
        assert_eq!(islands(&mut stacks), Some(18));
    }
}
