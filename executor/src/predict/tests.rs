use super::by_place::Setting;
use super::summary::MAX_EXAMPLES;
use super::*;
use crate::interpreter::Extent;
use ipda_models::report::{
    Class, Condition, Group, Hardware, Lanes, LaunchClauses, Mapping, Member, Mode, Region, RegionKind, Report,
    SCHEMA_VERSION, Side, StrideKind, Totals, WarpStart,
};
use proptest::prelude::*;

const H200: MemoryGeometry = MemoryGeometry { lanes: 32, sector_bytes: 32, line_bytes: 128 };
const ALL: u64 = u32::MAX as u64;
const BASE: u64 = 0x1000_0000;

fn access(kind: StrideKind, text: &str) -> Access {
    let mut access: Access = ipda_models::yaml::read(
        "id: acc0\nkind: load\nobject: A\nbytes: 4\nlocation: { file: a.c, line: 3, column: 5 }\naddress: '[A] + 4*i'\n\
         stride: { kind: unknown }\nclass: symbolic\nexecutions: { value: '1' }\n",
    )
    .unwrap();
    (access.stride.kind, access.stride.text) = (kind, Some(text.into()));
    access
}

fn row_ends(within: &str, at_row_ends: &str, row_length: &str) -> Access {
    let mut access = access(StrideKind::RowEnds, within);
    access.stride.at_row_ends = Some(at_row_ends.into());
    access.stride.row_length = Some(row_length.into());
    access
}

/// `n` is 100, `m` is 7, nothing else has a value.
fn symbols(name: &str) -> Option<i128> {
    match name {
        "n" => Some(100),
        "m" => Some(7),
        _ => None,
    }
}

const BANKS: Banks = Banks { count: 32, word_bytes: 4 };
const SETTING: Setting =
    Setting { teams: Extent([3, 1, 1]), threads: Extent([128, 1, 1]), lanes: 32, iterations: Some(200) };

fn prediction(access: &Access) -> Prediction {
    Prediction::of(access, &Reader { geometry: H200, banks: BANKS, setting: SETTING, symbols: &symbols }, None)
}

impl Prediction {
    fn at(&self, active: u64, addresses: &[u64]) -> Verdict {
        self.check(&Warp { place: WarpPlace::default(), active, addresses })
    }

    fn counts_at(&self, active: u64, addresses: &[u64]) -> CountVerdict {
        self.check_counts(&Warp { place: WarpPlace::default(), active, addresses })
    }
}

/// Addresses of 32 lanes by a function of the lane.
fn addresses(of: impl Fn(u64) -> u64) -> Vec<u64> {
    (0..32).map(|lane| BASE.wrapping_add(of(lane))).collect()
}

fn differs(lane: u32, predicted: impl Into<Option<i64>>, measured: i64) -> Verdict {
    Verdict::Differs { lane, predicted: predicted.into(), measured }
}

#[test]
fn a_constant_is_a_distance_for_each_lane() {
    let four = prediction(&access(StrideKind::Constant, "4"));
    assert_eq!(four.at(ALL, &addresses(|lane| 4 * lane)), Verdict::Agrees);
    assert_eq!(four.at(ALL, &addresses(|lane| 8 * lane)), differs(1, 4, 8));
    let one_off = addresses(|lane| 4 * lane + u64::from(lane == 17));
    assert_eq!(four.at(ALL, &one_off), differs(17, 68, 69));
    // The lane that is elsewhere does not run.
    assert_eq!(four.at(ALL & !(1 << 17), &one_off), Verdict::Agrees);
    assert_eq!(four.at(1 << 17, &one_off), Verdict::NotChecked);
    assert_eq!(four.at(0, &one_off), Verdict::NotChecked);
    // Relative to the first lane that runs.
    assert_eq!(four.at(1 << 17 | 1 << 20, &one_off), differs(20, 12, 11));
    let minus = prediction(&access(StrideKind::Constant, "-4"));
    assert_eq!(minus.at(ALL, &addresses(|lane| 0_u64.wrapping_sub(4 * lane))), Verdict::Agrees);
    assert_eq!(minus.at(ALL, &addresses(|lane| 4 * lane)), differs(1, -4, 4));
}

