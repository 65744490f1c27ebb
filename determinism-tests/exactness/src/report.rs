//! Runs a script and says what was wrong: the tick, section, entity and field, the calls, and the script.

use crate::driver::{Driver, Machine, Stats, Stop};
use crate::log::Log;
use crate::oracle::{Checks, Difference, What, judge, replay};
use crate::script::Script;
use core::fmt;
use isostep_core::internals::StateSection;
use isostep_core::world::World;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A script that shows a defect.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The script.
    pub script: Script,
    /// Description of the failure, in a line.
    pub summary: String,
    /// Differing fields, one a line.
    pub fields: Vec<String>,
    /// The calls that were made.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.summary)?;
        for field in &self.fields {
            writeln!(f, "    {field}")?;
        }
        writeln!(f, "calls:")?;
        for line in &self.trace {
            writeln!(f, "    {line}")?;
        }
        writeln!(f, "script:\n{}", self.script)
    }
}

/// Runs a script and judges it.
///
/// # Errors
/// If the world under test differs from a fresh world that replays its commands, does not keep a promise of its
/// documentation, or panics.
pub fn check(script: &Script) -> Result<Stats, Box<Failure>> {
    check_with(script, &Machine::default())
}

/// Runs a script with other settings and judges it.
///
/// # Errors
/// As for [`check`].
pub fn check_with(script: &Script, machine: &Machine) -> Result<Stats, Box<Failure>> {
    let found = match caught(|| run(script, machine)) {
        Ok(Ok(stats)) => return Ok(stats),
        Ok(Err(found)) => found,
        Err(panic) => Found::Panic(panic),
    };
    let explained = caught(|| explain(script, machine, &found));
    let (summary, fields, trace) = explained.unwrap_or_else(|panic| {
        (format!("{found:?}; explaining it panics: {panic}"), Vec::new(), Vec::new())
    });
    Err(Box::new(Failure { script: script.clone(), summary, fields, trace }))
}

/// A defect before it is explained.
#[derive(Debug)]
enum Found {
    Difference(Difference),
    Broken(String),
    Panic(String),
}

fn checks(script: &Script, machine: &Machine) -> Checks {
    Checks { repeat_refused: script.scene.repeats_refused(), snapshots: machine.snapshots }
}

fn run(script: &Script, machine: &Machine) -> Result<Stats, Found> {
    let mut driver = Driver::new(script, machine);
    let outcome = driver.run();
    // States up to a broken promise are judged first: what led to it is the better report.
    let judged = judge(&driver.log, checks(script, machine)).map_err(Found::Difference)?;
    if let Err(Stop::Broken(text)) = outcome {
        return Err(Found::Broken(text));
    }
    let mut stats = driver.stats;
    stats.scripts = 1;
    stats.replayed = judged.replayed;
    stats.snapshots += judged.snapshots;
    Ok(stats)
}

/// Runs the script again up to the wrong state, with a trace, and compares fields.
fn explain(
    script: &Script,
    machine: &Machine,
    found: &Found,
) -> (String, Vec<String>, Vec<String>) {
    let mut driver = Driver::new(script, machine);
    driver.trace = Some(Vec::new());
    if let Found::Difference(difference) = found {
        driver.stop_at = Some(difference.node);
    }
    let ran = caught(|| driver.run());
    let trace = driver.trace.take().unwrap_or_default();
    let (summary, fields) = match found {
        Found::Broken(text) => (text.clone(), Vec::new()),
        Found::Panic(text) => (format!("panic: {text}"), Vec::new()),
        Found::Difference(difference) => {
            let reached = matches!(ran, Ok(Err(Stop::Reached)));
            let world = reached.then_some(&driver.actor.world);
            differing(&driver.log, difference, world, checks(script, machine))
        }
    };
    (summary, fields, trace)
}

fn differing(
    log: &Log,
    difference: &Difference,
    ours: Option<&World>,
    checks: Checks,
) -> (String, Vec<String>) {
    let Difference { node, what } = difference;
    let tick = log.nodes[*node].tick;
    let place = format!("tick {tick} (state {node})");
    let summary = match what {
        What::State => format!("{place}: the state is not that of a straight replay"),
        What::Events => format!("{place}: the events are not those of a straight replay"),
        What::Rays => format!("{place}: rays do not hit what they hit in a straight replay"),
        What::Call { call, here, there } => {
            format!("{place}: {call} gives {here}; in a straight replay {there}")
        }
        What::Encoded { after } => {
            format!("{place}: after call {after} `encode` is not that of a straight replay")
        }
        What::Refused(error) => format!("{place}: the snapshot is refused: {error}"),
        What::Restored => format!("{place}: the snapshot restores to another state"),
        What::Continued => {
            format!("{place}: a world restored on the tick before takes another step")
        }
        What::NotHeld(error) => format!("{place}: the present tick is not held: {error}"),
    };
    if !matches!(what, What::State | What::Events) {
        return (summary, Vec::new());
    }
    let theirs = match replay(log, *node, checks) {
        Ok(theirs) => theirs,
        Err(other) => return (summary, vec![format!("the straight replay ends early: {other:?}")]),
    };
    if theirs.digest() == log.nodes[*node].digest {
        let text = "a straight replay agrees; a clone of the oracle differs from it".to_owned();
        return (summary, vec![text]);
    }
    (summary, ours.map_or_else(Vec::new, |ours| differences(ours, &theirs)))
}

/// Fields in which two worlds differ, a line for each: at most 12.
pub fn differences(ours: &World, theirs: &World) -> Vec<String> {
    let mut lines = Vec::new();
    for page in ours.digest_tree().diff(&theirs.digest_tree()) {
        let Some(section) = StateSection::from_name(page.section) else { continue };
        let found = theirs
            .page_bytes(theirs.tick(), section, page.page)
            .map_err(|error| error.to_string())
            .and_then(|bytes| {
                let found = ours.explain(ours.tick(), section, page.page, &bytes);
                found.map_err(|error| error.to_string())
            });
        match found {
            Ok(found) => lines.extend(found.iter().map(|row| format!("{}: {row}", page.section))),
            Err(error) => lines.push(format!("{} page {}: {error}", page.section, page.page)),
        }
    }
    lines.truncate(12);
    lines
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    static CATCHING: RefCell<u32> = const { RefCell::new(0) };
}

/// Runs something; a panic becomes its message and place.
fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CATCHING.with(|catching| *catching.borrow() > 0) {
                PANIC.with(|panic| *panic.borrow_mut() = Some(info.to_string()));
            } else {
                before(info);
            }
        }));
    });
    CATCHING.with(|catching| *catching.borrow_mut() += 1);
    let result = catch_unwind(AssertUnwindSafe(run));
    CATCHING.with(|catching| *catching.borrow_mut() -= 1);
    result.map_err(|_| PANIC.with(|panic| panic.borrow_mut().take()).unwrap_or_default())
}
