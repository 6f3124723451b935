//! Whether a program is C with valid OpenMP: scopes, types, and which construct may stand where (OpenMP 5.1, 2.11 and 2.20).

use super::syntax::*;
use super::visit::{self, Mentions};

/// Whether a compiler may accept the program without a word.
pub fn is_well_formed(program: &Program) -> bool {
    let helpers = program.helpers.iter().all(|helper| {
        let mut checker = Checker::new(program, Head::Target);
        checker.locals.extend(&helper.parameters);
        checker.sequence(&helper.body, Around::SEQUENTIAL) && checker.expr(&helper.value).is_some()
    });
    // clang 19 forgets to hand a pointer to arrays of variable length to the threads that a leading one wakes.
    let forgotten = program.has_leading_threads()
        && program.ids().any(|var| match &program.variable(var).kind {
            Kind::Array(array) => matches!(array.layout, Layout::Variable { .. }),
            _ => false,
        });
    // With fewer threads than the team has, LLVM 19's optimiser lets a reduction wait at a barrier of the whole team.
    let waits = program.has_leading_threads() && limits_threads(program);
    helpers && !forgotten && !waits && program.regions.iter().all(|region| region_is_well_formed(program, region))
}

/// Whether a parallel loop asks for a number of threads.
fn limits_threads(program: &Program) -> bool {
    let mut found = false;
    for region in &program.regions {
        visit::statements(&region.body, &mut |stmt| {
            if let Stmt::Loop(Loop { directive: Some(directive), .. }) = stmt {
                found |= directive.clauses.iter().any(|clause| matches!(clause, Clause::NumThreads(_)));
            }
        });
    }
    found
}

fn region_is_well_formed(program: &Program, region: &Region) -> bool {
    let mut checker = Checker::new(program, region.head);
    let construct = match region.body.as_slice() {
        [Stmt::Loop(Loop { directive: Some(directive), .. })] => Some(directive.construct),
        _ => None,
    };
    let place = match (region.head, construct) {
        (Head::Combined, Some(construct)) => {
            let alone = construct.starts_teams()
                || matches!(construct, Construct::ParallelFor | Construct::ParallelForSimd | Construct::ParallelLoop);
            if !alone {
                return false;
            }
            Level::Start
        }
        (Head::Combined, None) => return false,
        (Head::TargetTeams, Some(construct)) if construct.distributes() && !construct.starts_teams() => Level::Teams,
        (Head::TargetTeams, _) => return false,
        (Head::TargetParallel, _) => {
            let shared = |stmt: &Stmt| match stmt {
                Stmt::Loop(Loop { directive: Some(directive), .. }) => directive.construct == Construct::For,
                _ => false,
            };
            if !region.body.iter().all(shared) {
                return false;
            }
            Level::Parallel
        }
        (Head::Target, Some(construct)) if construct.starts_teams() => Level::Start,
        (Head::Target, _) => Level::Team,
    };
    !region.body.is_empty() && checker.sequence(&region.body, Around { level: place, exits: Exits::None })
}

/// Where in the tree of constructs a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Right in `target`, where teams may start.
    Start,
    /// In `teams`, before its work is distributed.
    Teams,
    /// One thread of a team runs it.
    Team,
    /// In `parallel`, before its work is shared out.
    Parallel,
    /// Each iteration is run by one thread.
    Thread,
    /// In `simd`.
    Lane,
}

/// What `break` and `continue` would leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exits {
    None,
    /// A loop of a directive: `continue` alone.
    Shared,
    /// A `switch` in such a loop.
    SharedSwitch,
    /// A loop.
    Own,
    /// A `switch` without a loop around it.
    Switch,
}

#[derive(Debug, Clone, Copy)]
struct Around {
    level: Level,
    exits: Exits,
}

impl Around {
    const SEQUENTIAL: Around = Around { level: Level::Lane, exits: Exits::None };
}

