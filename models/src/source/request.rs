//! From what a report says of a region's loops to their places in the source, and to the edits by which threads would share more of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::clause::Clause;
use super::directive::Directive;
use super::nest::{Head, Nest};
use super::text::{Kind, Source};
use super::{Edit, Objection};
use crate::files;
use crate::report::{Location, Loop, LoopKind, Region, Report};
use crate::versions::DeviceVersion;

/// A source is no longer than that, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A region whose loops run better in another way.
#[derive(Debug)]
pub struct Request<'a> {
    region: &'a Region,
    version: &'a DeviceVersion,
    /// From the loop that threads share to the innermost that is fused, as written.
    path: Vec<(&'a Loop, &'a Location)>,
    /// The positions of these in the better order, the fused ones first.
    order: Vec<usize>,
}

/// Where the loops are, and how they are written in another way.
pub struct Written<'a> {
    /// The directive before them.
    pub directive: Directive<'a>,
    /// The loops as they are.
    pub nest: Nest,
    /// What is to be written.
    pub clause: Clause,
    /// How.
    pub edits: Vec<Edit>,
}

impl<'a> Request<'a> {
    /// What a version of a region asks for.
    ///
    /// # Errors
    /// Where the report does not say where its loops are.
    pub fn of(region: &'a Region, version: &'a DeviceVersion) -> Result<Request<'a>, Objection> {
        const NO_PLACES: &str = "the report does not say where its loops are: compile with -g or -gline-tables-only";
        let no_places = || Objection::Program(NO_PLACES.into());
        if version.recipe.is_order_of_collapsed() {
            let advice = Clause::of_recipe(&version.recipe).advice();
            let text =
                format!("the loops that its directive collapses would change places, which is left to you: {advice}");
            return Err(Objection::Program(text));
        }
        let place = |entry: &'a Loop| entry.location.as_ref().filter(|at| at.column > 0).ok_or_else(no_places);
        // By its name only where several loops begin there: the device's compilation, which tells, may know others than the host's.
        let number = |name: &str, at: &Option<Location>| {
            let numbers = 0..region.loops.len();
            let there: Vec<usize> = numbers.filter(|&number| region.loops[number].location == *at).collect();
            let is_named = |number: &&usize| {
                let entry = &region.loops[**number];
                entry.variable.as_deref() == Some(name) || entry.id == name
            };
            if let [only] = there[..] { Some(only) } else { there.iter().find(is_named).copied() }
        };
        let threads = version.recipe.threads().iter();
        let threads = threads.map(|entry| number(&entry.name, &entry.location).ok_or_else(no_places));
        let threads = threads.collect::<Result<Vec<_>, _>>()?;
        // Loops are listed outer before inner.
        let mut at = threads.iter().copied().max();
        let mut path: Vec<usize> = Vec::new();
        while let Some(number) = at {
            path.insert(0, number);
            let entry = &region.loops[number];
            let outer = || entry.parent.as_ref().and_then(|id| region.loops.iter().position(|other| other.id == *id));
            at = if entry.kind == LoopKind::Sequential { outer() } else { None };
        }
        let fused = threads.iter().map(|number| path.iter().position(|at| at == number));
        let apart = || Objection::Program("the report's loops lie in different nests".into());
        let mut order = fused.collect::<Option<Vec<_>>>().ok_or_else(apart)?;
        order.extend((0..path.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
        let loops = path.into_iter().map(|number| Ok((&region.loops[number], place(&region.loops[number])?)));
        let path = loops.collect::<Result<Vec<_>, Objection>>()?;
        if path.is_empty() { Err(no_places()) } else { Ok(Request { region, version, path, order }) }
    }

    /// The file with the loops.
    pub fn file(&self) -> &'a str {
        &self.path[0].1.file
    }

    /// What is to be written, by names alone: as many loops as the shared one has counters are the directive's.
    pub(super) fn clause_by_names(&self) -> Clause {
        let names = |(entry, _): &(&Loop, _)| {
            let names = entry.variable.as_deref().unwrap_or(&entry.id);
            names.split(", ").map(str::to_owned).collect::<Vec<_>>()
        };
        let shared = self.path[0].0.variable.as_deref();
        Clause {
            taken: shared.map(|names| names.split(", ").count()),
            more: self.more(),
            order: self.order.iter().flat_map(|&at| names(&self.path[at])).collect(),
            is_interchange: self.reorders(),
            tile: self.version.recipe.sequential_tile().to_vec(),
        }
    }

