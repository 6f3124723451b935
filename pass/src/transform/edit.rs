//! A changed copy of a region's code: one version that a kernel may run.
//!
//! ```text
//! kernel(A, n): outlined(A, n): for i in threads: for j: body(i, j)
//! beside it:    outlined.ipda(A, n, choice, trips): for x in threads: body(x / m, x % m)     nothing calls it until `dispatch` does
//! ```

use super::arguments::Read;
use super::body::{self, Form, Fused, Taken};
use super::chain::{self, Chain, SharedPlace};
use super::check::Objects;
use super::guard::Condition;
use super::limit::counting;
use super::own_digits::{Numbers, factors_of_digits, is_of_digits, tiles};
use super::propose::Choice;
use super::prove::Plan;
use super::schedule::Assignment;
use super::sum::Sum;
use super::version::{Made, version};
use super::{check, combine, facts, helpers};
use crate::analysis::region::Setting;
use crate::common::deferred::Width;
use crate::openmp::outline::TargetRegion;
use crate::openmp::{self, Call, Schedule, Worksharing};
use inkwell::module::Module;
use ipda_llvm::{Block, Code, DeclarationGuard, FunctionCopy, Opcode, Type, Value, append_block, constant, integer};
use ipda_models::hash::fnv1a;
use ipda_models::report::{ObstacleKind, Reason};
use ipda_models::versions::{DeviceVersion, GuardCondition, VersionId, VersionState};
use ipda_symbolic::Signedness;
use llvm_sys::LLVMIntPredicate;

/// Changed copies of a region's functions, which nothing runs yet, and which are removed unless they are kept.
pub(super) struct Edit {
    /// Of different shared loops.
    pub plans: Vec<Plan>,
    pub chain: Chain,
    /// By the places of the functions in the chain: none where nothing is changed.
    copies: Vec<Option<Value>>,
    wrappers: Vec<Value>,
    /// What tells the region's loops from all others of a program.
    key: u64,
    /// In the order of the plans.
    fused: Vec<Fused>,
    pub is_kept: bool,
}

/// Why there is no edit, and which plan is at fault: none where no plan could be carried out.
pub(super) struct Refused {
    pub plan: Option<usize>,
    pub reason: Reason,
}

impl<R: Into<Reason>> From<R> for Refused {
    fn from(reason: R) -> Refused {
        Refused { plan: None, reason: reason.into() }
    }
}

impl Edit {
    /// Carries out plans for some of a region's shared loops, of which there are so many.
    pub(super) fn make(
        setting: &Setting<'_>,
        module: &Module<'_>,
        region: &TargetRegion,
        plans: Vec<Plan>,
        loops: usize,
    ) -> Result<Edit, (Vec<Plan>, Refused)> {
        let chain = match Chain::find(setting.session, region.entry) {
            Ok(chain) if chain.loops.len() == loops => chain,
            Ok(_) => return Err((plans, "its shared loops were not found one by one".into())),
            Err(problem) => return Err((plans, problem.into())),
        };
        let key = fnv1a(region.symbol.as_bytes());
        let mut edit =
            Edit { plans, chain, copies: Vec::new(), wrappers: Vec::new(), key, fused: Vec::new(), is_kept: false };
        match edit.change(setting, module, region) {
            Ok(()) => Ok(edit),
            Err(refused) => Err((std::mem::take(&mut edit.plans), refused)),
        }
    }

    /// The numbers of the plans that are reported.
    pub(super) fn versions(&self) -> Vec<usize> {
        (0..self.plans.len()).filter(|&number| self.plans[number].is_version).collect()
    }

    /// Whether a plan leaves the loops where they are, and keeps places of arrays in registers.
    pub(super) fn is_promoted(&self, number: usize) -> bool {
        self.plans[number].choice.recipe.promoted_arrays().is_some()
    }

