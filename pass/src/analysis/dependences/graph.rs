//! The dependences as a graph: its nodes are accesses, statements whose effects are not followed, and values that go from iteration to
//! iteration in registers.

use super::print::{dependence, guard_text, scalar_words, vector};
use super::result::{Edge, Node, RegionDependences};
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

impl RegionDependences {
    /// Nodes are accesses by their numbers, in that order, then what is not followed, then the values that loops hand on.
    pub fn graph(&self) -> DiGraph<Node, Relationship> {
        let mut graph = DiGraph::new();
        let mut indices: FxHashMap<Node, NodeIndex> = FxHashMap::default();
        let accesses = (0..self.accesses.len()).map(Node::Access);
        for node in accesses.chain((0..self.opaque.len()).map(Node::Opaque)).chain(self.carried()) {
            indices.insert(node, graph.add_node(node));
        }
        for (number, edge) in self.edges.iter().enumerate() {
            let ends = (indices[&Node::Access(edge.source)], indices[&Node::Access(edge.sink)]);
            graph.add_edge(ends.0, ends.1, Relationship::Memory(number));
        }
        for flow in &self.flows {
            graph.add_edge(indices[&flow.from], indices[&flow.to], Relationship::Register);
        }
        graph
    }

    /// The values that an iteration takes from the one before and that are no functions of the iteration number.
    fn carried(&self) -> impl Iterator<Item = Node> + '_ {
        self.loops.iter().enumerate().flat_map(|(number, entry)| {
            let scalars = entry.scalars.iter().enumerate().filter(|(_, scalar)| scalar.is_carried());
            scalars.map(move |(scalar, _)| Node::Scalar { in_loop: number, scalar })
        })
    }
}

/// An edge of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relationship {
    /// A dependence through memory, by its number among the edges.
    Memory(usize),
    /// A value in a register that the one computes and the other uses.
    Register,
}

/// The graph of a region in the language of Graphviz.
pub fn to_dot(region: &RegionDependences) -> String {
    let graph = region.graph();
    let node = |_: &DiGraph<Node, Relationship>, (_, node): (NodeIndex, &Node)| match *node {
        Node::Access(number) => {
            let access = &region.accesses[number];
            let object = access.object.map_or("?", |object| &region.objects[object].name);
            let line =
                access.location.as_ref().map(|location| format!("\\nline {}", location.line)).unwrap_or_default();
            format!("label=\"acc{number} {} {}{line}\"", format!("{:?}", access.kind).to_lowercase(), escape(object))
        }
        Node::Opaque(number) => format!("label=\"{}\" shape=octagon", escape(&region.opaque[number].what)),
        Node::Scalar { in_loop, scalar } => {
            let words = scalar_words(&region.loops[in_loop].scalars[scalar]);
            format!("label=\"{}\\nin loop{in_loop}\" shape=box", escape(&words))
        }
    };
    let edge = |_: &DiGraph<Node, Relationship>, edge: petgraph::graph::EdgeReference<'_, Relationship>| match *edge
        .weight()
    {
        Relationship::Memory(number) => edge_attributes(region, &region.edges[number]),
        Relationship::Register => "style=dotted".into(),
    };
    let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
    let dot = Dot::with_attr_getters(&graph, &config, &edge, &node);
    let body = format!("{dot:?}");
    body.replacen("digraph", &format!("digraph \"{}\"", escape(&region.function)), 1)
}

fn edge_attributes(region: &RegionDependences, edge: &Edge) -> String {
    let guard = edge.guard.as_ref().map(|guard| format!("\\nunless {}", escape(&guard_text(region, guard))));
    let carried = edge.carried_by.map(|number| format!(" loop{number}")).unwrap_or_default();
    let style = if edge.certain { "solid" } else { "dashed" };
    format!(
        "label=\"{} {}{carried}{}\" style={style}",
        dependence(edge.kind),
        vector(&edge.steps),
        guard.unwrap_or_default()
    )
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
