//! One region, from IR to what is reported: loops with trip counts, accesses with addresses, strides, transactions.

pub(crate) mod access;
mod analysis;
mod branches;
mod counterpart;
mod executions;
mod expressions;
mod false_sharing;
pub(crate) mod group;
mod halving;
mod lengths;
mod likely;
mod loops;
mod objects;
mod schedule;
mod source;
mod stride;

use crate::analysis::lower::{KnownPhi, Lowering, Threads, is_thread_register};
use crate::analysis::maps::SectionLength;
use crate::analysis::names::Names;
use crate::common::budget::{Budget, Stage};
use crate::common::reject::{RejectLog, RejectReason};
use crate::openmp::flatten::Flat;
use crate::openmp::nest::{Nest, SharedLoop};
use crate::openmp::outline::TargetRegion;
use crate::openmp::{self, ExecutionMode};
use ipda_llvm::{Cfg, FunctionCopy, Value};
use ipda_models::report::{
    Capture, Class, FunctionNote, LaunchClauses, Limit, Location, Mode, Quantity, Region, RegionKind, Totals, ValueType,
};
use ipda_models::summary::Expressions;
use ipda_models::table::Reading;
use ipda_symbolic::{Interval, Polynomial, Signedness};
use rustc_hash::FxHashMap;

use analysis::Reported;
pub(crate) use analysis::{Analysis, DeviceSchedule, Setting};
pub(crate) use counterpart::Counterpart;
pub(crate) use source::{NUMBER_OF_LOOP, Role, SourceLoop};

/// What is said of a region, the schedules of its shared loops, and its loops as they are known after optimisation.
pub(crate) struct Analysed {
    pub region: Region,
    pub schedules: Vec<DeviceSchedule>,
    pub loops: Vec<SourceLoop>,
    /// How the bits of the captured variables are read.
    pub readings: Vec<Option<Reading>>,
    /// The expressions of the region, where it is the host's and was understood.
    pub expressions: Option<Expressions>,
}

/// What is asked of one analysis of a region.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// What a report says of it.
    pub description: bool,
    /// What may be done with its loops, and other work on the analysis.
    pub work: bool,
}

/// Analyses a flattened region once, and answers what is asked. The answers share what is known of the loops, and nothing else: each has all the
/// steps that are left, so that what is reported changes nothing that is done. What is not understood is in the description's `rejects`.
pub(crate) fn answer<P>(
    setting: &Setting<'_>,
    region: &TargetRegion,
    flat: &Flat,
    asked: Asked,
    plan: impl FnOnce(Result<Begun<'_>, RejectLog>) -> P,
) -> (Option<Analysed>, Option<P>) {
    let mut log = flat.log.clone();
    let blank = empty_region(setting, region);
    let copy = match &flat.code {
        Ok(copy) => copy,
        Err(reason) => {
            log.add(reason.clone(), Some(blank.location.clone()));
            let description = asked.description.then(|| Analysed::without_code(blank, log.clone()));
            return (description, asked.work.then(|| plan(Err(log))));
        }
    };
    let given = Given { names: Names::read(copy), lengths: &[] };
    let mut plan = asked.work.then_some(plan);
    let mut description = None;
    let answers = prepared(setting, region, copy, given, &mut log, |mut analysis, log| {
        let mut result = blank.clone();
        analysis.loops(&mut result);
        let begun = Begun { analysis, result, log: log.clone() };
        let plan = plan.take().map(|plan| plan(Ok(begun.clone())));
        description = asked.description.then(|| begun.describe(region));
        plan
    });
    if answers.is_none() {
        description = asked.description.then(|| Analysed::without_code(blank.clone(), log.clone()));
    }
    let description = description.map(|first| with_lengths(setting, region, copy, blank, first));
    (description, answers.unwrap_or_else(|| plan.map(|plan| plan(Err(log)))))
}

/// The same description where it may say more once the lengths of what is mapped are taken not to be negative.
fn with_lengths(
    setting: &Setting<'_>,
    region: &TargetRegion,
    copy: &FunctionCopy,
    blank: Region,
    without: Analysed,
) -> Analysed {
    let parameters = copy.function().params().len();
    // A launch of the host's is seen in its own module, or by a device's compilation there.
    let lengths = match (setting.maps, setting.counterpart) {
        (Some(maps), _) => maps.lengths(parameters),
        (None, Some(counterpart)) => &counterpart.lengths[..],
        (None, None) => &[],
    };
    if lengths.is_empty() || !lengths::may_tell_more(&without.region) {
        return without;
    }
    let mut log = RejectLog::of(without.region.rejects.clone());
    let given = Given { names: Names::read(copy), lengths };
    let with = prepared(setting, region, copy, given, &mut log, |mut analysis, log| {
        let mut result = blank;
        analysis.loops(&mut result);
        Begun { analysis, result, log: log.clone() }.describe(region)
    });
    match with {
        Some(mut with) => {
            lengths::tell_use(&mut with.region, &without.region);
            with
        }
        None => without,
    }
}

/// An analysis that knows the loops of a region, what is said of them, and what was left alone.
#[derive(Clone)]
pub(crate) struct Begun<'a> {
    pub analysis: Analysis<'a>,
    pub result: Region,
    pub log: RejectLog,
}

