//! Random scripts, from a seed.

use super::game::Settings;
use super::links::Profile;
use super::pad::{Guess, InputStyle};
use super::rng::Rng;
use super::script::{Glitch, Knob, MachineSetup, RecordingSetup, Script, ScriptEvent, To};
use isostep_core::world::ResimMode;
use isostep_rollback::Mode;

impl Script {
    /// Generates the match of a seed.
    pub(super) fn roll(seed: u64) -> Self {
        let mut rng = Rng::keyed(&[seed, 0x5E55]);
        let rng = &mut rng;
        let seats = rng.between(2, 4) as u8;
        let settings = Settings {
            seed,
            seats,
            posts: rng.pick(&[28, 31, 32, 32]),
            supports: rng.between(1, 3) as u8,
            pickups: rng.between(1, 3) as u8,
            endless: rng.one_in(3),
            drowsy_ticks: rng.pick(&[3, 6, 12, 20]),
            history: rng.pick(&[2, 2, 8, 32]),
        };
        let count = rng.between(2, 3);
        let length = rng.between(120, 280);
        let machines: Vec<MachineSetup> = (0..count).map(|_| setup(rng)).collect();
        let seats = (0..u32::from(seats)).map(|seat| match seat {
            seat if seat < count => To::Machine(seat as u8),
            _ => rng.pick(&[To::Bot, To::Empty, To::Machine(0), To::Machine(1)]),
        });
        let seats = seats.collect();
        let spectators = 0..rng.pick(&[0, 0, 1, 1, 2]);
        let spectators = spectators.map(|_| (rng.below(8) as u8, rng.between(1, 24), setup(rng)));
        let spectators = spectators.collect();
        let profile = Profile::roll(rng);
        // Most repairs need digests; some matches compare none.
        let digest_every = rng.pick(&[1, 4, 8, 16, 16, 32, 0]);
        let budget = rng.pick(&[4, 16, 64]);
        let mut happenings: Vec<(u32, ScriptEvent)> = Vec::new();
        for machine in 0..count as u8 {
            if rng.one_in(2) {
                let at = rng.pick(&[0, 0, length / 3]);
                happenings.push((at, ScriptEvent::Record { machine, tape: tape(rng) }));
            }
        }
        for _ in 0..rng.between(2, 14) {
            let (at, happening) = (rng.below(length), happening(rng, digest_every));
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

fn setup(rng: &mut Rng) -> MachineSetup {
    let mode = match rng.below(10) {
        0 => Mode::Lockstep,
        1 | 2 => Mode::Unbounded { steps: rng.between(4, 40) },
        _ => Mode::Rollback { max: rng.between(3, 14) },
    };
    MachineSetup {
        mode,
        delay: rng.pick(&[0, 0, 1, 2, 3, 6]),
        adaptive: rng.one_in(6),
        always_roll_back: rng.one_in(8),
        guess: rng.pick(&[
            Guess::Hold,
            Guess::Hold,
            Guess::Still,
            Guess::Noise,
            Guess::Twitch,
            Guess::Twitch,
        ]),
        resim: resim(rng),
        lanes: rng.below(5) as u8,
        drift_ppm: rng.pick(&[0, 0, 200, -200, 5000]),
        style: InputStyle::roll(rng),
    }
}

fn resim(rng: &mut Rng) -> ResimMode {
    match rng.below(10) {
        0 => ResimMode::Full,
        1 => ResimMode::Verify,
        _ => ResimMode::Incremental,
    }
}

fn tape(rng: &mut Rng) -> RecordingSetup {
    RecordingSetup {
        keyframe_every: rng.pick(&[0, 10, 30, 30, 100]),
        flush_every: rng.pick(&[1, 7, 30, 120]),
        taken_every: rng.pick(&[1, 1, 1, 40]),
        queue_bytes: rng.pick(&[1 << 22, 1 << 22, 1 << 22, 6000]),
    }
}

fn to(rng: &mut Rng) -> To {
    match rng.below(5) {
        0 | 1 => To::Bot,
        2 => To::Empty,
        _ => To::Machine(rng.below(8) as u8),
    }
}

fn happening(rng: &mut Rng, digest_every: u32) -> ScriptEvent {
    let mut any = || rng.below(8) as u8;
    let (a, b) = (any(), any());
    match rng.below(30) {
        0 | 1 => ScriptEvent::Link { from: a, to: b, profile: Profile::roll(rng) },
        2..=4 => {
            ScriptEvent::Cut { from: a, to: b, ticks: rng.between(2, 40), both: rng.one_in(2) }
        }
        5..=7 => ScriptEvent::Sleep { machine: a, ticks: rng.between(2, 60) },
        8 => ScriptEvent::Delay { seat: a, ticks: rng.below(8) },
        9..=13 => ScriptEvent::Seat {
            seat: a,
            to: to(rng),
            ahead: rng.below(20),
            sent: rng.one_in(2),
            late: if rng.one_in(3) { rng.below(30) } else { 0 },
        },
        21 | 22 => ScriptEvent::Tune { machine: a, knob: knob(rng) },
        23 => ScriptEvent::Record { machine: a, tape: tape(rng) },
        24 | 25 if digest_every > 0 => ScriptEvent::Glitch {
            machine: a,
            glitch: rng.pick(&[Glitch::Score, Glitch::Push, Glitch::Spawn]),
            after: rng.between(1, 30),
        },
        26 => ScriptEvent::Crash { machine: a, to: to(rng) },
        27 => ScriptEvent::Join { donor: a, seat: rng.one_in(2).then_some(b), setup: setup(rng) },
        28 => ScriptEvent::Progress { host: a, buffer: rng.between(1, 24), setup: setup(rng) },
        29 => ScriptEvent::Rehost { spectator: a, host: b },
        _ => ScriptEvent::Order { seat: a, bits: rng.bits() },
    }
}

fn knob(rng: &mut Rng) -> Knob {
    match rng.below(6) {
        0 | 1 => Knob::DropScratch,
        2 => Knob::DropRecords,
        3 => Knob::Lanes(rng.below(5) as u8),
        4 => Knob::Resim(resim(rng)),
        _ => Knob::History(rng.between(20, 80) as u8),
    }
}
