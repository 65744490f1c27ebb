//! `isostep check`: compares the results of this machine, and of others, with the goldens. The
//! table goes to stdout, progress to stderr. Exit codes: 0 equal, 1 different, 2 the comparison was
//! not possible.

mod digests;
mod local;
mod matrix;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use isostep_scenes::scenes::NAMES;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Examples:
  isostep check                          every scene, on every path of this machine
  isostep check --emit here.json         then, on another machine: isostep check --against here.json
  isostep check --matrix                 five instruction sets, from a checkout of the repository";

/// Errors that prevent a comparison.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    #[error("{}: can't be written ({error}); choose another path", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("{}: can't be read ({error}); check the path and its permissions", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("{}: not written by `isostep check --emit` ({why}); choose another file", path.display())]
    NotADigestList { path: PathBuf, why: String },
    #[error("{}: {why}", path.display())]
    NotComparable { path: PathBuf, why: String },
    #[error("a committed golden can't be read: {0}; restore it from the repository, or mint it")]
    Golden(String),
    #[error("{0}: this state has no digest")]
    NoDigest(String),
    #[error(
        "this folder is in no checkout of the repository; run --matrix in one, since it builds the repository for other targets"
    )]
    NoCheckout,
    #[error("determinism-tests/cross/run does not start: {0}; it needs bash")]
    NoDriver(io::Error),
    #[error("the result can't be printed: {0}")]
    Print(#[from] io::Error),
}

pub(crate) fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let file = |name: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf))
    };
    let scene = Arg::new("scene").long("scene").value_name("SCENE").value_parser(NAMES);
    Command::new("check")
        .about("Checks that this machine, and others, compute the same worlds bit for bit")
        .long_about(
            "Computes every scene on every path to a tick: straight, rolled back, saved and loaded, \
             replayed from a recording, with every lane width and thread count; and compares digests with the \
             committed ones. For your own game use the library: isostep::check::Check.",
        )
        .arg(scene.help("Only this scene"))
        .arg(flag("long").help("600 ticks on every path, and 10,000 straight even without optimisation"))
        .arg(flag("json").help("Print the result as JSON"))
        .arg(file("emit").help("Write digests of this machine to a file"))
        .arg(file("against").help("Compare this machine with a file of --emit").conflicts_with("emit"))
        .arg(flag("matrix").help("Also check other instruction sets, under emulation and in a browser").conflicts_with_all(["emit", "against", "scene"]))
        .arg(
            Arg::new("target")
                .value_name("TARGET")
                .num_args(0..)
                .requires("matrix")
                .help("With --matrix: only these targets, such as aarch64, wasm32 or browser"),
        )
        .after_help(EXAMPLE)
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, CheckError> {
    let (long, json) = (arguments.get_flag("long"), arguments.get_flag("json"));
    let only = arguments.get_one::<String>("scene").map(String::as_str);
    let path = |name| arguments.get_one::<PathBuf>(name).map(PathBuf::as_path);
    if let Some(path) = path("emit") {
        digests::emit(path, only, long)
    } else if let Some(path) = path("against") {
        digests::against(path, only, long, json)
    } else if arguments.get_flag("matrix") {
        let targets: Vec<&String> = arguments.get_many("target").unwrap_or_default().collect();
        matrix::run(&targets, long, json)
    } else {
        local::run(only, long, json)
    }
}

/// Exit code of a comparison that took place.
fn code(equal: bool) -> ExitCode {
    if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