#[test]
fn a_vector_has_a_distance_for_each_lane() {
    let text: Vec<String> = (0..32).map(|lane| (lane * lane).to_string()).collect();
    let squares = prediction(&access(StrideKind::Vector, &text.join(" ")));
    assert_eq!(squares.at(ALL, &addresses(|lane| lane * lane)), Verdict::Agrees);
    assert_eq!(squares.at(ALL & !0b1111, &addresses(|lane| lane * lane)), Verdict::Agrees);
    assert_eq!(squares.at(ALL, &addresses(|lane| lane)), differs(2, 4, 2));
    // Of a list for fewer lanes, nothing is said of the others.
    let short = prediction(&access(StrideKind::Vector, "0 4 8 12"));
    assert_eq!(short.at(0b1111, &addresses(|lane| 4 * lane)), Verdict::Agrees);
    assert_eq!(short.at(ALL, &addresses(|lane| 4 * lane)), Verdict::NotChecked);
}

#[test]
fn expressions_get_the_programs_values() {
    let cases = [
        ("4*[n]", 400),
        ("-4*[n] + [m]", -393),
        ("4*[n]*[m]", 2800),
        ("4*floor([n]/[m])", 56),
        ("4*min([n], [m])", 28),
        ("4*[[m] < [n]]", 4),
        ("4*[[n] <= [m]] + 8", 8),
        ("4*u32([n])", 400),
    ];
    for (text, stride) in cases {
        let expression = prediction(&access(StrideKind::Symbolic, text));
        assert_eq!(expression.at(ALL, &addresses(|lane| lane.wrapping_mul(stride as u64))), Verdict::Agrees, "{text}");
        let other = addresses(|lane| lane.wrapping_mul(stride as u64 + 4));
        assert_eq!(expression.at(ALL, &other), differs(1, stride, stride + 4), "{text}");
    }
}

#[test]
fn without_a_value_only_the_form_is_checked() {
    // A value that is not given, an iteration number, values in memory, another value of a variable's name.
    let texts =
        ["4*[k]", "4*j", "4*load4([p] + 8)", "4*[load4u@2([p] + 8)]", "4*load4[0,9]([p])", "4*[n.2]", "4*#ij.2"];
    for text in texts {
        let open = prediction(&access(StrideKind::Symbolic, text));
        assert_eq!(open.distances, Distances::Multiples, "{text}");
        assert_eq!(open.at(ALL, &addresses(|lane| 52 * lane)), Verdict::AgreesInForm);
        assert_eq!(open.at(ALL, &addresses(|lane| 52 * (lane / 2))), differs(1, None, 0).in_lane(2, 52));
        assert_eq!(open.at(0b11, &addresses(|lane| 52 * lane)), Verdict::NotChecked);
        assert_eq!(open.at(0b1001, &addresses(|lane| 52 * lane + lane % 2)), differs(3, None, 157));
        assert_eq!(open.at(0b101_0001, &addresses(|lane| 52 * lane)), Verdict::AgreesInForm);
    }
    assert_eq!(prediction(&access(StrideKind::DataDependent, "4")).distances, Distances::Open);
    let unknown = prediction(&access(StrideKind::Unknown, "4"));
    assert_eq!(unknown.at(ALL, &addresses(|lane| 4 * lane)), Verdict::NotChecked);
}

impl Verdict {
    fn in_lane(self, lane: u32, measured: i64) -> Verdict {
        match self {
            Verdict::Differs { predicted, .. } => Verdict::Differs { lane, predicted, measured },
            other => other,
        }
    }
}

