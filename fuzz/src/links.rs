//! Checks of the fuzz targets for links, windows and documents. Tests of netcode include this file, so it uses only
//! netcode, rollback and core.

use super::reuse::{Reused, TargetSpec};
use isostep_netcode::crypto::{
    Credentials, GameId, MachineId, MatchmakerPublic, PublicKey, Roster, StaticKey, Stored, Token,
};
use isostep_netcode::internals::Link;
use isostep_rollback::internals::window::{KNOWN_TICKS, PIECES_BYTES_MAX, Packer, Unpacker};
use isostep_rollback::{
    Inputs, NewestWins, PeerId, PlayerId, Session, SessionConfig, Simulation, Tick, Time,
};
use std::cell::RefCell;
use std::path::Path;

/// A game that counts.
#[derive(Clone, Default, serde::Serialize)]
pub struct Count(u64);

impl Simulation for Count {
    type Input = [NewestWins<u8>; 4];

    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        let sum: u64 = inputs.iter().map(|(_, input)| u64::from(input.value[0].0)).sum();
        self.0 = self.0.wrapping_mul(31).wrapping_add(sum);
    }
}

/// A session and its link, some ticks into a match.
pub struct Side {
    game: Count,
    /// The session.
    pub session: Session<Count>,
    link: Link,
    tick: u64,
}

/// Both sides of a running match; the second side has `seats` seats and gives commands.
pub struct Talk {
    /// The side that bytes go to, and the one that writes honest frames.
    pub sides: [Side; 2],
    /// Frames from the second to the first.
    pub frames: Vec<Vec<u8>>,
}

impl Side {
    fn new(own: u8, seats: u8) -> Self {
        let mut game = Count::default();
        let owners = core::iter::once(0).chain((0..seats).map(|_| 1));
        let config = owners.fold(SessionConfig::new().delay(1).digest_every(4), |config, owner| {
            if owner == own { config.local() } else { config.remote(PeerId(owner)) }
        });
        let session = Session::start(config, &mut game).expect("sound settings");
        Self { game, session, link: Link::new(PeerId(1 - own)), tick: 0 }
    }

    fn now(&self) -> Time {
        Time::from_millis(self.tick * 17)
    }

    /// Computes a tick and writes its frame.
    fn play(&mut self, frame: &mut Vec<u8>) {
        self.tick += 1;
        for seat in 0..self.session.players() {
            let (seat, value) = (PlayerId(seat as u8), (self.tick / 5) as u8);
            let pad = [value, 0, (self.tick * 3) as u8, 128].map(NewestWins);
            _ = self.session.local_input(seat, pad);
            if self.tick.is_multiple_of(7) {
                _ = self.session.command(seat, &[value; 20]);
            }
        }
        self.session.advance(self.now()).run(&mut self.game).expect("it runs");
        self.link.write(self.now(), &self.session, frame).expect("nothing is lost so soon");
        assert!(frame.len() <= 16 * 1100, "a frame of {} bytes", frame.len());
    }

    fn read(&mut self, frame: &[u8]) {
        let now = self.now();
        let (present, confirmed) = (self.session.current_tick(), self.session.confirmed_tick());
        let read = self.link.read(now, &mut self.session, frame);
        assert_eq!(self.session.current_tick(), present, "only advance makes ticks");
        let after = self.session.confirmed_tick();
        assert!(after >= confirmed, "what is confirmed stays so");
        // A frame truncated within its stamp has no effect.
        assert!(frame.len() > 2 || (read.is_err() && after == confirmed));
    }
}

impl Talk {
    /// Some ticks into a match, with every third frame lost.
    pub fn new(seats: u8) -> Self {
        let mut sides = [Side::new(0, seats), Side::new(1, seats)];
        let (mut frames, mut frame) = (Vec::new(), Vec::new());
        for tick in 0..40 {
            let [here, there] = &mut sides;
            there.play(&mut frame);
            frames.push(frame.clone());
            if tick % 3 != 0 {
                here.read(&frame);
            }
            here.play(&mut frame);
            if tick % 3 != 1 {
                there.read(&frame);
            }
        }
        Self { sides, frames }
    }

    /// Frames that the second side would send next, while it hears nothing.
    pub fn next_frames(&mut self) -> Vec<Vec<u8>> {
        let next = |_| {
            let mut frame = Vec::new();
            self.sides[1].play(&mut frame);
            frame
        };
        (0..20).map(next).collect()
    }

