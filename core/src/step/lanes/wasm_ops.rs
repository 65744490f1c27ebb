//! Four lanes at once, for WebAssembly compiled with `simd128`. Products of 32 bits come from the lower and from the
//! upper two lanes, so each sum of products is two vectors: one for lanes 0 and 1, one for lanes 2 and 3.

use super::pack::{Eight, WIDTH};
use crate::math::{Lane, Q20};
use crate::step::constraint::Motion;
use crate::step::index::BatchRow;
use core::arch::wasm32::{
    i32x4, i32x4_add, i32x4_extract_lane, i32x4_gt, i32x4_max, i32x4_min, i32x4_shr, i32x4_shuffle,
    i32x4_splat, i32x4_sub, i64x2_add, i64x2_extmul_high_i32x4, i64x2_extmul_low_i32x4,
    i64x2_splat, i64x2_sub, u32x4_min, u64x2_shr, v128, v128_and, v128_bitselect, v128_load,
};

/// Lanes of one vector.
pub(super) const AT_ONCE: usize = 4;

/// Value in each lane.
#[derive(Clone, Copy)]
pub(super) struct L<const F: u32>(v128);

/// Sum of products in each lane.
#[derive(Clone, Copy)]
pub(super) struct W {
    low: v128,
    high: v128,
}

/// Loads four numbers at once. Built from single numbers, a vector would be loaded in halves, each extended on load, and
/// the products of such halves use the slow 64-bit multiplication: then steps take a sixth longer (`benches/NOTES.md`).
#[inline(always)]
#[allow(unsafe_code, reason = "there is no other load of a whole vector")]
fn read(four: &[i32; AT_ONCE]) -> v128 {
    // SAFETY: the array has sixteen readable bytes, and the load needs no alignment.
    unsafe { v128_load(four.as_ptr().cast()) }
}

#[inline(always)]
fn apart(v: v128) -> [i32; 4] {
    [
        i32x4_extract_lane::<0>(v),
        i32x4_extract_lane::<1>(v),
        i32x4_extract_lane::<2>(v),
        i32x4_extract_lane::<3>(v),
    ]
}

#[inline(always)]
pub(super) fn splat<const F: u32>(value: Lane<F>) -> L<F> {
    L(i32x4_splat(value.to_bits()))
}

#[inline(always)]
pub(super) fn load<const F: u32>(from: &Eight<F>, group: usize) -> L<F> {
    L(read(&from.0.as_chunks::<AT_ONCE>().0[group]))
}

#[inline(always)]
pub(super) fn store<const F: u32>(to: &mut Eight<F>, group: usize, value: L<F>) {
    to.0.as_chunks_mut::<AT_ONCE>().0[group] = apart(value.0);
}

#[inline(always)]
pub(super) fn add<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(i32x4_add(a.0, b.0))
}

#[inline(always)]
pub(super) fn sub<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(i32x4_sub(a.0, b.0))
}

#[inline(always)]
pub(super) fn min<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(i32x4_min(a.0, b.0))
}

#[inline(always)]
pub(super) fn max<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(i32x4_max(a.0, b.0))
}

#[inline(always)]
pub(super) fn if_positive<const F: u32, const G: u32>(sign: L<F>, a: L<G>, b: L<G>) -> L<G> {
    L(v128_bitselect(a.0, b.0, i32x4_gt(sign.0, i32x4_splat(0))))
}

#[inline(always)]
pub(super) fn add_up(a: L<20>, b: L<20>) -> L<20> {
    L(u32x4_min(i32x4_add(a.0, b.0), i32x4_splat(i32::MAX)))
}

#[inline(always)]
pub(super) fn half<const F: u32>(a: L<F>) -> L<F> {
    L(i32x4_shr(a.0, 1))
}

#[inline(always)]
pub(super) fn odd<const F: u32>(a: L<F>) -> L<F> {
    let one = i32x4_splat(1);
    let a = i32x4_max(a.0, i32x4_splat(-i32::MAX));
    let sign = i32x4_max(i32x4_min(a, one), i32x4_splat(-1));
    // All bits set where a is even.
    let even = i32x4_sub(v128_and(a, one), one);
    L(i32x4_add(a, v128_and(sign, even)))
}

pub(super) const fn as_unit(a: L<22>) -> L<30> {
    L(a.0)
}

pub(super) const fn as_speed(a: L<22>) -> L<20> {
    L(a.0)
}

