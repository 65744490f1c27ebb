//! Live sessions from a tick of a recording: they begin as the recorded session was, with what was pressed before and with
//! commands of which only a part had come.

use super::game::{GAME, Match, Mix, Pad, Script, pad};
use super::play::{player, state};
use isostep_rollback::internals::{CommandAssembler, InputCodec};
use isostep_rollback::replay::{Recorder, RecorderConfig, Replay, SeatKind, verify};
use isostep_rollback::{
    Commands, Input, Occupant, PeerId, PlayerId, Session, SessionConfig, Tick, Time,
};

const ELSEWHERE: PeerId = PeerId(0);

const fn occupant(kind: SeatKind) -> Occupant {
    match kind {
        SeatKind::Human => Occupant::Remote(ELSEWHERE),
        SeatKind::Bot => Occupant::Bot,
        SeatKind::Empty => Occupant::Empty,
    }
}

/// A session from a tick on, with all players seated as in the recording; humans play elsewhere.
fn branch(file: &[u8], tick: u32) -> (Session<Mix>, Mix) {
    let mut player = player(file);
    player.seek(Tick(tick)).expect("it is there");
    let mut replay = Replay::open(file).expect("it opens");
    let mut config = SessionConfig::new();
    for seat in (0..replay.info().seats).map(PlayerId) {
        config = config
            .seat(occupant(replay.seat_kind(seat, Tick(tick)).expect("sound").expect("a seat")));
    }
    player.branch(config).expect("sound settings")
}

/// Feeds the recorded inputs of a tick into a session.
fn feed(session: &mut Session<Mix>, replay: &mut Replay<&[u8]>, tick: Tick) {
    let codec = InputCodec::<Pad>::new().expect("an input");
    for change in replay.seat_changes().iter().filter(|it| it.tick == tick) {
        session.seat(tick, change.player, occupant(change.kind)).expect("not confirmed");
    }
    for player in (0..replay.info().seats).map(PlayerId) {
        if let Some(bytes) = replay.input(player, tick).expect("sound") {
            let value = codec.read(bytes.input).expect("an input");
            session.remote_ticks(player, tick, [(value, bytes.pieces)]).expect("a seat elsewhere");
        }
    }
}

fn advance(session: &mut Session<Mix>, game: &mut Mix) {
    let time = Time::from_millis(u64::from(session.current_tick().0) * 17);
    session.advance(time).run(game).expect("it runs");
}

/// Long commands, so that most ticks lie in the middle of one.
fn talkative() -> Match {
    Script { command_every: 9, ..Script::new(140) }.play()
}

/// Number of ticks within a partial command.
fn ticks_within_commands(file: &[u8]) -> usize {
    let mut replay = Replay::open(file).expect("it opens");
    let mut assembler = CommandAssembler::new(SessionConfig::new().command_limits());
    let mut within = 0;
    for tick in (0..replay.last().0).map(Tick) {
        let bytes = replay.input(PlayerId(0), tick).expect("sound").expect("a human");
        assembler.tick(bytes.pieces, &mut Commands::default()).expect("sound");
        within += usize::from(assembler.pending().is_some());
    }
    within
}

#[test]
fn a_branch_that_is_fed_the_recorded_inputs_is_the_recorded_match() {
    let played = talkative();
    let file = played.file();
    assert!(ticks_within_commands(&file) > 20, "or the test shows nothing");
    let mut replay = Replay::open(&file[..]).expect("it opens");
    let last = replay.last().0;
    for from in 0..last {
        let (mut session, mut game) = branch(&file, from);
        assert_eq!((session.current_tick(), &game), (Tick(from), &state(&played, from)));
        for tick in from..last {
            feed(&mut session, &mut replay, Tick(tick));
            advance(&mut session, &mut game);
            assert_eq!(game, state(&played, tick + 1), "from {from}, tick {tick}");
        }
        assert_eq!(session.stats().resimulated_ticks, 0, "all was known in time");
    }
}

#[test]
fn inputs_that_come_late_lead_to_the_recorded_match_too() {
    let played = talkative();
    let file = played.file();
    let mut replay = Replay::open(&file[..]).expect("it opens");
    for from in (0..100).step_by(7) {
        let (mut session, mut game) = branch(&file, from);
        for tick in from..from + 30 {
            if tick >= from + 4 {
                feed(&mut session, &mut replay, Tick(tick - 4));
            }
            advance(&mut session, &mut game);
        }
        let done = session.confirmed_tick();
        assert!(done >= Tick(from + 26), "from {from}");
        let held = session.slots().get(done).expect("held");
        assert_eq!(*held, state(&played, done.0), "from {from}");
    }
}

