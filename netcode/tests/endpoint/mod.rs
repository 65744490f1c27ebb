//! Attempts to break connections, with nothing but what an attacker or an unlucky network has: every datagram can be
//! recorded, changed, sent again, sent elsewhere. What holds is pinned here; each file is one kind of attempt.

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
mod timers;
mod tokens;
