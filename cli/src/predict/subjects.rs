//! The regions that are predicted, and why others are not.

use anyhow::{Result, anyhow};
use ipda_models::predict::PredictError;
use ipda_models::report::Report;
use ipda_models::summary::{MissingValues, RegionSummary};

use crate::select::Wanted;

/// A region that is predicted.
pub struct Subject {
    /// The source, as its report names it.
    pub source: String,
    /// What is known of it.
    pub summary: RegionSummary,
}

/// Why regions have no prediction.
#[derive(Default)]
pub struct Unpredicted {
    errors: Vec<anyhow::Error>,
    missing: Vec<MissingValues>,
}

impl Unpredicted {
    /// Gives back what is the same for all regions.
    pub fn add(&mut self, error: PredictError) -> Result<()> {
        match error {
            PredictError::Machine(_) => return Err(error.into()),
            PredictError::Missing(values) => self.missing.push(values),
            _ => self.errors.push(error.into()),
        }
        Ok(())
    }

    /// A sentence for each reason.
    pub fn sentences(mut self) -> Vec<anyhow::Error> {
        self.errors.extend(without_values(&self.missing));
        self.errors
    }
}

/// One sentence for all values that are missing.
fn without_values(missing: &[MissingValues]) -> Option<anyhow::Error> {
    let mut names: Vec<&str> = Vec::new();
    for name in missing.iter().flat_map(|values| &values.names) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let first = names.first()?;
    let options: Vec<String> = names.iter().map(|name| format!("-D {name}=..")).collect();
    let whose: Vec<String> = missing.iter().map(|values| format!("{} at {}", values.function, values.place)).collect();
    let is_numbered = |name: &str| name.strip_prefix("arg").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let hint = if is_numbered(first) {
        "; without debug information (-g) variables have no names: arg0 is the first that the region captures"
    } else {
        ""
    };
    Some(anyhow!("no prediction of {}: give {}{hint}", whose.join(", "), options.join(" ")))
}

/// The regions of reports that are wanted.
pub fn subjects<'a>(reports: &'a [Report], wanted: &'a Wanted) -> impl Iterator<Item = Subject> + 'a {
    let of_report = move |report: &'a Report| {
        let regions = report.regions.iter().filter(|region| wanted.keeps(region));
        regions.map(|region| Subject {
            source: report.source.clone(),
            summary: RegionSummary::from_report(region, &report.hardware),
        })
    };
    reports.iter().flat_map(of_report)
}
