//! Packet protection keys of a connection and the rekey protocol (`WIRE.md`, section 4).
//!
//! At most three key pairs exist: the current one; the previous one, for delayed packets; and, on the responder, the next
//! one, until the initiator uses it. Only a packet that opens changes keys; forged packets have no effect.

use crate::crypto::noise::{Channel, Initiator, NoiseError, Responder};
use crate::crypto::{PublicKey, StaticKey};
use crate::entropy::Entropy;
use core::time::Duration;
use isostep_rollback::Time;

/// Lifetime of a key pair.
const KEY_LIFETIME: Duration = Duration::from_mins(2);
/// Maximum number of packets of a key pair, both directions together.
const MAX_PACKETS: u64 = 1 << 20;
/// Lifetime of the previous keys, counted from the first packet under the new keys.
const PREVIOUS_KEYS_LIFETIME: Duration = Duration::from_secs(3);
const PROLOGUE: &[u8; 13] = b"isostep rekey";

/// State of a rekey.
enum Rekey {
    /// The initiator sent or will send REKEY1.
    Requested { handshake: Initiator, message: Vec<u8>, sent: Option<Time> },
    /// The responder sends `message` as REKEY2 for each REKEY1 received.
    Responded { channel: Channel, message: Vec<u8>, pending: bool },
}

/// Keys of a connection.
pub(super) struct Keys {
    initiator: bool,
    remote: PublicKey,
    epoch: u64,
    current: Channel,
    /// Previous keys and their expiry, which is set when the peer first uses the current keys.
    previous: Option<(Channel, Option<Time>)>,
    rekey: Option<Rekey>,
    installed: Time,
    packets: u64,
    lifetime: Duration,
}

fn prologue(channel: &Channel) -> [u8; 45] {
    let mut prologue = [0; 45];
    prologue[..13].copy_from_slice(PROLOGUE);
    prologue[13..].copy_from_slice(&channel.hash());
    prologue
}

impl Keys {
    pub(super) fn new(now: Time, initiator: bool, remote: PublicKey, channel: Channel) -> Self {
        Self {
            initiator,
            remote,
            epoch: 0,
            current: channel,
            previous: None,
            rekey: None,
            installed: now,
            packets: 0,
            lifetime: KEY_LIFETIME,
        }
    }

    /// Key phase bit of outgoing packets.
    pub(super) const fn phase(&self) -> bool {
        self.epoch & 1 == 1
    }

    pub(super) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Overrides the key lifetime.
    pub(super) const fn set_lifetime(&mut self, lifetime: Duration) {
        self.lifetime = lifetime;
    }

