//! Legality of fusing and exchanging loops, against enumeration.

use ipda_symbolic::{
    Count, Facts, Idle, Interval, LoopId, Mapping, Nest, NestLoop, Objection, OpaqueOp, Part, Polynomial, Size, Space,
    Step, Symbol, TripCount, Varies,
};

fn at(distance: i64) -> Step {
    let (less, equal, greater) = (distance > 0, distance == 0, distance < 0);
    Step { less, equal, greater, distance: Some(Polynomial::from(distance)) }
}

fn any() -> Step {
    Step { less: true, equal: true, greater: true, distance: None }
}

fn loops(space: &mut Space, count: u32) -> Vec<NestLoop> {
    let mut one = |number: u32| {
        let range = Interval::of_width(32, ipda_symbolic::Signedness::Signed);
        let trips = space.symbol(Symbol { name: format!("n{number}"), range, varies: Varies::No });
        NestLoop { id: LoopId(number), trips: TripCount::Exactly(trips) }
    };
    (0..count).map(&mut one).collect()
}

#[test]
fn a_diagonal_may_not_be_split_between_threads() {
    // A[p][j][i] = A[p][j-1][i-1], p in parallel.
    let mut space = Space::new();
    let loops = loops(&mut space, 3);
    let nest = Nest {
        loops,
        parallel: 1,
        is_scheduled: false,
        fixed: Vec::new(),
        dependences: vec![vec![at(0), at(1), at(1)]],
    };
    let objection = |threads: &[usize], inside: &[usize]| nest.objection(&space, &Mapping::of_loops(threads, inside));
    assert_eq!(objection(&[0, 1], &[2]), Some(Objection::Separated { dependence: 0, by: 1 }));
    assert_eq!(objection(&[0, 2], &[1]), Some(Objection::Separated { dependence: 0, by: 2 }));
    // Exchanged inside of a thread, (1, 1) is still forwards.
    assert_eq!(objection(&[0], &[2, 1]), None);
}

#[test]
fn a_sweep_is_exchanged_and_fused() {
    // A[p][j][i] = A[p][j-1][i], j carries: p and i may become threads, j not.
    let mut space = Space::new();
    let loops = loops(&mut space, 3);
    let nest = Nest {
        loops,
        parallel: 1,
        is_scheduled: false,
        fixed: Vec::new(),
        dependences: vec![vec![at(0), at(1), at(0)]],
    };
    let is_legal = |mapping: &Mapping| nest.objection(&space, mapping).is_none();
    let legal: Vec<Mapping> = nest.mappings().into_iter().filter(is_legal).collect();
    assert_eq!(legal, [Mapping::of_loops(&[0, 2], &[1]), Mapping::of_loops(&[2, 0], &[1])]);
}

#[test]
fn a_backward_step_is_not_exchanged() {
    // A[j][i] = A[j-1][i+1].
    let mut space = Space::new();
    let loops = loops(&mut space, 3);
    let nest = Nest {
        loops,
        parallel: 1,
        is_scheduled: false,
        fixed: Vec::new(),
        dependences: vec![vec![at(0), at(1), at(-1)]],
    };
    let exchanged = nest.objection(&space, &Mapping::of_loops(&[0], &[2, 1]));
    assert_eq!(exchanged, Some(Objection::Reversed { dependence: 0, by: 2 }));
}

#[test]
fn what_the_parallel_loop_carries_does_not_matter_unless_it_is_scheduled() {
    let mut space = Space::new();
    let loops = loops(&mut space, 2);
    let mut nest =
        Nest { loops, parallel: 1, is_scheduled: false, fixed: Vec::new(), dependences: vec![vec![at(1), any()]] };
    assert_eq!(nest.objection(&space, &Mapping::of_loops(&[0, 1], &[])), None);
    nest.is_scheduled = true;
    let separated = Some(Objection::Separated { dependence: 0, by: 0 });
    assert_eq!(nest.objection(&space, &Mapping::of_loops(&[0, 1], &[])), separated);
}

