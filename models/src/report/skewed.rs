//! Skewed nests in words.

use super::{Loop, Names, Region, Skewed};

impl Skewed {
    /// What is independent, and how it would be written, as a sentence.
    pub fn sentence(&self, region: &Region) -> String {
        let Skewed { name, place, from, to, inside, follows, number, apart } = self;
        let text = |of: &str| in_names(of, region);
        let loop_of = |id: &str| region.loops.iter().find(|each| each.id == id).map_or(id, called).to_owned();
        let bound = |of: &[String], which: &str| match of {
            [one] => text(one),
            all => format!("{which}({})", all.iter().map(|one| text(one)).collect::<Vec<_>>().join(", ")),
        };
        let apart = apart.iter().map(|[a, b]| format!("{} and {} do not overlap", text(a), text(b)));
        let apart: Vec<String> = apart.collect();
        let guard = if apart.is_empty() { String::new() } else { format!(", where {}", apart.join(" and ")) };
        let first = format!("for {name} from {} to {}", text(from), text(to));
        let others = inside.iter().map(|each| {
            let [from, to] = [bound(&each.from, "max"), bound(&each.to, "min")];
            format!("for {} from {from} to {to}", loop_of(&each.of))
        });
        let loops: Vec<String> = std::iter::once(first).chain(others).collect();
        format!(
            "with {name} = {}, the iterations of {name} are independent{guard}: {}, with {} = {}",
            text(place),
            loops.join(", "),
            loop_of(follows),
            text(number)
        )
    }
}

/// What people call a loop's iteration number: as its variable, where both are the same.
fn called(each: &Loop) -> &str {
    match each.index.as_deref() {
        Some(index) if index.starts_with('#') => index,
        _ => each.variable.as_deref().unwrap_or(&each.id),
    }
}

/// An expression in the words of the source: iteration numbers are called as their loops.
fn in_names(text: &str, region: &Region) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut result = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = if is_part(c) { rest.find(|c| !is_part(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
        let (word, behind) = rest.split_at(end);
        let numbered = region.loops.iter().find(|each| each.index.as_deref() == Some(word));
        result.push_str(numbered.map_or(word, called));
        rest = behind;
    }
    Names::of(region).in_text(&without_brackets(&result))
}

/// Names of variables without the brackets that tell them from other expressions.
fn without_brackets(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('[') {
        result.push_str(before);
        let is_name = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match behind.split_once(']').filter(|(name, _)| is_name(name)) {
            Some((name, behind)) => {
                result.push_str(name);
                rest = behind;
            }
            None => {
                result.push('[');
                rest = behind;
            }
        }
    }
    result + rest
}
