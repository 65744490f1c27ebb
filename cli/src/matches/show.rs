//! Prints a player's folder or one file of a match, without secrets.

use super::{MatchError, dates};
use isostep_netcode::PROTOCOL_VERSION;
use isostep_netcode::crypto::{
    Credentials, CredentialsError, FileError, MatchmakerKey, MatchmakerPublic, Roster, StaticKey,
    Stored, Token,
};
use isostep_netcode::internals::TokenExpectation;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Prints it. Returns true if the credentials are usable now.
pub(super) fn run(
    path: &Path,
    now: u64,
    as_json: bool,
    out: &mut impl Write,
) -> Result<bool, MatchError> {
    if !path.is_dir() {
        let (lines, value) = file(path, now)?;
        print(&lines, &value, as_json, out)?;
        return Ok(true);
    }
    let folder = Folder::load(path)?;
    let verified = folder.check(now);
    let (lines, value) = folder.report(path, now, &verified);
    print(&lines, &value, as_json, out)?;
    Ok(verified.is_ok())
}

fn print(
    lines: &[(&str, String)],
    value: &Value,
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), MatchError> {
    if as_json {
        return Ok(writeln!(out, "{value}")?);
    }
    Ok(lines.iter().try_for_each(|(name, text)| writeln!(out, "{name:<11} {text}"))?)
}

/// Labels with values.
type Lines = Vec<(&'static str, String)>;

/// Describes one file of any kind.
fn file(path: &Path, now: u64) -> Result<(Lines, Value), MatchError> {
    if let Some(token) = is::<Token>(path)? {
        let (spec, machine, holder) =
            (*token.spec(), token.machine().0, token.holder().to_string());
        let lines = vec![
            ("file", "a token: with its holder's secret key, a seat in a match".to_owned()),
            ("machine", machine.to_string()),
            ("game", spec.game.to_string()),
            ("match", spec.match_id.to_string()),
            ("expires", dates::expiry(spec.expires, now)),
            ("public key", holder.clone()),
        ];
        let value = json!({
            "file": "token", "machine": machine, "game": spec.game.to_string(), "match": spec.match_id.to_string(),
            "expires": spec.expires, "public_key": holder,
        });
        return Ok((lines, value));
    }
    if let Some(roster) = is::<Roster>(path)? {
        let machines: Vec<u8> = roster.machines().map(|machine| machine.0).collect();
        let about = format!("a roster of the machines {}", join(&machines));
        return Ok((vec![("file", about)], json!({ "file": "roster", "machines": machines })));
    }
    // Prints only the public half of a secret key.
    let (name, about, public) = if let Some(key) = is::<StaticKey>(path)? {
        ("key", "a player's secret key: do not share it", key.public().to_string())
    } else if let Some(key) = is::<MatchmakerKey>(path)? {
        (
            "matchmaker.key",
            "a matchmaker's secret key: its holder can seat any player",
            key.public().to_string(),
        )
    } else if let Some(public) = is::<MatchmakerPublic>(path)? {
        (
            "matchmaker.pub",
            "a matchmaker's public key: all machines of a match have it",
            public.to_string(),
        )
    } else {
        return Err(MatchError::Unknown(path.to_owned()));
    };
    let lines = vec![("file", about.to_owned()), ("public key", public.clone())];
    Ok((lines, json!({ "file": name, "public_key": public })))
}

/// Reads a file if it is of this kind.
fn is<T: Stored>(path: &Path) -> Result<Option<T>, MatchError> {
    match T::load(path) {
        Ok(thing) => Ok(Some(thing)),
        Err(FileError::WrongFormat { .. }) => Ok(None),
        // A file readable by others is no secret key, or is refused as one by its own kind.
        Err(FileError::Exposed { .. }) if !says_key(path) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns true if the file's header marks it as a secret key.
fn says_key(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    let name = text.split(|&byte| byte == b' ').next().unwrap_or_default();
    name.starts_with(b"isostep-") && name.ends_with(b"-key-v1")
}

fn join(machines: &[u8]) -> String {
    machines.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

/// Content of a player's folder. The key may be missing: a player can inspect the folder before
/// adding it.
struct Folder {
    token: Token,
    roster: Roster,
    matchmaker: MatchmakerPublic,
    key: Option<StaticKey>,
}

impl Folder {
    fn load(folder: &Path) -> Result<Self, MatchError> {
        let key = folder.join("key");
        Ok(Self {
            token: Token::load(folder.join("token"))?,
            roster: Roster::load(folder.join("roster"))?,
            matchmaker: MatchmakerPublic::load(folder.join("matchmaker.pub"))?,
            key: if key.exists() { Some(StaticKey::load(&key)?) } else { None },
        })
    }

    /// Checks everything that the present files allow. Returns true for development credentials.
    fn check(&self, now: u64) -> Result<bool, CredentialsError> {
        let Self { token, roster, matchmaker, key } = self;
        let spec = token.spec();
        let expected = TokenExpectation {
            game: spec.game,
            match_id: spec.match_id,
            protocol: PROTOCOL_VERSION,
            unix_now: now,
        };
        token.verify(matchmaker, &expected)?;
        roster.verify(matchmaker, &expected)?;
        if let Some(key) = key {
            let all = Credentials::new(key.clone(), token.clone(), roster.clone(), *matchmaker)?;
            return Ok(all.is_insecure());
        }
        if roster.key_of(token.machine()) != Some(token.holder()) {
            return Err(CredentialsError::NotInRoster { machine: token.machine() });
        }
        Ok(false)
    }

    fn report(
        &self,
        path: &Path,
        now: u64,
        verified: &Result<bool, CredentialsError>,
    ) -> (Lines, Value) {
        let (token, spec) = (&self.token, *self.token.spec());
        let machines: Vec<u8> = self.roster.machines().map(|machine| machine.0).collect();
        let mut lines = vec![
            ("machine", format!("{} (of {})", token.machine().0, join(&machines))),
            ("game", spec.game.to_string()),
            ("match", spec.match_id.to_string()),
            ("expires", dates::expiry(spec.expires, now)),
            ("public key", token.holder().to_string()),
            ("matchmaker", self.matchmaker.to_string()),
        ];
        lines.push(match verified {
            Ok(_) => ("verified", "yes: signed, not expired, and consistent".to_owned()),
            Err(error) => ("verified", format!("NO: {error}")),
        });
        if matches!(verified, Ok(true)) {
            lines.push(("WARNING", "for development only: these secrets are public".to_owned()));
        }
        if self.key.is_none() {
            let path = path.join("key");
            lines.push(("key", format!("missing: put your secret key in {}", path.display())));
        }
        let value = json!({
            "machine": token.machine().0, "machines": machines, "game": spec.game.to_string(),
            "match": spec.match_id.to_string(), "expires": spec.expires,
            "public_key": token.holder().to_string(), "matchmaker": self.matchmaker.to_string(),
            "verified": verified.is_ok(), "why_not": verified.as_ref().err().map(ToString::to_string),
            "insecure": matches!(verified, Ok(true)), "has_key": self.key.is_some(),
        });
        (lines, value)
    }
}
