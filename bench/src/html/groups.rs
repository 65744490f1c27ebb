//! Grouped bars: a group for each item, a bar for each contender. Every group has its own scale, so
//! that small items stay visible beside large ones.

use super::escape;
use crate::report::{Bars, digits};
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const LEFT: f64 = 74.0;
/// Space for the numbers behind the bars.
const RIGHT: f64 = 110.0;
const BAR: f64 = 13.0;
const STEP: f64 = 16.0;
/// Space between two groups.
const GAP: f64 = 14.0;
/// Assumed width of a character in the legend.
const LETTER: f64 = 6.4;

pub(super) fn draw(out: &mut String, bars: &Bars) {
    let places = legend_places(&bars.parts);
    let top = places.last().map_or(0.0, |(_, y)| y + 18.0);
    let group = STEP * bars.parts.len() as f64 + GAP;
    let height = top + group * bars.bars.len() as f64;
    let _ = writeln!(
        out,
        "<figure>\n<h3>{}</h3>\n<p>{} Behind a bar: {}, and how many times the group's first.</p>\n<div class=\"wide\"><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escape(&bars.title),
        escape(&bars.note),
        bars.unit.symbol(),
        escape(&bars.title)
    );
    for (i, (name, (x, y))) in bars.parts.iter().zip(places).enumerate() {
        let _ = writeln!(
            out,
            "<rect class=\"f{}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"11\" height=\"11\"/><text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            i % super::curves::COLOURS,
            y - 9.0,
            x + 16.0,
            y + 1.0,
            escape(name)
        );
    }
    for (i, bar) in bars.bars.iter().enumerate() {
        let y = top + group * i as f64;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + (group - GAP) / 2.0 + 3.0,
            escape(&bar.name)
        );
        one_group(out, bars, &bar.values, y);
    }
    out.push_str("</svg></div>\n</figure>\n");
}

fn one_group(out: &mut String, bars: &Bars, values: &[f64], top: f64) {
    let longest = values.iter().copied().fold(1e-9, f64::max);
    let first = values.first().copied().unwrap_or(longest);
    for (i, (value, part)) in values.iter().zip(&bars.parts).enumerate() {
        // No bar without a measurement.
        if *value <= 0.0 {
            continue;
        }
        let y = top + STEP * i as f64;
        let width = value / longest * (WIDTH - LEFT - RIGHT);
        let number = format!("{} {}", digits(*value), bars.unit.symbol());
        let times = if i == 0 { String::new() } else { format!(" · {:.2}", value / first) };
        let _ = writeln!(
            out,
            "<rect class=\"f{}\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\"><title>{}: {number}</title></rect><text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\">{number}{times}</text>",
            i % super::curves::COLOURS,
            escape(part),
            LEFT + width + 6.0,
            y + BAR - 2.5
        );
    }
}

/// Positions of the legend's names, wrapped into lines.
fn legend_places(names: &[String]) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (LEFT, 10.0);
    let mut places = Vec::new();
    for name in names {
        let width = 16.0 + LETTER * name.chars().count() as f64;
        if x > LEFT && x + width > WIDTH {
            (x, y) = (LEFT, y + 20.0);
        }
        places.push((x, y));
        x += width + 18.0;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_legend_wraps() {
        let names =
            ["short", "a name that takes much more room than that", "and another one of them"];
        let places = legend_places(&names.map(str::to_owned));
        assert_eq!(places[0], (LEFT, 10.0));
        assert!((places[1].1 - 10.0).abs() < 1e-9 && places[1].0 > places[0].0);
        assert_eq!(places[2], (LEFT, 30.0));
    }
}
