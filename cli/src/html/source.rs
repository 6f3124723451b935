//! The user's source with its marks.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ipda_models::files::read;
use ipda_models::report::{Report, SourceState};
use ipda_models::source::{Kind, Source, Token};
use maud::{Markup, html};

use super::entries::{Entries, Entry, Thing, files};
use super::markup::said;
use super::words::{headline, mark, percent};
use crate::words::percent_text;

/// A longer file is shown around its marks only.
const MAX_WHOLE_LINES: usize = 2000;
/// Lines around a mark, where not the whole file is shown.
const AROUND: usize = 8;
/// A file that is larger is hardly a source.
const MAX_BYTES: u64 = 16 << 20;

/// Where sources are looked for, and where they may be: pages are given to others, and a report may name any file of this machine.
#[derive(Debug)]
pub struct Roots {
    /// Folders that the user names, besides the places that the reports name.
    named: Vec<PathBuf>,
    /// Files are under one of these folders, which are no links.
    within: Vec<PathBuf>,
    /// Files that are elsewhere.
    left_out: RefCell<BTreeSet<String>>,
}

/// What became of a file that a report names.
enum Found {
    Text(Vec<u8>),
    /// It is under none of the folders.
    Outside,
    Missing,
}

impl Roots {
    /// The folders that the user names, those of the reports, and the working directory.
    pub fn new(named: &[PathBuf], reports: &[PathBuf]) -> Roots {
        let folder = |path: &PathBuf| {
            let folder = if path.is_dir() { Some(&**path) } else { path.parent() };
            // The parent of a name alone has no name.
            folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
        };
        let all = reports.iter().map(folder).chain(named.iter().cloned()).chain([PathBuf::from(".")]);
        // A folder that is not there holds nothing.
        let within: BTreeSet<PathBuf> = all.filter_map(|folder| fs::canonicalize(folder).ok()).collect();
        Roots { named: named.to_owned(), within: within.into_iter().collect(), left_out: RefCell::default() }
    }

    /// The files that were left out because of where they are, by the names that reports have for them.
    pub fn left_out(&self) -> Vec<String> {
        self.left_out.borrow().iter().cloned().collect()
    }

    /// A file that a report names.
    fn read(&self, file: &str) -> Found {
        let candidates = std::iter::once(PathBuf::from(file)).chain(self.named.iter().flat_map(|root| {
            let name = Path::new(file).file_name().map(PathBuf::from).unwrap_or_default();
            [root.join(file), root.join(name)]
        }));
        let mut found = Found::Missing;
        for path in candidates.filter_map(|path| fs::canonicalize(path).ok()).filter(|path| path.is_file()) {
            if !self.within.iter().any(|folder| path.starts_with(folder)) {
                found = Found::Outside;
            } else if let Ok(bytes) = read(&path, MAX_BYTES) {
                return Found::Text(bytes);
            }
        }
        if let Found::Outside = found {
            self.left_out.borrow_mut().insert(file.to_owned());
        }
        found
    }
}

/// A section for each file with entries. Lines have the anchors `f0l12`: file 0, line 12.
pub fn sections(entries: &Entries, roots: &Roots) -> Markup {
    html! {
        @for (number, file) in (entries.before.files..).zip(files(entries)) {
            section.file {
                h2 { "Source: " span.path { (said(file)) } }
                @match roots.read(file) {
                    Found::Text(bytes) => { (of_text(&bytes, number, file, entries)) }
                    Found::Outside => {
                        p.note {
                            "The file is outside of the folders whose files pages may hold, so its lines are not shown; the tables \
                             name every place. Pages hold files under the working directory, under the folders of the reports, and \
                             under those named with "
                            code { "--source" } "."
                        }
                    }
                    Found::Missing => {
                        p.note {
                            "The file is not at hand, so its lines are not shown; the tables name every place. Start "
                            code { "ipda report --html" }
                            " in the folder in which the compiler ran, or name a folder with " code { "--source" } "."
                        }
                    }
                }
            }
        }
    }
}

