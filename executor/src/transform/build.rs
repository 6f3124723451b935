//! Makes the text of a nest. The outermost loop is parallel, and what an iteration of it stores to is mostly its own; what the loops inside
//! carry is whatever comes up.

use crate::random::Random;
use crate::source_text::Node;

/// The variables of the loops, outermost first, and their bounds.
pub(super) const VARIABLES: [&str; 4] = ["i", "j", "k", "l"];
pub(super) const BOUNDS: [&str; 4] = ["n", "m", "p", "r"];
/// Nests of seeds from here on make atomic updates.
pub const ATOMICS: u64 = 1 << 40;
/// Nests of seeds from here on reach arrays through pointers that are chosen, or change places.
pub const POINTERS: u64 = 1 << 41;
/// Nests of seeds from here on are products, of whose results a thread may take several in lockstep.
pub const PRODUCTS: u64 = 1 << 42;

/// How long the rows of a nest's arrays are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// As a constant says.
    Constant,
    /// As the bound of the loop that goes along them.
    Bounds,
    /// As a parameter says.
    Length,
}

impl Rows {
    /// The constant, for so many dimensions.
    pub(super) fn constant(depth: usize) -> i64 {
        [72, 72, 72, 41, 15][depth]
    }

    /// The length of the rows along which the loop at a level goes.
    pub(super) fn text(self, depth: usize, level: usize) -> String {
        match self {
            Rows::Constant => Rows::constant(depth).to_string(),
            Rows::Bounds => BOUNDS[level].into(),
            Rows::Length => "ld".into(),
        }
    }
}

/// A generated function.
#[derive(Debug, Clone)]
pub(super) struct Nest {
    pub seed: u64,
    /// The type of the loops' variables and bounds.
    pub index: &'static str,
    /// The type of the elements.
    pub element: &'static str,
    pub directive: String,
    pub depth: usize,
    pub rows: Rows,
    pub body: Vec<Node>,
}

/// What a nest is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Elements that are computed one by one.
    Elements,
    /// Sums over the innermost loop.
    Contraction,
    /// One loop goes along a row, the others lie beside.
    Sweep,
    /// Anything.
    Wild,
    /// Atomic updates, of places of one iteration of the outermost loop and of places where several meet.
    Updates,
}

/// A number that statements may read, and whether they may change it.
#[derive(Debug, Clone)]
struct Scalar {
    name: String,
    level: usize,
    is_sum: bool,
}

pub(super) struct Builder {
    random: Random,
    seed: u64,
    depth: usize,
    index: &'static str,
    element: &'static str,
    shape: Shape,
    scalars: Vec<Scalar>,
    locals: Vec<String>,
    names: u32,
    has_total: bool,
    has_copies: bool,
    /// How many of the outermost loops are parallel.
    parallel: usize,
    rows: Rows,
    /// The loops by whose variables an element of `B` was read last.
    read: Vec<usize>,
}

impl Builder {
    pub(super) fn nest(seed: u64, mut random: Random) -> Nest {
        let shapes = &[(64, Shape::Elements), (16, Shape::Contraction), (7, Shape::Sweep), (13, Shape::Wild)];
        let shape = if (ATOMICS..POINTERS).contains(&seed) { Shape::Updates } else { random.weighted(shapes) };
        let depth = random.weighted(&[(45, 2), (42, 3), (13, 4)]);
        let depth = if matches!(shape, Shape::Contraction | Shape::Sweep) { depth.max(3) } else { depth };
        let index = random.weighted(&[(77, "int"), (4, "long"), (8, "unsigned"), (6, "size_t"), (5, "short")]);
        let element = random.weighted(&[
            (40, "float"),
            (22, "double"),
            (22, "unsigned"),
            (6, "unsigned long"),
            (5, "unsigned short"),
            (5, "unsigned char"),
        ]);
        let rows = random.weighted(&[(42, Rows::Constant), (52, Rows::Bounds), (6, Rows::Length)]);
        let mut builder = Builder {
            random,
            rows,
            read: Vec::new(),
            seed,
            depth,
            index,
            element,
            shape,
            scalars: Vec::new(),
            locals: Vec::new(),
            names: 0,
            has_total: false,
            has_copies: false,
            parallel: 1,
        };
        let (directive, inner) = builder.directive();
        let body = vec![builder.level(0, inner)];
        Nest { seed, index, element, directive, depth, rows, body }
    }

