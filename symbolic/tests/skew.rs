//! Skewed loops of serial nests, against enumeration and against memory.
#![expect(clippy::print_stdout, reason = "figures are printed with --nocapture")]

use ipda_symbolic::{
    Access, Coeff, Facts, Interval, LoopId, NestLoop, Objection, Pair, Polynomial, Skew, Space, Step, Symbol,
    TripCount, Varies, dependence,
};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers below a limit.
fn generator(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |end: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % end
    }
}

fn skew(times: &[i8]) -> Skew {
    Skew::new(times.to_vec()).expect("factors")
}

fn at(distance: i64) -> Step {
    let (less, equal, greater) = (distance > 0, distance == 0, distance < 0);
    Step { less, equal, greater, distance: Some(Polynomial::from(distance)) }
}

/// All iterations of loops that run so often, in the program's order.
fn points(trips: &[i64]) -> Vec<Vec<i64>> {
    trips.iter().fold(vec![Vec::new()], |points: Vec<Vec<i64>>, &trips| {
        let next = |point: Vec<i64>| (0..trips).map(move |number| [&point[..], &[number]].concat());
        points.into_iter().flat_map(next).collect()
    })
}

fn number(of: &Polynomial) -> i64 {
    of.as_constant().and_then(Coeff::to_i64).expect("a number")
}

/// The iterations of each p in their order, as the loops with bounds run them.
fn run(skew: &Skew, trips: &[i64]) -> Vec<Vec<Vec<i64>>> {
    let counts: Vec<Polynomial> = trips.iter().map(|&trips| trips.into()).collect();
    let (first, last) = skew.range(&counts);
    let of_place = |p: i64| {
        let p = Polynomial::from(p);
        let mut all = vec![vec![0; trips.len()]];
        for of in skew.inside() {
            let mut next = Vec::new();
            for point in all {
                let numbers: Vec<Polynomial> = point.iter().map(|&number| number.into()).collect();
                let limits = skew.limits(of, &counts, &p, &numbers);
                let (from, to) = limits.map_or((0, trips[of] - 1), |(from, to)| (number(&from), number(&to)));
                next.extend((from.max(0)..=to.min(trips[of] - 1)).map(|number| {
                    let mut point = point.clone();
                    point[of] = number;
                    point
                }));
            }
            all = next;
        }
        let follow = |mut point: Vec<i64>| {
            let numbers: Vec<Polynomial> = point.iter().map(|&number| number.into()).collect();
            point[skew.following()] = number(&skew.number_that_follows(&p, &numbers));
            point
        };
        all.into_iter().map(follow).collect()
    };
    (number(&first)..=number(&last)).map(of_place).collect()
}

#[test]
fn skews_are_found_once() {
    assert_eq!(Skew::all(2).iter().map(Skew::times).collect::<Vec<_>>(), [[0, 1], [1, 0], [1, 1], [1, -1]]);
    assert_eq!(Skew::all(3).len(), 13);
    for wrong in [vec![0, 0], vec![-1, 1], vec![0, -1], vec![2, 1]] {
        assert_eq!(Skew::new(wrong), None);
    }
}

#[test]
fn each_iteration_runs_once_in_the_program_s_order_of_its_place() {
    const SIZES: [i64; 7] = [0, 1, 2, 3, 5, 8, 13];
    for depth in 1..=3 {
        for skew in Skew::all(depth) {
            let sizes = points(&vec![SIZES.len() as i64 - i64::from(depth == 3); depth]);
            for sizes in sizes {
                let trips: Vec<i64> = sizes.iter().map(|&at| SIZES[at as usize]).collect();
                let mut expected: BTreeMap<i64, Vec<Vec<i64>>> = BTreeMap::new();
                for point in points(&trips) {
                    let place = skew.times().iter().zip(&point).map(|(times, number)| i64::from(*times) * number).sum();
                    expected.entry(place).or_default().push(point);
                }
                // No p without iterations, and each as often as the program has them, in its order.
                let mut all = run(&skew, &trips);
                if trips.contains(&0) {
                    all.retain(|place| !place.is_empty());
                }
                assert_eq!(all, expected.into_values().collect::<Vec<_>>(), "{skew:?} {trips:?}");
            }
        }
    }
}

