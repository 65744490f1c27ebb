//! `isostep replay` from outside: the real command on real files.

mod desk;

use desk::Desk;

impl Desk {
    #[track_caller]
    fn ends(&self, arguments: &str, code: i32, word: &str) {
        let (found, said) = self.run("replay", arguments);
        assert_eq!(found, code, "{arguments}: {said}");
        assert!(said.contains(word), "{arguments}: {said}");
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = std::fs::read(self.0.join("a")).unwrap();
        change(&mut bytes);
        std::fs::write(self.0.join(name), bytes).unwrap();
    }
}

#[test]
fn a_match_is_recorded_shown_verified_and_compared() {
    let desk = Desk::new("replay-good");
    desk.ends("record a --seconds 5", 0, "300 ticks");
    desk.ends("info a", 0, "ticks 0 to 300, 5.0 s");
    desk.ends("verify a", 0, "300 ticks are right");
    desk.ends("record b --seconds 4", 0, "240 ticks");
    desk.ends("compare a b", 0, "the same");
    desk.ends("record c --seconds 4 --seed 2", 0, "240 ticks");
    desk.ends("compare a c", 1, "not of one match: an asset differs");
}

#[test]
fn files_that_are_no_good_say_what_they_are() {
    let desk = Desk::new("replay-bad");
    desk.ends("record a --seconds 3", 0, "180 ticks");
    desk.change("cut", |bytes| bytes.truncate(bytes.len() - 100));
    desk.ends("info cut", 0, "not finished");
    desk.ends("verify cut", 0, "ticks are right");
    desk.change("newer", |bytes| bytes[8] = 9);
    desk.ends("verify newer", 2, "update the program");
    desk.change("foreign", |bytes| bytes[0] = b'X');
    desk.ends("verify foreign", 2, "choose another file");
    desk.change("flipped", |bytes| bytes[600] ^= 1);
    desk.ends("verify flipped", 2, "damaged");
    desk.ends("compare a flipped", 2, "flipped: ");
    desk.ends("compare flipped a", 2, "flipped: ");
    desk.ends("verify nowhere", 2, "nowhere");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_recording_and_not_the_match() {
    let desk = Desk::new("replay-full");
    desk.ends("record /dev/full --seconds 5", 2, "the match went on");
}
