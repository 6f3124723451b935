//! Measuring a GPU, with a driver that has none: what is asked of it and how, not how long it takes.
//!
//! One test in a process of its own: it sets the environment.

use std::path::Path;
use std::process::Command;

use ipda_hwdb::Device;
use ipda_measure::{Effort, GpuBench};

#[test]
fn what_the_driver_says_and_does_becomes_a_description() {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libcuda-of-test.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/driver.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).status();
    assert!(built.is_ok_and(|status| status.success()), "a C compiler, which linking Rust needs too");
    // SAFETY: the only test of this process, and no thread was started before.
    unsafe { std::env::set_var("IPDA_LIBCUDA", &library) };
    let bench = GpuBench::open(Effort::Quick).expect("the driver opens");
    assert_eq!((bench.product.as_str(), bench.processor.as_str()), ("NVIDIA H100 PCIe", "sm_90"));

    let text = bench.describe("here", "h100-pcie").expect("the driver does what it is told");
    let device = Device::parse(&text, Path::new("here.yaml"));
    let Ok(Device::Gpu(gpu)) = device else { panic!("{device:?}\n{text}") };
    assert_eq!(gpu.occupancy.warps.expect("the driver says it").get().get(), 64);
    assert_eq!(gpu.occupancy.registers.expect("the driver says it").get().get(), 65_536);
    assert_eq!(gpu.memory.bandwidth.expect("the driver says it").get().get(), 2_039_040_000_000.0);
    let latency = |value: ipda_hwdb::Known<ipda_hwdb::Cycles>| value.expect("measured").get().get();
    assert_eq!((latency(gpu.memory.l1_latency), latency(gpu.memory.l2_latency)), (33.0, 260.0));
    // No line of memory is met a second time.
    assert_eq!(latency(gpu.memory.latency), 650.0);
    let why = gpu.occupancy.shared_memory_reserved.expect_err("the driver does not know it").to_string();
    assert_eq!(why, "`occupancy.shared_memory_reserved` is not known: the driver's cuDeviceGetAttribute failed with 1");
    assert!(gpu.throughput.fp64.is_ok(), "from the base");

    let text = bench.describe_link("wire").expect("the driver does what it is told");
    let device = Device::parse(&text, Path::new("wire.yaml"));
    // How fast the test's memory is copied to itself says nothing, so that pageable may seem faster than pinned.
    if let Err(errors) = &device {
        assert!(errors.iter().all(|error| error.to_string().contains(" is less than ")), "{errors:?}\n{text}");
    }

    // SAFETY: as above.
    unsafe { std::env::set_var("IPDA_LIBCUDA", "/no/such/libcuda.so") };
    let why = GpuBench::open(Effort::Quick).err().expect("no driver");
    assert!(why.contains("/no/such/libcuda.so"), "{why}");
}
