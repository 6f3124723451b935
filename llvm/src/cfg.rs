//! Control flow of a function copy: blocks in the order in which they run, dominators, natural loops.

use crate::{Block, Opcode, Value};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A block's number in its [`Cfg`]: its place in a reverse postorder in which all of a loop comes before what its exits lead to. So the block
/// that runs first in an iteration of all loops around two has the lower number.
pub type BlockId = usize;

/// A natural loop.
#[derive(Debug)]
pub struct NaturalLoop {
    /// The block by which it is entered.
    pub header: BlockId,
    /// Sources of back edges.
    pub latches: Vec<BlockId>,
    /// All blocks, sorted.
    pub blocks: Vec<BlockId>,
    /// The loop around this one, by index.
    pub parent: Option<usize>,
}

impl NaturalLoop {
    /// Whether a block is in it.
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

/// Control flow of the reachable blocks of one function.
pub struct Cfg {
    /// In their order.
    pub blocks: Vec<Block>,
    index: FxHashMap<Block, BlockId>,
    /// By block, each once.
    pub predecessors: Vec<Vec<BlockId>>,
    /// By block, each once.
    pub successors: Vec<Vec<BlockId>>,
    immediate_dominator: Vec<Option<BlockId>>,
    /// Loops, outer before inner, otherwise in the order of their headers.
    pub loops: Vec<NaturalLoop>,
    innermost: Vec<Option<usize>>,
    /// Whether a cycle is entered other than by its header.
    pub irreducible: bool,
}

impl Cfg {
    /// Of a function.
    pub fn new(function: Value) -> Cfg {
        // In the order of the function, so that numbers are the same in every run.
        let listed = function.blocks();
        let numbers: FxHashMap<Block, usize> = listed.iter().enumerate().map(|(at, &block)| (block, at)).collect();
        let targets: Vec<Vec<usize>> = listed.iter().map(|block| targets(*block, &numbers)).collect();
        let order = reverse_postorder(&targets);
        let cfg = Cfg::in_order(&listed, &targets, &order);
        match cfg.order_with_exits_last() {
            Some(places) => {
                let order: Vec<usize> = places.into_iter().map(|place| order[place]).collect();
                Cfg::in_order(&listed, &targets, &order)
            }
            None => cfg,
        }
    }

    /// Of a function's blocks and what each leads to, by their places in it, those in `order`: a reverse postorder.
    fn in_order(listed: &[Block], targets: &[Vec<usize>], order: &[usize]) -> Cfg {
        let mut ids = vec![None; listed.len()];
        for (id, &at) in order.iter().enumerate() {
            ids[at] = Some(id);
        }
        let blocks: Vec<Block> = order.iter().map(|&at| listed[at]).collect();
        let index: FxHashMap<Block, BlockId> = blocks.iter().enumerate().map(|(id, &block)| (block, id)).collect();
        let to_ids = |at: &usize| targets[*at].iter().filter_map(|&to| ids[to]).collect();
        let successors: Vec<Vec<BlockId>> = order.iter().map(to_ids).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (id, targets) in successors.iter().enumerate() {
            targets.iter().for_each(|&to| predecessors[to].push(id));
        }
        let mut cfg = Cfg {
            innermost: vec![None; blocks.len()],
            blocks,
            index,
            immediate_dominator: immediate_dominators(&predecessors),
            predecessors,
            successors,
            loops: Vec::new(),
            irreducible: false,
        };
        cfg.find_loops();
        cfg
    }

    /// The outermost loop that an edge leaves.
    fn left_by(&self, from: BlockId, to: BlockId) -> Option<usize> {
        self.loop_chain(self.innermost[from]).take_while(|&at| !self.loops[at].contains(to)).last()
    }

    /// The order of blocks in which what a loop's exits lead to comes behind all of the loop, and which is otherwise as near to this one as can
    /// be (Kahn 1962); none where this one is so, or cycles are no loops.
    fn order_with_exits_last(&self) -> Option<Vec<BlockId>> {
        let edges =
            || self.successors.iter().enumerate().flat_map(|(from, ways)| ways.iter().map(move |&to| (from, to)));
        let is_early =
            |(from, to)| self.left_by(from, to).is_some_and(|left| self.loops[left].blocks.last() > Some(&to));
        if self.irreducible || !edges().any(is_early) {
            return None;
        }
        // What each block waits for: blocks before it, and loops.
        let mut waits_for = vec![0_usize; self.blocks.len()];
        let mut behind_loop = vec![Vec::new(); self.loops.len()];
        for (from, to) in edges().filter(|&(from, to)| from < to) {
            waits_for[to] += 1;
            if let Some(left) = self.left_by(from, to) {
                behind_loop[left].push(to);
            }
        }
        let mut left_in: Vec<usize> = self.loops.iter().map(|all| all.blocks.len()).collect();
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut ready = BinaryHeap::from([Reverse(0)]);
        while let Some(Reverse(block)) = ready.pop() {
            order.push(block);
            let within = |&&to: &&BlockId| to > block && self.left_by(block, to).is_none();
            let mut released: Vec<BlockId> = self.successors[block].iter().filter(within).copied().collect();
            for at in self.loop_chain(self.innermost[block]) {
                left_in[at] -= 1;
                if left_in[at] == 0 {
                    released.append(&mut behind_loop[at]);
                }
            }
            for to in released {
                waits_for[to] -= 1;
                if waits_for[to] == 0 {
                    ready.push(Reverse(to));
                }
            }
        }
        (order.len() == self.blocks.len()).then_some(order)
    }

