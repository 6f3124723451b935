//! docs/research/models.md shows what the models print, and this is it: a table there that differs fails.

mod common;

use common::{gpu, paper_kernel, paper_machine, processor, sums_of_rows, vector_addition};
use ipda_models::cpu::liao_chapman::{self, Part, liao_chapman};
use ipda_models::cpu::{self, Schedule};
use ipda_models::gpu::extended::extended;
use ipda_models::gpu::hong_kim::hong_kim;
use ipda_models::quantity::Cycles;

const DOCUMENT: &str = include_str!("../../docs/research/models.md");

/// The block of the document after the line with this marker.
fn block(marker: &str) -> String {
    let marker = format!("<!-- {marker} -->");
    let (_, after) = DOCUMENT.split_once(&marker).unwrap_or_else(|| panic!("docs/research/models.md lacks {marker}"));
    let (_, text) = after.split_once("```\n").expect("a block after the marker");
    text.split_once("```").expect("the block's end").0.to_owned()
}

#[track_caller]
fn check(marker: &str, printed: &str) {
    assert_eq!(block(marker), printed, "docs/research/models.md, {marker}, should show:\n{printed}");
}

#[test]
fn the_papers_case() {
    check("hong-kim", &hong_kim(&paper_machine(), &paper_kernel()).expect("the paper's inputs").estimate.to_string());
}

#[test]
fn a_vector_addition_on_the_gpu() {
    check("gpu", &extended(&gpu(), &vector_addition(10_000_000)).expect("right inputs").to_string());
}

#[test]
fn a_loop_in_the_published_cpu_model() {
    let part = Part {
        name: "loop".to_owned(),
        iterations: 9600,
        schedule: Schedule::Static,
        machine_per_iter: Cycles::new(100.0),
        cache_per_iter: Cycles::ZERO,
        pages_per_chunk: 0.0,
        ordered: Cycles::ZERO,
        reduction: Cycles::ZERO,
    };
    check("liao-chapman", &liao_chapman(&liao_chapman::power9(), 4, &[part]).expect("right inputs").to_string());
}

#[test]
fn sums_of_rows_on_the_cpu() {
    check("cpu", &cpu::extended(&processor(), &sums_of_rows(10_000, 1000, 8)).expect("right inputs").to_string());
}
