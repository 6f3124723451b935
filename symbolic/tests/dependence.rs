//! The dependence test on the cases that it was made for, and on their twins in which one thing is different.

mod common;

use common::{facts, read, space};
use ipda_symbolic::{
    Access, AtomId, Interval, LoopId, Pair, Polynomial, Space, Step, Symbol, Varies, Vector, dependence,
    dependence_with,
};
use std::collections::BTreeSet;

/// An access in the loops `i`, `j`, `k`, as many as given.
fn access(space: &mut Space, address: &str, bytes: u64, loops: u32, conditions: &[&str]) -> Access {
    let address = read(space, address);
    let facts = facts(space, conditions);
    let mut access = Access { address, bytes, loops: (0..loops).map(LoopId).collect(), facts };
    access.stays_near(&read(space, "[A]"));
    access
}

fn step_text(space: &Space, step: &Step) -> String {
    let signs = [(step.less, '<'), (step.equal, '='), (step.greater, '>')];
    let signs: String = signs.into_iter().filter(|(possible, _)| *possible).map(|(_, sign)| sign).collect();
    let signs = if signs == "<=>" { "*".to_string() } else { signs };
    match &step.distance {
        Some(distance) if signs != "=" => format!("{signs} {}", space.display(distance)),
        _ => signs,
    }
}

fn vector_text(space: &Space, vector: &Vector) -> String {
    let steps: Vec<String> = vector.steps.iter().map(|step| step_text(space, step)).collect();
    let sure = if vector.certain { "!" } else { "" };
    let unless = vector.excluded_if.as_ref().map(|conditions| {
        let conditions: Vec<String> = conditions.iter().map(|p| format!("{} >= 0", space.display(p))).collect();
        format!(" unless {}", conditions.join(", "))
    });
    format!("({}){sure}{}", steps.join(", "), unless.unwrap_or_default())
}

/// Source and sink, each with address and size, in so many common loops and under common facts.
fn between(source: (&str, u64), sink: (&str, u64), loops: u32, conditions: &[&str]) -> String {
    let mut space = space();
    let from = access(&mut space, source.0, source.1, loops, conditions);
    let to = access(&mut space, sink.0, sink.1, loops, conditions);
    test(&mut space, &from, &to, loops, Pair::Two)
}

/// An access with itself.
fn alone(address: &str, loops: u32, conditions: &[&str]) -> String {
    let mut space = space();
    let access = access(&mut space, address, 4, loops, conditions);
    test(&mut space, &access, &access, loops, Pair::Itself)
}

fn test(space: &mut Space, from: &Access, to: &Access, loops: u32, pair: Pair) -> String {
    let common: Vec<LoopId> = (0..loops).map(LoopId).collect();
    let vectors = dependence(space, from, to, &common, pair);
    if vectors.is_empty() {
        return "independent".into();
    }
    let vectors: Vec<String> = vectors.iter().map(|vector| vector_text(space, vector)).collect();
    vectors.join("; ")
}

#[test]
fn the_thesis_figure_4_2() {
    let test = |size: &str, count: u32| {
        let (ahead, here) = (format!("[A] + 4*{size}*(i + 8)"), format!("[A] + 4*{size}*i"));
        between((&ahead, 4), (&here, 4), 1, &[&format!("[i < {count}]")])
    };
    assert_eq!(test("[N]", 6), "independent");
    assert_eq!(test("[N]", 9), "(< 8)!");
    // Where the size may be 0, all iterations meet.
    assert_eq!(test("[n]", 6), "(*) unless [n] - 1 >= 0");
    assert_eq!(test("0", 6), "(*)!");
}

