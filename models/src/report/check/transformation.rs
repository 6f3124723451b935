//! What is said of a region's versions.

use super::parts::{MAX_NESTED, expression, location, number, place, text};
use super::violation::{Found, Within, each, optional, wrong};
use crate::report::{ConditionRole, NamedLoop, Reason, Transformation, TransformationState};
use crate::versions::{DeviceVersion, GuardCondition, Neighbours, Step, VersionId, VersionState};

/// Versions of a region beside the one that was written.
const MAX_VERSIONS: usize = 16;
/// Steps that make a version.
const MAX_STEPS: usize = 16;
/// Conditions of a version's guard.
const MAX_CONDITIONS: usize = 10_000;
/// Digits of a mapping.
const MAX_DIGITS: usize = 64;

/// Of a region's loops and its versions.
pub(super) fn transformation(found: &Transformation) -> Found {
    let Transformation { state, reasons, versions, lockstep_guard } = found;
    guard("lockstep_guard", lockstep_guard)?;
    at_most("versions", MAX_VERSIONS, versions)?;
    each("reasons", reasons, reason)?;
    let mut last = (VersionId::AS_WRITTEN, false);
    for (nth, found) in versions.iter().enumerate() {
        // Nests that are changed together are one version.
        let is_same = found.id == last.0 && found.is_right() && last.1;
        if found.id <= last.0 && !is_same {
            wrong(format!("{} does not come after {}", found.id, last.0))
                .within("id")
                .within(format_args!("versions[{nth}]"))?;
        }
        last = (found.id, found.is_right());
    }
    each("versions", versions, version)?;
    let has = |state| versions.iter().any(|version| version.state == state);
    let fits = match state {
        TransformationState::Done => has(VersionState::Made) && !has(VersionState::Possible),
        TransformationState::Possible => has(VersionState::Possible) && !has(VersionState::Made),
        TransformationState::Best => versions.is_empty(),
        TransformationState::Left => versions.iter().all(|version| version.state == VersionState::Left),
    };
    if fits { Ok(()) } else { wrong("its versions say otherwise").within("state") }
}

fn guard(name: &str, guard: &[GuardCondition]) -> Found {
    at_most(name, MAX_CONDITIONS, guard)?;
    each(name, guard, |condition| {
        text(&condition.text).within("text")?;
        optional("not_negative", condition.not_negative.as_deref(), text)?;
        optional("role", condition.role.as_ref(), role)
    })
}

fn version(found: &DeviceVersion) -> Found {
    let DeviceVersion { id: _, state: _, recipe, gain, guard, rests_on, reasons, clause } = found;
    at_most("recipe", MAX_STEPS, recipe.steps())?;
    if recipe.steps().is_empty() {
        wrong("without a step it is what was written").within("recipe")?;
    }
    if recipe.steps().len() > 1 {
        wrong("loops are fused once").within("recipe")?;
    }
    each("recipe", recipe.steps(), step)?;
    if let Some(gain) = gain {
        number(gain.sectors_before).within("gain.sectors_before")?;
        number(gain.sectors_after).within("gain.sectors_after")?;
        number(gain.threads_before).within("gain.threads_before")?;
        number(gain.threads_after).within("gain.threads_after")?;
        optional("gain.per_iteration_of", gain.per_iteration_of.as_deref(), text)?;
    }
    self::guard("guard", guard)?;
    each("rests_on", rests_on, reason)?;
    each("reasons", reasons, reason)?;
    match found.is_right() {
        true if !reasons.is_empty() => {
            wrong("nothing stands in the way of a version that is or can be").within("reasons")?
        }
        false if !rests_on.is_empty() => {
            wrong("a version that was left is not known to be right").within("rests_on")?
        }
        false if !guard.is_empty() => wrong("a version that was left is not tested for").within("guard")?,
        _ => {}
    }
    optional("clause", clause.as_deref(), text)
}

fn step(found: &Step) -> Found {
    match found {
        Step::Fused { threads, .. } | Step::Reordered { threads, .. } => {
            if let Some(Neighbours { of, apart, along_each }) = found.neighbours() {
                named_loop(of).within("of").and_then(|()| text(apart).within("apart")).within("neighbours")?;
                each("along_each", along_each, |apart| text(apart)).within("neighbours")?;
            }
            at_most("threads", MAX_NESTED, threads)?;
            if threads.is_empty() {
                wrong("no loop makes the number of a thread").within("threads")?;
            }
            let lanes = found.lanes();
            if !lanes.is_empty() && (lanes.len() != threads.len() || lanes.contains(&0)) {
                wrong("each loop has a number of lanes where these are a tile").within("lanes")?;
            }
            each("threads", threads, named_loop)
        }
        Step::Mapped { threads, digits, inside, tile, neighbours, warp } => {
            if let Some(Neighbours { of, apart, along_each: _ }) = neighbours {
                named_loop(of).within("of").and_then(|()| text(apart).within("apart")).within("neighbours")?;
            }
            at_most("threads", MAX_NESTED, threads)?;
            at_most("digits", MAX_DIGITS, digits)?;
            at_most("inside", MAX_DIGITS, inside)?;
            at_most("warp", MAX_DIGITS, warp)?;
            each("warp", warp, |along| {
                if along.lanes == 0 {
                    wrong("no lane goes along it").within("lanes")?;
                }
                named_loop(&along.of).within("of").and_then(|()| text(&along.apart).within("apart"))
            })?;
            if threads.is_empty() || digits.is_empty() {
                wrong("no loop makes the number of a thread")?;
            }
            if !tile.is_empty() && (tile.len() != threads.len() || tile.contains(&0)) {
                wrong("each loop has a number of iterations where these are a tile").within("tile")?;
            }
            each("threads", threads, named_loop)?;
            each("digits", digits, |digit| text(digit))?;
            each("inside", inside, |digit| text(digit))
        }
        Step::Promoted { threads, arrays } => {
            if threads.len() != 1 || arrays.is_empty() {
                wrong("a loop that threads share, and arrays, are what stays")?;
            }
            each("threads", threads, named_loop)?;
            each("arrays", arrays, |name| text(name))
        }
    }
}

fn role(found: &ConditionRole) -> Found {
    match found {
        ConditionRole::Apart { first, second } => {
            [("first", first), ("second", second)].iter().try_for_each(|(name, extent)| {
                [&extent.array, &extent.low, &extent.size].into_iter().try_for_each(|part| text(part)).within(name)
            })
        }
        ConditionRole::Iterations | ConditionRole::OwnVersion | ConditionRole::Sizes => Ok(()),
    }
}

fn at_most<T>(name: &str, most: usize, items: &[T]) -> Found {
    match items.len() > most {
        true => wrong(format!("{} of them; {most} are read", items.len())).within(name),
        false => Ok(()),
    }
}

fn named_loop(found: &NamedLoop) -> Found {
    text(&found.name).within("name")?;
    place(found.location.as_ref())
}

fn reason(found: &Reason) -> Found {
    text(&found.text).within("text")?;
    each("locations", &found.locations, location)?;
    let Some(dependence) = &found.dependence else { return Ok(()) };
    for (name, end) in [("dependence.source", &dependence.source), ("dependence.sink", &dependence.sink)] {
        optional("object", end.object.as_deref(), text).and_then(|()| place(end.location.as_ref())).within(name)?;
    }
    if dependence.steps.len() > MAX_NESTED {
        wrong(format!("nested deeper than {MAX_NESTED}")).within("dependence.steps")?;
    }
    each("dependence.steps", &dependence.steps, |step| {
        named_loop(&step.of).within("loop")?;
        optional("distance", step.distance.as_deref(), expression)
    })
}
