//! Makes the text of nests that are products of a kind: results of two or three parallel loops, each summed up by loops inside, which read what
//! other results read, too. So a thread may take several results in lockstep.

use super::build::{BOUNDS, Nest, Rows, VARIABLES};
use crate::random::Random;
use crate::source_text::Node;

struct Product {
    random: Random,
    seed: u64,
    index: &'static str,
    element: &'static str,
    rows: Rows,
    /// The parallel loops, or those that can be, and all loops.
    outer: usize,
    depth: usize,
}

/// A nest from a seed.
pub(super) fn nest(seed: u64, mut random: Random) -> Nest {
    let outer = random.weighted(&[(75, 2), (25, 3)]);
    let depth = outer + 1;
    let index = random.weighted(&[(40, "int"), (15, "long"), (15, "unsigned"), (20, "size_t"), (10, "short")]);
    let element = random.weighted(&[(40, "float"), (40, "double"), (20, "unsigned")]);
    let rows = random.weighted(&[(20, Rows::Constant), (60, Rows::Bounds), (20, Rows::Length)]);
    let mut product = Product { random, seed, index, element, rows, outer, depth };
    let directive = product.directive();
    let is_perfect = directive.contains("collapse");
    let body = vec![product.level(0, is_perfect)];
    Nest { seed, index, element, directive, depth, rows, body }
}

impl Product {
    fn directive(&mut self) -> String {
        let combined = "target teams distribute parallel for";
        match self.random.below(10) {
            0..5 => format!("{combined} collapse({})", self.outer),
            5 if self.outer == 3 => format!("{combined} collapse(2)"),
            6 => "target teams loop".into(),
            7 => format!("{combined} simd"),
            _ => combined.into(),
        }
    }

    fn level(&mut self, level: usize, is_perfect: bool) -> Node {
        let head = self.head(level);
        if level + 1 < self.outer {
            let mut body = vec![self.level(level + 1, is_perfect)];
            if !is_perfect && self.random.chance(5) {
                body.insert(0, Node::statement("C[i] += 1;"));
            }
            return Node::Loop { head, body };
        }
        let mut body = self.results();
        if self.random.chance(15) {
            let condition = self.condition();
            body = vec![Node::when(condition, body)];
        } else if self.random.chance(8) {
            let condition = self.condition();
            body.insert(0, Node::when(condition, vec![Node::statement("continue;")]));
        }
        Node::Loop { head, body }
    }

    fn head(&mut self, level: usize) -> String {
        let (v, bound, ty) = (VARIABLES[level], BOUNDS[level], self.index);
        match self.random.below(20) {
            0 => format!("for ({ty} {v} = 1; {v} < {bound}; ++{v})"),
            1 => format!("for ({ty} {v} = 0; {v} < {bound}; {v} += 2)"),
            2 if !Nest::is_unsigned(ty) => format!("for ({ty} {v} = {bound} - 1; {v} >= 0; --{v})"),
            3 => format!("for ({ty} {v} = 0; {v} <= {bound}; {v}++)"),
            4 if level == 0 => format!("for ({ty} {v} = 0; {v} < 20; {v}++)"),
            5 if level == 1 => format!("for ({ty} {v} = 0; {v} < 5; {v}++)"),
            6 if level == 0 => format!("for ({ty} {v} = q; {v} < {bound}; {v}++)"),
            _ => format!("for ({ty} {v} = 0; {v} < {bound}; ++{v})"),
        }
    }

    /// Of which iterations there are results; or something that some of them have and others do not.
    fn condition(&mut self) -> String {
        let [i, j] = [0, self.outer - 1].map(|at| VARIABLES[at]);
        self.random
            .pick(&[
                "J <= I",
                "J < I",
                "I <= J",
                "I + J < n",
                "I > 2",
                "q > 1",
                "I != J",
                "(I + J) % 3 != 0",
                "L[I & 7] > 2",
            ])
            .replace('I', i)
            .replace('J', j)
    }

