//! The built-in entries.

use std::collections::BTreeSet;
use std::path::Path;

use ipda_hwdb::{Bytes, Cpu, Device, Evidence, Gpu, Link, Missing, architectures};

fn entry_files() -> Vec<(String, String)> {
    let entries = Path::new(env!("CARGO_MANIFEST_DIR")).join("entries");
    let mut files = Vec::new();
    for kind in ["gpu", "cpu", "link"] {
        for file in std::fs::read_dir(entries.join(kind)).expect("the entries are beside the source") {
            let path = file.expect("readable").path();
            let name = path.file_stem().expect("named").to_string_lossy().into_owned();
            files.push((format!("{kind} {name}"), std::fs::read_to_string(path).expect("readable")));
        }
    }
    files
}

#[test]
fn every_entry_file_is_built_in_under_its_own_name() {
    let files: BTreeSet<String> = entry_files().into_iter().map(|(name, _)| name).collect();
    let builtin: BTreeSet<String> =
        Device::builtins().iter().map(|device| format!("{} {}", device.kind(), device.name())).collect();
    assert_eq!(files, builtin);
}

/// They are not read from their files when the program runs.
#[test]
fn every_entry_is_what_its_file_says() {
    let entries = Path::new(env!("CARGO_MANIFEST_DIR")).join("entries");
    for device in Device::builtins() {
        let file = entries.join(device.kind()).join(format!("{}.yaml", device.name()));
        assert_eq!(Device::find(&file.to_string_lossy()).ok().as_ref(), Some(&device), "{}", device.name());
    }
}

#[test]
fn names_and_aliases_are_unique_and_lead_to_their_entries() {
    let mut seen = BTreeSet::new();
    for device in Device::builtins() {
        for name in std::iter::once(device.name()).chain(device.aliases().iter().map(String::as_str)) {
            assert!(seen.insert(name.to_owned()), "{name} is the name of two entries");
            assert_eq!(Device::find(name).ok().as_ref(), Some(&device), "{name}");
        }
    }
}

#[test]
fn what_is_asked_for_is_there() {
    let expected = [
        "k80",
        "p100",
        "v100",
        "a100",
        "h100-pcie",
        "h100-sxm",
        "h100",
        "h200",
        "l4",
        "a10",
        "a40",
        "rtx3070",
        "rtx3080",
        "rtx3090",
        "rtx4090",
        "mi210",
        "mi250x",
        "mi300x",
        "power8",
        "power9",
        "skylake-6148",
        "cascade-lake",
        "ice-lake",
        "sapphire-rapids",
        "epyc-rome",
        "epyc-milan",
        "epyc-genoa",
        "grace",
        "x86_64",
        "pcie3",
        "pcie4",
        "pcie5",
        "nvlink1",
        "nvlink2",
        "nvlink-c2c",
        "sm_70",
        "sm_90",
        "gfx90a",
        "gfx942",
        "pwr9",
        "znver3",
    ];
    for name in expected {
        assert!(Device::find(name).is_ok(), "{name}");
    }
}

#[test]
fn links_of_gpus_are_entries() {
    for gpu in ipda_hwdb::names().map(|name| Gpu::builtin(name).expect("built in")) {
        assert!(!gpu.links.is_empty(), "{}", gpu.name);
        for link in &gpu.links {
            assert!(Link::builtin(link).is_ok(), "{} is attached by {link}", gpu.name);
        }
    }
}

/// Entries that stand for an architecture as far as its processors agree state little.
#[test]
fn every_other_entry_states_each_value_or_why_not() {
    for device in Device::builtins() {
        if ["aarch64", "powerpc64le"].contains(&device.name()) {
            continue;
        }
        for parameter in device.parameters() {
            if let Err(Missing { reason, .. }) = &parameter.value {
                assert_ne!(reason, "the entry does not state it", "{} {}", device.name(), parameter.key);
            }
        }
    }
}

#[test]
fn nobody_s_memory_passes_for_a_fact() {
    for device in Device::builtins() {
        for parameter in device.parameters() {
            let Ok((_, evidence)) = &parameter.value else { continue };
            if matches!(evidence, Evidence::Fact { .. } | Evidence::Measured { .. }) {
                let words = evidence.to_string();
                assert!(
                    !words.contains("remembered") && !words.contains("estimate"),
                    "{} {}",
                    device.name(),
                    parameter.key
                );
            }
        }
    }
}

