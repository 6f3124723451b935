//! What ipda says of the accesses: [`ipda::dependences`], whose accesses are known again by the lines that the library gave them.

use crate::rivals::{Access, Answer, MAX_LOOPS, Said, Times};
use inkwell::module::Module;
use ipda::dependences::{PairVector, RegionDependences, Relation, Step};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// What is said of pairs, and why of those that are not excluded.
pub type Answers = HashMap<(usize, usize), (Said, String)>;

/// Nothing is known.
pub fn nothing() -> (Said, String) {
    (Said { independent: Answer::Possible, carried: [Answer::Possible; MAX_LOOPS] }, "not asked about".into())
}

/// All answers, and those of the accesses that are of variables in registers; `accesses`: those that the library knows.
pub fn ask(module: &Module<'_>, accesses: &[Access], runs: u32) -> (Answers, HashSet<usize>, OurTimes) {
    let times = time(module, runs);
    let mut answers = Answers::new();
    // What no region has as an access any more; of a region that was left alone nothing is known.
    let mut in_registers: HashSet<usize> =
        (0..accesses.len()).filter(|&number| accesses[number].local.is_some()).collect();
    for region in ipda::dependences(module) {
        // What is inlined from elsewhere has the numbers of where it comes from; it is not among what the others are asked. Nor are functions
        // without pairs, whose accesses have the columns of the source.
        let number = |access: usize| {
            let access = &region.accesses[access];
            let location = access.location.as_ref().filter(|at| at.column == 1 && access.called_from.is_empty())?;
            let line = location.line as usize;
            (1..=accesses.len()).contains(&line).then(|| line - 1)
        };
        for number in (0..region.accesses.len()).filter_map(number) {
            in_registers.remove(&number);
        }
        if !region.rejects.is_empty() {
            in_registers.clear();
        }
        for pair in &region.pairs {
            let (Some(first), Some(second)) = (number(pair.first), number(pair.second)) else { continue };
            let answer = (
                said(&region, &pair.relation, pair.first, pair.second),
                reason(&region, &pair.relation, pair.first, pair.second),
            );
            answers.insert((first.min(second), first.max(second)), answer);
        }
    }
    (answers, in_registers, times)
}

/// What is known of an access of a variable in registers with one of another object.
pub fn apart() -> (Said, String) {
    let said = Said { independent: Answer::Excluded, carried: [Answer::Excluded; MAX_LOOPS] };
    (said, "a variable in registers".into())
}

/// Nanoseconds, the least of several runs. Nothing is kept between runs.
#[derive(Debug, Clone, Copy)]
pub struct OurTimes {
    /// `cold` is all that it takes: reading the module's loops and addresses, asking about pairs, and telling. `warm`: the tests of pairs asked a
    /// second time.
    pub times: Times,
    /// The tests of pairs as part of the whole.
    pub first: u64,
}

pub fn time(module: &Module<'_>, runs: u32) -> OurTimes {
    let nanoseconds = |time: Duration| time.as_nanos().try_into().unwrap_or(u64::MAX);
    let mut least = OurTimes { times: Times { cold: u64::MAX, warm: u64::MAX }, first: u64::MAX };
    for _ in 0..runs {
        let start = Instant::now();
        let (found, phases) = std::hint::black_box(ipda::dependences_with_times(module));
        let again = phases.again.unwrap_or_default();
        least.times.cold = least.times.cold.min(nanoseconds(start.elapsed() - again));
        least.times.warm = least.times.warm.min(nanoseconds(again));
        least.first = least.first.min(nanoseconds(phases.testing));
        drop(found);
    }
    least
}

fn said(region: &RegionDependences, relation: &Relation, first: usize, second: usize) -> Said {
    match relation {
        Relation::Independent(_) => Said { independent: Answer::Excluded, carried: [Answer::Excluded; MAX_LOOPS] },
        Relation::MayAlias => {
            // Two objects with known footprints can be distinguished before the region runs.
            let bounded = |access: usize| {
                region.accesses[access].object.is_some_and(|object| region.objects[object].footprint.is_ok())
            };
            let answer =
                if bounded(first) && bounded(second) && region.accesses[first].object != region.accesses[second].object
                {
                    Answer::ExcludedUnderConditions
                } else {
                    Answer::Possible
                };
            Said { independent: answer, carried: [answer; MAX_LOOPS] }
        }
        Relation::Distances(vectors) => Said {
            independent: vectors.iter().map(unless_excluded).min().unwrap_or(Answer::Excluded),
            carried: std::array::from_fn(|level| {
                vectors
                    .iter()
                    .filter(|vector| carries(vector, level))
                    .map(unless_excluded)
                    .min()
                    .unwrap_or(Answer::Excluded)
            }),
        },
    }
}

fn unless_excluded(vector: &PairVector) -> Answer {
    if vector.excluded_if.is_some() { Answer::ExcludedUnderConditions } else { Answer::Possible }
}

/// Whether the vector allows different iterations of this loop in one iteration of those outside of it.
fn carries(vector: &PairVector, level: usize) -> bool {
    vector.steps.get(level).is_some_and(|step| step.less || step.greater)
        && vector.steps[..level].iter().all(|step| step.equal)
}

fn reason(region: &RegionDependences, relation: &Relation, first: usize, second: usize) -> String {
    match relation {
        Relation::Independent(why) => why.clone(),
        Relation::MayAlias => {
            let name = |access: usize| match region.accesses[access].object {
                None => "an unknown object".to_owned(),
                Some(object) => match &region.objects[object].footprint {
                    Ok(_) => region.objects[object].name.clone(),
                    Err(why) => format!("{} ({why})", region.objects[object].name),
                },
            };
            format!("{} and {} may be one object", name(first), name(second))
        }
        Relation::Distances(vectors) => {
            let vectors: Vec<_> = vectors.iter().map(|vector| directions(&vector.steps)).collect();
            let missing = region
                .edges
                .iter()
                .find(|edge| (edge.source, edge.sink) == (first, second) || (edge.source, edge.sink) == (second, first))
                .map_or("", |edge| &edge.missing);
            let [one, two] = [first, second].map(|access| &region.accesses[access].address);
            format!("{} of {one} and {two}; {missing}", vectors.join(" "))
        }
    }
}

fn directions(steps: &[Step]) -> String {
    let one = |step: &Step| match (&step.distance, step.less, step.equal, step.greater) {
        (Some(distance), ..) => distance.clone(),
        (None, true, true, true) => "*".into(),
        (None, less, equal, greater) => [(less, "<"), (equal, "="), (greater, ">")]
            .into_iter()
            .filter(|(may, _)| *may)
            .map(|(_, sign)| sign)
            .collect(),
    };
    format!("({})", steps.iter().map(one).collect::<Vec<String>>().join(", "))
}
