//! What a measured launch costs beside its work.
fn main() {}
