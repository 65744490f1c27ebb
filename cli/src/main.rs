//! The command `isostep`: parses arguments and runs the subcommand. Exit codes: 0 success, 1 a
//! failure or a negative finding, 2 misuse or an unusable environment.
#![forbid(unsafe_code)]

mod bench;
mod check;
mod checkout;
mod demo;
mod doctor;
mod drawable;
mod lab;
mod matches;
mod new;
mod play;
mod progress;
mod replays;
mod settings;
mod usage_error;

use clap::Command;
use isostep_viewer::internals::web;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let given: Vec<_> = std::env::args_os().collect();
    let arguments = match command().try_get_matches_from(&given) {
        Ok(arguments) => arguments,
        Err(error) => return ExitCode::from(usage_error::report(&error, &command(), &given)),
    };
    match arguments.subcommand() {
        Some(("bench", arguments)) => bench::run(arguments).unwrap_or_else(|error| fail(&error)),
        Some(("check", arguments)) => check::run(arguments).unwrap_or_else(|error| fail(&error)),
        Some(("demo", arguments)) => demo::run(arguments).unwrap_or_else(|error| fail(&error)),
        Some(("doctor", arguments)) => doctor::run(arguments).unwrap_or_else(|error| fail(&error)),
        Some(("lab", arguments)) => {
            lab::run(arguments).map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS)
        }
        Some(("match", arguments)) => matches::run(arguments).unwrap_or_else(|error| fail(&error)),
        Some(("new", arguments)) => new::run(arguments).unwrap_or_else(|error| fail(&error)),
        Some(("replay", arguments)) => replays::run(arguments).unwrap_or_else(|error| fail(&error)),
        _ => ExitCode::SUCCESS,
    }
}

/// Prints an error and returns the exit code. A closed pipe ends the command silently: its reader,
/// such as `head`, has read enough.
fn fail(error: &(dyn Error + 'static)) -> ExitCode {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        cause = error.source();
    }
    eprintln!("isostep: {error}");
    ExitCode::from(2)
}

/// Returns true if output may be coloured: on a terminal, unless the user disabled colours.
fn has_colours(out: &impl IsTerminal) -> bool {
    out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Standard output for the result of a command. Once the reader has closed the pipe, text is dropped, so that the exit code is still that of
/// the result: `isostep replay compare a b | true` fails under `pipefail` if they differ.
struct ResultOutput(io::StdoutLock<'static>);

impl ResultOutput {
    fn new() -> Self {
        Self(io::stdout().lock())
    }
}

impl Write for ResultOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            done => done,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }
}

/// Prints a report. A closed pipe is no error: `isostep … | head` has read enough.
fn print(text: &str) -> io::Result<()> {
    let mut out = ResultOutput::new();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

fn command() -> Command {
    Command::new("isostep")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Multiplayer games in which every machine computes the same world, bit for bit")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(bench::command())
        .subcommand(check::command())
        .subcommand(demo::command())
        .subcommand(doctor::command())
        .subcommand(lab::command())
        .subcommand(matches::command())
        .subcommand(new::command())
        .subcommand(replays::command())
        .after_help(
            "Examples:\n  isostep lab\n  isostep new marbles\n  isostep doctor\n\n\
             Exit codes: 0 success, 1 a negative finding, 2 misuse",
        )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_well_formed() {
        super::command().debug_assert();
    }

    #[test]
    fn usage_errors_have_their_own_exit_code() {
        let code = |arguments: &[&str]| {
            let all = ["isostep"].iter().chain(arguments);
            super::command().try_get_matches_from(all).map_or_else(|error| error.exit_code(), |_| 0)
        };
        assert_eq!(code(&["lab", "--port", "0", "--players", "4", "--seed", "12"]), 0);
        assert_eq!(code(&["lab", "--help"]), 0);
        assert_eq!(code(&["demo", "--seconds", "2", "--net", "wifi", "--link", "1-2:mobile"]), 0);
        assert_eq!(code(&["bench", "--quick", "--scene", "bin", "--json", "a", "--html", "b"]), 0);
        assert_eq!(code(&["match", "new", "--game", "tanks", "--players", "2", "--out", "x"]), 0);
        for wrong in [
            &["lab", "--players", "5"][..],
            &["bench", "--scene", "storm"],
            &["bench", "--json"],
            &["bench", "--fast"],
            &["bench", "pyramid"],
            &["lab", "--port", "99999"],
            &["lab", "--seed", "-1"],
            &["demo", "--net", "dialup"],
            &["demo", "--seconds", "0"],
            &["match"],
            &["match", "new", "--game", "tanks", "--players", "9", "--out", "x"],
            &["match", "new", "--game", "tanks", "--players", "2"],
            &["match", "new", "--game", "tanks", "--players", "2", "--out", "x", "--holder", "1"],
            &["match", "show"],
            &["lap"],
            &[],
        ] {
            assert_eq!(code(wrong), 2, "{wrong:?}");
        }
    }
}
