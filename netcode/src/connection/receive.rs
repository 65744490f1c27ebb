//! Receive path: packet protection, replay protection, frames.

use super::{Connection, Context, MAX_PENDING_PONGS};
use crate::address::Address;
use crate::endpoint::{CloseReason, Event};
use crate::wire::{Frame, Frames, Header, decode_packet_number, frame_type};

impl Connection {
    /// Handles a packet with this connection's id. `Err`: the packet does not open or is a replay, and has no effect.
    /// `Ok(Some)`: the packet closes the connection.
    pub(crate) fn receive(
        &mut self,
        ctx: &mut Context<'_>,
        from: Address,
        header: Header,
        sealed: &[u8],
    ) -> Result<Option<CloseReason>, ()> {
        let nearest =
            decode_packet_number(self.replay.expected(), header.truncated, header.truncated_bits);
        // A packet that was reordered behind a long burst decodes to the next lower candidate.
        let lower = nearest.checked_sub(1 << header.truncated_bits);
        let possible = |number: &u64| self.replay.accepts(*number);
        let numbers = [Some(nearest), lower].map(|number| number.filter(possible));
        if u16::from(header.view) != self.view & 0x1f || numbers == [None, None] {
            ctx.counters.replayed += 1;
            return Err(());
        }
        let mut plain = core::mem::take(ctx.plain);
        let opened = numbers.into_iter().flatten().find(|number| {
            let nonce = u64::from(self.view) << 48 | number;
            self.keys.open(ctx.now, header.phase, nonce, sealed, &mut plain).is_ok()
        });
        let Some(number) = opened else {
            let again = numbers[0].is_none();
            *if again { &mut ctx.counters.replayed } else { &mut ctx.counters.decrypt_failed } += 1;
            *ctx.plain = plain;
            return Err(());
        };
        let newest = self.replay.insert(number);
        let over = self.handle_payload(ctx, from, &plain);
        if newest && from != self.address && self.closing.is_none() {
            self.challenge(ctx, from);
        }
        *ctx.plain = plain;
        self.schedule_flush(ctx);
        Ok(over)
    }

    /// Handles the frames of an opened packet; returns `Some` if they close the connection.
    pub(crate) fn handle_payload(
        &mut self,
        ctx: &mut Context<'_>,
        from: Address,
        payload: &[u8],
    ) -> Option<CloseReason> {
        self.note_received(ctx);
        if self.closing.is_some() { None } else { self.handle_frames(ctx, from, payload) }
    }

    fn note_received(&mut self, ctx: &mut Context<'_>) {
        self.last_received = ctx.now;
        self.confirmed = true;
        if core::mem::take(&mut self.interrupted) {
            ctx.events.push_back(Event::Resumed { machine: self.machine });
        }
    }

    fn challenge(&mut self, ctx: &mut Context<'_>, from: Address) {
        if self.path_validator.may_challenge(ctx.now) {
            let mut bytes = [0; 8];
            ctx.entropy.fill(&mut bytes);
            let bytes = self.path_validator.challenge(ctx.now, from, bytes);
            self.send_to(ctx, from, &Frame::PathChallenge(bytes));
        }
    }

    fn handle_frames(
        &mut self,
        ctx: &mut Context<'_>,
        from: Address,
        payload: &[u8],
    ) -> Option<CloseReason> {
        let mut challenged = false;
        for frame in Frames::new(payload) {
            let Ok(frame) = frame else {
                ctx.counters.malformed += 1;
                return None;
            };
            // The response goes to an unvalidated source address: at most one per packet, to prevent amplification.
            let challenge = matches!(frame, Frame::PathChallenge(_));
            if challenge && core::mem::replace(&mut challenged, true) {
                ctx.counters.malformed += 1;
                return None;
            }
            if let Some(reason) = self.handle_frame(ctx, from, &frame) {
                return Some(reason);
            }
        }
        None
    }

    fn handle_frame(
        &mut self,
        ctx: &mut Context<'_>,
        from: Address,
        frame: &Frame<'_>,
    ) -> Option<CloseReason> {
        match *frame {
            Frame::Ping { token } => {
                if self.pending_pongs.len() < MAX_PENDING_PONGS {
                    self.pending_pongs.push((token, ctx.now));
                }
            }
            Frame::Pong { token, ack_delay } => {
                let number = self.rtt.pong(ctx.now, token, ack_delay);
                self.largest_acked = self.largest_acked.max(number);
            }
            Frame::Message { number, last, bytes } => {
                if !self.reliable.on_segment(number, last, bytes) {
                    return Some(CloseReason::ProtocolViolation);
                }
            }
            Frame::MessageAck { next, ack_bits } => self.reliable.on_ack(next, ack_bits),
            Frame::Fragment { datagram, index, count, bytes } => {
                let whole = self.reassembler.receive(ctx.now, datagram, (index, count), bytes);
                if let Some(whole) = whole {
                    self.deliver_reassembled(ctx, &whole);
                    self.reassembler.recycle(whole);
                }
            }
            Frame::PathChallenge(bytes) => self.send_to(ctx, from, &Frame::PathResponse(bytes)),
            Frame::PathResponse(bytes) => {
                if self.path_validator.validate(from, bytes) {
                    let event =
                        Event::Migrated { machine: self.machine, from: self.address, to: from };
                    ctx.events.push_back(event);
                    self.address = from;
                    self.mtu.reset(ctx.now);
                }
            }
            Frame::Close { code, text } => {
                let text = String::from_utf8_lossy(text).into_owned();
                return Some(CloseReason::ClosedByPeer { code, text });
            }
            Frame::Rekey1 { epoch, message } => {
                if !self.keys.on_request(epoch, message, ctx.key, ctx.entropy) {
                    return Some(CloseReason::ProtocolViolation);
                }
            }
            Frame::Rekey2 { epoch, message } => {
                if !self.keys.on_response(ctx.now, epoch, message) {
                    return Some(CloseReason::ProtocolViolation);
                }
            }
            Frame::Probe { size } => self.pending_probe_ack = Some(size),
            Frame::ProbeOk { size } => {
                if self.mtu.on_probe_acked(ctx.now, usize::from(size)) {
                    let bytes = self.mtu.current();
                    ctx.events.push_back(Event::MtuRaised { machine: self.machine, bytes });
                }
            }
            Frame::Datagram(_) | Frame::Game(_) => self.deliver(ctx, frame),
        }
        None
    }

    /// Delivers a reassembled frame.
    fn deliver_reassembled(&self, ctx: &mut Context<'_>, bytes: &[u8]) {
        match bytes.split_first() {
            Some((&frame_type::DATAGRAM, rest)) => self.deliver(ctx, &Frame::Datagram(rest)),
            Some((&first, _)) if first >= frame_type::GAME => {
                self.deliver(ctx, &Frame::Game(bytes));
            }
            _ => ctx.counters.malformed += 1,
        }
    }

    fn deliver(&self, ctx: &mut Context<'_>, frame: &Frame<'_>) {
        match *frame {
            Frame::Datagram(bytes) => ctx.datagrams.push_copy(self.machine, bytes),
            Frame::Game(bytes) => ctx.game.push_copy(self.machine, bytes),
            _ => (),
        }
    }
}