struct Checker<'a> {
    program: &'a Program,
    /// How the region begins; also for helpers, which have no directives.
    head: Head,
    /// Variables of enclosing blocks.
    locals: Vec<VarId>,
    /// Those named in the `private` clauses around.
    private: Vec<VarId>,
    /// Those that the innermost construct reduces.
    reduced: Vec<VarId>,
    /// Variables of the loops around.
    counting: Vec<VarId>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, head: Head) -> Checker<'a> {
        Checker { head, program, locals: Vec::new(), private: Vec::new(), reduced: Vec::new(), counting: Vec::new() }
    }

    fn sequence(&mut self, body: &[Stmt], around: Around) -> bool {
        let outside = self.locals.len();
        let fine = body.iter().all(|stmt| self.statement(stmt, around));
        self.locals.truncate(outside);
        fine
    }

    fn statement(&mut self, stmt: &Stmt, around: Around) -> bool {
        let free = !matches!(around.level, Level::Start | Level::Teams | Level::Parallel);
        match stmt {
            Stmt::Loop(counted) => self.counted(counted, around),
            _ if !free => false,
            Stmt::Declare { var, value } => {
                let fits = match self.program.variable(*var).kind {
                    Kind::Scalar => value.as_ref().is_none_or(|value| self.expr(value).is_some()),
                    Kind::TeamResult { .. } => value.as_ref().is_some_and(|value| self.expr(value).is_some()),
                    Kind::Local { .. } => value.is_none(),
                    _ => false,
                };
                self.locals.push(*var);
                fits
            }
            Stmt::Assign { place, op, value } => {
                let Some(ty) = self.place(place) else { return false };
                let Some(from) = self.expr(value) else { return false };
                let kind = &self.program.variable(place.var).kind;
                let stored = matches!(kind, Kind::Scalar | Kind::Array(_) | Kind::Local { .. } | Kind::Private);
                let whole = op.is_none_or(|op| !(op.is_bitwise() || op == BinaryOp::Divide));
                stored && !self.counting.contains(&place.var) && (whole || !(ty.is_float() || from.is_float()))
            }
            Stmt::Atomic { place, op, value } => {
                let Some(ty) = self.place(place) else { return false };
                let Some(from) = self.expr(value) else { return false };
                let whole = matches!(op, BinaryOp::Add | BinaryOp::Subtract);
                matches!(self.program.variable(place.var).kind, Kind::Array(_))
                    && (whole || !(ty.is_float() || from.is_float()))
            }
            Stmt::Reduce { var, value } => {
                self.reduced.contains(var) && self.expr(value).is_some_and(|ty| !ty.is_float())
            }
            Stmt::If { condition, then, other } => {
                self.expr(condition).is_some() && self.sequence(then, around) && self.sequence(other, around)
            }
            Stmt::Switch { on, cases, other } => {
                let exits = match around.exits {
                    Exits::None | Exits::Switch => Exits::Switch,
                    Exits::Shared | Exits::SharedSwitch => Exits::SharedSwitch,
                    Exits::Own => Exits::Own,
                };
                let inside = Around { exits, ..around };
                let mut labels: Vec<i64> = cases.iter().map(|(label, _)| *label).collect();
                labels.sort_unstable();
                labels.windows(2).all(|pair| pair[0] != pair[1])
                    && self.expr(on).is_some_and(|ty| !ty.is_float())
                    && cases.iter().all(|(_, body)| self.sequence(body, inside))
                    && self.sequence(other, inside)
            }
            Stmt::While { condition, body } => {
                self.expr(condition).is_some() && self.sequence(body, Around { exits: Exits::Own, ..around })
            }
            Stmt::Continue => matches!(around.exits, Exits::Own | Exits::Shared | Exits::SharedSwitch),
            Stmt::Break => !matches!(around.exits, Exits::None | Exits::Shared),
        }
    }

    fn counted(&mut self, counted: &Loop, around: Around) -> bool {
        let Some(directive) = &counted.directive else {
            if matches!(around.level, Level::Start | Level::Teams | Level::Parallel) || !self.header(counted) {
                return false;
            }
            return self.inside(&[counted], Around { exits: Exits::Own, ..around });
        };
        let Some(level) = level_inside(directive.construct, around.level) else { return false };
        let mut nest = vec![counted];
        while nest.len() < directive.collapse() {
            let [Stmt::Loop(next)] = nest[nest.len() - 1].body.as_slice() else { return false };
            if next.directive.is_some() {
                return false;
            }
            nest.push(next);
        }
        if !self.clauses(directive, around.level) {
            return false;
        }
        // Here clang 19 loses the pointer: of an array of variable length in a parallel loop that one thread starts.
        if around.level == Level::Team && directive.construct.uses_threads() && self.has_variable_rows(counted) {
            return false;
        }
        let outside = self.locals.len();
        for (depth, level) in nest.iter().enumerate() {
            let bounds = [&level.start, &level.end];
            // Here clang 19 counts iterations that are not there: `for (unsigned i = 0; i < n; i += 2)` with a `long n`.
            let wide = bounds.iter().any(|bound| self.program.type_of(bound).bits() == 64);
            if wide && self.program.variable(level.var).ty == Type::U32 {
                return false;
            }
            if !self.header(level) || !bounds.iter().all(|bound| self.is_canonical_bound(bound, &nest, depth)) {
                return false;
            }
            self.locals.push(level.var);
        }
        self.locals.truncate(outside);
        let reduction = |clause: &Clause| if let Clause::Reduction(var) = clause { Some(*var) } else { None };
        let private = |clause: &Clause| if let Clause::Private(var) = clause { Some(*var) } else { None };
        let reduced: Vec<VarId> = directive.clauses.iter().filter_map(reduction).collect();
        let reduced = std::mem::replace(&mut self.reduced, reduced);
        let privates = self.private.len();
        self.private.extend(directive.clauses.iter().filter_map(private));
        let fine = self.inside(&nest, Around { level, exits: Exits::Shared });
        self.private.truncate(privates);
        self.reduced = reduced;
        fine
    }

    /// The body of the innermost of nested loops.
    fn inside(&mut self, nest: &[&Loop], around: Around) -> bool {
        let (locals, counting) = (self.locals.len(), self.counting.len());
        self.locals.extend(nest.iter().map(|level| level.var));
        self.counting.extend(nest.iter().map(|level| level.var));
        let fine = self.sequence(&nest[nest.len() - 1].body, around);
        self.locals.truncate(locals);
        self.counting.truncate(counting);
        fine
    }

    fn header(&self, counted: &Loop) -> bool {
        let whole = |ty: Option<Type>| ty.is_some_and(|ty| !ty.is_float());
        let direction = match counted.test {
            BinaryOp::Less | BinaryOp::LessEqual => counted.step > 0,
            BinaryOp::Greater | BinaryOp::GreaterEqual => counted.step < 0,
            BinaryOp::NotEqual => counted.step.abs() == 1,
            _ => false,
        };
        let idle = match (constant(&counted.start), constant(&counted.end)) {
            (Some(start), Some(end)) => match counted.test {
                BinaryOp::Less => start >= end,
                BinaryOp::LessEqual => start > end,
                BinaryOp::Greater => start <= end,
                BinaryOp::GreaterEqual => start < end,
                _ => start == end,
            },
            _ => counted.start == counted.end,
        };
        direction
            && !idle
            && self.program.variable(counted.var).kind == Kind::Scalar
            && !self.program.variable(counted.var).ty.is_float()
            && whole(self.expr(&counted.start))
            && whole(self.expr(&counted.end))
    }

    /// A bound that stays the same while the loops run: no memory and nothing that the nest declares, but for the non-rectangular
    /// forms `v`, `v + c`, `c * v`, `c * v + c` of an outer variable of the nest.
    fn is_canonical_bound(&self, bound: &Expr, nest: &[&Loop], depth: usize) -> bool {
        let mut outer = 0;
        let mut plain = true;
        visit::expressions(bound, &mut |expr| match expr {
            Expr::Read(place) => {
                let variable = self.program.variable(place.var);
                let own = nest.iter().position(|level| level.var == place.var);
                outer += u32::from(own.is_some());
                plain &= own.is_none_or(|own| own < depth) && place.index.is_empty();
                plain &= matches!(variable.kind, Kind::Scalar | Kind::Parameter(_) | Kind::Structure { .. });
            }
            Expr::Call(..) => plain = false,
            _ => {}
        });
        let same_type = || {
            let inner = self.program.variable(nest[depth].var).ty;
            inner == Type::I32 && nest.iter().all(|level| self.program.variable(level.var).ty == inner)
        };
        plain && (outer == 0 || (outer == 1 && is_linear(bound, nest) && same_type()))
    }

    /// Whether a loop mentions an array whose extents are variables.
    fn has_variable_rows(&self, counted: &Loop) -> bool {
        let mut mentions = Mentions::default();
        mentions.add_block(self.program, &counted.body);
        mentions.vars.iter().any(|&var| {
            matches!(self.program.variable(var).kind, Kind::Array(Array { layout: Layout::Variable { .. }, .. }))
        })
    }

    fn clauses(&self, directive: &Directive, level: Level) -> bool {
        let construct = directive.construct;
        directive.clauses.iter().all(|clause| match *clause {
            Clause::Collapse(loops) => loops > 1,
            Clause::Schedule(..) => construct.uses_threads() && !construct.words().contains("loop"),
            Clause::DistSchedule(_) => construct.distributes() && construct != Construct::TeamsLoop,
            Clause::NumTeams(_) | Clause::ThreadLimit(_) => construct.starts_teams(),
            Clause::NumThreads(_) => {
                construct.words().contains("parallel") && (self.head == Head::Combined || !meets(directive))
            }
            Clause::Private(var) => self.program.variable(var).kind == Kind::Private,
            Clause::Reduction(var) => match self.program.variable(var).kind {
                Kind::Result { .. } => !matches!(level, Level::Teams | Level::Thread) && construct.uses_threads(),
                Kind::TeamResult { .. } => self.locals.contains(&var),
                _ => false,
            },
        })
    }

    /// The type of a place that is in scope.
    fn place(&self, place: &Place) -> Option<Type> {
        let Variable { ty, kind, .. } = self.program.variable(place.var);
        let local = self.locals.contains(&place.var);
        let (seen, dims, field) = match kind {
            Kind::Scalar | Kind::TeamResult { .. } => (local, 0, false),
            Kind::Parameter(_) => (true, 0, false),
            Kind::Private => (self.private.contains(&place.var), 0, false),
            Kind::Structure { fields, .. } => (place.field.is_some_and(|field| field < *fields), 0, true),
            Kind::Local { dims } => (local, dims.len(), false),
            Kind::Pointer => (local, 1, false),
            Kind::Result { .. } => return None,
            Kind::Array(array) => match &array.layout {
                Layout::Flat => (true, 1, false),
                Layout::Rows { inner } => (true, inner.len() + 1, false),
                Layout::Variable { inner, .. } => (true, inner.len() + 1, false),
                Layout::Fields { fields } => (place.field.is_some_and(|field| field < *fields), 1, true),
            },
        };
        let whole = place.index.iter().all(|index| self.expr(index).is_some_and(|ty| !ty.is_float()));
        (seen && whole && dims == place.index.len() && field == place.field.is_some()).then_some(*ty)
    }

    /// The type of an expression whose parts are in scope and fit together.
    fn expr(&self, expr: &Expr) -> Option<Type> {
        let fits = match expr {
            Expr::Int(_, ty) => !ty.is_float() && ty.promoted() == *ty,
            Expr::Float(_, ty) => ty.is_float(),
            Expr::Read(place) => self.place(place).is_some(),
            Expr::Unary(op, of) => {
                let ty = self.expr(of)?;
                *op != UnaryOp::Complement || !ty.is_float()
            }
            Expr::Binary(op, left, right) => {
                let (from, with) = (self.expr(left)?, self.expr(right)?);
                let float = from.is_float() || with.is_float();
                !(float && (op.is_bitwise() || *op == BinaryOp::Divide)) && !self.is_suspicious(*op, left, right)
            }
            Expr::Choose(condition, yes, no) => {
                self.expr(condition).is_some() && self.expr(yes).is_some() && self.expr(no).is_some()
            }
            Expr::Cast(_, of) => self.expr(of).is_some(),
            Expr::Call(helper, arguments) => {
                let parameters = &self.program.helpers[helper.0 as usize].parameters;
                parameters.len() == arguments.len()
                    && parameters.iter().zip(arguments).all(|(parameter, argument)| self.argument(*parameter, argument))
            }
        };
        fits.then(|| self.program.type_of(expr))
    }

    /// Whether compilers warn of it: a comparison whose answer is plain, or an exclusive or that looks like a power.
    fn is_suspicious(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        let beyond = |number: &Expr, other: &Expr| {
            let (low, high) = self.program.type_of(other).range();
            constant(number).is_some_and(|value| i128::from(value) < low || i128::from(value) > high)
        };
        let literal = |expr: &Expr| matches!(expr, Expr::Int(..));
        (op.is_comparison() && (left == right || beyond(left, right) || beyond(right, left)))
            || (op == BinaryOp::Xor && literal(left) && literal(right))
    }

    fn argument(&self, parameter: VarId, argument: &CallArgument) -> bool {
        let parameter = self.program.variable(parameter);
        match argument {
            CallArgument::Value(value) => parameter.kind == Kind::Scalar && self.expr(value).is_some(),
            CallArgument::Array(var) => {
                let Variable { ty, kind, .. } = self.program.variable(*var);
                let flat = matches!(kind, Kind::Array(Array { layout: Layout::Flat, .. }));
                parameter.kind == Kind::Pointer && flat && *ty == parameter.ty
            }
        }
    }
}