    /// The region's directive, and one for the loop inside.
    fn directive(&mut self) -> (String, Option<&'static str>) {
        let combined = "target teams distribute parallel for";
        // Into memory: each thread has copies of the array's elements.
        if self.shape == Shape::Updates && self.random.chance(6) {
            self.has_copies = true;
            return (format!("{combined} reduction(+ : R[0:16])"), None);
        }
        let is_perfect = self.shape == Shape::Elements;
        match self.random.below(100) {
            0..4 => (format!("{combined} simd"), None),
            4..8 => ("target teams loop".into(), None),
            8..14 if is_perfect && self.depth > 2 => {
                self.parallel = 2;
                (format!("{combined} collapse(2)"), None)
            }
            14..16 => (format!("{combined} schedule(static, 1)"), None),
            16..18 => ("target parallel for".into(), None),
            18..22 => {
                self.parallel = 2;
                ("target teams distribute".into(), Some("parallel for"))
            }
            22..24 => {
                self.has_total = true;
                (format!("{combined} reduction(+ : total) map(tofrom : total)"), None)
            }
            _ => (combined.into(), None),
        }
    }

    fn level(&mut self, level: usize, inner: Option<&'static str>) -> Node {
        let head = self.head(level);
        let (scalars, locals) = (self.scalars.len(), self.locals.len());
        let mut body = Vec::new();
        if level + 1 == self.depth {
            body = self.innermost();
        } else {
            let is_wild = match self.shape {
                _ if inner.is_none() && level + 1 < self.parallel => false,
                Shape::Wild => self.random.chance(60),
                Shape::Contraction => false,
                _ => self.random.chance(5),
            };
            let sums = self.shape == Shape::Contraction && level + 2 == self.depth && self.random.chance(60);
            let before = if is_wild { self.random.below(3) } else { 0 };
            for _ in 0..before {
                let statement = self.between(level, Side::Before);
                body.push(statement);
            }
            if sums {
                let name = self.sum(level);
                body.push(Node::Statement(format!("{} {name} = 0;", self.element)));
            } else if self.shape == Shape::Contraction && level + 2 == self.depth && self.random.chance(50) {
                let place = self.own(level, 0);
                body.push(Node::Statement(format!("{place} *= 2;")));
            }
            if let Some(directive) = inner.filter(|_| level == 0) {
                body.push(Node::Statement(format!("#pragma omp {directive}")));
            }
            let inside = self.level(level + 1, None);
            body.push(inside);
            if sums {
                let place = self.own(level, 0);
                let sum = self.scalars[self.scalars.len() - 1].name.clone();
                body.push(Node::Statement(format!("{place} = {sum};")));
            }
            let behind = if is_wild { self.random.below(2) } else { 0 };
            for _ in 0..behind {
                let statement = self.between(level, Side::Behind);
                body.push(statement);
            }
        }
        self.scalars.truncate(scalars);
        self.locals.truncate(locals);
        Node::Loop { head, body }
    }

