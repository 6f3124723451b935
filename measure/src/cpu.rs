//! The description of the processors that this runs on.

use std::path::Path;

use crate::chase::{Chase, Order, SIDE_BY_SIDE};
use crate::clock;
use crate::entry::{Stated, Text, four_digits};
use crate::machine::{Cache, Machine};
use crate::openmp;
use crate::pages::{HUGE, Pages};
use crate::samples::Samples;
use crate::stream::{self, Work};
use crate::threads;

/// How long to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// About a second, to see that it works: figures that are not to be kept.
    Quick,
    /// About a minute.
    Thorough,
}

impl Effort {
    pub(crate) fn samples(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Thorough => 15,
        }
    }

    /// Samples that take less than some milliseconds each, so that the system leaves some of them undisturbed on a busy machine too.
    pub(crate) fn short_samples(self) -> usize {
        match self {
            Effort::Quick => 20,
            Effort::Thorough => 300,
        }
    }

    /// The most bytes of one buffer.
    pub(crate) fn max_bytes(self) -> usize {
        match self {
            Effort::Quick => 16 << 20,
            Effort::Thorough => 1 << 30,
        }
    }
}

/// Loads of a sample of a pointer chase: from microseconds to a few milliseconds.
pub(crate) const LOADS: usize = 20_000;
/// The line that is taken where the system states none.
const USUAL_LINE: usize = 64;
/// A buffer that is to miss a cache is so many times as large.
const MISSES: usize = 8;
/// Pages that a first level of translation buffers cannot know, and that no level can.
const BEYOND_FIRST: usize = 256;
const BEYOND_ALL: usize = 16_384;
const SYSTEM: &str = "Linux on the machine, /sys/devices/system/cpu";

/// A description of this machine with that name, measured with up to `threads` threads, all processors where there is none.
pub fn measure_cpu(name: &str, threads: Option<usize>, effort: Effort) -> String {
    let machine = Machine::of(Path::new("/"));
    let threads = threads.unwrap_or(machine.processors).max(1);
    let clock = clock::clock(effort.short_samples());
    let bench = Bench { hertz: clock.as_ref().ok().map(|(samples, _)| samples.max), machine, threads, effort };
    let model = bench.machine.model.clone().unwrap_or_else(|| "processor without a name".into());
    let mut text = Text::new(&format!("ipda hw measure {}, on {model}", env!("CARGO_PKG_VERSION")));
    text.words("kind", "cpu");
    text.words("name", name);
    text.words("product", &format!("{model}, {} processors", bench.machine.processors));
    text.words("architecture", std::env::consts::ARCH);
    text.words("processor", "native");
    let clock = match clock {
        Ok((samples, method)) => {
            Stated::measured(samples.max / 1e9, "GHz", format!("{method}; {}", samples.spread_from_best()))
        }
        Err(why) => Stated::Unknown(why),
    };
    bench.chip(&mut text, &clock);
    bench.caches(&mut text);
    bench.tlb(&mut text);
    bench.memory(&mut text);
    bench.openmp(&mut text);
    text.finish()
}

/// The cache below the one that is measured.
struct Below {
    bytes: usize,
    /// Of a load that hits it.
    seconds: f64,
}

/// What all of the measurements need.
struct Bench {
    machine: Machine,
    hertz: Option<f64>,
    threads: usize,
    effort: Effort,
}

impl Bench {
    /// A time in cycles of the clock that was measured.
    fn cycles(&self, seconds: f64, method: String) -> Stated {
        match self.hertz {
            Some(hertz) => Stated::measured(seconds * hertz, "cycles", method),
            None => Stated::Unknown(format!("{} ns, but the clock is not known: {method}", four_digits(seconds * 1e9))),
        }
    }

    fn line(&self) -> usize {
        self.machine.line().unwrap_or(USUAL_LINE)
    }

    fn chase(&self, bytes: usize, order: Order, pages: Pages) -> Samples {
        let bytes = bytes.min(self.effort.max_bytes());
        // Where the system gives no huge pages, lines are still in an order that no prefetcher follows.
        let page = if pages == Pages::Huge { HUGE.min(bytes) } else { self.machine.page };
        let chase = Chase { bytes, line: self.line(), page, order, pages };
        chase.seconds_per_load(LOADS, self.effort.short_samples())
    }

