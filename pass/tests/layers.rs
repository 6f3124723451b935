//! The plugin's modules use each other in one direction, as the table in ARCHITECTURE.md says.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The sources in a folder and below, by their paths from there.
fn files_in(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).expect("a folder of sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(folder).expect("it is below").to_owned();
                files.push((name, fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    files
}

/// The layer that a file is in; none for what stands above all layers.
fn layer_of(file: &Path) -> Option<String> {
    let first = file.components().next()?.as_os_str().to_str()?;
    Some(first.strip_suffix(".rs").unwrap_or(first).to_owned()).filter(|layer| layer != "lib")
}

/// What follows `prefix` in a text, each up to the first character that no name has, and in braces each name.
fn named_after<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let first_name = |rest: &'a str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let in_text = text.split(prefix).skip(1);
    let names = in_text.flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => {
            let mut depth = 0_i32;
            let end = list.find(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth < 0
            });
            let mut outside = 0_i32;
            let parts = list[..end.unwrap_or(list.len())].split(move |c| {
                outside += i32::from(c == '{') - i32::from(c == '}');
                c == ',' && outside == 0
            });
            parts.map(|part| first_name(part.trim_start())).collect::<Vec<_>>()
        }
        None => vec![first_name(rest)],
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// By layer those that it uses.
fn uses(files: &[(PathBuf, String)], prefix: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, text) in files {
        let Some(layer) = layer_of(file) else { continue };
        let used = uses.entry(layer.clone()).or_default();
        used.extend(named_after(text, prefix).into_iter().filter(|name| *name != layer).map(str::to_owned));
    }
    uses
}

/// The rows of the table in ARCHITECTURE.md: by layer those that it may use.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(source().join("../../ARCHITECTURE.md")).expect("it lies at the workspace's root");
    let rows = text.split("| layer of `pass` |").nth(1).expect("ARCHITECTURE.md has the table of layers");
    let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<String>>();
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        (quoted(cells[1]).into_iter().next().expect("a layer's name"), quoted(cells[3]))
    })
    .collect()
}

/// The first layer, by name, that reaches itself.
fn circle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let mut graph = DiGraph::<&str, ()>::new();
    let names: BTreeSet<&str> =
        uses.iter().flat_map(|(layer, used)| used.iter().chain([layer])).map(|name| &**name).collect();
    let nodes: BTreeMap<&str, NodeIndex> = names.into_iter().map(|name| (name, graph.add_node(name))).collect();
    for (layer, used) in uses {
        used.iter().for_each(|used| _ = graph.add_edge(nodes[&**layer], nodes[&**used], ()));
    }
    let circles = tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1);
    circles.flatten().map(|node| graph[node].to_owned()).min()
}

#[test]
fn layers_use_what_the_architecture_says() {
    let (uses, allowed) = (uses(&files_in(&source()), "crate::"), allowed());
    assert_eq!(uses, allowed, "left: what layers use; right: what ARCHITECTURE.md says that they use");
    assert_eq!(circle(&allowed), None, "this layer reaches itself");
}

#[test]
fn analysis_is_in_one_direction() {
    let uses = uses(&files_in(&source().join("analysis")), "crate::analysis::");
    assert!(uses["dependences"].contains("region"), "the paths are written otherwise: {uses:?}");
    assert_eq!(circle(&uses), None, "this part of the analysis reaches itself");
}

#[test]
fn uses_are_read_as_they_are_written() {
    assert_eq!(
        named_after("use crate::a::b; crate::c::d(); use crate::{e::{f, g}, h};", "crate::"),
        ["a", "c", "e", "h"]
    );
    let uses = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(from, to)| ((*from).to_owned(), BTreeSet::from([(*to).to_owned()]))).collect()
    };
    assert_eq!(circle(&uses(&[("a", "b"), ("b", "c")])), None);
    assert_eq!(circle(&uses(&[("a", "b"), ("b", "c"), ("c", "b")])), Some("b".into()));
}
