//! What forms and people call what a launch says beside values of variables: iterations, and bytes of maps.

/// What the iterations of a loop are called in forms: `trips(i)`.
pub fn trips_name(of: &str) -> String {
    format!("trips({of})")
}

/// Whether a form calls the iterations of the launch so.
pub fn is_trips(name: &str) -> bool {
    name.strip_prefix("trips(").is_some_and(|rest| rest.ends_with(')'))
}

/// What a launch, and a person, calls the bytes that a variable's map has.
pub fn size_name(variable: &str) -> String {
    format!("bytes({variable})")
}

/// The variable whose map has its bytes called so.
pub fn sized(name: &str) -> Option<&str> {
    name.strip_prefix("bytes(")?.strip_suffix(')')
}
