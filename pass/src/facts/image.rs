//! The device images that a host's module embeds.

use super::cubin::{self, Needs};
use super::instructions::{self, Counted};
use super::{KernelFacts, PREFIX, parse};
use crate::ir::Value;
use crate::omp::KernelEnvironment;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use object::{Object, ObjectSection, ObjectSymbol};

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

/// Reads a sequence of offload binaries (`llvm/Object/OffloadBinary.h`).
fn read_binaries(mut bytes: &[u8], images: &mut Vec<DeviceImage>) {
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
        let Some((size, mut result, image)) = parsed else { return };
        read_image(image, &mut result);
        images.push(result);
        bytes = bytes.get(size.max(1)..).unwrap_or_default();
    }
}

fn read_image(image: &[u8], result: &mut DeviceImage) {
    if image.starts_with(b"BC\xc0\xde") {
        read_bitcode(image, result);
    } else if let Ok(file) = object::File::parse(image) {
        for symbol in file.symbols() {
            let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index()) else { continue };
            let kernel = name.strip_suffix(ENVIRONMENT);
            let is_planted = name.starts_with(PREFIX) || name.starts_with(instructions::PREFIX);
            if !is_planted && kernel.is_none() {
                continue;
            }
            let Some(data) = file.section_by_index(section).ok().and_then(|section| {
                let start = usize::try_from(symbol.address().checked_sub(section.address())?).ok()?;
                let data = section.data().ok()?;
                data.get(start..start.checked_add(usize::try_from(symbol.size()).ok()?)?)
            }) else {
                continue;
            };
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
        } else {
            self.instructions.extend(instructions::parse(text).unwrap_or_default());
        }
    }
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
        if name.starts_with(PREFIX) || name.starts_with(instructions::PREFIX) {
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

    #[test]
    fn broken_binaries_are_no_images() {
        let mut images = Vec::new();
        read_binaries(b"", &mut images);
        read_binaries(&[0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0, 255, 255], &mut images);
        read_binaries(&[[0x10, 0xff, 0x10, 0xad].as_slice(), &[0xff; 60]].concat(), &mut images);
        assert!(images.is_empty());
    }
}
