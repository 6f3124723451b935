//! Canonical forms, as text.

mod common;

use common::{check, facts, read, space};
use expect_test::expect;
use ipda_symbolic::{Facts, Interval, ParseError, Polynomial, Signedness, Truth, parse};

#[test]
fn sums_of_products() {
    check("8 + i*4*[n] - 0*j", expect!["4*[n]*i + 8"]);
    check("(i + j)^2 - (i - j)^2", expect!["4*i*j"]);
    check("-(2 - i)", expect!["i - 2"]);
    check("9223372036854775807*9223372036854775807", expect!["85070591730234615847396907784232501249"]);
}

#[test]
fn predicates_are_idempotent_and_complementary() {
    check("[i >= 5]*[i >= 5]", expect!["[i >= 5]"]);
    check("[i >= 5]*[i < 5]", expect!["0"]);
    check("[i >= 5] + [i < 5]", expect!["1"]);
    check("[c]*[c] - [c]", expect!["0"]);
}

#[test]
fn predicates_are_canonical() {
    check("[i < 32]", expect!["-[i >= 32] + 1"]);
    check("[2*i >= 5]", expect!["[i >= 3]"]);
    check("[i < [N]]", expect!["[i < [N]]"]);
    check("[[N] > i]", expect!["[i < [N]]"]);
    check("[i + 1 >= [N]]", expect!["-[i + 1 < [N]] + 1"]);
    check("[2*i == 5]", expect!["0"]);
    check("[4*[n] == 8]", expect!["[[n] == 2]"]);
    check("[i != j]", expect!["-[j == i] + 1"]);
}

#[test]
fn ranges_decide_predicates() {
    check("[i >= 0]", expect!["1"]);
    check("[[N] < 1]", expect!["0"]);
    check("[[n] <= 2147483647]", expect!["1"]);
    check("[[c]*5 >= 6]", expect!["0"]);
}

#[test]
fn predicates_of_conditional_values_are_taken_apart() {
    check("[[c] >= 1]", expect!["[c]"]);
    check("[[c]*i + (1 - [c])*j >= 3]", expect!["[j >= 3] + [c]*[i >= 3] - [c]*[j >= 3]"]);
    check("[[c]*8 + (1 - [c])*j >= 3]", expect!["[c] + [j >= 3] - [c]*[j >= 3]"]);
}

#[test]
fn floor_division() {
    check("floor((8*i + 5) / 4)", expect!["2*i + 1"]);
    check("floor((5*i) / 4)", expect!["i + floor(i / 4)"]);
    check("floor((2*i + 1) / 4)", expect!["floor(i / 2)"]);
    check("floor(([N]*i + j) / [N])", expect!["i + floor(j / [N])"]);
    check("floor(i / (-2))", expect!["floor(i / 2) - i"]);
    check("floor(floor(i / 3) / 5)", expect!["floor(i / 15)"]);
    check("floor((i - floor(i / ([N]*[M]))*[N]*[M]) / [M])", expect!["floor(i / [M]) - [N]*floor(i / ([N]*[M]))"]);
    check("floor([c] / 2)", expect!["0"]);
}

#[test]
fn machine_widths() {
    check("i32([n])", expect!["[n]"]);
    check("i32([n] + 1)", expect!["i32([n] + 1)"]);
    check("i32(i64([n]*[m]) + 4294967297*j)", expect!["i32(j + [n]*[m])"]);
    check("u8(300)", expect!["44"]);
    check("i8(200)", expect!["-56"]);
    check("i64(4294967296*u32([n]))", expect!["4294967296*[n]"]);
}

