//! Plays a random script against a session and compares it with the model after every advance.

use super::game::{Noted, Pad, pad};
use super::model::{Sampler, SeatModel, Truth};
use super::oracle_checks::{Noise, Still};
use isostep_rollback::internals::FeedError;
use isostep_rollback::internals::Op;
use isostep_rollback::{
    Mode, Occupant, PeerId, PlayerId, Predictor, Session, SessionConfig, SessionEvent, Tick, Time,
};
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) seats: Vec<Occupant>,
    pub(crate) mode: Mode,
    pub(crate) delay: u32,
    pub(crate) always: bool,
    pub(crate) digest_every: u32,
    pub(crate) predictors: Vec<u8>,
}

/// Something that happens to a session. Players are counted modulo the seats.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Sample {
        player: u8,
        bits: u64,
    },
    Command {
        player: u8,
        length: u8,
    },
    Delay {
        player: u8,
        ticks: u32,
    },
    /// Inputs from so many ticks after (before, if negative) what has arrived without a gap.
    Deliver {
        player: u8,
        offset: i32,
        count: u32,
    },
    /// Another value for a tick that is confirmed.
    Lie {
        player: u8,
        back: u32,
    },
    Seat {
        player: u8,
        ahead: u32,
        occupant: Occupant,
    },
    Advance {
        drop_first: bool,
    },
}

pub(crate) struct Script {
    pub(crate) setup: Setup,
    pub(crate) session: Session<Noted>,
    pub(crate) sim: Noted,
    pub(crate) truth: Truth,
    pub(crate) samplers: Vec<Option<Sampler>>,
    /// Commands that were taken of players who never change.
    commands: Vec<u32>,
    delivered: BTreeSet<(u8, u32)>,
    /// The tick that the clock has come to.
    pub(crate) target: u32,
    pub(crate) compared: u32,
    clock: u64,
}

impl Script {
    pub(crate) fn new(setup: Setup) -> Self {
        let mut config = SessionConfig::new()
            .mode(setup.mode)
            .delay(setup.delay)
            .always_roll_back(setup.always)
            .digest_every(setup.digest_every);
        for &seat in &setup.seats {
            config = config.seat(seat);
        }
        let mut sim = Noted::default();
        let mut session = Session::start(config, &mut sim).expect("a sound setup");
        for (player, &kind) in (0..).map(PlayerId).zip(&setup.predictors) {
            let predictor: Box<dyn Predictor<Pad> + Send> = match kind % 3 {
                0 => continue,
                1 => Box::new(Noise(setup.seed)),
                _ => Box::new(Still),
            };
            if usize::from(player.0) < setup.seats.len() {
                session.set_predictor(player, predictor).expect("the seat exists");
            }
        }
        let sampler = |seat: &Occupant| {
            let sampler = Sampler { delay: setup.delay, ..Sampler::default() };
            (*seat == Occupant::Local).then_some(sampler)
        };
        Self {
            session,
            sim,
            truth: Truth {
                seed: setup.seed,
                seats: setup.seats.iter().map(|&seat| SeatModel::new(seat)).collect(),
            },
            samplers: setup.seats.iter().map(sampler).collect(),
            commands: vec![0; setup.seats.len()],
            delivered: BTreeSet::new(),
            target: 0,
            compared: 0,
            clock: 0,
            setup,
        }
    }

    pub(crate) fn play(mut self, actions: &[Action]) {
        for action in actions {
            self.act(action);
        }
        self.finish();
    }

    fn act(&mut self, action: &Action) {
        let seats = self.setup.seats.len();
        let place = |player: u8| usize::from(player) % seats;
        match *action {
            Action::Sample { player, bits } => {
                let place = place(player);
                let fed = self.session.local_input(PlayerId(place as u8), pad(bits));
                if let Some(sampler) = &mut self.samplers[place] {
                    fed.expect("a local player who never left");
                    sampler.sample(pad(bits));
                }
            }
            Action::Command { player, length } => {
                let (place, bytes) = (place(player), vec![length; usize::from(length)]);
                if self.session.command(PlayerId(place as u8), &bytes).is_ok() {
                    self.commands[place] += 1;
                }
            }
            Action::Delay { player, ticks } => {
                let place = place(player);
                let set = self.session.set_delay(PlayerId(place as u8), ticks);
                if let Some(sampler) = &mut self.samplers[place] {
                    set.expect("a local player who never left");
                    sampler.delay = ticks;
                }
            }
            Action::Deliver { player, offset, count } => {
                self.deliver(PlayerId(place(player) as u8), offset, count);
            }
            Action::Lie { player, back } => self.lie(PlayerId(place(player) as u8), back),
            Action::Seat { player, ahead, occupant } => self.seat(place(player), ahead, occupant),
            Action::Advance { drop_first } => self.advance(drop_first),
        }
    }

