//! The nest of loops in which threads share the outermost one, with what stands between its loops and other orders.

use super::accesses::{Accesses, Item};
use super::footprint::{Footprint, footprint};
use super::pairs::{Exclusion, Pairs};
use super::registers::is_carried;
use super::{Scalar, ScalarKind, UnitKind, private};
use crate::analyse::Analysis;
use crate::omp;
use rustc_hash::FxHashMap;
use ipda_symbolic::{AtomId, LoopId, Nest, NestLoop, Polynomial, Step, TripCount};

/// An access in a nest.
pub(crate) struct NestAccess {
    pub address: Polynomial,
    pub bytes: u64,
    /// The loops around it, and how often those run that are known to.
    pub loops: Vec<LoopId>,
    pub trips: FxHashMap<LoopId, Polynomial>,
}

/// A nest, and how each of its dependences would be excluded.
pub(crate) struct SharedNest {
    pub nest: Nest,
    pub exclusions: Vec<Exclusion>,
    pub accesses: Vec<NestAccess>,
    pub footprints: Vec<(AtomId, Result<Footprint, String>)>,
}

impl SharedNest {
    /// The nest below a shared loop, as deep as each loop holds one loop alone; or why its loops are left as they are.
    pub(crate) fn find(analysis: &mut Analysis<'_>, shared: usize) -> Result<SharedNest, String> {
        let accesses = Accesses::collect(analysis, UnitKind::Region);
        if let Some(opaque) = accesses.opaque.first() {
            return Err(format!("{} has effects that are not followed", opaque.what));
        }
        analysis.observes_threads(shared)?;
        let mut path = vec![shared];
        loop {
            let around = path[path.len() - 1];
            let inside: Vec<usize> =
                (0..analysis.cfg.loops.len()).filter(|&at| analysis.cfg.loops[at].parent == Some(around)).collect();
            let [next] = inside[..] else { break };
            let scalars = analysis.scalars(next);
            if scalars.iter().any(|(_, scalar)| is_carried(scalar) || scalar.kind == ScalarKind::LastValue) {
                break;
            }
            path.push(next);
        }
        let is_kept = |scalar: &Scalar| is_carried(scalar) || scalar.kind == ScalarKind::LastValue;
        if let Some((_, scalar)) = analysis.scalars(shared).iter().find(|(_, scalar)| is_kept(scalar)) {
            let name = scalar.name.as_deref().unwrap_or("a value in a register");
            return Err(format!("{name} is used from iteration to iteration of the shared loop, or behind it"));
        }
        let is_local = |object| accesses.bases.local(object).is_some();
        let locals = accesses.items.iter().filter(|item| item.loops.contains(&shared));
        let locals: Vec<AtomId> = locals.filter_map(|item| item.object()).filter(|&object| is_local(object)).collect();
        let is_used = |item: &Item| item.object().is_none_or(|object| locals.contains(&object));
        if accesses.items.iter().any(|item| !item.loops.contains(&shared) && item.reads() && is_used(item)) {
            return Err("a variable of each thread's own is used behind the shared loop".into());
        }
        let pairs = Pairs::test(analysis, &accesses);
        if pairs.left_out > 0 {
            return Err("there are too many pairs of accesses".into());
        }
        let private: Vec<Vec<AtomId>> =
            path.iter().map(|&index| private::private_objects(analysis, &accesses, index)).collect();
        let is_private = |access: usize| {
            accesses.items[access].object().is_some_and(|object| private.iter().all(|objects| objects.contains(&object)))
        };
        let any = || Step { less: true, equal: true, greater: true, distance: None };
        let (mut dependences, mut exclusions) = (Vec::new(), Vec::new());
        for found in &pairs.found {
            if !found.common.contains(&shared) || is_private(found.source) && is_private(found.sink) {
                continue;
            }
            let step = |index: &usize| {
                found.common.iter().position(|common| common == index).map_or_else(any, |at| found.steps[at].clone())
            };
            dependences.push(path.iter().map(step).collect());
            exclusions.push(found.exclusion.clone());
        }
        let loops = path.iter().map(|&index| NestLoop {
            id: analysis.lowering.loop_id(index),
            trips: analysis.lowering.trip_count(index),
        });
        let loops: Vec<NestLoop> = loops.collect();
        let mut objects: Vec<AtomId> = accesses.items.iter().filter_map(|item| item.object()).collect();
        objects.sort_unstable();
        objects.dedup();
        let footprints = objects.iter().map(|&object| (object, footprint(analysis, &accesses, object))).collect();
        let in_nest = |item: &&Item| item.loops.contains(&shared);
        let mut in_nest_accesses = Vec::new();
        for item in accesses.items.iter().filter(in_nest) {
            let inside = item.loops.iter().skip_while(|&&index| index != shared);
            let ids: Vec<(usize, LoopId)> = inside.map(|&index| (index, analysis.lowering.loop_id(index))).collect();
            let trips = ids.iter().filter_map(|&(index, id)| match analysis.lowering.trip_count(index) {
                TripCount::Exactly(trips) | TripCount::AtMost(trips) => Some((id, trips)),
                _ => None,
            });
            let trips = trips.collect();
            let loops = ids.iter().map(|(_, id)| *id).collect();
            in_nest_accesses.push(NestAccess { address: item.address.clone(), bytes: item.test.bytes, loops, trips });
        }
        let nest = Nest { loops, parallel: 1, is_scheduled: false, dependences };
        Ok(SharedNest { nest, exclusions, accesses: in_nest_accesses, footprints })
    }

    pub(crate) fn trips(&self, at: usize) -> Option<&Polynomial> {
        match &self.nest.loops[at].trips {
            TripCount::Exactly(trips) => Some(trips),
            _ => None,
        }
    }
}

impl Analysis<'_> {
    /// Whether nothing in a loop tells threads apart or needs them together, as far as calls go.
    fn observes_threads(&self, index: usize) -> Result<(), String> {
        let blocks = self.cfg.loops[index].blocks.iter().map(|&block| self.cfg.blocks[block]);
        for call in blocks.flat_map(|block| block.instructions()).filter(|value| value.is_call()) {
            let name = call.callee().map(|callee| callee.name()).unwrap_or_default();
            let is_harmless = omp::is_function_of_numbers(&name)
                || omp::begins_or_ends_life(call)
                || omp::block_operation(call).is_some()
                || name.starts_with("llvm.assume");
            if !is_harmless {
                return Err(format!("{} is called in the shared loop", crate::ir::demangle(&name)));
            }
        }
        Ok(())
    }
}
