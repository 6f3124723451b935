//! The verdict on a kernel: does it compute the same in every order of its threads and in every geometry, without races, and the same as
//! another kernel?

use crate::arguments::{Description, Difference, difference};
use crate::interpreter::{Extent, LAUNCH_ENVIRONMENT, Launch, Order, REDUCTION_BUFFER, Races};
use crate::memory::is_runtimes;
use crate::program::{Kernel, Place, SiteId};
use crate::race::{AccessKind, Race, RaceSide};
use crate::source_types::Parameter;
use crate::subject::{Run, RunError, Subject};
use std::fmt;

/// In which ways a kernel is run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Pairs of teams and threads.
    pub geometries: Vec<(Extent, Extent)>,
    /// Orders of the threads.
    pub orders: Vec<Order>,
    /// The most operations: see [`Launch::max_steps`].
    pub max_steps: u64,
}

impl Plan {
    /// The orders that show what one order hides, at a geometry and at two others.
    pub fn around(teams: Extent, threads: Extent) -> Plan {
        let [more, fewer] = [teams.0[0] + 2, threads.0[0].div_ceil(2).max(1)];
        let mut geometries = vec![(teams, threads)];
        // The shape of a team is the kernel's own affair: only a row of threads may be shorter.
        if threads.0[1..] == [1, 1] {
            geometries.push((1.into(), 32.into()));
            geometries.push((Extent([more, teams.0[1], teams.0[2]]), fewer.into()));
        }
        Plan {
            geometries,
            orders: vec![Order::Warps, Order::Forward, Order::Reversed, Order::Shuffled { seed: 1 }],
            max_steps: crate::interpreter::MAX_STEPS,
        }
    }

    /// The plan as far as a kernel allows it: some have a most of teams or of threads.
    pub fn for_kernel(&self, kernel: &Kernel) -> Plan {
        let mut plan = self.clone();
        for geometry in &mut plan.geometries {
            *geometry = kernel.at_most(geometry.0, geometry.1);
        }
        plan.geometries.dedup();
        plan
    }

    /// All launches.
    pub fn launches(&self) -> impl Iterator<Item = Launch> {
        let max_steps = self.max_steps;
        self.geometries.iter().flat_map(move |&(teams, threads)| {
            self.orders.iter().map(move |&order| Launch { teams, threads, order, races: Races::Detect, max_steps })
        })
    }
}

/// One of the two sides of a race, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacePlace {
    /// Where in the source.
    pub place: Place,
    /// The function of the module.
    pub function: String,
    /// What was done: reads, writes.
    pub action: &'static str,
}

impl RacePlace {
    fn of(subject: &Subject, side: &RaceSide) -> RacePlace {
        let site = subject.program.site(SiteId(side.site.0));
        let action = match (side.kind, side.atomic) {
            (AccessKind::Read, false) => "reads",
            (AccessKind::Read, true) => "reads atomically",
            (AccessKind::Write, false) => "writes",
            (AccessKind::Write, true) => "writes atomically",
        };
        RacePlace { place: site.place.clone(), function: site.function.clone(), action }
    }
}

impl fmt::Display for RacePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.first() {
            Some(place) => write!(f, "{place} {}", self.action),
            None => write!(f, "{} {}", self.function, self.action),
        }
    }
}

/// Something that is wrong.
#[derive(Debug)]
pub enum Finding {
    /// A run did not come to its end.
    Failed {
        /// The launch.
        launch: Launch,
        /// Why.
        error: RunError,
    },
    /// The original kernel did not come to its end, so that nothing can be compared.
    OriginalFailed {
        /// The launch.
        launch: Launch,
        /// Why.
        error: RunError,
    },
    /// Results differ between two launches of one kernel.
    Depends {
        /// The launch that is compared with.
        reference: Launch,
        /// The launch whose results differ.
        launch: Launch,
        /// Where.
        difference: Difference,
    },
    /// Results differ from those of the original kernel.
    Differs {
        /// The launch of the changed kernel.
        launch: Launch,
        /// Where; "one" is the original.
        difference: Difference,
    },
    /// Two threads touch the same memory without order, and one of them writes.
    Race {
        /// The launch.
        launch: Launch,
        /// The access that came first in this run.
        first: RacePlace,
        /// The access that raced with it.
        second: RacePlace,
        /// An example: two threads, counted over all teams, and the memory.
        race: Race,
        /// What that memory is.
        memory: String,
        /// How many threads a team had.
        threads: u32,
    },
}

/// The teams and threads of a launch: `3 teams of 64 threads`.
pub fn geometry_text(launch: &Launch) -> String {
    let (team, thread) = (
        if launch.teams.count() == 1 { "team" } else { "teams" },
        if launch.threads.count() == 1 { "thread" } else { "threads" },
    );
    format!("{} {team} of {} {thread}", launch.teams, launch.threads)
}

