//! Box against box: separating axis test, then the clipped face or the pair of edges along the axis of least overlap.
//!
//! Coordinates have 32 bits with up to 28 fractional ones, chosen by the sizes of the pair. 1 m boxes have 27 (7 nm), 100 m
//! boxes 19 (2 µm), a 1 m box on a 4 km one 26, because the large one is cropped first. Only two huge boxes, or a small one deep
//! inside a huge one, have as few as 14 (61 µm).

use crate::collide::clip::{Corner, Polygon, clip_to_face};
use crate::collide::crop::crop;
use crate::collide::frame::{
    self, Raw, Rotation, UNIT, Unit, add, axis, to_local, to_world, unit_of,
};
use crate::collide::reduce::choose;
use crate::collide::sat::{
    Boxes, Edges, Face, Least, Short, column, dot, face_separation, is_shallow, least_overlap,
    product, round,
};
use crate::collide::scale::Scale;
use crate::collide::{Manifold, Pair, Point, face_preference, grazing_depth};
use crate::math::length_squared;
use crate::shape::Cuboid;

/// Cosine of 6°: a face may replace a pair of edges whose normal is within this angle of the face normal.
const ALIGNED: i32 = ((995_i64 << UNIT) / 1000) as i32;

/// Computes the manifold of two boxes.
pub(super) fn cuboids(pair: &Pair, a: Cuboid, b: Cuboid) -> Manifold {
    if comes_first(a, b) {
        manifold(pair, a, b)
    } else {
        manifold(&pair.swapped(), b, a).swapped(pair.delta)
    }
}

/// Axis along which the boxes are furthest apart, of those that the manifold search tests, and that distance. `None` if it exceeds
/// the margin.
pub(super) fn gap(pair: &Pair, a: Cuboid, b: Cuboid) -> Option<(Unit, i64)> {
    if !comes_first(a, b) {
        return gap(&pair.swapped(), b, a).map(|(normal, gap)| (normal.map(|c| -c), gap));
    }
    search(pair, a, b).map(|search| search.contact(pair).widest(&search.least))
}

/// The larger box is first, because it is the one that can be cropped.
fn comes_first(a: Cuboid, b: Cuboid) -> bool {
    a.half == b.half || length_squared(a.half.to_bits()) >= length_squared(b.half.to_bits())
}

fn manifold(pair: &Pair, a: Cuboid, b: Cuboid) -> Manifold {
    let Some(mut search) = search(pair, a, b) else { return Manifold::default() };
    let displacement = pair.displacement;
    if displacement != [0; 3] && (search.least.grazed.is_some() || !search.least.edges_win) {
        search.least.grazed =
            search.face_overlapped_before(pair, displacement).or(search.least.grazed);
    }
    if displacement != [0; 3] && search.least.grazed.is_none() {
        search.least.grazed = search.face_passed(pair, displacement);
    }
    search.contact(pair).resolve(&search.least).unwrap_or_default()
}

/// Two boxes in coordinates that fit them, and their axis of least overlap.
struct Search {
    boxes: Boxes,
    scale: Scale,
    crop_offset: Raw,
    least: Least,
}

impl Search {
    /// Face of least overlap among those along which the boxes overlap slightly and already overlapped one displacement earlier.
    /// `None` unless the boxes were apart along the best face then.
    fn face_overlapped_before(&self, pair: &Pair, displacement: Raw) -> Option<Face> {
        let best = self.least.face;
        if !is_shallow(&self.boxes, self.least.face_separation.min(0)) {
            return None;
        }
        let apart_before = |face: Face, separation: i32| {
            let closing = self.closing(pair, face, displacement);
            i128::from(self.scale.widen(separation)) << UNIT > -closing
        };
        if !apart_before(best, self.least.face_separation) {
            return None;
        }
        let shallow = self.faces().filter(|&(face, separation)| {
            is_shallow(&self.boxes, separation) && !apart_before(face, separation)
        });
        // Among equal separations, the first face.
        shallow.rev().max_by_key(|(_, separation)| *separation).map(|(face, _)| face)
    }

    /// Face along which the boxes are apart by less than the grazing depth, if they move by less than that along it in a tick, and are
    /// further apart along the best face. A box that lands on tiles passes over the side of the next one so.
    fn face_passed(&self, pair: &Pair, displacement: Raw) -> Option<Face> {
        let depth = self.boxes.graze;
        let passed = self.faces().filter(|&(face, separation)| {
            let moved = self.closing(pair, face, displacement).abs();
            0 < separation
                && separation < depth.min(self.least.face_separation)
                && moved < i128::from(self.scale.widen(depth)) << UNIT
        });
        passed.rev().min_by_key(|(_, separation)| *separation).map(|(face, _)| face)
    }

