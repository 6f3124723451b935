//! The algebra against plain evaluation: whatever the constructors make of an expression, its value stays the same.

mod common;

use common::{atom, space};
use ipda_symbolic::{
    AtomId, Coeff, Facts, Interval, LaneCondition, LaneMap, OpaqueOp, Polynomial, Signedness, Space, Start, Stride,
    lane_condition, lane_differences, parse,
};
use proptest::prelude::*;

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![Just(Start::Aligned), Just(Start::Anywhere)]
}

/// An expression as a person would write it, over [`VARIABLES`].
#[derive(Clone, Debug)]
enum Expr {
    Constant(i64),
    Variable(usize),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    FloorDiv(Box<Expr>, Box<Expr>),
    AtLeast(Box<Expr>, Box<Expr>),
    Equal(Box<Expr>, Box<Expr>),
    Wrap(Signedness, u32, Box<Expr>),
    Op(OpaqueOp, Box<Expr>, Box<Expr>),
    /// The third where the first is at least the second, else the fourth.
    Choose([Box<Expr>; 4]),
}

const VARIABLES: [&str; 5] = ["[n]", "[N]", "[c]", "i", "j"];

/// Values of the variables, in their ranges.
fn values() -> impl Strategy<Value = [i64; 5]> {
    (-20_i64..20, 1_i64..12, 0_i64..2, 0_i64..70, 0_i64..20).prop_map(|(n, upper_n, c, i, j)| [n, upper_n, c, i, j])
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(-40_i64..40).prop_map(Expr::Constant), (0..VARIABLES.len()).prop_map(Expr::Variable)];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            3 => pair().prop_map(|(a, b)| Expr::Add(a, b)),
            2 => pair().prop_map(|(a, b)| Expr::Sub(a, b)),
            2 => pair().prop_map(|(a, b)| Expr::Mul(a, b)),
            2 => pair().prop_map(|(a, b)| Expr::FloorDiv(a, b)),
            2 => pair().prop_map(|(a, b)| Expr::AtLeast(a, b)),
            1 => pair().prop_map(|(a, b)| Expr::Equal(a, b)),
            1 => (signedness(), 1_u32..9, inner.clone()).prop_map(|(signed, bits, a)| Expr::Wrap(signed, bits, Box::new(a))),
            2 => (prop::sample::select(OpaqueOp::ALL.to_vec()), pair()).prop_map(|(op, (a, b))| Expr::Op(op, a, b)),
            1 => (pair(), pair()).prop_map(|((a, b), (c, d))| Expr::Choose([a, b, c, d])),
            // What a choice takes is often what it compares.
            1 => pair().prop_map(|(a, b)| Expr::Choose([a.clone(), b.clone(), a, b])),
            1 => pair().prop_map(|(a, b)| Expr::Choose([a.clone(), b.clone(), b, a])),
        ]
    })
}

fn signedness() -> impl Strategy<Value = Signedness> {
    prop_oneof![Just(Signedness::Signed), Just(Signedness::Unsigned)]
}

/// Builds the canonical polynomial.
fn build(space: &mut Space, expr: &Expr, facts: &Facts) -> Polynomial {
    let mut sub = |e: &Expr| build(space, e, facts);
    match expr {
        Expr::Constant(value) => Polynomial::from(*value),
        Expr::Variable(index) => Polynomial::from(atom(space, VARIABLES[*index])),
        Expr::Add(a, b) => sub(a) + sub(b),
        Expr::Sub(a, b) => sub(a) - sub(b),
        Expr::Mul(a, b) => {
            let (a, b) = (sub(a), sub(b));
            space.and(&a, &b)
        }
        Expr::FloorDiv(a, b) => {
            let (a, b) = (sub(a), sub(b));
            space.floor_div(&a, &b, facts)
        }
        Expr::AtLeast(a, b) => {
            let difference = sub(a) - sub(b);
            space.nonneg_under(&difference, facts)
        }
        Expr::Equal(a, b) => {
            let difference = sub(a) - sub(b);
            space.zero_under(&difference, facts)
        }
        Expr::Wrap(signed, bits, a) => {
            let value = sub(a);
            space.wrap_under(*signed, *bits, &value, facts)
        }
        Expr::Op(op, a, b) => {
            let args = vec![sub(a), sub(b)];
            space.op_under(*op, args, facts)
        }
        Expr::Choose([a, b, yes, no]) => {
            let difference = sub(a) - sub(b);
            let (yes, no) = (sub(yes), sub(no));
            let condition = space.nonneg_under(&difference, facts);
            space.choose(&condition, &yes, &no, facts).unwrap_or_default()
        }
    }
}

