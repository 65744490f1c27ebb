//! `isostep doctor`: tests if this machine is fit for matches and gives advice. Exit codes: 0
//! nothing is bad, 1 something is bad, 2 the tests failed to run.
//!
//! `probe` measures, `assess` interprets.

mod assess;
mod probe;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Examples:
  isostep doctor
  isostep doctor --json

Exit codes: 0 nothing is bad, 1 something is, 2 the command was misused";

/// Grade of one finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// No problem.
    Good,
    /// Matches work with reduced quality.
    Poor,
    /// Matches do not work.
    Bad,
}

/// Result of one probe.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    verdict: Verdict,
    /// Measured value as text.
    found: String,
    /// Advice; `None` if the verdict is good.
    advice: Option<&'static str>,
}

impl Finding {
    const fn good(what: &'static str, found: String) -> Self {
        Self { what, verdict: Verdict::Good, found, advice: None }
    }

    const fn poor(what: &'static str, found: String, advice: &'static str) -> Self {
        Self { what, verdict: Verdict::Poor, found, advice: Some(advice) }
    }

    const fn bad(what: &'static str, found: String, advice: &'static str) -> Self {
        Self { what, verdict: Verdict::Bad, found, advice: Some(advice) }
    }
}

pub(crate) fn command() -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
    Command::new("doctor")
        .about("Checks if this machine is fit for matches, and gives advice")
        .long_about(
            "Checks UDP on this machine, ports, clocks, sleep, threads, SIMD lanes, the build and the terminal. It \
             contacts no other machine, and takes about a second.",
        )
        .arg(json.help("Print the report as one line of JSON"))
        .after_help(EXAMPLE)
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, io::Error> {
    let findings = examine();
    let bad = findings.iter().any(|finding| finding.verdict == Verdict::Bad);
    let text = if arguments.get_flag("json") {
        let report = serde_json::json!({ "fit": !bad, "findings": findings });
        format!("{report}\n")
    } else {
        table(&findings, crate::has_colours(&io::stdout()))
    };
    crate::print(&text)?;
    Ok(ExitCode::from(u8::from(bad)))
}

/// Runs all probes, in the order in which a match depends on them.
fn examine() -> Vec<Finding> {
    vec![
        assess::udp(probe::udp_sizes()),
        assess::ports(probe::ports()),
        assess::clock(probe::clock()),
        assess::time_of_day(probe::unix_now()),
        assess::sleep(&mut probe::sleeps()),
        assess::threads(probe::threads()),
        assess::lanes(probe::lanes()),
        assess::build(cfg!(debug_assertions)),
        assess::terminal(io::stdout().is_terminal(), std::env::var("TERM").ok().as_deref()),
    ]
}

/// A line for each finding, with the advice below it.
fn table(findings: &[Finding], colours: bool) -> String {
    let mut text = String::new();
    for Finding { what, verdict, found, advice } in findings {
        let (word, colour) = match verdict {
            Verdict::Good => ("good", "\x1b[32m"),
            Verdict::Poor => ("poor", "\x1b[33m"),
            Verdict::Bad => ("BAD ", "\x1b[31m"),
        };
        let word = if colours { format!("{colour}{word}\x1b[0m") } else { word.to_owned() };
        let _ = writeln!(text, "{word}  {what:<12} {found}");
        if let Some(advice) = advice {
            let _ = writeln!(text, "{:19}{advice}", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_advice() {
        let findings =
            [Finding::good("a", "yes".to_owned()), Finding::bad("b", "no".to_owned(), "do c")];
        assert_eq!(
            table(&findings, false),
            "good  a            yes\nBAD   b            no\n                   do c\n"
        );
        assert!(table(&findings, true).starts_with("\x1b[32mgood\x1b[0m  a"));
    }

    #[test]
    fn every_probe_runs_once() {
        let findings = examine();
        let mut names: Vec<_> = findings.iter().map(|finding| finding.what).collect();
        assert_eq!(names.len(), 9);
        names.dedup();
        assert_eq!(names.len(), 9);
        for finding in &findings {
            assert_eq!(finding.verdict == Verdict::Good, finding.advice.is_none(), "{finding:?}");
        }
    }
}
