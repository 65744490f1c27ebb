//! Faults that need a second target: digests of the faulty games on x86-64 are committed, and every
//! other target must find the faults that show on it, and no others.

use super::{Fault, digests};
use core::fmt;
use isostep_scenes::{Golden, Line};

/// The committed digests, made on x86-64.
const GOLDEN: &str = include_str!("../../goldens/planted.txt");

/// Games whose faults show only on another machine, and a correct game.
const GAMES: [Fault; 4] =
    [Fault::Nothing, Fault::FloatResult, Fault::UsizeEncoding, Fault::NativeEndian];

impl Fault {
    /// Returns true if the fault must show on this target against x86-64.
    const fn shows_here(self) -> bool {
        match self {
            Self::FloatResult => !cfg!(any(target_arch = "x86_64", target_arch = "x86")),
            Self::UsizeEncoding => !cfg!(target_pointer_width = "64"),
            Self::NativeEndian => cfg!(target_endian = "big"),
            _ => false,
        }
    }
}

/// Digests of all faulty games on this target, on doubling ticks.
pub fn compute() -> Golden {
    let lines = GAMES.into_iter().flat_map(|fault| {
        let ticks = digests(fault).ticks.into_iter().filter(|tick| tick.tick.0.is_power_of_two());
        ticks.map(move |tick| Line {
            name: fault.name().to_owned(),
            count: tick.tick.0.into(),
            digest: tick.digest.to_string(),
        })
    });
    Golden { lines: lines.collect() }
}

/// Faults found on this target.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each game, and the first tick that differs from x86-64.
    pub seen: Vec<(Fault, Option<u64>)>,
    /// Games with an unexpected result.
    pub wrong: usize,
}

impl Report {
    /// Computes the games and compares them.
    ///
    /// # Errors
    /// The committed file can't be read.
    pub fn new() -> Result<Self, String> {
        let golden =
            GOLDEN.parse::<Golden>().map_err(|error| format!("goldens/planted.txt: {error}"))?;
        Ok(Self::of(&golden, &compute()))
    }

    fn of(expected: &Golden, computed: &Golden) -> Self {
        let differences = expected.differences(computed);
        let first = |fault: Fault| {
            let line = differences.iter().find_map(|difference| {
                difference.expected.as_ref().filter(|line| line.name == fault.name())
            });
            line.map(|line| line.count)
        };
        let seen = GAMES.map(|fault| (fault, first(fault)));
        let as_must = |(fault, tick): &&(Fault, Option<u64>)| tick.is_some() == fault.shows_here();
        let right = seen.iter().filter(as_must).count();
        // Lines without a game would be compared with nothing.
        let foreign = usize::from(expected.lines.len() != computed.lines.len());
        Self { wrong: seen.len() - right + foreign, seen: seen.to_vec() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (fault, tick) in &self.seen {
            let name = fault.name();
            let found = match (tick, fault.shows_here()) {
                (Some(tick), true) => format!("{name}: caught: tick {tick} differs from x86-64's"),
                (None, false) => format!("{name}: as on x86-64"),
                (Some(tick), false) => {
                    format!("differs:\n  {name}: tick {tick} is not as on x86-64, and must be")
                }
                (None, true) => format!("differs:\n  {name}: as on x86-64; it must be seen here"),
            };
            writeln!(f, "{found}")?;
        }
        if self.wrong == 0 {
            let caught = self.seen.iter().filter(|(_, tick)| tick.is_some()).count();
            writeln!(f, "faults: as they must be, {caught} caught")
        } else {
            writeln!(f, "faults: {} are not as they must be", self.wrong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_target_shows_the_expected_faults() {
        let report = Report::new().expect("the committed file");
        assert_eq!(report.wrong, 0, "{report}");
    }

    /// A fault that never shows, or a correct game that differs, is reported.
    #[test]
    fn an_unexpected_difference_is_reported() {
        let computed = compute();
        for (i, line) in computed.lines.iter().enumerate() {
            let mut other = computed.clone();
            other.lines[i].digest = "00".to_owned();
            let report = Report::of(&other, &computed);
            let must = GAMES.iter().find(|fault| fault.name() == line.name).expect("a game");
            assert_eq!(report.wrong > 0, !must.shows_here(), "{report}");
        }
    }
}