    /// For people.
    pub(super) fn reported(&self, number: usize, id: VersionId, state: VersionState) -> DeviceVersion {
        let Plan { choice, conditions, rests_on, .. } = &self.plans[number];
        // Where something stands between loops, a clause is an error, or changes what they compute.
        let has_clause = choice.has_clause && self.fused[number].form == Form::Perfect;
        DeviceVersion {
            guard: conditions.clone(),
            rests_on: rests_on.clone(),
            ..version(id, Choice { has_clause, ..choice.clone() }, state)
        }
    }

    /// What the kernel tests before it takes iterations in lockstep of a loop that stays as it was written. No version is chosen by it: words are enough.
    pub(super) fn lockstep_guard(&self) -> Vec<GuardCondition> {
        let takes_as_written = |plan: &&Plan| !plan.is_version && plan.coarse.is_some();
        let conditions = self.plans.iter().filter(takes_as_written).flat_map(|plan| &plan.conditions);
        conditions.map(|condition| GuardCondition { role: None, ..condition.clone() }).collect()
    }

    /// What the host has to know of it.
    pub(super) fn made(&self) -> Made {
        // The number that a launch hands on is of one loop.
        let [plan] = &self.plans[..] else { return Made { factors: Vec::new() } };
        if self.chain.loops.len() > 1 {
            return Made { factors: Vec::new() };
        }
        let factors = match plan.is_of_digits() {
            false => plan.factors(),
            // Where that is no product, the host does not know it either.
            true => plan.factors_of_digits().unwrap_or_else(|| vec![Sum::zero()]),
        };
        // What the kernel reads on the device, the host does not know: the runtime starts as many teams as for a loop of unknown count.
        let params = self.chain.functions[0].params().len();
        let is_read = factors.iter().flat_map(Sum::given).any(|given| given.param >= params);
        Made { factors: if is_read { vec![Sum::zero()] } else { factors } }
    }

    fn place(&self, number: usize) -> SharedPlace {
        self.chain.loops[self.plans[number].at]
    }

    /// The function that the kernel itself leads to on the way to a plan's loop.
    fn entry(&self, number: usize) -> usize {
        self.chain.path_to(self.place(number).function)[1]
    }

    /// The functions that the kernel itself leads to on the way to changed loops, and the plans for these.
    pub(super) fn entries(&self) -> Vec<(usize, Vec<usize>)> {
        let mut entries: Vec<(usize, Vec<usize>)> = Vec::new();
        for number in 0..self.plans.len() {
            let entry = self.entry(number);
            match entries.iter_mut().find(|(other, _)| *other == entry) {
                Some((_, plans)) => plans.push(number),
                None => entries.push((entry, vec![number])),
            }
        }
        entries
    }

    /// The copy of a function of the chain.
    pub(super) fn copy(&self, function: usize) -> Value {
        self.copies[function].expect("a function that leads to a changed loop")
    }

    /// All copies.
    pub(super) fn made_functions(&self) -> impl Iterator<Item = Value> {
        self.copies.iter().flatten().chain(&self.wrappers).copied()
    }

    /// What a copy is given for a plan.
    fn given_to(&self, function: Value, number: usize) -> Given {
        let plan = &self.plans[number];
        let entry = self.entry(number);
        let of_entry = (0..self.plans.len()).filter(|&other| self.entry(other) == entry);
        let counts: Vec<(usize, usize)> = of_entry.map(|other| (other, self.plans[other].count_given())).collect();
        let all: usize = counts.iter().map(|(_, count)| count).sum();
        let before: usize = counts.iter().take_while(|(other, _)| *other != number).map(|(_, count)| count).sum();
        let params = function.params();
        let given = &params[params.len() - all + before..][..plan.count_given()];
        let (choice, given) = given.split_at(usize::from(plan.is_guarded()));
        let (trips, others) = given.split_at(plan.trips.len());
        let (bases, reciprocals) = others.split_at(plan.tests.len());
        // Division by a constant is cheap, where it is seen as one.
        let known = |sum: &Sum, like: Value| Some(Value::int_of(like.ty(), sum.as_constant()?.to_u64()?));
        let trips = plan.trips.iter().zip(trips).map(|((at, sum), &given)| (*at, known(sum, given).unwrap_or(given)));
        Given {
            choice: choice.first().copied(),
            trips: trips.collect(),
            bases: bases.to_vec(),
            reciprocals: reciprocals.to_vec(),
        }
    }

