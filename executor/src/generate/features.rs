//! What occurs in a program, by name: to see that the generator covers what it should.

use std::collections::BTreeSet;

use super::syntax::*;
use super::visit::{self, Mentions};

/// Names of what occurs in a program.
pub type Features = BTreeSet<&'static str>;

/// All names that [`of`] gives.
pub const ALL: &[&str] = &[
    "two regions",
    "target teams distribute parallel for",
    "target teams distribute parallel for simd",
    "target teams distribute",
    "target teams loop",
    "target parallel for",
    "target parallel for simd",
    "target parallel loop",
    "target with parallel for",
    "target with two parallel for",
    "target with teams",
    "target teams with distribute parallel for",
    "target teams with distribute",
    "target parallel with for",
    "parallel for in distribute",
    "parallel for simd in distribute",
    "simd inside",
    "collapse(2)",
    "collapse(3)",
    "triangular collapse",
    "schedule(static)",
    "schedule(static, k)",
    "schedule(dynamic)",
    "schedule(dynamic, k)",
    "schedule(guided)",
    "dist_schedule",
    "num_teams",
    "thread_limit",
    "num_threads",
    "private",
    "reduction(+)",
    "reduction(max)",
    "reduction(min)",
    "reduction(&)",
    "reduction(|)",
    "reduction(^)",
    "reduction in a team",
    "loops 1 deep",
    "loops 2 deep",
    "loops 3 deep",
    "loops 4 deep",
    "imperfect nest",
    "triangular loop",
    "loop starts at an outer variable",
    "loop bound from memory",
    "step above 1",
    "downward loop",
    "test <",
    "test <=",
    "test >",
    "test >=",
    "test !=",
    "int loop",
    "long loop",
    "unsigned loop",
    "size_t loop",
    "short loop",
    "unsigned short loop",
    "constant bound",
    "symbolic bound",
    "no iteration",
    "more than 1000 iterations",
    "symbolic coefficient",
    "reversed index",
    "index with %",
    "index with /",
    "index with &",
    "index with shift",
    "index with ^",
    "index with a condition",
    "index from memory",
    "index from memory by an index from memory",
    "index from a local",
    "rows of two dimensions",
    "rows of three dimensions",
    "rows of variable length",
    "rows of variable length without an outer extent",
    "array of structures",
    "private array",
    "team array",
    "accumulator",
    "if",
    "else",
    "nested if",
    "data-dependent if",
    "switch",
    "continue in a parallel loop",
    "continue in a sequential loop",
    "break",
    "while",
    "greater or lesser one",
    "atomic update",
    "atomic update of floats",
    "update in place",
    "inline helper",
    "called helper",
    "helper with a pointer",
    "structure parameter",
    "char array",
    "short array",
    "int array",
    "long array",
    "unsigned array",
    "float array",
    "double array",
    "int parameter",
    "long parameter",
    "unsigned parameter",
    "short parameter",
    "char parameter",
    "float parameter",
    "double parameter",
    "misaligned array",
];

/// What occurs in a program with so many parallel iterations.
pub fn of(program: &Program, iterations: u64) -> Features {
    let mut finder = Finder { program, found: Features::new(), loops: Vec::new(), shared: 0 };
    if program.regions.len() > 1 {
        finder.note("two regions");
    }
    for region in &program.regions {
        finder.region(region);
    }
    finder.variables();
    match iterations {
        0 => finder.note("no iteration"),
        1001.. => finder.note("more than 1000 iterations"),
        _ => {}
    }
    finder.found
}

struct Finder<'a> {
    program: &'a Program,
    found: Features,
    /// Variables of the loops around.
    loops: Vec<VarId>,
    /// How many of those loops belong to directives.
    shared: usize,
}

