//! The documentation as a book: every page is in it once, and no link within it or into it is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text_of(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The text of a page, with what mdBook puts in for `{{#include FILE}}`.
fn page(file: &str) -> String {
    let text = text_of(file);
    match text.trim().strip_prefix("{{#include ../").and_then(|rest| rest.strip_suffix("}}")) {
        Some(included) => text_of(included),
        None => text,
    }
}

/// Without blocks of code, and without code between words, in which no links are.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block && !line.starts_with("    ") {
            // What stands between backticks is every second part.
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// What links lead to.
fn links(text: &str) -> Vec<String> {
    prose(text).split("](").skip(1).filter_map(|rest| rest.split(')').next().map(str::to_owned)).collect()
}

/// The anchors of a page's headings, as mdBook and others make them: small letters, `-` for spaces, a number behind what comes again.
fn anchors(text: &str) -> Vec<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        in_block ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        if in_block || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
        let again = seen.entry(anchor.clone()).and_modify(|count| *count += 1).or_default();
        found.push(if *again == 0 { anchor } else { format!("{anchor}-{again}") });
    }
    found
}

/// Pages by their paths in `docs`: the user's, and in a folder of their own those about what was found.
fn pages() -> BTreeSet<String> {
    let in_folder = |folder: &'static str| {
        let entries = fs::read_dir(root().join("docs").join(folder)).expect("the folder").flatten();
        entries.map(move |entry| format!("{folder}{}", entry.file_name().to_string_lossy()))
    };
    let names = in_folder("").chain(in_folder("research/"));
    names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect()
}

/// A path without `..`.
fn straight(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.to_str().expect("letters").split('/') {
        match part {
            ".." if !parts.is_empty() => _ = parts.pop(),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn every_page_is_in_the_book_once() {
    let mut listed = links(&text_of("docs/SUMMARY.md"));
    listed.sort();
    assert_eq!(listed, pages().into_iter().collect::<Vec<_>>(), "docs/SUMMARY.md lists other pages than there are");
}

#[test]
fn no_link_is_broken() {
    let in_book = pages();
    let mut broken = Vec::new();
    let outside = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md", "CHANGELOG.md"];
    let files = in_book.iter().map(|name| format!("docs/{name}")).chain(outside.map(str::to_owned));
    for file in files {
        let text = page(&file);
        let folder = Path::new(&file).parent().expect("a folder");
        for link in links(&text) {
            if link.starts_with("https://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { file.clone() } else { straight(&folder.join(path)) };
            let is_in_book = target.strip_prefix("docs/").is_some_and(|page| in_book.contains(page));
            // The book copies pictures.
            let leaves = file.starts_with("docs/") && !is_in_book && !target.ends_with(".svg");
            let is_there = root().join(&target).is_file();
            let is_anchored =
                anchor.is_empty() || (is_there && anchors(&page(&target)).iter().any(|known| known == anchor));
            if leaves || !is_there || !is_anchored {
                broken.push(format!("{file}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "broken, or out of the book: {broken:#?}");
}

/// The words between quotation marks that look like a remark's name.
fn names_in(file: &str) -> Vec<String> {
    let text = text_of(file);
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_name = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && word.chars().all(|c| c.is_ascii_alphanumeric())
            && word.chars().any(|c| c.is_ascii_lowercase())
    };
    code.split('"').skip(1).step_by(2).filter(is_name).map(str::to_owned).collect()
}

#[test]
fn what_the_compiler_prints_has_its_place() {
    let found = anchors(&text_of("docs/remarks.md"));
    let sources = [
        "common/reject.rs",
        "output/emit/mod.rs",
        "output/emit/words.rs",
        "output/nests.rs",
        "decision/eligibility.rs",
    ];
    let names: Vec<String> = sources.iter().flat_map(|file| names_in(&format!("pass/src/{file}"))).collect();
    assert!(names.len() > 40, "the names are elsewhere: {names:?}");
    let missing: Vec<&String> = names.iter().filter(|name| !found.contains(&name.to_ascii_lowercase())).collect();
    assert!(missing.is_empty(), "docs/remarks.md does not explain {missing:?}");
}

#[test]
fn each_kind_of_obstacle_is_in_the_book() {
    let source = text_of("models/src/report/obstacle.rs");
    let kinds = source.split("pub enum ObstacleKind {").nth(1).and_then(|rest| rest.split("\n}").next());
    let kinds = kinds.expect("the list of kinds");
    let names = kinds.lines().map(str::trim).filter_map(|line| line.strip_suffix(','));
    let text = text_of("docs/remarks.md");
    let mut count = 0;
    for name in names {
        let mut kebab = String::new();
        for c in name.chars() {
            if c.is_ascii_uppercase() && !kebab.is_empty() {
                kebab.push('-');
            }
            kebab.push(c.to_ascii_lowercase());
        }
        assert!(text.contains(&format!("`{kebab}`")), "docs/remarks.md does not name {kebab}");
        count += 1;
    }
    assert!(count > 30, "the kinds are elsewhere");
}

#[test]
fn names_of_remarks_are_anchors_in_small_letters() {
    let found = anchors(&text_of("docs/remarks.md"));
    for name in ["unknowncall", "collapsed", "class-data-dependent", "what-was-not-understood"] {
        assert!(found.iter().any(|anchor| anchor == name), "{name} is not among {found:?}");
    }
    let mut unique = found.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), found.len(), "a name stands twice, so that its anchor has a number: {found:?}");
}

#[test]
fn the_user_s_part_stays_short() {
    const MAX_WORDS: usize = 20_000;
    let pages =
        pages().into_iter().filter(|page| !page.contains("research/")).map(|page| text_of(&format!("docs/{page}")));
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words: usize =
        pages.chain([text_of("README.md")]).map(|text| text.split_whitespace().filter(is_word).count()).sum();
    assert!(words > MAX_WORDS / 2, "only {words} words were found");
    assert!(
        words <= MAX_WORDS,
        "README and docs have {words} words without docs/research: {MAX_WORDS} are enough for a user"
    );
}

/// The sources of a crate's folder, in one text.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => text += &sources(&path),
            false if path.extension().is_some_and(|end| end == "rs") => {
                text += &format!("mod {};\n", path.file_stem().unwrap_or_default().to_string_lossy());
                text += &fs::read_to_string(&path).unwrap_or_default();
            }
            false => {}
        }
    }
    text
}

#[test]
fn the_glossary_names_code_that_is_there() {
    let crates = ["symbolic", "hwdb", "measure", "models", "llvm", "pass", "executor", "rt", "cli"];
    let code: String = crates.map(|name| sources(&root().join(name).join("src"))).concat();
    let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let glossary = text_of("GLOSSARY.md");
    let rows = glossary.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |"));
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_end_matches('|').split('|').collect();
        let cell = cells[cells.len() - 1];
        for name in cell.split('`').skip(1).step_by(2) {
            let last = name.rsplit("::").next().unwrap_or_default();
            assert!(words.contains(last) || crates.contains(&last), "there is no `{name}` any more: {row}");
            count += 1;
        }
    }
    assert!(count > 50, "only {count} names were found");
}
