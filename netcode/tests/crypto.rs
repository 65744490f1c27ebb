//! Tokens, rosters, credentials and their files through the public API: valid ones are accepted, all others rejected.

use isostep_netcode::PROTOCOL_VERSION;
use isostep_netcode::crypto::{
    Credentials, CredentialsError, FileError, GameId, IssueError, MachineId, MatchId, MatchSpec,
    Matchmaker, MatchmakerKey, MatchmakerPublic, PublicKey, Roster, RosterError, StaticKey, Stored,
    Token, TokenError,
};
use isostep_netcode::internals::{TokenExpectation, save_secret};
use isostep_netcode::{Entropy, SeededEntropy};
use proptest::prelude::*;
use std::path::PathBuf;

const ISSUED: u64 = 1_800_000_000;
const EXPIRES: u64 = ISSUED + 3600;

/// Match of three machines: 0, 2 and 5.
struct Table {
    keys: [StaticKey; 3],
    matchmaker: Matchmaker,
    spec: MatchSpec,
    roster: Roster,
    tokens: Vec<Token>,
}

impl Table {
    fn new(seed: u64) -> Self {
        let mut entropy = SeededEntropy::new(seed);
        let keys = [(); 3].map(|()| StaticKey::generate(&mut entropy));
        let matchmaker = Matchmaker::new(MatchmakerKey::generate(&mut entropy));
        let spec = MatchSpec {
            game: GameId::named("tanks"),
            match_id: MatchId::random(&mut entropy),
            protocol: PROTOCOL_VERSION,
            issued: ISSUED,
            expires: EXPIRES,
        };
        let public = [0, 1, 2].map(|n: usize| keys[n].public());
        // Unsorted: the matchmaker sorts them.
        let holders =
            [(MachineId(5), public[2]), (MachineId(0), public[0]), (MachineId(2), public[1])];
        let (roster, tokens) = matchmaker.issue(&spec, &holders).unwrap();
        Self { keys, matchmaker, spec, roster, tokens }
    }

    fn expected(&self) -> TokenExpectation {
        let MatchSpec { game, match_id, protocol, .. } = self.spec;
        TokenExpectation { game, match_id, protocol, unix_now: ISSUED + 10 }
    }

    fn check_token(&self, bytes: &[u8]) -> Result<(), TokenError> {
        Token::decode(bytes)?.verify(&self.matchmaker.public(), &self.expected())
    }

    fn check_roster(&self, bytes: &[u8]) -> Result<(), RosterError> {
        Roster::decode(bytes)?.verify(&self.matchmaker.public(), &self.expected())
    }

    fn credentials(&self, player: usize) -> Credentials {
        let (key, token) = (self.keys[player].clone(), self.tokens[player].clone());
        Credentials::new(key, token, self.roster.clone(), self.matchmaker.public()).unwrap()
    }
}

/// Results of token and roster checks with other expectations; both must agree.
fn judge(change: impl FnOnce(&mut TokenExpectation)) -> (TokenError, RosterError) {
    let table = Table::new(1);
    let mut expected = table.expected();
    change(&mut expected);
    let key = table.matchmaker.public();
    let token = table.tokens[1].verify(&key, &expected).unwrap_err();
    (token, table.roster.verify(&key, &expected).unwrap_err())
}

/// Temporary folder of a test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("isostep-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn issued_documents_verify() {
    let table = Table::new(1);
    let machines: Vec<_> = table.roster.machines().collect();
    assert_eq!(machines, [MachineId(0), MachineId(2), MachineId(5)]);
    for (player, token) in table.tokens.iter().enumerate() {
        let (machine, key) = (machines[player], table.keys[player].public());
        assert_eq!(table.check_token(&token.encode()), Ok(()));
        assert_eq!((token.machine(), token.holder(), token.spec()), (machine, key, &table.spec));
        assert_eq!(table.roster.key_of(machine), Some(key));
        assert_eq!(table.roster.machine_of(&key), Some(machine));
        assert_eq!(table.credentials(player).machine(), machine);
        assert_eq!(table.credentials(player).verify(table.spec.game, ISSUED), Ok(()));
    }
    assert_eq!(table.check_roster(&table.roster.encode()), Ok(()));
    assert_eq!(table.roster.key_of(MachineId(1)), None);
    assert_eq!(table.roster.machine_of(&PublicKey([7; 32])), None);
}

