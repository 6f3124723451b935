//! Generated kernels, changed at random: the analysis of what LLVM still accepts ends without a fault. How long it may take is libFuzzer's
//! `-timeout` to say.
//!
//! The first byte of the input chooses a kernel; each four after it make one change in the text of its IR.

#![no_main]

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use ipda_executor::generate::{Generated, PRELUDE};
use ipda_executor::load;
use ipda_executor::oracle::{Stage, compile};
use libfuzzer_sys::fuzz_target;
use llvm_sys::support::LLVMParseCommandLineOptions;
use std::hint::black_box;
use std::sync::{LazyLock, Once};

/// How many kernels there are to start from.
const KERNELS: u64 = 32;
/// So many changes are made at most: after many, LLVM accepts nothing.
const MAX_CHANGES: usize = 16;

/// Words of which one may stand for another.
const WORDS: [&[&str]; 6] = [
    &["add", "sub", "mul", "shl", "and", "or", "xor", "sdiv", "udiv", "srem", "urem", "lshr", "ashr"],
    &["sext", "zext"],
    &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"],
    &["nsw", "nuw", ""],
    &["inbounds", ""],
    &["true", "false"],
];
const NUMBERS: [&str; 12] =
    ["0", "1", "-1", "2", "3", "7", "32", "-32", "1024", "2147483647", "-2147483648", "9223372036854775807"];

/// The IR of generated kernels as the front end makes it, each as the lines of its file.
static KERNEL_TEXTS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = |seed: u64| {
        let (source, module) = (folder.path().join("kernel.c"), folder.path().join("kernel.bc"));
        let function = Generated::from_seed(seed).c_function();
        std::fs::write(&source, format!("{PRELUDE}{function}\n")).expect("the folder is writable");
        compile(&source, Stage::FrontEnd, &module).expect("what is generated compiles");
        let context = Context::create();
        let module = load::read_any(&context, &module).expect("clang's bitcode");
        module.print_to_string().to_string().lines().map(str::to_owned).collect()
    };
    (0..KERNELS).map(text).collect()
});

/// One change.
struct Change {
    line: usize,
    place: usize,
    with: usize,
}

/// Makes a change in a line of a function's body, if there is something to change.
fn change(lines: &mut [String], bodies: &[usize], by: &Change) {
    let at = bodies[by.line % bodies.len()];
    let tokens: Vec<&str> = lines[at].split(' ').collect();
    let is_number = |word: &str| word.parse::<i64>().is_ok();
    let alternatives = |index: usize| -> Vec<String> {
        let word = tokens[index].trim_end_matches([',', ')']);
        let class = WORDS.iter().find(|class| !word.is_empty() && class.contains(&word));
        let texts = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        match class {
            Some(class) => texts(class),
            None if is_number(word) => texts(&NUMBERS),
            // Another value that is used with the same type nearby.
            None if word.starts_with('%') && index > 0 => {
                let before = tokens[index - 1];
                let near = &lines[at.saturating_sub(200)..at];
                let typed = |line: &String| {
                    let words: Vec<&str> = line.split(' ').collect();
                    let pairs = words.windows(2).filter(|pair| pair[0] == before && pair[1].starts_with('%'));
                    pairs.map(|pair| pair[1].trim_end_matches([',', ')']).to_owned()).collect::<Vec<_>>()
                };
                near.iter().flat_map(typed).collect()
            }
            None => Vec::new(),
        }
    };
    let places: Vec<(usize, Vec<String>)> =
        (0..tokens.len()).map(|index| (index, alternatives(index))).filter(|(_, words)| !words.is_empty()).collect();
    let Some((index, words)) = places.get(by.place % places.len().max(1)) else { return };
    let old = tokens[*index].trim_end_matches([',', ')']);
    let new = format!("{}{}", words[by.with % words.len()], &tokens[*index][old.len()..]);
    let mut tokens = tokens.clone();
    tokens[*index] = &new;
    lines[at] = tokens.join(" ");
}

/// The reader of text is not to verify what it reads: it would end the program where that is broken.
fn read_without_verifying() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let options = [c"lower".as_ptr(), c"-disable-auto-upgrade-debug-info".as_ptr()];
        // SAFETY: the strings live as long as the program, and their number is right.
        unsafe { LLVMParseCommandLineOptions(options.len() as i32, options.as_ptr(), std::ptr::null()) };
    });
}

fn read<'ctx>(context: &'ctx Context, text: &str) -> Option<Module<'ctx>> {
    read_without_verifying();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "kernel");
    context.create_module_from_ir(buffer).ok().filter(|module| module.verify().is_ok())
}

fuzz_target!(|data: &[u8]| {
    let Some((&kernel, changes)) = data.split_first() else { return };
    let mut lines = KERNEL_TEXTS[usize::from(kernel) % KERNEL_TEXTS.len()].clone();
    let is_instruction = |line: &String| line.starts_with("  ") && !line.trim_start().starts_with('#');
    let bodies: Vec<usize> = (0..lines.len()).filter(|&at| is_instruction(&lines[at])).collect();
    for bytes in changes.chunks_exact(4).take(MAX_CHANGES) {
        let line = usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        change(&mut lines, &bodies, &Change { line, place: bytes[2].into(), with: bytes[3].into() });
    }
    let context = Context::create();
    if let Some(module) = read(&context, &lines.join("\n")) {
        black_box(ipda::report(&module, None));
    }
});
