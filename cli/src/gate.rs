//! Rules that a build must keep: `--fail-on uncoalesced>3`, `--fail-on excess>40%`, `--fail-on worse-than=BASELINE`.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Result;
use ipda_models::report::Class;

use crate::diff;
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::select::{Query, class_named};
use crate::words::counted;
use crate::words::{grouped, percent_text};

/// So many accesses that became worse are named.
const MAX_NAMED: usize = 20;

/// What must not be.
#[derive(Debug, Clone)]
pub struct Rule {
    text: String,
    kind: RuleKind,
}

#[derive(Debug, Clone)]
enum RuleKind {
    MoreThan(Subject, f64),
    WorseThan(PathBuf),
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Subject {
    Class(Class),
    ExcessSectors,
    ExcessPercent,
    Divergent,
    Rejects,
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Rule, String> {
        let expected = "expected CLASS>COUNT, excess>SECTORS, excess>PERCENT%, divergent>COUNT, rejects>COUNT or worse-than=REPORT";
        let kind = if let Some(path) = text.strip_prefix("worse-than=") {
            if path.is_empty() {
                return Err("expected a report or a folder behind worse-than=".into());
            }
            RuleKind::WorseThan(path.into())
        } else {
            let (subject, limit) = text.split_once('>').ok_or(expected)?;
            let (limit, is_percent) = match limit.trim().strip_suffix('%') {
                Some(limit) => (limit, true),
                None => (limit, false),
            };
            let limit = limit.trim().replace('_', "");
            let number = limit.parse().ok().filter(|number: &f64| number.is_finite());
            let limit = number.ok_or_else(|| format!("'{limit}' is not a finite number"))?;
            let subject = match (subject.trim(), is_percent) {
                ("excess", true) => Subject::ExcessPercent,
                ("excess", false) => Subject::ExcessSectors,
                (_, true) => return Err("only excess is counted in percent".into()),
                ("divergent", false) => Subject::Divergent,
                ("rejects", false) => Subject::Rejects,
                (name, false) => Subject::Class(
                    class_named(name).ok_or_else(|| format!("'{name}' is nothing that is counted: {expected}"))?,
                ),
            };
            RuleKind::MoreThan(subject, limit)
        };
        Ok(Rule { text: text.into(), kind })
    }
}

impl Rule {
    /// A sentence for each thing that breaks the rule; none where it is kept.
    pub fn check(&self, totals: &Totals, paths: &[PathBuf], query: &Query, values: &Values) -> Result<Vec<String>> {
        let sentences = match &self.kind {
            RuleKind::MoreThan(subject, limit) => exceeded(*subject, *limit, totals).into_iter().collect(),
            RuleKind::WorseThan(baseline) => worse(baseline, paths, query, values)?,
        };
        Ok(sentences.into_iter().map(|sentence| format!("--fail-on {}: {sentence}", self.text)).collect())
    }
}

fn exceeded(subject: Subject, limit: f64, totals: &Totals) -> Option<String> {
    let sectors = &totals.sectors;
    let found = match subject {
        Subject::Class(class) => totals.of_class(class) as f64,
        Subject::ExcessSectors => sectors.excess,
        Subject::ExcessPercent => sectors.percent().unwrap_or(0.0),
        Subject::Divergent => totals.divergent as f64,
        Subject::Rejects => totals.rejects as f64,
    };
    (found > limit).then(|| match subject {
        Subject::Class(class) => {
            let count = totals.of_class(class);
            format!("{} {} {}", counted(count, "access"), if count == 1 { "is" } else { "are" }, class.name())
        }
        Subject::ExcessSectors => sectors.sentence("sectors"),
        Subject::ExcessPercent => format!(
            "{} % of the sectors are excessive: {} of {}",
            percent_text(found),
            grouped(sectors.excess),
            grouped(sectors.all)
        ),
        Subject::Divergent if totals.divergent == 1 => "1 condition divides every warp".into(),
        Subject::Divergent => format!("{} conditions divide every warp", totals.divergent),
        Subject::Rejects if totals.rejects == 1 => "1 part is not understood".into(),
        Subject::Rejects => format!("{} parts are not understood", totals.rejects),
    })
}

fn worse(baseline: &std::path::Path, paths: &[PathBuf], query: &Query, values: &Values) -> Result<Vec<String>> {
    let compared = diff::compare(&[baseline.to_owned()], paths, query, values);
    if let Some(error) = compared.errors.into_iter().next() {
        return Err(error);
    }
    let mut sentences: Vec<String> =
        compared.differences.iter().filter(|each| each.is_worse()).map(diff::Difference::sentence).collect();
    let more = sentences.len().saturating_sub(MAX_NAMED);
    sentences.truncate(MAX_NAMED);
    if more > 0 {
        sentences.push(format!("and {more} more"));
    }
    Ok(sentences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        for good in
            ["uncoalesced>3", "excess>40%", "excess > 1_000", "rejects>0", "bank-conflict>0", "worse-than=a.yaml"]
        {
            good.parse::<Rule>().expect(good);
        }
        for bad in [
            "",
            "uncoalesced",
            "slow>3",
            "excess>x",
            "excess>nan",
            "excess>1e400",
            "excess>inf%",
            "uncoalesced>3%",
            "worse-than=",
        ] {
            bad.parse::<Rule>().expect_err(bad);
        }
    }
}
