//! The devices that a region was compiled for, and what one does otherwise than the first.

use ipda_models::report::{Access, OnDevice, Region, Report, Side};

use super::accesses::stride;
use super::changes;
use crate::words::{count, counted, place};

/// Accesses that are listed for a device.
const MAX_LISTED: usize = 12;

/// What was compiled, and in whose code accesses were seen.
pub fn compilation(report: &Report) -> String {
    let side = match report.side {
        Side::Host => "host",
        Side::Device => "device",
    };
    // In each list a device once; one that differs anywhere is in the second.
    let (mut alike, mut differing): (Vec<&str>, Vec<&str>) = Default::default();
    for region in &report.regions {
        for device in &region.on_devices {
            let list = if device.differing.is_some() { &mut differing } else { &mut alike };
            if !list.contains(&&device.processor[..]) {
                list.push(&device.processor);
            }
        }
    }
    alike.retain(|device| !differing.contains(device));
    let code = match (&alike[..], &differing[..]) {
        ([], _) if report.side == Side::Device || report.regions.is_empty() => String::new(),
        ([], _) => ", with accesses as the host's code has them".to_owned(),
        (alike, []) => format!(", with accesses as the code for {} has them", alike.join(" and ")),
        (alike, differing) => format!(
            ", with accesses as the code for {} has them, and what differs on {}",
            alike.join(" and "),
            differing.join(" and ")
        ),
    };
    format!("{side} compilation for {}{code}", report.target)
}

/// What a region's other devices do otherwise than the first: a sentence for each access, and for what became of the loops.
pub fn differences(region: &Region) -> Vec<(&OnDevice, Vec<String>)> {
    let differing = |device: &OnDevice| Some(of_device(region, device.differing.as_deref()?, device));
    region.on_devices.iter().filter_map(|device| Some((device, differing(device)?))).collect()
}

fn of_device(first: &Region, other: &Region, device: &OnDevice) -> Vec<String> {
    let hardware = &device.hardware;
    let mut reported =
        vec![format!("counted for the GPU {} with warps of {} threads", hardware.name, hardware.warp_lanes)];
    let is_paired = first.accesses.len() == other.accesses.len();
    let differing: Vec<&Access> = match is_paired {
        true => first.accesses.iter().zip(&other.accesses).filter(|(a, b)| a != b).map(|(_, b)| b).collect(),
        false => other.accesses.iter().collect(),
    };
    if !is_paired {
        reported.push(format!(
            "{} in place of {}",
            counted(other.accesses.len() as u64, "access"),
            first.accesses.len()
        ));
    }
    reported.extend(differing.iter().take(MAX_LISTED).map(|found| access(found)));
    if let Some(more) = differing.len().checked_sub(MAX_LISTED).filter(|&more| more > 0) {
        reported.push(format!("and {} more", counted(more as u64, "access")));
    }
    if other.transformation != first.transformation {
        reported.extend(other.transformation.iter().flat_map(|change| changes::sentences(change, other)));
    }
    reported
}

fn access(found: &Access) -> String {
    let sectors = found.sectors.map(|sectors| format!(", {} sectors a warp", count(sectors))).unwrap_or_default();
    format!(
        "{} {} {}: {}, stride {}{sectors}",
        place(found.location.as_ref()),
        found.kind.name(),
        found.object,
        found.class.name(),
        stride(found),
    )
}
