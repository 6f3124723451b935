//! What meets in a run against what the graph says.

use super::conflicts::{Conflicts, Meeting, writes};
use super::join::{Iterations, Join};
use super::values::Values;
use ipda::dependences::{
    DependenceKind, Edge, Guard, LoopDependences, Pair, PairVector, RegionDependences, Relation, Step, Verdict,
};
use rustc_hash::FxHashMap;

/// What became of a pair of accesses over all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fate {
    /// They were seen to meet.
    pub met: bool,
    /// They were seen to meet at a distance that is said to be there for sure.
    pub met_for_sure: bool,
}

/// What is found of one region, over all its runs.
#[derive(Debug, Default)]
pub struct Findings {
    /// What is wrong, a sentence each, without repetition.
    pub wrong: Vec<String>,
    /// By pair, in the order of the graph.
    pub fates: Vec<Fate>,
    /// Runs made.
    pub runs: usize,
    /// Pairs of executed accesses that met.
    pub conflicts: usize,
    /// Different distances at which accesses of the graph met.
    pub distances: usize,
    /// Accesses that ran and could not be distinguished from others.
    pub unclear: usize,
    /// Runs that were too long to be looked at as a whole.
    pub cut: usize,
    /// Guards whose values in a run are not known.
    pub unknown_guards: usize,
}

/// One run, compared.
pub(super) struct Check<'a> {
    region: &'a RegionDependences,
    values: &'a Values,
    pairs: FxHashMap<(usize, usize), usize>,
    edges: FxHashMap<(usize, usize), Vec<&'a Edge>>,
    findings: &'a mut Findings,
}

