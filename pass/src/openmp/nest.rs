//! The loops of a flattened region and what OpenMP makes of them: which runtime call prepares which loop, who shares
//! its iterations, and where the code is parallel.

use crate::common::reject::{RejectLog, RejectReason};
use crate::openmp::{self, Call, Schedule, Sharing, Worksharing};
use ipda_llvm::{BlockId, Cfg, Opcode, Value};
use ipda_symbolic::Signedness;

/// A loop whose iterations are shared among teams or threads.
#[derive(Debug, Clone)]
pub(crate) struct SharedLoop {
    /// The loop over iterations, by index in the [`Cfg`].
    pub index: usize,
    /// Its variable: clang's normalised iteration number.
    pub phi: Value,
    pub sharing: Sharing,
    pub schedule: Schedule,
    pub chunk: Value,
    /// How the runtime reads iteration numbers.
    pub reading: Signedness,
    /// The number of the last iteration, as a value before the loop.
    pub last: Option<Value>,
    /// For the thread part of `distribute parallel for`: the `distribute` part, by position in [`Nest::shared`].
    pub distributed_by: Option<usize>,
    /// The runtime call that prepares the loop.
    pub call: Value,
}

/// Code between the marks that [`super::flatten`] leaves around a parallel region's body.
#[derive(Debug, Clone, Copy)]
struct ParallelExtent {
    begin: Value,
    end: Option<Value>,
}

/// The OpenMP structure of a flattened region.
pub(crate) struct Nest {
    pub shared: Vec<SharedLoop>,
    /// Loops over chunks, and the team's part of combined constructs: they exist in the code, not in the source.
    pub hidden: Vec<usize>,
    extents: Vec<ParallelExtent>,
}

impl Nest {
    pub(crate) fn find(cfg: &Cfg, log: &mut RejectLog) -> Nest {
        let mut nest = Nest { shared: Vec::new(), hidden: Vec::new(), extents: Vec::new() };
        let mut dispatched: Option<(Schedule, Value, Value, Value)> = None;
        for &block in &cfg.blocks {
            for call in block.instructions().filter(|value| value.is_call()) {
                match openmp::decode(call) {
                    Ok(Call::StaticInit(init)) => nest.static_loop(cfg, init, log),
                    Ok(Call::DispatchInit { schedule, first, last, chunk }) => {
                        dispatched = Some((schedule, first, last, chunk))
                    }
                    Ok(Call::DispatchNext { lower, reading }) => {
                        if let Some(init) = dispatched.take() {
                            nest.dispatched_loop(cfg, call, lower, reading, init, log);
                        }
                    }
                    Ok(Call::ParallelMark(true)) => nest.extents.push(ParallelExtent { begin: call, end: None }),
                    Ok(Call::ParallelMark(false)) => {
                        if let Some(open) = nest.extents.iter_mut().rev().find(|extent| extent.end.is_none()) {
                            open.end = Some(call);
                        }
                    }
                    _ => {}
                }
            }
        }
        nest
    }

    fn static_loop(&mut self, cfg: &Cfg, init: Worksharing, log: &mut RejectLog) {
        let Some((index, phi)) = loop_starting_at(cfg, init.lower) else {
            let runtime = init.call.callee().map(Value::name).unwrap_or_default();
            log.add(RejectReason::LoopNotFound { runtime }, init.call.location());
            return;
        };
        self.hide_chunk_loops(cfg, index, init.call);
        let first = stored_before(cfg, init.call, init.lower);
        let distributed_by = match init.sharing {
            Sharing::Threads => first.and_then(|first| self.distribute_part(first)),
            Sharing::Teams => None,
        };
        if let Some(outer) = distributed_by {
            self.hidden.push(self.shared[outer].index);
        }
        self.shared.push(SharedLoop {
            index,
            phi,
            sharing: init.sharing,
            schedule: init.schedule,
            chunk: init.chunk,
            reading: init.reading,
            last: stored_before(cfg, init.call, init.upper),
            distributed_by,
            call: init.call,
        });
    }

    fn dispatched_loop(
        &mut self,
        cfg: &Cfg,
        call: Value,
        lower: Value,
        reading: Signedness,
        (schedule, first, last, chunk): (Schedule, Value, Value, Value),
        log: &mut RejectLog,
    ) {
        let Some((index, phi)) = loop_starting_at(cfg, lower) else {
            let runtime = call.callee().map(Value::name).unwrap_or_default();
            log.add(RejectReason::LoopNotFound { runtime }, call.location());
            return;
        };
        if let Some(parent) = cfg.loops[index].parent
            && cfg.id(call.block()).is_some_and(|block| cfg.loops[parent].contains(block))
        {
            self.hidden.push(parent);
        }
        let distributed_by = self.distribute_part(first);
        if let Some(outer) = distributed_by {
            self.hidden.push(self.shared[outer].index);
        }
        self.shared.push(SharedLoop {
            index,
            phi,
            sharing: Sharing::Threads,
            schedule,
            chunk,
            reading,
            last: Some(last),
            distributed_by,
            call,
        });
    }

