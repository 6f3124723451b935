//! The race detector: known patterns, and against all pairs of accesses with the order as a graph.

use ipda_executor::race::{AccessKind, AtomicKind, Order, Participants, Race, RaceDetector, Site};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Instant;

const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;
const A: u64 = 0x1000_0000;
const COUNTER: u64 = 0x2000_0000;

/// The pairs of sites that race, the earlier access first.
fn sites(detector: &RaceDetector) -> Vec<(u32, u32)> {
    detector.races().iter().map(|race| (race.first.site.0, race.second.site.0)).collect()
}

fn update(detector: &mut RaceDetector, thread: u32, order: Order) {
    detector.atomic(thread, COUNTER, 4, AtomicKind::Update, order, Site(99));
}

#[test]
fn prefix_sum_without_a_barrier() {
    let mut detector = RaceDetector::new(2, 4);
    for thread in 0..8 {
        let element = A + u64::from(thread) * 4;
        if thread > 0 {
            detector.access(thread, element - 4, 4, READ, Site(1));
        }
        detector.access(thread, element, 4, WRITE, Site(2));
    }
    let [race] = detector.races() else { panic!("one pair of sites: {:?}", detector.races()) };
    assert_eq!((race.first.thread, race.first.site, race.first.kind), (0, Site(2), WRITE));
    assert_eq!((race.second.thread, race.second.site, race.second.kind), (1, Site(1), READ));
    assert_eq!((race.address, race.bytes, race.count), (A, 4, 7));
    assert!(!race.first.atomic && !race.second.atomic);
}

#[test]
fn the_order_of_threads_does_not_hide_a_race() {
    let mut detector = RaceDetector::new(1, 4);
    for thread in (0..4).rev() {
        let element = A + u64::from(thread) * 4;
        detector.access(thread, element - 4, 4, READ, Site(1));
        detector.access(thread, element, 4, WRITE, Site(2));
    }
    assert_eq!(sites(&detector), [(1, 2)]);
    assert_eq!(detector.races()[0].count, 3);
}

#[test]
fn a_barrier_orders_its_team_only() {
    let mut detector = RaceDetector::new(2, 2);
    detector.access(0, A, 4, WRITE, Site(1));
    detector.access(1, A + 4, 4, WRITE, Site(1));
    detector.barrier(0, Participants::WholeTeam);
    detector.access(0, A + 4, 4, READ, Site(2));
    detector.access(1, A, 4, READ, Site(2));
    detector.access(1, A + 4, 4, READ, Site(2));
    detector.barrier(0, Participants::WholeTeam);
    detector.access(0, A + 4, 4, WRITE, Site(3));
    assert_eq!(sites(&detector), []);
    detector.barrier(0, Participants::WholeTeam);
    detector.barrier(1, Participants::WholeTeam);
    detector.access(2, A, 4, READ, Site(4));
    assert_eq!(sites(&detector), [(1, 4)]);
    detector.access(2, A + 4, 4, WRITE, Site(5));
    assert_eq!(sites(&detector), [(1, 4), (3, 5)]);
}

#[test]
fn a_barrier_of_some_orders_those_only() {
    let mut detector = RaceDetector::new(1, 4);
    detector.access(0, A, 4, WRITE, Site(1));
    detector.access(0, A + 4, 4, WRITE, Site(2));
    detector.barrier(0, Participants::Threads(&[0, 1]));
    detector.access(1, A, 4, READ, Site(3));
    assert_eq!(sites(&detector), []);
    detector.access(2, A, 4, READ, Site(4));
    assert_eq!(sites(&detector), [(1, 4)]);
    // What thread 1 learnt from thread 0 it hands on.
    detector.barrier(0, Participants::Threads(&[1, 2]));
    detector.access(2, A + 4, 4, WRITE, Site(5));
    assert_eq!(sites(&detector), [(1, 4)]);
    detector.access(0, A + 4, 4, READ, Site(6));
    assert_eq!(sites(&detector), [(1, 4), (5, 6)]);
}

