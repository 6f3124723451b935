//! The look of what is printed for people, as a command line says it.

use std::io::{self, IsTerminal};

use clap::ColorChoice;

use crate::document::terminal::{Page, Paint};

/// Width where the output is not a terminal.
const DEFAULT_WIDTH: u16 = 120;
/// Terminals that say less than this do not know: some say 0.
const NARROWEST_TERMINAL: u16 = 20;

/// The look of the output for people.
#[derive(clap::Args)]
pub struct Look {
    #[command(flatten)]
    width: Width,
    /// Whether to use colour.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

/// How wide the output for people is.
#[derive(clap::Args)]
pub struct Width {
    /// Width of the output in columns [default: that of the terminal; without one COLUMNS, or 120].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    width: Option<u16>,
}

/// Whether to use colour on standard output.
fn has_colour(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// The width where the user names none: that of the terminal, unless it does not know its own; in a pipe that of `COLUMNS`.
fn width_on(terminal: Option<u16>, columns: Option<&str>) -> u16 {
    let named = || columns.and_then(|columns| columns.trim().parse().ok());
    let is_usable = |width: &u16| *width >= NARROWEST_TERMINAL;
    terminal.filter(is_usable).or_else(|| named().filter(is_usable)).unwrap_or(DEFAULT_WIDTH)
}

impl Width {
    /// In columns.
    pub fn columns(&self) -> usize {
        self.width
            .unwrap_or_else(|| width_on(comfy_table::Table::new().width(), std::env::var("COLUMNS").ok().as_deref()))
            .into()
    }
}

impl Look {
    /// The page that a document is set on.
    pub fn page(&self) -> Page {
        let paint = if has_colour(self.color) { Paint::Ansi } else { Paint::None };
        Page { width: self.width.columns(), paint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_does_not_know_its_width_has_the_usual_one() {
        let widths = [None, Some(0), Some(19), Some(20), Some(200)].map(|terminal| width_on(terminal, None));
        assert_eq!(widths, [120, 120, 120, 20, 200]);
    }

    #[test]
    fn a_pipe_is_as_wide_as_the_environment_says() {
        let widths = ["80", " 90 ", "0", "wide", ""].map(|columns| width_on(None, Some(columns)));
        assert_eq!(widths, [80, 90, 120, 120, 120]);
        assert_eq!(width_on(Some(100), Some("80")), 100);
    }
}