    /// How many more loops the directive takes than it does.
    fn more(&self) -> usize {
        // Loops that a clause collapsed have a digit each.
        let shared = self.path[0].0.variable.as_deref().map_or(1, |names| names.split(", ").count());
        match self.version.recipe.sequential_tile() {
            [] => self.version.recipe.threads().len() - 1,
            tile => tile.len().saturating_sub(shared),
        }
    }

    fn reorders(&self) -> bool {
        !self.order.is_sorted()
    }

    /// The loops in the source, and the edits by which they are written in the better way.
    ///
    /// # Errors
    /// Where the source has another shape than the report says, or than can be changed safely.
    pub fn written<'s>(&self, source: &'s Source) -> Result<Written<'s>, Objection> {
        let first = self.first_loop(source)?;
        let directive = Directive::of_loop(source, first)?;
        let taken = directive.loops()?;
        if self.path.iter().any(|(_, at)| at.file != self.file()) {
            return Err(Objection::Program("its loops lie in several files".into()));
        }
        // Such as after the clause was written: the report is of the loops without it.
        let counters = self.path[0].0.variable.as_ref().map(|names| names.split(", ").count());
        if counters.is_some_and(|counters| counters < taken) {
            return Err(elsewhere(directive.line() as u32));
        }
        let nest = Nest::read(source, first, taken + self.path.len() - 1)?;
        self.compare(source, &nest, &directive, taken)?;
        let more = self.more();
        let order = self.order.iter().flat_map(|&at| if at == 0 { 0..taken } else { at + taken - 1..at + taken });
        let heads: Vec<&Head> = order.map(|at| &nest.heads[at]).collect();
        let count = taken + more;
        check_order(source, &heads)?;
        check_bounds(source, &heads, count)?;
        for head in heads[..count].iter().filter(|head| !head.declares) {
            if let Some(objection) = directive.objection_to(&head.variable) {
                return Err(Objection::Clause(objection));
            }
        }
        check_body(source, &nest, &heads[..count])?;
        let mut edits = if count > 1 { directive.collapse(count)? } else { Vec::new() };
        if self.reorders() {
            if taken > 1 {
                let line = directive.line();
                let text = format!("the directive in line {line} takes {taken} loops, which would change places");
                return Err(Objection::Program(text));
            }
            edits.extend(reorder(source, &nest, &self.order)?);
        }
        let order = heads.iter().map(|head| String::from_utf8_lossy(&head.variable).into_owned()).collect();
        let tile = self.version.recipe.sequential_tile().to_vec();
        let clause = Clause { taken: Some(taken), more, order, is_interchange: self.reorders(), tile };
        if !clause.tile.is_empty() {
            if clause.tile.len() != count {
                return Err(elsewhere(directive.line() as u32));
            }
            check_tiled(source, &heads[..count])?;
            edits.push(tile_directive(source, &nest, &clause)?);
        }
        Ok(Written { directive, clause, edits, nest })
    }

    /// The token `for` of the outermost loop.
    fn first_loop(&self, source: &Source) -> Result<usize, Objection> {
        for (_, at) in &self.path {
            let token = source.offset(at.line, at.column).and_then(|at| source.token_at(at));
            match token.map(|token| (source.tokens[token].kind, source.bytes(token))) {
                Some((_, b"for")) => {}
                Some((_, other @ (b"while" | b"do"))) => {
                    return Err(Objection::Clause(format!(
                        "line {} has a `{}` loop, and a collapse clause takes `for` loops alone",
                        at.line,
                        String::from_utf8_lossy(other)
                    )));
                }
                Some((Kind::Directive, _)) => {
                    return Err(Objection::Program(format!(
                        "line {} has a directive of its own for the loop behind it",
                        at.line
                    )));
                }
                _ => {
                    return Err(Objection::Program(format!(
                        "line {} has no `for` in column {}: a macro makes the loop, or the source has changed since the report",
                        at.line, at.column
                    )));
                }
            }
        }
        let accesses = self.region.accesses.iter().filter_map(|access| access.location.as_ref());
        for at in accesses.filter(|at| at.file == self.file() && at.column > 0) {
            if !source.offset(at.line, at.column).is_some_and(|at| source.begins_token(at)) {
                return Err(elsewhere(at.line));
            }
        }
        let (_, at) = self.path[0];
        let token = source.offset(at.line, at.column).and_then(|at| source.token_at(at));
        token.ok_or_else(|| elsewhere(at.line))
    }

    /// Whether the loops that the source has are those of the report; the first of these stands for all that the directive takes. A loop's name in
    /// the report may have more variables than count: it is what debug information leads to.
    fn compare(&self, source: &Source, nest: &Nest, directive: &Directive<'_>, taken: usize) -> Result<(), Objection> {
        for (position, (entry, at)) in self.path.iter().enumerate() {
            let heads = if position == 0 { &nest.heads[..taken] } else { &nest.heads[position + taken - 1..][..1] };
            if source.offset(at.line, at.column) != Some(heads[0].range.start) {
                return Err(elsewhere(directive.line() as u32));
            }
            let Some(names) = entry.variable.as_deref() else { continue };
            let missing = |head: &&Head| !names.split(", ").any(|name| name.as_bytes() == head.variable);
            if let Some(head) = heads.iter().find(missing) {
                return Err(Objection::Program(format!(
                    "the loop in line {} counts {}, and the report has one over {names} there: a macro makes it, or the report is of \
                     another source",
                    source.line(head.range.start),
                    String::from_utf8_lossy(&head.variable)
                )));
            }
        }
        Ok(())
    }
}