impl Finder<'_> {
    fn note(&mut self, name: &'static str) {
        debug_assert!(ALL.contains(&name), "{name} is missing from the list");
        self.found.insert(name);
    }

    fn region(&mut self, region: &Region) {
        let constructs: Vec<Construct> = region.body.iter().filter_map(construct).collect();
        let first = constructs.first().copied();
        match (region.head, first) {
            (Head::Combined, Some(construct)) => self.note(match construct {
                Construct::TeamsDistributeParallelFor => "target teams distribute parallel for",
                Construct::TeamsDistributeParallelForSimd => "target teams distribute parallel for simd",
                Construct::TeamsDistribute => "target teams distribute",
                Construct::TeamsLoop => "target teams loop",
                Construct::ParallelForSimd => "target parallel for simd",
                Construct::ParallelLoop => "target parallel loop",
                _ => "target parallel for",
            }),
            (Head::Target, Some(construct)) if construct.starts_teams() => self.note("target with teams"),
            (Head::Target, _) if constructs.len() > 1 => self.note("target with two parallel for"),
            (Head::Target, _) => self.note("target with parallel for"),
            (Head::TargetTeams, Some(Construct::Distribute)) => self.note("target teams with distribute"),
            (Head::TargetTeams, _) => self.note("target teams with distribute parallel for"),
            (Head::TargetParallel | Head::Combined, _) => self.note("target parallel with for"),
        }
        self.clauses(&region.clauses);
        self.block(&region.body);
    }

    fn clauses(&mut self, clauses: &[Clause]) {
        for clause in clauses {
            match *clause {
                Clause::Collapse(2) => self.note("collapse(2)"),
                Clause::Collapse(_) => self.note("collapse(3)"),
                Clause::Schedule(Schedule::Static, None) => self.note("schedule(static)"),
                Clause::Schedule(Schedule::Static, Some(_)) => self.note("schedule(static, k)"),
                Clause::Schedule(Schedule::Dynamic, None) => self.note("schedule(dynamic)"),
                Clause::Schedule(Schedule::Dynamic, Some(_)) => self.note("schedule(dynamic, k)"),
                Clause::Schedule(Schedule::Guided, _) => self.note("schedule(guided)"),
                Clause::DistSchedule(_) => self.note("dist_schedule"),
                Clause::NumTeams(_) => self.note("num_teams"),
                Clause::ThreadLimit(_) => self.note("thread_limit"),
                Clause::NumThreads(_) => self.note("num_threads"),
                Clause::Private(_) => self.note("private"),
                Clause::Reduction(var) => match self.program.variable(var).kind {
                    Kind::Result { op, .. } => self.note(match op {
                        ReduceOp::Add => "reduction(+)",
                        ReduceOp::Max => "reduction(max)",
                        ReduceOp::Min => "reduction(min)",
                        ReduceOp::And => "reduction(&)",
                        ReduceOp::Or => "reduction(|)",
                        ReduceOp::Xor => "reduction(^)",
                    }),
                    _ => self.note("reduction in a team"),
                },
            }
        }
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statement(stmt, body.len());
        }
    }

    fn statement(&mut self, stmt: &Stmt, siblings: usize) {
        for expr in visit::own_expressions(stmt) {
            self.expressions(expr);
        }
        match stmt {
            Stmt::Declare { var, .. } => {
                if let Kind::Local { .. } = self.program.variable(*var).kind {
                    self.note("private array");
                }
            }
            Stmt::Assign { place, op, .. } => {
                self.place(place);
                if op.is_some() && !place.index.is_empty() {
                    self.note("update in place");
                }
                if op.is_some() && place.index.is_empty() && self.loops.len() > self.shared {
                    self.note("accumulator");
                }
            }
            Stmt::Atomic { place, .. } => {
                self.place(place);
                self.note("atomic update");
                if self.program.variable(place.var).ty.is_float() {
                    self.note("atomic update of floats");
                }
            }
            Stmt::If { condition, then, other } => {
                self.note("if");
                if !other.is_empty() {
                    self.note("else");
                }
                let mut nested = false;
                visit::statements(then, &mut |inner| nested |= matches!(inner, Stmt::If { .. }));
                if nested {
                    self.note("nested if");
                }
                let mut reads = false;
                visit::expressions(condition, &mut |expr| {
                    reads |= matches!(expr, Expr::Read(place) if !place.index.is_empty());
                });
                if reads {
                    self.note("data-dependent if");
                }
            }
            Stmt::Switch { .. } => self.note("switch"),
            Stmt::While { .. } => self.note("while"),
            Stmt::Continue if self.loops.len() == self.shared => self.note("continue in a parallel loop"),
            Stmt::Continue => self.note("continue in a sequential loop"),
            Stmt::Break => self.note("break"),
            Stmt::Loop(counted) => return self.counted(counted, siblings),
            Stmt::Reduce { .. } => {}
        }
        for block in visit::blocks(stmt) {
            self.block(block);
        }
    }

    fn counted(&mut self, counted: &Loop, siblings: usize) {
        if siblings > 1 && !self.loops.is_empty() {
            self.note("imperfect nest");
        }
        let (around, shared) = (self.loops.len(), self.shared);
        self.header(counted);
        let mut innermost = counted;
        if let Some(directive) = &counted.directive {
            match directive.construct {
                Construct::ParallelFor if shared > 0 => self.note("parallel for in distribute"),
                Construct::ParallelForSimd if shared > 0 => self.note("parallel for simd in distribute"),
                Construct::Simd => self.note("simd inside"),
                _ => {}
            }
            if shared == 0 || directive.construct != Construct::Simd {
                self.clauses(&directive.clauses);
            }
            self.loops.push(counted.var);
            for _ in 1..directive.collapse() {
                let [Stmt::Loop(next)] = innermost.body.as_slice() else { break };
                if self.depends(&next.start) || self.depends(&next.end) {
                    self.note("triangular collapse");
                }
                self.header(next);
                self.loops.push(next.var);
                innermost = next;
            }
            self.shared = self.loops.len();
            if directive.construct.distributes() && !directive.construct.uses_threads() {
                let team_array = |stmt: &Stmt| match stmt {
                    Stmt::Declare { var, .. } => matches!(self.program.variable(*var).kind, Kind::Local { .. }),
                    _ => false,
                };
                if innermost.body.iter().any(team_array) {
                    self.note("team array");
                }
            }
        } else {
            self.loops.push(counted.var);
        }
        self.note(match self.loops.len() {
            1 => "loops 1 deep",
            2 => "loops 2 deep",
            3 => "loops 3 deep",
            _ => "loops 4 deep",
        });
        self.block(&innermost.body);
        self.loops.truncate(around);
        self.shared = shared;
    }

    fn depends(&self, bound: &Expr) -> bool {
        let mut depends = false;
        visit::expressions(bound, &mut |expr| {
            depends |= matches!(expr, Expr::Read(place) if place.index.is_empty() && self.loops.contains(&place.var));
        });
        depends
    }

    fn header(&mut self, counted: &Loop) {
        if self.depends(&counted.end) {
            self.note("triangular loop");
        }
        if self.depends(&counted.start) {
            self.note("loop starts at an outer variable");
        }
        if counted.step.abs() > 1 {
            self.note("step above 1");
        }
        if counted.step < 0 {
            self.note("downward loop");
        }
        self.note(match counted.test {
            BinaryOp::Less => "test <",
            BinaryOp::LessEqual => "test <=",
            BinaryOp::Greater => "test >",
            BinaryOp::GreaterEqual => "test >=",
            _ => "test !=",
        });
        match self.program.variable(counted.var).ty {
            Type::I32 => self.note("int loop"),
            Type::I64 => self.note("long loop"),
            Type::U32 => self.note("unsigned loop"),
            Type::U64 => self.note("size_t loop"),
            Type::I16 => self.note("short loop"),
            _ => self.note("unsigned short loop"),
        }
        let mut mentions = Mentions::default();
        mentions.add_expression(self.program, &counted.end);
        let kinds = || mentions.vars.iter().map(|&var| &self.program.variable(var).kind);
        let symbolic = kinds().any(|kind| matches!(kind, Kind::Parameter(_)));
        let memory = kinds().any(|kind| matches!(kind, Kind::Array(_)));
        if symbolic {
            self.note("symbolic bound");
        }
        if memory {
            self.note("loop bound from memory");
        }
        if mentions.vars.is_empty() {
            self.note("constant bound");
        }
    }

    fn expressions(&mut self, expr: &Expr) {
        let mut all = Vec::new();
        visit::expressions(expr, &mut |expr| all.push(expr));
        for expr in all {
            match expr {
                Expr::Read(place) => self.place(place),
                Expr::Choose(condition, yes, no) => {
                    if let Expr::Binary(BinaryOp::Less | BinaryOp::Greater, left, right) = &**condition
                        && left == yes
                        && right == no
                    {
                        self.note("greater or lesser one");
                    }
                }
                Expr::Call(helper, arguments) => {
                    self.note(match self.program.helpers[helper.0 as usize].inlining {
                        Inlining::Wanted => "inline helper",
                        Inlining::Never => "called helper",
                    });
                    if arguments.iter().any(|argument| matches!(argument, CallArgument::Array(_))) {
                        self.note("helper with a pointer");
                    }
                }
                _ => {}
            }
        }
    }

    fn place(&mut self, place: &Place) {
        for index in &place.index {
            self.index(index);
        }
    }

    fn index(&mut self, index: &Expr) {
        let mut all = Vec::new();
        visit::expressions(index, &mut |expr| all.push(expr));
        let is = |expr: &Expr, wanted: fn(&Kind) -> bool| match expr {
            Expr::Read(place) => place.index.is_empty() && wanted(&self.program.variable(place.var).kind),
            _ => false,
        };
        let parameter = |expr: &Expr| is(expr, |kind| matches!(kind, Kind::Parameter(_)));
        let counter = |expr: &Expr| matches!(expr, Expr::Read(place) if self.loops.contains(&place.var));
        let mut names = Vec::new();
        for expr in all {
            match expr {
                Expr::Binary(BinaryOp::Multiply, left, right) if parameter(left) || parameter(right) => {
                    names.push("symbolic coefficient");
                }
                Expr::Binary(BinaryOp::Subtract, left, right)
                    if counter(right) && (parameter(left) || matches!(**left, Expr::Int(..))) =>
                {
                    names.push("reversed index");
                }
                Expr::Binary(BinaryOp::Remainder, ..) => names.push("index with %"),
                Expr::Binary(BinaryOp::Divide, ..) => names.push("index with /"),
                Expr::Binary(BinaryOp::And, ..) => names.push("index with &"),
                Expr::Binary(BinaryOp::Xor, ..) => names.push("index with ^"),
                Expr::Binary(op, ..) if op.is_shift() => names.push("index with shift"),
                Expr::Choose(..) => names.push("index with a condition"),
                Expr::Read(place) if place.index.is_empty() => {
                    let local = matches!(self.program.variable(place.var).kind, Kind::Scalar);
                    if local && !self.loops.contains(&place.var) {
                        names.push("index from a local");
                    }
                }
                Expr::Read(place) => {
                    names.push("index from memory");
                    let mut deeper = false;
                    for index in &place.index {
                        visit::expressions(index, &mut |expr| {
                            deeper |= matches!(expr, Expr::Read(place) if !place.index.is_empty());
                        });
                    }
                    if deeper {
                        names.push("index from memory by an index from memory");
                    }
                }
                _ => {}
            }
        }
        names.into_iter().for_each(|name| self.note(name));
    }

    fn variables(&mut self) {
        let mentioned = Mentions::of(self.program).vars;
        for var in self.program.ids().filter(|var| mentioned.contains(var)) {
            let Variable { ty, kind, .. } = self.program.variable(var);
            match kind {
                Kind::Array(array) => {
                    self.note(match ty {
                        Type::I8 | Type::U8 => "char array",
                        Type::I16 | Type::U16 => "short array",
                        Type::I32 => "int array",
                        Type::I64 => "long array",
                        Type::U32 | Type::U64 => "unsigned array",
                        Type::F32 => "float array",
                        Type::F64 => "double array",
                    });
                    match &array.layout {
                        Layout::Flat => {}
                        Layout::Rows { inner } if inner.len() == 1 => self.note("rows of two dimensions"),
                        Layout::Rows { .. } => self.note("rows of three dimensions"),
                        Layout::Variable { outer: Some(_), .. } => self.note("rows of variable length"),
                        Layout::Variable { outer: None, .. } => {
                            self.note("rows of variable length without an outer extent");
                        }
                        Layout::Fields { .. } => self.note("array of structures"),
                    }
                    if array.offset > 0 {
                        self.note("misaligned array");
                    }
                }
                Kind::Structure { .. } => self.note("structure parameter"),
                Kind::Parameter(_) => self.note(match ty {
                    Type::I8 | Type::U8 => "char parameter",
                    Type::I16 | Type::U16 => "short parameter",
                    Type::I32 => "int parameter",
                    Type::I64 => "long parameter",
                    Type::U32 | Type::U64 => "unsigned parameter",
                    Type::F32 => "float parameter",
                    Type::F64 => "double parameter",
                }),
                _ => {}
            }
        }
    }
}

fn construct(stmt: &Stmt) -> Option<Construct> {
    match stmt {
        Stmt::Loop(counted) => counted.directive.as_ref().map(|directive| directive.construct),
        _ => None,
    }
}
