//! Eight lanes at once, for processors with AVX2. Products of 32 bits come from even lanes, so each sum of products is two
//! vectors: one for the even lanes, one for the odd ones.

use super::pack::{Eight, WIDTH};
use crate::math::{Lane, Q20};
use crate::step::constraint::Motion;
use crate::step::index::BatchRow;
use core::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si32, _mm_extract_epi32, _mm_setr_epi32, _mm256_add_epi32,
    _mm256_add_epi64, _mm256_andnot_si256, _mm256_blend_epi32, _mm256_blendv_epi8,
    _mm256_castsi256_si128, _mm256_cmpgt_epi32, _mm256_extract_epi32, _mm256_extracti128_si256,
    _mm256_max_epi32, _mm256_min_epi32, _mm256_min_epu32, _mm256_mul_epi32, _mm256_set_m128i,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi32, _mm256_setzero_si256,
    _mm256_shuffle_epi32, _mm256_sign_epi32, _mm256_slli_epi64, _mm256_srai_epi32,
    _mm256_srli_epi64, _mm256_sub_epi32, _mm256_sub_epi64, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

/// Lanes of one vector.
pub(super) const AT_ONCE: usize = 8;

/// Value in each lane.
#[derive(Clone, Copy)]
pub(super) struct L<const F: u32>(__m256i);