    /// Bytes as a frame; then both go on.
    ///
    /// # Panics
    /// When a link breaks a promise.
    pub fn frame(&mut self, data: &[u8]) {
        self.sides[0].read(data);
        self.sides[0].play(&mut Vec::new());
    }
}

thread_local! {
    static FRAME: RefCell<Reused<[Talk; 2]>> = RefCell::default();
}

/// Feeds bytes as a frame of a session, with lists and without.
///
/// # Panics
/// When a link breaks a promise.
pub fn frame(data: &[u8]) {
    let spec = TargetSpec {
        name: "frame",
        // Few ticks: frames that were recorded still fit, and all inputs that the peer may lack are kept.
        max_inputs: 100,
        make: || [Talk::new(1), Talk::new(2)],
        feed: |talks, data| {
            for talk in talks {
                talk.frame(data);
            }
            true
        },
        finish: drop,
    };
    FRAME.with_borrow_mut(|reused| reused.run(&spec, data));
}

/// Reads bytes as a stream: two of them say how, the others are windows. What can be read is written and read again.
///
/// # Panics
/// When reading breaks a promise.
pub fn window(data: &[u8]) {
    let Some((&[how, count], stream)) = data.split_first_chunk() else { return };
    let width = usize::from(how % 16) + 1;
    let known: Vec<Vec<u8>> = (0..usize::from(how >> 4) % (KNOWN_TICKS + 1))
        .map(|tick| (0..width).map(|byte| (tick * byte) as u8).collect())
        .collect();
    let known = || known.iter().map(Vec::as_slice);
    let read = |stream: &[u8]| {
        let (mut ticks, mut unpacker) = (Vec::new(), Unpacker::new(stream));
        let number = unpacker.uint(4)?;
        let sink = |index, input: &[u8], pieces: &[u8]| {
            assert!(index == ticks.len() && input.len() == width);
            assert!(pieces.len() <= PIECES_BYTES_MAX);
            ticks.push((input.to_vec(), pieces.to_vec()));
        };
        unpacker.window(width, known(), count.into(), &mut Vec::new(), sink)?;
        unpacker.finish()?;
        Some((number, ticks))
    };
    let Some((number, ticks)) = read(stream) else { return };
    assert_eq!(ticks.len(), usize::from(count));
    let mut again = Vec::new();
    let mut packer = Packer::new(&mut again);
    packer.uint(number, 4);
    packer.window(width, known(), ticks.iter().map(|tick| (&tick.0[..], &tick.1[..])));
    packer.finish();
    assert_eq!(read(&again), Some((number, ticks)));
}

/// Reads bytes as a token, a roster and the text of a key.
///
/// # Panics
/// When one of them is not what was read.
pub fn document(data: &[u8]) {
    if let Ok(token) = Token::decode(data) {
        assert_eq!(token.encode(), data);
    }
    if let Ok(roster) = Roster::decode(data) {
        assert_eq!(roster.encode(), data);
        assert!((2..=8).contains(&roster.machines().len()));
    }
    if let Ok(key) = core::str::from_utf8(data).unwrap_or("").parse::<PublicKey>() {
        assert_eq!(key.to_string().as_bytes(), data.to_ascii_lowercase());
    }
}

/// Writes bytes to a file and loads it as each kind of file.
///
/// # Panics
/// When something is loaded that was not there, or the file can't be written.
pub fn file(path: &Path, data: &[u8]) {
    std::fs::write(path, data).expect("a place to write to");
    let loaded = [
        Token::load(path).is_ok(),
        Roster::load(path).is_ok(),
        MatchmakerPublic::load(path).is_ok(),
        StaticKey::load(path).is_ok(),
    ];
    assert!(loaded.into_iter().filter(|loaded| *loaded).count() <= 1, "it is one thing");
}

/// Example documents of a match: a token, a roster, a key.
///
/// # Panics
/// Never: all is sound.
pub fn documents() -> Vec<Vec<u8>> {
    let credentials =
        Credentials::insecure(MachineId(1), 3, GameId::named("fuzz")).expect("3 machines");
    let key = credentials.key().public().to_string();
    vec![credentials.token().encode().to_vec(), credentials.roster().encode(), key.into_bytes()]
}
