//! Runs the game: machines over UDP (`udp.rs`), or all of them in this process over a simulated network.
//! `terminal.rs` is screen and keyboard, `record.rs` writes and shows recordings; `game.rs` is the game
//! and depends on none of them.

mod record;
mod terminal;
mod udp;

use game::Game;
use isostep::rollback::{LinkConfig, SimMatch};
use isostep::{PlayerId, SessionConfig, Simulation, Tick};
use record::Recording;
use std::error::Error;
use std::io::{ErrorKind, Write, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: {{name}} together [options]
       {{name}} host ADDRESS [options]
       {{name}} join ADDRESS [options]
       {{name}} replay FILE

  together          all players in this process, over a bad network; bots play
  host, join        a process for each player: the host waits at an address such as 127.0.0.1:7000, the others go there
  replay FILE       shows a recording in a browser (cargo run --features viewer -- replay FILE)

  --players N       2 to 8 players (default 2). All processes need the same number
  --player N        which one you are when you join (default 1); the host is player 0
  --ticks N         ends with tick N and prints its digest; there are 60 a second. (Together plays on for about a second
                    after tick N, until everything has arrived, and prints the digest of the tick that it reached.)
  --record FILE     records the match
  --token FOLDER    your key and token, needed between computers: isostep match new --game {{name}}-1 --players 2 --out FOLDER
                    (the host has player-0; the folder says who you are, and how many play)
  --bot             a bot plays; it does so too where there is no keyboard

keys: W A S D or arrows roll, space dashes, X lets go, Q leaves
exit codes: 0 the end, 1 the machines computed different worlds, 2 an error, 3 a machine has left";

/// Command line options.
struct Options {
    mode: String,
    players: u8,
    player: u8,
    ticks: Option<Tick>,
    record: Option<PathBuf>,
    token: Option<PathBuf>,
    bot: bool,
}

impl Options {
    fn read(
        mode: String,
        mut arguments: impl Iterator<Item = String>,
    ) -> Result<Self, Box<dyn Error>> {
        let player = u8::from(mode == "join");
        let (ticks, record, token, bot) = (None, None, None, false);
        let mut options = Self { mode, players: 2, player, ticks, record, token, bot };
        while let Some(option) = arguments.next() {
            if option == "--bot" {
                options.bot = true;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{option}: needs a value"))?;
            let number =
                || value.parse::<u32>().map_err(|_| format!("{option} {value}: not a number"));
            let small = || number().map(|number| u8::try_from(number).unwrap_or(u8::MAX));
            match option.as_str() {
                "--players" => options.players = small()?,
                "--player" => options.player = small()?,
                "--ticks" => options.ticks = Some(Tick(number()?)),
                "--record" => options.record = Some(value.into()),
                "--token" => options.token = Some(value.into()),
                _ => return Err(format!("there is no option {option}").into()),
            }
        }
        if !(2..=8).contains(&options.players) || options.player >= options.players {
            return Err("2 to 8 play, and a player is one of them: 0, 1, …".into());
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help") {
        let _ = writeln!(stdout(), "{USAGE}");
        return ExitCode::SUCCESS;
    }
    run(std::env::args().skip(1)).unwrap_or_else(|error| {
        // A closed pipe: its reader, such as `head`, has read enough.
        let io = error.downcast_ref::<std::io::Error>();
        if io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        eprintln!("{}: {error} (see --help)", env!("CARGO_PKG_NAME"));
        ExitCode::from(2)
    })
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<ExitCode, Box<dyn Error>> {
    let mode = arguments.next().ok_or("say together, host, join or replay")?;
    match mode.as_str() {
        "together" => together(&Options::read(mode, arguments)?),
        "replay" => record::show(arguments.next().ok_or("say which file")?.as_ref()),
        "host" | "join" => {
            let text = arguments.next().ok_or("say where: an address like 127.0.0.1:7000")?;
            let address: SocketAddr =
                text.parse().map_err(|_| format!("{text}: not an address like 127.0.0.1:7000"))?;
            udp::play(&Options::read(mode, arguments)?, address)
        }
        other => Err(format!("{other}: say together, host, join or replay").into()),
    }
}

/// Plays all machines in this process, in virtual time: a minute takes a moment, and every machine
/// gets the same bits.
fn together(options: &Options) -> Result<ExitCode, Box<dyn Error>> {
    let (players, config) = (options.players, SessionConfig::new().delay(2));
    let new = |_| Game::new(usize::from(players));
    let mut sim = SimMatch::mesh(7, players, &config, LinkConfig::wifi(), new)?;
    let first = &sim.machines()[0];
    let mut recording = Recording::start(options.record.as_deref(), &first.session, &first.game)?;
    for tick in 1..=options.ticks.unwrap_or(Tick(600)).0 {
        // Each bot reads its own machine's predicted state.
        let machines = (0..).zip(sim.machines());
        let pads: Vec<_> = machines
            .map(|(player, it)| it.game.bot(it.session.current_tick(), PlayerId(player)))
            .collect();
        sim.run(1, |machine, _, _| pads[machine])?;
        let first = &sim.machines()[0];
        recording.record(&first.session, &first.game)?;
        if tick % 60 == 0 {
            let rollbacks = first.session.stats().rollbacks;
            let lost = terminal::lost(&first.game);
            writeln!(stdout(), "{:>3} s   {lost}   {rollbacks} rollbacks", tick / 60)?;
        }
    }
    sim.settle()?;
    let first = &sim.machines()[0];
    recording.finish(&first.session, &first.game)?;
    let (tick, digest) = sim.agree()?;
    writeln!(stdout(), "tick {tick} digest {digest}")?;
    Ok(ExitCode::SUCCESS)
}
