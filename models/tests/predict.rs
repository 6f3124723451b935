//! Predictions from region to time.

mod regions;

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::machine::{self, Sureness};
use ipda_models::predict::{
    Choice, Comparison, Machines, Model, PredictError, Prediction, Residence, Setting, predict,
};
use ipda_models::quantity::{BytesPerSecond, Seconds};
use ipda_models::report::CostModel;
use ipda_models::spread::Cause;
use ipda_models::summary::{Bindings, Grain, RegionSummary};
use ipda_models::transfer::Pages;
use ipda_models::versions::VersionId;
use proptest::prelude::*;

fn machines(gpu: &str, cpu: &str, link: &str) -> Machines {
    Machines {
        gpu: Gpu::find(gpu).expect("a GPU"),
        cpu: Cpu::find(cpu).expect("a CPU"),
        link: Link::find(link).expect("a link"),
    }
}

fn milan_and_h200() -> Machines {
    machines("h200", "epyc-milan", "pcie5")
}

fn of(text: &str, pairs: &[(&str, f64)], machines: &Machines, setting: &Setting) -> Result<Prediction, PredictError> {
    let (region, hardware) = regions::region(text);
    let mut summary = RegionSummary::from_report(&region, &hardware);
    let bindings = Bindings::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    predict(&mut summary, &bindings, machines, setting)
}

