//! The nest of loops in which threads share the outermost one, with what stands between its loops and other orders.

use super::accesses::{Accesses, Extent, Item};
use super::bases::Base;
use super::footprint::{Touched, touch};
use super::pairs::{Exclusion, Found, Pairs};
use super::reductions::is_copy;
use super::result::{DependenceKind, Scalar, ScalarKind, UnitKind};
use super::{private, reductions};
use crate::analysis::region::Analysis;
use crate::analysis::region::group::{Touch, made_together};
use crate::common::budget::Stage;
use crate::common::words::called;
use crate::openmp::nest::SharedLoop;
use crate::openmp::{self, Sharing};
use ipda_llvm::{BlockId, Cfg, Opcode, Operation, Value};
use ipda_models::report::{
    self, AccessKind, Dependence, DependenceEnd, DependenceStep, Directions, Location, NamedLoop, ObstacleKind, Reason,
};
use ipda_symbolic::{Atom, AtomId, LoopId, Nest, NestLoop, Objection, OpaqueOp, Polynomial, Space, Step, TripCount};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Of the number of a collapsed loop that is known modulo.
const NUMBER_BITS: u32 = 64;

/// Loops of a nest whose orders are looked at, of which there are as many as the third power.
const MAX_LOOPS: usize = 6;

/// What is computed from a loaded value that is followed to the end.
const MAX_COMPUTED: usize = 32;

/// An access in a nest.
#[derive(Clone)]
pub(crate) struct NestAccess {
    pub instruction: Value,
    /// The one object that it is in.
    pub object: Option<AtomId>,
    pub address: Polynomial,
    pub bytes: u64,
    pub writes: bool,
    /// Whether it is an atomic update.
    pub is_atomic: bool,
    /// The first of the accesses with which it is counted, which is distinguished from others by a number.
    pub made_with: usize,
    /// The loops around it, and how often those run that are known to.
    pub loops: Vec<LoopId>,
    pub trips: FxHashMap<LoopId, Polynomial>,
    /// Whether all iterations of these loops make it.
    pub in_every_iteration: bool,
    /// What is not negative where it runs, where not all iterations make it.
    pub conditions: Vec<Polynomial>,
    /// The loops of which its value tells only whether they go on, if anything; none where something else needs it.
    pub tests: Option<Vec<LoopId>>,
}

/// A shared loop with what is in it and before it.
pub(crate) struct Outline {
    pub loops: Vec<NestLoop>,
    pub accesses: Vec<NestAccess>,
    /// The addresses of what is read on each way to the loop.
    pub before: Vec<Polynomial>,
}

/// A nest whose loops may be shared otherwise, as far as can be said without its dependences.
pub(crate) struct SharedNest {
    /// Without dependences.
    pub nest: Nest,
    /// Its loops in the CFG.
    pub(super) path: Vec<usize>,
    /// How many of the nest's loops are digits of the shared loop's number: 1, or as many as a clause collapsed to it.
    pub digits: usize,
    /// How much an iteration of each digit adds to the shared loop's number; none where it has one digit.
    pub weights: Vec<Polynomial>,
    /// How often the shared loop runs, where that is known only modulo 2 to its number's width, as with counters without sign: its count, or those of its
    /// digits, are right where it fits, which whoever changes loops has to require.
    pub wrapped: Option<Polynomial>,
    /// Why it is not deeper; none where no loop is left.
    pub end: Option<Reason>,
    pub accesses: Vec<NestAccess>,
    /// The variables of which threads have copies of their own, which are combined after the loop.
    copies: Vec<Value>,
    pub(super) all: Rc<Accesses>,
}

/// The accesses of a region, which all its nests have in common.
pub(crate) struct RegionAccesses {
    all: Rc<Accesses>,
    met: Option<Rc<Conflicts>>,
}

/// Where accesses of a region meet, and what is touched of its objects.
struct Conflicts {
    plain: Vec<Found>,
    /// Of atomic updates whose result depends on their order, and of those whose does not.
    ordered: Vec<Found>,
    free: Vec<Found>,
    /// Whether all pairs were looked at.
    is_whole: bool,
    touched: Vec<Touched>,
    /// Why it is not known what is touched of the others.
    unbounded: Vec<(AtomId, String)>,
}

impl RegionAccesses {
    pub(crate) fn collect(analysis: &mut Analysis<'_>) -> RegionAccesses {
        RegionAccesses { all: Rc::new(Accesses::collect(analysis, UnitKind::Region)), met: None }
    }

    /// What is touched of some objects; of two entries for one object the first says more.
    pub(crate) fn touched(&self, analysis: &mut Analysis<'_>, objects: &[AtomId]) -> Vec<Touched> {
        let mut touched = Vec::new();
        for &object in objects {
            // Of one of which that is not known, nothing is noted.
            _ = touch(analysis, &self.all, object, &mut touched);
        }
        touched
    }

    fn conflicts(&mut self, analysis: &mut Analysis<'_>) -> Rc<Conflicts> {
        let met = self.met.get_or_insert_with(|| Rc::new(Conflicts::find(analysis, &self.all)));
        Rc::clone(met)
    }
}

impl Conflicts {
    fn find(analysis: &mut Analysis<'_>, accesses: &Accesses) -> Conflicts {
        let pairs = Pairs::test(analysis, accesses);
        let mut freed_by_flags: FxHashMap<Operation, bool> = FxHashMap::default();
        for item in &accesses.items {
            if let Some(by) = item.update {
                freed_by_flags.entry(by).or_insert_with(|| item.instruction.is_freed_by_flags(by));
            }
        }
        let is_free = |item: &Item| item.update.is_some_and(|by| by.is_exact() || freed_by_flags[&by]);
        let updates = Pairs::of_updates(analysis, accesses, is_free);
        let is_whole = pairs.left_out + updates.left_out == 0;
        let (free, ordered) = updates.found.into_iter().partition(|found| is_free(&accesses.items[found.source]));
        let mut objects: Vec<AtomId> = accesses.items.iter().filter_map(|item| item.object()).collect();
        objects.sort_unstable();
        objects.dedup();
        let (mut touched, mut unbounded) = (Vec::new(), Vec::new());
        for object in objects.into_iter().filter(|_| is_whole) {
            unbounded.extend(touch(analysis, accesses, object, &mut touched).err().map(|reason| (object, reason)));
        }
        Conflicts { plain: pairs.found, ordered, free, is_whole, touched, unbounded }
    }
}

/// The dependences of a nest, and how each would be excluded.
pub(crate) struct NestDependences {
    /// Which iterations they lead to, by the nest's loops.
    pub steps: Vec<Vec<Step>>,
    pub exclusions: Vec<Exclusion>,
    /// The dependences, in the same order.
    found: Vec<Found>,
    /// Whether it is the order of atomic updates that several threads make where its exclusion holds, so that there is no order.
    open: Vec<bool>,
    met: Rc<Conflicts>,
    /// The loops around their ends.
    named: FxHashMap<usize, NamedLoop>,
}

impl NestDependences {
    /// What is touched of objects; of two entries for one object the first says more.
    pub(crate) fn touched(&self) -> &[Touched] {
        &self.met.touched
    }
}

