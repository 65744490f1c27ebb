//! Packets that came in: opened, never twice, and taken apart into frames.

use super::{Connection, Context, MOST_PONGS};
use crate::address::Address;
use crate::endpoint::{CloseReason, Event};
use crate::wire::{Frame, Frames, Header, complete, kind};

impl Connection {
    /// Takes a packet with this connection's id. `Err` when it does not open or was opened before; nothing has changed then.
    /// `Ok(Some)` when it ends the connection.
    pub(crate) fn receive(
        &mut self,
        ctx: &mut Context<'_>,
        from: Address,
        header: Header,
        sealed: &[u8],
    ) -> Result<Option<CloseReason>, ()> {
        let nearest = complete(self.replay.next(), header.number, header.bits);
        // One that a burst has overtaken by far may lie a span lower.
        let lower = nearest.checked_sub(1 << header.bits);
        let possible = |number: &u64| self.replay.is_new(*number);
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
        let newest = self.replay.note(number);
        let over = self.payload(ctx, from, &plain);
        if newest && from != self.address && self.goodbye.is_none() {
            self.challenge(ctx, from);
        }
        *ctx.plain = plain;
        self.hold(ctx);
        Ok(over)
    }

    /// Takes the frames of a packet that opened. `Some` when they end the connection.
    pub(crate) fn payload(
        &mut self,
        ctx: &mut Context<'_>,
        from: Address,
        payload: &[u8],
    ) -> Option<CloseReason> {
        self.note_heard(ctx);
        if self.goodbye.is_some() { None } else { self.frames(ctx, from, payload) }
    }

    fn note_heard(&mut self, ctx: &mut Context<'_>) {
        self.heard = ctx.now;
        if core::mem::take(&mut self.quiet) {
            ctx.events.push_back(Event::Resumed { machine: self.machine });
        }
    }

    fn challenge(&mut self, ctx: &mut Context<'_>, from: Address) {
        if self.path.wants_challenge(ctx.now) {
            let mut bytes = [0; 8];
            ctx.entropy.fill(&mut bytes);
            let bytes = self.path.challenge(ctx.now, from, bytes);
            self.send_to(ctx, from, &Frame::PathChallenge(bytes));
        }
    }

    fn frames(
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
            // The answer goes to wherever the packet seems to come from: one for each packet, or it could be made many.
            let challenge = matches!(frame, Frame::PathChallenge(_));
            if challenge && core::mem::replace(&mut challenged, true) {
                ctx.counters.malformed += 1;
                return None;
            }
            if let Some(reason) = self.frame(ctx, from, &frame) {
                return Some(reason);
            }
        }
        None
    }

    fn frame(
        &mut self,
        ctx: &mut Context<'_>,
        from: Address,
        frame: &Frame<'_>,
    ) -> Option<CloseReason> {
        match *frame {
            Frame::Ping { token } => {
                if self.pongs.len() < MOST_PONGS {
                    self.pongs.push((token, ctx.now));
                }
            }
            Frame::Pong { token, held } => {
                let number = self.rtt.pong(ctx.now, token, held);
                self.arrived = self.arrived.max(number);
            }
            Frame::Message { number, last, bytes } => {
                if !self.messages.piece(number, last, bytes) {
                    return Some(CloseReason::ProtocolViolation);
                }
            }
            Frame::MessageAck { next, later } => self.messages.acknowledged(next, later),
            Frame::Fragment { datagram, index, count, bytes } => {
                let whole = self.fragments.take(ctx.now, datagram, (index, count), bytes);
                if let Some(whole) = whole {
                    self.whole(ctx, &whole);
                    self.fragments.recycle(whole);
                }
            }
            Frame::PathChallenge(bytes) => self.send_to(ctx, from, &Frame::PathResponse(bytes)),
            Frame::PathResponse(bytes) => {
                if self.path.response(from, bytes) {
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
                if !self.keys.asked(epoch, message, ctx.key, ctx.entropy) {
                    return Some(CloseReason::ProtocolViolation);
                }
            }
            Frame::Rekey2 { epoch, message } => {
                if !self.keys.answered(ctx.now, epoch, message) {
                    return Some(CloseReason::ProtocolViolation);
                }
            }
            Frame::Probe { size } => self.probes = Some(size),
            Frame::ProbeOk { size } => {
                if self.mtu.arrived(ctx.now, usize::from(size)) {
                    let bytes = self.mtu.known();
                    ctx.events.push_back(Event::MtuRaised { machine: self.machine, bytes });
                }
            }
            Frame::Datagram(_) | Frame::Game(_) => self.deliver(ctx, frame),
        }
        None
    }

    /// A frame that came in fragments.
    fn whole(&self, ctx: &mut Context<'_>, bytes: &[u8]) {
        match bytes.split_first() {
            Some((&kind::DATAGRAM, rest)) => self.deliver(ctx, &Frame::Datagram(rest)),
            Some((&first, _)) if first >= kind::GAME => self.deliver(ctx, &Frame::Game(bytes)),
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
