//! What rests on the lengths of array sections: what is another answer without knowing that they are not negative.

use ipda_models::report::{Access, Guarantee, Lanes, Loop, Quantity, Region};

/// Whether signs may matter to a region that was described without them: something is not known, or not a plain polynomial.
pub(super) fn may_tell_more(region: &Region) -> bool {
    // Operations have their operands in parentheses, conditions are in brackets around those of the names.
    let is_plain = |text: &str| !text.contains('(') && !text.contains("[[");
    let is_plain_quantity = |quantity: &Quantity| quantity.value.as_deref().is_some_and(is_plain);
    let has_plain_loops = region.loops.iter().all(|entry| is_plain_quantity(&entry.trips));
    let is_plain_access = |access: &Access| {
        access.conditions.is_empty() && is_plain(&access.address) && is_plain_quantity(&access.executions)
    };
    let all_go_one_way = region.branches.iter().all(|branch| branch.lanes == Lanes::Uniform);
    !(has_plain_loops && all_go_one_way && region.accesses.iter().all(is_plain_access))
}

/// Says at the accesses of a region where they, or loops around them, are described in other words than `without` the lengths.
pub(super) fn tell_use(region: &mut Region, without: &Region) {
    let loops = &region.loops;
    let is_same = |entry: &Loop| without.loops.iter().any(|other| other.id == entry.id && other.trips == entry.trips);
    let parent = |entry: &&Loop| loops.iter().find(|outer| entry.parent.as_ref() == Some(&outer.id));
    for access in &mut region.accesses {
        let innermost = loops.iter().find(|entry| access.in_loop.as_ref() == Some(&entry.id));
        let in_same_loops = std::iter::successors(innermost, parent).all(is_same);
        if !in_same_loops || !without.accesses.contains(access) {
            access.assumptions.push(Guarantee::SectionLengths);
        }
    }
}
