//! Closed forms as code.
//!
//! A function `{host, device} (arguments, prepared, values, scratch, threads)` computes a prediction: `arguments` is the structure that the
//! launch is made with, `prepared` are the numbers of the first stage, the variables that the launch carries go to `values`, `scratch` are
//! so many words as it may write to, and `threads` is how many the host's version gets. It reads the structure and the arrays that it leads to,
//! has no branch, and calls nothing.

use super::x86;
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
pub(super) const BASE_POINTERS: u64 = 8;
/// The same to the pointer to their sizes.
pub(super) const SIZES: u64 = 24;
/// From here on, every double is a whole number.
pub(super) const ALL_WHOLE: f64 = (1_u64 << 52) as f64;
/// Words of scratch memory that `support.ll` gives to a prediction.
pub(super) const SCRATCH: u64 = 64;
/// The place of a function's attributes.
const FUNCTION: u32 = u32::MAX;

/// A step's value, where it has one at a launch.
#[derive(Clone, Copy)]
enum Made {
    Number(Value),
    Truth(Value),
    /// A step of the first stage that no launch needs.
    Nothing,
}

/// The function that computes a prediction, compiled for what another one is compiled for.
pub(crate) fn function(module: &Module<'_>, name: &str, prediction: &Prediction, like: Value) -> Value {
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    match x86::is_for(&triple).then(|| x86::machine_code(prediction)).flatten() {
        Some(bytes) => encoded(module, name, &bytes, like),
        None => compiled(module, name, prediction, like),
    }
}

/// As machine code that is made here.
fn encoded(module: &Module<'_>, name: &str, bytes: &[u8], like: Value) -> Value {
    let function = declare(module, name, like, &["nounwind", "noinline", "naked", "uwtable"], &TARGET);
    // Each byte by its three octal digits, which no reader of assembly code takes for something else.
    let mut text = String::with_capacity(4 * bytes.len() + 16);
    text.push_str(".ascii \"");
    for byte in bytes {
        text.push('\\');
        text.extend([byte >> 6, byte >> 3 & 7, byte & 7].map(|digit| char::from(b'0' + digit)));
    }
    text.push('"');
    Code::at_end(append_block(function)).return_by_assembly(&text);
    function
}

