//! Statements that one iteration runs by itself.

use super::*;

/// The most arrays that are stored to.
const MAX_OUTPUTS: usize = 2;

impl Builder<'_> {
    /// What one iteration of the parallel loops around does; `work` is about how many statements it may run.
    pub(super) fn iteration(&mut self, work: u64) -> Vec<Stmt> {
        let mut body = Vec::new();
        let targets = self.targets.len();
        let wanted = self.reduced.clone();
        let stores = wanted.is_empty() || self.random.chance(60);
        if stores {
            let per = self.random.weighted(&[(62, 1), (14, 2), (8, 3), (8, 4), (4, 8), (4, 5)]);
            self.own_target(per);
        }
        let count = self.random.between(1, 3);
        self.scoped(|builder| {
            for _ in 0..count {
                builder.statement(3, work, &mut body);
            }
            for var in wanted {
                let reduce = builder.reduce(var);
                body.push(reduce);
            }
            if stores && !stores_to_any(&body, &builder.targets[targets..]) {
                let store = builder.store();
                body.push(store);
            }
        });
        body
    }

    /// A target for the present construct: a new array, or one of an earlier phase.
    fn own_target(&mut self, per: u64) -> usize {
        let flat =
            |var: &VarId| matches!(&self.program.variable(*var).kind, Kind::Array(Array { layout: Layout::Flat, .. }));
        let old: Vec<VarId> = self.written.iter().copied().filter(flat).collect();
        if old.is_empty() || (self.outputs.len() < MAX_OUTPUTS && self.random.chance(60)) {
            return self.target(per);
        }
        let var = self.random.pick(&old);
        let base = self.distinct().expr;
        self.targets.push(Target { var, part: Part::Packed { base }, per });
        self.targets.len() - 1
    }

    fn block(&mut self, depth: u32, work: u64) -> Vec<Stmt> {
        let count = self.random.weighted(&[(45, 1), (35, 2), (20, 3)]);
        self.scoped(|builder| {
            let mut body = Vec::new();
            for _ in 0..count {
                builder.statement(depth, work / count, &mut body);
            }
            body
        })
    }

    fn statement(&mut self, depth: u32, work: u64, body: &mut Vec<Stmt>) {
        if depth == 0 || self.room == 0 {
            let store = self.effect();
            body.push(store);
            return;
        }
        self.room -= 1;
        let deeper = depth - 1;
        match self.random.below(100) {
            0..20 => {
                let store = self.effect();
                body.push(store);
            }
            20..28 => self.local(body),
            28..35 => self.index_local(body),
            35..41 => self.conditional_index(body),
            41..54 => {
                let condition = self.condition(1);
                let then = self.block(deeper, work);
                let other = if self.random.chance(35) { self.block(deeper, work) } else { Vec::new() };
                body.push(Stmt::If { condition, then, other });
            }
            54..58 => self.switch(deeper, work, body),
            58..69 if work >= 2 => self.sequential_loop(deeper, work, body),
            69..74 if work >= 4 => self.search(deeper, work, body),
            74..86 if work >= 2 => self.accumulate(work, body),
            86..90 if work >= 6 => self.private_array(body),
            90..94 => self.atomic(body),
            94..97 => self.unrolled(work, body),
            97..99 if self.exits != Exits::None => {
                let condition = self.condition(0);
                let leave = match self.exits {
                    Exits::Break => Stmt::Break,
                    Exits::Any if self.random.chance(50) => Stmt::Break,
                    _ => Stmt::Continue,
                };
                body.push(Stmt::If { condition, then: vec![leave], other: Vec::new() });
            }
            _ => {
                let store = self.effect();
                body.push(store);
            }
        }
    }

    /// A statement that leaves something behind.
    fn effect(&mut self) -> Stmt {
        let assignable = self.locals[self.assignable..].to_vec();
        if !self.reduced.is_empty() && self.random.chance(30) {
            let reduced = self.reduced.clone();
            let var = self.random.pick(&reduced);
            return self.reduce(var);
        }
        if !assignable.is_empty() && (self.targets.is_empty() || self.random.chance(25)) {
            let var = self.random.pick(&assignable);
            let ty = self.program.variable(var).ty;
            let value = self.fitting(ty, 1);
            let op = self.random.weighted(&[(40, None), (45, Some(BinaryOp::Add)), (15, Some(BinaryOp::Subtract))]);
            return Stmt::Assign { place: Place::scalar(var), op, value };
        }
        self.store()
    }

    /// A value that a variable of a type can hold without a conversion that asks for trouble.
    fn fitting(&mut self, ty: Type, depth: u32) -> Expr {
        if ty.is_float() { self.value(ty, depth) } else { self.integer(ty, depth) }
    }

    pub(super) fn store(&mut self) -> Stmt {
        let more = self.outputs.len() < MAX_OUTPUTS && self.random.chance(12);
        let target = if self.targets.is_empty() || more {
            self.own_target(1)
        } else {
            self.random.below(self.targets.len() as u64) as usize
        };
        let ty = self.program.variable(self.targets[target].var).ty;
        let depth = self.random.weighted(&[(35, 1), (45, 2), (20, 3)]);
        let value = self.fitting(ty, depth);
        let offset = self.offset(target);
        let place = self.own_place(target, offset);
        let mut ops =
            vec![(62, None), (18, Some(BinaryOp::Add)), (8, Some(BinaryOp::Subtract)), (4, Some(BinaryOp::Multiply))];
        if !ty.is_float() {
            ops.extend([(3, Some(BinaryOp::Or)), (3, Some(BinaryOp::And)), (2, Some(BinaryOp::Xor))]);
        }
        let op = self.random.weighted(&ops);
        Stmt::Assign { place, op, value }
    }

    fn reduce(&mut self, var: VarId) -> Stmt {
        let ty = self.program.variable(var).ty;
        let value = self.integer(ty, 1);
        let reduce = Stmt::Reduce { var, value };
        if self.random.chance(25) {
            let condition = self.condition(0);
            return Stmt::If { condition, then: vec![reduce], other: Vec::new() };
        }
        reduce
    }

    fn scalar(&mut self, stem: &str, ty: Type) -> VarId {
        let name = self.name(stem);
        self.add(name, ty, Kind::Scalar)
    }

    fn local(&mut self, body: &mut Vec<Stmt>) {
        let ty = self.element_type();
        let value = self.fitting(ty, 2);
        let var = self.scalar("t", ty);
        body.push(Stmt::Declare { var, value: Some(value) });
        self.locals.push(var);
    }

    fn index_local(&mut self, body: &mut Vec<Stmt>) {
        let index = self.natural_index(2);
        let signed = self.random.chance(80);
        let ty = self.index_type(signed);
        let var = self.scalar("x", ty);
        let (low, high) = (index.low, index.high);
        body.push(Stmt::Declare { var, value: Some(index.expr) });
        self.known.push(Known { var, low, high });
    }

    /// An index that is defined in one of two ways, or clamped afterwards.
    fn conditional_index(&mut self, body: &mut Vec<Stmt>) {
        let ty = self.random.pick(&[Type::I32, Type::I32, Type::I64]);
        let var = self.scalar("x", ty);
        let set = |value: Expr| vec![Stmt::Assign { place: Place::scalar(var), op: None, value }];
        let (one, two) = (self.natural_index(1), self.natural_index(1));
        let (low, high) = (one.low.min(two.low), one.high.max(two.high));
        match self.random.below(3) {
            0 => {
                let condition = self.condition(1);
                body.push(Stmt::Declare { var, value: None });
                body.push(Stmt::If { condition, then: set(one.expr), other: set(two.expr) });
                self.known.push(Known { var, low, high });
            }
            1 => {
                let condition = self.condition(1);
                body.push(Stmt::Declare { var, value: Some(one.expr) });
                body.push(Stmt::If { condition, then: set(two.expr), other: Vec::new() });
                self.known.push(Known { var, low, high });
            }
            _ => {
                let limit = self.random.between(1, 40);
                let limit = self.number(limit);
                let condition = binary(BinaryOp::Greater, read(var), limit.expr.clone());
                body.push(Stmt::Declare { var, value: Some(one.expr) });
                if self.random.chance(50) {
                    let value = choose(condition, limit.expr, read(var));
                    body.extend(set(value));
                } else {
                    body.push(Stmt::If { condition, then: set(limit.expr), other: Vec::new() });
                }
                self.known.push(Known { var, low: one.low.min(limit.low), high: one.high.min(limit.high) });
            }
        }
    }

    fn switch(&mut self, depth: u32, work: u64, body: &mut Vec<Stmt>) {
        let of = self.natural_index(0);
        let count = self.random.between(2, 4);
        let on = binary(BinaryOp::Remainder, of.expr, int(count + self.random.between(0, 1)));
        let exits = self.exits;
        // A `break` would leave the `switch` alone.
        self.exits = match exits {
            Exits::None | Exits::Break => Exits::None,
            Exits::Continue | Exits::Any => Exits::Continue,
        };
        let cases = (0..count - 1).map(|label| (label, self.block(depth, work))).collect();
        let other = if self.random.chance(70) { self.block(depth, work) } else { Vec::new() };
        self.exits = exits;
        body.push(Stmt::Switch { on, cases, other });
    }

    fn sequential_loop(&mut self, depth: u32, work: u64, body: &mut Vec<Stmt>) {
        let counted = self.own_loop(work.min(24), |builder, trips| builder.block(depth, work / trips));
        body.push(Stmt::Loop(counted));
    }

    /// A loop that one thread runs.
    fn own_loop(&mut self, most: u64, make: impl FnOnce(&mut Self, u64) -> Vec<Stmt>) -> Loop {
        let (mut counted, known, trips) = self.sequential_header(most);
        let exits = std::mem::replace(&mut self.exits, Exits::Any);
        counted.body = self.scoped(|builder| {
            builder.known.push(known);
            make(builder, trips.max(1))
        });
        self.exits = exits;
        counted
    }

    /// `while`, until something is found.
    fn search(&mut self, depth: u32, work: u64, body: &mut Vec<Stmt>) {
        let trips = self.random.between(2, work.min(12) as i64);
        let var = self.scalar("w", Type::I32);
        let known = Known { var, low: 0, high: trips };
        body.push(Stmt::Declare { var, value: Some(int(0)) });
        let exits = std::mem::replace(&mut self.exits, Exits::Break);
        let (condition, inner) = self.scoped(|builder| {
            builder.known.push(known);
            let bound = builder.number(trips);
            let counting = binary(BinaryOp::Less, read(var), bound.expr);
            let ty = builder.element_type();
            let found = builder.load(ty);
            let looking = binary(BinaryOp::NotEqual, found, int(builder.random.between(0, 4)));
            let mut inner = builder.block(depth, work / trips as u64);
            let step = int(builder.random.weighted(&[(80, 1), (20, 2)]));
            inner.push(Stmt::Assign { place: Place::scalar(var), op: Some(BinaryOp::Add), value: step });
            (binary(BinaryOp::LogicalAnd, counting, looking), inner)
        });
        self.exits = exits;
        body.push(Stmt::While { condition, body: inner });
        self.known.push(Known { var, low: 0, high: trips + 1 });
    }

    /// A sum over one or two loops, as in a product of matrices.
    fn accumulate(&mut self, work: u64, body: &mut Vec<Stmt>) {
        let ty = self.random.weighted(&[
            (35, Type::F32),
            (20, Type::F64),
            (25, Type::I32),
            (10, Type::I64),
            (10, Type::U32),
        ]);
        let var = self.scalar("sum", ty);
        let start = self.literal(ty);
        body.push(Stmt::Declare { var, value: Some(start) });
        let nested = work >= 16 && self.random.chance(30);
        let counted = self.own_loop(work.min(24), |builder, trips| {
            let mut inner = Vec::new();
            if builder.random.chance(15) {
                let condition = builder.condition(1);
                inner.push(Stmt::If { condition, then: vec![Stmt::Continue], other: Vec::new() });
            }
            if nested {
                let deep = builder.own_loop((work / trips).clamp(2, 12), |builder, _| vec![builder.addend(var)]);
                inner.push(Stmt::Loop(deep));
            } else {
                inner.push(builder.addend(var));
            }
            if builder.random.chance(12) {
                let limit = builder.random.between(20, 500);
                let condition = binary(BinaryOp::Greater, read(var), int(limit));
                inner.push(Stmt::If { condition, then: vec![Stmt::Break], other: Vec::new() });
            }
            inner
        });
        body.push(Stmt::Loop(counted));
        self.locals.push(var);
        if !self.targets.is_empty() && self.random.chance(60) {
            let target = self.random.below(self.targets.len() as u64) as usize;
            let offset = self.offset(target);
            let place = self.own_place(target, offset);
            let element = self.program.variable(place.var).ty;
            let value = if ty.is_float() && !element.is_float() {
                Expr::Cast(Type::I32, Box::new(read(var)))
            } else {
                read(var)
            };
            let op = self.random.weighted(&[(70, None), (30, Some(BinaryOp::Add))]);
            body.push(Stmt::Assign { place, op, value });
        }
    }

    fn addend(&mut self, var: VarId) -> Stmt {
        let ty = self.program.variable(var).ty;
        let value = match self.random.below(3) {
            0 => self.load(ty),
            1 => binary(BinaryOp::Multiply, self.load(ty), self.load(ty)),
            _ => self.value(ty, 2),
        };
        let float = self.program.type_of(&value).is_float();
        let value = if float && !ty.is_float() { Expr::Cast(Type::I32, Box::new(value)) } else { value };
        Stmt::Assign { place: Place::scalar(var), op: Some(BinaryOp::Add), value }
    }

    /// A private array that is filled and stays readable.
    fn private_array(&mut self, body: &mut Vec<Stmt>) {
        let dims: Vec<u64> = if self.random.chance(75) {
            vec![self.random.pick(&[2, 3, 4, 8])]
        } else {
            vec![self.random.pick(&[2, 3]), self.random.pick(&[2, 4])]
        };
        let ty = self.element_type();
        let name = self.name("tmp");
        let var = self.add(name, ty, Kind::Local { dims: dims.clone() });
        body.push(Stmt::Declare { var, value: None });
        let mut filled = self.filling(var, ty, &dims, Vec::new());
        body.append(&mut filled);
        self.privates.push(Private { var, dims });
    }

    fn filling(&mut self, var: VarId, ty: Type, dims: &[u64], index: Vec<Expr>) -> Vec<Stmt> {
        let Some((&dim, rest)) = dims.split_first() else {
            let value = self.fitting(ty, 1);
            return vec![Stmt::Assign { place: Place { var, index, field: None }, op: None, value }];
        };
        let (mut counted, known) = self.plain_header(Type::I32, dim);
        counted.body = self.scoped(|builder| {
            builder.known.push(known);
            let index = index.into_iter().chain([read(known.var)]).collect();
            builder.filling(var, ty, rest, index)
        });
        vec![Stmt::Loop(counted)]
    }

    /// A histogram, or the like.
    fn atomic(&mut self, body: &mut Vec<Stmt>) {
        if self.in_simd {
            return;
        }
        let (var, op) = if !self.counters.is_empty() && self.random.chance(70) {
            let counters = self.counters.clone();
            self.random.pick(&counters)
        } else {
            let ty = self.random.pick(&[Type::I32, Type::I32, Type::U32, Type::I64, Type::U64, Type::F32, Type::F64]);
            let op = match ty.is_float() {
                true => self.random.pick(&[BinaryOp::Add, BinaryOp::Subtract]),
                false => self.random.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Or, BinaryOp::Xor, BinaryOp::And]),
            };
            let (spare, fill) = (self.spare(), self.fill(ty));
            let var = self.array("hist", ty, Layout::Flat, spare, fill);
            self.counters.push((var, op));
            (var, op)
        };
        let index = self.natural_index(2);
        let index = if index.high < 64 || self.random.chance(40) {
            index.expr
        } else {
            let bins = self.random.pick(&[1, 7, 8, 16, 32]);
            binary(BinaryOp::Remainder, index.expr, int(bins))
        };
        let ty = self.program.variable(var).ty;
        let value = if self.random.chance(50) { int(1) } else { self.fitting(ty, 1) };
        let float = self.program.type_of(&value).is_float();
        let value = if float && !ty.is_float() { Expr::Cast(Type::I32, Box::new(value)) } else { value };
        body.push(Stmt::Atomic { place: Place { var, index: vec![index], field: None }, op, value });
    }

    /// A `simd` loop over the elements of an iteration.
    fn unrolled(&mut self, work: u64, body: &mut Vec<Stmt>) {
        let target =
            self.targets.iter().rposition(|target| target.per > 1 && !matches!(target.part, Part::Fields { .. }));
        let Some(target) = target.filter(|_| !self.in_simd && work >= 2) else {
            return;
        };
        let (mut counted, known) = self.plain_header(Type::I32, self.targets[target].per);
        counted.directive = Some(Directive { construct: Construct::Simd, clauses: Vec::new() });
        let exits = std::mem::replace(&mut self.exits, Exits::None);
        self.in_simd = true;
        counted.body = self.scoped(|builder| {
            builder.known.push(known);
            let place = builder.own_place(target, read(known.var));
            let ty = builder.program.variable(place.var).ty;
            // Other elements of the iteration belong to other lanes.
            let kept = std::mem::take(&mut builder.targets);
            let hidden: Vec<VarId> = kept.iter().map(|target| target.var).collect();
            let written = builder.written.clone();
            builder.written.retain(|var| !hidden.contains(var));
            let value = builder.fitting(ty, 2);
            builder.targets = kept;
            builder.written = written;
            vec![Stmt::Assign { place, op: None, value }]
        });
        self.in_simd = false;
        self.exits = exits;
        body.push(Stmt::Loop(counted));
    }
}

fn stores_to_any(body: &[Stmt], targets: &[Target]) -> bool {
    let mut found = false;
    super::super::visit::statements(body, &mut |stmt| {
        if let Stmt::Assign { place, .. } = stmt {
            found |= targets.iter().any(|target| target.var == place.var);
        }
    });
    found
}
