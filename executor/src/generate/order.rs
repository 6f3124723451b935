//! Which accesses of a program with parallel loops may happen at the same time, whatever the number of threads.
//!
//! Loop constructs and their iterations form a tree. Two accesses are unordered exactly where their paths part at a construct, in
//! two of its iterations; where they part at an iteration, that iteration's own sequence orders them.

use super::syntax::BinaryOp;

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Iteration,
    Construct,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    depth: u32,
    kind: NodeKind,
}

/// The constructs and iterations that have begun.
#[derive(Debug)]
pub struct Order {
    nodes: Vec<Node>,
}

impl Order {
    /// What runs outside of all constructs.
    pub const ROOT: NodeId = NodeId(0);

    pub fn new() -> Order {
        Order { nodes: vec![Node { parent: 0, depth: 0, kind: NodeKind::Iteration }] }
    }

    /// A construct begins in an iteration.
    pub fn construct(&mut self, within: NodeId) -> NodeId {
        self.add(within, NodeKind::Construct)
    }

    /// An iteration of a construct begins.
    pub fn iteration(&mut self, of: NodeId) -> NodeId {
        self.add(of, NodeKind::Iteration)
    }

    fn add(&mut self, parent: NodeId, kind: NodeKind) -> NodeId {
        let depth = self.nodes[parent.0 as usize].depth + 1;
        self.nodes.push(Node { parent: parent.0, depth, kind });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Whether what happens in the two may happen at the same time.
    pub fn unordered(&self, a: NodeId, b: NodeId) -> bool {
        let (mut a, mut b) = (a.0, b.0);
        while a != b {
            let (left, right) = (self.nodes[a as usize], self.nodes[b as usize]);
            if left.depth >= right.depth {
                a = left.parent;
            }
            if right.depth >= left.depth {
                b = right.parent;
            }
        }
        self.nodes[a as usize].kind == NodeKind::Construct
    }
}

/// What has happened to one element. The latest plain write is enough: in a tree that is walked in order, whatever is unordered
/// with an earlier write is unordered with the latest one, or those two were unordered themselves.
#[derive(Debug, Clone, Default)]
pub struct History {
    write: Option<NodeId>,
    reads: Vec<NodeId>,
    updates: Vec<(NodeId, BinaryOp)>,
}

impl History {
    /// Notes a read; false where it may meet a write.
    pub fn read(&mut self, order: &Order, at: NodeId) -> bool {
        if self.reads.last() != Some(&at) {
            self.reads.push(at);
        }
        self.apart_from_write(order, at) && !self.updates.iter().any(|&(node, _)| order.unordered(node, at))
    }

    /// Notes a write; false where it may meet another access.
    pub fn write(&mut self, order: &Order, at: NodeId) -> bool {
        let free = self.apart_from_write(order, at)
            && !self.reads.iter().any(|&node| order.unordered(node, at))
            && !self.updates.iter().any(|&(node, _)| order.unordered(node, at));
        self.write = Some(at);
        free
    }

    /// Notes an atomic update; false where it may meet a plain access, or an update that does not commute with it.
    pub fn update(&mut self, order: &Order, at: NodeId, op: BinaryOp) -> bool {
        let op = if op == BinaryOp::Subtract { BinaryOp::Add } else { op };
        if self.updates.last() != Some(&(at, op)) {
            self.updates.push((at, op));
        }
        self.apart_from_write(order, at)
            && !self.reads.iter().any(|&node| order.unordered(node, at))
            && !self.updates.iter().any(|&(node, other)| other != op && order.unordered(node, at))
    }

    fn apart_from_write(&self, order: &Order, at: NodeId) -> bool {
        self.write.is_none_or(|node| !order.unordered(node, at))
    }
}
