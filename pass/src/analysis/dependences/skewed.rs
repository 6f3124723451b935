//! Serial nests of which iterations are independent once their loops are skewed, for whoever reads the report.

use super::accesses::{Accesses, Item};
use super::result::UnitKind;
use super::verdict::ends_program;
use crate::analysis::region::Analysis;
use crate::common::budget::Stage;
use ipda_llvm::types_differ;
use ipda_models::report::{self, SkewedLoop};
use ipda_symbolic::{
    Atom, AtomId, Interval, LoopId, NestLoop, Pair, Polynomial, Skew, Symbol, TripCount, Varies, Vector,
    dependence_with,
};

/// Loops of a nest that is looked at.
const MAX_LOOPS: usize = 3;
/// Nests of a region that are looked at.
const MAX_NESTS: usize = 8;
/// Accesses of a nest, of which all pairs are tested for each skew.
const MAX_ACCESSES: usize = 24;

/// A serial nest whose loops hold each other and nothing else.
struct SerialNest {
    /// In the CFG, outermost first.
    path: Vec<usize>,
    /// As the test sees them.
    loops: Vec<NestLoop>,
    /// Its accesses, by their places among the region's.
    accesses: Vec<usize>,
}

/// For a region's outermost serial loops by their numbers in the report, what is independent in their nests: none where a loop of the nest has independent
/// iterations as it is, nor where no skew helps.
pub(crate) fn skewed_nests(analysis: &mut Analysis<'_>) -> Vec<(usize, report::Skewed)> {
    let mut paths = serial_paths(analysis);
    paths.truncate(MAX_NESTS);
    if paths.is_empty() {
        return Vec::new();
    }
    analysis.begin(Stage::Dependences);
    let accesses = Accesses::collect(analysis, UnitKind::Region);
    let mut found = Vec::new();
    for path in paths {
        let number = analysis.visible[&path[0]];
        let nest = SerialNest::of(analysis, &accesses, path);
        found.extend(nest.and_then(|nest| nest.skewed(analysis, &accesses)).map(|skewed| (number, skewed)));
    }
    if analysis.lowering.space.is_spent() { Vec::new() } else { found }
}

/// Loops that one thread runs, each with the ones inside while it holds one alone, as deep as that goes.
fn serial_paths(analysis: &mut Analysis<'_>) -> Vec<Vec<usize>> {
    let is_serial = |analysis: &Analysis<'_>, index: usize| {
        analysis.visible.contains_key(&index)
            && analysis.nest.shared_at(index).is_none()
            && !analysis.nest.hidden.contains(&index)
    };
    let mut roots: Vec<(usize, usize)> = analysis.visible.iter().map(|(&index, &number)| (number, index)).collect();
    roots.sort_unstable();
    let mut paths: Vec<Vec<usize>> = Vec::new();
    for (_, root) in roots {
        if paths.iter().flatten().any(|&inner| inner == root) || !is_serial(analysis, root) {
            continue;
        }
        let (path, end) = analysis.path_below(root);
        let is_nest = end.is_none()
            && (2..=MAX_LOOPS).contains(&path.len())
            && path.iter().all(|&index| is_serial(analysis, index))
            && analysis.carries_value(root).is_none();
        if is_nest {
            paths.push(path);
        }
    }
    paths
}

impl SerialNest {
    fn of(analysis: &mut Analysis<'_>, accesses: &Accesses, path: Vec<usize>) -> Option<SerialNest> {
        let root = path[0];
        let is_opaque = accesses.opaque.iter().any(|opaque| opaque.loops.contains(&root));
        if is_opaque || path.iter().any(|&index| ends_program(analysis, index).is_some()) {
            return None;
        }
        let mut loops = Vec::new();
        for &index in &path {
            let TripCount::Exactly(_) = analysis.lowering.trip_count(index) else { return None };
            let trips = accesses.max_trips.get(&index)?.clone();
            loops.push(NestLoop { id: analysis.lowering.loop_id(index), trips: TripCount::Exactly(trips) });
        }
        // The same whenever they are entered, so that each p has its range before it begins.
        let space = &analysis.lowering.space;
        let varies = |entry: &NestLoop| {
            let TripCount::Exactly(trips) = &entry.trips else { return true };
            let of_nest = |id: LoopId| loops.iter().any(|entry| entry.id == id);
            space.varies_with(trips, of_nest)
                || space.depends_on(trips, |atom| matches!(space.atom(atom), Atom::Load { .. }))
        };
        if loops.iter().any(varies) {
            return None;
        }
        let inside = |item: &&Item| item.loops.contains(&root);
        let is_in_body = |item: &Item| item.in_test_of.is_none() && item.loops.ends_with(&path);
        if !accesses.items.iter().filter(inside).all(is_in_body) {
            return None;
        }
        let of_nest = accesses.items.iter().enumerate().filter(|(_, item)| item.loops.contains(&root));
        let of_nest: Vec<usize> = of_nest.map(|(at, _)| at).collect();
        (of_nest.len() <= MAX_ACCESSES).then_some(SerialNest { path, loops, accesses: of_nest })
    }

