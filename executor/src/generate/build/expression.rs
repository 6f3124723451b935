//! Values and conditions.

use super::*;

impl Builder<'_> {
    /// A number for arithmetic of a type: small, so that products stay exact.
    pub(super) fn value(&mut self, ty: Type, depth: u32) -> Expr {
        if depth == 0 || self.random.chance(25) {
            return self.leaf(ty);
        }
        match self.random.below(100) {
            0..55 => {
                let op =
                    self.random.weighted(&[(45, BinaryOp::Add), (20, BinaryOp::Subtract), (35, BinaryOp::Multiply)]);
                let (left, right) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
                binary(op, left, right)
            }
            55..65 => {
                let condition = self.condition(0);
                let (yes, no) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
                choose(condition, yes, no)
            }
            65..75 => self.called(ty, depth),
            75..80 => {
                // The greater or the lesser one.
                let (left, right) = (self.leaf(ty), self.leaf(ty));
                let op = self.random.pick(&[BinaryOp::Less, BinaryOp::Greater]);
                choose(binary(op, left.clone(), right.clone()), left, right)
            }
            80..82 => Expr::Unary(UnaryOp::Negate, Box::new(self.leaf(ty))),
            82..83 => {
                let of = self.integer(ty, depth - 1);
                Expr::Unary(UnaryOp::Complement, Box::new(of))
            }
            83..86 => {
                let to = self.random.pick(&[Type::I32, Type::I64, Type::I16, Type::U8, Type::F64]);
                let of = self.value(ty, depth - 1);
                Expr::Cast(if ty.is_float() { Type::F64 } else { to }, Box::new(of))
            }
            _ if ty.is_float() => self.leaf(ty),
            86..93 => {
                let op = self.random.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::ShiftRight]);
                let left = self.integer(ty, depth - 1);
                let right = if op.is_shift() { int(self.random.between(1, 4)) } else { self.integer(ty, 0) };
                binary(op, left, right)
            }
            _ => {
                let op = self.random.pick(&[BinaryOp::Divide, BinaryOp::Remainder]);
                let left = self.integer(ty, depth - 1);
                if self.random.chance(25) {
                    let by = self.natural_index(0);
                    let by = binary(BinaryOp::Add, binary(BinaryOp::And, by.expr, int(7)), int(1));
                    return binary(op, left, by);
                }
                binary(op, left, int(self.random.between(2, 9)))
            }
        }
    }

    /// An integer value.
    pub(super) fn integer(&mut self, ty: Type, depth: u32) -> Expr {
        let value = self.value(ty, depth);
        if self.program.type_of(&value).is_float() { Expr::Cast(Type::I32, Box::new(value)) } else { value }
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        match self.random.below(100) {
            0..45 => self.load(ty),
            45..60 if !self.locals.is_empty() => {
                let locals = self.locals.clone();
                read(self.random.pick(&locals))
            }
            60..75 if !self.known.is_empty() => self.natural_index(0).expr,
            75..80 if !self.privates.is_empty() => self.private_element(),
            80..88 => self.parameter_value(),
            88..91 => self.field(),
            _ => self.literal(ty),
        }
    }

    pub(super) fn literal(&mut self, ty: Type) -> Expr {
        let value = self.random.between(if ty.is_signed() || ty.is_float() { -3 } else { 0 }, 9);
        match ty {
            _ if ty.is_float() => Expr::Float(value as f64, ty),
            Type::I64 | Type::U32 | Type::U64 => Expr::Int(value, if value < 0 { Type::I64 } else { ty }),
            _ => int(value),
        }
    }

    fn parameter_value(&mut self) -> Expr {
        if self.values.len() < 2 && self.random.chance(40) {
            let ty = self.element_type();
            let value = self.random.between(if ty.is_signed() || ty.is_float() { -3 } else { 0 }, 9);
            let number = if ty.is_float() { Number::Float(value as f64) } else { Number::Int(value) };
            let name = ["alpha", "beta"][self.values.len()].to_owned();
            let var = self.add(name, ty, Kind::Parameter(number));
            self.values.push(var);
        }
        if self.values.is_empty() {
            return int(self.random.between(1, 9));
        }
        let values = self.values.clone();
        read(self.random.pick(&values))
    }

    fn field(&mut self) -> Expr {
        let var = match self.structure {
            Some(var) => var,
            None => {
                let ty = self.random.pick(&[Type::I32, Type::I32, Type::I64, Type::F32, Type::F64]);
                let fill = Fill::Random { seed: self.random.below(100), below: 9 };
                let var = self.add("s".to_owned(), ty, Kind::Structure { fields: 3, fill });
                self.structure = Some(var);
                var
            }
        };
        Expr::Read(Place { var, index: Vec::new(), field: Some(self.random.below(3) as u32) })
    }

    /// An element of a private array, wherever it is.
    pub(super) fn private_element(&mut self) -> Expr {
        let place = self.random.below(self.privates.len() as u64) as usize;
        let Private { var, dims } = self.privates[place].clone();
        let index = dims.iter().map(|&dim| self.index_below(dim)).collect();
        Expr::Read(Place { var, index, field: None })
    }

    /// An element of an array that no iteration stores to now.
    pub(super) fn load(&mut self, ty: Type) -> Expr {
        let stored: Vec<VarId> = self.targets.iter().map(|target| target.var).collect();
        let mut readable: Vec<VarId> = self.inputs.clone();
        readable.extend(self.written.iter().filter(|var| !stored.contains(var)));
        if !self.targets.is_empty() && self.random.chance(15) {
            let target = self.random.below(self.targets.len() as u64) as usize;
            let offset = self.offset(target);
            return Expr::Read(self.own_place(target, offset));
        }
        let var = if !readable.is_empty() && (self.inputs.len() >= 3 || self.random.chance(70)) {
            self.random.pick(&readable)
        } else if self.inputs.len() < 3 {
            self.input(ty)
        } else {
            self.inputs[0]
        };
        self.element(var)
    }

    fn input(&mut self, wanted: Type) -> VarId {
        let ty = if self.random.chance(70) { wanted } else { self.element_type() };
        let fill = self.fill(ty);
        let layout = match self.random.below(100) {
            0..64 => Layout::Flat,
            64..76 => {
                let dims = self.random.weighted(&[(80, 1), (20, 2)]);
                Layout::Rows { inner: vec![1; dims] }
            }
            76..88 => {
                let dims = self.random.weighted(&[(85, 1), (15, 2)]);
                self.row_layout(dims)
            }
            _ => Layout::Fields { fields: self.random.between(2, 4) as u32 },
        };
        let spare = self.spare();
        let var = self.array("", ty, layout, spare, fill);
        self.inputs.push(var);
        var
    }

    /// Some element of an array.
    fn element(&mut self, var: VarId) -> Expr {
        let Kind::Array(array) = &self.program.variable(var).kind else { return int(0) };
        let (dims, fields) = match &array.layout {
            Layout::Flat => (1, 0),
            Layout::Rows { inner } => (inner.len() + 1, 0),
            Layout::Variable { inner, .. } => (inner.len() + 1, 0),
            Layout::Fields { fields } => (1, *fields),
        };
        let index = match dims {
            1 => vec![self.natural_index(2).expr],
            dims => (0..dims).map(|_| self.small_index()).collect(),
        };
        let field = (fields > 0).then(|| self.random.below(u64::from(fields)) as u32);
        Expr::Read(Place { var, index, field })
    }

    /// An index for one of several dimensions, so that their product stays small.
    fn small_index(&mut self) -> Expr {
        let index = self.natural_index(1);
        if index.high < 150 {
            return index.expr;
        }
        let limit = self.random.pick(&[8, 10, 16, 30, 64]);
        binary(BinaryOp::Remainder, index.expr, int(limit))
    }

    /// Which of the elements of an iteration.
    pub(super) fn offset(&mut self, target: usize) -> Expr {
        let Target { per, ref part, .. } = self.targets[target];
        if per == 1 {
            return int(0);
        }
        if matches!(part, Part::Fields { .. }) || self.random.chance(40) {
            return int(self.random.below(per) as i64);
        }
        self.index_below(per)
    }

    /// A call of a helper.
    fn called(&mut self, ty: Type, depth: u32) -> Expr {
        if self.program.helpers.is_empty() || (self.program.helpers.len() < 2 && self.random.chance(30)) {
            self.helper(ty);
        }
        let number = self.random.below(self.program.helpers.len() as u64) as u32;
        let parameters = self.program.helpers[number as usize].parameters.clone();
        let mut arguments = Vec::new();
        for parameter in parameters {
            let Variable { ty, kind, .. } = self.program.variable(parameter).clone();
            if kind != Kind::Pointer {
                let value = if ty == Type::I64 {
                    self.natural_index(1).expr
                } else {
                    self.value(ty, depth.saturating_sub(1).min(1))
                };
                arguments.push(CallArgument::Value(value));
                continue;
            }
            let fits = |&&var: &&VarId| {
                let variable = self.program.variable(var);
                variable.ty == ty && matches!(variable.kind, Kind::Array(Array { layout: Layout::Flat, .. }))
            };
            let Some(&var) = self.inputs.iter().find(fits) else { return self.leaf(ty) };
            arguments.push(CallArgument::Array(var));
        }
        Expr::Call(HelperId(number), arguments)
    }

    fn helper(&mut self, ty: Type) {
        let ty = if matches!(ty.bits(), 8 | 16) { Type::I32 } else { ty };
        let name = format!("{}_h{}", self.program.name, self.program.helpers.len());
        let inlining = if self.random.chance(75) { Inlining::Wanted } else { Inlining::Never };
        let flat = |&&var: &&VarId| {
            let variable = self.program.variable(var);
            variable.ty == ty && matches!(variable.kind, Kind::Array(Array { layout: Layout::Flat, .. }))
        };
        if self.inputs.iter().any(|var| flat(&var)) && self.random.chance(40) {
            let (pointer, at) = (self.name("v"), self.name("at"));
            let pointer = self.add(pointer, ty, Kind::Pointer);
            let at = self.add(at, Type::I64, Kind::Scalar);
            let value = Expr::Read(Place { var: pointer, index: vec![read(at)], field: None });
            let (parameters, body) = (vec![pointer, at], Vec::new());
            self.program.helpers.push(Helper { name, parameters, result: ty, body, value, inlining });
            return;
        }
        let (a, b) = (self.name("a"), self.name("b"));
        let (a, b) = (self.add(a, ty, Kind::Scalar), self.add(b, ty, Kind::Scalar));
        let step = self.literal(ty);
        let mut body = Vec::new();
        let value = match self.random.below(3) {
            0 => binary(BinaryOp::Add, binary(BinaryOp::Multiply, read(a), step), read(b)),
            1 => choose(binary(BinaryOp::Greater, read(a), read(b)), read(a), binary(BinaryOp::Add, read(b), step)),
            _ => {
                let name = self.name("r");
                let result = self.add(name, ty, Kind::Scalar);
                body.push(Stmt::Declare { var: result, value: Some(read(a)) });
                let condition = binary(BinaryOp::Less, read(a), read(b));
                let then = vec![Stmt::Assign { place: Place::scalar(result), op: Some(BinaryOp::Add), value: step }];
                let other = vec![Stmt::Assign { place: Place::scalar(result), op: None, value: read(b) }];
                body.push(Stmt::If { condition, then, other });
                read(result)
            }
        };
        self.program.helpers.push(Helper { name, parameters: vec![a, b], result: ty, body, value, inlining });
    }

    /// A condition that is neither always true nor always false, as far as that is easy to tell.
    pub(super) fn condition(&mut self, depth: u32) -> Expr {
        match self.random.below(if depth == 0 { 80 } else { 110 }) {
            0..25 => {
                let of = self.natural_index(0);
                let divisor = self.random.between(2, 5);
                let op = self.random.pick(&[BinaryOp::Equal, BinaryOp::NotEqual]);
                let rest = int(self.random.between(0, divisor - 1));
                binary(op, binary(BinaryOp::Remainder, of.expr, int(divisor)), rest)
            }
            25..50 => {
                let of = self.natural_index(0);
                let op =
                    self.random.pick(&[BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::Greater, BinaryOp::GreaterEqual]);
                let span = of.values().clamp(1, 1000);
                let bound = (of.low + self.random.below(span as u64) as i64).max(1);
                let bound = self.number(bound);
                binary(op, of.expr, bound.expr)
            }
            50..60 => {
                let of = self.natural_index(0);
                let mask = self.random.pick(&[1, 2, 3, 4, 6]);
                binary(BinaryOp::NotEqual, binary(BinaryOp::And, of.expr, int(mask)), int(0))
            }
            60..80 => {
                let ty = self.element_type();
                let of = self.load(ty);
                let bound = int(self.random.between(1, 9));
                let op = self.random.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::Equal, BinaryOp::NotEqual]);
                binary(op, of, bound)
            }
            80..90 if self.known.len() > 1 => {
                let place = self.random.below(self.known.len() as u64 - 1) as usize;
                let (left, right) = (self.known[place + 1].var, self.known[place].var);
                let op =
                    self.random.pick(&[BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::Greater, BinaryOp::NotEqual]);
                binary(op, read(left), read(right))
            }
            90..93 => Expr::Unary(UnaryOp::Not, Box::new(self.condition(0))),
            _ => {
                let op = self.random.pick(&[BinaryOp::LogicalAnd, BinaryOp::LogicalOr]);
                let (left, right) = (self.condition(0), self.condition(0));
                binary(op, left, right)
            }
        }
    }
}
