//! The report for a terminal: a block per section with aligned columns.

use crate::report::{REST_HEADER, REST_NOTE, REST_TITLE, Report, Rest, Row, Section};
use crate::stats::Ratio;
use std::fmt::Write;

/// Line width.
const WIDTH: usize = 110;

/// Renders the whole report as text.
pub fn table(report: &Report) -> String {
    let mut out = String::new();
    head(&mut out, report);
    for section in report.sections.iter().filter(|section| !section.rows.is_empty()) {
        title(&mut out, &section.title, &section.note);
        lay_out(&mut out, &header(section), &rows(section));
    }
    if !report.rests.is_empty() {
        title(&mut out, REST_TITLE, REST_NOTE);
        let rows: Vec<_> = report.rests.iter().flat_map(Rest::cells).map(Vec::from).collect();
        lay_out(&mut out, &REST_HEADER.map(str::to_owned), &rows);
    }
    for bars in report.bars.iter().filter(|bars| bars.stacked && !bars.bars.is_empty()) {
        title(&mut out, &bars.title, &bars.note);
        let header: Vec<String> = [bars.unit.symbol().to_owned()]
            .into_iter()
            .chain(bars.bars.iter().map(|bar| bar.name.clone()))
            .collect();
        let cells = |part: usize| bars.bars.iter().map(move |bar| part_of(bar, part, bars.unit));
        let row =
            |(i, part): (usize, &String)| [part.clone()].into_iter().chain(cells(i)).collect();
        let rows: Vec<Vec<String>> = bars.parts.iter().enumerate().map(row).collect();
        lay_out(&mut out, &header, &rows);
    }
    if !report.targets.is_empty() {
        title(&mut out, "Targets", "");
        let header = ["measure", "wanted", "measured", "verdict"].map(str::to_owned);
        let row = |target: &crate::Target| {
            vec![target.measure.clone(), target.wanted.clone(), target.shown(), target.words()]
        };
        let rows: Vec<_> = report.targets.iter().map(row).collect();
        lay_out(&mut out, &header, &rows);
    }
    for note in &report.notes {
        out.push('\n');
        wrap(&mut out, &format!("Note: {note}"));
    }
    out
}

/// A part with its share of the bar.
fn part_of(bar: &crate::Bar, part: usize, unit: crate::Unit) -> String {
    let (value, sum) =
        (bar.values.get(part).copied().unwrap_or(0.0), bar.values.iter().sum::<f64>());
    let share = if sum > 0.0 { 100.0 * value / sum } else { 0.0 };
    format!("{} ({share:.0} %)", unit.show(value))
}

fn head(out: &mut String, report: &Report) {
    let about = &report.about;
    let kind = if about.quick { "a quick run" } else { "a full run" };
    let _ = writeln!(
        out,
        "Isostep {}, {kind} of {} s on {} ({} threads, {})",
        about.version, about.seconds, about.processor, about.threads, about.system
    );
    let _ = writeln!(out, "Computed as: {}", about.paths.join("; "));
    if !about.peers.is_empty() {
        let _ = writeln!(out, "Beside: {}", about.peers.join("; "));
    }
    out.push_str("Median (10th to 90th percentile), least; a ratio is ours / theirs, of rounds taken side by side.\n");
    if about.debug {
        out.push_str("THIS IS A DEBUG BUILD: times mean nothing. Use --release.\n");
    }
}

fn title(out: &mut String, title: &str, note: &str) {
    let _ = writeln!(out, "\n== {title}");
    if !note.is_empty() {
        wrap(out, note);
    }
    out.push('\n');
}

/// Wraps text.
fn wrap(out: &mut String, text: &str) {
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        }
        if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
}

/// Peers of a section, in order of appearance.
pub(crate) fn peers(section: &Section) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for beside in section.rows.iter().flat_map(|row| &row.beside) {
        if !names.contains(&beside.name) {
            names.push(beside.name.clone());
        }
    }
    names
}

fn header(section: &Section) -> Vec<String> {
    let mut header = vec!["measure".to_owned(), "ours".to_owned(), "least".to_owned()];
    for peer in peers(section) {
        header.push(peer);
        header.push("ratio".to_owned());
    }
    header
}

fn rows(section: &Section) -> Vec<Vec<String>> {
    let peers = peers(section);
    let row = |row: &Row| {
        let mut cells = vec![row.name.clone(), spread(row, &row.ours), String::new()];
        if row.ours.samples > 1 {
            cells[2] = row.unit.show(row.ours.least);
        }
        for peer in &peers {
            let beside = row.beside.iter().find(|beside| &beside.name == peer);
            cells.push(beside.map_or_else(String::new, |beside| spread(row, &beside.theirs)));
            let ratio = beside.and_then(|beside| beside.ratio);
            cells.push(ratio.map_or_else(String::new, ratio_text));
        }
        cells
    };
    section.rows.iter().map(row).collect()
}

fn spread(row: &Row, spread: &crate::Spread) -> String {
    if !spread.median.is_finite() {
        return "never".to_owned();
    }
    let show = |value| row.unit.show(value);
    let symbol = row.unit.symbol();
    if spread.samples > 1 {
        format!("{} {symbol} ({}–{})", show(spread.median), show(spread.p10), show(spread.p90))
    } else {
        format!("{} {symbol}", show(spread.median))
    }
}

/// A ratio with its spread; small ones as fractions.
pub(crate) fn ratio_text(ratio: Ratio) -> String {
    let one = |value: f64| {
        if value > 0.0 && value < 0.1 {
            format!("1/{:.0}", 1.0 / value)
        } else {
            format!("{value:.2}")
        }
    };
    if ratio.p90 <= ratio.p10 {
        one(ratio.median)
    } else {
        format!("{} ({}–{})", one(ratio.median), one(ratio.p10), one(ratio.p90))
    }
}

fn lay_out(out: &mut String, header: &[String], rows: &[Vec<String>]) {
    let cell = |row: &[String], column: usize| row.get(column).map_or(0, |c| c.chars().count());
    let widths: Vec<usize> = (0..header.len())
        .map(|column| {
            let all = rows.iter().map(|row| cell(row, column));
            all.chain([cell(header, column)]).max().unwrap_or(0)
        })
        .collect();
    let mut line = |row: &[String]| {
        let mut text = String::new();
        for (column, &width) in widths.iter().enumerate() {
            let cell = row.get(column).map_or("", String::as_str);
            let _ = if column == 0 {
                write!(text, "{cell:<width$}")
            } else {
                write!(text, "  {cell:>width$}")
            };
        }
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line(header);
    line(&widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
}
