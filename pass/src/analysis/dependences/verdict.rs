//! Whether the iterations of a loop are independent, and the guard under which they are.

use super::accesses::Accesses;
use super::footprint::Footprint;
use super::pairs::{Exclusion, Found, Pairs};
use super::result::{Edge, Obstacle, Scalar, ScalarKind};
use super::updates::MemoryUpdate;
use crate::analysis::region::Analysis;
use ipda_llvm::{Value, demangle};
use ipda_symbolic::{AtomId, Facts, Polynomial, TripCount};
use rustc_hash::FxHashMap;

/// What is said of a loop, before it becomes text.
pub(super) enum Answer {
    Parallel,
    Guarded(Conditions),
    Serial(Obstacle),
    Unknown(Obstacle),
}

/// Conditions of a guard beyond which a loop's independence is not shown: nobody would test them.
const MAX_CONDITIONS: usize = 256;

/// What must hold before the region runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    pub nonneg: Vec<Polynomial>,
    pub disjoint: Vec<(AtomId, AtomId)>,
    // All of `nonneg`.
    facts: Facts,
}

impl Conditions {
    pub(super) fn of(exclusion: &Exclusion) -> Option<Conditions> {
        let mut conditions = Conditions::default();
        conditions.add(exclusion, |_, _| true).then_some(conditions)
    }

    /// Adds what excludes a dependence, of which each condition `can_hold` where the others do. False where nothing does, or too much is needed:
    /// then nothing is added.
    fn add(&mut self, exclusion: &Exclusion, can_hold: impl Fn(&Polynomial, &Facts) -> bool) -> bool {
        if self.nonneg.len() + self.disjoint.len() >= MAX_CONDITIONS {
            return false;
        }
        match exclusion {
            Exclusion::Never => return false,
            Exclusion::If(conditions) => {
                let mut facts = self.facts.clone();
                let mut added = Vec::new();
                for condition in conditions {
                    if self.nonneg.contains(condition) || added.contains(condition) {
                        continue;
                    }
                    if !can_hold(condition, &facts) {
                        return false;
                    }
                    facts.assume_nonneg(condition.clone());
                    added.push(condition.clone());
                }
                self.nonneg.extend(added);
                self.facts = facts;
            }
            Exclusion::Disjoint(a, b) => {
                let pair = if a < b { (*a, *b) } else { (*b, *a) };
                if !self.disjoint.contains(&pair) {
                    self.disjoint.push(pair);
                }
            }
        }
        true
    }

    /// Without what follows from the rest.
    fn reduced(mut self, analysis: &Analysis<'_>) -> Conditions {
        let mut at = 0;
        while at < self.nonneg.len() {
            let mut others = Facts::none();
            let rest = self.nonneg.iter().enumerate().filter(|(other, _)| *other != at);
            rest.for_each(|(_, condition)| others.assume_nonneg(condition.clone()));
            match analysis.lowering.space.proves_nonneg(&self.nonneg[at], &others) {
                true => _ = self.nonneg.remove(at),
                false => at += 1,
            }
        }
        self
    }
}

/// What a loop's answer is made of.
pub(super) struct Question<'a> {
    pub index: usize,
    pub accesses: &'a Accesses,
    pub pairs: &'a Pairs,
    pub scalars: &'a [Scalar],
    pub private: &'a [AtomId],
    pub updates: &'a [MemoryUpdate],
    pub footprints: &'a FxHashMap<AtomId, Result<Footprint, String>>,
}

