//! Initiator of the handshake: HELLO, COOKIE, INIT, ACCEPT. Every machine that knows an address initiates.
//!
//! If both machines of a pair do, the lower id decides which attempt survives, so that no two connections cross:
//! `is_suspended` and `is_deciding` are its rules (WIRE.md, section 3).

use super::{ConnectError, Endpoint, EndpointError, Event, Route};
use crate::address::Address;
use crate::connection::Negotiated;
use crate::crypto::MachineId;
use crate::crypto::noise::Initiator;
use crate::wire::{
    Accept, Attempt, ConnectionId, Cookie, Hello, Init, Offer, PROTOCOL_VERSION, Refusal, Versions,
};
use core::time::Duration;
use isostep_rollback::Time;

/// Retransmission intervals; the last one repeats.
const RETRANSMIT: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(500),
];

/// State of an attempt.
enum Step {
    Hello,
    Init { initiator: Initiator, local_cid: u8 },
}

/// Attempt to connect.
pub(super) struct OutgoingHandshake {
    address: Address,
    attempt: Attempt,
    step: Step,
    /// Packet that is retransmitted.
    packet: Vec<u8>,
    sent: usize,
    next: Time,
    deadline: Time,
    /// Versions from a VERSIONS packet. It is not authenticated.
    versions: Option<Vec<u16>>,
}

impl OutgoingHandshake {
    pub(super) const fn address(&self) -> Address {
        self.address
    }

    pub(super) fn next_timeout(&self) -> Time {
        self.next.min(self.deadline)
    }
}

/// Prologue of the Noise handshake.
pub(super) fn prologue(attempt: Attempt) -> [u8; 22] {
    let mut prologue = *b"isostep wire\0\0\0\0\0\0\0\0\0\0";
    prologue[12..14].copy_from_slice(&PROTOCOL_VERSION.to_le_bytes());
    prologue[14..].copy_from_slice(&attempt);
    prologue
}

impl Endpoint {
    /// Starts to connect to another machine of the match. One machine of each pair needs the address of the other one. If
    /// both connect, one connection results; the attempt of the lower id takes precedence. A running attempt to the same
    /// machine is aborted. Does nothing while the machine is connected; [`close`](Self::close) the connection first.
    ///
    /// # Errors
    /// The machine is not in the roster, development keys would leave the loopback interface, or the endpoint was shut down.
    pub fn connect(
        &mut self,
        now: Time,
        machine: MachineId,
        to: Address,
    ) -> Result<(), EndpointError> {
        let to = to.canonical();
        self.check_connect(machine, to)?;
        if self.peers[usize::from(machine.0)].connection.is_some() {
            return Ok(());
        }
        self.abort_outgoing(machine);
        let mut attempt = [0; 8];
        self.entropy.fill(&mut attempt);
        let mut packet = Vec::new();
        Hello { version: PROTOCOL_VERSION, attempt }.write(&mut packet);
        self.peers[usize::from(machine.0)].outgoing = Some(OutgoingHandshake {
            address: to,
            attempt,
            step: Step::Hello,
            packet,
            sent: 0,
            next: now,
            deadline: now + self.config.handshake_timeout,
            versions: None,
        });
        self.initiate_timeout(now, machine);
        Ok(())
    }

    /// Checks the preconditions of [`connect`](Self::connect).
    pub(crate) fn check_connect(
        &self,
        machine: MachineId,
        to: Address,
    ) -> Result<(), EndpointError> {
        if self.is_shut_down {
            return Err(EndpointError::ShutDown);
        }
        let known = self.config.credentials.roster().key_of(machine).is_some();
        if !known || machine == self.machine() {
            return Err(EndpointError::UnknownMachine { machine });
        }
        if self.is_insecure_remote(to) {
            return Err(EndpointError::Insecure { address: to });
        }
        Ok(())
    }

