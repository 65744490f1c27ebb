//! Four lanes at once, for processors with SSE4.1. Products of 32 bits come from even lanes, so each sum of products is two
//! vectors: one for the even lanes, one for the odd ones.

use super::pack::{Eight, WIDTH};
use crate::math::{Lane, Q20};
use crate::step::constraint::Motion;
use crate::step::index::BatchRow;
use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_add_epi64, _mm_andnot_si128, _mm_blend_epi16, _mm_blendv_epi8,
    _mm_cmpgt_epi32, _mm_cvtsi128_si32, _mm_extract_epi32, _mm_max_epi32, _mm_min_epi32,
    _mm_min_epu32, _mm_mul_epi32, _mm_set1_epi32, _mm_set1_epi64x, _mm_setr_epi32,
    _mm_setzero_si128, _mm_shuffle_epi32, _mm_sign_epi32, _mm_slli_epi64, _mm_srai_epi32,
    _mm_srli_epi64, _mm_sub_epi32, _mm_sub_epi64, _mm_unpackhi_epi32, _mm_unpackhi_epi64,
    _mm_unpacklo_epi32, _mm_unpacklo_epi64,
};

/// Lanes of one vector.
pub(super) const AT_ONCE: usize = 4;

/// Value in each lane.
#[derive(Clone, Copy)]
pub(super) struct L<const F: u32>(__m128i);

