//! The side of the handshake that answers: nothing is kept before a cookie came back, and one half-open handshake for each
//! machine after that. A connection that lives goes on until somebody has proved to hold the new keys.

use super::initiate::prologue;
use super::{ConnectError, Endpoint, Event, Id, expectation};
use crate::address::Address;
use crate::connection::Agreed;
use crate::crypto::noise::{Channel, Response};
use crate::crypto::{MachineId, PublicKey, Token, TokenError};
use crate::wire::{
    Accept, Attempt, ConnectionId, Cookie, Header, Hello, Init, Offer, PROTOCOL_VERSION, Refusal,
    Versions, complete,
};
use core::time::Duration;
use isostep_rollback::Time;

/// How long a half-open handshake waits for the first packet.
const PATIENCE: Duration = Duration::from_secs(10);

/// For so long no other handshake takes its place: one that was given up may come late, or be sent again by who recorded it.
const UNDISTURBED: Duration = Duration::from_millis(500);

/// A handshake that was answered.
pub(super) struct HalfOpen {
    attempt: Attempt,
    address: Address,
    remote: PublicKey,
    channel: Channel,
    our_id: u8,
    their_id: ConnectionId,
    longest: usize,
    /// The answer, for when the question comes again.
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
        // Answers wait in the same queue as the game's packets, which come first.
        let expected = self.is_expected(from);
        if self.outbox.is_crowded() || !self.limits.may_answer(now, expected) {
            self.counters.rate_limited += 1;
            return Some(());
        }
        let mut answer = self.outbox.buffer();
        if version == PROTOCOL_VERSION {
            let cookie = self.cookies.make(now, from, attempt);
            Cookie { attempt, cookie }.write(&mut answer);
        } else {
            Versions::write(attempt, &mut answer);
        }
        self.counters.sent += 1;
        self.counters.sent_bytes += answer.len() as u64;
        self.outbox.push(from, answer);
        Some(())
    }

    pub(super) fn handle_init(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let Init { attempt, cookie, message } = Init::read(bytes)?;
        if !self.cookies.check(now, from, attempt, cookie) {
            self.counters.invalid_cookies += 1;
            return Some(());
        }
        // The question again: the same answer.
        let asked = |half: &&HalfOpen| half.attempt == attempt && half.address == from;
        let halves = self.peers.iter().filter_map(|place| place.half_open.as_ref());
        if let Some(half) = halves.into_iter().find(asked) {
            self.outbox.push_copy(from, &half.accept);
            self.counters.sent += 1;
            self.counters.sent_bytes += half.accept.len() as u64;
            return Some(());
        }
        let expected = self.is_expected(from);
        if !self.limits.may_shake_hands(now, from, expected) {
            self.counters.rate_limited += 1;
            return Some(());
        }
        let read = Response::read(
            self.config.credentials.key(),
            &prologue(attempt),
            message,
            &mut self.plain,
            &mut *self.entropy,
        );
        let Ok(response) = read else {
            self.counters.invalid_handshakes += 1;
            return Some(());
        };
        let payload = core::mem::take(&mut self.plain);
        let Some((token, theirs)) = Offer::read_init(&payload) else {
            self.counters.invalid_handshakes += 1;
            return Some(());
        };
        match self.admit(now, token, &theirs, &response.remote()) {
            Ok(machine) if self.is_busy(now, machine) => self.counters.rate_limited += 1,
            Ok(machine) => self.accept(now, from, attempt, machine, &theirs, response),
            Err((machine, refusal, reason)) => {
                self.counters.invalid_handshakes += 1;
                self.events.push_back(Event::Refused { machine, address: from, reason });
                self.refuse(from, attempt, refusal, response);
            }
        }
        Some(())
    }

    /// Whether another handshake of that machine is under way: whoever means it asks again.
    fn is_busy(&self, now: Time, machine: MachineId) -> bool {
        let half = self.peers[usize::from(machine.0)].half_open.as_ref();
        half.is_some_and(|half| now + PATIENCE < half.expires + UNDISTURBED)
    }

    /// Whether somebody who holds this key and this token may come in.
    fn admit(
        &self,
        now: Time,
        token: &[u8],
        theirs: &Offer,
        remote: &PublicKey,
    ) -> Result<MachineId, (Option<MachineId>, Refusal, ConnectError)> {
        let (ours, credentials) = (&self.config.terms, &self.config.credentials);
        let holder = credentials.roster().machine_of(remote);
        // First what people get wrong: another version or game has another token, too.
        if let Some((refusal, reason)) =
            ours.difference(&theirs.terms).zip(ConnectError::of_terms(ours, &theirs.terms))
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
        // Only the lower machine of two begins.
        if holder != Some(token.machine()) || token.machine() >= self.machine() {
            return Err(bad(TokenError::NotInitiator { machine: token.machine() }));
        }
        if self.over {
            return Err((holder, Refusal::Over, ConnectError::MatchOver));
        }
        Ok(token.machine())
    }

    fn refuse(&mut self, to: Address, attempt: Attempt, refusal: Refusal, response: Response) {
        let offer = Offer { longest: self.config.longest as u16, ..self.offer(0) };
        offer.write_accept(Some(refusal), &mut self.plain);
        let mut answer = self.outbox.buffer();
        Accept::write(attempt, &mut answer);
        if response.finish(&self.plain, &mut answer).is_ok() {
            self.counters.sent += 1;
            self.counters.sent_bytes += answer.len() as u64;
            self.outbox.push(to, answer);
        }
    }

    fn accept(
        &mut self,
        now: Time,
        from: Address,
        attempt: Attempt,
        machine: MachineId,
        theirs: &Offer,
        response: Response,
    ) {
        self.forget_half_open(machine);
        let our_id = self.new_id(Id::HalfOpen(machine));
        let offer = self.offer(our_id);
        offer.write_accept(None, &mut self.plain);
        let mut accept = Vec::new();
        Accept::write(attempt, &mut accept);
        let remote = response.remote();
        let Ok(channel) = response.finish(&self.plain, &mut accept) else {
            self.ids[usize::from(our_id)] = None;
            self.counters.invalid_handshakes += 1;
            return;
        };
        self.outbox.push_copy(from, &accept);
        self.counters.sent += 1;
        self.counters.sent_bytes += accept.len() as u64;
        self.peers[usize::from(machine.0)].half_open = Some(HalfOpen {
            attempt,
            address: from,
            remote,
            channel,
            our_id,
            their_id: theirs.id,
            longest: usize::from(theirs.longest).min(self.config.longest),
            accept,
            expires: now + PATIENCE,
        });
    }

    /// A packet for a handshake that was answered: if it opens, the connection stands.
    pub(super) fn confirm(
        &mut self,
        now: Time,
        machine: MachineId,
        from: Address,
        header: Header,
        sealed: &[u8],
    ) {
        let half_open = &mut self.peers[usize::from(machine.0)].half_open;
        let number = complete(0, header.number, header.bits);
        let opens = |half: &mut HalfOpen| {
            let first = !header.phase && header.view == 0;
            first && half.channel.open(number, sealed, &mut self.plain).is_ok()
        };
        let Some(half) = half_open.take_if(opens) else {
            self.counters.decrypt_failed += 1;
            return;
        };
        self.forget_attempt(machine);
        let agreed = Agreed {
            machine,
            address: half.address,
            initiator: false,
            remote: half.remote,
            channel: half.channel,
            our_id: half.our_id,
            their_id: half.their_id,
            longest: half.longest,
        };
        self.establish(now, agreed);
        if let Some(live) = &mut self.peers[usize::from(machine.0)].live {
            let mut ctx = context!(self, now);
            if let Ok(Some(reason)) = live.receive(&mut ctx, from, header, sealed) {
                self.end(now, machine, reason);
            }
        }
    }

    pub(super) fn respond_timeout(&mut self, now: Time, machine: MachineId) {
        let half = &self.peers[usize::from(machine.0)].half_open;
        if half.as_ref().is_some_and(|half| half.expires <= now) {
            self.forget_half_open(machine);
        }
    }

    fn forget_half_open(&mut self, machine: MachineId) {
        if let Some(half) = self.peers[usize::from(machine.0)].half_open.take() {
            self.ids[usize::from(half.our_id)] = None;
        }
    }

    /// Gives up whatever is under way with a machine.
    pub(super) fn forget_handshakes(&mut self, machine: MachineId) {
        if usize::from(machine.0) < self.peers.len() {
            self.forget_attempt(machine);
            self.forget_half_open(machine);
        }
    }
}