    fn chip(&self, text: &mut Text, clock: &Stated) {
        let machine = &self.machine;
        let said = |count: Option<usize>, unit| {
            let fact = count.map(|count| Stated::fact(count, unit, &format!("{SYSTEM}/cpu*/topology")));
            Stated::or_unknown(fact, "the system does not say")
        };
        let cores_of_socket = machine.cores.zip(machine.sockets).map(|(cores, sockets)| cores / sockets);
        text.section("chip");
        text.value("sockets", &said(machine.sockets, "sockets"));
        text.value("cores", &said(cores_of_socket, "cores"));
        text.value("threads_per_core", &said(machine.threads_per_core(), "threads"));
        text.value("base_clock", &Stated::Unknown("what the maker promises cannot be measured".into()));
        text.value("clock", clock);
        text.value("turbo_clock", &Stated::Unknown("only the clock that a core had was measured".into()));
        text.value("issue_width", &Stated::Unknown("LLVM's scheduling models state it".into()));
        text.value("smt_throughput", &Stated::Unknown("not measured".into()));
        text.value("vector", &Stated::Unknown("the target's features state it".into()));
        let cost = |work, words| Stated::or_unknown(self.across_lines(work, words), "the system states no first cache");
        text.value("load_across_lines", &cost(Work::Read, "reads"));
        text.value("store_across_lines", &cost(Work::Update, "changes"));
    }

    /// What each line takes longer where vectors lie across lines, in the first cache.
    fn across_lines(&self, work: Work, words: &str) -> Option<Stated> {
        /// Half of the widest vector that is used: one of those that touch the line's end lies across it.
        const BEHIND: usize = 2;
        let bytes = self.machine.caches[0]?.bytes / 2;
        let seconds = |behind: usize| {
            let rates = stream::again(work, bytes, behind, self.effort.short_samples());
            (self.line() as f64 / rates.max, rates)
        };
        let ((within, _), (across, rates)) = (seconds(0), seconds(BEHIND));
        let method = format!(
            "one thread {words} {} KiB again and again, from 16 bytes behind the begin of a line on, less the same from there on; {}",
            bytes / 1024,
            rates.spread_from_best()
        );
        Some(self.cycles(across - within, method))
    }

    fn caches(&self, text: &mut Text) {
        let mut below = Below { bytes: 0, seconds: 0.0 };
        let mut nearer = 0;
        for (at, name) in ["l1d", "l2", "l3"].into_iter().enumerate() {
            text.section(name);
            let cache = self.machine.caches[at];
            let said = |value: Option<usize>, unit| {
                let source = format!("{SYSTEM}/cpu0/cache");
                Stated::or_unknown(
                    value.filter(|value| *value > 0).map(|value| Stated::fact(value, unit, &source)),
                    "the system does not say",
                )
            };
            let cores = |cache: Cache| cache.sharing / self.machine.threads_per_core().unwrap_or(1);
            text.value("size", &said(cache.map(|cache| cache.bytes), "bytes"));
            text.value("ways", &said(cache.map(|cache| cache.ways), "ways"));
            let latency = cache.map(|cache| self.latency(cache, &mut below));
            text.value("latency", &Stated::or_unknown(latency, "the system states no such cache"));
            text.value("cores", &said(cache.map(cores), "cores"));
            for (key, work, words) in
                [("bandwidth", Work::Read, "reads"), ("update_bandwidth", Work::Update, "changes every word of")]
            {
                let bandwidth = cache.map(|cache| self.cache_bandwidth(cache, nearer, work, words));
                text.value(key, &Stated::or_unknown(bandwidth, "the system states no such cache"));
            }
            nearer = cache.map_or(nearer, |cache| cache.bytes);
        }
    }

    /// A load that hits the cache and misses the one below it, which this one is afterwards.
    fn latency(&self, cache: Cache, below: &mut Below) -> Stated {
        let bytes = within(cache, below.bytes);
        let samples = self.chase(bytes, Order::PageByPage, Pages::Huge);
        let words =
            format!("pointer chase through {} KiB, elements in random order within each huge page", bytes / 1024);
        let seconds = samples.min;
        let slower = seconds >= below.seconds;
        *below = Below { bytes: cache.bytes, seconds: seconds.max(below.seconds) };
        if slower {
            self.cycles(seconds, format!("{words}; {}", samples.spread_from_best()))
        } else {
            Stated::Unknown(format!("measuring gave less than for the level below: {words}"))
        }
    }

    /// What one thread gets from a cache when what it uses fits, and does not fit into the one before.
    fn cache_bandwidth(&self, cache: Cache, nearer: usize, work: Work, words: &str) -> Stated {
        let bytes = within(cache, nearer);
        let samples = stream::again(work, bytes, 0, self.effort.short_samples());
        let method = format!("one thread {words} {} KiB again and again; {}", bytes / 1024, samples.spread_from_best());
        match self.hertz {
            Some(hertz) => Stated::measured(samples.max / hertz, "bytes/cycle", method),
            None => Stated::Unknown(format!("the clock is not known: {method}")),
        }
    }

