//! The built-in descriptions, a line each.

use comfy_table::{ContentArrangement, Table, presets};
use ipda_hwdb::{Device, Kind};

/// How many values of a description are how sure.
#[derive(Default)]
pub struct Tally {
    pub facts: usize,
    pub measured: usize,
    pub unverified: usize,
    pub estimates: usize,
    pub unknown: usize,
}

impl Tally {
    pub fn of(device: &Device) -> Tally {
        let mut tally = Tally::default();
        for parameter in device.parameters() {
            let count = match parameter.value {
                Ok((_, evidence)) => match evidence.kind() {
                    Kind::Fact => &mut tally.facts,
                    Kind::Measured => &mut tally.measured,
                    Kind::Unverified => &mut tally.unverified,
                    Kind::Estimate => &mut tally.estimates,
                },
                Err(_) => &mut tally.unknown,
            };
            *count += 1;
        }
        tally
    }
}

pub fn text(width: usize) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width.try_into().unwrap_or(u16::MAX));
    table.set_header(["kind", "name", "also", "product", "facts", "measured", "unverified", "estimates", "unknown"]);
    for device in Device::builtins() {
        let tally = Tally::of(&device);
        let mut row = vec![device.kind().to_owned(), device.name().to_owned()];
        row.push(device.aliases().join(" "));
        row.push(device.product().to_owned());
        row.extend(
            [tally.facts, tally.measured, tally.unverified, tally.estimates, tally.unknown]
                .map(|count| count.to_string()),
        );
        table.add_row(row);
    }
    lines(&table)
}

/// The table without spaces at the ends of its lines.
pub fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
