//! Shows what is in a player's folder: everything but the secret.

use super::{MatchError, words};
use isostep_netcode::crypto::{
    Credentials, CredentialsError, MatchmakerPublic, Roster, StaticKey, Stored, Token,
    TokenExpectation,
};
use isostep_netcode::wire::PROTOCOL_VERSION;
use std::io::Write;
use std::path::Path;

/// Prints it; whether one can play with it now.
pub(super) fn run(folder: &Path, now: u64, out: &mut impl Write) -> Result<bool, MatchError> {
    let token = Token::load(folder.join("token"))?;
    let roster = Roster::load(folder.join("roster"))?;
    let matchmaker = MatchmakerPublic::load(folder.join("matchmaker.pub"))?;
    // A player who made the key elsewhere looks at the folder before putting it in.
    let key_path = folder.join("key");
    let key = if key_path.exists() { Some(StaticKey::load(&key_path)?) } else { None };

    let spec = *token.spec();
    let slots: Vec<_> = roster.slots().map(|slot| slot.0.to_string()).collect();
    writeln!(out, "slot        {} (players: {})", token.slot().0, slots.join(", "))?;
    writeln!(out, "game        {}", spec.game)?;
    writeln!(out, "match       {}", spec.match_id)?;
    writeln!(out, "expires     {}", words::expiry(spec.expires, now))?;
    writeln!(out, "public key  {}", token.holder())?;
    writeln!(out, "matchmaker  {matchmaker}")?;
    let good = match check(key.as_ref(), &token, &roster, &matchmaker, now) {
        Ok(insecure) => {
            writeln!(out, "verified    yes: signed, in time, and all of it belongs together")?;
            if insecure {
                writeln!(out, "WARNING     for development only: everybody knows these secrets")?;
            }
            true
        }
        Err(error) => {
            writeln!(out, "verified    NO: {error}")?;
            false
        }
    };
    if key.is_none() {
        let path = key_path.display();
        writeln!(out, "key         not here: put the secret that you made in {path}")?;
    }
    Ok(good)
}

/// Everything that can be checked with what is there; whether these are development credentials.
fn check(
    key: Option<&StaticKey>,
    token: &Token,
    roster: &Roster,
    matchmaker: &MatchmakerPublic,
    now: u64,
) -> Result<bool, CredentialsError> {
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
    if roster.key_of(token.slot()) != Some(token.holder()) {
        return Err(CredentialsError::Seat { slot: token.slot() });
    }
    Ok(false)
}
