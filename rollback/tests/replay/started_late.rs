//! Recorders that begin in the middle of a match: nothing of what was said before is missing.

use super::game::{GAME, Mix, pad};
use super::play::player;
use isostep_core::Rng;
use isostep_rollback::replay::{Recorder, RecorderConfig, verify};
use isostep_rollback::{
    CommandConfig, Occupant, PeerId, PlayerId, Session, SessionConfig, Tick, Time,
};

/// Commands that take hundreds of ticks, far longer than the log of a session; and a player who joins and leaves.
fn record_from(starts: &[u32]) -> (Vec<Vec<u8>>, Vec<Mix>) {
    let commands = CommandConfig::new(8, 4096, 1 << 16).expect("sound limits");
    let config = SessionConfig::new().local().remote(PeerId(0)).bot().commands(commands);
    let mut game = Mix::default();
    let mut session = Session::start(config, &mut game).expect("sound settings");
    let mut rng = Rng::new(3);
    let (mut recorders, mut states) = (Vec::new(), vec![game.clone()]);
    for tick in 0..700u32 {
        if starts.contains(&tick) {
            let config = RecorderConfig::new(GAME);
            recorders.push(Recorder::start(config, &session, &game).expect("it starts"));
        }
        if tick == 5 || tick == 400 {
            session.command(PlayerId(0), &[tick as u8; 1500]).expect("room");
        }
        match tick {
            200 => session.seat(Tick(210), PlayerId(1), Occupant::Bot).expect("not confirmed"),
            300 => {
                let back = Occupant::Remote(PeerId(0));
                session.seat(Tick(310), PlayerId(1), back).expect("not confirmed");
            }
            _ => (),
        }
        session.local_input(PlayerId(0), pad(rng.next_u64() >> 30)).expect("a seat");
        // Three ticks late.
        if let Some(late) = tick.checked_sub(3) {
            let _ = session.remote_inputs(PlayerId(1), Tick(late), &[pad(u64::from(late) * 99)]);
        }
        let time = Time::from_millis(u64::from(tick) * 17);
        session.advance(time).run(&mut game).expect("it runs");
        recorders.iter_mut().for_each(|recorder| recorder.record(&session, &game));
        let done = session.confirmed_tick().min(session.current_tick());
        while states.len() as u32 <= done.0 {
            states.push(session.slots().get(Tick(states.len() as u32)).expect("held").clone());
        }
    }
    let files = recorders.iter_mut().map(|recorder| {
        recorder.finish(&session, &game);
        core::iter::from_fn(|| recorder.poll_bytes()).flatten().collect()
    });
    (files.collect(), states)
}

#[test]
fn a_recorder_may_begin_on_any_tick() {
    let starts: Vec<u32> = (0..690).step_by(23).chain([210, 211, 212, 213, 310, 313]).collect();
    let (files, states) = record_from(&starts);
    assert!(states.last().is_some_and(|state| state.players[0].said == 2), "both commands ended");
    for file in &files {
        let mut player = player(file);
        let (first, last) = (player.tick().0, player.replay().last().0);
        assert!(last >= 690 && player.game() == &states[first as usize]);
        while player.step().expect("nothing is missing") {
            let tick = player.tick().0;
            assert_eq!(*player.game(), states[tick as usize], "from {first}, tick {tick}");
        }
        let found = verify(player).expect("sound");
        assert_eq!((found.ticks, found.mismatch), (last - first, None), "from {first}");
    }
}
