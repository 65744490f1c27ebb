//! Tumble, a complete small game: two to eight players shove each other and crates off a platform.
//!
//! In one process, you against three bots over a simulated Wi-Fi:
//!
//! ```text
//! cargo run --release -p isostep-examples --example tumble -- --local 4
//! ```
//!
//! Or each player in a separate process, over UDP with tokens, each with a page in a browser:
//!
//! ```text
//! cargo run --release -p isostep-cli -- match new --game tumble --players 2 --out /tmp/tumble
//! cargo run --release -p isostep-examples --example tumble -- /tmp/tumble/player-0 --listen 127.0.0.1:7000 --peer 1=127.0.0.1:7001
//! cargo run --release -p isostep-examples --example tumble -- /tmp/tumble/player-1 --listen 127.0.0.1:7001 --peer 0=127.0.0.1:7000
//! ```
//!
//! `rules` is the game, `bodies` its bodies and `bot` its bots; these three are in `isostep-scenes`, since the lab plays
//! the game as well. `machine` is the loop over a `Peer`, `controller` its input source, `absence` handles departed players,
//! `messages` are those beside the match; `view` is the state that the page draws, `page` and `http` serve it; `options`
//! are the arguments.

#![allow(unreachable_pub, reason = "a program of several files, read as an example")]

mod absence;
mod controller;
mod http;
mod machine;
mod messages;
mod options;
mod page;
#[cfg(test)]
mod tests;
mod view;

use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use isostep::netcode::transport::{SimTransport, UdpTransport};
use isostep::netcode::{Address, OsEntropy, Transport, WallClock};
use isostep::rollback::{LinkConfig, SimNetwork};
use isostep_scenes::games::tumble::{bodies, rules};
use machine::{End, Machine, Setup};
use options::{Options, USAGE};
use page::Page;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

/// Time that a machine stays connected after it found a desync.
const LINGER: Duration = Duration::from_secs(1);
/// Time for which the leave message is repeated.
const LEAVE_RESEND: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    ExitCode::from(run(arguments))
}

/// Plays as requested; returns the exit code.
fn run(arguments: Vec<String>) -> u8 {
    let options = match Options::read(arguments.into_iter()) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("tumble: {error}; see --help");
            return 2;
        }
    };
    let clock = WallClock::start();
    let end = match options.local {
        Some(players) => local(&options, players, &clock).and_then(|it| play(it, &clock, &options)),
        None => over_udp(&options, &clock).and_then(|it| play(it, &clock, &options)),
    };
    match end {
        Ok(End::Over) => 0,
        Ok(End::Desync) => 1,
        Ok(End::Alone) => 3,
        Err(error) => {
            eprintln!("tumble: {error}");
            2
        }
    }
}

/// Plays this player's machine over UDP.
fn over_udp(
    options: &Options,
    clock: &WallClock,
) -> Result<Vec<Machine<UdpTransport>>, Box<dyn Error>> {
    let credentials = options.credentials(clock.unix_at_zero())?;
    let machines = credentials.roster().machines().len();
    let transport = UdpTransport::bind(options.listen.ok_or("say where to --listen")?)?;
    println!("waiting for the others at {}", transport.local_addr());
    let setup = Setup {
        credentials,
        unix_at_zero: clock.unix_at_zero(),
        addresses: options.peers.iter().map(|&(machine, at)| (machine, at.into())).collect(),
        settings: options.settings(machines),
        name: options.name.clone(),
        private: false,
        last: options.ticks,
    };
    Ok(vec![Machine::new(setup, transport, Box::new(OsEntropy))?])
}

/// Plays all machines in this process over a simulated network with the quality of typical Wi-Fi.
fn local(
    options: &Options,
    players: u8,
    clock: &WallClock,
) -> Result<Vec<Machine<SimTransport>>, Box<dyn Error>> {
    let transports = SimTransport::nodes(SimNetwork::new(options.seed), players.into());
    transports[0].network().borrow_mut().set_all_links(LinkConfig::wifi())?;
    let machine = |(machine, transport)| {
        let others = (0..players).filter(|&other| other != machine);
        let setup = Setup {
            credentials: Credentials::insecure(
                MachineId(machine),
                players,
                GameId::named("tumble"),
            )?,
            unix_at_zero: clock.unix_at_zero(),
            addresses: others.map(|it| (MachineId(it), Address::Node(it.into()))).collect(),
            settings: options.settings(players.into()),
            name: options.name.clone().filter(|_| machine == 0),
            private: true,
            last: options.ticks,
        };
        Machine::new(setup, transport, Box::new(OsEntropy))
    };
    (0..players).zip(transports).map(machine).collect()
}

/// Plays to the end and leaves. The page shows the first machine.
fn play<T: Transport>(
    mut machines: Vec<Machine<T>>,
    clock: &WallClock,
    options: &Options,
) -> Result<End, Box<dyn Error>> {
    let port = options.port.or((!options.bot).then_some(0));
    let page = port.map(|port| Page::open(port, &machines[0].scene())).transpose()?;
    if let Some(page) = &page {
        println!("your page: http://{}", page.address());
    }
    let (mut started, mut leave_at) = (None, None);
    let end = 'match_: loop {
        let now = clock.now();
        if let Some(page) = page.as_ref().filter(|_| !options.bot) {
            machines[0].controller.touch(now, page.take_keys());
        }
        let mut ends = Vec::new();
        for machine in &mut machines {
            machine.frame(now)?;
            ends.extend(machine.listen());
        }
        show(&mut machines, now, page.as_ref());
        if ends.contains(&End::Desync) {
            // Stays a while: the others may still request state.
            leave_at.get_or_insert(now + LINGER);
            ends.clear();
        }
        if leave_at.is_some_and(|until| until <= now) {
            break 'match_ End::Desync;
        }
        if machines[0].peer.has_started() {
            started.get_or_insert(now);
        }
        let late = started.zip(options.limit).is_some_and(|(from, span)| from + span <= now);
        if late || ends.len() == machines.len() || page.as_ref().is_some_and(Page::has_left) {
            break 'match_ End::Over;
        }
        if page.is_none() && machines[0].is_alone() {
            break 'match_ End::Alone;
        }
        // Sleeps in short steps: packets that arrive before the next tick are answered soon.
        let due = machines.iter().map(|machine| machine.peer.next_due(now)).min();
        let wait = due.map_or(Duration::ZERO, |due| due.since(clock.now()));
        std::thread::sleep(wait.min(Duration::from_millis(2)));
    };
    let until = clock.now() + LEAVE_RESEND;
    machines.iter_mut().for_each(|machine| machine.leave(clock.now()));
    while clock.now() < until {
        machines.iter_mut().for_each(|machine| machine.idle(clock.now()));
        std::thread::sleep(Duration::from_millis(5));
    }
    let end = if leave_at.is_some() { End::Desync } else { end };
    for machine in &machines {
        println!("{}", machine.standing());
        machine.result.iter().for_each(|line| println!("{line}"));
    }
    Ok(end)
}

/// Sends messages to the page, or to the terminal if there is none.
fn show<T: Transport>(machines: &mut [Machine<T>], now: isostep::Time, page: Option<&Page>) {
    for (place, machine) in machines.iter_mut().enumerate() {
        let notes = std::mem::take(&mut machine.notes);
        if place > 0 {
            // The other machines in this process have the same messages.
            machine.view.news();
            continue;
        }
        for note in notes {
            println!("{note}");
            page.iter().for_each(|page| page.tell(&note));
        }
        match page {
            Some(page) => machine.picture(now).iter().for_each(|picture| page.show(picture)),
            None => drop(machine.view.news()),
        }
    }
}
