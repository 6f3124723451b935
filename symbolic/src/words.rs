//! Loaded values in the words of the source, for people: the text form itself keeps addresses and sizes.

use crate::names::Name;
use crate::parse::{balanced_length, parse};
use crate::{Atom, AtomId, Interval, LoopId, Polynomial, Space, Symbol, Varies, declare_unknown};

const LOAD: &str = "load";

/// A text, with each load in it as the source would have it: ``load4`g->ny`([g] + 4)`` as `g->ny`, `load4([row] + 4*i + 4)` as `row[i + 1]`.
/// What is no load, or has another form, stays.
pub fn in_words(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(LOAD) {
        let (before, from) = rest.split_at(at);
        made.push_str(before);
        match Load::first(from).filter(|_| !ends_in_name(&made)) {
            Some(load) => {
                made.push_str(&load.in_words());
                rest = load.behind;
            }
            None => {
                made.push_str(LOAD);
                rest = &from[LOAD.len()..];
            }
        }
    }
    made.push_str(rest);
    made
}

fn ends_in_name(text: &str) -> bool {
    text.chars().last().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

impl Space {
    /// The loads that read a member of that name, or an element that people read so (`row[0]`), at any time.
    pub fn loads_of(&self, name: &str) -> Vec<AtomId> {
        let is_element = |load: &AtomId| in_words(&self.display(&Polynomial::from(*load)).to_string()) == name;
        let mut found: Vec<AtomId> = self.loads_of_member(name).collect();
        if found.is_empty() && name.ends_with(']') {
            found = self.loads().filter(is_element).collect();
        }
        found.sort_unstable();
        found
    }
}

/// All members of structures in a text: each load without the memory's states, and its member.
pub fn members_in(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(LOAD) {
        rest = &rest[at..];
        if let Some(load) = Load::first(rest)
            && let Some(member) = load.member
        {
            let text = &rest[..rest.len() - load.behind.len()];
            let own = format!("`{member}`");
            found.push((without_states(&text.replacen(&own, "", 1)), member.to_owned()));
        }
        rest = &rest[LOAD.len()..];
    }
    found
}

/// A text without the numbers of memory's states.
pub fn without_states(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('@') {
        made.push_str(before);
        rest = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    made.push_str(rest);
    made
}

/// A load at the begin of a text.
struct Load<'a> {
    bytes: i64,
    member: Option<&'a str>,
    address: &'a str,
    behind: &'a str,
}

impl<'a> Load<'a> {
    fn first(text: &'a str) -> Option<Load<'a>> {
        let rest = text.strip_prefix(LOAD)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let bytes = rest[..digits].parse().ok().filter(|&bytes| bytes > 0)?;
        let mut rest = &rest[digits..];
        if let Some(behind) = rest.strip_prefix('u') {
            rest = behind;
        } else if rest.starts_with('[') {
            rest = &rest[rest.find(']')? + 1..];
        }
        if let Some(behind) = rest.strip_prefix('@') {
            rest = behind.trim_start_matches(|c: char| c.is_ascii_digit());
        }
        let mut member = None;
        if let Some(behind) = rest.strip_prefix('`') {
            let (name, behind) = behind.split_once('`')?;
            (member, rest) = (Some(name), behind);
        }
        if !rest.starts_with('(') {
            return None;
        }
        let mut depth = 0_u32;
        let end = rest.char_indices().find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })?;
        Some(Load { bytes, member, address: &rest[1..end], behind: &rest[end + 1..] })
    }

    fn in_words(&self) -> String {
        if let Some(member) = self.member {
            return member.to_owned();
        }
        self.element().unwrap_or_else(|| format!("{LOAD}{}({})", self.bytes, in_words(self.address)))
    }

    /// The element of an array, where all of the address but its begin are whole elements.
    fn element(&self) -> Option<String> {
        let end = self.begin()?;
        let (begin, rest) = self.address.split_at(end);
        let array = match begin.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => name.to_owned(),
            None => in_words(begin),
        };
        if rest.is_empty() {
            return Some(format!("{array}[0]"));
        }
        let rest =
            rest.strip_prefix(" + ").map(str::to_owned).or_else(|| Some(format!("-{}", rest.strip_prefix(" - ")?)))?;
        let mut space = Space::new();
        let mut next = 0;
        declare_unknown(&mut space, &rest, &mut |space, name| match name {
            Name::Symbol(name) => {
                drop(space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No }))
            }
            Name::Bare(name) => {
                space.name_loop(LoopId(next), name);
                next += 1;
            }
        });
        let offset = parse(&mut space, &rest).ok()?;
        // Of bytes, any of several numbers may be where the array begins.
        let is_begin = |atom: &AtomId| {
            matches!(space.atom(*atom), Atom::Symbol(_)) && offset.coefficient_of(*atom) == Some(Polynomial::one())
        };
        if self.bytes == 1 && offset.atoms().iter().any(is_begin) {
            return None;
        }
        let index = offset.div_exact(&self.bytes.into())?;
        Some(format!("{array}[{}]", in_words(&space.display(&index).to_string())))
    }

    /// Where the address's first term ends: an array's begin, or a pointer that is loaded.
    fn begin(&self) -> Option<usize> {
        if self.address.starts_with('[') {
            return balanced_length(self.address);
        }
        let load = Load::first(self.address)?;
        let is_alone = load.behind.is_empty() || load.behind.starts_with(" + ") || load.behind.starts_with(" - ");
        is_alone.then(|| self.address.len() - load.behind.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_reported_as_the_source_has_them() {
        for (text, words) in [
            ("8*[n] + 4*i", "8*[n] + 4*i"),
            ("8*load4`g->ny`([g] + 4)", "8*g->ny"),
            ("load4([row] + 4*i + 4) - load4@2([row] + 4*i)", "row[i + 1] - row[i]"),
            ("load8u`g->cell`([g] + 8) + 8*j", "g->cell + 8*j"),
            ("load4(load8u`g->row`([g] + 8) + 4*[n]*i - 8)", "g->row[[n]*i - 2]"),
            ("load8([x])", "x[0]"),
            ("load4[0,7]([t] + 4*load4([k] + 4*i))", "t[k[i]]"),
            ("load4([row] + 2*i)", "load4([row] + 2*i)"),
            ("load1([mask] + [n]*i + j)", "mask[j + [n]*i]"),
            ("load1([n] + [mask] - i - 1)", "load1([n] + [mask] - i - 1)"),
            ("load4([row] + 8*[m]*floor(i / [m]))", "row[2*[m]*floor(i / [m])]"),
            ("[upload] + workload4 + load", "[upload] + workload4 + load"),
            ("load4(p + 4)", "load4(p + 4)"),
            ("(as with load4) or load4(", "(as with load4) or load4("),
        ] {
            assert_eq!(in_words(text), words, "{text}");
        }
    }

    #[test]
    fn elements_are_found_as_people_read_them() {
        let mut space = Space::new();
        space.symbol(Symbol { name: "n".into(), range: Interval::ALL, varies: Varies::No });
        let both = parse(&mut space, "load4([n] + 4)*load4@1([n] + 4) + load4([n])").unwrap();
        assert!(both.as_atom().is_none());
        assert_eq!(
            [space.loads_of("n[1]").len(), space.loads_of("n[0]").len(), space.loads_of("n[2]").len()],
            [2, 1, 0]
        );
    }

    #[test]
    fn members_are_found_without_states() {
        let text = "load8u@2`g->cell`([g] + 8) + 8*load4@1`g->ny`([g] + 4)";
        let found = members_in(text);
        let pairs = [("load8u([g] + 8)", "g->cell"), ("load4([g] + 4)", "g->ny")];
        assert_eq!(found, pairs.map(|(load, member)| (load.to_owned(), member.to_owned())));
    }
}