#[test]
fn guesses_repeat_what_was_pressed_before_the_branch() {
    let file = talkative().file();
    let codec = InputCodec::<Pad>::new().expect("an input");
    let mut replay = Replay::open(&file[..]).expect("it opens");
    for from in [1, 20, 43, 99] {
        let (mut guessing, mut guessed) = branch(&file, from);
        advance(&mut guessing, &mut guessed);
        let given = |value: &mut dyn FnMut(PlayerId) -> Pad| {
            let (mut session, mut game) = branch(&file, from);
            for player in (0..4).map(PlayerId) {
                if session.occupant(player) == Some(Occupant::Remote(ELSEWHERE)) {
                    session.remote_inputs(player, Tick(from), &[value(player)]).expect("a seat");
                }
            }
            advance(&mut session, &mut game);
            game
        };
        let mut held = |player| {
            let bytes = replay.input(player, Tick(from - 1)).expect("sound").expect("a human");
            Pad::hold(codec.read(bytes.input).expect("an input"))
        };
        assert_eq!(guessed, given(&mut held), "from {from}");
        assert_ne!(guessed, given(&mut |_| Pad::default()), "from {from}");
    }
}

#[test]
fn a_local_player_holds_what_was_pressed_before_the_branch() {
    let file = talkative().file();
    let mut replay = Replay::open(&file[..]).expect("it opens");
    let codec = InputCodec::<Pad>::new().expect("an input");
    let bytes = replay.input(PlayerId(0), Tick(122)).expect("sound").expect("a human");
    let last = codec.read(bytes.input).expect("an input");
    let start = || {
        let mut player = player(&file);
        player.seek(Tick(123)).expect("it is there");
        let config = SessionConfig::new().local().bot().bot().bot();
        player.branch(config).expect("sound settings")
    };
    let (mut silent, mut left) = start();
    advance(&mut silent, &mut left);
    let (mut held, mut right) = start();
    held.local_input(PlayerId(0), Pad::hold(last)).expect("a seat");
    advance(&mut held, &mut right);
    assert_eq!(left, right);
}

#[test]
fn a_branch_can_be_recorded_from_the_middle_of_a_command() {
    let played = talkative();
    let file = played.file();
    let mut replay = Replay::open(&file[..]).expect("it opens");
    let last = replay.last().0;
    for from in 0..30 {
        let (mut session, mut game) = branch(&file, from);
        let config = RecorderConfig::new(GAME);
        let mut recorder = Recorder::start(config, &session, &game).expect("it starts");
        for tick in from..last {
            feed(&mut session, &mut replay, Tick(tick));
            advance(&mut session, &mut game);
            recorder.record(&session, &game);
        }
        recorder.finish(&session, &game);
        let again: Vec<u8> = core::iter::from_fn(|| recorder.poll_bytes()).flatten().collect();
        let mut player = player(&again);
        assert_eq!((player.tick(), player.replay().last()), (Tick(from), Tick(last)));
        player.seek(Tick(last)).expect("it is there");
        assert_eq!(*player.game(), state(&played, last), "from {from}");
        assert_eq!(verify(player).expect("sound").mismatch, None);
    }
}

#[test]
fn a_live_session_goes_on_from_any_tick() {
    let played = Script::new(200).play();
    let file = played.file();
    let what_if = |bits: u64| {
        let mut player = player(&file);
        player.seek(Tick(123)).expect("it is there");
        let config = SessionConfig::new().local().bot().bot().bot();
        let (mut session, mut game) = player.branch(config).expect("sound settings");
        assert_eq!((session.current_tick(), &game), (Tick(123), &state(&played, 123)));
        for tick in 123u32..140 {
            session.local_input(PlayerId(0), pad(bits)).expect("a seat");
            let time = Time::from_millis(u64::from(tick) * 17);
            session.advance(time).run(&mut game).expect("it runs");
        }
        assert_eq!((session.current_tick(), game.round), (Tick(140), 140));
        game
    };
    assert_eq!(what_if(0x700), what_if(0x700));
    assert_ne!(what_if(0x700), what_if(0x800), "the new inputs count");
}

/// Player 0 does again what they did, as a local player; the other one's inputs come out of the file as bytes.
#[test]
fn the_others_play_as_recorded() {
    let played = Script { command_every: 1000, ..Script::new(200) }.play();
    let file = played.file();
    let codec = InputCodec::<Pad>::new().expect("an input");
    let (mut start, mut tape) = (player(&file), player(&file));
    start.seek(Tick(120)).expect("it is there");
    let seats = SessionConfig::new().local().remote(ELSEWHERE).bot().bot();
    let (mut session, mut game) = start.branch(seats).expect("sound settings");
    for tick in (120..180).map(Tick) {
        let replay = tape.replay_mut();
        let own = replay.input(PlayerId(0), tick).expect("sound").expect("a human");
        let own = codec.read(own.input).expect("an input");
        session.local_input(PlayerId(0), own).expect("a seat");
        let did = replay.input(PlayerId(1), tick).expect("sound").expect("a human");
        let taken = session.remote_record(ELSEWHERE, PlayerId(1), tick, did.input, did.pieces);
        taken.expect("a seat elsewhere");
        advance(&mut session, &mut game);
        assert_eq!(game, state(&played, tick.0 + 1), "tick {tick}");
    }
}