impl SharedNest {
    /// The nest below a shared loop, as deep as each loop holds one loop alone; or why its loops are left as they are.
    pub(crate) fn find(
        analysis: &mut Analysis<'_>,
        accesses: &RegionAccesses,
        shared: usize,
    ) -> Result<SharedNest, Reason> {
        let accesses = Rc::clone(&accesses.all);
        // What is done once, before or behind, stays as it is.
        if let Some(opaque) = accesses.opaque.iter().find(|opaque| opaque.loops.contains(&shared)) {
            let text = format!("{} has effects that are not followed", opaque.what);
            return Err(ObstacleKind::Effect.reason(text).at(opaque.instruction.location()));
        }
        analysis.observes_threads(shared)?;
        analysis.ends_at_its_head(shared)?;
        if let Some(reason) = analysis.carries_value(shared) {
            return Err(reason);
        }
        let (path, end) = analysis.path_below(shared);
        let copies = reductions::copies(analysis, shared)?;
        if uses_own_variables_behind(analysis, &accesses, shared, &copies) {
            let text = "a variable of each thread's own is used after the shared loop";
            return Err(ObstacleKind::OwnVariableUsedBehind.reason(text));
        }
        analysis.shares_nothing_by_threads(&accesses, shared, &copies)?;
        let accesses_of_nest = in_nest(analysis, &accesses, shared);
        let nest = Nest {
            loops: analysis.nest_loops(&path),
            parallel: 1,
            is_scheduled: false,
            fixed: Vec::new(),
            dependences: Vec::new(),
        };
        Ok(SharedNest {
            nest,
            path,
            digits: 1,
            wrapped: None,
            weights: Vec::new(),
            end,
            accesses: accesses_of_nest,
            copies,
            all: accesses,
        })
    }

    /// The objects that the region writes, beside variables of threads' own; none where it may write others, or where what it reads may be what
    /// something else writes meanwhile: threads that wait for others learn of that by atomic accesses, flushes and locks alone.
    pub(crate) fn written_objects(&self, analysis: &Analysis<'_>) -> Option<Vec<AtomId>> {
        if self.all.opaque.iter().any(|opaque| !openmp::lets_threads_wait(opaque.instruction)) {
            return None;
        }
        let mut all = analysis.cfg.blocks.iter().flat_map(|block| block.instructions());
        if all.any(|instruction| openmp::orders_memory(instruction) || openmp::combines_copies(instruction)) {
            return None;
        }
        let is_own =
            |item: &Item| !item.bases.is_empty() && item.bases.iter().all(|base| matches!(base, Base::Local(_)));
        let written = self.all.items.iter().filter(|item| item.writes() && !is_own(item));
        let object = |item: &Item| if item.kind == AccessKind::Atomic { None } else { item.object() };
        written.map(object).collect()
    }

    /// The loop of the CFG that a loop of the nest is, or is a digit of.
    pub(crate) fn in_cfg(&self, at: usize) -> usize {
        self.path[(at + 1).saturating_sub(self.digits)]
    }

    /// Its innermost loop in the CFG.
    pub(crate) fn innermost(&self) -> usize {
        *self.path.last().expect("a nest has its shared loop")
    }

    /// Takes the shared loop as the loops that a clause collapsed to it, where its number is seen to be divided by how often the inner ones run.
    ///
    /// Whatever these divisors are, any order of the digits is an order of all iterations of a loop that is parallel by the program's word.
    pub(crate) fn part_into_digits(&mut self, analysis: &mut Analysis<'_>) {
        let NestLoop { id: shared, trips } = &self.nest.loops[0];
        let (TripCount::Exactly(count) | TripCount::Modulo(count)) = trips.clone() else { return };
        let (shared, may_wrap) = (*shared, matches!(trips, TripCount::Modulo(_)));
        let number = analysis.lowering.space.iteration(shared);
        let Some(atom) = number.as_atom() else { return };
        let sizes = sizes_of_digits(analysis, &self.accesses, atom, &count);
        if sizes.is_empty() {
            return;
        }
        let first = analysis.cfg.loops.len() as u32;
        let ids: Vec<LoopId> = (0..=sizes.len() as u32).map(|at| LoopId(first + at)).collect();
        let ends = sizes.iter().chain(std::iter::once(&Polynomial::one())).cloned().collect::<Vec<_>>();
        let mut counts = Vec::new();
        for (above, below) in std::iter::once(&count).chain(&sizes).zip(&ends) {
            let Some(count) = quotient(above, below) else { return };
            counts.push(count);
        }
        let numbers: Vec<Polynomial> = ids.iter().map(|&id| analysis.lowering.space.iteration(id)).collect();
        let value = numbers.iter().zip(&ends).map(|(number, size)| number * size).reduce(|sum, part| sum + part);
        let value = value.expect("several digits");
        // What is left of the number where it is divided by a size: the slower digits, as the faster ones are together less than the size.
        let wrapped = Some(&count).filter(|_| may_wrap);
        let quotients = self.quotients_of(&analysis.lowering.space, atom, (&sizes, wrapped), &numbers);
        let mut in_digits = |of: &Polynomial| {
            let value_of = &mut |other| {
                let quotient = quotients.iter().find(|(atom, _)| *atom == other).map(|(_, quotient)| quotient);
                quotient.or(Some(&value).filter(|_| other == atom)).cloned()
            };
            analysis.lowering.space.substitute(of, value_of)
        };
        for access in &mut self.accesses {
            access.address = in_digits(&access.address);
            access.conditions.iter_mut().for_each(|condition| *condition = in_digits(condition));
            let position = access.loops.iter().position(|&id| id == shared);
            if let Some(at) = position {
                access.loops.splice(at..=at, ids.iter().copied());
            }
            access.trips.remove(&shared);
            access.trips.values_mut().for_each(|trips| *trips = in_digits(trips));
            access.trips.extend(ids.iter().copied().zip(counts.iter().cloned()));
        }
        for entry in &mut self.nest.loops[1..] {
            if let TripCount::Exactly(trips) | TripCount::AtMost(trips) | TripCount::Modulo(trips) = &mut entry.trips {
                *trips = in_digits(trips);
            }
        }
        let digits = ids.into_iter().zip(counts).map(|(id, count)| NestLoop { id, trips: TripCount::Exactly(count) });
        self.nest.loops.splice(0..1, digits.collect::<Vec<_>>());
        self.digits = sizes.len() + 1;
        self.wrapped = Some(count).filter(|_| may_wrap);
        self.weights = ends;
        self.nest.parallel = self.digits;
    }

    /// Takes the count of a shared loop that is known modulo the width of its counter as the number itself: it is, where it is at least 1 and fits in that
    /// width, as is tested of what is `wrapped`.
    pub(crate) fn take_count_as_number(&mut self) {
        let NestLoop { id, trips } = &mut self.nest.loops[0];
        let TripCount::Modulo(count) = trips else { return };
        let count = count.clone();
        self.accesses.iter_mut().for_each(|access| _ = access.trips.insert(*id, count.clone()));
        *trips = TripCount::Exactly(count.clone());
        self.wrapped = Some(count);
    }

