//! Regions for tests, as reports have them.
#![allow(dead_code)]

use ipda_models::report::{Hardware, Region, Report};

/// The only region of a report that has what `text` says of it.
pub fn region(text: &str) -> (Region, Hardware) {
    let report = Report::from_yaml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let region = report.regions.into_iter().next().expect("a region");
    (region, report.hardware)
}

/// Loops and accesses in few words: `id parent kind name trips`, and `id loop kind object bytes address [condition]`.
fn text(function: &str, captures: &[&str], loops: &[[&str; 5]], accesses: &[[&str; 6]], more: &str) -> String {
    let mut text = format!(
        "ipda_report: 4\ntool: test\nsource: {function}.c\nside: host\ntarget: x86_64-pc-linux-gnu\n\
         hardware: {{name: h200, warp_lanes: 32, sector_bytes: 32, line_bytes: 128, banks: 32, bank_bytes: 4}}\n\
         regions:\n- function: {function}\n  location: {{file: {function}.c, line: 12}}\n  mode: {{kind: spmd, why: test}}\n  captures:\n"
    );
    for capture in captures {
        let (name, map) = capture.split_once(' ').unwrap_or((capture, ""));
        match map.split_once(' ') {
            Some((kind, bytes)) => text
                .push_str(&format!("  - {{name: {name}, type: pointer, map: {{kind: {kind}, bytes: \"{bytes}\"}}}}\n")),
            None => text.push_str(&format!("  - {{name: {name}, type: i32, map: {{kind: by-value, bytes: \"4\"}}}}\n")),
        }
    }
    text.push_str("  loops:\n");
    for [id, parent, kind, name, trips] in loops {
        let parent = if parent.is_empty() { String::new() } else { format!("parent: {parent}, ") };
        text.push_str(&format!(
            "  - {{id: {id}, {parent}kind: {kind}, variable: {name}, index: {name}, trips: {{value: \"{trips}\"}}}}\n"
        ));
    }
    text.push_str("  accesses:\n");
    for (number, [in_loop, kind, object, bytes, address, condition]) in accesses.iter().enumerate() {
        let condition = if condition.is_empty() { String::new() } else { format!(", condition: \"{condition}\"") };
        text.push_str(&format!(
            "  - {{id: acc{number}, loop: {in_loop}, kind: {kind}, object: {object}, bytes: {bytes}, address: \"{address}\", \
             stride: {{kind: unknown, reason: test}}, class: unknown, executions: {{value: \"1\"}}{condition}}}\n"
        ));
    }
    text.push_str("  totals: {sectors: \"0\", without_count: 0}\n");
    text.push_str(more);
    text
}

const ALL: &str = "distribute-parallel-for";

/// The program's example of a matrix product, with its loops fused.
pub fn gemm() -> &'static str {
    include_str!("../../../cli/tests/predict/gemm.yaml")
}

/// for i: for j < i: for k < j: A[i][k]
pub fn triangle() -> &'static str {
    leak(text(
        "triangle",
        &["n", "A to 4*[n]*[n]"],
        &[
            ["loop0", "", ALL, "i", "[n]"],
            ["loop1", "loop0", "sequential", "j", "i"],
            ["loop2", "loop1", "sequential", "k", "j"],
        ],
        &[["loop2", "load", "A", "4", "[A] + 4*[n]*i + 4*k", ""]],
        "",
    ))
}

/// The same region where the compiler has put into the code how many iterations a team takes at a time.
pub fn with_chunk(text: &str, chunk: u64) -> &'static str {
    leak(text.replacen("\n  captures:\n", &format!("\n  team_chunk: {chunk}\n  captures:\n"), 1))
}

/// b[i] = a[i - 1] + a[i] + a[i + 1]
pub fn stencil() -> &'static str {
    leak(text(
        "stencil",
        &["n", "a to 4*[n]", "b from 4*[n]"],
        &[["loop0", "", ALL, "i", "[n] - 2"]],
        &[
            ["loop0", "load", "a", "4", "[a] + 4*i", ""],
            ["loop0", "load", "a", "4", "[a] + 4*i + 4", ""],
            ["loop0", "load", "a", "4", "[a] + 4*i + 8", ""],
            ["loop0", "store", "b", "4", "[b] + 4*i + 4", ""],
        ],
        "",
    ))
}