/// As code for LLVM to compile.
fn compiled(module: &Module<'_>, name: &str, prediction: &Prediction, like: Value) -> Value {
    // A step is an instruction, of which a scheduler and peepholes make little more for a third more of the compiler's work.
    let kept = [&TARGET[..], &["frame-pointer", "probe-stack"]].concat();
    let function = declare(module, name, like, &["nounwind", "noinline", "optnone", "uwtable"], &kept);
    let [arguments, prepared, values, _, threads] = function.params()[..] else { return function };
    let code = Code::at_end(append_block(function));
    let writer = Writer { code: &code, function, threads, form: &prediction.form };
    let array = |at: u64| code.load(arguments.ty(), code.element(integer(function, 8), arguments, at));
    let entries = array(BASE_POINTERS);
    let has_sizes = prediction.captured.iter().any(|carried| carried.reading == Reading::Size);
    let sizes = if has_sizes { array(SIZES) } else { entries };
    let mut captured = BTreeMap::new();
    for (number, carried) in (0..).zip(&prediction.captured) {
        let value = writer.carried(carried, if carried.reading == Reading::Size { sizes } else { entries });
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

/// Attributes of the processor that it is for; what says that numbers may be computed in another way is left.
const TARGET: [&str; 3] = ["target-cpu", "target-features", "tune-cpu"];

/// An internal function that is called through a pointer, with some attributes: of those that another one has too, `uwtable` is as there.
fn declare(module: &Module<'_>, name: &str, like: Value, enums: &[&str], texts: &[&str]) -> Value {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: the module and the function of it are alive.
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let pointer = LLVMPointerTypeInContext(context, 0);
        let number = LLVMDoubleTypeInContext(context);
        let times = LLVMStructTypeInContext(context, [number; 2].as_mut_ptr(), 2, 0);
        let mut params = [pointer, pointer, pointer, pointer, number];
        let ty = LLVMFunctionType(times, params.as_mut_ptr(), params.len() as u32, 0);
        let function = LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty);
        LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
        for key in texts {
            let found = LLVMGetStringAttributeAtIndex(like.raw(), FUNCTION, key.as_ptr().cast(), key.len() as u32);
            if !found.is_null() {
                LLVMAddAttributeAtIndex(function, FUNCTION, found);
            }
        }
        for &name in enums {
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
    threads: Value,
    form: &'a Form,
}

impl Writer<'_> {
    /// The number that an entry of one of the launch's arrays carries.
    fn carried(&self, carried: &Carried, array: Value) -> Value {
        let (code, function) = (self.code, self.function);
        let word = integer(function, 64);
        let bits = code.load(word, code.element(word, array, carried.entry.into()));
        let narrow = |width: u8| code.resize(bits, integer(function, width.into()), false);
        match carried.reading {
            Reading::Signed(width) => code.convert(Opcode::LLVMSIToFP, narrow(width), self.double()),
            Reading::Natural(width) => code.convert(Opcode::LLVMUIToFP, narrow(width), self.double()),
            Reading::Double => code.convert(Opcode::LLVMBitCast, bits, self.double()),
            Reading::Size => code.convert(Opcode::LLVMSIToFP, bits, self.double()),
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
                    Leaf::HostThreads => self.threads,
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

    type Predict = unsafe extern "C" fn(*const u64, *const f64, *mut f64, *mut u64, f64) -> Times;

    /// Who makes the code.
    const MAKERS: [fn(&Module<'_>, &Prediction, Value); 2] = [
        |module, prediction, like| _ = compiled(module, "predict", prediction, like),
        |module, prediction, like| {
            let bytes = x86::machine_code(prediction).expect("few values are needed at a time");
            encoded(module, "predict", &bytes, like);
        },
    ];

    /// Of `MAKERS` those that make code for this machine.
    fn makers() -> usize {
        if cfg!(all(target_arch = "x86_64", target_os = "linux")) { MAKERS.len() } else { 1 }
    }

    /// What the code gives for a launch with these entries and sizes, and the variables that it read.
    fn run(maker: usize, prediction: &Prediction, entries: &[u64], sizes: &[u64]) -> ([f64; 2], Vec<f64>) {
        Target::initialize_native(&InitializationConfig::default()).expect("this machine's target");
        let context = Context::create();
        let module = context.create_module("test");
        let like = module.add_function("like", context.void_type().fn_type(&[], false), None);
        MAKERS[maker](&module, prediction, Value::of(&like));
        module.verify().expect("code that LLVM takes");
        let engine = module.create_jit_execution_engine(OptimizationLevel::None).expect("this machine's target");
        let address = engine.get_function_address("predict").expect("it was made");
        let prepared = prediction.prepared(|_| Some(MACHINE)).expect("all of the machine is known");
        let mut values = vec![0.0; prediction.captured.len()];
        let arguments = [0, entries.as_ptr() as u64, 0, sizes.as_ptr() as u64];
        let mut scratch = [0; SCRATCH as usize];
        // SAFETY: the function was compiled with these types, and reads what is there.
        let times = unsafe {
            let predict = std::mem::transmute::<usize, Predict>(address);
            predict(arguments.as_ptr(), prepared.as_ptr(), values.as_mut_ptr(), scratch.as_mut_ptr(), THREADS)
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
            choices in prop::collection::vec(any::<(u8, u8, u8)>(), 2..120),
            entries in prop::array::uniform7(entry()),
            sizes in prop::array::uniform7(entry()),
        ) {
            let readings = [
                Reading::Signed(32),
                Reading::Size,
                Reading::Double,
                Reading::Float,
                Reading::Natural(64),
                Reading::Size,
                Reading::Signed(64),
            ];
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
            let expected = prediction.evaluate(|_| Some(MACHINE), &entries, &sizes, THREADS);
            let expected: Vec<u64> = expected.into_iter().map(bits).collect();
            let read = |carried: &Carried| {
                let from = if carried.reading == Reading::Size { sizes } else { entries };
                bits(carried.reading.number(from[carried.entry as usize]))
            };
            let read: Vec<u64> = prediction.captured.iter().map(read).collect();
            for maker in 0..makers() {
                let (found, values) = run(maker, &prediction, &entries, &sizes);
                prop_assert_eq!(found.map(bits).to_vec(), &expected[..], "{}: {}", maker, prediction.form);
                prop_assert_eq!(values.into_iter().map(bits).collect::<Vec<_>>(), &read[..]);
            }
        }
    }

    /// A form in which so many values are needed at a time.
    fn wide(count: u32) -> Prediction {
        let (form, ()) = record(|| {
            let x = Num::leaf(Leaf::Captured("x".into()));
            let all: Vec<Num> = (0..count).map(|number| x.max(f64::from(number)) + f64::from(number)).collect();
            let forth = all.iter().fold(x, |sum, value| sum * 0.5 + *value);
            let back = all.iter().rev().fold(forth, |sum, value| sum / *value);
            Ok::<_, ()>((vec![forth, back], ()))
        })
        .expect("nothing fails");
        let captured = vec![Carried { name: "x".into(), entry: 0, reading: Reading::Double }];
        Prediction { form, captured, notes: Vec::new() }
    }

    #[test]
    fn values_that_no_register_holds_are_in_memory() {
        let prediction = wide(50);
        for (maker, x) in (0..makers()).flat_map(|maker| [(maker, 0.7), (maker, 23.4), (maker, -8.0)]) {
            let expected = prediction.evaluate(|_| None, &[f64::to_bits(x)], &[], THREADS);
            assert_eq!(run(maker, &prediction, &[x.to_bits()], &[]).0.to_vec(), expected, "{maker}: {x}");
        }
        assert!(x86::machine_code(&wide(200)).is_none(), "not all of them have a place");
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
            for maker in 0..makers() {
                let (found, _) = run(maker, &prediction, &[x.to_bits()], &[]);
                assert_eq!(bits(found[0]), bits(x.floor()), "the floor of {x}");
            }
        }
    }
}