#[test]
fn bounds_must_be_known_where_they_are_needed() {
    let mut space = Space::new();
    let mut loops = loops(&mut space, 3);
    let row = space.iteration(loops[1].id);
    let nest = |loops: &[NestLoop]| Nest {
        loops: loops.to_vec(),
        parallel: 1,
        is_scheduled: false,
        fixed: Vec::new(),
        dependences: Vec::new(),
    };
    // The innermost loop of a triangle.
    loops[2].trips = TripCount::Exactly(row);
    let triangle = nest(&loops);
    assert_eq!(triangle.objection(&space, &Mapping::of_loops(&[0, 1], &[2])), None);
    assert_eq!(triangle.objection(&space, &Mapping::of_loops(&[0], &[2, 1])), Some(Objection::Bounds { of: 2, on: 1 }));
    assert_eq!(
        triangle.objection(&space, &Mapping::of_loops(&[0, 1, 2], &[])),
        Some(Objection::Bounds { of: 2, on: 1 })
    );
    // A loop that is left early, around another or in it.
    loops[2].trips = TripCount::Unknown("it depends on data".into());
    let open = nest(&loops);
    assert_eq!(open.objection(&space, &Mapping::of_loops(&[0, 1], &[2])), None);
    let why = "it depends on data".to_string();
    assert_eq!(
        open.objection(&space, &Mapping::of_loops(&[0, 2], &[1])),
        Some(Objection::Trips { of: 2, why: why.clone() })
    );
    loops.swap(1, 2);
    assert_eq!(
        nest(&loops).objection(&space, &Mapping::of_loops(&[0, 2], &[1])),
        Some(Objection::Trips { of: 1, why })
    );
    // A bound that is read from memory whenever the loop is entered.
    let address = space.symbol(Symbol { name: "p".into(), range: Interval::NON_NEGATIVE, varies: Varies::No });
    let read = space.load(address, 8, 0, Interval::of_width(64, ipda_symbolic::Signedness::Signed));
    let fixed = read.as_atom().into_iter().collect();
    loops[1].trips = TripCount::Exactly(read);
    let reading = nest(&loops).objection(&space, &Mapping::of_loops(&[0, 1], &[2]));
    assert_eq!(reading, Some(Objection::Read { of: 1 }));
    // It is the same whenever it is read.
    let nest = Nest { fixed, ..nest(&loops) };
    assert_eq!(nest.objection(&space, &Mapping::of_loops(&[0, 1], &[2])), None);
}

#[test]
fn parts_of_a_loop_are_the_digits_of_its_number() {
    use Count::{Const, Rest};
    let part = |of, size: u32, count| Part { of, size: Size::known(size), count };
    let of_loops = |loops, parts: &[Part]| {
        let (threads, inside) = parts.split_at(parts.len() / 2);
        Mapping::of_parts(loops, threads.to_vec(), inside.to_vec()).is_some()
    };
    let is_one = |parts: &[Part]| of_loops(1, parts);
    assert!(of_loops(2, &[Part::whole(1), Part::whole(0)]));
    assert!(!of_loops(3, &[Part::whole(1), Part::whole(0)]), "one is missing");
    assert!(!of_loops(2, &[Part::whole(1), Part::whole(2)]), "another one is missing");
    assert!(!of_loops(1, &[Part::whole(1), Part::whole(0)]), "there is no such loop");
    let of_rest = |below: u32, count| Part { of: 0, size: Size::known(below).times(Rest).expect("one rest"), count };
    let of_two = |at: u32| part(0, 1 << at, if at == 4 { Rest } else { Const(2) });
    assert!(is_one(&[of_two(0), of_two(1), of_two(2), part(0, 8, Rest)]));
    assert!(is_one(&[of_two(0), of_two(1), of_two(2), of_two(3), of_two(4)]), "any number of them");
    assert!(is_one(&[part(0, 1, Const(4)), part(0, 12, Rest), part(0, 4, Const(3))]));
    assert!(is_one(&[part(0, 1, Rest), of_rest(1, Const(3))]));
    assert!(is_one(&[part(0, 1, Const(4)), of_rest(4, Const(3)), part(0, 4, Rest)]));
    assert!(!is_one(&[Part::whole(0), Part::whole(0)]), "twice the same");
    assert!(!is_one(&[part(0, 1, Const(4)), part(0, 5, Rest)]), "a gap");
    assert!(!is_one(&[part(0, 1, Const(4)), part(0, 4, Const(4))]), "no digit for the rest");
    assert!(!is_one(&[part(0, 1, Const(1)), Part::whole(0)]), "a digit of one value");
    assert!(!is_one(&[part(0, 4, Rest)]), "no digit of the smallest size");
    assert!(!is_one(&[part(0, 1, Rest), of_rest(1, Const(2)), of_rest(1, Const(3))]), "in no order");
    assert!(!is_one(&[part(0, 1, Const(1 << 31)), part(0, 1 << 31, Const(2)), part(0, 0, Rest)]));
}

