//! Remedies.

use ipda_models::report::{Access, Location, MemoryKind, Region, Report};

use crate::select::cost::Cost;
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::words::percent_text;

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The programmer's.
    Todo,
    /// Nobody's: the compiled code has it already.
    Done,
    /// Nobody's: there is nothing to gain, or nothing that the source could change.
    Nothing,
}

impl State {
    /// The name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            State::Todo => "todo",
            State::Done => "done",
            State::Nothing => "nothing",
        }
    }
}

/// What the remedy is about; the names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Code that the analysis does not understand.
    NotUnderstood,
    /// One team, or one thread, does all the work.
    IdleTeams,
    /// Other loops would be shared among threads, or in another order.
    LoopOrder,
    /// Neighbouring threads use addresses that are far apart.
    Uncoalesced,
    /// The words of a warp are in one bank of shared memory.
    BankConflict,
    /// Threads update one place one after the other.
    AtomicContention,
    /// What is copied back though the region never writes it.
    MapReadOnly,
    /// There are too few iterations to share.
    FewIterations,
    /// The program's data decide which addresses are used.
    DataDependent,
    /// Nothing is wrong.
    NothingToDo,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 10] = [
        Rule::NotUnderstood,
        Rule::IdleTeams,
        Rule::LoopOrder,
        Rule::Uncoalesced,
        Rule::BankConflict,
        Rule::AtomicContention,
        Rule::MapReadOnly,
        Rule::FewIterations,
        Rule::DataDependent,
        Rule::NothingToDo,
    ];

    /// The name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::NotUnderstood => "NotUnderstood",
            Rule::IdleTeams => "IdleTeams",
            Rule::LoopOrder => "LoopOrder",
            Rule::Uncoalesced => "UncoalescedAccess",
            Rule::BankConflict => "BankConflict",
            Rule::AtomicContention => "AtomicContention",
            Rule::MapReadOnly => "MapReadOnly",
            Rule::FewIterations => "FewIterations",
            Rule::DataDependent => "DataDependent",
            Rule::NothingToDo => "NothingToDo",
        }
    }

    /// What it means, in a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Rule::NotUnderstood => "The analysis does not understand a part of the region.",
            Rule::IdleTeams => "One team or one thread does all the work, and the rest of the GPU is idle.",
            Rule::LoopOrder => "Another order of the loops, or more loops shared among threads, moves less memory.",
            Rule::Uncoalesced => "Neighbouring threads use addresses that are far apart.",
            Rule::BankConflict => "Threads of a warp use different words of one bank of shared memory.",
            Rule::AtomicContention => "Many threads update the same place, one after the other.",
            Rule::MapReadOnly => "A map clause copies back what the region never writes.",
            Rule::FewIterations => "There are too few iterations to keep a GPU busy.",
            Rule::DataDependent => "The program's data decide which addresses are used.",
            Rule::NothingToDo => "Nothing is to be done.",
        }
    }
}

/// A remedy, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Whose turn it is.
    pub state: State,
    /// What it is about.
    pub rule: Rule,
    /// Where in the source.
    pub location: Location,
    /// What to do, or what was done, or why nothing.
    pub text: String,
    /// What it is worth: `75 % of the traffic is waste`.
    pub worth: Option<String>,
    /// What a person can write into the source, where the compiled code has it already.
    pub in_source: Option<String>,
    /// Accesses that it is about, by their ids.
    pub accesses: Vec<String>,
    /// Other places that it is about.
    pub also: Vec<Location>,
}

impl Action {
    pub(super) fn new(state: State, rule: Rule, location: &Location, text: impl Into<String>) -> Action {
        Action {
            state,
            rule,
            location: location.clone(),
            text: text.into(),
            worth: None,
            in_source: None,
            accesses: Vec::new(),
            also: Vec::new(),
        }
    }

    pub(super) fn worth(self, worth: Option<String>) -> Action {
        Action { worth, ..self }
    }

    /// Adds another access that it is about.
    pub(super) fn add(&mut self, access: &Access) {
        self.accesses.push(access.id.clone());
        let is_new = |location: &&Location| **location != self.location && !self.also.contains(location);
        let location = access.location.as_ref().filter(is_new).cloned();
        self.also.extend(location);
    }

    /// The whole in one sentence.
    pub fn sentence(&self) -> String {
        let before = match self.state {
            State::Todo => "",
            State::Done => "done by the plugin: ",
            State::Nothing => "nothing to do: ",
        };
        let worth = self.worth.as_ref().map(|worth| format!(": {worth}")).unwrap_or_default();
        format!("{before}{}{worth}", self.text)
    }

    /// `rows.c:2`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.location.file, self.location.line)
    }
}

/// What of a region's traffic is waste, in the loops that run.
pub struct Traffic {
    pub excess: f64,
    pub worth: Option<String>,
}

impl Traffic {
    pub(super) fn of(region: &Region, report: &Report, values: &Values) -> Traffic {
        let values = &values.afresh();
        let totals = Totals::of_region(region, report, values);
        // What no change of loops or data saves is nobody's gain.
        let costs = region.accesses.iter().map(|access| (access, Cost::of(access, region, &report.hardware, values)));
        let of_neighbours =
            costs.filter(|(access, cost)| access.memory == MemoryKind::Global && cost.is_of_neighbours(access));
        let kept: f64 = of_neighbours.filter_map(|(_, cost)| cost.excess()).sum();
        let excess = (totals.sectors.excess - kept).max(0.0);
        let percent = Some(100.0 * excess / totals.sectors.all).filter(|percent| *percent >= 1.0);
        let sizes = totals.sizes_of_figures(values).map(|sizes| format!(", with {sizes}")).unwrap_or_default();
        let worth = percent.map(|percent| format!("{} % of the traffic is waste{sizes}", percent_text(percent)));
        Traffic { excess, worth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_a_name_of_its_own() {
        let mut names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Rule::ALL.len());
    }
}
