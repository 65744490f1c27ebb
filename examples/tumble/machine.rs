//! A player's machine: the loop of any game over a [`Peer`], with any transport and any clock.
//!
//! Call [`Machine::frame`] each frame, then [`Machine::listen`] until the end, then
//! [`Machine::leave`].

use crate::absence::{Absences, broadcast};
use crate::controller::Controller;
use crate::messages::Message;
use crate::options::clean_name;
use crate::rules::{Settings, Tumble};
use crate::view::View;
use isostep::netcode::crypto::{Credentials, MachineId};
use isostep::netcode::{Address, Entropy, Event, Peer, PeerConfig, PeerEvent, Seat, Transport};
use isostep::rollback::{AdaptiveDelay, Occupant, SessionEvent};
use isostep::{Mode, PlayerId, SessionConfig, State, Tick, Time};
use std::error::Error;

/// Result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Regular end.
    Over,
    /// The machines computed different worlds.
    Desync,
    /// All other machines left.
    Alone,
}

/// Settings of a machine.
pub struct Setup {
    pub credentials: Credentials,
    pub unix_at_zero: u64,
    pub addresses: Vec<(MachineId, Address)>,
    pub settings: Settings,
    pub name: Option<String>,
    /// True if no packet leaves this process, so that publicly known keys are safe.
    pub private: bool,
    /// Last tick, if there is one.
    pub last: Option<Tick>,
}

/// A player's machine.
pub struct Machine<T: Transport> {
    pub game: Tumble,
    pub peer: Peer<Tumble, T>,
    pub me: PlayerId,
    pub controller: Controller,
    pub view: View,
    /// Names of the players by seat, as far as received.
    pub names: Vec<Option<String>>,
    pub absences: Absences,
    /// Messages for the player; the caller drains them.
    pub notes: Vec<String>,
    /// Slots that have not confirmed the last tick yet.
    unfinished: Vec<MachineId>,
    private: bool,
    last: Option<Tick>,
    /// Final line, once this machine has confirmed the last tick.
    pub result: Option<String>,
}

impl<T: Transport> Machine<T> {
    pub fn new(
        setup: Setup,
        transport: T,
        entropy: Box<dyn Entropy + Send>,
    ) -> Result<Self, Box<dyn Error>> {
        let Setup { credentials, unix_at_zero, addresses, settings, name, private, last } = setup;
        let me = credentials.machine();
        let machines: Vec<MachineId> = credentials.roster().machines().collect();
        // All machines need equal settings. The delay adapts between 1 and 8 ticks, and rollbacks
        // of up to 3 are accepted.
        let session = SessionConfig::new()
            .mode(Mode::Rollback { max: 12 })
            .adaptive_delay(AdaptiveDelay::new(1, 8, 3)?)
            .start_together(true);
        let mut config = PeerConfig::new(credentials, unix_at_zero).session(session);
        for number in 0..settings.players {
            let machine = machines.get(usize::from(number));
            config = config.seat(machine.map_or(Seat::Bot, |&machine| Seat::Machine(machine)));
        }
        for (machine, address) in addresses {
            config = config.address(machine, address);
        }
        let mut game = Tumble::new(settings);
        let peer = Peer::new(config, &mut game, transport, entropy)?;
        let me = PlayerId(me.0);
        let mut names = vec![None; settings.players.into()];
        names[usize::from(me.0)] = name;
        let view = View::new(peer.session().config().duration_of(1));
        let unfinished = machines.into_iter().filter(|machine| machine.0 != me.0).collect();
        Ok(Self {
            game,
            peer,
            me,
            controller: Controller::default(),
            view,
            names,
            absences: Absences::default(),
            notes: Vec::new(),
            unfinished,
            private,
            last,
            result: None,
        })
    }

    /// The calls of a frame.
    pub fn frame(&mut self, now: Time) -> Result<(), Box<dyn Error>> {
        let frame = self.peer.begin_frame(now);
        self.view.alpha = frame.alpha;
        for _ in 0..frame.ticks {
            let input =
                self.controller.next(now, &self.game, self.peer.session().current_tick(), self.me);
            self.peer.local_input(self.me, input)?;
            let ran = self.peer.tick(now, &mut self.game)?;
            self.view.tick(ran, self.peer.session(), &self.game);
            self.check_end()?;
        }
        self.peer.end_frame(now);
        Ok(())
    }

