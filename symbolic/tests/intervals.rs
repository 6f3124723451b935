//! Interval arithmetic against enumeration: every value of an operation lies in the interval that is computed for it.

use ipda_symbolic::{Coeff, Interval, Signedness};
use proptest::prelude::*;

/// Stands for infinity when an interval is enumerated.
const FAR: i64 = 20;

fn interval() -> impl Strategy<Value = Interval> {
    let bound = |infinite: u32| prop_oneof![infinite => Just(None), 4 => (-9_i64..=9).prop_map(Some)];
    (bound(1), bound(1)).prop_map(|(a, b)| {
        let (low, high) = match (a, b) {
            (Some(a), Some(b)) => (Some(a.min(b)), Some(a.max(b))),
            ends => ends,
        };
        Interval::new(low.map(Coeff::from), high.map(Coeff::from)).expect("the ends are in order")
    })
}

fn values(interval: &Interval) -> Vec<i64> {
    (-FAR..=FAR).filter(|&value| interval.contains(&Coeff::from(value))).collect()
}

fn check(
    a: &Interval,
    b: &Interval,
    computed: &Interval,
    operation: impl Fn(i64, i64) -> Option<i64>,
) -> Result<(), TestCaseError> {
    for x in values(a) {
        for y in values(b) {
            if let Some(value) = operation(x, y) {
                prop_assert!(computed.contains(&Coeff::from(value)), "{value} from {x} and {y} is not in {computed}");
            }
        }
    }
    Ok(())
}

/// As [`check`], and the ends are met where the operands are finite.
fn check_tight(
    a: &Interval,
    b: &Interval,
    computed: &Interval,
    operation: impl Fn(i64, i64) -> Option<i64>,
) -> Result<(), TestCaseError> {
    check(a, b, computed, &operation)?;
    let is_finite = |interval: &Interval| interval.low().is_some() && interval.high().is_some();
    if is_finite(a) && is_finite(b) {
        let all: Vec<i64> = values(a)
            .iter()
            .flat_map(|&x| values(b).into_iter().map(move |y| (x, y)))
            .filter_map(|(x, y)| operation(x, y))
            .collect();
        let (low, high) = (all.iter().min(), all.iter().max());
        if let (Some(&low), Some(&high)) = (low, high) {
            prop_assert_eq!(computed, &Interval::between(low, high));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arithmetic(a in interval(), b in interval()) {
        check_tight(&a, &b, &a.add(&b), |x, y| Some(x + y))?;
        check_tight(&a, &b, &a.sub(&b), |x, y| Some(x - y))?;
        check_tight(&a, &b, &a.mul(&b), |x, y| Some(x * y))?;
        check_tight(&a, &b, &a.min(&b), |x, y| Some(x.min(y)))?;
        check_tight(&a, &b, &a.max(&b), |x, y| Some(x.max(y)))?;
        check_tight(&a, &b, &a.neg(), |x, _| Some(-x))?;
    }

    #[test]
    fn variable_powers(a in interval(), b in interval()) {
        check(&a, &b, &a.to_power(&b), |x, y| u32::try_from(y).ok().and_then(|y| x.checked_pow(y)))?;
    }

    #[test]
    fn powers(a in interval(), exponent in 0_u32..5) {
        check(&a, &a, &a.pow(exponent), |x, _| Some(x.pow(exponent)))?;
    }

    #[test]
    fn division(a in interval(), b in interval()) {
        check(&a, &b, &a.div_floor(&b), |x, y| (y != 0).then(|| (x as f64 / y as f64).floor() as i64))?;
        check(&a, &b, &a.div_trunc(&b), |x, y| x.checked_div(y))?;
        check(&a, &b, &a.rem_trunc(&b), |x, y| x.checked_rem(y))?;
        if !b.contains(&Coeff::ZERO) {
            check_tight(&a, &b, &a.div_floor(&b), |x, y| (y != 0).then(|| (x as f64 / y as f64).floor() as i64))?;
            check_tight(&a, &b, &a.div_trunc(&b), |x, y| x.checked_div(y))?;
        }
    }

    #[test]
    fn bits(a in interval(), b in interval()) {
        check(&a, &b, &a.bit_and(&b), |x, y| Some(x & y))?;
        check(&a, &b, &a.bit_or(&b), |x, y| Some(x | y))?;
        check(&a, &b, &a.bit_xor(&b), |x, y| Some(x ^ y))?;
    }

    #[test]
    fn shifts(a in interval(), b in interval()) {
        check(&a, &b, &a.shl(&b), |x, y| u32::try_from(y).ok().map(|y| x << y))?;
        check(&a, &b, &a.shr(&b), |x, y| u32::try_from(y).ok().map(|y| x >> y))?;
    }

    #[test]
    fn sets(a in interval(), b in interval()) {
        check(&a, &b, &a.hull(&b), |x, _| Some(x))?;
        check(&a, &b, &a.hull(&b), |_, y| Some(y))?;
        let common = a.intersect(&b);
        for value in (-FAR..=FAR).map(Coeff::from) {
            let in_common = common.as_ref().is_some_and(|common| common.contains(&value));
            prop_assert_eq!(in_common, a.contains(&value) && b.contains(&value));
        }
        prop_assert_eq!(a.is_within(&b), a.hull(&b) == b);
    }

    #[test]
    fn comparison(a in interval(), b in interval()) {
        check(&a, &b, &a.at_least_other(&b), |x, y| Some(i64::from(x >= y)))?;
    }
}

#[test]
fn the_corrected_table() {
    let between = |a: i64, b: i64| Interval::between(a, b);
    assert_eq!(between(0, 100).rem_trunc(&between(1, 8)), between(0, 7));
    assert_eq!(between(0, 5).rem_trunc(&between(1, 8)), between(0, 5));
    assert_eq!(between(-1, -1).bit_and(&between(5, 5)), between(0, 5));
    assert_eq!(between(4, 5).bit_or(&between(1, 9)), between(4, 15));
    assert_eq!(between(4, 5).bit_xor(&between(1, 9)), between(0, 15));
    assert_eq!(between(8, 20).div_trunc(&between(2, 4)), between(2, 10));
    assert_eq!(between(1, 8).div_trunc(&between(-1, 4)), Interval::ALL);
    assert_eq!(Interval::of_width(8, Signedness::Signed), between(-128, 127));
    assert_eq!(Interval::of_width(8, Signedness::Unsigned), between(0, 255));
}
