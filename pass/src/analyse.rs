//! One region, from IR to what people are told: loops with trip counts, accesses with addresses, strides, transactions.

use crate::cfg::{BlockId, Cfg};
use crate::ffi::SessionRef;
use crate::ir::{DataLayout, FunctionCopy, Opcode, SourceType, Value};
use crate::lower::{Guarantees, KnownPhi, Lowering, ObjectKind, Trips};
use crate::names::Names;
use crate::nest::{Nest, SharedLoop, strip_casts};
use crate::omp::{ExecutionMode, Schedule, Sharing};
use crate::outline::{self, TargetRegion};
use crate::reject::{RejectLog, RejectReason};
use ipda_models::report::{
    Access, AccessKind, Capture, Class, Count, Location, Loop, LoopKind, Mode, ModeKind, Quantity, Region, Stride as StrideText,
    StrideKind, Totals,
};
use ipda_symbolic::{
    Atom, AtomId, CoalescingClass, Coeff, LaneMap, MemoryGeometry, Polynomial, RowEnd, Stride, classify, count_lines, count_sectors,
    greedy_requests, lane_differences,
};
use rustc_hash::FxHashMap;

/// What the analysis needs to know about the module around a region.
pub(crate) struct Setting<'a> {
    pub session: SessionRef,
    pub layout: DataLayout,
    pub geometry: &'a MemoryGeometry,
    pub source: &'a str,
    /// What the device compilation tells of the kernel, when this is the host's.
    pub device_schedules: Option<Vec<DeviceSchedule>>,
    pub device_mode: Option<ExecutionMode>,
    pub is_host: bool,
}

/// How the device compilation hands out the iterations of a shared loop: what the host module cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceSchedule {
    pub schedule: Schedule,
    /// The chunk size, where it is a number.
    pub chunk: Option<i64>,
}

/// Analyses one region. What is not understood is in the result's `rejects`. Also returns the schedules of its shared loops.
pub(crate) fn region(setting: &Setting<'_>, region: &TargetRegion) -> (Region, Vec<DeviceSchedule>) {
    let mut log = RejectLog::default();
    let location = place(setting, region);
    let mode = mode(setting, region);
    let mut result = Region {
        function: crate::ir::demangle(&region.name.function),
        location: location.clone(),
        mode,
        captures: Vec::new(),
        loops: Vec::new(),
        accesses: Vec::new(),
        totals: Totals::default(),
        mapping: Vec::new(),
        rejects: Vec::new(),
    };
    let mut schedules = Vec::new();
    match outline::flatten(setting.session, region.entry, &mut log) {
        Ok(copy) => schedules = describe(setting, region, &copy, &mut result, &mut log),
        Err(reason) => log.add(reason, Some(location)),
    }
    result.rejects = log.into_vec();
    (result, schedules)
}

/// Why a kernel is in the mode that the optimiser gave it.
pub(crate) const MADE_SPMD: &str = "written as generic, and turned into SPMD by the optimiser";

/// The directive's place: the line from the kernel's name, the file from debug information, else the module's.
fn place(setting: &Setting<'_>, region: &TargetRegion) -> Location {
    let function = region.entry.function_location();
    let file = function.map_or_else(|| setting.source.to_string(), |location| location.file);
    Location { file, line: region.name.line, column: 0 }
}

fn mode(setting: &Setting<'_>, region: &TargetRegion) -> Mode {
    let (kind, why) = match region.mode.or(setting.device_mode) {
        Some(ExecutionMode::Spmd) => (ModeKind::Spmd, "all threads start the region together"),
        Some(ExecutionMode::Generic) => {
            (ModeKind::Generic, "one thread of each team runs the code outside of parallel constructs and wakes the others for them")
        }
        Some(ExecutionMode::MadeSpmd) => (ModeKind::MadeSpmd, MADE_SPMD),
        None if setting.is_host => (ModeKind::Unknown, "without the device's object the host's module does not tell how the device runs the region"),
        None => (ModeKind::Unknown, "this target has no execution modes: the region runs as on the host"),
    };
    Mode { kind, why: why.into() }
}

struct Analysis<'a> {
    setting: &'a Setting<'a>,
    nest: &'a Nest,
    cfg: &'a Cfg,
    lowering: Lowering<'a>,
    names: Names,
    /// The reported number of each loop of the CFG that is reported.
    visible: FxHashMap<usize, usize>,
    /// Sectors of the whole region for one iteration of its parallel loop, and how many accesses are not part of it.
    sectors: Polynomial,
    without_count: u32,
    is_spmd: bool,
}

