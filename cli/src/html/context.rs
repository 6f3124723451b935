//! What the parts of a page share.

use ipda_models::report::{Location, Reject, Report};
use maud::{Markup, html};

use super::entries::{Entries, files};
use super::markup::said;
use super::picture::Pictures;
use super::times::Predictions;
use super::words::region_name;
use crate::select::values::Values;

/// What the entries of a page share.
pub struct Context<'a> {
    /// All entries.
    pub entries: &'a Entries<'a>,
    /// The files with lines.
    pub files: Vec<&'a str>,
    /// The drawings.
    pub pictures: Pictures,
    /// Times.
    pub predictions: Predictions,
    /// Sizes.
    pub values: Values,
}

impl<'a> Context<'a> {
    /// For the entries of a report, with the drawings that the page has by now.
    pub fn new(entries: &'a Entries<'a>, predictions: Predictions, pictures: Pictures, values: &Values) -> Context<'a> {
        Context { entries, files: files(entries), pictures, predictions, values: values.afresh() }
    }

    /// The report.
    pub fn report(&self) -> &'a Report {
        self.entries.report
    }

    /// A place as a link to its line.
    pub fn place(&self, location: &Location) -> Markup {
        let file = self.files.iter().position(|file| *file == location.file).filter(|_| location.line > 0);
        html! {
            @match file {
                Some(file) => {
                    a.at href={ "#f" (self.entries.before.files + file) "l" (location.line) } { (said(location)) }
                }
                None => { (said(location)) }
            }
        }
    }

    /// A region as a link to its entry.
    pub fn region(&self, nth: usize) -> Markup {
        let name = region_name(&self.report().regions[nth]);
        html! {
            @match self.entries.of_region(nth) {
                Some(entry) => { a href={ "#e" (self.entries.anchor(entry)) } { (said(name)) } }
                None => { (said(name)) }
            }
        }
    }

    /// What was not understood, as items of a list.
    pub fn rejects(&self, rejects: &[Reject]) -> Markup {
        html! {
            @for reject in rejects {
                li {
                    (said(&reject.reason)) " " code { (reject.name) }
                    @if let Some(location) = &reject.location { " " (self.place(location)) }
                }
            }
        }
    }
}
