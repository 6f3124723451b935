//! What kind of module it is.

use crate::openmp::KernelName;
use crate::openmp::outline::{self, TargetRegion};
use inkwell::module::Module;
use ipda_models::report::Side;

/// The file of a region's directive.
pub(super) fn file_of(module: &Module<'_>, region: &TargetRegion) -> String {
    let place = region.holder().function_location().map(|location| location.file);
    place.unwrap_or_else(|| module.get_source_file_name().to_string_lossy().into_owned())
}

/// Whether there is anything to do, found out cheaply: most modules have nothing.
pub(super) fn has_regions(module: &Module<'_>) -> bool {
    let is_region = |symbol: &[u8]| symbol.starts_with(KernelName::PREFIX.as_bytes());
    module.get_functions().any(|function| is_region(function.get_name().to_bytes()))
        || is_for_gpu(module) && outline::has_kernels(module)
}

/// clang marks OpenMP's device modules; of other languages, all code for a GPU is the device's.
pub(super) fn side(module: &Module<'_>) -> Side {
    if module.get_flag("openmp-device").is_some() || is_for_gpu(module) { Side::Device } else { Side::Host }
}

pub(super) fn is_for_gpu(module: &Module<'_>) -> bool {
    let triple = module.get_triple();
    let triple = triple.as_str().to_bytes();
    triple.starts_with(b"nvptx") || triple.starts_with(b"amdgcn")
}

/// The processor that a GPU's module is compiled for.
pub(super) fn processor_of_kernels(module: &Module<'_>) -> Option<String> {
    is_for_gpu(module).then(|| outline::processor(module))?
}

/// The processor by which reports of one source are distinguished: those of other languages than OpenMP come from each device's module.
pub(super) fn processor(module: &Module<'_>) -> Option<String> {
    (is_for_gpu(module) && module.get_flag("openmp-device").is_none()).then(|| outline::processor(module))?
}
