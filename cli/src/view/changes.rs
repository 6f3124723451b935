//! What was done with a region's loops, or why nothing, in sentences.

use ipda_models::report::{Gain, Location, Reason, Region, Transformation, TransformationState};

use super::Names;

/// One sentence each: what was done, what it gains, what it rests on, what stands in the way, what to write.
pub fn sentences(change: &Transformation, region: &Region) -> Vec<String> {
    let names = Names::of(region);
    let loops: Vec<String> = change.threads.iter().map(|named| names.of_loop(named)).collect();
    let loops = and(&loops);
    let verb = if change.is_interchange { "reordered and collapsed" } else { "collapsed" };
    let mut told = vec![match change.state {
        TransformationState::Done => format!("the plugin {verb} the loops over {loops}"),
        TransformationState::Possible => {
            format!("the loops over {loops} could be {verb}; the plugin was not asked to change code")
        }
        TransformationState::Best => "no other order of the loops touches fewer sectors".to_owned(),
        TransformationState::Left if loops.is_empty() => "left as they were written".to_owned(),
        TransformationState::Left => format!("left as they were written; {verb} over {loops} they would be better"),
    }];
    told.extend(change.gain.as_ref().map(|gain| self::gain(gain, change.state, &names)));
    if !change.conditions.is_empty() {
        let conditions: Vec<String> = change.conditions.iter().map(|text| names.in_text(text)).collect();
        told.push(format!(
            "only where {}, which the kernel tests each time; else it runs what was written",
            and(&conditions)
        ));
    }
    let mut places: Vec<&[Location]> = Vec::new();
    for reason in change.rests_on() {
        told.push(format!("relies on this: {}", names.in_text(&reason.words())));
    }
    for reason in change.obstacles() {
        // Of several at one place, one says enough here.
        if places.contains(&&reason.locations[..]) {
            continue;
        }
        places.push(&reason.locations);
        told.push(self::reason(reason, region));
    }
    let place = change.obstacles().iter().flat_map(|reason| &reason.locations).next();
    told.extend(place.map(|place| format!("what helps: ipda explain {}:{}", place.file, place.line)));
    if let Some(clause) = &change.clause {
        told.push(format!("to write it yourself: {}", names.in_text(clause)));
    }
    told
}

/// What stands in the way, with its places.
pub fn reason(reason: &Reason, region: &Region) -> String {
    let text = Names::of(region).in_text(&reason.words());
    let place = |location: &Location| match location.file == region.location.file {
        true if location.column > 0 => format!("{}:{}", location.line, location.column),
        true => format!("line {}", location.line),
        false => location.to_string(),
    };
    match &reason.locations[..] {
        [] => format!("because {text}"),
        [from, to] if from != to => format!("because {text}, from {} to {}", place(from), place(to)),
        [at, ..] => format!("because {text}, at {}", place(at)),
    }
}

fn gain(gain: &Gain, state: TransformationState, names: &Names<'_>) -> String {
    let per = gain.per_iteration_of.as_deref().map(|name| format!(" in an iteration of {}", names.in_text(name)));
    let [before, after] = [gain.sectors_before, gain.sectors_after];
    let does = if state == TransformationState::Done { "" } else { "would " };
    let touches = if does.is_empty() { "touches" } else { "touch" };
    let per = per.unwrap_or_default();
    let [shared, were] = [gain.threads_after, gain.threads_before];
    if is_for_threads(gain) {
        return format!(
            "with sizes of 1021, {shared} threads {does}share the work instead of {were}; a warp {does}{touches} {after} sectors{per}, as \
             written {before}"
        );
    }
    format!(
        "with sizes of 1021 a warp {does}{touches} {after} sectors{per} instead of {before}, and {shared} threads share the work instead \
         of {were}"
    )
}

/// Whether another order of loops serves for its threads: its sectors alone would not have been reason enough.
pub fn is_for_threads(gain: &Gain) -> bool {
    /// What the plugin asks of an order that it takes for its sectors.
    const LEAST_GAIN: f64 = 0.9;
    gain.sectors_after > LEAST_GAIN * gain.sectors_before
}

/// `a`, `a and b`, `a, b and c`.
pub fn and(parts: &[String]) -> String {
    match parts {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        all => all.concat(),
    }
}