    /// Tests if the last tick is reached and confirmed, so that its state is final.
    fn check_end(&mut self) -> Result<(), Box<dyn Error>> {
        let session = self.peer.session();
        let certain = session.current_tick().min(session.confirmed_tick());
        if let Some(tick) = self.last.filter(|&tick| certain >= tick && self.result.is_none()) {
            let digest = self.game.digest(session.slots(), tick)?;
            self.result = Some(format!("tick {tick} digest {digest}"));
            broadcast(&mut self.peer, &Message::Done);
        }
        Ok(())
    }

    /// Handles events of the session and the connections. Returns the result at the end of the
    /// match.
    pub fn listen(&mut self) -> Option<End> {
        while let Some((machine, message)) = self.peer.poll_message() {
            if let Some(word) = Message::read(&message) {
                self.hear(machine, word);
            }
        }
        let mut end = None;
        while let Some(event) = self.peer.poll_event() {
            end = self.take(&event).or(end);
        }
        self.absences.settle(&mut self.peer);
        let done = self.result.is_some() && self.unfinished.is_empty();
        end.or(done.then_some(End::Over))
    }

    fn hear(&mut self, from: MachineId, word: Message) {
        match word {
            Message::Name(name) => {
                if let Some(place) = self.names.get_mut(usize::from(from.0)) {
                    *place = clean_name(&name);
                }
            }
            Message::Done => self.unfinished.retain(|&other| other != from),
            Message::Gone { machine, heard } => {
                self.absences.heard(from, MachineId(machine), Tick(heard));
            }
            Message::Past { machine, tick, record } => {
                self.absences.take(&mut self.peer, MachineId(machine), Tick(tick), &record);
            }
        }
    }

    fn take(&mut self, event: &PeerEvent) -> Option<End> {
        match event {
            PeerEvent::Connected { machine } => {
                if let Some(name) = self.names[usize::from(self.me.0)].clone() {
                    let _ = self.peer.send_message(*machine, &Message::Name(name).to_bytes());
                }
            }
            PeerEvent::Left { machine, .. } if self.peer.has_started() => {
                // A departed machine can't report that it is done.
                self.unfinished.retain(|other| other != machine);
                if self.result.is_none() {
                    self.absences.left(&mut self.peer, *machine);
                    self.notes.push(event.to_string());
                }
                return None;
            }
            PeerEvent::Session(SessionEvent::Desync(report)) => {
                self.notes.push(format!("DESYNC on {report}"));
                return Some(End::Desync);
            }
            PeerEvent::Session(SessionEvent::Seated {
                player, occupant: Occupant::Bot, ..
            }) => {
                self.notes.push(format!("a bot plays on in seat {}", player.0 + 1));
                return None;
            }
            PeerEvent::Insecure if self.private => return None,
            // No message for the player.
            PeerEvent::Connection(Event::MtuRaised { .. })
            | PeerEvent::Session(SessionEvent::Stalled { .. } | SessionEvent::StallEnded { .. }) => {
                return None;
            }
            _ => (),
        }
        self.notes.push(event.to_string());
        None
    }

    /// Returns true if all other machines left.
    pub fn is_alone(&self) -> bool {
        self.peer.has_started()
            && self.peer.endpoint().peers().all(|machine| self.absences.has(machine))
    }

    /// Standings of the match, in a line.
    pub fn standing(&self) -> String {
        let points: Vec<_> = self.game.players.iter().map(|it| it.points.to_string()).collect();
        let wins: Vec<_> = self.game.players.iter().map(|it| it.wins.to_string()).collect();
        let (session, round) = (self.peer.session(), self.game.board.round);
        format!(
            "round {round}  points {}  rounds won {}  falls {}  rollbacks {}",
            points.join(":"),
            wins.join(":"),
            self.view.falls,
            session.stats().rollbacks
        )
    }

    /// Leaves. Call [`idle`](Self::idle) for half a second afterwards, so that every machine is
    /// informed.
    pub fn leave(&mut self, now: Time) {
        self.peer.leave(now);
    }

    /// A frame without ticks.
    pub fn idle(&mut self, now: Time) {
        self.peer.begin_frame(now);
        self.peer.end_frame(now);
    }
}