#[test]
fn lanes_are_tiles_of_whole_loops() {
    use Count::{Const, Rest};
    let part = |of, size: u32, count| Part { of, size: Size::known(size), count };
    let whole = Mapping::of_loops(&[2, 0, 1], &[3]);
    let tiled = whole.with_lanes(&[(0, 4), (1, 8)]).expect("digits of numbers");
    let tiles = [Part::whole(2), part(0, 4, Rest), part(1, 8, Rest)];
    let lanes = [part(0, 1, Const(4)), part(1, 1, Const(8))];
    assert_eq!(tiled.threads(), [&tiles[..], &lanes].concat());
    assert_eq!(tiled.inside(), [Part::whole(3)]);
    assert_eq!(tiled.fused().collect::<Vec<_>>(), [2, 0, 1]);
    assert_eq!([0, 1, 2].map(|of| tiled.tile(of)), [4, 8, 1]);
    assert_eq!(whole.tile(0), 1);
    assert_eq!(tiled.with_lanes(&[(2, 2)]), None, "it is one already");
    assert_eq!(whole.with_lanes(&[(0, 3), (1, 8)]), None, "shifts and masks do not take it apart");
    assert_eq!(whole.with_lanes(&[(0, 1), (1, 32)]), None, "a digit of one value");
}

#[test]
fn a_sweep_goes_backwards_in_a_digit() {
    use Count::{Const, Rest};
    // A[i] = A[i-3] in strips of 4: (0, 3) within a strip, (1, -1) into the next one.
    let [high, low] =
        [Part { of: 1, size: Size::known(4), count: Rest }, Part { of: 1, size: Size::ONE, count: Const(4) }];
    let mut space = Space::new();
    let loops = loops(&mut space, 2);
    let nest = |distance| Nest {
        loops: loops.clone(),
        parallel: 1,
        is_scheduled: false,
        fixed: Vec::new(),
        dependences: vec![vec![at(0), at(distance)]],
    };
    let objection = |distance, threads: &[Part], inside: &[Part]| {
        let threads = [&[Part::whole(0)], threads].concat();
        nest(distance).objection(&space, &Mapping::of_parts(2, threads, inside.to_vec()).expect("digits of numbers"))
    };
    assert_eq!(objection(3, &[], &[high, low]), None);
    assert_eq!(objection(3, &[], &[low, high]), Some(Objection::Reversed { dependence: 0, by: 1 }));
    assert_eq!(objection(3, &[low], &[high]), Some(Objection::Separated { dependence: 0, by: 1 }));
    // What leads from strip to strip lets each place in them have its thread, which goes from strip to strip.
    assert_eq!(objection(8, &[low], &[high]), None);
    assert_eq!(objection(8, &[], &[low, high]), None);
    assert_eq!(objection(8, &[high], &[low]), Some(Objection::Separated { dependence: 0, by: 1 }));
}

/// Numbers below a limit.
fn generator(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |end: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % end
    }
}

/// All tuples of numbers below the extents, in the order of nested loops.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    extents.iter().fold(vec![Vec::new()], |points, &extent| {
        let next = |point: Vec<i64>| (0..extent).map(move |number| [&point[..], &[number]].concat());
        points.into_iter().flat_map(next).collect()
    })
}

/// Whether a mapping of whole loops keeps all pairs of iterations with a vector of the given directions in their order.
fn keeps(nest: &Nest, mapping: &Mapping, extents: &[i64], steps: &[Step]) -> bool {
    let all = points(extents);
    let is_pair = |source: &[i64], sink: &[i64]| {
        source.iter().zip(sink).zip(steps).all(|((a, b), step)| match a.cmp(b) {
            std::cmp::Ordering::Less => step.less,
            std::cmp::Ordering::Equal => step.equal,
            std::cmp::Ordering::Greater => step.greater,
        }) && source < sink
    };
    let pick = |point: &[i64], of: &[Part]| of.iter().map(|part| point[part.of]).collect::<Vec<i64>>();
    all.iter().all(|source| {
        all.iter().filter(|sink| is_pair(source, sink)).all(|sink| {
            let is_free = !nest.is_scheduled && source[..nest.parallel] != sink[..nest.parallel];
            let of_one_thread = pick(source, mapping.threads()) == pick(sink, mapping.threads());
            is_free || of_one_thread && pick(source, mapping.inside()) < pick(sink, mapping.inside())
        })
    })
}