    fn tlb(&self, text: &mut Text) {
        text.section("tlb");
        text.value(
            "page",
            &Stated::fact(self.machine.page, "bytes", "Linux on the machine, /proc/self/smaps, KernelPageSize"),
        );
        text.value("l1_entries", &Stated::Unknown("the processor's manual states it".into()));
        text.value("l2_entries", &self.translations_kept());
        let of_second = self.translation(BEYOND_FIRST, "more than a first level of up to 128 entries holds");
        let walk = self.translation(BEYOND_ALL, "more than any level's buffer holds");
        text.value("l2_latency", &of_second);
        text.value("walk", &walk);
        text.value("walks", &self.walks_at_a_time());
    }

    /// How much less time walks take that need not wait for each other.
    fn walks_at_a_time(&self) -> Stated {
        let one = self.cost_of_translation(BEYOND_ALL).0;
        let side_by_side = |bytes: usize, order: Order, pages: Pages| {
            let page = if pages == Pages::Huge { HUGE.min(bytes) } else { self.machine.page };
            let chase = Chase { bytes, line: self.line(), page, order, pages };
            chase.seconds_per_load_side_by_side(LOADS, self.effort.short_samples())
        };
        let pages = self.affordable(BEYOND_ALL);
        let scattered = side_by_side(pages * self.machine.page, Order::OneLineEachPage, Pages::Base);
        let dense = side_by_side(pages * self.line(), Order::PageByPage, Pages::Huge);
        let each = scattered.min - dense.min;
        let method = format!(
            "{SIDE_BY_SIDE} pointer chases at a time, one line of each of {pages} pages, less the same lines side by side in huge pages, over one; {}",
            scattered.spread_from_best()
        );
        if one > 0.0 && each > 0.0 {
            Stated::measured((one / each).max(1.0), "times", method)
        } else {
            Stated::Unknown(format!("translations cost nothing that can be measured: {method}"))
        }
    }

    /// The most pages of those tried whose translations cost less than the geometric mean of a first level's misses and of walks beyond all
    /// levels. (Those just beyond the last level walk through page tables that are in a near cache.)
    fn translations_kept(&self) -> Stated {
        let cost = |pages: usize| self.cost_of_translation(pages).0;
        let (kept, walked) = (cost(BEYOND_FIRST), cost(BEYOND_ALL));
        let tried: Vec<usize> =
            (0..).map(|step| BEYOND_FIRST << step).take_while(|pages| *pages < BEYOND_ALL).collect();
        let steps = tried.iter().flat_map(|pages| [*pages, pages * 5 / 4, pages * 3 / 2, pages * 7 / 4]);
        let known = steps.take_while(|pages| cost(*pages) < (kept * walked).sqrt()).last();
        match known {
            Some(pages) if walked > 2.0 * kept => Stated::Measured {
                value: pages.to_string(),
                unit: "entries",
                method: format!(
                    "pointer chase, one line of each of so many pages: the most, in steps of a quarter, that cost less than the \
                     geometric mean of {BEYOND_FIRST} and {BEYOND_ALL}"
                ),
            },
            _ => Stated::Unknown("measuring gave no number of pages beyond which translations cost more".into()),
        }
    }

    /// What a line a page costs more than the same number of lines side by side.
    fn translation(&self, pages: usize, words: &str) -> Stated {
        let (seconds, scattered) = self.cost_of_translation(pages);
        let method = format!(
            "pointer chase, one line of each of {} pages, {words}, less the same lines side by side in huge pages; {}",
            self.affordable(pages),
            scattered.spread_from_best()
        );
        self.cycles(seconds, method)
    }

    fn affordable(&self, pages: usize) -> usize {
        pages.min(self.effort.max_bytes() / self.machine.page)
    }

    fn cost_of_translation(&self, pages: usize) -> (f64, Samples) {
        let pages = self.affordable(pages);
        let scattered = self.chase(pages * self.machine.page, Order::OneLineEachPage, Pages::Base);
        let dense = self.chase(pages * self.line(), Order::PageByPage, Pages::Huge);
        (scattered.min - dense.min, scattered)
    }

