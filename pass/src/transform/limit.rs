//! How many numbers a loop may have whose iterations are those of several loops.
//!
//! ```text
//! for (i = first; i <= last; i += threads)        last < 2^31, threads < 2^31: i + threads < 2^32, which fits without a sign
//! ```
//!
//! A thread's next number is computed before it is compared: it may be as many threads further on as there are, which is as many as there are iterations
//! where the runtime chooses. clang's loops count with a sign where the program does; of changed loops in 32 bits, the step and the comparison have none, so
//! that only the iterations' own numbers must fit with one. The runtime's set-up still adds the number of a thread in its team to the team's first iteration
//! with a sign: some numbers are left for that.

use super::own_digits::is_as_written;
use ipda_llvm::{Block, Code, Opcode, Value, add_without_sign, compare_without_sign};
use ipda_models::report::Reason;
use ipda_symbolic::{Mapping, Signedness};
use std::fmt;

/// More threads than a team has, as a power of two.
const TEAM: u32 = 20;

/// How a changed loop in so many bits counts its iterations, of which the program's own `digits` are a part: in 64 bits a sign leaves enough.
pub(super) fn counting(bits: u32, mapping: &Mapping, digits: usize) -> Signedness {
    if bits == 32 && !is_as_written(mapping, digits) { Signedness::Unsigned } else { Signedness::Signed }
}

/// What is above all numbers that are counted right.
pub(super) struct Limit {
    pub end: i64,
    words: String,
}

impl Limit {
    /// Of numbers of so many bits. Where a clause gives a team `share` times as many iterations at once as the smallest has threads, the next number may be as
    /// many times further on.
    pub(super) fn new(bits: u32, counting: Signedness, share: u32) -> Limit {
        let half = 1_i64 << (bits - 2).min(62);
        if share > 1 {
            let end = half / i64::from(share);
            let words = if end.count_ones() == 1 { format!("2^{}", end.ilog2()) } else { end.to_string() };
            return Limit { end, words };
        }
        match counting {
            Signedness::Signed => Limit { end: half, words: format!("2^{}", bits - 2) },
            Signedness::Unsigned => Limit { end: 2 * half - (1 << TEAM), words: format!("2^{} - 2^{TEAM}", bits - 1) },
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// Lets a loop of threads count without a sign.
pub(super) fn count_without_sign(header: Block, number: Value, next: Value) -> Result<(), Reason> {
    let other_form = "the shared loop has another form than clang's";
    let test = header.terminator().and_then(Value::branch_condition).filter(|test| test.is(Opcode::LLVMICmp));
    let test = test.ok_or(other_form)?;
    let is_number = |value: Value| {
        let is_wider = value.is(Opcode::LLVMSExt) || value.is(Opcode::LLVMZExt);
        value == number || is_wider && value.operand(0) == number
    };
    let at = (0..2).find(|&at| is_number(test.operand(at))).ok_or(other_form)?;
    let compared = Code::before(test).resize(number, test.operand(at).ty(), Signedness::Unsigned);
    test.set_operand(at, compared);
    compare_without_sign(test);
    add_without_sign(next);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Limit, TEAM};
    use ipda_symbolic::Signedness;

    /// The last number before a limit, and the next one of a thread, of as many threads as there are numbers.
    fn last_and_next(limit: &Limit, share: i64) -> (i64, i64) {
        let last = limit.end - 1;
        (last, last + share * limit.end)
    }

    #[test]
    fn the_next_number_fits_where_the_guard_holds() {
        let unsigned = Limit::new(32, Signedness::Unsigned, 1);
        let (last, next) = last_and_next(&unsigned, 1);
        assert_eq!(unsigned.to_string(), "2^31 - 2^20");
        assert!(next <= u32::MAX.into() && last + (1 << TEAM) <= i32::MAX.into());
        assert!(last >= 1024_i64.pow(3));
        let signed = Limit::new(32, Signedness::Signed, 1);
        assert_eq!(signed.to_string(), "2^30");
        assert!(last_and_next(&signed, 1).1 <= i32::MAX.into());
        let wide = Limit::new(64, Signedness::Signed, 1);
        assert_eq!(wide.to_string(), "2^62");
        assert!(wide.end == 1 << 62);
    }

    #[test]
    fn a_team_that_takes_more_at_once_leaves_fewer_numbers() {
        for (share, words) in [(4, "2^28"), (32, "2^25"), (3, "357913941")] {
            let limit = Limit::new(32, Signedness::Unsigned, share);
            assert_eq!(limit.to_string(), words);
            assert!(last_and_next(&limit, share.into()).1 <= i64::from(i32::MAX) + 1);
        }
    }
}
