//! Which regions' launches may run on the host.

use crate::decision::{self, Permit, Stay};
use crate::facts::{self, DeviceImage};
use crate::ffi::SessionRef;
use crate::ir::{DeclarationGuard, Nameless, Value};
use crate::maps::Maps;
use crate::omp::{self, Launch};
use crate::outline::{self, TargetRegion};
use inkwell::module::Module;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What tells whether the host's versions of a device module's regions are like them, by kernel.
pub(super) fn likenesses(session: SessionRef, module: &Module<'_>) -> BTreeMap<String, u64> {
    let _untouched = DeclarationGuard::new(module);
    let _nameless = Nameless::new(module);
    let regions = outline::find(module);
    let of_region =
        |region: &TargetRegion| Some((region.symbol.clone(), decision::likeness_of_region(session, region)?));
    regions.iter().filter_map(of_region).collect()
}

/// For each region of a host's module that is launched, by its number among all, whether it may run on the host although a device is there.
pub(crate) fn permits_of(
    session: SessionRef,
    module: &Module<'_>,
    maps: &FxHashMap<String, Maps>,
    images: &[DeviceImage],
) -> BTreeMap<usize, (TargetRegion, Result<Permit, Stay>)> {
    let _untouched = DeclarationGuard::new(module);
    let _nameless = Nameless::new(module);
    let Some(runtime) = module.get_function("__tgt_target_kernel") else { return BTreeMap::new() };
    let launches = Value::of(&runtime).users().into_iter().filter_map(Launch::decode);
    // How often, and whether a mapper stands behind what the launch shows.
    let mut launched: FxHashMap<String, (usize, bool)> = FxHashMap::default();
    for (kernel, launch) in launches.filter_map(|launch| Some((launch.kernel()?, launch))) {
        let (count, has_mappers) = launched.entry(kernel).or_default();
        *count += 1;
        *has_mappers |= launch.has_mappers();
    }
    let shares_memory = omp::requires_shared_memory(module);
    let permit = |region: &TargetRegion| {
        let (launches, has_mappers) = *launched.get(&region.symbol)?;
        // clang calls the host's version where a launch fails, and where an if clause says so.
        let starts = region.entry.users().into_iter().filter(|user| user.callee() == Some(region.entry)).count();
        Some(match () {
            () if !decision::is_known_host(module) => Err(Stay::OtherHost),
            () if !decision::has_floating_point(module, region.holder()) => Err(Stay::NoFloatingPoint),
            () if shares_memory => Err(Stay::SharedMemory),
            () if starts > launches => Err(Stay::OwnCondition),
            () if has_mappers => Err(Stay::Mapper),
            () => decision::permit(session, region, maps.get(&region.symbol), |likeness| {
                facts::are_like(images, &region.symbol, likeness)
            }),
        })
    };
    let with_permit = |(number, region): (usize, TargetRegion)| {
        let permit = permit(&region)?;
        Some((number, (region, permit)))
    };
    outline::find(module).into_iter().enumerate().filter_map(with_permit).collect()
}
