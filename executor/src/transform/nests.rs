//! Loop nests from seeds, for the judge of the transformation: most of a kind that may be transformed, and many that look like it.

use super::build::{ATOMICS, BOUNDS, Builder, Nest, POINTERS, PRODUCTS, Rows};
use super::products;
use super::runs::{Overlap, Setup};
use crate::arguments::{Argument, ArrayDescription, Description, Element, Fill};
use crate::batch::GeneratedNest;
use crate::random::{Random, derive};
use crate::source_text::{Node, smaller};
use crate::source_types::Parameter;

/// The arrays of numbers; a nest stores to the first and the last.
const ARRAYS: [&str; 3] = ["A", "B", "C"];
/// Elements of arrays of small integers.
const TABLE: u64 = 1024;
/// All sizes of a setup multiplied are no more than this.
const MAX_PRODUCT: i64 = 2000;
/// By how much rows are longer than they need be, so that shifted subscripts stay in their row.
const SPARE: i64 = 8;

impl Nest {
    pub(super) fn name(&self) -> String {
        format!("nest{}", self.seed)
    }

    pub(super) fn is_unsigned(index: &str) -> bool {
        index.starts_with('u') || index == "size_t"
    }

    /// What the kernel is given in a run.
    pub(super) fn setup(&self, run: u64, parameters: &[Parameter]) -> Setup {
        let mut random = Random::new(derive(self.seed, run + 1));
        let sizes = self.sizes(run, &mut random);
        // What is larger is not reached.
        let largest = sizes[..self.depth].iter().copied().filter(|&size| size < 1 << 16).max().unwrap_or(0).max(1);
        let length = match self.rows {
            Rows::Constant => Rows::constant(self.depth),
            Rows::Length if random.chance(70) => largest + SPARE,
            // Rows that overlap.
            Rows::Length if random.chance(50) => largest / 2 + 1,
            Rows::Length | Rows::Bounds => largest,
        };
        let extent = length.max(largest);
        let (q, s) = (random.between(0, 3), random.between(1, 3));
        let numbers = [("ld", length), ("q", q), ("s", s), ("total", random.between(0, 9))];
        let mut arguments: Vec<(String, Argument)> = Vec::new();
        let integers = BOUNDS.into_iter().zip(sizes).chain(numbers);
        arguments.extend(integers.map(|(name, value)| (name.to_owned(), Argument::Integer(value))));
        // No element of a product lies along all of its loops.
        let dimensions = if self.seed >= PRODUCTS { self.depth - 1 } else { self.depth } as u32;
        let (all, row) = (extent.pow(dimensions), extent.pow(dimensions - 1));
        let margin = 3 * row + 64;
        let element = self.element_kind();
        let array = |element, count: i64, fill| {
            Argument::Array(ArrayDescription { element, count: count as u64, fill, offset: 0 })
        };
        let seed = random.below(1 << 20);
        for (at, name) in ARRAYS.into_iter().enumerate() {
            let fill = Fill::Random { seed: seed + at as u64, below: 100 };
            arguments.push((name.into(), array(element, 2 * all + 3 * margin, fill)));
        }
        arguments.push(("R".into(), array(Element::I32, TABLE as i64, Fill::Zero)));
        arguments.push(("L".into(), array(Element::I32, TABLE as i64, Fill::Random { seed, below: 7 })));
        let words = arguments.iter().filter_map(|(name, argument)| match argument {
            Argument::Integer(value) => Some(format!("{name} = {value}")),
            _ => None,
        });
        let mut words = words.collect::<Vec<_>>().join(", ");
        let place = |name: &str| parameters.iter().position(|parameter| parameter.name.as_deref() == Some(name));
        let size = element.size() as i64;
        let mut overlaps: Vec<Overlap> = Vec::new();
        for name in ARRAYS {
            overlaps.extend(place(name).map(|at| Overlap { pointer: at, of: at, bytes: margin * size }));
        }
        if run % 2 == 1 {
            let (name, of) = random.pick(&[("B", "A"), ("B", "A"), ("C", "A"), ("B", "C")]);
            let apart =
                random.pick(&[0, 0, 1, -1, 2, -2, length, -length, length + 1, length - 1, 1 - length, all / 2, all]);
            if let (Some(pointer), Some(of)) = (place(name), place(of)) {
                overlaps.push(Overlap { pointer, of, bytes: apart * size });
                words += &format!(", {name} = {} + {apart}", parameters[of].name.as_deref().unwrap_or("?"));
            }
        }
        let description = Description::of_arguments(arguments).only_for(parameters);
        Setup { description, overlaps, words }
    }

