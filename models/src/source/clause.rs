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
    /// How many iterations of each loop that threads share are a tile of one thread; empty where it has one of each.
    pub tile: Vec<u32>,
}

impl Clause {
    /// Of loops of which nothing but what is done with them is known.
    pub fn of_recipe(recipe: &Recipe) -> Clause {
        let threads = recipe.threads();
        if recipe.is_order_of_collapsed() {
            let order = threads.iter().map(|named| named.name.clone()).collect();
            return Clause { taken: Some(threads.len()), more: 0, order, is_interchange: true, tile: Vec::new() };
        }
        Clause {
            taken: None,
            more: threads.len().saturating_sub(1),
            order: threads.iter().map(|named| named.name.clone()).collect(),
            is_interchange: recipe.is_interchange(),
            tile: recipe.sequential_tile().to_vec(),
        }
    }

    /// The directive by which each thread has a tile of iterations: `#pragma omp tile sizes(8, 1)`.
    pub fn tile_directive(&self) -> String {
        let sizes: Vec<String> = self.tile.iter().map(u32::to_string).collect();
        format!("#pragma omp tile sizes({})", sizes.join(", "))
    }

    /// What to do, in words that follow "to write it yourself".
    pub fn advice(&self) -> String {
        let Clause { taken, more, order, is_interchange, tile } = self;
        if !tile.is_empty() {
            let tile = format!("write {} between the directive and its loops", self.tile_directive());
            return match (taken, more) {
                (_, 0) => tile,
                (Some(1), _) => format!("{tile} and add collapse({}) to the directive", 1 + more),
                (Some(taken), _) => format!("{tile} and collapse({}) in place of collapse({taken})", taken + more),
                (None, _) => format!("{tile} and let the directive take {more} more, by collapse"),
            };
        }
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
    use crate::versions::FusedOrder;

    #[test]
    fn a_clause_says_how_many_loops_the_directive_takes_then() {
        let clause = |taken, more, order: &[&str], is_interchange| {
            let order = order.iter().map(|&name| name.to_owned()).collect();
            Clause { taken, more, order, is_interchange, tile: Vec::new() }.advice()
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
            Clause {
                tile: vec![8, 1],
                ..Clause::of_recipe(&Recipe::fused(vec![named("i"), named("j")], FusedOrder::AsWritten))
            }
            .advice(),
            "write #pragma omp tile sizes(8, 1) between the directive and its loops and let the directive take 1 more, by collapse"
        );
        assert_eq!(
            clause(None, 1, &["k", "i"], true),
            "write the loops in the order k, i and let the directive take 1 more loop, by collapse"
        );
    }
}
