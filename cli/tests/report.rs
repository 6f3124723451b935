//! The program from outside: what it prints, and how it ends. `TRYCMD=overwrite cargo test` blesses the output.

#[test]
fn printed_output() {
    trycmd::TestCases::new().case("tests/report/*.trycmd");
}
