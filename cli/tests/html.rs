//! `ipda report --html`: what the pages hold. How they behave in a browser is tested by `scripts/html-check`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("html-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder for tests is writable");
    path
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn run(out: &Path, arguments: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ipda"));
    command.args(["report", "--html"]).arg(out).args(arguments).output().expect("the program starts")
}

/// The pages of a folder by name.
fn pages(out: &Path) -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> = fs::read_dir(out)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("pages are UTF-8"))
        })
        .collect();
    pages.sort();
    pages
}

fn page(out: &Path, name: &str) -> String {
    fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every element that is opened is closed, in order.
fn check_nesting(name: &str, page: &str) {
    const NEVER_CLOSED: [&str; 5] = ["meta", "input", "br", "!doctype", "link"];
    let mut open: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap_or_else(|| panic!("{name}: a tag does not end"));
        let tag = &rest[..end];
        let word = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default().to_ascii_lowercase();
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_ref(), Some(&word), "{name}: </{word}> at {}", &rest[..rest.len().min(200)]);
        } else if !tag.ends_with('/') && !NEVER_CLOSED.contains(&&word[..]) {
            if word == "style" || word == "script" {
                rest = &rest[rest.find(&format!("</{word}")).expect("it ends")..];
            }
            open.push(word);
        }
    }
    assert!(open.is_empty(), "{name}: {open:?} are not closed");
}

#[test]
fn every_report_becomes_a_page_and_an_index_lists_them() {
    let out = folder("all");
    let files = ["gemm.yaml", "kernel.yaml", "kinds.yaml", "helper.yaml", "empty.yaml", "gemm.yaml"].map(data);
    let output = run(&out, &files.each_ref().map(PathBuf::as_path));
    assert!(output.status.success(), "{output:?}");
    let pages = pages(&out);
    assert_eq!(pages.len(), files.len() + 1);
    let index = page(&out, "index.html");
    for (name, text) in &pages {
        check_nesting(name, text);
        assert!(name == "index.html" || index.contains(&format!("href=\"{name}\"")), "{name} is not in the index");
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!text.contains(outside), "{name} needs another file: {outside}");
        }
    }
    // Without what they were like, two sources of one name have two pages.
    assert!(pages.iter().any(|(name, _)| name == "gemm.c.html"));
    assert!(pages.iter().any(|(name, _)| name == "gemm.c~2.html"));
}

#[test]
fn all_compilations_of_a_source_have_one_page() {
    let (out, reports) = (folder("sides"), folder("sides-reports"));
    let host = fs::read_to_string(data("built/mvt.yaml")).expect("it is there");
    let device = host.replace("side: host", "side: device").replace("x86_64-pc-linux-gnu", "nvptx64-nvidia-cuda");
    let other = host.replace("fnv1a: ", "fnv1a: 0123456789abcdef # ");
    // A twin of the host's report adds nothing.
    for (name, text) in [("a", &device), ("b", &other), ("c", &host), ("d", &host)] {
        fs::write(reports.join(format!("{name}.yaml")), text).expect("it is written");
    }
    assert!(run(&out, &[&reports]).status.success());
    let names: Vec<String> = pages(&out).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["index.html", "mvt.c.html", "mvt.c~2.html"]);
    let all =
        pages(&out).into_iter().map(|(_, text)| text).find(|text| text.contains("id=\"c1\"")).expect("a page of both");
    check_nesting("mvt.c", &all);
    let at = |text: &str| all.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(at("id=\"c0\">Host compilation") < at("id=\"c1\">Device compilation for nvptx64"));
    assert_eq!(all.matches("class=\"unit\"").count(), 2);
    // Each anchor once, and a place for each link.
    let ids: Vec<&str> = all.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for (nth, id) in ids.iter().enumerate() {
        assert!(!ids[..nth].contains(id), "{id} is there twice");
    }
    for link in all.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.contains(&link) || link.starts_with('f'), "#{link} leads nowhere");
    }
    let index = page(&out, "index.html");
    assert_eq!(index.matches("#c0\"").count() + index.matches("#c1\"").count(), 2);
}

