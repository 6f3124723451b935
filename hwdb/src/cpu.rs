//! CPUs: the lines that threads share, and what time models ask for (Liao and Chapman, and its cache and bandwidth terms).

use crate::entry::{ALIASES, Builtin, Entry, builtins};
use crate::keys::{SectionShape, TextKey};
use crate::reader::{Reader, Section};
use crate::section::section;
use crate::units::{
    ByThreads, Bytes, BytesPerCycle, BytesPerSecond, Capacity, Cores, Count, Cycles, Entries, Hertz, Operations,
    Seconds, Sockets, Threads, Times, Ways,
};
use crate::value::Parameter;

/// The entries that stand for a whole architecture, by what target triples begin with.
const GENERIC: [&str; 3] = ["aarch64", "powerpc64le", "x86_64"];

/// The architectures that [`Cpu::of_target`] knows.
pub fn architectures() -> impl Iterator<Item = &'static str> {
    GENERIC.into_iter()
}

/// A CPU, or all of an architecture as far as they agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Cpu {
    /// The entry's name, such as `epyc-milan`.
    pub name: String,
    /// Its other names, among them LLVM's name of the processor where one product stands for it.
    pub aliases: Vec<String>,
    /// In words.
    pub product: String,
    /// As target triples begin.
    pub architecture: String,
    /// LLVM's name of the processor, as `-mcpu` takes it.
    pub processor: String,
    /// What one core takes away from another when it writes; a power of two.
    pub line: Bytes,
    /// The cores and their clocks.
    pub chip: Chip,
    /// The first-level data cache.
    pub l1d: Cache,
    /// The second-level cache.
    pub l2: Cache,
    /// The third-level cache.
    pub l3: Cache,
    /// The translation buffers.
    pub tlb: Tlb,
    /// The memory.
    pub memory: Memory,
    /// What the OpenMP runtime costs.
    pub openmp: OpenMp,
}

impl Cpu {
    /// The processors that a target triple is for. None where no entry is of that architecture.
    pub fn of_target(triple: &str) -> Option<Cpu> {
        let architecture = triple.split('-').next()?;
        GENERIC.contains(&architecture).then(|| Cpu::builtin(architecture).expect("the built-in entries are right"))
    }
}

/// What an entry that is built in is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTarget {
    /// The name that [`Cpu::builtin`] takes.
    pub name: &'static str,
    /// As target triples begin.
    pub architecture: &'static str,
    /// LLVM's name of the processor.
    pub processor: &'static str,
}

/// What the built-in entries are for, without reading all of them.
pub fn cpu_targets() -> impl Iterator<Item = CpuTarget> {
    Cpu::BUILTIN.iter().map(|builtin| CpuTarget {
        name: builtin.name,
        architecture: builtin.word("architecture").unwrap_or_default(),
        processor: builtin.word("processor").unwrap_or_default(),
    })
}

/// The names that [`Cpu::builtin`] takes, beside aliases.
pub fn cpu_names() -> impl Iterator<Item = &'static str> {
    Cpu::BUILTIN.iter().map(|builtin| builtin.name)
}

section! {
    /// The cores and their clocks.
    Chip {
        /// Packages of the machine that the entry describes.
        optional sockets: Count<Sockets>,
        /// Cores of a package.
        optional cores: Count<Cores>,
        /// Threads that a core runs at a time.
        optional threads_per_core: Count<Threads>,
        /// What a core gets done with so many threads, compared with one, where the threads compute.
        optional smt_throughput: ByThreads<Times>,
        /// The clock that is always kept.
        optional base_clock: Hertz,
        /// The clock with all cores busy.
        optional clock: Hertz,
        /// The highest clock of one core.
        optional turbo_clock: Hertz,
        /// Operations that a core starts a cycle.
        optional issue_width: Count<Operations>,
        /// The widest vector that is operated on in one instruction.
        optional vector: Capacity,
        /// What a load that takes from two lines takes longer, where the first cache has both.
        optional load_across_lines: Cycles,
        /// The same of a store.
        optional store_across_lines: Cycles,
    }
}

section! {
    /// A level of the data caches.
    Cache {
        /// What one cache of the level holds.
        optional size: Capacity,
        /// Places where a line can be in its set.
        optional ways: Count<Ways>,
        /// A load that hits, from address to use.
        optional latency: Cycles,
        /// Cores that share one cache of the level.
        optional cores: Count<Cores>,
        /// What it gives to one core.
        optional bandwidth: BytesPerCycle,
        /// What one core changes of it: bytes that come and go back, counted once.
        optional update_bandwidth: BytesPerCycle,
    }
}

section! {
    /// The translation buffers for data.
    Tlb {
        /// The page that the entries below are for.
        optional page: Capacity,
        /// Entries of the first level.
        optional l1_entries: Count<Entries>,
        /// Entries of the last level.
        optional l2_entries: Count<Entries>,
        /// A translation that the last level has and the first has not.
        optional l2_latency: Cycles,
        /// A translation that must be looked up in the page tables, which are in a cache.
        optional walk: Cycles,
        /// How many times as many walks a core makes in a time if none waits for another.
        optional walks: Times,
    }
}

