//! Everything that is fed has a defined answer: taken, known, stale, too far, or refused with a reason and no trace.

use super::game::{Game, Noted, Pad, pad};
use isostep_rollback::internals::{
    Accepted, Exchange, ExchangeError, FeedError, MarginReport, PayloadError,
};
use isostep_rollback::{
    Authority, CommandConfig, Inputs, Mode, NewestWins, Occupant, PeerId, PlayerId, Session,
    SessionConfig, SessionEvent, Simulation, Tick, Time,
};

const HERE: PlayerId = PlayerId(0);
const THERE: PlayerId = PlayerId(1);
const BOT: PlayerId = PlayerId(2);

fn config() -> SessionConfig {
    SessionConfig::new().local().remote(PeerId(0)).bot()
}

fn start() -> (Session<Noted>, Noted) {
    let mut sim = Noted::default();
    (Session::start(config(), &mut sim).expect("a sound setup"), sim)
}

fn advance(session: &mut Session<Noted>, sim: &mut Noted, times: u32) {
    for _ in 0..times {
        session.advance(Time::ZERO).run(sim).expect("it runs");
    }
}

fn value(tick: u32) -> Pad {
    pad(u64::from(tick) * 0x1234_5679)
}

fn feed(session: &mut Session<Noted>, first: u32, count: u32) -> Result<Accepted, FeedError> {
    let inputs: Vec<Pad> = (first..first + count).map(value).collect();
    session.remote_inputs(THERE, Tick(first), &inputs)
}

fn events(session: &mut Session<Noted>) -> Vec<SessionEvent> {
    core::iter::from_fn(|| session.poll_event()).collect()
}

/// Plays on with everything known, and compares with a session that was fed in order from the first.
fn assert_same_as_in_order(mut session: Session<Noted>, mut sim: Noted) {
    let (mut other, mut theirs) = start();
    while other.current_tick() < Tick(40) {
        let present = other.current_tick().0;
        feed(&mut other, present, 1).expect("in order");
        advance(&mut other, &mut theirs, 1);
    }
    while session.current_tick() < Tick(40) {
        let received = session.received(THERE).expect("a seat").0;
        feed(&mut session, received, 50 - received).expect("in order");
        advance(&mut session, &mut sim, 1);
    }
    assert_eq!(sim.game, theirs.game);
}

#[test]
fn late_inputs_roll_back_to_their_tick() {
    let (mut session, mut sim) = start();
    advance(&mut session, &mut sim, 6);
    assert_eq!(feed(&mut session, 0, 4).map(|fed| fed.new), Ok(4));
    let plan = session.advance(Time::ZERO);
    // The first value is the default, as was guessed.
    assert_eq!(plan.rollback().map(|rollback| (rollback.to, rollback.depth)), Some((Tick(1), 5)));
    plan.run(&mut sim).expect("it runs");
    assert_same_as_in_order(session, sim);
}

#[test]
fn early_inputs_wait_for_their_tick() {
    let (mut session, mut sim) = start();
    feed(&mut session, 0, 30).expect("within the log");
    advance(&mut session, &mut sim, 30);
    assert_eq!((session.stats().rollbacks, session.stats().predicted), (0, 0));
    assert_same_as_in_order(session, sim);
}

#[test]
fn inputs_that_come_again_change_nothing() {
    let (mut session, mut sim) = start();
    feed(&mut session, 0, 5).expect("new");
    advance(&mut session, &mut sim, 5);
    let again = Accepted { duplicate: 5, ..Accepted::default() };
    assert_eq!(feed(&mut session, 0, 5), Ok(again));
    let plan = session.advance(Time::ZERO);
    assert_eq!(plan.rollback(), None);
    plan.run(&mut sim).expect("it runs");
    assert_eq!(session.stats().duplicates, 5);
    assert_same_as_in_order(session, sim);
}

#[test]
fn inputs_behind_a_gap_are_used_but_not_confirmed() {
    let (mut session, mut sim) = start();
    for tick in [7, 3, 5, 1, 6] {
        assert_eq!(feed(&mut session, tick, 1).map(|fed| fed.new), Ok(1));
    }
    advance(&mut session, &mut sim, 8);
    assert_eq!((session.confirmed_tick(), session.received(THERE)), (Tick(0), Some(Tick(0))));
    assert_eq!(sim.inputs[7].value(THERE), value(7));
    feed(&mut session, 0, 1).expect("closes a gap");
    advance(&mut session, &mut sim, 1);
    assert_eq!(session.confirmed_tick(), Tick(2));
    assert_same_as_in_order(session, sim);
}