fn gemm(n: f64) -> [(&'static str, f64); 2] {
    [("n", n), ("m", n)]
}

#[test]
fn every_built_in_machine_can_be_predicted_for() {
    for name in ipda_hwdb::names() {
        let gpu = Gpu::builtin(name).expect("built in");
        let described = machine::gpu_machine(&gpu).unwrap_or_else(|error| panic!("{error}"));
        assert!(described.rests.iter().all(|rest| rest.device == name && !rest.text.is_empty()));
        machine::runtime_device(&gpu).expect("a number of compute units");
    }
    for name in ipda_hwdb::cpu_names() {
        let cpu = Cpu::builtin(name).expect("built in");
        match machine::cpu_machine(&cpu) {
            Ok(described) => assert!(!described.machine.caches.is_empty(), "{name}"),
            // These stand for whole architectures of which not even the number of cores is known.
            Err(error) => assert!(["aarch64", "powerpc64le"].contains(&name), "{error}"),
        }
    }
    for name in ipda_hwdb::link_names() {
        machine::link(&Link::builtin(name).expect("built in")).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn threads_of_a_core_between_known_numbers_are_in_proportion() {
    let power = machine::cpu_machine(&Cpu::builtin("power9").expect("built in")).expect("known");
    let found = &power.machine.smt_throughput;
    assert_eq!(found.len(), 4);
    assert!(
        found.iter().zip([1.0, 1.5, 1.65, 1.8]).all(|(found, expected)| (found - expected).abs() < 1e-9),
        "{found:?}"
    );
}

#[test]
fn what_a_description_lacks_is_named_with_a_remedy() {
    let cpu = Cpu::builtin("aarch64").expect("built in");
    let error = machine::cpu_machine(&cpu).expect_err("not even a clock").to_string();
    assert!(error.starts_with("aarch64 has no `"), "{error}");
    assert!(error.contains("`based_on: aarch64`"), "{error}");
}

#[test]
fn assumptions_name_only_what_was_used() {
    let machines = milan_and_h200();
    let prediction = of(regions::stencil(), &[("n", 1e6)], &machines, &Setting::default()).expect("predicted");
    let key = |key: &str| prediction.rests.iter().find(|rest| rest.key == key);
    assert_eq!(key("chip.clock").map(|rest| rest.sureness), Some(Sureness::Estimate));
    assert!(key("throughput.fp64_divide").is_none(), "nothing divides");
    assert!(key("openmp.dispatch").is_none(), "no dynamic schedule");
    // The device's bandwidth was measured.
    assert!(!prediction.rests.iter().any(|rest| rest.device == "h200" && rest.key == "memory.sustained_bandwidth"));
    let lines = machine::in_short(&prediction.rests);
    let estimates: Vec<_> = lines.iter().filter(|line| line.0.starts_with("of h200 these are estimates")).collect();
    assert_eq!(estimates.len(), 1, "one line for all estimates of a device");
}

#[test]
fn transfers_are_those_of_the_maps() {
    let machines = milan_and_h200();
    let at = |setting: &Setting| {
        of(regions::gemm(), &gemm(1024.0), &machines, setting).expect("predicted").transfers.total().get()
    };
    let link = machine::link(&machines.link).expect("known").machine;
    let size = 4.0 * 1024.0 * 1024.0;
    // A and B there, C both ways; three allocations.
    let expected = 3.0 * size / link.to_device_pageable.get()
        + size / link.from_device_pageable.get()
        + 4.0 * link.latency.get()
        + 3.0 * link.allocation.get();
    assert!((at(&Setting::default()) - expected).abs() < 1e-9 * expected);
    let present = Setting { present: ["A".to_owned(), "B".to_owned()].into(), ..Setting::default() };
    let of_c = size / link.to_device_pageable.get() + size / link.from_device_pageable.get();
    assert!((at(&present) - of_c - 2.0 * link.latency.get() - link.allocation.get()).abs() < 1e-9);
    assert_eq!(at(&Setting { resident: Residence::OnTheDevice, ..Setting::default() }), 0.0);
    assert!(at(&Setting { pages: Pages::Pinned, ..Setting::default() }) < expected);
}

#[test]
fn the_fused_version_runs_and_both_are_reported() {
    let prediction = of(regions::gemm(), &gemm(2048.0), &milan_and_h200(), &Setting::default()).expect("predicted");
    let versions = prediction.device.as_ref().expect("predicted");
    let [written, fused] = &versions[..] else { panic!("two versions") };
    assert_eq!((written.version, written.is_run), (VersionId::AS_WRITTEN, false));
    assert_eq!((fused.version, fused.is_run), (VersionId::new(1), true));
    assert_eq!((written.recipe.name(), fused.recipe.name()), ("as-written".into(), "fused".into()));
    assert!(fused.estimate.total() < written.estimate.total());
    assert_eq!(prediction.device_total(), Some(fused.estimate.total() + prediction.transfers.total()));
    assert_eq!(prediction.comparison().and_then(Comparison::choice), Some(Choice::Device));
}

#[test]
fn no_size_and_sizes_below_it_take_no_time_but_that_of_starting() {
    let machines = milan_and_h200();
    for size in [0.0, -1.0] {
        let at = |text: &str, model: Model| {
            let names = regions::region(text);
            let names = RegionSummary::from_report(&names.0, &names.1).names();
            let pairs: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), size)).collect();
            of(text, &pairs, &machines, &Setting { model, ..Setting::default() }).expect("predicted")
        };
        for model in [Model::Extended, Model::Published, Model::Thesis] {
            // `collapsed` runs [n]*[m] iterations, by its report also where both are below 0.
            let collapsed = (size == 0.0).then(regions::collapsed);
            let all = [regions::gemm(), regions::two_loops(), regions::nested()];
            for text in all.into_iter().chain(collapsed) {
                let prediction = at(text, model);
                assert!(prediction.is_idle(), "{model:?} {}", prediction.function);
                match prediction.comparison() {
                    Some(Comparison::Faster(_, times)) => assert!(times.is_finite() && times >= 1.0, "{times}"),
                    Some(Comparison::Free(_) | Comparison::Neither) => {}
                    None => panic!("the device has a time"),
                }
            }
        }
        assert_eq!(at(regions::gemm(), Model::Thesis).comparison(), Some(Comparison::Free(Choice::Device)));
        assert!(matches!(at(regions::gemm(), Model::Extended).comparison(), Some(Comparison::Faster(..))));
    }
    let prediction = of(regions::gemm(), &gemm(1.0), &machines, &Setting::default()).expect("predicted");
    assert!(!prediction.is_idle());
}

#[test]
fn the_host_counts_what_the_model_of_its_code_says() {
    let prediction = of(regions::gemm(), &gemm(256.0), &milan_and_h200(), &Setting::default()).expect("predicted");
    let (name, cost) = &prediction.host.costs[0];
    assert_eq!(name, "i");
    // 1.5 cycles for the outer body, 2 for each j, 4 for each k.
    let cycles = 1.5 + 256.0 * 2.0 + 256.0 * 256.0 * 4.0;
    assert_eq!(cost.analysed, Some(("znver3".to_owned(), cycles, CostModel::Mca)));
    // Six instructions a cycle; 2 loads by 2 ports are less than 5 / 6 of a cycle but more than nothing.
    let bound = 1.0 + 256.0 * (8.0_f64 / 6.0).max(1.0) + 256.0 * 256.0;
    assert!((cost.three_terms - bound).abs() < 1e-6, "{}", cost.three_terms);
    // Another CPU of the same report: the model's figure for what was compiled for.
    let power = machines("v100", "power9", "nvlink2");
    let prediction = of(regions::gemm(), &gemm(256.0), &power, &Setting::default()).expect("predicted");
    assert_eq!(prediction.host.costs[0].1.analysed.as_ref().map(|(name, ..)| name.as_str()), Some("x86-64"));
    assert!(prediction.notes.iter().any(|note| note.0.contains("not for pwr9")), "{:?}", prediction.notes);
}

