//! Prediction without a bound: far beyond the ring, and back again within the steps that an advance may take.

use super::game::{Game, Noted, Pad, pad};
use super::model::{SeatModel, Truth, mixed};
use isostep_rollback::internals::FeedError;
use isostep_rollback::internals::Op;
use isostep_rollback::{
    Input, Mode, Occupant, PeerId, PlayerId, Session, SessionConfig, SessionEvent, Tick, Time,
};

const HERE: PlayerId = PlayerId(0);
const THERE: PlayerId = PlayerId(1);
const SEATS: [Occupant; 3] = [Occupant::Local, Occupant::Remote(PeerId(0)), Occupant::Bot];

struct Match {
    session: Session<Noted>,
    sim: Noted,
    truth: Truth,
    steps: usize,
    events: Vec<SessionEvent>,
}

impl Match {
    fn new(steps: u32) -> Self {
        let config = SEATS.into_iter().fold(SessionConfig::new(), SessionConfig::seat);
        let mut sim = Noted::default();
        let config = config.mode(Mode::Unbounded { steps });
        let session = Session::start(config, &mut sim).expect("a sound setup");
        let truth = Truth { seed: 5, seats: SEATS.map(SeatModel::new).to_vec() };
        Self { session, sim, truth, steps: steps as usize, events: Vec::new() }
    }

    fn advance(&mut self) {
        let sample = pad(mixed(&[u64::from(self.session.current_tick().0) / 3]));
        self.session.local_input(HERE, Pad::hold(sample)).expect("a local player");
        let plan = self.session.advance(Time::ZERO);
        let steps = plan.ops().filter(|op| matches!(op, Op::Step(_))).count();
        assert!(steps <= self.steps, "{steps} steps in one advance");
        plan.run(&mut self.sim).expect("it runs");
        let floor = self.session.current_tick() - 60;
        for (tick, value, payload) in self.session.local_window(HERE, floor) {
            self.truth.seats[0].note_local(tick, value, payload);
        }
        self.events.extend(core::iter::from_fn(|| self.session.poll_event()));
    }

    /// The player elsewhere has said everything up to this tick.
    fn arrive(&mut self, to: Tick) {
        let first = self.session.received(THERE).expect("a seat");
        let ticks: Vec<_> = (first.0..to.0)
            .map(|tick| self.truth.human(THERE, Tick(tick)).expect("remote ones are known"))
            .collect();
        let pieces = ticks.iter().map(|(value, payload)| (*value, payload.as_slice()));
        let fed = self.session.remote_ticks(THERE, first, pieces);
        // While it catches up, inputs too far ahead must be sent again.
        assert_eq!(fed.map(|fed| fed.new + fed.too_far), Ok(to.since(first)));
    }

    fn catching_up(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, SessionEvent::CatchingUp { .. })).count()
    }

    fn assert_right(&self) {
        let sure = self.session.confirmed_tick().min(self.session.current_tick());
        let states = self.truth.play(sure);
        for tick in 1..=sure.0 as usize {
            assert_eq!(self.sim.after[tick - 1], states[tick], "tick {tick}");
        }
    }
}

#[test]
fn late_inputs_beyond_the_ring_are_caught_up_with_within_the_steps() {
    for (late, steps) in [(50, 12), (100, 12), (100, 2), (127, 40), (33, 3)] {
        let mut play = Match::new(steps);
        (0..late).for_each(|_| play.advance());
        assert_eq!(
            (play.session.current_tick(), play.session.confirmed_tick()),
            (Tick(late), Tick(0))
        );
        play.arrive(Tick(late));
        let mut advances = 0;
        while play.session.current_tick() < Tick(late) + 1 || advances == 0 {
            play.advance();
            let present = play.session.current_tick();
            let received = play.session.received(THERE).expect("a seat");
            play.arrive(received.max(present + 1));
            advances += 1;
            assert!(advances < 2 * late, "{steps} steps an advance get there");
        }
        assert!(steps >= late || play.catching_up() > 0, "it says that it is behind");
        (0..20).for_each(|_| play.advance());
        play.assert_right();
    }
}

#[test]
fn two_steps_an_advance_reach_the_present_at_last() {
    let mut play = Match::new(2);
    (0..80).for_each(|_| play.advance());
    play.arrive(Tick(80));
    for advance in 0..200 {
        play.advance();
        let to = Tick(81 + advance);
        play.arrive(to);
    }
    // One tick of the clock for each advance.
    assert_eq!(play.session.current_tick(), Tick(280));
    play.assert_right();
}

#[test]
fn it_stalls_where_the_log_ends_and_says_so() {
    let mut play = Match::new(8);
    (0..300).for_each(|_| play.advance());
    assert_eq!(play.session.predicted_ticks(), 128, "half of a log of 256");
    let stalled = SessionEvent::Stalled { tick: Tick(128), waiting_for: THERE };
    assert!(play.events.contains(&stalled), "{:?}", play.events);
    play.arrive(Tick(128));
    (0..60).for_each(|_| play.advance());
    let resumed =
        |event: &SessionEvent| matches!(event, SessionEvent::StallEnded { tick: Tick(128), .. });
    assert!(play.events.iter().any(resumed));
    play.assert_right();
}

