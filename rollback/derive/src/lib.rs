//! The derives of Isostep: `State` and `Snapshot` for a game of several parts, `Input` for what a player does in a tick.
//!
//! They write code against these traits and know nothing else; `isostep` re-exports them.
//!
//! - `fields.rs`: what all read off a struct.
//! - `state.rs`, `snapshot.rs`, `input.rs`: the code they write.
#![forbid(unsafe_code)]

mod fields;
mod input;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct of states a state: one that holds a `World` beside the game's own values.
///
/// Each field is a state: a `World`, a value that is `Clone + Serialize`, or a struct that derives this. (A struct without
/// a `World` in it needs no derive: with `Clone + Serialize` it is a state already, and can't be one twice.) Saving and
/// loading ask all fields before they touch one. The digest is taken of the names and digests of the fields in order;
/// differences name the field: `hud.score`.
///
/// On a field:
/// - `#[state(scratch)]`: neither saved nor hashed: buffers, and caches that hold for every tick. A load leaves it as it
///   is; when a session checks that nothing depends on it, it becomes `Default::default()`.
/// - `#[state(fixed)]`: never changes during a match (settings, ids made at the start): not saved, but hashed as it is
///   now, so that machines with different settings find out. It must be `Serialize`.
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
/// An enum is no struct of states, and says so:
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

/// Lets a struct that derives [`macro@State`] become bytes and come back from them, for recordings: part by part.
///
/// It stands beside that derive, in the same module, and reads the same attributes. Every part is a `World`, a value that is
/// `Serialize + DeserializeOwned`, or a struct that derives this. `fixed` and `scratch` parts stay as they are.
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

/// Makes a struct of inputs an input: `hold` and `merge` go field by field.
///
/// The struct derives what `Input` asks for besides, with `serde` among the game's own dependencies:
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