#[test]
fn the_thesis_figure_4_3() {
    let inside = ["[i < [n]]", "[j < [N]]", "[k < [M]]"];
    let (read, write) = ("[A] + 4*([N]*[M]*i + [M]*j + k)", "[A] + 4*([N]*[M]*i + [M]*j + k - 1)");
    assert_eq!(alone(read, 3, &inside), "independent");
    assert_eq!(
        between((write, 4), (read, 4), 3, &inside),
        "(=, =, > -1)!; (=, > -1, <= [M] - 1); (> -1, <= [N] - 1, <= [M] - 1)"
    );
}

#[test]
fn one_dimension() {
    let inside = ["[i < [n]]"];
    assert_eq!(between(("[A] + 4*i", 4), ("[A] + 4*i - 4", 4), 1, &inside), "(< 1)!");
    assert_eq!(between(("[A] + 4*i", 4), ("[A] + 4*i + 4", 4), 1, &inside), "(> -1)!");
    assert_eq!(between(("[A] - 4*i", 4), ("[A] - 4*i + 8", 4), 1, &inside), "(< 2)!");
    assert_eq!(between(("[A] + 8*i", 4), ("[A] + 8*i + 4", 4), 1, &inside), "independent");
    assert_eq!(between(("[A] + 8*i", 8), ("[A] + 8*i + 4", 4), 1, &inside), "(=)!");
    assert_eq!(between(("[A] + 4*i", 8), ("[A] + 4*i", 4), 1, &inside), "(<=)!");
    assert_eq!(between(("[A] + 4*i", 4), ("[A] + 4*i", 8), 1, &inside), "(=>)!");
    assert_eq!(between(("[A]", 4), ("[A]", 4), 1, &inside), "(*)!");
    assert_eq!(alone("[A] + 4*i", 1, &inside), "independent");
    assert_eq!(alone("[A] + 2*i", 1, &inside), "(< 1)!");
    assert_eq!(alone("[A] + 4*i", 2, &["[i < [n]]", "[j < [m]]"]), "(=, <)!");
    assert_eq!(alone("[A] + 4*j", 2, &["[i < [n]]", "[j < [m]]"]), "(<, =)!");
    assert_eq!(alone("[A] + 4*j", 2, &["[i < 1]", "[j < [m]]"]), "independent");
}

#[test]
fn trip_counts() {
    let far = |count: &str| between(("[A] + 4*i", 4), ("[A] + 4*i + 4*[m]", 4), 1, &[&format!("[i < {count}]")]);
    assert_eq!(far("[m]"), "independent");
    assert_eq!(far("[n]"), "(* -[m]) unless [m] - [n] >= 0");
}

#[test]
fn strides_of_unknown_sign() {
    assert_eq!(alone("[A] + 4*[n]*i", 1, &["[i < 100]"]), "(<) unless [n] - 1 >= 0");
    assert_eq!(alone("[A] + 4*[N]*i", 1, &["[i < 100]"]), "independent");
    assert_eq!(alone("[A] - 4*[N]*i", 1, &["[i < 100]"]), "independent");
    assert_eq!(alone("[A] + 4*[n]*i", 1, &["[i < 100]", "[[n] < 0]"]), "independent");
}

#[test]
fn rows_of_symbolic_length() {
    let inside = ["[i < [n]]", "[j < [m]]"];
    assert_eq!(alone("[A] + 4*([m]*i + j)", 2, &inside), "independent");
    assert_eq!(alone("[A] + 4*([N]*i + j)", 2, &["[i < [n]]", "[j < [m]]", "[[N] >= [m]]"]), "independent");
    assert_eq!(alone("[A] + 4*([N]*i + j)", 2, &inside), "(<, >) unless [N] - [m] >= 0");
    assert_eq!(between(("[A] + 4*([m]*i + j)", 4), ("[A] + 4*([m]*i + j)", 4), 2, &inside), "(=, =)!");
    assert_eq!(between(("[A] + 4*([m]*i + j)", 4), ("[A] + 4*([m]*i - [m] + j)", 4), 2, &inside), "(< 1, =)!");
    // Swept along the middle dimension.
    let inside = ["[i < [n]]", "[j < [m]]", "[k < [N]]"];
    let (here, next) = ("[A] + 8*([m]*[N]*i + [N]*j + k)", "[A] + 8*([m]*[N]*i + [N]*j + k - [N])");
    assert_eq!(alone(here, 3, &inside), "independent");
    assert_eq!(between((here, 8), (next, 8), 3, &inside), "(< 1, => -[m] + 1, =); (=, < 1, =)!");
}