/// b[j][i] = a[i][j]
pub fn transposed() -> &'static str {
    leak(text(
        "transposed",
        &["n", "m", "a to 4*[n]*[m]", "b from 4*[n]*[m]"],
        &[["loop0", "", ALL, "i", "[n]"], ["loop1", "loop0", "sequential", "j", "[m]"]],
        &[
            ["loop1", "load", "a", "4", "[a] + 4*[m]*i + 4*j", ""],
            ["loop1", "store", "b", "4", "[b] + 4*[n]*j + 4*i", ""],
        ],
        "",
    ))
}

/// sum += x[i]
pub fn reduction() -> &'static str {
    leak(text(
        "reduction",
        &["n", "x to 8*[n]", "sum tofrom 8"],
        &[["loop0", "", ALL, "i", "[n]"]],
        &[["loop0", "load", "x", "8", "[x] + 8*i", ""], ["loop0", "atomic", "sum", "8", "[sum]", ""]],
        "",
    ))
}

/// target parallel: for i: a[i]; for j: b[j]
pub fn two_loops() -> &'static str {
    leak(text(
        "two",
        &["n", "a tofrom 4*[n]", "b tofrom 4*[n]"],
        &[["loop0", "", "for", "i", "[n]"], ["loop1", "", "for", "j", "[n]"]],
        &[["loop0", "store", "a", "4", "[a] + 4*i", ""], ["loop1", "store", "b", "4", "[b] + 4*j", ""]],
        "",
    ))
}

/// C[i][j] = A[i] + B[j], collapsed in the source
pub fn collapsed() -> &'static str {
    leak(text(
        "collapsed",
        &["n", "m", "A to 4*[n]", "B to 4*[m]", "C from 4*[n]*[m]"],
        &[["loop0", "", ALL, "i", "[n]*[m]"]],
        &[
            ["loop0", "load", "A", "4", "[A] + 4*floor(i / [m])", ""],
            ["loop0", "load", "B", "4", "[B] + 4*i - 4*[m]*floor(i / [m])", ""],
            ["loop0", "store", "C", "4", "[C] + 4*i", ""],
        ],
        "",
    ))
}

/// teams distribute: for i; parallel for: for j: A[i][j]
pub fn nested() -> &'static str {
    leak(
        text(
            "nested",
            &["n", "m", "A from 4*[n]*[m]"],
            &[["loop0", "", "distribute", "i", "[n]"], ["loop1", "loop0", "for", "j", "[m]"]],
            &[["loop1", "store", "A", "4", "[A] + 4*[m]*i + 4*j", ""]],
            "",
        )
        .replace("kind: spmd", "kind: made-spmd"),
    )
}

/// if (i < n / 4) half[i] = 0; if (flag[i]) some[i] = 0
pub fn condition() -> &'static str {
    leak(text(
        "condition",
        &["n", "half from 4*[n]", "flag to 4*[n]", "some from 4*[n]"],
        &[["loop0", "", ALL, "i", "[n]"]],
        &[
            ["loop0", "store", "half", "4", "[half] + 4*i", "[4*i < [n]]"],
            ["loop0", "load", "flag", "4", "[flag] + 4*i", ""],
            ["loop0", "store", "some", "4", "[some] + 4*i", "not [load4([flag] + 4*i) == 0]"],
        ],
        "",
    ))
}

/// for k in first[i]..first[i + 1]: x[index[k]]
pub fn indirect() -> &'static str {
    leak(text(
        "indirect",
        &["n", "first to 4*[n] + 4", "index to 4*[n]", "x to 8*[n]"],
        &[
            ["loop0", "", ALL, "i", "[n]"],
            ["loop1", "loop0", "sequential", "k", "load4([first] + 4*i + 4) - load4([first] + 4*i)"],
        ],
        &[
            ["loop0", "load", "index", "4", "[index] + 4*i", ""],
            ["loop1", "load", "x", "8", "[x] + 8*load4([index] + 4*i + 400*k)", ""],
        ],
        "",
    ))
}

