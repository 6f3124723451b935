//! Dependences against brute force: random loop nests in C with small numbers, all pairs of iterations enumerated. No pair that is called
//! independent may collide, every collision is among the vectors that are reported, and no loop that is called parallel carries one.

use inkwell::context::Context;
use inkwell::module::Module;
use ipda::dependences::{AccessNode, Guard, RegionDependences, Relation, Step, Verdict};
use ipda_models::report::AccessKind;
use ipda_symbolic::{Coeff, Polynomial, Space, parse};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const PARAMETERS: [&str; 3] = ["n", "ld", "c"];

/// What the array x holds.
const HELD: [i64; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

#[derive(Clone, Debug)]
enum Expr {
    Number(i64),
    Loop(usize),
    Parameter(usize),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Div(Box<Expr>, i64),
    Rem(Box<Expr>, i64),
    Byte(Box<Expr>),
    Unsigned(Box<Expr>),
    /// What an array holds that nothing writes.
    Loaded(Box<Expr>),
    /// The second where the first is at least 0, else the third.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    fn random(random: &mut Random, loops: usize, depth: u32) -> Expr {
        let next = |random: &mut Random| Box::new(Expr::random(random, loops, depth.saturating_sub(1)));
        let kind = if depth == 0 { random.below(4) } else { random.below(15) };
        match kind {
            0 => Expr::Number(random.below(7) as i64 - 2),
            1 | 2 if loops > 0 => Expr::Loop(random.below(loops as u64) as usize),
            1..=3 => Expr::Parameter(random.below(3) as usize),
            4..=6 => Expr::Add(next(random), next(random)),
            7 => Expr::Sub(next(random), next(random)),
            8 | 9 => Expr::Mul(next(random), next(random)),
            10 => Expr::Div(next(random), random.pick(&[2, 3])),
            11 => Expr::Rem(next(random), random.pick(&[2, 3, 4])),
            12 if random.below(2) == 0 => Expr::Byte(next(random)),
            12 => Expr::Unsigned(next(random)),
            13 => Expr::Loaded(next(random)),
            _ => Expr::Choice(next(random), next(random), next(random)),
        }
    }

    fn text(&self) -> String {
        match self {
            Expr::Number(number) => format!("({number})"),
            Expr::Loop(index) => format!("i{index}"),
            Expr::Parameter(index) => PARAMETERS[*index].into(),
            Expr::Add(a, b) => format!("({} + {})", a.text(), b.text()),
            Expr::Sub(a, b) => format!("({} - {})", a.text(), b.text()),
            Expr::Mul(a, b) => format!("({} * {})", a.text(), b.text()),
            Expr::Div(a, b) => format!("({} / {b})", a.text()),
            Expr::Rem(a, b) => format!("({} % {b})", a.text()),
            Expr::Byte(a) => format!("(int)(unsigned char){}", a.text()),
            // Of 32 bits, so that 2^31 times 2 is 0: an index that the machine reads as a natural number.
            Expr::Unsigned(a) => format!("(int)(((unsigned){} * 1073741824u) >> 28)", a.text()),
            Expr::Loaded(a) => format!("x[{} & 7]", a.text()),
            Expr::Choice(a, b, c) => format!("({} >= 0 ? {} : {})", a.text(), b.text(), c.text()),
        }
    }

    fn value(&self, loops: &[i64], parameters: &[i64; 3]) -> i64 {
        let value = |expr: &Expr| expr.value(loops, parameters);
        match self {
            Expr::Number(number) => *number,
            Expr::Loop(index) => loops[*index],
            Expr::Parameter(index) => parameters[*index],
            Expr::Add(a, b) => value(a) + value(b),
            Expr::Sub(a, b) => value(a) - value(b),
            Expr::Mul(a, b) => value(a) * value(b),
            Expr::Div(a, b) => value(a) / b,
            Expr::Rem(a, b) => value(a) % b,
            Expr::Byte(a) => i64::from(value(a) as u8),
            Expr::Unsigned(a) => i64::from((value(a) as u32).wrapping_mul(1 << 30) >> 28),
            Expr::Loaded(a) => HELD[(value(a) & 7) as usize],
            Expr::Choice(a, b, c) => value(if value(a) >= 0 { b } else { c }),
        }
    }
}

