//! One loop over a range of numbers becomes two, over quotients and over remainders.
//!
//! ```text
//! for x in low..=high: body(x / n, x % n)
//! for q in low/n..=high/n: for r in (q == low/n ? low%n : 0)..=(q == high/n ? high%n : n-1): body(q, r)
//! ```

use super::divide::Division;
use super::find::Chunk;
use ipda_llvm::{
    Block, Code, IntPredicate, Opcode, Type, Value, add_incoming, append_block, comes_from, integer, lead_to,
};
use ipda_symbolic::Signedness;

/// A loop over numbers from `low` to `high`, of which there is at least one.
pub(super) struct Level {
    /// Where it begins; the block has no end yet.
    from: Block,
    /// Where it goes on.
    after: Block,
    phi: Value,
    /// The number as the body uses it.
    pub number: Value,
    low: Value,
    high: Value,
}

impl Chunk {
    /// Puts a test before the loop, so that behind it there is an iteration.
    pub(super) fn guard(&self) -> Level {
        let function = self.header.function();
        let end = self.before.terminator().expect("the loop was found");
        let here = Code::before(end).placed_like(self.place());
        self.bound_by.iter().for_each(|&value| here.take(value));
        let (from, after) = (append_block(function), append_block(function));
        here.branch_if(here.compare(self.predicate, self.low, self.bound), from, after);
        end.erase();
        let here = Code::at_end(from).placed_like(self.place());
        let one = Value::int_of(self.low.ty(), 1);
        let high = if self.is_last { self.bound } else { here.binary(Opcode::LLVMSub, self.bound, one) };

        // What the loop leaves behind it.
        let here = Code::at_end(after).placed_like(self.place());
        for &other in &self.others {
            let before = incoming(other, self.before);
            let users: Vec<Value> = other.users().into_iter().filter(|&user| !self.contains(user)).collect();
            if !users.is_empty() {
                let either = here.phi(other.ty(), &[(before, self.before)]);
                users.into_iter().for_each(|user| user.replace_operand(other, either));
                add_incoming(either, other, self.header);
            }
        }
        here.branch(self.exit);
        comes_from(self.exit, self.header, after);
        let out = self.header.terminator().expect("the loop was found");
        lead_to(out, 1, after);
        comes_from(self.header, self.before, from);
        Level { from, after, phi: self.phi, number: self.phi, low: self.low, high }
    }

    /// Replaces the loop by one over the quotients around one over the remainders; the latter is returned.
    pub(super) fn split(&self, level: Level, division: Division) -> Level {
        let function = self.header.function();
        let (wide, extent) = (level.number.ty(), division.extent);
        let (around, behind) = (append_block(function), append_block(function));

        let here = Code::at_end(level.from).placed_like(self.place());
        division.computed_by.iter().for_each(|&value| here.take(value));
        let (narrow, reading) = self.narrow(extent);
        let part = |op, of| here.binary(op, of, extent);
        let [first, last] = [level.low, level.high].map(|of| part(Opcode::LLVMUDiv, of));
        let [first_rest, last_rest] =
            [level.low, level.high].map(|of| here.resize(part(Opcode::LLVMURem, of), narrow, Signedness::Unsigned));
        let full = here.binary(Opcode::LLVMSub, extent, Value::int_of(wide, 1));
        let full = here.resize(full, narrow, Signedness::Unsigned);
        here.branch(around);

        let here = Code::at_end(around).placed_like(self.place());
        let quotient = here.phi(wide, &[(first, level.from)]);
        let low = here.phi(narrow, &[(first_rest, level.from), (Value::int_of(narrow, 0), behind)]);
        let carried =
            |&other: &Value| here.phi(other.ty(), &[(incoming(other, level.from), level.from), (other, behind)]);
        let carried: Vec<Value> = self.others.iter().map(carried).collect();
        let is_last = here.compare(IntPredicate::LLVMIntEQ, quotient, last);
        let high = here.select(is_last, last_rest, full);
        let [wide_low, wide_high] = [low, high].map(|value| here.resize(value, wide, Signedness::Unsigned));

        let here = Code::at_end(behind).placed_like(self.place());
        add_incoming(quotient, here.next(quotient, self.reading), behind);
        here.branch_if(is_last, level.after, around);
        comes_from(level.after, self.header, behind);

        comes_from(self.header, level.from, around);
        for (&other, &outer) in self.others.iter().zip(&carried) {
            set_incoming(other, around, outer);
        }
        let first = self.header.instructions().next().expect("a block has an end");
        let phi = Code::before(first).placed_like(self.place()).phi(narrow, &[(low, around)]);
        let end = self.latch.terminator().expect("the loop was found");
        add_incoming(phi, Code::before(end).placed_like(self.place()).next(phi, reading), self.latch);
        let out = self.header.terminator().expect("the loop was found");
        let here = Code::before(out).placed_like(self.place());
        let predicate = match reading {
            Signedness::Signed => IntPredicate::LLVMIntSLE,
            Signedness::Unsigned => IntPredicate::LLVMIntULE,
        };
        let old = out.branch_condition().expect("the loop was found");
        old.replace_all_uses(here.compare(predicate, phi, high));
        old.erase();
        lead_to(out, 1, behind);

        let here = Code::before(self.body_begin()).placed_like(self.place());
        let number = here.resize(phi, wide, Signedness::Unsigned);
        replace(&division.quotients, quotient);
        replace(&division.remainders, number);
        self.forget(&level, number, |here| {
            let product = here.binary(Opcode::LLVMMul, quotient, extent);
            here.binary(Opcode::LLVMAdd, product, number)
        });
        Level { from: around, after: behind, phi, number, low: wide_low, high: wide_high }
    }