/// Layout as specified in `WIRE.md`.
#[test]
fn documents_have_the_specified_layout() {
    let table = Table::new(1);
    let (token, roster) = (table.tokens[2].encode(), table.roster.encode());
    let protocol = PROTOCOL_VERSION.to_le_bytes();
    let mut common = protocol.to_vec();
    common.extend(table.spec.game.0);
    common.extend(table.spec.match_id.0);
    common.extend(ISSUED.to_le_bytes());
    common.extend(EXPIRES.to_le_bytes());
    assert_eq!(token[..6], *b"ISOT\x01\x05");
    assert_eq!(roster[..6], *b"ISOR\x01\x03");
    assert_eq!(token[6..56], common);
    assert_eq!(roster[6..56], common);
    assert_eq!(token[56..88], table.keys[2].public().0);
    assert_eq!(roster[56 + 33..][..33], *[&[2][..], &table.keys[1].public().0].concat());
    assert_eq!((token.len(), roster.len()), (152, 56 + 3 * 33 + 64));
    let signed = |context: &[u8], bytes: &[u8]| {
        use ed25519_dalek::{Signature, VerifyingKey};
        let (text, signature) = bytes.split_at(bytes.len() - 64);
        let key = VerifyingKey::from_bytes(&table.matchmaker.public().0).unwrap();
        let signature = Signature::from_slice(signature).unwrap();
        key.verify_strict(&[context, text].concat(), &signature).is_ok()
    };
    assert!(signed(b"isostep token v1", &token));
    assert!(signed(b"isostep roster v1", &roster));
}

