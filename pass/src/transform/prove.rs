//! Whether a mapping computes the same, under which conditions, and whether it pays where they hold.

use super::arguments::Read;
use super::check::Expected;
use super::conditions::{Conditions, at_least_zero};
use super::different::different_arrays;
use super::guard::{Condition, Digits};
use super::own_digits::is_of_digits;
use super::profit::{Candidate, enough_threads};
use super::propose::{Choice, Costs, Proposal};
use super::schedule::Assignment;
use super::subject::Subject;
use super::sum::Sum;
use super::together::{Together, in_lockstep, together};
use crate::analysis::dependences::{Exclusion, NestDependences, SharedNest};
use crate::analysis::finished::InLockstep;
use crate::analysis::region::Analysis;
use crate::openmp;
use ipda_models::report::{ConditionRole, ObstacleKind, Reason};
use ipda_models::versions::GuardCondition;
use ipda_symbolic::{
    AtomId, Count, Facts, Given, Hull, Idle, Interval, LoopId, Mapping, Nest, Objection, Polynomial, Signedness, Step,
};
use rustc_hash::FxHashSet;

/// With fewer numbers, as where a clause gives a team nearly all that there are, nothing is worth fusing.
const FEW_NUMBERS: i64 = 1 << 16;

/// Reasons that are reported.
const MAX_REASONS: usize = 3;

/// A mapping that is legal and pays.
pub(super) struct Plan {
    /// Which of the region's loops that threads share is changed, in their order.
    pub at: usize,
    /// Of the loops by their depth below the shared one (which is 0, or as many as its number has digits).
    pub mapping: Mapping,
    /// How many digits of the shared loop's number are taken as loops.
    pub digits: usize,
    /// Whether the code takes that number apart by these alone.
    pub divides_by_sizes: bool,
    /// How often each fused loop but the shared one runs; that one too where it is not the slowest, lanes are tiles, or a thread takes several of
    /// its iterations together.
    pub trips: Trips,
    /// Which iterations a thread takes together, where there are many.
    pub coarse: Option<Together>,
    pub in_lockstep: Option<InLockstep>,
    pub tests: Vec<Test>,
    /// The fused loops whose numbers are higher by those of another loop, each with that one: they do nothing where that is higher.
    pub moved: Vec<(usize, usize)>,
    /// Loops whose own condition says which of their numbers have an iteration.
    pub asked: Vec<usize>,
    /// Of which of `trips` reciprocals are needed: the thread's number is divided by them.
    pub reciprocals: Vec<usize>,
    /// The width of that number.
    pub number_bits: u32,
    /// Whether the original runs only where the guard fails, not where it is as good.
    pub falls_back: bool,
    /// Whether the changed loops are what was written, where the guard does not hold and a thread takes one iteration at a time: the original is not kept.
    pub is_right_unguarded: bool,
    /// Whether the shared loop is first shared among teams.
    pub is_distributed: bool,
    /// Whether threads' copies of a variable are combined behind it.
    pub reduces: bool,
    pub assignment: Assignment,
    pub guard: Vec<Condition>,
    /// The pairs of parameters that lead to different arrays, as the host's code shows.
    pub apart_by_host: Vec<(usize, usize)>,
    /// The parameters to whose objects the kernel writes; none where that is not known, or something else may write meanwhile what it reads.
    pub written: Option<Vec<usize>>,
    /// What the kernel reads before all else; sums know it by the places behind the kernel's parameters.
    pub reads: Vec<Read>,
    /// The guard as it is reported.
    pub conditions: Vec<GuardCondition>,
    /// What makes it right that atomic updates come in another order, and which arrays are different ones.
    pub rests_on: Vec<Reason>,
    pub choice: Choice,
    pub expected: Expected,
    /// Whether it is reported as a version of the loops; else only the finished code has it.
    pub is_version: bool,
    /// Its number among the versions, of which the first is made by default.
    pub number: u8,
}

/// A fused loop whose number may be too high: it does nothing unless it is below `base + sum of slope * number of the other loop`.
pub(super) struct Test {
    pub of: usize,
    pub base: Sum,
    pub slopes: Vec<(usize, i64)>,
}

/// How often loops run, by their depths.
type Trips = Vec<(usize, Sum)>;

