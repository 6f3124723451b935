//! Descriptions of the GPU that the CUDA driver finds, and of the link to it.

use std::cell::Cell;
use std::ffi::CStr;

use crate::chase::shuffled;
use crate::cpu::{Effort, LOADS};
use crate::cuda::{Attribute, Cuda, Kernel};
use crate::entry::{Stated, Text};
use crate::samples::{Samples, seconds};

/// The kernels, with the zero that ends a text of C.
const PTX: &str = concat!(include_str!("kernels.ptx"), "\0");
const DRIVER: &str = "the CUDA driver on the machine, ";
/// Bytes between two places of a ring: a line.
const LINE: usize = 128;
/// Bytes of a ring that any first level holds, and that any second level holds.
const IN_L1: usize = 12 << 10;
const IN_L2: usize = 1 << 20;
/// Bytes of device memory whose getting and giving back is timed.
const ALLOCATED: usize = 16 << 20;
/// Blocks for each multiprocessor, and threads of a block, of the kernel that reads.
const BLOCKS: usize = 16;
const THREADS: usize = 256;

/// The GPU that the driver finds.
pub struct GpuBench {
    cuda: Cuda,
    /// The product's name.
    pub product: String,
    /// LLVM's name of the processor, such as `sm_90`.
    pub processor: String,
    /// Of making the context.
    context: f64,
    kernels: Kernels,
    effort: Effort,
}

struct Kernels {
    nothing: Kernel,
    chase: Kernel,
    chase_past_l1: Kernel,
    read: Kernel,
}

impl GpuBench {
    /// Opens the driver, its first device and a context on it.
    ///
    /// # Errors
    /// Where there is no driver or device, or the driver does not do what it is told, in words.
    pub fn open(effort: Effort) -> Result<GpuBench, String> {
        let cuda = Cuda::open()?;
        let product = cuda.name()?;
        let (major, minor) = (cuda.attribute(Attribute::CapabilityMajor)?, cuda.attribute(Attribute::CapabilityMinor)?);
        let mut made = Ok(());
        let context = seconds(|| made = cuda.make_context());
        made?;
        let ptx = CStr::from_bytes_with_nul(PTX.as_bytes()).map_err(|error| error.to_string())?;
        let [nothing, chase, chase_past_l1, read] =
            cuda.kernels(ptx, [c"nothing", c"chase", c"chase_past_l1", c"read"])?;
        let kernels = Kernels { nothing, chase, chase_past_l1, read };
        Ok(GpuBench { cuda, product, processor: format!("sm_{major}{minor}"), context, kernels, effort })
    }

    /// A description with that name; what is not measured comes from `base`, a built-in one of the same processor.
    ///
    /// # Errors
    /// Where the driver does not do what it is told, in words.
    pub fn describe(&self, name: &str, base: &str) -> Result<String, String> {
        let mut text = self.head("gpu", name);
        text.words("based_on", base);
        text.words("product", &self.product);
        text.words("processor", &self.processor);
        self.chip(&mut text)?;
        self.occupancy(&mut text);
        self.memory(&mut text)?;
        text.section("launch");
        let launch = self.repeat(|| self.cuda.run(self.kernels.nothing, 1, 1, &mut []))?;
        let method = format!("an empty kernel from the call to its end; {}", launch.spread());
        text.value("kernel", &Stated::measured(launch.median * 1e6, "us", method));
        let method = "making the primary context, once".to_owned();
        text.value("context", &Stated::measured(self.context, "s", method));
        Ok(text.finish())
    }

    /// A description of the link with that name.
    ///
    /// # Errors
    /// Where the driver does not do what it is told, in words.
    pub fn describe_link(&self, name: &str) -> Result<String, String> {
        let mut text = self.head("link", name);
        text.words("product", &format!("link between the host and {}", self.product));
        text.section("transfer");
        for key in ["peak_to_device", "peak_from_device"] {
            text.value(key, &Stated::Unknown("what the link could carry cannot be measured".into()));
        }
        let bytes = self.effort.max_bytes() / 4;
        let device = self.cuda.allocate(bytes)?;
        let mut pinned = self.cuda.allocate_pinned(bytes)?;
        let mut pageable = vec![1_u8; bytes];
        let rate = |samples: Samples, words: &str| {
            let method = format!("copies of {} MiB {words}; {}", bytes >> 20, samples.spread());
            Stated::measured(bytes as f64 / samples.median / 1e9, "GB/s", method)
        };
        let to_pinned = self.repeat(|| device.write(pinned.bytes()))?;
        text.value("pinned_to_device", &rate(to_pinned, "from pinned memory"));
        let from_pinned = self.repeat(|| device.read(pinned.bytes()))?;
        text.value("pinned_from_device", &rate(from_pinned, "to pinned memory"));
        text.value("pageable_to_device", &rate(self.repeat(|| device.write(&pageable))?, "from pageable memory"));
        text.value("pageable_from_device", &rate(self.repeat(|| device.read(&mut pageable))?, "to pageable memory"));
        // What a launch does for each array that is not on the device.
        let allocated = self.repeat(|| self.cuda.allocate(ALLOCATED).map(drop))?;
        let few = self.repeat(|| device.write(&[1; 8]))?;
        text.value(
            "latency",
            &Stated::measured(few.median * 1e6, "us", format!("copies of 8 bytes to the device; {}", few.spread())),
        );
        let method = format!("{} MiB from the driver and back; {}", ALLOCATED >> 20, allocated.spread());
        text.value("allocation", &Stated::measured(allocated.median * 1e6, "us", method));
        Ok(text.finish())
    }

