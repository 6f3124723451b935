//! What values in registers carry from loads and earlier iterations to stores, calls and later iterations.

use super::accesses::{Accesses, Item};
use super::result::{Node, RegisterFlow, Scalar};
use crate::analysis::region::Analysis;
use ipda_llvm::{Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values behind one sink that are looked at; what lies further is reported as a limit.
const MAX_VALUES: usize = 4_096;

/// A loop's scalar with the value that it is.
pub(super) struct ScalarValue<'a> {
    pub node: Node,
    pub index: usize,
    pub value: Value,
    pub scalar: &'a Scalar,
}

/// The flows of a region, and how many sinks were not looked at to the end.
pub(super) fn flows(
    analysis: &Analysis<'_>,
    accesses: &Accesses,
    scalars: &[ScalarValue<'_>],
) -> (Vec<RegisterFlow>, u64) {
    let mut sources: FxHashMap<Value, Node> = FxHashMap::default();
    let mut sinks: Vec<(Node, Vec<Value>)> = Vec::new();
    for (number, item) in accesses.items.iter().enumerate() {
        let node = Node::Access(number);
        if item.reads() && !item.instruction.ty().is_void() {
            sources.insert(item.instruction, node);
        }
        if item.writes() {
            sinks.push((node, operands(item)));
        }
    }
    for (number, opaque) in accesses.opaque.iter().enumerate() {
        sources.insert(opaque.instruction, Node::Opaque(number));
        sinks.push((Node::Opaque(number), opaque.instruction.operands().collect()));
    }
    for entry in scalars.iter().filter(|entry| entry.scalar.is_carried()) {
        let natural = &analysis.cfg.loops[entry.index];
        let is_next = |from| analysis.cfg.id(from).is_some_and(|from| natural.contains(from));
        sources.insert(entry.value, entry.node);
        let next = entry.value.incoming().into_iter().filter(|(_, from)| is_next(*from)).map(|(value, _)| value);
        sinks.push((entry.node, next.collect()));
    }
    let (mut found, mut cut) = (Vec::new(), 0);
    for (to, operands) in sinks {
        let (mut open, mut seen, mut from) = (operands, FxHashSet::default(), Vec::new());
        while let Some(value) = open.pop() {
            if !value.is_instruction() || !seen.insert(value) {
                continue;
            }
            if seen.len() > MAX_VALUES {
                cut += 1;
                break;
            }
            match sources.get(&value) {
                Some(&source) => from.push(source),
                None if value.is(Opcode::LLVMPHI) => open.extend(value.incoming().into_iter().map(|(value, _)| value)),
                None => open.extend(value.operands()),
            }
        }
        from.sort_unstable();
        from.dedup();
        found.extend(from.into_iter().map(|from| RegisterFlow { from, to }));
    }
    (found, cut)
}

/// What an access is given: the values and the address.
fn operands(item: &Item) -> Vec<Value> {
    item.instruction.operands().filter(|operand| operand.is_instruction()).collect()
}
