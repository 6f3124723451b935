//! What is refused, and what is not.

use super::*;
use crate::generate::check;

/// A kernel in the making: arrays `A` and `B` of `int`, and a loop of eight iterations.
struct Kernel {
    program: Program,
    a: VarId,
    b: VarId,
    i: VarId,
}

impl Kernel {
    fn new() -> Kernel {
        let program = Program {
            name: "k".to_owned(),
            variables: Vec::new(),
            helpers: Vec::new(),
            regions: Vec::new(),
            geometry: (1, 32),
        };
        let mut kernel = Kernel { program, a: VarId(0), b: VarId(1), i: VarId(2) };
        let array = || Array { layout: Layout::Flat, count: 1, fill: Fill::Index, offset: 0, spare: 0 };
        kernel.add("A", Type::I32, Kind::Array(array()));
        kernel.add("B", Type::I32, Kind::Array(array()));
        kernel.add("i", Type::I32, Kind::Scalar);
        kernel
    }

    fn add(&mut self, name: &str, ty: Type, kind: Kind) -> VarId {
        self.program.variables.push(Variable { name: name.to_owned(), ty, kind });
        VarId(self.program.variables.len() as u32 - 1)
    }

    /// What `A` holds if its iterations run `body`.
    fn run(self, body: Vec<Stmt>) -> Result<Vec<i32>, Reject> {
        self.run_as(Construct::TeamsDistributeParallelFor, Vec::new(), body)
    }

