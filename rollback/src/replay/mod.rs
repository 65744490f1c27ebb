//! Recordings: small files that play back bit for bit on any machine, seek fast, and explain differences.
//!
//! ```text
//! Session ──Recorder──▶ bytes, appended to a file ──Replay──▶ Player ──▶ any tick, a live Session, Verifier, compare
//! ```
//!
//! - `format.rs`, `info.rs`, `inputs.rs`, `keyframe.rs`, `index.rs`: the file format of `REPLAY.md`.
//! - `recorder.rs`, `capture.rs`, `outbox.rs`, `config.rs`: writing. `source.rs`, `reader.rs`, `records.rs`: reading, a
//!   block at a time.
//! - `cursor.rs`: a game at a tick of a recording. `player.rs`, `playback.rs`, `verify.rs` and `compare.rs` (with
//!   `seats.rs`) use it.
//!
//! Nothing here opens a file or blocks: bytes come out of a [`Recorder`] and go in through a [`Source`]. A game needs
//! [`Snapshot`](isostep_core::state::Snapshot) beside [`Simulation`](crate::Simulation): `serde::Deserialize` for a
//! value, `derive(Snapshot)` for a struct with a world.
//!
//! ```
//! use isostep_rollback::replay::{Player, Recorder, RecorderConfig, Replay, verify};
//! use isostep_rollback::{GameId, Inputs, NewestWins, PlayerId, Session, SessionConfig, Simulation, Tick, Time};
//!
//! #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
//! struct Count { sum: i32 }
//! impl Simulation for Count {
//!     type Input = NewestWins<i8>;
//!     fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
//!         self.sum += i32::from(inputs.value(PlayerId(0)).0);
//!     }
//! }
//!
//! const GAME: GameId = GameId(*b"count, version 1");
//! let mut game = Count::default();
//! let mut session = Session::start(SessionConfig::new().local(), &mut game)?;
//! let mut recorder = Recorder::start(RecorderConfig::new(GAME), &session, &game)?;
//! let mut file = Vec::new();
//! for tick in 0..100 {
//!     session.local_input(PlayerId(0), NewestWins(tick % 7))?;
//!     session.advance(Time::from_millis(tick as u64 * 17)).run(&mut game)?;
//!     recorder.record(&session, &game);
//!     while let Some(bytes) = recorder.poll_bytes() {
//!         file.extend(bytes);
//!     }
//! }
//! recorder.finish(&session, &game);
//! file.extend(std::iter::from_fn(|| recorder.poll_bytes()).flatten());
//!
//! let mut player = Player::new(Replay::open(&file[..])?, GAME, Count::default())?;
//! player.seek(Tick(100))?;
//! assert_eq!(player.game().sum, game.sum);
//! player.seek(Tick(3))?;
//! assert_eq!(player.game().sum, 0 + 1 + 2);
//! assert!(verify(player)?.mismatch.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod capture;
mod compare;
mod config;
mod cursor;
mod error;
mod format;
mod index;
mod info;
mod inputs;
mod keyframe;
mod outbox;
mod playback;
mod player;
mod reader;
mod recorder;
pub(crate) mod records;
mod seats;
mod source;
mod verify;

pub use compare::{CompareError, Comparison, Divergence, compare};
pub use config::{RecorderConfig, RecorderEvent, RecorderStats};
pub use error::ReplayError;
pub use format::SeatKind;
pub use info::Info;
pub use playback::{Advanced, Playback, PlaybackConfig, Speed};
pub use player::Player;
pub use reader::Replay;
pub use recorder::Recorder;
pub use records::{Gap, Pause, SeatChange};
pub use source::{Source, Stream};
pub use verify::{Mismatch, Verified, Verifier, verify};