    fn head(&self, kind: &str, name: &str) -> Text {
        let mut text = Text::new(&format!("ipda hw measure {}, on {}", env!("CARGO_PKG_VERSION"), self.product));
        text.words("kind", kind);
        text.words("name", name);
        text
    }

    /// Seconds of doing it, after a first time that is left out.
    fn repeat(&self, mut work: impl FnMut() -> Result<(), String>) -> Result<Samples, String> {
        work()?;
        let mut failed = Ok(());
        let samples = Samples::take(self.effort.samples(), || {
            seconds(|| {
                if let Err(why) = work() {
                    failed = Err(why);
                }
            })
        });
        failed.map(|()| samples)
    }

    /// What the driver says about the device.
    fn said(&self, attribute: Attribute, unit: &'static str) -> Stated {
        match self.cuda.attribute(attribute) {
            Ok(0) => Stated::Unknown(format!("the driver gives nothing for {attribute:?}")),
            Ok(value) => Stated::fact(value, unit, &format!("{DRIVER}device attribute {}", attribute as i32)),
            Err(why) => Stated::Unknown(why),
        }
    }

    fn chip(&self, text: &mut Text) -> Result<(), String> {
        text.section("chip");
        text.value("multiprocessors", &self.said(Attribute::Multiprocessors, "multiprocessors"));
        // Cycles that the device counts, by the time that the host sees.
        let loads = 10 * LOADS;
        let ring = Ring::new(&self.cuda, IN_L1)?;
        ring.follow(self.kernels.chase, loads)?;
        let mut hertz = Vec::new();
        for _ in 0..self.effort.samples() {
            let mut cycles = Ok(0);
            let taken = seconds(|| cycles = ring.follow(self.kernels.chase, loads));
            hertz.push(cycles? as f64 / taken);
        }
        let hertz = Samples::of(hertz);
        let method = format!(
            "cycles that a kernel of one warp counts by the time from its launch to its end; {}",
            hertz.spread_from_best()
        );
        text.value("clock", &Stated::measured(hertz.max / 1e6, "MHz", method));
        text.value("base_clock", &Stated::Unknown("what the maker promises cannot be measured".into()));
        Ok(())
    }

    fn occupancy(&self, text: &mut Text) {
        text.section("occupancy");
        let warps = self.cuda.attribute(Attribute::ThreadsPerMultiprocessor).and_then(|threads| {
            let lanes = self.cuda.attribute(Attribute::WarpSize)?.max(1);
            Ok(Stated::fact(threads / lanes, "warps", &format!("{DRIVER}device attributes 39 and 10")))
        });
        text.value("warps", &warps.unwrap_or_else(Stated::Unknown));
        for (key, attribute, unit) in [
            ("blocks", Attribute::BlocksPerMultiprocessor, "blocks"),
            ("threads_per_block", Attribute::ThreadsPerBlock, "threads"),
            ("registers", Attribute::RegistersPerMultiprocessor, "registers"),
            ("shared_memory", Attribute::SharedPerMultiprocessor, "bytes"),
            ("shared_memory_per_block", Attribute::SharedPerBlock, "bytes"),
        ] {
            text.value(key, &self.said(attribute, unit));
        }
        // None is an answer here.
        let reserved = self.cuda.attribute(Attribute::ReservedSharedPerBlock);
        let reserved = reserved.map(|bytes| Stated::fact(bytes, "bytes", &format!("{DRIVER}device attribute 111")));
        text.value("shared_memory_reserved", &reserved.unwrap_or_else(Stated::Unknown));
    }

