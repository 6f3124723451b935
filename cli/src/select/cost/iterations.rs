//! How often an access runs, as an expression: the sum over all iterations of the loops that a thread goes through.

use ipda_models::report::Loop;
use ipda_symbolic::{Coeff, Polynomial, Space, declare_as_symbols, parse};

use super::runs::is_index;

/// Expressions of one region.
#[derive(Default)]
struct Texts {
    space: Space,
    next_loop: u32,
}

impl Texts {
    fn read(&mut self, text: &str) -> Option<Polynomial> {
        declare_as_symbols(&mut self.space, text, &mut self.next_loop);
        parse(&mut self.space, text).ok()
    }

    fn trips(&mut self, of: &Loop) -> Option<Polynomial> {
        self.read(of.trips.value.as_deref()?)
    }
}

/// How often what is in loops runs, the innermost first, of which a thread goes through those that are `left`. A report has the product of the loops'
/// numbers of iterations, which may hold the number of a loop's iteration: then each of these is another number, and their sum counts. None where it is
/// no polynomial, as that of lengths that are loaded for each iteration.
pub fn all_iterations(product: &str, loops: &[&Loop], left: &[&Loop]) -> Option<String> {
    let mut texts = Texts::default();
    let product = texts.read(product)?;
    let mut all = Polynomial::one();
    for each in loops {
        let trips = texts.trips(each)?;
        all = texts.space.product(&all, &trips)?;
    }
    // What else it holds, as a loop's test that runs once more, is not said of each loop.
    if all != product {
        return None;
    }
    let mut sum = Polynomial::one();
    let mut halves = 0;
    for each in left {
        let trips = texts.trips(each)?;
        let is_own = |atom: &ipda_symbolic::AtomId| texts.space.label(*atom).is_some_and(|label| is_index(each, label));
        let own = texts.space.atoms(&sum).into_iter().find(is_own);
        sum = match own {
            // The numbers below t are t * (t - 1) / 2 together.
            Some(own) => {
                let (factor, rest) = texts.space.split_affine(&sum, own)?;
                let numbers = texts.space.product(&trips, &(trips.clone() - Polynomial::one()))?;
                let rest = texts.space.product(&rest, &trips)?;
                halves += 1;
                texts.space.product(&factor, &numbers)? + rest.scale(&Coeff::from(2))
            }
            None => texts.space.product(&sum, &trips)?,
        };
    }
    let two = Coeff::from(2);
    while halves > 0 && sum.terms().all(|(_, coefficient)| coefficient.div_exact(&two).is_some()) {
        sum = sum.map_coefficients(|coefficient| coefficient.div_exact(&two).unwrap_or_else(|| coefficient.clone()));
        halves -= 1;
    }
    let text = texts.space.display(&sum).to_string();
    Some(if halves == 0 { text } else { format!("({text}) / {}", 1_u64 << halves) })
}

/// Whether a product of numbers of iterations holds the number of an iteration of one of these loops.
pub fn holds_numbers_of(product: &str, loops: &[&Loop]) -> bool {
    let mut texts = Texts::default();
    let Some(product) = texts.read(product) else { return false };
    let names = |label: &str| loops.iter().any(|each| is_index(each, label));
    texts.space.atoms(&product).into_iter().any(|atom| texts.space.label(atom).is_some_and(names))
}
