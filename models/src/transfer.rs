//! How long data takes between host and device: a latency for each copy, and its bytes by a rate (Hockney, "The communication challenge for MPP", Parallel
//! Computing 20, 1994).

use crate::error::{ModelError, non_negative, positive};
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::form::Num;
use crate::quantity::{Bytes, BytesPerSecond, Seconds};

/// Data of so many bytes and fewer comes from memory that libomptarget 19 keeps (`LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD`): a launch that comes again
/// asks the driver for none.
pub(crate) const FROM_POOL: f64 = 8192.0;

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
    /// To get memory on the device for data that is not there, and to give it back, of more than 8 KiB.
    pub allocation: Seconds,
}

impl Link {
    /// Its figures by the names of its fields.
    pub(crate) fn fields(&self) -> [(&'static str, f64); 6] {
        [
            ("to_device", self.to_device.get()),
            ("from_device", self.from_device.get()),
            ("to_device_pageable", self.to_device_pageable.get()),
            ("from_device_pageable", self.from_device_pageable.get()),
            ("latency", self.latency.get()),
            ("allocation", self.allocation.get()),
        ]
    }
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

/// What the equation is made of: numbers, or places of a form that knows the link later.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rates {
    pub to_device: Num,
    pub from_device: Num,
    pub latency: Num,
    pub allocation: Num,
}

impl Rates {
    /// By the names that the fields of a [`Link`] have.
    pub(crate) fn of(pages: Pages, field: impl Fn(&str) -> Num) -> Rates {
        let (to, from) = match pages {
            Pages::Pinned => ("to_device", "from_device"),
            Pages::Pageable => ("to_device_pageable", "from_device_pageable"),
        };
        Rates {
            to_device: field(to),
            from_device: field(from),
            latency: field("latency"),
            allocation: field("allocation"),
        }
    }
}

/// What data that is new on the device costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moves {
    pub to_device: Option<Num>,
    pub from_device: Option<Num>,
    pub allocation: Num,
}

impl Moves {
    /// `latency + bytes / bandwidth` for each direction; where there are no bytes, nothing is mapped.
    pub(crate) fn of(rates: &Rates, bytes: Num, direction: Direction) -> Moves {
        let is_mapped = bytes.min(1.0);
        let at = |rate: Num| is_mapped * rates.latency + bytes * (1.0 / rate);
        let goes = |directions: [Direction; 2]| directions.contains(&direction);
        Moves {
            to_device: goes([Direction::To, Direction::ToFrom]).then(|| at(rates.to_device)),
            from_device: goes([Direction::From, Direction::ToFrom]).then(|| at(rates.from_device)),
            allocation: bytes.more(FROM_POOL).choose(rates.allocation, Num::ZERO),
        }
    }

    pub(crate) fn seconds(self) -> Num {
        self.to_device.into_iter().chain(self.from_device).sum::<Num>() + self.allocation
    }
}

fn of_map(link: &Link, mapped: &Mapped) -> Result<Term, ModelError> {
    non_negative("bytes", mapped.bytes.get())?;
    let rates = Rates::of(mapped.pages, |name| {
        let (_, value) = link.fields().into_iter().find(|(field, _)| *field == name).expect("a field of the link");
        value.into()
    });
    let moves = Moves::of(&rates, mapped.bytes.get().into(), mapped.direction);
    let part = |name: &str, equation, parts: &[Term], seconds: Num| {
        Term::new(name, equation, Seconds::new(seconds.get())).with_parts(parts.to_vec())
    };
    let mut parts = Vec::new();
    if mapped.presence != Presence::Present && mapped.bytes > Bytes::ZERO {
        let bytes = [Term::new("bytes", Equation::new("size of the map clause", "input"), mapped.bytes)];
        let equation = Equation::new("latency + bytes / bandwidth", "extended");
        let ways = [("to the device", moves.to_device), ("from the device", moves.from_device)];
        parts.extend(ways.into_iter().filter_map(|(name, way)| Some(part(name, equation, &bytes, way?))));
    }
    if mapped.presence == Presence::New {
        parts.push(part("allocation", Equation::new("allocation, of more than 8 KiB", "input"), &[], moves.allocation));
    }
    let total: f64 = parts.iter().map(|part| part.value).sum();
    let equation = Equation::new("sum of its parts; nothing if already present", "OpenMP map rules");
    Ok(Term::new(&mapped.name, equation, Seconds::new(total)).with_parts(parts))
}
