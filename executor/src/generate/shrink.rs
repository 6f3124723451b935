//! Makes a program smaller, one edit at a time (Zeller, Hildebrandt 2002: one-minimal): statements, clauses, loops, expressions,
//! numbers, types.

use std::ops::ControlFlow;

use super::syntax::*;
use super::visit;
use crate::arguments::Fill;

/// What became of one place of a program.
enum Site {
    Changed,
    /// There is nothing to do here.
    Kept,
    /// There are fewer places.
    Beyond,
}

/// Changes the place with a number.
type Edit = fn(&mut Program, usize) -> Site;

/// Coarse ones first.
const EDITS: [Edit; 11] = [
    regions,
    statements,
    unwrapped,
    plainer,
    constructs,
    clauses,
    headers,
    parameters,
    expressions,
    variables,
    geometry,
];

/// Goes on with every edit that `accept` takes, until it takes none.
pub fn smallest(mut program: Program, accept: &mut dyn FnMut(Program) -> Option<Program>) -> Program {
    loop {
        let before = program.clone();
        for edit in EDITS {
            let mut number = 0;
            loop {
                let mut candidate = program.clone();
                match edit(&mut candidate, number) {
                    Site::Beyond => break,
                    Site::Kept => number += 1,
                    Site::Changed => match accept(candidate) {
                        // What was behind has moved here.
                        Some(accepted) if accepted != program => program = accepted,
                        _ => number += 1,
                    },
                }
            }
        }
        if program == before {
            return program;
        }
    }
}

/// Applies `edit` to the statement list with a number.
fn at_block(program: &mut Program, number: usize, edit: impl FnOnce(&mut Vec<Stmt>) -> Site) -> Site {
    let mut left = number;
    let mut edit = Some(edit);
    let mut site = Site::Beyond;
    let _ = visit::blocks_of_program(program, &mut |block| {
        if left > 0 {
            left -= 1;
            return ControlFlow::Continue(());
        }
        if let Some(edit) = edit.take() {
            site = edit(block);
        }
        ControlFlow::Break(())
    });
    site
}

/// Applies `edit` to the statement with a number.
fn at_statement(program: &mut Program, number: usize, edit: impl FnOnce(&mut Vec<Stmt>, usize) -> Site) -> Site {
    let mut lengths = Vec::new();
    let _ = visit::blocks_of_program(program, &mut |block| {
        lengths.push(block.len());
        ControlFlow::Continue(())
    });
    let mut left = number;
    for (block, length) in lengths.into_iter().enumerate() {
        if left < length {
            return at_block(program, block, |block| edit(block, left));
        }
        left -= length;
    }
    Site::Beyond
}

/// Applies `edit` to the expression with a number.
fn at_expression(program: &mut Program, number: usize, edit: impl FnOnce(&mut Expr) -> Site) -> Site {
    let mut left = number;
    let mut edit = Some(edit);
    let mut site = Site::Beyond;
    let _ = visit::expressions_of_program(program, &mut |expr| {
        if left > 0 {
            left -= 1;
            return ControlFlow::Continue(());
        }
        if let Some(edit) = edit.take() {
            site = edit(expr);
        }
        ControlFlow::Break(())
    });
    site
}

fn regions(program: &mut Program, number: usize) -> Site {
    if program.regions.len() < 2 || number >= program.regions.len() {
        return Site::Beyond;
    }
    program.regions.remove(number);
    Site::Changed
}

fn statements(program: &mut Program, number: usize) -> Site {
    at_statement(program, number, |block, place| {
        block.remove(place);
        Site::Changed
    })
}

