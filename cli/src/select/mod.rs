//! What of the reports is shown, what it costs, and in which order.

pub mod cost;
pub mod rows;
pub mod totals;
pub mod values;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ipda_models::report::{Access, Class, Hardware, Region, Report};

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

/// Which regions and accesses are wanted.
#[derive(Args, Debug, Clone, Default)]
pub struct Query {
    /// Only regions in this function, at this line, or at this place (FILE:LINE); can be given several times.
    #[arg(long, value_name = "FUNCTION|LINE|FILE:LINE", help_heading = "What to show")]
    region: Vec<String>,
    /// Only regions in source files whose path contains this; can be given several times.
    #[arg(long, value_name = "PART", help_heading = "What to show")]
    file: Vec<String>,
    /// Only accesses of this class; can be given several times.
    #[arg(long, value_name = "CLASS", value_parser = class_parser(), help_heading = "What to show")]
    class: Vec<Class>,
    /// Only accesses with at least this many excessive sectors in a launch.
    #[arg(long, value_name = "SECTORS", help_heading = "What to show")]
    min_excess: Option<f64>,
    /// The order of the rows.
    #[arg(long, value_enum, default_value = "excess", help_heading = "What to show")]
    pub sort: Sort,
    /// The most rows to print; 0 for all [default: 20 in tables for people, else all].
    #[arg(long, value_name = "ROWS", help_heading = "What to show")]
    pub top: Option<usize>,
    /// The value of a variable of the program, such as -D n=4096; sizes without a value count as 128, and so do the iterations of a loop of
    /// unknown length.
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
        self.filters_accesses() || !self.region.is_empty() || !self.file.is_empty()
    }

    /// Leaves in `report` what is wanted; whether anything is.
    pub fn narrow(&self, report: &mut Report, values: &Values) -> bool {
        if !self.filters() {
            return true;
        }
        let Report { hardware, regions, rejects, .. } = report;
        regions.retain_mut(|region| self.keeps_region(region) && self.narrow_region(region, hardware, values));
        if !self.region.is_empty() || self.filters_accesses() {
            rejects.clear();
        }
        rejects.retain(|reject| {
            let file = reject.location.as_ref().map(|location| &location.file[..]);
            self.file.is_empty() || file.is_some_and(|file| self.names_file(file))
        });
        !regions.is_empty() || !rejects.is_empty()
    }

    fn narrow_region(&self, region: &mut Region, hardware: &Hardware, values: &Values) -> bool {
        if !self.filters_accesses() {
            return true;
        }
        let keeps = |access: &Access| {
            let cost = Cost::of(access, region, hardware, values);
            let of_class =
                self.class.is_empty() || self.class.contains(&cost.class) || self.class.contains(&access.class);
            of_class && self.min_excess.is_none_or(|least| cost.weight() >= least)
        };
        let kept: Vec<bool> = region.accesses.iter().map(keeps).collect();
        let mut kept = kept.into_iter();
        region.accesses.retain(|_| kept.next().unwrap_or(true));
        !region.accesses.is_empty()
    }

    fn keeps_region(&self, region: &Region) -> bool {
        let is_named = |name: &String| {
            let line = region.location.line.to_string();
            match name.rsplit_once(':') {
                _ if *name == region.function || *name == line => true,
                Some((file, at)) => at == line && is_same_file(file, &region.location.file),
                None => false,
            }
        };
        (self.region.is_empty() || self.region.iter().any(is_named))
            && (self.file.is_empty() || self.names_file(&region.location.file))
    }

    fn names_file(&self, file: &str) -> bool {
        self.file.iter().any(|part| file.contains(part.as_str()))
    }
}

/// Whether two paths may name one file: one ends as the other, whole folders compared.
pub fn is_same_file(a: &str, b: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && *part != "..");
        parts.rev().map(str::to_owned).collect()
    };
    let (a, b) = (parts(a), parts(b));
    !a.is_empty() && !b.is_empty() && a.iter().zip(&b).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_the_end_of_its_path() {
        assert!(is_same_file("gemm.c", "src/gemm.c"));
        assert!(is_same_file("../src/gemm.c", "/home/x/src/gemm.c"));
        assert!(!is_same_file("other/gemm.c", "src/gemm.c"));
        assert!(!is_same_file("mm.c", "src/gemm.c"));
        assert!(!is_same_file("", "gemm.c"));
    }
}
