//! Which pairs of accesses may touch common bytes, and at which distances. Accesses that differ by a constant alone share their tests, so
//! that many of them on one object cost as many tests as there are different distances.

use super::DependenceKind;
use super::accesses::{Accesses, Item, common_loops, loop_ids};
use super::bases::Apart;
use crate::analyse::Analysis;
use crate::ir::types_differ;
use ipda_symbolic::{AtomId, Coeff, Polynomial, Step, Vector, dependence_with};
use rustc_hash::FxHashMap;

/// Pairs of accesses of one region that are looked at; what comes behind is told as not tested.
const MAX_PAIRS: usize = 2_000_000;
/// Dependences that are kept.
const MAX_FOUND: usize = 20_000;

/// What would exclude a dependence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Exclusion {
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
    pub missing: String,
    pub exclusion: Exclusion,
}

/// What is known of a pair, from the first to the second in program order.
#[derive(Debug, Clone)]
pub(super) enum Known {
    Independent(&'static str),
    MayAlias,
    Distances(Vec<Vector>),
}

/// All that was found.
#[derive(Default)]
pub(super) struct Pairs {
    pub asked: Vec<(usize, usize, Known)>,
    pub found: Vec<Found>,
    pub rests_on_types: bool,
    pub rests_on_restrict: bool,
    /// Pairs beyond the limits.
    pub left_out: u64,
}

impl Pairs {
    pub(super) fn test(analysis: &mut Analysis<'_>, accesses: &Accesses) -> Pairs {
        let mut pairs = Pairs::default();
        let shapes = Shapes::of(&accesses.items);
        let mut verdicts: FxHashMap<(usize, usize, Coeff, bool), Vec<Vector>> = FxHashMap::default();
        let mut looked_at = 0;
        for first in 0..accesses.items.len() {
            for second in first..accesses.items.len() {
                let (a, b) = (&accesses.items[first], &accesses.items[second]);
                if !(a.writes() || b.writes()) || first == second && a.update.is_some() {
                    continue;
                }
                if a.update.is_some() && a.update == b.update {
                    pairs.ask(first, second, Known::Independent("atomic updates by one operation, in any order"));
                    continue;
                }
                looked_at += 1;
                if looked_at > MAX_PAIRS || pairs.found.len() > MAX_FOUND {
                    pairs.left_out += 1;
                    continue;
                }
                if first != second
                    && let Some(apart) = accesses.bases.apart(&a.bases, &b.bases)
                {
                    pairs.rests_on_restrict |= apart == Apart::Restrict;
                    let because = if apart == Apart::Restrict {
                        "restrict: nothing else leads there"
                    } else {
                        "distinct objects"
                    };
                    pairs.ask(first, second, Known::Independent(because));
                    continue;
                }
                let common = common_loops(a, b);
                if a.test_objects.is_empty() || a.test_objects != b.test_objects {
                    if types_differ(a.instruction, b.instruction) {
                        pairs.rests_on_types = true;
                        pairs.ask(first, second, Known::Independent("accesses of different types (strict aliasing)"));
                    } else {
                        pairs.may_alias(first, second, a, b, common);
                    }
                    continue;
                }
                let key = (shapes.of[first], shapes.of[second], &shapes.constants[second] - &shapes.constants[first]);
                let key = (key.0, key.1, key.2, first == second);
                let vectors = verdicts.entry(key).or_insert_with(|| {
                    let ids = loop_ids(analysis, &common);
                    let is_constant = |atom: AtomId| accesses.constant_loads.contains(&atom);
                    let space = &mut analysis.lowering.space;
                    dependence_with(space, &a.test, &b.test, &ids, first == second, &is_constant).vectors
                });
                let vectors = vectors.clone();
                pairs.distances(first, second, a, b, common, vectors);
            }
        }
        pairs
    }

    fn ask(&mut self, first: usize, second: usize, known: Known) {
        self.asked.push((first, second, known));
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
    fn distances(&mut self, first: usize, second: usize, a: &Item, b: &Item, common: Vec<usize>, vectors: Vec<Vector>) {
        if vectors.is_empty() {
            return self.ask(first, second, Known::Independent("the difference of the addresses"));
        }
        for vector in &vectors {
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

/// Accesses whose tests are the same but for a constant.
struct Shapes {
    of: Vec<usize>,
    constants: Vec<Coeff>,
}

impl Shapes {
    /// That an address stays in its object is said of each constant anew; no object comes this close to half of the machine's addresses, so
    /// that it is one fact for all constants below.
    const MOST_CONSTANT: i64 = 1 << 32;

    fn of(items: &[Item]) -> Shapes {
        let mut known: FxHashMap<_, usize> = FxHashMap::default();
        let mut shapes = Shapes { of: Vec::new(), constants: Vec::new() };
        for item in items {
            let constant = item.test.address.constant_term();
            let most = Coeff::from(Shapes::MOST_CONSTANT);
            let own = (constant > most || constant < -&most).then(|| constant.clone());
            let form = item.test.address.without_constant();
            let key = (form, own, item.test.bytes, &item.loops, item.facts.clone(), item.stays_in_object);
            let next = known.len();
            shapes.of.push(*known.entry(key).or_insert(next));
            shapes.constants.push(constant);
        }
        shapes
    }
}
