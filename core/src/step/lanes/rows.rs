//! Rows of a pack from the staged inputs of eight contacts: angular Jacobians, responses, couplings. Like the passes,
//! written once and instantiated for each width, after them in the same module. Where the first body of every contact
//! rests (`RESTS`), its Jacobians may be zero, as its responses are: they are only multiplied by its motion.

/// Instantiates the row kernels; takes the attribute that enables an instruction set, if any.
macro_rules! row_kernels {
    ($(#[$feature:meta])?) => {
        $(#[$feature])?
        #[inline]
        fn store3<const F: u32>(to: &mut Eights<F>, group: usize, value: &V<F>) {
            for i in 0..3 {
                store(&mut to[i], group, value[i]);
            }
        }

        $(#[$feature])?
        #[inline]
        fn odd3<const F: u32>(v: &V<F>) -> V<F> {
            [odd(v[0]), odd(v[1]), odd(v[2])]
        }

        /// Returns a × b, made odd.
        $(#[$feature])?
        #[inline]
        fn angular_jacobian(a: &V<30>, b: &V<30>) -> V<30> {
            let mut out = [zero(); 3];
            for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
                out[i] = odd(round::<30, 30>(minus(plus(wide(), a[j], b[k]), a[k], b[j])));
            }
            out
        }

        /// Returns M·arm times the mass fraction, made odd.
        $(#[$feature])?
        #[inline]
        fn response(
            among: &Slender,
            stage: &Stage,
            side: usize,
            group: usize,
            arm: &V<30>,
        ) -> V<22> {
            if among.any[side] {
                return slender_response(among, stage, side, group, arm);
            }
            let mass_fraction = load(&stage.mass_fractions[side], group);
            let mut out = [zero(); 3];
            for i in 0..3 {
                let row = load3(&stage.inertia[side][i], group);
                out[i] = odd(times(mass_fraction, round::<30, 22>(plus_dot(wide(), &row, arm))));
            }
            out
        }

        /// Response for packs in which some lanes have the root W of M: W·(Wᵀ·arm) there. The other lanes get the same
        /// bits as in a pack without slender bodies. Not inlined, so that the response of all others is.
        $(#[$feature])?
        #[cold]
        #[inline(never)]
        fn slender_response(
            among: &Slender,
            stage: &Stage,
            side: usize,
            group: usize,
            arm: &V<30>,
        ) -> V<22> {
            let mass_fraction = load(&stage.mass_fractions[side], group);
            let slender = load(&among.lanes[side], group);
            let rows = &stage.inertia[side];
            let rows = [load3(&rows[0], group), load3(&rows[1], group), load3(&rows[2], group)];
            let limit = load3(&stage.limit[side], group);
            let (mut plain, mut quarter) = ([zero(); 3], [zero(); 3]);
            for i in 0..3 {
                plain[i] = if_positive(slender, zero(), arm[i]);
                quarter[i] = half(half(arm[i]));
            }
            // Wᵀ·arm in Q20, from a quarter of the arm: it may exceed what Q22 has room for before it is clamped.
            let mut seen: V<20> = [zero(); 3];
            for k in 0..3 {
                let sum = plus(plus(wide(), rows[0][k], quarter[0]), rows[1][k], quarter[1]);
                seen[k] = clamp(round::<30, 20>(plus(sum, rows[2][k], quarter[2])), limit[k]);
            }
            let mut out = [zero(); 3];
            for i in 0..3 {
                let matrix = round::<30, 22>(plus_dot(wide(), &rows[i], &plain));
                // Q22 times Q20 by 22 bits is Q20.
                let root: L<22> = round::<22, 22>(plus_dot(wide(), &rows[i], &seen));
                let root = add(root, root);
                out[i] = odd(times(mass_fraction, add(matrix, add(root, root))));
            }
            out
        }

        $(#[$feature])?
        #[inline]
        fn fill_row<const RESTS: bool>(
            row: &mut RowPack,
            among: &Slender,
            stage: &Stage,
            group: usize,
            arms: [V<30>; 2],
        ) {
            for (side, arm) in arms.iter().enumerate() {
                let rests = RESTS && side == 0;
                let response = if rests { [zero(); 3] } else { response(among, stage, side, group, arm) };
                store3(&mut row.arm[side], group, arm);
                store3(&mut row.response[side], group, &response);
            }
        }

        /// Angular Jacobians of a row at these arms along a direction.
        $(#[$feature])?
        #[inline]
        fn angular_jacobians<const RESTS: bool>(
            places: &[Eights<30>; 2],
            group: usize,
            direction: &V<30>,
        ) -> [V<30>; 2] {
            let second = angular_jacobian(&load3(&places[1], group), direction);
            [if RESTS { [zero(); 3] } else { angular_jacobian(&load3(&places[0], group), direction) }, second]
        }

        /// Coupling J·M·J of a row with itself or with another one.
        $(#[$feature])?
        #[inline]
        fn coupling<const RESTS: bool>(a: &RowPack, b: &RowPack, group: usize) -> L<22> {
            let part = |side: usize| {
                let (response, arm) = (load3(&a.response[side], group), load3(&b.arm[side], group));
                round::<30, 22>(plus_dot(wide(), &response, &arm))
            };
            if RESTS { part(1) } else { add(part(0), part(1)) }
        }

        /// Largest component of a row's responses, and of `largest`.
        $(#[$feature])?
        #[inline]
        fn largest_response<const RESTS: bool>(largest: L<22>, row: &RowPack, group: usize) -> L<22> {
            let mut largest = largest;
            for response in &row.response[usize::from(RESTS)..] {
                for i in 0..3 {
                    let value = load(&response[i], group);
                    largest = max(largest, max(value, sub(zero(), value)));
                }
            }
            largest
        }

        /// Fills a row about `axis`, with J·M·J in the field of its effective mass and the largest response in that of its cap.
        $(#[$feature])?
        #[inline]
        fn fill_turn<const RESTS: bool>(
            row: &mut AngularPack,
            among: &Slender,
            stage: &Stage,
            group: usize,
            radii: &[Eight<30>; 2],
            axis: &V<30>,
        ) {
            let arm = |side: usize| {
                let radius = load(&radii[side], group);
                [
                    odd(times(radius, axis[0])),
                    odd(times(radius, axis[1])),
                    odd(times(radius, axis[2])),
                ]
            };
            let arms = [if RESTS { [zero(); 3] } else { arm(0) }, arm(1)];
            fill_row::<RESTS>(&mut row.row, among, stage, group, arms);
            store(&mut row.effective_mass, group, as_unit(coupling::<RESTS>(&row.row, &row.row, group)));
            store(&mut row.cap, group, as_speed(largest_response::<RESTS>(zero(), &row.row, group)));
        }

        /// Computes the rows of a pack.
        $(#[$feature])?
        pub(super) fn make_rows(
            pack: &mut Pack,
            points: &mut [PointPack],
            angular: &mut [AngularPack],
            stage: &Stage,
        ) {
            for group in 0..WIDTH / AT_ONCE {
                if pack.rests {
                    fill::<true>(pack, points, angular, stage, group);
                } else {
                    fill::<false>(pack, points, angular, stage, group);
                }
            }
            divide(pack, points, angular);
            finish(pack, points, angular);
        }

        /// Fills the rows of a pack, with J·M·J in the fields of the effective masses.
        $(#[$feature])?
        #[inline]
        fn fill<const RESTS: bool>(
            pack: &mut Pack,
            points: &mut [PointPack],
            angular: &mut [AngularPack],
            stage: &Stage,
            group: usize,
        ) {
            let among = pack.slender;
            let normal = odd3(&load3(&pack.normal, group));
            let [t1, t2] =
                [odd3(&load3(&pack.tangents[0], group)), odd3(&load3(&pack.tangents[1], group))];
            store3(&mut pack.normal, group, &normal);
            store3(&mut pack.tangents[0], group, &t1);
            store3(&mut pack.tangents[1], group, &t2);
            let friction = odd(load(&pack.friction, group));
            store(&mut pack.friction, group, friction);
            let mut mean = RowPack::default();
            let arms = angular_jacobians::<RESTS>(&stage.center, group, &normal);
            fill_row::<RESTS>(&mut mean, &among, stage, group, arms);
            let own = add(splat(ONE_22), coupling::<RESTS>(&mean, &mean, group));
            store(&mut pack.mean_effective_mass, group, as_unit(own));
            let mut largest = zero();
            for j in 0..points.len() {
                let (before, from) = points.split_at_mut(j);
                let point = &mut from[0];
                let arms = angular_jacobians::<RESTS>(&stage.arms[j], group, &normal);
                fill_row::<RESTS>(&mut point.row, &among, stage, group, arms);
                for (i, other) in before.iter().enumerate() {
                    let between = odd(coupling::<RESTS>(&other.row, &point.row, group));
                    store(&mut point.coupling[i], group, between);
                }
                let with_mean = odd(coupling::<RESTS>(&mean, &point.row, group));
                store(&mut point.mean_coupling, group, with_mean);
                let own = add(splat(ONE_22), coupling::<RESTS>(&point.row, &point.row, group));
                store(&mut point.effective_mass, group, as_unit(own));
                store(&mut point.total, group, zero());
                largest = largest_response::<RESTS>(largest, &point.row, group);
            }
            store(&mut pack.impulse_cap, group, as_speed(largest));
            for (row, t) in pack.sliding.iter_mut().zip([&t1, &t2]) {
                let arms = angular_jacobians::<RESTS>(&stage.center, group, t);
                fill_row::<RESTS>(row, &among, stage, group, arms);
            }
            let [s1, s2] = &pack.sliding;
            let largest = largest_response::<RESTS>(zero(), s1, group);
            let largest = largest_response::<RESTS>(largest, s2, group);
            store(&mut pack.sliding_cap, group, as_speed(largest));
            let k11 = add(splat(ONE_22), coupling::<RESTS>(s1, s1, group));
            let k12 = coupling::<RESTS>(s1, s2, group);
            let k22 = add(splat(ONE_22), coupling::<RESTS>(s2, s2, group));
            store3(&mut pack.sliding_inverse, group, &[as_unit(k11), as_unit(k12), as_unit(k22)]);
            let old = load3(&stage.friction, group);
            for (impulse, t) in pack.sliding_impulse.iter_mut().zip([&t1, &t2]) {
                store(impulse, group, round::<30, 20>(plus_dot(wide(), t, &old)));
            }
            let old = load3(&stage.rolling, group);
            for (j, row) in angular.iter_mut().enumerate() {
                let (radii, axis) = match j {
                    0 => (&stage.twist, &normal),
                    1 => (&stage.roll, &t1),
                    _ => (&stage.roll, &t2),
                };
                fill_turn::<RESTS>(row, &among, stage, group, radii, axis);
                let friction = odd(load(&row.friction, group));
                store(&mut row.friction, group, friction);
                if j > 0 {
                    store(&mut row.impulse, group, round::<30, 20>(plus_dot(wide(), axis, &old)));
                }
            }
        }

        /// Replaces J·M·J by the effective masses, without making them odd.
        $(#[$feature])?
        #[inline]
        fn divide(pack: &mut Pack, points: &mut [PointPack], angular: &mut [AngularPack]) {
            for (point, j) in points.iter_mut().zip(0..) {
                let effective_masses = effective_masses(&point.effective_mass.0);
                for lane in 0..WIDTH {
                    point.effective_mass.0[lane] = if j < pack.counts[lane] { effective_masses[lane] } else { 0 };
                }
            }
            let effective_masses_of_means = effective_masses(&pack.mean_effective_mass.0);
            for lane in 0..WIDTH {
                let (mass, count) = (effective_masses_of_means[lane], pack.counts[lane]);
                pack.mean_effective_mass.0[lane] = if count > 1 { mass / i32::from(count) } else { 0 };
            }
            for row in &mut *angular {
                let effective_masses = effective_masses(&row.effective_mass.0);
                for lane in 0..WIDTH {
                    row.effective_mass.0[lane] = if row.effective_mass.0[lane] == 0 { 0 } else { effective_masses[lane] };
                }
                row.cap.0 = impulse_caps(&row.cap.0);
            }
            pack.least_sliding_mass.0 = least_masses(&pack.sliding_inverse);
            invert(&mut pack.sliding_inverse);
            pack.impulse_cap.0 = impulse_caps(&pack.impulse_cap.0);
            pack.sliding_cap.0 = sliding_caps(&pack.sliding_cap.0);
        }

        /// Makes effective masses odd, and computes the values that depend on them. Limits the impulses of the last tick to this tick's
        /// caps: the rows may have turned since.
        $(#[$feature])?
        #[inline]
        fn finish(pack: &mut Pack, points: &mut [PointPack], angular: &mut [AngularPack]) {
            for group in 0..WIDTH / AT_ONCE {
                let softness = load(&pack.softness, group);
                let mean_effective_mass = odd(load(&pack.mean_effective_mass, group));
                store(&mut pack.mean_effective_mass, group, mean_effective_mass);
                for point in points.iter_mut() {
                    let effective_mass = odd(load(&point.effective_mass, group));
                    let soft = times(softness, effective_mass);
                    store(&mut point.effective_mass, group, effective_mass);
                    store(&mut point.soft, group, soft);
                    let push = times(soft, load(&point.push, group));
                    store(&mut point.push, group, push);
                    let impulse = min(load(&point.impulse, group), load(&pack.impulse_cap, group));
                    store(&mut point.impulse, group, impulse);
                    let preload = min(load(&point.preload, group), impulse);
                    store(&mut point.preload, group, preload);
                }
                for row in angular.iter_mut() {
                    let effective_mass = odd(load(&row.effective_mass, group));
                    store(&mut row.effective_mass, group, effective_mass);
                    let impulse = clamp(load(&row.impulse, group), load(&row.cap, group));
                    store(&mut row.impulse, group, impulse);
                }
                for impulse in &mut pack.sliding_impulse {
                    let limited = clamp(load(impulse, group), load(&pack.sliding_cap, group));
                    store(impulse, group, limited);
                }
                let least = odd(load(&pack.least_sliding_mass, group));
                store(&mut pack.least_sliding_mass, group, least);
                let inverse = odd3(&load3(&pack.sliding_inverse, group));
                store3(&mut pack.sliding_inverse, group, &inverse);
            }
        }
    };
}

pub(super) use row_kernels;
