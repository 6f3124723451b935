//! A hash that is the same on every machine.

/// FNV-1a of 64 bits (Fowler, Noll, Vo: offset basis cbf29ce484222325, prime 100000001b3).
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