    fn head(&mut self, level: usize) -> String {
        let (v, bound, ty) = (VARIABLES[level], BOUNDS[level], self.index);
        let unsigned = Nest::is_unsigned(ty);
        let less = |by: i64| if unsigned { format!("{v} + {by} < {bound}") } else { format!("{v} < {bound} - {by}") };
        let plain = format!("for ({ty} {v} = 0; {v} < {bound}; ++{v})");
        let odd = if self.shape == Shape::Wild { 35 } else { 7 };
        if level > 0 && level < self.parallel || !self.random.chance(odd) {
            return plain;
        }
        let outer = VARIABLES[self.random.below(level.max(1) as u64) as usize];
        let canonical = level == 0;
        match self.random.below(if canonical { 6 } else { 15 }) {
            0 => format!("for ({ty} {v} = 1; {v} < {bound}; ++{v})"),
            1 => format!("for ({ty} {v} = 0; {v} < {bound}; {v} += 2)"),
            2 if !unsigned => format!("for ({ty} {v} = {bound} - 1; {v} >= 0; --{v})"),
            3 => format!("for ({ty} {v} = 0; {v} <= {bound}; ++{v})"),
            4 => format!("for ({ty} {v} = 0; {v} < {bound}; {v} += s)"),
            5 if canonical => format!("for ({ty} {v} = 0; {v} < 5; ++{v})"),
            5 => format!("for ({ty} {v} = q; {}; ++{v})", less(1)),
            6 => format!("for ({ty} {v} = 0; {v} != {bound}; ++{v})"),
            7 => format!("for ({ty} {v} = {bound}; {v}-- > 0;)"),
            8 | 9 => format!("for ({ty} {v} = 0; {v} <= {outer}; ++{v})"),
            10 => format!("for ({ty} {v} = {outer}; {v} < {bound}; ++{v})"),
            11 => format!("for ({ty} {v} = 0; {v} < {bound}; {v} += {outer} + 1)"),
            12 => format!("for ({ty} {v} = 0; {v} < L[{outer} & 7]; ++{v})"),
            13 => format!("for (int {v} = 0; {v} < {bound}; ++{v})"),
            // Lengths that change with the outer iteration, but not evenly.
            14 => match self.random.below(4) {
                0 => format!("for ({ty} {v} = ({outer} + q) % 2; {v} < {bound}; {v} += 2)"),
                1 if !unsigned => format!("for ({ty} {v} = {bound} - 1 - ({outer} & 3); {v} >= 0; {v} -= 4)"),
                2 => format!("for ({ty} {v} = 0; {v} <= {outer} / 2; ++{v})"),
                _ => format!("for ({ty} {v} = {outer} % 3; {v} <= {bound}; {v} += 3)"),
            },
            _ => plain,
        }
    }

    fn innermost(&mut self) -> Vec<Node> {
        let last = self.depth - 1;
        let mut body = Vec::new();
        if self.random.chance(10) {
            let value = self.value(last);
            let name = self.temporary(last);
            body.push(Node::Statement(format!("{} {name} = {value};", self.element)));
        }
        match self.shape {
            Shape::Contraction => {
                let sum = self.scalars.iter().rev().find(|scalar| scalar.is_sum).map(|scalar| scalar.name.clone());
                let place = sum.unwrap_or_else(|| self.own(last - 1, 0));
                let value = format!("{} * {}", self.read_of_b(last), self.read_of_b(last));
                body.push(Node::Statement(format!("{place} += {value};")));
            }
            Shape::Sweep => {
                let along = self.random.between(1, last as i64) as usize;
                let by = self.random.pick(&[1, 1, 2]);
                let mut shifts = vec![0; self.depth];
                let to = self.subscript(&(0..self.depth).collect::<Vec<_>>(), &shifts);
                shifts[along] = -by;
                // Sometimes it comes from beside, which forbids what looks allowed.
                if self.random.chance(30) {
                    let beside = self.random.between(1, last as i64) as usize;
                    shifts[beside] += self.random.pick(&[1, -1]);
                }
                let from = self.subscript(&(0..self.depth).collect::<Vec<_>>(), &shifts);
                let value = self.value(last);
                body.push(Node::Statement(format!("A[{to}] = A[{from}] + {value};")));
            }
            Shape::Updates => {
                if self.random.chance(30) {
                    let statement = self.store(last);
                    body.push(statement);
                }
                for _ in 0..self.random.weighted(&[(70, 1), (25, 2), (5, 3)]) {
                    let statement = self.update(last);
                    body.push(statement);
                }
            }
            Shape::Elements | Shape::Wild => {
                for _ in 0..self.random.weighted(&[(80, 1), (20, 2)]) {
                    let statement = self.store(last);
                    body.push(statement);
                }
            }
        }
        let extras = match self.shape {
            Shape::Wild => 55,
            // They store to where updates are made.
            Shape::Updates => 0,
            _ => 6,
        };
        if self.random.chance(extras) {
            self.extra(last, &mut body);
        }
        if self.has_total && self.random.chance(80) {
            body.push(Node::Statement(format!("total += (int)({} + {});", VARIABLES[last], VARIABLES[0])));
        }
        body
    }