/// Whether the threads of a loop wait for each other inside of it. Where `num_threads` leaves out some of a team, those get out of
/// step with clang 19, once it lets all threads run what one did.
fn meets(directive: &Directive) -> bool {
    directive.clauses.iter().any(|clause| {
        matches!(clause, Clause::Reduction(_) | Clause::Schedule(Schedule::Dynamic | Schedule::Guided, _))
    })
}

/// The level inside of a construct, if it may stand at a level.
fn level_inside(construct: Construct, at: Level) -> Option<Level> {
    let inside = match construct {
        Construct::TeamsDistributeParallelFor | Construct::TeamsDistributeParallelForSimd | Construct::TeamsLoop => {
            Level::Thread
        }
        Construct::DistributeParallelFor | Construct::DistributeParallelForSimd => Level::Thread,
        Construct::ParallelFor | Construct::ParallelForSimd | Construct::ParallelLoop | Construct::For => Level::Thread,
        Construct::TeamsDistribute | Construct::Distribute => Level::Team,
        Construct::Simd => Level::Lane,
    };
    let simd = construct.words().ends_with("simd");
    let allowed = match at {
        Level::Start => construct.starts_teams() || construct.words().starts_with("parallel"),
        Level::Teams => construct.distributes() && !construct.starts_teams(),
        Level::Team => construct.words().starts_with("parallel") || construct == Construct::Simd,
        Level::Parallel => construct == Construct::For,
        Level::Thread => construct == Construct::Simd,
        Level::Lane => false,
    };
    allowed.then_some(if simd { Level::Lane } else { inside })
}

/// The value of an integer expression without variables.
fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int(value, _) => Some(*value),
        Expr::Binary(op, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a bound is `v`, `v + c`, `v - c`, `c + v`, `c * v`, or a product with something added, for an outer variable `v`.
fn is_linear(bound: &Expr, nest: &[&Loop]) -> bool {
    let outer = |expr: &Expr| matches!(expr, Expr::Read(place) if nest.iter().any(|level| level.var == place.var));
    let literal = |expr: &Expr| matches!(expr, Expr::Int(..));
    let product = |expr: &Expr| match expr {
        Expr::Binary(BinaryOp::Multiply, left, right) => literal(left) && outer(right),
        _ => outer(expr),
    };
    match bound {
        Expr::Binary(BinaryOp::Add, left, right) => {
            (product(left) && literal(right)) || (literal(left) && product(right))
        }
        Expr::Binary(BinaryOp::Subtract, left, right) => product(left) && literal(right),
        _ => product(bound),
    }
}
