//! Links.

use ipda_hwdb::Link as Entry;

use super::{Described, MachineError, NeededFor, Reader, known, needed};
use crate::quantity::{BytesPerSecond, Seconds};
use crate::transfer::Link;

/// A link for the transfer model.
///
/// # Errors
/// If nothing is known of its bandwidth, or its latency is not.
pub fn link(entry: &Entry) -> Result<Described<Link>, MachineError> {
    let mut reader = Reader::new(&entry.name);
    let r = &mut reader;
    let transfer = &entry.transfer;
    r.only_for(NeededFor::Pinned);
    let mut pinned = [known!(r, transfer.pinned_to_device), known!(r, transfer.pinned_from_device)];
    if pinned.contains(&None) {
        r.rule("transfer.pinned_to_device", "transfers of pinned memory reach what the link can carry");
        pinned = [
            Some(pinned[0].unwrap_or(needed!(r, transfer.peak_to_device))),
            Some(pinned[1].unwrap_or(needed!(r, transfer.peak_from_device))),
        ];
    }
    let [to_device, from_device] = pinned.map(|rate| BytesPerSecond::new(rate.unwrap_or_default()));
    r.only_for(NeededFor::Pageable);
    let mut pageable = |rate: Option<f64>, pinned: BytesPerSecond| {
        rate.map_or_else(
            || {
                r.rule("transfer.pageable_to_device", "memory that is not pinned moves as fast as pinned memory");
                pinned
            },
            BytesPerSecond::new,
        )
    };
    let to_device_pageable = {
        let rate = transfer.pageable_to_device.as_ref().ok().map(|value| value.get().get());
        pageable(rate, to_device)
    };
    let from_device_pageable = {
        let rate = transfer.pageable_from_device.as_ref().ok().map(|value| value.get().get());
        pageable(rate, from_device)
    };
    let _ = (known!(r, transfer.pageable_to_device), known!(r, transfer.pageable_from_device));
    r.only_for(NeededFor::All);
    let latency = Seconds::new(needed!(r, transfer.latency));
    r.only_for(NeededFor::Allocation);
    r.rule("transfer.allocation", "to get memory on the device takes as long as a transfer of a few bytes");
    let machine =
        Link { to_device, from_device, to_device_pageable, from_device_pageable, latency, allocation: latency };
    Ok(reader.finish(machine))
}
