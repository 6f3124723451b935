//! The regions of a host's module that are launched, and what is known of their launches before optimisation.

use super::compilation::Compilation;
use super::module::file_of;
use crate::decision::table::{self, Waiting};
use crate::decision::{self, Eligible, Ineligible, Offered};
use crate::driver::machines;
use crate::facts;
use crate::openmp::flatten::Flat;
use crate::openmp::outline::TargetRegion;
use crate::openmp::{self, Launch};
use ipda_llvm::Value;
use ipda_models::predict::Machines;
use rustc_hash::FxHashMap;

/// The launches of a module.
pub(super) struct Launches {
    by_kernel: FxHashMap<String, Count>,
    shares_memory: bool,
    /// The machines that predictions are for, or why there are none.
    pub machines: Result<Machines, String>,
}

/// How often a kernel is launched, and whether a mapper stands behind what a launch shows.
#[derive(Clone, Copy, Default)]
struct Count {
    launches: usize,
    has_mappers: bool,
}

/// A region of a host's module that is launched.
pub(super) struct Launched {
    /// Its place among the module's regions.
    pub region: usize,
    title: String,
    pub eligibility: Result<Eligible, Ineligible>,
    carriers: Vec<table::Carrier>,
    pub waiting: Waiting,
}

impl Launches {
    pub(super) fn of(compilation: &Compilation<'_, '_>) -> Launches {
        let module = compilation.module;
        let runtime = module.get_function("__tgt_target_kernel");
        let users = runtime.map(|runtime| Value::of(&runtime).users()).unwrap_or_default();
        let mut by_kernel: FxHashMap<String, Count> = FxHashMap::default();
        for launch in users.into_iter().filter_map(Launch::decode) {
            let Some(kernel) = launch.kernel() else { continue };
            let count = by_kernel.entry(kernel).or_default();
            count.launches += 1;
            count.has_mappers |= launch.has_mappers();
        }
        let processors: Vec<&str> = compilation.images().iter().map(|image| &image.processor[..]).collect();
        Launches {
            by_kernel,
            shares_memory: openmp::requires_shared_memory(module),
            machines: machines::machines(&compilation.options, &processors, module),
        }
    }

    /// What is known of a region's launches; none where it is not launched.
    pub(super) fn of_region<'f>(
        &self,
        compilation: &Compilation<'_, '_>,
        number: usize,
        flat: impl FnOnce() -> &'f Flat,
    ) -> Option<Launched> {
        let region = &compilation.regions[number];
        let count = *self.by_kernel.get(&region.symbol)?;
        let eligibility = self.eligibility(compilation, region, count, flat);
        let unpredictable = match &self.machines {
            _ if eligibility.is_err() => Some("it stays on the device"),
            _ if region.holder().is_not_optimised() => Some("it is compiled without optimisation"),
            Err(reason) => Some(&reason[..]),
            Ok(_) => None,
        };
        let carriers = compilation.maps().get(&region.symbol).map(table::carriers).unwrap_or_default();
        let file = file_of(compilation.module, region);
        let waiting = Waiting::new(region, &file, &eligibility, unpredictable.map(str::to_owned), carriers.clone());
        Some(Launched { region: number, title: table::title(region, &file), eligibility, carriers, waiting })
    }

    /// Whether a region may run on the host although a device is there.
    fn eligibility<'f>(
        &self,
        compilation: &Compilation<'_, '_>,
        region: &TargetRegion,
        count: Count,
        flat: impl FnOnce() -> &'f Flat,
    ) -> Result<Eligible, Ineligible> {
        // clang calls the host's version where a launch fails, and where an if clause says so.
        let starts = region.entry.users().into_iter().filter(|user| user.callee() == Some(region.entry)).count();
        match () {
            () if !decision::is_known_host(compilation.module) => Err(Ineligible::OtherHost),
            () if !decision::has_floating_point(compilation.module, region.holder()) => {
                Err(Ineligible::NoFloatingPoint)
            }
            () if self.shares_memory => Err(Ineligible::SharedMemory),
            () if starts > count.launches => Err(Ineligible::OwnCondition),
            () if count.has_mappers => Err(Ineligible::Mapper),
            () => decision::eligibility(flat, compilation.maps().get(&region.symbol), |structural_hash| {
                facts::have_structural_hash(compilation.images(), &region.symbol, structural_hash)
            }),
        }
    }
}

impl Launched {
    /// What a launch needs that decides.
    pub(super) fn offer(&self, region: &TargetRegion) -> Option<Offered> {
        let host = region.entry;
        let carriers: Vec<u32> = self.carriers.iter().map(|carrier| carrier.entry).collect();
        let eligibility =
            self.eligibility.clone().ok().filter(|_| host.is_function() && host.params().len() == carriers.len())?;
        Some(Offered { title: self.title.clone(), eligibility, carriers, host })
    }
}