#[test]
fn bounds_of_a_product_of_polynomials() {
    let mut space = Space::new();
    let mut symbol =
        |name: &str| space.symbol(Symbol { name: name.into(), range: Interval::between(1, 1000), varies: Varies::No });
    let [n, m, p] = ["n", "m", "p"].map(&mut symbol);
    let numbers = [0, 1].map(|number| space.iteration(LoopId(number)));
    let product = skew(&[1, 1]);
    let trips = [n, m];
    let text = |of: &Polynomial| space.display(of).to_string();
    let (first, last) = product.range(&trips);
    assert_eq!([text(&first), text(&last)], ["0", "[n] + [m] - 2"]);
    let (first, last) = product.limits(0, &trips, &p, &numbers).expect("it is summed up");
    assert_eq!([text(&first), text(&last)], ["[p] - [m] + 1", "[p]"]);
    assert_eq!(text(&product.number_that_follows(&p, &numbers)), text(&(&p - &numbers[0])));
}

#[test]
fn the_order_of_a_sum_stays() {
    // c[i + j] += a[i] * b[j]: the next iteration of a place is one of i on and one of j back.
    let product = [vec![at(1), at(-1)]];
    let skewed = skew(&[1, 1]);
    assert_eq!(skewed.objection(&product, &[1, 0]), None, "i forwards");
    // With n - j forwards, j goes backwards: which is i forwards.
    assert_eq!(skewed.objection(&product, &[0, -1]), None);
    let reversed = Some(Objection::Reversed { dependence: 0, by: 1 });
    assert_eq!(skewed.objection(&product, &[-1, 0]), reversed, "n - i forwards");
    assert_eq!(skewed.objection(&product, &[0, 1]), reversed, "j forwards");
    assert_eq!(skewed.objection(&product, &[0, 0]), reversed, "in no order");
    let separated = Some(Objection::Separated { dependence: 0, by: 1 });
    assert_eq!(skew(&[1, -1]).objection(&product, &[1, 0]), separated);
    assert_eq!(skew(&[0, 1]).objection(&product, &[1, 0]), separated);
    // A sweep of Gauss and Seidel's goes from each p to the next one.
    let sweep = [vec![at(1), at(0)], vec![at(0), at(1)]];
    for skew in Skew::all(2) {
        assert!(skew.objection(&sweep, &[1, 0]).is_some(), "{skew:?}");
    }
    // Of which only directions are known.
    let unknown = Step { less: false, equal: false, greater: true, distance: None };
    assert_eq!(skewed.objection(&[vec![at(1), unknown]], &[1, 0]), separated);
    let equal = Step { less: false, equal: true, greater: false, distance: None };
    assert_eq!(skew(&[1, 0]).objection(&[vec![equal, at(1)]], &[0, 1]), None);
}

/// What an iteration leaves in its place: made of where it is, and of what it finds in the places of those on which it depends.
fn mixed(tag: u64, found: u64) -> u64 {
    (tag ^ found).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

fn memory<'a>(order: impl Iterator<Item = &'a Vec<i64>>, distances: &[Vec<i64>]) -> BTreeMap<Vec<i64>, u64> {
    let mut memory: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    for point in order {
        let source = |by: &Vec<i64>| point.iter().zip(by).map(|(number, by)| number - by).collect::<Vec<i64>>();
        let found = distances.iter().filter_map(|by| memory.get(&source(by)).copied());
        let tag = point.iter().fold(1, |tag, &number| mixed(tag, number as u64));
        let own = found.fold(tag, mixed);
        memory.insert(point.clone(), own);
    }
    memory
}

