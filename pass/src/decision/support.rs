//! What all launches of a program have in common: `support/decide.c`, compiled for each kind of host when the plugin is built, and put into the
//! modules whose regions may run on the host as text for their assembler. No module spends time on compiling it, and what runs is what the plugin's
//! compiler made of it, however the module is compiled. For x86-64 the text has bytes in the place of instructions (`build/packed.rs`).
//!
//! The text defines weak, hidden functions and variables whose names tell versions of the plugin apart, in one group of sections, of which a linker
//! keeps those of one object. A variable of the module is in the group as well: linkers that optimise learn of groups from modules, not from their
//! text. Where these put several texts into one module, only the first says anything.

use inkwell::AddressSpace;
use inkwell::GlobalVisibility;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, FunctionType, StructType};
use ipda_llvm::{Type, Value, append_assembly};

/// The text for a kind of host, and what its names end with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Code {
    text: &'static str,
    version: &'static str,
}

macro_rules! code {
    ($host:literal) => {
        Code {
            text: include_str!(concat!(env!("OUT_DIR"), "/support-", $host, ".s")),
            version: include_str!(concat!(env!("OUT_DIR"), "/support-", $host, ".version")),
        }
    };
}

const X86_64: Code = code!("x86_64");
const AARCH64: Code = code!("aarch64");
const POWER: Code = code!("powerpc64le");

/// The types of a region's fields in C.
const REGION: &str = include_str!(concat!(env!("OUT_DIR"), "/region.types"));

/// Whether there is code for launches of a module.
pub(crate) fn is_known_host(module: &Module<'_>) -> bool {
    code(&module.get_triple().as_str().to_string_lossy()).is_some()
}

fn code(triple: &str) -> Option<Code> {
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
        Some("aarch64") => &["-fp-armv8", "-neon"],
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
    pub(super) map_types: Value,
    /// The type of regions.
    pub(super) region: Type,
}

impl Support {
    /// Puts them into a module, where they are not there yet.
    pub(crate) fn link(module: &Module<'_>) -> Result<Support, String> {
        let Code { text, version } =
            code(&module.get_triple().as_str().to_string_lossy()).ok_or("there is no code for this host")?;
        let declared = Declared { module, version };
        let context = module.get_context();
        let (word, long) = (context.i32_type(), context.i64_type());
        let pointer = context.ptr_type(AddressSpace::default());
        if module.get_function(&declared.name("decide")).is_none() {
            append_assembly(module, text);
            let group = Value::of(&context.i8_type().const_zero());
            Value::private_constant(module, &declared.name("group"), group)
                .share_in_group(module, &declared.name("decide"));
        }
        let decided = [pointer.into(), word.into(), long.into(), pointer.into(), pointer.into()];
        let ended: [BasicMetadataTypeEnum<'_>; 3] = [pointer.into(), pointer.into(), word.into()];
        let (int, at) = (word.into(), pointer.into());
        let mapped = [long.into(), at, at, int, at, at, int];
        let region = region_type(module)?;
        Ok(Support {
            policy: declared.variable("policy", word.into()),
            read_policy: declared.function("read_policy", word.fn_type(&[], false)),
            decide: declared.function("decide", word.fn_type(&decided, false)),
            end: declared.function("end", context.void_type().fn_type(&ended, false)),
            map_types: declared.function("map_types", pointer.fn_type(&mapped, false)),
            region: Value::of(&region.const_zero()).ty(),
        })
    }
}

/// What a module takes from the text.
struct Declared<'m, 'ctx> {
    module: &'m Module<'ctx>,
    version: &'static str,
}

impl<'ctx> Declared<'_, 'ctx> {
    fn name(&self, name: &str) -> String {
        format!("__ipda_{name}{}", self.version)
    }

    fn variable(&self, name: &str, ty: BasicTypeEnum<'ctx>) -> Value {
        let name = self.name(name);
        let global = self.module.get_global(&name).unwrap_or_else(|| self.module.add_global(ty, None, &name));
        global.set_visibility(GlobalVisibility::Hidden);
        Value::of(&global)
    }

