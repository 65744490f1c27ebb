//! Send path. A packet holds pending replies and acknowledgements first, then a message segment, then the caller's
//! frame.

use super::{
    CLOSE_INTERVALS, Connection, Context, INITIAL_PING_INTERVAL, INITIAL_PINGS, MAX_ACK_DELAY,
    PING_INTERVAL,
};
use crate::address::Address;
use crate::connection::fragments::MAX_FRAGMENTS;
use crate::connection::rtt::ACK_DELAY_UNIT;
use crate::wire::{Frame, Header, PACKET_NUMBER_LIMIT, TAG_BYTES};

/// Maximum overhead of a packet: flags, connection id, packet number, tag.
const OVERHEAD: usize = 1 + 4 + 2 + TAG_BYTES;
/// Overhead of a FRAGMENT frame.
const FRAGMENT_HEADER: usize = 5;

impl Connection {
    /// Sends a frame at the end of a packet with other due frames, or in fragments if it is long. Returns false if it
    /// exceeds the maximum number of fragments.
    pub(crate) fn send(&mut self, ctx: &mut Context<'_>, frame: &[u8]) -> bool {
        if self.closing.is_some() {
            return true;
        }
        let room = self.mtu.current() - OVERHEAD;
        if frame.len() <= room {
            self.send_packet(ctx, frame);
            return true;
        }
        let each = room - FRAGMENT_HEADER;
        let count = frame.len().div_ceil(each);
        if count > MAX_FRAGMENTS {
            return false;
        }
        let datagram = self.reassembler.next_id();
        for (index, bytes) in (0..).zip(frame.chunks(each)) {
            let mut fragment = core::mem::take(ctx.plain);
            fragment.clear();
            Frame::Fragment { datagram, index, count: count as u8, bytes }.write(&mut fragment);
            self.seal(ctx, &fragment, self.address);
            *ctx.plain = fragment;
        }
        true
    }

    /// Sends due frames.
    pub(crate) fn flush(&mut self, ctx: &mut Context<'_>) {
        loop {
            let pto = self.rtt.pto();
            let due = [self.flush_at, self.reliable.next_timeout(pto), self.keys.request_due(pto)];
            let ping = self.next_ping + MAX_ACK_DELAY <= ctx.now;
            if !ping && !due.into_iter().flatten().any(|due| due <= ctx.now) {
                return;
            }
            let before = self.next_packet_number;
            self.send_packet(ctx, &[]);
            if self.next_packet_number == before {
                return;
            }
        }
    }

    /// Sends one packet with all due frames that fit before `tail`.
    fn send_packet(&mut self, ctx: &mut Context<'_>, tail: &[u8]) {
        let now = ctx.now;
        let pto = self.rtt.pto();
        let mut plain = core::mem::take(ctx.plain);
        plain.clear();
        self.flush_at = None;
        let room = self.mtu.current() - OVERHEAD - tail.len();
        if room >= 128 {
            for (token, came) in self.pending_pongs.drain(..) {
                let ack_delay = now.since(came).as_nanos() / ACK_DELAY_UNIT.as_nanos();
                let ack_delay = u16::try_from(ack_delay).unwrap_or(u16::MAX);
                Frame::Pong { token, ack_delay }.write(&mut plain);
            }
            self.reliable.write_ack(&mut plain);
            if self.next_ping <= now {
                let token = self.rtt.ping(now, self.next_packet_number);
                Frame::Ping { token }.write(&mut plain);
                self.pings = self.pings.saturating_add(1);
                let early = self.pings < INITIAL_PINGS;
                self.next_ping = now + if early { INITIAL_PING_INTERVAL } else { PING_INTERVAL };
            }
            if let Some(size) = self.pending_probe_ack.take() {
                Frame::ProbeOk { size }.write(&mut plain);
            }
            if let Some((epoch, message)) = self.keys.poll_response() {
                Frame::Rekey2 { epoch, message }.write(&mut plain);
            }
        } else if self.has_pending_replies() {
            self.flush_at = Some(now);
        }
        if room >= plain.len() + 128
            && let Some((epoch, message)) = self.keys.poll_request(now, pto)
        {
            Frame::Rekey1 { epoch, message }.write(&mut plain);
        }
        self.reliable.write(now, pto, room.saturating_sub(plain.len()), &mut plain);
        plain.extend_from_slice(tail);
        if !plain.is_empty() {
            self.seal(ctx, &plain, self.address);
        }
        *ctx.plain = plain;
    }

    /// Returns true if replies or acknowledgements are pending.
    fn has_pending_replies(&self) -> bool {
        !self.pending_pongs.is_empty()
            || self.reliable.ack_pending()
            || self.pending_probe_ack.is_some()
            || self.keys.has_response()
    }

    /// Schedules pending replies: they join the next packet, or are sent alone after [`MAX_ACK_DELAY`].
    pub(crate) fn schedule_flush(&mut self, ctx: &Context<'_>) {
        if self.has_pending_replies() {
            self.flush_at.get_or_insert(ctx.now + MAX_ACK_DELAY);
        }
    }

    /// Sends a padded MTU probe.
    pub(super) fn send_probe(&mut self, ctx: &mut Context<'_>, size: usize) {
        let mut plain = core::mem::take(ctx.plain);
        plain.clear();
        Frame::Probe { size: size as u16 }.write(&mut plain);
        let header = Header::length(self.remote_cid, self.next_packet_number, self.largest_acked);
        plain.resize(size - header - TAG_BYTES, 0);
        self.seal(ctx, &plain, self.address);
        *ctx.plain = plain;
    }

    /// Sends a single frame, possibly to an address that is not validated.
    pub(super) fn send_to(&mut self, ctx: &mut Context<'_>, to: Address, frame: &Frame<'_>) {
        let mut plain = Vec::with_capacity(16);
        frame.write(&mut plain);
        self.seal(ctx, &plain, to);
    }

    /// Sends a CLOSE frame if it is due; returns true after the last one.
    pub(super) fn send_close(&mut self, ctx: &mut Context<'_>) -> bool {
        let Some(closing) = self.closing.as_mut().filter(|closing| closing.next <= ctx.now) else {
            return false;
        };
        let Some(&wait) = CLOSE_INTERVALS.get(closing.sent) else { return true };
        closing.sent += 1;
        closing.next = ctx.now + wait;
        let mut plain = Vec::new();
        Frame::Close { code: closing.code, text: &closing.text }.write(&mut plain);
        self.seal(ctx, &plain, self.address);
        false
    }

    fn seal(&mut self, ctx: &mut Context<'_>, plain: &[u8], to: Address) {
        let number = self.next_packet_number;
        if number >= PACKET_NUMBER_LIMIT {
            return;
        }
        let mut packet = ctx.send_queue.buffer();
        Header::write(
            self.remote_cid,
            self.keys.phase(),
            self.view,
            number,
            self.largest_acked,
            &mut packet,
        );
        let nonce = u64::from(self.view) << 48 | number;
        if self.keys.seal(nonce, plain, &mut packet).is_ok() {
            self.mtu.on_sent(ctx.now, packet.len());
            self.next_packet_number += 1;
            ctx.counters.sent += 1;
            ctx.counters.sent_bytes += packet.len() as u64;
            ctx.send_queue.push(to, packet);
        }
    }
}