    /// All faces, with the separations along them.
    fn faces(&self) -> impl DoubleEndedIterator<Item = (Face, i32)> {
        let sizes = self.boxes.turn.map(|row| row.map(i32::abs));
        let all = (0..6).map(|i| Face { owner: i / 3, axis: i % 3 });
        all.map(move |face| (face, face_separation(&self.boxes, &sizes, face)))
    }

    /// Distance by which a displacement moves the boxes towards each other along a face, with [`UNIT`] more fractional bits.
    fn closing(&self, pair: &Pair, Face { owner, axis }: Face, displacement: Raw) -> i128 {
        let rotation = if owner == 0 { &pair.turn_a } else { &pair.turn_b };
        let direction = frame::axis(rotation, axis);
        let along: i128 =
            (0..3).map(|i| i128::from(direction[i]) * i128::from(displacement[i])).sum();
        if self.boxes.offset[owner][axis] < 0 { along } else { -along }
    }

    fn contact<'a>(&'a self, pair: &'a Pair) -> Contact<'a> {
        let &Self { ref boxes, scale, crop_offset, .. } = self;
        Contact { pair, boxes, scale, crop_offset }
    }
}

fn search(pair: &Pair, a: Cuboid, b: Cuboid) -> Option<Search> {
    let (half_a, half_b) = (a.half.to_bits(), b.half.to_bits());
    let radius = pair.extents[1].radius()?.to_bits();
    let center = to_local(&pair.turn_a, pair.delta);
    let reach = radius + pair.margin.max(0);
    if (0..3).any(|k| center[k].abs() > half_a[k] + reach) {
        return None;
    }
    let cropped = crop(half_a, center, reach);
    let scale = Scale::fitting(cropped.most, half_b, reach);
    let thickness = half_a.into_iter().chain(half_b).fold(i64::MAX, i64::min);
    let turn: [[i32; 3]; 3] = core::array::from_fn(|i| {
        core::array::from_fn(|j| frame::cosine(axis(&pair.turn_a, i), axis(&pair.turn_b, j)))
    });
    let offset: Short = core::array::from_fn(|k| scale.narrow(center[k] - cropped.offset[k]));
    let boxes = Boxes {
        half: [cropped.half, half_b].map(|half| half.map(|h| scale.narrow(h))),
        offset: [offset, core::array::from_fn(|j| dot(column(&turn, j), offset))],
        turn,
        margin: scale.narrow(pair.margin),
        preference: scale.narrow(face_preference(thickness)),
        graze: scale.narrow(grazing_depth(thickness)),
    };
    let least = least_overlap(&boxes)?;
    Some(Search { boxes, scale, crop_offset: cropped.offset, least })
}

struct Contact<'a> {
    pair: &'a Pair,
    boxes: &'a Boxes,
    scale: Scale,
    crop_offset: Raw,
}

