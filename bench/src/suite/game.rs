//! A whole game, measured by the call that games use: the arena with eight players.

use super::Options;
use crate::report::Report;
use isostep_scenes::games::{Arena, ArenaSize, arena_input};

pub(super) fn measure(options: &Options, report: &mut Report, progress: &mut dyn FnMut(&str)) {
    progress("a game: the arena");
    let size = ArenaSize { players: 8, props: 56 };
    let bench = crate::simulation(Arena::new(size, 1), size.players, |player, tick| {
        arena_input(1, player, tick)
    })
    .name("A game: the arena, 8 players and 56 props, by isostep_bench::simulation")
    .rounds(options.rounds(61, 15))
    .memory(|arena| arena.world().history_report().newest_bytes);
    match bench.run_with_snapshots() {
        Ok(section) => report.sections.push(section),
        Err(error) => report.notes.push(format!("the arena was not measured: {error}")),
    }
}
