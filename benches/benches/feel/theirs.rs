//! The ggrs side: two P2P sessions over the same traces. ggrs measures the round trip with the
//! machine's clock, so all matches run side by side in real time; packets are polled on arrival, as
//! its documentation asks.

use crate::SETTLING;
use crate::counts::Counts;
use crate::traces::{SECOND, Script, TICK, Trace};
use ggrs::{GgrsEvent, Message, NonBlockingSocket, P2PSession, SessionState};
use isostep_benches::ggrs::{Plain, fulfil, start};
use isostep_rollback::internals::{SimEvent, Timers};
use isostep_rollback::{NodeId, SimNetwork, Time};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Reaction to being ahead: the two ways of ggrs's page on time synchronization.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advice {
    /// Skips the frames of a `WaitRecommendation`.
    Skips,
    /// Slows down by a tenth for each of up to three `frames_ahead`.
    Slows,
}

struct Wire {
    network: SimNetwork,
    nodes: [NodeId; 2],
    now: Time,
    inboxes: [Vec<(u8, Message)>; 2],
}

struct Socket {
    own: usize,
    wire: Rc<RefCell<Wire>>,
}

impl NonBlockingSocket<u8> for Socket {
    fn send_to(&mut self, message: &Message, to: &u8) {
        let Wire { network, nodes, now, .. } = &mut *self.wire.borrow_mut();
        let bytes = bincode::serialize(message).expect("plain data");
        let (from, to) = (nodes[self.own], nodes[usize::from(*to)]);
        network.send(*now, from, to, &bytes).expect("time goes on");
    }

    fn receive_all_messages(&mut self) -> Vec<(u8, Message)> {
        std::mem::take(&mut self.wire.borrow_mut().inboxes[self.own])
    }
}

/// A match.
pub(crate) struct Theirs {
    wire: Rc<RefCell<Wire>>,
    timers: Timers<NodeId>,
    sessions: Vec<P2PSession<Plain>>,
    advice: Advice,
    /// Frames that each machine still has to skip.
    skip: [u32; 2],
    delay: u32,
    trace: Rc<Trace>,
    script: Rc<Script>,
    bytes: Vec<u8>,
    pub(crate) counts: Counts,
}

impl Theirs {
    pub(crate) fn new(
        (delay, window, advice): (u32, usize, Advice),
        trace: Rc<Trace>,
        script: Rc<Script>,
    ) -> Self {
        let mut network = SimNetwork::new(1);
        let nodes = [network.add_node(), network.add_node()];
        let wire = Wire { network, nodes, now: Time::ZERO, inboxes: [Vec::new(), Vec::new()] };
        let wire = Rc::new(RefCell::new(wire));
        let mut timers = Timers::new();
        timers.set(Time::ZERO, nodes[0]);
        timers.set(Time::ZERO + trace.launch, nodes[1]);
        let socket = |own| Socket { own, wire: Rc::clone(&wire) };
        let start = |own| start((own, 2), delay, window as u32, 0, socket(own));
        let sessions = (0..2).map(start).collect();
        let (bytes, counts) = (Vec::new(), Counts::default());
        let skip = [0; 2];
        Self { wire, timers, sessions, advice, skip, delay, trace, script, bytes, counts }
    }

    /// Sets the links to the trace's values for this tick.
    pub(crate) fn begin_tick(&mut self, tick: u32) {
        let Wire { network, nodes, .. } = &mut *self.wire.borrow_mut();
        self.trace.apply(network, *nodes, tick);
        if tick >= SETTLING {
            self.counts.time += 2;
            self.counts.delay += 2 * u64::from(self.delay);
        }
    }

    /// Plays until a time.
    pub(crate) fn run_until(&mut self, end: Time) {
        loop {
            let Some(event) = self.next_event(end) else { return };
            match event {
                SimEvent::Packet(packet) => {
                    let own = packet.to.index();
                    if own == 0 || packet.at >= Time::ZERO + self.trace.launch {
                        self.sessions[own].poll_remote_clients();
                    } else {
                        // The session does not exist yet.
                        self.wire.borrow_mut().inboxes[own].clear();
                    }
                }
                SimEvent::Wake { at, key } => self.frame(at, key),
            }
        }
    }

    /// Next event until a time; a packet is put into its inbox.
    fn next_event(&mut self, end: Time) -> Option<SimEvent<NodeId>> {
        let Wire { network, inboxes, now, .. } = &mut *self.wire.borrow_mut();
        let event = self.timers.next_event(network, end, &mut self.bytes)?;
        match event {
            SimEvent::Packet(packet) => {
                *now = packet.at;
                let message = bincode::deserialize(&self.bytes).expect("undamaged");
                inboxes[packet.to.index()].push((packet.from.index() as u8, message));
            }
            SimEvent::Wake { at, .. } => *now = at,
        }
        Some(event)
    }

    fn frame(&mut self, now: Time, node: NodeId) {
        let own = node.index();
        let session = &mut self.sessions[own];
        let counted = now.nanos() >= (TICK * SETTLING).as_nanos() as u64;
        let before = session.current_frame();
        let mut back = None;
        if session.current_state() != SessionState::Running {
            session.poll_remote_clients();
        } else if self.skip[own] > 0 {
            self.skip[own] -= 1;
            session.poll_remote_clients();
        } else {
            session.add_local_input(own, self.script.at(own, now)).expect("sits here");
            back = fulfil(session.advance_frame().expect("all have met"));
        }
        let made = session.current_frame() > before;
        if counted {
            self.counts.ticks += u64::from(made);
            self.counts.stalls += u64::from(!made);
            if let Some(back) = back {
                let deepest = self.counts.depths.len() - 1;
                self.counts.depths[((before - back) as usize).min(deepest)] += 1;
            }
        }
        for event in session.events() {
            if let GgrsEvent::WaitRecommendation { skip_frames } = event
                && self.advice == Advice::Skips
            {
                self.skip[own] += skip_frames;
            }
        }
        let ahead = match self.advice {
            Advice::Skips => 0,
            Advice::Slows => session.frames_ahead().clamp(0, 3) as u32,
        };
        self.timers.set(now + TICK + TICK * ahead / 10, node);
    }
}

/// Plays all matches at once, by the machine's clock if `real`; returns the total lag of the
/// machine.
pub(crate) fn play(matches: &mut [Theirs], ticks: u32, real: bool) -> Duration {
    /// Slices of a tick in which matches take turns: the resolution of ggrs's round trips.
    const PARTS: u32 = 4;
    let mut start = std::time::Instant::now();
    let mut lost = Duration::ZERO;
    for part in 0..ticks * PARTS {
        if part % PARTS == 0 {
            matches.iter_mut().for_each(|play| play.begin_tick(part / PARTS));
        }
        let end = TICK * (part + 1) / PARTS;
        matches.iter_mut().for_each(|play| play.run_until(Time::ZERO + end));
        // A test does not use the numbers.
        if !real {
            continue;
        }
        // After a hiccup matches continue at their pace: catching up would look like a faster
        // network.
        let late = start.elapsed().saturating_sub(end + TICK);
        start += late;
        lost += late;
        std::thread::sleep(end.saturating_sub(start.elapsed()));
        if part % (10 * SECOND * PARTS) == 0 {
            eprintln!("ggrs plays in real time: {} of {} s", part / PARTS / SECOND, ticks / SECOND);
        }
    }
    lost
}