#[test]
fn a_barrier_of_all_live_threads_by_name_is_one_of_the_team() {
    let mut detector = RaceDetector::new(1, 3);
    detector.access(0, A, 4, WRITE, Site(1));
    detector.access(2, A + 4, 4, WRITE, Site(2));
    detector.thread_ended(2);
    detector.barrier(0, Participants::Threads(&[0, 1]));
    detector.access(1, A, 4, READ, Site(3));
    assert_eq!(sites(&detector), []);
    // Thread 2 ended without meeting anybody.
    detector.access(1, A + 4, 4, READ, Site(4));
    assert_eq!(sites(&detector), [(2, 4)]);
}

/// Every team writes its part and counts itself; the last one reads all parts.
fn last_team_reduces(fence: Order, count: Order, teams_counted: u32) -> Vec<(u32, u32)> {
    let mut detector = RaceDetector::new(3, 2);
    for team in 0..3 {
        let (main, other) = (2 * team, 2 * team + 1);
        detector.access(other, A + u64::from(team) * 8, 8, WRITE, Site(1));
        detector.barrier(team, Participants::WholeTeam);
        detector.fence(main, fence);
        if team < teams_counted {
            update(&mut detector, main, count);
        }
        if team == 2 {
            detector.fence(main, fence);
            detector.barrier(team, Participants::WholeTeam);
            for part in 0..3 {
                detector.access(other, A + part * 8, 8, READ, Site(2));
            }
        }
    }
    sites(&detector)
}

#[test]
fn the_last_team_reads_what_all_wrote() {
    assert_eq!(last_team_reduces(Order::AcquireRelease, Order::Relaxed, 3), []);
    assert_eq!(last_team_reduces(Order::Relaxed, Order::AcquireRelease, 3), []);
    assert_eq!(last_team_reduces(Order::Relaxed, Order::Relaxed, 3), [(1, 2)]);
    assert_eq!(last_team_reduces(Order::Release, Order::Relaxed, 3), [(1, 2)]);
    // The reader does not look at the counter.
    assert_eq!(last_team_reduces(Order::AcquireRelease, Order::Relaxed, 2), [(1, 2)]);
}

fn message_passing(store: Order, load: Order) -> Vec<(u32, u32)> {
    let mut detector = RaceDetector::new(2, 1);
    detector.access(0, A, 4, WRITE, Site(1));
    detector.atomic(0, COUNTER, 4, AtomicKind::Write, store, Site(2));
    detector.atomic(1, COUNTER, 4, AtomicKind::Read, load, Site(3));
    detector.access(1, A, 4, READ, Site(4));
    sites(&detector)
}

#[test]
fn messages_need_a_release_and_an_acquire() {
    assert_eq!(message_passing(Order::Release, Order::Acquire), []);
    assert_eq!(message_passing(Order::AcquireRelease, Order::AcquireRelease), []);
    assert_eq!(message_passing(Order::Relaxed, Order::Acquire), [(1, 4)]);
    assert_eq!(message_passing(Order::Release, Order::Relaxed), [(1, 4)]);
    assert_eq!(message_passing(Order::Relaxed, Order::Relaxed), [(1, 4)]);
}

#[test]
fn what_comes_after_a_release_is_not_published() {
    let mut detector = RaceDetector::new(2, 1);
    detector.atomic(0, COUNTER, 4, AtomicKind::Write, Order::Release, Site(1));
    detector.access(0, A, 4, WRITE, Site(2));
    detector.atomic(1, COUNTER, 4, AtomicKind::Read, Order::Acquire, Site(3));
    detector.access(1, A, 4, READ, Site(4));
    assert_eq!(sites(&detector), [(2, 4)]);
}

#[test]
fn updates_continue_a_release_and_stores_end_it() {
    for (kind, expected) in [(AtomicKind::Update, vec![]), (AtomicKind::Write, vec![(1, 4)])] {
        let mut detector = RaceDetector::new(3, 1);
        detector.access(0, A, 4, WRITE, Site(1));
        detector.atomic(0, COUNTER, 4, AtomicKind::Write, Order::Release, Site(2));
        detector.atomic(1, COUNTER, 4, kind, Order::Relaxed, Site(3));
        detector.atomic(2, COUNTER, 4, AtomicKind::Read, Order::Acquire, Site(3));
        detector.access(2, A, 4, READ, Site(4));
        assert_eq!(sites(&detector), expected);
    }
}

