//! Strides between the lanes of a warp, as text.

mod common;

use common::{atom, facts, read, space};
use expect_test::{Expect, expect};
use ipda_symbolic::{
    AtomId, Coeff, Facts, Interval, LaneCondition, LaneMap, Polynomial, Space, Start, Stride, Symbol, Varies,
    lane_condition, lane_differences,
};

/// The stride of an address over `i`, one iteration a lane, in aligned warps of 32.
fn check(address: &str, expected: Expect) {
    check_under(address, &[], "1", Start::Aligned, expected);
}

fn check_under(address: &str, conditions: &[&str], step: &str, start: Start, expected: Expect) {
    let mut space = space();
    let e = read(&mut space, address);
    let step = read(&mut space, step);
    let facts = facts(&mut space, conditions);
    let iteration = atom(&space, "i");
    let mut map = LaneMap::new(&mut space, 32);
    map.move_iterations(&mut space, iteration, &step, start).expect("a small step");
    let stride = lane_differences(&mut space, &e, &map, &facts);
    expected.assert_eq(&text(&space, &stride));
}

fn text(space: &Space, stride: &Stride) -> String {
    match stride {
        Stride::Constant(c) => c.to_string(),
        Stride::Vector(lanes) => lanes.iter().map(Coeff::to_string).collect::<Vec<_>>().join(" "),
        Stride::Symbolic(p) => space.display(p).to_string(),
        Stride::RowEnds { within, ends } => {
            let ends = ends
                .iter()
                .map(|end| format!("; each {} {}", space.display(&end.row_length), space.display(&end.difference)));
            format!("{}{}", space.display(within), ends.collect::<String>())
        }
        Stride::PerLane(p) => format!("per lane {}", space.display(p)),
        Stride::DataDependent { index_stride, reason, .. } => format!("{reason}, itself {}", text(space, index_stride)),
        Stride::FollowsData(reason) => reason.clone(),
        Stride::Unknown(reason) => format!("unknown: {reason}"),
    }
}

#[test]
fn affine() {
    check("[A] + 4*i + 8", expect!["4"]);
    check("[A] + 4*[N]*i + 8*j", expect!["4*[N]"]);
    check("[A] + 4*[N]*j", expect!["0"]);
    check("[A] - 4*i", expect!["-4"]);
    check("[A] + 18446744073709551612*i", expect!["-4"]);
    check_under("[A] + 4*i", &[], "4", Start::Anywhere, expect!["16"]);
    check_under("[A] + 4*i", &[], "[N]", Start::Anywhere, expect!["4*[N]"]);
}

#[test]
fn starts_that_depend_on_the_lane_move_with_it() {
    check("[A] + 4*(i + j)", expect!["4"]);
    check("[A] + 4*[N]*(i + j) + 4*i", expect!["4*[N] + 4"]);
}

#[test]
fn conditions_that_whole_warps_share() {
    let figure_4_1 = "[A] + [i < 32]*(512 + 8*i) + [i >= 32]*8*i";
    check(figure_4_1, expect!["8"]);
    check_under(
        figure_4_1,
        &[],
        "1",
        Start::Anywhere,
        expect![
            "per lane 8*[lane number] - 512*[[lane number] + [first iteration] >= 32] + 512*[[first iteration] >= 32]"
        ],
    );
    check_under(figure_4_1, &["[i >= 32]"], "1", Start::Anywhere, expect!["8"]);
}

#[test]
fn different_constants_for_different_lanes() {
    check("[A] + 4*floor(i / 16)", expect!["0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4"]);
    check("[A] + 4*floor(i / 32)", expect!["0"]);
    check("[A] + 8*and(i, 1)", expect!["0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8 0 8"]);
}

#[test]
fn rows_of_collapsed_nests() {
    let row = "floor(i / [N])";
    check(&format!("[A] + 4*[N]*{row} + 4*(i - [N]*{row})"), expect!["4"]);
    check(&format!("[A] + 4*[M]*{row} + 4*j"), expect!["0; each [N] 4*[M]"]);
    check(&format!("[A] + 4*[N]*j + 4*(i - [N]*{row})"), expect!["4; each [N] -4*[N] + 4"]);
    check("[A] + 4*(i - 100*floor(i / 100))", expect!["4; each 100 -396"]);
    check("[A] + 4*(i - 64*floor(i / 64))", expect!["4"]);
    check("[A] + 4*floor(i / [N]) + 400*floor(i / ([N]*[M]))", expect!["0; each [N] 4; each [N]*[M] 404"]);
}

