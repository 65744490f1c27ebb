//! Round-trip time from PING and PONG frames, and the probe timeout (PTO) derived from it.

use core::time::Duration;
use isostep_rollback::Time;

/// Interval between PINGs.
pub(super) const PING_INTERVAL: Duration = Duration::from_millis(500);
/// Number of PINGs whose PONG is awaited.
const MAX_PINGS: usize = 8;
/// Round-trip time before the first sample.
const INITIAL_RTT: Duration = Duration::from_millis(200);
/// Unit of the ack delay in PONG frames.
pub(super) const ACK_DELAY_UNIT: Duration = Duration::from_micros(64);
/// Lower bound of the PTO: peers reply with their next tick.
const MIN_PTO: Duration = Duration::from_millis(60);

/// Upper bound of the PTO: a sample across a suspended machine must not delay retransmissions.
const MAX_PTO: Duration = Duration::from_secs(2);

/// PING that was sent.
#[derive(Clone, Copy, Debug)]
struct SentPing {
    token: u16,
    number: u64,
    at: Time,
}

/// Round-trip time estimator, after RFC 6298.
#[derive(Debug, Default)]
pub(super) struct Rtt {
    sent: [Option<SentPing>; MAX_PINGS],
    next_token: u16,
    smoothed: Option<Duration>,
    variation: Duration,
}

impl Rtt {
    /// Registers a PING in packet `number`; returns its token.
    pub(super) fn ping(&mut self, now: Time, number: u64) -> u16 {
        let token = self.next_token;
        self.next_token = token.wrapping_add(1);
        self.sent[usize::from(token) % MAX_PINGS] = Some(SentPing { token, number, at: now });
        token
    }

    /// Handles a PONG; returns the number of the packet that carried the PING.
    pub(super) fn pong(&mut self, now: Time, token: u16, ack_delay: u16) -> Option<u64> {
        let entry = &mut self.sent[usize::from(token) % MAX_PINGS];
        let sent = entry.take_if(|sent| sent.token == token)?;
        let whole = now.since(sent.at);
        self.sample(whole.saturating_sub(ACK_DELAY_UNIT * u32::from(ack_delay)));
        Some(sent.number)
    }

    /// RFC 6298, in whole nanoseconds.
    fn sample(&mut self, trip: Duration) {
        let Some(smoothed) = self.smoothed else {
            (self.smoothed, self.variation) = (Some(trip), trip / 2);
            return;
        };
        self.variation = (self.variation * 3 + smoothed.abs_diff(trip)) / 4;
        self.smoothed = Some((smoothed * 7 + trip) / 8);
    }

    /// Smoothed round-trip time, after the first sample.
    pub(super) const fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// Probe timeout: retransmission interval for unacknowledged data.
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
        assert_eq!(rtt.pong(Time::from_millis(1067), token, 0), None, "duplicate");
        assert_eq!(rtt.pong(Time::from_millis(1067), 99, 0), None, "unknown token");
    }
}
