//! Which pairs of accesses may touch common bytes, and at which distances.

use super::accesses::{Accesses, Item};
use super::bases::Apart;
use super::position::common_loops;
use super::result::DependenceKind;
use super::shapes::{Tests, groups};
use super::unwrapped::{asks_unwrapped, or_unwrapped};
use crate::analysis::region::Analysis;
use ipda_llvm::types_differ;
use ipda_symbolic::{AtomId, Polynomial, Step, Vector};
use std::borrow::Cow;
use std::rc::Rc;

/// Pairs of accesses of one region that are looked at; what comes behind is reported as not tested.
const MAX_PAIRS: usize = 100_000_000;
/// Different tests that are made.
const MAX_TESTS: usize = 200_000;
/// Pairs that are reported; independent ones beyond are not.
const MAX_REPORTED: usize = 1_000_000;
/// Different tests that are made again as if nothing wrapped.
const MAX_UNWRAPPED: usize = 1_000;
/// Dependences that are kept.
const MAX_FOUND: usize = 20_000;

/// What would exclude a dependence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Exclusion {
    /// Nothing that is known before the region.
    Never,
    /// These polynomials being at least 0.
    If(Vec<Polynomial>),
    /// These objects not overlapping.
    Disjoint(AtomId, AtomId),
}

/// A dependence from the access that comes first to the one that comes later.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub source: usize,
    pub sink: usize,
    pub kind: DependenceKind,
    /// By common loop: indices in the CFG, and how the iterations lie.
    pub common: Vec<usize>,
    pub steps: Vec<Step>,
    /// Position among the common loops.
    pub carried: Option<usize>,
    pub certain: bool,
    pub missing: Cow<'static, str>,
    pub exclusion: Exclusion,
}

/// What is known of a pair, from the first to the second in program order.
#[derive(Debug, Clone)]
pub(super) enum Known {
    Independent(&'static str),
    MayAlias,
    Distances(Rc<[Vector]>),
}

/// All that was found.
#[derive(Default)]
pub(super) struct Pairs {
    pub asked: Vec<(usize, usize, Known)>,
    pub found: Vec<Found>,
    pub rests_on_types: bool,
    pub rests_on_sections: bool,
    pub rests_on_restrict: bool,
    /// Pairs beyond the limits.
    pub left_out: u64,
    /// Pairs that were not tested as if nothing wrapped.
    pub only_wrapping: u64,
    looked_at: usize,
    unwrapped: usize,
}

impl Pairs {
    pub(super) fn test(analysis: &mut Analysis<'_>, accesses: &Accesses) -> Pairs {
        let mut pairs = Pairs::default();
        let groups = groups(&accesses.items);
        let mut tests = Tests::new(analysis, &accesses.items);
        for (at, one) in groups.iter().enumerate() {
            for (other_at, other) in groups.iter().enumerate().skip(at) {
                let (a, b) = (&accesses.items[one[0]], &accesses.items[other[0]]);
                let apart = if at == other_at { None } else { accesses.bases.apart(&a.bases, &b.bases) };
                let in_order = |x: usize, y: usize| (x.min(y), x.max(y));
                match apart {
                    Some(apart) => pairs.all_apart(accesses, one, other, apart),
                    None if at == other_at => {
                        for (number, &first) in one.iter().enumerate() {
                            one[number..]
                                .iter()
                                .for_each(|&second| pairs.pair(analysis, accesses, &mut tests, first, second));
                        }
                    }
                    None => {
                        for (first, second) in one.iter().flat_map(|&x| other.iter().map(move |&y| in_order(x, y))) {
                            pairs.pair(analysis, accesses, &mut tests, first, second);
                        }
                    }
                }
            }
        }
        let place = |source: usize, sink: usize| (source.min(sink), source.max(sink));
        pairs.asked.sort_by_key(|(first, second, _)| (*first, *second));
        pairs.found.sort_by_key(|found| place(found.source, found.sink));
        pairs
    }

