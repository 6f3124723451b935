//! What the host compilation learns from the device compilations: they run first, and their finished objects are
//! embedded in the host's module.
//!
//! The host's code does not show how the device hands out iterations (an explicit `schedule(static)` looks like none).
//! So the device side plants one constant in its module that says so, a line a kernel, and the host side reads it back,
//! together with the execution modes that the optimiser left in the kernels' environments. Without embedded objects the
//! host's own view serves.

use crate::analyse::DeviceSchedule;
use crate::ir::Value;
use crate::omp::{KernelEnvironment, Schedule};
use crate::transform::{Outcome, Sum};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use ipda_models::report::Transformation;
use object::{Object, ObjectSection, ObjectSymbol};
use serde::{Deserialize, Serialize};

const PREFIX: &str = "__ipda_facts_";
const HEADER: &str = "ipda facts 2\n";

/// A device image in the host's module.
pub(crate) struct DeviceImage {
    pub triple: String,
    kernels: Vec<KernelFacts>,
    environments: Vec<(String, KernelEnvironment)>,
}

/// What the device side says of one kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct KernelFacts {
    pub kernel: String,
    /// The shared loops in program order.
    pub schedules: Vec<DeviceSchedule>,
    /// What the device side did with its loops.
    pub outcome: Outcome,
}

/// The same as it is written: a line of schedules, such as `chunked:1 static:?`.
#[derive(Serialize, Deserialize)]
struct Written {
    kernel: String,
    schedules: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<Transformation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    factors: Vec<String>,
}

/// What the images say of a kernel, the first image that knows it first.
pub(crate) fn of_kernel<'a>(
    images: &'a [DeviceImage],
    kernel: &str,
) -> (Option<&'a KernelFacts>, Option<KernelEnvironment>) {
    let facts = images.iter().flat_map(|image| &image.kernels).find(|facts| facts.kernel == kernel);
    let mode = images.iter().flat_map(|image| &image.environments).find(|(name, _)| name == kernel);
    (facts, mode.map(|(_, mode)| *mode))
}

/// By which numbers, multiplied, a kernel's fused loop has more iterations than the one that was written; none where the images do not say
/// the same: one launch serves them all.
pub(crate) fn common_factors<'a>(images: &'a [DeviceImage], kernel: &str) -> &'a [Sum] {
    let factors = |image: &'a DeviceImage| {
        let facts = image.kernels.iter().find(|facts| facts.kernel == kernel);
        facts.map_or(&[][..], |facts| &facts.outcome.factors)
    };
    let mut all = images.iter().map(factors);
    let first = all.next().unwrap_or_default();
    if all.all(|other| other == first) { first } else { &[] }
}

const SCHEDULES: [(&str, Schedule); 6] = [
    ("chunked", Schedule::StaticChunked),
    ("static", Schedule::Static),
    ("dynamic", Schedule::Dynamic),
    ("guided", Schedule::Guided),
    ("runtime", Schedule::Runtime),
    ("auto", Schedule::Auto),
];

fn write(facts: &[KernelFacts]) -> String {
    let schedule = |schedule: &DeviceSchedule| {
        let known = SCHEDULES.iter().find(|(_, known)| *known == schedule.schedule);
        let (name, _) = known.expect("all schedules are listed");
        format!("{name}:{}", schedule.chunk.map_or_else(|| "?".to_string(), |chunk| chunk.to_string()))
    };
    let written = |facts: &KernelFacts| Written {
        kernel: facts.kernel.clone(),
        schedules: facts.schedules.iter().map(schedule).collect::<Vec<_>>().join(" "),
        told: facts.outcome.told.clone(),
        factors: facts.outcome.factors.iter().map(Sum::to_string).collect(),
    };
    let written: Vec<Written> = facts.iter().map(written).collect();
    HEADER.to_string() + &serde_yaml::to_string(&written).expect("text and numbers are always written")
}

fn parse(text: &str) -> Option<Vec<KernelFacts>> {
    let written: Vec<Written> = serde_yaml::from_str(text.trim_end_matches('\0').strip_prefix(HEADER)?).ok()?;
    let facts = |written: Written| {
        let schedule = |word: &str| {
            let (name, chunk) = word.split_once(':')?;
            let (_, schedule) = SCHEDULES.iter().find(|(known, _)| *known == name)?;
            Some(DeviceSchedule { schedule: *schedule, chunk: chunk.parse().ok() })
        };
        let factors = written.factors.iter().map(|factor| factor.parse().ok()).collect::<Option<_>>()?;
        Some(KernelFacts {
            kernel: written.kernel,
            schedules: written.schedules.split_whitespace().map(schedule).collect::<Option<_>>()?,
            outcome: Outcome { told: written.told, factors },
        })
    };
    written.into_iter().map(facts).collect()
}

