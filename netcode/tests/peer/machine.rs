//! One machine of a mesh: a peer with its clock, its players and its observed results.

use super::game::{Game, Pad, Player, hash_of, mixed};
use super::statistics::Figures;
use super::wire::Wire;
use core::time::Duration;
use isostep_core::digest::Digest;
use isostep_core::state::State;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{Event, Peer, PeerEvent};
use isostep_rollback::internals::VirtualClock;
use isostep_rollback::{
    Button, Buttons, DesyncReport, Input, NewestWins, PlayerId, SessionEvent, Tick, Time,
};

/// Inputs of a local player.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) player: PlayerId,
    last: Pad,
    samples: u16,
    presses: [u32; 8],
    pub(crate) commands: u32,
    command_hash: u64,
}

impl Given {
    /// The next sample: mostly levels that last some ticks, now and then a tap within a tick.
    fn sample(&mut self, seed: u64) -> Pad {
        let chance = mixed(&[seed, u64::from(self.player.0), u64::from(self.samples) / 4]);
        let buttons = self.last.0.next(chance & chance >> 8 & 0xff).expect("eight bits");
        let tap = Button::new((chance >> 20) as usize % 8).expect("eight buttons");
        let tapped = self.samples.is_multiple_of(7) && !buttons.pressed(tap) && !buttons.held(tap);
        let buttons = if tapped { buttons.press(tap).release(tap) } else { buttons };
        for (place, presses) in self.presses.iter_mut().enumerate() {
            *presses += (buttons.pressed_bits() >> place & 1) as u32;
        }
        self.samples += 1;
        self.last = (buttons, NewestWins(self.samples));
        self.last
    }

    /// Nothing new.
    fn hold(&mut self) -> Pad {
        self.last = Pad::hold(self.last);
        self.last
    }

    pub(crate) fn command(&mut self, command: &[u8]) {
        self.commands += 1;
        self.command_hash = hash_of(self.command_hash, command);
    }

    /// Every press and command exactly once, and samples in their order.
    pub(crate) fn check_heard(&self, players: &[Player], history: &[Vec<Option<Pad>>]) {
        let (player, seat) = (&players[usize::from(self.player.0)], self.player);
        assert_eq!(player.presses, self.presses, "presses of {seat:?}");
        let commands = (player.commands, player.command_hash);
        assert_eq!(commands, (self.commands, self.command_hash), "commands of {seat:?}");
        let mut presses = [0; 8];
        let mut last = 0;
        for inputs in history {
            let (buttons, NewestWins(number)) =
                inputs[usize::from(self.player.0)].expect("confirmed");
            assert!(number >= last, "samples of {seat:?} out of order");
            last = number;
            for (place, presses) in presses.iter_mut().enumerate() {
                *presses += (buttons.pressed_bits() >> place & 1) as u32;
            }
        }
        assert_eq!((presses, last), (self.presses, self.samples), "the history of {seat:?}");
    }
}

/// A machine.
pub(crate) struct Machine {
    pub(crate) peer: Peer<Game, Wire>,
    pub(crate) game: Game,
    pub(crate) clock: VirtualClock,
    /// Accumulated jump of its clock.
    pub(crate) jumped: Duration,
    /// False while the machine runs no frames.
    pub(crate) awake: bool,
    /// False if the machine makes no ticks because it has left.
    pub(crate) plays: bool,
    pub(crate) events: Vec<(Time, PeerEvent)>,
    pub(crate) messages: Vec<(MachineId, Vec<u8>)>,
    pub(crate) given: Vec<Given>,
    /// Confirmed inputs by seat and tick, except for bots.
    pub(crate) history: Vec<Vec<Option<Pad>>>,
    seed: u64,
}

impl Machine {
    pub(crate) fn new(peer: Peer<Game, Wire>, game: Game, clock: VirtualClock, seed: u64) -> Self {
        let given = |player| Given {
            player,
            last: (Buttons::none(), NewestWins(0)),
            samples: 0,
            presses: [0; 8],
            commands: 0,
            command_hash: 0,
        };
        let given = peer.local_players().map(given).collect();
        Self {
            peer,
            game,
            clock,
            jumped: Duration::ZERO,
            awake: true,
            plays: true,
            events: Vec::new(),
            messages: Vec::new(),
            given,
            history: Vec::new(),
            seed,
        }
    }

