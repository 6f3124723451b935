//! How often each loop of a region's finished code runs, in the names of the report.

use super::chance::{self, Named};
use super::marks;
use super::source::{InLockstep, SourceRegion};
use super::unrolled::{factor, marks_of, number_of, runs_of};
use crate::analysis::region::Analysis;
use crate::analysis::region::{Role, SourceLoop};
use ipda_llvm::{Block, BlockId, Value};
use ipda_models::report::{CodePlace, Lockstep, Quantity, Region};
use ipda_models::summary::{Expression, Expressions, NUMBERS_OF_THREADS};
use ipda_symbolic::{Atom, AtomId, Coeff, Facts, OpaqueOp, Polynomial, Signedness, Space, TripCount, Varies};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Characters of an expression beyond which it is not reported.
const MAX_TEXT: usize = 2_000;

/// Characters of a condition on code beyond which a share is guessed.
const MAX_CONDITION: usize = 400;

/// Conversions inside of conversions that are looked through in conditions.
const MAX_WRAPS: u32 = 4;

const TOO_LARGE: &str = "how often all loops together run is too large an expression";

/// The widest number in an expression: doubles hold no wider ones, and what is as wide is machine arithmetic that was not seen through.
const MAX_BITS: u64 = 53;

/// A loop of the finished code.
#[derive(Debug, Clone)]
pub(crate) struct FinishedLoop {
    pub place: CodePlace,
    /// Its number in the functions that the code is in, where they were numbered.
    pub number: Option<u32>,
    /// How often it runs, among the region's expressions where these are at hand.
    pub executions: Option<Expression>,
}

/// A region's finished code.
pub(crate) struct Finished {
    /// Code outside of loops, then the loops, then what of both runs under conditions that the report can name.
    pub loops: Vec<FinishedLoop>,
    /// Each block, the loop that it is in, or what of that runs under a condition, by its place above, and how likely a run of that loop's body comes to it, a warp's on devices: more than
    /// once where it stands before the test that ends an unrolled loop.
    pub blocks: Vec<(Block, usize, f64)>,
}

/// How often a loop runs when it is entered.
#[derive(Clone)]
pub(super) enum Trips {
    Known(Polynomial),
    /// As the source says it: as text, and as one of the region's expressions where these are at hand.
    Source(String, Option<Polynomial>),
    Unknown(String),
}

/// How often a loop of the finished code runs for one iteration that threads share.
struct Around {
    /// The part of those iterations in which it runs.
    chance: f64,
    /// What must hold beside.
    conditions: Vec<Polynomial>,
    /// The product of the counts of loops that are known.
    count: Polynomial,
    /// The counts that only the source says, as text and as expressions.
    texts: Vec<String>,
    of_source: Vec<Option<Polynomial>>,
    /// Why it is not known.
    unknown: Option<String>,
    /// The loop that threads share.
    shared: Option<String>,
}

/// How control comes to a part of a body.
struct Way {
    /// How likely, a warp's on devices, where it holds.
    chance: f64,
    /// What must hold, as far as the report names it.
    when: Option<Polynomial>,
}

pub(super) struct Places<'r, 'a> {
    pub(super) analysis: &'r mut Analysis<'a>,
    pub(super) marks: Vec<Option<u32>>,
    is_fused: Vec<bool>,
    sources: Vec<Option<SourceLoop>>,
    pub(super) roles: Vec<Role>,
    /// How many iterations of the loop in the source one of the finished loop is.
    pub(super) factors: Vec<i64>,
    pub(super) trips: Vec<Trips>,
    /// How often each runs at most, as the finished code says it in names of its own.
    pub(super) counts: Vec<Option<Polynomial>>,
    /// Loops of which expressions in the names of the report may use the iteration number.
    is_nameable: Vec<bool>,
    in_lockstep: Vec<InLockstep>,
    captures: Option<Vec<String>>,
    /// Whether threads share a loop; else they may know their parts by their numbers.
    shares_loop: bool,
    expressions: Option<Rc<RefCell<Option<Expressions>>>>,
}

