//! Arena matches over a bad network in virtual time: whole sessions on a whole game, decided by a seed.
//!
//! `game` looks at the game itself, `agree` at matches that must end in the same bits, `seats` at who comes, goes and
//! watches, `faults` at games that are wrong on purpose, `sync` at one machine alone, `wire` at whole peers with encryption
//! and all, `common` has what they share.

mod agree;
mod common;
mod faults;
mod game;
mod seats;
mod sync;
mod wire;
