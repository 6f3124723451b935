//! Any text: reading it ends, without a fault, and what it gives prints as a text that reads back as the same.

#![no_main]

use ipda_symbolic::{Interval, LoopId, Signedness, Space, Symbol, Varies, parse};
use libfuzzer_sys::fuzz_target;

/// Symbols of all kinds of ranges, and three loops.
fn vocabulary() -> Space {
    let mut space = Space::new();
    let int = Interval::of_width(32, Signedness::Signed);
    let symbols = [
        ("A", Interval::of_width(64, Signedness::Unsigned), Varies::No),
        ("n", int.clone(), Varies::No),
        ("N", Interval::between(1, 1_000_000), Varies::No),
        ("c", Interval::BOOLEAN, Varies::No),
        ("d", Interval::BOOLEAN, Varies::No),
        ("x", Interval::ALL, Varies::No),
        ("t", int, Varies::Thread),
    ];
    for (name, range, varies) in symbols {
        space.symbol(Symbol { name: name.into(), range, varies });
    }
    for (number, name) in ["i", "j", "k"].into_iter().enumerate() {
        space.name_loop(LoopId(number as u32), name);
    }
    space
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut space = vocabulary();
    let Ok(value) = parse(&mut space, text) else { return };
    let printed = space.display(&value).to_string();
    match parse(&mut space, &printed) {
        Ok(again) => assert_eq!(again, value, "{printed} reads back as {}", space.display(&again)),
        Err(error) => panic!("{printed} does not read back: {error}"),
    }
});