/// The value by the definitions, without any algebra; `None` where the expression has none or it leaves the machine's integers.
fn evaluate(expr: &Expr, values: &[i64; 5]) -> Option<i128> {
    let sub = |e: &Expr| evaluate(e, values);
    match expr {
        Expr::Constant(value) => Some(i128::from(*value)),
        Expr::Variable(index) => Some(i128::from(values[*index])),
        Expr::Add(a, b) => sub(a)?.checked_add(sub(b)?),
        Expr::Sub(a, b) => sub(a)?.checked_sub(sub(b)?),
        Expr::Mul(a, b) => sub(a)?.checked_mul(sub(b)?),
        Expr::FloorDiv(a, b) => {
            let (a, b) = (sub(a)?, sub(b)?);
            let quotient = a.checked_div(b)?;
            Some(quotient - i128::from(quotient * b != a && (a < 0) != (b < 0)))
        }
        Expr::AtLeast(a, b) => Some(i128::from(sub(a)? >= sub(b)?)),
        Expr::Equal(a, b) => Some(i128::from(sub(a)? == sub(b)?)),
        Expr::Wrap(signed, bits, a) => {
            let residue = sub(a)?.rem_euclid(1 << bits);
            let is_high = *signed == Signedness::Signed && residue >= 1 << (bits - 1);
            Some(if is_high { residue - (1 << bits) } else { residue })
        }
        Expr::Choose([a, b, yes, no]) => {
            let (yes, no) = (sub(yes)?, sub(no)?);
            Some(if sub(a)? >= sub(b)? { yes } else { no })
        }
        Expr::Op(op, a, b) => {
            let (a, b) = (sub(a)?, sub(b)?);
            match op {
                OpaqueOp::Min => Some(a.min(b)),
                OpaqueOp::Max => Some(a.max(b)),
                OpaqueOp::And => Some(a & b),
                OpaqueOp::Or => Some(a | b),
                OpaqueOp::Xor => Some(a ^ b),
                OpaqueOp::Pow => a.checked_pow(u32::try_from(b).ok()?),
                OpaqueOp::Shl => u32::try_from(b).ok().filter(|&b| b < 40).and_then(|b| a.checked_mul(1 << b)),
                OpaqueOp::Shr => u32::try_from(b).ok().map(|b| a >> b.min(127)),
                OpaqueOp::TruncDiv => a.checked_div(b),
                OpaqueOp::TruncRem => a.checked_rem(b),
            }
        }
    }
}

fn lookup(space: &Space, values: &[i64; 5]) -> impl Fn(AtomId) -> Option<Coeff> {
    let atoms: Vec<AtomId> = VARIABLES.iter().map(|label| atom(space, label)).collect();
    let values = *values;
    move |at| atoms.iter().position(|&other| other == at).map(|index| Coeff::from(values[index]))
}

fn value(space: &Space, p: &Polynomial, values: &[i64; 5]) -> Option<Coeff> {
    space.eval(p, &mut lookup(space, values))
}

/// Of one map, no more than one of these occurs.
const PLACES: [&str; 2] = ["[warp number]", "[first iteration]"];

