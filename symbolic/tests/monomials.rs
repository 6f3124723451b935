//! Products of powers against lists of powers: few small ones, which fit into a machine word, and others.

use ipda_symbolic::{AtomId, Interval, Monomial, Polynomial, Space, Symbol, Varies};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::LazyLock;

type Powers = BTreeMap<AtomId, u32>;

/// Some atoms with small numbers and some with large ones, of both every third idempotent.
static ATOMS: LazyLock<Vec<AtomId>> = LazyLock::new(|| {
    let mut space = Space::new();
    let mut symbol = |number: usize| {
        let range = if number.is_multiple_of(3) { Interval::BOOLEAN } else { Interval::NON_NEGATIVE };
        let symbol = space.symbol(Symbol { name: "x".into(), range, varies: Varies::No });
        symbol.as_atom().expect("a symbol is one atom")
    };
    let all: Vec<AtomId> = (0..70_000).map(&mut symbol).collect();
    [&all[..4], &all[65_533..65_539], &all[69_997..]].concat()
});

fn powers() -> impl Strategy<Value = Powers> {
    let power = (0..ATOMS.len(), prop_oneof![4 => 1..3_u32, 1 => 3..10_u32]);
    prop::collection::vec(power, 0..5).prop_map(|powers| {
        let power_of = |atom: AtomId, power| if atom.is_idempotent() { 1 } else { power };
        powers.into_iter().map(|(at, power)| (ATOMS[at], power_of(ATOMS[at], power))).collect()
    })
}

fn product(powers: &Powers) -> Monomial {
    let factors = powers.iter().map(|(&atom, &power)| Polynomial::from(atom).pow(power));
    let product = factors.fold(Polynomial::one(), |product, factor| &product * &factor);
    product.leading_term().expect("it is not 0").0.clone()
}

fn together(a: &Powers, b: &Powers) -> Powers {
    let mut sum = a.clone();
    for (&atom, &power) in b {
        let known = sum.entry(atom).or_default();
        *known = if atom.is_idempotent() { 1 } else { *known + power };
    }
    sum
}

fn quotient(a: &Powers, b: &Powers) -> Option<Powers> {
    let mut left = a.clone();
    for (atom, power) in b {
        let known = left.get_mut(atom)?;
        *known = known.checked_sub(*power)?;
    }
    left.retain(|_, power| *power > 0);
    Some(left)
}

fn order(a: &Powers, b: &Powers) -> Ordering {
    let degree = |powers: &Powers| powers.values().sum::<u32>();
    let first = a.keys().chain(b.keys()).filter(|&atom| a.get(atom) != b.get(atom)).min();
    degree(a).cmp(&degree(b)).then_with(|| first.map_or(Ordering::Equal, |atom| a.get(atom).cmp(&b.get(atom))))
}

proptest! {
    #[test]
    fn they_are_what_their_powers_say((a, b) in (powers(), powers())) {
        let (one, other) = (product(&a), product(&b));
        prop_assert!(one.powers().eq(a.iter().map(|(&atom, &power)| (atom, power))));
        prop_assert_eq!(one.powers().len(), a.len());
        prop_assert_eq!(one.degree(), a.values().sum::<u32>());
        prop_assert_eq!(one.is_one(), a.is_empty());
        for &atom in ATOMS.iter() {
            prop_assert_eq!(one.degree_in(atom), a.get(&atom).copied().unwrap_or(0));
        }
        prop_assert_eq!(one == other, a == b);
        prop_assert_eq!(one.cmp(&other), order(&a, &b));
        prop_assert_eq!(one.div_exact(&other), quotient(&a, &b).map(|left| product(&left)));
        let both = together(&a, &b);
        prop_assert_eq!(product(&both), {
            let terms = [&one, &other].map(|monomial| Polynomial::term(monomial.clone(), 1.into()));
            (&terms[0] * &terms[1]).leading_term().expect("it is not 0").0.clone()
        });
    }

    #[test]
    fn a_value_takes_the_place_of_an_atom(a in powers()) {
        let whole = Polynomial::term(product(&a), 3.into());
        for (&atom, &power) in &a {
            let others: Powers = a.iter().filter(|&(&other, _)| other != atom).map(|(&other, &power)| (other, power)).collect();
            let rest = Polynomial::term(product(&others), 3.into());
            prop_assert_eq!(whole.replace(atom, &Polynomial::one()), rest.clone());
            prop_assert_eq!(whole.coefficient_of(atom), (power == 1).then_some(rest));
        }
    }
}