/// What is found while a mapping is proven.
struct Proof<'a, 'b> {
    analysis: &'a Analysis<'b>,
    subject: &'a Subject<'a>,
    dependences: &'a NestDependences,
    candidate: &'a Candidate,
    conditions: Conditions<'a, 'b>,
    /// What holds where something is gained.
    held: Facts,
    /// Those of it that can hold together.
    can_hold: FxHashSet<Polynomial>,
    /// Conditions on sizes, each with the dependence that it excludes.
    of_sizes: Vec<(Polynomial, usize)>,
    /// The dependences that are not there where the conditions hold.
    excluded: Vec<usize>,
    /// What the host's code shows, without a test.
    rests_on: Vec<Reason>,
    apart_by_host: Vec<(usize, usize)>,
    /// Why it is not right, and whether that is certain.
    reasons: Vec<(bool, Reason)>,
}

/// The plan of a proposed mapping; or why there is none.
pub(super) fn prove(
    analysis: &Analysis<'_>,
    subject: &Subject<'_>,
    dependences: &NestDependences,
    proposal: &Proposal,
) -> Result<Plan, Vec<Reason>> {
    let &Proposal { ref candidate, ref costs, is_wished, .. } = proposal;
    let mut proof = Proof::new(analysis, subject, dependences, candidate);
    proof.exclude_dependences()?;
    // Who asks for a mapping does not ask whether it pays.
    let other_costs = if is_wished { proof.holds().map(|()| None) } else { proof.costs_where_it_holds() }?;
    let costs = other_costs.as_ref().unwrap_or(costs);
    let is_for_threads = !is_wished && costs.are_only_for_threads();
    proof.require_no_last_iteration()?;
    let (mut trips, all) = proof.trips(is_wished)?;
    let coarse = proof.coarse(&mut trips);
    proof.require_loops_to_run()?;
    if is_for_threads {
        proof.require_few_threads()?;
    }
    let number_bits = subject.number_bits(analysis);
    let limit = subject.limit(analysis, &candidate.mapping);
    proof.require_numbers_to_fit(&all)?;
    let mut choice = subject.choice(analysis, &candidate.mapping, costs);
    // Figures of a launch for which the guard does not hold, as numbers of threads do not fit, are nobody's.
    choice.gain = choice.gain.filter(|_| costs.after.numbers < limit.end as f64);
    let expected = Expected::of(analysis, &subject.nest.accesses, candidate, &subject.arguments)
        .ok_or_else(|| vec!["the result could not be checked".into()])?;
    let tested = candidate.hulls.iter().filter(|hull| hull.idle == Idle::Last);
    let tests = tested.map(|hull| proof.test(hull)).collect::<Result<Vec<Test>, _>>()?;
    proof.require_exact_sums(&trips, &tests)?;
    let shared = analysis.nest.shared_at(subject.nest.in_cfg(0));
    let Candidate { mapping, .. } = candidate;
    let Proof { conditions: Conditions { guard, reported, .. }, excluded, mut rests_on, apart_by_host, .. } = proof;
    rests_on.extend(subject.nest.updates_in_any_order(analysis, dependences, &excluded));
    let in_lockstep = coarse.and_then(|together| in_lockstep(analysis, subject, candidate, together));
    Ok(Plan {
        at: subject.at,
        mapping: mapping.clone(),
        digits: subject.nest.digits,
        divides_by_sizes: subject.divides_by_sizes,
        reciprocals: reciprocals(&subject.nest, mapping, (&trips, coarse), number_bits),
        trips,
        coarse,
        in_lockstep,
        tests,
        moved: candidate.moved().collect(),
        asked: candidate.asked().collect(),
        number_bits,
        falls_back: !is_for_threads,
        is_right_unguarded: false,
        is_distributed: shared.is_some_and(|shared| shared.distributed_by.is_some()),
        reduces: subject.nest.reduces(),
        assignment: subject.assignment,
        guard,
        apart_by_host,
        written: subject.written(analysis),
        reads: subject.arguments.reads.clone(),
        conditions: reported,
        rests_on,
        choice,
        expected,
        is_version: true,
        number: 1,
    })
}

