//! What a kernel tests before it runs fused loops, and the code that does so.
//!
//! ```text
//! "n*m < 2^31 - 2^20, and A and C do not overlap"
//! guard(A, C, n, m): n*m < 2^31 - 2^20 & (A + 8*n*m <= C | C + 8*n <= A)          in 64 bits, as factors that need few bits
//! ```
//!
//! LLVM's `RuntimePointerChecking` compares the bytes that two pointers reach in the same way, of one innermost loop; here of all loops of the region.

use super::own_digits;
use super::sum::{Given, Powers, Sum};
use crate::openmp::{NUMBER_OF_TEAMS, SIZE_OF_TEAM};
use ipda_llvm::{self, Code, Opcode, Type, Value, append_block, constant, integer};
use ipda_symbolic::{Given as Launched, Signedness};
use llvm_sys::LLVMIntPredicate;

/// Products of no more bits are small enough, and sums of them taken exactly in 64: sizes of arrays have fewer. Less than most sums allow,
/// so that one test serves for many.
const ENOUGH_BITS: u32 = 52;

/// What must hold before a kernel runs.
#[derive(PartialEq)]
pub(super) enum Condition {
    AtLeastZero(Sum),
    /// No byte of one lies in the other.
    Apart(Extent, Extent),
    /// A number that sums are right for only where it is small.
    Small(Given),
    /// Numbers that a launch's teams and threads are factors of have no more than so many bits: those of each loop, and those of all threads.
    Fit(Vec<Digits>, u32),
    /// More than one thread runs the region, on NVIDIA's GPUs.
    SeveralThreads,
}

/// The digits of a loop's iteration number.
#[derive(PartialEq)]
pub(super) struct Digits {
    /// How often the loop runs.
    pub trips: Sum,
    /// The product of the counts of its digits but the rest.
    pub others: (u32, Vec<Launched>),
    /// The product of those that make the number of a thread; none where the rest is one of them.
    pub of_threads: Option<(u32, Vec<Launched>)>,
}

/// The bytes of an array that are accessed, from an argument on.
#[derive(PartialEq)]
pub(super) struct Extent {
    /// The pointer, by its position among the kernel's parameters, and what it reads before all else.
    pub param: usize,
    /// The first byte's distance from where it leads.
    pub low: Sum,
    pub size: Sum,
}

impl Condition {
    /// Whether it is a constant that tells; none where it depends on what the kernel is given.
    pub(super) fn as_constant(&self) -> Option<bool> {
        match self {
            Condition::AtLeastZero(sum) => Some(!sum.as_constant()?.is_negative()),
            Condition::Apart(..) | Condition::Small(_) | Condition::Fit(..) | Condition::SeveralThreads => None,
        }
    }

    /// Whether it compares what two parameters lead to.
    pub(super) fn is_of(&self, (a, b): (usize, usize)) -> bool {
        match self {
            Condition::Apart(first, second) => {
                [(first.param, second.param), (second.param, first.param)].contains(&(a, b))
            }
            Condition::AtLeastZero(_) | Condition::Small(_) | Condition::Fit(..) | Condition::SeveralThreads => false,
        }
    }

    /// Whether it takes a few instructions: how often a loop runs, mostly.
    fn is_cheap(&self) -> bool {
        match self {
            Condition::AtLeastZero(sum) => sum.is_linear(),
            Condition::Apart(..) | Condition::Fit(..) => false,
            Condition::Small(_) | Condition::SeveralThreads => true,
        }
    }

    /// The pointers that it compares, by their positions.
    pub(super) fn pointers(&self) -> Vec<usize> {
        match self {
            Condition::Apart(a, b) => vec![a.param, b.param],
            Condition::AtLeastZero(_) | Condition::Small(_) | Condition::Fit(..) | Condition::SeveralThreads => {
                Vec::new()
            }
        }
    }

    /// What it is computed from.
    pub(super) fn sums(&self) -> Vec<&Sum> {
        match self {
            Condition::AtLeastZero(sum) => vec![sum],
            Condition::Apart(a, b) => [a, b].into_iter().flat_map(|extent| [&extent.low, &extent.size]).collect(),
            Condition::Small(_) | Condition::SeveralThreads => Vec::new(),
            Condition::Fit(digits, _) => digits.iter().map(|digits| &digits.trips).collect(),
        }
    }

