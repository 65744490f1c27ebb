//! Input delay and clock correction of this machine, from the measurements of both sides.

use super::{Authority, Session};
use crate::Tick;
use crate::pace::{ArrivalMeter, DelayControl, Dilation, MarginReport, PeerOffset};
use crate::player::{Occupant, PeerId};
use crate::session::FeedError;
use crate::simulation::Simulation;
use crate::time::Time;
use core::time::Duration;

/// Age of a new median tick advantage, in ticks: half of the packets that it is taken over.
const MEASURING: u32 = 7;

/// Margin with which inputs should reach a relay, beyond jitter, in thousandths of a tick.
const RELAY_SLACK: i64 = 750;

/// Timing of one peer.
#[derive(Debug, Default)]
struct PeerPace {
    arrivals: ArrivalMeter,
    report: Option<MarginReport>,
    /// The peer holds a seat. Spectators do not influence the tick rate.
    plays: bool,
}

impl PeerPace {
    /// Returns the offset to another player: half the difference of both margins.
    fn offset_to_player(&self, own_delay: i64) -> Option<PeerOffset> {
        let (ours, report) = (self.arrivals.measured()?, self.report?);
        let theirs = report.measured?;
        let out = own_delay - i64::from(theirs.tick_advantage);
        let back = i64::from(report.delay) * 1000 - i64::from(ours.tick_advantage);
        Some(PeerOffset { ahead: (out - back) / 2, age: self.age()?, rate_ppm: report.rate_ppm })
    }

    /// Returns the offset to a relay, for inputs that arrive just before it closes their tick.
    fn offset_to_relay(&self, own_delay: i64, tick_length: Duration) -> Option<PeerOffset> {
        let theirs = self.report?.measured?;
        let margin = own_delay - i64::from(theirs.tick_advantage);
        let spread = i64::from(theirs.p95.wrapping_sub(theirs.median) as i32) * 1_000_000;
        let length = (tick_length.as_nanos() as i64).max(1);
        let wanted = spread / length + RELAY_SLACK;
        Some(PeerOffset { ahead: margin - wanted, age: self.age()?, rate_ppm: 0 })
    }

    /// Returns the approximate age of the measurements.
    fn age(&self) -> Option<Duration> {
        let (ours, theirs) = (self.arrivals.measured()?, self.report?.measured?);
        let round_trip = ours.median.wrapping_add(theirs.median) as i32;
        Some(Duration::from_micros(u64::from(round_trip.max(0) as u32) / 4))
    }
}

/// Timing of all peers, and the controllers.
#[derive(Debug, Default)]
pub(super) struct Pacing {
    peers: Vec<Option<PeerPace>>,
    dilation: Dilation,
    /// Controllers by seat, for local players with an adaptive delay.
    pub(super) delays: Vec<Option<DelayControl>>,
}

impl Pacing {
    pub(super) fn add_peer(&mut self, peer: PeerId) {
        while self.peers.len() <= peer.index() {
            self.peers.push(None);
        }
        self.peers[peer.index()].get_or_insert_default();
    }

    pub(super) fn remove_peer(&mut self, peer: PeerId) {
        if let Some(slot) = self.peers.get_mut(peer.index()) {
            *slot = None;
        }
    }

    fn all(&self) -> impl Iterator<Item = &PeerPace> {
        self.peers.iter().flatten()
    }

    /// Returns true if every peer has sent a report.
    pub(super) fn all_heard(&self) -> bool {
        self.all().all(|peer| peer.report.is_some())
    }

    /// Returns the RTT to the slowest playing peer in microseconds, 95th percentile.
    fn round_trip(&self) -> Option<i64> {
        let trips = self.all().filter(|peer| peer.plays).filter_map(|peer| {
            let ours = peer.arrivals.measured()?;
            Some(DelayControl::round_trip(ours, peer.report?.measured?))
        });
        trips.max()
    }
}

impl<S: Simulation> Session<S> {
    /// Returns the clock correction in parts per million that gives all inputs the same margin, for
    /// [`TickClock::set_rate_ppm`](crate::TickClock::set_rate_ppm). Positive is faster.
    #[doc(alias("frames_ahead", "WaitRecommendation"))]
    pub const fn rate_ppm(&self) -> i32 {
        self.pacing.dilation.rate_ppm()
    }