#[test]
fn processors_are_found_by_target_triples() {
    for name in architectures() {
        assert_eq!(Cpu::of_target(&format!("{name}-unknown-linux-gnu")).map(|cpu| cpu.name).as_deref(), Some(name));
    }
    let line = |triple| Cpu::of_target(triple).map(|cpu| (cpu.line, cpu.memory.line.kind()));
    assert_eq!(line("x86_64-pc-linux-gnu"), Some((Bytes::new(64), ipda_hwdb::Kind::Fact)));
    assert_eq!(line("powerpc64le-unknown-linux-gnu"), Some((Bytes::new(128), ipda_hwdb::Kind::Fact)));
    assert_eq!(line("aarch64-unknown-linux-gnu"), Some((Bytes::new(64), ipda_hwdb::Kind::Estimate)));
    assert_eq!(line("riscv64-unknown-linux-gnu"), None);
}

#[test]
fn sizes_by_which_accesses_are_counted() {
    let sizes = |name| {
        let gpu = Gpu::builtin(name).expect("built in");
        (gpu.lanes, gpu.sector, gpu.line, gpu.banks, gpu.bank_word)
    };
    for name in [
        "k80",
        "p100",
        "v100",
        "a100",
        "h100-pcie",
        "h100-sxm",
        "h200",
        "l4",
        "a10",
        "a40",
        "rtx3070",
        "rtx3080",
        "rtx3090",
        "rtx4090",
    ] {
        assert_eq!(sizes(name), (32, Bytes::new(32), Bytes::new(128), 32, Bytes::new(4)), "{name}");
    }
    for name in ["mi210", "mi250x", "mi300x"] {
        assert_eq!(sizes(name), (64, Bytes::new(64), Bytes::new(128), 32, Bytes::new(4)), "{name}");
    }
}

/// Peaks that the makers state for whole devices, from the values of the parts.
#[test]
fn parts_make_up_the_peaks() {
    let teraflops = |name| {
        let gpu = Gpu::builtin(name).expect("built in");
        let parts =
            gpu.chip.multiprocessors.expect("known").get().get() as f64 * gpu.chip.clock.expect("known").get().get();
        let peak = |rate: ipda_hwdb::Known<ipda_hwdb::PerCycle>| 2.0 * parts * rate.expect("known").get().get() / 1e12;
        (peak(gpu.throughput.fp32), peak(gpu.throughput.fp64))
    };
    for (name, single, double) in [
        ("p100", 10.6, 5.3),
        ("v100", 15.7, 7.8),
        ("a100", 19.5, 9.7),
        ("h100-sxm", 66.9, 33.5),
        ("h200", 66.9, 33.5),
        ("a10", 31.2, 0.488),
        ("a40", 37.4, 0.585),
        ("rtx3070", 20.3, 0.317),
        ("rtx3080", 29.8, 0.465),
        ("rtx3090", 35.6, 0.556),
        ("rtx4090", 82.6, 1.29),
        ("mi210", 22.6, 22.6),
        ("mi250x", 23.95, 23.95),
        ("mi300x", 163.4, 81.7),
    ] {
        let (found_single, found_double) = teraflops(name);
        assert!((found_single / single - 1.0).abs() < 0.01, "{name}: {found_single}");
        assert!((found_double / double - 1.0).abs() < 0.01, "{name}: {found_double}");
    }
}

#[test]
fn what_entries_are_for_is_found_without_reading_them() {
    for target in ipda_hwdb::cpu_targets() {
        let cpu = Cpu::builtin(target.name).expect("built in");
        assert_eq!((target.architecture, target.processor), (&*cpu.architecture, &*cpu.processor), "{}", target.name);
    }
    assert_eq!(ipda_hwdb::cpu_targets().count(), ipda_hwdb::cpu_names().count());
    for device in Device::builtins() {
        let (name, aliases) = match &device {
            Device::Cpu(cpu) => (&cpu.name, &cpu.aliases),
            Device::Gpu(gpu) => (&gpu.name, &gpu.aliases),
            Device::Link(link) => (&link.name, &link.aliases),
        };
        for alias in aliases {
            let found = Device::find(alias).unwrap_or_else(|error| panic!("{alias}: {error:?}"));
            assert_eq!(found.name(), name, "{alias}");
        }
    }
}
