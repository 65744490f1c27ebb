//! Packets that go out: what is owed first, then a piece of a message, then what the caller wants to say.

use super::{Connection, Context, EARLY_PING, EARLY_PINGS, GOODBYES, HOLD, PING_EVERY};
use crate::address::Address;
use crate::connection::fragments::MOST;
use crate::connection::rtt::HELD_UNIT;
use crate::wire::{Frame, Header, MAX_NUMBER, TAG};

/// Bytes of a packet that are not frames, at most: flags, id, number, tag.
const OVERHEAD: usize = 1 + 4 + 2 + TAG;
/// Bytes of a fragment that are not its content.
const FRAGMENT_HEADER: usize = 5;

impl Connection {
    /// Sends a frame that ends a packet, with whatever else is due; a long one in fragments. Whether it was not too long.
    pub(crate) fn send(&mut self, ctx: &mut Context<'_>, frame: &[u8]) -> bool {
        if self.goodbye.is_some() {
            return true;
        }
        let room = self.mtu.known() - OVERHEAD;
        if frame.len() <= room {
            self.packet(ctx, frame);
            return true;
        }
        let each = room - FRAGMENT_HEADER;
        let count = frame.len().div_ceil(each);
        if count > MOST {
            return false;
        }
        let datagram = self.fragments.number();
        for (index, bytes) in (0..).zip(frame.chunks(each)) {
            let mut fragment = core::mem::take(ctx.plain);
            fragment.clear();
            Frame::Fragment { datagram, index, count: count as u8, bytes }.write(&mut fragment);
            self.seal(ctx, &fragment, self.address);
            *ctx.plain = fragment;
        }
        true
    }

    /// Sends what has waited long enough.
    pub(crate) fn flush(&mut self, ctx: &mut Context<'_>) {
        loop {
            let trip = self.rtt.timeout();
            let due = [self.flush, self.messages.next_due(trip), self.keys.question_due(trip)];
            let ping = self.next_ping + HOLD <= ctx.now;
            if !ping && !due.into_iter().flatten().any(|due| due <= ctx.now) {
                return;
            }
            let before = self.next_number;
            self.packet(ctx, &[]);
            if self.next_number == before {
                return;
            }
        }
    }

    /// Writes one packet with everything that is due and fits before `tail`.
    fn packet(&mut self, ctx: &mut Context<'_>, tail: &[u8]) {
        let now = ctx.now;
        let trip = self.rtt.timeout();
        let mut plain = core::mem::take(ctx.plain);
        plain.clear();
        self.flush = None;
        let room = self.mtu.known() - OVERHEAD - tail.len();
        if room >= 128 {
            for (token, came) in self.pongs.drain(..) {
                let held = now.since(came).as_nanos() / HELD_UNIT.as_nanos();
                let held = u16::try_from(held).unwrap_or(u16::MAX);
                Frame::Pong { token, held }.write(&mut plain);
            }
            self.messages.write_ack(&mut plain);
            if self.next_ping <= now {
                let token = self.rtt.ping(now, self.next_number);
                Frame::Ping { token }.write(&mut plain);
                self.pings = self.pings.saturating_add(1);
                let early = self.pings < EARLY_PINGS;
                self.next_ping = now + if early { EARLY_PING } else { PING_EVERY };
            }
            if let Some(size) = self.probes.take() {
                Frame::ProbeOk { size }.write(&mut plain);
            }
            if let Some((epoch, message)) = self.keys.answer() {
                Frame::Rekey2 { epoch, message }.write(&mut plain);
            }
        } else if self.owes() {
            self.flush = Some(now);
        }
        if room >= plain.len() + 128
            && let Some((epoch, message)) = self.keys.question(now, trip)
        {
            Frame::Rekey1 { epoch, message }.write(&mut plain);
        }
        self.messages.write(now, trip, room.saturating_sub(plain.len()), &mut plain);
        plain.extend_from_slice(tail);
        if !plain.is_empty() {
            self.seal(ctx, &plain, self.address);
        }
        *ctx.plain = plain;
    }

    /// Whether something waits to be said.
    fn owes(&self) -> bool {
        !self.pongs.is_empty()
            || self.messages.owes_ack()
            || self.probes.is_some()
            || self.keys.owes_answer()
    }

    /// What is owed goes with the next packet, or alone if none comes soon.
    pub(crate) fn hold(&mut self, ctx: &Context<'_>) {
        if self.owes() {
            self.flush.get_or_insert(ctx.now + HOLD);
        }
    }

    /// Sends a padded packet to see whether it gets through.
    pub(super) fn send_probe(&mut self, ctx: &mut Context<'_>, size: usize) {
        let mut plain = core::mem::take(ctx.plain);
        plain.clear();
        Frame::Probe { size: size as u16 }.write(&mut plain);
        let header = Header::length(self.their_id, self.next_number, self.arrived);
        plain.resize(size - header - TAG, 0);
        self.seal(ctx, &plain, self.address);
        *ctx.plain = plain;
    }

    /// Sends one frame alone, to an address that may not be the peer's.
    pub(super) fn send_to(&mut self, ctx: &mut Context<'_>, to: Address, frame: &Frame<'_>) {
        let mut plain = Vec::with_capacity(16);
        frame.write(&mut plain);
        self.seal(ctx, &plain, to);
    }

    /// Says goodbye once more if it is time; whether that was the last time.
    pub(super) fn say_goodbye(&mut self, ctx: &mut Context<'_>) -> bool {
        let Some(goodbye) = self.goodbye.as_mut().filter(|goodbye| goodbye.next <= ctx.now) else {
            return false;
        };
        let Some(&wait) = GOODBYES.get(goodbye.said) else { return true };
        goodbye.said += 1;
        goodbye.next = ctx.now + wait;
        let mut plain = Vec::new();
        Frame::Close { code: goodbye.code, text: &goodbye.text }.write(&mut plain);
        self.seal(ctx, &plain, self.address);
        false
    }

    fn seal(&mut self, ctx: &mut Context<'_>, plain: &[u8], to: Address) {
        let number = self.next_number;
        if number >= MAX_NUMBER {
            return;
        }
        let mut packet = ctx.outbox.buffer();
        Header::write(
            self.their_id,
            self.keys.phase(),
            self.view,
            number,
            self.arrived,
            &mut packet,
        );
        let nonce = u64::from(self.view) << 48 | number;
        if self.keys.seal(nonce, plain, &mut packet).is_ok() {
            self.mtu.using(ctx.now, packet.len());
            self.next_number += 1;
            ctx.counters.sent += 1;
            ctx.counters.sent_bytes += packet.len() as u64;
            ctx.outbox.push(to, packet);
        }
    }
}