    fn store(&mut self, level: usize) -> Node {
        let carried = if self.shape == Shape::Wild { 45 } else { 5 };
        let shift = i64::from(self.random.chance(carried));
        let place = self.own(level, shift);
        let mut value = self.value(level);
        if self.random.chance(carried) {
            value = format!("{} + {value}", self.own(level, 2));
        }
        let op = self.random.weighted(&[(65, "="), (25, "+="), (10, "-=")]);
        let text = Node::Statement(format!("{place} {op} {value};"));
        if self.random.chance(10) {
            let condition = self.condition(level);
            return Node::when(condition, vec![text]);
        }
        text
    }

    /// An atomic update, or another atomic access.
    fn update(&mut self, level: usize) -> Node {
        if self.has_copies && self.random.chance(50) {
            return Node::Statement(format!("R[{} & 15] += (int)({});", VARIABLES[level], VARIABLES[0]));
        }
        // Where several threads meet, floats would depend on the order as written, and could not be compared.
        if self.random.chance(30) && !self.has_copies {
            let (one, last) = (VARIABLES[0], VARIABLES[level]);
            let at = match self.random.below(4) {
                0 => format!("({one} * 3 + {last}) & 15"),
                1 => "0".into(),
                2 => format!("L[{last} & 7]"),
                _ => format!("L[{one} & 7] + ({last} & 1)"),
            };
            // One operation alone at all places of the table, so that the result is one.
            let operation = ["+=", "-=", "|=", "&=", "^="][self.seed as usize % 5];
            return Node::Statement(format!(
                "#pragma omp atomic\n      R[{at}] {operation} (int)({one} + 2 * {last});"
            ));
        }
        let mut which: Vec<usize> = (1..=level).filter(|_| self.random.chance(45)).collect();
        which.insert(0, 0);
        let mut shifts = vec![0; which.len()];
        if which.len() > 1 && self.random.chance(20) {
            let at = self.random.between(1, which.len() as i64 - 1) as usize;
            shifts[at] = self.random.between(-1, 1);
        }
        let place = match self.random.below(20) {
            // Which places these are is not known, and they may be one another's.
            0 => format!("C[L[{} & 7] * {} + {}]", VARIABLES[0], self.rows.text(self.depth, level), VARIABLES[0]),
            _ => format!("C[{}]", self.subscript(&which, &shifts)),
        };
        let is_float = matches!(self.element, "float" | "double");
        // Sums of small whole numbers would be exact.
        let factor = if is_float { format!(" * ({})1.7", self.element) } else { String::new() };
        let value = format!("({}){factor}", self.value(level));
        let atomic = "#pragma omp atomic";
        let small = self.element.starts_with("unsigned ") && self.element != "unsigned long";
        let text = match self.random.below(100) {
            0..35 => format!("{atomic}\n      {place} += {value};"),
            35..45 => format!("{atomic}\n      {place} -= {value};"),
            45..55 if !is_float => {
                let operation = self.random.pick(&["|=", "&=", "^="]);
                format!("{atomic}\n      {place} {operation} {value};")
            }
            55..70 if !small => {
                let sign = self.random.pick(&["<", ">"]);
                let new = format!("new{}", self.names);
                self.names += 1;
                format!(
                    "{} {new} = {value};\n{atomic} compare\n      if ({new} {sign} {place}) {{ {place} = {new}; }}",
                    self.element
                )
            }
            70..75 => format!("{atomic}\n      {place} *= {value};"),
            75..80 => format!("{atomic} write\n      {place} = {value};"),
            80..85 => {
                let own = self.own(level, 0);
                let old = format!("old{}", self.names);
                self.names += 1;
                format!(
                    "{} {old};\n{atomic} capture\n      {{ {old} = {place}; {place} += {value}; }}\n      {own} = {old};",
                    self.element
                )
            }
            _ => format!("bump{}(&{place}, {value});", self.seed),
        };
        Node::Statement(text)
    }