#[test]
fn a_critical_section() {
    let mut detector = RaceDetector::new(4, 2);
    for thread in 0..8 {
        update(&mut detector, thread, Order::Acquire);
        detector.access(thread, A, 8, READ, Site(1));
        detector.access(thread, A, 8, WRITE, Site(2));
        detector.atomic(thread, COUNTER, 4, AtomicKind::Write, Order::Release, Site(3));
    }
    assert_eq!(sites(&detector), []);
    detector.access(0, A, 8, READ, Site(4));
    assert_eq!(sites(&detector), [(2, 4)]);
}

#[test]
fn atomic_accesses_race_with_plain_ones_only() {
    let mut detector = RaceDetector::new(1, 4);
    for thread in 0..4 {
        detector.atomic(thread, A, 4, AtomicKind::Update, Order::Relaxed, Site(1));
        detector.atomic(thread, A, 4, AtomicKind::Read, Order::Relaxed, Site(2));
        detector.atomic(thread, A, 4, AtomicKind::Write, Order::Relaxed, Site(3));
    }
    assert_eq!(sites(&detector), []);
    detector.access(0, A, 4, WRITE, Site(4));
    let race = detector.races()[0];
    assert!(race.first.atomic && !race.second.atomic);
    assert_eq!((race.first.thread, race.first.kind, race.second.site), (1, WRITE, Site(4)));

    let mut detector = RaceDetector::new(1, 2);
    detector.access(0, A, 4, READ, Site(1));
    detector.atomic(1, A, 4, AtomicKind::Read, Order::Relaxed, Site(2));
    assert_eq!(sites(&detector), []);
    detector.atomic(1, A, 4, AtomicKind::Write, Order::Relaxed, Site(3));
    assert_eq!(sites(&detector), [(1, 3)]);
}

#[test]
fn an_atomic_write_does_not_hide_what_was_before() {
    let mut detector = RaceDetector::new(3, 1);
    detector.access(0, A, 4, READ, Site(1));
    detector.atomic(0, COUNTER, 4, AtomicKind::Write, Order::Release, Site(9));
    detector.atomic(1, COUNTER, 4, AtomicKind::Read, Order::Acquire, Site(9));
    detector.atomic(1, A, 4, AtomicKind::Write, Order::Relaxed, Site(2));
    assert_eq!(sites(&detector), []);
    detector.atomic(2, A, 4, AtomicKind::Write, Order::Relaxed, Site(3));
    assert_eq!(sites(&detector), [(1, 3)]);
}

#[test]
fn reads_do_not_race() {
    let mut detector = RaceDetector::new(100, 32);
    for round in 0..3 {
        for thread in 0..3200 {
            detector.access(thread, A, 4, READ, Site(round));
        }
        for team in 0..100 {
            detector.barrier(team, Participants::WholeTeam);
        }
    }
    assert_eq!(sites(&detector), []);
    detector.access(77, A, 4, WRITE, Site(5));
    assert_eq!(detector.races().len(), 1);
    assert_ne!(detector.races()[0].first.thread, 77);
}

/// Of many readers only one is not known to the writer.
#[test]
fn the_one_reader_that_did_not_report() {
    let forgetful = 41;
    for ended in [false, true] {
        let mut detector = RaceDetector::new(16, 4);
        for thread in 0..64 {
            detector.access(thread, A, 4, READ, Site(thread));
            if thread != forgetful {
                update(&mut detector, thread, Order::AcquireRelease);
            }
            if ended && thread != 63 {
                detector.thread_ended(thread);
            }
        }
        detector.access(63, A, 4, WRITE, Site(100));
        assert_eq!(sites(&detector), [(forgetful, 100)]);
    }
}

#[test]
fn readers_that_ended_are_not_forgotten() {
    let mut detector = RaceDetector::new(50, 4);
    for team in 0..50 {
        for thread in 4 * team..4 * team + 4 {
            detector.access(thread, A, 4, READ, Site(1));
        }
        detector.barrier(team, Participants::WholeTeam);
        (4 * team..4 * team + 3).for_each(|thread| detector.thread_ended(thread));
    }
    assert_eq!(sites(&detector), []);
    detector.access(3, A, 4, WRITE, Site(2));
    assert_eq!(sites(&detector), [(1, 2)]);
}

