//! Owns the promise that a match of `Peer`s goes on whatever the network, the clocks and the frames do: all end in the same
//! bits, no input is lost or doubled, and outside of a fault at least 95 of 100 ticks are confirmed. Rows of the table
//! (`--nocapture`): confirmed % at the slowest machine; of 100 ticks: rollbacks, ticks again, stalls; bytes and datagrams a
//! tick and machine.

mod abandoned;
mod clocks;
mod compare;
mod departures;
mod desync;
mod finish;
mod flood;
mod game;
mod harness;
mod links;
mod machine;
mod meeting;
mod messages;
mod outages;
mod seats;
mod statistics;
mod wire;
