//! The clause by which threads share the loops of a version, in words.

use std::collections::BTreeMap;
use std::path::Path;

use super::request::Request;
use super::text::Source;
use super::{Objection, Written};
use crate::files;
use crate::report::{Region, Report};
use crate::versions::{DeviceVersion, Recipe};

/// A source is no longer than that, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// What a person writes so that threads share more loops of a nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// How many loops the directive takes as it is, where that is known.
    pub taken: Option<usize>,
    /// How many it takes more.
    pub more: usize,
    /// The loops in their better order, those that threads share first.
    pub order: Vec<String>,
    /// Whether loops change places.
    pub is_interchange: bool,
}

impl Clause {
    /// Of loops of which nothing but what is done with them is known.
    pub fn of_recipe(recipe: &Recipe) -> Clause {
        let threads = recipe.threads();
        if recipe.is_order_of_collapsed() {
            let order = threads.iter().map(|named| named.name.clone()).collect();
            return Clause { taken: Some(threads.len()), more: 0, order, is_interchange: true };
        }
        Clause {
            taken: None,
            more: threads.len().saturating_sub(1),
            order: threads.iter().map(|named| named.name.clone()).collect(),
            is_interchange: recipe.is_interchange(),
        }
    }

    /// What to do, in words that follow "to write it yourself".
    pub fn advice(&self) -> String {
        let Clause { taken, more, order, is_interchange } = self;
        let clause = match taken {
            Some(1) => format!("add collapse({})", 1 + more),
            Some(taken) => format!("write collapse({}) in place of collapse({taken})", taken + more),
            None if *more == 1 => "let the directive take 1 more loop, by collapse".into(),
            None => format!("let the directive take {more} more loops, by collapse"),
        };
        if *more == 0 {
            return format!("write the loops in the order {}", order.join(", "));
        }
        match (is_interchange, taken) {
            (true, _) => format!("write the loops in the order {} and {clause}", order.join(", ")),
            (false, Some(1)) => format!("{clause} to the directive"),
            (false, _) => clause,
        }
    }
}

/// Says of each version of a report that has a clause what it is, as its source shows that. Where no clause does it, because a statement stands
/// between the loops, there is none.
pub fn tell_clauses(report: &mut Report) {
    let mut sources: BTreeMap<String, Option<Source>> = BTreeMap::new();
    for region in &mut report.regions {
        let Some(mut reported) = region.transformation.take() else { continue };
        for version in reported.versions.iter_mut().filter(|version| version.clause.is_some()) {
            version.clause = clause(region, version, &mut sources).map(|clause| clause.advice());
        }
        region.transformation = Some(reported);
    }
}

fn clause(region: &Region, version: &DeviceVersion, sources: &mut BTreeMap<String, Option<Source>>) -> Option<Clause> {
    let Ok(request) = Request::of(region, version) else { return Some(Clause::of_recipe(&version.recipe)) };
    let read = |file: &str| Some(Source::new(files::read(Path::new(file), MOST_BYTES).ok()?));
    let source = sources.entry(request.file().to_owned()).or_insert_with_key(|file| read(file));
    match source.as_ref().map(|source| request.written(source)) {
        Some(Ok(Written { clause, .. })) => Some(clause),
        Some(Err(Objection::Clause(_))) => None,
        Some(Err(Objection::Program(_))) | None => Some(request.clause_by_names()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_says_how_many_loops_the_directive_takes_then() {
        let clause = |taken, more, order: &[&str], is_interchange| {
            let order = order.iter().map(|&name| name.to_owned()).collect();
            Clause { taken, more, order, is_interchange }.advice()
        };
        assert_eq!(clause(Some(1), 1, &["i", "j"], false), "add collapse(2) to the directive");
        assert_eq!(clause(Some(2), 1, &["i", "j", "k"], false), "write collapse(3) in place of collapse(2)");
        assert_eq!(clause(None, 1, &["loop0", "loop1"], false), "let the directive take 1 more loop, by collapse");
        let named = |name: &str| crate::report::NamedLoop { name: name.into(), location: None };
        let reordered = Recipe::reordered(vec![named("y"), named("x")], None);
        assert_eq!(Clause::of_recipe(&reordered).advice(), "write the loops in the order y, x");
        assert_eq!(clause(None, 2, &[], false), "let the directive take 2 more loops, by collapse");
        assert_eq!(
            clause(Some(1), 1, &["k", "i", "j"], true),
            "write the loops in the order k, i, j and add collapse(2)"
        );
        assert_eq!(
            clause(Some(2), 1, &["k", "i", "j"], true),
            "write the loops in the order k, i, j and write collapse(3) in place of collapse(2)"
        );
        assert_eq!(
            clause(None, 1, &["k", "i"], true),
            "write the loops in the order k, i and let the directive take 1 more loop, by collapse"
        );
    }
}
