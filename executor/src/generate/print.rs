//! C text of a program.

use std::fmt::Write;

use super::syntax::*;
use super::visit::Mentions;

/// Names of structure fields.
const FIELDS: [&str; 8] = ["x", "y", "z", "w", "a", "b", "c", "d"];

/// A parameter of the C function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CParameter {
    /// A scalar, a structure or an array.
    Variable(VarId),
    /// A pointer through which a reduction's result goes out.
    Result(VarId),
}

/// The parameters of the C function, in order: those that others' types mention come first.
pub fn parameters(program: &Program) -> Vec<CParameter> {
    let mut used = Mentions::of(program).vars;
    let arrays: Vec<VarId> = used.iter().copied().collect();
    for var in arrays {
        if let Kind::Array(Array { layout: Layout::Variable { outer, inner }, .. }) = &program.variable(var).kind {
            used.extend(outer.iter().chain(inner));
        }
    }
    let rank = |var: VarId| match program.variable(var).kind {
        Kind::Parameter(_) => Some(0),
        Kind::Structure { .. } => Some(1),
        Kind::Array(_) => Some(2),
        Kind::Result { .. } => Some(3),
        _ => None,
    };
    let mut ranked: Vec<(i32, VarId)> = used.iter().filter_map(|&var| Some((rank(var)?, var))).collect();
    ranked.sort_unstable();
    let parameter = |(rank, var)| if rank == 3 { CParameter::Result(var) } else { CParameter::Variable(var) };
    ranked.into_iter().map(parameter).collect()
}

/// How a parameter of the function is declared.
pub fn declaration(program: &Program, parameter: CParameter) -> String {
    let var = match parameter {
        CParameter::Variable(var) => var,
        CParameter::Result(var) => {
            let variable = program.variable(var);
            return format!("{} *{}_result", variable.ty.name(), variable.name);
        }
    };
    let Variable { name, ty, kind } = program.variable(var);
    let ty = ty.name();
    let extents =
        |inner: &[VarId]| inner.iter().map(|&var| format!("[{}]", program.variable(var).name)).collect::<String>();
    match kind {
        Kind::Structure { .. } => format!("struct {}_{name} {name}", program.name),
        Kind::Array(array) => match &array.layout {
            Layout::Flat => format!("{ty} *{name}"),
            Layout::Rows { inner } => {
                format!("{ty} (*{name}){}", inner.iter().map(|extent| format!("[{extent}]")).collect::<String>())
            }
            Layout::Variable { outer: Some(outer), inner } => {
                format!("{ty} {name}[{}]{}", program.variable(*outer).name, extents(inner))
            }
            Layout::Variable { outer: None, inner } => format!("{ty} (*{name}){}", extents(inner)),
            Layout::Fields { .. } => format!("struct {}_{name} *{name}", program.name),
        },
        _ => format!("{ty} {name}"),
    }
}

/// The structures, the helpers and the function.
pub fn function(program: &Program) -> String {
    let mut printer = Printer { program, text: String::new(), depth: 0 };
    printer.function();
    printer.text
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
    depth: usize,
}

/// How tightly C's operators bind; more is tighter.
mod binding {
    pub const CHOOSE: u32 = 1;
    pub const UNARY: u32 = 12;
    pub const ATOM: u32 = 13;
}

fn binding_of(op: BinaryOp) -> u32 {
    match op {
        BinaryOp::LogicalOr => 2,
        BinaryOp::LogicalAnd => 3,
        BinaryOp::Or => 4,
        BinaryOp::Xor => 5,
        BinaryOp::And => 6,
        BinaryOp::Equal | BinaryOp::NotEqual => 7,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 8,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 9,
        BinaryOp::Add | BinaryOp::Subtract => 10,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 11,
    }
}

