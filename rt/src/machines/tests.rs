use super::*;

fn build() -> MachineNames {
    MachineNames { gpu: "h100-sxm".into(), cpu: "x86_64".into(), link: "pcie5".into() }
}

fn nothing() -> PathBuf {
    PathBuf::from("/no/such/root")
}

/// A system with two packages of two cores of two threads.
fn system(model: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: String, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("proc/cpuinfo".into(), &format!("model name\t: {model}\ncpu MHz\t\t: 2100.000\n"));
    let cpus = "sys/devices/system/cpu";
    write(format!("{cpus}/online"), "0-7\n");
    for cpu in 0..8 {
        write(format!("{cpus}/cpu{cpu}/topology/physical_package_id"), &format!("{}\n", cpu / 4));
        write(format!("{cpus}/cpu{cpu}/topology/thread_siblings_list"), &format!("{}-{}\n", cpu & !1, cpu | 1));
    }
    for (index, level, size, sharing) in [(0, 1, "48K", "0-1"), (1, 2, "1M", "0-1"), (2, 3, "20M", "0-3")] {
        let cache = format!("{cpus}/cpu0/cache/index{index}");
        for (file, text) in [
            ("type", "Unified"),
            ("level", &level.to_string()),
            ("size", size),
            ("ways_of_associativity", "8"),
            ("coherency_line_size", "64"),
            ("shared_cpu_list", sharing),
        ] {
            write(format!("{cache}/{file}"), text);
        }
    }
    root
}

fn found(requested: Requested, root: &Path, device: Option<&GpuDevice>) -> Machines {
    let (finder, problems) = Finder::new(requested, root);
    let found = finder.find(&build(), device);
    assert_eq!((problems, found.problems), (Vec::new(), Vec::new()));
    found.machines.unwrap()
}

#[test]
fn a_system_that_says_nothing_leaves_what_the_build_named() {
    let machines = found(Requested::default(), &nothing(), None);
    assert_eq!((machines.gpu.name, machines.link.name), ("h100-sxm".into(), "pcie5".into()));
    assert_eq!((machines.cpu.chip, machines.cpu.l2), {
        let generic = Cpu::builtin("x86_64").unwrap();
        (generic.chip, generic.l2)
    });
}

#[test]
fn a_product_with_a_description() {
    let root = system("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz");
    let cpu = found(Requested::default(), root.path(), None).cpu;
    assert_eq!(cpu.name, "xeon-6148 with 4 cores");
    assert_eq!(cpu.chip.cores.unwrap().get().get(), 2);
    // Of the product, not of this machine's moment.
    assert_eq!(cpu.chip.clock, Cpu::builtin("xeon-6148").unwrap().chip.clock);
    for (model, name) in [
        ("AMD EPYC 7763 64-Core Processor", "epyc-milan"),
        ("Intel(R) Xeon(R) Platinum 8470", "xeon-8470"),
        ("POWER9, altivec supported", "power9"),
    ] {
        let named = format!("{name} with 4 cores");
        assert_eq!(found(Requested::default(), system(model).path(), None).cpu.name, named);
    }
}

#[test]
fn every_description_of_a_product_can_be_found() {
    // Processors that Linux gives no name, and what stands for an architecture.
    const NAMELESS: [&str; 4] = ["grace", "aarch64", "powerpc64le", "x86_64"];
    for name in ipda_hwdb::cpu_names().filter(|name| !NAMELESS.contains(name)) {
        let words = host::PRODUCTS.iter().find(|(_, known)| *known == name).expect(name).0;
        let product = Cpu::builtin(name).unwrap().product;
        assert!(
            words.split(' ').all(|word| product.split([' ', ',']).any(|known| known == word)),
            "{words}: {product}"
        );
    }
    for (_, name) in gpu::PRODUCTS {
        assert_eq!(Gpu::builtin(name).unwrap().name, name);
    }
    let nvidia = ipda_hwdb::names().filter(|name| !name.starts_with("mi"));
    nvidia.for_each(|name| assert!(gpu::PRODUCTS.iter().any(|(_, known)| *known == name), "{name}"));
}