#[test]
fn rows_of_a_length_of_unknown_sign() {
    let inside = ["[i < [N]]", "[j < [m]]", "[[m] >= 1]"];
    assert_eq!(alone("[A] + 4*([n]*i + j)", 2, &inside), "(<, *) unless [n] - [m] >= 0");
    assert_eq!(
        between(("[A] + 4*(j + [m]*[n])", 4), ("[A] + 4*j", 4), 2, &inside),
        "(*, * [n]*[m]) unless [n] - 1 >= 0"
    );
    assert_eq!(alone("[A] + 4*(i - 32*floor(i / 32))", 1, &["[i < [n]]"]), "(<) unless -[n] + 32 >= 0");
}

#[test]
fn rows_with_margins() {
    let inside = ["[i < [n]]", "[j < [m]]"];
    assert_eq!(alone("[A] + 4*(([m] + 2)*i + j)", 2, &inside), "independent");
    assert_eq!(alone("[A] + 4*(2*[m]*i + 2*j)", 2, &inside), "independent");
    assert_eq!(
        between(("[A] + 4*(([m] + 2)*i + j)", 4), ("[A] + 4*(([m] + 2)*i + j - [m] - 2)", 4), 2, &inside),
        "(< 1, =)!"
    );
    // One element less than a row, and they meet.
    assert_ne!(alone("[A] + 4*(([m] - 1)*i + j)", 2, &inside), "independent");
}

#[test]
fn rows_of_constant_length() {
    let inside = ["[i < 50]", "[j < 100]"];
    assert_eq!(alone("[A] + 4*(100*i + j)", 2, &inside), "independent");
    assert_eq!(alone("[A] + 4*(99*i + j)", 2, &inside), "(< 1, > -99)!");
    let inside = ["[i < [n]]", "[j < 100]"];
    assert_eq!(
        between(("[A] + 4*(100*i + j + 1)", 4), ("[A] + 4*(100*i + j)", 4), 2, &inside),
        "(=, < 1)!; (< 1, > -99)!"
    );
}

#[test]
fn triangles() {
    let inside = ["[i < [N]]", "[j < i]"];
    assert_eq!(between(("[A] + 4*([N]*i + j)", 4), ("[A] + 4*([N]*j + i)", 4), 2, &inside), "independent");
    let inside = ["[i < [N]]", "[j <= i]"];
    assert_eq!(between(("[A] + 4*([N]*i + j)", 4), ("[A] + 4*([N]*j + i)", 4), 2, &inside), "(=, =)");
    assert_eq!(alone("[A] + 4*([N]*i + j)", 2, &inside), "independent");
}

#[test]
fn cholesky_right_looking() {
    let inside = ["[i < [N]]", "[j < [N] - i - 1]", "[k <= j]"];
    let below = ("[A] + 4*([N]*(i + j + 1) + i + k + 1)", 4);
    assert_eq!(between(below, ("[A] + 4*([N]*(i + j + 1) + i)", 4), 3, &inside), "(<, >, *)");
    assert_eq!(between(below, ("[A] + 4*([N]*(i + k + 1) + i)", 4), 3, &inside), "(<, *, *)");
}

#[test]
fn quotients() {
    let inside = ["[i < [n]*[N]]"];
    assert_eq!(alone("[A] + 4*([M]*floor(i / [N]) + i - [N]*floor(i / [N]))", 1, &inside), "(<) unless [M] - [N] >= 0");
    assert_eq!(
        alone("[A] + 4*([M]*floor(i / [N]) + i - [N]*floor(i / [N]))", 1, &["[i < [n]*[N]]", "[[M] >= [N]]"]),
        "independent"
    );
}