#[test]
fn rows_end_where_the_warp_happens_to_stand() {
    // Rows of 7 elements in an array with 100 a row.
    let rows = prediction(&row_ends("4", "4*[n] - 4*[m] + 4", "[m]"));
    let at = |start: u64| addresses(move |lane| 400 * ((start + lane) / 7) + 4 * ((start + lane) % 7));
    for start in 0..20 {
        assert_eq!(rows.at(ALL, &at(start)), Verdict::Agrees, "{start}");
        assert_eq!(rows.at(ALL & 0x0f0f_3c30, &at(start)), Verdict::Agrees, "{start}");
    }
    // Rows of another length: the two that fit one end each.
    let mut wrong = at(0);
    wrong[20..].iter_mut().for_each(|address| *address += 372);
    assert_eq!(rows.at(ALL, &wrong), differs(20, 824, 1196));
    let rows_of_6 = addresses(|lane| 400 * (lane / 6) + 4 * (lane % 6));
    assert!(matches!(rows.at(ALL, &rows_of_6), Verdict::Differs { .. }));
    // A row that is longer than a warp may end in it or not, once.
    let long = prediction(&row_ends("4", "-4*[n] + 4", "[n]"));
    let at = |start: u64| addresses(move |lane| 4 * ((start + lane) % 100));
    for start in 0..100 {
        assert_eq!(long.at(ALL, &at(start)), Verdict::Agrees, "{start}");
    }
    assert_eq!(prediction(&row_ends("4", "8", "[k]")).distances, Distances::Open);
    assert_eq!(prediction(&row_ends("4", "8", "[n] - 100")).distances, Distances::Open);
}

proptest! {
    /// Against the enumerated nest: iteration c of `collapse(3)` with `rows` and `columns`, in an array with other extents.
    #[test]
    fn rows_in_rows(
        columns in 1_u64..40,
        rows in 1_u64..6,
        pitch in 0_u64..200,
        plane in 0_u64..2000,
        start in 0_u64..5000,
        active in any::<u32>(),
        victim in 0_u32..32,
    ) {
        let element = |c: u64| {
            4 * (c % columns) + 4 * pitch * (c / columns % rows) + 4 * plane * (c / columns / rows)
        };
        let row_end = 4 * (pitch as i64 - columns as i64 + 1);
        let plane_end = 4 * (plane as i64 - (rows as i64 - 1) * pitch as i64 - columns as i64 + 1);
        let access = row_ends("4", &format!("{row_end}, {plane_end}"), &format!("{columns}, {}", rows * columns));
        let predicted = prediction(&access);
        let mut there = addresses(|lane| element(start + lane));
        let active = u64::from(active | 1 << victim);
        let verdict = predicted.at(active, &there);
        if active.count_ones() < 2 {
            prop_assert_eq!(verdict, Verdict::NotChecked);
        } else {
            prop_assert_eq!(verdict, Verdict::Agrees);
            // Nothing is at an odd distance.
            there[victim as usize] += 1;
            let is_difference = matches!(predicted.at(active, &there), Verdict::Differs { .. });
            prop_assert!(is_difference);
        }
    }

    /// Counting sectors is counting the sectors of all bytes.
    #[test]
    fn sectors_against_a_set(stride in -300_i64..300, start in 0_u64..128, active in 1_u32..) {
        let there = addresses(|lane| (10_000 + start).wrapping_add(lane.wrapping_mul(stride as u64)));
        let bytes = lanes(active.into()).flat_map(|lane| there[lane]..there[lane] + 4);
        let sectors: std::collections::BTreeSet<u64> = bytes.map(|byte| byte / 32).collect();
        prop_assert_eq!(transactions(active.into(), &there, 4, 32), sectors.len() as u64);
    }
}

fn counted(aligned: u64, worst: u64) -> Access {
    let mut access = access(StrideKind::Constant, "4");
    access.sectors = Some(Count { aligned, worst });
    access
}