impl Plan {
    /// The loops as they are written, in a copy that nothing is changed in yet.
    pub(super) fn as_written(
        analysis: &mut Analysis<'_>,
        subject: &Subject<'_>,
        expected: Expected,
        choice: Choice,
    ) -> Plan {
        Plan {
            at: subject.at,
            mapping: subject.as_written.mapping.clone(),
            digits: subject.nest.digits,
            divides_by_sizes: subject.divides_by_sizes,
            trips: Vec::new(),
            coarse: None,
            in_lockstep: None,
            tests: Vec::new(),
            moved: Vec::new(),
            asked: Vec::new(),
            reciprocals: Vec::new(),
            number_bits: subject.number_bits(analysis),
            falls_back: true,
            is_right_unguarded: false,
            is_distributed: false,
            reduces: false,
            assignment: subject.assignment,
            guard: Vec::new(),
            apart_by_host: Vec::new(),
            written: subject.written(analysis),
            reads: subject.arguments.reads.clone(),
            conditions: Vec::new(),
            rests_on: Vec::new(),
            choice,
            expected,
            is_version: true,
            number: 1,
        }
    }
}

impl<'a, 'b> Proof<'a, 'b> {
    fn new(
        analysis: &'a Analysis<'b>,
        subject: &'a Subject<'a>,
        dependences: &'a NestDependences,
        candidate: &'a Candidate,
    ) -> Proof<'a, 'b> {
        // Where loops would be fused that run no more than one iteration, nothing is gained.
        let mut held = Facts::none();
        for count in candidate.mapping.fused().filter(|&at| at != 0).filter_map(|at| candidate.trips(at)) {
            held.assume_nonneg(count - &Polynomial::from(2));
        }
        Proof {
            analysis,
            subject,
            dependences,
            candidate,
            conditions: Conditions::new(analysis, &subject.arguments, dependences.touched()),
            held,
            can_hold: FxHashSet::default(),
            of_sizes: Vec::new(),
            excluded: Vec::new(),
            rests_on: Vec::new(),
            apart_by_host: Vec::new(),
            reasons: Vec::new(),
        }
    }

    /// Requires that a number is not negative that is known when the region begins if a loop's count is. Whether it can hold.
    fn require_not_negative(
        &mut self,
        value: &Polynomial,
        of: usize,
        role: ConditionRole,
    ) -> Result<bool, Vec<Reason>> {
        let required = self.conditions.not_negative(value, role).ok_or_else(|| self.unknown(of))?;
        Ok(self.conditions.require(required))
    }

    fn unknown(&self, at: usize) -> Vec<Reason> {
        let text = "how often it runs is not known when the region begins";
        let location = self.analysis.loop_location(self.subject.nest.in_cfg(at));
        vec![ObstacleKind::CountUnknownBeforeRegion.reason(text).at(location)]
    }

    /// Collects the conditions under which no dependence is in the way, and of the others the reasons.
    fn exclude_dependences(&mut self) -> Result<(), Vec<Reason>> {
        let (analysis, shared, dependences) = (self.analysis, &self.subject.nest, self.dependences);
        let (nest, mapping) = (&self.candidate.nest, &self.candidate.mapping);
        if let Some(objection) = nest.of_bounds(&analysis.lowering.space, mapping) {
            return Err(vec![shared.objection(analysis, dependences, &objection)]);
        }
        for objection in nest.of_dependences(mapping, &dependences.steps) {
            let (Objection::Separated { dependence, .. } | Objection::Reversed { dependence, .. }) = objection else {
                continue;
            };
            if self.excludes(dependence) {
                self.excluded.push(dependence);
            } else {
                self.reasons.push(shared.dependence(analysis, dependences, dependence));
            }
        }
        self.exclude_one_thread();
        Ok(())
    }

    /// That the shared loop's iterations, which may run in any order, are not those of one thread in their order, if they may need each other.
    fn exclude_one_thread(&mut self) {
        let Candidate { nest, mapping, .. } = self.candidate;
        if !self.subject.may_have_one_thread || nest.is_scheduled {
            return;
        }
        let alone = Nest { is_scheduled: true, ..nest.clone() };
        let mut needed = alone.of_dependences(mapping, &self.dependences.steps).filter(|objection| match objection {
            Objection::Separated { dependence, .. } | Objection::Reversed { dependence, .. } => {
                !self.excluded.contains(dependence)
            }
            _ => false,
        });
        if needed.next().is_some() {
            let text = "several threads run its iterations".to_owned();
            let reported = GuardCondition { text, not_negative: None, role: Some(ConditionRole::Sizes) };
            self.conditions.require((Condition::SeveralThreads, reported));
        }
    }

