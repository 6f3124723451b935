//! The text of generated loop nests as a tree, of which parts can be left out: loops, conditions, and statements in the words of C.
//!
//! It is not the tree of generated programs (`generate/syntax.rs`), and both have a reason. A program there has one meaning, which is computed beside it
//! from types and places, and all that walks over it (evaluator, checks, features, the search for smaller ones) knows each node. Nests hold what has no such
//! meaning there: memory read in other types, pointers that walk, move or change places, numbers that wrap, steps that are read, accesses that race. They are
//! judged by comparing them with themselves, in other orders or changed, so that nothing has to know what their statements mean. In one tree, each of
//! these would be a node that the evaluator had to refuse, and no template of a statement, one line of C here, would be shorter.

/// A part of a loop nest.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// A loop, with its head as C writes it, as in `for (int i = 0; i < n; ++i)`.
    Loop {
        head: String,
        body: Vec<Node>,
    },
    If {
        condition: String,
        body: Vec<Node>,
    },
    Statement(String),
}

impl Node {
    pub(crate) fn statement(text: impl Into<String>) -> Node {
        Node::Statement(text.into())
    }

    pub(crate) fn when(condition: impl Into<String>, body: Vec<Node>) -> Node {
        Node::If { condition: condition.into(), body }
    }

    /// Whether a text stands anywhere in it.
    pub(crate) fn mentions(&self, text: &str) -> bool {
        match self {
            Node::Statement(own) => own.contains(text),
            Node::Loop { head: own, body } | Node::If { condition: own, body } => {
                own.contains(text) || body.iter().any(|node| node.mentions(text))
            }
        }
    }

    /// Changes the texts of all parts.
    pub(crate) fn reword(&mut self, change: &impl Fn(&str) -> String) {
        match self {
            Node::Statement(own) => *own = change(own),
            Node::Loop { head: own, body } | Node::If { condition: own, body } => {
                *own = change(own);
                body.iter_mut().for_each(|node| node.reword(change));
            }
        }
    }

    /// Adds its text, so deep in blocks.
    pub(crate) fn print(&self, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let (opening, body) = match self {
            Node::Statement(statement) => return text.push_str(&format!("{indent}{statement}\n")),
            Node::Loop { head, body } => (head.clone(), body),
            Node::If { condition, body } => (format!("if ({condition})"), body),
        };
        text.push_str(&format!("{indent}{opening} {{\n"));
        body.iter().for_each(|node| node.print(depth + 1, text));
        text.push_str(&format!("{indent}}}\n"));
    }

    /// What lacks one part of it, but for itself.
    fn smaller(&self) -> Vec<Node> {
        let inner = |body| smaller(body).into_iter().filter(|body| !body.is_empty());
        match self {
            Node::Statement(_) => Vec::new(),
            Node::Loop { head, body } => inner(body).map(|body| Node::Loop { head: head.clone(), body }).collect(),
            Node::If { condition, body } => inner(body).map(|body| Node::when(condition, body)).collect(),
        }
    }
}

/// All bodies that lack one part of this one, or have what is behind a condition in its place.
pub(crate) fn smaller(body: &[Node]) -> Vec<Vec<Node>> {
    let mut all = Vec::new();
    for at in 0..body.len() {
        let with = |middle: Vec<Node>| [&body[..at], &middle, &body[at + 1..]].concat();
        all.push(with(Vec::new()));
        // A loop's body needs its variable.
        if let Node::If { body, .. } = &body[at] {
            all.push(with(body.clone()));
        }
        all.extend(body[at].smaller().into_iter().map(|node| with(vec![node])));
    }
    all
}
