//! The tables, in Markdown that can be read as it is.

use crate::rivals::Answer;
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
    first: u64,
}

impl Row {
    fn of(compared: &Compared) -> Row {
        let mut row = Row { pairs: compared.pairs.len(), first: compared.first, ..Row::default() };
        for who in Who::ALL {
            let index = who as usize;
            let loops = compared.parallel(who);
            row.loops = loops.len();
            row.independent[index] = Count::of(compared.pairs.values().map(|by| by[index].independent));
            row.parallel[index] = Count::of(loops.into_values());
            row.cold[index] = compared.times[index].cold;
            row.warm[index] = compared.times[index].warm;
        }
        row
    }

    fn add(&mut self, other: &Row) {
        self.pairs += other.pairs;
        self.loops += other.loops;
        self.first += other.first;
        for index in 0..3 {
            self.independent[index].add(other.independent[index]);
            self.parallel[index].add(other.parallel[index]);
            self.cold[index] += other.cold[index];
            self.warm[index] += other.warm[index];
        }
    }

    fn proven(&self, name: &str) -> Vec<String> {
        let cells = |total: usize, [da, polly, ours]: &[Count; 3]| {
            [total, da.excluded, polly.excluded, polly.under_conditions, ours.excluded, ours.under_conditions]
                .map(|count| count.to_string())
        };
        let mut line = vec![name.to_owned()];
        line.extend(cells(self.pairs, &self.independent));
        line.extend(cells(self.loops, &self.parallel));
        line
    }

    fn time(&self, name: &str) -> Vec<String> {
        let [da, polly, ours] = self.cold;
        let each = |nanoseconds: u64| format!("{:.2}", nanoseconds as f64 / 1e3 / self.pairs.max(1) as f64);
        let [da_again, _, ours_again] = self.warm;
        let cells = [da, da_again, polly, ours, self.first, ours_again].map(each);
        [name.to_owned(), self.pairs.to_string()].into_iter().chain(cells).collect()
    }
}

/// What is proven, for each input and each group of inputs.
pub fn proven(groups: &[(String, Vec<Compared>)]) -> String {
    const HEAD: [&str; 13] =
        ["input", "pairs", "DA", "Polly", "if", "ipda", "if", "loops", "DA", "Polly", "if", "ipda", "if"];
    table(&HEAD, &rows(groups, Row::proven))
}

/// Microseconds for each pair: with all analyses made anew; for LLVM's analysis and ours also when asked again, with the analyses that it
/// uses, or what is known of loops and addresses, kept; for ours also the tests as part of the whole.
pub fn time(groups: &[(String, Vec<Compared>)]) -> String {
    table(&["input", "pairs", "DA", "DA again", "Polly", "ipda", "ipda tests", "ipda again"], &rows(groups, Row::time))
}

fn rows(groups: &[(String, Vec<Compared>)], cells: fn(&Row, &str) -> Vec<String>) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let mut totals = Vec::new();
    let mut all = Row::default();
    for (group, inputs) in groups {
        let mut total = Row::default();
        for compared in inputs {
            let row = Row::of(compared);
            lines.push(cells(&row, &compared.input));
            total.add(&row);
        }
        all.add(&total);
        totals.push(cells(&total, &format!("*{group}: {} inputs*", inputs.len())));
    }
    lines.extend(totals);
    lines.push(cells(&all, "*all*"));
    lines
}

/// A table whose first column is text, the others numbers.
pub fn table(head: &[&str], lines: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    let width = |column: usize| {
        std::iter::once(&head).chain(lines).map(|line| line[column].chars().count()).max().unwrap_or_default().max(3)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    let mut put = |line: &[String]| {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            if column == 0 { write!(text, "| {cell:<width$} ") } else { write!(text, "| {cell:>width$} ") }
                .expect("a string takes all");
        }
        text += "|\n";
    };
    put(&head);
    let rule =
        |(column, &width): (usize, &usize)| if column == 0 { "-".repeat(width) } else { "-".repeat(width - 1) + ":" };
    put(&widths.iter().enumerate().map(rule).collect::<Vec<_>>());
    lines.iter().for_each(|line| put(line));
    text
}

/// Every pair and loop of which a rival says more than we do, with the reason where it is known to be no defect of ours, and how many there
/// are, and of how many we say more.
pub fn ahead(groups: &[(String, Vec<Compared>)]) -> String {
    let mut text = String::new();
    let (mut theirs, mut ours, mut explained) = ([0, 0], [0, 0], [0, 0]);
    for compared in groups.iter().flat_map(|(_, inputs)| inputs) {
        for (&pair, by) in &compared.pairs {
            let answers = by.each_ref().map(|said| said.independent);
            ours[0] += usize::from(answers[2] > answers[0].max(answers[1]));
            let Some(names) = says_more(answers) else { continue };
            theirs[0] += 1;
            explained[0] += usize::from(known(compared, pair).is_some());
            writeln!(text, "pair {}: independent by {names}; {}", compared.input, words(compared, pair))
                .expect("a string takes all");
        }
        let by = Who::ALL.map(|who| compared.parallel(who));
        for &number in by[0].keys() {
            let answers = [by[0][&number], by[1][&number], by[2][&number]];
            ours[1] += usize::from(answers[2] > answers[0].max(answers[1]));
            let Some(names) = says_more(answers) else { continue };
            let obstacles = compared.obstacles(number, answers[0].max(answers[1]));
            theirs[1] += 1;
            explained[1] += usize::from(obstacles.iter().all(|&pair| known(compared, pair).is_some()));
            writeln!(text, "loop {}: line {}: parallel by {names}", compared.input, compared.loops[number].line)
                .expect("a string takes all");
            for pair in obstacles {
                writeln!(text, "  {}", words(compared, pair)).expect("a string takes all");
            }
        }
    }
    let line = |[pairs, loops]: [usize; 2]| format!("{pairs} pairs and {loops} loops");
    text + &format!(
        "a rival says more of {}, wrongly or by what it does not state of {}; ipda says more than both of {}\n",
        line(theirs),
        line(explained),
        line(ours)
    )
}

fn place(compared: &Compared, access: usize) -> String {
    let access = &compared.accesses[access];
    format!("{}:{}", access.line, access.column)
}

fn known(compared: &Compared, (first, second): (usize, usize)) -> Option<&str> {
    compared.known.reason(&place(compared, first), &place(compared, second))
}

/// A pair, with why the rivals are not to be followed, or else what keeps us from it.
fn words(compared: &Compared, pair: (usize, usize)) -> String {
    let [first, second] = [pair.0, pair.1].map(|access| {
        let kind = if compared.accesses[access].writes { "store" } else { "load" };
        format!("{kind} {}", place(compared, access))
    });
    match known(compared, pair) {
        Some(reason) => format!("{first} and {second}: known: {reason}"),
        None => format!("{first} and {second}: ipda: {}", compared.reasons[&pair]),
    }
}

/// Who says more than we do, if someone does.
fn says_more(answers: [Answer; 3]) -> Option<String> {
    let who = Who::ALL.into_iter().map(|who| (who, answers[who as usize])).filter(|&(_, answer)| answer > answers[2]);
    let names: Vec<String> = who
        .map(|(who, answer)| match answer {
            Answer::ExcludedUnderConditions => format!("{who:?} under conditions"),
            _ => format!("{who:?}"),
        })
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}
