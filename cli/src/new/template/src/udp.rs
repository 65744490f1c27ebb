//! A match over UDP: this player's machine, and the calls of a frame.

use crate::Options;
use crate::terminal::{Keys, Screen};
use game::{Game, NAME};
use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use isostep::netcode::transport::UdpTransport;
use isostep::netcode::{Event, OsEntropy, Peer, PeerConfig, PeerEvent, WallClock};
use isostep::rollback::{AdaptiveDelay, SessionEvent};
use isostep::{Mode, PlayerId, SessionConfig, Simulation, State, Tick, Time};
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

/// Message of a machine that has confirmed the last tick.
const DONE: &[u8] = b"done";
/// Time for which the leave message is repeated.
const LEAVE_RESEND: Duration = Duration::from_millis(500);
/// After a desync: time limit for its explanation, then time to let the other machine finish its
/// own.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);
const LINGER: Duration = Duration::from_secs(1);
/// Time between two redraws.
const REDRAW_INTERVAL: Duration = Duration::from_millis(50);

struct Machine {
    clock: WallClock,
    game: Game,
    peer: Peer<Game, UdpTransport>,
    me: PlayerId,
    other: MachineId,
    /// Digest of the last tick, once it is confirmed.
    last: Option<String>,
    /// True once the other machine has reported [`DONE`].
    other_done: bool,
    /// Time to leave after a desync.
    leave_at: Option<Time>,
}

/// Plays to the end, or until a machine leaves.
pub fn play(options: &Options, address: SocketAddr) -> Result<ExitCode, Box<dyn Error>> {
    let mut machine = Machine::new(options, address)?;
    let mut keys = if options.bot { None } else { Keys::take() };
    let mut screen = Screen::new();
    screen.say(&format!("at {}", machine.peer.transport_mut().local_addr()));
    let mut next_picture = Time::ZERO;
    let code = loop {
        let now = machine.clock.now();
        machine.frame(now, keys.as_mut(), options.ticks)?;
        if let Some(code) = machine.listen(now, &mut screen) {
            break code;
        }
        let done = machine.last.is_some() && machine.other_done && machine.leave_at.is_none();
        if done || keys.as_mut().is_some_and(Keys::quit) {
            break 0;
        }
        if now >= next_picture {
            next_picture = now + REDRAW_INTERVAL;
            screen.draw(&machine.game);
        }
        // Sleeps in short steps: packets that arrive before the next tick are answered soon.
        let wait = machine.peer.next_due(now).since(machine.clock.now());
        std::thread::sleep(wait.min(Duration::from_millis(2)));
    };
    machine.leave();
    drop((screen, keys));
    if let Some(line) = machine.last {
        println!("{line}");
    }
    Ok(ExitCode::from(code))
}

impl Machine {
    fn new(options: &Options, address: SocketAddr) -> Result<Self, Box<dyn Error>> {
        let clock = WallClock::start();
        let game_id = GameId::named(NAME);
        // The machine with the lower id initiates, so it needs the other's address.
        let (me, other) = if options.mode == "host" { (1, 0) } else { (0, 1) };
        let credentials = match &options.token {
            Some(folder) => Credentials::load(folder)?,
            // Publicly known keys: use them on one computer only.
            None => Credentials::insecure(MachineId(me), 2, game_id)?,
        };
        credentials.verify(game_id, clock.unix_at_zero())?;
        if credentials.machine() != MachineId(me) {
            return Err(format!("to {}, take the folder of player-{me}", options.mode).into());
        }
        // Both machines need equal settings. The delay adapts to the network; up to three ticks are
        // predicted.
        let session = SessionConfig::new()
            .mode(Mode::Rollback { max: 12 })
            .adaptive_delay(AdaptiveDelay::new(1, 8, 3)?)
            .start_together(true);
        let mut config = PeerConfig::new(credentials, clock.unix_at_zero()).session(session);
        let bind_to = if me == 1 {
            address
        } else {
            config = config.address(MachineId(other), address);
            let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
            any.parse()?
        };
        let transport = UdpTransport::bind(bind_to)
            .map_err(|error| format!("{bind_to}: {error}; choose another port"))?;
        let mut game = Game::default();
        let peer = Peer::new(config, &mut game, transport, Box::new(OsEntropy))?;
        let (me, other) = (PlayerId(me), MachineId(other));
        Ok(Self { clock, game, peer, me, other, last: None, other_done: false, leave_at: None })
    }

    /// The calls of a frame.
    fn frame(
        &mut self,
        now: Time,
        mut keys: Option<&mut Keys>,
        last: Option<Tick>,
    ) -> Result<(), Box<dyn Error>> {
        for _ in 0..self.peer.begin_frame(now).ticks {
            let bot = || self.game.bot(self.peer.session().current_tick(), self.me);
            let pad = keys.as_mut().map_or_else(bot, |keys| keys.pad());
            self.peer.local_input(self.me, pad)?;
            self.peer.tick(now, &mut self.game)?;
            let session = self.peer.session();
            // Reached and confirmed: the state of this tick is final.
            let certain = session.current_tick().min(session.confirmed_tick());
            if let Some(tick) = last.filter(|&tick| certain >= tick && self.last.is_none()) {
                let digest = self.game.digest(session.slots(), tick)?;
                self.last = Some(format!("tick {tick} digest {digest}"));
                // If the other machine has left, an event reports it.
                let _ = self.peer.send_message(self.other, DONE);
            }
        }
        self.peer.end_frame(now);
        Ok(())
    }

    /// Handles events of the session and the connection. Returns the exit code at the end of the
    /// match.
    fn listen(&mut self, now: Time, screen: &mut Screen) -> Option<u8> {
        while let Some((_, message)) = self.peer.poll_message() {
            self.other_done |= message == DONE;
        }
        while let Some(event) = self.peer.poll_event() {
            match event {
                // The other machine has its report already.
                PeerEvent::Left { .. } if self.leave_at.is_some() => return Some(1),
                // Machines leave only when both are done, so the other's DONE message was lost.
                PeerEvent::Left { .. } if self.last.is_some() => self.other_done = true,
                PeerEvent::Left { .. } if self.peer.has_started() => {
                    screen.say(&event);
                    return Some(3);
                }
                PeerEvent::Session(SessionEvent::Desync(report)) => {
                    screen.say(&format!("DESYNC on {report}"));
                    // Stays a while: the other machine may still request state.
                    self.leave_at = Some(now + LINGER);
                }
                PeerEvent::Session(SessionEvent::DigestsDiffer { .. }) => {
                    screen.say(&event);
                    self.leave_at.get_or_insert(now + EXPLAIN_TIMEOUT);
                }
                // No message for the player.
                PeerEvent::Connection(Event::MtuRaised { .. })
                | PeerEvent::Session(SessionEvent::Stalled { .. } | SessionEvent::StallEnded { .. }) =>
                    {}
                event => screen.say(&event),
            }
        }
        self.leave_at.filter(|&until| now >= until).map(|_| 1)
    }

    /// Leaves, and keeps sending for a moment so that the other machine is informed.
    fn leave(&mut self) {
        let until = self.clock.now() + LEAVE_RESEND;
        self.peer.leave(self.clock.now());
        while self.clock.now() < until {
            self.peer.begin_frame(self.clock.now());
            self.peer.end_frame(self.clock.now());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
