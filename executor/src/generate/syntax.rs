//! The generated function: one C function with one or two target regions, in the subset of C that the evaluator understands.

use crate::arguments::{Element, Fill};

/// Arithmetic types of C on a machine with 64-bit `long`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Type {
    /// How C writes it.
    pub fn name(self) -> &'static str {
        match self {
            Type::I8 => "signed char",
            Type::U8 => "unsigned char",
            Type::I16 => "short",
            Type::U16 => "unsigned short",
            Type::I32 => "int",
            Type::U32 => "unsigned",
            Type::I64 => "long",
            Type::U64 => "size_t",
            Type::F32 => "float",
            Type::F64 => "double",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    pub fn bytes(self) -> u64 {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    pub fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }

    /// The type of array elements as the description of arguments has it.
    pub fn element(self) -> Element {
        match self {
            Type::I8 | Type::U8 => Element::I8,
            Type::I16 | Type::U16 => Element::I16,
            Type::I32 | Type::U32 => Element::I32,
            Type::I64 | Type::U64 => Element::I64,
            Type::F32 => Element::F32,
            Type::F64 => Element::F64,
        }
    }

    /// The minimum and maximum value; for floats, the integers that are exact with all integers between.
    pub fn range(self) -> (i128, i128) {
        match self {
            Type::F32 => (-(1 << 24), 1 << 24),
            Type::F64 => (-(1 << 53), 1 << 53),
            _ if self.is_signed() => (-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1),
            _ => (0, (1 << self.bits()) - 1),
        }
    }

    /// C11 6.3.1.1: what arithmetic makes of a narrow integer.
    pub fn promoted(self) -> Type {
        match self {
            Type::I8 | Type::U8 | Type::I16 | Type::U16 => Type::I32,
            other => other,
        }
    }

    /// C11 6.3.1.8: the usual arithmetic conversions.
    pub fn common(self, other: Type) -> Type {
        let (a, b) = (self.promoted(), other.promoted());
        let rank = |ty| match ty {
            Type::F64 => 5,
            Type::F32 => 4,
            Type::U64 => 3,
            Type::I64 => 2,
            Type::U32 => 1,
            _ => 0,
        };
        if rank(a) >= rank(b) { a } else { b }
    }
}

/// A variable of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A helper function of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HelperId(pub u32);

/// A number as it is written in a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Int(i64),
    Float(f64),
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    pub kind: Kind,
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A local scalar, a loop's variable, or a helper's parameter.
    Scalar,
    /// A scalar parameter of the function.
    Parameter(Number),
    /// A pointer parameter of the function.
    Array(Array),
    /// A parameter of the function: a structure of so many numbers, by value.
    Structure { fields: u32, fill: Fill },
    /// An array declared inside of the region.
    Local { dims: Vec<u64> },
    /// A helper's pointer parameter.
    Pointer,
    /// A scalar of the function that a region adds up; also handed out at the end.
    Result { op: ReduceOp, start: i64 },
    /// A scalar inside of a region that an inner construct adds up.
    TeamResult { op: ReduceOp },
    /// A scalar of the function that is named in a `private` clause.
    Private,
}

/// An array in device memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub layout: Layout,
    /// How many elements, with fields: how many fields in all. The evaluator sets it.
    pub count: u64,
    pub fill: Fill,
    /// Bytes from a multiple of 256 to the first element.
    pub offset: u64,
    /// How many more rows there are than are used.
    pub spare: u64,
}

/// How an array's indices are written.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// `T *A`.
    Flat,
    /// `T (*A)[8][4]`: the inner extents, outermost first.
    Rows { inner: Vec<u64> },
    /// `T A[n][m]`, or `T (*A)[m]` where no outer extent is written.
    Variable { outer: Option<VarId>, inner: Vec<VarId> },
    /// `struct { T x, y, z; } *A`.
    Fields { fields: u32 },
}

/// A place in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub var: VarId,
    /// None for a scalar.
    pub index: Vec<Expr>,
    /// Which field of a structure.
    pub field: Option<u32>,
}

