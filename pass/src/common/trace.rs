//! What the plugin prints of its own work on standard error, where `IPDA_TRACE` asks for it: a line for each step, with the phase that it is of, or a
//! table of how long they took.

use ipda_models::options::Trace;
use ipda_models::report::Side;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::Write;
use std::time::{Duration, Instant};

/// Regions that a table names.
const MAX_REGIONS: usize = 10;

/// Tells of one compilation: of what the plugin does when it is called once.
pub(crate) struct Tracer {
    level: Trace,
    side: Side,
    /// What the time before anything is looked at is called.
    first: &'static str,
    phase: Cell<&'static str>,
    start: Instant,
    /// The time of all steps that have ended.
    ended: Cell<Duration>,
    took: RefCell<Vec<Took>>,
}

/// A step's own time, without that of steps inside of it.
struct Took {
    phase: &'static str,
    what: &'static str,
    region: Option<String>,
    time: Duration,
}

impl Tracer {
    pub(crate) fn new(level: Trace, side: Side, phase: &'static str) -> Tracer {
        Tracer {
            level,
            side,
            first: phase,
            phase: Cell::new(phase),
            start: Instant::now(),
            ended: Cell::new(Duration::ZERO),
            took: RefCell::default(),
        }
    }

    /// What comes is of another phase.
    pub(crate) fn enter(&self, phase: &'static str) {
        self.phase.set(phase);
    }

    pub(crate) fn begin<'a>(&'a self, what: &'static str, region: Option<&'a dyn fmt::Display>) -> Step<'a> {
        Step { trace: self, what, region, start: Instant::now(), ended_before: self.ended.get() }
    }

    fn side(&self) -> &'static str {
        match self.side {
            Side::Device => "device",
            Side::Host => "host",
        }
    }

    /// The time by phase and step, then by region.
    fn table(&self) -> String {
        let took = self.took.borrow();
        let mut steps: Vec<(String, usize, Duration)> = Vec::new();
        let mut regions: Vec<(String, usize, Duration)> = Vec::new();
        for Took { phase, what, region, time } in &*took {
            add(&mut steps, format!("{phase}: {what}"), *time);
            if let Some(region) = region {
                add(&mut regions, region.clone(), *time);
            }
        }
        let all = self.start.elapsed();
        regions.sort_by_key(|(_, _, time)| std::cmp::Reverse(*time));
        let rest = regions.split_off(regions.len().min(MAX_REGIONS));
        let mut lines = vec![format!("ipda: {}, {}: {:.1} ms", self.side(), self.first, milliseconds(all))];
        let row = |(name, times, time): &(String, usize, Duration)| {
            format!("ipda:   {name:44} {times:5} times {:9.1} ms", milliseconds(*time))
        };
        lines.extend(steps.iter().map(row));
        let between = all.saturating_sub(self.ended.get());
        lines.push(format!("ipda:   {:50} {:15.1} ms", "between steps", milliseconds(between)));
        lines.extend(regions.iter().map(row));
        if !rest.is_empty() {
            let time = rest.iter().map(|(_, _, time)| *time).sum();
            let name = format!("{} other regions", rest.len());
            lines.push(row(&(name, rest.iter().map(|(_, times, _)| times).sum(), time)));
        }
        lines.join("\n")
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        if self.level == Trace::Time {
            // A closed standard error is no reason to fail, least of all where this falls because something failed.
            let _ = writeln!(std::io::stderr(), "{}", self.table());
        }
    }
}

fn add(sums: &mut Vec<(String, usize, Duration)>, name: String, time: Duration) {
    match sums.iter_mut().find(|(known, ..)| *known == name) {
        Some((_, times, sum)) => {
            *times += 1;
            *sum += time;
        }
        None => sums.push((name, 1, time)),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A step of the work that has begun.
pub(crate) struct Step<'a> {
    trace: &'a Tracer,
    what: &'static str,
    region: Option<&'a dyn fmt::Display>,
    start: Instant,
    ended_before: Duration,
}

impl Step<'_> {
    /// Tells of it, with what came out.
    pub(crate) fn end(self, result: impl fmt::Display) {
        let Step { trace, what, region, start, ended_before } = self;
        match trace.level {
            Trace::Off => {}
            Trace::Phase => {
                let region = region.map(|region| format!(" {region}")).unwrap_or_default();
                let (side, took) = (trace.side(), milliseconds(start.elapsed()));
                eprintln!("ipda: {side}, {}: {what}{region}: {result}, {took:.1} ms", trace.phase.get());
            }
            Trace::Time => {
                let time = start.elapsed().saturating_sub(trace.ended.get() - ended_before);
                trace.ended.set(trace.ended.get() + time);
                let region = region.map(ToString::to_string);
                trace.took.borrow_mut().push(Took { phase: trace.phase.get(), what, region, time });
            }
        }
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