section! {
    /// The memory.
    Memory {
        /// What one core takes away from another when it writes, and what is fetched at a time.
        required line: Bytes,
        /// What a package's interface can carry.
        optional bandwidth: BytesPerSecond,
        /// What all cores of a package that stream get of it.
        optional sustained_bandwidth: BytesPerSecond,
        /// What one core that streams gets of it.
        optional core_bandwidth: BytesPerSecond,
        /// What threads on cores of their own that stream get together.
        optional bandwidth_by_threads: ByThreads<BytesPerSecond>,
        /// What they change together: bytes that come and go back, counted once.
        optional updates_by_threads: ByThreads<BytesPerSecond>,
        /// A load that misses all caches, of the package's own memory.
        optional latency: Seconds,
    }
}

section! {
    /// What the OpenMP runtime costs; Liao and Chapman's parameters.
    OpenMp {
        /// The number of threads that these costs are for.
        optional threads: Count<Threads>,
        /// Making a thread, once for each of a program's threads but the first, when they are first needed.
        optional thread: Seconds,
        /// Starting a parallel region: the model's Fork.
        optional startup: Cycles,
        /// Ending a parallel region: the model's Join.
        optional join: Cycles,
        /// A loop's static schedule, once for each thread.
        optional static_schedule: Cycles,
        /// A static schedule of a loop for teams, as `distribute` has it, once.
        optional teams_schedule: Cycles,
        /// A dynamic schedule, for each chunk.
        optional dynamic_schedule: Cycles,
        /// A barrier.
        optional synchronisation: Cycles,
        /// A loop's own cost in each iteration.
        optional loop_overhead: Cycles,
    }
}

impl Entry for Cpu {
    const KIND: &'static str = "cpu";
    const WORD: &'static str = "CPU";
    const TEXTS: &'static [TextKey] = &[
        TextKey { name: "name", doc: "The entry's name." },
        TextKey { name: "product", doc: "The product's name." },
        TextKey { name: "architecture", doc: "As target triples begin, such as x86_64." },
        TextKey { name: "processor", doc: "LLVM's name of the processor, as -mcpu takes it." },
    ];
    const LISTS: &'static [TextKey] = &[ALIASES];
    const SECTIONS: &'static [SectionShape] = &[
        SectionShape { name: "chip", doc: Chip::DOC, keys: Chip::KEYS },
        SectionShape { name: "l1d", doc: "The first-level data cache.", keys: Cache::KEYS },
        SectionShape { name: "l2", doc: "The second-level cache.", keys: Cache::KEYS },
        SectionShape { name: "l3", doc: "The third-level cache.", keys: Cache::KEYS },
        SectionShape { name: "tlb", doc: Tlb::DOC, keys: Tlb::KEYS },
        SectionShape { name: "memory", doc: Memory::DOC, keys: Memory::KEYS },
        SectionShape { name: "openmp", doc: OpenMp::DOC, keys: OpenMp::KEYS },
    ];
    const BUILTIN: &'static [Builtin] = builtins![
        "cpu":
        "power8" "power9" "xeon-2695v4" "xeon-6148" "xeon-6248" "xeon-8360y" "xeon-8470" "epyc-rome" "epyc-milan" "epyc-genoa" "grace"
        "aarch64" "powerpc64le" "x86_64"
    ];

    fn read(reader: &mut Reader<'_>) -> Option<Cpu> {
        let (name, product) = (reader.text("name"), reader.text("product"));
        let (architecture, processor) = (reader.text("architecture"), reader.text("processor"));
        let aliases = reader.texts(ALIASES.name);
        let chip = reader.section("chip");
        let (l1d, l2, l3) = (reader.section("l1d"), reader.section("l2"), reader.section("l3"));
        let (tlb, openmp) = (reader.section("tlb"), reader.section("openmp"));
        let memory = reader.section::<Memory>("memory")?;
        Some(Cpu {
            name: name?,
            aliases,
            product: product?,
            architecture: architecture?,
            processor: processor?,
            line: memory.line.get(),
            chip: chip?,
            l1d: l1d?,
            l2: l2?,
            l3: l3?,
            tlb: tlb?,
            memory,
            openmp: openmp?,
        })
    }

    fn check(&self, reader: &mut Reader<'_>) {
        let (chip, memory, tlb) = (&self.chip, &self.memory, &self.tlb);
        reader.ascending([("l1d.size", &self.l1d.size), ("l2.size", &self.l2.size), ("l3.size", &self.l3.size)]);
        reader.ascending([
            ("l1d.latency", &self.l1d.latency),
            ("l2.latency", &self.l2.latency),
            ("l3.latency", &self.l3.latency),
        ]);
        reader.ascending([("l1d.cores", &self.l1d.cores), ("l2.cores", &self.l2.cores), ("l3.cores", &self.l3.cores)]);
        reader.ascending([
            ("chip.base_clock", &chip.base_clock),
            ("chip.clock", &chip.clock),
            ("chip.turbo_clock", &chip.turbo_clock),
        ]);
        reader.ascending([
            ("memory.core_bandwidth", &memory.core_bandwidth),
            ("memory.sustained_bandwidth", &memory.sustained_bandwidth),
            ("memory.bandwidth", &memory.bandwidth),
        ]);
        reader.ascending([("tlb.l1_entries", &tlb.l1_entries), ("tlb.l2_entries", &tlb.l2_entries)]);
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> Vec<Parameter> {
        [
            self.chip.parameters("chip"),
            self.l1d.parameters("l1d"),
            self.l2.parameters("l2"),
            self.l3.parameters("l3"),
            self.tlb.parameters("tlb"),
            self.memory.parameters("memory"),
            self.openmp.parameters("openmp"),
        ]
        .concat()
    }
}
