//! Reports people: remarks, reports, text.

pub(crate) mod emit;
pub(crate) mod nests;
pub(crate) mod print;
mod remark;
