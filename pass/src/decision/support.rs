//! What all launches of a program have in common: `support/decide.c`, compiled for each kind of host when the plugin is built, and linked into the
//! modules whose regions may run on the host.
//!
//! Nobody optimises it a second time: all of it is `optnone` while the module goes through the optimiser. Behind that, functions on the way of each
//! launch lose the attribute, so that the code generator treats them as any other.

use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use ipda_llvm::{Type, Value};

const X86_64: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/support-x86_64.bc"));
const AARCH64: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/support-aarch64.bc"));
const POWER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/support-powerpc64le.bc"));

/// Begins the names of all that is linked in.
const PREFIX: &str = "__ipda_";
/// The variable whose type is that of regions.
const LAYOUT: &str = "__ipda_layout";

/// Whether there is code for launches of a module.
pub(crate) fn is_known_host(module: &Module<'_>) -> bool {
    bitcode(&module.get_triple().as_str().to_string_lossy()).is_some()
}

fn bitcode(triple: &str) -> Option<&'static [u8]> {
    let (architecture, rest) = triple.split_once('-')?;
    let has_short_pointers = rest.ends_with("x32") || rest.ends_with("_ilp32");
    if !rest.contains("linux") || has_short_pointers {
        return None;
    }
    match architecture {
        "x86_64" => Some(X86_64),
        "aarch64" => Some(AARCH64),
        "powerpc64le" => Some(POWER),
        _ => None,
    }
}

/// Whether code that is compiled like a function may use the registers in which numbers of floating point are passed.
pub(crate) fn has_floating_point(module: &Module<'_>, like: Value) -> bool {
    let features = like.text_attribute("target-features").unwrap_or_default();
    let lacking: &[&str] = match module.get_triple().as_str().to_string_lossy().split('-').next() {
        Some("x86_64") => &["-sse", "-sse2", "+soft-float"],
        Some("aarch64") => &["-fp-armv8"],
        Some("powerpc64le") => &["-hard-float"],
        _ => &[],
    };
    !features.split(',').any(|feature| lacking.contains(&feature))
}

/// The functions and variables that launches share.
#[derive(Clone, Copy)]
pub(crate) struct Support {
    pub(super) policy: Value,
    pub(super) read_policy: Value,
    pub(super) decide: Value,
    pub(super) end: Value,
    /// The type of regions.
    pub(super) region: Type,
}

impl Support {
    /// Links them into a module, where they are not there yet.
    pub(crate) fn link(module: &Module<'_>) -> Result<Support, String> {
        let bitcode =
            bitcode(&module.get_triple().as_str().to_string_lossy()).ok_or("there is no code for this host")?;
        let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "ipda support");
        let support = module.get_context().create_module_from_ir(buffer).map_err(|error| error.to_string())?;
        support.set_triple(&module.get_triple());
        support.set_data_layout(&module.get_data_layout());
        let region = take_layout(&support).ok_or("the type of regions is missing")?;
        let version = version(bitcode);
        share(&support, &version);
        module.link_in_module(support).map_err(|error| error.to_string())?;
        let function = |name: &str| module.get_function(&(name.to_owned() + &version)).map(|found| Value::of(&found));
        let policy = module.get_global(&format!("__ipda_policy{version}")).map(|global| Value::of(&global));
        let found = (|| {
            Some(Support {
                policy: policy?,
                read_policy: function("__ipda_read_policy")?,
                decide: function("__ipda_decide")?,
                end: function("__ipda_end")?,
                region,
            })
        })();
        found.ok_or_else(|| "the decision's code is not in the module".into())
    }
}

/// Lets the code generator do its work on functions that each launch calls. Behind the optimiser.
pub(crate) fn release(module: &Module<'_>) {
    for function in module.get_functions() {
        let function = Value::of(&function);
        if is_own(function) && !function.has_attribute("cold") {
            function.remove_attribute("optnone");
        }
    }
}

/// The type of regions, whose variable nobody needs further.
fn take_layout(support: &Module<'_>) -> Option<Type> {
    let layout = ipda_llvm::global(support, LAYOUT)?;
    let ty = layout.content_type();
    layout.erase_global();
    Some(ty)
}

/// Lets a program have one of all that is defined here, however many of its objects bring it, and lets nobody optimise it.
fn share(support: &Module<'_>, version: &str) {
    let functions = support.get_functions().map(|function| Value::of(&function));
    let globals = support.get_globals().map(|global| Value::of(&global));
    for value in functions.chain(globals).filter(|value| !value.is_declaration()) {
        if value.is_function() {
            // What is cold is to be small, which does not go together with being left as it is.
            value.remove_attribute("optsize");
            ["noinline", "optnone"].into_iter().for_each(|name| value.add_attribute(name));
        }
        value.share_as(support, |name| format!("{name}{version}"));
    }
}

fn is_own(function: Value) -> bool {
    !function.is_declaration()
        && function.with_name(|name| name.starts_with(PREFIX))
        && function.has_attribute("optnone")
}

/// In the names of all that a linker takes one of: objects that plugins of several versions have made call each other's code only where it is the same.
fn version(bitcode: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!(".{:016x}", bitcode.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::context::Context;
    use inkwell::targets::TargetTriple;
    use ipda_llvm::DataLayout;
    use ipda_models::table::Region;

    #[test]
    fn what_launches_share_is_valid_for_each_host() {
        for target in ["x86_64-pc-linux-gnu", "aarch64-linux-gnu", "powerpc64le-linux-gnu", "x86_64-alpine-linux-musl"]
        {
            let context = Context::create();
            let module = context.create_module("test");
            module.set_triple(&TargetTriple::create(target));
            let support = Support::link(&module).map_err(|error| format!("{target}: {error}"));
            assert!(support.is_ok(), "{:?}", support.err());
            release(&module);
            assert_eq!(module.verify(), Ok(()), "{target}");
            let asks =
                |name: &str| module.get_functions().any(|function| function.get_name().to_bytes() == name.as_bytes());
            assert!(!["floor", "fma", "memcpy", "memset"].into_iter().any(asks), "{target}");
        }
    }

    #[test]
    fn other_hosts_have_none() {
        for target in ["riscv64-linux-gnu", "powerpc64-linux-gnu", "x86_64-linux-gnux32", "x86_64-unknown-freebsd"] {
            assert_eq!(bitcode(target), None, "{target}");
        }
    }

    /// The header of the program's code against what the library and the plugin have in Rust.
    #[test]
    fn regions_are_laid_out_as_in_rust() {
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(X86_64, "support");
        let support = context.create_module_from_ir(buffer).expect("clang made it");
        let region = take_layout(&support).expect("it has one");
        let layout = DataLayout::of(&support);
        let offsets = (0..region.field_count()).map(|at| layout.field_offset(region, at) as usize);
        assert_eq!(offsets.collect::<Vec<_>>(), Region::LAYOUT.iter().map(|(_, offset)| *offset).collect::<Vec<_>>());
        assert_eq!(layout.alloc_size(region) as usize, size_of::<Region>());
        let header = include_str!("../../support/region.h");
        let fields = header.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(';'));
        let names = fields.map(|(field, _)| field.rsplit([' ', '*']).next().unwrap_or_default());
        assert_eq!(names.collect::<Vec<_>>(), Region::LAYOUT.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}