#[test]
fn a_conflict_is_refused_and_told_and_never_applied() {
    let (mut session, mut sim) = start();
    feed(&mut session, 0, 3).expect("new");
    advance(&mut session, &mut sim, 2);
    let lies = [value(1), value(77), value(3)];
    let refused = session.remote_inputs(THERE, Tick(1), &lies);
    let (player, tick) = (THERE, Tick(2));
    assert_eq!(refused, Err(FeedError::Conflict { player, tick }));
    assert_eq!(events(&mut session), [SessionEvent::Conflict { player, tick }]);
    assert_eq!(session.stats().conflicts, 1);
    assert_eq!(session.confirmed_input(THERE, Tick(2)), Some((value(2), &[][..])));
    assert_eq!(session.received(THERE), Some(Tick(3)), "what came behind it was not taken");
    assert_same_as_in_order(session, sim);
}

#[test]
fn the_same_input_with_other_commands_is_a_conflict() {
    let (mut session, mut sim) = start();
    feed(&mut session, 0, 1).expect("new");
    let other = [(value(0), &[3, 1, 9][..])];
    let refused = session.remote_ticks(THERE, Tick(0), other);
    assert_eq!(refused, Err(FeedError::Conflict { player: THERE, tick: Tick(0) }));
    advance(&mut session, &mut sim, 1);
    assert_same_as_in_order(session, sim);
}

#[test]
fn players_who_are_not_elsewhere_are_refused() {
    let (mut session, sim) = start();
    let feed =
        |session: &mut Session<Noted>, player| session.remote_inputs(player, Tick(0), &[value(1)]);
    for player in [HERE, BOT] {
        let refused = Err(FeedError::NotRemote { player, tick: Tick(0) });
        assert_eq!(feed(&mut session, player), refused);
    }
    let unknown = FeedError::UnknownPlayer { player: PlayerId(3), seats: 3 };
    assert_eq!(feed(&mut session, PlayerId(3)), Err(unknown.clone()));
    assert_eq!(session.local_input(PlayerId(3), value(1)), Err(unknown.clone()));
    assert_eq!(session.seat(Tick(9), PlayerId(3), Occupant::Bot), Err(unknown));
    for player in [THERE, BOT] {
        let refused = Err(FeedError::NotLocal { player });
        assert_eq!(session.local_input(player, value(1)), refused);
        assert_eq!(session.set_delay(player, 1), refused);
        assert!(session.command(player, b"buy").is_err());
    }
    assert_same_as_in_order(session, sim);
}

#[test]
fn inputs_beyond_the_log_are_refused_and_may_come_again() {
    let (mut session, mut sim) = start();
    let Err(FeedError::FarFuture { limit, .. }) = feed(&mut session, 200, 3) else {
        panic!("tick 200 is beyond half a log of 256");
    };
    assert_eq!(feed(&mut session, limit.0 - 1, 3).map(|fed| (fed.new, fed.too_far)), Ok((1, 2)));
    assert!(feed(&mut session, u32::MAX - 1, 1).is_err());
    feed(&mut session, 0, 100).expect("within the log");
    advance(&mut session, &mut sim, 100);
    assert_eq!(feed(&mut session, 200, 3).map(|fed| fed.new), Ok(3));
}

#[test]
fn inputs_at_the_end_of_time_do_not_overflow() {
    let (mut session, sim) = start();
    let inputs = [value(1); 4];
    let refused = session.remote_inputs(THERE, Tick(u32::MAX - 1), &inputs);
    assert!(matches!(refused, Err(FeedError::FarFuture { .. })));
    assert_same_as_in_order(session, sim);
}

#[test]
fn inputs_older_than_the_log_are_stale() {
    let (mut session, mut sim) = start();
    for tick in 0..400 {
        feed(&mut session, tick, 1).expect("in order");
        advance(&mut session, &mut sim, 1);
    }
    assert!(!session.has_logged(Tick(100)));
    let lie = [value(9); 2];
    let stale = session.remote_inputs(THERE, Tick(100), &lie);
    assert_eq!(stale, Ok(Accepted { stale: 2, ..Accepted::default() }));
    assert_eq!((session.stats().stale, session.stats().conflicts), (2, 0));
}

#[test]
fn commands_that_cannot_be_read_are_refused() {
    let (mut session, sim) = start();
    let refused = session.remote_ticks(THERE, Tick(0), [(value(0), &[3, 5, 1][..])]);
    let error = PayloadError::Truncated;
    assert_eq!(refused, Err(FeedError::Payload { player: THERE, tick: Tick(0), error }));
    let long = [[3, 63].as_slice(), &[0; 63]].concat();
    let refused = session.remote_ticks(THERE, Tick(0), [(value(0), long.as_slice())]);
    assert!(matches!(refused, Err(FeedError::Payload { .. })), "65 bytes for a budget of 64");
    assert_same_as_in_order(session, sim);
}

