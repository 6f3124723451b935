//! Makes the names in a text known to a space, so that the text can be read.

use ipda_symbolic::{Interval, LoopId, Name, Space, Symbol, Varies, declare_unknown};

/// Loops that no list names have numbers from here on.
const FIRST_UNLISTED: u32 = 1 << 20;

/// Declares every name in `text` that the space does not know.
pub(super) fn declare_all(space: &mut Space, text: &str) {
    declare_unknown(space, text, &mut |space, name| match name {
        Name::Symbol(name) => declare(space, name),
        Name::Bare(name) => declare_bare(space, name),
    });
}

/// Declares a value that is not known.
pub(super) fn declare(space: &mut Space, name: &str) {
    let varies = Varies::PerThread("it is only known by its name".into());
    space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies });
}

fn declare_bare(space: &mut Space, name: &str) {
    // A number that stands for no other name: each that is declared here takes the next.
    let is_free = |number: &u32| space.find(&format!("[unlisted {number}]")).is_none();
    let number = (0..).find(is_free).unwrap_or_default();
    declare(space, &format!("unlisted {number}"));
    space.name_loop(LoopId(FIRST_UNLISTED + number), name);
}