#[test]
fn a_long_match_that_is_guessed_right_goes_back_to_recent_keyframes() {
    for lag in [5, 40, 90] {
        // Enough to go back at once, now and then, to make a new keyframe.
        let mut play = Match::new(200);
        // A player who never touches anything is guessed right.
        let still = |play: &mut Match, to: Tick| {
            let first = play.session.received(THERE).expect("a seat");
            let inputs = vec![Pad::default(); to.since(first) as usize];
            play.session.remote_inputs(THERE, first, &inputs).expect("in order");
        };
        for tick in 0..1500u32 {
            still(&mut play, Tick(tick.saturating_sub(lag)));
            play.advance();
            assert_eq!(
                play.session.current_tick(),
                Tick(tick + 1),
                "never behind, with a lag of {lag}"
            );
        }
        // Now an unexpected press arrives.
        let first = play.session.received(THERE).expect("a seat");
        play.session.remote_inputs(THERE, first, &[pad(0x00ff_ff00)]).expect("in order");
        play.sim.ops.clear();
        play.advance();
        let Some(&Op::Load(from)) = play.sim.ops.first() else { panic!("{:?}", play.sim.ops) };
        assert!(first.since(from) < 64 + 32, "from {from} for {first}, with a lag of {lag}");
    }
}

#[test]
fn a_long_match_that_is_guessed_wrong_all_the_time_ends_right() {
    for (lag, steps) in [(5, 8), (40, 80), (90, 30), (100, 120)] {
        let mut play = Match::new(steps);
        for tick in 0..1200u32 {
            // In bursts, as after an outage, so that steps suffice on the whole.
            if tick % 50 == 0 || lag < 10 {
                play.arrive(Tick(tick.saturating_sub(lag)));
            }
            play.advance();
        }
        let target = play.session.received(THERE).expect("a seat");
        for _ in 0..400 {
            let received = play.session.received(THERE).expect("a seat");
            let next = play.session.confirmed_tick().max(play.session.current_tick()) + 1;
            play.arrive(received.max(next));
            play.advance();
        }
        assert!(play.session.confirmed_tick() > target);
        play.assert_right();
    }
}

#[test]
fn a_session_that_predicted_past_its_last_tick_returns_to_it() {
    for (ahead, last, steps) in [(10, 6, 4), (20, 20, 4), (60, 50, 12), (100, 7, 2), (100, 40, 2)] {
        let mut play = Match::new(steps);
        (0..ahead).for_each(|_| play.advance());
        play.arrive(Tick(last));
        play.session.stop_at(Some(Tick(last)));
        (0..2 * last).for_each(|_| play.advance());
        assert_eq!(play.session.current_tick(), Tick(last), "{ahead} ahead");
        assert_eq!(play.session.confirmed_tick(), Tick(last));
        assert_eq!(play.sim.game, play.truth.play(Tick(last))[last as usize], "{ahead} ahead");
        // What was sent for later ticks stays.
        play.session.stop_at(None);
        play.arrive(Tick(ahead));
        (0..2 * ahead).for_each(|_| play.advance());
        assert!(play.session.confirmed_tick() >= Tick(ahead));
        play.assert_right();
    }
}

#[test]
fn a_last_tick_before_the_confirmed_one_stops_at_once() {
    let mut play = Match::new(8);
    for tick in 1..60 {
        play.advance();
        play.arrive(Tick(tick));
    }
    let current = play.session.current_tick();
    play.session.stop_at(Some(Tick(3)));
    (0..20).for_each(|_| play.advance());
    assert_eq!(play.session.current_tick(), current);
    play.assert_right();
}

/// After a long way ahead the present went back to a keyframe, and the log of inputs with it: a tick that was taken before
/// counted as too far ahead, and an old duplicate could have wiped out a newer one.
#[test]
fn the_log_does_not_go_back_with_the_present() {
    let mut game = Game::default();
    let config =
        SessionConfig::new().local().remote(PeerId(0)).mode(Mode::Unbounded { steps: 2 }).log(256);
    let mut session = Session::start(config, &mut game).expect("a sound setup");
    session.remote_inputs(THERE, Tick(0), &[pad(0); 60]).expect("in order");
    for tick in 0..100 {
        session.advance(Time::from_millis(tick * 16)).run(&mut game).expect("it runs");
    }
    session.remote_inputs(THERE, Tick(180), &[pad(0)]).expect("within the log");
    session.remote_inputs(THERE, Tick(60), &[pad(u64::MAX); 2]).expect("in order");
    session.advance(Time::from_millis(1600)).run(&mut game).expect("it runs");
    assert!(session.current_tick() < Tick(62), "it has gone back to {}", session.current_tick());
    let again = session.remote_inputs(THERE, Tick(180), &[pad(u64::MAX)]);
    assert_eq!(again, Err(FeedError::Conflict { player: THERE, tick: Tick(180) }));
}
