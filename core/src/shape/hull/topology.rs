//! Faces and edges of a convex polyhedron, by indices of its vertices.

/// The loop of a face in [`Topology::loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Face {
    pub(crate) start: u16,
    pub(crate) count: u8,
}

/// An edge. It goes from the first end to the second in the loop of the first face, and back in that of the second. Seen from
/// outside, with the first end below, the first face is on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) ends: [u8; 2],
    pub(crate) faces: [u8; 2],
}

/// Faces and edges of a polyhedron.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Topology<'a> {
    pub(crate) faces: &'a [Face],
    /// Vertices of the faces, counter-clockwise as seen from outside.
    pub(crate) loops: &'a [u8],
    pub(crate) edges: &'a [Edge],
}

impl<'a> Topology<'a> {
    /// A segment of two vertices: an edge without faces.
    pub(crate) const SEGMENT: Topology<'static> =
        Topology { faces: &[], loops: &[], edges: &[Edge { ends: [0, 1], faces: [0, 0] }] };

    /// A box. Vertex i is at the positive end of axis k if bit k of i is set; face 2k + 1 is that at the positive end.
    pub(crate) const BOX: Topology<'static> =
        Topology { faces: &BOX_FACES, loops: &BOX_LOOPS, edges: &BOX_EDGES };

    /// Vertices of a face.
    pub(crate) fn loop_of(&self, face: usize) -> &'a [u8] {
        let Face { start, count } = self.faces[face];
        &self.loops[usize::from(start)..][..usize::from(count)]
    }
}

const BOX_LOOPS: [u8; 24] =
    [0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6];

const BOX_FACES: [Face; 6] = {
    let mut faces = [Face { start: 0, count: 4 }; 6];
    let mut face = 0;
    while face < 6 {
        faces[face].start = 4 * face as u16;
        face += 1;
    }
    faces
};

const BOX_EDGES: [Edge; 12] = {
    let mut edges = [Edge { ends: [0, 0], faces: [0, 0] }; 12];
    let (mut count, mut place) = (0, 0);
    while place < 24 {
        let (a, b) = box_edge(place);
        let mut other = 0;
        while a < b && other < 24 {
            let (c, d) = box_edge(other);
            if c == b && d == a {
                let faces = [(place / 4) as u8, (other / 4) as u8];
                edges[count] = Edge { ends: [a, b], faces };
                count += 1;
            }
            other += 1;
        }
        place += 1;
    }
    assert!(count == 12, "a box has twelve edges");
    edges
};

/// The edge of a box that begins at a place of its loops.
const fn box_edge(place: usize) -> (u8, u8) {
    (BOX_LOOPS[place], BOX_LOOPS[place / 4 * 4 + (place + 1) % 4])
}