#[derive(Debug)]
struct Loop {
    start: Expr,
    step: i64,
    /// Goes on below this.
    end: Expr,
}

#[derive(Debug)]
struct Store {
    /// Loops around it: the first so many.
    depth: usize,
    bytes: i64,
    /// In elements.
    index: Expr,
    /// Runs only where this is at least 0.
    guard: Option<Expr>,
}

/// A perfect nest, with stores at the beginning of loops' bodies.
#[derive(Debug)]
struct Nest {
    loops: Vec<Loop>,
    stores: Vec<Store>,
}

impl Nest {
    fn random(random: &mut Random) -> Nest {
        let depth = 1 + random.below(3) as usize;
        let loops = (0..depth).map(|outer| Loop {
            start: Expr::random(random, outer, 0),
            step: random.pick(&[1, 1, 1, 2, 3]),
            end: Expr::random(random, outer, random_depth(outer)),
        });
        let loops = loops.collect();
        let count = 1 + random.below(3) as usize;
        let mut stores: Vec<Store> = (0..count)
            .map(|_| {
                let depth = if random.below(4) == 0 { 1 + random.below(depth as u64) as usize } else { depth };
                let guard = (random.below(4) == 0).then(|| Expr::random(random, depth, 1));
                let index_depth = random.pick(&[1, 2, 2, 3]);
                Store {
                    depth,
                    bytes: random.pick(&[1, 4, 4, 8]),
                    index: Expr::random(random, depth, index_depth),
                    guard,
                }
            })
            .collect();
        stores.sort_by_key(|store| store.depth);
        Nest { loops, stores }
    }

    fn text(&self, number: usize) -> String {
        let mut out = format!("void f{number}(char *a, const int *restrict x, int n, int ld, int c) {{\n");
        for (depth, entry) in self.loops.iter().enumerate() {
            let (start, step, end) = (entry.start.text(), entry.step, entry.end.text());
            writeln!(out, "for (int i{depth} = {start}; i{depth} < {end}; i{depth} += {step}) {{").unwrap();
            for store in self.stores.iter().filter(|store| store.depth == depth + 1) {
                if let Some(guard) = &store.guard {
                    write!(out, "if ({} >= 0) ", guard.text()).unwrap();
                }
                let ty = match store.bytes {
                    1 => "char",
                    4 => "int",
                    _ => "long",
                };
                // Through volatile nothing would be known: a type that may alias, at any address.
                writeln!(out, "(({ty}_at *)a)[{}].x = 1;", store.index.text()).unwrap();
            }
        }
        out + &"}".repeat(self.loops.len()) + "}\n"
    }

    /// Calls `each` with every execution: the store, its iteration numbers, and its first byte. False where there are too many.
    fn run(&self, parameters: &[i64; 3], executions: &mut Vec<(usize, Vec<i64>, i64)>) -> bool {
        fn go(
            nest: &Nest,
            parameters: &[i64; 3],
            values: &mut Vec<i64>,
            numbers: &mut Vec<i64>,
            executions: &mut Vec<(usize, Vec<i64>, i64)>,
        ) -> bool {
            const MOST: usize = 400;
            let depth = values.len();
            for (at, store) in nest.stores.iter().enumerate().filter(|(_, store)| store.depth == depth) {
                if store.guard.as_ref().is_none_or(|guard| guard.value(values, parameters) >= 0) {
                    executions.push((at, numbers.clone(), store.bytes * store.index.value(values, parameters)));
                }
            }
            let Some(entry) = nest.loops.get(depth) else { return executions.len() < MOST };
            let mut value = entry.start.value(values, parameters);
            let mut number = 0;
            loop {
                if value >= entry.end.value(values, parameters) {
                    return true;
                }
                values.push(value);
                numbers.push(number);
                let goes_on = number < 40 && go(nest, parameters, values, numbers, executions);
                values.pop();
                numbers.pop();
                if !goes_on {
                    return false;
                }
                value += entry.step;
                number += 1;
            }
        }
        go(self, parameters, &mut Vec::new(), &mut Vec::new(), executions)
    }
}

