//! Compiles what launches have in common, for each kind of host.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Targets of hosts whose launches can decide, by their architecture: `decision/support.rs` has the same ones.
const HOSTS: [&str; 3] = ["x86_64", "aarch64", "powerpc64le"];

fn main() {
    println!("cargo:rerun-if-changed=support");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let prefix = PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    HOSTS.iter().for_each(|host| compile_support(&prefix.join("bin"), host));
}

/// Makes `support-HOST.bc` of `support/decide.c`: optimised, without what would have to agree with the module that it is linked into.
fn compile_support(tools: &Path, host: &str) {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let text = out.join(format!("support-{host}.ll"));
    run(Command::new(tools.join("clang"))
        .arg(format!("--target={host}-unknown-linux-gnu"))
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-emit-llvm", "-S"])
        // No library's headers, and no library's functions in the place of loops.
        .args(["-ffreestanding", "-nostdlibinc"])
        // For objects of any kind, with numbers that are the same everywhere.
        .args(["-fPIC", "-fvisibility=hidden", "-ffp-contract=off"])
        .args(["-fno-asynchronous-unwind-tables", "-fno-stack-protector"])
        // The same wherever it is built.
        .args(["--no-default-config", "-mno-outline-atomics"].into_iter().take(if host == "aarch64" { 2 } else { 1 }))
        .arg("support/decide.c")
        .arg("-o")
        .arg(&text));
    let made = std::fs::read_to_string(&text).expect("clang wrote it");
    let of_module = |line: &&str| !line.starts_with("!llvm.module.flags") && !line.starts_with("!llvm.ident");
    let kept: Vec<&str> = made.lines().filter(of_module).collect();
    std::fs::write(&text, kept.join("\n") + "\n").expect("clang wrote it just now");
    let bitcode = out.join(format!("support-{host}.bc"));
    run(Command::new(tools.join("llvm-as")).arg(&text).arg("-o").arg(bitcode));
}

fn run(command: &mut Command) {
    let status = command.status();
    let is_done = status.as_ref().is_ok_and(|status| status.success());
    assert!(
        is_done,
        "{command:?}: {status:?}; install clang-19 and llvm-19, or set LLVM_SYS_191_PREFIX to where LLVM 19 is"
    );
}
