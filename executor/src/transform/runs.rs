//! Launches of a kernel as written and as changed, on the same memory.

use super::claims::{Claimed, Touched};
use super::pair::Pair;
use crate::arguments::{Description, Difference, Prepared, difference_beyond_rounding};
use crate::interpreter::{Launch, Observer, Order, Races, WarpAccess, WarpBranch};
use crate::judge::{self, geometry_text};
use crate::memory::Memory;
use crate::subject::{Run, RunError, Subject};
use ipda_models::report::MemoryKind;
use std::fmt;

/// Operations after which a run of the original ends, and one of the changed kernel. With few threads, that asks the runtime for more of
/// them for every iteration than the original took for a row.
const MAX_STEPS: [u64; 2] = [4_000_000, 400_000_000];
/// Differences and races of a kernel beyond which no more are looked for.
const MAX_WRONG: usize = 3;

/// What a kernel is given.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Values and arrays.
    pub description: Description,
    /// Pointers that lead into arrays of other parameters.
    pub overlaps: Vec<Overlap>,
    /// What is special about it, for people.
    pub words: String,
}

/// A pointer that leads so many bytes behind what another one leads to, or before it.
#[derive(Debug, Clone, Copy)]
pub struct Overlap {
    /// The parameter's number.
    pub pointer: usize,
    /// The other's; the same, where a pointer leads into its own array.
    pub of: usize,
    /// Bytes.
    pub bytes: i64,
}

/// How many launches a kernel is put to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// A few, for what the plugin says it has left alone.
    Little,
    /// All orders in one geometry, and two in each of some others.
    Usual,
}

impl Effort {
    /// How many setups are enough for a few launches.
    pub(super) const SETUPS_OF_LITTLE: usize = 2;
}

/// Whether what kernels leave behind is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Results {
    /// It is.
    Compared,
    /// It says who ran which iteration, or in which order.
    Ignored,
}

/// What was found in the launches of one kernel.
#[derive(Debug, Default)]
pub struct Findings {
    /// Launches of the changed kernel that were compared.
    pub launches: usize,
    /// Setups that were compared, and that could not be: because the original failed, has races, or computes something else in every order,
    /// or in every geometry.
    pub setups: [usize; 5],
    /// Launches in which new code ran, and in which code ran that the original has, too.
    pub ran: [usize; 2],
    /// Accesses that claim something and ran, of all launches together.
    pub claimed: Claimed,
    /// Why the first setup that could not be compared was not.
    pub failure: Option<String>,
    /// What is wrong, a sentence each.
    pub wrong: Vec<String>,
}

/// What became of a setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Compared,
    Fails,
    Races,
    /// On the order of threads, as far as two launches show.
    Depends,
    /// On how many threads there are, as some launch shows.
    DependsOnGeometry,
}

impl Findings {
    /// Adds what was found of another kernel.
    pub(super) fn add(&mut self, other: &Findings) {
        self.launches += other.launches;
        self.setups.iter_mut().zip(other.setups).for_each(|(sum, more)| *sum += more);
        self.ran.iter_mut().zip(other.ran).for_each(|(sum, more)| *sum += more);
        self.claimed.add(other.claimed);
        self.wrong.extend(other.wrong.iter().cloned());
    }
}

/// Memory as a kernel finds it.
struct Start {
    memory: Memory,
    prepared: Prepared,
}

impl Start {
    fn new(subject: &Subject, kernel: usize, setup: &Setup) -> Result<Start, RunError> {
        let (memory, mut prepared) = subject.memory(kernel, &setup.description)?;
        for overlap in &setup.overlaps {
            prepared.values[overlap.pointer] = prepared.values[overlap.of].wrapping_add_signed(overlap.bytes);
        }
        Ok(Start { memory, prepared })
    }

    fn run(
        &self,
        subject: &Subject,
        kernel: usize,
        launch: &Launch,
        observer: Option<&mut (dyn Observer + '_)>,
    ) -> Result<Run, RunError> {
        subject.run_on(kernel, self.memory.clone(), self.prepared.clone(), launch, observer)
    }
}

/// Notes whether new code runs, and whether code of the original does.
struct Watch<'a> {
    is_new: &'a [bool],
    ran: [bool; 2],
    touched: Touched<'a>,
}

