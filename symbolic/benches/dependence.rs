//! What one dependence test costs, by the form of the subscripts: a source is tested against itself and against its neighbour.

use criterion::{BenchmarkId, Criterion};
use ipda_symbolic::{Access, Facts, Interval, LoopId, Polynomial, Signedness, Space, Symbol, Varies, dependence};
use std::hint::black_box;
use std::time::Duration;

/// How subscripts are formed.
#[derive(Clone, Copy)]
enum Shape {
    /// `A[i]` and `A[i - 1]`.
    Vector,
    /// `A[i][j]` and `A[i][j - 1]` with rows of 100.
    ConstantRows,
    /// `A[i*n + j]` and `A[i*n + j - 1]`.
    SymbolicRows,
    /// `A[(i*n + j)*m + k]` and the next row.
    Planes,
    /// `A[i][j]` and `A[j][i]` with `j < i`.
    Triangle,
    /// `A[c / n * m + c % n]` and the next element.
    Collapsed,
}

impl Shape {
    const ALL: [(&str, Shape); 6] = [
        ("vector", Shape::Vector),
        ("constant rows", Shape::ConstantRows),
        ("symbolic rows", Shape::SymbolicRows),
        ("planes", Shape::Planes),
        ("triangle", Shape::Triangle),
        ("collapsed", Shape::Collapsed),
    ];

    fn depth(self) -> u32 {
        match self {
            Shape::Vector | Shape::Collapsed => 1,
            Shape::ConstantRows | Shape::SymbolicRows | Shape::Triangle => 2,
            Shape::Planes => 3,
        }
    }
}

/// Two accesses of a nest.
struct Pair {
    space: Space,
    accesses: [Access; 2],
    common: Vec<LoopId>,
}

fn pair(shape: Shape) -> Pair {
    let mut space = Space::new();
    let [n, m] = ["n", "m"].map(|name| {
        let range = Interval::of_width(32, Signedness::Signed);
        space.symbol(Symbol { name: name.into(), range, varies: Varies::No })
    });
    let range = Interval::of_width(64, Signedness::Unsigned);
    let base = space.symbol(Symbol { name: "A".into(), range, varies: Varies::No });
    let common: Vec<LoopId> = (0..shape.depth()).map(LoopId).collect();
    let [i, j, k] = [0, 1, 2].map(|id| space.iteration(LoopId(id)));
    let one = Polynomial::one();
    let hundred = Polynomial::from(100);
    let bounds: Vec<Polynomial> = match shape {
        Shape::Vector => vec![&n - &i],
        Shape::ConstantRows => vec![&n - &i, &hundred - &j],
        Shape::SymbolicRows => vec![&m - &i, &n - &j],
        Shape::Planes => vec![&hundred - &i, &n - &j, &m - &k],
        Shape::Triangle => vec![&n - &i, &i - &j],
        Shape::Collapsed => vec![&(&n * &hundred) - &i, &m - &n + &one],
    };
    let subscripts = match shape {
        Shape::Vector => [i.clone(), &i - &one],
        Shape::ConstantRows => [&(&i * &hundred) + &j, &(&i * &hundred) + &j - &one],
        Shape::SymbolicRows => [&(&i * &n) + &j, &(&i * &n) + &j - &one],
        Shape::Planes => {
            let here = &(&(&i * &n) + &j) * &m + &k;
            [here.clone(), here - &m]
        }
        Shape::Triangle => [&(&i * &n) + &j, &(&j * &n) + &i],
        Shape::Collapsed => {
            let mut facts = Facts::none();
            facts.assume_nonneg(&n - &one);
            let row = space.floor_div(&i, &n, &facts);
            let here = &(&row * &m) + &(&i - &(&row * &n));
            [here.clone(), here + &one]
        }
    };
    let accesses = subscripts.map(|subscript| {
        let mut facts = Facts::none();
        for bound in &bounds {
            facts.assume_nonneg(bound - &one);
        }
        let address = &base + &subscript.scale(&4.into());
        let mut access = Access { address, bytes: 4, loops: common.clone(), facts };
        access.stays_near(&base);
        access
    });
    Pair { space, accesses, common }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("dependence");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for (name, shape) in Shape::ALL {
        let Pair { mut space, accesses: [here, next], common } = pair(shape);
        for (with, sink, pair) in
            [("itself", &here, ipda_symbolic::Pair::Itself), ("its neighbour", &next, ipda_symbolic::Pair::Two)]
        {
            group.bench_function(BenchmarkId::new(name, with), |bencher| {
                bencher.iter(|| black_box(dependence(&mut space, &here, sink, &common, pair)));
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
