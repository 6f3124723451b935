//! Loops: their source variables, places and trip counts.

use super::analysis::{Analysis, ReportedLoop};
use super::counterpart::LoopVariable;
use crate::openmp::Sharing;
use crate::openmp::nest::SharedLoop;
use ipda_llvm::{IntPredicate, Opcode, Value};
use ipda_models::report::{LikelyTrips, Location, Loop, LoopKind, Quantity, Region};
use ipda_symbolic::Polynomial;
use ipda_symbolic::TripCount;

/// The bits of counters whose counts are taken to fit in them.
const SIGNED_COUNT_BITS: u32 = 32;

fn is_signed_order(predicate: IntPredicate) -> bool {
    use IntPredicate::{LLVMIntSGE, LLVMIntSGT, LLVMIntSLE, LLVMIntSLT};
    matches!(predicate, LLVMIntSGE | LLVMIntSGT | LLVMIntSLE | LLVMIntSLT)
}

impl Analysis<'_> {
    /// Worksharing loops run from 0 to the number that the runtime is given.
    pub(crate) fn trip_counts_from_runtime(&mut self) {
        for shared in &self.nest.shared {
            let trips = match self.nest.last_iteration(shared) {
                None => TripCount::Unknown("the loop's bound is not seen where its iterations are handed out".into()),
                Some(last) => {
                    let block = self.cfg.id(self.nest.preparing_call(shared).block()).unwrap_or(0);
                    let mut lowered = self.lowering.value_at(last, block);
                    lowered.value = self.lowering.refine(&lowered.value, block);
                    let one = Polynomial::from(1);
                    let facts = self.lowering.facts_at(block);
                    let positive = self.lowering.space.proves_nonneg(&lowered.value, &facts);
                    let is_known = lowered.signed || lowered.unsigned;
                    let exact = is_known || positive && self.lowering.fits_in(&lowered, block);
                    if exact && !is_known && lowered.rests_on.no_signed_wrap {
                        self.lowering.rests_on_sums(shared.index);
                    }
                    let count = &lowered.value + &one;
                    if exact { TripCount::Exactly(count) } else { TripCount::Modulo(count) }
                }
            };
            let is_signed = match &trips {
                TripCount::Exactly(count) => self.is_count_of_signed(shared, count),
                _ => false,
            };
            self.lowering.set_trips(shared.index, trips, shared.phi);
            if is_signed {
                self.lowering.fits_signed_count(shared.index);
            }
        }
    }

    /// Whether a shared loop's count is that of a variable with a sign, which clang compares with its bound before threads begin.
    fn is_count_of_signed(&mut self, shared: &SharedLoop, count: &Polynomial) -> bool {
        // A collapsed loop's number has more bits than the variables: of its count, the test may be left that one of them runs.
        if shared.phi.ty().int_bits() != Some(SIGNED_COUNT_BITS) {
            return false;
        }
        let Some(mut to) = self.cfg.id(self.nest.preparing_call(shared).block()) else { return false };
        let runs = self.lowering.space.nonneg(&(count - &Polynomial::one()));
        while let Some(above) = self.cfg.immediate_dominator(to) {
            let test = self.cfg.blocks[above].terminator().and_then(Value::branch_condition);
            if let Some(test) = test.filter(|test| test.is(Opcode::LLVMICmp) && self.cfg.predecessors[to] == [above])
                && self.lowering.branch_condition(above, to).as_ref() == Some(&runs)
            {
                let is_int = test.operand(0).ty().int_bits() == Some(SIGNED_COUNT_BITS);
                return is_int && is_signed_order(test.int_predicate());
            }
            to = above;
        }
        false
    }

    pub(crate) fn loops(&mut self, result: &mut Region) {
        for index in 0..self.cfg.loops.len() {
            if self.nest.hidden.contains(&index) {
                self.lowering.name_loop(index, "chunk");
                continue;
            }
            let number = self.visible.len();
            self.visible.insert(index, number);
            let variable = self.variable(index);
            let display = match &variable {
                Some(variable) if variable.is_iteration_number => variable.name.clone(),
                Some(variable) => format!("#{}", variable.name.replace(", ", "")),
                None => format!("loop{number}"),
            };
            self.lowering.name_loop(index, &display);
        }
        for index in 0..self.cfg.loops.len() {
            let Some(&number) = self.visible.get(&index) else { continue };
            let shared = self.nest.shared_at(index);
            let trips = self.lowering.trip_count(index);
            let iteration = self.lowering.iteration(index);
            let schedule = shared.map(|shared| self.schedule(shared));
            let has_chunk = schedule.as_ref().is_some_and(|schedule| schedule.chunk().is_some());
            let chunk = shared.filter(|_| has_chunk).map(|shared| self.length_of_chunk(shared));
            let at_most = match &trips {
                TripCount::AtMost(most) => Some(most.clone()),
                _ => None,
            };
            let at_most_text = at_most.as_ref().map(|most| self.text(most));
            // Of what is left early the bound is counted.
            let halved = if matches!(trips, TripCount::Unknown(_)) { self.halved(index) } else { None };
            let halved_text = halved.as_ref().map(|halved| self.text(halved));
            let likely = matches!(trips, TripCount::Unknown(_)).then(|| self.likely(index)).flatten();
            let (likely, likely_text) =
                likely.map(|(of, said)| (of.clone(), LikelyTrips { of: self.text(&of), ..said })).unzip();
            self.reported.loops.push(ReportedLoop { trips: self.count(&trips), at_most, halved, likely, chunk });
            result.loops.push(Loop {
                id: format!("loop{number}"),
                parent: self.visible_parent(self.cfg.loops[index].parent),
                kind: match shared {
                    None => LoopKind::Sequential,
                    Some(SharedLoop { sharing: Sharing::Teams, .. }) => LoopKind::Distribute,
                    Some(SharedLoop { distributed_by: Some(_), .. }) => LoopKind::DistributeParallelFor,
                    Some(_) => LoopKind::For,
                },
                variable: self.variable(index).map(|variable| variable.name),
                index: Some(self.text(&iteration)),
                location: self.loop_location(index),
                trips: self.quantity(&trips),
                at_most: at_most_text,
                halved: halved_text,
                likely: likely_text,
                schedule,
                sectors: None,
                accesses_without_count: 0,
                skewed: None,
            });
        }
    }

    fn visible_parent(&self, from: Option<usize>) -> Option<String> {
        self.cfg.loop_chain(from).find_map(|at| self.visible.get(&at)).map(|number| format!("loop{number}"))
    }

    pub(crate) fn variable(&mut self, index: usize) -> Option<LoopVariable> {
        self.own_variable(index).or_else(|| {
            let counterpart = self.setting.counterpart?;
            counterpart.variable_at(&self.loop_location(index)?)
        })
    }

    fn own_variable(&mut self, index: usize) -> Option<LoopVariable> {
        let natural = &self.cfg.loops[index];
        let number = self.lowering.iteration(index);
        if let Some(shared) = self.nest.shared_at(index) {
            if let Some(name) = shared.phi.counter_name() {
                return Some(LoopVariable { name, is_iteration_number: true });
            }
            return match &self.names.counters.get(&shared.phi)?[..] {
                [] => None,
                [only] => Some(LoopVariable {
                    name: only.name.clone(),
                    is_iteration_number: only.starts_at_zero && !self.is_scaled(index, shared.phi),
                }),
                several => Some(LoopVariable {
                    name: several.iter().map(|counter| counter.name.as_str()).collect::<Vec<_>>().join(", "),
                    is_iteration_number: false,
                }),
            };
        }
        let atom = number.as_atom()?;
        // What the loop's test looks at, then the header's phis, then what the body computes first.
        let test = self.cfg.blocks[natural.header].terminator().and_then(Value::branch_condition);
        let tested = test.filter(|test| test.is_instruction());
        let tested: Vec<Value> = tested.into_iter().flat_map(Value::operands).collect();
        let computed = natural.blocks.iter().take(3).flat_map(|&block| self.cfg.blocks[block].instructions());
        let candidates: Vec<Value> = tested.iter().copied().chain(computed).collect();
        let mut found = None;
        for value in candidates {
            let Some(name) = self.names.variables.get(&value).cloned() else { continue };
            let in_loop =
                value.is_instruction() && self.cfg.id(value.block()).is_some_and(|block| natural.contains(block));
            if !in_loop || value.ty().int_bits().is_none() && !value.ty().is_pointer() {
                continue;
            }
            let lowered = self.lowering.lower(value);
            // What the body computes is not what the loop counts with where that is known.
            let counts = tested.contains(&value) || value.is(Opcode::LLVMPHI) || found.is_none();
            if lowered.value == number && counts {
                return Some(LoopVariable { name, is_iteration_number: true });
            }
            let steps = self.lowering.space.split_affine(&lowered.value, atom);
            if found.is_none() && steps.is_some_and(|(rate, _)| rate.as_constant().is_some_and(|rate| !rate.is_zero()))
            {
                found = Some(LoopVariable { name, is_iteration_number: false });
            }
        }
        found
    }

    /// Whether a multiple of the iteration number is taken: then the loop's step may not be 1.
    fn is_scaled(&self, index: usize, phi: Value) -> bool {
        let natural = &self.cfg.loops[index];
        phi.users().into_iter().any(|user| {
            let multiplies = matches!(user.opcode(), Some(Opcode::LLVMMul | Opcode::LLVMShl | Opcode::LLVMSub));
            multiplies
                && self.cfg.id(user.block()).is_some_and(|block| natural.contains(block))
                && user.operands().any(Value::is_constant)
        })
    }

    pub(crate) fn loop_location(&self, index: usize) -> Option<Location> {
        let natural = &self.cfg.loops[index];
        let test = self.cfg.blocks[natural.header]
            .terminator()
            .and_then(Value::branch_condition)
            .filter(|value| value.is_instruction());
        if self.nest.shared_at(index).is_some()
            && let Some(location) = test.and_then(Value::location)
        {
            return Some(location);
        }
        let latch = natural.latches.first().and_then(|&latch| self.cfg.blocks[latch].terminator());
        let header = self.cfg.blocks[natural.header].terminator();
        latch
            .and_then(Value::loop_location)
            .or_else(|| header.and_then(Value::location))
            .or_else(|| latch.and_then(Value::location))
    }

    /// Whether a loop is left by its own condition alone, behind branches in that: those of `?:`, as the quotient that is rounded down has.
    pub(crate) fn has_branches_in_condition(&self, index: usize) -> bool {
        let mut exits = self.lowering.exit_edges(index).map(|(from, _)| from);
        let (Some(exit), None) = (exits.next(), exits.next()) else { return false };
        let test = self.cfg.blocks[exit].terminator().and_then(Value::location);
        exit != self.cfg.loops[index].header && test.is_some() && test == self.loop_location(index)
    }

    pub(crate) fn quantity(&self, trips: &TripCount) -> Quantity {
        self.reported_count(&self.count(trips))
    }

    /// A count for people, or why it is not known.
    pub(super) fn reported_count(&self, count: &Result<Polynomial, String>) -> Quantity {
        match count {
            Ok(count) => Quantity { value: Some(self.text(count)), unknown: None },
            Err(reason) => Quantity { value: None, unknown: Some(reason.clone()) },
        }
    }

    /// How many iterations, or why that is not known.
    fn count(&self, trips: &TripCount) -> Result<Polynomial, String> {
        match trips {
            TripCount::Exactly(count) | TripCount::Modulo(count) => Ok(count.clone()),
            TripCount::AtMost(count) => Err(self.at_most(count)),
            TripCount::Unknown(reason) => Err(reason.clone()),
        }
    }

    pub(crate) fn at_most(&self, count: &Polynomial) -> String {
        format!("at most {}: the loop can also be left elsewhere", self.text(count))
    }
}