impl Begun<'_> {
    fn describe(self, region: &TargetRegion) -> Analysed {
        let Begun { mut analysis, mut result, mut log } = self;
        let step = analysis.setting.trace.begin("describe", Some(region));
        result.captures = analysis.captures(&analysis.captured);
        analysis.begin(Stage::Accesses);
        analysis.accesses(&mut result);
        analysis.begin(Stage::Branches);
        analysis.branches(&mut result);
        analysis.totals(&mut result);
        result.mapping = analysis.mapping();
        result.limits = analysis.limits();
        result.launch = analysis.launch();
        result.functions = analysis.functions();
        let schedule = |shared: &SharedLoop| DeviceSchedule { schedule: shared.schedule, chunk: shared.chunk.as_int() };
        let schedules = analysis.nest.shared.iter().map(schedule).collect();
        let readings = result.captures.iter().map(|capture| analysis.reading(capture)).collect();
        let loops = analysis.source_loops(&result);
        let expressions = analysis.setting.is_host.then(|| analysis.expressions(&result));
        analysis.end(&mut log);
        step.end(analysis.spent());
        result.rejects = log.into_vec();
        Analysed { region: result, schedules, loops, readings, expressions }
    }
}

impl Analysed {
    fn without_code(mut region: Region, log: RejectLog) -> Analysed {
        region.rejects = log.into_vec();
        Analysed { region, schedules: Vec::new(), loops: Vec::new(), readings: Vec::new(), expressions: None }
    }
}

/// A region of which nothing is said yet but where it is.
pub(crate) fn empty_region(setting: &Setting<'_>, region: &TargetRegion) -> Region {
    Region {
        kind: region.kind,
        function: ipda_llvm::demangle(&region.name.function),
        location: place(setting, region),
        mode: mode(setting, region),
        captures: Vec::new(),
        loops: Vec::new(),
        accesses: Vec::new(),
        groups: Vec::new(),
        branches: Vec::new(),
        totals: Totals::default(),
        mapping: Vec::new(),
        rejects: Vec::new(),
        transformation: None,
        resources: Vec::new(),
        host_code: None,
        on_host: None,
        on_devices: Vec::new(),
        functions: Vec::new(),
        launch: LaunchClauses::default(),
        team_chunk: None,
        team_reduction: region.environment.or(setting.device_environment).and_then(|of| of.team_reduction),
        grid_stride: false,
        limits: Vec::new(),
    }
}

/// The directive's place: the line from the kernel's name, the file from debug information, else the module's.
fn place(setting: &Setting<'_>, region: &TargetRegion) -> Location {
    let function = region.holder().function_location();
    let file = function.map_or_else(|| setting.source.to_string(), |location| location.file);
    Location { file, line: region.name.line, column: 0 }
}

fn mode(setting: &Setting<'_>, region: &TargetRegion) -> Mode {
    if region.kind == RegionKind::Kernel {
        return Mode::Spmd;
    }
    match region.environment.or(setting.device_environment).map(|environment| environment.mode) {
        Some(ExecutionMode::Spmd) => Mode::Spmd,
        Some(ExecutionMode::Generic) => Mode::Generic,
        Some(ExecutionMode::MadeSpmd) => Mode::MadeSpmd,
        None if setting.is_host && !setting.has_device_image => Mode::Unknown,
        None => Mode::AsOnHost,
    }
}

/// What is known of a flattened region beside its code.
pub(crate) struct Given<'a> {
    pub names: Names,
    pub lengths: &'a [SectionLength],
}

