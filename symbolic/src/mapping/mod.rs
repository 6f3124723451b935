//! How the loops of a nest may run: which of them, or which digits of their iteration numbers, make the number of a thread, and in which order
//! the others run inside of it; and whether that computes the same.

mod bounds;
mod digits;
mod map;
mod nest;
mod skew;
mod strips;
mod text;
mod tiles;

pub use digits::{Count, Given, Part, Size};
pub use map::Mapping;
pub use nest::{Hull, Idle, Nest, NestLoop, Objection};
pub use skew::Skew;
pub use tiles::Tile;
