//! Map clauses that move variables one way only.

use ipda_models::report::Region;
use ipda_models::source::{Kind, OneWay, Source, Way, map_edits, one_way};

use super::change::Change;
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
    let (start, edits) = map_edits(source, region.location.line, wanted).map_err(|objection| objection.to_string())?;
    let mut reported: Vec<String> = wanted.iter().map(words).collect();
    if waits_not(source) {
        const ALONE: &str = "no other region maps it at the same time, as one with nowait could";
        if trust != Trust::Assumed {
            return Err(format!(
                "its map clauses could say less, but that is right only where {ALONE}; --assume writes it"
            ));
        }
        reported.push(format!("right only where {ALONE}"));
    }
    Ok((!edits.is_empty()).then(|| Change { line: source.line(start), text: reported.join("; "), edits }))
}

fn words(one: &OneWay<'_>) -> String {
    let name = one.name;
    let less = one.bytes.map_or(String::new(), |bytes| format!(": {} bytes less", bytes.replace(['[', ']'], "")));
    match one.way {
        Way::To => format!("map(to) for {name}, which is never written{less}"),
        Way::From => {
            format!(
                "map(from) for {name}, right only where the loops overwrite all of it and no other array shares its bytes, which nothing \
                 tests{less}"
            )
        }
    }
}

/// Whether a directive of the file starts work that it does not wait for.
fn waits_not(source: &Source) -> bool {
    let is_it = |text: &[u8]| text.windows(b"nowait".len()).any(|part| part == b"nowait");
    source.tokens.iter().any(|token| token.kind == Kind::Directive && is_it(&source.text[token.range.clone()]))
}