    /// The atoms of addresses that are a shared loop's number, or what its slower digits leave of it, divided by a size, each with its value in digits.
    fn quotients_of(
        &self,
        space: &Space,
        number: AtomId,
        (sizes, wrapped): (&[Polynomial], Option<&Polynomial>),
        digits: &[Polynomial],
    ) -> Vec<(AtomId, Polynomial)> {
        let one = Polynomial::one();
        let ends = || sizes.iter().chain([&one]);
        // What is left of the number from each digit on.
        let left_from = |first: usize| {
            let parts = digits.iter().zip(ends()).skip(first).map(|(digit, size)| digit * size);
            parts.fold(Polynomial::zero(), |sum, part| sum + part)
        };
        let left: Vec<Polynomial> = (0..digits.len()).map(left_from).collect();
        let mut atoms: Vec<AtomId> = self.accesses.iter().flat_map(|access| space.atoms(&access.address)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let mut known = vec![(number, left[0].clone())];
        // What an atom is made of comes before it.
        for atom in atoms {
            let Some((divided, by)) = division(space, atom) else { continue };
            let Some(by) = size_of_digit(space, by, wrapped) else { continue };
            let Some(last) = sizes.iter().position(|size| size == by) else { continue };
            let Some(divided) = number_in_digits(space, divided, &known, (sizes, wrapped)) else { continue };
            let Some(first) = left.iter().position(|left| *left == divided) else { continue };
            let mut parts = digits.iter().zip(sizes).take(last + 1).skip(first);
            let quotient =
                parts.try_fold(Polynomial::zero(), |sum, (digit, size)| Some(sum + digit * &quotient(size, by)?));
            known.extend(quotient.map(|quotient| (atom, quotient)));
        }
        known.split_off(1)
    }

    /// The symbol by which the dependence test knows a value that is read from memory.
    pub(crate) fn stand_in(&self, atom: AtomId) -> Option<AtomId> {
        self.all.stand_in(atom)
    }

    /// How often the loops of the nest run around an instruction, which runs whenever all of them do; none where it may run otherwise. Where it stands
    /// in a loop's head, that loop is not one of them. What is only run where the shared loop has iterations is taken to be in it.
    pub(crate) fn loops_around(&self, analysis: &mut Analysis<'_>, instruction: Value) -> Option<Vec<Polynomial>> {
        let cfg = analysis.cfg;
        let block = cfg.id(instruction.block())?;
        let is_around = |&&index: &&usize| cfg.loops[index].contains(block) && cfg.loops[index].header != block;
        let around: Vec<usize> = self.path.iter().take_while(is_around).copied().collect();
        let is_head = self.path.iter().any(|&index| cfg.loops[index].header == block);
        let depth = around.len() + usize::from(is_head);
        let innermost = cfg.loop_of(block).filter(|index| !analysis.nest.hidden.contains(index));
        // In a loop beside the nest, it may never run.
        if innermost.is_some_and(|index| depth == 0 || self.path[depth - 1] != index) {
            return None;
        }
        let mut to = block;
        for &index in around.iter().rev() {
            let [latch] = cfg.loops[index].latches[..] else { return None };
            if !cfg.dominates(to, latch) {
                return None;
            }
            to = cfg.loops[index].header;
        }
        let count = |at: usize| match &self.nest.loops[at].trips {
            TripCount::Exactly(count) => Some(count.clone()),
            _ => None,
        };
        let mut counts: Vec<Polynomial> = (0..around.len()).map(count).collect::<Option<_>>()?;
        // The way to the shared loop is open where that has iterations, and where the device's runtime lets threads begin.
        let shared = count(0);
        let runs = shared.as_ref().map(|count| analysis.lowering.space.nonneg(&(count - &Polynomial::one())));
        while let Some(above) = cfg.immediate_dominator(to) {
            if cfg.predecessors[to] == [above] && cfg.successors[above].len() > 1 {
                let condition = analysis.lowering.branch_condition(above, to);
                let is_of_runtime = || {
                    let test = cfg.blocks[above].terminator().and_then(Value::branch_condition);
                    let asked = test.filter(|test| test.is(Opcode::LLVMICmp)).map(|test| test.operand(0));
                    asked.is_some_and(|asked| asked.calls(|name| name == "__kmpc_target_init"))
                };
                // Every loop ends, and that one in no other way.
                let leaves_loop = || {
                    let around = cfg.loop_of(above).filter(|&index| !cfg.loops[index].contains(to));
                    around.is_some_and(|index| {
                        cfg.loops[index].header == above && analysis.ends_at_its_head(index).is_ok()
                    })
                };
                // A thread that gets no iterations learns it there; another one gets some.
                let hands_out = cfg.loop_of(above).is_some_and(|index| analysis.nest.hidden.contains(&index));
                let is_open = condition.is_some() && condition == runs;
                if !is_open && !is_of_runtime() && !hands_out && !leaves_loop() {
                    return None;
                }
                if is_open && counts.is_empty() {
                    counts.extend(shared.clone());
                }
            }
            to = above;
        }
        Some(counts)
    }

    /// Whether threads have copies of a reduction's variable, which are combined after the loop.
    pub(crate) fn reduces(&self) -> bool {
        !self.copies.is_empty()
    }

    /// Its dependences, which take much longer to find than all that is known of it; or why its loops are left as they are.
    pub(crate) fn dependences(
        &self,
        analysis: &mut Analysis<'_>,
        region: &mut RegionAccesses,
    ) -> Result<NestDependences, Reason> {
        let SharedNest { path, all: accesses, .. } = self;
        let shared = path[0];
        let met = region.conflicts(analysis);
        if !met.is_whole {
            return Err(ObstacleKind::TooManyAccesses.reason("there are too many pairs of accesses"));
        }
        let copied: Vec<Vec<AtomId>> = path.iter().map(|&index| copied(analysis, accesses, shared, index)).collect();
        let (mut dependences, mut exclusions, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut open: Vec<bool> = Vec::new();
        let plain = met.plain.iter().map(|found| (found.clone(), false));
        let ordered = self.orders_of_updates(analysis, met.ordered.clone());
        for (found, is_open) in plain.chain(ordered) {
            if !found.common.contains(&shared) {
                // Another iteration may run beside it than as written, by another thread.
                if !self.is_order_of_updates(&found) && self.meets_without_waiting(analysis, &found) {
                    dependences.push(path.iter().map(|_| any_step()).collect());
                    exclusions.push(found.exclusion.clone());
                    open.push(is_open);
                    kept.push(found);
                }
                continue;
            }
            let Some(steps) = self.steps(&found, &copied)? else { continue };
            if steps.iter().any(|step| step.less || step.greater) {
                dependences.push(steps);
                exclusions.push(found.exclusion.clone());
                open.push(is_open);
                kept.push(found);
            }
        }
        let named = analysis.named_loops(&kept);
        let mut found = NestDependences { steps: dependences, exclusions, found: kept, open, met, named };
        if self.digits > 1 {
            self.in_digits(analysis, &mut found)?;
        }
        Ok(found)
    }

    /// The steps of a dependence by the nest's loops; none where it is one of a copy of a reduction. `copied`: by loop, the objects of which its
    /// iterations have their own.
    fn steps(&self, found: &Found, copied: &[Vec<AtomId>]) -> Result<Option<Vec<Step>>, Reason> {
        let SharedNest { path, copies, all: accesses, .. } = self;
        let same = || Step { less: false, equal: true, greater: false, distance: None };
        let is_at = |access: usize, is: &dyn Fn(&Base) -> bool| accesses.items[access].bases.iter().any(is);
        // Its address is nowhere but in the list for the runtime.
        let is_copy = |base: &Base| matches!(base, Base::Local(local) if copies.contains(local));
        if is_at(found.source, &is_copy) || is_at(found.sink, &is_copy) {
            return Ok(None);
        }
        let [source, sink] = [found.source, found.sink].map(|access| accesses.items[access].object());
        let object = source.filter(|_| source == sink);
        let step = |(depth, index): (usize, &usize)| {
            if object.is_some_and(|object| copied[depth].contains(&object)) {
                return same();
            }
            found.common.iter().position(|common| common == index).map_or_else(any_step, |at| found.steps[at].clone())
        };
        let steps: Vec<Step> = path.iter().enumerate().map(step).collect();
        // Iterations of one thread share its own variables, though those of the shared loop may run in any order otherwise.
        let is_own = |base: &Base| matches!(base, Base::Local(_));
        if (is_at(found.source, &is_own) || is_at(found.sink, &is_own)) && (steps[0].less || steps[0].greater) {
            let text = "a variable of each thread's own goes from one iteration to the next";
            let location = accesses.items[found.sink].instruction.location();
            return Err(ObstacleKind::CarriedValue.reason(text).at(location));
        }
        Ok(Some(steps))
    }

    /// Dependences by the digits of the shared loop's number: those of one iteration of that loop, as different ones are free of each other.
    fn in_digits(&self, analysis: &Analysis<'_>, found: &mut NestDependences) -> Result<(), Reason> {
        if let Some(beside) = found.found.iter().position(|found| !found.common.contains(&self.path[0])) {
            return Err(self.dependence(analysis, found, beside).1);
        }
        let is_kept: Vec<bool> = found.steps.iter().map(|steps| steps[0].equal).collect();
        let same = Step { less: false, equal: true, greater: false, distance: None };
        for steps in &mut found.steps {
            steps.splice(0..1, std::iter::repeat_n(same.clone(), self.digits));
        }
        let mut keep = is_kept.iter().copied().cycle();
        found.steps.retain(|_| keep.next() == Some(true));
        found.exclusions.retain(|_| keep.next() == Some(true));
        found.found.retain(|_| keep.next() == Some(true));
        found.open.retain(|_| keep.next() == Some(true));
        Ok(())
    }

    /// Whether one access is in the nest, and the other one, of a place that both may touch, is in another shared loop of the region, or behind the
    /// nest, and nothing lets threads wait for each other in between.
    fn meets_without_waiting(&self, analysis: &Analysis<'_>, found: &Found) -> bool {
        let shared = self.path[0];
        let [source, sink] = [found.source, found.sink].map(|access| &self.all.items[access]);
        let is_inside = |item: &Item| item.loops.contains(&shared);
        let other = match (is_inside(source), is_inside(sink)) {
            (true, false) => sink,
            (false, true) => source,
            _ => return false,
        };
        if other.bases.iter().any(|base| matches!(base, Base::Local(_))) {
            return false;
        }
        match other.loops.iter().find(|&&index| analysis.is_shared_by_threads(index)) {
            Some(&other) => !analysis.threads_wait_between(shared, other),
            None => is_inside(source) && analysis.is_reached_without_waiting(shared, sink.instruction),
        }
    }

    /// The dependences that keep the order of atomic updates, and whether several threads may meet there as the loops are written, so that
    /// there is no such order where the exclusion holds.
    fn orders_of_updates(&self, analysis: &mut Analysis<'_>, ordered: Vec<Found>) -> Vec<(Found, bool)> {
        let mut reported = Vec::new();
        for found in ordered {
            // By a clause, or alone, a thread may have all iterations that meet.
            let mut ends = [found.source, found.sink].into_iter().filter(|_| !self.nest.is_scheduled);
            let conditions = ends.find_map(|access| self.threads_meet(analysis, access));
            reported.push(match conditions {
                Some(conditions) => (Found { exclusion: Exclusion::If(conditions), ..found }, true),
                None => (found, false),
            });
        }
        reported
    }

    /// What must be at least 0 so that each place that a thread updates by an access is one that others update too, for all that is known; none
    /// where a thread may be the only one there. What values in memory choose may be any place, but a thread that stays at one may be the
    /// only one there.
    fn threads_meet(&self, analysis: &mut Analysis<'_>, access: usize) -> Option<Vec<Polynomial>> {
        let item = &self.all.items[access];
        let is_shared = |index: &usize| analysis.nest.shared_at(*index).is_some();
        let first_shared = item.loops.iter().position(is_shared)?;
        let (shared, own): (Vec<usize>, Vec<usize>) = item.loops.iter().partition(|&index| is_shared(index));
        let stays = own.iter().any(|&index| !analysis.lowering.varies_between_iterations_of(&item.address, index));
        (first_shared..item.loops.len()).filter(|&at| shared.contains(&item.loops[at])).find_map(|at| {
            let (index, inside) = (item.loops[at], &item.loops[at + 1..]);
            let is_exact = |found: &TripCount| matches!(found, TripCount::Exactly(_));
            let count =
                Some(analysis.lowering.trip_count(index)).filter(is_exact).and(self.all.max_trips.get(&index))?;
            let mut decide = vec![item.address.clone(), analysis.condition_in_body(index, item.block)?];
            for &loop_inside in inside {
                let TripCount::Exactly(count) = analysis.lowering.trip_count(loop_inside) else { return None };
                decide.push(count);
            }
            if !stays {
                decide.iter_mut().for_each(|value| *value = analysis.lowering.without_data(value));
            }
            let varies = decide.iter().any(|value| analysis.lowering.varies_between_iterations_of(value, index));
            (!varies).then(|| vec![count - &Polynomial::from(2)])
        })
    }

    /// What makes it right that atomic updates come in another order, a sentence each, where these dependences are excluded.
    pub(crate) fn updates_in_any_order(
        &self,
        analysis: &Analysis<'_>,
        dependences: &NestDependences,
        excluded: &[usize],
    ) -> Vec<Reason> {
        let (shared, inner) = (self.path[0], &self.path[1..]);
        // Of one iteration of the shared loop, in different ones of those inside.
        let is_inside = |found: &&Found| {
            let is_in = |loops: &[usize]| found.carried.is_some_and(|at| loops.contains(&found.common[at]));
            found.common.contains(&shared) && is_in(inner)
        };
        let free = dependences.met.free.iter().filter(is_inside).map(|found| (found, None));
        let opened = excluded.iter().filter(|&&at| dependences.open[at]).map(|&at| &dependences.found[at]);
        let opened = opened.map(|found| (found, Some("as written several threads may update one place, in any order")));
        let mut reported: Vec<Reason> = Vec::new();
        for (found, why) in free.chain(opened) {
            let item = &self.all.items[found.source];
            let Some(operation) = item.update else { continue };
            let why = why.unwrap_or(match operation.is_exact() {
                true => "their result is the same in any order",
                false => "the flags of the program allow any order",
            });
            let name = item.object().map_or("memory".to_owned(), |object| analysis.object_name(object));
            let text = format!("the order of atomic updates of {name} by {} is not kept: {why}", operation.name);
            let reason = ObstacleKind::Other.reason(text).at(item.instruction.location());
            if !reported.contains(&reason) {
                reported.push(reason);
            }
        }
        reported
    }

    /// Whether a dependence is nothing but the order of atomic updates by one operation.
    fn is_order_of_updates(&self, found: &Found) -> bool {
        self.all.items[found.source].commutes_with(&self.all.items[found.sink])
    }

    /// The two arguments of the region between whose targets a dependence is, where its ends are based on nothing else.
    pub(crate) fn arguments(&self, dependences: &NestDependences, number: usize) -> Option<[Value; 2]> {
        let found = &dependences.found[number];
        let argument = |access: usize| match self.all.items[access].bases[..] {
            [Base::Argument(argument)] if argument.ty().is_pointer() => Some(argument),
            _ => None,
        };
        Some([argument(found.source)?, argument(found.sink)?])
    }

    /// A dependence that stands in the way, and whether it is there for sure.
    pub(crate) fn dependence(
        &self,
        analysis: &Analysis<'_>,
        dependences: &NestDependences,
        number: usize,
    ) -> (bool, Reason) {
        let found = &dependences.found[number];
        let dependence = self.structured(analysis, dependences, found);
        let update = self.all.items[found.source].update.filter(|_| self.is_order_of_updates(found));
        let meaning = match update {
            None if !found.common.contains(&self.path[0]) => match analysis.nest.shared_at(self.path[0]) {
                Some(shared) if shared.distributed_by.is_some() => {
                    "another loop of the region touches the same data, and teams do not wait for each other in between: with several it is a race as written"
                        .to_owned()
                }
                _ => "what comes after the shared loop, or before it, touches the same data, and threads do not wait in between"
                    .to_owned(),
            },
            Some(by) => format!(
                "as written one thread may make all atomic updates of a place by {}, in an order on which their result depends",
                by.name
            ),
            None => dependence.kind.meaning().to_owned(),
        };
        let mut text = format!("{meaning} ({} dependence of {})", dependence.kind.name(), dependence.objects());
        if let Exclusion::Disjoint(a, b) = found.exclusion {
            text.push_str("; it is not known that these are different arrays");
            if let Some((_, reason)) = dependences.met.unbounded.iter().find(|(object, _)| [a, b].contains(object)) {
                text.push_str(&format!(", nor what is touched of them: {reason}"));
            }
        }
        let ends = [&dependence.source.location, &dependence.sink.location].map(Clone::clone);
        let reason = ObstacleKind::Dependence.reason(text).at(ends.into_iter().flatten());
        (found.certain, Reason { dependence: Some(Box::new(dependence)), ..reason })
    }

    fn structured(&self, analysis: &Analysis<'_>, dependences: &NestDependences, found: &Found) -> Dependence {
        let end = |access: usize| {
            let item = &self.all.items[access];
            let object = item.object().map(|object| analysis.object_name(object));
            DependenceEnd { access: item.kind, object, location: item.instruction.location() }
        };
        let step = |(index, step): (&usize, &Step)| {
            let distance = step.distance.as_ref().map(|distance| analysis.text(distance));
            let direction = Directions::from(step);
            Some(DependenceStep { of: dependences.named.get(index)?.clone(), direction, distance })
        };
        let kind = match found.kind {
            DependenceKind::Flow => report::DependenceKind::Flow,
            DependenceKind::Anti => report::DependenceKind::Anti,
            DependenceKind::Output => report::DependenceKind::Output,
        };
        let steps = found.common.iter().zip(&found.steps).filter_map(step).collect();
        Dependence { kind, certain: found.certain, source: end(found.source), sink: end(found.sink), steps }
    }

    /// What speaks against an order.
    pub(crate) fn objection(
        &self,
        analysis: &Analysis<'_>,
        dependences: &NestDependences,
        objection: &Objection,
    ) -> Reason {
        let location = |at: usize| analysis.loop_location(self.in_cfg(at)).into_iter();
        match objection {
            Objection::Trips { of, why } => {
                let is_by_condition = matches!(self.nest.loops[*of].trips, TripCount::AtMost(_))
                    && analysis.has_branches_in_condition(self.in_cfg(*of));
                let (kind, why) = match is_by_condition {
                    true => (ObstacleKind::ConditionWithEffects, "its condition has branches in it, as ?: has"),
                    false => (ObstacleKind::CountUnknown, &why[..]),
                };
                let text = format!("how often the loop runs is not known before it begins: {why}");
                kind.reason(text).at(location(*of))
            }
            Objection::Bounds { of, on } => {
                let space = &analysis.lowering.space;
                let is_loaded =
                    |count: &Polynomial| space.depends_on(count, |atom| matches!(space.atom(atom), Atom::Load { .. }));
                let reads = match &self.nest.loops[*of].trips {
                    TripCount::Exactly(trips) | TripCount::AtMost(trips) | TripCount::Modulo(trips) => is_loaded(trips),
                    TripCount::Unknown(_) => false,
                };
                let (kind, text) = match reads {
                    true => (
                        ObstacleKind::CountByData,
                        "how often the inner loop runs is read from memory for each iteration of the outer one",
                    ),
                    false => (
                        ObstacleKind::CountOfOuterLoop,
                        "how often the inner loop runs depends on the iteration of the outer one",
                    ),
                };
                kind.reason(text).at(location(*of).chain(location(*on)))
            }
            Objection::Read { of } => {
                let mut text = "how often the loop runs is read from memory whenever it begins".to_owned();
                if let TripCount::Exactly(trips) = &self.nest.loops[*of].trips {
                    text.push_str(&format!(": {}", analysis.text(trips)));
                }
                ObstacleKind::CountFromMemory.reason(text).at(location(*of))
            }
            Objection::Separated { dependence, .. } | Objection::Reversed { dependence, .. } => {
                self.dependence(analysis, dependences, *dependence).1
            }
        }
    }
}

/// What an atom divides, and by what: rounded down, where neither is negative.
fn division(space: &Space, atom: AtomId) -> Option<(&Polynomial, &Polynomial)> {
    match space.atom(atom) {
        Atom::FloorDiv(divided, by) => Some((divided, by)),
        Atom::Op(OpaqueOp::TruncDiv, args) => Some((&args[0], &args[1])),
        _ => None,
    }
}

/// By how much a shared loop's number is divided, exactly: where it fits in its bits if it is `wrapped`, so do sizes of as many bits that divide it.
pub(crate) fn size_of_digit<'s>(
    space: &'s Space,
    by: &'s Polynomial,
    wrapped: Option<&Polynomial>,
) -> Option<&'s Polynomial> {
    match unwrapped(space, by) {
        (size, None) => Some(size),
        (size, Some(bits)) => {
            (bits == NUMBER_BITS && wrapped.is_some_and(|all| quotient(all, size).is_some())).then_some(size)
        }
    }
}