#[test]
fn operations() {
    check("min(3, i, 5)", expect!["min(i, 3)"]);
    check("max(i, -1)", expect!["i"]);
    check("min(min(i, j), i)", expect!["min(i, j)"]);
    check("and([n], 7)", expect!["[n] - 8*floor([n] / 8)"]);
    check("and([n], 12)", expect!["4*floor([n] / 4) - 16*floor([n] / 16)"]);
    check("and(i, -8)", expect!["8*floor(i / 8)"]);
    check("xor([n], -1)", expect!["-[n] - 1"]);
    check("or(8*i, 5)", expect!["8*i + 5"]);
    check("xor([c], [d])", expect!["[c] + [d] - 2*[c]*[d]"]);
    check("shl(i, 3) + shr(j, 2)", expect!["floor(j / 4) + 8*i"]);
    check("div(i, 4)", expect!["floor(i / 4)"]);
    check("div([n], 4) + rem([n], 4)", expect!["div([n], 4) + rem([n], 4)"]);
    check("rem(i, 4)", expect!["i - 4*floor(i / 4)"]);
    check("div(7, -2)*10 + rem(7, -2)", expect!["-29"]);
}

#[test]
fn loads() {
    check("load4([A] + 4*i) - load4(4*i + [A])", expect!["0"]);
    check("load4([A]) + load8u([A]) + load1[0, 1]@3([A])", expect!["load4([A]) + load8u([A]) + load1[0, 1]@3([A])"]);
}

#[test]
fn errors_say_where_and_what() {
    let error = |text: &str| parse(&mut space(), text).expect_err("the text is wrong");
    assert_eq!(error("4*q"), ParseError { offset: 2, message: "q is not known".into() });
    assert_eq!(error("[i <= ]").to_string(), "at byte 6: expected a number, a name, ( or [");
    assert_eq!(error("[nothing]").offset, 1);
    assert_eq!(error("i j").message, "expected an operator or the end");
    assert_eq!(error("shl(i)").message, "shl has two arguments");
    assert!(error(&"(".repeat(500)).message.starts_with("nested deeper"));
}

#[test]
fn facts_bound_what_ranges_do_not() {
    let mut space = space();
    let facts = facts(&mut space, &["[i < [N]]", "[j < [M]]*[i >= 3]"]);
    let mut proves = |text: &str| {
        let p = read(&mut space, text);
        space.prove_nonneg(&p, &facts)
    };
    assert_eq!(proves("i - 3"), Truth::Yes);
    assert_eq!(proves("i - 4"), Truth::Unknown);
    assert_eq!(proves("[N] - 4"), Truth::Yes);
    assert_eq!(proves("i - [N]"), Truth::No);
    assert_eq!(proves("[N]*[M] - [M]*i - j - 1"), Truth::Yes);
    assert_eq!(proves("[c]*(i - 3) + (1 - [c])*([M] - j - 1)"), Truth::Yes);
}

#[test]
fn minima_and_maxima_are_bound_by_their_arguments() {
    let mut space = space();
    let facts = facts(&mut space, &["[i < [N]]"]);
    let mut proves = |text: &str| {
        let p = read(&mut space, text);
        space.prove_nonneg(&p, &facts).is_yes()
    };
    assert!(proves("max(i, [n]) - i"));
    assert!(proves("i - min(i, [n])"));
    assert!(proves("[N] - 1 - max(i - 1, 0)"));
    assert!(proves("max(i, [n]) - min(i, [n])"));
    assert!(!proves("i - max(i, [n])"));
    assert!(!proves("max(i, [n]) - i - 1"));
    assert!(!proves("[N] - 1 - max(i, 1)"));
}

#[test]
fn undoing_a_collapsed_loop_stays_in_its_bounds() {
    let mut space = space();
    let facts = facts(&mut space, &["[i < [N]*[M]]"]);
    let mut proves = |text: &str| {
        let p = read(&mut space, text);
        space.prove_nonneg(&p, &facts).is_yes()
    };
    assert!(proves("[N] - 1 - floor(i / [M])"));
    assert!(!proves("[N] - 2 - floor(i / [M])"));
    assert!(proves("i - [M]*floor(i / [M])"));
    assert!(proves("[M] - 1 - (i - [M]*floor(i / [M]))"));
    assert!(!proves("[N] - 1 - (i - [M]*floor(i / [M]))"));
}

