//! The side of the handshake that begins it: hello, cookie, first message, answer. The other side knocks meanwhile, to open its
//! own NAT.

use super::{ConnectError, Endpoint, EndpointError, Event, Id};
use crate::address::Address;
use crate::connection::Agreed;
use crate::crypto::MachineId;
use crate::crypto::noise::Initiation;
use crate::wire::{
    Accept, Attempt, ConnectionId, Cookie, Hello, Init, Offer, PROTOCOL_VERSION, Refusal, Versions,
    knock,
};
use core::time::Duration;
use isostep_rollback::Time;

/// After which times a packet is repeated; the last one again and again.
const REPEAT: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(500),
];

/// How far an attempt has come.
enum Step {
    /// The other side begins; this one opens its NAT.
    Knock,
    Hello,
    Init {
        initiation: Initiation,
        our_id: u8,
    },
}

/// An attempt to connect.
pub(super) struct Attempted {
    address: Address,
    attempt: Attempt,
    step: Step,
    /// What is repeated.
    packet: Vec<u8>,
    sent: usize,
    next: Time,
    deadline: Time,
    /// What the other side says that it speaks; nobody vouches for it.
    versions: Option<Vec<u16>>,
}

impl Attempted {
    pub(super) const fn address(&self) -> Address {
        self.address
    }

    pub(super) fn next_timeout(&self) -> Time {
        self.next.min(self.deadline)
    }
}

/// What the Noise handshake is bound to.
pub(super) fn prologue(attempt: Attempt) -> [u8; 22] {
    let mut prologue = *b"isostep wire\0\0\0\0\0\0\0\0\0\0";
    prologue[12..14].copy_from_slice(&PROTOCOL_VERSION.to_le_bytes());
    prologue[14..].copy_from_slice(&attempt);
    prologue
}

impl Endpoint {
    /// Begins to connect with another machine of the match. Of two machines the one with the lower machine sends the first packet; the
    /// other waits for it, and needs the address only to open its NAT. An attempt under way is given up for the new one.
    ///
    /// # Errors
    /// When the roster has no such machine, development keys would leave this machine, or the endpoint was shut down.
    pub fn connect(
        &mut self,
        now: Time,
        machine: MachineId,
        to: Address,
    ) -> Result<(), EndpointError> {
        let to = to.canonical();
        self.may_connect(machine, to)?;
        self.forget_attempt(machine);
        let mut attempt = [0; 8];
        self.entropy.fill(&mut attempt);
        let mut packet = Vec::new();
        let step = if self.machine() < machine {
            Hello { version: PROTOCOL_VERSION, attempt }.write(&mut packet);
            Step::Hello
        } else {
            knock(&mut packet);
            Step::Knock
        };
        self.peers[usize::from(machine.0)].attempted = Some(Attempted {
            address: to,
            attempt,
            step,
            packet,
            sent: 0,
            next: now,
            deadline: now + self.config.handshake,
            versions: None,
        });
        self.initiate_timeout(now, machine);
        Ok(())
    }

    /// Whether [`connect`](Self::connect) would begin.
    pub(crate) fn may_connect(&self, machine: MachineId, to: Address) -> Result<(), EndpointError> {
        if self.over {
            return Err(EndpointError::ShutDown);
        }
        let known = self.config.credentials.roster().key_of(machine).is_some();
        if !known || machine == self.machine() {
            return Err(EndpointError::UnknownMachine { machine });
        }
        if self.is_too_far(to) {
            return Err(EndpointError::Insecure { address: to });
        }
        Ok(())
    }

    pub(super) fn forget_attempt(&mut self, machine: MachineId) {
        let Some(place) = self.peers.get_mut(usize::from(machine.0)) else { return };
        if let Some(Attempted { step: Step::Init { our_id, .. }, .. }) = place.attempted.take() {
            self.ids[usize::from(our_id)] = None;
        }
    }

    pub(super) fn initiate_timeout(&mut self, now: Time, machine: MachineId) {
        let place = &mut self.peers[usize::from(machine.0)];
        let Some(attempted) = &mut place.attempted else { return };
        if attempted.deadline <= now
            && place.live.is_some()
            && matches!(attempted.step, Step::Knock)
        {
            // The other side had come before this one said that it expects it.
            place.attempted = None;
        } else if attempted.deadline <= now {
            let (address, versions) = (attempted.address, attempted.versions.take());
            self.forget_attempt(machine);
            let reason = match versions {
                Some(theirs) => ConnectError::Protocol { ours: PROTOCOL_VERSION, theirs },
                None => ConnectError::TimedOut { address },
            };
            self.events.push_back(Event::ConnectFailed { machine, reason });
        } else if attempted.next <= now {
            let wait = REPEAT[attempted.sent.min(REPEAT.len() - 1)];
            attempted.sent += 1;
            attempted.next = now + wait;
            if attempted.sent > REPEAT.len() && matches!(attempted.step, Step::Init { .. }) {
                // The cookie may be the reason for the silence: ask for another.
                let mut hello = self.outbox.buffer();
                Hello { version: PROTOCOL_VERSION, attempt: attempted.attempt }.write(&mut hello);
                self.counters.sent += 1;
                self.counters.sent_bytes += hello.len() as u64;
                self.outbox.push(attempted.address, hello);
            }
            self.counters.sent += 1;
            self.counters.sent_bytes += attempted.packet.len() as u64;
            self.outbox.push_copy(attempted.address, &attempted.packet);
        }
    }