/// Makes everything ready that is said of a flattened region, and hands it to `work`. None where a jump leads into a loop.
pub(crate) fn analysed<R>(
    setting: &Setting<'_>,
    region: &TargetRegion,
    copy: &FunctionCopy,
    given: Given<'_>,
    log: &mut RejectLog,
    work: impl FnOnce(&mut Analysis<'_>) -> R,
) -> Option<R> {
    prepared(setting, region, copy, given, log, |mut analysis, log| {
        let done = work(&mut analysis);
        analysis.end(log);
        done
    })
}

/// The same for whoever hands the analysis on: who is the last to ask calls [`Analysis::end`].
fn prepared<R>(
    setting: &Setting<'_>,
    region: &TargetRegion,
    copy: &FunctionCopy,
    Given { mut names, lengths }: Given<'_>,
    log: &mut RejectLog,
    work: impl FnOnce(Analysis<'_>, &mut RejectLog) -> R,
) -> Option<R> {
    let what = if lengths.is_empty() { "analyse" } else { "analyse with lengths" };
    let step = setting.trace.begin(what, Some(region));
    let function = copy.function();
    let cfg = Cfg::new(function);
    let location = place(setting, region);
    if cfg.irreducible {
        // Without natural loops there is nothing to number iterations by.
        step.end(format_args!("entangled"));
        let is_cancel = |call: Value| call.callee().is_some_and(|callee| callee.name() == "__kmpc_cancel");
        let has_cancel =
            cfg.blocks.iter().any(|block| block.instructions().any(|value| value.is_call() && is_cancel(value)));
        log.add(RejectReason::IrreducibleLoop { has_cancel }, Some(location));
        return None;
    }
    let nest = Nest::find(&cfg, log);
    // The first kernel argument of a GPU kernel is the runtime's own.
    let params = function.params();
    let captured = if region.environment.is_some() && !params.is_empty() { &params[1..] } else { &params[..] };

    if let Some(counterpart) = setting.counterpart {
        counterpart.name(captured, &mut names);
    }
    let mut analysis = unread(setting, region, copy, (&cfg, &nest), names, captured);
    for length in lengths {
        analysis.lowering.take_as_not_negative(captured[length.capture], length.bits);
    }
    analysis.lowering.threads = analysis.threads(region);
    analysis.read_registers();
    analysis.trip_counts_from_runtime();
    analysis.lowering.space.set_budget(analysis.steps);
    step.end(analysis.spent());
    Some(work(analysis, log))
}

/// An analysis before anything is looked at.
fn unread<'a>(
    setting: &'a Setting<'a>,
    region: &TargetRegion,
    copy: &'a FunctionCopy,
    (cfg, nest): (&'a Cfg, &'a Nest),
    names: Names,
    captured: &[Value],
) -> Analysis<'a> {
    let handed_out = nest.shared.iter().map(|shared| shared.index).chain(nest.hidden.iter().copied()).collect();
    // Written for threads, or with the device runtime merged into it: no construct is left to say what one thread runs, so its
    // conditions must.
    let tells_threads_apart =
        region.kind == RegionKind::Kernel || copy.function().instructions().any(is_thread_register);
    let mut lowering =
        Lowering::new(copy, cfg, setting.layout, names.variables.clone(), captured, known_phis(nest), handed_out);
    lowering.members.types.clone_from(&names.types);
    if let Some(counterpart) = setting.counterpart {
        lowering.members.known.clone_from(&counterpart.members);
    }
    let environment = region.environment.or(setting.device_environment);
    Analysis {
        setting,
        nest,
        cfg,
        lowering,
        names,
        captured: captured.to_vec(),
        visible: FxHashMap::default(),
        sectors: Polynomial::from(0),
        without_count: 0,
        reported: Reported::default(),
        stage: Stage::default(),
        steps: setting
            .request
            .map_or(setting.budget, |_| Budget::of_request())
            .of_code(copy.function().instructions().count()),
        location: place(setting, region),
        is_spmd: mode(setting, region) == Mode::Spmd || tells_threads_apart,
        is_target: region.kind == RegionKind::Target && !tells_threads_apart,
        has_mode: environment.is_some(),
        max_threads: environment.and_then(|environment| environment.max_threads),
    }
}

/// What runtime calls say of the numbers of shared loops.
fn known_phis(nest: &Nest) -> FxHashMap<Value, KnownPhi> {
    let known = |(position, shared): (usize, &SharedLoop)| {
        let is_chunk_start = nest.shared.iter().any(|inner| inner.distributed_by == Some(position));
        let known = if is_chunk_start { KnownPhi::ChunkStart } else { KnownPhi::IterationNumber(shared.reading) };
        (shared.phi, known)
    };
    nest.shared.iter().enumerate().map(known).collect()
}

