//! Operations of every width that this machine supports, compared with plain integers. One macro of checks is
//! instantiated over the operations of each width, as the kernels are. Also checks the choice of the widest.

use super::Lanes;
use super::pack::{Eight, WIDTH};
use crate::math::Lane;
use crate::step::constraint::Motion;
use crate::step::index::BatchRow;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// Rows that motions are gathered from.
const ROWS: usize = 11;

/// Operands for eight lanes, and rows of motions of which eight are selected.
#[derive(Clone, Debug)]
struct Case {
    operands: [[i32; WIDTH]; 4],
    motions: Vec<[i32; 6]>,
    rows: [BatchRow; WIDTH],
}

/// Any value, with a bias to those where operations wrap, saturate or change sign.
fn bits() -> impl Strategy<Value = i32> + Clone {
    let edges = [
        i32::MIN,
        -i32::MAX,
        2 - i32::MAX,
        -(1 << 30),
        -(1 << 22),
        -2,
        -1,
        0,
        1,
        2,
        1 << 21,
        1 << 30,
        i32::MAX - 1,
        i32::MAX,
    ];
    prop_oneof![2 => any::<i32>(), 2 => select(edges.to_vec()), 1 => -9..=9]
}

fn case() -> impl Strategy<Value = Case> {
    let motions = vec([bits(), bits(), bits(), bits(), bits(), bits()], ROWS);
    let rows =
        subsequence((0..ROWS as u32).map(BatchRow::new).collect::<Vec<_>>(), WIDTH).prop_shuffle();
    (vec(bits(), 4 * WIDTH), motions, rows).prop_map(|(operands, motions, rows)| Case {
        operands: core::array::from_fn(|i| core::array::from_fn(|j| operands[i * WIDTH + j])),
        motions,
        rows: rows.try_into().expect("as many as there are lanes"),
    })
}

fn motion([x, y, z, u, v, w]: [i32; 6]) -> Motion {
    Motion { linear: [x, y, z].map(Lane::from_bits), angular: [u, v, w].map(Lane::from_bits) }
}

fn components(motion: &Motion) -> [i32; 6] {
    let ([x, y, z], [u, v, w]) = (motion.linear, motion.angular);
    [x, y, z, u, v, w].map(Lane::to_bits)
}

#[track_caller]
fn same<const F: u32>(what: &str, found: &Eight<F>, expected: impl Fn(usize) -> i32) {
    assert_eq!(found.0, core::array::from_fn(expected), "{what}");
}

fn rounded(sum: i64, shift: u32) -> i32 {
    (sum.wrapping_add(1 << (shift - 1)) >> shift) as i32
}