impl Observer for Watch<'_> {
    fn access(&mut self, access: &WarpAccess<'_>) {
        if access.memory == MemoryKind::Global {
            self.ran[usize::from(!self.is_new[access.site.0 as usize])] = true;
            self.touched.note(access);
        }
    }

    fn branch(&mut self, _: &WarpBranch) {}

    fn wants_iterations(&self) -> bool {
        false
    }
}

/// All launches of the changed kernel for the setup with a number.
fn launches(number: usize, effort: Effort, lanes: u32) -> Vec<Launch> {
    // Single threads, full warps, and some that are not.
    let others = [(1, 1), (1, lanes), (4, 4 * lanes), (2, lanes + 1), (5, lanes - 1)];
    let usual = (3, 2 * lanes);
    let seed = number as u64;
    let orders =
        [Order::Warps, Order::Forward, Order::Reversed, Order::Shuffled { seed }, Order::Shuffled { seed: !seed }];
    let launch = |(teams, threads): (u32, u32), order| Launch {
        teams: teams.into(),
        threads: threads.into(),
        order,
        races: Races::Detect,
        max_steps: MAX_STEPS[1],
    };
    if effort == Effort::Little {
        return vec![launch(usual, Order::Warps), launch(others[number % others.len()], orders[1 + number % 4])];
    }
    let mut all: Vec<Launch> = orders.iter().map(|&order| launch(usual, order)).collect();
    for (place, &geometry) in others.iter().enumerate() {
        all.push(launch(
            geometry,
            if (place + number).is_multiple_of(2) { Order::Warps } else { orders[1 + (place + number) % 4] },
        ));
    }
    all
}

/// Runs a kernel with each setup.
pub(crate) fn judge(pair: &Pair, kernel: usize, setups: &[Setup], effort: Effort, results: Results) -> Findings {
    let mut findings = Findings::default();
    let bench = Bench { pair, kernel, results, is_new: pair.is_new() };
    for (number, setup) in setups.iter().enumerate() {
        let fate = bench.one(setup, &launches(number, effort, pair.original.program.lanes()), &mut findings);
        findings.setups[fate as usize] += 1;
        if findings.wrong.len() >= MAX_WRONG {
            break;
        }
    }
    findings
}

/// A kernel with everything that its launches have in common.
struct Bench<'a> {
    pair: &'a Pair,
    kernel: usize,
    results: Results,
    is_new: Vec<bool>,
}