#[test]
fn what_a_team_reported_before_it_ended_is_not_forgotten() {
    let mut detector = RaceDetector::new(3, 2);
    detector.access(0, A, 4, READ, Site(1));
    detector.barrier(0, Participants::WholeTeam);
    update(&mut detector, 1, Order::Release);
    detector.thread_ended(0);
    detector.thread_ended(1);
    detector.access(2, A, 4, READ, Site(2));
    update(&mut detector, 4, Order::Acquire);
    detector.access(4, A, 4, WRITE, Site(3));
    assert_eq!(sites(&detector), [(2, 3)]);
}

#[test]
fn a_read_does_not_stand_for_atomic_writes() {
    let mut detector = RaceDetector::new(2, 8);
    for thread in 0..8 {
        detector.atomic(thread, A, 4, AtomicKind::Update, Order::Relaxed, Site(1));
    }
    detector.barrier(0, Participants::WholeTeam);
    detector.access(0, A, 4, READ, Site(2));
    assert_eq!(sites(&detector), []);
    detector.access(8, A, 4, READ, Site(3));
    assert_eq!(sites(&detector), [(1, 3)]);
}

#[test]
fn a_stranded_read_does_not_stand_for_atomic_writes() {
    let mut detector = RaceDetector::new(2, 8);
    // The read races already with the updates; these race with later reads all the same.
    detector.access(0, A, 4, READ, Site(1));
    for thread in 1..8 {
        detector.atomic(thread, A, 4, AtomicKind::Update, Order::Relaxed, Site(2));
    }
    detector.thread_ended(0);
    detector.access(8, A, 4, READ, Site(3));
    detector.access(9, A, 4, READ, Site(4));
    assert_eq!(sites(&detector), [(1, 2), (2, 3), (2, 4)]);
}

#[test]
fn bytes_count() {
    let mut detector = RaceDetector::new(1, 2);
    detector.access(0, A, 2, WRITE, Site(1));
    detector.access(1, A + 2, 2, WRITE, Site(2));
    detector.access(0, A + 7, 1, WRITE, Site(1));
    detector.access(1, A + 4, 2, WRITE, Site(2));
    assert_eq!(sites(&detector), []);
    detector.access(1, A + 1, 2, WRITE, Site(3));
    assert_eq!((sites(&detector).as_slice(), detector.races()[0].address), ([(1, 3)].as_slice(), A + 1));

    let mut detector = RaceDetector::new(1, 2);
    detector.access(0, A, 16, WRITE, Site(1));
    detector.access(1, A + 15, 4, READ, Site(2));
    let race = detector.races()[0];
    assert_eq!((race.address, race.bytes, race.count), (A + 15, 4, 1));
}

#[test]
fn one_access_counts_once() {
    let mut detector = RaceDetector::new(1, 3);
    detector.access(0, A, 16, WRITE, Site(1));
    detector.access(1, A, 16, READ, Site(2));
    detector.access(2, A + 1, 13, READ, Site(2));
    let [race] = detector.races() else { panic!("one pair of sites") };
    assert_eq!(race.count, 2);
}

#[test]
fn forgotten_bytes_start_anew() {
    let mut detector = RaceDetector::new(1, 2);
    detector.access(0, A, 8, WRITE, Site(1));
    detector.access(0, A + 4096, 8, WRITE, Site(1));
    detector.forget(A, 6);
    detector.access(1, A, 6, WRITE, Site(2));
    assert_eq!(sites(&detector), []);
    detector.forget(A + 8, 1 << 40);
    detector.access(1, A + 4096, 8, WRITE, Site(3));
    assert_eq!(sites(&detector), []);
    detector.access(1, A + 6, 1, READ, Site(4));
    assert_eq!(sites(&detector), [(1, 4)]);
}

