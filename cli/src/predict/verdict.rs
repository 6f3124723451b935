//! Who is faster, in words that claim no more than is known: a device's time that lacks transfers is the least that it can be.

use ipda_models::predict::{Choice, Comparison};
use ipda_models::summary::size_name;

use super::sweep::Side;
use crate::document::{Document, Tone};
use crate::words::{and, rounded};

/// Prints who is faster, and how many times, where the transfers of the variables `without` are not counted.
pub fn verdict(out: &mut Document, comparison: Comparison, without: &[String]) {
    out.indented(2, Tone::Bold, sentence(comparison, without));
    if let Some(sentence) = lower_bound(without) {
        out.wrapped(2, &sentence);
    }
}

/// Prints that a launch stays on the device, where the host is predicted to be faster.
pub fn doubt(out: &mut Document, comparison: Comparison, choice: Option<Choice>, stays: Option<&str>) {
    if let Some(sentence) = why_not(comparison, choice, stays) {
        out.wrapped(2, &sentence);
    }
}

/// Why a launch does not run on the host where that is predicted to be faster: it `stays` on the device for a reason, or that is in doubt.
pub fn why_not(comparison: Comparison, choice: Option<Choice>, stays: Option<&str>) -> Option<String> {
    if comparison.choice() != Some(Choice::Host) {
        return None;
    }
    match stays {
        Some(reason) => Some(format!("But its launches stay on the device: {reason}.")),
        None if choice == Some(Choice::Device) => Some(IN_DOUBT.to_owned()),
        None => None,
    }
}

const IN_DOUBT: &str = "That is in doubt, so that IPDA_OFFLOAD=model keeps launches on the device.";

/// Who is faster, and how many times.
pub fn sentence(comparison: Comparison, without: &[String]) -> String {
    let (device, at_least) = match without {
        [] => ("The device is faster".to_owned(), ""),
        some => (format!("Without the transfers of {} the device is faster", and(some)), "at least "),
    };
    match comparison {
        Comparison::Faster(Choice::Host, times) => format!("The host is faster, {at_least}{} times.", rounded(times)),
        Comparison::Faster(Choice::Device, times) => format!("{device}, {} times.", rounded(times)),
        Comparison::Free(Choice::Host) => "The host is faster: it takes no time.".to_owned(),
        Comparison::Free(Choice::Device) => format!("{device}: it takes no time."),
        Comparison::Neither if !without.is_empty() => {
            format!("Neither takes any time without the transfers of {}.", and(without))
        }
        Comparison::Neither => "Neither takes any time.".to_owned(),
    }
}

/// Who is faster, in the words of a sentence about several sizes.
pub fn clause(side: Side, without: &[String]) -> String {
    match known(side, without) {
        Some(side) => side.clause().to_owned(),
        None => format!("{} without the transfers of {}", side.clause(), and(without)),
    }
}

/// What the device's time lacks, and how it is given; none where it lacks nothing.
pub fn lower_bound(without: &[String]) -> Option<String> {
    let options: Vec<String> = without.iter().map(|name| format!("-D '{}=..'", size_name(name))).collect();
    let verb = if options.len() == 1 { "says" } else { "say" };
    (!without.is_empty()).then(|| {
        format!(
            "How much {} maps is not known, so that the device takes longer than this by an unknown time: {} {verb} it.",
            and(without),
            options.join(" ")
        )
    })
}

/// Who is faster, for a table; a device whose time lacks something is not said to be.
pub fn word(side: Side, without: &[String]) -> &'static str {
    match known(side, without) {
        Some(side) => side.name(),
        None => "not known",
    }
}

/// Who is faster whatever the transfers take, if that is known.
pub fn known(side: Side, without: &[String]) -> Option<Side> {
    // Any transfer makes neither of them free of time, too.
    (without.is_empty() || side == Side::Host).then_some(side)
}
