//! `isostep bench` with Rapier and ggrs in the same run. Not part of the published command: the peers take minutes to build.

use isostep_bench::command::{self, BenchError};
use isostep_bench::suite;
use isostep_benches::BuiltIn;
use std::io::Write;

fn main() -> Result<(), BenchError> {
    let arguments = command::command().name("isostep-benches").get_matches();
    let table = command::run(&arguments, |options| {
        let mut progress = |what: &str| eprintln!("{what}");
        let mut peers = BuiltIn::new(!options.quick, &mut progress);
        suite::run(options, &mut peers, &mut progress)
    })?;
    write!(std::io::stdout(), "{table}")?;
    Ok(())
}
