//! What of the reports is shown, what it costs, and in which order.

pub mod cost;
mod regions;
pub mod rows;
pub mod totals;
pub mod values;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ipda_models::report::{Access, Class, Hardware, Region, Report};

pub use regions::{Unseen, Wanted, is_same_file};

use cost::Cost;
use values::{Given, Values};

/// All classes by their names.
const CLASSES: [Class; 9] = [
    Class::Uncoalesced,
    Class::Strided,
    Class::Symbolic,
    Class::DataDependent,
    Class::Unknown,
    Class::Coalesced,
    Class::Uniform,
    Class::BankConflict,
    Class::ConflictFree,
];

/// The class of that name.
pub fn class_named(name: &str) -> Option<Class> {
    CLASSES.into_iter().find(|class| class.name() == name)
}

fn class_parser() -> impl TypedValueParser<Value = Class> {
    PossibleValuesParser::new(CLASSES.map(|class| PossibleValue::new(class.name())))
        .map(|name| class_named(&name).expect("one of the possible values"))
}

/// A number that numbers can be compared with.
fn sectors(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
        .ok_or_else(|| format!("'{text}' is not a finite number"))
}

/// Which regions and accesses are wanted.
#[derive(Args, Debug, Clone, Default)]
pub struct Query {
    #[command(flatten)]
    pub regions: Wanted,
    /// Only accesses of this class; can be given several times.
    #[arg(long, value_name = "CLASS", value_parser = class_parser(), help_heading = "What to show")]
    class: Vec<Class>,
    /// Only accesses with at least this many excessive sectors in a launch.
    #[arg(long, value_name = "SECTORS", value_parser = sectors, help_heading = "What to show")]
    min_excess: Option<f64>,
    /// The order of the rows.
    #[arg(long, value_enum, default_value = "excess", help_heading = "What to show")]
    pub sort: Sort,
    /// The most rows to print; 0 for all [default: 20 in tables for people, else all].
    #[arg(long, value_name = "ROWS", help_heading = "What to show")]
    pub top: Option<usize>,
    /// The value of a variable of the program, such as -D n=4096, or of one that the region loads, such as -D 'load8([d] + 16)=7'; sizes
    /// without a value count as 128, and so do the iterations of a loop of unknown length.
    #[arg(short = 'D', value_name = "NAME=VALUE", help_heading = "What to show")]
    define: Vec<Given>,
}

/// What comes first.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The most excessive sectors in a launch first: those of a warp times how often warps make the access.
    #[default]
    Excess,
    /// The most sectors in a launch first, excessive or not.
    Sectors,
    /// The most runs first.
    Runs,
    /// The worst class first.
    Class,
    /// By file, and in the order of the program.
    Place,
}

impl Query {
    /// The values that the user gives.
    pub fn values(&self) -> Values {
        Values::new(&self.define)
    }

    /// Rows of a table for people.
    pub fn rows_for_people(&self) -> usize {
        match self.top {
            None => 20,
            Some(0) => usize::MAX,
            Some(top) => top,
        }
    }

    /// Rows of other formats.
    pub fn rows_for_programs(&self) -> usize {
        self.top.filter(|&top| top > 0).unwrap_or(usize::MAX)
    }

    /// Whether it leaves out some accesses of a region.
    fn filters_accesses(&self) -> bool {
        !self.class.is_empty() || self.min_excess.is_some()
    }

    /// Whether it leaves out anything.
    pub fn filters(&self) -> bool {
        self.filters_accesses() || self.regions.filters()
    }

    /// Leaves in `report` what is wanted; whether anything is.
    pub fn narrow(&self, report: &mut Report, values: &Values) -> bool {
        if !self.filters() {
            return true;
        }
        let Report { hardware, regions, rejects, .. } = report;
        regions.retain_mut(|region| self.regions.keeps(region) && self.narrow_region(region, hardware, values));
        if self.filters_accesses() {
            rejects.clear();
        }
        rejects.retain(|reject| self.regions.keeps_reject(reject));
        !regions.is_empty() || !rejects.is_empty()
    }

    fn narrow_region(&self, region: &mut Region, hardware: &Hardware, values: &Values) -> bool {
        if !self.filters_accesses() {
            return true;
        }
        // What is not shown needs no values.
        let aside = values.afresh();
        let keeps = |access: &Access| {
            let cost = Cost::of(access, region, hardware, values);
            let written = || Cost::as_written(access, region, hardware, &aside).class;
            let of_class = self.class.is_empty() || self.class.contains(&cost.class) || self.class.contains(&written());
            of_class && self.min_excess.is_none_or(|least| cost.weight() >= least)
        };
        let kept: Vec<bool> = region.accesses.iter().map(keeps).collect();
        let mut kept = kept.into_iter();
        region.accesses.retain(|_| kept.next().unwrap_or(true));
        !region.accesses.is_empty()
    }
}