    fn compute<'a>(&'a self, sums: &mut Sums<'a>) -> Value {
        let here = sums.here;
        let at_least = |a: Value, b: Value| {
            let wider = if a.ty().int_bits() >= b.ty().int_bits() { a.ty() } else { b.ty() };
            here.compare(
                LLVMIntPredicate::LLVMIntSGE,
                here.resize(a, wider, Signedness::Signed),
                here.resize(b, wider, Signedness::Signed),
            )
        };
        let zero = |value: Value| constant(value.ty(), "0");
        match self {
            Condition::AtLeastZero(sum) => {
                let value = sums.value(sum);
                at_least(value, zero(value))
            }
            // Addresses are residues: each begins no sooner behind the other's beginning than that ends.
            Condition::Apart(a, b) => {
                let [from_a, from_b] = [a, b].map(|extent| sums.address(extent));
                let behind = |from: Value, size: Value, to: Value| {
                    let distance = here.binary(Opcode::LLVMSub, to, from);
                    here.compare(LLVMIntPredicate::LLVMIntUGE, distance, size)
                };
                let [size_a, size_b] = [a, b].map(|extent| sums.size(&extent.size));
                here.binary(Opcode::LLVMAnd, behind(from_a, size_a, from_b), behind(from_b, size_b, from_a))
            }
            Condition::Small(given) => given.is_small(here, sums.params, sums.like),
            Condition::Fit(digits, bits) => sums.fit(digits, *bits),
            Condition::SeveralThreads => {
                let is_more = |name: &str| {
                    let number = here.intrinsic(name, &[]);
                    here.compare(LLVMIntPredicate::LLVMIntUGT, number, Value::int_of(number.ty(), 1))
                };
                here.binary(Opcode::LLVMOr, is_more(NUMBER_OF_TEAMS), is_more(SIZE_OF_TEAM))
            }
        }
    }
}

/// A function that says whether all conditions hold, of what a kernel is given: 1 or 0 in 64 bits. None where nothing needs to be tested.
///
/// What is cheap to test comes first, and the rest in a block that the code behind does not depend on: else the compiler would keep
/// what it computes in registers until that code may need it, and that costs more of them than computing it again.
pub(super) fn function(guard: &[Condition], given: &[Value], original: Value) -> Option<Value> {
    if guard.is_empty() {
        return None;
    }
    let types: Vec<Type> = given.iter().map(|value| value.ty()).collect();
    let function = ipda_llvm::function(original, &types, ".guard");
    let params = function.params();
    let (cheap, dear): (Vec<&Condition>, Vec<&Condition>) = guard.iter().partition(|condition| condition.is_cheap());
    let [first, then, otherwise] = [0; 3].map(|_| append_block(function));
    let here = Code::at_end(first);
    match conjunction(&cheap, &here, &params, function) {
        Some(holds) => here.branch_if(holds, then, otherwise),
        None => here.branch(then),
    }
    let here = Code::at_end(then);
    let holds = conjunction(&dear, &here, &params, function);
    let number = |value: u64| Value::int_of(integer(function, 64), value);
    here.return_value(holds.map_or(number(1), |holds| here.resize(holds, integer(function, 64), Signedness::Unsigned)));
    Code::at_end(otherwise).return_value(number(0));
    Some(function)
}

fn conjunction(conditions: &[&Condition], here: &Code, params: &[Value], like: Value) -> Option<Value> {
    let mut sums =
        Sums { here, params, like, made: Vec::new(), sizes: Vec::new(), fits: Vec::new(), products: Vec::new() };
    let mut all: Vec<Value> = conditions.iter().map(|condition| condition.compute(&mut sums)).collect();
    all.append(&mut sums.fits);
    all.extend(sums.products_are_small());
    all.into_iter().reduce(|all, one| here.binary(Opcode::LLVMAnd, all, one))
}

