//! What a sweep found, as a table and in sentences.

use ipda_models::quantity::Seconds;

use super::sweep::{Side, Swept, faster};
use super::verdict;
use crate::document::{Column, Table};

/// The times, value by value.
pub fn table(swept: &Swept, without: &[String]) -> Table {
    let row = |(value, host, device): &(i64, f64, Option<f64>)| {
        let choice = faster(*host, *device).map_or("not known", |side| verdict::word(side, without));
        let device = device.map_or_else(|| "not known".to_owned(), |device| Seconds::new(device).to_string());
        vec![value.to_string(), Seconds::new(*host).to_string(), device, choice.to_owned()]
    };
    let columns = [Column::number("value"), Column::number("host"), Column::number("device"), Column::word("faster")];
    Table::plain(0, &columns, swept.rows.iter().map(row).collect())
}

/// From which values on who is faster, where the transfers of the variables `without` are not counted.
pub fn sentences(names: &str, swept: &Swept, without: &[String]) -> Vec<String> {
    let clause = |side| verdict::clause(side, without);
    let crossings = swept.crossings.iter();
    let sentences: Vec<String> =
        crossings.map(|(value, side)| format!("From {names} = {value} on, {}.", clause(*side))).collect();
    if !sentences.is_empty() {
        return sentences;
    }
    vec![match swept.rows.first().and_then(|(_, host, device)| faster(*host, *device)) {
        Some(Side::Neither) => format!("Neither takes any time for all these values of {names}."),
        Some(side) => format!("{} for all these values of {names}.", clause(side).replacen("the", "The", 1)),
        None => "The device's time is not known.".to_owned(),
    }]
}
