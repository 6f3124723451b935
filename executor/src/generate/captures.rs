//! What a kernel is given: the variables that its region captures, in the order in which clang meets them in the source.

use super::syntax::*;
use super::visit;

/// A parameter of a kernel, behind the hidden first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// A variable of the function.
    Variable(VarId),
    /// An extent of an array of variable length: a parameter without a name of its own.
    Extent(VarId),
}

/// The captures of a region.
pub fn of(program: &Program, region: &Region) -> Vec<Capture> {
    let mut finder = Finder { program, found: Vec::new() };
    finder.block(&region.body, region.head);
    finder.found
}

struct Finder<'a> {
    program: &'a Program,
    found: Vec<Capture>,
}

impl Finder<'_> {
    fn meet(&mut self, var: VarId) {
        if self.found.contains(&Capture::Variable(var)) {
            return;
        }
        match &self.program.variable(var).kind {
            Kind::Parameter(_) | Kind::Structure { .. } | Kind::Result { .. } => {}
            Kind::Array(array) => {
                if let Layout::Variable { outer, inner } = &array.layout {
                    self.found.extend(outer.iter().chain(inner).map(|&extent| Capture::Extent(extent)));
                }
            }
            Kind::Scalar | Kind::Local { .. } | Kind::Pointer | Kind::TeamResult { .. } | Kind::Private => return,
        }
        self.found.push(Capture::Variable(var));
    }

    fn block(&mut self, body: &[Stmt], head: Head) {
        for stmt in body {
            self.statement(stmt, head);
        }
    }

    fn statement(&mut self, stmt: &Stmt, head: Head) {
        match stmt {
            Stmt::Assign { place, value, .. } | Stmt::Atomic { place, value, .. } => {
                self.place(place);
                self.expr(value);
            }
            Stmt::Reduce { var, value } => {
                self.meet(*var);
                self.expr(value);
            }
            Stmt::Loop(counted) => {
                // The clauses of the region's own directive are not part of it.
                if let (Some(directive), Head::Target | Head::TargetTeams | Head::TargetParallel) =
                    (&counted.directive, head)
                {
                    for clause in &directive.clauses {
                        if let Clause::Reduction(var) = clause {
                            self.meet(*var);
                        }
                    }
                }
                let shared =
                    counted.directive.as_ref().filter(|directive| !directive.construct.words().ends_with("simd"));
                let shared = shared.map_or(0, Directive::collapse);
                self.counted(counted, shared);
            }
            other => {
                for expr in visit::own_expressions(other) {
                    self.expr(expr);
                }
                for block in visit::blocks(other) {
                    self.block(block, Head::Target);
                }
            }
        }
    }

    /// A loop that is one of so many `shared` ones: there, the directive asks for the end first (but not with `simd`).
    fn counted(&mut self, counted: &Loop, shared: usize) {
        if shared > 0 {
            self.expr(&counted.end);
            self.expr(&counted.start);
        } else {
            self.expr(&counted.start);
            self.expr(&counted.end);
        }
        match counted.body.as_slice() {
            [Stmt::Loop(next)] if shared > 1 => self.counted(next, shared - 1),
            body => self.block(body, Head::Target),
        }
    }

    fn place(&mut self, place: &Place) {
        self.meet(place.var);
        for index in &place.index {
            self.expr(index);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Read(place) => self.place(place),
            Expr::Call(_, arguments) => {
                for argument in arguments {
                    match argument {
                        CallArgument::Value(value) => self.expr(value),
                        CallArgument::Array(var) => self.meet(*var),
                    }
                }
            }
            other => {
                for part in visit::parts(other) {
                    self.expr(part);
                }
            }
        }
    }
}