impl<'r, 'a> Places<'r, 'a> {
    pub(super) fn new(
        analysis: &'r mut Analysis<'a>,
        source: Option<&SourceRegion>,
        result: &mut Region,
    ) -> Places<'r, 'a> {
        let cfg = analysis.cfg;
        let marks = marks_of(cfg);
        let is_fused = (0..cfg.loops.len()).map(|index| number_of(cfg, index, marks::FUSED).is_some()).collect();
        let known = |mark: &Option<u32>| {
            let mark = (*mark)?;
            source?.loops.iter().find(|entry| entry.mark == Some(mark)).cloned()
        };
        let sources: Vec<Option<SourceLoop>> = match source {
            Some(_) => marks.iter().map(known).collect(),
            None => {
                analysis.loops(result);
                analysis.source_loops(result).into_iter().map(Some).collect()
            }
        };
        let role = |entry: &Option<SourceLoop>| entry.as_ref().map_or(Role::Sequential, |entry| entry.role);
        let mut places = Places {
            roles: sources.iter().map(role).collect(),
            factors: vec![1; cfg.loops.len()],
            trips: Vec::new(),
            counts: Vec::new(),
            is_nameable: vec![source.is_none(); cfg.loops.len()],
            in_lockstep: source.map_or_else(Vec::new, |source| source.in_lockstep.clone()),
            shares_loop: sources.iter().any(|entry| role(entry) != Role::Sequential),
            captures: source.map(|source| source.captures.clone()),
            expressions: source.map(|source| Rc::clone(&source.expressions)),
            analysis,
            marks,
            is_fused,
            sources,
        };
        places.analysis.lowering.is_deaf_to_overlap = true;
        places.find_factors();
        if source.is_some() {
            places.name_loops();
        }
        for index in 0..places.analysis.cfg.loops.len() {
            let trips = places.trips_of(index);
            places.trips.push(trips);
            let count = match places.analysis.lowering.trip_count(index) {
                TripCount::Exactly(count) | TripCount::Modulo(count) | TripCount::AtMost(count) => Some(count),
                TripCount::Unknown(_) => None,
            };
            places.counts.push(count.filter(|_| places.roles[index] == Role::Sequential));
        }
        places
    }

    /// The loops that the same loop of the source became, in the same copy of the code.
    pub(super) fn siblings(&self, index: usize) -> impl Iterator<Item = usize> {
        let of = move |&other: &usize| {
            let cfg = self.analysis.cfg;
            self.marks[other].is_some()
                && self.marks[other] == self.marks[index]
                && self.is_fused[other] == self.is_fused[index]
                && self.is_taken_together(other) == self.is_taken_together(index)
                && cfg.loops[other].parent == cfg.loops[index].parent
        };
        (0..self.marks.len()).filter(of)
    }

    /// Whether a thread takes several of its iterations in lockstep.
    fn is_taken_together(&self, index: usize) -> bool {
        self.analysis.cfg.loops[index].number(self.analysis.cfg, marks::TOGETHER).is_some()
    }

    /// Whether it is a loop over a digit of iteration numbers.
    pub(super) fn is_over_digit(&self, index: usize) -> bool {
        self.analysis.cfg.loops[index].number(self.analysis.cfg, marks::DIGIT).is_some()
    }

    /// Which iterations these are, and when a thread takes several.
    fn lockstep(&self, index: usize) -> Option<Lockstep> {
        let least = self.analysis.cfg.loops[index].number(self.analysis.cfg, marks::TOGETHER_FROM)?;
        let found = self.in_lockstep.iter().find(|found| Some(found.shared) == self.marks[index])?;
        let of = self.sources.iter().flatten().find(|source| source.mark == Some(found.of))?;
        let (apart, trips) = (found.apart.clone(), found.trips.clone());
        Some(Lockstep { of: of.id.clone()?, apart, trips, least: least.into() })
    }

