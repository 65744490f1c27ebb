//! The game of these tests: it mixes everything that a step may read into one hash a seat, so that any wrong input shows for
//! ever. And a wrapper that notes what a plan does to it.

use isostep_core::digest::Digest;
use isostep_core::internals::DigestTree;
use isostep_core::state::{State, StateDifference, StateError};
use isostep_rollback::internals::Op;
use isostep_rollback::{Buttons, InputStatus, Inputs, NewestWins, PlayerId, Simulation, Tick};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Eight buttons with presses, and a level.
pub(crate) type Pad = (Buttons<8>, NewestWins<u8>);

/// A pad of random bits.
pub(crate) fn pad(bits: u64) -> Pad {
    let before = Buttons::none().next(bits & 0xff).expect("eight bits");
    (before.next(bits >> 8 & 0xff).expect("eight bits"), NewestWins((bits >> 16) as u8))
}

/// Kind of a seat, as all machines agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Human,
    Bot,
    Empty,
}

impl From<InputStatus> for Who {
    fn from(status: InputStatus) -> Self {
        match status {
            InputStatus::Confirmed | InputStatus::Predicted => Self::Human,
            InputStatus::Bot => Self::Bot,
            InputStatus::Disconnected => Self::Empty,
        }
    }
}

/// Input of a seat as a step sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) value: Pad,
    pub(crate) previous: Pad,
    pub(crate) who: Who,
    pub(crate) commands: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Player {
    pub(crate) hash: u64,
    pub(crate) presses: u32,
    pub(crate) commands: u32,
}

/// An injected fault: one bit of one field flips on the step of a tick. Not part of the state, shared by all its copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fault(Arc<AtomicU32>);

impl Fault {
    /// The step of this tick is wrong.
    pub(crate) fn on(&self, tick: Tick) {
        self.0.store(tick.0 + 1, Relaxed);
    }

    fn hits(&self, tick: Tick) -> bool {
        AtomicU32::load(&self.0, Relaxed) == tick.0 + 1
    }
}

#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Game {
    pub(crate) round: u32,
    pub(crate) players: Vec<Player>,
    pub(crate) treasure: [u32; 3],
    #[serde(skip)]
    pub(crate) fault: Fault,
    /// Something that should be in the state and is not: steps since the game was made, wrong after a rollback.
    #[serde(skip)]
    pub(crate) scratch: Option<Arc<AtomicU32>>,
}

impl PartialEq for Game {
    fn eq(&self, other: &Self) -> bool {
        (self.round, &self.players, self.treasure) == (other.round, &other.players, other.treasure)
    }
}

impl Game {
    pub(crate) fn apply(&mut self, tick: Tick, seen: &[Seen]) {
        self.round += 1;
        self.players.resize(seen.len(), Player::default());
        for (place, (player, seat)) in self.players.iter_mut().zip(seen).enumerate() {
            player.presses += seat.value.0.pressed_bits().count_ones();
            player.commands += seat.commands.len() as u32;
            let mut mix = |value: u64| {
                player.hash =
                    (player.hash.rotate_left(7) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            };
            mix(u64::from(tick.0) << 8 | place as u64);
            for (buttons, level) in [seat.value, seat.previous] {
                mix(buttons.bits() << 32 | buttons.pressed_bits() << 8 | u64::from(level.0));
            }
            mix(seat.who as u64);
            for command in &seat.commands {
                command.iter().for_each(|&byte| mix(u64::from(byte) + 1));
                mix(command.len() as u64);
            }
        }
        self.treasure[tick.0 as usize % 3] ^= tick.0;
        if self.fault.hits(tick) {
            self.treasure[1] ^= 1 << 7;
        }
        if let Some(scratch) = &self.scratch {
            let steps = scratch.fetch_add(1, Relaxed);
            if steps % 64 == 63 {
                self.treasure[2] += steps;
            }
        }
    }

    pub(crate) fn decide(&self, tick: Tick, player: PlayerId) -> Pad {
        let hash = self.players.get(usize::from(player.0)).map_or(0, |player| player.hash);
        pad(hash.rotate_left(tick.0 % 64))
    }
}

impl Simulation for Game {
    type Input = Pad;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Pad>) {
        let seen: Vec<Seen> = inputs
            .iter()
            .map(|(player, input)| Seen {
                value: input.value,
                previous: input.previous,
                who: input.status.into(),
                commands: inputs.commands(player).map(<[u8]>::to_vec).collect(),
            })
            .collect();
        self.apply(tick, &seen);
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> Pad {
        self.decide(tick, player)
    }
}

/// A game that notes what is done to it.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    pub(crate) game: Game,
    /// Since it was last emptied.
    pub(crate) ops: Vec<Op>,
    /// The inputs of the last time that each tick was stepped.
    pub(crate) inputs: Vec<Inputs<Pad>>,
    /// The state after it.
    pub(crate) after: Vec<Game>,
}

impl Simulation for Noted {
    type Input = Pad;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Pad>) {
        self.ops.push(Op::Step(tick));
        self.game.step(tick, inputs);
        let at = tick.0 as usize;
        self.inputs.truncate(at);
        self.after.truncate(at);
        assert_eq!(self.after.len(), at, "steps leave no tick out");
        self.inputs.push(inputs.clone());
        self.after.push(self.game.clone());
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> Pad {
        self.game.decide(tick, player)
    }
}

impl State for Noted {
    type Slots = <Game as State>::Slots;

    fn slots(&mut self, capacity: usize) -> Self::Slots {
        self.game.slots(capacity)
    }
    fn save(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError> {
        self.ops.push(Op::Save(tick));
        self.game.save(slots, tick)
    }
    fn load(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError> {
        self.ops.push(Op::Load(tick));
        self.game.load(slots, tick)
    }
    fn pin(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError> {
        self.game.pin(slots, tick)
    }
    fn unpin(&mut self, slots: &mut Self::Slots, tick: Tick) -> bool {
        self.game.unpin(slots, tick)
    }
    fn drop_caches(&mut self, slots: &mut Self::Slots) {
        self.ops.push(Op::DropCaches);
        self.game.drop_caches(slots);
    }
    fn digest(&self, slots: &Self::Slots, tick: Tick) -> Result<Digest, StateError> {
        self.game.digest(slots, tick)
    }
    fn tree(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        tree: &mut DigestTree,
    ) -> Result<(), StateError> {
        self.game.tree(slots, tick, name, tree)
    }
    fn page(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StateError> {
        self.game.page(slots, tick, name, section, page, out)
    }
    fn explain(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        theirs: &[u8],
        limit: usize,
        out: &mut Vec<StateDifference>,
    ) -> Result<bool, StateError> {
        self.game.explain(slots, tick, name, section, page, theirs, limit, out)
    }
}
