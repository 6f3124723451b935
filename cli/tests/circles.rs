//! The files of each crate use each other in one direction: none reaches itself.
//!
//! A file uses another where it names something that is defined there; a name that a third file hands on (`pub use`) leads to where it is
//! defined. Unit tests may name anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

const CRATES: [&str; 9] = ["symbolic", "hwdb", "measure", "models", "llvm", "pass", "executor", "rt", "cli"];

/// A path of names, from the crate's root.
type Names = Vec<String>;

/// A module that is a file.
struct Module {
    /// Without comments and unit tests.
    text: String,
    /// What its `use` declarations bring: the name here, and the path that it stands for.
    uses: BTreeMap<String, Names>,
}

/// The modules of a crate by their paths; that of the root is empty.
struct Crate(BTreeMap<Names, Module>);

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Module {
    /// Whether an item by this name is defined here: it hides what `use` brings as something else, as a function does a module.
    fn defines(&self, name: &str) -> bool {
        const ITEMS: [&str; 7] = ["const", "enum", "fn", "static", "struct", "trait", "type"];
        let is_own = |line: &str| {
            let words: Vec<&str> = line.split(|c| !is_of_name(c)).filter(|word| !word.is_empty()).collect();
            words.windows(2).any(|pair| ITEMS.contains(&pair[0]) && pair[1] == name)
        };
        without_uses(&self.text).lines().filter(|line| !line.starts_with(' ')).any(is_own)
    }
}

impl Crate {
    fn read(folder: &Path) -> Crate {
        let mut modules = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(at) = folders.pop() {
            for entry in fs::read_dir(&at).expect("a folder of sources").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    let below = path.strip_prefix(folder).expect("it is below").with_extension("");
                    let mut names: Names =
                        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
                    if names.last().is_some_and(|last| ["mod", "lib", "main"].contains(&&last[..])) {
                        names.pop();
                    }
                    let text = code(&fs::read_to_string(&path).expect("a source"));
                    modules.insert(names, Module { text, uses: BTreeMap::new() });
                }
            }
        }
        let mut all = Crate(modules);
        for names in all.0.keys().cloned().collect::<Vec<_>>() {
            let uses = all.uses_of(&names);
            all.0.get_mut(&names).expect("it is there").uses = uses;
        }
        all
    }

    /// What a module's `use` declarations name of this crate.
    fn uses_of(&self, module: &Names) -> BTreeMap<String, Names> {
        let mut found = BTreeMap::new();
        let text = &self.0[module].text;
        for (at, _) in text.match_indices("use ") {
            if text[..at].ends_with(is_of_name) {
                continue;
            }
            let tree = text[at + 4..].split(';').next().unwrap_or_default();
            for path in leaves(tree) {
                let (path, own) = path.split_once(" as ").unwrap_or((&path, ""));
                let names: Names = path.split("::").map(|name| name.trim().to_owned()).collect();
                let own = match own.trim() {
                    // All names of a module stand for themselves, and for no other module's.
                    "" if path.ends_with("::*") => path.to_owned(),
                    "" => names[names.len() - 1].clone(),
                    own => own.to_owned(),
                };
                if let Some(names) = self.absolute(module, &names) {
                    found.insert(own, names);
                }
            }
        }
        found
    }

    /// A path as it is written in a module, from the root; none where it leads out of the crate.
    fn absolute(&self, module: &Names, path: &[String]) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let up = module[..module.len().saturating_sub(1)].to_vec();
        let base = match &first[..] {
            "crate" => Vec::new(),
            "self" => module.clone(),
            "super" if rest.first().is_some_and(|next| next == "super") => return self.absolute(&up, rest),
            "super" => up,
            name => {
                let child = [&module[..], &[name.to_owned()]].concat();
                let child = self.0.contains_key(&child).then_some(child);
                child.or_else(|| self.0[module].uses.get(name).cloned())?
            }
        };
        Some(base.into_iter().chain(rest.iter().cloned()).collect())
    }

    /// The module in which what a path names is defined.
    fn definer(&self, path: &Names, hops: usize) -> Names {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length])).expect("the root");
        let module = path[..length].to_vec();
        let handed_on = path.get(length).filter(|name| !self.0[&module].defines(name));
        match handed_on.and_then(|name| self.0[&module].uses.get(name)) {
            Some(onward) if hops > 0 => {
                let onward: Names = onward.iter().chain(&path[length + 1..]).cloned().collect();
                self.definer(&onward, hops - 1)
            }
            _ => module,
        }
    }

    /// The modules that a module uses.
    fn used_by(&self, module: &Names) -> BTreeSet<Names> {
        /// Names that are handed on so often are handed on in a circle.
        const MAX_HOPS: usize = 8;
        let Module { text, uses } = &self.0[module];
        let mut paths: Vec<Names> = Vec::new();
        let is_handed_on = |own: &str| {
            let brings = |line: &str| line.contains(own) && line.split(|c| !is_of_name(c)).any(|word| word == own);
            text.split(';').any(|part| part.trim_start().starts_with("pub use ") && brings(part))
        };
        for (own, path) in uses {
            // A module that is brought is used where something in it is named.
            if !self.0.contains_key(path) && !is_handed_on(own) {
                paths.push(path.clone());
            }
        }
        let text = without_uses(text);
        let mut rest = &text[..];
        while let Some(at) = rest.find(is_of_name) {
            let start = &rest[at..];
            let is_continued = rest[..at].ends_with("::");
            let end = start.find(|c| !is_of_name(c) && c != ':').unwrap_or(start.len());
            let path: Names = start[..end].trim_end_matches(':').split("::").map(str::to_owned).collect();
            rest = &start[end..];
            if path.len() > 1 && !is_continued {
                paths.extend(self.absolute(module, &path));
            }
        }
        let is_module = |path: &Names| self.0.contains_key(path);
        let found = paths.iter().filter(|path| !is_module(path)).map(|path| self.definer(path, MAX_HOPS));
        found.filter(|used| used != module).collect()
    }

    /// Modules of which each reaches itself by way of the others.
    fn circles(&self) -> Vec<Vec<String>> {
        let mut graph = DiGraph::<&Names, ()>::new();
        let nodes: BTreeMap<&Names, _> = self.0.keys().map(|names| (names, graph.add_node(names))).collect();
        for (module, node) in &nodes {
            for used in self.used_by(module) {
                graph.add_edge(*node, nodes[&used], ());
            }
        }
        let name = |node: NodeIndex| format!("crate::{}", graph[node].join("::"));
        let several = tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1);
        let mut circles: Vec<Vec<String>> = several.map(|all| all.into_iter().map(name).collect()).collect();
        circles.iter_mut().for_each(|circle| circle.sort());
        circles.sort();
        circles
    }
}

