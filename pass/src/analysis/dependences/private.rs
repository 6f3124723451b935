//! Local variables in memory of which each iteration of a loop can have its own: what it finds there it has put there itself.
//! The test of Tu and Padua, "Automatic Array Privatization" (LCPC 1993).

use super::accesses::{Accesses, Item};
use crate::analysis::region::Analysis;
use crate::openmp;
use ipda_llvm::{Opcode, Value};
use ipda_models::report::AccessKind;
use ipda_symbolic::{AtomId, Coeff, Polynomial};

/// The local variables among the objects accessed in a loop that hold nothing from one iteration to the next that is read.
pub(super) fn private_objects(analysis: &Analysis<'_>, accesses: &Accesses, index: usize) -> Vec<AtomId> {
    let mut locals: Vec<(AtomId, Value)> = Vec::new();
    for item in accesses.items.iter().filter(|item| item.loops.contains(&index)) {
        if let Some(atom) = item.object()
            && let Some(local) = accesses.bases.local(atom)
            && !locals.contains(&(atom, local))
        {
            locals.push((atom, local));
        }
    }
    let is_private = |&(atom, local): &(AtomId, Value)| {
        let items: Vec<&Item> =
            accesses.items.iter().filter(|item| item.loops.contains(&index) && item.objects.contains(&atom)).collect();
        items.iter().all(|item| item.object() == Some(atom))
            && (begins_anew(analysis, local, &items, index)
                || !accesses.bases.has_escaped(local) && is_written_first(analysis, atom, &items))
    };
    locals.into_iter().filter(is_private).map(|(atom, _)| atom).collect()
}

/// Whether the variable begins its life in each iteration of the loop, before the accesses.
fn begins_anew(analysis: &Analysis<'_>, local: Value, items: &[&Item], index: usize) -> bool {
    let cfg = analysis.cfg;
    let mut pointers = vec![local];
    pointers.extend(local.users().into_iter().filter(|user| user.is(Opcode::LLVMAddrSpaceCast)));
    let users = pointers.into_iter().flat_map(Value::users);
    let begins =
        users.filter(|user| user.callee().is_some_and(|callee| callee.name().starts_with("llvm.lifetime.start")));
    begins.into_iter().any(|begin| {
        let Some(block) = cfg.id(begin.block()) else { return false };
        cfg.loops[index].contains(block) && items.iter().all(|item| comes_first(analysis, begin, item.instruction))
    })
}

/// Whether one place of the variable is accessed, and written before it is read.
fn is_written_first(analysis: &Analysis<'_>, atom: AtomId, items: &[&Item]) -> bool {
    let Some(first) = items.first() else { return false };
    let offset = &first.address - &Polynomial::from(atom);
    let is_fixed: Option<&Coeff> = offset.as_constant();
    let is_one_place = items.iter().all(|item| item.address == first.address && item.test.bytes == first.test.bytes);
    let writes_first = |store: &&&Item| {
        is_written(store)
            && items
                .iter()
                .filter(|item| item.reads())
                .all(|load| comes_first(analysis, store.instruction, load.instruction))
    };
    is_fixed.is_some() && is_one_place && items.iter().filter(writes_first).count() > 0
}

/// Whether an access certainly writes.
fn is_written(item: &Item) -> bool {
    let leaves_all =
        || openmp::effects(item.instruction).is_some_and(|effects| effects.results.iter().all(|result| result.always));
    item.instruction.is(Opcode::LLVMStore) || item.kind == AccessKind::Store && leaves_all()
}

/// Whether every way to an instruction passes another one. In a loop that holds both, it does so within one iteration.
fn comes_first(analysis: &Analysis<'_>, first: Value, later: Value) -> bool {
    let cfg = analysis.cfg;
    let (Some(a), Some(b)) = (cfg.id(first.block()), cfg.id(later.block())) else { return false };
    if a != b {
        return cfg.dominates(a, b);
    }
    first.block().instructions().find(|&at| at == first || at == later) == Some(first)
}
