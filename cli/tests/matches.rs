//! `isostep match` from outside: the real command in a folder of its own.

use crate::desk::Desk;
use isostep_netcode::crypto::{Credentials, GameId, MachineId, Stored, Token};
use std::path::{Path, PathBuf};

impl Desk {
    fn good(&self, arguments: &str) -> String {
        let (code, said) = self.run("match", arguments);
        assert_eq!(code, 0, "{arguments}: {said}");
        said
    }

    fn bad(&self, arguments: &str, advice: &str) {
        let (code, said) = self.run("match", arguments);
        assert_eq!(code, 2, "{arguments}: {said}");
        assert!(said.contains(advice), "{arguments}: {said}");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

fn secret_of(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn a_new_match_has_a_folder_for_each_player() {
    let desk = Desk::new("new");
    let said = desk.good("new --game tanks --players 3 --hours 2 --out a/b");
    assert!((3..=5).contains(&said.lines().count()), "{said}");
    let all: Vec<_> = (0..3)
        .map(|player| Credentials::load(desk.path(&format!("a/b/player-{player}"))).unwrap())
        .collect();
    for (player, credentials) in (0..).zip(&all) {
        assert_eq!(credentials.machine(), MachineId(player));
        assert_eq!(credentials.roster(), all[0].roster());
        let spec = credentials.token().spec();
        assert_eq!(spec.expires - spec.issued, 7200);
        assert_eq!(credentials.verify(GameId::named("tanks"), spec.issued), Ok(()));
        assert!(!credentials.is_insecure());
    }
    assert!(desk.path("a/b/matchmaker.pub").exists());
    let secrets = ["matchmaker.key", "player-0/key", "player-1/key", "player-2/key"];
    for secret in secrets.map(|name| desk.path("a/b").join(name)) {
        assert!(!said.contains(&secret_of(&secret)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&secret).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", secret.display());
        }
    }
}

#[test]
fn show_tells_everything_but_the_secret() {
    let desk = Desk::new("show");
    desk.good("new --game tanks --players 2 --out m");
    let said = desk.good("show m/player-1");
    let token = Token::load(desk.path("m/player-1/token")).unwrap();
    let spec = token.spec();
    for part in [
        "slot        1",
        &spec.game.to_string(),
        &spec.match_id.to_string(),
        "in 23 hours",
        &token.holder().to_string(),
        "verified    yes",
    ] {
        // A full day is left in the second in which it is made.
        let found = said.contains(part) || (part == "in 23 hours" && said.contains("in 24 hours"));
        assert!(found, "{part}: {said}");
    }
    assert!(!said.contains(&secret_of(&desk.path("m/player-1/key"))));
}

#[test]
fn show_says_what_does_not_verify_and_exits_with_1() {
    let desk = Desk::new("mixed");
    desk.good("new --game tanks --players 2 --out one");
    desk.good("new --game tanks --players 2 --out two");
    let copy = |from: &str, to: &str| {
        std::fs::copy(desk.path(from), desk.path(to)).unwrap();
    };
    copy("two/matchmaker.pub", "one/player-0/matchmaker.pub");
    copy("one/player-0/key", "one/player-1/key");
    for (folder, why) in
        [("one/player-0", "not signed by"), ("one/player-1", "the token belongs to")]
    {
        let (code, said) = desk.run("match", &format!("show {folder}"));
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("verified    NO") && said.contains(why), "{said}");
    }
}

#[test]
fn a_player_can_keep_the_secret_to_itself() {
    let desk = Desk::new("holder");
    let said = desk.good("key --out my.key");
    let public = said.lines().next().unwrap().rsplit(' ').next().unwrap();
    assert!(!said.contains(&secret_of(&desk.path("my.key"))));
    desk.good(&format!("new --game tanks --players 2 --holder 1={public} --out m"));
    assert!(desk.path("m/player-0/key").exists());
    assert!(!desk.path("m/player-1/key").exists());
    assert!(desk.good("show m/player-1").contains("not here"));
    std::fs::rename(desk.path("my.key"), desk.path("m/player-1/key")).unwrap();
    assert!(!desk.good("show m/player-1").contains("not here"));
    assert_eq!(Credentials::load(desk.path("m/player-1")).unwrap().machine(), MachineId(1));
}

#[test]
fn a_matchmaker_signs_many_matches() {
    let desk = Desk::new("again");
    desk.good("new --game tanks --players 2 --out one");
    desk.good("new --game tanks --players 2 --matchmaker one/matchmaker.key --out two");
    let [one, two] =
        ["one", "two"].map(|name| Credentials::load(desk.path(name).join("player-0")).unwrap());
    assert_eq!(one.matchmaker(), two.matchmaker());
    assert_ne!(one.token().spec().match_id, two.token().spec().match_id);
    assert!(!desk.path("two/matchmaker.key").exists());
}

#[test]
fn mistakes_exit_with_2_and_say_what_to_do() {
    let desk = Desk::new("mistakes");
    let public = "09".repeat(32);
    desk.good("key --out k");
    desk.good("new --game tanks --players 2 --out m");
    desk.bad("key --out k", "choose another path");
    desk.bad("new --game tanks --players 2 --out m", "--out");
    desk.bad("new --game tanks --players 2 --out k/m", "--out");
    desk.bad("show nowhere", "check that the file exists");
    desk.bad("show m", "check that the file exists");
    let new = |rest: &str| format!("new --game tanks --players 2 --out n {rest}");
    desk.bad(&new("--matchmaker k"), "isostep-matchmaker-key-v1");
    desk.bad(&new("--holder 1=zz"), "64 hex digits");
    desk.bad(&new("--holder nobody"), "write the slot");
    desk.bad(&new(&format!("--holder 2={public}")), "slots 0 to 1");
    desk.bad(&new(&format!("--holder 1={public} --holder 1={public}")), "twice");
    desk.bad(&new(&format!("--holder 0={public} --holder 1={public}")), "generate a key for each");
    desk.bad(&new(&format!("--holder 0={}", "00".repeat(32))), "generate a new key");
    // What was refused has left nothing behind.
    assert!(!desk.path("n").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = desk.path("m/player-0/key");
        std::fs::set_permissions(key, PermissionsExt::from_mode(0o644)).unwrap();
        desk.bad("show m/player-0", "chmod 600");
    }
}
