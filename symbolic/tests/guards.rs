//! Guards of versions: where a guard holds, its version must run each iteration exactly once and touch nothing outside, and for all sizes and machines one
//! version must be there. The checker enumerates small ones; it has to refute the guards of K1, K2 and a Jacobi step as MetaFork's slides print them (Chen
//! and others, "MetaFork: A Compilation Framework for Concurrency Models Targeting Hardware Accelerators", 2015), and to accept them once they are mended.

use ipda_symbolic::{Given, Mapping, Tile};
use std::collections::{BTreeMap, BTreeSet};

/// What a guard may ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    /// Elements of the array.
    n: i64,
    /// Threads of a block.
    b: i64,
    /// Blocks that a launch may have.
    most_blocks: i64,
    /// Threads that a block may have, and registers of a thread, on the machine.
    threads: i64,
    registers: i64,
}

/// What a launch does.
enum Work {
    /// There is none: the program's own loop runs.
    AsWritten,
    /// So many blocks, and which elements a thread of a block stores to.
    Launch { blocks: i64, stores: Box<dyn Fn(i64, i64) -> Vec<i64>> },
}

/// What may run where a guard holds.
struct Version {
    name: &'static str,
    guard: fn(&Case) -> bool,
    work: fn(&Case) -> Work,
}

/// What is wrong with a version where its guard holds, or with all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// A launch of no blocks is refused.
    NoBlocks,
    /// Blocks of no threads, or more than the machine has, are refused.
    NoSuchBlock,
    /// Fewer registers than the code needs.
    Registers,
    /// An element outside of those that the program stores to.
    Outside,
    /// An element that is stored to twice.
    Twice,
    /// An element that is not stored to.
    Missing,
    /// No version's guard holds.
    NoVersion,
}

/// The elements that the program stores to.
type Elements = fn(&Case) -> std::ops::Range<i64>;

/// The faults of each version for each case in which its guard holds, and under `""` where none holds. The first whose guard holds is taken.
fn faults(
    versions: &[Version],
    elements: Elements,
    registers: fn(&str) -> i64,
) -> BTreeMap<&'static str, BTreeMap<Case, BTreeSet<Fault>>> {
    let mut found: BTreeMap<&'static str, BTreeMap<Case, BTreeSet<Fault>>> = BTreeMap::new();
    for case in cases() {
        let mut add = |name, fault| _ = found.entry(name).or_default().entry(case).or_default().insert(fault);
        let holding: Vec<&Version> = versions.iter().filter(|version| (version.guard)(&case)).collect();
        if holding.is_empty() {
            add("", Fault::NoVersion);
        }
        // Also those that come behind: what is taken may be another one tomorrow.
        for version in holding {
            let Work::Launch { blocks, stores } = (version.work)(&case) else { continue };
            if !(1..=case.threads).contains(&case.b) {
                add(version.name, Fault::NoSuchBlock);
                continue;
            }
            if registers(version.name) > case.registers {
                add(version.name, Fault::Registers);
            }
            if blocks <= 0 {
                add(version.name, Fault::NoBlocks);
                continue;
            }
            let mut stored: BTreeMap<i64, usize> = BTreeMap::new();
            for element in (0..blocks)
                .flat_map(|block| (0..case.b).map(move |thread| (block, thread)))
                .flat_map(|(block, thread)| stores(block, thread))
            {
                *stored.entry(element).or_default() += 1;
            }
            if stored.keys().any(|element| !elements(&case).contains(element)) {
                add(version.name, Fault::Outside);
            }
            if stored.values().any(|times| *times > 1) {
                add(version.name, Fault::Twice);
            }
            if elements(&case).any(|element| !stored.contains_key(&element)) {
                add(version.name, Fault::Missing);
            }
        }
    }
    found
}

