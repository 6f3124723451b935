//! Text of a page. What stands in a page's own code goes in as it is; everything else, all that reports and sources say, is escaped.

use ipda_symbolic::in_words;
use std::fmt::{self, Display, Write};

/// A piece of a page.
///
/// Invariant: markup comes from literals of this program alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Html(String);

impl Html {
    /// Adds the program's own markup.
    pub fn raw(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Adds text, which shows as it is, in an element as in an attribute's quotes.
    pub fn text(&mut self, text: impl Display) {
        let text = in_words(&text.to_string());
        write!(Escaper(&mut self.0), "{text}").expect("a string takes all text");
    }

    /// Adds a piece.
    pub fn append(&mut self, piece: &Html) {
        self.0.push_str(&piece.0);
    }

    /// The text of the page.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Adds to a page: literals as they are, what is in parentheses escaped, pieces in braces.
macro_rules! html {
    ($out:expr $(,)?) => {};
    ($out:expr, $own:literal $($rest:tt)*) => {{ $out.raw($own); html!($out, $($rest)*); }};
    ($out:expr, ($text:expr) $($rest:tt)*) => {{ $out.text(&$text); html!($out, $($rest)*); }};
    ($out:expr, {$piece:expr} $($rest:tt)*) => {{ $out.append(&$piece); html!($out, $($rest)*); }};
}
pub(super) use html;

struct Escaper<'a>(&'a mut String);

impl Write for Escaper<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                // They change the order in which text shows: a source could look like another.
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(self.0, "\u{27e6}U+{:04X}\u{27e7}", u32::from(c))?;
                }
                '\t' | '\n' => self.0.push(c),
                c if c.is_control() => self.0.push(char::REPLACEMENT_CHARACTER),
                c => self.0.push(c),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_markup_is_not() {
        let mut page = Html::default();
        let mut bold = Html::default();
        html!(bold, "<b>" (1 + 1) "</b>");
        html!(page, "<p title=\"" ("\"'") "\">" ("<script>&\0\u{202e}") {bold} "</p>");
        let expected = "<p title=\"&quot;&#39;\">&lt;script&gt;&amp;\u{fffd}\u{27e6}U+202E\u{27e7}<b>2</b></p>";
        assert_eq!(page.as_str(), expected);
    }
}
