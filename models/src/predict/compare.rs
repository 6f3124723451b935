//! The host's time beside the device's.

use crate::quantity::Seconds;

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The host.
    Host,
    /// The device.
    Device,
}

/// Who is faster. No time is a time of 0: what has no iterations, in a model that counts no start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// This one, so many times: a finite number, not below 1.
    Faster(Choice, f64),
    /// Only the other one takes time.
    Free(Choice),
    /// Neither takes any time.
    Neither,
}

impl Comparison {
    /// Of two times that are finite and not below 0; where they are the same, the host's is not called the slower.
    pub fn of(host: Seconds, device: Seconds) -> Comparison {
        let (choice, less, more) =
            if device < host { (Choice::Device, device, host) } else { (Choice::Host, host, device) };
        let times = more / less;
        match () {
            () if more <= Seconds::ZERO => Comparison::Neither,
            // Times whose quotient is beyond all numbers are as good as none.
            () if less <= Seconds::ZERO || !times.is_finite() => Comparison::Free(choice),
            () => Comparison::Faster(choice, times),
        }
    }

    /// The faster one, if one is.
    pub fn choice(self) -> Option<Choice> {
        match self {
            Comparison::Faster(choice, _) | Comparison::Free(choice) => Some(choice),
            Comparison::Neither => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_times_has_an_answer_in_numbers() {
        use Choice::{Device, Host};
        use Comparison::{Faster, Free, Neither};
        let cases = [
            (1.0, 4.0, Faster(Host, 4.0)),
            (6.0, 4.0, Faster(Device, 1.5)),
            (2.0, 2.0, Faster(Host, 1.0)),
            (0.0, 4.0, Free(Host)),
            (4.0, 0.0, Free(Device)),
            (4.0, -0.0, Free(Device)),
            (0.0, 0.0, Neither),
            (-0.0, 0.0, Neither),
            (1e-300, 1e30, Free(Host)),
        ];
        for (host, device, expected) in cases {
            assert_eq!(Comparison::of(Seconds::new(host), Seconds::new(device)), expected, "{host} {device}");
        }
    }
}