/// A source without comments, and without its unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Without `use` declarations, whose names count where they are used.
fn without_uses(text: &str) -> String {
    let mut is_use = false;
    let mut kept = String::new();
    for line in text.lines() {
        is_use |=
            ["use ", "pub use ", "pub(crate) use ", "pub(super) use "].iter().any(|start| line.starts_with(start));
        if !is_use {
            kept += line;
            kept.push('\n');
        }
        is_use &= !line.contains(';');
    }
    kept
}

/// The paths of a tree such as `a::{b, c::{d, self}}`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((before, inner)) = tree.split_once('{') else {
        let path = tree.trim().trim_end_matches("::self");
        return if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
    };
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let part = inner[start..at].trim();
                if !part.is_empty() {
                    found.extend(leaves(&format!("{}{part}", before.trim_start())));
                }
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

fn source_of(name: &str) -> Crate {
    Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src"))
}

#[test]
fn no_file_reaches_itself() {
    let files = source_of("cli");
    let uses = |from: &[&str]| files.used_by(&from.iter().map(|name| (*name).to_owned()).collect());
    let named = |path: &[&str]| path.iter().map(|name| (*name).to_owned()).collect::<Names>();
    assert!(uses(&["report"]).contains(&named(&["select", "totals"])), "{:?}", uses(&["report"]));
    for name in CRATES {
        let circles = source_of(name).circles();
        assert!(circles.is_empty(), "files in circles of {name}: {circles:#?}");
    }
}

#[test]
fn trees_have_leaves() {
    assert_eq!(
        leaves("crate::a::{b, c::{d, self}, e as f}"),
        ["crate::a::b", "crate::a::c::d", "crate::a::c", "crate::a::e as f"]
    );
    assert_eq!(leaves("super::x"), ["super::x"]);
}
