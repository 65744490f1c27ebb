//! Curves with their spread, on linear or logarithmic axes.

use super::escape;
use crate::report::{Axis, Line, Plot, digits};
use std::fmt::Write;

const WIDTH: f64 = 572.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 80.0;
/// Space for the curves' names at their ends.
const RIGHT: f64 = 118.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;
/// Minimum distance between names.
const APART: f64 = 15.0;

pub(super) const COLOURS: usize = 7;
const DASHES: [&str; 5] = ["", "7 4", "2 3", "9 3 2 3", "4 2"];

/// Mapping of one axis to the picture.
pub(super) struct Scale {
    log: bool,
    from: f64,
    to: f64,
    /// Picture coordinates.
    start: f64,
    end: f64,
}

impl Scale {
    /// Creates an axis for a range; a logarithmic one ends at round numbers, a linear one starts at
    /// zero.
    pub(super) fn new(log: bool, (least, most): (f64, f64), start: f64, end: f64) -> Self {
        let (from, to) = if log {
            let least = least.max(1e-9);
            (round_below(least), round_above(most.max(least * 1.01)))
        } else {
            (0.0, most.max(1e-9))
        };
        Self { log, from, to, start, end }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(self.from) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.start + part.clamp(0.0, 1.0) * (self.end - self.start)
    }

    /// Values of the grid lines.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if !self.log {
            let step = round_above(self.to / 6.0);
            let count = (self.to / step * 1.0001) as u32;
            return (0..=count).map(|i| f64::from(i) * step).collect();
        }
        let wide = self.to / self.from > 120.0;
        let mut ticks = Vec::new();
        let mut decade = 10f64.powf(self.from.log10().floor());
        while decade <= self.to {
            let steps: &[f64] = if wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
            ticks.extend(steps.iter().map(|step| step * decade));
            decade *= 10.0;
        }
        ticks.retain(|v| *v >= self.from * 0.999 && *v <= self.to * 1.001);
        ticks
    }
}

/// Largest of 1, 2, 5, 10, 20 … not above the value.
fn round_below(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|step| step * decade);
    steps.into_iter().find(|step| *step <= value * 1.0001).unwrap_or(decade)
}

/// Smallest of 1, 2, 5, 10, 20 … not below the value.
fn round_above(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * decade);
    steps.into_iter().find(|step| *step >= value * 0.9999).unwrap_or(decade * 10.0)
}

/// Axis label, without superfluous digits.
pub(super) fn tick_text(value: f64) -> String {
    let text = digits(value);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
}

pub(super) fn draw(out: &mut String, plot: &Plot) {
    let points = || plot.lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return;
    }
    let x = Scale::new(plot.x.log, span(points().map(|p| p.x)), LEFT, WIDTH - RIGHT);
    let y = span(points().flat_map(|p| [p.low, p.high]));
    let y = Scale::new(plot.y.log, y, HEIGHT - BOTTOM, TOP);
    let _ = writeln!(
        out,
        "<figure>\n<h3>{}</h3>\n<p>{}</p>\n<div class=\"wide\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escape(&plot.title),
        escape(&plot.note),
        escape(&plot.title)
    );
    axes(out, &x, &y, &plot.x, &plot.y);
    for (i, line) in plot.lines.iter().enumerate() {
        curve(out, line, i, &x, &y);
    }
    names(out, &plot.lines, &x, &y);
    out.push_str("</svg></div>\n</figure>\n");
}

fn axes(out: &mut String, x: &Scale, y: &Scale, across: &Axis, up: &Axis) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for value in y.ticks() {
        let at = y.at(value);
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 7.0,
            at + 4.0,
            tick_text(value)
        );
    }
    for value in x.ticks() {
        let at = x.at(value);
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/><text class=\"quiet\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 17.0,
            tick_text(value)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(LEFT, right),
        HEIGHT - 8.0,
        escape(&across.label)
    );
    let middle = f64::midpoint(TOP, bottom);
    let _ = writeln!(
        out,
        "<text class=\"quiet\" x=\"13\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 13 {middle:.1})\">{}</text>",
        escape(&up.label)
    );
}

