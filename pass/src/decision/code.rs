//! Closed forms as code.
//!
//! A function `{host, device} (arguments, prepared, values)` computes a prediction: `arguments` is the structure that the launch is made with,
//! `prepared` are the numbers of the first stage, and the variables that the launch carries go to `values`. It reads the structure, the
//! arrays that it leads to and nothing else, has no branch, and calls at most `omp_get_max_threads`.

use crate::ir::{Opcode, Type, Value};
use crate::transform::build::{Code, append_block, double, integer, real};
use inkwell::module::Module;
use ipda_models::form::{Form, Leaf, Stage, Step};
use ipda_models::table::{Carried, Prediction, Reading};
use llvm_sys::LLVMRealPredicate::{LLVMRealOEQ, LLVMRealOGT, LLVMRealOLT, LLVMRealUNE};
use llvm_sys::core::*;
use std::collections::BTreeMap;
use std::ffi::CString;

/// Bytes from the start of the launch's structure to the pointer to the entries' values.
const BASE_POINTERS: u64 = 8;
/// From here on, every double is a whole number.
const ALL_WHOLE: f64 = (1_u64 << 52) as f64;
/// What tells the threads that a parallel construct would get.
const MAX_THREADS: &str = "omp_get_max_threads";

/// A step's value, where it has one at a launch.
#[derive(Clone, Copy)]
enum Made {
    Number(Value),
    Truth(Value),
    /// A step of the first stage that no launch needs.
    Nothing,
}

/// The function that computes a prediction, compiled like another one.
pub(crate) fn function(module: &Module<'_>, name: &str, prediction: &Prediction, like: Value) -> Value {
    let function = declare(module, name, like);
    let [arguments, prepared, values] = function.params()[..] else { return function };
    let code = Code::at_end(append_block(function));
    let writer = Writer { code: &code, function, form: &prediction.form };
    let entries = code.load(arguments.ty(), code.element(integer(function, 8), arguments, BASE_POINTERS));
    let mut captured = BTreeMap::new();
    for (number, carried) in (0..).zip(&prediction.captured) {
        let value = writer.carried(carried, entries);
        code.store(value, code.element(double(function), values, number));
        captured.insert(&carried.name[..], value);
    }
    let made = writer.steps(prepared, &captured);
    let result = |number: usize| {
        let place = prediction.form.results().get(number);
        place.map_or_else(|| real(function, f64::NAN), |place| writer.number(made[*place as usize]))
    };
    code.return_parts(&[result(0), result(1)]);
    function
}

/// An internal function that is called through a pointer.
fn declare(module: &Module<'_>, name: &str, like: Value) -> Value {
    const FUNCTION: u32 = u32::MAX;
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: the module and the function of it are alive.
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let pointer = LLVMPointerTypeInContext(context, 0);
        let mut times = [LLVMDoubleTypeInContext(context); 2];
        let times = LLVMStructTypeInContext(context, times.as_mut_ptr(), 2, 0);
        let ty = LLVMFunctionType(times, [pointer; 3].as_mut_ptr(), 3, 0);
        let function = LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty);
        LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
        let mut attributes = vec![std::ptr::null_mut(); LLVMGetAttributeCountAtIndex(like.raw(), FUNCTION) as usize];
        LLVMGetAttributesAtIndex(like.raw(), FUNCTION, attributes.as_mut_ptr());
        // The processor that it is for; what says that numbers may be computed in another way is left.
        for key in ["target-cpu", "target-features", "tune-cpu", "frame-pointer", "probe-stack"] {
            let text = |attribute: &_| {
                let mut length = 0;
                let kind = LLVMGetStringAttributeKind(*attribute, &mut length);
                std::slice::from_raw_parts(kind.cast::<u8>(), length as usize) == key.as_bytes()
            };
            let found = attributes.iter().find(|attribute| LLVMIsStringAttribute(**attribute) != 0 && text(attribute));
            if let Some(attribute) = found {
                LLVMAddAttributeAtIndex(function, FUNCTION, *attribute);
            }
        }
        // A step is an instruction, of which a scheduler and peepholes make little more for a third more of the compiler's work.
        for name in ["nounwind", "noinline", "optnone", "uwtable"] {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let own = LLVMGetEnumAttributeAtIndex(like.raw(), FUNCTION, kind);
            let attribute =
                if own.is_null() && name != "uwtable" { LLVMCreateEnumAttribute(context, kind, 0) } else { own };
            if !attribute.is_null() {
                LLVMAddAttributeAtIndex(function, FUNCTION, attribute);
            }
        }
        Value::from_raw(function)
    }
}

