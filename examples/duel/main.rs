//! Two players in two terminals, over UDP, with tokens that one command makes.
//!
//! ```text
//! cargo run --release -p isostep-cli -- match new --game duel --players 2 --out /tmp/duel
//! cargo run --release -p isostep-examples --example duel -- /tmp/duel/player-0 --listen 127.0.0.1:7000 --peer 1=127.0.0.1:7001
//! cargo run --release -p isostep-examples --example duel -- /tmp/duel/player-1 --listen 127.0.0.1:7001 --peer 0=127.0.0.1:7000
//! ```
//!
//! Run the last two in a terminal each, or on two machines with their addresses. This file has the loop of any game over a
//! [`Peer`]; `game` is the game, `screen` the terminal, `status` the line below it, `options` the arguments.

#![allow(unreachable_pub, reason = "a program of several files, read as an example")]

mod game;
mod options;
mod screen;
mod status;

use game::Duel;
use isostep::netcode::crypto::MachineId;
use isostep::netcode::transport::UdpTransport;
use isostep::netcode::{
    CloseReason, Event, OsEntropy, Peer, PeerConfig, PeerEvent, WallClock, close_code,
};
use isostep::rollback::{AdaptiveDelay, SessionEvent};
use isostep::{Mode, PlayerId, SessionConfig, State, Tick, Time};
use options::{Options, USAGE};
use screen::{Keys, Screen};
use status::Status;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

/// Time for which the leave message is repeated.
const LEAVE_RESEND: Duration = Duration::from_millis(500);
/// After a desync: time limit for its explanation, then time to let the others finish theirs.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);
const LINGER: Duration = Duration::from_secs(1);
/// Message of a machine that has confirmed the last tick.
const DONE: &[u8] = b"done";

/// Result of a match.
enum End {
    Over,
    Desync,
    Left,
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("duel: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match Machine::new(&options).and_then(|machine| machine.play(&options)) {
        Ok((End::Over, last)) => {
            last.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Ok((End::Desync, _)) => ExitCode::from(1),
        Ok((End::Left, _)) => ExitCode::from(3),
        Err(error) => {
            eprintln!("duel: {error}");
            ExitCode::from(2)
        }
    }
}

/// This player's machine.
struct Machine {
    clock: WallClock,
    game: Duel,
    peer: Peer<Duel, UdpTransport>,
    me: PlayerId,
    /// Slots that have not confirmed the last tick yet.
    unfinished: Vec<MachineId>,
    /// Final line, once this machine has confirmed the last tick.
    last: Option<String>,
    /// Time to leave after a desync.
    leave_at: Option<Time>,
    screen: Screen,
}

impl Machine {
    fn new(options: &Options) -> Result<Self, Box<dyn Error>> {
        let clock = WallClock::start();
        let credentials = options.credentials(clock.unix_at_zero())?;
        let me = credentials.machine();
        let mut unfinished: Vec<MachineId> = credentials.roster().machines().collect();
        let mut game = Duel::new(unfinished.len());
        unfinished.retain(|&machine| machine != me);
        // All machines need equal settings. The delay adapts between 1 and 8 ticks, and rollbacks
        // of up to 3 are accepted.
        let session = SessionConfig::new()
            .mode(Mode::Rollback { max: 12 })
            .adaptive_delay(AdaptiveDelay::new(1, 8, 3)?)
            .start_together(true);
        let mut config = PeerConfig::new(credentials, clock.unix_at_zero()).session(session);
        for &(machine, address) in &options.peers {
            config = config.address(machine, address);
        }
        let transport = UdpTransport::bind(options.listen.ok_or("say where to --listen")?)?;
        let peer = Peer::new(config, &mut game, transport, Box::new(OsEntropy))?;
        let (me, screen) = (PlayerId(me.0), Screen::new());
        Ok(Self { clock, game, peer, me, unfinished, last: None, leave_at: None, screen })
    }