impl Contact<'_> {
    fn widest(&self, least: &Least) -> (Unit, i64) {
        let Face { owner, axis } = least.face;
        let wider = |edges: &Edges| edges.separation > i64::from(least.face_separation);
        if let Some(edges) = least.edges.filter(wider)
            && let Some(normal) = self.edge_normal(&edges)
        {
            let normal = frame::unit_to_world(&self.pair.turn_a, normal);
            return (normal, edges.separation << self.scale.shift);
        }
        let rotation = if owner == 0 { &self.pair.turn_a } else { &self.pair.turn_b };
        let side = if self.boxes.offset[owner][axis] < 0 { -1 } else { 1 };
        let normal = frame::axis(rotation, axis).map(|c| side * c);
        (normal, self.scale.widen(least.face_separation))
    }

    /// Normal perpendicular to both edges, from the first box to the second, in the first one's frame.
    fn edge_normal(&self, &Edges { first, second, .. }: &Edges) -> Option<Unit> {
        let boxes = self.boxes;
        let (i1, i2) = ((first + 1) % 3, (first + 2) % 3);
        // first × second; component `first` is zero.
        let mut across = [0i64; 3];
        across[i1] = -i64::from(boxes.turn[i2][second]);
        across[i2] = i64::from(boxes.turn[i1][second]);
        let toward = across[i1] * i64::from(boxes.offset[0][i1])
            + across[i2] * i64::from(boxes.offset[0][i2]);
        if toward < 0 {
            across = across.map(|c| -c);
        }
        unit_of(across)
    }

    fn resolve(&self, least: &Least) -> Option<Manifold> {
        // A box that slides over flush tiles is slightly lower than their tops. The side face of the next tile must be ignored, or the
        // box would stop at the seam (ghost collision).
        if let Some(face) = least.grazed {
            return self.face(face, None);
        }
        let face = i64::from(least.face_separation);
        let preference = i64::from(self.boxes.preference);
        let edges_if = |good: bool| least.edges.filter(|_| good).and_then(|e| self.edges(e));
        // The preferred face may have no part of the other box above it. Then the edges are used if they are nearly as good.
        let nearly = least.edges.is_some_and(|edges| edges.separation >= face - preference);
        let overlap = face <= 0 && least.edges.is_none_or(|edges| edges.separation <= 0);
        let crossing = least.edges.filter(|_| least.edges_win);
        crossing
            .and_then(|edges| self.face_along(&edges))
            .or_else(|| edges_if(least.edges_win))
            .or_else(|| self.face(least.face, None))
            .or_else(|| edges_if(nearly && !least.edges_win))
            .or_else(|| self.face(least.face, overlap.then_some(least.face_separation)))
    }

    /// Manifold of the face whose normal is nearly the edges' normal, if its deepest clipped point is no deeper than the edges,
    /// less the preference for faces.
    ///
    /// The axis test measures a face by the lowest corner of the other box, wherever that is. If two planks cross and tilt by a
    /// milliradian, that corner is deeper than the edges but beside the face. A single edge point would let the plank rock.
    fn face_along(&self, edges: &Edges) -> Option<Manifold> {
        let normal = self.edge_normal(edges)?;
        let (mut most, mut best) = (ALIGNED, None);
        for owner in 0..2 {
            for axis in 0..3 {
                let cosine = match owner {
                    0 => normal[axis],
                    _ => frame::cosine(column(&self.boxes.turn, axis), normal),
                };
                if cosine.abs() > most {
                    (most, best) = (cosine.abs(), Some(Face { owner, axis }));
                }
            }
        }
        let manifold = self.face(best?, None)?;
        let deepest = manifold.points.iter().map(|point| point.separation).min()?;
        let floor = edges.separation - i64::from(self.boxes.preference);
        (deepest >= floor << self.scale.shift).then_some(manifold)
    }

    /// Clips the incident face of the other box against the reference face. If no part of it is above the reference face, returns one
    /// point with the depth `last_resort`, if given: overlapping boxes always have a contact.
    fn face(&self, face: Face, last_resort: Option<i32>) -> Option<Manifold> {
        let (boxes, Face { owner, axis }) = (self.boxes, face);
        let (half, other_half) = (boxes.half[owner], boxes.half[1 - owner]);
        // The other box in the owner's frame: its axes as columns, its centre.
        let (turn, center) = if owner == 0 {
            (boxes.turn, boxes.offset[0])
        } else {
            (transposed(&boxes.turn), boxes.offset[1].map(|c| -c))
        };
        let side = if center[axis] < 0 { -1 } else { 1 };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let rows = [turn[u], turn[v], turn[axis].map(|c| side * c)];
        let middle = [center[u], center[v], side * center[axis] - half[axis]];
        let (polygon, incident) = facing(&rows, middle, other_half);

        // Slightly beyond the sides, so that corners of stacked boxes that barely protrude stay corners.
        let slack = boxes.preference >> 4;
        let clipped = clip_to_face(polygon, [half[u] + slack, half[v] + slack]);
        let chosen = choose(&clipped, boxes.margin, boxes.preference >> 2);

        let rotation = if owner == 0 { &self.pair.turn_a } else { &self.pair.turn_b };
        let outward = if owner == 0 { side } else { -side };
        let normal = frame::axis(rotation, axis).map(|c| outward * c);
        let mut manifold = Manifold { normal, ..Manifold::default() };
        let code = (owner * 3 + axis) as u32 * 2 + u32::from(side < 0);
        let mut push = |at: [i32; 2], height: i32, edges: u32| {
            let mut local = [0; 3];
            (local[u], local[v]) = (at[0], at[1]);
            local[axis] = side * (half[axis] + (height >> 1));
            let feature = ((code + 1) << 12) | (incident << 8) | edges;
            let separation = self.scale.widen(height);
            // The list has capacity for all chosen points.
            let _ =
                manifold.points.push(Point { at: self.place(owner, local), separation, feature });
        };
        for &index in &chosen {
            let corner = clipped[index];
            let before = clipped[(index + clipped.len() - 1) % clipped.len()].edge;
            push(corner.at, corner.height, (before << 3) | corner.edge);
        }
        if let (true, Some(depth)) = (chosen.is_empty(), last_resort) {
            let corner = deepest(&polygon);
            let at = [corner.at[0].clamp(-half[u], half[u]), corner.at[1].clamp(-half[v], half[v])];
            push(at, depth, 0xff);
        }
        (!manifold.points.is_empty()).then_some(manifold)
    }

    /// One point between two edges if they are the closest features; `None` falls back to the face.
    fn edges(&self, edges: Edges) -> Option<Manifold> {
        let Edges { first, second, separation } = edges;
        let boxes = self.boxes;
        let [half_a, half_b] = boxes.half;
        let (i1, i2) = ((first + 1) % 3, (first + 2) % 3);
        let normal = self.edge_normal(&edges)?;

        let mut on_a: Short =
            core::array::from_fn(|k| if normal[k] > 0 { half_a[k] } else { -half_a[k] });
        on_a[first] = 0;
        let mut corner_b: Short = core::array::from_fn(|k| {
            let facing = frame::cosine(column(&boxes.turn, k), normal);
            if facing > 0 { -half_b[k] } else { half_b[k] }
        });
        corner_b[second] = 0;
        let edge_b = column(&boxes.turn, second);
        let middle_b: Short =
            core::array::from_fn(|k| boxes.offset[0][k] + dot(boxes.turn[k], corner_b));

        // Perpendicular to the first edge two components remain: find their minimum along the second edge.
        let gap: Short = core::array::from_fn(|k| middle_b[k] - on_a[k]);
        let sine_squared = product(edge_b[i1], edge_b[i1]) + product(edge_b[i2], edge_b[i2]);
        let nearer = product(edge_b[i1], gap[i1]) + product(edge_b[i2], gap[i2]);
        let wide = -(i128::from(nearer) << UNIT) / i128::from(sine_squared);
        let limit = i128::from(half_b[second]);
        let along_b = wide.clamp(-limit, limit) as i32;
        let on_b: Short =
            core::array::from_fn(|k| middle_b[k] + round(product(edge_b[k], along_b)));
        let along_a = on_b[first].clamp(-half_a[first], half_a[first]);
        // Separated, and beyond the end of an edge: other features are closer.
        if separation > 0 && (i128::from(along_b) != wide || along_a != on_b[first]) {
            return None;
        }
        on_a[first] = along_a;
        let local: Short = core::array::from_fn(|k| (on_a[k] + on_b[k]) >> 1);
        // Index of the edge among the four parallel ones of each box.
        let edges = [on_a, corner_b]
            .map(|corner| (0..3).map(|k| u32::from(corner[k] < 0) << k).sum::<u32>());
        let sides = (edges[0] & !(1 << first)) | ((edges[1] & !(1 << second)) << 3);
        let feature = (1 << 16) | ((first * 3 + second) as u32 * 64) | sides;
        let point =
            Point { at: self.place(0, local), separation: separation << self.scale.shift, feature };
        let normal = frame::unit_to_world(&self.pair.turn_a, normal);
        Some(self.pair.single(normal, point))
    }

    /// Converts a point from a box's frame to world directions, relative to the first centre.
    fn place(&self, owner: usize, local: Short) -> Raw {
        let turned = |rotation: &Rotation| rotation.map(|row| self.scale.widen(dot(row, local)));
        if owner == 0 {
            add(turned(&self.pair.turn_a), to_world(&self.pair.turn_a, self.crop_offset))
        } else {
            add(turned(&self.pair.turn_b), self.pair.delta)
        }
    }
}

