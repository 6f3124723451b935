//! Map clauses that move variables one way only.

use ipda_models::report::Region;
use ipda_models::source::{Kind, OneWay, Source, Way, map_edits, one_way};

use super::change::Change;
use super::guard;
use super::rests::Trust;

/// What a region's report asks for. That the loops overwrite all of a section, launches test and a clause does not.
pub fn requested(region: &Region, trust: Trust) -> Vec<OneWay<'_>> {
    let mut all = one_way(region);
    all.retain(|one| one.way == Way::To || trust == Trust::Assumed);
    all
}

/// The edits of the source; none where they are there already.
///
/// # Errors
/// A sentence where the source has another shape than the report says, or others may map the same meanwhile.
pub fn change(region: &Region, wanted: &[OneWay<'_>], source: &Source, trust: Trust) -> Result<Option<Change>, String> {
    let (start, mut edits) =
        map_edits(source, region.location.line, wanted).map_err(|objection| objection.to_string())?;
    let mut reported: Vec<String> = wanted.iter().map(words).collect();
    let overwritten: Vec<&str> = wanted.iter().filter(|one| one.way == Way::From).map(|one| one.name).collect();
    let mut conditions: Vec<String> =
        if overwritten.is_empty() { Vec::new() } else { vec![overwrites_all_of(&overwritten.join(" and "))] };
    if waits_not(source) {
        const ALONE: &str = "no other region maps it at the same time, as one with nowait could";
        if trust != Trust::Assumed {
            return Err(format!(
                "its map clauses could say less, but that is right only where {ALONE}; --assume writes it"
            ));
        }
        reported.push(format!("right only where {ALONE}"));
        conditions.push(ALONE.to_owned());
    }
    if !edits.is_empty() && !conditions.is_empty() {
        edits.push(guard::comment(source, start, &conditions.join(", and ")));
    }
    Ok((!edits.is_empty()).then(|| Change { line: source.line(start), text: reported.join("; "), edits }))
}

fn words(one: &OneWay<'_>) -> String {
    let name = one.name;
    let less = one.bytes.map_or(String::new(), |bytes| format!(": {} bytes less", bytes.replace(['[', ']'], "")));
    match one.way {
        Way::To => format!("map(to) for {name}, which is never written{less}"),
        Way::From => {
            format!("map(from) for {name}, right only where {}, which nothing tests{less}", overwrites_all_of("it"))
        }
    }
}

/// What a section needs that is not copied to the device.
fn overwrites_all_of(names: &str) -> String {
    format!("the loops overwrite all of {names} and no other array shares its bytes")
}

/// Whether a directive of the file starts work that it does not wait for.
fn waits_not(source: &Source) -> bool {
    let is_it = |text: &[u8]| text.windows(b"nowait".len()).any(|part| part == b"nowait");
    source.tokens.iter().any(|token| token.kind == Kind::Directive && is_it(&source.text[token.range.clone()]))
}
