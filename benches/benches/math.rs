//! Arithmetic operations beside plain `fixed` and `f32`: `cargo bench -p isostep-benches math`.
//!
//! Every contender processes the same 1,024 operands of up to 16 metres and writes every result:
//! throughput, not latency. `fixed` wraps and rounds down where ours saturates and rounds to
//! nearest; the second row of `mul` compares like with like. A direction in `fixed` is written as
//! its users would.

use fixed::types::I32F32;
use isostep_benches::{Contender, Outcome, Table, race, wanted};
use isostep_core::internals::{Q20, Q30, Wide};
use isostep_core::{Quat, Real, Rng, Vec3};
use std::hint::black_box;

const OPERANDS: usize = 1024;

fn main() {
    if !wanted("math") {
        return;
    }
    let data = Data::new();
    println!("nanoseconds an operation: median (90th percentile) over rounds of one run\n");
    let mut table =
        Table::new(["operation", "Isostep", "fixed", "f32", "fixed / ours", "f32 / ours"]);
    for (name, contenders) in data.scalars().into_iter().chain(data.vectors()) {
        table.row(row(name, &race(OPERANDS as u32, contenders)));
    }
    println!("{table}");
}

fn row(name: &str, outcomes: &[Outcome]) -> Vec<String> {
    let find = |who| outcomes.iter().find(|outcome| outcome.name == who);
    let time =
        |who| find(who).map_or("–".to_owned(), |o| format!("{:.2} ({:.2})", o.median, o.p90));
    let ratio = |who| find(who).map_or("–".to_owned(), |o| format!("{:.2}", o.ratio));
    vec![name.to_owned(), time("ours"), time("fixed"), time("f32"), ratio("fixed"), ratio("f32")]
}

/// The same operands in every type.
struct Data {
    a: Vec<Real>,
    b: Vec<Real>,
    v: Vec<Vec3>,
    w: Vec<Vec3>,
    q: Vec<Quat>,
}

impl Data {
    fn new() -> Self {
        let mut rng = Rng::new(1);
        let mut number = || Real::from_bits(rng.next_u64() as i64 >> 27);
        let mut list = || -> Vec<Real> { (0..OPERANDS).map(|_| number()).collect() };
        let (a, b) = (list(), list());
        let mut vectors = || -> Vec<Vec3> {
            let (x, y, z) = (list(), list(), list());
            (0..OPERANDS).map(|i| Vec3::new(x[i], y[i], z[i])).collect()
        };
        let (v, w) = (vectors(), vectors());
        let q = v.iter().map(|v| Quat::from_rotation_vector(*v)).collect();
        Self { a, b, v, w, q }
    }

