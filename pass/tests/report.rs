//! The plugin's report as a library function, on modules that clang compiles for the test.

use inkwell::context::Context;
use inkwell::module::Module;
use ipda::called_from;
use ipda_hwdb::Gpu;
use ipda_llvm::{Opcode, Value};
use ipda_models::report::{Location, Mapping, Mode, Side, WarpStart};
use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = "\
static float get(const float *x, int i) { return x[i]; }
static void clear(float *x, int n) {
#pragma omp parallel for
  for (int k = 0; k < n; ++k)
    x[k] = 0.0f;
}
void f(int n, float *x, float *y) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n + 1], y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = get(x, i) + get(x, i + 1);
#pragma omp target teams distribute map(tofrom : x[0 : n * n])
  for (int i = 0; i < n; ++i)
    clear(x + i * n, n);
}
";

/// The device module of a C source, as clang's front end makes it.
fn compile<'ctx>(context: &'ctx Context, source: &str) -> Module<'ctx> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (folder.path().join("input.c"), folder.path().join("input.bc"));
    std::fs::write(&input, source).expect("the folder is writable");
    let llvm = PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    let clang = Command::new(llvm.join("bin/clang"))
        .current_dir(folder.path())
        .args("-O2 -g -Xclang -debug-info-kind=constructor -fopenmp --offload-arch=sm_90 -nogpulib".split(' '))
        .args("--offload-device-only -emit-llvm -Xclang -disable-llvm-passes -c input.c -o input.bc".split(' '))
        .output()
        .expect("clang 19 is installed");
    assert!(clang.status.success(), "{}", String::from_utf8_lossy(&clang.stderr));
    Module::parse_bitcode_from_path(output, context).expect("clang's bitcode")
}

fn lines(locations: &[Location]) -> Vec<u32> {
    locations.iter().map(|location| location.line).collect()
}

#[test]
fn the_report_tells_of_every_region() {
    let context = Context::create();
    let report = ipda::report(&compile(&context, SOURCE), None);
    assert_eq!((report.side, report.hardware.name.as_str()), (Side::Device, "h100-sxm"));
    let [first, second] = &report.regions[..] else { panic!("two regions: {:?}", report.regions) };
    assert_eq!((first.function.as_str(), first.location.line, first.mode), ("f", 8, Mode::Spmd));
    let full = matches!(&first.mapping[..], [Mapping::Apart { start: WarpStart::FullWarps, .. }, ..]);
    assert!(full, "{:?}", first.mapping);
    let accesses: Vec<(&str, u32, Vec<u32>)> = first
        .accesses
        .iter()
        .map(|access| {
            let line = access.location.as_ref().map_or(0, |location| location.line);
            (access.object.as_str(), line, lines(&access.called_from))
        })
        .collect();
    // The calls of `get`, and nothing of what clang made of the directive.
    assert_eq!(accesses, [("x", 1, vec![10]), ("x", 1, vec![10]), ("y", 10, vec![])]);
    let columns: Vec<u32> = first.accesses[..2].iter().map(|access| access.called_from[0].column).collect();
    assert_eq!(columns, [12, 24]);
    // A construct in a helper: the helper's call is listed, the start of its parallel code is not.
    assert_eq!(second.accesses.len(), 1);
    assert_eq!(lines(&second.accesses[0].called_from), [13]);
}

#[test]
fn the_module_is_left_as_it_was() {
    let context = Context::create();
    let module = compile(&context, SOURCE);
    let (text, bitcode) = (module.print_to_string(), module.write_bitcode_to_memory());
    let first = ipda::report(&module, None);
    assert_eq!(module.print_to_string(), text);
    assert!(module.write_bitcode_to_memory().as_slice() == bitcode.as_slice(), "the bitcode has changed");
    assert_eq!(ipda::report(&module, None), first, "a second look sees the same");
}

#[test]
fn the_device_to_count_for_can_be_chosen() {
    let context = Context::create();
    let gpu = Gpu::builtin("mi210").expect("a built-in entry");
    let report = ipda::report(&compile(&context, SOURCE), Some(&gpu));
    assert_eq!((report.hardware.name.as_str(), report.hardware.warp_lanes), ("mi210", 64));
}

#[test]
fn a_module_without_regions_has_an_empty_report() {
    let context = Context::create();
    let report = ipda::report(&context.create_module("empty"), None);
    assert_eq!((report.regions, report.rejects), (vec![], vec![]));
}

/// The instructions of a function that satisfy the condition.
fn instructions(module: &Module<'_>, function: &str, condition: impl Fn(Value) -> bool) -> Vec<Value> {
    let function = module.get_function(function).unwrap_or_else(|| panic!("{function} is in the module"));
    Value::of(&function).instructions().filter(|&value| condition(value)).collect()
}

fn calls(module: &Module<'_>, function: &str, callee: &str) -> Vec<Value> {
    instructions(module, function, |value| value.callee().is_some_and(|it| it.name() == callee))
}

#[test]
fn running_calls_lead_to_the_same_places_as_inlined_ones() {
    let context = Context::create();
    let module = compile(&context, SOURCE);
    let report = ipda::report(&module, None);
    let outlined = |line: u32| -> String {
        let tail = format!("_f_l{line}_debug__");
        let names = module.get_functions().map(|function| function.get_name().to_string_lossy().into_owned());
        // The innermost of the functions that clang nests for one directive.
        let inner = names.filter(|name| name.contains(&tail) && name.ends_with("_debug__")).max_by_key(String::len);
        inner.unwrap_or_else(|| panic!("outlined code of line {line}"))
    };
    // The load of x[i]; the others in `get` read its parameters.
    let load = instructions(&module, "get", |value| value.is(Opcode::LLVMLoad)).pop().expect("a load");
    let gets = calls(&module, &outlined(8), "get");
    assert_eq!(gets.len(), 2);
    for (call, access) in gets.iter().zip(&report.regions[0].accesses) {
        assert_eq!(called_from(&[load, *call]), access.called_from);
    }

    // Through the forwarder, which clang made, and the runtime call, which stands for all of the runtime's frames.
    let is_store = |value: Value| value.is(Opcode::LLVMStore);
    let store = instructions(&module, "clear_omp_outlined_debug__", is_store)
        .into_iter()
        .find(|store| store.location().is_some_and(|location| location.line == 5));
    let [forward] = calls(&module, "clear_omp_outlined", "clear_omp_outlined_debug__")[..] else { panic!("one call") };
    let [start] = calls(&module, "clear", "__kmpc_parallel_51")[..] else { panic!("one call") };
    let [clear] = calls(&module, &outlined(11), "clear")[..] else { panic!("one call") };
    let frames = [store.expect("the store to x[k]"), forward, start, clear];
    assert_eq!(called_from(&frames), report.regions[1].accesses[0].called_from);
}
