//! From what is staged of eight contacts to the rows of their pack: levers, responses, couplings. Like the passes, written
//! once and instantiated for each width, after them in the same module. Divisions come between the two halves, one by one.

/// Instantiates the kernels that make rows; takes the attribute that opens a processor's instructions, if any.
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

        /// a × b, made odd.
        $(#[$feature])?
        #[inline]
        fn lever(a: &V<30>, b: &V<30>) -> V<30> {
            let mut out = [zero(); 3];
            for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
                out[i] = odd(round::<30, 30>(minus(plus(wide(), a[j], b[k]), a[k], b[j])));
            }
            out
        }

        /// M·arm times the share of the mass, made odd.
        $(#[$feature])?
        #[inline]
        fn response(stage: &Stage, side: usize, group: usize, arm: &V<30>) -> V<22> {
            let share = load(&stage.shares[side], group);
            let mut out = [zero(); 3];
            for i in 0..3 {
                let row = load3(&stage.response[side][i], group);
                out[i] = odd(times(share, round::<30, 22>(plus_dot(wide(), &row, arm))));
            }
            out
        }

        $(#[$feature])?
        #[inline]
        fn fill_row(row: &mut RowPack, stage: &Stage, group: usize, arms: [V<30>; 2]) {
            for (side, arm) in arms.iter().enumerate() {
                store3(&mut row.arm[side], group, arm);
                store3(&mut row.response[side], group, &response(stage, side, group, arm));
            }
        }

        /// J·M·J of a row with itself or with another one.
        $(#[$feature])?
        #[inline]
        fn coupling(a: &RowPack, b: &RowPack, group: usize) -> L<22> {
            let part = |side: usize| {
                let (response, arm) = (load3(&a.response[side], group), load3(&b.arm[side], group));
                round::<30, 22>(plus_dot(wide(), &response, &arm))
            };
            add(part(0), part(1))
        }

        /// A row about `axis`, and J·M·J of it in the place of its factor.
        $(#[$feature])?
        #[inline]
        fn fill_turn(
            row: &mut AngularPack,
            stage: &Stage,
            group: usize,
            levers: &[Eight<30>; 2],
            axis: &V<30>,
        ) {
            let arm = |side: usize| {
                let lever = load(&levers[side], group);
                [
                    odd(times(lever, axis[0])),
                    odd(times(lever, axis[1])),
                    odd(times(lever, axis[2])),
                ]
            };
            fill_row(&mut row.row, stage, group, [arm(0), arm(1)]);
            store(&mut row.factor, group, as_unit(coupling(&row.row, &row.row, group)));
        }

        /// Makes the rows of a pack, with J·M·J where factors belong.
        $(#[$feature])?
        pub(super) fn make_rows(
            pack: &mut Pack,
            points: &mut [PointPack],
            angular: &mut [AngularPack],
            stage: &Stage,
        ) {
            for group in 0..WIDTH / AT_ONCE {
                let normal = odd3(&load3(&pack.normal, group));
                let [t1, t2] =
                    [odd3(&load3(&pack.tangents[0], group)), odd3(&load3(&pack.tangents[1], group))];
                store3(&mut pack.normal, group, &normal);
                store3(&mut pack.tangents[0], group, &t1);
                store3(&mut pack.tangents[1], group, &t2);
                let friction = odd(load(&pack.friction, group));
                store(&mut pack.friction, group, friction);
                let mut largest = zero();
                for j in 0..points.len() {
                    let (before, from) = points.split_at_mut(j);
                    let point = &mut from[0];
                    let arms = [
                        lever(&load3(&stage.arms[j][0], group), &normal),
                        lever(&load3(&stage.arms[j][1], group), &normal),
                    ];
                    fill_row(&mut point.row, stage, group, arms);
                    for (i, other) in before.iter().enumerate() {
                        let between = odd(coupling(&other.row, &point.row, group));
                        store(&mut point.coupling[i], group, between);
                    }
                    let own = add(splat(ONE_22), coupling(&point.row, &point.row, group));
                    store(&mut point.factor, group, as_unit(own));
                    store(&mut point.total, group, zero());
                    for response in &point.row.response {
                        for i in 0..3 {
                            let value = load(&response[i], group);
                            largest = max(largest, max(value, sub(zero(), value)));
                        }
                    }
                }
                store(&mut pack.impulse_cap, group, as_speed(largest));
                let center = [load3(&stage.center[0], group), load3(&stage.center[1], group)];
                for (row, t) in pack.sliding.iter_mut().zip([&t1, &t2]) {
                    fill_row(row, stage, group, [lever(&center[0], t), lever(&center[1], t)]);
                }
                let [s1, s2] = &pack.sliding;
                let k11 = add(splat(ONE_22), coupling(s1, s1, group));
                let k12 = coupling(s1, s2, group);
                let k22 = add(splat(ONE_22), coupling(s2, s2, group));
                store3(&mut pack.sliding_inverse, group, &[as_unit(k11), as_unit(k12), as_unit(k22)]);
                let old = load3(&stage.friction, group);
                for (impulse, t) in pack.sliding_impulse.iter_mut().zip([&t1, &t2]) {
                    store(impulse, group, round::<30, 20>(plus_dot(wide(), t, &old)));
                }
                let old = load3(&stage.rolling, group);
                for (j, row) in angular.iter_mut().enumerate() {
                    let (levers, axis) = match j {
                        0 => (&stage.twist, &normal),
                        1 => (&stage.roll, &t1),
                        _ => (&stage.roll, &t2),
                    };
                    fill_turn(row, stage, group, levers, axis);
                    let friction = odd(load(&row.friction, group));
                    store(&mut row.friction, group, friction);
                    if j > 0 {
                        store(&mut row.impulse, group, round::<30, 20>(plus_dot(wide(), axis, &old)));
                    }
                }
            }
        }

        /// What follows from the factors.
        $(#[$feature])?
        pub(super) fn soften(pack: &Pack, points: &mut [PointPack], push: Q20) {
            for group in 0..WIDTH / AT_ONCE {
                let softness = load(&pack.softness, group);
                for point in points.iter_mut() {
                    let soft = times(softness, load(&point.factor, group));
                    store(&mut point.soft, group, soft);
                    store(&mut point.push, group, times(soft, splat(push)));
                }
            }
        }
    };
}

pub(super) use row_kernels;