    fn sizes(&self, run: u64, random: &mut Random) -> [i64; 4] {
        let is_signed = !Nest::is_unsigned(self.index);
        let some = match run {
            0 => [5, 7, 6, 4],
            // Two that are negative make a product that is not.
            2 if is_signed => return [3, -5, -7, -9],
            // Nothing runs, but the others do not fit together.
            4 if is_signed => return [0, 65536, 65536, 65536],
            6 => [37, 33, 2, 2],
            _ => BOUNDS.map(|_| {
                let small =
                    [(2, 0), (3, 1), (4, 2), (4, 3), (4, 5), (4, 7), (2, 31), (2, 32), (3, 33), (2, 37), (1, 64)];
                if is_signed && random.chance(3) { -3 } else { random.weighted(&small) }
            }),
        };
        let mut sizes = some;
        let product = |sizes: &[i64; 4]| sizes[..self.depth].iter().map(|size| size.abs().max(1)).product::<i64>();
        let is_free = self.seed >= PRODUCTS && self.rows != Rows::Constant;
        let most = if is_free { 64 } else { Rows::constant(self.depth) - SPARE };
        while product(&sizes) > MAX_PRODUCT || sizes[..self.depth].iter().any(|&size| size > most) {
            let at = random.below(self.depth as u64) as usize;
            sizes[at] = sizes[at].min(random.between(2, 5));
        }
        // Rows that run into the next one, of the same iteration of the parallel loop.
        if run % 5 == 3 && self.rows == Rows::Constant && self.depth > 2 {
            sizes = sizes.map(|size| size.min(3));
            sizes[self.depth - 1] = Rows::constant(self.depth) + 4;
        }
        sizes
    }

    fn element_kind(&self) -> Element {
        match self.element {
            "float" => Element::F32,
            "double" => Element::F64,
            "unsigned long" => Element::I64,
            "unsigned short" => Element::I16,
            "unsigned char" => Element::I8,
            _ => Element::I32,
        }
    }
}

/// Lets the innermost of loops that lie in each other reach two arrays through pointers: of each iteration's own, as a condition or the iteration chooses,
/// or, where no `collapse` clause in the directive forbids statements around that loop, such that change places after each iteration.
fn through_pointers(node: &mut Node, element: &str, directive: &str, random: &mut Random) {
    let Node::Loop { body, .. } = node else { return };
    let is_loop = |node: &Node| matches!(node, Node::Loop { .. });
    if let [inner @ Node::Loop { .. }] = &mut body[..] {
        let Node::Loop { body: inside, .. } = &mut *inner else { return };
        if inside.iter().any(is_loop) || directive.contains("collapse") || random.chance(50) {
            through_pointers(inner, element, directive, random);
            return;
        }
        inside.iter_mut().for_each(rename);
        inside.push(Node::Statement(format!("{element} *kept = P; P = Q; Q = kept;")));
        let (p, q) = random.pick(&[("B", "A"), ("A", "B"), ("C", "B"), ("B", "C")]);
        body.insert(0, Node::Statement(format!("{element} *P = {p}, *Q = {q};")));
        return;
    }
    body.iter_mut().for_each(rename);
    let chosen = ["q > 1", "s & 1", "L[q] > 3", "(i & 1) == 0", "B > A"];
    let (first, second) = (random.pick(&chosen), random.pick(&chosen));
    let pointers = format!("{element} *P = {first} ? A : B, *Q = {second} ? C : A;");
    body.insert(0, Node::Statement(pointers));
}

/// Replaces two arrays by pointers.
fn rename(node: &mut Node) {
    node.reword(&|text| text.replace("B[", "P[").replace("C[", "Q["));
}

impl GeneratedNest for Nest {
    const TOGETHER: u64 = 25;

    fn from_seed(seed: u64) -> Nest {
        let random = Random::new(seed);
        if seed >= PRODUCTS { products::nest(seed, random) } else { Builder::nest(seed, random) }
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn text(&self) -> String {
        let Nest { index, element, directive, .. } = self;
        let name = self.name();
        let inline = if self.seed.is_multiple_of(3) { "__attribute__((noinline)) " } else { "inline " };
        let bounds: Vec<String> = BOUNDS.iter().chain(&["ld"]).map(|name| format!("{index} {name}")).collect();
        let arrays: Vec<String> = ARRAYS.iter().map(|name| format!("{element} *{name}")).collect();
        // What else reads and writes there would stand in the way of most updates of the table.
        let table = if (ATOMICS..POINTERS).contains(&self.seed) { "restrict " } else { "" };
        let mut text = format!(
            "static {inline}{element} help{}({element} x, int y) {{ return x * 3 + ({element})(y % 5); }}\n\
             static {inline}void bump{}({element} *at, {element} x) {{\n#pragma omp atomic\n  *at += x;\n}}\n\
             void {name}({}, int q, int s, int total, {}, int *{table}R, int *{table}L) {{\n  #pragma omp {directive}\n",
            self.seed,
            self.seed,
            bounds.join(", "),
            arrays.join(", ")
        );
        let mut body = self.body.clone();
        if (POINTERS..PRODUCTS).contains(&self.seed) {
            let mut random = Random::new(derive(self.seed, POINTERS));
            body.iter_mut().for_each(|node| through_pointers(node, element, directive, &mut random));
        }
        body.iter().for_each(|node| node.print(1, &mut text));
        text.push_str("}\n");
        text
    }

    fn smaller(&self) -> Vec<Nest> {
        let is_whole = |body: &Vec<Node>| matches!(&body[..], [Node::Loop { .. }]);
        smaller(&self.body).into_iter().filter(is_whole).map(|body| Nest { body, ..self.clone() }).collect()
    }

    /// They differ in their first words.
    fn kind(fault: &str) -> String {
        fault.split(':').next().unwrap_or_default().to_owned()
    }
}
