//! The page that lists all others.

use ipda_models::report::{Class, Report, Side};

use super::markup::{Html, html};
use super::page::{bar, head, tail, theme_switch};
use crate::select::totals::Totals;
use crate::view::words::counted;

/// What the index says of a page.
pub struct Summary {
    source: String,
    compilation: String,
    totals: Totals,
    rejects: u64,
}

impl Summary {
    /// Of a report whose regions have these sums.
    pub fn of(report: &Report, totals: Totals) -> Summary {
        let side = match report.side {
            Side::Host => "host",
            Side::Device => "device",
        };
        let rejects = totals.rejects + report.rejects.len() as u64;
        Summary { source: report.source.clone(), compilation: format!("{side}, {}", report.target), totals, rejects }
    }

    fn excess(&self) -> f64 {
        self.totals.sectors.excess + self.totals.passes.excess
    }
}

/// The index of pages, each with its file name, and of the reports that could not be read.
pub fn index(pages: &[(String, Summary)], errors: &[anyhow::Error]) -> Html {
    let mut out = Html::default();
    head(&mut out, "Reports");
    html!(out, "<header><h1>Reports</h1><p class=\"sub\">" (counted(pages.len() as u64, "compilation")) ", those that move most in vain first.</p>");
    theme_switch(&mut out);
    html!(out, "</header>\n<main>\n");
    if pages.is_empty() {
        html!(out, "<p>There is no report.</p>\n");
    } else {
        html!(
            out,
            "<p class=\"keys\"><label>Only rows with <input id=\"filter\" type=\"search\" autocomplete=\"off\"></label></p>\n<section class=\"rows\"><table><thead><tr>"
        );
        for name in ["file", "compilation", "regions", "accesses", "uncoalesced", "not understood", "excessive sectors"]
        {
            html!(out, "<th scope=\"col\">" (name) "</th>");
        }
        html!(out, "</tr></thead><tbody>\n");
        let mut order: Vec<&(String, Summary)> = pages.iter().collect();
        order.sort_by(|(_, a), (_, b)| b.excess().total_cmp(&a.excess()));
        for (file, summary) in order {
            html!(out, "<tr><td><a href=\"" (file) "\">" (summary.source) "</a></td><td>" (summary.compilation) "</td>");
            let totals = &summary.totals;
            let uncoalesced = totals.of_class(Class::Uncoalesced);
            for count in [totals.regions, totals.accesses(), uncoalesced, summary.rejects] {
                html!(out, "<td class=\"num\">" (count) "</td>");
            }
            html!(out, "<td class=\"num\">" {bar(totals.sectors.excess, totals.sectors.all)} "</td></tr>\n");
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