#[test]
fn objections_are_those_of_enumeration() {
    let mut space = Space::new();
    let mut random = generator(1);
    let (mut kept, mut refused) = (0, 0);
    for _ in 0..3000 {
        let depth = 2 + random(3) as usize;
        let steps: Vec<Step> = (0..depth)
            .map(|_| match random(4) {
                0 | 1 => at(0),
                _ => {
                    let ways = 1 + random(7);
                    Step { less: ways & 1 != 0, equal: ways & 2 != 0, greater: ways & 4 != 0, distance: None }
                }
            })
            .collect();
        let loops = loops(&mut space, depth as u32);
        let parallel = 1 + random(2).min(depth as u64 - 2) as usize;
        let is_scheduled = random(4) == 0;
        let nest = Nest { loops, parallel, is_scheduled, fixed: Vec::new(), dependences: vec![steps.clone()] };
        for mapping in nest.mappings() {
            let objection = nest.objection(&space, &mapping);
            // Two iterations of each loop show every combination of directions.
            let keeps = keeps(&nest, &mapping, &vec![2; depth], &steps);
            assert_eq!(objection.is_none(), keeps, "{mapping:?} of {nest:?}: {objection:?}");
            if keeps { kept += 1 } else { refused += 1 }
        }
    }
    assert!(kept > 1000 && refused > 1000, "{kept} kept, {refused} refused");
}

/// A nest whose loops run as often as a number says, and so many times the iteration number of the outermost loop more often.
struct Numbered {
    trips: Vec<(i64, i64)>,
}

impl Numbered {
    fn trips(&self, at: usize, outermost: i64) -> i64 {
        self.trips[at].0 + self.trips[at].1 * outermost
    }

    /// How often a loop runs at most.
    fn most(&self, at: usize) -> i64 {
        self.trips(at, 0).max(self.trips(at, self.trips[0].0 - 1))
    }

    /// In the program's order.
    fn points(&self) -> Vec<Vec<i64>> {
        let most: Vec<i64> = (0..self.trips.len()).map(|at| self.most(at)).collect();
        let runs = |point: &Vec<i64>| (0..point.len()).all(|at| point[at] < self.trips(at, point[0]));
        points(&most).into_iter().filter(runs).collect()
    }

    fn loops(&self, space: &mut Space) -> Vec<NestLoop> {
        let outermost = space.iteration(LoopId(0));
        let trips = self.trips.iter().map(|&(base, slope)| Polynomial::from(base) + outermost.scale(&slope.into()));
        let entry = |(at, trips)| NestLoop { id: LoopId(at), trips: TripCount::Exactly(trips) };
        (0..).zip(trips).map(entry).collect()
    }

    /// The digits of a point in the parts of threads and in the others.
    fn digits(&self, point: &[i64], mapping: &Mapping, is_hull: impl Fn(usize) -> bool) -> [Vec<i64>; 2] {
        let trips = |of: usize| if is_hull(of) { self.most(of) } else { self.trips(of, point[0]) };
        let all: Vec<u64> = (0..self.trips.len()).map(|of| trips(of).max(1) as u64).collect();
        let numbers = mapping.numbers(&all, |_| 1).expect("small numbers");
        let parts = mapping.threads().iter().chain(mapping.inside());
        let digit = |(part, &(size, count)): (&Part, &(u64, u64))| point[part.of] / size as i64 % count as i64;
        let mut threads: Vec<i64> = parts.zip(&numbers).map(digit).collect();
        let inside = threads.split_off(mapping.threads().len());
        [threads, inside]
    }
}