impl Bench<'_> {
    fn one(&self, setup: &Setup, launches: &[Launch], findings: &mut Findings) -> Fate {
        let Bench { pair, kernel, is_new, .. } = self;
        let reference = match self.reference(setup) {
            Ok(run) => run,
            Err((fate, reason)) => {
                findings.failure.get_or_insert(format!("{reason} [{setup}]"));
                return fate;
            }
        };
        let mut wrong = |sentence: String, launch: Option<&Launch>| {
            let launch = launch
                .map_or_else(String::new, |launch| format!("{}, order {}, ", geometry_text(launch), launch.order));
            findings.wrong.push(format!("{sentence} [{launch}{}]", setup.words));
        };
        let Some(changed) = pair.changed_kernel(*kernel) else {
            wrong("the changed module does not have it".into(), None);
            return Fate::Compared;
        };
        let start = match Start::new(&pair.changed, changed, setup) {
            Ok(start) => start,
            Err(error) => {
                wrong(format!("the changed kernel takes something else: {error}"), None);
                return Fate::Compared;
            }
        };
        let code = &pair.changed.program.kernels()[changed];
        for launch in launches {
            let (teams, threads) = code.at_most(launch.teams, launch.threads);
            let launch = Launch { teams, threads, ..*launch };
            let touched = Touched::new(&pair.changed.program);
            let mut watch = Watch { is_new, ran: [false; 2], touched };
            let observer: Option<&mut dyn Observer> =
                if launch.order == Order::Warps { Some(&mut watch) } else { None };
            let run = match start.run(&pair.changed, changed, &launch, observer) {
                Ok(run) => run,
                Err(error) => {
                    wrong(format!("failed: {error}"), Some(&launch));
                    break;
                }
            };
            match watch.touched.judged() {
                Ok(claimed) => findings.claimed.add(claimed),
                Err(problem) => {
                    wrong(problem, Some(&launch));
                    break;
                }
            }
            findings.launches += 1;
            findings.ran.iter_mut().zip(watch.ran).for_each(|(count, ran)| *count += usize::from(ran));
            if let Some(race) = judge::races(&pair.changed, &launch, &run).first() {
                if let Some(reason) = self.original_races(setup, &launch) {
                    findings.failure.get_or_insert(format!("{reason} [{setup}]"));
                    return Fate::Races;
                }
                wrong(race.to_string(), None);
                break;
            }
            if let Some(difference) = self.difference(&reference, &run) {
                if let Some(reason) = self.original_differs(setup, &launch, &reference) {
                    findings.failure.get_or_insert(format!("{reason} [{setup}]"));
                    return Fate::DependsOnGeometry;
                }
                wrong(format!("it computes something else: {difference}"), Some(&launch));
                break;
            }
        }
        Fate::Compared
    }

    /// What the original leaves behind, where that is the same in every order.
    fn reference(&self, setup: &Setup) -> Result<Run, (Fate, String)> {
        let (subject, kernel) = (&self.pair.original, self.kernel);
        let fails = |error: RunError| (Fate::Fails, error.to_string());
        let start = Start::new(subject, kernel, setup).map_err(fails)?;
        let launch = |teams: u32, threads: u32, order| {
            let (teams, threads) = subject.program.kernels()[kernel].at_most(teams.into(), threads.into());
            Launch { teams, threads, order, races: Races::Detect, max_steps: MAX_STEPS[0] }
        };
        let lanes = subject.program.lanes();
        let (first, second) = (launch(3, 2 * lanes, Order::Forward), launch(2, lanes + 1, Order::Reversed));
        let mut one = start.run(subject, kernel, &first, None).map_err(fails)?;
        // Where the lanes of a warp move together, as AMD's do, only teams of one thread show what their order would.
        let orders = if lanes > 32 { &[Order::Forward, Order::Reversed][..] } else { &[] };
        let apart = orders.iter().map(|&order| launch(lanes, 1, order));
        let mut launches = vec![first];
        let mut others = Vec::new();
        for other in std::iter::once(second).chain(apart) {
            others.push(start.run(subject, kernel, &other, None).map_err(fails)?);
            launches.push(other);
        }
        for (launch, run) in launches.iter().zip(std::iter::once(&one).chain(&others)) {
            if let Some(race) = judge::races(subject, launch, run).first() {
                return Err((Fate::Races, race.to_string()));
            }
        }
        // Which iterations are one thread's depends on how many there are.
        one.outcome.updated_by_several.extend(others.iter().flat_map(|other| &other.outcome.updated_by_several));
        match others.iter().find_map(|other| self.difference(&one, other)) {
            Some(difference) => Err((Fate::Depends, difference.to_string())),
            None => Ok(one),
        }
    }

    /// Where threads of the original meet when it is launched like the changed kernel: more teams may hand out other iterations together.
    fn original_races(&self, setup: &Setup, launch: &Launch) -> Option<String> {
        let (launch, run) = self.original_like(setup, launch)?;
        judge::races(&self.pair.original, &launch, &run).first().map(ToString::to_string)
    }

    /// What the original, too, computes otherwise when it is launched like the changed kernel.
    fn original_differs(&self, setup: &Setup, launch: &Launch, reference: &Run) -> Option<String> {
        let (launch, run) = self.original_like(setup, launch)?;
        let difference = self.difference(reference, &run)?;
        Some(format!("the result depends on geometry: {difference} [{}]", geometry_text(&launch)))
    }

    /// The original's run in the geometry of a launch, as far as it takes that.
    fn original_like(&self, setup: &Setup, launch: &Launch) -> Option<(Launch, Run)> {
        let (subject, kernel) = (&self.pair.original, self.kernel);
        let (teams, threads) = subject.program.kernels()[kernel].at_most(launch.teams, launch.threads);
        let launch = Launch { teams, threads, ..*launch };
        let run = Start::new(subject, kernel, setup).ok()?.run(subject, kernel, &launch, None).ok()?;
        Some((launch, run))
    }

    /// How the second run's results differ from the first one's.
    fn difference(&self, one: &Run, other: &Run) -> Option<Difference> {
        match self.results {
            // As written, too, the order of several threads' updates of one place is open.
            Results::Compared => {
                difference_beyond_rounding((&one.memory, &one.arrays), (&other.memory, &other.arrays), |place| {
                    one.outcome.updated_by_several.contains(&place)
                })
            }
            Results::Ignored => None,
        }
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
