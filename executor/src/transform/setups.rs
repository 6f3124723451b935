//! What kernels of sources are given: sizes in combinations, and pointers that lead into each other's arrays.

use super::runs::{Overlap, Setup};
use crate::arguments::{Argument, ArgumentError, Defaults, Description};
use crate::random::Random;
use crate::source_types::{Parameter, SourceType};

/// Nothing, one, odd, prime, around a warp, larger than a small grid.
const SIZES: [i64; 9] = [0, 1, 2, 7, 31, 32, 33, 64, 100];
/// Sizes that no loop runs for.
const NEGATIVE: [i64; 2] = [-1, -65536];
/// The size where a source says nothing.
const SIZE: i64 = 13;
/// All sizes multiplied are no more than this.
const MAX_PRODUCT: i64 = 4000;
/// The least elements of an array, so that any sizes find room.
const ELEMENTS: u64 = 1 << 17;
/// Combinations of sizes that are drawn.
const DRAWN: usize = 5;
/// Setups with pointers that lead into each other's arrays.
const OVERLAPS: usize = 10;
/// Pairs of pointers that lead to one place.
const SAME_PLACE: usize = 6;

/// Sizes of rows and columns are no larger.
const MAX_SIZE: i64 = 200;

/// Whether pointers to elements of one type may lead to the same memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aliases {
    /// They may.
    Possible,
    /// The source excludes it.
    Excluded,
}

/// Setups of a kernel whose source says what it needs at least.
pub(crate) fn of_parameters(
    given: &Description,
    parameters: &[Parameter],
    aliases: Aliases,
) -> Result<Vec<Setup>, ArgumentError> {
    let base = given.fill_defaults(parameters, &Defaults { integer: SIZE, ..Defaults::default() })?;
    let base = with_room(base, parameters);
    let sizes: Vec<usize> = (0..parameters.len()).filter(|&at| is_integer(&base, parameters, at)).collect();
    let of = |values: &[(usize, i64)]| {
        let mut description = base.clone();
        for &(at, value) in values {
            description.arguments[at].1 = Argument::Integer(value);
        }
        description
    };
    let setup = |values: Vec<(usize, i64)>| {
        let value = |at: usize| match base.arguments[at].1 {
            Argument::Integer(value) => value,
            _ => 0,
        };
        let all = sizes.iter().map(|&at| {
            let changed = values.iter().find(|(other, _)| *other == at);
            format!("{} = {}", base.arguments[at].0, changed.map_or_else(|| value(at), |&(_, value)| value))
        });
        let words = all.collect::<Vec<_>>().join(", ");
        Setup { description: of(&values), overlaps: Vec::new(), words }
    };
    let mut setups = vec![setup(Vec::new())];
    let mut random = Random::new(parameters.len() as u64);
    if !sizes.is_empty() {
        for size in SIZES {
            setups.push(setup(within(sizes.iter().map(|&at| (at, size)).collect(), &mut random)));
        }
        for &at in &sizes {
            for size in [0, 1] {
                setups.push(setup(vec![(at, size)]));
            }
        }
        for _ in 0..DRAWN {
            setups.push(setup(within(sizes.iter().map(|&at| (at, random.pick(&SIZES))).collect(), &mut random)));
        }
        let signed: Vec<usize> = sizes.iter().copied().filter(|&at| is_signed(parameters, at)).collect();
        for size in NEGATIVE {
            setups.push(setup(signed.iter().map(|&at| (at, size)).collect()));
        }
        // Two that are negative make a product that is not.
        for &positive in &signed {
            setups.push(setup(signed.iter().map(|&at| (at, if at == positive { 3 } else { -5 })).collect()));
        }
        // Nothing runs, but products of the others do not fit.
        if let Some(&first) = signed.first() {
            let most = |&at: &usize| (at, if at == first { 0 } else { i64::from(i32::MAX) });
            setups.push(setup(signed.iter().map(most).collect()));
        }
    }
    if aliases == Aliases::Possible {
        setups.extend(overlapping(parameters, &setups, &mut random));
    }
    Ok(setups)
}