impl<'a> Check<'a> {
    pub(super) fn new(region: &'a RegionDependences, values: &'a Values, findings: &'a mut Findings) -> Check<'a> {
        let key = |(at, pair): (usize, &Pair)| ((pair.first, pair.second), at);
        let pairs = region.pairs.iter().enumerate().map(key).collect();
        let mut edges: FxHashMap<(usize, usize), Vec<&Edge>> = FxHashMap::default();
        for edge in &region.edges {
            edges.entry((edge.source, edge.sink)).or_default().push(edge);
        }
        findings.fates.resize(region.pairs.len(), Fate::default());
        Check { region, values, pairs, edges, findings }
    }

    pub(super) fn run(&mut self, join: &Join, conflicts: &Conflicts) {
        self.findings.runs += 1;
        self.findings.conflicts += conflicts.pairs;
        self.findings.distances += conflicts.all.len();
        self.findings.unclear += join.unclear;
        self.findings.cut += usize::from(conflicts.is_cut);
        for meeting in &conflicts.all {
            // Atomic updates by one operation may come in any order.
            let update = |node: usize| self.region.accesses[node].update.as_deref();
            if update(meeting.earlier).is_some() && update(meeting.earlier) == update(meeting.later) {
                continue;
            }
            self.pair(meeting);
            self.edge(meeting);
            self.parallel(meeting);
        }
        for value in &conflicts.values {
            self.private(value.write, value.read, &value.distance);
        }
    }

    fn wrong(&mut self, sentence: String) {
        if !self.findings.wrong.contains(&sentence) {
            self.findings.wrong.push(sentence);
        }
    }

    /// Whether the pair's distances hold this one.
    fn pair(&mut self, meeting: &Meeting) {
        let (first, second) = (meeting.earlier.min(meeting.later), meeting.earlier.max(meeting.later));
        let distance: Iterations = match meeting.earlier == first {
            true => meeting.distance.clone(),
            false => meeting.distance.iter().map(|step| -step).collect(),
        };
        let Some(&at) = self.pairs.get(&(first, second)) else {
            if self.region.limits.is_empty() {
                self.wrong(format!("{} and {} were not compared", self.name(first), self.name(second)));
            }
            return;
        };
        self.findings.fates[at].met = true;
        let what = format!("{} meets {} at {distance:?}", self.name(first), self.name(second));
        let vectors = match &self.region.pairs[at].relation {
            Relation::MayAlias => return,
            Relation::Independent(reason) => return self.wrong(format!("{what}; said to be independent: {reason}")),
            Relation::Distances(vectors) => vectors,
        };
        let mirrored: Iterations = distance.iter().map(|step| -step).collect();
        let is_self = first == second;
        let covers = |vector: &&PairVector| {
            self.covers(&vector.steps, &distance) || is_self && self.covers(&vector.steps, &mirrored)
        };
        let covering: Vec<&PairVector> = vectors.iter().filter(covers).collect();
        self.findings.fates[at].met_for_sure |= covering.iter().any(|vector| vector.certain);
        if covering.is_empty() {
            return self.wrong(format!("{what}; no vector of the pair is like that"));
        }
        let excluded = |vector: &&PairVector| {
            vector.excluded_if.as_ref().is_some_and(|conditions| self.values.hold(conditions) == Some(true))
        };
        if covering.iter().all(excluded) {
            let conditions: Vec<String> =
                covering.iter().filter_map(|vector| Some(vector.excluded_if.as_ref()?.join(", "))).collect();
            self.wrong(format!("{what}; said to be excluded by {} being at least 0", conditions.join(" or by ")));
        }
    }

    fn covers(&self, steps: &[Step], distance: &[i64]) -> bool {
        let has = |(step, &distance): (&Step, &i64)| {
            let direction = match distance {
                1.. => step.less,
                0 => step.equal,
                _ => step.greater,
            };
            let expected = step.distance.as_ref().and_then(|text| self.values.value(text));
            direction && expected.is_none_or(|expected| expected == distance.into())
        };
        steps.len() == distance.len() && steps.iter().zip(distance).all(has)
    }

    /// Whether an edge leads from what ran first to the other.
    fn edge(&mut self, meeting: &Meeting) {
        let carrier = meeting.distance.iter().position(|&step| step != 0);
        let what = || {
            format!("{} runs before {} at {:?}", self.name(meeting.earlier), self.name(meeting.later), meeting.distance)
        };
        if carrier.is_some_and(|at| meeting.distance[at] < 0) {
            let sentence = format!("{}: iterations are not numbered in their order", what());
            return self.wrong(sentence);
        }
        let carrier = carrier.map(|at| self.region.accesses[meeting.earlier].loops[at]);
        let edges = self.edges.get(&(meeting.earlier, meeting.later)).map_or(&[][..], Vec::as_slice);
        let kind = match (self.writes(meeting.earlier), self.writes(meeting.later)) {
            (true, true) => DependenceKind::Output,
            (true, false) => DependenceKind::Flow,
            _ => DependenceKind::Anti,
        };
        let is_it = |edge: &&&Edge| {
            edge.kind == kind && edge.carried_by == carrier && self.covers(&edge.steps, &meeting.distance)
        };
        let holds = |guard: &Option<Guard>| {
            guard.as_ref().is_some_and(|guard| self.values.guard(self.region, guard) == Some(true))
        };
        let like_it: Vec<&&Edge> = edges.iter().filter(is_it).collect();
        if like_it.is_empty() && self.region.limits.is_empty() {
            let sentence = format!("{}; no {kind:?} edge is like that", what());
            return self.wrong(sentence);
        }
        if !like_it.is_empty() && like_it.iter().all(|edge| holds(&edge.guard)) {
            let sentence = format!("{}; said to be excluded by a guard, which holds", what());
            self.wrong(sentence);
        }
    }

    /// Whether the loop that carries it may.
    fn parallel(&mut self, meeting: &Meeting) {
        let Some(at) = meeting.distance.iter().position(|&step| step != 0) else { return };
        let number = self.region.accesses[meeting.earlier].loops[at];
        let entry = &self.region.loops[number];
        let says_so = match &entry.verdict {
            Verdict::Parallel => Some(true),
            Verdict::Guarded(guard) => self.values.guard(self.region, guard),
            Verdict::Serial(_) | Verdict::Unknown(_) => Some(false),
        };
        let Some(says_so) = says_so else {
            self.findings.unknown_guards += 1;
            return;
        };
        if says_so && !self.is_update(entry, meeting) && !self.is_private(entry, meeting) {
            let guarded = if entry.verdict == Verdict::Parallel { "" } else { " under its guard, which holds" };
            let sentence = format!(
                "loop{number} is called parallel{guarded}; {} meets {} at {:?}",
                self.name(meeting.earlier),
                self.name(meeting.later),
                meeting.distance
            );
            self.wrong(sentence);
        }
    }

    fn is_update(&self, entry: &LoopDependences, meeting: &Meeting) -> bool {
        entry
            .updates
            .iter()
            .any(|update| update.accesses.contains(&meeting.earlier) && update.accesses.contains(&meeting.later))
    }

    fn is_private(&self, entry: &LoopDependences, meeting: &Meeting) -> bool {
        let is_private =
            |node: usize| self.region.accesses[node].object.is_some_and(|object| entry.private.contains(&object));
        is_private(meeting.earlier) && is_private(meeting.later)
    }

    /// Whether a value goes from one iteration to another in an object of which each has its own.
    fn private(&mut self, write: usize, read: usize, distance: &[i64]) {
        let Some(at) = distance.iter().position(|&step| step != 0) else { return };
        let number = self.region.accesses[write].loops[at];
        let Some(object) = self.region.accesses[read].object else { return };
        if self.region.loops[number].private.contains(&object) {
            let sentence = format!(
                "{} is said to be private to iterations of loop{number}; {} reads what {} wrote {distance:?} before",
                self.region.objects[object].name,
                self.name(read),
                self.name(write)
            );
            self.wrong(sentence);
        }
    }

    fn writes(&self, node: usize) -> bool {
        writes(&self.region.accesses[node])
    }

    fn name(&self, node: usize) -> String {
        let access = &self.region.accesses[node];
        let place = access.location.as_ref().map(|at| format!(" at {}:{}", at.line, at.column)).unwrap_or_default();
        format!("acc{node} ({} of {} bytes{place})", access.kind.name(), access.bytes)
    }
}

/// How many pairs of a region are what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Shares {
    pub pairs: usize,
    pub independent: usize,
    /// Independent under conditions that a run can test.
    pub guarded: usize,
    /// Seen to meet, and not called independent.
    pub met: usize,
    /// Neither.
    pub open: usize,
    /// Said to meet for sure.
    pub certain: usize,
    /// Of these, seen to.
    pub certain_met: usize,
    pub loops: usize,
    pub parallel: usize,
    pub guarded_loops: usize,
}

impl Shares {
    pub(super) fn add(&mut self, region: &RegionDependences, fates: &[Fate]) {
        for (pair, fate) in region.pairs.iter().zip(fates) {
            let has_guard = |edge: &Edge| edge.guard.is_some();
            let is_own = |edge: &&Edge| {
                (edge.source, edge.sink) == (pair.first, pair.second)
                    || (edge.sink, edge.source) == (pair.first, pair.second)
            };
            self.pairs += 1;
            match &pair.relation {
                Relation::Independent(_) => self.independent += 1,
                _ if region.edges.iter().filter(is_own).all(has_guard) => self.guarded += 1,
                _ if fate.met => self.met += 1,
                _ => self.open += 1,
            }
            if let Relation::Distances(vectors) = &pair.relation
                && vectors.iter().any(|vector| vector.certain)
            {
                self.certain += 1;
                self.certain_met += usize::from(fate.met_for_sure);
            }
        }
        for entry in &region.loops {
            self.loops += 1;
            match entry.verdict {
                Verdict::Parallel => self.parallel += 1,
                Verdict::Guarded(_) => self.guarded_loops += 1,
                Verdict::Serial(_) | Verdict::Unknown(_) => {}
            }
        }
    }
}
