//! A relay decides: only its bundles confirm, and what it overrides is neither lost nor done twice.

use super::relay_script::{Clicks, Decision, HERE, Pad, Relay, Round, THERE, config, rounds};
use isostep_rollback::internals::FeedError;
use isostep_rollback::{
    Button, InputStatus, Inputs, Mode, Session, SessionEvent, Simulation, Tick, Time,
};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_relay_overrides_is_neither_lost_nor_done_twice(
        delay in 0..5u32,
        unbounded in any::<bool>(),
        rounds in vec(rounds(), 0..120),
    ) {
        let mode =
            if unbounded { Mode::Unbounded { steps: 20 } } else { Mode::Rollback { max: 12 } };
        let mut relay = Relay::new(mode, delay);
        rounds.iter().for_each(|round| relay.round(round));
        relay.finish();
    }
}

#[test]
fn only_a_bundle_confirms() {
    let mut game = Clicks::default();
    let config = config(Mode::Rollback { max: 4 }, 0);
    let mut session = Session::start(config, &mut game).expect("a sound setup");
    let fire = Pad::none().press(Button::at::<3>());
    for _ in 0..4 {
        session.local_input(HERE, fire).expect("a local player");
        let present = session.current_tick();
        session.remote_inputs(THERE, present, &[fire]).expect("a proposal");
        session.advance(Time::ZERO).run(&mut game).expect("it runs");
    }
    assert_eq!((session.current_tick(), session.confirmed_tick()), (Tick(4), Tick(0)));
    assert!(session.advance(Time::ZERO).stall().is_some(), "nothing is confirmed");
    session.confirmed_bundle(Tick(0), &[(fire, &[][..]); 2]).expect("the first word");
    let plan = session.advance(Time::ZERO);
    assert_eq!((plan.rollback(), plan.stall()), (None, None), "all was as proposed");
    plan.run(&mut game).expect("it runs");
    assert_eq!(session.confirmed_tick(), Tick(1));
}

#[test]
fn a_bundle_that_overrides_rolls_back_and_says_so() {
    let mut game = Clicks::default();
    let config = config(Mode::Rollback { max: 4 }, 0);
    let mut session = Session::start(config, &mut game).expect("a sound setup");
    session.local_input(HERE, Pad::none().press(Button::at::<3>())).expect("a local player");
    session.advance(Time::ZERO).run(&mut game).expect("it runs");
    session.confirmed_bundle(Tick(0), &[(Pad::none(), &[][..]); 2]).expect("the first word");
    let (player, tick) = (HERE, Tick(0));
    assert_eq!(session.poll_event(), Some(SessionEvent::Overridden { player, tick }));
    let plan = session.advance(Time::ZERO);
    assert_eq!(plan.rollback().map(|rollback| rollback.to), Some(Tick(0)));
    plan.run(&mut game).expect("it runs");
    assert_eq!(game.presses[3], 1, "it was pressed on tick 1 instead");
}

#[test]
fn a_bundle_that_conflicts_is_refused_whole() {
    let mut game = Clicks::default();
    let config = config(Mode::Rollback { max: 4 }, 0);
    let mut session = Session::start(config, &mut game).expect("a sound setup");
    let fire = Pad::none().press(Button::at::<3>());
    session.confirmed_bundle(Tick(0), &[(fire, &[][..]), (Pad::none(), &[])]).expect("first");
    let refused = session.confirmed_bundle(Tick(0), &[(fire, &[][..]), (fire, &[])]);
    let (player, tick) = (THERE, Tick(0));
    assert_eq!(refused, Err(FeedError::Conflict { player, tick }));
    assert_eq!(session.poll_event(), Some(SessionEvent::Conflict { player, tick }));
    assert_eq!(session.confirmed_input(THERE, Tick(0)), Some((Pad::none(), &[][..])));
    // A seat that was empty when the first bundle came has no word yet; that of the others still binds.
    let refused = session.confirmed_bundle(Tick(0), &[(Pad::none(), &[][..]), (fire, &[])]);
    assert_eq!(refused, Err(FeedError::Conflict { player: HERE, tick }));
    session.advance(Time::ZERO).run(&mut game).expect("it runs");
    assert_eq!(game.presses[3], 1);
}

#[test]
fn a_proposal_is_not_called_confirmed() {
    #[derive(Clone, Default, serde::Serialize)]
    struct Watch(u32);
    impl Simulation for Watch {
        type Input = Pad;
        fn step(&mut self, _: Tick, inputs: &Inputs<Pad>) {
            self.0 += u32::from(inputs.get(HERE).status == InputStatus::Predicted);
        }
    }
    let mut watch = Watch(0);
    let config = config(Mode::Rollback { max: 4 }, 0).digest_every(0);
    let mut session = Session::start(config, &mut watch).expect("a sound setup");
    session.advance(Time::ZERO).run(&mut watch).expect("it runs");
    assert_eq!(watch.0, 1);
}

/// Before anything was confirmed, a session held tick 0 for confirmed when it settled a player's queue: a command on it that
/// the relay overrode was not sent again, and never took effect.
#[test]
fn a_command_on_the_first_tick_survives_an_override() {
    let mut relay = Relay::new(Mode::Rollback { max: 12 }, 0);
    let round = Round {
        press: None,
        command: Some(76),
        delay: None,
        decisions: vec![Decision::Held],
        arrivals: vec![0],
    };
    relay.round(&round);
    relay.finish();
}

/// A relay that closes ticks by its own clock decides some before a player who was asleep has proposed anything for them.
/// Presses for those ticks were dropped silently.
#[test]
fn presses_for_ticks_that_were_decided_already_go_into_the_next() {
    let mut relay = Relay::new(Mode::Rollback { max: 12 }, 0);
    let round = |press, ahead| Round {
        press,
        command: Some(3),
        delay: None,
        decisions: vec![Decision::Held; ahead],
        arrivals: vec![0; ahead],
    };
    relay.round(&round(None, 8));
    (0..8).for_each(|_| relay.round(&round(Some(true), 0)));
    relay.finish();
}

/// A relay took the press but not the stick: what the player had proposed differed, so all of it went again into a later
/// tick, and one press became two.
#[test]
fn a_press_that_the_relay_took_is_not_done_again() {
    let mut relay = Relay::new(Mode::Rollback { max: 12 }, 0);
    let round = Round {
        press: Some(false),
        command: None,
        delay: None,
        decisions: vec![Decision::PressesOnly],
        arrivals: vec![0],
    };
    relay.round(&round);
    relay.finish();
}