    /// Plays to the end and leaves.
    fn play(mut self, options: &Options) -> Result<(End, Option<String>), Box<dyn Error>> {
        let mut keys = if options.bot { None } else { Keys::take() };
        let (mut status, mut started) = (Status::default(), None);
        let here = self.peer.transport_mut().local_addr();
        self.screen.say(&format!("waiting for the others at {here}"));
        let end = loop {
            let now = self.clock.now();
            self.frame(now, keys.as_mut(), options.ticks)?;
            if let Some(end) = self.listen(now) {
                break end;
            }
            if self.peer.has_started() {
                started.get_or_insert(now);
            }
            let late = started.zip(options.limit).is_some_and(|(from, span)| from + span <= now);
            let done = self.last.is_some() && self.unfinished.is_empty() && self.leave_at.is_none();
            if done || late || keys.as_mut().is_some_and(Keys::quit) {
                break End::Over;
            }
            if status.is_due(now) {
                self.screen.draw(&self.game, &status.lines(now, &self.peer, &self.game));
            }
            // Sleeps in short steps: packets that arrive before the next tick are answered soon.
            let wait = self.peer.next_due(now).since(self.clock.now());
            std::thread::sleep(wait.min(Duration::from_millis(2)));
        };
        let lines = status.lines(self.clock.now(), &self.peer, &self.game);
        lines.iter().for_each(|line| self.screen.say(line));
        self.leave();
        Ok((end, self.last))
    }

    /// The calls of a frame.
    fn frame(
        &mut self,
        now: Time,
        mut keys: Option<&mut Keys>,
        last: Option<Tick>,
    ) -> Result<(), Box<dyn Error>> {
        for _ in 0..self.peer.begin_frame(now).ticks {
            let scripted = || self.game.script(self.peer.session().current_tick(), self.me);
            let stick = keys.as_mut().map_or_else(scripted, |keys| keys.stick());
            self.peer.local_input(self.me, stick)?;
            self.peer.tick(now, &mut self.game)?;
            let session = self.peer.session();
            // Reached and confirmed: the state of this tick is final.
            let certain = session.current_tick().min(session.confirmed_tick());
            if let Some(tick) = last.filter(|&tick| certain >= tick && self.last.is_none()) {
                let digest = self.game.digest(session.slots(), tick)?;
                self.last = Some(format!("tick {tick} digest {digest}"));
                for &machine in &self.unfinished {
                    // If a machine has just left, an event reports it.
                    let _ = self.peer.send_message(machine, DONE);
                }
            }
        }
        self.peer.end_frame(now);
        Ok(())
    }

    /// Handles events of the session and the connections. Returns the result at the end of the
    /// match.
    fn listen(&mut self, now: Time) -> Option<End> {
        while let Some((machine, message)) = self.peer.poll_message() {
            if message == DONE {
                self.unfinished.retain(|&other| other != machine);
            }
        }
        while let Some(event) = self.peer.poll_event() {
            match event {
                // The other machine has its report already.
                PeerEvent::Left { .. } if self.leave_at.is_some() => return Some(End::Desync),
                // Machines leave only when all are done, so its DONE message was lost.
                PeerEvent::Left { machine, reason: CloseReason::ClosedByPeer { code, .. } }
                    if self.last.is_some() && code == close_code::SHUTDOWN =>
                {
                    self.unfinished.retain(|&other| other != machine);
                }
                PeerEvent::Left { .. } if self.peer.has_started() => {
                    self.screen.say(&event);
                    return Some(End::Left);
                }
                PeerEvent::Session(SessionEvent::Desync(report)) => {
                    self.screen.say(&format!("DESYNC on {report}"));
                    // Stays a while: the others may still request state.
                    self.leave_at = Some(now + LINGER);
                }
                PeerEvent::Session(SessionEvent::DigestsDiffer { .. }) => {
                    self.screen.say(&event);
                    self.leave_at.get_or_insert(now + EXPLAIN_TIMEOUT);
                }
                // No message for the player.
                PeerEvent::Connection(Event::MtuRaised { .. })
                | PeerEvent::Session(
                    SessionEvent::Stalled { .. } | SessionEvent::StallEnded { .. },
                ) => {}
                event => self.screen.say(&event),
            }
        }
        self.leave_at.filter(|&until| now >= until).map(|_| End::Desync)
    }

    /// Leaves, and keeps sending for a moment so that every machine is informed.
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

#[cfg(test)]
mod tests {
    use super::*;
    use isostep::{Inputs, Simulation};

    #[test]
    fn scripts_shoot_goals() {
        let (mut game, mut inputs) = (Duel::new(2), Inputs::new(2));
        for tick in (0..3600).map(Tick) {
            inputs.set_next(&[0, 1].map(|player| game.script(tick, PlayerId(player))));
            game.step(tick, &inputs);
        }
        assert_ne!(game.score(), [0, 0]);
    }

    #[test]
    fn malformed_arguments_are_refused_by_name() {
        for (line, word) in [("--listen 7000", "--listen"), ("--peer 1", "="), ("--fly 1", "--fly")]
        {
            let error = Options::read(line.split(' ').map(str::to_owned)).expect_err(line);
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
