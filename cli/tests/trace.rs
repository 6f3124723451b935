//! `ipda trace` from outside, with a stand-in for the program that it starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held from writing a script to running it: a file that a thread still writes, as a process that another thread starts may see it,
/// cannot be run.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Scene {
    folder: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Scene {
    /// A folder with `ipda` in it, and an empty one to be PATH.
    fn new(name: &str) -> Scene {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("path")).expect("the folder can be made");
        let program = folder.join("ipda");
        fs::hard_link(env!("CARGO_BIN_EXE_ipda"), &program)
            .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_ipda"), &program).map(drop))
            .expect("the program can be linked");
        Scene { folder, _alone: alone }
    }

    /// Puts a script in place of `ipda-trace`.
    fn with(self, path: &str, script: &str) -> Scene {
        let path = self.folder.join(path);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the folder is writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        self
    }

    fn trace(&self, arguments: &[&str]) -> Output {
        Command::new(self.folder.join("ipda"))
            .arg("trace")
            .args(arguments)
            .env("PATH", self.folder.join("path"))
            .output()
            .expect("ipda starts")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn arguments_and_exit_status_go_through() {
    let scene = Scene::new("through").with("ipda-trace", "printf '<%s>' \"$@\"; echo to-stderr >&2; exit 7");
    let output = scene.trace(&["a.bc", "--kernel", "f", "-x", "two words", "", "--", "--help"]);
    assert_eq!(text(&output.stdout), "<a.bc><--kernel><f><-x><two words><><--><--help>");
    assert_eq!((text(&output.stderr), output.status.code()), ("to-stderr\n".into(), Some(7)));
    let output = scene.trace(&["--help"]);
    assert_eq!(text(&output.stdout), "<--help>");
    let output = scene.trace(&["-h"]);
    assert_eq!(text(&output.stdout), "<-h>");
}

#[test]
fn the_program_beside_comes_before_the_one_on_the_path() {
    let scene = Scene::new("beside").with("ipda-trace", "echo beside").with("path/ipda-trace", "echo path");
    let output = scene.trace(&[]);
    assert_eq!((text(&output.stdout), output.status.code()), ("beside\n".into(), Some(0)));
}

#[test]
fn the_program_on_the_path_is_found() {
    let scene = Scene::new("path").with("path/ipda-trace", "echo path $1");
    let output = scene.trace(&["x"]);
    assert_eq!((text(&output.stdout), output.status.code()), ("path x\n".into(), Some(0)));
}

#[test]
fn a_missing_program_is_reported_in_one_sentence() {
    let output = Scene::new("missing").trace(&["a.bc"]);
    let expected = "ipda: the program ipda-trace is neither beside this one nor on PATH: where LLVM 19 is installed, build both \
                    with `cargo build --release -p ipda-executor -p ipda-cli`\n";
    assert_eq!((text(&output.stderr).as_str(), output.status.code()), (expected, Some(1)));
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn a_program_that_cannot_be_started_is_reported() {
    let scene = Scene::new("not-started").with("ipda-trace", "echo no");
    let path = scene.folder.join("ipda-trace");
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).expect("the file is ours");
    let output = scene.trace(&[]);
    let message = text(&output.stderr);
    assert!(message.starts_with("ipda: cannot start ipda-trace: ") && message.lines().count() == 1, "{message}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_program_that_crashes_is_reported_in_one_sentence() {
    let scene = Scene::new("crash").with("ipda-trace", "kill -SEGV $$");
    let output = scene.trace(&["a.bc"]);
    let expected = "ipda: ipda-trace was ended by signal 11 before it was done\n";
    assert_eq!((text(&output.stderr).as_str(), output.status.code()), (expected, Some(1)));
}
