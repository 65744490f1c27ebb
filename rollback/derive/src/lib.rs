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
/// An enum is not supported. The re-export `isostep::State` has an example.
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
/// The re-export `isostep::Snapshot` has an example.
#[proc_macro_derive(Snapshot, attributes(state))]
pub fn derive_snapshot(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    snapshot::expand(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `Input` for a struct of inputs: `hold` and `merge` apply to each field.
///
/// The struct also derives the supertraits of `Input`; `serde` must be a dependency of the game. The re-export
/// `isostep::Input` has an example.
///
/// `#[input(crate = path)]` on the struct names the module of the trait if it is not `::isostep::rollback`.
#[proc_macro_derive(Input, attributes(input))]
pub fn derive_input(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    input::expand(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}