#[inline(always)]
pub(super) fn wide() -> W {
    W { low: i64x2_splat(0), high: i64x2_splat(0) }
}

#[inline(always)]
pub(super) fn plus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        low: i64x2_add(sum.low, i64x2_extmul_low_i32x4(a.0, b.0)),
        high: i64x2_add(sum.high, i64x2_extmul_high_i32x4(a.0, b.0)),
    }
}

#[inline(always)]
pub(super) fn minus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        low: i64x2_sub(sum.low, i64x2_extmul_low_i32x4(a.0, b.0)),
        high: i64x2_sub(sum.high, i64x2_extmul_high_i32x4(a.0, b.0)),
    }
}

/// Only the lower halves of the shifted sums are used, so a logical shift suffices; x86 has no arithmetic one.
#[inline(always)]
pub(super) fn round<const SHIFT: u32, const F: u32>(sum: W) -> L<F> {
    const { assert!(SHIFT == 30 || SHIFT == 22, "the solver rounds by 30 or 22 bits") };
    let half = i64x2_splat(1 << (SHIFT - 1));
    let low = u64x2_shr(i64x2_add(sum.low, half), SHIFT);
    let high = u64x2_shr(i64x2_add(sum.high, half), SHIFT);
    L(i32x4_shuffle::<0, 2, 4, 6>(low, high))
}

/// Interleaves lanes 0 and 1 of two vectors.
#[inline(always)]
fn zip_low(a: v128, b: v128) -> v128 {
    i32x4_shuffle::<0, 4, 1, 5>(a, b)
}

/// Interleaves lanes 2 and 3 of two vectors.
#[inline(always)]
fn zip_high(a: v128, b: v128) -> v128 {
    i32x4_shuffle::<2, 6, 3, 7>(a, b)
}

/// Combines the lower halves of two vectors.
#[inline(always)]
fn lows(a: v128, b: v128) -> v128 {
    i32x4_shuffle::<0, 1, 4, 5>(a, b)
}

/// Combines the upper halves of two vectors.
#[inline(always)]
fn highs(a: v128, b: v128) -> v128 {
    i32x4_shuffle::<2, 3, 6, 7>(a, b)
}

/// Splits a row's motion into its first four components and its last two.
#[inline(always)]
fn quads(Motion { linear: [x, y, z], angular: [u, v, w] }: &Motion) -> [v128; 2] {
    [
        i32x4(x.to_bits(), y.to_bits(), z.to_bits(), u.to_bits()),
        i32x4(v.to_bits(), w.to_bits(), 0, 0),
    ]
}

#[inline(always)]
pub(super) fn gather(
    motions: &[Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
) -> [[L<20>; 3]; 2] {
    let row = |lane: usize| quads(&motions[rows[group * AT_ONCE + lane]]);
    let ([a, a2], [b, b2], [c, c2], [d, d2]) = (row(0), row(1), row(2), row(3));
    let (ab, cd) = (zip_low(a, b), zip_low(c, d));
    let (ab_high, cd_high) = (zip_high(a, b), zip_high(c, d));
    let (ab_rest, cd_rest) = (zip_low(a2, b2), zip_low(c2, d2));
    [
        [L(lows(ab, cd)), L(highs(ab, cd)), L(lows(ab_high, cd_high))],
        [L(highs(ab_high, cd_high)), L(lows(ab_rest, cd_rest)), L(highs(ab_rest, cd_rest))],
    ]
}

#[inline(always)]
pub(super) fn scatter(
    motions: &mut [Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
    [[x, y, z], [u, v, w]]: [[L<20>; 3]; 2],
) {
    let (xy, zu) = (zip_low(x.0, y.0), zip_low(z.0, u.0));
    let (xy_high, zu_high) = (zip_high(x.0, y.0), zip_high(z.0, u.0));
    let (vw, vw_high) = (zip_low(v.0, w.0), zip_high(v.0, w.0));
    let firsts = [lows(xy, zu), highs(xy, zu), lows(xy_high, zu_high), highs(xy_high, zu_high)];
    let rests = [vw, highs(vw, vw), vw_high, highs(vw_high, vw_high)];
    for lane in 0..AT_ONCE {
        let [x, y, z, u] = apart(firsts[lane]).map(Q20::from_bits);
        let [v, w, _, _] = apart(rests[lane]).map(Q20::from_bits);
        motions[rows[group * AT_ONCE + lane]] = Motion { linear: [x, y, z], angular: [u, v, w] };
    }
}
