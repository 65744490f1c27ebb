//! Solver quality: shows if an engine is fast because it solves less.

use super::Named;
use crate::engine::Observation;
use crate::report::{Comparison, Row, Unit};
use crate::stats::Spread;

/// Speed below which a body counts as resting, metres a second.
const SLOW: f64 = 0.05;
/// Ticks between two observations.
pub(super) const EVERY: u32 = 10;
/// Observations in a second.
const SECOND: usize = 6;

/// Observations of one engine over a scene.
#[derive(Default)]
pub(super) struct QualityProbe {
    first: Vec<[f64; 3]>,
    /// Positions at the last observations, newest last.
    recent: Vec<Vec<[f64; 3]>>,
    deepest_end: f64,
    deepest_ever: f64,
    fastest: f64,
    observations: u32,
    /// Last observation with more than one per cent of the bodies moving.
    restless: u32,
}

impl QualityProbe {
    /// Starts before the first tick.
    pub(super) fn begin(observation: Observation) -> Self {
        Self { first: observation.places, ..Self::default() }
    }

    /// Adds an observation.
    pub(super) fn observe(&mut self, observation: Observation) {
        self.observations += 1;
        let fast = observation.speeds.iter().filter(|speed| **speed > SLOW).count();
        if fast * 100 > observation.speeds.len() {
            self.restless = self.observations;
        }
        self.deepest_end = observation.deepest;
        self.deepest_ever = self.deepest_ever.max(observation.deepest);
        self.fastest = observation.speeds.iter().copied().fold(0.0, f64::max);
        self.recent.push(observation.places);
        if self.recent.len() > SECOND + 1 {
            self.recent.remove(0);
        }
    }

    fn farthest(&self, from: &[[f64; 3]]) -> f64 {
        let now = self.recent.last().map_or(&[][..], Vec::as_slice);
        let moved = |(a, b): (&[f64; 3], &[f64; 3])| {
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        now.iter().zip(from).map(moved).fold(0.0, f64::max)
    }

    fn drift(&self) -> f64 {
        self.farthest(self.recent.first().map_or(&[][..], Vec::as_slice))
    }

    /// Seconds until rest; `None` if the scene did not come to rest.
    fn rest(&self) -> Option<f64> {
        (self.restless < self.observations).then(|| f64::from(self.restless * EVERY) / 60.0)
    }
}

/// Rows of a scene, ours first. Driven scenes have no rest to compare.
pub(super) fn rows(scene: &str, probes: &[(String, QualityProbe)]) -> Vec<Row> {
    let driven = scene == "arena";
    let stands = matches!(scene, "pyramid" | "stacks");
    let mut rows = Vec::new();
    let mut add = |key: &str, name: &str, unit: Unit, value: &dyn Fn(&QualityProbe) -> f64| {
        let values: Vec<Named> =
            probes.iter().map(|(name, probe)| (name.clone(), vec![value(probe)])).collect();
        rows.extend(counted(
            &format!("quality/{scene}/{key}"),
            &format!("{scene}: {name}"),
            unit,
            &values,
        ));
    };
    add("deepest", "deepest overlap at the end", Unit::Millimetres, &|w| w.deepest_end * 1e3);
    add("deepest-ever", "deepest overlap ever", Unit::Millimetres, &|w| w.deepest_ever * 1e3);
    if stands {
        add("moved", "farthest from its first place", Unit::Millimetres, &|w| {
            w.farthest(&w.first) * 1e3
        });
    }
    if !driven {
        add("drift", "farthest in the last second", Unit::Millimetres, &|w| w.drift() * 1e3);
        add("fastest", "fastest at the end", Unit::MillimetresASecond, &|w| w.fastest * 1e3);
        add("rest", "until 99 of 100 rest for good", Unit::Seconds, &|w| {
            w.rest().unwrap_or(f64::INFINITY)
        });
    }
    rows
}

/// Row of values that were counted once.
fn counted(key: &str, name: &str, unit: Unit, values: &[Named]) -> Option<Row> {
    let ((_, ours), others) = values.split_first()?;
    let mut row = Row::new(key, name, unit, Spread::exact(*ours.first()?));
    for (name, value) in others {
        let theirs = Spread::exact(*value.first()?);
        row.beside.push(Comparison { name: name.clone(), theirs, ratio: None });
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(x: f64, speed: f64, deepest: f64) -> Observation {
        let (places, speeds) = (vec![[x, 0.0, 0.0], [0.0; 3]], vec![speed, 0.0]);
        Observation { deepest, places, speeds, ..Observation::default() }
    }

    #[test]
    fn rest_is_distinguished_from_creep() {
        let mut probe = QualityProbe::begin(observation(0.0, 0.0, 0.0));
        probe.observe(observation(1.0, 2.0, 0.5));
        for _ in 0..9 {
            probe.observe(observation(1.5, 0.01, 0.125));
        }
        assert_eq!(probe.rest(), Some(1.0 / 6.0));
        assert_eq!((probe.drift(), probe.farthest(&probe.first)), (0.0, 1.5));
        assert_eq!((probe.deepest_end, probe.deepest_ever), (0.125, 0.5));
        probe.observe(observation(1.75, 0.3, 0.125));
        assert_eq!((probe.rest(), probe.drift(), probe.fastest), (None, 0.25, 0.3));
    }

    #[test]
    fn the_arena_reports_depth_only() {
        let probes = [
            ("ours".to_owned(), QualityProbe::default()),
            ("theirs".to_owned(), QualityProbe::default()),
        ];
        assert_eq!(rows("arena", &probes).len(), 2);
        assert_eq!(rows("stacks", &probes).len(), 6);
        assert_eq!(rows("bin", &probes)[0].beside[0].name, "theirs");
    }
}