    pub(super) fn abort_outgoing(&mut self, machine: MachineId) {
        let Some(place) = self.peers.get_mut(usize::from(machine.0)) else { return };
        if let Some(OutgoingHandshake { step: Step::Init { local_cid, .. }, .. }) =
            place.outgoing.take()
        {
            self.routes[usize::from(local_cid)] = None;
        }
    }

    /// Returns true if the attempt of this machine waits, because it has accepted one of a machine with a higher id.
    fn is_suspended(&self, machine: MachineId) -> bool {
        self.machine() < machine && self.peers[usize::from(machine.0)].half_open.is_some()
    }

    /// Returns true if an INIT of a machine with a higher id must be dropped: this machine's own INIT is on the way, or
    /// its ACCEPT has arrived and the other machine may not know yet that the connection exists.
    pub(super) fn is_deciding(&self, machine: MachineId) -> bool {
        let place = &self.peers[usize::from(machine.0)];
        let sent = place.outgoing.as_ref();
        let sent = sent.is_some_and(|outgoing| matches!(outgoing.step, Step::Init { .. }));
        let connection = place.connection.as_ref();
        let unconfirmed = connection.is_some_and(|connection| !connection.is_confirmed());
        self.machine() < machine && (sent || unconfirmed)
    }

    pub(super) fn initiate_timeout(&mut self, now: Time, machine: MachineId) {
        let suspended = self.is_suspended(machine);
        let place = &mut self.peers[usize::from(machine.0)];
        let Some(outgoing) = &mut place.outgoing else { return };
        if outgoing.deadline <= now {
            let (address, versions) = (outgoing.address, outgoing.versions.take());
            self.abort_outgoing(machine);
            let reason = match versions {
                Some(theirs) => ConnectError::Protocol { ours: PROTOCOL_VERSION, theirs },
                None => ConnectError::TimedOut { address },
            };
            self.events.push_back(Event::ConnectFailed { machine, reason });
        } else if outgoing.next <= now {
            let wait = RETRANSMIT[outgoing.sent.min(RETRANSMIT.len() - 1)];
            outgoing.next = now + wait;
            if suspended {
                return;
            }
            outgoing.sent += 1;
            if outgoing.sent > RETRANSMIT.len() && matches!(outgoing.step, Step::Init { .. }) {
                // The cookie may have expired or been forged: request another one.
                let mut hello = self.send_queue.buffer();
                Hello { version: PROTOCOL_VERSION, attempt: outgoing.attempt }.write(&mut hello);
                self.counters.sent += 1;
                self.counters.sent_bytes += hello.len() as u64;
                self.send_queue.push(outgoing.address, hello);
            }
            self.counters.sent += 1;
            self.counters.sent_bytes += outgoing.packet.len() as u64;
            self.send_queue.push_copy(outgoing.address, &outgoing.packet);
        }
    }

    /// Finds the attempt of a packet by its id and source address.
    fn attempt_of(&mut self, from: Address, attempt: Attempt) -> Option<MachineId> {
        let found = self.peers.iter().position(|place| {
            let of = |known: &OutgoingHandshake| known.attempt == attempt && known.address == from;
            place.outgoing.as_ref().is_some_and(of)
        });
        if found.is_none() {
            self.counters.unknown_connection += 1;
        }
        found.map(|machine| MachineId(machine as u8))
    }

