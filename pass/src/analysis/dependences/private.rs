//! Local variables in memory of which each iteration of a loop can have its own: what it finds there it has put there itself.
//! The test of Tu and Padua, "Automatic Array Privatization" (LCPC 1993).

use super::accesses::{Accesses, Item};
use crate::analysis::region::Analysis;
use crate::openmp;
use ipda_llvm::{Opcode, Value};
use ipda_models::report::AccessKind;
use ipda_symbolic::{AtomId, Polynomial};

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
                || !accesses.bases.has_escaped(local) && is_written_first(analysis, accesses, atom, &items, index))
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

/// Whether what is read of the variable was written before in the same iteration: one place, or, as with members of structures, several of which the loop
/// leaves none to what comes behind it.
fn is_written_first(analysis: &Analysis<'_>, accesses: &Accesses, atom: AtomId, items: &[&Item], index: usize) -> bool {
    let place = |item: &Item| {
        let offset = (&item.address - &Polynomial::from(atom)).as_constant()?.to_i64()?;
        Some((offset, offset.checked_add(i64::try_from(item.test.bytes).ok()?)?))
    };
    let Some(places) = items.iter().map(|item| place(item)).collect::<Option<Vec<_>>>() else { return false };
    let is_left = |item: &Item| item.reads() && !item.loops.contains(&index) && item.objects.contains(&atom);
    if places.iter().any(|place| *place != places[0]) && accesses.items.iter().any(is_left) {
        return false;
    }
    let stores: Vec<(&Item, (i64, i64))> =
        items.iter().zip(&places).filter(|(item, _)| is_written(item)).map(|(item, place)| (*item, *place)).collect();
    let is_stored_before = |load: &Item, (start, end): (i64, i64)| {
        let holds = |&(store, (from, to)): &(&Item, (i64, i64))| {
            from <= start && end <= to && comes_first(analysis, store.instruction, load.instruction)
        };
        stores.iter().any(holds)
    };
    let mut loads = items.iter().zip(&places).filter(|(item, _)| item.reads());
    !stores.is_empty() && loads.all(|(load, place)| is_stored_before(load, *place))
}

/// Whether an access certainly writes.
fn is_written(item: &Item) -> bool {
    let leaves_all =
        || openmp::effects(item.instruction).is_some_and(|effects| effects.results.iter().all(|result| result.always));
    item.instruction.is(Opcode::LLVMStore)
        || item.kind == AccessKind::CopyTo
        || item.kind == AccessKind::Store && leaves_all()
}

/// Whether every way to an instruction passes another one. In a loop that holds both, it does so within one iteration.
fn comes_first(analysis: &Analysis<'_>, first: Value, later: Value) -> bool {
    let cfg = analysis.cfg;
    let (Some(a), Some(b)) = (cfg.id(first.block()), cfg.id(later.block())) else { return false };
    if first == later {
        return false;
    }
    if a != b {
        return cfg.dominates(a, b);
    }
    first.block().instructions().find(|&at| at == first || at == later) == Some(first)
}
