//! docs/determinism-rules.md matches reality: its code is compiled and run here, word for word. The
//! wrong code makes the check print the output of the guide, and the right code passes.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "these games show what is forbidden"
)]

mod machines;
mod outside;
mod past;
mod saved;
mod values;

use isostep::check::{Check, Report};
use isostep::{Inputs, NewestWins, PlayerId, Simulation, Snapshot, Tick};

const GUIDE: &str = include_str!("../../docs/determinism-rules.md");
const SOURCES: [&str; 6] = [
    include_str!("mod.rs"),
    include_str!("machines.rs"),
    include_str!("outside.rs"),
    include_str!("past.rs"),
    include_str!("saved.rs"),
    include_str!("values.rs"),
];

/// Scripted input of every game here.
fn pad(tick: Tick) -> NewestWins<i8> {
    NewestWins((tick.0 / 7 % 5) as i8 - 2)
}

/// Runs a game of the guide on every path.
fn report<S>(make: impl Fn() -> S) -> Report
where
    S: Simulation<Input = NewestWins<i8>> + Snapshot,
{
    let script = |tick, inputs: &mut Inputs<_>| inputs.set_next(&[pad(tick)]);
    Check::new(1, make).script(script).ticks(100).run_with_snapshots()
}

/// A code block of the guide: language and lines.
type Block<'a> = (&'a str, Vec<&'a str>);

/// Code blocks below each heading.
fn chapters(text: &str) -> Vec<(&str, Vec<Block<'_>>)> {
    let mut chapters: Vec<(&str, Vec<Block<'_>>)> = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => {
                let blocks = &mut chapters.last_mut().expect("a heading comes first").1;
                blocks.extend(open.take());
            }
            (Some(block), None) => block.1.push(line),
            (None, Some(language)) => open = Some((language, Vec::new())),
            (None, None) => {
                if let Some(title) = line.trim_start_matches('#').strip_prefix(' ')
                    && line.starts_with('#')
                {
                    chapters.push((title, Vec::new()));
                }
            }
        }
    }
    chapters
}

/// Code blocks of a language below a heading.
fn blocks(title: &str, language: &str) -> Vec<Vec<&'static str>> {
    let chapters = chapters(GUIDE);
    let found = chapters.into_iter().find(|chapter| chapter.0 == title);
    let (_, blocks) = found.unwrap_or_else(|| panic!("the guide has no heading {title:?}"));
    blocks.into_iter().filter(|block| block.0 == language).map(|block| block.1).collect()
}

/// Returns true if a line is printed; `…` matches anything.
fn is_printed(line: &str, printed: &str) -> bool {
    printed.lines().any(|printed| {
        let mut rest = Some(printed);
        for (place, part) in line.split('…').enumerate() {
            rest = rest.and_then(|rest| match place {
                0 => rest.strip_prefix(part),
                _ => rest.find(part).map(|at| &rest[at + part.len()..]),
            });
        }
        rest.is_some_and(|rest| rest.is_empty() || line.ends_with('…'))
    })
}

/// Asserts that the wrong game prints the guide's output below a heading, and that the right one
/// passes.
fn assert_shown(title: &str, wrong: &Report, right: &Report) {
    assert!(right.is_equal(), "{title}: {right}");
    assert!(!wrong.is_equal(), "{title}: {wrong}");
    assert_printed(title, &wrong.to_string());
}

fn assert_printed(title: &str, printed: &str) {
    let shown = blocks(title, "text");
    assert!(!shown.is_empty(), "nothing is shown below {title:?}; it prints:\n{printed}");
    for line in shown.iter().flatten() {
        assert!(is_printed(line, printed), "{title}: nothing prints {line:?}\n{printed}");
    }
}

#[test]
fn every_line_of_code_in_the_guide_is_compiled_here() {
    let bare = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let sources = SOURCES.map(bare);
    let mut count = 0;
    for (title, blocks) in chapters(GUIDE) {
        for (language, lines) in blocks {
            match language {
                "rust" => {
                    let code = bare(&lines.join("\n"));
                    let found = sources.iter().any(|source| source.contains(&code));
                    assert!(found, "{title}: this is in no test:\n{}", lines.join("\n"));
                    count += 1;
                }
                "text" => (),
                other => panic!("{title}: a block of {other:?} that no test checks"),
            }
        }
    }
    assert!(count > 20, "{count} blocks");
}

#[test]
fn lines_with_gaps_match() {
    assert!(is_printed("a … c …", "x\na b c d"));
    assert!(is_printed("a b", "a b\nc"));
    for line in ["a", "b", "a b c", "… a", "a … d"] {
        assert!(!is_printed(line, "a b\nc"), "{line}");
    }
}

mod first {
    use super::*;

    #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
    struct Car {
        place: i64,
        speed: i64,
    }

    impl Simulation for Car {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
            self.speed += i64::from(inputs.value(PlayerId(0)).0);
            self.place += self.speed;
        }
    }

    #[test]
    fn the_race_is_equal_on_every_path() {
        let report = Check::new(1, Car::default) // number of players, constructor of the game
            .script(|tick, inputs| inputs.set_next(&[NewestWins((tick.0 / 7 % 5) as i8 - 2)]))
            .ticks(100)
            .run_with_snapshots();
        assert!(report.is_equal(), "{report}");
        assert_printed("The check", &report.to_string());
    }
}
