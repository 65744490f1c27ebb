//! Inner loop of the solver, written once and instantiated for each width: the macro is invoked in a module that has the
//! operations of its lanes as `ops`. docs/solver.md has the equations and number formats.
//!
//! A pass over a contact solves friction first, then the normal rows in order, coupled inside the contact, then writes
//! both bodies once. Lanes have no branches: both results are computed and one is selected.
//!
//! Where the first body of every contact of a pack rests (`RESTS`), its half of the work is skipped: its motion, its
//! responses and its mass fraction are zero.

/// Instantiates the kernels; takes the attribute that enables an instruction set, if any.
macro_rules! kernels {
    ($(#[$feature:meta])?) => {
        use super::pack::{AngularPack, Eight, Eights, Pack, PointPack, RowPack, WIDTH, Slender};
        use super::quotients::{effective_masses, impulse_caps, invert, least_masses, portions, sliding_caps};
        use super::stage::Stage;
        use super::{Batch, COS_22, COS_45, SIN_22};
        use crate::math::Lane;
        use crate::step::constraint::{Motion, ONE_22, SPEED_CAP};
        use crate::step::rows::RowsMut;
        use core::ops::Range;
        use ops::{AT_ONCE, L, W, add, add_up, as_speed, as_unit, gather, half, if_positive, load, max, min, minus, odd, plus, round, scatter, splat, store, sub, wide};

        /// Facets of the polygon that bounds friction, see [`COS_22`]: the larger component, and half the distance along the oblique
        /// facets. Half, because the whole may not fit.
        $(#[$feature])?
        #[inline]
        fn facets([x, y]: [L<20>; 2]) -> [L<20>; 2] {
            let (x, y) = (abs(x), abs(y));
            let (most, least) = (max(x, y), min(x, y));
            let (a, b) = (half(most), half(least));
            let steep = round::<30, 20>(plus(plus(wide(), splat(COS_22), a), splat(SIN_22), b));
            [most, max(steep, times(splat(COS_45), add(a, b)))]
        }

        /// Bounds an impulse across a direction. `stopping` is the one that would stop the motion, `opposing` the last one with a change
        /// against the motion. Beyond the bound, friction opposes the motion, wherever the stopping impulse points. The change must not
        /// overshoot along any direction, or it adds energy: its factor is the least effective mass of all directions.
        $(#[$feature])?
        #[inline]
        fn bounded(stopping: [L<20>; 2], opposing: [L<20>; 2], bound: L<20>) -> [L<20>; 2] {
            let [most, oblique] = facets(stopping);
            let beyond = max(sub(most, bound), sub(oblique, half(bound)));
            let mut slides = Eight::default();
            store(&mut slides, 0, beyond);
            if slides.0[..AT_ONCE].iter().all(|beyond| *beyond <= 0) {
                return stopping;
            }
            let limited = limited(opposing, bound);
            [if_positive(beyond, limited[0], stopping[0]), if_positive(beyond, limited[1], stopping[1])]
        }

        /// Shortens impulses to the bound, with their direction. Not inlined, so that the pass needs fewer registers.
        $(#[$feature])?
        #[inline(never)]
        fn limited([x, y]: [L<20>; 2], bound: L<20>) -> [L<20>; 2] {
            let [most, oblique] = facets([x, y]);
            let mut sizes = [Eight::default(); 3];
            for (to, value) in sizes.iter_mut().zip([bound, most, oblique]) {
                store(to, 0, value);
            }
            let mut factor = Eight::default();
            portions::<AT_ONCE>(&sizes, &mut factor);
            let factor = load(&factor, 0);
            [times(factor, x), times(factor, y)]
        }

        $(#[$feature])?
        #[inline]
        fn slide<const RESTS: bool>(
            pack: &mut Pack,
            group: usize,
            bound: L<20>,
            a: &mut M,
            b: &mut M,
        ) {
            let apart = apart::<RESTS>(&a[0], &b[0]);
            let [t1, t2] = [load3(&pack.tangents[0], group), load3(&pack.tangents[1], group)];
            let sums = [plus_dot(wide(), &t1, &apart), plus_dot(wide(), &t2, &apart)];
            let v1 = spin::<RESTS>(sums[0], &pack.sliding[0], group, &a[1], &b[1]);
            let v2 = spin::<RESTS>(sums[1], &pack.sliding[1], group, &a[1], &b[1]);
            let [k11, k12, k22] = load3(&pack.sliding_inverse, group);
            let [old1, old2] =
                [load(&pack.sliding_impulse[0], group), load(&pack.sliding_impulse[1], group)];
            let wanted1 = sub(old1, round::<30, 20>(plus(plus(wide(), k11, v1), k12, v2)));
            let wanted2 = sub(old2, round::<30, 20>(plus(plus(wide(), k12, v1), k22, v2)));
            let least = load(&pack.least_sliding_mass, group);
            let opposing = [sub(old1, times(least, v1)), sub(old2, times(least, v2))];
            let [new1, new2] = bounded([wanted1, wanted2], opposing, bound);
            store(&mut pack.sliding_impulse[0], group, new1);
            store(&mut pack.sliding_impulse[1], group, new2);
            let (d1, d2) = (sub(new1, old1), sub(new2, old2));
            let mut push = [zero(); 3];
            for i in 0..3 {
                push[i] = round::<30, 20>(plus(plus(wide(), t1[i], d1), t2[i], d2));
            }
            push_both::<RESTS>(pack, group, &push, a, b);
            let mut turns = [[wide(); 3]; 2];
            turn::<RESTS>(&mut turns, &pack.sliding[0], group, d1);
            turn::<RESTS>(&mut turns, &pack.sliding[1], group, d2);
            turn_both::<RESTS>(&turns, a, b);
        }

        /// Solves the twist row, bounded by the normal impulse.
        $(#[$feature])?
        #[inline]
        fn twist<const RESTS: bool>(
            row: &mut AngularPack,
            group: usize,
            load_on_it: L<20>,
            a: &mut M,
            b: &mut M,
        ) {
            let bound = min(times(load(&row.friction, group), load_on_it), load(&row.cap, group));
            let speed = spin::<RESTS>(wide(), &row.row, group, &a[1], &b[1]);
            let old = load(&row.impulse, group);
            let impulse = clamp(sub(old, times(load(&row.effective_mass, group), speed)), bound);
            store(&mut row.impulse, group, impulse);
            let mut turns = [[wide(); 3]; 2];
            turn::<RESTS>(&mut turns, &row.row, group, sub(impulse, old));
            turn_both::<RESTS>(&turns, a, b);
        }

        /// Solves the two rolling rows, bounded together by the normal impulse.
        $(#[$feature])?
        #[inline]
        fn roll<const RESTS: bool>(
            [first, second]: &mut [AngularPack; 2],
            group: usize,
            load_on_it: L<20>,
            a: &mut M,
            b: &mut M,
        ) {
            let cap = min(load(&first.cap, group), load(&second.cap, group));
            let bound = min(times(load(&first.friction, group), load_on_it), cap);
            let v1 = spin::<RESTS>(wide(), &first.row, group, &a[1], &b[1]);
            let v2 = spin::<RESTS>(wide(), &second.row, group, &a[1], &b[1]);
            let [m1, m2] = [load(&first.effective_mass, group), load(&second.effective_mass, group)];
            let [old1, old2] = [load(&first.impulse, group), load(&second.impulse, group)];
            let stopping = [sub(old1, times(m1, v1)), sub(old2, times(m2, v2))];
            let least = min(m1, m2);
            let opposing = [sub(old1, times(least, v1)), sub(old2, times(least, v2))];
            let [new1, new2] = bounded(stopping, opposing, bound);
            store(&mut first.impulse, group, new1);
            store(&mut second.impulse, group, new2);
            let mut turns = [[wide(); 3]; 2];
            turn::<RESTS>(&mut turns, &first.row, group, sub(new1, old1));
            turn::<RESTS>(&mut turns, &second.row, group, sub(new2, old2));
            turn_both::<RESTS>(&turns, a, b);
        }

        /// Largest impulse that a relaxation pass takes back from a point: what push-out can have added. Otherwise a contact that
        /// is steep against its friction would give all its normal impulse back and keep the friction, and the body would gain
        /// energy. A substep's push-out impulse was scaled by the softness, which is at least ⅔.
        $(#[$feature])?
        #[inline]
        fn give_back(point: &PointPack, group: usize) -> L<20> {
            let push = load(&point.push, group);
            let pushed = add(load(&point.impulse, group), add(push, half(push)));
            min(load(&point.total, group), pushed)
        }

        /// Changes of the normal impulses by the part of the motion that all points of a contact share: all approach, or all
        /// separate, at least at this speed. It is stopped by equal impulses at all points. One point after the other would take
        /// up most of it with the first, and a box that lands flat on its face would spin.
        $(#[$feature])?
        #[inline]
        fn common_changes<const N: usize, const RELAX: bool>(
            pack: &Pack,
            points: &[PointPack; N],
            group: usize,
            speeds: &[L<20>; N],
            separations: &[L<20>; N],
        ) -> [L<20>; N] {
            let far = splat(Lane::from_bits(i32::MAX));
            let near = sub(zero(), far);
            let (mut slowest, mut fastest, mut highest, mut least) = (far, near, near, far);
            for j in 0..N {
                let mass = load(&points[j].effective_mass, group);
                let target = add(speeds[j], max(separations[j], zero()));
                slowest = min(slowest, if_positive(mass, target, far));
                fastest = max(fastest, if_positive(mass, target, near));
                highest = max(highest, if_positive(mass, separations[j], near));
                let most = if RELAX { give_back(&points[j], group) } else { load(&points[j].impulse, group) };
                least = min(least, if_positive(mass, most, far));
            }
            let target = add(max(slowest, zero()), min(fastest, zero()));
            let change = times(load(&pack.mean_effective_mass, group), sub(zero(), target));
            let change = if RELAX {
                let bouncing = if_positive(load(&pack.restitution, group), highest, zero());
                if_positive(bouncing, min(change, zero()), change)
            } else {
                if_positive(highest, change, times(load(&pack.softness, group), change))
            };
            let change = max(change, sub(zero(), least));
            let change = min(change, load(&pack.impulse_cap, group));
            let mut changes = [zero(); N];
            for j in 0..N {
                changes[j] = if_positive(load(&points[j].effective_mass, group), change, zero());
            }
            changes
        }

        /// Solves the normal rows of a pack whose contacts have at most `N` points.
        $(#[$feature])?
        #[inline]
        fn normals<const N: usize, const RELAX: bool, const RESTS: bool>(
            pack: &Pack,
            points: &mut [PointPack],
            group: usize,
            [displacement_a, displacement_b]: &[M; 2],
            a: &mut M,
            b: &mut M,
        ) {
            let Some(points) = points.first_chunk_mut::<N>() else { return };
            let normal = load3(&pack.normal, group);
            let along = |a: &M, b: &M| {
                round::<30, 20>(plus_dot(wide(), &normal, &apart::<RESTS>(&a[0], &b[0])))
            };
            let (along, displacement_along) = (along(a, b), along(displacement_a, displacement_b));
            let (mut speeds, mut separations) = ([zero(); N], [zero(); N]);
            for j in 0..N {
                let row = &points[j].row;
                speeds[j] = add(along, spin::<RESTS>(wide(), row, group, &a[1], &b[1]));
                separations[j] = add(
                    add(load(&points[j].separation, group), displacement_along),
                    spin::<RESTS>(wide(), row, group, &displacement_a[1], &displacement_b[1]),
                );
            }
            let mut shares = [zero(); N];
            if N > 1 {
                shares = common_changes::<N, RELAX>(pack, points, group, &speeds, &separations);
            }
            let mut common = zero();
            for j in 0..N {
                common = add(common, shares[j]);
            }
            let mut sum = common;
            let mut changes = [zero(); N];
            for j in 0..N {
                let point = &mut points[j];
                let mut coupled = wide();
                if N > 1 {
                    coupled = plus(coupled, load(&point.mean_coupling, group), common);
                }
                for i in 0..j {
                    coupled = plus(coupled, load(&point.coupling[i], group), changes[i]);
                }
                let mut speed = add(speeds[j], sum);
                if N > 1 {
                    speed = add(speed, round::<22, 20>(coupled));
                }
                let separation = separations[j];
                let target = add(speed, max(separation, zero()));
                let old = add(load(&point.impulse, group), shares[j]);
                let effective_mass = load(&point.effective_mass, group);
                let total = load(&point.total, group);
                let cap = load(&pack.impulse_cap, group);
                let (impulse, change, total) = if RELAX {
                    let change = sub(zero(), times(effective_mass, target));
                    let change = max(change, sub(zero(), add(give_back(point, group), shares[j])));
                    let change = min(change, sub(cap, shares[j]));
                    // A contact that is about to bounce must not be stopped in the substep before.
                    let bouncing =
                        if_positive(load(&pack.restitution, group), separation, zero());
                    let change = if_positive(bouncing, min(change, zero()), change);
                    // The change may exceed this row's last impulse.
                    let impulse = min(max(add(old, change), zero()), cap);
                    (impulse, change, add_up(total, add(change, shares[j])))
                } else {
                    // The sum of bias and relaxation term is limited, not the bias alone: so the load that a contact
                    // carries does not depend on its push-out speed.
                    let soft = load(&point.soft, group);
                    let bias = times(load(&pack.bias_rate, group), min(separation, zero()));
                    let preload = load(&point.preload, group);
                    let excess = sub(old, preload);
                    let kept = sub(excess, times(load(&pack.softness, group), excess));
                    let imbalance = add(times(soft, bias), kept);
                    let imbalance = max(imbalance, sub(zero(), load(&point.push, group)));
                    let gain = times(if_positive(separation, effective_mass, soft), target);
                    let wanted = sub(sub(old, gain), if_positive(separation, zero(), imbalance));
                    let impulse = min(max(wanted, zero()), cap);
                    // A load that is gone must not push any more, not even for the rest of the tick.
                    store(&mut point.preload, group, min(preload, impulse));
                    (impulse, sub(impulse, old), add_up(total, impulse))
                };
                store(&mut point.impulse, group, impulse);
                store(&mut point.total, group, total);
                changes[j] = change;
                sum = add(sum, change);
            }
            let mut push = [zero(); 3];
            for i in 0..3 {
                push[i] = times(normal[i], sum);
            }
            push_both::<RESTS>(pack, group, &push, a, b);
            for j in 0..N {
                changes[j] = add(changes[j], shares[j]);
            }
            // One component at a time: twelve sums at once need more registers than there are.
            for i in 0..3 {
                let (mut turn_a, mut turn_b) = (wide(), wide());
                for j in 0..N {
                    let [first, second] = &points[j].row.response;
                    if !RESTS {
                        turn_a = plus(turn_a, load(&first[i], group), changes[j]);
                    }
                    turn_b = plus(turn_b, load(&second[i], group), changes[j]);
                }
                if !RESTS {
                    a[1][i] = sub(a[1][i], round::<22, 20>(turn_a));
                }
                b[1][i] = add(b[1][i], round::<22, 20>(turn_b));
            }
        }

        /// Loads the motions of both bodies; zero for the first if it rests.
        $(#[$feature])?
        #[inline]
        fn load_both<const RESTS: bool>(from: &[Motion], pack: &Pack, group: usize) -> [M; 2] {
            let second = gather(from, &pack.bodies[1], group);
            [if RESTS { [[zero(); 3]; 2] } else { gather(from, &pack.bodies[0], group) }, second]
        }

        /// Clamps the components to the cap.
        $(#[$feature])?
        #[inline]
        fn capped(v: &V<20>) -> V<20> {
            let cap = splat(SPEED_CAP);
            [clamp(v[0], cap), clamp(v[1], cap), clamp(v[2], cap)]
        }

        /// Clamps a spin to the cap. In slender lanes its direction is kept: clamped by components, the spin of a needle
        /// about its long axis would become one across it, with far more energy.
        $(#[$feature])?
        #[inline]
        fn capped_spin(pack: &Pack, side: usize, group: usize, v: &V<20>) -> V<20> {
            if pack.slender.any[side] { slender_spin(pack, side, group, v) } else { capped(v) }
        }

        /// Clamped spin for packs with slender lanes. Not inlined, so that the pass needs fewer registers.
        $(#[$feature])?
        #[cold]
        #[inline(never)]
        fn slender_spin(pack: &Pack, side: usize, group: usize, v: &V<20>) -> V<20> {
            let slender = load(&pack.slender.lanes[side], group);
            let mut halved = *v;
            // Sums are below four times the cap.
            for _ in 0..2 {
                let most = max(max(abs(halved[0]), abs(halved[1])), abs(halved[2]));
                let beyond = if_positive(slender, sub(most, splat(SPEED_CAP)), zero());
                for i in 0..3 {
                    halved[i] = if_positive(beyond, half(halved[i]), halved[i]);
                }
            }
            capped(&halved)
        }

        /// Stores both motions, clamped to the cap.
        $(#[$feature])?
        #[inline]
        fn store_both<const RESTS: bool>(to: &mut [Motion], pack: &Pack, group: usize, a: &M, b: &M) {
            if !RESTS {
                let spin = capped_spin(pack, 0, group, &a[1]);
                scatter(to, &pack.bodies[0], group, [capped(&a[0]), spin]);
            }
            let spin = capped_spin(pack, 1, group, &b[1]);
            scatter(to, &pack.bodies[1], group, [capped(&b[0]), spin]);
        }

        /// Runs a Gauss-Seidel pass with soft contacts and bias.
        $(#[$feature])?
        pub(super) fn biased(batch: &mut Batch<'_>) {
            pass::<false>(batch);
        }

        /// Runs a relaxation pass without bias. It removes push-out speed, at most the impulse that was applied.
        $(#[$feature])?
        pub(super) fn relax(batch: &mut Batch<'_>) {
            pass::<true>(batch);
        }

        /// Runs one pass over all packs of a batch.
        $(#[$feature])?
        #[inline]
        fn pass<const RELAX: bool>(batch: &mut Batch<'_>) {
            let motions = &mut *batch.rows.motions;
            // Equal lengths, so that one bounds check serves both.
            let moved = &batch.rows.moved[..motions.len()];
            let (mut points, mut angular) = (&mut *batch.points, &mut *batch.angular);
            for pack in &mut *batch.packs {
                let Some(own) = points.split_off_mut(..pack.points as usize) else { return };
                let Some(turns) = angular.split_off_mut(..pack.angular as usize) else { return };
                for group in 0..WIDTH / AT_ONCE {
                    if pack.rests {
                        work::<RELAX, true>(pack, own, turns, group, motions, moved);
                    } else {
                        work::<RELAX, false>(pack, own, turns, group, motions, moved);
                    }
                }
            }
        }

        /// Runs a pass over one pack.
        $(#[$feature])?
        #[inline]
        fn work<const RELAX: bool, const RESTS: bool>(
            pack: &mut Pack,
            points: &mut [PointPack],
            angular: &mut [AngularPack],
            group: usize,
            motions: &mut [Motion],
            moved: &[Motion],
        ) {
            let [mut a, mut b] = load_both::<RESTS>(motions, pack, group);
            let displacements = load_both::<RESTS>(moved, pack, group);
            let mut on_it = zero();
            for point in points.iter() {
                on_it = add(on_it, load(&point.impulse, group));
            }
            let on_it = min(on_it, load(&pack.impulse_cap, group));
            let bound = min(times(load(&pack.friction, group), on_it), load(&pack.sliding_cap, group));
            slide::<RESTS>(pack, group, bound, &mut a, &mut b);
            if let Some((row, rolling)) = angular.split_first_mut() {
                twist::<RESTS>(row, group, on_it, &mut a, &mut b);
                if let Some(rows) = rolling.first_chunk_mut::<2>() {
                    roll::<RESTS>(rows, group, on_it, &mut a, &mut b);
                }
            }
            let (a_mut, b_mut) = (&mut a, &mut b);
            match points.len() {
                1 => normals::<1, RELAX, RESTS>(pack, points, group, &displacements, a_mut, b_mut),
                2 => normals::<2, RELAX, RESTS>(pack, points, group, &displacements, a_mut, b_mut),
                3 => normals::<3, RELAX, RESTS>(pack, points, group, &displacements, a_mut, b_mut),
                _ => normals::<4, RELAX, RESTS>(pack, points, group, &displacements, a_mut, b_mut),
            }
            store_both::<RESTS>(motions, pack, group, &a, &b);
        }

        /// Warm start: applies the final impulses of the last tick.
        $(#[$feature])?
        pub(super) fn warm_start(batch: &mut Batch<'_>) {
            let motions = &mut *batch.rows.motions;
            let (mut points, mut angular) = (&*batch.points, &*batch.angular);
            for pack in &*batch.packs {
                let Some(own) = points.split_off(..pack.points as usize) else { return };
                let Some(turns) = angular.split_off(..pack.angular as usize) else { return };
                for group in 0..WIDTH / AT_ONCE {
                    if pack.rests {
                        apply::<true>(pack, own, turns, group, motions);
                    } else {
                        apply::<false>(pack, own, turns, group, motions);
                    }
                }
            }
        }

        /// Applies the impulses of one pack.
        $(#[$feature])?
        #[inline]
        fn apply<const RESTS: bool>(
            pack: &Pack,
            points: &[PointPack],
            angular: &[AngularPack],
            group: usize,
            motions: &mut [Motion],
        ) {
            let [mut a, mut b] = load_both::<RESTS>(motions, pack, group);
            let [s1, s2] =
                [load(&pack.sliding_impulse[0], group), load(&pack.sliding_impulse[1], group)];
            let mut turns = [[wide(); 3]; 2];
            turn::<RESTS>(&mut turns, &pack.sliding[0], group, s1);
            turn::<RESTS>(&mut turns, &pack.sliding[1], group, s2);
            for row in angular {
                turn::<RESTS>(&mut turns, &row.row, group, load(&row.impulse, group));
            }
            let mut total = zero();
            for point in points {
                let impulse = load(&point.impulse, group);
                total = add(total, impulse);
                turn::<RESTS>(&mut turns, &point.row, group, impulse);
            }
            let normal = load3(&pack.normal, group);
            let [t1, t2] = [load3(&pack.tangents[0], group), load3(&pack.tangents[1], group)];
            let mut push = [zero(); 3];
            for i in 0..3 {
                let sum = plus(plus(wide(), normal[i], total), t1[i], s1);
                push[i] = round::<30, 20>(plus(sum, t2[i], s2));
            }
            push_both::<RESTS>(pack, group, &push, &mut a, &mut b);
            turn_both::<RESTS>(&turns, &mut a, &mut b);
            store_both::<RESTS>(motions, pack, group, &a, &b);
        }

        $(#[$feature])?
        pub(super) fn accelerate(rows: &mut RowsMut<'_>, members: Range<usize>) {
            rows.accelerate_plain(members);
        }

        $(#[$feature])?
        pub(super) fn carry(rows: &mut RowsMut<'_>, members: Range<usize>) {
            rows.carry_plain(members);
        }

        $(#[$feature])?
        pub(super) fn carry_on(rows: &mut RowsMut<'_>, members: Range<usize>) {
            rows.carry_on_plain(members);
        }

        $(#[$feature])?
        pub(super) fn advance(rows: &mut RowsMut<'_>, members: Range<usize>) {
            rows.advance_plain(members);
        }
    };
}

pub(super) use kernels;