    fn change(&mut self, setting: &Setting<'_>, module: &Module<'_>, region: &TargetRegion) -> Result<(), Refused> {
        let of = |number: usize| move |reason: Reason| Refused { plan: Some(number), reason };
        let all = 0..self.plans.len();
        if let Some(number) = all.clone().find(|&number| self.place(number).function == 0) {
            return Err(of(number)("its threads do not begin at the loop that they share".into()));
        }
        let wanted: Vec<usize> = all.clone().map(|number| self.place(number).function).collect();
        let entries = self.entries();
        let extra = |function: usize| {
            let entry = self.chain.path_to(function)[1];
            let plans = entries.iter().find(|(other, _)| *other == entry).map_or(&[][..], |(_, plans)| plans);
            plans.iter().map(|&number| self.plans[number].count_given()).sum()
        };
        (self.copies, self.wrappers) = self.chain.copy(&wanted, extra)?;
        for number in all.clone() {
            self.count_without_sign(number).map_err(of(number))?;
            self.multiply(number).map_err(of(number))?;
        }
        let mut bodies = wanted.clone();
        bodies.sort_unstable();
        bodies.dedup();
        for function in bodies {
            let body = self.copy(function);
            helpers::inline(body);
            setting.session.canonicalise(body);
            if helpers::keep_own_variables(body) {
                setting.session.canonicalise(body);
            }
        }
        for number in all.clone() {
            let SharedPlace { function, nth } = self.place(number);
            let (plan, body) = (&self.plans[number], self.copy(function));
            let Given { choice, trips, bases, .. } = self.given_to(body, number);
            let tests: Vec<_> = plan.tests.iter().zip(bases).collect();
            let loops = self.chain.loops.iter().filter(|place| place.function == function).count();
            let by = (&plan.mapping, plan.digits, plan.divides_by_sizes);
            let taken = self.taken(body, number);
            let choice = choice.filter(|_| plan.keeps_written());
            let fused = body::fuse(
                setting.session,
                body,
                (nth, loops),
                by,
                &trips,
                &tests,
                (&plan.moved, &plan.asked),
                choice,
                taken,
            );
            let fused = fused.map_err(of(number))?;
            self.fused.push(fused);
        }
        for number in all.filter(|&number| self.plans[number].reduces) {
            self.made_functions().for_each(combine::reorder);
            // Which team runs what, no clause says here; the loops as they were written are shared in the same way then.
            let plan = &self.plans[number];
            if plan.is_distributed
                && plan.assignment == Assignment::Default
                && let Some((_, init)) = self.over_teams(number)
            {
                combine::combine_once(init);
            }
        }
        facts::number(&self.fused);
        let objects = self.differs(setting, module, region).map_err(|(number, problem)| {
            let text = format!("the changed code is not as expected: {problem}");
            of(number)(ObstacleKind::Unexpected.reason(text))
        })?;
        facts::annotate(&self.plans, &self.fused, &objects);
        Ok(())
    }

    /// The loop that teams share around a plan's loop, and the copy that it is in.
    fn over_teams(&self, number: usize) -> Option<(Value, Worksharing)> {
        let path = self.chain.path_to(self.place(number).function);
        path.windows(2).rev().filter(|pair| pair[0] > 0).find_map(|pair| {
            let (around, inside) = (self.copy(pair[0]), self.copy(pair[1]));
            Some((around, chain::shared_by_teams(around, chain::call_between(around, inside)?)?))
        })
    }