    /// An unrolled or vectorised loop takes longer steps than the loop in the source, or than the one that does the rest.
    fn find_factors(&mut self) {
        let steps: Vec<Option<i64>> =
            (0..self.marks.len()).map(|index| self.analysis.cfg.counter_steps(index).min()).collect();
        for index in 0..steps.len() {
            let cfg = self.analysis.cfg;
            if let Some(at_once) = cfg.loops[index].number(cfg, marks::AT_ONCE) {
                self.factors[index] = at_once.into();
                continue;
            }
            let source = self.sources[index].as_ref().and_then(|source| source.step);
            let least = source.or_else(|| self.siblings(index).filter_map(|other| steps[other]).min());
            if let Some(factor) = least.and_then(|least| factor(self.analysis.cfg, index, least)) {
                self.factors[index] = factor;
            }
        }
    }

    fn name_loops(&mut self) {
        for index in 0..self.marks.len() {
            let is_alone = self.siblings(index).all(|other| other == index);
            let name = self.sources[index].as_ref().and_then(|source| source.index.clone());
            match name.filter(|_| is_alone && self.factors[index] == 1) {
                Some(name) => {
                    self.analysis.lowering.name_loop(index, name.trim_matches(['[', ']']));
                    self.is_nameable[index] = match self.roles[index] {
                        Role::Shared(_) => self.knows_number(index),
                        Role::Sequential => true,
                        Role::TeamsPart | Role::Chunks(_) => false,
                    };
                }
                None => self.analysis.lowering.name_loop(index, "part"),
            }
        }
    }

    /// Lets the variable of a shared loop be its iteration number, where it can be nothing else: it starts at a thread's or a chunk's number and
    /// goes up by single iterations or all threads.
    fn knows_number(&mut self, index: usize) -> bool {
        if self.analysis.nest.shared_at(index).is_some() {
            return true;
        }
        let (cfg, natural) = (self.analysis.cfg, &self.analysis.cfg.loops[index]);
        let is_host = self.analysis.setting.is_host;
        for phi in cfg.blocks[natural.header].phis().filter(|phi| phi.ty().int_bits().is_some()) {
            let outside = |(_, from): &(Value, Block)| cfg.id(*from).is_some_and(|from| !natural.contains(from));
            let Some((start, from)) = phi.incoming().into_iter().find(outside) else { continue };
            let Some(from) = cfg.id(from) else { continue };
            let start = self.analysis.lowering.value_at(start, from).value;
            let text = self.analysis.text(&start);
            let is_thread = text.split(" + ").any(|term| term == "[threadIdx.x]" || term == "[lane number]");
            if start.constant_term().is_zero()
                && (is_thread || is_host && self.analysis.cfg.counter_steps(index).min() == Some(1))
            {
                let lowering = &mut self.analysis.lowering;
                lowering.take_as_iteration_number(phi);
                let reason = "its iterations are shared".to_string();
                lowering.set_trips(index, TripCount::Unknown(reason), phi);
                return true;
            }
        }
        false
    }