#[test]
fn counts_are_compared_by_alignment() {
    let right = prediction(&counted(4, 5));
    let shifted = |by: u64| addresses(move |lane| by + 4 * lane);
    assert_eq!(right.counts_at(ALL, &shifted(0)), CountVerdict::Agrees);
    assert_eq!(right.counts_at(ALL, &shifted(4)), CountVerdict::Agrees);
    // Not aligned to its own size: the report does not speak of that.
    assert_eq!(right.counts_at(ALL, &shifted(2)), CountVerdict::NotChecked);
    let differs =
        |predicted: Bound, measured: u64| CountVerdict::Differs { unit: Unit::Pieces(32), predicted, measured };
    let three = prediction(&counted(3, 5));
    assert_eq!(three.counts_at(ALL, &shifted(0)), differs(Bound::Exactly(3), 4));
    assert_eq!(three.counts_at(ALL, &shifted(32)), CountVerdict::Agrees);
    let few = prediction(&counted(4, 4));
    assert_eq!(few.counts_at(ALL, &shifted(4)), differs(Bound::AtMost(4), 5));
    // Half a warp: no more than a whole one.
    assert_eq!(right.counts_at(0xffff, &shifted(0)), CountVerdict::Agrees);
    assert_eq!(prediction(&counted(1, 1)).counts_at(0xffff, &shifted(0)), differs(Bound::AtMost(1), 2));
    // Counted with lane 0 eight bytes behind a boundary.
    let mut behind = counted(5, 5);
    behind.address = "[A] + 4*i + 8".into();
    assert_eq!(prediction(&behind).counts_at(ALL, &shifted(8)), CountVerdict::Agrees);
    assert_eq!(prediction(&behind).counts_at(ALL, &shifted(0)), CountVerdict::Agrees);
    behind.sectors = Some(Count { aligned: 4, worst: 5 });
    assert_eq!(prediction(&behind).counts_at(ALL, &shifted(8)), differs(Bound::Exactly(4), 5));
    // Lines too.
    let mut lines = counted(4, 5);
    lines.lines = Some(Count { aligned: 2, worst: 2 });
    let two = CountVerdict::Differs { unit: Unit::Pieces(128), predicted: Bound::Exactly(2), measured: 1 };
    assert_eq!(prediction(&lines).counts_at(ALL, &shifted(0)), two);
}

fn at_warp(warp: u32, active: u64, addresses: &[u64]) -> Warp<'_> {
    Warp { place: WarpPlace { team: 1, warp }, active, addresses }
}

#[test]
fn per_lane_distances_are_tried_for_every_place_of_the_warp() {
    // Row i of a packed triangle begins at i * (i + 1) / 2.
    let text = "128*[lane number]*[warp number] + 4*floor(([lane number] + [lane number]^2) / 2)";
    let packed = prediction(&access(StrideKind::PerLane, text));
    let at = |first: u64| addresses(move |lane| 2 * (first + lane) * (first + lane + 1));
    for first in [0, 32, 64, 96] {
        assert_eq!(packed.at(ALL, &at(first)), Verdict::Agrees, "{first}");
    }
    // No warp begins there.
    assert!(matches!(packed.at(ALL, &at(31)), Verdict::Differs { .. }));
    // Which warp of the team it is, the run shows.
    let known = prediction(&access(StrideKind::PerLane, "4*[lane number]*[warp of team]"));
    let two = addresses(|lane| 8 * lane);
    assert_eq!(known.check(&at_warp(2, ALL, &two)), Verdict::Agrees);
    assert_eq!(known.check(&at_warp(1, ALL, &two)), differs(1, 4, 8));
    // With more places than are tried nothing is said to be wrong.
    let many = prediction(&access(StrideKind::PerLane, "4*[lane number]*[first iteration]*[warp number]"));
    assert_eq!(many.at(ALL, &addresses(|lane| 8 * lane)), Verdict::Agrees);
    assert_eq!(many.at(ALL, &addresses(|lane| 9 * lane)), Verdict::NotChecked);
    // Loads, iteration numbers and values that nobody gives.
    for text in ["[lane number]*load4([p])", "[lane number]*j", "[lane number]*[k]"] {
        assert_eq!(prediction(&access(StrideKind::PerLane, text)).distances, Distances::Open, "{text}");
    }
    // A step that the team decides.
    let step = prediction(&access(StrideKind::Symbolic, "4*[blockIdx.x] + [threads]"));
    assert_eq!(step.check(&at_warp(0, ALL, &addresses(|lane| 132 * lane))), Verdict::Agrees);
    assert_eq!(step.check(&at_warp(0, ALL, &addresses(|lane| 128 * lane))), differs(1, 132, 128));
}

fn where_holds(value: &str) -> Lanes {
    Lanes::Symbolic { conditions: vec![Condition::Holds { value: value.into() }] }
}

fn made_by(lanes: Lanes) -> Access {
    Access { active_lanes: Some(lanes), ..access(StrideKind::Constant, "4") }
}

