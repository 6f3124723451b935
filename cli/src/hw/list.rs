//! The built-in descriptions, a line each.

use ipda_hwdb::{Device, Kind};

use crate::document::{Column, Document, Row, Table};

/// Blanks before the second line of a description.
const INDENT: usize = 6;
/// The titles of a tally's counts.
const COUNTS: [&str; 5] = ["facts", "measured", "unverified", "estimates", "unknown"];

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

/// A line for each description, or two where the page is too narrow: nothing is left out, and no word is cut.
pub fn document(width: usize) -> Document {
    let devices: Vec<Device> = Device::builtins();
    let words = |device: &Device| [device.kind(), device.name()].map(str::to_owned);
    let more = |device: &Device| [device.aliases().join(" "), device.product().to_owned()];
    let columns = |titles: &[&'static str]| {
        titles.iter().copied().map(Column::word).chain(COUNTS.map(Column::number)).collect::<Vec<_>>()
    };
    let rows = devices.iter().map(|device| [&words(device)[..], &more(device), &tallied(device)].concat());
    let mut table = Table::plain(0, &columns(&["kind", "name", "also", "product"]), rows.collect());
    if !table.fits(width) {
        let row = |device: &Device| {
            let [also, product] = more(device);
            let also = if also.is_empty() { also } else { format!("; also {also}") };
            let row = Row::from([&words(device)[..], &tallied(device)].concat());
            Row { notes: vec![("", format!("{product}{also}"))], ..row }
        };
        let (columns, rows) = (columns(&["kind", "name"]), devices.iter().map(row).collect());
        table = Table { columns, rows, notes: (INDENT, 0), ..Table::default() };
    }
    let mut out = Document::default();
    out.table(table);
    out
}

fn tallied(device: &Device) -> [String; COUNTS.len()] {
    let tally = Tally::of(device);
    [tally.facts, tally.measured, tally.unverified, tally.estimates, tally.unknown].map(|count| count.to_string())
}