/// Checks every operation of one width; takes the attribute that enables an instruction set, if any.
macro_rules! checks {
    ($ops:ident $(, #[$feature:meta])?) => {
        use super::*;
        use $ops as ops;

        $(#[$feature])?
        pub(super) fn check(case: &Case) {
            check_values(case);
            check_sums(case);
            check_rows(case);
        }

        $(#[$feature])?
        fn check_values(case: &Case) {
            let [a, b, c, _] = case.operands;
            let [x, y, z] = [Eight::<20>(a), Eight::<20>(b), Eight::<20>(c)];
            let mut out = [Eight::<20>::default(); 9];
            let (mut unit, mut speed) = (Eight::<30>::default(), Eight::<20>::default());
            for group in 0..WIDTH / ops::AT_ONCE {
                let [x, y, z] = [ops::load(&x, group), ops::load(&y, group), ops::load(&z, group)];
                ops::store(&mut out[0], group, ops::splat(Lane::from_bits(a[3])));
                ops::store(&mut out[1], group, ops::add(x, y));
                ops::store(&mut out[2], group, ops::sub(x, y));
                ops::store(&mut out[3], group, ops::min(x, y));
                ops::store(&mut out[4], group, ops::max(x, y));
                ops::store(&mut out[5], group, ops::if_positive(x, y, z));
                ops::store(&mut out[6], group, ops::add_up(x, y));
                ops::store(&mut out[7], group, ops::half(x));
                ops::store(&mut out[8], group, ops::odd(x));
                let response = ops::load(&Eight::<22>(a), group);
                ops::store(&mut unit, group, ops::as_unit(response));
                ops::store(&mut speed, group, ops::as_speed(response));
            }
            same("splat", &out[0], |_| a[3]);
            same("add", &out[1], |i| a[i].wrapping_add(b[i]));
            same("sub", &out[2], |i| a[i].wrapping_sub(b[i]));
            same("min", &out[3], |i| a[i].min(b[i]));
            same("max", &out[4], |i| a[i].max(b[i]));
            same("if_positive", &out[5], |i| if a[i] > 0 { b[i] } else { c[i] });
            same("add_up", &out[6], |i| {
                a[i].cast_unsigned().wrapping_add(b[i].cast_unsigned()).min(i32::MAX as u32) as i32
            });
            same("half", &out[7], |i| a[i] >> 1);
            same("odd", &out[8], |i| match a[i] {
                0 => 0,
                i32::MIN => -i32::MAX,
                a => a.signum() * (a.abs() | 1),
            });
            same("as_unit", &unit, |i| a[i]);
            same("as_speed", &speed, |i| a[i]);
        }

        /// Checks sums of one to four products, and both roundings of the solver.
        $(#[$feature])?
        fn check_sums(case: &Case) {
            let [a, b, c, d] = case.operands;
            let mut by_30 = [Eight::<20>::default(); 4];
            let mut by_22 = by_30;
            for group in 0..WIDTH / ops::AT_ONCE {
                let x = ops::load(&Eight::<30>(a), group);
                let y = ops::load(&Eight::<20>(b), group);
                let z = ops::load(&Eight::<22>(c), group);
                let t = ops::load(&Eight::<20>(d), group);
                let one = ops::plus(ops::wide(), x, y);
                let two = ops::minus(one, z, t);
                let three = ops::plus(two, x, y);
                let four = ops::minus(three, t, x);
                for (i, sum) in [one, two, three, four].into_iter().enumerate() {
                    ops::store(&mut by_30[i], group, ops::round::<30, 20>(sum));
                    ops::store(&mut by_22[i], group, ops::round::<22, 20>(sum));
                }
            }
            let sums = |lane: usize| {
                let [a, b, c, d] = [a, b, c, d].map(|of| i64::from(of[lane]));
                let two = (a * b).wrapping_sub(c * d);
                let three = two.wrapping_add(a * b);
                [a * b, two, three, three.wrapping_sub(d * a)]
            };
            for i in 0..4 {
                same(&format!("{} products by 30", i + 1), &by_30[i], |l| rounded(sums(l)[i], 30));
                same(&format!("{} products by 22", i + 1), &by_22[i], |l| rounded(sums(l)[i], 22));
            }
        }

        $(#[$feature])?
        fn check_rows(Case { operands, motions, rows }: &Case) {
            let mut table: Vec<_> = motions.iter().copied().map(motion).collect();
            let mut out = [Eight::<20>::default(); 6];
            let [a, b, c, d] = operands.map(Eight::<20>);
            for group in 0..WIDTH / ops::AT_ONCE {
                let [linear, angular] = ops::gather(&table, rows, group);
                for i in 0..3 {
                    ops::store(&mut out[i], group, linear[i]);
                    ops::store(&mut out[3 + i], group, angular[i]);
                }
                let [a, b] = [ops::load(&a, group), ops::load(&b, group)];
                let [c, d] = [ops::load(&c, group), ops::load(&d, group)];
                ops::scatter(&mut table, rows, group, [[a, b, c], [d, linear[0], angular[2]]]);
            }
            let mut expected = motions.clone();
            for (lane, &row) in rows.iter().enumerate() {
                let old = motions[row.get() as usize];
                let [a, b, c, d] = operands.map(|of| of[lane]);
                assert_eq!(out.map(|of| of.0[lane]), old, "gather, lane {lane}");
                expected[row.get() as usize] = [a, b, c, d, old[0], old[5]];
            }
            let found: Vec<_> = table.iter().map(components).collect();
            assert_eq!(found, expected, "scatter to {rows:?}");
        }
    };
}

// With `check-narrowing` its operations panic when they lose bits, as these cases do.
#[cfg(not(feature = "check-narrowing"))]
mod scalar {
    use super::super::scalar_ops;
    checks!(scalar_ops);
}

#[cfg(target_arch = "x86_64")]
mod sse41 {
    use super::super::sse41_ops;
    checks!(sse41_ops, #[target_feature(enable = "sse4.1")]);
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::super::avx2_ops;
    checks!(avx2_ops, #[target_feature(enable = "avx2")]);
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon {
    use super::super::neon_ops;
    checks!(neon_ops, #[target_feature(enable = "neon")]);
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::super::wasm_ops;
    checks!(wasm_ops);
}

/// Checks a case in this width; does nothing if the machine does not support it.
#[allow(unsafe_code, reason = "the processor is asked for the instructions first")]
fn check(lanes: Lanes, case: &Case) {
    match lanes {
        _ if !lanes.is_available() => (),
        #[cfg(not(feature = "check-narrowing"))]
        Lanes::Scalar => scalar::check(case),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has SSE4.1.
        Lanes::Sse41 => unsafe { sse41::check(case) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has AVX2.
        Lanes::Avx2 => unsafe { avx2::check(case) },
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        // SAFETY: only compiled for targets of which every processor has NEON.
        Lanes::Neon => unsafe { neon::check(case) },
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Lanes::Simd128 => wasm::check(case),
        #[cfg(feature = "check-narrowing")]
        Lanes::Scalar => (),
        _ => unreachable!("{} lanes are there and have no checks", lanes.name()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[cfg(not(feature = "check-narrowing"))]
    #[test]
    fn scalar_lanes_are_integers(case in case()) {
        check(Lanes::Scalar, &case);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn sse41_lanes_are_integers(case in case()) {
        check(Lanes::Sse41, &case);
    }

    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    #[test]
    fn neon_lanes_are_integers(case in case()) {
        check(Lanes::Neon, &case);
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[test]
    fn simd128_lanes_are_integers(case in case()) {
        check(Lanes::Simd128, &case);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_lanes_are_integers(case in case()) {
        check(Lanes::Avx2, &case);
    }
}

/// 2⁶³ − 1 is the greatest sum: adding half of the last place wraps. A rounding instruction may behave differently.
#[test]
fn the_greatest_sum_wraps_when_it_is_rounded() {
    let case = Case {
        operands: [i32::MIN, i32::MIN, 1, 1].map(|bits| [bits; WIDTH]),
        motions: vec![[0; 6]; WIDTH],
        rows: core::array::from_fn(|lane| BatchRow::new(lane as u32)),
    };
    for lanes in Lanes::ALL {
        check(lanes, &case);
    }
}

#[test]
fn the_compiler_or_the_processor_chooses_the_widest() {
    let expected = if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
        Lanes::Neon
    } else if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) {
        Lanes::Simd128
    } else if Lanes::Avx2.is_available() {
        Lanes::Avx2
    } else if Lanes::Sse41.is_available() {
        Lanes::Sse41
    } else {
        Lanes::Scalar
    };
    assert_eq!(Lanes::widest(), expected);
}
