//! Rays that every state is asked for: from some bodies to others, so that they follow from the state alone.

use isostep_core::world::{Body, BodyId, Past, QueryFilter, RayHit, World};
use isostep_core::{Real, Vec3};

/// Results of rays.
pub(crate) type Hits = Vec<Option<RayHit>>;

const RAYS: usize = 5;

/// Casts the rays in a world with the commands of the present tick.
pub(crate) fn now(world: &World) -> Hits {
    cast(world.bodies(), |from, along, filter| world.cast_ray(from, along, filter))
}

/// Casts the rays at a held tick.
pub(crate) fn then(past: Past<'_>) -> Hits {
    cast(past.bodies(), |from, along, filter| past.cast_ray(from, along, filter))
}

fn cast<'a>(
    bodies: impl Iterator<Item = (BodyId, Body<'a>)>,
    cast: impl Fn(Vec3, Vec3, &QueryFilter) -> Option<RayHit>,
) -> Hits {
    let bodies: Vec<_> = bodies.map(|(id, body)| (id, body.position())).collect();
    let rays = (0..RAYS).filter_map(|ray| {
        let at = |place: usize| bodies.get(place.checked_rem(bodies.len())?);
        let (&(from, origin), &(_, target)) = (at(ray * 7 + 2)?, at(ray * 5 + 1)?);
        let toward = target.zip(origin, Real::saturating_sub);
        // Twice as far, so that it may hit what is behind.
        let along = toward.zip(toward, Real::saturating_add);
        let filter = QueryFilter::default().exclude(from);
        Some(cast(origin, along, &if ray % 2 == 0 { filter } else { filter.sensors() }))
    });
    rays.collect()
}
