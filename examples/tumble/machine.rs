//! A player's machine: the loop that any game over a [`Peer`] has, over any transport and by any clock.
//!
//! Each frame [`Machine::frame`], then [`Machine::listen`] until the end, then [`Machine::say_goodbye`].

use crate::absence::{Absences, tell_all};
use crate::hand::Hand;
use crate::options::clean_name;
use crate::rules::{Settings, Tumble};
use crate::view::View;
use crate::words::Word;
use isostep::netcode::crypto::{Credentials, Slot};
use isostep::netcode::{Address, Entropy, Event, Peer, PeerConfig, PeerEvent, Seat, Transport};
use isostep::rollback::{AdaptiveDelay, Occupant, SessionEvent};
use isostep::{Mode, PlayerId, SessionConfig, State, Tick, Time};
use std::error::Error;

/// How a match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it was meant to.
    Over,
    /// The machines computed different worlds.
    Desync,
    /// Nobody else is left.
    Alone,
}

/// What a machine has to know.
pub struct Setup {
    pub credentials: Credentials,
    pub unix_at_zero: u64,
    pub addresses: Vec<(Slot, Address)>,
    pub settings: Settings,
    pub name: Option<String>,
    /// Nothing leaves this process, so that keys which everybody knows harm nobody.
    pub private: bool,
    /// The tick to end with, if any.
    pub last: Option<Tick>,
}

/// A player's machine.
pub struct Machine<T: Transport> {
    pub game: Tumble,
    pub peer: Peer<Tumble, T>,
    pub me: PlayerId,
    pub hand: Hand,
    pub view: View,
    /// What players are called, by seat, as far as they said.
    pub names: Vec<Option<String>>,
    pub absences: Absences,
    /// What is to be told; whoever runs this takes it.
    pub notes: Vec<String>,
    /// Who is not known to be certain of the last tick.
    unfinished: Vec<Slot>,
    private: bool,
    last: Option<Tick>,
    /// What is said in the end, once this machine is certain of the last tick.
    pub result: Option<String>,
}

impl<T: Transport> Machine<T> {
    pub fn new(
        setup: Setup,
        transport: T,
        entropy: Box<dyn Entropy + Send>,
    ) -> Result<Self, Box<dyn Error>> {
        let Setup { credentials, unix_at_zero, addresses, settings, name, private, last } = setup;
        let me = credentials.slot();
        let slots: Vec<Slot> = credentials.roster().slots().collect();
        // The same on all machines. A delay of 1 to 8 ticks, as the network needs it: rolling back by 3 is fine.
        let session = SessionConfig::new()
            .mode(Mode::Rollback { max: 12 })
            .adaptive_delay(AdaptiveDelay::new(1, 8, 3)?)
            .start_together(true);
        let mut config = PeerConfig::new(credentials, unix_at_zero).session(session);
        for number in 0..settings.players {
            let slot = slots.get(usize::from(number));
            config = config.seat(slot.map_or(Seat::Bot, |&slot| Seat::At(slot)));
        }
        for (slot, address) in addresses {
            config = config.address(slot, address);
        }
        let mut game = Tumble::new(settings);
        let peer = Peer::new(config, &mut game, transport, entropy)?;
        let me = PlayerId(me.0);
        let mut names = vec![None; settings.players.into()];
        names[usize::from(me.0)] = name;
        let view = View::new(peer.session().config().duration_of(1));
        let unfinished = slots.into_iter().filter(|slot| slot.0 != me.0).collect();
        Ok(Self {
            game,
            peer,
            me,
            hand: Hand::default(),
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
                self.hand.next(now, &self.game, self.peer.session().current_tick(), self.me);
            self.peer.local_input(self.me, input)?;
            let ran = self.peer.tick(now, &mut self.game)?;
            self.view.tick(ran, self.peer.session(), &self.game);
            self.look_for_the_end()?;
        }
        self.peer.end_frame(now);
        Ok(())
    }

    /// The last tick is reached, and all that led to it is known: it can't change any more.
    fn look_for_the_end(&mut self) -> Result<(), Box<dyn Error>> {
        let session = self.peer.session();
        let certain = session.current_tick().min(session.confirmed_tick());
        if let Some(tick) = self.last.filter(|&tick| certain >= tick && self.result.is_none()) {
            let digest = self.game.digest(session.slots(), tick.0)?;
            self.result = Some(format!("tick {tick} digest {digest}"));
            tell_all(&mut self.peer, &Word::Done);
        }
        Ok(())
    }

    /// Takes what the others and the connections have to say; whether that is the end.
    pub fn listen(&mut self) -> Option<End> {
        while let Some((slot, message)) = self.peer.poll_message() {
            if let Some(word) = Word::read(&message) {
                self.hear(slot, word);
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

    fn hear(&mut self, from: Slot, word: Word) {
        match word {
            Word::Name(name) => {
                if let Some(place) = self.names.get_mut(usize::from(from.0)) {
                    *place = clean_name(&name);
                }
            }
            Word::Done => self.unfinished.retain(|&other| other != from),
            Word::Gone { slot, heard } => self.absences.heard(from, Slot(slot), Tick(heard)),
            Word::Past { slot, tick, record } => {
                self.absences.take(&mut self.peer, Slot(slot), Tick(tick), &record);
            }
        }
    }

    fn take(&mut self, event: &PeerEvent) -> Option<End> {
        match event {
            PeerEvent::Joined { slot } => {
                if let Some(name) = self.names[usize::from(self.me.0)].clone() {
                    let _ = self.peer.send_message(*slot, &Word::Name(name).to_bytes());
                }
            }
            PeerEvent::Left { slot, .. } if self.peer.has_started() => {
                // Nothing more comes of it, not even that it is done.
                self.unfinished.retain(|other| other != slot);
                if self.result.is_none() {
                    self.absences.left(&mut self.peer, *slot);
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
            // Nothing that players care for.
            PeerEvent::Connection(Event::LongerPackets { .. })
            | PeerEvent::Session(SessionEvent::Stalled { .. } | SessionEvent::Resumed { .. }) => {
                return None;
            }
            _ => (),
        }
        self.notes.push(event.to_string());
        None
    }

    /// Whether everybody else has left.
    pub fn is_alone(&self) -> bool {
        self.peer.has_started() && self.peer.endpoint().others().all(|slot| self.absences.has(slot))
    }

    /// How the match stands, in a line.
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

    /// Leaves. Go on with [`idle`](Self::idle) for half a second, so that everybody hears it.
    pub fn say_goodbye(&mut self, now: Time) {
        self.peer.leave(now);
    }

    /// A frame without ticks.
    pub fn idle(&mut self, now: Time) {
        self.peer.begin_frame(now);
        self.peer.end_frame(now);
    }
}