    fn skewed(&self, analysis: &mut Analysis<'_>, accesses: &Accesses) -> Option<report::Skewed> {
        let (skewed, single): (Vec<Skew>, Vec<Skew>) =
            Skew::all(self.loops.len()).into_iter().partition(Skew::is_skewed);
        if single.iter().any(|skew| self.apart(analysis, accesses, skew).is_some()) {
            return None;
        }
        let found = skewed.into_iter().find_map(|skew| Some((self.apart(analysis, accesses, &skew)?, skew)));
        let (apart, skew) = found?;
        Some(self.in_report(analysis, &skew, &apart))
    }

    /// Which arrays must not overlap so that all dependences stay within one p; none where that is not shown.
    fn apart(&self, analysis: &mut Analysis<'_>, accesses: &Accesses, skew: &Skew) -> Option<Vec<[AtomId; 2]>> {
        let mut apart: Vec<[AtomId; 2]> = Vec::new();
        let p = LoopId(analysis.cfg.loops.len() as u32);
        for (nth, &first) in self.accesses.iter().enumerate() {
            for &second in &self.accesses[nth..] {
                let (a, b) = (&accesses.items[first], &accesses.items[second]);
                if !a.writes() && !b.writes() || accesses.bases.apart(&a.bases, &b.bases).is_some() && first != second {
                    continue;
                }
                if a.test_objects.is_empty() || a.test_objects != b.test_objects {
                    if types_differ(a.instruction, b.instruction) || accesses.sections.apart(first, second) {
                        continue;
                    }
                    let (one, other) = (a.object()?, b.object()?);
                    if one == other {
                        return None;
                    }
                    let pair = [one.min(other), one.max(other)];
                    if !apart.contains(&pair) {
                        apart.push(pair);
                    }
                    continue;
                }
                let is_exact = |item: &Item| item.is_function_of_iterations;
                if !is_exact(a) || !is_exact(b) {
                    return None;
                }
                let space = &mut analysis.lowering.space;
                let source = skew.of_access(space, &a.test, &self.loops, p)?;
                let sink = skew.of_access(space, &b.test, &self.loops, p)?;
                let common = source.loops.clone();
                let outer = common.len() - self.loops.len();
                let is_constant = |atom: AtomId| accesses.constant_loads.contains(&atom);
                let vectors = dependence_with(space, &source, &sink, &common, Pair::of(first, second), &is_constant);
                // Within one iteration of the loops around the nest.
                let is_carried = |vector: &Vector| {
                    vector.steps[..outer].iter().all(|step| step.equal)
                        && (vector.steps[outer].less || vector.steps[outer].greater)
                };
                if vectors.iter().any(is_carried) {
                    return None;
                }
            }
        }
        Some(apart)
    }

    fn in_report(&self, analysis: &mut Analysis<'_>, skew: &Skew, apart: &[[AtomId; 2]]) -> report::Skewed {
        let trips: Vec<Polynomial> =
            self.path.iter().filter_map(|&at| exactly(analysis.lowering.trip_count(at))).collect();
        let numbers: Vec<Polynomial> =
            self.loops.iter().map(|entry| analysis.lowering.space.iteration(entry.id)).collect();
        let names: Vec<String> = self.path.iter().map(|index| format!("loop{}", analysis.visible[index])).collect();
        let mut variables: Vec<String> = Vec::new();
        for &index in &self.path {
            variables.extend(analysis.variable(index).map(|variable| variable.name));
        }
        let captured = |name: &str| analysis.lowering.space.find(&format!("[{name}]")).is_some();
        let is_free = |name: &&str| !captured(name) && !variables.iter().any(|other| other == name);
        let name = ["p", "q", "s", "sum", "place"].into_iter().find(is_free).unwrap_or("wavefront").to_owned();
        let symbol = Symbol { name: name.clone(), range: Interval::ALL, varies: Varies::No };
        let p = analysis.lowering.space.symbol(symbol);
        let sum = skew.summed().map(|of| numbers[of].scale(&i64::from(skew.times()[of]).into()));
        let sum = sum.fold(Polynomial::zero(), |sum, part| sum + part);
        let (first, last) = skew.range(&trips);
        let inside = skew.inside().map(|of| {
            let end = &trips[of] - &Polynomial::one();
            let limits = skew.limits(of, &trips, &p, &numbers);
            let (from, to) = limits.map_or((None, None), |(from, to)| (Some(from), Some(to)));
            SkewedLoop {
                of: names[of].clone(),
                from: std::iter::once(Polynomial::zero()).chain(from).map(|bound| analysis.text(&bound)).collect(),
                to: std::iter::once(end).chain(to).map(|bound| analysis.text(&bound)).collect(),
            }
        });
        let inside = inside.collect();
        let object = |atom: &AtomId| analysis.object_name(*atom);
        report::Skewed {
            name,
            place: analysis.text(&sum),
            from: analysis.text(&first),
            to: analysis.text(&last),
            inside,
            follows: names[skew.following()].clone(),
            number: analysis.text(&skew.number_that_follows(&p, &numbers)),
            apart: apart.iter().map(|[one, other]| [object(one), object(other)]).collect(),
        }
    }
}

fn exactly(trips: TripCount) -> Option<Polynomial> {
    match trips {
        TripCount::Exactly(trips) => Some(trips),
        TripCount::Modulo(_) | TripCount::AtMost(_) | TripCount::Unknown(_) => None,
    }
}