/// Sums that a guard needs, each computed once.
struct Sums<'a> {
    here: &'a Code,
    params: &'a [Value],
    like: Value,
    made: Vec<(&'a Sum, Value)>,
    sizes: Vec<(&'a Sum, Value)>,
    /// That sizes are no larger than address spaces are.
    fits: Vec<Value>,
    /// By how many bits a product may have at most, so that sums with it are exact in 64 bits.
    products: Vec<(&'a Powers, u32)>,
}

impl<'a> Sums<'a> {
    /// Exact, where products are small: numbers of more than 64 bits take many registers.
    fn value(&mut self, sum: &'a Sum) -> Value {
        if let Some((_, value)) = self.made.iter().find(|(made, _)| *made == sum) {
            return *value;
        }
        let value = match sum.products().filter(|_| sum.is_wide()) {
            Some(products) => {
                products.into_iter().for_each(|(product, bits)| self.require_small(product, bits.min(ENOUGH_BITS)));
                sum.compute_low(self.here, self.params, self.like)
            }
            None => sum.compute(self.here, self.params, self.like),
        };
        self.made.push((sum, value));
        value
    }

    fn require_small(&mut self, product: &'a Powers, bits: u32) {
        let most: u32 = product.iter().map(|(factor, power)| factor.magnitude_bits() * power).sum();
        if most <= bits {
            return;
        }
        let divides = |part: &Powers, of: &Powers| {
            part.iter().all(|(factor, power)| of.iter().any(|(other, times)| other == factor && times >= power))
        };
        if self.products.iter().any(|(other, limit)| *limit <= bits && divides(product, other)) {
            return;
        }
        self.products.retain(|(other, limit)| *limit < bits || !divides(other, product));
        self.products.push((product, bits));
    }

    /// That no product has more bits than it may. The bits of a product are no more than those of its factors together.
    fn products_are_small(&self) -> Vec<Value> {
        let (here, counts) = (self.here, integer(self.like, 32));
        let is_small = |(product, bits): &(&Powers, u32)| {
            let (mut zeros, mut all) = (Value::int_of(counts, 0), 0);
            for (factor, power) in product.iter() {
                let ty = integer(self.like, factor.magnitude_bits().max(32));
                let value = factor.compute(here, self.params, ty, self.like);
                let distance = if factor.is_not_negative() { value } else { here.magnitude(value) };
                let count = here.resize(here.leading_zeros(distance), counts, Signedness::Unsigned);
                for _ in 0..*power {
                    zeros = here.binary(Opcode::LLVMAdd, zeros, count);
                    all += ty.int_bits().unwrap_or(64);
                }
            }
            let least = Value::int_of(counts, all.saturating_sub(*bits).into());
            here.compare(LLVMIntPredicate::LLVMIntUGE, zeros, least)
        };
        self.products.iter().map(is_small).collect()
    }

    /// Whether numbers by such digits have no more than so many bits. A product has no more bits than its factors together. With a rest of a loop's trip
    /// count, rounded up, there are fewer numbers than that count and the other counts' product together.
    fn fit(&mut self, all: &'a [Digits], most: u32) -> Value {
        let here = self.here;
        let wide = integer(self.like, 64);
        let number = |number: u32| Value::int_of(wide, number.into());
        let add = |a: Value, b: Value| here.binary(Opcode::LLVMAdd, a, b);
        let bits_of = |value: Value| {
            let zeros = here.resize(here.leading_zeros(value), wide, Signedness::Unsigned);
            here.binary(Opcode::LLVMSub, number(64), zeros)
        };
        let product = |(known, given): &(u32, Vec<Launched>)| {
            let given = given.iter().filter_map(|&given| own_digits::launched(here, given));
            given.map(bits_of).fold(number(u32::BITS - known.leading_zeros()), add)
        };
        let (mut threads, mut fits) = (number(0), Vec::new());
        for digits in all {
            let trips = self.value(&digits.trips);
            let trips = bits_of(here.resize(trips, wide, Signedness::Signed));
            let others = product(&digits.others);
            let is_more = here.compare(LLVMIntPredicate::LLVMIntUGT, trips, others);
            let padded = add(here.select(is_more, trips, others), number(1));
            fits.push(here.compare(LLVMIntPredicate::LLVMIntULE, padded, number(most)));
            threads = add(threads, digits.of_threads.as_ref().map_or(padded, product));
        }
        let fit = here.compare(LLVMIntPredicate::LLVMIntULE, threads, number(most));
        fits.into_iter().fold(fit, |all, one| here.binary(Opcode::LLVMAnd, all, one))
    }

    /// Modulo 2^64.
    fn address(&self, extent: &Extent) -> Value {
        let here = self.here;
        let low = extent.low.compute_low(here, self.params, self.like);
        here.binary(Opcode::LLVMAdd, here.address(self.params[extent.param], integer(self.like, 64)), low)
    }

    /// As a number of 64 bits, which is right where `fits`.
    fn size(&mut self, sum: &'a Sum) -> Value {
        if let Some((_, value)) = self.sizes.iter().find(|(made, _)| *made == sum) {
            return *value;
        }
        let exact = self.value(sum);
        let here = self.here;
        let most = constant(exact.ty(), "4611686018427387904");
        // What is less than 0 is more without a sign.
        self.fits.push(here.compare(LLVMIntPredicate::LLVMIntULE, exact, most));
        let size = here.resize(exact, integer(self.like, 64), Signedness::Unsigned);
        self.sizes.push((sum, size));
        size
    }
}