#[test]
fn peers_who_are_unknown_are_refused() {
    let (mut session, _) = start();
    let unknown = FeedError::UnknownPeer { peer: PeerId(9) };
    let digest = session.digest().map(|(_, digest)| digest).expect("that of the start");
    assert_eq!(session.remote_digest(PeerId(9), Tick(0), digest), Err(unknown.clone()));
    assert_eq!(
        session.margins(Time::ZERO, PeerId(9), MarginReport::default()),
        Err(unknown.clone())
    );
    assert_eq!(session.message(PeerId(9), &[]), Err(unknown));
    let seated = session.seat(Tick(0), THERE, Occupant::Remote(PeerId(64)));
    assert_eq!(seated, Err(FeedError::UnknownPeer { peer: PeerId(64) }));
}

#[test]
fn bundles_are_refused_where_owners_confirm() {
    let (mut session, _) = start();
    let refused = session.confirmed_bundle(Tick(0), &[(value(0), &[][..]); 3]);
    assert_eq!(refused, Err(FeedError::NoBundles));
    let mut sim = Noted::default();
    let config = config().authority(Authority::Bundle).mode(Mode::Lockstep);
    let mut session = Session::start(config, &mut sim).expect("a sound setup");
    let refused = session.confirmed_bundle(Tick(0), &[(value(0), &[][..]); 2]);
    assert_eq!(refused, Err(FeedError::BundleSize { inputs: 2, seats: 3 }));
}

#[test]
fn a_datagram_with_inputs_of_another_width_is_refused() {
    #[derive(Clone, Default, serde::Serialize)]
    struct Other;
    impl Simulation for Other {
        type Input = NewestWins<u64>;
        fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {}
    }
    let mut theirs = Session::start(config(), &mut Other).expect("a sound setup");
    let mut datagram = Vec::new();
    Exchange::new(PeerId(0)).write(&mut theirs, &mut datagram).expect("nothing is lost yet");
    let mut ours = Session::start(config(), &mut Game::default()).expect("a sound setup");
    let refused = Exchange::new(PeerId(0)).read(Time::ZERO, &mut ours, &datagram);
    assert_eq!(refused, Err(ExchangeError::Width { theirs: 8, ours: 3 }));
}

#[test]
fn a_delay_beyond_a_second_is_refused() {
    let (mut session, _) = start();
    assert_eq!(session.set_delay(HERE, 61), Err(FeedError::Delay { ticks: 61 }));
    assert_eq!(session.delay(HERE), Some(0));
}

#[test]
fn a_roster_change_for_a_confirmed_tick_is_refused() {
    let (mut session, mut sim) = start();
    feed(&mut session, 0, 10).expect("in order");
    advance(&mut session, &mut sim, 10);
    events(&mut session);
    let (tick, confirmed) = (Tick(9), Tick(10));
    let refused = session.seat(tick, THERE, Occupant::Bot);
    assert_eq!(refused, Err(FeedError::TooLate { tick, confirmed }));
    assert_eq!(session.occupant_on(THERE, Tick(9)), Some(Occupant::Remote(PeerId(0))));
    assert_eq!(events(&mut session), []);
    assert_eq!(session.seat(Tick(10), THERE, Occupant::Bot), Ok(()));
}

/// A machine that compares digests on other ticks never notices a desync: its settings are refused at once.
#[test]
fn machines_that_are_set_up_otherwise_are_refused() {
    let start = |config| Session::start(config, &mut Game::default()).expect("a sound setup");
    let mut ours = start(config());
    let read = |theirs: &mut Session<Game>, ours: &mut Session<Game>| {
        let mut datagram = Vec::new();
        Exchange::new(PeerId(0)).write(theirs, &mut datagram).expect("nothing is lost yet");
        Exchange::new(PeerId(0)).read(Time::ZERO, ours, &datagram)
    };
    let refused = Err(ExchangeError::Settings { peer: PeerId(0) });
    assert_eq!(read(&mut start(config().digest_every(15)), &mut ours), refused);
    assert_eq!(read(&mut start(config().bot()), &mut ours), refused);
    let commands = CommandConfig::new(100, 4096, 65_536).expect("sound limits");
    assert_eq!(read(&mut start(config().commands(commands)), &mut ours), refused);
    assert_eq!(read(&mut start(config().delay(5).mode(Mode::Lockstep)), &mut ours), Ok(()));
}

#[test]
fn nothing_is_written_for_an_unknown_peer() {
    let mut ours = Session::start(config(), &mut Game::default()).expect("a sound setup");
    let refused = Exchange::new(PeerId(9)).write(&mut ours, &mut Vec::new());
    assert_eq!(refused, Err(FeedError::UnknownPeer { peer: PeerId(9) }.into()));
}
