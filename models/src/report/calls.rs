//! What the functions are that compilers call for constructs of the source, in words of the source.

/// Beginnings of names, longer ones before those that they begin with, and what is in the source there.
const WORDS: [(&str, &str); 56] = [
    ("__kmpc_critical", "a critical section"),
    ("__kmpc_end_critical", "the end of a critical section"),
    ("__kmpc_barrier", "a barrier"),
    ("__kmpc_simple_barrier", "a barrier"),
    ("__kmpc_cancel_barrier", "a barrier"),
    ("__kmpc_cancel", "a cancel or cancellation point directive"),
    ("__kmpc_ordered", "an ordered section"),
    ("__kmpc_end_ordered", "the end of an ordered section"),
    ("__kmpc_doacross_", "an ordered directive with a doacross or depend clause"),
    ("__kmpc_single", "a single construct"),
    ("__kmpc_end_single", "the end of a single construct"),
    ("__kmpc_copyprivate", "a copyprivate clause"),
    ("__kmpc_master", "a master construct"),
    ("__kmpc_end_master", "the end of a master construct"),
    ("__kmpc_masked", "a masked construct"),
    ("__kmpc_end_masked", "the end of a masked construct"),
    ("__kmpc_flush", "a flush directive"),
    ("__kmpc_atomic_", "an atomic update"),
    ("__kmpc_omp_taskwait", "a taskwait directive"),
    ("__kmpc_omp_taskyield", "a taskyield directive"),
    ("__kmpc_omp_task", "a task construct"),
    ("__kmpc_taskloop", "a taskloop construct"),
    ("__kmpc_taskgroup", "a taskgroup construct"),
    ("__kmpc_end_taskgroup", "the end of a taskgroup construct"),
    ("__kmpc_parallel_51", "a parallel construct"),
    ("__kmpc_fork_call", "a parallel construct"),
    ("__kmpc_serialized_parallel", "a parallel construct"),
    ("__kmpc_end_serialized_parallel", "the end of a parallel construct"),
    ("__kmpc_fork_teams", "a teams construct"),
    ("__kmpc_distribute_static_", "a loop that teams share"),
    ("__kmpc_distribute_for_static_", "a loop that the threads of all teams share"),
    ("__kmpc_for_static_", "a loop that threads share"),
    ("__kmpc_dispatch_", "a loop that threads share"),
    ("__kmpc_reduce", "a reduction"),
    ("__kmpc_nvptx_", "a reduction"),
    ("__kmpc_gpu_", "a reduction"),
    ("__kmpc_shuffle_", "an exchange of values among the threads of a warp"),
    ("__kmpc_syncwarp", "a wait for the other threads of a warp"),
    ("__kmpc_threadprivate_", "a threadprivate variable"),
    ("__kmpc_alloc_shared", "a variable that the threads of a team share"),
    ("__kmpc_alloc", "an allocation by an allocate directive or clause"),
    ("__kmpc_free", "the end of an allocation"),
    ("__kmpc_push_num_threads", "a num_threads clause"),
    ("__kmpc_push_num_teams", "a num_teams clause"),
    ("__kmpc_global_thread_num", "the thread's number"),
    ("__tgt_target_data_", "a construct that moves data to or from the device"),
    ("__tgt_target_kernel", "a target construct"),
    ("__assert", "an assertion"),
    ("__cxa_", "an exception"),
    ("__clang_call_terminate", "the end of the program by an exception"),
    ("llvm.nvvm.barrier", "a barrier"),
    ("llvm.amdgcn.s.barrier", "a barrier"),
    ("llvm.nvvm.shfl.", "an exchange of values among the threads of a warp"),
    ("llvm.memset", "a fill of memory"),
    ("llvm.mem", "a copy of memory"),
    ("llvm.trap", "a trap, which ends the program"),
];

/// Names of the numbers that a kernel reads from special registers.
const NUMBERS: [(&str, &str); 6] = [
    ("llvm.nvvm.read.ptx.sreg.tid.", "threadIdx"),
    ("llvm.nvvm.read.ptx.sreg.ctaid.", "blockIdx"),
    ("llvm.nvvm.read.ptx.sreg.ntid.", "blockDim"),
    ("llvm.nvvm.read.ptx.sreg.nctaid.", "gridDim"),
    ("llvm.amdgcn.workitem.id.", "threadIdx"),
    ("llvm.amdgcn.workgroup.id.", "blockIdx"),
];

/// What a function that the compiler calls is in the source; none for functions that the source itself calls, and for unknown ones.
pub fn in_source(function: &str) -> Option<&'static str> {
    WORDS.iter().find(|(begin, _)| function.starts_with(begin)).map(|(_, words)| *words)
}

/// The number of a thread, of a block, or of how many there are, that a function tells, by its name in the source: `threadIdx.x`.
pub fn number_in_source(function: &str) -> Option<String> {
    NUMBERS.iter().find_map(|(begin, name)| Some(format!("{name}.{}", function.strip_prefix(begin)?)))
}

/// A text of a report in words of the source: of a version that reported names of the runtime's functions, or of a function that is not in
/// the table.
pub fn text_in_source(text: &str) -> String {
    const CALL: &str = "a call of ";
    let Some((before, rest)) = text.split_once(CALL) else { return text.to_owned() };
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';')).unwrap_or(rest.len());
    let (function, behind) = rest.split_at(end);
    in_source(function).map_or_else(|| text.to_owned(), |words| format!("{before}{words}{behind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_found_by_its_own_name() {
        for (begin, words) in WORDS {
            assert_eq!(in_source(begin), Some(words), "{begin} is hidden by an entry above");
        }
    }

    #[test]
    fn functions_of_the_source_keep_their_names() {
        assert_eq!(in_source("omp_set_lock"), None);
        assert_eq!(in_source("step"), None);
        assert_eq!(in_source("__kmpc_critical_with_hint"), Some("a critical section"));
        assert_eq!(number_in_source("llvm.nvvm.read.ptx.sreg.tid.x").as_deref(), Some("threadIdx.x"));
        assert_eq!(number_in_source("omp_get_thread_num"), None);
    }

    #[test]
    fn older_texts_are_read_in_words() {
        let old = "a call of __kmpc_critical has effects that are not followed";
        assert_eq!(text_in_source(old), "a critical section has effects that are not followed");
        assert_eq!(
            text_in_source("a call of step, which threads make together"),
            "a call of step, which threads make together"
        );
        assert_eq!(text_in_source("the loop can be left"), "the loop can be left");
    }
}
