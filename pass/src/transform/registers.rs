//! The accesses of a nest, but for what stays in registers while an innermost loop runs.

use super::profit::Candidate;
use super::subject::Subject;
use crate::analysis::dependences::{NestAccess, Promotable};
use crate::analysis::region::Analysis;

/// Whether what would stay in a register does so in a loop that is fused, which leaves no loop to stay in.
pub(super) fn is_fused(analysis: &Analysis<'_>, candidate: &Candidate, each: &Promotable) -> bool {
    let id = analysis.lowering.loop_id(each.index);
    candidate.mapping.fused().any(|at| candidate.nest.loops[at].id == id)
}

/// A nest's accesses where it runs by a candidate and whatever may stay in registers does; none where nothing may.
pub(super) fn in_registers(
    analysis: &Analysis<'_>,
    subject: &Subject<'_>,
    candidate: &Candidate,
    promotable: &[Promotable],
) -> Option<Vec<NestAccess>> {
    let kept: Vec<&Promotable> = promotable.iter().filter(|each| !is_fused(analysis, candidate, each)).collect();
    (!kept.is_empty()).then(|| accesses_with(analysis, subject, kept))
}

/// A nest's accesses, some of them once for all iterations of the innermost loop around them.
pub(super) fn accesses_with<'p>(
    analysis: &Analysis<'_>,
    subject: &Subject<'_>,
    kept: impl IntoIterator<Item = &'p Promotable>,
) -> Vec<NestAccess> {
    let mut accesses: Vec<NestAccess> = subject.nest.accesses.clone();
    for each in kept {
        let id = analysis.lowering.loop_id(each.index);
        let is_kept = |access: &&mut NestAccess| access.object == Some(each.object) && access.loops.last() == Some(&id);
        for access in accesses.iter_mut().filter(is_kept) {
            access.loops.pop();
        }
    }
    accesses
}
