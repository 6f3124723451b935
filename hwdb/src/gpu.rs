//! GPUs: what coalescing depends on, and what time models ask for (Hong and Kim, ISCA 2009, and its extensions).

use crate::entry::{ALIASES, Builtin, Entry, builtins};
use crate::keys::{SectionShape, TextKey};
use crate::reader::{Reader, Section};
use crate::section::section;
use crate::units::{
    Banks, Blocks, Bytes, BytesPerCycle, BytesPerSecond, Capacity, Count, Cycles, Hertz, Lanes, Multiprocessors,
    PerCycle, Registers, Reserved, Schedulers, Seconds, Sectors, Threads, Warps,
};
use crate::value::Parameter;

/// The names that [`Gpu::builtin`] takes, beside aliases.
pub fn names() -> impl Iterator<Item = &'static str> {
    Gpu::BUILTIN.iter().map(|builtin| builtin.name)
}

/// A GPU.
///
/// Invariant: `lanes`, `sector` and `line` are powers of two, and a line is one or more whole sectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Gpu {
    /// The entry's name, such as `h200`.
    pub name: String,
    /// Its other names, among them LLVM's name of the processor where one product stands for it.
    pub aliases: Vec<String>,
    /// The product's name.
    pub product: String,
    /// LLVM's name of the processor, such as `sm_90` or `gfx90a`.
    pub processor: String,
    /// Names of the links by which it is attached to a host, the usual one first.
    pub links: Vec<String>,
    /// Threads that execute together: NVIDIA's warp, AMD's wavefront.
    pub lanes: u32,
    /// The smallest unit of a memory transaction.
    pub sector: Bytes,
    /// The cache line; the longest one where the levels differ.
    pub line: Bytes,
    /// Banks of the memory that the threads of a team share.
    pub banks: u32,
    /// The word that a bank gives at a time.
    pub bank_word: Bytes,
    /// The five above, with where they come from, and what stays in the first-level cache.
    pub coalescing: Coalescing,
    /// The device as a whole.
    pub chip: Chip,
    /// How many threads fit.
    pub occupancy: Occupancy,
    /// How instructions are started.
    pub issue: Issue,
    /// How fast instructions of each class are.
    pub throughput: Throughput,
    /// The memories and their caches.
    pub memory: Memory,
    /// What it costs to start work.
    pub launch: Launch,
}

section! {
    /// What the counting of transactions depends on.
    Coalescing {
        /// Threads that execute together: NVIDIA's warp, AMD's wavefront.
        required warp_lanes: Count<Lanes>,
        /// The smallest unit of a memory transaction.
        required sector: Bytes,
        /// The cache line; the longest one where the levels differ.
        required line: Bytes,
        /// Banks of the memory that the threads of a team share.
        required banks: Count<Banks>,
        /// The word that a bank gives at a time.
        required bank_word: Bytes,
        /// Sectors that loads of one iteration of a warp may touch together and be counted as one: what each of them has fetched, the others find in the first-level cache. The part of that cache for one warp where as many are resident as fit; without it, each load is counted alone.
        optional reuse: Count<Sectors>,
    }
}

section! {
    /// The device as a whole.
    Chip {
        /// NVIDIA's streaming multiprocessors, AMD's compute units, as enabled in the product.
        optional multiprocessors: Count<Multiprocessors>,
        /// The clock that kernels run with where power allows: the boost clock.
        optional clock: Hertz,
        /// The clock that is always kept.
        optional base_clock: Hertz,
    }
}

section! {
    /// How many threads a multiprocessor holds, and what bounds them.
    Occupancy {
        /// Warps that a multiprocessor holds at a time.
        optional warps: Count<Warps>,
        /// Thread blocks that a multiprocessor holds at a time.
        optional blocks: Count<Blocks>,
        /// The most threads of a block.
        optional threads_per_block: Count<Threads>,
        /// Registers of 32 bits of a multiprocessor.
        optional registers: Count<Registers>,
        /// The most registers of a thread.
        optional registers_per_thread: Count<Registers>,
        /// A warp gets registers in multiples of this.
        optional register_granularity: Count<Registers>,
        /// Memory of a multiprocessor that the threads of its blocks share.
        optional shared_memory: Capacity,
        /// The most of it that one block can have.
        optional shared_memory_per_block: Capacity,
        /// A block gets it in multiples of this.
        optional shared_memory_granularity: Capacity,
        /// What the system takes of it for each block.
        optional shared_memory_reserved: Reserved,
    }
}

