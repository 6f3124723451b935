//! Walks over the statements, expressions and places of a program.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::syntax::*;

/// Calls `visit` for each statement, outer ones first.
pub fn statements<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in body {
        visit(stmt);
        for inner in blocks(stmt) {
            statements(inner, visit);
        }
    }
}

/// Writes functions twice: for a tree that is read, and for one that is changed.
macro_rules! inside {
    ($blocks:ident, $own_expressions:ident, $parts:ident, $iter:ident $(, $mut:tt)?) => {
        /// The statement lists inside of a statement.
        pub fn $blocks(stmt: &$($mut)? Stmt) -> Vec<&$($mut)? Vec<Stmt>> {
            match stmt {
                Stmt::If { then, other, .. } => vec![then, other],
                Stmt::Switch { cases, other, .. } => cases.$iter().map(|(_, body)| body).chain([other]).collect(),
                Stmt::Loop(counted) => vec![&$($mut)? counted.body],
                Stmt::While { body, .. } => vec![body],
                _ => Vec::new(),
            }
        }

        /// The outermost expressions of a statement, without those of the statements inside of it.
        pub fn $own_expressions(stmt: &$($mut)? Stmt) -> Vec<&$($mut)? Expr> {
            match stmt {
                Stmt::Declare { value, .. } => value.$iter().collect(),
                Stmt::Assign { place, value, .. } | Stmt::Atomic { place, value, .. } => {
                    place.index.$iter().chain([value]).collect()
                }
                Stmt::Reduce { value, .. } => vec![value],
                Stmt::If { condition, .. } | Stmt::While { condition, .. } => vec![condition],
                Stmt::Switch { on, .. } => vec![on],
                Stmt::Loop(counted) => vec![&$($mut)? counted.start, &$($mut)? counted.end],
                Stmt::Continue | Stmt::Break => Vec::new(),
            }
        }

        /// The expressions right inside of an expression.
        pub fn $parts(expr: &$($mut)? Expr) -> Vec<&$($mut)? Expr> {
            match expr {
                Expr::Int(..) | Expr::Float(..) => Vec::new(),
                Expr::Read(place) => place.index.$iter().collect(),
                Expr::Unary(_, of) | Expr::Cast(_, of) => vec![of],
                Expr::Binary(_, left, right) => vec![left, right],
                Expr::Choose(condition, yes, no) => vec![condition, yes, no],
                Expr::Call(_, arguments) => {
                    let values = arguments.$iter().map(|argument| match argument {
                        CallArgument::Value(value) => Some(value),
                        CallArgument::Array(_) => None,
                    });
                    values.flatten().collect()
                }
            }
        }
    };
}

inside!(blocks, own_expressions, parts, iter);
inside!(blocks_mut, own_expressions_mut, parts_mut, iter_mut, mut);

/// Calls `visit` for an expression and all inside of it.
pub fn expressions<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    for part in parts(expr) {
        expressions(part, visit);
    }
}

/// Calls `visit` for all statement lists of a program, outer ones first, until it breaks off.
pub fn blocks_of_program(
    program: &mut Program,
    visit: &mut dyn FnMut(&mut Vec<Stmt>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let regions = program.regions.iter_mut().map(|region| &mut region.body);
    let helpers = program.helpers.iter_mut().map(|helper| &mut helper.body);
    regions.chain(helpers).try_for_each(|block| blocks_inside(block, visit))
}

fn blocks_inside(block: &mut Vec<Stmt>, visit: &mut dyn FnMut(&mut Vec<Stmt>) -> ControlFlow<()>) -> ControlFlow<()> {
    visit(block)?;
    block.iter_mut().flat_map(blocks_mut).try_for_each(|block| blocks_inside(block, visit))
}

/// Calls `visit` for all expressions of a program, outer ones first, until it breaks off.
pub fn expressions_of_program(
    program: &mut Program,
    visit: &mut dyn FnMut(&mut Expr) -> ControlFlow<()>,
) -> ControlFlow<()> {
    blocks_of_program(program, &mut |block| {
        block.iter_mut().flat_map(own_expressions_mut).try_for_each(|expr| expressions_inside(expr, visit))
    })?;
    program.helpers.iter_mut().try_for_each(|helper| expressions_inside(&mut helper.value, visit))
}

fn expressions_inside(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr) -> ControlFlow<()>) -> ControlFlow<()> {
    visit(expr)?;
    parts_mut(expr).into_iter().try_for_each(|part| expressions_inside(part, visit))
}

