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
    AccessKind, AccessSummary, Bound, ChangedNest, Condition, DevicePart, Handout, LoopSummary, RegionSummary,
    VersionSummary,
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

const TOO_LARGE: &str = "the numbers of its digits are too large expressions";

/// How many values each digit has, and how many iterations one of them is.
struct Counts<'a> {
    space: &'a mut Space,
    given: &'a mut Vec<(Given, AtomId)>,
    mapping: &'a Mapping,
    trips: &'a [Polynomial],
}

impl Counts<'_> {
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

/// A region while the loops of its nests become loops over their digits.
struct Divided<'a> {
    written: &'a RegionSummary,
    space: Space,
    loops: Vec<LoopSummary>,
    accesses: Vec<AccessSummary>,
    given: Vec<(Given, AtomId)>,
    /// What the numbers of the loops as written are now.
    values: HashMap<AtomId, Polynomial>,
    /// The first digit.
    first: Option<AtomId>,
}

/// The loops over the digits of a nest.
struct Digits {
    /// All of them, the outermost first: those of threads, then a thread's own.
    loops: Vec<usize>,
    /// The numbers of the nest's loops.
    numbers: Vec<Polynomial>,
    all_threads: Polynomial,
    /// How often the loops over a thread's own digits run.
    control: Vec<Polynomial>,
}

impl<'a> Divided<'a> {
    fn new(written: &'a RegionSummary) -> Divided<'a> {
        Divided {
            written,
            space: written.space.clone(),
            loops: written.loops.clone(),
            accesses: written.accesses.clone(),
            given: Vec::new(),
            values: HashMap::new(),
            first: None,
        }
    }

    /// Divides the loops of a nest; the other loops and the accesses in them lie in the innermost digit then. With which threads share.
    fn divide(&mut self, nest: &NestOfDigits) -> Result<(OfNest, Vec<usize>), String> {
        let NestOfDigits { loops: of_nest, mapping } = nest;
        let (shared, trips) = self.written.to_divide(nest)?;
        let Digits { loops: digits, numbers, all_threads, control } = self.digits(nest, shared, &trips)?;
        let threads = digits[..mapping.threads().len()].to_vec();
        let (&fastest, &innermost) = (threads.last().ok_or(TOO_LARGE)?, digits.last().ok_or(TOO_LARGE)?);
        let mut busy = Vec::new();
        for (at, number) in numbers.into_iter().enumerate() {
            self.values.insert(self.written.loops[of_nest[at]].index, number);
            let mut counts = self.counts(mapping, &trips);
            let all = counts.parts_of(at, |_| true);
            let all = counts.product(&all).ok_or(TOO_LARGE)?;
            if all != trips[at] {
                busy.push(Condition::InOneOf(trips[at].clone(), all));
            }
        }
        // As `transform/own_digits` says for the launch: no product is known where the shared loop's rest is none of the threads'.
        let shared_at = of_nest.iter().position(|of| *of == shared).ok_or(TOO_LARGE)?;
        let has_rest = mapping.threads().iter().any(|part| part.of == shared_at && part.count == Count::Rest);
        let is_launched = has_rest && mapping.given().next().is_none();
        let launched = if is_launched { all_threads } else { trips[shared_at].clone() };
        self.move_inside(of_nest, shared, innermost, &trips, &busy);
        Ok((OfNest { fastest, shared, launched, control, busy }, threads))
    }

    fn counts<'b>(&'b mut self, mapping: &'b Mapping, trips: &'b [Polynomial]) -> Counts<'b> {
        Counts { space: &mut self.space, given: &mut self.given, mapping, trips }
    }

    /// Adds a loop for each digit.
    fn digits(&mut self, nest: &NestOfDigits, shared: usize, trips: &[Polynomial]) -> Result<Digits, String> {
        let NestOfDigits { loops: of_nest, mapping } = nest;
        let written = self.written;
        let names: Vec<&str> = of_nest.iter().map(|of| &written.loops[*of].name[..]).collect();
        let mut digits = Digits {
            loops: Vec::new(),
            numbers: vec![Polynomial::zero(); of_nest.len()],
            all_threads: Polynomial::one(),
            control: Vec::new(),
        };
        let mut own = Polynomial::one();
        let parts = mapping.threads().iter().map(|part| (part, true));
        for (part, is_of_threads) in parts.chain(mapping.inside().iter().map(|part| (part, false))) {
            let at = self.loops.len();
            let number = u32::try_from(at - written.loops.len()).map_err(|_| TOO_LARGE)?;
            let id = LoopId(FIRST_NUMBER + number);
            let index = self.space.iteration(id).as_atom().ok_or(TOO_LARGE)?;
            self.first.get_or_insert(index);
            let mut counts = self.counts(mapping, trips);
            let size = counts.size(part).ok_or(TOO_LARGE)?;
            let count = counts.count(part).ok_or(TOO_LARGE)?;
            let value = self.space.product(&size, &Polynomial::from_atom(index)).ok_or(TOO_LARGE)?;
            digits.numbers[part.of] = digits.numbers[part.of].clone() + value;
            let product = if is_of_threads { &mut digits.all_threads } else { &mut own };
            *product = self.space.product(product, &count).ok_or(TOO_LARGE)?;
            if !is_of_threads {
                digits.control.push(own.clone());
            }
            let name = mapping.text_of(part, &names);
            self.space.name_loop(id, &name);
            let shared = &written.loops[shared];
            self.loops.push(LoopSummary {
                id: format!("{}.{}", written.loops[of_nest[part.of]].id, digits.loops.len()),
                name,
                kind: if is_of_threads { shared.kind } else { LoopKind::Sequential },
                parent: digits.loops.last().copied().or(shared.parent),
                index,
                trips: Ok(count),
                at_most: None,
                halved: None,
                likely: None,
                schedule: if is_of_threads { shared.schedule.clone() } else { Handout::Default },
            });
            digits.loops.push(at);
        }
        Ok(digits)
    }

    /// Puts what lies in the loops of a nest into the innermost digit.
    fn move_inside(
        &mut self,
        of_nest: &[usize],
        shared: usize,
        innermost: usize,
        trips: &[Polynomial],
        busy: &[Condition],
    ) {
        let written = self.written;
        let is_replaced = |of: usize| of_nest.contains(&of);
        // Loops that are no digits lie in the innermost one.
        let around = |of: Option<usize>| {
            let chain = written.chain(of);
            let Some(at) = chain.iter().position(|at| *at == shared) else { return of };
            chain[at..].iter().rev().copied().find(|of| !is_replaced(*of)).or(Some(innermost))
        };
        for (of, own) in written.loops.iter().enumerate() {
            if is_replaced(of) {
                self.loops[of].kind = LoopKind::Sequential;
            } else {
                self.loops[of].parent = around(own.parent);
            }
        }
        for (access, own) in self.accesses.iter_mut().zip(&written.accesses) {
            let chain = written.chain(own.in_loop);
            if !chain.contains(&shared) {
                continue;
            }
            access.in_loop = around(own.in_loop);
            access.active = None;
            // What is stored between the loops is stored in the first iteration of those below.
            let below = of_nest.iter().zip(trips).filter(|(of, _)| !chain.contains(of));
            if own.kind != AccessKind::Load {
                access.conditions.extend(below.map(|(_, trips)| Condition::InOneOf(Polynomial::one(), trips.clone())));
            }
            access.conditions.extend(busy.iter().cloned());
        }
    }

    /// Writes the digits in the place of the numbers of the loops as written.
    fn replace_numbers(&mut self) {
        let Divided { written, space, loops, accesses, values, .. } = self;
        let mut with_digits = |p: &mut Polynomial| *p = space.substitute(p, &mut |atom| values.get(&atom).cloned());
        for l in &mut loops[..written.loops.len()] {
            let likely = l.likely.as_mut().map(|likely| &mut likely.of);
            l.trips.iter_mut().chain(&mut l.at_most).chain(likely).for_each(&mut with_digits);
        }
        for access in accesses {
            access.address.iter_mut().for_each(&mut with_digits);
            for condition in &mut access.conditions {
                match condition {
                    Condition::Holds(p) | Condition::HoldsNot(p) => with_digits(p),
                    Condition::InOneOf(..) | Condition::Unclear => {}
                }
            }
        }
    }
}