/// Plants the facts in a device module.
pub(crate) fn plant(module: &Module<'_>, facts: &[KernelFacts]) {
    let text = write(facts);
    // The name follows the content: equal constants of several files merge, different ones do not clash.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let value = module.get_context().const_string(text.as_bytes(), true);
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    const DEVICE_GLOBAL_MEMORY: u16 = 1;
    let space = (!triple.starts_with("x86")).then(|| DEVICE_GLOBAL_MEMORY.into());
    let global = module.add_global(value.get_type(), space, &format!("{PREFIX}{hash:016x}"));
    global.set_initializer(&value);
    global.set_constant(true);
    global.set_linkage(Linkage::WeakODR);
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
            let mut triple = String::new();
            for index in 0..count.min(64) {
                if text(number(bytes, strings, 16 * index)?)? == "triple" {
                    triple = text(number(bytes, strings, 16 * index + 8)?)?.to_string();
                }
            }
            Some((size, triple, bytes.get(image..image.checked_add(length)?)?))
        })();
        let Some((size, triple, image)) = parsed else { return };
        images.push(read_image(triple, image));
        bytes = bytes.get(size.max(1)..).unwrap_or_default();
    }
}

fn read_image(triple: String, image: &[u8]) -> DeviceImage {
    let mut result = DeviceImage { triple, kernels: Vec::new(), environments: Vec::new() };
    if image.starts_with(b"BC\xc0\xde") {
        read_bitcode(image, &mut result);
    } else if let Ok(file) = object::File::parse(image) {
        for symbol in file.symbols() {
            let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index()) else { continue };
            let kernel = name.strip_suffix(ENVIRONMENT);
            if !name.starts_with(PREFIX) && kernel.is_none() {
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
                None => result.kernels.extend(std::str::from_utf8(data).ok().and_then(parse).unwrap_or_default()),
            }
        }
    }
    result
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
        if name.starts_with(PREFIX) {
            let text =
                value.initializer().and_then(Value::string_bytes).and_then(|bytes| std::str::from_utf8(bytes).ok());
            result.kernels.extend(text.and_then(parse).unwrap_or_default());
        } else if let Some(kernel) = name.strip_suffix(ENVIRONMENT) {
            let environment = KernelEnvironment::of_global(value);
            result.environments.extend(environment.map(|environment| (kernel.to_string(), environment)));
        }
    }
}

/// Whether another compilation of the same driver call tells people about the regions of this device compilation: the
/// host's, or that for the first of several devices.
///
/// The compiler process itself is not told; its parent, the driver, has it on the command line. Where that cannot be
/// read, nobody else is expected to speak. `IPDA_REMARKS=here|off` decides by hand.
pub(crate) fn another_compilation_speaks() -> bool {
    let arguments = |process: &str| -> Vec<String> {
        let bytes = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        bytes.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    };
    let own = arguments("self");
    if own.get(1).map(String::as_str) != Some("-cc1") {
        return false;
    }
    let parent = std::os::unix::process::parent_id().to_string();
    let mut driver = arguments(&parent);
    // The program's real name: cc may be a link to it. And what it read from argument files.
    if let (Ok(program), Some(first)) = (std::fs::read_link(format!("/proc/{parent}/exe")), driver.first_mut()) {
        *first = program.to_string_lossy().into_owned();
    }
    let driver: Vec<String> = driver.into_iter().flat_map(expand_file).collect();
    let after =
        |flag: &str| own.iter().position(|word| word == flag).and_then(|at| own.get(at + 1)).map_or("", String::as_str);
    Driver::read(&driver)
        .is_some_and(|driver| !driver.device_only || !driver.is_first(after("-triple"), after("-target-cpu")))
}

/// The words of an argument file `@FILE`; any other word is itself.
fn expand_file(word: String) -> Vec<String> {
    match word.strip_prefix('@').and_then(|file| std::fs::read_to_string(file).ok()) {
        Some(text) => text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_string()).collect(),
        None => vec![word],
    }
}

/// What a clang driver's command line says about its compilations.
struct Driver<'a> {
    device_only: bool,
    /// Values of `-fopenmp-targets=`.
    targets: Vec<&'a str>,
    /// Values of `--offload-arch=`.
    processors: Vec<&'a str>,
}

