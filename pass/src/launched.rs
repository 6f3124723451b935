//! The regions of a host's module that are launched, and what is known of their launches in front of the optimiser.

use crate::decision::table::{self, Waiting};
use crate::decision::{Offered, Permit, Stay};
use crate::facts;
use crate::ffi::SessionRef;
use crate::machines;
use crate::outline::TargetRegion;
use crate::run::{file_of, maps_of, permits_in};
use inkwell::module::Module;
use ipda_models::options::Options;
use ipda_models::predict::Machines;
use ipda_models::report::Side;
use std::collections::BTreeSet;

/// A region of a host's module that is launched.
pub(crate) struct Launched {
    pub region: TargetRegion,
    title: String,
    pub permit: Result<Permit, Stay>,
    carriers: Vec<table::Carrier>,
    pub waiting: Waiting,
}

impl Launched {
    /// What a launch needs that decides.
    pub(crate) fn offer(&self) -> Option<Offered> {
        let host = self.region.entry;
        let carriers: Vec<u32> = self.carriers.iter().map(|carrier| carrier.entry).collect();
        let permit =
            self.permit.clone().ok().filter(|_| host.is_function() && host.params().len() == carriers.len())?;
        Some(Offered { title: self.title.clone(), permit, carriers, host })
    }
}

/// The regions of a host's module that are launched, and the machines that their predictions are for.
pub(crate) fn launched_in(
    session: SessionRef,
    module: &Module<'_>,
    options: &Options,
) -> (Vec<Launched>, Result<Machines, String>) {
    let maps = maps_of(session, module, Side::Host);
    let images = facts::read(module);
    let processors: Vec<&str> = images.iter().map(|image| &image.processor[..]).collect();
    let machines = machines::machines(options, &processors, module);
    let launched = |(region, permit): (TargetRegion, Result<Permit, Stay>)| {
        let unpredictable = match &machines {
            _ if permit.is_err() => Some("it stays on the device"),
            _ if region.holder().is_not_optimised() => Some("it is compiled without optimisation"),
            Err(reason) => Some(&reason[..]),
            Ok(_) => None,
        };
        let carriers = maps.get(&region.symbol).map(table::carriers).unwrap_or_default();
        let file = file_of(module, &region);
        let waiting = Waiting::new(&region, &file, &permit, unpredictable.map(str::to_owned), carriers.clone());
        Launched { title: table::title(&region, &file), region, permit, carriers, waiting }
    };
    let launched = permits_in(session, module).into_values().map(launched).collect();
    (launched, machines)
}

/// The names of those whose times may be predicted.
pub(crate) fn predictable(launched: &[Launched]) -> BTreeSet<String> {
    let waiting = launched.iter().map(|launched| &launched.waiting).filter(|waiting| waiting.is_predictable());
    waiting.map(|waiting| waiting.kernel().to_owned()).collect()
}
