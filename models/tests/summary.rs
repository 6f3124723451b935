//! What summaries make of regions, against counting by hand: addresses, iterations, what finished code does.

mod regions;

use std::collections::BTreeSet;

use ipda_models::gpu::geometry::RuntimeDevice;
use ipda_models::gpu::{Access, AccessKind, Work};
use ipda_models::report::{InstructionClass, NamedLoop, Transformation, TransformationState};
use ipda_models::summary::{Bindings, DeviceWork, Grain, RegionSummary};
use ipda_models::versions::{DeviceVersion, Recipe, Step, VersionId, VersionState};
use ipda_symbolic::Mapping;
use proptest::prelude::*;

use regions::{
    collapsed, condition, gemm, indirect, nested, reduction, region, stencil, transposed, triangle, two_loops,
    with_chunk,
};

/// The version with fused loops.
const FUSED: VersionId = VersionId::new(1);

fn values(pairs: &[(&str, f64)]) -> Bindings {
    Bindings::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)))
}

/// What the device does, with the notes.
fn device(text: &str, pairs: &[(&str, f64)], version: VersionId) -> (Vec<DeviceWork>, Vec<String>) {
    let (region, hardware) = region(text);
    let mut summary = RegionSummary::from_report(&region, &hardware);
    let bound = summary.bind(&values(pairs)).expect("all values");
    let works = bound
        .device_work("sm_90", &RuntimeDevice::NVIDIA, Grain { sector: 32.0, line: 128.0 }, None, version)
        .expect("right inputs");
    (works.expect("the version exists"), bound.notes())
}

fn work(text: &str, pairs: &[(&str, f64)]) -> Work {
    let (works, _) = device(text, pairs, VersionId::AS_WRITTEN);
    assert_eq!(works.len(), 1);
    works[0].work.clone()
}

#[track_caller]
fn access<'a>(work: &'a Work, name: &str, kind: AccessKind) -> &'a Access {
    work.accesses.iter().find(|access| access.name == name && access.kind == kind).expect("the access")
}

fn executions(access: &Access) -> f64 {
    access.references * access.probability * access.loops.iter().map(|l| l.trips).product::<f64>()
}

#[test]
fn gemm_as_written_and_with_its_loops_fused() {
    let pairs = [("n", 1024.0), ("m", 512.0)];
    let written = work(gemm(), &pairs);
    assert_eq!(written.iterations, 1024);
    // 1024 iterations are less than 3200 teams of 32: teams of a warp.
    assert_eq!((written.launch.teams, written.launch.threads, written.omp_rep), (32, 32, 1));
    let a = access(&written, "A", AccessKind::Load);
    // Rows of 2048 bytes: a sector for each lane; all give way together.
    assert_eq!((a.sectors, a.in_step, executions(a)), (32.0, 32.0, 1024.0 * 512.0));
    // A row of A is 64 sectors: 2 KiB for each of 32 lanes.
    assert_eq!(a.loops[1].footprint.warp, 32.0 * 2048.0);
    assert_eq!(a.loops[1].footprint.grid, 1024.0 * 2048.0);
    assert_eq!(a.loops[0].footprint, a.loops[1].footprint, "all j use the same row");
    assert_eq!(a.total, 4.0 * 1024.0 * 512.0);
    let b = access(&written, "B", AccessKind::Load);
    assert_eq!((b.sectors, b.body.warp, b.body.grid), (1.0, 32.0, 32.0));
    assert_eq!(b.loops[1].footprint.warp, 512.0 * 32.0, "a column, a sector for each row");
    assert_eq!(b.loops[0].footprint.warp, 4.0 * 1024.0 * 512.0, "all of B");
    let c = access(&written, "C", AccessKind::Store);
    assert_eq!((c.sectors, executions(c)), (32.0, 1024.0));

    let (fused, _) = device(gemm(), &pairs, FUSED);
    let fused = &fused[0].work;
    assert_eq!(fused.iterations, 1024 * 1024);
    assert_eq!((fused.launch.teams, fused.launch.threads, fused.omp_rep), (3200, 128, 3));
    assert_eq!(access(fused, "A", AccessKind::Load).sectors, 1.0);
    assert_eq!(access(fused, "B", AccessKind::Load).sectors, 4.0);
    assert_eq!(access(fused, "C", AccessKind::Store).sectors, 4.0);
    // The report's code is that of the fused loops: 512 / 4 runs of the unrolled body with 4 additions.
    assert_eq!(fused.instructions[&InstructionClass::Float32], 512.0);
    assert_eq!(written.instructions[&InstructionClass::Float32], 512.0 * 1024.0);
    // The unrolled body has 8 loads that do not wait for each other.
    assert_eq!(fused.memory_parallelism, 8.0);
}