    fn deliver(&mut self, player: PlayerId, offset: i32, count: u32) {
        let received = self.session.received(player).expect("the seat exists");
        let first = Tick(received.0.saturating_add_signed(offset));
        let mut ticks = Vec::new();
        for tick in (first.0..first.0 + count).map(Tick) {
            let seat = &self.truth.seats[usize::from(player.0)];
            if !matches!(seat.occupant(tick), Occupant::Remote(_)) {
                break;
            }
            ticks.push(self.truth.human(player, tick).expect("remote ones are known"));
        }
        if ticks.is_empty() {
            return;
        }
        let pieces = ticks.iter().map(|(value, payload)| (*value, payload.as_slice()));
        match self.session.remote_ticks(player, first, pieces) {
            Ok(accepted) => {
                let all = accepted.new + accepted.duplicate + accepted.stale + accepted.too_far;
                assert_eq!(all, ticks.len() as u32, "every tick has an answer: {accepted:?}");
                let taken = first.0 + accepted.stale..first.0 + all - accepted.too_far;
                let fresh = taken.filter(|&tick| self.delivered.insert((player.0, tick))).count();
                assert_eq!(accepted.new as usize, fresh, "what is new: {accepted:?}");
            }
            Err(FeedError::FarFuture { limit, .. }) => assert!(first >= limit),
            Err(error) => panic!("{error}"),
        }
    }

    fn lie(&mut self, player: PlayerId, back: u32) {
        let frontier = self.session.received(player).expect("the seat exists");
        let tick = frontier - 1 - back;
        let seat = &self.truth.seats[usize::from(player.0)];
        let remote = matches!(seat.occupant(tick), Occupant::Remote(_));
        if !remote || frontier.0 <= back || !self.delivered.contains(&(player.0, tick.0)) {
            return;
        }
        let (value, _) = self.truth.human(player, tick).expect("remote ones are known");
        let lie = (value.0, isostep_rollback::NewestWins(!value.1.0));
        let before = self.session.stats().conflicts;
        let fed = self.session.remote_inputs(player, tick, &[lie]);
        if self.session.has_logged(tick) {
            assert_eq!(fed, Err(FeedError::Conflict { player, tick }));
            assert_eq!(self.session.stats().conflicts, before + 1);
            let events = core::iter::from_fn(|| self.session.poll_event()).collect::<Vec<_>>();
            assert!(events.contains(&SessionEvent::Conflict { player, tick }));
        } else {
            assert_eq!(fed.expect("stale").stale, 1);
        }
    }

    fn seat(&mut self, place: usize, ahead: u32, occupant: Occupant) {
        let player = PlayerId(place as u8);
        let confirmed = self.session.confirmed_tick();
        let tick = confirmed.min(self.session.current_tick()) + ahead;
        match self.session.seat(tick, player, occupant) {
            Ok(()) => {
                self.truth.seats[place].change(tick, occupant);
                self.delivered.retain(|&(seat, at)| seat != player.0 || at < tick.0);
                self.samplers[place] = None;
                assert_eq!(self.session.occupant_on(player, tick), Some(occupant));
            }
            Err(FeedError::TooLate { confirmed, .. }) => assert!(tick < confirmed),
            Err(error) => panic!("{error}"),
        }
    }

    fn advance(&mut self, drop_first: bool) {
        self.clock += 17;
        let now = Time::from_millis(self.clock);
        let plan = self.session.advance(now);
        let ops: Vec<Op> = plan.ops().collect();
        let (reaches, stall, rollback) = (plan.reaches(), plan.stall(), plan.rollback());
        let plan = if drop_first {
            drop(plan);
            let again = self.session.advance(now);
            assert_eq!(ops, again.ops().collect::<Vec<_>>(), "a dropped plan changes nothing");
            again
        } else {
            plan
        };
        self.sim.ops.clear();
        let ran = plan.run(&mut self.sim).expect("nothing is wrong with the state");
        assert_eq!(self.sim.ops, ops, "a plan does what it says");
        assert_eq!(self.session.current_tick(), reaches);
        assert_eq!(self.sim.game.round, reaches.0, "the simulation is where the session says");
        if let Some(rollback) = rollback {
            let loaded = matches!(ops[0], Op::Load(tick) if tick <= rollback.to);
            assert!(loaded && ran.resimulated > 0, "it goes back as far as it says: {ops:?}");
        }
        self.note_locals();
        if stall.is_none() {
            self.target += 1;
        }
        self.check_lead();
        for op in ops {
            if let Op::Step(tick) = op {
                self.check_inputs(tick);
            }
        }
        self.compare();
    }

    /// Everything arrives: the match goes on by a tick for each advance, and nothing of what was said is lost.
    fn finish(&mut self) {
        let goal = self.session.current_tick() + 150;
        for _ in 0..700 {
            for place in 0..self.setup.seats.len() {
                for _ in 0..4 {
                    self.deliver(PlayerId(place as u8), 0, 40);
                }
            }
            self.advance(false);
            if self.session.confirmed_tick().min(self.session.current_tick()) >= goal {
                break;
            }
        }
        assert!(self.compared >= goal.0, "{} of {goal}: {:?}", self.compared, self.session);
        let last = self.sim.after[self.compared as usize - 1].clone();
        for (place, seat) in self.setup.seats.iter().enumerate() {
            if *seat == Occupant::Local && self.samplers[place].is_some() {
                assert_eq!(last.players[place].commands, self.commands[place], "commands");
            }
        }
    }
}

/// Occupant of a seat, from a number.
pub(crate) fn occupant(kind: u8) -> Occupant {
    match kind % 6 {
        0 | 1 => Occupant::Local,
        2 => Occupant::Bot,
        3 => Occupant::Empty,
        kind => Occupant::Remote(PeerId(kind - 4)),
    }
}
