//! From a flattened region to its dependences: everything is found in the algebra, and then becomes text.

use super::accesses::{Accesses, Extent, Item};
use super::footprint::{Footprint, footprint};
use super::pairs::{Found, Known, Pairs};
use super::private;
use super::registers::{self, ScalarValue};
use super::result::{
    AccessNode, Edge, Guard, LoopDependences, Node, Object, OpaqueNode, Pair, PairVector, Phases, RegionDependences,
    Relation, Scalar, ScalarKind, Step, UnitKind, Update, Verdict,
};
use super::updates::{MemoryUpdate, at_one_place, in_memory};
use super::verdict::{Answer, Conditions, Question};
use crate::analysis::comparison::not_negative;
use crate::analysis::names::Names;
use crate::analysis::region::access::assumptions;
use crate::analysis::region::{self, Analysis, Given, Setting};
use crate::common::budget::Stage;
use crate::openmp::called_from;
use crate::openmp::flatten::{Flat, flatten};
use crate::openmp::outline::TargetRegion;
use ipda_llvm::{Operation, Value, demangle};
use ipda_models::report::{FunctionNote, Limit, Region};
use ipda_symbolic::{AtomId, Polynomial};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// The dependences of a region, kernel or function.
pub(crate) fn dependences_of(
    setting: &Setting<'_>,
    region: &TargetRegion,
    kind: UnitKind,
    phases: &mut Phases,
) -> RegionDependences {
    let start = Instant::now();
    let mut report = region::empty_region(setting, region);
    let location = (report.location.line != 0).then(|| report.location.clone());
    let mut result = RegionDependences::empty(kind, demangle(&region.name.function), location);
    let Flat { code, mut log } = flatten(setting.session, region, setting.trace);
    match code {
        Ok(copy) => {
            let mut names = Names::read(&copy);
            for (param, original) in copy.function().params().into_iter().zip(region.holder().params()) {
                // Functions in the text form of IR have names that people gave.
                let name = original.name();
                if kind == UnitKind::Function && !name.is_empty() {
                    names.variables.entry(param).or_insert(name);
                }
            }
            let given = Given { names, lengths: &[] };
            region::analysed(setting, region, &copy, given, &mut log, |analysis| {
                analysis.loops(&mut report);
                analysis.begin(Stage::Accesses);
                let accesses = Accesses::collect(analysis, kind);
                phases.reading += start.elapsed();
                let start = Instant::now();
                analysis.begin(Stage::Dependences);
                let pairs = Pairs::test(analysis, &accesses);
                phases.testing += start.elapsed();
                if let Some(again) = &mut phases.again {
                    let start = Instant::now();
                    drop(std::hint::black_box(Pairs::test(analysis, &accesses)));
                    *again += start.elapsed();
                }
                let start = Instant::now();
                Builder::new(analysis, accesses, pairs).build(&report, &mut result);
                phases.reports += start.elapsed();
            });
            if copy.lacks_stores() {
                result.assumptions.push("stores of what was loaded from the same place, unchanged, are none".into());
            }
        }
        Err(reason) => log.add(reason, Some(report.location.clone())),
    }
    result.rejects = log.into_vec();
    result
}

/// The clause of a reduction.
fn clause(operation: Operation, of: &str) -> String {
    format!("reduction({} : {of})", operation.clause)
}

struct Builder<'a, 'b> {
    analysis: &'a mut Analysis<'b>,
    accesses: Accesses,
    pairs: Pairs,
    objects: Vec<AtomId>,
    footprints: FxHashMap<AtomId, Result<Footprint, String>>,
    updates: Vec<MemoryUpdate>,
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(analysis: &'a mut Analysis<'b>, accesses: Accesses, pairs: Pairs) -> Builder<'a, 'b> {
        let mut objects: Vec<AtomId> = Vec::new();
        for object in accesses.items.iter().filter_map(|item| item.object()) {
            if !objects.contains(&object) {
                objects.push(object);
            }
        }
        let footprints = objects.iter().map(|&object| (object, footprint(analysis, &accesses, object))).collect();
        let updates = in_memory(&accesses);
        Builder { analysis, accesses, pairs, objects, footprints, updates }
    }