#[test]
fn given_sizes_decide_classes_sums_and_pictures() {
    let out = folder("sizes");
    let given = ["nx=100", "ny=100", "nz=100", "load8@1([d])=100", "load8@1([d] + 8)=100", "load8([d] + 16)=100"];
    let mut arguments = vec![data("sizes/field.yaml")];
    arguments.extend(given.iter().flat_map(|each| ["-D".into(), (*each).into()]));
    let run = run(&out, &arguments.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
    let name = pages(&out).into_iter().map(|(name, _)| name).find(|name| name.contains("field")).expect("a page");
    let page = page(&out, &name);
    assert!(page.contains("9 uncoalesced") && page.contains("959904 per warp for one iteration of the shared loop<"));
    assert!(!page.contains(">symbolic<") && !page.contains("drawn for"));
}

#[test]
fn the_same_reports_give_the_same_bytes() {
    let files = [data("gemm.yaml"), data("kinds.yaml"), data("folder")];
    let arguments = files.each_ref().map(PathBuf::as_path);
    let (first, second) = (folder("first"), folder("second"));
    assert!(run(&first, &arguments).status.success());
    assert!(run(&second, &arguments).status.success());
    assert!(pages(&first) == pages(&second));
}

#[test]
fn the_source_stands_with_its_marks_where_it_is_at_hand() {
    let (out, source) = (folder("source"), folder("source-files"));
    let lines: Vec<String> = (1..=20)
        .map(|line| format!("            x += right[{line}] + left[{line}]; {:40}// behind {line}", ""))
        .collect();
    fs::write(source.join("gemm.c"), lines.join("\n")).expect("it is written");
    assert!(run(&out, &[&data("gemm.yaml")]).status.success());
    let without = page(&out, "gemm.c.html");
    assert!(without.contains("The file is not at hand") && !without.contains("// behind 17"));
    assert!(run(&out, &[Path::new("--source"), &source, &data("gemm.yaml")]).status.success());
    let with = page(&out, "gemm.c.html");
    assert!(with.contains("// behind 17") && !with.contains("The file is not at hand"));
    let line = with.split("id=\"f0l17\"").nth(1).and_then(|rest| rest.split("</div>").next()).expect("line 17");
    assert_eq!(line.matches("<a class=\"m ").count(), 1, "line 17 has a mark");
    assert!(with.contains("32 lanes touch 32 sectors in 32 lines of memory"));

    fs::write(source.join("gemm.c"), "short\n").expect("it is written");
    assert!(run(&out, &[Path::new("--source"), &source, &data("gemm.yaml")]).status.success());
    assert!(page(&out, "gemm.c.html").contains("has changed since"));
}

/// A report may name any file of the machine, by whatever way, and pages are given to others.
#[test]
fn files_of_other_folders_are_left_out_of_pages() {
    use std::os::unix::fs::symlink;
    let (out, elsewhere, project) = (folder("outside"), folder("outside-secret"), folder("outside-project"));
    let secret = elsewhere.join("key.c");
    fs::write(&secret, "the secret\n".repeat(40)).unwrap();
    symlink(&secret, project.join("link.c")).unwrap();
    symlink(&elsewhere, project.join("sub")).unwrap();
    let up = format!("{}/../html-outside-secret/key.c", project.display());
    let report = project.join("r.yaml");
    let text = fs::read_to_string(data("gemm.yaml")).unwrap();
    let names = [secret.to_str().unwrap(), &up, "link.c", "sub/key.c"].map(str::to_owned);
    let run_here = |more: &[&Path]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ipda"));
        let output =
            command.current_dir(&project).args(["report", "--html"]).arg(&out).args(more).arg("r.yaml").output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let holds = pages(&out).iter().any(|(_, text)| text.contains("the secret"));
        (holds, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for name in names {
        let _ = fs::remove_dir_all(&out);
        fs::write(&report, text.replace("gemm.c", &name)).unwrap();
        let reported = format!("{name} is outside of the working directory and of the reports' folders, and left out");
        let (holds, said) = run_here(&[]);
        assert!(!holds && said.contains(&reported), "{name}: {said}");
        for option in ["--source", "--root"] {
            let (holds, said) = run_here(&[Path::new(option), &elsewhere]);
            assert!(holds && said.is_empty(), "{name}: {said}");
        }
    }
    // What lies in the folder of the report is shown, wherever the program is started.
    fs::remove_file(project.join("link.c")).unwrap();
    fs::copy(&secret, project.join("link.c")).unwrap();
    fs::write(&report, text.replace("gemm.c", project.join("link.c").to_str().unwrap())).unwrap();
    assert!(run(&out, &[&report]).status.success());
    assert!(pages(&out).iter().any(|(_, text)| text.contains("the secret")));
}

/// A folder of pages may hold other files, of the same name even.
#[test]
fn pages_are_written_over_pages_alone() {
    let out = folder("over");
    fs::write(out.join("index.html"), "<!DOCTYPE html>\n<html><p>mine</p></html>\n").unwrap();
    let output = run(&out, &[&data("gemm.yaml")]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("index.html is not a page of ipda, and stays as it is"));
    assert!(page(&out, "index.html").contains("mine"));
    fs::write(out.join("index.html"), "").unwrap();
    for _ in 0..2 {
        assert!(run(&out, &[&data("gemm.yaml")]).status.success());
    }
}

#[test]
fn a_source_that_is_not_what_was_compiled_is_reported() {
    let (out, source) = (folder("changed"), folder("changed-source"));
    let compiled = fs::read_to_string(data("built/mvt.c")).expect("it is there");
    let is_reported = |text: &str| {
        fs::write(source.join("mvt.c"), text).expect("it is written");
        assert!(run(&out, &[Path::new("--source"), &source, &data("built/mvt.yaml")]).status.success());
        page(&out, "mvt.c.html").contains("has changed since it was compiled")
    };
    assert!(!is_reported(&compiled));
    assert!(is_reported(&compiled.replace("x1[i] +=", "x1[j] +=")));
}

#[test]
fn a_dependence_is_reported_with_its_distance_and_what_helps() {
    let out = folder("dependence");
    assert!(run(&out, &[&data("built/mvt.yaml")]).status.success());
    let text = page(&out, "mvt.c.html");
    assert!(text.contains("(anti dependence of x1)") && text.contains("i the same iteration, j a later iteration"));
    assert!(text.contains("What helps: if this adds up a value over the inner loop"));
}

#[test]
fn twenty_regions_stay_below_a_megabyte_and_five_hundred_are_written() {
    for (count, limit) in [(20, 1 << 20), (500, 25 << 20)] {
        let out = folder(&format!("regions-{count}"));
        let text = fs::read_to_string(data("gemm.yaml")).expect("it is there");
        let (head, region) = text.split_once("regions:\n").expect("it has regions");
        let mut many = format!("{head}regions:\n");
        for number in 0..count {
            // Each region has lines of its own.
            let moved = region.replace("line: 1", &format!("line: {}1", number + 1));
            many += &moved.replace("function: gemm", &format!("function: gemm_{number}"));
        }
        fs::write(out.join("many.yaml"), many).expect("it is written");
        let pages = out.join("pages");
        assert!(run(&pages, &[&out.join("many.yaml")]).status.success());
        let size = page(&pages, "gemm.c.html").len();
        assert!(size < limit, "{count} regions take {size} bytes");
    }
}

#[test]
fn times_are_drawn_for_the_machines_that_are_named() {
    let out = folder("times");
    let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/predict/gemm.yaml");
    assert!(run(&out, &[&report]).status.success());
    let without = page(&out, "gemm.c.html");
    assert!(without.contains("with --cpu") && !without.contains("devline\" d="));
    let machines = ["--cpu", "epyc-milan", "--link", "pcie4"].map(Path::new);
    assert!(run(&out, &[&machines[..], &[&report]].concat()).status.success());
    let with = page(&out, "gemm.c.html");
    check_nesting("gemm.c.html", &with);
    assert!(with.contains("hostline\" d=\"M") && with.contains("devline\" d=\"M"));
    assert!(with.contains("the device is faster.</b>") && with.contains("PCI Express 4.0"));
    // With all values there is one time for each side.
    let given = ["-D", "n=1000", "-D", "m=1000"].map(Path::new);
    assert!(run(&out, &[&machines[..], &given[..], &[&report]].concat()).status.success());
    let given = page(&out, "gemm.c.html");
    assert!(given.contains("Where the time goes with the given values") && !given.contains("devline\" d="));
    let unknown = run(&out, &[Path::new("--cpu"), Path::new("abacus"), &report]);
    assert!(!unknown.status.success() && String::from_utf8_lossy(&unknown.stderr).contains("abacus"), "{unknown:?}");
}

#[test]
fn a_device_whose_transfers_are_not_all_known_is_not_said_to_be_faster() {
    let out = folder("sizes");
    let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/predict/field.yaml");
    let run = |more: &[&str]| {
        let words: Vec<&Path> = ["--cpu", "epyc-milan"].iter().chain(more).map(Path::new).chain([&*report]).collect();
        assert!(run(&out, &words).status.success());
        page(&out, "field.cpp.html")
    };
    let unknown = run(&[]);
    assert!(unknown.contains("The device is faster without the transfers of A for all these values of rows"));
    assert!(unknown.contains("rows = 4096 without the transfers of A the device is faster"), "{unknown}");
    assert!(unknown.contains("<td>not known</td>") && !unknown.contains("<td>device</td>"));
    let known = run(&["-D", "bytes(A)=1000000"]);
    assert!(!known.contains("without the transfers") && known.contains("<td>device</td>"));
}

#[test]
fn what_reports_and_sources_say_is_never_markup() {
    let (out, source) = (folder("markup"), folder("markup-source"));
    let evil = "</script><script>window.bad=1</script><img src=x onerror='window.bad=2'>\"&";
    let text = fs::read_to_string(data("gemm.yaml")).expect("it is there");
    let quoted = evil.replace('\'', "''");
    let text = text
        .replace("function: gemm", &format!("function: '{quoted}'"))
        .replace("object: A", &format!("object: '{quoted}'"))
        .replace("variable: k", &format!("variable: '{quoted}'"))
        .replace("target: nvptx64-nvidia-cuda", &format!("target: '{quoted}'"))
        .replace("processor: sm_80", &format!("processor: '{quoted}'"));
    fs::write(out.join("evil.yaml"), text).expect("it is written");
    fs::write(source.join("gemm.c"), format!("{evil}\n").repeat(20)).expect("it is written");
    let pages_folder = out.join("pages");
    let output = run(&pages_folder, &[Path::new("--source"), &source, &out.join("evil.yaml")]);
    assert!(output.status.success(), "{output:?}");
    for (name, text) in pages(&pages_folder) {
        check_nesting(&name, &text);
        assert_eq!(text.matches("<script").count(), 1, "{name}");
        assert!(!text.contains("<img"), "{name}");
        assert!(name == "index.html" || text.contains("&lt;script&gt;window.bad=1"), "{name}");
    }
}

#[test]
fn what_cannot_be_read_is_reported_and_hides_nothing() {
    let out = folder("broken");
    let output = run(&out, &[&data("broken.yaml"), &data("gemm.yaml"), &data("version-1.yaml")]);
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().filter(|line| line.starts_with("ipda: ")).count(), 2);
    let index = page(&out, "index.html");
    assert!(index.contains("gemm.c.html") && index.contains("Not read") && index.contains("broken.yaml"));
}

#[test]
fn a_folder_that_cannot_be_made_is_reported() {
    let out = folder("no-folder");
    fs::write(out.join("file"), "").expect("it is written");
    let output = run(&out.join("file/below"), &[&data("gemm.yaml")]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot make the folder"), "{output:?}");
}
