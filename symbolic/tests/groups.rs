//! Groups of accesses against brute force, byte by byte.

use ipda_symbolic::{
    ActiveLanes, Block, CoalescingClass, Coeff, MemoryGeometry, Stride, count_group, count_sectors, groups, pieces,
    sectors_at, sectors_together,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const GPU: MemoryGeometry = MemoryGeometry { lanes: 32, sector_bytes: 32, line_bytes: 128 };
const MOST: u64 = 128;

fn constant(stride: i64) -> Stride {
    Stride::Constant(Coeff::from(stride))
}

fn blocks(of: &[(i64, u64)]) -> Vec<Block> {
    of.iter().map(|&(offset, bytes)| Block { offset, bytes }).collect()
}

/// Sectors, the fewest, and the class of accesses that are one group.
fn together(stride: i64, of: &[(i64, u64)]) -> (u64, u64, CoalescingClass) {
    let blocks = blocks(of);
    let found = groups(&constant(stride), &ActiveLanes::All, &blocks, &GPU, MOST);
    assert!(found.iter().all(|&first| first == 0), "{found:?} is one group");
    let count = count_group(&constant(stride), &ActiveLanes::All, &blocks, &GPU);
    (count.sectors.expect("constant").aligned, count.least.expect("constant"), count.class)
}

fn first_of(stride: &Stride, of: &[(i64, u64)], most: u64) -> Vec<usize> {
    groups(stride, &ActiveLanes::All, &blocks(of), &GPU, most)
}

#[test]
fn shapes_of_programs() {
    use CoalescingClass::{Coalesced, Strided, Uncoalesced};
    // Eight nodes of an element.
    assert_eq!(together(32, &[0, 4, 8, 12, 16, 20, 24, 28].map(|at| (at, 4))), (32, 32, Coalesced));
    // Four of them: half of each sector.
    assert_eq!(together(32, &[0, 4, 8, 12].map(|at| (at, 4))), (32, 16, Uncoalesced));
    // A structure of three doubles, and two of its members.
    assert_eq!(together(24, &[(0, 8), (8, 8), (16, 8)]), (24, 24, Coalesced));
    assert_eq!(together(24, &[(0, 8), (16, 8)]), (24, 16, Strided));
    // Red, green and blue; a complex number.
    assert_eq!(together(3, &[(0, 1), (1, 1), (2, 1)]), (3, 3, Coalesced));
    assert_eq!(together(8, &[(0, 4), (4, 4)]), (8, 8, Coalesced));
    // A row of a stencil: five sectors hold the 34 floats, which lie in six.
    assert_eq!(together(4, &[(-4, 4), (0, 4), (4, 4)]), (6, 5, Coalesced));
    // Rows of a constant length, a thread for each: what a thread finds in the next row, its neighbour has fetched.
    assert_eq!(together(4000, &[(-4000, 4), (0, 4), (4000, 4)]).0, 34);
}

#[test]
fn what_shares_no_sector_is_no_group() {
    // Too far apart.
    assert_eq!(first_of(&constant(4), &[(0, 4), (4096, 4)], MOST), [0, 1]);
    // In different sectors of a structure of 64 bytes.
    assert_eq!(first_of(&constant(64), &[(0, 8), (56, 8), (8, 8)], MOST), [0, 1, 0]);
    // More sectors than stay.
    assert_eq!(first_of(&constant(32), &[(0, 4), (4, 4)], 31), [0, 1]);
    assert_eq!(first_of(&constant(32), &[(0, 4), (4, 4)], 32), [0, 0]);
}

#[test]
fn a_stride_that_is_not_known_groups_what_lies_near() {
    let unknown = Stride::Unknown("a reason".into());
    assert_eq!(first_of(&unknown, &[(0, 8), (8, 8), (16, 8)], MOST), [0, 0, 0]);
    assert_eq!(first_of(&unknown, &[(0, 8), (48, 8)], MOST), [0, 1]);
    // Each lane may have its own sectors.
    assert_eq!(first_of(&unknown, &[(0, 8), (8, 8)], 31), [0, 1]);
    let count = count_group(&unknown, &ActiveLanes::All, &blocks(&[(0, 8), (8, 8)]), &GPU);
    assert_eq!((count.class, count.sectors, count.least), (CoalescingClass::Unknown, None, None));
}

proptest! {
    /// The union is the set of sectors that hold a byte, no more than the sum, and no less than any member; one alone is what it was.
    #[test]
    fn the_union_is_counted(
        stride in -200_i64..200,
        of in prop::collection::vec((-100_i64..200, prop::sample::select(vec![1_u64, 2, 4, 8, 16])), 1..6),
        lanes in prop::collection::vec(any::<bool>(), 32),
    ) {
        prop_assume!(lanes.contains(&true));
        let active = ActiveLanes::Only(lanes.clone());
        let blocks = blocks(&of);
        let count = count_group(&constant(stride), &active, &blocks, &GPU);
        let bytes: BTreeSet<i64> = (0..32_i64)
            .filter(|&lane| lanes[lane as usize])
            .flat_map(|lane| of.iter().flat_map(move |&(at, bytes)| (0..bytes as i64).map(move |byte| lane * stride + at + byte)))
            .collect();
        let sectors: BTreeSet<i64> = bytes.iter().map(|byte| byte.div_euclid(32)).collect();
        let found = count.sectors.expect("constant");
        prop_assert_eq!(found.aligned, sectors.len() as u64);
        prop_assert_eq!(count.least, Some((bytes.len() as u64).div_ceil(32)));
        prop_assert!(found.worst >= found.aligned);
        let alone = |at: usize| {
            let offset = Coeff::from(of[at].0);
            count_sectors(&constant(stride), &active, of[at].1, &offset, &GPU).expect("constant").aligned
        };
        let all: Vec<u64> = (0..of.len()).map(alone).collect();
        prop_assert!(all.iter().all(|&own| own <= found.aligned) && found.aligned <= all.iter().sum());
        if let [own] = all[..] {
            prop_assert_eq!(own, found.aligned);
        }
        // Groups share nothing with each other, so that their sums are the union of all.
        let first = groups(&constant(stride), &active, &blocks, &GPU, u64::MAX);
        let of_group = |group: usize| {
            let members: Vec<Block> = (0..blocks.len()).filter(|&at| first[at] == group).map(|at| blocks[at]).collect();
            if members.is_empty() { 0 } else { count_group(&constant(stride), &active, &members, &GPU).sectors.expect("constant").aligned }
        };
        prop_assert_eq!((0..blocks.len()).map(of_group).sum::<u64>(), found.aligned);
        prop_assert_eq!(pieces(bytes.iter().map(|&byte| (byte.into(), 1)), 32), found.aligned);
    }

    #[test]
    fn sectors_of_addresses_are_those_of_their_bytes(
        of in prop::collection::vec((prop::collection::vec(-5_000_i64..5_000, 0..34), 0_u64..100), 0..5),
        sector in prop::sample::select(vec![24_u64, 32, 64]),
    ) {
        let ascending = |addresses: &[i64]| {
            let mut all = addresses.to_vec();
            all.sort_unstable();
            all
        };
        let each: Vec<_> = of.iter().map(|(addresses, bytes)| sectors_at(&ascending(addresses), *bytes, sector)).collect();
        let touched = |members: &[(Vec<i64>, u64)]| {
            let spans = members.iter().flat_map(|(addresses, bytes)| addresses.iter().map(|&at| (i128::from(at), *bytes)));
            pieces(spans, sector)
        };
        // All share what they can, or none does.
        prop_assert_eq!(sectors_together(&each, u64::MAX), touched(&of));
        let alone: u64 = of.iter().map(|one| touched(std::slice::from_ref(one))).sum();
        prop_assert_eq!(sectors_together(&each, 0), alone);
    }
}