#[test]
fn rows_of_unknown_sign_are_not_rows() {
    check(
        "[A] + 4*floor(i / [n])",
        expect!["per lane 4*floor(([lane number] + 32*[warp number]) / [n]) - 4*floor(32*[warp number] / [n])"],
    );
    check_under("[A] + 4*floor(i / [n])", &["[[n] > 0]"], "1", Start::Aligned, expect!["0; each [n] 4"]);
}

#[test]
fn what_the_lane_does_not_decide() {
    check("[A] + 4*[lane]", expect!["unknown: it is returned by f"]);
    check("[A] + i*i", expect!["per lane [lane number]^2 + 64*[lane number]*[warp number]"]);
}

#[test]
fn loaded_indices() {
    check("[A] + 4*load4([B] + 4*i)", expect!["it depends on the loaded value load4([B] + 4*i), itself 4"]);
    check("[A] + 4*load4([B] + 4*j)", expect!["0"]);
    check("load8u([A] + 8*floor(i / 32)) + 4*i", expect!["4"]);
    check(
        "[A] + load4([B] + 4*load4([B] + 4*i))",
        expect![
            "it depends on the loaded value load4([B] + 4*load4([B] + 4*i)), itself it depends on the loaded value load4([B] + 4*i), itself 4"
        ],
    );
}

/// The stride of an address over `i`, one block of the iterations for each thread.
fn check_blocks(address: &str, conditions: &[&str], count: &str, threads: &str, expected: Expect) {
    let mut space = space();
    let e = read(&mut space, address);
    let (count, threads) = (read(&mut space, count), read(&mut space, threads));
    let facts = facts(&mut space, conditions);
    let iteration = atom(&space, "i");
    let mut map = LaneMap::new(&mut space, 32);
    map.move_blocks(&mut space, iteration, &count, &threads, &facts).expect("a small count");
    let stride = lane_differences(&mut space, &e, &map, &facts);
    expected.assert_eq(&text(&space, &stride));
}

#[test]
fn blocks_of_iterations() {
    check_blocks("[A] + 8*i", &[], "1024", "64", expect!["128"]);
    check_blocks(
        "[A] + 8*i",
        &[],
        "1000",
        "64",
        expect![
            "per lane 120*[lane number] + 8*min([lane number] + 32*[warp of team], 40) - 8*min(32*[warp of team], 40)"
        ],
    );
    check_blocks(
        "[A] + 8*i",
        &["[[n] > 0]"],
        "[n]",
        "64",
        expect![
            "per lane 8*[lane number]*floor([n] / 64) + 8*min([n] - 64*floor([n] / 64), [lane number] + 32*[warp of team]) - 8*min([n] - 64*floor([n] / 64), 32*[warp of team])"
        ],
    );
    check_blocks(
        "[A] + 8*i",
        &["[[n] > 0]"],
        "[n]",
        "[N]",
        expect![
            "per lane 8*[lane number]*floor([n] / [N]) + 8*min([n] - [N]*floor([n] / [N]), [lane number] + 32*[warp of team]) - 8*min([n] - [N]*floor([n] / [N]), 32*[warp of team])"
        ],
    );
    check_blocks("[A] + 8*j", &[], "[n]", "[N]", expect!["0"]);
}

/// Checks a stride against the distance of each lane from lane 0, with values for names.
fn check_distances(space: &Space, stride: &Stride, names: &[(&str, i64)], distances: &[i64]) {
    for (lane, &distance) in distances.iter().enumerate() {
        let mut value_of = |at: AtomId| {
            let known = names.iter().find(|(name, _)| space.label(at) == Some(*name));
            let value = if space.label(at) == Some("[lane number]") {
                Some(lane as i64)
            } else {
                known.map(|(_, value)| *value)
            };
            value.map(Coeff::from)
        };
        let lanes = Coeff::from(lane as u64);
        let found = match stride {
            Stride::Constant(c) => Some(c * &lanes),
            Stride::Vector(all) => Some(all[lane].clone()),
            Stride::Symbolic(p) => space.eval(p, &mut value_of).map(|unit| unit * &lanes),
            Stride::PerLane(p) => space.eval(p, &mut value_of),
            other => panic!("no distances: {}", text(space, other)),
        };
        assert_eq!(found, Some(Coeff::from(distance)), "lane {lane} of {}", text(space, stride));
    }
}