/// What is left of a shared loop's number, with values for those of its atoms that are known. Where the number fits in its bits if it is `wrapped`, all that is
/// left of it does: then it is what has the same lower bits.
fn number_in_digits(
    space: &Space,
    number: &Polynomial,
    known: &[(AtomId, Polynomial)],
    (sizes, wrapped): (&[Polynomial], Option<&Polynomial>),
) -> Option<Polynomial> {
    /// Atoms that are replaced, one after the other.
    const MAX_REPLACED: usize = 16;
    let (mut number, is_reduced) = match unwrapped(space, number) {
        (number, None) => (number.clone(), false),
        (number, Some(NUMBER_BITS)) if wrapped.is_some() => (number.clone(), true),
        _ => return None,
    };
    for _ in 0..MAX_REPLACED {
        let value = |atom: AtomId| {
            let known = known.iter().find(|(other, _)| *other == atom).map(|(_, value)| value);
            let inner = || match space.atom(atom) {
                Atom::Wrap { value, bits: NUMBER_BITS, .. } => {
                    (is_reduced || wrapped.is_some() && sizes.contains(value)).then_some(value)
                }
                _ => None,
            };
            known.or_else(inner).map(|value| (atom, value.clone()))
        };
        let Some((atom, value)) = number.atoms().into_iter().find_map(value) else { break };
        number = number.replace(atom, &value);
    }
    Some(number)
}

