//! Expressions of a report taken apart for people.

use ipda_models::report::{Region, ValueType};
use ipda_symbolic::in_words;

/// A summand, with its sign where that is negative.
#[derive(Debug, PartialEq)]
pub struct Term {
    pub text: String,
}

/// Long names, the letters that stand for them, and what they are.
const LONG: [(&str, char, &str); 5] = [
    ("[lane number]", 't', "the thread's number in its warp"),
    ("[warp number]", 'w', "the number of the warp"),
    ("[warp of team]", 'v', "the number of the warp in its team"),
    ("[warp of row]", 'u', "the number of the warp in its row of the team"),
    ("[first iteration]", 'f', "the first iteration of the warp"),
];

/// Letters for the numbers of threads and warps; capital ones where a loop's variable is called so.
pub struct Letters([String; LONG.len()]);

impl Letters {
    /// For texts about a region.
    pub fn of(region: &Region) -> Letters {
        let is_taken =
            |letter: &str| region.loops.iter().any(|each| super::index_name(each).trim_start_matches('#') == letter);
        Letters(LONG.map(|(_, letter, _)| {
            let small = letter.to_string();
            if is_taken(&small) { letter.to_ascii_uppercase().to_string() } else { small }
        }))
    }

    /// That of a thread's number in its warp.
    pub fn thread(&self) -> &str {
        &self.0[0]
    }

    /// An expression with letters.
    pub fn short(&self, text: &str) -> String {
        LONG.iter().zip(&self.0).fold(text.to_owned(), |text, ((long, ..), letter)| text.replace(long, letter))
    }

    /// What the letters of a shortened expression mean, but for that of the thread.
    pub fn meanings(&self, text: &str) -> Vec<String> {
        let of = LONG.iter().zip(&self.0).skip(1).filter(|(_, letter)| has_word(text, letter));
        of.map(|((.., meaning), letter)| format!("{letter} being {meaning}")).collect()
    }

    /// `4` as `4*t`, a sum in parentheses.
    pub fn times_thread(&self, stride: &str) -> String {
        let thread = self.thread();
        if split(stride).len() > 1 { format!("{thread}*({stride})") } else { format!("{stride}*{thread}") }
    }
}

/// The summands of a sum.
pub fn split(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            // A sign between summands has blanks around it.
            '+' | '-' if depth == 0 && at > 0 && bytes[at - 1] == b' ' && bytes.get(at + 1) == Some(&b' ') => {
                terms.push(text[start..at].trim());
                start = if c == '-' { at } else { at + 1 };
            }
            _ => {}
        }
    }
    terms.push(text[start..].trim());
    let terms = terms.into_iter().filter(|term| !term.is_empty());
    let signed = |term: &str| term.strip_prefix("- ").map_or_else(|| term.to_owned(), |rest| format!("-{rest}"));
    terms.map(|term| Term { text: signed(term) }).collect()
}

/// Whether a term has a name in it, as a whole word.
pub fn mentions(text: &str, name: &str) -> bool {
    if name.starts_with('[') { text.contains(name) } else { has_word(text, name) }
}

/// Whether a word that is in no brackets' name is in a text.
pub fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '#');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        let is_in_name = text[..at].rfind('[').is_some_and(|open| {
            let close = text[open..].find(']').map(|close| open + close);
            let inner = close.map_or("", |close| &text[open + 1..close]);
            close.is_some_and(|close| close > at) && !inner.contains(['<', '>', '='])
        });
        !before.is_some_and(is_part) && !behind.is_some_and(is_part) && !is_in_name
    })
}

