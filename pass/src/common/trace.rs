//! What the plugin tells of its own work on standard error, where `IPDA_TRACE` asks for it: a line for each step, with the phase that it is of.

use ipda_models::options::Trace;
use ipda_models::report::Side;
use std::cell::Cell;
use std::fmt;
use std::time::Instant;

/// Tells of one compilation.
pub(crate) struct Tracer {
    level: Trace,
    side: Side,
    phase: Cell<&'static str>,
}

impl Tracer {
    pub(crate) fn new(level: Trace, side: Side, phase: &'static str) -> Tracer {
        Tracer { level, side, phase: Cell::new(phase) }
    }

    /// What comes is of another phase.
    pub(crate) fn enter(&self, phase: &'static str) {
        self.phase.set(phase);
    }

    pub(crate) fn begin<'a>(&'a self, what: &'static str, region: Option<&'a dyn fmt::Display>) -> Step<'a> {
        Step { trace: self, what, region, start: Instant::now() }
    }
}

/// A step of the work that has begun.
pub(crate) struct Step<'a> {
    trace: &'a Tracer,
    what: &'static str,
    region: Option<&'a dyn fmt::Display>,
    start: Instant,
}

impl Step<'_> {
    /// Tells of it, with what came out.
    pub(crate) fn end(self, result: impl fmt::Display) {
        let Step { trace, what, region, start } = self;
        if trace.level == Trace::Off {
            return;
        }
        let side = match trace.side {
            Side::Device => "device",
            Side::Host => "host",
        };
        let region = region.map(|region| format!(" {region}")).unwrap_or_default();
        let took = start.elapsed().as_secs_f64() * 1e3;
        eprintln!("ipda: {side}, {}: {what}{region}: {result}, {took:.1} ms", trace.phase.get());
    }
}

/// The steps of an analysis that are spent.
pub(crate) struct Spent {
    pub steps: u64,
    pub of: u64,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} steps", self.steps, self.of)
    }
}
