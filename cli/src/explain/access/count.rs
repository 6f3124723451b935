//! How many sectors a warp touches, and how often.

use ipda_models::report::{Class, MemoryKind, RegionKind, StrideKind};
use ipda_models::sizes::Sizes;

use super::Group;
use crate::select::cost::{Basis, Cost};
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::words::counted;
use crate::words::{grouped, percent_text};

impl Group<'_> {
    /// In the loops as they were written, whatever the plugin did with them.
    pub(super) fn count(&self, cost: &Cost, values: &Values) -> String {
        let counted = self.count_alone(cost, values);
        if cost.group.is_some() { format!("alone: {counted}") } else { counted }
    }

    fn count_alone(&self, cost: &Cost, values: &Values) -> String {
        let access = self.accesses[0];
        let hardware = &self.region.hardware_of(access, &self.report.hardware);
        let lanes = access.lanes(hardware.warp_lanes);
        if access.memory == MemoryKind::Shared {
            return self.count_passes();
        }
        let size = hardware.sector_bytes;
        let min_count = access.least_sectors(hardware);
        let each = counted(access.bytes, "byte");
        let are_shared = min_count < access.bytes.saturating_mul(lanes).div_ceil(u64::from(size.max(1)));
        let each = if are_shared { format!("{each} each, some of them the same,") } else { format!("{each} each") };
        let least = match cost.class {
            Class::Uniform => "one address for all threads".to_owned(),
            _ => format!(
                "memory is moved in sectors of {size} bytes; {lanes} threads with {each} fit in {}",
                counted(min_count, "sector")
            ),
        };
        if let Some(count) = access.sectors {
            let worst = match count.worst {
                worst if worst == count.aligned => String::new(),
                worst => format!(", {worst} where the address does not begin at a cache line"),
            };
            if access.class == Class::Uniform {
                return format!("{least}: {}{worst}", counted(count.aligned, "sector"));
            }
            let excess = match count.aligned.saturating_sub(min_count) {
                0 => "none of them is in excess".to_owned(),
                excess => format!("{excess} of them in excess"),
            };
            return format!("{least}; the warp touches {}{worst}: {excess}", counted(count.aligned, "sector"));
        }
        if matches!(access.class, Class::DataDependent | Class::Unknown) {
            return format!("{least}; the warp touches between 1 and {}, as the data are", cost.most);
        }
        let Some(needed) = cost.needed else { return least };
        if let (StrideKind::RowEnds, Some(class)) = (access.stride.kind, access.class_within_rows) {
            let needed = counted(needed, "sector");
            return format!("{least}; where no row ends in it, the warp touches {needed} ({})", class.name());
        }
        let assumed = match cost.count_basis {
            Basis::Exact => "with the given values".to_owned(),
            Basis::Assumed => self.assumed(values),
        };
        let excess = match needed.saturating_sub(cost.least) {
            0 => "none".to_owned(),
            excess => excess.to_string(),
        };
        let rule = match (access.stride.kind, access.stride.text.as_deref()) {
            (StrideKind::Symbolic, Some(stride)) if cost.known().is_none() => {
                format!("; fewer only where {stride} is less than {size}, the fewest where it is {} or 0", access.bytes)
            }
            _ => String::new(),
        };
        format!("{least}; {assumed}, the warp touches {}, {excess} of them in excess{rule}", counted(needed, "sector"))
    }

    /// The passes over the banks of shared memory.
    fn count_passes(&self) -> String {
        let banks = self.report.hardware.banks;
        let banks = format!("shared memory gives one word of each of its {banks} banks in a pass");
        match self.accesses[0].bank_passes {
            Some(passes) => {
                format!(
                    "{banks}: the warp needs {}, {} without conflicts",
                    counted(passes.needed, "pass"),
                    passes.least
                )
            }
            None => format!("{banks}: how many passes the warp needs, only the running program knows"),
        }
    }

    /// Which values of the stride are taken for what is not given.
    fn assumed(&self, values: &Values) -> String {
        let value = Sizes::Counted.value();
        let stride = &self.accesses[0].stride;
        let texts = [&stride.text, &stride.at_row_ends, &stride.row_length].map(|text| text.as_deref());
        let stride = texts.map(Option::unwrap_or_default).join(" ");
        let is_in =
            |name: &String| stride.contains(&format!("[{name}]")) || name.contains('(') && stride.contains(name);
        let names: Vec<String> = values.missing().into_iter().filter(is_in).collect();
        let Some(first) = names.first() else { return format!("with {value} for what is not known") };
        let given = if first.contains('(') { format!("'{first}=...'") } else { format!("{first}=...") };
        format!("with {value} for {} (-D {given} gives another value)", crate::words::and(&names))
    }

    pub(super) fn runs(&self, cost: &Cost, values: &Values) -> String {
        let access = self.accesses[0];
        let mut text = crate::access::runs(access, Some(self.region));
        if cost.is_in_register {
            text += crate::access::IN_REGISTER;
        }
        let basis = match cost.runs_basis {
            Basis::Exact => String::new(),
            Basis::Assumed => format!(", with {} for what is not known", Sizes::Counted.value()),
        };
        // How many warps a kernel has, its launch decides.
        let each = match self.region.kind {
            RegionKind::Target => {
                text += &format!("; {} by warps in a launch{basis}", times(cost.runs));
                ""
            }
            RegionKind::Kernel => " for each warp",
        };
        let totals = Totals::of_region(self.region, self.report, values);
        let all = if access.memory == MemoryKind::Shared { totals.passes.excess } else { totals.sectors.excess };
        if let Some(excess) = cost.excess().filter(|&excess| excess > 0.0 && all > 0.0) {
            let excess = excess * self.accesses.len() as f64;
            let noun = if access.memory == MemoryKind::Shared { "passes" } else { "sectors" };
            let part = percent_text(100.0 * excess / all);
            text += &format!(": {} excessive {noun}{each}, {part} % of those of the region", grouped(excess));
        }
        text
    }
}

/// `once`, `1,234 times`.
fn times(count: f64) -> String {
    if count == 1.0 { "once".into() } else { format!("{} times", grouped(count)) }
}
