//! How often loops run.

use crate::polynomial::Polynomial;

/// How many iterations a loop runs each time it is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TripCount {
    /// As many as the polynomial says where that is positive, else none.
    Exactly(Polynomial),
    /// Likewise, but the polynomial is the count only modulo 2 to the width of the loop's variable.
    Modulo(Polynomial),
    /// No more than that: the loop can also be left elsewhere.
    AtMost(Polynomial),
    /// Not known, for the given reason.
    Unknown(String),
}
