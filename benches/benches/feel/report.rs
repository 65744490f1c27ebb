//! Tables on the terminal: every setting of every method, and ours compared with ggrs.

use crate::WINDOW;
use crate::counts::Series;
use isostep_benches::Table;
use std::fmt::Write as _;

/// Formats all counters of a profile.
pub(crate) fn tables(title: &str, series: &[Series]) -> String {
    let mut text = format!("## {title}\n\n{}\n", everything(series));
    let _ =
        writeln!(text, "Comparison ggrs at its best with the same window:\n\n{}", frontier(series));
    text
}

fn everything(series: &[Series]) -> Table {
    let mut table = Table::new([
        "way to play",
        "mean delay",
        "rollbacks / 100",
        "mean depth",
        "p99",
        "p99 of all ticks",
        "computed again / 100",
        "stalled / 100",
        "pace, %",
    ]);
    for series in series {
        for point in &series.points {
            let counts = &point.counts;
            table.row([
                format!("{}, {} {}", series.name, series.setting, point.setting),
                format!("{:.2}", counts.mean_delay()),
                format!("{:.1}", counts.rollbacks()),
                format!("{:.2}", counts.mean_depth()),
                counts.depth_p99().to_string(),
                counts.depth_p99_of_ticks().to_string(),
                format!("{:.1}", counts.again()),
                format!("{:.2}", counts.stalled()),
                format!("{:.1}", counts.pace()),
            ]);
        }
    }
    table
}

/// For each of our settings: ggrs's resimulation at the same mean delay, and its delay at the same
/// resimulation; the better of its methods for each.
fn frontier(series: &[Series]) -> Table {
    let window = format!("window {WINDOW},");
    let (theirs, ours): (Vec<_>, Vec<_>) =
        series.iter().partition(|series| series.name.starts_with("ggrs"));
    let theirs: Vec<_> = theirs.into_iter().filter(|each| each.name.contains(&window)).collect();
    let least = |values: &mut dyn Iterator<Item = f64>| values.min_by(f64::total_cmp);
    let cell = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
    let mut table = Table::new([
        "way to play",
        "mean delay",
        "computed again / 100",
        "ggrs at this delay",
        "ours / ggrs",
        "ggrs's delay for as little",
        "ticks less",
        "depth, p99 of all ticks",
        "ggrs at this delay",
        "rollbacks / 100",
        "ggrs at this delay",
    ]);
    for ours in ours {
        for point in &ours.points {
            let (delay, again) = (point.counts.mean_delay(), point.counts.again());
            let their_again = least(&mut theirs.iter().filter_map(|each| each.again_at(delay)));
            let their_delay = least(&mut theirs.iter().filter_map(|each| each.delay_at(again)));
            let their_depth = least(&mut theirs.iter().filter_map(|each| each.depth_at(delay)));
            // Past the point of no resimulation, more delay is only worse.
            let their_delay = their_delay.filter(|_| again >= 0.05);
            table.row([
                format!("{}, {} {}", ours.name, ours.setting, point.setting),
                format!("{delay:.2}"),
                format!("{again:.2}"),
                cell(their_again),
                cell(their_again.filter(|&theirs| theirs >= 0.05).map(|theirs| again / theirs)),
                cell(their_delay),
                cell(their_delay.map(|theirs| theirs - delay)),
                point.counts.depth_p99_of_ticks().to_string(),
                cell(their_depth),
                format!("{:.2}", point.counts.rollbacks()),
                cell(least(&mut theirs.iter().filter_map(|each| each.rollbacks_at(delay)))),
            ]);
        }
    }
    table
}
