//! Which lanes of a warp make an access or take a way, as a report says it.

use super::by_place::{ByPlace, Setting, WarpPlace};
use ipda_models::report::{Condition, Lanes};

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
        let fixed = lanes.list().and_then(mask);
        match lanes {
            Lanes::Uniform | Lanes::ByWarp => LaneSet::Together,
            Lanes::Fixed { .. } => fixed.map_or(LaneSet::Open, LaneSet::Fixed),
            Lanes::Symbolic { conditions } => indicator(conditions)
                .and_then(|text| ByPlace::read(&text, setting, symbols))
                .map_or(LaneSet::Open, LaneSet::ByPlace),
            Lanes::DataDependent { .. } | Lanes::Unknown { .. } => LaneSet::Open,
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

/// A product that is 1 where all conditions hold; none where one of them is no expression.
fn indicator(conditions: &[Condition]) -> Option<String> {
    let factor = |condition: &Condition| match condition {
        Condition::Holds { value } => Some(format!("({value})")),
        Condition::HoldsNot { value } => Some(format!("(1 - ({value}))")),
        Condition::Long | Condition::NotFollowed | Condition::OneThread => None,
    };
    Some(conditions.iter().map(factor).collect::<Option<Vec<_>>>()?.join("*"))
}

/// Lanes as bits; none where there are more than bits.
fn mask(mut lanes: impl Iterator<Item = u32>) -> Option<u64> {
    lanes.try_fold(0, |mask, lane| Some(mask | 1_u64.checked_shl(lane)?))
}

#[cfg(test)]
mod tests {
    use super::{indicator, mask};
    use ipda_models::report::Condition;

    #[test]
    fn conditions_become_products() {
        let holds = |value: &str| Condition::Holds { value: value.into() };
        let not = |value: &str| Condition::HoldsNot { value: value.into() };
        assert_eq!(indicator(&[holds("[a < 3]")]).as_deref(), Some("([a < 3])"));
        let both = [not("[a < 3]"), holds("[b < c]")];
        assert_eq!(indicator(&both).as_deref(), Some("(1 - ([a < 3]))*([b < c])"));
        assert_eq!(indicator(&[holds("[a < 3]"), Condition::NotFollowed]), None);
    }

    #[test]
    fn lanes_become_bits() {
        assert_eq!(mask([1, 2, 5, 6, 63].into_iter()), Some(0b110_0110 | 1 << 63));
        assert_eq!(mask([].into_iter()), Some(0));
        assert_eq!(mask([64].into_iter()), None);
    }
}