fn launch_text(launch: &Launch) -> String {
    format!("{}, order {}", geometry_text(launch), launch.order)
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Failed { launch, error } => write!(f, "failed: {error} [{}]", launch_text(launch)),
            Finding::OriginalFailed { launch, error } => {
                write!(f, "nothing can be compared, for the original failed: {error} [{}]", launch_text(launch))
            }
            Finding::Depends { reference, launch, difference } => write!(
                f,
                "the result depends on the launch: with {} against {}, {difference}",
                launch_text(launch),
                launch_text(reference)
            ),
            Finding::Differs { launch, difference } => {
                write!(f, "the changed kernel computes something else: {difference} [{}]", launch_text(launch))
            }
            Finding::Race { launch, first, second, race, memory, threads } => {
                let thread =
                    |number: u32| format!("team {} thread {}", number / threads.max(&1), number % threads.max(&1));
                write!(
                    f,
                    "race: {second} and {first}, without order, {memory} ({} and {}, {} times) [{}]",
                    thread(race.second.thread),
                    thread(race.first.thread),
                    race.count,
                    launch_text(launch)
                )
            }
        }
    }
}

/// Two places that race, and the name of the memory in which they do.
#[derive(Debug, Clone)]
struct RacePair(RacePlace, RacePlace, String);

/// Whether a race is one of those given.
fn is_known(race: &RacePair, known: &[RacePair]) -> bool {
    let same = |a: &RacePlace, b: &RacePlace| a.place == b.place && a.action == b.action;
    known.iter().any(|RacePair(first, second, memory)| {
        let places = (same(first, &race.0) && same(second, &race.1)) || (same(first, &race.1) && same(second, &race.0));
        places && *memory == race.2
    })
}

/// Whether two launches of a kernel must leave the same behind. Only OpenMP's work goes to however many threads there are.
fn are_comparable(kernel: &Kernel, one: &Launch, other: &Launch) -> bool {
    kernel.is_region || (one.teams, one.threads) == (other.teams, other.threads)
}

/// Runs that have been made of one kernel, and what was found in them.
#[derive(Debug, Default)]
struct Series {
    first: Option<(Launch, Run)>,
    races: Vec<RacePair>,
    findings: Vec<Finding>,
}

impl Series {
    fn races_of(&mut self, subject: &Subject, launch: &Launch, run: &Run, known: &[RacePair]) {
        for race in &run.outcome.races {
            // What the device runtime keeps there is its own affair, wherever its code has been copied to.
            if is_launchs(run, race.address) {
                continue;
            }
            let (first, second) = (RacePlace::of(subject, &race.first), RacePlace::of(subject, &race.second));
            let pair = RacePair(first.clone(), second.clone(), memory_name(run, race.address));
            if is_known(&pair, known) || is_known(&pair, &self.races) {
                continue;
            }
            let memory = memory_text(run, race.address);
            let threads = run.outcome.threads_of_team;
            self.findings.push(Finding::Race { launch: *launch, first, second, race: *race, memory, threads });
            self.races.push(pair);
        }
    }
}

/// Whether an address is in memory that a launch brings along for the device runtime.
fn is_launchs(run: &Run, address: u64) -> bool {
    let buffer = run.memory.find(address, 1);
    buffer.is_some_and(|buffer| [LAUNCH_ENVIRONMENT, REDUCTION_BUFFER].contains(&run.memory.name(buffer)))
}

fn memory_name(run: &Run, address: u64) -> String {
    let buffer = run.memory.find(address, 1);
    buffer.map_or_else(|| memory_text(run, address), |buffer| run.memory.name(buffer).to_owned())
}

fn memory_text(run: &Run, address: u64) -> String {
    let memory = &run.memory;
    if address >> 63 == 1 || is_runtimes(address) {
        return "memory shared by a team".to_owned();
    }
    match memory.find(address, 1) {
        Some(buffer) => format!("byte {} of '{}'", address - memory.address(buffer), memory.name(buffer)),
        None => "memory that has been freed since".to_owned(),
    }
}

/// The races of one run.
pub fn races(subject: &Subject, launch: &Launch, run: &Run) -> Vec<Finding> {
    let mut series = Series::default();
    series.races_of(subject, launch, run, &[]);
    series.findings
}

/// Runs a kernel in all ways of a plan.
pub fn examine(subject: &Subject, kernel: usize, description: &Description, plan: &Plan) -> Vec<Finding> {
    series(subject, kernel, &subject.parameters[kernel], description, plan).findings
}

fn series(
    subject: &Subject,
    kernel: usize,
    parameters: &[Parameter],
    description: &Description,
    plan: &Plan,
) -> Series {
    let mut series = Series::default();
    let code = &subject.program.kernels()[kernel];
    let plan = plan.for_kernel(code);
    for launch in plan.launches() {
        match subject.run_among(kernel, parameters, description, &launch) {
            Err(error) => {
                // What fails once fails in every launch, and may have taken long.
                series.findings.push(Finding::Failed { launch, error });
                break;
            }
            Ok(run) => {
                series.races_of(subject, &launch, &run, &[]);
                match &series.first {
                    Some((reference, first)) if are_comparable(code, reference, &launch) => {
                        let found = difference((&first.memory, &first.arrays), (&run.memory, &run.arrays))
                            .or_else(|| printed_difference(first, &run));
                        if let Some(difference) = found {
                            let reference = *reference;
                            series.findings.push(Finding::Depends { reference, launch, difference });
                        }
                    }
                    _ => series.first = Some((launch, run)),
                }
            }
        }
    }
    series
}

