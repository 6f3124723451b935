//! What the markup of pages is made of. Tags are `maud`'s, which closes what it opens and escapes each text.

use std::fmt::{Display, Write};

use ipda_symbolic::in_words;
use maud::{Escaper, Markup, Render, html};

use crate::document::{Column, Table};
use crate::terminal::is_hidden;

/// What a report says, with loads as people write them.
pub fn said(text: impl Display) -> impl Render {
    struct Said(String);
    impl Render for Said {
        fn render_to(&self, page: &mut String) {
            write!(Escaper::new(page), "{}", self.0).expect("a string takes all text");
        }
    }
    Said(in_words(&text.to_string()))
}

/// The text of a page, in which no character does something else than to stand there: a source could look like another.
pub fn text_of(page: Markup) -> String {
    let page = page.into_string();
    if !page.contains(|c| is_hidden(c) && c != '\n' && c != '\t') {
        return page;
    }
    let mut text = String::with_capacity(page.len());
    for c in page.chars() {
        match c {
            '\n' | '\t' => text.push(c),
            c if c.is_control() => text.push(char::REPLACEMENT_CHARACTER),
            c if is_hidden(c) => _ = write!(text, "\u{27e6}U+{:04X}\u{27e7}", u32::from(c)),
            c => text.push(c),
        }
    }
    text
}

/// The title row of a table.
pub fn titles<'a>(names: impl IntoIterator<Item = &'a str>) -> Markup {
    html! {
        tr { @for name in names { th scope="col" { (said(name)) } } }
    }
}

/// A table of a document, whose first column names the rows.
pub fn table(table: &Table) -> Markup {
    html! {
        table {
            (titles(table.columns.iter().map(Column::title)))
            @for row in &table.rows {
                tr {
                    @for (nth, (cell, column)) in row.cells.iter().zip(&table.columns).enumerate() {
                        @if nth == 0 {
                            th scope="row" { (said(cell)) }
                        } @else {
                            td class=[column.is_number().then_some("num")] { (said(cell)) }
                        }
                    }
                }
            }
        }
    }
}

/// A term and what it is.
pub fn row(term: &str, text: impl Display) -> Markup {
    html! { dt { (term) } dd { (said(text)) } }
}

/// A list to open, or nothing where it is empty.
pub fn list(summary: &str, sentences: &[String]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            details {
                summary { (summary) }
                ol { @for sentence in sentences { li { (said(sentence)) } } }
            }
        }
    }
}

/// A length of a bar, in percent.
pub fn percent_wide(percent: f64) -> String {
    format!("width:{}%", percent.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_no_markup() {
        let page = html! { p title=(said("\"'")) { (said("<script>&load4([p] + 8)")) "\0\u{202e}" b { (1 + 1) } } };
        let expected = "<p title=\"&quot;'\">&lt;script&gt;&amp;p[2]\u{fffd}\u{27e6}U+202E\u{27e7}<b>2</b></p>";
        assert_eq!(text_of(page), expected);
    }
}