    /// Something besides what the nest is about.
    fn extra(&mut self, level: usize, body: &mut Vec<Node>) {
        let variable = VARIABLES[level];
        let node = match self.random.below(9) {
            0 => {
                Node::Statement(format!("#pragma omp atomic\n      R[({} * 3 + {variable}) & 15] += 1;", VARIABLES[0]))
            }
            1 => {
                // A parallel loop cannot be left.
                let words: &[&str] = if level < self.parallel { &["continue"] } else { &["break", "continue"] };
                let (condition, word) = (self.condition(level), self.random.pick(words));
                let at = self.random.below(body.len() as u64 + 1) as usize;
                body.insert(at, Node::when(condition, vec![Node::statement(format!("{word};"))]));
                return;
            }
            2 | 3 => match self.scalars.iter().rev().find(|scalar| scalar.is_sum).cloned() {
                Some(sum) => {
                    let value = self.value(level);
                    Node::Statement(format!("{} += {value};", sum.name))
                }
                None => self.store(level),
            },
            4 => match self.locals.last().cloned() {
                Some(local) => {
                    let value = self.value(level);
                    Node::Statement(format!("{local}[{variable} & 3] = {local}[({variable} + 1) & 3] + {value};"))
                }
                None => self.store(level),
            },
            // A dependence with fewer levels than the nest.
            5 | 6 => {
                let which = self.random.between(1, level as i64) as usize;
                let place = self.subscript(&[0, which], &[0, 0]);
                let value = self.value(level);
                Node::Statement(format!("C[{place}] = {value};"))
            }
            7 => {
                let place = self.subscript(&[0, level], &[0, 0]);
                let from = self.subscript(&[0, level], &[0, -1]);
                let value = self.value(level);
                Node::Statement(format!("C[{place}] = C[{from}] + {value};"))
            }
            _ => {
                let (place, value) = (self.own(level, 2), self.value(level));
                Node::Statement(format!("C[{}] = {place} + {value};", VARIABLES[0]))
            }
        };
        body.push(node);
    }

    /// A statement between two loops.
    fn between(&mut self, level: usize, side: Side) -> Node {
        match self.random.below(if side == Side::Before { 10 } else { 5 }) {
            0 | 1 => {
                let subscripts: Vec<usize> = (0..=level).collect();
                let place = self.subscript(&subscripts, &vec![0; level + 1]);
                let value = self.value(level);
                Node::Statement(format!("C[{place}] = {value};"))
            }
            // The loop inside comes to the same place.
            2 => {
                let place = self.own(level, 0);
                let value = self.value(level);
                Node::Statement(format!(
                    "{} = {value};",
                    place
                        .replace(']', &format!(") * {} + 1]", self.rows.text(self.depth, level + 1)))
                        .replacen('[', "[(", 1)
                ))
            }
            3 => match self.scalars.iter().rev().find(|scalar| scalar.is_sum).cloned() {
                Some(sum) if side == Side::Behind => {
                    let place = self.own(level, 0);
                    Node::Statement(format!("{place} = {};", sum.name))
                }
                Some(sum) => {
                    let value = self.value(level);
                    Node::Statement(format!("{} += {value};", sum.name))
                }
                None => self.store(level),
            },
            4 => Node::Statement(format!("C[{}] += 1;", VARIABLES[0])),
            5 | 6 => {
                let value = self.value(level);
                let name = self.temporary(level);
                Node::Statement(format!("{} {name} = {value};", self.element))
            }
            7 => {
                let name = self.sum(level);
                Node::Statement(format!("{} {name} = 0;", self.element))
            }
            8 => {
                let condition = self.condition(level);
                Node::when(condition, vec![Node::statement("continue;")])
            }
            _ => {
                self.names += 1;
                let name = format!("loc{}", self.names);
                self.locals.push(name.clone());
                Node::Statement(format!("{} {name}[4] = {{1, 2, 3, 4}};", self.element))
            }
        }
    }

    fn temporary(&mut self, level: usize) -> String {
        self.names += 1;
        let name = format!("t{}", self.names);
        self.scalars.push(Scalar { name: name.clone(), level, is_sum: false });
        name
    }

    fn sum(&mut self, level: usize) -> String {
        self.names += 1;
        let name = format!("sum{}", self.names);
        self.scalars.push(Scalar { name: name.clone(), level, is_sum: true });
        name
    }