    /// How many iterations of a plan's slowest loop a thread takes together, in a copy.
    fn taken(&self, function: Value, number: usize) -> Option<Taken> {
        let plan = &self.plans[number];
        let together = plan.coarse?;
        let of = (self.key.wrapping_add(number as u64), together.times);
        let first = function.first_instruction()?;
        let here = Code::before(first);
        let Given { choice, trips, .. } = self.given_to(function, number);
        let (own, others) = plan.taken_and_others(&here, together.of(&plan.mapping), &trips, first);
        let width = Width::ask(&here, of, own, others);
        let one_unless = |choice| here.select(holds(&here, choice), width, Value::int_of(width.ty(), 1));
        let width = choice.filter(|_| plan.is_right_unguarded).map_or(width, one_unless);
        Some(Taken { part: together.part, of, width })
    }

    /// Lets teams count their iterations as `limit` has it.
    fn count_without_sign(&self, number: usize) -> Result<(), Reason> {
        let plan = &self.plans[number];
        if !plan.is_distributed || counting(plan.number_bits, &plan.mapping, plan.digits) == Signedness::Signed {
            return Ok(());
        }
        let (_, init) = self.over_teams(number).ok_or("it has no loop over teams")?;
        Ok(chain::count_without_sign(&init)?)
    }

    /// Lets a plan's loop have the iterations of those that are fused with it.
    fn multiply(&self, number: usize) -> Result<(), Reason> {
        let plan = &self.plans[number];
        let has_tiles = !plan.mapping.keeps_loops_whole() || plan.is_of_digits();
        // Another order of the same iterations are no more of them.
        if plan.mapping.fused().all(|at| at < plan.digits) && !has_tiles && plan.coarse.is_none() {
            return Ok(());
        }
        let multiply = |function: Value, init: &Worksharing| {
            let first = function.first_instruction().ok_or("no code")?;
            let Given { choice, trips, .. } = self.given_to(function, number);
            let here = Code::before(first);
            if let (Some(taken), Some(together)) = (self.taken(function, number), plan.coarse) {
                let (own, others) = plan.taken_and_others(&here, together.of(&plan.mapping), &trips, first);
                let all = here.binary(Opcode::LLVMMul, taken.groups(&here, own), others);
                return chain::set_iterations(function, init, |here, count| match choice {
                    Some(choice) => here.select(holds(here, choice), all, count),
                    None => all,
                });
            }
            if has_tiles {
                let like = Value::int_of(integer(first, 64), 0);
                let numbers = Numbers { here: &here, mapping: &plan.mapping, trips: &trips };
                let of_loops = plan.mapping.fused().map(|at| numbers.of_threads(at, like));
                let of_loops = of_loops.collect::<Option<Vec<_>>>().ok_or("a loop has no count")?;
                let all = product(&here, &of_loops, first);
                return chain::set_iterations(function, init, |here, count| match choice {
                    Some(choice) => here.select(holds(here, choice), all, count),
                    None => all,
                });
            }
            let factors = trips.into_iter().filter(|(at, _)| *at >= plan.digits).map(|(_, trips)| trips);
            let factor = product(&here, &factors.collect::<Vec<_>>(), first);
            let factor = choice.map_or(factor, |choice| or_one(&here, choice, factor));
            chain::set_iterations(function, init, |here, count| here.binary(Opcode::LLVMMul, count, factor))
        };
        if plan.is_distributed {
            let (function, init) = self.over_teams(number).ok_or("it has no loop over teams")?;
            multiply(function, &init)?;
        }
        let SharedPlace { function, nth } = self.place(number);
        let body = self.copy(function);
        let call = chain::shared_by_threads(body).get(nth).copied().ok_or("it has no loop that threads share")?;
        let Ok(Call::StaticInit(init)) = openmp::decode(call) else {
            return Err("threads ask for its iterations while it runs".into());
        };
        // The host's code takes the lesser of what a thread is given and its own count.
        if !plan.is_distributed || init.schedule == Schedule::Static {
            multiply(body, &init)?;
        }
        Ok(())
    }

    /// What the kernel would do otherwise than expected if the guards held, and in which plan's loop; else where its accesses lead.
    fn differs(
        &self,
        setting: &Setting<'_>,
        module: &Module<'_>,
        region: &TargetRegion,
    ) -> Result<Objects, (usize, String)> {
        let _untouched = DeclarationGuard::new(module);
        let mut wrappers = Vec::new();
        let found = self.differs_with(setting, region, &mut wrappers);
        // The copy of the kernel, which used them, is gone.
        wrappers.into_iter().for_each(Value::erase_function);
        found
    }

