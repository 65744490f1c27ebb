//! Established connection: packets to frames and back. The handshake (`endpoint/`) precedes it; its output is polled from
//! the endpoint.
//!
//! - `keys`: packet protection and rekeying
//! - `replay`: replay protection
//! - `rtt`: round-trip time and PTO
//! - `reliable`: reliable ordered channel
//! - `fragments`: reassembly of long frames
//! - `mtu`: path MTU discovery
//! - `path_validation`: connection migration
//! - `send`, `receive`: packet assembly and parsing
//! - `queue`: bounded queues with reused buffers

mod fragments;
mod keys;
mod mtu;
mod path_validation;
pub(crate) mod queue;
mod receive;
mod reliable;
mod replay;
mod rtt;
mod send;

pub use reliable::{MAX_MESSAGE_BYTES, MessageError};

use crate::address::Address;
use crate::crypto::noise::Channel;
use crate::crypto::{MachineId, PublicKey, StaticKey};
use crate::endpoint::{CloseReason, Counters, Event};
use crate::entropy::Entropy;
use crate::wire::ConnectionId;
use core::time::Duration;
use fragments::Reassembler;
use isostep_rollback::Time;
use keys::Keys;
use mtu::Mtu;
use path_validation::PathValidator;
use queue::{ReceiveQueue, SendQueue};
use reliable::ReliableChannel;
use replay::ReplayWindow;
use rtt::{PING_INTERVAL, Rtt};
use std::collections::VecDeque;

/// Maximum delay of acknowledgements and replies, which wait for a packet that is sent anyway.
const MAX_ACK_DELAY: Duration = Duration::from_millis(20);
/// A peer is reported as interrupted after this time without a packet.
const INTERRUPTED_AFTER: Duration = Duration::from_secs(1);
/// Interval and number of the first pings, which measure the round-trip time early.
const INITIAL_PING_INTERVAL: Duration = Duration::from_millis(100);
const INITIAL_PINGS: u32 = 5;
/// Maximum number of queued PONGs; further PINGs are ignored.
const MAX_PENDING_PONGS: usize = 4;
/// Intervals after each CLOSE frame; the connection is dropped after the last.
const CLOSE_INTERVALS: [Duration; 3] =
    [Duration::from_millis(60), Duration::from_millis(150), Duration::from_millis(300)];

/// State that a connection borrows from its endpoint.
pub(crate) struct Context<'a> {
    pub(crate) now: Time,
    pub(crate) key: &'a StaticKey,
    pub(crate) entropy: &'a mut dyn Entropy,
    pub(crate) send_queue: &'a mut SendQueue,
    pub(crate) game: &'a mut ReceiveQueue,
    pub(crate) datagrams: &'a mut ReceiveQueue,
    pub(crate) events: &'a mut VecDeque<Event>,
    pub(crate) counters: &'a mut Counters,
    /// Plaintext of the current packet.
    pub(crate) plain: &'a mut Vec<u8>,
}

/// Result of a handshake.
pub(crate) struct Negotiated {
    pub(crate) machine: MachineId,
    pub(crate) address: Address,
    pub(crate) initiator: bool,
    pub(crate) remote: PublicKey,
    pub(crate) channel: Channel,
    pub(crate) local_cid: u8,
    pub(crate) remote_cid: ConnectionId,
    pub(crate) max_mtu: usize,
}

/// Established connection.
#[derive(Debug)]
pub(crate) struct Connection {
    machine: MachineId,
    address: Address,
    local_cid: u8,
    remote_cid: ConnectionId,
    view: u16,
    keys: Keys,
    replay: ReplayWindow,
    next_packet_number: u64,
    /// Largest packet number known to be received by the peer.
    largest_acked: Option<u64>,
    rtt: Rtt,
    pings: u32,
    next_ping: Time,
    pending_pongs: Vec<(u16, Time)>,
    pending_probe_ack: Option<u16>,
    reliable: ReliableChannel,
    reassembler: Reassembler,
    mtu: Mtu,
    path_validator: PathValidator,
    last_received: Time,
    /// Set once the peer is known to have the connection: always on the responder, with its first packet on the initiator.
    confirmed: bool,
    interrupted: bool,
    /// Deadline for pending acknowledgements and replies.
    flush_at: Option<Time>,
    /// Set once this side has closed the connection.
    closing: Option<Closing>,
}

