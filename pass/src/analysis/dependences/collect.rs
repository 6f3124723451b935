//! How the accesses of a region are found.

use super::accesses::{Accesses, Extent, Item, Opaque, Sections};
use super::bases::{Base, Bases};
use super::boxes::place_in_objects;
use super::position::{Position, runs_in_every_iteration};
use super::result::UnitKind;
use super::unwrapped::unwrapped;
use crate::analysis::effects;
use crate::analysis::lower::Guarantees;
use crate::analysis::region::Analysis;
use crate::analysis::region::access::{Memory, memory_operands};
use crate::openmp::{self, Reads};
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_models::report::AccessKind;
use ipda_symbolic::{Access, Atom, AtomId, Facts, Polynomial, Signedness, Space, TripCount, Varies};
use rustc_hash::{FxHashMap, FxHashSet};

impl Accesses {
    pub(super) fn collect(analysis: &mut Analysis<'_>, unit: UnitKind) -> Accesses {
        let mut found = Accesses::as_they_are(analysis, unit);
        let sections = analysis.setting.maps.map_or(&[][..], |maps| maps.sections(analysis.captured.len()));
        found.sections = Sections::find(analysis, &mut found, sections);
        place_in_objects(analysis, &mut found);
        for at in 0..found.items.len() {
            found.items[at].unwrapped = unwrapped(analysis, &found, &found.items[at]);
        }
        found
    }

    /// The same without what they are where nothing wraps, and without what tells that they stay in their objects.
    pub(super) fn as_they_are(analysis: &mut Analysis<'_>, unit: UnitKind) -> Accesses {
        let bases = Bases::find(analysis, unit);
        let mut found = Accesses {
            items: Vec::new(),
            opaque: Vec::new(),
            bases,
            rests_on: Guarantees::default(),
            rests_on_inbounds: false,
            constant_loads: FxHashSet::default(),
            sections: Sections::default(),
            max_trips: FxHashMap::default(),
            stand_ins: FxHashMap::default(),
        };
        let cfg = analysis.cfg;
        for index in 0..cfg.loops.len() {
            if let Some(count) = max_trips(analysis, index) {
                let count = found.for_test(analysis, &count);
                found.max_trips.insert(index, count);
            }
        }
        for block in 0..cfg.blocks.len() {
            for instruction in cfg.blocks[block].instructions() {
                found.instruction(analysis, block, instruction);
            }
        }
        found
    }

    fn instruction(&mut self, analysis: &mut Analysis<'_>, block: BlockId, instruction: Value) {
        if let Some(what) = effects::effect(instruction) {
            let loops = analysis.cfg.loop_chain(analysis.cfg.loop_of(block)).collect();
            self.opaque.push(Opaque { what, instruction, loops });
            return;
        }
        for memory in memory_operands(analysis.setting.layout, instruction) {
            let bases = self.bases.of(analysis, memory.pointer);
            if memory.bytes == Some(0) || self.bases.are_of_runtime(&bases) {
                continue;
            }
            match Position::of(analysis, block) {
                Position::InLoops(loops) => self.access(analysis, block, instruction, &memory, loops, bases),
                Position::PerChunk(inside) => {
                    let is_own = |base: &Base| matches!(base, Base::Local(_));
                    if !bases.iter().all(is_own) && memory.kind != AccessKind::Load {
                        let what = "a write that runs once for each chunk of iterations".into();
                        self.opaque.push(Opaque { what, instruction, loops: inside });
                    }
                }
            }
        }
        if let Position::InLoops(loops) = Position::of(analysis, block) {
            self.unfollowed_reads(analysis, block, instruction, loops);
        }
    }

    /// Adds what a function reads that is not followed: any memory, or any that its arguments lead to.
    fn unfollowed_reads(&mut self, analysis: &mut Analysis<'_>, block: BlockId, instruction: Value, loops: Vec<usize>) {
        let reads =
            if instruction.is_call() { openmp::effects(instruction).map(|effects| effects.reads) } else { None };
        let pointers = || instruction.call_args().into_iter().filter(|arg| arg.ty().is_pointer());
        let mut bases = match reads {
            None | Some(Reads::Nothing) => return,
            Some(Reads::Arguments) => Vec::new(),
            Some(Reads::Anything) => vec![Base::Unknown(instruction)],
        };
        for pointer in pointers() {
            bases.extend(self.bases.of(analysis, pointer));
        }
        bases.sort_unstable();
        bases.dedup();
        let address = analysis.lowering.unfollowed_address(instruction);
        let facts = self.facts(analysis, block);
        let ids = loops.iter().map(|&index| analysis.lowering.loop_id(index)).collect();
        let test = Access { address: address.clone(), bytes: 1, loops: ids, facts: facts.clone() };
        let in_every_iteration = runs_in_every_iteration(analysis, block, &loops);
        self.items.push(Item {
            instruction,
            kind: AccessKind::Load,
            extent: Extent::Any,
            address,
            test,
            facts,
            stays_in_object: false,
            is_marked: false,
            block,
            unwrapped: None,
            loops,
            in_test_of: None,
            bases,
            objects: Vec::new(),
            test_objects: Vec::new(),
            update: None,
            in_every_iteration,
            is_function_of_iterations: false,
        });
    }