    pub(super) fn seal(
        &mut self,
        nonce: u64,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NoiseError> {
        self.packets += 1;
        self.current.seal(nonce, payload, out)
    }

    /// Opens a packet. Installs the next keys if the packet is protected with them.
    pub(super) fn open(
        &mut self,
        now: Time,
        phase: bool,
        nonce: u64,
        sealed: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), NoiseError> {
        if phase == self.phase() {
            self.current.open(nonce, sealed, out)?;
            self.packets += 1;
            if let Some((_, until)) = &mut self.previous {
                until.get_or_insert(now + PREVIOUS_KEYS_LIFETIME);
            }
            return Ok(());
        }
        if let Some(Rekey::Responded { channel, .. }) = &self.rekey
            && channel.open(nonce, sealed, out).is_ok()
        {
            if let Some(Rekey::Responded { channel, .. }) = self.rekey.take() {
                self.install(now, channel, Some(now + PREVIOUS_KEYS_LIFETIME));
            }
            return Ok(());
        }
        let late =
            self.previous.as_ref().filter(|(_, until)| until.is_none_or(|until| now < until));
        late.ok_or(NoiseError::Invalid)?.0.open(nonce, sealed, out)
    }

    fn install(&mut self, now: Time, channel: Channel, until: Option<Time>) {
        let previous = core::mem::replace(&mut self.current, channel);
        self.previous = Some((previous, until));
        self.epoch += 1;
        self.installed = now;
        self.packets = 0;
    }

    /// Time of the next rekey, on the initiator.
    pub(super) fn rekey_due(&self) -> Option<Time> {
        (self.initiator && self.rekey.is_none()).then(|| self.installed + self.lifetime)
    }

    /// Starts a rekey if it is due.
    pub(super) fn start_rekey_if_due(
        &mut self,
        now: Time,
        local: &StaticKey,
        entropy: &mut dyn Entropy,
    ) {
        let old = self.installed + self.lifetime <= now || self.packets >= MAX_PACKETS;
        if !self.initiator || self.rekey.is_some() || !old {
            return;
        }
        let mut message = Vec::new();
        let prologue = prologue(&self.current);
        let started = Initiator::start(local, &self.remote, &prologue, &[], entropy, &mut message);
        // The same keys worked in the first handshake. On failure the current keys stay in use.
        if let Ok(handshake) = started {
            self.rekey = Some(Rekey::Requested { handshake, message, sent: None });
        }
    }

    /// Returns the REKEY1 message to send now, with its epoch.
    pub(super) fn poll_request(&mut self, now: Time, timeout: Duration) -> Option<(u8, &[u8])> {
        let epoch = (self.epoch + 1) as u8;
        match &mut self.rekey {
            Some(Rekey::Requested { message, sent, .. })
                if sent.is_none_or(|sent| sent + timeout <= now) =>
            {
                *sent = Some(now);
                Some((epoch, message))
            }
            _ => None,
        }
    }

    /// Time at which REKEY1 is sent or retransmitted.
    pub(super) fn request_due(&self, timeout: Duration) -> Option<Time> {
        match &self.rekey {
            Some(Rekey::Requested { sent, .. }) => {
                Some(sent.map_or(Time::ZERO, |sent| sent + timeout))
            }
            _ => None,
        }
    }

    /// Returns the REKEY2 message to send now, with its epoch.
    pub(super) fn poll_response(&mut self) -> Option<(u8, &[u8])> {
        let epoch = (self.epoch + 1) as u8;
        match &mut self.rekey {
            Some(Rekey::Responded { message, pending, .. }) => {
                core::mem::take(pending).then_some((epoch, message))
            }
            _ => None,
        }
    }

    pub(super) const fn has_response(&self) -> bool {
        matches!(&self.rekey, Some(Rekey::Responded { pending: true, .. }))
    }

    /// Handles REKEY1; returns false on a protocol violation. An invalid message costs curve arithmetic, so it closes
    /// the connection.
    pub(super) fn on_request(
        &mut self,
        epoch: u8,
        message: &[u8],
        local: &StaticKey,
        entropy: &mut dyn Entropy,
    ) -> bool {
        if self.initiator || epoch != (self.epoch + 1) as u8 {
            return true;
        }
        if let Some(Rekey::Responded { pending, .. }) = &mut self.rekey {
            *pending = true;
            return true;
        }
        let mut payload = Vec::new();
        let prologue = prologue(&self.current);
        let Ok(responder) = Responder::read(local, &prologue, message, &mut payload, entropy)
        else {
            return false;
        };
        if responder.remote() != self.remote || !payload.is_empty() {
            return false;
        }
        let mut message = Vec::new();
        let Ok(channel) = responder.finish(&[], &mut message) else { return false };
        self.rekey = Some(Rekey::Responded { channel, message, pending: true });
        true
    }

    /// Handles REKEY2; returns false on a protocol violation.
    pub(super) fn on_response(&mut self, now: Time, epoch: u8, message: &[u8]) -> bool {
        if epoch != (self.epoch + 1) as u8 {
            return true;
        }
        let requested = self.rekey.take_if(|rekey| matches!(rekey, Rekey::Requested { .. }));
        let Some(Rekey::Requested { handshake, .. }) = requested else { return true };
        let Ok(channel) = handshake.finish(message, &mut Vec::new()) else { return false };
        self.install(now, channel, None);
        true
    }
}

impl core::fmt::Debug for Keys {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Keys").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
