//! What all pages have around what they say.

use maud::{Markup, PreEscaped, html};

use super::markup::said;

/// What tells pages from other files.
pub const BEGINNING: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"ipda report\">";

/// What a page may load: nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A whole page.
pub fn frame(title: &str, body: Markup) -> Markup {
    html! {
        (PreEscaped("<!DOCTYPE html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content="ipda report";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (said(title)) " \u{2013} ipda" }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                (body)
                div #tip aria-hidden="true" {}
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    }
}

/// The button that chooses between light and dark; it needs the script.
pub fn theme_switch() -> Markup {
    html! { button #theme type="button" { "Colours: as the system" } }
}

/// Where rows are filtered.
pub fn filter() -> Markup {
    html! { label { "Only rows with " input #filter type="search" autocomplete="off"; } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_as_they_are_known() {
        let page = frame("a<b", html! { p { "x" } }).into_string();
        assert!(page.starts_with(BEGINNING) && page.contains("<title>a&lt;b \u{2013} ipda</title>"));
    }
}