struct Writer<'a> {
    code: &'a Code,
    function: Value,
    form: &'a Form,
}

impl Writer<'_> {
    /// The number that an entry of the launch's arrays carries.
    fn carried(&self, carried: &Carried, entries: Value) -> Value {
        let (code, function) = (self.code, self.function);
        let word = integer(function, 64);
        let bits = code.load(word, code.element(word, entries, carried.entry.into()));
        let narrow = |width: u8| code.resize(bits, integer(function, width.into()), false);
        match carried.reading {
            Reading::Signed(width) => code.convert(Opcode::LLVMSIToFP, narrow(width), self.double()),
            Reading::Natural(width) => code.convert(Opcode::LLVMUIToFP, narrow(width), self.double()),
            Reading::Double => code.convert(Opcode::LLVMBitCast, bits, self.double()),
            Reading::Float => {
                // SAFETY: the function is alive.
                let float =
                    unsafe { Type::from_raw(LLVMFloatTypeInContext(LLVMGetTypeContext(LLVMTypeOf(function.raw())))) };
                code.convert(Opcode::LLVMFPExt, code.convert(Opcode::LLVMBitCast, narrow(32), float), self.double())
            }
        }
    }

    fn steps(&self, prepared: Value, captured: &BTreeMap<&str, Value>) -> Vec<Made> {
        let kept = self.form.prepared();
        let mut made: Vec<Made> = Vec::with_capacity(self.form.steps().len());
        for (at, (step, stage)) in self.form.steps().iter().zip(self.form.stages()).enumerate() {
            let value = match (step, stage) {
                (Step::Constant(bits), _) => Made::Number(real(self.function, f64::from_bits(*bits))),
                (_, Stage::Machine) => match kept.iter().position(|place| *place as usize == at) {
                    Some(number) => {
                        let at = self.code.element(self.double(), prepared, number as u64);
                        Made::Number(self.code.load(self.double(), at))
                    }
                    None => Made::Nothing,
                },
                (Step::Leaf(number), Stage::Launch) => Made::Number(match &self.form.leaves()[*number as usize] {
                    Leaf::HostThreads => self.host_threads(),
                    Leaf::Captured(name) => captured.get(&name[..]).copied().unwrap_or_else(|| self.none()),
                    Leaf::Machine(_) => self.none(),
                }),
                (step, Stage::Launch) => self.step(*step, |place| made[place as usize]),
            };
            made.push(value);
        }
        made
    }

    /// As `form` carries it out.
    fn step(&self, step: Step, of: impl Fn(u32) -> Made) -> Made {
        let code = self.code;
        let number = |place: u32| self.number(of(place));
        let truth = |place: u32| self.truth(of(place));
        let binary = |op, a, b| Made::Number(code.binary(op, number(a), number(b)));
        let compared = |predicate, a, b| code.compare_reals(predicate, number(a), number(b));
        match step {
            Step::Constant(_) | Step::Leaf(_) => Made::Nothing,
            Step::Add(a, b) => binary(Opcode::LLVMFAdd, a, b),
            Step::Subtract(a, b) => binary(Opcode::LLVMFSub, a, b),
            Step::Multiply(a, b) => binary(Opcode::LLVMFMul, a, b),
            Step::Divide(a, b) => binary(Opcode::LLVMFDiv, a, b),
            Step::Least(a, b) => Made::Number(code.select(compared(LLVMRealOLT, a, b), number(a), number(b))),
            Step::Most(a, b) => Made::Number(code.select(compared(LLVMRealOGT, a, b), number(a), number(b))),
            Step::Floor(a) => Made::Number(self.floor(number(a))),
            Step::Less(a, b) => Made::Truth(compared(LLVMRealOLT, a, b)),
            Step::Equal(a, b) => Made::Truth(compared(LLVMRealOEQ, a, b)),
            Step::Both(a, b) => Made::Truth(code.binary(Opcode::LLVMAnd, truth(a), truth(b))),
            Step::Either(a, b) => Made::Truth(code.binary(Opcode::LLVMOr, truth(a), truth(b))),
            Step::Not(a) => {
                Made::Truth(code.binary(Opcode::LLVMXor, truth(a), Value::int_of(integer(self.function, 1), 1)))
            }
            Step::Choose(a, b, c) => Made::Number(code.select(truth(a), number(b), number(c))),
        }
    }

    /// The largest whole number that is not above, without the instruction that not all processors have.
    fn floor(&self, x: Value) -> Value {
        let code = self.code;
        let real = |number: f64| real(self.function, number);
        let is_small = code.compare_reals(LLVMRealOLT, code.intrinsic("llvm.fabs", &[x]), real(ALL_WHOLE));
        let small = code.select(is_small, x, real(0.0));
        let towards_0 = code.convert(Opcode::LLVMFPToSI, small, integer(self.function, 64));
        let towards_0 = code.convert(Opcode::LLVMSIToFP, towards_0, self.double());
        let is_above = code.compare_reals(LLVMRealOGT, towards_0, small);
        let below = code.binary(Opcode::LLVMFSub, towards_0, code.select(is_above, real(1.0), real(0.0)));
        // What is whole stays as it is, with its sign.
        code.select(code.compare_reals(LLVMRealOEQ, towards_0, small), x, below)
    }

    fn host_threads(&self) -> Value {
        // SAFETY: the function and its module are alive.
        let callee = unsafe {
            let module = LLVMGetGlobalParent(self.function.raw());
            let name = CString::new(MAX_THREADS).unwrap_or_default();
            let known = LLVMGetNamedFunction(module, name.as_ptr());
            let ty = LLVMFunctionType(integer(self.function, 32).raw(), std::ptr::null_mut(), 0, 0);
            if !known.is_null() && LLVMGlobalGetValueType(known) != ty {
                // A program may have declared it in another way.
                return self.none();
            }
            Value::from_raw(if known.is_null() { LLVMAddFunction(module, name.as_ptr(), ty) } else { known })
        };
        self.code.convert(Opcode::LLVMSIToFP, self.code.call(callee, &[]), self.double())
    }

    fn number(&self, made: Made) -> Value {
        match made {
            Made::Number(value) => value,
            Made::Truth(value) => self.code.select(value, real(self.function, 1.0), real(self.function, 0.0)),
            Made::Nothing => self.none(),
        }
    }

    fn truth(&self, made: Made) -> Value {
        match made {
            Made::Truth(value) => value,
            made => self.code.compare_reals(LLVMRealUNE, self.number(made), real(self.function, 0.0)),
        }
    }

    fn double(&self) -> Type {
        double(self.function)
    }

    /// No number.
    fn none(&self) -> Value {
        real(self.function, f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::OptimizationLevel;
    use inkwell::context::Context;
    use inkwell::targets::{InitializationConfig, Target};
    use ipda_models::form::{Num, record};
    use proptest::prelude::*;

    const THREADS: f64 = 7.0;
    const MACHINE: f64 = 2.75;

    /// What a call through a pointer gives back, as C has it.
    #[repr(C)]
    #[derive(Debug)]
    struct Times {
        host: f64,
        device: f64,
    }

    type Predict = unsafe extern "C" fn(*const u64, *const f64, *mut f64) -> Times;

    /// What the code gives for a launch with these entries, and the variables that it read.
    fn run(prediction: &Prediction, entries: &[u64]) -> ([f64; 2], Vec<f64>) {
        Target::initialize_native(&InitializationConfig::default()).expect("this machine's target");
        let context = Context::create();
        let module = context.create_module("test");
        let (int, void) = (context.i32_type(), context.void_type());
        let like = module.add_function("like", void.fn_type(&[], false), None);
        let threads = module.add_function(MAX_THREADS, int.fn_type(&[], false), None);
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(threads, ""));
        builder.build_return(Some(&int.const_int(THREADS as u64, false))).expect("a function that returns a number");
        function(&module, "predict", prediction, Value::of(&like));
        module.verify().expect("code that LLVM takes");
        let engine = module.create_jit_execution_engine(OptimizationLevel::None).expect("this machine's target");
        let address = engine.get_function_address("predict").expect("it was made");
        let prepared = prediction.prepared(|_| Some(MACHINE)).expect("all of the machine is known");
        let mut values = vec![0.0; prediction.captured.len()];
        let arguments = [0, entries.as_ptr() as u64];
        // SAFETY: the function was compiled with these types, and reads what is there.
        let times = unsafe {
            let predict = std::mem::transmute::<usize, Predict>(address);
            predict(arguments.as_ptr(), prepared.as_ptr(), values.as_mut_ptr())
        };
        ([times.host, times.device], values)
    }

    /// A number made by a random program of so many steps.
    fn program(choices: &[(u8, u8, u8)], leaves: Vec<Num>) -> [Num; 2] {
        let numbers = [0.0, 1.0, 2.5, -0.75, 1e300, 1e-310, ALL_WHOLE + 1.0];
        let mut all: Vec<Num> = leaves.into_iter().chain(numbers.map(Num::new)).collect();
        for (kind, a, b) in choices {
            let of = |at: &u8| all[usize::from(*at) % all.len()];
            let (a, b) = (of(a), of(b));
            all.push(match kind % 12 {
                0 => a + b,
                1 => a - b,
                2 => a * b,
                3 | 4 => a / b,
                5 => a.min(b),
                6 => a.max(b),
                7 => a.floor(),
                8 => a.ceil(),
                9 => a.less(b).choose(b, a),
                10 => (a.at_most(b)).and(!a.is(b)).number(),
                _ => a.is(0.0).or(b.more(a)).choose(a, 1.0),
            });
        }
        [all[all.len() - 1], all[all.len() - 2]]
    }

    fn bits(number: f64) -> u64 {
        if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
    }

    fn entry() -> impl Strategy<Value = u64> {
        let reals = prop_oneof![-1e6..1e6, any::<f64>(), Just(-0.0), Just(f64::INFINITY), Just(-0.5)];
        let floats = any::<f32>().prop_map(|number| number.to_bits().into());
        prop_oneof![0_u64..100, Just(u64::MAX), any::<u64>(), reals.prop_map(f64::to_bits), floats]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn code_computes_what_the_form_says(
            choices in prop::collection::vec(any::<(u8, u8, u8)>(), 2..40),
            entries in prop::array::uniform5(entry()),
        ) {
            let readings =
                [Reading::Signed(32), Reading::Double, Reading::Float, Reading::Natural(64), Reading::Signed(64)];
            let named = |number: usize| format!("v{number}");
            let (form, ()) = record(|| {
                let captured = (0..readings.len()).map(|number| Leaf::Captured(named(number)));
                let leaves = captured.chain([Leaf::HostThreads, Leaf::Machine("m".into())]);
                Ok::<_, ()>((program(&choices, leaves.map(Num::leaf).collect()).to_vec(), ()))
            })
            .expect("nothing fails");
            let is_used = |number: &usize| form.leaves().contains(&Leaf::Captured(named(*number)));
            let mut captured: Vec<Carried> = (0..readings.len())
                .filter(is_used)
                .map(|number| Carried { name: named(number), entry: number as u32, reading: readings[number] })
                .collect();
            let order = |carried: &Carried| form.leaves().iter().position(|leaf| leaf.to_string() == carried.name);
            captured.sort_by_key(order);
            let prediction = Prediction { form, captured, notes: Vec::new() };
            let expected = prediction.evaluate(|_| Some(MACHINE), &entries, THREADS);
            let (found, values) = run(&prediction, &entries);
            prop_assert_eq!(found.map(bits).to_vec(), expected.into_iter().map(bits).collect::<Vec<_>>(), "{}", prediction.form);
            let read = prediction.captured.iter().map(|carried| carried.reading.number(entries[carried.entry as usize]));
            prop_assert_eq!(values.into_iter().map(bits).collect::<Vec<_>>(), read.map(bits).collect::<Vec<_>>());
        }
    }

    #[test]
    fn floors_are_those_of_the_form() {
        let (form, ()) = record(|| Ok::<_, ()>((vec![Num::leaf(Leaf::Captured("x".into())).floor(), Num::ZERO], ())))
            .expect("nothing fails");
        let captured = vec![Carried { name: "x".into(), entry: 0, reading: Reading::Double }];
        let prediction = Prediction { form, captured, notes: Vec::new() };
        let near =
            [0.0, 0.5, 1.0 - f64::EPSILON, 1.0, 1.5, ALL_WHOLE - 0.5, ALL_WHOLE, 2.0 * ALL_WHOLE + 2.0, 9.3e18, 1e300];
        for x in near.into_iter().flat_map(|x| [x, -x]).chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324]) {
            let (found, _) = run(&prediction, &[x.to_bits()]);
            assert_eq!(bits(found[0]), bits(x.floor()), "the floor of {x}");
        }
    }
}
