//! `isostep bench`: measures steps, saves, rollbacks and matches on this machine, beside the peers
//! if they are built in. The table goes to stdout, progress to stderr. Exit codes: 0 measured,
//! whatever the result; 2 a file can't be written.

use crate::progress::StatusLine;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use isostep_bench::suite::{self, Options, REST, SCENES};
use isostep_bench::{Report, html, table};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Examples:
  isostep bench --quick
  isostep bench --html report.html --json report.json
  isostep bench --scene bin
  isostep bench --scene rest
With Rapier and ggrs beside: cargo run --release -p isostep-cli --features peers -- bench";

/// Errors of `isostep bench`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("{}: the report can't be written ({error}); choose another path", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("the table can't be printed: {0}")]
    Print(#[from] io::Error),
}

pub(crate) fn command() -> Command {
    let flag = Arg::new("quick").long("quick").action(ArgAction::SetTrue);
    let scenes: Vec<&str> = SCENES.into_iter().chain([REST]).collect();
    let scene = Arg::new("scene").long("scene").value_name("SCENE").action(ArgAction::Append);
    let file = |name: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf))
    };
    Command::new("bench")
        .about("Measures steps, saves, rollbacks and matches on this machine")
        .long_about(
            "Measures what steps, saves, rollbacks, digests, sessions and packets cost on this machine, and compares them \
             with what is wanted. Takes some minutes; with --quick less than one. Let nothing else run meanwhile.",
        )
        .arg(flag.help("A short run: fewer rounds, smaller worlds"))
        .arg(scene.value_parser(scenes).help("Measure only this scene, or those that must come to rest; may be repeated"))
        .arg(file("json").help("Also write the results as JSON"))
        .arg(file("html").help("Also write an HTML page with charts"))
        .after_help(EXAMPLE)
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, BenchError> {
    let scenes = arguments.get_many::<String>("scene").unwrap_or_default();
    let options = Options { quick: arguments.get_flag("quick"), scenes: scenes.cloned().collect() };
    let output = |name| arguments.get_one::<PathBuf>(name).map(|path| Output::open(path));
    // Opens the files before measuring, which takes minutes.
    let (json, html) = (output("json").transpose()?, output("html").transpose()?);
    let report = measure(&options);
    if let Some(file) = json {
        let mut text = serde_json::to_string_pretty(&report).map_err(io::Error::from)?;
        text.push('\n');
        file.write(&text)?;
    }
    if let Some(file) = html {
        file.write(&html::page(&report))?;
    }
    crate::print(&table(&report))?;
    Ok(ExitCode::SUCCESS)
}

fn measure(options: &Options) -> Report {
    let mut status = StatusLine::start();
    let mut progress = |what: &str| status.update(what);
    #[cfg(feature = "peers")]
    let mut peers = isostep_benches::BuiltIn::new(!options.quick, &mut progress);
    #[cfg(not(feature = "peers"))]
    let mut peers = suite::NoPeers;
    let report = suite::run(options, &mut peers, &mut progress);
    status.end();
    report
}

/// An output file that was opened for writing.
struct Output {
    path: PathBuf,
    file: File,
}

impl Output {
    fn open(path: &Path) -> Result<Self, BenchError> {
        let failed = |error| BenchError::Write { path: path.to_owned(), error };
        Ok(Self { path: path.to_owned(), file: File::create(path).map_err(failed)? })
    }

    fn write(mut self, text: &str) -> Result<(), BenchError> {
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| BenchError::Write { path: self.path, error })
    }
}