    /// Loops around the iterations that the preparing call is not part of: they run over chunks.
    fn hide_chunk_loops(&mut self, cfg: &Cfg, index: usize, call: Value) {
        let Some(block) = cfg.id(call.block()) else { return };
        self.hidden
            .extend(cfg.loop_chain(cfg.loops[index].parent).take_while(|&outer| !cfg.loops[outer].contains(block)));
    }

    /// The `distribute` loop whose chunk begins at `first`.
    fn distribute_part(&self, first: Value) -> Option<usize> {
        let first = strip_casts(first);
        let address = first.is(Opcode::LLVMLoad).then(|| first.operand(0));
        self.shared.iter().rposition(|outer| {
            let starts_there = || address.is_some_and(|address| outer.call.call_args().contains(&address));
            outer.sharing == Sharing::Teams && (first == outer.phi || starts_there())
        })
    }

    /// The shared loop that a loop of the CFG is.
    pub(crate) fn shared_at(&self, index: usize) -> Option<&SharedLoop> {
        self.shared.iter().find(|shared| shared.index == index)
    }

    /// The loop whose iterations go to the threads that run an instruction of `block`: the outermost one, since nested
    /// parallel regions run on one thread.
    pub(crate) fn thread_loop(&self, cfg: &Cfg, block: BlockId) -> Option<&SharedLoop> {
        cfg.loop_chain(cfg.loop_of(block))
            .filter_map(|index| self.shared_at(index))
            .filter(|shared| shared.sharing == Sharing::Threads)
            .last()
    }

    /// Whether several threads run an instruction.
    pub(crate) fn is_parallel(&self, cfg: &Cfg, instruction: Value) -> bool {
        self.parallel_depth(cfg, instruction) > 0
    }

    /// How many parallel regions are around an instruction.
    pub(crate) fn parallel_depth(&self, cfg: &Cfg, instruction: Value) -> usize {
        let is_inside = |extent: &&ParallelExtent| {
            comes_first(cfg, extent.begin, instruction)
                && !extent.end.is_some_and(|end| comes_first(cfg, end, instruction))
        };
        self.extents.iter().filter(is_inside).count()
    }

    /// The trip counts that runtime calls say are those of the loop over teams where there is one.
    pub(crate) fn last_iteration(&self, shared: &SharedLoop) -> Option<Value> {
        match shared.distributed_by {
            Some(outer) => self.shared[outer].last,
            None => shared.last,
        }
    }

    /// The call before which the number of the last iteration is known.
    pub(crate) fn preparing_call(&self, shared: &SharedLoop) -> Value {
        shared.distributed_by.map_or(shared.call, |outer| self.shared[outer].call)
    }
}

/// Whether every path to `later` passes `earlier`.
fn comes_first(cfg: &Cfg, earlier: Value, later: Value) -> bool {
    let (Some(a), Some(b)) = (cfg.id(earlier.block()), cfg.id(later.block())) else { return false };
    if a != b {
        return cfg.dominates(a, b);
    }
    earlier.block().instructions().find(|&value| value == earlier || value == later) == Some(earlier)
}

/// The value under conversions between integers and pointers.
pub(crate) fn strip_casts(mut value: Value) -> Value {
    while matches!(
        value.opcode(),
        Some(Opcode::LLVMTrunc | Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr)
    ) {
        value = value.operand(0);
    }
    value
}

/// The loop with a header phi that starts with what is loaded from `lower`.
fn loop_starting_at(cfg: &Cfg, lower: Value) -> Option<(usize, Value)> {
    cfg.loops.iter().enumerate().find_map(|(index, natural)| {
        let phi = cfg.blocks[natural.header].phis().find(|phi| {
            phi.incoming().into_iter().any(|(start, from)| {
                let start = strip_casts(start);
                let from_outside = cfg.id(from).is_some_and(|from| !natural.contains(from));
                from_outside && start.is(Opcode::LLVMLoad) && start.operand(0) == lower
            })
        })?;
        Some((index, phi))
    })
}

/// The value that the variable at `address` has just before `call`.
pub(crate) fn stored_before(cfg: &Cfg, call: Value, address: Value) -> Option<Value> {
    let mut block = cfg.id(call.block())?;
    loop {
        let stores = cfg.blocks[block].instructions().take_while(|&value| value != call);
        if let Some(store) = stores.filter(|value| value.is(Opcode::LLVMStore) && value.operand(1) == address).last() {
            return Some(store.operand(0));
        }
        block = cfg.immediate_dominator(block)?;
    }
}