#[test]
fn legal_skews_leave_the_same_memory() {
    let mut random = generator(1);
    let (mut legal, mut refused, mut refused_though_equal) = (0, 0, 0);
    for _ in 0..4000 {
        let depth = 2 + random(2) as usize;
        let most = if depth == 2 { 7 } else { 5 };
        let trips: Vec<i64> = (0..depth).map(|_| 3 + random(most - 2) as i64).collect();
        let mut distance = || loop {
            let by: Vec<i64> = (0..depth).map(|_| random(5) as i64 - 2).collect();
            if by.iter().find(|by| **by != 0).is_some_and(|first| *first > 0) {
                return by;
            }
        };
        let distances = [distance(), distance()];
        let distances = &distances[..1 + random(2) as usize];
        let dependences: Vec<Vec<Step>> = distances.iter().map(|by| by.iter().map(|&by| at(by)).collect()).collect();
        let written = points(&trips);
        let expected = memory(written.iter(), distances);
        for skew in Skew::all(depth) {
            // Inside, the numbers of the loops that run for each p, slower ones with more weight.
            let mut weight = 1;
            let mut schedule = vec![0; depth];
            for of in skew.inside().collect::<Vec<_>>().into_iter().rev() {
                schedule[of] = weight;
                weight *= 10;
            }
            let objection = skew.objection(&dependences, &schedule);
            let places = run(&skew, &trips);
            let is_same = memory(places.iter().flatten(), distances) == expected
                && memory(places.iter().rev().flatten(), distances) == expected;
            assert!(objection.is_some() || is_same, "{skew:?} {distances:?}");
            match objection {
                None => legal += 1,
                Some(_) => refused += 1,
            }
            // Where a distance is longer than the loops run, nothing is lost by chance.
            let has_room = distances.iter().all(|by| by.iter().zip(&trips).all(|(by, trips)| by.abs() < *trips));
            refused_though_equal += usize::from(objection.is_some() && is_same && has_room);
        }
    }
    println!("{legal} legal, 0 of them wrong, {refused} refused, {refused_though_equal} of them though equal");
    assert!(legal > 500 && refused > 500);
    assert_eq!(refused_though_equal, 0);
}

/// Whether the test of accesses by p says that some p depends on another.
fn is_carried(space: &mut Space, nest: &[NestLoop], skew: &Skew, accesses: &[Access]) -> bool {
    let p = LoopId(9);
    let by_place: Vec<Access> =
        accesses.iter().map(|access| skew.of_access(space, access, nest, p).expect("an access of the nest")).collect();
    let mut is_carried = false;
    for (first, a) in by_place.iter().enumerate() {
        for b in &by_place[first..] {
            let pair = if std::ptr::eq(a, b) { Pair::Itself } else { Pair::Two };
            let vectors = dependence(space, a, b, &a.loops.clone(), pair);
            is_carried |= vectors.iter().any(|vector| vector.steps[0].less || vector.steps[0].greater);
        }
    }
    is_carried
}

