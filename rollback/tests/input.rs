//! Inputs as bytes, and what their parts do when a sample is missing or there is one too many.
#![allow(clippy::disallowed_types, reason = "floats are offered here to see them refused")]

use isostep_core::{Real, real};
use isostep_rollback::internals::{InputCodec, InputReadError};
use isostep_rollback::{Button, Buttons, Input, InputCodecError, NewestWins, Stick};
use proptest::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Weapon {
    #[default]
    Fists,
    Bow,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Everything {
    flag: bool,
    small: (u8, i8),
    middle: [u16; 2],
    wide: (u32, i32, u64, i64),
    real: Real,
    weapon: Weapon,
    nothing: (),
    buttons: Buttons<9>,
    stick: Stick,
}

type Codec<T> = InputCodec<NewestWins<T>>;

fn refusal<T>() -> InputCodecError
where
    NewestWins<T>: Input,
{
    Codec::<T>::new().map(|codec| codec.width()).unwrap_err()
}

fn buttons<const N: usize>(held: u64, pressed: u64) -> Buttons<N> {
    let mask = u64::MAX >> (64 - N);
    let before = Buttons::none().next(!pressed & mask).unwrap();
    let edges = before.next((held | pressed) & mask).unwrap();
    (0..N)
        .filter(|place| held >> place & 1 == 0)
        .fold(edges, |sample, place| sample.release(Button::new(place).unwrap()))
}

prop_compose! {
    fn everything()(
        flag: bool, small: (u8, i8), middle: [u16; 2], wide: (u32, i32, u64, i64), real: i64,
        bow: bool, held: u64, pressed: u64, x in -127..=127i8, y in -127..=127i8,
    ) -> Everything {
        Everything {
            flag, small, middle, wide, real: Real::from_bits(real),
            weapon: if bow { Weapon::Bow } else { Weapon::Fists },
            nothing: (),
            buttons: buttons(held & 0x1ff, pressed & 0x1ff),
            stick: Stick::from_steps(x, y).unwrap(),
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_has_one_width(value in everything()) {
        let codec = Codec::<Everything>::new().unwrap();
        let mut bytes = vec![7];
        codec.append(NewestWins(value), &mut bytes).unwrap();
        prop_assert_eq!(bytes.len(), 1 + codec.width());
        prop_assert_eq!(codec.read(&bytes[1..]), Ok(NewestWins(value)));
    }

    #[test]
    fn hostile_bytes_give_a_value_that_writes_the_same_bytes_or_an_error(
        bytes in prop::collection::vec(prop_oneof![0..2u8, any::<u8>()], 0..64),
    ) {
        let codec = Codec::<Everything>::new().unwrap();
        if let Ok(value) = codec.read(&bytes) {
            let mut again = Vec::new();
            codec.append(value, &mut again).unwrap();
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn buttons_keep_the_contract(a: u64, b: u64, c: u64, d: u64, place in 0..20usize) {
        let button = Button::<20>::new(place).unwrap();
        let (older, newer) = (buttons::<20>(a, b), buttons::<20>(c, d));
        let hold = Buttons::hold(older);
        prop_assert_eq!(Buttons::hold(hold), hold);
        prop_assert_eq!((hold.held(button), hold.pressed(button)), (older.held(button), false));
        let merge = Buttons::merge(older, newer);
        prop_assert_eq!(merge.held(button), newer.held(button));
        prop_assert_eq!(merge.pressed(button), older.pressed(button) || newer.pressed(button));
    }
}

#[test]
fn the_bytes_are_little_endian_in_field_order() {
    let codec = InputCodec::<(NewestWins<u16>, NewestWins<(bool, Weapon)>, Stick)>::new().unwrap();
    let mut bytes = [0; 6];
    let input =
        (NewestWins(0x0102), NewestWins((true, Weapon::Bow)), Stick::from_steps(-127, 3).unwrap());
    codec.write(input, &mut bytes).unwrap();
    assert_eq!(bytes, [2, 1, 1, 1, 129, 3]);
}

#[test]
fn a_player_who_sends_nothing_takes_no_bytes() {
    let codec = InputCodec::<()>::new().unwrap();
    assert_eq!((codec.width(), codec.read(&[])), (0, Ok(())));
}

#[test]
fn what_has_no_fixed_width_is_refused_by_path() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Aim {
        target: (u8, Option<u8>),
    }
    let error = refusal::<Aim>();
    let path = "target.1".to_owned();
    assert_eq!(error, InputCodecError::Width { path, what: "an Option" });
    assert!(error.to_string().contains("NewestWins<[T; N]>"));
    assert_eq!(refusal::<[f32; 2]>(), InputCodecError::Float { path: "0".to_owned() });
    assert_eq!(refusal::<f64>(), InputCodecError::Float { path: ".".to_owned() });
    assert!(matches!(refusal::<char>(), InputCodecError::Width { what: "a char", .. }));
    assert!(matches!(refusal::<u128>(), InputCodecError::Width { what: "a u128", .. }));
}

#[test]
fn an_enum_with_data_is_refused_even_if_its_default_has_none() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    enum Order {
        #[default]
        Wait,
        Build(u8),
    }
    let path = "Order".to_owned();
    assert_eq!(
        refusal::<(u8, Order)>(),
        InputCodecError::Width { path, what: "an enum with data" }
    );
    assert_ne!(Order::Build(1), Order::Wait);
}

#[test]
fn more_than_64_bytes_are_refused() {
    assert_eq!(Codec::<[u64; 8]>::new().unwrap().width(), 64);
    assert_eq!(refusal::<([u64; 8], u8)>(), InputCodecError::TooWide);
}

#[test]
fn a_value_of_another_width_is_refused_when_written() {
    /// Only a hand-written `Serialize` gets this far.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
    struct Sly(u8);
    impl Serialize for Sly {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if self.0 == 0 { serializer.serialize_u8(0) } else { serializer.serialize_u16(1) }
        }
    }
    let codec = Codec::<Sly>::new().unwrap();
    let mut out = vec![9];
    let error = codec.append(NewestWins(Sly(1)), &mut out).unwrap_err();
    assert_eq!(error, InputCodecError::WidthChanged { expected: 1, found: 2 });
    assert_eq!(out, [9]);
}

#[test]
fn a_skipped_field_is_refused_once_it_would_be_lost() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Leaky {
        sent: u8,
        #[serde(skip)]
        lost: u8,
    }
    let codec = Codec::<Leaky>::new().unwrap();
    let input = NewestWins(Leaky { sent: 1, lost: 1 });
    assert_eq!(codec.write(input, &mut [0]), Err(InputCodecError::NotReproduced));
}

#[test]
fn bytes_that_no_value_has_are_refused() {
    assert_eq!(Codec::<bool>::new().unwrap().read(&[2]), Err(InputReadError::Bool(2)));
    assert_eq!(
        Codec::<Weapon>::new().unwrap().read(&[2]),
        Err(InputReadError::Variant { name: "Weapon", index: 2 })
    );
    let codec = InputCodec::<Stick>::new().unwrap();
    assert_eq!(codec.read(&[0]), Err(InputReadError::Length { expected: 2, found: 1 }));
    assert_eq!(codec.read(&[0; 3]), Err(InputReadError::Length { expected: 2, found: 3 }));
    assert!(matches!(codec.read(&[0, 128]), Err(InputReadError::Value(_))));
    let codec = InputCodec::<Buttons<9>>::new().unwrap();
    assert_eq!(codec.width(), 4);
    assert!(codec.read(&[255, 1, 255, 1]).is_ok());
    assert!(matches!(codec.read(&[0, 0, 0, 2]), Err(InputReadError::Value(_))));
}

#[test]
fn a_buffer_of_another_size_is_refused() {
    let codec = InputCodec::<Stick>::new().unwrap();
    let error = InputCodecError::Buffer { expected: 2, found: 3 };
    assert_eq!(codec.write(Stick::CENTRE, &mut [0; 3]), Err(error));
}

#[test]
fn schemas_tell_types_apart() {
    mod other {
        use serde::{Deserialize, Serialize};
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub(super) enum Weapon {
            #[default]
            Fists,
            Sling,
        }
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub(super) struct Named {
            pub(super) a: u8,
        }
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename = "Named")]
        pub(super) struct Renamed {
            pub(super) b: u8,
        }
    }
    let _ = (other::Weapon::Sling, other::Named { a: 1 }.a, other::Renamed { b: 1 }.b);
    let schemas = [
        Codec::<u8>::new().unwrap().schema(),
        Codec::<i8>::new().unwrap().schema(),
        Codec::<bool>::new().unwrap().schema(),
        Codec::<Weapon>::new().unwrap().schema(),
        Codec::<other::Weapon>::new().unwrap().schema(),
        Codec::<other::Named>::new().unwrap().schema(),
        Codec::<other::Renamed>::new().unwrap().schema(),
        InputCodec::<Buttons<3>>::new().unwrap().schema(),
        InputCodec::<Buttons<4>>::new().unwrap().schema(),
        InputCodec::<[Buttons<4>; 2]>::new().unwrap().schema(),
        InputCodec::<Stick>::new().unwrap().schema(),
    ];
    for (place, schema) in schemas.iter().enumerate() {
        assert!(!schemas[..place].contains(schema), "{place}");
    }
    assert_eq!(schemas[10], InputCodec::<Stick>::new().unwrap().schema());
}