fn curve(out: &mut String, line: &Line, i: usize, x: &Scale, y: &Scale) {
    let colour = i % COLOURS;
    let place = |px: f64, py: f64| format!("{:.1},{:.1}", x.at(px), y.at(py));
    let upper = line.points.iter().map(|p| place(p.x, p.high));
    let lower = line.points.iter().rev().map(|p| place(p.x, p.low));
    let band: Vec<String> = upper.chain(lower).collect();
    let middle: Vec<String> = line.points.iter().map(|p| place(p.x, p.y)).collect();
    let _ = writeln!(out, "<polygon class=\"band f{colour}\" points=\"{}\"/>", band.join(" "));
    let _ = writeln!(
        out,
        "<polyline class=\"line s{colour}\" stroke-dasharray=\"{}\" points=\"{}\"/>",
        DASHES[i % DASHES.len()],
        middle.join(" ")
    );
    for p in &line.points {
        let text = format!(
            "{}: {} at {} ({} to {})",
            line.name,
            digits(p.y),
            tick_text(p.x),
            digits(p.low),
            digits(p.high)
        );
        mark(out, i, x.at(p.x), y.at(p.y), &text);
    }
}

/// A marker of the curve's shape, with a tooltip.
fn mark(out: &mut String, i: usize, x: f64, y: f64, text: &str) {
    let colour = i % COLOURS;
    let shape = match i % 5 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" class=\"f{colour}\">"),
        1 => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"7\" height=\"7\" class=\"f{colour}\">",
            x - 3.5,
            y - 3.5
        ),
        2 => polygon(colour, x, y, &[(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)]),
        3 => polygon(colour, x, y, &[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)]),
        _ => polygon(colour, x, y, &[(0.0, 5.0), (5.0, -4.0), (-5.0, -4.0)]),
    };
    let tag = shape.trim_start_matches('<').split(' ').next().unwrap_or_default().to_owned();
    let _ = writeln!(out, "{shape}<title>{}</title></{tag}>", escape(text));
}

fn polygon(colour: usize, x: f64, y: f64, corners: &[(f64, f64)]) -> String {
    let corner = |(dx, dy): &(f64, f64)| format!("{:.1},{:.1}", x + dx, y + dy);
    let corners: Vec<String> = corners.iter().map(corner).collect();
    format!("<polygon points=\"{}\" class=\"f{colour}\">", corners.join(" "))
}

/// Names at the ends of the curves, separated where they would touch.
fn names(out: &mut String, lines: &[Line], x: &Scale, y: &Scale) {
    let mut ends: Vec<(usize, f64)> = lines
        .iter()
        .enumerate()
        .filter_map(|(i, line)| Some((i, y.at(line.points.last()?.y))))
        .collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    for i in 1..ends.len() {
        ends[i].1 = ends[i].1.max(ends[i - 1].1 + APART);
    }
    // Names pushed past the bottom move back up, along with those in their way.
    let mut floor = HEIGHT - BOTTOM;
    for end in ends.iter_mut().rev() {
        end.1 = end.1.min(floor);
        floor = end.1 - APART;
    }
    for (i, at) in ends {
        let right = lines[i].points.last().map_or(0.0, |p| x.at(p.x));
        let _ = writeln!(
            out,
            "<text class=\"f{}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            i % COLOURS,
            right + 10.0,
            at + 4.0,
            escape(&lines[i].name)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_factors_ends_at_round_numbers() {
        let scale = Scale::new(true, (12.0, 340.0), 0.0, 100.0);
        assert_eq!((scale.from, scale.to), (10.0, 500.0));
        assert_eq!(scale.ticks(), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert!((scale.at(10.0) - 0.0).abs() < 1e-9 && (scale.at(500.0) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn another_axis_begins_at_zero() {
        let scale = Scale::new(false, (1.0, 15.0), 0.0, 150.0);
        assert!((scale.at(7.5) - 75.0).abs() < 1e-9);
        assert_eq!(scale.ticks(), [0.0, 5.0, 10.0, 15.0]);
        assert_eq!(tick_text(0.10), "0.1");
    }
}