#[test]
fn chunks_in_the_code_leave_teams_without_iterations() {
    let chunked = with_chunk(gemm(), 128);
    let of = |n: f64| work(chunked, &[("n", n), ("m", 512.0)]);
    let shares = |work: &Work| (work.busy_teams, work.busy_threads, work.omp_rep, work.of_chunk);
    // 512 iterations are fewer than 3200 teams of 32: teams of a warp, 16 of them. They are 4 chunks of 128, of which each lane does 128 / 32.
    let few = of(512.0);
    assert_eq!((few.launch.teams, few.launch.threads), (16, 32));
    assert_eq!(shares(&few), (4, 32, 4, 4));
    assert_eq!(shares(&work(gemm(), &[("n", 512.0), ("m", 512.0)])), (16, 32, 1, 1), "a chunk is one for each thread");
    // Fewer than a chunk: 40 are one for each of 32 lanes and a second one for 8 of them.
    assert_eq!(shares(&of(40.0)), (1, 32, 2, 2));
    // 1,000,000 are more than 3200 teams of 128 do at once: 7813 chunks, so three for a team, each one for each thread.
    assert_eq!(shares(&of(1e6)), (3200, 128, 3, 1));
    // What a warp touches at once stays what it was.
    assert_eq!(access(&few, "A", AccessKind::Load).sectors, 32.0);
    // All lanes of 4 teams together: a sector of each of 4 * 32 rows.
    assert_eq!(access(&few, "A", AccessKind::Load).body.grid, 128.0 * 32.0);
    // The changed program has none.
    let (fused, _) = device(chunked, &[("n", 512.0), ("m", 512.0)], FUSED);
    let (plain, _) = device(gemm(), &[("n", 512.0), ("m", 512.0)], FUSED);
    assert_eq!(fused, plain);
}

#[test]
fn a_chunk_of_a_triangle_is_as_long_as_its_longest_rows() {
    let work = work(with_chunk(triangle(), 128), &[("n", 512.0)]);
    // Row i does i (i - 1) / 2, of which the first m rows do m (m - 1) (m - 2) / 6.
    let first = |rows: f64| rows * (rows - 1.0) * (rows - 2.0) / 6.0;
    let mean = first(512.0) / 512.0;
    let longest = (first(512.0) - first(384.0)) / 128.0 / mean;
    assert!((work.longest / longest - 1.0).abs() < 0.01, "{} and {longest}", work.longest);
    assert_eq!((work.omp_rep, work.of_chunk), (4, 4));
}

#[test]
fn a_triangle_is_averaged_exactly() {
    // for i in 0..n: for j in 0..i: for k in 0..j: the sums of the first whole numbers.
    for n in [3_u32, 10, 17, 100, 1000] {
        let n = f64::from(n);
        let work = work(triangle(), &[("n", n)]);
        let access = access(&work, "A", AccessKind::Load);
        let pairs = n * (n - 1.0) / 2.0;
        let triples = n * (n - 1.0) * (n - 2.0) / 6.0;
        assert!((access.loops[0].trips - pairs / n).abs() < 1e-9 * pairs, "{n}: {}", access.loops[0].trips);
        assert!((executions(access) - triples / n).abs() < 1e-9 * triples.max(1.0), "{n}: {}", executions(access));
    }
}

