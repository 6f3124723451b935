//! Closed forms against predictions with numbers.

mod regions;

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::closed::{Closed, closed, machine_values};
use ipda_models::form::{Leaf, Stage, Step};
use ipda_models::predict::{Machines, Setting, predict};
use ipda_models::report::Report;
use ipda_models::summary::{Bindings, RegionSummary};

fn machines(gpu: &str, cpu: &str, link: &str) -> Machines {
    Machines {
        gpu: Gpu::find(gpu).expect("a GPU"),
        cpu: Cpu::find(cpu).expect("a CPU"),
        link: Link::find(link).expect("a link"),
    }
}

fn summaries() -> Vec<RegionSummary> {
    let texts = [
        regions::gemm(),
        regions::triangle(),
        regions::stencil(),
        regions::reduction(),
        regions::two_loops(),
        regions::collapsed(),
        regions::nested(),
        regions::condition(),
        regions::indirect(),
        include_str!("../../cli/tests/data/built/gather.yaml"),
        include_str!("../../cli/tests/data/built/gemm.yaml"),
        include_str!("../../cli/tests/data/built/mvt.yaml"),
        include_str!("../../cli/tests/data/kinds.yaml"),
    ];
    let of = |text: &&str| Report::from_yaml(text).expect("a report");
    let reports: Vec<Report> = texts.iter().map(of).collect();
    reports
        .iter()
        .flat_map(|report| report.regions.iter().map(|region| RegionSummary::from_report(region, &report.hardware)))
        .collect()
}

#[test]
fn explore() {
    let machines = machines("h200", "epyc-milan", "pcie5");
    let values = machine_values(&machines).unwrap();
    for mut summary in summaries() {
        let Ok(Closed { form, .. }) = closed(&summary, &machines, &Setting::default()) else { println!("{} none", summary.function); continue };
        let late = form.stages().iter().zip(form.steps()).filter(|(stage, step)| **stage == Stage::Launch && !matches!(step, Step::Leaf(_))).map(|(_, s)| *s).collect::<Vec<_>>();
        let divisions = late.iter().filter(|s| matches!(s, Step::Divide(..))).count();
        println!("{} {}: {} steps, {} divisions, {} prepared", summary.function, summary.place, late.len(), divisions, form.prepared().len());
        if std::env::var("SHOW").is_ok_and(|s| s == summary.function) { println!("{form}"); }
        for n in [0.0, 1.0, 7.0, 32.0, 33.0, 100.0, 1024.0, 9600.0, 1e5] {
            let names = summary.names();
            let bindings = Bindings::new(names.iter().map(|name| (name.clone(), n)));
            let found = form.evaluate(|leaf| match leaf {
                Leaf::Machine(key) => values.get(key).copied(),
                Leaf::Captured(_) => Some(n),
                Leaf::HostThreads => values.get("cpu.processors").copied(),
            });
            match predict(&mut summary, &bindings, &machines, &Setting::default()) {
            Ok(p) => {
            let host = p.host.estimate.total().get();
            let kernel = p.device_version().map_or(0.0, |v| v.estimate.total().get());
            let transfers = p.transfers.total().get();
            println!("  {n:8} host {:.3e} {:.3e} {:6.2}  kernel {:.3e} {:.3e} {:6.2}  {:.3e} {:.2}  {} {}", host, found[0], found[0]/host, kernel, found[2]+values["gpu.launch"], (found[2]+values["gpu.launch"])/kernel, transfers, found[3]/transfers, p.host.estimate.bound_by(), p.device_version().unwrap().estimate.bound_by());
            }
            Err(e) => println!("{e}"),
            }
        }
    }
}
