//! What the engine's algebra costs for each access of a nest: addresses are built as lowering builds them, and their differences between lanes.
//!
//! One space holds a whole nest, so a cost that grows with the number of accesses shows what the space itself costs. Times are
//! criterion's; the lines that begin with `memory` tell the most bytes that were allocated at one time.

use criterion::{BenchmarkId, Criterion, Throughput};
use ipda_symbolic::{
    ActiveLanes, Coeff, Facts, Interval, LaneMap, LoopId, MemoryGeometry, OpaqueOp, Polynomial, Signedness, Space,
    Start, Symbol, Varies, classify, count_sectors, lane_differences,
};
use peak_alloc::PeakAlloc;
use std::hint::black_box;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const ACCESSES: [u32; 4] = [10, 100, 1_000, 10_000];
const GEOMETRY: MemoryGeometry = MemoryGeometry { lanes: 32, sector_bytes: 32, line_bytes: 128 };
/// So many accesses are made to one array.
const PER_ARRAY: u32 = 16;

/// How a nest's accesses find their elements.
#[derive(Clone, Copy)]
enum Shape {
    /// `C[i][j] += A[i][k+u] * B[k+u][j]`, unrolled.
    Gemm,
    /// `A[z+a][y+b][x+c]` under the guards that keep it inside.
    Stencil,
    /// `A[c / N][c % N + u]`, with c counting the iterations of two collapsed loops.
    Collapsed,
    /// `A[i + u < N ? i + u : N - 1]`.
    Clamped,
    /// `A[i + u >= N ? i + u - N : i + u]`, the same in bytes of another size.
    Wrapped,
}

impl Shape {
    const ALL: [(&str, Shape); 5] = [
        ("gemm", Shape::Gemm),
        ("stencil", Shape::Stencil),
        ("collapsed", Shape::Collapsed),
        ("clamped", Shape::Clamped),
        ("wrapped", Shape::Wrapped),
    ];
}

/// A nest of three loops, of which the lanes share the outermost.
struct Nest {
    space: Space,
    loops: [Polynomial; 3],
    extents: [Polynomial; 3],
    facts: Facts,
    map: LaneMap,
}

impl Nest {
    fn new() -> Nest {
        let mut space = Space::new();
        let loops = [0, 1, 2].map(|id| space.iteration(LoopId(id)));
        let extents = ["N", "M", "K"].map(|name| {
            let range = Interval::of_width(32, Signedness::Signed);
            space.symbol(Symbol { name: name.into(), range, varies: Varies::No })
        });
        let mut facts = Facts::none();
        for (counter, extent) in loops.iter().zip(&extents) {
            facts.assume_nonneg(extent - counter - Polynomial::one());
        }
        let mut map = LaneMap::new(&mut space, GEOMETRY.lanes);
        let shared = loops[0].as_atom().expect("an iteration number is an atom");
        map.move_iterations(&mut space, shared, &Polynomial::one(), Start::Aligned).expect("a small step");
        Nest { space, loops, extents, facts, map }
    }

    fn array(&mut self, number: u32) -> Polynomial {
        let range = Interval::of_width(64, Signedness::Unsigned);
        self.space.symbol(Symbol { name: format!("A{number}"), range, varies: Varies::No })
    }

    fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.space.product(a, b).expect("a small product")
    }

    /// The subscript of the access with a number, as an element.
    fn subscript(&mut self, shape: Shape, number: u32) -> Polynomial {
        let [i, j, k] = self.loops.clone();
        let [n, m, _] = self.extents.clone();
        let offset = Polynomial::from(i64::from(number));
        match shape {
            Shape::Gemm => {
                let inner = &k + &offset;
                match number % 3 {
                    0 => self.product(&i, &n) + inner,
                    1 => self.product(&inner, &n) + j,
                    _ => self.product(&i, &n) + j,
                }
            }
            Shape::Stencil => {
                let near = |counter: &Polynomial, step: u32| counter + &Polynomial::from(i64::from(step % 3) - 1);
                let plane = self.product(&n, &m);
                let (z, y, x) = (near(&k, number / 9), near(&j, number / 3), near(&i, number));
                self.product(&z, &plane) + self.product(&y, &n) + x + Polynomial::from(i64::from(number / 27))
            }
            Shape::Collapsed => {
                let facts = self.facts.clone();
                let row = self.space.floor_div(&i, &n, &facts);
                let column = self.space.floor_rem(&i, &n, &facts);
                self.product(&column, &m) + row + offset
            }
            Shape::Clamped => {
                let last = &n - &Polynomial::one();
                self.space.op_under(OpaqueOp::Min, vec![&i + &offset, last], &self.facts)
            }
            Shape::Wrapped => {
                let index = &i + &offset;
                let is_past = self.space.nonneg_under(&(&index - &n), &self.facts);
                let back = self.product(&is_past, &n);
                index - back
            }
        }
    }
}

/// Does what the analysis does for each access. The result is the number of sectors, so that nothing is left out.
fn analyse(shape: Shape, accesses: u32) -> u64 {
    let mut nest = Nest::new();
    let mut base = Polynomial::zero();
    let mut sectors = 0;
    for number in 0..accesses {
        if number % PER_ARRAY == 0 {
            base = nest.array(number / PER_ARRAY);
        }
        let address = &base + &nest.subscript(shape, number).scale(&Coeff::from(4_u32));
        let stride = lane_differences(&mut nest.space, &address, &nest.map, &nest.facts);
        black_box(classify(&stride, &ActiveLanes::All, 4, &GEOMETRY));
        let count = count_sectors(&stride, &ActiveLanes::All, 4, &address.constant_term(), &GEOMETRY);
        sectors += count.map_or(0, |count| count.aligned);
    }
    sectors
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (name, shape) in Shape::ALL {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        for accesses in ACCESSES {
            group.throughput(Throughput::Elements(accesses.into()));
            group.bench_with_input(BenchmarkId::from_parameter(accesses), &accesses, |bencher, &accesses| {
                bencher.iter(|| analyse(shape, black_box(accesses)));
            });
        }
        group.finish();
    }
    criterion.final_summary();
    for (name, shape) in Shape::ALL {
        for accesses in ACCESSES {
            let before = ALLOCATOR.current_usage();
            ALLOCATOR.reset_peak_usage();
            black_box(analyse(shape, accesses));
            let bytes = (ALLOCATOR.peak_usage() - before) / accesses as usize;
            eprintln!("memory {name}/{accesses}: {bytes} bytes per access");
        }
    }
}
