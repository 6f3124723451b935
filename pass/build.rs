//! Compiles what launches have in common, for each kind of host, to text for the assembler of the modules that it comes into: nobody compiles it
//! again. `decision/support.rs` says what becomes of it.

#[path = "../models/src/hash.rs"]
mod hash;
#[path = "build/packed.rs"]
mod packed;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Targets of hosts whose launches can decide, by their architecture, with what lets their code stand beside code that is compiled in any way.
/// `decision/support.rs` has the same ones.
const HOSTS: [(&str, &[&str]); 3] = [
    ("x86_64", &["-fcf-protection=branch"]),
    (
        "aarch64",
        &["-mno-outline-atomics", "-mno-outline", "-mno-global-merge", "-mbranch-protection=bti", "-ffixed-x18"],
    ),
    ("powerpc64le", &[]),
];

/// Begins the names of all that is defined here, but for the library's.
const PREFIX: &str = "__ipda_";
const LIBRARY: &str = "__ipda_rt_";

fn main() {
    println!("cargo:rerun-if-changed=support");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=../models/src/hash.rs");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let prefix = PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    let tools = prefix.join("bin");
    for (host, flags) in HOSTS {
        let made = compiled(&tools, host, "-S", flags);
        // Whichever syntax the module's own code is written in.
        let syntax = if host == "x86_64" { ".att_syntax\n" } else { "" };
        let (text, version) = shared(&made, syntax);
        check(&tools, host, &text, &version);
        let text = match host {
            "x86_64" => packed::packed(&tools, host, &text, &version),
            // Their relocations say less than their text: of POWER's functions two places are entered, and of ARM's, tools tell code from numbers.
            _ => text,
        };
        write(&format!("support-{host}.s"), &text);
        write(&format!("support-{host}.version"), &version);
    }
    // The type of regions, which is the same on all of them.
    let made = compiled(&tools, HOSTS[0].0, "-S", &["-emit-llvm", "-DIPDA_LAYOUT"]);
    let region = made.lines().find_map(|line| line.strip_prefix("%struct.ipda_region = type { ")?.strip_suffix(" }"));
    write("region.types", region.expect("the header has it"));
}

fn out(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")).join(name)
}

fn write(name: &str, text: &str) {
    std::fs::write(out(name), text).expect("cargo's folder can be written to");
}

/// What clang makes of `support/decide.c`, without what would have to agree with the module that it comes into.
fn compiled(tools: &Path, host: &str, kind: &str, flags: &[&str]) -> String {
    let text = out("support.text");
    run(Command::new(tools.join("clang"))
        .env_remove("CCC_OVERRIDE_OPTIONS")
        .env_remove("CPATH")
        .env_remove("C_INCLUDE_PATH")
        .arg(format!("--target={host}-unknown-linux-gnu"))
        .args(["-std=c11", "-Oz", "-Wall", "-Wextra", "-Werror", kind])
        // No library's headers, and no library's functions in the place of loops.
        .args(["-ffreestanding", "-nostdlibinc"])
        // For objects of any kind, with numbers that are the same everywhere.
        .args(["-fPIC", "-fvisibility=hidden", "-ffp-contract=off"])
        .args(["-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fno-ident", "-fno-verbose-asm"])
        // The same wherever it is built.
        .arg("--no-default-config")
        .args(flags)
        .arg("support/decide.c")
        .arg("-o")
        .arg(&text));
    std::fs::read_to_string(&text).expect("clang wrote it")
}

/// Lets a program have one of all that a text defines, however many of its objects bring it, by names that tell versions apart; and the version.
fn shared(made: &str, syntax: &str) -> (String, String) {
    let mut is_kept = true;
    let lines: Vec<String> = made.lines().filter_map(|line| line_of(line, &mut is_kept)).collect();
    let body = with_own_names(&lines.join("\n"));
    let version = format!(".{:016x}", hash::fnv1a(body.as_bytes()));
    let body = versioned(&body, &version).replace(".Lipda_", &format!(".Lipda{version}_"));
    // A linker that optimises puts the texts of several modules behind one another. What says whether there is one already is no symbol that it could
    // drop from a text.
    let is_there = format!(".Lipda{version}");
    let text =
        format!(".ifndef {is_there}\n.set {is_there}, 1\n.pushsection .text\n{syntax}{body}\n.popsection\n.endif\n");
    (text, version)
}

/// With the names of functions that no header has beginning as all others: a program may have its own of the same name, which the text must neither meet
/// nor take the place of.
fn with_own_names(body: &str) -> String {
    let is_foreign = |name: &&str| !name.starts_with(['.', '#']) && !name.starts_with(PREFIX);
    let names: Vec<&str> = body.lines().filter_map(|line| line.strip_suffix(':')).filter(is_foreign).collect();
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    let renamed = |line: &str| {
        // What an instruction does is no name, and neither is a word of a text.
        let words =
            if line.starts_with(char::is_whitespace) { line.trim_start().find(char::is_whitespace) } else { Some(0) };
        let is_text = [".ascii", ".asciz", ".string"].iter().any(|text| line.trim_start().starts_with(text));
        let Some(words) = words.filter(|_| !is_text) else { return line.to_owned() };
        let (kept, mut rest) = line.split_at(line.len() - line.trim_start().len() + words);
        let mut text = kept.to_owned();
        while !rest.is_empty() {
            let end = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            text.extend(names.contains(&name).then_some(PREFIX));
            text.push_str(name);
            let next = behind.find(in_name).unwrap_or(behind.len());
            text.push_str(&behind[..next]);
            rest = &behind[next..];
        }
        text
    };
    body.lines().map(renamed).collect::<Vec<_>>().join("\n")
}

