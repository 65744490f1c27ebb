//! Settings that no file can be made with are refused by name, and are no damage.

use super::game::{GAME, Mix};
use isostep_core::digest::Digest;
use isostep_rollback::replay::{Recorder, RecorderConfig, ReplayError};
use isostep_rollback::{Session, SessionConfig};

fn start(change: impl FnOnce(&mut RecorderConfig)) -> Result<(), ReplayError> {
    let mut game = Mix::default();
    let session = Session::start(SessionConfig::new().local(), &mut game).expect("sound settings");
    let mut config = RecorderConfig::new(GAME);
    change(&mut config);
    Recorder::start(config, &session, &game).map(drop)
}

#[test]
fn a_setting_out_of_bounds_is_named_with_its_bounds() {
    let asset = |length: usize| ("x".repeat(length), Digest::of(b"x"));
    let refused = [
        (start(|config| config.flush_every = 0), "flush_every is 0; set it to 1 to 1024"),
        (start(|config| config.flush_every = 5000), "flush_every is 5000; set it to 1 to 1024"),
        (start(|config| config.assets = vec![asset(300)]), "name of an asset is 300 bytes long"),
        (start(|config| config.assets = vec![asset(1); 4097]), "number of assets is 4097"),
        (start(|config| config.assets = vec![asset(255); 4000]), "list of assets is 1152000 bytes"),
    ];
    for (refused, word) in refused {
        let error = refused.expect_err(word);
        assert!(matches!(error, ReplayError::Setting { .. }) && !error.is_damage(), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
    }
    for bounds in [1, 1024] {
        start(|config| config.flush_every = bounds).expect("within bounds");
    }
    start(|config| config.assets = vec![asset(255); 3600]).expect("within bounds");
}
