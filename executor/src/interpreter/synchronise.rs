//! Where threads wait for each other: barriers of a team, exchanges within a warp, and locks.

use super::gang::{Frame, State, Wait};
use crate::program::WarpOp;
use rustc_hash::FxHashMap;

/// A lane's part in an exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deposit {
    pub op: WarpOp,
    /// The lanes that take part.
    pub mask: u64,
    pub arguments: [u64; 3],
}

/// The most lanes of a warp.
pub(super) const MAX_LANES: usize = 64;

/// A warp, as far as its lanes deal with each other.
pub(super) struct Warp {
    pub alive: u64,
    lanes: u32,
    deposits: [Deposit; MAX_LANES],
    deposited: u64,
    results: [u64; MAX_LANES],
    resolved: u64,
}

/// Lanes that have met in an exchange that orders memory.
pub(super) struct Met(pub u64);

impl Warp {
    pub(super) fn new(alive: u64, lanes: u32) -> Warp {
        let nothing = Deposit { op: WarpOp::Sync, mask: 0, arguments: [0; 3] };
        Warp { alive, lanes, deposits: [nothing; MAX_LANES], deposited: 0, results: [0; MAX_LANES], resolved: 0 }
    }

    pub(super) fn deposit(&mut self, lane: u32, deposit: Deposit) {
        self.deposits[lane as usize] = deposit;
        self.deposited |= 1 << lane;
    }

    /// Completes the exchanges for which all lanes are there.
    pub(super) fn resolve(&mut self, mut met: impl FnMut(Met)) {
        let mut open = self.deposited & !self.resolved;
        while open != 0 {
            let lane = open.trailing_zeros();
            let wanted = self.deposits[lane as usize].mask & self.alive | 1 << lane;
            let there = self.deposited & !self.resolved;
            if wanted & there == wanted {
                for member in lanes_of(wanted) {
                    self.results[member as usize] = result(&self.deposits, wanted, member, self.lanes);
                }
                if self.deposits[lane as usize].op == WarpOp::Sync {
                    met(Met(wanted));
                }
                self.resolved |= wanted;
                open &= !wanted;
            } else {
                open &= !(1 << lane);
            }
        }
    }

    /// The results of lanes whose exchange is complete; they may deposit again.
    pub(super) fn take(&mut self, lanes: u64) -> Option<&[u64; MAX_LANES]> {
        if lanes & self.resolved != lanes {
            return None;
        }
        self.resolved &= !lanes;
        self.deposited &= !lanes;
        Some(&self.results)
    }

    /// Lanes that wait in vain so far.
    pub(super) fn waiting(&self) -> u64 {
        self.deposited & !self.resolved
    }
}

/// The numbers of the bits that are set.
pub(super) fn lanes_of(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros();
            mask &= mask - 1;
            lane
        })
    })
}

/// What a lane gets out of an exchange among `members`.
pub(super) fn result(deposits: &[Deposit; MAX_LANES], members: u64, lane: u32, warp_lanes: u32) -> u64 {
    let Deposit { op, arguments: [value, by, control], .. } = deposits[lane as usize];
    let is_member = |other: u64| other < MAX_LANES as u64 && members >> other & 1 == 1;
    // A lane that takes no part gives no defined value: the own one then.
    let of = |other: u64| if is_member(other) { deposits[other as usize].arguments[0] } else { value };
    let votes = || lanes_of(members).filter(|&other| deposits[other as usize].arguments[0] & 1 != 0);
    let lane64 = u64::from(lane);
    // PTX: the segment of lanes that exchange, and the last (or first) lane in it.
    let segment = control >> 8 & 0x1f;
    let clamp = lane64 & segment | control & 0x1f & !segment;
    match op {
        WarpOp::Sync => 0,
        WarpOp::ShuffleIndex => {
            let other = lane64 & segment | by & 0x1f & !segment;
            of(if other <= clamp { other } else { lane64 })
        }
        WarpOp::ShuffleDown => {
            let other = lane64 + (by & 0x1f);
            of(if other <= clamp { other } else { lane64 })
        }
        WarpOp::ShuffleUp => {
            let by = by & 0x1f;
            of(if lane64 >= clamp + by { lane64 - by } else { lane64 })
        }
        WarpOp::ShuffleXor => {
            let other = lane64 ^ by & 0x1f;
            of(if other <= clamp { other } else { lane64 })
        }
        WarpOp::Ballot => votes().fold(0, |mask, other| mask | 1 << other),
        WarpOp::All => u64::from(votes().count() as u32 == members.count_ones()),
        WarpOp::Any => u64::from(votes().next().is_some()),
        WarpOp::AllEqual => u64::from([0, members.count_ones()].contains(&(votes().count() as u32))),
        WarpOp::Permute => of(by / 4 % u64::from(warp_lanes)),
        WarpOp::First => of(members.trailing_zeros().into()),
        WarpOp::Match => {
            lanes_of(members).filter(|&other| of(other.into()) == value).fold(0, |mask, other| mask | 1 << other)
        }
    }
}