#[test]
fn facts_simplify_what_is_built_under_them() {
    let mut space = space();
    let facts = facts(&mut space, &["[j < [M]]", "[[n] < 100]", "[[n] >= 0]"]);
    let dividend = read(&mut space, "[M]*i + j");
    let divisor = read(&mut space, "[M]");
    let quotient = space.floor_div(&dividend, &divisor, &facts);
    assert_eq!(space.display(&quotient).to_string(), "i");
    let sum = read(&mut space, "[n] + 1");
    assert_eq!(space.wrap_under(Signedness::Signed, 8, &sum, &facts), sum);
    let condition = read(&mut space, "[n] - 100");
    assert_eq!(space.nonneg_under(&condition, &facts), Polynomial::zero());
}

/// As where a loop that counts down in unsigned arithmetic is entered only for one iteration and more.
#[test]
fn facts_fix_quotients_by_constants() {
    let mut space = space();
    let facts = facts(&mut space, &["[[n] < 100]", "[[n] >= 1]"]);
    let mut quotient = |dividend: &str| {
        let dividend = read(&mut space, dividend);
        let quotient = space.floor_div(&dividend, &Polynomial::from(256), &facts);
        space.display(&quotient).to_string()
    };
    assert_eq!(quotient("[n] + 255"), "1");
    assert_eq!(quotient("-[n] - 256"), "-2");
    assert_eq!(quotient("[n] + 156"), "0");
    assert_eq!(quotient("[n] + 200"), "floor(([n] + 200) / 256)");
    assert_eq!(quotient("[n] + 254"), "floor(([n] + 254) / 256)");
}

#[test]
fn names_stay_apart() {
    let mut space = space();
    let first = space.find("[n]").expect("the vocabulary has n");
    let second = space.symbol(space_symbol("n"));
    let odd = space.symbol(space_symbol("a[3] <= b"));
    let open = space.symbol(space_symbol("a]"));
    let sum = Polynomial::from(first) + second + odd + open;
    let text = space.display(&sum).to_string();
    assert_eq!(text, "[n] + [n.2] + [a[3]<=b] + [a_]");
    assert_eq!(read(&mut space, &text), sum);
}

fn space_symbol(name: &str) -> ipda_symbolic::Symbol {
    ipda_symbolic::Symbol { name: name.into(), range: Interval::ALL, varies: ipda_symbolic::Varies::No }
}

#[test]
fn growth_is_bounded_and_counted() {
    let mut space = space();
    let mut p = read(&mut space, "i + j + k + [n] + [m]");
    for _ in 0..6 {
        let next = space.product(&p, &p);
        p = next.unwrap_or(p);
    }
    assert!(p.terms().len() <= ipda_symbolic::MAX_TERMS);
    assert!(space.limit_hits().total() > 0);
    let hits = space.limit_hits().total();
    let mut nested = read(&mut space, "[n] + [m]");
    for _ in 0..20 {
        let next = &nested * &nested + Polynomial::from(1);
        nested = space.floor_div(&next, &Polynomial::from(3), &Facts::none());
    }
    assert!(space.limit_hits().total() > hits);
    assert!(space.display(&nested).to_string().len() < 20 * ipda_symbolic::MAX_NODES as usize);
}

#[test]
fn powers_with_variable_exponents() {
    check("pow(2, i + 3)", expect!["8*pow(2, i)"]);
    check("pow(8, i)", expect!["pow(2, i)^3"]);
    check("pow(3, 2*i + j)", expect!["pow(3, i)^2*pow(3, j)"]);
    check("pow(2, i - 1)", expect!["pow(2, i - 1)"]);
    check("pow(2, i - j)*pow(2, j)", expect!["pow(2, i - j)*pow(2, j)"]);
    check("shl([n], i)", expect!["[n]*pow(2, i)"]);
    check("shl([n] + 1, i) - shl([n], i)", expect!["pow(2, i)"]);
    check("pow(-1, i)", expect!["-2*i + 4*floor(i / 2) + 1"]);
    check("pow(0, i)", expect!["[i == 0]"]);
    check("pow([n], 3)", expect!["[n]^3"]);
    check("[pow(2, i) >= 1]", expect!["1"]);
}

