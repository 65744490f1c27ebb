//! The broad phase beside a spatial hash grid and the n² oracle: `cargo bench -p isostep-benches
//! broad`.
//!
//! A step sets the next box of every moving proxy (a precomputed sequence, played back and forth)
//! and requests the sorted pairs. All contenders must find the same pairs. The grid uses its
//! fastest cell size for each scene; the tree has no parameters.

mod grid;

use grid::Grid;
use isostep_benches::{Contender, Outcome, Table, race, wanted};
use isostep_core::bench_internals::Broad;
use isostep_core::internals::Aabb;
use isostep_core::{Real, Rng, Vec3, real};
use std::cell::RefCell;
use std::time::Instant;

const FRAMES: usize = 32;

type Pairs = Vec<(u32, u32)>;

fn main() {
    if !wanted("broad") {
        return;
    }
    println!("microseconds a step: median (90th percentile) over rounds of one run\n");
    let header = ["scene", "pairs", "cell", "tree", "grid", "n²", "grid / tree", "n² / tree"];
    let mut table = Table::new(header);
    for scene in [
        bin(1000, Real::ratio(1, 500), "1,000 mixed bodies settled in a bin"),
        bin(1000, Real::ratio(2, 25), "1,000 mixed bodies tumbling in a bin"),
        pyramid(),
        many_static(),
        unequal(),
        bin(40, Real::ratio(1, 500), "40 bodies in a bin"),
    ] {
        table.row(scene.run());
    }
    println!("{table}");
}

/// Static boxes, and moving ones with a box for each frame.
struct Scene {
    name: &'static str,
    fixed: Vec<Aabb>,
    film: Vec<Vec<Aabb>>,
}

const fn keep(a: u32, b: u32) -> bool {
    a >> 8 != b >> 8
}

impl Scene {
    fn run(&self) -> Vec<String> {
        let count = self.fixed.len() + self.film[0].len();
        let key = |nth: usize| (nth as u32) << 8;
        let start = self.fixed.len();
        let boxes = || {
            let fixed = self.fixed.iter().map(|b| (b, false));
            fixed.chain(self.film[0].iter().map(|b| (b, true))).enumerate()
        };
        let mut tree = Broad::default();
        for (nth, (bounds, active)) in boxes() {
            tree.insert(key(nth), bounds, active);
        }
        let active: Vec<u32> = (start as u32..count as u32).collect();
        let mut out = Vec::new();
        let mut timed = |cell: u32| {
            let mut grid = Grid::new(cell);
            for (nth, (bounds, active)) in boxes() {
                grid.insert(key(nth), bounds, active);
            }
            grid.settle();
            // The first run is a warm-up.
            let times = [0; 4].map(|_| {
                let before = Instant::now();
                grid.pairs(&active, keep, &mut out);
                before.elapsed()
            });
            (times[1..].iter().min().copied(), cell, grid)
        };
        // Cells of 0.25 m to 16 m.
        let grids = (30..=36).map(&mut timed);
        let (_, cell, mut grid) = grids.min_by_key(|(time, ..)| *time).expect("there are seven");
        let mut by_tree = |frame: usize, out: &mut Pairs| {
            for (nth, bounds) in self.film[frame].iter().enumerate() {
                tree.update(start + nth, bounds);
            }
            tree.pairs(keep, out);
        };
        let mut by_grid = |frame: usize, out: &mut Pairs| {
            for (nth, bounds) in self.film[frame].iter().enumerate() {
                grid.update(start + nth, bounds);
            }
            grid.pairs(&active, keep, out);
        };
        let mut all: Vec<Aabb> = boxes().map(|(_, (bounds, _))| *bounds).collect();
        let mut by_all = |frame: usize, out: &mut Pairs| {
            all[start..].copy_from_slice(&self.film[frame]);
            out.clear();
            for a in 0..count {
                for b in start.max(a + 1)..count {
                    if all[a].overlaps(&all[b]) && keep(key(a), key(b)) {
                        out.push((key(a), key(b)));
                    }
                }
            }
        };
        let (mut expected, mut total) = (Vec::new(), 0);
        for frame in (0..FRAMES).chain((0..FRAMES).rev()) {
            by_all(frame, &mut expected);
            by_tree(frame, &mut out);
            assert_eq!(out, expected, "{}: tree, frame {frame}", self.name);
            by_grid(frame, &mut out);
            assert_eq!(out, expected, "{}: grid, frame {frame}", self.name);
            total += out.len();
        }
        // Each contender plays its own sequence back and forth, so that no frame jumps.
        let play =
            |step: &mut dyn FnMut(usize, &mut Pairs), at: &RefCell<usize>, out: &mut Vec<_>| {
                let at = &mut *at.borrow_mut();
                *at = (*at + 1) % (2 * FRAMES);
                step((*at).min(2 * FRAMES - 1 - *at), out);
                out.len()
            };
        let clocks = [const { RefCell::new(0) }; 3];
        let [mut a, mut b, mut c] = [Vec::new(), Vec::new(), Vec::new()];
        let mut contenders = vec![
            Contender::new("tree", || play(&mut by_tree, &clocks[0], &mut a)),
            Contender::new("grid", || play(&mut by_grid, &clocks[1], &mut b)),
        ];
        if count <= 2000 {
            contenders.push(Contender::new("n²", || play(&mut by_all, &clocks[2], &mut c)));
        }
        let outcomes = race(1, contenders);
        self.row(total / (2 * FRAMES), cell, &outcomes)
    }

