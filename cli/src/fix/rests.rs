//! What a change of loops rests on, and how that is tested in C.

use ipda_models::report::{ConditionRole, Extent, Names, ObstacleKind, Region, ValueType};
use ipda_models::source::{Kind, Source};
use ipda_models::versions::{DeviceVersion, GuardCondition};

/// What is done about conditions under which alone a change is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// What needs one is not written.
    Proven,
    /// Whoever calls knows that they hold.
    Assumed,
    /// The program tests them.
    Guarded,
}

/// The conditions that matter to whoever writes the loops.
///
/// What only the plugin's own version needs is left out. So is that a loop of the nest runs: `fix` changes perfect nests alone, in which a loop
/// without iterations leaves nothing that could run, in any order and with any clause. What a report says no role of, matters.
pub fn conditions(region: &Region, reported: &DeviceVersion) -> Vec<GuardCondition> {
    let matters = |condition: &GuardCondition| {
        !matches!(condition.role, Some(ConditionRole::Iterations | ConditionRole::OwnVersion))
    };
    let DeviceVersion { guard, rests_on, .. } = Names::of(region).in_version(reported.clone());
    // What the plugin has seen of all callers need not hold of those that come later.
    let shown = rests_on.into_iter().filter(|reason| reason.obstacle == ObstacleKind::DifferentArrays);
    let shown = shown.map(|reason| GuardCondition {
        text: reason.text.split(", ").next().unwrap_or_default().to_owned(),
        not_negative: None,
        role: None,
    });
    guard.into_iter().filter(matters).chain(shown).collect()
}

/// How a condition ends that the host's code shows.
const SHOWN: &str = " are different arrays";

/// The conditions in one sentence's part.
pub fn words(conditions: &[GuardCondition]) -> String {
    let words: Vec<&str> = conditions.iter().map(|condition| &condition.text[..]).collect();
    words.join(", and ")
}

/// The same as the words of a comment of C.
///
/// # Errors
/// A sentence where they would end it, or make a line of the source.
pub fn comment(conditions: &[GuardCondition]) -> Result<String, String> {
    let words = words(conditions);
    // No sign that other text is shown by, before, or instead of.
    let is_plain = |c: char| c.is_alphanumeric() || c == ' ' || c.is_ascii_punctuation() && c != '\\';
    let is_harmless = words.chars().all(is_plain) && !["*/", "/*", "??"].iter().any(|part| words.contains(part));
    is_harmless
        .then_some(words)
        .ok_or_else(|| "a condition of the report cannot stand in a comment: compile again".into())
}

/// Characters of a test that is written into a source.
const LONGEST_TEST: usize = 2000;

/// What the names in conditions are at the directive.
pub struct Scope<'a> {
    pub region: &'a Region,
    pub source: &'a Source,
    /// The directive's token.
    pub directive: usize,
}

