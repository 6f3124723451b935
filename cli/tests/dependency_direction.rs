//! The workspace's crates depend on each other in one direction, only the view of LLVM, the plugin and the executor know LLVM, and ARCHITECTURE.md
//! names every crate.
//!
//! `deny.toml` says the same of LLVM for cargo-deny; this check needs nothing but cargo, and no package that the crates
//! under test do not use, so it also runs on a machine without LLVM.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// Each crate with those of the workspace that it may depend on, for its tests and build scripts too.
const MAY_DEPEND_ON: [(&str, &[&str]); 9] = [
    ("ipda-symbolic", &[]),
    ("ipda-hwdb", &[]),
    ("ipda-measure", &["ipda-hwdb"]),
    ("ipda-models", &["ipda-symbolic", "ipda-hwdb"]),
    ("ipda-rt", &["ipda-hwdb", "ipda-measure", "ipda-models"]),
    ("ipda-llvm", &["ipda-symbolic", "ipda-models"]),
    ("ipda", &["ipda-symbolic", "ipda-hwdb", "ipda-models", "ipda-llvm"]),
    ("ipda-executor", &["ipda-symbolic", "ipda-hwdb", "ipda-models", "ipda-llvm", "ipda"]),
    ("ipda-cli", &["ipda-symbolic", "ipda-hwdb", "ipda-measure", "ipda-models"]),
];

/// The crates that may reach LLVM.
const KNOW_LLVM: [&str; 3] = ["ipda-llvm", "ipda", "ipda-executor"];
/// The packages that link LLVM.
const LLVM: [&str; 2] = ["inkwell", "llvm-sys"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
}

/// The workspace's packages and what they state as dependencies.
fn metadata() -> Metadata {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs, since it runs this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // JSON is YAML.
    serde_yaml::from_slice(&output.stdout).expect("cargo's format version 1")
}

/// The dependencies of every package of Cargo.lock by name, of all versions, platforms and features together.
fn locked(workspace_root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let lock = std::fs::read_to_string(workspace_root.join("Cargo.lock")).expect("Cargo.lock is checked in");
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let name = block.lines().find_map(|line| line.strip_prefix("name = ")).expect("packages have names");
        let dependencies = block.split_once("dependencies = [").and_then(|(_, rest)| rest.split_once(']'));
        let names = dependencies.map(|(list, _)| list).unwrap_or_default().lines().filter_map(|line| {
            // `"name",` or, where there are several versions, `"name 1.2.3",`.
            line.trim().trim_matches(['"', ',']).split(' ').next().filter(|name| !name.is_empty()).map(str::to_owned)
        });
        packages.entry(name.trim_matches('"').to_owned()).or_default().extend(names);
    }
    packages
}

/// All packages that `start` needs, itself among them.
fn reached(start: &str, packages: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![start.to_owned()];
    while let Some(name) = pending.pop() {
        if seen.insert(name.clone()) {
            pending.extend(packages.get(&name).into_iter().flatten().cloned());
        }
    }
    seen
}

#[test]
fn crates_depend_in_one_direction() {
    let allowed = BTreeMap::from(MAY_DEPEND_ON);
    let metadata = metadata();
    let members: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    for package in &metadata.packages {
        let allowed = allowed
            .get(package.name.as_str())
            .unwrap_or_else(|| panic!("say in MAY_DEPEND_ON what the crate {} may depend on", package.name));
        for dependency in package.dependencies.iter().filter(|dependency| members.contains(dependency.name.as_str())) {
            assert!(
                allowed.contains(&dependency.name.as_str()),
                "{} must not depend on {}: it may depend on {allowed:?}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn only_those_that_may_reach_llvm() {
    let metadata = metadata();
    let packages = locked(&metadata.workspace_root);
    for package in &metadata.packages {
        let reached = reached(&package.name, &packages);
        let reaches_llvm = LLVM.iter().any(|llvm| reached.contains(*llvm));
        // Equality also shows that the walk finds what is there.
        assert_eq!(
            reaches_llvm,
            KNOW_LLVM.contains(&package.name.as_str()),
            "whether {} reaches {LLVM:?} and whether it may",
            package.name
        );
    }
}

#[test]
fn the_architecture_names_every_crate() {
    let metadata = metadata();
    let map = std::fs::read_to_string(metadata.workspace_root.join("ARCHITECTURE.md"))
        .expect("ARCHITECTURE.md lies at the root of the workspace");
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().and_then(Path::file_name).expect("a crate lies in a folder");
        let folder = format!("{}/", folder.to_string_lossy());
        assert!(map.contains(&folder), "ARCHITECTURE.md does not name `{folder}`");
    }
}
