//! `ipda fix` on sources and reports that the tests write: the report of a source has the places at which its loops are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ipda_models::report::SourceFile;

/// A folder with a source and the report that the plugin would make of it.
struct Scene {
    folder: PathBuf,
}

/// What the report says of the loops that are listed, outermost first.
struct Reported<'a> {
    /// Variables as reports have them: `i`, or `k, i` for a loop that a clause made of two.
    loops: &'a [&'a str],
    /// Positions of the loops that make a thread's number.
    threads: &'a [usize],
}

const COLLAPSED: Reported<'static> = Reported { loops: &["i", "j"], threads: &[0, 1] };
const INTERCHANGED: Reported<'static> = Reported { loops: &["i", "j", "k"], threads: &[0, 2] };

impl Scene {
    /// `<` before a loop marks that it is the next of the list; the marks are no part of the source.
    fn new(name: &str, marked: &str, reported: &Reported<'_>) -> Scene {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fix").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder can be made");
        let pieces: Vec<&str> = marked.split('@').collect();
        let source = pieces.concat();
        fs::write(folder.join("a.c"), &source).expect("the folder is writable");
        let mut at = 0;
        let place = |at: usize| {
            let before = &source[..at];
            let line = before.matches('\n').count() + 1;
            format!("{{ file: a.c, line: {line}, column: {} }}", at - before.rfind('\n').map_or(0, |end| end + 1) + 1)
        };
        let places: Vec<String> = pieces[..pieces.len() - 1]
            .iter()
            .map(|piece| {
                at += piece.len();
                place(at)
            })
            .collect();
        assert_eq!(places.len(), reported.loops.len(), "a mark for each loop");
        let mut report = String::from(
            "ipda_report: VERSION\ntool: ipda 0.1.0\nsource: a.c\nside: host\ntarget: x86_64-pc-linux-gnu\nhardware: { name: h200, \
             warp_lanes: 32, sector_bytes: 32, line_bytes: 128, banks: 32, bank_bytes: 4 }\nregions:\n- function: f\n  location: \
             { file: a.c, line: 2 }\n  mode: spmd\n  totals: { without_count: 0 }\n  captures: [{ name: n, type: i32 }, { name: A, type: pointer }]\n  loops:\n",
        );
        for (number, (variable, place)) in reported.loops.iter().zip(&places).enumerate() {
            let kind = if number == 0 { "distribute-parallel-for" } else { "sequential" };
            let parent = number.checked_sub(1).map_or(String::new(), |parent| format!("parent: loop{parent}, "));
            report.push_str(&format!(
                "  - {{ id: loop{number}, {parent}kind: {kind}, variable: \"{variable}\", location: {place}, trips: {{ value: \"9\" }} }}\n"
            ));
        }
        report.push_str(
            "  transformation:\n    state: possible\n    versions:\n    - id: v1\n      state: possible\n      guard:\n      \
             - { text: n >= 1, role: { for: iterations } }\n      - { text: 'n*m < 2^30', role: { for: own-version } }\n      \
             gain: { sectors_before: 9.0, sectors_after: 1.5, threads_before: 9.0, threads_after: 81.0, per_iteration_of: loop1 }\n      \
             recipe:\n      - step: fused\n        threads:\n",
        );
        for &thread in reported.threads {
            report.push_str(&format!(
                "        - {{ name: \"{}\", location: {} }}\n",
                reported.loops[thread], places[thread]
            ));
        }
        let report = report.replace("VERSION", &ipda_models::report::SCHEMA_VERSION.to_string());
        let hash = SourceFile::read(&folder.join("a.c").to_string_lossy()).expect("it is there").fnv1a;
        let report = report.replace("side: host", &format!("sources: [{{ file: a.c, fnv1a: {hash} }}]\nside: host"));
        fs::write(folder.join("ipda.yaml"), "transform: on\n").expect("the folder is writable");
        fs::write(folder.join("report.yaml"), report).expect("the folder is writable");
        Scene { folder }
    }

    /// Adds accesses at these columns of a line, as a reduction's combination of the threads' values has them.
    fn with_accesses(self, line: usize, columns: &[usize]) -> Scene {
        let path = self.folder.join("report.yaml");
        let report = fs::read_to_string(&path).expect("the report is there");
        let mut accesses = String::from("  accesses:\n");
        for (number, column) in columns.iter().enumerate() {
            accesses.push_str(&format!(
                "  - {{ id: acc{number}, kind: atomic, object: s, bytes: 4, location: {{ file: a.c, line: {line}, column: {column} }}, \
                 address: '[s]', stride: {{ kind: constant, text: '0' }}, class: uniform, executions: {{ value: '1' }} }}\n"
            ));
        }
        let report = report.replace("  transformation:\n", &format!("{accesses}  transformation:\n"));
        fs::write(path, report).expect("the folder is writable");
        self
    }

    fn fix(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ipda"));
        command.current_dir(&self.folder).arg("fix").args(arguments).output().expect("ipda starts")
    }

