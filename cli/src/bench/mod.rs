//! `isostep bench`: measures steps, saves, rollbacks and matches on this machine. The table goes to stdout, progress to stderr.
//! Exit codes: 0 measured, whatever the result; 2 a file can't be written.

use crate::progress::StatusLine;
use clap::ArgMatches;
pub(crate) use isostep_bench::command::{BenchError, command};
use isostep_bench::suite::{self, NoPeers};
use std::process::ExitCode;

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, BenchError> {
    let table = isostep_bench::command::run(arguments, |options| {
        let mut status = StatusLine::start();
        let report = suite::run(options, &mut NoPeers, &mut |what| status.update(what));
        status.end();
        report
    })?;
    crate::print(&table)?;
    Ok(ExitCode::SUCCESS)
}
