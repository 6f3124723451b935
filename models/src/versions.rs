//! Versions of a region's code on the device.

/// A version of a region: 0 is as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionId(pub u8);