    /// Whether conditions exclude a dependence that can hold.
    fn excludes(&mut self, number: usize) -> bool {
        match &self.dependences.exclusions[number] {
            Exclusion::Never => false,
            Exclusion::If(needed) => needed.iter().all(|condition| {
                self.of_sizes.push((condition.clone(), number));
                let required = self.conditions.not_negative(condition, ConditionRole::Sizes);
                required.is_some_and(|required| self.is_useful(condition) && self.conditions.require(required))
            }),
            &Exclusion::Disjoint(a, b) => self.are_apart([a.min(b), a.max(b)], number),
        }
    }

    /// Whether a condition can hold beside those before it where something is gained.
    fn is_useful(&mut self, condition: &Polynomial) -> bool {
        // It was among those that what was held since could hold beside.
        if self.can_hold.contains(condition) {
            return true;
        }
        let never = -condition - Polynomial::one();
        let can_hold = !self.analysis.lowering.space.proves_nonneg(&never, &self.held);
        self.held.assume_nonneg(condition.clone());
        if can_hold {
            self.can_hold.insert(condition.clone());
        } else {
            self.can_hold.clear();
        }
        can_hold
    }

    /// Whether two objects can have no byte in common.
    fn are_apart(&mut self, objects: [AtomId; 2], number: usize) -> bool {
        let Some(required) = self.conditions.apart(objects) else {
            return self.are_different_arrays(objects, number);
        };
        let of_both = self.dependences.touched().iter().filter(|touched| objects.contains(&touched.object));
        let needed = of_both.flat_map(|touched| &touched.needed);
        self.of_sizes.extend(needed.map(|condition| (condition.clone(), number)));
        required.into_iter().all(|required| self.conditions.require(required))
    }

    /// Whether the host's code shows that two objects have no byte in common, where nothing can be tested on the device.
    fn are_different_arrays(&mut self, objects: [AtomId; 2], number: usize) -> bool {
        let Some(arguments) = self.subject.nest.arguments(self.dependences, number) else { return false };
        let Some(reason) = different_arrays(self.analysis, objects, arguments) else { return false };
        self.apart_by_host.extend(self.subject.arguments.pair(objects));
        if !self.rests_on.contains(&reason) {
            self.rests_on.push(reason);
        }
        true
    }

    /// Nothing speaks against it, for some sizes at least.
    fn holds(&mut self) -> Result<(), Vec<Reason>> {
        if self.reasons.is_empty() { Ok(()) } else { Err(self.refusal()) }
    }

    /// What is gained where the conditions hold, if they ask for other sizes; or why it is not right, or does not pay there.
    fn costs_where_it_holds(&mut self) -> Result<Option<Costs>, Vec<Reason>> {
        if self.reasons.is_empty() {
            let at = match self.gained() {
                Ok(costs) => return Ok(costs),
                Err(at) => at,
            };
            let (condition, number) = &self.of_sizes[at];
            let words = at_least_zero(self.analysis, condition);
            let (is_certain, mut reason) = self.subject.nest.dependence(self.analysis, self.dependences, *number);
            reason.text.push_str(&format!("; not so where {words}, but then there is little to gain"));
            self.reasons.push((is_certain, reason));
        }
        Err(self.refusal())
    }

    /// Else which condition leaves little to gain.
    fn gained(&self) -> Result<Option<Costs>, usize> {
        let (analysis, sizes) = (self.analysis, &self.subject.sizes);
        let needed: Vec<Polynomial> = self.of_sizes.iter().map(|(condition, _)| condition.clone()).collect();
        let recurs = |&(ref condition, number): &(Polynomial, usize)| {
            is_recurrence(&self.dependences.steps[number]) && !sizes.meet(analysis, condition)
        };
        // What an iteration needs of one some way back is there for all sizes but small ones: no other sizes are looked for.
        let met = match self.of_sizes.iter().position(recurs) {
            Some(at) => return Err(at),
            None => sizes.meeting(analysis, &self.subject.nest, &needed)?,
        };
        let costs = self.subject.costs(analysis, &met, self.candidate);
        if !needed.is_empty() && !costs.pay() {
            return Err(0);
        }
        Ok((met != *sizes).then_some(costs))
    }

