//! The page that lists all others.

use ipda_models::report::{Report, Side};
use maud::{Markup, html};

use super::frame::{filter, frame, theme_switch};
use super::markup::{percent_wide, said, titles};
use super::words::sentence_case;
use crate::action::{Action, State};
use crate::select::totals::Totals;
use crate::words::{counted, grouped, percent_text};

/// What the index says of a page.
pub struct Summary {
    source: String,
    compilation: String,
    totals: Totals,
    rejects: u64,
    /// The functions, for the filter.
    functions: Vec<String>,
    /// What is to do, and how often the plugin has done it.
    todo: Option<String>,
    open: usize,
    done: usize,
}

impl Summary {
    /// Of a report whose regions have these sums.
    pub fn of(report: &Report, totals: Totals, actions: impl Iterator<Item = Action>) -> Summary {
        let mut functions: Vec<String> = report.regions.iter().map(|region| region.function.clone()).collect();
        functions.sort();
        functions.dedup();
        let (mut todo, mut open, mut done) = (None, 0, 0);
        for action in actions {
            match action.state {
                State::Todo => {
                    open += 1;
                    todo.get_or_insert(action.text);
                }
                State::Done => done += 1,
                State::Nothing => {}
            }
        }
        let side = match report.side {
            Side::Host => "host",
            Side::Device => "device",
        };
        let rejects = totals.rejects + report.rejects.len() as u64;
        let compilation = format!("{side}, {}", report.target);
        Summary { source: report.source.clone(), compilation, totals, rejects, functions, todo, open, done }
    }

    fn excess(&self) -> f64 {
        self.totals.sectors.excess + self.totals.passes.excess
    }
}

const COLUMNS: [&str; 8] =
    ["file", "compilation", "regions", "to do first", "to do", "done by the plugin", "waste, %", "excessive sectors"];

/// The index of pages, each with its file name, and of the reports that could not be read.
pub fn index(pages: &[(String, Summary)], errors: &[anyhow::Error]) -> Markup {
    let mut order: Vec<&(String, Summary)> = pages.iter().collect();
    order.sort_by(|(_, a), (_, b)| b.excess().total_cmp(&a.excess()).then(b.open.cmp(&a.open)));
    let body = html! {
        header {
            h1 { "Reports" }
            p.sub { (counted(pages.len() as u64, "compilation")) ", worst first." }
            (theme_switch())
        }
        main {
            @if pages.is_empty() {
                p { "There is no report." }
            } @else {
                p.keys { (filter()) }
                section class="rows files" {
                    table {
                        thead { (titles(COLUMNS)) }
                        tbody { @for (file, summary) in order { (summary.row(file)) } }
                    }
                }
            }
            @if !errors.is_empty() {
                section {
                    h2 { "Not read" }
                    ul { @for error in errors { li { (said(format_args!("{error:#}"))) } } }
                }
            }
        }
    };
    frame("Reports", body)
}

impl Summary {
    fn row(&self, file: &str) -> Markup {
        let sectors = &self.totals.sectors;
        let percent = sectors.percent().filter(|_| sectors.all > 0.0);
        html! {
            tr data-f=(said(self.functions.join(" "))) {
                td { a href=(file) { (said(&self.source)) } }
                td { (said(&self.compilation)) }
                td.num { (self.totals.regions) }
                td { (said(self.todo.as_deref().map(sentence_case).unwrap_or_default())) }
                td.num { (self.open) }
                td.num { (self.done) }
                @match percent {
                    Some(percent) if percent > 0.0 => {
                        td.num data-v=(percent) { span.bar style=(percent_wide(percent)) {} (percent_text(percent)) }
                    }
                    Some(_) => { td.num data-v="0" { "0" } }
                    None => { td.num data-v="-1" { "-" } }
                }
                td.num data-v=(sectors.excess) {
                    (grouped(sectors.excess))
                    @if self.rejects > 0 { br; span.sub { (counted(self.rejects, "part")) " not understood" } }
                }
            }
        }
    }
}
