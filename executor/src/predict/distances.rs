//! How far the lanes of a warp are from lane 0, by what the report says and by the addresses of a run.

use super::by_place::{ByPlace, Candidates, WarpPlace, launch_value};
use super::expression::Expression;
use super::reader::Reader;
use super::verdict::{Verdict, best};
use super::warp::lanes;
use ipda_models::report::{Access, StrideKind};

/// How far the lanes are from lane 0, in bytes modulo 2^64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Distances {
    Known(Vec<u64>),
    /// One of these, by where in a row of a collapsed nest the warp starts.
    OneOf(Vec<Vec<u64>>),
    /// Multiples of one difference whose value is not known.
    Multiples,
    /// By an expression in the lane's number and the warp's place: the distance from lane 0, or between neighbours.
    ByPlace(ByPlace, Reading),
    /// Nothing is predicted, or it has no value here.
    Open,
}

/// What an expression gives for each lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The distance from lane 0.
    Distance,
    /// The distance between neighbouring lanes.
    Step,
}

impl Distances {
    pub(super) fn of(access: &Access, reader: &Reader<'_>) -> Distances {
        let (stride, lanes) = (&access.stride, reader.geometry.lanes as usize);
        let Some(text) = stride.text.as_deref() else { return Distances::Open };
        let symbols = |name: &str| (reader.symbols)(name).or_else(|| launch_value(&reader.setting, name));
        let value = |text: &str| Expression::read(text).ok().and_then(|expression| expression.residue(&symbols));
        let by_place = |text: &str| ByPlace::read(text, &reader.setting, reader.symbols);
        let multiples = |difference: u64| (0..lanes as u64).map(|lane| lane.wrapping_mul(difference)).collect();
        match stride.kind {
            StrideKind::Constant => value(text).map_or(Distances::Open, |value| Distances::Known(multiples(value))),
            StrideKind::Vector => {
                let numbers = text.split([' ', ',']).filter(|number| !number.is_empty());
                numbers.map(value).collect::<Option<Vec<u64>>>().map_or(Distances::Open, Distances::Known)
            }
            StrideKind::Symbolic => match value(text) {
                Some(value) => Distances::Known(multiples(value)),
                None => {
                    by_place(text).map_or(Distances::Multiples, |by_place| Distances::ByPlace(by_place, Reading::Step))
                }
            },
            StrideKind::PerLane => {
                by_place(text).map_or(Distances::Open, |by_place| Distances::ByPlace(by_place, Reading::Distance))
            }
            StrideKind::RowEnds => {
                let both = |(length, end)| Some((value(length)?, value(end)?));
                let rows: Option<(Vec<u64>, Vec<u64>)> = stride.rows().into_iter().map(both).collect();
                let all = value(text).zip(rows);
                all.and_then(|(within, (lengths, differences))| in_rows(within, &differences, &lengths, lanes))
                    .map_or(Distances::Open, Distances::OneOf)
            }
            StrideKind::DataDependent | StrideKind::Unknown => Distances::Open,
        }
    }

    /// Compares the byte addresses of the active lanes of the warp at `place`.
    pub(super) fn check(&self, place: WarpPlace, active: u64, addresses: &[u64]) -> Verdict {
        match self {
            Distances::Known(distances) => check_known(distances, active, addresses),
            Distances::OneOf(candidates) => {
                best(candidates.iter().map(|candidate| check_known(candidate, active, addresses)))
            }
            Distances::Multiples => check_multiples(active, addresses),
            Distances::ByPlace(by_place, reading) => {
                let Candidates { lanes, is_all } = &*by_place.values(place);
                let verdict = best(lanes.iter().map(|lanes| check_lanes(lanes, *reading, active, addresses)));
                match verdict {
                    // The place that the warp has is perhaps not among those that were tried.
                    Verdict::Differs { .. } if !is_all => Verdict::NotChecked,
                    _ => verdict,
                }
            }
            Distances::Open => Verdict::NotChecked,
        }
    }
}

