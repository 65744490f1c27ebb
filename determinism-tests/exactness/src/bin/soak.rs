//! Runs random scripts until one fails: `cargo run --release -p isostep-exactness --bin soak -- --scripts 1000 --seed 1`.

use isostep_exactness::script::KINDS;
use isostep_exactness::{Machine, Stats, check_with, random, shrink};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: soak [--scripts N] [--seed S] [--first N] [--threads T] [--snapshots K] [--failures N] [--save FOLDER]
            [--switch-off RULE]
  --scripts N     scripts to run, 1000 unless given
  --seed S        seed of the sequence of scripts, 1 unless given
  --first N       number of the first script in the sequence, 0 unless given
  --threads T     threads, each with scripts of its own, 1 unless given
  --snapshots K   one of K states goes through a snapshot, 4 unless given; 0 for none
  --failures N    goes on after failures until there are so many, 1 unless given
  --save FOLDER   writes the bytes of each shrunk script that fails there, as a seed for fuzzing
  --switch-off R  breaks a rule of the world under test, never of the oracle (needs the feature `faults`)";

/// Runs that shrinking a script may take.
const SHRINKS: usize = 3000;
/// Between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(5);

struct Options {
    scripts: u64,
    seed: u64,
    first: u64,
    threads: usize,
    failures: usize,
    save: Option<PathBuf>,
    machine: Machine,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(text) => {
            eprintln!("{text}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if soak(&options) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        scripts: 1000,
        seed: 1,
        first: 0,
        threads: 1,
        failures: 1,
        save: None,
        machine: Machine::with_snapshots(4),
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
        match name.as_str() {
            "--scripts" => options.scripts = number()?,
            "--seed" => options.seed = number()?,
            "--first" => options.first = number()?,
            "--threads" => options.threads = number()? as usize,
            "--snapshots" => options.machine.snapshots = number()? as usize,
            "--failures" => options.failures = number()? as usize,
            "--save" => options.save = Some(PathBuf::from(&value)),
            "--switch-off" => switch_off(&mut options.machine, &value)?,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(options)
}

#[cfg(feature = "faults")]
fn switch_off(machine: &mut Machine, name: &str) -> Result<(), String> {
    use isostep_core::test_internals::Rule;
    let rule = Rule::ALL.into_iter().find(|rule| format!("{rule:?}") == name);
    machine
        .off
        .push(rule.ok_or_else(|| format!("there is no rule {name}; there are {:?}", Rule::ALL))?);
    Ok(())
}

#[cfg(not(feature = "faults"))]
fn switch_off(_: &mut Machine, _: &str) -> Result<(), String> {
    Err("--switch-off needs the feature `faults`: add `--features faults`".to_owned())
}

/// Runs the scripts, prints what was found, and returns the number of scripts that failed.
fn soak(options: &Options) -> usize {
    let next = AtomicU64::new(0);
    let state = Mutex::new((Stats::default(), 0, Instant::now()));
    let start = Instant::now();
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= options.scripts {
                return;
            }
            let script = random(options.seed, options.first + number);
            let result = check_with(&script, &options.machine);
            let mut state = state.lock().expect("no thread panics while it holds this");
            if state.1 >= options.failures {
                return;
            }
            match result {
                Ok(stats) => state.0.add(&stats),
                Err(failure) => {
                    println!(
                        "script {} of seed {} fails after {} scripts, {:.1} s: {}",
                        options.first + number,
                        options.seed,
                        state.0.scripts,
                        start.elapsed().as_secs_f64(),
                        failure.summary
                    );
                    let failure = shrink(failure, &options.machine, SHRINKS);
                    println!("{failure}");
                    if let Some(folder) = &options.save {
                        let file =
                            folder.join(format!("{}-{}", options.seed, options.first + number));
                        if let Err(error) = std::fs::write(&file, failure.script.to_bytes()) {
                            eprintln!("{} can't be written: {error}", file.display());
                        }
                    }
                    state.1 += 1;
                }
            }
            if state.2.elapsed() >= PROGRESS {
                state.2 = Instant::now();
                println!("{}", line(&state.0, start));
            }
        }
    };
    std::thread::scope(|scope| {
        (1..options.threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let (stats, found, _) = state.into_inner().expect("no thread panics while it holds this");
    println!("{}", line(&stats, start));
    println!("operations, accepted and refused:");
    for ((name, _), [accepted, refused]) in KINDS.iter().zip(stats.ops) {
        println!("    {name:<15} {accepted:>10} {refused:>10}");
    }
    println!("{found} scripts failed");
    found
}

fn line(stats: &Stats, start: Instant) -> String {
    let seconds = start.elapsed().as_secs_f64();
    let Stats { scripts, steps, replayed, rewinds, restores, snapshots, .. } = stats;
    format!(
        "{seconds:.0} s: {scripts} scripts, {steps} ticks stepped, {replayed} replayed, {rewinds} rewinds, \
         {restores} restores, {snapshots} snapshots checked"
    )
}