    pub(super) fn handle_cookie(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let Cookie { attempt, cookie } = Cookie::read(bytes)?;
        let Some(machine) = self.attempt_of(from, attempt) else { return Some(()) };
        let suspended = self.is_suspended(machine);
        let outgoing = self.peers[usize::from(machine.0)].outgoing.as_mut()?;
        match outgoing.step {
            Step::Hello if suspended => return Some(()),
            Step::Hello => (),
            // Cookies are not authenticated: the previous one may be forged, or made before a restart of the responder.
            Step::Init { .. } => {
                Init::replace_cookie(&cookie, &mut outgoing.packet);
                return Some(());
            }
        }
        let local_cid = self.allocate_cid(Route::Connecting(machine));
        let offer = self.offer(local_cid);
        let credentials = &self.config.credentials;
        offer.write_init(&credentials.token().encode(), &mut self.plain);
        let outgoing = self.peers[usize::from(machine.0)].outgoing.as_mut()?;
        Init::write(attempt, &cookie, &mut outgoing.packet);
        let started = Initiator::start(
            credentials.key(),
            &credentials.roster().key_of(machine)?,
            &prologue(attempt),
            &self.plain,
            &mut *self.entropy,
            &mut outgoing.packet,
        );
        match started {
            Ok(initiator) => {
                outgoing.step = Step::Init { initiator, local_cid };
                (outgoing.sent, outgoing.next) = (0, now);
                self.initiate_timeout(now, machine);
            }
            // The roster contains an invalid key.
            Err(_) => self.fail(machine, ConnectError::InvalidHandshake),
        }
        Some(())
    }

    pub(super) fn handle_versions(&mut self, from: Address, bytes: &[u8]) -> Option<()> {
        let Versions { attempt, versions } = Versions::read(bytes)?;
        let Some(machine) = self.attempt_of(from, attempt) else { return Some(()) };
        self.peers[usize::from(machine.0)].outgoing.as_mut()?.versions = Some(versions);
        Some(())
    }

    pub(super) fn handle_accept(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let Accept { attempt, message } = Accept::read(bytes)?;
        let Some(machine) = self.attempt_of(from, attempt) else { return Some(()) };
        let outgoing = &mut self.peers[usize::from(machine.0)].outgoing;
        let mut taken = outgoing.take()?;
        let Step::Init { initiator, local_cid } = taken.step else {
            *outgoing = Some(taken);
            return Some(());
        };
        let channel = match initiator.finish(message, &mut self.plain) {
            Ok(channel) => channel,
            Err((initiator, _)) => {
                // Forged: the genuine ACCEPT may follow.
                taken.step = Step::Init { initiator, local_cid };
                *outgoing = Some(taken);
                self.counters.decrypt_failed += 1;
                return Some(());
            }
        };
        self.routes[usize::from(local_cid)] = None;
        let Some((refusal, theirs)) = Offer::read_accept(&self.plain) else {
            self.fail(machine, ConnectError::InvalidHandshake);
            return Some(());
        };
        if let Some(refusal) = refusal {
            let ours = self.config.parameters;
            self.fail(
                machine,
                refused(refusal, ConnectError::from_mismatch(&ours, &theirs.parameters)),
            );
            return Some(());
        }
        if let Some(reason) =
            ConnectError::from_mismatch(&self.config.parameters, &theirs.parameters)
        {
            self.fail(machine, reason);
            return Some(());
        }
        let remote = self.config.credentials.roster().key_of(machine)?;
        let negotiated = Negotiated {
            machine,
            address: from,
            initiator: true,
            remote,
            channel,
            local_cid,
            remote_cid: theirs.id,
            max_mtu: usize::from(theirs.max_mtu).min(self.config.max_mtu),
        };
        self.establish(now, negotiated);
        Some(())
    }

    fn fail(&mut self, machine: MachineId, reason: ConnectError) {
        self.abort_outgoing(machine);
        self.events.push_back(Event::ConnectFailed { machine, reason });
    }

    /// Handshake payload of this machine.
    pub(super) const fn offer(&self, local_cid: u8) -> Offer {
        let id = ConnectionId::of_byte(local_cid);
        Offer {
            parameters: self.config.parameters,
            view: 0,
            id,
            max_mtu: self.config.max_mtu as u16,
        }
    }
}

/// Translates a refusal for the refused initiator.
fn refused(refusal: Refusal, difference: Option<ConnectError>) -> ConnectError {
    match refusal {
        Refusal::Token => ConnectError::TokenRefused,
        Refusal::Expired => ConnectError::TokenExpired,
        Refusal::Over => ConnectError::MatchOver,
        _ => difference.unwrap_or(ConnectError::InvalidHandshake),
    }
}