#[test]
fn a_forgotten_message_is_not_delivered() {
    let mut detector = RaceDetector::new(2, 1);
    detector.access(0, A, 4, WRITE, Site(1));
    detector.atomic(0, COUNTER, 4, AtomicKind::Write, Order::Release, Site(2));
    detector.forget(COUNTER, 4);
    detector.atomic(1, COUNTER, 4, AtomicKind::Read, Order::Acquire, Site(3));
    detector.access(1, A, 4, READ, Site(4));
    assert_eq!(sites(&detector), [(1, 4)]);
}

#[derive(Clone, Debug)]
enum Op {
    Access { thread: u32, address: u64, bytes: u32, kind: AccessKind },
    Atomic { thread: u32, address: u64, bytes: u32, kind: AtomicKind, order: Order },
    Fence { thread: u32, order: Order },
    Barrier { team: u32, threads: Vec<u32>, whole: bool },
    End { thread: u32 },
    Forget { start: u64, len: u64 },
}

impl Op {
    fn threads(&self) -> &[u32] {
        match self {
            Op::Access { thread, .. } | Op::Atomic { thread, .. } | Op::Fence { thread, .. } | Op::End { thread } => {
                std::slice::from_ref(thread)
            }
            Op::Barrier { threads, .. } => threads,
            Op::Forget { .. } => &[],
        }
    }

    /// The bytes of an access.
    fn bytes(&self) -> BTreeSet<u64> {
        match *self {
            Op::Access { address, bytes, .. } | Op::Atomic { address, bytes, .. } => {
                (address..address + u64::from(bytes)).collect()
            }
            _ => BTreeSet::new(),
        }
    }

    fn is_atomic(&self) -> bool {
        matches!(self, Op::Atomic { .. })
    }

    fn writes(&self) -> bool {
        match self {
            Op::Access { kind, .. } => *kind == WRITE,
            Op::Atomic { kind, .. } => *kind != AtomicKind::Read,
            _ => false,
        }
    }

    fn releases(&self) -> bool {
        matches!(self, Op::Atomic { order, .. } | Op::Fence { order, .. }
            if matches!(order, Order::Release | Order::AcquireRelease))
    }

    fn acquires(&self) -> bool {
        matches!(self, Op::Atomic { order, .. } | Op::Fence { order, .. }
            if matches!(order, Order::Acquire | Order::AcquireRelease))
    }

    fn run(&self, detector: &mut RaceDetector, site: Site) {
        match *self {
            Op::Access { thread, address, bytes, kind } => detector.access(thread, address, bytes, kind, site),
            Op::Atomic { thread, address, bytes, kind, order } => {
                detector.atomic(thread, address, bytes, kind, order, site);
            }
            Op::Fence { thread, order } => detector.fence(thread, order),
            Op::Barrier { team, whole: true, .. } => detector.barrier(team, Participants::WholeTeam),
            Op::Barrier { team, ref threads, .. } => detector.barrier(team, Participants::Threads(threads)),
            Op::End { thread } => detector.thread_ended(thread),
            Op::Forget { start, len } => detector.forget(start, len),
        }
    }
}

/// A run as a graph: what happened, and for each what happened before it.
#[derive(Default)]
struct Graph {
    ops: Vec<Op>,
    before: Vec<BTreeSet<usize>>,
}

/// Two accesses of a run, and the bytes at which they race.
struct Collision {
    first: usize,
    second: usize,
    bytes: BTreeSet<u64>,
}

impl Graph {
    fn push(&mut self, op: Op) {
        self.before.push(self.happens_before(&op));
        self.ops.push(op);
    }

    /// What happens before an operation that comes next.
    fn happens_before(&self, op: &Op) -> BTreeSet<usize> {
        let mut direct: Vec<usize> = op.threads().iter().filter_map(|&thread| self.of_thread(thread).last()).collect();
        match *op {
            Op::Atomic { kind, .. } if kind != AtomicKind::Write && op.acquires() => {
                direct.extend(self.sources(op, self.ops.len()));
            }
            Op::Fence { thread, .. } if op.acquires() => {
                let reads =
                    |read: &usize| matches!(self.ops[*read], Op::Atomic { kind, .. } if kind != AtomicKind::Write);
                direct
                    .extend(self.of_thread(thread).filter(reads).flat_map(|read| self.sources(&self.ops[read], read)));
            }
            _ => {}
        }
        direct.iter().flat_map(|&op| self.before[op].iter().copied().chain([op])).collect()
    }

