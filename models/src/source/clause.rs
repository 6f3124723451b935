//! The clause by which threads share the loops of a version, in words.

use crate::versions::Recipe;

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
