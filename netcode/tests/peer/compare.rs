//! The same matches over `Exchange`, which repeats all timing in every packet, and over `Peer`, which sends most of it
//! periodically: both must reach the same quality.

use super::game::{Game, Pad, mixed};
use super::harness::{SECOND, Setup};
use super::links::{bad_link, good_link};
use super::statistics::Figures;
use isostep_rollback::internals::VirtualClock;
use isostep_rollback::{
    Buttons, LinkConfig, Mode, NewestWins, PlayerId, SessionConfig, SimMatch, Tick,
};

/// Peers don't begin at one moment; by now they have found each other.
const WARM_UP: u32 = 7 * SECOND;

fn counted(fleet: &SimMatch<Game>) -> Vec<Figures> {
    let machines = fleet.machines().iter();
    let of = machines.map(|machine| Figures::of(&machine.session, 0, machine.sent_bytes));
    of.collect()
}

fn over_exchange(seed: u64, players: u8, link: LinkConfig, ticks: u32) -> Figures {
    let config = SessionConfig::new().delay(3).mode(Mode::Rollback { max: 12 });
    let mut fleet =
        SimMatch::mesh(seed, players, &config, link, |_| Game::default()).expect("a setup");
    for (place, machine) in (0..).zip(fleet.machines_mut()) {
        // Peers begin when all are there, about half a round trip apart and within a frame.
        let chance = mixed(&[seed, place]);
        let offset = (mixed(&[seed, place, 7]) % 16_666_666) as i64;
        machine.clock = VirtualClock::new(-offset, (chance >> 20) as i32 % 51).expect("a clock");
    }
    let mut last = [Buttons::none(); 8];
    let mut input = |_: usize, player: PlayerId, tick: Tick| -> Pad {
        let chance = mixed(&[seed, u64::from(player.0), u64::from(tick.0) / 4]);
        let last = &mut last[usize::from(player.0)];
        *last = last.next(chance & chance >> 8 & 0xff).expect("eight bits");
        (*last, NewestWins(tick.0 as u16))
    };
    fleet.run(WARM_UP, &mut input).expect("it runs");
    let before = counted(&fleet);
    fleet.run(ticks, &mut input).expect("it runs");
    let after = counted(&fleet);
    let since = after.iter().zip(&before).map(|(after, before)| after.since(before, ticks));
    since.fold(Figures::default(), |sum, one| sum.and(&one))
}

#[test]
fn peers_match_exchanges_in_quality() {
    let ticks = 4 * SECOND;
    for (name, link) in [
        ("25 ms", good_link()),
        ("25 ms, 20 % loss", LinkConfig { loss_ppm: 200_000, ..good_link() }),
        ("100 ± 20 ms, 5 %", bad_link()),
    ] {
        for (players, seeds) in [(2, 3), (4, 2)] {
            let sum = |play: &dyn Fn(u64) -> Figures| {
                (0..seeds).map(play).fold(Figures::default(), |sum, one| sum.and(&one))
            };
            let exchange = sum(&|seed| over_exchange(seed, players, link, ticks));
            exchange.row(&format!("{name}, Exchange"), players);
            for frames in [60, 500] {
                let setup = |seed| Setup::new(seed, players, link).frames(frames);
                let peer = sum(&|seed| {
                    let mut mesh = setup(seed).mesh();
                    mesh.start();
                    mesh.run(WARM_UP - SECOND);
                    mesh.measure(ticks)
                });
                peer.check(&format!("{name}, Peer, {frames} Hz"), players);
                // If a frame is as long as a tick, a tick may be a frame late.
                let slack = if frames == 60 { 20 } else { 2 } * peer.wall / 100;
                let most = exchange.again + exchange.again / 10 + slack;
                assert!(
                    peer.again <= most,
                    "{} ticks again, {} over Exchange",
                    peer.again,
                    exchange.again
                );
            }
        }
    }
}
