//! Derives of Isostep: `State` and `Snapshot` for a game of several parts, `Input` for a player's input of several
//! parts.
//!
//! They generate code against these traits and depend on nothing else; `isostep` re-exports them.
//!
//! - `fields.rs`: attributes and fields of a struct.
//! - `state.rs`, `snapshot.rs`, `input.rs`: the generated code.
#![forbid(unsafe_code)]

mod fields;
mod input;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `State` for a struct whose fields are states, such as a `World` beside the game's own values.
///
/// Each field is a state: a `World`, a value that is `Clone + Serialize`, or a struct that derives this. (A struct
/// without a `World` needs no derive: with `Clone + Serialize` it is a state already, and a second implementation would
/// conflict.) Saving and loading validate all fields before they change one. The digest covers the names and digests of
/// the fields in order; differences name the field: `hud.score`.
///
/// On a field:
/// - `#[state(scratch)]`: neither saved nor hashed: buffers, and caches that are valid for every tick. A load leaves it
///   unchanged; dropping caches sets it to `Default::default()`.
/// - `#[state(fixed)]`: never changes during a match (settings, ids made at the start). Not saved, but hashed, so that
///   machines with different settings detect it. It must be `Serialize`.
///
/// On the struct: `#[state(crate = path)]` names the module of the trait if it is not `::isostep::state`.
///
/// ```
/// use isostep::{BodyDef, BodyId, Shape, State, World, WorldDef, real};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Hud { score: u32 }
///
/// #[derive(State)]
/// struct Game {
///     world: World,
///     hud: Hud,
///     #[state(fixed)]
///     ball: BodyId,
///     #[state(scratch)]
///     seen: Vec<BodyId>,
/// }
///
/// let mut world = World::new(WorldDef::default())?;
/// let ball = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
/// world.commit();
/// let mut game = Game { world, hud: Hud { score: 0 }, ball, seen: Vec::new() };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, 0)?;
/// game.world.step();
/// game.hud.score += 1;
/// game.save(&mut slots, 1)?;
/// game.load(&mut slots, 0)?;
/// assert_eq!((game.world.tick(), game.hud.score), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An enum is not supported:
///
/// ```compile_fail
/// #[derive(isostep::State)]
/// enum Mode { Menu, Play }
/// ```
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    state::expand(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `Snapshot` for a struct that derives [`macro@State`]: each part is written as bytes and read back, for
/// recordings.
///
/// Use it with that derive, in the same module; it reads the same attributes. Every part is a `World`, a value that is
/// `Serialize + DeserializeOwned`, or a struct that derives this. `fixed` and `scratch` parts are unchanged.
///
/// ```
/// use isostep::{Snapshot, State, World, WorldDef};
///
/// #[derive(State, Snapshot)]
/// struct Game {
///     world: World,
///     scores: Vec<u32>,
/// }
///
/// let mut game = Game { world: World::new(WorldDef::default())?, scores: vec![3, 4] };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, 7)?;
/// let mut bytes = Vec::new();
/// game.snapshot(&slots, 7, &mut bytes)?;
/// let mut other = Game { world: World::new(WorldDef::default())?, scores: Vec::new() };
/// other.restore(&bytes)?;
/// assert_eq!(other.scores, [3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[proc_macro_derive(Snapshot, attributes(state))]
pub fn derive_snapshot(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    snapshot::expand(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `Input` for a struct of inputs: `hold` and `merge` apply to each field.
///
/// The struct also derives the supertraits of `Input`; `serde` must be a dependency of the game:
///
/// ```
/// use isostep::{Button, Buttons, Input, Stick};
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, Input)]
/// struct Pad {
///     walk: Stick,
///     buttons: Buttons<2>,
/// }
///
/// const DASH: Button<2> = Button::at::<0>();
/// let tap = Pad { buttons: Buttons::none().press(DASH), ..Pad::default() };
/// assert!(Pad::merge(tap, Pad::default()).buttons.pressed(DASH));
/// ```
///
/// `#[input(crate = path)]` on the struct names the module of the trait if it is not `::isostep::rollback`.
#[proc_macro_derive(Input, attributes(input))]
pub fn derive_input(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    input::expand(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}