#[test]
fn addresses_say_which_places_are_independent() {
    // A[x*i + y*j + d] for several d, with x and y small: all bytes that two places touch, against the test.
    let mut random = generator(2);
    let (mut free, mut carried, mut though_free) = (0, 0, 0);
    for _ in 0..600 {
        let mut space = Space::new();
        let base = space.symbol(Symbol { name: "A".into(), range: Interval::between(4096, 8192), varies: Varies::No });
        let trips: Vec<i64> = (0..2).map(|_| 1 + random(6) as i64).collect();
        let entry = |of: u32| NestLoop { id: LoopId(of), trips: TripCount::Exactly(trips[of as usize].into()) };
        let nest = [entry(0), entry(1)];
        let numbers: Vec<Polynomial> = [0, 1].map(|of| space.iteration(LoopId(of))).to_vec();
        let mut facts = Facts::none();
        numbers
            .iter()
            .zip(&trips)
            .for_each(|(number, &trips)| facts.assume_nonneg(Polynomial::from(trips - 1) - number));
        let times: Vec<i64> = if random(2) == 0 { vec![4, 4] } else { (0..2).map(|_| 4 * random(4) as i64).collect() };
        let offsets: Vec<i64> = (0..1 + random(2)).map(|_| 4 * random(3) as i64).collect();
        let access = |offset: &i64| {
            let sum = numbers.iter().zip(&times).map(|(number, &times)| number.scale(&times.into()));
            let address = sum.fold(&base + &Polynomial::from(*offset), |sum, part| sum + part);
            Access { address, bytes: 4, loops: vec![LoopId(0), LoopId(1)], facts: facts.clone() }
        };
        let accesses: Vec<Access> = offsets.iter().map(access).collect();
        for skew in Skew::all(2) {
            let touched: Vec<BTreeSet<i64>> = run(&skew, &trips)
                .iter()
                .map(|points| {
                    let all = points.iter().flat_map(|point| {
                        let sum: i64 = point.iter().zip(&times).map(|(number, times)| number * times).sum();
                        offsets.iter().map(move |offset| sum + offset)
                    });
                    all.collect()
                })
                .collect();
            let meets =
                touched.iter().enumerate().any(|(at, one)| touched[..at].iter().any(|other| !one.is_disjoint(other)));
            let is_carried = is_carried(&mut space, &nest, &skew, &accesses);
            assert!(is_carried || !meets, "{skew:?} {times:?} {offsets:?} {trips:?}");
            match is_carried {
                true => carried += 1,
                false => free += 1,
            }
            though_free += usize::from(is_carried && !meets);
        }
    }
    println!("{free} free, {carried} carried, {though_free} of them though free");
    assert!(free > 300 && carried > 300);
    assert!(though_free * 20 < free, "{though_free}");
}

#[test]
fn rows_of_unknown_length_have_places() {
    // A[i][j] = A[i-1][j+1]: with rows of n, along i + j; A[i][j] = A[i-1][j]: j alone.
    let mut space = Space::new();
    let mut symbol = |name: &str, low: i64| {
        space.symbol(Symbol { name: name.into(), range: Interval::between(low, 1 << 20), varies: Varies::No })
    };
    let [base, n] = [symbol("A", 4096), symbol("n", 1)];
    let numbers = [0, 1].map(|of| space.iteration(LoopId(of)));
    let entry = |of: u32| NestLoop { id: LoopId(of), trips: TripCount::Exactly(&n - &Polynomial::one()) };
    let nest = [entry(0), entry(1)];
    let mut facts = Facts::none();
    numbers.iter().for_each(|number| facts.assume_nonneg(&(&n - &Polynomial::from(2)) - number));
    let element = |i: i64, j: i64| {
        let row = (&numbers[0] + &Polynomial::from(i)) * n.clone();
        let address = &base + &(row + (&numbers[1] + &Polynomial::from(j))).scale(&4.into());
        Access { address, bytes: 4, loops: vec![LoopId(0), LoopId(1)], facts: facts.clone() }
    };
    let diagonal = [element(1, 0), element(0, 1)];
    assert!(!is_carried(&mut space, &nest, &skew(&[1, 1]), &diagonal));
    assert!(is_carried(&mut space, &nest, &skew(&[1, -1]), &diagonal));
    assert!(is_carried(&mut space, &nest, &skew(&[0, 1]), &diagonal));
    let sweep = [element(1, 1), element(0, 1), element(1, 0)];
    assert!(Skew::all(2).iter().all(|skew| is_carried(&mut space, &nest, skew, &sweep)));
    let column = [element(1, 1), element(0, 1)];
    assert!(!is_carried(&mut space, &nest, &skew(&[0, 1]), &column));
    // An access elsewhere is none of the nest.
    let elsewhere = Access { loops: vec![LoopId(0)], ..diagonal[0].clone() };
    assert_eq!(skew(&[1, 1]).of_access(&mut space, &elsewhere, &nest, LoopId(9)).map(|access| access.bytes), None);
}
