//! Round-trip time, from pings that were answered.

use core::time::Duration;
use isostep_rollback::Time;

/// Between two pings.
pub(super) const PING_INTERVAL: Duration = Duration::from_millis(500);
/// Pings whose answer is still of interest.
const MAX_PINGS: usize = 8;
/// Before anything was measured.
const INITIAL_RTT: Duration = Duration::from_millis(200);
/// Units in which a pong tells how long it was held.
pub(super) const ACK_DELAY_UNIT: Duration = Duration::from_micros(64);
/// No timer fires earlier: the other side answers with its next tick.
const MIN_PTO: Duration = Duration::from_millis(60);

/// And none later: an answer that waited while a machine slept is no measure of the way.
const MAX_PTO: Duration = Duration::from_secs(2);

/// A ping on its way.
#[derive(Clone, Copy, Debug)]
struct SentPing {
    token: u16,
    number: u64,
    at: Time,
}

/// What is known of the way there and back.
#[derive(Debug, Default)]
pub(super) struct Rtt {
    sent: [Option<SentPing>; MAX_PINGS],
    next_token: u16,
    smoothed: Option<Duration>,
    variation: Duration,
}

impl Rtt {
    /// The token of a ping that goes out with this packet.
    pub(super) fn ping(&mut self, now: Time, number: u64) -> u16 {
        let token = self.next_token;
        self.next_token = token.wrapping_add(1);
        self.sent[usize::from(token) % MAX_PINGS] = Some(SentPing { token, number, at: now });
        token
    }

    /// An answer; the number of the packet that had the ping, which has arrived.
    pub(super) fn pong(&mut self, now: Time, token: u16, ack_delay: u16) -> Option<u64> {
        let entry = &mut self.sent[usize::from(token) % MAX_PINGS];
        let sent = entry.take_if(|sent| sent.token == token)?;
        let whole = now.since(sent.at);
        self.sample(whole.saturating_sub(ACK_DELAY_UNIT * u32::from(ack_delay)));
        Some(sent.number)
    }

    /// As RFC 6298 has it, in whole nanoseconds.
    fn sample(&mut self, trip: Duration) {
        let Some(smoothed) = self.smoothed else {
            (self.smoothed, self.variation) = (Some(trip), trip / 2);
            return;
        };
        self.variation = (self.variation * 3 + smoothed.abs_diff(trip)) / 4;
        self.smoothed = Some((smoothed * 7 + trip) / 8);
    }

    /// The smoothed round trip, once measured.
    pub(super) const fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// How long an answer may take before it counts as lost.
    pub(super) fn pto(&self) -> Duration {
        let trip = self.smoothed.unwrap_or(INITIAL_RTT);
        (trip + self.variation * 4).clamp(MIN_PTO, MAX_PTO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ack_delay_is_excluded_from_the_rtt() {
        let mut rtt = Rtt::default();
        let token = rtt.ping(Time::from_millis(1000), 7);
        let ack_delay = (Duration::from_millis(16).as_micros() / 64) as u16;
        assert_eq!(rtt.pong(Time::from_millis(1066), token, ack_delay), Some(7));
        assert_eq!(rtt.smoothed(), Some(Duration::from_millis(50)));
        assert_eq!(rtt.pong(Time::from_millis(1067), token, 0), None, "once");
        assert_eq!(rtt.pong(Time::from_millis(1067), 99, 0), None, "never asked");
    }
}
