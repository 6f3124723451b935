//! The device images that a host's module embeds.

use super::cubin::{self, Needs};
use super::instructions::{self, Counted};
use super::report::{self, Relayed};
use super::{KernelFacts, PREFIX, parse};
use crate::openmp::KernelEnvironment;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use ipda_llvm::Value;
use object::{Object, ObjectSection, ObjectSymbol};
use std::ops::Range;

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
    for global in module.get_globals() {
        if !global.get_name().to_bytes().starts_with(b"llvm.embedded.object") {
            continue;
        }
        if let Some(bytes) = Value::of(&global).initializer().and_then(Value::string_bytes) {
            read_binaries(bytes, &mut images);
        }
    }
    images
}

/// Takes the reports for people out of all device images that the host's module embeds: nobody needs them in the program.
pub(crate) fn forget_reports(module: &Module<'_>) {
    for global in module.get_globals() {
        if !global.get_name().to_bytes().starts_with(b"llvm.embedded.object") {
            continue;
        }
        let Some(bytes) = Value::of(&global).initializer().and_then(Value::string_bytes) else { continue };
        let mut found = Vec::new();
        each_binary(bytes, |_, image| {
            let at = image.as_ptr().addr() - bytes.as_ptr().addr();
            found.extend(reports_in(image).into_iter().map(|range| at + range.start..at + range.end));
        });
        if !found.is_empty() {
            let mut without = bytes.to_vec();
            found.into_iter().for_each(|range| without[range].fill(0));
            global.set_initializer(&module.get_context().const_string(&without, false));
        }
    }
}

/// Where the reports in an image lie.
fn reports_in(image: &[u8]) -> Vec<Range<usize>> {
    let Ok(file) = object::File::parse(image) else { return Vec::new() };
    let is_report = |symbol: &object::Symbol<'_, '_>| symbol.name().is_ok_and(|name| name.starts_with(report::PREFIX));
    let place = |symbol: object::Symbol<'_, '_>| {
        let data = data_of(&file, &symbol)?;
        let at = data.as_ptr().addr() - image.as_ptr().addr();
        Some(at..at + data.len())
    };
    file.symbols().filter(is_report).filter_map(place).collect()
}

/// What a symbol names.
fn data_of<'a>(file: &object::File<'a>, symbol: &object::Symbol<'a, '_>) -> Option<&'a [u8]> {
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let start = usize::try_from(symbol.address().checked_sub(section.address())?).ok()?;
    section.data().ok()?.get(start..start.checked_add(usize::try_from(symbol.size()).ok()?)?)
}

fn read_binaries(bytes: &[u8], images: &mut Vec<DeviceImage>) {
    each_binary(bytes, |mut result, image| {
        read_image(image, &mut result);
        images.push(result);
    });
}

/// Hands over the images in a sequence of offload binaries (`llvm/Object/OffloadBinary.h`), with what is said of each.
fn each_binary<'a>(mut bytes: &'a [u8], mut each: impl FnMut(DeviceImage, &'a [u8])) {
    const MAGIC: [u8; 4] = [0x10, 0xff, 0x10, 0xad];
    // All offsets are the file's word: none may lead outside of it.
    let number = |bytes: &[u8], base: usize, offset: usize| -> Option<usize> {
        let at = base.checked_add(offset)?;
        usize::try_from(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?)).ok()
    };
    while bytes.starts_with(&MAGIC) {
        let parsed = (|| {
            let (size, entry) = (number(bytes, 8, 0)?, number(bytes, 16, 0)?);
            let (strings, count) = (number(bytes, entry, 8)?, number(bytes, entry, 16)?);
            let (image, length) = (number(bytes, entry, 24)?, number(bytes, entry, 32)?);
            let text = |at: usize| {
                let rest = bytes.get(at..)?;
                std::str::from_utf8(&rest[..rest.iter().position(|&byte| byte == 0)?]).ok()
            };
            let mut result = DeviceImage::default();
            for index in 0..count.min(64) {
                let value = || text(number(bytes, strings, 16 * index + 8)?).map(str::to_string);
                match text(number(bytes, strings, 16 * index)?)? {
                    "triple" => result.triple = value()?,
                    "arch" => result.processor = value()?,
                    _ => {}
                }
            }
            Some((size, result, bytes.get(image..image.checked_add(length)?)?))
        })();
        let Some((size, result, image)) = parsed else { return };
        each(result, image);
        bytes = bytes.get(size.max(1)..).unwrap_or_default();
    }
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
        let Ok(text) = std::str::from_utf8(data) else { return };
        if name.starts_with(PREFIX) {
            self.kernels.extend(parse(text).unwrap_or_default());
        } else if name.starts_with(report::PREFIX) {
            self.relayed = self.relayed.take().or_else(|| report::parse(text));
        } else {
            self.instructions.extend(instructions::parse(text).unwrap_or_default());
        }
    }
}

/// Whether a constant is the plugin's own.
fn is_planted(name: &str) -> bool {
    [PREFIX, instructions::PREFIX, report::PREFIX].iter().any(|prefix| name.starts_with(prefix))
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

    /// A little ELF file of 64 bits with these sections, behind the empty one, and in front of one for their names.
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
        let text = b"ipda instructions 2\nkernel __omp_offloading_k\n1 7 loop0 1 load-global=2\nruns 1\n".to_vec();
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
