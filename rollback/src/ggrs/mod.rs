//! Adapter that runs any [`Simulation`] under the sessions of [`ggrs`], unchanged: for games that use ggrs already, and
//! for comparisons.
//!
//! | file | owns |
//! | --- | --- |
//! | `setup` | [`GgrsSetup`]: settings shared by the game, the guard and the session builder; [`GgrsConfig`] |
//! | `game` | [`GgrsGame`]: a simulation with its slots, and the requests carried out on it |
//! | `drive` | one tick of each kind of session, with everything checked first |
//! | `guard`, `packet` | [`GuardedSocket`]: packets that would panic the receiver are refused before ggrs sees them |
//!
//! *Set up*: one [`GgrsSetup`] gives the session's builder, the [`Guard`] for its socket and the [`GgrsGame`].
//! *Advance*: once a tick [`GgrsGame::advance_p2p`], [`GgrsGame::advance_sync_test`] or
//! [`GgrsGame::advance_spectator`]; after a call of `advance_frame` pass the requests to [`GgrsGame::fulfil`].
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
//! # Limits of ggrs
//! ggrs has neither [commands](crate::Inputs::commands) nor bots: commands are empty, and no seat is
//! [`InputStatus::Bot`](crate::InputStatus::Bot). It reads the system's clock and entropy, so its behaviour (not the
//! simulation's results) differs from run to run. Its sparse saving compares only frames that both ends saved; digest
//! every frame then (`checksum_every: 1`).
//!
//! # Panics of ggrs 0.13, and the protection against them
//!
//! Packets that make ggrs panic, from any sender; "debug" is a build with overflow checks. The [`Guard`] refuses each
//! of these:
//!
//! | packet | what ggrs does | |
//! | --- | --- | --- |
//! | packed inputs whose last length is cut off, or longer than 64 bits | `bitfield-rle` indexes past the end | panic |
//! | packed inputs with a huge length | allocates that much: gigabytes, or the process ends for lack of memory | **abort** |
//! | a first input for frame 128 or later, or inputs more than 128 frames ahead | `assert!(length <= 128)` | panic |
//! | `start_frame` near 2³¹ | `start_frame + i` | debug |
//! | a claim that a player left long ago, from a peer that never sent later inputs | `load_frame`: "outside of prediction window" | panic |
//! | a `QualityReply` without a matching `QualityReport` | `ping * fps` | debug |
//! | a `ChecksumReport` though detection is off | `debug_assert!` | debug |
//! | `ChecksumReport`s for ever older frames | keeps all of them | memory |
//!
//! Packets of a wrong size, with trailing bytes or inputs of another width are dropped by ggrs itself; the guard drops
//! them too. It can't detect a packet that was changed to a valid one: that needs a transport with authentication.
//!
//! Calls that make ggrs panic; the wrappers of [`GgrsGame`] check for these first:
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
//! | a system clock before 1970 | `expect("Time went backwards")` in every poll |
//!
//! One case can't be prevented: in a match of three or more, a player disconnects whose last inputs only some machines
//! received. A machine with them may be further ahead than its window reaches back, and `load_frame` panics; the same
//! happens if a peer has sent nothing yet. The guard refuses packets that are known to cause this, so that their sender
//! times out. For the rest the wrappers catch the panic, where panics unwind, and return [`GgrsGameError::Panicked`].
//! The session must then be dropped. With `panic = "abort"`, and on wasm, the process ends.

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
