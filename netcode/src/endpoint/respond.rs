//! Responder of the handshake. It is stateless until a valid cookie returns, and keeps one half-open handshake per
//! machine after that. A live connection is replaced only when the new keys are proven by a first data packet.

use super::initiate::prologue;
use super::{ConnectError, Endpoint, Event, Route, expectation};
use crate::address::Address;
use crate::connection::Negotiated;
use crate::crypto::noise::{Channel, Responder};
use crate::crypto::{MachineId, PublicKey, Token, TokenError};
use crate::wire::{
    Accept, Attempt, ConnectionId, Cookie, Header, Hello, Init, Offer, PROTOCOL_VERSION, Refusal,
    Versions, decode_packet_number,
};
use core::time::Duration;
use isostep_rollback::Time;

/// Lifetime of a half-open handshake without a first data packet.
const HALF_OPEN_TIMEOUT: Duration = Duration::from_secs(10);

/// A half-open handshake is not replaced for this time: a competing INIT may be delayed or replayed.
const HALF_OPEN_HOLD: Duration = Duration::from_millis(500);

/// Handshake after ACCEPT was sent.
pub(super) struct HalfOpen {
    attempt: Attempt,
    address: Address,
    remote: PublicKey,
    channel: Channel,
    local_cid: u8,
    remote_cid: ConnectionId,
    max_mtu: usize,
    /// ACCEPT packet, for retransmission.
    accept: Vec<u8>,
    expires: Time,
}

impl HalfOpen {
    pub(super) const fn next_timeout(&self) -> Time {
        self.expires
    }
}

impl Endpoint {
    pub(super) fn handle_hello(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let Hello { version, attempt } = Hello::read(bytes)?;
        // Replies share the send queue with game packets, which take precedence.
        let expected = self.is_expected(from);
        if self.send_queue.is_half_full() || !self.limits.allow_reply(now, expected) {
            self.counters.rate_limited += 1;
            return Some(());
        }
        let mut answer = self.send_queue.buffer();
        if version == PROTOCOL_VERSION {
            let cookie = self.cookies.make(now, from, attempt);
            Cookie { attempt, cookie }.write(&mut answer);
        } else {
            Versions::write(attempt, &mut answer);
        }
        self.counters.sent += 1;
        self.counters.sent_bytes += answer.len() as u64;
        self.send_queue.push(from, answer);
        Some(())
    }

    pub(super) fn handle_init(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let Init { attempt, cookie, message } = Init::read(bytes)?;
        if !self.cookies.check(now, from, attempt, cookie) {
            self.counters.invalid_cookies += 1;
            return Some(());
        }
        // Retransmitted INIT: send the same ACCEPT.
        let asked = |half: &&HalfOpen| half.attempt == attempt && half.address == from;
        let halves = self.peers.iter().filter_map(|place| place.half_open.as_ref());
        if let Some(half) = halves.into_iter().find(asked) {
            self.send_queue.push_copy(from, &half.accept);
            self.counters.sent += 1;
            self.counters.sent_bytes += half.accept.len() as u64;
            return Some(());
        }
        let expected = self.is_expected(from);
        if !self.limits.allow_handshake(now, from, expected) {
            self.counters.rate_limited += 1;
            return Some(());
        }
        let read = Responder::read(
            self.config.credentials.key(),
            &prologue(attempt),
            message,
            &mut self.plain,
            &mut *self.entropy,
        );
        let Ok(responder) = read else {
            self.counters.invalid_handshakes += 1;
            return Some(());
        };
        let payload = core::mem::take(&mut self.plain);
        let Some((token, theirs)) = Offer::read_init(&payload) else {
            self.counters.invalid_handshakes += 1;
            return Some(());
        };
        match self.admit(now, token, &theirs, &responder.remote()) {
            Ok(machine) if self.has_recent_half_open(now, machine) || self.is_deciding(machine) => {
                self.counters.rate_limited += 1;
            }
            Ok(machine) => self.accept(now, from, attempt, machine, &theirs, responder),
            Err((machine, refusal, reason)) => {
                self.counters.invalid_handshakes += 1;
                self.events.push_back(Event::Refused { machine, address: from, reason });
                self.refuse(from, attempt, refusal, responder);
            }
        }
        Some(())
    }

    /// Returns true if the half-open handshake of a machine must not be replaced yet. A genuine initiator retransmits.
    fn has_recent_half_open(&self, now: Time, machine: MachineId) -> bool {
        let half = self.peers[usize::from(machine.0)].half_open.as_ref();
        half.is_some_and(|half| now + HALF_OPEN_TIMEOUT < half.expires + HALF_OPEN_HOLD)
    }

