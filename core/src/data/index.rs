//! Typed indices: a type for each index space, so that the compiler catches a mix-up of two spaces.
//!
//! An index is a `u32` in memory, and its conversions are free.

/// Defines index types. They print as their number.
macro_rules! index_types {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub(crate) struct $name(u32);

        impl $name {
            /// The index with this number.
            #[inline(always)]
            pub(crate) const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The number of the index.
            #[inline(always)]
            pub(crate) const fn get(self) -> u32 {
                self.0
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

pub(crate) use index_types;