#[test]
fn no_bit_of_a_token_can_be_changed() {
    let table = Table::new(2);
    let mut bytes = table.tokens[0].encode();
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let refused = table.check_token(&bytes).expect_err("a changed token");
        match bit / 8 {
            0..4 => assert_eq!(refused, TokenError::WrongMagic),
            4 => assert!(matches!(refused, TokenError::Version { .. })),
            5 if bit % 8 > 2 => assert!(matches!(refused, TokenError::MachineOutOfRange { .. })),
            _ => assert_eq!(refused, TokenError::Signature),
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    for length in 0..bytes.len() {
        let refused = table.check_token(&bytes[..length]);
        assert_eq!(refused, Err(TokenError::Truncated { bytes: length }));
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(table.check_token(&longer), Err(TokenError::Trailing { bytes: 153 }));
}

#[test]
fn no_bit_of_a_roster_can_be_changed() {
    let table = Table::new(3);
    let mut bytes = table.roster.encode();
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        table.check_roster(&bytes).expect_err("a changed roster");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    for length in 0..bytes.len() {
        let refused = table.check_roster(&bytes[..length]);
        assert_eq!(refused, Err(RosterError::Truncated { bytes: length }));
    }
    let longer = [&bytes[..], &[0, 0]].concat();
    assert_eq!(table.check_roster(&longer), Err(RosterError::Trailing { bytes: 2 }));
}

#[test]
fn a_roster_rejects_duplicate_machines_and_keys() {
    let table = Table::new(4);
    let bytes = table.roster.encode();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        Roster::decode(&bytes).unwrap_err()
    };
    let machine = |machine| RosterError::InvalidMachine { machine: MachineId(machine) };
    assert_eq!(with(&|bytes| bytes[56 + 33] = 0), machine(0));
    assert_eq!(with(&|bytes| bytes[56] = 3), machine(2));
    assert_eq!(with(&|bytes| bytes[56 + 66] = 8), machine(8));
    let shared = with(&|bytes| bytes.copy_within(57..57 + 32, 57 + 66));
    assert_eq!(shared, RosterError::DuplicateKey { machine: MachineId(5) });
    for count in [0, 1, 9, 255] {
        assert_eq!(with(&|bytes| bytes[5] = count), RosterError::Count { count });
    }
}

#[test]
fn documents_are_bound_to_game_match_and_protocol() {
    let refused = judge(|expected| expected.game = GameId::named("planes"));
    assert_eq!(refused, (TokenError::Game, RosterError::Game));
    let refused = judge(|expected| expected.match_id = MatchId([9; 16]));
    assert_eq!(refused, (TokenError::Match, RosterError::Match));
    let refused = judge(|expected| expected.protocol = 9);
    let protocol = PROTOCOL_VERSION;
    assert_eq!(refused, (TokenError::Protocol { protocol }, RosterError::Protocol { protocol }));
}

#[test]
fn documents_are_valid_from_one_minute_before_issue_to_expiry() {
    let refused = judge(|expected| expected.unix_now = EXPIRES);
    assert_eq!(refused, (TokenError::Expired { since: 0 }, RosterError::Expired { since: 0 }));
    let refused = judge(|expected| expected.unix_now = EXPIRES + 5);
    assert_eq!(refused, (TokenError::Expired { since: 5 }, RosterError::Expired { since: 5 }));
    let refused = judge(|expected| expected.unix_now = ISSUED - 61);
    assert_eq!(
        refused,
        (TokenError::IssuedInFuture { ahead: 61 }, RosterError::IssuedInFuture { ahead: 61 })
    );
    let table = Table::new(1);
    for unix_now in [ISSUED - 60, ISSUED, EXPIRES - 1] {
        let expected = TokenExpectation { unix_now, ..table.expected() };
        assert_eq!(table.tokens[0].verify(&table.matchmaker.public(), &expected), Ok(()));
        assert_eq!(table.roster.verify(&table.matchmaker.public(), &expected), Ok(()));
    }
}

#[test]
fn documents_of_another_matchmaker_do_not_verify() {
    let (table, other) = (Table::new(5), Table::new(6));
    let weak = MatchmakerPublic([0; 32]);
    for key in [other.matchmaker.public(), weak, MatchmakerPublic([255; 32])] {
        let expected = table.expected();
        assert_eq!(table.tokens[0].verify(&key, &expected), Err(TokenError::Signature));
        assert_eq!(table.roster.verify(&key, &expected), Err(RosterError::Signature));
    }
}

/// With the neutral element as key, one signature verifies every message, unless verification is strict.
#[test]
fn a_small_order_signature_is_rejected() {
    let table = Table::new(5);
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut bytes = table.tokens[0].encode();
    bytes[88..120].copy_from_slice(&neutral);
    bytes[120..].fill(0);
    let key = MatchmakerPublic(neutral);
    let refused = Token::decode(&bytes).unwrap().verify(&key, &table.expected());
    assert_eq!(refused, Err(TokenError::Signature));
}

#[test]
fn a_matchmaker_rejects_invalid_matches() {
    let table = Table::new(7);
    let key = |n: usize| table.keys[n].public();
    let issue = |holders: &[_]| table.matchmaker.issue(&table.spec, holders).map(drop);
    assert_eq!(issue(&[(MachineId(0), key(0))]), Err(IssueError::Count { count: 1 }));
    let nine: Vec<_> = (0..9).map(|n| (MachineId(n), PublicKey([n; 32]))).collect();
    assert_eq!(issue(&nine), Err(IssueError::Count { count: 9 }));
    let machine = MachineId(8);
    assert_eq!(
        issue(&[(machine, key(0)), (MachineId(1), key(1))]),
        Err(IssueError::MachineOutOfRange { machine })
    );
    let machine = MachineId(1);
    assert_eq!(
        issue(&[(machine, key(0)), (machine, key(1))]),
        Err(IssueError::DuplicateMachine { machine })
    );
    assert_eq!(
        issue(&[(machine, key(0)), (MachineId(0), key(0))]),
        Err(IssueError::DuplicateKey { machine })
    );
    let unsound = PublicKey([0; 32]);
    assert_eq!(
        issue(&[(machine, unsound), (MachineId(0), key(0))]),
        Err(IssueError::WeakKey { machine })
    );
    let never = MatchSpec { expires: ISSUED, ..table.spec };
    let holders = [(MachineId(0), key(0)), (MachineId(1), key(1))];
    assert_eq!(table.matchmaker.issue(&never, &holders).map(drop), Err(IssueError::Expired));
}

#[test]
fn credentials_check_that_documents_match() {
    let (table, other) = (Table::new(8), Table::new(9));
    let make = |key: &StaticKey, token: &Token, roster: &Roster, matchmaker: &Matchmaker| {
        let (key, token, roster) = (key.clone(), token.clone(), roster.clone());
        Credentials::new(key, token, roster, matchmaker.public()).map(drop).unwrap_err()
    };
    let (keys, tokens, matchmaker) = (&table.keys, &table.tokens, &table.matchmaker);
    let holder =
        CredentialsError::HolderMismatch { holder: keys[0].public(), key: keys[1].public() };
    assert_eq!(make(&keys[1], &tokens[0], &table.roster, matchmaker), holder);
    let forged = CredentialsError::Token(TokenError::Signature);
    assert_eq!(make(&keys[0], &tokens[0], &table.roster, &other.matchmaker), forged);
    let forged = CredentialsError::Roster(RosterError::Signature);
    assert_eq!(make(&keys[0], &tokens[0], &other.roster, matchmaker), forged);

    let next = MatchSpec { match_id: MatchId([1; 16]), ..table.spec };
    let seats = [(MachineId(0), keys[0].public()), (MachineId(2), keys[1].public())];
    let (roster, _) = matchmaker.issue(&next, &seats).unwrap();
    assert_eq!(make(&keys[0], &tokens[0], &roster, matchmaker), CredentialsError::MatchMismatch);
    let seats = [(MachineId(2), keys[0].public()), (MachineId(0), keys[1].public())];
    let (roster, _) = matchmaker.issue(&table.spec, &seats).unwrap();
    let seat = CredentialsError::NotInRoster { machine: MachineId(0) };
    assert_eq!(make(&keys[0], &tokens[0], &roster, matchmaker), seat);
}

#[test]
fn development_credentials_are_recognized() {
    let game = GameId::named("tanks");
    let [one, two] =
        [0, 1].map(|machine| Credentials::insecure(MachineId(machine), 2, game).unwrap());
    assert_eq!(one.roster(), two.roster());
    assert_eq!(one.roster().key_of(MachineId(1)), Some(two.key().public()));
    assert_eq!(one.token().spec().match_id, MatchId([0; 16]));
    assert!(one.is_insecure() && two.is_insecure());
    assert!(!Table::new(10).credentials(0).is_insecure());
    assert_eq!(one.verify(game, u64::MAX - 1), Ok(()));
    let seat = CredentialsError::NotInRoster { machine: MachineId(2) };
    assert_eq!(Credentials::insecure(MachineId(2), 2, game).unwrap_err(), seat);
    let count = CredentialsError::Issue(IssueError::Count { count: 9 });
    assert_eq!(Credentials::insecure(MachineId(0), 9, game).unwrap_err(), count);
}

#[test]
fn credentials_round_trip_through_a_folder() {
    let folder = Folder::new("folder");
    let place = folder.0.join("player");
    let credentials = Table::new(11).credentials(1);
    credentials.save(&place).unwrap();
    let again = Credentials::load(&place).unwrap();
    assert_eq!(again.key().to_bytes(), credentials.key().to_bytes());
    assert_eq!((again.token(), again.roster()), (credentials.token(), credentials.roster()));
    assert_eq!(again.matchmaker(), credentials.matchmaker());
    let refused = credentials.save(&place).unwrap_err();
    assert!(matches!(refused, FileError::Exists { .. }));

    Table::new(12).credentials(1).save(folder.0.join("other")).unwrap();
    std::fs::copy(folder.0.join("other/token"), place.join("token")).unwrap();
    let refused = Credentials::load(&place).unwrap_err();
    assert!(matches!(refused, FileError::Credentials { .. }), "{refused}");
    std::fs::remove_file(place.join("token")).unwrap();
    assert!(matches!(Credentials::load(&place).unwrap_err(), FileError::Io { .. }));
}

#[test]
fn secrets_are_never_overwritten() {
    let folder = Folder::new("over");
    let path = folder.0.join("key");
    save_secret(&path, b"first").unwrap();
    let refused = save_secret(&path, b"second").unwrap_err();
    assert!(refused.to_string().contains("choose another path"), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), b"first");
}