    /// Where atomic updates by one operation meet, which is right in any order: of those that are not `free`, whose result depends on it, all
    /// pairs, and of the others each with itself.
    pub(super) fn of_updates(
        analysis: &mut Analysis<'_>,
        accesses: &Accesses,
        is_free: impl Fn(&Item) -> bool,
    ) -> Pairs {
        let mut pairs = Pairs::default();
        let items = &accesses.items;
        let updates: Vec<usize> = (0..items.len()).filter(|&at| items[at].update.is_some()).collect();
        if updates.is_empty() {
            return pairs;
        }
        let mut tests = Tests::new(analysis, items);
        for (number, &first) in updates.iter().enumerate() {
            let a = &items[first];
            let others = if is_free(a) { &updates[number..=number] } else { &updates[number..] };
            for &second in others {
                let b = &items[second];
                let is_apart = first != second && accesses.bases.apart(&a.bases, &b.bases).is_some();
                if a.commutes_with(b) && !is_apart {
                    pairs.tested(analysis, accesses, &mut tests, first, second);
                }
            }
        }
        pairs
    }

    /// Notes that no access of one group meets one of another.
    fn all_apart(&mut self, accesses: &Accesses, one: &[usize], other: &[usize], apart: Apart) {
        let writes = |group: &[usize]| group.iter().any(|&at| accesses.items[at].writes());
        if !writes(one) && !writes(other) {
            return;
        }
        self.rests_on_restrict |= apart == Apart::Restrict;
        let because = match apart {
            Apart::Restrict => "restrict: nothing else leads there",
            Apart::Distinct => "distinct objects",
        };
        for (&x, &y) in one.iter().flat_map(|x| other.iter().map(move |y| (x, y))) {
            if self.asked.len() >= MAX_REPORTED {
                return;
            }
            if accesses.items[x].writes() || accesses.items[y].writes() {
                self.ask(x.min(y), x.max(y), Known::Independent(because));
            }
        }
    }

    fn pair(
        &mut self,
        analysis: &mut Analysis<'_>,
        accesses: &Accesses,
        tests: &mut Tests,
        first: usize,
        second: usize,
    ) {
        let (a, b) = (&accesses.items[first], &accesses.items[second]);
        if !(a.writes() || b.writes()) || first == second && a.update.is_some() {
            return;
        }
        if a.commutes_with(b) {
            return self.ask(first, second, Known::Independent("atomic updates by one operation, in any order"));
        }
        self.tested(analysis, accesses, tests, first, second);
    }

    fn tested(
        &mut self,
        analysis: &mut Analysis<'_>,
        accesses: &Accesses,
        tests: &mut Tests,
        first: usize,
        second: usize,
    ) {
        let (a, b) = (&accesses.items[first], &accesses.items[second]);
        self.looked_at += 1;
        let is_too_much = self.looked_at > MAX_PAIRS || self.found.len() > MAX_FOUND || tests.made() > MAX_TESTS;
        if is_too_much || analysis.lowering.space.is_spent() {
            self.left_out += 1;
            return;
        }
        if a.test_objects.is_empty() || a.test_objects != b.test_objects {
            if types_differ(a.instruction, b.instruction) {
                self.rests_on_types = true;
                return self.ask(first, second, Known::Independent("accesses of different types (strict aliasing)"));
            }
            if accesses.sections.apart(first, second) {
                self.rests_on_sections = true;
                return self.ask(first, second, Known::Independent("different list items of map clauses"));
            }
            return self.may_alias(first, second, a, b, common_loops(a, b));
        }
        let vectors = tests.vectors(analysis, accesses, first, second);
        let vectors = match asks_unwrapped(a, b, &vectors) {
            true => {
                let unwrapped = tests.unwrapped([first, second], || {
                    let is_left = self.unwrapped < MAX_UNWRAPPED;
                    self.unwrapped += usize::from(is_left);
                    is_left.then(|| or_unwrapped(analysis, accesses, [first, second], &vectors))
                });
                self.only_wrapping += u64::from(unwrapped.is_none());
                unwrapped.unwrap_or(vectors)
            }
            false => vectors,
        };
        match vectors.is_empty() {
            true => self.ask(first, second, Known::Independent("the difference of the addresses")),
            false => self.distances(first, second, a, b, common_loops(a, b), vectors),
        }
    }

    fn ask(&mut self, first: usize, second: usize, known: Known) {
        if self.asked.len() < MAX_REPORTED || !matches!(known, Known::Independent(_)) {
            self.asked.push((first, second, known));
        }
    }

