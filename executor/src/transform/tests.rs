//! The judge must find each way in which a transformation can be wrong, and be silent of what is right.

use super::command;
use super::pair::{Code, Pair};
use super::runs::{Effort, Findings, Results, judge};
use super::setups::{self, Aliases};
use crate::oracle::{Stage, compile};

/// What is found where the second source is said to be what became of the first.
fn compared(original: &str, changed: &str, aliases: Aliases) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    let module = |name: &str, text: &str| {
        // Kernels are joined by their names, in which the file's number stands: one file for both.
        let (source, module) = (folder.path().join("kernel.c"), folder.path().join(name));
        std::fs::write(&source, text).unwrap();
        compile(&source, Stage::FrontEnd, &module).unwrap();
        module
    };
    let (original, changed) = (module("original.bc", original), module("changed.bc", changed));
    let pair = Pair::of(&original, &changed, Default::default()).unwrap();
    let parameters = &pair.original.parameters[0];
    let setups = setups::of_parameters(&Default::default(), parameters, aliases).unwrap();
    judge(&pair, 0, &setups, Effort::Usual, Results::Compared)
}

fn kernel(pragma: &str, body: &str) -> String {
    format!(
        "void kernel(int n, int m, float *A, float *B) {{\n#pragma omp target teams distribute parallel for {pragma}\n{body}\n}}\n"
    )
}

fn is_wrong(body: &str, changed: &str, words: &str) {
    let findings = compared(&kernel("", body), &kernel("collapse(2)", changed), Aliases::Possible);
    assert!(findings.setups[0] > 0, "{findings:?}");
    assert!(findings.wrong.iter().any(|wrong| wrong.contains(words)), "{:?}", findings.wrong);
}

fn is_right(body: &str, changed: &str) {
    let findings = compared(&kernel("", body), &kernel("collapse(2)", changed), Aliases::Excluded);
    assert_eq!(findings.wrong, Vec::<String>::new());
    assert!(findings.setups[0] > 5, "{findings:?}");
}

const ROWS: &str = "for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j)";

#[test]
fn a_right_transformation_is_right() {
    let body = format!("{ROWS} A[i * m + j] = 2 * A[i * m + j] + j;");
    let findings = compared(&kernel("", &body), &kernel("collapse(2)", &body), Aliases::Possible);
    assert_eq!(findings.wrong, Vec::<String>::new());
    assert!(findings.setups[0] > 20 && findings.launches > 200, "{findings:?}");
}

#[test]
fn a_loop_that_carries_a_sum_is_found() {
    let body = format!("{ROWS} A[i] += j;");
    is_wrong(&body, &body, "race");
}

#[test]
fn pointers_into_one_array_are_tried() {
    // Apart, the loops inside carry nothing.
    let body = "for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) A[i * (m + 9) + j + 1] = B[i * (m + 9) + j];";
    is_wrong(body, body, " + ");
}

#[test]
fn products_of_negative_sizes_are_tried() {
    let body = format!("{ROWS} A[i * m + j] = 1;");
    // Right where neither is negative.
    let changed = "for (int i = 0; i < 1; ++i) for (int j = 0; j < n * m; ++j) A[j] = 1;";
    is_wrong(&body, changed, "n = -1, m = -1");
}

#[test]
fn a_lost_last_iteration_is_found() {
    let body = format!("{ROWS} A[i * m + j] = 1;");
    is_wrong(&body, &body.replace("j < m", "j < m - 1"), "something else");
}

#[test]
fn an_access_out_of_bounds_is_found() {
    let body = format!("{ROWS} A[i * m + j] = 1;");
    is_wrong(&body, &body.replace("= 1", "= B[(i - 1) * 70000L]"), "failed");
}

/// The guards that MetaFork's slides print for blocks of a size that need not divide the problem's (Chen, Moreno Maza, "Comprehensive optimization of
/// parametric kernels for graphics processing units", 2015): the grid is rounded down, so that what they test never matters, and a remainder is lost.
#[test]
fn guards_of_grids_that_are_rounded_down_are_refuted() {
    let blocks = |count: &str, statement: &str| {
        format!("for (int b = 0; b < {count}; ++b) for (int t = 0; t < 8; ++t) {{ int i = b * 8 + t; {statement} }}")
    };
    // K1: an element a thread. K2: two, of which the second is behind no guard; and with one, the middle of an odd number is lost.
    let reversed = "for (int i = 0; i < n; ++i) A[n - 1 - i] = 2 * B[i];";
    is_wrong(reversed, &blocks("n / 8", "if (i < n) A[n - 1 - i] = 2 * B[i];"), "something else");
    let (first, second) = ("A[n - 1 - i] = 2 * B[i];", "A[n / 2 - 1 - i] = 2 * B[i + n / 2];");
    is_wrong(reversed, &blocks("n / 2 / 8 + 1", &format!("if (i < n / 2) {first} {second}")), "");
    is_wrong(reversed, &blocks("n / 2 / 8 + 1", &format!("if (i < n / 2) {{ {first} {second} }}")), "something else");
    // Jacobi: what is loaded is guarded, how far the grid goes is not.
    let jacobi = "for (int i = 0; i < n - 2; ++i) A[i + 1] = B[i] + B[i + 1] + B[i + 2];";
    let changed = "if (i < n - 2) A[i + 1] = B[i] + B[i + 1] + B[i + 2];";
    is_wrong(jacobi, &blocks("(n - 2) / 8", changed), "something else");
    // With grids that are rounded up, all three are right.
    is_right(reversed, &blocks("n / 8 + 1", "if (i < n) A[n - 1 - i] = 2 * B[i];"));
    let middle = format!(
        "if (i < n / 2) {{ {first} A[n / 2 - 1 - i] = 2 * B[i + (n + 1) / 2]; }} if (i == 0 && n > 0 && n & 1) A[n / 2] = 2 * B[n / 2];"
    );
    is_right(reversed, &blocks("n / 2 / 8 + 1", &middle));
    is_right(jacobi, &blocks("n / 8 + 1", changed));
}

#[test]
fn generated_nests_are_right_and_half_of_them_are_transformed() {
    let mut out = Vec::new();
    let wrong = command::generated(&Code::default(), 1, 100, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(wrong, 0, "{text}");
    let words = text.split(" kernels, ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    assert!(words.parse::<u32>().is_ok_and(|transformed| transformed >= 50), "{text}");
}