#[test]
fn masks() {
    check("or(i, 1)", expect!["2*floor(i / 2) + 1"]);
    check("xor(i, 1)", expect!["-i + 4*floor(i / 2) + 1"]);
    check("and([n], -9)", expect!["[n] - 8*floor([n] / 8) + 16*floor([n] / 16)"]);
    check("or([n], 12)", expect!["or([n], 12)"]);
    check("xor(xor([n], 6), 6)", expect!["[n]"]);
    check("and(i, [N] - 1)", expect!["and([N] - 1, i)"]);
    check("or(i, 5)", expect!["or(i, 5)"]);
}

#[test]
fn choices_are_minima_and_maxima() {
    let choose = |condition: &str, a: &str, b: &str| {
        let mut space = space();
        let [condition, a, b] = [condition, a, b].map(|text| read(&mut space, text));
        let chosen = space.choose(&condition, &a, &b, &Facts::none()).expect("it is small");
        space.display(&chosen).to_string()
    };
    assert_eq!(choose("[i < [n]]", "i", "[n]"), "min([n], i)");
    assert_eq!(choose("[i < [n]]", "[n]", "i"), "max([n], i)");
    assert_eq!(choose("[i + 1 < [n]]", "i + 1", "[n]"), "min([n], i + 1)");
    assert_eq!(choose("[[n] < 0]", "-[n]", "[n]"), "max([n], -[n])");
    assert_eq!(choose("[[n] < 3]", "3", "min([n], 9)"), "max(min([n], 9), 3)");
    assert_eq!(choose("[[n] > 9]", "9", "max([n], 3)"), "min(max([n], 3), 9)");
    // The bounds may be the wrong way round, and a comparison with something else chooses neither the minimum nor the maximum.
    assert_eq!(choose("[[n] < 3]", "3", "min([n], [m])"), "[[n] >= 3]*min([n], [m]) - 3*[[n] >= 3] + 3");
    assert_eq!(choose("[i < [m]]", "i", "[n]"), "[n] - [n]*[i < [m]] + i*[i < [m]]");
    assert_eq!(choose("[c]", "i", "[n]"), "[n] - [n]*[c] + [c]*i");
}

#[test]
fn merged_definitions() {
    let merge = |definitions: &[(&str, &str)], conditions: &[&str]| {
        let mut space = space();
        let facts = facts(&mut space, conditions);
        let read = |&(condition, value): &(&str, &str)| (read(&mut space, condition), read(&mut space, value));
        let definitions: Vec<_> = definitions.iter().map(read).collect();
        let merged = space.merge(definitions, &facts).expect("it is small");
        space.display(&merged).to_string()
    };
    let clamp = [("[i < [m]]", "[m]"), ("[i >= [m]]*[i > [n]]", "[n]"), ("[i >= [m]]*[i <= [n]]", "i")];
    assert_eq!(merge(&clamp, &["[[m] <= [n]]"]), "max([m], min([n], i))");
    assert_eq!(merge(&clamp, &[]), "min([n], i) + [m]*[i < [m]] - [i < [m]]*min([n], i)");
    // In no case does anything hold but what is given: what is left out is 0.
    assert_eq!(
        merge(&[("[i < [m]]", "i"), ("[i >= [m]]*[c]", "[m]")], &[]),
        "-[m]*[c]*[i < [m]] + [m]*[c] + i*[i < [m]]"
    );
    assert_eq!(merge(&[("[i < [m]]", "i")], &[]), "i*[i < [m]]");
    // Definitions that hold together add up.
    assert_eq!(merge(&[("[i < [m]]", "i"), ("[c]", "[m]")], &[]), "[m]*[c] + i*[i < [m]]");
}