/// A number that was reduced to some bits as it was before, and to how many.
fn unwrapped<'s>(space: &'s Space, value: &'s Polynomial) -> (&'s Polynomial, Option<u32>) {
    match value.as_atom().map(|atom| space.atom(atom)) {
        Some(Atom::Wrap { value, bits, .. }) => (value, Some(*bits)),
        _ => (value, None),
    }
}

/// By what the number of a shared loop is divided in the addresses of its accesses, the largest divisor first: each is a multiple of the next one, and
/// divides how often the loop runs.
fn sizes_of_digits(
    analysis: &Analysis<'_>,
    accesses: &[NestAccess],
    number: AtomId,
    count: &Polynomial,
) -> Vec<Polynomial> {
    const MAX_DIGITS: usize = 4;
    let space = &analysis.lowering.space;
    let mut sizes: Vec<Polynomial> = Vec::new();
    for atom in accesses.iter().flat_map(|access| space.atoms(&access.address)) {
        let Some((divided, by)) = division(space, atom) else { continue };
        let (by, _) = unwrapped(space, by);
        let is_size = space.loops_of(by).is_empty() && *by != Polynomial::one() && space.mentions(divided, number);
        if is_size && !sizes.contains(by) && sizes.len() < MAX_DIGITS - 1 {
            sizes.push(by.clone());
        }
    }
    // What is a multiple of more others comes first.
    let multiples = |size: &Polynomial| sizes.iter().filter(|other| quotient(size, other).is_some()).count();
    let mut ordered: Vec<(usize, Polynomial)> = sizes.iter().map(|size| (multiples(size), size.clone())).collect();
    ordered.sort_by_key(|(multiples, _)| std::cmp::Reverse(*multiples));
    let mut above = count.clone();
    let mut chain = Vec::new();
    for (_, size) in ordered {
        if quotient(&above, &size).is_some_and(|quotient| quotient != Polynomial::one()) {
            above = size.clone();
            chain.push(size);
        }
    }
    chain
}

