//! Two lists side by side: what stayed, what came, what went, where lines and numbers may have moved.

use std::collections::HashMap;
use std::hash::Hash;

/// Cells of the table of longest common subsequences; longer lists are matched by first come, first served.
const MAX_CELLS: usize = 4_000_000;

/// Pairs of one old and one new thing; either may be missing. First by the longest common subsequence of `exact` keys, then, in order, by
/// `loose` keys.
pub fn aligned<T: Clone, K: Hash + Eq, L: Hash + Eq>(
    old: &[T],
    new: &[T],
    exact: impl Fn(&T) -> K,
    loose: impl Fn(&T) -> L,
) -> Vec<(Option<T>, Option<T>)> {
    let keys = |list: &[T]| list.iter().map(&exact).collect::<Vec<K>>();
    let mut partner_of_new: Vec<Option<usize>> = vec![None; new.len()];
    let mut is_taken = vec![false; old.len()];
    for (at_old, at_new) in common(&keys(old), &keys(new)) {
        partner_of_new[at_new] = Some(at_old);
        is_taken[at_old] = true;
    }
    let mut left: HashMap<L, Vec<usize>> = HashMap::new();
    for at in (0..old.len()).rev().filter(|&at| !is_taken[at]) {
        left.entry(loose(&old[at])).or_default().push(at);
    }
    for (at_new, partner) in partner_of_new.iter_mut().enumerate().filter(|(_, partner)| partner.is_none()) {
        *partner = left.get_mut(&loose(&new[at_new])).and_then(Vec::pop);
        if let Some(at_old) = *partner {
            is_taken[at_old] = true;
        }
    }
    let both = new.iter().zip(&partner_of_new).map(|(new, at)| (at.map(|at| old[at].clone()), Some(new.clone())));
    let gone = old.iter().zip(&is_taken).filter(|(_, is_taken)| !**is_taken).map(|(old, _)| (Some(old.clone()), None));
    both.chain(gone).collect()
}

/// The longest common subsequence, as pairs of positions.
fn common<K: Eq>(old: &[K], new: &[K]) -> Vec<(usize, usize)> {
    // What is equal at both ends needs no table.
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (rows, columns) = (old_rest.len() - end, new_rest.len() - end);
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    if (rows + 1).saturating_mul(columns + 1) <= MAX_CELLS {
        let width = columns + 1;
        let mut longest = vec![0_u32; (rows + 1) * width];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                longest[row * width + column] = if old_rest[row] == new_rest[column] {
                    longest[(row + 1) * width + column + 1] + 1
                } else {
                    longest[(row + 1) * width + column].max(longest[row * width + column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if old_rest[row] == new_rest[column] {
                pairs.push((start + row, start + column));
                (row, column) = (row + 1, column + 1);
            } else if longest[(row + 1) * width + column] >= longest[row * width + column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    pairs.extend((0..end).map(|at| (old.len() - end + at, new.len() - end + at)));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &str) {
        let [old, new] = [old, new].map(|text| text.chars().collect::<Vec<char>>());
        let pairs = aligned(&old, &new, |c| *c, char::to_ascii_lowercase);
        let shown: Vec<String> =
            pairs.iter().map(|(old, new)| format!("{}{}", old.map_or('-', |c| c), new.map_or('-', |c| c))).collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn what_stayed_is_found_between_what_came_and_went() {
        check("abc", "abc", "aa bb cc");
        check("abc", "axbc", "aa -x bb cc");
        check("abc", "ac", "aa cc b-");
        check("", "a", "-a");
        check("aab", "ab", "aa bb a-");
        check("aBc", "abc", "aa Bb cc");
        check("ab", "ba", "bb aa");
    }
}