    /// Returns the timing report for a peer.
    #[doc(hidden)]
    pub fn margin_report(&self, peer: PeerId) -> Option<MarginReport> {
        let (at, made) = self.last_advance?;
        let pace = self.pacing.peers.get(peer.index())?.as_ref()?;
        Some(MarginReport {
            sent: (at.nanos() / 1000) as u32,
            made,
            delay: self.greatest_delay() as u8,
            rate_ppm: self.rate_ppm(),
            measured: pace.arrivals.measured(),
        })
    }

    /// Feeds a peer's timing report.
    ///
    /// # Errors
    /// If the session does not have the peer.
    #[doc(hidden)]
    pub fn margins(
        &mut self,
        now: Time,
        peer: PeerId,
        report: MarginReport,
    ) -> Result<(), FeedError> {
        let own = self.position(now);
        let micros = self.config.tick_length.as_micros() as u32;
        let pace = self.pacing.peers.get_mut(peer.index()).and_then(Option::as_mut);
        let pace = pace.ok_or(FeedError::UnknownPeer { peer })?;
        // Ignores a report that a newer one has overtaken.
        if pace.report.is_some_and(|last| last.made > report.made) {
            return Ok(());
        }
        if let Some(own) = own {
            pace.arrivals.packet(now, &report, own, micros);
        }
        pace.report = Some(report);
        Ok(())
    }

    /// Returns the time of the last packet of a peer.
    #[doc(hidden)]
    pub fn last_heard(&self, peer: PeerId) -> Option<Time> {
        self.pacing.peers.get(peer.index())?.as_ref()?.arrivals.last()
    }

    /// Returns the local tick at a time, in thousandths.
    fn position(&self, now: Time) -> Option<i64> {
        let (at, made) = self.last_advance?;
        let length = (self.config.tick_length.as_nanos() as i64).max(1);
        Some(i64::from(made.0) * 1000 + now.signed_since(at).saturating_mul(1000) / length)
    }

    fn greatest_delay(&self) -> u32 {
        let locals = self.seats.iter().filter_map(|seat| seat.local.as_ref());
        locals.map(|local| local.delay).max().unwrap_or(0)
    }

    /// Updates the input delay of local players and the tick rate.
    pub(super) fn update_pacing(&mut self, now: Time, target: Tick) {
        // A session that was stopped at an earlier tick repeats its newest one, as in a stall.
        let newest = self.last_advance.map_or(target, |(_, newest)| newest.max(target));
        self.last_advance = Some((now, newest));
        let length = self.config.tick_length;
        let relay = self.config.authority == Authority::Bundle;
        for (peer, pace) in (0..).map(PeerId).zip(&mut self.pacing.peers) {
            if let Some(pace) = pace {
                let theirs = Occupant::Remote(peer);
                pace.plays = self.seats.iter().any(|seat| seat.occupant(target) == theirs);
            }
        }
        // Between two players each takes half of the RTT; with a relay the player takes all of it.
        let share = if relay { 1 } else { 2 };
        let need = self.pacing.round_trip().map(|micros| micros / share);
        for (seat, control) in self.seats.iter_mut().zip(&mut self.pacing.delays) {
            if let (Some(local), Some(control)) = (&mut seat.local, control) {
                local.delay = control.tick(need, length);
            }
        }
        let own_delay = i64::from(self.greatest_delay()) * 1000;
        let local = self.seats.iter().any(|seat| seat.local.is_some());
        let Pacing { peers, dilation, .. } = &mut self.pacing;
        let offsets =
            peers.iter().flatten().filter(|peer| peer.plays && local).filter_map(|peer| {
                let offset = if relay {
                    peer.offset_to_relay(own_delay, length)?
                } else {
                    peer.offset_to_player(own_delay)?
                };
                Some(PeerOffset { age: offset.age + length * MEASURING, ..offset })
            });
        dilation.tick(now, length, offsets, !relay);
    }
}