    /// The same; the wrappers that the runtime needs for the kernel's copy are left to the caller.
    fn differs_with(
        &self,
        setting: &Setting<'_>,
        region: &TargetRegion,
        wrappers: &mut Vec<Value>,
    ) -> Result<Objects, (usize, String)> {
        let kernel = FunctionCopy::new(setting.session, region.entry);
        for (function, numbers) in self.entries() {
            let first = numbers[0];
            let Some(entry) = self.chain.entry_of(function, kernel.function()) else {
                return Err((first, "the kernel is not found".into()));
            };
            let here = Code::before(entry);
            let mut given = Vec::new();
            for plan in numbers.iter().map(|&number| &self.plans[number]) {
                let choice = plan.is_guarded().then(|| Value::int_of(integer(entry, 64), 1));
                let params = plan.params_and_reads(&here, &kernel.function().params(), entry, Reading::Unconditionally);
                given.extend(plan.given_before(&here, &params, entry, choice));
            }
            match chain::lead_to(entry, self.chain.functions[function], self.copy(function), &given) {
                Ok(wrapper) => wrappers.extend(wrapper),
                Err(problem) => return Err((first, problem)),
            }
        }
        let changed = TargetRegion {
            kind: region.kind,
            name: region.name.clone(),
            symbol: region.symbol.clone(),
            entry: kernel.function(),
            environment: region.environment,
            extents: region.extents,
        };
        let expected: Vec<_> = self.plans.iter().map(|plan| (plan.at, &plan.expected)).collect();
        check::differs(setting, &changed, &expected, self.chain.loops.len())
    }

    /// The shared loops as they were written.
    pub(super) fn written(&self, number: usize) -> &[Block] {
        &self.fused[number].written
    }

    /// The function of which one copy for each way of a guard is made after optimisation: none where several guards choose.
    pub(super) fn parted(&self) -> Option<(Value, usize)> {
        let [plan] = &self.plans[..] else { return None };
        if self.chain.loops.len() > 1 || !plan.keeps_written() {
            return None;
        }
        let path = self.chain.path_to(self.place(0).function);
        let behind_head = path.into_iter().find(|&at| self.chain.above(at) == Some(self.chain.head))?;
        let function = self.copy(behind_head);
        Some((function, function.params().len() - plan.count_given()))
    }

    /// What is done to copies that will run.
    pub(super) fn finish(&mut self) {
        if self.plans.iter().any(|plan| plan.reduces) {
            self.made_functions().for_each(combine::reorder_combiners);
        }
        for number in 0..self.plans.len() {
            self.multiply_by_reciprocals(number);
        }
    }

    /// Divides by sizes that the copies are given the reciprocals of: a thread has one iteration after the other, and the size is always the
    /// same.
    fn multiply_by_reciprocals(&mut self, number: usize) {
        let reciprocals = self.given_to(self.copy(self.place(number).function), number).reciprocals;
        let Plan { reciprocals: places, trips, .. } = &self.plans[number];
        for division in std::mem::take(&mut self.fused[number].divisions) {
            if let Some(at) = places.iter().position(|&at| trips[at].0 == division.by) {
                division.multiply(reciprocals[at]);
            }
        }
    }
}

/// What a copy is given for a plan, by its parameters.
struct Given {
    choice: Option<Value>,
    trips: Vec<(usize, Value)>,
    bases: Vec<Value>,
    reciprocals: Vec<Value>,
}

impl Drop for Edit {
    /// Also where the plugin failed halfway: code in between would be no code.
    fn drop(&mut self) {
        if !self.is_kept {
            self.made_functions().for_each(Value::erase_function);
        }
    }
}

impl Plan {
    /// How many more parameters the copies have than the originals.
    pub(super) fn count_given(&self) -> usize {
        usize::from(self.is_guarded()) + self.trips.len() + self.tests.len() + self.reciprocals.len()
    }

