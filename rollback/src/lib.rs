//! Rollback netcode of Isostep: inputs by tick, sessions that predict and roll back, explained desyncs, and a simulated
//! network to test games with.
//!
//! The crate is pure: no clock, no sockets, no threads. Time and randomness are arguments.
#![forbid(unsafe_code)]

pub mod check;
mod exchange;
#[cfg(feature = "ggrs")]
pub mod ggrs;
mod input;
mod inputs;
mod pace;
mod pages;
mod player;
pub mod presentation;
pub mod replay;
mod session;
pub mod sim_match;
pub mod sim_network;
mod simulation;
mod sync_test;
mod time;
mod window;

#[doc(hidden)]
pub mod internals {
    //! Parts for the other crates of this repository and its tests.
    //!
    //! Not covered by semver: anything here may change in any release. The same holds for methods that the documentation hides.
    pub use crate::check::digests::{Side, TickDigests};
    pub use crate::check::report::FieldDifference;
    pub use crate::exchange::{Exchange, ExchangeError};
    pub use crate::input::{
        CommandAssembler, CommandQueue, InputCodec, InputReadError, MAX_INPUT_BYTES, PayloadError,
        carry_part, check_payload,
    };
    pub use crate::pace::{ArrivalStats, MarginReport};
    pub use crate::replay::records::InputBytes;
    pub use crate::session::{Accepted, DEPTHS, FeedError, MAX_PEERS, Op, RecordError};
    pub use crate::sim_network::internals::{
        Change, ClockError, Delivery, LinkStats, Losses, SendError, SimEvent, Timers, UnknownNode,
        VirtualClock,
    };

    pub mod window {
        //! Compressed windows of inputs.
        pub use crate::window::{INPUT_BYTES_MAX, KNOWN_TICKS, PIECES_BYTES_MAX, Packer, Unpacker};
    }
}

pub use check::Check;
pub use input::{
    Button, Buttons, CommandConfig, CommandConfigError, CommandQueueError, Commands, Input,
    InputCodecError, NewestWins, NoSuchButton, Stick,
};
pub use inputs::{InputStatus, Inputs, PlayerInput};
pub use isostep_core::Tick;
pub use isostep_core::digest::GameId;
pub use pace::{AdaptiveDelay, AdaptiveDelayError, FrameTicks, TickClock};
pub use player::{Occupant, PeerId, PlayerId};
pub use presentation::{EffectJournal, LookAccumulator, Poses, Smoothing, WorldReader};
pub use session::{
    Audience, Authority, Blame, CommandFeedError, DesyncReport, FeedError, InputHistory, MAX_DELAY,
    MAX_PLAYERS, MAX_PREDICTION, Mode, Plan, Predictor, Rollback, RunError, RunReport, Session,
    SessionConfig, SessionError, SessionEvent, Stall, StartInputs, Stats,
};
pub use sim_match::SimMatch;
pub use sim_network::{LinkConfig, NodeId, SimNetwork};
pub use simulation::Simulation;
pub use sync_test::{SyncDifference, SyncError, SyncPath, SyncReport, SyncTest};
pub use time::Time;