    /// Leads from the innermost outer loop into the inner one.
    pub(super) fn close(&self, level: &Level) {
        Code::at_end(level.from).placed_like(self.place()).branch(self.header);
    }

    /// Removes the loop's old number; what else uses it gets it from `again`, behind the new one.
    fn forget(&self, level: &Level, new: Value, again: impl FnOnce(&Code) -> Value) {
        let next = incoming(level.phi, self.latch);
        let is_used = |value: Value| value.users().into_iter().any(|user| user != next && user != level.number);
        if is_used(level.number) || is_used(level.phi) {
            let begin = self.body_begin();
            let at = if begin == new { begin.next().expect("a block has an end") } else { begin };
            let here = Code::before(at).placed_like(self.place());
            let number = again(&here);
            level.number.replace_all_uses(number);
            if level.phi != level.number {
                level.phi.replace_all_uses(here.resize(number, level.phi.ty(), Signedness::Unsigned));
            }
        }
        next.replace_all_uses(Value::null_of(next.ty()));
        next.erase();
        if level.number != level.phi {
            level.number.erase();
        }
        level.phi.erase();
    }

    /// The narrowest type in which the extent is known to be, and how its numbers may be read.
    fn narrow(&self, extent: Value) -> (Type, Signedness) {
        const HALF: u32 = 32;
        if extent.as_int().is_some_and(|extent| (1..=i64::from(i32::MAX)).contains(&extent))
            && extent.ty().int_bits() > Some(HALF)
        {
            return (integer(extent, HALF), Signedness::Signed);
        }
        match extent.opcode() {
            Some(Opcode::LLVMSExt) if self.reading == Signedness::Signed => {
                (extent.operand(0).ty(), Signedness::Signed)
            }
            Some(Opcode::LLVMZExt) => {
                let narrow = extent.operand(0);
                let reading = if self.facts.is_natural(narrow) { Signedness::Signed } else { Signedness::Unsigned };
                (narrow.ty(), reading)
            }
            _ => (extent.ty(), self.reading),
        }
    }

    /// The body's first instruction.
    fn body_begin(&self) -> Value {
        self.body.instructions().find(|value| !value.is(Opcode::LLVMPHI)).expect("a block has an end")
    }

    /// The loop's place in the source.
    fn place(&self) -> Value {
        self.latch.terminator().expect("the loop was found")
    }
}

/// What a phi is where control comes from a block.
fn incoming(phi: Value, from: Block) -> Value {
    let found = phi.incoming().into_iter().find(|(_, block)| *block == from);
    found.expect("a phi has a value for each way into its block").0
}

fn set_incoming(phi: Value, from: Block, value: Value) {
    let at = phi.incoming().iter().position(|(_, block)| *block == from);
    phi.set_operand(at.expect("a phi has a value for each way into its block") as u32, value);
}

fn replace(values: &[Value], with: Value) {
    for value in values {
        value.replace_all_uses(with);
        value.erase();
    }
}
