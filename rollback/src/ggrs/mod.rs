//! Any [`Simulation`] under the sessions of [`ggrs`], unchanged: for games that have them already, and to compare.
//!
//! | file | owns |
//! | --- | --- |
//! | `setup` | [`GgrsSetup`]: what the game, the guard and the session builder must agree on; [`GgrsConfig`] |
//! | `game` | [`GgrsGame`]: a simulation with its slots, and the requests carried out on it |
//! | `drive` | one tick of each kind of session, with everything checked first |
//! | `guard`, `packet` | [`GuardedSocket`]: packets that would panic the receiver are refused before ggrs sees them |
//!
//! *Set up*: one [`GgrsSetup`] gives the session's builder, the [`Guard`] for its socket and the [`GgrsGame`]. *Play*: once a
//! tick [`GgrsGame::advance_p2p`], [`GgrsGame::advance_sync_test`] or [`GgrsGame::advance_spectator`]; who calls
//! `advance_frame` alone hands its list to [`GgrsGame::fulfil`].
//!
//! ```
//! use isostep_rollback::ggrs::{GgrsGame, GgrsSetup};
//! use isostep_rollback::{Inputs, NewestWins, Simulation, Tick};
//!
//! #[derive(Clone, Default, serde::Serialize)]
//! struct Tug { rope: i32 }
//! impl Simulation for Tug {
//!     type Input = NewestWins<i8>;
//!     fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
//!         self.rope += inputs.iter().map(|(_, input)| i32::from(input.value.0)).sum::<i32>();
//!     }
//! }
//!
//! let setup = GgrsSetup { players: 2, checksum_every: 1, ..GgrsSetup::default() };
//! let mut session = setup.builder::<Tug, u8>()?.start_synctest_session()?;
//! let mut tug = GgrsGame::new(Tug::default(), &setup)?;
//! for _ in 0..10 {
//!     tug.advance_sync_test(&mut session, &[NewestWins(3), NewestWins(-1)])?;
//! }
//! assert_eq!((tug.current_tick(), tug.game().rope), (Tick(10), 20));
//! # Ok::<(), isostep_rollback::ggrs::GgrsGameError>(())
//! ```
//!
//! # What ggrs leaves out
//! It knows neither [commands](crate::Inputs::commands) nor bots: commands are empty, and no seat is
//! [`InputStatus::Bot`](crate::InputStatus::Bot). It reads the clock of the machine and its entropy, so what it does (not
//! what the simulation computes) differs from run to run. Its sparse saving compares only frames that both ends happened
//! to save; have all of them digested then (`checksum_every: 1`).
//!
//! # What panics in ggrs 0.13, and what is done about it
//!
//! By packets, whoever sent them; "debug" is a build that checks overflow. The [`Guard`] refuses each of these:
//!
//! | packet | what ggrs does | |
//! | --- | --- | --- |
//! | packed inputs whose last length is cut off, or longer than 64 bits | `bitfield-rle` indexes past the end | panic |
//! | packed inputs with a huge length | allocates that much: gigabytes, or the process ends for want of memory | **abort** |
//! | a first input for frame 128 or later, or inputs more than 128 frames ahead | `assert!(length <= 128)` | panic |
//! | `start_frame` near 2³¹ | `start_frame + i` | debug |
//! | a claim that a player left long ago, from a peer that never told of later inputs | `load_frame`: "outside of prediction window" | panic |
//! | a `QualityReply` that answers no question of ours | `ping * fps` | debug |
//! | a `ChecksumReport` though detection is off | `debug_assert!` | debug |
//! | `ChecksumReport`s for ever older frames | keeps all of them | memory |
//!
//! Packets of a wrong size, with bytes behind the end or inputs of another width ggrs drops by itself; the guard does too.
//! It can't tell a packet that was changed to something sensible: that takes a transport that authenticates.
//!
//! By calls; the wrappers of [`GgrsGame`] check for these first:
//!
//! | call | what ggrs does |
//! | --- | --- |
//! | `advance_frame` after a save was left out | `load_frame`: `assert_eq!(cell.frame, frame_to_load)` on the next rollback |
//! | requests carried out in another order, or twice | nothing: the game is wrong |
//! | a prediction window and delay above 127 frames | `assert!(length <= 128)` once they are used |
//! | `set_input_delay` far up | the same; not checked here, keep it as low as in the setup |
//! | `advance_frame` without a local player, once all others have left | `confirmed_frame`: `assert!(frame < i32::MAX)` |
//! | a missing local input | an error; in a sync test it also drops a list of requests |
//! | `network_stats` after the clock was set back | `now - start` in debug builds; not wrapped here |
//! | the clock stands before 1970 | `expect("Time went backwards")` in every poll |
//!
//! One is left that neither can prevent: in a match of three or more, a player leaves whose last inputs one machine got and
//! another did not. The first may be further ahead than its window reaches back, and `load_frame` panics; so it does when a
//! peer has said nothing yet. The guard refuses the packets of which that is known, so that their sender times out;
//! for the rest the wrappers catch the panic where panics unwind and answer [`GgrsGameError::Panicked`]. The session is of
//! no use then, and dropping it is the only thing to do. With `panic = "abort"`, and on wasm, the process ends.

mod drive;
mod game;
mod guard;
mod packet;
mod setup;

pub use game::{Fulfilled, GgrsGame, GgrsGameError};
pub use guard::{Datagrams, Guard, GuardedSocket};
pub use packet::PacketError;
pub use setup::{GgrsConfig, GgrsSetup, GgrsSetupError, PredictHold};

#[cfg(doc)]
use crate::Simulation;