#[test]
fn the_published_models_and_the_thesis_set_up() {
    let machines = machines("v100", "power9", "nvlink2");
    let with = |model, n: f64| {
        let setting = Setting { model, threads: Some(4), ..Setting::default() };
        of(regions::gemm(), &gemm(n), &machines, &setting).expect("predicted")
    };
    let published = with(Model::Published, 2048.0);
    let execution = published.device_version().and_then(|version| version.estimate.term("MWP")).map(|term| term.value);
    assert!(execution.is_some_and(|mwp| mwp >= 1.0), "{execution:?}");
    assert!(published.host.estimate.term("Machine_per_iter").is_some());
    // In the thesis's set-up, loops inside of the parallel one run 128 iterations whatever their bounds are.
    let host = |prediction: &Prediction| prediction.host.estimate.term("Machine_per_iter").expect("there").value;
    assert_eq!(host(&with(Model::Thesis, 512.0)), host(&with(Model::Thesis, 2048.0)));
    let cycles = 2.0 + 128.0 * 3.0 + 128.0 * 128.0 * 4.02;
    assert!((host(&with(Model::Thesis, 512.0)) - cycles).abs() < 1e-6);
    let thesis = with(Model::Thesis, 2048.0);
    assert_eq!(thesis.transfers.total(), Seconds::ZERO);
    assert!(thesis.device_version().is_some_and(|version| version.estimate.term("launch").is_none()));
}

#[test]
fn a_nest_of_teams_starts_its_threads_for_each_row() {
    let machines = milan_and_h200();
    let prediction = of(regions::nested(), &[("n", 100.0), ("m", 1000.0)], &machines, &Setting::default());
    let host = prediction.expect("predicted").host.estimate;
    let fork = host.term("fork").expect("there");
    let one = machine::cpu_machine(&machines.cpu).expect("known").machine;
    assert!((fork.value - 100.0 * one.fork.fixed.get() / one.clock.get()).abs() < 1e-12);
}

#[test]
fn all_shapes_have_finite_times() {
    let shapes = [
        regions::triangle(),
        regions::stencil(),
        regions::reduction(),
        regions::two_loops(),
        regions::collapsed(),
        regions::nested(),
        regions::condition(),
        regions::indirect(),
        regions::gemm(),
    ];
    for text in shapes {
        for n in [0.0, 1.0, 2.0, 33.0, 1000.0, 1e5] {
            for model in [Model::Extended, Model::Published, Model::Thesis] {
                let setting = Setting { model, ..Setting::default() };
                let pairs = [("n", n), ("m", n)];
                let prediction = of(text, &pairs, &milan_and_h200(), &setting)
                    .unwrap_or_else(|error| panic!("{error}, n = {n}, {model:?}\n{text}"));
                assert!(prediction.host.estimate.total().get().is_finite());
                assert!(prediction.device_total().is_some_and(|total| total.get().is_finite()));
            }
        }
    }
}

