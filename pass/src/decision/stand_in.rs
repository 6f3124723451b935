use ipda_models::form::{Form, Leaf, Num, record};
use ipda_models::predict::Machines;
use ipda_models::report::{Hardware, Region};
use ipda_models::summary::RegionSummary;
use std::collections::BTreeMap;

pub(super) fn closed_form(
    region: &Region,
    hardware: &Hardware,
    _machines: &Machines,
) -> Result<(Form, Vec<String>), String> {
    let summary = RegionSummary::from_report(region, hardware);
    let names = summary.names();
    let (form, ()) = record(|| {
        let all: Num = names.iter().map(|name| Num::leaf(Leaf::Captured(name.clone())).max(0.0)).product();
        let host = all * 1e-9 / Num::leaf(Leaf::HostThreads) / Num::leaf(Leaf::Machine("cpu.clock".into()));
        Ok::<_, String>((vec![host, all / Num::leaf(Leaf::Machine("gpu.clock".into())) * 1e-11 + 1e-5], ()))
    })?;
    Ok((form, summary.notes))
}

pub(super) fn machine_values(_: &Machines) -> Result<BTreeMap<String, f64>, String> {
    Ok(BTreeMap::from([("cpu.clock".to_string(), 1.5), ("gpu.clock".to_string(), 1.25)]))
}