/// Puts what is inside of a statement in its place.
fn unwrapped(program: &mut Program, number: usize) -> Site {
    const WAYS: usize = 4;
    at_statement(program, number / WAYS, |block, place| {
        let way = number % WAYS;
        let inside: Vec<Vec<Stmt>> = visit::blocks(&block[place]).into_iter().cloned().collect();
        let Some(mut inside) = inside.into_iter().nth(way) else { return Site::Kept };
        match &block[place] {
            Stmt::Loop(Loop { directive: Some(_), .. }) => return Site::Kept,
            // One iteration of it.
            Stmt::Loop(counted) => {
                inside.insert(0, Stmt::Declare { var: counted.var, value: Some(counted.start.clone()) });
            }
            _ => {}
        }
        block.splice(place..=place, inside);
        Site::Changed
    })
}

/// Takes away parts of a statement that are no statements.
fn plainer(program: &mut Program, number: usize) -> Site {
    const WAYS: usize = 4;
    let way = number % WAYS;
    at_statement(program, number / WAYS, |block, place| match &mut block[place] {
        Stmt::Assign { op, .. } if op.is_some() && way == 0 => {
            *op = None;
            Site::Changed
        }
        Stmt::If { other, .. } if !other.is_empty() && way == 0 => {
            other.clear();
            Site::Changed
        }
        Stmt::Switch { cases, .. } if way < cases.len() => {
            cases.remove(way);
            Site::Changed
        }
        _ => Site::Kept,
    })
}

/// Brings constructs closer to `target teams distribute parallel for`.
fn constructs(program: &mut Program, number: usize) -> Site {
    const WAYS: usize = 3;
    at_region(program, number / WAYS, |region| {
        let loops = region.body.iter().filter(|stmt| matches!(stmt, Stmt::Loop(_))).count();
        match number % WAYS {
            0 => {
                let changed = without_inner(&mut region.body, Depth::Inside);
                if changed { Site::Changed } else { Site::Kept }
            }
            1 => {
                let mut changed = false;
                for stmt in &mut region.body {
                    let Stmt::Loop(Loop { directive: Some(directive), .. }) = stmt else { continue };
                    let simpler = match directive.construct {
                        Construct::TeamsDistributeParallelForSimd
                        | Construct::TeamsLoop
                        | Construct::TeamsDistribute => Construct::TeamsDistributeParallelFor,
                        Construct::DistributeParallelForSimd | Construct::Distribute => {
                            Construct::DistributeParallelFor
                        }
                        Construct::ParallelForSimd | Construct::ParallelLoop => Construct::ParallelFor,
                        _ => continue,
                    };
                    if simpler != Construct::ParallelFor && directive.construct.words().ends_with("distribute") {
                        without_inner(std::slice::from_mut(stmt), Depth::Inside);
                    }
                    if let Stmt::Loop(Loop { directive: Some(directive), .. }) = stmt {
                        directive.construct = simpler;
                    }
                    changed = true;
                }
                if changed { Site::Changed } else { Site::Kept }
            }
            _ if region.head == Head::Combined || loops != 1 => Site::Kept,
            _ => {
                region.body.retain(|stmt| matches!(stmt, Stmt::Loop(_)));
                if let Some(Stmt::Loop(Loop { directive: Some(directive), .. })) = region.body.first_mut() {
                    directive.construct = match directive.construct {
                        Construct::TeamsDistribute | Construct::Distribute => Construct::TeamsDistribute,
                        _ => Construct::TeamsDistributeParallelFor,
                    };
                }
                region.head = Head::Combined;
                region.clauses.clear();
                Site::Changed
            }
        }
    })
}

/// Which loops lose their directives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Not those of this list itself.
    Inside,
    All,
}

/// Whether there was a directive to take away.
fn without_inner(body: &mut [Stmt], depth: Depth) -> bool {
    let mut changed = false;
    for stmt in body {
        if let (Stmt::Loop(counted), Depth::All) = (&mut *stmt, depth) {
            changed |= counted.directive.take().is_some();
        }
        for block in visit::blocks_mut(stmt) {
            changed |= without_inner(block, Depth::All);
        }
    }
    changed
}

fn at_region(program: &mut Program, number: usize, edit: impl FnOnce(&mut Region) -> Site) -> Site {
    program.regions.get_mut(number).map_or(Site::Beyond, edit)
}