    fn memory(&self, text: &mut Text) -> Result<(), String> {
        let l2 = self.cuda.attribute(Attribute::L2Bytes).unwrap_or(0);
        let total = self.cuda.memory()?;
        text.section("memory");
        text.value("capacity", &Stated::fact(total, "bytes", &format!("{DRIVER}cuDeviceTotalMem")));
        text.value("bandwidth", &self.peak());
        let large = (l2.max(IN_L2) * 8).min(self.effort.max_bytes()).min(total / 4);
        text.value("sustained_bandwidth", &self.bandwidth(large, 1)?);
        text.value("latency", &self.latency(self.kernels.chase_past_l1, large)?);
        text.value(
            "latency_on_tlb_miss",
            &Stated::Unknown("not measured: which pages the driver takes is not known".into()),
        );
        text.value("l1_latency", &self.latency(self.kernels.chase, IN_L1)?);
        text.value("l2_size", &self.said(Attribute::L2Bytes, "bytes"));
        text.value("l2_latency", &self.latency(self.kernels.chase_past_l1, IN_L2)?);
        text.value("l2_bandwidth", &self.bandwidth((l2 / 4).max(IN_L2), 50)?);
        for key in ["l2_slice_bandwidth", "l2_updates"] {
            text.value(key, &Stated::Unknown("not measured".into()));
        }
        Ok(())
    }

    /// What the memory's interface can carry, from its clock and width.
    fn peak(&self) -> Stated {
        let product = || {
            let kilohertz = self.cuda.attribute(Attribute::MemoryClockKilohertz)?;
            let bits = self.cuda.attribute(Attribute::MemoryBusBits)?;
            // Two transfers a cycle.
            Ok::<_, String>(2.0 * kilohertz as f64 * 1e3 * bits as f64 / 8.0 / 1e9)
        };
        match product() {
            Ok(rate) if rate > 0.0 => {
                Stated::fact(rate, "GB/s", &format!("{DRIVER}device attributes 36 and 37, two transfers a cycle"))
            }
            Ok(_) => Stated::Unknown("the driver does not give the memory's clock".into()),
            Err(why) => Stated::Unknown(why),
        }
    }

    fn latency(&self, kernel: Kernel, bytes: usize) -> Result<Stated, String> {
        let ring = Ring::new(&self.cuda, bytes)?;
        // Brings the ring to where it fits. Each sample goes on where the last one ended: in a ring that fits nowhere all lines are new.
        ring.follow(kernel, ring.lines.min(LOADS))?;
        let cycles = (0..self.effort.samples())
            .map(|_| Ok(ring.follow(kernel, LOADS)? as f64 / LOADS as f64))
            .collect::<Result<Vec<f64>, String>>()?;
        let samples = Samples::of(cycles);
        let method = format!(
            "pointer chase by one thread through {} KiB, lines in random order; {}",
            bytes / 1024,
            samples.spread()
        );
        Ok(Stated::measured(samples.median, "cycles", method))
    }

    fn bandwidth(&self, bytes: usize, passes: u64) -> Result<Stated, String> {
        let memory = self.cuda.allocate(bytes)?;
        let out = self.cuda.allocate(LINE)?;
        let blocks = self.cuda.attribute(Attribute::Multiprocessors)? * BLOCKS;
        let parameters = [memory.address, bytes as u64, passes, out.address];
        let samples = self.repeat(|| self.cuda.run(self.kernels.read, blocks, THREADS, &mut parameters.clone()))?;
        let method = format!(
            "{blocks} blocks of {THREADS} threads read {} KiB {passes} times; {}",
            bytes / 1024,
            samples.spread()
        );
        Ok(Stated::measured(bytes as f64 * passes as f64 / samples.median / 1e9, "GB/s", method))
    }
}

/// Lines of the device's memory, each with the address of the next one.
struct Ring<'a> {
    cuda: &'a Cuda,
    /// What the ring lies in, for as long as loads go through it.
    _memory: crate::cuda::DeviceMemory<'a>,
    lines: usize,
    /// Where the next loads begin.
    at: Cell<u64>,
}

impl Ring<'_> {
    fn new(cuda: &Cuda, bytes: usize) -> Result<Ring<'_>, String> {
        let lines = (bytes / LINE).max(1);
        let memory = cuda.allocate(lines * LINE)?;
        let order = shuffled(lines);
        let mut content = vec![0_u8; lines * LINE];
        for (at, line) in order.iter().enumerate() {
            let next = memory.address + (order[(at + 1) % lines] * LINE) as u64;
            content[line * LINE..][..8].copy_from_slice(&next.to_ne_bytes());
        }
        memory.write(&content)?;
        let at = Cell::new(memory.address);
        Ok(Ring { cuda, _memory: memory, lines, at })
    }

    /// Cycles of so many loads, which go on where those before ended.
    fn follow(&self, kernel: Kernel, loads: usize) -> Result<u64, String> {
        let out = self.cuda.allocate(LINE)?;
        self.cuda.run(kernel, 1, 1, &mut [self.at.get(), loads as u64, out.address])?;
        let mut words = [[0; 8]; 2];
        out.read(words.as_flattened_mut())?;
        let [cycles, at] = words.map(u64::from_ne_bytes);
        self.at.set(at);
        Ok(cycles)
    }
}