    fn run_as(mut self, construct: Construct, clauses: Vec<Clause>, body: Vec<Stmt>) -> Result<Vec<i32>, Reject> {
        let counted = counted(self.i, 8, Some(Directive { construct, clauses }), body);
        self.program.regions.push(Region { head: Head::Combined, clauses: Vec::new(), body: vec![counted] });
        if !check::is_well_formed(&self.program) {
            return Err(Reject::Malformed);
        }
        let outcome = settle(&mut self.program)?;
        let (_, bytes) = &outcome.contents[0];
        Ok(bytes.chunks(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect())
    }
}

fn counted(var: VarId, trips: i64, directive: Option<Directive>, body: Vec<Stmt>) -> Stmt {
    Stmt::Loop(Loop { directive, var, start: int(0), test: BinaryOp::Less, end: int(trips), step: 1, body })
}

fn parallel(var: VarId, trips: i64, body: Vec<Stmt>) -> Stmt {
    counted(var, trips, Some(Directive { construct: Construct::ParallelFor, clauses: Vec::new() }), body)
}

fn int(value: i64) -> Expr {
    Expr::Int(value, Type::I32)
}

fn of(var: VarId) -> Expr {
    Expr::Read(Place::scalar(var))
}

fn element(var: VarId, index: Expr) -> Place {
    Place { var, index: vec![index], field: None }
}

fn load(var: VarId, index: Expr) -> Expr {
    Expr::Read(element(var, index))
}

fn op(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

fn plus(left: Expr, right: Expr) -> Expr {
    op(BinaryOp::Add, left, right)
}

fn times(left: Expr, right: Expr) -> Expr {
    op(BinaryOp::Multiply, left, right)
}

fn set(place: Place, value: Expr) -> Stmt {
    Stmt::Assign { place, op: None, value }
}

fn atomic(place: Place, op: BinaryOp, value: Expr) -> Stmt {
    Stmt::Atomic { place, op, value }
}

fn when(condition: Expr, then: Vec<Stmt>) -> Stmt {
    Stmt::If { condition, then, other: Vec::new() }
}

#[test]
fn iterations_may_share_what_none_stores_to() {
    let k = Kernel::new();
    let body = vec![set(element(k.a, of(k.i)), plus(load(k.b, int(3)), times(load(k.b, of(k.i)), int(2))))];
    assert_eq!(k.run(body), Ok(vec![3, 5, 7, 9, 11, 13, 15, 17]));
}

#[test]
fn iterations_may_not_meet() {
    type Body = fn(&Kernel) -> Vec<Stmt>;
    let bodies: [Body; 7] = [
        |k| vec![set(element(k.a, int(0)), int(1))],
        |k| vec![set(element(k.a, op(BinaryOp::Divide, of(k.i), int(2))), int(1))],
        |k| vec![set(element(k.a, of(k.i)), load(k.a, plus(of(k.i), int(1))))],
        |k| vec![set(element(k.a, plus(of(k.i), int(1))), load(k.a, of(k.i)))],
        // The last iteration alone stores, but all read.
        |k| {
            let last = op(BinaryOp::Equal, of(k.i), int(7));
            let store = when(last, vec![set(element(k.a, int(0)), int(1))]);
            vec![store, set(element(k.b, of(k.i)), load(k.a, int(0)))]
        },
        |k| vec![atomic(element(k.a, int(0)), BinaryOp::Add, int(1)), set(element(k.b, of(k.i)), load(k.a, int(0)))],
        // These two do not commute.
        |k| {
            let odd = op(BinaryOp::And, of(k.i), int(1));
            let change = |op| vec![atomic(element(k.a, int(0)), op, int(3))];
            vec![Stmt::If { condition: odd, then: change(BinaryOp::Add), other: change(BinaryOp::Xor) }]
        },
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        let k = Kernel::new();
        let body = body(&k);
        assert_eq!(k.run(body), Err(Reject::Conflict), "{number}");
    }
}

#[test]
fn an_iteration_may_do_what_it_likes_with_its_own_elements() {
    let mut k = Kernel::new();
    let j = k.add("j", Type::I32, Kind::Scalar);
    let own = |k: &Kernel, offset: Expr| element(k.a, plus(times(of(k.i), int(2)), offset));
    let first = Expr::Read(own(&k, int(0)));
    let body = vec![counted(j, 2, None, vec![set(own(&k, of(j)), of(j))]), set(own(&k, int(1)), plus(first, of(k.i)))];
    assert_eq!(k.run(body), Ok((0..8).flat_map(|i| [0, i]).collect()));
}

#[test]
fn atomic_updates_commute() {
    let k = Kernel::new();
    let body = vec![
        atomic(element(k.a, int(1)), BinaryOp::Add, int(2)),
        atomic(element(k.a, int(1)), BinaryOp::Subtract, int(1)),
    ];
    assert_eq!(k.run(body), Ok(vec![0, 9]));
}

#[test]
fn a_barrier_lies_between_the_loops_of_a_team() {
    let team = |store_outside: bool| {
        let mut k = Kernel::new();
        let (j, l) = (k.add("j", Type::I32, Kind::Scalar), k.add("l", Type::I32, Kind::Scalar));
        let shared = k.add("t", Type::I32, Kind::Local { dims: vec![4] });
        let own = element(k.a, plus(times(of(k.i), int(4)), of(l)));
        let other = load(shared, op(BinaryOp::Subtract, int(3), of(l)));
        let fill = parallel(j, 4, vec![set(element(shared, of(j)), of(j))]);
        let mut inner = vec![set(own, other)];
        if store_outside {
            inner.push(set(element(shared, of(l)), int(0)));
        }
        let body = vec![Stmt::Declare { var: shared, value: None }, fill, parallel(l, 4, inner)];
        k.run_as(Construct::TeamsDistribute, Vec::new(), body)
    };
    assert_eq!(team(false), Ok([3, 2, 1, 0].repeat(8)));
    assert_eq!(team(true), Err(Reject::Conflict));
}

#[test]
fn what_belongs_to_a_team_is_not_private_to_its_threads() {
    let mut k = Kernel::new();
    let (j, t) = (k.add("j", Type::I32, Kind::Scalar), k.add("t", Type::I32, Kind::Scalar));
    let store = set(element(k.a, plus(times(of(k.i), int(4)), of(j))), int(1));
    let body =
        vec![Stmt::Declare { var: t, value: Some(int(0)) }, parallel(j, 4, vec![set(Place::scalar(t), of(j)), store])];
    assert_eq!(k.run_as(Construct::TeamsDistribute, Vec::new(), body), Err(Reject::Conflict));
}

#[test]
fn lanes_of_a_simd_loop_may_not_meet() {
    let mut k = Kernel::new();
    let j = k.add("j", Type::I32, Kind::Scalar);
    let simd = Directive { construct: Construct::Simd, clauses: Vec::new() };
    let body = vec![counted(j, 4, Some(simd), vec![set(element(k.a, of(k.i)), of(j))])];
    assert_eq!(k.run(body), Err(Reject::Conflict));
}

#[test]
fn private_variables_hold_nothing_at_first() {
    let kernel = |first: bool| {
        let mut k = Kernel::new();
        let t = k.add("t", Type::I32, Kind::Private);
        let mut body = vec![set(element(k.a, of(k.i)), of(t))];
        if first {
            body.insert(0, set(Place::scalar(t), of(k.i)));
        }
        k.run_as(Construct::TeamsDistributeParallelFor, vec![Clause::Private(t)], body)
    };
    assert_eq!(kernel(true), Ok((0..8).collect()));
    assert_eq!(kernel(false), Err(Reject::NotInitialised));
}

#[test]
fn a_sum_must_fit_in_every_order() {
    let sum = |size: i64| {
        let mut k = Kernel::new();
        let var = k.add("s", Type::I32, Kind::Result { op: ReduceOp::Add, start: 0 });
        let odd = op(BinaryOp::And, of(k.i), int(1));
        let value = Expr::Choose(Box::new(odd), Box::new(int(size)), Box::new(int(-size)));
        let body = vec![Stmt::Reduce { var, value }, set(element(k.a, of(k.i)), int(0))];
        k.run_as(Construct::TeamsDistributeParallelFor, vec![Clause::Reduction(var)], body)
    };
    assert!(sum(1 << 20).is_ok());
    assert_eq!(sum(1 << 30), Err(Reject::Overflow));
}

#[test]
fn undefined_and_inexact_arithmetic_is_refused() {
    let evaluate = |value: fn(&Kernel) -> Expr| {
        let k = Kernel::new();
        let body = vec![set(element(k.a, of(k.i)), value(&k))];
        k.run(body)
    };
    type Value = fn(&Kernel) -> Expr;
    let refused: [(Value, Reject); 8] = [
        (|k| plus(int(2_147_483_641), of(k.i)), Reject::Overflow),
        (|k| Expr::Unary(UnaryOp::Negate, Box::new(plus(int(-2_147_483_648), of(k.i)))), Reject::Overflow),
        (|k| op(BinaryOp::Divide, int(5), of(k.i)), Reject::DivisionByZero),
        (|k| op(BinaryOp::ShiftLeft, int(1), times(of(k.i), int(5))), Reject::Shift),
        (|k| op(BinaryOp::ShiftLeft, plus(of(k.i), int(-1)), int(1)), Reject::Shift),
        (|k| load(k.b, plus(of(k.i), int(-1))), Reject::OutOfArray),
        (|k| load(k.b, times(of(k.i), int(100_000))), Reject::OutOfArray),
        (|k| plus(Expr::Float(16_777_210.0, Type::F32), of(k.i)), Reject::Inexact),
    ];
    for (number, (value, reject)) in refused.into_iter().enumerate() {
        assert_eq!(evaluate(value), Err(reject), "{number}");
    }
    // What C defines is not refused: unsigned arithmetic wraps, and so do conversions.
    let wrapping = evaluate(|k| op(BinaryOp::Subtract, Expr::Int(3, Type::U32), of(k.i)));
    assert_eq!(wrapping, Ok(vec![3, 2, 1, 0, -1, -2, -3, -4]));
    let narrow = evaluate(|k| Expr::Cast(Type::I8, Box::new(times(of(k.i), int(60)))));
    assert_eq!(narrow, Ok(vec![0, 60, 120, -76, -16, 44, 104, -92]));
    let remainder = evaluate(|k| op(BinaryOp::Remainder, plus(of(k.i), int(-4)), int(3)));
    assert_eq!(remainder, Ok(vec![-1, 0, -2, -1, 0, 1, 2, 0]));
}

#[test]
fn comparisons_convert_as_c_does() {
    let k = Kernel::new();
    let below = op(BinaryOp::Less, plus(of(k.i), int(-4)), Expr::Int(2, Type::U32));
    let body = vec![set(element(k.a, of(k.i)), below)];
    assert_eq!(k.run(body), Ok(vec![0, 0, 0, 0, 1, 1, 0, 0]));
}

#[test]
fn endless_loops_are_refused() {
    let k = Kernel::new();
    let body = vec![Stmt::While { condition: int(1), body: Vec::new() }, set(element(k.a, of(k.i)), int(0))];
    assert_eq!(k.run(body), Err(Reject::TooManySteps));
    let mut k = Kernel::new();
    let j = k.add("j", Type::U32, Kind::Scalar);
    let down = Loop {
        directive: None,
        var: j,
        start: int(7),
        test: BinaryOp::GreaterEqual,
        end: of(k.i),
        step: -1,
        body: Vec::new(),
    };
    let body = vec![Stmt::Loop(down), set(element(k.a, of(k.i)), int(0))];
    assert_eq!(k.run(body), Err(Reject::LoopWraps));
}

#[test]
fn inner_extents_follow_from_the_indices() {
    let mut k = Kernel::new();
    k.program.variable_mut(k.a).kind =
        Kind::Array(Array { layout: Layout::Rows { inner: vec![1] }, count: 1, fill: Fill::Zero, offset: 0, spare: 1 });
    let place = Place {
        var: k.a,
        index: vec![op(BinaryOp::Divide, of(k.i), int(4)), op(BinaryOp::And, of(k.i), int(3))],
        field: None,
    };
    let body = vec![set(place, of(k.i))];
    assert_eq!(k.run(body), Ok(vec![0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0]));
}

#[test]
fn what_is_no_openmp_is_refused() {
    let malformed = |make: fn(&mut Kernel) -> Vec<Stmt>| {
        let mut k = Kernel::new();
        let body = make(&mut k);
        assert_eq!(k.run(body), Err(Reject::Malformed));
    };
    malformed(|_| vec![Stmt::Break]);
    malformed(|k| vec![set(Place::scalar(k.i), int(0))]);
    malformed(|k| vec![set(element(k.a, Expr::Float(1.0, Type::F32)), int(0))]);
    malformed(|k| {
        let j = k.add("j", Type::I32, Kind::Scalar);
        vec![set(element(k.a, of(j)), int(0))]
    });
    malformed(|k| {
        let j = k.add("j", Type::I32, Kind::Scalar);
        vec![parallel(j, 4, vec![set(element(k.a, of(k.i)), int(0))])]
    });
    malformed(|k| {
        let var = k.add("s", Type::I32, Kind::Result { op: ReduceOp::Add, start: 0 });
        vec![Stmt::Reduce { var, value: int(1) }]
    });
    let unsigned_with_long = |ty: Type| {
        let mut k = Kernel::new();
        let n = k.add("n", ty, Kind::Parameter(Number::Int(8)));
        k.program.variable_mut(k.i).ty = Type::U32;
        let body = vec![set(element(k.a, of(k.i)), of(n))];
        let directive = Directive { construct: Construct::TeamsDistributeParallelFor, clauses: Vec::new() };
        let Stmt::Loop(mut nest) = counted(k.i, 8, Some(directive), body) else { unreachable!() };
        nest.end = of(n);
        k.program.regions.push(Region { head: Head::Combined, clauses: Vec::new(), body: vec![Stmt::Loop(nest)] });
        check::is_well_formed(&k.program)
    };
    assert!(unsigned_with_long(Type::U32));
    assert!(!unsigned_with_long(Type::I64));
}