    fn trips_of(&mut self, index: usize) -> Trips {
        if self.roles[index] != Role::Sequential {
            return Trips::Unknown("its iterations are shared".into());
        }
        // The runtime's own, as those of its reductions: what they count stands in memory that threads share.
        if self.captures.is_some() && self.marks[index].is_none() && !self.is_over_digit(index) {
            return Trips::Unknown("which of the source's loops it was is not known".into());
        }
        let reason = match self.analysis.lowering.trip_count(index) {
            TripCount::Exactly(count) | TripCount::Modulo(count) => {
                let count = self.without_least(index, count);
                if self.says(&count) {
                    self.compare_with_source(index, &count);
                    return Trips::Known(count);
                }
                "how often it runs depends on what the report does not name".to_string()
            }
            TripCount::AtMost(count) => self.analysis.at_most(&count),
            TripCount::Unknown(reason) => reason,
        };
        let Some(text) = self.sources[index].as_ref().and_then(|source| source.trips.clone()) else {
            return Trips::Unknown(reason);
        };
        // What is left over by the next larger steps, in steps of its own.
        let factor = self.factors[index];
        let larger = self.siblings(index).map(|other| self.factors[other]).filter(|&other| other > factor).min();
        let left = larger.map_or(text.clone(), |larger| format!("{text} - {larger}*floor(({text}) / {larger})"));
        let text = if factor == 1 { left } else { format!("floor(({left}) / {factor})") };
        Trips::Source(text, self.trips_in_source(index, larger, factor))
    }

    /// The same as an expression: the trips in the source, less those of the `larger` steps, in steps of `factor`.
    fn trips_in_source(&self, index: usize, larger: Option<i64>, factor: i64) -> Option<Polynomial> {
        let mut all = self.expressions.as_ref()?.borrow_mut();
        let all = all.as_mut()?;
        let number = self.sources[index].as_ref()?.number?;
        let mut left = all.loops.get(number)?.trips.clone().ok()?;
        let space = all.names().space();
        if let Some(larger) = larger {
            let parts = space.floor_div(&left, &Polynomial::from(larger), &Facts::none());
            left = &left - &parts.scale(&Coeff::from(larger));
        }
        Some(if factor == 1 { left } else { space.floor_div(&left, &Polynomial::from(factor), &Facts::none()) })
    }

    /// How often code runs, among the region's expressions: a number of times that the finished code tells, times what the source does.
    fn executions(&self, count: &Polynomial, of_source: &[Option<Polynomial>]) -> Option<Expression> {
        let mut all = self.expressions.as_ref()?.borrow_mut();
        let names = all.as_mut()?.names();
        let mut product = match names.take(&self.analysis.lowering.space, count) {
            Ok(product) => product,
            Err(reason) => return Some(Err(reason)),
        };
        for factor in of_source {
            match names.space().product(&product, factor.as_ref()?) {
                Some(more) => product = more,
                None => return Some(Err(TOO_LARGE.into())),
            }
        }
        Some(Ok(product))
    }

    /// A loop that is tested at its end runs at least once when it is come to; where the source's is tested first, a test before it sees
    /// to it that this is as often as it says.
    fn without_least(&self, index: usize, count: Polynomial) -> Polynomial {
        let space = &self.analysis.lowering.space;
        let trips = self.sources[index].as_ref().and_then(|source| source.trips.as_ref());
        let is_tested_first = trips.is_some_and(|trips| !trips.starts_with("max("));
        match count.as_atom().map(|atom| space.atom(atom)) {
            Some(Atom::Op(OpaqueOp::Max, parts)) if is_tested_first => match &parts[..] {
                [known, least] | [least, known] if least.is_one() => known.clone(),
                _ => count,
            },
            _ => count,
        }
    }

    /// A loop that runs as often as the source says has the source's iterations; one that does not has others.
    fn compare_with_source(&mut self, index: usize, count: &Polynomial) {
        let Some(source) = &self.sources[index] else { return };
        if let Some(trips) = &source.trips
            && self.captures.is_some()
            && *trips != self.analysis.text(count)
        {
            self.is_nameable[index] = false;
        }
    }

    /// A condition in which numbers are as the source has them: it counts in ints, which do not overflow, what the compiler has counted in longs.
    pub(super) fn in_numbers(&mut self, condition: Polynomial) -> Polynomial {
        let mut condition = condition;
        for _ in 0..MAX_WRAPS {
            let space = &mut self.analysis.lowering.space;
            let narrowed = |space: &Space, atom: AtomId| match space.atom(atom) {
                Atom::Wrap { signed: Signedness::Signed, bits: 32.., value } => Some((atom, value.clone())),
                _ => None,
            };
            let found: Vec<_> = space.atoms(&condition).iter().filter_map(|&atom| narrowed(space, atom)).collect();
            if found.is_empty() {
                break;
            }
            let mut value_of = |atom| found.iter().find(|(own, _)| *own == atom).map(|(_, value)| value.clone());
            condition = space.substitute(&condition, &mut value_of);
        }
        condition
    }

