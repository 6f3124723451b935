//! Runs a [`Program`] one iteration after another, as C without directives would, and refuses what C leaves undefined, what is
//! not exact, and what another order of the parallel iterations could change.

use super::arithmetic::{Evaluated, Reject, Value, binary, convert, fitted, unary, wrapped};
use super::order::{History, NodeId, Order};
use super::syntax::*;
use super::visit;
use crate::arguments::Fill;
use crate::random::Random;

/// The most statements and iterations that a program may run through.
pub const MAX_STEPS: u64 = 300_000;
/// The most elements of an array.
pub const MAX_COUNT: u64 = 1 << 16;
/// How often inner extents may turn out too small before a program is given up.
const MAX_MEASUREMENTS: u32 = 6;

/// What a program leaves behind.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Arrays, structures and results with their bytes, in the order of the variables.
    pub contents: Vec<(VarId, Vec<u8>)>,
    /// Statements and iterations that were run.
    pub steps: u64,
    /// Iterations of parallel loops.
    pub iterations: u64,
}

/// Runs a program; arrays whose size follows from their use get it here.
pub fn settle(program: &mut Program) -> Result<Outcome, Reject> {
    let least = min_extents(program);
    for var in program.ids() {
        set_inner(program, var, |dim| least[var.0 as usize].get(dim).copied().unwrap_or(1));
    }
    for _ in 0..MAX_MEASUREMENTS {
        let mut evaluator = Evaluator::new(program);
        let result = evaluator.run();
        let Evaluator { objects, steps, iterations, grown, .. } = evaluator;
        if !grown {
            result?;
            return finish(program, objects, steps, iterations);
        }
        for (var, object) in program.ids().zip(&objects) {
            set_inner(program, var, |dim| object.inner[dim]);
        }
    }
    Err(Reject::TooLarge)
}

/// The bytes of arrays, structures and results before a program runs.
pub fn initial(program: &Program) -> Vec<(VarId, Vec<u8>)> {
    let kept = |var: &VarId| has_contents(&program.variable(*var).kind);
    program.ids().filter(kept).map(|var| (var, bytes(program, var, &initial_cells(program, var)))).collect()
}

/// Inner extents that literal indices ask for, even where they are never used.
fn min_extents(program: &Program) -> Vec<Vec<u64>> {
    let mut least = vec![Vec::new(); program.variables.len()];
    let mut note = |place: &Place| {
        let extents: &mut Vec<u64> = &mut least[place.var.0 as usize];
        for (dim, index) in place.index.iter().skip(1).enumerate() {
            extents.resize(extents.len().max(dim + 1), 1);
            if let Expr::Int(value @ 0.., _) = index {
                extents[dim] = extents[dim].max(*value as u64 + 1);
            }
        }
    };
    for region in &program.regions {
        visit::statements(&region.body, &mut |stmt| {
            if let Stmt::Assign { place, .. } | Stmt::Atomic { place, .. } = stmt {
                note(place);
            }
            for expr in visit::own_expressions(stmt) {
                visit::expressions(expr, &mut |expr| {
                    if let Expr::Read(place) = expr {
                        note(place);
                    }
                });
            }
        });
    }
    least
}

/// Sets the inner extents of an array whose size follows from its use.
fn set_inner(program: &mut Program, var: VarId, extent: impl Fn(usize) -> u64) {
    let Kind::Array(Array { layout, .. }) = &mut program.variable_mut(var).kind else {
        return;
    };
    match layout {
        Layout::Rows { inner } => {
            inner.iter_mut().enumerate().for_each(|(dim, value)| *value = extent(dim));
        }
        Layout::Variable { inner, .. } => {
            for (dim, parameter) in inner.clone().into_iter().enumerate() {
                if let Kind::Parameter(Number::Int(value)) = &mut program.variable_mut(parameter).kind {
                    *value = extent(dim) as i64;
                }
            }
        }
        Layout::Flat | Layout::Fields { .. } => {}
    }
}