    /// Reading of its clock.
    pub(crate) fn time(&self, at: Time) -> Time {
        self.clock.local_time(at) + self.jumped
    }

    /// The calls of one frame.
    pub(crate) fn frame(&mut self, at: Time, inputs: bool) {
        if !self.awake {
            return;
        }
        let now = self.time(at);
        let frame = self.peer.begin_frame(now);
        for _ in 0..if self.plays { frame.ticks } else { 0 } {
            for given in &mut self.given {
                let sample = if inputs { given.sample(self.seed) } else { given.hold() };
                self.peer.local_input(given.player, sample).expect("a local player");
            }
            self.peer.tick(now, &mut self.game).expect("it runs");
        }
        self.peer.end_frame(now);
        while let Some(event) = self.peer.poll_event() {
            self.events.push((at, event));
        }
        while let Some(message) = self.peer.poll_message() {
            self.messages.push(message);
        }
        self.note_confirmed();
    }

    fn note_confirmed(&mut self) {
        let session = self.peer.session();
        while (self.history.len() as u32) < session.confirmed_tick().0 {
            let tick = Tick(self.history.len() as u32);
            let input = |player| Some(session.confirmed_input(PlayerId(player as u8), tick)?.0);
            self.history.push((0..session.players()).map(input).collect());
        }
    }

    pub(crate) fn command(&mut self, seat: usize, command: &[u8]) -> bool {
        let taken = self.peer.command(self.given[seat].player, command).is_ok();
        if taken {
            self.given[seat].command(command);
        }
        taken
    }

    pub(crate) fn digest(&self, tick: Tick) -> Digest {
        self.game.digest(self.peer.session().slots(), tick).expect("it is in the ring")
    }

    pub(crate) fn figures(&self) -> Figures {
        let counters = self.peer.counters();
        Figures::of(self.peer.session(), counters.sent, counters.sent_bytes)
    }

    /// Number of events that match.
    pub(crate) fn count(&self, like: impl Fn(&PeerEvent) -> bool) -> usize {
        self.events.iter().filter(|(_, event)| like(event)).count()
    }

    pub(crate) fn stalled(&self) -> usize {
        self.count(|event| matches!(event, PeerEvent::Session(SessionEvent::Stalled { .. })))
    }

    pub(crate) fn moved(&self) -> usize {
        self.count(|event| matches!(event, PeerEvent::Connection(Event::Migrated { .. })))
    }

    pub(crate) fn left(&self) -> usize {
        self.count(|event| matches!(event, PeerEvent::Left { .. }))
    }

    pub(crate) fn reports(&self) -> Vec<&DesyncReport> {
        self.events
            .iter()
            .filter_map(|(_, event)| match event {
                PeerEvent::Session(SessionEvent::Desync(report)) => Some(&**report),
                _ => None,
            })
            .collect()
    }

    /// Checks that no machine left, nothing was refused, no digest differed, and digests were compared.
    pub(crate) fn check_nothing_is_wrong(&self) {
        let wrong = |event: &PeerEvent| match event {
            PeerEvent::Left { .. }
            | PeerEvent::ConnectFailed { .. }
            | PeerEvent::Refused { .. }
            | PeerEvent::LinkError { .. }
            | PeerEvent::Transport { .. } => true,
            PeerEvent::Session(event) => {
                !matches!(event, SessionEvent::Stalled { .. } | SessionEvent::StallEnded { .. })
            }
            _ => false,
        };
        let found = self.events.iter().find(|(_, event)| wrong(event));
        assert!(found.is_none(), "{found:?}");
        let compared = self.peer.session().stats().compared;
        let others = self.peer.endpoint().peers().count() as u64;
        let made = u64::from(self.peer.session().confirmed_tick().0) / 16;
        assert!(compared > made * others / 2, "only {compared} of {made} digests were compared");
    }
}
