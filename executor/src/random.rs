//! SplitMix64 (Steele, Lea, Flood 2014): a seed means the same numbers forever, whatever a crate's next version does.

/// What the state grows by: 2^64 over the golden ratio, made odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers from a seed.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0. The high half of a product: no division, and as fair as 64 bits allow.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low) as u64 + 1) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// The items in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// One of several, each as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> T {
        let total: u64 = choices.iter().map(|&(weight, _)| u64::from(weight)).sum();
        let mut left = self.below(total);
        for &(weight, choice) in choices {
            if left < u64::from(weight) {
                return choice;
            }
            left -= u64::from(weight);
        }
        unreachable!("a number below the sum of the weights falls on one of them")
    }
}

/// The number at a place of the stream of a seed.
pub fn at(seed: u64, place: u64) -> u64 {
    Random::new(seed.wrapping_add(place.wrapping_mul(STEP))).bits()
}

/// Another seed from a seed and a count, for a stream of its own.
pub fn derive(seed: u64, count: u64) -> u64 {
    Random::new(seed ^ count.wrapping_mul(0xd605_bbb5_8c8a_bd9b).rotate_left(17)).bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_mean_what_the_paper_says() {
        // The reference implementation's first outputs for the seeds 0 and 1234567.
        assert_eq!(Random::new(0).bits(), 0xe220_a839_7b1d_cdaf);
        let mut random = Random::new(1_234_567);
        let first = [random.bits(), random.bits(), random.bits()];
        assert_eq!(at(1_234_567, 2), first[2]);
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