fn describe(
    setting: &Setting<'_>,
    region: &TargetRegion,
    copy: &FunctionCopy,
    result: &mut Region,
    log: &mut RejectLog,
) -> Vec<DeviceSchedule> {
    let function = copy.function();
    let cfg = Cfg::new(function);
    if cfg.irreducible {
        log.add(RejectReason::IrreducibleLoop, Some(result.location.clone()));
    }
    let nest = Nest::find(&cfg, log);
    let names = Names::read(copy);
    // The first kernel argument of a GPU kernel is the runtime's own.
    let params = function.params();
    let captured = if region.mode.is_some() && !params.is_empty() { &params[1..] } else { &params[..] };

    let mut known_phis = FxHashMap::default();
    for (position, shared) in nest.shared.iter().enumerate() {
        let is_chunk_start = nest.shared.iter().any(|inner| inner.distributed_by == Some(position));
        let known = if is_chunk_start { KnownPhi::ChunkStart } else { KnownPhi::IterationNumber };
        known_phis.insert(shared.phi, known);
    }
    let lowering = Lowering::new(copy, &cfg, setting.layout, names.variables.clone(), captured, known_phis);
    let mut analysis = Analysis {
        setting,
        nest: &nest,
        cfg: &cfg,
        lowering,
        names,
        visible: FxHashMap::default(),
        sectors: Polynomial::from(0),
        without_count: 0,
        is_spmd: result.mode.kind == ModeKind::Spmd,
    };
    analysis.trip_counts_from_runtime();
    result.captures = analysis.captures(captured);
    analysis.loops(result);
    analysis.accesses(result);
    analysis.totals(result);
    result.mapping = analysis.mapping();
    nest.shared.iter().map(|shared| DeviceSchedule { schedule: shared.schedule, chunk: shared.chunk.as_int() }).collect()
}

