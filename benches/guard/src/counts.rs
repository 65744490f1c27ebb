//! File of instruction counts: a line with the toolchain, then a line per case.

use std::fmt::{self, Write};

/// Tolerated growth of a case, in thousandths.
pub(crate) const TOLERANCE_PER_MILLE: u64 = 30;

/// Instructions by case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Compiler, processor and valgrind.
    pub(crate) with: String,
    pub(crate) cases: Vec<(String, u64)>,
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing grew beyond the tolerance.
    Same,
    /// A case grew, or is not in the file.
    Grown,
    /// The file is for another compiler, processor or valgrind; no verdict.
    Elsewhere,
}

/// A verdict, with a line per case.
pub(crate) struct Comparison {
    pub(crate) verdict: Verdict,
    pub(crate) text: String,
}

impl Counts {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let with = lines.next().and_then(|line| line.strip_prefix("with "));
        let with = with.ok_or("the first line does not say with what it was made")?.to_owned();
        let case = |line: &str| {
            let (name, count) = line.split_once(' ')?;
            Some((name.to_owned(), count.trim().parse().ok()?))
        };
        let cases =
            lines.map(|line| case(line).ok_or_else(|| format!("not a case and its count: {line}")));
        Ok(Self { with, cases: cases.collect::<Result<_, _>>()? })
    }

    /// Compares new counts with these.
    pub(crate) fn compare(&self, now: &Self) -> Comparison {
        let mut text = String::new();
        let mut grown = false;
        for (name, count) in &now.cases {
            let before = self.cases.iter().find(|case| &case.0 == name).map(|case| case.1);
            let Some(before) = before else {
                let _ = writeln!(text, "{name:<10} {count:>12}  NEW: not in the file");
                grown = true;
                continue;
            };
            let more = count * 1000 > before * (1000 + TOLERANCE_PER_MILLE);
            let less = count * (1000 + TOLERANCE_PER_MILLE) < before * 1000;
            let change = (*count as f64 / before as f64 - 1.0) * 100.0;
            let word = if more {
                "GROWN"
            } else if less {
                "less: mint it"
            } else {
                ""
            };
            let line =
                format!("{name:<10} {count:>12}  was {before:>12}  {change:>+7.2} %  {word}");
            let _ = writeln!(text, "{}", line.trim_end());
            grown |= more;
        }
        let verdict = if self.with != now.with {
            Verdict::Elsewhere
        } else if grown {
            Verdict::Grown
        } else {
            Verdict::Same
        };
        Comparison { verdict, text }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# Instructions of each case; cargo run --release -p isostep-guard -- --mint writes this."
        )?;
        writeln!(f, "with {}", self.with)?;
        self.cases.iter().try_for_each(|(name, count)| writeln!(f, "{name} {count}"))
    }
}

/// Parses callgrind's final line: `==12==  Collected : 123456`.
pub(crate) fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    let count = line.rsplit(':').next()?.split_whitespace().next()?.parse().ok()?;
    (count > 0).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(with: &str, cases: &[(&str, u64)]) -> Counts {
        let cases = cases.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Counts { with: with.to_owned(), cases }
    }

    #[test]
    fn three_per_cent_are_tolerated_and_no_more() {
        let before = counts("x", &[("pyramid", 1000), ("bin", 2000)]);
        let verdict = |cases: &[(&str, u64)]| before.compare(&counts("x", cases)).verdict;
        assert_eq!(verdict(&[("pyramid", 1030), ("bin", 2060)]), Verdict::Same);
        assert_eq!(verdict(&[("pyramid", 1031), ("bin", 2000)]), Verdict::Grown);
        assert_eq!(verdict(&[("pyramid", 500), ("bin", 2000)]), Verdict::Same);
    }

    #[test]
    fn a_case_missing_from_the_file_fails() {
        let before = counts("x", &[("pyramid", 1000)]);
        let found = before.compare(&counts("x", &[("pyramid", 1000), ("wire", 5)]));
        assert_eq!(found.verdict, Verdict::Grown);
        assert!(found.text.contains("NEW"), "{}", found.text);
    }

    #[test]
    fn counts_of_another_compiler_are_listed_but_not_compared() {
        let before = counts("rustc 1.95", &[("pyramid", 1000)]);
        let found = before.compare(&counts("rustc 1.96", &[("pyramid", 2000)]));
        assert_eq!(found.verdict, Verdict::Elsewhere);
        assert!(found.text.contains("+100.00 %"), "{}", found.text);
    }

    #[test]
    fn a_file_round_trips() {
        let all = counts("rustc 1.95, x86_64", &[("pyramid", 1000), ("bin", 7)]);
        assert_eq!(Counts::parse(&all.to_string()), Ok(all));
        assert!(Counts::parse("pyramid 5").is_err());
        assert!(Counts::parse("with x\npyramid many").is_err());
    }

    #[test]
    fn the_count_is_parsed_from_callgrind_output() {
        assert_eq!(
            collected("==7== Events    : Ir\n==7== Collected : 42424242\n"),
            Some(42_424_242)
        );
        assert_eq!(collected("==7== Collected : 0\n"), None);
        assert_eq!(collected("nothing"), None);
    }
}
