//! Attacks on endpoints by a network attacker: any datagram can be recorded, modified, replayed and redirected. One
//! file per kind of attack.

mod documents;
mod harness;
mod raw_peer;

mod amplification;
mod bit_flips;
mod closing;
mod data;
mod floods;
mod handshake;
mod malicious_peers;
mod migration;
mod mtu;
mod parameters;
mod random;
mod rekey;
mod replays;
mod simultaneous;
mod timers;
mod tokens;