fn of_text(bytes: &[u8], number: usize, file: &str, entries: &Entries) -> Markup {
    let marked: Vec<(usize, &Entry)> = (entries.before.entries..)
        .zip(&entries.all)
        .filter(|(_, entry)| entry.location.is_some_and(|at| at.file == file && at.line > 0))
        .collect();
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let page = Listing::new(&text, &marked, entries.report);
    html! {
        @if is_changed(entries.report.state_of(file, bytes), &lines, &marked) {
            p class="note warn" {
                "This file has changed since it was compiled: lines and marks may not fit together. Compile it again."
            }
        }
        (listing(number, &lines, &marked, max_whole(file, entries), &page))
    }
}

fn line_of(entry: &Entry) -> usize {
    entry.location.map_or(0, |at| at.line as usize)
}

/// Whether a file is surely not what was compiled: where the report does not say, because it has fewer lines.
fn is_changed(state: SourceState, lines: &[String], marked: &[(usize, &Entry)]) -> bool {
    match state {
        SourceState::Same => false,
        SourceState::Changed => true,
        SourceState::Unknown => marked.iter().any(|(_, entry)| line_of(entry) > lines.len()),
    }
}

/// How many lines of a file are shown without a gap: of one that the source includes, none.
fn max_whole(file: &str, entries: &Entries) -> usize {
    if file == entries.report.source { MAX_WHOLE_LINES } else { 0 }
}

fn listing(file: usize, lines: &[String], marked: &[(usize, &Entry)], max_whole: usize, page: &Listing<'_>) -> Markup {
    let whole = lines.len() <= max_whole;
    let shown: BTreeSet<usize> = match whole {
        true => (1..=lines.len()).collect(),
        false => marked
            .iter()
            .flat_map(|(_, entry)| line_of(entry).saturating_sub(AROUND).max(1)..=line_of(entry) + AROUND)
            .filter(|line| *line <= lines.len())
            .collect(),
    };
    let last = shown.last().copied().unwrap_or(0);
    let before = std::iter::once(0).chain(shown.iter().copied());
    html! {
        div.src {
            @for (line, before) in shown.iter().copied().zip(before) {
                @if line != before + 1 { (left_out(line - before - 1)) }
                @let start = marked.partition_point(|(_, entry)| line_of(entry) < line);
                @let end = marked.partition_point(|(_, entry)| line_of(entry) <= line);
                (row(file, line, &lines[line - 1], &marked[start..end], page))
            }
            @if !whole && last < lines.len() { (left_out(lines.len() - last)) }
        }
    }
}

fn left_out(count: usize) -> Markup {
    let noun = if count == 1 { "line" } else { "lines" };
    html! { p.gap { (count) " " (noun) " without marks" } }
}

fn row(file: usize, line: usize, text: &str, entries: &[(usize, &Entry)], page: &Listing<'_>) -> Markup {
    let marked = if entries.is_empty() { "l" } else { "l has" };
    let excess: f64 = entries.iter().map(|(_, entry)| entry.excess()).sum();
    // One mark a line: that of what costs most, with how many others there are.
    let first = entries.iter().min_by_key(|(_, entry)| entry.urgency());
    html! {
        div class=(marked) id={ "f" (file) "l" (line) } {
            span.g {
                @if excess > 0.0 && page.excess > 0.0 {
                    @let part = percent(excess, page.excess);
                    span.heat title={ (percent_text(part)) " % of the waste in this file" }
                        style={ "--w:" (part.round()) "%" } {}
                }
                @if let Some((number, entry)) = first {
                    @let more = entries.len() > 1;
                    @let mark = mark(entry);
                    @let others = if more { format!(", and {} more in this line", entries.len() - 1) } else { String::new() };
                    a class={ "m " (mark.class) } href={ "#e" (number) } aria-label={ (said(headline(entry, page.report))) (others) } {
                        (mark.sign)
                        @if more { small data-n=(entries.len()) {} }
                    }
                }
            }
            span.n { (line) }
            code { (marked_text(line, text, entries, page)) }
        }
    }
}

