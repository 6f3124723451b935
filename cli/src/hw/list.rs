//! The built-in descriptions, a line each.

use ipda_hwdb::{Device, Kind};

use crate::view::{Column, Detail, Grid, Loops, Page, Paint, Text, Tone};

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
pub fn text(width: usize) -> String {
    let devices: Vec<Device> = Device::builtins();
    let words = |device: &Device| [device.kind(), device.name()].map(str::to_owned);
    let more = |device: &Device| [device.aliases().join(" "), device.product().to_owned()];
    let columns = |titles: &[&'static str]| titles.iter().copied().map(Column::word).collect::<Vec<_>>();
    let counts = COUNTS.map(Column::number);
    let wide = [&columns(&["kind", "name", "also", "product"]), &counts[..]].concat();
    let rows: Vec<Vec<String>> =
        devices.iter().map(|device| [&words(device)[..], &more(device), &tallied(device)].concat()).collect();
    let grid = Grid::new(&wide, &rows, width);
    let line = |line: &str| format!("{}\n", line.trim_end());
    if grid.rows.iter().chain([&grid.header]).all(|row| row.trim_end().chars().count() <= width) {
        return [grid.header].iter().chain(&grid.rows).map(|row| line(row)).collect();
    }
    let narrow = [&columns(&["kind", "name"]), &counts[..]].concat();
    let rows: Vec<Vec<String>> = devices.iter().map(|device| [&words(device)[..], &tallied(device)].concat()).collect();
    let grid = Grid::new(&narrow, &rows, width);
    let page = Page { width, paint: Paint::None, detail: Detail::Brief, loops: Loops::AsRun };
    let mut out = Text::new(&page);
    out.line(Tone::Plain, &grid.header);
    for (row, device) in grid.rows.iter().zip(&devices) {
        out.line(Tone::Plain, row);
        let [also, product] = more(device);
        let also = if also.is_empty() { also } else { format!("; also {also}") };
        out.wrapped(INDENT, &format!("{product}{also}"));
    }
    out.finish()
}

fn tallied(device: &Device) -> [String; COUNTS.len()] {
    let tally = Tally::of(device);
    [tally.facts, tally.measured, tally.unverified, tally.estimates, tally.unknown].map(|count| count.to_string())
}