    fn build(mut self, report: &Region, result: &mut RegionDependences) {
        let mut edges: Vec<Edge> = Vec::new();
        let found = std::mem::take(&mut self.pairs.found);
        edges.extend(found.iter().map(|found| self.edge(found)));
        self.pairs.found = found;
        let mut visible: Vec<(usize, usize)> = self.analysis.visible.iter().map(|(&index, &at)| (at, index)).collect();
        visible.sort_unstable();
        let mut values: Vec<(usize, Vec<Value>)> = Vec::new();
        for (number, index) in visible {
            let (of_scalars, scalars) = self.analysis.scalars(index).into_iter().unzip();
            values.push((index, of_scalars));
            let entry = self.loop_entry(index, scalars, &report.loops[number].trips, &mut edges);
            result.loops.push(entry);
        }
        result.edges = edges;
        let scalars = values.iter().zip(&result.loops).enumerate().flat_map(|(in_loop, ((index, values), entry))| {
            values.iter().zip(&entry.scalars).enumerate().map(move |(scalar, (&value, entry))| ScalarValue {
                node: Node::Scalar { in_loop, scalar },
                index: *index,
                value,
                scalar: entry,
            })
        });
        let (flows, cut) = registers::flows(self.analysis, &self.accesses, &scalars.collect::<Vec<_>>());
        result.accesses = (0..self.accesses.items.len()).map(|at| self.access(at)).collect();
        result.opaque = self
            .accesses
            .opaque
            .iter()
            .map(|opaque| OpaqueNode {
                what: opaque.what.clone(),
                loops: self.numbers(&opaque.loops),
                location: opaque.instruction.location(),
            })
            .collect();
        result.objects = self.objects.iter().map(|&object| self.object(object)).collect();
        result.pairs = self
            .pairs
            .asked
            .iter()
            .map(|(first, second, known)| Pair { first: *first, second: *second, relation: self.relation(known) })
            .collect();
        result.assumptions = self.assumptions();
        result.flows = flows;
        result.limits = self.analysis.limits();
        if cut > 0 {
            result.limits.push(Limit { name: "values behind one store".into(), count: cut });
        }
        if self.pairs.left_out > 0 {
            result.limits.push(Limit { name: "pairs of accesses".into(), count: self.pairs.left_out });
        }
        if self.pairs.only_wrapping > 0 {
            let name = "pairs of accesses as if nothing wrapped".into();
            result.limits.push(Limit { name, count: self.pairs.only_wrapping });
        }
    }