    fn function(&self, name: &str, ty: FunctionType<'ctx>) -> Value {
        let name = self.name(name);
        let function = self.module.get_function(&name).unwrap_or_else(|| self.module.add_function(&name, ty, None));
        function.as_global_value().set_visibility(GlobalVisibility::Hidden);
        let add = |name: &str, at: AttributeLoc| {
            let kind = Attribute::get_named_enum_kind_id(name);
            function.add_attribute(at, self.module.get_context().create_enum_attribute(kind, 0));
        };
        add("nounwind", AttributeLoc::Function);
        // Some hosts' callers fill the registers of numbers of 32 bits.
        let word = self.module.get_context().i32_type();
        let words = (0..).zip(ty.get_param_types()).filter(|(_, ty)| *ty == word.into());
        words.for_each(|(at, _)| add("signext", AttributeLoc::Param(at)));
        if ty.get_return_type() == Some(word.into()) {
            add("signext", AttributeLoc::Return);
        }
        Value::of(&function)
    }
}

/// The type of regions.
fn region_type<'ctx>(module: &Module<'ctx>) -> Result<StructType<'ctx>, String> {
    const NAME: &str = "struct.ipda_region";
    if let Some(known) = module.get_struct_type(NAME) {
        return Ok(known);
    }
    let context = module.get_context();
    let field = |name: &str| match name {
        "ptr" => Ok(BasicTypeEnum::from(context.ptr_type(AddressSpace::default()))),
        "i32" => Ok(context.i32_type().into()),
        "i64" => Ok(context.i64_type().into()),
        other => Err(format!("a region has a field of type {other}")),
    };
    let fields = REGION.split(", ").map(field).collect::<Result<Vec<_>, _>>()?;
    let region = context.opaque_struct_type(NAME);
    region.set_body(&fields, false);
    Ok(region)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::context::Context;
    use inkwell::targets::TargetTriple;
    use ipda_llvm::DataLayout;
    use ipda_models::table::Region;

    #[test]
    fn what_launches_share_is_the_same_for_all_of_a_module() {
        for target in ["x86_64-pc-linux-gnu", "aarch64-linux-gnu", "powerpc64le-linux-gnu", "x86_64-alpine-linux-musl"]
        {
            let context = Context::create();
            let module = context.create_module("test");
            module.set_triple(&TargetTriple::create(target));
            let once = Support::link(&module).unwrap_or_else(|error| panic!("{target}: {error}"));
            let text = module.print_to_string().to_string();
            assert!(text.contains("module asm \".ifndef .Lipda."), "{target}");
            let again = Support::link(&module).unwrap_or_else(|error| panic!("{target}: {error}"));
            assert_eq!((once.decide, once.policy, once.region), (again.decide, again.policy, again.region), "{target}");
            assert_eq!(module.print_to_string().to_string(), text, "{target}");
            assert_eq!(module.verify(), Ok(()), "{target}");
        }
    }

    /// Names that the code uses and does not define are of the system, of OpenMP and of the library.
    #[test]
    fn no_library_is_needed_for_numbers() {
        for Code { text, version } in [X86_64, AARCH64, POWER] {
            assert!(!version.is_empty() && text.contains(version));
            for name in ["floor", "fma", "memcpy", "memset", "__stack_chk_fail"] {
                let calls = |word: &str| word.trim_matches(',').split('@').next() == Some(name);
                assert!(!text.split_whitespace().any(calls), "{name}");
            }
        }
    }

    #[test]
    fn other_hosts_have_none() {
        for target in ["riscv64-linux-gnu", "powerpc64-linux-gnu", "x86_64-linux-gnux32", "x86_64-unknown-freebsd"] {
            assert_eq!(code(target), None, "{target}");
        }
    }

    /// The header of the program's code against what the library and the plugin have in Rust.
    #[test]
    fn regions_are_laid_out_as_in_rust() {
        let context = Context::create();
        let module = context.create_module("test");
        module.set_triple(&TargetTriple::create("x86_64-pc-linux-gnu"));
        let region = Support::link(&module).expect("there is code").region;
        let layout = DataLayout::of(&module);
        let offsets = (0..region.field_count()).map(|at| layout.field_offset(region, at) as usize);
        assert_eq!(offsets.collect::<Vec<_>>(), Region::LAYOUT.iter().map(|(_, offset)| *offset).collect::<Vec<_>>());
        assert_eq!(layout.alloc_size(region) as usize, size_of::<Region>());
        let header = include_str!("../../support/region.h");
        let fields = header.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(';'));
        let names = fields.map(|(field, _)| field.rsplit([' ', '*']).next().unwrap_or_default());
        assert_eq!(names.collect::<Vec<_>>(), Region::LAYOUT.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}
