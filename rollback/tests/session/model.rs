//! Model of a session that shares no code with it: final inputs of all seats, their occupants, and a simulator
//! that knows all of it beforehand.

use super::game::{Game, Pad, Seen, Who, pad};
use isostep_rollback::{Button, Input, Occupant, PlayerId, Tick};

/// A random number for some keys; the same for the same ones.
pub(crate) fn mixed(keys: &[u64]) -> u64 {
    let mut hash = 0x243F_6A88_85A3_08D3;
    for &key in keys {
        hash = (hash ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash ^= hash >> 32;
    }
    hash
}

/// Input of a remote player: levels that stay for some ticks, a press now and then.
pub(crate) fn remote_value(seed: u64, player: PlayerId, tick: Tick) -> Pad {
    let level = mixed(&[seed, u64::from(player.0), u64::from(tick.0) / 5]);
    let press = mixed(&[seed, u64::from(player.0), u64::from(tick.0), 1]);
    if press.is_multiple_of(4) { pad(press >> 8) } else { Pad::hold(pad(level)) }
}

/// The pieces of commands that a player elsewhere sends: whole ones, and some of three ticks. Now and then a piece that
/// continues nothing, as after a change of seats.
pub(crate) fn remote_payload(seed: u64, player: PlayerId, tick: Tick) -> Vec<u8> {
    let (group, place) = (tick.0 / 4, tick.0 % 4);
    let kind = mixed(&[seed, u64::from(player.0), u64::from(group), 2]) % 8;
    let byte = (kind as u8).wrapping_mul(31) ^ tick.0 as u8;
    match (kind, place) {
        (0, 0) => vec![3, 2, byte, 7, 3, 0],
        (1, 2) => vec![3, 1, byte],
        (2, 0) => vec![1, 2, byte, 1],
        (2, 1) => vec![0, 1, byte],
        (2, 2) => vec![2, 1, byte, 3, 1, 9],
        (3, 3) => vec![2, 1, byte],
        _ => Vec::new(),
    }
}

/// One seat as it really is.
#[derive(Clone, Debug)]
pub(crate) struct SeatModel {
    /// Occupants by first tick.
    pub(crate) changes: Vec<(Tick, Occupant)>,
    /// Inputs of local players by tick; those of other ticks are ignored.
    pub(crate) local: Vec<Option<(Pad, Vec<u8>)>>,
}

impl SeatModel {
    pub(crate) fn new(occupant: Occupant) -> Self {
        Self { changes: vec![(Tick(0), occupant)], local: Vec::new() }
    }

    pub(crate) fn occupant(&self, tick: Tick) -> Occupant {
        let change = self.changes.iter().rev().find(|change| change.0 <= tick);
        change.map_or(Occupant::Empty, |change| change.1)
    }

    pub(crate) fn change(&mut self, tick: Tick, occupant: Occupant) {
        self.changes.retain(|change| change.0 < tick);
        self.changes.push((tick, occupant));
        self.local.truncate(tick.0 as usize);
    }

    fn begins(&self, tick: Tick) -> bool {
        self.changes.iter().any(|change| change.0 == tick)
    }

    pub(crate) fn note_local(&mut self, tick: Tick, value: Pad, payload: &[u8]) {
        let at = tick.0 as usize;
        if self.local.len() <= at {
            self.local.resize(at + 1, None);
        }
        match &self.local[at] {
            Some(held) => assert_eq!(held, &(value, payload.to_vec()), "what was sent stays"),
            None => self.local[at] = Some((value, payload.to_vec())),
        }
    }
}

/// The whole match as it really is.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub(crate) seed: u64,
    pub(crate) seats: Vec<SeatModel>,
}

impl Truth {
    /// Input of a human seat on a tick; `None` if a local one has none yet.
    pub(crate) fn human(&self, player: PlayerId, tick: Tick) -> Option<(Pad, Vec<u8>)> {
        let seat = &self.seats[usize::from(player.0)];
        match seat.occupant(tick) {
            Occupant::Local => seat.local.get(tick.0 as usize)?.clone(),
            // A player who returns does something else.
            Occupant::Remote(peer) => {
                let seed = self.seed ^ u64::from(peer.0) << 32;
                Some((remote_value(seed, player, tick), remote_payload(seed, player, tick)))
            }
            Occupant::Bot | Occupant::Empty => Some((Pad::default(), Vec::new())),
        }
    }

