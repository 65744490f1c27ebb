//! Ratios of ours to a peer's, one dot per row with its spread, on a logarithmic axis around 1.

use super::curves::{Scale, tick_text};
use super::escape;
use crate::report::{Comparison, Report, Row, Unit};
use crate::stats::Ratio;
use crate::table::ratio_text;
use std::fmt::Write;

const WIDTH: f64 = 1152.0;
const LEFT: f64 = 300.0;
const RIGHT: f64 = 196.0;
const STEP: f64 = 21.0;
const TOP: f64 = 34.0;

struct Dot<'a> {
    row: &'a Row,
    beside: &'a Comparison,
    ratio: Ratio,
}

pub(super) fn draw(out: &mut String, report: &Report) {
    let groups: Vec<(&str, Vec<Dot<'_>>)> = report
        .sections
        .iter()
        .map(|section| (section.title.as_str(), dots(&section.rows)))
        .filter(|(_, dots)| !dots.is_empty())
        .collect();
    let all = || groups.iter().flat_map(|(_, dots)| dots);
    if all().next().is_none() {
        return;
    }
    let mut names: Vec<&str> = Vec::new();
    for dot in all() {
        if !names.contains(&dot.beside.name.as_str()) {
            names.push(&dot.beside.name);
        }
    }
    let least = all().map(|dot| dot.ratio.median).fold(0.5, f64::min);
    let most = all().map(|dot| dot.ratio.p90).fold(2.0, f64::max);
    let x = Scale::new(true, (least.max(1e-4) * 0.9, most.min(100.0)), LEFT, WIDTH - RIGHT);
    let lines: usize = groups.iter().map(|(_, dots)| rows_of(dots) + 1).sum();
    let height = TOP + STEP * lines as f64 + 34.0;
    out.push_str("<section>\n<h2>Ratios to other engines</h2>\n<p>Our value divided by theirs: left of the dashed line ours is lower. Bars are the 10th to 90th percentile of rounds; a row with several engines has a mark for each.</p>\n");
    let _ = writeln!(
        out,
        "<figure class=\"large\"><div class=\"wide\"><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Ours divided by theirs\">"
    );
    legend(out, &names);
    for value in x.ticks() {
        let at = x.at(value);
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/><text class=\"quiet\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            height - 26.0,
            height - 8.0,
            fraction(value)
        );
    }
    let even = x.at(1.0);
    let _ = writeln!(
        out,
        "<line class=\"even\" x1=\"{even:.1}\" x2=\"{even:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>",
        height - 26.0
    );
    let mut y = TOP;
    for (title, dots) in &groups {
        y += STEP;
        let _ = writeln!(
            out,
            "<text class=\"quiet\" x=\"0\" y=\"{:.1}\">{}</text>",
            y - 5.0,
            escape(title)
        );
        let mut last: Option<&str> = None;
        for dot in dots {
            if last != Some(dot.row.key.as_str()) {
                y += STEP;
                last = Some(&dot.row.key);
                let _ = writeln!(
                    out,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                    LEFT - 14.0,
                    y - 5.0,
                    escape(&shortened(&dot.row.name))
                );
                let _ = writeln!(
                    out,
                    "<text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    WIDTH - RIGHT + 12.0,
                    y - 5.0,
                    ratio_text(dot.ratio)
                );
            }
            let place = names.iter().position(|name| *name == dot.beside.name).unwrap_or(0);
            mark(out, dot, place, &x, y - 9.0);
        }
    }
    out.push_str("</svg></div></figure>\n</section>\n");
}

fn dots(rows: &[Row]) -> Vec<Dot<'_>> {
    let timed = |row: &&Row| !matches!(row.unit, Unit::Share | Unit::Times);
    let dots = rows.iter().filter(timed).flat_map(|row| {
        row.beside.iter().filter_map(move |beside| Some(Dot { row, beside, ratio: beside.ratio? }))
    });
    dots.collect()
}

fn rows_of(dots: &[Dot<'_>]) -> usize {
    let mut keys: Vec<&str> = dots.iter().map(|dot| dot.row.key.as_str()).collect();
    keys.dedup();
    keys.len()
}

fn fraction(value: f64) -> String {
    if value < 0.1 { format!("1/{:.0}", 1.0 / value) } else { tick_text(value) }
}

fn shortened(name: &str) -> String {
    let mut text: String = name.chars().take(44).collect();
    if text.len() < name.len() {
        text.push('…');
    }
    text
}

fn legend(out: &mut String, names: &[&str]) {
    let mut x = LEFT;
    for (i, name) in names.iter().enumerate() {
        shape(out, i, x + 5.0, 12.0, "");
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"16\">{}</text>", x + 16.0, escape(name));
        x += 40.0 + 7.0 * name.chars().count() as f64;
    }
}

fn mark(out: &mut String, dot: &Dot<'_>, place: usize, x: &Scale, y: f64) {
    let (from, to) = (x.at(dot.ratio.p10), x.at(dot.ratio.p90));
    let _ = writeln!(
        out,
        "<line class=\"s{}\" stroke-width=\"2\" opacity=\"0.45\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
        place % super::curves::COLOURS
    );
    let title = format!("{}, beside {}: {}", dot.row.name, dot.beside.name, ratio_text(dot.ratio));
    shape(out, place, x.at(dot.ratio.median), y, &title);
}

/// Marker of a peer: disc, square, then triangles and diamonds.
fn shape(out: &mut String, i: usize, x: f64, y: f64, title: &str) {
    let colour = i % super::curves::COLOURS;
    let points = |corners: [(f64, f64); 4]| {
        let corner = |(dx, dy): (f64, f64)| format!("{:.1},{:.1}", x + dx, y + dy);
        corners.map(corner).join(" ")
    };
    let title = format!("<title>{}</title>", escape(title));
    let _ = match i % 4 {
        0 => writeln!(
            out,
            "<circle class=\"f{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\">{title}</circle>"
        ),
        1 => writeln!(
            out,
            "<rect class=\"f{colour}\" x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\">{title}</rect>",
            x - 4.0,
            y - 4.0
        ),
        2 => writeln!(
            out,
            "<polygon class=\"f{colour}\" points=\"{}\">{title}</polygon>",
            points([(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0), (0.0, -5.0)])
        ),
        _ => writeln!(
            out,
            "<polygon class=\"f{colour}\" points=\"{}\">{title}</polygon>",
            points([(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)])
        ),
    };
}