fn finish(program: &mut Program, objects: Vec<Object>, steps: u64, iterations: u64) -> Result<Outcome, Reject> {
    for (var, object) in program.ids().zip(&objects) {
        let row: u64 = object.inner.iter().product();
        let Kind::Array(array) = &mut program.variable_mut(var).kind else { continue };
        let used = object.cells.len() as u64;
        array.count = (used.div_ceil(row).max(1) + array.spare) * row;
        if array.count > MAX_COUNT {
            return Err(Reject::TooLarge);
        }
        let rows = array.count / row;
        if let Layout::Variable { outer: Some(outer), .. } = array.layout {
            program.variable_mut(outer).kind = Kind::Parameter(Number::Int(rows as i64));
        }
    }
    let mut contents = Vec::new();
    for (var, object) in program.ids().zip(objects) {
        if has_contents(&program.variable(var).kind) {
            let mut cells = initial_cells(program, var);
            for (cell, value) in cells.iter_mut().zip(object.cells) {
                *cell = value.ok_or(Reject::NotInitialised)?;
            }
            contents.push((var, bytes(program, var, &cells)));
        }
    }
    Ok(Outcome { contents, steps, iterations })
}

fn has_contents(kind: &Kind) -> bool {
    matches!(kind, Kind::Array(_) | Kind::Structure { .. } | Kind::Result { .. })
}

fn initial_cells(program: &Program, var: VarId) -> Vec<Value> {
    let variable = program.variable(var);
    match variable.kind {
        Kind::Array(ref array) => {
            let mut filler = Filler::new(array.fill, variable.ty);
            (0..array.count).map(|index| filler.next(index)).collect()
        }
        Kind::Structure { fields, fill } => {
            let mut filler = Filler::new(fill, variable.ty);
            (0..u64::from(fields)).map(|index| filler.next(index)).collect()
        }
        Kind::Result { start, .. } => vec![Value::Int(i128::from(start))],
        _ => Vec::new(),
    }
}

fn bytes(program: &Program, var: VarId, cells: &[Value]) -> Vec<u8> {
    let ty = program.variable(var).ty;
    let mut bytes = Vec::with_capacity(cells.len() * ty.bytes() as usize);
    for cell in cells {
        match (*cell, ty) {
            (Value::Int(value), _) => bytes.extend_from_slice(&value.to_le_bytes()[..ty.bytes() as usize]),
            (Value::Float(value), Type::F32) => bytes.extend_from_slice(&(value as f32).to_le_bytes()),
            (Value::Float(value), _) => bytes.extend_from_slice(&value.to_le_bytes()),
        }
    }
    bytes
}

/// First values of an array, one after the other.
struct Filler {
    fill: Fill,
    ty: Type,
    random: Random,
}

impl Filler {
    fn new(fill: Fill, ty: Type) -> Filler {
        let seed = if let Fill::Random { seed, .. } = fill { seed } else { 0 };
        Filler { fill, ty, random: Random::new(seed) }
    }

    fn next(&mut self, index: u64) -> Value {
        let value = match self.fill {
            Fill::Zero => 0,
            Fill::Index => i128::from(index),
            Fill::Modulo(divisor) => i128::from(index % divisor),
            Fill::Constant(value) => value as i128,
            Fill::Random { below, .. } => i128::from(self.random.below(below)),
        };
        if self.ty.is_float() { Value::Float(value as f64) } else { Value::Int(wrapped(value, self.ty)) }
    }
}

/// The memory of one variable.
struct Object {
    cells: Vec<Option<Value>>,
    histories: Vec<History>,
    /// Where it was declared: no history is needed there.
    owner: NodeId,
    /// Extents of all dimensions but the first; the last one may be the fields of a structure.
    inner: Vec<u64>,
    growth: Growth,
    state: Use,
    /// The sum of the magnitudes of what was added in an order that is open.
    added: i128,
}

/// Whether an array's first dimension follows from its use.
enum Growth {
    Fixed,
    Used(Filler),
}

/// What may be done with a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Free,
    /// It is being reduced.
    Reduced,
}

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Continue,
    Break,
}

struct Evaluator<'a> {
    program: &'a Program,
    objects: Vec<Object>,
    /// What helpers' pointers point to.
    targets: Vec<VarId>,
    order: Order,
    at: NodeId,
    steps: u64,
    iterations: u64,
    /// Whether an inner extent was too small, so that this run only measures.
    grown: bool,
}

