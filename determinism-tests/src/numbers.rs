//! A million operations on pseudo-random numbers of every size, hashed by kind of operation.
//!
//! The operands come from a generator in this file, so a fault in one operation changes one line.

use isostep_core::internals::{Aabb, Lane, Mat3, Q20, Q22, Q30, Sym3, Wide};
use isostep_core::internals::{BitSet, IdPool, UnionFind, sort_by_key};
use isostep_core::{Quat, Real, Rng, Transform, Vec3};
use isostep_scenes::{Golden, Line};

/// The committed results.
pub const GOLDEN: &str = include_str!("../goldens/numbers.txt");

/// Number of operations in the golden.
pub const OPERATIONS: u64 = 1_000_000;

/// Operands of every size: `SplitMix64` with a random shift, and edge cases now and then.
struct Operands(u64);

impl Operands {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bits(&mut self) -> i64 {
        let choice = self.word();
        let bits = self.word() as i64;
        match choice % 16 {
            0 => [0, 1, -1, i64::MAX, i64::MIN, 1 << 32, -1 << 32, 1 << 31]
                [(choice >> 32) as usize % 8],
            1 => 1i64.wrapping_shl((choice >> 32) as u32 % 64).wrapping_add(bits % 3),
            _ => bits >> ((choice >> 32) % 64),
        }
    }

    fn real(&mut self) -> Real {
        Real::from_bits(self.bits())
    }

    fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.real(), self.real(), self.real())
    }

    /// Within a cube of 64 m, where nothing saturates.
    fn near(&mut self) -> Vec3 {
        Vec3::from_bits([self.word(), self.word(), self.word()].map(|bits| bits as i64 >> 27))
    }

    fn quat(&mut self) -> Quat {
        Quat::from_xyzw(self.real(), self.real(), self.real(), self.real()).unwrap_or_default()
    }

    fn lane<const F: u32>(&mut self) -> Lane<F> {
        Lane::from_bits(self.bits() as i32)
    }
}

/// Hashes results as little-endian words.
#[derive(Default)]
struct Results(blake3::Hasher);

impl Results {
    fn bits(&mut self, bits: i64) {
        self.0.update(&bits.to_le_bytes());
    }

    fn real(&mut self, value: Real) {
        self.bits(value.to_bits());
    }

    fn vec3(&mut self, value: Vec3) {
        value.to_bits().into_iter().for_each(|bits| self.bits(bits));
    }

    fn quat(&mut self, value: Quat) {
        value.to_bits().into_iter().for_each(|bits| self.bits(bits.into()));
    }

    fn mat3(&mut self, value: Mat3) {
        value.rows().into_iter().for_each(|row| self.vec3(row));
    }

    /// Hashes a presence flag, then the value.
    fn maybe<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) {
        self.bits(value.is_some().into());
        if let Some(value) = value {
            put(self, value);
        }
    }
}

type Operation = fn(&mut Operands, &mut Results);