    fn of_thread(&self, thread: u32) -> impl Iterator<Item = usize> {
        (0..self.ops.len()).filter(move |&op| self.ops[op].threads().contains(&thread))
    }

    /// The releases that synchronise with an atomic read at this place.
    fn sources(&self, read: &Op, at: usize) -> Vec<usize> {
        let span = read.bytes();
        let mut sources = Vec::new();
        for write in (0..at).rev() {
            match &self.ops[write] {
                Op::Forget { start, len } if span.iter().any(|byte| (*start..start + len).contains(byte)) => break,
                op if !op.writes() || op.bytes().is_disjoint(&span) => continue,
                op @ Op::Atomic { thread, kind, .. } if op.bytes() == span => {
                    let fence = |&fence: &usize| {
                        fence < write && matches!(self.ops[fence], Op::Fence { .. }) && self.ops[fence].releases()
                    };
                    let released =
                        if op.releases() { Some(write) } else { self.of_thread(*thread).filter(fence).last() };
                    sources.extend(released);
                    if *kind == AtomicKind::Write {
                        break;
                    }
                }
                _ => break,
            }
        }
        sources
    }

    /// The earlier accesses that race with an access that comes next.
    fn collisions(&self, op: &Op) -> Vec<Collision> {
        let second = self.ops.len();
        let before = self.happens_before(op);
        let mut bytes = op.bytes();
        let mut collisions = Vec::new();
        for first in (0..second).rev() {
            let other = &self.ops[first];
            if let Op::Forget { start, len } = other {
                bytes.retain(|byte| !(*start..start + len).contains(byte));
            }
            let common: BTreeSet<u64> = bytes.intersection(&other.bytes()).copied().collect();
            let conflict = (op.writes() || other.writes()) && !(op.is_atomic() && other.is_atomic());
            if conflict && !common.is_empty() && op.threads() != other.threads() && !before.contains(&first) {
                collisions.push(Collision { first, second, bytes: common });
            }
        }
        collisions
    }
}

/// An operation before it is known who is still alive.
#[derive(Clone, Debug)]
struct Draft {
    op: Op,
    /// Whether it stays in the program though it races.
    may_race: bool,
}

fn draft(teams: u32, threads: u32, spread: u32, space: u64) -> impl Strategy<Value = Draft> {
    let thread = (0..teams * threads).prop_map(move |thread| thread * spread);
    let order = prop_oneof![
        3 => Just(Order::Relaxed),
        2 => Just(Order::Acquire),
        2 => Just(Order::Release),
        2 => Just(Order::AcquireRelease)
    ];
    let bytes = prop_oneof![4 => Just(4_u32), 1 => Just(1_u32), 1 => Just(2_u32), 1 => Just(8_u32), 1 => 1_u32..10];
    // Around the end of a page of the detector.
    let start = 0x2000 - space / 8 * 4;
    let plain = (thread.clone(), 0..space, bytes, prop_oneof![2 => Just(READ), 1 => Just(WRITE)], any::<u8>())
        .prop_map(move |(thread, offset, bytes, kind, shift)| {
            // Mostly aligned.
            let offset = if shift < 200 { offset / u64::from(bytes) * u64::from(bytes) } else { offset };
            Op::Access { thread, address: start + offset, bytes, kind }
        });
    let kind = prop_oneof![Just(AtomicKind::Read), Just(AtomicKind::Write), Just(AtomicKind::Update)];
    let atomic = (thread.clone(), 0..space, prop_oneof![4 => Just(4_u32), 1 => Just(8_u32), 1 => Just(2_u32)], kind);
    let atomic = (atomic, order.clone()).prop_map(move |((thread, offset, bytes, kind), order)| {
        let address = start + offset / u64::from(bytes) * u64::from(bytes);
        Op::Atomic { thread, address, bytes, kind, order }
    });
    let team = 0..teams;
    let members = move |team: u32, mask: u32| {
        (0..threads)
            .filter(|thread| mask >> thread & 1 == 1)
            .map(|thread| (team * threads + thread) * spread)
            .collect::<Vec<_>>()
    };
    let op = prop_oneof![
        30 => plain,
        14 => atomic,
        4 => (thread.clone(), order).prop_map(|(thread, order)| Op::Fence { thread, order }),
        3 => team.clone().prop_map(move |team| Op::Barrier { team, threads: members(team, u32::MAX), whole: true }),
        3 => (team, any::<u32>())
            .prop_map(move |(team, mask)| Op::Barrier { team, threads: members(team, mask), whole: false }),
        1 => thread.prop_map(|thread| Op::End { thread }),
        1 => (0..space, prop_oneof![3 => 1_u64..9, 1 => Just(5000)])
            .prop_map(move |(offset, len)| Op::Forget { start: start + offset, len }),
    ];
    (op, 0..12_u32).prop_map(|(op, luck)| Draft { op, may_race: luck == 0 })
}

