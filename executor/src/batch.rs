//! Generated nests that are compiled together, judged one by one, and made smaller where they fail.

use std::io::Write;

/// Failing nests that are made smaller; of the others, only the seed is reported.
const MAX_SHOWN: usize = 5;

/// A nest that a number stands for.
pub(crate) trait GeneratedNest: Clone {
    /// How many are compiled together.
    const TOGETHER: u64;
    fn from_seed(seed: u64) -> Self;
    fn seed(&self) -> u64;
    /// The function's text.
    fn text(&self) -> String;
    /// All nests that lack one part of this one, or have the body of a part in its place.
    fn smaller(&self) -> Vec<Self>;
    /// What two faults of one kind have in common.
    fn kind(fault: &str) -> String;
}

/// Judges the nests of some seeds by `judge`, which gives what is wrong first with each, or none; prints those that fail.
/// Returns whether the judgement is one of those to be counted: not that of nests that are being made smaller.
pub(crate) fn failures<N: GeneratedNest, E>(
    seeds: std::ops::Range<u64>,
    out: &mut dyn Write,
    mut judge: impl FnMut(&[N], bool) -> Result<Vec<(N, Option<String>)>, E>,
) -> anyhow::Result<usize>
where
    anyhow::Error: From<E>,
{
    let mut failures: Vec<(N, String)> = Vec::new();
    let mut first = seeds.start;
    while first < seeds.end {
        let after = (first + N::TOGETHER).min(seeds.end);
        let nests: Vec<N> = (first..after).map(N::from_seed).collect();
        for (nest, wrong) in judge(&nests, true)? {
            failures.extend(wrong.map(|wrong| (nest, wrong)));
        }
        first = after;
    }
    for (at, (nest, wrong)) in failures.iter().enumerate() {
        if at < MAX_SHOWN {
            let (small, wrong) = shrink(nest, wrong, &mut judge);
            writeln!(out, "WRONG seed {}: {wrong}\n{}", nest.seed(), small.text())?;
        } else {
            writeln!(out, "WRONG seed {}: {wrong}", nest.seed())?;
        }
    }
    Ok(failures.len())
}

/// A smaller nest with the same kind of fault.
fn shrink<N: GeneratedNest, E>(
    nest: &N,
    wrong: &str,
    judge: &mut impl FnMut(&[N], bool) -> Result<Vec<(N, Option<String>)>, E>,
) -> (N, String) {
    let (mut best, mut words) = (nest.clone(), wrong.to_owned());
    'again: loop {
        for smaller in best.smaller() {
            let found = judge(std::slice::from_ref(&smaller), false).unwrap_or_default();
            if let [(_, Some(wrong))] = &found[..]
                && N::kind(wrong) == N::kind(&words)
            {
                (best, words) = (smaller, wrong.clone());
                continue 'again;
            }
        }
        return (best, words);
    }
}
