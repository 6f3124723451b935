//! The text form of sums, in which the host's compilation reads them.

use super::{Factor, Given, MAX_DEPTH, Operation, Sum};
use ipda_symbolic::Signedness;
use std::fmt;
use std::str::FromStr;

const WRONG: &str = "not a sum of products of a kernel's parameters";

/// `3*s32.2*s64.4^2 + -1`: three times the product of the kernel's parameter 2, read as a signed number of 32 bits, and the square of its
/// parameter 4, less one. `p64.1` is a pointer, `1*max(1*s32.2, 1*s32.3)` an operation on sums.
impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (factor, powers)) in self.terms.iter().enumerate() {
            write!(f, "{}{factor}", if number == 0 { "" } else { " + " })?;
            for (factor, power) in powers {
                write!(f, "*{factor}")?;
                if *power != 1 {
                    write!(f, "^{power}")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Given(given) => {
                let reading = match (given.is_pointer, given.reading) {
                    (true, _) => 'p',
                    (false, Signedness::Signed) => 's',
                    (false, Signedness::Unsigned) => 'u',
                };
                write!(f, "{reading}{}.{}", given.bits, given.param)
            }
            Factor::Operation(operation, args) => {
                let args: Vec<String> = args.iter().map(Sum::to_string).collect();
                write!(f, "{}({})", operation.name(), args.join(", "))
            }
        }
    }
}

impl Operation {
    fn name(self) -> String {
        match self {
            Operation::Min => "min".into(),
            Operation::Max => "max".into(),
            Operation::Quotient => "floor".into(),
            Operation::Truncated => "div".into(),
            Operation::NotNegative => "not-negative".into(),
            Operation::Zero => "zero".into(),
            Operation::Low(bits, Signedness::Signed) => format!("signed-{bits}"),
            Operation::Low(bits, Signedness::Unsigned) => format!("unsigned-{bits}"),
        }
    }

    fn named(name: &str) -> Option<Operation> {
        let low = |prefix, reading| Some(Operation::Low(name.strip_prefix(prefix)?.parse().ok()?, reading));
        match name {
            "min" => Some(Operation::Min),
            "max" => Some(Operation::Max),
            "floor" => Some(Operation::Quotient),
            "div" => Some(Operation::Truncated),
            "not-negative" => Some(Operation::NotNegative),
            "zero" => Some(Operation::Zero),
            _ => low("signed-", Signedness::Signed).or_else(|| low("unsigned-", Signedness::Unsigned)),
        }
    }
}

impl FromStr for Sum {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Sum, &'static str> {
        sum(text, MAX_DEPTH).ok_or(WRONG)
    }
}

fn sum(text: &str, depth: u32) -> Option<Sum> {
    let terms = split(text, " + ").filter(|term| !term.is_empty()).map(|text| {
        let mut words = split(text, "*");
        Some((words.next()?.parse().ok()?, words.map(|word| power(word, depth)).collect::<Option<Vec<_>>>()?))
    });
    Sum::new(terms.collect::<Option<_>>()?)
}

/// The parts between separators outside of parentheses.
fn split<'a>(text: &'a str, by: &'static str) -> impl Iterator<Item = &'a str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut open = 0;
        for (at, letter) in text.char_indices() {
            match letter {
                '(' => open += 1,
                ')' => open -= 1,
                _ if open == 0 && text[at..].starts_with(by) => {
                    rest = Some(&text[at + by.len()..]);
                    return Some(&text[..at]);
                }
                _ => {}
            }
        }
        rest = None;
        Some(text)
    })
}

fn power(word: &str, depth: u32) -> Option<(Factor, u32)> {
    match word.rsplit_once('^') {
        Some((base, power)) if !power.contains(')') => Some((factor(base, depth)?, power.parse().ok()?)),
        _ => Some((factor(word, depth)?, 1)),
    }
}

fn factor(word: &str, depth: u32) -> Option<Factor> {
    if let Some((name, args)) = word.split_once('(') {
        let depth = depth.checked_sub(1)?;
        let args = split(args.strip_suffix(')')?, ", ").map(|arg| sum(arg, depth));
        return Factor::operation(Operation::named(name)?, args.collect::<Option<_>>()?);
    }
    let (bits, param) = word.get(1..)?.split_once('.')?;
    let (is_pointer, reading) = match word.get(..1)? {
        "p" => (true, Signedness::Unsigned),
        "s" => (false, Signedness::Signed),
        "u" => (false, Signedness::Unsigned),
        _ => return None,
    };
    let bits = bits.parse().ok().filter(|bits| (1..=64).contains(bits))?;
    Some(Factor::Given(Given { param: param.parse().ok()?, bits, reading, is_pointer }))
}

#[cfg(test)]
mod tests {
    use super::super::Sum;

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "",
            "-7",
            "3*s32.2*s64.4^2 + -1",
            "8*max(1*s32.1, 1*min(1*s32.2, 4)^2)^3 + 1*not-negative(1*s32.1)*unsigned-32(1*s32.1*s32.2)",
            "1*zero(1*s32.1)*signed-16(2)",
        ] {
            assert_eq!(text.parse::<Sum>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_cannot_be_computed_is_not_read() {
        for text in [
            "1*floor(1*s32.1, 0)",
            "1*floor(1*s32.1)",
            "1*what(1)",
            "1*s65.1",
            "1*max(1",
            "x",
            "1*é(1)",
            "-1*max(1*s32.1, min(1*s32.2, 4)^2*1)",
        ] {
            assert!(text.parse::<Sum>().is_err(), "{text}");
        }
        let deep = format!("{}1{}", "1*max(".repeat(20), ")".repeat(20));
        assert!(deep.parse::<Sum>().is_err());
        assert!("1*s32.1^900".parse::<Sum>().is_err());
    }
}