/// Teams, threads of each, and what they do. With a spread only every so-many-th thread does something.
fn program() -> impl Strategy<Value = (u32, u32, Vec<Draft>)> {
    let spread = prop_oneof![2 => Just(1_u32), 1 => Just(5), 1 => Just(70)];
    let space = prop_oneof![Just(4_u64), Just(8), Just(16), Just(24)];
    (1_u32..4, 1_u32..6, spread, space).prop_flat_map(|(teams, threads, spread, space)| {
        let drafts = proptest::collection::vec(draft(teams, threads, spread, space), 1..160);
        (Just(teams), Just(threads * spread), drafts)
    })
}

/// The program as it runs: ended threads do nothing, and most races are left out so that histories grow long.
fn run(drafts: Vec<Draft>) -> (Graph, Vec<Collision>) {
    let mut graph = Graph::default();
    let mut collisions = Vec::new();
    let mut ended = BTreeSet::new();
    for Draft { mut op, may_race } in drafts {
        match &mut op {
            Op::Barrier { threads, .. } => threads.retain(|thread| !ended.contains(thread)),
            op if op.threads().iter().any(|thread| ended.contains(thread)) => continue,
            Op::End { thread } => {
                ended.insert(*thread);
            }
            _ => {}
        }
        let found = graph.collisions(&op);
        if found.is_empty() || may_race {
            collisions.extend(found);
            graph.push(op);
        }
    }
    (graph, collisions)
}

fn check_side(side: &ipda_executor::race::RaceSide, op: &Op) -> Result<(), TestCaseError> {
    prop_assert_eq!(&[side.thread], op.threads());
    prop_assert_eq!(side.atomic, op.is_atomic());
    prop_assert_eq!(side.kind == WRITE, op.writes());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn agrees_with_all_pairs((teams, threads, drafts) in program()) {
        let (graph, collisions) = run(drafts);
        let mut detector = RaceDetector::new(teams, threads);
        for (number, op) in graph.ops.iter().enumerate() {
            op.run(&mut detector, Site(number as u32));
        }

        // Every race that is reported is one.
        let find = |race: &Race| {
            let (first, second) = (race.first.site.0 as usize, race.second.site.0 as usize);
            collisions.iter().find(|collision| (collision.first, collision.second) == (first, second))
        };
        for race in detector.races() {
            let Some(collision) = find(race) else { panic!("{race:?} is none in {:#?}", graph.ops) };
            prop_assert!(collision.bytes.contains(&race.address));
            prop_assert_eq!(race.count, 1);
            check_side(&race.first, &graph.ops[collision.first])?;
            check_side(&race.second, &graph.ops[collision.second])?;
        }

        // The first race of every byte is reported.
        let bytes: BTreeSet<u64> = collisions.iter().flat_map(|collision| collision.bytes.iter().copied()).collect();
        for byte in bytes {
            let here = |collision: &&Collision| collision.bytes.contains(&byte);
            let second = collisions.iter().filter(here).map(|collision| collision.second).min();
            let reported = detector.races().iter().filter_map(find).filter(here).map(|collision| collision.second).min();
            prop_assert_eq!(reported, second, "byte {:#x} of {:#?}", byte, graph.ops);
        }
    }
}

