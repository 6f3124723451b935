//! Regions whose threads run digits of iteration numbers, as regions of loops that are these digits.
//!
//! ```text
//! i/8 j | i%8      for x in 0..ceil(n/8), y in 0..m, which threads share: for d in 0..8: body(8*x + d, y), where 8*x + d < n
//! ```
//!
//! What is counted of loops is counted of these as well: addresses and conditions have the sum of the digits in the place of the number. Numbers
//! from the last iteration on have none: what is in the loop is done in a share of them.

use std::collections::HashMap;

use ipda_symbolic::{AtomId, Count, Facts, Given, Interval, LoopId, Mapping, Part, Polynomial, Space, Symbol, Varies};

use super::region::{OfDigits, OfNest};
use super::value::{Point, varies_with};
use super::{
    AccessKind, Bound, ChangedNest, Condition, DevicePart, Handout, LoopSummary, RegionSummary, VersionSummary,
};
use crate::form::Num;
use crate::report::LoopKind;
use crate::versions::VersionId;

/// Numbers of loops that no region has.
const FIRST_NUMBER: u32 = u32::MAX / 4 * 3;

/// A nest whose digits threads run.
pub(super) struct NestOfDigits {
    /// Its loops, in the order of their names.
    pub(super) loops: Vec<usize>,
    pub(super) mapping: Mapping,
}

/// How many values each digit has, and how many iterations one of them is.
struct Numbers<'a> {
    space: &'a mut Space,
    given: &'a mut Vec<(Given, AtomId)>,
    mapping: &'a Mapping,
    trips: &'a [Polynomial],
}

impl Numbers<'_> {
    /// One of the numbers that a launch has.
    fn given(&mut self, given: Given) -> Polynomial {
        if let Some((_, atom)) = self.given.iter().find(|(own, _)| *own == given) {
            return Polynomial::from_atom(*atom);
        }
        let name = format!("number of {}", given.name());
        let symbol = self.space.symbol(Symbol { name, range: Interval::ALL, varies: Varies::No });
        self.given.extend(symbol.as_atom().map(|atom| (given, atom)));
        symbol
    }

    /// The product of the counts of some parts.
    fn product(&mut self, parts: &[Part]) -> Option<Polynomial> {
        let mut product = Polynomial::one();
        for part in parts {
            let count = self.count(part)?;
            product = self.space.product(&product, &count)?;
        }
        Some(product)
    }

    fn parts_of(&self, of: usize, is: impl Fn(&Part) -> bool) -> Vec<Part> {
        let all = self.mapping.threads().iter().chain(self.mapping.inside());
        all.filter(|part| part.of == of && is(part)).copied().collect()
    }

    fn count(&mut self, part: &Part) -> Option<Polynomial> {
        Some(match part.count {
            Count::Const(count) => Polynomial::from(i64::from(count)),
            Count::Given(given) => self.given(given),
            Count::Rest => {
                let others = self.parts_of(part.of, |other| other.count != Count::Rest);
                let others = self.product(&others)?;
                let all = self.trips[part.of].clone() + others.clone() - Polynomial::one();
                self.space.floor_div(&all, &others, &Facts::none())
            }
        })
    }

    fn size(&mut self, part: &Part) -> Option<Polynomial> {
        let lower = self.parts_of(part.of, |other| other.size < part.size);
        self.product(&lower)
    }
}

