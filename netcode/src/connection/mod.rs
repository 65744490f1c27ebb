//! One connection that stands: from opened packets to frames and back. Before it comes the handshake (`endpoint/`), after it
//! whoever polls the endpoint.
//!
//! A file a concern: `keys` change, `replay` opens nothing twice, `rtt` measures, `messages` are reliable, `fragments` put long
//! frames together, `mtu` tries longer packets, `path` follows a peer that moves; `send` writes packets and `receive` reads
//! them.

mod fragments;
mod keys;
mod messages;
mod mtu;
pub(crate) mod outbox;
mod path;
mod receive;
mod replay;
mod rtt;
mod send;

pub use messages::{MAX_MESSAGE_BYTES, MessageError};

use crate::address::Address;
use crate::crypto::noise::Channel;
use crate::crypto::{MachineId, PublicKey, StaticKey};
use crate::endpoint::{CloseReason, Counters, Event};
use crate::entropy::Entropy;
use crate::wire::ConnectionId;
use core::time::Duration;
use fragments::Fragments;
use isostep_rollback::Time;
use keys::Keys;
use messages::Messages;
use mtu::Mtu;
use outbox::{Inbox, Outbox};
use path::Path;
use replay::Replay;
use rtt::{PING_EVERY, Rtt};
use std::collections::VecDeque;

/// How long what is owed may wait for a packet that goes anyway.
const HOLD: Duration = Duration::from_millis(20);
/// A peer that was silent for so long is told of.
const QUIET: Duration = Duration::from_secs(1);
/// The first pings come faster, until the other side has surely heard one.
const EARLY_PING: Duration = Duration::from_millis(100);
const EARLY_PINGS: u32 = 5;
/// Pongs that are owed; a peer that pings faster gets fewer.
const MOST_PONGS: usize = 4;
/// When a goodbye is said again.
const GOODBYES: [Duration; 3] =
    [Duration::from_millis(60), Duration::from_millis(150), Duration::from_millis(300)];

/// What a connection works with, and does not own.
pub(crate) struct Context<'a> {
    pub(crate) now: Time,
    pub(crate) key: &'a StaticKey,
    pub(crate) entropy: &'a mut dyn Entropy,
    pub(crate) outbox: &'a mut Outbox,
    pub(crate) game: &'a mut Inbox,
    pub(crate) datagrams: &'a mut Inbox,
    pub(crate) events: &'a mut VecDeque<Event>,
    pub(crate) counters: &'a mut Counters,
    /// Payloads before they are sealed and after they were opened.
    pub(crate) plain: &'a mut Vec<u8>,
}

/// What the handshake agreed on.
pub(crate) struct Agreed {
    pub(crate) machine: MachineId,
    pub(crate) address: Address,
    pub(crate) initiator: bool,
    pub(crate) remote: PublicKey,
    pub(crate) channel: Channel,
    pub(crate) our_id: u8,
    pub(crate) their_id: ConnectionId,
    pub(crate) longest: usize,
}

/// A connection that stands.
#[derive(Debug)]
pub(crate) struct Connection {
    machine: MachineId,
    address: Address,
    our_id: u8,
    their_id: ConnectionId,
    view: u16,
    keys: Keys,
    replay: Replay,
    next_number: u64,
    /// The greatest packet number that is known to have arrived.
    arrived: Option<u64>,
    rtt: Rtt,
    pings: u32,
    next_ping: Time,
    pongs: Vec<(u16, Time)>,
    probes: Option<u16>,
    messages: Messages,
    fragments: Fragments,
    mtu: Mtu,
    path: Path,
    heard: Time,
    quiet: bool,
    /// When what is owed has waited long enough.
    flush: Option<Time>,
    /// Set when the connection is over, with the goodbyes that are left.
    goodbye: Option<Goodbye>,
}

/// A goodbye that is repeated.
#[derive(Debug)]
struct Goodbye {
    code: u16,
    text: Vec<u8>,
    said: usize,
    next: Time,
}

impl Connection {
    pub(crate) fn new(now: Time, agreed: Agreed) -> Self {
        let Agreed { machine, address, initiator, remote, channel, our_id, their_id, longest } =
            agreed;
        Self {
            machine,
            address,
            our_id,
            their_id,
            view: 0,
            keys: Keys::new(now, initiator, remote, channel),
            replay: Replay::default(),
            next_number: 0,
            arrived: None,
            rtt: Rtt::default(),
            pings: 0,
            next_ping: now,
            pongs: Vec::with_capacity(MOST_PONGS),
            probes: None,
            messages: Messages::default(),
            fragments: Fragments::default(),
            mtu: Mtu::new(now, longest),
            path: Path::default(),
            heard: now,
            quiet: false,
            flush: Some(now),
            goodbye: None,
        }
    }

    pub(crate) const fn address(&self) -> Address {
        self.address
    }

    pub(crate) const fn our_id(&self) -> u8 {
        self.our_id
    }

    pub(crate) const fn rtt(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    pub(crate) const fn heard(&self) -> Time {
        self.heard
    }

    pub(crate) const fn mtu(&self) -> usize {
        self.mtu.known()
    }

    pub(crate) const fn epoch(&self) -> u64 {
        self.keys.epoch()
    }

    pub(crate) const fn set_key_lifetime(&mut self, lifetime: Duration) {
        self.keys.set_lifetime(lifetime);
    }

    pub(crate) fn push_message(&mut self, whose: u8, message: &[u8]) -> Result<(), MessageError> {
        self.messages.push(whose, message)
    }

    pub(crate) fn pop_message(&mut self) -> Option<Vec<u8>> {
        self.messages.pop()
    }

    /// When [`timeout`](Self::timeout) has something to do.
    pub(crate) fn next_timeout(&self, idle: Duration) -> Time {
        if let Some(goodbye) = &self.goodbye {
            return goodbye.next;
        }
        let trip = self.rtt.timeout();
        let quiet = (!self.quiet).then(|| self.heard + QUIET);
        let timers = [
            self.flush,
            self.messages.next_due(trip),
            self.keys.question_due(trip),
            self.keys.due(),
            self.mtu.due(),
            quiet,
        ];
        let always = (self.next_ping + HOLD).min(self.heard + idle);
        timers.into_iter().flatten().fold(always, Time::min)
    }

    /// Does what time asks for; `Some` when the connection is over by it.
    pub(crate) fn timeout(&mut self, ctx: &mut Context<'_>, idle: Duration) -> Option<CloseReason> {
        if self.goodbye.is_some() {
            return self.say_goodbye(ctx).then_some(CloseReason::LocallyClosed);
        }
        if self.heard + idle <= ctx.now {
            return Some(CloseReason::IdleTimeout { after: ctx.now.since(self.heard) });
        }
        if !self.quiet && self.heard + QUIET <= ctx.now {
            self.quiet = true;
            ctx.events.push_back(Event::Interrupted { machine: self.machine });
        }
        self.keys.renew(ctx.now, ctx.key, ctx.entropy);
        if let Some(size) = self.mtu.probe(ctx.now) {
            self.send_probe(ctx, size);
        }
        self.flush(ctx);
        None
    }

    /// Ends the connection from this side; it goes on saying so for a moment.
    pub(crate) fn close(&mut self, ctx: &mut Context<'_>, code: u16, text: &str) {
        if self.goodbye.is_some() {
            return;
        }
        let mut end = text.len().min(crate::wire::MAX_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.as_bytes()[..end].to_vec();
        self.goodbye = Some(Goodbye { code, text, said: 0, next: ctx.now });
        self.say_goodbye(ctx);
    }
}