    fn memory(&self, text: &mut Text) {
        text.section("memory");
        let line = Stated::fact(self.line(), "bytes", &format!("{SYSTEM}/cpu0/cache, coherency_line_size"));
        text.value("line", &line);
        text.value("bandwidth", &Stated::Unknown("what the interface could carry cannot be measured".into()));
        let bytes = (self.machine.last_level().unwrap_or(32 << 20) * MISSES).min(self.effort.max_bytes());
        let by_threads = |work: Work| -> Vec<(usize, Samples)> {
            let of = |threads| stream::together(work, threads, (bytes / threads).max(1 << 20), self.effort.samples());
            thread_counts(self.threads).into_iter().map(|threads| (threads, of(threads))).collect()
        };
        let rates = by_threads(Work::Read);
        let method = format!("threads read {} MiB from end to end, none of it twice; ", bytes >> 20);
        let rate = |at: Option<&(usize, Samples)>| {
            let stated = at.map(|(threads, samples)| {
                let words = format!("{method}{threads} threads; {}", samples.spread());
                Stated::measured(samples.median / 1e9, "GB/s", words)
            });
            Stated::or_unknown(stated, "nothing was measured")
        };
        let best = rates.iter().max_by(|a, b| a.1.median.total_cmp(&b.1.median));
        text.value("sustained_bandwidth", &rate(best));
        text.value("core_bandwidth", &rate(rates.first()));
        let table = |rates: &[(usize, Samples)], method: String| {
            let point =
                |(threads, samples): &(usize, Samples)| format!("{threads}: {}", four_digits(samples.median / 1e9));
            let points: Vec<String> = rates.iter().map(point).collect();
            let value = format!("{{{}}}", points.join(", "));
            Stated::Measured { value, unit: "GB/s", method }
        };
        text.value("bandwidth_by_threads", &table(&rates, format!("{method}median of {}", self.effort.samples())));
        let method = format!(
            "threads change every word of {} MiB from end to end, none of it twice, bytes that come counted; median of {}",
            bytes >> 20,
            self.effort.samples()
        );
        text.value("updates_by_threads", &table(&by_threads(Work::Update), method));
        let latency = self.chase(bytes, Order::PageByPage, Pages::Huge);
        let words =
            format!("pointer chase through {} MiB, elements in random order within each huge page", bytes >> 20);
        let method = format!("{words}; {}", latency.spread_from_best());
        text.value("latency", &Stated::measured(latency.min * 1e9, "ns", method));
    }

    fn openmp(&self, text: &mut Text) {
        text.section("openmp");
        let making = threads::seconds_to_make(self.effort.samples());
        let method =
            format!("{} threads made by one, until the last has begun, each; {}", threads::MADE, making.spread());
        text.value("thread", &Stated::measured(making.median * 1e6, "us", method));
        let keys = ["startup", "join", "static_schedule", "teams_schedule", "dynamic_schedule", "synchronisation"];
        match openmp::measure(self.threads, self.effort.samples()) {
            Ok(costs) => {
                text.value(
                    "threads",
                    &Stated::fact(self.threads, "threads", "as given to `ipda hw measure` or found by it"),
                );
                let said = [
                    (&costs.startup, "from the call to when the last thread has begun an empty region"),
                    (&costs.join, "from when the last thread is done with an empty region to the call's end"),
                    (&costs.static_schedule, "asking for a share of a loop, without work, the slowest thread"),
                    (&costs.teams_schedule, "asking for a team's share of a loop, without work"),
                    (&costs.dynamic_schedule, "asking for chunks of one iteration, without work, the slowest thread"),
                    (&costs.barrier, "barriers one after another, the slowest thread"),
                ];
                for (key, (samples, words)) in keys.into_iter().zip(said) {
                    let method = format!("{words}; {}; {}", costs.library, samples.spread());
                    text.value(key, &self.cycles(samples.median, method));
                }
            }
            Err(why) => {
                let unknown = Stated::Unknown(format!("no libomp could be used: {why}"));
                text.value("threads", &unknown);
                keys.into_iter().for_each(|key| text.value(key, &unknown));
            }
        }
        text.value(
            "loop_overhead",
            &Stated::Unknown("the machine-code analyser counts a loop's own instructions".into()),
        );
    }
}

/// Bytes that fit into a cache and not into the one before: half of a core's own; of one that is shared an eighth, since others fill it too.
fn within(cache: Cache, nearer: usize) -> usize {
    let part = if cache.sharing > 1 { cache.bytes / 8 } else { cache.bytes / 2 };
    part.max((nearer * 3).min(cache.bytes))
}

/// 1, 2, 4 and so on, and all.
fn thread_counts(all: usize) -> Vec<usize> {
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|count| *count < all).collect();
    counts.push(all);
    counts
}

#[cfg(test)]
mod tests {
    use super::thread_counts;

    #[test]
    fn numbers_of_threads() {
        assert_eq!(
            [1, 2, 3, 8, 9].map(thread_counts),
            [vec![1], vec![1, 2], vec![1, 2, 3], vec![1, 2, 4, 8], vec![1, 2, 4, 8, 9]]
        );
    }
}
