//! Command line arguments.

use isostep::Tick;
use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub const USAGE: &str = "\
usage: duel FOLDER --listen ADDRESS [--peer SLOT=ADDRESS]… [OPTION]…

  FOLDER                    your key and token, as `isostep match new --game duel` writes them
  --insecure SLOT/PLAYERS   instead of a folder: keys that everybody knows, for a match on this machine
  --listen ADDRESS          where to receive, such as 0.0.0.0:7000; port 0 takes any that is free
  --peer SLOT=ADDRESS       where another player is; of two players at least the one with the lower slot must know
  --bot                     a script plays; it does so too where there is no keyboard
  --ticks N                 ends with tick N, once it is certain, and prints its digest
  --seconds N               leaves N seconds after the start

keys: W A S D or arrows go, space stops, Q leaves
exit codes: 0 the end, 1 the machines computed different worlds, 2 an error, 3 another player has left";

/// Command line options.
#[derive(Debug, Default)]
pub struct Options {
    folder: Option<PathBuf>,
    insecure: Option<(MachineId, u8)>,
    pub listen: Option<SocketAddr>,
    pub peers: Vec<(MachineId, SocketAddr)>,
    pub bot: bool,
    pub ticks: Option<Tick>,
    pub limit: Option<Duration>,
}

impl Options {
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            if argument == "--bot" {
                options.bot = true;
                continue;
            }
            if !argument.starts_with("--") {
                options.folder = Some(argument.into());
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
            let wrong = |error: &dyn Error| format!("{argument} {value}: {error}");
            let two = |between| {
                let parts = value.split_once(between);
                parts.ok_or_else(|| format!("{argument} {value}: there is no {between} in it"))
            };
            match argument.as_str() {
                "--listen" => options.listen = Some(value.parse().map_err(|error| wrong(&error))?),
                "--peer" => {
                    let (slot, address) = two('=')?;
                    let slot = MachineId(slot.parse().map_err(|error| wrong(&error))?);
                    options.peers.push((slot, address.parse().map_err(|error| wrong(&error))?));
                }
                "--insecure" => {
                    let (slot, players) = two('/')?;
                    let slot = MachineId(slot.parse().map_err(|error| wrong(&error))?);
                    options.insecure =
                        Some((slot, players.parse().map_err(|error| wrong(&error))?));
                }
                "--ticks" => {
                    options.ticks = Some(Tick(value.parse().map_err(|error| wrong(&error))?));
                }
                "--seconds" => {
                    let seconds = value.parse().map_err(|error| wrong(&error))?;
                    options.limit = Some(Duration::from_secs(seconds));
                }
                _ => return Err(format!("no option {argument}").into()),
            }
        }
        Ok(options)
    }

    /// Credentials of this player, checked for this game and the current time.
    pub fn credentials(&self, unix_now: u64) -> Result<Credentials, Box<dyn Error>> {
        let game = GameId::named("duel");
        let credentials = match (&self.folder, self.insecure) {
            (Some(folder), None) => Credentials::load(folder)?,
            (None, Some((slot, players))) => Credentials::insecure(slot, players, game)?,
            _ => return Err("say who you are: a folder, or --insecure SLOT/PLAYERS".into()),
        };
        credentials.verify(game, unix_now)?;
        Ok(credentials)
    }
}
