//! Rollback netcode of Isostep: inputs by tick, sessions that predict and roll back, explained desyncs, and a simulated
//! network to test games with.
//!
//! The crate is pure: no clock, no sockets, no threads. Time and randomness are arguments.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod bytes;
pub mod check;
mod exchange;
#[cfg(feature = "ggrs")]
pub mod ggrs;
mod input;
mod inputs;
pub mod pace;
mod pages;
mod player;
pub mod presentation;
pub mod replay;
mod session;
pub mod sim_match;
pub mod sim_network;
mod simulation;
mod sync_test;
mod tick;
mod time;
pub mod window;

pub use check::Check;
pub use exchange::{Exchange, ExchangeError};
#[doc(hidden)]
pub use input::carry_part;
pub use input::{
    Button, Buttons, CommandAssembler, CommandConfig, CommandConfigError, CommandError,
    CommandQueue, Commands, Input, InputCodec, InputCodecError, InputReadError, MAX_INPUT_BYTES,
    NewestWins, NoSuchButton, PayloadError, Stick, check_payload,
};
pub use inputs::{InputStatus, Inputs, PlayerInput};
pub use pace::{AdaptiveDelay, AdaptiveDelayError, MarginReport, TickClock};
pub use player::{Occupant, PeerId, PlayerId};
pub use presentation::{EffectJournal, LookAccumulator, Poses, Smoothing, WorldReader};
pub use session::{
    Accepted, Authority, Blame, CommandFeedError, DEPTHS, DesyncReport, FeedError, InputHistory,
    MAX_DELAY, MAX_PEERS, MAX_PLAYERS, MAX_PREDICTION, Mode, Op, Plan, Predictor, RecordError,
    Rollback, RunError, RunReport, Session, SessionConfig, SessionError, SessionEvent, Stall,
    StartInputs, Stats,
};
pub use sim_match::SimMatch;
pub use sim_network::{LinkConfig, NodeId, SimNetwork, Timers, VirtualClock};
pub use simulation::Simulation;
pub use sync_test::{SyncDifference, SyncError, SyncPath, SyncReport, SyncTest};
pub use tick::Tick;
pub use time::Time;