    fn loop_entry(
        &mut self,
        index: usize,
        scalars: Vec<Scalar>,
        trips: &ipda_models::report::Quantity,
        edges: &mut [Edge],
    ) -> LoopDependences {
        let private = private::private_objects(self.analysis, &self.accesses, index);
        let updates = at_one_place(self.analysis, &self.accesses, &self.updates, index);
        let question = Question {
            index,
            accesses: &self.accesses,
            pairs: &self.pairs,
            scalars: &scalars,
            private: &private,
            updates: &updates,
            footprints: &self.footprints,
        };
        let answer = question.answer(self.analysis);
        let updating = question.mark(edges);
        let verdict = match answer {
            Answer::Parallel => Verdict::Parallel,
            Answer::Guarded(conditions) => Verdict::Guarded(self.guard(&conditions)),
            Answer::Serial(obstacle) => Verdict::Serial(obstacle),
            Answer::Unknown(obstacle) => Verdict::Unknown(obstacle),
        };
        let parent = self.analysis.cfg.loops[index].parent;
        let parent = self.analysis.cfg.loop_chain(parent).find_map(|at| self.analysis.visible.get(&at).copied());
        let is_read_outside = |object: &&AtomId| {
            let reads = |item: &Item| item.reads() && !item.loops.contains(&index) && item.objects.contains(object);
            self.accesses.items.iter().any(reads)
        };
        let last_private: Vec<AtomId> = private.iter().filter(is_read_outside).copied().collect();
        let numbers = |objects: &[AtomId]| objects.iter().filter_map(|object| self.object_number(*object)).collect();
        let updates = self.update_entries(&updates, &updating);
        LoopDependences {
            missing_clauses: self.missing_clauses(index, &scalars, &updates),
            private: numbers(&private),
            last_private: numbers(&last_private),
            parent,
            depth: self
                .analysis
                .cfg
                .loop_chain(Some(index))
                .filter(|at| self.analysis.visible.contains_key(at))
                .count(),
            shared: self.analysis.nest.shared_at(index).is_some(),
            variable: self.analysis.variable(index).map(|variable| variable.name),
            location: self.analysis.loop_location(index),
            trips: trips.value.clone().or(trips.unknown.clone()).unwrap_or_default(),
            verdict,
            scalars,
            updates,
        }
    }

    /// The reductions that a loop has and that no clause makes one: threads that share it have variables of their own.
    fn missing_clauses(&self, index: usize, scalars: &[Scalar], updates: &[Update]) -> Vec<String> {
        let is_shared = self.analysis.nest.shared_at(index).is_some();
        let of_scalar = |scalar: &Scalar| match (&scalar.kind, &scalar.name) {
            (ScalarKind::Reduction(operation), Some(name)) => Some(clause(*operation, name)),
            (ScalarKind::Reduction(operation), None) => Some(clause(*operation, "...")),
            _ => None,
        };
        let mut clauses: Vec<String> = scalars.iter().filter(|_| !is_shared).filter_map(of_scalar).collect();
        for update in updates {
            let item = &self.accesses.items[update.accesses[0]];
            let object = item.object();
            let local = object.and_then(|object| self.accesses.bases.local(object));
            let item = match object {
                Some(_) if local.is_some() && is_shared => continue,
                Some(_) if local.is_some() => "...".to_owned(),
                Some(object) => {
                    let name = self.analysis.object_name(object);
                    match () {
                        // No clause names a member.
                        () if item.instruction.accesses_member() => {
                            format!("a variable in place of a member of {name}")
                        }
                        () if self.analysis.is_variable(object) => name,
                        () if item.address == Polynomial::from(object) => format!("{name}[0 : 1]"),
                        () => format!("{name}[...]"),
                    }
                }
                None => "...".to_owned(),
            };
            clauses.push(clause(update.operation, &item));
        }
        clauses.dedup();
        clauses
    }

    /// The updates by which a loop would otherwise be serial, those of one place together.
    fn update_entries(&self, updates: &[MemoryUpdate], updating: &[usize]) -> Vec<Update> {
        let mut entries: Vec<(Update, (&Polynomial, u64))> = Vec::new();
        for update in updates.iter().filter(|update| updating.contains(&update.store)) {
            let item = &self.accesses.items[update.store];
            let place = (&item.test.address, item.test.bytes);
            match entries.iter_mut().find(|(entry, at)| *at == place && entry.operation == update.operation) {
                Some((entry, _)) => entry.accesses.extend([update.load, update.store]),
                None => {
                    let object = item.object().and_then(|object| self.object_number(object));
                    let accesses = vec![update.load, update.store];
                    entries.push((Update { object, operation: update.operation, accesses }, place));
                }
            }
        }
        entries.into_iter().map(|(entry, _)| entry).collect()
    }

