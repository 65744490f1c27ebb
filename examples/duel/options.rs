//! Command line arguments.

use isostep::Tick;
use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub const USAGE: &str = "\
usage: duel FOLDER --listen ADDRESS [--peer ID=ADDRESS]… [OPTION]…

  FOLDER                    your key and token, as `isostep match new --game duel` writes them
  --insecure ID/PLAYERS     instead of a folder: public development keys, for a match on this computer
  --listen ADDRESS          local UDP address, such as 0.0.0.0:7000; port 0 is any free one
  --peer ID=ADDRESS         address of another player's machine; of two machines, at least the one with the lower id needs it
  --bot                     a script plays, as it does without a keyboard
  --ticks N                 ends when tick N is confirmed, and prints its digest
  --seconds N               leaves N seconds after the start

keys: W A S D or arrows go, space stops, Q leaves
exit codes: 0 the match ended, 1 the machines computed different worlds, 2 an error, 3 another player has left";

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
                    let (machine, address) = two('=')?;
                    let machine = MachineId(machine.parse().map_err(|error| wrong(&error))?);
                    options.peers.push((machine, address.parse().map_err(|error| wrong(&error))?));
                }
                "--insecure" => {
                    let (machine, players) = two('/')?;
                    let machine = MachineId(machine.parse().map_err(|error| wrong(&error))?);
                    options.insecure =
                        Some((machine, players.parse().map_err(|error| wrong(&error))?));
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
            (None, Some((machine, players))) => Credentials::insecure(machine, players, game)?,
            _ => return Err("say who you are: a folder, or --insecure ID/PLAYERS".into()),
        };
        credentials.verify(game, unix_now)?;
        Ok(credentials)
    }
}