#[test]
fn the_lanes_that_make_an_access_are_compared() {
    let four = addresses(|lane| 4 * lane);
    let warp = |active: u64| at_warp(1, active, &four);
    let even = prediction(&made_by(Lanes::fixed([0, 2, 4, 5, 6])));
    assert_eq!(even.check_active(&warp(0b101), None), LanesVerdict::Agrees);
    assert_eq!(even.check_active(&warp(0b11), None), LanesVerdict::Differs { predicted: 0b111_0101 });
    // Where all lanes come, all of these make it.
    assert_eq!(even.check_active(&warp(0b101), Some(ALL)), LanesVerdict::Differs { predicted: 0b111_0101 });
    assert_eq!(even.check_active(&warp(0b101), Some(0b1111)), LanesVerdict::Agrees);
    let all = prediction(&made_by(Lanes::ByWarp));
    assert_eq!(all.check_active(&warp(ALL), Some(ALL)), LanesVerdict::Agrees);
    assert_eq!(all.check_active(&warp(1), Some(ALL)), LanesVerdict::Differs { predicted: ALL });
    assert_eq!(all.check_active(&warp(1), None), LanesVerdict::NotChecked);
    let first = prediction(&made_by(where_holds("[[lane number] + 32*[warp of team] < [m] + 30]")));
    assert_eq!(first.check_active(&warp(0b11111), None), LanesVerdict::Agrees);
    assert_eq!(first.check_active(&warp(0b100000), None), LanesVerdict::Differs { predicted: 0b11111 });
    let not = Condition::HoldsNot { value: "[[lane number] + 32*[warp of team] < [m] + 30]".into() };
    let last = prediction(&made_by(Lanes::Symbolic { conditions: vec![not] }));
    assert_eq!(last.check_active(&warp(0b100000), None), LanesVerdict::Agrees);
    let open = prediction(&made_by(where_holds("[[lane number] < j]")));
    assert_eq!(open.check_active(&warp(1), None), LanesVerdict::NotChecked);
}

#[test]
fn numbers_are_for_the_lanes_that_make_the_access() {
    let mut half = made_by(Lanes::fixed(0..16));
    half.sectors = Some(Count { aligned: 2, worst: 3 });
    let four = addresses(|lane| 4 * lane);
    assert_eq!(prediction(&half).counts_at(0xffff, &four), CountVerdict::Agrees);
    half.sectors = Some(Count { aligned: 3, worst: 3 });
    let wrong = CountVerdict::Differs { unit: Unit::Pieces(32), predicted: Bound::Exactly(3), measured: 2 };
    assert_eq!(prediction(&half).counts_at(0xffff, &four), wrong);
}

#[test]
fn passes_over_banks_are_compared() {
    let column = |needed: u64| {
        let mut access = access(StrideKind::Constant, "128");
        access.bank_passes = Some(Passes { needed, least: 1 });
        prediction(&access)
    };
    let there = addresses(|lane| 4 + 128 * lane);
    assert_eq!(column(32).counts_at(ALL, &there), CountVerdict::Agrees);
    let wrong = CountVerdict::Differs { unit: Unit::Passes, predicted: Bound::Exactly(16), measured: 32 };
    assert_eq!(column(16).counts_at(ALL, &there), wrong);
    // Half a warp needs no more than a whole one.
    assert_eq!(column(32).counts_at(0xffff, &there), CountVerdict::Agrees);
    // In the middle of a word nothing is said.
    assert_eq!(column(16).counts_at(ALL, &addresses(|lane| 1 + 128 * lane)), CountVerdict::NotChecked);
}

fn kernel() -> Kernel {
    Kernel { function: "f".into(), line: 2 }
}

