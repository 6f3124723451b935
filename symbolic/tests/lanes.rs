//! Strides between the lanes of a warp, as text.

mod common;

use common::{atom, facts, read, space};
use expect_test::{Expect, expect};
use ipda_symbolic::{Coeff, Interval, LaneMap, Space, Stride, Symbol, Varies, lane_differences};

/// The stride of an address over `i`, one iteration a lane, in aligned warps of 32.
fn check(address: &str, expected: Expect) {
    check_under(address, &[], "1", Start::Aligned, expected);
}

#[derive(Clone, Copy, PartialEq)]
enum Start {
    Aligned,
    Anywhere,
}

fn check_under(address: &str, conditions: &[&str], step: &str, start: Start, expected: Expect) {
    let mut space = space();
    let e = read(&mut space, address);
    let step = read(&mut space, step);
    let facts = facts(&mut space, conditions);
    let map = LaneMap { lanes: 32, iteration: atom(&space, "i"), step, aligned: start == Start::Aligned };
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
        expect!["unknown: the difference between lanes depends on where the warp starts"],
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
    check("[A] + 4*floor(i / [n])", expect!["unknown: the difference between lanes depends on where the warp starts"]);
    check_under("[A] + 4*floor(i / [n])", &["[[n] > 0]"], "1", Start::Aligned, expect!["0; each [n] 4"]);
}

#[test]
fn what_the_lane_does_not_decide() {
    check("[A] + 4*[lane]", expect!["unknown: it is returned by f"]);
    check("[A] + i*i", expect!["unknown: the difference between lanes depends on where the warp starts"]);
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

#[test]
fn values_that_follow_data() {
    let mut space = space();
    let found = Varies::Data("it is computed from values loaded from a".into());
    let unknown = Varies::PerThread("it is returned by f".into());
    let mut symbol = |varies| space.symbol(Symbol { name: "v".into(), range: Interval::ALL, varies });
    let (found, unknown) = (symbol(found), symbol(unknown));
    let start = read(&mut space, "[A] + 4*i");
    let map = LaneMap { lanes: 32, iteration: atom(&space, "i"), step: read(&mut space, "1"), aligned: true };
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
