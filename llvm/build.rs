//! Compiles the C++ shim against the LLVM that the plugin will be loaded into.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let prefix = PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    let config = prefix.join("bin/llvm-config");
    let include = Command::new(&config).arg("--includedir").output().unwrap_or_else(|error| {
        panic!("{}: {error}; install llvm-19-dev, or set LLVM_SYS_191_PREFIX to where LLVM 19 is", config.display())
    });
    let include = String::from_utf8(include.stdout).expect("llvm-config prints a path");
    cc::Build::new()
        .cpp(true)
        .files([
            "shim/apart.cpp",
            "shim/copy.cpp",
            "shim/cost.cpp",
            "shim/machine_code.cpp",
            "shim/marks.cpp",
            "shim/once.cpp",
            "shim/shim.cpp",
        ])
        // System headers: LLVM's own warnings are not ours.
        .flag("-isystem")
        .flag(include.trim())
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag("-fvisibility-inlines-hidden")
        .define("NDEBUG", None)
        .opt_level(2)
        .warnings(true)
        .compile("ipda_shim");
}