/// Calls `visit` for all lists of clauses of a program, until it breaks off.
pub fn clauses_of_program(
    program: &mut Program,
    visit: &mut dyn FnMut(&mut Vec<Clause>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    program.regions.iter_mut().try_for_each(|region| visit(&mut region.clauses))?;
    blocks_of_program(program, &mut |block| {
        block.iter_mut().try_for_each(|stmt| match stmt {
            Stmt::Loop(Loop { directive: Some(directive), .. }) => visit(&mut directive.clauses),
            _ => ControlFlow::Continue(()),
        })
    })
}

/// What a part of a program mentions.
#[derive(Debug, Default)]
pub struct Mentions {
    /// Variables, those of called helpers' bodies included.
    pub vars: FxHashSet<VarId>,
    /// Variables that are stored to.
    pub stored: FxHashSet<VarId>,
    /// Helpers by number.
    pub helpers: FxHashSet<u32>,
}

impl Mentions {
    /// What a region mentions, helpers included.
    pub fn of_region(program: &Program, region: &Region) -> Mentions {
        let mut mentions = Mentions::default();
        mentions.add_clauses(&region.clauses);
        mentions.add_block(program, &region.body);
        mentions
    }

    /// What the whole function mentions.
    pub fn of(program: &Program) -> Mentions {
        let mut all = Mentions::default();
        for region in &program.regions {
            all.add_clauses(&region.clauses);
            all.add_block(program, &region.body);
        }
        all
    }

    /// Adds what a list of statements mentions.
    pub fn add_block(&mut self, program: &Program, body: &[Stmt]) {
        statements(body, &mut |stmt| {
            match stmt {
                Stmt::Declare { var, .. } | Stmt::Reduce { var, .. } => {
                    self.vars.insert(*var);
                    self.stored.insert(*var);
                }
                Stmt::Assign { place, .. } | Stmt::Atomic { place, .. } => {
                    self.vars.insert(place.var);
                    self.stored.insert(place.var);
                }
                Stmt::Loop(counted) => {
                    self.vars.insert(counted.var);
                    self.stored.insert(counted.var);
                    if let Some(directive) = &counted.directive {
                        self.add_clauses(&directive.clauses);
                    }
                }
                _ => {}
            }
            for expr in own_expressions(stmt) {
                self.add_expression(program, expr);
            }
        });
    }

    fn add_clauses(&mut self, clauses: &[Clause]) {
        for clause in clauses {
            if let Clause::Reduction(var) | Clause::Private(var) = clause {
                self.vars.insert(*var);
                self.stored.insert(*var);
            }
        }
    }

    /// Adds what an expression mentions.
    pub fn add_expression(&mut self, program: &Program, expr: &Expr) {
        expressions(expr, &mut |expr| match expr {
            Expr::Read(place) => {
                self.vars.insert(place.var);
            }
            Expr::Call(helper, arguments) => {
                for argument in arguments {
                    if let CallArgument::Array(var) = argument {
                        self.vars.insert(*var);
                    }
                }
                if self.helpers.insert(helper.0) {
                    let helper = &program.helpers[helper.0 as usize];
                    self.add_block(program, &helper.body);
                    self.add_expression(program, &helper.value);
                }
            }
            _ => {}
        });
    }
}
