//! Loop nests from seeds, for the judge of dependences: few iterations, accesses that are likely to meet, and whatever C has to hide that.

use super::build::{Builder, Form};
use super::shapes::{POSITIVE, SYMBOLS};
use crate::batch::GeneratedNest;
use crate::random::Random;
use crate::source_text::{Node, smaller};

/// Bytes of each array; pointers lead to the middle.
pub(super) const ARRAY_BYTES: u64 = 1 << 16;
/// The pointers, and the two of them that may lead into one array.
pub(super) const POINTERS: [&str; 4] = ["A", "B", "R", "P"];

/// What stands before all generated functions. The types may look at memory of any other type.
pub(super) const PRELUDE: &str = "typedef signed char __attribute__((may_alias)) I8;
typedef short __attribute__((may_alias, aligned(1))) I16;
typedef int __attribute__((may_alias, aligned(1))) I32;
typedef long long __attribute__((may_alias, aligned(1))) I64;
typedef struct __attribute__((may_alias, packed)) { int x; short y; signed char z; } S9;
";

/// A generated function.
#[derive(Debug, Clone)]
pub(super) struct Nest {
    pub seed: u64,
    pub form: Form,
    pub body: Vec<Node>,
}

/// Values of the symbols in one run.
pub(super) type Values = Vec<(&'static str, i64)>;

impl Nest {
    pub(super) fn name(&self) -> String {
        format!("nest{}", self.seed)
    }

    /// Whether a pointer is used, so that a region knows it.
    pub(super) fn uses(&self, pointer: &str) -> bool {
        self.form != Form::Parallel && pointer == "A" || self.body.iter().any(|node| node.mentions(pointer))
    }

    /// The values of the symbols in a run, and how many bytes apart two pointers are; none: they lead to arrays of their own.
    pub(super) fn values(&self, run: u64) -> (Values, Option<i64>) {
        let mut random = Random::new(crate::random::derive(self.seed, run + 1));
        let any = SYMBOLS.map(|name| {
            (name, random.weighted(&[(1, -2), (1, -1), (2, 0), (3, 1), (4, 2), (5, 3), (5, 4), (4, 5), (3, 6)]))
        });
        let positive = POSITIVE.map(|name| (name, random.between(1, 3)));
        let apart = random.chance(60).then(|| random.between(-12, 12) * random.pick(&[1, 2, 4, 4, 4]));
        (any.into_iter().chain(positive).collect(), apart)
    }
}

impl GeneratedNest for Nest {
    const TOGETHER: u64 = 100;

    fn from_seed(seed: u64) -> Nest {
        let (form, body) = Builder::nest_of(Random::new(seed));
        Nest { seed, form, body }
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn text(&self) -> String {
        let symbols: Vec<String> = SYMBOLS.iter().chain(&POSITIVE).map(|name| format!("int {name}")).collect();
        let pointers: Vec<String> = POINTERS.iter().map(|name| format!("int *{name}")).collect();
        let parameters = [symbols, pointers].concat().join(", ");
        let name = self.name();
        let head = match self.form {
            Form::Kernel => format!("extern \"C\" __attribute__((global)) void {name}({parameters}) {{\n"),
            Form::Region => format!("void {name}({parameters}) {{\n  #pragma omp target\n  {{\n"),
            Form::Parallel => {
                format!("void {name}({parameters}) {{\n  #pragma omp target teams distribute parallel for\n")
            }
        };
        let mut text = head;
        if self.form != Form::Parallel {
            text.push_str("  int c = k, last = 0, sum = 0, T[16];\n  int *walk = A + d;\n");
        }
        for node in &self.body {
            node.print(1, &mut text);
        }
        if self.form != Form::Parallel {
            text.push_str("  R[100] = sum + c + last;\n");
        }
        text.push_str(if self.form == Form::Region { "  }\n}\n" } else { "}\n" });
        text
    }

    fn smaller(&self) -> Vec<Nest> {
        let bodies = smaller(&self.body).into_iter().filter(|body| !body.is_empty());
        let is_whole = |body: &Vec<Node>| self.form != Form::Parallel || matches!(&body[..], [Node::Loop { .. }]);
        bodies.filter(is_whole).map(|body| Nest { body, ..self.clone() }).collect()
    }

    /// They differ in their words, not in their numbers.
    fn kind(fault: &str) -> String {
        fault.rsplit(';').next().unwrap_or_default().chars().filter(|c| c.is_alphabetic()).collect()
    }
}