fn value_in_lane(
    space: &Space,
    p: &Polynomial,
    values: &[i64; 5],
    map: &LaneMap,
    lane: usize,
    place: i64,
) -> Option<Coeff> {
    let others = lookup(space, values);
    space.eval(p, &mut |atom| match atom {
        atom if atom == map.lane => Some(Coeff::from(lane as i64)),
        atom if space.label(atom).is_some_and(|label| PLACES.contains(&label)) => Some(Coeff::from(place)),
        atom => others(atom),
    })
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1000);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn construction_keeps_the_value(expr in expr(), values in values()) {
        let mut space = space();
        let p = build(&mut space, &expr, &Facts::none());
        prop_assume!(space.limit_hits().total() == 0);
        if let Some(expected) = evaluate(&expr, &values) {
            let text = space.display(&p).to_string();
            prop_assert_eq!(value(&space, &p, &values), Some(Coeff::from(expected)), "{}", text);
            prop_assert!(space.range(&p).contains(&Coeff::from(expected)), "{} in {}", text, space.range(&p));
        }
    }

    #[test]
    fn facts_that_hold_keep_the_value(expr in expr(), known in prop::collection::vec(expr(), 1..4), values in values()) {
        let mut space = space();
        let mut facts = Facts::none();
        for known in known {
            let known_value = evaluate(&known, &values);
            let p = build(&mut space, &known, &Facts::none());
            match known_value {
                Some(value) if value >= 0 => facts.assume_nonneg(p),
                Some(value) => {
                    let low = space.nonneg(&(-p + Polynomial::from(Coeff::from(value))));
                    facts = space.assume(&facts, &low);
                }
                None => {}
            }
        }
        let p = build(&mut space, &expr, &facts);
        let plain = build(&mut space, &expr, &Facts::none());
        prop_assume!(space.limit_hits().total() == 0);
        if let Some(expected) = evaluate(&expr, &values) {
            let expected = Coeff::from(expected);
            prop_assert_eq!(value(&space, &p, &values), Some(expected.clone()), "{}", space.display(&p));
            prop_assert!(space.range_under(&p, &facts).contains(&expected));
            prop_assert!(space.range_under(&plain, &facts).contains(&expected));
        }
    }

    /// Asked for an interval, the range is the one that is found without, or none where that reaches beyond.
    #[test]
    fn a_range_is_within_what_it_lies_in(expr in expr(), fact in expr(), a in -40i64..40, b in -40i64..40) {
        let mut space = space();
        let (p, fact) = (build(&mut space, &expr, &Facts::none()), build(&mut space, &fact, &Facts::none()));
        let mut facts = Facts::none();
        facts.assume_nonneg(fact);
        for interval in [Interval::between(a, b), Interval::at_least(a), Interval::at_most(b), Interval::ALL] {
            let found = space.range_within(&p, &facts, &interval);
            let range = space.range_under(&p, &facts);
            prop_assume!(space.limit_hits().total() == 0);
            prop_assert_eq!(found, Some(range).filter(|range| range.is_within(&interval)), "{}", space.display(&p));
        }
    }

    #[test]
    fn text_reads_back(expr in expr()) {
        let mut space = space();
        let p = build(&mut space, &expr, &Facts::none());
        prop_assume!(space.limit_hits().total() == 0);
        let text = space.display(&p).to_string();
        let read = parse(&mut space, &text);
        prop_assert_eq!(read, Ok(p), "{}", text);
    }

    #[test]
    fn substitution_is_evaluation_with_another_value(expr in expr(), replacement in expr(), values in values()) {
        let mut space = space();
        let p = build(&mut space, &expr, &Facts::none());
        let q = build(&mut space, &replacement, &Facts::none());
        let n = atom(&space, "[n]");
        let substituted = space.substitute(&p, &mut |at| (at == n).then(|| q.clone()));
        prop_assume!(space.limit_hits().total() == 0);
        if let Some(new) = evaluate(&replacement, &values).and_then(|new| i32::try_from(new).ok()) {
            let mut changed = values;
            changed[0] = i64::from(new);
            if let Some(expected) = value(&space, &p, &changed) {
                prop_assert_eq!(value(&space, &substituted, &values), Some(expected), "{}", space.display(&substituted));
            }
        }
    }

    #[test]
    fn congruence_keeps_residues(expr in expr(), values in values(), bits in 1_u32..70) {
        let mut space = space();
        let p = build(&mut space, &expr, &Facts::none());
        let simpler = space.congruent(bits, &p);
        if let (Some(before), Some(after)) = (value(&space, &p, &values), value(&space, &simpler, &values)) {
            prop_assert_eq!((before - after).rem_euclid(&Coeff::pow2(bits)), Some(Coeff::ZERO), "{}", space.display(&simpler));
        }
    }

    #[test]
    fn conditions_combine_as_truth_values(a in expr(), b in expr(), values in values()) {
        let mut space = space();
        let (p, q) = (build(&mut space, &a, &Facts::none()), build(&mut space, &b, &Facts::none()));
        let (a, b) = (space.nonneg(&p), space.nonneg(&q));
        let not_b = space.not(&b);
        let (both, either, neither) = (space.and(&a, &b), space.or(&a, &b), space.and(&a, &not_b));
        prop_assume!(space.limit_hits().total() == 0);
        prop_assert_eq!(&a * &a, a.clone());
        prop_assert!((&a * &space.not(&a)).is_zero());
        prop_assert_eq!(&both + &neither, a.clone());
        for condition in [&both, &neither, &either] {
            let product = space.conjuncts(condition).iter().fold(Polynomial::one(), |all, part| &all * part);
            prop_assert_eq!(&product, condition);
        }
        if let (Some(x), Some(y)) = (value(&space, &a, &values), value(&space, &b, &values)) {
            prop_assert_eq!(value(&space, &both, &values), Some(x.clone().min(y.clone())));
            prop_assert_eq!(value(&space, &either, &values), Some(x.max(y)));
        }
    }
}