/// Incident face: the face of a box that points down most, and its id. `rows` transform the box's axes to the coordinates of the
/// reference face: two along it, one above it.
fn facing(rows: &[[i32; 3]; 3], middle: Short, half: Short) -> (Polygon, u32) {
    let down = rows[2];
    let face = (1..3).fold(0, |m, k| if down[k].abs() > down[m].abs() { k } else { m });
    let (p, q) = ((face + 1) % 3, (face + 2) % 3);
    let mut corner = half;
    if down[face] > 0 {
        corner[face] = -half[face];
    }
    let mut polygon = Polygon::new();
    for (edge, (at_p, at_q)) in [(-1, -1), (1, -1), (1, 1), (-1, 1)].into_iter().enumerate() {
        (corner[p], corner[q]) = (at_p * half[p], at_q * half[q]);
        let [x, y, height] = core::array::from_fn(|k| middle[k] + dot(rows[k], corner));
        // The capacity is eight, and a face has four corners.
        let _ = polygon.push(Corner { at: [x, y], height, edge: edge as u32 });
    }
    (polygon, face as u32 * 2 + u32::from(down[face] > 0))
}

fn deepest(polygon: &Polygon) -> Corner {
    polygon
        .iter()
        .fold(polygon[0], |low, corner| if corner.height < low.height { *corner } else { low })
}

fn transposed(rows: &[[i32; 3]; 3]) -> [[i32; 3]; 3] {
    core::array::from_fn(|j| column(rows, j))
}