#[test]
fn blocks_are_those_of_the_runtime() {
    for (count, threads) in [(1, 32), (31, 32), (33, 32), (64, 64), (100, 64), (1000, 96), (4095, 128), (4096, 128)] {
        let (block, more) = (count / threads, count % threads);
        let first = |thread: i64| thread * block + thread.min(more);
        for warp in 0..threads / 32 {
            let distances: Vec<i64> = (0..32).map(|lane| 8 * (first(32 * warp + lane) - first(32 * warp))).collect();
            for (count_text, threads_text) in
                [("[n]", "[N]"), ("[n]", &threads.to_string()), (&count.to_string(), "[N]")]
            {
                let mut space = space();
                let e = read(&mut space, "[A] + 8*i");
                let (count_value, threads_value) = (read(&mut space, count_text), read(&mut space, threads_text));
                let iteration = atom(&space, "i");
                let mut map = LaneMap::new(&mut space, 32);
                let facts = facts(&mut space, &["[[n] > 0]"]);
                map.move_blocks(&mut space, iteration, &count_value, &threads_value, &facts).expect("a small count");
                let stride = lane_differences(&mut space, &e, &map, &facts);
                let names = [("[n]", count), ("[N]", threads), ("[warp of team]", warp)];
                check_distances(&space, &stride, &names, &distances);
            }
        }
    }
}

#[test]
fn a_stride_is_right_or_unknown_wherever_steps_run_out() {
    let (count, threads, warp) = (100, 64, 1);
    let first = |thread: i64| thread * (count / threads) + thread.min(count % threads);
    let address = |thread: i64| 8 * first(thread) + 400 * (first(thread) / threads);
    let distances: Vec<i64> = (0..32).map(|lane| address(32 * warp + lane) - address(32 * warp)).collect();
    let names = [("[n]", count), ("[N]", threads), ("[warp of team]", warp), ("[first iteration]", first(32 * warp))];
    let (mut known, budgets) = (0, 400);
    for steps in (0..budgets).map(|number| 50 * number) {
        let mut space = space();
        let e = read(&mut space, "[A] + 8*i + 400*floor(i / [N])");
        let (count_value, threads_value) = (read(&mut space, "[n]"), read(&mut space, "[N]"));
        let iteration = atom(&space, "i");
        let mut map = LaneMap::new(&mut space, 32);
        let facts = facts(&mut space, &["[[n] > 0]"]);
        map.move_blocks(&mut space, iteration, &count_value, &threads_value, &facts).expect("a small count");
        space.set_budget(space.work() + steps);
        let stride = lane_differences(&mut space, &e, &map, &facts);
        if !matches!(stride, Stride::Unknown(_)) {
            known += 1;
            check_distances(&space, &stride, &names, &distances);
        }
    }
    assert!((1..budgets).contains(&known), "{known}");
}

#[test]
fn teams_of_several_dimensions() {
    for [x, y, z] in [[32, 1, 1], [40, 1, 1], [64, 4, 1], [16, 16, 1], [8, 4, 4], [24, 3, 2], [1, 64, 1], [4, 1, 32]] {
        let address = |thread: i64| 4 * (thread % x) + 400 * (thread / x % y) + 40_000 * (thread / x / y);
        for warp in 0..(x * y * z) / 32 {
            let mut space = space();
            let numbers = ["x", "y", "z"].map(|name| {
                let range = Interval::between(0, 1023);
                let number = space.symbol(Symbol { name: name.into(), range, varies: Varies::Thread });
                number.as_atom().expect("a symbol is one atom")
            });
            let e = read(&mut space, "[A] + 4*[x] + 400*[y] + 40000*[z]");
            let mut map = LaneMap::new(&mut space, 32);
            map.move_thread_numbers(&mut space, numbers.map(Some), [x, y, z].map(|extent| Some(extent as u32)), None);
            let stride = lane_differences(&mut space, &e, &map, &Facts::none());
            let distances: Vec<i64> = (0..32).map(|lane| address(32 * warp + lane) - address(32 * warp)).collect();
            check_distances(&space, &stride, &[("[warp of team]", warp)], &distances);
            // The number itself, which is its distance from 0.
            let first = space.find("[x]").map(Polynomial::from).expect("it was declared");
            let is_first = space.zero(&first);
            let places = [("[warp of team]", warp), ("[warp of row]", 32 * warp % x / 32)];
            for lane in 0..32 {
                let expected = (32 * warp + lane) % x == 0;
                let found = match lane_condition(&mut space, &is_first, &map, &Facts::none()) {
                    LaneCondition::Lanes(marked) => marked[lane as usize],
                    LaneCondition::Symbolic(p) => {
                        let mut value_of = |at: AtomId| match space.label(at) {
                            Some("[lane number]") => Some(Coeff::from(lane)),
                            label => places.iter().find(|(name, _)| label == Some(*name)).map(|(_, v)| Coeff::from(*v)),
                        };
                        space.eval(&p, &mut value_of) == Some(Coeff::ONE)
                    }
                    LaneCondition::Uniform if x == 1 => true,
                    other => panic!("{other:?} for {x} {y} {z}"),
                };
                assert_eq!(found, expected, "lane {lane} of warp {warp} of {x} {y} {z}");
            }
        }
    }
}