/// A team's barriers.
#[derive(Default)]
pub(super) struct Barriers {
    barriers: FxHashMap<u32, Barrier>,
}

#[derive(Default)]
struct Barrier {
    /// How often it has been completed.
    generation: u64,
    /// Waiting lanes of each warp.
    waiting: Vec<u64>,
    /// How many threads it is for; all that live if not stated.
    threads: Option<u32>,
}

impl Barriers {
    /// Lanes arrive; gives what they wait for.
    pub(super) fn arrive(&mut self, id: u32, threads: Option<u32>, warp: u32, lanes: u64, warps: usize) -> Wait {
        let barrier = self.barriers.entry(id).or_default();
        barrier.waiting.resize(warps, 0);
        barrier.waiting[warp as usize] |= lanes;
        barrier.threads = threads;
        Wait::Barrier { id, generation: barrier.generation }
    }

    /// Completes the barriers for which enough threads wait; notifies the lanes of each.
    pub(super) fn complete(&mut self, warps: &[Warp], mut met: impl FnMut(&[u64])) -> bool {
        let mut any = false;
        for barrier in self.barriers.values_mut() {
            if barrier.waiting.iter().all(|&lanes| lanes == 0) {
                continue;
            }
            let is_complete = match barrier.threads {
                None => warps.iter().zip(&barrier.waiting).all(|(warp, &waiting)| waiting == warp.alive),
                // A warp whose living lanes all wait counts as a full one.
                Some(threads) => {
                    let arrived = |(warp, &waiting): (&Warp, &u64)| match waiting {
                        0 => 0,
                        _ if waiting == warp.alive => warp.lanes,
                        _ => waiting.count_ones(),
                    };
                    warps.iter().zip(&barrier.waiting).map(arrived).sum::<u32>() >= threads
                }
            };
            if is_complete {
                met(&barrier.waiting);
                barrier.waiting.fill(0);
                barrier.generation += 1;
                any = true;
            }
        }
        any
    }

    fn generation(&self, id: u32) -> u64 {
        self.barriers.get(&id).map_or(0, |barrier| barrier.generation)
    }

    /// How many threads wait at which barrier, for people.
    pub(super) fn waiting(&self) -> String {
        let mut waiting: Vec<(u32, u32)> = self
            .barriers
            .iter()
            .map(|(&id, barrier)| (id, barrier.waiting.iter().map(|lanes| lanes.count_ones()).sum()))
            .filter(|&(_, threads)| threads > 0)
            .collect();
        waiting.sort_unstable();
        if waiting.is_empty() {
            return "none at a barrier".to_owned();
        }
        waiting.iter().map(|(id, threads)| format!("{threads} at barrier {id}")).collect::<Vec<_>>().join(", ")
    }
}

/// Makes a waiting group ready if it need not wait any more.
pub(super) fn may_go_on<const W: usize>(
    frame: &mut Frame<W>,
    index: usize,
    first_lane: u32,
    warp: &mut Warp,
    barriers: &Barriers,
) -> bool {
    let group = &mut frame.groups[index];
    match group.state {
        State::Waiting(Wait::Barrier { id, generation }) => {
            if barriers.generation(id) == generation {
                return false;
            }
        }
        State::Waiting(Wait::Exchange { to }) => {
            let Some(results) = warp.take(group.lanes << first_lane) else { return false };
            for lane in lanes_of(group.lanes) {
                frame.values[to as usize][lane as usize] = results[(lane + first_lane) as usize];
            }
        }
        State::Ready | State::Calling(_) => {}
    }
    frame.groups[index].state = State::Ready;
    true
}