impl Place {
    pub fn scalar(var: VarId) -> Place {
        Place { var, index: Vec::new(), field: None }
    }
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Int(i64, Type),
    Float(f64, Type),
    Read(Place),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Type, Box<Expr>),
    Call(HelperId, Vec<CallArgument>),
}

/// What a helper is given.
#[derive(Debug, Clone, PartialEq)]
pub enum CallArgument {
    Value(Expr),
    Array(VarId),
}

/// Operators on one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Negate,
    Complement,
    Not,
}

/// Operators on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    LogicalAnd,
    LogicalOr,
}

impl BinaryOp {
    /// The token of C.
    pub fn token(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
        }
    }

    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        )
    }

    pub fn is_logical(self) -> bool {
        matches!(self, BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
    }

    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::ShiftLeft | BinaryOp::ShiftRight)
    }

    /// Whether the operands must be integers.
    pub fn is_bitwise(self) -> bool {
        self.is_shift() || matches!(self, BinaryOp::Remainder | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }
}

/// What a reduction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReduceOp {
    Add,
    Max,
    Min,
    And,
    Or,
    Xor,
}

impl ReduceOp {
    /// How the clause names it.
    pub fn name(self) -> &'static str {
        match self {
            ReduceOp::Add => "+",
            ReduceOp::Max => "max",
            ReduceOp::Min => "min",
            ReduceOp::And => "&",
            ReduceOp::Or => "|",
            ReduceOp::Xor => "^",
        }
    }
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// A local scalar with or without a first value, or a local array that is zeroed.
    Declare {
        var: VarId,
        value: Option<Expr>,
    },
    Assign {
        place: Place,
        op: Option<BinaryOp>,
        value: Expr,
    },
    Atomic {
        place: Place,
        op: BinaryOp,
        value: Expr,
    },
    /// Brings a value into the result of the enclosing reduction.
    Reduce {
        var: VarId,
        value: Expr,
    },
    If {
        condition: Expr,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    Switch {
        on: Expr,
        cases: Vec<(i64, Vec<Stmt>)>,
        other: Vec<Stmt>,
    },
    Loop(Loop),
    While {
        condition: Expr,
        body: Vec<Stmt>,
    },
    Continue,
    Break,
}

/// A counted loop, with or without a directive.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    pub directive: Option<Directive>,
    pub var: VarId,
    pub start: Expr,
    /// One of `<`, `<=`, `>`, `>=`, `!=`.
    pub test: BinaryOp,
    pub end: Expr,
    /// Not 0.
    pub step: i64,
    pub body: Vec<Stmt>,
}

/// A directive before a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive {
    pub construct: Construct,
    pub clauses: Vec<Clause>,
}

impl Directive {
    /// How many loops it takes.
    pub fn collapse(&self) -> usize {
        let collapse =
            |clause: &Clause| if let Clause::Collapse(loops) = clause { Some(*loops as usize) } else { None };
        self.clauses.iter().find_map(collapse).unwrap_or(1)
    }
}

/// Loop constructs, without the word `target`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Construct {
    TeamsDistributeParallelFor,
    TeamsDistributeParallelForSimd,
    TeamsDistribute,
    TeamsLoop,
    DistributeParallelFor,
    DistributeParallelForSimd,
    Distribute,
    ParallelFor,
    ParallelForSimd,
    ParallelLoop,
    For,
    Simd,
}

impl Construct {
    /// The words of the directive.
    pub fn words(self) -> &'static str {
        match self {
            Construct::TeamsDistributeParallelFor => "teams distribute parallel for",
            Construct::TeamsDistributeParallelForSimd => "teams distribute parallel for simd",
            Construct::TeamsDistribute => "teams distribute",
            Construct::TeamsLoop => "teams loop",
            Construct::DistributeParallelFor => "distribute parallel for",
            Construct::DistributeParallelForSimd => "distribute parallel for simd",
            Construct::Distribute => "distribute",
            Construct::ParallelFor => "parallel for",
            Construct::ParallelForSimd => "parallel for simd",
            Construct::ParallelLoop => "parallel loop",
            Construct::For => "for",
            Construct::Simd => "simd",
        }
    }

    /// Whether its iterations are shared out to the threads of a team.
    pub fn uses_threads(self) -> bool {
        !matches!(self, Construct::TeamsDistribute | Construct::Distribute | Construct::Simd)
    }

    /// Whether it starts teams.
    pub fn starts_teams(self) -> bool {
        self.words().starts_with("teams")
    }

    /// Whether it shares iterations out to teams.
    pub fn distributes(self) -> bool {
        self.words().contains("distribute") || self == Construct::TeamsLoop
    }
}