section! {
    /// How instructions are started.
    Issue {
        /// Units of a multiprocessor that each start one instruction of a warp a cycle.
        optional schedulers: Count<Schedulers>,
        /// Hong and Kim's Issue_cycles: cycles for which an instruction of a warp keeps its multiprocessor's issue busy, one after another.
        optional issue_cycles: Cycles,
        /// Cycles until the result of a 32-bit addition or multiplication can be used.
        optional arithmetic_latency: Cycles,
        /// The same for double precision.
        optional fp64_latency: Cycles,
    }
}

section! {
    /// Results of each class of instructions per cycle and multiprocessor, all schedulers together.
    Throughput {
        /// Addition, multiplication and fused multiply-add in single precision.
        optional fp32: PerCycle,
        /// The same in double precision.
        optional fp64: PerCycle,
        /// Addition, subtraction, comparison and logic of 32-bit integers.
        optional int32: PerCycle,
        /// Multiplication of 32-bit integers.
        optional int32_multiply: PerCycle,
        /// Approximations of reciprocal, reciprocal square root, sine and the like in single precision.
        optional special: PerCycle,
        /// Conversions from and to 64-bit types.
        optional convert64: PerCycle,
        /// Division in single precision, correctly rounded.
        optional fp32_divide: PerCycle,
        /// Division in double precision.
        optional fp64_divide: PerCycle,
        /// Square root in single precision, correctly rounded.
        optional fp32_sqrt: PerCycle,
        /// Square root in double precision.
        optional fp64_sqrt: PerCycle,
        /// Division of 32-bit integers.
        optional int32_divide: PerCycle,
        /// Division of 64-bit integers.
        optional int64_divide: PerCycle,
        /// Lanes whose loads and stores are started.
        optional load_store: PerCycle,
    }
}

section! {
    /// The memories and their caches.
    Memory {
        /// What the device's memory holds.
        optional capacity: Capacity,
        /// What the memory's interface can carry, both directions together.
        optional bandwidth: BytesPerSecond,
        /// What kernels that only stream get of it.
        optional sustained_bandwidth: BytesPerSecond,
        /// A load that misses all caches; Hong and Kim's Mem_LD.
        optional latency: Cycles,
        /// A load that misses all caches and the translation buffers.
        optional latency_on_tlb_miss: Cycles,
        /// The first-level data cache of a multiprocessor, with the shared memory where they are one.
        optional l1_size: Capacity,
        /// A load that hits the first level.
        optional l1_latency: Cycles,
        /// What the first level gives its multiprocessor.
        optional l1_bandwidth: BytesPerCycle,
        /// The second-level cache of the device.
        optional l2_size: Capacity,
        /// A load that hits the second level.
        optional l2_latency: Cycles,
        /// What the second level gives to all multiprocessors together.
        optional l2_bandwidth: BytesPerSecond,
        /// What one slice of the second level gives, with all addresses that it serves.
        optional l2_slice_bandwidth: BytesPerCycle,
        /// Atomic updates of one address that the second level makes, one after the other.
        optional l2_updates: PerCycle,
        /// A load of shared memory without conflicts.
        optional shared_latency: Cycles,
        /// Hong and Kim's Departure_del_coal: cycles between two coalesced requests of a multiprocessor.
        optional departure_delay_coalesced: Cycles,
        /// Hong and Kim's Departure_del_uncoal: cycles between two transactions of an uncoalesced request.
        optional departure_delay_uncoalesced: Cycles,
    }
}

section! {
    /// What it costs to start work.
    Launch {
        /// From the host's call to the kernel's first instruction and back, for a kernel that does nothing.
        optional kernel: Seconds,
        /// What the launch of a target region takes longer than that: the work of OpenMP's runtime.
        optional runtime: Seconds,
        /// What a reduction across teams adds to that, of up to 1024 teams: copies that the runtime makes, and the team that combines.
        optional reduction: Seconds,
        /// What it adds for each further 1024 teams, which wait for those before.
        optional reduction_of_teams: Seconds,
        /// The context that the first launch of a process makes.
        optional context: Seconds,
    }
}

impl Gpu {
    /// The threads that the device holds at a time; none where the description does not say.
    pub fn resident_threads(&self) -> Option<u64> {
        let multiprocessors = self.chip.multiprocessors.as_ref().ok()?.get().get();
        let warps = self.occupancy.warps.as_ref().ok()?.get().get();
        Some(multiprocessors * warps * u64::from(self.lanes))
    }
}