/// One number divided by another, where nothing is left.
fn quotient(of: &Polynomial, by: &Polynomial) -> Option<Polynomial> {
    match by.as_constant() {
        Some(by) => of.div_exact(by),
        None => {
            let (quotient, rest) = of.div_rem(by);
            rest.is_zero().then_some(quotient)
        }
    }
}

/// The loops below a shared one, as deep as each holds one loop alone but `depth` at most, and the accesses inside.
pub(crate) fn outline(analysis: &mut Analysis<'_>, shared: usize, depth: usize) -> Outline {
    analysis.begin(Stage::Accesses);
    let accesses = Accesses::as_they_are(analysis, UnitKind::Region);
    let mut path = vec![shared];
    while let (true, [next]) = (path.len() < depth, &analysis.children(path[path.len() - 1])[..]) {
        path.push(*next);
    }
    let loops = analysis.nest_loops(&path);
    let header = analysis.cfg.loops[shared].header;
    let is_before = |item: &&Item| {
        let is_read = item.extent == Extent::Known && item.reads() && !item.writes();
        is_read && !item.loops.contains(&shared) && analysis.cfg.dominates(item.block, header)
    };
    let before = accesses.items.iter().filter(is_before).map(|item| item.address.clone()).collect();
    Outline { loops, accesses: in_nest(analysis, &accesses, shared), before }
}

/// The loops of the CFG of which what an instruction computes tells only whether they go on; none where something else needs it.
fn tests_of(cfg: &Cfg, instruction: Value) -> Option<Vec<usize>> {
    let mut tests = Vec::new();
    let mut seen = FxHashSet::default();
    let mut left = vec![instruction];
    while let Some(value) = left.pop() {
        if seen.len() > MAX_COMPUTED {
            return None;
        }
        for user in value.users() {
            let is_computed = user.is_cast_or_arithmetic()
                || user.is(Opcode::LLVMLoad) && !user.is_volatile_or_atomic()
                || user.is_call() && openmp::computes_a_number(user)
                || user.opcode().is_some_and(only_computes);
            if is_computed {
                left.extend(seen.insert(user).then_some(user));
                continue;
            }
            let block = cfg.id(user.block()).filter(|_| user.is(Opcode::LLVMBr))?;
            let index = cfg.loop_of(block).filter(|&index| cfg.loops[index].header == block)?;
            cfg.successors[block].iter().any(|&to| !cfg.loops[index].contains(to)).then(|| tests.push(index))?;
        }
    }
    Some(tests)
}

/// Whether an instruction does nothing but to compute a number from numbers.
fn only_computes(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMPHI
            | LLVMUDiv
            | LLVMSDiv
            | LLVMURem
            | LLVMSRem
            | LLVMFNeg
            | LLVMFAdd
            | LLVMFSub
            | LLVMFMul
            | LLVMFDiv
            | LLVMFRem
            | LLVMFCmp
            | LLVMFPExt
            | LLVMFPTrunc
            | LLVMSIToFP
            | LLVMUIToFP
            | LLVMFPToSI
            | LLVMFPToUI
    )
}

/// To any iteration.
fn any_step() -> Step {
    Step { less: true, equal: true, greater: true, distance: None }
}

/// Whether variables of threads' own, other than copies of reductions, are read outside of a shared loop that accesses them.
fn uses_own_variables_behind(analysis: &Analysis<'_>, accesses: &Accesses, shared: usize, copies: &[Value]) -> bool {
    let local = |object| accesses.bases.local(object);
    let is_local = |object| local(object).is_some_and(|local| !copies.contains(&local));
    let locals = accesses.items.iter().filter(|item| item.loops.contains(&shared));
    let locals: Vec<AtomId> = locals.filter_map(|item| item.object()).filter(|&object| is_local(object)).collect();
    let has_escaped = |&object: &AtomId| local(object).is_some_and(|local| accesses.bases.has_escaped(local));
    // Not where each iteration of another shared loop writes before it reads.
    let others = (0..analysis.cfg.loops.len())
        .filter(|&other| other != shared && !locals.is_empty() && analysis.is_shared_by_threads(other));
    let others: Vec<(usize, Vec<AtomId>)> =
        others.map(|other| (other, private::private_objects(analysis, accesses, other))).collect();
    let is_private = |item: &Item, object: AtomId| {
        others.iter().any(|(other, private)| item.loops.contains(other) && private.contains(&object))
    };
    let is_used = |item: &Item| match item.extent {
        Extent::Known => item.object().is_none_or(|object| locals.contains(&object) && !is_private(item, object)),
        Extent::Any => locals.iter().any(has_escaped),
    };
    accesses.items.iter().any(|item| !item.loops.contains(&shared) && item.reads() && is_used(item))
}

