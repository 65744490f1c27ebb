//! The generic path for polyhedra: boxes against their own path, hulls of random points against all axes in floats.

use super::oracle::{Body, V, cross, dot, length as length_of, metres, raw, sub, unit};
use super::*;
use crate::collide::Pair;
use crate::collide::pairs::box_path;
use crate::collide::polyhedra::{Core, Polyhedra};
use crate::data::Rng;
use crate::shape::Cuboid;
use crate::shape::hull::{Point as Corner, Polyhedron};

/// Bits of a step of the hulls' grids: 2⁻²² m.
const SHIFT: u32 = 10;

fn as_box(body: &Body) -> Core<'static> {
    let half = Cuboid::of(&body.shape).unwrap().half.to_bits();
    Core::Box { offset: [0; 3], half }
}

fn pair(a: &Body, b: &Body, margin: f64) -> Pair {
    Pair::new(&a.posed(), &b.posed(), raw(margin))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn boxes_collide_alike_on_both_paths((a, b) in any_pair(any_cuboid(), any_cuboid())) {
        let pair = pair(&a, &b, MARGIN);
        let thickness = raw(a.thickness().min(b.thickness()));
        let generic = Polyhedra::new(&pair, &[as_box(&a), as_box(&b)], 0, thickness).manifold();
        let [own_a, own_b] = [&a, &b].map(|body| Cuboid::of(&body.shape).unwrap());
        let fast = box_path(&pair, own_a, own_b);
        let preference = (a.thickness().min(b.thickness()) / 32.0).min(1.0 / 256.0);
        // The box path crops large boxes, so that its coordinates are finer.
        let tolerance = 1e-7 + 2e-7 * (a.radius() + b.radius());
        let same = dot(unit(generic.normal), unit(fast.normal)) > 1.0 - 1e-9;
        if fast.points.is_empty() || generic.points.is_empty() {
            let other = if fast.points.is_empty() { &generic } else { &fast };
            let near = other.points.is_empty() || deepest(other) > -2.5 * preference - tolerance;
            prop_assert!(near, "{fast:?} against {generic:?}");
        } else if same {
            let (generic, fast) = (deepest(&generic), deepest(&fast));
            prop_assert!((generic - fast).abs() < tolerance.max(1e-3 * preference),
                "{generic} instead of {fast}");
        } else if deepest(&fast) < 0.0 && deepest(&generic) < 0.0 {
            // A large box is cropped, and faces beyond the crop are not tried.
            let alike = a.radius().max(b.radius()) < 4.0 * a.radius().min(b.radius());
            let off = (deepest(&generic) - deepest(&fast)).abs();
            prop_assert!(!alike || off < 2.5 * preference + tolerance + 0.1 * off,
                "{generic:?} instead of {fast:?}");
        }
    }
}

/// A hull with its pose. The shape is that of a ball around it, for its radius.
struct Rock {
    hull: Polyhedron,
    body: Body,
}

impl Rock {
    fn new(rng: &mut Rng, size: f64) -> Self {
        let mut number = |scale: f64| (f64::from(rng.next_u32()) / 2f64.powi(31) - 1.0) * scale;
        let count = 5 + (number(1.0).abs() * 30.0) as usize;
        let round = number(1.0) > 0.0;
        let scale = size * 2f64.powi(22);
        let corner = |_| -> Corner {
            let v: V = [0; 3].map(|_| number(1.0));
            let far = if round { length_of(v).max(0.1) } else { 1.0 };
            v.map(|c| (c / far * scale) as i32)
        };
        let points: Vec<Corner> = (0..count).map(corner).collect();
        let hull = Polyhedron::of(&points).unwrap();
        let axis: V = [0; 3].map(|_| number(1.0));
        let axis = Vec3::new(real(axis[0]), real(axis[1]), real(axis[2] + 2.0));
        let turn = Quat::from_axis_angle(axis, real(number(3.0))).unwrap();
        Self { hull, body: Body::new(sphere(2.0 * size), [0.0; 3], turn) }
    }