#[cfg(unix)]
#[test]
fn secret_files_are_readable_by_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("modes");
    let place = folder.0.join("player");
    Table::new(13).credentials(0).save(&place).unwrap();
    let path = place.join("key");
    let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&place)), (0o600, 0o700));
    for exposed in [0o640, 0o604, 0o660, 0o620, 0o644] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(exposed)).unwrap();
        let refused = Credentials::load(&place).unwrap_err();
        assert!(matches!(refused, FileError::Exposed { mode, .. } if mode == exposed));
        assert!(refused.to_string().contains("chmod 600"), "{refused}");
    }
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o400)).unwrap();
    Credentials::load(&place).unwrap();
}

#[test]
fn a_file_of_another_kind_is_rejected() {
    let folder = Folder::new("kinds");
    let mut entropy = SeededEntropy::new(14);
    let (matchmaker, player) = (folder.0.join("matchmaker.key"), folder.0.join("key"));
    MatchmakerKey::generate(&mut entropy).save(&matchmaker).unwrap();
    StaticKey::generate(&mut entropy).save(&player).unwrap();
    assert!(matches!(StaticKey::load(&matchmaker), Err(FileError::WrongFormat { .. })));
    assert!(matches!(MatchmakerKey::load(&player), Err(FileError::WrongFormat { .. })));
    assert!(matches!(Token::load(&player), Err(FileError::WrongFormat { .. })));
    for (index, text) in ["", "isostep-key-v1", "isostep-key-v1 00", "isostep-key-v1 zz"]
        .into_iter()
        .chain(["isostep-key-v10", "isostep-key-v1\u{a0}"])
        .enumerate()
    {
        let path = folder.0.join(index.to_string());
        save_secret(&path, text.as_bytes()).unwrap();
        assert!(matches!(StaticKey::load(&path), Err(FileError::WrongFormat { .. })), "{text}");
    }
}

