//! Regions, directives and loop headers.

use super::*;

/// How a loop's bound depends on an outer variable.
#[derive(Debug, Clone, Copy)]
enum Triangle {
    /// `j < i + c`, `j <= i + c`.
    Below,
    /// `j = i + c; j < n`.
    Above,
}

impl Builder<'_> {
    /// Adds a region.
    pub(super) fn region(&mut self) {
        self.room = self.random.between(3, 12) as u32;
        let shape = self.random.weighted(&self.options.shapes);
        let region = match shape {
            Shape::Distributed => {
                let construct = self.random.weighted(&[
                    (82, Construct::TeamsDistributeParallelFor),
                    (18, Construct::TeamsDistributeParallelForSimd),
                ]);
                self.combined(construct)
            }
            Shape::TeamsLoop => self.combined(Construct::TeamsLoop),
            Shape::OneTeam => {
                self.one_team = true;
                let construct = self.random.weighted(&[
                    (70, Construct::ParallelFor),
                    (15, Construct::ParallelForSimd),
                    (15, Construct::ParallelLoop),
                ]);
                self.combined(construct)
            }
            Shape::Generic => {
                let body = vec![self.distributed_teams(Construct::TeamsDistribute)];
                Region { head: Head::Combined, clauses: Vec::new(), body }
            }
            Shape::Nested => self.nested(),
            Shape::Phases => {
                (self.generic, self.one_team) = (true, true);
                let clauses = self.team_clauses(&[]);
                let mut body = Vec::new();
                let phases = self.random.between(1, 3);
                self.scoped(|builder| {
                    for _ in 0..phases {
                        if builder.random.chance(30) {
                            builder.team_scalar(&mut body);
                        }
                        let construct = builder.random.weighted(&[
                            (80, Construct::ParallelFor),
                            (12, Construct::ParallelForSimd),
                            (8, Construct::ParallelLoop),
                        ]);
                        let next = builder.shared_loop(construct, builder.options.iterations / 3);
                        body.push(next);
                    }
                });
                Region { head: Head::Target, clauses, body }
            }
            Shape::SharedPhases => {
                self.one_team = true;
                let clauses = if self.random.chance(20) { vec![self.num_threads()] } else { Vec::new() };
                let phases = self.random.between(2, 3);
                let body = (0..phases).map(|_| self.shared_loop(Construct::For, self.options.iterations / 3)).collect();
                Region { head: Head::TargetParallel, clauses, body }
            }
        };
        self.program.regions.push(region);
    }

    fn combined(&mut self, construct: Construct) -> Region {
        let body = vec![self.shared_loop(construct, self.options.iterations)];
        Region { head: Head::Combined, clauses: Vec::new(), body }
    }

    fn nested(&mut self) -> Region {
        if self.random.chance(50) {
            let body = match self.random.below(4) {
                0 => self.distributed_teams(Construct::TeamsDistribute),
                _ => self.shared_loop(Construct::TeamsDistributeParallelFor, self.options.iterations),
            };
            return Region { head: Head::Target, clauses: Vec::new(), body: vec![body] };
        }
        let construct = self.random.weighted(&[
            (60, Construct::DistributeParallelFor),
            (20, Construct::DistributeParallelForSimd),
            (20, Construct::Distribute),
        ]);
        let clauses = self.team_clauses(&[Clause::NumTeams(0)]);
        let body = match construct {
            Construct::Distribute => self.distributed_teams(construct),
            _ => self.shared_loop(construct, self.options.iterations),
        };
        Region { head: Head::TargetTeams, clauses, body: vec![body] }
    }

    /// A parallel loop nest whose iterations threads run.
    fn shared_loop(&mut self, construct: Construct, most: u64) -> Stmt {
        let levels = self.random.weighted(&[(52, 1), (33, 2), (15, 3)]);
        let directive = self.directive(construct, levels);
        let around = self.parallel.len();
        let in_simd = std::mem::replace(&mut self.in_simd, construct.words().ends_with("simd"));
        let exits = std::mem::replace(&mut self.exits, Exits::Continue);
        let assignable = std::mem::replace(&mut self.assignable, self.locals.len());
        let made = self.with_targets(|builder| {
            let (headers, total) = builder.headers(levels, most);
            let work = (60_000 / total.max(1)).clamp(1, builder.options.work);
            let private = directive.clauses.iter().find_map(|clause| match clause {
                Clause::Private(var) => Some(*var),
                _ => None,
            });
            let mut body = Vec::new();
            if let Some(var) = private {
                let value = builder.natural_index(1);
                let (low, high) = (value.low, value.high);
                body.push(Stmt::Assign { place: Place::scalar(var), op: None, value: value.expr });
                builder.known.push(Known { var, low, high });
            }
            body.extend(builder.iteration(work));
            assemble(headers, directive, body)
        });
        self.parallel.truncate(around);
        self.in_simd = in_simd;
        self.exits = exits;
        self.assignable = assignable;
        self.reduced.clear();
        made
    }

    /// Makes a construct; afterwards, what it stored to may be read.
    fn with_targets<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::take(&mut self.targets);
        let made = self.scoped(make);
        let stored: Vec<VarId> = self.targets.iter().map(|target| target.var).collect();
        let inside = !self.parallel.is_empty() && self.teams_around;
        if !inside {
            self.written.extend(stored);
            self.written.sort_unstable();
            self.written.dedup();
        }
        self.targets = before;
        made
    }

    /// `distribute` whose iterations contain parallel loops.
    fn distributed_teams(&mut self, construct: Construct) -> Stmt {
        self.generic = true;
        let levels = self.random.weighted(&[(80, 1), (20, 2)]);
        let mut clauses = if levels > 1 { vec![Clause::Collapse(levels)] } else { Vec::new() };
        if self.random.chance(12) {
            clauses.push(Clause::DistSchedule(self.random.pick(&[1, 2, 3])));
        }
        if construct.starts_teams() {
            clauses.extend(self.team_clauses(&[Clause::NumTeams(0)]));
        }
        let directive = Directive { construct, clauses };
        let (around, written) = (self.parallel.len(), self.written.clone());
        self.teams_around = true;
        let made = self.with_targets(|builder| {
            let most = builder.random.pick(&[1, 4, 12, 24]);
            let (headers, total) = builder.headers(levels as usize, most);
            let most = (builder.options.iterations / total.max(1)).clamp(2, 150);
            let mut body = Vec::new();
            let parts = builder.random.between(1, 3);
            for _ in 0..parts {
                builder.team_part(most, &mut body);
            }
            if !body.iter().any(|stmt| matches!(stmt, Stmt::Loop(_))) {
                let inner = builder.shared_loop(Construct::ParallelFor, most);
                body.push(inner);
            }
            assemble(headers, directive, body)
        });
        self.teams_around = false;
        self.parallel.truncate(around);
        let stored = self.outputs.iter().copied().filter(|var| !written.contains(var));
        self.written.extend(stored.collect::<Vec<_>>());
        self.written.sort_unstable();
        self.written.dedup();
        made
    }

    /// Something that a team does in one iteration of `distribute`.
    fn team_part(&mut self, most: u64, body: &mut Vec<Stmt>) {
        match self.random.below(100) {
            0..22 => self.team_scalar(body),
            22..40 => {
                // Shared by the team: one loop fills it, later ones read it anywhere.
                let extent = self.random.between(2, most.min(40) as i64) as u64;
                let ty = self.element_type();
                let name = self.name("tmp");
                let var = self.add(name, ty, Kind::Local { dims: vec![extent] });
                body.push(Stmt::Declare { var, value: None });
                let (mut counted, known) = self.plain_header(Type::I32, extent);
                counted.directive = Some(Directive { construct: Construct::ParallelFor, clauses: Vec::new() });
                counted.body = self.scoped(|builder| {
                    builder.known.push(known);
                    let value = if ty.is_float() { builder.value(ty, 2) } else { builder.integer(ty, 2) };
                    vec![Stmt::Assign {
                        place: Place { var, index: vec![read(known.var)], field: None },
                        op: None,
                        value,
                    }]
                });
                body.push(Stmt::Loop(counted));
                self.privates.push(Private { var, dims: vec![extent] });
            }
            40..62 => {
                // A sum of the team, and one store by its main thread.
                let op = self.reduce_op();
                let ty = self.random.pick(&[Type::I32, Type::I64, Type::U32, Type::U64]);
                let name = self.name("r");
                let var = self.add(name, ty, Kind::TeamResult { op });
                let start = Expr::Int(self.random.between(0, 9), if ty.bits() == 64 { Type::I64 } else { Type::I32 });
                body.push(Stmt::Declare { var, value: Some(start) });
                self.reduced = vec![var];
                let inner = self.shared_loop(Construct::ParallelFor, most);
                let Stmt::Loop(mut counted) = inner else { return };
                if let Some(directive) = &mut counted.directive {
                    directive.clauses.push(Clause::Reduction(var));
                }
                body.push(Stmt::Loop(counted));
                let target = self.target(1);
                let place = self.own_place(target, int(0));
                body.push(Stmt::Assign { place, op: None, value: read(var) });
            }
            62..72 => {
                let store = self.store();
                body.push(store);
            }
            _ => {
                let construct = self.random.weighted(&[(85, Construct::ParallelFor), (15, Construct::ParallelForSimd)]);
                let inner = self.shared_loop(construct, most);
                body.push(inner);
            }
        }
    }

    /// A scalar that all threads of a team may read.
    fn team_scalar(&mut self, body: &mut Vec<Stmt>) {
        let name = self.name("base");
        if self.random.chance(60) {
            let index = self.natural_index(1);
            let var = self.add(name, Type::I32, Kind::Scalar);
            body.push(Stmt::Declare { var, value: Some(index.expr) });
            self.known.push(Known { var, low: index.low, high: index.high });
        } else {
            let ty = self.element_type();
            let value = if ty.is_float() { self.value(ty, 1) } else { self.integer(ty, 1) };
            let var = self.add(name, ty, Kind::Scalar);
            body.push(Stmt::Declare { var, value: Some(value) });
            self.locals.push(var);
        }
    }

    fn reduce_op(&mut self) -> ReduceOp {
        self.random.weighted(&[
            (50, ReduceOp::Add),
            (14, ReduceOp::Max),
            (14, ReduceOp::Min),
            (7, ReduceOp::And),
            (7, ReduceOp::Or),
            (8, ReduceOp::Xor),
        ])
    }

    /// Whole warps: with a part of one, LLVM 19's optimiser lets lanes outside of a reduction wait at a barrier for those inside, which wait
    /// for them.
    fn num_threads(&mut self) -> Clause {
        Clause::NumThreads(self.random.pick(&[32, 64, 96, 128]))
    }

    /// `num_teams` where it is among `allowed`, and `thread_limit`.
    fn team_clauses(&mut self, allowed: &[Clause]) -> Vec<Clause> {
        let mut clauses = Vec::new();
        if !allowed.is_empty() && self.random.chance(12) {
            let teams = self.teams.unwrap_or(self.random.between(1, 6) as u32);
            self.teams = Some(teams);
            clauses.push(Clause::NumTeams(teams));
        }
        if self.random.chance(12) {
            let limit = self.random.pick(&[32, 64, 96, 128]);
            self.thread_limit = Some(self.thread_limit.map_or(limit, |other| other.min(limit)));
            clauses.push(Clause::ThreadLimit(limit));
        }
        clauses
    }

    fn directive(&mut self, construct: Construct, levels: usize) -> Directive {
        let mut clauses = if levels > 1 { vec![Clause::Collapse(levels as u32)] } else { Vec::new() };
        if construct.uses_threads() && !construct.words().contains("loop") && self.random.chance(32) {
            let kind = self.random.weighted(&[(55, Schedule::Static), (30, Schedule::Dynamic), (15, Schedule::Guided)]);
            let chunk = self.random.chance(60).then(|| self.random.pick(&[1, 2, 3, 4, 7, 16, 32]));
            clauses.push(Clause::Schedule(kind, chunk));
        }
        if construct.distributes() && construct != Construct::TeamsLoop && self.random.chance(12) {
            clauses.push(Clause::DistSchedule(self.random.pick(&[1, 5, 16, 64, 100, 256])));
        }
        if construct.starts_teams() {
            clauses.extend(self.team_clauses(&[Clause::NumTeams(0)]));
        }
        if construct.words().contains("parallel") && self.random.chance(9) {
            clauses.push(self.num_threads());
        }
        let alone = self.parallel.is_empty() && !construct.words().starts_with("distribute");
        if alone && self.random.chance(16) {
            let count = self.random.weighted(&[(80, 1), (20, 2)]);
            for _ in 0..count {
                let op = self.reduce_op();
                let ty = self.random.pick(&[Type::I32, Type::I32, Type::I64, Type::U32, Type::U64]);
                let name = self.name("sum");
                let start = self.random.between(if ty.is_signed() { -5 } else { 0 }, 9);
                let var = self.add(name, ty, Kind::Result { op, start });
                self.reduced.push(var);
                clauses.push(Clause::Reduction(var));
            }
        }
        if !matches!(construct, Construct::TeamsLoop | Construct::ParallelLoop) && self.random.chance(6) {
            let name = self.name("x");
            let var = self.add(name, Type::I32, Kind::Private);
            clauses.push(Clause::Private(var));
        }
        Directive { construct, clauses }
    }

    /// Headers of a perfect nest whose iterations run in parallel, with about how many iterations it has.
    fn headers(&mut self, levels: usize, most: u64) -> (Vec<Loop>, u64) {
        // Small and large ones alike.
        let bits = 64 - most.leading_zeros();
        let bits = self.random.between(1, i64::from(bits));
        let cap = self.random.below(1 << bits).clamp(1, most);
        let mut left = if self.random.chance(2) { 0 } else { cap };
        let mut total = 1;
        let mut headers = Vec::new();
        for level in 0..levels {
            let rest = levels - level;
            let extent = match rest {
                1 => left,
                _ => self.random.between(1, (left as f64).powf(1.0 / rest as f64).ceil().max(1.0) as i64 * 2) as u64,
            };
            let extent = if levels > 1 { extent.min(150).min(left) } else { extent };
            let outer = self.parallel.last().copied().filter(|_| level > 0).filter(|outer| {
                outer.known.high < 60
                    && outer.known.low >= 0
                    && !outer.triangular
                    && headers.iter().all(|header: &Loop| self.program.variable(header.var).ty == Type::I32)
            });
            let (header, known, step) = match outer {
                Some(outer) if extent > 1 && self.random.chance(22) => self.triangle(outer.known, Steps::One),
                _ => self.header(extent),
            };
            let triangular = outer.is_some() && mentions(&header, self.parallel[self.parallel.len() - 1].known.var);
            self.parallel.push(Parallel { known, step, triangular });
            self.known.push(known);
            left /= extent.max(1);
            total *= extent.max(1);
            headers.push(header);
        }
        (headers, total)
    }

    fn loop_variable(&mut self, ty: Type) -> VarId {
        let taken = |name: &str| self.program.variables.iter().any(|variable| variable.name == name);
        let free = ["i", "j", "k", "l"].into_iter().find(|name| !taken(name));
        let name = free.map_or_else(|| self.name("i"), str::to_owned);
        self.add(name, ty, Kind::Scalar)
    }

    /// `for (T i = 0; i < extent; i++)`.
    pub(super) fn plain_header(&mut self, ty: Type, extent: u64) -> (Loop, Known) {
        let var = self.loop_variable(ty);
        let header = Loop {
            directive: None,
            var,
            start: int(0),
            test: BinaryOp::Less,
            end: int(extent as i64),
            step: 1,
            body: Vec::new(),
        };
        (header, Known { var, low: 0, high: extent as i64 - 1 })
    }

    /// A loop with so many iterations; also the distance of its values.
    fn header(&mut self, extent: u64) -> (Loop, Known, u64) {
        let signed = self.random.chance(78);
        let ty = self.index_type(signed);
        let var = self.loop_variable(ty);
        let extent = extent as i64;
        let step = self.random.weighted(&[(82, 1), (10, 2), (5, 3), (3, 5)]);
        let down = self.random.chance(14);
        let low = match self.random.below(100) {
            0..78 => 0,
            78..95 => self.random.between(1, 5),
            _ if signed => self.random.between(-3, -1),
            _ => 0,
        };
        // An unsigned variable may not count below 0.
        let low = if down && !signed { low.max(step) } else { low };
        let last = low + (extent - 1) * step;
        let slack = if step > 1 && self.random.chance(50) { self.random.between(0, step - 1) } else { 0 };
        if extent == 0 {
            // With a literal bound, compilers would complain.
            let (start, end) = (int(0), read(self.parameter(0).var));
            let header = Loop { directive: None, var, start, test: BinaryOp::Less, end, step, body: Vec::new() };
            return (header, Known { var, low: 0, high: 0 }, step as u64);
        }
        let plain = low < 0;
        let form = self.random.below(10);
        let mut bound = |value: i64| if plain { int(value) } else { self.bound(value) };
        let (start, test, end) = match (down, form) {
            (false, 0..6) => (bound(low), BinaryOp::Less, bound(last + 1 + slack)),
            (false, 6..9) => (bound(low), BinaryOp::LessEqual, bound(last + slack)),
            (false, _) if step == 1 => (bound(low), BinaryOp::NotEqual, bound(last + 1)),
            (false, _) => (bound(low), BinaryOp::Less, bound(last + 1)),
            (true, 0..5) => (bound(last), BinaryOp::GreaterEqual, bound(low)),
            (true, 5..8) => (bound(last), BinaryOp::Greater, bound(low - 1)),
            (true, _) if step == 1 => (bound(last), BinaryOp::NotEqual, bound(low - 1)),
            (true, _) => (bound(last), BinaryOp::Greater, bound(low - 1)),
        };
        if [&start, &end].iter().any(|bound| self.program.type_of(bound).bits() == 64) && ty == Type::U32 {
            self.program.variable_mut(var).ty = Type::U64;
        }
        let header =
            Loop { directive: None, var, start, test, end, step: if down { -step } else { step }, body: Vec::new() };
        (header, Known { var, low, high: last.max(low) }, step as u64)
    }

    /// A loop's bound: a number, or a short expression.
    fn bound(&mut self, value: i64) -> Expr {
        if value < 0 {
            return int(value);
        }
        match self.random.below(100) {
            0..75 => self.number(value).expr,
            75..88 => {
                let more = self.random.between(1, 3);
                binary(BinaryOp::Subtract, self.number(value + more).expr, int(more))
            }
            88..94 if value % 2 == 0 && value > 0 => binary(BinaryOp::Multiply, int(2), self.number(value / 2).expr),
            94.. if value > 1 => binary(BinaryOp::Add, self.number(value - 1).expr, int(1)),
            _ => self.number(value).expr,
        }
    }

    /// A loop whose bound depends on an outer variable, which starts at 0 or above.
    fn triangle(&mut self, outer: Known, steps: Steps) -> (Loop, Known, u64) {
        let var = self.loop_variable(Type::I32);
        let kind = self.random.pick(&[Triangle::Below, Triangle::Below, Triangle::Above]);
        let more = self.random.weighted(&[(60, 0), (20, 1), (20, 2)]);
        let edge = |expr: Expr| if more == 0 { expr } else { binary(BinaryOp::Add, expr, int(more)) };
        let step = match steps {
            Steps::One => 1,
            Steps::Any => self.random.weighted(&[(85, 1), (15, 2)]),
        };
        let (start, test, end, known) = match kind {
            Triangle::Below if self.random.chance(50) => (
                int(0),
                BinaryOp::Less,
                edge(read(outer.var)),
                Known { var, low: 0, high: (outer.high + more - 1).max(0) },
            ),
            Triangle::Below => {
                (int(0), BinaryOp::LessEqual, edge(read(outer.var)), Known { var, low: 0, high: outer.high + more })
            }
            Triangle::Above => {
                let top = outer.high + 1 + self.random.between(0, 3);
                let end = self.number(top).expr;
                (
                    edge(read(outer.var)),
                    BinaryOp::Less,
                    end,
                    Known { var, low: outer.low + more, high: top.max(outer.low + more) },
                )
            }
        };
        let down = matches!(kind, Triangle::Below) && test == BinaryOp::LessEqual && self.random.chance(20);
        let (start, test, end, step) =
            if down { (end, BinaryOp::GreaterEqual, start, -step) } else { (start, test, end, step) };
        (Loop { directive: None, var, start, test, end, step, body: Vec::new() }, known, step.unsigned_abs())
    }

    /// A loop that one thread runs, with about how many iterations it has.
    pub(super) fn sequential_header(&mut self, most: u64) -> (Loop, Known, u64) {
        let most = most.max(1);
        let outer: Vec<Known> =
            self.known.iter().copied().filter(|known| known.low >= 0 && known.high < most as i64).collect();
        match self.random.below(100) {
            0..18 if !outer.is_empty() => {
                let outer = self.random.pick(&outer);
                let (header, known, _) = self.triangle(outer, Steps::Any);
                (header, known, (outer.high as u64 / 2).max(1))
            }
            18..25 => {
                // As many iterations as an array says.
                let var = self.loop_variable(Type::I32);
                let limit = most.min(8);
                let end = self.looked_up(1);
                let end = match limit {
                    _ if end.high < limit as i64 => end.expr,
                    limit => binary(BinaryOp::Remainder, end.expr, int(limit as i64)),
                };
                let header =
                    Loop { directive: None, var, start: int(0), test: BinaryOp::Less, end, step: 1, body: Vec::new() };
                (header, Known { var, low: 0, high: limit as i64 - 1 }, (limit / 2).max(1))
            }
            25..31 => {
                // The elements of a row.
                let row = self.natural_index(0);
                if row.high > 4000 {
                    return self.sequential_header(most);
                }
                let length = self.random.between(1, most.min(6) as i64);
                let var = self.loop_variable(Type::I32);
                let of = |row: Expr| binary(BinaryOp::Multiply, row, int(length));
                let end = of(binary(BinaryOp::Add, row.expr.clone(), int(1)));
                let start = of(row.expr);
                let header = Loop { directive: None, var, start, test: BinaryOp::Less, end, step: 1, body: Vec::new() };
                let known = Known { var, low: row.low * length, high: (row.high + 1) * length - 1 };
                (header, known, length as u64)
            }
            _ => {
                let least = if self.random.chance(4) { 0 } else { 1 };
                let extent = self.random.between(least, most.min(16) as i64) as u64;
                let (header, known, _) = self.header(extent);
                (header, known, extent.max(1))
            }
        }
    }
}

/// Which steps a loop may take.
#[derive(Debug, Clone, Copy)]
enum Steps {
    One,
    Any,
}

fn mentions(header: &Loop, var: VarId) -> bool {
    let mut found = false;
    for bound in [&header.start, &header.end] {
        super::super::visit::expressions(bound, &mut |expr| found |= *expr == read(var));
    }
    found
}

/// Puts headers around a body, with the directive on the outermost.
fn assemble(headers: Vec<Loop>, directive: Directive, body: Vec<Stmt>) -> Stmt {
    let mut body = body;
    let mut directive = Some(directive);
    let count = headers.len();
    for (depth, mut header) in headers.into_iter().rev().enumerate() {
        header.body = std::mem::take(&mut body);
        header.directive = if depth + 1 == count { directive.take() } else { None };
        body = vec![Stmt::Loop(header)];
    }
    body.remove(0)
}
