//! How well a scene was solved: who is fast because it solves less, shows it here.

use super::Named;
use crate::engine::Look;
use crate::report::{Beside, Row, Unit};
use crate::stats::Spread;

/// Slower than this counts as resting, metres a second.
const SLOW: f64 = 0.05;
/// Ticks between two looks.
pub(super) const EVERY: u32 = 10;
/// A second of looks.
const SECOND: usize = 6;

/// What was seen of one engine over a scene.
#[derive(Default)]
pub(super) struct Watch {
    first: Vec<[f64; 3]>,
    /// Places at the last looks, the newest at the end.
    recent: Vec<Vec<[f64; 3]>>,
    deepest_end: f64,
    deepest_ever: f64,
    fastest: f64,
    looks: u32,
    /// The last look at which more than one body in a hundred was not slow.
    restless: u32,
}

impl Watch {
    /// The scene before its first tick.
    pub(super) fn begin(look: Look) -> Self {
        Self { first: look.places, ..Self::default() }
    }

    /// The scene after some ticks more.
    pub(super) fn look(&mut self, look: Look) {
        self.looks += 1;
        let fast = look.speeds.iter().filter(|speed| **speed > SLOW).count();
        if fast * 100 > look.speeds.len() {
            self.restless = self.looks;
        }
        self.deepest_end = look.deepest;
        self.deepest_ever = self.deepest_ever.max(look.deepest);
        self.fastest = look.speeds.iter().copied().fold(0.0, f64::max);
        self.recent.push(look.places);
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

    /// Seconds until it rested; `None` if it did not.
    fn rest(&self) -> Option<f64> {
        (self.restless < self.looks).then(|| f64::from(self.restless * EVERY) / 60.0)
    }
}

/// The rows of a scene; ours is the first. What is driven about has no rest to compare.
pub(super) fn rows(scene: &str, watched: &[(String, Watch)]) -> Vec<Row> {
    let driven = scene == "arena";
    let stands = matches!(scene, "pyramid" | "stacks");
    let mut rows = Vec::new();
    let mut add = |key: &str, name: &str, unit: Unit, value: &dyn Fn(&Watch) -> f64| {
        let values: Vec<Named> =
            watched.iter().map(|(name, watch)| (name.clone(), vec![value(watch)])).collect();
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

/// A row of values that were counted once.
fn counted(key: &str, name: &str, unit: Unit, values: &[Named]) -> Option<Row> {
    let ((_, ours), others) = values.split_first()?;
    let mut row = Row::new(key, name, unit, Spread::exact(*ours.first()?));
    for (name, value) in others {
        let theirs = Spread::exact(*value.first()?);
        row.beside.push(Beside { name: name.clone(), theirs, ratio: None });
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(x: f64, speed: f64, deepest: f64) -> Look {
        Look { deepest, places: vec![[x, 0.0, 0.0], [0.0; 3]], speeds: vec![speed, 0.0] }
    }

    #[test]
    fn what_comes_to_rest_is_told_from_what_creeps() {
        let mut watch = Watch::begin(look(0.0, 0.0, 0.0));
        watch.look(look(1.0, 2.0, 0.5));
        for _ in 0..9 {
            watch.look(look(1.5, 0.01, 0.125));
        }
        assert_eq!(watch.rest(), Some(1.0 / 6.0));
        assert_eq!((watch.drift(), watch.farthest(&watch.first)), (0.0, 1.5));
        assert_eq!((watch.deepest_end, watch.deepest_ever), (0.125, 0.5));
        watch.look(look(1.75, 0.3, 0.125));
        assert_eq!((watch.rest(), watch.drift(), watch.fastest), (None, 0.25, 0.3));
    }

    #[test]
    fn the_arena_is_only_asked_how_deep() {
        let watched =
            [("ours".to_owned(), Watch::default()), ("theirs".to_owned(), Watch::default())];
        assert_eq!(rows("arena", &watched).len(), 2);
        assert_eq!(rows("stacks", &watched).len(), 6);
        assert_eq!(rows("bin", &watched)[0].beside[0].name, "theirs");
    }
}
