//! Kernels of the solver for several contacts at once, and the choice of the SIMD width.
//!
//! All operands are 32-bit integers and all sums of products 64-bit ones, so every width gives the same bits. The
//! kernels are macros ([`kernel`], [`rows`], [`vectors`]), instantiated over the operations of each width: `scalar_ops`
//! everywhere, `sse41_ops` and `avx2_ops` on x86-64, `neon_ops` on 64-bit ARM, `wasm_ops` in WebAssembly.
//!
//! On x86-64 the instruction set is detected when a world is created. NEON is part of little-endian aarch64. A
//! WebAssembly module cannot detect `simd128`: compiled with it, it runs only where it is supported. So these two are
//! chosen at compile time.
//!
//! This file has the `unsafe` of the solver: calls of functions that need a detected instruction set. One more is the
//! load of a vector in `wasm_ops`.

mod kernel;
pub(crate) mod pack;
mod quotients;
mod rows;
pub(crate) mod stage;
#[cfg(test)]
mod tests;
mod vectors;

use super::rows::RowsMut;
use crate::math::Q30;
use core::ops::Range;
use pack::{AngularPack, Pack, PointPack};
use stage::Stage;

/// Directions of the facets of the regular polygon of 16 sides that approximates the circle of friction: cosine and sine of π/8, cosine of π/4.
/// The polygon touches the circle in the middle of each side, and exceeds it by 2 % at the corners.
pub(super) const COS_22: Q30 = Q30::from_bits(992_008_094);
pub(super) const SIN_22: Q30 = Q30::from_bits(410_903_207);
pub(super) const COS_45: Q30 = Q30::from_bits(759_250_125);

/// Inputs of the kernels: packs in solver order, and the rows of their bodies.
pub(crate) struct Batch<'a> {
    pub(crate) packs: &'a mut [Pack],
    /// Rows of the packs' points, [`Pack::points`] for each pack.
    pub(crate) points: &'a mut [PointPack],
    pub(crate) angular: &'a mut [AngularPack],
    pub(crate) rows: RowsMut<'a>,
}

mod scalar_ops;
mod scalar {
    use super::scalar_ops as ops;
    super::vectors::vector_kernels!();
    super::kernel::kernels!();
    super::rows::row_kernels!();
}

