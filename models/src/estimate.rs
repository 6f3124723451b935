//! A predicted time and what it is made of.

use std::fmt;

use crate::error::ModelError;
use crate::quantity::{Bytes, BytesPerSecond, Cycles, Seconds};

/// A predicted time.
///
/// Invariant: the terms of `terms` are in seconds and add up to `total`, which is a finite number.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    total: Seconds,
    terms: Vec<Term>,
    apart: Vec<Term>,
    assumptions: Vec<Assumption>,
    bound_by: Bound,
}

impl Estimate {
    /// The sum of `terms`; what is `apart` does not count.
    ///
    /// # Errors
    /// If the sum is no number.
    pub(crate) fn of(
        terms: Vec<Term>,
        apart: Vec<Term>,
        assumptions: Vec<Assumption>,
        bound_by: Bound,
    ) -> Result<Estimate, ModelError> {
        debug_assert!(terms.iter().chain(&apart).all(|term| term.unit == Unit::Seconds));
        let total: f64 = terms.iter().map(|term| term.value).sum();
        if !total.is_finite() || total < 0.0 {
            return Err(ModelError::new("total", total, "a time; the inputs are too far apart"));
        }
        let bound_by = if total == 0.0 { Bound::Nothing } else { bound_by };
        // An empty sum is -0, which people need not see.
        Ok(Estimate { total: Seconds::new(total + 0.0), terms, apart, assumptions, bound_by })
    }

    /// How long it takes.
    pub fn total(&self) -> Seconds {
        self.total
    }

    /// What adds up to the total.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// What happens beside, such as the first launch's preparations; not in the total.
    pub fn apart(&self) -> &[Term] {
        &self.apart
    }

    /// What was taken for granted.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// What would have to be faster for the whole to be.
    pub fn bound_by(&self) -> Bound {
        self.bound_by
    }

    /// The term of that name, wherever it is.
    pub fn term(&self, name: &str) -> Option<&Term> {
        self.terms.iter().chain(&self.apart).find_map(|term| term.find(name))
    }
}

/// A named number of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The paper's name of it, or the field's.
    pub name: String,
    /// How it is computed.
    pub equation: Equation,
    /// How much it is.
    pub value: f64,
    /// Of what.
    pub unit: Unit,
    /// What it is computed from.
    pub children: Vec<Term>,
}

impl Term {
    pub(crate) fn new(name: impl Into<String>, equation: Equation, value: impl Into<Measured>) -> Term {
        let Measured(value, unit) = value.into();
        // An empty sum is -0, which people need not see.
        Term { name: name.into(), equation, value: value + 0.0, unit, children: Vec::new() }
    }

    pub(crate) fn with_parts(mut self, children: impl IntoIterator<Item = Term>) -> Term {
        self.children.extend(children);
        self
    }

    /// The term of that name, itself or a part of it.
    pub fn find(&self, name: &str) -> Option<&Term> {
        if self.name == name { Some(self) } else { self.children.iter().find_map(|child| child.find(name)) }
    }
}

/// A formula and where it is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equation {
    /// In the names of the terms and inputs.
    pub text: &'static str,
    /// The paper, or `input`, or the name of the extension.
    pub source: &'static str,
}

impl Equation {
    pub(crate) const fn new(text: &'static str, source: &'static str) -> Equation {
        Equation { text, source }
    }
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Time.
    Seconds,
    /// Time by the processor's clock.
    Cycles,
    /// Data.
    Bytes,
    /// Data over time.
    BytesPerSecond,
    /// A number of things, or a quotient.
    Count,
}

/// A number with its unit.
pub(crate) struct Measured(f64, Unit);

macro_rules! measured {
    ($type:ty, $unit:expr) => {
        impl From<$type> for Measured {
            fn from(quantity: $type) -> Measured {
                Measured(quantity.get(), $unit)
            }
        }
    };
}
measured!(Seconds, Unit::Seconds);
measured!(Cycles, Unit::Cycles);
measured!(Bytes, Unit::Bytes);
measured!(BytesPerSecond, Unit::BytesPerSecond);

impl From<f64> for Measured {
    fn from(count: f64) -> Measured {
        Measured(count, Unit::Count)
    }
}

/// What was taken for granted, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption(pub String);

/// What a time depends on most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Computation in the paper's sense.
    Computation,
    /// The rate at which instructions can start.
    Issue,
    /// One kind of arithmetic unit.
    Pipe(crate::gpu::Pipe),
    /// Waiting for single accesses, with too few others meanwhile.
    Latency,
    /// The first cache's throughput.
    L1,
    /// The throughput of the cache behind the first.
    L2,
    /// Atomic updates of one place, which are made one after the other.
    Updates,
    /// The throughput of a CPU's caches.
    Caches,
    /// The memory's throughput.
    Memory,
    /// Starting, ending and handing out work.
    Overhead,
    /// The link between host and device.
    Link,
    /// Nothing is to be done.
    Nothing,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Computation => f.write_str("computation"),
            Bound::Issue => f.write_str("instruction issue"),
            Bound::Pipe(pipe) => write!(f, "{pipe} units"),
            Bound::Latency => f.write_str("latency"),
            Bound::L1 => f.write_str("L1 throughput"),
            Bound::L2 => f.write_str("L2 throughput"),
            Bound::Updates => f.write_str("atomic updates"),
            Bound::Caches => f.write_str("cache throughput"),
            Bound::Memory => f.write_str("memory bandwidth"),
            Bound::Overhead => f.write_str("overhead"),
            Bound::Link => f.write_str("transfers"),
            Bound::Nothing => f.write_str("nothing"),
        }
    }
}