impl Printer<'_> {
    fn name(&self, var: VarId) -> &str {
        &self.program.variable(var).name
    }

    fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn function(&mut self) {
        let program = self.program;
        let mentions = Mentions::of(program);
        for &parameter in &parameters(program) {
            let CParameter::Variable(var) = parameter else { continue };
            let fields = match program.variable(var).kind {
                Kind::Structure { fields, .. } => fields,
                Kind::Array(Array { layout: Layout::Fields { fields }, .. }) => fields,
                _ => continue,
            };
            let Variable { name, ty, .. } = program.variable(var);
            let fields = FIELDS[..fields as usize].join(", ");
            self.line(&format!("struct {}_{name} {{ {} {fields}; }};", program.name, ty.name()));
        }
        for (number, helper) in program.helpers.iter().enumerate() {
            if mentions.helpers.contains(&(number as u32)) {
                self.helper(helper);
            }
        }
        let list: Vec<String> =
            parameters(program).into_iter().map(|parameter| declaration(program, parameter)).collect();
        self.line(&format!(
            "void {}({}) {{",
            program.name,
            if list.is_empty() { "void".into() } else { list.join(", ") }
        ));
        self.depth += 1;
        for var in program.ids().filter(|var| mentions.vars.contains(var)) {
            let Variable { name, ty, kind } = program.variable(var);
            match kind {
                Kind::Result { start, .. } => self.line(&format!("{} {name} = {start};", ty.name())),
                Kind::Private => self.line(&format!("{} {name};", ty.name())),
                _ => {}
            }
        }
        for region in &program.regions {
            self.region(region);
        }
        for parameter in parameters(program) {
            if let CParameter::Result(var) = parameter {
                self.line(&format!("*{0}_result = {0};", self.name(var)));
            }
        }
        self.depth -= 1;
        self.line("}");
    }

    fn helper(&mut self, helper: &Helper) {
        let parameter = |&var: &VarId| {
            let Variable { name, ty, kind } = self.program.variable(var);
            match kind {
                Kind::Pointer => format!("const {} *{name}", ty.name()),
                _ => format!("{} {name}", ty.name()),
            }
        };
        let list: Vec<String> = helper.parameters.iter().map(parameter).collect();
        let how = match helper.inlining {
            Inlining::Wanted => "static inline",
            Inlining::Never => "static __attribute__((noinline))",
        };
        self.line(&format!("{how} {} {}({}) {{", helper.result.name(), helper.name, list.join(", ")));
        self.depth += 1;
        self.block(&helper.body);
        let value = self.expr(&helper.value);
        self.line(&format!("return {value};"));
        self.depth -= 1;
        self.line("}");
    }

    fn region(&mut self, region: &Region) {
        let maps = self.maps(region);
        match region.head {
            Head::Combined => {
                let [Stmt::Loop(counted)] = region.body.as_slice() else { return };
                let Some(directive) = &counted.directive else { return };
                let clauses = self.clauses(&directive.clauses);
                self.text += &format!("#pragma omp target {}{clauses}{maps}\n", directive.construct.words());
                self.bare_loop(counted);
            }
            Head::Target | Head::TargetTeams | Head::TargetParallel => {
                let word = match region.head {
                    Head::TargetTeams => " teams",
                    Head::TargetParallel => " parallel",
                    _ => "",
                };
                let clauses = self.clauses(&region.clauses);
                self.text += &format!("#pragma omp target{word}{clauses}{maps}\n");
                self.line("{");
                self.nested(&region.body);
                self.line("}");
            }
        }
    }

    fn maps(&self, region: &Region) -> String {
        let mentions = Mentions::of_region(self.program, region);
        let mut text = String::new();
        for var in self.program.ids().filter(|var| mentions.vars.contains(var)) {
            let Variable { name, kind, .. } = self.program.variable(var);
            match kind {
                Kind::Array(array) => {
                    let row = match &array.layout {
                        Layout::Flat => 1,
                        Layout::Rows { inner } => inner.iter().product(),
                        Layout::Variable { inner, .. } => inner.iter().map(|&extent| self.extent(extent)).product(),
                        Layout::Fields { fields } => u64::from(*fields),
                    };
                    let how = if mentions.stored.contains(&var) { "tofrom" } else { "to" };
                    let _ = write!(text, " map({how}: {name}[0:{}])", array.count / row);
                }
                Kind::Structure { .. } => {
                    let _ = write!(text, " map(to: {name})");
                }
                Kind::Result { .. } => {
                    let _ = write!(text, " map(tofrom: {name})");
                }
                _ => {}
            }
        }
        text
    }

    fn extent(&self, var: VarId) -> u64 {
        match self.program.variable(var).kind {
            Kind::Parameter(Number::Int(value)) => value as u64,
            _ => 1,
        }
    }

    fn clauses(&self, clauses: &[Clause]) -> String {
        let mut text = String::new();
        for clause in clauses {
            let _ = match *clause {
                Clause::Collapse(loops) => write!(text, " collapse({loops})"),
                Clause::Schedule(kind, None) => write!(text, " schedule({})", kind.name()),
                Clause::Schedule(kind, Some(chunk)) => write!(text, " schedule({}, {chunk})", kind.name()),
                Clause::DistSchedule(chunk) => write!(text, " dist_schedule(static, {chunk})"),
                Clause::NumTeams(teams) => write!(text, " num_teams({teams})"),
                Clause::ThreadLimit(threads) => write!(text, " thread_limit({threads})"),
                Clause::NumThreads(threads) => write!(text, " num_threads({threads})"),
                Clause::Reduction(var) => {
                    let Variable { name, kind, .. } = self.program.variable(var);
                    match kind {
                        Kind::Result { op, .. } | Kind::TeamResult { op } => {
                            write!(text, " reduction({}: {name})", op.name())
                        }
                        _ => Ok(()),
                    }
                }
                Clause::Private(var) => write!(text, " private({})", self.name(var)),
            };
        }
        text
    }

    fn nested(&mut self, body: &[Stmt]) {
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Declare { var, value } => {
                let Variable { name, ty, kind } = self.program.variable(*var);
                let (ty, value) = (ty.name(), value.as_ref().map(|value| self.expr(value)));
                match (kind, value) {
                    (Kind::Local { dims }, _) => {
                        let dims: String = dims.iter().map(|dim| format!("[{dim}]")).collect();
                        self.line(&format!("{ty} {name}{dims} = {{0}};"));
                    }
                    (_, Some(value)) => self.line(&format!("{ty} {name} = {value};")),
                    (_, None) => self.line(&format!("{ty} {name};")),
                }
            }
            Stmt::Assign { place, op, value } => {
                let op = op.map_or("", BinaryOp::token);
                let line = format!("{} {op}= {};", self.place(place), self.expr(value));
                self.line(&line);
            }
            Stmt::Atomic { place, op, value } => {
                self.text += "#pragma omp atomic update\n";
                let line = format!("{} {}= {};", self.place(place), op.token(), self.expr(value));
                self.line(&line);
            }
            Stmt::Reduce { var, value } => self.reduce(*var, value),
            Stmt::If { condition, then, other } => {
                let condition = self.expr(condition);
                self.line(&format!("if ({condition}) {{"));
                self.nested(then);
                if !other.is_empty() {
                    self.line("} else {");
                    self.nested(other);
                }
                self.line("}");
            }
            Stmt::Switch { on, cases, other } => {
                let on = self.expr(on);
                self.line(&format!("switch ({on}) {{"));
                for (label, body) in cases {
                    self.line(&format!("case {label}: {{"));
                    self.nested(body);
                    self.line("  break;");
                    self.line("}");
                }
                self.line("default: {");
                self.nested(other);
                self.line("  break;");
                self.line("}");
                self.line("}");
            }
            Stmt::Loop(counted) => {
                if let Some(directive) = &counted.directive {
                    let clauses = self.clauses(&directive.clauses);
                    self.text += &format!("#pragma omp {}{clauses}\n", directive.construct.words());
                }
                self.bare_loop(counted);
            }
            Stmt::While { condition, body } => {
                let condition = self.expr(condition);
                self.line(&format!("while ({condition}) {{"));
                self.nested(body);
                self.line("}");
            }
            Stmt::Continue => self.line("continue;"),
            Stmt::Break => self.line("break;"),
        }
    }

    fn reduce(&mut self, var: VarId, value: &Expr) {
        let Variable { name, kind, .. } = self.program.variable(var);
        let (Kind::Result { op, .. } | Kind::TeamResult { op }) = *kind else { return };
        let text = self.expr(value);
        let line = match op {
            ReduceOp::Add | ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => format!("{name} {}= {text};", op.name()),
            ReduceOp::Max | ReduceOp::Min => {
                let ty = self.program.variable(var).ty.name();
                let sign = if op == ReduceOp::Max { '>' } else { '<' };
                format!("{name} = {name} {sign} ({ty})({text}) ? {name} : ({ty})({text});")
            }
        };
        self.line(&line);
    }

    fn bare_loop(&mut self, counted: &Loop) {
        let (ty, name) = (self.program.variable(counted.var).ty.name(), self.name(counted.var).to_owned());
        let (start, end) = (self.expr(&counted.start), self.operand(&counted.end, counted.test));
        let step = match counted.step {
            1 => format!("{name}++"),
            -1 => format!("{name}--"),
            step if step > 0 => format!("{name} += {step}"),
            step => format!("{name} -= {}", -step),
        };
        self.line(&format!("for ({ty} {name} = {start}; {name} {} {end}; {step}) {{", counted.test.token()));
        self.nested(&counted.body);
        self.line("}");
    }

    fn place(&self, place: &Place) -> String {
        let mut text = self.name(place.var).to_owned();
        for index in &place.index {
            let _ = write!(text, "[{}]", self.expr(index));
        }
        if let Some(field) = place.field {
            let _ = write!(text, ".{}", FIELDS[field as usize]);
        }
        text
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value, ty) => integer(*value, *ty),
            Expr::Float(value, Type::F32) => format!("{value:.1}f"),
            Expr::Float(value, _) => format!("{value:.1}"),
            Expr::Read(place) => self.place(place),
            Expr::Unary(op, of) => {
                let token = match op {
                    UnaryOp::Negate => '-',
                    UnaryOp::Complement => '~',
                    UnaryOp::Not => '!',
                };
                format!("{token}{}", self.bracketed(of, binding::ATOM))
            }
            Expr::Binary(op, left, right) => {
                format!("{} {} {}", self.left_operand(left, *op), op.token(), self.operand(right, *op))
            }
            Expr::Choose(condition, yes, no) => {
                let of = |expr| self.bracketed(expr, binding::CHOOSE + 1);
                format!("{} ? {} : {}", of(condition), of(yes), of(no))
            }
            Expr::Cast(ty, of) => format!("({}){}", ty.name(), self.bracketed(of, binding::ATOM)),
            Expr::Call(helper, arguments) => {
                let argument = |argument: &CallArgument| match argument {
                    CallArgument::Value(value) => self.expr(value),
                    CallArgument::Array(var) => self.name(*var).to_owned(),
                };
                let list: Vec<String> = arguments.iter().map(argument).collect();
                format!("{}({})", self.program.helpers[helper.0 as usize].name, list.join(", "))
            }
        }
    }

    /// The right operand of `op`.
    fn operand(&self, expr: &Expr, op: BinaryOp) -> String {
        self.bracketed(expr, self.needed(expr, op, binding_of(op) + 1))
    }

    fn left_operand(&self, expr: &Expr, op: BinaryOp) -> String {
        self.bracketed(expr, self.needed(expr, op, binding_of(op)))
    }

    /// How tightly an operand has to bind. Where readers (and compilers' warnings) stumble, all but the plainest gets brackets.
    fn needed(&self, operand: &Expr, op: BinaryOp, by_grammar: u32) -> u32 {
        let plain = |op| binding_of(op) >= binding_of(BinaryOp::Add);
        match operand {
            Expr::Binary(inner, ..) if plain(*inner) && (plain(op) || op.is_comparison()) => by_grammar,
            Expr::Binary(inner, ..) if op.is_logical() && inner.is_comparison() => by_grammar,
            Expr::Binary(..) => binding::ATOM,
            _ => by_grammar,
        }
    }

    fn bracketed(&self, expr: &Expr, needed: u32) -> String {
        let binds = match expr {
            Expr::Int(value, _) if *value < 0 => binding::UNARY,
            Expr::Float(value, _) if value.is_sign_negative() => binding::UNARY,
            Expr::Int(..) | Expr::Float(..) | Expr::Read(_) | Expr::Call(..) => binding::ATOM,
            Expr::Unary(..) | Expr::Cast(..) => binding::UNARY,
            Expr::Binary(op, ..) => binding_of(*op),
            Expr::Choose(..) => binding::CHOOSE,
        };
        let text = self.expr(expr);
        if binds < needed { format!("({text})") } else { text }
    }
}

fn integer(value: i64, ty: Type) -> String {
    match ty {
        Type::I64 => format!("{value}L"),
        Type::U32 => format!("{value}u"),
        Type::U64 => format!("{value}ul"),
        _ => value.to_string(),
    }
}
