//! Four lanes at once, for 64-bit ARM, where every processor has NEON. Products of 32 bits come from the lower and from the
//! upper two lanes, so each sum of products is two vectors: one for lanes 0 and 1, one for lanes 2 and 3.

use super::pack::{Eight, WIDTH};
use crate::math::{Lane, Q20};
use crate::step::constraint::Motion;
use crate::step::index::BatchRow;
use core::arch::aarch64::{
    int32x4_t, int64x2_t, vaddq_s32, vbicq_s32, vbslq_s32, vcgtzq_s32, vdupq_n_s32, vdupq_n_s64,
    vdupq_n_u32, vget_low_s32, vgetq_lane_s32, vmaxq_s32, vminq_s32, vminq_u32, vmlal_high_s32,
    vmlal_s32, vmlaq_s32, vmlsl_high_s32, vmlsl_s32, vreinterpretq_s32_s64, vreinterpretq_s32_u32,
    vreinterpretq_s64_s32, vreinterpretq_u32_s32, vrshrn_high_n_s64, vrshrn_n_s64, vsetq_lane_s32,
    vshrq_n_s32, vsubq_s32, vzip1q_s32, vzip1q_s64, vzip2q_s32, vzip2q_s64,
};

/// Lanes of one vector.
pub(super) const AT_ONCE: usize = 4;

/// Value in each lane.
#[derive(Clone, Copy)]
pub(super) struct L<const F: u32>(int32x4_t);

/// Sum of products in each lane.
#[derive(Clone, Copy)]
pub(super) struct W {
    low: int64x2_t,
    high: int64x2_t,
}

/// Vector of four numbers. The compiler emits one load for numbers that are adjacent in memory, or one for both halves,
/// as products use them.
#[target_feature(enable = "neon")]
#[inline]
fn four(a: i32, b: i32, c: i32, d: i32) -> int32x4_t {
    let v = vdupq_n_s32(a);
    vsetq_lane_s32::<3>(d, vsetq_lane_s32::<2>(c, vsetq_lane_s32::<1>(b, v)))
}

#[target_feature(enable = "neon")]
#[inline]
fn apart(v: int32x4_t) -> [i32; 4] {
    [vgetq_lane_s32::<0>(v), vgetq_lane_s32::<1>(v), vgetq_lane_s32::<2>(v), vgetq_lane_s32::<3>(v)]
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn splat<const F: u32>(value: Lane<F>) -> L<F> {
    L(vdupq_n_s32(value.to_bits()))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn load<const F: u32>(from: &Eight<F>, group: usize) -> L<F> {
    let [a, b, c, d] = from.0.as_chunks::<AT_ONCE>().0[group];
    L(four(a, b, c, d))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn store<const F: u32>(to: &mut Eight<F>, group: usize, value: L<F>) {
    to.0.as_chunks_mut::<AT_ONCE>().0[group] = apart(value.0);
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn add<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(vaddq_s32(a.0, b.0))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn sub<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(vsubq_s32(a.0, b.0))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn min<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(vminq_s32(a.0, b.0))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn max<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(vmaxq_s32(a.0, b.0))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn if_positive<const F: u32, const G: u32>(sign: L<F>, a: L<G>, b: L<G>) -> L<G> {
    L(vbslq_s32(vcgtzq_s32(sign.0), a.0, b.0))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn add_up(a: L<20>, b: L<20>) -> L<20> {
    let sum = vreinterpretq_u32_s32(vaddq_s32(a.0, b.0));
    L(vreinterpretq_s32_u32(vminq_u32(sum, vdupq_n_u32(i32::MAX as u32))))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn half<const F: u32>(a: L<F>) -> L<F> {
    L(vshrq_n_s32::<1>(a.0))
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn odd<const F: u32>(a: L<F>) -> L<F> {
    let one = vdupq_n_s32(1);
    let a = vmaxq_s32(a.0, vdupq_n_s32(-i32::MAX));
    let sign = vmaxq_s32(vminq_s32(a, one), vdupq_n_s32(-1));
    L(vmlaq_s32(a, sign, vbicq_s32(one, a)))
}

pub(super) const fn as_unit(a: L<22>) -> L<30> {
    L(a.0)
}

pub(super) const fn as_speed(a: L<22>) -> L<20> {
    L(a.0)
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn wide() -> W {
    W { low: vdupq_n_s64(0), high: vdupq_n_s64(0) }
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn plus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        low: vmlal_s32(sum.low, vget_low_s32(a.0), vget_low_s32(b.0)),
        high: vmlal_high_s32(sum.high, a.0, b.0),
    }
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn minus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        low: vmlsl_s32(sum.low, vget_low_s32(a.0), vget_low_s32(b.0)),
        high: vmlsl_high_s32(sum.high, a.0, b.0),
    }
}

/// The instruction adds the rounding term without wrapping; with shifts of at most 32 the differing bit is dropped.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn round<const SHIFT: u32, const F: u32>(sum: W) -> L<F> {
    const { assert!(SHIFT == 30 || SHIFT == 22, "the solver rounds by 30 or 22 bits") };
    L(if SHIFT == 30 {
        vrshrn_high_n_s64::<30>(vrshrn_n_s64::<30>(sum.low), sum.high)
    } else {
        vrshrn_high_n_s64::<22>(vrshrn_n_s64::<22>(sum.low), sum.high)
    })
}

/// Combines the lower halves of two vectors.
#[target_feature(enable = "neon")]
#[inline]
fn lows(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)))
}

/// Combines the upper halves of two vectors.
#[target_feature(enable = "neon")]
#[inline]
fn highs(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)))
}