fn elsewhere(line: u32) -> Objection {
    Objection::Program(format!(
        "line {line} does not have what the report says of it: a macro or #line makes the code there, or the source has changed since \
         the report"
    ))
}

/// Whether a loop that goes outward goes by none that it is then around.
fn check_order(source: &Source, heads: &[&Head]) -> Result<(), Objection> {
    for (place, outer) in heads.iter().enumerate() {
        for inner in &heads[place + 1..] {
            if outer.tokens.clone().any(|token| source.bytes(token) == inner.variable) {
                let [inner, outer] = [inner, outer].map(|head| String::from_utf8_lossy(&head.variable).into_owned());
                return Err(Objection::Clause(format!(
                    "the loop over {outer} goes by {inner}, and would be around its loop"
                )));
            }
        }
    }
    Ok(())
}

/// Whether loops can be tiled: their bounds go by none of each other's counters, and each declares its own, as a tile's loops assign to it.
fn check_tiled(source: &Source, heads: &[&Head]) -> Result<(), Objection> {
    for head in heads {
        let line = source.line(head.range.start);
        if !head.declares {
            let name = String::from_utf8_lossy(&head.variable);
            let text = format!(
                "the counter {name} is declared outside of its loop in line {line}: threads would share it under a tile directive"
            );
            return Err(Objection::Clause(text));
        }
        let is_other =
            |at: usize| heads.iter().any(|other| other.range != head.range && other.variable == source.bytes(at));
        if head.tokens.clone().any(is_other) {
            return Err(Objection::Clause(format!(
                "the bounds in line {line} go by another counter, which a tile directive does not take"
            )));
        }
    }
    Ok(())
}

/// A directive of its own in the line before the loops.
fn tile_directive(source: &Source, nest: &Nest, clause: &Clause) -> Result<Edit, Objection> {
    let first = nest.heads[0].range.start;
    let line = source.line_range(first);
    let indent = &source.text[line.start..first];
    if !indent.iter().all(u8::is_ascii_whitespace) || source.text[..line.start].ends_with(b"\\\n") {
        return Err(Objection::Program(format!(
            "the loop in line {} does not begin its line, so that no directive is put before it",
            source.line(first)
        )));
    }
    let mut text = clause.tile_directive().into_bytes();
    text.push(b'\n');
    text.extend(indent);
    Ok(Edit { range: first..first, text })
}

/// Heads in other places, where nothing but them moves.
fn reorder(source: &Source, nest: &Nest, order: &[usize]) -> Result<Vec<Edit>, Objection> {
    let heads = &nest.heads;
    for head in heads {
        let line = source.line_range(head.range.start);
        let is_blank =
            |range: Range<usize>| source.text[range].iter().all(|&byte| byte.is_ascii_whitespace() || byte == b'{');
        let stands_alone = head.range.end <= line.end
            && source.text[line.start..head.range.start].iter().all(u8::is_ascii_whitespace)
            && is_blank(head.range.end..line.end);
        if !stands_alone {
            return Err(Objection::Program(format!(
                "the head of the loop in line {} is not alone in its line, so that loops are not put into another order",
                source.line(head.range.start)
            )));
        }
    }
    let between = heads[0].range.start..heads[heads.len() - 1].range.end;
    let is_there = |kind: &Kind| matches!(kind, Kind::Comment | Kind::Directive);
    if let Some(token) =
        source.tokens.iter().find(|token| is_there(&token.kind) && between.contains(&token.range.start))
    {
        return Err(Objection::Program(format!(
            "line {} would lose its place among loops in another order",
            source.line(token.range.start)
        )));
    }
    let moved = order.iter().enumerate().filter(|(place, at)| place != *at);
    Ok(moved
        .map(|(place, &at)| Edit {
            range: heads[place].range.clone(),
            text: source.text[heads[at].range.clone()].to_vec(),
        })
        .collect())
}

