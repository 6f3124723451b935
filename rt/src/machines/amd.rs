//! AMD's GPUs, as the kernel's driver lists them below `/sys/class/kfd`: no library is needed to read that.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ipda_hwdb::Gpu;
use ipda_measure::GpuDevice;

const NODES: &str = "sys/class/kfd/kfd/topology/nodes";

/// More nodes are not looked at.
const MAX_NODES: usize = 256;

/// What they are, in the driver's order. Nodes without processors for programs are hosts; those that a container hides cannot be read.
pub(super) fn devices(root: &Path) -> Vec<GpuDevice> {
    let Ok(nodes) = fs::read_dir(root.join(NODES)) else { return Vec::new() };
    let number = |name: &std::ffi::OsStr| name.to_str()?.parse::<u32>().ok();
    let nodes = nodes.filter_map(|node| Some((number(&node.as_ref().ok()?.file_name())?, node.ok()?.path())));
    let nodes: BTreeMap<_, _> = nodes.take(MAX_NODES).collect();
    nodes.values().filter_map(|node| device(node)).collect()
}

fn device(node: &Path) -> Option<GpuDevice> {
    let properties = fs::read_to_string(node.join("properties")).ok()?;
    let value = |name: &str| {
        let mut lines = properties.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(known, _)| *known == name)?.1.trim().parse::<usize>().ok()
    };
    // Of three numbers with two digits each, LLVM writes the last two in base 16, without zeros in front.
    let version = value("gfx_target_version").filter(|version| *version > 0)?;
    let processor = format!("gfx{}{:x}{:x}", version / 10_000, version / 100 % 100, version % 100);
    let units = value("simd_count")?.checked_div(value("simd_per_cu")?).filter(|units| *units > 0)?;
    Some(GpuDevice {
        name: format!("AMD {processor}"),
        processor,
        multiprocessors: Some(units),
        clock: value("max_engine_clk_fcompute").filter(|clock| *clock > 0).map(|megahertz| megahertz * 1000),
        ..GpuDevice::default()
    })
}

/// The built-in description of that processor with as many compute units: products of a processor differ by these.
pub(super) fn product(device: &GpuDevice) -> Option<Gpu> {
    // To read all descriptions would take milliseconds.
    let known = ipda_hwdb::names().filter(|name| name.starts_with("mi")).filter_map(|name| Gpu::builtin(name).ok());
    let mut same = known.filter(|gpu| gpu.processor == device.processor);
    let units = |gpu: &Gpu| gpu.chip.multiprocessors.as_ref().ok().map(|units| units.get().get());
    same.find(|gpu| units(gpu) == device.multiprocessors.map(|units| units as u64))
}

/// Whether two processors are of one vendor.
pub(super) fn is_same_vendor(one: &str, other: &str) -> bool {
    one.starts_with("gfx") == other.starts_with("gfx")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_the_driver() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(devices(root.path()), []);
        let node = |number: usize, text: &str| {
            let folder = root.path().join(NODES).join(number.to_string());
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("properties"), text).unwrap();
        };
        node(0, "cpu_cores_count 64\nsimd_count 0\nsimd_per_cu 0\ngfx_target_version 0\n");
        node(1, "simd_count 440\nsimd_per_cu 4\ngfx_target_version 90010\nmax_engine_clk_fcompute 1700\n");
        node(2, "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\nmax_engine_clk_fcompute 2100\n");
        node(10, "simd_count 192\nsimd_per_cu 2\ngfx_target_version 110000\n");
        node(11, "simd_count 4\nsimd_per_cu 0\ngfx_target_version 90010\n");
        node(12, "nonsense\n");
        let found = devices(root.path());
        let texts: Vec<_> = found.iter().map(|gpu| (&gpu.processor[..], gpu.multiprocessors, gpu.clock)).collect();
        let expected = [("gfx90a", 110, Some(1_700_000)), ("gfx942", 304, Some(2_100_000)), ("gfx1100", 96, None)];
        assert_eq!(texts, expected.map(|(processor, units, clock)| (processor, Some(units), clock)));
        let products: Vec<_> = found.iter().map(|gpu| product(gpu).map(|gpu| gpu.name)).collect();
        assert_eq!(products, [Some("mi250x".into()), Some("mi300x".into()), None]);
    }
}