fn random_depth(outer: usize) -> u32 {
    u32::from(outer > 0)
}

/// Values of expressions, by their text and the parameters.
type Known = HashMap<(String, [i64; 3]), Option<i64>>;

/// The value of an expression of the analysis; none where it is of more than the parameters.
fn evaluate(text: &str, parameters: &[i64; 3]) -> Option<i64> {
    thread_local! {
        static KNOWN: RefCell<Known> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        *known.entry((text.to_string(), *parameters)).or_insert_with(|| {
            let mut space = Space::new();
            let expression = parse(&mut space, text).ok()?;
            let mut name = |name: &str| space.find(&format!("[{name}]"));
            // Addresses are counted from where the array begins.
            let (names, array) = (PARAMETERS.map(&mut name), name("a"));
            let value = space.substitute(&expression, &mut |atom| match array == Some(atom) {
                true => Some(Polynomial::zero()),
                false => {
                    names.iter().position(|name| *name == Some(atom)).map(|at| Polynomial::constant(parameters[at]))
                }
            });
            value.as_constant().and_then(Coeff::to_i64)
        })
    })
}

fn covers(step: &Step, distance: i64, parameters: &[i64; 3]) -> bool {
    let direction = match distance.signum() {
        1 => step.less,
        0 => step.equal,
        _ => step.greater,
    };
    let exact = step.distance.as_ref().and_then(|text| evaluate(text, parameters));
    direction && exact.is_none_or(|exact| exact == distance)
}

/// Whether a guard is known to hold.
fn holds(guard: &Guard, parameters: &[i64; 3]) -> bool {
    let holds = |text: &String| evaluate(text, parameters).is_some_and(|value| value >= 0);
    guard.disjoint.is_empty() && guard.conditions.iter().all(holds)
}

fn check(nest: &Nest, reported: &RegionDependences, parameters: &[i64; 3], source: &str) -> (u64, u64) {
    let mut executions = Vec::new();
    if !nest.run(parameters, &mut executions) {
        return (0, 0);
    }
    let place = |at: usize| (source, parameters, at);
    let stores: Vec<usize> = (0..reported.accesses.len()).filter(|&at| is_store(&reported.accesses[at])).collect();
    let footprint = reported.objects.iter().find(|object| object.name == "a").map(|object| &object.footprint);
    if let Some(Ok((low, high))) = footprint
        && let (Some(low), Some(high)) = (evaluate(low, parameters), evaluate(high, parameters))
    {
        for (store, _, from) in &executions {
            let is_inside = low <= *from && from + nest.stores[*store].bytes <= high;
            assert!(is_inside, "byte {from} is not in the footprint {low}..{high}: {:?}", place(*store));
        }
    }
    let mut collisions = 0;
    for (one, (a, i, from)) in executions.iter().enumerate() {
        for (b, j, to) in &executions[one + 1..] {
            if !(to - from < nest.stores[*a].bytes && from - to < nest.stores[*b].bytes) {
                continue;
            }
            collisions += 1;
            let common = i.len().min(j.len());
            let ((first, i), (second, j)) = if a <= b { ((*a, i), (*b, j)) } else { ((*b, j), (*a, i)) };
            let numbers = (stores[first], stores[second]);
            let pair = reported.pairs.iter().find(|pair| (pair.first, pair.second) == numbers);
            // What takes more steps than the nest has among the others of its module is left out, and reported.
            if pair.is_none() && reported.limits.iter().any(|limit| limit.name == "pairs of accesses") {
                continue;
            }
            let distances: Vec<i64> = (0..common).map(|at| j[at] - i[at]).collect();
            let mirrored: Vec<i64> = distances.iter().map(|distance| -distance).collect();
            match &pair.unwrap_or_else(|| panic!("a pair was left out: {:?}", place(first))).relation {
                Relation::Independent(reason) => panic!("{reason}, but {distances:?} collide: {:?}", place(first)),
                Relation::MayAlias => {}
                Relation::Distances(vectors) => {
                    let fits = |distances: &[i64]| {
                        vectors.iter().any(|vector| {
                            let excluded = vector.excluded_if.as_ref().is_some_and(|conditions| {
                                let guard = Guard { conditions: conditions.clone(), ..Guard::default() };
                                holds(&guard, parameters)
                            });
                            let mut steps = vector.steps.iter().zip(distances);
                            !excluded && steps.all(|(step, &distance)| covers(step, distance, parameters))
                        })
                    };
                    let is_reported = fits(&distances) || first == second && fits(&mirrored);
                    assert!(is_reported, "{distances:?} collide, the report has {vectors:?}: {:?}", place(first));
                }
            }
            let Some(carrying) = distances.iter().position(|&distance| distance != 0) else { continue };
            let is_parallel = match &reported.loops[carrying].verdict {
                Verdict::Parallel => true,
                Verdict::Guarded(guard) => holds(guard, parameters),
                Verdict::Serial(_) | Verdict::Unknown(_) => false,
            };
            assert!(
                !is_parallel,
                "loop{carrying} is reported to be parallel, but {distances:?} collide: {:?}",
                place(first)
            );
        }
    }
    let parallel = reported.loops.iter().filter(|entry| entry.verdict == Verdict::Parallel).count();
    (collisions, parallel as u64)
}