impl Question<'_> {
    pub(super) fn answer(&self, analysis: &mut Analysis<'_>) -> Answer {
        let mut unknown = self.obstacles_beside_accesses(analysis).into_iter().next();
        let mut not_shown = |obstacle: Obstacle| _ = unknown.get_or_insert(obstacle);
        if let Some(obstacle) = self.scalars.iter().find_map(of_scalar) {
            return Answer::Serial(obstacle);
        }
        let mut conditions = Conditions::default();
        for found in self.carried() {
            let obstacle = |this: &Self, why: &str| this.obstacle(analysis, found, why);
            if found.certain && found.exclusion == Exclusion::Never {
                return Answer::Serial(obstacle(self, ""));
            }
            if let Exclusion::Disjoint(a, b) = found.exclusion
                && let Some(reason) = [a, b].iter().find_map(|object| self.footprints.get(object)?.as_ref().err())
            {
                not_shown(obstacle(self, &format!("; what is touched is not known: {reason}")));
                continue;
            }
            let space = &analysis.lowering.space;
            let can_hold = |condition: &Polynomial, others: &Facts| {
                !space.proves_nonneg(&(-condition - Polynomial::one()), others)
            };
            if self.is_idle(analysis, &found.exclusion) || !conditions.add(&found.exclusion, can_hold) {
                not_shown(obstacle(self, &format!(": {}", found.missing)));
            }
        }
        if self.pairs.left_out > 0 {
            let sentence = format!("{} pairs of accesses were left out: there are too many", self.pairs.left_out);
            not_shown(Obstacle { sentence, from: None, to: None });
        }
        let conditions = conditions.reduced(analysis);
        match unknown {
            Some(obstacle) => Answer::Unknown(obstacle),
            None if conditions.nonneg.is_empty() && conditions.disjoint.is_empty() => Answer::Parallel,
            None => Answer::Guarded(conditions),
        }
    }

    /// Why independence is not shown, whatever is accessed: what has other effects, or keeps later iterations from running.
    fn obstacles_beside_accesses(&self, analysis: &mut Analysis<'_>) -> Vec<Obstacle> {
        let mut found = Vec::new();
        for opaque in self.accesses.opaque.iter().filter(|opaque| opaque.loops.contains(&self.index)) {
            let sentence = format!("{} has effects that are not followed", opaque.what);
            found.push(Obstacle { sentence, from: opaque.instruction.location(), to: None });
        }
        if analysis.nest.shared_at(self.index).is_none()
            && let TripCount::Unknown(reason) = analysis.lowering.trip_count(self.index)
        {
            let sentence = format!("whether an iteration runs is known only after the one before: {reason}");
            found.push(Obstacle { sentence, from: analysis.loop_location(self.index), to: None });
        }
        if let TripCount::AtMost(_) = analysis.lowering.trip_count(self.index) {
            let sentence = "an iteration can leave the loop, so that no later ones run".into();
            found.push(Obstacle { sentence, from: analysis.loop_location(self.index), to: None });
        }
        if let Some(call) = ends_program(analysis, self.index) {
            let name = call.callee().map_or_else(|| "a call".to_string(), |callee| demangle(&callee.name()));
            let sentence = format!("{name} can end the program in an iteration, so that no later ones run");
            found.push(Obstacle { sentence, from: call.location(), to: None });
        }
        found
    }

    /// Marks the edges that the loop carries by what does away with them; the accesses of those that are updates.
    pub(super) fn mark(&self, edges: &mut [Edge]) -> Vec<usize> {
        let mut updating = Vec::new();
        for (edge, found) in edges.iter_mut().zip(&self.pairs.found) {
            if found.carried.is_some_and(|at| found.common[at] == self.index) {
                edge.is_private = self.is_private(found);
                edge.is_update = !edge.is_private && self.is_update(found);
                if edge.is_update {
                    updating.extend([found.source, found.sink]);
                }
            }
        }
        updating
    }

    /// Whether a condition holds only where the loop runs once at most: then there is nothing to be parallel.
    fn is_idle(&self, analysis: &Analysis<'_>, exclusion: &Exclusion) -> bool {
        let (Exclusion::If(conditions), Some(trips)) = (exclusion, self.accesses.max_trips.get(&self.index)) else {
            return false;
        };
        let mut facts = Facts::none();
        conditions.iter().for_each(|condition| facts.assume_nonneg(condition.clone()));
        analysis.lowering.space.proves_nonneg(&(Polynomial::from(1) - trips), &facts)
    }

    /// The dependences that the loop carries and that neither private copies nor the freedom of updates do away with.
    fn carried(&self) -> impl Iterator<Item = &Found> {
        self.pairs.found.iter().filter(|found| {
            found.carried.is_some_and(|at| found.common[at] == self.index)
                && !self.is_private(found)
                && !self.is_update(found)
        })
    }

    /// Whether iterations may have copies of their own of what the dependence is about.
    fn is_private(&self, found: &Found) -> bool {
        let is_private =
            |access: usize| self.accesses.items[access].object().is_some_and(|object| self.private.contains(&object));
        is_private(found.source) && is_private(found.sink)
    }

    /// Whether both ends belong to updates of one place by one operation.
    fn is_update(&self, found: &Found) -> bool {
        let of = |access: usize| self.updates.iter().find(|update| update.load == access || update.store == access);
        let (Some(a), Some(b)) = (of(found.source), of(found.sink)) else { return false };
        let place = |update: &MemoryUpdate| {
            let item = &self.accesses.items[update.store];
            (&item.test.address, item.instruction.operand(0).ty())
        };
        a.operation == b.operation && place(a) == place(b)
    }

    fn obstacle(&self, analysis: &Analysis<'_>, found: &Found, why: &str) -> Obstacle {
        obstacle(analysis, self.accesses, found, why)
    }
}

/// A value in a register that an iteration takes from the one before, for good.
fn of_scalar(scalar: &Scalar) -> Option<Obstacle> {
    let name = scalar.name.as_deref().unwrap_or("a value");
    let sentence = match &scalar.kind {
        ScalarKind::Recurrence => format!("{name} is computed from what it was in the iteration before"),
        ScalarKind::Scan { .. } => format!("{name} is a running value that iterations use"),
        _ => return None,
    };
    Some(Obstacle { sentence, from: scalar.location.clone(), to: None })
}

/// A dependence that stands in the way.
pub(super) fn obstacle(analysis: &Analysis<'_>, accesses: &Accesses, found: &Found, why: &str) -> Obstacle {
    let (source, sink) = (&accesses.items[found.source], &accesses.items[found.sink]);
    let name = |object: Option<AtomId>| object.map_or("memory".to_string(), |atom| analysis.object_name(atom));
    let (from, to) = (name(source.object()), name(sink.object()));
    let kind = super::print::dependence(found.kind);
    let of = if from == to { from } else { format!("{from} and {to}") };
    let sentence = format!("{kind} dependence of {of}{why}");
    Obstacle { sentence, from: source.instruction.location(), to: sink.instruction.location() }
}

/// A call by which a loop can be left for good: of what never returns, as a failed assertion.
pub(super) fn ends_program(analysis: &Analysis<'_>, index: usize) -> Option<Value> {
    let (cfg, natural) = (analysis.cfg, &analysis.cfg.loops[index]);
    let ways = natural.blocks.iter().flat_map(|&block| &cfg.successors[block]);
    let ends = ways.filter(|&&to| !natural.contains(to) && analysis.lowering.is_dead_end(to));
    ends.flat_map(|&to| cfg.blocks[to].instructions()).find(|value| value.is_call())
}