    fn row(&self, pairs: usize, shift: u32, outcomes: &[Outcome]) -> Vec<String> {
        let cell = |nth: usize, show: &dyn Fn(&Outcome) -> String| {
            outcomes.get(nth).map_or("–".to_owned(), show)
        };
        let time = |o: &Outcome| format!("{:.1} ({:.1})", o.median / 1e3, o.p90 / 1e3);
        let ratio = |o: &Outcome| format!("{:.2}", o.ratio);
        vec![
            self.name.to_owned(),
            pairs.to_string(),
            format!("{} m", 2f64.powi(shift as i32 - 32)),
            cell(0, &time),
            cell(1, &time),
            cell(2, &time),
            cell(1, &ratio),
            cell(2, &ratio),
        ]
    }
}

fn between(rng: &mut Rng, low: Real, high: Real) -> Real {
    rng.between(low, high).expect("low is below high")
}

fn cuboid(center: Vec3, half: Vec3) -> Aabb {
    Aabb::from_center(center, half).expect("halves are not negative")
}

/// A sequence in which each box wanders by up to `step` per axis and frame, around its start.
fn wander(rng: &mut Rng, start: &[(Vec3, Vec3)], step: Real) -> Vec<Vec<Aabb>> {
    let mut centers: Vec<Vec3> = start.iter().map(|(center, _)| *center).collect();
    (0..FRAMES)
        .map(|_| {
            for (center, (home, _)) in centers.iter_mut().zip(start) {
                let noise = Vec3::ZERO.map(|_| between(rng, -step, step));
                // Pulled back slightly, so that the scene stays the same.
                *center = center.lerp(*home, Real::ratio(1, 10)) + noise;
            }
            centers.iter().zip(start).map(|(center, (_, half))| cuboid(*center, *half)).collect()
        })
        .collect()
}

/// Bodies of 0.2 m to 0.8 m heaped in a bin of five walls.
fn bin(count: i32, step: Real, name: &'static str) -> Scene {
    let mut rng = Rng::new(1);
    let bodies: Vec<(Vec3, Vec3)> = (0..count)
        .map(|i| {
            let place = Vec3::from_ints(i % 10, i / 100, i / 10 % 10) * Real::ratio(11, 20);
            let half =
                Vec3::ZERO.map(|_| between(&mut rng, Real::ratio(3, 25), Real::ratio(21, 50)));
            (place, half)
        })
        .collect();
    let wall = |x: i32, y: i32, z: i32, half: Vec3| cuboid(Vec3::from_ints(x, y, z), half);
    let fixed = vec![
        wall(3, -1, 3, Vec3::from_ints(4, 1, 4)),
        wall(-1, 3, 3, Vec3::from_ints(1, 4, 4)),
        wall(7, 3, 3, Vec3::from_ints(1, 4, 4)),
        wall(3, 3, -1, Vec3::from_ints(4, 4, 1)),
        wall(3, 3, 7, Vec3::from_ints(4, 4, 1)),
    ];
    Scene { name, fixed, film: wander(&mut rng, &bodies, step) }
}

/// Twenty rows of metre cubes on a large ground box.
fn pyramid() -> Scene {
    let mut rng = Rng::new(2);
    let mut bodies = Vec::new();
    for row in 0..20 {
        for column in 0..20 - row {
            let x = Real::from_int(2 * column + row) * Real::ratio(53, 100);
            bodies.push((
                Vec3::new(x, Real::from_int(row) + Real::HALF, Real::ZERO),
                Vec3::splat(Real::ratio(13, 25)),
            ));
        }
    }
    let fixed = vec![cuboid(Vec3::from_ints(0, -1, 0), Vec3::from_ints(100, 1, 100))];
    let film = wander(&mut rng, &bodies, Real::ratio(1, 2000));
    Scene { name: "pyramid of 210 boxes on a 200 m ground", fixed, film }
}

/// A town of boxes, most of them without neighbours.
fn many_static() -> Scene {
    let mut rng = Rng::new(3);
    let mut place = |side: i32| {
        let mut on = || between(&mut rng, Real::from_int(-side), Real::from_int(side));
        Vec3::new(on(), on() * Real::ratio(1, 50), on())
    };
    let fixed = (0..20_000).map(|_| cuboid(place(250), Vec3::splat(Real::ratio(4, 5)))).collect();
    let bodies: Vec<_> = (0..100).map(|_| (place(250), Vec3::splat(real!(0.5)))).collect();
    let film = wander(&mut rng, &bodies, Real::ratio(1, 5));
    Scene { name: "20,000 static boxes beside 100 moving", fixed, film }
}

/// From 5 cm to 20 m, equally many per octave.
fn unequal() -> Scene {
    let mut rng = Rng::new(4);
    let bodies: Vec<_> = (0..600)
        .map(|i| {
            let half =
                Real::from_bits(Real::ratio(1, 40).to_bits() << (i % 9)).min(Real::from_int(10));
            let center = Vec3::ZERO.map(|_| between(&mut rng, real!(-40), real!(40)));
            (center, Vec3::splat(half))
        })
        .collect();
    let fixed = vec![cuboid(Vec3::from_ints(0, -41, 0), Vec3::from_ints(100, 1, 100))];
    let film = wander(&mut rng, &bodies, Real::ratio(1, 20));
    Scene { name: "600 bodies of 5 cm to 20 m", fixed, film }
}
