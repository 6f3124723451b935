//! What expressions are at least and at most over the iterations of loops: on known cases, and against all iterations of small loops.

mod common;

use common::{atom, facts, read, space};
use ipda_symbolic::{AtomId, Coeff, End, Facts, OpaqueOp, Polynomial, Running, Signedness, Space, Unbounded};
use proptest::prelude::*;

/// The bounds over `j` from 0 to before `m`, if it occurs, and over `i` from 0 to before `n`, both of which run.
fn bounds(text: &str) -> String {
    let mut space = space();
    let p = read(&mut space, text);
    let facts = facts(&mut space, &["[i < [n]]", "[j < [m]]", "[[n] >= 1]", "[[m] >= 1]"]);
    let numbers = [running(&mut space, "j", Some("[m] - 1")), running(&mut space, "i", Some("[n] - 1"))];
    bounds_of(&mut space, &p, &numbers, &facts)
}

fn running(space: &mut Space, number: &str, last: Option<&str>) -> Running {
    Running { number: atom(space, number), last: last.map(|last| read(space, last)) }
}

fn bounds_of(space: &mut Space, p: &Polynomial, numbers: &[Running], facts: &Facts) -> String {
    let mut text = |end| match space.extreme(p, numbers, facts, end) {
        Ok(bound) => space.display(&bound).to_string(),
        Err(reason) => match reason {
            Unbounded::Uneven(at) => format!("uneven in {}", space.display(&at.into())),
            Unbounded::Endless(at) => format!("no end of {}", space.display(&at.into())),
            Unbounded::Data(at) => format!("data by {}", space.display(&at.into())),
            Unbounded::TooLarge => "too large".into(),
        },
    };
    let (min, max) = (text(End::Min), text(End::Max));
    format!("{min} .. {max}")
}

#[test]
fn sums_go_to_the_ends_of_their_numbers() {
    assert_eq!(bounds("4*i"), "0 .. 4*[n] - 4");
    assert_eq!(bounds("3 - 4*i + 8*j"), "-4*[n] + 7 .. 8*[m] - 5");
    assert_eq!(bounds("[N]*i + j"), "0 .. [m] + [n]*[N] - [N] - 1");
    assert_eq!(bounds("i*i - i"), "0 .. [n]^2 - 3*[n] + 2");
    assert_eq!(bounds("i*j"), "0 .. [n]*[m] - [n] - [m] + 1");
    // The sign of c - 1 is not known: one of both ends.
    assert_eq!(
        bounds("([M] - [N])*i"),
        "min([N] - [n]*[N] + [n]*[M] - [M], 0) .. max([N] - [n]*[N] + [n]*[M] - [M], 0)"
    );
}

#[test]
fn quotients_and_remainders() {
    assert_eq!(bounds("floor(i / 2)"), "0 .. floor(([n] + 1) / 2) - 1");
    assert_eq!(bounds("-floor(i / 2)"), "-floor(([n] + 1) / 2) + 1 .. 0");
    assert_eq!(bounds("i - 24*floor(i / 24)"), "0 .. 23");
    assert_eq!(bounds("3*i - 256*floor(3*i / 256)"), "0 .. 255");
    assert_eq!(bounds("i - [N]*floor(i / [N])"), "0 .. [N] - 1");
    assert_eq!(bounds("rem(i, [m])"), "0 .. max([m], -[m]) - 1");
    assert_eq!(bounds("rem([n] - i, [m])"), "0 .. max([m], -[m]) - 1");
    assert_eq!(bounds("rem(5 - i, [m])"), "-max([m], -[m]) + 1 .. max([m], -[m]) - 1");
}

#[test]
fn a_collapsed_nest_has_rows_and_places() {
    let mut space = space();
    let p = read(&mut space, "[M]*floor(i / [N]) + (i - [N]*floor(i / [N]))");
    let facts = facts(&mut space, &["[i < [N]*[M]]"]);
    let numbers = [running(&mut space, "i", Some("[N]*[M] - 1"))];
    assert_eq!(bounds_of(&mut space, &p, &numbers, &facts), "0 .. [N] + [M]^2 - [M] - 1");
}

#[test]
fn choices_go_by_case() {
    assert_eq!(bounds("max(i - 1, 0)"), "0 .. max([n] - 2, 0)");
    assert_eq!(bounds("min(i + 1, [n] - 1)"), "min([n] - 1, 1) .. [n] - 1");
    assert_eq!(bounds("i - min(i, [m])"), "max(-[m], 0) .. max([n] - [m] - 1, 0)");
    assert_eq!(bounds("u8(3*i)"), "0 .. 255");
    assert_eq!(bounds("i32(3*i)"), "-2147483648 .. 2147483647");
    assert_eq!(bounds("u64(3*i - 5)"), "0 .. uneven in i");
    assert_eq!(bounds("[m]*[i == 0] + i"), "0 .. max([n] - 1, [m])");
    assert_eq!(bounds("[i >= [m]]*(i - [m])"), "0 .. max([n] - [m] - 1, 0)");
}

