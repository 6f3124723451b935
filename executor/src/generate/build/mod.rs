//! Makes a random program. What it stores to is spread over the parallel iterations by injective indices, and what it reads stays
//! above index 0; the evaluator then sizes the arrays and refuses the rest.

mod expression;
mod index;
mod nest;
mod statement;

use super::syntax::*;
use crate::arguments::Fill;
use crate::random::Random;

/// How often the shapes of kernels occur, and how large they get.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most iterations of the parallel loops of one construct.
    pub iterations: u64,
    /// The most statements that one iteration is meant to run.
    pub work: u64,
    /// Percentage of functions with two regions.
    pub two_regions: u32,
    /// Weights of the shapes of regions.
    pub shapes: Vec<(u32, Shape)>,
}

/// Shapes of target regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `target teams distribute parallel for`, perhaps `simd`.
    Distributed,
    /// `target teams loop`.
    TeamsLoop,
    /// `target teams distribute` with `parallel for` inside.
    Generic,
    /// `target teams` with `distribute parallel for` inside, or `target` with the rest inside.
    Nested,
    /// `target parallel for`.
    OneTeam,
    /// `target` with several `parallel for`, one after the other.
    Phases,
    /// `target parallel` with several `for`, one after the other.
    SharedPhases,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            iterations: 3000,
            work: 400,
            two_regions: 6,
            shapes: vec![
                (56, Shape::Distributed),
                (10, Shape::TeamsLoop),
                (12, Shape::Generic),
                (6, Shape::Nested),
                (6, Shape::OneTeam),
                (6, Shape::Phases),
                (4, Shape::SharedPhases),
            ],
        }
    }
}

/// A random program of a seed, not yet known to be sound.
pub fn program(name: &str, seed: u64, options: &Options) -> Program {
    let mut builder = Builder::new(name, seed, options);
    let regions = if builder.random.chance(options.two_regions) { 2 } else { 1 };
    builder.several_regions = regions > 1;
    for _ in 0..regions {
        builder.region();
    }
    builder.program.geometry = builder.geometry();
    builder.program
}

/// An integer expression with bounds of its value.
#[derive(Debug, Clone)]
struct Ranged {
    expr: Expr,
    low: i64,
    high: i64,
}

/// A readable integer whose bounds are known.
#[derive(Debug, Clone, Copy)]
struct Known {
    var: VarId,
    low: i64,
    high: i64,
}

/// A loop whose iterations run in parallel.
#[derive(Debug, Clone, Copy)]
struct Parallel {
    known: Known,
    step: u64,
    /// Whether its bounds depend on another one's variable.
    triangular: bool,
}

/// Where the iterations of a construct may store.
#[derive(Debug, Clone)]
struct Target {
    var: VarId,
    part: Part,
    /// Elements that belong to one iteration.
    per: u64,
}

/// How an iteration's elements are found.
#[derive(Debug, Clone)]
enum Part {
    /// Element `base * per + offset`.
    Packed { base: Expr },
    /// Element `offset * bases + base`.
    Strided { base: Expr, bases: u64 },
    /// One index per dimension; the offset is one more dimension where there is one.
    Dims { index: Vec<Expr> },
    /// A structure; the offset is the field.
    Fields { base: Expr },
}

/// A private array with its extents.
#[derive(Debug, Clone)]
struct Private {
    var: VarId,
    dims: Vec<u64>,
}

/// What may leave the innermost loop early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exits {
    None,
    Continue,
    Break,
    Any,
}

struct Builder<'a> {
    random: Random,
    options: &'a Options,
    program: Program,
    /// Readable integers with bounds.
    known: Vec<Known>,
    /// Readable numbers without bounds that may also be assigned to.
    locals: Vec<VarId>,
    /// Private arrays.
    privates: Vec<Private>,
    /// Scalar parameters with bounds, in all regions.
    parameters: Vec<Known>,
    /// Scalar parameters for arithmetic.
    values: Vec<VarId>,
    /// Arrays that no region stores to.
    inputs: Vec<VarId>,
    /// Index arrays, with the first value that does not occur.
    tables: Vec<(VarId, u64)>,
    structure: Option<VarId>,
    /// Arrays that earlier phases have stored to: readable where the present one does not store to them.
    written: Vec<VarId>,
    /// All arrays that are stored to.
    outputs: Vec<VarId>,
    targets: Vec<Target>,
    /// Loops around whose iterations run in parallel.
    parallel: Vec<Parallel>,
    /// Arrays for atomic updates, with the operator.
    counters: Vec<(VarId, BinaryOp)>,
    /// What the present construct reduces.
    reduced: Vec<VarId>,
    names: u32,
    /// Statements that may still be made in this region.
    room: u32,
    teams: Option<u32>,
    thread_limit: Option<u32>,
    /// From which of the locals on assignments are private to the iteration.
    assignable: usize,
    exits: Exits,
    in_simd: bool,
    /// Whether iterations of `distribute` are being made.
    teams_around: bool,
    /// Whether a region needs one thread besides those that share the work.
    generic: bool,
    one_team: bool,
    several_regions: bool,
}