impl RegionSummary {
    /// The shared loop of a nest whose loops can be divided into digits, and how many iterations each of its loops has; else why they cannot.
    fn to_divide(&self, nest: &NestOfDigits) -> Result<(usize, Vec<Polynomial>), String> {
        let NestOfDigits { loops: of_nest, mapping } = nest;
        let phases = self.phases();
        let Some(&shared) = of_nest.iter().find(|of| phases.contains(of)) else {
            return Err("a clause collapsed the loops, or teams and threads share several".into());
        };
        let is_shared_too = |of: &usize| *of != shared && self.loops[*of].kind != LoopKind::Sequential;
        if self.chain(Some(shared)).iter().any(is_shared_too) {
            return Err("teams and threads share several loops".into());
        }
        if !of_nest.iter().all(|of| self.chain(Some(*of)).contains(&shared)) {
            return Err("its loops were not found in each other".into());
        }
        let mut trips = Vec::new();
        for of in of_nest {
            let own = self.loops[*of].trips.clone();
            let own = own.map_err(|reason| format!("loop {}: {reason}", self.loops[*of].name))?;
            if of_nest.iter().any(|other| varies_with(&self.space, &own, self.loops[*other].index)) {
                return Err("the numbers of iterations of its loops depend on each other".into());
            }
            trips.push(own);
        }
        if mapping.given().next().is_some() && phases.len() > 1 {
            return Err("several loops share the numbers of teams and threads".into());
        }
        Ok((shared, trips))
    }

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
        let mut divided = Divided::new(self);
        let (mut of_nests, mut changed) = (Vec::new(), others);
        for nest in nests {
            let (of_nest, threads) = divided.divide(nest)?;
            of_nests.push(of_nest);
            changed.push(ChangedNest { threads, apart: None, lanes: Vec::new() });
        }
        divided.replace_numbers();
        let Divided { mut space, loops, accesses, given, values, first, .. } = divided;
        let mut device_code = self.device_code.clone();
        for part in device_code.iter_mut().flat_map(|code| &mut code.parts) {
            let executions = &mut part.executions;
            executions.iter_mut().for_each(|p| *p = space.substitute(p, &mut |atom| values.get(&atom).cloned()));
            let of = of_nests.iter().find(|nest| part.shared == Some(nest.shared));
            part.shared = of.map_or(part.shared, |nest| Some(nest.fastest));
        }
        let of_digits = OfDigits { version: version.id, first: first.ok_or(TOO_LARGE)?, given, nests: of_nests };
        Ok(RegionSummary {
            space,
            loops,
            accesses,
            device_code,
            host_code: None,
            versions: vec![VersionSummary { nests: changed, ..version.clone() }],
            unpredictable: None,
            notes: Vec::new(),
            by_digits: None,
            of_digits: Some(of_digits),
            ..self.clone()
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