/// Some of the setups in which loops run, with one pointer leading to where another one does, or behind.
fn overlapping(parameters: &[Parameter], setups: &[Setup], random: &mut Random) -> Vec<Setup> {
    let pairs: Vec<(usize, usize, u64)> = (0..parameters.len())
        .flat_map(|one| (0..parameters.len()).map(move |other| (one, other)))
        .filter(|(one, other)| one != other)
        .filter_map(|(one, other)| Some((one, other, common_element(&parameters[one], &parameters[other])?)))
        .collect();
    if pairs.is_empty() {
        return Vec::new();
    }
    // Where a size is nothing or negative, nothing may run, and no place meets another.
    let running: Vec<&Setup> =
        setups.iter().filter(|setup| integers(&setup.description).all(|value| value > 1)).collect();
    let same = pairs.iter().filter(|(one, other, _)| one > other).take(SAME_PLACE).copied().map(Some);
    let made = same.chain(std::iter::repeat_n(None, OVERLAPS)).enumerate().map(|(number, pair)| {
        let mut setup = match running.len() as u64 {
            0 => setups[random.below(setups.len() as u64) as usize].clone(),
            some => running[random.below(some) as usize].clone(),
        };
        let (pointer, of, size) = pair.unwrap_or_else(|| random.pick(&pairs));
        let elements = random.weighted(&[(3, 0), (3, 1), (1, 2), (1, 13), (1, 14), (1, 33), (1, 169), (1, 1024)]);
        // The same place, near it, and where arrays may end: whatever is touched of one may be touched of the other no more.
        let elements = match pair {
            Some(_) => 0,
            None if number % 4 == 0 => elements,
            None => near_an_end(&setup.description, random).unwrap_or(elements),
        };
        setup.overlaps.push(Overlap { pointer, of, bytes: elements * size as i64 });
        let name = |at: usize| parameters[at].name.clone().unwrap_or_else(|| format!("arg{}", at + 1));
        setup.words += &format!(", {} = {} + {elements}", name(pointer), name(of));
        setup
    });
    made.collect()
}

/// A number of elements about as large as an array may be that is as long as sizes say.
fn near_an_end(description: &Description, random: &mut Random) -> Option<i64> {
    let sizes: Vec<i64> = integers(description).filter(|value| (1..=MAX_SIZE).contains(value)).collect();
    if sizes.is_empty() {
        return None;
    }
    let (one, other) = (random.pick(&sizes), random.pick(&sizes));
    let end = [(3, one), (3, one * other), (1, 2 * one * other), (1, one * one - one), (1, one * (other + 2))];
    Some(random.weighted(&end) + random.weighted(&[(3, -1), (1, -2), (2, 0), (1, 1)]))
}

fn integers(description: &Description) -> impl Iterator<Item = i64> + '_ {
    description.arguments.iter().filter_map(|(_, argument)| match argument {
        Argument::Integer(value) => Some(*value),
        _ => None,
    })
}

/// The size of what both pointers lead to.
fn common_element(one: &Parameter, other: &Parameter) -> Option<u64> {
    match (one.ty.as_ref()?, other.ty.as_ref()?) {
        (SourceType::Pointer(one), SourceType::Pointer(other)) if one == other => {
            matches!(**one, SourceType::Integer { .. } | SourceType::Float { .. }).then(|| one.size()).flatten()
        }
        _ => None,
    }
}

/// Sizes made smaller until all together are no more than there is time for.
fn within(mut values: Vec<(usize, i64)>, random: &mut Random) -> Vec<(usize, i64)> {
    let product =
        |values: &[(usize, i64)]| values.iter().fold(1_i64, |all, (_, value)| all.saturating_mul(value.abs().max(1)));
    while product(&values) > MAX_PRODUCT {
        let at = random.below(values.len() as u64) as usize;
        values[at].1 = values[at].1.min(random.between(2, 5));
    }
    values
}

fn is_integer(base: &Description, parameters: &[Parameter], at: usize) -> bool {
    let is_number = !matches!(parameters[at].ty, Some(SourceType::Float { .. } | SourceType::Pointer(_)));
    is_number && matches!(base.arguments[at].1, Argument::Integer(_))
}

fn is_signed(parameters: &[Parameter], at: usize) -> bool {
    matches!(parameters[at].ty, Some(SourceType::Integer { signed: true, bits: 32.. }))
}

/// The description with no array smaller than any setup may need.
fn with_room(mut description: Description, parameters: &[Parameter]) -> Description {
    for (at, (_, argument)) in description.arguments.iter_mut().enumerate() {
        let is_pointer = matches!(parameters[at].ty, Some(SourceType::Pointer(_)));
        match argument {
            Argument::Array(array) if is_pointer => array.count = array.count.max(ELEMENTS),
            Argument::Bytes { bytes, .. } if is_pointer => *bytes = (*bytes).max(ELEMENTS * 8),
            _ => {}
        }
    }
    description
}
