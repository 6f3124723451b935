//! What was done with a region's loops, or why nothing, in sentences.

use ipda_models::report::{Gain, Location, Names, Reason, Region, Transformation, TransformationState};
use ipda_models::sizes::Sizes;
use ipda_models::versions::{DeviceVersion, VersionState};

use crate::fix::rests;
use crate::words::{and, is_for_threads, left};

/// One sentence each: what was done, what it gains, what it rests on, what stands in the way, what to write.
pub fn sentences(change: &Transformation, region: &Region) -> Vec<String> {
    let names = Names::of(region);
    let mut reported = Vec::new();
    for (version, obstacles) in change.parts() {
        reported.extend(version_sentences(change, version, region));
        for reason in version.map_or(&[][..], |version| &version.rests_on) {
            reported.push(format!("relies on this: {}", names.in_text(&reason.words())));
        }
        let mut places: Vec<&[Location]> = Vec::new();
        for reason in obstacles {
            // Of several at one place, one says enough here.
            if places.contains(&&reason.locations[..]) {
                continue;
            }
            places.push(&reason.locations);
            reported.push(self::reason(reason, region));
        }
        let place = obstacles.iter().flat_map(|reason| &reason.locations).next();
        reported.extend(place.map(|place| format!("what helps: ipda explain {}:{}", place.file, place.line)));
        reported.extend(version.and_then(|version| clause_sentence(version, region)));
    }
    reported
}

/// The same without what a region's first lines tell: what was done, what it gains, and what to write.
pub fn sentences_beside_the_action(change: &Transformation, region: &Region) -> Vec<String> {
    let names = Names::of(region);
    let mut reported = Vec::new();
    for (version, obstacles) in change.parts() {
        match version {
            Some(version) if version.is_right() => reported.extend(guard_sentence(version, &names)),
            version => reported.push(first_sentence(change, version, region)),
        }
        for reason in version.map_or(&[][..], |version| &version.rests_on) {
            reported.push(format!("relies on this: {}", names.in_text(&reason.words())));
        }
        let mut places: Vec<&[Location]> = Vec::new();
        for reason in obstacles {
            if !places.contains(&&reason.locations[..]) {
                places.push(&reason.locations);
                reported.push(self::reason(reason, region));
            }
        }
    }
    reported
}

fn first_sentence(change: &Transformation, version: Option<&DeviceVersion>, region: &Region) -> String {
    match version {
        Some(version) => version_sentence(version, region),
        None => match change.state {
            TransformationState::Best => "no other order of the loops touches fewer sectors".to_owned(),
            _ if change.versions.is_empty() => left(region).to_owned(),
            _ => format!("the other loops are {}", left(region)),
        },
    }
}

fn guard_sentence(version: &DeviceVersion, names: &Names<'_>) -> Option<String> {
    if version.guard.is_empty() {
        return None;
    }
    let guard: Vec<String> = version.guard.iter().map(|condition| names.in_text(&condition.text)).collect();
    Some(format!("only where {}, which the kernel tests each time; else it runs what was written", and(&guard)))
}

/// What became of the loops, or of one version of them: what was done, what it gains, and where alone it is right.
pub fn version_sentences(change: &Transformation, version: Option<&DeviceVersion>, region: &Region) -> Vec<String> {
    let mut reported = vec![first_sentence(change, version, region)];
    let Some(version) = version else { return reported };
    let names = Names::of(region);
    reported.extend(version.gain.as_ref().map(|gain| self::gain(gain, version.state, &names)));
    reported.extend(guard_sentence(version, &names));
    reported
}

/// What was done with the loops.
pub fn version_sentence(version: &DeviceVersion, region: &Region) -> String {
    let names = Names::of(region);
    let loops: Vec<String> = version.recipe.threads().iter().map(|named| names.of_loop(named)).collect();
    let loops = and(&loops);
    if let Some(promotion) = version.promotion_in_words() {
        return match version.state {
            VersionState::Made => promotion,
            VersionState::Possible => format!("{promotion}; the plugin was not asked to change code"),
            VersionState::Left => format!("{promotion}, which would be better"),
        };
    }
    let (verb, tile) = (version.recipe.participle(), version.recipe.tiles_in_words());
    match version.state {
        VersionState::Made => format!("the plugin {verb} the loops over {loops}{tile}"),
        VersionState::Possible => {
            format!("the loops over {loops} could be {verb}{tile}; the plugin was not asked to change code")
        }
        VersionState::Left if has_other(region, version) => format!("the loops over {loops} were not {verb}{tile}"),
        VersionState::Left => format!("{}; they would be better {verb} over {loops}{tile}", left(region)),
    }
}

/// Whether another version of the same loop nest was made or could be.
fn has_other(region: &Region, version: &DeviceVersion) -> bool {
    let is_other = |other: &DeviceVersion| other.is_right() && other.is_of_nest_of(version);
    region.transformation.as_ref().is_some_and(|change| change.versions.iter().any(is_other))
}

/// What to write for a version, and where alone it is right: a clause tests nothing.
pub fn clause_sentence(version: &DeviceVersion, region: &Region) -> Option<String> {
    let clause = Names::of(region).in_text(version.clause.as_ref()?);
    let only_where = match &rests::conditions(region, version)[..] {
        [] => String::new(),
        conditions => format!(", if {}", rests::words(conditions)),
    };
    Some(format!("to write it yourself: {clause}{only_where}"))
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

fn gain(gain: &Gain, state: VersionState, names: &Names<'_>) -> String {
    let per = gain.per_iteration_of.as_deref().map(|name| format!(" in an iteration of {}", names.in_text(name)));
    let [before, after] = [gain.sectors_before, gain.sectors_after];
    let sizes = Sizes::Compared;
    let does = if state == VersionState::Made { "" } else { "would " };
    let touches = if does.is_empty() { "touches" } else { "touch" };
    let per = per.unwrap_or_default();
    let [shared, were] = [gain.threads_after, gain.threads_before];
    if is_for_threads(gain) {
        return format!(
            "with {sizes}, {shared} threads {does}share the work instead of {were}; a warp {does}{touches} {after} sectors{per}, as \
             written {before}"
        );
    }
    let threads = match shared == were {
        true => String::new(),
        false => format!(", and {shared} threads {does}share the work instead of {were}"),
    };
    format!("with {sizes} a warp {does}{touches} {after} sectors{per} instead of {before}{threads}")
}
