//! Expressions as texts have them: the names in a text are made known to a space, so that the text can be read.

use ipda_symbolic::{AtomId, Interval, LoopId, Name, Polynomial, Space, Symbol, Varies, declare_unknown, parse};

/// Loops that no list names have numbers from here on.
const FIRST_UNLISTED: u32 = 1 << 20;

/// The expression that a text is, or why it is none. Names that the space does not know are values of which nothing is known.
pub(crate) fn read(space: &mut Space, text: &str) -> Result<Polynomial, String> {
    declare_all(space, text);
    parse(space, text).map_err(|error| format!("{text} is no expression: {error}"))
}

/// Declares every name in `text` that the space does not know.
fn declare_all(space: &mut Space, text: &str) {
    declare_unknown(space, text, &mut |space, name| match name {
        Name::Symbol(name) => _ = declare(space, name),
        Name::Bare(name) => _ = declare_bare(space, name),
    });
}

/// The atom that is printed as `label`, which is made known if it is not.
pub(crate) fn named(space: &mut Space, label: &str) -> AtomId {
    if let Some(known) = space.find(label) {
        return known;
    }
    match label.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(name) => declare(space, name),
        None => declare_bare(space, label),
    }
}

/// Declares a value that is not known.
pub(crate) fn declare(space: &mut Space, name: &str) -> AtomId {
    let varies = Varies::PerThread("it is only known by its name".into());
    let value = space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies });
    value.as_atom().expect("a symbol is one atom")
}

fn declare_bare(space: &mut Space, name: &str) -> AtomId {
    // A number that stands for no other name: each that is declared here takes the next.
    let is_free = |number: &u32| space.find(&format!("[unlisted {number}]")).is_none();
    let number = (0..).find(is_free).unwrap_or_default();
    declare(space, &format!("unlisted {number}"));
    let id = LoopId(FIRST_UNLISTED + number);
    space.name_loop(id, name);
    space.iteration(id).as_atom().expect("an iteration number is one atom")
}
