//! Shared parts of the matches: the network, settings that suit it, and the conditions that every
//! correct match meets.

use core::time::Duration;
use isostep_rollback::sim_network::Jitter;
use isostep_rollback::{
    Inputs, LinkConfig, Mode, PlayerId, SessionConfig, SessionEvent, SimMatch, Simulation, Tick,
};
use isostep_scenes::games::{Arena, ArenaInput, ArenaSize, arena_input};

/// Input delay: 50 ms.
pub(crate) const DELAY: u32 = 3;

/// 100 ms ± 20 ms one way, 5 % loss.
pub(crate) fn bad_link() -> LinkConfig {
    LinkConfig {
        latency: Duration::from_millis(100),
        jitter: Jitter::Uniform { spread: Duration::from_millis(20) },
        loss_ppm: 50_000,
        ..LinkConfig::perfect()
    }
}

/// Settings for that link. An input takes up to 120 ms, or 8 ticks with the remainder of the
/// sending one; the delay covers 3 of them, so 5 are predicted. Each packet repeats unacknowledged
/// inputs, so a loss costs a tick, and 12 leave room for 7 consecutive losses before a stall.
pub(crate) fn config() -> SessionConfig {
    SessionConfig::new().delay(DELAY).mode(Mode::Rollback { max: 12 })
}

/// Inputs of all players for a tick.
pub(crate) fn scripted(seed: u64, players: u8, tick: Tick) -> Vec<ArenaInput> {
    (0..players).map(|player| arena_input(seed, PlayerId(player), tick)).collect()
}

/// A match without prediction, with inputs delayed by this many ticks.
pub(crate) fn straight(size: ArenaSize, seed: u64, delay: u32, ticks: u32) -> Arena {
    let mut arena = Arena::new(size, seed);
    let mut inputs = Inputs::new(usize::from(size.players));
    for tick in (0..ticks).map(Tick) {
        if tick.0 >= delay {
            inputs.set_next(&scripted(seed, size.players, tick - delay));
        }
        arena.step(tick, &inputs);
    }
    arena
}

/// Progress of a match: least share of confirmed ticks in percent, and sums over machines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) progress: u32,
    pub(crate) rollbacks: u64,
    pub(crate) again: u64,
    pub(crate) ticks: u64,
    pub(crate) stalls: u64,
}

/// Checks a match after some ticks of true time on a bad network: it advanced, compared digests,
/// and never differed.
pub(crate) fn check<S: Simulation>(fleet: &SimMatch<S>, wall_ticks: u32) -> Figures {
    let mut figures = Figures { progress: 100, ..Figures::default() };
    for (index, machine) in fleet.machines().iter().enumerate() {
        let stats = machine.session.stats();
        let progress = machine.session.confirmed_tick().0 * 100 / wall_ticks;
        figures.progress = figures.progress.min(progress);
        figures.rollbacks += stats.rollbacks;
        figures.again += stats.resimulated_ticks;
        figures.ticks += stats.ticks;
        figures.stalls += stats.stalls;
        assert!(stats.compared > 0, "machine {index} compared nothing");
        let refused = &machine.refused;
        assert!(refused.is_empty(), "machine {index} refused {refused:?}");
        let differs = |event: &&SessionEvent| {
            matches!(
                event,
                SessionEvent::DigestsDiffer { .. }
                    | SessionEvent::Desync(_)
                    | SessionEvent::Conflict { .. }
            )
        };
        let differs = machine.events.iter().find(differs);
        assert!(differs.is_none(), "machine {index}: {differs:?}");
    }
    figures
}
