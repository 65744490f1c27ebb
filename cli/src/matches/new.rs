//! Creates a match: signs everything first, then writes, so that an error leaves no files behind.

use super::{MatchError, dates, path};
use clap::ArgMatches;
use isostep_netcode::OsEntropy;
use isostep_netcode::PROTOCOL_VERSION;
use isostep_netcode::crypto::{
    Credentials, GameId, MachineId, MatchId, MatchSpec, Matchmaker, MatchmakerKey, PublicKey,
    StaticKey, Stored,
};
use serde_json::json;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Key of a machine: a new key, or the public key of a player who has one.
enum Player {
    Ours(StaticKey),
    Theirs(PublicKey),
}

impl Player {
    fn public(&self) -> PublicKey {
        match self {
            Self::Ours(key) => key.public(),
            Self::Theirs(key) => *key,
        }
    }
}

pub(super) fn run(
    arguments: &ArgMatches,
    now: u64,
    out: &mut impl Write,
) -> Result<(), MatchError> {
    let name = arguments.get_one::<String>("game").expect("clap requires it");
    let count = *arguments.get_one::<u8>("players").expect("clap requires it");
    let hours = *arguments.get_one::<u32>("hours").expect("it has a default");
    let folder = path(arguments, "out");
    let reused = arguments.get_one::<PathBuf>("matchmaker");

    let players = seat(count, arguments.get_many("holder").into_iter().flatten())?;
    let key = match reused {
        Some(path) => MatchmakerKey::load(path)?,
        None => MatchmakerKey::generate(&mut OsEntropy),
    };
    let spec = MatchSpec {
        game: GameId::named(name),
        match_id: MatchId::random(&mut OsEntropy),
        protocol: PROTOCOL_VERSION,
        issued: now,
        expires: now + u64::from(hours) * 3600,
    };
    let holders: Vec<_> = (0..).map(MachineId).zip(players.iter().map(Player::public)).collect();
    let matchmaker = Matchmaker::new(key.clone());
    let (roster, tokens) = matchmaker.issue(&spec, &holders)?;

    create_match_folder(folder)?;
    if reused.is_none() {
        key.save(folder.join("matchmaker.key"))?;
    }
    matchmaker.public().save(folder.join("matchmaker.pub"))?;
    let mut theirs = Vec::new();
    for (index, (player, token)) in players.into_iter().zip(tokens).enumerate() {
        let place = folder.join(format!("player-{index}"));
        match player {
            Player::Ours(key) => {
                Credentials::new(key, token, roster.clone(), matchmaker.public())?.save(place)?;
            }
            Player::Theirs(_) => {
                create_folder(&place)?;
                token.save(place.join("token"))?;
                roster.save(place.join("roster"))?;
                matchmaker.public().save(place.join("matchmaker.pub"))?;
                theirs.push(index.to_string());
            }
        }
    }

    let (id, until, place) = (spec.match_id, dates::date(spec.expires), folder.display());
    if arguments.get_flag("json") {
        let players: Vec<_> = holders.iter().map(|(machine, key)| json!({
            "machine": machine.0, "public_key": key.to_string(), "folder": format!("{place}/player-{}", machine.0),
            "has_key": !theirs.contains(&machine.0.to_string()),
        })).collect();
        let value = json!({
            "game": name, "match": id.to_string(), "expires": spec.expires,
            "matchmaker": matchmaker.public().to_string(), "players": players,
        });
        return Ok(writeln!(out, "{value}")?);
    }
    writeln!(out, "Match {id} of \"{name}\" for {count} players; they can connect until {until}.")?;
    writeln!(out, "- Send each player its folder, {place}/player-N, over a private channel.")?;
    if !theirs.is_empty() {
        let theirs = theirs.join(", ");
        writeln!(
            out,
            "- No key in the folder of player {theirs}: the secret goes there as `key`."
        )?;
    }
    let secret = reused.map_or_else(|| folder.join("matchmaker.key"), Clone::clone);
    let secret = secret.display();
    writeln!(out, "- Keep {secret} secret: its holder can seat any player in any match.")?;
    Ok(writeln!(out, "- To inspect a folder: isostep match show {place}/player-0")?)
}

/// Assigns players to all machine ids and creates the missing keys.
fn seat<'a>(
    count: u8,
    holders: impl Iterator<Item = &'a (MachineId, PublicKey)>,
) -> Result<Vec<Player>, MatchError> {
    let mut given = vec![None; usize::from(count)];
    for &(machine, key) in holders {
        let place =
            given.get_mut(usize::from(machine.0)).ok_or(MatchError::NoMachine(machine.0, count))?;
        if place.replace(key).is_some() {
            return Err(MatchError::Twice(machine.0));
        }
    }
    let player = |key: Option<PublicKey>| match key {
        Some(key) => Player::Theirs(key),
        None => Player::Ours(StaticKey::generate(&mut OsEntropy)),
    };
    Ok(given.into_iter().map(player).collect())
}

/// Creates the match folder; refuses an existing one, which could hold another match.
fn create_match_folder(path: &Path) -> Result<(), MatchError> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        let failed = |error| MatchError::Folder { path: parent.to_owned(), error };
        fs::create_dir_all(parent).map_err(failed)?;
    }
    create_folder(path)
}

/// Creates a folder with access for its owner only.
fn create_folder(path: &Path) -> Result<(), MatchError> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => MatchError::Exists(path.to_owned()),
        _ => MatchError::Folder { path: path.to_owned(), error },
    })
}