#[test]
fn conditions() {
    assert_eq!(alone("[A] + 4*i + 4*[c]*[n]", 1, &["[i < [n]]"]), "independent");
    assert_eq!(between(("[A] + 4*i", 4), ("[A] + 4*i + 400*[c]", 4), 1, &["[i < 100]"]), "(=) unless [c] - 1 >= 0");
    assert_eq!(between(("[A] + 4*i", 4), ("[A] + 4*i + 400*[c]", 4), 1, &["[i < 101]"]), "(=> -100*[c])");
    let mut space = space();
    let from = access(&mut space, "[A] + 4*i", 4, 1, &["[i < [n]]", "[i < [m]]"]);
    let to = access(&mut space, "[A] + 4*i", 4, 1, &["[i < [n]]", "[i >= [m]]"]);
    assert_eq!(test(&mut space, &from, &to, 1, Pair::Two), "independent");
    let to = access(&mut space, "[A] + 4*i", 4, 1, &["[i < [n]]", "[i >= [m] - 1]"]);
    assert_eq!(test(&mut space, &from, &to, 1, Pair::Two), "(=) unless [m] - [n] - 1 >= 0");
    let from = access(&mut space, "[A]", 4, 1, &["[i < [n]]", "[c]"]);
    let to = access(&mut space, "[A]", 4, 1, &["[i < [n]]", "1 - [c]"]);
    assert_eq!(test(&mut space, &from, &to, 1, Pair::Two), "independent");
}

#[test]
fn addresses_are_residues() {
    // What is 2^61 elements of 8 bytes apart is one place.
    let test = |iterations: &str, is_near: bool| {
        let mut space = space();
        let [address, bound] = ["[A] + 8*i", iterations].map(|text| read(&mut space, text));
        let mut facts = ipda_symbolic::Facts::none();
        facts.assume_nonneg(bound - space.iteration(LoopId(0)));
        let mut access = Access { address, bytes: 8, loops: vec![LoopId(0)], facts };
        if is_near {
            access.stays_near(&read(&mut space, "[A]"));
        }
        test_alone(&mut space, &access)
    };
    assert_eq!(test("4611686018427387903", false), "(< 2305843009213693952)!");
    assert_eq!(test("4611686018427387903", true), "independent");
    assert_eq!(test("1152921504606846975", false), "independent");
}

fn test_alone(space: &mut Space, access: &Access) -> String {
    test(space, access, access, 1, Pair::Itself)
}

/// `A[i*9 + x]` with itself, where `x` is what is given.
fn with_unknown(make: impl FnOnce(&mut Space) -> Polynomial, is_constant: bool) -> String {
    let mut space = space();
    let unknown = make(&mut space);
    let mut access = access(&mut space, "[A] + 36*i", 4, 1, &["[i < [n]]"]);
    access.address = &access.address + &unknown.scale(&4.into());
    access.stays_near(&read(&mut space, "[A]"));
    let vectors = dependence_with(&mut space, &access, &access, &[LoopId(0)], Pair::Itself, &|_: AtomId| is_constant);
    let vectors: Vec<String> = vectors.iter().map(|vector| vector_text(&space, vector)).collect();
    vectors.join("; ")
}

#[test]
fn unknown_values() {
    let symbol = |high: i64, varies: Varies| {
        move |space: &mut Space| space.symbol(Symbol { name: "x".into(), range: Interval::between(0, high), varies })
    };
    let with_loop = || Varies::WithLoops(BTreeSet::from([LoopId(0)]));
    // One value, or one that stays in its row.
    assert_eq!(with_unknown(symbol(100, Varies::No), false), "");
    assert_eq!(with_unknown(symbol(8, with_loop()), false), "");
    assert_eq!(with_unknown(symbol(9, with_loop()), false), "(< 1)");
    assert_eq!(with_unknown(symbol(9, Varies::Thread), false), "(< 1)");
    assert_eq!(with_unknown(symbol(9, Varies::PerThread("it is unknown".into())), false), "(< 1)");
    // A loaded value is the same in all iterations only where nothing writes there.
    let load = |space: &mut Space| {
        let address = read(space, "[B]");
        space.load(address, 4, 0, Interval::between(0, 100))
    };
    assert_eq!(with_unknown(load, true), "");
    assert_eq!(with_unknown(load, false), "(<)");
}