    /// The attempt that a packet belongs to, by its name and where it comes from.
    fn attempt_of(&mut self, from: Address, attempt: Attempt) -> Option<MachineId> {
        let found = self.peers.iter().position(|place| {
            let of = |known: &Attempted| known.attempt == attempt && known.address == from;
            place.attempted.as_ref().is_some_and(of)
        });
        if found.is_none() {
            self.counters.unknown_connection += 1;
        }
        found.map(|machine| MachineId(machine as u8))
    }

    pub(super) fn handle_cookie(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let Cookie { attempt, cookie } = Cookie::read(bytes)?;
        let Some(machine) = self.attempt_of(from, attempt) else { return Some(()) };
        let attempted = self.peers[usize::from(machine.0)].attempted.as_mut()?;
        match attempted.step {
            Step::Hello => (),
            // Nobody vouches for a cookie: the one before may be forged, or its maker has started again.
            Step::Init { .. } => {
                Init::replace_cookie(&cookie, &mut attempted.packet);
                return Some(());
            }
            Step::Knock => return Some(()),
        }
        let our_id = self.new_id(Id::Attempted(machine));
        let offer = self.offer(our_id);
        let credentials = &self.config.credentials;
        offer.write_init(&credentials.token().encode(), &mut self.plain);
        let attempted = self.peers[usize::from(machine.0)].attempted.as_mut()?;
        Init::write(attempt, &cookie, &mut attempted.packet);
        let started = Initiation::start(
            credentials.key(),
            &credentials.roster().key_of(machine)?,
            &prologue(attempt),
            &self.plain,
            &mut *self.entropy,
            &mut attempted.packet,
        );
        match started {
            Ok(initiation) => {
                attempted.step = Step::Init { initiation, our_id };
                (attempted.sent, attempted.next) = (0, now);
                self.initiate_timeout(now, machine);
            }
            // A key that is no point of the curve: the matchmaker signed nonsense.
            Err(_) => self.fail(machine, ConnectError::InvalidHandshake),
        }
        Some(())
    }

    pub(super) fn handle_versions(&mut self, from: Address, bytes: &[u8]) -> Option<()> {
        let Versions { attempt, versions } = Versions::read(bytes)?;
        let Some(machine) = self.attempt_of(from, attempt) else { return Some(()) };
        self.peers[usize::from(machine.0)].attempted.as_mut()?.versions = Some(versions);
        Some(())
    }

    pub(super) fn handle_accept(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let Accept { attempt, message } = Accept::read(bytes)?;
        let Some(machine) = self.attempt_of(from, attempt) else { return Some(()) };
        let attempted = &mut self.peers[usize::from(machine.0)].attempted;
        let mut taken = attempted.take()?;
        let Step::Init { initiation, our_id } = taken.step else {
            *attempted = Some(taken);
            return Some(());
        };
        let channel = match initiation.finish(message, &mut self.plain) {
            Ok(channel) => channel,
            Err((initiation, _)) => {
                // Forged: the true answer may still come.
                taken.step = Step::Init { initiation, our_id };
                *attempted = Some(taken);
                self.counters.decrypt_failed += 1;
                return Some(());
            }
        };
        self.ids[usize::from(our_id)] = None;
        let Some((refusal, theirs)) = Offer::read_accept(&self.plain) else {
            self.fail(machine, ConnectError::InvalidHandshake);
            return Some(());
        };
        if let Some(refusal) = refusal {
            let ours = self.config.terms;
            self.fail(machine, refused(refusal, ConnectError::of_terms(&ours, &theirs.terms)));
            return Some(());
        }
        if let Some(reason) = ConnectError::of_terms(&self.config.terms, &theirs.terms) {
            self.fail(machine, reason);
            return Some(());
        }
        let remote = self.config.credentials.roster().key_of(machine)?;
        let agreed = Agreed {
            machine,
            address: from,
            initiator: true,
            remote,
            channel,
            our_id,
            their_id: theirs.id,
            longest: usize::from(theirs.longest).min(self.config.longest),
        };
        self.establish(now, agreed);
        Some(())
    }

    fn fail(&mut self, machine: MachineId, reason: ConnectError) {
        self.forget_attempt(machine);
        self.events.push_back(Event::ConnectFailed { machine, reason });
    }

    /// What this side says of itself.
    pub(super) const fn offer(&self, our_id: u8) -> Offer {
        let id = ConnectionId::of_byte(our_id);
        Offer { terms: self.config.terms, view: 0, id, longest: self.config.longest as u16 }
    }
}

/// What a refusal means to who was refused.
fn refused(refusal: Refusal, difference: Option<ConnectError>) -> ConnectError {
    match refusal {
        Refusal::Token => ConnectError::TokenRefused,
        Refusal::Expired => ConnectError::TokenExpired,
        Refusal::Over => ConnectError::MatchOver,
        _ => difference.unwrap_or(ConnectError::InvalidHandshake),
    }
}
