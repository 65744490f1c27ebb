//! No press is lost and none is doubled, whatever the delay does.

use core::cell::Cell;
use isostep_rollback::{
    Button, Buttons, Input, Inputs, PlayerId, Session, SessionConfig, Simulation, Tick, Time,
};
use proptest::prelude::*;

/// Remembers presses by tick.
#[derive(Clone, Debug, Default, serde::Serialize)]
struct Heard {
    presses: Vec<(u32, u64)>,
    levels: u64,
}

impl Simulation for Heard {
    type Input = Buttons<2>;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Self::Input>) {
        let input = inputs.value(PlayerId(0));
        if input.pressed_bits() != 0 {
            self.presses.push((tick.0, input.pressed_bits()));
        }
        self.levels = input.bits();
    }
}

#[derive(Clone, Copy, Debug)]
enum Act {
    /// A sample with these buttons gone down, and these down at its end.
    Sample {
        pressed: u64,
        held: u64,
    },
    Delay(u32),
    Advance,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0u64..4, 0u64..4).prop_map(|(pressed, held)| Act::Sample { pressed, held }),
        1 => (0u32..12).prop_map(Act::Delay),
        5 => Just(Act::Advance),
    ];
    proptest::collection::vec(act, 0..200)
}

fn buttons(pressed: u64, held: u64) -> Buttons<2> {
    let mut buttons = Buttons::hold(Buttons::none().next(held).expect("two buttons"));
    for place in (0..2).filter(|place| pressed >> place & 1 == 1) {
        let button = Button::new(place).expect("two buttons");
        buttons = buttons.press(button);
        if held >> place & 1 == 0 {
            buttons = buttons.release(button);
        }
    }
    buttons
}

proptest! {
    #[test]
    fn every_press_is_heard_once_in_order(acts in acts()) {
        let mut heard = Heard::default();
        let mut session = Session::start(SessionConfig::new().local(), &mut heard).unwrap();
        let now = Cell::new(0);
        let mut given = [0u32; 2];
        let mut held_last = 0;
        let advance = |session: &mut Session<Heard>, heard: &mut Heard| {
            now.set(now.get() + 16);
            session.advance(Time::from_millis(now.get())).run(heard).unwrap();
        };
        for act in acts {
            match act {
                Act::Sample { pressed, held } => {
                    // A button that is down at the end was pressed or down before.
                    let held = held & (pressed | held_last);
                    held_last = held;
                    for place in 0..2 {
                        given[place] += (pressed >> place & 1) as u32;
                    }
                    session.local_input(PlayerId(0), buttons(pressed, held)).unwrap();
                }
                Act::Delay(ticks) => session.set_delay(PlayerId(0), ticks).unwrap(),
                Act::Advance => advance(&mut session, &mut heard),
            }
        }
        // Pending presses are released, one press of a button a tick.
        for _ in 0..300 {
            advance(&mut session, &mut heard);
        }
        for place in 0..2 {
            let count = heard.presses.iter().filter(|press| press.1 >> place & 1 == 1).count();
            prop_assert_eq!(count as u32, given[place]);
        }
        prop_assert_eq!(heard.levels, held_last);
    }
}
