//! Mirror symmetry: rounding and the order of contacts prefer neither left nor right.

use super::common::{cube, ground, world};
use isostep_core::world::BodyDef;
use isostep_core::{Quat, Real, Rng, Vec3, real};

/// Mean displacement along x of a small random tower, or of its mirror image (x → −x).
fn drift(seed: u64, mirrored: bool) -> f64 {
    let mut rng = Rng::new(seed);
    let mut world = world();
    world.spawn(ground()).unwrap();
    let mut start = Vec::new();
    for i in 0..5 {
        let mut aside = |size: Real| rng.between(-size, size).unwrap();
        let (x, z) = (aside(Real::ratio(3, 10)), aside(Real::ratio(3, 10)));
        // Rotated about y. The mirror image rotates the other displacement.
        let turn = aside(real!(0.5));
        let sign = if mirrored { -Real::ONE } else { Real::ONE };
        let place = Vec3::new(x * sign, Real::ratio(505, 1000) * (2 * i + 1), z);
        let rotation = Quat::from_axis_angle(Vec3::Y, turn * sign).unwrap();
        let body = BodyDef::dynamic().at(place).rotated(rotation).shape(cube(Real::HALF));
        start.push((world.spawn(body).unwrap(), place));
    }
    for _ in 0..180 {
        world.step();
    }
    let displacements =
        start.iter().map(|(id, from)| world.body(*id).unwrap().position().x - from.x);
    displacements.map(Real::to_f64).sum::<f64>() / start.len() as f64
}

#[test]
fn towers_and_their_mirror_images_drift_the_same_way_on_average() {
    let pairs: Vec<_> = (0..100).map(|seed| (drift(seed, false), drift(seed, true))).collect();
    // Without a preferred side, the sum of both displacements is zero on average. A single tower falls differently if one bit
    // differs, so only the mean is meaningful. Three standard errors give a false alarm with 0.3 % probability; seeds are fixed, so
    // it fails always or never.
    let sums: Vec<f64> =
        pairs.iter().map(|(displacement, mirrored)| displacement + mirrored).collect();
    let count = sums.len() as f64;
    let mean = sums.iter().sum::<f64>() / count;
    let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let error = (variance / count).sqrt();
    let spread = (pairs.iter().map(|(displacement, _)| displacement * displacement).sum::<f64>()
        / count)
        .sqrt();
    println!("mean {mean:e} m, standard error {error:e} m, drift of one tower {spread:e} m");
    assert!(mean.abs() <= 3.0 * error, "mean {mean:e} m, standard error {error:e} m");
    // The towers do move, or the comparison would be void.
    assert!(spread > 0.01, "{spread}");
}