/// A line as it comes into a module: a linker keeps all sections or drops all, and local names are no other code's. None of what is for people, or
/// what a module says itself, such as the sections of notes.
fn line_of(line: &str, is_kept: &mut bool) -> Option<String> {
    let word = line.split_whitespace().next().unwrap_or_default();
    if let Some((name, flags, rest)) = section(line) {
        *is_kept = !name.contains(".note.");
        // An entry of POWER's table of addresses is every object's own.
        if name == ".toc" {
            return Some(line.to_owned());
        }
        assert!(!flags.contains(['G', 'o']), "a section that is of a group already: {line}");
        // What would be merged with other objects' is dropped with the group anyway.
        let (name, flags, rest) = if flags.contains('M') { (".rodata", "a", "@progbits") } else { (name, flags, rest) };
        let name = name.trim_end_matches('.');
        let own = format!("\t.section\t{name}.__ipda,\"{flags}G\",{rest},__ipda_decide,comdat");
        return is_kept.then_some(own);
    }
    // Sizes are computed from names, which a linker that optimises may take away.
    let left_out = [".file", ".ident", ".addrsig", ".addrsig_sym", ".abiversion", ".machine", ".size"];
    if !*is_kept || word.is_empty() || word.starts_with(['#', '/']) || left_out.contains(&word) {
        return None;
    }
    let is_outside = [".comm", ".lcomm", ".local", ".section", ".loc"].contains(&word) || word.starts_with(".cfi_");
    assert!(!is_outside, "what is not of the group of sections: {line}");
    match word {
        ".ascii" | ".asciz" | ".string" => Some(line.to_owned()),
        _ => Some(line.replace(".L", ".Lipda_").replace(".globl", ".weak")),
    }
}

/// The name of the section that a line switches to, its flags, and what is behind them.
fn section(line: &str) -> Option<(&str, &str, &str)> {
    let line = line.trim();
    match line {
        ".text" => return Some((".text", "ax", "@progbits")),
        ".data" => return Some((".data", "aw", "@progbits")),
        ".bss" => return Some((".bss", "aw", "@nobits")),
        _ => {}
    }
    let (name, rest) = line.strip_prefix(".section")?.trim_start().split_once(',')?;
    let (flags, rest) = rest.strip_prefix('"')?.split_once("\",")?;
    Some((name.trim_matches('"'), flags, rest))
}

/// Lets an assembler read a text twice in one module, as it is and as it comes out of a linker that takes names from another object.
fn check(tools: &Path, host: &str, text: &str, version: &str) {
    let labels = text.lines().filter_map(|line| line.strip_suffix(':')).filter(|label| !label.starts_with('.'));
    for label in text.lines().filter_map(|line| line.strip_suffix(':')) {
        let is_own = label.starts_with(PREFIX) && label.ends_with(version) || label.starts_with(".L");
        assert!(is_own, "a program may have another `{label}`");
    }
    let discarded = format!(".lto_discard {}\n{text}{text}", labels.collect::<Vec<_>>().join(", "));
    for (nth, text) in [format!("{text}{text}"), discarded].iter().enumerate() {
        assembled(tools, host, text);
        assert!(nth > 0 || text.contains(&format!("__ipda_decide{version}:")), "the text defines what it should");
    }
}

/// The object that an assembler makes of a text.
fn assembled(tools: &Path, host: &str, text: &str) -> Vec<u8> {
    write("check.s", text);
    let mut assembler = Command::new(tools.join("llvm-mc"));
    run(assembler
        .arg(format!("--triple={host}-unknown-linux-gnu"))
        .args(["--filetype=obj", "-o"])
        .arg(out("check.o"))
        .arg(out("check.s")));
    std::fs::read(out("check.o")).expect("llvm-mc wrote it")
}

fn versioned(body: &str, version: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some(at) = rest.find(PREFIX) {
        let (before, name) = rest.split_at(at);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let (name, behind) = name.split_at(end);
        let version = if name.starts_with(LIBRARY) { "" } else { version };
        text.extend([before, name, version]);
        rest = behind;
    }
    text + rest
}

fn run(command: &mut Command) {
    let status = command.status();
    let is_done = status.as_ref().is_ok_and(|status| status.success());
    assert!(
        is_done,
        "{command:?}: {status:?}; install clang-19 and llvm-19, or set LLVM_SYS_191_PREFIX to where LLVM 19 is"
    );
}
