//! Values that come from outside the region: arguments, captured scalars, results of functions.

use super::predicate::Readings;
use super::{Guarantees, Lowered, Lowering, ObjectKind};
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_models::report::ValueType;
use ipda_symbolic::{AtomId, Polynomial, Signedness, Symbol, Varies};
use rustc_hash::FxHashMap;

impl Lowering<'_> {
    /// The variable that arrives in an argument: its name, where one is known, and its type.
    pub(crate) fn captured(&self, argument: Value) -> (Option<String>, ValueType) {
        let carriers: Vec<Value> = carriers(argument).collect();
        let name = carriers.iter().find_map(|carrier| self.names.get(carrier).cloned());
        let carrier = carriers.last().copied().unwrap_or(argument);
        (name.or_else(|| self.name_behind_casts(argument)), carrier.ty().value_type())
    }

    /// The name of a pointer that arrives in the address space of global memory, as HIP's do, and is cast to the general one.
    fn name_behind_casts(&self, argument: Value) -> Option<String> {
        const CASTS: usize = 2;
        let is_cast = |value: &Value| {
            matches!(value.opcode(), Some(Opcode::LLVMAddrSpaceCast | Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr))
        };
        let casts = std::iter::successors(Some(argument), |at| at.users().into_iter().find(is_cast));
        let mut names = casts.skip(1).take(CASTS).filter(|at| at.ty().is_pointer()).map(|at| self.names.get(&at));
        argument.ty().is_pointer().then(|| names.find_map(|name| name.cloned()))?
    }

    /// The argument that a symbol stands for.
    pub(crate) fn argument_of(&self, atom: AtomId) -> Option<Value> {
        self.arguments.get(&atom).copied()
    }

    pub(super) fn argument(&mut self, value: Value, bits: u32) -> Lowered {
        let name = self
            .names
            .get(&value)
            .cloned()
            .or_else(|| self.name_behind_casts(value))
            .or_else(|| self.argument_names.get(&value).cloned())
            .unwrap_or_else(|| "argument".into());
        if value.ty().is_pointer() {
            let pointer = self.pointer(&name, bits, ObjectKind::Global);
            self.arguments.extend(pointer.value.as_atom().map(|atom| (atom, value)));
            pointer
        } else {
            self.scalar(value, value, bits, &name)
        }
    }

    /// The variable in the low bits of an argument, which `value` takes out of it.
    pub(super) fn captured_scalar(&mut self, value: Value, argument: Value, bits: u32) -> Lowered {
        if let Some(scalar) = self.captured_scalars.get(&(argument, bits)) {
            return scalar.clone();
        }
        let names = [self.names.get(&value), self.names.get(&argument), self.argument_names.get(&argument)];
        let name = names.into_iter().flatten().next().cloned().unwrap_or_else(|| "argument".into());
        let scalar = self.scalar(value, argument, bits, &name);
        self.captured_scalars.insert((argument, bits), scalar.clone());
        scalar
    }

    /// The variable in the low bits of an argument, where the region reads it with its sign.
    pub(crate) fn captured_number(&mut self, argument: Value, bits: u32) -> Option<Polynomial> {
        let scalar = match self.captured_scalars.get(&(argument, bits)) {
            Some(scalar) => scalar.clone(),
            None if argument.ty().int_bits() == Some(bits) => self.lower(argument),
            None => return None,
        };
        scalar.signed.then_some(scalar.value)
    }

    /// All numbers that arrive in arguments and were looked at, with their bits in the argument.
    pub(crate) fn captured_numbers(&mut self) -> Vec<(Value, u32, Polynomial)> {
        let narrow =
            self.captured_scalars.iter().map(|(&(argument, bits), scalar)| (argument, bits, scalar.value.clone()));
        narrow.collect()
    }

    /// A scalar variable of the program that arrives in an argument and is read in `value`, as the number that the code reads it as: natural
    /// where only unsigned operations look at it.
    fn scalar(&mut self, value: Value, argument: Value, bits: u32, name: &str) -> Lowered {
        let Readings { unsigned, signed } = Readings::of(value);
        let is_natural = bits == 1 || unsigned && !signed;
        let reading = if is_natural { Signedness::Unsigned } else { Signedness::Signed };
        let range = self.argument_range(argument, bits, reading);
        let symbol = self.space.symbol(Symbol { name: name.into(), range, varies: Varies::No });
        self.residue(symbol, bits, Guarantees::default())
    }

    pub(super) fn call(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let name = value.callee().map(Value::name).unwrap_or_default();
        let known = self.integer_intrinsic(&name, value, bits, block);
        if let Some(lowered) = known.or_else(|| self.thread_register(&name, value, bits)) {
            return lowered;
        }
        match name.as_str() {
            "__kmpc_get_hardware_num_threads_in_block" => {
                let threads = self.threads_of_team();
                self.exact_signed(threads, bits, Guarantees::default())
            }
            "omp_get_num_threads" => self.result_of(value, bits, &name, Varies::No),
            "" => self.result_of(
                value,
                bits,
                "a call",
                Varies::PerThread("it is returned by a function that is called through a pointer".into()),
            ),
            // A task's record, a handle: memory of the runtime's own.
            _ if value.ty().is_pointer() && name.starts_with("__kmpc_") => {
                self.pointer(&name, bits, ObjectKind::Runtime)
            }
            _ => {
                let name = ipda_llvm::demangle(&name);
                self.result_of(value, bits, &name, Varies::PerThread(format!("it is returned by {name}")))
            }
        }
    }
}

/// An argument, and what takes the variable out of it: a captured float arrives as the bits of an integer.
fn carriers(argument: Value) -> impl Iterator<Item = Value> {
    let takes_out = |user: &Value| matches!(user.opcode(), Some(Opcode::LLVMTrunc | Opcode::LLVMBitCast));
    std::iter::successors(Some(argument), move |carrier| carrier.users().into_iter().find(takes_out))
}

/// Gives captured variables of one name, as clang's `vla` for the length of each array's rows, a number behind the first, so that expressions,
/// the list of what is captured and the values that people give all mean the same one.
pub(super) fn tell_apart(names: &mut FxHashMap<Value, String>, arguments: &[Value]) {
    let mut times: FxHashMap<String, usize> = FxHashMap::default();
    for &argument in arguments {
        let carriers: Vec<Value> = carriers(argument).filter(|carrier| names.contains_key(carrier)).collect();
        let Some(name) = carriers.first().and_then(|carrier| names.get(carrier).cloned()) else { continue };
        let time = times.entry(name.clone()).or_insert(0);
        *time += 1;
        if *time > 1 {
            names.extend(carriers.into_iter().map(|carrier| (carrier, format!("{name}.{time}"))));
        }
    }
}