/// A line with links to what is said of its words.
fn marked_text(line: usize, text: &str, entries: &[(usize, &Entry)], page: &Listing<'_>) -> Markup {
    let mut done = 0;
    html! {
        @for (number, entry) in entries.iter().filter(|(_, entry)| !matches!(entry.thing, Thing::Region(_))) {
            @let column = entry.location.map_or(0, |at| at.column as usize);
            @if let Some((start, end)) = token(text, column).filter(|(start, _)| *start >= done) {
                (page.coloured(line, text, done..start))
                // The gutter has the link for keyboards; this one is for the pointer.
                a class={ "t " (mark(entry).class) } tabindex="-1" href={ "#e" (number) } { (said(&text[start..end])) }
                @let () = done = end;
            }
        }
        (page.coloured(line, text, done..text.len()))
    }
}

/// What the lines of a file have in common.
struct Listing<'a> {
    /// Pieces of the whole file that have a colour, in their order.
    pieces: Vec<(Range<usize>, &'static str)>,
    /// Where each line begins.
    lines: Vec<usize>,
    /// What the file's accesses move in vain.
    excess: f64,
    /// Keeps the file.
    text: &'a str,
    report: &'a Report,
}

impl<'a> Listing<'a> {
    fn new(text: &'a str, marked: &[(usize, &Entry)], report: &'a Report) -> Listing<'a> {
        let source = Source::new(text.as_bytes().to_vec());
        let style = |token: &Token| {
            Some(match token.kind {
                Kind::Comment => "sc",
                Kind::Text => "ss",
                Kind::Number => "sn",
                Kind::Directive => "sd",
                Kind::Word if KEYWORDS.split(' ').any(|word| word == &text[token.range.clone()]) => "sk",
                Kind::Word | Kind::Sign => return None,
            })
        };
        let pieces = source.tokens.iter().filter_map(|token| Some((token.range.clone(), style(token)?)));
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let excess = marked.iter().map(|(_, entry)| entry.excess()).sum();
        Listing { pieces: pieces.collect(), lines: lines.collect(), excess, text, report }
    }

    /// A part of a line with its colours.
    fn coloured(&self, line: usize, text: &str, part: Range<usize>) -> Markup {
        let begin = self.lines.get(line - 1).copied().unwrap_or(0);
        debug_assert!(self.text[begin..].starts_with(text));
        let mut done = part.start;
        let first = self.pieces.partition_point(|(range, _)| range.end <= begin + part.start);
        let pieces = self.pieces[first..].iter().take_while(|(range, _)| range.start < begin + part.end);
        html! {
            @for (range, style) in pieces {
                @let start = range.start.saturating_sub(begin).max(done);
                @let end = range.end.saturating_sub(begin).min(part.end);
                @if let (Some(before), Some(piece)) = (text.get(done..start), text.get(start..end)) {
                    (said(before)) span class=(style) { (said(piece)) }
                    @let () = done = end;
                }
            }
            (said(text.get(done..part.end).unwrap_or_default()))
        }
    }
}

/// Keywords of C and C++ that loops and functions are made of.
const KEYWORDS: &str = "\
    auto bool break case char class const constexpr continue default do double else enum extern false float for \
    goto if inline int long namespace nullptr operator public restrict return short signed sizeof static struct \
    switch template true typedef typename union unsigned using void while";

/// The word, or the operator, at a column, which counts bytes from 1.
fn token(line: &str, column: usize) -> Option<(usize, usize)> {
    let start = column.checked_sub(1)?;
    let rest = line.get(start..)?;
    let first = rest.chars().next().filter(|first| !first.is_whitespace())?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_operator = |c: char| "=+-*/%&|^<>!".contains(c);
    let end = if is_word(first) {
        rest.find(|c| !is_word(c))
    } else if is_operator(first) {
        rest.find(|c| !is_operator(c))
    } else {
        Some(first.len_utf8())
    };
    Some((start, start + end.unwrap_or(rest.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_operators_or_one_character() {
        let at = |line: &'static str, column| token(line, column).map(|(start, end)| &line[start..end]);
        assert_eq!(at("  C[i] *= beta;", 3), Some("C"));
        assert_eq!(at("  C[i] *= beta;", 8), Some("*="));
        assert_eq!(at("x = y[3]", 6), Some("["));
        assert_eq!(at("\u{e4}x", 2), None);
        assert_eq!(at("x", 0), None);
        assert_eq!(at("x", 9), None);
    }
}
