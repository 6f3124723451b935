//! From what a report says of a region's loops to edits of its source, or to a sentence why there are none.

use std::ops::Range;

use ipda_models::report::{Location, Loop, LoopKind, Region};
use ipda_models::sizes::Sizes;
use ipda_models::versions::{DeviceVersion, GuardCondition};

use crate::view::is_for_threads;

use super::Edit;
use super::directive::Directive;
use super::guard;
use super::nest::{Head, Nest};
use super::rests::{self, Scope, Trust};
use super::source::{Kind, Source};

/// A region whose loops run better in another way, and how that is written.
pub struct Wish<'a> {
    region: &'a Region,
    told: &'a DeviceVersion,
    /// From the loop that threads share to the innermost that is fused, as written.
    path: Vec<(&'a Loop, &'a Location)>,
    /// The positions of these in the better order, the fused ones first.
    order: Vec<usize>,
}

/// Edits that belong together.
#[derive(Debug, PartialEq)]
pub struct Change {
    /// The line of the directive.
    pub line: usize,
    /// What it is and what it rests on, in words.
    pub text: String,
    pub edits: Vec<Edit>,
}

impl<'a> Wish<'a> {
    /// What a region's report asks for, of each of its shared loops; nothing where they are best as they are, or have to stay.
    pub fn all(region: &'a Region) -> Vec<Result<Wish<'a>, String>> {
        let mut all: Vec<&DeviceVersion> = Vec::new();
        for version in region.transformation.iter().flat_map(|told| &told.versions) {
            let is_first = !all.iter().any(|other| other.is_of_nest_of(version));
            if version.is_right() && version.recipe.threads().len() > 1 && is_first {
                all.push(version);
            }
        }
        all.into_iter().map(|told| Wish::read(region, told)).collect()
    }

    fn read(region: &'a Region, told: &'a DeviceVersion) -> Result<Wish<'a>, String> {
        const NO_PLACES: &str = "the report does not say where its loops are: compile with -g or -gline-tables-only";
        let place = |entry: &'a Loop| entry.location.as_ref().filter(|at| at.column > 0).ok_or(NO_PLACES);
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
        let threads = told.recipe.threads().iter().map(|entry| number(&entry.name, &entry.location).ok_or(NO_PLACES));
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
        let mut order = fused.collect::<Option<Vec<_>>>().ok_or("the report's loops lie in different nests")?;
        order.extend((0..path.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
        let loops = path.into_iter().map(|number| Ok((&region.loops[number], place(&region.loops[number])?)));
        Ok(Wish { region, told, path: loops.collect::<Result<_, &str>>()?, order })
    }

    /// The file with the loops.
    pub fn file(&self) -> &'a str {
        &self.path[0].1.file
    }

    fn reorders(&self) -> bool {
        !self.order.is_sorted()
    }

    /// The edits of the source.
    ///
    /// # Errors
    /// A sentence where the source has another shape than the report says, or than can be changed safely.
    pub fn change(&self, source: &Source, trust: Trust) -> Result<Change, String> {
        let first = self.first_loop(source)?;
        let directive = Directive::of_loop(source, first)?;
        let taken = directive.loops()?;
        if self.path.iter().any(|(_, at)| at.file != self.file()) {
            return Err("its loops lie in several files".into());
        }
        let known = self.counters(0, &directive, taken);
        if known.is_some_and(|known| known.len() != taken) {
            return Err(changed(directive.line() as u32));
        }
        let nest = Nest::read(source, first, taken + self.path.len() - 1)?;
        self.compare(source, &nest, &directive, taken)?;
        let count = taken + self.told.recipe.threads().len() - 1;
        let mut edits = Vec::new();
        let heads: Vec<&Head> = if self.reorders() {
            if taken > 1 {
                return Err(format!(
                    "the directive in line {} takes {taken} loops, which would change places",
                    directive.line()
                ));
            }
            edits = reorder(source, &nest, &self.order)?;
            self.order.iter().map(|&at| &nest.heads[at]).collect()
        } else {
            nest.heads.iter().collect()
        };
        check_bounds(source, &heads, count)?;
        for head in heads[..count].iter().filter(|head| !head.declares) {
            if let Some(objection) = directive.objection_to(&head.variable) {
                return Err(objection);
            }
        }
        check_body(source, &nest, &heads[..count])?;
        edits.extend(directive.collapse(count)?);
        let conditions = rests::conditions(self.region, self.told);
        let rests = self.rest((source, &directive, &nest), &conditions, trust, &mut edits)?;
        let text = format!("{}{rests}", self.words(&heads, count));
        Ok(Change { line: directive.line(), text, edits })
    }

    /// Adds to the edits what is done about conditions; what is told of that.
    fn rest(
        &self,
        (source, directive, nest): (&Source, &Directive<'_>, &Nest),
        conditions: &[GuardCondition],
        trust: Trust,
        edits: &mut Vec<Edit>,
    ) -> Result<String, String> {
        if conditions.is_empty() {
            return Ok(String::new());
        }
        let words = rests::words(conditions);
        match trust {
            Trust::Proven => Err(format!(
                "the changed loops are right only where {words}; --guard writes them under an `if` that tests it, --assume without"
            )),
            Trust::Assumed => {
                edits.push(guard::comment(source, directive, &rests::comment(conditions)?));
                Ok(format!("; right only where {words}, which nothing tests"))
            }
            Trust::Guarded => {
                let token = source.token_at(directive.start()).ok_or_else(|| changed(directive.line() as u32))?;
                let scope = Scope { region: self.region, source, directive: token };
                let tests = scope.tests(conditions)?;
                edits.extend(guard::both(source, directive, nest, &tests)?);
                Ok(format!("; under an `if` that tests that {words}"))
            }
        }
    }

    /// The token `for` of the outermost loop.
    fn first_loop(&self, source: &Source) -> Result<usize, String> {
        for (_, at) in &self.path {
            let token = source.offset(at.line, at.column).and_then(|at| source.token_at(at));
            if token.is_none_or(|token| source.bytes(token) != b"for") {
                return Err(format!(
                    "line {} has no `for` in column {}: a macro makes the loop, or the source has changed since the report",
                    at.line, at.column
                ));
            }
        }
        let accesses = self.region.accesses.iter().filter_map(|access| access.location.as_ref());
        for at in accesses.filter(|at| at.file == self.file() && at.column > 0) {
            if !source.offset(at.line, at.column).is_some_and(|at| source.begins_token(at)) {
                return Err(changed(at.line));
            }
        }
        let (_, at) = self.path[0];
        let token = source.offset(at.line, at.column).and_then(|at| source.token_at(at));
        token.ok_or_else(|| changed(at.line))
    }

    /// The counters of a loop of the path, the first of which stands for all that the directive takes.
    fn counters(&self, position: usize, directive: &Directive<'_>, taken: usize) -> Option<Vec<&'a str>> {
        let mut names: Vec<&str> = self.path[position].0.variable.as_ref()?.split(", ").collect();
        // Of a loop that a clause made of several, the report also lists a reduction's variables, which cannot be counters.
        if position == 0 && names.len() > taken {
            names.retain(|name| directive.objection_to(name.as_bytes()).is_none());
        }
        Some(names)
    }

    /// Whether the loops that the source has are those of the report; the first of these stands for all that the directive takes.
    fn compare(&self, source: &Source, nest: &Nest, directive: &Directive<'_>, taken: usize) -> Result<(), String> {
        for (position, (_, at)) in self.path.iter().enumerate() {
            let heads = if position == 0 { &nest.heads[..taken] } else { &nest.heads[position + taken - 1..][..1] };
            if source.offset(at.line, at.column) != Some(heads[0].range.start) {
                return Err(changed(at.line));
            }
            let Some(names) = self.counters(position, directive, taken) else { continue };
            let written =
                heads.iter().map(|head| String::from_utf8_lossy(&head.variable).into_owned()).collect::<Vec<_>>();
            if names != written {
                return Err(changed(at.line));
            }
        }
        Ok(())
    }

    fn words(&self, heads: &[&Head], count: usize) -> String {
        let names = |heads: &[&Head]| {
            let names = heads.iter().map(|head| String::from_utf8_lossy(&head.variable));
            names.collect::<Vec<_>>().join(", ")
        };
        let mut text = format!("collapse({count}) over {}", names(&heads[..count]));
        if self.reorders() {
            text = format!("loops in the order {}, {text}", names(heads));
        }
        if let Some(gain) = &self.told.gain {
            let per = gain.per_iteration_of.as_deref().map(|name| with_names(self.region, name));
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

fn changed(line: u32) -> String {
    format!("line {line} is not what the report was made of: the source has changed; compile it again")
}

/// Heads in other places, where nothing but them moves.
fn reorder(source: &Source, nest: &Nest, order: &[usize]) -> Result<Vec<Edit>, String> {
    let heads = &nest.heads;
    for head in heads {
        let line = source.line_range(head.range.start);
        let is_blank =
            |range: Range<usize>| source.text[range].iter().all(|&byte| byte.is_ascii_whitespace() || byte == b'{');
        let stands_alone = head.range.end <= line.end
            && source.text[line.start..head.range.start].iter().all(u8::is_ascii_whitespace)
            && is_blank(head.range.end..line.end);
        if !stands_alone {
            return Err(format!(
                "the head of the loop in line {} is not alone in its line, so that loops are not put into another order",
                source.line(head.range.start)
            ));
        }
    }
    let between = heads[0].range.start..heads[heads.len() - 1].range.end;
    let is_there = |kind: &Kind| matches!(kind, Kind::Comment | Kind::Directive);
    if let Some(token) =
        source.tokens.iter().find(|token| is_there(&token.kind) && between.contains(&token.range.start))
    {
        return Err(format!(
            "line {} would lose its place among loops in another order",
            source.line(token.range.start)
        ));
    }
    for (place, &at) in order.iter().enumerate() {
        for &later in &order[place + 1..] {
            if heads[at].tokens.clone().any(|token| source.bytes(token) == heads[later].variable) {
                let [inner, outer] =
                    [&heads[later], &heads[at]].map(|head| String::from_utf8_lossy(&head.variable).into_owned());
                return Err(format!("the loop over {outer} goes by {inner}, and would be around its loop"));
            }
        }
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
fn check_bounds(source: &Source, heads: &[&Head], count: usize) -> Result<(), String> {
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
                return Err(format!(
                    "the bounds in line {} go by outer counters in another form than a collapse clause takes",
                    source.line(head.range.start)
                ));
            }
            used = Some(first);
        }
    }
    Ok(())
}

/// Whether counters stay what the heads make them.
fn check_body(source: &Source, nest: &Nest, heads: &[&Head]) -> Result<(), String> {
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
            return Err(format!("line {} may change the counter {name}", source.line(source.tokens[at].range.start)));
        }
    }
    Ok(())
}
