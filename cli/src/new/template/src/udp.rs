//! A match over UDP: the calls of a frame, and what players are told.

use crate::Options;
use crate::record::Recording;
use crate::terminal::{Keys, Screen};
use game::{Game, NAME};
use isostep::netcode::crypto::{Credentials, MachineId};
use isostep::netcode::{Audience, Peer, PeerConfig, PeerEvent, WallClock};
use isostep::rollback::{AdaptiveDelay, SessionEvent};
use isostep::{GameId, Mode, PlayerId, SessionConfig, Simulation, Tick, Time};
use std::error::Error;
use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

/// Time between two redraws.
const REDRAW_INTERVAL: Duration = Duration::from_millis(50);

/// Plays to the end, or until a machine leaves.
pub fn play(options: &Options, address: SocketAddr) -> Result<ExitCode, Box<dyn Error>> {
    let clock = WallClock::start();
    let id = GameId::named(NAME);
    let credentials = match &options.token {
        Some(folder) => Credentials::load(folder)?,
        // Publicly known keys: use them on one computer only.
        None => Credentials::insecure(MachineId(options.player), options.players, id)?,
    };
    credentials.verify(id, clock.unix_at_zero())?;
    let (me, players) = (PlayerId(credentials.machine().0), credentials.roster().machines().len());
    // The delay adapts to the network; up to 12 ticks are predicted. Both may differ between machines.
    let session = SessionConfig::new()
        .mode(Mode::Rollback { max: 12 })
        .adaptive_delay(AdaptiveDelay::new(1, 8, 3)?)
        .start_together(true);
    let config = PeerConfig::new(credentials, clock.unix_at_zero()).session(session);
    let mut game = Game::new(players);
    // By convention the host is machine 0, and the others know its address.
    let mut peer = match (options.mode.as_str(), me) {
        ("host", PlayerId(0)) => Peer::host(config, &mut game, address)?,
        ("join", PlayerId(1..)) => Peer::join(config, &mut game, address)?,
        _ => return Err("the host is player 0, and only the host; choose another folder".into()),
    };
    if let Some(tick) = options.ticks {
        peer.finish_at(tick);
    }
    let mut recording = Recording::start(options.record.as_deref(), peer.session(), &game)?;
    let mut keys = if options.bot { None } else { Keys::take() };
    let mut screen = Screen::new();
    screen.say(&format!("at {}", peer.transport_mut().local_addr()));
    let (mut next_picture, mut code) = (Time::ZERO, 0);
    let last = 'play: loop {
        let now = clock.now();
        for _ in 0..peer.begin_frame(now).ticks {
            let bot = || game.bot(peer.session().current_tick(), me);
            let pad = keys.as_mut().map_or_else(bot, Keys::pad);
            peer.local_input(me, pad)?;
            peer.tick(now, &mut game)?;
            recording.record(peer.session(), &game)?;
        }
        peer.end_frame(now);
        while let Some(event) = peer.poll_event() {
            match event {
                PeerEvent::Finished(end) => {
                    code = if end.differing.is_empty() { code } else { 1 };
                    break 'play Some(format!("tick {} digest {}", end.tick, end.digest));
                }
                // Without the machine, the match ends where all of its inputs are known.
                PeerEvent::Left { .. } if peer.has_started() => {
                    code = code.max(3);
                    peer.finish_at(Tick(0));
                    screen.say(&event);
                }
                PeerEvent::Session(SessionEvent::Desync(report)) => {
                    code = 1;
                    peer.finish_at(Tick(0));
                    screen.say(&format!("DESYNC on {report}"));
                }
                event if event.audience() == Audience::Players => screen.say(&event),
                _ => {}
            }
        }
        if keys.as_mut().is_some_and(Keys::quit) {
            break None;
        }
        if now >= next_picture {
            next_picture = now + REDRAW_INTERVAL;
            screen.draw(&game);
        }
        peer.wait(&clock);
    };
    recording.finish(peer.session(), &game)?;
    peer.leave_and_wait(&clock);
    drop((screen, keys));
    if let Some(line) = last {
        let _ = writeln!(stdout(), "{line}");
    }
    Ok(ExitCode::from(code))
}