    fn find_loops(&mut self) {
        // In reverse postorder an edge to an earlier block is a back edge; if its target does not dominate it, no
        // natural loop exists.
        let mut loops: Vec<NaturalLoop> = Vec::new();
        for header in 0..self.blocks.len() {
            let back = self.predecessors[header].iter().copied().filter(|&from| from >= header);
            let (latches, others): (Vec<BlockId>, Vec<BlockId>) = back.partition(|&from| self.dominates(header, from));
            self.irreducible |= !others.is_empty();
            if latches.is_empty() {
                continue;
            }
            let mut is_inside = vec![false; self.blocks.len()];
            is_inside[header] = true;
            let mut work = latches.clone();
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut is_inside[block], true) {
                    work.extend(&self.predecessors[block]);
                }
            }
            let blocks = (header..self.blocks.len()).filter(|&block| is_inside[block]).collect();
            loops.push(NaturalLoop { header, latches, blocks, parent: None });
        }
        // Headers come in reverse postorder, so an enclosing loop stands before the loops in it.
        for inner in 0..loops.len() {
            loops[inner].parent = (0..inner).rev().find(|&outer| loops[outer].contains(loops[inner].header));
            for &block in &loops[inner].blocks {
                self.innermost[block] = Some(inner);
            }
        }
        self.loops = loops;
    }

    /// The number of a block; none for unreachable ones.
    pub fn id(&self, block: Block) -> Option<BlockId> {
        self.index.get(&block).copied()
    }

    /// The nearest block that control has passed whenever it comes here; none for the first.
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.immediate_dominator[block]
    }

    /// Whether every path to `block` passes `dominator`.
    pub fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        let mut at = Some(block);
        while let Some(current) = at {
            if current <= dominator {
                return current == dominator;
            }
            at = self.immediate_dominator[current];
        }
        false
    }

    /// Whether one block may run after another one in the same iteration of all loops around both.
    pub fn leads_to(&self, first: BlockId, second: BlockId) -> bool {
        let mut is_led_to = vec![false; (second + 1).saturating_sub(first)];
        for block in first..=second {
            let is_led = block == first || is_led_to[block - first];
            for &to in self.successors[block].iter().filter(|&&to| is_led && to > block && to <= second) {
                is_led_to[to - first] = true;
            }
        }
        first == second || is_led_to.last().is_some_and(|&is_led| is_led)
    }

    /// The innermost loop around a block.
    pub fn loop_of(&self, block: BlockId) -> Option<usize> {
        self.innermost[block]
    }

    /// The constants by which integers of a loop go up or down.
    pub fn counter_steps(&self, index: usize) -> impl Iterator<Item = i64> {
        let natural = &self.loops[index];
        let step = move |phi: Value| {
            phi.ty().int_bits()?;
            let ends = phi.incoming();
            let (next, _) = ends.iter().find(|(_, from)| self.id(*from).is_some_and(|from| natural.contains(from)))?;
            let is_sum = next.is(Opcode::LLVMAdd) && next.operand(0) == phi;
            is_sum.then(|| next.operand(1).as_int())?.and_then(i64::checked_abs).filter(|&step| step > 0)
        };
        self.blocks[natural.header].phis().filter_map(step)
    }

    /// The loop and those around it, innermost first.
    pub fn loop_chain(&self, innermost: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(innermost, |&at| self.loops[at].parent)
    }
}

/// The blocks that the end of a block jumps to, each once.
fn targets(block: Block, numbers: &FxHashMap<Block, usize>) -> Vec<usize> {
    let mut targets: Vec<usize> = Vec::new();
    for successor in block.terminator().map(Value::successors).unwrap_or_default() {
        let to = numbers[&successor];
        if !targets.contains(&to) {
            targets.push(to);
        }
    }
    targets
}

