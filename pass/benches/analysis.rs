//! What the whole analysis costs: of gemm, and for each access of nests from few to many, as [`ipda::report`] does it on what clang's front
//! end makes.
//!
//! The lines that begin with `memory` tell the most bytes that the project's own code allocated at one time; LLVM's are not among them.

use criterion::{BenchmarkId, Criterion, Throughput};
use inkwell::context::Context;
use inkwell::module::Module;
use peak_alloc::PeakAlloc;
use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The device module of a C source, as clang's front end makes it.
fn compile<'ctx>(context: &'ctx Context, source: &Path) -> Module<'ctx> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("input.bc");
    let llvm = PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    let clang = Command::new(llvm.join("bin/clang"))
        .args("-O2 -g -Xclang -debug-info-kind=constructor -fopenmp --offload-arch=sm_90 -nogpulib".split(' '))
        .args("--offload-device-only -emit-llvm -Xclang -disable-llvm-passes -c".split(' '))
        .arg(source)
        .arg("-o")
        .arg(&output)
        .output()
        .expect("clang 19 is installed");
    assert!(clang.status.success(), "{}", String::from_utf8_lossy(&clang.stderr));
    Module::parse_bitcode_from_path(output, context).expect("clang's bitcode")
}

/// What the innermost of two loops holds, `i`, which threads share, and `j` inside.
struct Shape {
    name: &'static str,
    /// A statement with two accesses.
    statement: fn(u32) -> String,
    /// How many accesses; regions with more than 50,000 instructions are not analysed.
    accesses: &'static [u32],
}

const SHAPES: [Shape; 3] = [
    Shape { name: "affine", statement: |u| format!("a[{u}] = b[{u}];"), accesses: &[10, 100, 1_000, 10_000] },
    Shape {
        name: "guarded",
        statement: |u| format!("if (i + {u} < n) A[(i + {u}) * m + j] = B[i + {u}];"),
        accesses: &[10, 100, 1_000],
    },
    Shape {
        name: "chosen",
        statement: |u| format!("A[i + {u} < n ? i + {u} : n - 1] = B[j + {u} < m ? j + {u} : 0];"),
        accesses: &[10, 100, 1_000],
    },
];

fn nest<'ctx>(context: &'ctx Context, statement: fn(u32) -> String, accesses: u32) -> Module<'ctx> {
    let mut source = String::from(
        "void nest(int n, int m, float *restrict A, const float *restrict B) {\n\
         #pragma omp target teams distribute parallel for map(tofrom : A[0 : n * m]) map(to : B[0 : n * m])\n\
         for (int i = 0; i < n; ++i)\nfor (int j = 0; j < m; ++j) {\n\
         float *a = A + i * m + j;\nconst float *b = B + j * n + i;\n",
    );
    for number in 0..accesses / 2 {
        writeln!(source, "{}", statement(number)).expect("a string takes all");
    }
    source.push_str("}\n}\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("nest.c");
    std::fs::write(&path, source).expect("the folder is writable");
    compile(context, &path)
}

fn count_accesses(module: &Module<'_>) -> usize {
    ipda::report(module, None).regions.iter().map(|region| region.accesses.len()).sum()
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let context = Context::create();
    let gemm = compile(&context, Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../test-inputs/gemm.c")));
    criterion.bench_function("gemm/report", |bencher| bencher.iter(|| ipda::report(black_box(&gemm), None)));
    let mut memory = Vec::new();
    for Shape { name, statement, accesses } in SHAPES {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        for &accesses in accesses {
            let module = nest(&context, statement, accesses);
            let before = ALLOCATOR.current_usage();
            ALLOCATOR.reset_peak_usage();
            assert_eq!(count_accesses(&module), accesses as usize, "the analysis leaves nothing out of {name}");
            let bytes = (ALLOCATOR.peak_usage() - before) / accesses as usize;
            memory.push(format!("memory {name}/{accesses}: {bytes} bytes per access"));
            group.throughput(Throughput::Elements(accesses.into()));
            group.bench_with_input(BenchmarkId::from_parameter(accesses), &module, |bencher, module| {
                bencher.iter(|| ipda::report(black_box(module), None));
            });
        }
        group.finish();
    }
    criterion.final_summary();
    for line in memory {
        eprintln!("{line}");
    }
}