/// The lanes' distances for each place in the rows at which a warp can start; none where the lengths are no chain of divisors.
fn in_rows(within: u64, differences: &[u64], lengths: &[u64], lanes: usize) -> Option<Vec<Vec<u64>>> {
    /// For each lane, the longest row that ends before it.
    type Ends = Vec<Option<usize>>;
    if lengths.is_empty() || lengths.len() != differences.len() || lengths[0] == 0 {
        return None;
    }
    // With each pattern, the first lane before which the row of the latest length ends, if that is in the warp.
    let mut patterns: Vec<(Ends, Option<u64>)> = Vec::new();
    for (row, &length) in lengths.iter().enumerate() {
        // A row ends before lane `first` and each `length` lanes after it.
        let ending = |ends: &Ends, first: u64| {
            let mut ends = ends.clone();
            for lane in (first as usize..lanes).step_by(usize::try_from(length).unwrap_or(usize::MAX)) {
                ends[lane] = Some(row);
            }
            (ends, Some(first))
        };
        let shorter = row.checked_sub(1).map_or(1, |shorter| lengths[shorter]);
        if length == 0 || length % shorter != 0 {
            return None;
        }
        let before = match row {
            0 => vec![(vec![None; lanes], Some(1))],
            _ => std::mem::take(&mut patterns),
        };
        for (ends, first) in before {
            // A longer row ends only where a shorter one does.
            let Some(first) = first else {
                patterns.push((ends, None));
                continue;
            };
            let last = first + (length - shorter);
            patterns.extend((first..=last.min(lanes as u64 - 1)).step_by(shorter as usize).map(|at| ending(&ends, at)));
            if last >= lanes as u64 {
                patterns.push((ends, None));
            }
        }
    }
    let mut all: Vec<Vec<u64>> = Vec::new();
    for (ends, _) in patterns {
        let mut at = 0_u64;
        let distances: Vec<u64> = (0..lanes)
            .map(|lane| {
                if lane > 0 {
                    at = at.wrapping_add(ends[lane].map_or(within, |row| differences[row]));
                }
                at
            })
            .collect();
        if !all.contains(&distances) {
            all.push(distances);
        }
    }
    Some(all)
}

fn check_known(distances: &[u64], active: u64, addresses: &[u64]) -> Verdict {
    let mut active = lanes(active);
    let Some(first) = active.next().filter(|&lane| lane < distances.len()) else { return Verdict::NotChecked };
    for lane in active {
        // Only so many lanes were counted on.
        let Some(distance) = distances.get(lane) else { return Verdict::NotChecked };
        let predicted = distance.wrapping_sub(distances[first]);
        let measured = addresses[lane].wrapping_sub(addresses[first]);
        if predicted != measured {
            return Verdict::Differs {
                lane: lane as u32,
                predicted: Some(predicted as i64),
                measured: measured as i64,
            };
        }
    }
    Verdict::Agrees
}

/// As [`check_known`], where some lanes may have no value.
fn check_lanes(values: &[Option<u64>], reading: Reading, active: u64, addresses: &[u64]) -> Verdict {
    let distance = |(lane, value): (usize, &Option<u64>)| match (value, reading) {
        (None, _) if active >> lane & 1 == 0 => Some(0),
        (Some(value), Reading::Step) => Some(value.wrapping_mul(lane as u64)),
        (value, _) => *value,
    };
    let distances: Option<Vec<u64>> = values.iter().enumerate().map(distance).collect();
    distances.map_or(Verdict::NotChecked, |distances| check_known(&distances, active, addresses))
}

fn check_multiples(active: u64, addresses: &[u64]) -> Verdict {
    let mut active = lanes(active);
    let (Some(first), Some(second)) = (active.next(), active.next()) else { return Verdict::NotChecked };
    let measured = |lane: usize| addresses[lane].wrapping_sub(addresses[first]) as i64;
    let apart = |lane: usize| (lane - first) as i128;
    let mut verdict = Verdict::NotChecked;
    if i128::from(measured(second)) % apart(second) != 0 {
        return Verdict::Differs { lane: second as u32, predicted: None, measured: measured(second) };
    }
    for lane in active {
        if i128::from(measured(lane)) * apart(second) != i128::from(measured(second)) * apart(lane) {
            return Verdict::Differs { lane: lane as u32, predicted: None, measured: measured(lane) };
        }
        verdict = Verdict::AgreesInForm;
    }
    verdict
}
