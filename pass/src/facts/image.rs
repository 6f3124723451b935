//! The device images that a host's module embeds.

use super::binary::Binary;
use super::cubin::{self, Needs};
use super::instructions::{self, Counted};
use super::kernel::{self, KernelFacts};
use super::report::{self, Relayed};
use crate::openmp::KernelEnvironment;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use ipda_llvm::Value;
use object::{Object, ObjectSection, ObjectSymbol};

/// The constants of a host's module that hold device images.
pub(super) fn embedded(module: &Module<'_>) -> Vec<Value> {
    let is_one = |name: &[u8]| name.starts_with(b"llvm.embedded.object");
    module
        .get_globals()
        .filter(|global| is_one(global.get_name().to_bytes()))
        .map(|global| Value::of(&global))
        .collect()
}

/// A device image in the host's module.
#[derive(Default)]
pub(crate) struct DeviceImage {
    pub triple: String,
    /// Such as `sm_90`; empty where the image is for any.
    pub processor: String,
    pub(super) kernels: Vec<KernelFacts>,
    pub(super) environments: Vec<(String, KernelEnvironment)>,
    pub(super) instructions: Vec<Counted>,
    /// By kernel, what its finished code needs.
    pub(super) needs: Vec<(String, Needs)>,
    /// What its compilation says to people.
    pub relayed: Option<Relayed>,
}

/// The facts in all device images that the host's module embeds.
pub(crate) fn read(module: &Module<'_>) -> Vec<DeviceImage> {
    let mut images = Vec::new();
    for bytes in embedded(module).into_iter().filter_map(|global| global.initializer()?.string_bytes()) {
        read_binaries(bytes, &mut images);
    }
    images
}

fn read_binaries(bytes: &[u8], images: &mut Vec<DeviceImage>) {
    Binary::each(bytes, |binary| {
        let mut image =
            DeviceImage { triple: binary.triple(), processor: binary.processor(), ..DeviceImage::default() };
        read_image(binary.image, &mut image);
        images.push(image);
    });
}

/// What a symbol names.
pub(super) fn data_of<'a>(file: &object::File<'a>, symbol: &object::Symbol<'a, '_>) -> Option<&'a [u8]> {
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let start = usize::try_from(symbol.address().checked_sub(section.address())?).ok()?;
    section.data().ok()?.get(start..start.checked_add(usize::try_from(symbol.size()).ok()?)?)
}

fn read_image(image: &[u8], result: &mut DeviceImage) {
    if image.starts_with(b"BC\xc0\xde") {
        read_bitcode(image, result);
    } else if let Ok(file) = object::File::parse(image) {
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            let kernel = name.strip_suffix(ENVIRONMENT);
            if !is_planted(name) && kernel.is_none() {
                continue;
            }
            let Some(data) = data_of(&file, &symbol) else { continue };
            match kernel {
                Some(kernel) => {
                    let environment = KernelEnvironment::of_bytes(data);
                    result.environments.extend(environment.map(|environment| (kernel.to_string(), environment)));
                }
                None => result.read_planted(name, data),
            }
        }
        if result.triple.starts_with("nvptx") {
            result.needs = cubin::needs(&file);
        }
    }
}

impl DeviceImage {
    /// Reads one of the plugin's own constants.
    fn read_planted(&mut self, name: &str, data: &[u8]) {
        if name.starts_with(report::PREFIX) {
            self.relayed = self.relayed.take().or_else(|| report::parse(data));
            return;
        }
        let Ok(text) = std::str::from_utf8(data) else { return };
        if name.starts_with(kernel::PREFIX) {
            self.kernels.extend(kernel::parse(text).unwrap_or_default());
        } else {
            self.instructions.extend(instructions::parse(text).unwrap_or_default());
        }
    }
}

/// Whether a constant is the plugin's own.
fn is_planted(name: &str) -> bool {
    [kernel::PREFIX, instructions::PREFIX, report::PREFIX].iter().any(|prefix| name.starts_with(prefix))
}

const ENVIRONMENT: &str = "_kernel_environment";