#[test]
fn neighbours_of_a_stencil_are_one_group() {
    let work = work(stencil(), &[("n", 1000.0)]);
    let group = access(&work, "a", AccessKind::Load);
    assert_eq!(group.references, 3.0);
    assert_eq!(work.accesses.len(), 2);
    // A float more on either side than a team has threads: a sector more than those take; each by itself as many.
    let of_team = 4.0 * work.launch.threads as f64;
    assert!(group.body.team >= of_team && group.body.team <= of_team + 64.0, "{}", group.body.team);
    assert!((group.total - 4.0 * 1000.0).abs() <= 64.0, "{}", group.total);
}

#[test]
fn a_reduction_reads_all_and_updates_once() {
    let work = work(reduction(), &[("n", 1e6)]);
    assert_eq!(access(&work, "x", AccessKind::Load).sectors, 8.0);
    assert_eq!(access(&work, "x", AccessKind::Load).total, 8e6);
    let update = access(&work, "sum", AccessKind::Atomic);
    assert_eq!((update.sectors, update.total), (1.0, 32.0));
}

#[test]
fn two_shared_loops_follow_one_another() {
    let (works, _) = device(two_loops(), &[("n", 5000.0)], VersionId::AS_WRITTEN);
    let names: Vec<&str> = works.iter().map(|work| work.name.as_str()).collect();
    assert_eq!(names, ["i", "j"]);
    assert!(works.iter().all(|work| work.work.launch.teams == 1), "no teams construct");
    assert_eq!(works[0].work.accesses[0].name, "a");
    assert_eq!(works[1].work.accesses[0].name, "b");
    assert_eq!(works[1].repeats, 1.0);
    // 5000 iterations by 128 threads.
    assert_eq!(works[0].work.omp_rep, 40);
}

#[test]
fn a_collapsed_nest_has_rows() {
    // for ij in 0..n*m: C[ij] = A[ij / m] + B[ij % m].
    let work = work(collapsed(), &[("n", 300.0), ("m", 100.0)]);
    assert_eq!(work.iterations, 30_000);
    let a = access(&work, "A", AccessKind::Load);
    // A warp of 32 in rows of 100 has one row most of the time.
    assert!(a.sectors >= 1.0 && a.sectors < 1.5, "{}", a.sectors);
    assert_eq!(a.total, 300.0 * 4.0, "37.5 sectors");
    let b = access(&work, "B", AccessKind::Load);
    assert_eq!(b.total, 12.5 * 32.0);
    assert_eq!(access(&work, "C", AccessKind::Store).total, 120_000.0);
}

#[test]
fn a_team_of_a_nest_works_on_one_row() {
    let work = work(nested(), &[("n", 500.0), ("m", 1000.0)]);
    assert_eq!((work.launch.teams, work.launch.threads), (500, 128));
    assert_eq!((work.omp_rep, work.busy_threads, work.iterations), (8, 128, 500_000));
    let access = access(&work, "A", AccessKind::Store);
    assert_eq!(access.sectors, 4.0);
    assert_eq!(access.body.team, 512.0, "128 floats of a row");
    assert_eq!(access.body.grid, 500.0 * 512.0, "of every row");
    assert_eq!(access.total, 2e6);
}

#[test]
fn conditions_on_loops_are_averaged_and_others_reported() {
    let (works, notes) = device(condition(), &[("n", 4096.0)], VersionId::AS_WRITTEN);
    let work = &works[0].work;
    let half = work.accesses.iter().find(|access| access.name == "half").expect("there");
    assert_eq!(half.probability, 0.25, "i < n / 4");
    let some = work.accesses.iter().find(|access| access.name == "some").expect("there");
    assert_eq!(some.probability, 1.0, "of the lanes that share a sector, some have a flag");
    assert!(notes.iter().any(|note| note.contains("half of the time")), "{notes:?}");
}

