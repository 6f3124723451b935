//! The words and signs of the pages. Every sign has a shape of its own: colour is never all that tells.

use ipda_models::report::{Class, Loop, MemoryKind, Region, RegionKind, Report, TransformationState};
use ipda_models::sizes::Sizes;
use maud::{Markup, html};

use super::entries::{Block, Entry, Thing};
use super::markup::percent_wide;
use crate::select::cost::{Basis, Cost, InGroup};
use crate::words::percent_text;
use crate::words::{counted, iterations};

/// What stands beside a line.
#[derive(Clone, Copy)]
pub struct Mark {
    /// The style.
    pub class: &'static str,
    /// The sign.
    pub sign: &'static str,
}

impl Mark {
    /// The sign and what it stands for.
    pub fn tag(self, name: &str) -> Markup {
        html! { span class={ "tag " (self.class) } { (self.sign) " " (name) } }
    }
}

/// The mark of an entry.
pub fn mark(entry: &Entry) -> Mark {
    match &entry.thing {
        Thing::Region(_) => Mark { class: "reg", sign: "\u{25b6}" },
        Thing::Loop(_) => Mark { class: "loop", sign: "\u{21bb}" },
        Thing::Reject(_) => Mark { class: "rej", sign: "\u{d7}" },
        Thing::Accesses(_) => entry.class().map_or(Mark { class: "may", sign: "?" }, mark_of),
    }
}

/// The mark of a class.
pub fn mark_of(class: Class) -> Mark {
    match class {
        Class::Uncoalesced | Class::BankConflict => Mark { class: "bad", sign: "!" },
        Class::Strided => Mark { class: "may", sign: "~" },
        Class::Symbolic | Class::DataDependent | Class::Unknown => Mark { class: "may", sign: "?" },
        Class::Coalesced | Class::ConflictFree => Mark { class: "good", sign: "\u{2713}" },
        Class::Uniform => Mark { class: "good", sign: "=" },
    }
}

/// What an entry is, in a line.
pub fn headline(entry: &Entry, report: &Report) -> String {
    match &entry.thing {
        Thing::Region(_) => "region for the GPU".to_owned(),
        Thing::Loop(found) => {
            let (nth, each) = found[0];
            format!("{}, {}", loop_name(each), iterations(each, &report.regions[nth]))
        }
        Thing::Reject(reject) => format!("not understood: {}", reject.reason),
        Thing::Accesses(blocks) => {
            let more = match blocks.len() {
                1 => String::new(),
                n => format!(", and {} more", n - 1),
            };
            let block = &blocks[0];
            format!("{}: {}, {}{more}", access_name(block), block.cost.class.name(), amount(block))
        }
    }
}

/// `load and store of C`, `copy to buffer`.
pub fn access_name(block: &Block) -> String {
    crate::access::name(block.access, block.kinds.iter().copied())
}

/// What a warp's transactions with a memory are called.
fn transactions(memory: MemoryKind) -> &'static str {
    match memory {
        MemoryKind::Global => "sector",
        MemoryKind::Shared => "pass",
    }
}

/// `32 sectors per warp, 4 would do`.
pub fn amount(block: &Block) -> String {
    let noun = transactions(block.access.memory);
    let (needed, least, _) = block.cost.charged();
    let assumed = assumed_words(block);
    let assumed = match block.cost.group {
        Some(InGroup { is_first: false, .. }) => return "no sectors beyond those of its group".into(),
        Some(InGroup { members, .. }) => format!(", with {}{assumed}", counted(members as u64 - 1, "other load")),
        None => assumed,
    };
    match needed {
        Some(needed) if needed <= least => format!("{} per warp, the fewest possible{assumed}", counted(needed, noun)),
        Some(needed) => format!("{} per warp, {least} would do{assumed}", counted(needed, noun)),
        None => format!("{} per warp not known, at least {least}", counted(2_u64, noun).trim_start_matches("2 ")),
    }
}

/// The same of an access of a group, if it were alone.
pub fn alone(block: &Block) -> String {
    let Cost { needed, least, .. } = block.cost;
    match needed {
        Some(needed) => format!("{} per warp, {least} would do", counted(needed, transactions(block.access.memory))),
        None => format!("not known, at least {}", counted(least, transactions(block.access.memory))),
    }
}

/// `28 excessive sectors (88 % of 32)`, as profilers say it.
pub fn excess(block: &Block) -> Option<String> {
    let (needed, least, _) = block.cost.charged();
    let needed = needed.filter(|needed| *needed > 0)?;
    let excess = needed.checked_sub(least).filter(|excess| *excess > 0)?;
    let nouns = counted(excess, transactions(block.access.memory));
    let (number, noun) = nouns.split_once(' ')?;
    let share = percent_text(percent(excess as f64, needed as f64));
    Some(format!("{number} excessive {noun} ({share} % of {needed}){}", assumed_words(block)))
}

/// Words for a count that rests on sizes that are not known.
fn assumed_words(block: &Block) -> String {
    let is_assumed = block.cost.count_basis == Basis::Assumed && block.cost.needed.is_some();
    if is_assumed { format!(", with {} for sizes that are not known", Sizes::Counted.value()) } else { String::new() }
}

/// A part of a whole in percent.
pub fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (100.0 * part / whole).clamp(0.0, 100.0) } else { 0.0 }
}

/// A part of a whole as a bar and in words.
pub fn bar(part: f64, whole: f64) -> Markup {
    html! {
        @if part > 0.0 {
            span.bar style=(percent_wide(percent(part, whole))) {}
            (percent_text(percent(part, whole))) " %"
        } @else {
            "none"
        }
    }
}

/// `loop over i`.
pub fn loop_name(each: &Loop) -> String {
    match &each.variable {
        Some(variable) => format!("loop over {variable}"),
        None => each.id.clone(),
    }
}

/// What a region is called.
pub fn region_name(region: &Region) -> String {
    match region.kind {
        RegionKind::Target => format!("region in {}, line {}", region.function, region.location.line),
        RegionKind::Kernel => format!("kernel {}", region.function),
    }
}

/// What became of a region's loops, in a few words.
pub fn state(region: &Region) -> &'static str {
    let Some(change) = &region.transformation else { return "nothing to change" };
    match change.state {
        TransformationState::Done if change.made().any(|made| made.recipe.digits_in_words().is_some()) => {
            "loops mapped"
        }
        TransformationState::Done if change.made().any(|made| made.recipe.is_interchange()) => "loops interchanged",
        TransformationState::Done if change.made().any(|made| !made.recipe.lanes().is_empty()) => "loops tiled",
        TransformationState::Done if change.made().all(|made| made.recipe.promoted_arrays().is_some()) => {
            "values kept in registers"
        }
        TransformationState::Done => "loops collapsed",
        TransformationState::Possible => "loops could be changed",
        TransformationState::Best => "best as written",
        TransformationState::Left => "left as written",
    }
}

/// With a capital letter at its start.
pub fn sentence_case(text: &str) -> String {
    // What begins with a clause stays as it is written in the source.
    if text.split(' ').next().is_some_and(|word| word.contains('(')) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
