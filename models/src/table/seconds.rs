//! What the results of a prediction say.

use crate::versions::VersionId;

/// The place of a prediction's seconds on the host among its results.
pub const HOST: usize = 0;
/// The place of the seconds of its transfers.
pub const TRANSFERS: usize = 1;
/// The place of the seconds on the host as they are [weighed](crate::policy) for a choice.
pub const WEIGHED: usize = 2;
/// The place of the squares of the logarithms of both [spreads](crate::spread): the host's and the device's.
pub const SQUARES: usize = 3;
/// The place of the seconds of the first version on the device.
pub const DEVICE: usize = 5;

/// What is predicted of a launch, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds {
    /// On the host.
    pub host: f64,
    /// On the host, as they are compared with those on the device: longer where the prediction is in doubt.
    pub weighed: f64,
    /// Of the transfers alone.
    pub transfers: f64,
    /// On the device, with launch and transfers, of the version that takes least.
    pub device: f64,
    /// That version, of several the first: nothing is less than a time that is no number, nor is that less than anything.
    pub version: VersionId,
}

impl Seconds {
    /// What results say with these versions; none where some are missing.
    pub fn of(results: &[f64], versions: &[VersionId]) -> Option<Seconds> {
        let of_versions = versions.iter().copied().zip(results.get(DEVICE..)?.iter().copied());
        let (version, device) = of_versions.reduce(|least, next| if next.1 < least.1 { next } else { least })?;
        Some(Seconds { host: results[HOST], weighed: results[WEIGHED], transfers: results[TRANSFERS], device, version })
    }
}