fn is_store(access: &AccessNode) -> bool {
    access.kind == AccessKind::Store
}

fn compile<'ctx>(context: &'ctx Context, source: &str) -> Module<'ctx> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (folder.path().join("input.c"), folder.path().join("input.bc"));
    std::fs::write(&input, source).expect("the folder is writable");
    let llvm = PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    let clang = Command::new(llvm.join("bin/clang"))
        .current_dir(folder.path())
        .args("-w -O2 -g -emit-llvm -Xclang -disable-llvm-passes -c input.c -o input.bc".split(' '))
        .output()
        .expect("clang 19 is installed");
    assert!(clang.status.success(), "{}", String::from_utf8_lossy(&clang.stderr));
    Module::parse_bitcode_from_path(output, context).expect("clang's bitcode")
}

fn run(seed: u64, count: usize) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let nests: Vec<Nest> = (0..count).map(|_| Nest::random(&mut random)).collect();
    let mut source = String::new();
    for ty in ["char", "int", "long"] {
        writeln!(source, "typedef struct {{ {ty} x; }} __attribute__((packed, may_alias)) {ty}_at;").unwrap();
    }
    let texts: Vec<String> = nests.iter().enumerate().map(|(number, nest)| nest.text(number)).collect();
    source.extend(texts.iter().map(String::as_str));
    let context = Context::create();
    let reported = ipda::dependences(&compile(&context, &source));
    let (mut collisions, mut parallel, mut skipped) = (0, 0, 0);
    for ((number, nest), text) in nests.iter().enumerate().zip(&texts) {
        let name = format!("f{number}");
        let reported = reported.iter().find(|region| region.function == name).expect("every function is reported");
        // Code that never runs is gone, and so are its stores and loops.
        let in_place = |(access, store): (&AccessNode, &Store)| access.loops.len() == store.depth;
        let stores: Vec<&AccessNode> = reported.accesses.iter().filter(|access| is_store(access)).collect();
        let is_whole = stores.len() == nest.stores.len()
            && reported.loops.len() == nest.loops.len()
            && stores.into_iter().zip(&nest.stores).all(in_place);
        if !is_whole {
            skipped += 1;
            continue;
        }
        for n in [0, 1, 3, 6] {
            for ld in [-2, 0, 1, 4, 7] {
                for c in [0, 2] {
                    let (found, free) = check(nest, reported, &[n, ld, c], text);
                    collisions += found;
                    parallel += free;
                }
            }
        }
    }
    eprintln!("{count} nests, {skipped} of them not whole, {collisions} collisions, {parallel} parallel loops");
    assert!(skipped < count / 2 && collisions > 0 && parallel > 0);
}

#[test]
fn no_collision_is_missed() {
    run(1, 150);
}

/// Minutes.
#[test]
#[ignore = "takes minutes"]
fn no_collision_is_missed_in_many_nests() {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20);
    for seed in 2..2 + seeds {
        run(seed, 500);
    }
}
