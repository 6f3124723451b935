//! Inputs for which a model has no meaning.

use thiserror::Error;

/// Why a model gives no time: one of its inputs cannot be, or the result is beyond all numbers.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{parameter} is {found}, expected {expected}")]
pub struct ModelError {
    /// The input, as its field is called.
    pub parameter: &'static str,
    /// Its value.
    pub found: String,
    /// What it can be.
    pub expected: &'static str,
}

impl ModelError {
    pub(crate) fn new(parameter: &'static str, found: impl ToString, expected: &'static str) -> ModelError {
        ModelError { parameter, found: found.to_string(), expected }
    }
}

/// The largest input that is believed. All of them are far below; their products stay finite.
const LARGEST: f64 = 1e30;

/// The smallest that is believed of those that are divided by.
const SMALLEST: f64 = 1e-30;

/// A number in a sentence: with an exponent where it has too many digits to be read.
fn shown(value: f64) -> String {
    if value.abs() < 1e15 { value.to_string() } else { format!("{value:.3e}") }
}

/// `value`, if it is a number above 0.
pub(crate) fn positive(parameter: &'static str, value: f64) -> Result<f64, ModelError> {
    if (SMALLEST..=LARGEST).contains(&value) {
        Ok(value)
    } else {
        Err(ModelError::new(parameter, shown(value), "a number above 0, from 1e-30 to 1e30"))
    }
}

/// `value`, if it is a number that is not below 0.
pub(crate) fn non_negative(parameter: &'static str, value: f64) -> Result<f64, ModelError> {
    if (0.0..=LARGEST).contains(&value) {
        Ok(value)
    } else {
        Err(ModelError::new(parameter, shown(value), "a number from 0 to 1e30"))
    }
}

/// `value`, if it is a number that is not below 1.
pub(crate) fn at_least_one(parameter: &'static str, value: f64) -> Result<f64, ModelError> {
    if (1.0..=LARGEST).contains(&value) {
        Ok(value)
    } else {
        Err(ModelError::new(parameter, shown(value), "a number from 1 to 1e30"))
    }
}

/// `value`, if it is part of a whole.
pub(crate) fn share(parameter: &'static str, value: f64) -> Result<f64, ModelError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(ModelError::new(parameter, shown(value), "a share from 0 to 1"))
    }
}

/// `value`, if there is one at least.
pub(crate) fn some(parameter: &'static str, value: u64) -> Result<u64, ModelError> {
    if value > 0 { Ok(value) } else { Err(ModelError::new(parameter, value, "at least 1")) }
}