    /// The kernel's parameters, and behind them the numbers and pointers that it reads.
    pub(super) fn params_and_reads(&self, here: &Code, params: &[Value], like: Value, reading: Reading) -> Vec<Value> {
        let mut all = params.to_vec();
        let needed = self.reads_needed(params.len());
        for (Read { param, offset, bits, is_pointer, when }, is_needed) in self.reads.iter().zip(needed) {
            if !is_needed {
                all.push(Value::int_of(integer(like, 64), 0));
                continue;
            }
            let pointer = here.element(integer(like, 8), all[*param], *offset);
            let ty = integer(like, *bits);
            let value = match reading {
                Reading::WhereItIsThere if !when.is_empty() => {
                    let counts: Vec<Value> = when.iter().map(|count| count.compute(here, &all, like)).collect();
                    let types: Vec<Type> = counts.iter().map(|count| count.ty()).collect();
                    let function = read_if_positive(like, pointer.ty(), ty, &types);
                    here.call(function, &[vec![pointer], counts].concat())
                }
                _ => here.resize(here.load(ty, pointer), integer(like, 64), Signedness::Signed),
            };
            all.push(if *is_pointer { here.as_pointer(value, Type::generic_pointer(like)) } else { value });
        }
        all
    }

    /// Of each number that could be read, whether anything is computed of it.
    fn reads_needed(&self, params: usize) -> Vec<bool> {
        let mut needed = vec![false; self.reads.len()];
        let note = |needed: &mut Vec<bool>, sum: &Sum| {
            for at in sum.given().iter().filter_map(|given| given.param.checked_sub(params)) {
                needed[at] = true;
            }
        };
        let pointers = self.guard.iter().flat_map(Condition::pointers);
        pointers.filter_map(|param| param.checked_sub(params)).for_each(|at| needed[at] = true);
        let guard = self.guard.iter().flat_map(Condition::sums);
        let others = self.trips.iter().map(|(_, sum)| sum).chain(self.tests.iter().map(|test| &test.base));
        guard.chain(others).for_each(|sum| note(&mut needed, sum));
        // What says whether one may be read, and what leads to it, come before it.
        for at in (0..needed.len()).rev().collect::<Vec<_>>() {
            if needed[at] {
                self.reads[at].when.iter().for_each(|sum| note(&mut needed, sum));
                self.reads[at].param.checked_sub(params).into_iter().for_each(|before| needed[before] = true);
            }
        }
        needed
    }

    /// How many numbers there are of the loop of which iterations are taken together, or of its tiles, and of all others together.
    fn taken_and_others(&self, here: &Code, of: usize, trips: &[(usize, Value)], like: Value) -> (Value, Value) {
        let tile = self.mapping.tile(of);
        let mut own = Value::int_of(integer(like, 64), 1);
        let mut others = vec![Value::int_of(integer(like, 64), tile.into())];
        for &(at, trips) in trips {
            match at == of {
                true => own = tiles(here, trips, tile),
                false => {
                    let numbers = Numbers { here, mapping: &self.mapping, trips: &[(at, trips)] };
                    others.extend(numbers.of_threads(at, trips));
                }
            }
        }
        (own, product(here, &others, like))
    }

    /// By which numbers, multiplied, a launch has more iterations for its threads than the shared loop.
    fn factors(&self) -> Vec<Sum> {
        let is_inner = |(at, _): &&(usize, Sum)| *at >= self.digits && self.is_distributed;
        let with_idle =
            |(at, trips): &(usize, Sum)| trips.plus(self.mapping.tile(*at) - 1).unwrap_or_else(|| trips.clone());
        let mut factors: Vec<Sum> = self.trips.iter().filter(is_inner).map(with_idle).collect();
        // The shared loop's own idle numbers are those of so many iterations more, of the last of its digits.
        let last = self.digits - 1;
        let own = self.trips.iter().find(|(at, _)| *at == last).filter(|_| self.mapping.tile(last) > 1);
        if let (Some(first), Some((_, own))) = (factors.first_mut(), own)
            && let Some(more) = first.of_longer(own, self.mapping.tile(last) - 1)
        {
            *first = more;
        }
        factors
    }