fn cases() -> impl Iterator<Item = Case> {
    let machines = [(4, 2), (4, 8), (8, 8)];
    machines.into_iter().flat_map(|(threads, registers)| {
        (0..=20).flat_map(move |n| {
            (0..=5).flat_map(move |b| [1, 3, 64].map(move |most_blocks| Case { n, b, most_blocks, threads, registers }))
        })
    })
}

fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

/// One element a thread, or two: what they need.
fn registers(name: &str) -> i64 {
    if name.starts_with("K2") { 6 } else { 3 }
}

fn all(case: &Case) -> std::ops::Range<i64> {
    0..case.n
}

fn inner(case: &Case) -> std::ops::Range<i64> {
    1..(case.n - 1).max(1)
}

/// Of elements that a mapping gives to threads of blocks: one number for each tile of blocks, threads, and what is left.
fn by_mapping(count: i64, first: i64, blocks: i64, threads: i64, tiles: &[Tile]) -> Box<dyn Fn(i64, i64) -> Vec<i64>> {
    let tiles: Vec<(u32, Tile)> = (0..).zip(tiles.iter().copied()).collect();
    let mapping = Mapping::of_tiles(&[tiles]).expect("tiles of one loop");
    let value_of = move |given| match given {
        Given::Gang(0) => blocks as u64,
        Given::Worker(0) => threads as u64,
        other => panic!("{other:?}"),
    };
    let numbers = mapping.numbers(&[count as u64], value_of).expect("small numbers");
    let [(of_block, _), (of_thread, _), (size, rounds)] = numbers[..] else { panic!("{numbers:?}") };
    Box::new(move |block, thread| {
        let numbers =
            (0..rounds).map(|round| block * of_block as i64 + thread * of_thread as i64 + (round * size) as i64);
        numbers.filter(|number| *number < count).map(|number| first + number).collect()
    })
}

/// As printed: what fits the machine.
fn fits(case: &Case, needed: i64) -> bool {
    case.b <= case.threads && needed <= case.registers
}

const K1_PRINTED: Version = Version {
    name: "K1 as printed",
    guard: |case| fits(case, 3),
    work: |&Case { n, b, .. }| Work::Launch {
        blocks: n.checked_div(b).unwrap_or(0),
        stores: Box::new(move |block, thread| Some(block * b + thread).filter(|i| *i < n).into_iter().collect()),
    },
};

/// `if (i < halfN) a[i] = ..; a[j] = ..;` without braces.
fn k2(b: i64, half: i64, blocks: i64, has_braces: bool) -> Work {
    let stores = move |block, thread| {
        let i = block * b + thread;
        let first = Some(i).filter(|_| i < half);
        let second = Some(i + half).filter(|_| !has_braces || i < half);
        first.into_iter().chain(second).collect()
    };
    Work::Launch { blocks, stores: Box::new(stores) }
}

const K2_PRINTED: Version = Version {
    name: "K2 as printed",
    guard: |case| fits(case, 6),
    work: |&Case { n, b, .. }| {
        let blocks = (n / 2).checked_div(b).unwrap_or(0);
        k2(b, blocks, blocks, false)
    },
};

/// With as many blocks as are needed, and told of the half.
const K2_WITHOUT_BRACES: Version = Version {
    name: "K2 without braces",
    work: |&Case { n, b, .. }| k2(b, n / 2, ceil(n / 2, b.max(1)), false),
    ..K2_PRINTED
};

const K2_WITH_BRACES: Version = Version {
    name: "K2 with braces",
    work: |&Case { n, b, .. }| k2(b, n / 2, (n / 2).checked_div(b).unwrap_or(0), true),
    ..K2_PRINTED
};

const JACOBI_PRINTED: Version = Version {
    name: "a Jacobi step as printed",
    guard: |case| fits(case, 3) && case.n >= 2,
    work: |&Case { n, b, most_blocks, .. }| {
        let ub = (n - 2).checked_div(b).unwrap_or(0);
        let blocks = ub.min(most_blocks);
        let of_block = move |block: i64| (block..ub).step_by(blocks.max(1) as usize);
        Work::Launch {
            blocks,
            stores: Box::new(move |block, thread| of_block(block).map(|v| v * b + thread + 1).collect()),
        }
    },
};

