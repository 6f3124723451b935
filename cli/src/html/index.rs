//! The page that lists all others.

use std::cmp::Reverse;

use ipda_models::report::{Class, Side};

use super::entries::{Entries, Thing};
use super::markup::{Html, html};
use super::page::{bar, head, tail, theme_switch};
use crate::view::words::counted;

/// What the index says of a page.
pub struct Summary {
    source: String,
    compilation: String,
    regions: usize,
    accesses: usize,
    uncoalesced: usize,
    rejects: usize,
    excess: u128,
    total: u128,
}

impl Summary {
    /// Of what a report says.
    pub fn of(entries: &Entries) -> Summary {
        let report = entries.report;
        let accesses = || report.regions.iter().flat_map(|region| &region.accesses);
        let side = match report.side {
            Side::Host => "host",
            Side::Device => "device",
        };
        let (excess, total) = entries.totals();
        Summary {
            source: report.source.clone(),
            compilation: format!("{side}, {}", report.target),
            regions: report.regions.len(),
            accesses: accesses().count(),
            uncoalesced: accesses().filter(|access| access.class == Class::Uncoalesced).count(),
            rejects: entries.all.iter().filter(|entry| matches!(entry.thing, Thing::Reject(_))).count(),
            excess,
            total,
        }
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
        order.sort_by_key(|(_, summary)| Reverse((summary.excess, summary.uncoalesced, summary.regions)));
        for (file, summary) in order {
            html!(out, "<tr><td><a href=\"" (file) "\">" (summary.source) "</a></td><td>" (summary.compilation) "</td>");
            for count in [summary.regions, summary.accesses, summary.uncoalesced, summary.rejects] {
                html!(out, "<td class=\"num\">" (count) "</td>");
            }
            html!(out, "<td class=\"num\">" {bar(summary.excess, summary.total)} "</td></tr>\n");
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