    /// The reasons for people. Those that are sure say most.
    fn refusal(&mut self) -> Vec<Reason> {
        self.reasons.sort_by_key(|(is_certain, _)| !is_certain);
        let mut reported: Vec<Reason> = Vec::new();
        if self.candidate.nest.is_scheduled {
            reported.push(match self.subject.assignment {
                Assignment::ByClause => ObstacleKind::OrderOfSchedule
                    .reason("the loop's schedule says in which order iterations run, and they may need each other"),
                Assignment::Default => ObstacleKind::OneThread.reason(
                    "it may be one thread that runs all iterations in their order, and they may need each other",
                ),
            });
        }
        for (_, reason) in self.reasons.drain(..) {
            if reported.len() < MAX_REASONS && !reported.contains(&reason) {
                reported.push(reason);
            }
        }
        reported
    }

    /// That no code asks which thread has the last iteration, as that of lastprivate and linear variables does: among tiles, the last number may have none.
    fn require_no_last_iteration(&self) -> Result<(), Vec<Reason>> {
        if self.candidate.mapping.keeps_loops_whole() && !self.is_of_digits() {
            return Ok(());
        }
        let nest = &self.analysis.nest;
        let shared = nest.shared_at(self.subject.nest.in_cfg(0));
        let around = shared.and_then(|shared| shared.distributed_by).map(|outer| &nest.shared[outer]);
        if shared.into_iter().chain(around).any(|shared| openmp::asks_for_last_iteration(shared.call)) {
            return Err(vec![ObstacleKind::Other.reason("which iteration is the last one matters after the loop")]);
        }
        Ok(())
    }

    fn is_of_digits(&self) -> bool {
        is_of_digits(&self.candidate.mapping, self.subject.nest.digits)
    }

    /// The loops that run one iteration each: those that are fused, as they come in a thread's number, and what else is part of the shared loop.
    fn replaced(&self) -> Vec<usize> {
        let mapping = &self.candidate.mapping;
        let is_fused = |at: &usize| mapping.fused().any(|of| of == *at);
        let others = self.candidate.replaced().into_iter().filter(|at| !is_fused(at));
        mapping.fused().chain(others).collect()
    }

    /// How often each fused loop runs, but the shared one where that is the slowest, all of which must run; and how often all do together, at most.
    fn trips(&mut self, is_wished: bool) -> Result<(Trips, Polynomial), Vec<Reason>> {
        let Candidate { mapping, .. } = self.candidate;
        let has_tiles = !mapping.keeps_loops_whole() || self.is_of_digits();
        let slowest = mapping.threads()[0].of;
        let mut all = Polynomial::from(1);
        let mut trips = Vec::new();
        let given: Vec<Given> = mapping.given().collect();
        if !given.is_empty() {
            self.require_digits_to_fit(&given)?;
        }
        for at in self.replaced() {
            let count = self.candidate.trips(at).ok_or_else(|| self.unknown(at))?;
            // The last tile may have one iteration alone.
            let (others, _) = mapping.others(at).ok_or_else(|| self.unknown(at))?;
            let numbers = count + &Polynomial::from(i64::from(others) - 1);
            match of_threads(mapping, at) {
                _ if !given.is_empty() => {}
                None => all = &all * &numbers,
                Some((known, _)) => {
                    all = all.scale(&i64::from(known).into());
                    // Threads have fewer numbers than the loop, which may count in more bits.
                    self.require_numbers_to_fit(&numbers)?;
                }
            }
            let is_slowest = at == 0 && slowest == 0 && !has_tiles;
            if !is_slowest {
                trips.push((at, self.conditions.sum(count).ok_or_else(|| self.unknown(at))?));
            } else if self.subject.nest.wrapped.is_none() {
                continue;
            }
            // In a row that is shorter than half of a tile, most lanes would be idle.
            let half = i64::from(mapping.tile(at) / 2);
            let is_tile = half > 1 && !is_wished && count.as_constant().is_none();
            let (least, role) =
                if is_tile { (half, ConditionRole::OwnVersion) } else { (1, ConditionRole::Iterations) };
            if !self.require_not_negative(&(count - &Polynomial::from(least)), at, role)? {
                return Err(vec!["the inner loop never runs".into()]);
            }
        }
        Ok((trips, all))
    }