#[test]
fn a_tap_shorter_than_a_tick_is_seen_and_released() {
    const JUMP: Button<64> = Button::at::<63>();
    let before = Buttons::none();
    let tap = before.press(JUMP).release(JUMP);
    assert!(tap.pressed(JUMP) && !tap.held(JUMP) && tap.released(before, JUMP));
    assert!(!Buttons::hold(tap).released(tap, JUMP));
}

#[test]
fn levels_beyond_the_last_button_are_refused() {
    let error = Buttons::<3>::none().next(0b1010).unwrap_err();
    assert_eq!((error.extra, error.count), (0b1000, 3));
}

#[test]
fn a_flick_survives_a_merge_and_ties_go_to_the_newer() {
    let [left, right, slow] =
        [(-127, 0), (127, 0), (0, 5)].map(|(x, y)| Stick::from_steps(x, y).unwrap());
    assert_eq!(Stick::merge(left, slow), left);
    assert_eq!(Stick::merge(slow, left), left);
    assert_eq!(Stick::merge(left, right), right);
}

#[test]
fn axes_are_the_nearest_number_and_symmetric() {
    for step in -127..=127i8 {
        let stick = Stick::from_steps(step, -step).unwrap();
        assert_eq!(stick.x(), Real::ratio(i32::from(step), 127));
        let axis = f32::from(step) / 127.0;
        assert_eq!(Stick::from_f32(axis, -axis).unwrap(), stick);
    }
    let full = Stick::from_f32(1.5, -1.000_001).unwrap();
    assert_eq!((full.x(), full.y()), (real!(1), real!(-1)));
    assert_eq!(Stick::from_f32(0.5, -0.5).unwrap().to_steps(), [64, -64]);
    assert!(Stick::from_f32(0.0, f32::INFINITY).is_err());
}

#[test]
fn a_dead_zone_centres_what_leans_less() {
    let stick = Stick::from_steps(3, 4).unwrap();
    assert_eq!(stick.with_dead_zone(5), stick);
    assert_eq!(stick.with_dead_zone(6), Stick::CENTRE);
}

#[test]
fn tuples_and_arrays_pass_on_to_their_parts() {
    let press = Buttons::<1>::none().press(Button::at::<0>());
    let idle = Buttons::none();
    let merged = Input::merge(([press], NewestWins(1u8)), ([idle], NewestWins(2)));
    assert_eq!(merged.0[0].pressed_bits(), 1);
    assert_eq!(merged.1, NewestWins(2));
    assert_eq!(Input::hold([press; 2])[1].pressed_bits(), 0);
}
