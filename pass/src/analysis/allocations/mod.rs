//! Which arrays that kernels are given are different allocations, as the host's code shows. A device's compilation sees a kernel's parameters
//! alone; the host's module, which clang has made before, shows where the pointers come from that each launch hands over.
//!
//! `launches` finds the launches and what they hand over, `origins` follows pointers to what allocates, through parameters of functions
//! all of whose callers are known, and `memory` through structures and variables whose address nobody else has.
//!
//! What is shown is that two pointers lead to two objects of the host's program. That the kernel then touches no common byte rests on OpenMP:
//! what is mapped is a part of one object (5.2, 5.8.3), and what corresponds to different objects is different memory of the device, which an
//! access behind an object's end does not reach. Where host and device share memory, the objects themselves are meant. A program may put the same
//! memory behind two arrays by `omp_target_associate_ptr`: a module that declares it is left alone.
//!
//! An object that is freed may be followed by another one at its address, but a kernel that touches both uses a pointer whose object has gone,
//! which no program may do: so two objects that are touched by one launch live at the same time.

mod ground;
mod launches;
mod memory;
mod origins;

use ground::Ground;
use inkwell::module::Module;
use launches::Launched;
use origins::Origins;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// The host's code for a device's compilation, which is read when something depends on it.
#[derive(Default)]
pub(crate) struct HostCode {
    file: Option<PathBuf>,
    kernels: OnceCell<FxHashMap<String, Kernel>>,
}

/// What the host's code says of a kernel's parameters.
struct Kernel {
    parameters: usize,
    /// By two of them, the lower number first.
    apart: FxHashMap<[usize; 2], Ground>,
}

impl HostCode {
    /// Of a module in a file: bitcode as clang makes it for the host before it compiles for devices.
    pub(crate) fn of_file(file: Option<PathBuf>) -> HostCode {
        HostCode { file, kernels: OnceCell::new() }
    }

    /// Whether there may be any.
    pub(crate) fn is_there(&self) -> bool {
        self.file.is_some()
    }

    /// The file that it is read from.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether it was read.
    pub(crate) fn is_read(&self) -> bool {
        self.kernels.get().is_some()
    }

    /// Reads it; of how many kernels something is known.
    pub(crate) fn read(&self) -> usize {
        self.kernels().len()
    }

    /// Why two parameters of a kernel, which has so many behind its hidden first one, never lead to common bytes; none where they may.
    pub(crate) fn apart(&self, kernel: &str, parameters: usize, pair: [usize; 2]) -> Option<&Ground> {
        let found = self.kernels().get(kernel)?;
        let pair = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        found.apart.get(&pair).filter(|_| found.parameters == parameters)
    }

    fn kernels(&self) -> &FxHashMap<String, Kernel> {
        let read = |file: &Path| ipda_llvm::with_registers(file, all);
        self.kernels.get_or_init(|| self.file.as_deref().and_then(read).unwrap_or_default())
    }
}

/// Of all kernels of a module.
fn all(module: &Module<'_>) -> FxHashMap<String, Kernel> {
    let launched = launches::find(module);
    let mut origins = Origins::new(module);
    launched.into_iter().map(|(kernel, launches)| (kernel, Kernel::of(&mut origins, &launches))).collect()
}

impl Kernel {
    /// Of all launches of a kernel.
    fn of(origins: &mut Origins, launches: &[Launched]) -> Kernel {
        let parameters = launches.iter().map(|launch| launch.pointers.len()).min().unwrap_or_default();
        let mut kernel = Kernel { parameters, apart: FxHashMap::default() };
        if launches.iter().any(|launch| launch.pointers.len() != parameters) {
            return kernel;
        }
        for a in 0..parameters {
            for b in a + 1..parameters {
                let mut ground = Ground::default();
                let mut apart = launches.iter().map(|launch| launch.apart(origins, a, b));
                if apart.all(|found| found.map(|found| ground.add(found)).is_some()) {
                    kernel.apart.insert([a, b], ground);
                }
            }
        }
        kernel
    }
}