impl Scope<'_> {
    /// All conditions as an expression of C, a line each.
    ///
    /// # Errors
    /// A sentence where one cannot be tested there.
    pub fn tests(&self, conditions: &[GuardCondition]) -> Result<Vec<String>, String> {
        let mut tests: Vec<String> = Vec::new();
        for condition in conditions {
            let all =
                self.test(condition).map_err(|why| format!("`{}` cannot be tested there: {why}", condition.text))?;
            let others: Vec<String> = all.into_iter().filter(|test| !tests.contains(test)).collect();
            tests.extend(others);
        }
        Ok(tests)
    }

    fn test(&self, condition: &GuardCondition) -> Result<Vec<String>, String> {
        let tests = self.test_of_any_length(condition)?;
        // The least or greatest of several sums repeats each of them twice, in another one each of these again.
        match tests.iter().map(String::len).max() {
            Some(length) if length > LONGEST_TEST => {
                Err(format!("its test would be a line of {length} characters, which nobody can read"))
            }
            _ => Ok(tests),
        }
    }

    fn test_of_any_length(&self, condition: &GuardCondition) -> Result<Vec<String>, String> {
        match &condition.role {
            Some(ConditionRole::Sizes) => Ok(vec![self.comparison(&condition.text)?]),
            Some(ConditionRole::Apart { first, second }) => self.apart(first, second),
            None if condition.text.ends_with(SHOWN) => Err("what is touched of them is not known before it is".into()),
            _ => Err("the report does not say of which bytes and sizes it is; compile again".into()),
        }
    }

    fn comparison(&self, words: &str) -> Result<String, String> {
        let sign =
            [" <= ", " >= ", " < "].into_iter().find(|sign| words.contains(sign)).ok_or("it is no comparison")?;
        let sides: Vec<&str> = words.split(sign).collect();
        let [left, right] = sides[..] else { return Err("it is no comparison of two sums".into()) };
        Ok(format!("{}{sign}{}", self.sum(left)?, self.sum(right)?))
    }

    /// The same as the plugin's own version tests: sizes are not negative, and one array ends before the other begins.
    fn apart(&self, first: &Extent, second: &Extent) -> Result<Vec<String>, String> {
        let ends = |extent: &Extent| -> Result<(String, String, String), String> {
            let low = if extent.low == "0" { String::new() } else { format!(" + ({})", self.sum(&extent.low)?) };
            let begin = format!("(__int128)(__UINTPTR_TYPE__){}{low}", self.array(&extent.array)?);
            let size = self.sum(&extent.size)?;
            Ok((begin.clone(), format!("{begin} + ({size})"), format!("{size} >= 0")))
        };
        let [(a, behind_a, is_a_size), (b, behind_b, is_b_size)] = [ends(first)?, ends(second)?];
        Ok(vec![is_a_size, is_b_size, format!("({behind_a} <= {b} || {behind_b} <= {a})")])
    }

    /// A sum of products, in numbers that do not overflow. Nothing else of the report's text goes into the source.
    fn sum(&self, text: &str) -> Result<String, String> {
        self.sum_in(text, 0)
    }

    /// The same of a part that stands in so many pairs of brackets.
    fn sum_in(&self, text: &str, depth: usize) -> Result<String, String> {
        const DEEPEST: usize = 8;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let other = || format!("`{text}` is more than a sum of products");
        let first = text.trim();
        let (mut result, mut rest) = match first.strip_prefix('-') {
            Some(rest) => ("-".to_owned(), rest),
            None => (String::new(), first),
        };
        loop {
            let (word, behind) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
            let begin = word.chars().next().ok_or_else(other)?;
            let behind = if behind.starts_with('(') {
                let (inside, behind) = in_brackets(behind).filter(|_| depth < DEEPEST).ok_or_else(other)?;
                result.push_str(&self.least_or_most(word, &inside, depth)?);
                behind
            } else {
                let (power, behind) = power_of(behind)?;
                result.push_str(&match begin.is_ascii_digit() {
                    true => number(word, power).ok_or_else(|| format!("{word} is too large a number"))?,
                    false => vec![self.size(word)?; power].join("*"),
                });
                behind
            };
            if behind.is_empty() {
                return Ok(result);
            }
            let sign = ["*", " + ", " - "].into_iter().find(|sign| behind.starts_with(sign)).ok_or_else(other)?;
            result.push_str(sign);
            rest = &behind[sign.len()..];
        }
    }

    /// `min(a, b)` or `max(a, b)` as an expression of C.
    fn least_or_most(&self, function: &str, arguments: &[&str], depth: usize) -> Result<String, String> {
        let sign = match function {
            "min" => "<",
            "max" => ">",
            _ => return Err(format!("`{function}({})` is more than a sum of products", arguments.join(","))),
        };
        let mut found: Option<String> = None;
        for argument in arguments {
            let next = self.sum_in(argument, depth + 1)?;
            found = Some(match found {
                Some(before) => format!("(({before}) {sign} ({next}) ? ({before}) : ({next}))"),
                None => next,
            });
        }
        found.ok_or_else(|| format!("`{function}` is of nothing"))
    }

    /// What the region captures is in scope where it begins.
    fn size(&self, name: &str) -> Result<String, String> {
        let is_captured = self
            .region
            .captures
            .iter()
            .any(|capture| capture.name == name && matches!(capture.ty, ValueType::Integer(_)));
        let is_written = self.words().any(|at| self.source.bytes(at) == name.as_bytes());
        match is_captured && is_written {
            true => Ok(format!("(__int128){name}")),
            false => Err(format!("{name} is no variable of whole numbers that is in scope at the directive")),
        }
    }

    /// A pointer, or an array, by its declaration: what is of a class may have no address of its own kind.
    fn array<'b>(&self, name: &'b str) -> Result<&'b str, String> {
        let source = self.source;
        let is_qualifier =
            |text: &[u8]| matches!(text, b"const" | b"restrict" | b"__restrict" | b"__restrict__" | b"volatile");
        let is_declared = |at: usize| {
            if source.bytes(at) != name.as_bytes() {
                return false;
            }
            let mut before = source.before(at);
            while before.is_some_and(|at| is_qualifier(source.bytes(at))) {
                before = before.and_then(|at| source.before(at));
            }
            let Some(before) = before else { return false };
            let is_type = source.tokens[before].kind == Kind::Word && source.bytes(before) != b"return";
            source.bytes(before) == b"*" || is_type && source.bytes(source.skip_comments(at + 1)) == b"["
        };
        let is_captured = self.region.captures.iter().any(|capture| capture.name == name);
        match is_captured && self.words().any(is_declared) {
            true => Ok(name),
            false => {
                Err(format!("nothing before the directive declares {name} as a pointer or an array by its own name"))
            }
        }
    }

    fn words(&self) -> impl Iterator<Item = usize> {
        (0..self.directive).filter(|&at| self.source.tokens[at].kind == Kind::Word)
    }
}

/// The parts between the commas of what stands in the brackets that a text begins with, and what follows.
fn in_brackets(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut begin, mut parts) = (0, 1, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 1 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            parts.push(&text[begin..at]);
            return Some((parts, &text[at + 1..]));
        }
    }
    None
}

/// The power that a factor is raised to, and what follows.
fn power_of(text: &str) -> Result<(usize, &str), String> {
    const MOST: usize = 64;
    let Some(power) = text.strip_prefix('^') else { return Ok((1, text)) };
    let (digits, behind) = power.split_at(power.find(|c: char| !c.is_ascii_digit()).unwrap_or(power.len()));
    let power = digits.parse().ok().filter(|power| (1..=MOST).contains(power));
    Ok((power.ok_or("a power in it is too large")?, behind))
}

fn number(digits: &str, power: usize) -> Option<String> {
    let number: i64 = digits.parse().ok()?;
    Some(number.checked_pow(u32::try_from(power).ok()?)?.to_string())
}