    /// The same where threads run through digits by themselves; none where there is no such product.
    fn factors_of_digits(&self) -> Option<Vec<Sum>> {
        match self.is_distributed {
            true => factors_of_digits(&self.mapping, self.digits, &self.trips),
            false => Some(Vec::new()),
        }
    }

    fn is_of_digits(&self) -> bool {
        is_of_digits(&self.mapping, self.digits)
    }

    /// Whether the loops that make a thread's number stay what they are.
    pub(super) fn has_order_as_written(&self) -> bool {
        self.mapping.fused().eq(0..self.digits) && self.mapping.keeps_loops_whole()
    }

    /// Whether something must hold, which the kernel tests.
    pub(super) fn is_guarded(&self) -> bool {
        !self.guard.is_empty()
    }

    /// Whether the loops as they were written run, where that does not hold.
    pub(super) fn keeps_written(&self) -> bool {
        self.is_guarded() && !self.is_right_unguarded
    }

    /// What the copies are given beside what the originals are: the choice, which is not 0 where the guard holds, counts, the bases of tests, and
    /// reciprocals.
    pub(super) fn given_before(&self, here: &Code, params: &[Value], like: Value, choice: Option<Value>) -> Vec<Value> {
        let number = |sum: &Sum| sum.compute_low(here, params, like);
        let trips: Vec<Value> = self.trips.iter().map(|(_, trips)| number(trips)).collect();
        let reciprocal = |&at: &usize| {
            let of = tiles(here, trips[at], self.mapping.tile(self.trips[at].0));
            body::reciprocal(here, of, self.number_bits)
        };
        let reciprocals: Vec<Value> = self.reciprocals.iter().map(reciprocal).collect();
        let bases = self.tests.iter().map(|test| number(&test.base));
        choice.into_iter().chain(trips.iter().copied()).chain(bases).chain(reciprocals).collect()
    }
}

/// Whether a kernel may read what its loops may not come to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It runs.
    WhereItIsThere,
    /// Code that never runs, and is only looked at.
    Unconditionally,
}

/// A function that reads a number where a pointer leads to, if all of some numbers are positive; else it gives 0.
fn read_if_positive(like: Value, pointer: Type, ty: Type, conditions: &[Type]) -> Value {
    let types: Vec<Type> = std::iter::once(pointer).chain(conditions.iter().copied()).collect();
    let function = ipda_llvm::function(like, &types, ".read");
    let params = function.params();
    let [first, then, otherwise] = [0; 3].map(|_| append_block(function));
    let here = Code::at_end(first);
    let is_positive = |number: &Value| here.compare(LLVMIntPredicate::LLVMIntSGT, *number, constant(number.ty(), "0"));
    match params[1..].iter().map(is_positive).reduce(|all, one| here.binary(Opcode::LLVMAnd, all, one)) {
        Some(all) => here.branch_if(all, then, otherwise),
        None => here.branch(then),
    }
    let here = Code::at_end(then);
    here.return_value(here.resize(here.load(ty, params[0]), integer(function, 64), Signedness::Signed));
    Code::at_end(otherwise).return_value(Value::int_of(integer(function, 64), 0));
    function
}

/// A number where the choice is not 0, else 1.
fn or_one(here: &Code, choice: Value, number: Value) -> Value {
    here.select(holds(here, choice), number, Value::int_of(number.ty(), 1))
}

fn holds(here: &Code, choice: Value) -> Value {
    here.compare(LLVMIntPredicate::LLVMIntNE, choice, Value::int_of(choice.ty(), 0))
}

fn product(here: &Code, factors: &[Value], like: Value) -> Value {
    let one = Value::int_of(integer(like, 64), 1);
    factors.iter().fold(one, |product, &factor| here.binary(Opcode::LLVMMul, product, factor))
}
