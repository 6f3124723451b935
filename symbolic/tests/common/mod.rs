//! A space with a fixed vocabulary, and the one door through which text tests go.

// Each test program uses its own part of this.
#![allow(dead_code)]

use expect_test::Expect;
use ipda_symbolic::{AtomId, Facts, Interval, LoopId, Polynomial, Signedness, Space, Symbol, Varies, parse};

/// Symbols `[n]`, `[m]` of 32 bits, `[N]`, `[M]` from 1, pointers `[A]`, `[B]`, conditions `[c]`, `[d]`, `[lane]` that may differ
/// between threads; iteration numbers `i`, `j`, `k`.
pub fn space() -> Space {
    let mut space = Space::new();
    let int = Interval::of_width(32, Signedness::Signed);
    let pointer = Interval::of_width(64, Signedness::Unsigned);
    let symbols = [
        ("A", pointer.clone()),
        ("B", pointer),
        ("n", int.clone()),
        ("m", int.clone()),
        ("N", Interval::between(1, 1_000_000)),
        ("M", Interval::between(1, 1_000_000)),
        ("c", Interval::BOOLEAN),
        ("d", Interval::BOOLEAN),
    ];
    for (name, range) in symbols {
        space.symbol(Symbol { name: name.into(), range, varies: Varies::No });
    }
    let varies = Varies::PerThread("it is returned by f".into());
    space.symbol(Symbol { name: "lane".into(), range: int, varies });
    for (number, name) in ["i", "j", "k"].into_iter().enumerate() {
        space.name_loop(LoopId(number as u32), name);
    }
    space
}

/// Reads a text that must be right.
pub fn read(space: &mut Space, text: &str) -> Polynomial {
    parse(space, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Facts from conditions.
pub fn facts(space: &mut Space, conditions: &[&str]) -> Facts {
    conditions.iter().fold(Facts::none(), |facts, text| {
        let condition = read(space, text);
        space.assume(&facts, &condition)
    })
}

/// The atom of that name.
pub fn atom(space: &Space, label: &str) -> AtomId {
    space.find(label).unwrap_or_else(|| panic!("{label} is not in the vocabulary"))
}

/// Reads the text, prints its canonical form, and makes sure that this reads back as the same.
pub fn check(text: &str, expected: Expect) {
    let mut space = space();
    let p = read(&mut space, text);
    let printed = space.display(&p).to_string();
    expected.assert_eq(&printed);
    assert_eq!(read(&mut space, &printed), p, "{printed} reads back as something else");
}