/// The local variables of which each iteration of a loop can have a copy of its own: the loop finds in them what was there before it
/// began or what the same iteration has put there, and what it puts there is not used after it in an iteration of the shared loop.
fn copied(analysis: &Analysis<'_>, accesses: &Accesses, shared: usize, index: usize) -> Vec<AtomId> {
    let private = private::private_objects(analysis, accesses, index);
    let of_nest = accesses.items.iter().filter(|item| item.loops.contains(&shared));
    let mut locals: Vec<AtomId> = of_nest.clone().filter_map(Item::object).collect();
    locals.sort_unstable();
    locals.dedup();
    locals.retain(|&object| accesses.bases.local(object).is_some());
    let is_copied = |&object: &AtomId| {
        let mut items = of_nest.clone().filter(|item| item.objects.contains(&object));
        let is_only_read = || {
            items.clone().all(|item| item.object() == Some(object) && (!item.loops.contains(&index) || !item.writes()))
        };
        is_only_read() || private.contains(&object) && items.all(|item| item.loops.contains(&index))
    };
    locals.into_iter().filter(is_copied).collect()
}

fn in_nest(analysis: &mut Analysis<'_>, accesses: &Accesses, shared: usize) -> Vec<NestAccess> {
    let mut found = Vec::new();
    let touch = |item: &Item| Touch {
        instruction: item.instruction,
        kind: item.kind,
        bytes: item.test.bytes,
        address: item.address.clone(),
        objects: item.objects.clone(),
    };
    let touches: Vec<Touch> = accesses.items.iter().map(touch).collect();
    let together = made_together(analysis, &touches.iter().collect::<Vec<_>>());
    // A copy of a reduction's variable is in a register, and what is done to it may be done together.
    let is_of_copy = |item: &Item| item.bases.iter().any(|base| matches!(base, Base::Local(local) if is_copy(*local)));
    let is_followed = |item: &Item| item.extent == Extent::Known;
    let items = accesses.items.iter().zip(together).filter(|(item, _)| item.loops.contains(&shared));
    for (item, made_with) in items.filter(|(item, _)| is_followed(item) && !is_of_copy(item)) {
        let inside = item.loops.iter().skip_while(|&&index| index != shared);
        let ids: Vec<(usize, LoopId)> = inside.map(|&index| (index, analysis.lowering.loop_id(index))).collect();
        let trips = ids.iter().filter_map(|&(index, id)| match analysis.lowering.trip_count(index) {
            TripCount::Exactly(trips) | TripCount::AtMost(trips) => Some((id, trips)),
            _ => None,
        });
        let trips = trips.collect();
        let loops = ids.iter().map(|(_, id)| *id).collect();
        let (bytes, writes) = (item.test.bytes, item.writes());
        let is_atomic = item.kind == AccessKind::Atomic;
        let (address, in_every_iteration) = (item.address.clone(), item.in_every_iteration);
        let tests = if writes { None } else { tests_of(analysis.cfg, item.instruction) };
        let tests = tests.map(|tests| tests.into_iter().map(|index| analysis.lowering.loop_id(index)).collect());
        found.push(NestAccess {
            instruction: item.instruction,
            object: item.object(),
            address,
            bytes,
            writes,
            is_atomic,
            made_with,
            loops,
            trips,
            in_every_iteration,
            conditions: if in_every_iteration { Vec::new() } else { item.facts.nonneg().cloned().collect() },
            tests,
        });
    }
    found
}

