//! Usage errors: condenses clap's paragraphs into one line with a pointer to the help.

use clap::error::ErrorKind;
use clap::{Command, Error};
use std::ffi::OsString;

/// Prints help, the version, or the usage error; returns the exit code.
pub(crate) fn report(error: &Error, command: &Command, arguments: &[OsString]) -> u8 {
    match error.kind() {
        // Requested output, or long help text: printed as it is.
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // A closed pipe is no error.
            let _ = error.print();
        }
        _ => eprintln!("isostep: {}", line(&error.to_string(), &name(command, arguments))),
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// Name of the subcommand as typed so far: `isostep match new`.
fn name(command: &Command, arguments: &[OsString]) -> String {
    let mut name = command.get_name().to_owned();
    let mut at = command;
    for argument in arguments.iter().skip(1) {
        let Some(next) = at.find_subcommand(argument) else { break };
        at = next;
        name = format!("{name} {}", at.get_name());
    }
    name
}

/// Clap's message without its usage part, on one line.
fn line(text: &str, name: &str) -> String {
    let message = text.strip_prefix("error: ").unwrap_or(text);
    let message = message.split("\n\n").take_while(|part| !part.trim_start().starts_with("Usage:"));
    let message = message.filter(|part| !part.starts_with("For more information"));
    // How to pass the argument as a value is not what a wrong option needs.
    let parts = message.filter(|part| !part.contains("as a value, use '--"));
    let parts: Vec<String> =
        parts.map(|part| advice(&part.split_whitespace().collect::<Vec<_>>().join(" "))).collect();
    format!("{}; `{name} --help` has more", parts.join("; "))
}

/// Replaces the reasons of number parsers, which don't say what to give.
fn advice(part: &str) -> String {
    let Some((what, why)) = part.split_once(": ") else { return part.to_owned() };
    let advice = match why {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "give a whole number".to_owned()
        }
        "number too large to fit in target type" => "give a smaller number".to_owned(),
        "number too small to fit in target type" => "give a larger number".to_owned(),
        _ => match why.split_once(" is not in ").and_then(|(_, range)| range.split_once("..=")) {
            Some((from, to)) => format!("give {from} to {to}"),
            None => return part.to_owned(),
        },
    };
    format!("{what}: {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(arguments: &[&str]) -> String {
        let arguments: Vec<OsString> =
            ["isostep"].iter().chain(arguments).map(OsString::from).collect();
        let command = crate::command();
        let error = command.clone().try_get_matches_from(&arguments).expect_err("it is misuse");
        line(&error.to_string(), &name(&command, &arguments))
    }

    #[test]
    fn usage_errors_print_one_line_with_a_pointer_to_help() {
        for (arguments, expected) in [
            (
                &["bench", "--fast"][..],
                "unexpected argument '--fast' found; `isostep bench --help` has more",
            ),
            (
                &["match", "show"],
                "the following required arguments were not provided: <PATH>; `isostep match show --help` has more",
            ),
            (
                &["token", "new", "--game", "a", "--players", "9", "--out", "b"],
                "invalid value '9' for '--players <N>': give 2 to 8; `isostep match new --help` has more",
            ),
            (
                &["replay", "seek", "a", "soon"],
                "invalid value 'soon' for '<TICK>': give a whole number; `isostep replay seek --help` has more",
            ),
            (
                &["replay", "record", "a", "--seconds", "0"],
                "invalid value '0' for '--seconds <N>': give 1 to 86400; `isostep replay record --help` has more",
            ),
            (
                &["replay", "record", "a", "--seed", "99999999999999999999"],
                "invalid value '99999999999999999999' for '--seed <N>': give a smaller number; `isostep replay record --help` has more",
            ),
        ] {
            assert_eq!(said(arguments), expected);
        }
        assert!(said(&["lap"]).contains("'lap'"));
        assert!(!said(&["bench", "--scene", "moon"]).contains('\n'));
    }
}
