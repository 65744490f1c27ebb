//! Invariants after every advance of a script, for any prediction.

use super::game::{Pad, Who, pad};
use super::model::mixed;
use super::oracle_script::Script;
use isostep_rollback::{InputHistory, InputStatus, Mode, Occupant, PlayerId, Predictor, Tick};

/// Guesses that have nothing to do with what was known, another one each time.
pub(crate) struct Noise(pub(crate) u64);

impl Predictor<Pad> for Noise {
    fn predict(&mut self, known: &InputHistory<'_, Pad>, tick: Tick) -> Pad {
        assert!(known.last().is_none_or(|(last, _)| last < tick), "only the past is known");
        self.0 = mixed(&[self.0, u64::from(tick.0)]);
        pad(self.0)
    }
}

/// Guesses that nothing is touched.
pub(crate) struct Still;

impl Predictor<Pad> for Still {
    fn predict(&mut self, _: &InputHistory<'_, Pad>, _: Tick) -> Pad {
        Pad::default()
    }
}

impl Script {
    /// Takes down what local players have said, and whether it is what their samples lead to.
    pub(crate) fn note_locals(&mut self) {
        for place in 0..self.setup.seats.len() {
            let player = PlayerId(place as u8);
            let seat = &mut self.truth.seats[place];
            let floor = self.session.confirmed_tick().min(self.session.current_tick()) - 120;
            let starts = seat.changes.iter().filter(|change| change.1 == Occupant::Local);
            let starts: Vec<Tick> = starts.map(|change| change.0.max(floor)).collect();
            for start in starts {
                for (tick, value, payload) in self.session.local_window(player, start) {
                    if seat.occupant(tick) == Occupant::Local {
                        seat.note_local(tick, value, payload);
                    }
                }
            }
            if let Some(sampler) = &mut self.samplers[place] {
                for (tick, value) in sampler.advance(Tick(self.target)) {
                    let said = seat.local.get(tick.0 as usize).cloned().flatten();
                    assert_eq!(said.map(|said| said.0), Some(value), "{player} on tick {tick}");
                }
                assert_eq!(self.session.local_next(player), Some(Tick(sampler.next)));
            }
        }
    }

    pub(crate) fn check_lead(&self) {
        let lead = self.session.current_tick().since(self.session.confirmed_tick());
        assert_eq!(lead, self.session.predicted_ticks());
        match self.setup.mode {
            Mode::Lockstep => assert_eq!(lead, 0),
            Mode::Rollback { max } => assert!(lead <= max, "{lead} ticks ahead of {max}"),
            Mode::Unbounded { .. } => assert!(lead <= 128, "half of the log of 256"),
        }
    }

    pub(crate) fn check_inputs(&self, tick: Tick) {
        let at = tick.0 as usize;
        let Some(inputs) = self.sim.inputs.get(at) else { return };
        for (player, input) in inputs.iter() {
            let before = at
                .checked_sub(1)
                .map_or_else(Pad::default, |before| self.sim.inputs[before].value(player));
            assert_eq!(input.previous, before, "previous of {player} on tick {tick}");
            let who = match self.truth.seats[usize::from(player.0)].occupant(tick) {
                Occupant::Bot => Who::Bot,
                Occupant::Empty => Who::Empty,
                Occupant::Local | Occupant::Remote(_) => Who::Human,
            };
            assert_eq!(Who::from(input.status), who, "{player} on tick {tick}");
            match input.status {
                InputStatus::Confirmed => {
                    let truth = self.truth.human(player, tick).map(|truth| truth.0);
                    assert_eq!(Some(input.value), truth, "{player} on tick {tick}");
                }
                InputStatus::Predicted => {
                    assert!(tick >= self.session.confirmed_tick());
                    assert_ne!(self.setup.mode, Mode::Lockstep, "lockstep never guesses");
                }
                InputStatus::Disconnected => assert_eq!(input.value, Pad::default()),
                InputStatus::Bot => (),
            }
        }
    }

    pub(crate) fn compare(&mut self) {
        let sure = self.session.confirmed_tick().min(self.session.current_tick());
        if sure.0 <= self.compared {
            return;
        }
        let states = self.truth.play(sure);
        assert_eq!(states.len(), sure.0 as usize + 1, "confirmed without a word of its owner");
        for tick in self.compared + 1..=sure.0 {
            let at = tick as usize;
            assert_eq!(self.sim.after[at - 1], states[at], "the state of tick {tick}");
        }
        self.compared = sure.0;
    }
}
