//! Vectors, rows and impulses of lanes: the operations that passes and rows share. Written once and instantiated for each
//! width, in the same module as the kernels.

/// Instantiates the operations on vectors; takes the attribute that enables an instruction set, if any.
macro_rules! vector_kernels {
    ($(#[$feature:meta])?) => {
        type V<const F: u32> = [L<F>; 3];
        /// Velocity and spin.
        type M = [V<20>; 2];

        $(#[$feature])?
        #[inline]
        fn zero<const F: u32>() -> L<F> {
            splat(Lane::ZERO)
        }

        $(#[$feature])?
        #[inline]
        fn load3<const F: u32>(from: &Eights<F>, group: usize) -> V<F> {
            [load(&from[0], group), load(&from[1], group), load(&from[2], group)]
        }

        $(#[$feature])?
        #[inline]
        fn sub3(a: &V<20>, b: &V<20>) -> V<20> {
            [sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2])]
        }

        /// Returns the second body's part minus the first's.
        $(#[$feature])?
        #[inline]
        fn apart<const RESTS: bool>(a: &V<20>, b: &V<20>) -> V<20> {
            if RESTS { *b } else { sub3(b, a) }
        }

        $(#[$feature])?
        #[inline]
        fn plus_dot<const F: u32, const G: u32>(sum: W, a: &V<F>, b: &V<G>) -> W {
            plus(plus(plus(sum, a[0], b[0]), a[1], b[1]), a[2], b[2])
        }

        $(#[$feature])?
        #[inline]
        fn minus_dot<const F: u32, const G: u32>(sum: W, a: &V<F>, b: &V<G>) -> W {
            minus(minus(minus(sum, a[0], b[0]), a[1], b[1]), a[2], b[2])
        }

        /// Multiplies a value by a unit-format factor.
        $(#[$feature])?
        #[inline]
        fn times<const F: u32>(factor: L<30>, value: L<F>) -> L<F> {
            round::<30, F>(plus(wide(), factor, value))
        }

        $(#[$feature])?
        #[inline]
        fn clamp(value: L<20>, limit: L<20>) -> L<20> {
            max(min(value, limit), sub(zero(), limit))
        }

        $(#[$feature])?
        #[inline]
        fn abs(value: L<20>) -> L<20> {
            max(value, sub(zero(), value))
        }

        /// Relative angular velocity along a row: the second body's part minus the first's, added to `sum`.
        $(#[$feature])?
        #[inline]
        fn spin<const RESTS: bool>(
            sum: W,
            row: &RowPack,
            group: usize,
            a: &V<20>,
            b: &V<20>,
        ) -> L<20> {
            let mut sum = plus_dot(sum, &load3(&row.arm[1], group), b);
            if !RESTS {
                sum = minus_dot(sum, &load3(&row.arm[0], group), a);
            }
            round::<30, 20>(sum)
        }

        /// Adds a row's responses times an impulse to the sums of both bodies.
        $(#[$feature])?
        #[inline]
        fn turn<const RESTS: bool>(
            turns: &mut [[W; 3]; 2],
            row: &RowPack,
            group: usize,
            impulse: L<20>,
        ) {
            for i in 0..3 {
                if !RESTS {
                    turns[0][i] = plus(turns[0][i], load(&row.response[0][i], group), impulse);
                }
                turns[1][i] = plus(turns[1][i], load(&row.response[1][i], group), impulse);
            }
        }

        /// Applies the angular impulses: subtracts the first body's sum of responses, adds the second's.
        $(#[$feature])?
        #[inline]
        fn turn_both<const RESTS: bool>(turns: &[[W; 3]; 2], a: &mut M, b: &mut M) {
            for i in 0..3 {
                if !RESTS {
                    a[1][i] = sub(a[1][i], round::<22, 20>(turns[0][i]));
                }
                b[1][i] = add(b[1][i], round::<22, 20>(turns[1][i]));
            }
        }

        /// Applies a linear impulse: the first body gets its mass fraction of −push, the second the rest of +push.
        $(#[$feature])?
        #[inline]
        fn push_both<const RESTS: bool>(
            pack: &Pack,
            group: usize,
            push: &V<20>,
            a: &mut M,
            b: &mut M,
        ) {
            for i in 0..3 {
                if RESTS {
                    b[0][i] = add(b[0][i], push[i]);
                } else {
                    let first = times(load(&pack.mass_fraction, group), push[i]);
                    a[0][i] = sub(a[0][i], first);
                    b[0][i] = add(b[0][i], sub(push[i], first));
                }
            }
        }
    };
}

pub(super) use vector_kernels;