#[test]
fn loaded_indices_are_spread_and_reported_by_loops() {
    let (works, notes) = device(indirect(), &[("n", 1e5)], VersionId::AS_WRITTEN);
    let work = &works[0].work;
    let gathered = access(work, "x", AccessKind::Load);
    assert!(gathered.sectors > 31.9 && gathered.sectors <= 32.0, "{}", gathered.sectors);
    assert!(gathered.total <= 8e5, "no more than the map has: {}", gathered.total);
    assert_eq!(access(work, "index", AccessKind::Load).sectors, 4.0);
    assert!(notes.iter().any(|note| note.contains("runs 128 iterations") && note.contains("load4")), "{notes:?}");
    // What a person says of a loaded value counts.
    let name = "load4([first] + 4*i + 4)";
    let pairs = [("n", 1e5), (name, 10.0), ("load4([first] + 4*i)", 3.0)];
    let (works, notes) = device(indirect(), &pairs, VersionId::AS_WRITTEN);
    assert_eq!(access(&works[0].work, "x", AccessKind::Load).loops[0].trips, 7.0);
    assert!(!notes.iter().any(|note| note.contains("runs 128 iterations")), "{notes:?}");
}

#[test]
fn finished_code_may_call_variables_by_number() {
    let text = gemm().replace("floor([m] / 4)", "floor([arg1] / 4)");
    let (works, _) = device(&text, &[("n", 64.0), ("m", 128.0)], FUSED);
    assert_eq!(works[0].work.instructions[&InstructionClass::Float32], 128.0);
}

#[test]
fn finished_loops_of_unknown_length_are_as_long_as_those_of_the_source() {
    let unknown = "executions: {unknown: the counter is not followed}";
    let text = gemm().replace("executions: {value: \"floor([m] / 4)\"}", unknown);
    let (works, notes) = device(&text, &[("n", 64.0), ("m", 100.0)], FUSED);
    assert_eq!(works[0].work.instructions[&InstructionClass::Float32], 4.0 * 100.0);
    assert!(notes.iter().any(|note| note.contains("as often as")), "{notes:?}");
}

#[test]
fn values_that_are_missing_are_listed_together() {
    let (region, hardware) = region(gemm());
    let mut summary = RegionSummary::from_report(&region, &hardware);
    let error = summary.bind(&values(&[])).expect_err("n and m are missing");
    assert_eq!(error.names, ["n", "m"]);
    let text = error.to_string();
    assert_eq!(
        text,
        "the prediction of gemm at gemm.c:12 needs the values of captured variables: give -D n=.. -D m=.."
    );
}

/// The sectors of all addresses that a nest touches, by going through it.
fn touched(addresses: impl Iterator<Item = i64>, bytes: i64) -> f64 {
    let sectors: BTreeSet<i64> =
        addresses.flat_map(|address| address.div_euclid(32)..=(address + bytes - 1).div_euclid(32)).collect();
    sectors.len() as f64 * 32.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// `A[p*i + q*j + r]` in two loops of any size: what the grid touches, one warp, and all, against every address.
    #[test]
    fn footprints_are_those_of_the_addresses(
        n in 1_u32..300,
        m in 1_u32..40,
        p in prop::sample::select(vec![0_i64, 4, 8, 12, 32, 160, 400, 4096]),
        q in prop::sample::select(vec![0_i64, 4, 8, 32, 100, 1200, 4096]),
    ) {
        let text = regions::strided(p, q);
        let work = work(&text, &[("n", n.into()), ("m", m.into())]);
        let access = access(&work, "A", AccessKind::Load);
        let (n, m) = (i64::from(n), i64::from(m));
        let all = touched((0..n).flat_map(|i| (0..m).map(move |j| p * i + q * j)), 4);
        // As the rows and columns of an array, one within the other, but for a sector for each row that begins within one. Loops that slide
        // along each other are taken not to meet, as far as they have room.
        let near = |found: f64, exact: f64, n: i64| {
            let is_within = p >= q * m || q >= p * n || p == 0 || q == 0;
            let slack = 0.2 * exact + 64.0 + 32.0 * n.max(m) as f64;
            let most = if is_within { exact + slack } else { 64.0 * (n * m) as f64 };
            found >= exact - slack && found <= most
        };
        prop_assert!(near(access.total, all, n), "all: {} for {}", access.total, all);
        let lanes = n.min(32);
        let one_team = touched((0..n.min(work.launch.threads as i64)).flat_map(|i| (0..m).map(move |j| p * i + q * j)), 4);
        let found = access.loops[0].footprint.team;
        prop_assert!(near(found, one_team, n.min(work.launch.threads as i64)), "a team: {} for {}", found, one_team);
        let body = touched((0..lanes).map(|i| p * i), 4);
        prop_assert!((access.sectors * 32.0 - body).abs() <= 0.3 * body + 32.0, "{} for {}", access.sectors * 32.0, body);
        // More is touched outside.
        prop_assert!(access.body.team <= found + 1e-9);
        prop_assert!(access.loops[0].footprint.team <= access.loops[0].footprint.grid + 1e-9);
        prop_assert!(access.loops[0].footprint.grid <= access.total + 1e-9);
    }
}