#[test]
fn halves_are_read_before_they_are_written() {
    // A load of half the index, and a store: an iteration reads what it or an earlier one has written.
    let test = |source: &str, sink: &str| between((source, 4), (sink, 4), 1, &["[i < [n]]"]);
    assert_eq!(test("[A] + 4*floor(i / 2)", "[A] + 4*i"), "(=>)");
    assert_eq!(test("[A] + 4*i", "[A] + 4*floor(i / 2)"), "(<=)");
    // In the twin, later ones write what is read.
    assert_eq!(test("[A] + 4*floor(i / 2) + 8", "[A] + 4*i"), "(*)");
}

/// Two accesses of a nest in which each loop runs as many iterations as the sum of the numbers around it: vectors, and steps of work.
fn in_a_deep_triangle(budget: u64) -> (Vec<Vector>, u64) {
    const LOOPS: u32 = 6;
    let mut space = Space::new();
    let symbol = |name: &str| Symbol { name: name.into(), range: Interval::at_least(1), varies: Varies::No };
    let base = Symbol { name: "a".into(), range: Interval::ALL, varies: Varies::No };
    let (a, n, m) = (space.symbol(base), space.symbol(symbol("n")), space.symbol(symbol("m")));
    let mut facts = ipda_symbolic::Facts::none();
    let (mut around, mut offset) = (Polynomial::zero(), Polynomial::zero());
    for id in (0..LOOPS).map(LoopId) {
        space.set_iteration_range(id, Interval::at_least(0));
        let number = space.iteration(id);
        facts.assume_nonneg(&around + &m - &number - Polynomial::one());
        offset = &offset + &(&number * &n);
        around = around + number;
    }
    let loops: Vec<LoopId> = (0..LOOPS).map(LoopId).collect();
    let at = |more: i64| {
        let address = &a + &offset + Polynomial::from(more);
        let mut access = Access { address, bytes: 1, loops: loops.clone(), facts: facts.clone() };
        access.stays_near(&a);
        access
    };
    space.set_budget(budget);
    let vectors = dependence(&mut space, &at(0), &at(0), &loops, Pair::Two);
    (vectors, space.work())
}

#[test]
fn what_eliminates_bounds_counts_as_work() {
    let (all, needed) = in_a_deep_triangle(u64::MAX);
    let meets_itself = |vectors: &[Vector]| vectors.iter().any(|vector| vector.steps.iter().all(|step| step.equal));
    assert!(meets_itself(&all) && needed > 10_000, "{needed}");
    for part in [1, 2, 4, 16, 64, 256] {
        let (vectors, work) = in_a_deep_triangle(needed / part);
        // What is left open may meet; little is done behind the end of all steps.
        assert!(meets_itself(&vectors), "{part}");
        assert!(work <= needed / part + 1000 + needed / 4, "{work} steps of {}", needed / part);
    }
}

#[test]
fn mirror_images_are_excluded_under_the_same_conditions() {
    let inside = ["[i < [n]]", "[j < [m]]"];
    let rows = |by: &str| between(("[A] + 400*i + 4*j", 4), (&format!("[A] + 400*i + 4*(j {by})"), 4), 2, &inside);
    // Row i + 1 has what is `by` elements further on in row i, and the other way round.
    assert_eq!(rows("- 1"), "(<, >) unless -[m] + 99 >= 0; (=, < 1); (>, <) unless -[m] + 99 >= 0");
    assert_eq!(rows("+ 1"), "(<, >) unless -[m] + 101 >= 0; (=, > -1); (>, <) unless -[m] + 99 >= 0");
    let turned = |by: &str| between((&format!("[A] + 400*i + 4*(j {by})"), 4), ("[A] + 400*i + 4*j", 4), 2, &inside);
    assert_eq!(turned("- 1"), rows("+ 1"));
    assert_eq!(turned("+ 1"), rows("- 1"));
}

