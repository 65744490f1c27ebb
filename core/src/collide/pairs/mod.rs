//! Pair functions by the kinds of two shapes. The table is complete at compile time: a kind without a row, or a row without an
//! entry for each kind, does not compile. The functions are in the other files of this folder.

mod capsule;
mod cuboid;
mod cuboid_capsule;
mod half_space;
mod sphere;

use crate::collide::frame::Unit;
use crate::collide::{Manifold, Pair};
use crate::shape::{Capsule, Cuboid, HalfSpace, Kind, Shape, Sphere};

/// Manifold of two boxes by their own path.
#[cfg(test)]
pub(super) fn box_path(pair: &Pair, a: Cuboid, b: Cuboid) -> Manifold {
    cuboid::cuboids(pair, a, b)
}

/// Entry of the table.
enum Entry {
    /// Functions that take the shape of the row first.
    Pair(Functions),
    /// The functions are those of the exchanged pair.
    Swapped,
    /// No dynamic body can have either kind.
    Never,
}

/// Functions of a pair of kinds.
pub(super) struct Functions {
    /// Kinds of the first and second shape, which confirm the place of the entry.
    #[allow(dead_code, reason = "read at compile time only")]
    kinds: [Kind; 2],
    /// Manifold with points up to the margin; empty if the shapes are further apart.
    pub(super) manifold: fn(&Pair, &Shape, &Shape) -> Manifold,
    /// As [`gap`](crate::collide::gap), with the margin as the reach.
    pub(super) gap: fn(&Pair, &Shape, &Shape) -> Option<(Unit, i64)>,
    flat: Flat,
}

/// Contacts of a pair of kinds whose features keep their places on both surfaces: faces and edges on faces and edges. Only such
/// contacts are recycled, because round surfaces roll.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flat {
    Always,
    Never,
    /// By the feature of a point, for surfaces with flat and round parts.
    #[allow(dead_code, reason = "no shape has both kinds of sides yet")]
    ByFeature(fn(u32) -> bool),
}

impl Flat {
    /// Returns whether a contact whose points have these features is flat.
    #[inline(always)]
    pub(crate) fn has_all(self, mut features: impl Iterator<Item = u32>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::ByFeature(is_flat) => features.all(is_flat),
        }
    }
}

/// Functions of a pair of kinds, by their order.
macro_rules! pair {
    ($first:ident, $second:ident, $flat:expr, $manifold:path, $gap:path) => {
        Entry::Pair(Functions {
            kinds: [Kind::$first, Kind::$second],
            manifold: |pair, a, b| match ($first::of(a), $second::of(b)) {
                (Some(a), Some(b)) => $manifold(pair, a, b),
                // The kinds are those of the entry.
                _ => Manifold::default(),
            },
            gap: |pair, a, b| match ($first::of(a), $second::of(b)) {
                (Some(a), Some(b)) => $gap(pair, a, b),
                _ => None,
            },
            flat: $flat,
        })
    };
    // The distance is the least separation of the manifold.
    ($first:ident, $second:ident, $flat:expr, $manifold:path) => {{
        fn gap(pair: &Pair, a: $first, b: $second) -> Option<(Unit, i64)> {
            $manifold(pair, a, b).gap()
        }
        pair!($first, $second, $flat, $manifold, gap)
    }};
}

const KINDS: usize = Kind::ALL.len();
const SWAPPED: Entry = Entry::Swapped;

/// First shapes by row, second shapes by column, both in the order of [`Kind`].
static PAIRS: [[Entry; KINDS]; KINDS] = [
    [pair!(Sphere, Sphere, Flat::Never, sphere::spheres), SWAPPED, SWAPPED, SWAPPED],
    [
        pair!(Cuboid, Sphere, Flat::Never, sphere::cuboid),
        pair!(Cuboid, Cuboid, Flat::Always, cuboid::cuboids, cuboid::gap),
        pair!(Cuboid, Capsule, Flat::Never, cuboid_capsule::manifold, cuboid_capsule::gap),
        SWAPPED,
    ],
    [
        pair!(Capsule, Sphere, Flat::Never, sphere::capsule),
        SWAPPED,
        pair!(Capsule, Capsule, Flat::Never, capsule::capsules),
        SWAPPED,
    ],
    [
        pair!(HalfSpace, Sphere, Flat::Never, half_space::sphere),
        pair!(HalfSpace, Cuboid, Flat::Always, half_space::cuboid),
        pair!(HalfSpace, Capsule, Flat::Never, half_space::capsule),
        Entry::Never,
    ],
];

/// [`Functions::flat`] of each pair in either order.
static FLAT: [[Flat; KINDS]; KINDS] = {
    let mut flat = [[Flat::Never; KINDS]; KINDS];
    let mut at = 0;
    while at < KINDS * KINDS {
        let (a, b) = (at / KINDS, at % KINDS);
        match (&PAIRS[a][b], &PAIRS[b][a]) {
            (Entry::Pair(functions), Entry::Swapped) | (Entry::Swapped, Entry::Pair(functions)) => {
                flat[a][b] = functions.flat;
            }
            (Entry::Pair(functions), Entry::Pair(_)) if a == b => flat[a][b] = functions.flat,
            (Entry::Never, Entry::Never) => {}
            _ => panic!("a pair of kinds has functions in one order and is swapped in the other"),
        }
        if let Entry::Pair(Functions { kinds: [first, second], .. }) = &PAIRS[a][b] {
            assert!(*first as usize == a && *second as usize == b, "an entry is in a wrong place");
        }
        at += 1;
    }
    flat
};

/// Functions for two shapes.
pub(super) enum Found {
    InOrder(&'static Functions),
    /// The functions take the second shape first.
    Swapped(&'static Functions),
    Never,
}

/// Finds the functions for two shapes.
#[inline(always)]
pub(super) fn find(a: &Shape, b: &Shape) -> Found {
    let (a, b) = (a.kind() as usize, b.kind() as usize);
    if let Entry::Pair(functions) = &PAIRS[a][b] {
        Found::InOrder(functions)
    } else if let Entry::Pair(functions) = &PAIRS[b][a] {
        Found::Swapped(functions)
    } else {
        Found::Never
    }
}

/// Returns which contacts of two shapes are flat.
#[inline(always)]
pub(crate) fn flat(a: &Shape, b: &Shape) -> Flat {
    FLAT[a.kind() as usize][b.kind() as usize]
}