impl Analysis<'_> {
    /// The loops directly inside of one.
    fn children(&self, around: usize) -> Vec<usize> {
        (0..self.cfg.loops.len()).filter(|&at| self.cfg.loops[at].parent == Some(around)).collect()
    }

    /// Why the iterations of a loop are not free of each other: what goes from one to the next in a register, or out of the loop.
    pub(super) fn carries_value(&mut self, index: usize) -> Option<Reason> {
        let is_kept = |scalar: &Scalar| scalar.is_carried() || scalar.kind == ScalarKind::LastValue;
        let scalars = self.scalars(index);
        let (_, scalar) = scalars.iter().find(|(_, scalar)| is_kept(scalar))?;
        let name = scalar.name.as_deref().unwrap_or("a value");
        let text = format!("{name} goes from one iteration to the next, or is used after the loop");
        let location = scalar.location.clone().or_else(|| self.loop_location(index));
        Some(ObstacleKind::CarriedValue.reason(text).at(location))
    }

    /// A shared loop and those below it, as long as each holds one loop alone; and why there are no more, where there are.
    pub(super) fn path_below(&mut self, shared: usize) -> (Vec<usize>, Option<Reason>) {
        let mut path = vec![shared];
        let end = loop {
            let around = path[path.len() - 1];
            let next = match self.children(around)[..] {
                [] => break None,
                [next] => next,
                [first, ..] => {
                    let text = "several loops follow one another";
                    break Some(ObstacleKind::SeveralLoops.reason(text).at(self.loop_location(first)));
                }
            };
            if let Some(reason) = self.carries_value(next) {
                break Some(reason);
            }
            if path.len() == MAX_LOOPS {
                let text = format!("it lies in {MAX_LOOPS} others, as many as are looked at");
                break Some(ObstacleKind::TooDeep.reason(text).at(self.loop_location(next)));
            }
            path.push(next);
        };
        (path, end)
    }

    /// The loops around the ends of dependences, for people.
    fn named_loops(&mut self, found: &[Found]) -> FxHashMap<usize, NamedLoop> {
        let mut named = FxHashMap::default();
        for &index in found.iter().flat_map(|found| &found.common) {
            let Some(&number) = self.visible.get(&index).filter(|_| !named.contains_key(&index)) else { continue };
            let name = self.variable(index).map_or_else(|| format!("loop{number}"), |variable| variable.name);
            named.insert(index, NamedLoop { name, location: self.loop_location(index) });
        }
        named
    }

    fn nest_loops(&mut self, path: &[usize]) -> Vec<NestLoop> {
        let entry =
            |&index: &usize| NestLoop { id: self.lowering.loop_id(index), trips: self.lowering.trip_count(index) };
        path.iter().map(entry).collect()
    }

    /// Beside other shared loops of the region, that a loop relies on nothing that depends on who ran their iterations but for data that the dependence
    /// test sees: no variable of a thread's or a team's own, no effect that is not followed, no loop that teams alone share.
    fn shares_nothing_by_threads(&self, accesses: &Accesses, shared: usize, copies: &[Value]) -> Result<(), Reason> {
        let header = self.cfg.loops[shared].header;
        let is_part = |at: usize| self.nest.shared.iter().any(|other| other.distributed_by == Some(at));
        let others: Vec<&SharedLoop> = (self.nest.shared.iter().enumerate())
            .filter(|(at, other)| {
                other.index != shared && !is_part(*at) && !self.cfg.loops[other.index].contains(header)
            })
            .map(|(_, other)| other)
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let left = |kind: ObstacleKind, text: &str, at: Option<Location>| {
            let text = format!("beside other shared loops of the region, {text}");
            Err(kind.reason(text).at(at))
        };
        if let Some(teams) = others.iter().find(|other| other.sharing == Sharing::Teams) {
            let text = "of which teams alone share one, it is not looked at what a team relies on";
            return left(ObstacleKind::SharedByTeamsOnly, text, self.loop_location(teams.index));
        }
        let unseen = accesses.opaque.iter().find(|opaque| !openmp::lets_threads_wait(opaque.instruction));
        if let Some(opaque) = unseen {
            let text = format!("{} has effects that are not followed", opaque.what);
            return left(ObstacleKind::Effect, &text, opaque.instruction.location());
        }
        // In each iteration of both loops it may be written first.
        let private_in = |index: usize| private::private_objects(self, accesses, index);
        let own = private_in(shared);
        let of_others: Vec<(usize, Vec<AtomId>)> =
            others.iter().map(|other| (other.index, private_in(other.index))).collect();
        let is_inside = |item: &&Item| item.loops.contains(&shared);
        let is_copy_here = |object: AtomId| accesses.bases.local(object).is_some_and(|local| copies.contains(&local));
        for item in accesses.items.iter().filter(is_inside) {
            for &object in item.objects.iter().filter(|&&object| accesses.bases.local(object).is_some()) {
                let is_private_there = |other: &Item| {
                    of_others.iter().any(|(index, private)| other.loops.contains(index) && private.contains(&object))
                };
                let is_shared = |other: &&Item| {
                    !is_inside(other)
                        && other.objects.contains(&object)
                        && !(own.contains(&object) && is_private_there(other))
                };
                if !is_copy_here(object) && accesses.items.iter().any(|other| is_shared(&other)) {
                    let text = "it uses a variable of a thread's or a team's own that others use as well";
                    return left(ObstacleKind::OwnVariableUsedBehind, text, item.instruction.location());
                }
            }
        }
        match self.comes_from_other_loop(shared, &others) {
            None => Ok(()),
            Some(value) => {
                let text = "it uses a value that each thread has from another of them";
                left(ObstacleKind::CarriedValue, text, value.location())
            }
        }
    }

    /// A value in a shared loop that is computed from what others of the region leave behind.
    fn comes_from_other_loop(&self, shared: usize, others: &[&SharedLoop]) -> Option<Value> {
        const MAX_VALUES: usize = 10_000;
        let block_of = |value: Value| self.cfg.id(value.block());
        let is_in =
            |value: Value, index: usize| block_of(value).is_some_and(|block| self.cfg.loops[index].contains(block));
        let inside = self.cfg.loops[shared].blocks.iter().flat_map(|&block| self.cfg.blocks[block].instructions());
        for user in inside {
            let mut seen: FxHashSet<Value> = FxHashSet::default();
            let mut work: Vec<Value> = user.operands().filter(|value| value.is_instruction()).collect();
            while let Some(value) = work.pop() {
                if is_in(value, shared) || !seen.insert(value) {
                    continue;
                }
                if seen.len() > MAX_VALUES || others.iter().any(|other| is_in(value, other.index)) {
                    return Some(user);
                }
                work.extend(value.operands().filter(|operand| operand.is_instruction()));
            }
        }
        None
    }

    pub(super) fn is_shared_by_threads(&self, index: usize) -> bool {
        self.nest.shared_at(index).is_some_and(|shared| shared.sharing == Sharing::Threads)
    }

    /// Whether all threads that run iterations of one shared loop wait for each other before any runs one of the other: at a barrier, or at the end
    /// of a parallel region. Teams never do.
    fn threads_wait_between(&self, one: usize, other: usize) -> bool {
        let both = [one, other].map(|index| self.nest.shared_at(index));
        let [Some(first), Some(second)] = both else { return false };
        let is_of_teams = |shared: &SharedLoop| shared.distributed_by.is_some();
        !is_of_teams(first)
            && !is_of_teams(second)
            && !self.is_reached_without_waiting(one, second.phi)
            && !self.is_reached_without_waiting(other, first.phi)
    }

    /// Whether a thread may come from a shared loop to an instruction while others are still in the loop; of threads of a team.
    fn is_reached_without_waiting(&self, shared: usize, instruction: Value) -> bool {
        if self.nest.shared_at(shared).is_some_and(|shared| shared.distributed_by.is_some()) {
            return false;
        }
        let natural = &self.cfg.loops[shared];
        let Some(target) = self.cfg.id(instruction.block()) else { return true };
        let mut seen: FxHashSet<BlockId> = natural.blocks.iter().copied().collect();
        let leaves = natural.blocks.iter().flat_map(|&block| &self.cfg.successors[block]).copied();
        let mut work: Vec<BlockId> = leaves.filter(|&to| !natural.contains(to)).collect();
        while let Some(block) = work.pop() {
            if !seen.insert(block) {
                continue;
            }
            let mut before = self.cfg.blocks[block].instructions().take_while(|&value| value != instruction);
            if before.any(openmp::lets_threads_wait) {
                continue;
            }
            if block == target {
                return true;
            }
            work.extend(&self.cfg.successors[block]);
        }
        false
    }

    /// Whether no iteration of a loop ends the program: which others then have run would show.
    fn ends_at_its_head(&self, index: usize) -> Result<(), Reason> {
        let natural = &self.cfg.loops[index];
        let is_unreachable = |block: BlockId| self.cfg.blocks[block].is_unreachable();
        let mut inner = natural.blocks.iter().copied().filter(|&block| block != natural.header);
        let leaving = inner
            .find(|&block| self.cfg.successors[block].iter().any(|&to| !natural.contains(to) && !is_unreachable(to)));
        match leaving {
            None => Ok(()),
            Some(block) => {
                let place = self.cfg.blocks[block].terminator().and_then(Value::location);
                Err(ObstacleKind::Exit.reason("the shared loop can be left in its middle").at(place))
            }
        }
    }

    /// Whether nothing in a loop tells threads apart or needs them together, as far as calls go, and nothing around it asks for the numbers of
    /// threads or teams, which the loop might be told.
    fn observes_threads(&self, index: usize) -> Result<(), Reason> {
        for value in self.cfg.blocks.iter().flat_map(|block| block.instructions()).filter(|value| value.is_call()) {
            if value.calls(openmp::tells_users_numbers) {
                let name = value.callee().map(|callee| callee.name()).unwrap_or_default();
                let number = report::number_in_source(&name).unwrap_or_else(|| ipda_llvm::demangle(&name));
                let text = format!("{number} is asked for, by which iterations may know their thread");
                return Err(ObstacleKind::ThreadNumber.reason(text).at(value.location()));
            }
        }
        // What one thread alone does, before the loop or behind it, iterations of its own may rely on.
        let is_of_one = |name: &str| matches!(name, "__kmpc_master" | "__kmpc_masked" | "__kmpc_single");
        let all = self.cfg.blocks.iter().flat_map(|block| block.instructions());
        if let Some(call) = all.into_iter().find(|value| value.is_call() && value.calls(is_of_one)) {
            let text = "one thread alone runs a part of the region, by which its iterations may know it";
            return Err(ObstacleKind::ThreadNumber.reason(text).at(call.location()));
        }
        let blocks = self.cfg.loops[index].blocks.iter().map(|&block| self.cfg.blocks[block]);
        for call in blocks.flat_map(|block| block.instructions()).filter(|value| value.is_call()) {
            let name = call.callee().map(|callee| callee.name()).unwrap_or_default();
            let is_harmless = openmp::effects(call).is_some()
                || openmp::begins_or_ends_life(call)
                || openmp::block_operation(call).is_some()
                || name.starts_with("llvm.assume")
                // The copies of a body have declarations of their own.
                || name.starts_with("llvm.experimental.noalias.scope.decl");
            if !is_harmless {
                let kind =
                    if report::in_source(&name).is_some() { ObstacleKind::Effect } else { ObstacleKind::UnknownCall };
                let text = format!("{} is in the shared loop", called(&name));
                return Err(kind.reason(text).at(call.location()));
            }
        }
        Ok(())
    }
}
