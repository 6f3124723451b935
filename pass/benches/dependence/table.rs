//! The tables, in Markdown.

use crate::rivals::{Answer, Said};
use crate::{Compared, Who};
use std::fmt::Write;

/// How many are excluded, and how many more under conditions.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    excluded: usize,
    under_conditions: usize,
}

impl Count {
    fn of(answers: impl Iterator<Item = Answer>) -> Count {
        let mut count = Count::default();
        for answer in answers {
            match answer {
                Answer::Possible => {}
                Answer::ExcludedUnderConditions => count.under_conditions += 1,
                Answer::Excluded => count.excluded += 1,
            }
        }
        count
    }

    fn add(&mut self, other: Count) {
        self.excluded += other.excluded;
        self.under_conditions += other.under_conditions;
    }
}

#[derive(Default)]
struct Row {
    pairs: usize,
    independent: [Count; 3],
    loops: usize,
    parallel: [Count; 3],
    cold: [u64; 3],
    warm: [u64; 3],
}

impl Row {
    fn of(compared: &Compared) -> Row {
        let mut row = Row { pairs: compared.pairs.len(), loops: compared.loops.len(), ..Row::default() };
        for who in Who::ALL {
            let index = who as usize;
            row.independent[index] = Count::of(compared.pairs.values().map(|by| by[index].independent));
            row.parallel[index] = Count::of(compared.parallel(who).into_iter());
            row.cold[index] = compared.times[index].cold;
            row.warm[index] = compared.times[index].warm;
        }
        row
    }

    fn add(&mut self, other: &Row) {
        self.pairs += other.pairs;
        self.loops += other.loops;
        for index in 0..3 {
            self.independent[index].add(other.independent[index]);
            self.parallel[index].add(other.parallel[index]);
            self.cold[index] += other.cold[index];
            self.warm[index] += other.warm[index];
        }
    }

    fn cells(&self, name: &str) -> String {
        let [da, polly, ours] = &self.independent;
        let [da_loops, polly_loops, our_loops] = &self.parallel;
        let mut line = format!("| {name} | {} | {} ", self.pairs, da.excluded);
        for count in [polly, ours] {
            write!(line, "| {} | {} ", count.excluded, count.under_conditions).expect("a string takes all");
        }
        write!(line, "| {} | {} ", self.loops, da_loops.excluded).expect("a string takes all");
        for count in [polly_loops, our_loops] {
            write!(line, "| {} | {} ", count.excluded, count.under_conditions).expect("a string takes all");
        }
        for nanoseconds in self.cold.iter().chain(&self.warm) {
            write!(line, "| {:.0} ", *nanoseconds as f64 / 1e3).expect("a string takes all");
        }
        line + "|\n"
    }
}

const HEAD: &str = "\
| input | pairs | DA | Polly | +cond. | ipda | +cond. | loops | DA | Polly | +cond. | ipda | +cond. \
| DA µs | Polly µs | ipda µs | DA warm µs | Polly warm µs | ipda warm µs |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
";

/// A row for each input and one for all, then every pair and every loop of which a rival says more than we do.
pub fn of(all: &[Compared]) -> String {
    let mut text = String::from(HEAD);
    let mut total = Row::default();
    for compared in all {
        let row = Row::of(compared);
        text += &row.cells(&compared.input);
        total.add(&row);
    }
    text += &total.cells("all");
    for compared in all {
        text += &missed_pairs(compared);
    }
    for compared in all {
        text += &missed_loops(compared);
    }
    text
}

fn names(says_more: &[(Who, Answer)]) -> String {
    let words = says_more.iter().map(|(who, answer)| match answer {
        Answer::ExcludedUnderConditions => format!("{who:?} under conditions"),
        _ => format!("{who:?}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Who says more than we do.
fn ahead(by: [Answer; 3]) -> Vec<(Who, Answer)> {
    [Who::Da, Who::Polly].into_iter().map(|who| (who, by[who as usize])).filter(|&(_, answer)| answer > by[2]).collect()
}

fn missed_pairs(compared: &Compared) -> String {
    let mut text = String::new();
    for (&(first, second), by) in &compared.pairs {
        let ahead = ahead(by.each_ref().map(|said: &Said| said.independent));
        if ahead.is_empty() {
            continue;
        }
        let place = |access: usize| {
            let access = &compared.accesses[access];
            format!("{} {}:{}", if access.writes { "store" } else { "load" }, access.line, access.column)
        };
        let why = &compared.reasons[&(first, second)];
        writeln!(text, "PAIR {}: {} and {}: independent by {}; ipda: {why}", compared.input, place(first), place(second), names(&ahead))
            .expect("a string takes all");
    }
    text
}

fn missed_loops(compared: &Compared) -> String {
    let by = Who::ALL.map(|who| compared.parallel(who));
    let mut text = String::new();
    for number in 0..compared.loops.len() {
        let ahead = ahead([by[0][number], by[1][number], by[2][number]]);
        if !ahead.is_empty() {
            writeln!(text, "LOOP {}: line {}: parallel by {}", compared.input, compared.loops[number].line, names(&ahead))
                .expect("a string takes all");
        }
    }
    text
}
