//! Control flow of a function copy: blocks in reverse postorder, dominators, natural loops.

use crate::ir::{Block, Value};
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;
use rustc_hash::FxHashMap;

/// A block's number in its [`Cfg`]: its place in reverse postorder.
pub type BlockId = usize;

/// A natural loop.
#[derive(Debug)]
pub struct NaturalLoop {
    pub header: BlockId,
    /// Sources of back edges.
    pub latches: Vec<BlockId>,
    /// All blocks, sorted.
    pub blocks: Vec<BlockId>,
    /// The loop around this one, by index.
    pub parent: Option<usize>,
}

impl NaturalLoop {
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

/// Control flow of the reachable blocks of one function.
pub struct Cfg {
    pub blocks: Vec<Block>,
    index: FxHashMap<Block, BlockId>,
    pub predecessors: Vec<Vec<BlockId>>,
    pub successors: Vec<Vec<BlockId>>,
    immediate_dominator: Vec<Option<BlockId>>,
    /// Loops, outer before inner, otherwise in the order of their headers.
    pub loops: Vec<NaturalLoop>,
    innermost: Vec<Option<usize>>,
    /// Whether a cycle is entered other than by its header.
    pub irreducible: bool,
}

impl Cfg {
    pub fn new(function: Value) -> Cfg {
        let mut graph: DiGraph<Block, ()> = DiGraph::new();
        let listed = function.blocks();
        let nodes: FxHashMap<Block, NodeIndex> = listed.iter().map(|&block| (block, graph.add_node(block))).collect();
        // In the order of the function, so that numbers are the same in every run. The search takes the edge that was
        // added first last, and what it takes last comes first: so blocks keep the order of the source, a loop's body
        // before what follows it.
        for block in &listed {
            for successor in block.terminator().map(Value::successors).unwrap_or_default().iter().rev() {
                graph.update_edge(nodes[block], nodes[successor], ());
            }
        }
        let entry = nodes[&listed[0]];
        let mut postorder = Vec::new();
        let mut search = DfsPostOrder::new(&graph, entry);
        while let Some(node) = search.next(&graph) {
            postorder.push(node);
        }
        postorder.reverse();
        let blocks: Vec<Block> = postorder.iter().map(|&node| graph[node]).collect();
        let index: FxHashMap<Block, BlockId> = blocks.iter().enumerate().map(|(id, &block)| (block, id)).collect();

        let mut predecessors = vec![Vec::new(); blocks.len()];
        let mut successors = vec![Vec::new(); blocks.len()];
        for (id, block) in blocks.iter().enumerate() {
            for successor in block.terminator().map(Value::successors).unwrap_or_default() {
                let to = index[&successor];
                if !successors[id].contains(&to) {
                    successors[id].push(to);
                    predecessors[to].push(id);
                }
            }
        }
        let dominators: Dominators<NodeIndex> = simple_fast(&graph, entry);
        let immediate_dominator = postorder
            .iter()
            .map(|&node| dominators.immediate_dominator(node).map(|parent| index[&graph[parent]]))
            .collect();
        let mut cfg = Cfg {
            innermost: vec![None; blocks.len()],
            blocks,
            index,
            predecessors,
            successors,
            immediate_dominator,
            loops: Vec::new(),
            irreducible: false,
        };
        cfg.find_loops();
        cfg
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
            let mut blocks = vec![header];
            let mut work = latches.clone();
            while let Some(block) = work.pop() {
                if !blocks.contains(&block) {
                    blocks.push(block);
                    work.extend(&self.predecessors[block]);
                }
            }
            blocks.sort_unstable();
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

    /// The innermost loop around a block.
    pub fn loop_of(&self, block: BlockId) -> Option<usize> {
        self.innermost[block]
    }

    /// The loop and those around it, innermost first.
    pub fn loop_chain(&self, innermost: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(innermost, |&at| self.loops[at].parent)
    }
}