impl Analysis<'_> {
    /// Reads all numbers of threads and extents, so that every map of lanes knows them.
    fn read_registers(&mut self) {
        for block in 0..self.cfg.blocks.len() {
            for instruction in self.cfg.blocks[block].instructions().filter(|&value| is_thread_register(value)) {
                self.lowering.value_at(instruction, block);
            }
        }
    }

    /// What is known of threads' numbers before any is read.
    fn threads(&self, region: &TargetRegion) -> Threads {
        let is_number = |call: &Value| call.calls(|name| name == "omp_get_thread_num");
        let calls = self.cfg.blocks.iter().flat_map(|block| block.instructions()).filter(is_number);
        let in_team = calls.filter(|&call| self.nest.parallel_depth(self.cfg, call) == 1);
        Threads::new(self.setting.geometry.lanes, region.extents, in_team.collect())
    }

    fn captures(&self, arguments: &[Value]) -> Vec<Capture> {
        arguments
            .iter()
            .enumerate()
            .map(|(index, &argument)| {
                let (name, ty) = self.lowering.captured(argument);
                Capture { name: name.unwrap_or_else(|| format!("arg{index}")), ty, map: None }
            })
            .collect()
    }

    /// How the analysis reads the bits of a captured variable.
    fn reading(&self, capture: &Capture) -> Option<Reading> {
        let bits: u8 = match capture.ty {
            ValueType::Float => return Some(Reading::Float),
            ValueType::Double => return Some(Reading::Double),
            ValueType::Integer(bits) => u8::try_from(bits).ok().filter(|bits| (1..=64).contains(bits))?,
            _ => return None,
        };
        let space = &self.lowering.space;
        let range = space.find(&format!("[{}]", capture.name)).map(|atom| space.atom_range(atom));
        let is_signed = range.is_none_or(|range| range.is_within(&Interval::of_width(bits.into(), Signedness::Signed)));
        Some(if is_signed { Reading::Signed(bits) } else { Reading::Natural(bits) })
    }

    fn totals(&mut self, result: &mut Region) {
        let mut by_class: Vec<(Class, u32)> = Vec::new();
        for access in &result.accesses {
            match by_class.iter_mut().find(|(class, _)| *class == access.class) {
                Some((_, count)) => *count += 1,
                None => by_class.push((access.class, 1)),
            }
        }
        by_class.sort();
        result.totals.by_class = by_class;
        result.totals.sectors = Some(self.text(&self.sectors));
        result.totals.without_count = self.without_count;
        let mut loops = std::mem::take(&mut result.loops);
        let charged = |access| result.charged_sectors(access);
        for entry in &mut loops {
            let inside = result.accesses.iter().filter(|access| access.in_loop.as_ref() == Some(&entry.id));
            let counts: Vec<Option<u64>> = inside.map(&charged).collect();
            entry.accesses_without_count = counts.iter().filter(|count| count.is_none()).count() as u32;
            entry.sectors = counts.into_iter().flatten().reduce(|sum, count| sum + count);
        }
        result.loops = loops;
    }

    /// The clauses that bound teams and threads, which the host's version hands to the runtime.
    fn launch(&mut self) -> LaunchClauses {
        let mut clauses = LaunchClauses::default();
        for block in 0..self.cfg.blocks.len() {
            for call in self.cfg.blocks[block].instructions().filter(|value| value.is_call()) {
                let args = call.call_args();
                if call.calls(|name| name == "__kmpc_push_num_teams") && args.len() == 4 {
                    (clauses.num_teams, self.reported.clauses[0]) = self.clause(args[2], block);
                    (clauses.thread_limit, self.reported.clauses[1]) = self.clause(args[3], block);
                } else if call.calls(|name| name == "__kmpc_push_num_threads") && args.len() == 3 {
                    (clauses.num_threads, self.reported.clauses[2]) = self.clause(args[2], block);
                }
            }
        }
        clauses
    }

    /// The number that a clause asks for; none where the runtime is told that there is none. Its expression, where that is known.
    fn clause(&mut self, value: Value, block: usize) -> (Option<Quantity>, Option<Polynomial>) {
        if value.as_int().is_some_and(|number| number <= 0) {
            return (None, None);
        }
        let asked = self.lowering.value_at(value, block).value;
        let known = self.lowering.space.per_thread_reason(&asked).is_none();
        let unknown = (!known).then(|| "it is computed in a way that is not followed".into());
        let value = known.then_some(asked);
        (Some(Quantity { value: value.as_ref().map(|asked| self.text(asked)), unknown }), value)
    }

    /// The functions that are believed to write no memory, each once.
    pub(crate) fn functions(&self) -> Vec<FunctionNote> {
        let mut found: Vec<FunctionNote> = Vec::new();
        for call in self.cfg.blocks.iter().flat_map(|block| block.instructions()).filter(|value| value.is_call()) {
            let (Some(callee), Some((effects, known_by))) = (call.callee(), openmp::reported(call)) else { continue };
            let function = ipda_llvm::demangle(&callee.name());
            if !found.iter().any(|note| note.function == function) {
                found.push(FunctionNote { function, effects, known_by, location: call.location() });
            }
        }
        found
    }

    /// The limits that were met.
    pub(crate) fn limits(&self) -> Vec<Limit> {
        let met = self.lowering.limit_hits().into_iter();
        met.map(|(name, count)| Limit { name: name.into(), count }).collect()
    }
}
