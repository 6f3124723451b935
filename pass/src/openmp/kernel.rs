//! Kernels as OpenMP names, describes and launches them.

use inkwell::module::Module;
use ipda_llvm::{Opcode, Value};

/// Execution mode of a kernel by the third byte of its environment (`OMPTgtExecModeFlags`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExecutionMode {
    Generic,
    Spmd,
    /// Generic as written, SPMD after optimisation.
    MadeSpmd,
}

impl ExecutionMode {
    fn decode(byte: i64) -> Option<ExecutionMode> {
        match byte {
            1 => Some(ExecutionMode::Generic),
            2 => Some(ExecutionMode::Spmd),
            3 => Some(ExecutionMode::MadeSpmd),
            _ => None,
        }
    }
}

/// What a kernel's environment says: `{ ConfigurationEnvironment { i8, i8, i8 mode, i32 least threads, i32 most threads, i32 least teams, i32 most teams,
/// i32 bytes of a reduction across teams, .. }, .. }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelEnvironment {
    pub mode: ExecutionMode,
    /// The most threads that a team may have (`num_threads`, `thread_limit`), where that is limited.
    pub max_threads: Option<u32>,
    /// Whether one thread alone may be launched, as clauses with values of a launch say how many threads there are, and how many teams if more than one.
    pub may_have_one_thread: bool,
    /// Bytes that each team has for others where a reduction goes across teams.
    pub team_reduction: Option<u32>,
}

impl KernelEnvironment {
    pub(crate) fn of_global(environment: Value) -> Option<KernelEnvironment> {
        let configuration = environment.initializer()?.aggregate_element(0)?;
        KernelEnvironment::new(|index| configuration.aggregate_element(index)?.as_int())
    }

    /// The same from the bytes of a finished image.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<KernelEnvironment> {
        // Three bytes, and numbers of 4 bytes behind them.
        let number = |at: usize| Some(i64::from(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
        KernelEnvironment::new(|index| match index as usize {
            index @ 0..3 => bytes.get(index).map(|byte| i64::from(*byte)),
            index => number(4 * (index - 2)),
        })
    }

    fn new(number: impl Fn(u32) -> Option<i64>) -> Option<KernelEnvironment> {
        let positive = |number: i64| u32::try_from(number).ok().filter(|&number| number > 0);
        let (least_threads, most_threads, most_teams) = (number(3)?, number(4)?, number(6));
        // clang writes the most that the device has where there is no clause, and 0 for a value that it does not know; of teams 0 and -1.
        let may_have_one_thread = least_threads > 0 && most_threads == 0 && matches!(most_teams, Some(1 | -1));
        Some(KernelEnvironment {
            mode: ExecutionMode::decode(number(2)?)?,
            max_threads: positive(most_threads),
            may_have_one_thread,
            team_reduction: positive(number(7).unwrap_or(0)),
        })
    }
}

/// A kernel's name taken apart: `__omp_offloading_<device>_<file>_<function>_l<line>[_<count>]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelName {
    /// The mangled name of the function that contains the region.
    pub function: String,
    pub line: u32,
    /// Distinguishes several regions on one line.
    pub count: u32,
}

impl KernelName {
    pub(crate) const PREFIX: &str = "__omp_offloading_";

    /// The device and the number of the file that a kernel's directive stands in, as its name has them.
    pub(crate) fn file(name: &str) -> Option<(u32, u32)> {
        let mut parts = name.strip_prefix(Self::PREFIX)?.split('_');
        let mut number = || u32::from_str_radix(parts.next()?, 16).ok();
        Some((number()?, number()?))
    }

    pub(crate) fn parse(name: &str) -> Option<KernelName> {
        let rest = name.strip_prefix(Self::PREFIX)?;
        let (device, rest) = rest.split_once('_')?;
        let (file, rest) = rest.split_once('_')?;
        let hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !hex(device) || !hex(file) {
            return None;
        }
        let (function, place) = rest.rsplit_once("_l")?;
        let (line, count) = place.split_once('_').unwrap_or((place, "0"));
        Some(KernelName { function: function.into(), line: line.parse().ok()?, count: count.parse().ok()? })
    }
}

/// The kernel launch of the host: `__tgt_target_kernel(ident, device, teams, threads, region id, arguments)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch {
    pub region_id: Value,
    pub arguments: Value,
}

impl Launch {
    pub(crate) fn decode(call: Value) -> Option<Launch> {
        let args = call.call_args();
        (call.callee()?.name() == "__tgt_target_kernel" && args.len() == 6)
            .then(|| Launch { region_id: args[4], arguments: args[5] })
    }

    /// The kernel's name.
    pub(crate) fn kernel(self) -> Option<String> {
        self.region_id.with_name(|id| id.strip_prefix('.')?.strip_suffix(".region_id").map(str::to_owned))
    }

    /// What fills a field of the argument structure, wherever it is stored.
    pub(crate) fn fillers(self, field: i64) -> Vec<Value> {
        let stores = self.argument_stores().into_iter().filter(|&store| self.stored_field(store) == Some(field));
        stores.map(|store| store.operand(0)).collect()
    }

