//! A whole game, measured by the call that games use: the arena with eight players. Its section is the first of the report.

use super::Options;
use crate::report::{Report, Row, Section, Unit};
use isostep_scenes::games::{Arena, ArenaSize, arena_input};

/// Length of a tick at 60 ticks a second, microseconds.
const TICK_MICROSECONDS: f64 = 1e6 / 60.0;
/// Row that a slow machine must fit into a tick.
const DEEPEST: &str = "simulation/rollback/8/all";

pub(super) fn measure(options: &Options, report: &mut Report, progress: &mut dyn FnMut(&str)) {
    progress("a game: the arena");
    let size = ArenaSize { players: 8, props: 56 };
    let bench = crate::simulation(Arena::new(size, 1), size.players, |player, tick| {
        arena_input(1, player, tick)
    })
    .name("A game: 8 players and 56 props")
    .rounds(options.rounds(61, 15))
    .memory(|arena| arena.world().history_report().newest_bytes);
    match bench.run_with_snapshots() {
        Ok(mut section) => {
            section.note = format!(
                "{}The arena of the lab; {} For your own game call isostep_bench::simulation: examples/cost.rs is a complete program.",
                share_of_a_tick(&section),
                section.note
            );
            report.sections.push(section);
        }
        Err(error) => report.notes.push(format!("the arena was not measured: {error}")),
    }
}

/// The step and a deep rollback as shares of a tick, in a sentence.
fn share_of_a_tick(section: &Section) -> String {
    let median = |key: &str| {
        let row = section.rows.iter().find(|row: &&Row| row.key == key)?;
        Some(row.ours.median)
    };
    let share = |time: f64| format!("{} %", Unit::Share.show(time / TICK_MICROSECONDS));
    match median("simulation/step").zip(median(DEEPEST)) {
        None => String::new(),
        Some((step, rollback)) => format!(
            "At 60 ticks a second a step takes {} of a tick, and a rollback by 8 with all players mispredicted {}. ",
            share(step),
            share(rollback)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Spread;

    #[test]
    fn times_are_shown_as_shares_of_a_tick() {
        let row = |key, time| Row::new(key, key, Unit::Microseconds, Spread::exact(time));
        let rows = vec![row("simulation/step", 100.0), row(DEEPEST, 2500.0)];
        let section = Section { rows, ..Section::default() };
        let text = share_of_a_tick(&section);
        assert!(
            text.contains("0.60 % of a tick") && text.contains("mispredicted 15.0 %"),
            "{text}"
        );
        assert_eq!(share_of_a_tick(&Section::default()), "");
    }
}
