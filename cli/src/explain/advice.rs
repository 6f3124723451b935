//! What would remove an obstacle, in words for someone who writes the program.

use ipda_models::report::{Reason, Reject};

/// What stands in the way of a transformation, in plain words.
pub fn plain(reason: &Reason) -> String {
    let Some((kind, of, why)) = dependence(&reason.text) else {
        return CALLS.iter().fold(reason.text.clone(), |text, (call, name)| text.replace(call, name));
    };
    let meaning = match kind {
        "flow" => "one iteration reads what an earlier one has written; by another thread, it might read too early",
        "anti" => {
            "one iteration writes where an earlier one still reads; by another thread, it might overwrite that too early"
        }
        _ => "two iterations write to the same place, and what the later one writes must stay",
    };
    let why = match why {
        "" | "the addresses meet at these distances" => String::new(),
        "they may lead to one object" => "; it is not known that these are different arrays".into(),
        why => format!("; {why}"),
    };
    format!("{of}: {meaning} ({kind} dependence){why}")
}

/// What calls of OpenMP's runtime are in the source.
const CALLS: [(&str, &str); 4] = [
    ("a call of __kmpc_critical", "a critical section"),
    ("a call of __kmpc_barrier", "a barrier"),
    ("a call of __kmpc_ordered", "an ordered section"),
    ("a call of __kmpc_single", "a single section"),
];

/// `flow dependence of A: why` in its parts.
fn dependence(text: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = text.split_once(" dependence of ")?;
    let (of, why) = rest.split_once(": ").unwrap_or((rest, ""));
    matches!(kind, "flow" | "anti" | "output").then_some((kind, of, why))
}

/// What the programmer can do about it.
pub fn removal(reason: &Reason) -> &'static str {
    if let Some((_, of, why)) = dependence(&reason.text) {
        return match &reason.locations[..] {
            _ if why.contains("may lead to one object") || of.contains(" and ") => {
                "if these arrays never overlap, declare the pointers with restrict"
            }
            [from, to] if from == to => SUM,
            _ => {
                "if iterations need each other's results, the loop must stay in order: bring another loop outward, or \
                 write to a second array; if they do not, write the indices so that this can be seen, as A[i*n + j] \
                 with j below n"
            }
        };
    }
    let advice = REMOVALS.iter().find(|(part, _)| reason.text.contains(part));
    advice.map_or("docs/remarks.md says more about what stands in the way", |(_, advice)| advice)
}

/// Of a value that an inner loop adds up.
const SUM: &str = "if this adds up a value over the inner loop, let the threads of a team share that loop: teams distribute on \
                   the outer loop, and on the inner one parallel for reduction(+: sum), with sum declared between the two";

