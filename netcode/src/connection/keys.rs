//! The keys of a connection and how they change (`WIRE.md`, section 4).
//!
//! There are at most three pairs: the current one, the one before it for packets that are late, and, at the responder of the
//! connection, a next one that the other side has not used yet. A forged packet moves none of them: only one that opens does.

use crate::crypto::noise::{Channel, Initiation, NoiseError, Response};
use crate::crypto::{PublicKey, StaticKey};
use crate::entropy::Entropy;
use core::time::Duration;
use isostep_rollback::Time;

/// How long keys are used.
const LIFETIME: Duration = Duration::from_mins(2);
/// For how many packets of both directions together.
const PACKETS: u64 = 1 << 20;
/// How long late packets of the keys before are opened, once the other side uses the new ones.
const LATE: Duration = Duration::from_secs(3);
const PROLOGUE: &[u8; 13] = b"isostep rekey";

/// What is known of the next keys.
enum Next {
    /// The initiator asked for them.
    Asked { initiation: Initiation, message: Vec<u8>, sent: Option<Time> },
    /// The responder answered; this is what it says each time.
    Answered { channel: Channel, message: Vec<u8>, owed: bool },
}

/// The keys of a connection.
pub(super) struct Keys {
    initiator: bool,
    remote: PublicKey,
    epoch: u64,
    current: Channel,
    /// With the end of its time, which begins when the other side is known to use the current ones.
    before: Option<(Channel, Option<Time>)>,
    next: Option<Next>,
    began: Time,
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
            before: None,
            next: None,
            began: now,
            packets: 0,
            lifetime: LIFETIME,
        }
    }

    /// The phase bit of what is sealed now.
    pub(super) const fn phase(&self) -> bool {
        self.epoch & 1 == 1
    }

    pub(super) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Uses keys for another time than usual.
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

    /// Opens a packet, and goes on to the next keys if it is sealed with them.
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
            if let Some((_, until)) = &mut self.before {
                until.get_or_insert(now + LATE);
            }
            return Ok(());
        }
        if let Some(Next::Answered { channel, .. }) = &self.next
            && channel.open(nonce, sealed, out).is_ok()
        {
            if let Some(Next::Answered { channel, .. }) = self.next.take() {
                self.promote(now, channel, Some(now + LATE));
            }
            return Ok(());
        }
        let late = self.before.as_ref().filter(|(_, until)| until.is_none_or(|until| now < until));
        late.ok_or(NoiseError::Refused)?.0.open(nonce, sealed, out)
    }

    fn promote(&mut self, now: Time, channel: Channel, until: Option<Time>) {
        let before = core::mem::replace(&mut self.current, channel);
        self.before = Some((before, until));
        self.epoch += 1;
        self.began = now;
        self.packets = 0;
    }

    /// When keys have to change by time, as far as that is this side's to do.
    pub(super) fn due(&self) -> Option<Time> {
        (self.initiator && self.next.is_none()).then(|| self.began + self.lifetime)
    }

    /// Asks for the next keys if it is time.
    pub(super) fn renew(&mut self, now: Time, local: &StaticKey, entropy: &mut dyn Entropy) {
        let old = self.began + self.lifetime <= now || self.packets >= PACKETS;
        if !self.initiator || self.next.is_some() || !old {
            return;
        }
        let mut message = Vec::new();
        let prologue = prologue(&self.current);
        let started = Initiation::start(local, &self.remote, &prologue, &[], entropy, &mut message);
        // With keys that have worked before nothing can go wrong; if it does, the old ones stay.
        if let Ok(initiation) = started {
            self.next = Some(Next::Asked { initiation, message, sent: None });
        }
    }

    /// The question to send now, with the epoch that it is for.
    pub(super) fn question(&mut self, now: Time, timeout: Duration) -> Option<(u8, &[u8])> {
        let epoch = (self.epoch + 1) as u8;
        match &mut self.next {
            Some(Next::Asked { message, sent, .. })
                if sent.is_none_or(|sent| sent + timeout <= now) =>
            {
                *sent = Some(now);
                Some((epoch, message))
            }
            _ => None,
        }
    }

    /// When a question is due to be asked, or asked again.
    pub(super) fn question_due(&self, timeout: Duration) -> Option<Time> {
        match &self.next {
            Some(Next::Asked { sent, .. }) => Some(sent.map_or(Time::ZERO, |sent| sent + timeout)),
            _ => None,
        }
    }

    /// The answer that is owed, with the epoch that it is for.
    pub(super) fn answer(&mut self) -> Option<(u8, &[u8])> {
        let epoch = (self.epoch + 1) as u8;
        match &mut self.next {
            Some(Next::Answered { message, owed, .. }) => {
                core::mem::take(owed).then_some((epoch, message))
            }
            _ => None,
        }
    }

    pub(super) const fn owes_answer(&self) -> bool {
        matches!(&self.next, Some(Next::Answered { owed: true, .. }))
    }

    /// The other side asks for the next keys. Whether it keeps to the protocol: it costs curve arithmetic to find out that it
    /// does not, so it gets no second try.
    pub(super) fn asked(
        &mut self,
        epoch: u8,
        message: &[u8],
        local: &StaticKey,
        entropy: &mut dyn Entropy,
    ) -> bool {
        if self.initiator || epoch != (self.epoch + 1) as u8 {
            return true;
        }
        if let Some(Next::Answered { owed, .. }) = &mut self.next {
            *owed = true;
            return true;
        }
        let mut payload = Vec::new();
        let prologue = prologue(&self.current);
        let Ok(response) = Response::read(local, &prologue, message, &mut payload, entropy) else {
            return false;
        };
        if response.remote() != self.remote || !payload.is_empty() {
            return false;
        }
        let mut message = Vec::new();
        let Ok(channel) = response.finish(&[], &mut message) else { return false };
        self.next = Some(Next::Answered { channel, message, owed: true });
        true
    }

    /// The other side answers. Whether it keeps to the protocol.
    pub(super) fn answered(&mut self, now: Time, epoch: u8, message: &[u8]) -> bool {
        if epoch != (self.epoch + 1) as u8 {
            return true;
        }
        let asked = self.next.take_if(|next| matches!(next, Next::Asked { .. }));
        let Some(Next::Asked { initiation, .. }) = asked else { return true };
        let Ok(channel) = initiation.finish(message, &mut Vec::new()) else { return false };
        self.promote(now, channel, None);
        true
    }
}

impl core::fmt::Debug for Keys {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Keys").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
