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

#[test]
fn generated_nests_are_right_and_half_of_them_are_transformed() {
    let mut out = Vec::new();
    let wrong = command::generated(Code::default(), 1, 100, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(wrong, 0, "{text}");
    let words = text.split(" kernels, ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    assert!(words.parse::<u32>().is_ok_and(|transformed| transformed >= 50), "{text}");
}
