//! Keys of machines by numbers, which stand for them in tables.

/// The keys of [`machine_values`](crate::closed::machine_values) for built-in machines, sorted. Other keys are spelled out in tables. As the numbers are
/// part of the format, another list is another version of tables.
pub(super) const KEYS: [&str; 161] = [
    "cpu.barrier",
    "cpu.clock",
    "cpu.cores",
    "cpu.dynamic_chunk",
    "cpu.fork",
    "cpu.is.broadwell",
    "cpu.is.cascadelake",
    "cpu.is.generic",
    "cpu.is.icelake-server",
    "cpu.is.neoverse-v2",
    "cpu.is.ppc64le",
    "cpu.is.pwr8",
    "cpu.is.pwr9",
    "cpu.is.sapphirerapids",
    "cpu.is.skylake-avx512",
    "cpu.is.x86-64",
    "cpu.is.znver2",
    "cpu.is.znver3",
    "cpu.is.znver4",
    "cpu.join",
    "cpu.l1.capacity",
    "cpu.l1.cores",
    "cpu.l1.latency",
    "cpu.l1.stored",
    "cpu.l1.throughput",
    "cpu.l2.capacity",
    "cpu.l2.cores",
    "cpu.l2.latency",
    "cpu.l2.stored",
    "cpu.l2.throughput",
    "cpu.l3.capacity",
    "cpu.l3.cores",
    "cpu.l3.latency",
    "cpu.l3.stored",
    "cpu.l3.throughput",
    "cpu.load_across_lines",
    "cpu.memory.bandwidth",
    "cpu.memory.bandwidth_of_core",
    "cpu.memory.latency",
    "cpu.memory.stored",
    "cpu.memory.stored_of_core",
    "cpu.outstanding_misses",
    "cpu.processors",
    "cpu.smt.1",
    "cpu.smt.2",
    "cpu.smt.3",
    "cpu.smt.4",
    "cpu.smt.8",
    "cpu.static_schedule",
    "cpu.store_across_lines",
    "cpu.teams_schedule",
    "cpu.thread",
    "cpu.tlb.entries",
    "cpu.tlb.miss",
    "cpu.tlb.walks",
    "cpu.unsure",
    "cpu.width",
    "gpu.atomic.instructions",
    "gpu.atomic.latency",
    "gpu.atomic.per_cycle",
    "gpu.barrier",
    "gpu.barrier.instructions",
    "gpu.barrier.latency",
    "gpu.barrier.per_cycle",
    "gpu.branch.instructions",
    "gpu.branch.latency",
    "gpu.branch.per_cycle",
    "gpu.call.instructions",
    "gpu.call.latency",
    "gpu.call.per_cycle",
    "gpu.clock",
    "gpu.convert.instructions",
    "gpu.convert.latency",
    "gpu.convert.per_cycle",
    "gpu.dispatch",
    "gpu.divide32.instructions",
    "gpu.divide32.latency",
    "gpu.divide32.per_cycle",
    "gpu.divide64.instructions",
    "gpu.divide64.latency",
    "gpu.divide64.per_cycle",
    "gpu.float16.instructions",
    "gpu.float16.latency",
    "gpu.float16.per_cycle",
    "gpu.float32.instructions",
    "gpu.float32.latency",
    "gpu.float32.per_cycle",
    "gpu.float64.instructions",
    "gpu.float64.latency",
    "gpu.float64.per_cycle",
    "gpu.integer-divide.instructions",
    "gpu.integer-divide.latency",
    "gpu.integer-divide.per_cycle",
    "gpu.integer32.instructions",
    "gpu.integer32.latency",
    "gpu.integer32.per_cycle",
    "gpu.integer64.instructions",
    "gpu.integer64.latency",
    "gpu.integer64.per_cycle",
    "gpu.issue_slots",
    "gpu.l1.capacity",
    "gpu.l1.latency",
    "gpu.l1.taken_by_shared",
    "gpu.l1.throughput",
    "gpu.l2.bandwidth",
    "gpu.l2.capacity",
    "gpu.l2.latency",
    "gpu.l2.per_multiprocessor",
    "gpu.l2.updates",
    "gpu.launch",
    "gpu.limits.parts",
    "gpu.limits.register_unit",
    "gpu.limits.registers",
    "gpu.limits.shared",
    "gpu.limits.shared_reserved",
    "gpu.limits.shared_unit",
    "gpu.limits.teams",
    "gpu.limits.warps",
    "gpu.load-constant.instructions",
    "gpu.load-constant.latency",
    "gpu.load-constant.per_cycle",
    "gpu.load-global.instructions",
    "gpu.load-global.latency",
    "gpu.load-global.per_cycle",
    "gpu.load-local.instructions",
    "gpu.load-local.latency",
    "gpu.load-local.per_cycle",
    "gpu.load-shared.instructions",
    "gpu.load-shared.latency",
    "gpu.load-shared.per_cycle",
    "gpu.memory.bandwidth",
    "gpu.memory.latency",
    "gpu.multiprocessors",
    "gpu.reduction",
    "gpu.reduction_of_teams",
    "gpu.runtime.default_teams",
    "gpu.runtime.default_threads",
    "gpu.runtime.max_teams",
    "gpu.runtime.max_threads",
    "gpu.special32.instructions",
    "gpu.special32.latency",
    "gpu.special32.per_cycle",
    "gpu.special64.instructions",
    "gpu.special64.latency",
    "gpu.special64.per_cycle",
    "gpu.store-global.instructions",
    "gpu.store-global.latency",
    "gpu.store-global.per_cycle",
    "gpu.store-local.instructions",
    "gpu.store-local.latency",
    "gpu.store-local.per_cycle",
    "gpu.store-shared.instructions",
    "gpu.store-shared.latency",
    "gpu.store-shared.per_cycle",
    "gpu.unsure",
    "link.allocation",
    "link.from_device",
    "link.from_device_pageable",
    "link.latency",
    "link.to_device",
    "link.to_device_pageable",
];

/// What stands for a key of machines, if it has a number.
pub(super) fn number(key: &str) -> Option<usize> {
    KEYS.binary_search(&key).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closed::machine_values;
    use crate::hash::fnv1a;
    use crate::predict::Machines;
    use ipda_hwdb::{Cpu, Gpu, Link, cpu_names, names};

    #[test]
    fn the_list_is_that_of_this_version() {
        let list = KEYS.join("\n");
        assert!(KEYS.is_sorted_by(|a, b| a < b));
        assert_eq!(
            fnv1a(list.as_bytes()),
            877968188308805259,
            "another list needs another version of tables (bytes.rs), and this number"
        );
    }

    #[test]
    fn keys_of_built_in_machines_have_numbers() {
        let pairs = names().map(|gpu| (gpu, "x86_64")).chain(cpu_names().map(|cpu| ("v100", cpu)));
        let mut named = 0;
        for (gpu, cpu) in pairs {
            let (gpu, cpu) = (Gpu::builtin(gpu).expect("built in"), Cpu::builtin(cpu).expect("built in"));
            let machines = Machines { gpu, cpu, link: Link::builtin("pcie3").expect("built in") };
            // Not all have what predictions need.
            for key in machine_values(&machines).into_iter().flat_map(|values| values.into_keys()) {
                assert!(number(&key).is_some(), "{key}");
                named += 1;
            }
        }
        assert!(named > 1000);
    }
}
