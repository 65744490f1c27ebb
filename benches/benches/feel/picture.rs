//! Picture of a profile as self-contained SVG: mean delay on the x axis, resimulation and rollback
//! depth on the y axes, one line per method. Colours are distinguishable for colour-blind readers,
//! and marks differ in shape.

use crate::counts::{Point, Series};
use std::fmt::Write as _;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 470.0;
const TOP: f64 = 108.0;
const BOTTOM: f64 = HEIGHT - 62.0;
/// Left edges and width of the panels.
const PANELS: [f64; 2] = [66.0, 564.0];
const PANEL: f64 = 412.0;
/// Stalled ticks per hundred above which a mark is hollow: less was resimulated because the match
/// waited.
const STALLS: f64 = 1.0;

#[derive(Clone, Copy)]
enum Shape {
    Square,
    Triangle,
    Circle,
    Diamond,
}

struct Style {
    /// Prefix of a series' name.
    name: &'static str,
    legend: &'static str,
    /// Width in the legend.
    width: f64,
    colour: &'static str,
    dashes: &'static str,
    shape: Shape,
}

/// Drawn series, in order; the others are in the tables only.
const STYLES: [Style; 4] = [
    Style {
        name: "ggrs, window 12, skips",
        legend: "ggrs, skips as advised",
        width: 202.0,
        colour: "#7a7a7a",
        dashes: "5 4",
        shape: Shape::Triangle,
    },
    Style {
        name: "ggrs, window 12, slows",
        legend: "ggrs, slows as advised",
        width: 202.0,
        colour: "#d55e00",
        dashes: "",
        shape: Shape::Square,
    },
    Style {
        name: "ours, adaptive",
        legend: "ours, adaptive (number: rollback accepted)",
        width: 330.0,
        colour: "#00508c",
        dashes: "",
        shape: Shape::Diamond,
    },
    Style {
        name: "ours, fixed",
        legend: "ours, fixed delay",
        width: 0.0,
        colour: "#56a0d3",
        dashes: "2 3",
        shape: Shape::Circle,
    },
];

/// A panel: its area and range of values.
struct Axes {
    left: f64,
    most_x: f64,
    most_y: f64,
    step_y: f64,
    label: &'static str,
    value: fn(&Point) -> f64,
    /// True if marks are labelled with the accepted rollback depth.
    numbered: bool,
}

impl Axes {
    fn new(
        left: f64,
        label: &'static str,
        value: fn(&Point) -> f64,
        drawn: &[(&Style, &Series)],
    ) -> Self {
        let points = || drawn.iter().flat_map(|(_, series)| &series.points);
        let highest = points().map(value).fold(1.0, f64::max);
        let furthest = points().map(|point| point.counts.mean_delay()).fold(1.0, f64::max);
        let step_y = step(highest);
        let most_y = (highest * 1.04 / step_y).ceil() * step_y;
        Self { left, most_x: furthest.ceil() + 0.5, most_y, step_y, label, value, numbered: false }
    }

    fn right(&self) -> f64 {
        self.left + PANEL
    }

    fn x(&self, value: f64) -> f64 {
        self.left + PANEL * value / self.most_x
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * value / self.most_y
    }

    fn place(&self, point: &Point) -> (f64, f64) {
        (self.x(point.counts.mean_delay()), self.y((self.value)(point)))
    }
}

/// Grid step: 1, 2 or 5 times a power of ten, at most eight of them.
fn step(most: f64) -> f64 {
    let mut step = 1.0;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if most / step <= 8.0 {
            break;
        }
        step *= factor;
    }
    step
}

/// Draws the picture of a profile.
pub(crate) fn draw(title: &str, series: &[Series]) -> String {
    let drawn: Vec<(&Style, &Series)> = STYLES
        .iter()
        .filter_map(|style| Some((style, series.iter().find(|each| each.name == style.name)?)))
        .collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\" fill=\"#222\">\n\
         <title>Input delay and rollback: {title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"20\" y=\"28\" font-size=\"18\" font-weight=\"bold\">{title}</text>\n\
         <text x=\"{:.1}\" y=\"28\" text-anchor=\"end\" fill=\"#555\">lower and further left is better; hollow: more than \
         {STALLS} of 100 ticks stalled</text>\n",
        WIDTH - 20.0
    );
    legend(&mut svg, &drawn);
    let mut panels = [
        Axes::new(PANELS[0], "ticks computed again per 100", |point| point.counts.again(), &drawn),
        Axes::new(
            PANELS[1],
            "rollback that 99 of 100 ticks don't exceed, ticks",
            |point| f64::from(point.counts.depth_p99_of_ticks()),
            &drawn,
        ),
    ];
    panels[1].numbered = true;
    for axes in &panels {
        grid(&mut svg, axes);
        for (style, series) in &drawn {
            line(&mut svg, axes, style, series);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn grid(svg: &mut String, axes: &Axes) {
    let (left, right) = (axes.left, axes.right());
    let steps = (axes.most_y / axes.step_y).round() as u32;
    for value in (0..=steps).map(|step| f64::from(step) * axes.step_y) {
        let y = axes.y(value);
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#e4e4e4\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            left - 12.0,
            y + 5.0
        );
    }
    for value in 0..=axes.most_x.floor() as u32 {
        let x = axes.x(f64::from(value));
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {BOTTOM}v5\" stroke=\"#222\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
            BOTTOM + 21.0
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {TOP}V{BOTTOM}H{right}\" fill=\"none\" stroke=\"#222\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">mean input delay, ticks of 1/60 s</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
        f64::midpoint(left, right),
        HEIGHT - 18.0,
        left - 8.0,
        TOP - 14.0,
        axes.label
    );
}

fn line(svg: &mut String, axes: &Axes, style: &Style, series: &Series) {
    let places = || series.points.iter().map(|point| axes.place(point));
    let path: Vec<String> = places().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let (path, colour, dashes) = (path.join("L"), style.colour, style.dashes);
    let _ = writeln!(
        svg,
        "<path d=\"M{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>"
    );
    for (point, place) in series.points.iter().zip(places()) {
        mark(svg, style, place, point.counts.stalled() > STALLS);
        if series.setting == "rollback" && axes.numbered {
            let (x, y) = (place.0 + 8.0, place.1 - 6.0);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"13\" fill=\"{colour}\" \
                 stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
                point.setting
            );
        }
    }
}

fn mark(svg: &mut String, style: &Style, (x, y): (f64, f64), hollow: bool) {
    let d = match style.shape {
        Shape::Square => format!("M{:.1} {:.1}h10v10h-10z", x - 5.0, y - 5.0),
        Shape::Triangle => format!("M{x:.1} {:.1}l6.5 12h-13z", y - 7.0),
        Shape::Circle => format!("M{:.1} {y:.1}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", x - 3.0),
        Shape::Diamond => format!("M{x:.1} {:.1}l6.5 6.5l-6.5 6.5l-6.5 -6.5z", y - 6.5),
    };
    let (colour, fill) = (style.colour, if hollow { "#fff" } else { style.colour });
    let _ =
        writeln!(svg, "<path d=\"{d}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"/>");
}

fn legend(svg: &mut String, drawn: &[(&Style, &Series)]) {
    let (mut x, y) = (20.0, 56.0);
    for (style, _) in drawn {
        let (colour, dashes) = (style.colour, style.dashes);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {y:.1}h34\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 42.0,
            y + 5.0,
            style.legend
        );
        mark(svg, style, (x + 17.0, y), false);
        x += style.width;
    }
}