fn clauses(program: &mut Program, number: usize) -> Site {
    let mut left = number;
    let mut site = Site::Beyond;
    let _ = visit::clauses_of_program(program, &mut |clauses| {
        if left < clauses.len() {
            clauses.remove(left);
            site = Site::Changed;
            return ControlFlow::Break(());
        }
        left -= clauses.len();
        ControlFlow::Continue(())
    });
    site
}

/// Loops from 0 upwards, with few iterations.
fn headers(program: &mut Program, number: usize) -> Site {
    const WAYS: usize = 7;
    at_statement(program, number / WAYS, |block, place| {
        let Stmt::Loop(counted) = &mut block[place] else { return Site::Kept };
        let before = counted.clone();
        match number % WAYS {
            0 => counted.start = int(0),
            1 => counted.step = 1,
            2 => (counted.test, counted.step) = (BinaryOp::Less, counted.step.abs()),
            3 => (counted.start, counted.test, counted.end, counted.step) = upwards(counted),
            way => {
                let few = [1, 2, 33][way - 4];
                if !matches!(counted.end, Expr::Int(value, _) if value <= few) {
                    counted.end = int(few);
                }
            }
        }
        if *counted == before { Site::Kept } else { Site::Changed }
    })
}

/// A downward loop turned around.
fn upwards(counted: &Loop) -> (Expr, BinaryOp, Expr, i64) {
    let (start, end) = (counted.start.clone(), counted.end.clone());
    if counted.step > 0 {
        return (start, counted.test, end, counted.step);
    }
    (end, BinaryOp::LessEqual, start, -counted.step)
}

/// Small values of scalar parameters.
fn parameters(program: &mut Program, number: usize) -> Site {
    const WAYS: usize = 4;
    let Some(variable) = program.variables.get_mut(number / WAYS) else { return Site::Beyond };
    let Kind::Parameter(value) = &mut variable.kind else { return Site::Kept };
    let smaller = match (*value, number % WAYS) {
        (Number::Int(_), small @ 0..3) => Number::Int(small as i64),
        (Number::Int(value), _) => Number::Int(value / 2),
        (Number::Float(_), small) => Number::Float(small as f64),
    };
    let less = match (*value, smaller) {
        (Number::Int(old), Number::Int(new)) => new.abs() < old.abs(),
        (Number::Float(old), Number::Float(new)) => new.abs() < old.abs(),
        _ => false,
    };
    *value = smaller;
    if less { Site::Changed } else { Site::Kept }
}

/// An expression becomes one of its parts, a literal, or what a parameter holds.
fn expressions(program: &mut Program, number: usize) -> Site {
    const WAYS: usize = 7;
    let values: Vec<Option<Number>> = program
        .variables
        .iter()
        .map(|variable| if let Kind::Parameter(value) = variable.kind { Some(value) } else { None })
        .collect();
    let types: Vec<Type> = program.variables.iter().map(|variable| variable.ty).collect();
    at_expression(program, number / WAYS, |expr| {
        let simpler = match (number % WAYS, &*expr) {
            (part @ 0..3, _) => visit::parts(expr).get(part).map(|&part| part.clone()),
            (_, Expr::Int(0 | 1, _)) => None,
            (3, Expr::Int(value, ty)) => Some(Expr::Int(value / 2, *ty)),
            (4, Expr::Int(_, ty)) => Some(Expr::Int(1, *ty)),
            (5, Expr::Float(value, ty)) if *value != 1.0 => Some(Expr::Float(1.0, *ty)),
            (6, Expr::Read(place)) if place.index.is_empty() && place.field.is_none() => {
                let ty = types[place.var.0 as usize];
                values[place.var.0 as usize].map(|value| match value {
                    Number::Int(value) if ty.is_float() => Expr::Float(value as f64, ty),
                    Number::Int(value) => Expr::Int(value, ty.promoted()),
                    Number::Float(value) => Expr::Float(value, ty),
                })
            }
            (3, Expr::Float(..)) => None,
            (3, _) => Some(int(0)),
            (4, _) => Some(int(1)),
            _ => None,
        };
        let Some(simpler) = simpler.filter(|simpler| simpler != expr) else { return Site::Kept };
        *expr = simpler;
        Site::Changed
    })
}