    /// Whether an expression uses nothing but what the report names, and numbers that whoever evaluates it can tell apart.
    pub(super) fn says(&self, value: &Polynomial) -> bool {
        let space = &self.analysis.lowering.space;
        let has_large = |p: &Polynomial| p.terms().any(|(_, coefficient)| coefficient.bits() > MAX_BITS);
        if has_large(value)
            || space.atoms(value).iter().any(|&atom| space.atom(atom).operands().into_iter().any(has_large))
        {
            return false;
        }
        let is_foreign = |atom: AtomId| match space.atom(atom) {
            Atom::Symbol(symbol) => match &self.captures {
                Some(captures) => {
                    let text = self.analysis.text(&Polynomial::from_atom(atom));
                    let is_capture = captures.contains(&symbol.name) && text == format!("[{}]", symbol.name);
                    !is_capture && (self.shares_loop || !NUMBERS_OF_THREADS.contains(&&text[..]))
                }
                None => symbol.varies != Varies::No,
            },
            Atom::Iteration(id) => self.is_nameable.get(id.0 as usize) != Some(&true),
            // Machine arithmetic that was not seen through says less than the source does.
            Atom::Wrap { .. } | Atom::Load { .. } => true,
            _ => false,
        };
        !space.depends_on(value, is_foreign)
    }

    pub(super) fn finish(mut self) -> Finished {
        let cfg = self.analysis.cfg;
        let mut loops = vec![FinishedLoop {
            place: CodePlace {
                depth: 0,
                line: None,
                shared: None,
                executions: Quantity { value: Some("1".into()), unknown: None },
                chance: 1.0,
                at_once: None,
                together: None,
                lockstep: None,
            },
            number: None,
            executions: self.executions(&Polynomial::from(1), &[]),
        }];
        let mut blocks = Vec::new();
        // How likely an inner loop is come to, in a run of the body around it, and by how many lanes of a warp.
        let mut reached: FxHashMap<usize, Way> = FxHashMap::default();
        let warp = if self.analysis.setting.is_host { 1.0 } else { f64::from(self.analysis.setting.geometry.lanes) };
        let mut lanes = vec![warp; cfg.loops.len()];
        // Conditions under which parts of a body run, and the place of what runs under them.
        let mut guarded: Vec<(usize, Polynomial)> = Vec::new();
        let first_guarded = cfg.loops.len() + 1;
        for at in std::iter::once(None).chain((0..cfg.loops.len()).map(Some)) {
            let depth = at.map_or(0, |index| index + 1);
            let here = at.map_or(warp, |index| lanes[index]);
            for (block, chance, way) in self.ways_in(at, here) {
                match cfg.loop_of(block) {
                    own if own == at => {
                        let runs = at.map_or(1.0, |index| self.runs_of(index, block));
                        let place = match way.when {
                            Some(when) => {
                                let known = guarded.iter().position(|known| *known == (depth, when.clone()));
                                first_guarded
                                    + known.unwrap_or_else(|| {
                                        guarded.push((depth, when));
                                        guarded.len() - 1
                                    })
                            }
                            None => depth,
                        };
                        blocks.push((cfg.blocks[block], place, way.chance * runs));
                    }
                    Some(_) => {
                        let inner = cfg.loop_chain(cfg.loop_of(block)).take_while(|&inner| Some(inner) != at).last();
                        reached.extend(inner.map(|inner| (inner, way)));
                        if let Some(inner) = inner {
                            lanes[inner] = chance.lanes(here);
                        }
                    }
                    None => {}
                }
            }
        }
        for index in 0..cfg.loops.len() {
            let (place, executions) = self.place(index, &reached, None);
            loops.push(FinishedLoop { place, executions, number: cfg.loops[index].number(cfg, marks::FINISHED) });
        }
        for (depth, when) in guarded {
            let (place, executions) = match depth.checked_sub(1) {
                Some(index) => self.place(index, &reached, Some(&when)),
                None => {
                    let value = Quantity { value: Some(self.analysis.text_of_condition(&when)), unknown: None };
                    let place = CodePlace { executions: value, ..loops[0].place.clone() };
                    (place, self.executions(&when, &[]))
                }
            };
            loops.push(FinishedLoop { place, executions, number: None });
        }
        Finished { loops, blocks }
    }

