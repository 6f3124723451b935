//! How many teams or threads a launch has.

use std::fmt;

/// How many teams or threads there are in x, y and z. They are numbered with x fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent(pub [u32; 3]);

impl Extent {
    /// In all dimensions together.
    pub fn count(self) -> u32 {
        self.0.into_iter().fold(1, u32::saturating_mul)
    }

    /// Where in x, y and z the one with a number is.
    pub fn position(self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.0.map(|extent| extent.max(1));
        [number % x, number / x % y, number / x / y]
    }

    /// No more than so many, where they have one dimension.
    pub fn at_most(self, most: u32) -> Extent {
        let [x, y, z] = self.0;
        if y == 1 && z == 1 { Extent([x.min(most), 1, 1]) } else { self }
    }
}

impl From<u32> for Extent {
    fn from(count: u32) -> Extent {
        Extent([count, 1, 1])
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [x, 1, 1] => write!(f, "{x}"),
            [x, y, 1] => write!(f, "{x} x {y}"),
            [x, y, z] => write!(f, "{x} x {y} x {z}"),
        }
    }
}
