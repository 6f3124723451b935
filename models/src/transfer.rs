//! How long data takes between host and device.

use crate::error::{ModelError, non_negative, positive};
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::quantity::{Bytes, BytesPerSecond, Seconds};

/// The way between a host and a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// To the device, from pages that the driver has pinned.
    pub to_device: BytesPerSecond,
    /// From the device, to pinned pages.
    pub from_device: BytesPerSecond,
    /// To the device, from other pages, which the driver copies first.
    pub to_device_pageable: BytesPerSecond,
    /// From the device, to other pages.
    pub from_device_pageable: BytesPerSecond,
    /// What each transfer costs beside its bytes.
    pub latency: Seconds,
    /// To get memory on the device for data that is not there, and to give it back.
    pub allocation: Seconds,
}

/// Data that a construct maps.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// The variable, as the source calls it.
    pub name: String,
    /// How much there is.
    pub bytes: Bytes,
    /// Which way it goes if it is new on the device.
    pub direction: Direction,
    /// Whether the device has it before the construct.
    pub presence: Presence,
    /// The host's pages.
    pub pages: Pages,
}

/// The map type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `to`
    To,
    /// `from`
    From,
    /// `tofrom`
    ToFrom,
    /// `alloc`: nothing moves.
    Alloc,
}

/// Whether data is on the device already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Not before and not after the construct.
    New,
    /// In an enclosing `target data`, or after `target enter data`: nothing moves.
    Present,
    /// The same, and the `always` modifier moves it all the same.
    PresentAlways,
}

/// How the host's memory is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Locked in memory, so that the device reads them itself.
    Pinned,
    /// As `malloc` gives them.
    Pageable,
}

/// How long it takes until all data is where it is needed, before and after a kernel. Transfers follow one another, as libomptarget
/// makes them.
///
/// # Errors
/// If a rate is 0 or a size negative.
pub fn transfer(link: &Link, maps: &[Mapped]) -> Result<Estimate, ModelError> {
    positive("to_device", link.to_device.get())?;
    positive("from_device", link.from_device.get())?;
    positive("to_device_pageable", link.to_device_pageable.get())?;
    positive("from_device_pageable", link.from_device_pageable.get())?;
    non_negative("latency", link.latency.get())?;
    non_negative("allocation", link.allocation.get())?;
    let terms = maps.iter().map(|mapped| of_map(link, mapped)).collect::<Result<Vec<_>, _>>()?;
    let bound = if terms.iter().any(|term| term.value > 0.0) { Bound::Link } else { Bound::Nothing };
    let text = "transfers follow one another, and not while the kernel runs";
    let assumptions = if bound == Bound::Nothing { Vec::new() } else { vec![Assumption(text.to_owned())] };
    Estimate::of(terms, Vec::new(), assumptions, bound)
}

fn of_map(link: &Link, mapped: &Mapped) -> Result<Term, ModelError> {
    non_negative("bytes", mapped.bytes.get())?;
    let (to, from) = match mapped.pages {
        Pages::Pinned => (link.to_device, link.from_device),
        Pages::Pageable => (link.to_device_pageable, link.from_device_pageable),
    };
    let moves = mapped.presence != Presence::Present && mapped.bytes > Bytes::ZERO;
    let goes = |directions: [Direction; 2]| moves && directions.contains(&mapped.direction);
    let mut parts = Vec::new();
    if goes([Direction::To, Direction::ToFrom]) {
        parts.push(one_way("to the device", link, mapped.bytes, to));
    }
    if goes([Direction::From, Direction::ToFrom]) {
        parts.push(one_way("from the device", link, mapped.bytes, from));
    }
    if mapped.presence == Presence::New {
        parts.push(Term::new("allocation", Equation::new("allocation", "input"), link.allocation));
    }
    let total: f64 = parts.iter().map(|part| part.value).sum();
    let equation = Equation::new("sum of its parts; nothing if already present", "OpenMP map rules");
    Ok(Term::new(&mapped.name, equation, Seconds::new(total)).with_parts(parts))
}

fn one_way(name: &str, link: &Link, bytes: Bytes, rate: BytesPerSecond) -> Term {
    let equation = Equation::new("latency + bytes / bandwidth", "extended");
    Term::new(name, equation, link.latency + bytes / rate).with_parts([Term::new(
        "bytes",
        Equation::new("size of the map clause", "input"),
        bytes,
    )])
}
