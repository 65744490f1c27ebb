//! The game of these tests: it mixes everything that a step may read, so that any wrong input shows for ever. And a match of
//! it with a player here and one elsewhere, a bot, commands, and a player who joins and leaves.

use isostep_core::Rng;
use isostep_rollback::replay::{Recorder, RecorderConfig};
use isostep_rollback::{
    Buttons, GameId, InputStatus, Inputs, NewestWins, Occupant, PeerId, PlayerId, Session,
    SessionConfig, Simulation, Tick, Time,
};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::rc::Rc;

pub(crate) const GAME: GameId = GameId(*b"a mixing game, 1");

pub(crate) type Pad = (Buttons<4>, NewestWins<i16>);

std::thread_local! {
    /// Steps of all games of a test.
    pub(crate) static STEPS: Cell<u32> = const { Cell::new(0) };
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Player {
    pub(crate) hash: u64,
    pub(crate) said: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mix {
    pub(crate) round: u32,
    pub(crate) players: Vec<Player>,
    pub(crate) treasure: u32,
    /// On the step of this tick the treasure is wrong: a broken machine.
    #[serde(skip)]
    pub(crate) fault: Option<Tick>,
    /// The same, the first time only: a bit that flipped in a machine.
    #[serde(skip)]
    pub(crate) slip: Option<Rc<Cell<Option<Tick>>>>,
}

impl Simulation for Mix {
    type Input = Pad;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Pad>) {
        STEPS.set(STEPS.get() + 1);
        self.round += 1;
        self.players.resize(inputs.len(), Player::default());
        for (player, input) in inputs.iter() {
            let own = &mut self.players[usize::from(player.0)];
            let mut mix = |value: u64| {
                own.hash = (own.hash.rotate_left(7) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            };
            for (buttons, level) in [input.value, input.previous] {
                mix(buttons.bits() << 32
                    | buttons.pressed_bits() << 16
                    | u64::from(level.0 as u16));
            }
            mix(match input.status {
                InputStatus::Bot => 1,
                InputStatus::Disconnected => 2,
                _ => 3,
            });
            for command in inputs.commands(player) {
                own.said += 1;
                command
                    .iter()
                    .for_each(|&byte| own.hash ^= u64::from(byte).rotate_left(byte.into()));
            }
        }
        self.treasure = self.treasure.wrapping_add(tick.0);
        let slips =
            |slip: &Rc<Cell<Option<Tick>>>| slip.get() == Some(tick) && slip.take().is_some();
        if self.fault == Some(tick) || self.slip.as_ref().is_some_and(slips) {
            self.treasure ^= 1 << 20;
        }
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> Pad {
        let hash = self.players.get(usize::from(player.0)).map_or(0, |player| player.hash);
        pad(hash ^ u64::from(tick.0))
    }
}

pub(crate) fn pad(bits: u64) -> Pad {
    let before = Buttons::none().next(bits & 0xf).expect("four bits");
    (before.next(bits >> 4 & 0xf).expect("four bits"), NewestWins((bits >> 8) as i16))
}

/// A match that was played and recorded.
pub(crate) struct Match {
    /// Blocks as they came, the header first.
    pub(crate) blocks: Vec<Vec<u8>>,
    /// The final state of each tick.
    pub(crate) states: Vec<Mix>,
}

impl Match {
    pub(crate) fn file(&self) -> Vec<u8> {
        self.blocks.concat()
    }
}

/// Settings of a match.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) ticks: u32,
    pub(crate) config: RecorderConfig,
    pub(crate) fault: Option<Tick>,
    /// The other one does something else on this tick.
    pub(crate) other: Option<Tick>,
    pub(crate) digest_every: u32,
    /// Ticks between two commands of player 0.
    pub(crate) command_every: u32,
    /// Blocks are taken on these ticks only, if not on all.
    pub(crate) polls: fn(u32) -> bool,
}

impl Script {
    pub(crate) fn new(ticks: u32) -> Self {
        let config =
            RecorderConfig { keyframe_every: 64, flush_every: 20, ..RecorderConfig::new(GAME) };
        Self {
            ticks,
            config,
            fault: None,
            other: None,
            digest_every: 8,
            command_every: 37,
            polls: |_| true,
        }
    }

    /// Plays with late inputs, so that it predicts and rolls back.
    pub(crate) fn play(&self) -> Match {
        let mut game = Mix { fault: self.fault, ..Mix::default() };
        let config = SessionConfig::new().local().remote(PeerId(0)).bot().remote(PeerId(0));
        let mut session =
            Session::start(config.digest_every(self.digest_every), &mut game).expect("sound");
        let mut recorder =
            Recorder::start(self.config.clone(), &session, &game).expect("it starts");
        let mut played = Match { blocks: Vec::new(), states: vec![game.clone()] };
        let mut rng = Rng::new(5);
        let mut sent = [0u32; 2];
        for tick in 0..self.ticks {
            session.local_input(PlayerId(0), pad(rng.next_u64() >> 30)).expect("a seat");
            if tick % self.command_every == 5 {
                session.command(PlayerId(0), &[tick as u8; 150]).expect("room");
            }
            if tick == 40 {
                session.seat(Tick(45), PlayerId(3), Occupant::Empty).expect("not confirmed");
            }
            if tick == 90 {
                session.seat(Tick(97), PlayerId(3), Occupant::Bot).expect("not confirmed");
            }
            // Up to five ticks late, in bunches.
            let late = if tick % 16 < 8 { 5 } else { 1 };
            for (sent, player) in sent.iter_mut().zip([1, 3]) {
                while *sent + late <= tick {
                    let odd = u64::from(self.other == Some(Tick(*sent)) && player == 1);
                    let input = pad(u64::from(*sent / 6) * 0x1234_5678 + odd * 0x1000);
                    let _ = session.remote_inputs(PlayerId(player), Tick(*sent), &[input]);
                    *sent += 1;
                }
            }
            let time = Time::from_millis(u64::from(tick) * 17);
            session.advance(time).run(&mut game).expect("it runs");
            recorder.record(&session, &game);
            if tick == 70 {
                recorder.paused(1500);
            }
            if (self.polls)(tick) {
                played.blocks.extend(core::iter::from_fn(|| recorder.poll_bytes()));
            }
            let done = session.confirmed_tick().min(session.current_tick());
            while played.states.len() as u32 <= done.0 {
                let state = session.slots().get(Tick(played.states.len() as u32)).expect("held");
                played.states.push(state.clone());
            }
        }
        recorder.finish(&session, &game);
        played.blocks.extend(core::iter::from_fn(|| recorder.poll_bytes()));
        played
    }
}