#[test]
fn sizes_are_at_least_0() {
    let mut space = space();
    let facts = facts(&mut space, &["[i < [N]]"]);
    let numbers = [running(&mut space, "i", Some("[N] - 1"))];
    let mut bounds = |text: &str| {
        let p = read(&mut space, text);
        let mut sizes = Vec::new();
        let ends = [End::Min, End::Max].map(|end| space.extreme_of_sizes(&p, &numbers, &facts, end, &mut sizes));
        let [min, max] = ends.map(|end| space.display(&end.expect("there is a bound")).to_string());
        let sizes: Vec<String> = sizes.iter().map(|size| space.display(size).to_string()).collect();
        format!("{min} .. {max}, {}", sizes.join(", "))
    };
    assert_eq!(bounds("8*[M]*i"), "0 .. 8*[N]*[M] - 8*[M], ");
    assert_eq!(bounds("8*[n]*i"), "0 .. 8*[n]*[N] - 8*[n], [n]");
    assert_eq!(bounds("[n]*i + 2*i"), "0 .. [n]*[N] - [n] + 2*[N] - 2, [n]");
    assert_eq!(
        bounds("(4 - 4*[n]*[m] - 8*[m])*i"),
        "-4*[n]*[m]*[N] + 4*[n]*[m] - 8*[m]*[N] + 8*[m] + 4*[N] - 4 .. 0, [n]*[m] + 2*[m] - 1"
    );
    // A neighbour on the one side or on the other, by the number's remainder.
    assert_eq!(bounds("[n]*(i + 1 - 2*[i == 2*floor(i / 2)])"), "-[n] .. [n]*[N], [n]");
}

#[test]
fn what_has_no_end_is_said_to_have_none() {
    let mut space = space();
    let p = read(&mut space, "4*i");
    let numbers = [running(&mut space, "i", None)];
    assert_eq!(bounds_of(&mut space, &p, &numbers, &Facts::none()), "0 .. no end of i");
    let p = read(&mut space, "u8(i)");
    assert_eq!(bounds_of(&mut space, &p, &numbers, &Facts::none()), "0 .. 255");
    assert_eq!(bounds("i*i - 5*i"), "uneven in i .. uneven in i");
}

/// An expression over [`NAMES`].
#[derive(Clone, Debug)]
enum Expr {
    Constant(i64),
    Name(usize),
    Add(Box<Expr>, Box<Expr>),
    Times(i64, Box<Expr>),
    Product(Box<Expr>, Box<Expr>),
    FloorDiv(Box<Expr>, i64),
    Remainder(Box<Expr>, i64),
    Rows(usize),
    IsMultiple(Box<Expr>, i64),
    AtLeast(Box<Expr>, Box<Expr>),
    Equal(Box<Expr>, Box<Expr>),
    Wrap(Signedness, u32, Box<Expr>),
    Op(OpaqueOp, Box<Expr>, Box<Expr>),
}

const NAMES: [&str; 4] = ["[n]", "[N]", "i", "j"];

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        1 => (-9_i64..9).prop_map(Expr::Constant),
        3 => (0..NAMES.len()).prop_map(Expr::Name),
        1 => (2_usize..4).prop_map(Expr::Rows),
    ];
    let operation =
        prop::sample::select(vec![OpaqueOp::Min, OpaqueOp::Max, OpaqueOp::TruncRem, OpaqueOp::TruncDiv, OpaqueOp::And]);
    leaf.prop_recursive(4, 20, 2, move |inner| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        let one = || inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => pair().prop_map(|(a, b)| Expr::Add(a, b)),
            3 => (-4_i64..5, one()).prop_map(|(factor, a)| Expr::Times(factor, a)),
            1 => pair().prop_map(|(a, b)| Expr::Product(a, b)),
            2 => (one(), 1_i64..5).prop_map(|(a, b)| Expr::FloorDiv(a, b)),
            2 => (one(), 1_i64..5).prop_map(|(a, b)| Expr::Remainder(a, b)),
            1 => (one(), 2_i64..4).prop_map(|(a, b)| Expr::IsMultiple(a, b)),
            1 => pair().prop_map(|(a, b)| Expr::AtLeast(a, b)),
            1 => pair().prop_map(|(a, b)| Expr::Equal(a, b)),
            1 => (any::<bool>(), 2_u32..6, one()).prop_map(|(signed, bits, a)| {
                Expr::Wrap(if signed { Signedness::Signed } else { Signedness::Unsigned }, bits, a)
            }),
            2 => (operation.clone(), pair()).prop_map(|(op, (a, b))| Expr::Op(op, a, b)),
        ]
    })
}