impl Analysis<'_> {
    /// Worksharing loops run from 0 to the number that the runtime is given.
    fn trip_counts_from_runtime(&mut self) {
        for shared in &self.nest.shared {
            let trips = match self.nest.last_iteration(shared) {
                None => Trips::Unknown("the runtime call that prepares the loop has no visible bound".into()),
                Some(last) => {
                    let block = self.cfg.id(self.nest.preparing_call(shared).block()).unwrap_or(0);
                    let mut lowered = self.lowering.value_at(last, block);
                    lowered.value = self.lowering.refine(&lowered.value, block);
                    let one = Polynomial::from(1);
                    let facts = self.lowering.facts_at(block);
                    let positive = self.lowering.space.prove_nonneg(&lowered.value, &facts).is_yes();
                    let exact = lowered.signed || lowered.unsigned || positive && self.lowering.fits_in(&lowered, block);
                    let count = &lowered.value + &one;
                    if exact { Trips::Exactly(count) } else { Trips::Modulo(count) }
                }
            };
            self.lowering.set_trips(shared.index, trips, shared.phi);
        }
    }

    fn captures(&mut self, arguments: &[Value]) -> Vec<Capture> {
        arguments
            .iter()
            .enumerate()
            .map(|(index, &argument)| {
                let (name, ty) = self.lowering.captured(argument);
                Capture { name: name.unwrap_or_else(|| format!("arg{index}")), ty, map: None }
            })
            .collect()
    }

    fn loops(&mut self, result: &mut Region) {
        for index in 0..self.cfg.loops.len() {
            if self.nest.hidden.contains(&index) {
                self.lowering.name_loop(index, "chunk");
                continue;
            }
            let number = self.visible.len();
            self.visible.insert(index, number);
            let variable = self.variable(index);
            let display = match &variable {
                Some((name, true)) => name.clone(),
                Some((name, false)) => format!("#{}", name.replace(", ", "")),
                None => format!("loop{number}"),
            };
            self.lowering.name_loop(index, &display);
        }
        for index in 0..self.cfg.loops.len() {
            let Some(&number) = self.visible.get(&index) else { continue };
            let shared = self.nest.shared_at(index);
            let trips = self.lowering.trip_count(index);
            result.loops.push(Loop {
                id: format!("loop{number}"),
                parent: self.visible_parent(self.cfg.loops[index].parent),
                kind: match shared {
                    None => LoopKind::Sequential,
                    Some(SharedLoop { sharing: Sharing::Teams, .. }) => LoopKind::Distribute,
                    Some(SharedLoop { distributed_by: Some(_), .. }) => LoopKind::DistributeParallelFor,
                    Some(_) => LoopKind::For,
                },
                variable: self.variable(index).map(|(name, _)| name),
                location: self.loop_location(index),
                trips: self.quantity(&trips),
                schedule: shared.map(|shared| self.schedule_text(shared)),
                sectors: None,
                accesses_without_count: 0,
            });
        }
    }

    fn visible_parent(&self, from: Option<usize>) -> Option<String> {
        self.cfg.loop_chain(from).find_map(|at| self.visible.get(&at)).map(|number| format!("loop{number}"))
    }

    /// The loop's source variable, and whether its value is the iteration number itself.
    fn variable(&mut self, index: usize) -> Option<(String, bool)> {
        let natural = &self.cfg.loops[index];
        let number = self.lowering.iteration(index);
        if let Some(shared) = self.nest.shared_at(index) {
            if let Some(name) = shared.phi.counter_name() {
                return Some((name, true));
            }
            return match &self.names.counters.get(&shared.phi)?[..] {
                [] => None,
                [only] => Some((only.name.clone(), only.starts_at_zero && !self.is_scaled(index, shared.phi))),
                several => Some((several.iter().map(|counter| counter.name.as_str()).collect::<Vec<_>>().join(", "), false)),
            };
        }
        let atom = number.as_atom()?;
        // What the loop's test looks at, then the header's phis, then what the body computes first.
        let test = self.cfg.blocks[natural.header].terminator().and_then(Value::branch_condition);
        let tested = test.filter(|test| test.is_instruction()).into_iter().flat_map(Value::operands);
        let computed = natural.blocks.iter().take(3).flat_map(|&block| self.cfg.blocks[block].instructions());
        let candidates: Vec<Value> = tested.chain(computed).collect();
        let mut found = None;
        for value in candidates {
            let Some(name) = self.names.variables.get(&value).cloned() else { continue };
            let in_loop = value.is_instruction() && self.cfg.id(value.block()).is_some_and(|block| natural.contains(block));
            if !in_loop || value.ty().int_bits().is_none() && !value.ty().is_pointer() {
                continue;
            }
            let lowered = self.lowering.lower(value);
            if lowered.value == number {
                return Some((name, true));
            }
            let steps = self.lowering.space.split_affine(&lowered.value, atom);
            if found.is_none() && steps.is_some_and(|(rate, _)| rate.as_constant().is_some_and(|rate| !rate.is_zero())) {
                found = Some((name, false));
            }
        }
        found
    }

    /// Whether a multiple of the iteration number is taken: then the loop's step may not be 1.
    fn is_scaled(&self, index: usize, phi: Value) -> bool {
        let natural = &self.cfg.loops[index];
        phi.users().into_iter().any(|user| {
            let multiplies = matches!(user.opcode(), Some(Opcode::LLVMMul | Opcode::LLVMShl | Opcode::LLVMSub));
            multiplies && self.cfg.id(user.block()).is_some_and(|block| natural.contains(block)) && user.operands().any(Value::is_constant)
        })
    }

    fn loop_location(&self, index: usize) -> Option<Location> {
        let natural = &self.cfg.loops[index];
        let test = self.cfg.blocks[natural.header].terminator().and_then(Value::branch_condition).filter(|value| value.is_instruction());
        if self.nest.shared_at(index).is_some()
            && let Some(location) = test.and_then(Value::location)
        {
            return Some(location);
        }
        let latch = natural.latches.first().and_then(|&latch| self.cfg.blocks[latch].terminator());
        let header = self.cfg.blocks[natural.header].terminator();
        latch.and_then(Value::loop_location).or_else(|| header.and_then(Value::location)).or_else(|| latch.and_then(Value::location))
    }

    fn quantity(&self, trips: &Trips) -> Quantity {
        match trips {
            Trips::Exactly(count) | Trips::Modulo(count) => Quantity { value: Some(self.text(count)), unknown: None },
            Trips::AtMost(count) => Quantity { value: None, unknown: Some(self.at_most(count)) },
            Trips::Unknown(reason) => Quantity { value: None, unknown: Some(reason.clone()) },
        }
    }

    fn at_most(&self, count: &Polynomial) -> String {
        format!("at most {}: the loop can also be left elsewhere", self.text(count))
    }

    fn text(&self, value: &Polynomial) -> String {
        self.lowering.space.display(value).to_string()
    }

    fn chunk(&mut self, shared: &SharedLoop) -> Polynomial {
        let block = self.cfg.id(shared.call.block()).unwrap_or(0);
        self.lowering.value_at(shared.chunk, block).value
    }

    /// The device's own word on the schedules, if it speaks of the same loops.
    fn known_schedules(&self) -> Option<&[DeviceSchedule]> {
        self.setting.device_schedules.as_deref().filter(|all| all.len() == self.nest.shared.len())
    }

    /// The schedule on the device, as far as this module tells it.
    fn device_schedule(&self, shared: &SharedLoop) -> (Schedule, Option<i64>) {
        let position = self.nest.shared.iter().position(|other| other.call == shared.call).unwrap_or(0);
        if let Some(known) = self.known_schedules().and_then(|all| all.get(position)) {
            return (known.schedule, known.chunk);
        }
        // The host hands out blocks by default, the device single iterations.
        match (self.setting.is_host, shared.schedule) {
            (true, Schedule::Static) => (Schedule::StaticChunked, Some(1)),
            (_, schedule) => (schedule, shared.chunk.as_int()),
        }
    }

    fn schedule_text(&mut self, shared: &SharedLoop) -> String {
        let (schedule, chunk) = self.device_schedule(shared);
        let chunk_text = match chunk {
            Some(number) => number.to_string(),
            None => {
                let chunk = self.chunk(shared);
                self.text(&chunk)
            }
        };
        match (shared.sharing, schedule) {
            (Sharing::Teams, Schedule::StaticChunked) => format!("static, chunk {chunk_text}, over teams"),
            (Sharing::Teams, _) => "static, one block for each team".into(),
            (_, Schedule::StaticChunked) if chunk == Some(1) => "static, chunk 1: neighbouring threads take neighbouring iterations".into(),
            (_, Schedule::StaticChunked) => format!("static, chunk {chunk_text}: neighbouring threads are {chunk_text} iterations apart"),
            (_, Schedule::Static) if shared.distributed_by.is_some() => {
                "static, one block for each thread; within a team's chunk that is one iteration".into()
            }
            (_, Schedule::Static) => "static, one block of consecutive iterations for each thread".into(),
            (_, Schedule::Dynamic) => format!("dynamic, chunk {chunk_text}: threads take iterations as they get free"),
            (_, Schedule::Guided) => "guided: threads take shrinking chunks as they get free".into(),
            (_, Schedule::Runtime) => "runtime: chosen by OMP_SCHEDULE when the program runs".into(),
            (_, Schedule::Auto) => "auto: chosen by the implementation".into(),
        }
    }

    /// How the iterations of a loop map to the lanes of a warp; or why that is not fixed.
    fn lane_map(&mut self, shared: &SharedLoop) -> Result<LaneMap, String> {
        let iteration = self.lowering.iteration(shared.index).as_atom().expect("an iteration number is one atom");
        let lanes = self.setting.geometry.lanes;
        let (schedule, chunk) = self.device_schedule(shared);
        let (step, aligned) = match schedule {
            Schedule::StaticChunked => match chunk {
                Some(1) => (Polynomial::from(1), self.chunks_are_aligned(shared)),
                Some(chunk) => (Polynomial::from(chunk), false),
                None => (self.chunk(shared), false),
            },
            // A team's chunk has as many iterations as the team has threads.
            Schedule::Static if shared.distributed_by.is_some() => (Polynomial::from(1), self.chunks_are_aligned(shared)),
            // The runtime gives some threads one iteration more than others, so no single step exists.
            Schedule::Static => return Err(self.block_sentence(shared)),
            Schedule::Dynamic | Schedule::Guided | Schedule::Runtime | Schedule::Auto => {
                let name = match schedule {
                    Schedule::Dynamic => "dynamic",
                    Schedule::Guided => "guided",
                    Schedule::Runtime => "runtime",
                    _ => "auto",
                };
                return Err(format!("with schedule({name}) it is decided while the program runs which thread gets which iteration"));
            }
        };
        Ok(LaneMap { lanes, iteration, step, aligned })
    }

    /// Whether each warp starts at a multiple of its width: the loop starts at 0 and teams take multiples of it.
    fn chunks_are_aligned(&self, shared: &SharedLoop) -> bool {
        let Some(outer) = shared.distributed_by else { return true };
        let chunk = self.nest.shared[outer].chunk;
        match chunk.as_int() {
            // On the host the distribute part has no chunk: the device uses the number of threads.
            Some(_) if self.setting.is_host => true,
            Some(chunk) => chunk % i64::from(self.setting.geometry.lanes) == 0,
            None => strip_casts(chunk).callee().is_some_and(|callee| callee.name() == "__kmpc_get_hardware_num_threads_in_block"),
        }
    }

    fn block_sentence(&mut self, shared: &SharedLoop) -> String {
        let blocks = match self.lowering.trip_count(shared.index) {
            Trips::Exactly(count) | Trips::Modulo(count) => format!("floor({} / threads)", self.text(&count)),
            Trips::AtMost(_) | Trips::Unknown(_) => "many".into(),
        };
        format!("each thread has a block of consecutive iterations, {blocks} or one more of them")
    }

    fn accesses(&mut self, result: &mut Region) {
        for block in 0..self.cfg.blocks.len() {
            for instruction in self.cfg.blocks[block].instructions() {
                for memory in memory_operands(self.setting.layout, instruction) {
                    if let Some(access) = self.access(block, instruction, &memory, result.accesses.len()) {
                        result.accesses.push(access);
                    }
                }
            }
        }
    }

    fn access(&mut self, block: BlockId, instruction: Value, memory: &Memory, number: usize) -> Option<Access> {
        const SHARED_MEMORY: u32 = 3;
        const THREAD_MEMORY: u32 = 5;
        if matches!(memory.pointer.address_space(), SHARED_MEMORY | THREAD_MEMORY) {
            return None;
        }
        let lowered = self.lowering.value_at(memory.pointer, block);
        let address = self.lowering.refine(&lowered.value, block);
        let objects = self.objects(&address);
        if objects.iter().any(|&atom| self.lowering.object(atom) == Some(&ObjectKind::Private)) {
            return None;
        }
        let object = match objects[..] {
            [] => "?".to_string(),
            _ => {
                let names: Vec<String> = objects.iter().map(|&atom| self.object_name(atom)).collect();
                names.join(" or ")
            }
        };

        let shared = self.nest.thread_loop(self.cfg, block).cloned();
        let (stride, geometry) = self.stride(&address, block, instruction, shared.as_ref());
        let offset = self.constant_offset(&address);
        let bytes = memory.bytes;
        let sectors = bytes.and_then(|bytes| count_sectors(&stride, bytes, &offset, &geometry));
        let lines = bytes.and_then(|bytes| count_lines(&stride, bytes, &offset, &geometry));
        let class = match bytes {
            Some(bytes) => classify(&stride, bytes, &geometry),
            None => CoalescingClass::Unknown,
        };
        let greedy = bytes.and_then(|bytes| greedy_requests(&stride, bytes, &geometry));
        let (condition, executions) = self.executions(block, shared.as_ref());
        match (sectors, &executions) {
            (Some(sectors), Ok(count)) => {
                self.sectors = &self.sectors + &count.scale(&Coeff::from(sectors.aligned as i64));
            }
            _ => self.without_count += 1,
        }
        let executions = match executions {
            Ok(count) => Quantity { value: Some(self.text(&count)), unknown: None },
            Err(reason) => Quantity { value: None, unknown: Some(reason) },
        };
        let condition = match (condition, shared.is_none() && !self.runs_in_all_threads(instruction)) {
            (Some(condition), true) => Some(format!("{condition}; one thread of the team")),
            (None, true) => Some("one thread of the team".into()),
            (condition, false) => condition,
        };
        let chain = self.cfg.loop_chain(self.cfg.loop_of(block)).find_map(|at| self.visible.get(&at));
        Some(Access {
            id: format!("acc{number}"),
            in_loop: chain.map(|number| format!("loop{number}")),
            kind: memory.kind,
            object,
            bytes: bytes.unwrap_or(0),
            location: instruction.location(),
            address: self.text(&address),
            stride: self.stride_text(&stride, bytes),
            class: class_text(class),
            sectors: sectors.map(|count| Count { aligned: count.aligned, worst: count.worst }),
            lines: lines.map(|count| Count { aligned: count.aligned, worst: count.worst }),
            greedy_requests: greedy,
            condition,
            executions,
            assumptions: assumptions(lowered.rests_on),
        })
    }

    /// Pointer atoms that the address is built on.
    fn objects(&self, address: &Polynomial) -> Vec<AtomId> {
        let mut found = Vec::new();
        for atom in address.atoms() {
            if self.lowering.object(atom).is_some() && !found.contains(&atom) {
                found.push(atom);
            }
        }
        found
    }

    /// What a person would call the object: `A`, `p->data`, `rows[]` for a pointer read from an array of pointers.
    fn object_name(&self, atom: AtomId) -> String {
        self.object_path(atom).0
    }

    fn object_path(&self, atom: AtomId) -> (String, Option<SourceType>) {
        let Atom::Load { address, .. } = self.lowering.space.atom(atom) else {
            let text = self.text(&Polynomial::from_atom(atom));
            let ty = self.lowering.argument_of(atom).and_then(|argument| self.names.types.get(&argument).copied());
            return (text.trim_start_matches('[').trim_end_matches(']').to_string(), ty);
        };
        let [base, ..] = self.objects(address)[..] else { return ("?".into(), None) };
        let (path, ty) = self.object_path(base);
        let rest = address - &Polynomial::from_atom(base);
        let Some(offset) = rest.as_constant() else { return (format!("{path}[]"), None) };
        let member = offset.to_u64().and_then(|offset| ty?.member(offset));
        match member {
            Some((name, ty)) => (format!("{path}->{name}"), Some(ty)),
            None if offset.is_zero() => (format!("*{path}"), None),
            None => (format!("*({path}+{offset})"), None),
        }
    }

    /// Whether all threads of a team run an instruction that is in no loop over threads.
    fn runs_in_all_threads(&self, instruction: Value) -> bool {
        self.is_spmd && !self.is_after_reduction(instruction) || self.nest.is_parallel(self.cfg, instruction)
    }

    /// Whether the runtime picks the thread that runs an instruction, to combine partial results.
    fn is_after_reduction(&self, instruction: Value) -> bool {
        let block = self.cfg.id(instruction.block());
        std::iter::successors(block, |&at| self.cfg.immediate_dominator(at)).skip(1).any(|at| {
            let condition = self.cfg.blocks[at].terminator().and_then(Value::branch_condition);
            let decider = condition.map(|value| if value.is(Opcode::LLVMICmp) { value.operand(0) } else { value });
            decider.and_then(Value::callee).is_some_and(|callee| callee.name().contains("_reduce"))
        })
    }

    fn stride(
        &mut self,
        address: &Polynomial,
        block: BlockId,
        instruction: Value,
        shared: Option<&SharedLoop>,
    ) -> (Stride, MemoryGeometry) {
        let mut geometry = *self.setting.geometry;
        let Some(shared) = shared else {
            // No loop is shared here: all threads that run this use one address, or only one thread does.
            if !self.runs_in_all_threads(instruction) {
                geometry.lanes = 1;
            }
            let stride = match self.lowering.space.per_thread_reason(address) {
                Some(reason) if geometry.lanes > 1 => Stride::Unknown(reason),
                _ => Stride::Constant(Coeff::from(0)),
            };
            return (stride, geometry);
        };
        let stride = match self.lane_map(shared) {
            Ok(map) => {
                let facts = self.lowering.facts_at(block);
                lane_differences(&mut self.lowering.space, address, &map, &facts)
            }
            Err(reason) => {
                let atom = self.lowering.iteration(shared.index).as_atom().expect("an iteration number is one atom");
                let depends = self.lowering.space.depends_on(address, |at| at == atom);
                match self.lowering.space.per_thread_reason(address) {
                    Some(reason) => Stride::Unknown(reason),
                    None if depends => Stride::Unknown(reason),
                    None => Stride::Constant(Coeff::from(0)),
                }
            }
        };
        (stride, geometry)
    }

    /// The part of the address that is a number: with all bases and symbolic offsets on a line boundary, lane 0 is this far from one.
    fn constant_offset(&self, address: &Polynomial) -> Coeff {
        address.constant_term()
    }

    /// The condition under which the access runs in an iteration of its parallel loop, and how often at most.
    fn executions(&mut self, block: BlockId, shared: Option<&SharedLoop>) -> (Option<String>, Result<Polynomial, String>) {
        let mut count = Polynomial::from(1);
        let mut unknown = None;
        let mut conditions: Vec<Polynomial> = Vec::new();
        let mut unclear = false;
        let mut inner = block;
        for index in self.cfg.loop_chain(self.cfg.loop_of(block)).collect::<Vec<_>>() {
            match self.condition_in_body(index, inner) {
                Some(condition) if condition.as_constant().is_some_and(Coeff::is_one) => {}
                Some(condition) => conditions.push(condition),
                None => unclear = true,
            }
            inner = self.cfg.loops[index].header;
            if shared.is_some_and(|shared| shared.index == index) {
                break;
            }
            if self.nest.hidden.contains(&index) || self.nest.shared_at(index).is_some_and(|shared| shared.sharing == Sharing::Teams) {
                continue;
            }
            match self.lowering.trip_count(index) {
                Trips::AtMost(trips) => unknown = Some(self.at_most(&trips)),
                Trips::Exactly(trips) | Trips::Modulo(trips) => match self.lowering.space.product(&count, &trips) {
                    Some(product) => count = product,
                    None => unknown = Some("the product of the trip counts is too large".to_string()),
                },
                Trips::Unknown(reason) => unknown = Some(reason),
            }
        }
        let mut texts: Vec<String> = conditions.iter().rev().map(|condition| self.text(condition)).collect();
        if unclear {
            texts.push("under a condition that is not followed".into());
        }
        let condition = (!texts.is_empty()).then(|| texts.join(" and "));
        (condition, unknown.map_or(Ok(count), Err))
    }

    /// The condition under which an iteration of a loop comes to `block`.
    fn condition_in_body(&mut self, index: usize, block: BlockId) -> Option<Polynomial> {
        let natural = &self.cfg.loops[index];
        if block == natural.header {
            return Some(Polynomial::from(1));
        }
        // From the body's first block, so that the loop's own test does not count.
        let bodies: Vec<BlockId> =
            self.cfg.successors[natural.header].iter().copied().filter(|&to| natural.contains(to) && to != natural.header).collect();
        match bodies[..] {
            [body] if self.cfg.dominates(body, block) => self.lowering.path_condition(body, block),
            _ => self.lowering.path_condition(natural.header, block),
        }
    }

    fn stride_text(&self, stride: &Stride, bytes: Option<u64>) -> StrideText {
        let empty = StrideText { kind: StrideKind::Unknown, text: None, at_row_ends: None, row_length: None, reason: None };
        if bytes.is_none() {
            return StrideText { reason: Some("the number of bytes is not known".into()), ..empty };
        }
        match stride {
            Stride::Constant(stride) => StrideText { kind: StrideKind::Constant, text: Some(stride.to_string()), ..empty },
            Stride::Vector(lanes) => {
                let lanes: Vec<String> = lanes.iter().map(ToString::to_string).collect();
                StrideText { kind: StrideKind::Vector, text: Some(lanes.join(" ")), ..empty }
            }
            Stride::Symbolic(stride) => StrideText { kind: StrideKind::Symbolic, text: Some(self.text(stride)), ..empty },
            Stride::RowEnds { within, ends } => StrideText {
                kind: StrideKind::RowEnds,
                text: Some(self.text(within)),
                // Of a deeper collapse, the longer rows follow in the same words.
                at_row_ends: Some(self.row_ends(ends, |end| self.text(&end.difference))),
                row_length: Some(self.row_ends(ends, |end| self.text(&end.row_length))),
                ..empty
            },
            Stride::DataDependent { index, index_stride, .. } => {
                let what = if self.lowering.object(*index).is_some() { "pointer" } else { "index" };
                let from = self.index_array(*index);
                let there = self.stride_text(index_stride, Some(1));
                let apart = there.text.map_or_else(String::new, |text| format!(" (stride {text} there)"));
                StrideText { kind: StrideKind::DataDependent, reason: Some(format!("{what} loaded from {from}{apart}")), ..empty }
            }
            Stride::Unknown(reason) => StrideText { reason: Some(reason.clone()), ..empty },
        }
    }

    fn row_ends(&self, ends: &[RowEnd], text: impl Fn(&RowEnd) -> String) -> String {
        ends.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// The array that a loaded value comes from.
    fn index_array(&self, load: AtomId) -> String {
        match self.lowering.space.atom(load) {
            Atom::Load { address, .. } => match self.objects(address)[..] {
                [] => "memory".into(),
                [object, ..] => self.object_name(object),
            },
            _ => "memory".into(),
        }
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
        for entry in &mut result.loops {
            let inside = result.accesses.iter().filter(|access| access.in_loop.as_ref() == Some(&entry.id));
            let (counted, other): (Vec<_>, Vec<_>) = inside.partition(|access| access.sectors.is_some());
            entry.accesses_without_count = other.len() as u32;
            entry.sectors = (!counted.is_empty()).then(|| counted.iter().filter_map(|access| access.sectors).map(|count| count.aligned).sum());
        }
    }

    /// The assumptions about threads that the counts rest on.
    fn mapping(&mut self) -> Vec<String> {
        let mut sentences = Vec::new();
        let lanes = self.setting.geometry.lanes;
        for shared in &self.nest.shared {
            if shared.sharing != Sharing::Threads {
                continue;
            }
            let name = self.variable(shared.index).map_or_else(|| "the parallel loop".to_string(), |(name, _)| format!("loop {name}"));
            if let Ok(map) = self.lane_map(shared) {
                let step = self.text(&map.step);
                let apart = if step == "1" { "1 iteration".into() } else { format!("{step} iterations") };
                let start = if map.aligned { format!(", a warp starting at a multiple of {lanes}") } else { String::new() };
                let sentence = format!("{name}: neighbouring threads of a warp are {apart} apart{start}");
                if !sentences.contains(&sentence) {
                    sentences.push(sentence);
                }
            }
        }
        if self.setting.is_host && !sentences.is_empty() && self.known_schedules().is_none() {
            sentences.push("the device's object is not at hand: its default schedule is assumed".into());
        }
        sentences
    }
}

