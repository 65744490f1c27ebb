//! Test game: its state depends on every bit and the order of all inputs and commands. Presses and commands are
//! counted, to detect lost or duplicated ones.

use isostep_rollback::{Buttons, InputStatus, Inputs, NewestWins, PlayerId, Simulation, Tick};

/// Eight buttons with presses, and the number of the sample.
pub(crate) type Pad = (Buttons<8>, NewestWins<u16>);

/// A number that depends on all of these.
pub(crate) fn mixed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x1234_5678_9abc_def1, |hash, &number| {
        let hash = (hash ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ hash >> 32
    })
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Player {
    pub(crate) hash: u64,
    pub(crate) presses: [u32; 8],
    pub(crate) commands: u32,
    pub(crate) command_hash: u64,
}

#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Game {
    pub(crate) players: Vec<Player>,
    pub(crate) treasure: [u32; 3],
    /// The step of this tick comes out wrong: in the program, not in the state.
    #[serde(skip)]
    pub(crate) fault: Option<Tick>,
}

impl Simulation for Game {
    type Input = Pad;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Pad>) {
        self.players.resize(inputs.len(), Player::default());
        for (player, seat) in self.players.iter_mut().zip(inputs.iter()) {
            let (id, input) = seat;
            let (buttons, number) = input.value;
            let (before, _) = input.previous;
            for (place, presses) in player.presses.iter_mut().enumerate() {
                *presses += (buttons.pressed_bits() >> place & 1) as u32;
            }
            for command in inputs.commands(id) {
                player.commands += 1;
                player.command_hash = hash_of(player.command_hash, command);
            }
            let bits = buttons.bits() << 16 | buttons.pressed_bits() << 8 | before.bits();
            let bot = u64::from(input.status == InputStatus::Bot);
            let parts = [player.hash, u64::from(tick.0), bits, u64::from(number.0), bot];
            player.hash = mixed(&parts);
        }
        self.treasure[tick.0 as usize % 3] ^= tick.0;
        if self.fault == Some(tick) {
            self.treasure[1] ^= 1 << 7;
        }
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> Pad {
        let hash = self.players.get(usize::from(player.0)).map_or(0, |player| player.hash);
        let bits = mixed(&[hash, u64::from(tick.0)]);
        let buttons = Buttons::none().next(bits & 0xff).expect("eight bits");
        (buttons, NewestWins((bits >> 8) as u16))
    }
}

/// A command after others.
pub(crate) fn hash_of(before: u64, command: &[u8]) -> u64 {
    let hash = mixed(&[before, command.len() as u64]);
    command.iter().fold(hash, |hash, &byte| {
        (hash.rotate_left(9) ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}
