//! Sets of small numbers as bytes, a bit for each number, the lowest first.

/// Of truths by their positions.
pub(super) fn to_bytes(is_there: impl IntoIterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, is_there) in is_there.into_iter().enumerate() {
        if at % 8 == 0 {
            bytes.push(0);
        }
        bytes[at / 8] |= u8::from(is_there) << (at % 8);
    }
    bytes
}

/// The numbers, ascending.
pub(super) fn of_bytes(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let bits = |(at, byte): (usize, u8)| (0..8).filter(move |bit| byte >> bit & 1 != 0).map(move |bit| 8 * at + bit);
    bytes.iter().copied().enumerate().flat_map(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_were_written() {
        for numbers in [vec![], vec![0], vec![7, 8], vec![0, 3, 15, 16, 40]] {
            let bytes = to_bytes((0..41).map(|number| numbers.contains(&number)));
            assert_eq!((bytes.len(), of_bytes(&bytes).collect()), (6, numbers));
        }
    }
}
