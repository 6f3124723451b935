//! What another order of loops rests on, and whether a clause, which tests nothing, may be written without it.

use ipda_models::report::{Loop, Region, Transformation};
use ipda_symbolic::{Coeff, Interval, Polynomial, Space, Symbol, Varies, parse};

/// The conditions without which the order computes something else, in the source's names. Left out are those without which nothing runs, so that
/// all orders do the same, and those of the plugin's own numbers: a clause's loops are counted in 64 bits.
///
/// A loop that is fused or that others are brought out of holds all that they do, and `ipda fix` writes where nothing stands between them.
pub fn that_matter(
    region: &Region,
    told: &Transformation,
    path: &[&Loop],
    name: impl Fn(&Region, &str) -> String,
) -> Vec<String> {
    let runs: Vec<String> =
        path.iter().filter_map(|entry| entry.trips.value.as_deref()).map(|trips| name(region, trips)).collect();
    let all = told.conditions.iter().filter(|text| !is_of_own_numbers(text)).map(|text| name(region, text));
    all.filter(|text| !runs.iter().any(|trips| says_that_it_runs(text, trips))).map(|text| in_words(&text)).collect()
}

fn is_of_own_numbers(condition: &str) -> bool {
    ["< 2^30", "< 2^62", "< 2^31"].iter().any(|end| condition.ends_with(end))
}

/// Whether a comparison holds where a loop that runs `trips` times runs at all.
fn says_that_it_runs(condition: &str, trips: &str) -> bool {
    let mut space = Space::new();
    let condition = ["<=", ">=", ">"].into_iter().find_map(|sign| {
        let (left, right) = condition.split_once(&format!(" {sign} "))?;
        let (left, right) = (read(&mut space, left)?, read(&mut space, right)?);
        Some(match sign {
            "<=" => &right - &left,
            ">=" => &left - &right,
            _ => &(&left - &right) - &Polynomial::one(),
        })
    });
    let positive = read(&mut space, trips).map(|trips| &trips - &Polynomial::one());
    condition.zip(positive).is_some_and(|(condition, positive)| least(&condition) == least(&positive))
}

/// A polynomial that is at least 0 where the given one is, with factors that have nothing in common.
fn least(value: &Polynomial) -> Option<Polynomial> {
    let varying = value.without_constant();
    let step = varying.content();
    let constant: Coeff = value.constant_term().div_floor(&step)?;
    Some(&varying.div_exact(&step)? + &Polynomial::from(constant))
}

/// A text of the report whose names are all sizes; none where it holds something else.
fn read(space: &mut Space, text: &str) -> Option<Polynomial> {
    for name in text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(name, _)| name) {
        if parse(space, &format!("[{name}]")).is_err() {
            space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No });
        }
    }
    parse(space, text).ok()
}

/// A condition without the brackets around names.
pub fn in_words(condition: &str) -> String {
    let mut words = String::new();
    let mut rest = condition;
    while let Some((before, behind)) = rest.split_once('[') {
        words.push_str(before);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match behind.split_once(']').filter(|(name, _)| name.chars().all(is_part)) {
            Some((name, behind)) => {
                words.push_str(name);
                rest = behind;
            }
            None => {
                words.push('[');
                rest = behind;
            }
        }
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_does_not_run_makes_no_difference() {
        assert!(says_that_it_runs("[m] >= 1", "[m]"));
        assert!(says_that_it_runs("[m] >= 6", "[m] - 5"));
        assert!(says_that_it_runs("[m] > [k]", "[m] - [k]"));
        assert!(says_that_it_runs("[k] <= 3", "4 - [k]"));
        // 2m - 5 is positive from 3 on.
        assert!(says_that_it_runs("[m] >= 3", "2*[m] - 5"));
        assert!(!says_that_it_runs("[m] >= 2", "[m]"));
        assert!(!says_that_it_runs("[m] >= 0", "[m]"));
        assert!(!says_that_it_runs("[m] <= 10", "[m]"));
        assert!(!says_that_it_runs("[n] >= 1", "[m]"));
        assert!(!says_that_it_runs("a and b do not overlap", "[m]"));
        assert!(!says_that_it_runs("[m] >= 1", "floor([m] / 2"));
    }

    #[test]
    fn brackets_stay_around_what_is_no_name() {
        assert_eq!(in_words("[ld] >= [m] + 2"), "ld >= m + 2");
        assert_eq!(in_words("[n.2] >= 1 and [x"), "[n.2] >= 1 and [x");
    }
}
