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
    let pinned = [known!(r, transfer.pinned_to_device), known!(r, transfer.pinned_from_device)];
    if pinned.contains(&None) {
        r.rule("transfer.pinned_to_device", "transfers of pinned memory reach what the link can carry");
    }
    let to_device = match pinned[0] {
        Some(rate) => rate,
        None => needed!(r, transfer.peak_to_device),
    };
    let from_device = match pinned[1] {
        Some(rate) => rate,
        None => needed!(r, transfer.peak_from_device),
    };
    let [to_device, from_device] = [to_device, from_device].map(BytesPerSecond::new);
    r.only_for(NeededFor::Pageable);
    let pageable = [known!(r, transfer.pageable_to_device), known!(r, transfer.pageable_from_device)];
    if pageable.contains(&None) {
        r.rule("transfer.pageable_to_device", "memory that is not pinned moves as fast as pinned memory");
    }
    let [to_device_pageable, from_device_pageable] = [(pageable[0], to_device), (pageable[1], from_device)]
        .map(|(rate, pinned)| rate.map_or(pinned, BytesPerSecond::new));
    r.only_for(NeededFor::All);
    let latency = Seconds::new(needed!(r, transfer.latency));
    r.only_for(NeededFor::Allocation);
    let allocation = known!(r, transfer.allocation).map(Seconds::new);
    if allocation.is_none() {
        r.rule("transfer.allocation", "to get memory on the device takes as long as a transfer of a few bytes");
    }
    let allocation = allocation.unwrap_or(latency);
    let machine = Link { to_device, from_device, to_device_pageable, from_device_pageable, latency, allocation };
    Ok(reader.finish(machine))
}