#[test]
fn a_place_in_a_row_is_none_in_the_team() {
    for [width, height] in [[32, 8], [64, 4], [96, 3]] {
        let address = |thread: i64| 4 * (thread % width) * (thread % width) + 400 * (thread / width);
        for warp in 0..(width * height) / 32 {
            let mut space = space();
            let range = Interval::between(0, 1023);
            let mut number = |name: &str| {
                let symbol = Symbol { name: name.into(), range: range.clone(), varies: Varies::Thread };
                space.symbol(symbol).as_atom().expect("a symbol is one atom")
            };
            let numbers = [Some(number("x")), Some(number("y")), None];
            let e = read(&mut space, "[A] + 4*[x]*[x] + 400*[y]");
            let mut map = LaneMap::new(&mut space, 32);
            map.move_thread_numbers(&mut space, numbers, [Some(width as u32), Some(height as u32), Some(1)], None);
            let stride = lane_differences(&mut space, &e, &map, &Facts::none());
            let distances: Vec<i64> = (0..32).map(|lane| address(32 * warp + lane) - address(32 * warp)).collect();
            check_distances(&space, &stride, &[("[warp of row]", warp % (width / 32))], &distances);
        }
    }
}

#[test]
fn a_row_of_threads_is_a_warp_where_nothing_else_is_known() {
    let mut space = space();
    let numbers = ["x", "y", "z"].map(|name| {
        let range = Interval::between(0, 1023);
        let number = space.symbol(Symbol { name: name.into(), range, varies: Varies::Thread });
        number.as_atom().expect("a symbol is one atom")
    });
    let mut map = LaneMap::new(&mut space, 32);
    map.move_thread_numbers(&mut space, numbers.map(Some), [None; 3], None);
    for (address, expected) in [("4*[x] + 400*[y]", "4"), ("4*[y]", "0"), ("4*[x]*[y]", "per lane 4*[y]*[lane number]")]
    {
        let e = read(&mut space, address);
        let stride = lane_differences(&mut space, &e, &map, &Facts::none());
        assert_eq!(text(&space, &stride), expected);
    }
}

#[test]
fn values_that_follow_data() {
    let mut space = space();
    let found = Varies::Data("it is computed from values loaded from a".into());
    let unknown = Varies::PerThread("it is returned by f".into());
    let mut symbol = |varies| space.symbol(Symbol { name: "v".into(), range: Interval::ALL, varies });
    let (found, unknown) = (symbol(found), symbol(unknown));
    let start = read(&mut space, "[A] + 4*i");
    let iteration = atom(&space, "i");
    let mut map = LaneMap::new(&mut space, 32);
    map.move_iterations(&mut space, iteration, &Polynomial::one(), Start::Aligned).expect("a small step");
    let facts = facts(&mut space, &[]);
    let mut stride = |address| {
        let stride = lane_differences(&mut space, &address, &map, &facts);
        text(&space, &stride)
    };
    expect!["it is computed from values loaded from a"].assert_eq(&stride(&start + &found));
    // What is not understood is not made better by data.
    expect!["unknown: it is returned by f"].assert_eq(&stride(&(&start + &found) + &unknown));
    expect!["4"].assert_eq(&stride(&(&start + &found) - &found));
}