fn report(accesses: Vec<Access>) -> Report {
    let region = Region {
        kind: RegionKind::Target,
        function: "f".into(),
        location: Location { file: "a.c".into(), line: 2, column: 0 },
        mode: Mode::Spmd,
        captures: vec![],
        loops: vec![],
        accesses,
        groups: vec![],
        branches: vec![],
        transformation: None,
        resources: Vec::new(),
        host_code: None,
        on_host: None,
        on_devices: Vec::new(),
        functions: vec![],
        launch: LaunchClauses::default(),
        team_chunk: None,
        team_reduction: None,
        grid_stride: false,
        limits: vec![],
        totals: Totals::default(),
        mapping: vec![Mapping::Apart {
            variable: Some("i".into()),
            iterations: "1".into(),
            start: WarpStart::FullWarps,
        }],
        rejects: vec![],
    };
    let elsewhere = Region { function: "g".into(), ..region.clone() };
    Report {
        ipda_report: SCHEMA_VERSION,
        sources: Vec::new(),
        tool: String::new(),
        source: "a.c".into(),
        side: Side::Device,
        target: "nvptx64-nvidia-cuda".into(),
        hardware: Hardware {
            name: "h200".into(),
            warp_lanes: 32,
            sector_bytes: 32,
            line_bytes: 128,
            banks: 32,
            bank_bytes: 4,
            reuse_sectors: None,
        },
        regions: vec![region, elsewhere],
        rejects: vec![],
    }
}

fn key(column: u32) -> SiteKey {
    SiteKey {
        kernel: kernel(),
        kind: AccessKind::Load,
        memory: MemoryKind::Global,
        bytes: 4,
        location: Some(Location { file: "a.c".into(), line: 3, column }),
        called_from: vec![],
    }
}

fn compare(accesses: Vec<Access>, threads: u32, runs: &[(SiteKey, u64, Vec<u64>)]) -> Summary {
    compare_with(&report(accesses), threads.into(), runs)
}

fn compare_with(report: &Report, threads: Extent, runs: &[(SiteKey, u64, Vec<u64>)]) -> Summary {
    let kernel = kernel();
    let launch = Launch { kernel: &kernel, teams: 3.into(), threads, symbols: &symbols };
    let mut comparison = Comparison::new(report, &launch);
    for (key, active, addresses) in runs {
        let site = comparison.site(key.clone()).expect("global memory is always the user's");
        comparison.observe(site, &Warp { place: WarpPlace::default(), active: *active, addresses });
    }
    comparison.into_summary()
}

fn in_column(column: u32, mut access: Access) -> Access {
    access.location = Some(Location { file: "a.c".into(), line: 3, column });
    access
}

#[test]
fn a_summary_tells_what_came_of_each_site() {
    let accesses = vec![
        in_column(5, counted(4, 5)),
        in_column(6, access(StrideKind::Symbolic, "4*[k]")),
        in_column(7, access(StrideKind::Constant, "8")),
        in_column(8, access(StrideKind::Unknown, "?")),
    ];
    let runs = [
        (key(5), ALL, addresses(|lane| 4 * lane)),
        (key(5), ALL, addresses(|lane| 4 * lane + 4)),
        (key(5), 1, addresses(|lane| 4 * lane)),
        (key(6), ALL, addresses(|lane| 400 * lane)),
        (key(7), ALL, addresses(|lane| 16 * lane)),
        (key(9), ALL, addresses(|lane| 4 * lane)),
        (SiteKey { bytes: 8, ..key(5) }, ALL, addresses(|lane| 8 * lane)),
    ];
    let summary = compare(accesses, 128, &runs);
    let expected = Tally {
        warp_accesses: 7,
        agreeing: 2,
        agreeing_in_form: 1,
        differing: 1,
        not_checked: 3,
        outside_assumption: 0,
        counts_agreeing: 3,
        counts_differing: 0,
        groups_agreeing: 0,
        groups_differing: 0,
        lanes_agreeing: 0,
        lanes_differing: 0,
        right: 4,
        wrong: 1,
    };
    assert_eq!(summary.tally(), expected);
    let kinds = [StrideKind::Constant, StrideKind::Symbolic, StrideKind::Unknown, StrideKind::Vector];
    assert_eq!(kinds.map(|kind| summary.entries_of(kind)), [2, 1, 1, 0]);
    let differing: Vec<&SiteOutcome> = summary.differing().collect();
    assert_eq!(differing.len(), 1);
    assert_eq!((&differing[0].key, differing[0].differences.len()), (&key(7), 1));
    assert_eq!(
        differing[0].differences[0].difference.to_string(),
        "lane 1 is 16 bytes from the first active lane, predicted are 8"
    );
    let keys = |sites: &mut dyn Iterator<Item = &SiteOutcome>| -> Vec<SiteKey> {
        sites.map(|site| site.key.clone()).collect()
    };
    assert_eq!(keys(&mut summary.without_entry()), [key(9), SiteKey { bytes: 8, ..key(5) }]);
    assert_eq!(keys(&mut summary.never_executed()), [key(8)]);
    assert_eq!(summary.ambiguous().count(), 0);
    assert_eq!(key(5).to_string(), "load of 4 bytes at a.c:3:5 in the region of 'f' in line 2");
}

