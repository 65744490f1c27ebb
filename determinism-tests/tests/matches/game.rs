//! The arena itself: matches in which nothing happens would prove little.

use super::common::{scripted, straight};
use isostep_core::{Real, real};
use isostep_rollback::{Buttons, Inputs, PlayerId, Simulation, Tick};
use isostep_scenes::games::{
    Arena, ArenaInput, ArenaSize, JUMP, KICK, Kind, arena_input, choose_loadout,
};

const SIZE: ArenaSize = ArenaSize { players: 4, props: 9 };

#[test]
fn players_kick_jump_and_score() {
    let (mut kicks, mut goals, mut highest) = (0, 0, Real::ZERO);
    for seed in 0..6 {
        let mut arena = Arena::new(SIZE, seed);
        let mut inputs = Inputs::new(4);
        for tick in (0..900).map(Tick) {
            // Two humans, two bots.
            let mut values = scripted(seed, 4, tick);
            for bot in [2, 3] {
                values[bot] = arena.bot(tick, PlayerId(bot as u8));
            }
            inputs.set_next(&values);
            arena.step(tick, &inputs);
            let players = arena.drawables().filter(|thing| matches!(thing.kind, Kind::Player(_)));
            highest = players.map(|thing| thing.pose.translation.y).fold(highest, Real::max);
        }
        kicks += arena.players().iter().map(|player| player.kicks).sum::<u32>();
        goals += arena.goals().iter().sum::<u32>();
    }
    println!("{kicks} kicks, {goals} goals, {highest} m at most");
    assert!(kicks > 50 && goals > 0 && highest > real!(1.5), "{kicks} {goals} {highest}");
}

#[test]
fn scripted_players_hold_their_inputs() {
    let inputs: Vec<_> = (0..2000).map(|tick| arena_input(3, PlayerId(1), Tick(tick))).collect();
    let changes = inputs.windows(2).filter(|pair| pair[0].stick != pair[1].stick).count();
    assert!((50..=100).contains(&changes), "{changes}");
    let pressed = |button| inputs.iter().filter(|input| input.buttons.pressed(button)).count();
    assert!(pressed(JUMP) > 5 && pressed(KICK) > 25, "{} {}", pressed(JUMP), pressed(KICK));
}

#[test]
fn a_player_in_the_air_cannot_jump() {
    let mut arena = Arena::new(ArenaSize { players: 1, props: 0 }, 1);
    let tap = ArenaInput { buttons: Buttons::none().press(JUMP), ..ArenaInput::default() };
    let mut highest = Real::ZERO;
    for tick in (0..120).map(Tick) {
        arena.step(tick, &Inputs::confirmed(&[tap]));
        let body = arena.world().body(arena.body_of(PlayerId(0)).unwrap()).unwrap();
        highest = highest.max(body.position().y);
    }
    // 5 m/s reaches 1.27 m, from 0.875.
    assert!((real!(1.75)..real!(2.25)).contains(&highest), "{highest}");
}

#[test]
fn a_loadout_is_a_command() {
    let mut arena = Arena::new(SIZE, 1);
    let mut inputs = Inputs::new(4);
    inputs.push_command(PlayerId(1), &choose_loadout(2));
    inputs.push_command(PlayerId(2), &choose_loadout(9));
    inputs.push_command(PlayerId(3), b"something else");
    arena.step(Tick(0), &inputs);
    let chosen: Vec<_> = arena.players().iter().map(|player| player.loadout).collect();
    assert_eq!(chosen, [0, 2, 0, 0]);
}

#[test]
fn the_same_inputs_give_the_same_arena() {
    let (a, b) = (straight(SIZE, 5, 0, 300), straight(SIZE, 5, 0, 300));
    assert_eq!(a.world().digest(), b.world().digest());
    assert_eq!((a.players(), a.goals()), (b.players(), b.goals()));
}
