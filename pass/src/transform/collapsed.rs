//! Loops that a clause collapsed, in the order in which they are written: a thread may take iterations of the slower one together.
//!
//! ```text
//! for x in threads 0..n*m: i = x / m, j = x % m, for k: C[i*m + j] += A[i*p + k] * B[k*m + j]
//! for x in threads 0..n*m/4: i = 4 * (x / m), j = x % m, of rows i to i+3: the same, with one load of B for four products
//! ```

use super::check::Expected;
use super::conditions::Conditions;
use super::prove::Plan;
use super::subject::Subject;
use super::together::{in_lockstep, together};
use crate::analysis::dependences::{SharedNest, size_of_digit};
use crate::analysis::region::Analysis;
use crate::openmp::nest::strip_casts;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_models::report::ConditionRole;
use ipda_symbolic::Polynomial;

/// The plan that leaves the loops that a clause collapsed as they are, and takes iterations of the slowest one together, where that pays.
pub(super) fn together_as_written(analysis: &mut Analysis<'_>, subject: &Subject<'_>) -> Option<Plan> {
    let candidate = &subject.as_written;
    let expected = Expected::of(analysis, &subject.nest.accesses, candidate, &subject.arguments)?;
    let costs = subject.costs(analysis, &subject.sizes, candidate);
    let choice = subject.choice(analysis, &candidate.mapping, &costs);
    let plan = Plan::as_written(analysis, subject, expected, choice);
    let mut plan = Plan { is_right_unguarded: true, is_version: false, ..plan };
    take_together(analysis, subject, &mut plan);
    plan.coarse.is_some().then_some(plan)
}

/// Lets a plan that leaves collapsed loops as they are take iterations of the slowest one together, where that pays.
pub(super) fn take_together(analysis: &mut Analysis<'_>, subject: &Subject<'_>, plan: &mut Plan) {
    const DIGITS: std::ops::RangeInclusive<usize> = 2..=3;
    let candidate = &subject.as_written;
    let digits = subject.nest.digits;
    if !DIGITS.contains(&digits) || plan.mapping != candidate.mapping || !subject.divides_by_sizes {
        return;
    }
    let Some(together) = together(analysis, subject, candidate) else { return };
    let mut conditions = Conditions::new(analysis, &subject.arguments, &[]);
    let count = |at: usize| Some((at, conditions.sum(candidate.trips(at)?)?));
    let Some(trips) = (0..digits).map(count).collect::<Option<Vec<_>>>() else { return };
    // In what is linearised by hand, two negative counts make a number of iterations that is positive.
    for (at, _) in &trips {
        let positive = candidate.trips(*at).map(|count| count - &Polynomial::one());
        let required = positive.and_then(|positive| conditions.not_negative(&positive, ConditionRole::Iterations));
        if !required.is_some_and(|required| conditions.require(required)) {
            return;
        }
    }
    let fits = subject
        .nest
        .wrapped
        .as_ref()
        .map(|count| conditions.numbers_fit(count, &subject.limit(analysis, &plan.mapping)));
    let has_numbers = match fits {
        None => true,
        Some(fits) => fits.is_some_and(|fits| conditions.require(fits)),
    };
    if !has_numbers {
        return;
    }
    let sums: Vec<_> = trips.iter().map(|(_, sum)| sum.clone()).collect();
    if conditions.require_exact_sums(&sums) != Ok(true) {
        return;
    }
    let Conditions { guard, reported, .. } = conditions;
    for (condition, words) in guard.into_iter().zip(reported) {
        if !plan.guard.contains(&condition) {
            plan.guard.push(condition);
            plan.conditions.push(words);
        }
    }
    let nest = &analysis.nest;
    plan.is_distributed = nest.shared_at(subject.nest.in_cfg(0)).is_some_and(|shared| shared.distributed_by.is_some());
    plan.trips = trips;
    plan.coarse = Some(together);
    plan.in_lockstep = in_lockstep(analysis, subject, candidate, together);
}

/// Whether the code divides the shared loop's number by nothing but how many iterations of the faster loops are one of the slowest, what that leaves by the
/// same of the next one, and so on: where an address needs only the product of two loops, the code may divide by another number first.
pub(super) fn divides_by_sizes(analysis: &mut Analysis<'_>, nest: &SharedNest) -> bool {
    if nest.digits == 1 {
        return false;
    }
    let index = nest.in_cfg(0);
    let Some(shared) = analysis.nest.shared_at(index) else { return false };
    let sizes = &nest.weights[..nest.digits - 1];
    let mut digits = Digits { phi: shared.phi, sizes, wrapped: nest.wrapped.as_ref(), analysis };
    let blocks = digits.analysis.cfg.loops[index].blocks.iter();
    let of_block = |&block: &BlockId| digits.analysis.cfg.blocks[block].instructions().filter(is_division);
    let divisions: Vec<Value> = blocks.flat_map(of_block).collect();
    (0..sizes.len()).all(|level| {
        let mut of_level = divisions.clone();
        of_level.retain(|division| digits.is_rest(division.operand(0), level));
        !of_level.is_empty() && of_level.iter().all(|division| digits.is_size(*division, 1, level))
    })
}

/// The number of a loop that a clause collapsed, as the code takes it apart.
struct Digits<'a, 'b> {
    phi: Value,
    /// How many numbers are one iteration of each loop but the fastest.
    sizes: &'a [Polynomial],
    wrapped: Option<&'a Polynomial>,
    analysis: &'a mut Analysis<'b>,
}

impl Digits<'_, '_> {
    /// Whether a value is what the loops before one leave of the number: of what those before the last one of them leave, `x % size`, or
    /// `x - x / size * size`.
    fn is_rest(&mut self, value: Value, level: usize) -> bool {
        let value = strip_casts(value);
        let Some(above) = level.checked_sub(1) else { return value == self.phi };
        if is_remainder(value) {
            return self.is_rest(value.operand(0), above) && self.is_size(value, 1, above);
        }
        if !value.is(Opcode::LLVMSub) || !self.is_rest(value.operand(0), above) {
            return false;
        }
        let product = strip_casts(value.operand(1));
        let mut is_multiple = |quotient: u32| {
            let division = strip_casts(product.operand(quotient));
            is_division(&division)
                && !is_remainder(division)
                && self.is_rest(division.operand(0), above)
                && self.is_size(division, 1, above)
                && self.is_size(product, 1 - quotient, above)
        };
        product.is(Opcode::LLVMMul) && (is_multiple(0) || is_multiple(1))
    }

    /// Whether an operand is so many numbers as are one iteration of a loop.
    fn is_size(&mut self, of: Value, operand: u32, level: usize) -> bool {
        let Some(block) = self.analysis.cfg.id(of.block()) else { return false };
        let lowering = &mut self.analysis.lowering;
        let size = lowering.value_at(of.operand(operand), block).value;
        size_of_digit(&lowering.space, &size, self.wrapped) == Some(&self.sizes[level])
    }
}

fn is_division(value: &Value) -> bool {
    value.is(Opcode::LLVMUDiv) || value.is(Opcode::LLVMSDiv) || is_remainder(*value)
}

fn is_remainder(value: Value) -> bool {
    value.is(Opcode::LLVMURem) || value.is(Opcode::LLVMSRem)
}