#[test]
fn calls_tell_sites_of_one_place_apart() {
    let from = |line: u32| vec![Location { file: "a.c".into(), line, column: 1 }];
    let near = Access { called_from: from(10), ..access(StrideKind::Constant, "4") };
    let far = Access { called_from: from(11), ..access(StrideKind::Constant, "400") };
    let runs = [
        (SiteKey { called_from: from(10), ..key(5) }, ALL, addresses(|lane| 4 * lane)),
        (SiteKey { called_from: from(11), ..key(5) }, ALL, addresses(|lane| 400 * lane)),
        (key(5), ALL, addresses(|lane| 4 * lane)),
    ];
    let summary = compare(vec![near, far], 128, &runs);
    assert_eq!((summary.tally().agreeing, summary.without_entry().count()), (2, 1));
}

#[test]
fn of_several_entries_one_must_fit() {
    let both = vec![access(StrideKind::Constant, "4"), access(StrideKind::Constant, "400")];
    let runs = [
        (key(5), ALL, addresses(|lane| 4 * lane)),
        (key(5), ALL, addresses(|lane| 400 * lane)),
        (key(5), ALL, addresses(|lane| 8 * lane)),
    ];
    let summary = compare(both, 128, &runs);
    assert_eq!((summary.tally().agreeing, summary.tally().differing), (2, 1));
    assert_eq!(summary.ambiguous().count(), 1);
    // An entry that says nothing may be the one.
    let open = vec![access(StrideKind::Constant, "4"), access(StrideKind::Unknown, "?")];
    let summary = compare(open, 128, &runs);
    assert_eq!((summary.tally().agreeing, summary.tally().differing, summary.tally().not_checked), (1, 0, 2));
    // Twice the same is one.
    let same = vec![access(StrideKind::Constant, "4"), access(StrideKind::Symbolic, "4")];
    let summary = compare(same, 128, &runs);
    assert_eq!((summary.ambiguous().count(), summary.tally().differing), (0, 2));
    assert_eq!(summary.sites[0].entries.len(), 2);
}

#[test]
fn counts_differ_by_themselves() {
    let summary = compare(vec![counted(3, 5)], 128, &[(key(5), ALL, addresses(|lane| 4 * lane))]);
    assert_eq!((summary.tally().agreeing, summary.tally().counts_differing), (1, 1));
    let example = summary.sites[0].differences[0];
    assert_eq!((example.active, example.first_address), (ALL, BASE));
    assert_eq!(example.difference.to_string(), "the warp touches 4 pieces of 32 bytes, predicted are 3");
}

#[test]
fn parts_of_warps_are_outside_of_what_the_report_assumes() {
    let runs = [(key(5), ALL, addresses(|lane| 8 * lane)), (key(5), ALL, addresses(|lane| 4 * lane))];
    let four = || vec![access(StrideKind::Constant, "4")];
    let tally = compare(four(), 48, &runs).tally();
    assert_eq!((tally.agreeing, tally.differing, tally.outside_assumption), (1, 0, 1));
    let tally = compare(four(), 96, &runs).tally();
    assert_eq!((tally.agreeing, tally.differing, tally.outside_assumption), (1, 1, 0));
}

#[test]
fn copies_of_unknown_size_are_one_entry() {
    let copy = Access { kind: AccessKind::CopyTo, bytes: 0, ..access(StrideKind::Unknown, "?") };
    let key = SiteKey { kind: AccessKind::CopyTo, bytes: 12, ..key(5) };
    let summary = compare(vec![copy], 128, &[(key, ALL, addresses(|lane| 32 * lane))]);
    assert_eq!((summary.without_entry().count(), summary.never_executed().count()), (0, 0));
    assert_eq!(summary.tally().warp_accesses, 1);
}