/// The launch whose speed is measured, and how often each thread does the same.
const TEAMS: u32 = 512;
const THREADS: u32 = 128;
const ROUNDS: u64 = 8;
const ALL: u64 = (TEAMS * THREADS) as u64;

fn measure(name: &str, per_thread: u64, work: impl Fn(&mut RaceDetector)) {
    let start = Instant::now();
    let mut detector = RaceDetector::new(TEAMS, THREADS);
    work(&mut detector);
    assert_eq!(sites(&detector), []);
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{name:>28}: {:6.1} million accesses a second", (per_thread * ALL) as f64 / seconds / 1e6);
}

fn warps(mut run: impl FnMut(std::ops::Range<u32>)) {
    for first in (0..TEAMS * THREADS).step_by(32) {
        run(first..first + 32);
    }
}

/// `c[i] = a[i] + b[i]`, each element so many times.
fn stream(detector: &mut RaceDetector, bytes: u32, times: u64) {
    warps(|lanes| {
        for round in 0..times * ROUNDS {
            for (array, kind) in [(0, READ), (1, READ), (2, WRITE)] {
                for lane in lanes.clone() {
                    let element = round / times * ALL + u64::from(lane);
                    let address = A + (array << 32) + element * u64::from(bytes);
                    detector.access(lane, address, bytes, kind, Site(array as u32));
                }
            }
        }
    });
}

fn stencil(detector: &mut RaceDetector) {
    warps(|lanes| {
        for round in 0..ROUNDS {
            for shift in 0..3 {
                for lane in lanes.clone() {
                    let address = A + (round * (ALL + 9) + u64::from(lane) + shift) * 4;
                    detector.access(lane, address, 4, READ, Site(shift as u32));
                }
            }
            for lane in lanes.clone() {
                let address = A + (1 << 32) + (round * ALL + u64::from(lane)) * 4;
                detector.access(lane, address, 4, WRITE, Site(9));
            }
        }
    });
}

fn tile(detector: &mut RaceDetector) {
    for team in 0..TEAMS {
        let tile = A + (u64::from(team) << 32);
        for _ in 0..ROUNDS {
            for lane in 0..THREADS {
                detector.access(team * THREADS + lane, tile + u64::from(lane) * 4, 4, WRITE, Site(1));
            }
            detector.barrier(team, Participants::WholeTeam);
            for step in 0..8 {
                for lane in 0..THREADS {
                    let address = tile + u64::from((lane / 16) * 16 + step) * 4;
                    detector.access(team * THREADS + lane, address, 4, READ, Site(2));
                }
            }
            detector.barrier(team, Participants::WholeTeam);
        }
    }
}

/// Prints how many accesses are watched in a second.
#[test]
#[ignore = "takes time; for an optimised build"]
fn throughput() {
    measure("streaming, c[i] = a[i] + b[i]", 3 * ROUNDS, |detector| stream(detector, 4, 1));
    measure("the same, twice", 6 * ROUNDS, |detector| stream(detector, 4, 2));
    measure("streaming, 8 bytes", 3 * ROUNDS, |detector| stream(detector, 8, 1));
    measure("streaming, single bytes", 3 * ROUNDS, |detector| stream(detector, 1, 1));
    measure("stencil of three", 4 * ROUNDS, stencil);
    for ended in [true, false] {
        let name = if ended { "all read 256 words, ending" } else { "all read 256 words" };
        measure(name, 256, |detector| {
            warps(|lanes| {
                for word in 0..256 {
                    for lane in lanes.clone() {
                        detector.access(lane, A + word * 4, 4, READ, Site(1));
                    }
                }
                if ended {
                    lanes.for_each(|lane| detector.thread_ended(lane));
                }
            });
        });
    }
    measure("tile in shared memory", 9 * ROUNDS, tile);
    let counters = [("one counter", Order::Relaxed), ("one counter, acquire-release", Order::AcquireRelease)];
    for (name, order) in counters {
        measure(name, ROUNDS, |detector| {
            warps(|lanes| {
                for _ in 0..ROUNDS {
                    lanes.clone().for_each(|lane| update(detector, lane, order));
                }
            });
        });
    }
}