/// A mapping of parts at random.
fn random_mapping(depth: usize, random: &mut impl FnMut(u64) -> u64) -> Mapping {
    let mut parts: Vec<Part> = Vec::new();
    for of in 0..depth {
        let mut sizes = |counts: &[Count]| {
            let mut size = Size::ONE;
            for &count in counts {
                parts.push(Part { of, size, count });
                size = size.times(count).expect("one rest");
            }
        };
        let [a, b] = [2 + random(3) as u32, 2 + random(2) as u32].map(Count::Const);
        match random(6) {
            0 | 1 => sizes(&[Count::Rest]),
            2 | 3 => sizes(&[a, Count::Rest]),
            4 => sizes(&[Count::Rest, a]),
            _ if random(2) == 0 => sizes(&[a, b, Count::Rest]),
            _ => sizes(&[a, Count::Rest, b]),
        }
    }
    for at in (1..parts.len()).rev() {
        parts.swap(at, random(at as u64 + 1) as usize);
    }
    let inside = parts.split_off(random(parts.len() as u64 + 1) as usize);
    Mapping::of_parts(depth, parts, inside).expect("digits of numbers")
}

/// Whether a step of which nothing is known but its directions, or its distance, leads from one number to another.
fn leads(step: &Step, from: i64, to: i64) -> bool {
    match step.distance.as_ref().and_then(|distance| distance.as_constant()?.to_i64()) {
        Some(distance) => to - from == distance,
        None => match from.cmp(&to) {
            std::cmp::Ordering::Less => step.less,
            std::cmp::Ordering::Equal => step.equal,
            std::cmp::Ordering::Greater => step.greater,
        },
    }
}

fn random_step(random: &mut impl FnMut(u64) -> u64) -> Step {
    match random(4) {
        0 => at(0),
        1 | 2 => at(random(11) as i64 - 5),
        _ => {
            let ways = 1 + random(7);
            Step { less: ways & 1 != 0, equal: ways & 2 != 0, greater: ways & 4 != 0, distance: None }
        }
    }
}

/// Checks a mapping of a random nest against enumeration: whether it is refused, and whether it keeps the dependence.
fn judge(numbered: &Numbered, parallel: usize, random: &mut impl FnMut(u64) -> u64) -> (Mapping, bool, bool) {
    let depth = numbered.trips.len();
    let mut space = Space::new();
    let steps: Vec<Step> = (0..depth).map(|_| random_step(random)).collect();
    let is_scheduled = random(4) == 0;
    let loops = numbered.loops(&mut space);
    let nest = Nest { loops, parallel, is_scheduled, fixed: Vec::new(), dependences: vec![steps.clone()] };
    let mapping = random_mapping(depth, random);
    let (hulled, hulls) = nest.hulls(&mut space, &mapping, |_| false);
    let objection = hulled.objection(&space, &mapping);
    let is_hull = |of: usize| hulls.iter().any(|hull| hull.of == of);
    let points = numbered.points();
    let place = |point: &Vec<i64>| {
        let [thread, inside] = numbered.digits(point, &mapping, is_hull);
        (thread, inside)
    };
    let places: Vec<_> = points.iter().map(place).collect();
    let pairs = (0..points.len()).flat_map(|source| (source + 1..points.len()).map(move |sink| (source, sink)));
    let is_dependent = |&(source, sink): &(usize, usize)| {
        let (source, sink) = (&points[source], &points[sink]);
        let is_free = !is_scheduled && source[..parallel] != sink[..parallel];
        !is_free && steps.iter().zip(source.iter().zip(sink)).all(|(step, (from, to))| leads(step, *from, *to))
    };
    let broken = pairs.filter(is_dependent).find(|&(source, sink)| {
        let ((source_thread, source), (sink_thread, sink)) = (&places[source], &places[sink]);
        source_thread != sink_thread || source >= sink
    });
    if let (None, Some((source, sink))) = (&objection, broken) {
        panic!("{:?} before {:?} is lost by {mapping:?} of {nest:?}", points[source], points[sink]);
    }
    if objection.is_none() {
        // A count that grows with the outermost loop's iteration is known where that is.
        let knows = |place: usize| mapping.inside()[place..].iter().all(|part| part.of != 0);
        let grows = |part: &Part| numbered.trips[part.of].1 != 0 && !is_hull(part.of);
        assert!(!mapping.threads().iter().any(grows), "{mapping:?} of {nest:?}");
        let mut inside = mapping.inside().iter().enumerate();
        assert!(inside.all(|(place, part)| !grows(part) || knows(place)), "{mapping:?} of {nest:?}");
    }
    (mapping, objection.is_some(), broken.is_none())
}

