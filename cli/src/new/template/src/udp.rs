//! A match over UDP: this player's machine, and the calls of a frame.

use crate::Options;
use crate::terminal::{Keys, Screen};
use game::{Game, NAME};
use isostep::netcode::crypto::{Credentials, GameId, Slot};
use isostep::netcode::transport::UdpTransport;
use isostep::netcode::{Event, OsEntropy, Peer, PeerConfig, PeerEvent, WallClock};
use isostep::rollback::{AdaptiveDelay, SessionEvent};
use isostep::{Mode, PlayerId, SessionConfig, Simulation, State, Tick, Time};
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

/// What a machine says when it is certain of the last tick.
const DONE: &[u8] = b"done";
/// How long goodbyes are repeated.
const GOODBYE: Duration = Duration::from_millis(500);
/// How long machines that computed different worlds stay: first until they know where, then until the other one knows it, too.
const LOOK_CLOSER: Duration = Duration::from_secs(5);
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Between two pictures.
const PICTURE: Duration = Duration::from_millis(50);

struct Machine {
    clock: WallClock,
    game: Game,
    peer: Peer<Game, UdpTransport>,
    me: PlayerId,
    other: Slot,
    /// The digest of the last tick, once it is certain.
    last: Option<String>,
    /// Whether the other one has said that it has got there.
    other_done: bool,
    /// When to leave, since the other one computed something else.
    parted: Option<Time>,
}

/// Plays until the end, or until somebody leaves.
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
        let done = machine.last.is_some() && machine.other_done && machine.parted.is_none();
        if done || keys.as_mut().is_some_and(Keys::quit) {
            break 0;
        }
        if now >= next_picture {
            next_picture = now + PICTURE;
            screen.draw(&machine.game);
        }
        // Not all the time until the next tick: what arrives before should be answered soon.
        let wait = machine.peer.next_due(now).since(machine.clock.now());
        std::thread::sleep(wait.min(Duration::from_millis(2)));
    };
    machine.say_goodbye();
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
        // Of two machines the one with the lower slot calls, and has to know where the other one is.
        let (me, other) = if options.mode == "host" { (1, 0) } else { (0, 1) };
        let credentials = match &options.token {
            Some(folder) => Credentials::load(folder)?,
            // Keys that everybody knows: they work on this machine only.
            None => Credentials::insecure(Slot(me), 2, game_id)?,
        };
        credentials.verify(game_id, clock.unix_at_zero())?;
        if credentials.slot() != Slot(me) {
            return Err(format!("to {}, take the folder of player-{me}", options.mode).into());
        }
        // The same on both machines. The delay follows the network; up to three ticks are guessed rather than waited for.
        let session = SessionConfig::new()
            .mode(Mode::Rollback { max: 12 })
            .adaptive_delay(AdaptiveDelay::new(1, 8, 3)?)
            .start_together(true);
        let mut config = PeerConfig::new(credentials, clock.unix_at_zero()).session(session);
        let bind_to = if me == 1 {
            address
        } else {
            config = config.address(Slot(other), address);
            let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
            any.parse()?
        };
        let transport = UdpTransport::bind(bind_to)
            .map_err(|error| format!("{bind_to}: {error}; choose another port"))?;
        let mut game = Game::default();
        let peer = Peer::new(config, &mut game, transport, Box::new(OsEntropy))?;
        let (me, other) = (PlayerId(me), Slot(other));
        Ok(Self { clock, game, peer, me, other, last: None, other_done: false, parted: None })
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
            // Reached, and all that led to it is known: it can't change any more.
            let certain = session.current_tick().min(session.confirmed_tick());
            if let Some(tick) = last.filter(|&tick| certain >= tick && self.last.is_none()) {
                let digest = self.game.digest(session.slots(), tick.0)?;
                self.last = Some(format!("tick {tick} digest {digest}"));
                // If the other one is gone already, the events tell.
                let _ = self.peer.send_message(self.other, DONE);
            }
        }
        self.peer.end_frame(now);
        Ok(())
    }

    /// Takes what the other one and the connection have to say; the exit code if that is the end.
    fn listen(&mut self, now: Time, screen: &mut Screen) -> Option<u8> {
        while let Some((_, message)) = self.peer.poll_message() {
            self.other_done |= message == DONE;
        }
        while let Some(event) = self.peer.poll_event() {
            match event {
                // It knows already what this machine was about to be told.
                PeerEvent::Left { .. } if self.parted.is_some() => return Some(1),
                // Nobody goes before both are done, so its word of that was lost.
                PeerEvent::Left { .. } if self.last.is_some() => self.other_done = true,
                PeerEvent::Left { .. } if self.peer.has_started() => {
                    screen.say(&event);
                    return Some(3);
                }
                PeerEvent::Session(SessionEvent::Desync(report)) => {
                    screen.say(&format!("DESYNC on {report}"));
                    // Not at once: the other one may still ask what this machine has.
                    self.parted = Some(now + LAST_WORDS);
                }
                PeerEvent::Session(SessionEvent::DigestsDiffer { .. }) => {
                    screen.say(&event);
                    self.parted.get_or_insert(now + LOOK_CLOSER);
                }
                // Nothing that players care for.
                PeerEvent::Connection(Event::LongerPackets { .. })
                | PeerEvent::Session(SessionEvent::Stalled { .. } | SessionEvent::Resumed { .. }) =>
                    {}
                event => screen.say(&event),
            }
        }
        self.parted.filter(|&until| now >= until).map(|_| 1)
    }

    /// Leaves, and stays a moment so that the other one hears it.
    fn say_goodbye(&mut self) {
        let until = self.clock.now() + GOODBYE;
        self.peer.leave(self.clock.now());
        while self.clock.now() < until {
            self.peer.begin_frame(self.clock.now());
            self.peer.end_frame(self.clock.now());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
