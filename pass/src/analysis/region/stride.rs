//! The distance between the addresses of neighbouring lanes, and its text.

use super::Analysis;
use crate::openmp::nest::SharedLoop;
use ipda_llvm::{BlockId, Value};
use ipda_models::report::{Lanes, Stride as StrideText, StrideKind};
use ipda_symbolic::{
    AtomId, Coeff, LaneCondition, LaneMap, MemoryGeometry, Polynomial, RowEnd, Stride, lane_condition,
    lane_differences, per_thread_stride,
};

/// How a place in the code is shared out to the lanes of a warp.
pub(super) struct Place {
    pub map: LaneMap,
    /// The iterations that threads share, where it is not fixed which lane gets which, and why.
    unmoved: Option<(AtomId, String)>,
    pub geometry: MemoryGeometry,
}

impl Analysis<'_> {
    pub(super) fn place_of(&mut self, instruction: Value, shared: Option<&SharedLoop>) -> Place {
        let mut geometry = *self.setting.geometry;
        if shared.is_none() && !self.runs_in_all_threads(instruction) {
            geometry.lanes = 1;
        }
        let (mut map, moved) = self.lane_map(shared);
        geometry.lanes = geometry.lanes.min(map.lanes);
        map.lanes = geometry.lanes;
        let unmoved = moved.err().zip(shared).and_then(|(reason, shared)| {
            let iteration = self.lowering.iteration(shared.index).as_atom()?;
            Some((iteration, reason))
        });
        Place { map, unmoved, geometry }
    }

    /// Why a value depends on iterations of which it is not fixed what lane gets them.
    fn unmoved_reason(&self, value: &Polynomial, place: &Place) -> Option<String> {
        let (iteration, reason) = place.unmoved.as_ref()?;
        self.lowering.space.mentions(value, *iteration).then(|| reason.clone())
    }

    pub(super) fn stride(&mut self, address: &Polynomial, block: BlockId, place: &Place) -> Stride {
        if place.geometry.lanes == 1 {
            return Stride::Constant(Coeff::from(0));
        }
        if let Some(reason) = self.unmoved_reason(address, place) {
            return per_thread_stride(&self.lowering.space, address).unwrap_or(Stride::Unknown(reason));
        }
        let facts = self.lowering.facts_at(block);
        lane_differences(&mut self.lowering.space, address, &place.map, &facts)
    }

    /// For which lanes a condition holds, if it is asked in `block`.
    pub(super) fn lanes_where(&mut self, condition: &Polynomial, block: BlockId, place: &Place) -> LaneCondition {
        if let Some(reason) = self.unmoved_reason(condition, place) {
            return match per_thread_stride(&self.lowering.space, condition) {
                Some(Stride::FollowsData(reason)) => LaneCondition::DataDependent(reason),
                _ => LaneCondition::Unknown(self.lowering.space.per_thread_reason(condition).unwrap_or(reason)),
            };
        }
        let facts = self.lowering.facts_at(block);
        lane_condition(&mut self.lowering.space, condition, &place.map, &facts)
    }

    pub(super) fn lanes(&self, lanes: &LaneCondition) -> Lanes {
        match lanes {
            LaneCondition::Uniform => Lanes::Uniform,
            LaneCondition::ByWarp => Lanes::ByWarp,
            LaneCondition::Lanes(marked) => {
                Lanes::fixed((0..).zip(marked).filter(|(_, is_in)| **is_in).map(|(lane, _)| lane))
            }
            LaneCondition::Symbolic(p) => {
                let parts = self.lowering.space.conjuncts(p);
                Lanes::Symbolic { conditions: parts.iter().map(|part| self.condition(part).0).collect() }
            }
            LaneCondition::DataDependent(reason) => Lanes::DataDependent { reason: reason.clone() },
            LaneCondition::Unknown(reason) => Lanes::Unknown { reason: reason.clone() },
        }
    }

    pub(super) fn stride_text(&self, stride: &Stride, bytes: Option<u64>) -> StrideText {
        let empty =
            StrideText { kind: StrideKind::Unknown, text: None, at_row_ends: None, row_length: None, reason: None };
        if bytes.is_none() {
            return StrideText { reason: Some("the number of bytes is not known".into()), ..empty };
        }
        match stride {
            Stride::Constant(stride) => {
                StrideText { kind: StrideKind::Constant, text: Some(stride.to_string()), ..empty }
            }
            Stride::Vector(lanes) => {
                let lanes: Vec<String> = lanes.iter().map(ToString::to_string).collect();
                StrideText { kind: StrideKind::Vector, text: Some(lanes.join(" ")), ..empty }
            }
            Stride::Symbolic(stride) => {
                StrideText { kind: StrideKind::Symbolic, text: Some(self.text(stride)), ..empty }
            }
            Stride::PerLane(distance) => {
                StrideText { kind: StrideKind::PerLane, text: Some(self.text(distance)), ..empty }
            }
            Stride::RowEnds { within, ends } => StrideText {
                kind: StrideKind::RowEnds,
                text: Some(self.text(within)),
                // Of a deeper collapse, the longer rows follow in the same words.
                at_row_ends: Some(self.row_ends(ends, |end| self.text(&end.difference))),
                row_length: Some(self.row_ends(ends, |end| self.text(&end.row_length))),
                ..empty
            },
            Stride::DataDependent { index, index_stride, .. } => {
                let what = if self.lowering.object(*index).is_some() { "pointer" } else { "index" };
                let from = self.index_array(*index);
                let there = self.stride_text(index_stride, Some(1));
                let apart = there.text.map_or_else(String::new, |text| format!(" (stride {text} there)"));
                StrideText {
                    kind: StrideKind::DataDependent,
                    reason: Some(format!("{what} loaded from {from}{apart}")),
                    ..empty
                }
            }
            Stride::FollowsData(reason) => {
                StrideText { kind: StrideKind::DataDependent, reason: Some(reason.clone()), ..empty }
            }
            Stride::Unknown(reason) => StrideText { reason: Some(reason.clone()), ..empty },
        }
    }

    fn row_ends(&self, ends: &[RowEnd], text: impl Fn(&RowEnd) -> String) -> String {
        ends.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}