    /// How control comes to each block of a loop's body, or of the function, to which so many lanes of a warp come.
    fn ways_in(&mut self, at: Option<usize>, lanes: f64) -> Vec<(BlockId, chance::Chance, Way)> {
        let cfg = self.analysis.cfg;
        let (guessed, has_named) = chance::of_blocks(cfg, at, lanes, Named::Guessed, self);
        let whole = if has_named { chance::of_blocks(cfg, at, lanes, Named::Whole, self).0 } else { guessed.clone() };
        let ways = guessed.into_iter().zip(whole).map(|((block, guessed), (_, whole))| {
            let when = if whole == guessed { None } else { self.named_conditions(at, block) };
            let chance = if when.is_some() { whole } else { guessed };
            (block, chance, Way { chance: chance.of_warp, when })
        });
        ways.collect()
    }

    /// The conditions under which an iteration of a loop, or the function, comes to a block, of those that ask for nothing but what the report names.
    fn named_conditions(&mut self, at: Option<usize>, block: BlockId) -> Option<Polynomial> {
        let condition = match at {
            Some(index) => self.analysis.condition_in_body(index, block)?,
            None => self.analysis.lowering.path_condition(0, block)?,
        };
        let condition = self.in_numbers(condition);
        let mut all = Polynomial::from(1);
        for part in self.analysis.lowering.space.conjuncts(&condition) {
            if part.as_constant().is_none() && self.says(&part) {
                all = self.analysis.lowering.space.product(&all, &part)?;
            }
        }
        (!all.is_one() && self.analysis.text_of_condition(&all).len() <= MAX_CONDITION).then_some(all)
    }

    fn runs_of(&self, index: usize, block: BlockId) -> f64 {
        let trips = match &self.trips[index] {
            Trips::Known(trips) => Some(trips),
            Trips::Source(..) | Trips::Unknown(_) => None,
        };
        runs_of(self.analysis.cfg, index, block, self.factors[index], trips)
    }

