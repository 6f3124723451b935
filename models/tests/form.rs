//! Forms against the numbers that they stand for.

use ipda_models::form::{Form, Leaf, Num, Stage, record};
use proptest::prelude::*;

fn recorded(work: impl FnOnce() -> Num) -> Form {
    record(|| Ok::<_, ()>((vec![work()], ()))).expect("nothing fails").0
}

fn captured(name: &str) -> Num {
    Num::leaf(Leaf::Captured(name.into()))
}

#[test]
fn what_is_known_is_computed_at_once() {
    let form = recorded(|| (Num::new(2.0) + 3.0) * captured("n") * 0.0 + 7.0);
    assert_eq!(form.steps().len(), 1);
    assert_eq!(form.evaluate(|_| None), [7.0]);
}

#[test]
fn the_same_step_is_taken_once() {
    let form = recorded(|| {
        let (n, m) = (captured("n"), captured("m"));
        (n * m + 1.0) / (m * n)
    });
    let products = form.steps().iter().filter(|step| format!("{step:?}").starts_with("Multiply"));
    assert_eq!(products.count(), 1);
}

#[test]
fn what_machines_decide_is_computed_before_the_launch() {
    let form = recorded(|| {
        let rate = Num::leaf(Leaf::Machine("memory.bandwidth".into()));
        let clock = Num::leaf(Leaf::Machine("clock".into()));
        captured("n") * 8.0 / rate * clock
    });
    let late = form.stages().into_iter().filter(|stage| *stage == Stage::Launch).count();
    assert_eq!(late, 2, "a leaf and one product:\n{form}");
    assert_eq!(form.prepared().len(), 1);
}

/// A number made by a random program of so many steps.
fn program(choices: &[(u8, u8, u8)], leaves: [Num; 3]) -> Num {
    let mut all: Vec<Num> = leaves.into_iter().chain([0.0, 1.0, 2.5].map(Num::new)).collect();
    for (kind, a, b) in choices {
        let of = |at: &u8| all[usize::from(*at) % all.len()];
        let (a, b) = (of(a), of(b));
        all.push(match kind % 10 {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            // Nothing is divided by 0.
            3 => a / (b.abs() + 1.0),
            4 => a.min(b),
            5 => a.max(b),
            6 => a.floor(),
            7 => a.less(b).choose(b, a),
            8 => (a.at_most(b)).and(!a.is(b)).number(),
            _ => a.is(0.0).or(b.more(a)).choose(a, 1.0),
        });
    }
    all[all.len() - 1]
}

proptest! {
    #[test]
    fn a_form_gives_what_the_numbers_give(
        choices in prop::collection::vec(any::<(u8, u8, u8)>(), 1..24),
        values in prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), Just(2.5), -8.0..8.0]),
    ) {
        let names = ["a", "b", "c"];
        let form = recorded(|| {
            let leaves = [Num::leaf(Leaf::Machine("a".into())), captured("b"), captured("c")];
            program(&choices, leaves)
        });
        prop_assert!(form.is_sound());
        let expected = program(&choices, values.map(Num::new)).get();
        // Products in another order may be rounded to the other side of a comparison: only where all is exact must both agree.
        let is_exact = values.iter().all(|value| value.fract() == 0.0 || *value == 2.5)
            && !choices.iter().any(|(kind, _, _)| kind % 10 == 3);
        let found = form.evaluate(|leaf| names.iter().position(|name| *name == leaf.to_string()).map(|at| values[at]))[0];
        if is_exact && expected.abs() < 1e15 {
            prop_assert_eq!(found, expected, "{}", form);
        }
        let again = recorded(|| program(&choices, values.map(Num::new)));
        prop_assert_eq!(again.evaluate(|_| None)[0].to_bits(), (expected + 0.0).to_bits());
    }
}