fn times(machines: &Machines, text: &str, n: f64, scale: impl Fn(&mut Machines)) -> (f64, f64) {
    let mut machines = machines.clone();
    scale(&mut machines);
    let prediction = of(text, &[("n", n), ("m", n)], &machines, &Setting::default()).expect("predicted");
    (prediction.host.estimate.total().get(), prediction.device_total().expect("predicted").get())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Through all of it: a faster link never makes anything slower, more work is never faster.
    #[test]
    fn faster_links_and_less_work_are_never_slower(
        shape in 0_usize..5,
        n in 40_u32..3000,
        more in 1_u32..2000,
    ) {
        let shapes = [regions::triangle(), regions::stencil(), regions::reduction(), regions::collapsed(), regions::indirect()];
        let (text, n, more) = (shapes[shape], f64::from(n), f64::from(more));
        let slow = machines("h200", "epyc-milan", "pcie3");
        let (host, device) = times(&slow, text, n, |_| {});
        let (host_then, device_then) = times(&slow, text, n, |machines| machines.link = Link::find("nvlink2").expect("there"));
        prop_assert!(device_then <= device && host_then == host);
        // The transfers alone grow with the data.
        let setting = Setting::default();
        let transfers = |n: f64| of(text, &[("n", n), ("m", n)], &slow, &setting).expect("predicted").transfers.total();
        prop_assert!(transfers(n + more) >= transfers(n));
    }

    /// Machines made from descriptions: more memory bandwidth is never slower.
    #[test]
    fn more_bandwidth_is_never_slower(shape in 0_usize..4, n in 100_u32..100_000, factor in 1.0_f64..8.0) {
        let shapes = [regions::stencil(), regions::reduction(), regions::two_loops(), regions::indirect()];
        let (region, hardware) = regions::region(shapes[shape]);
        let mut summary = RegionSummary::from_report(&region, &hardware);
        let gpu = machine::gpu_machine(&Gpu::builtin("v100").expect("there")).expect("known").machine;
        let bound = summary.bind(&Bindings::new([("n".to_owned(), f64::from(n))])).expect("all values");
        let device = ipda_models::gpu::geometry::RuntimeDevice::NVIDIA;
        let works = bound.device_work("sm_70", &device, Grain { sector: 32.0, line: 128.0 }, None, VersionId::AS_WRITTEN).expect("right").expect("there");
        let mut faster = gpu.clone();
        faster.memory.bandwidth = BytesPerSecond::new(gpu.memory.bandwidth.get() * factor);
        for work in works {
            let time = |machine| ipda_models::gpu::extended::extended(machine, &work.work).expect("right").total();
            prop_assert!(time(&faster) <= time(&gpu));
        }
    }
}

/// Why a kernel and the host's version may be off, and by which factors.
fn doubts(prediction: &Prediction) -> [(Vec<Cause>, f64); 2] {
    let version = prediction.device_version().expect("a version");
    let host = prediction.host.doubt.as_ref().expect("of our model");
    let kernel = version.spread.expect("of our model").factor();
    [(version.causes.clone(), kernel), (host.causes.clone(), host.spread.factor())]
}

#[test]
fn what_nobody_knows_widens_both_spreads() {
    let (region, hardware) = regions::region(regions::gemm());
    let bindings = Bindings::new(gemm(512.0).map(|(name, value)| (name.to_owned(), value)));
    let predicted = |summary: &mut RegionSummary| {
        doubts(&predict(summary, &bindings, &milan_and_h200(), &Setting::default()).expect("a prediction"))
    };
    let known = predicted(&mut RegionSummary::from_report(&region, &hardware));
    let mut summary = RegionSummary::from_report(&region, &hardware);
    summary.calls_are_unseen = true;
    let calling = predicted(&mut summary);
    for ((before, narrow), (causes, wide)) in known.into_iter().zip(calling) {
        assert!(!before.contains(&Cause::UnseenCalls) && causes.contains(&Cause::UnseenCalls));
        // Other parts of the time, such as threads to be made, are as sure as before.
        assert!(wide > narrow && wide <= (narrow.ln().hypot(3.0_f64.ln())).exp() * (1.0 + 1e-9), "{narrow} to {wide}");
    }
}

#[test]
fn models_of_others_tell_no_spread() {
    let setting = Setting { model: Model::Published, ..Setting::default() };
    let prediction = of(regions::gemm(), &gemm(512.0), &milan_and_h200(), &setting).expect("a prediction");
    let version = prediction.device_version().expect("a version");
    assert!(prediction.host.doubt.is_none() && version.spread.is_none());
    assert_eq!((prediction.device_spread(version), prediction.launch_choice()), (None, None));
}

#[test]
fn a_launch_takes_the_host_only_where_that_is_sure_enough() {
    // A POWER9 that nobody measured, with a V100, and threads that may have to be made.
    let machines = machines("v100", "power9", "nvlink2");
    let setting = Setting { threads: Some(4), ..Setting::default() };
    let at = |n: f64| of(regions::gemm(), &gemm(n), &machines, &setting).expect("a prediction");
    let (mut taken, mut doubted) = (0, 0);
    for n in (1..400).map(f64::from) {
        let prediction = at(n);
        let (host, device) = (prediction.host.estimate.total(), prediction.device_total().expect("a time"));
        match (host < device, prediction.launch_choice().expect("a choice")) {
            (true, Choice::Host) => taken += 1,
            (true, Choice::Device) => doubted += 1,
            (false, choice) => assert_eq!(choice, Choice::Device, "{n}"),
        }
    }
    assert!(taken > 0 && doubted > 0, "{taken} on the host, {doubted} in doubt");
}