/// The reachable blocks in reverse postorder. The last way out of a block is gone first, so that what it leads to comes last: blocks mostly keep
/// the order of the source.
fn reverse_postorder(targets: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(targets.len());
    let (mut is_found, mut is_done) = (vec![false; targets.len()], vec![false; targets.len()]);
    let mut open = vec![0];
    while let Some(&at) = open.last() {
        if !std::mem::replace(&mut is_found[at], true) {
            open.extend(targets[at].iter().filter(|&&to| !is_found[to]));
        } else {
            open.pop();
            if !std::mem::replace(&mut is_done[at], true) {
                order.push(at);
            }
        }
    }
    order.reverse();
    order
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on blocks in reverse postorder. petgraph has the same algorithm for any
/// graph, with hash tables between its nodes and their places; the test below holds both together.
fn immediate_dominators(predecessors: &[Vec<BlockId>]) -> Vec<Option<BlockId>> {
    let mut above: Vec<Option<BlockId>> = vec![None; predecessors.len()];
    loop {
        let mut changes = false;
        for block in 1..predecessors.len() {
            // Blocks of which nothing is known yet say nothing: of the entry nothing is ever known.
            let known = predecessors[block].iter().copied().filter(|&from| from == 0 || above[from].is_some());
            let nearest = known.reduce(|mut a, mut b| {
                while a != b {
                    let deeper = if a > b { &mut a } else { &mut b };
                    *deeper = above[*deeper].unwrap_or(0);
                }
                a
            });
            changes |= std::mem::replace(&mut above[block], nearest) != nearest;
        }
        if !changes {
            return above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{immediate_dominators, reverse_postorder};
    use petgraph::algo::dominators::simple_fast;
    use petgraph::graph::{DiGraph, NodeIndex};
    use petgraph::visit::DfsPostOrder;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// What each of up to 12 blocks leads to, each once.
    fn graphs() -> impl Strategy<Value = Vec<Vec<usize>>> {
        (1_usize..12).prop_flat_map(|count| vec(vec(0..count, 0..4), count)).prop_map(|mut targets| {
            for ways in &mut targets {
                let mut seen = Vec::new();
                ways.retain(|&to| {
                    !seen.contains(&to) && {
                        seen.push(to);
                        true
                    }
                });
            }
            targets
        })
    }

    /// By block in reverse postorder, and its immediate dominator.
    type Found = (Vec<usize>, Vec<Option<usize>>);

    fn by_hand(targets: &[Vec<usize>]) -> Found {
        let order = reverse_postorder(targets);
        let places = places(&order, targets.len());
        let mut predecessors = vec![Vec::new(); order.len()];
        for (id, &at) in order.iter().enumerate() {
            targets[at].iter().filter_map(|&to| places[to]).for_each(|to| predecessors[to].push(id));
        }
        let dominators = immediate_dominators(&predecessors);
        (order, dominators)
    }

    fn by_petgraph(targets: &[Vec<usize>]) -> Found {
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = targets.iter().map(|_| graph.add_node(())).collect();
        // It goes through a node's edges from the last one that was added.
        for (from, ways) in targets.iter().enumerate() {
            ways.iter().rev().for_each(|&to| _ = graph.add_edge(nodes[from], nodes[to], ()));
        }
        let mut walk = DfsPostOrder::new(&graph, nodes[0]);
        let mut order: Vec<usize> = std::iter::from_fn(|| walk.next(&graph)).map(NodeIndex::index).collect();
        order.reverse();
        let places = places(&order, targets.len());
        let dominators = simple_fast(&graph, nodes[0]);
        let above = |&at: &usize| dominators.immediate_dominator(nodes[at]).and_then(|node| places[node.index()]);
        let dominators = order.iter().map(above).collect();
        (order, dominators)
    }

    fn places(order: &[usize], count: usize) -> Vec<Option<usize>> {
        let mut places = vec![None; count];
        order.iter().enumerate().for_each(|(id, &at)| places[at] = Some(id));
        places
    }

    proptest! {
        #[test]
        fn order_and_dominators_are_those_of_petgraph(targets in graphs()) {
            prop_assert_eq!(by_hand(&targets), by_petgraph(&targets));
        }
    }

    #[test]
    #[ignore = "a measurement, for a release build"]
    #[expect(clippy::print_stdout, reason = "that is what it is for")]
    fn times_of_both() {
        const RUNS: u32 = 10_000;
        let time = |of: fn(&[Vec<usize>]) -> Found, targets: &[Vec<usize>]| {
            let start = std::time::Instant::now();
            (0..RUNS).for_each(|_| _ = std::hint::black_box(of(std::hint::black_box(targets))));
            start.elapsed() / RUNS
        };
        // Loops of three blocks, one after the other, each of which may be skipped.
        for blocks in [6, 15, 42, 201] {
            let ways = |at: usize| match at % 3 {
                0 => vec![at + 1, at + 3],
                1 => vec![at + 1],
                _ => vec![at - 1, at + 1],
            };
            let mut targets: Vec<Vec<usize>> = (0..blocks).map(ways).collect();
            targets.push(Vec::new());
            println!("{blocks} blocks: {:?}, by petgraph {:?}", time(by_hand, &targets), time(by_petgraph, &targets));
        }
    }
}
