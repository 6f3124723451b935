//! Kernels whose threads run a mapping, as source text: what TileK's compiler would make of its tiles, with the dimensions of teams and threads folded into one
//! number.
//!
//! ```text
//! i/rest%gang0 j%worker0 | i%rest j/worker0
//!
//! for (int number = 0; number < 16 * 256; ++number) {
//!   const int d0 = number / 256 % 16, d1 = number % 256;
//!   for (int d2 = 0; d2 < 7; ++d2)
//!     for (int d3 = 0; d3 < 1; ++d3) {
//!       const int i = d0 * 7 + d2, j = d3 * 256 + d1;
//!       if (i < n && j < m) { .. }
//!     }
//! }
//! ```

use super::kernels::Kernel;
use ipda_symbolic::{Given, Mapping, Part};
use std::fmt::Write;

/// Teams and the threads of each, along up to two axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axes {
    pub teams: [u64; 2],
    pub threads: [u64; 2],
}

impl Axes {
    /// How many values a digit has that is known when the loops begin; none of what these kernels do not have.
    pub(super) fn value(self, given: Given) -> u64 {
        let along = |sizes: [u64; 2], axis: u8| sizes.get(usize::from(axis)).copied().unwrap_or(0);
        match given {
            Given::Gang(axis) => along(self.teams, axis),
            Given::Worker(axis) => along(self.threads, axis),
            Given::Thread => self.teams.iter().chain(&self.threads).product(),
            Given::Length(_) => 0,
        }
    }

    pub(super) fn all_teams(self) -> u64 {
        self.teams.iter().product()
    }

    pub(super) fn threads_of_team(self) -> u64 {
        self.threads.iter().product()
    }
}

/// The function of a kernel that runs by a mapping of its two outer loops; none where that needs what the axes have not.
pub(super) fn mapped(kernel: &Kernel, name: &str, mapping: &Mapping, axes: Axes) -> Option<String> {
    let numbers = mapping.numbers(&kernel.trips(), |given| axes.value(given))?;
    let parts: Vec<&Part> = mapping.threads().iter().chain(mapping.inside()).collect();
    let threads = mapping.threads().len();
    let mut text = header(kernel, name);
    let (teams, of_team) = (axes.all_teams(), axes.threads_of_team());
    let _ = writeln!(
        text,
        "#pragma omp target teams distribute parallel for num_teams({teams}) thread_limit({of_team}) {}",
        kernel.maps
    );
    let _ = writeln!(text, "  for (int number = 0; number < {teams} * {of_team}; ++number) {{");
    // The slowest part first: what is faster comes to the right of it.
    let mut below: u64 = numbers[..threads].iter().map(|(_, count)| count).product();
    for (at, (_, count)) in numbers[..threads].iter().enumerate() {
        below /= count;
        let _ = writeln!(text, "    const int d{at} = number / {below} % {count};");
    }
    for (at, (_, count)) in numbers.iter().enumerate().skip(threads) {
        let _ = writeln!(text, "    for (int d{at} = 0; d{at} < {count}; ++d{at})");
    }
    let _ = writeln!(text, "    {{");
    for (of, counter) in kernel.loops.iter().enumerate() {
        let digits = parts.iter().zip(&numbers).enumerate().filter(|(_, (part, _))| part.of == of);
        let digits: Vec<String> = digits.map(|(at, (_, (size, _)))| format!("d{at} * {size}")).collect();
        let _ = writeln!(text, "      const int {} = {} + {};", counter.name, counter.first, digits.join(" + "));
    }
    let ends: Vec<String> = kernel.loops.iter().map(|of| format!("{} < {}", of.name, of.end)).collect();
    let _ = writeln!(text, "      if ({}) {{\n{}\n      }}\n    }}\n  }}\n}}\n", ends.join(" && "), kernel.body);
    Some(text)
}

/// A function of a kernel with the pragma on its outer loop, with some clauses, and nothing else.
pub(super) fn plain(kernel: &Kernel, name: &str, clauses: &str) -> String {
    let mut text = header(kernel, name);
    let _ = writeln!(text, "#pragma omp target teams distribute parallel for {clauses}{}", kernel.maps);
    for of in &kernel.loops {
        let _ = writeln!(text, "  for (int {0} = {1}; {0} < {2}; ++{0})", of.name, of.first, of.end);
    }
    let _ = writeln!(text, "  {{\n{}\n  }}\n}}\n", kernel.body);
    text
}

fn header(kernel: &Kernel, name: &str) -> String {
    format!("void {name}({}) {{\n", kernel.parameters)
}