    fn access(
        &mut self,
        analysis: &mut Analysis<'_>,
        block: BlockId,
        instruction: Value,
        memory: &Memory,
        loops: Vec<usize>,
        bases: Vec<Base>,
    ) {
        let Some(bytes) = memory.bytes else { return };
        let lowered = analysis.lowering.value_at(memory.pointer, block);
        self.rests_on = self.rests_on.and(lowered.rests_on).and(analysis.lowering.guarantees_at(block));
        let address = analysis.lowering.refine(&lowered.value, block);
        let objects = analysis.objects(&address);
        let facts = self.facts(analysis, block);
        let test_address = self.for_test(analysis, &address);
        let test_objects: Vec<AtomId> =
            objects.iter().filter_map(|&atom| self.for_test(analysis, &atom.into()).as_atom()).collect();
        let ids = loops.iter().map(|&index| analysis.lowering.loop_id(index)).collect();
        let mut test = Access { address: test_address, bytes, loops: ids, facts: facts.clone() };
        let mut stays_in_object = false;
        if let [base] = test_objects[..]
            && let Some(rests_on) = self.stays_in_object(analysis, memory.pointer, block, &address)
        {
            test.stays_near(&base.into());
            self.rests_on = self.rests_on.and(rests_on);
            self.rests_on_inbounds = true;
            stays_in_object = true;
        }
        let update = (memory.kind == AccessKind::Atomic).then(|| instruction.commuting_update()).flatten();
        let is_function_of_iterations = is_function_of_iterations(&analysis.lowering.space, &test.address);
        let in_every_iteration = runs_in_every_iteration(analysis, block, &loops);
        let is_test =
            |&index: &usize| analysis.cfg.loops[index].header == block && analysis.lowering.is_tested_first(index);
        let in_test_of = loops.last().copied().filter(is_test);
        let is_marked = leads_through_object(analysis, memory.pointer, block, &objects);
        self.items.push(Item {
            instruction,
            kind: memory.kind,
            extent: Extent::Known,
            address,
            test,
            facts,
            stays_in_object,
            is_marked,
            block,
            unwrapped: None,
            loops,
            in_test_of,
            bases,
            objects,
            test_objects,
            update,
            in_every_iteration,
            is_function_of_iterations,
        });
    }

    /// What holds where a block runs.
    fn facts(&mut self, analysis: &mut Analysis<'_>, block: BlockId) -> Facts {
        let known = analysis.lowering.facts_at(block);
        let mut facts = Facts::none();
        for fact in known.nonneg() {
            let fact = self.for_test(analysis, fact);
            facts.assume_nonneg(fact);
        }
        // In a loop's body its trip count is at least 1.
        let cfg = analysis.cfg;
        for index in cfg.loop_chain(cfg.loop_of(block)) {
            let may_be_behind = cfg.loops[index].header == block;
            if let Some(trips) = self.max_trips.get(&index).filter(|_| !may_be_behind) {
                facts.assume_nonneg(trips - &Polynomial::from(1));
            }
        }
        facts
    }

    /// What it rests on that a pointer stays within its object and that its exact distance from the base is what the address says.
    fn stays_in_object(
        &self,
        analysis: &mut Analysis<'_>,
        pointer: Value,
        block: BlockId,
        address: &Polynomial,
    ) -> Option<Guarantees> {
        let (start, offset, rests_on) = analysis.lowering.exact_offset(pointer, block)?;
        let base = analysis.lowering.value_at(start, block).value;
        let [atom] = analysis.objects(address)[..] else { return None };
        // The address is a residue: it may have lost what makes no difference to it.
        let exact = analysis.lowering.refine(&(&base + &offset), block);
        (base == Polynomial::from(atom) && *address == exact).then_some(rests_on)
    }
}

/// How often a loop runs at most, where that is known.
fn max_trips(analysis: &mut Analysis<'_>, index: usize) -> Option<Polynomial> {
    match analysis.lowering.trip_count(index) {
        TripCount::Exactly(count) | TripCount::AtMost(count) => Some(count),
        // No number of an iteration is above the last one, which the runtime is given in so many bits.
        TripCount::Modulo(count) => {
            let bits = analysis.nest.shared_at(index)?.phi.ty().int_bits()?;
            let one = Polynomial::one();
            Some(analysis.lowering.space.wrap(Signedness::Unsigned, bits, &(&count - &one)) + one)
        }
        TripCount::Unknown(_) => None,
    }
}

/// Whether an address is computed from iteration numbers and values that are one for the whole region.
fn is_function_of_iterations(space: &Space, address: &Polynomial) -> bool {
    !space.depends_on(address, |atom| match space.atom(atom) {
        Atom::Symbol(symbol) => symbol.varies != Varies::No,
        Atom::Load { .. } => true,
        _ => false,
    })
}

/// Whether an address is that of its one object and steps from there that all are marked as staying in it.
fn leads_through_object(analysis: &mut Analysis<'_>, pointer: Value, block: BlockId, objects: &[AtomId]) -> bool {
    let is_step = |at: &Value| at.is(Opcode::LLVMGetElementPtr);
    let mut at = pointer;
    while is_step(&at) && at.is_inbounds() {
        at = at.operand(0);
    }
    let [object] = objects else { return false };
    at != pointer && !is_step(&at) && analysis.lowering.value_at(at, block).value == Polynomial::from(*object)
}
