//! A relay that decides at random, and a player whose every press and command counts.

use super::model::mixed;
use isostep_rollback::{
    Authority, Button, Buttons, Input, Inputs, Mode, PeerId, PlayerId, Session, SessionConfig,
    SessionEvent, Simulation, Tick, Time,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

pub(crate) type Pad = Buttons<64>;

pub(crate) const HERE: PlayerId = PlayerId(0);
pub(crate) const THERE: PlayerId = PlayerId(1);

/// Counts how often each button of the first player was pressed, and lists the commands.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub(crate) struct Clicks {
    round: u32,
    hash: u64,
    pub(crate) presses: Vec<u32>,
    pub(crate) commands: Vec<u8>,
}

impl Simulation for Clicks {
    type Input = Pad;
    fn step(&mut self, _: Tick, inputs: &Inputs<Pad>) {
        self.round += 1;
        self.presses.resize(64, 0);
        for (_, input) in inputs.iter() {
            let bits = [input.value.bits(), input.value.pressed_bits(), input.previous.bits()];
            self.hash = mixed(&[self.hash, bits[0], bits[1], bits[2]]);
        }
        let pressed = inputs.value(HERE).pressed_bits();
        for (button, count) in self.presses.iter_mut().enumerate() {
            *count += (pressed >> button & 1) as u32;
        }
        for command in inputs.commands(HERE) {
            self.commands.push(command[0]);
        }
    }
}

pub(crate) fn config(mode: Mode, delay: u32) -> SessionConfig {
    SessionConfig::new()
        .local()
        .remote(PeerId(0))
        .authority(Authority::Bundle)
        .mode(mode)
        .delay(delay)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    AsProposed,
    /// The player is late: what was decided before is held.
    Held,
    Nothing,
    /// The presses are taken, but everything is let go.
    PressesOnly,
}

#[derive(Clone, Debug)]
pub(crate) struct Round {
    /// Taps a button that was never pressed before, or goes on holding it.
    pub(crate) press: Option<bool>,
    /// A command of so many bytes.
    pub(crate) command: Option<u8>,
    pub(crate) delay: Option<u32>,
    /// The relay confirms its next ticks, also without inputs.
    pub(crate) decisions: Vec<Decision>,
    /// Bundles in flight that arrive now.
    pub(crate) arrivals: Vec<u8>,
}

pub(crate) fn rounds() -> impl Strategy<Value = Round> {
    let decision = prop_oneof![
        4 => Just(Decision::AsProposed),
        1 => Just(Decision::Held),
        1 => Just(Decision::Nothing),
        1 => Just(Decision::PressesOnly),
    ];
    let arrivals = prop_oneof![4 => vec(0..1u8, 0..3), 1 => vec(any::<u8>(), 0..4)];
    let delay = proptest::option::weighted(0.05, 0..8u32);
    (
        proptest::option::weighted(0.4, any::<bool>()),
        proptest::option::weighted(0.1, 1..150u8),
        delay,
        vec(decision, 0..3),
        arrivals,
    )
        .prop_map(|(press, command, delay, decisions, arrivals)| Round {
            press,
            command,
            delay,
            decisions,
            arrivals,
        })
}

/// A bundle: the inputs of both players, and the pieces of commands of the first.
pub(crate) type Bundle = (Tick, Pad, Vec<u8>, Pad);

pub(crate) struct Relay {
    pub(crate) session: Session<Clicks>,
    pub(crate) game: Clicks,
    decided: Vec<Bundle>,
    on_the_way: Vec<Bundle>,
    overridden: BTreeSet<u32>,
    sample: Pad,
    pressed: usize,
    pub(crate) commands: Vec<u8>,
}

impl Relay {
    pub(crate) fn new(mode: Mode, delay: u32) -> Self {
        let mut game = Clicks::default();
        let session = Session::start(config(mode, delay), &mut game).expect("a sound setup");
        Self {
            session,
            game,
            decided: Vec::new(),
            on_the_way: Vec::new(),
            overridden: BTreeSet::new(),
            sample: Pad::none(),
            pressed: 0,
            commands: Vec::new(),
        }
    }

