//! A match that counts presses, and what is noted of it tick by tick.

use core::time::Duration;
use isostep_core::Rng;
use isostep_rollback::sim_network::Jitter;
use isostep_rollback::{
    AdaptiveDelay, Button, Buttons, Inputs, LinkConfig, Mode, PlayerId, SessionConfig,
    SessionEvent, SimMatch, Simulation, Tick,
};
use serde::Serialize;

const BUTTONS: usize = 3;

/// Counts how often each player pressed each button.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Presses {
    pub(crate) counts: Vec<[u32; BUTTONS]>,
}

impl Simulation for Presses {
    type Input = Buttons<BUTTONS>;

    fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
        self.counts.resize(inputs.len(), [0; BUTTONS]);
        for (player, input) in inputs.iter() {
            for (place, count) in self.counts[usize::from(player.0)].iter_mut().enumerate() {
                let button = Button::new(place).expect("there is such a button");
                *count += u32::from(input.value.pressed(button));
            }
        }
    }
}

/// Measurements of one machine after a tick of true time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Note {
    pub(crate) tick: u32,
    pub(crate) delay: u32,
    pub(crate) predicted: u32,
    pub(crate) stalls: u64,
}

/// A match under way.
pub(crate) struct Play {
    pub(crate) sim: SimMatch<Presses>,
    /// For each machine, tick by tick.
    pub(crate) notes: Vec<Vec<Note>>,
    given: Vec<[u32; BUTTONS]>,
    held: Vec<Buttons<BUTTONS>>,
    rng: Rng,
}

pub(crate) fn link(millis: u64, jitter: u64, loss_percent: u32) -> LinkConfig {
    let mut link = LinkConfig::perfect();
    link.latency = Duration::from_millis(millis);
    if jitter > 0 {
        link.jitter = Jitter::Uniform { spread: Duration::from_millis(jitter) };
    }
    link.loss_ppm = loss_percent * 10_000;
    link
}

pub(crate) fn config(min: u8, max: u8, rollback: u8) -> SessionConfig {
    SessionConfig::new()
        .mode(Mode::Rollback { max: 16 })
        .adaptive_delay(AdaptiveDelay::new(min, max, rollback).expect("bounds in order"))
}

impl Play {
    pub(crate) fn new(seed: u64, players: u8, config: &SessionConfig, link: LinkConfig) -> Self {
        let sim = SimMatch::mesh(seed, players, config, link, |_| Presses::default());
        Self {
            sim: sim.expect("a sim"),
            notes: vec![Vec::new(); usize::from(players)],
            given: vec![[0; BUTTONS]; usize::from(players)],
            held: vec![Buttons::none(); usize::from(players)],
            rng: Rng::new(seed),
        }
    }

    /// Plays so many ticks of true time, pressing buttons at random.
    pub(crate) fn run(&mut self, ticks: u32) {
        for _ in 0..ticks {
            let Self { sim, given, held, rng, .. } = self;
            let ran = sim.run(1, |_, player, _| {
                let player = usize::from(player.0);
                let mut held_now = held[player].bits();
                for place in 0..BUTTONS {
                    if rng.chance(1, 12).expect("odds") {
                        held_now ^= 1 << place;
                    }
                }
                let sample = held[player].next(held_now).expect("these buttons");
                for (place, given) in given[player].iter_mut().enumerate() {
                    let button = Button::new(place).expect("a button");
                    *given += u32::from(sample.pressed(button));
                }
                held[player] = sample;
                sample
            });
            ran.expect("states can be saved");
            for (index, machine) in self.sim.machines().iter().enumerate() {
                let stats = machine.session.stats();
                self.notes[index].push(Note {
                    tick: machine.session.current_tick().0,
                    delay: machine.session.delay(PlayerId(index as u8)).expect("a local player"),
                    predicted: machine.session.predicted_ticks(),
                    stalls: stats.stalls,
                });
            }
        }
    }

    /// Ends the match: all states are equal, and every press was counted once.
    pub(crate) fn finish(mut self) {
        self.sim.settle().expect("states can be saved");
        let (tick, _) = self.sim.agree().expect("all agree");
        assert!(tick > Tick(0));
        for machine in self.sim.machines() {
            assert!(
                !machine
                    .events
                    .iter()
                    .any(|event| matches!(event, SessionEvent::DigestsDiffer { .. }))
            );
            assert_eq!(machine.game.counts, self.given, "presses lost or doubled");
        }
    }

    /// Number of delay changes of a machine between two ticks of true time.
    pub(crate) fn changes(&self, machine: usize, from: usize, to: usize) -> usize {
        let notes = &self.notes[machine][from..to];
        notes.windows(2).filter(|pair| pair[0].delay != pair[1].delay).count()
    }

    pub(crate) fn stalls(&self, machine: usize, from: usize) -> u64 {
        let notes = &self.notes[machine];
        notes.last().expect("notes").stalls - notes[from].stalls
    }
}
