//! What all layers use: limits of work, why something is left alone, words for calls, the trace.

pub(crate) mod apply;
pub(crate) mod budget;
pub(crate) mod deferred;
pub(crate) mod reject;
pub(crate) mod trace;
pub(crate) mod words;