    pub(crate) fn round(&mut self, round: &Round) {
        self.sample = Pad::hold(self.sample);
        if let (Some(tap), Some(button)) = (round.press, Button::new(self.pressed)) {
            self.pressed += 1;
            self.sample = Pad::hold(Pad::none()).press(button);
            if tap {
                self.sample = self.sample.release(button);
            }
        }
        self.session.local_input(HERE, self.sample).expect("a local player");
        if let Some(length) = round.command {
            let number = self.commands.len() as u8;
            let bytes = vec![number; usize::from(length)];
            self.session.command(HERE, &bytes).expect("few wait");
            self.commands.push(number);
        }
        if let Some(delay) = round.delay {
            self.session.set_delay(HERE, delay).expect("a local player");
        }
        self.session.advance(Time::ZERO).run(&mut self.game).expect("it runs");
        round.decisions.iter().for_each(|&decision| self.decide(decision));
        for &which in &round.arrivals {
            if !self.on_the_way.is_empty() {
                let at = usize::from(which) % self.on_the_way.len();
                let bundle = self.on_the_way.remove(at);
                self.arrive(&bundle);
                self.arrive(&bundle);
            }
        }
        while let Some(event) = self.session.poll_event() {
            if let SessionEvent::Overridden { player, tick } = event {
                assert_eq!(player, HERE);
                assert!(self.overridden.insert(tick.0), "tick {tick} is overridden once");
            }
        }
    }

    pub(crate) fn decide(&mut self, decision: Decision) {
        let tick = Tick(self.decided.len() as u32);
        if tick >= self.session.current_tick() + 12 {
            return;
        }
        let before = self.decided.last().map_or_else(Pad::none, |bundle| bundle.1);
        let proposal = self.session.local_window(HERE, tick).next();
        let (value, payload) = match (decision, proposal) {
            (Decision::AsProposed, Some((_, value, payload))) => (value, payload.to_vec()),
            (Decision::PressesOnly, Some((_, value, _))) => {
                let next = |pad: Pad, bits| pad.next(bits).expect("64 buttons");
                let pressed = next(Pad::none(), value.pressed_bits());
                (Pad::merge(pressed, Pad::none()), Vec::new())
            }
            (Decision::Nothing, _) => (Pad::none(), Vec::new()),
            _ => (Pad::hold(before), Vec::new()),
        };
        let other = Pad::none().next(mixed(&[u64::from(tick.0) / 3])).expect("64 buttons");
        self.decided.push((tick, value, payload.clone(), other));
        self.on_the_way.push((tick, value, payload, other));
    }

    pub(crate) fn arrive(&mut self, (tick, value, payload, other): &Bundle) {
        let bundle = [(*value, payload.as_slice()), (*other, &[][..])];
        self.session.confirmed_bundle(*tick, &bundle).expect("decided once");
    }

    pub(crate) fn finish(mut self) {
        let calm = |decision| Round {
            press: None,
            command: None,
            delay: None,
            decisions: vec![decision; 2],
            arrivals: vec![0; 4],
        };
        // Until the relay waits for the player again, then long enough for all that is left.
        for _ in 0..400 {
            let proposed = self.session.local_next(HERE).expect("a local player");
            let decided = self.decided.len() as u32;
            let mut round = calm(Decision::AsProposed);
            round.decisions.truncate(proposed.0.saturating_sub(decided) as usize);
            self.round(&round);
        }
        let sure = self.session.confirmed_tick().min(self.session.current_tick());
        assert!(sure > Tick(300), "the match goes on: {:?}", self.session);
        let (mut naive, mut inputs) = (Clicks::default(), Inputs::new(2));
        for (tick, value, _, other) in self.decided.iter().take(sure.0 as usize) {
            inputs.set_next(&[*value, *other]);
            naive.step(*tick, &inputs);
        }
        let presses: Vec<u32> = (0..64).map(|button| u32::from(button < self.pressed)).collect();
        assert_eq!(naive.presses, presses, "each press is done once");
        assert_eq!(self.game.presses, presses);
        self.game.commands.sort();
        assert_eq!(self.game.commands, self.commands, "each command is done once");
        if self.session.current_tick() == sure {
            assert_eq!(self.game.hash, naive.hash);
        }
    }
}