    fn turned(&self, v: V) -> V {
        [0, 1, 2].map(|k| (0..3).map(|j| self.body.axis(j)[k] * v[j]).sum())
    }

    fn corners(&self) -> Vec<V> {
        let center = self.body.center.map(metres);
        let corner = |v: &Corner| {
            let at = self.turned(v.map(|c| f64::from(c) / 2f64.powi(22)));
            [0, 1, 2].map(|k| at[k] + center[k])
        };
        self.hull.vertices.iter().map(corner).collect()
    }

    fn core(&self) -> Core<'_> {
        Core::Hull { hull: &self.hull, shift: SHIFT }
    }
}

fn along(a: &[V], b: &[V], n: V) -> f64 {
    let most = |points: &[V], n: V| points.iter().map(|p| dot(*p, n)).fold(f64::MIN, f64::max);
    -most(b, n.map(|c| -c)) - most(a, n)
}

/// The largest separation along all normals of faces and all products of edges.
fn all_axes(a: &Rock, b: &Rock) -> f64 {
    let points = [a.corners(), b.corners()];
    let directions = |rock: &Rock, points: &[V]| -> (Vec<V>, Vec<V>) {
        let topology = rock.hull.topology();
        let edges: Vec<V> = topology
            .edges
            .iter()
            .map(|edge| sub(points[usize::from(edge.ends[1])], points[usize::from(edge.ends[0])]))
            .collect();
        let face = |face: usize| {
            let corners = topology.loop_of(face);
            let at = |i: usize| points[usize::from(corners[i])];
            cross(sub(at(1), at(0)), sub(at(2), at(0)))
        };
        ((0..topology.faces.len()).map(face).collect(), edges)
    };
    let [(faces_a, edges_a), (faces_b, edges_b)] =
        [directions(a, &points[0]), directions(b, &points[1])];
    let crossed = edges_a.iter().flat_map(|d| edges_b.iter().map(|e| cross(*d, *e)));
    let all = faces_a.iter().chain(&faces_b).copied().chain(crossed);
    let mut best = f64::MIN;
    for n in all.filter(|n| length_of(*n) > 1e-9) {
        let n = n.map(|c| c / length_of(n));
        best = best.max(along(&points[0], &points[1], n));
        best = best.max(along(&points[0], &points[1], n.map(|c| -c)));
    }
    best
}

