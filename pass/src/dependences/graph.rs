//! The dependences as a graph: of accesses, and of statements for DOT.

use super::print::{dependence, guard_text, vector};
use super::{Edge, RegionDependences};
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};

impl RegionDependences {
    /// Nodes are accesses by their numbers, in that order, then what is not followed; edges are dependences by their numbers.
    pub fn graph(&self) -> DiGraph<Node, usize> {
        let mut graph = DiGraph::new();
        for number in 0..self.accesses.len() {
            graph.add_node(Node::Access(number));
        }
        for number in 0..self.opaque.len() {
            graph.add_node(Node::Opaque(number));
        }
        for (number, edge) in self.edges.iter().enumerate() {
            graph.add_edge(NodeIndex::new(edge.source), NodeIndex::new(edge.sink), number);
        }
        graph
    }
}

/// A node of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// An access, by its number.
    Access(usize),
    /// What is not followed, by its number.
    Opaque(usize),
}

/// The graph of a region in the language of Graphviz.
pub fn to_dot(region: &RegionDependences) -> String {
    let graph = region.graph();
    let node = |_: &DiGraph<Node, usize>, (_, node): (NodeIndex, &Node)| match *node {
        Node::Access(number) => {
            let access = &region.accesses[number];
            let object = access.object.map_or("?", |object| &region.objects[object].name);
            let line =
                access.location.as_ref().map(|location| format!("\\nline {}", location.line)).unwrap_or_default();
            format!("label=\"acc{number} {} {}{line}\"", format!("{:?}", access.kind).to_lowercase(), escape(object))
        }
        Node::Opaque(number) => format!("label=\"{}\" shape=octagon", escape(&region.opaque[number].what)),
    };
    let edge = |_: &DiGraph<Node, usize>, edge: petgraph::graph::EdgeReference<'_, usize>| {
        edge_attributes(region, &region.edges[*edge.weight()])
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