fn build(space: &mut Space, expr: &Expr) -> Polynomial {
    let mut sub = |e: &Expr| build(space, e);
    match expr {
        Expr::Constant(value) => Polynomial::from(*value),
        Expr::Name(index) => Polynomial::from(atom(space, NAMES[*index])),
        Expr::Add(a, b) => sub(a) + sub(b),
        Expr::Times(factor, a) => sub(a).scale(&Coeff::from(*factor)),
        Expr::Product(a, b) => {
            let (a, b) = (sub(a), sub(b));
            space.and(&a, &b)
        }
        Expr::FloorDiv(a, b) => {
            let a = sub(a);
            space.floor_div(&a, &Polynomial::from(*b), &Facts::none())
        }
        Expr::Remainder(a, b) => {
            let a = sub(a);
            space.floor_rem(&a, &Polynomial::from(*b), &Facts::none())
        }
        // A row of length N, and the place in it.
        Expr::Rows(index) => {
            let (number, length) = (Polynomial::from(atom(space, NAMES[*index])), read(space, "[N]"));
            let row = space.floor_div(&number, &length, &Facts::none());
            let place = space.floor_rem(&number, &length, &Facts::none());
            row.scale(&Coeff::from(3)) - place
        }
        Expr::IsMultiple(a, b) => {
            let a = sub(a);
            let rest = space.floor_rem(&a, &Polynomial::from(*b), &Facts::none());
            space.eq(&rest, &Polynomial::zero())
        }
        Expr::AtLeast(a, b) => {
            let (a, b) = (sub(a), sub(b));
            space.ge(&a, &b)
        }
        Expr::Equal(a, b) => {
            let (a, b) = (sub(a), sub(b));
            space.eq(&a, &b)
        }
        Expr::Wrap(signed, bits, a) => {
            let a = sub(a);
            space.wrap(*signed, *bits, &a)
        }
        Expr::Op(op, a, b) => {
            let args = vec![sub(a), sub(b)];
            space.op(*op, args)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// j runs to 3, to i or to n; i runs to before N. No iteration lies beyond a bound, whatever n and N are.
    #[test]
    fn no_iteration_lies_beyond_a_bound(expr in expr(), inner in 0_usize..3, guard in expr(), of_sizes in any::<bool>()) {
        let mut space = space();
        let p = build(&mut space, &expr);
        let guard = build(&mut space, &guard);
        let lasts = ["3", "i", "[n]"];
        let numbers = [running(&mut space, "j", Some(lasts[inner])), running(&mut space, "i", Some("[N] - 1"))];
        let mut facts = Facts::none();
        facts.assume_nonneg(guard.clone());
        for running in &numbers {
            let last = running.last.clone().expect("each has a last value");
            facts.assume_nonneg(last - Polynomial::from(running.number));
        }
        let atoms: Vec<AtomId> = NAMES.iter().map(|name| atom(&space, name)).collect();
        for end in [End::Min, End::Max] {
            let mut sizes = Vec::new();
            let found = match of_sizes {
                true => space.extreme_of_sizes(&p, &numbers, &facts, end, &mut sizes),
                false => space.extreme(&p, &numbers, &facts, end),
            };
            let Ok(bound) = found else { continue };
            prop_assert!(!space.depends_on(&bound, |at| at == atoms[2] || at == atoms[3]), "{}", space.display(&bound));
            for n in -3_i64..6 {
                for count in 1_i64..6 {
                    for i in 0..count {
                        let last = [3, i, n][inner];
                        for j in 0..=last {
                            let values = [n, count, i, j];
                            let mut value_of = |at| {
                                atoms.iter().position(|&known| known == at).map(|index| Coeff::from(values[index]))
                            };
                            let mut eval = |p: &Polynomial| space.eval(p, &mut value_of);
                            let (Some(guard), Some(value)) = (eval(&guard), eval(&p)) else { continue };
                            let is_negative = |size: &Polynomial| eval(size).is_some_and(|size| size.is_negative());
                            if guard.is_negative() || sizes.iter().any(is_negative) {
                                continue;
                            }
                            let Some(bound) = eval(&bound) else { continue };
                            let is_beyond = if end == End::Min { value < bound } else { value > bound };
                            prop_assert!(!is_beyond, "{} is {value} at {values:?}, {end:?} {bound}", space.display(&p));
                        }
                    }
                }
            }
        }
    }
}