    /// Of the body of a loop, or of what it runs under a condition.
    fn place(
        &mut self,
        index: usize,
        reached: &FxHashMap<usize, Way>,
        when: Option<&Polynomial>,
    ) -> (CodePlace, Option<Expression>) {
        let cfg = self.analysis.cfg;
        let chain: Vec<usize> = cfg.loop_chain(Some(index)).collect();
        let Around { mut chance, mut count, mut texts, of_source, mut unknown, shared, conditions } =
            self.around(&chain, reached);
        let mut texts_of_conditions = Vec::new();
        let number_of_times = count.clone();
        for condition in conditions.iter().chain(when) {
            texts_of_conditions.push(self.analysis.text_of_condition(condition));
            match self.analysis.lowering.space.product(&count, condition) {
                Some(product) => count = product,
                None => unknown = Some(TOO_LARGE.to_string()),
            }
        }
        let of_several = chain.iter().find(|&&at| self.is_taken_together(at));
        let together = of_several.and_then(|&at| cfg.loops[at].number(cfg, marks::TOGETHER));
        let lockstep = self.lockstep(index);
        // Of iterations of which is not known which they are, what is done for one at a time stands for both.
        let is_known = of_several.is_none_or(|&at| self.lockstep(at).is_some());
        if self.is_other_version(index) || !is_known {
            chance = 0.0;
        }
        texts.extend(texts_of_conditions);
        if !number_of_times.is_one() || texts.is_empty() {
            let text = self.analysis.text(&number_of_times);
            texts.insert(0, text);
        }
        let text = match &texts[..] {
            [only] => only.clone(),
            several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join("*"),
        };
        if text.len() > MAX_TEXT {
            unknown = Some(TOO_LARGE.into());
        }
        let executions = match &unknown {
            Some(reason) => Some(Err(reason.clone())),
            None => self.executions(&count, &of_source),
        };
        let line = self.analysis.loop_location(index).map(|place| place.line).filter(|&line| line > 0);
        let place = CodePlace {
            depth: chain.len() as u32,
            line,
            shared,
            executions: match unknown {
                Some(reason) => Quantity { value: None, unknown: Some(reason) },
                None => Quantity { value: Some(text), unknown: None },
            },
            chance,
            at_once: cfg.loops[index].number(cfg, marks::AT_ONCE),
            together,
            lockstep,
        };
        (place, executions)
    }

    /// What the loops of a chain, the innermost first, say of how often the first of them runs for one iteration that threads share.
    fn around(&mut self, chain: &[usize], reached: &FxHashMap<usize, Way>) -> Around {
        let mut around = Around {
            chance: 1.0,
            conditions: Vec::new(),
            count: Polynomial::from(1),
            texts: Vec::new(),
            of_source: Vec::new(),
            unknown: None,
            shared: None,
        };
        for &at in chain {
            match (self.roles[at], &self.trips[at]) {
                (Role::Sequential, Trips::Known(trips)) => {
                    match self.analysis.lowering.space.product(&around.count, trips) {
                        Some(product) => around.count = product,
                        None => around.unknown = Some(TOO_LARGE.to_string()),
                    }
                }
                (Role::Sequential, Trips::Source(text, value)) => {
                    around.texts.push(text.clone());
                    around.of_source.push(value.clone());
                }
                (Role::Sequential, Trips::Unknown(reason)) => {
                    around.unknown = around.unknown.take().or_else(|| Some(reason.clone()));
                }
                (Role::Chunks(Some(size)), _) => {
                    around.shared = self.sources[at].as_ref().and_then(|source| source.id.clone());
                    around.chance /= size as f64;
                    break;
                }
                (Role::Chunks(None), _) => {
                    around.unknown = Some("how many chunks a thread gets is known when the program runs".into());
                }
                // The host's teams get one part each.
                (Role::TeamsPart, _) if self.analysis.setting.is_host => {}
                (Role::Shared(_) | Role::TeamsPart, _) => {
                    around.shared = self.sources[at].as_ref().and_then(|source| source.id.clone());
                    around.chance *= self.share_of(at);
                    break;
                }
            }
            if let Some(way) = reached.get(&at) {
                around.chance *= way.chance;
                around.conditions.extend(way.when.clone());
            }
        }
        // Whoever takes the source's loops in place of these has several of their iterations in one run of the body.
        if around.unknown.is_some() {
            let own = chain.iter().take_while(|&&at| self.roles[at] == Role::Sequential);
            around.chance /= own.map(|&at| self.factors[at] as f64).product::<f64>();
        }
        around
    }

    /// Whether a loop is of the version that runs where loops could not be fused.
    fn is_other_version(&self, index: usize) -> bool {
        let cfg = self.analysis.cfg;
        let is_around = |&inner: &usize| cfg.loop_chain(Some(inner)).any(|at| at == index);
        let mut fused = (0..self.marks.len()).filter(|&other| self.is_fused[other]).peekable();
        fused.peek().is_some() && self.marks[index].is_some() && !fused.any(|other| is_around(&other))
    }
}
