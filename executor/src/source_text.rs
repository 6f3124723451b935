//! The text of generated loop nests as a tree, of which parts can be left out.
//!
//! It is no part of the tree of programs ([`crate::generate`]), each of which has a meaning that is computed beside it: nests hold what that leaves out
//! (memory read in other types, pointers that walk or change places, numbers that wrap), and are compared with themselves, in other orders or changed.

/// A part of a loop nest.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Block { header: String, body: Vec<Node> },
    Statement(String),
}

/// Adds a node's text, so deep in blocks.
pub(crate) fn print(node: &Node, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    match node {
        Node::Statement(statement) => text.push_str(&format!("{indent}{statement}\n")),
        Node::Block { header, body } => {
            text.push_str(&format!("{indent}{header} {{\n"));
            body.iter().for_each(|node| print(node, depth + 1, text));
            text.push_str(&format!("{indent}}}\n"));
        }
    }
}

/// All bodies that lack one part of this one, or have what is behind a condition in its place.
pub(crate) fn smaller(body: &[Node]) -> Vec<Vec<Node>> {
    let mut all = Vec::new();
    for at in 0..body.len() {
        let with = |middle: Vec<Node>| [&body[..at], &middle, &body[at + 1..]].concat();
        all.push(with(Vec::new()));
        if let Node::Block { header, body } = &body[at] {
            // A loop's body needs its variable.
            if header.starts_with("if") {
                all.push(with(body.clone()));
            }
            let inner = smaller(body).into_iter().filter(|body| !body.is_empty());
            all.extend(inner.map(|body| with(vec![Node::Block { header: header.clone(), body }])));
        }
    }
    all
}