impl Entry for Gpu {
    const KIND: &'static str = "gpu";
    const WORD: &'static str = "GPU";
    const TEXTS: &'static [TextKey] = &[
        TextKey { name: "name", doc: "The entry's name, as `IPDA_GPU` takes it." },
        TextKey { name: "product", doc: "The product's name." },
        TextKey { name: "processor", doc: "LLVM's name of the processor, such as sm_90 or gfx90a." },
    ];
    const LISTS: &'static [TextKey] = &[
        ALIASES,
        TextKey { name: "links", doc: "Names of the links by which it is attached to a host, the usual one first." },
    ];
    const SECTIONS: &'static [SectionShape] = &[
        SectionShape { name: "coalescing", doc: Coalescing::DOC, keys: Coalescing::KEYS },
        SectionShape { name: "chip", doc: Chip::DOC, keys: Chip::KEYS },
        SectionShape { name: "occupancy", doc: Occupancy::DOC, keys: Occupancy::KEYS },
        SectionShape { name: "issue", doc: Issue::DOC, keys: Issue::KEYS },
        SectionShape { name: "throughput", doc: Throughput::DOC, keys: Throughput::KEYS },
        SectionShape { name: "memory", doc: Memory::DOC, keys: Memory::KEYS },
        SectionShape { name: "launch", doc: Launch::DOC, keys: Launch::KEYS },
    ];
    const BUILTIN: &'static [Builtin] = builtins![
        "gpu":
        "k80" "p100" "v100" "a100" "h100-pcie" "h100-sxm" "h200" "l4" "a10" "a40" "rtx3070" "rtx3080" "rtx3090" "rtx4090" "mi210" "mi250x" "mi300x"
    ];

    fn read(reader: &mut Reader<'_>) -> Option<Gpu> {
        let (name, product, processor) = (reader.text("name"), reader.text("product"), reader.text("processor"));
        let (aliases, links) = (reader.texts(ALIASES.name), reader.texts("links"));
        let coalescing: Option<Coalescing> = reader.section("coalescing");
        let (chip, occupancy) = (reader.section("chip"), reader.section("occupancy"));
        let (issue, throughput) = (reader.section("issue"), reader.section("throughput"));
        let (memory, launch) = (reader.section("memory"), reader.section("launch"));
        let coalescing = coalescing?;
        Some(Gpu {
            name: name?,
            aliases,
            product: product?,
            processor: processor?,
            links,
            // A power of two that the reader has found to fit.
            lanes: coalescing.warp_lanes.get().get() as u32,
            sector: coalescing.sector.get(),
            line: coalescing.line.get(),
            banks: coalescing.banks.get().get() as u32,
            bank_word: coalescing.bank_word.get(),
            coalescing,
            chip: chip?,
            occupancy: occupancy?,
            issue: issue?,
            throughput: throughput?,
            memory: memory?,
            launch: launch?,
        })
    }

    fn check(&self, reader: &mut Reader<'_>) {
        if self.line.get() < self.sector.get() {
            let message = format!("a line of {} is shorter than a sector of {}", self.line, self.sector);
            reader.contradiction("coalescing.line", message);
        }
        let memory = &self.memory;
        reader.ascending([
            ("memory.l1_latency", &memory.l1_latency),
            ("memory.l2_latency", &memory.l2_latency),
            ("memory.latency", &memory.latency),
            ("memory.latency_on_tlb_miss", &memory.latency_on_tlb_miss),
        ]);
        reader.ascending([
            ("memory.l1_size", &memory.l1_size),
            ("memory.l2_size", &memory.l2_size),
            ("memory.capacity", &memory.capacity),
        ]);
        reader.ascending([
            ("memory.sustained_bandwidth", &memory.sustained_bandwidth),
            ("memory.bandwidth", &memory.bandwidth),
        ]);
        reader.ascending([
            ("memory.sustained_bandwidth", &memory.sustained_bandwidth),
            ("memory.l2_bandwidth", &memory.l2_bandwidth),
        ]);
        reader.ascending([("chip.base_clock", &self.chip.base_clock), ("chip.clock", &self.chip.clock)]);
        let occupancy = &self.occupancy;
        reader.ascending([
            ("occupancy.shared_memory_granularity", &occupancy.shared_memory_granularity),
            ("occupancy.shared_memory_per_block", &occupancy.shared_memory_per_block),
            ("occupancy.shared_memory", &occupancy.shared_memory),
        ]);
        for (key, part) in [
            ("occupancy.registers_per_thread", &occupancy.registers_per_thread),
            ("occupancy.register_granularity", &occupancy.register_granularity),
        ] {
            reader.ascending([(key, part), ("occupancy.registers", &occupancy.registers)]);
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> Vec<Parameter> {
        [
            self.coalescing.parameters("coalescing"),
            self.chip.parameters("chip"),
            self.occupancy.parameters("occupancy"),
            self.issue.parameters("issue"),
            self.throughput.parameters("throughput"),
            self.memory.parameters("memory"),
            self.launch.parameters("launch"),
        ]
        .concat()
    }
}