/// Parts of the reasons that the plugin gives, with what helps; the first that fits counts.
const REMOVALS: [(&str, &str); 36] = [
    (
        "goes from one iteration to the next",
        "declare the variable inside the loop if each iteration has its own value; if it is a sum over an inner loop, \
         let the threads of a team share that loop: teams distribute on the outer loop, and on the inner one parallel \
         for reduction(+: sum), with sum declared between the two",
    ),
    ("several loops follow one another", "give each of the loops a region of its own, or join them into one loop"),
    ("as many as are looked at", "split the nest: the loops further inside are left to each thread"),
    (
        "is called in the shared loop",
        "define the function in this file (static inline), so that the plugin can look into it, or call it before the loop",
    ),
    ("has effects that are not followed", "move the call or the statement out of the loop that threads share"),
    ("by which iterations may know their thread", "use the loop's variable instead of the thread's number"),
    ("can be left in its middle", "replace break, return or goto by a condition around the rest of the body"),
    ("the loop can be left", "replace break, return or goto by a condition around the rest of the body"),
    ("too many pairs of accesses", "split the region: fewer accesses can be compared pair by pair"),
    ("is read from memory whenever it begins", "copy the count into a local variable before the directive"),
    (
        "depends on the iteration of the outer one",
        "let the inner loop run over the whole range and put an if around its body, if that wastes little",
    ),
    (
        "is not known before it begins",
        "write a counted loop, as for (int j = 0; j < n; j++), whose bound stays the same",
    ),
    ("is not known when the kernel begins", "compute the bound before the directive, in a variable of its own"),
    ("a dist_schedule clause", "leave the dist_schedule clause out, if nothing relies on it"),
    (
        "threads ask for their iterations",
        "use schedule(static), or no schedule clause, if iterations take equally long",
    ),
    ("several iterations in a row", "leave the schedule clause out, or write schedule(static, 1)"),
    ("runs one block of iterations", "leave the schedule clause out, or write schedule(static, 1)"),
    ("a schedule clause", "leave the schedule clause out, if nothing relies on the order of iterations"),
    ("it may be one thread", "leave num_threads and if out of the directive, or ask for more than one thread"),
    ("not among the threads of a team", "write teams distribute parallel for, so that threads share the loop"),
    ("compiled without optimisation", "compile with -O1 or more"),
    ("a thread for each iteration", "leave -fopenmp-assume-teams-oversubscription out"),
    ("beside the reduction", "use the reduction's variable for nothing but the update, as s += x"),
    ("another operation than the clause", "update the variable by the operation that the reduction clause names"),
    ("a reduction is of more than one number", "reduce single variables instead of an array or a structure"),
    ("reduction's variables are combined", "use one of OpenMP's own reduction operations"),
    ("is used behind the shared loop", "declare the variable inside the loop, or name it in a reduction clause"),
    ("conditions, more than", "declare pointers that never overlap with restrict, so that less has to be tested"),
    ("used behind it", "declare the loop's variables inside the loop's head, as for (int j = 0; ...)"),
    (
        "effects that cannot be left to one thread",
        "move the statements between the loops into the inner loop, or before the nest",
    ),
    ("condition has effects", "compute nothing in the loop's condition but the comparison"),
    ("values in registers go from iteration to iteration", "declare variables inside the loop that needs them"),
    ("is not defined in this file", "define the function in this file, or in a header as static inline"),
    ("calls itself", "write the function as a loop"),
    ("is not as expected", "nothing in the source: please report this with the source file"),
    ("have no numbers of", "use 64-bit loop variables (long)"),
];

/// What the programmer can do about something that was not understood.
pub fn of_reject(reject: &Reject) -> &'static str {
    match &reject.name[..] {
        "UnknownCall" => "define the function in this file, or in a header as static inline",
        "IndirectCall" => "call the function by its name, or choose between calls by a switch",
        "Recursion" => "write the function as a loop",
        "Assembly" => "write the statement in C, or use a builtin function of the compiler",
        "Task" => "take the tasks out of the target region",
        "TooLarge" => "split the region, or keep large functions from being inlined into it (noinline)",
        "IrreducibleLoop" => "write the jumps as loops: no goto into a loop's body",
        "UnknownRuntimeShape" | "LoopBodyCallback" | "UnknownSchedule" | "OutlinedBodyMissing" | "ArgumentMismatch" => {
            "compile with clang 19, from C or C++ source to object code in one step"
        }
        _ => "docs/remarks.md says more about it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependences_are_told_in_plain_words() {
        let reason = Reason::from("flow dependence of A: the addresses meet at these distances");
        assert!(plain(&reason).starts_with("A: one iteration reads what an earlier one has written"));
        assert_eq!(plain(&Reason::from("other")), "other");
        assert!(removal(&Reason::from("anti dependence of A and B: they may lead to one object")).contains("restrict"));
    }

    #[test]
    fn each_kind_of_obstacle_has_its_own_advice() {
        for (at, (part, advice)) in REMOVALS.iter().enumerate() {
            let reason = Reason::from(&part[..]);
            assert_eq!(removal(&reason), *advice, "entry {at} is hidden by one above");
        }
    }
}
