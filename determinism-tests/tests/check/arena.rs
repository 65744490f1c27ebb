//! A whole game on every path: worlds, commands, a bot and a session.

use isostep_core::internals::Lanes;
use isostep_core::parallel::Threads;
use isostep_core::world::ResimMode;
use isostep_rollback::check::Compare;
use isostep_rollback::check::{Check, CheckError, TickPath};
use isostep_rollback::{Inputs, PlayerId, Tick};
use isostep_scenes::games::{Arena, ArenaInput, ArenaSize, arena_input, choose_loadout};

const SIZE: ArenaSize = ArenaSize { players: 3, props: 8 };

fn script(seed: u64) -> impl FnMut(Tick, &mut Inputs<ArenaInput>) {
    move |tick, inputs| {
        let player = |player| arena_input(seed, PlayerId(player), tick);
        inputs.set_next(&[player(0), player(1), ArenaInput::default()]);
        if tick.0 % 17 == 5 {
            inputs.push_command(PlayerId(1), &choose_loadout((tick.0 % 4) as u8));
        }
    }
}

fn arena(change: impl Fn(&mut Arena)) -> Arena {
    let mut arena = Arena::new(SIZE, 3);
    change(&mut arena);
    arena
}

fn check<'a>() -> Check<'a, Arena> {
    Check::new(3, || arena(|_| ())).bot(PlayerId(2)).script(script(3)).ticks(150).seed(5)
}

#[test]
fn an_arena_is_equal_on_every_path_with_any_lanes_and_threads() {
    let threads = Threads::new(3).expect("threads");
    let mut check = check()
        .variant("3 threads", || arena(|arena| arena.world_mut().set_threads(threads.clone())));
    for lanes in Lanes::available() {
        check = check.variant(lanes.name(), move || {
            arena(|arena| assert!(arena.world_mut().set_lanes(lanes)))
        });
    }
    let report = check
        .variant("in full", || arena(|arena| arena.world_mut().set_resim_mode(ResimMode::Full)))
        .run_with_snapshots();
    assert!(report.is_equal(), "{report}");
    assert!(report.rows.len() >= 4 * TickPath::ALL.len());
}

/// A machine's digest file is equal to a second run on another machine.
#[test]
fn the_same_arena_has_the_same_digests_and_another_has_not() {
    let digests = |seed| {
        let make = move || Arena::new(SIZE, seed);
        let check = Check::new(3, make).script(script(3)).ticks(100).paths(&[TickPath::Straight]);
        check.compare(Compare::Doubling).run().digests().clone()
    };
    let (one, other) = (digests(1), digests(2));
    assert_eq!(one, digests(1));
    let ticks: Vec<u32> = one.ticks.iter().map(|digests| digests.tick.0).collect();
    assert_eq!(ticks, [0, 1, 2, 4, 8, 16, 32, 64, 100]);
    let divergence = one.compare(&other).unwrap().divergence.unwrap();
    assert_eq!((divergence.tick, divergence.agreed), (Tick(0), None));
    assert!(divergence.sections.contains(&"world.bodies".to_owned()), "{divergence:?}");
}

/// A session would split such commands over ticks, and the recording would be of another match.
#[test]
fn oversized_commands_are_an_error_not_a_difference() {
    let report = check()
        .script(|tick, inputs| {
            inputs.set_next(&[ArenaInput::default(); 3]);
            if tick.0 == 7 {
                inputs.push_command(PlayerId(0), &[9; 1200]);
            }
        })
        .ticks(20)
        .run_with_snapshots();
    let rows: Vec<_> = report.findings().collect();
    assert_eq!(rows.len(), 1, "{report}");
    assert_eq!(rows[0].path, TickPath::Recorded);
    let text = report.to_string();
    assert!(text.contains("as made, recorded: refused on tick 7\n  the commands of "), "{text}");
    assert!(matches!(
        &rows[0].outcome,
        isostep_rollback::check::Outcome::Refused {
            error: CheckError::Commands { bytes: 1204, .. },
            ..
        }
    ));
}