impl<'a> Driver<'a> {
    fn read(arguments: &'a [String]) -> Option<Driver<'a>> {
        let is_compiler = |word: &String| {
            word.rsplit('/').next().is_some_and(|name| name.contains("clang") || name.contains("flang"))
        };
        if !arguments.iter().take(2).any(is_compiler) || arguments.iter().any(|word| word == "-cc1") {
            return None;
        }
        let values = |flag: &str| {
            arguments.iter().filter_map(|word| word.strip_prefix(flag)).flat_map(|list| list.split(',')).collect()
        };
        // The last of these words counts.
        const SIDES: [(&str, bool); 4] = [
            ("--offload-device-only", true),
            ("--cuda-device-only", true),
            ("--offload-host-device", false),
            ("--cuda-compile-host-device", false),
        ];
        let sides = arguments.iter().rev().find_map(|word| SIDES.iter().find(|(flag, _)| word == flag));
        Some(Driver {
            device_only: sides.is_some_and(|(_, device_only)| *device_only),
            targets: values("-fopenmp-targets="),
            processors: values("--offload-arch="),
        })
    }

    /// Whether a device compilation is the first one; also where the command line does not tell.
    fn is_first(&self, triple: &str, processor: &str) -> bool {
        let architecture = |triple: &'a str| triple.split('-').next().unwrap_or("");
        let later = |list: &[&str], own: &str| list.iter().position(|entry| *entry == own).is_some_and(|at| at > 0);
        let targets: Vec<&str> = self.targets.iter().map(|target| architecture(target)).collect();
        !later(&targets, triple.split('-').next().unwrap_or("")) && !later(&self.processors, processor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ipda_models::report::TransformationState;

    #[test]
    fn facts_survive_the_way_through_the_object() {
        let told = Transformation {
            state: TransformationState::Left,
            threads: Vec::new(),
            is_interchange: false,
            gain: None,
            conditions: Vec::new(),
            reasons: vec!["a: reason, with \"signs\"".into()],
            clause: None,
        };
        let facts = vec![
            KernelFacts {
                kernel: "__omp_offloading_1_2_f_l3".into(),
                schedules: vec![
                    DeviceSchedule { schedule: Schedule::StaticChunked, chunk: None },
                    DeviceSchedule { schedule: Schedule::StaticChunked, chunk: Some(1) },
                ],
                outcome: Outcome {
                    told: Some(told),
                    factors: vec!["1*s32.2".parse().expect("a sum"), "-1 + 3*u64.1^2*s32.2".parse().expect("a sum")],
                },
            },
            KernelFacts {
                kernel: "__omp_offloading_1_2_g_l9".into(),
                schedules: vec![],
                outcome: Outcome::default(),
            },
        ];
        assert_eq!(parse(&write(&facts)), Some(facts));
        assert_eq!(parse("ipda facts 999\n"), None);
    }

    #[test]
    fn broken_binaries_are_no_images() {
        let mut images = Vec::new();
        read_binaries(b"", &mut images);
        read_binaries(&[0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0, 255, 255], &mut images);
        read_binaries(&[[0x10, 0xff, 0x10, 0xad].as_slice(), &[0xff; 60]].concat(), &mut images);
        assert!(images.is_empty());
    }

    #[test]
    fn the_driver_tells_whether_the_host_follows() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let device_only = |text: &str| Driver::read(&words(text)).map(|driver| driver.device_only);
        assert_eq!(device_only("/usr/bin/clang-19 -fopenmp -c a.c"), Some(false));
        assert_eq!(device_only("clang -fopenmp --offload-device-only -c a.c"), Some(true));
        assert_eq!(device_only("bash -c something"), None);

        let two = words("clang -fopenmp --offload-arch=sm_80,sm_90 --offload-device-only a.c");
        let two = Driver::read(&two).expect("a driver");
        assert!(two.is_first("nvptx64-nvidia-cuda", "sm_80"));
        assert!(!two.is_first("nvptx64-nvidia-cuda", "sm_90"));
        let mixed = words("clang -fopenmp-targets=nvptx64,x86_64-pc-linux-gnu --offload-device-only a.c");
        let mixed = Driver::read(&mixed).expect("a driver");
        assert!(mixed.is_first("nvptx64-nvidia-cuda", "sm_90"));
        assert!(!mixed.is_first("x86_64-pc-linux-gnu", "x86-64"));
    }
}
