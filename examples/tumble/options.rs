//! Command line arguments.

use crate::rules::Settings;
use isostep::Tick;
use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use std::error::Error;
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Crates in addition to one for each player.
const MORE_CRATES: u8 = 4;

pub const USAGE: &str = "\
usage: tumble --local PLAYERS [OPTION]…
       tumble FOLDER --listen ADDRESS [--peer ID=ADDRESS]… [OPTION]…

  --local PLAYERS           2 to 8 machines in this process, over a simulated Wi-Fi: you and bots
  FOLDER                    your key and token, as `isostep match new --game tumble` writes them
  --insecure ID/PLAYERS     instead of a folder: public development keys, for a match on this computer
  --listen ADDRESS          local UDP address, such as 0.0.0.0:7000; port 0 is any free one
  --peer ID=ADDRESS         address of another player's machine; of two machines, at least the one with the lower id needs it
  --port PORT               port of your page, on this machine only (default: any free one)
  --name NAME               your name on all pages
  --bot                     a bot plays here, without a page unless --port is given
  --ticks N                 ends when tick N is confirmed, and prints its digest
  --seconds N               leaves N seconds after the start

the same for all machines:
  --bots N                  seats of bots without a machine (default: 0)
  --points N                points that end a round (default: 5)
  --round SECONDS           length of a round (default: 75)
  --seed N                  seed of the crates' positions and the bots' decisions

on the page: W A S D or arrows walk, space jumps, F, J or Enter shoves; or a gamepad
exit codes: 0 the match ended, 1 the machines computed different worlds, 2 an error, 3 all other machines left";

/// Limit on a name, characters.
pub const NAME: usize = 14;

/// Command line options.
#[derive(Debug)]
pub struct Options {
    pub local: Option<u8>,
    folder: Option<PathBuf>,
    insecure: Option<(MachineId, u8)>,
    pub listen: Option<SocketAddr>,
    pub peers: Vec<(MachineId, SocketAddr)>,
    pub port: Option<u16>,
    pub name: Option<String>,
    pub bot: bool,
    pub bots: u8,
    pub ticks: Option<Tick>,
    pub limit: Option<Duration>,
    pub points: i32,
    pub round: u32,
    pub seed: u64,
}

impl Options {
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            local: None,
            folder: None,
            insecure: None,
            listen: None,
            peers: Vec::new(),
            port: None,
            name: None,
            bot: false,
            bots: 0,
            ticks: None,
            limit: None,
            points: 5,
            round: 75,
            seed: 1,
        };
        while let Some(argument) = arguments.next() {
            if argument == "--bot" {
                options.bot = true;
            } else if argument.starts_with("--") {
                let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
                options.take(&argument, &value).map_err(|why| {
                    if why.is_empty() {
                        format!("no option {argument}")
                    } else {
                        format!("{argument} {value}: {why}")
                    }
                })?;
            } else if options.folder.replace(argument.into()).is_some() {
                return Err("there is one folder for each player; name only yours".into());
            }
        }
        options.check()?;
        Ok(options)
    }

    /// Parses one option; the error is empty if the option is unknown.
    fn take(&mut self, argument: &str, value: &str) -> Result<(), String> {
        match argument {
            "--local" => self.local = Some(within(value, 2, 8)?),
            "--insecure" => {
                let (machine, players) = two(value, '/')?;
                self.insecure = Some((MachineId(number(machine)?), number(players)?));
            }
            "--listen" => self.listen = Some(number(value)?),
            "--peer" => {
                let (machine, address) = two(value, '=')?;
                self.peers.push((MachineId(number(machine)?), number(address)?));
            }
            "--port" => self.port = Some(number(value)?),
            "--name" => self.name = Some(clean_name(value).ok_or("there is no letter in it")?),
            "--bots" => self.bots = within(value, 0, 7)?,
            "--ticks" => self.ticks = Some(Tick(number(value)?)),
            "--seconds" => self.limit = Some(Duration::from_secs(number(value)?)),
            "--points" => self.points = within(value, 1, 99)?,
            "--round" => self.round = within(value, 5, 3600)?,
            "--seed" => self.seed = number(value)?,
            _ => return Err(String::new()),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Box<dyn Error>> {
        let named = u8::from(self.folder.is_some()) + u8::from(self.insecure.is_some());
        match (self.local.is_some(), named) {
            (true, 0) if self.listen.is_none() && self.peers.is_empty() => (),
            (true, _) => {
                return Err(
                    "--local runs all machines itself: omit folder, --listen and --peer".into()
                );
            }
            (false, 1) if self.listen.is_some() => (),
            (false, 1) => return Err("say where to --listen".into()),
            (false, _) => {
                return Err(
                    "say --local 4, or who you are: a folder, or --insecure ID/PLAYERS".into()
                );
            }
        }
        if self.local.is_some_and(|players| players + self.bots > 8) {
            return Err("there are 8 seats: fewer --bots".into());
        }
        Ok(())
    }

    /// Settings of the rules for this many machines.
    pub fn settings(&self, machines: usize) -> Settings {
        let players = machines as u8 + self.bots;
        let (crates, round_ticks) = (players + MORE_CRATES, self.round * 60);
        Settings { players, crates, seed: self.seed, round_ticks, points: self.points }
    }

    /// Credentials of this player, checked for this game and the current time.
    pub fn credentials(&self, unix_now: u64) -> Result<Credentials, Box<dyn Error>> {
        let game = GameId::named("tumble");
        let credentials = match (&self.folder, self.insecure) {
            (Some(folder), None) => Credentials::load(folder)?,
            (None, Some((machine, players))) => Credentials::insecure(machine, players, game)?,
            _ => return Err("say who you are: a folder, or --insecure ID/PLAYERS".into()),
        };
        credentials.verify(game, unix_now)?;
        let machines = credentials.roster().machines().len();
        if !(2..=8).contains(&(machines + usize::from(self.bots))) {
            let bots = self.bots;
            return Err(
                format!("{machines} machines and {bots} bots: there are 2 to 8 seats").into()
            );
        }
        Ok(credentials)
    }
}

/// Sanitises a name: short and printable.
pub fn clean_name(name: &str) -> Option<String> {
    let letters = name.chars().filter(|letter| !letter.is_control()).take(NAME);
    let name = letters.collect::<String>().trim().to_owned();
    (!name.is_empty()).then_some(name)
}

fn number<T: FromStr<Err: Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}

fn within<T: FromStr<Err: Display> + PartialOrd + Display + Copy>(
    value: &str,
    least: T,
    most: T,
) -> Result<T, String> {
    let value = number(value)?;
    let fits = (least..=most).contains(&value);
    fits.then_some(value).ok_or_else(|| format!("it must lie between {least} and {most}"))
}

fn two(value: &str, between: char) -> Result<(&str, &str), String> {
    value.split_once(between).ok_or_else(|| format!("there is no {between} in it"))
}