    fn scalars(&self) -> Races<'_> {
        let fixed = |values: &[Real]| values.iter().map(|x| I32F32::from(*x)).collect::<Vec<_>>();
        let float = |values: &[Real]| values.iter().map(|x| x.to_f32()).collect::<Vec<_>>();
        let [a, b] = [&self.a, &self.b].map(Vec::clone);
        let [fa, fb] = [fixed(&a), fixed(&b)];
        let [ga, gb] = [float(&a), float(&b)];
        let positive: Vec<Real> = a.iter().map(|x| x.abs()).collect();
        let cosines: Vec<Real> = self.v.iter().map(|v| v.normalize_or(Vec3::X).x).collect();
        let fixed_positive = fixed(&positive);
        let [float_positive, float_cosines] = [float(&positive), float(&cosines)];
        vec![
            (
                "add",
                vec![
                    pairs("ours", &a, &b, |x, y| x + y),
                    pairs("fixed", &fa, &fb, I32F32::wrapping_add),
                    pairs("f32", &ga, &gb, |x, y| x + y),
                ],
            ),
            (
                "mul",
                vec![
                    pairs("ours", &a, &b, |x, y| x * y),
                    pairs("fixed", &fa, &fb, |x, y| x * y),
                    pairs("f32", &ga, &gb, |x, y| x * y),
                ],
            ),
            (
                "mul, saturating",
                vec![
                    pairs("ours", &a, &b, |x, y| x * y),
                    pairs("fixed", &fa, &fb, I32F32::saturating_mul),
                ],
            ),
            (
                "div",
                vec![
                    pairs("ours", &a, &b, |x, y| x / y),
                    pairs("fixed", &fa, &fb, I32F32::wrapping_div),
                    pairs("f32", &ga, &gb, |x, y| x / y),
                ],
            ),
            (
                "sqrt",
                vec![
                    each("ours", positive, |x| x.sqrt().unwrap_or_default()),
                    each("fixed", fixed_positive, I32F32::sqrt),
                    each("f32", float_positive, f32::sqrt),
                ],
            ),
            (
                "sin_cos",
                vec![each("ours", a.clone(), Real::sin_cos), each("f32", ga.clone(), f32::sin_cos)],
            ),
            ("atan2", vec![pairs("ours", &a, &b, Real::atan2), pairs("f32", &ga, &gb, f32::atan2)]),
            (
                "acos",
                vec![
                    each("ours", cosines, |x| x.acos().unwrap_or_default()),
                    each("f32", float_cosines, f32::acos),
                ],
            ),
            (
                "random number, keyed",
                vec![each("ours", (0..OPERANDS as u64).collect(), |i| {
                    Rng::keyed(1, i, 7, 2).next_u64()
                })],
            ),
        ]
    }

    fn vectors(&self) -> Races<'_> {
        let fixed = |list: &[Vec3]| -> Vec<_> {
            list.iter().map(|v| v.to_array().map(I32F32::from)).collect()
        };
        let float = |list: &[Vec3]| -> Vec<_> {
            list.iter().map(|v| v.to_array().map(Real::to_f32)).collect()
        };
        let (v, w, q) = (&self.v, &self.w, &self.q);
        let [fv, fw] = [fixed(v), fixed(w)];
        let [gv, gw] = [float(v), float(w)];
        let units = |v: &Vec3| v.normalize_or(Vec3::X).to_array().map(Q30::from_real_saturating);
        let speeds = |v: &Vec3| v.to_array().map(Q20::from_real_saturating);
        let lanes: Vec<_> = v.iter().zip(w).map(|(v, w)| (units(v), speeds(w))).collect();
        let reversed: Vec<Quat> = q.iter().rev().copied().collect();
        vec![
            (
                "dot",
                vec![
                    pairs("ours", v, w, Vec3::dot),
                    pairs("fixed", &fv, &fw, fixed_dot),
                    pairs("f32", &gv, &gw, float_dot),
                ],
            ),
            (
                "dot in 32-bit lanes",
                vec![
                    each("ours", lanes, |(v, w)| {
                        let sum = Wide::ZERO.plus(v[0], w[0]).plus(v[1], w[1]).plus(v[2], w[2]);
                        sum.round::<30, 20>()
                    }),
                    pairs("f32", &gv, &gw, float_dot),
                ],
            ),
            (
                "cross",
                vec![
                    pairs("ours", v, w, Vec3::cross),
                    pairs("fixed", &fv, &fw, |v, w| {
                        [
                            v[1] * w[2] - v[2] * w[1],
                            v[2] * w[0] - v[0] * w[2],
                            v[0] * w[1] - v[1] * w[0],
                        ]
                    }),
                    pairs("f32", &gv, &gw, |v, w| {
                        [
                            v[1] * w[2] - v[2] * w[1],
                            v[2] * w[0] - v[0] * w[2],
                            v[0] * w[1] - v[1] * w[0],
                        ]
                    }),
                ],
            ),
            (
                "length",
                vec![
                    each("ours", v.clone(), Vec3::length),
                    each("fixed", fv.clone(), |v| fixed_dot(v, v).sqrt()),
                    each("f32", gv.clone(), |v| float_dot(v, v).sqrt()),
                ],
            ),
            (
                "normalize",
                vec![
                    each("ours", v.clone(), |v| v.normalize_or(Vec3::X)),
                    each("fixed", fv, |v| {
                        let length = fixed_dot(v, v).sqrt();
                        v.map(|c| c / length)
                    }),
                    each("f32", gv, |v| {
                        let length = float_dot(v, v).sqrt();
                        v.map(|c| c / length)
                    }),
                ],
            ),
            ("rotate by quaternion", vec![pairs("ours", q, v, Quat::rotate)]),
            ("multiply quaternions", vec![pairs("ours", q, &reversed, |p, q| p * q)]),
            ("exponential map", vec![each("ours", v.clone(), Quat::from_rotation_vector)]),
        ]
    }
}

/// Contenders by operation.
type Races<'a> = Vec<(&'static str, Vec<Contender<'a>>)>;

fn fixed_dot(v: [I32F32; 3], w: [I32F32; 3]) -> I32F32 {
    v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
}

fn float_dot(v: [f32; 3], w: [f32; 3]) -> f32 {
    v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
}

/// Applies `f` to each operand and writes the result.
fn each<'a, A: Copy + 'a, R: Clone + 'a>(
    name: &'static str,
    a: Vec<A>,
    f: impl Fn(A) -> R + 'a,
) -> Contender<'a> {
    let mut out: Vec<R> = a.iter().map(|x| f(*x)).collect();
    Contender::new(name, move || {
        for (place, x) in out.iter_mut().zip(black_box(&a)) {
            *place = f(*x);
        }
        black_box(&mut out);
    })
}

/// Applies `f` to each pair of operands and writes the result.
fn pairs<'a, A: Copy + 'a, B: Copy + 'a, R: Clone + 'a>(
    name: &'static str,
    a: &[A],
    b: &[B],
    f: impl Fn(A, B) -> R + 'a,
) -> Contender<'a> {
    each(name, a.iter().copied().zip(b.iter().copied()).collect(), move |(x, y)| f(x, y))
}
