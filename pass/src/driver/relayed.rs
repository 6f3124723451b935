//! The host's report with the devices' word on what their code does: accesses, loops and changes. The host's own code may differ, by its ABI or by
//! the source's `#ifdef`; what launches, maps and the host's version take is its word.

use crate::facts::{DeviceImage, Relayed};
use ipda_models::report::{LoopKind, OnDevice, Region, Report};

/// What a device's compilation says of a kernel, the first that does.
pub(super) fn find<'a>(images: &'a [DeviceImage], kernel: &str) -> Option<(&'a Relayed, &'a Region)> {
    of_kernel(images, kernel).next().map(|(_, relayed, region)| (relayed, region))
}

fn of_kernel<'a>(
    images: &'a [DeviceImage],
    kernel: &str,
) -> impl Iterator<Item = (&'a DeviceImage, &'a Relayed, &'a Region)> {
    images.iter().filter_map(move |image| {
        let relayed = image.relayed.as_ref()?;
        Some((image, relayed, relayed.region(kernel)?))
    })
}

/// A report as people read it; none where no device has said anything. `kernels`: of each region.
pub(super) fn shown(images: &[DeviceImage], own: &Report, kernels: &[String]) -> Option<Report> {
    let mut shown = own.clone();
    let mut is_other = false;
    for (region, kernel) in shown.regions.iter_mut().zip(kernels) {
        let Some((relayed, found)) = find(images, kernel) else { continue };
        if !is_other {
            shown.hardware = relayed.report.hardware.clone();
        }
        is_other = true;
        *region = joined(region, found);
        region.on_devices = on_devices(images, kernel);
    }
    is_other.then_some(shown)
}

/// What one device's code does, with what the host says of the same region.
fn joined(host: &Region, device: &Region) -> Region {
    let mut joined = device.clone();
    if host.captures.len() == device.captures.len() {
        for (capture, own) in joined.captures.iter_mut().zip(&host.captures) {
            capture.map.clone_from(&own.map);
        }
    }
    joined.resources.clone_from(&host.resources);
    joined.on_host.clone_from(&host.on_host);
    joined.launch.clone_from(&host.launch);
    joined.host_code = None;
    joined
}

/// Which devices' code the report is about, and what differs on others.
fn on_devices(images: &[DeviceImage], kernel: &str) -> Vec<OnDevice> {
    let first = find(images, kernel).map(|(_, region)| region);
    let of_image = |(image, relayed, region): (&DeviceImage, &Relayed, &Region)| {
        let processor = if image.processor.is_empty() { image.triple.clone() } else { image.processor.clone() };
        let is_same = first.is_some_and(|first| is_same(first, region));
        let differing = (!is_same).then(|| Box::new(region.clone()));
        OnDevice { processor, hardware: relayed.report.hardware.clone(), differing }
    };
    of_kernel(images, kernel).map(of_image).collect()
}

/// Whether two devices' code does the same for people: what is counted, and what became of the loops.
fn is_same(a: &Region, b: &Region) -> bool {
    a.mode == b.mode
        && a.loops == b.loops
        && a.accesses == b.accesses
        && a.groups == b.groups
        && a.branches == b.branches
        && a.mapping == b.mapping
        && a.transformation == b.transformation
        && a.team_chunk == b.team_chunk
        && a.team_reduction == b.team_reduction
        && a.grid_stride == b.grid_stride
}

/// Adds what the host's versions consist of, with the device's numbers of loops.
pub(super) fn add_host_code(own: &Report, shown: &mut Report) {
    for (own, shown) in own.regions.iter().zip(&mut shown.regions) {
        let mut code = own.host_code.clone();
        for place in code.iter_mut().flat_map(|code| &mut code.loops).map(|entry| &mut entry.place) {
            place.shared = place.shared.as_ref().and_then(|id| same_loop(own, shown, id));
        }
        shown.host_code = code;
    }
}

/// The device's loop for a shared one of the host's: the one that is shared as the same in order.
fn same_loop(host: &Region, device: &Region, id: &str) -> Option<String> {
    let shared = |region: &Region| -> Vec<String> {
        let all = region.loops.iter().filter(|entry| entry.kind != LoopKind::Sequential);
        all.map(|entry| entry.id.clone()).collect()
    };
    let at = shared(host).iter().position(|known| known == id)?;
    shared(device).get(at).cloned()
}