/// A memory operand of an instruction.
struct Memory {
    kind: AccessKind,
    pointer: Value,
    /// None where the number of bytes is not a constant.
    bytes: Option<u64>,
}

fn memory_operands(layout: DataLayout, instruction: Value) -> Vec<Memory> {
    let one = |kind, pointer, bytes| vec![Memory { kind, pointer, bytes: Some(bytes) }];
    match instruction.opcode() {
        Some(Opcode::LLVMLoad) => one(AccessKind::Load, instruction.operand(0), layout.store_size(instruction.ty())),
        Some(Opcode::LLVMStore) => one(AccessKind::Store, instruction.operand(1), layout.store_size(instruction.operand(0).ty())),
        Some(Opcode::LLVMAtomicRMW) => one(AccessKind::Atomic, instruction.operand(0), layout.store_size(instruction.operand(1).ty())),
        Some(Opcode::LLVMAtomicCmpXchg) => one(AccessKind::Atomic, instruction.operand(0), layout.store_size(instruction.operand(1).ty())),
        Some(Opcode::LLVMCall) => {
            let name = instruction.callee().map(Value::name).unwrap_or_default();
            let size = || instruction.operand(2).as_int().and_then(|bytes| u64::try_from(bytes).ok());
            let to = || Memory { kind: AccessKind::CopyTo, pointer: instruction.operand(0), bytes: size() };
            let from = || Memory { kind: AccessKind::CopyFrom, pointer: instruction.operand(1), bytes: size() };
            let operation = name.strip_prefix("llvm.").unwrap_or(&name).split('.').next().unwrap_or("");
            if !crate::omp::is_block_operation(operation) {
                Vec::new()
            } else if operation != "memset" {
                vec![from(), to()]
            } else if instruction.call_args().len() >= 3 {
                vec![to()]
            } else {
                Vec::new()
            }
        }
        _ => Vec::new(),
    }
}

fn assumptions(rests_on: Guarantees) -> Vec<String> {
    let mut sentences = Vec::new();
    if rests_on.no_signed_wrap {
        sentences.push("signed index arithmetic does not overflow (the language leaves overflow undefined)".into());
    }
    if rests_on.no_unsigned_wrap {
        sentences.push("index arithmetic that the compiler marked free of unsigned overflow does not overflow".into());
    }
    sentences
}

fn class_text(class: CoalescingClass) -> Class {
    match class {
        CoalescingClass::Uniform => Class::Uniform,
        CoalescingClass::Coalesced => Class::Coalesced,
        CoalescingClass::Strided => Class::Strided,
        CoalescingClass::Uncoalesced => Class::Uncoalesced,
        CoalescingClass::Symbolic => Class::Symbolic,
        CoalescingClass::DataDependent => Class::DataDependent,
        CoalescingClass::Unknown => Class::Unknown,
    }
}