/// The parameters of two kernels. Which of them take an array, and in which order they take theirs, may well differ.
fn together(one: &[Parameter], other: &[Parameter]) -> Vec<Parameter> {
    let mut all = one.to_vec();
    for (index, parameter) in other.iter().enumerate() {
        let wanted = other[..=index].iter().filter(|earlier| *earlier == parameter).count();
        if all.iter().filter(|known| *known == parameter).count() < wanted {
            all.push(parameter.clone());
        }
    }
    all
}

/// The description with its arguments said again for parameters of the same name that have another type.
fn described_twice(description: &Description, parameters: &[Parameter]) -> Description {
    let mut both = description.clone();
    for (index, parameter) in parameters.iter().enumerate() {
        let is_second =
            parameters[..index].iter().any(|earlier| earlier.name == parameter.name && earlier.ty != parameter.ty);
        let said = description.arguments.iter().find(|(key, _)| Some(key) == parameter.name.as_ref());
        if let (true, Some((_, argument))) = (is_second, said) {
            both.arguments.push((format!("arg{}", index + 1), argument.clone()));
        }
    }
    both
}

/// What came of comparing two kernels.
#[derive(Debug, Default)]
pub struct Compared {
    /// What is wrong with the original itself.
    pub original: Vec<Finding>,
    /// What is wrong with the changed kernel and was not with the original.
    pub changed: Vec<Finding>,
}

/// Compares a changed kernel with the original: results in all ways of the plan, and races that the original lacks.
pub fn compare(
    original: (&Subject, usize),
    changed: (&Subject, usize),
    description: &Description,
    plan: &Plan,
) -> Compared {
    let plan = &plan.for_kernel(&original.0.program.kernels()[original.1]);
    let parameters = &together(&original.0.parameters[original.1], &changed.0.parameters[changed.1]);
    let description = &described_twice(description, parameters);
    let before = series(original.0, original.1, parameters, description, plan);
    // With an original that does not come to its end, nothing has been compared: that is no agreement.
    let (failed, own_findings): (Vec<_>, Vec<_>) =
        before.findings.into_iter().partition(|finding| matches!(finding, Finding::Failed { .. }));
    let (true, Some((reference, first))) = (failed.is_empty(), &before.first) else {
        let reported = |finding| match finding {
            Finding::Failed { launch, error } => Finding::OriginalFailed { launch, error },
            other => other,
        };
        return Compared { original: own_findings, changed: failed.into_iter().map(reported).collect() };
    };
    let mut after = Series::default();
    // Where the original's result depends on the launch, each launch is compared with its own.
    let depends = own_findings.iter().any(|finding| matches!(finding, Finding::Depends { .. }));
    for launch in plan.launches() {
        let run = match changed.0.run_among(changed.1, parameters, description, &launch) {
            Ok(run) => run,
            Err(error) => {
                after.findings.push(Finding::Failed { launch, error });
                break;
            }
        };
        after.races_of(changed.0, &launch, &run, &before.races);
        let own;
        let depends = depends || !are_comparable(&original.0.program.kernels()[original.1], reference, &launch);
        let expected = if depends && launch != *reference {
            match original.0.run_among(original.1, parameters, description, &launch) {
                Ok(run) => {
                    own = run;
                    &own
                }
                Err(error) => {
                    after.findings.push(Finding::OriginalFailed { launch, error });
                    break;
                }
            }
        } else {
            first
        };
        let found = difference((&expected.memory, &expected.arrays), (&run.memory, &run.arrays))
            .or_else(|| printed_difference(expected, &run));
        if let Some(difference) = found {
            after.findings.push(Finding::Differs { launch, difference });
        }
    }
    Compared { original: own_findings, changed: after.findings }
}

/// Where the printed lines of two runs differ, whatever order they come in.
fn printed_difference(left: &Run, right: &Run) -> Option<Difference> {
    let lines = |run: &Run| {
        let mut lines: Vec<String> = run.outcome.output.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let (left, right) = (lines(left), lines(right));
    if left == right {
        return None;
    }
    let count = left.len().max(right.len());
    let line = |lines: &[String], index: usize| {
        lines.get(index).map_or_else(|| "nothing".into(), |line| format!("\"{line}\""))
    };
    let differ: Vec<usize> = (0..count).filter(|&index| left.get(index) != right.get(index)).collect();
    let &index = differ.first()?;
    Some(Difference {
        array: "printed lines, sorted: ".into(),
        index: index as u64,
        member: String::new(),
        left: line(&left, index),
        right: line(&right, index),
        elements: differ.len() as u64,
    })
}