impl RegionSummary {
    /// The region as a version runs it in which threads run digits of these nests, the other changed nests as they are.
    ///
    /// # Errors
    /// Why it cannot be counted.
    pub(super) fn by_digits(
        &self,
        version: &VersionSummary,
        others: Vec<ChangedNest>,
        nests: &[NestOfDigits],
    ) -> Result<RegionSummary, String> {
        const TOO_LARGE: &str = "the numbers of its digits are too large expressions";
        let phases = self.phases();
        let mut space = self.space.clone();
        let mut loops = self.loops.clone();
        let mut accesses = self.accesses.clone();
        let mut number = FIRST_NUMBER;
        let mut given = Vec::new();
        let mut values: HashMap<AtomId, Polynomial> = HashMap::new();
        let (mut of_nests, mut changed) = (Vec::new(), others);
        let mut first = None;
        for NestOfDigits { loops: of_nest, mapping } in nests {
            let Some(&outermost) = of_nest.iter().find(|of| phases.contains(of)) else {
                return Err("a clause collapsed the loops, or teams and threads share several".into());
            };
            if self
                .chain(Some(outermost))
                .iter()
                .any(|of| *of != outermost && self.loops[*of].kind != LoopKind::Sequential)
            {
                return Err("teams and threads share several loops".into());
            }
            let is_below = |of: &usize| self.chain(Some(*of)).contains(&outermost);
            if !of_nest.iter().all(is_below) {
                return Err("its loops were not found in each other".into());
            }
            let mut trips = Vec::new();
            for of in of_nest {
                let own = self.loops[*of].trips.clone();
                let own = own.map_err(|reason| format!("loop {}: {reason}", self.loops[*of].name))?;
                let depends = |other: &LoopSummary| varies_with(&self.space, &own, other.index);
                if of_nest.iter().any(|other| depends(&self.loops[*other])) {
                    return Err("the numbers of iterations of its loops depend on each other".into());
                }
                trips.push(own);
            }
            if mapping.given().next().is_some() && phases.len() > 1 {
                return Err("several loops share the numbers of teams and threads".into());
            }
            let mut numbers = Numbers { space: &mut space, given: &mut given, mapping, trips: &trips };
            let (mut added, mut control, mut busy) = (Vec::new(), Vec::new(), Vec::new());
            let mut sums = vec![Polynomial::zero(); of_nest.len()];
            let parent = self.loops[outermost].parent;
            let mut all_threads = Polynomial::one();
            let mut own = Polynomial::one();
            let parts = mapping.threads().iter().map(|part| (part, true));
            for (part, is_of_threads) in parts.chain(mapping.inside().iter().map(|part| (part, false))) {
                let of = &self.loops[of_nest[part.of]];
                let id = LoopId(number);
                let index = numbers.space.iteration(id).as_atom().ok_or(TOO_LARGE)?;
                first.get_or_insert(index);
                let size = numbers.size(part).ok_or(TOO_LARGE)?;
                let count = numbers.count(part).ok_or(TOO_LARGE)?;
                let value = numbers.space.product(&size, &Polynomial::from_atom(index)).ok_or(TOO_LARGE)?;
                sums[part.of] = sums[part.of].clone() + value;
                let product = if is_of_threads { &mut all_threads } else { &mut own };
                *product = numbers.space.product(product, &count).ok_or(TOO_LARGE)?;
                if !is_of_threads {
                    control.push(own.clone());
                }
                let text =
                    mapping.text_of(part, &of_nest.iter().map(|of| &self.loops[*of].name[..]).collect::<Vec<_>>());
                numbers.space.name_loop(id, &text);
                number += 1;
                let at = loops.len();
                let shared_loop = &self.loops[outermost];
                loops.push(LoopSummary {
                    id: format!("{}.{}", of.id, added.len()),
                    name: text,
                    kind: if is_of_threads { shared_loop.kind } else { LoopKind::Sequential },
                    parent: added.last().copied().or(parent),
                    index,
                    trips: Ok(count),
                    at_most: None,
                    halved: None,
                    schedule: if is_of_threads { shared_loop.schedule.clone() } else { Handout::Default },
                });
                added.push(at);
            }
            let threads: Vec<usize> = added[..mapping.threads().len()].to_vec();
            let (&fastest, &innermost) = (threads.last().ok_or(TOO_LARGE)?, added.last().ok_or(TOO_LARGE)?);
            for (at, of) in of_nest.iter().enumerate() {
                values.insert(self.loops[*of].index, sums[at].clone());
                let all = numbers.parts_of(at, |_| true);
                let all = numbers.product(&all).ok_or(TOO_LARGE)?;
                if all != trips[at] {
                    busy.push(Condition::InOneOf(trips[at].clone(), all));
                }
            }
            // As `transform/own_digits` says for the launch: no product is known where the shared loop's rest is none of the threads'.
            let shared_at = of_nest.iter().position(|of| *of == outermost).ok_or(TOO_LARGE)?;
            let has_rest = mapping.threads().iter().any(|part| part.of == shared_at && part.count == Count::Rest);
            let is_launched = has_rest && mapping.given().next().is_none();
            let launched = if is_launched { all_threads } else { trips[shared_at].clone() };
            changed.push(ChangedNest { threads, apart: None, lanes: Vec::new() });
            // Loops that are no digits lie in the innermost one.
            let is_replaced = |of: usize| of_nest.contains(&of);
            let around = |of: Option<usize>| {
                let chain = self.chain(of);
                let Some(at) = chain.iter().position(|at| *at == outermost) else { return of };
                chain[at..].iter().rev().copied().find(|of| !is_replaced(*of)).or(Some(innermost))
            };
            for of in 0..self.loops.len() {
                if is_replaced(of) {
                    loops[of].kind = LoopKind::Sequential;
                } else {
                    loops[of].parent = around(self.loops[of].parent);
                }
            }
            for (access, own) in accesses.iter_mut().zip(&self.accesses) {
                let chain = self.chain(own.in_loop);
                if !chain.contains(&outermost) {
                    continue;
                }
                access.in_loop = around(own.in_loop);
                access.active = None;
                // What is stored between the loops is stored in the first iteration of those below.
                let below = of_nest.iter().enumerate().filter(|(_, of)| !chain.contains(of));
                if own.kind != AccessKind::Load {
                    access
                        .conditions
                        .extend(below.map(|(at, _)| Condition::InOneOf(Polynomial::one(), trips[at].clone())));
                }
                access.conditions.extend(busy.iter().cloned());
            }
            of_nests.push(OfNest { fastest, shared: outermost, launched, control, busy });
        }
        let mut value_of = |atom: AtomId| values.get(&atom).cloned();
        let mut with_digits = |p: &mut Polynomial| *p = space.substitute(p, &mut value_of);
        for l in &mut loops[..self.loops.len()] {
            l.trips.iter_mut().chain(&mut l.at_most).for_each(&mut with_digits);
        }
        for access in &mut accesses {
            access.address.iter_mut().for_each(&mut with_digits);
            for condition in &mut access.conditions {
                match condition {
                    Condition::Holds(p) | Condition::HoldsNot(p) => with_digits(p),
                    Condition::InOneOf(..) | Condition::Unclear => {}
                }
            }
        }
        let mut device_code = self.device_code.clone();
        for part in device_code.iter_mut().flat_map(|code| &mut code.parts) {
            part.executions.iter_mut().for_each(&mut with_digits);
            let of = of_nests.iter().find(|nest| part.shared == Some(nest.shared));
            part.shared = of.map_or(part.shared, |nest| Some(nest.fastest));
        }
        let of_digits = OfDigits { version: version.id, first: first.ok_or(TOO_LARGE)?, given, nests: of_nests };
        Ok(RegionSummary {
            function: self.function.clone(),
            place: self.place.clone(),
            stays: self.stays.clone(),
            space,
            inputs: self.inputs.clone(),
            loops,
            accesses,
            slopes: self.slopes.clone(),
            maps: self.maps.clone(),
            mode: self.mode,
            clauses: self.clauses.clone(),
            team_chunk: self.team_chunk,
            lanes: self.lanes,
            device_code,
            host_code: None,
            versions: vec![VersionSummary { nests: changed, ..version.clone() }],
            unpredictable: None,
            notes: Vec::new(),
            calls_are_unseen: self.calls_are_unseen,
            by_digits: None,
            of_digits: Some(of_digits),
        })
    }

