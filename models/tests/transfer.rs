//! Transfers: bytes over bandwidth and latency, for what is not there yet.

use ipda_models::Bound;
use ipda_models::quantity::{Bytes, BytesPerSecond, Seconds};
use ipda_models::transfer::{Direction, Link, Mapped, Pages, Presence, transfer};

const LINK: Link = Link {
    to_device: BytesPerSecond::new(10e9),
    from_device: BytesPerSecond::new(8e9),
    to_device_pageable: BytesPerSecond::new(5e9),
    from_device_pageable: BytesPerSecond::new(4e9),
    latency: Seconds::new(1e-5),
    allocation: Seconds::new(1e-4),
};

fn mapped(direction: Direction, presence: Presence, pages: Pages) -> Mapped {
    Mapped { name: "A".to_owned(), bytes: Bytes::new(4e7), direction, presence, pages }
}

#[track_caller]
fn check(map: Mapped, expected: f64) {
    let estimate = transfer(&LINK, std::slice::from_ref(&map)).expect("right inputs");
    assert!((estimate.total().get() - expected).abs() < 1e-12, "{map:?}: {estimate}");
}

#[test]
fn directions_and_pages() {
    check(mapped(Direction::To, Presence::New, Pages::Pinned), 4e-3 + 1e-5 + 1e-4);
    check(mapped(Direction::From, Presence::New, Pages::Pinned), 5e-3 + 1e-5 + 1e-4);
    check(mapped(Direction::ToFrom, Presence::New, Pages::Pinned), 9e-3 + 2e-5 + 1e-4);
    check(mapped(Direction::ToFrom, Presence::New, Pages::Pageable), 18e-3 + 2e-5 + 1e-4);
    check(mapped(Direction::Alloc, Presence::New, Pages::Pinned), 1e-4);
}

#[test]
fn what_is_there_stays_there() {
    check(mapped(Direction::ToFrom, Presence::Present, Pages::Pageable), 0.0);
    check(mapped(Direction::ToFrom, Presence::PresentAlways, Pages::Pinned), 9e-3 + 2e-5);
    check(mapped(Direction::Alloc, Presence::PresentAlways, Pages::Pinned), 0.0);
}

#[test]
fn sections_of_nothing_are_not_sent() {
    let empty = Mapped { bytes: Bytes::ZERO, ..mapped(Direction::To, Presence::Present, Pages::Pinned) };
    let new = Mapped { presence: Presence::New, ..empty.clone() };
    for maps in [[empty], [new]] {
        let estimate = transfer(&LINK, &maps).expect("right inputs");
        assert_eq!((estimate.total(), estimate.bound_by()), (Seconds::ZERO, Bound::Nothing));
    }
}

#[test]
fn maps_add_up_and_are_named() {
    let maps = [
        mapped(Direction::To, Presence::New, Pages::Pinned),
        Mapped { name: "B".to_owned(), ..mapped(Direction::From, Presence::New, Pages::Pinned) },
    ];
    let estimate = transfer(&LINK, &maps).expect("right inputs");
    assert!((estimate.total().get() - 9.22e-3).abs() < 1e-9);
    assert!(estimate.term("A").is_some() && estimate.term("B").is_some());
    assert_eq!(estimate.bound_by(), Bound::Link);
}

#[test]
fn impossible_inputs_are_named() {
    let negative = Mapped { bytes: Bytes::new(-1.0), ..mapped(Direction::To, Presence::New, Pages::Pinned) };
    assert_eq!(transfer(&LINK, &[negative]).expect_err("negative").parameter, "bytes");
    let cut = Link { to_device: BytesPerSecond::ZERO, ..LINK };
    assert_eq!(transfer(&cut, &[]).expect_err("no bandwidth").parameter, "to_device");
}
