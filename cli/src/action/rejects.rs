//! What would remove an obstacle, in words for someone who writes the program.

use ipda_models::report::Reject;

/// What the programmer can do about something that was not understood, where that is known.
pub fn of_reject(reject: &Reject) -> Option<&'static str> {
    Some(match &reject.name[..] {
        "UnknownCall" => "define the function in this file, or in a header as static inline",
        "IndirectCall" => "call the function by its name, or choose between calls by a switch",
        "Recursion" => "write the function as a loop",
        "Assembly" => "write the statement in C, or use a builtin function of the compiler",
        "Task" => "take the tasks out of the target region",
        "Limit" => "split the region, or compute long conditions and bounds before it, in variables of their own",
        "TooLarge" => "split the region, or keep large functions from being inlined into it (noinline)",
        "IrreducibleLoop" => "write the jumps as loops: no goto into a loop's body, no cancel",
        "UnknownRuntimeShape" | "LoopBodyCallback" | "UnknownSchedule" | "OutlinedBodyMissing" | "ArgumentMismatch" => {
            "compile with clang 19, from C or C++ source to object code in one step"
        }
        _ => return None,
    })
}

/// The same, or where to read more.
pub fn of_reject_or_where(reject: &Reject) -> &'static str {
    of_reject(reject).unwrap_or("docs/remarks.md says more about it")
}