/// What the device does where threads run digits of the loops' numbers, those before the bar of the text.
fn by_digits(mapping: &str, pairs: &[(&str, f64)]) -> Work {
    let (mut region, hardware) = region(transposed());
    let digits = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let (threads, inside) = mapping.split_once('|').unwrap_or((mapping, ""));
    let recipe = Recipe::mapped(Step::Mapped {
        threads: ["i", "j"].map(|name| NamedLoop { name: name.into(), location: None }).into(),
        digits: digits(threads),
        inside: digits(inside),
        tile: Vec::new(),
        neighbours: None,
        warp: Vec::new(),
    });
    let version = DeviceVersion {
        id: FUSED,
        state: VersionState::Made,
        recipe,
        gain: None,
        guard: Vec::new(),
        rests_on: Vec::new(),
        reasons: Vec::new(),
        clause: None,
    };
    region.transformation = Some(Transformation {
        state: TransformationState::Done,
        reasons: Vec::new(),
        versions: vec![version],
        lockstep_guard: Vec::new(),
    });
    let mut summary = RegionSummary::from_report(&region, &hardware);
    let bound = summary.bind(&values(pairs)).expect("all values");
    let grain = Grain { sector: 32.0, line: 128.0 };
    let works = bound.device_work("sm_90", &RuntimeDevice::NVIDIA, grain, None, FUSED).expect("right inputs");
    works.expect("the version exists").remove(0).work
}

#[test]
fn threads_that_run_digits_run_each_iteration_once() {
    let mappings = [
        "i/8 j | i%8",
        "j | i",
        "i%4 j | i/4",
        "i/4 j/8 i%4 j%8",
        "i/8 j/8 i%4 j%8 | i/4%2",
        "i/rest%4 j/3 | j%3 i%rest",
        "i/16%4 j/16%4 i%16 j%16 | j/64 i/64",
        "j/4*rest%3 i | j%4 j/4%rest",
    ];
    for text in mappings {
        let mapping = Mapping::parse(text, &["i", "j"]).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        for (n, m) in [(1, 1), (7, 5), (64, 32), (97, 101), (1000, 33)] {
            let counts = mapping.numbers(&[n, m], |_| 1).expect("numbers");
            let threads: u64 = counts[..mapping.threads().len()].iter().map(|(_, count)| count).product();
            let own: u64 = counts[mapping.threads().len()..].iter().map(|(_, count)| count).product();
            let work = by_digits(text, &[("n", n as f64), ("m", m as f64)]);
            assert_eq!(work.iterations, threads, "{text}, {n} x {m}");
            for access in &work.accesses {
                let of_thread: f64 = access.loops.iter().map(|each| each.trips).product();
                assert_eq!(of_thread, own as f64, "{text}, {n} x {m}");
                // Numbers from the last iteration on have none.
                let all = of_thread * access.probability * threads as f64;
                assert!((all / (n * m) as f64 - 1.0).abs() < 1e-9, "{text}, {n} x {m}: {all}");
            }
        }
    }
}
