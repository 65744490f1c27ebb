//! Status of the match, in two lines.

use crate::game::Duel;
use isostep::netcode::{Counters, Peer, transport::UdpTransport};
use isostep::{State, Time};
use std::fmt::Write;
use std::time::Duration;

/// Time between two redraws.
const REDRAW_INTERVAL: Duration = Duration::from_millis(50);
/// Period over which bytes are counted.
const SECOND: Duration = Duration::from_secs(1);

/// Counters of the last period.
#[derive(Default)]
pub struct Status {
    drawn: Option<Time>,
    since: Time,
    then: Counters,
    bytes: [u64; 2],
}

impl Status {
    /// Returns true if a redraw is due.
    pub fn is_due(&mut self, now: Time) -> bool {
        let due = self.drawn.is_none_or(|drawn| now >= drawn + REDRAW_INTERVAL);
        if due {
            self.drawn = Some(now);
        }
        due
    }

    /// Formats the lines.
    pub fn lines(
        &mut self,
        now: Time,
        peer: &Peer<Duel, UdpTransport>,
        game: &Duel,
    ) -> [String; 2] {
        if now >= self.since + SECOND {
            let (counted, then) = (peer.counters(), self.then);
            let millis = now.since(self.since).as_millis() as u64;
            let sent = counted.sent_bytes - then.sent_bytes;
            let received = counted.received_bytes - then.received_bytes;
            self.bytes = [sent, received].map(|bytes| bytes * 1000 / millis);
            (self.since, self.then) = (now, counted);
        }
        let session = peer.session();
        let (present, confirmed) = (session.current_tick(), session.confirmed_tick());
        let certain = present.min(confirmed);
        let digest = game.digest(session.slots(), certain).map(|digest| digest.to_string());
        let delay = peer.local_players().find_map(|player| session.delay(player));
        let mut first = format!(
            "tick {present}  confirmed {confirmed}  rollbacks {}  delay {}",
            session.stats().rollbacks,
            delay.unwrap_or_default()
        );
        for machine in peer.endpoint().connected() {
            let millis = peer.endpoint().rtt(machine).unwrap_or_default().as_micros() / 1000;
            let _ = write!(first, "  {machine}: {millis} ms");
        }
        let [sent, received] = self.bytes;
        let digest = digest.as_deref().map_or("?", |digest| &digest[..16]);
        let second = format!("bytes/s {sent} out, {received} in  tick {certain} digest {digest}");
        [first, second]
    }
}