/// Splits a row's motion into its first four components and its last two.
#[target_feature(enable = "neon")]
#[inline]
fn quads(Motion { linear: [x, y, z], angular: [u, v, w] }: &Motion) -> [int32x4_t; 2] {
    [four(x.to_bits(), y.to_bits(), z.to_bits(), u.to_bits()), four(v.to_bits(), w.to_bits(), 0, 0)]
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn gather(
    motions: &[Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
) -> [[L<20>; 3]; 2] {
    let row = |lane: usize| quads(&motions[rows[group * AT_ONCE + lane]]);
    let ([a, a2], [b, b2], [c, c2], [d, d2]) = (row(0), row(1), row(2), row(3));
    let (ab, cd) = (vzip1q_s32(a, b), vzip1q_s32(c, d));
    let (ab_high, cd_high) = (vzip2q_s32(a, b), vzip2q_s32(c, d));
    let (ab_rest, cd_rest) = (vzip1q_s32(a2, b2), vzip1q_s32(c2, d2));
    [
        [L(lows(ab, cd)), L(highs(ab, cd)), L(lows(ab_high, cd_high))],
        [L(highs(ab_high, cd_high)), L(lows(ab_rest, cd_rest)), L(highs(ab_rest, cd_rest))],
    ]
}

#[target_feature(enable = "neon")]
#[inline]
pub(super) fn scatter(
    motions: &mut [Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
    [[x, y, z], [u, v, w]]: [[L<20>; 3]; 2],
) {
    let (xy, zu) = (vzip1q_s32(x.0, y.0), vzip1q_s32(z.0, u.0));
    let (xy_high, zu_high) = (vzip2q_s32(x.0, y.0), vzip2q_s32(z.0, u.0));
    let (vw, vw_high) = (vzip1q_s32(v.0, w.0), vzip2q_s32(v.0, w.0));
    let firsts = [lows(xy, zu), highs(xy, zu), lows(xy_high, zu_high), highs(xy_high, zu_high)];
    let rests = [vw, highs(vw, vw), vw_high, highs(vw_high, vw_high)];
    for lane in 0..AT_ONCE {
        let [x, y, z, u] = apart(firsts[lane]).map(Q20::from_bits);
        let [v, w, _, _] = apart(rests[lane]).map(Q20::from_bits);
        motions[rows[group * AT_ONCE + lane]] = Motion { linear: [x, y, z], angular: [u, v, w] };
    }
}