#[test]
fn numbers_that_begin_later_in_each_row_are_those_of_all_iterations() {
    const ROWS: i64 = 6;
    for (columns, slope) in [(9, -1), (4, -1), (12, -2), (3, 1)] {
        let numbered = Numbered { trips: vec![(ROWS, 0), (columns, slope)] };
        let mut space = Space::new();
        let loops = numbered.loops(&mut space);
        let nest = Nest { loops, parallel: 1, is_scheduled: false, fixed: Vec::new(), dependences: Vec::new() };
        let (hulled, hulls) = nest.hulls(&mut space, &Mapping::of_loops(&[1, 0], &[]), |_| true);
        let [hull] = &hulls[..] else { panic!("one loop depends on another") };
        assert_eq!(hull.falls_with(), (slope == -1).then_some(0), "{columns} {slope}");
        let TripCount::Exactly(most) = &hulled.loops[1].trips else { panic!("it is known") };
        let most = most.as_constant().and_then(|most| most.to_i64()).expect("a number");
        let iterations = |row: i64| 0..(columns + slope * row).max(0);
        let moved = |row: i64| (0..most).map(move |number| number - row).filter(|iteration| *iteration >= 0);
        let is_same = (0..ROWS).all(|row| moved(row).eq(iterations(row)));
        assert_eq!(is_same, slope == -1, "{columns} {slope}");
    }
}

/// How many iterations there are at most, of so many columns.
type Most = fn(i64) -> i64;

/// Counts that change with the row `i`, but not evenly, of `n` columns, and how many there are at most in 9 rows of `n`; none where more than that is not known.
fn uneven_counts(space: &mut Space, i: &Polynomial, n: &Polynomial) -> [(Polynomial, Most); 5] {
    let quotient = |space: &mut Space, of: &Polynomial, by: i64| space.floor_div(of, &by.into(), &Facts::none());
    let remainder = |space: &mut Space, of: &Polynomial, by: i64| of - &quotient(space, of, by).scale(&by.into());
    let one = Polynomial::one();
    // Red and black: for j = i % 2; j < n; j += 2, by remainders with and without sign.
    let by_turns = remainder(space, i, 2);
    let from_turn = quotient(space, &(n - &by_turns + &one), 2);
    let signed = space.op(OpaqueOp::TruncRem, vec![i - &Polynomial::from(4), 2.into()]);
    let from_signed = quotient(space, &(n - &signed + &one), 2);
    let half = quotient(space, i, 2);
    // for j = n - i % 3; j > 0; j -= 3
    let of_three = remainder(space, i, 3);
    let down = quotient(space, &(n - &of_three + Polynomial::from(2)), 3);
    let both = half.clone() + &quotient(space, &(n - i), 3);
    [
        (from_turn, |n| (n + 1).div_euclid(2)),
        (from_signed, |n| (n + 2).div_euclid(2)),
        (half, |_| 4),
        (down, |n| (n + 2).div_euclid(3)),
        // Each part at its own best.
        (both, |n| 4 + n.div_euclid(3)),
    ]
}

