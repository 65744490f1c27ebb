//! Arena matches over a bad network in virtual time: sessions with a whole game, determined by a
//! seed.
//!
//! `game` tests the game itself, `agree` matches that must end in the same bits, `seats` bots,
//! spectators and returning players, `faults` games with deliberate faults, `sync` one machine
//! alone, `wire` whole peers with encryption; `common` has shared parts.

mod agree;
mod common;
mod faults;
mod game;
mod seats;
mod sync;
mod wire;
