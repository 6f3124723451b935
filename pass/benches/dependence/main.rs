//! Side by side: what LLVM's dependence analysis, Polly and ipda say of the same pairs of accesses in the same IR, and how long that takes
//! them in the same process.
//!
//! `dependence LIBRARY RUNS MODULE...`, as `scripts/bench dependence` calls it.

mod ours;
mod rivals;
mod table;

use inkwell::context::Context;
use inkwell::module::Module;
use rivals::{Access, Loop, Pair, Rivals, Said, Times};
use std::collections::BTreeMap;
use std::path::Path;

/// One of those compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Da,
    Polly,
    Ours,
}

impl Who {
    pub const ALL: [Who; 3] = [Who::Da, Who::Polly, Who::Ours];
}

/// What is said of a module.
pub struct Compared {
    pub input: String,
    pub loops: Vec<Loop>,
    pub accesses: Vec<Access>,
    /// By pair, in the order of [`Who::ALL`].
    pub pairs: BTreeMap<(usize, usize), [Said; 3]>,
    /// What we say in words.
    pub reasons: BTreeMap<(usize, usize), String>,
    pub times: [Times; 3],
}

impl Compared {
    /// The loops around both, outermost first.
    pub fn common(&self, (first, second): (usize, usize)) -> Vec<usize> {
        let around = |access: usize| {
            let mut loops: Vec<usize> =
                std::iter::successors(self.accesses[access].innermost, |&inner| self.loops[inner].parent).collect();
            loops.reverse();
            loops
        };
        around(first).into_iter().zip(around(second)).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    }

    /// What is said of each loop: the least that is said of any pair in it.
    pub fn parallel(&self, who: Who) -> Vec<rivals::Answer> {
        let mut said: Vec<_> =
            self.loops.iter().map(|of| if of.opaque { rivals::Answer::Possible } else { rivals::Answer::Excluded }).collect();
        for (&pair, by) in &self.pairs {
            for (level, number) in self.common(pair).into_iter().enumerate() {
                said[number] = said[number].min(by[who as usize].carried[level]);
            }
        }
        said
    }
}

fn compare(rivals: &Rivals, context: &Context, path: &Path, runs: u32) -> Compared {
    let module = Module::parse_bitcode_from_path(path, context)
        .unwrap_or_else(|error| panic!("{}: {}", path.display(), error.to_string()));
    let (loops, accesses) = rivals.list(&module);
    let (da, da_time) = rivals.da(&module, runs);
    let (polly, polly_time) = rivals.polly(&module, runs);
    let (mut ours, our_time) = ours::ask(&module, accesses.len(), runs);
    let mut compared = Compared {
        input: path.file_stem().expect("a file").to_string_lossy().into_owned(),
        loops,
        accesses,
        pairs: BTreeMap::new(),
        reasons: BTreeMap::new(),
        times: [da_time, polly_time, our_time],
    };
    let polly: BTreeMap<_, _> = polly.into_iter().collect();
    for (pair, da) in da {
        let (said, reason) = ours.remove(&pair).unwrap_or_else(ours::nothing);
        compared.reasons.insert(pair, reason);
        compared.pairs.insert(pair, [da, polly[&pair].clone(), said]);
    }
    compared
}

fn main() {
    // cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [library, runs, modules @ ..] = &arguments[..] else { panic!("LIBRARY RUNS MODULE...") };
    let runs = runs.parse().expect("a number of runs");
    let rivals = Rivals::load(library);
    let context = Context::create();
    let all: Vec<Compared> =
        modules.iter().map(|module| compare(&rivals, &context, Path::new(module), runs)).collect();
    print!("{}", table::of(&all));
}
