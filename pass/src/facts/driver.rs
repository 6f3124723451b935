//! What the compiler's driver lets other compilations do with the same regions.

use ipda_models::files;
use std::path::PathBuf;

/// A device's compilation among those of one call of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Whether the host's compilation follows.
    pub host_follows: bool,
    /// Whether that gets this one's image, and reads what is left in it.
    pub is_embedded: bool,
    /// Whether it is the first of several devices.
    pub is_first: bool,
}

impl Place {
    const ALONE: Place = Place { host_follows: false, is_embedded: false, is_first: true };

    /// Of this device compilation. The compiler process itself does not know; its parent, the driver, has it on the command line. Where that cannot
    /// be read, nobody else is expected to speak. `IPDA_REMARKS=here|off` decides by hand.
    pub(crate) fn find() -> Place {
        let own = arguments("self");
        if own.get(1).map(String::as_str) != Some("-cc1") {
            return Place::ALONE;
        }
        let parent = std::os::unix::process::parent_id().to_string();
        let mut driver = arguments(&parent);
        // The program's real name: cc may be a link to it. And what it read from argument files.
        if let (Ok(program), Some(first)) = (std::fs::read_link(format!("/proc/{parent}/exe")), driver.first_mut()) {
            *first = program.to_string_lossy().into_owned();
        }
        let driver: Vec<String> = driver.iter().flat_map(|word| files::argument_words(word)).collect();
        let after = |flag: &str| after(&own, flag).unwrap_or_default();
        Driver::read(&driver).map_or(Place::ALONE, |driver| Place {
            host_follows: !driver.device_only,
            is_embedded: !driver.device_only && driver.makes_objects,
            is_first: driver.is_first(after("-triple"), after("-target-cpu")),
        })
    }
}

/// The host's module, which clang's driver has made before and names to compilations for devices.
pub(crate) fn host_code() -> Option<PathBuf> {
    let own: Vec<String> = arguments("self").iter().flat_map(|word| files::argument_words(word)).collect();
    let is_compiler = own.get(1).is_some_and(|word| word == "-cc1" || word == "-fc1");
    after(&own, "-fopenmp-host-ir-file-path").filter(|_| is_compiler).map(PathBuf::from)
}

/// The words on a process's command line.
fn arguments(process: &str) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    bytes.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn after<'a>(arguments: &'a [String], flag: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|word| word == flag)?;
    arguments.get(at + 1).map(String::as_str)
}

/// What a clang driver's command line says about its compilations.
struct Driver<'a> {
    device_only: bool,
    /// Not where the text of assembly or of LLVM is asked for.
    makes_objects: bool,
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
            makes_objects: !arguments.iter().any(|word| word == "-S"),
            targets: values("-fopenmp-targets="),
            processors: values("--offload-arch="),
        })
    }

    /// Whether a device compilation is the first one; also where the command line does not say.
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