    /// An element of `A` that mostly belongs to the iteration, shifted by no more than `most`.
    fn own(&mut self, level: usize, most: i64) -> String {
        let mut which: Vec<usize> = (0..=level).collect();
        if level > 1 && self.shape == Shape::Wild {
            match self.random.below(10) {
                0 | 1 => which.swap(1, level),
                2 => {
                    let at = self.random.between(1, level as i64) as usize;
                    which.remove(at);
                }
                _ => {}
            }
        } else if level > 1 && self.random.chance(8) {
            which.swap(1, level);
        } else if level > 0 && self.random.chance(4) {
            which.swap(0, level);
        }
        let shifts: Vec<i64> = which
            .iter()
            .enumerate()
            .map(|(at, _)| if at == 0 { 0 } else { self.random.between(-most, most) })
            .collect();
        format!("A[{}]", self.subscript(&which, &shifts))
    }

    /// Row-major, over the variables of these loops.
    fn subscript(&self, which: &[usize], shifts: &[i64]) -> String {
        // What is unsigned must not fall below zero.
        let bias = if Nest::is_unsigned(self.index) { 2 } else { 0 };
        let mut text = VARIABLES[which[0]].to_owned();
        for (&at, &shift) in which.iter().zip(shifts).skip(1) {
            let shift = match shift + bias {
                0 => String::new(),
                shift if shift > 0 => format!(" + {shift}"),
                shift => format!(" - {}", -shift),
            };
            let row = if text.contains(' ') { format!("({text})") } else { text };
            text = format!("{row} * {} + {}{shift}", self.rows.text(self.depth, at), VARIABLES[at]);
        }
        text
    }

    fn read_of_b(&mut self, level: usize) -> String {
        let mut which: Vec<usize> = (0..=level).collect();
        self.random.shuffle(&mut which);
        which.truncate(self.random.between(1, (level as i64 + 1).min(3)) as usize);
        // As the loops go, more often than not.
        if self.random.chance(65) {
            which.sort_unstable();
        }
        // Mostly one array is used in one way.
        if !self.read.is_empty() && self.read.iter().all(|&at| at <= level) && self.random.chance(96) {
            which.clone_from(&self.read);
        }
        self.read.clone_from(&which);
        if self.random.chance(2) {
            let row = self.rows.text(self.depth, level);
            return format!("B[L[{} & 7] * {row} + {}]", VARIABLES[which[0]], VARIABLES[level]);
        }
        let shifts: Vec<i64> =
            which.iter().map(|_| if self.random.chance(20) { self.random.between(-1, 1) } else { 0 }).collect();
        format!("B[{}]", self.subscript(&which, &shifts))
    }

    fn value(&mut self, level: usize) -> String {
        let terms = self.random.weighted(&[(45, 1), (40, 2), (15, 3)]);
        let mut text = String::new();
        for number in 0..terms {
            if number > 0 {
                text += self.random.pick(&[" + ", " - ", " * "]);
            }
            let term = self.term(level);
            text += &term;
        }
        text
    }

    fn term(&mut self, level: usize) -> String {
        match self.random.below(100) {
            0..62 => self.read_of_b(level),
            62..70 => self.random.between(1, 9).to_string(),
            70..80 => {
                let one = VARIABLES[self.random.below(level as u64 + 1) as usize];
                format!("({})({one} + {})", self.element, VARIABLES[level])
            }
            80..85 => {
                let read = self.read_of_b(level);
                format!("help{}({read}, (int){})", self.seed, VARIABLES[level])
            }
            _ => match (self.scalars.last().cloned(), self.locals.last().cloned()) {
                (Some(scalar), _) if scalar.level <= level => scalar.name,
                (_, Some(local)) => format!("{local}[{} & 3]", VARIABLES[level]),
                _ => self.read_of_b(level),
            },
        }
    }

    fn condition(&mut self, level: usize) -> String {
        let (one, last) = (VARIABLES[self.random.below(level as u64 + 1) as usize], VARIABLES[level]);
        match self.random.below(5) {
            0 => format!("{} > {}", self.read_of_b(level), self.random.between(20, 80)),
            1 => format!("({one} + {last}) % 3 != 0"),
            2 => format!("{last} < q + 2"),
            3 => format!("L[{one} & 7] > 2"),
            _ => format!("{one} > {}", self.random.between(0, 4)),
        }
    }
}

/// Before a loop or behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
}