/// Sum of products in each lane.
#[derive(Clone, Copy)]
pub(super) struct W {
    even: __m256i,
    odd: __m256i,
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn splat<const F: u32>(value: Lane<F>) -> L<F> {
    L(_mm256_set1_epi32(value.to_bits()))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn load<const F: u32>(from: &Eight<F>, _: usize) -> L<F> {
    let [a, b, c, d, e, f, g, h] = from.0;
    L(_mm256_setr_epi32(a, b, c, d, e, f, g, h))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn store<const F: u32>(to: &mut Eight<F>, _: usize, value: L<F>) {
    let v = value.0;
    to.0 = [
        _mm256_extract_epi32::<0>(v),
        _mm256_extract_epi32::<1>(v),
        _mm256_extract_epi32::<2>(v),
        _mm256_extract_epi32::<3>(v),
        _mm256_extract_epi32::<4>(v),
        _mm256_extract_epi32::<5>(v),
        _mm256_extract_epi32::<6>(v),
        _mm256_extract_epi32::<7>(v),
    ];
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn add<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm256_add_epi32(a.0, b.0))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn sub<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm256_sub_epi32(a.0, b.0))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn min<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm256_min_epi32(a.0, b.0))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn max<const F: u32>(a: L<F>, b: L<F>) -> L<F> {
    L(_mm256_max_epi32(a.0, b.0))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn if_positive<const F: u32, const G: u32>(sign: L<F>, a: L<G>, b: L<G>) -> L<G> {
    L(_mm256_blendv_epi8(b.0, a.0, _mm256_cmpgt_epi32(sign.0, _mm256_setzero_si256())))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn add_up(a: L<20>, b: L<20>) -> L<20> {
    L(_mm256_min_epu32(_mm256_add_epi32(a.0, b.0), _mm256_set1_epi32(i32::MAX)))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn half<const F: u32>(a: L<F>) -> L<F> {
    L(_mm256_srai_epi32::<1>(a.0))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn odd<const F: u32>(a: L<F>) -> L<F> {
    let a = _mm256_max_epi32(a.0, _mm256_set1_epi32(-i32::MAX));
    let even = _mm256_andnot_si256(a, _mm256_set1_epi32(1));
    L(_mm256_add_epi32(a, _mm256_sign_epi32(even, a)))
}

pub(super) const fn as_unit(a: L<22>) -> L<30> {
    L(a.0)
}

pub(super) const fn as_speed(a: L<22>) -> L<20> {
    L(a.0)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn wide() -> W {
    W { even: _mm256_setzero_si256(), odd: _mm256_setzero_si256() }
}

/// Moves the odd lanes to the even ones. A 64-bit shift would do too, but delays the multiplier.
#[target_feature(enable = "avx2")]
#[inline]
fn uneven(v: __m256i) -> __m256i {
    _mm256_shuffle_epi32::<0xF5>(v)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn plus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        even: _mm256_add_epi64(sum.even, _mm256_mul_epi32(a.0, b.0)),
        odd: _mm256_add_epi64(sum.odd, _mm256_mul_epi32(uneven(a.0), uneven(b.0))),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn minus<const F: u32, const G: u32>(sum: W, a: L<F>, b: L<G>) -> W {
    W {
        even: _mm256_sub_epi64(sum.even, _mm256_mul_epi32(a.0, b.0)),
        odd: _mm256_sub_epi64(sum.odd, _mm256_mul_epi32(uneven(a.0), uneven(b.0))),
    }
}

/// Even sums shifted down and odd sums shifted up are blended into one vector. This avoids an arithmetic 64-bit shift,
/// which AVX2 lacks.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn round<const SHIFT: u32, const F: u32>(sum: W) -> L<F> {
    const { assert!(SHIFT == 30 || SHIFT == 22, "the solver rounds by 30 or 22 bits") };
    let half = _mm256_set1_epi64x(1 << (SHIFT - 1));
    let (even, odd) = (_mm256_add_epi64(sum.even, half), _mm256_add_epi64(sum.odd, half));
    let (even, odd) = if SHIFT == 30 {
        (_mm256_srli_epi64::<30>(even), _mm256_slli_epi64::<2>(odd))
    } else {
        (_mm256_srli_epi64::<22>(even), _mm256_slli_epi64::<10>(odd))
    };
    L(_mm256_blend_epi32::<0b1010_1010>(even, odd))
}

/// Splits a row's motion into its first four components and its last two.
#[target_feature(enable = "avx2")]
#[inline]
fn quads(Motion { linear: [x, y, z], angular: [u, v, w] }: &Motion) -> [__m128i; 2] {
    [
        _mm_setr_epi32(x.to_bits(), y.to_bits(), z.to_bits(), u.to_bits()),
        _mm_setr_epi32(v.to_bits(), w.to_bits(), 0, 0),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn gather(motions: &[Motion], rows: &[BatchRow; WIDTH], _: usize) -> [[L<20>; 3]; 2] {
    let row = |lane: usize| quads(&motions[rows[lane]]);
    // Rows k and k + 4 in the halves of one vector: then no shuffle crosses the halves.
    let pair = |lane: usize| {
        let ([low, low_rest], [high, high_rest]) = (row(lane), row(lane + 4));
        [_mm256_set_m128i(high, low), _mm256_set_m128i(high_rest, low_rest)]
    };
    let ([a, a2], [b, b2], [c, c2], [d, d2]) = (pair(0), pair(1), pair(2), pair(3));
    let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
    let (ab_rest, cd_rest) = (_mm256_unpacklo_epi32(a2, b2), _mm256_unpacklo_epi32(c2, d2));
    [
        [
            L(_mm256_unpacklo_epi64(ab, cd)),
            L(_mm256_unpackhi_epi64(ab, cd)),
            L(_mm256_unpacklo_epi64(ab_high, cd_high)),
        ],
        [
            L(_mm256_unpackhi_epi64(ab_high, cd_high)),
            L(_mm256_unpacklo_epi64(ab_rest, cd_rest)),
            L(_mm256_unpackhi_epi64(ab_rest, cd_rest)),
        ],
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn scatter(
    motions: &mut [Motion],
    rows: &[BatchRow; WIDTH],
    _: usize,
    [[x, y, z], [u, v, w]]: [[L<20>; 3]; 2],
) {
    let (xy, zu) = (_mm256_unpacklo_epi32(x.0, y.0), _mm256_unpacklo_epi32(z.0, u.0));
    let (xy_high, zu_high) = (_mm256_unpackhi_epi32(x.0, y.0), _mm256_unpackhi_epi32(z.0, u.0));
    let (vw, vw_high) = (_mm256_unpacklo_epi32(v.0, w.0), _mm256_unpackhi_epi32(v.0, w.0));
    let firsts = [
        _mm256_unpacklo_epi64(xy, zu),
        _mm256_unpackhi_epi64(xy, zu),
        _mm256_unpacklo_epi64(xy_high, zu_high),
        _mm256_unpackhi_epi64(xy_high, zu_high),
    ];
    let rests =
        [vw, _mm256_unpackhi_epi64(vw, vw), vw_high, _mm256_unpackhi_epi64(vw_high, vw_high)];
    for lane in 0..4 {
        let (first, rest) = (firsts[lane], rests[lane]);
        write(
            &mut motions[rows[lane]],
            _mm256_castsi256_si128(first),
            _mm256_castsi256_si128(rest),
        );
        write(
            &mut motions[rows[lane + 4]],
            _mm256_extracti128_si256::<1>(first),
            _mm256_extracti128_si256::<1>(rest),
        );
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn write(to: &mut Motion, first: __m128i, rest: __m128i) {
    to.linear = [
        Q20::from_bits(_mm_cvtsi128_si32(first)),
        Q20::from_bits(_mm_extract_epi32::<1>(first)),
        Q20::from_bits(_mm_extract_epi32::<2>(first)),
    ];
    to.angular = [
        Q20::from_bits(_mm_extract_epi32::<3>(first)),
        Q20::from_bits(_mm_cvtsi128_si32(rest)),
        Q20::from_bits(_mm_extract_epi32::<1>(rest)),
    ];
}