/// y[t] += x[t + c] for c < m, c += 4, where m is a natural number: the finished loops run as often as arithmetic of 64 bits says it, in differences
/// of numbers that no double tells from their neighbours.
pub fn machine_arithmetic() -> &'static str {
    let unrolled = "floor(([m] + 3) / 16) + 1152921504606846976*[[m] >= 0]*[[m] >= 1] + 1152921504338411520*[[m] >= 0] \
                    - 2305843009213693952*floor(([m] + 18446744073709551616*[[m] >= 0]*[[m] >= 1] \
                    + 18446744069414584320*[[m] >= 0] + 4294967299) / 36893488147419103232) + 268435456";
    let rest = "max([m] - 18446744073709551616*[[m] >= 0] + 18446744073709551616, 1) \
                - 4*floor(max([m] - 18446744073709551616*[[m] >= 0] + 18446744073709551616, 1) / 4)";
    let place =
        |runs: &str| format!("    - place: {{depth: 2, line: 14, shared: loop0, executions: {{value: \"{runs}\"}}}}\n");
    let device =
        |runs| place(runs) + "      counts: {load-global: 8, store-global: 4, float32: 4, integer64: 5, branch: 1}\n";
    let host =
        |runs| place(runs) + "      instructions: 11\n      loads: 4\n      stores: 4\n      cycles: {x86-64: 16}\n";
    leak(text(
        "machine_arithmetic",
        &["n", "m", "x to 4*[n] + 4*[m]", "y tofrom 4*[n]"],
        &[["loop0", "", ALL, "t", "[n]"], ["loop1", "loop0", "sequential", "c", "floor(([m] + 3) / 4)"]],
        &[
            ["loop1", "load", "x", "4", "[x] + 4*t + 16*c", ""],
            ["loop1", "load", "y", "4", "[y] + 4*t", ""],
            ["loop1", "store", "y", "4", "[y] + 4*t", ""],
        ],
        &format!(
            "  resources:\n  - processor: sm_90\n    registers: 32\n    loops:\n{}{}  host_code:\n    processor: x86-64\n    loops:\n{}{}",
            device(unrolled),
            device(rest),
            host(unrolled),
            host(rest)
        ),
    ))
}

/// for i in n: for j in m: A, p and q bytes apart.
pub fn strided(p: i64, q: i64) -> String {
    text(
        "strided",
        &["n", "m", "A to 4*[n]*[m]"],
        &[["loop0", "", ALL, "i", "[n]"], ["loop1", "loop0", "sequential", "j", "[m]"]],
        &[["loop1", "load", "A", "4", &format!("[A] + {p}*i + {q}*j"), ""]],
        "",
    )
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// for i < n, and so many loops inside of it: for j0 < i + m: for j1 < j0 + m: for j2 < j0 + j1 + m: .. a[the sum of all]
pub fn triangles(loops: usize) -> &'static str {
    let names: Vec<String> = (0..loops).map(|at| format!("j{at}")).collect();
    let ids: Vec<String> = (0..=loops).map(|at| format!("loop{at}")).collect();
    let trips = |at: usize| match at {
        0 => String::from("i + [m]"),
        _ => format!("{} + [m]", names[..at].join(" + ")),
    };
    let trips: Vec<String> = (0..loops).map(trips).collect();
    let inner = (0..loops).map(|at| [&ids[at + 1], &ids[at], "sequential", &names[at], &trips[at]]);
    let all: Vec<[&str; 5]> = std::iter::once(["loop0", "", ALL, "i", "[n]"]).chain(inner).collect();
    let address = format!("[a] + 4*{}", names.join(" + 4*"));
    let condition = format!("[5 < {}]", names.join(" + "));
    let access = [ids[loops].as_str(), "load", "a", "4", &address, &condition];
    leak(text("triangles", &["n", "m", "a to 4*[n]"], &all, &[access], ""))
}