const AS_WRITTEN: Version = Version { name: "as written", guard: |_| true, work: |_| Work::AsWritten };

#[test]
fn printed_guards_are_refuted() {
    let found = faults(&[K1_PRINTED, K2_PRINTED, K2_WITHOUT_BRACES, K2_WITH_BRACES], all, registers);
    let of = |name| &found[name];
    // Which cases are at fault among those in which the guard holds and a launch is possible.
    let wrong = |name, needed| {
        let of = of(name);
        cases().filter(move |case| fits(case, needed)).partition::<Vec<Case>, _>(|case| of.contains_key(case))
    };
    let (at_fault, right) = wrong("K1 as printed", 3);
    assert!(right.iter().all(|case| case.n > 0 && case.b > 0 && case.n % case.b == 0));
    assert!(at_fault.iter().all(|case| case.n == 0 || case.b == 0 || case.n % case.b != 0));
    let of_case = |name, n: i64, b: i64| {
        let mut cases = of(name).iter().filter(|(case, _)| (case.n, case.b) == (n, b));
        cases.next().map(|(_, faults)| faults.iter().copied().collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(of_case("K1 as printed", 7, 3), [Fault::Missing], "2B + 1");
    assert_eq!(of_case("K1 as printed", 2, 3), [Fault::NoBlocks]);
    assert_eq!(of_case("K1 as printed", 0, 3), [Fault::NoBlocks]);
    assert_eq!(of_case("K1 as printed", 7, 0), [Fault::NoSuchBlock], "B >= 1 is missing");
    assert_eq!(of_case("K1 as printed", 6, 3), []);

    // What it is told is the number of blocks, so that its two parts overlap with nothing, and end too early.
    let (_, right) = wrong("K2 as printed", 6);
    assert!(right.iter().all(|case| case.b == 1 && case.n % 2 == 0 && case.n > 0), "{right:?}");
    assert_eq!(of_case("K2 as printed", 12, 3), [Fault::Missing]);
    // Of as many blocks as are needed, the last one's threads store behind the end.
    assert_eq!(of_case("K2 without braces", 10, 2), [Fault::Outside]);
    assert_eq!(of_case("K2 without braces", 11, 2), [], "by chance: what is behind the half's end is the last element");
    assert_eq!(of_case("K2 without braces", 9, 2), [Fault::Missing]);
    assert_eq!(of_case("K2 without braces", 8, 2), []);
    // With the right half, all that is stored is right where blocks have whole ones.
    let (at_fault, right) = wrong("K2 with braces", 6);
    assert!(right.iter().all(|case| case.n > 0 && case.b > 0 && case.n % (2 * case.b) == 0));
    assert!(at_fault.iter().all(|case| case.n == 0 || case.b == 0 || case.n % (2 * case.b) != 0));
    assert_eq!(of_case("K2 with braces", 9, 2), [Fault::Missing], "an odd N loses the last one");
    assert_eq!(of_case("K2 with braces", 10, 2), [Fault::Missing], "a remainder of blocks");
    assert_eq!(of_case("K2 with braces", 8, 2), []);

    // There are machines on which neither may run.
    assert!(found[""].keys().all(|case| !fits(case, 3)));
    assert!(found[""].keys().any(|case| case.registers < 3) && found[""].keys().any(|case| case.b > case.threads));

    let found = faults(&[JACOBI_PRINTED], inner, registers);
    let of = &found["a Jacobi step as printed"];
    let guarded = |case: &Case| (JACOBI_PRINTED.guard)(case) && case.b > 0;
    for case in cases().filter(guarded) {
        let is_whole = case.n > 2 && (case.n - 2) % case.b == 0;
        assert_eq!(of.contains_key(&case), !is_whole, "{case:?}");
        let is_left_out = case.n - 2 > case.b && (case.n - 2) % case.b != 0;
        assert!(!is_left_out || of[&case] == BTreeSet::from([Fault::Missing]), "{case:?}");
    }
}

/// Blocks that do not divide what there is need a guard of each store, too: without it, rounding up stores outside.
#[test]
fn rounding_up_without_a_test_of_stores_is_refuted() {
    let version = Version {
        name: "a Jacobi step rounded up",
        work: |&Case { n, b, most_blocks, .. }| {
            let ub = ceil(n - 2, b);
            let blocks = ub.min(most_blocks);
            let of_block = move |block: i64| (block..ub).step_by(blocks.max(1) as usize);
            Work::Launch {
                blocks,
                stores: Box::new(move |block, thread| of_block(block).map(|v| v * b + thread + 1).collect()),
            }
        },
        guard: |case| fits(case, 3) && case.b >= 1 && case.n > 2,
    };
    let found = faults(&[version], inner, registers);
    let of = &found["a Jacobi step rounded up"];
    for case in cases().filter(|case| fits(case, 3) && case.b >= 1 && case.n > 2) {
        let expected = (case.n - 2) % case.b != 0;
        assert_eq!(of.contains_key(&case), expected, "{case:?}");
        assert!(!expected || of[&case] == BTreeSet::from([Fault::Outside]));
    }
}

#[test]
fn mended_guards_are_accepted() {
    // A round of all threads after the other; half of the array behind the other; blocks in turn.
    let mended = [
        Version {
            name: "K2 mended",
            guard: |case| fits(case, 6) && case.b >= 1 && case.n >= 2,
            work: |&Case { n, b, .. }| {
                let blocks = ceil(ceil(n, 2), b);
                Work::Launch {
                    blocks,
                    stores: by_mapping(n, 0, blocks, b, &[Tile::Dynamic, Tile::Gang(0), Tile::Worker(0)]),
                }
            },
        },
        Version {
            name: "K1 mended",
            guard: |case| fits(case, 3) && case.b >= 1 && case.n >= 1,
            work: |&Case { n, b, .. }| {
                let blocks = ceil(n, b);
                Work::Launch {
                    blocks,
                    stores: by_mapping(n, 0, blocks, b, &[Tile::Gang(0), Tile::Worker(0), Tile::Dynamic]),
                }
            },
        },
        AS_WRITTEN,
    ];
    let found = faults(&mended, all, registers);
    assert!(found.is_empty(), "{found:?}");
    let jacobi = [
        Version {
            name: "a Jacobi step mended",
            guard: |case| fits(case, 3) && case.b >= 1 && case.n > 2,
            work: |&Case { n, b, most_blocks, .. }| {
                let blocks = ceil(n - 2, b).min(most_blocks);
                Work::Launch {
                    blocks,
                    stores: by_mapping(n - 2, 1, blocks, b, &[Tile::Dynamic, Tile::Gang(0), Tile::Worker(0)]),
                }
            },
        },
        AS_WRITTEN,
    ];
    let found = faults(&jacobi, inner, registers);
    assert!(found.is_empty(), "{found:?}");
    // Without the version as written, nothing runs where no guard holds.
    let found = faults(&jacobi[..1], inner, registers);
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [""]);
}

#[test]
fn a_weaker_machine_condition_is_refuted() {
    let hungry = Version {
        name: "K2 on any machine",
        guard: |case| case.b >= 1 && case.n >= 2,
        work: |&Case { n, b, .. }| {
            let blocks = ceil(n, b);
            Work::Launch {
                blocks,
                stores: by_mapping(n, 0, blocks, b, &[Tile::Dynamic, Tile::Gang(0), Tile::Worker(0)]),
            }
        },
    };
    let found = faults(&[hungry, AS_WRITTEN], all, registers);
    let faults: BTreeSet<Fault> = found["K2 on any machine"].values().flatten().copied().collect();
    assert_eq!(faults, BTreeSet::from([Fault::NoSuchBlock, Fault::Registers]));
    assert_eq!(found.len(), 1);
}
