//! What a region's directive, its clauses and its atomic updates cost.

use ipda_models::report::{
    Access, AccessKind, Class, Condition, Loop, LoopKind, Map, MapKind, Mode, Quantity, Region, RegionKind, Report,
};

use super::rejects::of_reject;
use super::remedy::{Action, Rule, State};
use crate::select::cost::{Cost, ancestors, is_index};
use crate::select::values::Values;
use crate::words::and;

/// Fewer threads than that leave even a small GPU mostly idle.
const FEW_THREADS: u64 = 256;

/// One team, or one thread, that does all the work; or one thread of each team.
pub fn idle_teams(region: &Region) -> Option<Action> {
    if region.kind != RegionKind::Target || matches!(region.mode, Mode::AsOnHost | Mode::Unknown) {
        return None;
    }
    if region.accesses.is_empty() {
        return None;
    }
    let of = |kind: LoopKind| region.loops.iter().filter(|each| each.kind == kind).collect::<Vec<_>>();
    let [all, teams, threads, sequential] =
        [LoopKind::DistributeParallelFor, LoopKind::Distribute, LoopKind::For, LoopKind::Sequential].map(of);
    let text = match (&all[..], &teams[..], &threads[..], &sequential[..]) {
        // What ends by what memory says, as a walk along a list, is no loop that a directive can share.
        ([], [], [], [first, ..]) if has_work(region) && !has_few(&[first]) && first.trips.value.is_some() => format!(
            "write target teams distribute parallel for, if iterations do not need each other's results: one thread runs {}, and the rest of the GPU is \
             idle",
            loops_over(&[first])
        ),
        ([], [], [], _) => return None,
        ([_, ..], ..) | (_, [_, ..], ..) if region.launch.is_one_team() => {
            let shared = if all.is_empty() { &teams } else { &all };
            if has_few(shared) {
                return None;
            }
            // The end of a loop is one for all threads of a team, not for several teams.
            let first = match all.len() + teams.len() + threads.len() {
                0 | 1 => "",
                _ => "give each of the loops a region of its own, and ",
            };
            format!(
                "{first}leave out num_teams, which asks for one team: it alone runs {}, and the rest of the GPU is idle",
                loops_over(shared)
            )
        }
        ([], [], shared, _) if has_few(shared) => return None,
        ([], [], shared, _) => {
            // A construct for teams is all that its target region has in it.
            // Of one loop the compiler makes several for a scan, which teams cannot share.
            let is_twice = |at: usize| shared[..at].iter().any(|other| other.location == shared[at].location);
            if (0..shared.len()).any(|at| shared[at].location.is_some() && is_twice(at)) {
                return None;
            }
            let where_to = match shared {
                [only] if only.parent.is_none() => "",
                [_] => "give the loop a region of its own, and ",
                _ => "give each of the loops a region of its own, and ",
            };
            // Threads of several teams may be in a critical section at the same time (OpenMP 5.2, 15.2).
            let unless = if has_critical_section(region) {
                ", without the critical section, which threads of several teams may enter at once"
            } else {
                ""
            };
            format!(
                "{where_to}write target teams distribute parallel for{unless}: one team shares {}, and the rest of the GPU is idle",
                loops_over(shared)
            )
        }
        // Other words cannot stand beside `loop`, and no construct for a loop of teams can hold the words of another.
        ([], shared, [], _) => format!(
            "write distribute parallel for in place of distribute or loop: teams share {}, and one thread of each works",
            loops_over(shared)
        ),
        _ => return None,
    };
    Some(Action::new(State::Todo, Rule::IdleTeams, &region.location, text))
}

/// `the loop over i`, `the loops over i and j`; those with one variable are told apart by their lines.
fn loops_over(loops: &[&Loop]) -> String {
    let mut names: Vec<String> = loops.iter().map(|each| name(each).to_owned()).collect();
    let mut different = names.clone();
    different.sort_unstable();
    different.dedup();
    if different.len() < names.len() {
        let with_line = |each: &&Loop| match &each.location {
            Some(location) => format!("{} (line {})", name(each), location.line),
            None => name(each).to_owned(),
        };
        names = loops.iter().map(with_line).collect();
    }
    let noun = if names.len() == 1 { "loop" } else { "loops" };
    match loops {
        [Loop { variable: None, location: Some(location), .. }] => format!("the loop at line {}", location.line),
        _ => format!("the {noun} over {}", and(&names)),
    }
}

/// Whether threads of a region that shares no loop tell themselves apart by their number: then they share the work by hand.
fn has_work(region: &Region) -> bool {
    region.mapping.is_empty() && region.accesses.iter().all(|access| access.moved.is_empty())
}

/// Whether loops are known to have too few iterations to keep more than one team busy.
fn has_few(loops: &[&Loop]) -> bool {
    loops.iter().all(|each| trips(each).is_some_and(|trips| trips < FEW_THREADS))
}

/// Whether threads of a team wait for each other in a critical section.
fn has_critical_section(region: &Region) -> bool {
    region.rejects.iter().any(|reject| reject.reason.contains("critical section"))
}

/// How many iterations a loop has, where that is a number.
fn trips(each: &Loop) -> Option<u64> {
    each.trips.value.as_deref()?.parse().ok()
}

fn name(each: &Loop) -> &str {
    each.variable.as_deref().unwrap_or(&each.id)
}

