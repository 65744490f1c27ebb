//! Our side: a fleet of two in virtual time, at full speed.

use crate::counts::Counts;
use crate::traces::{Script, Trace};
use crate::{Pad, SETTLING};
use isostep_rollback::{
    Inputs, LinkConfig, PlayerId, SessionConfig, SimMatch, Simulation, Stats, Tick, Time,
};

/// An empty game.
#[derive(Clone, serde::Serialize)]
struct Nothing;

impl Simulation for Nothing {
    type Input = Pad;
    fn step(&mut self, _: Tick, _: &Inputs<Pad>) {}
}

/// Plays a match and counts after the settling time.
pub(crate) fn play(config: &SessionConfig, trace: &Trace, script: &Script, ticks: u32) -> Counts {
    let config = config.clone().digest_every(0).start_together(true);
    let fleet = SimMatch::mesh(1, 2, &config, LinkConfig::perfect(), |_| Nothing);
    let mut fleet = fleet.expect("a sound configuration");
    let nodes: Vec<_> = fleet.network().nodes().collect();
    let mut counts = Counts::default();
    let mut settled = [Stats::default(); 2];
    for tick in 0..ticks {
        trace.apply(fleet.network(), [nodes[0], nodes[1]], tick);
        let now = fleet.now();
        fleet.machines_mut()[1].suspended = now < Time::ZERO + trace.launch;
        let press = |_, player: PlayerId, _| script.at(usize::from(player.0), now);
        fleet.run(1, press).expect("nothing can't go wrong");
        for (own, machine) in fleet.machines().iter().enumerate() {
            if tick < SETTLING {
                settled[own] = machine.session.stats();
            } else {
                let delay = machine.session.delay(PlayerId(own as u8)).expect("sits here");
                counts.delay += u64::from(delay);
                counts.time += 1;
            }
        }
    }
    for (machine, settled) in fleet.machines().iter().zip(settled) {
        let stats = machine.session.stats();
        counts.ticks += stats.ticks - settled.ticks;
        counts.stalls += stats.stalls - settled.stalls;
        let depths = counts.depths.iter_mut().zip(stats.depths).zip(settled.depths);
        depths.for_each(|((sum, end), start)| *sum += u64::from(end - start));
    }
    counts
}
