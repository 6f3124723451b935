//! The machines of closed forms: each number that a form takes of them has a key, by which a launch finds its value.

use std::collections::BTreeMap;

use crate::cpu::extended as host;
use crate::form::{Leaf, Num};
use crate::gpu::extended::{Cost, Parameters};
use crate::gpu::geometry::Device;
use crate::gpu::occupancy::LimitsLater;
use crate::machine::{cpu_machine, gpu_machine, link, runtime_device};
use crate::predict::{Machines, PredictError};
use crate::report::InstructionClass;
use crate::spread::{Cause, is_estimated};
use crate::summary::Width;

/// Levels of a CPU's caches; a CPU that has fewer has its last one again before the memory.
const LEVELS: usize = 3;

/// Numbers of threads of a core that have SMT throughputs of their own; numbers between count as the one below.
const SMT: [u32; 5] = [1, 2, 3, 4, 8];

/// The value of every key that forms have for machines.
///
/// # Errors
/// If a description lacks a value that nothing can stand in for.
pub fn machine_values(machines: &Machines) -> Result<BTreeMap<String, f64>, PredictError> {
    let mut numbers = Numbers::of(machines)?;
    Ok(numbers.by_keys().into_iter().filter_map(|(key, number)| Some((key, number.known()?))).collect())
}

/// What forms take of machines.
pub(super) struct Numbers {
    pub(super) gpu: Parameters,
    pub(super) limits: LimitsLater,
    pub(super) runtime: Device,
    pub(super) costs: BTreeMap<InstructionClass, Cost>,
    /// Seconds.
    pub(super) launch: Num,
    pub(super) cpu: host::Parameters,
    /// Of the host.
    pub(super) processors: Num,
    /// Seconds to make one of its threads; 0 where nobody knows.
    pub(super) thread: Num,
    /// The squares of the logarithms of what the descriptions of device and host may be off by.
    pub(super) unsure: [Num; 2],
    /// Instructions that the host starts in a cycle.
    pub(super) width: Num,
    /// By LLVM's names of processors that are described, whether the host is one: 1 or 0. Others have no key, as every machine must have a
    /// value for each.
    pub(super) is: BTreeMap<String, Num>,
    /// By the names of [`Link`](crate::transfer::Link)'s fields.
    pub(super) link: BTreeMap<&'static str, Num>,
}

impl Numbers {
    fn of(machines: &Machines) -> Result<Numbers, PredictError> {
        let (gpu, cpu) = (gpu_machine(&machines.gpu)?, cpu_machine(&machines.cpu)?);
        let unsure = [is_estimated(&gpu.rests), is_estimated(&cpu.rests)];
        let (gpu, cpu) = (gpu.machine, cpu.machine);
        let width = machines.cpu.chip.issue_width.as_ref().map_or(Width::USUAL.get(), |width| width.get().get() as f64);
        let is = |name: &str| Num::from(u32::from(name == machines.cpu.processor));
        let targets = ipda_hwdb::cpu_targets();
        let fields = link(&machines.link)?.machine.fields();
        Ok(Numbers {
            limits: (&gpu.limits).into(),
            runtime: (&runtime_device(&machines.gpu)?).into(),
            costs: gpu.costs.iter().map(|(class, cost)| (*class, cost.into())).collect(),
            launch: gpu.launch.get().into(),
            gpu: (&gpu).into(),
            processors: cpu.cores.saturating_mul(cpu.smt_throughput.len() as u64).into(),
            cpu: host::Parameters::from(&cpu).with_threads_of_core(&SMT).with_levels(LEVELS),
            thread: cpu.thread.map_or(0.0, |thread| thread.get()).into(),
            unsure: unsure.map(|is_unsure| if is_unsure { Cause::Estimates.square() } else { 0.0 }.into()),
            width: width.into(),
            is: targets.map(|target| (target.processor.to_string(), is(target.processor))).collect(),
            link: fields.into_iter().map(|(field, value)| (field, value.into())).collect(),
        })
    }

    /// The machines that a launch finds, of which only what their names stand for is like these: a report's warps have so many lanes.
    pub(super) fn later(machines: &Machines, lanes: u32) -> Result<Numbers, PredictError> {
        let mut numbers = Numbers::of(machines)?;
        for (key, number) in numbers.by_keys() {
            *number = Num::leaf(Leaf::Machine(key));
        }
        // There is one of each at least.
        let Device { max_threads, default_threads, max_teams, default_teams, .. } = &mut numbers.runtime;
        let of_gpu = [max_threads, default_threads, max_teams, default_teams, &mut numbers.gpu.multiprocessors];
        for count in of_gpu.into_iter().chain([&mut numbers.cpu.cores, &mut numbers.processors]) {
            *count = count.max(1.0);
        }
        let lanes = f64::from(lanes);
        (numbers.gpu.lanes, numbers.limits.lanes, numbers.runtime.lanes) = (lanes, lanes, lanes.into());
        Ok(numbers)
    }

    /// All of them, by their keys.
    fn by_keys<'a>(&'a mut self) -> Vec<(String, &'a mut Num)> {
        let [of_gpu, of_cpu] = &mut self.unsure;
        let mut all = vec![
            ("gpu.unsure".to_owned(), of_gpu),
            ("cpu.unsure".to_owned(), of_cpu),
            ("cpu.thread".to_owned(), &mut self.thread),
            ("gpu.launch".to_owned(), &mut self.launch),
            ("cpu.processors".to_owned(), &mut self.processors),
            ("cpu.width".to_owned(), &mut self.width),
        ];
        let mut add = |of: &str, numbers: Vec<(String, &'a mut Num)>| {
            all.extend(numbers.into_iter().map(|(key, number)| (format!("{of}.{key}"), number)));
        };
        add("cpu", self.cpu.by_keys());
        add("gpu.runtime", self.runtime.by_keys());
        add("gpu", self.gpu.by_keys());
        add("gpu.limits", self.limits.by_keys());
        for (class, cost) in &mut self.costs {
            add(&format!("gpu.{}", class.name()), cost.by_keys());
        }
        add("cpu.is", self.is.iter_mut().map(|(name, is)| (name.clone(), is)).collect());
        add("link", self.link.iter_mut().map(|(field, rate)| ((*field).to_owned(), rate)).collect());
        all
    }
}
