//! Delay and rate of this machine, from what it measures of its peers and they of it.

use super::{Authority, Session};
use crate::pace::{ArrivalMeter, DelayControl, Dilation, MarginReport, PeerOffset};
use crate::player::{Occupant, PeerId};
use crate::session::FeedError;
use crate::simulation::Simulation;
use crate::tick::Tick;
use crate::time::Time;
use core::time::Duration;

/// Ticks by which a distance of clocks is old when it was just measured: half of the packets that it is the middle of.
const MEASURING: u32 = 7;

/// By how many thousandths of a tick inputs should reach a relay before it closes their tick, beside jitter.
const RELAY_SLACK: i64 = 750;

/// What is known of one peer's pace.
#[derive(Debug, Default)]
struct PeerPace {
    arrivals: ArrivalMeter,
    report: Option<MarginReport>,
    /// Whether it holds a seat. Who only watches has no say in how fast the match goes.
    plays: bool,
}

impl PeerPace {
    /// What the distance to another player asks for: half the difference of both margins.
    fn offset_to_player(&self, own_delay: i64) -> Option<PeerOffset> {
        let (ours, report) = (self.arrivals.measured()?, self.report?);
        let theirs = report.measured?;
        let out = own_delay - i64::from(theirs.tick_advantage);
        let back = i64::from(report.delay) * 1000 - i64::from(ours.tick_advantage);
        Some(PeerOffset { ahead: (out - back) / 2, age: self.age()?, rate_ppm: report.rate_ppm })
    }

    /// What a relay asks for: that inputs come just before it closes their tick.
    fn offset_to_relay(&self, own_delay: i64, tick_length: Duration) -> Option<PeerOffset> {
        let theirs = self.report?.measured?;
        let margin = own_delay - i64::from(theirs.tick_advantage);
        let spread = i64::from(theirs.p95.wrapping_sub(theirs.median) as i32) * 1_000_000;
        let length = (tick_length.as_nanos() as i64).max(1);
        let wanted = spread / length + RELAY_SLACK;
        Some(PeerOffset { ahead: margin - wanted, age: self.age()?, rate_ppm: 0 })
    }

    /// About how old what was measured is.
    fn age(&self) -> Option<Duration> {
        let (ours, theirs) = (self.arrivals.measured()?, self.report?.measured?);
        let round_trip = ours.median.wrapping_add(theirs.median) as i32;
        Some(Duration::from_micros(u64::from(round_trip.max(0) as u32) / 4))
    }
}

/// Everybody's pace.
#[derive(Debug, Default)]
pub(super) struct Pacing {
    peers: Vec<Option<PeerPace>>,
    dilation: Dilation,
    /// One for each seat with a local player whose delay adapts.
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

    /// Whether every peer was heard of.
    pub(super) fn all_heard(&self) -> bool {
        self.all().all(|peer| peer.report.is_some())
    }

    /// How long a round trip takes with the slowest peer that plays, in microseconds, for most ticks.
    fn round_trip(&self) -> Option<i64> {
        let trips = self.all().filter(|peer| peer.plays).filter_map(|peer| {
            let ours = peer.arrivals.measured()?;
            Some(DelayControl::round_trip(ours, peer.report?.measured?))
        });
        trips.max()
    }
}

impl<S: Simulation> Session<S> {
    /// How much faster than its clock this machine should make ticks, in parts per million, so that everybody's inputs
    /// arrive in time alike: for [`TickClock::set_rate_ppm`](crate::TickClock::set_rate_ppm).
    pub const fn rate_ppm(&self) -> i32 {
        self.pacing.dilation.rate_ppm()
    }

    /// What to tell a peer about our pace and what we have measured of its.
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

    /// What a peer told about its pace, and what it has measured of ours.
    ///
    /// # Errors
    /// When the peer is unknown here.
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
        // An older report that was overtaken says nothing.
        if pace.report.is_some_and(|last| last.made > report.made) {
            return Ok(());
        }
        if let Some(own) = own {
            pace.arrivals.packet(now, &report, own, micros);
        }
        pace.report = Some(report);
        Ok(())
    }

    /// When the last packet of a peer came.
    pub fn last_heard(&self, peer: PeerId) -> Option<Time> {
        self.pacing.peers.get(peer.index())?.as_ref()?.arrivals.last()
    }

    /// Where our ticks are at a time, in thousandths.
    fn position(&self, now: Time) -> Option<i64> {
        let (at, made) = self.last_advance?;
        let length = (self.config.tick_length.as_nanos() as i64).max(1);
        Some(i64::from(made.0) * 1000 + now.signed_since(at).saturating_mul(1000) / length)
    }

    fn greatest_delay(&self) -> u32 {
        let locals = self.seats.iter().filter_map(|seat| seat.local.as_ref());
        locals.map(|local| local.delay).max().unwrap_or(0)
    }

    /// Adapts the delays of local players, and the rate.
    pub(super) fn update_pacing(&mut self, now: Time, target: Tick) {
        self.last_advance = Some((now, target));
        let length = self.config.tick_length;
        let relay = self.config.authority == Authority::Bundle;
        for (peer, pace) in (0..).map(PeerId).zip(&mut self.pacing.peers) {
            if let Some(pace) = pace {
                let theirs = Occupant::Remote(peer);
                pace.plays = self.seats.iter().any(|seat| seat.occupant(target) == theirs);
            }
        }
        // Between two players each bears half of the round trip; who plays with a relay bears all of it.
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