#[test]
fn runs_of_one_kernel_are_added() {
    let wrong = [(key(5), ALL, addresses(|lane| 8 * lane))];
    let accesses = || vec![access(StrideKind::Constant, "4"), in_column(6, access(StrideKind::Constant, "4"))];
    let mut sum = compare(accesses(), 128, &wrong);
    for _ in 0..5 {
        sum.merge(compare(accesses(), 128, &wrong));
    }
    sum.merge(compare(accesses(), 128, &[(key(6), ALL, addresses(|lane| 4 * lane))]));
    assert_eq!((sum.tally().differing, sum.tally().agreeing), (6, 1));
    assert_eq!((sum.sites.len(), sum.sites[0].differences.len()), (2, MAX_EXAMPLES));
    assert_eq!((sum.entries_of(StrideKind::Constant), sum.never_executed().count()), (2, 0));
}

#[test]
fn a_launch_with_narrow_rows_is_outside_of_what_the_report_assumes() {
    let mut report = report(vec![in_column(5, access(StrideKind::Constant, "4"))]);
    report.regions[0].mapping = vec![Mapping::WideTeams];
    let runs = [(key(5), ALL, addresses(|lane| 400 * (lane / 16) + 4 * (lane % 16)))];
    let judged = |threads| {
        let tally = compare_with(&report, Extent(threads), &runs).tally();
        (tally.wrong, tally.outside_assumption)
    };
    assert_eq!(judged([16, 16, 1]), (0, 1));
    assert_eq!(judged([64, 4, 1]), (1, 0));
    assert_eq!(judged([48, 1, 1]), (1, 0));
}

/// Two loads of one structure of 16 bytes: each touches a half of each sector, both together all of it.
fn pair_of_loads(aligned: u64) -> Report {
    let member = |column: u32, offset: i64| {
        let count = Count { aligned: 16, worst: 16 };
        let address = format!("[A] + 16*i + {offset}");
        let stride = access(StrideKind::Constant, "16").stride;
        Access {
            id: format!("acc{column}"),
            bytes: 8,
            address,
            stride,
            sectors: Some(count),
            group: Some("group0".into()),
            class_alone: Some(Class::Strided),
            ..in_column(column, counted(16, 16))
        }
    };
    let mut report = report(vec![member(5, 0), member(6, 8)]);
    let of = |column: u32, offset| Member { access: format!("acc{column}"), offset, bytes: 8 };
    report.regions[0].groups = vec![Group {
        id: "group0".into(),
        members: vec![of(5, 0), of(6, 8)],
        sectors: Some(Count { aligned, worst: aligned }),
        lines: None,
        least: Some(16),
    }];
    report.regions.truncate(1);
    report
}

#[test]
fn a_group_is_measured_when_a_warp_has_made_all_of_it() {
    let load = |column: u32, first: u64| {
        (SiteKey { bytes: 8, ..key(column) }, ALL, addresses(move |lane| 1024 + first + 16 * lane))
    };
    let runs = [load(5, 0), load(6, 8), load(5, 0), load(5, 0), load(6, 8)];
    let summary = compare_with(&pair_of_loads(16), 32.into(), &runs);
    assert_eq!((summary.tally().groups_agreeing, summary.tally().groups_differing), (2, 0));
    let summary = compare_with(&pair_of_loads(32), 32.into(), &runs);
    assert_eq!((summary.tally().groups_agreeing, summary.tally().groups_differing), (0, 2));
    let reported: Vec<String> = summary.sentences().collect();
    assert!(
        reported[0].contains("touches 16 pieces of 32 bytes with all accesses of the group, predicted are 32"),
        "{reported:?}"
    );
    // The second access by other lanes is none of the group.
    let (site, _, places) = load(6, 8);
    let summary = compare_with(&pair_of_loads(32), 32.into(), &[load(5, 0), (site, 1, places)]);
    assert_eq!((summary.tally().groups_agreeing, summary.tally().groups_differing), (0, 0));
}