#[test]
fn a_product_without_one_is_as_the_build_says_with_the_sizes_of_the_system() {
    let cpu = found(Requested::default(), system("AMD EPYC").path(), None).cpu;
    assert_eq!(cpu.name, "x86_64 as AMD EPYC with 4 cores");
    assert_eq!(cpu.chip.sockets.unwrap().get().get(), 2);
    assert_eq!(cpu.chip.clock.unwrap().get().get(), 2.1e9);
    assert_eq!((cpu.l1d.size.unwrap().get().get(), cpu.l3.size.unwrap().get().get()), (48 << 10, 20 << 20));
    assert_eq!(cpu.l3.cores.unwrap().get().get(), 2);
}

#[test]
fn gpus_by_product_and_by_processor() {
    let device = |name: &str, processor: &str, multiprocessors| GpuDevice {
        name: name.into(),
        processor: processor.into(),
        multiprocessors: Some(multiprocessors),
        clock: Some(1_500_000),
        memory_clock: Some(1_000_000),
        memory_bits: Some(4096),
        l2: Some(32 << 20),
    };
    let whole = found(Requested::default(), &nothing(), Some(&device("NVIDIA A100-SXM4-80GB", "sm_80", 108)));
    assert_eq!(whole.gpu, Gpu::builtin("a100").unwrap());
    let machines = found(Requested::default(), &nothing(), Some(&device("NVIDIA A100-SXM4-80GB", "sm_80", 14)));
    // A seventh of one.
    let names = (machines.gpu.name.as_str(), machines.link.name.as_str());
    assert_eq!(names, ("a100 with 14 multiprocessors", "pcie4"));
    assert_eq!(machines.gpu.chip.multiprocessors.unwrap().get().get(), 14);
    assert_eq!(machines.gpu.chip.clock, Gpu::builtin("a100").unwrap().chip.clock);
    let gpu = found(Requested::default(), &nothing(), Some(&device("NVIDIA A100-PCIE-40GB", "sm_80", 108))).gpu;
    assert_eq!(gpu.name, "a100 as NVIDIA A100-PCIE-40GB");
    assert_eq!(gpu.chip.clock.unwrap().get().get(), 1.5e9);
    assert_eq!(gpu.memory.bandwidth.unwrap().get().get(), 1.024e12);
    assert!(gpu.memory.sustained_bandwidth.unwrap().get().get() < 1.024e12);
    // No description is of that processor: the build's, with what the driver says.
    let machines = found(Requested::default(), &nothing(), Some(&device("NVIDIA Something", "sm_99", 7)));
    let names = (machines.gpu.name.as_str(), machines.link.name.as_str());
    assert_eq!(names, ("h100-sxm as NVIDIA Something", "pcie5"));
    assert_eq!(machines.gpu.chip.multiprocessors.unwrap().get().get(), 7);
}

#[test]
fn a_build_for_other_devices_is_not_for_those_of_the_cuda_driver() {
    let (finder, _) = Finder::new(Requested::default(), &nothing());
    let device = GpuDevice { name: "NVIDIA H200".into(), processor: "sm_90".into(), ..GpuDevice::default() };
    let found = finder.find(&MachineNames { gpu: "mi210".into(), ..build() }, Some(&device));
    assert_eq!(found.machines.unwrap().gpu.name, "mi210");
}

#[test]
fn gpus_of_amd() {
    let root = tempfile::tempdir().unwrap();
    let node = |number: usize, units: usize, version: usize| {
        let folder = root.path().join(format!("sys/class/kfd/kfd/topology/nodes/{number}"));
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "simd_count {}\nsimd_per_cu 4\ngfx_target_version {version}\nmax_engine_clk_fcompute 1500\n",
            4 * units
        );
        std::fs::write(folder.join("properties"), text).unwrap();
    };
    let name = |build: &str, device: Option<&GpuDevice>| {
        let (finder, _) = Finder::new(Requested::default(), root.path());
        finder.find(&MachineNames { gpu: build.into(), ..self::build() }, device).machines.unwrap().gpu.name
    };
    node(1, 110, 90010);
    node(2, 110, 90010);
    assert_eq!(name("mi210", None), "mi250x");
    // NVIDIA's is not for that build, and AMD's not for one for NVIDIA.
    let nvidia = GpuDevice { name: "NVIDIA L4".into(), processor: "sm_89".into(), ..GpuDevice::default() };
    assert_eq!(name("mi210", Some(&nvidia)), "mi250x");
    assert_eq!([name("h200", Some(&nvidia)), name("h200", None)], ["l4", "h200"]);
    // Which of two kinds the default device is, nobody says.
    node(2, 304, 90402);
    assert_eq!(name("mi210", None), "mi210");
    node(1, 304, 90402);
    assert_eq!(name("mi210", None), "mi300x");
    // A part of a product, and another product of the processor.
    node(1, 38, 90402);
    node(2, 38, 90402);
    assert_eq!(name("mi300x", None), "mi300x as AMD gfx942");
}

