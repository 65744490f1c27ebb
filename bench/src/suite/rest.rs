//! Scenes that must come to rest: when each engine puts them to sleep, how deep bodies overlap, and how far they moved.

use super::overlap::deepest;
use super::staging::stage_rest;
use super::{Options, Ours};
use crate::engine::{Engine, Staging};
use crate::report::{Report, Rest, RestOutcome};
use isostep_scenes::scenes::rest::{REST_SCENES, RestScene};

/// Name of this part in [`Options::scenes`].
pub const REST: &str = "rest";
/// Ticks between two observations.
const EVERY: u32 = 5;

/// Ticks after which a scene counts as awake.
const fn limit(quick: bool) -> u32 {
    if quick { 600 } else { 1800 }
}

pub(super) fn measure(
    options: &Options,
    peers: &mut [Box<dyn Engine>],
    report: &mut Report,
    progress: &mut dyn FnMut(&str),
) {
    if !options.wants(REST) {
        return;
    }
    let ticks = limit(options.quick);
    for scene in &REST_SCENES {
        progress(&format!("rest: {}", scene.title));
        let staging = stage_rest(scene);
        let Some(mut ours) = Ours::resting(scene) else { continue };
        let mut outcomes = vec![settle(scene, &staging, ticks, &mut ours)];
        for peer in peers.iter_mut() {
            peer.load(&staging);
            outcomes.push(settle(scene, &staging, ticks, &mut **peer));
        }
        report.rests.push(Rest {
            key: format!("{REST}/{}", scene.name),
            name: scene.title.to_owned(),
            bodies: staging.bodies.iter().filter(|body| !body.fixed).count(),
            outcomes,
        });
    }
}

/// Steps a loaded scene until everything sleeps, or for this many ticks.
fn settle(
    scene: &RestScene,
    staging: &Staging,
    ticks: u32,
    engine: &mut dyn Engine,
) -> RestOutcome {
    let first = engine.observe().places;
    let (mut now, mut asleep, mut deepest_ever) = (0, false, 0.0f64);
    loop {
        let (steps, sleeps) = engine.settle(EVERY.min(ticks - now));
        (now, asleep) = (now + steps, asleep | sleeps);
        let seen = engine.observe();
        let deepest = deepest(staging, &seen);
        deepest_ever = deepest_ever.max(deepest);
        if asleep || now >= ticks {
            let distance = |(from, to): (&[f64; 3], &[f64; 3])| {
                from.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            };
            let moved = first.iter().zip(&seen.places).map(distance).fold(0.0, f64::max);
            return RestOutcome {
                engine: engine.name(),
                ticks: now,
                asleep,
                fastest: seen.speeds.iter().copied().fold(0.0, f64::max) * 1e3,
                deepest: deepest * 1e3,
                deepest_ever: deepest_ever * 1e3,
                moved: scene.keeps_place.then_some(moved * 1e3),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::overlap::quaternion;

    #[test]
    fn a_stack_sleeps_where_it_was_placed() {
        let scene = RestScene::by_name("stack").unwrap();
        let mut ours = Ours::resting(scene).unwrap();
        let outcome = settle(scene, &stage_rest(scene), 600, &mut ours);
        assert!(outcome.asleep && outcome.ticks < 300, "{outcome:?}");
        assert!(outcome.deepest < 5.0 && outcome.deepest_ever >= outcome.deepest, "{outcome:?}");
        assert!(outcome.moved.is_some_and(|moved| moved > 0.0 && moved < 100.0), "{outcome:?}");
    }

    /// Overlaps would be wrong if engines and stagings had different conventions.
    #[test]
    fn a_staging_has_the_poses_of_our_world() {
        for scene in &REST_SCENES {
            let staging = stage_rest(scene);
            let seen = Ours::resting(scene).unwrap().observe();
            let moving: Vec<_> = staging.bodies.iter().filter(|body| !body.fixed).collect();
            assert_eq!(seen.places.len(), moving.len(), "{}", scene.name);
            for (body, (place, turn)) in moving.iter().zip(seen.places.iter().zip(&seen.turns)) {
                let near = |a: f64, b: f64| (a - b).abs() < 1e-5;
                assert!(body.place.iter().zip(place).all(|(a, b)| near(f64::from(*a), *b)));
                let staged = quaternion(body.turn);
                let cosine: f64 = staged.iter().zip(turn).map(|(a, b)| a * b).sum();
                assert!(near(cosine.abs(), 1.0), "{}: {staged:?}, {turn:?}", scene.name);
            }
        }
    }

    #[test]
    fn a_scene_that_has_no_time_to_rest_is_awake() {
        let scene = RestScene::by_name("planks").unwrap();
        let mut ours = Ours::resting(scene).unwrap();
        let outcome = settle(scene, &stage_rest(scene), 12, &mut ours);
        assert_eq!((outcome.asleep, outcome.ticks, outcome.moved), (false, 12, None));
        // After 0.2 s planks fall at 2 m/s.
        assert!((outcome.fastest - 1962.0).abs() < 50.0, "{outcome:?}");
    }
}