/// CLOSE frame that is retransmitted.
#[derive(Debug)]
struct Closing {
    code: u16,
    text: Vec<u8>,
    sent: usize,
    next: Time,
}

impl Connection {
    pub(crate) fn new(now: Time, negotiated: Negotiated) -> Self {
        let Negotiated {
            machine,
            address,
            initiator,
            remote,
            channel,
            local_cid,
            remote_cid,
            max_mtu,
        } = negotiated;
        Self {
            machine,
            address,
            local_cid,
            remote_cid,
            view: 0,
            keys: Keys::new(now, initiator, remote, channel),
            replay: ReplayWindow::default(),
            next_packet_number: 0,
            largest_acked: None,
            rtt: Rtt::default(),
            pings: 0,
            next_ping: now,
            pending_pongs: Vec::with_capacity(MAX_PENDING_PONGS),
            pending_probe_ack: None,
            reliable: ReliableChannel::default(),
            reassembler: Reassembler::default(),
            mtu: Mtu::new(now, max_mtu),
            path_validator: PathValidator::default(),
            last_received: now,
            confirmed: !initiator,
            interrupted: false,
            flush_at: Some(now),
            closing: None,
        }
    }

    pub(crate) const fn address(&self) -> Address {
        self.address
    }

    pub(crate) const fn local_cid(&self) -> u8 {
        self.local_cid
    }

    pub(crate) const fn rtt(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    pub(crate) const fn last_received(&self) -> Time {
        self.last_received
    }

    pub(crate) const fn mtu(&self) -> usize {
        self.mtu.current()
    }

    pub(crate) const fn epoch(&self) -> u64 {
        self.keys.epoch()
    }

    pub(crate) const fn set_key_lifetime(&mut self, lifetime: Duration) {
        self.keys.set_lifetime(lifetime);
    }

    /// Returns true if the peer is known to have the connection.
    pub(crate) const fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// Returns true if the peer has acknowledged all messages.
    pub(crate) fn is_delivered(&self) -> bool {
        self.reliable.is_delivered()
    }

    pub(crate) fn push_message(
        &mut self,
        destination: u8,
        message: &[u8],
    ) -> Result<(), MessageError> {
        self.reliable.push(destination, message)
    }

    pub(crate) fn pop_message(&mut self) -> Option<Vec<u8>> {
        self.reliable.pop()
    }

    /// Time of the next timer.
    pub(crate) fn next_timeout(&self, idle: Duration) -> Time {
        if let Some(closing) = &self.closing {
            return closing.next;
        }
        let pto = self.rtt.pto();
        let interrupted_at = (!self.interrupted).then(|| self.last_received + INTERRUPTED_AFTER);
        let timers = [
            self.flush_at,
            self.reliable.next_timeout(pto),
            self.keys.request_due(pto),
            self.keys.rekey_due(),
            self.mtu.next_timeout(),
            interrupted_at,
        ];
        let always = (self.next_ping + MAX_ACK_DELAY).min(self.last_received + idle);
        timers.into_iter().flatten().fold(always, Time::min)
    }

    /// Handles timers; returns `Some` when the connection ends.
    pub(crate) fn handle_timeout(
        &mut self,
        ctx: &mut Context<'_>,
        idle: Duration,
    ) -> Option<CloseReason> {
        if self.closing.is_some() {
            return self.send_close(ctx).then_some(CloseReason::LocallyClosed);
        }
        if self.last_received + idle <= ctx.now {
            return Some(CloseReason::IdleTimeout { after: ctx.now.since(self.last_received) });
        }
        if !self.interrupted && self.last_received + INTERRUPTED_AFTER <= ctx.now {
            self.interrupted = true;
            ctx.events.push_back(Event::Interrupted { machine: self.machine });
        }
        self.keys.start_rekey_if_due(ctx.now, ctx.key, ctx.entropy);
        if let Some(size) = self.mtu.poll_probe(ctx.now) {
            self.send_probe(ctx, size);
        }
        self.flush(ctx);
        None
    }

    /// Closes the connection and starts to send CLOSE frames.
    pub(crate) fn close(&mut self, ctx: &mut Context<'_>, code: u16, text: &str) {
        if self.closing.is_some() {
            return;
        }
        let mut end = text.len().min(crate::wire::MAX_CLOSE_TEXT_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.as_bytes()[..end].to_vec();
        self.closing = Some(Closing { code, text, sent: 0, next: ctx.now });
        self.send_close(ctx);
    }
}
