//! The lab: a match of two to four machines over a simulated network, played in this process and watched in a
//! browser.
//!
//! ```text
//! browser ──POST /control──▶ serve ──Order──▶ stage: SimMatch of Peers, 60 ticks a second
//!         ◀──GET /stream──── serve ◀──bytes── frame: what every machine sees, after each tick
//! ```
//!
//! - `serve`: routes; `crate::web` has the connections.
//! - `control`: what the page may ask for, checked.
//! - `stage`: the thread that owns the matches and follows the clock; `crate::play` is one of them.
//! - `frame`: messages of the stream as bytes.
//! - `page/`: the page, embedded, with what `crate::web` has for all pages.

mod control;
mod frame;
mod serve;
mod stage;

use crate::settings::{self, SettingError, Settings};
use crate::web::{self, PortError};
use clap::{Arg, ArgMatches, Command, value_parser};
use stage::Order;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Sender, channel};

const EXAMPLE: &str = "\
Example:
  isostep lab --players 3 --seed 7 --net wifi
  then open the address that it prints; http://127.0.0.1:7878/ unless told otherwise";

pub(crate) fn command() -> Command {
    let port = Arg::new("port").long("port").value_name("PORT").default_value("7878");
    let port = port.value_parser(value_parser!(u16)).help("Where to serve; 0 takes any free port");
    Command::new("lab")
        .about("Plays a match on several machines over a bad network, to watch in a browser")
        .long_about(
            "Plays a match on two to four simulated machines over a network that you make as bad as you like, and \
             shows what each of them sees. Serves one page on this computer only; nothing is downloaded. \
             What the match begins with can be changed on the page; `isostep demo` has the same settings.",
        )
        .arg(port)
        .args(settings::arguments())
        .after_help(EXAMPLE)
}

/// Serves until the process ends.
pub(crate) fn run(arguments: &ArgMatches) -> Result<(), LabError> {
    let port = *arguments.get_one::<u16>("port").expect("it has a default");
    let lab = Lab::open(port, settings::from_arguments(arguments)?)?;
    // Whoever started it may read the address from a pipe, and close it then.
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "The lab is open: http://{}/\nPress Ctrl+C to close it.", lab.address());
    let _ = out.flush();
    drop(out);
    lab.serve()
}

/// Why the lab can't open.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LabError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("the lab can't open: {0}")]
    Io(#[from] io::Error),
}

/// A lab whose port is open.
struct Lab {
    listener: TcpListener,
    address: SocketAddr,
    orders: Sender<Order>,
}

impl Lab {
    /// Opens the port, on this computer only, and sets the stage.
    fn open(port: u16, settings: Settings) -> Result<Self, LabError> {
        let listener = web::open(port)?;
        let address = listener.local_addr()?;
        let (orders, waiting) = channel();
        std::thread::Builder::new()
            .name("stage".to_owned())
            .spawn(move || stage::run(&waiting, settings))?;
        Ok(Self { listener, address, orders })
    }

    const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the process ends.
    fn serve(self) -> ! {
        serve::accept(&self.listener, self.orders)
    }
}