    /// Why the thesis's set-up says nothing of it.
    pub(crate) fn not_of_thesis(&self) -> Option<String> {
        self.by_digits
            .is_some()
            .then(|| "the thesis's set-up has no threads that run digits of iteration numbers".to_owned())
    }

    /// The region as a version runs it whose threads run digits.
    pub(super) fn digits_of(&self, version: VersionId) -> Option<&RegionSummary> {
        let by_digits = self.by_digits.as_deref()?;
        by_digits.of_digits.as_ref().is_some_and(|of| of.version == version).then_some(by_digits)
    }
}

impl OfDigits {
    /// The loop of threads that stands for one as written.
    pub(super) fn stands_for(&self, written: usize) -> Option<usize> {
        self.nests.iter().find(|nest| nest.shared == written).map(|nest| nest.fastest)
    }
}

impl<'a> Bound<'a> {
    /// The same values for the region as a version runs it whose threads run digits.
    pub(super) fn of_digits(&self, summary: &'a RegionSummary) -> Option<Bound<'a>> {
        let of = summary.of_digits.as_ref()?;
        let mut values = self.values.clone();
        // What was added here since is something else there.
        values.truncate(of.first.index());
        Some(Bound::with_values(summary, values, self.known))
    }

    fn nest_of_digits(&self, fastest: usize) -> Option<&OfNest> {
        self.summary.of_digits.as_ref()?.nests.iter().find(|nest| nest.fastest == fastest)
    }

    /// How many iterations the launch of a phase says that there are, where that may be another number than that of its threads.
    pub(super) fn launched_with(&self, phase: usize) -> Option<Num> {
        self.at(&self.nest_of_digits(phase)?.launched, &Point::new()).ok()
    }

    /// The share of a phase's numbers that have an iteration, for code that runs in iterations alone: not the loops over a thread's own digits.
    pub(super) fn share_with_iteration(&self, phase: usize, part: &DevicePart) -> Num {
        let Some(nest) = self.nest_of_digits(phase).filter(|_| part.shared == Some(phase)) else { return Num::ONE };
        let is_control = |p: &Polynomial| p.is_one() || nest.control.contains(p);
        if part.executions.as_ref().map_or(true, is_control) {
            return Num::ONE;
        }
        self.chance(&nest.busy, &Point::new())
    }

    /// With the numbers of teams and of their threads that a launch has.
    pub(super) fn with_launch(mut self, teams: Num, threads: Num) -> Bound<'a> {
        for (given, atom) in self.summary.of_digits.iter().flat_map(|of| &of.given) {
            let value = match given {
                Given::Gang(0) => teams,
                Given::Worker(0) => threads,
                Given::Thread => teams * threads,
                Given::Gang(_) | Given::Worker(_) | Given::Length(_) => continue,
            };
            self.values.resize(self.values.len().max(atom.index() + 1), None);
            self.values[atom.index()] = Some(value);
        }
        self
    }
}
