//! A spatial hash grid with the interface of the broad phase, for comparison only.
//!
//! Integer cells of one size chosen for the scene. Fixed proxies are hashed once; moving ones on
//! each step, which for a grid is as cheap as moving them. Proxies that span more than `MAX_CELLS`
//! cells are kept in a separate list.

use isostep_core::internals::Aabb;
use isostep_core::internals::sort_by_key;

/// A proxy in more cells is cheaper to test against all others.
const MAX_CELLS: i64 = 64;
const NONE: u32 = u32::MAX;

type Cell = [i64; 3];

struct Item {
    key: u32,
    tight: Aabb,
    active: bool,
}

/// Chain entry: a proxy in a cell.
struct Entry {
    cell: Cell,
    item: u32,
    next: u32,
}

/// Cells to chains of proxies.
struct Layer {
    heads: Vec<u32>,
    entries: Vec<Entry>,
    large: Vec<u32>,
}

impl Layer {
    fn new() -> Self {
        Self { heads: vec![NONE; 1024], entries: Vec::new(), large: Vec::new() }
    }

    fn clear(&mut self) {
        // Twice the entries of the last step keep chains short.
        let heads = (2 * self.entries.len()).next_power_of_two().max(1024);
        self.heads.clear();
        self.heads.resize(heads, NONE);
        self.entries.clear();
        self.large.clear();
    }

    fn bucket(&self, cell: Cell) -> usize {
        const PRIMES: [i64; 3] =
            [0x9E37_79B9_7F4A_7C15_u64 as i64, 0x517C_C1B7_2722_0A95, 0x2545_F491_4F6C_DD1D];
        let mixed = (0..3).fold(0i64, |sum, axis| sum ^ cell[axis].wrapping_mul(PRIMES[axis]));
        (mixed as u64 >> 40) as usize & (self.heads.len() - 1)
    }

    fn insert(&mut self, item: u32, tight: &Aabb, shift: u32) {
        let Some([low, high]) = cells(tight, shift) else {
            self.large.push(item);
            return;
        };
        each_cell(low, high, |cell| {
            let bucket = self.bucket(cell);
            self.entries.push(Entry { cell, item, next: self.heads[bucket] });
            self.heads[bucket] = self.entries.len() as u32 - 1;
        });
    }

    fn in_cell(&self, cell: Cell, mut visit: impl FnMut(u32)) {
        let mut at = self.heads[self.bucket(cell)];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.cell == cell {
                visit(entry.item);
            }
            at = entry.next;
        }
    }
}

/// First and last cell, or `None` if there are too many.
fn cells(tight: &Aabb, shift: u32) -> Option<[Cell; 2]> {
    let [low, high] = [tight.min(), tight.max()].map(|corner| corner.to_bits().map(|c| c >> shift));
    let mut count = 1;
    for axis in 0..3 {
        count *= (high[axis] - low[axis] + 1).min(MAX_CELLS + 1);
    }
    (count <= MAX_CELLS).then_some([low, high])
}

fn each_cell(low: Cell, high: Cell, mut visit: impl FnMut(Cell)) {
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                visit([x, y, z]);
            }
        }
    }
}

/// The grid.
pub(crate) struct Grid {
    /// Log2 of the cell width, in ulps.
    shift: u32,
    items: Vec<Item>,
    fixed: Layer,
    mobile: Layer,
    scratch: Vec<(u32, u32)>,
}

impl Grid {
    pub(crate) fn new(shift: u32) -> Self {
        let (fixed, mobile) = (Layer::new(), Layer::new());
        Self { shift, items: Vec::new(), fixed, mobile, scratch: Vec::new() }
    }

    pub(crate) fn insert(&mut self, key: u32, tight: &Aabb, active: bool) {
        self.items.push(Item { key, tight: *tight, active });
    }

    pub(crate) fn update(&mut self, nth: usize, tight: &Aabb) {
        self.items[nth].tight = *tight;
    }

    /// Hashes the fixed proxies; call once, after all are inserted.
    pub(crate) fn settle(&mut self) {
        for _ in 0..2 {
            // The first pass counts the buckets.
            self.fixed.clear();
            for (index, item) in self.items.iter().enumerate().filter(|(_, item)| !item.active) {
                self.fixed.insert(index as u32, &item.tight, self.shift);
            }
        }
    }

    pub(crate) fn pairs(
        &mut self,
        active: &[u32],
        filter: impl Fn(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        let Self { shift, items, fixed, mobile, scratch } = self;
        let mut test = |a: u32, b: u32| {
            let (first, second) = (&items[a as usize], &items[b as usize]);
            if first.tight.overlaps(&second.tight) {
                let pair = (first.key.min(second.key), first.key.max(second.key));
                if filter(pair.0, pair.1) {
                    out.push(pair);
                }
            }
        };
        mobile.clear();
        for &a in active {
            let tight = &items[a as usize].tight;
            for &b in fixed.large.iter().chain(&mobile.large) {
                test(a, b);
            }
            match cells(tight, *shift) {
                Some([low, high]) => each_cell(low, high, |cell| {
                    // Proxies may share cells; only the cell with the greater first corner reports
                    // the pair.
                    let mut once = |b: u32| {
                        let other = items[b as usize].tight.min().to_bits();
                        if (0..3).all(|axis| low[axis].max(other[axis] >> *shift) == cell[axis]) {
                            test(a, b);
                        }
                    };
                    fixed.in_cell(cell, &mut once);
                    mobile.in_cell(cell, &mut once);
                }),
                None => {
                    // A large moving proxy: tested against all fixed ones and all moving ones
                    // before it.
                    for (b, item) in items.iter().enumerate() {
                        let b = b as u32;
                        let listed = fixed.large.contains(&b) || mobile.large.contains(&b);
                        if !listed && (!item.active || b < a) {
                            test(a, b);
                        }
                    }
                }
            }
            mobile.insert(a, tight, *shift);
        }
        sort_by_key(out, scratch, |&(a, b)| u64::from(a) << 32 | u64::from(b));
    }
}
