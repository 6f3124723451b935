//! What the plugin found in a region, in the form that the time models read and that report files carry; and the time models.
//!
//! The models are pure functions from numbers to an [`Estimate`]; `docs/research/models.md` lists their equations.
#![forbid(unsafe_code)]

pub mod closed;
pub mod cpu;
pub mod error;
pub mod estimate;
mod expressions;
pub mod files;
pub mod form;
pub mod gpu;
pub mod hash;
pub mod machine;
pub mod options;
pub mod policy;
pub mod predict;
pub mod quantity;
pub mod report;
mod reuse;
pub mod sizes;
pub mod source;
pub mod spread;
pub mod summary;
pub mod table;
pub mod transfer;
pub mod versions;
pub mod waiting;
pub mod yaml;

pub use error::ModelError;
pub use estimate::{Assumption, Bound, Equation, Estimate, Term, Unit};
