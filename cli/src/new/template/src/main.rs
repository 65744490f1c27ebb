//! Runs the game: two machines over UDP (`udp.rs`), or both in this process over a simulated
//! network. `terminal.rs` is screen and keyboard; `game.rs` is the game and depends on none of
//! them.

mod terminal;
mod udp;

use game::Game;
use isostep::rollback::{LinkConfig, SimMatch};
use isostep::{PlayerId, SessionConfig, Tick};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: {{name}} together [--ticks N]
       {{name}} host ADDRESS [--ticks N] [--token FOLDER] [--bot]
       {{name}} join ADDRESS [--ticks N] [--token FOLDER] [--bot]

  together          both players in this process, over a bad network; bots play
  host, join        two processes: the host waits at an address such as 127.0.0.1:7000, the other one goes there
  --ticks N         ends with tick N and prints its digest; there are 60 a second. (Together plays on for about a second
                    after tick N, until everything has arrived, and prints the digest of the tick it has got to.)
  --token FOLDER    your key and token, which strangers need: isostep match new --game {{name}}-1 --players 2 --out FOLDER
                    (the host has player-1, who joins has player-0)
  --bot             a bot plays; it does so too where there is no keyboard

keys: W A S D or arrows roll, space dashes, X lets go, Q leaves
exit codes: 0 the end, 1 the machines computed different worlds, 2 an error, 3 the other one has left";

/// Command line options.
struct Options {
    mode: String,
    address: Option<SocketAddr>,
    ticks: Option<Tick>,
    token: Option<PathBuf>,
    bot: bool,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mode = arguments.next().ok_or("say together, host or join")?;
        let address = match mode.as_str() {
            "together" => None,
            "host" | "join" => {
                let text = arguments.next().ok_or("say where: an address like 127.0.0.1:7000")?;
                Some(
                    text.parse()
                        .map_err(|_| format!("{text}: not an address like 127.0.0.1:7000"))?,
                )
            }
            other => return Err(format!("{other}: say together, host or join").into()),
        };
        let mut options = Self { mode, address, ticks: None, token: None, bot: false };
        while let Some(option) = arguments.next() {
            if option == "--bot" {
                options.bot = true;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{option}: needs a value"))?;
            match option.as_str() {
                "--ticks" => {
                    let number =
                        value.parse().map_err(|_| format!("--ticks {value}: not a number"))?;
                    options.ticks = Some(Tick(number));
                }
                "--token" => options.token = Some(value.into()),
                _ => return Err(format!("there is no option {option}").into()),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let played =
        Options::read(std::env::args().skip(1)).and_then(|options| match options.address {
            None => together(options.ticks.unwrap_or(Tick(600))),
            Some(address) => udp::play(&options, address),
        });
    played.unwrap_or_else(|error| {
        eprintln!("{}: {error} (see --help)", env!("CARGO_PKG_NAME"));
        ExitCode::from(2)
    })
}

/// Plays both machines in this process, in virtual time: a minute takes a moment, and every machine
/// gets the same bits.
fn together(ticks: Tick) -> Result<ExitCode, Box<dyn Error>> {
    let config = SessionConfig::new().delay(2);
    let mut sim = SimMatch::mesh(7, 2, &config, LinkConfig::wifi(), |_| Game::default())?;
    for tick in 1..=ticks.0 {
        // Each bot reads its own machine's predicted state.
        let pads = [0, 1].map(|player: u8| {
            use isostep::Simulation;
            let machine = &sim.machines()[usize::from(player)];
            machine.game.bot(machine.session.current_tick(), PlayerId(player))
        });
        sim.run(1, |machine, _, _| pads[machine])?;
        if tick % 60 == 0 {
            let machine = &sim.machines()[0];
            let ([left, right], rollbacks) =
                (machine.game.score(), machine.session.stats().rollbacks);
            println!("{:>3} s   {left} : {right}   {rollbacks} rollbacks", tick / 60);
        }
    }
    sim.settle()?;
    let (tick, digest) = sim.agree()?;
    println!("tick {tick} digest {digest}");
    Ok(ExitCode::SUCCESS)
}
