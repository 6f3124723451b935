//! What the plugin found in a region, in the form that the time models read and that report files carry.
#![forbid(unsafe_code)]

pub mod report;
