//! Input delay against resimulation, beside ggrs, over the same network traces; and the jumps of
//! drawn bodies.
//!
//! `cargo bench -p isostep-benches --bench feel` prints the tables and draws a picture for each
//! profile into `docs/pictures/`; a test run is short and draws nothing.
//!
//! Both sides play the same traces with the same inputs and the same prediction window, and are
//! counted from the same second on.

mod counts;
mod ours;
mod picture;
mod report;
mod theirs;
mod traces;

use counts::{Counts, Point, Series, together};
use isostep_benches::{is_bench, wanted};
use isostep_determinism_tests::smoothness;
use isostep_rollback::{AdaptiveDelay, Mode, NewestWins, SessionConfig};
use std::ops::RangeInclusive;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use theirs::{Advice, Theirs};
use traces::{PROFILES, SECOND, Script, Trace};

/// Input of a player: four bytes.
type Pad = NewestWins<u32>;

/// Uncounted ticks, in which clocks and delays settle.
const SETTLING: u32 = 10 * SECOND;
/// Prediction window as ggrs counts it; ours is one less, which is the same.
const WINDOW: u32 = 12;
/// Limit of adaptive delay.
const MAX_DELAY: u8 = 12;

/// Extent of a run.
struct Size {
    ticks: u32,
    seeds: u64,
    /// Launch offset of the second machine, for each seed.
    launch: Duration,
    delays: RangeInclusive<u32>,
    rollbacks: RangeInclusive<u32>,
    /// Windows of ggrs, and the handling of its advice.
    kinds: &'static [(u32, Advice)],
}

const FULL: Size = Size {
    ticks: 70 * SECOND,
    seeds: 2,
    launch: Duration::from_millis(90),
    delays: 0..=10,
    rollbacks: 0..=6,
    kinds: &[(8, Advice::Slows), (WINDOW, Advice::Skips), (WINDOW, Advice::Slows)],
};
const QUICK: Size = Size {
    ticks: 11 * SECOND,
    seeds: 1,
    // ggrs repeats its handshake after some real time, for which a short run is too short.
    launch: Duration::ZERO,
    delays: 3..=4,
    rollbacks: 2..=2,
    kinds: &[(WINDOW, Advice::Skips), (WINDOW, Advice::Slows)],
};

/// Seeds of one profile: packet traces and inputs.
type Plays = Vec<(Rc<Trace>, Rc<Script>)>;

fn main() {
    if !wanted("feel") {
        return;
    }
    let size = if is_bench() { FULL } else { QUICK };
    let record = |profile| -> Plays {
        let play = |seed| {
            let launch = size.launch * seed as u32;
            let trace = Trace::record(profile, seed, size.ticks, launch);
            (Rc::new(trace), Rc::new(Script::new(seed, size.ticks)))
        };
        (1..=size.seeds).map(play).collect()
    };
    let plays: Vec<Plays> = PROFILES.iter().map(record).collect();
    let mut profiles = play_theirs(&size, &plays);
    for (series, plays) in profiles.iter_mut().zip(&plays) {
        let window = SessionConfig::new().mode(Mode::Rollback { max: WINDOW - 1 });
        let fixed = |delay| window.clone().delay(delay);
        series.push(play_ours(&size, plays, "ours, fixed", "delay", &size.delays, fixed));
        let adaptive = |rollback| {
            let bounds = AdaptiveDelay::new(0, MAX_DELAY, rollback as u8);
            window.clone().adaptive_delay(bounds.expect("in order"))
        };
        let name = "ours, adaptive";
        series.push(play_ours(&size, plays, name, "rollback", &size.rollbacks, adaptive));
    }
    for (profile, series) in PROFILES.iter().zip(&profiles) {
        show(profile.title, profile.file, series);
    }
    let all = together(&profiles);
    let played = |series: &Series| series.points.iter().all(|point| point.counts.ticks > 0);
    assert!(all.iter().all(played), "two machines never connected");
    show("all four, one setting for all", "feel-all", &all);
    println!("How far drawn bodies jump:\n");
    let seconds = if is_bench() { 30 } else { 1 };
    println!("{}", smoothness::table(seconds, 1).expect("the matches can be played"));
}

/// Prints a profile's tables and draws its picture.
fn show(title: &str, name: &str, series: &[Series]) {
    println!("{}", report::tables(title, series));
    let drawn = picture::draw(title, series);
    if is_bench() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
        let file = folder.join(name).with_extension("svg");
        std::fs::write(&file, drawn).expect("the repository can be written to");
        println!("drawn in docs/pictures/{name}.svg\n");
    }
}

fn play_ours(
    size: &Size,
    plays: &Plays,
    name: &str,
    setting: &'static str,
    settings: &RangeInclusive<u32>,
    config: impl Fn(u32) -> SessionConfig,
) -> Series {
    let point = |setting| {
        let mut counts = Counts::default();
        for (trace, script) in plays {
            counts.add(&ours::play(&config(setting), trace, script, size.ticks));
        }
        Point { setting, counts }
    };
    Series { name: name.to_owned(), setting, points: settings.clone().map(point).collect() }
}

/// Plays all matches of all profiles at once, since they run in real time.
fn play_theirs(size: &Size, plays: &[Plays]) -> Vec<Vec<Series>> {
    let kinds = size.kinds;
    let mut matches = Vec::new();
    for plays in plays {
        for &(window, advice) in kinds {
            for delay in size.delays.clone() {
                matches.extend(plays.iter().map(|(trace, script)| {
                    let how = (delay, window as usize, advice);
                    Theirs::new(how, Rc::clone(trace), Rc::clone(script))
                }));
            }
        }
    }
    let lost = theirs::play(&mut matches, size.ticks, is_bench());
    println!(
        "{} s over {} seeds, {} s of them to settle; the machine was too slow for ggrs's matches by {} ms in all.\n",
        size.ticks / SECOND,
        size.seeds,
        SETTLING / SECOND,
        lost.as_millis()
    );
    let mut counts = matches.into_iter().map(|play| play.counts);
    let mut point = |setting| {
        let mut sum = Counts::default();
        counts.by_ref().take(size.seeds as usize).for_each(|counts| sum.add(&counts));
        Point { setting, counts: sum }
    };
    let mut series = |&(window, advice): &(u32, Advice)| {
        let name = match advice {
            Advice::Skips => format!("ggrs, window {window}, skips"),
            Advice::Slows => format!("ggrs, window {window}, slows"),
        };
        Series { name, setting: "delay", points: size.delays.clone().map(&mut point).collect() }
    };
    plays.iter().map(|_| kinds.iter().map(&mut series).collect()).collect()
}
