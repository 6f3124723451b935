//! The host's launches: of regions that may run on the host as well, of kernels whose loops the device side has fused, and of those that never write
//! what they map.
//!
//! A launch of the first kind goes through a function that decides and, for the host, fails, whereupon its caller runs the host's version.
//!
//! A launch of the second kind carries out a plan: steps, for each of which it sets fields of the launch's structure, calls the runtime, and puts
//! the fields back. clang tells the runtime how many iterations the loop has that was written, and from that the runtime chooses how many teams and
//! threads it starts; a step multiplies the count as the kernel will. Where the count stays as it was, that costs speed alone: the kernel's loops go
//! round in chunks, and are right for any number of teams and threads. (The device side changes nothing where the compiler was told to rely on more.)

use crate::analysis::maps;
use crate::decision::read_only::{Private, ReadOnly};
use crate::decision::{Choice, Offered, Support};
use crate::facts::{self, DeviceImage, LaunchStep};
use crate::openmp::{Launch, map_type};
use crate::transform::Sum;
use inkwell::module::Module;
use ipda_llvm::{Code, DataLayout, Value, append_block, constant, integer};
use ipda_symbolic::Signedness;
use llvm_sys::LLVMIntPredicate::{LLVMIntNE, LLVMIntSGE, LLVMIntSGT};
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMMul};
use std::collections::BTreeMap;

/// Marks a module whose launches were looked at, for a plugin that runs twice.
const MARK: &str = "ipda.launches";

/// The layout of `KernelArgsTy`, version 3, with pointers of 8 bytes.
mod field {
    pub(super) const VERSION: i64 = 0;
    pub(super) const TYPES: i64 = 5;
    pub(super) const TRIP_COUNT: i64 = 8;
    pub(super) const KNOWN_VERSION: i64 = 3;
    pub(super) const BASE_POINTERS_OFFSET: u64 = 8;
    pub(super) const TRIP_COUNT_OFFSET: u64 = 56;
}

/// Lets all launches of changed kernels carry out their plans, those of regions that may run on the host decide where, and those of kernels that never
/// write what they map leave it on the device. Whether there was any.
pub(crate) fn edit(
    module: &Module<'_>,
    images: &[DeviceImage],
    offers: &BTreeMap<String, Offered>,
    read_only: &BTreeMap<String, ReadOnly>,
) -> bool {
    let Some(runtime) = module.get_function("__tgt_target_kernel") else { return false };
    if module.get_global_metadata_size(MARK) > 0 || !DataLayout::of(module).is_little_endian_with_64_bits() {
        return false;
    }
    let runtime = Value::of(&runtime);
    let mut launches = Launches {
        module,
        runtime,
        images,
        offers,
        read_only,
        support: None,
        choices: BTreeMap::new(),
        privates: BTreeMap::new(),
        functions: BTreeMap::new(),
    };
    // Uses come last first.
    for call in runtime.users().into_iter().rev().filter(|user| user.is_call()) {
        launches.redirect(call);
    }
    let has_any = !launches.functions.is_empty();
    if has_any {
        let _ = module.add_global_metadata(MARK, &module.get_context().metadata_node(&[]));
    }
    has_any
}

/// The launches of a module, and what stands for the runtime in them.
struct Launches<'a, 'ctx> {
    module: &'a Module<'ctx>,
    runtime: Value,
    images: &'a [DeviceImage],
    offers: &'a BTreeMap<String, Offered>,
    read_only: &'a BTreeMap<String, ReadOnly>,
    /// From the first one that needs it on; none in it where there can be none.
    support: Option<Option<Support>>,
    /// By kernels.
    choices: BTreeMap<String, Choice<'a>>,
    /// By kernels.
    privates: BTreeMap<String, Private<'a>>,
    /// By kernels: their launches need not all carry what a plan needs in the same way.
    functions: BTreeMap<String, Vec<(Option<Plan<'a>>, Value)>>,
}

impl<'a> Launches<'a, '_> {
    /// Lets a call of the runtime go through a function of its kernel's, where there is something to decide or a plan.
    fn redirect(&mut self, call: Value) {
        let launch = Launch::decode(call).filter(|launch| has_known_version(*launch));
        let Some((launch, kernel)) = launch.and_then(|launch| Some((launch, launch.kernel()?))) else { return };
        let plan = Plan::of(launch, facts::common_plan(self.images, &kernel));
        let choice = self.choice(&kernel);
        let private = self.private(&kernel);
        if plan.is_none() && choice.is_none() && private.is_none() {
            return;
        }
        let known = self.functions.get(&kernel).and_then(|made| made.iter().find(|(other, _)| *other == plan));
        let function = match known {
            Some((_, function)) => *function,
            None => {
                let function = self.function(&kernel, call.block().function(), (plan.as_ref(), choice, private));
                self.functions.entry(kernel).or_default().push((plan, function));
                function
            }
        };
        call.set_operand(call.operand_count() - 1, function);
    }