#[cfg(target_arch = "x86_64")]
mod sse41_ops;
#[cfg(target_arch = "x86_64")]
mod sse41 {
    use super::sse41_ops as ops;
    super::vectors::vector_kernels!(#[target_feature(enable = "sse4.1")]);
    super::kernel::kernels!(#[target_feature(enable = "sse4.1")]);
    super::rows::row_kernels!(#[target_feature(enable = "sse4.1")]);
}

#[cfg(target_arch = "x86_64")]
mod avx2_ops;
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::avx2_ops as ops;
    super::vectors::vector_kernels!(#[target_feature(enable = "avx2")]);
    super::kernel::kernels!(#[target_feature(enable = "avx2")]);
    super::rows::row_kernels!(#[target_feature(enable = "avx2")]);
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon_ops;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon {
    use super::neon_ops as ops;
    super::vectors::vector_kernels!(#[target_feature(enable = "neon")]);
    super::kernel::kernels!(#[target_feature(enable = "neon")]);
    super::rows::row_kernels!(#[target_feature(enable = "neon")]);
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm_ops;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::wasm_ops as ops;
    super::vectors::vector_kernels!();
    super::kernel::kernels!();
    super::rows::row_kernels!();
}

/// SIMD width of the solver's kernels. All widths give the same bits; they differ in speed only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Lanes {
    /// One contact at a time, on any machine.
    Scalar,
    /// Four contacts at once, with SSE4.1.
    Sse41,
    /// Four contacts at once, with NEON on little-endian 64-bit ARM.
    Neon,
    /// Four contacts at once, in WebAssembly compiled with `-C target-feature=+simd128`.
    Simd128,
    /// Eight contacts at once, with AVX2.
    Avx2,
}

impl Lanes {
    /// All widths, the narrowest first.
    pub const ALL: [Self; 5] = [Self::Scalar, Self::Sse41, Self::Neon, Self::Simd128, Self::Avx2];

    /// Returns whether this machine supports the width.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse41 => std::arch::is_x86_feature_detected!("sse4.1"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon => true,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => true,
            _ => false,
        }
    }

    /// Returns the widths that this machine supports; never empty.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|lanes| lanes.is_available())
    }

    /// Returns the widest width that this machine supports.
    #[must_use]
    pub fn widest() -> Self {
        Self::available().last().unwrap_or(Self::Scalar)
    }

    /// Returns a short name for reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse41 => "sse4.1",
            Self::Neon => "neon",
            Self::Simd128 => "simd128",
            Self::Avx2 => "avx2",
        }
    }
}

/// Width that this machine was detected to support.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen(Lanes);

impl Default for Chosen {
    fn default() -> Self {
        // Only scalar lanes check every narrowing.
        Self(if cfg!(feature = "check-narrowing") { Lanes::Scalar } else { Lanes::widest() })
    }
}

impl Chosen {
    pub(crate) const SCALAR: Self = Self(Lanes::Scalar);

    /// Returns this width, or `None` if the machine does not support it.
    pub(crate) fn new(lanes: Lanes) -> Option<Self> {
        lanes.is_available().then_some(Self(lanes))
    }

    pub(crate) const fn get(self) -> Lanes {
        self.0
    }
}

/// Calls the kernel of the chosen width.
macro_rules! dispatch {
    ($chosen:expr, $kernel:ident($($argument:expr),*)) => {
        match $chosen.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: only made after the processor was found to have SSE4.1.
            Lanes::Sse41 => unsafe { sse41::$kernel($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: only made after the processor was found to have AVX2.
            Lanes::Avx2 => unsafe { avx2::$kernel($($argument),*) },
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            // SAFETY: only compiled for targets of which every processor has NEON.
            Lanes::Neon => unsafe { neon::$kernel($($argument),*) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Lanes::Simd128 => wasm::$kernel($($argument),*),
            _ => scalar::$kernel($($argument),*),
        }
    };
}

/// Computes the rows of a pack.
#[allow(unsafe_code, reason = "the processor was asked for the instructions, see `Chosen`")]
pub(crate) fn make_rows(
    pack: &mut Pack,
    points: &mut [PointPack],
    angular: &mut [AngularPack],
    stage: &Stage,
    chosen: Chosen,
) {
    dispatch!(chosen, make_rows(pack, points, angular, stage));
}

#[allow(unsafe_code, reason = "the processor was asked for the instructions, see `Chosen`")]
impl Batch<'_> {
    /// Warm start: applies the final impulses of the last tick.
    pub(crate) fn warm_start(&mut self, chosen: Chosen) {
        dispatch!(chosen, warm_start(self));
    }

    /// Runs a Gauss-Seidel pass with soft contacts and bias.
    pub(crate) fn biased(&mut self, chosen: Chosen) {
        dispatch!(chosen, biased(self));
    }

    /// Runs a relaxation pass without bias. It removes push-out speed, at most the impulse that was applied.
    pub(crate) fn relax(&mut self, chosen: Chosen) {
        dispatch!(chosen, relax(self));
    }
}

#[allow(unsafe_code, reason = "the processor was asked for the instructions, see `Chosen`")]
impl RowsMut<'_> {
    /// Adds gravity and the carried impulse, and starts a substep.
    pub(crate) fn accelerate(&mut self, members: Range<usize>, chosen: Chosen) {
        dispatch!(chosen, accelerate(self, members));
    }

    /// Stores the velocity change since the substep began as the carried impulse.
    pub(crate) fn carry(&mut self, members: Range<usize>, chosen: Chosen) {
        dispatch!(chosen, carry(self, members));
    }

    /// Adds the velocity change of the substep to the carried impulse.
    pub(crate) fn carry_on(&mut self, members: Range<usize>, chosen: Chosen) {
        dispatch!(chosen, carry_on(self, members));
    }

    /// Integrates the displacement over one substep.
    pub(crate) fn advance(&mut self, members: Range<usize>, chosen: Chosen) {
        dispatch!(chosen, advance(self, members));
    }
}