/// Every operation by name. Append new ones at the end, so that the operands of the others stay.
const KINDS: [(&str, Operation); 40] = [
    ("real.add", |o, r| r.real(o.real() + o.real())),
    ("real.sub", |o, r| r.real(o.real() - o.real())),
    ("real.mul", |o, r| r.real(o.real() * o.real())),
    ("real.div", |o, r| r.real(o.real() / o.real())),
    ("real.recip", |o, r| r.real(o.real().recip())),
    ("real.mul_add", |o, r| {
        r.real(o.real().mul_add(o.real(), o.real()));
    }),
    ("real.lerp", |o, r| {
        r.real(o.real().lerp(o.real(), o.real()));
    }),
    ("real.checked", |o, r| {
        let (a, b) = (o.real(), o.real());
        for value in [a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_div(b)] {
            r.maybe(value, Results::real);
        }
    }),
    ("real.round", |o, r| {
        let a = o.real();
        let parts = [a.floor(), a.ceil(), a.round(), a.fract(), a.abs(), a.signum()];
        for part in parts {
            r.real(part);
        }
    }),
    ("real.sqrt", |o, r| r.maybe(o.real().sqrt(), Results::real)),
    ("real.sin_cos", |o, r| {
        let (sin, cos) = o.real().sin_cos();
        r.real(sin);
        r.real(cos);
    }),
    ("real.atan2", |o, r| r.real(o.real().atan2(o.real()))),
    ("real.acos", |o, r| r.maybe(unit(o).acos(), Results::real)),
    ("real.asin", |o, r| r.maybe(unit(o).asin(), Results::real)),
    ("real.text", |o, r| {
        let text = o.real().to_string();
        r.0.update(text.as_bytes());
        r.maybe(text.parse().ok(), Results::real);
    }),
    ("real.ratio", |o, r| {
        r.real(Real::ratio(o.bits() as i32, o.bits() as i32));
    }),
    ("rim.from_float", rim_from_float),
    ("rim.to_float", rim_to_float),
    ("vec3.dot", |o, r| r.real(o.vec3().dot(o.vec3()))),
    ("vec3.cross", |o, r| r.vec3(o.vec3().cross(o.vec3()))),
    ("vec3.length", |o, r| r.real(o.vec3().length())),
    ("vec3.normalize", |o, r| {
        r.maybe(o.vec3().normalize().ok(), Results::vec3);
    }),
    ("vec3.scale", |o, r| r.vec3(o.vec3() * o.real() / o.real())),
    ("quat.axis_angle", |o, r| {
        r.maybe(Quat::from_axis_angle(o.vec3(), o.real()).ok(), Results::quat);
    }),
    ("quat.exp", |o, r| {
        r.quat(Quat::from_rotation_vector(o.vec3()));
    }),
    ("quat.log", |o, r| r.vec3(o.quat().to_rotation_vector())),
    ("quat.mul", |o, r| r.quat(o.quat() * o.quat())),
    ("quat.rotate", |o, r| r.vec3(o.quat().rotate(o.vec3()))),
    ("quat.arc", |o, r| {
        r.maybe(Quat::from_rotation_arc(o.vec3(), o.vec3()).ok(), Results::quat);
    }),
    ("quat.nlerp", |o, r| {
        r.quat(o.quat().nlerp(o.quat(), o.real()));
    }),
    ("mat3.inverse", |o, r| {
        r.maybe(Mat3::from_rows([o.near(), o.near(), o.near()]).inverse(), Results::mat3);
    }),
    ("sym3.rotated", |o, r| {
        let turned = Sym3 { diagonal: o.near(), off: o.near() }.rotated(o.quat());
        r.vec3(turned.diagonal);
        r.vec3(turned.off);
    }),
    ("transform.inverse", |o, r| {
        let motion = Transform::new(o.near(), o.quat()).inverse() * Transform::at(o.near());
        r.vec3(motion.point(o.near()));
        r.vec3(motion.point_inverse(o.near()));
    }),
    ("aabb.transformed", |o, r| {
        let aabb = Aabb::around([o.near(), o.near()]).expect("two points");
        let moved = aabb.transformed(&Transform::new(o.near(), o.quat()));
        r.vec3(moved.min());
        r.vec3(moved.max());
    }),
    ("lane.dot", |o, r| {
        let sum = (0..3).fold(Wide::ZERO, |sum, _| {
            sum.plus(Q30::from_bits(o.bits() as i32 >> 1), Q20::from_bits(o.bits() as i32 >> 3))
        });
        r.bits(sum.round::<30, 20>().to_bits().into());
        r.bits(sum.round::<22, 20>().to_bits().into());
    }),
    ("lane.odd", |o, r| {
        r.bits(o.lane::<30>().odd().to_bits().into());
    }),
    ("lane.from_real", |o, r| {
        r.maybe(Q22::from_real(o.real()), |r, lane| {
            r.bits(lane.to_bits().into());
        });
    }),
    ("rng.keyed", |o, r| {
        let mut rng = Rng::keyed(o.word(), o.word(), o.word(), o.word());
        r.bits(rng.next_u64() as i64);
        r.maybe(rng.below(o.word() as u32).ok(), |r, x| r.bits(x.into()));
        r.maybe(rng.between(o.real(), o.real()).ok(), Results::real);
        r.vec3(rng.direction());
    }),
    ("data.sort_union_set", containers),
    ("data.ids", ids),
];

