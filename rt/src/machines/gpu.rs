//! The description of a GPU that a driver names.

use std::path::Path;

use ipda_hwdb::{Device, Gpu};
use ipda_measure::GpuDevice;
use ipda_models::table::MachineNames;

use super::overlay::Overlay;
use super::{Finder, is_named};

const DRIVER: &str = "the driver";

/// What the driver calls the products that have a description.
pub(super) const PRODUCTS: [(&str, &str); 14] = [
    ("NVIDIA H200", "h200"),
    ("NVIDIA H100 80GB HBM3", "h100-sxm"),
    ("NVIDIA H100 PCIe", "h100-pcie"),
    ("NVIDIA A100-SXM4-80GB", "a100"),
    ("Tesla V100-SXM2-16GB", "v100"),
    ("Tesla P100-SXM2-16GB", "p100"),
    ("Tesla K80", "k80"),
    ("NVIDIA L4", "l4"),
    ("NVIDIA A10", "a10"),
    ("NVIDIA A40", "a40"),
    ("NVIDIA GeForce RTX 3070", "rtx3070"),
    ("NVIDIA GeForce RTX 3080", "rtx3080"),
    ("NVIDIA GeForce RTX 3090", "rtx3090"),
    ("NVIDIA GeForce RTX 4090", "rtx4090"),
];

impl Finder {
    /// The product's description, else that of a GPU with the same processor, else the build's, with what the driver says in its place.
    pub(super) fn found_gpu(&self, device: &GpuDevice, build: &MachineNames) -> Option<Gpu> {
        let own = self.entries.iter().find_map(|entry| match entry {
            Device::Gpu(gpu) if is_named(entry, &device.name) => Some((**gpu).clone()),
            _ => None,
        });
        if own.is_some() {
            // Whoever describes the product has said what counts.
            return own;
        }
        if let Some(gpu) = super::amd::product(device).filter(|_| device.processor.starts_with("gfx")) {
            return Some(gpu);
        }
        let product = PRODUCTS.iter().find(|(product, _)| *product == device.name);
        if let Some((_, name)) = product {
            let gpu = Gpu::builtin(name).ok()?;
            return Some(part_of_product(&gpu, device).unwrap_or(gpu));
        }
        let base = self.gpu(&device.processor).or_else(|_| self.gpu(&build.gpu)).ok()?;
        Some(adapted(&base, device).unwrap_or(base))
    }
}

/// A part of the GPU may be all that a program gets.
fn part_of_product(gpu: &Gpu, device: &GpuDevice) -> Option<Gpu> {
    let count = device.multiprocessors?;
    if gpu.chip.multiprocessors.as_ref().is_ok_and(|all| all.get().get() == count as u64) {
        return None;
    }
    let mut text = Overlay::new("gpu", &gpu.name, DRIVER);
    text.name(&format!("{} with {count} multiprocessors", gpu.name));
    text.section("chip");
    text.value("multiprocessors", Some(count), "multiprocessors");
    parsed(&text)
}

/// Another product with the same processor.
fn adapted(base: &Gpu, device: &GpuDevice) -> Option<Gpu> {
    let mut text = Overlay::new("gpu", &base.name, DRIVER);
    text.name(&format!("{} as {}", base.name, device.name));
    text.section("chip");
    text.value("multiprocessors", device.multiprocessors, "multiprocessors");
    if let Some(clock) = device.clock {
        text.value("clock", Some(clock as f64 / 1e3), "MHz");
        text.unknown("base_clock");
    }
    text.section("memory");
    text.value("l2_size", device.l2, "bytes");
    if let (Some(clock), Some(bits)) = (device.memory_clock, device.memory_bits) {
        // Two words a cycle.
        let peak = 2.0 * clock as f64 * 1e3 * bits as f64 / 8.0;
        text.value("bandwidth", Some(peak / 1e9), "GB/s");
        let of_base = base.memory.bandwidth.as_ref().ok().map(|rate| rate.get().get());
        let sustained = base.memory.sustained_bandwidth.as_ref().ok().map(|rate| rate.get().get());
        if let (Some(of_base), Some(sustained)) = (of_base, sustained) {
            let basis = format!("what {} reaches of its own", base.name);
            text.estimate("sustained_bandwidth", peak / 1e9 * sustained / of_base, "GB/s", &basis);
        }
    }
    parsed(&text)
}

fn parsed(text: &Overlay) -> Option<Gpu> {
    match Device::parse(text.text(), Path::new(DRIVER)) {
        Ok(Device::Gpu(gpu)) => Some(*gpu),
        _ => None,
    }
}