    fn may_alias(&mut self, first: usize, second: usize, a: &Item, b: &Item, common: Vec<usize>) {
        self.ask(first, second, Known::MayAlias);
        let exclusion = match (a.object(), b.object()) {
            (Some(one), Some(other)) if one != other => Exclusion::Disjoint(one, other),
            _ => Exclusion::Never,
        };
        let any = common.iter().map(|_| Step { less: true, equal: true, greater: true, distance: None }).collect();
        let missing = "they may lead to one object".into();
        let vector = Vector { steps: any, certain: false, missing, excluded_if: None };
        self.turn(first, second, a, b, &common, &vector, &exclusion);
    }

    #[allow(clippy::too_many_arguments)]
    fn distances(
        &mut self,
        first: usize,
        second: usize,
        a: &Item,
        b: &Item,
        common: Vec<usize>,
        vectors: Rc<[Vector]>,
    ) {
        for vector in vectors.iter() {
            let exclusion = match &vector.excluded_if {
                // What is there whenever the loops run long enough is excluded by their not doing so alone.
                Some(conditions) if !vector.certain => Exclusion::If(conditions.clone()),
                _ => Exclusion::Never,
            };
            self.turn(first, second, a, b, &common, vector, &exclusion);
        }
        self.ask(first, second, Known::Distances(vectors));
    }

    /// Splits a set of distances by the loop that carries the dependence, and turns round what runs backwards.
    #[allow(clippy::too_many_arguments)]
    fn turn(
        &mut self,
        first: usize,
        second: usize,
        a: &Item,
        b: &Item,
        common: &[usize],
        vector: &Vector,
        exclusion: &Exclusion,
    ) {
        let runs = |item: &Item| item.in_every_iteration && item.is_function_of_iterations;
        let certain = vector.certain && runs(a) && runs(b);
        let mut add = |source: usize, sink: usize, steps: Vec<Step>, carried: Option<usize>| {
            let (from, to) = if source == first { (a, b) } else { (b, a) };
            let Some(kind) = kind(from, to) else { return };
            let found = Found {
                source,
                sink,
                kind,
                common: common.to_vec(),
                steps,
                carried,
                certain,
                missing: vector.missing.clone(),
                exclusion: exclusion.clone(),
            };
            let is_there = |other: &Found| {
                (other.source, other.sink, other.carried) == (source, sink, carried)
                    && other.steps == found.steps
                    && other.exclusion == found.exclusion
            };
            // Of one access with itself, a distance and its mirror image are one dependence.
            if !(first == second && self.found.iter().rev().take_while(|other| other.source == first).any(is_there)) {
                self.found.push(found);
            }
        };
        for (position, step) in vector.steps.iter().enumerate() {
            if step.less {
                add(first, second, carried_at(&vector.steps, position, Turn::Kept), Some(position));
            }
            if step.greater {
                add(second, first, carried_at(&vector.steps, position, Turn::Reversed), Some(position));
            }
            if !step.equal {
                return;
            }
        }
        if first != second {
            let equal = vector.steps.iter().map(equal).collect();
            add(first, second, equal, None);
        }
    }
}

/// What the sink of a dependence waits for; none for two reads.
fn kind(source: &Item, sink: &Item) -> Option<DependenceKind> {
    match (source.writes(), sink.writes()) {
        (true, true) => Some(DependenceKind::Output),
        (true, false) => Some(DependenceKind::Flow),
        (false, true) => Some(DependenceKind::Anti),
        (false, false) => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Kept,
    Reversed,
}

fn equal(_: &Step) -> Step {
    Step { less: false, equal: true, greater: false, distance: Some(Polynomial::zero()) }
}

/// The steps where the first that is not equal is at `position`.
fn carried_at(steps: &[Step], position: usize, turn: Turn) -> Vec<Step> {
    let turned = |step: &Step| match turn {
        Turn::Kept => step.clone(),
        Turn::Reversed => Step {
            less: step.greater,
            equal: step.equal,
            greater: step.less,
            distance: step.distance.as_ref().map(|distance| -distance),
        },
    };
    let carrying = Step { less: true, equal: false, greater: false, distance: turned(&steps[position]).distance };
    let behind = steps[position + 1..].iter().map(turned);
    steps[..position].iter().map(equal).chain([carrying]).chain(behind).collect()
}