    fn choice(&mut self, kernel: &str) -> Option<Choice<'a>> {
        let offered = self.offers.get(kernel)?;
        let support = self.support()?;
        let new = || Choice::new(self.module, support, kernel, offered);
        Some(*self.choices.entry(kernel.to_owned()).or_insert_with(new))
    }

    fn private(&mut self, kernel: &str) -> Option<Private<'a>> {
        let read_only = self.read_only.get(kernel)?;
        let support = self.support()?;
        let put = || read_only.put(self.module, support, kernel);
        Some(*self.privates.entry(kernel.to_owned()).or_insert_with(put))
    }

    fn support(&mut self) -> Option<Support> {
        *self.support.get_or_insert_with(|| Support::link(self.module).ok())
    }

    /// The function that stands for the runtime: decides, if there is a choice, and launches by a plan, if there is one, with other map types where
    /// something need not be copied back.
    fn function(
        &self,
        kernel: &str,
        caller: Value,
        (plan, choice, private): (Option<&Plan<'_>>, Option<Choice<'_>>, Option<Private<'_>>),
    ) -> Value {
        let runtime = self.runtime;
        let function = runtime.function_in_its_place(caller, &format!("__ipda_launch_{kernel}"));
        let launch = |here: Code, params: &[Value]| {
            let is_single = plan.is_none_or(|Plan(steps)| steps.len() == 1);
            let types = private.map(|private| private.choose(&here, params, is_single));
            let (result, here) = match plan {
                Some(plan) => plan.emit(runtime, here, params),
                None => (here.call(runtime, params), here),
            };
            // The caller may launch with the same structure again.
            if let Some((at, before)) = types {
                here.store(before, at);
            }
            (result, here)
        };
        match choice {
            Some(choice) => choice.write(function, launch),
            None => {
                let (result, here) = launch(Code::at_end(append_block(function)), &function.params());
                here.return_value(result);
            }
        }
        function
    }
}

fn has_known_version(launch: Launch) -> bool {
    let is_version = |version: &Value| version.as_int() == Some(field::KNOWN_VERSION);
    let versions = launch.fillers(field::VERSION);
    !versions.is_empty() && versions.iter().all(is_version)
}

/// What a launch does in place of a single call of the runtime: its steps, one after the other.
#[derive(PartialEq)]
struct Plan<'a>(Vec<Step<'a>>);

/// A call of the runtime while fields of the launch's structure are changed.
#[derive(PartialEq)]
struct Step<'a>(Vec<Field<'a>>);

/// A number of 64 bits in the launch's structure that a step multiplies.
#[derive(PartialEq)]
struct Field<'a> {
    /// Bytes from the start of the structure.
    offset: u64,
    factors: &'a [Sum],
    literals: Literals,
}

/// For each of the kernel's parameters, up to the last one that factors need, at which place of the launch's arrays it lies, if it is needed.
type Literals = Vec<Option<u64>>;