    /// Whether a mapper that the program declares may say what is mapped.
    pub(crate) fn has_mappers(self) -> bool {
        const MAPPERS: i64 = 7;
        let mappers = self.fillers(MAPPERS);
        mappers.is_empty() || !mappers.iter().all(|mappers| mappers.is_null())
    }

    /// The stores that fill the argument structure.
    pub(crate) fn argument_stores(self) -> Vec<Value> {
        let fields = self.arguments.users().into_iter().filter(|user| user.is(Opcode::LLVMGetElementPtr));
        let stores = fields.flat_map(Value::users).chain(self.arguments.users());
        stores.filter(|user| user.is(Opcode::LLVMStore)).collect()
    }

    /// The structure field that a store into the arguments fills: 1 count, 2 base pointers, 3 pointers, 4 sizes, 5 map
    /// types, 6 names, 7 mappers, 8 trip count.
    pub(crate) fn stored_field(self, store: Value) -> Option<i64> {
        let address = store.operand(1);
        if address == self.arguments {
            return Some(0);
        }
        (address.is(Opcode::LLVMGetElementPtr) && address.operand(0) == self.arguments && address.operand_count() == 3)
            .then(|| address.operand(2).as_int())
            .flatten()
    }
}

/// Whether clang was told to assume that there are as many teams or threads as iterations (`-fopenmp-assume-teams-oversubscription`,
/// `-fopenmp-assume-threads-oversubscription`): the device's runtime may then run a loop's body for one iteration alone.
pub(crate) fn assumes_oversubscription(module: &Module<'_>) -> bool {
    const FLAGS: [&str; 2] = ["__omp_rtl_assume_teams_oversubscription", "__omp_rtl_assume_threads_oversubscription"];
    let is_set = |name: &str| {
        let value = module.get_global(name).and_then(|flag| Value::of(&flag).initializer());
        value.and_then(Value::as_int).is_some_and(|value| value != 0)
    };
    FLAGS.into_iter().any(is_set)
}

/// Whether the program says `requires unified_shared_memory` (`OMP_REQ_UNIFIED_SHARED_MEMORY` of an entry without a name).
pub(crate) fn requires_shared_memory(module: &Module<'_>) -> bool {
    const REQUIRES: i64 = 16;
    const SHARED_MEMORY: i64 = 8;
    let (flags, data) = (3, 4);
    let entry = module.get_global(".offloading.entry.").and_then(|entry| Value::of(&entry).initializer());
    let field = |field: u32| entry.and_then(|entry| entry.aggregate_element(field)?.as_int());
    field(flags) == Some(REQUIRES) && field(data).is_some_and(|data| data & SHARED_MEMORY != 0)
}

/// Flags of a map clause (`OpenMPOffloadMappingFlags`).
pub(crate) mod map_type {
    use ipda_models::report::MapKind;

    pub(crate) const TO: u64 = 0x1;
    pub(crate) const FROM: u64 = 0x2;
    /// Copied in, out, always, deleted: what happens to the data.
    pub(crate) const DIRECTIONS: u64 = 0xf;
    pub(crate) const LITERAL: u64 = 0x100;
    pub(crate) const IMPLICIT: u64 = 0x200;
    /// The entry is an argument of the kernel.
    pub(crate) const TARGET_PARAMETER: u64 = 0x20;
    pub(crate) const PRIVATE: u64 = 0x80;
    /// The entry is where a pointer leads to, and its base is the pointer.
    pub(crate) const POINTER_AND_OBJECT: u64 = 0x10;
    /// Which entry's member it is.
    pub(crate) const MEMBER_OF: u64 = 0xffff << 48;

    /// The map type in the words of the clause.
    pub(crate) fn kind(flags: u64) -> MapKind {
        match (flags & LITERAL != 0, flags & PRIVATE != 0, flags & TO != 0, flags & FROM != 0) {
            (true, ..) => MapKind::ByValue,
            (_, true, true, _) => MapKind::FirstPrivate,
            (_, _, true, true) => MapKind::ToFrom,
            (_, _, true, false) => MapKind::To,
            (_, _, false, true) => MapKind::From,
            (_, true, ..) => MapKind::Private,
            _ => MapKind::Alloc,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_are_taken_apart() {
        let name = |function: &str, line, count| Some(KernelName { function: function.into(), line, count });
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4"), name("gemm", 4, 0));
        assert_eq!(KernelName::parse("__omp_offloading_10_2f__Z3fooIdEvPT__l12_1"), name("_Z3fooIdEvPT_", 12, 1));
        assert_eq!(KernelName::parse("__omp_offloading_10_2f_my_l2_l7"), name("my_l2", 7, 0));
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4_omp_outlined"), None);
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4.omp_outlined"), None);
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4_debug__"), None);
        assert_eq!(KernelName::parse("gemm"), None);
    }

    #[test]
    fn map_types_read_like_the_clause() {
        use ipda_models::report::MapKind;
        assert_eq!(map_type::kind(0x23), MapKind::ToFrom);
        assert_eq!(map_type::kind(0x21), MapKind::To);
        assert_eq!(map_type::kind(0x320), MapKind::ByValue);
        assert_eq!(map_type::kind(0x20), MapKind::Alloc);
    }
}
