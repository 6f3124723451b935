//! Pairs of which it is known why a rival says more than we do: comments of the inputs, one a pair,
//!
//!     // RIVALS: LINE:COLUMN LINE:COLUMN: why it is no defect of ours

use inkwell::module::Module;
use std::collections::HashMap;

/// Reasons by the places of both accesses.
#[derive(Default)]
pub struct Known(HashMap<[String; 2], String>);

impl Known {
    /// What the comments of the module's source say.
    pub fn of(module: &Module<'_>) -> Known {
        let source = module.get_source_file_name().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&source).unwrap_or_else(|error| panic!("{source}: {error}"));
        let mut reasons = HashMap::new();
        for comment in text.lines().filter_map(|line| line.trim_start().strip_prefix("// RIVALS: ")) {
            let (places, reason) =
                comment.split_once(": ").unwrap_or_else(|| panic!("{source}: no reason behind two places: {comment}"));
            let (first, second) =
                places.split_once(' ').unwrap_or_else(|| panic!("{source}: two places, LINE:COLUMN each: {comment}"));
            reasons.insert([first.to_owned(), second.to_owned()], reason.to_owned());
        }
        Known(reasons)
    }

    /// The reason for two accesses, which are known by their places in any order.
    pub fn reason(&self, first: &str, second: &str) -> Option<&str> {
        let key = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        self.0.get(&key(first, second)).or_else(|| self.0.get(&key(second, first))).map(String::as_str)
    }
}