    /// Which iterations a thread should take together; all counts are then among the `trips`.
    fn coarse(&self, trips: &mut Trips) -> Option<Together> {
        let together = together(self.analysis, self.subject, self.candidate)?;
        let mapping = &self.candidate.mapping;
        // The number of iterations is made of all counts then, also of the slowest loop's.
        for of in [together.of(mapping), mapping.threads()[0].of] {
            if !trips.iter().any(|(at, _)| *at == of) {
                trips.insert(0, (of, self.conditions.sum(self.candidate.trips(of)?)?));
            }
        }
        Some(together)
    }

    /// Of loops that others are brought out of: where they do not run, nor would all those iterations.
    fn require_loops_to_run(&mut self) -> Result<(), Vec<Reason>> {
        let Candidate { mapping, .. } = self.candidate;
        let replaced = self.replaced();
        let deepest = replaced.iter().copied().max().unwrap_or(0);
        let others = mapping.inside().iter().map(|part| part.of).filter(|at| !replaced.contains(at));
        for at in others.filter(|&at| at < deepest) {
            let positive = self.candidate.trips(at).map(|count| count - &Polynomial::one());
            let required =
                positive.and_then(|positive| self.conditions.not_negative(&positive, ConditionRole::Iterations));
            if required.is_some_and(|required| !self.conditions.require(required)) {
                return Err(vec!["the inner loop never runs".into()]);
            }
        }
        Ok(())
    }

    /// With enough of them, the loops are best as they are.
    fn require_few_threads(&mut self) -> Result<(), Vec<Reason>> {
        let shared_trips = self.candidate.trips(0).ok_or_else(|| self.unknown(0))?;
        let enough = enough_threads(self.analysis.setting.gpu).and_then(|threads| i64::try_from(threads).ok());
        let enough = enough.ok_or_else(|| vec!["it is not known how many threads the GPU holds".into()])?;
        let few = Polynomial::from(enough - 1) - shared_trips;
        match self.require_not_negative(&few, 0, ConditionRole::OwnVersion)? {
            true => Ok(()),
            false => Err(vec!["there are threads enough".into()]),
        }
    }

    fn require_numbers_to_fit(&mut self, all: &Polynomial) -> Result<(), Vec<Reason>> {
        let limit = self.subject.limit(self.analysis, &self.candidate.mapping);
        let fits = self.conditions.numbers_fit(all, &limit).ok_or_else(|| self.unknown(0))?;
        if limit.end >= FEW_NUMBERS && self.conditions.require(fits) {
            return Ok(());
        }
        let bits = self.subject.number_bits(self.analysis);
        let text = format!("all iterations together are too many to be numbered with {bits} bits");
        Err(vec![ObstacleKind::TooManyIterations.reason(text)])
    }

    /// The same of digits that have as many values as a launch has teams and threads.
    fn require_digits_to_fit(&mut self, given: &[Given]) -> Result<(), Vec<Reason>> {
        let mapping = &self.candidate.mapping;
        let digits = |at: usize| {
            let trips = self.conditions.sum(self.candidate.trips(at)?)?;
            Some(Digits { trips, others: mapping.others(at)?, of_threads: of_threads(mapping, at) })
        };
        let digits = self.replaced().into_iter().map(|at| digits(at).ok_or_else(|| self.unknown(at)));
        let digits = digits.collect::<Result<Vec<_>, _>>()?;
        let bits = self.subject.number_bits(self.analysis) - 2;
        let names: Vec<String> = given.iter().map(|given| given.name()).collect();
        let words = format!("iterations numbered by {} fit in {bits} bits", names.join(" and "));
        let role = Some(ConditionRole::OwnVersion);
        let reported = GuardCondition { text: words, not_negative: None, role };
        self.conditions.require((Condition::Fit(digits, bits), reported));
        Ok(())
    }