#[test]
fn hulls_have_the_least_overlap_of_all_axes() {
    let mut rng = Rng::new(11);
    let (mut kinds, mut points) = ([0; 3], [0; 5]);
    for case in 0..1500 {
        let sizes = [0.5, if case % 3 == 0 { 3.0 } else { 0.4 }];
        let (a, mut b) = (Rock::new(&mut rng, sizes[0]), Rock::new(&mut rng, sizes[1]));
        let mut number = || f64::from(rng.next_u32()) / 2f64.powi(31) - 1.0;
        let n: V = [number(), number(), number() + 0.01];
        let n = n.map(|c| c / length_of(n));
        // Slight overlaps, gaps and deep overlaps.
        let near = -along(&a.corners(), &b.corners(), n);
        let by = [near - 0.01 + 0.02 * number(), near + 0.2 * number(), number()][case % 3];
        b.body = b.body.moved(n.map(|c| c * by));
        let pair = pair(&a.body, &b.body, MARGIN);
        let thickness = raw(0.2);
        let made = Polyhedra::new(&pair, &[a.core(), b.core()], 0, thickness);
        let manifold = made.manifold();
        let expected = all_axes(&a, &b);
        let context = || format!("case {case}: {manifold:?}, {expected} expected");
        let preference = 1.0 / 256.0;
        if expected > MARGIN + 1e-6 {
            assert!(manifold.points.is_empty() && made.widest().is_none(), "{}", context());
            kinds[0] += 1;
            continue;
        }
        let (normal, widest) = made.widest().unwrap();
        let truth = along(&a.corners(), &b.corners(), unit(normal));
        assert!((metres(widest) - truth).abs() < 1e-6, "{}", context());
        assert!((truth - expected).abs() < preference / 4.0 + 1e-6, "{truth}: {}", context());
        points[manifold.points.len()] += 1;
        if expected > 0.0 {
            kinds[1] += 1;
            continue;
        }
        kinds[2] += 1;
        assert!(!manifold.points.is_empty(), "{}", context());
        let normal = unit(manifold.normal);
        let truth = along(&a.corners(), &b.corners(), normal);
        assert!((length_of(normal) - 1.0).abs() < 1e-8);
        let deepest = deepest(&manifold);
        assert!((deepest - expected).abs() < 1.3 * preference + 1e-6, "{}", context());
        for point in &manifold.points {
            assert!(metres(point.separation) >= truth - 1e-6, "{}", context());
            let at = point.at.map(metres);
            // Midway between the surfaces, so within half the depth of both.
            let half = metres(point.separation).abs() / 2.0 + preference / 4.0 + 1e-6;
            for rock in [&a, &b] {
                let corners = rock.corners();
                for (face, local) in rock.hull.normals.iter().enumerate() {
                    let outward = rock.turned(unit(*local));
                    let base = rock.hull.topology().loop_of(face)[0];
                    let height = dot(outward, sub(at, corners[usize::from(base)]));
                    assert!(height <= half, "{height} above a face: {}", context());
                }
            }
        }
    }
    assert!(kinds.iter().all(|count| *count > 30), "{kinds:?}");
    assert!(points[1..].iter().all(|count| *count > 10), "{points:?}");
}

#[test]
fn a_core_segment_in_a_box_leaves_along_the_nearest_axis() {
    let mut rng = Rng::new(12);
    let mut number = || f64::from(rng.next_u32()) / 2f64.powi(31) - 1.0;
    let mut kinds = [0; 3];
    for case in 0..2000 {
        let half = [0; 3].map(|_| 0.5 + 0.3 * number());
        let (length, radius) = (0.6 + 0.5 * number(), 0.15 + 0.1 * number());
        let axis = Vec3::new(real(number()), real(number()), real(number() + 2.0));
        let turn = Quat::from_axis_angle(axis, real(3.0 * number())).unwrap();
        let a = Body::new(cuboid(half), [0.0; 3], Quat::IDENTITY);
        let b = Body::new(capsule(length, radius), [0; 3].map(|_| 0.7 * number()), turn);
        let long = b.axis(1).map(|c| c * length);
        let center = b.center.map(metres);
        let ends = [1.0, -1.0].map(|s: f64| [0, 1, 2].map(|k| center[k] + s * long[k]));
        let corners: Vec<V> = (0..8)
            .map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] }))
            .collect();
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let all = axes.into_iter().chain(axes.map(|axis| cross(axis, long)));
        let units = all.filter(|n| length_of(*n) > 1e-6).map(|n| n.map(|c| c / length_of(n)));
        let both = units.flat_map(|n| [n, n.map(|c| -c)]);
        let expected = both.map(|n| along(&corners, &ends, n)).fold(f64::MIN, f64::max) - radius;
        let pair = pair(&a, &b, MARGIN);
        let cores = [as_box(&a), Core::Segment { half: raw(length) }];
        let made = Polyhedra::new(&pair, &cores, raw(radius), raw(radius.min(0.2))).manifold();
        let context = || format!("case {case}: {made:?}, {expected} expected");
        if expected > MARGIN + 1e-6 {
            assert!(made.points.is_empty(), "{}", context());
        } else if expected < -radius {
            assert!((deepest(&made) - expected).abs() < 1.3 / 256.0 + 1e-6, "{}", context());
            kinds[made.points.len()] += 1;
        }
    }
    assert!(kinds[1] > 50 && kinds[2] > 50, "{kinds:?}");
}
