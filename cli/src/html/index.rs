//! The page that lists all others.

use ipda_models::report::{Report, Side};

use super::detail::sentence_case;
use super::markup::{Html, html};
use super::page::{head, tail, theme_switch};
use crate::action::{Action, State};
use crate::select::totals::Totals;
use crate::words::counted;
use crate::words::{grouped, percent_text};

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

/// The index of pages, each with its file name, and of the reports that could not be read.
pub fn index(pages: &[(String, Summary)], errors: &[anyhow::Error]) -> Html {
    let mut out = Html::default();
    head(&mut out, "Reports");
    html!(out, "<header><h1>Reports</h1><p class=\"sub\">" (counted(pages.len() as u64, "compilation")) ", worst first.</p>");
    theme_switch(&mut out);
    html!(out, "</header>\n<main>\n");
    if pages.is_empty() {
        html!(out, "<p>There is no report.</p>\n");
    } else {
        html!(
            out,
            "<p class=\"keys\"><label>Only rows with <input id=\"filter\" type=\"search\" autocomplete=\"off\"></label></p>\n<section class=\"rows files\"><table><thead><tr>"
        );
        for name in [
            "file",
            "compilation",
            "regions",
            "to do first",
            "to do",
            "done by the plugin",
            "waste, %",
            "excessive sectors",
        ] {
            html!(out, "<th scope=\"col\">" (name) "</th>");
        }
        html!(out, "</tr></thead><tbody>\n");
        let mut order: Vec<&(String, Summary)> = pages.iter().collect();
        order.sort_by(|(_, a), (_, b)| b.excess().total_cmp(&a.excess()).then(b.open.cmp(&a.open)));
        for (file, summary) in order {
            html!(out, "<tr data-f=\"" (summary.functions.join(" ")) "\"><td><a href=\"" (file) "\">" (summary.source) "</a></td><td>" (summary.compilation) "</td><td class=\"num\">" (summary.totals.regions) "</td><td>");
            html!(out, (summary.todo.as_deref().map(sentence_case).unwrap_or_default()) "</td><td class=\"num\">" (summary.open) "</td><td class=\"num\">" (summary.done) "</td>");
            let sectors = &summary.totals.sectors;
            let percent = sectors.percent().filter(|_| sectors.all > 0.0);
            match percent {
                Some(percent) if percent > 0.0 => {
                    html!(out, "<td class=\"num\" data-v=\"" (percent) "\"><span class=\"bar\" style=\"width:" (percent.round()) "%\"></span>" (percent_text(percent)) "</td>")
                }
                Some(_) => html!(out, "<td class=\"num\" data-v=\"0\">0</td>"),
                None => html!(out, "<td class=\"num\" data-v=\"-1\">-</td>"),
            }
            html!(out, "<td class=\"num\" data-v=\"" (sectors.excess) "\">" (grouped(sectors.excess)));
            if summary.rejects > 0 {
                html!(out, "<br><span class=\"sub\">" (counted(summary.rejects, "part")) " not understood</span>");
            }
            html!(out, "</td></tr>\n");
        }
        html!(out, "</tbody></table></section>\n");
    }
    if !errors.is_empty() {
        html!(out, "<section><h2>Not read</h2><ul>");
        for error in errors {
            html!(out, "<li>" (format!("{error:#}")) "</li>");
        }
        html!(out, "</ul></section>\n");
    }
    html!(out, "</main>\n");
    tail(&mut out);
    out
}
