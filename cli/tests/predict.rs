//! `ipda predict` from outside: what it prints, and the examples of docs/predict.md. `TRYCMD=overwrite cargo test` blesses the output.

#[test]
fn printed_predictions() {
    trycmd::TestCases::new().case("tests/predict/*.trycmd").case("../docs/predict.md");
}
