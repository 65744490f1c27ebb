//! Table, JSON and page of a fixed report, byte by byte. `cargo test -p isostep-bench --test
//! outputs -- --ignored` regenerates the files; review the changes before you commit them.

use isostep_bench::{
    About, Axis, Bar, Bars, Comparison, Line, Plot, Point, Ratio, Report, Rest, RestOutcome, Row,
    Section, Spread, Target, Unit, html, table,
};
use std::path::{Path, PathBuf};

fn spread(median: f64) -> Spread {
    Spread { median, p10: median * 0.75, p90: median * 1.5, least: median * 0.5, samples: 31 }
}

fn row(key: &str, name: &str, ours: f64, theirs: f64) -> Row {
    let ratio = ours / theirs;
    let ratio = Ratio { median: ratio, p10: ratio * 0.5, p90: ratio * 2.0, quiet: ratio };
    let beside = Comparison {
        name: "Peer 1.0 <fast & \"loud\">".to_owned(),
        theirs: spread(theirs),
        ratio: Some(ratio),
    };
    Row { beside: vec![beside], ..Row::new(key, name, Unit::Microseconds, spread(ours)) }
}

fn report() -> Report {
    let point = |x: f64| Point::of(x, spread(x * 3.0));
    let line = |name: &str, from: f64| Line {
        name: name.to_owned(),
        points: [1.0, 10.0, 100.0].map(|x| point(x * from)).to_vec(),
    };
    let about = About {
        version: "9.9.9".to_owned(),
        processor: "Some Processor".to_owned(),
        threads: 2,
        system: "linux x86_64".to_owned(),
        debug: false,
        quick: true,
        paths: vec!["scalar, 1 thread".to_owned()],
        peers: vec!["Peer 1.0 <fast & \"loud\">".to_owned()],
        seconds: 42,
    };
    let outcome = |engine: &str, asleep: bool, moved: Option<f64>| RestOutcome {
        engine: engine.to_owned(),
        ticks: if asleep { 68 } else { 600 },
        asleep,
        fastest: if asleep { 0.0 } else { 12.3456 },
        deepest: 0.25,
        deepest_ever: 31.5,
        moved,
    };
    let rest = |key: &str, name: &str, asleep: bool, moved: Option<f64>| Rest {
        key: key.to_owned(),
        name: name.to_owned(),
        bodies: 4,
        outcomes: vec![
            outcome("Isostep", true, moved),
            outcome("Peer 1.0 <fast & \"loud\">", asleep, moved),
        ],
    };
    let never = Row::new("rest", "until it rests", Unit::Seconds, Spread::exact(f64::INFINITY));
    Report {
        about,
        sections: vec![
            Section {
                title: "Step".to_owned(),
                note: "In turns of ten ticks.".to_owned(),
                rows: vec![
                    row("step/a", "pyramid", 941.0, 442.0),
                    row("save/a", "save", 5.0, 250.0),
                ],
            },
            Section {
                title: "Sizes".to_owned(),
                note: String::new(),
                rows: vec![
                    Row::new("bytes", "a tick", Unit::Bytes, Spread::exact(153_694.0)),
                    Row::new("share", "a digest", Unit::Share, spread(0.019)),
                    never,
                ],
            },
            Section::default(),
        ],
        rests: vec![
            rest("rest/cabin", "log cabin <4>", true, Some(1.5)),
            rest("rest/planks", "planks dropped", false, None),
        ],
        plots: vec![Plot {
            title: "Step against bodies".to_owned(),
            note: "All awake.".to_owned(),
            x: Axis::log("bodies"),
            y: Axis::log("µs"),
            lines: vec![line("many islands", 1.0), line("one pile", 1.5)],
        }],
        bars: vec![
            Bars {
                title: "A step by phase".to_owned(),
                note: "Means.".to_owned(),
                unit: Unit::Microseconds,
                stacked: true,
                parts: ["gather", "narrow", "solve"].map(str::to_owned).to_vec(),
                bars: vec![Bar { name: "pyramid".to_owned(), values: vec![50.0, 150.0, 800.0] }],
            },
            Bars {
                title: "A step by way".to_owned(),
                note: "Medians.".to_owned(),
                unit: Unit::Microseconds,
                stacked: false,
                parts: ["scalar", "wide", "Peer <fast>"].map(str::to_owned).to_vec(),
                bars: vec![
                    Bar { name: "pyramid".to_owned(), values: vec![1600.0, 1000.0, 1200.0] },
                    Bar { name: "arena".to_owned(), values: vec![90.0, 60.0, 0.0] },
                ],
            },
        ],
        targets: vec![
            Target::new("step", "≤ 0.80", 0.8, Some(2.13)),
            Target::new("save", "≤ 1/30", 1.0 / 30.0, Some(0.02)),
            Target::new("threads", "≤ 0.50", 0.5, None),
        ],
        notes: vec!["nobody else was there".to_owned()],
    }
}

fn outputs() -> [(&'static str, String); 3] {
    let mut json = serde_json::to_string_pretty(&report()).unwrap();
    json.push('\n');
    [("table.txt", table(&report())), ("report.json", json), ("page.html", html::page(&report()))]
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name)
}

#[test]
fn outputs_match_the_committed_files() {
    for (name, text) in outputs() {
        let golden = std::fs::read_to_string(path(name)).unwrap();
        let differs = text.lines().zip(golden.lines()).find(|(now, then)| now != then);
        assert!(text == golden, "{name} differs, first in: {differs:?}");
    }
}

#[test]
#[ignore = "it writes the goldens anew: `cargo test -p isostep-bench --test outputs -- --ignored`"]
fn mint() {
    for (name, text) in outputs() {
        std::fs::create_dir_all(path("")).unwrap();
        std::fs::write(path(name), text).unwrap();
    }
}

#[test]
fn report_text_is_escaped_in_the_page() {
    let page = html::page(&report());
    assert!(page.contains("Peer 1.0 &lt;fast &amp; &quot;loud&quot;&gt;"));
    assert!(!page.contains("<fast"));
    for foreign in ["<script", "http://", "https://", "@import", "url("] {
        assert!(!page.contains(foreign), "the page asks for {foreign}");
    }
}

#[test]
fn every_tag_that_opens_closes() {
    let page = html::page(&report());
    for tag in
        ["section", "table", "tr", "figure", "svg", "text", "polygon", "rect", "title", "p", "div"]
    {
        let count = |pattern: &str| page.matches(pattern).count();
        let open = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
        let closed = count(&format!("</{tag}>"));
        let opening = format!("<{tag} ");
        let alone = page.split(&opening).skip(1).filter(|rest| {
            rest.split('>').next().is_some_and(|attributes| attributes.ends_with('/'))
        });
        assert_eq!(open, closed + alone.count(), "{tag}");
    }
}

#[test]
fn a_report_round_trips_through_json() {
    // Includes infinite times.
    let text = serde_json::to_string(&report()).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report());
}