#[test]
fn digits_of_one_number() {
    let rows = |length: &str, by: &str, conditions: &[&str]| {
        alone(
            &format!("[A] + 4*({by})*floor(i / ({length})) + 4*(i - ({length})*floor(i / ({length})))"),
            1,
            conditions,
        )
    };
    let all = ["[i < [n]]"];
    assert_eq!(rows("64", "65", &all), "independent");
    assert_eq!(rows("64", "64", &all), "independent");
    // The last of a row is the first of the next one.
    assert_eq!(rows("64", "63", &all), "(< 1) unless -[n] + 64 >= 0");
    assert_eq!(alone("[A] + 4*floor(i / 64)", 1, &all), "(<)");
    // Lengths that are known before the loop runs.
    assert_eq!(rows("[N]", "100", &all), "(<) unless -[N] + 100 >= 0");
    assert_eq!(rows("[N]", "[N] + 1", &all), "independent");
    assert_eq!(rows("[N]", "[m]", &all), "(<) unless [m] - [N] >= 0");
    assert_eq!(rows("[m]", "100", &["[i < [n]]", "[1 <= [m]]"]), "(<) unless -[m] + 100 >= 0");
    // A length that may be negative has other rests.
    assert_ne!(rows("[m]", "[m]", &all), "(<) unless -[m] + 100 >= 0");
}

/// What a number's digits `x mod d`, `x / d mod e` and `x / (d*e)` with weights lead to, against enumeration; and where the weight of each is at least
/// what the digits below it add together, no two numbers meet.
#[test]
fn weights_that_do_not_overlap_tell_digits_apart() {
    let mut reported = 0;
    for (d, e) in [(2, 2), (3, 2)] {
        let weights = [0, 2, 2 * d - 1, 2 * d, 2 * d + 1, 4 * d * e];
        for at in 0..weights.len().pow(3) {
            let [w0, w1, w2] = [1, 6, 36].map(|by| weights[at / by % 6]);
            let de = d * e;
            let address = format!(
                "[A] + {w0}*(i - {d}*floor(i / {d})) + {w1}*(floor(i / {d}) - {e}*floor(i / {de})) + {w2}*floor(i / {de})"
            );
            let count = 3 * de;
            let mut space = space();
            let mut access = access(&mut space, &address, 2, 1, &[&format!("[i < {count}]")]);
            access.bytes = 2;
            let place = |x: i64| w0 * (x % d) + w1 * (x / d % e) + w2 * (x / de);
            let meets = |by: i64| (0..count - by).any(|x| (place(x + by) - place(x)).abs() < 2);
            let vectors = dependence(&mut space, &access, &access, &[LoopId(0)], Pair::Itself);
            let is_apart = w0 >= 2 && w1 >= (d - 1) * w0 + 2 && w2 >= (e - 1) * w1 + (d - 1) * w0 + 2;
            assert!(!is_apart || vectors.is_empty(), "{address}: {vectors:?}");
            reported += usize::from(vectors.is_empty());
            for by in (1..count).filter(|&by| meets(by)) {
                let is_reported = |vector: &Vector| {
                    let step = &vector.steps[0];
                    step.less && step.distance.as_ref().is_none_or(|distance| *distance == Polynomial::from(by))
                };
                assert!(vectors.iter().any(is_reported), "{address} meets itself {by} iterations on: {vectors:?}");
            }
        }
    }
    assert!(reported >= 6, "{reported}");
}
