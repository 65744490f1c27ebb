//! Checks of the fuzz target for recordings. Tests of rollback include this file, so it uses only rollback and core.

use isostep_core::digest::Digest;
use isostep_rollback::replay::{
    Divergence, Player, Recorder, RecorderConfig, Replay, Verifier, compare,
};
use isostep_rollback::{
    GameId, Inputs, NewestWins, Occupant, PeerId, PlayerId, Session, SessionConfig, Simulation,
    Tick, Time,
};

/// Which game the recordings are of.
pub const GAME: GameId = GameId(*b"fuzzed recording");
/// Maximum number of ticks that are played.
const MOST_TICKS: u32 = 3000;

/// A game with a list in its state.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Taped {
    rounds: u64,
    scores: Vec<i32>,
    said: Vec<Vec<u8>>,
}

impl Simulation for Taped {
    type Input = NewestWins<u16>;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Self::Input>) {
        self.rounds = self.rounds.wrapping_add(1);
        self.scores.resize(inputs.len(), 0);
        for (player, input) in inputs.iter() {
            let score = &mut self.scores[usize::from(player.0)];
            *score = score.wrapping_add(i32::from(input.value.0) ^ tick.0 as i32);
            self.said.extend(inputs.commands(player).map(<[u8]>::to_vec));
        }
        self.said.truncate(8);
    }
}

/// A recording with a block of every kind, finished or not.
///
/// # Panics
/// Never: its settings are sound.
pub fn recording(finished: bool) -> Vec<u8> {
    let mut game = Taped::default();
    let config = SessionConfig::new().local().remote(PeerId(0)).digest_every(4);
    let mut session = Session::start(config, &mut game).expect("sound settings");
    let config = RecorderConfig { keyframe_every: 16, flush_every: 8, ..RecorderConfig::new(GAME) };
    let mut recorder = Recorder::start(config, &session, &game).expect("it starts");
    for tick in 0..50u32 {
        session.local_input(PlayerId(0), NewestWins(tick as u16 / 3)).expect("a seat");
        _ = session.remote_inputs(PlayerId(1), Tick(tick), &[NewestWins(7)]);
        if tick == 10 {
            session.command(PlayerId(0), &[5; 100]).expect("room");
            session.seat(Tick(20), PlayerId(1), Occupant::Bot).expect("not confirmed");
            recorder.paused(7);
        }
        session.advance(Time::from_millis(u64::from(tick) * 17)).run(&mut game).expect("it runs");
        recorder.record(&session, &game);
    }
    recorder.flush();
    if finished {
        recorder.finish(&session, &game);
    }
    core::iter::from_fn(|| recorder.poll_bytes()).flatten().collect()
}

/// Opens bytes as a recording, unchanged and with valid checksums, and plays it.
pub fn replay(data: &[u8]) {
    play(data);
    let mut sealed = data.to_vec();
    seal_recording(&mut sealed);
    play(&sealed);
}

fn play(bytes: &[u8]) {
    let open = || Replay::open(bytes);
    let Ok(replay) = open() else { return };
    let (first, last) = (replay.first(), replay.last());
    let Ok(mut player) = Player::new(replay, GAME, Taped::default()) else { return };
    for tick in [first + 5, last, Tick(first.0 / 2 + last.0 / 2), first] {
        if tick.since(first) < MOST_TICKS {
            _ = player.seek(tick);
        }
    }
    if let Ok(mut verifier) = Verifier::new(player) {
        _ = verifier.advance(MOST_TICKS);
    }
    if let (Ok(a), Ok(b)) = (open(), open())
        && a.ticks() < MOST_TICKS
        && let Ok(found) = compare(a, b, GAME, (Taped::default(), Taped::default()))
    {
        // One that takes back its only state has nothing to compare.
        let same = matches!(found.divergence, None | Some(Divergence::NothingInCommon { .. }));
        assert!(same, "a recording differs from itself: {found:?}");
    }
}

/// Makes the checks of the header and of all blocks right, as far as their lengths lead.
pub fn seal_recording(bytes: &mut [u8]) {
    let length = |bytes: &[u8], at: usize| {
        let four = bytes.get(at..)?.first_chunk::<4>()?;
        usize::try_from(u32::from_le_bytes(*four)).ok()
    };
    let mut start = 0;
    let Some(header) = length(bytes, 10) else { return };
    let mut total = header.saturating_add(14);
    while let Some(rest) = bytes.get_mut(start..)
        && let Some((sealed, after)) = rest.split_at_mut_checked(total)
        && let Some(check) = after.first_chunk_mut::<8>()
    {
        check.copy_from_slice(&Digest::of(sealed).to_bytes()[..8]);
        start += total + 8;
        let Some(payload) = length(bytes, start.saturating_add(1)) else { return };
        total = payload.saturating_add(11);
    }
}