/// Plain types, layouts and contents.
fn variables(program: &mut Program, number: usize) -> Site {
    const WAYS: usize = 10;
    let var = VarId((number / WAYS) as u32);
    let Some(variable) = program.variables.get_mut(number / WAYS) else { return Site::Beyond };
    let before = variable.clone();
    let way = number % WAYS;
    match (way, &mut variable.kind) {
        (0, kind) => {
            if let Kind::Parameter(Number::Float(value)) = *kind {
                *kind = Kind::Parameter(Number::Int(value as i64));
            }
            variable.ty = Type::I32;
        }
        (1, Kind::Array(array)) => array.offset = 0,
        (2, Kind::Array(array)) => array.spare = 0,
        (3, Kind::Array(Array { fill, .. }) | Kind::Structure { fill, .. }) => *fill = Fill::Zero,
        (4, Kind::Array(Array { fill, .. }) | Kind::Structure { fill, .. }) if *fill != Fill::Zero => {
            *fill = Fill::Index
        }
        (5, Kind::Array(Array { fill: fill @ Fill::Random { .. }, .. })) => *fill = Fill::Constant(1.0),
        (6, Kind::Result { start, .. }) => *start = 0,
        (7 | 8, Kind::Array(array)) => array.layout = Layout::Flat,
        (9, Kind::Local { dims }) => dims.iter_mut().for_each(|dim| *dim = (*dim / 2).max(1)),
        _ => {}
    }
    if *variable == before {
        return Site::Kept;
    }
    if way == 7 || way == 8 {
        keep_one_index(program, var, if way == 7 { Kept::First } else { Kept::Last });
    }
    Site::Changed
}

/// Which of several indices stays.
#[derive(Clone, Copy)]
enum Kept {
    First,
    Last,
}

fn keep_one_index(program: &mut Program, var: VarId, kept: Kept) {
    let flatten = |place: &mut Place| {
        if place.var == var {
            match kept {
                Kept::First => place.index.truncate(1),
                Kept::Last => drop(place.index.drain(..place.index.len().saturating_sub(1))),
            }
            place.field = None;
        }
    };
    let _ = visit::blocks_of_program(program, &mut |block| {
        for stmt in block {
            if let Stmt::Assign { place, .. } | Stmt::Atomic { place, .. } = stmt {
                flatten(place);
            }
        }
        ControlFlow::Continue(())
    });
    let _ = visit::expressions_of_program(program, &mut |expr| {
        if let Expr::Read(place) = expr {
            flatten(place);
        }
        ControlFlow::Continue(())
    });
}

/// Few teams and threads, where no clause asks for more.
fn geometry(program: &mut Program, number: usize) -> Site {
    const SMALL: [(u32, u32); 4] = [(1, 32), (2, 32), (1, 64), (2, 64)];
    let Some(&small) = SMALL.get(number) else { return Site::Beyond };
    let (teams, threads) = program.geometry;
    let least = if program.has_leading_threads() { 64 } else { 32 };
    let mut fixed = false;
    let _ = visit::clauses_of_program(program, &mut |clauses| {
        fixed |= clauses.iter().any(|clause| matches!(clause, Clause::NumTeams(_)));
        ControlFlow::Continue(())
    });
    let fits = (least..=threads).contains(&small.1) && (small.0 == teams || (small.0 < teams && !fixed));
    if !fits || small == (teams, threads) {
        return Site::Kept;
    }
    program.geometry = small;
    Site::Changed
}

fn int(value: i64) -> Expr {
    Expr::Int(value, Type::I32)
}