impl<'a> Evaluator<'a> {
    fn new(program: &'a Program) -> Evaluator<'a> {
        let objects = program.ids().map(|var| object(program, var)).collect();
        let targets = program.ids().collect();
        Evaluator {
            program,
            objects,
            targets,
            order: Order::new(),
            at: Order::ROOT,
            steps: 0,
            iterations: 0,
            grown: false,
        }
    }

    fn run(&mut self) -> Evaluated<()> {
        let program = self.program;
        for region in &program.regions {
            self.block(&region.body)?;
        }
        Ok(())
    }

    fn step(&mut self) -> Evaluated<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(Reject::TooManySteps) } else { Ok(()) }
    }

    fn block(&mut self, body: &'a [Stmt]) -> Evaluated<Flow> {
        for stmt in body {
            let flow = self.statement(stmt)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Evaluated<Flow> {
        self.step()?;
        match stmt {
            Stmt::Declare { var, value } => self.declare(*var, value.as_ref())?,
            Stmt::Assign { place, op, value } => self.assign(place, *op, value)?,
            Stmt::Atomic { place, op, value } => self.atomic(place, *op, value)?,
            Stmt::Reduce { var, value } => self.reduce(*var, value)?,
            Stmt::If { condition, then, other } => {
                return if self.truth(condition)? { self.block(then) } else { self.block(other) };
            }
            Stmt::Switch { on, cases, other } => {
                let (_, value) = self.expr(on)?;
                let Value::Int(value) = value else { return Err(Reject::Malformed) };
                let body = cases.iter().find(|(label, _)| i128::from(*label) == value).map_or(other, |(_, body)| body);
                let flow = self.block(body)?;
                return Ok(if flow == Flow::Break { Flow::Next } else { flow });
            }
            Stmt::Loop(counted) => self.counted(counted)?,
            Stmt::While { condition, body } => {
                while self.truth(condition)? {
                    self.step()?;
                    if self.block(body)? == Flow::Break {
                        break;
                    }
                }
            }
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Break => return Ok(Flow::Break),
        }
        Ok(Flow::Next)
    }

    fn declare(&mut self, var: VarId, value: Option<&'a Expr>) -> Evaluated<()> {
        let value = value.map(|value| self.converted(value, self.program.variable(var).ty)).transpose()?;
        let mut fresh = object(self.program, var);
        fresh.owner = self.at;
        if fresh.inner.is_empty() && !matches!(self.program.variable(var).kind, Kind::Local { .. }) {
            fresh.cells = vec![value];
        }
        self.objects[var.0 as usize] = fresh;
        Ok(())
    }

    fn assign(&mut self, place: &'a Place, op: Option<BinaryOp>, value: &'a Expr) -> Evaluated<()> {
        let ty = self.program.variable(place.var).ty;
        let (var, index) = self.resolve(place)?;
        let value = match op {
            None => self.converted(value, ty)?,
            Some(op) => {
                let right = self.expr(value)?;
                let left = self.load(var, index)?;
                let (from, value) = binary(op, (ty, left), right)?;
                convert(from, value, ty)?
            }
        };
        self.store(var, index, value)
    }

    fn atomic(&mut self, place: &'a Place, op: BinaryOp, value: &'a Expr) -> Evaluated<()> {
        let ty = self.program.variable(place.var).ty;
        let (var, index) = self.resolve(place)?;
        let right = self.expr(value)?;
        let (object, order, at) = (&mut self.objects[var.0 as usize], &self.order, self.at);
        if !object.histories[index].update(order, at, op) && !self.grown {
            return Err(Reject::Conflict);
        }
        let left = object.cells[index].ok_or(Reject::NotInitialised)?;
        if matches!(op, BinaryOp::Add | BinaryOp::Subtract) {
            add_magnitude(object, right.1, left, ty)?;
        }
        let (from, value) = binary(op, (ty, left), right)?;
        object.cells[index] = Some(convert(from, value, ty)?);
        Ok(())
    }

    fn reduce(&mut self, var: VarId, value: &'a Expr) -> Evaluated<()> {
        let variable = self.program.variable(var);
        let (Kind::Result { op, .. } | Kind::TeamResult { op }) = variable.kind else { return Err(Reject::Malformed) };
        let right = self.converted(value, variable.ty)?;
        let object = &mut self.objects[var.0 as usize];
        let (Some(left), Use::Reduced) = (object.cells[0], object.state) else { return Err(Reject::Malformed) };
        let (Value::Int(a), Value::Int(b)) = (left, right) else { return Err(Reject::Malformed) };
        let value = match op {
            ReduceOp::Add => {
                add_magnitude(object, right, left, variable.ty)?;
                fitted(a + b, variable.ty)?
            }
            ReduceOp::Max => a.max(b),
            ReduceOp::Min => a.min(b),
            ReduceOp::And => a & b,
            ReduceOp::Or => a | b,
            ReduceOp::Xor => a ^ b,
        };
        object.cells[0] = Some(Value::Int(value));
        Ok(())
    }

    fn counted(&mut self, counted: &'a Loop) -> Evaluated<()> {
        let Some(directive) = &counted.directive else {
            return self.levels(counted, 1, &mut |evaluator, body| evaluator.block(body));
        };
        let outside = self.at;
        let construct = self.order.construct(outside);
        let mut vars = vec![counted.var];
        let mut innermost = counted;
        for _ in 1..directive.collapse() {
            let [Stmt::Loop(next)] = innermost.body.as_slice() else { return Err(Reject::Malformed) };
            vars.push(next.var);
            innermost = next;
        }
        let of_clauses = |wanted: fn(&Clause) -> Option<VarId>| directive.clauses.iter().filter_map(wanted);
        let private = |clause: &Clause| if let Clause::Private(var) = clause { Some(*var) } else { None };
        let reduced = |clause: &Clause| if let Clause::Reduction(var) = clause { Some(*var) } else { None };
        for var in of_clauses(reduced) {
            self.store(var, 0, self.objects[var.0 as usize].cells[0].ok_or(Reject::NotInitialised)?)?;
            self.objects[var.0 as usize].state = Use::Reduced;
        }
        let collapsed = directive.collapse();
        self.levels(counted, collapsed, &mut |evaluator, body| {
            evaluator.iterations += 1;
            evaluator.at = evaluator.order.iteration(construct);
            for &var in &vars {
                evaluator.objects[var.0 as usize].owner = evaluator.at;
            }
            for var in of_clauses(private) {
                evaluator.declare(var, None)?;
            }
            let flow = evaluator.block(body)?;
            evaluator.at = outside;
            Ok(flow)
        })?;
        for var in of_clauses(reduced) {
            self.objects[var.0 as usize].state = Use::Free;
        }
        for var in of_clauses(private) {
            self.declare(var, None)?;
        }
        Ok(())
    }

    /// Runs `levels` loops, each the only statement of the one around it, and the innermost body in the way that is asked for.
    fn levels(
        &mut self,
        counted: &'a Loop,
        levels: usize,
        inner: &mut dyn FnMut(&mut Self, &'a [Stmt]) -> Evaluated<Flow>,
    ) -> Evaluated<()> {
        let ty = self.program.variable(counted.var).ty;
        let cell = counted.var.0 as usize;
        self.declare(counted.var, Some(&counted.start))?;
        loop {
            let Some(Value::Int(value)) = self.objects[cell].cells[0] else { return Err(Reject::Malformed) };
            let end = self.expr(&counted.end)?;
            if binary(counted.test, (ty, Value::Int(value)), end)?.1 == Value::Int(0) {
                return Ok(());
            }
            self.step()?;
            let flow = match counted.body.as_slice() {
                [Stmt::Loop(next)] if levels > 1 => self.levels(next, levels - 1, inner).map(|()| Flow::Next)?,
                _ if levels > 1 => return Err(Reject::Malformed),
                body => inner(self, body)?,
            };
            if flow == Flow::Break {
                return Ok(());
            }
            let next = value + i128::from(counted.step);
            if next != wrapped(next, ty) {
                return Err(Reject::LoopWraps);
            }
            self.objects[cell].cells[0] = Some(Value::Int(next));
            self.objects[cell].owner = self.at;
        }
    }

    fn resolve(&mut self, place: &'a Place) -> Evaluated<(VarId, usize)> {
        let var = self.targets[place.var.0 as usize];
        if place.index.is_empty() {
            return Ok((var, place.field.unwrap_or(0) as usize));
        }
        let mut flat = 0;
        let fields = place.field.map(|field| Value::Int(i128::from(field)));
        for dim in 0..place.index.len() + usize::from(fields.is_some()) {
            let value = match place.index.get(dim) {
                Some(index) => self.expr(index)?.1,
                None => fields.ok_or(Reject::Malformed)?,
            };
            let Value::Int(value) = value else { return Err(Reject::Malformed) };
            let object = &mut self.objects[var.0 as usize];
            let value = u64::try_from(value).ok().filter(|&value| value < MAX_COUNT).ok_or(Reject::OutOfArray)?;
            if dim == 0 {
                flat = value;
                continue;
            }
            let extent = object.inner.get_mut(dim - 1).ok_or(Reject::Malformed)?;
            if value >= *extent {
                if matches!(object.growth, Growth::Fixed) {
                    return Err(Reject::OutOfArray);
                }
                *extent = value + 1;
                self.grown = true;
            }
            flat = flat * *extent + value;
        }
        let object = &mut self.objects[var.0 as usize];
        if flat >= object.cells.len() as u64 {
            if flat >= MAX_COUNT {
                return Err(Reject::TooLarge);
            }
            let Growth::Used(filler) = &mut object.growth else { return Err(Reject::OutOfArray) };
            for index in object.cells.len() as u64..=flat {
                object.cells.push(Some(filler.next(index)));
            }
            object.histories.resize(object.cells.len(), History::default());
        }
        Ok((var, flat as usize))
    }

    fn load(&mut self, var: VarId, index: usize) -> Evaluated<Value> {
        let object = &mut self.objects[var.0 as usize];
        if object.state == Use::Reduced {
            return Err(Reject::Malformed);
        }
        if object.owner != self.at && !object.histories[index].read(&self.order, self.at) && !self.grown {
            return Err(Reject::Conflict);
        }
        object.cells[index].ok_or(Reject::NotInitialised)
    }

    fn store(&mut self, var: VarId, index: usize, value: Value) -> Evaluated<()> {
        let object = &mut self.objects[var.0 as usize];
        if object.state == Use::Reduced {
            return Err(Reject::Malformed);
        }
        if object.owner != self.at && !object.histories[index].write(&self.order, self.at) && !self.grown {
            return Err(Reject::Conflict);
        }
        object.cells[index] = Some(value);
        Ok(())
    }

    fn truth(&mut self, condition: &'a Expr) -> Evaluated<bool> {
        Ok(match self.expr(condition)?.1 {
            Value::Int(value) => value != 0,
            Value::Float(value) => value != 0.0,
        })
    }

    fn converted(&mut self, expr: &'a Expr, ty: Type) -> Evaluated<Value> {
        let (from, value) = self.expr(expr)?;
        convert(from, value, ty)
    }

    fn expr(&mut self, expr: &'a Expr) -> Evaluated<(Type, Value)> {
        Ok(match expr {
            Expr::Int(value, ty) => (*ty, Value::Int(i128::from(*value))),
            Expr::Float(value, ty) => (*ty, Value::Float(*value)),
            Expr::Read(place) => {
                let ty = self.program.variable(place.var).ty;
                let (var, index) = self.resolve(place)?;
                (ty, self.load(var, index)?)
            }
            Expr::Unary(op, of) => {
                let (from, value) = self.expr(of)?;
                unary(*op, from, value)?
            }
            Expr::Binary(BinaryOp::LogicalAnd, left, right) => {
                (Type::I32, Value::Int(i128::from(self.truth(left)? && self.truth(right)?)))
            }
            Expr::Binary(BinaryOp::LogicalOr, left, right) => {
                (Type::I32, Value::Int(i128::from(self.truth(left)? || self.truth(right)?)))
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                binary(*op, left, right)?
            }
            Expr::Choose(condition, yes, no) => {
                let ty = self.program.type_of(expr);
                let chosen = if self.truth(condition)? { yes } else { no };
                (ty, self.converted(chosen, ty)?)
            }
            Expr::Cast(ty, of) => (*ty, self.converted(of, *ty)?),
            Expr::Call(helper, arguments) => self.call(*helper, arguments)?,
        })
    }

    fn call(&mut self, helper: HelperId, arguments: &'a [CallArgument]) -> Evaluated<(Type, Value)> {
        self.step()?;
        let helper = &self.program.helpers[helper.0 as usize];
        let mut values = Vec::with_capacity(arguments.len());
        for (&parameter, argument) in helper.parameters.iter().zip(arguments) {
            if let CallArgument::Value(value) = argument {
                values.push((parameter, self.converted(value, self.program.variable(parameter).ty)?));
            }
        }
        for (parameter, value) in values {
            self.declare(parameter, None)?;
            self.objects[parameter.0 as usize].cells[0] = Some(value);
        }
        for (&parameter, argument) in helper.parameters.iter().zip(arguments) {
            if let CallArgument::Array(var) = argument {
                self.targets[parameter.0 as usize] = self.targets[var.0 as usize];
            }
        }
        self.block(&helper.body)?;
        Ok((helper.result, self.converted(&helper.value, helper.result)?))
    }
}

fn object(program: &Program, var: VarId) -> Object {
    let variable = program.variable(var);
    let mut object = Object {
        cells: Vec::new(),
        histories: Vec::new(),
        owner: Order::ROOT,
        inner: Vec::new(),
        growth: Growth::Fixed,
        state: Use::Free,
        added: 0,
    };
    let zero = if variable.ty.is_float() { Value::Float(0.0) } else { Value::Int(0) };
    match variable.kind {
        Kind::Scalar | Kind::Private | Kind::TeamResult { .. } => object.cells.push(None),
        Kind::Parameter(Number::Int(value)) if variable.ty.is_float() => {
            object.cells.push(Some(Value::Float(value as f64)))
        }
        Kind::Parameter(Number::Int(value)) => object.cells.push(Some(Value::Int(i128::from(value)))),
        Kind::Parameter(Number::Float(value)) => object.cells.push(Some(Value::Float(value))),
        Kind::Array(ref array) => {
            object.inner = match array.layout {
                Layout::Flat => Vec::new(),
                Layout::Rows { ref inner } => inner.clone(),
                Layout::Variable { ref inner, .. } => {
                    inner.iter().map(|&extent| extent_value(program, extent)).collect()
                }
                Layout::Fields { fields } => vec![u64::from(fields)],
            };
            object.growth = Growth::Used(Filler::new(array.fill, variable.ty));
        }
        Kind::Structure { .. } | Kind::Result { .. } => {
            object.cells = initial_cells(program, var).into_iter().map(Some).collect();
        }
        Kind::Local { ref dims } => {
            object.inner = dims[1..].to_vec();
            object.cells = vec![Some(zero); dims.iter().product::<u64>() as usize];
        }
        Kind::Pointer => {}
    }
    object.histories = vec![History::default(); object.cells.len()];
    object
}

fn extent_value(program: &Program, extent: VarId) -> u64 {
    match program.variable(extent).kind {
        Kind::Parameter(Number::Int(value)) => value as u64,
        _ => 1,
    }
}

/// Sums in another order stay inside of the type if the magnitudes do.
fn add_magnitude(object: &mut Object, value: Value, start: Value, ty: Type) -> Evaluated<()> {
    let magnitude = |value| match value {
        Value::Int(value) => value.abs(),
        Value::Float(value) => value.abs() as i128,
    };
    if object.added == 0 {
        object.added = magnitude(start);
    }
    object.added = object.added.max(magnitude(start)) + magnitude(value);
    let free = !ty.is_signed() && !ty.is_float();
    if free || object.added <= ty.range().1 { Ok(()) } else { Err(Reject::Overflow) }
}

#[cfg(test)]
mod tests;