    /// The sums, and where they go.
    fn results(&mut self) -> Vec<Node> {
        let ty = self.element;
        let place = self.place();
        let count = self.random.weighted(&[(70, 1), (30, 2)]);
        let is_in_memory = count == 1 && self.random.chance(30);
        let sums: Vec<String> =
            if is_in_memory { vec![place.clone()] } else { (0..count).map(|at| format!("sum{at}")).collect() };
        let mut body = Vec::new();
        if !is_in_memory {
            for sum in &sums {
                let start = match self.random.below(4) {
                    0 => place.clone(),
                    1 => format!("({ty})(i + {})", VARIABLES[self.outer - 1]),
                    _ => "0".into(),
                };
                body.push(Node::Statement(format!("{ty} {sum} = {start};")));
            }
        }
        for _ in 0..self.random.weighted(&[(85, 1), (15, 2)]) {
            let inner = self.inner(&sums);
            body.push(inner);
        }
        if !is_in_memory {
            let all = sums.join(" + ");
            let value = match self.random.below(4) {
                0 => format!("{place} * 2 + ({all})"),
                1 => format!("({all}) * ({ty})(s + 1)"),
                2 => format!("({all}) > 50 ? ({all}) : ({ty})(i - q)"),
                _ => all,
            };
            body.push(Node::Statement(format!("{place} = {value};")));
            if self.random.chance(10) {
                body.push(Node::Statement(format!("{} = {};", place.replacen('A', "C", 1), sums[0])));
            }
        }
        body
    }

    fn inner(&mut self, sums: &[String]) -> Node {
        let (v, bound, ty) = (VARIABLES[self.outer], BOUNDS[self.outer], self.index);
        let head = match self.random.below(20) {
            0 => format!("for ({ty} {v} = 1; {v} < {bound}; {v}++)"),
            1 => format!("for ({ty} {v} = 0; {v} < {bound}; {v} += 2)"),
            2 => format!("for ({ty} {v} = 0; {v} <= i; {v}++)"),
            3 => format!("for ({ty} {v} = 0; {v} < j; {v}++)"),
            4 => format!("for ({ty} {v} = 0; {v} < 4; {v}++)"),
            5 => format!("for (int {v} = {bound}; {v}-- > 0;)"),
            6 => format!("for ({ty} {v} = 0; {v} < (({ty})L[q] & 3) + 2; {v}++)"),
            _ => format!("for ({ty} {v} = 0; {v} < {bound}; {v}++)"),
        };
        let mut body = Vec::new();
        for sum in sums {
            let (one, other) = (self.factor(), self.factor());
            let value = match self.random.below(8) {
                0 => format!("{one} * {other} + {}", self.factor()),
                1 => format!("{one} + {other}"),
                2 => format!("({one} - {other}) * ({one} - {other})"),
                3 => format!("help{}({one}, (int){v}) * {other}", self.seed),
                _ => format!("{one} * {other}"),
            };
            let statement = Node::Statement(format!("{sum} += {value};"));
            let node = match self.random.below(12) {
                0 => Node::when(format!("({v} & 1) == 0"), vec![statement]),
                1 => Node::when(format!("{one} > 30"), vec![statement]),
                2 => Node::when(format!("{v} != i"), vec![statement]),
                _ => statement,
            };
            body.push(node);
        }
        if self.random.chance(4) {
            body.push(Node::when(format!("{} > 500", sums[0]), vec![Node::statement("break;")]));
        }
        Node::Loop { head, body }
    }

    /// An element that some of the loops lead to.
    fn factor(&mut self) -> String {
        let (last, inner) = (self.outer - 1, self.outer);
        let which = match self.random.below(20) {
            0..4 if self.outer == 3 => vec![0, 1, inner],
            4..8 if self.outer == 3 => vec![0, inner, last],
            0..6 => vec![0, inner],
            6..12 => vec![inner, last],
            12..15 => vec![last, inner],
            15 => vec![inner],
            16 => vec![inner, 0],
            _ => vec![1, inner],
        };
        let array = self.random.weighted(&[(55, "B"), (40, "C"), (5, "A")]);
        if self.random.chance(4) {
            return format!("{array}[L[{} & 7] + {}]", VARIABLES[which[0]], VARIABLES[inner]);
        }
        format!("{array}[{}]", self.subscript(&which))
    }

    /// Where a result goes.
    fn place(&mut self) -> String {
        let mut which: Vec<usize> = (0..self.outer).collect();
        if self.random.chance(15) {
            which.swap(0, self.outer - 1);
        }
        format!("A[{}]", self.subscript(&which))
    }

    /// Row-major, over the variables of these loops.
    fn subscript(&self, which: &[usize]) -> String {
        let mut text = VARIABLES[which[0]].to_owned();
        for &at in &which[1..] {
            let row = if text.contains(' ') { format!("({text})") } else { text };
            text = format!("{row} * {} + {}", self.rows.text(self.depth, at), VARIABLES[at]);
        }
        text
    }
}
