//! What launches took, as their own code knows it (`pass/support/learn.h`) and this library keeps it from run to run.

pub mod file;

/// What is known of a class of launches: `struct ipda_kept` of `pass/support/learn.h`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Kept {
    /// Names the class, in each run of a program alike.
    pub key: u64,
    /// The minimum of measured over predicted times, on the device and on the host.
    pub factors: [f64; 2],
    /// Nanoseconds that launches saved which were not where the prediction says.
    pub saved: i64,
    /// How many measurements there are, on the device and on the host; of more than three, three.
    pub counts: [i32; 2],
    /// 1 where the class keeps to the prediction for good, else 0.
    pub is_closed: i32,
    /// 0.
    pub unused: i32,
}

/// Measurements that count at most.
const ENOUGH: i32 = 3;

impl Kept {
    /// Whether it can be: of a file that people change, anything can come.
    fn is_sound(&self) -> bool {
        let is_right = |(count, factor): (&i32, &f64)| match count {
            0 => *factor == 1.0,
            1..=ENOUGH => factor.is_finite() && *factor > 0.0,
            _ => false,
        };
        self.counts.iter().zip(&self.factors).all(is_right)
    }
}