    /// The states of all ticks up to this one; fewer if a local player has not spoken yet.
    pub(crate) fn play(&self, to: Tick) -> Vec<Game> {
        let mut states = vec![Game::default()];
        let mut previous = vec![Pad::default(); self.seats.len()];
        let mut halves: Vec<Option<Vec<u8>>> = vec![None; self.seats.len()];
        for tick in (0..to.0).map(Tick) {
            let mut game = states.last().expect("one at least").clone();
            let mut seen = Vec::new();
            for (place, seat) in self.seats.iter().enumerate() {
                let player = PlayerId(place as u8);
                let Some((mut value, payload)) = self.human(player, tick) else { return states };
                let who = match seat.occupant(tick) {
                    Occupant::Bot => Who::Bot,
                    Occupant::Empty => Who::Empty,
                    Occupant::Local | Occupant::Remote(_) => Who::Human,
                };
                if who == Who::Bot {
                    value = game.decide(tick, player);
                }
                if seat.begins(tick) || who != Who::Human {
                    halves[place] = None;
                }
                let commands = assemble(&payload, &mut halves[place]);
                seen.push(Seen { value, previous: previous[place], who, commands });
                previous[place] = value;
            }
            game.apply(tick, &seen);
            states.push(game);
        }
        states
    }
}

/// The commands that are whole with this tick. A half that does not go on at once is lost.
fn assemble(mut payload: &[u8], half: &mut Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut whole = Vec::new();
    let mut open = half.take();
    while let [header, length, rest @ ..] = payload {
        let (bytes, behind) = rest.split_at(usize::from(*length));
        payload = behind;
        let command = if header & 1 != 0 { Some(Vec::new()) } else { open.take() };
        let command = command.map(|mut command| {
            command.extend_from_slice(bytes);
            command
        });
        match command {
            Some(command) if header & 2 != 0 => whole.push(command),
            command => *half = command,
        }
    }
    whole
}

/// Ticks of a local player's samples: the rule of `local_input` and `set_delay`, written down anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sampler {
    pub(crate) delay: u32,
    pub(crate) next: u32,
    pub(crate) last: Pad,
    pub(crate) waiting: Option<Pad>,
    /// Presses of buttons that were pressed before in what waits, each for a tick of its own.
    pub(crate) again: Vec<u64>,
}

impl Sampler {
    pub(crate) fn sample(&mut self, value: Pad) {
        let twice = self.waiting.map_or(0, |older| older.0.pressed_bits() & value.0.pressed_bits());
        self.waiting = Some(self.waiting.map_or(value, |older| Pad::merge(older, value)));
        self.put_off(twice);
    }

    /// Each button that is pressed once more gets the first later tick in which it is not.
    fn put_off(&mut self, bits: u64) {
        for bit in (0..64).map(|place| bits & 1 << place).filter(|&bit| bit != 0) {
            match self.again.iter_mut().find(|later| **later & bit == 0) {
                Some(later) => *later |= bit,
                None => self.again.push(bit),
            }
        }
    }

    fn with_again(&mut self, value: Pad) -> Pad {
        if self.again.is_empty() {
            return value;
        }
        let bits = self.again.remove(0);
        self.put_off(bits & value.0.pressed_bits());
        let mut buttons = value.0;
        for place in (0..64).filter(|place| bits >> place & 1 == 1) {
            let button = Button::new(place).expect("it was pressed");
            let down = buttons.held(button);
            buttons = buttons.press(button);
            if !down {
                buttons = buttons.release(button);
            }
        }
        (buttons, value.1)
    }

    /// The ticks that an advance which makes `making` (again, if it stalls) gives inputs to.
    pub(crate) fn advance(&mut self, making: Tick) -> Vec<(Tick, Pad)> {
        let end = making.0 + self.delay;
        let mut out = Vec::new();
        while self.next <= end {
            let sample = if self.next == end { self.waiting.take() } else { None };
            let value = sample.unwrap_or_else(|| Pad::hold(self.last));
            self.last = self.with_again(value);
            out.push((Tick(self.next), self.last));
            self.next += 1;
        }
        out
    }
}
