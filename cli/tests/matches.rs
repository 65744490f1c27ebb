//! `isostep match` from outside: the real command in a folder of its own.

use crate::work_dir::WorkDir;
use isostep_netcode::crypto::{Credentials, GameId, MachineId, Stored, Token};
use std::path::{Path, PathBuf};

impl WorkDir {
    fn good(&self, arguments: &str) -> String {
        let (code, report) = self.run("match", arguments);
        assert_eq!(code, 0, "{arguments}: {report}");
        report
    }

    fn bad(&self, arguments: &str, advice: &str) {
        let (code, report) = self.run("match", arguments);
        assert_eq!(code, 2, "{arguments}: {report}");
        assert!(report.contains(advice), "{arguments}: {report}");
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
    let dir = WorkDir::new("new");
    let report = dir.good("new --game tanks --players 3 --hours 2 --out a/b");
    assert!((3..=5).contains(&report.lines().count()), "{report}");
    let all: Vec<_> = (0..3)
        .map(|player| Credentials::load(dir.path(&format!("a/b/player-{player}"))).unwrap())
        .collect();
    for (player, credentials) in (0..).zip(&all) {
        assert_eq!(credentials.machine(), MachineId(player));
        assert_eq!(credentials.roster(), all[0].roster());
        let spec = credentials.token().spec();
        assert_eq!(spec.expires - spec.issued, 7200);
        assert_eq!(credentials.verify(GameId::named("tanks"), spec.issued), Ok(()));
        assert!(!credentials.is_insecure());
    }
    assert!(dir.path("a/b/matchmaker.pub").exists());
    let secrets = ["matchmaker.key", "player-0/key", "player-1/key", "player-2/key"];
    for secret in secrets.map(|name| dir.path("a/b").join(name)) {
        assert!(!report.contains(&secret_of(&secret)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&secret).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", secret.display());
        }
    }
}

#[test]
fn show_prints_everything_but_the_secret() {
    let dir = WorkDir::new("show");
    dir.good("new --game tanks --players 2 --out m");
    let report = dir.good("show m/player-1");
    let token = Token::load(dir.path("m/player-1/token")).unwrap();
    let spec = token.spec();
    for part in [
        "machine     1",
        &spec.game.to_string(),
        &spec.match_id.to_string(),
        "in 23 hours",
        &token.holder().to_string(),
        "verified    yes",
    ] {
        // A full day is left within the second of creation.
        let found =
            report.contains(part) || (part == "in 23 hours" && report.contains("in 24 hours"));
        assert!(found, "{part}: {report}");
    }
    assert!(!report.contains(&secret_of(&dir.path("m/player-1/key"))));
}

#[test]
fn show_reports_what_does_not_verify_and_exits_with_1() {
    let dir = WorkDir::new("mixed");
    dir.good("new --game tanks --players 2 --out one");
    dir.good("new --game tanks --players 2 --out two");
    let copy = |from: &str, to: &str| {
        std::fs::copy(dir.path(from), dir.path(to)).unwrap();
    };
    copy("two/matchmaker.pub", "one/player-0/matchmaker.pub");
    copy("one/player-0/key", "one/player-1/key");
    for (folder, why) in
        [("one/player-0", "not signed by"), ("one/player-1", "the token belongs to")]
    {
        let (code, report) = dir.run("match", &format!("show {folder}"));
        assert_eq!(code, 1, "{report}");
        assert!(report.contains("verified    NO") && report.contains(why), "{report}");
    }
}

#[test]
fn a_player_can_keep_its_secret_key() {
    let dir = WorkDir::new("holder");
    let report = dir.good("key --out my.key");
    let public = report.lines().next().unwrap().rsplit(' ').next().unwrap();
    assert!(!report.contains(&secret_of(&dir.path("my.key"))));
    dir.good(&format!("new --game tanks --players 2 --holder 1={public} --out m"));
    assert!(dir.path("m/player-0/key").exists());
    assert!(!dir.path("m/player-1/key").exists());
    assert!(dir.good("show m/player-1").contains("missing: put"));
    std::fs::rename(dir.path("my.key"), dir.path("m/player-1/key")).unwrap();
    assert!(!dir.good("show m/player-1").contains("missing: put"));
    assert_eq!(Credentials::load(dir.path("m/player-1")).unwrap().machine(), MachineId(1));
}

#[test]
fn a_matchmaker_signs_many_matches() {
    let dir = WorkDir::new("again");
    dir.good("new --game tanks --players 2 --out one");
    dir.good("new --game tanks --players 2 --matchmaker one/matchmaker.key --out two");
    let [one, two] =
        ["one", "two"].map(|name| Credentials::load(dir.path(name).join("player-0")).unwrap());
    assert_eq!(one.matchmaker(), two.matchmaker());
    assert_ne!(one.token().spec().match_id, two.token().spec().match_id);
    assert!(!dir.path("two/matchmaker.key").exists());
}

#[test]
fn mistakes_exit_with_2_and_give_advice() {
    let dir = WorkDir::new("mistakes");
    let public = "09".repeat(32);
    dir.good("key --out k");
    dir.good("new --game tanks --players 2 --out m");
    dir.bad("key --out k", "choose another path");
    dir.bad("new --game tanks --players 2 --out m", "--out");
    dir.bad("new --game tanks --players 2 --out k/m", "--out");
    dir.bad("show nowhere", "check that the file exists");
    dir.bad("show m", "check that the file exists");
    let new = |rest: &str| format!("new --game tanks --players 2 --out n {rest}");
    dir.bad(&new("--matchmaker k"), "isostep-matchmaker-key-v1");
    dir.bad(&new("--holder 1=zz"), "64 hex digits");
    dir.bad(&new("--holder nobody"), "write the machine id");
    dir.bad(&new(&format!("--holder 2={public}")), "machine ids 0 to 1");
    dir.bad(&new(&format!("--holder 1={public} --holder 1={public}")), "twice");
    dir.bad(&new(&format!("--holder 0={public} --holder 1={public}")), "generate a key for each");
    dir.bad(&new(&format!("--holder 0={}", "00".repeat(32))), "generate a new key");
    // A refused command leaves no files behind.
    assert!(!dir.path("n").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = dir.path("m/player-0/key");
        std::fs::set_permissions(key, PermissionsExt::from_mode(0o644)).unwrap();
        dir.bad("show m/player-0", "chmod 600");
    }
}