#[test]
fn secrets_are_never_printed() {
    let folder = Folder::new("print");
    let mut entropy = SeededEntropy::new(15);
    let secret: [u8; 32] = entropy.array();
    let hex = PublicKey(secret).to_string();
    let (key, matchmaker) = (StaticKey::from_bytes(secret), MatchmakerKey::from_bytes(secret));
    let path = folder.0.join("key");
    // A secret in a damaged file, and a secret under another name.
    save_secret(&path, format!("isostep-key-v1 {hex}x").as_bytes()).unwrap();
    let damaged = StaticKey::load(&path).unwrap_err();
    let misplaced = Token::load(&path).unwrap_err();
    let table = Table::new(16);
    let (token, roster) = (table.tokens[0].clone(), table.roster.clone());
    let stranger = Credentials::new(key.clone(), token, roster, table.matchmaker.public());
    let spec = &table.spec;
    let seats = [(MachineId(0), key.public()), (MachineId(1), table.keys[1].public())];
    let (roster, tokens) = table.matchmaker.issue(spec, &seats).unwrap();
    let token = tokens[0].clone();
    let own = Credentials::new(key.clone(), token, roster, table.matchmaker.public()).unwrap();
    let maker = Matchmaker::new(matchmaker.clone());
    let stranger = stranger.unwrap_err();
    let texts = [
        format!("{key:?} {matchmaker:?} {own:?} {maker:?}"),
        format!("{damaged:?} {damaged} {misplaced:?} {misplaced} {stranger:?} {stranger}"),
    ];
    let list = format!("{secret:?}");
    for text in texts {
        assert!(!text.contains(&hex) && !text.contains(list.trim_matches(['[', ']'])), "{text}");
    }
}

proptest! {
    #[test]
    fn decoding_arbitrary_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Token::decode(&bytes).is_err());
        prop_assert!(Roster::decode(&bytes).is_err());
    }

    /// Valid prefixes and lengths, which reach further into the decoder than random bytes.
    #[test]
    fn decoding_mutated_documents_does_not_panic(
        number in 0_u8..10,
        mut bytes in prop::collection::vec(any::<u8>(), 420),
    ) {
        bytes[..6].copy_from_slice(&[b'I', b'S', b'O', b'T', 1, number]);
        let token = Token::decode(&bytes[..Token::BYTES]);
        prop_assert_eq!(token.is_ok(), number < 8);
        if let Ok(token) = token {
            prop_assert_eq!(&token.encode()[..], &bytes[..Token::BYTES]);
        }
        bytes[3] = b'R';
        for entry in 0..usize::from(number) {
            bytes[56 + 33 * entry] = entry as u8;
        }
        let bytes = &bytes[..56 + 33 * usize::from(number) + 64];
        let roster = Roster::decode(bytes);
        prop_assert_eq!(roster.is_ok(), (2..=8).contains(&number));
        if let Ok(roster) = roster {
            prop_assert_eq!(&roster.encode()[..], bytes);
        }
    }
}
