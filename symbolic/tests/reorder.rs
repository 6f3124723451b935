//! Legality of fusing and exchanging loops, against enumeration.

use ipda_symbolic::{
    Interval, LoopId, Nest, NestLoop, Objection, Order, Polynomial, Space, Step, Symbol, TripCount, Varies,
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

fn order(threads: &[usize], inside: &[usize]) -> Order {
    Order { threads: threads.to_vec(), inside: inside.to_vec() }
}

#[test]
fn a_diagonal_may_not_be_split_between_threads() {
    // A[p][j][i] = A[p][j-1][i-1], p in parallel.
    let mut space = Space::new();
    let loops = loops(&mut space, 3);
    let nest = Nest { loops, parallel: 1, is_scheduled: false, dependences: vec![vec![at(0), at(1), at(1)]] };
    let objection = |threads: &[usize], inside: &[usize]| nest.objection(&space, &order(threads, inside));
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
    let nest = Nest { loops, parallel: 1, is_scheduled: false, dependences: vec![vec![at(0), at(1), at(0)]] };
    let legal: Vec<Order> = nest.orders().into_iter().filter(|order| nest.objection(&space, order).is_none()).collect();
    assert_eq!(legal, [order(&[0, 2], &[1]), order(&[2, 0], &[1])]);
}

#[test]
fn a_backward_step_is_not_exchanged() {
    // A[j][i] = A[j-1][i+1].
    let mut space = Space::new();
    let loops = loops(&mut space, 3);
    let nest = Nest { loops, parallel: 1, is_scheduled: false, dependences: vec![vec![at(0), at(1), at(-1)]] };
    let exchanged = nest.objection(&space, &order(&[0], &[2, 1]));
    assert_eq!(exchanged, Some(Objection::Reversed { dependence: 0, by: 2 }));
}

#[test]
fn what_the_parallel_loop_carries_does_not_matter_unless_it_is_scheduled() {
    let mut space = Space::new();
    let loops = loops(&mut space, 2);
    let mut nest = Nest { loops, parallel: 1, is_scheduled: false, dependences: vec![vec![at(1), any()]] };
    assert_eq!(nest.objection(&space, &order(&[0, 1], &[])), None);
    nest.is_scheduled = true;
    let separated = Some(Objection::Separated { dependence: 0, by: 0 });
    assert_eq!(nest.objection(&space, &order(&[0, 1], &[])), separated);
}

#[test]
fn bounds_must_be_known_where_they_are_needed() {
    let mut space = Space::new();
    let mut loops = loops(&mut space, 3);
    let row = space.iteration(loops[1].id);
    let nest =
        |loops: &[NestLoop]| Nest { loops: loops.to_vec(), parallel: 1, is_scheduled: false, dependences: Vec::new() };
    // The innermost loop of a triangle.
    loops[2].trips = TripCount::Exactly(row);
    let triangle = nest(&loops);
    assert_eq!(triangle.objection(&space, &order(&[0, 1], &[2])), None);
    assert_eq!(triangle.objection(&space, &order(&[0], &[2, 1])), Some(Objection::Bounds { of: 2, on: 1 }));
    assert_eq!(triangle.objection(&space, &order(&[0, 1, 2], &[])), Some(Objection::Bounds { of: 2, on: 1 }));
    // A loop that is left early, around another or in it.
    loops[2].trips = TripCount::Unknown("it depends on data".into());
    let open = nest(&loops);
    assert_eq!(open.objection(&space, &order(&[0, 1], &[2])), None);
    let why = "it depends on data".to_string();
    assert_eq!(open.objection(&space, &order(&[0, 2], &[1])), Some(Objection::Trips { of: 2, why: why.clone() }));
    loops.swap(1, 2);
    assert_eq!(nest(&loops).objection(&space, &order(&[0, 2], &[1])), Some(Objection::Trips { of: 1, why }));
    // A bound that is read from memory whenever the loop is entered.
    let address = space.symbol(Symbol { name: "p".into(), range: Interval::NON_NEGATIVE, varies: Varies::No });
    let read = space.load(address, 8, 0, Interval::of_width(64, ipda_symbolic::Signedness::Signed));
    loops[1].trips = TripCount::Exactly(read);
    let reading = nest(&loops).objection(&space, &order(&[0, 1], &[2]));
    assert_eq!(reading, Some(Objection::Read { of: 1 }));
}

/// All tuples of numbers below the extents, in the order of nested loops.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    extents.iter().fold(vec![Vec::new()], |points, &extent| {
        let next = |point: Vec<i64>| (0..extent).map(move |number| [&point[..], &[number]].concat());
        points.into_iter().flat_map(next).collect()
    })
}

/// Whether an order keeps all pairs of iterations with a vector of the given directions in their order.
fn keeps(nest: &Nest, order: &Order, extents: &[i64], steps: &[Step]) -> bool {
    let all = points(extents);
    let is_pair = |source: &[i64], sink: &[i64]| {
        source.iter().zip(sink).zip(steps).all(|((a, b), step)| match a.cmp(b) {
            std::cmp::Ordering::Less => step.less,
            std::cmp::Ordering::Equal => step.equal,
            std::cmp::Ordering::Greater => step.greater,
        }) && source < sink
    };
    let pick = |point: &[i64], of: &[usize]| of.iter().map(|&at| point[at]).collect::<Vec<i64>>();
    all.iter().all(|source| {
        all.iter().filter(|sink| is_pair(source, sink)).all(|sink| {
            let is_free = !nest.is_scheduled && source[..nest.parallel] != sink[..nest.parallel];
            let of_one_thread = pick(source, &order.threads) == pick(sink, &order.threads);
            is_free || of_one_thread && pick(source, &order.inside) < pick(sink, &order.inside)
        })
    })
}

#[test]
fn objections_are_those_of_enumeration() {
    let mut space = Space::new();
    let mut state = 1u64;
    let mut random = |end: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % end
    };
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
        let nest = Nest { loops, parallel, is_scheduled, dependences: vec![steps.clone()] };
        for order in nest.orders() {
            let objection = nest.objection(&space, &order);
            // Two iterations of each loop show every combination of directions.
            let keeps = keeps(&nest, &order, &vec![2; depth], &steps);
            assert_eq!(objection.is_none(), keeps, "{order:?} of {nest:?}: {objection:?}");
            if keeps { kept += 1 } else { refused += 1 }
        }
    }
    assert!(kept > 1000 && refused > 1000, "{kept} kept, {refused} refused");
}