impl<'a> Builder<'a> {
    fn new(name: &str, seed: u64, options: &'a Options) -> Builder<'a> {
        let program = Program {
            name: name.to_owned(),
            variables: Vec::new(),
            helpers: Vec::new(),
            regions: Vec::new(),
            geometry: (1, 32),
        };
        Builder {
            random: Random::new(seed),
            options,
            program,
            known: Vec::new(),
            locals: Vec::new(),
            privates: Vec::new(),
            parameters: Vec::new(),
            values: Vec::new(),
            inputs: Vec::new(),
            tables: Vec::new(),
            structure: None,
            written: Vec::new(),
            outputs: Vec::new(),
            targets: Vec::new(),
            parallel: Vec::new(),
            counters: Vec::new(),
            reduced: Vec::new(),
            names: 0,
            room: 0,
            teams: None,
            thread_limit: None,
            assignable: 0,
            exits: Exits::None,
            in_simd: false,
            teams_around: false,
            generic: false,
            one_team: false,
            several_regions: false,
        }
    }

    fn add(&mut self, name: String, ty: Type, kind: Kind) -> VarId {
        self.program.variables.push(Variable { name, ty, kind });
        VarId(self.program.variables.len() as u32 - 1)
    }

    /// A name that is not taken.
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// A scalar parameter that holds `value`: an old one, or a new one.
    fn parameter(&mut self, value: i64) -> Known {
        let same: Vec<Known> = self.parameters.iter().copied().filter(|known| known.low == value).collect();
        if !same.is_empty() && self.random.chance(80) {
            return self.random.pick(&same);
        }
        let signed = value < 0 || self.random.chance(75);
        let ty = self.index_type(signed);
        self.new_parameter(ty, value)
    }

    fn new_parameter(&mut self, ty: Type, value: i64) -> Known {
        let name = match self.parameters.len() {
            count @ 0..4 => ["n", "m", "p", "q"][count].to_owned(),
            _ => self.name("n"),
        };
        let var = self.add(name, ty, Kind::Parameter(Number::Int(value)));
        let known = Known { var, low: value, high: value };
        self.parameters.push(known);
        known
    }

    /// A type for counting.
    fn index_type(&mut self, signed: bool) -> Type {
        if signed {
            self.random.weighted(&[(70, Type::I32), (25, Type::I64), (5, Type::I16)])
        } else {
            self.random.weighted(&[(50, Type::U32), (45, Type::U64), (5, Type::U16)])
        }
    }

    /// A type for numbers in arrays.
    fn element_type(&mut self) -> Type {
        self.random.weighted(&[
            (25, Type::F32),
            (15, Type::F64),
            (22, Type::I32),
            (10, Type::I64),
            (6, Type::U32),
            (4, Type::U64),
            (6, Type::I16),
            (4, Type::U16),
            (4, Type::I8),
            (6, Type::U8),
        ])
    }

    fn fill(&mut self, ty: Type) -> Fill {
        let below = self.random.pick(&[2, 5, 10, 10, 50, 100]);
        match self.random.below(10) {
            0 => Fill::Zero,
            9 => Fill::Modulo(below),
            1 | 2 => {
                Fill::Constant(self.random.between(if ty.is_signed() || ty.is_float() { -4 } else { 0 }, 9) as f64)
            }
            3 | 4 => Fill::Index,
            _ => Fill::Random { seed: self.random.below(1000), below },
        }
    }

    fn array(&mut self, stem: &str, ty: Type, layout: Layout, spare: u64, fill: Fill) -> VarId {
        let arrays = self.program.variables.iter().filter(|variable| matches!(variable.kind, Kind::Array(_))).count();
        let name = match (stem, arrays) {
            ("", 0..8) => ["A", "B", "C", "D", "E", "F", "G", "H"][arrays].to_owned(),
            _ => self.name(if stem.is_empty() { "A" } else { stem }),
        };
        let elements = self.random.pick(&[1, 1, 2, 3, 8]);
        let offset = if self.random.chance(25) { elements * ty.bytes() } else { 0 };
        self.add(name, ty, Kind::Array(Array { layout, count: 1, fill, offset, spare }))
    }

    /// How many elements an array has that are not used.
    fn spare(&mut self) -> u64 {
        self.random.weighted(&[(60, 0), (20, 1), (20, 7)])
    }

    /// Teams and threads. Where one thread of a team runs what is between parallel loops, it takes a warp of its own.
    fn geometry(&mut self) -> (u32, u32) {
        let teams = self.random.between(1, 5) as u32;
        let threads =
            self.random.weighted(&[(20, 32), (30, 64), (10, 96), (25, 128), (5, 33), (5, 50), (3, 100), (2, 1)]);
        let teams = if self.one_team { 1 } else { self.teams.unwrap_or(teams) };
        let threads = self.thread_limit.map_or(threads, |limit| threads.min(limit));
        (teams, if self.generic { threads.max(32) + 32 } else { threads })
    }

    /// Runs `make` and forgets what it declared.
    fn scoped<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let (known, locals, privates) = (self.known.len(), self.locals.len(), self.privates.len());
        let made = make(self);
        self.known.truncate(known);
        self.locals.truncate(locals);
        self.privates.truncate(privates);
        made
    }
}

fn int(value: i64) -> Expr {
    Expr::Int(value, Type::I32)
}

fn read(var: VarId) -> Expr {
    Expr::Read(Place::scalar(var))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

fn choose(condition: Expr, yes: Expr, no: Expr) -> Expr {
    Expr::Choose(Box::new(condition), Box::new(yes), Box::new(no))
}