/// Updates that all threads make at one place.
pub fn atomics(region: &Region) -> Vec<Action> {
    let is_by_all = |access: &&Access| {
        access.kind == AccessKind::Atomic
            && access.class == Class::Uniform
            && !access.one_thread
            && !access.conditions.contains(&Condition::OneThread)
            // An element that another iteration does not update is no variable of a reduction.
            && !moves_with_iterations(access, region)
            && region.loops.iter().any(|each| each.kind != LoopKind::Sequential)
    };
    let mut found: Vec<Action> = Vec::new();
    for access in region.accesses.iter().filter(is_by_all) {
        let location = access.location.as_ref().unwrap_or(&region.location);
        // An argument of which the source's name is not known.
        let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit());
        let object =
            if access.object.strip_prefix("arg").is_some_and(is_number) { "the variable" } else { &access.object };
        let text = format!(
            "write a reduction clause for {object} in place of the atomic update, if nothing in the loop uses its value: all threads wait for their turn at one place"
        );
        match found.iter_mut().find(|other| other.text == text) {
            Some(same) => same.add(access),
            None => found.push(Action {
                accesses: vec![access.id.clone()],
                ..Action::new(State::Todo, Rule::AtomicContention, location, text)
            }),
        }
    }
    found
}

/// Whether an access goes to another place in other iterations of the loops around it.
fn moves_with_iterations(access: &Access, region: &Region) -> bool {
    let around = ancestors(access, region);
    // Names of arrays and sizes stand in brackets.
    let outside = access.address.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    let is_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '#' | '.');
    let mut words = outside.flat_map(|part| part.split(move |letter| !is_of_name(letter)));
    words.any(|word| !word.is_empty() && around.iter().any(|each| is_index(each, word)))
}

/// Loops with so few iterations that most of the GPU has nothing to do.
pub fn few_iterations(region: &Region, others: &[Action]) -> Option<Action> {
    let is_about_loops = |action: &Action| matches!(action.rule, Rule::LoopOrder | Rule::IdleTeams);
    if region.mode == Mode::AsOnHost || others.iter().any(is_about_loops) {
        return None;
    }
    let shared: Vec<&Loop> = region.loops.iter().filter(|each| each.kind != LoopKind::Sequential).collect();
    let counts: Vec<u64> = shared.iter().map(|each| trips(each)).collect::<Option<Vec<u64>>>()?;
    // Loops that follow one another do not add to each other's threads.
    let iterations = counts.iter().copied().reduce(u64::saturating_mul)?;
    let asked = |clause: &Option<Quantity>| clause.as_ref()?.value.as_deref()?.parse::<u64>().ok();
    let has_teams = shared.iter().any(|each| each.kind != LoopKind::For);
    let teams = if has_teams { asked(&region.launch.num_teams) } else { Some(1) };
    let threads_of_team = asked(&region.launch.num_threads).or(asked(&region.launch.thread_limit));
    let threads = match (teams, threads_of_team) {
        (Some(teams), Some(of_team)) => iterations.min(teams.saturating_mul(of_team)),
        _ => iterations,
    };
    let first = shared.first()?;
    if threads >= FEW_THREADS {
        return None;
    }
    let location = first.location.as_ref().unwrap_or(&region.location);
    Some(Action::new(
        State::Todo,
        Rule::FewIterations,
        location,
        format!(
            "leave {} to the host, or put more work into one launch: {iterations} iterations keep {threads} of a GPU's \
             thousands of threads busy",
            loops_over(&[first])
        ),
    ))
}

/// Arrays that are copied back though the region never writes them.
pub fn maps(region: &Region) -> Vec<Action> {
    // Only the plugin knows that nothing writes an array: what it found to stay.
    let is_read_only = |map: &Map| map.stays && !map.implicit && map.kind == MapKind::ToFrom;
    let of = region.captures.iter().filter(|capture| capture.map.as_ref().is_some_and(is_read_only));
    let stays: Vec<String> = of.map(|capture| capture.name.clone()).collect();
    if stays.is_empty() {
        return Vec::new();
    }
    let is_are = if stays.len() == 1 { "is never written, and is not" } else { "are never written, and are not" };
    let text = format!("{} {is_are} copied back", and(&stays));
    let action = Action::new(State::Done, Rule::MapReadOnly, &region.location, text);
    vec![Action { in_source: Some(format!("write map(to: {}) in place of tofrom", stays.join(", "))), ..action }]
}

/// What was not understood.
pub fn not_understood(region: &Region) -> Vec<Action> {
    let mut found: Vec<Action> = Vec::new();
    for reject in &region.rejects {
        let location = reject.location.as_ref().unwrap_or(&region.location);
        let text = match of_reject(reject) {
            Some(remedy) => format!("{remedy}: {}", reject.reason),
            None => format!("see docs/remarks.md for what was not understood: {}", reject.reason),
        };
        if !found.iter().any(|other| other.text == text) {
            found.push(Action::new(State::Todo, Rule::NotUnderstood, location, text));
        }
    }
    found
}

/// That nothing is to be done, and why.
pub fn nothing(region: &Region, report: &Report, values: &Values) -> Action {
    let costs: Vec<Cost> =
        region.accesses.iter().map(|access| Cost::of(access, region, &report.hardware, values)).collect();
    let all = |classes: &[Class]| costs.iter().all(|cost| classes.contains(&cost.class));
    let is_of_one = |access: &Access| access.one_thread || access.conditions.contains(&Condition::OneThread);
    let text = match () {
        () if costs.is_empty() => "no access to memory that the threads share",
        () if region.accesses.iter().all(is_of_one) => "one thread alone uses memory",
        () if all(&[Class::Uniform]) => "all threads of a warp use the same bytes",
        () if all(&[Class::Coalesced, Class::Uniform, Class::ConflictFree]) => {
            "neighbouring threads use neighbouring bytes"
        }
        () if costs.iter().all(|cost| cost.weight() <= 0.0) => "each warp touches as few sectors as its bytes fit in",
        () => "what is wasted is too little to be worth a change, or no change of the source is known to help",
    };
    Action::new(State::Nothing, Rule::NothingToDo, &region.location, text)
}