/// Clauses of directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clause {
    Collapse(u32),
    Schedule(Schedule, Option<u32>),
    DistSchedule(u32),
    NumTeams(u32),
    ThreadLimit(u32),
    NumThreads(u32),
    Reduction(VarId),
    Private(VarId),
}

/// How a loop's iterations are shared out to threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schedule {
    Static,
    Dynamic,
    Guided,
}

impl Schedule {
    /// How the clause names it.
    pub fn name(self) -> &'static str {
        match self {
            Schedule::Static => "static",
            Schedule::Dynamic => "dynamic",
            Schedule::Guided => "guided",
        }
    }
}

/// How a region begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Head {
    /// `target` and the loop's own directive on one line; the body is that loop.
    Combined,
    /// `target`.
    Target,
    /// `target teams`.
    TargetTeams,
    /// `target parallel`.
    TargetParallel,
}

/// One target region.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    pub head: Head,
    /// Of the head's directive, where it is not the loop's.
    pub clauses: Vec<Clause>,
    pub body: Vec<Stmt>,
}

/// A function that regions call.
#[derive(Debug, Clone, PartialEq)]
pub struct Helper {
    pub name: String,
    pub parameters: Vec<VarId>,
    pub result: Type,
    pub body: Vec<Stmt>,
    pub value: Expr,
    pub inlining: Inlining,
}

/// What is asked of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inlining {
    /// `static inline`.
    Wanted,
    /// Kept as a call.
    Never,
}

/// The whole function.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    pub name: String,
    pub variables: Vec<Variable>,
    pub helpers: Vec<Helper>,
    pub regions: Vec<Region>,
    /// Teams and threads to run it with.
    pub geometry: (u32, u32),
}

impl Program {
    pub fn variable(&self, var: VarId) -> &Variable {
        &self.variables[var.0 as usize]
    }

    pub fn variable_mut(&mut self, var: VarId) -> &mut Variable {
        &mut self.variables[var.0 as usize]
    }

    /// All variables in the order of their ids.
    pub fn ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len() as u32).map(VarId)
    }

    /// Whether one thread of a team runs what is between parallel loops: it takes a warp of its own.
    pub fn has_leading_threads(&self) -> bool {
        self.regions.iter().any(|region| {
            let parallel = |stmt: &Stmt| match stmt {
                Stmt::Loop(Loop { directive: Some(directive), .. }) => directive.construct.uses_threads(),
                _ => false,
            };
            let teams = |stmt: &Stmt| match stmt {
                Stmt::Loop(Loop { directive: Some(directive), .. }) => directive.construct.starts_teams(),
                _ => false,
            };
            let alone = match region.head {
                Head::Target => region.body.iter().all(teams),
                Head::Combined | Head::TargetTeams | Head::TargetParallel => true,
            };
            !alone || !region.body.iter().all(parallel)
        })
    }

    /// The static type of an expression.
    pub fn type_of(&self, expr: &Expr) -> Type {
        match expr {
            Expr::Int(_, ty) | Expr::Float(_, ty) | Expr::Cast(ty, _) => *ty,
            Expr::Read(place) => self.variable(place.var).ty,
            Expr::Unary(UnaryOp::Not, _) => Type::I32,
            Expr::Unary(_, of) => self.type_of(of).promoted(),
            Expr::Binary(op, ..) if op.is_comparison() || op.is_logical() => Type::I32,
            Expr::Binary(op, left, _) if op.is_shift() => self.type_of(left).promoted(),
            Expr::Binary(_, left, right) => self.type_of(left).common(self.type_of(right)),
            Expr::Choose(_, yes, no) => self.type_of(yes).common(self.type_of(no)),
            Expr::Call(helper, _) => self.helpers[helper.0 as usize].result,
        }
    }
}
