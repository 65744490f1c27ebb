//! Random scripts, from a seed.

use super::dice::Dice;
use super::game::Settings;
use super::links::Profile;
use super::pad::{Guess, Temper};
use super::script::{Glitch, Happening, Knob, Rig, Script, Tape, To};
use isostep_core::world::ResimMode;
use isostep_rollback::Mode;

impl Script {
    /// Rolls the match of a seed.
    pub(super) fn roll(seed: u64) -> Self {
        let mut dice = Dice::keyed(&[seed, 0x5E55]);
        let dice = &mut dice;
        let seats = dice.between(2, 4) as u8;
        let settings = Settings {
            seed,
            seats,
            posts: dice.pick(&[28, 31, 32, 32]),
            supports: dice.between(1, 3) as u8,
            pickups: dice.between(1, 3) as u8,
            endless: dice.one_in(3),
            drowsy_ticks: dice.pick(&[3, 6, 12, 20]),
            history: dice.pick(&[2, 2, 8, 32]),
        };
        let count = dice.between(2, 3);
        let length = dice.between(120, 280);
        let machines: Vec<Rig> = (0..count).map(|_| rig(dice)).collect();
        let seats = (0..u32::from(seats)).map(|seat| match seat {
            seat if seat < count => To::Machine(seat as u8),
            _ => dice.pick(&[To::Bot, To::Nobody, To::Machine(0), To::Machine(1)]),
        });
        let seats = seats.collect();
        let spectators = 0..dice.pick(&[0, 0, 1, 1, 2]);
        let spectators = spectators.map(|_| (dice.below(8) as u8, dice.between(1, 24), rig(dice)));
        let spectators = spectators.collect();
        let profile = Profile::roll(dice);
        // Most repairs need digests; once in a while nothing is compared.
        let digest_every = dice.pick(&[1, 4, 8, 16, 16, 32, 0]);
        let budget = dice.pick(&[4, 16, 64]);
        let mut happenings: Vec<(u32, Happening)> = Vec::new();
        for machine in 0..count as u8 {
            if dice.one_in(2) {
                let at = dice.pick(&[0, 0, length / 3]);
                happenings.push((at, Happening::Record { machine, tape: tape(dice) }));
            }
        }
        for _ in 0..dice.between(2, 14) {
            let (at, happening) = (dice.below(length), happening(dice, digest_every));
            happenings.push((at, happening));
        }
        happenings.sort_by_key(|it| it.0);
        Self {
            seed,
            settings,
            length,
            machines,
            seats,
            spectators,
            profile,
            digest_every,
            budget,
            happenings,
        }
    }
}

fn rig(dice: &mut Dice) -> Rig {
    let mode = match dice.below(10) {
        0 => Mode::Lockstep,
        1 | 2 => Mode::Unbounded { steps: dice.between(4, 40) },
        _ => Mode::Rollback { max: dice.between(3, 14) },
    };
    Rig {
        mode,
        delay: dice.pick(&[0, 0, 1, 2, 3, 6]),
        adaptive: dice.one_in(6),
        always_roll_back: dice.one_in(8),
        guess: dice.pick(&[
            Guess::Hold,
            Guess::Hold,
            Guess::Still,
            Guess::Noise,
            Guess::Twitch,
            Guess::Twitch,
        ]),
        resim: resim(dice),
        lanes: dice.below(5) as u8,
        drift_ppm: dice.pick(&[0, 0, 200, -200, 5000]),
        temper: Temper::roll(dice),
    }
}

fn resim(dice: &mut Dice) -> ResimMode {
    match dice.below(10) {
        0 => ResimMode::Full,
        1 => ResimMode::Verify,
        _ => ResimMode::Incremental,
    }
}

fn tape(dice: &mut Dice) -> Tape {
    Tape {
        keyframe_every: dice.pick(&[0, 10, 30, 30, 100]),
        flush_every: dice.pick(&[1, 7, 30, 120]),
        taken_every: dice.pick(&[1, 1, 1, 40]),
        queue_bytes: dice.pick(&[1 << 22, 1 << 22, 1 << 22, 6000]),
    }
}

fn to(dice: &mut Dice) -> To {
    match dice.below(5) {
        0 | 1 => To::Bot,
        2 => To::Nobody,
        _ => To::Machine(dice.below(8) as u8),
    }
}

fn happening(dice: &mut Dice, digest_every: u32) -> Happening {
    let mut any = || dice.below(8) as u8;
    let (a, b) = (any(), any());
    match dice.below(30) {
        0 | 1 => Happening::Link { from: a, to: b, profile: Profile::roll(dice) },
        2..=4 => {
            Happening::Cut { from: a, to: b, ticks: dice.between(2, 40), both: dice.one_in(2) }
        }
        5..=7 => Happening::Sleep { machine: a, ticks: dice.between(2, 60) },
        8 => Happening::Delay { seat: a, ticks: dice.below(8) },
        9..=13 => Happening::Seat {
            seat: a,
            to: to(dice),
            ahead: dice.below(20),
            sent: dice.one_in(2),
            late: if dice.one_in(3) { dice.below(30) } else { 0 },
        },
        21 | 22 => Happening::Tune { machine: a, knob: knob(dice) },
        23 => Happening::Record { machine: a, tape: tape(dice) },
        24 | 25 if digest_every > 0 => Happening::Glitch {
            machine: a,
            glitch: dice.pick(&[Glitch::Score, Glitch::Push, Glitch::Spawn]),
            after: dice.between(1, 30),
        },
        26 => Happening::Crash { machine: a, to: to(dice) },
        27 => Happening::Join { donor: a, seat: dice.one_in(2).then_some(b), rig: rig(dice) },
        28 => Happening::Watch { host: a, buffer: dice.between(1, 24), rig: rig(dice) },
        29 => Happening::Rehost { spectator: a, host: b },
        _ => Happening::Order { seat: a, bits: dice.bits() },
    }
}

fn knob(dice: &mut Dice) -> Knob {
    match dice.below(6) {
        0 | 1 => Knob::DropScratch,
        2 => Knob::DropRecords,
        3 => Knob::Lanes(dice.below(5) as u8),
        4 => Knob::Resim(resim(dice)),
        _ => Knob::History(dice.between(20, 80) as u8),
    }
}