macro_rules! displayed {
    ($($type:ty, $unit:expr;)+) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (number, unit) = scaled(self.get(), $unit);
                f.pad(&format!("{number} {unit}"))
            }
        }
    )+};
}
displayed! {
    Seconds, Unit::Seconds;
    Bytes, Unit::Bytes;
}

/// The table for people: terms with their values and equations, indented under what they explain.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = Vec::new();
        self.terms.iter().for_each(|term| rows_of(term, 1, &mut rows));
        if !self.apart.is_empty() {
            rows.push(["apart from that".to_owned(), String::new(), String::new(), String::new()]);
            self.apart.iter().for_each(|term| rows_of(term, 1, &mut rows));
        }
        let [names, numbers, units] =
            [0, 1, 2].map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
        let (number, unit) = scaled(self.total.get(), Unit::Seconds);
        writeln!(f, "{number} {unit}, bound by {}", self.bound_by)?;
        for [name, number, unit, equation] in &rows {
            let row = format!("{name:names$}  {number:>numbers$} {unit:units$}  {equation}");
            writeln!(f, "{}", row.trim_end())?;
        }
        self.assumptions.iter().try_for_each(|Assumption(text)| writeln!(f, "assumed: {text}"))
    }
}

fn rows_of(term: &Term, depth: usize, rows: &mut Vec<[String; 4]>) {
    let (number, unit) = scaled(term.value, term.unit);
    rows.push([
        format!("{:indent$}{}", "", term.name, indent = 2 * depth),
        number,
        unit.to_owned(),
        format!("{} ({})", term.equation.text, term.equation.source),
    ]);
    term.children.iter().for_each(|child| rows_of(child, depth + 1, rows));
}

/// A number and its unit, with the prefix that people would take.
fn scaled(value: f64, unit: Unit) -> (String, &'static str) {
    let scales: &[(f64, &str)] = match unit {
        Unit::Seconds => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")],
        Unit::Bytes => &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")],
        Unit::BytesPerSecond => &[(1e9, "GB/s"), (1e6, "MB/s"), (1.0, "B/s")],
        Unit::Cycles => &[(1.0, "cycles")],
        Unit::Count => &[(1.0, "")],
    };
    let smallest = scales[scales.len() - 1];
    let (scale, name) = scales.iter().copied().find(|(scale, _)| value >= *scale).unwrap_or(smallest);
    let number = value / scale;
    let text = if number >= 1e12 {
        format!("{number:.4e}")
    } else if number.fract() == 0.0 {
        format!("{number:.0}")
    } else {
        let digits = (4 - number.log10().floor() as i32).clamp(0, 6);
        format!("{number:.*}", digits as usize)
    };
    (text, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: Equation = Equation::new("a + b", "arithmetic");

    fn seconds(name: &str, value: f64) -> Term {
        Term::new(name, SUM, Seconds::new(value))
    }

    #[test]
    fn terms_add_up_and_what_is_apart_does_not() {
        let estimate =
            Estimate::of(vec![seconds("a", 1.0), seconds("b", 2.0)], vec![seconds("c", 8.0)], vec![], Bound::Latency);
        assert_eq!(estimate.expect("numbers").total(), Seconds::new(3.0));
    }

    #[test]
    fn what_is_no_number_is_an_error() {
        let error = Estimate::of(vec![seconds("a", f64::INFINITY)], vec![], vec![], Bound::Nothing).expect_err("no");
        assert_eq!(error.to_string(), "total is inf, expected a time; the inputs are too far apart");
        assert!(Estimate::of(vec![seconds("a", f64::NAN)], vec![], vec![], Bound::Nothing).is_err());
    }

    #[test]
    fn the_table_shows_names_values_equations_and_assumptions() {
        let part = Term::new("warps", Equation::new("n / 32", "input"), 7.5);
        let moved = Term::new("moved", Equation::new("b", "input"), Bytes::new(2.5e6));
        let run = seconds("run", 0.00125).with_parts([part, moved]);
        let all = Estimate::of(vec![run], vec![], vec![Assumption("loops run 128 times".to_owned())], Bound::Memory);
        assert_eq!(
            all.expect("numbers").to_string(),
            "1.2500 ms, bound by memory bandwidth\n  \
               run      1.2500 ms  a + b (arithmetic)\n    \
                 warps  7.5000     n / 32 (input)\n    \
                 moved  2.5000 MB  b (input)\n\
             assumed: loops run 128 times\n"
        );
    }
}