    /// What a thread compares its number in a loop with that has more numbers than iterations.
    fn test(&mut self, hull: &Hull) -> Result<Test, Vec<Reason>> {
        // Numbers of 64 bits hold all of it.
        let limit = Polynomial::from(1i64 << 61);
        let mut ends = vec![hull.base.clone()];
        for (on, slope) in &hull.slopes {
            ends.push(self.candidate.trips(*on).ok_or_else(|| self.unknown(*on))?.scale(&slope.abs()));
        }
        for end in ends {
            let range = self.analysis.lowering.space.range(&end);
            let is_small = range.is_within(&Interval::of_width(62, Signedness::Signed));
            for side in [&limit - &end, &limit + &end].into_iter().filter(|_| !is_small) {
                if !self.require_not_negative(&side, hull.of, ConditionRole::OwnVersion)? {
                    return Err(self.unknown(hull.of));
                }
            }
        }
        let slopes = hull.slopes.iter().map(|(on, slope)| Some((*on, slope.to_i64()?)));
        let slopes = slopes.collect::<Option<Vec<_>>>().ok_or_else(|| self.unknown(hull.of))?;
        let base = self.conditions.sum(&hull.base).ok_or_else(|| self.unknown(hull.of))?;
        Ok(Test { of: hull.of, base, slopes })
    }

    /// That the guard, and what copies are given, are computed exactly; and not more conditions than are tested.
    fn require_exact_sums(&mut self, trips: &[(usize, Sum)], tests: &[Test]) -> Result<(), Vec<Reason>> {
        let bases = tests.iter().map(|test| &test.base);
        let sums: Vec<Sum> = trips.iter().map(|(_, sum)| sum).chain(bases).cloned().collect();
        if self.conditions.require_exact_sums(&sums)? { Ok(()) } else { Err(self.unknown(0)) }
    }
}

/// How many numbers of threads the digits of a loop make, as a product, where that does not depend on how often it runs: 1 where all of them run inside.
fn of_threads(mapping: &Mapping, of: usize) -> Option<(u32, Vec<Given>)> {
    let (mut known, mut given) = (1_u32, Vec::new());
    for part in mapping.threads().iter().filter(|part| part.of == of) {
        match part.count {
            Count::Const(count) => known = known.checked_mul(count)?,
            Count::Given(number) => given.push(number),
            Count::Rest => return None,
        }
    }
    Some((known, given))
}

/// Whether a dependence leads a known number of iterations of one inner loop further: not across rows that the shared loop or others count, and not as
/// far as a size says.
fn is_recurrence(steps: &[Step]) -> bool {
    let [shared, inner @ ..] = steps else { return false };
    let mut moves = inner.iter().filter(|step| !step.equal);
    let (first, more) = (moves.next(), moves.next());
    let by_number = |step: &Step| step.distance.as_ref().is_some_and(|distance| distance.as_constant().is_some());
    !shared.less && !shared.greater && first.is_some_and(by_number) && more.is_none()
}

/// Of which of the loops' counts reciprocals are worth their registers: those that a thread's number of so many bits is divided by, unless it is one
/// division, before loops that the thread runs by itself or of a number that mostly needs half its bits, as a compiler's division finds out.
/// What is taken together is divided by another number.
fn reciprocals(
    shared: &SharedNest,
    mapping: &Mapping,
    (trips, coarse): (&[(usize, Sum)], Option<Together>),
    bits: u32,
) -> Vec<usize> {
    const WORD: u32 = 32;
    if is_of_digits(mapping, shared.digits) {
        return Vec::new();
    }
    let undivided = [Some(mapping.threads()[0].of), coarse.map(|together| together.of(mapping))];
    let is_divided_by = |at: &usize| !undivided.contains(&Some(trips[*at].0)) && trips[*at].1.as_constant().is_none();
    let divided_by: Vec<usize> = (0..trips.len()).filter(is_divided_by).collect();
    let is_fused = |id: &LoopId| mapping.fused().any(|at| shared.nest.loops[at].id == *id);
    let has_loops = shared.accesses.iter().any(|access| !access.loops.iter().all(is_fused));
    if divided_by.len() == 1 && (has_loops || bits > WORD) { Vec::new() } else { divided_by }
}