/// The addresses of a warp by evaluation, as differences from lane 0.
fn differences(space: &Space, e: &Polynomial, values: &[i64; 5], step: i64, lanes: u32) -> Option<Vec<Coeff>> {
    let at = |lane: u32| {
        let mut values = *values;
        values[3] += step * i64::from(lane);
        value(space, e, &values)
    };
    let first = at(0)?;
    (0..lanes).map(|lane| Some(at(lane)? - &first)).collect()
}

fn congruent(a: &Coeff, b: &Coeff) -> bool {
    (a - b).rem_euclid(&Coeff::pow2(64)) == Some(Coeff::ZERO)
}

/// Addresses like those of programs: products with the iteration number and parts of it.
fn address() -> impl Strategy<Value = Expr> {
    let constant = |range: std::ops::Range<i64>| range.prop_map(Expr::Constant).prop_map(Box::new);
    let i = || Box::new(Expr::Variable(3));
    let uniform = prop_oneof![
        (-40_i64..40).prop_map(Expr::Constant),
        (0_usize..3).prop_map(Expr::Variable),
        Just(Expr::Variable(4))
    ];
    let length = prop_oneof![(1_i64..20).prop_map(Expr::Constant), Just(Expr::Variable(1))];
    let part = prop_oneof![
        Just(*i()),
        (uniform.clone(), length)
            .prop_map(move |(s, n)| { Expr::FloorDiv(Box::new(Expr::Add(i(), Box::new(s))), Box::new(n)) }),
        constant(-5..70).prop_map(move |c| Expr::AtLeast(i(), c)),
        uniform.clone(),
    ];
    prop::collection::vec((uniform, part), 1..4).prop_map(|terms| {
        terms.into_iter().fold(Expr::Constant(0), |sum, (factor, part)| {
            Expr::Add(Box::new(sum), Box::new(Expr::Mul(Box::new(factor), Box::new(part))))
        })
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn strides_are_those_of_the_lanes(
        expr in prop_oneof![3 => address(), 1 => expr()],
        values in values(),
        step in 1_i64..3,
        warp in 0_i64..8,
        start in start(),
    ) {
        const LANES: u32 = 8;
        let mut space = space();
        let e = build(&mut space, &expr, &Facts::none());
        let step_polynomial = Polynomial::from(step);
        let iteration = atom(&space, "i");
        let mut map = LaneMap::new(&mut space, LANES);
        map.move_iterations(&mut space, iteration, &step_polynomial, start).expect("a small step");
        let stride = lane_differences(&mut space, &e, &map, &Facts::none());
        let mut values = values;
        if start == Start::Aligned {
            values[3] = warp * step * i64::from(LANES);
        }
        let Some(found) = differences(&space, &e, &values, step, LANES) else { return Ok(()) };
        match &stride {
            Stride::Constant(c) => {
                for (lane, found) in found.iter().enumerate() {
                    prop_assert!(congruent(found, &(c * Coeff::from(lane as i64))));
                }
            }
            Stride::Vector(lanes) => prop_assert!(found.iter().zip(lanes).all(|(a, b)| congruent(a, b))),
            Stride::Symbolic(p) => {
                let unit = value(&space, p, &values).expect("a stride has a value where the address has one");
                for (lane, found) in found.iter().enumerate() {
                    prop_assert!(congruent(found, &(&unit * Coeff::from(lane as i64))));
                }
            }
            Stride::PerLane(p) => {
                let place = if start == Start::Aligned { warp } else { values[3] };
                for (lane, found) in found.iter().enumerate() {
                    let here = value_in_lane(&space, p, &values, &map, lane, place);
                    let here = here.expect("a difference has a value where the addresses have one");
                    prop_assert!(congruent(found, &here), "lane {} is {} away, not {}", lane, found, here);
                }
            }
            Stride::RowEnds { within, ends } => {
                let number = |p: &Polynomial| value(&space, p, &values).expect("a stride has a value where the address has one");
                let mut last_end = vec![None; ends.len()];
                for lane in 1..found.len() {
                    let step = &found[lane] - &found[lane - 1];
                    if congruent(&step, &number(within)) {
                        continue;
                    }
                    let level = ends.iter().rposition(|end| congruent(&step, &number(&end.difference)));
                    prop_assert!(level.is_some(), "lane {} differs by {}", lane, step);
                    // Row ends are whole rows apart, unless several levels look alike.
                    if ends.len() == 1
                        && let Some(level) = level
                        && let Some(last) = last_end[level].replace(lane)
                    {
                        let apart = Coeff::from((lane - last) as i64);
                        prop_assert_eq!(apart, number(&ends[level].row_length));
                    }
                }
            }
            Stride::DataDependent { .. } | Stride::FollowsData(_) => prop_assert!(false, "nothing is loaded"),
            Stride::Unknown(reason) => prop_assert!(!reason.is_empty()),
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn conditions_hold_for_the_lanes_that_are_reported(
        expr in prop_oneof![3 => address(), 1 => expr()],
        values in values(),
        warp in 0_i64..8,
        start in start(),
    ) {
        const LANES: u32 = 8;
        let mut space = space();
        let e = build(&mut space, &expr, &Facts::none());
        let condition = space.nonneg(&e);
        let iteration = atom(&space, "i");
        let mut map = LaneMap::new(&mut space, LANES);
        map.move_iterations(&mut space, iteration, &Polynomial::one(), start).expect("a small step");
        let found = lane_condition(&mut space, &condition, &map, &Facts::none());
        let mut values = values;
        if start == Start::Aligned {
            values[3] = warp * i64::from(LANES);
        }
        let place = if start == Start::Aligned { warp } else { values[3] };
        let mut truths = Vec::new();
        for lane in 0..LANES as usize {
            let mut here = values;
            here[3] += lane as i64;
            let Some(value) = value(&space, &condition, &here) else { return Ok(()) };
            truths.push(value.is_one());
        }
        match found {
            LaneCondition::Uniform | LaneCondition::ByWarp => prop_assert!(truths.iter().all(|&truth| truth == truths[0])),
            LaneCondition::Lanes(marked) => prop_assert_eq!(marked, truths),
            LaneCondition::Symbolic(p) => {
                for (lane, truth) in truths.into_iter().enumerate() {
                    let here = value_in_lane(&space, &p, &values, &map, lane, place);
                    prop_assert_eq!(here, Some(Coeff::from(i64::from(truth))));
                }
            }
            LaneCondition::DataDependent(reason) => prop_assert!(false, "nothing is loaded: {}", reason),
            LaneCondition::Unknown(reason) => prop_assert!(!reason.is_empty()),
        }
    }
}
