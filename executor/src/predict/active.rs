//! Which lanes of a warp make an access or take a way, as a report says it.

use super::by_place::{ByPlace, Setting, WarpPlace};
use ipda_models::report::{Lanes, LanesKind};

/// What is predicted of a set of lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LaneSet {
    /// These of every warp.
    Fixed(u64),
    /// All that come, or none of them.
    Together,
    /// Those for which an expression holds.
    ByPlace(ByPlace),
    /// Nothing, or nothing that has a value here.
    Open,
}

impl LaneSet {
    pub(super) fn of(lanes: &Lanes, setting: &Setting, symbols: &dyn Fn(&str) -> Option<i128>) -> LaneSet {
        match (lanes.kind, lanes.text.as_deref()) {
            (LanesKind::Uniform | LanesKind::ByWarp, _) => LaneSet::Together,
            (LanesKind::Fixed, Some(text)) => read_list(text).map_or(LaneSet::Open, LaneSet::Fixed),
            (LanesKind::Symbolic, Some(text)) => {
                ByPlace::read(&indicator(text), setting, symbols).map_or(LaneSet::Open, LaneSet::ByPlace)
            }
            _ => LaneSet::Open,
        }
    }

    /// The sets that are possible in a warp; none where nothing is predicted.
    pub(super) fn masks(&self, place: WarpPlace) -> Option<Vec<u64>> {
        match self {
            LaneSet::Fixed(mask) => Some(vec![*mask]),
            LaneSet::Together | LaneSet::Open => None,
            LaneSet::ByPlace(by_place) => {
                let candidates = by_place.values(place);
                let mask = |lanes: &Vec<Option<u64>>| {
                    lanes.iter().enumerate().try_fold(0, |mask, (lane, value)| {
                        let holds = (*value)? != 0;
                        Some(mask | u64::from(holds) << lane)
                    })
                };
                let masks: Option<Vec<u64>> = candidates.lanes.iter().map(mask).collect();
                masks.filter(|_| candidates.is_all)
            }
        }
    }
}

/// Conditions in words, `not [a] and [b]`, as a product that is 1 where they hold.
fn indicator(text: &str) -> String {
    let mut depth = 0_i32;
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        if let (0, Some(behind)) = (depth, rest.strip_prefix(" and ")) {
            parts.push(String::new());
            rest = behind;
            continue;
        }
        parts.last_mut().expect("there is always a part").push(c);
        rest = &rest[c.len_utf8()..];
    }
    let factor = |part: &String| match part.strip_prefix("not ") {
        Some(opposite) => format!("(1 - ({opposite}))"),
        None => format!("({part})"),
    };
    parts.iter().map(factor).collect::<Vec<_>>().join("*")
}

/// Reads lanes in runs: `0-15`, `0 2 4`.
fn read_list(text: &str) -> Option<u64> {
    text.split_whitespace().try_fold(0_u64, |mask, run| {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let is_run = first <= last && last < u64::BITS;
        is_run.then(|| (first..=last).fold(mask, |mask, lane| mask | 1 << lane))
    })
}

#[cfg(test)]
mod tests {
    use super::{indicator, read_list};

    #[test]
    fn conditions_become_products() {
        assert_eq!(indicator("[a < 3]"), "([a < 3])");
        assert_eq!(indicator("not [a < 3] and [b and c]"), "(1 - ([a < 3]))*([b and c])");
    }

    #[test]
    fn lanes_in_runs() {
        assert_eq!(read_list("0-15"), Some(0xffff));
        assert_eq!(read_list("0 2 4"), Some(0b10101));
        assert_eq!(read_list("1 2 5-6 63"), Some(0b110_0110 | 1 << 63));
        assert_eq!(read_list(""), Some(0));
        assert_eq!(read_list("3-1"), None);
        assert_eq!(read_list("64"), None);
    }
}
