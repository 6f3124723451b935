//! How often things run in nests of loops.

use crate::polynomial::Polynomial;
use crate::space::Space;

/// How many iterations a loop runs each time it is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TripCount {
    /// As many as the polynomial says.
    Known(Polynomial),
    /// Not known, for the given reason.
    Unknown(String),
}

impl TripCount {
    /// How often the body of a nest runs: the product of the trip counts, or the first reason why one is unknown.
    pub fn of_nest(space: &mut Space, loops: impl IntoIterator<Item = TripCount>) -> TripCount {
        let mut product = Polynomial::one();
        for trips in loops {
            match trips {
                TripCount::Unknown(_) => return trips,
                TripCount::Known(count) => match space.product(&product, &count) {
                    Some(larger) => product = larger,
                    None => {
                        return TripCount::Unknown("the product of the trip counts is too large an expression".into());
                    }
                },
            }
        }
        TripCount::Known(product)
    }
}
