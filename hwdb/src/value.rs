//! A value with where it comes from, or why there is none.

use std::fmt;

use crate::units::Quantity;

/// How sure a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A public document states it.
    Fact,
    /// Somebody measured it and says how.
    Measured,
    /// A public document is remembered to state it; nobody looked it up for the entry.
    Unverified,
    /// Concluded from something else: what rests on it should say so.
    Estimate,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Fact => "fact",
            Kind::Measured => "measured",
            Kind::Unverified => "unverified",
            Kind::Estimate => "estimate",
        })
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// A document states it.
    Fact {
        /// The document and the place in it.
        source: String,
    },
    /// It was measured.
    Measured {
        /// Who did, and where it can be read.
        by: String,
        /// By which method.
        method: String,
    },
    /// A document is remembered to state it.
    Unverified {
        /// The document and the place in it where it should be.
        source: String,
    },
    /// It was concluded.
    Estimate {
        /// What from.
        basis: String,
    },
}

impl Evidence {
    /// How sure it makes the value.
    pub fn kind(&self) -> Kind {
        match self {
            Evidence::Fact { .. } => Kind::Fact,
            Evidence::Measured { .. } => Kind::Measured,
            Evidence::Unverified { .. } => Kind::Unverified,
            Evidence::Estimate { .. } => Kind::Estimate,
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Fact { source } | Evidence::Unverified { source } => f.write_str(source),
            Evidence::Measured { by, method } => write!(f, "{by} ({method})"),
            Evidence::Estimate { basis } => f.write_str(basis),
        }
    }
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Value<T> {
    key: String,
    value: T,
    evidence: Evidence,
}

impl<T> Value<T> {
    pub(crate) fn new(key: String, value: T, evidence: Evidence) -> Value<T> {
        Value { key, value, evidence }
    }

    /// The key in the entry, such as `memory.l2_latency`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Where it comes from.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// How sure it is.
    pub fn kind(&self) -> Kind {
        self.evidence.kind()
    }

    /// The value, for types that are no copies.
    pub fn value(&self) -> &T {
        &self.value
    }
}

impl<T: Copy> Value<T> {
    /// The value.
    pub fn get(&self) -> T {
        self.value
    }
}

#[expect(private_bounds, reason = "quantities are this crate's to define")]
impl<T: Quantity> Value<T> {
    /// What a result that uses the value rests on, where it is an estimate or was not verified: key, value, kind and where it comes from.
    pub fn assumption(&self) -> Option<String> {
        match self.kind() {
            Kind::Estimate | Kind::Unverified => {
                Some(format!("{} = {} ({}: {})", self.key, self.value.show(), self.kind(), self.evidence))
            }
            Kind::Fact | Kind::Measured => None,
        }
    }
}

/// Why an entry has no value for a key: never a zero.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is not known: {reason}")]
pub struct Missing {
    /// The key, such as `memory.l2_latency`.
    pub key: String,
    /// The entry's reason, or that it says nothing.
    pub reason: String,
}

/// A value that an entry need not have.
pub type Known<T> = Result<Value<T>, Missing>;

/// One key of an entry as people see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The key, such as `memory.l2_latency`.
    pub key: String,
    /// The value with its unit and where it comes from, or why there is none.
    pub value: Result<(String, Evidence), Missing>,
}

/// Both kinds of fields, for those who list them.
pub(crate) trait Shown {
    fn parameter(&self, key: String) -> Parameter;
}

impl<T: Quantity> Shown for Value<T> {
    fn parameter(&self, key: String) -> Parameter {
        Parameter { key, value: Ok((self.value.show(), self.evidence.clone())) }
    }
}

impl<T: Quantity> Shown for Known<T> {
    fn parameter(&self, key: String) -> Parameter {
        match self {
            Ok(value) => value.parameter(key),
            Err(missing) => Parameter { key, value: Err(missing.clone()) },
        }
    }
}