    /// Checks parameters, token and match state of an initiator.
    fn admit(
        &self,
        now: Time,
        token: &[u8],
        theirs: &Offer,
        remote: &PublicKey,
    ) -> Result<MachineId, (Option<MachineId>, Refusal, ConnectError)> {
        let (ours, credentials) = (&self.config.parameters, &self.config.credentials);
        let holder = credentials.roster().machine_of(remote);
        // Parameters first: a mismatch in version or game also invalidates the token, and is the more useful error.
        if let Some((refusal, reason)) = ours
            .first_mismatch(&theirs.parameters)
            .zip(ConnectError::from_mismatch(ours, &theirs.parameters))
        {
            return Err((holder, refusal, reason));
        }
        let bad = |error: TokenError| {
            let expired = matches!(error, TokenError::Expired { .. });
            let refusal = if expired { Refusal::Expired } else { Refusal::Token };
            (holder, refusal, ConnectError::Token(error))
        };
        let token = Token::decode(token).map_err(bad)?;
        token.verify(credentials.matchmaker(), &expectation(&self.config, now)).map_err(bad)?;
        if token.holder() != *remote {
            return Err(bad(TokenError::HolderMismatch));
        }
        if holder != Some(token.machine()) || token.machine() == self.machine() {
            return Err(bad(TokenError::NotInitiator { machine: token.machine() }));
        }
        if self.is_shut_down {
            return Err((holder, Refusal::Over, ConnectError::MatchOver));
        }
        Ok(token.machine())
    }

    fn refuse(&mut self, to: Address, attempt: Attempt, refusal: Refusal, responder: Responder) {
        let offer = Offer { max_mtu: self.config.max_mtu as u16, ..self.offer(0) };
        offer.write_accept(Some(refusal), &mut self.plain);
        let mut answer = self.send_queue.buffer();
        Accept::write(attempt, &mut answer);
        if responder.finish(&self.plain, &mut answer).is_ok() {
            self.counters.sent += 1;
            self.counters.sent_bytes += answer.len() as u64;
            self.send_queue.push(to, answer);
        }
    }

    fn accept(
        &mut self,
        now: Time,
        from: Address,
        attempt: Attempt,
        machine: MachineId,
        theirs: &Offer,
        responder: Responder,
    ) {
        self.drop_half_open(machine);
        let local_cid = self.allocate_cid(Route::HalfOpen(machine));
        let offer = self.offer(local_cid);
        offer.write_accept(None, &mut self.plain);
        let mut accept = Vec::new();
        Accept::write(attempt, &mut accept);
        let remote = responder.remote();
        let Ok(channel) = responder.finish(&self.plain, &mut accept) else {
            self.routes[usize::from(local_cid)] = None;
            self.counters.invalid_handshakes += 1;
            return;
        };
        self.send_queue.push_copy(from, &accept);
        self.counters.sent += 1;
        self.counters.sent_bytes += accept.len() as u64;
        self.peers[usize::from(machine.0)].half_open = Some(HalfOpen {
            attempt,
            address: from,
            remote,
            channel,
            local_cid,
            remote_cid: theirs.id,
            max_mtu: usize::from(theirs.max_mtu).min(self.config.max_mtu),
            accept,
            expires: now + HALF_OPEN_TIMEOUT,
        });
    }

    /// Handles a data packet of a half-open handshake: if it opens, the connection is established.
    pub(super) fn confirm(
        &mut self,
        now: Time,
        machine: MachineId,
        from: Address,
        header: Header,
        sealed: &[u8],
    ) {
        let half_open = &mut self.peers[usize::from(machine.0)].half_open;
        let number = decode_packet_number(0, header.truncated, header.truncated_bits);
        let opens = |half: &mut HalfOpen| {
            let first = !header.phase && header.view == 0;
            first && half.channel.open(number, sealed, &mut self.plain).is_ok()
        };
        let Some(half) = half_open.take_if(opens) else {
            self.counters.decrypt_failed += 1;
            return;
        };
        self.abort_outgoing(machine);
        let negotiated = Negotiated {
            machine,
            address: half.address,
            initiator: false,
            remote: half.remote,
            channel: half.channel,
            local_cid: half.local_cid,
            remote_cid: half.remote_cid,
            max_mtu: half.max_mtu,
        };
        self.establish(now, negotiated);
        if let Some(connection) = &mut self.peers[usize::from(machine.0)].connection {
            let mut ctx = context!(self, now);
            if let Ok(Some(reason)) = connection.receive(&mut ctx, from, header, sealed) {
                self.terminate(now, machine, reason);
            }
        }
    }

    pub(super) fn respond_timeout(&mut self, now: Time, machine: MachineId) {
        let half = &self.peers[usize::from(machine.0)].half_open;
        if half.as_ref().is_some_and(|half| half.expires <= now) {
            self.drop_half_open(machine);
        }
    }

    fn drop_half_open(&mut self, machine: MachineId) {
        if let Some(half) = self.peers[usize::from(machine.0)].half_open.take() {
            self.routes[usize::from(half.local_cid)] = None;
        }
    }

    /// Aborts all handshakes with a machine.
    pub(super) fn abort_handshakes(&mut self, machine: MachineId) {
        if usize::from(machine.0) < self.peers.len() {
            self.abort_outgoing(machine);
            self.drop_half_open(machine);
        }
    }
}
