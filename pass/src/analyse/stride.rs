//! The distance between the addresses of neighbouring lanes, and its text.

use super::Analysis;
use crate::cfg::BlockId;
use crate::ir::Value;
use crate::nest::SharedLoop;
use ipda_models::report::{Stride as StrideText, StrideKind};
use ipda_symbolic::{Coeff, MemoryGeometry, Polynomial, RowEnd, Stride, lane_differences, per_thread_stride};

impl Analysis<'_> {
    pub(super) fn stride(
        &mut self,
        address: &Polynomial,
        block: BlockId,
        instruction: Value,
        shared: Option<&SharedLoop>,
    ) -> (Stride, MemoryGeometry) {
        let mut geometry = *self.setting.geometry;
        let Some(shared) = shared else {
            // No loop is shared here: all threads that run this use one address, or only one thread does.
            if !self.runs_in_all_threads(instruction) {
                geometry.lanes = 1;
            }
            let stride = match per_thread_stride(&self.lowering.space, address) {
                Some(stride) if geometry.lanes > 1 => stride,
                _ => Stride::Constant(Coeff::from(0)),
            };
            return (stride, geometry);
        };
        if let Some(chunk) = self.short_team_chunk(shared) {
            geometry.lanes = chunk;
        }
        let stride = match self.lane_map(shared) {
            Ok(map) => {
                let facts = self.lowering.facts_at(block);
                lane_differences(&mut self.lowering.space, address, &map, &facts)
            }
            Err(reason) => {
                let atom = self.lowering.iteration(shared.index).as_atom().expect("an iteration number is one atom");
                let depends = self.lowering.space.depends_on(address, |at| at == atom);
                match per_thread_stride(&self.lowering.space, address) {
                    Some(stride) => stride,
                    None if depends => Stride::Unknown(reason),
                    None => Stride::Constant(Coeff::from(0)),
                }
            }
        };
        (stride, geometry)
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
