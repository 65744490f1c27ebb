//! Stacked bars: parts of a whole. Small parts are drawn as one; the table has them all.

use super::escape;
use crate::report::{Bars, digits};
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 78.0;
const BAR: f64 = 30.0;
const STEP: f64 = 50.0;
/// Parts with their own colour; the others share one.
const OWN: usize = 6;
/// Minimum width of a part with a name inside.
const NAMED: f64 = 52.0;

pub(super) fn draw(out: &mut String, bars: &Bars) {
    let chosen = chosen(bars);
    let legend_rows = (chosen.len() + 1).div_ceil(4);
    let top = 8.0 + 20.0 * legend_rows as f64;
    let height = top + STEP * bars.bars.len() as f64 + 8.0;
    let _ = writeln!(
        out,
        "<figure>\n<h3>{}</h3>\n<p>{} Bars are shares of the whole; its {} stand behind the bar.</p>\n<div class=\"wide\"><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escape(&bars.title),
        escape(&bars.note),
        bars.unit.symbol(),
        escape(&bars.title)
    );
    let names: Vec<&str> =
        chosen.iter().map(|part| bars.parts[*part].as_str()).chain(["others"]).collect();
    for (i, name) in names.iter().enumerate() {
        let (x, y) = (LEFT + 118.0 * (i % 4) as f64, 10.0 + 20.0 * (i / 4) as f64);
        let _ = writeln!(
            out,
            "<rect class=\"f{}\" x=\"{x}\" y=\"{:.1}\" width=\"11\" height=\"11\"/><text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            colour(i, names.len()),
            y - 9.0,
            x + 16.0,
            y + 1.0,
            escape(name)
        );
    }
    for (row, bar) in bars.bars.iter().enumerate() {
        let sum: f64 = bar.values.iter().sum::<f64>().max(1e-9);
        let own: Vec<f64> =
            chosen.iter().map(|part| bar.values.get(*part).copied().unwrap_or(0.0)).collect();
        let others = sum - own.iter().sum::<f64>();
        let y = top + STEP * row as f64;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + BAR / 2.0 + 4.0,
            escape(&bar.name)
        );
        let mut x = LEFT;
        for (i, value) in own.into_iter().chain([others]).enumerate() {
            let width = value / sum * (WIDTH - LEFT - RIGHT);
            let share = 100.0 * value / sum;
            let _ = writeln!(
                out,
                "<rect class=\"gap f{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\"><title>{}, {}: {} {} ({share:.0} %)</title></rect>",
                colour(i, names.len()),
                escape(&bar.name),
                escape(names[i]),
                digits(value),
                bars.unit.symbol()
            );
            if width > NAMED / 1.6 {
                let text = if width > NAMED + 26.0 {
                    format!("{} {share:.0} %", names[i])
                } else {
                    format!("{share:.0} %")
                };
                let text = if text.chars().count() as f64 * 6.2 > width {
                    format!("{share:.0} %")
                } else {
                    text
                };
                let _ = writeln!(
                    out,
                    "<text class=\"in\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    x + width / 2.0,
                    y + BAR / 2.0 + 4.0,
                    escape(&text)
                );
            }
            x += width;
        }
        let _ = writeln!(
            out,
            "<text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\">{} {}</text>",
            x + 6.0,
            y + BAR / 2.0 + 4.0,
            digits(sum),
            bars.unit.symbol()
        );
    }
    out.push_str("</svg></div>\n</figure>\n");
}

/// Colour of a part; grey for the shared one.
const fn colour(i: usize, count: usize) -> usize {
    if i + 1 == count { 6 } else { i }
}

/// Parts with the largest shares over all bars, in order.
fn chosen(bars: &Bars) -> Vec<usize> {
    let share = |part: usize| -> f64 {
        let of = |bar: &crate::Bar| {
            bar.values.get(part).copied().unwrap_or(0.0) / bar.values.iter().sum::<f64>().max(1e-9)
        };
        bars.bars.iter().map(of).sum()
    };
    let mut parts: Vec<usize> = (0..bars.parts.len()).collect();
    parts.sort_by(|a, b| share(*b).total_cmp(&share(*a)));
    parts.truncate(OWN);
    parts.sort();
    parts
}
