//! The chain from an access in the source to its verdict.

mod count;

use ipda_models::report::{Access, AccessKind, Class, Moved, Region, Report, Stride, StrideKind};
use ipda_models::versions::{DeviceVersion, VersionState};

use super::source::{INDENT, LABEL, Sources};
use crate::access;
use crate::action::{Place, advice};
use crate::document::{Document, Tone};
use crate::select::cost::{Cost, ancestors};
use crate::select::values::Values;
use crate::words::terms::{self, Letters, Term};
use crate::words::{class_meaning, counted, loop_name, region_name};

/// Accesses at one place that differ in nothing but what they do.
pub struct Group<'a> {
    pub accesses: Vec<&'a Access>,
    /// Others of the same line of which the same is to be said.
    pub alike: Vec<String>,
    pub region: &'a Region,
    pub report: &'a Report,
}

impl Group<'_> {
    /// `load and store of C`.
    pub fn name(&self) -> String {
        let access = self.accesses[0];
        access::name(access, self.accesses.iter().map(|access| access.kind))
    }

    /// Whether another access is explained by the same words.
    pub fn takes(&self, other: &Access, region: &Region) -> bool {
        let access = self.accesses[0];
        std::ptr::eq(self.region, region)
            && access.location == other.location
            && access.called_from == other.called_from
            && access.address == other.address
            && access.bytes == other.bytes
            && (access.class, &access.group) == (other.class, &other.group)
            && access.executions == other.executions
            && access.conditions == other.conditions
            && self.accesses.iter().all(|each| each.kind != other.kind)
    }

    /// Whether all that is reported about another access holds for this one, but for the address.
    pub fn is_like(&self, other: &Group<'_>) -> bool {
        let (one, two) = (self.accesses[0], other.accesses[0]);
        std::ptr::eq(self.region, other.region)
            && (one.class, &one.stride, one.bytes, one.memory) == (two.class, &two.stride, two.bytes, two.memory)
            && (&one.in_loop, &one.sectors, &one.executions) == (&two.in_loop, &two.sectors, &two.executions)
            && (&one.conditions, &one.active_lanes, &one.moved) == (&two.conditions, &two.active_lanes, &two.moved)
            && one.group.is_none()
            && two.group.is_none()
            && one.called_from == two.called_from
            && one.stride.kind != StrideKind::Unknown
    }

    /// `load of B (17:50)`.
    pub fn name_with_place(&self) -> String {
        format!("{} ({})", self.name(), crate::words::place(self.accesses[0].location.as_ref()))
    }

    /// Writes the chain.
    pub fn write(&self, out: &mut Document, sources: &mut Sources, values: &Values) {
        let values = &values.afresh();
        let access = self.accesses[0];
        let cost = Cost::of(access, self.region, &self.report.hardware, values);
        let written = Cost::as_written(access, self.region, &self.report.hardware, values);
        let place = access.location.as_ref().map_or_else(|| "?".into(), ToString::to_string);
        out.heading(format!("{place}: {}, {} in each thread", self.name(), counted(access.bytes, "byte")));
        if let Some(location) = &access.location {
            sources.write(out, INDENT, location);
        }
        out.blank();
        let mut say = |label: &str, tone: Tone, text: &str| out.labelled(INDENT, LABEL, label, tone, text);
        if !self.alike.is_empty() {
            say("alike", Tone::Plain, &format!("the same holds for the {}", crate::words::and(&self.alike)));
        }
        say("where", Tone::Plain, &self.place());
        let tone = if cost.weight() > 0.0 { Tone::Bad } else { Tone::Plain };
        say("verdict", tone, &self.verdict(&cost, &written));
        say("address", Tone::Plain, &self.address());
        for sentence in self.threads() {
            say("threads", Tone::Plain, &sentence);
        }
        say("difference", Tone::Plain, &self.difference());
        say("count", Tone::Plain, &self.count(&written, values));
        if let Some(sentence) = access::group(access, &written, self.region) {
            say("together", Tone::Plain, &sentence);
        }
        for sentence in self.lanes() {
            say("lanes", Tone::Plain, &sentence);
        }
        say("runs", Tone::Plain, &self.runs(&cost, values));
        if let Some(sentence) = self.in_changed_loops(&cost) {
            say("changed", Tone::Plain, &sentence);
        }
        for guarantee in &access.assumptions {
            say("rests on", Tone::Plain, guarantee.sentence());
        }
        if let Some(sharing) = &access.false_sharing {
            say("host", Tone::Doubtful, &sharing.sentence());
        }
        if let Some(advice) = self.what_helps(&cost, values) {
            say("what helps", Tone::Plain, &advice);
        }
        out.blank();
    }

    fn place(&self) -> String {
        let access = self.accesses[0];
        let mut parts: Vec<String> = ancestors(access, self.region).iter().map(|each| loop_name(each)).collect();
        parts.push(region_name(self.region));
        let mut text = format!("in the {}", parts.join(", in the "));
        for call in &access.called_from {
            text += &format!(", called at {call}");
        }
        text
    }

    fn verdict(&self, cost: &Cost, written: &Cost) -> String {
        // Of a class that is open anyway, warps are not distinguished.
        let is_within_rows = self.accesses[0].stride.kind == StrideKind::RowEnds && written.class != Class::Symbolic;
        let but_for =
            if is_within_rows && written.known().is_none() { ", but for the warps in which a row ends" } else { "" };
        format!("{}: {}{but_for}", written.class.name(), class_meaning(written.class))
            + match cost.changed {
                Some(_) if cost.class != written.class => " (as written; the plugin changed the loops, see below)",
                _ => "",
            }
    }

    fn address(&self) -> String {
        let access = self.accesses[0];
        let meanings = terms::meanings(&access.address, self.region);
        let meanings = if meanings.is_empty() { String::new() } else { format!(", where {}", meanings.join(", ")) };
        format!("{} bytes{meanings}", access.address)
    }

    /// What tells the threads of a warp apart.
    fn threads(&self) -> Vec<String> {
        let lanes = self.report.hardware.warp_lanes;
        let access = self.accesses[0];
        let moved = &access.moved;
        if moved.is_empty() {
            return self.region.mapping_sentences(lanes);
        }
        let lanes = self.region.hardware_of(access, &self.report.hardware).warp_lanes;
        let letters = Letters::of(self.region);
        let reported = moved.iter().map(|Moved { name, value }| {
            let value = letters.short(value);
            let thread = letters.thread();
            let last = lanes.saturating_sub(1);
            let mut parts = vec![format!("thread {thread} of a warp ({thread} from 0 to {last}) has {name} = {value}")];
            parts.extend(letters.meanings(&value));
            parts.join(", ")
        });
        reported.collect()
    }

    fn difference(&self) -> String {
        let access = self.accesses[0];
        let Stride { kind, text, reason, .. } = &access.stride;
        let moved = &access.moved;
        let letters = Letters::of(self.region);
        let thread = letters.thread();
        let is_moved = |term: &Term| moved.iter().any(|moved| terms::mentions(&term.text, &moved.name));
        let (varying, same): (Vec<Term>, Vec<Term>) = match (&moved[..], kind) {
            // How the threads differ is not reported: only the result is.
            ([], kind) if *kind != StrideKind::Constant || text.as_deref() != Some("0") => Default::default(),
            _ => terms::split(&access.address).into_iter().partition(is_moved),
        };
        // Where the difference is not known, what a name stands for may be another in each thread.
        let is_open = matches!(kind, StrideKind::DataDependent | StrideKind::Unknown);
        let same: Vec<Term> =
            same.into_iter().filter(|term| !is_open || terms::is_fixed(&term.text, self.region)).collect();
        let list = |terms: &[Term]| {
            let texts: Vec<String> = terms.iter().map(|term| term.text.clone()).collect();
            crate::words::and(&texts)
        };
        let is_are =
            |terms: &[Term]| if terms.len() == 1 { "is the same and cancels" } else { "are the same and cancel" };
        let cancelled = match (&same[..], &varying[..]) {
            ([], _) => String::new(),
            (_, []) => "nothing in it tells threads apart, so all of it cancels".to_owned(),
            (same, _) => format!("from thread 0 to thread {thread}, {} {}", list(same), is_are(same)),
        };
        let left = if varying.is_empty() {
            String::new()
        } else {
            format!("; {} {} ", list(&varying), if varying.len() == 1 { "leaves" } else { "leave" })
        };
        let left = left.trim_start_matches(if cancelled.is_empty() { "; " } else { "" });
        let stride = text.as_deref().unwrap_or("?");
        let distance =
            access::distance(&access.stride, |text| format!("{} bytes for thread {thread}", letters.short(text)));
        let found = match kind {
            StrideKind::Constant if stride == "0" && varying.is_empty() => format!(": {distance}"),
            StrideKind::Constant if stride == "0" => format!("{left}0: {distance}"),
            StrideKind::Constant | StrideKind::Symbolic if varying.is_empty() => format!("; {distance}"),
            StrideKind::Constant | StrideKind::Symbolic => {
                format!("{left}{}: {distance}", letters.times_thread(stride))
            }
            StrideKind::Vector | StrideKind::PerLane => format!("{}{distance}", or_break(left)),
            StrideKind::RowEnds => format!("; {distance}"),
            StrideKind::DataDependent | StrideKind::Unknown => {
                let reason = reason.as_deref().unwrap_or("no reason is given");
                let what = if same.is_empty() { "how far threads are apart" } else { "what is left" };
                format!("; {what} is known only to the running program: {reason}")
            }
        };
        format!("{cancelled}{found}").trim_start_matches("; ").trim_start_matches(": ").to_owned()
    }

    fn lanes(&self) -> Vec<String> {
        let access = self.accesses[0];
        let mut reported = Vec::new();
        reported.extend(access.condition().map(|condition| format!("only where {condition}")));
        reported.extend(access::lanes(access, &self.report.hardware));
        reported
    }

    /// What the access is in the loops that run.
    fn in_changed_loops(&self, cost: &Cost) -> Option<String> {
        if let (None, Some(made)) = (self.region.changed_nest(self.accesses[0]), self.mapped()) {
            let done = crate::view::version_sentence(made, self.region);
            return Some(format!("{done}: what a warp touches then is not counted"));
        }
        let nest = self.region.changed_nest(self.accesses[0])?;
        let made = nest.version;
        let how = access::changed_distance(cost.changed?);
        let needed = match cost.group {
            None => counted(cost.needed?, "sector"),
            Some(group) => format!("{} with its group", counted(group.needed?, "sector")),
        };
        let done = crate::view::version_sentence(made, self.region);
        let within = if nest.tile.is_empty() { "a row" } else { "its tile" };
        Some(format!("{done}: then {how}, {needed} a warp within {within} ({})", cost.class.name()))
    }

    /// The version in which the access runs by digits of iteration numbers.
    fn mapped(&self) -> Option<&DeviceVersion> {
        let mut made = self.region.transformation.as_ref()?.made();
        made.find(|version| version.recipe.digits_in_words().is_some())
    }

    /// Whether another order of the loops would help, which was not taken.
    pub fn waits_for_a_change(&self, values: &Values) -> bool {
        let cost = Cost::of(self.accesses[0], self.region, &self.report.hardware, values);
        cost.weight() > 0.0 && self.versions_that_wait().next().is_some()
    }

    /// What would make it cost less.
    pub fn what_helps(&self, cost: &Cost, values: &Values) -> Option<String> {
        let waiting = |state| self.versions_that_wait().any(|version| version.state == state);
        let is_of_loops =
            cost.weight() > 0.0 && !matches!(cost.class, Class::DataDependent | Class::Unknown | Class::BankConflict);
        if is_of_loops && waiting(VersionState::Left) {
            return Some("other loops, which the plugin left alone: what stands in the way is reported below".into());
        }
        if is_of_loops && waiting(VersionState::Possible) {
            return Some("other loops: the clause that is reported below, or the plugin with IPDA_TRANSFORM=on".into());
        }
        let is_atomic = |access: &&&Access| access.kind == AccessKind::Atomic;
        let access = self.accesses.iter().find(is_atomic).unwrap_or(&self.accesses[0]);
        let place = Place { access, region: self.region, report: self.report };
        advice(&place, cost, values).map(|advice| advice.full)
    }

    /// The better versions of the loops, of which none was made.
    fn versions_that_wait(&self) -> impl Iterator<Item = &DeviceVersion> + Clone {
        let change = self.region.transformation.as_ref().filter(|change| change.made().next().is_none());
        change.into_iter().flat_map(|change| &change.versions)
    }
}

/// What comes before a result: the summands that it comes from, else a break.
fn or_break(left: &str) -> &str {
    if left.is_empty() { "; " } else { left }
}