/// Sum of products in each lane.
#[derive(Clone, Copy)]
pub(super) struct W {
    even: __m128i,
    odd: __m128i,
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn splat<const F: u32>(value: Lane<F>) -> L<F> {
    L(_mm_set1_epi32(value.to_bits()))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn load<const F: u32>(from: &Eight<F>, group: usize) -> L<F> {
    let four = &from.0.as_chunks::<AT_ONCE>().0[group];
    L(_mm_setr_epi32(four[0], four[1], four[2], four[3]))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn store<const F: u32>(to: &mut Eight<F>, group: usize, value: L<F>) {
    let v = value.0;
    to.0.as_chunks_mut::<AT_ONCE>().0[group] = [
        _mm_cvtsi128_si32(v),
        _mm_extract_epi32::<1>(v),
        _mm_extract_epi32::<2>(v),
        _mm_extract_epi32::<3>(v),
    ];
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn add<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm_add_epi32(a.0, b.0))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn sub<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm_sub_epi32(a.0, b.0))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn min<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm_min_epi32(a.0, b.0))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn max<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm_max_epi32(a.0, b.0))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn if_positive<const F: u32, const G: u32>(sign: L<F>, a: L<G>, b: L<G>) -> L<G> {
    L(_mm_blendv_epi8(b.0, a.0, _mm_cmpgt_epi32(sign.0, _mm_setzero_si128())))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn add_up(a: L<20>, b: L<20>) -> L<20> {
    L(_mm_min_epu32(_mm_add_epi32(a.0, b.0), _mm_set1_epi32(i32::MAX)))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn half<const F: u32>(a: L<F>) -> L<F> {
    L(_mm_srai_epi32::<1>(a.0))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn odd<const F: u32>(a: L<F>) -> L<F> {
    let a = _mm_max_epi32(a.0, _mm_set1_epi32(-i32::MAX));
    let even = _mm_andnot_si128(a, _mm_set1_epi32(1));
    L(_mm_add_epi32(a, _mm_sign_epi32(even, a)))
}

pub(super) const fn as_unit(a: L<22>) -> L<30> {
    L(a.0)
}

pub(super) const fn as_speed(a: L<22>) -> L<20> {
    L(a.0)
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn wide() -> W {
    W { even: _mm_setzero_si128(), odd: _mm_setzero_si128() }
}

/// Moves the odd lanes to the even ones.
#[target_feature(enable = "sse4.1")]
#[inline]
fn uneven(v: __m128i) -> __m128i {
    _mm_shuffle_epi32::<0xF5>(v)
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn plus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        even: _mm_add_epi64(sum.even, _mm_mul_epi32(a.0, b.0)),
        odd: _mm_add_epi64(sum.odd, _mm_mul_epi32(uneven(a.0), uneven(b.0))),
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn minus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        even: _mm_sub_epi64(sum.even, _mm_mul_epi32(a.0, b.0)),
        odd: _mm_sub_epi64(sum.odd, _mm_mul_epi32(uneven(a.0), uneven(b.0))),
    }
}

/// Even sums shifted down and odd sums shifted up are blended into one vector.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn round<const SHIFT: u32, const F: u32>(sum: W) -> L<F> {
    const { assert!(SHIFT == 30 || SHIFT == 22, "the solver rounds by 30 or 22 bits") };
    let half = _mm_set1_epi64x(1 << (SHIFT - 1));
    let (even, odd) = (_mm_add_epi64(sum.even, half), _mm_add_epi64(sum.odd, half));
    let (even, odd) = if SHIFT == 30 {
        (_mm_srli_epi64::<30>(even), _mm_slli_epi64::<2>(odd))
    } else {
        (_mm_srli_epi64::<22>(even), _mm_slli_epi64::<10>(odd))
    };
    L(_mm_blend_epi16::<0b1100_1100>(even, odd))
}

/// Splits a row's motion into its first four components and its last two.
#[target_feature(enable = "sse4.1")]
#[inline]
fn quads(Motion { linear: [x, y, z], angular: [u, v, w] }: &Motion) -> [__m128i; 2] {
    [
        _mm_setr_epi32(x.to_bits(), y.to_bits(), z.to_bits(), u.to_bits()),
        _mm_setr_epi32(v.to_bits(), w.to_bits(), 0, 0),
    ]
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn gather(
    motions: &[Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
) -> [[L<20>; 3]; 2] {
    let row = |lane: usize| quads(&motions[rows[group * AT_ONCE + lane]]);
    let ([a, a2], [b, b2], [c, c2], [d, d2]) = (row(0), row(1), row(2), row(3));
    let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
    let (ab_rest, cd_rest) = (_mm_unpacklo_epi32(a2, b2), _mm_unpacklo_epi32(c2, d2));
    [
        [
            L(_mm_unpacklo_epi64(ab, cd)),
            L(_mm_unpackhi_epi64(ab, cd)),
            L(_mm_unpacklo_epi64(ab_high, cd_high)),
        ],
        [
            L(_mm_unpackhi_epi64(ab_high, cd_high)),
            L(_mm_unpacklo_epi64(ab_rest, cd_rest)),
            L(_mm_unpackhi_epi64(ab_rest, cd_rest)),
        ],
    ]
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn scatter(
    motions: &mut [Motion],
    rows: &[BatchRow; WIDTH],
    group: usize,
    [[x, y, z], [u, v, w]]: [[L<20>; 3]; 2],
) {
    let (xy, zu) = (_mm_unpacklo_epi32(x.0, y.0), _mm_unpacklo_epi32(z.0, u.0));
    let (xy_high, zu_high) = (_mm_unpackhi_epi32(x.0, y.0), _mm_unpackhi_epi32(z.0, u.0));
    let (vw, vw_high) = (_mm_unpacklo_epi32(v.0, w.0), _mm_unpackhi_epi32(v.0, w.0));
    let firsts = [
        _mm_unpacklo_epi64(xy, zu),
        _mm_unpackhi_epi64(xy, zu),
        _mm_unpacklo_epi64(xy_high, zu_high),
        _mm_unpackhi_epi64(xy_high, zu_high),
    ];
    let rests = [vw, _mm_unpackhi_epi64(vw, vw), vw_high, _mm_unpackhi_epi64(vw_high, vw_high)];
    for lane in 0..AT_ONCE {
        let (first, rest) = (firsts[lane], rests[lane]);
        motions[rows[group * AT_ONCE + lane]] = Motion {
            linear: [
                Q20::from_bits(_mm_cvtsi128_si32(first)),
                Q20::from_bits(_mm_extract_epi32::<1>(first)),
                Q20::from_bits(_mm_extract_epi32::<2>(first)),
            ],
            angular: [
                Q20::from_bits(_mm_extract_epi32::<3>(first)),
                Q20::from_bits(_mm_cvtsi128_si32(rest)),
                Q20::from_bits(_mm_extract_epi32::<1>(rest)),
            ],
        };
    }
}