impl<'a> Plan<'a> {
    /// None where the launch stays as it is: one call with nothing changed, or it does not carry what a step needs.
    fn of(launch: Launch, steps: &'a [LaunchStep]) -> Option<Plan<'a>> {
        let steps: Vec<Step<'a>> = steps.iter().map(|step| Step::of(launch, step)).collect::<Option<_>>()?;
        let is_changed = steps.len() > 1 || steps.iter().any(|Step(fields)| !fields.is_empty());
        is_changed.then_some(Plan(steps))
    }

    /// Calls the runtime for each step; none runs behind one whose call fails, which the plan then does as well. Where it goes on.
    fn emit(&self, runtime: Value, mut here: Code, params: &[Value]) -> (Value, Code) {
        let Plan(steps) = self;
        let (first, others) = steps.split_first().expect("a plan has a step");
        let mut result = first.emit(runtime, &here, params);
        for step in others {
            let (ty, before) = (result.ty(), result.block());
            let [next, behind] = [(); 2].map(|()| append_block(before.function()));
            here.branch_if(here.compare(LLVMIntNE, result, constant(ty, "0")), behind, next);
            here = Code::at_end(next);
            let last = step.emit(runtime, &here, params);
            here.branch(behind);
            here = Code::at_end(behind);
            result = here.phi(ty, &[(result, before), (last, next)]);
        }
        (result, here)
    }
}

impl<'a> Step<'a> {
    /// None where the launch does not carry what it needs.
    fn of(launch: Launch, step: &'a LaunchStep) -> Option<Step<'a>> {
        let trip_count = match &step.iterations[..] {
            [] => None,
            factors => Some(Field::trip_count(launch, factors)?),
        };
        Some(Step(trip_count.into_iter().collect()))
    }

    fn emit(&self, runtime: Value, here: &Code, params: &[Value]) -> Value {
        let Step(fields) = self;
        let arguments = params[params.len() - 1];
        let before: Vec<(Value, Value)> = fields.iter().map(|field| field.multiply(here, arguments)).collect();
        let result = here.call(runtime, params);
        // The caller may launch with the same structure again.
        before.into_iter().rev().for_each(|(at, number)| _ = here.store(number, at));
        result
    }
}

impl<'a> Field<'a> {
    fn trip_count(launch: Launch, factors: &'a [Sum]) -> Option<Field<'a>> {
        // A count of 0 says that clang knew none, and the runtime chooses.
        if launch.fillers(field::TRIP_COUNT).iter().all(|count| count.is_null()) {
            return None;
        }
        Some(Field { offset: field::TRIP_COUNT_OFFSET, factors, literals: literals(launch, factors)? })
    }

    /// Where the number is, and what it was.
    fn multiply(&self, here: &Code, arguments: Value) -> (Value, Value) {
        let [byte, word] = [8, 64].map(|bits| integer(arguments, bits));
        let given = self.given(here, arguments);
        let at = here.element(byte, arguments, self.offset);
        let number = here.load(word, at);
        here.store(self.product(here, number, &given), at);
        (at, number)
    }

    /// The kernel's parameters that factors need; others are 0.
    fn given(&self, here: &Code, arguments: Value) -> Vec<Value> {
        let [byte, word] = [8, 64].map(|bits| integer(arguments, bits));
        let pointer = arguments.ty();
        let base_pointers = here.load(pointer, here.element(byte, arguments, field::BASE_POINTERS_OFFSET));
        let literal = |place: &Option<u64>| match place {
            Some(index) => here.load(word, here.element(pointer, base_pointers, *index)),
            None => constant(word, "0"),
        };
        self.literals.iter().map(literal).collect()
    }

    /// A number multiplied by all factors; 0 where one is. One that has no 64 bits is of no use to anybody: then it stays as it was.
    fn product(&self, here: &Code, number: Value, given: &[Value]) -> Value {
        let [word, wide] = [64, 128].map(|bits| integer(number, bits));
        // The runtime takes 0 for a count that nobody knows.
        if self.factors.iter().filter_map(Sum::as_constant).any(|factor| factor.is_zero()) {
            return constant(word, "0");
        }
        let all = |so_far: Value, more: Value| here.binary(LLVMAnd, so_far, more);
        let fits = |number: Value| here.compare(LLVMIntSGE, constant(number.ty(), &i64::MAX.to_string()), number);
        let mut is_valid = here.compare(LLVMIntSGE, number, constant(word, "0"));
        let mut product = number;
        for factor in self.factors {
            let factor = factor.compute(here, given, number);
            let is_positive = here.compare(LLVMIntSGT, factor, constant(factor.ty(), "0"));
            is_valid = all(all(is_valid, is_positive), fits(factor));
            let [a, b] = [product, here.resize(factor, word, Signedness::Unsigned)]
                .map(|number| here.resize(number, wide, Signedness::Unsigned));
            let exact = here.binary(LLVMMul, a, b);
            is_valid = all(is_valid, fits(exact));
            product = here.resize(exact, word, Signedness::Unsigned);
        }
        here.select(is_valid, product, number)
    }
}

/// Where the launch's arrays hold what factors need; none where they do not.
fn literals(launch: Launch, factors: &[Sum]) -> Option<Literals> {
    let [types] = launch.fillers(field::TYPES)[..] else { return None };
    let types = maps::base(types);
    if !types.is_constant_global() {
        return None;
    }
    let types = types.initializer()?;
    let type_at = |index: u64| types.aggregate_element(u32::try_from(index).ok()?)?.as_int().map(|flags| flags as u64);
    let is_needed = |param: usize| factors.iter().flat_map(Sum::given).any(|given| given.param == param);
    let last = factors.iter().flat_map(Sum::given).map(|given| given.param).max().unwrap_or(0);
    // The host's addresses are not the device's.
    if factors.iter().flat_map(Sum::given).any(|given| given.is_pointer) || is_needed(0) {
        return None;
    }
    // The runtime's own parameter comes first.
    let mut literals = vec![None];
    let mut index = 0;
    while literals.len() <= last {
        let flags = type_at(index)?;
        if flags & map_type::TARGET_PARAMETER != 0 {
            let is_literal = flags & map_type::LITERAL != 0;
            let needed = is_needed(literals.len());
            if needed && !is_literal {
                return None;
            }
            literals.push(needed.then_some(index));
        }
        index += 1;
    }
    Some(literals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::context::Context;

    /// Calls, stores and loads of the function that carries out a plan, by the words that tell them apart.
    fn steps_of(plan: &Plan<'_>) -> Vec<String> {
        let context = Context::create();
        let module = context.create_module("test");
        let (word, number, pointer) = (context.i32_type(), context.i64_type(), context.ptr_type(Default::default()));
        let params = [pointer.into(), number.into(), word.into(), word.into(), pointer.into(), pointer.into()];
        let runtime = Value::of(&module.add_function("launch", word.fn_type(&params, false), None));
        let function = runtime.function_in_its_place(runtime, "planned");
        let (result, here) = plan.emit(runtime, Code::at_end(append_block(function)), &function.params());
        here.return_value(result);
        assert_eq!(module.verify(), Ok(()));
        let text = module.print_to_string().to_string();
        let tells = |line: &&str| ["call ", "store ", "br ", "ret "].iter().any(|word| line.contains(word));
        text.lines().filter(tells).map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn steps_change_the_structure_one_behind_the_other_and_put_it_back() {
        let [twice, thrice]: [Vec<Sum>; 2] = ["2", "3"].map(|factor| vec![factor.parse().expect("a sum")]);
        let field = |offset, factors| Field { offset, factors, literals: vec![None] };
        let one = Step(vec![field(56, &twice)]);
        let call = "call i32 @launch(ptr %0, i64 %1, i32 %2, i32 %3, ptr %4, ptr %5)";
        let found = steps_of(&Plan(vec![one]));
        let expect = |found: &[String], words: &[&str]| {
            assert_eq!(found.len(), words.len(), "{found:#?}");
            assert!(found.iter().zip(words).all(|(line, word)| line.contains(word)), "{found:#?}");
        };
        expect(&found, &["store i64 %", call, "store i64 %", "ret i32 %"]);
        let two = Plan(vec![Step(vec![field(56, &twice), field(64, &thrice)]), Step(Vec::new())]);
        let found = steps_of(&two);
        let store = "store i64 %";
        // The second call only where the first one gave 0.
        expect(&found, &[store, store, call, store, store, "br i1 %", call, "br label %", "ret i32 %"]);
        // What was changed last is put back first.
        let at = |line: &str| line.rsplit_once("ptr ").map(|(_, at)| at.to_owned());
        assert_eq!((at(&found[0]), at(&found[1])), (at(&found[4]), at(&found[3])));
    }
}
