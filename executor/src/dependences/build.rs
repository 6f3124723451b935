//! Random nests: loops with bounds of all kinds, and statements over what is in scope.

use super::shapes::{SYMBOLS, Shape, changed, near};
use crate::random::Random;
use crate::source_text::Node;

/// In which form a nest is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A kernel of CUDA.
    Kernel,
    /// A target region without parallelism.
    Region,
    /// A target region whose outermost loop is said to be parallel, whether it is or not.
    Parallel,
}

/// What makes a nest.
pub(super) struct Builder {
    random: Random,
    shapes: [Shape; 3],
    form: Form,
    /// How often each array is chosen.
    arrays: [u32; 3],
    max_depth: usize,
}

const VARIABLES: [&str; 3] = ["i", "j", "l"];

impl Builder {
    /// The form and the body of a nest.
    pub(super) fn nest_of(mut random: Random) -> (Form, Vec<Node>) {
        let form = random.weighted(&[(5, Form::Kernel), (2, Form::Region), (3, Form::Parallel)]);
        let shapes = [0; 3].map(|_| Shape::random(&mut random));
        // Of nests with one array all pairs are asked for their distances.
        let arrays = random.pick(&[[1, 0, 0], [1, 0, 0], [6, 3, 1], [6, 0, 2]]);
        let mut builder = Builder { random, shapes, form, arrays, max_depth: 0 };
        builder.max_depth = builder.random.weighted(&[(3, 1), (5, 2), (2, 3)]);
        let mut body = Vec::new();
        let roots = if form == Form::Parallel || builder.random.chance(85) { 1 } else { 2 };
        for _ in 0..roots {
            body.push(builder.nest(&mut Vec::new()));
        }
        // What is known of the symbols lets more be proven.
        if form != Form::Parallel && builder.random.chance(50) {
            let known = [
                "n > 0",
                "ld >= n && n > 0",
                "ld >= m && m >= 1",
                "k >= n",
                "d >= 0 && d < n",
                "d != 0",
                "m > 0 && ld > 0",
            ];
            body = vec![Node::when(builder.random.pick(&known), body)];
        }
        (form, body)
    }

    fn nest(&mut self, outer: &mut Vec<&'static str>) -> Node {
        let variable = VARIABLES[outer.len()];
        let head = self.head(variable, outer);
        outer.push(variable);
        let mut body = Vec::new();
        let deeper = outer.len() < self.max_depth;
        if !deeper || self.random.chance(30) {
            self.statements(outer, &mut body);
        }
        if deeper {
            body.push(self.nest(outer));
            if self.random.chance(25) {
                self.statements(outer, &mut body);
            }
        }
        outer.pop();
        Node::Loop { head, body }
    }