/// The names in brackets that are values of the program.
pub fn symbols(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split('[').skip(1) {
        let name = part.split(']').next().unwrap_or_default();
        if !name.is_empty() && !name.contains(['<', '>', '=']) && !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Whether a term's names are of what all threads have in common: captured variables, where arrays begin, how many threads and teams there are.
pub fn is_fixed(text: &str, region: &Region) -> bool {
    symbols(text).iter().all(|name| {
        region.captures.iter().any(|capture| capture.name == *name)
            || region.accesses.iter().any(|access| access.object == *name)
            || ["blockDim.", "gridDim.", "blockIdx."].iter().any(|prefix| name.starts_with(prefix))
    })
}

/// What the names in an expression mean.
pub fn meanings(text: &str, region: &Region) -> Vec<String> {
    let (mut bases, mut sizes) = (Vec::new(), Vec::new());
    let mut reported = Vec::new();
    // What people see of it: a loaded value may have the name that it has in the source.
    let words = in_words(text);
    for name in symbols(text).into_iter().filter(|name| words.contains(&format!("[{name}]"))) {
        let is_pointer = region.captures.iter().any(|capture| capture.name == name && capture.ty == ValueType::Pointer);
        let is_object = region.accesses.iter().any(|access| access.object == name);
        match &name[..] {
            _ if is_pointer || is_object => bases.push(name),
            name if name.contains("Idx.") || name.contains("Dim.") => {
                let (of, axis) = name.split_once('.').unwrap_or((name, "x"));
                let meaning = match of {
                    "threadIdx" => "the thread's number in its team",
                    "blockIdx" => "the number of the team",
                    "blockDim" => "how many threads a team has",
                    _ => "how many teams there are",
                };
                reported.push(format!("[{name}] is {meaning} in direction {axis}"));
            }
            name if name.contains(' ') => {}
            _ => sizes.push(format!("[{name}]")),
        }
    }
    let (mut indices, mut counts) = (Vec::new(), Vec::new());
    for each in &region.loops {
        let name = super::index_name(each);
        let number = format!("#{}", name.replace(", ", ""));
        if has_word(text, name) && !indices.iter().any(|other| other == name) {
            indices.push(name.to_owned());
        } else if each.index.is_none() && has_word(text, &number) {
            counts.push(format!("{number} is the iteration of the {}, counted from 0", super::loop_name(each)));
        }
    }
    let mut all = Vec::new();
    match &bases[..] {
        [] => {}
        [one] => all.push(format!("[{one}] is where {one} begins")),
        many => all.push(format!("{} are where these arrays begin", in_brackets(many))),
    }
    match &sizes[..] {
        [] => {}
        [one] => all.push(format!("{one} is the value of {}", one.trim_matches(['[', ']']))),
        many => all.push(format!("{} are values of the program", super::and(many))),
    }
    match &indices[..] {
        [] => {}
        [one] => all.push(format!("{one} is the loop's iteration, counted from 0")),
        many => all.push(format!("{} are the loops' iterations, counted from 0", super::and(many))),
    }
    all.extend(counts);
    all.extend(reported);
    if words.contains("load") {
        all.push("load4(a) is the value of 4 bytes in memory at a".into());
    }
    all
}

fn in_brackets(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("[{name}]")).collect();
    super::and(&names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        split(text).into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn sums_are_split_at_their_signs() {
        assert_eq!(texts("[A] + 4*[n]*i + 4*j - 8"), ["[A]", "4*[n]*i", "4*j", "-8"]);
        assert_eq!(texts("-4*[n] + 4*(i + 1)"), ["-4*[n]", "4*(i + 1)"]);
        assert_eq!(texts("floor(([n] + 1) / 2)"), ["floor(([n] + 1) / 2)"]);
        assert_eq!(texts("4*max(2*i - [w], i)"), ["4*max(2*i - [w], i)"]);
    }

    #[test]
    fn words_are_found_whole_and_outside_of_names() {
        assert!(has_word("4*[n]*i + 4", "i"));
        assert!(!has_word("4*[i]", "i"));
        assert!(!has_word("4*ii", "i"));
        assert!(has_word("[i < [n]]*4", "i"));
        assert_eq!(symbols("4*[NI]*[NJ] + [NI] + [i < 4]"), ["NI", "NJ"]);
    }
}
