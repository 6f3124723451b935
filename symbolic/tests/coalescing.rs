//! Transaction counts: known figures, and against counting bytes one by one.

use ipda_symbolic::{
    ActiveLanes, BankPasses, Banks, CoalescingClass, Coeff, MemoryGeometry, Polynomial, RowEnd, Stride,
    TransactionCount, bank_passes, classify, classify_within_rows, count_lines, count_sectors, greedy_requests,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const GPU: MemoryGeometry = MemoryGeometry { lanes: 32, sector_bytes: 32, line_bytes: 128 };

fn constant(stride: i64) -> Stride {
    Stride::Constant(Coeff::from(stride))
}

#[test]
fn neighbours_fill_sectors() {
    let count =
        |stride, bytes, offset| count_sectors(&constant(stride), &ActiveLanes::All, bytes, &Coeff::from(offset), &GPU);
    assert_eq!(count(4, 4, 0), Some(TransactionCount { aligned: 4, worst: 5 }));
    assert_eq!(count(4, 4, 4), Some(TransactionCount { aligned: 5, worst: 5 }));
    assert_eq!(count(8, 8, 0), Some(TransactionCount { aligned: 8, worst: 9 }));
    assert_eq!(count(0, 4, 12), Some(TransactionCount { aligned: 1, worst: 1 }));
    assert_eq!(count(4096, 4, 0), Some(TransactionCount { aligned: 32, worst: 32 }));
    assert_eq!(count(-4, 4, 0), Some(TransactionCount { aligned: 5, worst: 5 }));
    assert_eq!(
        count_lines(&constant(4), &ActiveLanes::All, 4, &Coeff::ZERO, &GPU),
        Some(TransactionCount { aligned: 1, worst: 2 })
    );
}

#[test]
fn classes() {
    let class = |stride, bytes| classify(&constant(stride), &ActiveLanes::All, bytes, &GPU);
    assert_eq!(class(0, 4), CoalescingClass::Uniform);
    assert_eq!(class(4, 4), CoalescingClass::Coalesced);
    assert_eq!(class(-4, 4), CoalescingClass::Coalesced);
    assert_eq!(class(8, 4), CoalescingClass::Strided);
    assert_eq!(class(32, 4), CoalescingClass::Uncoalesced);
    assert_eq!(class(64, 64), CoalescingClass::Coalesced);
    // Each four lanes share one: side by side, or a sector apart, where a quarter of what is moved is used.
    let shared = |apart: i64| Stride::Vector((0..32).map(|lane| Coeff::from(lane / 4 * apart)).collect());
    assert_eq!(classify(&shared(8), &ActiveLanes::All, 8, &GPU), CoalescingClass::Coalesced);
    assert_eq!(classify(&shared(32), &ActiveLanes::All, 8, &GPU), CoalescingClass::Strided);
    assert_eq!(classify(&Stride::Unknown(String::new()), &ActiveLanes::All, 4, &GPU), CoalescingClass::Unknown);
    assert_eq!(classify(&Stride::Symbolic(Polynomial::one()), &ActiveLanes::All, 4, &GPU), CoalescingClass::Symbolic);
}

#[test]
fn rows_have_a_class_of_their_own() {
    let end = RowEnd { row_length: Polynomial::from(100), difference: Polynomial::from(-396) };
    let stride = Stride::RowEnds { within: Polynomial::from(4), ends: vec![end] };
    assert_eq!(classify(&stride, &ActiveLanes::All, 4, &GPU), CoalescingClass::Symbolic);
    assert_eq!(classify_within_rows(&stride, &ActiveLanes::All, 4, &GPU), Some(CoalescingClass::Coalesced));
    assert_eq!(count_sectors(&stride, &ActiveLanes::All, 4, &Coeff::ZERO, &GPU), None);
    assert_eq!(classify_within_rows(&constant(4), &ActiveLanes::All, 4, &GPU), None);
}

#[test]
fn only_active_lanes_count() {
    let every = |step: usize| ActiveLanes::Only((0..32).map(|lane| lane % step == 0).collect());
    let sectors =
        |active: ActiveLanes| count_sectors(&constant(4), &active, 4, &Coeff::ZERO, &GPU).map(|count| count.aligned);
    assert_eq!(sectors(every(8)), Some(4));
    assert_eq!(sectors(every(16)), Some(2));
    assert_eq!(sectors(every(32)), Some(1));
    assert_eq!(sectors(ActiveLanes::Only(vec![false; 32])), Some(0));
    let first_half = ActiveLanes::Only((0..32).map(|lane| lane < 16).collect());
    assert_eq!(sectors(first_half.clone()), Some(2));
    assert_eq!(classify(&constant(4), &first_half, 4, &GPU), CoalescingClass::Coalesced);
    assert_eq!(classify(&constant(4), &every(8), 4, &GPU), CoalescingClass::Uncoalesced);
    assert_eq!(classify(&constant(4), &every(32), 4, &GPU), CoalescingClass::Uniform);
}

#[test]
fn banks_serve_one_word_each() {
    const BANKS: Banks = Banks { count: 32, word_bytes: 4 };
    let passes = |stride, bytes| {
        bank_passes(&constant(stride), &ActiveLanes::All, bytes, 32, &BANKS).map(|passes| (passes.needed, passes.least))
    };
    assert_eq!(passes(4, 4), Some((1, 1)));
    assert_eq!(passes(0, 4), Some((1, 1)));
    assert_eq!(passes(8, 4), Some((2, 1)));
    assert_eq!(passes(12, 4), Some((1, 1)));
    assert_eq!(passes(128, 4), Some((32, 1)));
    assert_eq!(passes(132, 4), Some((1, 1)));
    assert_eq!(passes(-4, 4), Some((1, 1)));
    assert_eq!(passes(1, 1), Some((1, 1)));
    assert_eq!(passes(8, 8), Some((2, 2)));
    assert_eq!(passes(16, 16), Some((4, 4)));
    assert_eq!(passes(256, 8), Some((32, 2)));
    let one = ActiveLanes::Only((0..32).map(|lane| lane == 3).collect());
    let single = Some(BankPasses { needed: 1, least: 1 });
    assert_eq!(bank_passes(&constant(128), &one, 4, 32, &BANKS), single);
    assert_eq!(bank_passes(&Stride::Symbolic(Polynomial::one()), &one, 4, 32, &BANKS), None);
    assert_eq!(passes(4, 1 << 40), None);
}

#[test]
fn greedy_windows_of_256_bytes() {
    assert_eq!(greedy_requests(&constant(4), 4, &GPU), Some(1));
    assert_eq!(greedy_requests(&constant(0), 8, &GPU), Some(1));
    // Lanes 0 to 248 are in reach of the first request; a request's end may lie one access behind the window, as in the figure.
    assert_eq!(greedy_requests(&constant(8), 8, &GPU), Some(1));
    assert_eq!(greedy_requests(&constant(512), 4, &GPU), Some(32));
    assert_eq!(greedy_requests(&Stride::Symbolic(Polynomial::one()), 4, &GPU), None);
}

fn stride() -> impl Strategy<Value = Stride> {
    prop_oneof![
        (-300_i64..300).prop_map(constant),
        prop::collection::vec(-300_i64..300, 31)
            .prop_map(|lanes| { Stride::Vector(std::iter::once(0).chain(lanes).map(Coeff::from).collect()) }),
    ]
}

fn offset(stride: &Stride, lane: i64) -> i64 {
    match stride {
        Stride::Constant(c) => lane * c.to_i64().expect("small"),
        Stride::Vector(lanes) => lanes[lane as usize].to_i64().expect("small"),
        _ => unreachable!("only constant strides are generated"),
    }
}

fn count_bytes(stride: &Stride, base: i64, bytes: i64, unit: i64) -> u64 {
    let touched =
        (0..32).flat_map(|lane| (0..bytes).map(move |byte| (base + offset(stride, lane) + byte).div_euclid(unit)));
    touched.collect::<BTreeSet<i64>>().len() as u64
}

proptest! {
    #[test]
    fn counts_are_those_of_single_bytes(
        stride in stride(),
        bytes in prop::sample::select(vec![1_u64, 2, 3, 4, 8, 12, 16, 24, 32, 40]),
        base in -200_i64..200,
    ) {
        let natural = 1 << bytes.trailing_zeros();
        for (unit, found) in [
            (32, count_sectors(&stride, &ActiveLanes::All, bytes, &Coeff::from(base), &GPU)),
            (128, count_lines(&stride, &ActiveLanes::All, bytes, &Coeff::from(base), &GPU)),
        ] {
            let aligned = count_bytes(&stride, base, bytes as i64, unit);
            let counts = (0..128).step_by(natural).map(|base| count_bytes(&stride, base, bytes as i64, unit));
            let worst = counts.max().unwrap_or(0).max(aligned);
            prop_assert_eq!(found, Some(TransactionCount { aligned, worst }));
        }
    }
}