    fn bound(&mut self, outer: &[&'static str]) -> String {
        if self.random.chance(25)
            && let Some(&outer) = outer.last()
        {
            return match self.random.below(4) {
                0 => outer.into(),
                1 => format!("{outer} + 1"),
                2 => format!("n - {outer}"),
                _ => format!("2 * {outer}"),
            };
        }
        match self.random.below(10) {
            0..4 => self.random.between(1, 7).to_string(),
            4..8 => self.random.pick(&["n", "m", "ld"]).into(),
            8 => format!("n - {}", self.random.between(1, 2)),
            _ => format!("n + {}", self.random.pick(&["m", "1", "d"])),
        }
    }

    fn head(&mut self, variable: &str, outer: &[&'static str]) -> String {
        let (low, high) = match self.random.below(4) {
            0 => (self.bound(outer), self.bound(outer)),
            1 => (self.random.between(-2, 2).to_string(), self.bound(outer)),
            _ => ("0".into(), self.bound(outer)),
        };
        let step = self.random.weighted(&[(10, "1"), (3, "2"), (2, "3"), (2, "s")]);
        let ty = if self.random.chance(85) { "int" } else { "long" };
        let v = variable;
        match self.random.below(10) {
            0..6 => format!("for ({ty} {v} = {low}; {v} < {high}; {v} += {step})"),
            6 => format!("for ({ty} {v} = {low}; {v} <= {high}; {v} += {step})"),
            7 | 8 => format!("for ({ty} {v} = {high} - 1; {v} >= {low}; {v} -= {step})"),
            _ if self.form != Form::Parallel || !outer.is_empty() => {
                format!(
                    "for (unsigned char {v} = {}; {v} < {}; {v}++)",
                    self.random.below(3),
                    self.random.between(1, 6)
                )
            }
            _ => format!("for ({ty} {v} = {high}; {v} > {low}; {v} -= {step})"),
        }
    }

    fn statements(&mut self, variables: &[&'static str], body: &mut Vec<Node>) {
        for _ in 0..self.random.between(1, 3) {
            let statement = self.statement(variables);
            if self.random.chance(20) {
                body.push(Node::when(self.condition(variables), vec![Node::Statement(statement)]));
            } else {
                body.push(Node::Statement(statement));
            }
        }
    }

    fn statement(&mut self, variables: &[&'static str]) -> String {
        let (to, value) = (self.place(variables), self.value(variables));
        let has_scalars = self.form != Form::Parallel;
        match self.random.below(24) {
            0..11 => format!("{to} = {value};"),
            11..14 => format!("{to} += {value};"),
            14 if has_scalars => format!("sum += {value};"),
            15 if has_scalars => {
                format!("c += {}; A[c] = {value};", self.random.pick(&["1", "2", "-1", "s", "q"]))
            }
            16 if has_scalars => {
                let variable = near(&mut self.random, variables);
                format!("A[last] = {value}; last = (int)({variable});")
            }
            17 if has_scalars => format!("*walk = {value}; walk += {};", self.random.pick(&["1", "2", "-1", "s"])),
            18 if has_scalars => {
                let (a, b) = (near(&mut self.random, variables), near(&mut self.random, variables));
                format!("T[({a}) & 7] = {value}; {to} = T[({b}) & 15];")
            }
            19 => {
                let subscript = self.subscript(variables);
                format!("__atomic_fetch_add(&A[{subscript}], 1, __ATOMIC_RELAXED);")
            }
            20 => {
                let (a, b) = (self.subscript(variables), self.subscript(variables));
                let (from, bytes) = (self.array(), self.random.pick(&[2, 4, 8, 12]));
                format!("__builtin_memmove(&A[{a}], &{from}[{b}], {bytes});")
            }
            21 => format!("{{ int t = {value}; {to} = t + 1; }}"),
            22 if !(self.form == Form::Parallel && variables.len() == 1) => {
                let condition = self.condition(variables);
                format!("{to} = {value}; if ({condition}) break;")
            }
            _ => {
                let condition = self.condition(variables);
                format!("if ({condition}) continue; {to} = {value};")
            }
        }
    }

    fn condition(&mut self, variables: &[&'static str]) -> String {
        let left = near(&mut self.random, variables);
        match self.random.below(8) {
            0 => format!("({left}) % 2 == {}", self.random.below(2)),
            1 => format!("({left}) == {}", near(&mut self.random, variables)),
            2 => format!("{} & 1", self.place(variables)),
            3 => format!("({left}) != {}", self.random.pick(&SYMBOLS)),
            4 => format!("{} > {}", self.random.pick(&SYMBOLS), self.random.between(0, 3)),
            5 => format!("({left}) < {} && {} > 1", near(&mut self.random, variables), self.random.pick(&SYMBOLS)),
            6 => format!("({left}) >= {}", self.random.pick(&SYMBOLS)),
            _ => format!("({left}) < {}", near(&mut self.random, variables)),
        }
    }

    fn value(&mut self, variables: &[&'static str]) -> String {
        match self.random.below(5) {
            0 => "1".into(),
            1 => format!("(int)({})", near(&mut self.random, variables)),
            2 | 3 => format!("(int)({} + 1)", self.place(variables)),
            _ => format!("(int)({} - {})", self.place(variables), self.place(variables)),
        }
    }

    fn subscript(&mut self, variables: &[&'static str]) -> String {
        let shape = self.random.pick(&self.shapes);
        let own = |random: &mut Random, at: usize| match variables.get(at) {
            // Mostly in the order of the loops.
            Some(variable) if random.chance(75) => changed(random, variable),
            _ => near(random, variables),
        };
        let [x, y, z] = [0, 1, 2].map(|at| own(&mut self.random, at));
        shape.text([&x, &y, &z])
    }

    fn array(&mut self) -> &'static str {
        let [a, b, r] = self.arrays;
        self.random.weighted(&[(a, "A"), (b, "B"), (r, "R")])
    }

    /// An access.
    fn place(&mut self, variables: &[&'static str]) -> String {
        let array = self.array();
        let subscript = self.subscript(variables);
        match self.random.below(20) {
            0..13 => format!("{array}[{subscript}]"),
            13 => format!("((I8 *){array})[{subscript}]"),
            14 => format!("((I16 *){array})[{subscript}]"),
            15 => format!("((I64 *){array})[{subscript}]"),
            16 => format!("*(I32 *)((I8 *){array} + ({subscript}))"),
            // In a target region clang takes a member for something to map.
            17 if self.form == Form::Kernel => {
                format!("((S9 *){array})[{subscript}].{}", self.random.pick(&["x", "y", "z"]))
            }
            18 => format!("((I32 (*)[5]){array})[{subscript}][{}]", near(&mut self.random, variables)),
            _ => format!("({array} + ({subscript}))[{}]", self.random.between(-2, 2)),
        }
    }
}