/// Slightly more than −1 to 1.
fn unit(o: &mut Operands) -> Real {
    Real::from_bits((o.word() as i64 >> 30) + (o.word() as i64 >> 62))
}

#[allow(clippy::disallowed_types, reason = "float conversions are under test")]
fn rim_from_float(o: &mut Operands, r: &mut Results) {
    r.maybe(Real::from_f64(f64::from_bits(o.word())).ok(), Results::real);
    // Exponents around the range of a Real.
    let exponent = 980 + o.word() % 80;
    let float = f64::from_bits(o.word() & !(0x7ff << 52) | exponent << 52);
    r.maybe(Real::from_f64(float).ok(), Results::real);
    r.maybe(Real::from_f32(f32::from_bits(o.word() as u32)).ok(), Results::real);
}

fn rim_to_float(o: &mut Operands, r: &mut Results) {
    let value = o.real();
    r.bits(value.to_f64().to_bits() as i64);
    r.bits(value.to_f32().to_bits().into());
}

fn containers(o: &mut Operands, r: &mut Results) {
    let mut keys: Vec<u64> = (0..o.word() % 80).map(|_| o.word() >> (o.word() % 64)).collect();
    sort_by_key(&mut keys, &mut Vec::new(), |key| *key);
    let mut groups = UnionFind::new();
    groups.reset(64);
    let mut set = BitSet::new();
    for key in keys {
        r.bits(key as i64);
        groups.union(key as u32 % 64, (key >> 8) as u32 % 64);
        set.insert(key as u32 % 5000);
    }
    (0..64).for_each(|i| r.bits(groups.find(i).into()));
    set.iter().for_each(|member| r.bits(member.into()));
}

fn ids(o: &mut Operands, r: &mut Results) {
    let mut pool = IdPool::in_range(100..132).expect("not empty");
    let mut live = Vec::new();
    for _ in 0..o.word() % 64 {
        if o.word().is_multiple_of(3) && !live.is_empty() {
            let id = live.swap_remove((o.word() % live.len() as u64) as usize);
            r.bits(pool.free(id).into());
        } else if let Ok(id) = pool.allocate() {
            r.bits(id.to_bits() as i64);
            live.push(id);
        }
    }
    r.0.update(&postcard::to_stdvec(&pool).expect("a pool always serialises"));
}

/// Computes the golden: [`OPERATIONS`] in equal shares, and a line for all of them.
pub fn compute() -> Golden {
    let share = OPERATIONS / KINDS.len() as u64;
    let mut all = blake3::Hasher::new();
    let mut lines: Vec<_> = (0..)
        .zip(KINDS)
        .map(|(seed, (name, operation))| {
            let (mut operands, mut results) = (Operands(seed), Results::default());
            (0..share).for_each(|_| operation(&mut operands, &mut results));
            all.update(results.0.finalize().as_bytes());
            Line::new(name, share, &results.0)
        })
        .collect();
    lines.push(Line::new("all", share * KINDS.len() as u64, &all));
    Golden { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_operations_come_out_as_committed() {
        let expected: Golden = GOLDEN.parse().expect("the committed golden");
        let differences = expected.differences(&compute());
        let shown: Vec<_> = differences.iter().map(ToString::to_string).collect();
        assert!(shown.is_empty(), "numbers changed:\n{}", shown.join("\n"));
    }

    #[test]
    fn the_shares_add_up_to_a_million() {
        assert_eq!(OPERATIONS % KINDS.len() as u64, 0);
    }

    #[test]
    fn one_changed_bit_of_one_result_changes_its_digest() {
        let hash = |bits| {
            let mut results = Results::default();
            results.bits(bits);
            Line::new("x", 1, &results.0)
        };
        assert_ne!(hash(0), hash(1 << 63));
    }
}
