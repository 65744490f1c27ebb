//! The command line of `isostep bench` (feature `command`): its arguments, and the files and the table that it writes. Shared with
//! the program of `isostep-benches`, which measures peers in the same run.

use crate::suite::{Options, REST, SCENES};
use crate::{Report, html, table};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  isostep bench --quick
  isostep bench --html report.html --json report.json
  isostep bench --scene bin
  isostep bench --scene rest
With Rapier and ggrs in the same run, in a clone: cargo run --release -p isostep-benches -- --quick";

/// Errors of `isostep bench`.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A report can't be written.
    #[error("{}: the report can't be written ({error}); choose another path", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A report can't be encoded or printed.
    #[error("the report can't be printed: {0}")]
    Print(#[from] io::Error),
}

/// The command with its arguments.
pub fn command() -> Command {
    let flag = Arg::new("quick").long("quick").action(ArgAction::SetTrue);
    let targets = Arg::new("targets").long("targets").action(ArgAction::SetTrue);
    let scenes: Vec<&str> = SCENES.into_iter().chain([REST]).collect();
    let scene = Arg::new("scene").long("scene").value_name("SCENE").action(ArgAction::Append);
    let file = |name: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf))
    };
    Command::new("bench")
        .about("Measures steps, saves, rollbacks and matches on this machine")
        .long_about(
            "Measures what a game costs on this machine, then its parts: steps, saves, rollbacks, digests, sessions and packets. \
             Takes some minutes; with --quick less than one. Let nothing else run meanwhile.",
        )
        .arg(flag.help("A short run: fewer rounds, smaller worlds"))
        .arg(scene.value_parser(scenes).help("Measure only this scene, or those that must come to rest; may be repeated"))
        .arg(targets.help("Also compare the results with the goals of the project"))
        .arg(file("json").help("Also write the results as JSON"))
        .arg(file("html").help("Also write an HTML page with charts"))
        .after_help(EXAMPLE)
}

/// Opens the files that the arguments name, measures, writes the reports, and returns the table.
///
/// # Errors
/// A file can't be written. That is checked before measuring, which takes minutes.
pub fn run(
    arguments: &ArgMatches,
    measure: impl FnOnce(&Options) -> Report,
) -> Result<String, BenchError> {
    let scenes = arguments.get_many::<String>("scene").unwrap_or_default();
    let options = Options {
        quick: arguments.get_flag("quick"),
        targets: arguments.get_flag("targets"),
        scenes: scenes.cloned().collect(),
    };
    let output = |name| arguments.get_one::<PathBuf>(name).map(|path| Output::open(path));
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
    Ok(table(&report))
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
