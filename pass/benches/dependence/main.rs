//! Side by side: what LLVM's dependence analysis, Polly and ipda say of the same pairs of accesses in the same IR, and how long that takes
//! them in the same process. `scripts/bench dependence` calls it:
//!
//!     dependence LIBRARY compare RUNS GROUP/MODULE...    what is proven by whom, and the time
//!     dependence LIBRARY growth RUNS MODULE...           the time of LLVM's analysis and ours alone

#![allow(missing_docs, clippy::print_stdout)]

mod known;
mod ours;
mod rivals;
mod table;

use inkwell::context::Context;
use inkwell::module::Module;
use rivals::{Access, Answer, Loop, Rivals, Said, Times};
use std::collections::BTreeMap;
use std::path::Path;

/// One of those compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Da,
    Polly,
    Ipda,
}

impl Who {
    pub const ALL: [Who; 3] = [Who::Da, Who::Polly, Who::Ipda];
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
    /// Of ours, the tests of pairs as part of the whole, in nanoseconds.
    pub first: u64,
    pub known: known::Known,
}

impl Compared {
    /// The loops around both, outermost first.
    fn common(&self, (first, second): (usize, usize)) -> Vec<usize> {
        let around = |access: usize| {
            let mut loops: Vec<usize> =
                std::iter::successors(self.accesses[access].innermost, |&inner| self.loops[inner].parent).collect();
            loops.reverse();
            loops
        };
        around(first).into_iter().zip(around(second)).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    }

    /// What is said of each loop that has a pair in it: the least that is said of any of them.
    pub fn parallel(&self, who: Who) -> BTreeMap<usize, Answer> {
        let mut said = BTreeMap::new();
        for (&pair, by) in &self.pairs {
            for (level, number) in self.common(pair).into_iter().enumerate() {
                let by_effects = if self.loops[number].opaque { Answer::Possible } else { Answer::Excluded };
                let least = said.entry(number).or_insert(by_effects);
                *least = by[who as usize].carried[level].min(*least);
            }
        }
        said
    }

    /// The pairs for which we say less of the loop than `than`.
    pub fn obstacles(&self, number: usize, than: Answer) -> Vec<(usize, usize)> {
        let is_obstacle = |&(pair, by): &(&(usize, usize), &[Said; 3])| {
            let level = self.common(*pair).iter().position(|&around| around == number);
            level.is_some_and(|level| by[Who::Ipda as usize].carried[level] < than)
        };
        self.pairs.iter().filter(is_obstacle).map(|(&pair, _)| pair).collect()
    }
}

fn read<'ctx>(context: &'ctx Context, path: &Path) -> Module<'ctx> {
    Module::parse_bitcode_from_path(path, context)
        .unwrap_or_else(|error| panic!("{}: {}", path.display(), error.to_string()))
}

fn compare(rivals: &Rivals, path: &Path, runs: u32) -> Compared {
    let context = Context::create();
    let module = read(&context, path);
    let (loops, accesses) = rivals.list(&module);
    let (da, da_time) = rivals.da(&module, runs);
    let (polly, polly_time) = rivals.polly(&module, runs);
    let (mut ours, in_registers, our_time) = ours::ask(&module, &accesses, runs);
    let mut compared = Compared {
        input: path.file_stem().expect("a file").to_string_lossy().into_owned(),
        loops,
        accesses,
        pairs: BTreeMap::new(),
        reasons: BTreeMap::new(),
        times: [da_time, polly_time, our_time.times],
        first: our_time.first,
        known: known::Known::of(&module),
    };
    let polly: BTreeMap<_, _> = polly.into_iter().collect();
    for (pair, da) in da {
        let [first, second] = [pair.0, pair.1].map(|access| {
            in_registers
                .contains(&access)
                .then(|| (compared.accesses[access].function, compared.accesses[access].local))
        });
        // Two accesses of one variable in registers are no question of memory.
        if first.is_some() && first == second {
            continue;
        }
        let else_said = if first.or(second).is_some() { ours::apart } else { ours::nothing };
        let (said, reason) = ours.remove(&pair).unwrap_or_else(else_said);
        compared.reasons.insert(pair, reason);
        compared.pairs.insert(pair, [da, polly[&pair].clone(), said]);
    }
    compared
}

/// The modules by the folders that they lie in.
fn compare_all(rivals: &Rivals, runs: u32, modules: &[String]) {
    let mut groups: Vec<(String, Vec<Compared>)> = Vec::new();
    for path in modules.iter().map(Path::new) {
        let group = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned();
        let compared = compare(rivals, path, runs);
        match groups.last_mut() {
            Some((last, inputs)) if *last == group => inputs.push(compared),
            _ => groups.push((group, vec![compared])),
        }
    }
    println!("{}\n{}\n{}", table::proven(&groups), table::time(&groups), table::ahead(&groups));
}

/// With more accesses than this, which LLVM's analysis asks about pair by pair, it takes minutes.
const MAX_FOR_DA: usize = 2000;

fn growth(rivals: &Rivals, runs: u32, modules: &[String]) {
    let lines: Vec<Vec<String>> = modules
        .iter()
        .map(|path| {
            let context = Context::create();
            let path = Path::new(path);
            let module = read(&context, path);
            let (_, accesses) = rivals.list(&module);
            let each = |nanoseconds: u64| format!("{:.1}", nanoseconds as f64 / 1e3 / accesses.len() as f64);
            let is_for_da = accesses.len() <= MAX_FOR_DA;
            let da = is_for_da.then(|| rivals.time_da(&module, runs)).map(|da| [da.cold, da.warm].map(each));
            let ours = ours::time(&module, runs).times;
            let times = da.unwrap_or_default().into_iter().chain([ours.cold, ours.warm].map(each));
            std::iter::once(accesses.len().to_string()).chain(times).collect()
        })
        .collect();
    print!("{}", table::table(&["accesses", "DA", "DA again", "ipda", "ipda again"], &lines));
}

fn main() {
    // cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [library, mode, runs, modules @ ..] = &arguments[..] else { panic!("LIBRARY MODE RUNS MODULE...") };
    let runs = runs.parse().expect("a number of runs");
    let rivals = Rivals::load(library);
    match mode.as_str() {
        "compare" => compare_all(&rivals, runs, modules),
        "growth" => growth(&rivals, runs, modules),
        _ => panic!("{mode} is neither compare nor growth"),
    }
}
