//! Attempts to break connections, with nothing but what an attacker or an unlucky network has: every datagram can be
//! recorded, changed, sent again, sent elsewhere. What holds is pinned here; each file is one kind of attempt.

mod documents;
mod harness;
mod hostile;

mod amplification;
mod bits;
mod data;
mod floods;
mod handshake;
mod hygiene;
mod idle;
mod insiders;
mod moves;
mod mtu;
mod random;
mod rekey;
mod replays;
mod terms;
mod tokens;
