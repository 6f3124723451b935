//! What an order of a nest costs: the sectors that one warp touches, on an example. Sizes that are not known are taken to be large and odd, so
//! that rows begin anywhere; the lanes of a few warps are looked at one by one.

use crate::analyse::Analysis;
use crate::dependences::NestAccess;
use ipda_symbolic::{Atom, AtomId, Coeff, LoopId, Nest, Order, Polynomial, TripCount};
use rustc_hash::{FxHashMap, FxHashSet};

/// A size that nothing is known of.
const SIZE: i64 = 1021;
/// Warps that are looked at: the first ones, and some further on.
const WARPS: [i64; 3] = [0, 5, 337];
/// Where pointers lead: apart, and to the beginning of a sector.
const PLACE: i64 = 1 << 40;

/// Sectors for one iteration of the whole nest on the average, and the threads among which they are shared.
pub(super) struct Cost {
    pub sectors: f64,
    pub threads: f64,
}

/// Counts the sectors of all accesses of a nest if it ran in an order.
pub(super) fn cost(analysis: &Analysis<'_>, nest: &Nest, accesses: &[NestAccess], order: &Order) -> Cost {
    let space = &analysis.lowering.space;
    let example = Example { analysis };
    let trips = |at: usize, numbers: &FxHashMap<LoopId, i64>| match &nest.loops[at].trips {
        TripCount::Exactly(trips) | TripCount::AtMost(trips) | TripCount::Modulo(trips) => {
            example.value(trips, numbers).max(1)
        }
        TripCount::Unknown(_) => SIZE,
    };
    let none = FxHashMap::default();
    let counts: Vec<i64> = order.threads.iter().map(|&at| trips(at, &none)).collect();
    let threads: f64 = counts.iter().map(|&count| count as f64).product();
    let lanes = i64::from(analysis.setting.geometry.lanes);
    let sector = analysis.setting.geometry.sector_bytes as i64;
    let mut total = 0.0;
    for warp in WARPS {
        // The iteration of each lane.
        let lane_numbers = |lane: i64| {
            let mut rest = (warp * lanes + lane).rem_euclid(counts.iter().product::<i64>().max(1));
            let mut numbers = FxHashMap::default();
            for (&at, &count) in order.threads.iter().zip(&counts).rev() {
                numbers.insert(nest.loops[at].id, rest % count);
                rest /= count;
            }
            // Those inside are in the same iteration, not at a border.
            for &at in &order.inside {
                numbers.insert(nest.loops[at].id, 7);
            }
            numbers
        };
        let numbers: Vec<FxHashMap<LoopId, i64>> = (0..lanes).map(lane_numbers).collect();
        for access in accesses {
            let mut touched: FxHashSet<i64> = FxHashSet::default();
            for numbers in &numbers {
                let address = example.value(&access.address, numbers);
                touched.extend(address.div_euclid(sector)..=(address + access.bytes as i64 - 1).div_euclid(sector));
            }
            let runs: f64 = access
                .loops
                .iter()
                .filter(|id| !order.threads.iter().any(|&at| nest.loops[at].id == **id))
                .map(|id| match nest.loops.iter().position(|other| other.id == *id) {
                    Some(at) => trips(at, &numbers[0]) as f64,
                    None => access.trips.get(id).map_or(SIZE, |trips| example.value(trips, &numbers[0]).max(1)) as f64,
                })
                .product();
            total += touched.len() as f64 * runs;
        }
    }
    let _ = space;
    Cost { sectors: total / WARPS.len() as f64 * threads / lanes as f64, threads }
}

struct Example<'a, 'b> {
    analysis: &'a Analysis<'b>,
}

impl Example<'_, '_> {
    fn value(&self, value: &Polynomial, numbers: &FxHashMap<LoopId, i64>) -> i64 {
        let space = &self.analysis.lowering.space;
        let mut of = |atom: AtomId| match space.atom(atom) {
            Atom::Iteration(id) => Some(Coeff::from(numbers.get(id).copied().unwrap_or(7))),
            Atom::Symbol(symbol) => {
                let is_pointer = self.analysis.lowering.argument_of(atom).is_some_and(|value| value.ty().is_pointer());
                let size = Coeff::from(if is_pointer { PLACE * (1 + i64::from(atom_number(atom))) } else { SIZE });
                let fits = symbol.range.contains(&size);
                Some(if fits { size } else { symbol.range.high().or(symbol.range.low()).cloned().unwrap_or(size) })
            }
            Atom::Load { .. } => Some(Coeff::from(SIZE)),
            _ => None,
        };
        space.eval(value, &mut of).and_then(|value| value.to_i64()).unwrap_or(0)
    }
}

fn atom_number(atom: AtomId) -> u16 {
    atom.to_string().trim_start_matches('s').parse().unwrap_or(0)
}