/// Whether bounds have the form that a clause takes: they go by one outer counter at most, and add to or multiply it.
fn check_bounds(source: &Source, heads: &[&Head], count: usize) -> Result<(), Objection> {
    for (place, head) in heads[..count].iter().enumerate() {
        let is_outer = |at: usize| heads[..place].iter().position(|outer| outer.variable == source.bytes(at));
        let mut used: Option<usize> = None;
        for (part, range) in head.parts.iter().enumerate() {
            let outer: Vec<usize> = range.clone().filter_map(is_outer).collect();
            let Some(&first) = outer.first() else { continue };
            let is_linear = |at: usize| match source.tokens[at].kind {
                Kind::Word | Kind::Number => true,
                _ => matches!(source.bytes(at), b"+" | b"-" | b"*" | b"=" | b"<" | b"<=" | b">" | b">=" | b"!="),
            };
            let is_one = outer.len() == 1 && used.is_none_or(|other| other == first) && part < 2;
            if !is_one || !range.clone().all(is_linear) {
                return Err(Objection::Clause(format!(
                    "the bounds in line {} go by outer counters in another form than a collapse clause takes",
                    source.line(head.range.start)
                )));
            }
            used = Some(first);
        }
    }
    Ok(())
}

/// Whether counters stay what the heads make them.
fn check_body(source: &Source, nest: &Nest, heads: &[&Head]) -> Result<(), Objection> {
    let changes = |at: usize| {
        let next = source.bytes(source.skip_comments(at + 1));
        let before = source.before(at).map_or(&b""[..], |at| source.bytes(at));
        let assigns = next.ends_with(b"=") && !matches!(next, b"==" | b"<=" | b">=" | b"!=");
        let takes_address = || {
            let operand =
                source.before(at).and_then(|at| source.before(at)).map(|at| (source.tokens[at].kind, source.bytes(at)));
            before == b"&" && operand.is_none_or(|(kind, text)| kind == Kind::Sign && !matches!(text, b")" | b"]"))
        };
        assigns || matches!(next, b"++" | b"--") || matches!(before, b"++" | b"--") || takes_address()
    };
    for at in nest.body.clone().filter(|&at| source.tokens[at].kind == Kind::Word) {
        if let Some(head) = heads.iter().find(|head| head.variable == source.bytes(at) && changes(at)) {
            let name = String::from_utf8_lossy(&head.variable);
            let line = source.line(source.tokens[at].range.start);
            return Err(Objection::Clause(format!("line {line} may change the counter {name}")));
        }
    }
    Ok(())
}

/// Says of each version of a report that has a clause what it is, as its source shows that. Where no clause does it, because a statement stands
/// between the loops, there is none.
pub fn report_clauses(report: &mut Report) {
    let mut sources: BTreeMap<String, Option<Source>> = BTreeMap::new();
    for region in &mut report.regions {
        let Some(mut reported) = region.transformation.take() else { continue };
        for version in reported.versions.iter_mut().filter(|version| version.clause.is_some()) {
            version.clause = clause(region, version, &mut sources).map(|clause| clause.advice());
        }
        region.transformation = Some(reported);
    }
}

fn clause(region: &Region, version: &DeviceVersion, sources: &mut BTreeMap<String, Option<Source>>) -> Option<Clause> {
    let Ok(request) = Request::of(region, version) else { return Some(Clause::of_recipe(&version.recipe)) };
    let read = |file: &str| Some(Source::new(files::read(Path::new(file), MAX_BYTES).ok()?));
    let source = sources.entry(request.file().to_owned()).or_insert_with_key(|file| read(file));
    match source.as_ref().map(|source| request.written(source)) {
        Some(Ok(Written { clause, .. })) => Some(clause),
        Some(Err(Objection::Clause(_))) => None,
        Some(Err(Objection::Program(_))) | None => Some(request.clause_by_names()),
    }
}
