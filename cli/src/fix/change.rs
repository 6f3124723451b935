//! What is written into a source for a region, and what is reported about that.

use ipda_models::report::Region;
use ipda_models::sizes::Sizes;
use ipda_models::source::{Clause, Edit, Request, Source, Written};
use ipda_models::versions::{DeviceVersion, GuardCondition};

use crate::words::is_for_threads;

use super::guard;
use super::rests::{self, Scope, Trust};

/// Edits that belong together.
#[derive(Debug, PartialEq)]
pub struct Change {
    /// The line of the directive.
    pub line: usize,
    /// What it is and what it rests on, in words.
    pub text: String,
    pub edits: Vec<Edit>,
}

/// What a region's report asks for, of each of its shared loops; nothing where they are best as they are, or have to stay.
pub fn requested(region: &Region) -> Vec<&DeviceVersion> {
    let mut all: Vec<&DeviceVersion> = Vec::new();
    for version in region.transformation.iter().flat_map(|reported| &reported.versions) {
        let is_first = !all.iter().any(|other| other.is_of_nest_of(version));
        // No clause says which iterations a warp takes.
        let has_tiles = !version.recipe.lanes().is_empty();
        let is_clause = match version.recipe.digits_in_words() {
            Some(_) => !version.recipe.sequential_tile().is_empty(),
            None => version.recipe.threads().len() > 1 && !has_tiles,
        };
        if version.is_right() && is_first && is_clause {
            all.push(version);
        }
    }
    all
}

impl Change {
    /// The edits of the source for a version of a region.
    ///
    /// # Errors
    /// A sentence where the source has another shape than the report says, or than can be changed safely.
    pub fn new(
        (region, reported): (&Region, &DeviceVersion),
        request: &Request<'_>,
        source: &Source,
        trust: Trust,
    ) -> Result<Change, String> {
        let mut written = request.written(source).map_err(|objection| objection.to_string())?;
        let conditions = rests::conditions(region, reported);
        let rests = rest(region, source, &mut written, &conditions, trust)?;
        let text = format!("{}{rests}", words(region, reported, &written.clause));
        Ok(Change { line: written.directive.line(), text, edits: written.edits })
    }
}

/// Adds to the edits what is done about conditions; what is reported about that.
fn rest(
    region: &Region,
    source: &Source,
    written: &mut Written<'_>,
    conditions: &[GuardCondition],
    trust: Trust,
) -> Result<String, String> {
    if conditions.is_empty() {
        return Ok(String::new());
    }
    let Written { directive, nest, edits, .. } = written;
    let words = rests::words(conditions);
    match trust {
        Trust::Proven => Err(format!(
            "the changed loops are right only where {words}; --guard writes them under an `if` that tests it, --assume without"
        )),
        Trust::Assumed => {
            edits.push(guard::comment(source, directive.start(), &rests::comment(conditions)?));
            Ok(format!("; right only where {words}, which nothing tests"))
        }
        Trust::Guarded => {
            let no_token = || format!("the directive in line {} is not found", directive.line());
            let token = source.token_at(directive.start()).ok_or_else(no_token)?;
            let scope = Scope { region, source, directive: token };
            let tests = scope.tests(conditions)?;
            edits.extend(guard::both(source, directive, nest, &tests)?);
            Ok(format!("; under an `if` that tests that {words}"))
        }
    }
}

fn words(region: &Region, reported: &DeviceVersion, clause: &Clause) -> String {
    let count = clause.taken.unwrap_or(1) + clause.more;
    let mut text = format!("collapse({count}) over {}", clause.order[..count].join(", "));
    if !clause.tile.is_empty() {
        let directive = clause.tile_directive();
        text =
            if count > 1 { format!("{directive} and {text}") } else { format!("{directive} over {}", clause.order[0]) };
    }
    if clause.is_interchange {
        text = format!("loops in the order {}, {text}", clause.order.join(", "));
    }
    if let Some(gain) = &reported.gain {
        let per = gain.per_iteration_of.as_deref().map(|name| with_names(region, name));
        let per = per.map_or(String::new(), |name| format!(" in an iteration of {name}"));
        let [before, after] = [gain.sectors_before, gain.sectors_after];
        let sizes = Sizes::Compared;
        text.push_str(&match is_for_threads(gain) {
            true => format!(
                ": for {sizes}, {} threads share the work instead of {}; a warp touches {after} sectors{per}, as written {before}",
                gain.threads_after, gain.threads_before
            ),
            false => format!(": for {sizes} a warp touches {after} sectors{per} instead of {before}"),
        });
    }
    text
}

/// Words with the source's names in place of `arg2` and `loop1`, which is what the device's compilation says where it knows none.
fn with_names(region: &Region, text: &str) -> String {
    let named = |word: &str| {
        let number = |prefix| word.strip_prefix(prefix).and_then(|number: &str| number.parse::<usize>().ok());
        let variable = || region.loops.iter().find(|entry| entry.id == word)?.variable.clone();
        let argument = number("arg").and_then(|number| Some(region.captures.get(number)?.name.clone()));
        argument.or_else(variable).unwrap_or_else(|| word.to_owned())
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    let mut result = String::new();
    while !rest.is_empty() {
        let word = rest.split(|c| !is_part(c)).next().unwrap_or("");
        let (word, behind) = rest.split_at(word.len());
        let signs = behind.find(is_part).unwrap_or(behind.len());
        result.push_str(&named(word));
        result.push_str(&behind[..signs]);
        rest = &behind[signs..];
    }
    result
}
