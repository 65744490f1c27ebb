//! Each operation on numbers beside plain `fixed` and `f32`: `cargo bench -p isostep-benches math`.
//!
//! Every contender walks the same 1,024 operands of a few metres, as a game has them, and writes every result. Throughput,
//! that is, not latency. A vector's direction in `fixed` is what one would write with it.

use fixed::types::I32F32;
use isostep_benches::{Contender, Outcome, Table, race};
use isostep_core::math::{Q20, Q30, Wide};
use isostep_core::{Quat, Real, Rng, Vec3};
use std::hint::black_box;

const OPERANDS: usize = 1024;

fn main() {
    // `cargo bench` hands a name filter and `--bench` on; `cargo test --benches` hands nothing.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    if filter.is_some_and(|filter| !"math".contains(filter.as_str())) {
        return;
    }
    let data = Data::new();
    println!("nanoseconds an operation: median (90th percentile) over rounds of one run\n");
    let mut table =
        Table::new(["operation", "Isostep", "fixed", "f32", "fixed / ours", "f32 / ours"]);
    for (name, contenders) in data.races() {
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

    fn races(&self) -> Vec<(&'static str, Vec<Contender<'_>>)> {
        let fixed = |values: &[Real]| values.iter().map(|x| I32F32::from(*x)).collect::<Vec<_>>();
        let float = |values: &[Real]| values.iter().map(|x| x.to_f32()).collect::<Vec<_>>();
        let (a, b) = (&self.a, &self.b);
        let (fa, fb) = (fixed(a), fixed(b));
        let (ga, gb) = (float(a), float(b));
        let pos: Vec<Real> = a.iter().map(|x| x.abs()).collect();
        let (fpos, gpos) = (fixed(&pos), float(&pos));
        let units: Vec<Real> = self.v.iter().map(|v| v.normalize_or(Vec3::X).x).collect();
        let gunits = float(&units);
        let fv: Vec<[I32F32; 3]> = self.v.iter().map(|v| v.to_array().map(I32F32::from)).collect();
        let fw: Vec<[I32F32; 3]> = self.w.iter().map(|v| v.to_array().map(I32F32::from)).collect();
        let gv: Vec<[f32; 3]> = self.v.iter().map(|v| v.to_array().map(Real::to_f32)).collect();
        let gw: Vec<[f32; 3]> = self.w.iter().map(|v| v.to_array().map(Real::to_f32)).collect();
        let lanes: Vec<([Q30; 3], [Q20; 3])> = (self.v.iter().zip(&self.w))
            .map(|(v, w)| {
                let v = v.normalize_or(Vec3::X).to_array().map(Q30::from_real_saturating);
                (v, w.to_array().map(Q20::from_real_saturating))
            })
            .collect();
        vec![
            (
                "add",
                vec![
                    pairs("ours", a.clone(), b.clone(), |x, y| x + y),
                    pairs("fixed", fa.clone(), fb.clone(), I32F32::wrapping_add),
                    pairs("f32", ga.clone(), gb.clone(), |x, y| x + y),
                ],
            ),
            (
                "mul",
                vec![
                    pairs("ours", a.clone(), b.clone(), |x, y| x * y),
                    pairs("fixed", fa.clone(), fb.clone(), |x, y| x * y),
                    pairs("f32", ga.clone(), gb.clone(), |x, y| x * y),
                ],
            ),
            (
                "mul, saturating",
                vec![
                    pairs("ours", a.clone(), b.clone(), |x, y| x * y),
                    pairs("fixed", fa.clone(), fb.clone(), I32F32::saturating_mul),
                ],
            ),
            (
                "div",
                vec![
                    pairs("ours", a.clone(), b.clone(), |x, y| x / y),
                    pairs("fixed", fa.clone(), fb.clone(), |x, y| x.wrapping_div(y)),
                    pairs("f32", ga.clone(), gb.clone(), |x, y| x / y),
                ],
            ),
            (
                "sqrt",
                vec![
                    each("ours", pos, |x| x.sqrt().unwrap_or_default()),
                    each("fixed", fpos, I32F32::sqrt),
                    each("f32", gpos, f32::sqrt),
                ],
            ),
            (
                "sin_cos",
                vec![each("ours", a.clone(), Real::sin_cos), each("f32", ga.clone(), f32::sin_cos)],
            ),
            (
                "atan2",
                vec![
                    pairs("ours", a.clone(), b.clone(), Real::atan2),
                    pairs("f32", ga, gb, f32::atan2),
                ],
            ),
            (
                "acos",
                vec![
                    each("ours", units, |x| x.acos().unwrap_or_default()),
                    each("f32", gunits, f32::acos),
                ],
            ),
            (
                "dot",
                vec![
                    pairs("ours", self.v.clone(), self.w.clone(), Vec3::dot),
                    pairs("fixed", fv.clone(), fw.clone(), fixed_dot),
                    pairs("f32", gv.clone(), gw.clone(), float_dot),
                ],
            ),
            (
                "dot in 32-bit lanes",
                vec![
                    each("ours", lanes, |(v, w)| {
                        let sum = Wide::ZERO.plus(v[0], w[0]).plus(v[1], w[1]).plus(v[2], w[2]);
                        sum.round::<30, 20>()
                    }),
                    pairs("f32", gv.clone(), gw.clone(), float_dot),
                ],
            ),
            (
                "cross",
                vec![
                    pairs("ours", self.v.clone(), self.w.clone(), Vec3::cross),
                    pairs("fixed", fv.clone(), fw, |v, w| {
                        [
                            v[1] * w[2] - v[2] * w[1],
                            v[2] * w[0] - v[0] * w[2],
                            v[0] * w[1] - v[1] * w[0],
                        ]
                    }),
                    pairs("f32", gv.clone(), gw, |v, w| {
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
                    each("ours", self.v.clone(), Vec3::length),
                    each("fixed", fv.clone(), |v| fixed_dot(v, v).sqrt()),
                    each("f32", gv.clone(), |v| float_dot(v, v).sqrt()),
                ],
            ),
            (
                "normalize",
                vec![
                    each("ours", self.v.clone(), |v| v.normalize_or(Vec3::X)),
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
            (
                "rotate by quaternion",
                vec![pairs("ours", self.q.clone(), self.v.clone(), Quat::rotate)],
            ),
            (
                "multiply quaternions",
                vec![pairs(
                    "ours",
                    self.q.clone(),
                    self.q.iter().rev().copied().collect(),
                    |p, q| p * q,
                )],
            ),
            ("exponential map", vec![each("ours", self.v.clone(), Quat::from_rotation_vector)]),
            (
                "random number, keyed",
                vec![each("ours", (0..OPERANDS as u64).collect(), |i| {
                    Rng::keyed(1, i, 7, 2).next_u64()
                })],
            ),
        ]
    }
}

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
    a: Vec<A>,
    b: Vec<B>,
    f: impl Fn(A, B) -> R + 'a,
) -> Contender<'a> {
    each(name, a.into_iter().zip(b).collect(), move |(x, y)| f(x, y))
}