    fn edge(&self, found: &Found) -> Edge {
        Edge {
            source: found.source,
            sink: found.sink,
            kind: found.kind,
            steps: found.steps.iter().map(|step| self.step(step)).collect(),
            carried_by: found.carried.and_then(|at| self.analysis.visible.get(&found.common[at]).copied()),
            certain: found.certain,
            missing: found.missing.clone().into_owned(),
            guard: Conditions::of(&found.exclusion).map(|conditions| self.guard(&conditions)),
            is_update: false,
            is_private: false,
        }
    }

    fn guard(&self, conditions: &Conditions) -> Guard {
        let number = |object: AtomId| self.object_number(object);
        Guard {
            conditions: conditions.nonneg.iter().map(|condition| self.analysis.text(condition)).collect(),
            words: conditions
                .nonneg
                .iter()
                .map(|condition| not_negative(&self.analysis.lowering.space, condition))
                .collect(),
            disjoint: conditions.disjoint.iter().filter_map(|&(a, b)| Some((number(a)?, number(b)?))).collect(),
        }
    }

    fn step(&self, step: &ipda_symbolic::Step) -> Step {
        Step {
            less: step.less,
            equal: step.equal,
            greater: step.greater,
            distance: step.distance.as_ref().map(|distance| self.analysis.text(distance)),
        }
    }

    fn relation(&self, known: &Known) -> Relation {
        match known {
            Known::Independent(reason) => Relation::Independent((*reason).into()),
            Known::MayAlias => Relation::MayAlias,
            Known::Distances(vectors) => {
                let entry = |vector: &ipda_symbolic::Vector| PairVector {
                    steps: vector.steps.iter().map(|step| self.step(step)).collect(),
                    certain: vector.certain,
                    excluded_if: vector
                        .excluded_if
                        .as_ref()
                        .map(|conditions| conditions.iter().map(|condition| self.analysis.text(condition)).collect()),
                };
                Relation::Distances(vectors.iter().map(entry).collect())
            }
        }
    }

    fn access(&self, at: usize) -> AccessNode {
        let item = &self.accesses.items[at];
        AccessNode {
            kind: item.kind,
            object: item.object().and_then(|object| self.object_number(object)),
            bytes: if item.extent == Extent::Known { item.test.bytes } else { 0 },
            address: self.analysis.text(&item.address),
            loops: self.numbers(&item.loops),
            location: item.instruction.location(),
            called_from: called_from(&[item.instruction]),
            update: item.update.map(|operation| operation.name.into()),
            in_every_iteration: item.in_every_iteration,
        }
    }

    fn object(&self, object: AtomId) -> Object {
        let footprint = match &self.footprints[&object] {
            Ok((low, high)) => Ok((self.analysis.text(low), self.analysis.text(high))),
            Err(reason) => Err(reason.clone()),
        };
        Object { name: self.analysis.object_name(object), footprint }
    }

    fn object_number(&self, object: AtomId) -> Option<usize> {
        self.objects.iter().position(|&other| other == object)
    }

    fn numbers(&self, loops: &[usize]) -> Vec<usize> {
        loops.iter().filter_map(|index| self.analysis.visible.get(index).copied()).collect()
    }

    fn assumptions(&self) -> Vec<String> {
        let mut sentences: Vec<String> =
            assumptions(self.accesses.rests_on).into_iter().map(|guarantee| guarantee.sentence().into()).collect();
        let own = [
            (
                self.accesses.rests_on_inbounds,
                "index arithmetic stays in its array (the language leaves others undefined)",
            ),
            (self.pairs.rests_on_restrict, "pointers marked restrict are the only way to what they lead to"),
            (
                self.pairs.rests_on_sections,
                "list items of one construct's map clauses share no storage (OpenMP leaves others undefined)",
            ),
            (self.pairs.rests_on_types, "memory is accessed by one type alone (strict aliasing)"),
        ];
        sentences.extend(self.analysis.functions().iter().map(FunctionNote::sentence));
        sentences.extend(own.into_iter().filter(|(rests, _)| *rests).map(|(_, sentence)| sentence.to_string()));
        sentences
    }
}