#[test]
fn links_go_by_the_host() {
    let device = GpuDevice { name: "Tesla V100-SXM2-16GB".into(), processor: "sm_70".into(), ..GpuDevice::default() };
    for (model, link) in [("POWER9, altivec supported", "nvlink2"), ("AMD EPYC", "pcie3")] {
        assert_eq!(found(Requested::default(), system(model).path(), Some(&device)).link.name, link);
    }
}

#[test]
fn what_the_user_names_wins() {
    let requested = Requested {
        gpu: Some("h200".into()),
        cpu: Some("epyc-milan".into()),
        link: Some("pcie4".into()),
        folder: None,
    };
    let device = GpuDevice { name: "NVIDIA L4".into(), processor: "sm_89".into(), ..GpuDevice::default() };
    let machines = found(requested, &nothing(), Some(&device));
    let names = [machines.gpu.name, machines.cpu.name, machines.link.name];
    assert_eq!(names, ["h200", "epyc-milan", "pcie4"]);
}

#[test]
fn a_folder_with_descriptions() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("mine.yaml", "kind: gpu\nbased_on: h200\nname: mine\nproduct: NVIDIA Something\n");
    write("here.yaml", "kind: cpu\nbased_on: x86_64\nname: here\nproduct: AMD EPYC\n");
    write("broken.yaml", "kind: gpu\nname: [\n");
    write("wrong.yaml", "kind: gpu\nname: wrong\n");
    write("notes.txt", "no description");
    let requested = Requested { folder: Some(folder.path().into()), ..Requested::default() };
    let (finder, problems) = Finder::new(requested, system("AMD EPYC").path());
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("broken.yaml:"), "{problems:?}");
    assert!(problems[0].ends_with("; 1 more of the folder cannot be used either"), "{problems:?}");
    let device = GpuDevice { name: "NVIDIA Something".into(), processor: "sm_99".into(), ..GpuDevice::default() };
    let machines = finder.find(&build(), Some(&device)).machines.unwrap();
    assert_eq!((machines.gpu.name.as_str(), machines.cpu.name.as_str()), ("mine", "here"));
    // Others are found by their names too.
    let machines = finder.find(&MachineNames { gpu: "mine".into(), ..build() }, None).machines.unwrap();
    assert_eq!(machines.gpu.name, "mine");
}

#[test]
fn names_that_do_not_exist_are_told_and_what_is_found_counts() {
    let requested = Requested { gpu: Some("h20".into()), link: Some("/no/such.yaml".into()), ..Requested::default() };
    let (finder, _) = Finder::new(requested, &nothing());
    let found = finder.find(&build(), None);
    assert_eq!(found.machines.unwrap().gpu.name, "h100-sxm");
    assert_eq!(found.problems.len(), 2);
    assert!(found.problems[0].starts_with("IPDA_GPU=h20: unknown GPU `h20`"), "{found_:?}", found_ = found.problems);
    assert!(found.problems[1].starts_with("IPDA_LINK=/no/such.yaml: cannot read"));
    let (_, problems) = Finder::new(Requested { folder: Some("/no/such".into()), ..Requested::default() }, &nothing());
    assert!(problems[0].starts_with("IPDA_HWDB=/no/such: "));
}

#[test]
fn a_description_of_the_build_that_is_not_here_leaves_its_values() {
    let (finder, _) = Finder::new(Requested::default(), &nothing());
    let found = finder.find(&MachineNames { gpu: "/build/gpu.yaml".into(), ..build() }, None);
    assert!(found.machines.is_err() && found.problems.is_empty());
}