#[test]
fn loops_are_asked_that_run_another_number_of_times_in_each_row() {
    const ROWS: i64 = 9;
    let mut space = Space::new();
    let i = space.iteration(LoopId(0));
    let range = Interval::of_width(32, ipda_symbolic::Signedness::Signed);
    let n = space.symbol(Symbol { name: "n".into(), range, varies: Varies::No });
    let counts = uneven_counts(&mut space, &i, &n);
    for (trips, most) in counts {
        let loops = vec![
            NestLoop { id: LoopId(0), trips: TripCount::Exactly(ROWS.into()) },
            NestLoop { id: LoopId(1), trips: TripCount::Exactly(trips.clone()) },
        ];
        let nest = Nest { loops, parallel: 1, is_scheduled: false, fixed: Vec::new(), dependences: Vec::new() };
        let order = Mapping::of_loops(&[0, 1], &[]);
        assert!(nest.hulls(&mut space, &order, |_| false).1.is_empty(), "{trips:?}");
        let (hulled, hulls) = nest.hulls(&mut space, &order, |_| true);
        let [hull] = &hulls[..] else { panic!("the inner loop is asked: {}", space.display(&trips)) };
        assert_eq!((hull.of, hull.idle, &hull.base), (1, Idle::Asked, &trips));
        assert_eq!(hulled.of_bounds(&space, &order), None);
        let TripCount::Exactly(hulled_most) = &hulled.loops[1].trips else { panic!("it is known") };
        for columns in -3..40 {
            let value = |of: &Polynomial, row: i64| {
                let given = [(i.as_atom(), row), (n.as_atom(), columns)];
                let of_atom =
                    |atom| given.iter().find(|(known, _)| *known == Some(atom)).map(|(_, value)| (*value).into());
                space.eval(of, &mut { of_atom }).and_then(|value| value.to_i64()).expect("a number")
            };
            let found = value(hulled_most, 0);
            assert_eq!(
                found,
                most(columns),
                "{columns} columns of {} at most {}",
                space.display(&trips),
                space.display(hulled_most)
            );
            assert!((0..ROWS).all(|row| value(&trips, row) <= found), "{columns} columns");
        }
    }
}

#[test]
fn of_what_nobody_knows_the_most_no_loop_is_asked() {
    let mut space = Space::new();
    let i = space.iteration(LoopId(0));
    let range = Interval::of_width(32, ipda_symbolic::Signedness::Signed);
    let n = space.symbol(Symbol { name: "n".into(), range, varies: Varies::No });
    let wide = space.op(OpaqueOp::Xor, vec![i.clone(), n.clone()]);
    let squared = &i * &n;
    let loaded = Symbol {
        name: "length".into(),
        range: Interval::of_width(32, ipda_symbolic::Signedness::Signed),
        varies: Varies::WithLoops([LoopId(0)].into()),
    };
    let loaded = space.symbol(loaded);
    for trips in [wide, squared, loaded] {
        let loops = vec![
            NestLoop { id: LoopId(0), trips: TripCount::Exactly(9.into()) },
            NestLoop { id: LoopId(1), trips: TripCount::Exactly(trips) },
        ];
        let nest = Nest { loops, parallel: 1, is_scheduled: false, fixed: Vec::new(), dependences: Vec::new() };
        let order = Mapping::of_loops(&[0, 1], &[]);
        let (hulled, hulls) = nest.hulls(&mut space, &order, |_| true);
        assert!(hulls.is_empty());
        assert_eq!(hulled.of_bounds(&space, &order), Some(Objection::Bounds { of: 1, on: 0 }));
    }
}

#[test]
fn mappings_of_parts_keep_all_dependences() {
    let mut random = generator(2);
    let (mut kept, mut refused) = (0, 0);
    for _ in 0..10000 {
        let depth = 1 + random(3) as usize;
        let mut slope = |at: usize| if at > 0 && random(3) == 0 { random(3) as i64 - 1 } else { 0 };
        let slopes: Vec<i64> = (0..depth).map(&mut slope).collect();
        let trips = slopes.into_iter().map(|slope| (1 + random(8) as i64, slope)).collect();
        let parallel = random(depth as u64 + 1).min(2) as usize;
        let (_, is_refused, _) = judge(&Numbered { trips }, parallel, &mut random);
        if is_refused { refused += 1 } else { kept += 1 }
    }
    assert!(kept > 1500 && refused > 1500, "{kept} kept, {refused} refused");
}

#[test]
fn no_mapping_of_known_sizes_is_refused_without_need() {
    let mut random = generator(3);
    let (mut kept, mut refused) = (0, 0);
    while kept + refused < 1000 {
        let depth = 1 + random(2) as usize;
        // Room for each distance in each digit.
        let trips = vec![(if depth == 1 { 60 } else { 24 }, 0); depth];
        let parallel = random(depth as u64 + 1) as usize;
        let (mapping, is_refused, keeps) = judge(&Numbered { trips }, parallel, &mut random);
        if [mapping.threads(), mapping.inside()].concat().iter().any(|part| part.size.as_known().is_none()) {
            continue;
        }
        assert_eq!(is_refused, !keeps, "{mapping:?}");
        if keeps { kept += 1 } else { refused += 1 }
    }
    assert!(kept > 150 && refused > 150, "{kept} kept, {refused} refused");
}
