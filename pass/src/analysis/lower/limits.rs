//! Limits of the work that is done for one value, and how often each was met. The algebra counts its own.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// A limit, by what there would be more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    /// [`super::MAX_DEPTH`].
    ValueDepth,
    /// Recurrences and trip counts that are looked at one inside the other.
    NestedRecurrences,
    /// Exits of a loop.
    LoopExits,
    /// Parts of a loop's exit test.
    ExitTestParts,
    /// Values that one is computed from.
    SourceValues,
    /// Operations between a value and what is known to be equal in all threads.
    UniformDepth,
    /// Writes that may have put a value where it is read.
    Writes,
    /// Stores that together make what is read.
    StoreParts,
    /// Entries of a constant table.
    TableEntries,
    /// Entries of a constant table that a sum is written for.
    TableCases,
    /// [`super::control::MAX_SWITCH_CASES`].
    SwitchCases,
}

impl Limit {
    /// The name in reports.
    fn name(self) -> &'static str {
        match self {
            Limit::ValueDepth => "value-depth",
            Limit::NestedRecurrences => "nested-recurrences",
            Limit::LoopExits => "loop-exits",
            Limit::ExitTestParts => "exit-test-parts",
            Limit::SourceValues => "source-values",
            Limit::UniformDepth => "uniform-depth",
            Limit::Writes => "writes",
            Limit::StoreParts => "store-parts",
            Limit::TableEntries => "table-entries",
            Limit::TableCases => "table-cases",
            Limit::SwitchCases => "switch-cases",
        }
    }
}

/// How often limits were met; counted by those that only read, too.
#[derive(Clone, Debug, Default)]
pub(super) struct LimitHits(RefCell<BTreeMap<Limit, u64>>);

impl LimitHits {
    /// Notes that a limit was met.
    pub(super) fn add(&self, limit: Limit) {
        *self.0.borrow_mut().entry(limit).or_default() += 1;
    }

    /// Those that were met, with their names in reports.
    pub(super) fn by_name(&self) -> Vec<(&'static str, u64)> {
        self.0.borrow().iter().map(|(limit, count)| (limit.name(), *count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Limit;
    use ipda_models::report;
    use ipda_symbolic::LimitHits;

    #[test]
    fn every_limit_has_words_for_people() {
        use Limit::*;
        let own = [
            ValueDepth,
            NestedRecurrences,
            LoopExits,
            ExitTestParts,
            SourceValues,
            UniformDepth,
            Writes,
            StoreParts,
            TableEntries,
            TableCases,
            SwitchCases,
        ];
        let algebra = LimitHits::default().by_name().map(|(name, _)| name);
        for name in algebra.into_iter().chain(own.map(Limit::name)) {
            assert!(report::Limit { name: name.into(), count: 1 }.meaning().is_some(), "{name}");
        }
    }
}
