//! The report as one self-contained HTML page: what a game costs, pictures, every row, then targets if they were asked for.
//! On a narrow screen rows become blocks, and pictures scroll inside their boxes.
//!
//! - `style.css`: light and dark, by the reader's system setting.
//! - `curves.rs`, `bars.rs`, `groups.rs`, `ratios.rs`: pictures as SVG in the page's colours.
//!
//! Colours are distinguishable for colour-blind readers, and colour is never the only cue: curves have their own
//! markers and dashes and are named at their ends.

mod bars;
mod curves;
mod groups;
mod ratios;

use crate::report::{REST_HEADER, REST_NOTE, REST_TITLE, Report, Rest, Row, Section, Unit};
use crate::stats::Spread;
use crate::table::{peers, ratio_text};
use crate::targets::{Target, Verdict};
use std::fmt::Write;

/// Renders the page.
pub fn page(report: &Report) -> String {
    let mut out =
        String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.push_str(
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Isostep bench</title>\n",
    );
    let _ = write!(out, "<style>\n{}</style>\n</head>\n<body>\n", include_str!("style.css"));
    head(&mut out, report);
    out.push_str("<main>\n");
    // The first section is what a game costs.
    let mut sections = report.sections.iter().filter(|section| !section.rows.is_empty());
    sections.next().into_iter().for_each(|section| rows(&mut out, section));
    ratios::draw(&mut out, report);
    out.push_str("<section class=\"pictures\">\n");
    for bars in report.bars.iter().filter(|bars| !bars.bars.is_empty()) {
        if bars.stacked {
            bars::draw(&mut out, bars);
        } else {
            groups::draw(&mut out, bars);
        }
    }
    report.plots.iter().for_each(|plot| curves::draw(&mut out, plot));
    out.push_str("</section>\n");
    sections.for_each(|section| rows(&mut out, section));
    if !report.rests.is_empty() {
        rests(&mut out, &report.rests);
    }
    if !report.targets.is_empty() {
        targets(&mut out, &report.targets);
    }
    if !report.notes.is_empty() {
        out.push_str("<section>\n<h2>Notes</h2>\n<ul>\n");
        for note in &report.notes {
            let _ = writeln!(out, "<li>{}</li>", escape(note));
        }
        out.push_str("</ul>\n</section>\n");
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Escapes text for any place in the page.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn head(out: &mut String, report: &Report) {
    let about = &report.about;
    let kind = if about.quick { "A quick run" } else { "A full run" };
    out.push_str("<header>\n<h1>What it costs</h1>\n");
    let _ = writeln!(
        out,
        "<p>Isostep {}. {kind} of {} s on {} ({} threads, {}); computed as {}.</p>",
        escape(&about.version),
        about.seconds,
        escape(&about.processor),
        about.threads,
        escape(&about.system),
        escape(&about.paths.join("; "))
    );
    if !about.peers.is_empty() {
        let _ = writeln!(out, "<p>Beside: {}.</p>", escape(&about.peers.join("; ")));
    }
    if about.debug {
        out.push_str(
            "<p class=\"alarm\">This is a debug build: times mean nothing. Use --release.</p>\n",
        );
    }
    out.push_str(
        "<p class=\"quiet\">Medians, with the 10th to 90th percentile; contenders take turns in one run, and a ratio (ours / \
         theirs, below 1 is faster) is the median over rounds taken side by side.</p>\n</header>\n",
    );
}

fn targets(out: &mut String, targets: &[Target]) {
    let number = |verdict| targets.iter().filter(|target| target.verdict == verdict).count();
    out.push_str("<section>\n<h2>Targets</h2>\n");
    let _ = writeln!(
        out,
        "<p>{} met, {} missed, {} not measured in this run.</p>",
        number(Verdict::Met),
        number(Verdict::Missed),
        number(Verdict::NotMeasured)
    );
    out.push_str(
        "<div class=\"wide\"><table>\n<thead><tr><th>measure</th><th class=\"n\">wanted</th>",
    );
    out.push_str("<th class=\"n\">measured</th><th>verdict</th></tr></thead>\n<tbody>\n");
    let (missing, found): (Vec<_>, Vec<_>) =
        targets.iter().partition(|target| target.verdict == Verdict::NotMeasured);
    for target in found {
        let (class, mark) = match target.verdict {
            Verdict::Met => ("met", "✓"),
            Verdict::Missed => ("missed", "✗"),
            Verdict::NotMeasured => continue,
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"n\" data-of=\"wanted\">{}</td><td class=\"n\" data-of=\"measured\">{}</td><td class=\"{class}\">{mark} {}</td></tr>",
            escape(&target.measure),
            escape(&target.wanted),
            escape(&target.shown()),
            escape(&target.words())
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    if !missing.is_empty() {
        let missing: Vec<String> = missing
            .iter()
            .map(|target| format!("{} ({})", target.measure, target.wanted))
            .collect();
        let _ = writeln!(
            out,
            "<p class=\"quiet after\">Not measured in this run: {}.</p>",
            escape(&missing.join("; "))
        );
    }
    out.push_str("</section>\n");
}

fn rows(out: &mut String, section: &Section) {
    let peers = peers(section);
    let _ = writeln!(
        out,
        "<section>\n<h2>{}</h2>\n<p>{}</p>",
        escape(&section.title),
        escape(&section.note)
    );
    out.push_str("<div class=\"wide\"><table>\n<thead><tr><th>measure</th><th class=\"n\">ours</th><th class=\"n\">least</th>");
    for peer in &peers {
        let _ = write!(out, "<th class=\"n\">{}</th><th class=\"n\">ratio</th>", escape(peer));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &section.rows {
        let least =
            if row.ours.samples > 1 { row.unit.show(row.ours.least) } else { String::new() };
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=\"n\"{}>{}</td><td class=\"n quiet\" data-of=\"least\">{least}</td>",
            escape(&row.name),
            if peers.is_empty() { "" } else { " data-of=\"ours\"" },
            spread(row, &row.ours)
        );
        for peer in &peers {
            let beside = row.beside.iter().find(|beside| &beside.name == peer);
            let theirs = beside.map_or_else(String::new, |beside| spread(row, &beside.theirs));
            let ratio = beside.and_then(|beside| beside.ratio).map_or_else(String::new, ratio_text);
            let _ = write!(
                out,
                "<td class=\"n\" data-of=\"{}\">{theirs}</td><td class=\"n strong\" data-of=\"ratio\">{ratio}</td>",
                escape(peer)
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n</section>\n");
}

fn rests(out: &mut String, rests: &[Rest]) {
    let _ =
        writeln!(out, "<section>\n<h2>{}</h2>\n<p>{}</p>", escape(REST_TITLE), escape(REST_NOTE));
    // The first two columns are text.
    let class = |column: usize| if column < 2 { "" } else { " class=\"n\"" };
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for (column, title) in REST_HEADER.iter().enumerate() {
        let _ = write!(out, "<th{}>{}</th>", class(column), escape(title));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for cells in rests.iter().flat_map(Rest::cells) {
        out.push_str("<tr>");
        for (column, cell) in cells.iter().enumerate() {
            let title = if column < 2 {
                String::new()
            } else {
                format!(" data-of=\"{}\"", REST_HEADER[column])
            };
            let _ = write!(out, "<td{}{title}>{}</td>", class(column), escape(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n</section>\n");
}

fn spread(row: &Row, spread: &Spread) -> String {
    let show =
        |value: f64| if value.is_finite() { row.unit.show(value) } else { "never".to_owned() };
    let unit = if row.unit == Unit::Share { " %" } else { row.unit.symbol() };
    let unit = if spread.median.is_finite() { unit } else { "" };
    let mut text = format!("{}<small> {unit}</small>", show(spread.median));
    if spread.samples > 1 {
        let _ = write!(
            text,
            " <small class=\"quiet\">{}–{}</small>",
            show(spread.p10),
            show(spread.p90)
        );
    }
    text
}
