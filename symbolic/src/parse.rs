//! Reads the text form back: names are looked up among those that the space already prints.

use crate::atom::OpaqueOp;
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::interval::{Interval, Signedness};
use crate::label::{continues_bare, starts_bare};
use crate::polynomial::Polynomial;
use crate::space::Space;
use std::fmt;

/// Deepest nesting of parentheses and brackets.
const MAX_NESTING: u32 = 128;
/// Widest machine integer.
const MAX_BITS: u32 = 4096;
/// Largest power.
const MAX_POWER: u32 = 64;

/// Why a text is not a polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where, in bytes from the start of the text.
    pub offset: usize,
    /// What was expected or not known there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a polynomial in the form that [`Space::display`] prints. The result is canonical, whatever the text was.
///
/// # Errors
/// Where the text has another form, or a name that the space does not print.
pub fn parse(space: &mut Space, text: &str) -> Result<Polynomial, ParseError> {
    let mut parser = Parser { space, text, at: 0, nesting: 0 };
    let result = parser.sum()?;
    parser.skip_spaces();
    if parser.rest().is_empty() { Ok(result) } else { parser.fail("expected an operator or the end") }
}

struct Parser<'a> {
    space: &'a mut Space,
    text: &'a str,
    at: usize,
    nesting: u32,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { offset: self.at, message: message.into() })
    }

    fn skip_spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_spaces();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.take(token) { Ok(()) } else { self.fail(format!("expected {token}")) }
    }

    fn take_while(&mut self, condition: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !condition(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn sum(&mut self) -> Result<Polynomial, ParseError> {
        if self.nesting >= MAX_NESTING {
            return self.fail(format!("nested deeper than {MAX_NESTING}"));
        }
        self.nesting += 1;
        let negative = self.take("-");
        let first = self.term()?;
        let mut sum = if negative { -first } else { first };
        loop {
            if self.take("+") {
                sum = sum + self.term()?;
            } else if self.take("-") {
                sum = sum - self.term()?;
            } else {
                self.nesting -= 1;
                return Ok(sum);
            }
        }
    }

    fn term(&mut self) -> Result<Polynomial, ParseError> {
        let mut product = self.power()?;
        while self.take("*") {
            let factor = self.power()?;
            product = self.product(&product, &factor)?;
        }
        Ok(product)
    }

    fn power(&mut self) -> Result<Polynomial, ParseError> {
        let base = self.primary()?;
        if !self.take("^") {
            return Ok(base);
        }
        let exponent = self.number()?.to_u64().and_then(|n| u32::try_from(n).ok()).filter(|&n| n <= MAX_POWER);
        let Some(exponent) = exponent else {
            return self.fail(format!("expected a power up to {MAX_POWER}"));
        };
        let mut product = Polynomial::one();
        for _ in 0..exponent {
            product = self.product(&product, &base)?;
        }
        Ok(product)
    }

    fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Result<Polynomial, ParseError> {
        match self.space.product(a, b) {
            Some(product) => Ok(product),
            None => self.fail("the product has too many terms"),
        }
    }

    fn primary(&mut self) -> Result<Polynomial, ParseError> {
        self.skip_spaces();
        match self.rest().chars().next() {
            Some('(') => {
                self.expect("(")?;
                let sum = self.sum()?;
                self.expect(")")?;
                Ok(sum)
            }
            Some('[') => self.bracket(),
            Some(c) if c.is_ascii_digit() => self.number().map(Polynomial::from),
            Some(c) if starts_bare(c) => self.name(),
            _ => self.fail("expected a number, a name, ( or ["),
        }
    }

    fn number(&mut self) -> Result<Coeff, ParseError> {
        self.skip_spaces();
        let negative = self.take("-");
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse::<Coeff>() {
            Ok(value) => Ok(if negative { -value } else { value }),
            Err(_) => self.fail("expected a number"),
        }
    }

    /// A name in brackets, else a comparison.
    fn bracket(&mut self) -> Result<Polynomial, ParseError> {
        if let Some(length) = balanced_length(self.rest())
            && let Some(atom) = self.space.find(&self.rest()[..length])
        {
            self.at += length;
            return Ok(Polynomial::from(atom));
        }
        self.expect("[")?;
        let start = self.at;
        let left = self.sum()?;
        let compare: fn(&mut Space, &Polynomial, &Polynomial) -> Polynomial = match () {
            () if self.take("<=") => Space::le,
            () if self.take("<") => Space::lt,
            () if self.take(">=") => Space::ge,
            () if self.take(">") => Space::gt,
            () if self.take("==") => Space::eq,
            () if self.take("!=") => Space::ne,
            () => {
                self.at = start;
                return self.fail("expected a comparison or a known name");
            }
        };
        let right = self.sum()?;
        self.expect("]")?;
        Ok(compare(self.space, &left, &right))
    }

    /// The name of an iteration number, or of an operation with its arguments.
    fn name(&mut self) -> Result<Polynomial, ParseError> {
        let start = self.at;
        let name = self.take_while(continues_bare);
        if let Some(atom) = self.space.find(name).filter(|_| !self.rest().starts_with(['(', '[', '@', '`'])) {
            return Ok(Polynomial::from(atom));
        }
        if let Some(form) = name.strip_prefix("load") {
            return self.load(form);
        }
        if name == "floor" {
            self.expect("(")?;
            let dividend = self.sum()?;
            self.expect("/")?;
            let divisor = self.sum()?;
            self.expect(")")?;
            return Ok(self.space.floor_div(&dividend, &divisor, &Facts::none()));
        }
        if let Some(op) = OpaqueOp::ALL.into_iter().find(|op| op.name() == name) {
            let args = self.arguments()?;
            if args.len() != 2 && !op.is_associative_commutative() {
                return self.fail(format!("{name} has two arguments"));
            }
            return Ok(self.space.op(op, args));
        }
        if let Some((signed, bits)) = width(name) {
            self.expect("(")?;
            let value = self.sum()?;
            self.expect(")")?;
            return Ok(self.space.wrap(signed, bits, &value));
        }
        self.at = start;
        self.fail(format!("{name} is not known"))
    }

    fn arguments(&mut self) -> Result<Vec<Polynomial>, ParseError> {
        self.expect("(")?;
        let mut args = vec![self.sum()?];
        while self.take(",") {
            args.push(self.sum()?);
        }
        self.expect(")")?;
        Ok(args)
    }

    /// What follows `load`: size, `u` or a range unless signed of its width, the memory state unless 0, the member between backticks where it is
    /// known, and the address.
    fn load(&mut self, form: &str) -> Result<Polynomial, ParseError> {
        let (size, signed) = match form.strip_suffix('u') {
            Some(size) => (size, Signedness::Unsigned),
            None => (form, Signedness::Signed),
        };
        let Some((bytes, bits)) =
            size.parse::<u64>().ok().and_then(|n| Some((n, u32::try_from(n.checked_mul(8)?).ok()?)))
        else {
            return self.fail("expected load, a size in bytes, and an address in parentheses");
        };
        if bits > MAX_BITS {
            return self.fail("loaded integers are not that large");
        }
        let range = if self.rest().starts_with('[') { self.interval()? } else { Interval::of_width(bits, signed) };
        let epoch = if self.take("@") { self.number()?.to_u64().and_then(|n| u32::try_from(n).ok()) } else { Some(0) };
        let Some(epoch) = epoch else {
            return self.fail("expected the number of a memory state");
        };
        let member = if self.take("`") { Some(self.take_while(|c| c != '`')) } else { None };
        if member.is_some() {
            self.expect("`")?;
        }
        self.expect("(")?;
        let address = self.sum()?;
        self.expect(")")?;
        let load = self.space.load(address, bytes, epoch, range);
        if let (Some(member), Some(atom)) = (member, load.as_atom()) {
            self.space.name_member(atom, member);
        }
        Ok(load)
    }

    fn interval(&mut self) -> Result<Interval, ParseError> {
        self.expect("[")?;
        let low = if self.take("-inf") { None } else { Some(self.number()?) };
        self.expect(",")?;
        let high = if self.take("inf") { None } else { Some(self.number()?) };
        self.expect("]")?;
        match Interval::new(low, high) {
            Some(interval) => Ok(interval),
            None => self.fail("the range is empty"),
        }
    }
}

/// Length of the bracketed text at the start, up to the bracket that closes the first.
pub(crate) fn balanced_length(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    text.char_indices().find_map(|(index, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(index + c.len_utf8())
    })
}

/// Reads `i32`, `u64` and the like.
fn width(name: &str) -> Option<(Signedness, u32)> {
    let (signed, bits) = match name.strip_prefix('i') {
        Some(bits) => (Signedness::Signed, bits),
        None => (Signedness::Unsigned, name.strip_prefix('u')?),
    };
    let bits = bits.parse().ok().filter(|bits| *bits <= MAX_BITS)?;
    Some((signed, bits))
}
