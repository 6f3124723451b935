//! Limits of size and work, and what is done not to meet them.

mod common;

use common::{read, space};
use ipda_symbolic::{Facts, Interval, LoopId, Polynomial, Space, Symbol, Varies};

fn symbol(name: &str) -> Symbol {
    Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No }
}

#[test]
fn limits_say_which_was_met() {
    let mut space = Space::new();
    let long = |space: &mut Space| {
        (0..20).fold(Polynomial::zero(), |sum, index| sum + space.symbol(symbol(&format!("x{index}"))))
    };
    let (a, b) = (long(&mut space), long(&mut space));
    assert_eq!(space.product(&a, &b), None);
    let steep = space.symbol(symbol("y")).pow(40);
    assert_eq!(space.product(&steep, &steep), None);
    let hits = space.limit_hits();
    assert_eq!((hits.product_terms, hits.product_degree, hits.total()), (1, 1, 2));
    assert_eq!(hits.to_string(), "product-terms 1, product-degree 1");
}

#[test]
fn a_tighter_range_of_iterations_is_seen() {
    let mut space = space();
    let p = read(&mut space, "8 - i");
    assert!(!space.prove_nonneg(&p, &Facts::none()).is_yes());
    space.set_iteration_range(LoopId(0), Interval::between(0, 7));
    assert!(space.prove_nonneg(&p, &Facts::none()).is_yes());
}

#[test]
fn facts_about_other_atoms_do_not_matter() {
    let mut space = space();
    let mut facts = Facts::none();
    // A chain of unrelated facts, longer than the tries that one bound may take, before those that matter.
    for index in 0..200 {
        let (x, y) = (space.symbol(symbol(&format!("x{index}"))), space.symbol(symbol(&format!("y{index}"))));
        facts.assume_nonneg(&x - &y);
    }
    for fact in ["[m] - [n]", "[n] - 3"] {
        facts.assume_nonneg(read(&mut space, fact));
    }
    let p = read(&mut space, "[m] - 3");
    assert!(space.prove_nonneg(&p, &facts).is_yes());
    assert_eq!(space.limit_hits().total(), 0);
}

#[test]
fn where_all_steps_are_used_up_questions_stay_open() {
    let mut space = space();
    let [n, i, fact] = ["[n]", "i", "[n] - i"].map(|text| read(&mut space, text));
    let mut facts = Facts::none();
    facts.assume_nonneg(fact);
    // What ranges tell is known at once; what combines facts takes steps.
    let (plain, combined) = (read(&mut space, "i + 1"), n.clone());
    assert!(space.prove_nonneg(&plain, &facts).is_yes() && space.prove_nonneg(&combined, &facts).is_yes());
    assert!(!space.gave_up());
    space.set_budget(0);
    assert!(space.prove_nonneg(&plain, &facts).is_yes());
    assert!(!space.prove_nonneg(&combined, &facts).is_yes() && !space.proves_nonneg(&combined, &facts));
    assert_eq!(space.product(&n, &i), None);
    // An atom that is not there yet is an unknown value.
    let quotient = space.floor_div(&n, &Polynomial::from(7), &Facts::none());
    assert!(space.unknown_reason(&quotient).is_some());
    assert!(space.gave_up());
    assert!(space.limit_hits().to_string().starts_with("work "), "{}", space.limit_hits());
}

#[test]
fn work_depends_on_what_is_asked_alone() {
    let work = || {
        let mut space = space();
        let quotient = read(&mut space, "floor(([n] + i) / 7)");
        space.substitute(&quotient, &mut |_| Some(Polynomial::from(40)));
        space.work()
    };
    assert!(work() > 0 && work() == work());
}