/// With link-time optimisation the image is the device module itself.
fn read_bitcode(image: &[u8], result: &mut DeviceImage) {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(image, "device");
    let Ok(module) = Module::parse_bitcode_from_buffer(&buffer, &context) else { return };
    for global in module.get_globals() {
        let name = global.get_name().to_string_lossy().into_owned();
        let value = Value::of(&global);
        if is_planted(&name) {
            if let Some(data) = value.initializer().and_then(Value::string_bytes) {
                result.read_planted(&name, data);
            }
        } else if let Some(kernel) = name.strip_suffix(ENVIRONMENT) {
            let environment = KernelEnvironment::of_global(value);
            result.environments.extend(environment.map(|environment| (kernel.to_string(), environment)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section of an ELF file: its name, its type, the section that it goes with, and what it holds.
    type Section = (&'static str, u32, u32, Vec<u8>);

    fn bytes_of(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A little ELF file of 64 bits with these sections, behind the empty one, and before one for their names.
    fn elf(sections: &[Section]) -> Vec<u8> {
        const STRINGS: u32 = 3;
        let mut names = vec![0];
        let mut headers = vec![0; 64];
        let mut contents: Vec<u8> = Vec::new();
        let names_of_sections = (".shstrtab", STRINGS, 0, Vec::new());
        for (name, kind, link, data) in sections.iter().chain([&names_of_sections]) {
            let name_at = names.len() as u32;
            names.extend(name.bytes().chain([0]));
            let data = if *name == ".shstrtab" { &names } else { data };
            let (at, size) = (64 + contents.len() as u32, data.len() as u32);
            let size_of_entries = if *kind == 2 { 24 } else { 0 };
            let low = [name_at, *kind, 0, 0, 0, 0, at, 0, size, 0, *link, 0, 1, 0, size_of_entries, 0];
            headers.extend(bytes_of(&low));
            contents.extend(data);
        }
        let (at, count) = (64 + contents.len() as u32, sections.len() as u32 + 2);
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend(bytes_of(&[190 << 16 | 1, 1, 0, 0, 0, 0, at, 0, 0, 64, 64 << 16, (count - 1) << 16 | count]));
        file.extend(contents);
        file.extend(headers);
        file
    }

    /// A cubin with one kernel, in an offload binary.
    fn binary() -> Vec<u8> {
        let symbol = |name: u32, section: u32, size: u32| bytes_of(&[name, section << 16 | 0x12, 0, 0, size, 0]);
        let text =
            b"ipda instructions 6\nkernel __omp_offloading_k\n1 7 loop0 1 - - - load-global=2\nruns 1\n".to_vec();
        let names = b"\0__omp_offloading_k\0__ipda_instructions_1\0".to_vec();
        let symbols = [vec![0; 24], symbol(1, 0, 0), symbol(20, 4, text.len() as u32)].concat();
        let attribute = |number: u32, value: u32| bytes_of(&[8 << 16 | number << 8 | 4, 1, value]);
        let info = [attribute(0x2f, 44), attribute(0x11, 16)].concat();
        let image = elf(&[
            (".symtab", 2, 2, symbols),
            (".strtab", 3, 0, names),
            (".nv.info", 0x7000_0000, 0, info),
            (".nv.global.init", 1, 0, text),
            (".nv.shared.__omp_offloading_k", 1, 0, vec![0; 184]),
        ]);
        let strings = b"triple\0nvptx64-nvidia-cuda\0arch\0sm_90\0";
        let (entry, table) = (32, 32 + 40);
        let at = table + 2 * 16;
        let image_at = at + strings.len() as u64;
        let mut file = vec![0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0];
        let numbers = [image_at + image.len() as u64, entry, 40, 0, table, 2, image_at, image.len() as u64];
        let strings_at = [at, at + 7, at + 27, at + 32];
        numbers.iter().chain(&strings_at).for_each(|number| file.extend(number.to_le_bytes()));
        file.extend(strings);
        file.extend(image);
        file
    }

    #[test]
    fn needs_and_counts_are_read() {
        let mut images = Vec::new();
        read_binaries(&binary(), &mut images);
        let resources = crate::facts::resources(&images, "__omp_offloading_k");
        let [found] = &resources[..] else { panic!("{resources:?}") };
        assert_eq!((&found.processor[..], found.uncounted.as_deref()), ("sm_90", None));
        assert_eq!((found.registers, found.stack_bytes, found.shared_bytes), (Some(44), Some(16), Some(184)));
        assert_eq!(found.loops.len(), 1);
        assert!(crate::facts::resources(&images, "other").is_empty());
    }

    #[test]
    fn changed_bytes_break_nothing() {
        let binary = binary();
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize
        };
        for length in 0..binary.len() {
            read_binaries(&binary[..length], &mut Vec::new());
        }
        for _ in 0..20_000 {
            let mut changed = binary.clone();
            for _ in 0..=random() % 4 {
                let at = random() % changed.len();
                changed[at] = [0, 1, 0x7f, 0xff, random() as u8][random() % 5];
            }
            let mut images = Vec::new();
            read_binaries(&changed, &mut images);
            crate::facts::resources(&images, "__omp_offloading_k");
        }
    }

    #[test]
    fn broken_binaries_are_no_images() {
        let mut images = Vec::new();
        read_binaries(b"", &mut images);
        read_binaries(&[0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0, 255, 255], &mut images);
        read_binaries(&[[0x10, 0xff, 0x10, 0xad].as_slice(), &[0xff; 60]].concat(), &mut images);
        assert!(images.is_empty());
    }
}