    fn source(&self) -> String {
        fs::read_to_string(self.folder.join("a.c")).expect("the source is there")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The source as `ipda fix` writes it, after `patch` made the same of the diff.
fn fixed(name: &str, marked: &str, reported: &Reported<'_>) -> String {
    let scene = Scene::new(name, marked, reported);
    let before = scene.source();
    let dry = scene.fix(&["--dry-run", "report.yaml"]);
    assert_eq!((text(&dry.stderr), dry.status.code()), (String::new(), Some(0)));
    assert_eq!(scene.source(), before, "a dry run writes nothing");
    let wet = scene.fix(&["report.yaml"]);
    assert_eq!((text(&wet.stderr), wet.status.code()), (String::new(), Some(0)));
    let after = scene.source();
    fs::write(scene.folder.join("a.c"), before).expect("the folder is writable");
    fs::write(scene.folder.join("diff"), &dry.stdout).expect("the folder is writable");
    let patch = Command::new("patch").args(["-p1", "--binary", "-s", "-i", "diff"]).current_dir(&scene.folder).output();
    // Where there is no `patch`, the two are not compared.
    if let Ok(patch) = patch {
        assert!(patch.status.success(), "{}{}\n{}", text(&patch.stdout), text(&patch.stderr), text(&dry.stdout));
        assert_eq!(scene.source(), after);
        assert!(!scene.folder.join("a.c.orig").exists(), "it applies without offset and fuzz");
    }
    after
}

/// The sentence by which a source is left as it is.
fn refusal(name: &str, marked: &str, reported: &Reported<'_>) -> String {
    let scene = Scene::new(name, marked, reported);
    let before = scene.source();
    let output = scene.fix(&["report.yaml"]);
    assert_eq!((scene.source(), text(&output.stdout), output.status.code()), (before, String::new(), Some(1)));
    let message = text(&output.stderr);
    message.strip_prefix("ipda: a.c:2: nothing written: ").unwrap_or_else(|| panic!("{message}")).trim_end().to_owned()
}

const BODY: &str = "A[i * m + j] = i;\n}\n";

fn nest(directive: &str) -> String {
    format!(
        "void f(int n, int m, int *A) {{\n{directive}\n  @for (int i = 0; i < n; ++i)\n    @for (int j = 0; j < m; ++j)\n      {BODY}"
    )
}

#[test]
fn a_clause_stands_behind_the_directives_name() {
    let cases = [
        (
            "#pragma omp target teams distribute parallel for",
            "#pragma omp target teams distribute parallel for collapse(2)",
        ),
        (
            "#pragma omp target parallel for map(A[:n]) // why",
            "#pragma omp target parallel for collapse(2) map(A[:n]) // why",
        ),
        ("# pragma  omp target teams loop /* for */", "# pragma  omp target teams loop collapse(2) /* for */"),
        (
            "#pragma omp target parallel \\\n  for simd \\\n  map(A)",
            "#pragma omp target parallel \\\n  for simd collapse(2) \\\n  map(A)",
        ),
        (
            "#pragma omp target parallel for          \\\n    map(to : A)                          \\\n    map(from : B)",
            "#pragma omp target parallel for collapse(2) \\\n    map(to : A)                          \\\n    map(from : B)",
        ),
        ("#pragma omp parallel for\r", "#pragma omp parallel for collapse(2)\r"),
        ("\t#pragma omp for nowait\n  // über", "\t#pragma omp for collapse(2) nowait\n  // über"),
        ("#pragma omp for collapse(1) nowait", "#pragma omp for collapse(2) nowait"),
    ];
    for (number, (before, after)) in cases.iter().enumerate() {
        let written = fixed(&format!("clause-{number}"), &nest(before), &COLLAPSED);
        assert_eq!(written, nest(after).replace('@', ""));
    }
}

#[test]
fn spaces_in_front_of_a_backslash_give_way() {
    let before = nest(
        "#pragma omp target parallel for              \\\n    map(to : A)                              \\\n    map(from : B)",
    );
    let after = nest(
        "#pragma omp target parallel for collapse(2)  \\\n    map(to : A)                              \\\n    map(from : B)",
    );
    assert_eq!(fixed("backslashes", &before, &COLLAPSED), after.replace('@', ""));
}

#[test]
fn braces_and_comments_around_loops_stay() {
    let source = "void f(int n, int *A) {\n#pragma omp parallel for\n  @for (int i = 0; i < n; ++i) { // rows\n    /* columns */ {\n      \
                  @for (int j = i; j < 2 * i + n; j += 2) {\n        if (A[i]) { A[j] = i == j; } else A[j]++;\n      }\n    }\n  }\n}";
    let expected = source.replace("parallel for", "parallel for collapse(2)");
    assert_eq!(fixed("braces", source, &COLLAPSED), expected.replace('@', ""));
}

#[test]
fn a_clause_that_is_there_grows() {
    let source = "void f(int n, int *A) {\n#pragma omp parallel for collapse(2)\n  @for (int k = 0; k < n; ++k)\n    for (int i = 0; i < n; ++i)\n      \
                  @for (int j = 0; j < n; ++j)\n        A[k] = i + j;\n}\n";
    let reported = Reported { loops: &["k, i", "j"], threads: &[0, 1] };
    assert_eq!(fixed("grows", source, &reported), source.replace("collapse(2)", "collapse(3)").replace('@', ""));
}

/// The report lists a reduction's variable beside the counters of a loop that a clause made of two.
#[test]
fn a_clause_that_is_there_grows_beside_a_reduction() {
    let source = "void f(int n, int *A) {\n#pragma omp parallel for collapse(2) reduction(+ : s)\n  @for (int k = 0; k < n; ++k)\n    for (int i = 0; i < n; ++i)\n      \
                  @for (int j = 0; j < n; ++j)\n        s += A[k + i + j];\n}\n";
    let reported = Reported { loops: &["k, i, s", "j"], threads: &[0, 1] };
    let expected = source.replace("collapse(2)", "collapse(3)").replace('@', "");
    assert_eq!(fixed("grows-beside-a-reduction", source, &reported), expected);
    let private = Reported { loops: &["k, i, t", "j"], threads: &[0, 1] };
    assert_eq!(fixed("grows-beside-a-private-variable", source, &private), expected);
    let other = Reported { loops: &["k, t", "j"], threads: &[0, 1] };
    assert_eq!(
        refusal("grows-beside-another", source, &other),
        "the loop in line 4 counts i, and the report has one over k, t there: a macro makes it, or the report is of another source"
    );
}

#[test]
fn loops_change_places() {
    let source = "void f(int n, int *A) {\n#pragma omp parallel for\n  @for (int i = 0; i < n; ++i)\n    @for (int j = 1; j < i; ++j) {\n      \
                  @for (long k = 0; k < n; k++)\n        A[i + k] += A[j];\n    }\n}\n";
    let expected = "void f(int n, int *A) {\n#pragma omp parallel for collapse(2)\n  for (int i = 0; i < n; ++i)\n    for (long k = 0; k < n; k++) {\n      \
                    for (int j = 1; j < i; ++j)\n        A[i + k] += A[j];\n    }\n}\n";
    assert_eq!(fixed("places", source, &INTERCHANGED), expected);
}

/// clang puts the sum over the threads at the clause's words and at the directive's end, which is the end of its last line.
#[test]
fn accesses_of_the_directive_are_no_other_source() {
    let directives = [
        "#pragma omp parallel for reduction(+ : s)",
        "#pragma omp parallel for reduction(+ : s) reduction(max : top)",
        "#pragma omp parallel for SUMS // both  ",
        "#pragma omp parallel for reduction(+ : s)  \r",
    ];
    for (number, directive) in directives.iter().enumerate() {
        let end = directive.trim_end_matches('\r').len() + 1;
        let scene =
            Scene::new(&format!("reduction-{number}"), &nest(directive), &COLLAPSED).with_accesses(2, &[13, end]);
        let output = scene.fix(&["report.yaml"]);
        assert_eq!((text(&output.stderr), output.status.code()), (String::new(), Some(0)), "{directive:?}");
        let expected = nest(&directive.replace("parallel for", "parallel for collapse(2)")).replace('@', "");
        assert_eq!(scene.source(), expected);
    }
    let continued = "#pragma omp parallel for \\\n  reduction(+ : s)";
    let scene = Scene::new("reduction-continued", &nest(continued), &COLLAPSED).with_accesses(3, &[19]);
    assert_eq!(scene.fix(&["report.yaml"]).status.code(), Some(0));
}

#[test]
fn accesses_where_nothing_begins_are_of_another_source() {
    let directive = "#pragma omp parallel for reduction(+ : s)";
    // Behind the directive's end, at a space of the body, at the end of a line of the body, and below the last line.
    for (number, (line, column)) in [(2, directive.len() + 2), (5, 10), (5, 24), (9, 1)].into_iter().enumerate() {
        let scene = Scene::new(&format!("nothing-begins-{number}"), &nest(directive), &COLLAPSED);
        let scene = scene.with_accesses(line, &[column]);
        let before = scene.source();
        let output = scene.fix(&["report.yaml"]);
        let sentence = format!(
            "ipda: a.c:2: nothing written: line {line} does not have what the report says of it: a macro or #line makes the code there, \
             or the source has changed since the report\n"
        );
        assert_eq!((text(&output.stderr), output.status.code()), (sentence, Some(1)));
        assert_eq!(scene.source(), before);
    }
}

#[test]
fn what_it_rests_on_is_reported() {
    let scene = Scene::new("reported", &nest("#pragma omp parallel for"), &COLLAPSED);
    let expected = "\
# a.c:2: collapse(2) over i, j: for sizes of 1021 a warp touches 1.5 sectors in an iteration of j instead of 9
--- a/a.c
+++ b/a.c
@@ -1,5 +1,5 @@
 void f(int n, int m, int *A) {
-#pragma omp parallel for
+#pragma omp parallel for collapse(2)
   for (int i = 0; i < n; ++i)
     for (int j = 0; j < m; ++j)
       A[i * m + j] = i;
";
    assert_eq!(text(&scene.fix(&["--dry-run", "report.yaml"]).stdout), expected);
    // What hardly gains in sectors is done for the threads.
    let report = scene.folder.join("report.yaml");
    let reported =
        fs::read_to_string(&report).expect("it is there").replace("sectors_after: 1.5", "sectors_after: 8.5");
    fs::write(&report, reported).expect("the folder is writable");
    let said = text(&scene.fix(&["--dry-run", "report.yaml"]).stdout);
    let gain = "for sizes of 1021, 81 threads share the work instead of 9; a warp touches 8.5 sectors in an iteration of j, as \
                written 9";
    assert!(said.contains(gain), "{said}");
}

#[test]
fn what_cannot_be_written_safely_is_refused() {
    let directive = "#pragma omp parallel for";
    let loops = |first: &str, second: &str, body: &str| {
        format!("void f(int n, int *A) {{\n{directive}\n  @{first}\n    @{second}\n      {body}\n}}\n")
    };
    let (i, j, body) = ("for (int i = 0; i < n; ++i)", "for (int j = 0; j < n; ++j)", "A[i] = j;");
    let cases = [
        (nest("REGION"), "no `#pragma omp` stands before the loop in line 3: a macro or _Pragma makes its directive"),
        (
            nest("_Pragma(\"omp parallel for\")"),
            "no `#pragma omp` stands before the loop in line 3: a macro or _Pragma makes its directive",
        ),
        (nest("#pragma omp parallel"), "the directive in line 2 is none of a loop"),
        (
            nest("#pragma unroll"),
            "no `#pragma omp` stands before the loop in line 3: a macro or _Pragma makes its directive",
        ),
        (nest("#pragma omp for ordered"), "the directive in line 2 has an ordered clause"),
        (nest("#pragma omp for collapse(N)"), "the collapse clause in line 2 has no plain number"),
        // The clause of an earlier run.
        (
            nest("#pragma omp for collapse(2)"),
            "line 2 does not have what the report says of it: a macro or #line makes the code there, or the source has changed since the \
             report",
        ),
        (
            loops("FOR(i, n)", j, body),
            "line 3 has no `for` in column 3: a macro makes the loop, or the source has changed since the report",
        ),
        (
            loops("for (int x = 0; x < n; ++x)", j, body),
            "the loop in line 3 counts x, and the report has one over i there: a macro makes it, or the report is of another source",
        ),
        (
            loops(i, "for (int j = 0; j < n && A[j]; ++j)", body),
            "line 4 has a loop in another form than `for (i = first; i < end; ++i)`",
        ),
        (
            loops(i, "for (int j = 0; j < n; j *= 2)", body),
            "line 4 has a loop in another form than `for (i = first; i < end; ++i)`",
        ),
        (
            loops(i, "for (int j = 0, p = 1; j < n; ++j)", body),
            "line 4 has a loop in another form than `for (i = first; i < end; ++i)`",
        ),
        (loops(i, "while (n > 0)", body), "line 4 has a `while` loop, and a collapse clause takes `for` loops alone"),
        (
            loops("#pragma omp tile sizes(4)\n  for (int i = 0; i < n; ++i)", j, body),
            "line 3 has a directive of its own for the loop behind it",
        ),
        (
            loops(i, "for (int j = 0; j < i / 2; ++j)", body),
            "the bounds in line 4 go by outer counters in another form than a collapse clause takes",
        ),
        (
            loops(i, "for (int j = A[i]; j < n; ++j)", body),
            "the bounds in line 4 go by outer counters in another form than a collapse clause takes",
        ),
        (loops(i, j, "{ A[i] = j; if (A[j]) ++j; }"), "line 5 may change the counter j"),
        (loops(i, j, "g(&i, n & j);"), "line 5 may change the counter i"),
    ];
    for (number, (source, sentence)) in cases.iter().enumerate() {
        assert_eq!(refusal(&format!("refused-{number}"), source, &COLLAPSED), *sentence, "{source}");
    }
    let between = "void f(int n, int *A) {\n#pragma omp for\n@for (int i = 0; i < n; ++i) {\n  A[i] = 0;\n  @for (int j = 0; j < n; ++j)\n    A[i] += j;\n}\n}\n";
    // More than the counter alone is compared, or more is done with what the comparison says.
    let conditions = [
        "j + 1 < n",
        "j - 0 < n",
        "n > j - 1",
        "n >= 2 * j",
        "j < n == 1",
        "j < n & n < 9",
        "j < n | m",
        "m & n > j",
        "(j < n)",
    ];
    for (number, condition) in conditions.into_iter().enumerate() {
        let source = loops(i, &format!("for (int j = 1; {condition}; ++j)"), body);
        assert_eq!(
            refusal(&format!("condition-{number}"), &source, &COLLAPSED),
            "line 4 has a loop in another form than `for (i = first; i < end; ++i)`",
            "{condition}"
        );
    }
    let address = loops(i, "for (int *j = A; j != &A[n]; ++j)", "g(j);");
    assert!(fixed("address", &address, &COLLAPSED).contains("collapse(2)"));
    assert!(
        refusal("between", between, &COLLAPSED)
            .starts_with("line 4 stands between the loop over i and the one inside it")
    );
    let behind = "void f(int n, int *A) {\n#pragma omp for\n@for (int i = 0; i < n; ++i) {\n  @for (int j = 0; j < n; ++j)\n    A[i] += j;\n  A[i]++;\n}\n}\n";
    assert!(
        refusal("behind", behind, &COLLAPSED)
            .starts_with("line 6 stands between the loop over i and the one inside it")
    );
    let elsewhere = "void f(int n, int *A) {\n#pragma omp parallel for firstprivate(j, n)\n@for (int i = 0; i < n; ++i)\n  @for (j = 0; j < n; ++j)\n    A[i] += j;\n}\n";
    assert_eq!(refusal("elsewhere", elsewhere, &COLLAPSED), "the counter j is in the firstprivate clause of line 2");
}

#[test]
fn loops_stay_where_more_than_they_would_move() {
    let nest = |first: &str, second: &str, third: &str| {
        format!(
            "void f(int n, int *A) {{\n#pragma omp for\n  @{first}\n    @{second}\n      @{third}\n        A[i] += j + k;\n}}\n"
        )
    };
    let [i, j, k] = ["i", "j", "k"].map(|name| format!("for (int {name} = 0; {name} < n; ++{name})"));
    let cases = [
        (
            nest(&i, &format!("{j} // steps"), &k),
            "the head of the loop in line 4 is not alone in its line, so that loops are not put into another order",
        ),
        (nest(&i, &j, "for (int k = j; k < n; ++k)"), "the loop over k goes by j, and would be around its loop"),
        (nest(&i, &format!("{j}\n  /* columns */"), &k), "line 5 would lose its place among loops in another order"),
        (
            nest(&i, &format!("{j}\n#pragma unroll"), &k),
            "line 5 stands between the loop over j and the one inside it; a collapse clause takes loops that hold nothing but the next one",
        ),
    ];
    for (number, (source, sentence)) in cases.iter().enumerate() {
        assert_eq!(refusal(&format!("stay-{number}"), source, &INTERCHANGED), *sentence, "{source}");
    }
}

#[test]
fn a_source_that_the_report_has_no_hash_of_is_left() {
    let scene = Scene::new("no-hash", &nest("#pragma omp for"), &COLLAPSED);
    let report = fs::read_to_string(scene.folder.join("report.yaml")).expect("it is there");
    let without: Vec<&str> = report.lines().filter(|line| !line.starts_with("sources:")).collect();
    fs::write(scene.folder.join("report.yaml"), without.join("\n")).expect("the folder is writable");
    let before = scene.source();
    let output = scene.fix(&["report.yaml"]);
    let sentence = "ipda: a.c:2: nothing written: report.yaml has no hash of a.c, which would tell whether that is what was compiled: \
                    compile it again\n";
    assert_eq!((text(&output.stderr), output.status.code()), (sentence.into(), Some(1)));
    assert_eq!(scene.source(), before);
}

const TARGET: &str = "#pragma omp target teams distribute parallel for";

/// A scene whose loops are right only under a condition.
fn resting(name: &str, marked: &str, condition: &str, role: &str) -> Scene {
    let scene = Scene::new(name, marked, &COLLAPSED);
    let report = fs::read_to_string(scene.folder.join("report.yaml")).expect("it is there");
    let report = report.replace("{ text: n >= 1,", &format!("{{ text: '{condition}',"));
    let report = report.replace("{ for: iterations }", role);
    fs::write(scene.folder.join("report.yaml"), report).expect("the folder is writable");
    scene
}

#[test]
fn what_rests_on_conditions_is_written_only_where_that_is_asked_for() {
    let scene = resting("resting", &nest(TARGET), "2*n + 3 <= 2^20", "{ for: sizes }");
    let before = scene.source();
    let output = scene.fix(&["report.yaml"]);
    let sentence = "ipda: a.c:2: nothing written: the changed loops are right only where 2*n + 3 <= 2^20; --guard writes them under an \
                    `if` that tests it, --assume without\n";
    assert_eq!((text(&output.stderr), output.status.code()), (sentence.into(), Some(1)));
    assert_eq!(scene.source(), before);
    assert!(scene.fix(&["--assume", "report.yaml"]).status.success());
    let changed = TARGET.replace("for", "for collapse(2)");
    let assumed = before.replace(TARGET, &format!("/* right only where 2*n + 3 <= 2^20 */\n{changed}"));
    assert_eq!(scene.source(), assumed);
    fs::write(scene.folder.join("a.c"), &before).expect("the folder is writable");
    assert!(scene.fix(&["--guard", "report.yaml"]).status.success());
    let end = before.rfind("\n}").expect("it has an end");
    let loops = &before[before.find(TARGET).expect("it is there")..end];
    let guarded = before.replace(
        loops,
        &format!("if (2*(__int128)n + 3 <= 1048576) {{\n{}\n}} else {{\n{loops}\n}}", loops.replace(TARGET, &changed)),
    );
    assert_eq!(scene.source(), guarded);
    assert_eq!(scene.fix(&["--guard", "--assume", "report.yaml"]).status.code(), Some(2));
}

#[test]
fn words_of_a_report_stay_what_they_are_in_a_source() {
    for (number, condition) in
        ["n <= 10 */ x(); /*", "n <= 10 \\", "n <= 10 ??/", "n <= \u{202e}10"].into_iter().enumerate()
    {
        let scene = resting(&format!("hostile-comment-{number}"), &nest(TARGET), condition, "{ for: sizes }");
        let before = scene.source();
        let output = scene.fix(&["--assume", "report.yaml"]);
        let words = text(&output.stderr);
        assert!(words.contains("a condition of the report cannot stand in a comment"), "{words}");
        assert_eq!((scene.source(), output.status.code()), (before, Some(1)));
    }
    for (number, sum) in
        ["--n", "- -n", "n - -n", "n**n", "n n", "n +", "n*", "*n", "-", "n(n)"].into_iter().enumerate()
    {
        let condition = format!("{sum} <= 10");
        let scene = resting(&format!("hostile-sum-{number}"), &nest(TARGET), &condition, "{ for: sizes }");
        let before = scene.source();
        let output = scene.fix(&["--guard", "report.yaml"]);
        let words = text(&output.stderr);
        assert!(words.contains("is more than a sum of products"), "{sum}: {words}");
        assert_eq!((scene.source(), output.status.code()), (before, Some(1)));
    }
}

#[test]
fn what_cannot_be_tested_is_not_guarded() {
    let target = nest(TARGET);
    let cases = [
        (target.clone(), "p <= 10", "{ for: sizes }", "p is no variable of whole numbers that is in scope"),
        (target.clone(), "A <= 10", "{ for: sizes }", "A is no variable of whole numbers that is in scope"),
        (target.clone(), "floor(n / 2) <= 10", "{ for: sizes }", "`floor(n / 2)` is more than a sum of products"),
        (target.clone(), "n <= 10", "{ for: what }", "unknown variant"),
        (
            target.clone(),
            "A and B do not overlap",
            "{ for: apart, first: { array: A, low: '0', size: 4*n }, second: { array: B, low: '0', size: '4' } }",
            "nothing before the directive declares B as a pointer or an array by its own name",
        ),
        (nest("#pragma omp teams distribute parallel for"), "n <= 10", "{ for: sizes }", "is inside another construct"),
        (target.replace("A[i", "{ here: A[i").replace("= i;", "= i; }"), "n <= 10", "{ for: sizes }", "has a label"),
        (
            target.replace("A[i", "{ static int x; A[i").replace("= i;", "= i; }"),
            "n <= 10",
            "{ for: sizes }",
            "has `static`",
        ),
    ];
    for (number, (source, condition, role, sentence)) in cases.into_iter().enumerate() {
        let scene = resting(&format!("unguarded-{number}"), &source, condition, role);
        let before = scene.source();
        let output = scene.fix(&["--guard", "report.yaml"]);
        assert!(text(&output.stderr).contains(sentence), "{}", text(&output.stderr));
        assert_eq!((scene.source(), output.status.code()), (before, Some(1)));
    }
}

#[test]
fn a_source_that_is_not_what_was_compiled_is_left() {
    let scene = Scene::new("changed", &nest("#pragma omp for"), &COLLAPSED);
    let report = fs::read_to_string(scene.folder.join("report.yaml")).expect("it is there");
    let compiled = scene.source();
    fs::write(scene.folder.join("report.yaml"), &report).expect("the folder is writable");
    // All places are as they were.
    fs::write(scene.folder.join("a.c"), format!("{compiled}// one more line\n")).expect("the folder is writable");
    let output = scene.fix(&["report.yaml"]);
    assert_eq!(
        (text(&output.stderr), output.status.code()),
        (
            "ipda: a.c:2: nothing written: a.c has changed since report.yaml was written: compile it again\n".into(),
            Some(1)
        )
    );
    // Back as it was, though it is newer than the report: what it holds counts.
    fs::write(scene.folder.join("a.c"), compiled).expect("the folder is writable");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let source = fs::File::options().append(true).open(scene.folder.join("a.c")).expect("it is there");
    source.set_modified(later).expect("the file is ours");
    assert!(scene.fix(&["report.yaml"]).status.success());
    assert!(scene.source().contains("collapse(2)"));
}

#[test]
fn files_outside_of_the_root_are_left() {
    let scene = Scene::new("root", &nest("#pragma omp for"), &COLLAPSED);
    fs::create_dir(scene.folder.join("inside")).expect("the folder can be made");
    let message = text(&scene.fix(&["--root", "inside", "report.yaml"]).stderr);
    assert!(message.contains("inside: give its folder as --root"), "{message}");
    // From elsewhere, the source is found beside the report.
    let output = Command::new(env!("CARGO_BIN_EXE_ipda"))
        .current_dir(scene.folder.join("inside"))
        .args(["fix", "--dry-run", "--root", "..", ".."])
        .output()
        .expect("ipda starts");
    assert!(text(&output.stdout).contains("--- a/a.c\n"), "{}", text(&output.stderr));
}

/// A report with what could be done left alone, which nothing tests for.
fn left(report: &str) -> String {
    let left = report.replace("state: possible", "state: left");
    let (before, rest) = left.split_once("      guard:\n").expect("a version has one");
    let (_, behind) = rest.split_once("      gain:").expect("that is behind it");
    format!("{before}      gain:{behind}")
}

#[test]
fn reports_without_wishes_write_nothing() {
    let scene = Scene::new("none", &nest("#pragma omp for"), &COLLAPSED);
    let report = scene.folder.join("report.yaml");
    let left = left(&fs::read_to_string(&report).expect("it is there"));
    fs::write(&report, left).expect("the folder is writable");
    let output = scene.fix(&["report.yaml"]);
    assert_eq!(
        text(&output.stdout),
        "nothing to write: no report asks for another order of loops or another map clause\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_holds_for_one_instance_alone_is_not_written() {
    let scene = Scene::new("instances", &nest("#pragma omp for"), &COLLAPSED);
    let report = fs::read_to_string(scene.folder.join("report.yaml")).expect("it is there");
    fs::write(scene.folder.join("same.yaml"), &report).expect("the folder is writable");
    let output = scene.fix(&["--dry-run", "report.yaml", "same.yaml"]);
    assert_eq!((text(&output.stdout).matches("+#pragma").count(), output.status.code()), (1, Some(0)));
    fs::write(scene.folder.join("same.yaml"), left(&report)).expect("writable");
    let output = scene.fix(&["--dry-run", "."]);
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (
            String::new(),
            "ipda: a.c:2: nothing written: it is compiled more than once, and not each time another order of its loops is known to \
             serve\n"
                .into()
        )
    );
}

/// What another unit reports of the same directive, whose file has another name there.
fn as_another_unit(report: &str, name: &str) -> String {
    report.replace("file: a.c", &format!("file: {name}")).replace("source: a.c", "source: other.c")
}

#[test]
fn one_file_has_several_names() {
    let scene = Scene::new("names", &nest("#pragma omp for"), &COLLAPSED);
    fs::create_dir(scene.folder.join("sub")).expect("it is new");
    let report = fs::read_to_string(scene.folder.join("report.yaml")).expect("it is there");
    let other = |text: String| fs::write(scene.folder.join("other.yaml"), text).expect("writable");
    let refused = || {
        let output = scene.fix(&["--dry-run", "report.yaml", "other.yaml"]);
        assert_eq!(text(&output.stdout), "");
        text(&output.stderr)
    };
    for name in ["./a.c", "sub/../a.c", "../elsewhere/a.c"] {
        other(as_another_unit(&left(&report), name));
        let why = "it is compiled more than once, and not each time another order of its loops is known to serve";
        assert_eq!(refused(), format!("ipda: a.c:2: nothing written: {why}\n"), "{name}");
    }
    // A region of which nothing is known.
    let (before, _) = report.split_once("  transformation:\n").expect("a region has one");
    other(as_another_unit(before, "./a.c"));
    assert!(refused().contains("not each time"));
    let reject = "rejects:\n- { name: Unclear, reason: it is unclear, location: { file: ./a.c, line: 2 } }\n";
    let (head, _) = report.split_once("regions:\n").expect("there are some");
    other(as_another_unit(head, "./a.c") + reject);
    assert!(refused().contains("not each time"));
    // A line below is another directive.
    other(as_another_unit(&left(&report), "./a.c").replace("line: 2 }", "line: 1 }"));
    let output = scene.fix(&["--dry-run", "report.yaml", "other.yaml"]);
    assert_eq!((text(&output.stdout).matches("+#pragma").count(), text(&output.stderr)), (1, String::new()));
    // The other one was of a file that has changed since, and may need it as it is.
    let hash = SourceFile::read(&scene.folder.join("a.c").to_string_lossy()).expect("it is there").fnv1a;
    let stale = as_another_unit(&left(&report), "./a.c").replace(&hash, "0123456789abcdef");
    other(stale.replace("line: 2 }", "line: 1 }"));
    assert_eq!(
        refused(),
        "ipda: ./a.c: nothing written: it has changed since other.yaml was written: compile it again\n"
    );
}

#[test]
fn what_is_said_of_a_file_of_unknown_content_holds_for_all_of_its_name() {
    let scene = Scene::new("unknown-content", &nest("#pragma omp for"), &COLLAPSED);
    let path = scene.folder.join("report.yaml");
    let report = fs::read_to_string(&path).expect("it is there");
    // Two files of one name, of which each would be changed, and a region of one of them whose loops stay.
    fs::create_dir(scene.folder.join("sub")).expect("it is new");
    fs::write(scene.folder.join("sub/a.c"), scene.source() + "// another\n").expect("writable");
    let hash = |name: &str| SourceFile::read(&scene.folder.join(name).to_string_lossy()).expect("it is there").fnv1a;
    let in_folder = as_another_unit(&report, "sub/a.c").replace(&hash("a.c"), &hash("sub/a.c"));
    fs::write(scene.folder.join("sub.yaml"), in_folder).expect("writable");
    let fixed = text(&scene.fix(&["--dry-run", "report.yaml", "sub.yaml"]).stdout);
    assert_eq!(fixed.matches("+#pragma").count(), 2, "{fixed}");
    let unknown = as_another_unit(&left(&report), "elsewhere/a.c");
    let unknown: Vec<&str> = unknown.lines().filter(|line| !line.starts_with("sources:")).collect();
    fs::write(scene.folder.join("unknown.yaml"), unknown.join("\n")).expect("writable");
    let why = "nothing written: it is compiled more than once, and not each time another order of its loops is known to serve";
    let both = format!("ipda: a.c:2: {why}\nipda: sub/a.c:2: {why}\n");
    for reports in [["unknown.yaml", "report.yaml", "sub.yaml"], ["report.yaml", "sub.yaml", "unknown.yaml"]] {
        let output = scene.fix(&[&["--dry-run"], &reports[..]].concat());
        assert_eq!((text(&output.stdout), text(&output.stderr)), (String::new(), both.clone()), "{reports:?}");
    }
}

#[test]
fn what_units_of_a_header_agree_on_is_written_with_a_word() {
    let scene = Scene::new("header", &nest("#pragma omp for"), &COLLAPSED);
    let path = scene.folder.join("report.yaml");
    let report = fs::read_to_string(&path).expect("it is there");
    fs::write(&path, as_another_unit(&report, "a.c")).expect("writable");
    fs::write(scene.folder.join("other.yaml"), as_another_unit(&report, "./a.c")).expect("writable");
    let output = scene.fix(&["report.yaml", "other.yaml"]);
    assert!(
        text(&output.stdout).ends_with("; right in the units whose reports were read\n"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!((text(&output.stderr), scene.source().matches("collapse(2)").count()), (String::new(), 1));
}

#[test]
fn maps_of_one_instance_alone_are_not_written() {
    let directive = "#pragma omp target teams distribute parallel for map(tofrom: A[0:n], B[0:n])";
    let source = format!("void f() {{\n{directive}\n  for (;;);\n}}\n");
    let scene = with_maps("maps-instances", &source, &[("A", "stays: true"), ("B", "implicit: false")]);
    let report = fs::read_to_string(scene.folder.join("report.yaml")).expect("it is there");
    let with_other = |other: String| {
        fs::write(scene.folder.join("other.yaml"), other).expect("writable");
        let output = scene.fix(&["--dry-run", "report.yaml", "other.yaml"]);
        (text(&output.stdout).matches("+#pragma").count(), text(&output.stderr))
    };
    assert_eq!(with_other(report.replace("function: f", "function: g")), (1, String::new()));
    let refusal = "ipda: a.c:2: nothing written: it is compiled more than once, and its map clauses cannot say the same less each time\n";
    for other in [report.replace("stays: true", "implicit: false"), report.replace("implicit: false", "stays: true")] {
        assert_eq!(with_other(other.replace("function: f", "function: g")), (0, refusal.into()));
    }
}

/// A source and a report that says of variables `how` they are moved: `stays: true` or `made_there: true`, and whether a clause names them.
fn with_maps(name: &str, source: &str, maps: &[(&str, &str)]) -> Scene {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fix").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("a.c"), source).expect("the folder is writable");
    let hash = SourceFile::read(&folder.join("a.c").to_string_lossy()).expect("it is there").fnv1a;
    let captures: Vec<String> = maps
        .iter()
        .map(|(name, how)| format!("{{ name: {name}, type: pointer, map: {{ kind: tofrom, bytes: '8*[n]', {how} }} }}"))
        .collect();
    let report = format!(
        "ipda_report: {}\ntool: ipda 0.1.0\nsource: a.c\nside: host\nsources: [{{ file: a.c, fnv1a: {hash} }}]\ntarget: \
         x86_64-pc-linux-gnu\nhardware: {{ name: h200, warp_lanes: 32, sector_bytes: 32, line_bytes: 128, banks: 32, bank_bytes: 4 }}\n\
         regions:\n- function: f\n  location: {{ file: a.c, line: 2 }}\n  mode: spmd\n  totals: {{ without_count: 0 }}\n  captures: [{}]\n",
        ipda_models::report::SCHEMA_VERSION,
        captures.join(", ")
    );
    fs::write(folder.join("report.yaml"), report).expect("the folder is writable");
    Scene { folder }
}

/// The directive that a source with another one has afterwards, and what is reported about it.
fn with_clauses(name: &str, directive: &str, maps: &[(&str, &str)], arguments: &[&str]) -> (String, String, String) {
    let source = format!(
        "void f(int n, double *A, double *B) {{\n{directive}\n  for (int i = 0; i < n; i++)\n    B[i] = A[i];\n}}\n"
    );
    let scene = with_maps(name, &source, maps);
    let output = scene.fix(&[arguments, &["report.yaml"]].concat());
    let after = scene.source();
    let more = after.lines().filter(|line| line.starts_with("/* ")).count();
    let lines: Vec<&str> = after.lines().skip(1).take(more + directive.lines().count()).collect();
    (lines.join("\n"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_is_never_written_is_mapped_to_the_device_alone() {
    let fixed = |name: &str, directive: &str, maps: &[(&str, &str)]| {
        let (line, _, refused) = with_clauses(name, directive, maps, &[]);
        assert_eq!(refused, "");
        line
    };
    let a = [("A", "stays: true"), ("B", "implicit: false")];
    let both = [("A", "stays: true"), ("B", "stays: true")];
    let target = "#pragma omp target teams distribute parallel for";
    let is = |name: &str, before: &str, maps: &[(&str, &str)], after: &str| {
        assert_eq!(fixed(name, &format!("{target}{before}"), maps), format!("{target}{after}"));
    };
    is("maps-moved", " map(tofrom: A[0:n], B[0:n])", &a, " map(tofrom: B[0:n]) map(to: A[0:n])");
    is(
        "maps-last",
        " map(tofrom : B[0 : n], A[0 : n]) if(n > 9)",
        &a,
        " map(tofrom : B[0 : n]) map(to : A[0 : n]) if(n > 9)",
    );
    is("maps-alone", " map(tofrom:A[:n]) map(tofrom: B[:n])", &a, " map(to: A[:n]) map(tofrom: B[:n])");
    is("maps-all", " map(tofrom: A[0:n], B[0:n])", &both, " map(to: A[0:n], B[0:n])");
    is("maps-without-word", " map(A[0:n], B[f(n, 0):n])", &a, " map(tofrom: B[f(n, 0):n]) map(to: A[0:n])");
    is("maps-implicit", " // why", &[("A", "stays: true, implicit: true")], " map(to : A) // why");
    is(
        "maps-lines",
        " \\\n    map(tofrom: A[0:n], \\\n        B[0:n])",
        &a,
        " \\\n    map(tofrom: B[0:n]) map(to: A[0:n])\n  for (int i = 0; i < n; i++)",
    );
}

#[test]
fn maps_are_reported_with_what_they_rest_on() {
    let maps = [("A", "stays: true"), ("B", "made_there: true")];
    let directive = "#pragma omp target teams distribute parallel for map(tofrom: A[0:n], B[0:n])";
    let (line, reported, refused) = with_clauses("maps-reported", directive, &maps, &[]);
    assert!(line.ends_with(" map(tofrom: B[0:n]) map(to: A[0:n])"), "{line}");
    assert_eq!(
        (reported.as_str(), refused.as_str()),
        ("a.c:2: map(to) for A, which is never written: 8*n bytes less\n", "")
    );
    let (line, reported, _) = with_clauses("maps-assumed", directive, &maps, &["--assume"]);
    assert_eq!(
        line,
        "/* right only where the loops overwrite all of B and no other array shares its bytes */\n\
         #pragma omp target teams distribute parallel for map(to: A[0:n]) map(from: B[0:n])"
    );
    let rests = "map(from) for B, right only where the loops overwrite all of it and no other array shares its bytes, which nothing tests: \
                 8*n bytes less";
    assert!(reported.contains(rests), "{reported}");
}

#[test]
fn maps_that_others_may_need_stay() {
    let a = [("A", "stays: true")];
    let target = "#pragma omp target teams distribute parallel for";
    let refused = |name: &str, clauses: &str| {
        let directive = format!("{target}{clauses}");
        let (line, _, refused) = with_clauses(name, &directive, &a, &[]);
        assert_eq!(line, directive);
        refused
            .strip_prefix("ipda: a.c:2: nothing written: ")
            .unwrap_or_else(|| panic!("{refused}"))
            .trim_end()
            .to_owned()
    };
    assert_eq!(
        refused("maps-nowait", " map(tofrom: A[0:n]) nowait"),
        "its map clauses could say less, but that is right only where no other region maps it at the same time, as one with nowait \
         could; --assume writes it"
    );
    let plain = "no plain map(tofrom:) clause of the directive in line 2 names A";
    assert_eq!(refused("maps-always", " map(always, tofrom: A[0:n])"), plain);
    assert_eq!(refused("maps-macro", " MAPS(A)"), plain);
    assert_eq!(refused("maps-member", " map(tofrom: A->x[0:n])"), plain);
}
